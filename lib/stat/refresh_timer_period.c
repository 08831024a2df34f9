/**
 * Finds the period of a timer's limit from the frames that waited for it.
 *
 * A timer makes no frame shorter than its period, and wakes each a little late, so that the period is about the duration of frames that waited. Three effects
 * need care: with a fixed schedule, frames make up for sleeps that were too long; sleeps may end only at steps of a clock; and frames that wait in a driver's
 * marker may wait for the GPU.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/order.h"
#include "stat/num.h"
#include "stat/refresh_parts.h"

enum { ALONE_PARTS = 20 };            /* frames that wait for a timer alone are within 1/ALONE_PARTS of its period */

struct tt_waits
tt_waits_of(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct tt_waits w = { 0 };

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		w.all += is.waited;
		w.only += is.waited_only;
		w.n += tt_has_waited(is.waited, tt_refresh_dur(&is));
	}
	return w;
}

/* Frames that are counted together: ${n} frames, ${ns} in all; is_open: true: the stretch ends before they have made up for a long sleep. */
struct held { int64_t n, ns; bool is_open; };

/*
 * The frames from ${i} on that together take whole periods of a timer's schedule: ${i}, whose sleep was too long by more than a fraction of ${ps}, and the
 * following ones, which make up for it. n = 0: there are none. With ${alone} they waited for the limit alone.
 */
static struct held
make_up(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t i, int64_t ps, bool alone)
{
	enum { MAX_MAKING_UP = 4, OFF_PARTS = 32 };
	struct held all = { 0 };
	int64_t end = INT64_MIN, off;

	do {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i++);
		const int64_t dur = tt_refresh_dur(&is);

		if (!tt_has_waited(alone ? is.waited_only : is.waited, dur) || dur > TT_REFRESH_MAX_GAP_NS || (all.n && is.start != end))
			return (struct held){ 0 };
		all.n++;
		all.ns += dur;
		end = is.end;
		off = all.ns * 1000 - all.n * ps;
		if (off <= ps / OFF_PARTS && -off <= ps / OFF_PARTS)
			return all;
	} while (all.n <= MAX_MAKING_UP && i < s->frame_end);
	all.is_open = i == s->frame_end;
	return all.is_open ? all : (struct held){ 0 };
}

/*
 * The mean duration of the frames of ${s} that waited, with ${alone} for the limit alone, and are about as long as ${ps}; 0: none. A sleep that was too long
 * and the frames that make up for it count together: otherwise the mean would be biased.
 */
int64_t
tt_timer_regular(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t ps, bool alone)
{
	enum { OVER_PARTS = 16 };
	tt_i128 sum = 0;
	int64_t n = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		if (!tt_has_waited(alone ? is.waited_only : is.waited, dur))
			continue;
		if (dur * 1000 > ps + ps / OVER_PARTS && dur * 1000 < 2 * ps) {
			const struct held together = make_up(f, s, i, ps, alone);

			if (together.n) {
				sum += together.is_open ? 0 : together.ns;
				n += together.is_open ? 0 : together.n;
				i += (size_t)together.n - 1;
				continue;
			}
		}
		if (tt_periods_in(dur, ps, 1)) {
			sum += dur;
			n++;
		}
	}
	return n ? (int64_t)((sum * 1000 + n / 2) / n) : 0;
}

/* Get the period of frames that waited and are not regular, in ps: the median of those about as long as the shortest tenth. */
int
tt_timer_shortest(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, struct tt_err *err)
{
	const size_t room = s->frame_end - s->frame;
	int64_t *v = tt_mem_alloc(f->mem, room * sizeof *v, err), low;
	size_t n = 0, from, to;

	if (!v)
		return err->code;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		if (tt_has_waited(is.waited, tt_refresh_dur(&is)))
			v[n++] = tt_refresh_dur(&is);
	}
	tt_sort_i64(v, n);
	low = tt_quantile_i64(v, n, 1, 10);
	from = tt_lower_bound(i, 0, n, v[i] < low - low / 20);
	to = tt_lower_bound(i, from, n, v[i] <= low + low / 4);
	*ps = tt_quantile_i64(v + from, to - from, 1, 2) * 1000;
	tt_mem_free(f->mem, v, room * sizeof *v);
	return TT_OK;
}

/* True if ${ns}, a number of clock steps, is no whole number of refreshes of a usual display: frames that all last that long are a timer's. */
static bool
is_no_display(int64_t ns)
{
	for (int k = 1; k <= 4; k++)
		if (tt_refresh_rate(ns * 1000 / k, 1))
			return false;
	return true;
}

/* The smallest k such that at least seven eighths of ${all} frames last k or k + 1 steps; ${n}: frames by number of steps. 0: none. */
static size_t
usual_steps(const size_t *n, size_t nmax, size_t all, int64_t step)
{
	for (size_t k = 1; k < nmax; k++) {
		const bool has_both = n[k] * 50 >= all && n[k + 1] * 50 >= all, is_alone = step == TT_SLEEP_STEP_NS && n[k] > n[k + 1];

		if (n[k] + n[k + 1] >= all - all / 8 && (has_both || (is_alone && is_no_display((int64_t)k * step))))
			return k;
	}
	return 0;
}

/*
 * True if the frames of ${s} last whole clock steps of length ${step}: *${ps} is their mean, the limit. On systems whose sleeps end only at clock steps, of 1
 * ms or 15.625 ms, a timer's frames last one of two numbers of steps; or a single number, if each sleep starts at the end of the last one.
 */
static bool
has_steps(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t step, int64_t *ps)
{
	enum { MAX_STEPS = 128, STEP_PARTS = 16 };
	size_t n[MAX_STEPS + 1] = { 0 }, all = 0;
	int64_t sum = 0, end = INT64_MIN, off_sum = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is), steps = tt_round_div(dur, step), off = dur - steps * step;
		const bool follows = is.start == end, is_on = steps >= 1 && steps < MAX_STEPS && off <= step / STEP_PARTS && -off <= step / STEP_PARTS;

		/* A frame after one that did not wait may be shorter to make up for it. */
		end = tt_has_waited(is.waited_only, dur) ? is.end : INT64_MIN;
		if (!follows || end == INT64_MIN)
			continue;
		all++;
		n[is_on ? steps : 0]++;
		off_sum += is_on ? off : 0;
		if (8 * n[0] > s->frame_end - s->frame)
			return false;
	}
	const size_t k = usual_steps(n, MAX_STEPS, all, step);
	/* Single frames may be late, but not all in one direction: refreshes of 66 Hz are close to such steps, but shorter. */
	if (all < TT_REFRESH_FRAMES || k == 0 || off_sum / (int64_t)all > step / STEP_PARTS / 4 || -off_sum / (int64_t)all > step / STEP_PARTS / 4)
		return false;
	all = n[k] + n[k + 1];
	sum = (int64_t)(n[k] * k + n[k + 1] * (k + 1)) * step;
	*ps = tt_round_div(sum * 1000, (int64_t)all);
	return true;
}

/* If the frames of ${s}, whose waits are ${w}, have a timer whose sleeps end at clock steps, set its period and return true. */
bool
tt_timer_steps(struct tt_refresh_fit *f, struct tt_stretch *s, const struct tt_waits *w)
{
	static const int64_t step[] = { TT_SLEEP_STEP_NS, 1000000 };

	for (size_t i = 0; 2 * w->only > w->all && 4 * w->n >= s->frame_end - s->frame && i < sizeof step / sizeof *step; i++)
		if (has_steps(f, s, step[i], &s->ps)) {
			f->step_ns = step[i] > f->step_ns ? step[i] : f->step_ns;
			return true;
		}
	return false;
}

/*
 * True if the mean of the durations ${v}, in order of time, changes somewhere by more than 1/32, and more than their spread explains: the cumulative sum of
 * deviations ranges over two and a half times its usual range, which happens by chance once in some thousand times.
 */
static bool
has_change(const int64_t *v, size_t n, int64_t mean)
{
	tt_i128 sum = 0, low = 0, high = 0, squares = 0;
	size_t low_at = 0, high_at = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t off = v[i] - mean;

		squares += (tt_i128)off * off;
		sum += off;
		if (sum < low) {
			low = sum;
			low_at = i + 1;
		} else if (sum > high) {
			high = sum;
			high_at = i + 1;
		}
	}

	const size_t part = low_at < high_at ? high_at - low_at : low_at - high_at, rest = n - part;
	const tt_i128 range = high - low;

	return part > 0 && rest > 0 && range / (tt_i128)part * (tt_i128)n / (tt_i128)rest > mean / 32 && 4 * range * range > 25 * squares;
}

/*
 * Store in ${v} the durations of the frames of ${s} that a timer certainly held from end to end, and return their number: they wait for the limit alone, as the
 * previous frame does, and last less than ${most} ns. *${nheld}: the number without the condition on the previous frame. With fixed deadlines, a frame after a
 * late one is shorter than the limit.
 */
static size_t
held_frames(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t most, int64_t *v, size_t *nheld)
{
	int64_t end = INT64_MIN;
	size_t n = 0;

	*nheld = 0;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);
		const bool held = tt_has_waited(is.waited_only, dur) && dur < most;

		if (held && is.start == end)
			v[n++] = dur;
		*nheld += held;
		end = held ? is.end : INT64_MIN;
	}
	return n;
}

static int64_t
mean_of(const int64_t *v, size_t n)
{
	tt_i128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? (int64_t)(sum / (tt_i128)n) : 0;
}

/*
 * The mean duration of the frames of ${s} that wait for the limit alone, in ps: if nine tenths of them are equally long; or with *${is_unsteady}, if half of
 * all frames wait so and nothing shows that some have another limit. 0: neither.
 */
int64_t
tt_timer_alone(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *v, bool *is_unsteady)
{
	size_t n = 0, nheld, nsure, from, to;

	*is_unsteady = false;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		if (tt_has_waited(is.waited_only, dur))
			v[n++] = dur;
	}
	if (n < TT_REFRESH_FRAMES)
		return 0;
	tt_sort_i64(v, n);

	const int64_t median = tt_quantile_i64(v, n, 1, 2);

	from = tt_lower_bound(i, 0, n, v[i] < median - median / ALONE_PARTS);
	to = tt_lower_bound(i, from, n, v[i] <= median + median / ALONE_PARTS);
	if (10 * (to - from) >= 9 * n)
		return tt_timer_regular(f, s, median * 1000, true);
	nsure = held_frames(f, s, median + median / 2, v, &nheld);

	const int64_t mean = mean_of(v, nsure);

	*is_unsteady = 10 * nheld >= 9 * n && 2 * n >= s->frame_end - s->frame && nsure >= TT_REFRESH_FRAMES && !has_change(v, nsure, mean);
	if (!*is_unsteady)
		return 0;
	const int64_t regular = tt_timer_regular(f, s, mean * 1000, true);
	return regular > 0 ? regular : mean * 1000;
}
