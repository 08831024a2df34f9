/**
 * Reads the options of a gate and checks that they agree.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena_text.h"
#include "cmd.h"
#include "gate.h"
#include "gate/budget.h"

const char *
gate_inconclusive(size_t i)
{
	static const char *const v[] = { "auto", "pass", "fail", NULL };

	return v[i];
}

#define AT(f) offsetof(struct gate_opts, f)

const struct opt gate_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = opt_text, .at = AT(budget),
	    .help = "judge every FILE against this budget (tracetool-budget(5)) and print the verdict; A+B is one capture" },
	{ .name = "baseline", .arg = "BASE", .set = opt_text, .at = AT(baseline),
	    .help = "compare rows whose limit is a change with this baseline" },
	{ .name = "force-baseline", .set = opt_flag, .at = AT(force_baseline),
	    .help = "compare even with a baseline of another environment or of other settings" },
	{ .name = "anchor", .set = opt_flag, .at = AT(anchor),
	    .help = "find slow creep, too: a row with a change also fails if its sessions together rise by more than the limit" },
	{ .name = "save", .once = true, .arg = "BASE", .set = opt_text, .at = AT(save),
	    .help = "write the captures as a baseline" },
	{ .name = "append", .set = opt_flag, .at = AT(append),
	    .help = "with --save: judge the captures against the existing baseline, and add them unless a row fails" },
	{ .name = "accept", .arg = "REASON", .set = opt_text, .at = AT(accept),
	    .help = "with --save --append: add the captures although they are worse, and compare later ones with them; the file keeps the reason" },
	{ .name = "inconclusive", .arg = "HOW", .set = opt_choice, .at = AT(inconclusive), .value = gate_inconclusive,
	    .help = "pass, fail: rows that cannot be judged and undecided rows do so; auto: the first fail, the others pass" },
	{ .name = "today", .arg = "DATE", .set = opt_text, .at = AT(today),
	    .help = "check waivers against this day, YYYY-MM-DD; default: SOURCE_DATE_EPOCH, otherwise the clock" },
	{ .name = "explain", .arg = "ROW", .set = opt_text, .at = AT(explain),
	    .help = "print the details of this row instead: captures, worst frames, markers, allocation sites" },
	{ .name = "suggest", .set = opt_flag, .at = AT(suggest),
	    .help = "print a budget that the captures pass, as a start" },
	{ .name = NULL },
};

int
gate_wanted(const struct gate_opts *g, bool *wanted, struct tt_err *err)
{
	const struct { const char *name; bool given; } with[] = {
		{ "baseline", g->baseline && !g->suggest }, { "force-baseline", g->force_baseline && !g->suggest },
		{ "anchor", g->anchor }, { "save", g->save != NULL },
		{ "append", g->append }, { "accept", g->accept != NULL }, { "inconclusive", g->inconclusive != 0 }, { "today", g->today != NULL },
		{ "group-by", g->suggest && g->group_by }, { "explain", g->explain != NULL }, { "junit", g->to.junit != NULL },
		{ "github", g->to.github }, { "gitlab", g->to.gitlab != NULL }, { "azure", g->to.azure },
		{ "teamcity", g->to.teamcity }, { "markdown", g->to.markdown != NULL }, { "html", g->to.html != NULL },
		{ "json", g->to.json != NULL },
	};

	*wanted = g->budget || g->suggest;
	for (size_t i = 0; i < sizeof with / sizeof *with; i++)
		if (with[i].given && !g->budget)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --%s: without --gate it does nothing", with[i].name);
	if (g->suggest && g->budget)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --suggest: it makes a budget, and --gate names one");
	if (g->budget && g->group_by && strchr(g->group_by, ','))
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

int
gate_looks(struct app *app, const struct opt_given *given, struct gate_opts *g, struct tt_err *err)
{
	static const char *const without[] = { "frames", "time", "limit", NULL };
	struct tt_buf text = { 0 };

	opts_quote_shared(&text, given, &verb_report, without);
	g->to.links.looks = tt_buf_keep(&text, &app->arena, err);
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
