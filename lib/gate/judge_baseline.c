/**
 * Judges rows against the baseline; the contract is in judge.h.
 */
#include <math.h>
#include <string.h>

#include "base/setting.h"
#include "gate/baseline.h"
#include "gate/judge.h"
#include "stat/num.h"

/* The row's first baseline is being made: captures without the figure would make one that nothing can be compared with. */
static void
no_base(struct tt_judging *w)
{
	struct tt_verdict_row *r = w->r;

	for (size_t i = 0; i < r->npoint; i++)
		r->missing += !r->point[i].known;
	if (r->missing == r->npoint)
		tt_row_cannot(w, tt_row_why(r, r->point, r->npoint));
	else
		tt_row_skip(w, "no baseline yet");
}

/* It is the baseline's fault that there is nothing to compare with. */
static int
no_base_figure(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	const struct tt_sample *s = r->nbase_point ? r->base_point[0].sample : NULL;
	const char *why = s ? s->value[r->row->which].why : NULL;

	if (!s && r->group)
		why = tt_verdict_text(w->v, err, "the baseline has no capture of this group, which is new: add some with %s",
		    tt_setting_name[TT_SETTING_APPEND]);
	else if (!s)
		why = "the baseline has no capture that the row means";
	else if (why)
		why = tt_verdict_text(w->v, err, "no capture of the baseline has this figure: save one of good captures (%s: %s)", s->name, why);
	else
		why = tt_row_why(r, r->base_point, r->nbase_point);
	tt_row_cannot(w, why);
	return why ? TT_OK : err->code;
}

/* The baseline's figures of the row; false: there are none, and the outcome says so. */
static int
base_points(struct tt_judging *w, bool *any, struct tt_err *err)
{
	const struct tt_baseline *b = w->v->base;
	struct tt_verdict_row *r = w->r;
	const char *last = NULL;
	int rc;

	*any = false;
	if (!b) {
		no_base(w);
		return TT_OK;
	}
	if (!tt_row_has_figures(w))
		return TT_OK;
	rc = tt_row_points(w, b->sample, b->nsample, &r->base_point, &r->nbase_point, err);
	for (size_t i = 0; i < r->nbase_point; i++) {
		const struct tt_point *p = &r->base_point[i];

		r->m += p->known;
		if (p->known && (!last || strcmp(last, p->sample->session) != 0))
			r->sessions++;
		last = p->known ? p->sample->session : last;
	}
	if (rc == TT_OK && r->m == 0)
		rc = no_base_figure(w, err);
	*any = rc == TT_OK && r->m > 0;
	return rc;
}

static int
medians(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	size_t n, m;
	int64_t *y = tt_row_known(w, r->point, r->npoint, 1, &n, err), *x;

	x = y ? tt_row_known(w, r->base_point, r->nbase_point, 1, &m, err) : NULL;
	if (!x)
		return err->code;
	tt_sort_i64(x, m);
	tt_sort_i64(y, n);
	r->has_value = r->has_base = true;
	r->value = tt_row_median(y, n);
	r->base = tt_row_median(x, m);
	return TT_OK;
}

int
tt_row_exact(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	bool any, more = false, differs = false, base_varies = false;
	int rc = base_points(w, &any, err);

	if (rc != TT_OK || !any)
		return rc;
	rc = medians(w, err);
	for (size_t i = 0; i < r->nbase_point; i++)
		base_varies |= r->base_point[i].known && r->base_point[i].v != r->base;
	for (size_t i = 0; i < r->npoint; i++) {
		differs |= r->point[i].known && r->point[i].v != r->base;
		more |= r->point[i].known && r->point[i].v > r->base;
	}
	r->has_limit = true;
	r->limit = r->base;
	r->outcome = differs ? TT_BREACH : TT_PASS;
	tt_row_find_worst(r, !more);
	if (base_varies)
		tt_row_cannot(w, "the baseline's captures differ already: this figure is not exact");
	return rc;
}

/*
 * The allowance for the difference of sessions: they are taken to spread by the budget's session_spread, which
 * counts as one session's evidence, and by what the baseline's own show. A new session differs from the mean of n by
 * sqrt(1 + 1/n) times as much.
 */
static int
session_spread(struct tt_judging *w, int64_t *spread, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	int64_t *of = tt_arena_alloc(&w->v->arena, (r->sessions + 1) * sizeof *of, err);
	double prior = (double)r->base * (double)w->v->budget->session_ppm / 1e6, sum = prior * prior, mean = 0;
	size_t n = 0;

	if (!of)
		return err->code;
	for (size_t i = 0, end; i < r->nbase_point; i = end) {
		size_t count;
		int64_t *v;

		for (end = i + 1; end < r->nbase_point &&
		    strcmp(r->base_point[end].sample->session, r->base_point[i].sample->session) == 0; end++)
			;
		v = tt_row_known(w, r->base_point + i, end - i, 1, &count, err);
		if (!v)
			return err->code;
		tt_sort_i64(v, count);
		if (count && n < r->sessions)
			of[n++] = tt_row_median(v, count);
	}
	for (size_t i = 0; i < n; i++)
		mean += (double)of[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += ((double)of[i] - mean) * ((double)of[i] - mean);
	sum = sqrt(sum / (double)n * (1 + 1 / (double)n));
	*spread = sum < 9e18 ? (int64_t)(sum + 0.5) : INT64_MAX / 2;
	return TT_OK;
}

int
tt_row_relative(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_limit *l = r->row->max.kind != TT_LIMIT_NONE ? &r->row->max : &r->row->min;
	int sign = l == &r->row->max ? 1 : -1, rc;
	int64_t *x, *y;
	size_t n, m;
	bool any;

	if (tt_row_unknown(w))
		return TT_OK;
	rc = base_points(w, &any, err);
	if (rc != TT_OK || !any)
		return rc;
	rc = tt_row_check_dim(w, l, err);
	if (rc == TT_OK)
		rc = medians(w, err);
	if (rc == TT_OK)
		rc = session_spread(w, &r->widened, err);
	y = rc == TT_OK ? tt_row_known(w, r->point, r->npoint, sign, &n, err) : NULL;
	x = y ? tt_row_known(w, r->base_point, r->nbase_point, sign, &m, err) : NULL;
	if (!x)
		return err->code;
	r->limit_is_min = sign < 0;
	r->has_limit = true;
	r->limit = l->kind == TT_LIMIT_CHANGE ? l->v : tt_scale(r->base < 0 ? -r->base : r->base, l->v, 1000000);
	r->limit = r->limit > INT64_MAX / 2 ? INT64_MAX : r->limit + r->widened;
	if (r->row->effect > r->limit)
		r->limit = r->row->effect;
	tt_row_find_worst(r, sign < 0);
	r->tested = true;
	rc = tt_mann_whitney(x, m, y, n, &r->p, w->mem, err);
	if (rc == TT_OK)
		rc = tt_hodges_lehmann(x, m, y, n, TT_ALPHA, &w->shift[r - w->v->row], w->mem, err);
	if (rc == TT_OK)
		rc = tt_kolmogorov_smirnov(x, m, y, n, &r->ks, &r->ks_p, w->mem, err);
	return rc;
}

/* Captures on each side with which a row among ${rows} could fail. */
static size_t
captures_needed(size_t rows)
{
	size_t n = 2;

	while (n < 100 && tt_mann_whitney_least(n, n) * (double)rows > TT_ALPHA * (1 + 1e-9))
		n++;
	return n;
}

/* Captures at hand with which it could, against ${m} of the baseline; 0: no number would do. */
static size_t
captures_needed_here(size_t m, size_t rows)
{
	for (size_t n = 1; n <= 100; n++)
		if (tt_mann_whitney_least(m, n) * (double)rows <= TT_ALPHA * (1 + 1e-9))
			return n;
	return 0;
}

static int64_t
ppm(int64_t v, int64_t base)
{
	return tt_scale(v, 1000000, base < 0 ? -base : base);
}

/* What the test says, once all rows' probabilities are known. */
void
tt_row_decide(struct tt_judging *w, double adjusted)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_shift *s = &w->shift[r - w->v->row];
	int64_t sign = r->limit_is_min ? -1 : 1;

	r->p_adjusted = adjusted;
	r->ntested = w->np;
	r->shift = sign * s->shift;
	r->has_low = sign > 0 ? s->has_low : s->has_high;
	r->has_high = sign > 0 ? s->has_high : s->has_low;
	r->low = sign > 0 ? s->low : -s->high;
	r->high = sign > 0 ? s->high : -s->low;
	r->shift_ppm = ppm(r->shift, r->base);
	r->low_ppm = ppm(r->low, r->base);
	r->high_ppm = ppm(r->high, r->base);
	if (tt_mann_whitney_least(r->m, r->n) * (double)w->np > TT_ALPHA * (1 + 1e-9)) {
		tt_row_cannot(w, NULL);
		r->need = captures_needed(w->np);
		r->need_here = captures_needed_here(r->m, w->np);
	} else if (adjusted <= TT_ALPHA * (1 + 1e-9) && s->shift > r->limit) {
		r->outcome = TT_WORSE;
	} else if (s->high <= r->limit) {         /* captures that are enough for the test are enough for a bound */
		r->outcome = TT_NOT_WORSE;
	} else {
		r->outcome = TT_UNDECIDED;
	}
}
