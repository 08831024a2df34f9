/**
 * Shared by the files of the fit of refreshes: its principle, the points that are fitted, and stretches of them.
 *
 * One thought is behind all of them. Something gives out times at which frames may end: a display at each of its refreshes, a timer a period after the last
 * frame. Frames only ever wait for these times, so what they last shows the period; and whatever they last beyond it has a reason or none. The limit that is
 * taken is the one that leaves the least unexplained: a frame that is late because something needed more time costs little, one that is late for nothing
 * known costs more, one that is faster than the limit lets it be costs most, and so does each change of the limit.
 *
 * A display differs from a timer by its phase. After a frame of any length a display goes on at its old times, so errors do not add up over many frames; a
 * timer begins anew with each frame, or makes up for what was too long, and whoever is late for it waits for nothing. Frames that merely are as long as
 * each other, by a GPU, wait for no time: hence the doubts (enum tt_refresh_reading) where markers do not say which of both they waited for.
 *
 * In order: refresh.c takes as points when waits ended, else when frames did; refresh_stretch.c finds stretches of one period, block by block;
 * refresh_grid.c asks of each whether its points keep the phase of a display, and counts them along its refreshes. If so, refresh_target.c chooses how many
 * refreshes the limit gives, refresh_count.c counts those that frames took, and refresh_chain.c does so for pictures in a swap chain. If not, it may be a
 * timer's: refresh_timer_period.c finds the period, refresh_timer.c which frames in a row it holds, and which are late.
 */
#ifndef TT_STAT_REFRESH_PARTS_H
#define TT_STAT_REFRESH_PARTS_H

#include "stat/refresh.h"

/* A point that is on no refresh. */
#define TT_TICK_OFF INT32_MIN

struct tt_refresh_fit {
	const struct tt_refresh_source *src;
	struct tt_refreshes *to;
	struct tt_mem *mem;
	struct tt_refresh_frame *frame;       /* all of them; NULL: they are too many to be kept, and asked for each time */
	bool anchored;                /* points are ends of waits; else ends of frames */
	bool presented;               /* points are when frames had been handed to the display; ${anchored}, too */
	bool misfit;                  /* some of these points are on no grid */
	int64_t step_ns;              /* sleeps of a timer end at multiples of this only; 0: anywhere */
	bool has_period;              /* the points of some stretch are about whole periods apart */
	size_t n;                     /* points */
	int64_t *x;                   /* their times, ns */
	uint32_t *of;                 /* their frames, rising */
	bool *follows;                /* true if a point's frame begins where that of the point before ends: no frame was lost between them */
	int32_t *tick;                /* their refreshes, counted within a stretch */
	uint16_t *choice;             /* by frame, while targets are chosen */
	int32_t *shown;               /* by frame, where ${presented}: refreshes from when the picture before is shown to when its own is; 0: not known */
};

/* Points [first, end) whose distances are multiples of one period; 0: they have none. Their frames are [frame, frame_end). */
struct tt_stretch { size_t first, end, frame, frame_end; int64_t ps; };

/* Points that are fitted at once; fewer are too few to tell clocks apart for sure. */
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

/* From ${from} to ${to}, in ns, at most 34 days either way: the last frame may be longer than all others together. Half as many ps more fit 64 bits. */
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

/* True if something needs more than nine tenths of ${refreshes}: the rest is the engine's and the driver's own. */
static inline bool
tt_refresh_needs_more(int64_t needed, int64_t ps, int64_t refreshes)
{
	return needed * 1000 > refreshes * (ps - ps / 10);
}

/* ${a} / ${b}, ${b} > 0, to the nearest whole number, halves up. */
static inline int64_t
tt_round_div(int64_t a, int64_t b)
{
	const int64_t q = a / b, r = a % b;

	return r < 0 ? q - (2 * -r > b) : q + (2 * r >= b);
}

/* True if of ${all} distances so many more are whole numbers of a shorter period, ${now}, than of one that ${fitting} are of: 7 of 10 of the others. */
static inline bool
tt_refresh_is_better(size_t now, size_t fitting, size_t all)
{
	return now > fitting && 10 * (now - fitting) >= 7 * (all - fitting);
}

/* How far ${ns} is from a whole number of ${ps}, in ps. */
static inline int64_t
tt_off_grid(int64_t ns, int64_t ps)
{
	return ns * 1000 - tt_round_div(ns * 1000, ps) * ps;
}

/* Whole periods and time in which nothing lasts longer: distances beyond this say nothing. */
enum { TT_REFRESH_MAX_GAP = 64 };
#define TT_REFRESH_MAX_GAP_NS INT64_C(10000000000)

/* The step of the clock that some systems' sleeps end at, 64 a second. */
#define TT_SLEEP_STEP_NS INT64_C(15625000)

/* A refresh of 48 Hz, a little slow, in ps: no display is slower. */
#define TT_REFRESH_SLOWEST_PS INT64_C(20920000000)

/* Fewer frames show no limit. */
enum { TT_REFRESH_FRAMES = 10 };

/* Pairs of points that a median is taken of, at most. */
enum { TT_REFRESH_SAMPLES = 1024 };

/* A part of a period that points are from whole ones by at most: one refresh more is no eighth of eight. */
enum { TT_NEAR_PARTS = 9 };

/* The whole number of periods that ${d} is about, at most ${most}; 0: it is about none. */
static inline int64_t
tt_periods_in(int64_t d, int64_t ps, int64_t most)
{
	const int64_t k = (d * 1000 + ps / 2) / ps, off = d * 1000 - k * ps;

	return k >= 1 && k <= most && off <= ps / TT_NEAR_PARTS && -off <= ps / TT_NEAR_PARTS ? k : 0;
}

/* The waits of the frames of ${s}: how many frames have one, and their sums. */
struct tt_waits { size_t n; int64_t all, only; };

/* True if a frame of ${dur} waited long enough to be held. */
static inline bool
tt_has_waited(int64_t waited, int64_t dur)
{
	return waited > 0 && waited >= dur / 50;
}

/* --- refresh_parts.c ------------------------------------------------------------------ */

/* Append ${is} to the segments. TT_E_NOMEM, TT_E_LIMIT. */
int tt_refresh_append(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err);

/* --- refresh_stretch.c ---------------------------------------------------------------- */

/* The stretches of points [first, end): ${each} is called for each in turn, with the frames [frame, frame_end) divided among them. */
struct tt_stretching {
	struct tt_refresh_fit *f;
	bool timer;
	struct tt_stretch all, now;
	int (*each)(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err);
};

int tt_refresh_stretches(struct tt_stretching *w, struct tt_err *err);
/* Make ${ps} fit the pairs of neighbours in ${s} best; returns how many fit within an eighth of it, or if ${in_time} a twentieth, *${all}: their number. */
size_t tt_refresh_refine(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, size_t *all, bool in_time);
/* True if one is a multiple of the other, or with a ${timer} as long. */
bool tt_refresh_agree(int64_t a, int64_t b, bool timer);

/* --- refresh_grid.c ------------------------------------------------------------------- */

/* True if the points of ${s} lie on a grid, whose period s->ps is or is made. */
bool tt_refresh_is_grid(struct tt_refresh_fit *f, struct tt_stretch *s);
/* True if ${s}, which is on a grid, surely is, and not by chance. */
bool tt_refresh_is_sure(const struct tt_refresh_fit *f, const struct tt_stretch *s);
/* The median of how far points ${apart} are from whole periods, in ps; -1: there are none. */
int64_t tt_refresh_spread(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t apart);
/* When the first point on the grid of [from, end) is. */
int64_t tt_refresh_first_tick(const struct tt_refresh_fit *f, size_t from, size_t end);

/* --- refresh_chain.c, refresh_target.c, refresh_count.c: of stretches that are on a grid ---- */

/* Find the refreshes of each frame of ${s} into f->shown, from when its picture is shown to when the one before was; 0: that is not known. */
void tt_refresh_find_shown(struct tt_refresh_fit *f, const struct tt_stretch *s);

/* The refreshes between the points of frames and of those before, in order of frames. */
struct tt_refresh_steps { const struct tt_refresh_fit *f; size_t q, end, skip; };

/* Refreshes of frame ${i}; 0: not known. */
int64_t tt_refresh_next_step(struct tt_refresh_steps *s, size_t i);
/* Choose the target of each frame of ${s} into f->choice. */
void tt_refresh_choose(struct tt_refresh_fit *f, const struct tt_stretch *s);
/* Append the segments of ${s}, and count the refreshes of its frames. TT_E_NOMEM, TT_E_LIMIT. */
int tt_refresh_segments(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err);

/* --- refresh_timer_period.c ----------------------------------------------------------- */

struct tt_waits tt_waits_of(const struct tt_refresh_fit *f, const struct tt_stretch *s);
/* The mean of the frames of ${s} that waited, with ${alone} for the limit alone, and are about as long as ${ps}; 0: there are none. */
int64_t tt_timer_regular(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t ps, bool alone);
/* The period of frames that wait for a limit alone and are not regular, in ps. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timer_shortest(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, struct tt_err *err);
/* Take ${s}, whose waits are ${w}, for the frames of a timer whose sleeps end at steps, if they are. */
bool tt_timer_steps(struct tt_refresh_fit *f, struct tt_stretch *s, const struct tt_waits *w);
/*
 * The period, in ps, of the frames of ${s} that wait for the limit alone, if nine tenths are as long as each other; or, *${is_unsteady}, half of the frames
 * wait so, and nothing shows that some have another limit. 0: neither. ${v} has room for all.
 */
int64_t tt_timer_alone(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *v, bool *is_unsteady);

/* --- refresh_timer.c ------------------------------------------------------------------ */

/* True if frame ${is} is late for a timer of ${ps}. */
bool tt_timer_is_late(const struct tt_refresh_fit *f, const struct tt_refresh_frame *is, int64_t ps);
/* Count the frames of ${is}, a timer's. */
void tt_timer_count(struct tt_refresh_fit *f, const struct tt_refresh_segment *is);
/* Append ${s} as a timer's segment, or as one without a limit. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timer_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err);
/* Segments in a row that are on no grid become one timer's, where the frames that wait for its limit alone say so. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timers_take(struct tt_refresh_fit *f, struct tt_err *err);
/* Join neighbours that are one timer's limit. */
void tt_timers_join(struct tt_refresh_fit *f);
/* Divide timers' segments where frames in a row have another limit. TT_E_NOMEM, TT_E_LIMIT. */
int tt_timers_divide(struct tt_refresh_fit *f, struct tt_err *err);

#endif
