/**
 * Writes a verdict as lines that CI systems read from standard output: GitHub's annotations, Azure's issues, TeamCity's tests.
 *
 * GitHub (actions/toolkit, command.ts) escapes % CR LF in data, and also : and , in properties. It shows ten annotations of a kind in each step, so the worst
 * come first, and the tenth says how many more there are.
 *
 * Azure (azure-pipelines-task-lib, taskcommand.ts) escapes % CR LF, and also ; and ] in properties; % is written %AZP25.
 *
 * TeamCity (Service Messages) puts | before | ' [ ] and line ends, and writes UTF-16 units that are not ASCII as |0xNNNN.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/verdict_as.h"

#include "base/utf8.h"
#include "gate/budget.h"
#include "gate/verdict.h"

#define GITHUB_SHOWN 10

static const char *
github_data(uint32_t c, char tmp[32])
{
	(void)tmp;
	return c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : tt_utf8_control(c) ? "\xef\xbf\xbd" : NULL;
}

static const char *
github_property(uint32_t c, char tmp[32])
{
	return c == ':' ? "%3A" : c == ',' ? "%2C" : github_data(c, tmp);
}

static const char *
azure_data(uint32_t c, char tmp[32])
{
	return c == '%' ? "%AZP25" : github_data(c, tmp);
}

static const char *
azure_property(uint32_t c, char tmp[32])
{
	return c == ';' ? "%3B" : c == ']' ? "%5D" : azure_data(c, tmp);
}

static const char *
teamcity(uint32_t c, char tmp[32])
{
	static const char special[] = "'|[]";

	if (c == '\n')
		return "|n";
	if (c == '\r')
		return "|r";
	if (c < 0x80 && strchr(special, (int)c) && c) {
		tmp[0] = '|';
		tmp[1] = (char)c;
		tmp[2] = '\0';
		return tmp;
	}
	if (c < 0x80)
		return tt_utf8_control(c) ? "|0xFFFD" : NULL;
	if (c < 0x10000)
		snprintf(tmp, 32, "|0x%04" PRIX32, tt_utf8_control(c) ? UINT32_C(0xfffd) : c);
	else
		snprintf(
		    tmp, 32, "|0x%04" PRIX32 "|0x%04" PRIX32, 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
	return tmp;
}

/* Append the finding, escaped. */
static void
put_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more, tt_verdict_escape *escape)
{
	struct tt_buf text = { 0 };

	tt_buf_printf(&text, "%s: ", tt_outcome_name[r->outcome]);
	tt_verdict_finding(&text, r, more);
	tt_verdict_put(out, tt_buf_string(&text), escape);
	if (text.failed)
		tt_buf_fail(out);
	tt_buf_free(&text);
}

/* --- GitHub ---------------------------------------------------------------------------- */

static const char *const github_kind[TT_VERDICT_KINDS] = {
	[TT_VERDICT_NOTICE] = "notice", [TT_VERDICT_WARNING] = "warning", [TT_VERDICT_ERROR] = "error",
};

static void
github_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out)
{
	tt_buf_printf(out, "::%s ", github_kind[tt_verdict_kind(v, r)]);
	if (r->row->line && !v->budget->made) {
		tt_buf_text(out, "file=");
		tt_verdict_put(out, v->budget->path, github_property);
		tt_buf_printf(out, ",line=%u,col=%u,", r->row->line, r->row->column);
	}
	tt_buf_text(out, "title=");
	tt_verdict_put(out, r->name, github_property);
	tt_buf_text(out, "::");
	put_finding(out, r, true, github_data);
	tt_buf_text(out, "\n");
}

void
tt_verdict_as_github(const struct tt_verdict *v, struct tt_buf *out)
{
	size_t *order = tt_verdict_order(v, out), total[TT_VERDICT_KINDS] = { 0 }, done[TT_VERDICT_KINDS] = { 0 };

	for (size_t i = 0; i < v->nrow; i++)
		total[tt_verdict_kind(v, &v->row[i])]++;
	for (size_t i = 0; order && i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[order[i]];
		enum tt_verdict_kind k = tt_verdict_kind(v, r);
		size_t shown = total[k] > GITHUB_SHOWN ? GITHUB_SHOWN - 1 : total[k];

		if (k == TT_VERDICT_FINE || ++done[k] > shown + 1)
			continue;
		if (done[k] <= shown)
			github_row(v, r, out);
		else
			tt_buf_printf(out, "::%s title=tracetool gate::and %zu more rows, see the step's summary\n", github_kind[k],
			    total[k] - shown);
	}
	for (size_t i = 0; i < v->nalert; i++) {
		tt_buf_text(out, "::warning title=tracetool gate::");
		tt_verdict_put(out, v->remark[i], github_data);
		tt_buf_text(out, "\n");
	}
	free(order);
}

/* --- Azure ----------------------------------------------------------------------------- */

static void
azure_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out)
{
	tt_buf_printf(out, "##vso[task.logissue type=%s;",
	    tt_verdict_kind(v, r) == TT_VERDICT_ERROR ? "error" : "warning");
	if (r->row->line && !v->budget->made) {
		tt_buf_text(out, "sourcepath=");
		tt_verdict_put(out, v->budget->path, azure_property);
		tt_buf_printf(out, ";linenumber=%u;columnnumber=%u;", r->row->line, r->row->column);
	}
	tt_buf_text(out, "]");
	tt_verdict_put(out, r->name, azure_data);
	tt_buf_text(out, ": ");
	put_finding(out, r, false, azure_data);
	tt_buf_text(out, "\n");
}

void
tt_verdict_as_azure(const struct tt_verdict *v, struct tt_buf *out)
{
	size_t *order = tt_verdict_order(v, out);

	for (size_t i = 0; order && i < v->nrow; i++) {
		if (tt_verdict_kind(v, &v->row[order[i]]) >= TT_VERDICT_WARNING)
			azure_row(v, &v->row[order[i]], out);
	}
	for (size_t i = 0; i < v->nalert; i++) {
		tt_buf_text(out, "##vso[task.logissue type=warning;]");
		tt_verdict_put(out, v->remark[i], azure_data);
		tt_buf_text(out, "\n");
	}
	free(order);
}

/* --- TeamCity --------------------------------------------------------------------------- */

/* Append "##teamcity[TYPE name='NAME'" without its closing bracket. */
static void
open_message(struct tt_buf *out, const char *type, const char *name)
{
	tt_buf_printf(out, "##teamcity[%s name='", type);
	tt_verdict_put(out, name, teamcity);
	tt_buf_text(out, "'");
}

static void
teamcity_result(struct tt_buf *out, const char *type, const struct tt_verdict_row *r, bool details)
{
	open_message(out, type, r->name);
	tt_buf_text(out, " message='");
	put_finding(out, r, false, teamcity);
	if (details)
		tt_buf_text(out, "' details='");
	if (details)
		put_finding(out, r, true, teamcity);
	tt_buf_text(out, "']\n");
}

static void
teamcity_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out)
{
	enum tt_verdict_kind k = tt_verdict_kind(v, r);
	char value[32];

	open_message(out, "testStarted", r->name);
	tt_buf_text(out, "]\n");
	if (k == TT_VERDICT_ERROR)
		teamcity_result(out, "testFailed", r, true);
	else if (k == TT_VERDICT_NOTICE || r->outcome == TT_SKIPPED || r->outcome == TT_CANNOT_JUDGE)
		teamcity_result(out, "testIgnored", r, false);
	open_message(out, "testFinished", r->name);
	tt_buf_text(out, "]\n");
	if (!r->has_value)
		return;
	*tt_put_base(value, r->value, r->dim) = '\0';
	tt_buf_text(out, "##teamcity[buildStatisticValue key='");
	tt_verdict_put(out, r->name, teamcity);
	tt_buf_printf(out, ".%s' value='%s']\n", tt_dim_name[r->dim], value);
}

void
tt_verdict_as_teamcity(const struct tt_verdict *v, struct tt_buf *out)
{
	open_message(out, "testSuiteStarted", "tracetool gate");
	tt_buf_text(out, "]\n");
	for (size_t i = 0; i < v->nrow; i++)
		teamcity_row(v, &v->row[i], out);
	for (size_t i = 0; i < v->nalert; i++) {
		tt_buf_text(out, "##teamcity[message status='WARNING' text='");
		tt_verdict_put(out, v->remark[i], teamcity);
		tt_buf_text(out, "']\n");
	}
	open_message(out, "testSuiteFinished", "tracetool gate");
	tt_buf_text(out, "]\n");
}
