/**
 * Frames: the table of frame boundaries, made by a prepass, and what falls into each.
 *
 * A frame runs from one begin of the frame marker (or frame mark) to the next on the frame thread. The
 * time before the first begin and the frame still open at the end are partial: left out and counted.
 */
#ifndef TT_MODEL_FRAMES_H
#define TT_MODEL_FRAMES_H

#include <stdbool.h>

#include "base/column.h"
#include "model/event.h"
#include "stat/refresh.h"
#include "stat/tally.h"

struct tt_arena;
struct tt_model;

enum { TT_HITCH_TOP = 8 };            /* markers of a worst frame */

/* Per frame, columns of n. A column that a capture never has takes no memory. */
struct tt_frames {
	struct tt_mem *mem;
	struct tt_frame_name { const char *full; uint64_t key, begins; uint32_t process; } *name;     /* markers that begin frames */
	size_t nname;                 /* 0: the capture's own marks begin frames */
	struct tt_frame_range { uint32_t process, thread; size_t first, end; } *range; /* the frames of each process that has some, all on one thread */
	size_t nrange;
	size_t n;
	struct tt_column start;       /* ts of the begin */
	struct tt_column gap;         /* ns from the end of the frame before to its begin: mostly 0, which takes no memory */
	int64_t end;                  /* of the last frame */
	struct tt_column number_less_index; /* its number in its process, from 1, less its index here */
	struct tt_column engine_number; /* the engine's own number of the frame, where has_given */
	struct tt_column alloc_b;     /* bytes that all threads of the process that the filter wants allocate, by time */
	struct tt_column alloc_n;
	struct tt_column wait_ns;     /* waits on the frame thread; meaningful where has_wait */
	struct tt_column outside_ns;  /* time of the frame thread with no call open, in which its work is unknown */
	struct tt_column editor_ns;   /* time of the frame thread in the Editor's zones */
	struct tt_column editor_wait_ns;      /* the part of editor_ns that is in wait_ns, too */
	struct tt_column limit_ns;    /* the part of wait_ns in which the frame thread waited for the frame limit */
	struct tt_column present_ns;  /* the part of limit_ns in markers that wait for a late GPU or render thread, too */
	struct tt_column other_wait_ns;       /* the part of wait_ns in which it waited for anything else, outside the Editor's zones */
	struct tt_column released;    /* end of its last wait for the limit of at least TT_RELEASE_MIN_NS: ns after its begin, plus 1; 0: no such wait */
	bool has_engine_number;
	bool has_wait;                /* a wait marker or contention record was seen */
	bool has_editor;              /* a zone of the Editor's was seen */
	struct tt_refresh_segment *segment;   /* the limits that frames were shown at, in order (stat/refresh.h); segments cover all frames */
	size_t nsegment;
	struct tt_column refreshes;   /* how many refreshes each frame takes, and TT_REFRESH_LATE; 0: no limit shows */
	uint64_t nlate;
	int64_t period;               /* ns: the limit that most frames are capped at (tracetool-metrics(7)); 0: fewer than half are capped */
	bool player_only;             /* the Editor's time is not part of any frame */
	struct tt_column timing[TT_TIMINGS];  /* what the engine measured of the frame, ns; 0: no value */
	bool has_timing;
	struct tt_column render_ns;   /* how long the render thread worked, by its zones, where that is asked for */
	bool counts_presented;        /* true: refreshes of some frames are counted by the times in ${presented_ts} */
	struct tt_column presented_ts; /* when frames had been handed to the display, in order: tt_frames_presented() */
	struct tt_column handover_ns; /* ns that handing over a frame took */
	bool render_measured;         /* true: the engine measured the render thread in some frame; its measure, another figure, is used for all */
	bool has_render;              /* true: render_ns, or the engine's measure, is known of some frame */
	bool is_part_examined;        /* true, with TT_NEEDS_CAUSES: only some frames are examined closely */
	struct tt_column nexamined_before; /* number of closely examined frames before each frame; one entry more than frames */
	struct tt_column is_from_record; /* 1: timing is from a record of the engine's, which has all parts; 0: from counters, which lack some */
	uint64_t npartial;            /* frames left out because they are not whole */
	int64_t open_from;            /* begin of the frame that is open at the end of the capture, of the last one of several */

	/* per marker (dense number), over frames of its frame thread */
	struct tt_frame_marker {
		uint64_t nframes;     /* frames in which it runs */
		int64_t total, total_max;     /* ns per frame, outermost activations, clipped */
		int64_t self, self_max;
		int64_t idle;         /* the part of self that is not CPU-active time: in a wait, or the Editor's */
		uint64_t calls, calls_max;    /* begins; the most in a frame */
	} *marker_stat;
	size_t nmarker_stat;

	/* self time per category and frame, filled with the marker rows */
	struct tt_frame_category {
		int64_t self;         /* sum over all frames */
		struct tt_times self_times; /* self time per frame, over the frames that have some */
		uint32_t hist;        /* number of ${self_times} in category_hist */
	} *category_stat;             /* index: category number of model.h */
	size_t ncategory_stat;
	struct tt_tally category_hist;        /* histograms of each ${in} */

	/* the worst frames, largest first; rows of their top markers by self time */
	struct tt_hitches {
		struct tt_hitch {
			size_t frame;
			int64_t rank_ns; /* ns that the frame is ranked by */
			struct tt_hitch_top { uint64_t key; int64_t self; uint64_t calls; } top[16];       /* self: the part in ${rank_ns} */
			unsigned ntop;        /* at most TT_HITCH_TOP; more while collecting, because some may be one marker, or equal */
		} *h;
		size_t n, cap;
		size_t best_place;    /* while collecting: the place of the least bad frame */
	} longest, busiest, latest;   /* by wall time; by CPU-active time; by uncapped or render-thread time; the last two only where has_wait */
};

/* A frame as its capture marks it. */
struct tt_frame {
	int64_t start, dur;
	uint64_t number;              /* place in its process, from 1 */
	uint32_t engine_number;       /* the engine's own number of the frame; 0: none */
};

/* Append a frame, of the process whose range in ${of} is the last or is still to come; TT_E_NOMEM, TT_E_LIMIT. */
int tt_frames_add(struct tt_frames *f, const struct tt_frame *is, struct tt_err *err);

/* Free the columns, the segments and the tally: ${f} has no frames then. */
void tt_frames_empty(struct tt_frames *f);

/* When frame ${i} begins and ends, and how long it is. The end is known by where the next one begins. */
static inline int64_t
tt_frames_start(const struct tt_frames *f, size_t i)
{
	return tt_column_at(&f->start, i);
}

static inline int64_t
tt_frames_end(const struct tt_frames *f, size_t i)
{
	return i + 1 < f->n ? (int64_t)((uint64_t)tt_frames_start(f, i + 1) - (uint64_t)tt_column_at(&f->gap, i + 1)) : f->end;
}

static inline int64_t
tt_frames_dur(const struct tt_frames *f, size_t i)
{
	return (int64_t)((uint64_t)tt_frames_end(f, i) - (uint64_t)tt_frames_start(f, i));
}

/* The number of frame ${i} in its process, from 1, and the number that the engine gave it, where has_given. */
static inline uint64_t
tt_frames_number(const struct tt_frames *f, size_t i)
{
	return (uint64_t)tt_column_at(&f->number_less_index, i) + i;
}

static inline uint32_t
tt_frames_engine_number(const struct tt_frames *f, size_t i)
{
	return (uint32_t)tt_column_at(&f->engine_number, i);
}

/* The index of the thread of frame ${i}. */
uint32_t tt_frames_thread(const struct tt_frames *f, size_t i);

/* The wall time of frame ${i}. */
static inline int64_t
tt_frames_wall(const struct tt_frames *f, size_t i)
{
	int64_t wall = tt_frames_dur(f, i) - (f->player_only ? tt_column_at(&f->editor_ns, i) : 0);

	return wall > 0 ? wall : 0;
}

/* True if a frame in [${from}, ${end}) is looked at closely. */
static inline bool
tt_frames_has_examined(const struct tt_frames *f, size_t from, size_t end)
{
	return !f->is_part_examined || tt_column_at(&f->nexamined_before, end) != tt_column_at(&f->nexamined_before, from);
}

/* Index of the ${i}th of at most TT_FRAMES_SAMPLED frames, evenly spaced over the capture. */
enum { TT_FRAMES_SAMPLED = 128 };
static inline size_t
tt_frames_sample(const struct tt_frames *f, size_t i)
{
	return f->n < TT_FRAMES_SAMPLED ? i : i * f->n / TT_FRAMES_SAMPLED;
}

/* The CPU-active time of frame ${i}, without the Editor's; meaningful where has_wait. */
static inline int64_t
tt_frames_cpu(const struct tt_frames *f, size_t i)
{
	const int64_t dur = tt_frames_dur(f, i), idle = tt_column_at(&f->wait_ns, i) + tt_column_at(&f->outside_ns, i) +
	    tt_column_at(&f->editor_ns, i) - tt_column_at(&f->editor_wait_ns, i);

	return idle < dur ? dur - idle : 0;
}

/* True if frame ${i} waits for the limit first and works then: its wait is for the picture of an earlier frame. */
static inline bool
tt_frames_waits_first(const struct tt_frames *f, size_t i)
{
	const int64_t released = tt_column_at(&f->released, i);

	return released > 0 && 2 * released < tt_frames_dur(f, i) + tt_column_at(&f->present_ns, i);
}

/* The time from the last refresh that the thread waited for to the wait of frame ${i}: the rest of the frame; if it waits first, of the frame before. */
static inline int64_t
tt_frames_before_wait(const struct tt_frames *f, size_t i)
{
	const int64_t rest = tt_frames_dur(f, i) - tt_column_at(&f->limit_ns, i);

	if (i == 0 || tt_column_at(&f->gap, i) != 0 || !tt_frames_waits_first(f, i))
		return rest;
	return tt_frames_waits_first(f, i - 1) ? tt_frames_dur(f, i - 1) - (tt_column_at(&f->released, i - 1) - 1) : rest;
}

/*
 * The time that frame ${i} waits for a late GPU or render thread, in markers that may wait for the limit of ${period}, too. A wait is for the limit (0) if it
 * ends with the period in which the work before it ends, or with the next one if less than a tenth of the period is left then. If that work is late itself,
 * one period more is for the limit, which its picture may just have missed. Otherwise the wait is late, but for up to a quarter of a period, because it is
 * not recorded when in its last period the frame was ready. Without a limit (0), all of it is late.
 */
static inline int64_t
tt_frames_late(const struct tt_frames *f, size_t i, int64_t period)
{
	const int64_t present = tt_column_at(&f->present_ns, i);

	if (period == 0 || present <= period / 4)
		return period ? 0 : present;
	/* The frame waits for the limit in a marker of its own. */
	if (period < INT64_MAX && tt_column_at(&f->limit_ns, i) - present > period / 4 && !tt_frames_waits_first(f, i))
		return present;

	const int64_t before = tt_frames_before_wait(f, i), rest = before > 0 ? before : 0;
	int64_t room = period - rest % period;

	room += room < period / 10 || rest > period ? period : 0;
	return present - room > period / 4 ? present - (room < period / 4 ? room : period / 4) : 0;
}

/* The uncapped time of frame ${i}, if frames are capped at ${period}: without its wait for the frame limit and the Editor's time. */
static inline int64_t
tt_frames_uncapped_at(const struct tt_frames *f, size_t i, int64_t period)
{
	const int64_t game = tt_frames_dur(f, i) - tt_column_at(&f->editor_ns, i), own = tt_frames_cpu(f, i) + tt_column_at(&f->outside_ns, i) +
	    tt_column_at(&f->other_wait_ns, i) + tt_frames_late(f, i, period);

	/* The Editor may wait for the limit, too. */
	return own < game ? own : game;
}


/* The time that the main thread needed for frame ${i}: without any wait for the limit, the GPU or the render thread, and without the Editor's. */
static inline int64_t
tt_frames_needed(const struct tt_frames *f, size_t i)
{
	return tt_frames_uncapped_at(f, i, INT64_MAX);
}

/**
 * tt_frames_find_refreshes(f, err):
 * Fit the refreshes of all frames (stat/refresh.h), once, when what each waited for and needed is known: segment, taken, nlate and period. Errors: TT_E_NOMEM,
 * TT_E_LIMIT.
 */
int tt_frames_find_refreshes(struct tt_frames *f, struct tt_err *err);

/* When a frame had been handed to the display during frame ${i}, often one before ${i}; INT64_MIN: none was. */
static inline int64_t
tt_frames_presented(const struct tt_frames *f, size_t i)
{
	const int64_t after = tt_column_at(&f->presented_ts, i);

	return after == 0 ? INT64_MIN : tt_frames_start(f, i) + (after > 0 ? after - 1 : after);
}

/* How many refreshes, or periods of a timer, frame ${i} takes; 0: no limit shows. */
static inline unsigned
tt_frames_nrefreshes(const struct tt_frames *f, size_t i)
{
	return (unsigned)tt_column_at(&f->refreshes, i) & TT_REFRESH_MAX;
}

/* True if frame ${i} takes more than its limit gives it. */
static inline bool
tt_frames_is_late(const struct tt_frames *f, size_t i)
{
	return (tt_column_at(&f->refreshes, i) & TT_REFRESH_LATE) != 0;
}

/* True if frame ${i} may wait for the late picture of one of the ${TT_AHEAD} before it. */
static inline bool
tt_frames_follows_late(const struct tt_frames *f, size_t i)
{
	enum { TT_AHEAD = 3 };

	for (size_t k = 1; f->counts_presented && k <= TT_AHEAD && k <= i; k++)
		if (tt_frames_is_late(f, i - k))
			return true;
	return false;
}

/* The segment that frame ${i} is in. */
const struct tt_refresh_segment *tt_frames_segment(const struct tt_frames *f, size_t i);

/*
 * The period by which tt_frames_late() judges the waits of frame ${i}. INT64_MAX, by which none is late: the frame takes the refreshes that its limit gives it,
 * however long it seems, because it began early or ends late beside them; where pictures are counted, no frame just before it may be late, whose picture it
 * might wait for. 0, by which all are late: frames wait for a timer in markers of its own.
 */
static inline int64_t
tt_frames_wait_period(const struct tt_frames *f, size_t i)
{
	if (f->nsegment && tt_frames_segment(f, i)->alone)
		return 0;
	return f->period && tt_frames_nrefreshes(f, i) && !tt_frames_is_late(f, i) && !tt_frames_follows_late(f, i) ? INT64_MAX : f->period;
}

/* The uncapped time of frame ${i}, at the period found. */
static inline int64_t
tt_frames_uncapped(const struct tt_frames *f, size_t i)
{
	return tt_frames_uncapped_at(f, i, tt_frames_wait_period(f, i));
}

/* True if some frames have a limit. */
static inline bool
tt_frames_have_limit(const struct tt_frames *f)
{
	for (size_t i = 0; i < f->nsegment; i++)
		if (f->segment[i].kind != TT_REFRESH_NONE)
			return true;
	return false;
}

/* How long frame ${i} was shown: whole periods of its segment (tt_frames_period_of()); where no limit shows, or it is late for a timer, its wall time. */
int64_t tt_frames_shown(const struct tt_frames *f, size_t i);

/*
 * Count the frames that may or may not have been shown for longer than ${limit}, as the capture does not tell: they last up to half longer, are too few to show
 * whether a limit holds them, and together take no more time than such a limit gives them, or each no longer than a sleep for it may take. Or they are late
 * for a timer by whole periods, which so few frames do not tell from a display's refreshes.
 */
size_t tt_frames_count_undecidable(const struct tt_frames *f, int64_t limit);

/* Count the frames that last longer than ${limit} and are shown for no longer only if a timer holds them: its period may be the time the GPU takes. */
size_t tt_frames_count_doubtful(const struct tt_frames *f, int64_t limit);

/* Return the period of segment ${is} in ns: the period of a usual display rate if one is within 2 %, else the measured one; 0: no period. */
int64_t tt_frames_period_of(const struct tt_refresh_segment *is);

/* The period at which the frames of ${f}, or NULL, are capped; 0: they are not. */
static inline int64_t
tt_frames_cap(const struct tt_frames *f)
{
	return f ? f->period : 0;
}

/* The engine's own figure of frame ${i} (enum tt_timing), ns; 0: no value. */
static inline int64_t
tt_frames_timing(const struct tt_frames *f, unsigned what, size_t i)
{
	return tt_column_at(&f->timing[what], i);
}

/* How long the render thread worked in frame ${i}, as the engine measured it; by its zones if it measured no frame. 0: that is not known. */
static inline int64_t
tt_frames_render(const struct tt_frames *f, size_t i)
{
	return f->render_measured ? tt_frames_timing(f, TT_TIMING_RENDER, i) : tt_column_at(&f->render_ns, i);
}

/* Make ${h} the histogram of the self time per frame of ${category}; frames without it count as 0. */
void tt_frames_category_hist(const struct tt_frames *f, size_t category, struct tt_hist *h);

/*
 * The frames of ${process}: [*${first}, *${end}); false: it has none. tt_frames_at(): the frame of ${process} that holds ${ts}, or SIZE_MAX;
 * the search begins at *${last}, the frame found before (SIZE_MAX: none).
 */
bool tt_frames_range(const struct tt_frames *f, uint32_t process, size_t *first, size_t *end);
size_t tt_frames_at(const struct tt_frames *f, uint32_t process, int64_t ts, size_t *last);

/* Fail: ${first} to ${last} choose no whole frame. There are frames ${low} to ${high}; the engine calls frame ${of} ${first} (0: none). */
int tt_fail_no_frames(uint64_t first, uint64_t last, uint64_t low, uint64_t high, uint64_t of, struct tt_err *err);

/* The frame that holds ${ts} among frames ${from} to ${to} - 1 (of one process), or SIZE_MAX. */
size_t tt_frames_find(const struct tt_frames *f, size_t from, size_t to, int64_t ts);

/* The captures of ${m} that have no whole frames, while others have some, as tt_capture_list() names them; NULL: all have some, or no memory. */
const char *tt_frames_missing(const struct tt_model *m, struct tt_arena *a, struct tt_err *err);

#endif
