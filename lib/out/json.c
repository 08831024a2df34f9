/**
 * Reports as one JSON object (tracetool-json(7)):
 *
 *	{"tracetool_report":1,"generator":"tracetool VERSION",
 *	 "notes":[{"severity":"notice","id":"not_ended","text":"..."}],
 *	 "tables":{"markers":{"title":"Markers",
 *	  "columns":[{"id":"marker","title":"marker","unit":"text"},...],
 *	  "note":"...","empty":"...","hidden":12,"rows":[{"marker":"World:Frame","count":24},...]}}}
 *
 * note, empty (why there are no rows) and hidden (rows cut by the limit) stand only where there is something
 * to say. A later version adds members; one that changes the meaning of any raises tracetool_report.
 * Numbers are exact integers in the column's unit, percent has two decimals and number three.
 */
#include <string.h>

#include "out/render.h"

#define REPORT_VERSION "1"

static const char *const unit_name[] = {
	[TT_UNIT_TEXT] = "text", [TT_UNIT_COUNT] = "count", [TT_UNIT_NS] = "ns", [TT_UNIT_BYTES] = "bytes",
	[TT_UNIT_PERCENT] = "percent", [TT_UNIT_MILLI] = "number", [TT_UNIT_HEX] = "hex", [TT_UNIT_BOOL] = "bool",
	[TT_UNIT_VALUE] = "value", [TT_UNIT_PROSE] = "text", [TT_UNIT_COMMAND] = "text",
};

static int
put_string(struct tt_buf *out, const char *s, struct tt_err *err)
{
	size_t n = strlen(s);
	int rc = tt_buf_room(out, 6 * n + 2, err);

	if (rc != TT_OK)
		return rc;
	out->p[out->n++] = '"';
	out->n = (size_t)(tt_put_json(out->p + out->n, s, n) - out->p);
	out->p[out->n++] = '"';
	return TT_OK;
}

/* `before` "text": a member whose name and comma are in ${before}. */
static int
put_member(struct tt_buf *out, const char *before, const char *s, struct tt_err *err)
{
	int rc = tt_buf_text(out, before, err);

	return rc != TT_OK ? rc : put_string(out, s, err);
}

static int
put_value(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c, struct tt_err *err)
{
	char number[TT_CELL_MAX];

	if (c->empty)
		return tt_buf_text(out, "null", err);
	if (tt_unit_is_text(unit))
		return put_string(out, c->s, err);
	*tt_cell_machine(number, unit, c) = '\0';
	bool is_word = unit == TT_UNIT_VALUE && number[strspn(number, "-+.0123456789e")] != '\0';
	return unit == TT_UNIT_HEX || is_word ? put_string(out, number, err) : tt_buf_text(out, number, err);
}

static int
put_row(struct tt_buf *out, const struct tt_table *t, size_t row, struct tt_err *err)
{
	int rc = tt_buf_text(out, row ? ",\n   {" : "\n   {", err);

	for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
		rc = put_member(out, col ? "," : "", t->col[col].id, err);
		if (rc == TT_OK)
			rc = tt_buf_add(out, ":", 1, err);
		if (rc == TT_OK)
			rc = put_value(out, t->col[col].unit, tt_table_cell(t, row, col), err);
	}
	return rc != TT_OK ? rc : tt_buf_add(out, "}", 1, err);
}

static int
put_columns(struct tt_buf *out, const struct tt_table *t, struct tt_err *err)
{
	int rc = tt_buf_text(out, ",\n  \"columns\":[", err);

	for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
		rc = put_member(out, col ? ",{\"id\":" : "{\"id\":", t->col[col].id, err);
		if (rc == TT_OK)
			rc = put_member(out, ",\"title\":", t->col[col].title, err);
		if (rc == TT_OK)
			rc = put_member(out, ",\"unit\":", unit_name[t->col[col].unit], err);
		if (rc == TT_OK)
			rc = tt_buf_add(out, "}", 1, err);
	}
	return rc != TT_OK ? rc : tt_buf_add(out, "]", 1, err);
}

/* What there is to say about a table beside its rows. */
static int
put_remarks(struct tt_buf *out, const struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	if (t->note)
		rc = put_member(out, ",\n  \"note\":", t->note, err);
	if (rc == TT_OK && t->nrow == 0 && t->empty_reason)
		rc = put_member(out, ",\n  \"empty\":", t->empty_reason, err);
	if (rc == TT_OK && t->hidden)
		rc = tt_buf_printf(out, err, ",\n  \"hidden\":%zu", t->hidden);
	return rc;
}

static int
put_table(struct tt_buf *out, const struct tt_table *t, bool first, struct tt_err *err)
{
	int rc = put_member(out, first ? "\n " : ",\n ", t->id, err);

	if (rc == TT_OK)
		rc = put_member(out, ":{\"title\":", t->title, err);
	if (rc == TT_OK)
		rc = put_columns(out, t, err);
	if (rc == TT_OK)
		rc = put_remarks(out, t, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ",\n  \"rows\":[", err);
	for (size_t row = 0; row < t->nrow && rc == TT_OK; row++)
		rc = put_row(out, t, row, err);
	return rc != TT_OK ? rc : tt_buf_text(out, "]}", err);
}

static int
put_notes(struct tt_buf *out, const struct tt_report *r, struct tt_err *err)
{
	int rc = tt_buf_text(out, ",\n\"notes\":[", err);

	for (const struct tt_note *n = r->note; n && rc == TT_OK; n = n->next) {
		rc = put_member(out, n == r->note ? "\n {\"severity\":" : ",\n {\"severity\":", n->severity, err);
		if (rc == TT_OK)
			rc = put_member(out, ",\"id\":", n->id, err);
		if (rc == TT_OK)
			rc = put_member(out, ",\"text\":", n->text, err);
		if (rc == TT_OK)
			rc = tt_buf_add(out, "}", 1, err);
	}
	return rc != TT_OK ? rc : tt_buf_text(out, "],\n\"tables\":{", err);
}

int
tt_render_json(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err)
{
	int rc = put_member(out, "{\"tracetool_report\":" REPORT_VERSION ",\n\"generator\":",
	    o->generator ? o->generator : "tracetool", err);

	if (rc == TT_OK)
		rc = put_notes(out, r, err);
	for (const struct tt_table *t = r->first; t && rc == TT_OK; t = t->next)
		rc = put_table(out, t, t == r->first, err);
	return rc != TT_OK ? rc : tt_buf_text(out, "}}\n", err);
}
