/**
 * Judges the captures of a batch by a budget, and saves their results as a baseline.
 */
#include <string.h>

#include "base/arena_text.h"
#include "base/shell.h"
#include "verb_batch.h"
#include "cmd.h"
#include "verb_gate.h"
#include "gate/budget.h"

#define AT(f) offsetof(struct gate_opts, f)

const struct tt_opt batch_gate_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = tt_opt_text, .at = AT(budget),
	    .help = "judge the captures against this budget (tracetool-budget(5)), each group apart, and print the verdict" },
	{ .name = "baseline", .arg = "BASE", .set = tt_opt_text, .at = AT(baseline),
	    .help = "compare rows whose limit is a change with this baseline" },
	{ .name = "force-baseline", .set = tt_opt_flag, .at = AT(force_baseline),
	    .help = "compare even with a baseline of another environment" },
	{ .name = "inconclusive", .arg = "HOW", .set = tt_opt_choice, .at = AT(inconclusive), .value = gate_inconclusive,
	    .help = "exit status if no row fails, but some cannot be judged (5) or are undecided (0; auto, the default); fail: both 5; pass: both 0" },
	{ .name = "today", .arg = "DATE", .set = tt_opt_text, .at = AT(today),
	    .help = "check waivers against this day, YYYY-MM-DD; default: SOURCE_DATE_EPOCH, otherwise the clock" },
	{ .name = NULL },
};

/* Set the name of the combined fact of --group-by: "build,device". */
static int
name_group(struct batch_gate *b, struct tt_err *err)
{
	struct tt_buf text = { 0 };

	if (b->group->n == 0)
		return TT_OK;
	for (size_t i = 0; i < b->group->n; i++)
		tt_buf_printf(&text, "%s%s", i ? "," : "", b->group->v[i]);
	b->of.by = tt_buf_move_to_arena(&text, &b->app->arena, err);
	return b->of.by ? TT_OK : err->code;
}

/* Store the options that commands on a single capture need, to explain a row and to make its page. */
static int
explains(struct app *app, const struct tt_opt_given *given, struct gate_opts *g, struct tt_err *err)
{
	static const char *const writes[] = { GATE_WRITES, "group-by", NULL };
	struct tt_buf text = { 0 };

	tt_shell_quote(&text, g->budget);
	tt_buf_text(&text, " ");
	tt_opts_quote_shared(&text, given, &verb_gate, writes);
	g->to.links.explain_one = tt_buf_move_to_arena(&text, &app->arena, err);
	return g->to.links.explain_one ? gate_looks(app, given, g, err) : err->code;
}

int
batch_gate_open(struct batch_gate *b, struct app *app, struct gate_opts *g, const struct input_opts *in, const struct tt_opt_given *given,
    const struct tt_list *group, const struct tt_list *reads, struct tt_list *writes, struct tt_err *err)
{
	const bool any = g->baseline || g->force_baseline || g->inconclusive || g->today || g->to.junit || g->to.gitlab ||
	    g->to.markdown || g->to.html || g->to.json || g->to.github || g->to.azure || g->to.teamcity;
	int rc;

	*b = (struct batch_gate){ .app = app, .group = group, .opts = g };
	if (!g->budget)
		return any ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "an option about a verdict is given, and no --gate BUDGET") :
		    TT_OK;
	tt_batch_samples_init(&b->of, &app->env);
	rc = name_group(b, err);
	TT_THEN(rc, explains(app, given, g, err));
	g->group_by = b->of.by;
	TT_THEN(rc, gate_open(app, g, in, reads, writes, &b->gate, err));
	if (rc == TT_OK) {
		b->of.budget = gate_budget(b->gate);
		b->of.settings = gate_settings(b->gate);
		b->of.group = group->v;
		b->of.ngroup = group->n;
	}
	return rc;
}

void
batch_gate_close(struct batch_gate *b)
{
	if (!b->gate)
		return;
	gate_close(b->gate);
	tt_batch_samples_free(&b->of);
}

int
batch_gate_add(void *gate, const struct tt_result *r, struct tt_err *err)
{
	struct batch_gate *b = gate;

	return b->gate ? tt_batch_samples_add(&b->of, r, err) : TT_OK;
}

int
batch_gate_judge(struct batch_gate *b, const struct tt_run_opts *run, bool captures, bool show, struct tt_err *err)
{
	const struct summary_notes *notes = b->sum->notes;
	struct gate_told told;
	const char *note = NULL;
	int rc;

	if (!b->gate)
		return TT_OK;
	if (tt_batch_samples_end(&b->of, captures, &note, err) != TT_OK)
		return err->code;
	if (b->of.n == 0 || (b->of.ungated && b->of.n == b->of.failed))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no result has figures for a gate: they come from a batch with --gate");
	if (b->opts->to.html && strcmp(b->opts->to.html, "-") != 0) {
		if (tt_batch_pages_from(&b->app->arena, &b->sum->dir, b->opts->to.html, &b->pages, err) != TT_OK)
			return err->code;
		b->opts->to.links.folder = tt_batch_pages_folder;
		b->opts->to.links.folder_arg = &b->pages;
	}
	told = (struct gate_told){ .note = note, .alert = notes->alert, .nalert = notes->nalert, .status = b->app->verdict, .why = notes->why };
	if (captures && b->of.n == b->of.failed) {
		told.status = tt_exit_code(TT_E_DAMAGED);
		told.why = "all captures failed";
	} else if (!captures) {
		told.status = tt_exit_code(TT_E_UNKNOWN);
		told.why = "there is no capture";
	}
	rc = gate_judge(b->gate, run, b->of.sample, b->of.n, &told, show, err);
	if (rc == TT_OK && captures && b->of.n == b->of.failed)
		rc = tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "nothing has figures for the gate: all that there is failed");
	return rc;
}
