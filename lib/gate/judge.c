/**
 * Judging captures against a budget; the contract is in verdict.h.
 */
#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/compare.h"
#include "stat/num.h"

const char *const tt_outcome_name[TT_OUTCOMES] = {
	[TT_PASS] = "pass", [TT_NOT_WORSE] = "not worse", [TT_UNDECIDED] = "undecided",
	[TT_CANNOT_JUDGE] = "cannot judge", [TT_WAIVED] = "waived", [TT_SKIPPED] = "skipped", [TT_BREACH] = "breach",
	[TT_WORSE] = "worse",
};
const char *const tt_outcome_id[TT_OUTCOMES] = {
	[TT_PASS] = "pass", [TT_NOT_WORSE] = "not_worse", [TT_UNDECIDED] = "undecided",
	[TT_CANNOT_JUDGE] = "cannot_judge", [TT_WAIVED] = "waived", [TT_SKIPPED] = "skipped", [TT_BREACH] = "breach",
	[TT_WORSE] = "worse",
};

/* A row at work. */
struct work {
	struct tt_verdict *v;
	const struct tt_judge_opts *o;
	struct tt_mem *mem;
	struct tt_verdict_row *r;
	const char **why;             /* by row of the verdict: of CANNOT_JUDGE and SKIPPED */
	struct tt_shift *shift;       /* by row: as found, larger is worse */
	double *p;                    /* of the tested rows */
	size_t np;
};

/* --- the figures of a row ------------------------------------------------------------- */

/* The captures of ${s} that the row means, of the row's group. */
static int
points(struct work *w, const struct tt_sample *s, size_t n, struct tt_point **to, size_t *nto, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;

	*to = tt_arena_alloc(&w->v->arena, (n + 1) * sizeof **to, err);
	if (!*to)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const struct tt_value *v = &s[i].value[r->row->which];
		const char *group = r->group ? tt_sample_fact(&s[i], w->o->group_by) : NULL;

		if (!tt_row_means(r->row, &s[i]) || (r->group && (!group || strcmp(group, r->group) != 0)))
			continue;
		(*to)[(*nto)++] = (struct tt_point){ .sample = &s[i], .known = v->known, .v = v->v };
	}
	return TT_OK;
}

static const struct tt_value *
value_of(const struct tt_verdict_row *r, const struct tt_point *p)
{
	return &p->sample->value[r->row->which];
}

/* The known values of ${p}, each times ${sign}; NULL out of memory. */
static int64_t *
known(struct work *w, const struct tt_point *p, size_t n, int sign, size_t *count, struct tt_err *err)
{
	int64_t *v = tt_arena_alloc(&w->v->arena, (n + 1) * sizeof *v, err);

	*count = 0;
	for (size_t i = 0; i < n && v; i++)
		if (p[i].known)
			v[(*count)++] = sign * p[i].v;
	return v;
}

static int64_t
median(const int64_t *v, size_t n)
{
	return tt_quantile_i64(v, n, 1, 2);
}

/* Is no capture one that the row's name means something in? Then the first one's reason. */
static const char *
all_absent(const struct tt_verdict_row *r)
{
	for (size_t i = 0; i < r->npoint; i++)
		if (!value_of(r, &r->point[i])->absent)
			return NULL;
	return r->npoint ? value_of(r, &r->point[0])->why : NULL;
}

static const char *
first_why(const struct tt_verdict_row *r, const struct tt_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!p[i].known && value_of(r, &p[i])->why)
			return value_of(r, &p[i])->why;
	return "the baseline was saved before there was this row: save it again";
}

static void
cannot(struct work *w, const char *why)
{
	w->r->outcome = TT_CANNOT_JUDGE;
	w->why[w->r - w->v->row] = why;
}

static void
skip(struct work *w, const char *why)
{
	w->r->outcome = TT_SKIPPED;
	w->why[w->r - w->v->row] = why;
}

/* A counter's dimension is known only now. */
static int
check_dim(const struct work *w, const struct tt_limit *l, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;

	if ((l->kind != TT_LIMIT_AMOUNT && l->kind != TT_LIMIT_CHANGE) || l->dim == r->dim)
		return TT_OK;
	if (l->dim == TT_DIM_NUMBER && l->v == 0)
		return TT_OK;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: row \"%s\": the limit %s is of another kind than the counter, "
	    "whose unit is %s", w->v->budget->path, r->row->line, r->row->column, r->row->id, l->text, tt_dim_name[r->dim]);
}

/* The capture with the worst figure. */
static void
find_worst(struct tt_verdict_row *r, bool less_is_worse)
{
	const struct tt_point *worst = NULL;

	for (size_t i = 0; i < r->npoint; i++) {
		const struct tt_point *p = &r->point[i];

		if (p->known && (!worst || (less_is_worse ? p->v < worst->v : p->v > worst->v)))
			worst = p;
	}
	r->worst = worst ? worst->sample : NULL;
}

/* Is there anything to judge? Sets n, dim and, if not, the outcome. */
static bool
has_figures(struct work *w)
{
	struct tt_verdict_row *r = w->r;

	r->dim = tt_measure_dim(&r->row->measure);
	for (size_t i = 0; i < r->npoint; i++) {
		r->n += r->point[i].known;
		if (r->point[i].known)
			r->dim = value_of(r, &r->point[i])->dim;
	}
	if (r->n == 0) {
		cannot(w, first_why(r, r->point, r->npoint));
		return false;
	}
	if (r->n < r->row->min_captures) {
		cannot(w, NULL);
		r->need = r->row->min_captures;
		return false;
	}
	return true;
}

/* --- absolute rows ----------------------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t
mean(const int64_t *v, size_t n)
{
	__extension__ __int128 sum = 0, all = n, half = all / 2;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return (int64_t)((sum < 0 ? sum - half : sum + half) / all);
}

/* The statistic over the frames of all captures together; ${v} are those, sorted. */
static int64_t
pooled_stat(const struct tt_measure *x, const int64_t *v, size_t n)
{
	static const struct { unsigned num, den; } rank[TT_STATS] = {
		[TT_STAT_MEDIAN] = { 1, 2 }, [TT_STAT_P90] = { 90, 100 }, [TT_STAT_P95] = { 95, 100 },
		[TT_STAT_P99] = { 99, 100 }, [TT_STAT_P999] = { 999, 1000 }, [TT_STAT_MAX] = { 1, 1 },
		[TT_STAT_FRAME_MEDIAN] = { 1, 2 }, [TT_STAT_FRAME_P95] = { 95, 100 }, [TT_STAT_FRAME_P99] = { 99, 100 },
		[TT_STAT_FRAME_MAX] = { 1, 1 },
	};
	enum tt_family f = x->metric->family;
	size_t over = 0;

	if (f == TT_FAM_OVER || f == TT_FAM_ALLOC_FRAMES) {
		int64_t limit = f == TT_FAM_OVER ? tt_scale(x->limit_ns, TT_AMOUNT_ONE, 1) : 0;

		while (over < n && v[n - 1 - over] > limit)
			over++;
		return x->stat == TT_STAT_COUNT ? tt_scale((int64_t)over, TT_AMOUNT_ONE, 1) :
		    tt_scale((int64_t)over * 1000, TT_AMOUNT_ONE, (int64_t)n);
	}
	if (rank[x->stat].den)
		return tt_quantile_i64(v, n, rank[x->stat].num, rank[x->stat].den);
	if (x->stat == TT_STAT_STDDEV)
		return tt_stddev_i64(v, n);
	if (f == TT_FAM_FPS)      /* frames in 1e12 thousandths of a ns, in thousandths */
		return tt_scale(INT64_C(1000000000000), TT_AMOUNT_ONE, mean(v, n));
	return mean(v, n);
}

static int
pooled(struct work *w, int64_t *value, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	size_t n = 0, all = 0;
	int64_t *v;

	for (size_t i = 0; i < r->npoint; i++)
		all += value_of(r, &r->point[i])->neach;
	v = tt_mem_alloc(w->mem, (all + 1) * sizeof *v, err);
	if (!v)
		return err->code;
	for (size_t i = 0; i < r->npoint; i++) {
		const struct tt_value *x = value_of(r, &r->point[i]);

		if (x->neach)
			memcpy(v + n, x->each, x->neach * sizeof *v);
		n += x->neach;
	}
	if (n)
		qsort(v, n, sizeof *v, by_value);
	*value = n ? pooled_stat(&r->row->measure, v, n) : 0;
	tt_mem_free(w->mem, v, (all + 1) * sizeof *v);
	return TT_OK;
}

static int
over_captures(struct work *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	bool less_is_worse = r->row->max.kind == TT_LIMIT_NONE;
	size_t n;
	int64_t *v = known(w, r->point, r->npoint, 1, &n, err);

	if (!v)
		return err->code;
	tt_sort_i64(v, n);
	r->has_value = true;
	switch (r->row->over) {
	case TT_OVER_WORST:
		r->value = less_is_worse ? v[0] : v[n - 1];
		break;
	case TT_OVER_BEST:
		r->value = less_is_worse ? v[n - 1] : v[0];
		break;
	case TT_OVER_MEAN:
		r->value = mean(v, n);
		break;
	case TT_OVER_POOLED:
		return pooled(w, &r->value, err);
	case TT_OVER_MEDIAN:
		r->value = median(v, n);
		break;
	}
	return TT_OK;
}

static int
absolute(struct work *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_limit *max = &r->row->max, *min = &r->row->min;
	const char *absent = all_absent(r);
	bool forbidden = max->kind == TT_LIMIT_AMOUNT && max->v == 0;
	int rc;

	/* A name that nothing has is a misspelling, unless the row says that there must be none. */
	if (absent && !forbidden && r->row->measure.metric->select != TT_SELECT_NONE) {
		cannot(w, absent);
		return TT_OK;
	}
	if (!has_figures(w))
		return TT_OK;
	rc = check_dim(w, max, err);
	if (rc == TT_OK)
		rc = check_dim(w, min, err);
	if (rc == TT_OK)
		rc = over_captures(w, err);
	if (rc != TT_OK)
		return rc;
	r->has_limit = true;
	r->limit_is_min = max->kind == TT_LIMIT_NONE || (min->kind == TT_LIMIT_AMOUNT && r->value < min->v);
	r->limit = r->limit_is_min ? min->v : max->v;
	r->outcome = (r->limit_is_min ? r->value < r->limit : r->value > r->limit) ? TT_BREACH : TT_PASS;
	find_worst(r, r->limit_is_min);
	return TT_OK;
}

/* --- rows against the baseline -------------------------------------------------------------- */

/* The baseline's figures of the row; false: there are none, and the outcome says so. */
static int
base_points(struct work *w, bool *any, struct tt_err *err)
{
	const struct tt_baseline *b = w->v->base;
	struct tt_verdict_row *r = w->r;
	const char *last = NULL;
	int rc;

	*any = false;
	if (!b) {
		skip(w, "no baseline yet");
		return TT_OK;
	}
	if (!has_figures(w))
		return TT_OK;
	rc = points(w, b->sample, b->nsample, &r->base_point, &r->nbase_point, err);
	for (size_t i = 0; i < r->nbase_point; i++) {
		const struct tt_point *p = &r->base_point[i];

		r->m += p->known;
		if (p->known && (!last || strcmp(last, p->sample->session) != 0))
			r->sessions++;
		last = p->known ? p->sample->session : last;
	}
	if (rc == TT_OK && r->m == 0)
		cannot(w, r->nbase_point ? first_why(r, r->base_point, r->nbase_point) : "the baseline has no capture that the row means");
	*any = rc == TT_OK && r->m > 0;
	return rc;
}

static int
medians(struct work *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	size_t n, m;
	int64_t *y = known(w, r->point, r->npoint, 1, &n, err), *x;

	x = y ? known(w, r->base_point, r->nbase_point, 1, &m, err) : NULL;
	if (!x)
		return err->code;
	tt_sort_i64(x, m);
	tt_sort_i64(y, n);
	r->has_value = r->has_base = true;
	r->value = median(y, n);
	r->base = median(x, m);
	return TT_OK;
}

static int
exact(struct work *w, struct tt_err *err)
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
	find_worst(r, !more);
	if (base_varies)
		cannot(w, "the baseline's captures differ already: this figure is not exact");
	return rc;
}

/*
 * What is allowed for the difference of sessions: they are taken to spread by the budget's session_spread, which
 * counts as one session's evidence, and by what the baseline's own show. A new session differs from the mean of n by
 * sqrt(1 + 1/n) times as much.
 */
static int
session_spread(struct work *w, int64_t *spread, struct tt_err *err)
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
		v = known(w, r->base_point + i, end - i, 1, &count, err);
		if (!v)
			return err->code;
		tt_sort_i64(v, count);
		if (count && n < r->sessions)
			of[n++] = median(v, count);
	}
	for (size_t i = 0; i < n; i++)
		mean += (double)of[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += ((double)of[i] - mean) * ((double)of[i] - mean);
	sum = n ? sqrt(sum / (double)n * (1 + 1 / (double)n)) : 0;
	*spread = sum < 9e18 ? (int64_t)(sum + 0.5) : INT64_MAX / 2;
	return TT_OK;
}

static int
relative(struct work *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_limit *l = r->row->max.kind != TT_LIMIT_NONE ? &r->row->max : &r->row->min;
	int sign = l == &r->row->max ? 1 : -1, rc;
	int64_t *x, *y;
	size_t n, m;
	bool any;

	if (all_absent(r) && r->row->measure.metric->select != TT_SELECT_NONE) {
		cannot(w, all_absent(r));
		return TT_OK;
	}
	rc = base_points(w, &any, err);
	if (rc != TT_OK || !any)
		return rc;
	rc = check_dim(w, l, err);
	if (rc == TT_OK)
		rc = medians(w, err);
	if (rc == TT_OK)
		rc = session_spread(w, &r->widened, err);
	y = rc == TT_OK ? known(w, r->point, r->npoint, sign, &n, err) : NULL;
	x = y ? known(w, r->base_point, r->nbase_point, sign, &m, err) : NULL;
	if (!x)
		return err->code;
	r->limit_is_min = sign < 0;
	r->has_limit = true;
	r->limit = l->kind == TT_LIMIT_CHANGE ? l->v : tt_scale(r->base < 0 ? -r->base : r->base, l->v, 1000000);
	r->limit = r->limit > INT64_MAX / 2 ? INT64_MAX : r->limit + r->widened;
	if (r->row->effect > r->limit)
		r->limit = r->row->effect;
	find_worst(r, sign < 0);
	r->tested = true;
	w->p[w->np] = 1;
	rc = tt_mann_whitney(x, m, y, n, &r->p, w->mem, err);
	if (rc == TT_OK)
		rc = tt_hodges_lehmann(x, m, y, n, TT_ALPHA, &w->shift[r - w->v->row], w->mem, err);
	if (rc == TT_OK)
		rc = tt_kolmogorov_smirnov(x, m, y, n, &r->ks, &r->ks_p, w->mem, err);
	w->p[w->np++] = r->p;
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

static int64_t
ppm(int64_t v, int64_t base)
{
	return tt_scale(v, 1000000, base < 0 ? -base : base);
}

/* What the test says, once all rows' probabilities are known. */
static void
decide(struct work *w, double adjusted)
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
		cannot(w, NULL);
		r->need = captures_needed(w->np);
	} else if (adjusted <= TT_ALPHA * (1 + 1e-9) && s->shift > r->limit) {
		r->outcome = TT_WORSE;
	} else if (s->has_high && s->high <= r->limit) {
		r->outcome = TT_NOT_WORSE;
	} else {
		r->outcome = TT_UNDECIDED;
	}
}

/* --- all rows ----------------------------------------------------------------------------------- */

/* Does any capture tell the facts that the row's where asks for? */
static const char *
unknown_fact(const struct work *w)
{
	const struct tt_budget_row *row = w->r->row;

	for (size_t k = 0; k < row->nwhere; k++) {
		bool told = false;

		for (size_t i = 0; i < w->v->nsample; i++)
			told |= tt_sample_fact(&w->v->sample[i], row->where[k].key) != NULL;
		if (!told)
			return row->where[k].key;
	}
	return NULL;
}

static int
judge_row(struct work *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const char *fact;
	int rc = points(w, w->v->sample, w->v->nsample, &r->point, &r->npoint, err);

	r->dim = tt_measure_dim(&r->row->measure);
	r->limit_is_min = r->row->max.kind == TT_LIMIT_NONE && !r->row->exact;
	r->title = rc == TT_OK ? tt_measure_title(&r->row->measure, &w->v->arena, err) : NULL;
	if (!r->title)
		return err->code;
	if (r->row->level == TT_LEVEL_OFF) {
		skip(w, "its level is off");
		return TT_OK;
	}
	fact = unknown_fact(w);
	if (r->npoint == 0 && fact) {
		const char *why = tt_verdict_text(w->v, err, "no capture tells its \"%s\", which \"where\" asks for (--meta %s=...)",
		    fact, fact);

		cannot(w, why);
		return why ? TT_OK : err->code;
	}
	if (r->npoint == 0) {
		skip(w, "its \"where\" means none of these captures");
		return TT_OK;
	}
	return r->row->relative ? relative(w, err) : r->row->exact ? exact(w, err) : absolute(w, err);
}

static int
test_rows(struct work *w, struct tt_err *err)
{
	size_t k = 0;
	int rc = tt_holm(w->p, w->np, w->mem, err);

	for (size_t i = 0; i < w->v->nrow && rc == TT_OK; i++) {
		w->r = &w->v->row[i];
		if (w->r->tested)
			decide(w, w->p[k++]);
	}
	return rc;
}

static void
waive(struct work *w)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_waive *x = &r->row->waive;

	r->would = r->outcome;
	if ((r->outcome == TT_BREACH || r->outcome == TT_WORSE) && x->until && strcmp(w->v->today, x->until) <= 0)
		r->outcome = TT_WAIVED;
	r->fails = (r->outcome == TT_BREACH || r->outcome == TT_WORSE) && r->row->level == TT_LEVEL_ERROR;
	w->v->warned += (r->outcome == TT_BREACH || r->outcome == TT_WORSE) && r->row->level == TT_LEVEL_WARN;
	w->v->count[r->outcome]++;
}

static int
exit_code(const struct work *w)
{
	const struct tt_verdict *v = w->v;
	bool fails = false, cannot_judge = false, undecided = false, damaged = false;

	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		fails |= r->fails;
		cannot_judge |= r->outcome == TT_CANNOT_JUDGE && r->row->level == TT_LEVEL_ERROR;
		undecided |= r->outcome == TT_UNDECIDED && r->row->level == TT_LEVEL_ERROR;
	}
	for (size_t i = 0; i < v->nsample; i++)
		damaged |= v->sample[i].damaged && v->budget->integrity == TT_LEVEL_ERROR;
	if (damaged)
		return 3;
	if (fails)
		return 1;
	if (w->o->inconclusive == TT_INCONCLUSIVE_PASS)
		return 0;
	return cannot_judge || (undecided && w->o->inconclusive == TT_INCONCLUSIVE_FAIL) ? 5 : 0;
}

static int
finish_rows(struct work *w, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < w->v->nrow && rc == TT_OK; i++) {
		w->r = &w->v->row[i];
		waive(w);
		rc = tt_movers(w->v, w->r, err);
		if (rc == TT_OK)
			rc = tt_row_words(w->v, w->r, w->why[i], err);
	}
	return rc;
}

/* --- groups ------------------------------------------------------------------------------------------ */

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The values of the fact that captures are grouped by, in order; one NULL without. */
static const char **
groups(const struct work *w, size_t *n, struct tt_err *err)
{
	const struct tt_verdict *v = w->v;
	const char **g = tt_arena_alloc(&w->v->arena, (v->nsample + 1) * sizeof *g, err);
	size_t all = 0;

	*n = 1;
	if (!g || !w->o->group_by)
		return g;
	for (size_t i = 0; i < v->nsample; i++) {
		g[all] = tt_sample_fact(&v->sample[i], w->o->group_by);
		all += g[all] != NULL;
	}
	if (all == 0) {
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no capture tells its \"%s\" to group by (--meta %s=...)",
		    w->o->group_by, w->o->group_by);
		return NULL;
	}
	qsort(g, all, sizeof *g, by_text);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || strcmp(g[i], g[*n - 1]) != 0)
			g[(*n)++] = g[i];
	return g;
}

static int
make_rows(struct work *w, struct tt_err *err)
{
	struct tt_verdict *v = w->v;
	size_t ngroup;
	const char **group = groups(w, &ngroup, err);

	if (!group)
		return err->code;
	v->nrow = v->budget->nrow * ngroup;
	v->row = tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *v->row, err);
	w->why = v->row ? tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *w->why, err) : NULL;
	w->shift = w->why ? tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *w->shift, err) : NULL;
	w->p = w->shift ? tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *w->p, err) : NULL;
	if (!w->p)
		return err->code;
	for (size_t i = 0; i < v->nrow; i++) {
		struct tt_verdict_row *r = &v->row[i];

		r->row = &v->budget->row[i / ngroup];
		r->group = group[i % ngroup];
		r->name = r->group ? tt_verdict_text(v, err, "%s [%s]", r->row->id, r->group) : r->row->id;
		if (!r->name)
			return err->code;
	}
	return TT_OK;
}

int
tt_judge(const struct tt_budget *budget, const struct tt_baseline *base, const struct tt_sample *s, size_t n,
    const struct tt_judge_opts *o, struct tt_verdict *v, struct tt_mem *mem, struct tt_err *err)
{
	struct work w = { .v = v, .o = o, .mem = mem };
	int rc;

	*v = (struct tt_verdict){ .sample = s, .nsample = n, .budget = budget, .base = base, .today = o->today };
	tt_arena_init(&v->arena, mem);
	if (!base && budget->baseline && !o->first)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has rows that compare with a baseline: give it with --baseline "
		    "(--save makes one)", budget->path);
	rc = make_rows(&w, err);
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		w.r = &v->row[i];
		rc = judge_row(&w, err);
	}
	if (rc == TT_OK)
		rc = test_rows(&w, err);
	if (rc == TT_OK)
		rc = finish_rows(&w, err);
	v->exit_code = exit_code(&w);
	return rc == TT_OK ? tt_verdict_words(v, err) : rc;
}

void
tt_verdict_free(struct tt_verdict *v)
{
	tt_arena_free(&v->arena);
}
