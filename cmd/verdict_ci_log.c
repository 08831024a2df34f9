/**
 * A verdict as lines that CI systems read from standard output: GitHub's annotations, Azure's issues, TeamCity's tests.
 *
 * GitHub (actions/toolkit, command.ts): data escapes % CR LF, properties : and , as well. It shows ten annotations of a
 * kind and step, so the worst come first and the tenth says how many more there are.
 * Azure (azure-pipelines-task-lib, taskcommand.ts): % CR LF, in properties ; and ] too; % is written %AZP25.
 * TeamCity (Service Messages): | after | ' [ ] and line ends, |0xNNNN for UTF-16 units that are not ASCII.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verdict_out.h"

#include "base/utf8.h"

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

/* The finding, escaped. */
static int
put_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more, verdict_escape *escape, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc = tt_buf_printf(&text, err, "%s: ", tt_outcome_name[r->outcome]);

	if (rc == TT_OK)
		rc = verdict_finding(&text, r, more, err);
	if (rc == TT_OK)
		rc = tt_buf_add(&text, "", 1, err);
	if (rc == TT_OK)
		rc = verdict_put(out, text.p, escape, err);
	tt_buf_free(&text);
	return rc;
}

/* --- GitHub ---------------------------------------------------------------------------- */

static const char *const github_kind[VERDICT_KINDS] = {
	[VERDICT_NOTICE] = "notice", [VERDICT_WARNING] = "warning", [VERDICT_ERROR] = "error",
};

static int
github_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_printf(out, err, "::%s ", github_kind[verdict_kind(v, r)]);

	if (rc == TT_OK && r->row->line) {
		rc = tt_buf_text(out, "file=", err);
		if (rc == TT_OK)
			rc = verdict_put(out, v->budget->path, github_property, err);
		if (rc == TT_OK)
			rc = tt_buf_printf(out, err, ",line=%u,col=%u,", r->row->line, r->row->column);
	}
	if (rc == TT_OK)
		rc = tt_buf_text(out, "title=", err);
	if (rc == TT_OK)
		rc = verdict_put(out, r->name, github_property, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, "::", err);
	if (rc == TT_OK)
		rc = put_finding(out, r, true, github_data, err);
	return rc == TT_OK ? tt_buf_text(out, "\n", err) : rc;
}

int
verdict_github(const struct tt_verdict *v, struct tt_buf *out, struct tt_err *err)
{
	size_t *order = verdict_order(v, err), total[VERDICT_KINDS] = { 0 }, done[VERDICT_KINDS] = { 0 };
	int rc = order ? TT_OK : err->code;

	for (size_t i = 0; i < v->nrow; i++)
		total[verdict_kind(v, &v->row[i])]++;
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		const struct tt_verdict_row *r = &v->row[order[i]];
		enum verdict_kind k = verdict_kind(v, r);
		size_t shown = total[k] > GITHUB_SHOWN ? GITHUB_SHOWN - 1 : total[k];

		if (k == VERDICT_FINE || ++done[k] > shown + 1)
			continue;
		if (done[k] <= shown)
			rc = github_row(v, r, out, err);
		else
			rc = tt_buf_printf(out, err,
			    "::%s title=tracetool gate::and %zu more rows, see the step's summary\n", github_kind[k],
			    total[k] - shown);
	}
	free(order);
	return rc;
}

/* --- Azure ----------------------------------------------------------------------------- */

static int
azure_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_printf(out, err, "##vso[task.logissue type=%s;",
	    verdict_kind(v, r) == VERDICT_ERROR ? "error" : "warning");

	if (rc == TT_OK && r->row->line) {
		rc = tt_buf_text(out, "sourcepath=", err);
		if (rc == TT_OK)
			rc = verdict_put(out, v->budget->path, azure_property, err);
		if (rc == TT_OK)
			rc = tt_buf_printf(out, err, ";linenumber=%u;columnnumber=%u;", r->row->line, r->row->column);
	}
	if (rc == TT_OK)
		rc = tt_buf_text(out, "]", err);
	if (rc == TT_OK)
		rc = verdict_put(out, r->name, azure_data, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ": ", err);
	if (rc == TT_OK)
		rc = put_finding(out, r, false, azure_data, err);
	return rc == TT_OK ? tt_buf_text(out, "\n", err) : rc;
}

int
verdict_azure(const struct tt_verdict *v, struct tt_buf *out, struct tt_err *err)
{
	size_t *order = verdict_order(v, err);
	int rc = order ? TT_OK : err->code;

	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		if (verdict_kind(v, &v->row[order[i]]) >= VERDICT_WARNING)
			rc = azure_row(v, &v->row[order[i]], out, err);
	}
	free(order);
	return rc;
}

/* --- TeamCity --------------------------------------------------------------------------- */

/* "##teamcity[TYPE name='NAME'", left open. */
static int
open_message(struct tt_buf *out, const char *type, const char *name, struct tt_err *err)
{
	int rc = tt_buf_printf(out, err, "##teamcity[%s name='", type);

	if (rc == TT_OK)
		rc = verdict_put(out, name, teamcity, err);
	return rc == TT_OK ? tt_buf_text(out, "'", err) : rc;
}

static int
teamcity_result(struct tt_buf *out, const char *type, const struct tt_verdict_row *r, bool details, struct tt_err *err)
{
	int rc = open_message(out, type, r->name, err);

	if (rc == TT_OK)
		rc = tt_buf_text(out, " message='", err);
	if (rc == TT_OK)
		rc = put_finding(out, r, false, teamcity, err);
	if (rc == TT_OK && details)
		rc = tt_buf_text(out, "' details='", err);
	if (rc == TT_OK && details)
		rc = put_finding(out, r, true, teamcity, err);
	return rc == TT_OK ? tt_buf_text(out, "']\n", err) : rc;
}

static int
teamcity_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out, struct tt_err *err)
{
	enum verdict_kind k = verdict_kind(v, r);
	char value[32];
	int rc = open_message(out, "testStarted", r->name, err);

	if (rc == TT_OK)
		rc = tt_buf_text(out, "]\n", err);
	if (rc == TT_OK && k == VERDICT_ERROR)
		rc = teamcity_result(out, "testFailed", r, true, err);
	else if (rc == TT_OK && (k == VERDICT_NOTICE || r->outcome == TT_SKIPPED || r->outcome == TT_CANNOT_JUDGE))
		rc = teamcity_result(out, "testIgnored", r, false, err);
	if (rc == TT_OK)
		rc = open_message(out, "testFinished", r->name, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, "]\n", err);
	if (rc != TT_OK || !r->has_value)
		return rc;
	*tt_put_base(value, r->value) = '\0';
	rc = tt_buf_text(out, "##teamcity[buildStatisticValue key='", err);
	if (rc == TT_OK)
		rc = verdict_put(out, r->name, teamcity, err);
	return rc == TT_OK ? tt_buf_printf(out, err, ".%s' value='%s']\n", tt_dim_name[r->dim], value) : rc;
}

int
verdict_teamcity(const struct tt_verdict *v, struct tt_buf *out, struct tt_err *err)
{
	int rc = open_message(out, "testSuiteStarted", "tracetool gate", err);

	if (rc == TT_OK)
		rc = tt_buf_text(out, "]\n", err);
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++)
		rc = teamcity_row(v, &v->row[i], out, err);
	if (rc == TT_OK)
		rc = open_message(out, "testSuiteFinished", "tracetool gate", err);
	return rc == TT_OK ? tt_buf_text(out, "]\n", err) : rc;
}
