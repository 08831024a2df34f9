/**
 * Fits the times of frames to the refreshes of a display: chooses the points to fit, and decides whether a display, a timer or nothing limits each stretch of
 * them. The principle, and which file has which step: refresh_parts.h.
 */
#include "stat/refresh.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stat/refresh_parts.h"

enum { MIN_ALONE = 20 };              /* minimum number of frames to accept a limit, unless they wait for the limit alone */
enum { MAX_KEPT = 1 << 18 };           /* maximum number of frames whose facts are kept during the fit: 15 MB */
#define DAY_NS UINT64_C(86400000000000)

/*
 * True if the grid of ${is} comes from a timer with fixed deadlines. At least 49/50 of the waiting is for the limit alone; and more late frames do not wait at
 * all than wait for a later refresh, which a display makes all late frames do. Equally many suffice if ${is_part}, because a part of the frames may be regular
 * by chance.
 */
static bool
has_deadlines(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is, bool is_part)
{
	const int64_t ps = is->period_ps * is->target;
	size_t nfree = 0, nlater = 0;
	int64_t waited = 0, only = 0;

	for (size_t i = is->first; i < is->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);
		const bool has = tt_has_waited(frame.waited, tt_refresh_dur(&frame));

		waited += frame.waited;
		only += frame.waited_only;
		nfree += !has && tt_timer_is_late(f, &frame, ps);
		nlater += has && (f->to->taken[i] & TT_REFRESH_LATE);
	}
	return (is_part ? nfree >= nlater : nfree > nlater) && only >= waited - waited / 50 && waited > 0;
}

/* Append the segments of ${s}, which is on a grid, that of a display or of a timer. */
static int
display_stretch(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err)
{
	const size_t first = f->to->nsegment;
	const int rc = tt_refresh_segments(f, s, err);
	/* A grid with limits of both one and two refreshes is a display's. */
	const bool is_part = s->end - s->first < f->n && f->to->nsegment == first + 1;

	for (size_t i = first; i < f->to->nsegment && rc == TT_OK; i++) {
		struct tt_refresh_segment *is = &f->to->segment[i];

		if (!has_deadlines(f, is, is_part))
			continue;
		*is = (struct tt_refresh_segment){ .first = is->first, .end = is->end, .kind = TT_REFRESH_TIMER, .period_ps = is->period_ps * is->target,
			.target = 1, .untold = is->end - is->first < TT_REFRESH_BLOCK };
		tt_timer_count(f, is);
	}
	return rc;
}

/*
 * Append the limit of a part of a stretch that as a whole is on no grid. It is a display's limit if this part is certainly on a grid, else a timer's. Another
 * part may have a timer whose period divides the display's.
 */
static int
part_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	struct tt_stretch grid = *s;

	if (s->ps && s->end - s->first < f->n && tt_refresh_is_grid(f, &grid) && tt_refresh_is_sure(f, &grid))
		return display_stretch(f, &grid, err);
	return tt_timer_stretch(f, s, err);
}

/* Append a stretch. If it is on no grid, it may have several timers' limits, whose periods are fitted separately even if they are multiples of each other. */
static int
grid_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	struct tt_stretching timers = { .f = f, .timer = true, .all = *s, .each = part_stretch };
	const struct tt_waits w = tt_waits_of(f, s);

	f->has_period = f->has_period || s->ps;
	if (tt_timer_steps(f, s, &w))
		return tt_timer_stretch(f, s, err);
	if (s->ps && tt_refresh_is_grid(f, s))
		return display_stretch(f, s, err);
	timers.all.ps = 0;
	return tt_refresh_stretches(&timers, err);
}

/*
 * Append a stretch of times at which frames were handed to the display. Sleeps that end at steps of a clock make these times as regular as the steps, which are
 * no refreshes.
 */
static int
presented_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	const struct tt_waits w = tt_waits_of(f, s);
	struct tt_stretch stepped = *s;

	f->misfit = f->misfit || !s->ps || tt_timer_steps(f, &stepped, &w) || !tt_refresh_is_grid(f, s);
	return f->misfit ? TT_OK : tt_refresh_segments(f, s, err);
}

/* Add the point ${x} of frame ${i} if it is after all others and within a day, because no grid is followed for longer. */
static inline void
add_point(struct tt_refresh_fit *f, size_t i, int64_t x, bool follows)
{
	if (x == INT64_MIN || (f->n && (x <= f->x[f->n - 1] || (uint64_t)x - (uint64_t)f->x[f->n - 1] >= DAY_NS)))
		return;
	f->x[f->n] = x;
	f->follows[f->n] = follows && f->n && (f->presented || f->of[f->n - 1] + 1 == i);
	f->of[f->n++] = (uint32_t)i;
}

/*
 * The minimum time of a hand-over to the display to count as a wait: a quarter of the mean, and at least TT_RELEASE_MIN_NS. Shorter hand-overs did not have to
 * wait for room.
 */
static int64_t
min_presenting_ns(const struct tt_refresh_fit *f)
{
	int64_t sum = 0, n = 0;

	for (size_t i = 0; i < f->src->n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const bool counts = is.presented != INT64_MIN && is.presenting < TT_REFRESH_MAX_GAP_NS;

		n += counts;
		sum += counts ? is.presenting : 0;
	}
	return n && sum / n / 4 > TT_RELEASE_MIN_NS ? sum / n / 4 : TT_RELEASE_MIN_NS;
}

/* Fit the limits from the times at which frames were handed to the display, if these are refreshes; otherwise leave ${f} without segments. */
static int
fit_presented(struct tt_refresh_fit *f, struct tt_err *err)
{
	const size_t n = f->src->n;
	struct tt_stretching all = { .f = f, .each = presented_stretch };
	int64_t end = INT64_MIN;
	bool follows = true;
	int rc;

	if (!(f->shown = tt_mem_alloc(f->mem, n * sizeof *f->shown, err)))
		return err->code;
	const int64_t min_ns = min_presenting_ns(f);
	f->anchored = f->presented = true;
	for (size_t i = 0; i < n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		/* Pictures that were waited for are whole periods apart, even with other pictures in between. */
		follows = follows && is.start == end;
		if (is.presented != INT64_MIN && is.presenting >= min_ns) {
			add_point(f, i, is.presented, follows);
			follows = true;
		}
		end = is.end;
	}
	all.all = (struct tt_stretch){ .end = f->n, .frame_end = n };
	rc = tt_refresh_stretches(&all, err);
	if (f->misfit)
		f->to->nsegment = 0;
	f->to->presented = f->to->nsegment > 0;
	tt_mem_free(f->mem, f->shown, n * sizeof *f->shown);
	f->n = 0;
	f->presented = false;
	return rc;
}

/* Choose the points: ends of waits for the limit, if at least a quarter of the frames has some; else ends of frames. */
static void
take_points(struct tt_refresh_fit *f)
{
	const size_t n = f->src->n;
	size_t nreleased = 0;
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		nreleased += is.released != INT64_MIN;
		add_point(f, i, is.released, is.start == end);
		end = is.end;
	}
	f->anchored = 4 * nreleased >= n;
	if (f->anchored)
		return;
	f->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		add_point(f, i, is.end, is.start == end);
		end = is.end;
	}
}

/*
 * True if the frames, for which no limit was found, are too few to exclude one. They are enough if some, but less than a quarter, wait for a limit, because the
 * others are then unlimited; or if there are at least ten without a common period.
 */
static bool
is_untold(const struct tt_refresh_fit *f)
{
	const struct tt_stretch all = { .frame_end = f->src->n };
	const size_t n = f->src->n, nwaiting = n < TT_REFRESH_BLOCK ? tt_waits_of(f, &all).n : 0;

	return n < TT_REFRESH_BLOCK && (n < TT_REFRESH_FRAMES || f->has_period) && (nwaiting == 0 || 4 * nwaiting >= n);
}

/* True if more than half of the waits ${w} are for the limit alone. */
static inline bool
is_for_limit(const struct tt_waits *w)
{
	return w->only > w->all - w->only;
}

/* Discard limits of so few frames that errors cannot distinguish them from GPU times, unless most of the waiting is for the limit alone. */
static void
forget_limit(struct tt_refresh_fit *f)
{
	const struct tt_stretch all = { .frame_end = f->src->n };
	struct tt_refreshes *to = f->to;
	bool limited = false;

	for (size_t i = 0; f->src->n < MIN_ALONE && i < to->nsegment; i++)
		limited = limited || to->segment[i].kind != TT_REFRESH_NONE;
	if (!limited)
		return;

	const struct tt_waits w = tt_waits_of(f, &all);
	if (is_for_limit(&w))
		return;
	f->has_period = true;
	to->nsegment = 1;
	to->segment[0] = (struct tt_refresh_segment){ .end = to->n };
	to->presented = false;
	memset(to->taken, 0, to->n * sizeof *to->taken);
}

/*
 * The reading that the frames of ${is}, a timer's segment, allow. A limit is certain if most frames wait for it alone in the end; but a long period of few
 * frames may also be several refreshes of a display.
 */
static enum tt_refresh_reading
reading_of_timer(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	enum { MAX_SAMPLES = 1024 };
	const size_t step = (is->end - is->first) / MAX_SAMPLES + 1;
	const bool may_be_several = is->untold && is->period_ps > TT_REFRESH_SLOWEST_PS;
	unsigned times = 0;
	int64_t waited = 0, only = 0;
	size_t n = 0, all = 0, alone = 0, busy = 0;

	if (may_be_several)
		tt_refresh_faster(is->period_ps, &times);
	for (size_t i = is->first; i < is->end; i += step) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);

		all++;
		busy += times && tt_refresh_needs_more(tt_refresh_needed_at(f, i), is->period_ps / times, times - 1);
		if (f->to->taken[i] & TT_REFRESH_LATE)
			continue;
		n++;
		waited += frame.waited;
		only += frame.waited_only;
		alone += tt_has_waited(frame.waited_only, tt_refresh_dur(&frame));
	}
	if (2 * busy > all)
		return TT_READING_OR_WORK;
	return f->src->gpu_known || (2 * alone > n && (!times || only >= waited - waited / 10)) ? TT_READING_LIMIT : TT_READING_OR_NONE;
}

/* Count the frames of timers, and judge the limits found by all of their frames. */
static void
judge_limits(struct tt_refresh_fit *f)
{
	struct tt_refreshes *to = f->to;

	forget_limit(f);
	for (size_t i = 0; i < to->nsegment; i++)
		if (to->segment[i].kind == TT_REFRESH_TIMER) {
			tt_timer_count(f, &to->segment[i]);
			to->segment[i].reading = reading_of_timer(f, &to->segment[i]);
		}
	if (to->nsegment == 1 && to->segment[0].kind == TT_REFRESH_NONE)
		to->segment[0].untold = is_untold(f);
}

/* Keep the facts of the frames in memory, because each is used a dozen times, unless there are too many. */
static int
keep_frames(struct tt_refresh_fit *f, struct tt_err *err)
{
	const size_t n = f->src->n;

	if (n > MAX_KEPT)
		return TT_OK;
	if (!(f->frame = tt_mem_alloc(f->mem, n * sizeof *f->frame, err)))
		return err->code;
	for (size_t i = 0; i < n; i++)
		f->src->frame(f->src->arg, i, &f->frame[i]);
	return TT_OK;
}

int
tt_refresh_fit(struct tt_refreshes *to, const struct tt_refresh_source *src, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_refresh_fit f = { .src = src, .to = to, .mem = mem };
	const size_t n = src->n;
	struct tt_stretching all = { .f = &f, .each = grid_stretch };
	int rc = TT_OK;

	*to = (struct tt_refreshes){ .n = n };
	if (!(to->taken = tt_mem_alloc(mem, n * sizeof *to->taken, err)))
		return err->code;
	if (n < TT_REFRESH_FRAMES || n >= UINT32_MAX)
		return tt_refresh_append(&f, &(struct tt_refresh_segment){ .end = n, .untold = is_untold(&f) }, err);
	f.x = tt_mem_alloc(mem, n * sizeof *f.x, err);
	f.of = f.x ? tt_mem_alloc(mem, n * sizeof *f.of, err) : NULL;
	f.follows = f.of ? tt_mem_alloc(mem, n * sizeof *f.follows, err) : NULL;
	f.tick = f.follows ? tt_mem_alloc(mem, n * sizeof *f.tick, err) : NULL;
	f.choice = f.tick ? tt_mem_alloc(mem, n * sizeof *f.choice, err) : NULL;
	rc = f.choice ? keep_frames(&f, err) : err->code;
	if (rc == TT_OK && src->has_presented)
		rc = fit_presented(&f, err);
	if (rc == TT_OK && to->nsegment == 0) {
		take_points(&f);
		all.all = (struct tt_stretch){ .end = f.n, .frame_end = n };
		rc = tt_refresh_stretches(&all, err);
	}
	TT_THEN(rc, tt_timers_take(&f, err));
	tt_timers_join(&f);
	TT_THEN(rc, tt_timers_divide(&f, err));
	if (rc == TT_OK)
		judge_limits(&f);
	tt_mem_free(mem, f.frame, n * sizeof *f.frame);
	tt_mem_free(mem, f.x, n * sizeof *f.x);
	tt_mem_free(mem, f.of, n * sizeof *f.of);
	tt_mem_free(mem, f.follows, n * sizeof *f.follows);
	tt_mem_free(mem, f.tick, n * sizeof *f.tick);
	tt_mem_free(mem, f.choice, n * sizeof *f.choice);
	return rc;
}

void
tt_refresh_free(struct tt_refreshes *r, struct tt_mem *mem)
{
	tt_mem_free(mem, r->taken, r->n * sizeof *r->taken);
	tt_mem_free(mem, r->segment, r->capsegment * sizeof *r->segment);
	*r = (struct tt_refreshes){ 0 };
}
