/**
 * Tables as Markdown pipe tables, for pull requests and wikis.
 */
#include <string.h>

#include "base/utf8.h"
#include "out/render.h"

/*
 * Any ASCII punctuation may follow a backslash (CommonMark 0.31, 2.4); these would otherwise mean
 * something inside a cell. A line end would end the row, so controls become spaces.
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

static int
put_text(struct tt_buf *out, const char *s, struct tt_err *err)
{
	int rc = tt_buf_room(out, 3 * strlen(s) + 1, err);

	if (rc == TT_OK)
		out->n = (size_t)(put_escaped(out->p + out->n, s) - out->p);
	return rc;
}

static int
put_number(struct tt_buf *out, char *from, const char *end, struct tt_err *err)
{
	return tt_buf_add(out, from, (size_t)(end - from), err);
}

static int
put_cell(struct tt_buf *out, const struct tt_table *t, size_t row, size_t col, struct tt_err *err)
{
	const struct tt_cell *c = tt_table_cell(t, row, col);
	enum tt_unit unit = t->col[col].unit;
	char number[TT_CELL_MAX];
	int rc = TT_OK;

	if (tt_unit_is_text(unit) && !c->empty) {
		/* Leading spaces vanish in a cell; a depth is shown by a space that does not. */
		for (int64_t d = t->tree && col == 0 ? tt_table_cell(t, row, 1)->v : 0; d > 0 && rc == TT_OK; d--)
			rc = tt_buf_text(out, "\xe2\x80\x83", err);
		return rc != TT_OK ? rc : put_text(out, c->s, err);
	}
	if (t->facts)
		return put_number(out, number, tt_cell_fact(number, unit, c), err);
	return put_number(out, number, tt_cell_human(number, unit, c), err);
}

static bool
left_out(const struct tt_table *t, size_t col)
{
	return (t->tree && col == 1) || tt_column_empty(t, col);
}

static int
put_head(struct tt_buf *out, const struct tt_table *t, struct tt_err *err)
{
	int rc = tt_buf_add(out, "|", 1, err);

	for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
		if (left_out(t, col))
			continue;
		rc = tt_buf_printf(out, err, " %s%s |", t->col[col].title,
		    tt_column_suffix(t->col[col].unit));
	}
	if (rc == TT_OK)
		rc = tt_buf_text(out, "\n|", err);
	for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
		if (!left_out(t, col))
			rc = tt_buf_text(out, tt_unit_right(t->col[col].unit) ? " --: |" : " :-- |", err);
	}
	return rc != TT_OK ? rc : tt_buf_add(out, "\n", 1, err);
}

static int
put_rows(struct tt_buf *out, const struct tt_table *t, struct tt_mem *mem, struct tt_err *err)
{
	bool *out_of = tt_mem_alloc(mem, t->ncol * sizeof *out_of, err);
	int rc = TT_OK;

	if (!out_of)
		return err ? err->code : TT_E_NOMEM;
	for (size_t col = 0; col < t->ncol; col++)
		out_of[col] = left_out(t, col);
	for (size_t row = 0; row < t->nrow && rc == TT_OK; row++) {
		rc = tt_buf_add(out, "|", 1, err);
		for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
			if (out_of[col])
				continue;
			rc = tt_buf_add(out, " ", 1, err);
			if (rc == TT_OK)
				rc = put_cell(out, t, row, col, err);
			if (rc == TT_OK)
				rc = tt_buf_text(out, " |", err);
		}
		if (rc == TT_OK)
			rc = tt_buf_add(out, "\n", 1, err);
	}
	tt_mem_free(mem, out_of, t->ncol * sizeof *out_of);
	return rc;
}

/* Facts are upright here, too: one line per column, one value per row. */
static int
put_facts(struct tt_buf *out, const struct tt_table *t, struct tt_err *err)
{
	int rc = tt_buf_add(out, "| |", 3, err);

	for (size_t row = 0; row < t->nrow && rc == TT_OK; row++)
		rc = tt_buf_text(out, " |", err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, "\n| :-- |", err);
	for (size_t row = 0; row < t->nrow && rc == TT_OK; row++)
		rc = tt_buf_text(out, t->nrow > 1 ? " --: |" : " :-- |", err);
	for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
		if (left_out(t, col))
			continue;
		rc = tt_buf_printf(out, err, "\n| %s |", t->col[col].title);
		for (size_t row = 0; row < t->nrow && rc == TT_OK; row++) {
			rc = tt_buf_add(out, " ", 1, err);
			if (rc == TT_OK)
				rc = put_cell(out, t, row, col, err);
			if (rc == TT_OK)
				rc = tt_buf_text(out, " |", err);
		}
	}
	return rc != TT_OK ? rc : tt_buf_add(out, "\n", 1, err);
}

static int
put_line(struct tt_buf *out, const char *before, const char *text, const char *behind, struct tt_err *err)
{
	int rc = tt_buf_text(out, before, err);

	if (rc == TT_OK)
		rc = put_text(out, text, err);
	return rc != TT_OK ? rc : tt_buf_text(out, behind, err);
}

static int
put_table(struct tt_buf *out, const struct tt_table *t, struct tt_mem *mem, struct tt_err *err)
{
	int rc = put_line(out, "### ", t->title, "\n\n", err);

	if (rc == TT_OK && t->note)
		rc = put_line(out, "", t->note, "\n\n", err);
	if (rc == TT_OK && t->nrow == 0)
		return put_line(out, "", t->empty_reason ? t->empty_reason : "(nothing)", "\n", err);
	if (rc == TT_OK && t->facts)
		return put_facts(out, t, err);
	if (rc == TT_OK)
		rc = put_head(out, t, err);
	if (rc == TT_OK)
		rc = put_rows(out, t, mem, err);
	if (rc == TT_OK && t->hidden)
		rc = tt_buf_printf(out, err, "\n… %zu more\n", t->hidden);
	return rc;
}

int
tt_render_markdown(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err)
{
	int rc = TT_OK;

	(void)o;
	for (const struct tt_table *t = r->first; t && rc == TT_OK; t = t->next) {
		if (t != r->first)
			rc = tt_buf_add(out, "\n", 1, err);
		if (rc == TT_OK)
			rc = put_table(out, t, r->mem, err);
	}
	if (rc == TT_OK && r->note && r->first)
		rc = tt_buf_add(out, "\n", 1, err);
	for (const struct tt_note *n = r->note; n && rc == TT_OK; n = n->next) {
		rc = tt_buf_printf(out, err, "- **%s**: ", n->severity);
		if (rc == TT_OK)
			rc = put_line(out, "", n->text, "\n", err);
	}
	return rc;
}
