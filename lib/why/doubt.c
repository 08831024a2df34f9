/**
 * Separates methods that are really slow from those that are slow by chance.
 */
#include "why/causes_parts.h"

#include "base/order.h"

/* An upper bound of the probability that at least ${n} of ${all} frames have a property of probability ${share}: C(all, n) * share^n. */
static double
chance_of(uint64_t n, uint64_t all, double share)
{
	double p = 1;

	for (uint64_t i = 1; i <= n; i++)
		p *= share * (double)(all - n + i) / (double)i;
	return p;
}

/* Frames in which a marker is slow: their number, the marker's extra time in them, the remaining extra time, and their spacing. */
struct slow {
	uint64_t n;
	double ns, rest;
	size_t last, gap;             /* the last frame, and its distance from the one before */
	bool uneven;
};

/* Add the frame of ${c}, in order; ${known} ns of its extra time are explained by another cause. */
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
 * True if the marker of ${c} is slow too often for chance: in at least three frames that are evenly spaced or half of the ${all} doubtful frames; and in four
 * times as many as its share of a typical frame predicts, or it takes nearly all of their extra time while everything else grows far less.
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
		if (w->out->cause[i].is_doubtful && w->out->cause[i].row == c->row)
			add_slow(&s, &w->out->cause[i], 0);
	return is_often(w, &s, c, all);
}

/* The doubtful one of ${c} and its second cause, if it is about the marker ${row} (TT_NO_ROW: about any); NULL: neither. */
static const struct tt_cause *
doubtful_of(const struct tt_cause *c, uint32_t row)
{
	if (c->is_doubtful && (row == TT_NO_ROW || c->row == row))
		return c;
	return c->second && c->second->is_doubtful && (row == TT_NO_ROW || c->second->row == row) ? c->second : NULL;
}

/*
 * Like is_beyond_chance(), for a second cause: count all frames in which the marker is slow, as the first or the second cause, without the time that the other
 * one explains.
 */
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
		chance[i] = c[i].second && (c[i].class == TT_CAUSE_UNKNOWN || (c[i].second->is_doubtful && !also_is_beyond_chance(w, c[i].second)));
	for (size_t i = 0; i < w->out->ncause; i++)
		c[i].second = chance[i] ? NULL : c[i].second;
}

/* A cause of class allocation with the same method and about as many bytes, which shows that the bytes of ${c} are no chance; NULL: none. */
static const struct tt_cause *
same_burst(const struct tt_why *w, const struct tt_cause *c)
{
	for (size_t i = 0; i < w->out->ncause; i++) {
		const struct tt_cause *k = &w->out->cause[i];

		if (k->class == TT_CAUSE_ALLOCATION && !k->is_doubtful && k->row == c->row && c->bytes >= k->bytes / 2)
			return k;
	}
	return NULL;
}

/*
 * Settle the doubt about ${c}. If it may be ${chance}, replace it by its alternative, else by allocation if other frames show that, else by an unknown cause.
 */
static void
settle(struct tt_why *w, struct tt_cause *c, bool chance)
{
	const struct tt_cause *k;

	if (!chance) {
		c->second = !c->second && c->fallback && tt_why_is_worth_reporting(w, c, c->fallback) ? c->fallback : c->second;
		return;
	}
	if (c->fallback) {
		*c = *c->fallback;
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

/* True if ${c} is certain and takes enough time to make its frame a hitch, even one that is only a little longer than others. */
static bool
is_solid(const struct tt_why *w, const struct tt_cause *c)
{
	const bool known = !c->is_doubtful && c->class != TT_CAUSE_UNKNOWN && c->class != TT_CAUSE_OUTSIDE &&
	    (c->class != TT_CAUSE_PROCESSORS || w->is_slowed_by_others);

	return known && c->ns >= w->judge_over_ns - w->out->typical;
}

int
tt_why_drop_doubtful(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	bool *chance = tt_mem_alloc(w->mem, (out->ncause + 1) * sizeof *chance, w->err);
	const size_t had = out->ncause;
	uint64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; i < had && chance; i++) {
		const struct tt_cause *c = &out->cause[i];

		if (is_solid(w, c) || tt_why_is_hitch_by_time(w, c->frame))
			out->cause[n++] = *c;
		else if (c->fallback && is_solid(w, c->fallback))
			out->cause[n++] = *c->fallback;
	}
	out->ncause = chance ? n : had;
	for (size_t i = 0; i < n; i++)
		all += out->cause[i].is_doubtful;
	for (size_t i = 0; i < n; i++)
		chance[i] = out->cause[i].is_doubtful && !is_beyond_chance(w, &out->cause[i], all);
	for (size_t i = 0; i < n; i++)
		settle(w, &out->cause[i], chance[i]);
	if (chance)
		settle_also(w, chance);
	tt_mem_free(w->mem, chance, chance ? (had + 1) * sizeof *chance : 0);
	return w->err->code;
}
