/**
 * Finds the limits of frames on a display's grid: the number of refreshes that the limit gives each frame, as the cheapest explanation of the numbers they
 * took.
 */
#include "stat/refresh.h"

#include "stat/refresh_parts.h"

enum { MAX_TARGET = 8 };

/*
 * Costs of a frame that takes k refreshes under a target, and of a change of the target. FASTER: no frame can be faster than its limit. EXPLAINED: late for a
 * known reason; UNEXPLAINED: late without one; AGAIN: as late as the frame before, without a known reason; HELD: AGAIN, although the frame was ready and waited
 * for the limit alone. BUSY: at its target, but needing more than one refresh less, so that it is not held by the limit alone. So a new target takes seven
 * consecutive frames that wait for the limit alone, or a dozen that are equally late without a reason, or fifteen others.
 */
enum { PRICE_FASTER = 80, PRICE_UNEXPLAINED = 10, PRICE_AGAIN = 24, PRICE_HELD = 48, PRICE_EXPLAINED = 1, PRICE_BUSY = 2, PRICE_CHANGE = 140 };

/*
 * The reasons for late frames under one target. slow: a bit for each of the last three frames that needs more than the target and has not made a frame late
 * yet, because a pipeline shows a frame later than it makes it. A frame explains no more refreshes than it needs. unexplained: the refreshes of the last frame,
 * if it was late without a reason; else 0.
 */
struct reasons { unsigned slow; int64_t unexplained; };

/* A frame, the refreshes it takes, and the time it needs; most_needed: the maximum of that time over this frame and the two before. */
struct taking { const struct tt_refresh_fit *f; size_t i; int64_t taken, needed, most_needed, ps; };

/* True if the frame, without its wait for the limit alone, fits into nine tenths of ${target}. */
static bool
is_held(const struct taking *t, int64_t target)
{
	const struct tt_refresh_frame is = tt_refresh_frame_at(t->f, t->i);

	return is.waited_only > 0 && !tt_refresh_needs_more(tt_refresh_dur(&is) - is.waited_only, t->ps, target);
}

static unsigned
price(struct reasons *why, const struct taking *t, int64_t target)
{
	const int64_t taken = t->taken, needed = t->needed, ps = t->ps;
	const bool busy = target > 1 && tt_refresh_needs_more(needed, ps, target - 1);
	const int64_t last = why->unexplained;

	why->slow = (why->slow << 1 | tt_refresh_needs_more(needed, ps, target)) & 7;
	if (taken == 0)
		return 0;
	why->unexplained = 0;
	if (taken < target)
		return PRICE_FASTER;
	if (taken == target)
		return busy ? PRICE_BUSY : 0;
	if (why->slow && tt_refresh_needs_more(t->most_needed, ps, taken - 1)) {
		why->slow &= why->slow & 4 ? 3 : why->slow & 2 ? 1 : 0;
		return PRICE_EXPLAINED;
	}
	why->unexplained = taken;
	return taken != last ? PRICE_UNEXPLAINED : is_held(t, target) ? PRICE_HELD : PRICE_AGAIN;
}

/* The refreshes of frame ${i}; 0: not known. */
int64_t
tt_refresh_next_step(struct tt_refresh_steps *s, size_t i)
{
	const struct tt_refresh_fit *f = s->f;

	if (f->presented)
		return f->shown[i];
	while (s->q < s->end && f->of[s->q] < i)
		s->q++;
	if (s->q >= s->end || f->of[s->q] != i || s->q == s->skip || !f->follows[s->q] || f->tick[s->q] == TT_TICK_OFF ||
	    f->tick[s->q - 1] == TT_TICK_OFF)
		return 0;
	return f->tick[s->q] > f->tick[s->q - 1] ? f->tick[s->q] - f->tick[s->q - 1] : 1;
}

/*
 * The lowest possible target: the number of refreshes that at least one in fifty frames takes at most; or one in two hundred, and at least three, that need no
 * more than that: then the others are late because they need more, and no limit holds them.
 */
static int
least_target(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct tt_refresh_steps steps = { f, s->first, s->end, s->first };
	size_t n[MAX_TARGET + 2] = { 0 }, idle[MAX_TARGET + 2] = { 0 }, all = 0, below = 0, idle_below = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t k = tt_refresh_next_step(&steps, i), most = k > MAX_TARGET ? MAX_TARGET + 1 : k;

		n[most] += k > 0;
		idle[most] += k > 0 && !tt_refresh_needs_more(tt_refresh_needed_at(f, i), s->ps, k);
		all += k > 0;
	}
	for (int k = 1; k <= MAX_TARGET; k++) {
		below += n[k];
		idle_below += idle[k];
		if (below > 0 && (below * 50 >= all || (idle_below >= 3 && idle_below * 200 >= all)))
			return k;
	}
	return all ? MAX_TARGET : 1;
}

/* Numbers of frames, by the refreshes they take, that are late without a known reason: frames that waited for the limit alone, and others. */
struct alike { size_t held[MAX_TARGET + 1], not_held[MAX_TARGET + 1]; };

/* Count frame ${i}, which takes ${k} refreshes, in ${a}, unless its need explains that. */
static void
count_alike(struct alike *a, const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t i, int64_t k, int64_t target)
{
	const struct taking is = { .f = f, .i = i, .taken = k, .needed = tt_refresh_needed_at(f, i), .ps = s->ps };

	if (!tt_refresh_needs_more(is.needed, s->ps, target))
		(is_held(&is, target) ? a->held : a->not_held)[k]++;
}

/*
 * Drop a slower target of consecutive frames if they are merely late: elsewhere at least as many frames with the fastest target take as many refreshes without
 * a known reason.
 */
static void
drop_targets(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct tt_refresh_steps steps = { f, s->first, s->end, s->first };
	struct alike late = { { 0 }, { 0 } };
	unsigned least = MAX_TARGET;

	for (size_t i = s->frame; i < s->frame_end; i++)
		least = f->choice[i] < least ? f->choice[i] : least;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t k = tt_refresh_next_step(&steps, i);

		if (f->choice[i] == least && k > least && k <= MAX_TARGET)
			count_alike(&late, f, s, i, k, least);
	}
	steps = (struct tt_refresh_steps){ f, s->first, s->end, s->first };
	for (size_t i = s->frame, end; i < s->frame_end; i = end) {
		const unsigned target = f->choice[i];
		struct alike in = { { 0 }, { 0 } };

		for (end = i; end < s->frame_end && f->choice[end] == target; end++)
			if (target > least && tt_refresh_next_step(&steps, end) == target)
				count_alike(&in, f, s, end, target, least);
		if (target > least && in.held[target] + in.not_held[target] > 0 && late.held[target] >= in.held[target] &&
		    late.not_held[target] >= in.not_held[target])
			for (size_t k = i; k < end; k++)
				f->choice[k] = (uint16_t)least;
	}
}

/* Choose the target of each frame of ${s}, into f->choice. */
void
tt_refresh_choose(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int least = least_target(f, s);
	struct tt_refresh_steps steps = { f, s->first, s->end, s->first };
	struct reasons why[MAX_TARGET + 1] = { { 0 } };
	uint64_t sum[MAX_TARGET + 1] = { 0 };
	int64_t before[2] = { 0 };    /* time that the two previous frames needed */
	int best = least;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t needed = tt_refresh_needed_at(f, i), of_two = before[0] > before[1] ? before[0] : before[1];
		const struct taking taking = { f, i, tt_refresh_next_step(&steps, i), needed, needed > of_two ? needed : of_two, s->ps };
		const uint64_t change = sum[best] + PRICE_CHANGE;
		unsigned changed = 0;
		int now = least;

		/*
		 * f->choice: a bit for each target that is reached by a change from the best target of the previous frame, which is stored in the highest bits.
		 */
		for (int t = least; t <= MAX_TARGET; t++) {
			if (i > s->frame && change < sum[t]) {
				sum[t] = change;
				changed |= 1u << (t - 1);
			}
			sum[t] += price(&why[t], &taking, t);
		}
		for (int t = least; t <= MAX_TARGET; t++)
			now = sum[t] < sum[now] ? t : now;
		f->choice[i] = (uint16_t)(changed | (unsigned)best << 8);
		best = now;
		before[1] = before[0];
		before[0] = needed;
	}
	for (size_t i = s->frame_end; i-- > s->frame; ) {
		const unsigned came = f->choice[i];

		f->choice[i] = (uint16_t)best;
		if (came >> (best - 1) & 1)
			best = (int)(came >> 8);
	}
	for (size_t i = s->frame + 1; i < s->frame_end; i++)
		if (f->choice[i] != f->choice[i - 1]) {
			drop_targets(f, s);
			break;
		}
}
