/**
 * Judges rows with absolute limits, and computes the figures of all rows.
 */
#include <string.h>

#include "base/order.h"
#include "gate/baseline.h"
#include "gate/judge.h"
#include "stat/num.h"

/* --- the figures of a row ------------------------------------------------------------- */

/* Collect the captures of ${s} that the row applies to, in its group. */
int
tt_row_points(struct tt_judging *w, const struct tt_sample *s, size_t n, struct tt_point **to, size_t *nto,
    struct tt_err *err)
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

/* The known values of ${p}, each multiplied by ${sign}; NULL: out of memory. */
int64_t *
tt_row_known(struct tt_judging *w, const struct tt_point *p, size_t n, int sign, size_t *count, struct tt_err *err)
{
	int64_t *v = tt_arena_alloc(&w->v->arena, (n + 1) * sizeof *v, err);

	*count = 0;
	for (size_t i = 0; i < n && v; i++)
		if (p[i].known)
			v[(*count)++] = sign * p[i].v;
	return v;
}

int64_t
tt_row_median(const int64_t *v, size_t n)
{
	return tt_quantile_i64(v, n, 1, 2);
}

/* If the row's name is in no capture, the first capture's reason; else NULL. */
const char *
tt_row_absent(const struct tt_verdict_row *r)
{
	for (size_t i = 0; i < r->npoint; i++)
		if (!value_of(r, &r->point[i])->absent)
			return NULL;
	return r->npoint ? value_of(r, &r->point[0])->why : NULL;
}

/* True if a capture of the baseline has the row's name. Captures that crashed early, before any frame, do not prove that the name is gone. */
static bool
base_knows(const struct tt_judging *w)
{
	const struct tt_baseline *b = w->v->base;
	const struct tt_verdict_row *r = w->r;
	bool frames = true;

	for (size_t i = 0; i < r->npoint; i++)
		frames = frames && r->point[i].sample->frames > 0;
	for (size_t i = 0; b && i < b->nsample; i++) {
		const struct tt_value *v = &b->sample[i].value[r->row->which];

		/* Earlier versions recorded 0 for what only other threads run. */
		if (v->v == 0 && value_of(r, &r->point[0])->elsewhere)
			continue;
		if (tt_row_means(r->row, &b->sample[i]) && v->known && !v->absent && (frames || b->sample[i].frames == 0))
			return true;
	}
	return false;
}

bool
tt_row_unknown(struct tt_judging *w)
{
	struct tt_verdict_row *r = w->r;
	const char *absent = tt_row_absent(r);

	if (!absent || r->row->measure.metric->select == TT_SELECT_NONE)
		return false;
	r->gone = base_knows(w);
	if (!r->gone) {
		tt_row_cannot(w, absent);
		return true;
	}
	for (size_t i = 0; i < r->npoint; i++)
		if (r->point[i].known)
			return false;
	/* A marker that is never called takes no time, which no maximum forbids. */
	if ((r->row->measure.metric->select == TT_SELECT_MARKER || r->row->measure.metric->select == TT_SELECT_ROW) &&
	    r->row->max.kind != TT_LIMIT_NONE)
		r->outcome = r->row->relative ? TT_NOT_WORSE : TT_PASS;
	else
		tt_row_cannot(w, "the baseline has it, and these captures do not");
	return true;
}

const char *
tt_row_why(const struct tt_verdict_row *r, const struct tt_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (value_of(r, &p[i])->why)
			return value_of(r, &p[i])->why;
	return "its figures were made before there was this row: make them again";
}

void
tt_row_cannot(struct tt_judging *w, const char *why)
{
	w->r->outcome = TT_CANNOT_JUDGE;
	w->why[w->r - w->v->row] = why;
}

void
tt_row_skip(struct tt_judging *w, const char *why)
{
	w->r->outcome = TT_SKIPPED;
	w->why[w->r - w->v->row] = why;
}

/* The dimension of a counter is known only here. */
int
tt_row_check_dim(const struct tt_judging *w, const struct tt_limit *l, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;

	if ((l->kind != TT_LIMIT_AMOUNT && l->kind != TT_LIMIT_CHANGE) || l->dim == r->dim)
		return TT_OK;
	if (l->dim == TT_DIM_NUMBER && l->v == 0)
		return TT_OK;
	size_t i = 0;
	while (i < r->npoint && !(r->point[i].known && value_of(r, &r->point[i])->dim == r->dim))
		i++;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: row \"%s\": the limit %s is of another kind than the %s%s%s, "
	    "whose unit is %s", w->v->budget->path, r->row->line, r->row->column, r->row->id, l->text,
	    r->row->measure.metric->select == TT_SELECT_GROUP ? "sample group" : "counter", i < r->npoint ? " in " : "",
	    i < r->npoint ? r->point[i].sample->name : "", tt_dim_name[r->dim]);
}

/* Set r->worst. */
void
tt_row_find_worst(struct tt_verdict_row *r, bool less_is_worse)
{
	const struct tt_point *worst = NULL;

	for (size_t i = 0; i < r->npoint; i++) {
		const struct tt_point *p = &r->point[i];

		if (p->known && (!worst || (less_is_worse ? p->v < worst->v : p->v > worst->v)))
			worst = p;
	}
	r->worst = worst->sample;
}

/* True if enough captures have a figure. Sets n and dim; if false, also the outcome. */
bool
tt_row_has_figures(struct tt_judging *w)
{
	struct tt_verdict_row *r = w->r;

	r->dim = tt_measure_dim(&r->row->measure);
	for (size_t i = 0; i < r->npoint; i++) {
		r->n += r->point[i].known;
		if (r->point[i].known)
			r->dim = value_of(r, &r->point[i])->dim;
	}
	r->missing = r->npoint - r->n;
	if (r->n == 0) {
		tt_row_cannot(w, tt_row_why(r, r->point, r->npoint));
		return false;
	}
	if (r->n >= r->row->min_captures)
		return true;
	if (w->v->ab) {
		tt_row_cannot(w, NULL);
		r->need = r->row->min_captures;
		return false;
	}
	/* Too few captures have a figure: runs that left none are assumed to be bad. */
	r->outcome = TT_BREACH;
	tt_row_find_worst(r, r->row->max.kind == TT_LIMIT_NONE);
	r->too_few = true;
	return false;
}

/* The first capture without a figure; there is one. */
static const struct tt_point *
first_missing(const struct tt_verdict_row *r)
{
	const struct tt_point *p = r->point;

	while (p->known)
		p++;
	return p;
}

/* A row that would pass cannot be judged if too many captures lack the figure: those that crashed might have failed. */
int
tt_row_missing(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	bool passes = r->outcome == TT_PASS || r->outcome == TT_NOT_WORSE || r->outcome == TT_UNDECIDED || r->outcome == TT_SKIPPED;
	const struct tt_point *p;
	const char *why;

	if (!passes || r->missing <= r->row->max_missing)
		return TT_OK;
	p = first_missing(r);
	why = tt_verdict_text(w->v, err, "%zu of %zu captures %s no figure, max_missing is %u; %s: %s", r->missing, r->npoint,
	    r->missing == 1 ? "has" : "have",
	    r->row->max_missing, p->sample->name, tt_row_why(r, p, 1));
	tt_row_cannot(w, why);
	return why ? TT_OK : err->code;
}

/* --- absolute rows ----------------------------------------------------------------------- */

/* The statistic over the frames of all captures together; ${v}: the ${n} sorted values of these frames. */
static int64_t
pooled_stat(const struct tt_measure *x, const int64_t *v, size_t n)
{
	const struct tt_stat_rank rank = tt_stat_rank[x->stat];
	size_t over = 0;

	if (x->metric->dim == TT_DIM_PER_1000) {
		const int64_t limit = tt_scale(x->limit_ns, TT_AMOUNT_ONE, 1);

		while (over < n && v[n - 1 - over] > limit)
			over++;
		return x->stat == TT_STAT_COUNT ? tt_scale((int64_t)over, TT_NUMBER_ONE, 1) :
		    tt_scale((int64_t)over * 1000, TT_AMOUNT_ONE, (int64_t)n);
	}
	if (rank.of)
		return tt_quantile_i64(v, n, rank.rank, rank.of);
	if (x->stat == TT_STAT_STDDEV)
		return tt_stddev_i64(v, n);
	if (x->metric->dim == TT_DIM_FPS)      /* frames per 1e12 thousandths of a ns (1 s), in thousandths */
		return tt_scale(INT64_C(1000000000000), TT_AMOUNT_ONE, tt_mean_i64(v, n));
	return x->stat == TT_STAT_TRIMMED ? tt_trimmed_i64(v, n) : tt_mean_i64(v, n);
}

static int
pooled(struct tt_judging *w, int64_t *value, struct tt_err *err)
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
	tt_sort_i64(v, n);
	*value = n ? pooled_stat(&r->row->measure, v, n) : 0;
	tt_mem_free(w->mem, v, (all + 1) * sizeof *v);
	return TT_OK;
}

static int
over_captures(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	bool less_is_worse = r->row->max.kind == TT_LIMIT_NONE;
	size_t n;
	int64_t *v = tt_row_known(w, r->point, r->npoint, 1, &n, err);

	if (!v)
		return err->code;
	tt_sort_i64(v, n);
	r->has_value = true;
	if (r->row->captures) {
		r->value = tt_scale((int64_t)n, tt_amount_one(r->dim), 1);
		return TT_OK;
	}
	switch (r->row->over) {
	case TT_OVER_WORST:
		r->value = less_is_worse ? v[0] : v[n - 1];
		break;
	case TT_OVER_BEST:
		r->value = less_is_worse ? v[n - 1] : v[0];
		break;
	case TT_OVER_MEAN:
		r->value = tt_mean_i64(v, n);
		break;
	case TT_OVER_POOLED:
		return pooled(w, &r->value, err);
	case TT_OVER_MEDIAN:
		r->value = tt_row_median(v, n);
		break;
	}
	return TT_OK;
}

/* A row that would pass by a figure that may really be worse cannot be judged. */
static void
doubt_pass(struct tt_judging *w)
{
	const struct tt_verdict_row *r = w->r;

	for (size_t i = 0; i < r->npoint && r->outcome == TT_PASS; i++)
		if (r->point[i].known && value_of(r, &r->point[i])->doubted)
			tt_row_cannot(w, value_of(r, &r->point[i])->why);
}

int
tt_row_absolute(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const struct tt_limit *max = &r->row->max, *min = &r->row->min;
	bool forbidden = max->kind == TT_LIMIT_AMOUNT && max->v == 0;
	int rc;

	if (r->row->captures && w->v->ab) {
		tt_row_skip(w, "an A/B run takes as many pairs as it needs");
		return TT_OK;
	}
	/* A name that no capture has is probably misspelled, unless the row forbids it. */
	if (!forbidden && tt_row_unknown(w))
		return TT_OK;
	if (!tt_row_has_figures(w))
		return TT_OK;
	rc = tt_row_check_dim(w, max, err);
	TT_THEN(rc, tt_row_check_dim(w, min, err));
	TT_THEN(rc, over_captures(w, err));
	if (rc != TT_OK)
		return rc;
	r->has_limit = true;
	r->limit_is_min = max->kind == TT_LIMIT_NONE || (min->kind == TT_LIMIT_AMOUNT && r->value < min->v);
	r->limit = r->limit_is_min ? min->v : max->v;
	r->outcome = (r->limit_is_min ? r->value < r->limit : r->value > r->limit) ? TT_BREACH : TT_PASS;
	tt_row_find_worst(r, r->limit_is_min);
	doubt_pass(w);
	return TT_OK;
}
