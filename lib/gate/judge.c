/**
 * Judges captures by a budget, row by row, and sums up the verdict.
 */
#include "gate/judge.h"

#include <string.h>

#include "base/order.h"
#include "base/setting.h"
#include "gate/baseline.h"
#include "stat/compare.h"
#include "stat/trend.h"

const char *const tt_outcome_name[TT_OUTCOMES] = {
	[TT_PASS] = "pass", [TT_NOT_WORSE] = "not worse", [TT_UNDECIDED] = "undecided",
	[TT_CANNOT_JUDGE] = "cannot judge", [TT_WAIVED] = "waived", [TT_SKIPPED] = "skipped", [TT_BREACH] = "breach",
	[TT_WORSE] = "worse", [TT_ACCEPTED] = "accepted", [TT_GONE] = "gone",
};
const char *const tt_outcome_id[TT_OUTCOMES] = {
	[TT_PASS] = "pass", [TT_NOT_WORSE] = "not_worse", [TT_UNDECIDED] = "undecided",
	[TT_CANNOT_JUDGE] = "cannot_judge", [TT_WAIVED] = "waived", [TT_SKIPPED] = "skipped", [TT_BREACH] = "breach",
	[TT_WORSE] = "worse", [TT_ACCEPTED] = "accepted", [TT_GONE] = "gone",
};

/* --- all rows ----------------------------------------------------------------------------------- */

/* A fact that the row's "where" requires and no capture has; NULL: none. */
static const char *
unknown_fact(const struct tt_judging *w)
{
	const struct tt_budget_row *row = w->r->row;

	for (size_t k = 0; k < row->nwhere; k++) {
		bool has_fact = false;

		for (size_t i = 0; i < w->v->nsample; i++)
			has_fact |= tt_sample_fact(&w->v->sample[i], row->where[k].key) != NULL;
		if (!has_fact)
			return row->where[k].key;
	}
	return NULL;
}

static int
judge_row(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict_row *r = w->r;
	const char *fact;
	int rc = tt_row_points(w, w->v->sample, w->v->nsample, &r->point, &r->npoint, err);

	r->dim = tt_measure_dim(&r->row->measure);
	r->limit_is_min = r->row->max.kind == TT_LIMIT_NONE && !r->row->exact;
	r->title = rc != TT_OK ? NULL : r->row->captures ? "captures" : tt_measure_title(&r->row->measure, &w->v->arena, err);
	if (!r->title)
		return err->code;
	if (r->row->level == TT_LEVEL_OFF) {
		tt_row_skip(w, "its level is off");
		return TT_OK;
	}
	fact = unknown_fact(w);
	if (tt_row_is_crashes(w))
		return tt_row_crashes(w, err);
	if (w->v->ab && w->v->nsample == 0) {
		tt_row_cannot(w, w->v->ab->done == 0 ? "no pair was run" : w->v->ab->crashes[TT_NEW] == w->v->ab->runs[TT_NEW] ?
		    "no run of the new build ended well" : "no run of the old build ended well");
		return TT_OK;
	}
	if (r->npoint == 0 && fact) {
		const char *why = tt_verdict_text(w->v, err, "no capture has the fact \"%s\", which \"where\" asks for: give it with %s %s=...",
		    fact, tt_setting_name[TT_SETTING_META], fact);

		tt_row_cannot(w, why);
		return why ? TT_OK : err->code;
	}
	if (r->npoint == 0) {
		tt_row_skip(w, "its \"where\" means none of these captures");
		return TT_OK;
	}
	if (r->row->relative && w->v->ab)
		return tt_row_paired(w, err);
	return r->row->relative ? tt_row_relative(w, err) : r->row->exact ? tt_row_exact(w, err) : tt_row_absolute(w, err);
}

static bool
is_waived(const struct tt_judging *w, const struct tt_budget_row *row)
{
	return row->waive.until && strcmp(w->v->today, row->waive.until) <= 0;
}

static bool
can_fail(const struct tt_judging *w, const struct tt_budget_row *row)
{
	return row->level == TT_LEVEL_ERROR && !is_waived(w, row);
}

/* Decide the tested rows that can fail, or those that cannot. The two families are corrected separately, so that neither weakens the other. */
static int
test_family(struct tt_judging *w, bool fails, struct tt_err *err)
{
	size_t k = 0;
	int rc;

	if (w->v->ab)
		return tt_pairs_decide(w, can_fail, fails, err);
	w->np = 0;
	for (size_t i = 0; i < w->v->nrow; i++)
		if (w->v->row[i].tested && can_fail(w, w->v->row[i].row) == fails)
			w->p[w->np] = w->v->row[i].p, w->not[w->np++] = w->v->row[i].p_not;
	rc = tt_holm_levels(w->p, w->np, TT_ALPHA, w->level, w->mem, err);
	TT_THEN(rc, tt_holm_levels(w->not, w->np, TT_ALPHA, w->not_level, w->mem, err));
	TT_THEN(rc, tt_holm(w->p, w->np, w->mem, err));
	TT_THEN(rc, tt_holm(w->not, w->np, w->mem, err));
	for (size_t i = 0; i < w->v->nrow && rc == TT_OK; i++) {
		w->r = &w->v->row[i];
		if (w->r->tested && can_fail(w, w->r->row) == fails)
			rc = tt_row_decide(w, k++, err);
	}
	return rc;
}

/* Decide the trends of rows that can fail, or of those that cannot. They have an error level of their own, divided over the looks at 25 sessions. */
static int
test_trends(struct tt_judging *w, bool fails, struct tt_err *err)
{
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < w->v->nrow; i++) {
		const struct tt_verdict_row *r = &w->v->row[i];

		if (r->trend_tested && can_fail(w, r->row) == fails)
			w->p[n++] = r->trend_p * TT_TREND_LOOKS < 1 ? r->trend_p * TT_TREND_LOOKS : 1;
	}
	rc = tt_holm(w->p, n, w->mem, err);
	n = 0;
	for (size_t i = 0; i < w->v->nrow && rc == TT_OK; i++) {
		struct tt_verdict_row *r = &w->v->row[i];

		if (!r->trend_tested || can_fail(w, r->row) != fails)
			continue;
		r->trend_p_adjusted = w->p[n++];
		tt_row_creep(r);
	}
	return rc;
}

static bool
are_zero(const struct tt_point *p, size_t n)
{
	size_t nknown = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i].known && p[i].v != 0)
			return false;
		nknown += p[i].known;
	}
	return nknown > 0;
}

/* Mark rows as unchanged whose figure is 0 in all captures of both sides, however few. An A/B run that continues may still find another value. */
static void
settle_zero(struct tt_judging *w)
{
	struct tt_verdict_row *r = w->r;

	if (!r->tested || (r->outcome != TT_UNDECIDED && (r->outcome != TT_CANNOT_JUDGE || r->need == 0)) || (w->v->ab && !w->v->ab->last))
		return;
	if (!are_zero(r->point, r->npoint) || !are_zero(r->base_point, r->nbase_point))
		return;
	r->outcome = TT_NOT_WORSE;
	r->need = r->need_here = 0;
	r->hint = NULL;
	r->text = w->v->ab ? "0 in all runs of both builds: unchanged" : "0 in all captures, as in the baseline: unchanged";
}

static int
test_rows(struct tt_judging *w, struct tt_err *err)
{
	int rc = test_family(w, true, err);

	TT_THEN(rc, test_family(w, false, err));
	TT_THEN(rc, test_trends(w, true, err));
	TT_THEN(rc, test_trends(w, false, err));
	for (size_t i = 0; i < w->v->nrow && rc == TT_OK; i++) {
		w->r = &w->v->row[i];
		settle_zero(w);
		rc = tt_row_missing(w, err);
	}
	return rc;
}

static bool
is_bad(enum tt_outcome o)
{
	return o == TT_BREACH || o == TT_WORSE;
}

/* True if ${o} makes a row of level error fail. */
static bool
is_failure(const struct tt_verdict_row *r, enum tt_outcome o)
{
	return is_bad(o) || (o == TT_GONE && r->row->gone == TT_LEVEL_ERROR);
}

/*
 * True if --accept can accept the failing row. An absolute limit holds regardless of the baseline, so only relative and exact rows can; and only if no more
 * captures lack the figure than the row allows.
 */
static bool
is_acceptable(const struct tt_verdict_row *r)
{
	return is_failure(r, r->would) && (r->row->relative || r->row->exact) && r->missing <= r->row->max_missing;
}

/* Apply waivers and acceptance: such a row does not fail. Set the row's final outcome. */
static void
waive(struct tt_judging *w)
{
	struct tt_verdict_row *r = w->r;

	if (r->gone && (r->outcome == TT_PASS || r->outcome == TT_NOT_WORSE) && r->row->gone != TT_LEVEL_OFF)
		r->outcome = TT_GONE;
	r->would = r->outcome;
	if ((is_failure(r, r->outcome) || r->outcome == TT_CANNOT_JUDGE) && is_waived(w, r->row))
		r->outcome = TT_WAIVED;
	else if (w->o->accept && is_acceptable(r))
		r->outcome = TT_ACCEPTED;
	r->fails = r->row->level == TT_LEVEL_ERROR && is_failure(r, r->outcome);
	w->v->warned += is_bad(r->outcome) && r->row->level == TT_LEVEL_WARN;
	w->v->count[r->outcome]++;
}

static int
exit_code(const struct tt_judging *w)
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
	if (w->o->inconclusive == TT_INCONCLUSIVE_PASS)
		cannot_judge = undecided = false;
	else if (w->o->inconclusive != TT_INCONCLUSIVE_FAIL)
		undecided = false;      /* with ten rows, a quarter of runs of equal builds have an undecided one */
	return tt_verdict_exit(damaged ? TT_FOUND_DAMAGE : fails ? TT_FOUND_WORSE : cannot_judge || undecided ? TT_FOUND_OPEN : TT_FOUND_NOTHING);
}

/*
 * True if adding these captures to the baseline would hide the regression that they show, even a waived one. Too few captures are no reason: a baseline may
 * grow slowly. With ${accepted}, a waived row is no reason either. Captures whose change is above the limit but undecided, because they vary so much, are one:
 * they would raise the spread of sessions until no change is detected. If sessions vary, they are added: without those that are high by chance, sessions would
 * seem too similar, and creep would be hidden.
 */
static bool
is_unfit(const struct tt_verdict_row *r, bool accepted)
{
	bool breach = is_failure(r, r->would), flaky = r->would == TT_UNDECIDED && r->doubtful;
	bool fault = breach || (r->would == TT_CANNOT_JUDGE && r->need == 0) || (flaky && !accepted);

	/* A capture cut off by a crash never belongs in a baseline, even if a run may crash. */
	if (breach && r->row->measure.metric->traits & TT_METRIC_UNENDED)
		return true;
	if (breach && accepted && (is_acceptable(r) || r->outcome == TT_WAIVED))
		return false;
	return fault && r->row->level == TT_LEVEL_ERROR;
}

/*
 * The command that accepts the failing rows; NULL: nothing fails, or it cannot accept all of them. Captures compared within one session of the baseline cannot
 * be accepted.
 */
static const char *
accept_by(const struct tt_judging *w)
{
	const struct tt_verdict *v = w->v;
	const char *by = NULL;

	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (is_unfit(r, true) || (r->fails && r->tested && !r->by_session))
			return NULL;
		by = r->fails ? w->o->accept_by : by;
	}
	return v->exit_code == 1 ? by : NULL;
}

/* True if accepting changes anything: a row fails without it, or would keep the captures out of the baseline. */
static bool
accepts(const struct tt_verdict *v)
{
	bool any = !v->base;

	for (size_t i = 0; i < v->nrow; i++)
		any |= v->row[i].outcome == TT_ACCEPTED || (is_unfit(&v->row[i], false) && !is_unfit(&v->row[i], true));
	return any;
}

/* Find the first row that keeps the captures out of the baseline, the captures without events, and those that the baseline already has. */
static int
compare_captures(struct tt_verdict *v, bool accepted, struct tt_err *err)
{
	struct tt_recordings known;

	for (size_t i = v->nrow; i-- > 0; )
		if (is_unfit(&v->row[i], accepted))
			v->unfit = &v->row[i];
	for (size_t i = v->nsample; i-- > 0; ) {
		if (!v->sample[i].empty)
			continue;
		v->empty = &v->sample[i];
		v->nempty++;
	}
	if (!v->base)
		return TT_OK;
	int rc = tt_recordings_init(&known, v->base->all, v->base->nall, &v->arena, err);
	for (size_t i = v->nsample; rc == TT_OK && i-- > 0; ) {
		if (!tt_recordings_find(&known, &v->sample[i]))
			continue;
		v->known = &v->sample[i];
		v->nknown++;
	}
	return rc;
}

static int
finish_rows(struct tt_judging *w, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < w->v->nrow && rc == TT_OK; i++) {
		w->r = &w->v->row[i];
		waive(w);
		rc = tt_movers(w->v, w->r, err);
		TT_THEN(rc, tt_row_words(w->v, w->r, w->why[i], w->o->accept, err));
	}
	return rc;
}

/* --- groups ------------------------------------------------------------------------------------------ */

/* The values of the fact by which captures are grouped, sorted; a single NULL without grouping. */
static const char **
groups(const struct tt_judging *w, size_t *n, struct tt_err *err)
{
	const struct tt_verdict *v = w->v;
	const char **g = tt_arena_alloc(&w->v->arena, (v->nsample + 1) * sizeof *g, err);
	size_t all = 0, known = 0;

	*n = 1;
	if (!g || !w->o->group_by)
		return g;
	for (size_t i = v->nsample; i-- > 0; ) {
		known += v->sample[i].nfact;
		g[all] = tt_sample_fact(&v->sample[i], w->o->group_by);
		if (g[all]) {
			all++;
			continue;
		}
		w->v->alone = &v->sample[i];
		w->v->nalone++;
	}
	/* Captures that could not be read have no facts. */
	if (known == 0) {
		w->v->nalone = 0;
		return g;
	}
	if (all == 0) {
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no capture has the fact \"%s\" to group by: give it with %s %s=..., or read it from paths such as %s%s%s "
		    "with %s", w->o->group_by, tt_setting_name[TT_SETTING_META], w->o->group_by, v->sample[0].name, v->nsample > 1 ? " and " : "",
		    v->nsample > 1 ? v->sample[v->nsample - 1].name : "", tt_setting_name[TT_SETTING_META_FROM_PATH]);
		return NULL;
	}
	tt_sort(g, all, tt_compare_texts);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || strcmp(g[i], g[*n - 1]) != 0)
			g[(*n)++] = g[i];
	return g;
}

static int
make_rows(struct tt_judging *w, struct tt_err *err)
{
	struct tt_verdict *v = w->v;
	size_t ngroup;
	const char **group = groups(w, &ngroup, err);

	if (!group)
		return err->code;
	v->nrow = v->budget->nrow * ngroup;
	v->row = tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *v->row, err);
	w->why = v->row ? tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *w->why, err) : NULL;
	w->evidence = w->why ? tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *w->evidence, err) : NULL;
	w->p = w->evidence ? tt_arena_alloc(&v->arena, (v->nrow + 1) * 4 * sizeof *w->p, err) : NULL;
	w->pairs = w->p ? tt_arena_alloc(&v->arena, (v->nrow + 1) * sizeof *w->pairs, err) : NULL;
	if (!w->pairs)
		return err->code;
	w->not = w->p + v->nrow;
	w->level = w->not + v->nrow;
	w->not_level = w->level + v->nrow;
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
	struct tt_judging w = { .v = v, .o = o, .mem = mem };
	int rc;

	*v = (struct tt_verdict){ .sample = s, .nsample = n, .budget = budget, .base = base, .today = o->today,
		.group_by = o->group_by, .ab = o->ab };
	tt_arena_init(&v->arena, mem);
	if (!base && budget->baseline && !o->first)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has rows that compare with a baseline: give it with %s (%s makes one)", budget->path,
		    tt_setting_name[TT_SETTING_BASELINE], tt_setting_name[TT_SETTING_SAVE]);
	rc = make_rows(&w, err);
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		w.r = &v->row[i];
		rc = judge_row(&w, err);
	}
	TT_THEN(rc, test_rows(&w, err));
	TT_THEN(rc, finish_rows(&w, err));
	if (rc != TT_OK)
		return rc;
	v->strict = o->inconclusive == TT_INCONCLUSIVE_FAIL;
	v->exit_code = exit_code(&w);
	v->status = o->status ? o->status : v->exit_code;
	v->accept = accept_by(&w);
	v->accepts = o->accept && accepts(v);
	rc = compare_captures(v, o->accept != NULL, err);
	TT_THEN(rc, tt_mixed(v, err));
	if (rc != TT_OK)
		return rc;
	return tt_verdict_words(v, o, err);
}

size_t
tt_verdict_captures(const struct tt_verdict *v)
{
	return v->nsample - (v->nsample == 1 && v->sample[0].none);
}

void
tt_verdict_free(struct tt_verdict *v)
{
	tt_arena_free(&v->arena);
}
