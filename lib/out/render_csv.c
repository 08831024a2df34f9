/**
 * Tables as CSV (RFC 4180); the rules are in table.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "out/render.h"

/* True if a spreadsheet would run text that begins like this. East Asian versions also run the full-width characters. */
static bool
is_formula(const char *s, size_t n)
{
	static const char *const wide[] = { "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0" };

	if (n == 0)
		return false;
	if (memchr("=+-@\t\r", s[0], 6))
		return true;
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
		if (n >= 3 && memcmp(s, wide[i], 3) == 0)
			return true;
	}
	return false;
}

static bool
wants_quotes(const char *s, size_t n, char sep)
{
	return memchr(s, sep, n) || memchr(s, '"', n) || memchr(s, '\r', n) || memchr(s, '\n', n);
}

/* True if a field may contain the character: valid UTF-8, no control character except line ends and tabs. */
static bool
is_clean(const char *s, size_t len)
{
	return len > 0 && (!tt_utf8_control(tt_utf8_code(s, len)) || *s == '\t' || *s == '\n' || *s == '\r');
}

/* Write text, with U+FFFD in place of characters that is_clean() rejects; inside a quoted field, double the quotes. At most 3 bytes for each byte. */
static char *
put_text(char *p, const char *s, size_t n, bool quoted)
{
	while (n > 0) {
		size_t len = tt_utf8_len(s, n), take = len ? len : 1;
		bool clean = is_clean(s, len);

		if (quoted && *s == '"')
			*p++ = '"';
		memcpy(p, clean ? s : "\xef\xbf\xbd", clean ? len : 3);
		p += clean ? len : 3;
		s += take;
		n -= take;
	}
	return p;
}

void
tt_csv_field(struct tt_buf *out, const char *s, size_t n, const struct tt_render_opts *o)
{
	char sep = o->csv_sep ? o->csv_sep : ',';
	bool quoted = n && wants_quotes(s, n, sep);
	char *p;

	if (tt_buf_room(out, 3 * n + 4, NULL) != TT_OK)
		return;
	p = out->p + out->n;
	if (quoted)
		*p++ = '"';
	if (o->csv_safe && is_formula(s, n))
		*p++ = '\'';
	p = put_text(p, s, n, quoted);
	if (quoted)
		*p++ = '"';
	out->n = (size_t)(p - out->p);
}

static void
put_cell(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c, const struct tt_render_opts *o)
{
	char number[TT_CELL_MAX];

	if (c->empty)
		return;
	if (tt_unit_is_text(unit))
		tt_csv_field(out, c->s, strlen(c->s), o);
	else if (unit == TT_UNIT_NS && o->csv_time_digits)
		tt_buf_add(out, number, (size_t)(tt_put_fixed(number, c->v, o->csv_time_digits) - number));
	else
		tt_buf_add(out, number, (size_t)(tt_cell_machine(number, unit, c) - number));
}

const char *
tt_csv_time_unit(size_t i)
{
	static const char *const unit[] = { "ns", "us", "ms", "s", NULL };

	return unit[i];
}

/* Write the id of a column; a time in another unit has that unit in place of the "ns" at its end. */
static void
put_heading(struct tt_buf *out, const struct tt_col *col, const struct tt_render_opts *o)
{
	char id[128];
	size_t n = strlen(col->id);

	if (col->unit == TT_UNIT_NS && o->csv_time_digits && n > 3 && n < sizeof id - 3 && strcmp(col->id + n - 3, "_ns") == 0) {
		snprintf(id, sizeof id, "%.*s%s", (int)n - 2, col->id, tt_csv_time_unit(o->csv_time_digits / 3));
		tt_csv_field(out, id, strlen(id), o);
		return;
	}
	tt_csv_field(out, col->id, n, o);
}

static void
put_table(struct tt_buf *out, const struct tt_table *t, const struct tt_render_opts *o)
{
	char sep = o->csv_sep ? o->csv_sep : ',';

	for (size_t col = 0; col < t->ncol; col++) {
		tt_buf_add(out, &sep, col > 0);
		put_heading(out, &t->col[col], o);
	}
	tt_buf_add(out, "\n", 1);
	tt_rows_first(t);
	do {
		for (size_t row = 0; row < t->nrow; row++) {
			const size_t from = out->n;

			for (size_t col = 0; col < t->ncol; col++) {
				tt_buf_add(out, &sep, col > 0);
				put_cell(out, t->col[col].unit, tt_table_cell(t, row, col), o);
			}
			/* Readers skip an empty line, so a row whose only field is empty would be lost. */
			if (t->ncol == 1 && out->n == from)
				tt_buf_add(out, "\"\"", 2);
			tt_buf_add(out, "\n", 1);
			tt_render_write_out(t, o, out);
		}
	} while (tt_rows_next(t));
}

void
tt_render_csv(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out)
{
	if (o->csv_bom)
		tt_buf_text(out, "\xef\xbb\xbf");
	for (const struct tt_table *t = r->first; t; t = t->next) {
		if (r->first->next)
			tt_buf_printf(out, "%s# %s\n", t == r->first ? "" : "\n", t->id);
		put_table(out, t, o);
	}
}
