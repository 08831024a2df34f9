/**
 * tracetool baseline: shows figures over the sessions of baselines, lists sessions, removes some, or accepts one.
 */
#include "baseline.h"

#include <string.h>

#include "base/spelling.h"
#include "cmd.h"
#include "command_tables.h"
#include "gate/document.h"
#include "io/lock.h"
#include "pass/pass.h"
#include "sys/sys.h"

enum action { A_SHOW, A_LIST, A_DROP, A_TRIM, A_ACCEPT };

#define AT(f) offsetof(struct baseline_opts, f)

static const struct opt change_opt[] = {
	{ .name = "keep", .arg = "N", .set = opt_count, .at = AT(keep), .lo = 1, .hi = UINT32_MAX,
	    .help = "with trim: keep the last N sessions, and the last accepted one" },
	{ .name = "reason", .arg = "TEXT", .set = opt_text, .at = AT(why),
	    .help = "with accept: why the program is meant to be so from there on; kept in the file" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Figures", baseline_figure_opt, 0 },
	{ "Change", change_opt, 0 },
	REPORT_GROUP(struct baseline_opts, out),
	UI_GROUP(struct baseline_opts, ui),
	{ NULL, NULL, 0 },
};

static const char *
action_value(size_t i)
{
	static const char *const v[] = { "show", "list", "drop", "trim", "accept", NULL };

	return i <= A_ACCEPT ? v[i] : NULL;
}

const struct verb verb_baseline = {
	.name = "baseline",
	.summary = "show figures over a baseline's sessions; list, drop, accept sessions",
	.operands = "[show|list|drop|trim|accept] BASE...",
	.about = "Look after baselines of \"tracetool gate --save\". \"show\", also without this word, prints how figures change over the sessions: a line for "
		 "each figure, with a chart and the place where its level changed for good; -o FILE.svg makes a picture, -o FILE.html a page. "
		 "\"list BASE\" prints the sessions. \"drop BASE SESSION...\" takes the named ones out, \"trim BASE\" the oldest. "
		 "\"accept BASE [SESSION]\" says that a slowdown is meant to stay: captures are compared with the named session (default: the "
		 "last) and those after it, and with none before it.",
	.examples = "  tracetool baseline base.json --gate budget.json --row 'frame*'\n"
		    "  tracetool baseline base.json -o history.html\n"
		    "  tracetool baseline list base.json\n"
		    "  tracetool baseline drop base.json '#3' nightly-2026-11-20\n"
		    "  tracetool baseline trim base.json --keep 20\n"
		    "  tracetool baseline accept base.json --reason 'new lighting'\n",
	.group = groups,
	.operand_at = offsetof(struct baseline_opts, arg),
};

static const struct tt_col session_col[] = {
	{ "session", "session", TT_UNIT_TEXT, "Name of the session." },
	{ "captures", "captures", TT_UNIT_COUNT, "Number of its captures." },
	{ "frames", "frames", TT_UNIT_COUNT, "Whole frames of all of them." },
	{ "compared", "compared", TT_UNIT_BOOL, "True if captures are compared with it: it is the last accepted session, or later." },
	{ "accepted", "accepted", TT_UNIT_TEXT, "Why it was accepted; empty if it was not." },
	{ "first", "first capture", TT_UNIT_TEXT, "Name of its first capture, as it was given." },
};

const struct tt_pass_table baseline_tables[] = {
	{ .id = "baseline_sessions", .title = "Sessions", .col = session_col, .ncol = TT_NCOL(session_col) },
	{ .id = NULL },
};

/* The baseline file while it is listed or changed. */
struct baseline {
	struct app *app;
	const char *path;
	struct tt_buf text;
	struct tt_baseline b;
	struct tt_arena a;
	bool *keep;                   /* by session: true if it stays */
	size_t accept;                /* index of the session to accept, or SIZE_MAX */
};

static int
read_file(struct baseline *x, struct tt_err *err)
{
	struct tt_budget none;
	int rc = tt_document_read(&x->app->env, x->path, &x->text, err);

	if (rc == TT_OK)
		rc = tt_budget_none(&none, &x->a, err);
	if (rc == TT_OK)
		rc = tt_baseline_parse(x->text.p, x->text.n, x->path, &none, TT_SAMPLE_HEAD, &x->b, &x->a, err);
	x->keep = rc == TT_OK ? tt_arena_alloc(&x->a, x->b.nall_session * sizeof *x->keep, err) : NULL;
	if (!x->keep)
		return err->code;
	memset(x->keep, true, x->b.nall_session * sizeof *x->keep);
	return TT_OK;
}

static int
find(const struct baseline *x, const char *name, size_t *at, struct tt_err *err)
{
	const char *near = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < x->b.nall_session; i++) {
		const size_t d = tt_word_distance(name, x->b.session[i].name);

		if (strcmp(name, x->b.session[i].name) == 0) {
			*at = i;
			return TT_OK;
		}
		near = d < least ? x->b.session[i].name : near;
		least = d < least ? d : least;
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has no session \"%s\"%s%s%s", x->path, name, near ? "; did you mean \"" : "",
	    near ? near : "", near ? "\"?" : " (\"tracetool baseline list\" has them)");
}

/* The number of sessions before the accepted one: captures are not compared with these. */
static size_t
past(const struct baseline *x)
{
	return x->b.nall_session - x->b.nsession;
}

static int
list(struct baseline *x, const struct report_opts *o, struct tt_err *err)
{
	struct tt_report r;
	int rc;

	tt_report_init(&r, &x->app->env.mem);
	struct tt_table *t = tt_report_table(&r, baseline_tables[0].id, baseline_tables[0].title, session_col, TT_NCOL(session_col));
	for (size_t i = 0; i < x->b.nall_session; i++) {
		const struct tt_baseline_session *s = &x->b.session[i];
		struct tt_cell *c = tt_row(t);
		uint64_t frames = 0;

		for (size_t k = 0; k < s->n; k++)
			frames += x->b.all[s->first + k].frames;
		tt_cell_text(&c[0], s->name);
		tt_cell_u64(&c[1], s->n);
		tt_cell_u64(&c[2], frames);
		tt_cell_int(&c[3], i >= past(x));
		tt_cell_name(&c[4], s->accepted);
		tt_cell_text(&c[5], x->b.all[s->first].name);
	}
	rc = report_write(x->app, o, &r, err);
	tt_report_free(&r);
	return rc;
}

static int
drop(struct baseline *x, const char *const *name, size_t n, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		size_t at;

		rc = find(x, name[i], &at, err);
		if (rc == TT_OK)
			x->keep[at] = false;
	}
	return rc;
}

/* Drop the oldest sessions first: those before the accepted one, then the others. The accepted one stays: comparisons begin with it. */
static void
trim(struct baseline *x, uint64_t n)
{
	for (size_t i = 0; i < x->b.nall_session; i++)
		x->keep[i] = x->b.nall_session - i <= n || (i == past(x) && x->b.session[i].accepted);
}

static int
accept(struct baseline *x, const char *name, struct tt_err *err)
{
	int rc = TT_OK;

	x->accept = x->b.nall_session - 1;
	if (name)
		rc = find(x, name, &x->accept, err);
	if (rc == TT_OK && x->b.session[x->accept].accepted)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: session \"%s\" is accepted already: %s", x->path, x->b.session[x->accept].name,
		    x->b.session[x->accept].accepted);
	return rc;
}

/* Warn if the session that comparisons began with was removed: they now begin with another session, or use all. */
static void
tell_compared(const struct baseline *x)
{
	const char *first = NULL;

	if (x->keep[past(x)] || !x->b.session[past(x)].accepted)
		return;
	for (size_t i = 0; i < x->b.nall_session; i++)
		if (x->keep[i] && (!first || x->b.session[i].accepted))
			first = x->b.session[i].name;
	tt_log(&x->app->env, TT_LOG_NORMAL, "%s: the accepted session \"%s\" is out: captures are compared with session \"%s\" and those after it",
	    x->path, x->b.session[past(x)].name, first);
}

/* Rewrite the file and print what changed. */
static int
rewrite(struct baseline *x, const char *why, struct tt_err *err)
{
	const size_t n = x->b.nall_session;
	struct tt_buf out = { 0 };
	size_t kept = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		kept += x->keep[i];
	if (kept == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: no session would be left; remove the file instead", x->path);
	rc = tt_baseline_keep(&x->b, x->keep, x->accept, why, &out, err);
	if (rc == TT_OK && (kept < n || x->accept != SIZE_MAX))
		rc = app_write(x->app, x->path, &out, err);
	tt_buf_free(&out);
	if (rc == TT_OK && x->accept != SIZE_MAX)
		tt_log(&x->app->env, TT_LOG_NORMAL, "%s: captures are compared with session \"%s\" and those after it", x->path,
		    x->b.session[x->accept].name);
	else if (rc == TT_OK)
		tt_log(&x->app->env, TT_LOG_NORMAL, "%s: %zu of %zu sessions kept", x->path, kept, n);
	if (rc == TT_OK)
		tell_compared(x);
	return rc;
}

/* Read, change and write the baseline under the lock that --append takes. */
static int
change(struct baseline *x, enum action action, const struct baseline_opts *o, struct tt_err *err)
{
	struct tt_file_lock lock = { 0 };
	int rc = tt_file_lock_take(&lock, &x->app->env, x->path, err);

	if (rc != TT_OK)
		return rc;
	rc = read_file(x, err);
	if (rc == TT_OK && action == A_DROP)
		rc = drop(x, o->arg.v + 2, o->arg.n - 2, err);
	if (rc == TT_OK && action == A_TRIM)
		trim(x, o->keep);
	if (rc == TT_OK && action == A_ACCEPT)
		rc = accept(x, o->arg.n > 2 ? o->arg.v[2] : NULL, err);
	if (rc == TT_OK)
		rc = rewrite(x, o->why, err);
	tt_file_lock_release(&lock);
	return rc;
}

/* Find the action that the first operand names; without one it is to show, with all operands as baselines. */
static int
take_action(struct baseline_opts *o, enum action *action, struct tt_err *err)
{
	const char *near = o->arg.n > 1 && !tt_sys_exists(o->arg.v[0]) ? tt_nearest_word(o->arg.v[0], action_value) : NULL;

	*action = A_SHOW;
	for (size_t i = 0; o->arg.n && action_value(i); i++)
		if (strcmp(action_value(i), o->arg.v[0]) == 0) {
			if (i == A_SHOW)
				memmove(o->arg.v, o->arg.v + 1, o->arg.n-- * sizeof *o->arg.v);
			*action = (enum action)i;
			return TT_OK;
		}
	return near ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there is no file \"%s\"; did you mean \"%s\"?", o->arg.v[0], near) : TT_OK;
}

static int
check(const struct baseline_opts *o, enum action action, struct tt_err *err)
{
	const char *what = action_value(action);

	if ((action == A_TRIM) != (o->keep > 0))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, action == A_TRIM ? "trim: say how many sessions to keep, with --keep N" :
		    "option --keep: it is for trim");
	if ((action == A_ACCEPT) != (o->why && *o->why))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, action == A_ACCEPT ? "accept: say why, with --reason TEXT" : "option --reason: it is for accept");
	if (action == A_SHOW)
		return TT_OK;
	if (o->budget || o->row.n)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --%s: it is for show", o->budget ? "gate" : "row");
	if (o->arg.n < 2)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: name the baseline's file", what);
	if (action == A_DROP ? o->arg.n < 3 : o->arg.n > (action == A_ACCEPT ? 3 : 2))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, action == A_DROP ? "drop: name the sessions to take out (\"tracetool baseline list\" has them)" :
		    action == A_ACCEPT ? "accept: name one session, or none for the last" : "%s: takes the baseline's file alone", what);
	if (action != A_LIST && o->out.output)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --output: %s prints no report; it changes the file", what);
	return TT_OK;
}

/* Do what the first of the operands ${o} says. */
static int
work(struct app *app, enum action action, const struct baseline_opts *o, struct tt_err *err)
{
	struct baseline x = { .app = app, .path = o->arg.v[1], .accept = SIZE_MAX };
	const char *outputs[] = { action == A_LIST ? o->out.output : x.path, NULL };
	int rc;

	if (action == A_LIST)
		report_pager(app, &o->out);
	tt_arena_init(&x.a, &app->env.mem);
	rc = app_reads(app, (const char *const[]){ x.path, NULL }, err);
	if (rc == TT_OK)
		rc = app_confine(app, outputs, NULL, err);
	if (rc == TT_OK && action == A_LIST) {
		rc = read_file(&x, err);
		if (rc == TT_OK)
			rc = list(&x, &o->out, err);
	} else if (rc == TT_OK) {
		rc = change(&x, action, o, err);
	}
	tt_buf_free(&x.text);
	tt_arena_free(&x.a);
	return rc;
}

int
run_baseline(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct baseline_opts o = { .keep = 0 };
	enum action action;
	int rc;

	report_defaults(&o.out);
	rc = app_parse(app, &verb_baseline, &o, &o.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	rc = take_action(&o, &action, err);
	if (rc == TT_OK)
		rc = check(&o, action, err);
	if (rc == TT_OK && !(action == A_SHOW && history_is_picture(&o)))
		rc = report_check(&o.out, err);
	if (rc != TT_OK)
		return rc;
	return action == A_SHOW ? history_show(app, &o, err) : work(app, action, &o, err);
}
