/**
 * Tells what is surely slow from what chance makes slow.
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

/* Frames in which a marker is slow: how many, what it takes in them beyond the usual and what all else takes, and how they are spaced. */
struct slow {
	uint64_t n;
	double ns, rest;
	size_t last, gap;             /* the last frame, and its distance from the one before */
	bool uneven;
};

/* One more, in order, of which ${known} is explained by another cause. */
static void
add_slow(struct slow *s, const struct tt_cause *c, int64_t known)
{
	const int64_t rest = c->extra - c->ns - known;
	const size_t gap = s->n ? c->frame - s->last : 0;

	s->uneven = s->uneven || (s->n > 1 && gap != s->gap);
	s->gap = gap;
	s->last = c->frame;
	s->n++;
	s->ns += (double)c->ns;
	s->rest += rest > 0 ? (double)rest : 0;
}

/*
 * True if ${all} slow frames have at least three in which the marker of ${c} is slow, far more than its share of the time lets expect, and if these are half of
 * all such frames, or evenly spaced. A marker with much of the time must have nearly all that these frames take longer, and all else must not grow as it does.
 */
static bool
is_often(const struct tt_why *w, const struct slow *s, const struct tt_cause *c, uint64_t all)
{
	const int64_t typical = w->out->typical;
	const int64_t share_e4 = typical ? c->usual_ns * 10000 / typical : 10000;

	if (s->n < 3 || (s->uneven && 2 * s->n < all))
		return false;
	if (s->n * 10000 >= 4 * all * (uint64_t)share_e4 + 10000)
		return true;
	return s->ns >= 3 * s->rest && s->ns * (double)(typical - c->usual_ns) >= 4 * s->rest * (double)c->usual_ns &&
	    chance_of(s->n, all, (double)share_e4 / 10000) < .001;
}

static bool
is_beyond_chance(const struct tt_why *w, const struct tt_cause *c, uint64_t all)
{
	struct slow s = { 0 };

	for (size_t i = 0; i < w->out->ncause; i++)
		if (w->out->cause[i].doubtful && w->out->cause[i].row == c->row)
			add_slow(&s, &w->out->cause[i], 0);
	return is_often(w, &s, c, all);
}

/* The doubt about cause ${c}, or beside it, about the marker ${row}, or about any marker if that is TT_NO_ROW; NULL: nothing is. */
static const struct tt_cause *
doubtful_of(const struct tt_cause *c, uint32_t row)
{
	if (c->doubtful && (row == TT_NO_ROW || c->row == row))
		return c;
	return c->also && c->also->doubtful && (row == TT_NO_ROW || c->also->row == row) ? c->also : NULL;
}

/* The same of what is beside a cause: wherever the marker is slow, be it the first or the second cause, it counts, without what the other one takes. */
static bool
also_is_beyond_chance(const struct tt_why *w, const struct tt_cause *also)
{
	struct slow s = { 0 };
	uint64_t all = 0;

	for (size_t i = 0; i < w->out->ncause; i++) {
		const struct tt_cause *c = &w->out->cause[i], *k = doubtful_of(c, also->row);

		all += doubtful_of(c, TT_NO_ROW) != NULL;
		if (k)
			add_slow(&s, k, k == c ? 0 : c->ns + c->gc_ns);
	}
	return is_often(w, &s, also, all);
}

/* Drop second causes that may be chance, and those without a known first cause. */
static void
settle_also(struct tt_why *w, bool *chance)
{
	struct tt_cause *c = w->out->cause;

	for (size_t i = 0; i < w->out->ncause; i++)
		chance[i] = c[i].also && (c[i].class == TT_CAUSE_UNKNOWN || (c[i].also->doubtful && !also_is_beyond_chance(w, c[i].also)));
	for (size_t i = 0; i < w->out->ncause; i++)
		c[i].also = chance[i] ? NULL : c[i].also;
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

/* A cause that is not known to be more than chance (${chance}) becomes what else explains the frame, or what is known of other frames like it, or unknown. */
static void
settle(struct tt_why *w, struct tt_cause *c, bool chance)
{
	const struct tt_cause *k;

	if (!chance) {
		c->also = !c->also && c->instead && tt_why_is_worth(w, c, c->instead) ? c->instead : c->also;
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
	if (chance)
		settle_also(w, chance);
	tt_mem_free(w->mem, chance, chance ? (had + 1) * sizeof *chance : 0);
	return w->err->code;
}
