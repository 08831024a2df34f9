/**
 * Chooses figures of baselines, and reads their values in each session.
 */
#include "gate/histories.h"

#include "base/setting.h"
#include "gate/budget.h"
#include "gate/document.h"
#include "model/filter.h"

static bool
is_chosen(const struct tt_list *row, const char *name)
{
	bool chosen = row->n == 0;

	for (size_t i = 0; i < row->n; i++)
		chosen |= tt_glob(row->v[i], name);
	return chosen;
}

static int
add_figure(struct tt_histories *x, const struct tt_baseline *b, const struct tt_budget_row *row, size_t which, struct tt_err *err)
{
	const struct tt_measure *m = &x->budget->measure[which];
	struct tt_history_figure f = { .base = x->nbase > 1 ? b->path : NULL, .name = row ? row->id : m->key };
	int rc;

	if (!is_chosen(x->row, f.name))
		return TT_OK;
	f.title = tt_measure_title(m, x->a, err);
	if (!f.title)
		return err->code;
	rc = tt_history_of(b, row, m, which, &f.h, x->a, &x->env->mem, err);
	if (rc != TT_OK || f.h.nsession == 0)
		return rc;
	if (tt_arena_grow(x->a, &x->f, &x->cap, x->n, sizeof *x->f, err) != TT_OK)
		return err->code;
	x->f[x->n++] = f;
	return TT_OK;
}

/* Among the measures that every sample has, keep those shown without a budget: the chosen ones, or the usual statistic of each metric. */
static void
choose_measures(struct tt_histories *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->budget->nmeasure; i++) {
		const struct tt_measure m = x->budget->measure[i];

		if (x->row->n ? is_chosen(x->row, m.key) : m.stat == m.metric->usual && !m.select)
			x->budget->measure[n++] = m;
	}
	x->budget->nmeasure = n;
}

/* True if the figure is missing or 0 in all sessions: it is shown only on request. */
static bool
is_nothing(const struct tt_baseline *b, size_t which)
{
	for (size_t i = 0; i < b->nall; i++)
		if (b->all[i].value[which].known && b->all[i].value[which].v != 0)
			return false;
	return true;
}

static int
add_baseline(struct tt_histories *x, const char *path, struct tt_err *err)
{
	struct tt_baseline b;
	int rc = tt_baseline_read(x->env, path, x->budget, TT_SAMPLE_FIGURES, &b, x->a, err);

	for (size_t i = 0; i < x->budget->nrow && rc == TT_OK && x->has_budget; i++) {
		const struct tt_budget_row *row = &x->budget->row[i];

		if (row->line && row->level != TT_LEVEL_OFF && !row->captures)
			rc = add_figure(x, &b, row, row->which, err);
	}
	for (size_t i = 0; i < x->budget->nmeasure && rc == TT_OK && !x->has_budget; i++)
		if (x->row->n || !is_nothing(&b, i))
			rc = add_figure(x, &b, NULL, i, err);
	return rc;
}

int
tt_histories_read(struct tt_histories *x, struct tt_err *err)
{
	int rc = TT_OK;

	if (x->has_budget)
		x->budget->nmeasure = x->budget->njudged;
	else
		choose_measures(x);
	for (size_t i = 0; i < x->nbase && rc == TT_OK; i++)
		rc = add_baseline(x, x->base[i], err);
	if (rc == TT_OK && x->n == 0 && x->row->n)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no figure of the baseline%s is called \"%s\"%s%s%s", x->nbase > 1 ? "s" : "", x->row->v[0],
		    x->has_budget ? ": a figure is called as its row of the budget" : ": without ", x->has_budget ? "" : tt_setting_name[TT_SETTING_ROW],
		    x->has_budget ? "" : " the usual ones are shown");
	return rc;
}
