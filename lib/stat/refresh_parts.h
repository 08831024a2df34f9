/**
 * Shared by the files of the fit of refreshes: its principle, the points that are fitted, and stretches of them.
 *
 * The principle: something provides times at which frames may end: a display at each of its refreshes, a timer one period after the last frame. Frames only
 * ever wait for these times, so that their durations show the period; and a duration beyond it has a reason or none. The limit chosen is the one that leaves
 * the least unexplained: a frame that is late because something needed more time costs little; one that is late without a known reason costs more; one that is
 * faster than the limit allows costs most, as does a change of the limit.
 *
 * A display differs from a timer by its phase. After a frame of any length a display continues at its old times, so that errors do not add up over many frames;
 * a timer starts anew with each frame, or makes up for a long one, and a frame that is late for it does not wait. Frames that are merely equally long because
 * of the GPU wait for no time: hence the possible readings (enum tt_refresh_reading) if markers do not say which of both frames waited for.
 *
 * In order: refresh.c takes as points the ends of waits, else those of frames. refresh_stretch.c finds stretches of one period, block by block. refresh_grid.c
 * decides whether the points of each stretch keep the phase of a display, and assigns them to its refreshes. If so, refresh_target.c chooses the number of
 * refreshes that the limit gives, refresh_count.c counts those that frames took, and refresh_chain.c does so for pictures in a swap chain. If not, the limit
 * may be a timer's: refresh_timer_period.c finds its period, refresh_timer.c the frames that it holds and those that are late.
 */
#ifndef TT_STAT_REFRESH_PARTS_H
#define TT_STAT_REFRESH_PARTS_H

#include "stat/refresh.h"

/* The tick of a point that is on no refresh. */
#define TT_TICK_OFF INT32_MIN

struct tt_refresh_fit {
	const struct tt_refresh_source *src;
	struct tt_refreshes *to;
	struct tt_mem *mem;
	struct tt_refresh_frame *frame;       /* facts of all frames; NULL: too many to keep, requested each time */
	bool anchored;                /* true: points are ends of waits; false: ends of frames */
	bool presented;               /* true: points are times of hand-over to the display; anchored is true as well */
	bool misfit;                  /* true: some of these points are on no grid */
	int64_t step_ns;              /* a timer's sleeps end only at multiples of this; 0: at any time */
	bool has_period;              /* true: some stretch has a period */
	size_t n;                     /* number of points */
	int64_t *x;                   /* times of the points, ns */
	uint32_t *of;                 /* frames of the points, ascending */
	bool *follows;                /* true: a point's frame begins where that of the previous point ends, so that no frame was lost between them */
	int32_t *tick;                /* refreshes of the points, counted within a stretch */
	uint16_t *choice;             /* by frame: scratch space for choosing targets; then the target */
	int32_t *shown;               /* by frame, if presented: refreshes from when the previous picture is shown to when its own is; 0: not known */
};

/* Points [first, end) whose distances are multiples of the period ps; 0: no common period. Their frames are [frame, frame_end). */
struct tt_stretch { size_t first, end, frame, frame_end; int64_t ps; };

/* Number of points fitted at once; fewer do not reliably distinguish clocks. */
enum { TT_REFRESH_BLOCK = 48 };

static inline struct tt_refresh_frame
tt_refresh_frame_at(const struct tt_refresh_fit *f, size_t i)
{
	struct tt_refresh_frame is;

	if (f->frame)
		return f->frame[i];
	f->src->frame(f->src->arg, i, &is);
	return is;
}

/*
 * The time from ${from} to ${to}, ns, clamped to 34 days either way, because the last frame may be longer than all others together. One and a half times as
 * many ps still fit into 64 bits.
 */
static inline int64_t
tt_refresh_between(int64_t from, int64_t to)
{
	const int64_t most = INT64_C(3000000000000000);
	int64_t ns;

	if (__builtin_sub_overflow(to, from, &ns))
		return to > from ? most : -most;
	return ns > most ? most : ns < -most ? -most : ns;
}

static inline int64_t
tt_refresh_dur(const struct tt_refresh_frame *is)
{
	return tt_refresh_between(is->start, is->end);
}

static inline int64_t
tt_refresh_needed_at(const struct tt_refresh_fit *f, size_t i)
{
	return tt_refresh_between(0, f->src->needed(f->src->arg, i));
}

/* True if ${needed} is more than nine tenths of ${refreshes}; the remaining tenth is left for the engine and the driver. */
static inline bool
tt_refresh_needs_more(int64_t needed, int64_t ps, int64_t refreshes)
{
	return needed * 1000 > refreshes * (ps - ps / 10);
}

/* ${a} / ${b}, ${b} > 0, rounded to the nearest integer, halves up. */
static inline int64_t
tt_round_div(int64_t a, int64_t b)
{
	const int64_t q = a / b, r = a % b;

	return r < 0 ? q - (2 * -r > b) : q + (2 * r >= b);
}

/*
 * True if a shorter period explains clearly more: ${now} of ${all} distances are whole numbers of it, ${fitting} of the longer one; it must fit 7 of 10 of the
 * remaining ones.
 */
static inline bool
tt_refresh_is_better(size_t now, size_t fitting, size_t all)
{
	return now > fitting && 10 * (now - fitting) >= 7 * (all - fitting);
}

/* The distance of ${ns} from a whole number of ${ps}, in ps. */
static inline int64_t
tt_off_grid(int64_t ns, int64_t ps)
{
	return ns * 1000 - tt_round_div(ns * 1000, ps) * ps;
}

/* Maximum gap, in periods and in ns: longer distances tell nothing. */
enum { TT_REFRESH_MAX_GAP = 64 };
#define TT_REFRESH_MAX_GAP_NS INT64_C(10000000000)

/* The clock step at which sleeps end on some systems: 64 a second. */
#define TT_SLEEP_STEP_NS INT64_C(15625000)

/* The period of a slightly slow 48 Hz display, ps; no display is slower. */
#define TT_REFRESH_SLOWEST_PS INT64_C(20920000000)

/* Minimum number of frames to show a limit. */
enum { TT_REFRESH_FRAMES = 10 };

/* Maximum number of pairs of points for a median. */
enum { TT_REFRESH_SAMPLES = 1024 };

/* Maximum distance from whole periods, as 1/TT_NEAR_PARTS of a period: less than an eighth, so that one refresh more of eight is not taken for none. */
enum { TT_NEAR_PARTS = 9 };

/* The number of periods that ${d} is near, at most ${most}; 0: near none. */
static inline int64_t
tt_periods_in(int64_t d, int64_t ps, int64_t most)
{
	const int64_t k = (d * 1000 + ps / 2) / ps, off = d * 1000 - k * ps;

	return k >= 1 && k <= most && off <= ps / TT_NEAR_PARTS && -off <= ps / TT_NEAR_PARTS ? k : 0;
}

/* The waits of the frames of a stretch: number of frames with a wait; sums of all waits, and of those for the limit alone. */
struct tt_waits { size_t n; int64_t all, only; };

/* True if a frame of ${dur} waited long enough to be held by a limit. */
static inline bool
tt_has_waited(int64_t waited, int64_t dur)
{
	return waited > 0 && waited >= dur / 50;
}

/* --- refresh_parts.c ------------------------------------------------------------------ */

/* Append the segment ${is}. TT_E_NOMEM, TT_E_LIMIT. */
int tt_refresh_append(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err);

/* --- refresh_stretch.c ---------------------------------------------------------------- */

/* A walk over the stretches of the points [first, end): ${each} is called for each in turn; the frames [frame, frame_end) are divided among them. */
struct tt_stretching {
	struct tt_refresh_fit *f;
	bool timer;
	struct tt_stretch all, now;
	int (*each)(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err);
};

int tt_refresh_stretches(struct tt_stretching *w, struct tt_err *err);
/*
 * Refine *${ps} to fit the distances of neighbours in ${s} best. Return how many of them are within about an eighth of a period, or with ${in_time} a
 * twentieth; *${all}: their number.
 */
size_t tt_refresh_refine(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, size_t *all, bool in_time);
/* True if ${a} and ${b} are about equal, or, unless ${timer}, one is a multiple of the other. */
bool tt_refresh_agree(int64_t a, int64_t b, bool timer);

/* --- refresh_grid.c ------------------------------------------------------------------- */

/* True if the points of ${s} lie on a grid. s->ps is its period, which may be changed to that of the grid. */
bool tt_refresh_is_grid(struct tt_refresh_fit *f, struct tt_stretch *s);
/* True if ${s}, which is on a grid, is certainly so and not by chance. */
bool tt_refresh_is_sure(const struct tt_refresh_fit *f, const struct tt_stretch *s);
/* The median distance from whole periods, in ps, of points that are ${apart} points apart; -1: none. */
int64_t tt_refresh_spread(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t apart);
/* The time of the first point of [from, end) that is on the grid. */
int64_t tt_refresh_first_tick(const struct tt_refresh_fit *f, size_t from, size_t end);

/* --- refresh_chain.c, refresh_target.c, refresh_count.c: of stretches that are on a grid ---- */

/* Compute f->shown for the frames of ${s}: the refreshes from when the previous picture is shown to when its own is; 0: not known. */
void tt_refresh_find_shown(struct tt_refresh_fit *f, const struct tt_stretch *s);

/* A cursor that yields the refreshes between the points of consecutive frames. */
struct tt_refresh_steps { const struct tt_refresh_fit *f; size_t q, end, skip; };

/* The refreshes of frame ${i}; 0: not known. */
int64_t tt_refresh_next_step(struct tt_refresh_steps *s, size_t i);
/* Choose the target of each frame of ${s} into f->choice. */
void tt_refresh_choose(struct tt_refresh_fit *f, const struct tt_stretch *s);
/* Append the segments of ${s}, and count the refreshes of its frames. TT_E_NOMEM, TT_E_LIMIT. */
int tt_refresh_segments(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err);

/* --- refresh_timer_period.c ----------------------------------------------------------- */

struct tt_waits tt_waits_of(const struct tt_refresh_fit *f, const struct tt_stretch *s);
/* The mean duration, in ps, of the frames of ${s} that waited, with ${alone} for the limit alone, and are about as long as ${ps}; 0: none. */
int64_t tt_timer_regular(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t ps, bool alone);
/* Get the period of frames that waited and are not regular, in ps. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timer_shortest(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, struct tt_err *err);
/* If the frames of ${s}, whose waits are ${w}, have a timer whose sleeps end at clock steps, set its period and return true. */
bool tt_timer_steps(struct tt_refresh_fit *f, struct tt_stretch *s, const struct tt_waits *w);
/*
 * The period, in ps, of the frames of ${s} that wait for the limit alone: if nine tenths are equally long; or with *${is_unsteady}, if half of all frames wait
 * so and nothing shows that some have another limit. 0: neither. ${v} has room for all frames.
 */
int64_t tt_timer_alone(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *v, bool *is_unsteady);

/* --- refresh_timer.c ------------------------------------------------------------------ */

/* True if the frame ${is} is late for a timer with the period ${ps}. */
bool tt_timer_is_late(const struct tt_refresh_fit *f, const struct tt_refresh_frame *is, int64_t ps);
/* Count the periods of the frames of ${is}, a timer's segment. */
void tt_timer_count(struct tt_refresh_fit *f, const struct tt_refresh_segment *is);
/* Append ${s} as a timer's segment, or as one without a limit. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timer_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err);
/* Join consecutive segments that are on no grid into one timer's, if the frames that wait for the limit alone have one period. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timers_take(struct tt_refresh_fit *f, struct tt_err *err);
/* Join neighbouring segments that have the same timer's limit. */
void tt_timers_join(struct tt_refresh_fit *f);
/* Divide timers' segments in which consecutive frames have another limit. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timers_divide(struct tt_refresh_fit *f, struct tt_err *err);

#endif
