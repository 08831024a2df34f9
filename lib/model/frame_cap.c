/**
 * The frame limit: at which period frames are capped, and for how long they wait beyond it. Definitions: tracetool-metrics(7), Capped frames.
 */
#include "model/frames.h"

#include "base/order.h"
#include "stat/num.h"

enum { CAP_FRAMES = 10 };             /* fewer show nothing */

/* True if ${ns} is one to four refreshes of a usual display, within half a percent. */
static bool
is_refresh(int64_t ns)
{
	static const int rate[] = { 48, 50, 60, 72, 75, 90, 100, 120, 144, 165, 240 };

	for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
		for (int k = 1; k <= 4; k++) {
			int64_t whole = k * INT64_C(1000000000) / rate[i], off = ns > whole ? ns - whole : whole - ns;
			if (off <= whole / 200)
				return true;
		}
	return false;
}

/* Within 5 % of a whole number of ${period}s? */
static bool
is_multiple(int64_t ns, int64_t period)
{
	int64_t k = (ns + period / 2) / period, off = k * period > ns ? k * period - ns : ns - k * period;

	return k > 0 && off <= ns / 20;
}

/*
 * Did frame ${i} wait for the limit, and not for the GPU? A wait for the limit and nothing else says so even if it is short: the frame was ready. A
 * wait that may be for a late GPU is a tenth of the frame and more.
 */
static bool
is_held(const struct tt_frames *f, size_t i)
{
	const int64_t gpu = f->has_timing ? tt_frames_timing(f, TT_TIMING_GPU, i) : 0, least = tt_frames_dur(f, i) / (f->limit_set ? 50 : 10);

	return tt_column_at(&f->limit_ns, i) >= least && tt_column_at(&f->limit_ns, i) > 0 && gpu <= tt_frames_dur(f, i) - tt_frames_dur(f, i) / 5;
}

/* Of ${n} lengths in order: the median of those about as short as the shortest tenth; ${above}: longer than it by at most this part of it. */
static int64_t
shortest(const int64_t *v, size_t n, int64_t above)
{
	int64_t low = tt_quantile_i64(v, n, 1, 10);
	size_t from = tt_lower_bound(i, 0, n, v[i] < low - low / 20), to = tt_lower_bound(i, from, n, v[i] <= low + low / above);

	return tt_quantile_i64(v + from, to - from, 1, 2);
}

/* The durations of frames that are held: how many, in order at ${v}. */
static size_t
held_frames(const struct tt_frames *f, int64_t *v)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (is_held(f, i))
			v[n++] = tt_frames_dur(f, i);
	tt_sort_i64(v, n);
	return n;
}

int
tt_frames_find_cap(struct tt_frames *f, struct tt_err *err)
{
	size_t n, regular = 0;
	int64_t *held, p;

	if (f->n < CAP_FRAMES)
		return TT_OK;
	held = tt_mem_alloc(f->mem, f->n * sizeof *held, err);
	if (!held)
		return err->code;
	n = held_frames(f, held);
	/* A target rate is kept by a sleep, which is never exact; a display is. */
	p = n ? shortest(held, n, f->limit_set ? 4 : 20) : 0;
	tt_mem_free(f->mem, held, f->n * sizeof *held);
	if (n < f->n - f->n / 4 || (!f->limit_set && !is_refresh(p)))
		return TT_OK;
	for (size_t i = 0; i < f->n; i++)
		regular += f->limit_set || is_multiple(tt_frames_dur(f, i), p);
	if (regular >= f->n - f->n / 4)
		f->period = p;
	return TT_OK;
}

int
tt_frames_cap_longer(const struct tt_frames *f, struct tt_cap_longer *to, struct tt_err *err)
{
	const int64_t period = f->period;
	size_t first;
	int64_t *v;

	*to = (struct tt_cap_longer){ 0 };
	if (!period)
		return TT_OK;
	if (!(v = tt_mem_alloc(f->mem, f->n * sizeof *v, err)))
		return err->code;
	for (size_t i = 0; i < f->n; i++) {
		const int64_t dur = tt_frames_dur(f, i), alone = tt_column_at(&f->limit_ns, i) - tt_column_at(&f->present_ns, i);

		if (alone > 0 && alone >= dur / 50 && dur > period + period / 4 && tt_frames_uncapped(f, i) < period - period / 10)
			v[to->n++] = dur;
	}
	tt_sort_i64(v, to->n);
	first = to->n < f->n / 10 + 1 ? tt_lower_bound(i, 0, to->n, v[i] < 2 * period) : 0;
	to->n -= first;
	if (to->n > 0) {
		to->low = tt_quantile_i64(v + first, to->n, 1, 10);
		to->high = tt_quantile_i64(v + first, to->n, 9, 10);
	}
	tt_mem_free(f->mem, v, f->n * sizeof *v);
	return TT_OK;
}
