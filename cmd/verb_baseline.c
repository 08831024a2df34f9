/**
 * tracetool baseline: shows figures over the sessions of baselines, lists sessions, removes some, or accepts one.
 */
#include "verb_baseline.h"

#include <string.h>

#include "base/spelling.h"
#include "cmd.h"
#include "gate/sessions.h"
#include "io/lock.h"
#include "sys/sys.h"

enum action { A_SHOW, A_LIST, A_DROP, A_TRIM, A_ACCEPT };

#define AT(f) offsetof(struct baseline_opts, f)

static const struct tt_opt change_opt[] = {
	{ .name = "keep", .arg = "N", .set = tt_opt_count, .at = AT(keep), .lo = 1, .hi = UINT32_MAX,
	    .help = "with trim: keep the last N sessions, and the last accepted one" },
	{ .name = "reason", .arg = "TEXT", .set = tt_opt_text, .at = AT(why),
	    .help = "with accept: why the program is meant to be so from there on; kept in the file" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
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

const struct tt_verb verb_baseline = {
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

/* Rewrite the file and print what changed. */
static int
rewrite(struct app *app, const struct tt_sessions *x, const char *why, struct tt_err *err)
{
	struct tt_buf out = { 0 };
	size_t kept;
	int rc = tt_sessions_rewrite(x, why, &out, &kept, err);

	if (rc == TT_OK && (kept < x->b.nall_session || x->accept != SIZE_MAX))
		rc = app_write(app, x->path, &out, err);
	tt_buf_free(&out);
	if (rc == TT_OK)
		tt_sessions_tell(x, kept);
	return rc;
}

static int
list(struct app *app, struct tt_sessions *x, const struct report_opts *o, struct tt_err *err)
{
	struct tt_report r;
	int rc = tt_sessions_read(x, err);

	if (rc != TT_OK)
		return rc;
	tt_report_init(&r, &app->env.mem);
	tt_sessions_report(x, &r);
	rc = report_write(app, o, &r, err);
	tt_report_free(&r);
	return rc;
}

/* Read, change and write the baseline under the lock that --append takes. */
static int
change(struct app *app, struct tt_sessions *x, enum action action, const struct baseline_opts *o, struct tt_err *err)
{
	struct tt_file_lock lock = { 0 };
	int rc = tt_file_lock_take(&lock, &app->env, x->path, err);

	if (rc != TT_OK)
		return rc;
	rc = tt_sessions_read(x, err);
	if (rc == TT_OK && action == A_DROP)
		rc = tt_sessions_drop(x, o->arg.v + 2, o->arg.n - 2, err);
	if (rc == TT_OK && action == A_TRIM)
		tt_sessions_trim(x, o->keep);
	if (rc == TT_OK && action == A_ACCEPT)
		rc = tt_sessions_accept(x, o->arg.n > 2 ? o->arg.v[2] : NULL, err);
	TT_THEN(rc, rewrite(app, x, o->why, err));
	tt_file_lock_release(&lock);
	return rc;
}

/* Find the action that the first operand names; without an action, show, and all operands are baselines. */
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

/* Carry out ${action} on the operands of ${o}. */
static int
work(struct app *app, enum action action, const struct baseline_opts *o, struct tt_err *err)
{
	struct tt_sessions x = { .env = &app->env, .path = o->arg.v[1], .accept = SIZE_MAX };
	const char *outputs[] = { action == A_LIST ? o->out.output : x.path, NULL };
	int rc;

	if (action == A_LIST)
		report_pager(app, &o->out);
	tt_arena_init(&x.a, &app->env.mem);
	rc = app_reads(app, (const char *const[]){ x.path, NULL }, err);
	TT_THEN(rc, app_confine(app, outputs, NULL, err));
	TT_THEN(rc, action == A_LIST ? list(app, &x, &o->out, err) : change(app, &x, action, o, err));
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
	TT_THEN(rc, check(&o, action, err));
	if (rc == TT_OK && !(action == A_SHOW && history_is_picture(&o)))
		rc = report_check(&o.out, err);
	if (rc != TT_OK)
		return rc;
	return action == A_SHOW ? history_show(app, &o, err) : work(app, action, &o, err);
}
