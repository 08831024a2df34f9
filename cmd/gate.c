/**
 * Reads the captures of a gate, judges them, and writes the verdict and the baseline.
 */
#include "gate.h"

#include <errno.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/shell.h"
#include "cmd.h"
#include "gate/suggest.h"
#include "gate/document.h"
#include "gate/read.h"
#include "gate/samples.h"
#include "input.h"
#include "io/lock.h"
#include "io/outputs.h"
#include "report.h"
#include "run/run.h"
#include "sys/sys.h"
#include "verdict/verdict_as.h"
#include "version.h"

struct gate {
	struct app *app;
	const struct gate_opts *g;
	const struct input_opts *in;
	struct tt_arena a;
	struct tt_budget budget;
	struct tt_baseline base;
	bool has_base;
	const char *settings;
	const char *made;             /* gate_settings() */
	struct tt_gate_reader rd;     /* captures, or the samples that others read */
	struct gate_told told;
	size_t nsaved;                /* captures that --save added */
	const char *replaced;         /* the session of the baseline that --save makes anew; NULL: there is none yet */
	struct tt_verdict_out to;
};

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

/* --- the baseline that is saved ------------------------------------------------------------------ */

/* True for standard output, and for a path that exists but is no regular file. */
static bool
is_device(const char *path)
{
	struct tt_sys_stat st;

	return strcmp(path, "-") == 0 || (tt_sys_stat(path, &st) == 0 && st.kind != TT_KIND_FILE);
}

/*
 * Without --append the baseline is made anew. Refuse that if the file has several sessions or an accepted one, which are hard to collect again. A file that is
 * no baseline may be replaced.
 */
static int
check_renewal(struct gate *x, struct tt_err *err)
{
	struct tt_err why = { 0 };
	struct tt_baseline old;
	struct tt_arena a;
	int rc = TT_OK;

	x->replaced = NULL;
	if (x->g->append || is_device(x->g->save) || !tt_sys_exists(x->g->save))
		return TT_OK;
	tt_arena_init(&a, &x->app->env.mem);
	rc = tt_baseline_read(&x->app->env, x->g->save, &x->budget, TT_SAMPLE_HEAD, &old, &a, &why);
	if (rc == TT_E_USAGE)
		rc = TT_OK;
	else if (rc != TT_OK)
		*err = why;
	else if (old.nall_session > 1)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s holds %zu sessions: --append adds to them; remove it to begin anew", x->g->save,
		    old.nall_session);
	else if (old.session->accepted)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s holds session \"%s\", which was accepted: --append adds to it; remove it to begin anew",
		    x->g->save, old.session->name);
	else
		rc = (x->replaced = tt_arena_text(&x->a, old.session->name, strlen(old.session->name), err)) ? TT_OK : err->code;
	tt_arena_free(&a);
	return rc;
}

/* Called where ${old} has all captures, so none is appended. TT_E_USAGE for --accept, unless the first compared session was accepted before. */
static int
check_accepted(const struct gate *x, const struct tt_baseline *old, struct tt_err *err)
{
	const struct tt_baseline_session *last = &old->session[old->nall_session - old->nsession];
	struct tt_buf name = { 0 };

	if (!x->g->accept || last->accepted)
		return TT_OK;
	tt_shell_quote(&name, x->g->save);
	tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has these captures: use \"tracetool baseline accept %s SESSION --reason ...\"", x->g->save,
	    name.failed ? x->g->save : tt_buf_string(&name));
	tt_buf_free(&name);
	return err->code;
}

/*
 * Make the baseline that --save writes, in which the new captures are accepted because of ${accept} (NULL: they are not); ${text} stays empty if ${old} has
 * all captures.
 */
static int
save(struct gate *x, struct tt_baseline *old, const char *accept, struct tt_buf *text, struct tt_err *err)
{
	struct tt_sample *s;
	size_t n;
	int rc = TT_OK;

	if (x->rd.unread)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "%s: not saved, for %s could not be read", x->g->save, x->rd.unread_name);
	for (size_t i = 0; i < x->rd.nsample; i++)
		if (x->rd.sample[i].damaged)
			return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "%s: not saved, for %s is damaged", x->g->save,
			    x->rd.sample[i].name);
	if (old && !x->g->force_baseline)
		rc = tt_baseline_check(old, x->rd.sample, x->rd.nsample, &x->budget, x->settings, err);
	s = rc == TT_OK ? tt_samples_new(x->rd.sample, x->rd.nsample, old, &n, &x->a, err) : NULL;
	if (!s)
		return err->code;
	if (n == 0 && !old)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "%s: not saved: no capture holds an event", x->g->save);
	x->nsaved = n;
	return n ? tt_baseline_write(old, s, n, &x->budget, x->settings, accept, text, &x->a, err) : check_accepted(x, old, err);
}

/* --- the run ----------------------------------------------------------------------------------------- */

/* The options with which "tracetool convert" finds the same frames. */
static const char *
convert_options(struct gate *x, const struct tt_run_opts *run, struct tt_err *err)
{
	const struct { const char *option, *value; } give[] = {
		{ "--input-format", x->in->format }, { "--frame-marker", run->frame_marker }, { "--frame-thread", run->frame_thread },
	};
	struct tt_buf b = { 0 };

	for (size_t i = 0; i < sizeof give / sizeof *give; i++) {
		if (!give[i].value)
			continue;
		tt_buf_printf(&b, " %s ", give[i].option);
		tt_shell_quote(&b, give[i].value);
	}
	return tt_buf_keep(&b, &x->a, err);
}

/* Render the verdict as the text to print. */
static int
print(struct gate *x, const struct tt_verdict *v, const struct tt_run_opts *run, size_t width, bool page, struct tt_output *out,
    struct tt_err *err)
{
	bool screen = strcmp(out->path, "-") == 0, color = ui_color(&x->app->ui, screen ? 1 : -1);
	const char *convert = convert_options(x, run, err);
	int rc = convert ? TT_OK : err->code;

	for (size_t i = 0; i < v->nrow && rc == TT_OK && x->g->explain; i++)
		if (strcmp(v->row[i].row->id, x->g->explain) == 0 && tt_verdict_worst(&v->row[i]))
			rc = tt_gate_read_worst(&x->rd, run, tt_verdict_worst(&v->row[i]), err);
	if (rc == TT_OK && x->g->explain)
		rc = tt_verdict_explain(v, x->g->explain, convert, &out->text, err);
	else if (rc == TT_OK && page)
		tt_verdict_as_html(v, &x->g->to.links, TT_GENERATOR, &out->text);
	else if (rc == TT_OK)
		rc = tt_verdict_as_text(v, &(struct tt_verdict_text){ color, x->app->env.log_level >= TT_LOG_VERBOSE, width }, &out->text, err);
	if (rc == TT_OK && page)
		return tt_buf_error(&out->text, err);
	if (rc == TT_OK)
		rc = tt_verdict_wrap(width, &out->text, err);
	return rc == TT_OK ? tt_verdict_defuse(tt_verdict_out_messages(screen ? &x->g->to : NULL), color, &out->text, err) : rc;
}

/* Print what happened to the baseline. */
static void
say_saved(const struct gate *x, bool accepted)
{
	if (x->nsaved && x->g->append)
		tt_log(&x->app->env, TT_LOG_NORMAL, "%s: %zu capture%s added%s", x->g->save, x->nsaved, x->nsaved == 1 ? "" : "s",
		    accepted ? "; from now on captures are compared with these, and with none before" : "");
	if (x->replaced)
		tt_log(&x->app->env, TT_LOG_NORMAL, "%s: session \"%s\" is replaced (--append adds to it)", x->g->save, x->replaced);
}

/* Print the verdict (if ${o} is not NULL) and write all other outputs. A baseline that may not be saved does not keep the others from being written. */
static int
write_all(struct gate *x, struct tt_verdict *v, const struct tt_run_opts *run, const struct report_opts *o,
    struct tt_baseline *old, struct tt_err *err)
{
	struct tt_output out[2] = { 0 };
	int rc = TT_OK, saved = TT_OK;
	struct tt_buf base = { 0 };
	struct tt_err why;
	size_t n = 0;

	if (v->unfit && (x->g->append || x->has_base))
		x->replaced = NULL;
	else if (x->g->save)
		saved = save(x, old, v->accepts ? x->g->accept : NULL, &base, &why);
	/* Not saved, so do not report it as accepted. */
	if (saved == TT_E_USAGE && x->g->accept) {
		tt_buf_free(&base);
		*err = why;
		return saved;
	}
	if (saved != TT_OK)
		v->status = tt_exit_code(saved);
	if (o) {
		out[0].path = o->output ? o->output : "-";
		rc = print(x, v, run, report_width(o), report_form(o) == TT_RENDER_HTML, &out[n++], err);
	}
	if (saved == TT_OK && base.n > 0)
		out[n++] = (struct tt_output){ .path = x->g->save, .text = base };
	else
		tt_buf_free(&base);
	if (rc == TT_OK)
		rc = tt_verdict_out_write(&x->app->env, &x->to, v, out, n, err);
	if (rc == TT_OK && saved == TT_OK)
		say_saved(x, v->accepts);
	if (rc == TT_OK && saved != TT_OK) {
		*err = why;
		rc = saved;
	}
	tt_buf_free(&out[0].text);
	tt_buf_free(&out[1].text);
	return rc;
}

static int
judge(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_baseline *old,
    struct tt_err *err)
{
	/* If no capture could be read, the verdict is no pass, whatever --inconclusive says. */
	struct tt_judge_opts o = { .inconclusive = x->rd.none ? 0 : (unsigned)x->g->inconclusive, .group_by = x->g->group_by,
		.append = x->g->append ? x->g->save : NULL, .accept = x->g->accept, .accept_by = x->g->accept_by,
		.note = x->told.note, .alert = x->told.alert, .nalert = x->told.nalert, .status = x->told.status,
		.why = x->told.why, .anchor = x->g->anchor, .first = x->g->save != NULL };
	struct tt_verdict v = { 0 };
	int rc = gate_today(x->app, x->g->today, &o.today, err);

	if (rc == TT_OK)
		rc = tt_samples_check(x->rd.sample, x->rd.nsample, &x->a, err);
	if (rc == TT_OK && x->has_base && !x->g->force_baseline)
		rc = tt_baseline_check(&x->base, x->rd.sample, x->rd.nsample, &x->budget, x->settings, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_judge(&x->budget, x->has_base ? &x->base : NULL, x->rd.sample, x->rd.nsample, &o, &v, &x->app->env.mem, err);
	if (rc == TT_OK)
		rc = write_all(x, &v, run, out, old, err);
	if (rc == TT_OK)
		x->app->verdict = v.status;
	tt_verdict_free(&v);
	return rc;
}

static bool
is_file(const char *path, const char *file)
{
	struct tt_sys_stat a, b;

	return file && tt_sys_stat(path, &a) == 0 && a.kind == TT_KIND_FILE && tt_sys_stat(file, &b) == 0 && tt_sys_is_same(&a, &b);
}

/*
 * With --append, compare with the baseline that is appended to, unless another is named. Read it under its lock: other runs may have appended while this one
 * read captures.
 */
static int
judge_and_save(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	struct tt_baseline old;
	struct tt_file_lock lock = { 0 };
	bool append;
	int rc = is_device(x->g->save) ? TT_OK : tt_file_lock_take(&lock, &x->app->env, x->g->save, err);

	if (rc != TT_OK)
		return rc;
	rc = check_renewal(x, err);
	append = x->g->append && tt_sys_exists(x->g->save);
	if (append && rc == TT_OK)
		rc = tt_document_read(&x->app->env, x->g->save, &text, err);
	if (append && rc == TT_OK)
		rc = tt_baseline_parse(text.p, text.n, x->g->save, &x->budget, TT_SAMPLE_JUDGED, &old, &x->a, err);
	if (append && (!x->g->baseline || is_file(x->g->save, x->g->baseline))) {
		x->base = old;
		x->has_base = true;
	}
	if (rc == TT_OK)
		rc = judge(x, run, out, append ? &old : NULL, err);
	tt_file_lock_release(&lock);
	tt_buf_free(&text);
	return rc;
}

/* Print the rows that a suggested budget lacks, and why, in a line each. */
static void
say_left_out(struct app *app, const struct tt_buf *rows)
{
	for (size_t at = 0; at < rows->n;) {
		const char *end = memchr(rows->p + at, '\n', rows->n - at);
		const size_t n = end ? (size_t)(end - rows->p) - at : rows->n - at;

		tt_log(&app->env, TT_LOG_NORMAL, "left out: %.*s", (int)n, rows->p + at);
		at += n + 1;
	}
}

static int
suggest(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_err *err)
{
	struct tt_buf text = { 0 }, left_out = { 0 };
	size_t n = 0, nunended = 0, k = 0, total;
	struct tt_sample *all;
	const char *first = NULL;
	int rc = TT_OK;

	/* Leave out captures that a crash cut short. */
	for (size_t i = 0; i < x->in->path.n; i++) {
		if (x->rd.cap[i].into)
			continue;
		if (!x->rd.cap[i].unended)
			x->rd.sample[n++] = x->rd.sample[k];
		else if (nunended++ == 0)
			first = x->rd.sample[k].name;
		k++;
	}
	if (nunended)
		ui_say(&x->app->ui, "%zu of %zu captures did not end, and %s left out: %s%s", nunended, k, nunended == 1 ? "is" : "are", first,
		    nunended > 1 ? ", ..." : "");
	if (n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no capture ended: a budget needs one of a run that was not killed");
	if (x->has_base && !x->g->force_baseline)
		rc = tt_baseline_check(&x->base, x->rd.sample, n, &x->budget, x->settings, err);
	all = rc == TT_OK ? tt_samples_with(x->rd.sample, n, x->has_base ? &x->base : NULL, &total, &x->a, err) : NULL;
	if (!all)
		return err->code;
	rc = tt_budget_suggest(all, total, n, x->budget.measure, x->budget.nmeasure, run->frame_marker, &text, &left_out, err);
	say_left_out(x->app, &left_out);
	tt_buf_free(&left_out);
	if (rc == TT_OK)
		rc = app_write(x->app, out->output ? out->output : "-", &text, err);
	tt_buf_free(&text);
	return rc;
}

/* Fail if an output is a capture, the budget or a baseline; only --save may replace the baseline. */
static int
check_outputs(const struct gate_opts *g, const struct tt_list *reads, const struct tt_list *writes, struct tt_err *err)
{
	int rc = tt_outputs_check(writes->v, reads ? reads->v : NULL, err);

	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < writes->n; i++) {
		const char *path = writes->v[i];

		if (is_file(path, g->budget))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is the budget and an output", path);
		if (is_file(path, g->baseline) && !is_file(path, g->save))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is the baseline and an output", path);
	}
	return TT_OK;
}

/*
 * List the files that are read and written, and open the outputs. Files of an earlier verdict are removed: whatever goes wrong from here on, they cannot be
 * taken for this run's.
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
	if (rc == TT_OK && x->g->save)
		rc = tt_list_add(writes, x->g->save, &x->app->arena, err);
	if (rc == TT_OK)
		rc = verdict_open(x->app, &x->g->to, !out->output || strcmp(out->output, "-") == 0 ? "-o FILE" : NULL, writes, &x->to, err);
	if (rc == TT_OK)
		rc = check_outputs(x->g, reads, writes, err);
	return rc == TT_OK && x->g->budget ? tt_verdict_out_forget(&x->g->to, x->g->explain ? NULL : out->output, err) : rc;
}

/* Enter the first stage of the sandbox only: further captures must still be opened. */
static int
confine(struct gate *x, struct tt_list *reads, const struct tt_list *writes, struct tt_err *err)
{
	int rc = TT_OK;

	if (x->g->save && (x->g->append || !is_device(x->g->save)))
		rc = tt_list_add(reads, x->g->save, &x->app->arena, err);
	if (rc == TT_OK)
		rc = app_reads(x->app, reads->v, err);
	return rc == TT_OK ? app_confine(x->app, writes->v, x->in->tmpdir, err) : rc;
}

/* Read the budget, the baselines that it needs, and the one that --save writes, before captures are read: errors come early. */
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
	/* It is read once more when captures are added: until then it takes no room. */
	tt_arena_init(&a, &x->app->env.mem);
	if (rc == TT_OK && x->g->append && tt_sys_exists(x->g->save))
		rc = tt_baseline_read(&x->app->env, x->g->save, &x->budget, TT_SAMPLE_JUDGED, &old, &a, err);
	tt_arena_free(&a);
	return rc == TT_OK && x->g->save ? check_renewal(x, err) : rc;
}

/* The captures' gaps beside rows: files of rotations, and captures that could not be read. */
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
	/* Damage, which rows know, outweighs what could not be read. */
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
	if (rc == TT_OK)
		rc = open_outputs(x, out, &reads, &writes, err);
	if (rc == TT_OK)
		rc = read_documents(x, err);
	if (rc == TT_OK)
		rc = confine(x, &reads, &writes, err);
	if (rc == TT_OK)
		rc = read_captures(x, &run, err);
	if (rc == TT_OK)
		rc = (x->settings = tt_run_settings(&run, &x->a, err)) ? TT_OK : err->code;
	if (rc != TT_OK)
		return rc;
	if (x->rd.none && x->in->path.n > 1)
		ui_say(&x->app->ui, "none of the captures can be read");
	rc = tell(x, err);
	if (rc != TT_OK)
		return rc;
	/* Write a verdict even without figures: files of an earlier run must not be taken for those of this one. */
	if (x->g->suggest)
		rc = x->rd.none ? TT_OK : suggest(x, &run, out, err);
	else
		rc = x->g->save && !x->rd.none ? judge_and_save(x, &run, out, err) : judge(x, &run, out, NULL, err);
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
	if (rc == TT_OK)
		rc = check_outputs(g, reads, writes, err);
	if (rc == TT_OK)
		rc = tt_verdict_out_forget(&g->to, NULL, err);
	if (rc == TT_OK)
		rc = read_documents(x, err);
	if (rc == TT_OK)
		rc = (x->made = tt_budget_settings(&x->budget, &x->a, err)) ? TT_OK : err->code;
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
	return rc == TT_OK ? judge(x, run, show ? &out : NULL, NULL, err) : rc;
}

void
gate_close(struct gate *x)
{
	if (!x)
		return;
	tt_verdict_out_close(&x->to);
	tt_arena_free(&x->a);
}
