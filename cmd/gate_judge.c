/**
 * Judges the captures of a gate, writes the verdict, and saves or suggests the baseline or budget for later captures.
 */
#include "gate_state.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/shell.h"
#include "cmd.h"
#include "gate/document.h"
#include "gate/samples.h"
#include "gate/suggest.h"
#include "input.h"
#include "io/lock.h"
#include "io/outputs.h"
#include "report_opts.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"

/* --- the baseline that is saved ------------------------------------------------------------------ */

bool
gate_is_device(const char *path)
{
	struct tt_sys_stat st;

	return strcmp(path, "-") == 0 || (tt_sys_stat(path, &st) == 0 && st.kind != TT_KIND_FILE);
}

int
gate_check_renewal(struct gate *x, struct tt_err *err)
{
	struct tt_err why = { 0 };
	struct tt_baseline old;
	struct tt_arena a;
	int rc = TT_OK;

	x->replaced = NULL;
	if (x->g->append || gate_is_device(x->g->save) || !tt_sys_exists(x->g->save))
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

/* Check --accept when ${old} already has all captures, so that none is appended. TT_E_USAGE, unless the first compared session was accepted before. */
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
 * Make the baseline that --save writes; its new captures are accepted because of ${accept} (NULL: they are not). ${text} stays empty if ${old} already has
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

/* Return the options with which "tracetool convert" finds the same frames. */
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
	return tt_buf_move_to_arena(&b, &x->a, err);
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
		tt_verdict_as_html(v, &x->to.o->links, TT_GENERATOR, &out->text);
	else if (rc == TT_OK)
		rc = tt_verdict_as_text(v, &(struct tt_verdict_text){ color, x->app->env.log_level >= TT_LOG_VERBOSE, width }, &out->text, err);
	if (rc == TT_OK && page)
		return tt_buf_error(&out->text, err);
	TT_THEN(rc, tt_verdict_wrap(width, &out->text, err));
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

/* Make commands on single captures use the budget's choice of frames, as this run did. */
static int
repeat_budget_frames(struct gate *x, const struct tt_run_opts *run, struct tt_err *err)
{
	const struct { const char *option, *value, *budget; } give[] = {
		{ "--frame-marker", run->frame_marker, x->budget.frame_marker }, { "--frame-thread", run->frame_thread, x->budget.frame_thread },
	};
	struct tt_buf b = { 0 };

	if (!x->to.o || !x->to.o->links.looks)
		return TT_OK;
	struct tt_verdict_outputs *o = tt_arena_alloc(&x->a, sizeof *o, err);
	if (!o)
		return err->code;
	*o = *x->to.o;
	tt_buf_text(&b, o->links.looks);
	for (size_t i = 0; i < sizeof give / sizeof *give; i++) {
		if (!give[i].value || give[i].value != give[i].budget)
			continue;
		tt_buf_printf(&b, "%s ", give[i].option);
		tt_shell_quote(&b, give[i].value);
		tt_buf_text(&b, " ");
	}
	o->links.looks = tt_buf_move_to_arena(&b, &x->a, err);
	x->to.o = o;
	return o->links.looks ? TT_OK : err->code;
}

/* Print the verdict (if ${o} is not NULL) and write all other outputs. If the baseline cannot be saved, the others are written nevertheless. */
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
	/* The baseline was not saved, so do not report it as accepted. */
	if (saved == TT_E_USAGE && x->g->accept) {
		tt_buf_free(&base);
		*err = why;
		return saved;
	}
	if (saved != TT_OK)
		v->status = tt_exit_code(saved);
	rc = repeat_budget_frames(x, run, err);
	if (rc == TT_OK && o) {
		out[0].path = o->output ? o->output : "-";
		rc = print(x, v, run, report_width(o), report_form(o) == TT_RENDER_HTML, &out[n++], err);
	}
	if (saved == TT_OK && base.n > 0)
		out[n++] = (struct tt_output){ .path = x->g->save, .text = base };
	else
		tt_buf_free(&base);
	TT_THEN(rc, tt_verdict_out_write(&x->app->env, &x->to, v, out, n, err));
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

int
gate_judge_all(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_baseline *old,
    struct tt_err *err)
{
	/* If no capture could be read, the verdict is never a pass, whatever --inconclusive says. */
	struct tt_judge_opts o = { .inconclusive = x->rd.none ? 0 : (unsigned)x->g->inconclusive, .group_by = x->g->group_by,
		.append = x->g->append ? x->g->save : NULL, .accept = x->g->accept, .accept_by = x->g->accept_by,
		.note = x->told.note, .alert = x->told.alert, .nalert = x->told.nalert, .status = x->told.status,
		.why = x->told.why, .anchor = x->g->anchor, .first = x->g->save != NULL };
	struct tt_verdict v = { 0 };
	int rc = gate_today(x->app, x->g->today, &o.today, err);

	TT_THEN(rc, tt_samples_check(x->rd.sample, x->rd.nsample, &x->a, err));
	if (rc == TT_OK && x->has_base && !x->g->force_baseline)
		rc = tt_baseline_check(&x->base, x->rd.sample, x->rd.nsample, &x->budget, x->settings, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_judge(&x->budget, x->has_base ? &x->base : NULL, x->rd.sample, x->rd.nsample, &o, &v, &x->app->env.mem, err);
	TT_THEN(rc, write_all(x, &v, run, out, old, err));
	if (rc == TT_OK)
		x->app->verdict = v.status;
	tt_verdict_free(&v);
	return rc;
}

bool
gate_is_file(const char *path, const char *file)
{
	struct tt_sys_stat a, b;

	return file && tt_sys_stat(path, &a) == 0 && a.kind == TT_KIND_FILE && tt_sys_stat(file, &b) == 0 && tt_sys_is_same(&a, &b);
}

int
gate_judge_and_save(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	struct tt_baseline old;
	struct tt_file_lock lock = { 0 };
	bool append;
	int rc = gate_is_device(x->g->save) ? TT_OK : tt_file_lock_take(&lock, &x->app->env, x->g->save, err);

	if (rc != TT_OK)
		return rc;
	rc = gate_check_renewal(x, err);
	append = x->g->append && tt_sys_exists(x->g->save);
	if (append && rc == TT_OK)
		rc = tt_document_read(&x->app->env, x->g->save, &text, err);
	if (append && rc == TT_OK)
		rc = tt_baseline_parse(text.p, text.n, x->g->save, &x->budget, TT_SAMPLE_JUDGED, &old, &x->a, err);
	if (append && (!x->g->baseline || gate_is_file(x->g->save, x->g->baseline))) {
		x->base = old;
		x->has_base = true;
	}
	TT_THEN(rc, gate_judge_all(x, run, out, append ? &old : NULL, err));
	tt_file_lock_release(&lock);
	tt_buf_free(&text);
	return rc;
}

/* Print each row that a suggested budget lacks, with the reason, in a line of its own. */
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

int
gate_suggest(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_err *err)
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
	TT_THEN(rc, app_write(x->app, out->output ? out->output : "-", &text, err));
	tt_buf_free(&text);
	return rc;
}
