/**
 * Refreshes: the grid on which frames are shown, and the number of refreshes of the display that each frame takes.
 *
 * A display with vertical sync shows a frame at one of its refreshes, which are a period P apart. A capture has the begins and ends of frames, and the ends of
 * their waits for the limit, each late by the time that the system takes to wake a thread. These points are approximately whole numbers of P apart, and their
 * errors do not add up: over sixteen frames they are no larger than over one. This distinguishes a display from a timer, whose every sleep adds a delay, and
 * from frames that merely are equally long.
 *
 * Method: blocks of points are fitted with the longest period of which most of their distances are multiples; neighbouring blocks that agree form a stretch of
 * the capture; the points of a stretch are counted along the grid by a phase-locked loop; the period is the slope of a straight line through points and counts
 * (least squares). A limit of several refreshes is called a target. Which target applies from which frame on is the cheapest explanation of all counts (dynamic
 * programming): a late frame costs little if something needs more time than the target gives, and more if not. Rates of usual displays are hints: they divide a
 * period that is longer than any display's, and they decide if waits may be for the GPU and no frame was ever late.
 *
 * Cost: each frame is read a dozen times. Memory for each frame during the fit is about 80 bytes, or 20 if there are more than 262,144 frames; afterwards 2
 * bytes. Integers only: no figure depends on the machine.
 */
#ifndef TT_STAT_REFRESH_H
#define TT_STAT_REFRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;

/* Facts of a frame that the fit uses most. Times in ns. */
struct tt_refresh_frame {
	int64_t start, end;
	int64_t released;             /* end of its last wait for the limit that took at least TT_RELEASE_MIN_NS; INT64_MIN: none */
	int64_t presented;            /* time when its hand-over to the display ended; INT64_MIN: not known */
	int64_t presenting;           /* duration of the hand-over */
	int64_t waited, waited_only;  /* time waiting for the limit; and the part of it in markers that wait for nothing else */
};

enum { TT_RELEASE_MIN_NS = 100000 };

/*
 * The frames of one process, in order; each may be requested several times. The last one begins within 30 days of the first, so that refreshes of the shortest
 * period fit into 32 bits. ${needed} is called only if it matters.
 */
struct tt_refresh_source {
	size_t n;
	void (*frame)(const void *arg, size_t i, struct tt_refresh_frame *to);
	int64_t (*needed)(const void *arg, size_t i);         /* the longest known time that its main thread, render thread or GPU needed, ns */
	const void *arg;
	bool has_presented;           /* true: most frames have presented */
	bool gpu_known;               /* true: ${needed} includes the GPU's time */
};

/* The kinds of limits: nothing found; the refreshes of a display; a timer, which has a period but no phase. */
enum tt_refresh_kind { TT_REFRESH_NONE, TT_REFRESH_GRID, TT_REFRESH_TIMER };

/*
 * Possible explanations of frames that seem to have a limit: the limit; or a GPU too slow for one refresh; or other work longer than that, with one refresh of
 * a faster display as the target; or nothing, if GPU times are merely regular.
 */
enum tt_refresh_reading { TT_READING_LIMIT, TT_READING_OR_GPU, TT_READING_OR_WORK, TT_READING_OR_NONE };

/* Consecutive frames [first, end) with the same limit. */
struct tt_refresh_segment {
	size_t first, end;
	enum tt_refresh_kind kind;
	int64_t period_ps;            /* period of a refresh or of the timer, ps; 0: no limit */
	int64_t tick_ns;              /* GRID: time of some refresh */
	unsigned target;              /* refreshes that the limit gives a frame; timer: 1; no limit: 0 */
	enum tt_refresh_reading reading;
	bool alone;                   /* TIMER: true: waits in markers that wait not only for the limit belong to what frames need; not set by the fit */
	bool untold;                  /* true: too few frames to tell; NONE: whether a limit holds them; TIMER: whether it is a display's */
};

/* For each frame: the number of periods it takes (0: no limit found), and whether it is late. */
#define TT_REFRESH_LATE 0x8000u
#define TT_REFRESH_MAX 0x7fffu

struct tt_refreshes {
	struct tt_refresh_segment *segment;   /* segments, which cover all frames */
	size_t nsegment, capsegment;
	uint16_t *taken;              /* by frame: refreshes | TT_REFRESH_LATE */
	size_t n;
	bool presented;               /* true: refreshes are counted from one frame's hand-over to the display to the next */
};

/**
 * tt_refresh_fit(to, src, mem, err):
 * Fit the frames of ${src}, into ${to}, which need not be initialised; free it with tt_refresh_free(), also after an error.
 * Fewer than ten frames show no limit; nor do fewer than twenty, unless most of the waiting is for the limit alone. Fewer than 48 without a limit are marked
 * untold, unless some of them, but less than a quarter, wait for a limit, or at least ten have no common period.
 * A frame is late if it takes more refreshes than the target of its segment. With a timer it is late if it lasts at least one and a half periods, or did not
 * wait and exceeds the period by 1/50. Errors: TT_E_NOMEM, TT_E_LIMIT.
 */
int tt_refresh_fit(struct tt_refreshes *to, const struct tt_refresh_source *src, struct tt_mem *mem, struct tt_err *err);
void tt_refresh_free(struct tt_refreshes *r, struct tt_mem *mem);

/* The rate in Hz of a usual display whose period is within ${per_mille} of ${ps}; 0: none. */
int tt_refresh_rate(int64_t ps, int per_mille);

/* The rate of a usual display of at least 48 Hz of which ${ps} is two to four refreshes; *${times}: that number, the smallest possible; 0: none. */
int tt_refresh_faster(int64_t ps, unsigned *times);

#endif
