/**
 * The refreshes of the frames of a capture: each process's frames fitted, with what is known of their waits and of what they needed. Definitions:
 * tracetool-metrics(7), Frames: shown, late, needed.
 */
#include "model/frames.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/order.h"
#include "stat/num.h"

/* The frames of one process, for the fit. */
struct frames_of {
	const struct tt_frames *f;
	size_t first, end;
	size_t behind;                /* how many frames after a frame it is handed to the display; SIZE_MAX: not known */
	bool alone;                   /* true: only waits in markers that wait for nothing else are for the limit; the others are for work of the frame */
};

/* The time that frame ${at} waited for the limit alone. */
static inline int64_t
waited_alone(const struct tt_frames *f, size_t at)
{
	return tt_column_at(&f->limit_ns, at) - tt_column_at(&f->present_ns, at);
}

static void
take_frame(const void *arg, size_t i, struct tt_refresh_frame *to)
{
	const struct frames_of *of = arg;
	const struct tt_frames *f = of->f;
	const size_t at = of->first + i;
	const int64_t alone = waited_alone(f, at), released = of->alone && alone < TT_RELEASE_MIN_NS ? 0 : tt_column_at(&f->released, at);

	to->start = tt_frames_start(f, at);
	to->end = tt_frames_end(f, at);
	to->released = released > 0 ? to->start + released - 1 : INT64_MIN;
	to->presented = of->behind != SIZE_MAX && at + of->behind < of->end ? tt_frames_presented(f, at + of->behind) : INT64_MIN;
	to->presenting = to->presented != INT64_MIN ? tt_column_at(&f->handover_ns, at + of->behind) : 0;
	to->waited = of->alone ? alone : tt_column_at(&f->limit_ns, at);
	to->waited_only = alone;
}

static int64_t
find_needed(const void *arg, size_t i)
{
	const struct frames_of *of = arg;
	const struct tt_frames *f = of->f;
	const size_t at = of->first + i;
	const int64_t main = of->alone ? tt_frames_uncapped_at(f, at, 0) : tt_frames_needed(f, at), render = tt_frames_render(f, at),
	    gpu = f->has_timing ? tt_frames_timing(f, TT_TIMING_GPU, at) : 0, threads = render > main ? render : main;

	return gpu > threads ? gpu : threads;
}

/*
 * How many frames after a frame it is handed to the display: the smallest number with which nearly every frame of [first, end) is handed over after its main
 * thread has done its work, and within three frames; SIZE_MAX: none.
 */
static size_t
find_behind(const struct tt_frames *f, size_t first, size_t end)
{
	for (size_t behind = 0; behind < 3; behind++) {
		size_t fitting = 0;

		for (size_t i = first; i + behind < end; i++) {
			const int64_t at = tt_frames_presented(f, i + behind), start = tt_frames_start(f, i);

			fitting += at != INT64_MIN && at >= start + tt_frames_needed(f, i) && (i + 3 >= end || at <= tt_frames_end(f, i + 3));
		}
		if (fitting >= end - first - (end - first) / 10)
			return behind;
	}
	return SIZE_MAX;
}

/* True if the GPU's time is known of most frames of [first, end). */
static bool
knows_gpu(const struct tt_frames *f, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = first; f->has_timing && i < end; i++)
		n += tt_frames_timing(f, TT_TIMING_GPU, i) > 0;
	return 2 * n > end - first;
}

/* True if ${next} continues the last segment so far: the same limit, after a day or more without frames. For a limit of one refresh, readings may differ. */
static bool
goes_on(const struct tt_frames *f, const struct tt_refresh_segment *next)
{
	const struct tt_refresh_segment *last = &f->segment[f->nsegment - 1];
	const int64_t off = last->period_ps - next->period_ps;

	return last->kind == next->kind && last->target == next->target && (last->reading == next->reading || last->target == 1) &&
	    last->alone == next->alone && (off < 0 ? -off : off) <= last->period_ps / 500;
}

/* Append the refreshes ${r} of the frames from ${first} on. ${same}: the frames before them are of the same process. */
static int
keep_refreshes(struct tt_frames *f, size_t first, const struct tt_refreshes *r, bool same, struct tt_err *err)
{
	const size_t skipped = same && goes_on(f, &r->segment[0]);
	const size_t n = f->nsegment + r->nsegment - skipped;
	struct tt_refresh_segment *all = tt_mem_alloc(f->mem, n * sizeof *all, err);
	int rc = TT_OK;

	if (!all)
		return err->code;
	if (f->nsegment)
		memcpy(all, f->segment, f->nsegment * sizeof *all);
	if (skipped) {
		all[f->nsegment - 1].end = first + r->segment[0].end;
		if (all[f->nsegment - 1].reading > r->segment[0].reading)
			all[f->nsegment - 1].reading = r->segment[0].reading;
	}
	for (size_t i = skipped; i < r->nsegment; i++) {
		struct tt_refresh_segment *to = &all[f->nsegment + i - skipped];

		*to = r->segment[i];
		to->first += first;
		to->end += first;
	}
	tt_mem_free(f->mem, f->segment, f->nsegment * sizeof *f->segment);
	f->segment = all;
	f->nsegment = n;
	for (size_t i = 0; i < r->n && rc == TT_OK; i++) {
		f->nlate += (r->taken[i] & TT_REFRESH_LATE) != 0;
		if (r->taken[i])
			rc = tt_column_set(&f->refreshes, f->mem, first + i, r->taken[i], err);
	}
	return rc;
}

/* The limit, in ns, of the segment with the most frames, if at least half of all frames are capped; else 0. */
static int64_t
commonest_limit(const struct tt_frames *f)
{
	size_t limited = 0, most = 0;
	int64_t period = 0;

	for (size_t i = 0; i < f->nsegment; i++) {
		const struct tt_refresh_segment *s = &f->segment[i];
		const size_t n = s->end - s->first;

		if (s->kind == TT_REFRESH_NONE)
			continue;
		limited += n;
		if (n > most) {
			most = n;
			period = tt_ratio((uint64_t)s->period_ps, s->target, 1000);
		}
	}
	return 2 * limited >= f->n ? period : 0;
}

/*
 * True if a timer holds the frames [first, end), which wait in markers for it alone: most of them for at least a fiftieth of their time; or a quarter of them,
 * if nine tenths of the others are not shorter, because a timer lets no frame be. If frames are fewer than MIN_ALONE, most waiting must be for it, too,
 * because a GPU may be as regular.
 */
static bool
waits_alone(const struct tt_frames *f, size_t first, size_t end)
{
	enum { OF_FRAME = 50, NEAR_PARTS = 16, MIN_ALONE = 20 };
	const size_t n = end - first;
	size_t nalone = 0, nshort = 0;
	tt_i128 sum = 0, most = 0;

	for (size_t i = first; i < end; i++) {
		const int64_t alone = waited_alone(f, i);

		most += alone - tt_column_at(&f->present_ns, i);
		if (alone > 0 && alone >= tt_frames_dur(f, i) / OF_FRAME) {
			nalone++;
			sum += tt_frames_dur(f, i);
		}
	}
	if (n < MIN_ALONE && most <= 0)
		return false;
	if (2 * nalone > n || 4 * nalone < n)
		return 2 * nalone > n;

	const int64_t mean = (int64_t)(sum / (tt_i128)nalone);

	for (size_t i = first; i < end; i++)
		nshort += waited_alone(f, i) < tt_frames_dur(f, i) / OF_FRAME && tt_frames_dur(f, i) < mean - mean / NEAR_PARTS;
	return 10 * nshort <= n - nalone;
}

/* True if frames of [first, end) wait in markers that wait for a late GPU or render thread, too. */
static bool
waits_otherwise(const struct tt_frames *f, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (tt_column_at(&f->present_ns, i) > 0)
			return true;
	return false;
}

static bool
has_display(const struct tt_refreshes *r)
{
	for (size_t i = 0; i < r->nsegment; i++)
		if (r->segment[i].kind == TT_REFRESH_GRID)
			return true;
	return false;
}

/*
 * Fit ${src}, the frames ${of}. If the fit shows no display and frames wait for a timer alone, fit again with these waits only, and keep that fit if it shows
 * no display either.
 */
static int
fit_frames(struct tt_refreshes *to, struct frames_of *of, const struct tt_refresh_source *src, struct tt_err *err)
{
	const struct tt_frames *f = of->f;
	struct tt_refreshes again = { 0 };
	int rc = tt_refresh_fit(to, src, f->mem, err);

	if (rc != TT_OK || has_display(to) || !waits_otherwise(f, of->first, of->end) || !waits_alone(f, of->first, of->end))
		return rc;
	of->alone = true;
	rc = tt_refresh_fit(&again, src, f->mem, err);
	for (size_t i = 0; i < again.nsegment; i++)
		again.segment[i].alone = again.segment[i].kind == TT_REFRESH_TIMER;
	if (rc == TT_OK && !has_display(&again)) {
		const struct tt_refreshes first = *to;

		*to = again;
		again = first;
	}
	tt_refresh_free(&again, f->mem);
	return rc;
}

/* Fit the frames [first, end) of one process. ${same}: earlier frames of the process were fitted before. */
static int
fit_part(struct tt_frames *f, size_t first, size_t end, bool same, struct tt_err *err)
{
	struct frames_of of = { f, first, end, find_behind(f, first, end), false };
	const struct tt_refresh_source src = { .n = end - first, .frame = take_frame, .needed = find_needed, .arg = &of,
		.has_presented = of.behind != SIZE_MAX, .gpu_known = knows_gpu(f, first, end) };
	struct tt_refreshes r;
	int rc = fit_frames(&r, &of, &src, err);

	TT_THEN(rc, keep_refreshes(f, first, &r, same, err));
	f->counts_presented = f->counts_presented || r.presented;
	tt_refresh_free(&r, f->mem);
	return rc;
}

/* The first frame after ${first} that begins 30 days after it, or a day after the frame before: no grid of refreshes is followed for longer. */
static size_t
part_end(const struct tt_frames *f, size_t first, size_t end)
{
	const uint64_t day = UINT64_C(86400000000000), from = (uint64_t)tt_frames_start(f, first);

	if ((uint64_t)tt_frames_start(f, end - 1) - from < day)
		return end;
	for (size_t i = first + 1; i < end; i++) {
		const uint64_t start = (uint64_t)tt_frames_start(f, i);

		if (start - (uint64_t)tt_frames_start(f, i - 1) >= day || start - from >= 30 * day)
			return i;
	}
	return end;
}

int
tt_frames_find_refreshes(struct tt_frames *f, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < f->nrange && rc == TT_OK; i++)
		for (size_t first = f->range[i].first, end; first < f->range[i].end && rc == TT_OK; first = end) {
			end = part_end(f, first, f->range[i].end);
			rc = fit_part(f, first, end, first > f->range[i].first, err);
		}
	f->period = rc == TT_OK ? commonest_limit(f) : 0;
	return rc;
}

const struct tt_refresh_segment *
tt_frames_segment(const struct tt_frames *f, size_t i)
{
	return &f->segment[tt_lower_bound(k, 0, f->nsegment - 1, f->segment[k].end <= i)];
}

int64_t
tt_frames_period_of(const struct tt_refresh_segment *is)
{
	/* A period that may not be a display's has to be nearer to a usual rate. */
	const int usual = tt_refresh_rate(is->period_ps, is->reading == TT_READING_OR_NONE ? 8 : 19);

	return usual ? 1000000000 / usual : tt_ratio((uint64_t)is->period_ps, 1, 1000);
}

/* Count the frames of ${is} that are late for a timer, though a display would have shown them for whole refreshes that fit into ${limit}. */
static size_t
untold_of_timer(const struct tt_frames *f, const struct tt_refresh_segment *is, int64_t limit)
{
	enum { OF_PERIODS = 16 };
	size_t n = 0;

	for (size_t i = is->first; i < is->end; i++) {
		const int64_t wall = tt_frames_wall(f, i), shown = tt_ratio(tt_frames_nrefreshes(f, i), (uint64_t)tt_frames_period_of(is), 1);

		n += tt_frames_is_late(f, i) && wall > limit && shown <= limit && wall - shown <= shown / OF_PERIODS;
	}
	return n;
}

/*
 * Count the frames of ${is}, which shows no limit, that exceed ${limit} but may be in time. However late each is woken, frames that are all in time together
 * take no more than their limit gives them, but for one late end and the overrun of sleeps. If they take more, frames that exceed a sleep's overrun are late.
 */
static size_t
untold_of(const struct tt_frames *f, const struct tt_refresh_segment *is, int64_t limit)
{
	enum { OF_SLEEP = 32, OF_END = 2 };
	tt_i128 more = 0;
	const int64_t sleep = limit / OF_SLEEP;
	size_t n = 0, nslept = 0;

	for (size_t i = is->first; i < is->end; i++) {
		const int64_t wall = tt_frames_wall(f, i);

		if (wall / 3 * 2 > limit)
			continue;
		more += wall - limit - sleep;
		n += wall > limit;
		nslept += wall > limit && wall - limit <= sleep;
	}
	return more <= limit / OF_END ? n : nslept;
}

size_t
tt_frames_count_undecidable(const struct tt_frames *f, int64_t limit)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsegment; i++)
		if (f->segment[i].untold)
			n += (f->segment[i].kind == TT_REFRESH_TIMER ? untold_of_timer : untold_of)(f, &f->segment[i], limit);
	return n;
}

size_t
tt_frames_count_doubtful(const struct tt_frames *f, int64_t limit)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsegment; i++) {
		const struct tt_refresh_segment *is = &f->segment[i];

		if (is->reading != TT_READING_OR_NONE || tt_frames_period_of(is) * is->target > limit)
			continue;
		for (size_t k = is->first; k < is->end; k++)
			n += tt_frames_wall(f, k) > limit && tt_frames_shown(f, k) <= limit;
	}
	return n;
}

enum { TIMER_PARTS = 500 };

int64_t
tt_frames_shown(const struct tt_frames *f, size_t i)
{
	const unsigned taken = tt_frames_nrefreshes(f, i);
	const struct tt_refresh_segment *s = taken ? tt_frames_segment(f, i) : NULL;

	if (!s)
		return tt_frames_wall(f, i);
	/* A frame that is late for a timer waits for no refresh, unless it lasts whole periods: then it may, and whole periods leave out the clock's errors. */
	if (s->kind == TT_REFRESH_TIMER && tt_frames_is_late(f, i)) {
		const int64_t wall = tt_frames_wall(f, i), off = wall * 1000 - (int64_t)taken * s->period_ps, near = s->period_ps / TIMER_PARTS;

		if (off > near || -off > near)
			return wall;
	}
	return tt_ratio(taken, (uint64_t)tt_frames_period_of(s), 1);
}
