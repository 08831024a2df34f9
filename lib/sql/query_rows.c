/**
 * Makes a table of a query's rows.
 */
#include "sql/query_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/render.h"
#include "out/table.h"

#define MIN_WRAPPED_BYTES 30    /* a column with a text this long is wrapped; in others, taken for names, long texts lose their middle */

/* The kinds of values that a column has, and the bytes of its longest text. */
struct column { bool whole, real, text; size_t longest; };

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* Return a name for the column that differs from the names before it, as JSON needs. */
static const char *
name_of(struct tt_report *r, const struct tt_col *col, size_t n, const char *name)
{
	const char *own = tt_text(r, "%s", *name ? name : "column");

	for (size_t i = 0, k = 2; i < n && r->err.code == TT_OK; i++)
		if (strcmp(col[i].id, own) == 0) {
			own = tt_text(r, "%s_%zu", name, k++);
			i = SIZE_MAX;         /* start again */
		}
	return own;
}

/* Write bytes as an SQL literal. */
static const char *
blob(struct tt_report *r, const char *p, size_t n)
{
	char *text = tt_arena_alloc(&r->arena, 2 * n + 4, &r->err), *to = text;

	if (!text)
		return "";
	to += sprintf(to, "x'");
	for (size_t i = 0; i < n; i++)
		to += sprintf(to, "%02x", (unsigned char)p[i]);
	strcpy(to, "'");
	return text;
}

/* Put a number into a cell, to be shown with few decimals; numbers below 0.1 and those that do not fit keep their own text. */
static void
put_real(struct tt_report *r, double v, struct tt_cell *c)
{
	char number[40];
	const char *text;

	*tt_put_double(number, v) = '\0';
	text = tt_text(r, "%s", *number ? number : v > 0 ? "Infinity" : "-Infinity");
	if (v != 0 && (fabs(v) < 0.1 || fabs(v) > 9e15))
		tt_cell_beyond(c, TT_UNIT_MILLI, text, 0);
	else
		tt_cell_exact(c, TT_UNIT_MILLI, text, (int64_t)(v * 1000));
}

/* Put a value into a cell: whole numbers as numbers, all others as text. */
static void
put_cell(struct tt_report *r, const struct tt_db_query *q, size_t col, struct column *is, struct tt_cell *c)
{
	size_t n;
	const char *s;

	switch (tt_db_type(q, col)) {
	case TT_DB_INT:
		is->whole = true;
		tt_cell_value(c, TT_UNIT_COUNT, tt_db_int_at(q, col));
		break;
	case TT_DB_REAL:
		is->real = true;
		put_real(r, tt_db_real_at(q, col), c);
		break;
	case TT_DB_TEXT:
		is->text = true;
		s = tt_db_text_at(q, col, &n);
		is->longest = n > is->longest ? n : is->longest;
		tt_cell_text(c, tt_text_of(r, s, n));
		break;
	case TT_DB_BLOB:
		is->text = true;
		s = tt_db_text_at(q, col, &n);
		tt_cell_text(c, blob(r, s, n));
		break;
	default:
		break;
	}
}

/* Return the unit of a column whose kinds of values are ${is}. */
static enum tt_unit
unit_of(const char *name, const struct column *is)
{
	if (is->text || !(is->whole || is->real))
		return is->longest < MIN_WRAPPED_BYTES ? TT_UNIT_TEXT : TT_UNIT_PROSE;
	if (is->real)
		return TT_UNIT_VALUE;
	return ends_with(name, "_ns") ? TT_UNIT_NS : ends_with(name, "_bytes") || strcmp(name, "bytes") == 0 ? TT_UNIT_BYTES : TT_UNIT_COUNT;
}

/* Set the units of the columns, and in columns with texts turn numbers into texts, too. */
static void
settle(struct tt_table *t, struct tt_col *col, const struct column *is)
{
	for (size_t k = 0; k < t->ncol; k++)
		col[k].unit = unit_of(col[k].id, &is[k]);
	for (size_t i = 0; i < t->nrow; i++)
		for (size_t k = 0; k < t->ncol; k++) {
			struct tt_cell *c = &t->cell[i * t->ncol + k];

			if (!c->empty && !c->s && tt_unit_is_text(col[k].unit))
				c->s = tt_text(t->r, "%" PRId64, c->v);
		}
}

/* Add a note that names the columns without a value, which text output leaves out. */
static void
note_empty(struct tt_report *r, struct tt_table *t)
{
	const char *names = NULL;

	for (size_t k = 0; k < t->ncol && t->nrow; k++)
		if (tt_column_empty(t, k))
			names = names ? tt_text(r, "%s, %s", names, t->col[k].title) : t->col[k].title;
	if (names)
		t->note = tt_text(r, "no value in %zu row%s: %s", t->nrow, t->nrow == 1 ? "" : "s", names);
}

int
tt_db_report_rows(struct tt_db_query *q, const char *none, struct tt_report *r, struct tt_err *err)
{
	const size_t n = tt_db_columns(q);
	struct tt_col *col = n <= TT_COLUMNS_MAX ? tt_arena_alloc(&r->arena, n * sizeof *col, err) : NULL;
	struct column *is = col ? tt_arena_alloc(&r->arena, n * sizeof *is, err) : NULL;
	struct tt_table *t;
	int rc = TT_OK;

	if (n > TT_COLUMNS_MAX)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the query gives %zu columns; a table has at most %d", n, TT_COLUMNS_MAX);
	if (!is)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		col[i].id = name_of(r, col, i, tt_db_column(q, i));
		col[i].title = col[i].id;
	}
	t = tt_report_table(r, "query", "Query", col, n);
	t->empty_reason = none;
	while (rc == TT_OK && (rc = tt_db_next(q, err)) == TT_OK && (rc = tt_report_error(r, err)) == TT_OK) {
		struct tt_cell *c = tt_row(t);

		for (size_t i = 0; i < n; i++)
			put_cell(r, q, i, &is[i], &c[i]);
	}
	if (rc == TT_END)
		rc = tt_report_error(r, err);
	if (rc == TT_OK)
		settle(t, col, is);
	if (rc == TT_OK)
		note_empty(r, t);
	return rc;
}
