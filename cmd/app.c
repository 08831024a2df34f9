/**
 * Has what the verbs share: common options, outputs, the sandbox, and lines of the loss ledger. It knows nothing of what a verb does.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "io/spool.h"
#include "out/table.h"
#include "report_opts.h"
#include "sys/sys.h"

int
app_write(struct app *app, const char *path, const struct tt_buf *text, struct tt_err *err)
{
	return tt_output_write(&app->env, path, text, err);
}

int
app_show(struct app *app, const struct tt_buf *text, struct tt_err *err)
{
	return !text->failed && pager_show(&app->pager, text) ? TT_OK : app_write(app, "-", text, err);
}

int
app_reads(struct app *app, const char *const *inputs, struct tt_err *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct tt_list *l = &app->reads;
	int rc = tt_list_add(l, "/dev/shm", &app->arena, err);

	if (rc == TT_OK && runtime && runtime[0])
		rc = tt_list_add(l, runtime, &app->arena, err);
	for (; rc == TT_OK && inputs && *inputs; inputs++) {
		const size_t folder = (size_t)(tt_sys_base_name(*inputs) - *inputs);
		const char *dir = ".";

		if (strcmp(*inputs, "-") == 0)
			continue;
		if (folder > 0)
			dir = tt_arena_text(&app->arena, *inputs, folder, err);
		rc = dir ? tt_list_add(l, *inputs, &app->arena, err) : err->code;
		TT_THEN(rc, tt_list_add(l, dir, &app->arena, err));
	}
	app->plan.read = l->v;
	return rc;
}

int
app_reads_back(struct app *app, const char *dir, struct tt_err *err)
{
	int rc = tt_list_add(&app->reads, dir, &app->arena, err);

	app->plan.read = app->reads.v;
	return rc;
}

int
app_confine(struct app *app, const char *const *outputs, const char *tmpdir, struct tt_err *err)
{
	struct tt_list scratch = { 0 };
	int rc = tt_sandbox_mode(getenv("TRACETOOL_SANDBOX"), &app->env.sandbox, err);

	app->env.tmpdir = tmpdir;
	/* the summary of GitHub is not an option of the user, so a failure there must not cost the verdict */
	TT_THEN(rc, tt_outputs_check_folders(outputs, getenv("GITHUB_STEP_SUMMARY"), err));
	TT_THEN(rc, tt_list_add(&scratch, tt_spool_dir(&app->env), &app->arena, err));
	app->plan.scratch = scratch.v;
	app->plan.write = outputs;
	for (size_t i = 0; rc == TT_OK && outputs && outputs[i]; i++)
		tt_sink_sweep_output(outputs[i]);
	return rc == TT_OK ? tt_sandbox_enter(&app->env, &app->plan, err) : rc;
}

int
app_seal(void *arg, struct tt_err *err)
{
	struct app *app = arg;

	return tt_sandbox_seal(&app->env, &app->plan, err);
}

int
app_parse(struct app *app, const struct tt_verb *verb, void *into, const struct ui_opts *ui, int argc,
    char **argv, struct tt_err *err)
{
	int rc = tt_opts_parse(verb, into, argc, argv, &app->arena, err);
	struct tt_buf text = { 0 };
	unsigned width;

	if (ui->help) {               /* --help is printed even if another argument is wrong */
		width = ui_width(1);
		tt_opts_help(verb, width >= 60 && width <= 100 ? width : 80, &text);
		pager_start(&app->pager);
		rc = app_show(app, &text, err);
		tt_buf_free(&text);
		return rc == TT_OK ? TT_END : rc;
	}
	if (rc != TT_OK)
		return rc;
	/* info and baseline write other files, too, and check by themselves. */
	for (const struct tt_opt_group *g = verb->group; g->opt && rc == TT_OK && verb != &verb_info && verb != &verb_baseline; g++)
		if (g->opt == report_opt)
			rc = report_check((const struct report_opts *)(const void *)((const char *)into + g->base), err);
	if (rc != TT_OK)
		return rc;
	ui_set(&app->ui, ui);
	if (ui->max_memory)
		app->env.mem.cap = ui->max_memory < SIZE_MAX ? (size_t)ui->max_memory : 0;
	if (ui->max_time)
		app->max_time = ui->max_time;
	if (app->max_time && verb != &verb_record && verb != &verb_ab)    /* recorded programs may run without a limit */
		tt_sys_alarm(app->max_time);
	app->env.log_level = ui->quiet ? TT_LOG_QUIET : ui->verbose ? TT_LOG_VERBOSE : TT_LOG_NORMAL;
	return TT_OK;
}

/* An entry of the ledger: "TEXT: 3, 1.2 KB, first at byte 88". */
static void
put_loss(struct tt_buf *b, const struct tt_loss_info *i, const struct tt_loss_entry *e)
{
	const char *sep = ": ";
	char text[40];

	tt_buf_text(b, i->text);
	if (e->n > 1) {
		*tt_put_count(text, (int64_t)e->n) = '\0';
		tt_buf_printf(b, "%s%s", sep, text);
		sep = ", ";
	}
	if (e->bytes > 0) {
		*tt_put_bytes(text, (int64_t)e->bytes) = '\0';
		tt_buf_printf(b, "%s%s", sep, text);
		sep = ", ";
	}
	if (e->first_at != TT_NOWHERE)
		tt_buf_printf(b, "%s%sat byte %llu", sep, e->n > 1 ? "first " : "",
		    (unsigned long long)e->first_at);
}

void
app_say_losses(struct app *app, const char *name, const struct tt_loss *loss)
{
	for (int k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_entry *e = &loss->e[k];
		const struct tt_loss_info i = tt_loss_info_of(loss, (enum tt_loss_kind)k);
		char advice[TT_LOSS_ADVICE];
		struct tt_buf b = { 0 };

		if ((e->n == 0 && e->bytes == 0) || (i.severity < (app->say_notices ? TT_NOTICE : TT_LOSS) && k != TT_LOST_SHORT && k != TT_LOST_PAUSED))
			continue;
		const char *where = e->input ? e->input : name, *others = e->in_others ? " and others" : "";
		put_loss(&b, &i, e);
		ui_say(&app->ui, "%s%s: %s. %s", where, others, b.failed ? i.text : tt_buf_string(&b), tt_loss_advice(&i, advice));
		tt_buf_free(&b);
	}
}
