/**
 * Refreshes: the grid that frames are shown on, and how many refreshes of the display each takes.
 *
 * A display with vertical sync shows a frame at one of its refreshes, which are a period P apart. A capture has the frames' own begins and ends, and the ends
 * of their waits for the limit, each late by what the system takes to wake a thread. These points are about whole numbers of P apart, and their errors do not
 * add up: over sixteen frames they are no larger than over one. That tells a display from a timer, whose every sleep is late by a little more, and from
 * frames that are merely as long as each other.
 *
 * Method: blocks of points are fitted with the longest period that most of their distances are multiples of; neighbours that agree are one stretch of the
 * capture; the points of a stretch are counted along the grid by a loop that follows the phase; the period is the slope of a straight line through points
 * and counts (least squares). A limit of several refreshes is a target; which target holds from which frame on is the cheapest explanation of all counts
 * (dynamic programming), where a frame is free to be late if something needs more time than the target has, and costs if not. Rates of usual displays
 * are hints: they split a period longer than any display's, and they decide where waits may be for the GPU and no frame was ever late.
 *
 * Cost: a dozen looks at each frame; about 80 bytes of memory for each while they are fitted, 20 if they are more than 262,144; 2 afterwards. Integers only:
 * no figure depends on the machine.
 */
#ifndef TT_STAT_REFRESH_H
#define TT_STAT_REFRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;

/* The facts of a frame that the fit asks for most. Times in ns. */
struct tt_refresh_frame {
	int64_t start, end;
	int64_t released;             /* when its last wait for the limit of at least TT_RELEASE_MIN_NS ended; INT64_MIN: it has none */
	int64_t presented;            /* when it had been handed to the display; INT64_MIN: that is not known */
	int64_t presenting;           /* how long that took */
	int64_t waited, waited_only;  /* for the limit, and the part of it in markers that wait for nothing else */
};

enum { TT_RELEASE_MIN_NS = 100000 };

/*
 * The frames of one process, in order; each may be asked for several times. The last begins within 30 days of the first: refreshes of the shortest period
 * then fit 32 bits. ${needed} is asked only where it decides something.
 */
struct tt_refresh_source {
	size_t n;
	void (*frame)(const void *arg, size_t i, struct tt_refresh_frame *to);
	int64_t (*needed)(const void *arg, size_t i);         /* the longest that its main or render thread or the GPU is known to have needed, in ns */
	const void *arg;
	bool has_presented;           /* most frames have */
	bool gpu_known;               /* ${needed} has the GPU's time */
};

/* No limit shows; a display's refreshes; a limit kept by a timer, which has a period but no phase. */
enum tt_refresh_kind { TT_REFRESH_NONE, TT_REFRESH_GRID, TT_REFRESH_TIMER };

/*
 * True of frames that have a limit, as far as is known: it holds them; or the GPU is too slow for one refresh, or what is known to need more than that is,
 * with a target of one for a refresh of a faster display; or nothing holds them, and the GPU takes as long.
 */
enum tt_refresh_reading { TT_READING_LIMIT, TT_READING_OR_GPU, TT_READING_OR_WORK, TT_READING_OR_NONE };

/* Frames [first, end) in a row that have one limit. */
struct tt_refresh_segment {
	size_t first, end;
	enum tt_refresh_kind kind;
	int64_t period_ps;            /* of a refresh, or of the timer, in 1e-12 s; 0: none */
	int64_t tick_ns;              /* GRID: when some refresh was */
	unsigned target;              /* refreshes that the limit gives a frame; 1 with a timer, 0 without a limit */
	enum tt_refresh_reading reading;
	bool alone;                   /* TIMER: waits in markers that wait for more than the limit are for what frames need; the fit leaves it false */
	bool untold;                  /* they are too few to tell: NONE, whether a limit holds them; TIMER, whether it is a display's */
};

/* By frame: how many periods it takes (0: no limit shows), and whether that is late. */
#define TT_REFRESH_LATE 0x8000u
#define TT_REFRESH_MAX 0x7fffu

struct tt_refreshes {
	struct tt_refresh_segment *segment;   /* they cover all frames */
	size_t nsegment, capsegment;
	uint16_t *taken;              /* refreshes | TT_REFRESH_LATE, by frame */
	size_t n;
	bool presented;               /* refreshes are those from one frame that is handed to the display to the next */
};

/**
 * tt_refresh_fit(to, src, mem, err):
 * Fit the frames of ${src} into ${to}, which need not be initialised; free it with tt_refresh_free(), after an error, too. Fewer than ten frames show no
 * limit, nor do fewer than twenty if not most of the waiting is for the limit alone, and fewer than 48 may not: they are untold then, unless some wait for a
 * limit, but fewer than a quarter, or ten and more are of all lengths. A frame is late if it takes more refreshes than the target of its segment; with a
 * timer if it lasts one and a half periods and more, or did not wait and lasts a fiftieth longer than the period. Errors: TT_E_NOMEM, TT_E_LIMIT.
 */
int tt_refresh_fit(struct tt_refreshes *to, const struct tt_refresh_source *src, struct tt_mem *mem, struct tt_err *err);
void tt_refresh_free(struct tt_refreshes *r, struct tt_mem *mem);

/* The usual rate that a period of ${ps} is within ${per_mille} of, in Hz; 0: none. */
int tt_refresh_rate(int64_t ps, int per_mille);

/* The usual display of at least 48 Hz of which ${ps} is two to four refreshes, *${times}, the fewest; 0: none. */
int tt_refresh_faster(int64_t ps, unsigned *times);

#endif
