/**
 * Shows the figures of a baseline's sessions over time, and when they changed.
 */
#include "verdict/history_picture.h"

#include <string.h>

#include "verb_baseline.h"
#include "cmd.h"
#include "verb_gate.h"
#include "gate/budget.h"
#include "gate/histories.h"
#include "gate/history_tables.h"
#include "io/outputs.h"
#include "sys/sys.h"
#include "version.h"

#define AT(f) offsetof(struct baseline_opts, f)

const struct tt_opt baseline_figure_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = tt_opt_text, .at = AT(budget),
	    .help = "show: the figures of this budget's rows; default: the usual ones of each capture" },
	{ .name = "row", .arg = "NAME", .set = tt_opt_patterns, .at = AT(row), .help = "show: the figures that a NAME matches, like 'frame*'; repeatable" },
	{ .name = NULL },
};

/* --- the run ---------------------------------------------------------------------------- */

bool
history_is_picture(const struct baseline_opts *o)
{
	size_t n = o->out.output ? strlen(o->out.output) : 0;

	return n > 4 && strcmp(o->out.output + n - 4, ".svg") == 0;
}

static int
show(struct app *app, const struct baseline_opts *o, const struct tt_histories *x, struct tt_err *err)
{
	const enum tt_render form = report_form(&o->out);
	const char *title = tt_sys_base_name(o->arg.v[0]);
	struct tt_buf text = { 0 };
	struct tt_report r;
	int rc = TT_OK;

	tt_report_init(&r, &app->env.mem);
	tt_history_report(x->f, x->n, form != TT_RENDER_TEXT, &r);
	rc = tt_report_error(&r, err);
	if (rc == TT_OK && history_is_picture(o))
		tt_history_svg(x->f, x->n, title, &text);
	else if (rc == TT_OK && form == TT_RENDER_HTML)
		tt_history_html(x->f, x->n, title, &r, TT_GENERATOR, &text);
	if (rc == TT_OK && (text.n || text.failed))
		rc = app_write(app, o->out.output ? o->out.output : "-", &text, err);
	else if (rc == TT_OK)
		rc = report_write(app, &o->out, &r, err);
	tt_buf_free(&text);
	tt_report_free(&r);
	return rc;
}

static int
confine(struct app *app, const struct baseline_opts *o, struct tt_err *err)
{
	struct tt_list reads = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; i < o->arg.n && rc == TT_OK; i++)
		rc = tt_list_add(&reads, o->arg.v[i], &app->arena, err);
	if (o->budget)
		TT_THEN(rc, tt_list_add(&reads, o->budget, &app->arena, err));
	if (rc == TT_OK && o->out.output)
		rc = tt_outputs_check((const char *const[]){ o->out.output, NULL }, reads.v, err);
	TT_THEN(rc, app_reads(app, reads.v, err));
	return rc == TT_OK ? app_confine(app, (const char *const[]){ o->out.output, NULL }, NULL, err) : rc;
}

int
history_show(struct app *app, const struct baseline_opts *o, struct tt_err *err)
{
	struct tt_budget budget;
	struct tt_histories x = { .env = &app->env, .a = &app->arena, .base = o->arg.v, .nbase = o->arg.n, .row = &o->row, .budget = &budget,
		.has_budget = o->budget != NULL };
	int rc;

	if (o->arg.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a baseline, a file of \"tracetool gate --save\"");
	report_pager(app, &o->out);
	rc = confine(app, o, err);
	TT_THEN(rc, o->budget ? gate_read_budget(app, o->budget, &budget, &app->arena, err) : tt_budget_none(&budget, &app->arena, err));
	TT_THEN(rc, tt_histories_read(&x, err));
	return rc == TT_OK ? show(app, o, &x, err) : rc;
}
