/**
 * Shows the figures of a baseline's sessions over time, and when they changed.
 */
#include "verdict/history_picture.h"

#include <string.h>

#include "baseline.h"
#include "cmd.h"
#include "gate.h"
#include "gate/document.h"
#include "gate/history_tables.h"
#include "io/outputs.h"
#include "model/filter.h"
#include "pass/pass.h"
#include "sys/sys.h"
#include "version.h"

#define AT(f) offsetof(struct baseline_opts, f)

const struct opt baseline_figure_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = opt_text, .at = AT(budget),
	    .help = "show: the figures of this budget's rows; default: the usual ones of each capture" },
	{ .name = "row", .arg = "NAME", .set = opt_patterns, .at = AT(row), .help = "show: the figures that a NAME matches, like 'frame*'; repeatable" },
	{ .name = NULL },
};

/* The state of one run. */
struct histories {
	struct app *app;
	const struct baseline_opts *o;
	struct tt_arena a;
	struct tt_budget budget;
	struct tt_history_figure *f;
	size_t n, cap;
};

/* --- figures -------------------------------------------------------------------------- */

static bool
is_chosen(const struct baseline_opts *o, const char *name)
{
	bool chosen = o->row.n == 0;

	for (size_t i = 0; i < o->row.n; i++)
		chosen |= tt_glob(o->row.v[i], name);
	return chosen;
}

static int
add_figure(struct histories *x, const struct tt_baseline *b, const struct tt_budget_row *row, size_t which, struct tt_err *err)
{
	const struct tt_measure *m = &x->budget.measure[which];
	struct tt_history_figure f = { .base = x->o->arg.n > 1 ? b->path : NULL, .name = row ? row->id : m->key };
	int rc;

	if (!is_chosen(x->o, f.name))
		return TT_OK;
	f.title = tt_measure_title(m, &x->a, err);
	if (!f.title)
		return err->code;
	rc = tt_history_of(b, row, m, which, &f.h, &x->a, &x->app->env.mem, err);
	if (rc != TT_OK || f.h.nsession == 0)
		return rc;
	if (x->n == x->cap) {
		struct tt_history_figure *more = tt_arena_alloc(&x->a, (x->cap = 2 * x->cap + 16) * sizeof *more, err);

		if (!more)
			return err->code;
		if (x->n)
			memcpy(more, x->f, x->n * sizeof *more);
		x->f = more;
	}
	x->f[x->n++] = f;
	return TT_OK;
}

/* Among the figures that every sample has, leave those that are shown without a budget: the chosen ones, or the usual statistic of each metric. */
static void
choose_measures(struct histories *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->budget.nmeasure; i++) {
		const struct tt_measure m = x->budget.measure[i];

		if (x->o->row.n ? is_chosen(x->o, m.key) : m.stat == m.metric->usual && !m.select)
			x->budget.measure[n++] = m;
	}
	x->budget.nmeasure = n;
}

/* True if the figure is missing or 0 in all sessions: it is shown only where it is asked for. */
static bool
is_nothing(const struct tt_baseline *b, size_t which)
{
	for (size_t i = 0; i < b->nall; i++)
		if (b->all[i].value[which].known && b->all[i].value[which].v != 0)
			return false;
	return true;
}

static int
add_baseline(struct histories *x, const char *path, struct tt_err *err)
{
	struct tt_baseline b;
	int rc = tt_baseline_read(&x->app->env, path, &x->budget, TT_SAMPLE_FIGURES, &b, &x->a, err);

	for (size_t i = 0; i < x->budget.nrow && rc == TT_OK && x->o->budget; i++) {
		const struct tt_budget_row *row = &x->budget.row[i];

		if (row->line && row->level != TT_LEVEL_OFF && !row->captures)
			rc = add_figure(x, &b, row, row->which, err);
	}
	for (size_t i = 0; i < x->budget.nmeasure && rc == TT_OK && !x->o->budget; i++)
		if (x->o->row.n || !is_nothing(&b, i))
			rc = add_figure(x, &b, NULL, i, err);
	return rc;
}

static int
read_all(struct histories *x, struct tt_err *err)
{
	int rc;

	if (x->o->budget) {
		rc = gate_read_budget(x->app, x->o->budget, &x->budget, &x->a, err);
		x->budget.nmeasure = x->budget.njudged;
	} else {
		rc = tt_budget_none(&x->budget, &x->a, err);
		if (rc == TT_OK)
			choose_measures(x);
	}
	for (size_t i = 0; i < x->o->arg.n && rc == TT_OK; i++)
		rc = add_baseline(x, x->o->arg.v[i], err);
	if (rc == TT_OK && x->n == 0 && x->o->row.n)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no figure of the baseline%s is called \"%s\"%s", x->o->arg.n > 1 ? "s" : "", x->o->row.v[0],
		    x->o->budget ? ": a figure is called as its row of the budget" : ": without --row the usual ones are shown");
	return rc;
}

/* --- the run ---------------------------------------------------------------------------- */

bool
history_is_picture(const struct baseline_opts *o)
{
	size_t n = o->out.output ? strlen(o->out.output) : 0;

	return n > 4 && strcmp(o->out.output + n - 4, ".svg") == 0;
}

static int
show(struct histories *x, struct tt_err *err)
{
	const struct baseline_opts *o = x->o;
	const enum tt_render form = report_form(&o->out);
	const char *title = tt_sys_base(o->arg.v[0]);
	struct tt_buf text = { 0 };
	struct tt_report r;
	int rc = TT_OK;

	tt_report_init(&r, &x->app->env.mem);
	tt_history_report(x->f, x->n, form != TT_RENDER_TEXT, &r);
	rc = tt_report_error(&r, err);
	if (rc == TT_OK && history_is_picture(o))
		tt_history_svg(x->f, x->n, title, &text);
	else if (rc == TT_OK && form == TT_RENDER_HTML)
		tt_history_html(x->f, x->n, title, &r, TT_GENERATOR, &text);
	if (rc == TT_OK && (text.n || text.failed))
		rc = app_write(x->app, o->out.output ? o->out.output : "-", &text, err);
	else if (rc == TT_OK)
		rc = report_write(x->app, &o->out, &r, err);
	tt_buf_free(&text);
	tt_report_free(&r);
	return rc;
}

static int
confine(struct histories *x, struct tt_err *err)
{
	struct opt_list reads = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; i < x->o->arg.n && rc == TT_OK; i++)
		rc = opt_list_add(&reads, x->o->arg.v[i], &x->app->arena, err);
	if (rc == TT_OK && x->o->budget)
		rc = opt_list_add(&reads, x->o->budget, &x->app->arena, err);
	if (rc == TT_OK && x->o->out.output)
		rc = tt_outputs_check((const char *const[]){ x->o->out.output, NULL }, reads.v, err);
	if (rc == TT_OK)
		rc = app_reads(x->app, reads.v, err);
	return rc == TT_OK ? app_confine(x->app, (const char *const[]){ x->o->out.output, NULL }, NULL, err) : rc;
}

int
history_show(struct app *app, const struct baseline_opts *o, struct tt_err *err)
{
	struct histories x = { .app = app, .o = o };
	int rc;

	if (o->arg.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a baseline, a file of \"tracetool gate --save\"");
	report_pager(app, &o->out);
	tt_arena_init(&x.a, &app->env.mem);
	rc = confine(&x, err);
	if (rc == TT_OK)
		rc = read_all(&x, err);
	if (rc == TT_OK)
		rc = show(&x, err);
	tt_arena_free(&x.a);
	return rc;
}
