/**
 * Counts the refreshes that frames take on a display's grid, from the refreshes that precede their ends, and makes segments of them.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "stat/num.h"
#include "stat/refresh_parts.h"

/* A cursor that counts the frames of a stretch: the point at or before an edge, and the usual delay between a point and the end of its frame. */
struct edges {
	const struct tt_refresh_fit *f;
	const struct tt_stretch *s;
	size_t q;                     /* the first point after the last edge */
	size_t on;                    /* the last point on the grid before q; SIZE_MAX: none */
	int64_t behind;               /* usual delay of a frame's end after its point, ps */
};

/* The first of the ${most} points from ${q} on that is on the grid; SIZE_MAX: none. */
static size_t
next_on(const struct edges *e, size_t q, size_t most)
{
	for (const size_t end = e->s->end - q < most ? e->s->end : q + most; q < end; q++)
		if (e->f->tick[q] != TT_TICK_OFF)
			return q;
	return SIZE_MAX;
}

/* The refresh that the edge at ${ts} follows, extrapolated from the point ${q}. */
static int64_t
tick_by(const struct edges *e, size_t q, int64_t ts)
{
	return e->f->tick[q] + tt_round_div(tt_refresh_between(e->f->x[q], ts) * 1000 - e->behind, e->s->ps);
}

/*
 * The latest refresh at which frame ${i}, which did not wait, can have been shown, so that later frames up to the point ${after} are shown in turn. A frame
 * that ends between two refreshes may have been made before its turn.
 */
static int64_t
latest_tick(const struct edges *e, size_t i, size_t after)
{
	const struct tt_refresh_fit *f = e->f;
	int64_t tick = f->tick[after];

	for (size_t k = f->of[after]; k > i && k < e->s->frame_end; k--)
		tick -= f->choice[k];
	return tick;
}

/*
 * The refresh that the end of frame ${i}, at ${ts}, follows. If the frame waits first and works then, the refreshes up to the next frame's point are divided:
 * it gets those up to its own point, and the next frame those that it waits beyond its target; but if it worked longer than its target, it gets them all. If
 * the next frame has no point (the capture ends, a gap follows, the next frame did not wait), it was shown at the first refresh after its work.
 */
static int64_t
tick_of_end(struct edges *e, size_t i, int64_t ts)
{
	const struct tt_refresh_fit *f = e->f;
	size_t after;
	int64_t tick, worked, shown;

	for (; e->q < e->s->end && f->x[e->q] <= ts; e->q++)
		if (f->tick[e->q] != TT_TICK_OFF)
			e->on = e->q;
	after = next_on(e, e->q, TT_REFRESH_MAX_GAP);
	if (e->on == SIZE_MAX)
		return after == SIZE_MAX ? 0 : tick_by(e, after, ts);
	tick = f->tick[e->on];
	if (f->of[e->on] != i || !f->anchored) {
		const int64_t by = tick_by(e, e->on, ts), most = after != SIZE_MAX ? latest_tick(e, i, after) : by;

		return most < by && most > tick ? most : by > tick ? by : tick;
	}
	worked = tt_refresh_between(f->x[e->on], ts) * 1000;
	if (worked <= f->choice[i] * e->s->ps)
		return tick;
	if (after == e->on + 1 && f->follows[after])
		shown = f->tick[after] - f->choice[i + 1 < e->s->frame_end ? i + 1 : i];
	else
		shown = tick + (worked + e->s->ps - 1) / e->s->ps - f->choice[i];
	return shown > tick ? shown : tick;
}

/* The refresh that the begin of a frame at ${ts} follows, if no frame directly precedes it. */
static int64_t
tick_of_begin(const struct edges *e, int64_t ts)
{
	const size_t after = next_on(e, e->q, TT_REFRESH_MAX_GAP), by = after != SIZE_MAX ? after : e->on;

	return by == SIZE_MAX ? 0 : tick_by(e, by, ts);
}

/* The median delay of a frame's end after its point, ps. */
static int64_t
usual_behind(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t step = (s->end - s->first) / TT_REFRESH_SAMPLES + 1;
	int64_t v[TT_REFRESH_SAMPLES];
	size_t n = 0;

	for (size_t q = s->first; f->anchored && q < s->end && n < TT_REFRESH_SAMPLES; q += step)
		if (f->tick[q] != TT_TICK_OFF)
			v[n++] = tt_refresh_between(f->x[q], tt_refresh_frame_at(f, f->of[q]).end) * 1000;
	return n ? tt_quantile_of_i64(v, n, 1, 2) % s->ps : 0;
}

/* Count the refreshes of frames from one hand-over to the display to the next; if that is not known, use the frame's duration. */
static void
count_presented(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct tt_refresh_steps steps = { f, s->first, s->end, s->first };

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t step = tt_refresh_next_step(&steps, i), dur = tt_refresh_dur(&is), whole = (dur * 1000 + s->ps / 3) / s->ps;
		const int64_t k = step ? step : whole > f->choice[i] ? whole : f->choice[i];

		f->to->taken[i] = (uint16_t)(k > (int64_t)TT_REFRESH_MAX ? TT_REFRESH_MAX : (unsigned)k) | (k > f->choice[i] ? TT_REFRESH_LATE : 0);
	}
}

static void
count_refreshes(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct edges e = { f, s, s->first, SIZE_MAX, usual_behind(f, s) };
	int64_t last = 0, end = INT64_MIN;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		int64_t tick, k;

		if (is.start != end)
			last = tick_of_begin(&e, is.start);
		tick = tick_of_end(&e, i, is.end);
		k = tick > last ? tick - last : 1;
		k = k > (int64_t)TT_REFRESH_MAX ? (int64_t)TT_REFRESH_MAX : k;
		f->to->taken[i] = (uint16_t)(k | (k > f->choice[i] ? TT_REFRESH_LATE : 0));
		last = tick > last ? tick : last;
		end = is.end;
	}
}

/*
 * The reading that the frames of ${is} allow. One refresh may be two of a faster display if the GPU or something else is too slow; but not if late frames for
 * which that is known take whole refreshes only, if the GPU's time is known, or if frames wait for the limit alone. Without such evidence there may be no
 * display, unless the grid ${is_sure}.
 */
static enum tt_refresh_reading
reading_of(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is, bool is_sure)
{
	enum { MIN_LATE = 8 };
	unsigned times = is->target;
	int64_t waited = 0, only = 0, ps = is->period_ps;
	const size_t step = (is->end - is->first) / TT_REFRESH_SAMPLES + 1;
	size_t busy = 0, late = 0, n = 0;

	if (is->target < 2) {
		const int faster = tt_refresh_faster(ps, &times);

		if (f->src->gpu_known || (!faster && is_sure))
			return TT_READING_LIMIT;
		ps /= faster ? times : 1;
	}
	for (size_t i = is->first; i < is->end; i++)
		late += (f->to->taken[i] & TT_REFRESH_LATE) != 0;
	for (size_t i = is->first; i < is->end; i += step) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);

		n++;
		waited += frame.waited;
		only += frame.waited_only;
		busy += tt_refresh_needs_more(tt_refresh_needed_at(f, i), ps, times - 1);
	}
	/* For a target of one refresh it suffices that most of the waiting is for the limit alone; several refreshes may nevertheless be the GPU's. */
	const bool is_alone = waited > 0 && only >= (is->target < 2 ? waited - only : waited - waited / 10);

	if (is->target < 2 && (is_alone || late >= MIN_LATE))
		return TT_READING_LIMIT;
	if (2 * busy > n && times > 1)
		return TT_READING_OR_WORK;
	if (!is_sure && !f->src->gpu_known && !is_alone)
		return TT_READING_OR_NONE;
	return f->src->gpu_known || is_alone ? TT_READING_LIMIT : TT_READING_OR_GPU;
}

int
tt_refresh_segments(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err)
{
	const bool sure = tt_refresh_is_sure(f, s);
	size_t q = s->first;
	int rc = TT_OK;

	if (f->presented)
		tt_refresh_find_shown(f, s);
	tt_refresh_choose(f, s);
	(f->presented ? count_presented : count_refreshes)(f, s);
	for (size_t i = s->frame, end; i < s->frame_end && rc == TT_OK; i = end) {
		struct tt_refresh_segment is = { .first = i, .kind = TT_REFRESH_GRID, .target = f->choice[i] };
		size_t from = q;

		for (end = i; end < s->frame_end && f->choice[end] == is.target; end++)
			;
		while (q < s->end && f->of[q] < end)
			q++;
		is.end = end;
		is.period_ps = s->ps;
		is.tick_ns = tt_refresh_first_tick(f, from, q);
		is.reading = reading_of(f, &is, sure);
		rc = tt_refresh_append(f, &is, err);
	}
	return rc;
}
