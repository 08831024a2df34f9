/**
 * Tables as CSV (RFC 4180); the rules are in table.h.
 */
#include <string.h>

#include "base/utf8.h"
#include "out/render.h"

/* Would a spreadsheet run text that begins like this? The full-width forms count in East Asian versions. */
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

/* What a field may hold: valid UTF-8, and of control characters those of lines and tabs. */
static bool
is_clean(const char *s, size_t len)
{
	return len > 0 && (!tt_utf8_control(tt_utf8_code(s, len)) || *s == '\t' || *s == '\n' || *s == '\r');
}

/* Only what is_clean(), inner quotes doubled where the field is quoted. At most 3 bytes a byte. */
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

int
tt_csv_field(struct tt_buf *out, const char *s, size_t n, const struct tt_render_opts *o, struct tt_err *err)
{
	char sep = o->csv_sep ? o->csv_sep : ',';
	bool quoted = n && wants_quotes(s, n, sep);
	int rc = tt_buf_room(out, 3 * n + 4, err);
	char *p;

	if (rc != TT_OK)
		return rc;
	p = out->p + out->n;
	if (quoted)
		*p++ = '"';
	if (o->csv_safe && is_formula(s, n))
		*p++ = '\'';
	p = put_text(p, s, n, quoted);
	if (quoted)
		*p++ = '"';
	out->n = (size_t)(p - out->p);
	return TT_OK;
}

static int
put_cell(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c, const struct tt_render_opts *o,
    struct tt_err *err)
{
	char number[TT_CELL_MAX];

	if (c->empty)
		return TT_OK;
	if (tt_unit_is_text(unit))
		return tt_csv_field(out, c->s, strlen(c->s), o, err);
	return tt_buf_add(out, number, (size_t)(tt_cell_machine(number, unit, c) - number), err);
}

static int
put_sep(struct tt_buf *out, const struct tt_render_opts *o, struct tt_err *err)
{
	char sep = o->csv_sep ? o->csv_sep : ',';

	return tt_buf_add(out, &sep, 1, err);
}

static int
put_table(struct tt_buf *out, const struct tt_table *t, const struct tt_render_opts *o, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
		rc = col ? put_sep(out, o, err) : TT_OK;
		if (rc == TT_OK)
			rc = tt_csv_field(out, t->col[col].id, strlen(t->col[col].id), o, err);
	}
	for (size_t row = 0; row < t->nrow && rc == TT_OK; row++) {
		rc = tt_buf_add(out, "\n", 1, err);
		for (size_t col = 0; col < t->ncol && rc == TT_OK; col++) {
			rc = col ? put_sep(out, o, err) : TT_OK;
			if (rc == TT_OK)
				rc = put_cell(out, t->col[col].unit, tt_table_cell(t, row, col), o, err);
		}
	}
	return rc != TT_OK ? rc : tt_buf_add(out, "\n", 1, err);
}

int
tt_render_csv(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err)
{
	int rc = o->csv_bom ? tt_buf_text(out, "\xef\xbb\xbf", err) : TT_OK;
	bool several = r->first && r->first->next;

	for (const struct tt_table *t = r->first; t && rc == TT_OK; t = t->next) {
		if (several)
			rc = tt_buf_printf(out, err, "%s# %s\n", t == r->first ? "" : "\n", t->id);
		if (rc == TT_OK)
			rc = put_table(out, t, o, err);
	}
	return rc;
}
