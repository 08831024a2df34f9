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

#include "base/json.h"
#include "out/render.h"

#define REPORT_VERSION 1

static const char *const unit_name[] = {
	[TT_UNIT_TEXT] = "text", [TT_UNIT_COUNT] = "count", [TT_UNIT_NS] = "ns", [TT_UNIT_BYTES] = "bytes",
	[TT_UNIT_PERCENT] = "percent", [TT_UNIT_MILLI] = "number", [TT_UNIT_HEX] = "hex", [TT_UNIT_BOOL] = "bool",
	[TT_UNIT_VALUE] = "value", [TT_UNIT_PROSE] = "text", [TT_UNIT_COMMAND] = "text",
};

static void
put_value(struct tt_json *j, const char *key, enum tt_unit unit, const struct tt_cell *c)
{
	char number[TT_CELL_MAX];

	if (c->empty || tt_unit_is_text(unit)) {
		if (c->empty)
			tt_json_raw(j, key, "null");
		else
			tt_json_text(j, key, c->s);
		return;
	}
	*tt_cell_machine(number, unit, c) = '\0';
	if (unit == TT_UNIT_HEX || (unit == TT_UNIT_VALUE && number[strspn(number, "-+.0123456789e")] != '\0'))
		tt_json_text(j, key, number);
	else
		tt_json_raw(j, key, number);
}

static void
put_columns(struct tt_json *j, const struct tt_table *t)
{
	j->gap = "\n  ";
	tt_json_open(j, "columns", "[");
	for (size_t col = 0; col < t->ncol; col++) {
		tt_json_open(j, NULL, "{");
		tt_json_text(j, "id", t->col[col].id);
		tt_json_text(j, "title", t->col[col].title);
		tt_json_text(j, "unit", unit_name[t->col[col].unit]);
		tt_json_close(j, "}");
	}
	tt_json_close(j, "]");
}

static void
put_rows(struct tt_json *j, const struct tt_table *t, const struct tt_render_opts *o)
{
	for (size_t row = 0; row < t->nrow; row++) {
		j->gap = "\n   ";
		tt_json_open(j, NULL, "{");
		for (size_t col = 0; col < t->ncol; col++)
			put_value(j, t->col[col].id, t->col[col].unit, tt_table_cell(t, row, col));
		tt_json_close(j, "}");
		tt_render_write_out(t, o, j->out);
	}
}

static void
put_table(struct tt_json *j, const struct tt_table *t, const struct tt_render_opts *o)
{
	j->gap = "\n ";
	tt_json_open(j, t->id, "{");
	tt_json_text(j, "title", t->title);
	put_columns(j, t);
	j->gap = "\n  ";
	tt_json_text(j, "note", t->note);
	j->gap = "\n  ";
	if (t->nrow == 0)
		tt_json_text(j, "empty", t->empty_reason);
	j->gap = "\n  ";
	if (t->hidden)
		tt_json_u64(j, "hidden", t->hidden);
	j->gap = "\n  ";
	tt_json_open(j, "rows", "[");
	tt_rows_first(t);
	do
		put_rows(j, t, o);
	while (tt_rows_next(t));
	tt_json_close(j, "]}");
}

void
tt_render_json(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out)
{
	struct tt_json j = { .out = out };

	tt_json_open(&j, NULL, "{");
	tt_json_u64(&j, "tracetool_report", REPORT_VERSION);
	j.gap = "\n";
	tt_json_text(&j, "generator", o->generator ? o->generator : "tracetool");
	j.gap = "\n";
	tt_json_open(&j, "notes", "[");
	for (const struct tt_note *n = r->note; n; n = n->next) {
		j.gap = "\n ";
		tt_json_open(&j, NULL, "{");
		tt_json_text(&j, "severity", n->severity);
		tt_json_text(&j, "id", n->id);
		tt_json_text(&j, "text", n->text);
		tt_json_close(&j, "}");
	}
	tt_json_close(&j, "]");
	j.gap = "\n";
	tt_json_open(&j, "tables", "{");
	for (const struct tt_table *t = r->first; t; t = t->next)
		put_table(&j, t, o);
	tt_json_close(&j, "}}\n");
}
