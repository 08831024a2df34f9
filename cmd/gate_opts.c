/**
 * tracetool gate: judges captures by a budget. Reads its options, checks that they agree, and makes the commands that a verdict names.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena_text.h"
#include "base/shell.h"
#include "cmd.h"
#include "verb_gate.h"
#include "gate/budget.h"
#include "input.h"
#include "report_opts.h"

const char *
gate_inconclusive(size_t i)
{
	static const char *const v[] = { "auto", "pass", "fail", NULL };

	return v[i];
}

#define AT(f) offsetof(struct gate_opts, f)

static const struct tt_opt gate_opt[] = {
	{ .name = "baseline", .arg = "BASE", .set = tt_opt_text, .at = AT(baseline),
	    .help = "compare rows whose limit is a change with this baseline" },
	{ .name = "force-baseline", .set = tt_opt_flag, .at = AT(force_baseline),
	    .help = "compare even with a baseline of another environment or of other settings" },
	{ .name = "anchor", .set = tt_opt_flag, .at = AT(anchor),
	    .help = "find slow creep, too: a row with a change also fails if its sessions together rise by more than the limit" },
	{ .name = "save", .is_once_only = true, .arg = "BASE", .set = tt_opt_text, .at = AT(save),
	    .help = "write the captures as a baseline" },
	{ .name = "append", .set = tt_opt_flag, .at = AT(append),
	    .help = "with --save: judge the captures against the existing baseline, and add them unless a row fails" },
	{ .name = "accept", .arg = "REASON", .set = tt_opt_text, .at = AT(accept),
	    .help = "with --save --append: add the captures although they are worse, and compare later ones with them; the file keeps the reason" },
	{ .name = "inconclusive", .arg = "HOW", .set = tt_opt_choice, .at = AT(inconclusive), .value = gate_inconclusive,
	    .help = "exit status if no row fails, but some cannot be judged (5) or are undecided (0; auto, the default); fail: both 5; pass: both 0" },
	{ .name = "today", .arg = "DATE", .set = tt_opt_text, .at = AT(today),
	    .help = "check waivers against this day, YYYY-MM-DD; default: SOURCE_DATE_EPOCH, otherwise the clock" },
	{ .name = "group-by", .arg = "KEY", .set = tt_opt_text, .at = AT(group_by),
	    .help = "judge captures apart by this fact, like scene" },
	{ .name = "explain", .arg = "ROW", .set = tt_opt_text, .at = AT(explain),
	    .help = "print the details of this row instead: captures, worst frames, markers, allocation sites" },
	{ .name = "suggest", .set = tt_opt_flag, .at = AT(suggest),
	    .help = "without BUDGET: print one that the captures pass, as a start" },
	{ .name = NULL },
};

/* When gates were a part of "tracetool stats", the budget was an option. */
static const struct tt_opt budget_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = tt_opt_text, .at = AT(budget), .help = "judge by this budget" },
	{ .name = NULL },
};

struct gate_verb_opts {
	struct input_opts in;
	struct report_opts out;
	struct gate_opts gate;
	struct tt_opt_given given;
};

static const struct tt_opt_group groups[] = {
	{ "Gate", gate_opt, offsetof(struct gate_verb_opts, gate) },
	{ "", budget_opt, offsetof(struct gate_verb_opts, gate) },
	VERDICT_GROUP(struct gate_verb_opts, gate.to),
	REPORT_GROUP(struct gate_verb_opts, out),
	INPUT_GROUPS(struct gate_verb_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_gate = {
	.name = "gate",
	.summary = "judge captures by a budget: pass, fail, or not decided",
	.operands = "BUDGET FILE...",
	.about = "Judge every FILE against BUDGET (tracetool-budget(5)), and print the verdict: exit status 0 passed or undecided, 1 failed, 5 cannot be "
		 "judged. A+B is one capture in two files. With --suggest, print a budget that the captures pass.",
	.examples = "  tracetool gate --suggest run*.ttc -o budget.json\n"
		    "  tracetool gate budget.json run*.ttc --save base.json\n"
		    "  tracetool gate budget.json build-*.ttc --baseline base.json\n"
		    "  tracetool gate budget.json build-*.ttc --baseline base.json --junit junit.xml\n",
	.group = groups,
	.operand_at = offsetof(struct gate_verb_opts, in.path),
	.given_at = offsetof(struct gate_verb_opts, given),
	.related_verb = &verb_stats,
};

/* Check that options do not contradict each other. Errors: TT_E_USAGE. */
static int
check(const struct gate_opts *g, struct tt_err *err)
{
	const struct { const char *name; bool given; } judges[] = {
		{ "anchor", g->anchor }, { "save", g->save != NULL }, { "append", g->append }, { "accept", g->accept != NULL },
		{ "inconclusive", g->inconclusive != 0 }, { "today", g->today != NULL }, { "group-by", g->group_by != NULL },
		{ "explain", g->explain != NULL }, { "junit", g->to.junit != NULL }, { "github", g->to.github }, { "gitlab", g->to.gitlab != NULL },
		{ "azure", g->to.azure }, { "teamcity", g->to.teamcity }, { "markdown", g->to.markdown != NULL }, { "html", g->to.html != NULL },
		{ "json", g->to.json != NULL },
	};

	for (size_t i = 0; i < sizeof judges / sizeof *judges && g->suggest; i++)
		if (judges[i].given)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --%s: --suggest makes a budget and judges nothing", judges[i].name);
	if (g->suggest && g->budget)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --suggest: it makes a budget, and %s is one: leave one of them out", g->budget);
	if (g->group_by && strchr(g->group_by, ','))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --group-by: this gate judges captures apart by one fact, not by \"%s\"; "
		    "\"tracetool batch\" takes several", g->group_by);
	if (g->append && !g->save)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --append: without --save it does nothing");
	if (g->accept && !g->append)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --accept: it accepts captures that are appended: add --save BASE --append");
	if (g->accept && !*g->accept)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --accept: say why, in words that others will understand next year");
	return TT_OK;
}

/* Take the budget, the first operand, out of the captures. */
static int
take_budget(struct gate_verb_opts *o, struct tt_err *err)
{
	struct tt_list *l = &o->in.path;

	if (o->gate.budget || o->gate.suggest)
		return TT_OK;
	if (l->n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a budget, then captures; \"tracetool gate --suggest FILE... -o BUDGET\" makes a budget");
	o->gate.budget = l->v[0];
	memmove(l->v, l->v + 1, l->n * sizeof *l->v);         /* including the NULL at the end */
	l->n--;
	return l->n ? TT_OK : tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is taken for the budget, and no capture is named after it", o->gate.budget);
}

/* Set *${to} to "tracetool gate BUDGET " with the captures and the options that decide the verdict, except ${without}; then ${as} ${base}, ${last}. */
static int
make_command(struct app *app, const struct gate_verb_opts *o, const char *const *without, const char *base, const char *as, const char *last,
    const char **to, struct tt_err *err)
{
	struct tt_buf text = { 0 };

	tt_buf_text(&text, "tracetool gate ");
	tt_shell_quote(&text, o->gate.budget);
	tt_buf_text(&text, " ");
	tt_opts_quote_without(&text, &o->given, &o->in.path, without);
	if (base) {
		tt_buf_printf(&text, " %s%c", as, *base == '-' ? '=' : ' ');
		tt_shell_quote(&text, base);
	}
	tt_buf_text(&text, last);
	*to = tt_buf_move_to_arena(&text, &app->arena, err);
	return *to ? TT_OK : err->code;
}

/* Make the commands that a verdict names: one explains a row, one accepts what fails. They need captures that can be read again. */
static int
make_commands(struct app *app, struct gate_verb_opts *o, struct tt_err *err)
{
	static const char *const writes[] = { GATE_WRITES, NULL }, *const own[] = { GATE_WRITES, "baseline", NULL };
	const char *base = o->gate.append ? o->gate.save : o->gate.baseline;
	bool pipe = false;
	int rc = make_command(app, o, writes, o->gate.baseline ? NULL : base, "--baseline", " --explain ", &o->gate.to.links.explain, err);

	TT_THEN(rc, gate_looks(app, &o->given, &o->gate, err));
	for (size_t i = 0; i < o->in.path.n; i++)
		pipe |= strcmp(o->in.path.v[i], "-") == 0;
	return rc == TT_OK && base && !pipe ? make_command(app, o, o->gate.append ? writes : own, base, "--save", " --append --accept 'REASON'",
	    &o->gate.accept_by, err) : rc;
}

int
run_gate(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct gate_verb_opts o = { .out.output = NULL };
	int rc;

	input_defaults(&o.in);
	report_defaults(&o.out);
	rc = app_parse(app, &verb_gate, &o, &o.in.ui, argc, argv, err);
	if (rc == TT_END)
		return TT_OK;
	TT_THEN(rc, check(&o.gate, err));
	TT_THEN(rc, take_budget(&o, err));
	if (rc == TT_OK && !o.gate.suggest)
		rc = make_commands(app, &o, err);
	return rc == TT_OK ? gate_run(app, &o.gate, &o.in, &o.out, err) : rc;
}

int
gate_looks(struct app *app, const struct tt_opt_given *given, struct gate_opts *g, struct tt_err *err)
{
	static const char *const without[] = { "frames", "time", "limit", NULL };
	struct tt_buf text = { 0 };

	tt_opts_quote_shared(&text, given, &verb_report, without);
	g->to.links.looks = tt_buf_move_to_arena(&text, &app->arena, err);
	return g->to.links.looks ? TT_OK : err->code;
}

int
gate_today(struct app *app, const char *given, const char **day, struct tt_err *err)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = time(NULL);
	char text[32], *end;
	struct tm tm;

	if (given) {
		if (!tt_is_date(given))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --today: \"%s\" is not a date like 2027-01-31", given);
		*day = given;
		return TT_OK;
	}
	if (epoch && *epoch) {
		now = (time_t)strtoll(epoch, &end, 10);
		if (*end != '\0')
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "SOURCE_DATE_EPOCH is \"%s\", no number of seconds", epoch);
	}
	if (!gmtime_r(&now, &tm) || strftime(text, sizeof text, "%Y-%m-%d", &tm) == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "SOURCE_DATE_EPOCH is out of range");
	*day = tt_arena_text(&app->arena, text, strlen(text), err);
	return *day ? TT_OK : err->code;
}
