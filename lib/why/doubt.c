/**
 * Tells what is surely slow from what chance makes slow; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

#include "base/order.h"

/* An upper bound of the chance that ${n} or more of ${all} are of a kind with ${share} of all: the number of choices times the chance of one. */
static double
chance_of(uint64_t n, uint64_t all, double share)
{
	double p = 1;

	for (uint64_t i = 1; i <= n; i++)
		p *= share * (double)(all - n + i) / (double)i;
	return p;
}

/*
 * True if this is one of at least three frames in which the marker is slow, far more than its share of the time lets expect, and if these
 * are half of all such frames, or evenly spaced. A marker with much of the time must have nearly all that these frames take longer, and all else must not grow
 * as it does.
 */
static bool
is_beyond_chance(const struct tt_why *w, const struct tt_cause *c, uint64_t all)
{
	const int64_t typical = w->out->typical;
	int64_t share_e4 = typical ? c->usual_ns * 10000 / typical : 10000;
	double ns = 0, rest = 0;
	size_t last = SIZE_MAX, gap = 0;
	bool even = true;
	uint64_t n = 0;

	for (size_t i = 0; i < w->out->ncause; i++) {
		const struct tt_cause *k = &w->out->cause[i];

		if (!k->doubtful || k->row != c->row)
			continue;
		n++;
		ns += (double)k->ns;
		rest += k->extra > k->ns ? (double)(k->extra - k->ns) : 0;
		even = even && (!gap || k->frame - last == gap);
		gap = last == SIZE_MAX ? 0 : k->frame - last;
		last = k->frame;
	}
	if (n < 3 || (!even && 2 * n < all))
		return false;
	if (n * 10000 >= 4 * all * (uint64_t)share_e4 + 10000)
		return true;
	return ns >= 3 * rest && ns * (double)(typical - c->usual_ns) >= 4 * rest * (double)c->usual_ns && chance_of(n, all, (double)share_e4 / 10000) < .001;
}

/* A frame in which the same method allocates as in those where that is the cause, though its time is more than that explains; NULL: there is none. */
static const struct tt_cause *
same_burst(const struct tt_why *w, const struct tt_cause *c)
{
	for (size_t i = 0; i < w->out->ncause; i++) {
		const struct tt_cause *k = &w->out->cause[i];

		if (k->class == TT_CAUSE_ALLOCATION && !k->doubtful && k->row == c->row && c->bytes >= k->bytes / 2)
			return k;
	}
	return NULL;
}

/* What is not known to be more than chance (${chance}) is what else explains the frame, or what is known of other frames like it, or unknown. */
static void
settle(struct tt_why *w, struct tt_cause *c, bool chance)
{
	const struct tt_cause *k;

	if (!chance) {
		c->also = !c->also && c->instead && tt_why_is_worth(c, c->instead) ? c->instead : c->also;
		return;
	}
	if (c->instead) {
		*c = *c->instead;
		return;
	}
	k = same_burst(w, c);
	c->class = k ? TT_CAUSE_ALLOCATION : TT_CAUSE_UNKNOWN;
	if (!k)
		return;
	c->name = k->name;
	c->usual_n = k->usual_n;
	c->usual_ns = k->usual_ns;
}

/* True if the cause makes its frame a hitch, also one that is not longer than all by much. */
static bool
is_solid(const struct tt_why *w, const struct tt_cause *c)
{
	const bool known = !c->doubtful && c->class != TT_CAUSE_UNKNOWN && c->class != TT_CAUSE_OUTSIDE && (c->class != TT_CAUSE_PROCESSORS || w->crowded);

	return known && c->ns >= w->over - w->out->typical;
}

int
tt_why_doubt(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	bool *chance = tt_mem_alloc(w->mem, (out->ncause + 1) * sizeof *chance, w->err);
	const size_t had = out->ncause;
	uint64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; i < had && chance; i++) {
		const struct tt_cause *c = &out->cause[i];

		if (is_solid(w, c) || tt_why_strict(w, c->frame))
			out->cause[n++] = *c;
		else if (c->instead && is_solid(w, c->instead))
			out->cause[n++] = *c->instead;
	}
	out->ncause = chance ? n : had;
	for (size_t i = 0; i < n; i++)
		all += out->cause[i].doubtful;
	for (size_t i = 0; i < n; i++)
		chance[i] = out->cause[i].doubtful && !is_beyond_chance(w, &out->cause[i], all);
	for (size_t i = 0; i < n; i++)
		settle(w, &out->cause[i], chance[i]);
	tt_mem_free(w->mem, chance, chance ? (had + 1) * sizeof *chance : 0);
	return w->err->code;
}
