/**
 * The figures of a batch: options and output; the contract is in batch.h.
 */
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "report.h"
#include "version.h"

/* Rows of that table on the screen; files have more. */
#define FAILURES_TEXT 20

static const char *
form_value(size_t i)
{
	static const char *const v[] = { "text", "json", "csv", "markdown", NULL };   /* enum tt_render */

	return v[i];
}

#define AT(f) offsetof(struct summary_opts, f)

const struct opt summary_opt[] = {
	{ .name = "format", .arg = "FORM", .set = opt_choice, .at = AT(form), .value = form_value,
	    .help = "print the figures as text, json, csv or markdown" },
	{ .name = "report", .arg = "FILE", .set = opt_add, .at = AT(report),
	    .help = "also write the figures to FILE, in the form its suffix says; repeatable" },
	{ .name = "group-by", .arg = "KEY[,KEY]", .set = opt_commas, .at = AT(group),
	    .help = "figures for each group of captures that share these facts, like build,device" },
	{ .name = NULL },
};

int
summary_write(struct app *app, const struct summary_opts *o, const struct tt_aggregate *a, struct tt_err *err)
{
	struct report_opts ro = { .form = o->form };
	struct tt_report r;
	int rc;

	tt_report_init(&r, &app->env.mem);
	rc = tt_aggregate_report(a, &r, err);
	for (size_t i = 0; i < o->report.n && rc == TT_OK; i++) {
		const struct report_opts file = { .form = -1, .output = o->report.v[i] };

		rc = report_write(app, &file, &r, err);
	}
	if (rc == TT_OK) {
		for (struct tt_table *t = r.first; t && o->form == TT_RENDER_TEXT; t = t->next)
			tt_table_limit(t, strcmp(t->id, "batch_failures") == 0 ? FAILURES_TEXT : 0);
		rc = report_write(app, &ro, &r, err);
	}
	tt_report_free(&r);
	return rc;
}
