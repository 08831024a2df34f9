/**
 * Reads the budget, the baselines and the captures of a gate.
 */
#include "gate_state.h"

#include <errno.h>
#include <string.h>

#include "base/arena_text.h"
#include "cmd.h"
#include "gate/document.h"
#include "gate/samples.h"
#include "input.h"
#include "io/outputs.h"
#include "report_opts.h"
#include "run/run.h"
#include "sys/sys.h"

/* --- the budget ------------------------------------------------------------------------ */

int
gate_read_budget(struct app *app, const char *path, struct tt_budget *b, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_budget_read(&app->env, path, b, a, err);

	if (rc == TT_E_USAGE)
		app->page = "tracetool-budget(5)";
	return rc;
}

static int
read_budget(struct gate *x, struct tt_err *err)
{
	int rc = x->g->budget ? gate_read_budget(x->app, x->g->budget, &x->budget, &x->a, err) : tt_budget_to_suggest(&x->budget, &x->a, err);

	return rc == TT_OK && x->g->explain && !tt_budget_row(&x->budget, x->g->explain, err) ? err->code : rc;
}

/* --- captures that the gate reads -------------------------------------------------------------------------- */

/* Fail if an output is a capture, the budget or a baseline; only --save may replace the baseline. */
static int
check_outputs(const struct gate_opts *g, const struct tt_list *reads, const struct tt_list *writes, struct tt_err *err)
{
	int rc = tt_outputs_check(writes->v, reads ? reads->v : NULL, err);

	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < writes->n; i++) {
		const char *path = writes->v[i];

		if (gate_is_file(path, g->budget))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is the budget and an output", path);
		if (gate_is_file(path, g->baseline) && !gate_is_file(path, g->save))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is the baseline and an output", path);
	}
	return TT_OK;
}

/*
 * List the files that are read and written, and open the outputs. Remove files of an earlier verdict, which could be taken for this run's if anything fails
 * from here on.
 */
static int
open_outputs(struct gate *x, const struct report_opts *out, struct tt_list *reads, struct tt_list *writes, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < x->in->path.n && rc == TT_OK; i++) {
		struct tt_gate_capture c = { 0 };

		rc = tt_gate_split(&x->rd, &c, x->in->path.v[i], err);
		for (size_t k = 0; k < c.n && rc == TT_OK; k++)
			rc = tt_list_add(reads, c.path[k], &x->app->arena, err);
	}
	if (rc == TT_OK && out->output)
		rc = tt_list_add(writes, out->output, &x->app->arena, err);
	if (x->g->save)
		TT_THEN(rc, tt_list_add(writes, x->g->save, &x->app->arena, err));
	TT_THEN(rc, verdict_open(x->app, &x->g->to, !out->output || strcmp(out->output, "-") == 0 ? "-o FILE" : NULL, writes, &x->to, err));
	TT_THEN(rc, check_outputs(x->g, reads, writes, err));
	return rc == TT_OK && x->g->budget ? tt_verdict_out_forget(&x->g->to, x->g->explain ? NULL : out->output, err) : rc;
}

/* Enter the first stage of the sandbox only: further captures must still be opened. */
static int
confine(struct gate *x, struct tt_list *reads, const struct tt_list *writes, struct tt_err *err)
{
	int rc = TT_OK;

	if (x->g->save && (x->g->append || !gate_is_device(x->g->save)))
		rc = tt_list_add(reads, x->g->save, &x->app->arena, err);
	TT_THEN(rc, app_reads(x->app, reads->v, err));
	return rc == TT_OK ? app_confine(x->app, writes->v, x->in->tmpdir, err) : rc;
}

/* Read the budget, the baselines that it needs, and the one that --save writes, before captures are read, so that errors come early. */
static int
read_documents(struct gate *x, struct tt_err *err)
{
	struct tt_baseline old;
	struct tt_arena a;
	int rc = read_budget(x, err);

	if (rc == TT_OK && x->g->baseline && x->g->budget && !tt_sys_exists(x->g->baseline) && errno == ENOENT)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: there is no baseline yet; tracetool gate %s CAPTURES --save %s makes it", x->g->baseline,
		    x->g->budget, x->g->baseline);
	if (rc == TT_OK && x->g->baseline) {
		rc = tt_baseline_read(&x->app->env, x->g->baseline, &x->budget, x->g->suggest ? TT_SAMPLE_FIGURES : TT_SAMPLE_JUDGED, &x->base, &x->a, err);
		x->has_base = true;
	}
	if (rc == TT_OK && x->budget.baseline && !x->has_base && !x->g->save)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has rows that compare with a baseline: give it with --baseline "
		    "(tracetool gate %s CAPTURES --save BASE makes one)", x->budget.path, x->budget.path);
	/* It is read again when captures are added; until then its memory is freed. */
	tt_arena_init(&a, &x->app->env.mem);
	if (rc == TT_OK && x->g->append && tt_sys_exists(x->g->save))
		rc = tt_baseline_read(&x->app->env, x->g->save, &x->budget, TT_SAMPLE_JUDGED, &old, &a, err);
	tt_arena_free(&a);
	return rc == TT_OK && x->g->save ? gate_check_renewal(x, err) : rc;
}

/* Collect the gaps that rows do not show: missing files of rotations, and captures that could not be read. */
static int
tell(struct gate *x, struct tt_err *err)
{
	const struct tt_gate_capture *first = NULL;
	const char **alert = tt_arena_alloc(&x->a, sizeof *alert, err), *more = "";
	size_t n = 0;

	if (!alert)
		return err->code;
	for (size_t i = 0; i < x->in->path.n; i++) {
		const struct tt_gate_capture *c = &x->rd.cap[i];

		if (c->into || !c->stretch[0])
			continue;
		first = first ? first : c;
		n++;
	}
	if (n > 1)
		more = tt_arena_printf(&x->a, err, "; so of %zu more captures", n - 1);
	if (first && more)
		*alert = tt_arena_printf(&x->a, err, "%s: %s%s", first->path[0], first->stretch, more);
	if (first && (!more || !*alert))
		return err->code;
	x->told = (struct gate_told){ .alert = alert, .nalert = first != NULL };
	/* Damage, which rows show, outweighs captures that could not be read. */
	if (!x->rd.unread || tt_loss_damaged(&x->app->loss) || !(x->rd.none || x->budget.integrity == TT_LEVEL_ERROR))
		return TT_OK;
	x->told.status = x->rd.unread;
	x->told.why = tt_arena_printf(&x->a, err, "%s could not be read", x->rd.unread_name);
	return x->told.why ? TT_OK : err->code;
}

static void
on_read(void *arg)
{
	struct app *app = arg;

	ui_erase(&app->ui);
}

static void
on_losses(void *arg, const char *name, const struct tt_loss *loss)
{
	app_say_losses(arg, name, loss);
}

void
gate_reader(struct tt_gate_reader *r, struct app *app, const struct input_opts *in, const struct tt_budget *b, struct tt_arena *a)
{
	*r = (struct tt_gate_reader){ .env = &app->env, .a = a, .budget = b, .path = in->path.v, .npath = in->path.n, .meta = in->meta.v,
		.has_frames = in->has_frames, .done = on_read, .losses = on_losses, .arg = app };
}

static int
read_captures(struct gate *x, struct tt_run_opts *run, struct tt_err *err)
{
	int rc;

	x->rd.losses_said = x->app->losses_said;
	rc = tt_gate_read(&x->rd, run, err);
	x->app->losses_said = x->rd.losses_said;
	return rc;
}

static int
all(struct gate *x, const struct report_opts *out, struct tt_err *err)
{
	struct tt_list reads = { 0 }, writes = { 0 };
	struct tt_run_opts run;
	int rc = input_setup(x->app, x->in, &run, err);

	gate_reader(&x->rd, x->app, x->in, &x->budget, &x->a);
	x->rd.explain = x->g->explain;
	TT_THEN(rc, open_outputs(x, out, &reads, &writes, err));
	TT_THEN(rc, read_documents(x, err));
	TT_THEN(rc, confine(x, &reads, &writes, err));
	TT_THEN(rc, read_captures(x, &run, err));
	TT_THEN(rc, (x->settings = tt_run_settings(&run, &x->a, err)) ? TT_OK : err->code);
	if (rc != TT_OK)
		return rc;
	if (x->rd.none && x->in->path.n > 1)
		ui_say(&x->app->ui, "none of the captures can be read");
	rc = tell(x, err);
	if (rc != TT_OK)
		return rc;
	/* Write a verdict even without figures: files of an earlier run must not be taken for those of this one. */
	if (x->g->suggest)
		rc = x->rd.none ? TT_OK : gate_suggest(x, &run, out, err);
	else
		rc = x->g->save && !x->rd.none ? gate_judge_and_save(x, &run, out, err) : gate_judge_all(x, &run, out, NULL, err);
	if (rc == TT_OK && x->g->suggest)
		x->app->verdict = x->rd.unread;
	return rc;
}

int
gate_run(struct app *app, const struct gate_opts *g, const struct input_opts *in, const struct report_opts *out,
    struct tt_err *err)
{
	struct gate x = { .app = app, .g = g, .in = in };
	int rc;

	if (out->output && input_is(in, out->output))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", out->output);
	if (!g->suggest && report_form(out) != TT_RENDER_TEXT && (report_form(out) != TT_RENDER_HTML || g->explain))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "a gate prints text%s%s: use --json, --junit, --markdown or --html FILE",
		    out->form < 0 ? ", not " : "", out->form < 0 ? out->output : "");
	if (g->suggest && report_form(out) != TT_RENDER_TEXT && report_form(out) != TT_RENDER_JSON)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--suggest writes a budget, which is JSON");
	if (g->save && input_is(in, g->save))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --save: %s is one of the captures", g->save);
	tt_arena_init(&x.a, &app->env.mem);
	rc = all(&x, out, err);
	tt_verdict_out_close(&x.to);
	tt_arena_free(&x.a);
	return rc;
}

/* --- captures that others read --------------------------------------------------------------------------- */

int
gate_open(struct app *app, const struct gate_opts *g, const struct input_opts *in, const struct tt_list *reads, struct tt_list *writes,
    struct gate **gate, struct tt_err *err)
{
	struct gate *x = tt_arena_alloc(&app->arena, sizeof *x, err);
	int rc;

	*gate = x;
	if (!x)
		return err->code;
	*x = (struct gate){ .app = app, .g = g, .in = in };
	tt_arena_init(&x->a, &app->env.mem);
	rc = verdict_open(app, &g->to, "-o FILE", writes, &x->to, err);
	TT_THEN(rc, check_outputs(g, reads, writes, err));
	TT_THEN(rc, tt_verdict_out_forget(&g->to, NULL, err));
	TT_THEN(rc, read_documents(x, err));
	TT_THEN(rc, (x->made = tt_budget_settings(&x->budget, &x->a, err)) ? TT_OK : err->code);
	return rc;
}

const struct tt_budget *
gate_budget(const struct gate *x)
{
	return &x->budget;
}

void
gate_set_run(const struct gate *x, struct tt_run_opts *run)
{
	tt_budget_set_run(&x->budget, run);
}

const char *
gate_settings(const struct gate *x)
{
	return x->made;
}

int
gate_judge(struct gate *x, const struct tt_run_opts *run, struct tt_sample *sample, size_t n, const struct gate_told *told, bool show, struct tt_err *err)
{
	const struct report_opts out = { .output = NULL };
	int rc = (x->settings = tt_run_settings(run, &x->a, err)) ? TT_OK : err->code;

	x->rd.sample = sample;
	x->rd.nsample = n;
	x->told = *told;
	x->rd.none = true;
	for (size_t i = 0; i < n; i++)
		x->rd.none = x->rd.none && sample[i].without;
	return rc == TT_OK ? gate_judge_all(x, run, show ? &out : NULL, NULL, err) : rc;
}

void
gate_close(struct gate *x)
{
	if (!x)
		return;
	tt_verdict_out_close(&x->to);
	tt_arena_free(&x->a);
}
