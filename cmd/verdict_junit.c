/**
 * A verdict as JUnit XML: a suite, in it a case for each row.
 *
 * Valid by the schemas Jenkins uses: junit-10.xsd of its xUnit plugin, and junit-4.xsd of its library before, which
 * knows no attributes of <skipped> and wants the elements of a case in this order. Names are escaped by XML 1.0, 2.2:
 * characters that XML cannot hold become U+FFFD.
 */
#include <string.h>

#include "verdict_out.h"

#include "base/utf8.h"

static const char *
xml(uint32_t c, char tmp[32])
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		break;
	}
	(void)tmp;
	return tt_utf8_control(c) || c == 0xfffe || c == 0xffff ? "\xef\xbf\xbd" : NULL;
}

/* In elements a line end is one. */
static const char *
xml_lines(uint32_t c, char tmp[32])
{
	return c == '\n' ? NULL : xml(c, tmp);
}

static int
attribute(struct tt_buf *out, const char *name, const char *value, struct tt_err *err)
{
	int rc = tt_buf_printf(out, err, " %s=\"", name);

	if (rc == TT_OK)
		rc = verdict_put(out, value, xml, err);
	return rc == TT_OK ? tt_buf_text(out, "\"", err) : rc;
}

static int
property(struct tt_buf *out, const char *name, const char *value, struct tt_err *err)
{
	int rc = tt_buf_text(out, "      <property", err);

	if (rc == TT_OK)
		rc = attribute(out, "name", name, err);
	if (rc == TT_OK)
		rc = attribute(out, "value", value, err);
	return rc == TT_OK ? tt_buf_text(out, "/>\n", err) : rc;
}

/* A row's figure for dashboards: "frame-p95.ns". */
static int
figure(struct tt_buf *out, const struct tt_verdict_row *r, const char *what, int64_t v, struct tt_err *err)
{
	struct tt_buf name = { 0 };
	char value[32];
	int rc = tt_buf_printf(&name, err, "%s.%s%s%c", r->name, what, tt_dim_name[r->dim], 0);

	*tt_put_base(value, v) = '\0';
	if (rc == TT_OK)
		rc = property(out, name.p, value, err);
	tt_buf_free(&name);
	return rc;
}

static int
properties(const struct tt_verdict *v, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_text(out, "    <properties>\n", err);

	if (rc == TT_OK)
		rc = property(out, "summary", v->summary, err);
	for (size_t i = 0; i < v->nremark && rc == TT_OK; i++)
		rc = property(out, "remark", v->remark[i], err);
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (r->has_value)
			rc = figure(out, r, "", r->value, err);
		if (rc == TT_OK && r->has_base)
			rc = figure(out, r, "baseline_", r->base, err);
		if (rc == TT_OK && r->has_limit)
			rc = figure(out, r, r->row->relative ? "allowed_change_" : "limit_", r->limit, err);
	}
	return rc == TT_OK ? tt_buf_text(out, "    </properties>\n", err) : rc;
}

/* "<failure type=... message=...>all of it</failure>"; ${text} ends with NUL. */
static int
result(struct tt_buf *out, const char *element, const struct tt_verdict_row *r, const char *text, bool message,
    struct tt_err *err)
{
	int rc = tt_buf_printf(out, err, "      <%s", element);

	if (rc == TT_OK && message)
		rc = attribute(out, "type", tt_outcome_name[r->outcome], err);
	if (rc == TT_OK && message)
		rc = attribute(out, "message", r->text, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ">", err);
	if (rc == TT_OK)
		rc = verdict_put(out, text, xml_lines, err);
	return rc == TT_OK ? tt_buf_printf(out, err, "</%s>\n", element) : rc;
}

/* What the row is to JUnit, or NULL: passed. */
static const char *
element(const struct tt_verdict *v, const struct tt_verdict_row *r)
{
	enum verdict_kind kind = verdict_kind(v, r);

	if (kind == VERDICT_ERROR)
		return r->outcome == TT_CANNOT_JUDGE ? "error" : "failure";
	if (kind == VERDICT_NOTICE || r->outcome == TT_SKIPPED || r->outcome == TT_CANNOT_JUDGE)
		return "skipped";
	return NULL;
}

static int
test_case(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out, struct tt_err *err)
{
	const char *e = element(v, r), *warn = !e && verdict_kind(v, r) == VERDICT_WARNING ? "warning: " : "";
	struct tt_buf text = { 0 };
	int rc = tt_buf_printf(&text, err, "%s%s: ", warn, tt_outcome_name[r->outcome]);

	if (rc == TT_OK)
		rc = verdict_finding(&text, r, true, err);
	if (rc == TT_OK)
		rc = tt_buf_add(&text, "", 1, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, "    <testcase", err);
	if (rc == TT_OK)
		rc = attribute(out, "name", r->name, err);
	if (rc == TT_OK)
		rc = attribute(out, "classname", "tracetool.gate", err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ">\n", err);
	if (rc == TT_OK && e)
		rc = result(out, e, r, text.p, strcmp(e, "skipped") != 0, err);
	if (rc == TT_OK)
		rc = result(out, "system-out", r, text.p, false, err);
	tt_buf_free(&text);
	return rc == TT_OK ? tt_buf_text(out, "    </testcase>\n", err) : rc;
}

int
verdict_junit(const struct tt_verdict *v, struct tt_buf *out, struct tt_err *err)
{
	size_t failures = 0, errors = 0, skipped = 0;
	int rc;

	for (size_t i = 0; i < v->nrow; i++) {
		const char *e = element(v, &v->row[i]);

		failures += e && strcmp(e, "failure") == 0;
		errors += e && strcmp(e, "error") == 0;
		skipped += e && strcmp(e, "skipped") == 0;
	}
	rc = tt_buf_printf(out, err,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tracetool\" tests=\"%zu\" "
	    "failures=\"%zu\" errors=\"%zu\">\n  <testsuite name=\"tracetool gate\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"%zu\" skipped=\"%zu\">\n",
	    v->nrow, failures, errors, v->nrow, failures, errors, skipped);
	if (rc == TT_OK)
		rc = properties(v, out, err);
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++)
		rc = test_case(v, &v->row[i], out, err);
	return rc == TT_OK ? tt_buf_text(out, "  </testsuite>\n</testsuites>\n", err) : rc;
}
