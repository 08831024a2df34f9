/**
 * A verdict as JUnit XML: one suite with a case for each row.
 *
 * It is valid by the schemas that Jenkins uses: junit-10.xsd of its xUnit plugin, and the older junit-4.xsd, which allows no attributes of <skipped> and needs
 * the elements of a case in this order. Names are escaped by XML 1.0, 2.2: characters that XML cannot hold become U+FFFD.
 */
#include <string.h>

#include "verdict/verdict_as.h"

#include "base/utf8.h"
#include "gate/budget.h"
#include "gate/verdict.h"

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

/* Escape text inside elements, where line ends are kept. */
static const char *
xml_lines(uint32_t c, char tmp[32])
{
	return c == '\n' ? NULL : xml(c, tmp);
}

static void
attribute(struct tt_buf *out, const char *name, const char *value)
{
	tt_buf_printf(out, " %s=\"", name);
	tt_verdict_put(out, value, xml);
	tt_buf_text(out, "\"");
}

static void
property(struct tt_buf *out, const char *name, const char *value)
{
	tt_buf_text(out, "      <property");
	attribute(out, "name", name);
	attribute(out, "value", value);
	tt_buf_text(out, "/>\n");
}

/* Append a figure of a row as a property for dashboards: "frame-p95.ns". */
static void
figure(struct tt_buf *out, const struct tt_verdict_row *r, const char *what, int64_t v)
{
	struct tt_buf name = { 0 };
	char value[32];

	tt_buf_printf(&name, "%s.%s%s", r->name, what, tt_dim_name[r->dim]);
	*tt_put_base(value, v, r->dim) = '\0';
	property(out, tt_buf_string(&name), value);
	if (name.failed)
		tt_buf_fail(out);
	tt_buf_free(&name);
}

static void
properties(const struct tt_verdict *v, struct tt_buf *out)
{
	tt_buf_text(out, "    <properties>\n");
	property(out, "summary", v->summary);
	for (size_t i = 0; i < v->nremark; i++)
		property(out, "remark", v->remark[i]);
	if (v->accept)
		property(out, "accept", v->accept);
	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (r->has_value)
			figure(out, r, "", r->value);
		if (r->has_base)
			figure(out, r, "baseline_", r->base);
		if (r->pairs)
			figure(out, r, "change_by_pairs_", r->shift);
		if (r->has_limit)
			figure(out, r, r->row->relative ? "allowed_change_" : "limit_", r->limit);
	}
	tt_buf_text(out, "    </properties>\n");
}

/* Append "<failure type=... message=...>${text}</failure>"; ${text} ends with NUL. */
static void
result(struct tt_buf *out, const char *element, const struct tt_verdict_row *r, const char *text, bool message)
{
	tt_buf_printf(out, "      <%s", element);
	if (message)
		attribute(out, "type", tt_outcome_name[r->outcome]);
	if (message)
		attribute(out, "message", r->text);
	tt_buf_text(out, ">");
	tt_verdict_put(out, text, xml_lines);
	tt_buf_printf(out, "</%s>\n", element);
}

/* The XML element for the row's outcome; NULL: the case passed. */
static const char *
element(const struct tt_verdict *v, const struct tt_verdict_row *r)
{
	enum tt_verdict_kind kind = tt_verdict_kind(v, r);

	if (kind == TT_VERDICT_ERROR)
		return r->outcome == TT_CANNOT_JUDGE || r->outcome == TT_UNDECIDED ? "error" : "failure";
	if (kind == TT_VERDICT_NOTICE || r->outcome == TT_SKIPPED || r->outcome == TT_CANNOT_JUDGE || r->outcome == TT_GONE)
		return "skipped";
	return NULL;
}

static void
test_case(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out)
{
	const char *e = element(v, r), *warn = !e && tt_verdict_kind(v, r) == TT_VERDICT_WARNING ? "warning: " : "";
	struct tt_buf text = { 0 };

	tt_buf_printf(&text, "%s%s: ", warn, tt_outcome_name[r->outcome]);
	tt_verdict_finding(&text, r, true);
	tt_buf_text(out, "    <testcase");
	attribute(out, "name", r->name);
	attribute(out, "classname", "tracetool.gate");
	tt_buf_text(out, ">\n");
	if (e)
		result(out, e, r, tt_buf_string(&text), strcmp(e, "skipped") != 0);
	result(out, "system-out", r, tt_buf_string(&text), false);
	if (text.failed)
		tt_buf_fail(out);
	tt_buf_free(&text);
	tt_buf_text(out, "    </testcase>\n");
}

void
tt_verdict_as_junit(const struct tt_verdict *v, struct tt_buf *out)
{
	size_t failures = 0, errors = 0, skipped = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		const char *e = element(v, &v->row[i]);

		failures += e && strcmp(e, "failure") == 0;
		errors += e && strcmp(e, "error") == 0;
		skipped += e && strcmp(e, "skipped") == 0;
	}
	tt_buf_printf(out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tracetool\" tests=\"%zu\" "
	    "failures=\"%zu\" errors=\"%zu\">\n  <testsuite name=\"tracetool gate\" tests=\"%zu\" failures=\"%zu\" "
	    "errors=\"%zu\" skipped=\"%zu\">\n",
	    v->nrow, failures, errors, v->nrow, failures, errors, skipped);
	properties(v, out);
	for (size_t i = 0; i < v->nrow; i++)
		test_case(v, &v->row[i], out);
	tt_buf_text(out, "  </testsuite>\n</testsuites>\n");
}
