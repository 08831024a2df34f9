/**
 * Tables as Markdown pipe tables, for pull requests and wikis.
 */
#include <string.h>

#include "base/utf8.h"
#include "out/render.h"

/*
 * After a backslash any ASCII punctuation stands for itself (CommonMark 0.31, 2.4); these characters would otherwise mean something inside a cell. A line
 * end would end the row, so controls become spaces.
 */
static char *
put_escaped(char *p, const char *s)
{
	for (size_t n = strlen(s), len; n > 0; s += len, n -= len) {
		len = tt_utf8_len(s, n);
		if (len == 0) {
			memcpy(p, "\xef\xbf\xbd", 3);
			p += 3;
			len = 1;
			continue;
		}
		if (len == 1 && strchr("\\`*_{}[]<>|~&$#", *s))
			*p++ = '\\';
		if (tt_utf8_control(tt_utf8_code(s, len)))
			*p++ = ' ';
		else
			memcpy(p, s, len), p += len;
	}
	return p;
}

static void
put_text(struct tt_buf *out, const char *s)
{
	if (tt_buf_room(out, 3 * strlen(s) + 1, NULL) == TT_OK)
		out->n = (size_t)(put_escaped(out->p + out->n, s) - out->p);
}

static void
put_cell(struct tt_buf *out, const struct tt_table *t, size_t row, size_t col)
{
	const struct tt_cell *c = tt_table_cell(t, row, col);
	enum tt_unit unit = t->col[col].unit;
	char number[TT_CELL_MAX], *end;

	if (tt_unit_is_text(unit) && !c->empty) {
		/* Leading spaces vanish in a cell; the em spaces that show a row's depth do not. */
		for (int64_t d = t->tree && col == 0 ? tt_table_cell(t, row, 1)->v : 0; d > 0; d--)
			tt_buf_text(out, "\xe2\x80\x83");
		put_text(out, c->s);
		return;
	}
	end = t->facts ? tt_cell_fact(number, unit, c) : tt_cell_human(number, unit, c);
	tt_buf_add(out, number, (size_t)(end - number));
}

static bool
left_out(const struct tt_table *t, size_t col)
{
	return (t->tree && col == 1) || tt_column_empty(t, col);
}

static void
put_head(struct tt_buf *out, const struct tt_table *t)
{
	tt_buf_add(out, "|", 1);
	for (size_t col = 0; col < t->ncol; col++) {
		if (left_out(t, col))
			continue;
		tt_buf_text(out, " ");
		put_text(out, t->col[col].title);
		tt_buf_printf(out, "%s |", tt_column_suffix(t->col[col].unit));
	}
	tt_buf_text(out, "\n|");
	for (size_t col = 0; col < t->ncol; col++) {
		if (!left_out(t, col))
			tt_buf_text(out, tt_unit_right(t->col[col].unit) ? " --: |" : " :-- |");
	}
	tt_buf_add(out, "\n", 1);
}

static void
put_rows(struct tt_buf *out, const struct tt_table *t, const bool *out_of, const struct tt_render_opts *o)
{
	for (size_t row = 0; row < t->nrow; row++) {
		tt_buf_text(out, "|");
		for (size_t col = 0; col < t->ncol; col++) {
			if (out_of[col])
				continue;
			tt_buf_text(out, " ");
			put_cell(out, t, row, col);
			tt_buf_text(out, " |");
		}
		tt_buf_text(out, "\n");
		tt_render_write_out(t, o, out);
	}
}

static void
put_all_rows(struct tt_buf *out, const struct tt_table *t, const struct tt_render_opts *o)
{
	bool out_of[TT_COLUMNS_MAX];

	for (size_t col = 0; col < t->ncol; col++)
		out_of[col] = left_out(t, col);
	tt_rows_first(t);
	do
		put_rows(out, t, out_of, o);
	while (tt_rows_next(t));
}

/* Write facts transposed, as in text: one line per column, one value per row. */
static void
put_facts(struct tt_buf *out, const struct tt_table *t)
{
	tt_buf_text(out, "| |");
	for (size_t row = 0; row < t->nrow; row++)
		tt_buf_text(out, " |");
	tt_buf_text(out, "\n| :-- |");
	for (size_t row = 0; row < t->nrow; row++)
		tt_buf_text(out, t->nrow > 1 ? " --: |" : " :-- |");
	for (size_t col = 0; col < t->ncol; col++) {
		if (left_out(t, col))
			continue;
		tt_buf_printf(out, "\n| %s |", t->col[col].title);
		for (size_t row = 0; row < t->nrow; row++) {
			tt_buf_text(out, " ");
			put_cell(out, t, row, col);
			tt_buf_text(out, " |");
		}
	}
	tt_buf_text(out, "\n");
}

static void
put_line(struct tt_buf *out, const char *before, const char *text, const char *after)
{
	tt_buf_text(out, before);
	put_text(out, text);
	tt_buf_text(out, after);
}

static void
put_table(struct tt_buf *out, const struct tt_table *t, const struct tt_render_opts *o)
{
	put_line(out, "### ", t->title, "\n\n");
	if (t->note)
		put_line(out, "", t->note, "\n\n");
	if (t->nrow == 0) {
		put_line(out, "", t->empty_reason ? t->empty_reason : "(nothing)", "\n");
	} else if (t->facts) {
		put_facts(out, t);
	} else {
		put_head(out, t);
		put_all_rows(out, t, o);
		if (t->hidden)
			tt_buf_printf(out, "\n… %zu more\n", t->hidden);
	}
}

void
tt_render_markdown(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out)
{
	for (const struct tt_table *t = r->first; t; t = t->next) {
		if (t != r->first)
			tt_buf_text(out, "\n");
		put_table(out, t, o);
	}
	if (r->note && r->first)
		tt_buf_text(out, "\n");
	for (const struct tt_note *n = r->note; n; n = n->next) {
		tt_buf_printf(out, "- **%s**: ", n->severity);
		put_line(out, "", n->text, "\n");
	}
}
