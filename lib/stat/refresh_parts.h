/**
 * Shared by the files of the fit of refreshes: the points that are fitted, and stretches of them. refresh.c finds stretches of one period, refresh_grid.c
 * counts a stretch along its grid and finds the limits in it.
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

/* refresh_grid.c: true if the points of ${s} lie on a grid, whose period s->ps is or is made. */
bool tt_refresh_is_grid(struct tt_refresh_fit *f, struct tt_stretch *s);
/* True if ${s}, which is on a grid, surely is, and not by chance. */
bool tt_refresh_is_sure(const struct tt_refresh_fit *f, const struct tt_stretch *s);
/* Append the segments of ${s}, which is on a grid, and count the refreshes of its frames. TT_E_NOMEM, TT_E_LIMIT. */
int tt_refresh_segments(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err);
/* Append ${is} to the segments. TT_E_NOMEM, TT_E_LIMIT. */
int tt_refresh_append(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err);
/* Make ${ps} fit the pairs of neighbours in ${s} best; returns how many fit within an eighth of it, *${all}: their number. */
size_t tt_refresh_refine(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, size_t *all);

#endif
