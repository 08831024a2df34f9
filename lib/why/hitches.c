/**
 * Chooses the frames that are hitches, and the typical frames that they are compared with.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/order.h"
#include "collect/by_frame.h"
#include "stat/num.h"
#include "view/view.h"

/*
 * Minimum extra time of a long frame: in ns, and as a fraction 1/MIN_EXTRA_PARTS of a typical frame's whole time. So a game that does next to nothing has no
 * hitches.
 */
enum { MIN_EXTRA_NS = 100000, MIN_EXTRA_PARTS = 20 };

/*
 * Limits how many frames are examined. Pairs of a path and a frame that it fills are free up to FREE_PAIRS_PER_SUM for each stored sum; beyond these, as many
 * frames are examined as hold MAX_EXAMINED_PAIRS pairs on average, but at least MIN_EXAMINED_FRAMES. A pair costs half a microsecond.
 */
enum { MAX_EXAMINED_PAIRS = 1 << 19, MIN_EXAMINED_FRAMES = 10, FREE_PAIRS_PER_SUM = 4 };

/* The largest lag: a frame waits for the picture of a frame at most MAX_LAG before it, because engines get no further ahead of the display. */
enum { MAX_LAG = 3 };

int64_t
tt_why_time(const struct tt_why *w, size_t i)
{
	return w->cap ? tt_frames_uncapped(w->m->frames, i) : tt_frames_wall(w->m->frames, i);
}

static int64_t
time_beyond(const struct tt_why *w, size_t i)
{
	int64_t t = tt_why_time(w, i), cpu = w->m->frames->has_wait ? tt_frames_cpu(w->m->frames, i) : 0;
	int64_t extra = t > w->judge_over_ns ? t - w->out->typical : 0, more = cpu > w->judge_over_cpu_ns ? cpu - w->typical_cpu : 0;

	return more > extra ? more : extra;
}

int64_t
tt_why_extra(const struct tt_why *w, size_t i)
{
	return tt_frames_has_examined(w->m->frames, i, i + 1) ? time_beyond(w, i) : 0;
}

bool
tt_why_is_hitch_by_time(const struct tt_why *w, size_t i)
{
	return tt_why_time(w, i) > w->hitch_over_ns || (w->m->frames->has_wait && tt_frames_cpu(w->m->frames, i) > w->hitch_over_cpu_ns);
}

/*
 * The median of the ${n} values at ${v}. *${over}: a quarter above it, and at least by ${floor}; *${strict}: at least *${over}, and beyond the values' usual
 * spread (5 median absolute deviations).
 */
static int64_t
median(int64_t *v, size_t n, int64_t floor, int64_t *over, int64_t *strict)
{
	int64_t typical, least, more;

	typical = tt_quantile_of_i64(v, n, 1, 2);
	for (size_t i = 0; i < n; i++)
		v[i] = v[i] > typical ? v[i] - typical : typical - v[i];
	more = 5 * tt_quantile_of_i64(v, n, 1, 2);
	floor = floor > MIN_EXTRA_NS ? floor : MIN_EXTRA_NS;
	least = typical / 4 > floor ? typical / 4 : floor;
	*over = typical + least;
	*strict = typical + (more > least ? more : least);
	return typical;
}

static int
find_times(struct tt_why *w)
{
	const struct tt_frames *f = w->m->frames;
	int64_t *v = tt_mem_alloc(w->mem, f->n * sizeof *v, w->err);

	w->cap = tt_frames_cap(f);
	if (!v)
		goto out;
	for (size_t i = 0; i < f->n; i++)
		v[i] = tt_why_time(w, i);
	w->spread_below_ns = tt_quantile_of_i64(v, f->n, 1, 10);
	w->out->typical = median(v, f->n, w->cap / MIN_EXTRA_PARTS, &w->judge_over_ns, &w->hitch_over_ns);
	w->spread_below_ns = w->out->typical - w->spread_below_ns;
	for (size_t i = 0; i < f->n && f->has_wait; i++)
		v[i] = tt_frames_cpu(f, i);
	w->typical_cpu = f->has_wait ? median(v, f->n, (w->cap ? w->cap : w->out->typical) / MIN_EXTRA_PARTS, &w->judge_over_cpu_ns, &w->hitch_over_cpu_ns) : 0;
out:
	tt_mem_free(w->mem, v, f->n * sizeof *v);
	return w->err->code;
}

/* The median GPU time of the samples that know it; 0: fewer than half of them do. */
static int64_t
find_gpu(const struct tt_why *w)
{
	int64_t v[TT_FRAMES_SAMPLED];
	size_t n = 0;

	for (size_t i = 0; i < w->nsample; i++) {
		v[n] = tt_why_gpu_time(w, w->sample[i]);
		n += v[n] > 0;
	}
	return 2 * n > w->nsample ? tt_quantile_of_i64(v, n, 1, 2) : 0;
}

/* The time that frame ${i} waits for a picture beyond what the frame limit makes it wait; without a limit all of that wait. */
static int64_t
late_wait(const struct tt_why *w, size_t i)
{
	return tt_frames_late(w->m->frames, i, tt_frames_wait_period(w->m->frames, i));
}

/* The median of late_wait() over the samples. */
static int64_t
usual_late_wait(const struct tt_why *w)
{
	int64_t v[TT_FRAMES_SAMPLED];

	for (size_t i = 0; i < w->nsample; i++)
		v[i] = late_wait(w, w->sample[i]);
	return tt_quantile_of_i64(v, w->nsample, 1, 2);
}

size_t
tt_why_lag(const struct tt_why *w, int64_t (*time)(const struct tt_why *, size_t), int64_t high)
{
	const struct tt_frames *f = w->m->frames;
	const int64_t usual = w->nsample ? usual_late_wait(w) : 0, least = usual + usual / 4 + MIN_EXTRA_NS;
	int64_t agree[MAX_LAG + 1] = { 0 }, first = 0;
	size_t best = 0;

	for (size_t i = MAX_LAG; i < f->n; i++) {
		const bool waits = late_wait(w, i) > least;

		for (size_t lag = 0; lag <= MAX_LAG; lag++)
			if (time(w, i - lag) > high)
				agree[lag] += waits ? 1 : -1;
		/* A frame that begins with its wait waits for the picture of an earlier frame. */
		if (waits)
			first += tt_frames_waits_first(f, i) ? 1 : -1;
	}
	best = first > 0;
	for (size_t lag = 0; lag <= MAX_LAG; lag++)
		best = agree[lag] > agree[best] ? lag : best;
	return best;
}

size_t
tt_why_max_examined(const struct tt_why *w, size_t n)
{
	const struct tt_by_frame *b = tt_by_frame(w->m);
	const uint64_t usual = b ? b->nsums * FREE_PAIRS_PER_SUM : 0;
	uint64_t max_frames;

	if (!b || b->nfilled <= usual)
		return n;
	max_frames = (uint64_t)((tt_u128)MAX_EXAMINED_PAIRS * w->m->frames->n / (b->nfilled - usual));
	max_frames = max_frames > MIN_EXAMINED_FRAMES ? max_frames : MIN_EXAMINED_FRAMES;
	return n < max_frames ? n : (size_t)max_frames;
}

/* Evenly spaced frames; the search is in vain where too few of them are typical. */
static int
choose_samples(struct tt_why *w)
{
	const size_t n = w->m->frames->n < TT_FRAMES_SAMPLED ? w->m->frames->n : TT_FRAMES_SAMPLED, step = (n - 1) / tt_why_max_examined(w, n) + 1;

	w->nsample = (n - 1) / step + 1;
	w->sample = tt_arena_alloc(w->text, w->nsample * sizeof *w->sample, w->err);
	for (size_t i = 0; i < w->nsample && w->sample; i++) {
		w->sample[i] = tt_frames_sample(w->m->frames, i * step);
		w->ntypical += tt_why_extra(w, w->sample[i]) == 0;
	}
	w->typical_gpu = w->sample ? find_gpu(w) : 0;
	if (w->typical_gpu)
		w->gpu_lag = tt_why_lag(w, tt_why_gpu_time, w->typical_gpu + w->typical_gpu / 4);
	return w->err->code;
}

static int
by_extra(const void *a, const void *b)
{
	const struct tt_cause *x = a, *y = b;

	return x->extra != y->extra ? TT_CMP(y->extra, x->extra) : TT_CMP(x->frame, y->frame);
}

static int
by_frame(const void *a, const void *b)
{
	const struct tt_cause *x = a, *y = b;

	return TT_CMP(x->frame, y->frame);
}

/* Choose the frames to judge: those with the most extra time, at most TT_CAUSE_HITCHES, fewer if examining them costs too much. */
static int
choose_hitches(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	size_t n = w->m->frames->n, k = 0, room = 0;
	struct tt_cause *all;

	for (size_t i = 0; i < n; i++) {
		room += tt_why_extra(w, i) > 0;
		out->nunexamined += time_beyond(w, i) > 0 && tt_why_extra(w, i) == 0;
	}
	all = tt_mem_alloc(w->mem, room * sizeof *all, w->err);
	for (size_t i = 0; i < n && all; i++)
		if (tt_why_extra(w, i) > 0)
			all[k++] = (struct tt_cause){ .frame = i, .row = TT_NO_ROW, .row2 = TT_NO_ROW, .by = TT_NO_ROW, .callee = TT_NO_ROW, .method_around =
			    TT_NO_ROW,
			    .starter = TT_NO_ROW, .other = TT_NO_ROW, .other_in = TT_NO_ROW, .outer_zone = TT_NO_ROW, .call = TT_NO_FACT,
			    .extra = tt_why_extra(w, i) };
	if (!all)
		return w->err->code;
	tt_sort(all, k, by_extra);
	out->ncause = w->njudged = tt_why_max_examined(w, k < TT_CAUSE_HITCHES ? k : TT_CAUSE_HITCHES);
	w->nlong = k + out->nunexamined;
	out->cause = tt_arena_alloc(w->text, (out->ncause + 1) * sizeof *out->cause, w->err);
	if (out->cause) {
		memcpy(out->cause, all, out->ncause * sizeof *all);
		tt_sort(out->cause, out->ncause, by_frame);
	}
	tt_mem_free(w->mem, all, room * sizeof *all);
	return w->err->code;
}

int
tt_why_choose_hitches(struct tt_why *w)
{
	int rc = find_times(w);

	TT_THEN(rc, choose_samples(w));
	return rc == TT_OK ? choose_hitches(w) : rc;
}
