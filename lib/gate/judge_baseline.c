/**
 * Judges rows whose limits are relative to the baseline.
 */
#include <string.h>

#include "base/setting.h"
#include "gate/baseline.h"
#include "gate/judge.h"
#include "stat/num.h"
#include "stat/trend.h"

static int64_t
ppm(int64_t v, int64_t base)
{
	return tt_scale(v, 1000000, base < 0 ? -base : base);
}

static int64_t
whole(double v)
{
	return v >= 9e18 ? INT64_MAX / 2 : v <= -9e18 ? -(INT64_MAX / 2) : (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/* The row has no baseline yet. If no capture has the figure, it cannot be judged, because no useful baseline could be made of them; else skip it. */
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

/* The number of sessions of the baseline from which the captures ${p} come; with ${known}, only captures with a value. */
static size_t
count_sessions(const struct tt_point *p, size_t n, bool known)
{
	const char *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (known && !p[i].known)
			continue;
		count += !last || strcmp(last, p[i].sample->session) != 0;
		last = p[i].sample->session;
	}
	return count;
}

/* Skip a row that is newer than all sessions of the baseline: it gets a baseline with the next captures that are appended. */
static int
not_yet(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	size_t n = count_sessions(r->base_point, r->nbase_point, false);
	const char *why = n == 1 ? "no baseline yet: its session is older than this row" :
	    tt_verdict_text(w->v, err, "no baseline yet: 0 of %zu sessions have this figure", n);

	r->fresh = true;
	tt_row_skip(w, why);
	return why ? TT_OK : err->code;
}

/* Set the outcome of a row without figures in the baseline: the row is new, or the baseline lacks them for a reason. */
static int
no_base_figure(struct tt_judging *w, struct tt_err *err)
{
	const struct tt_verdict_row *r = w->r;
	const struct tt_sample *s = NULL;
	const char *why = NULL;

	for (size_t i = 0; i < r->nbase_point && !why; i++) {
		s = r->base_point[i].sample;
		why = s->value[r->row->which].why;
	}
	if (s && !why)
		return not_yet(w, err);
	if (!s && r->group)
		why = tt_verdict_text(w->v, err, "the baseline has no capture of this group, which is new: add some with %s",
		    tt_setting_name[TT_SETTING_APPEND]);
	else if (!s)
		why = "the baseline has no capture that the row means";
	else
		why = tt_verdict_text(w->v, err, "no capture of the baseline has this figure: save one of good captures (%s: %s)", s->name, why);
	tt_row_cannot(w, why);
	return why ? TT_OK : err->code;
}

/* Collect the baseline's figures of the row. *${any} false: there are none, and the outcome is set. */
static int
base_points(struct tt_judging *w, bool *any, struct tt_err *err)
{
	const struct tt_baseline *b = w->v->base;
	struct tt_verdict_row *r = w->r;
	int rc;

	*any = false;
	if (!b) {
		no_base(w);
		return TT_OK;
	}
	if (!tt_row_has_figures(w))
		return TT_OK;
	rc = tt_row_points(w, b->sample, b->nsample, &r->base_point, &r->nbase_point, err);
	for (size_t i = 0; i < r->nbase_point; i++)
		r->m += r->base_point[i].known;
	r->sessions = count_sessions(r->base_point, r->nbase_point, true);
	if (r->m == 0)
		TT_THEN(rc, no_base_figure(w, err));
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

/* --- sessions ------------------------------------------------------------------------------------ */

/* The session of a capture; captures at hand without the fact "session" share the session "". */
static const char *
session_of(const struct tt_sample *s, bool of_base)
{
	const char *fact = of_base ? s->session : tt_sample_fact(s, "session");

	return fact ? fact : "";
}

/* Group the known values of ${p} by session; *${n}: number of sessions. */
static struct tt_session *
sessions(struct tt_judging *w, const struct tt_point *p, size_t np, bool of_base, int sign, size_t *n, struct tt_err *err)
{
	struct tt_in_session *o = tt_arena_alloc(&w->v->arena, (np + 1) * sizeof *o, err);
	struct tt_session *s = o ? tt_arena_alloc(&w->v->arena, (np + 1) * sizeof *s, err) : NULL;
	int64_t *v = s ? tt_arena_alloc(&w->v->arena, (np + 1) * sizeof *v, err) : NULL;
	size_t known = 0;

	*n = 0;
	for (size_t i = 0; i < np && v; i++)
		if (p[i].known)
			o[known++] = (struct tt_in_session){ session_of(p[i].sample, of_base), sign * p[i].v };
	if (!v)
		return NULL;
	*n = tt_sessions(o, known, v, s);
	return s;
}

/*
 * True if all captures at hand belong to one session that the baseline also has. Only captures of that session are compared then, because what sessions differ
 * by is the same on both sides.
 */
static bool
one_session(struct tt_verdict_row *r)
{
	const char *name = "";
	size_t n = 0;

	for (size_t i = 0; i < r->npoint; i++) {
		const char *s = session_of(r->point[i].sample, false);

		if (!r->point[i].known)
			continue;
		if (!*s || (*name && strcmp(s, name) != 0))
			return false;
		name = s;
	}
	for (size_t i = 0; i < r->nbase_point; i++)
		n += r->base_point[i].known && strcmp(r->base_point[i].sample->session, name) == 0;
	if (n == 0)
		return false;
	n = 0;
	for (size_t i = 0; i < r->nbase_point; i++)
		if (strcmp(r->base_point[i].sample->session, name) == 0)
			r->base_point[n++] = r->base_point[i];
	r->nbase_point = n;
	r->m = 0;
	for (size_t i = 0; i < n; i++)
		r->m += r->base_point[i].known;
	r->sessions = 1;
	return true;
}

/* The spread between sessions that is assumed if too few sessions show it. */
static double
assumed_spread(const struct tt_judging *w)
{
	double base = (double)w->r->base;

	return (base < 0 ? -base : base) * (double)w->v->budget->session_ppm / 1e6;
}

static double
mean_of(const struct tt_session *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s[i].value / (double)n;
	return sum;
}

/* Add to ${past} the spread of the sessions [${from}, ${to}), all of one program version, scaled to the mean ${level}. */
static int
add_past(struct tt_judging *w, size_t from, size_t to, int sign, double level, struct tt_session_past *past, struct tt_err *err)
{
	const struct tt_baseline *b = w->v->base;
	const struct tt_baseline_session *first = &b->session[from], *last = &b->session[to - 1];
	struct tt_point *p;
	struct tt_session *s;
	size_t np = 0, n;
	double mean;
	int rc = tt_row_points(w, b->all + first->first, last->first + last->n - first->first, &p, &np, err);

	s = rc == TT_OK ? sessions(w, p, np, true, sign, &n, err) : NULL;
	if (!s)
		return err->code;
	mean = mean_of(s, n);
	/* Assume that the spread is proportional to the mean. */
	if (n < 2 || mean * level <= 0)
		return TT_OK;
	for (size_t i = 0; i < n; i++)
		past->squares += (s[i].value - mean) * (s[i].value - mean) * (level / mean) * (level / mean);
	past->df += (double)(n - 1);
	w->r->before += n;
	return TT_OK;
}

/* Estimate the spread from sessions before the accepted one: they are of another program version, but of the same machine. */
static int
past_sessions(struct tt_judging *w, int sign, double level, struct tt_session_past *past, struct tt_err *err)
{
	const struct tt_baseline *b = w->v->base;
	size_t before = b->nall_session > b->nsession ? b->nall_session - b->nsession : 0, from = 0;
	int rc = TT_OK;

	*past = (struct tt_session_past){ 0 };
	for (size_t i = 1; i <= before && rc == TT_OK; i++)
		if (i == before || b->session[i].accepted) {
			rc = add_past(w, from, i, sign, level, past, err);
			from = i;
		}
	return rc;
}

/* Test both hypotheses about the limit, with sessions as the unit. */
static int
test_sessions(struct tt_judging *w, struct tt_evidence *e, int sign, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	struct tt_session_past past = { 0 };
	struct tt_session *old, *now;
	size_t k, j;
	int rc = TT_OK;

	old = sessions(w, r->base_point, r->nbase_point, true, sign, &k, err);
	now = old ? sessions(w, r->point, r->npoint, false, sign, &j, err) : NULL;
	if (!now)
		return err->code;
	if (!tt_session_shows(k, j))
		rc = past_sessions(w, sign, mean_of(old, k), &past, err);
	if (rc != TT_OK)
		return rc;
	if (!tt_session_change(old, k, now, j, assumed_spread(w), &past, &e->change)) {
		r->tested = false;
		tt_row_cannot(w, "one capture on each side does not show how much captures differ: record at least 2");
		r->need = 2;          /* too few captures alone: they may be appended */
		return TT_OK;
	}
	r->p = tt_change_worse(&e->change, (double)r->limit);
	r->p_not = tt_change_not_worse(&e->change, (double)r->limit);
	return TT_OK;
}

/* Test both hypotheses about the limit, with captures as the unit. */
static int
test_captures(struct tt_judging *w, struct tt_evidence *e, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	struct tt_session old, now;
	int64_t *up = tt_arena_alloc(&w->v->arena, (e->m + 1) * sizeof *up, err);
	int rc;

	if (!up)
		return err->code;
	for (size_t i = 0; i < e->m; i++)
		if (__builtin_add_overflow(e->x[i], r->limit, &up[i]))
			up[i] = INT64_MAX;
	rc = tt_mann_whitney(up, e->m, e->y, e->n, &r->p, w->mem, err);
	TT_THEN(rc, tt_mann_whitney(e->y, e->n, up, e->m, &r->p_not, w->mem, err));
	tt_sort_i64(e->x, e->m);
	tt_sort_i64(e->y, e->n);
	old = tt_session_of(e->x, e->m);
	now = tt_session_of(e->y, e->n);
	/* Within one session: no spread between sessions, only that of captures. */
	if (!tt_session_change(&old, 1, &now, 1, 0, NULL, &e->change))
		e->change = (struct tt_change){ 0 };
	return rc;
}

/* --- trends --------------------------------------------------------------------------------------- */

/* The values of sessions in order: those of the baseline, then those at hand as they were given. */
struct series {
	double *y;
	size_t n;
	const char *first;
};

/* Add the sessions of the known values of ${p}, each at the position of its first capture. */
static int
add_sessions(struct tt_judging *w, struct series *s, const struct tt_point *p, size_t n, bool of_base, struct tt_err *err)
{
	bool *seen = tt_arena_alloc(&w->v->arena, n + 1, err);
	int64_t *v = seen ? tt_arena_alloc(&w->v->arena, (n + 1) * sizeof *v, err) : NULL;

	if (!v)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const char *name = session_of(p[i].sample, of_base);
		size_t k = 0;

		if (!p[i].known || seen[i])
			continue;
		for (size_t j = i; j < n; j++) {
			if (!p[j].known || seen[j] || strcmp(session_of(p[j].sample, of_base), name) != 0)
				continue;
			seen[j] = true;
			v[k++] = p[j].v;
		}
		tt_sort_i64(v, k);
		s->first = s->n ? s->first : name;
		s->y[s->n++] = tt_session_of(v, k).value;
	}
	return TT_OK;
}

/* Test whether sessions rise steadily, from the oldest of the baseline to those at hand: sets r->trend. */
static int
test_trend(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	double sign = r->limit_is_min ? -1 : 1;
	struct series s = { .y = tt_arena_alloc(&w->v->arena, (r->npoint + r->nbase_point + 1) * sizeof *s.y, err) };
	struct tt_trend t;
	int rc = s.y ? TT_OK : err->code;

	/* A trend runs over sessions: captures of a single session have none. */
	if (!r->tested || !r->by_session)
		return rc;
	TT_THEN(rc, add_sessions(w, &s, r->base_point, r->nbase_point, true, err));
	TT_THEN(rc, add_sessions(w, &s, r->point, r->npoint, false, err));
	r->trend_sessions = s.n;
	r->trend_since = s.first;
	if (rc != TT_OK || s.n < TT_TREND_MIN_VALUES)
		return rc;
	for (size_t i = 0; i < s.n; i++)
		s.y[i] *= sign;
	t = tt_trend_of(s.y, s.n);
	r->trend_tested = true;
	r->trend_p = t.p;
	r->trend = whole(sign * t.rise);
	r->trend_ppm = ppm(r->trend, whole(t.from) ? whole(t.from) : r->base);
	return TT_OK;
}

/* --- a row ---------------------------------------------------------------------------------------- */

int
tt_row_relative(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	struct tt_evidence *e = &w->evidence[r - w->v->row];
	const struct tt_limit *l = r->row->max.kind != TT_LIMIT_NONE ? &r->row->max : &r->row->min;
	int sign = l == &r->row->max ? 1 : -1, rc;
	bool any;

	if (tt_row_unknown(w))
		return TT_OK;
	rc = base_points(w, &any, err);
	if (rc != TT_OK || !any)
		return rc;
	r->by_session = !one_session(r);
	rc = tt_row_check_dim(w, l, err);
	TT_THEN(rc, medians(w, err));
	e->y = rc == TT_OK ? tt_row_known(w, r->point, r->npoint, sign, &e->n, err) : NULL;
	e->x = e->y ? tt_row_known(w, r->base_point, r->nbase_point, sign, &e->m, err) : NULL;
	if (!e->x)
		return err->code;
	r->limit_is_min = sign < 0;
	r->has_limit = true;
	r->limit = l->kind == TT_LIMIT_CHANGE ? l->v : tt_scale(r->base < 0 ? -r->base : r->base, l->v, 1000000);
	if (r->row->effect > r->limit)
		r->limit = r->row->effect;
	tt_row_find_worst(r, sign < 0);
	r->tested = true;
	rc = tt_kolmogorov_smirnov(e->x, e->m, e->y, e->n, &r->ks, &r->ks_p, w->mem, err);
	TT_THEN(rc, r->by_session ? test_sessions(w, e, sign, err) : test_captures(w, e, err));
	return rc == TT_OK && w->o->anchor ? test_trend(w, err) : rc;
}

/* --- the outcome ---------------------------------------------------------------------------------- */

/* The number of captures on each side from which on a row among ${rows} can fail. */
static size_t
captures_needed(size_t rows)
{
	size_t n = 2;

	while (n < 100 && tt_mann_whitney_least(n, n) * (double)rows > TT_ALPHA * (1 + 1e-9))
		n++;
	return n;
}

/* The number of captures at hand from which on the row can fail, against ${m} of the baseline; 0: no number suffices. */
static size_t
captures_needed_here(size_t m, size_t rows)
{
	for (size_t n = 1; n <= 100; n++)
		if (tt_mann_whitney_least(m, n) * (double)rows <= TT_ALPHA * (1 + 1e-9))
			return n;
	return 0;
}

/* Compute the change with its bounds, larger is worse: the test for worse uses the low bound, that for not worse the high one. */
static int
bounds(struct tt_judging *w, size_t k, struct tt_shift *s, struct tt_err *err)
{
	const struct tt_evidence *e = &w->evidence[w->r - w->v->row];
	struct tt_shift high;
	int rc;

	if (w->r->by_session) {
		*s = (struct tt_shift){ whole(e->change.change), true, true, whole(tt_change_low(&e->change, w->level[k])),
			whole(tt_change_high(&e->change, w->not_level[k])) };
		return TT_OK;
	}
	rc = tt_hodges_lehmann(e->x, e->m, e->y, e->n, w->level[k], s, w->mem, err);
	TT_THEN(rc, tt_hodges_lehmann(e->x, e->m, e->y, e->n, w->not_level[k], &high, w->mem, err));
	s->has_high = rc == TT_OK && high.has_high;
	s->high = s->has_high ? high.high : 0;
	return rc;
}

/* Set what the row reports of its power: the smallest change that it would detect, and the spread. */
static void
told(struct tt_judging *w)
{
	const struct tt_change *c = &w->evidence[w->r - w->v->row].change;
	struct tt_verdict_row *r = w->r;

	r->seen = whole(tt_change_seen(c, (double)r->limit, TT_ALPHA / (double)w->np, TT_POWER));
	r->seen_ppm = ppm(r->seen, r->base);
	r->spread = whole(c->spread);
	r->spread_ppm = ppm(r->spread, r->base);
	r->spread_assumed = c->assumed;
	if (c->assumed)
		r->before = 0;
	/* Typically one or two of four captures are far off: at least half of the change is uncertain. */
	r->doubtful = (r->limit_is_min ? -r->shift : r->shift) > r->limit && 4 * c->within > (double)r->limit * (double)r->limit;
	r->in_captures = !r->by_session || 2 * c->within > c->se * c->se;
}

/* Set the outcome from the tests, once the p values of all rows are known. */
int
tt_row_decide(struct tt_judging *w, size_t k, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	int64_t sign = r->limit_is_min ? -1 : 1;
	struct tt_shift s;
	int rc = bounds(w, k, &s, err);

	if (rc != TT_OK)
		return rc;
	r->p_adjusted = w->p[k];
	r->p_not_adjusted = w->not[k];
	r->ntested = w->np;
	r->shift = sign * s.shift;
	r->has_low = sign > 0 ? s.has_low : s.has_high;
	r->has_high = sign > 0 ? s.has_high : s.has_low;
	r->low = sign > 0 ? s.low : -s.high;
	r->high = sign > 0 ? s.high : -s.low;
	r->shift_ppm = ppm(r->shift, r->base);
	r->low_ppm = ppm(r->low, r->base);
	r->high_ppm = ppm(r->high, r->base);
	told(w);
	if (!r->by_session && tt_mann_whitney_least(r->m, r->n) * (double)w->np > TT_ALPHA * (1 + 1e-9)) {
		tt_row_cannot(w, NULL);
		r->need = captures_needed(w->np);
		r->need_here = captures_needed_here(r->m, w->np);
	} else if (r->p_adjusted <= TT_ALPHA * (1 + 1e-9)) {
		r->outcome = TT_WORSE;
	} else {
		r->outcome = r->p_not_adjusted <= TT_ALPHA * (1 + 1e-9) ? TT_NOT_WORSE : TT_UNDECIDED;
		if (r->outcome == TT_UNDECIDED && !r->by_session)
			r->need_here = tt_change_need(&w->evidence[r - w->v->row].change, (double)r->limit, TT_ALPHA / (double)w->np,
			    r->n > r->m ? r->n : r->m);
	}
	return TT_OK;
}

/* The row is worse by its trend only if the whole rise exceeds what a single change may. */
void
tt_row_creep(struct tt_verdict_row *r)
{
	r->crept = r->trend_p_adjusted <= TT_ALPHA * (1 + 1e-9) && (r->limit_is_min ? -r->trend : r->trend) > r->limit;
	r->crept_alone = r->crept && r->outcome != TT_WORSE;
	if (r->crept && (r->outcome == TT_NOT_WORSE || r->outcome == TT_UNDECIDED))
		r->outcome = TT_WORSE;
}
