/**
 * The limits of frames on a display's grid: how many refreshes a limit gives each, by the cheapest explanation of what they took.
 */
#include "stat/refresh.h"

#include "stat/refresh_parts.h"

enum { MAX_TARGET = 8 };

/*
 * Prices of a frame's refreshes k under a target t, and of another target. A limit lets no frame be faster; a frame is late for a reason, or for none that is
 * known, and again for none that is known, or waits in spite of being ready; a frame at its target that needs more than one refresh less is not held by the
 * limit alone. Seven frames that wait so for the limit alone make a new target; or a dozen that are all as late for no reason, or fifteen others.
 */
enum { PRICE_FASTER = 80, PRICE_UNEXPLAINED = 10, PRICE_AGAIN = 24, PRICE_HELD = 48, PRICE_EXPLAINED = 1, PRICE_BUSY = 2, PRICE_CHANGE = 140 };

/*
 * The reasons for frames that are late for one target: of the last three frames those that need more than it gives, a bit each, and have made none late yet. A
 * pipeline shows a frame later than it makes it. No frame explains more refreshes than it needs. ${unexplained}: the refreshes of the last frame, if that was
 * late without; else 0.
 */
struct reasons { unsigned slow; int64_t unexplained; };

/* A frame, what it takes, and what it needs; ${most_needed}: the most of that and the two before. */
struct taking { const struct tt_refresh_fit *f; size_t i; int64_t taken, needed, most_needed, ps; };

/* True if it had all that it needs but the limit within nine tenths of ${target}: the rest it waits for the limit alone. */
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

/* Refreshes of frame ${i}; 0: not known. */
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
 * The fewest refreshes that one in fifty frames or more takes: no limit is lower. Or one in two hundred, and three, that need no more than these: if others
 * need more, they are late, and no limit holds them.
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

/* Frames that take as many refreshes as each of the targets, without a known reason: those that had waited for the limit alone, and others. */
struct alike { size_t held[MAX_TARGET + 1], not_held[MAX_TARGET + 1]; };

/* Count in ${a} frame ${i}, which takes ${k} refreshes. */
static void
count_alike(struct alike *a, const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t i, int64_t k, int64_t target)
{
	const struct taking is = { .f = f, .i = i, .taken = k, .needed = tt_refresh_needed_at(f, i), .ps = s->ps };

	if (!tt_refresh_needs_more(is.needed, s->ps, target))
		(is_held(&is, target) ? a->held : a->not_held)[k]++;
}

/*
 * Frames in a row that have a slower target than those beside them are late, and the target is none, if as many others that are late for these take as many
 * refreshes, as little explained: what makes those late does so here.
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

/* Choose the target of each frame of ${s} into f->choice. */
void
tt_refresh_choose(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int least = least_target(f, s);
	struct tt_refresh_steps steps = { f, s->first, s->end, s->first };
	struct reasons why[MAX_TARGET + 1] = { { 0 } };
	uint64_t sum[MAX_TARGET + 1] = { 0 };
	int64_t before[2] = { 0 };    /* what the two frames before needed */
	int best = least;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t needed = tt_refresh_needed_at(f, i), of_two = before[0] > before[1] ? before[0] : before[1];
		const struct taking taking = { f, i, tt_refresh_next_step(&steps, i), needed, needed > of_two ? needed : of_two, s->ps };
		const uint64_t change = sum[best] + PRICE_CHANGE;
		unsigned changed = 0;
		int now = least;

		/* One bit a target: it follows the best one of the frame before, which is in the highest four. */
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
