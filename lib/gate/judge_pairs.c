/**
 * Judges rows of an A/B run by the differences within pairs.
 *
 * Both runs of a pair share the conditions of their session, which therefore cancel. A limit in percent applies to the ratio: differences are those of
 * logarithms, which do not depend on which build is the first. That some row is worse is claimed as soon as one is, with a correction for the number of rows.
 * That no row is worse is claimed only if each is shown not to be, at the full level: this errs in at most 5 % without correction, because all rows that are
 * worse would have to pass by chance.
 */
#include <math.h>

#include "gate/baseline.h"
#include "gate/judge.h"
#include "stat/num.h"
#include "stat/pairs.h"

#define ONE 1e9                       /* unit of logarithms */
#define ONE_SIDED_LOG_RATIO 6907755279                /* ln 1000 * 1e9: log ratio assumed if one side is 0 */
#define AMOUNT_MAX (INT64_C(1) << 60)

#define NEAR (1 + 1e-9)

/* For a row that the program made: if the pairs cannot show the limit, they may show a wider one, up to WIDE, which a share SHOWN of equal builds meets. */
#define SHOWN 0.98
#define WIDE 0.3
#define WIDE_FRAMES 2                 /* counts: a wider limit is at most this many frames of a capture, or WIDE_TIMES the limit */
#define WIDE_TIMES 2
#define QUARTER 4                     /* counts: 1/QUARTER more long frames are worse, but at least half a frame of a capture */
#define ONE_SIDED 0.125
#define DECIDED 0.9                   /* share of equal builds to be decided with the number of pairs that a row recommends */
#define AT_END (TT_ALPHA / 2)         /* about the level left for the last look, after the earlier ones */

/* --- differences ---------------------------------------------------------------------------- */

static int64_t
held(int64_t v, int64_t most)
{
	return v > most ? most : v < -most ? -most : v;
}

static int64_t
log_ratio(int64_t now, int64_t was)
{
	if (now == was)
		return 0;
	if (now == 0 || was == 0)
		return now ? ONE_SIDED_LOG_RATIO : -ONE_SIDED_LOG_RATIO;
	return held((int64_t)llround(log((double)now / (double)was) * ONE), ONE_SIDED_LOG_RATIO);
}

static size_t
pair_of(const struct tt_judging *w, enum tt_side side, const struct tt_sample *s)
{
	return w->v->ab->pair[side][s - (side == TT_NEW ? w->v->sample : w->v->base->sample)];
}

/* The old build's figure in the same pair as ${p}; NULL: none. */
static const struct tt_point *
partner(const struct tt_judging *w, const struct tt_point *p)
{
	const struct tt_verdict_row *r = w->r;

	for (size_t i = 0; i < r->nbase_point; i++)
		if (r->base_point[i].known && pair_of(w, TT_OLD, r->base_point[i].sample) == pair_of(w, TT_NEW, p->sample))
			return &r->base_point[i];
	return NULL;
}

/* The number of pairs with a capture of both builds; if ${before} is not NULL, only those before that sample of the new build. */
static size_t
complete_pairs(const struct tt_verdict *v, const struct tt_sample *before)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nsample && &v->sample[i] != before; i++)
		for (size_t k = 0; k < v->base->nsample; k++)
			n += v->ab->pair[TT_NEW][i] == v->ab->pair[TT_OLD][k];
	return n;
}

/* Get the median of the known figures of ${p}. */
static int
median(struct tt_judging *w, const struct tt_point *p, size_t np, int64_t *v, struct tt_err *err)
{
	size_t n;
	int64_t *known = tt_row_known(w, p, np, 1, &n, err);

	if (!known)
		return err->code;
	tt_sort_i64(known, n);
	*v = tt_row_median(known, n);
	return TT_OK;
}

/* True if a limit in percent makes sense: no figure is negative. */
static bool
is_ratio(const struct tt_verdict_row *r)
{
	for (size_t i = 0; i < r->npoint; i++)
		if (r->point[i].known && r->point[i].v < 0)
			return false;
	for (size_t i = 0; i < r->nbase_point; i++)
		if (r->base_point[i].known && r->base_point[i].v < 0)
			return false;
	return true;
}

/* Set the limit: as an amount in the row, and on the scale of the differences. */
static void
set_limit(struct tt_judging *w, struct tt_row_pairs *d, const struct tt_limit *l, int sign)
{
	struct tt_verdict_row *r = w->r;
	int64_t size = r->base < 0 ? -r->base : r->base;
	double part = (double)l->v / 1e6;

	r->has_limit = true;
	r->limit_is_min = sign < 0;
	r->limit = l->kind == TT_LIMIT_CHANGE ? l->v : tt_scale(size, l->v, 1000000);
	d->limit = held(r->limit, AMOUNT_MAX);
	if (d->ratio)
		d->limit = sign > 0 ? (int64_t)llround(log1p(part) * ONE) : part >= 1 ? ONE_SIDED_LOG_RATIO : (int64_t)llround(-log1p(-part) * ONE);
	if (r->row->effect <= r->limit)
		return;
	r->limit = r->row->effect;
	part = size > 0 ? (double)r->limit / (double)size : 1;
	if (!d->ratio)
		d->limit = held(r->limit, AMOUNT_MAX);
	else if (size > 0)
		d->limit = sign > 0 ? (int64_t)llround(log1p(part) * ONE) : part >= 1 ? ONE_SIDED_LOG_RATIO : (int64_t)llround(-log1p(-part) * ONE);
}

/* The difference of two figures, and their mean, both as logarithms (${ratio}) or as amounts. */
static struct tt_pair
pair_of_two(int64_t now, int64_t was, bool ratio, int sign)
{
	int64_t a = held(now, AMOUNT_MAX / 2), b = held(was, AMOUNT_MAX / 2);

	if (!ratio)
		return (struct tt_pair){ .d = sign * (a - b), .level = (a + b) / 2 };
	/* 0 has no logarithm: use the level of the other figure. */
	a = now ? now : was;
	b = was ? was : now;
	return (struct tt_pair){ .d = sign * log_ratio(now, was), .level = a ? llround((log((double)a) + log((double)b)) / 2 * ONE) : 0 };
}

static double
mean(const struct tt_point *p, size_t n)
{
	double sum = 0, known = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].known) {
			sum += (double)p[i].v;
			known++;
		}
	return known > 0 ? sum / known : 0;
}

/* The mean number of frames over the captures of both builds that have a figure. */
static double
mean_frames(const struct tt_verdict_row *r)
{
	double frames = 0, n = 0;

	for (size_t i = 0; i < r->npoint; i++)
		if (r->point[i].known) {
			frames += (double)r->point[i].sample->frames;
			n++;
		}
	for (size_t i = 0; i < r->nbase_point; i++)
		if (r->base_point[i].known) {
			frames += (double)r->base_point[i].sample->frames;
			n++;
		}
	return n > 0 ? frames / n : 0;
}

/*
 * Set the limits for counts of frames, which are whole numbers and mostly equal. For a row that the program made, the smallest change that pairs can exclude
 * depends on how many such frames both builds have; use all captures to estimate that. A smaller change need not be chance: a quarter more is worse, and any
 * more if at most every second capture of the old build has such a frame.
 */
static void
set_counts(struct tt_judging *w, struct tt_row_pairs *d)
{
	struct tt_verdict_row *r = w->r;
	double frames, old, new, more;

	d->worse = d->limit;
	if (!(r->row->measure.metric->traits & TT_METRIC_FRAMES_OVER) || r->dim != TT_DIM_PER_1000 || d->ratio || !((frames = mean_frames(r)) > 0))
		return;
	d->frame = 1000.0 * TT_AMOUNT_ONE / frames;
	if (!w->v->budget->made)
		return;
	old = mean(r->base_point, r->nbase_point);
	new = mean(r->point, r->npoint);
	d->limit = r->limit = llround(fmax((double)d->limit, tt_pairs_chance(fmin(old, new) / d->frame, w->v->ab->planned) * d->frame));
	more = fmax(old / QUARTER, d->frame / 2);
	d->worse = old <= d->frame / 2 ? 0 : more < (double)d->limit ? llround(more) : d->limit;
}

/* Compute the difference of each complete pair; d->worse if a figure is missing. */
static int
take_pairs(struct tt_judging *w, struct tt_row_pairs *d, int sign, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	struct tt_pairs_evened evened;
	size_t n;

	d->all = tt_arena_alloc(&w->v->arena, (w->v->ab->planned + 1) * sizeof *d->all, err);
	d->pair = d->all ? tt_arena_alloc(&w->v->arena, (w->v->ab->planned + 1) * sizeof *d->pair, err) : NULL;
	d->even = d->pair ? tt_arena_alloc(&w->v->arena, (w->v->ab->planned + 1) * sizeof *d->even, err) : NULL;
	if (!d->even)
		return err->code;
	n = complete_pairs(w->v, NULL);
	for (size_t i = 0; i < n; i++)
		d->all[i] = (struct tt_pair){ .d = d->worse };
	for (size_t i = 0; i < r->npoint; i++) {
		const struct tt_point *now = &r->point[i], *was = now->known ? partner(w, now) : NULL;

		if (!was)
			continue;
		d->pair[d->n] = pair_of_two(now->v, was->v, d->ratio, sign);
		d->all[complete_pairs(w->v, now->sample)] = d->pair[d->n];
		d->n++;
	}
	r->pairs = d->n;
	evened = tt_pairs_even(d->pair, d->n, d->limit, d->even);
	r->evened = evened.n;
	r->evened_worse = evened.above;
	return TT_OK;
}

int
tt_row_paired(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_limit *l = &r->row->max;
	struct tt_row_pairs *d = &w->pairs[r - w->v->row];
	int sign = 1, rc;

	if (l->kind == TT_LIMIT_NONE) {
		l = &r->row->min;
		sign = -1;
	}
	if (tt_row_unknown(w) || !tt_row_has_figures(w))
		return TT_OK;
	rc = tt_row_points(w, w->v->base->sample, w->v->base->nsample, &r->base_point, &r->nbase_point, err);
	for (size_t i = 0; i < r->nbase_point; i++)
		r->m += r->base_point[i].known;
	if (rc == TT_OK && r->m == 0) {
		tt_row_cannot(w, r->nbase_point ? tt_row_why(r, r->base_point, r->nbase_point) : "no run of the old build ended well");
		return TT_OK;
	}
	TT_THEN(rc, tt_row_check_dim(w, l, err));
	TT_THEN(rc, median(w, r->point, r->npoint, &r->value, err));
	TT_THEN(rc, median(w, r->base_point, r->nbase_point, &r->base, err));
	if (rc != TT_OK)
		return rc;
	r->has_value = r->has_base = r->tested = true;
	r->sessions = 1;
	d->ratio = l->kind == TT_LIMIT_PPM && is_ratio(r);
	r->has_ratio = d->ratio && r->base != 0;
	set_limit(w, d, l, sign);
	set_counts(w, d);
	tt_row_find_worst(r, sign < 0);
	return take_pairs(w, d, sign, err);
}

/* --- decisions -------------------------------------------------------------------------------- */

unsigned
tt_row_weight(const struct tt_budget_row *row)
{
	return row->measure.metric->traits & TT_METRIC_FRAME_TIME ? 2 : 1;
}

size_t
tt_pairs_needed(size_t weights, size_t weight)
{
	size_t n = 1;

	while (n < TT_PAIRS_MAX && ldexp((double)weights / (double)weight, -(int)n) > TT_ALPHA * NEAR)
		n++;
	return n;
}

/* Convert the difference ${v} to an amount, and to parts per million of the old build's figure. */
static void
scale(const struct tt_verdict_row *r, const struct tt_row_pairs *d, int64_t v, int64_t *amount, int64_t *ppm)
{
	int64_t size = r->base < 0 ? -r->base : r->base;

	if (d->ratio) {
		*ppm = (int64_t)llround(expm1((double)v / ONE) * 1e6);
		*amount = tt_scale(size, *ppm, 1000000);
	} else {
		*amount = v;
		*ppm = tt_scale(v, 1000000, size);
	}
}

/*
 * Compute the shift and its bounds: the bound on the better side at level ${worse}, on the worse side at ${fine}, the p values required at this look. *${most}:
 * the bound on the worse side as a difference; INT64_MAX: none.
 */
static int
put_shift(struct tt_judging *w, const struct tt_row_pairs *d, double worse, double fine, int64_t *most, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	bool up = !r->limit_is_min;
	int64_t sign = up ? 1 : -1;
	struct tt_shift low, high;
	int rc = tt_pairs_shift(d->even, d->n, worse, &low, w->mem, err);

	TT_THEN(rc, tt_pairs_shift(d->even, d->n, fine, &high, w->mem, err));
	if (rc != TT_OK)
		return rc;
	r->has_low = up ? low.has_low : high.has_high;
	r->has_high = up ? high.has_high : low.has_low;
	scale(r, d, sign * low.shift, &r->shift, &r->shift_ppm);
	scale(r, d, sign * (up ? low.low : high.high), &r->low, &r->low_ppm);
	scale(r, d, sign * (up ? high.high : low.low), &r->high, &r->high_ppm);
	*most = high.has_high ? high.high : INT64_MAX;
	/* If the old figure is 0, there is no ratio: show the amount without bounds. */
	if (d->ratio && r->base == 0) {
		r->shift = r->value;
		r->has_low = r->has_high = false;
	}
	return TT_OK;
}

/* True if the row reports its power; not for ratios to 0. */
static bool
tells(const struct tt_judging *w, const struct tt_row_pairs *d)
{
	return w->v->ab->tells && !(d->ratio && w->r->base == 0);
}

/*
 * Set the smallest change that the row would detect with all pairs, if p must be ${level} at the end; and the number of pairs that an undecided row would need.
 */
static void
put_seen(struct tt_judging *w, const struct tt_row_pairs *d, double level)
{
	const struct tt_ab *ab = w->v->ab;
	struct tt_verdict_row *r = w->r;
	size_t most = ab->last ? d->n : ab->planned;
	struct tt_change c;
	double seen, own;

	if (!tells(w, d) || level <= 0 || !tt_pairs_change(d->even, d->n, most, &c))
		return;
	seen = tt_pairs_seen(&c, most, (double)d->worse, level, TT_POWER);
	/* Further long frames vary by chance: the standard deviation of their number is its square root, even if the pairs so far are equal. */
	own = c.within;
	seen = fmax(seen, d->frame);
	for (int i = 0; i < 50 && d->frame > 0; i++) {
		struct tt_change more = { .within = own + d->frame * seen / (double)most };

		more.se = sqrt(more.within);
		more.df = own > 0 ? c.df * pow(more.within / own, 2) : INFINITY;
		seen = tt_pairs_seen(&more, most, (double)d->worse, level, TT_POWER);
	}
	seen = fmin(seen, (double)(d->ratio ? ONE_SIDED_LOG_RATIO : AMOUNT_MAX));
	scale(r, d, r->limit_is_min ? -llround(seen) : llround(seen), &r->seen, &r->seen_ppm);
	r->need_here = tt_pairs_need(&c, most, (double)d->limit, AT_END, DECIDED);
}

/* The results of a row's tests. */
struct answer {
	double above, below;          /* p values: that the change is above the limit, and that it is below it */
	int64_t wide;                 /* the wider limit that the row is shown to meet and that such pairs can show; 0: none */
};

/*
 * The wider limit of a row that the program made, if the change is below it (${most}): what equal builds with differences like these are shown to meet. 0:
 * none.
 */
static int64_t
wide_limit(const struct tt_judging *w, const struct tt_row_pairs *d, double fine, int64_t most)
{
	struct tt_change c;
	double wide;

	if (!w->v->ab->last || !w->v->budget->made || fine <= 0 || !tt_pairs_change(d->even, d->n, d->n, &c))
		return 0;
	wide = tt_change_seen(&c, 0, fine, SHOWN);
	if (d->ratio && wide > log1p(WIDE) * ONE)
		return 0;
	if (d->frame > 0 && wide > fmax(WIDE_FRAMES * d->frame, WIDE_TIMES * (double)d->limit))
		return 0;
	return (double)most > wide ? 0 : (int64_t)llround(wide);
}

/* Test the row, and compute its shift and bounds. ${worse}: as for put_shift(); ${level}: the p required at the end. */
static int
test_row(struct tt_judging *w, double worse, double level, struct answer *t, struct tt_err *err)
{
	const struct tt_ab *ab = w->v->ab;
	const struct tt_row_pairs *d = &w->pairs[w->r - w->v->row];
	const struct tt_pairs_plan plan = { .most = ab->planned, .looks = ab->looks, .last = ab->last };
	struct tt_pair *turned = tt_arena_alloc(&w->v->arena, (d->n + 1) * sizeof *turned, err);
	struct tt_pairs_answer a = { .p = 1, .overall = 1 };
	int64_t most = INT64_MAX;
	int rc = turned ? TT_OK : err->code;

	for (size_t i = 0; i < d->n && rc == TT_OK; i++)
		turned[i] = (struct tt_pair){ .d = -d->pair[i].d, .level = d->pair[i].level };
	/* A change exactly as large as the limit is allowed. */
	TT_THEN(rc, tt_pairs_test(turned, d->n, -d->limit - 1, &plan, tt_pairs_level(TT_ALPHA), &a, w->mem, err));
	t->below = w->r->p_not = w->r->p_not_adjusted = a.overall;
	if (rc == TT_OK && d->n)
		rc = put_shift(w, d, worse, a.nominal, &most, err);
	if (rc != TT_OK)
		return rc;
	put_seen(w, d, level);
	t->wide = wide_limit(w, d, a.nominal, most);
	return TT_OK;
}

/* Amounts as text, for printf. */
struct text { char s[64]; };

/* "+4.8 %"; or an amount, if the limit is one or the old figure is 0. */
static const char *
share(const struct tt_verdict_row *r, struct text *t, int64_t amount, int64_t ppm)
{
	if (r->has_ratio)
		*tt_put_ppm(t->s, ppm) = '\0';
	else
		*tt_put_change(t->s, amount, r->dim) = '\0';
	return t->s;
}

/* "; +4.1 % would be found in 95 of 100 cases"; if the pairs hardly differ, "more than that would be found", because a change up to the limit is allowed. */
static const char *
sight_text(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	struct text seen;

	if (r->outcome == TT_WORSE || !r->seen)
		return "";
	if (!r->asked && (r->limit_is_min ? -r->seen : r->seen) <= r->limit)
		return "; more than that would be found in 95 of 100 cases";
	return tt_verdict_text(w->v, err, "; %s would be found in 95 of 100 cases", share(r, &seen, r->seen, r->seen_ppm));
}

/* "; 2 runs far from the others count less, 1 of them against the new build", "; 1 run far from the others, against the new build, counts less" */
static const char *
evened_text(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;

	if (r->evened == 0)
		return "";
	if (r->evened == 1)
		return r->evened_worse ? "; 1 run far from the others, against the new build, counts less" :
		    "; 1 run far from the others counts less";
	if (r->evened == r->evened_worse)
		return tt_verdict_text(w->v, err, "; %zu runs far from the others, all against the new build, count less", r->evened);
	return tt_verdict_text(w->v, err, "; %zu runs far from the others count less, %zu of them against the new build", r->evened, r->evened_worse);
}

/*
 * True if so many of the runs that count less are bad for the new build that accidents, which hit both builds alike, would cause this at most once in eight
 * times.
 */
static bool
is_one_sided(const struct tt_verdict_row *r)
{
	double at_least = 0, some = ldexp(1, -(int)r->evened);

	for (size_t k = 0; k <= r->evened; k++) {
		if (k >= r->evened_worse)
			at_least += some;
		some = some * (double)(r->evened - k) / (double)(k + 1);
	}
	return at_least <= ONE_SIDED;
}

static bool
differ(const struct tt_row_pairs *d)
{
	for (size_t i = 1; i < d->n; i++)
		if (d->pair[i].d != d->pair[0].d)
			return true;
	return false;
}

/* "; p = 0.002, 8 pairs" */
static const char *
number_text(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	const char *s = r->pairs == 1 ? "" : "s";

	if (r->outcome == TT_WORSE)
		return tt_verdict_text(w->v, err, "; p = %.2g, %zu pair%s", r->p_adjusted, r->pairs, s);
	return tt_verdict_text(w->v, err, "; %zu pair%s%s", r->pairs, s, r->outcome != TT_UNDECIDED ? "" :
	    !w->v->ab->last || is_one_sided(r) ? ", undecided" : differ(&w->pairs[r - w->v->row]) ? " that differ too much to tell" : " are too few to tell");
}

/*
 * "+4.8 % by pairs (+3.9 % to +5.6 %), allowed +2.0 %; medians 17.5 ms, was 16.7 ms; p = 0.002, 8 pairs". The estimate comes first, because the medians of each
 * build may differ the other way.
 */
static const char *
pairs_text(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	int64_t sign = r->limit_is_min ? -1 : 1, size = r->base < 0 ? -r->base : r->base;
	const struct tt_limit *l = r->limit_is_min ? &r->row->min : &r->row->max;
	const char *bounds = "", *end = number_text(w, err), *seen = sight_text(w, err), *even = evened_text(w, err);
	struct text value, base, shift, low, high, limit;

	*tt_put_amount(value.s, r->value, r->dim) = '\0';
	*tt_put_amount(base.s, r->base, r->dim) = '\0';
	share(r, &low, r->low, r->low_ppm);
	share(r, &high, r->high, r->high_ppm);
	share(r, &limit, sign * r->limit, tt_scale(sign * r->limit, 1000000, size));
	if (l->kind == TT_LIMIT_PPM && r->base == 0)
		*tt_put_ppm(limit.s, sign * l->v) = '\0';
	if (r->has_low || r->has_high)
		bounds = tt_verdict_text(w->v, err, r->has_low && r->has_high ? " (%s to %s)" : r->has_low ? " (at least %s)" : " (at most %s%s)",
		    r->has_low ? low.s : "", r->has_high ? high.s : "");
	if (!bounds || !end || !seen || !even)
		return NULL;
	return tt_verdict_text(w->v, err, "%s by pairs%s, allowed %s%s; medians %s, was %s%s%s%s", share(r, &shift, r->shift, r->shift_ppm), bounds,
	    limit.s, r->asked ? ", the least that pairs this far apart can show" : "", value.s, base.s, end, even, seen);
}

/* True if the new build crashed more often than allowed. Runs end with the first such crash. */
static bool
stopped_by_crashes(const struct tt_ab *ab)
{
	return ab->crashes[TT_NEW] + ab->unended[TT_NEW] > ab->crashes[TT_OLD] + ab->unended[TT_OLD] + ab->more_crashes;
}

/* Set UNDECIDED and a hint: the change is shown to be neither above nor below the limit. */
static int
undecided(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	size_t most = w->v->ab->last ? r->pairs : w->v->ab->planned;
	bool above = r->limit_is_min ? -r->shift > r->limit : r->shift > r->limit;
	const bool few = r->pairs < tt_pairs_needed(w->weights, tt_row_weight(r->row));       /* true: too few to estimate how many more are needed */

	r->outcome = TT_UNDECIDED;
	r->hint = "run more pairs, or allow more";
	if (is_one_sided(r))
		r->hint = tt_verdict_text(w->v, err, "look at the captures of the %zu pairs with such a run: accidents would hit the old build, too",
		    r->evened);
	else if (few && stopped_by_crashes(w->v->ab))
		r->hint = "runs ended early because of crashes: mend these first";
	else if (w->v->ab->tells && !above && !few && r->need_here > most)
		r->hint = tt_verdict_text(w->v, err, "run about %zu pairs, or allow more", r->need_here);
	else if (w->v->ab->tells && !above && !few && r->need_here == 0)
		r->hint = tt_verdict_text(w->v, err, "allow more: to show a change as small as its limit takes more than %u such pairs", TT_PAIRS_MAX);
	return r->hint ? TT_OK : err->code;
}

static int
decide(struct tt_judging *w, const struct answer *t, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_ab *ab = w->v->ab;
	const struct tt_row_pairs *d = &w->pairs[r - w->v->row];
	size_t most = ab->last ? r->pairs : ab->planned, need = tt_pairs_needed(w->weights, tt_row_weight(r->row));
	int64_t ppm;
	int rc = TT_OK;

	r->p_adjusted = t->above;
	/* With many pairs, a few may have more long frames while most do not: then the estimate decides whether these are too many. */
	if (t->above <= TT_ALPHA * NEAR && (d->worse == d->limit || r->shift > d->worse)) {
		r->outcome = TT_WORSE;
		if (d->worse != d->limit)
			r->limit = d->worse;
	} else if (t->below <= TT_ALPHA * NEAR && !is_one_sided(r)) {
		r->outcome = TT_NOT_WORSE;
	} else if (t->wide && !is_one_sided(r)) {
		r->outcome = TT_NOT_WORSE;
		r->asked = r->limit;
		scale(r, d, t->wide, &r->limit, &ppm);
	} else if (most < need) {
		const char *why = tt_verdict_text(w->v, err, "%zu pair%s %s too few to show a change in %zu row%s: run at least %zu", most,
		    most == 1 ? "" : "s", most == 1 ? "is" : "are", w->np, w->np == 1 ? "" : "s", need);

		tt_row_cannot(w, why);
		r->need = need;
		return why ? TT_OK : err->code;
	} else {
		rc = undecided(w, err);
	}
	r->text = rc == TT_OK ? pairs_text(w, err) : NULL;
	return r->text ? TT_OK : err->code;
}

/*
 * Compute the p that a row must reach at the end of the plan to be worse (without doubled weight). Further pairs are assumed to be like the ${n} at hand. Every
 * second row is mirrored at its limit, as if half of the rows had changed: with rows on both sides of their limits the correction is strictest.
 */
static int
level_at_end(struct tt_judging *w, const struct tt_pairs_row *row, size_t n, double *level, struct tt_err *err)
{
	const struct tt_ab *ab = w->v->ab;
	size_t most = ab->last ? n : ab->planned;
	const struct tt_pairs_plan plan = { .most = ab->planned, .looks = ab->looks, .last = true };
	struct tt_pairs_row *all = tt_arena_alloc(&w->v->arena, (w->np + 1) * sizeof *all, err);
	struct tt_pair *d = all ? tt_arena_alloc(&w->v->arena, (w->np * most + 1) * sizeof *d, err) : NULL;
	int rc;

	*level = 0;
	if (!d || n == 0)
		return d ? TT_OK : err->code;
	for (size_t i = 0; i < w->np; i++) {
		all[i] = (struct tt_pairs_row){ .pair = d + i * most, .limit = row[i].limit, .twice = row[i].twice };
		for (size_t k = 0; k < most; k++) {
			d[i * most + k] = row[i].pair[k % n];
			if (i % 2)
				d[i * most + k].d = 2 * row[i].limit - d[i * most + k].d;
		}
	}
	rc = tt_pairs_family(all, w->np, most, &plan, TT_ALPHA, w->mem, err);
	/* The p of a row that would be worse: a mirrored one, if there are several rows. */
	*level = rc == TT_OK ? all[w->np > 1].nominal / (all[w->np > 1].twice ? 2 : 1) : 0;
	return rc;
}

int
tt_pairs_decide(struct tt_judging *w, bool (*in)(const struct tt_judging *w, const struct tt_budget_row *row), bool fails, struct tt_err *err)
{
	struct tt_verdict *v = w->v;
	const struct tt_pairs_plan plan = { .most = v->ab->planned, .looks = v->ab->looks, .last = v->ab->last };
	struct tt_pairs_row *row = tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *row, err);
	double level = 0;
	size_t k = 0;
	int rc = row ? TT_OK : err->code;

	w->np = w->weights = 0;
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++)
		if (v->row[i].tested && in(w, v->row[i].row) == fails) {
			unsigned weight = tt_row_weight(v->row[i].row);

			row[w->np++] = (struct tt_pairs_row){ .pair = w->pairs[i].all, .limit = w->pairs[i].worse, .twice = weight > 1 };
			w->weights += weight;
		}
	if (w->np)
		TT_THEN(rc, tt_pairs_family(row, w->np, complete_pairs(v, NULL), &plan, TT_ALPHA, w->mem, err));
	if (w->np && v->ab->tells)
		TT_THEN(rc, level_at_end(w, row, complete_pairs(v, NULL), &level, err));
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		struct answer t = { .below = 1 };

		w->r = &v->row[i];
		if (!w->r->tested || in(w, w->r->row) != fails)
			continue;
		w->r->p = row[k].p;
		w->r->ntested = w->np;
		t.above = row[k].adjusted;
		rc = test_row(w, row[k].nominal, fmin(TT_ALPHA, level * (row[k].twice ? 2 : 1)), &t, err);
		TT_THEN(rc, decide(w, &t, err));
		k++;
	}
	return rc;
}

/* --- crashes ----------------------------------------------------------------------------------- */

bool
tt_row_is_crashes(const struct tt_judging *w)
{
	return w->v->ab && w->r->row->measure.metric->traits & TT_METRIC_UNENDED && w->r->row->line == 0;
}

/* "new crashed 3 of 8 (signal 11)" */
static const char *
crashed(struct tt_judging *w, enum tt_side side, struct tt_err *err)
{
	const struct tt_ab *ab = w->v->ab;
	const char *who = side == TT_NEW ? "new" : "old", *how = "", *cut = "";

	if (ab->crash[side])
		how = tt_verdict_text(w->v, err, " (%s)", ab->crash[side]);
	if (ab->unended[side])
		cut = tt_verdict_text(w->v, err, " and left %zu capture%s off", ab->unended[side],
		    ab->unended[side] == 1 ? " that breaks" : "s that break");
	return how && cut ? tt_verdict_text(w->v, err, "%s crashed %zu of %zu%s%s", who, ab->crashes[side], ab->runs[side], how, cut) : NULL;
}

int
tt_row_crashes(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_ab *ab = w->v->ab;
	struct tt_verdict_row *r = w->r;
	size_t now = ab->crashes[TT_NEW] + ab->unended[TT_NEW], was = ab->crashes[TT_OLD] + ab->unended[TT_OLD];
	const char *new = crashed(w, TT_NEW, err), *old = new ? crashed(w, TT_OLD, err) : NULL;

	if (!old)
		return err->code;
	r->name = "crashes";
	r->title = "crashes";
	r->dim = TT_DIM_NUMBER;
	r->has_value = r->has_base = r->has_limit = true;
	r->n = ab->runs[TT_NEW];
	r->m = ab->runs[TT_OLD];
	r->sessions = 1;
	r->value = tt_scale((int64_t)now, TT_NUMBER_ONE, 1);
	r->base = tt_scale((int64_t)was, TT_NUMBER_ONE, 1);
	r->limit = tt_scale((int64_t)(was + ab->more_crashes), TT_NUMBER_ONE, 1);
	r->outcome = r->value > r->limit ? TT_BREACH : TT_PASS;
	r->text = tt_verdict_text(w->v, err, "%s, %s", new, old);
	if (r->outcome == TT_BREACH)
		r->hint = ab->crashes[TT_NEW] ? "what crashed runs printed last is in the log above; their captures are not judged" :
		    "a capture breaks off if the program ended without closing it: what it holds is judged";
	return r->text ? TT_OK : err->code;
}
