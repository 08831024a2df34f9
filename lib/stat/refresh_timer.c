/**
 * Limits that a timer keeps: which frames are late for it, and which consecutive frames have the same limit.
 *
 * Everything follows from one rule: a timer makes each frame last its period, except frames that had no time left to wait, and except for sleeps that take too
 * long. So a stretch has a limit if its frames waited and are equally long. Longer frames are late if they did not wait, or if the time they needed explains
 * it; otherwise, if there are seven in a row of equal length, they have another limit.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "base/mem.h"
#include "stat/num.h"
#include "stat/refresh_parts.h"

enum {
	STEADY_PARTS = 125,           /* most frames of a driver's timer are within 1/STEADY_PARTS of its period */
	LATE_PARTS = 12               /* a frame that also waits for the GPU is late if it exceeds the period by 1/LATE_PARTS */
};

/*
 * True if a frame of a timer's segment is late. A frame that waited for the limit alone may be woken late by up to half a period, or a clock step. A frame that
 * also waits for the GPU may exceed the period by a twelfth, because no driver's timer sleeps that much longer. A frame that did not wait may exceed it by a
 * fiftieth.
 */
bool
tt_timer_is_late(const struct tt_refresh_fit *f, const struct tt_refresh_frame *is, int64_t ps)
{
	const int64_t dur = tt_refresh_dur(is), step = f->step_ns * 1000, half = ps / 2, stepped = step + ps / 4;

	if (tt_has_waited(is->waited_only, dur))
		return dur * 1000 >= ps + (step && stepped > half ? stepped : half);
	return dur * 1000 > ps + ps / (tt_has_waited(is->waited, dur) ? LATE_PARTS : 50);
}

/* The duration of a frame in periods, at least 1. */
static unsigned
periods_of(const struct tt_refresh_fit *f, const struct tt_refresh_frame *is, int64_t ps)
{
	if (f->step_ns && !tt_timer_is_late(f, is, ps))
		return 1;
	const int64_t dur = tt_refresh_dur(is), k = dur > TT_REFRESH_MAX_GAP_NS ? (int64_t)TT_REFRESH_MAX : tt_round_div(dur * 1000, ps);

	return k < 1 ? 1 : k > (int64_t)TT_REFRESH_MAX ? TT_REFRESH_MAX : (unsigned)k;
}

/* The median duration, in ps, of the frames of ${s} that waited and last about its period; slightly late frames are left out. */
static int64_t
median_held(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t step = (s->frame_end - s->frame) / TT_REFRESH_SAMPLES + 1;
	int64_t v[TT_REFRESH_SAMPLES];
	size_t n = 0;

	for (size_t i = s->frame; i < s->frame_end && n < TT_REFRESH_SAMPLES; i += step) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		if (tt_has_waited(is.waited, dur) && tt_periods_in(dur, s->ps, 1))
			v[n++] = dur;
	}
	return n ? tt_quantile_of_i64(v, n, 1, 2) * 1000 : 0;
}

/*
 * True if a timer of the driver or a compositor holds the frames of ${s}, although their waits may also be for the GPU or the render thread: they are more
 * equally long than GPU times are, have a usual rate, and the time that is known to be needed is shorter. The period of ${s} is then set to their mean.
 */
static bool
is_steady(const struct tt_refresh_fit *f, struct tt_stretch *s)
{
	const int64_t middle = median_held(f, s);
	size_t fitting = 0, steady = 0, busy = 0;
	int64_t kept = 0;
	tt_i128 sum = 0;
	unsigned times;

	if (middle == 0 || (!tt_refresh_rate(middle, 8) && !tt_refresh_faster(middle, &times)))
		return false;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is), off = dur * 1000 - middle;

		if (!tt_has_waited(is.waited, dur) || !tt_periods_in(dur, middle, 1))
			continue;
		const bool in_time = off <= middle / LATE_PARTS && -off <= middle / LATE_PARTS;
		fitting++;
		steady += off <= middle / STEADY_PARTS && -off <= middle / STEADY_PARTS;
		kept += in_time;
		sum += in_time ? dur : 0;
		busy += tt_refresh_needed_at(f, i) * 1000 > middle - middle / 10;
	}
	if (2 * busy >= fitting || 2 * steady <= fitting)
		return false;
	s->ps = (int64_t)((sum * 1000 + kept / 2) / kept);
	return true;
}

/*
 * True if the frames of ${is}, a timer's segment, that are in time take as long in all as the timer gives them, less a fiftieth and a period for each late
 * frame: a timer makes frames shorter only to make up for late ones.
 */
static bool
keeps_time(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	int64_t n = 0;
	tt_i128 sum = 0;

	for (size_t i = is->first; i < is->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);
		const bool late = tt_timer_is_late(f, &frame, is->period_ps);

		n += !late;
		sum += late ? is->period_ps / 1000 : tt_refresh_dur(&frame);
	}
	const tt_i128 given = (tt_i128)n * is->period_ps;
	return sum * 1000 >= given - given / 50;
}

/* Count the periods of the frames of ${is}, a timer's segment. */
void
tt_timer_count(struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	for (size_t i = is->first; i < is->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);

		f->to->taken[i] = (uint16_t)(periods_of(f, &frame, is->period_ps) | (tt_timer_is_late(f, &frame, is->period_ps) ? TT_REFRESH_LATE : 0));
	}
}

/* True if the time ${needed} explains a duration of ${dur}, except for the last period of ${ps}. */
static bool
explains(int64_t needed, int64_t dur, int64_t ps)
{
	const int64_t k = tt_round_div(dur < TT_REFRESH_MAX_GAP_NS ? dur * 1000 : TT_REFRESH_MAX_GAP_NS * 1000, ps) - 1;

	return tt_refresh_needs_more(needed, ps, k > 1 ? k : 1);
}

/*
 * True if ${slow}, a timer's segment or one without a limit, only consists of frames that are late for the timer ${fast}: nine tenths of those that last at
 * least one and a half of its periods are known to need more than nine tenths of it. Without a limit, nine tenths of the other frames must last one period.
 */
static bool
is_slowed(const struct tt_refresh_fit *f, const struct tt_refresh_segment *slow, const struct tt_refresh_segment *fast)
{
	size_t nslow = 0, nbusy = 0, nkept = 0;

	if (fast->kind != TT_REFRESH_TIMER || (slow->kind == TT_REFRESH_TIMER && 2 * slow->period_ps < 3 * fast->period_ps))
		return false;
	for (size_t i = slow->first; i < slow->end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		nkept += tt_periods_in(dur, fast->period_ps, 1) > 0;
		if (2 * dur * 1000 < 3 * fast->period_ps)
			continue;
		nslow++;
		nbusy += explains(tt_refresh_needed_at(f, i), dur, fast->period_ps);
	}
	return nslow > 0 && 10 * nbusy >= 9 * nslow && (slow->kind == TT_REFRESH_TIMER || 10 * nkept >= 9 * (slow->end - slow->first - nslow));
}

/*
 * True if ${rest}, in which no limit was found, also belongs to the timer of ${is}, but has too many late frames to show a period: at least a third of its
 * frames, and ten, waited and last that period as exactly as a driver's timer does, and hardly any is shorter.
 */
static bool
goes_on(const struct tt_refresh_fit *f, const struct tt_refresh_segment *rest, const struct tt_refresh_segment *is)
{
	const size_t n = rest->end - rest->first;
	size_t nheld = 0, nshort = 0;

	if (is->kind != TT_REFRESH_TIMER || rest->kind != TT_REFRESH_NONE)
		return false;
	for (size_t i = rest->first; i < rest->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&frame), off = dur * 1000 - is->period_ps;

		nheld += tt_has_waited(frame.waited, dur) && off <= is->period_ps / STEADY_PARTS && -off <= is->period_ps / STEADY_PARTS;
		nshort += -off > is->period_ps / 50;
	}
	return nheld >= TT_REFRESH_FRAMES && 3 * nheld >= n && 50 * nshort <= n;
}

/* The common period, in ps, of the timer's limit of both segments; 0: they have different limits. */
static int64_t
common_period(const struct tt_refresh_fit *f, const struct tt_refresh_segment *a, const struct tt_refresh_segment *b)
{
	const size_t na = a->end - a->first, nb = b->end - b->first;

	if (a->kind == TT_REFRESH_GRID || b->kind == TT_REFRESH_GRID)
		return 0;
	if (a->kind == b->kind && a->kind == TT_REFRESH_TIMER && tt_refresh_agree(a->period_ps, b->period_ps, true))
		return (int64_t)(((tt_i128)na * a->period_ps + (tt_i128)nb * b->period_ps) / (tt_i128)(na + nb));
	if (goes_on(f, b, a) || is_slowed(f, b, a))
		return a->period_ps;
	return goes_on(f, a, b) || is_slowed(f, a, b) ? b->period_ps : 0;
}

/* True if frame ${i} waited for the limit alone and lasts about ${ps}. */
static bool
is_held_for(const struct tt_refresh_fit *f, size_t i, int64_t ps)
{
	const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
	const int64_t dur = tt_refresh_dur(&is);

	return tt_has_waited(is.waited_only, dur) && tt_periods_in(dur, ps, 1) > 0;
}

/*
 * Move the last frames of the timer's segment ${a} that ${b}, the timer's segment after it, held to ${b}: a late frame in between may have hidden the border.
 */
static void
move_border(const struct tt_refresh_fit *f, struct tt_refresh_segment *a, struct tt_refresh_segment *b)
{
	if (a->kind != TT_REFRESH_TIMER || b->kind != TT_REFRESH_TIMER || a->end != b->first)
		return;
	while (a->end - a->first > 1 && is_held_for(f, a->end - 1, b->period_ps) && !is_held_for(f, a->end - 1, a->period_ps))
		b->first = --a->end;
}

/* Join neighbouring segments that have the same timer's limit: they may have been divided where stretches meet, or by consecutive late frames. */
void
tt_timers_join(struct tt_refresh_fit *f)
{
	struct tt_refreshes *to = f->to;
	size_t n = 0;

	for (size_t i = 0; i < to->nsegment; i++) {
		const struct tt_refresh_segment is = to->segment[i];
		struct tt_refresh_segment *last = n ? &to->segment[n - 1] : NULL;

		const int64_t ps = last ? common_period(f, last, &is) : 0;

		if (ps) {
			last->kind = TT_REFRESH_TIMER;
			last->target = 1;
			last->period_ps = ps;
			last->end = is.end;
			last->untold = last->untold && last->end - last->first < TT_REFRESH_BLOCK;
		} else {
			to->segment[n++] = is;
		}
	}
	to->nsegment = n;
	for (size_t i = 1; i < n; i++)
		move_border(f, &to->segment[i - 1], &to->segment[i]);
}

/*
 * The end of the frames from ${i} on that another timer's limit holds, with the period *${ps}; ${i}: none. They last clearly longer than the period of ${is},
 * are equally long, and waited for the limit alone, except for at most two late ones at a time; and less than nine tenths of them are known to be slow. At
 * least seven are needed, because fewer may each have been woken late.
 */
static size_t
other_limit(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is, size_t i, int64_t *ps)
{
	enum { MIN_HELD = 7, MAX_LATE = 2 };
	size_t end = i;
	int64_t sum = 0, n = 0, busy = 0;

	for (size_t k = i; k < is->end && k <= end + (n ? MAX_LATE : 0); k++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, k);
		const int64_t dur = tt_refresh_dur(&frame), off = n ? dur * n - sum : 0;

		if (!tt_has_waited(frame.waited_only, dur))
			continue;
		if (dur * 1000 < is->period_ps + is->period_ps / 4 || dur > TT_REFRESH_MAX_GAP_NS || off > sum / 16 || -off > sum / 16)
			break;
		sum += dur;
		n++;
		end = k + 1;
		busy += explains(tt_refresh_needed_at(f, k), dur, is->period_ps);
	}
	*ps = n ? tt_round_div(sum * 1000, n) : 0;
	return n >= MIN_HELD && 10 * busy < 9 * n ? end : i;
}

/* Divide ${is}, a timer's segment, where consecutive frames have another limit, and append the parts. */
static int
divide_timer(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err)
{
	struct tt_refresh_segment rest = *is;
	int rc = TT_OK;

	for (size_t i = is->first; i < is->end && rc == TT_OK; ) {
		struct tt_refresh_segment held = *is;

		held.first = i;
		held.end = other_limit(f, is, i, &held.period_ps);
		if (held.end == i) {
			i++;
			continue;
		}
		rest.end = i;
		rc = tt_refresh_append(f, &rest, err);
		TT_THEN(rc, tt_refresh_append(f, &held, err));
		i = rest.first = held.end;
	}
	rest.end = is->end;
	return rc == TT_OK ? tt_refresh_append(f, &rest, err) : rc;
}

int
tt_timers_divide(struct tt_refresh_fit *f, struct tt_err *err)
{
	struct tt_refreshes *to = f->to, was = *to;
	int rc = TT_OK;

	to->segment = NULL;
	to->nsegment = to->capsegment = 0;
	for (size_t i = 0; i < was.nsegment && rc == TT_OK; i++)
		rc = was.segment[i].kind == TT_REFRESH_TIMER ? divide_timer(f, &was.segment[i], err) : tt_refresh_append(f, &was.segment[i], err);
	tt_mem_free(f->mem, was.segment, was.capsegment * sizeof *was.segment);
	return rc;
}

/* True if a shorter limit with a period of about ${ps} holds at least seven consecutive frames of ${s} that wait for it alone. */
static bool
has_shorter(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t ps)
{
	enum { MIN_HELD = 7 };
	size_t n = 0;

	if (ps <= 0 || ps > s->ps - s->ps / 4)
		return false;
	for (size_t i = s->frame; i < s->frame_end && n < MIN_HELD; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is), off = dur * 1000 - ps;

		n = tt_has_waited(is.waited_only, dur) && off <= ps / 16 && -off <= ps / 16 ? n + 1 : 0;
	}
	return n == MIN_HELD;
}

/*
 * Drop the limit of ${is}, the timer's segment of all frames of ${s}, if these do not keep its time; unless some of them have a shorter limit: then that one is
 * used, and the other frames are divided from it later.
 */
static int
check_time(const struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_refresh_segment *is, struct tt_err *err)
{
	int rc;

	if (keeps_time(f, is))
		return TT_OK;
	rc = tt_timer_shortest(f, s, &is->period_ps, err);
	if (rc == TT_OK && (!has_shorter(f, s, is->period_ps) || !keeps_time(f, is)))
		*is = (struct tt_refresh_segment){ .first = s->frame, .end = s->frame_end };
	return rc;
}

int
tt_timer_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	const struct tt_waits w = tt_waits_of(f, s);
	const bool steps = tt_timer_steps(f, s, &w);
	const size_t n = s->frame_end - s->frame;
	bool is_limit = w.only > w.all - w.only;
	struct tt_refresh_segment is = { .first = s->frame, .end = s->frame_end };
	int64_t regular;
	int rc = TT_OK;

	f->has_period = f->has_period || s->ps;
	if (4 * w.n < n || n < TT_REFRESH_FRAMES)
		return tt_refresh_append(f, &is, err);
	if (s->ps && !steps && (regular = tt_timer_regular(f, s, s->ps, false)) > 0)
		s->ps = regular;
	is_limit = is_limit || (s->ps && is_steady(f, s));
	if (!s->ps && is_limit && w.n >= n - n / 4 && w.n > 0)
		rc = tt_timer_shortest(f, s, &s->ps, err);
	if (rc == TT_OK && is_limit && s->ps) {
		is.kind = TT_REFRESH_TIMER;
		is.untold = n < TT_REFRESH_BLOCK;
		is.period_ps = s->ps;
		is.target = 1;
		rc = check_time(f, s, &is, err);
	}
	return rc == TT_OK ? tt_refresh_append(f, &is, err) : rc;
}

/*
 * Join the segments [first, end), which are on no grid, if the frames that wait for the limit alone have one period: that shows a timer, however many other
 * frames are late, or however late sleeps end. *${is_one}: true if so; the first segment is the joined one then.
 */
static int
join_alone(struct tt_refresh_fit *f, size_t first, size_t end, bool *is_one, struct tt_err *err)
{
	struct tt_refresh_segment *segment = f->to->segment;
	const struct tt_stretch s = { .frame = segment[first].first, .frame_end = segment[end - 1].end };
	const size_t room = s.frame_end - s.frame;
	struct tt_refresh_segment is = { .first = s.frame, .end = s.frame_end, .kind = TT_REFRESH_TIMER, .target = 1, .untold = room < TT_REFRESH_BLOCK };
	int64_t *v = tt_mem_alloc(f->mem, room * sizeof *v, err);
	bool is_unsteady;

	if (!v)
		return err->code;
	is.period_ps = tt_timer_alone(f, &s, v, &is_unsteady);
	tt_mem_free(f->mem, v, room * sizeof *v);
	*is_one = is.period_ps > 0 && keeps_time(f, &is);
	for (size_t i = first; i < end && *is_one; i++)
		*is_one = is_unsteady || segment[i].kind != TT_REFRESH_TIMER || tt_refresh_agree(segment[i].period_ps, is.period_ps, true);
	if (*is_one)
		segment[first] = is;
	return TT_OK;
}

/* Join consecutive segments that are on no grid, if the frames that wait for the limit alone show a single timer. */
int
tt_timers_take(struct tt_refresh_fit *f, struct tt_err *err)
{
	struct tt_refreshes *to = f->to;
	size_t n = 0;
	int rc = TT_OK;

	for (size_t i = 0, end; i < to->nsegment && f->step_ns == 0 && rc == TT_OK; i = end) {
		bool is_one = false;

		for (end = i; end < to->nsegment && to->segment[end].kind != TT_REFRESH_GRID; end++)
			;
		if (end > i)
			rc = join_alone(f, i, end, &is_one, err);
		end += end == i;
		for (size_t k = i; k < (is_one ? i + 1 : end); k++)
			to->segment[n++] = to->segment[k];
	}
	to->nsegment = n && rc == TT_OK ? n : to->nsegment;
	return rc;
}
