/**
 * Figures of cells: every number that a table shows can be held by a budget, and is read from the very cell.
 *
 * A metric of this kind is called TABLE/COLUMN; its selector is a glob of what the row is called. The contracts are in measure.h
 * (tt_metric_column()) and measure_model.h (tt_figures_cell()).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "gate/measure_model.h"
#include "pass/pass.h"

/* The metric of a column. */
struct column {
	struct tt_metric metric;      /* first: a column is found by its metric */
	const struct tt_pass *pass;
	const struct tt_pass_table *table;
	size_t col;
};

/* A table that was made for some measure: others read it, too. */
struct tt_figures_table {
	const struct tt_pass_table *of;
	struct tt_report r;
	struct tt_figures_table *next;
};

/* --- the metric --------------------------------------------------------------------- */

static enum tt_dim
dim_of(enum tt_unit unit, const char *id)
{
	size_t n = strlen(id);

	switch (unit) {
	case TT_UNIT_NS: return TT_DIM_TIME;
	case TT_UNIT_BYTES: return TT_DIM_BYTES;
	case TT_UNIT_PERCENT: return TT_DIM_PERCENT;
	default: return n >= 3 && strcmp(id + n - 3, "fps") == 0 ? TT_DIM_FPS : TT_DIM_NUMBER;
	}
}

const struct tt_metric *
tt_metric_column(const char *name, struct tt_arena *a, struct tt_err *err)
{
	const char *slash = strchr(name, '/'), *kept = tt_arena_text(a, name, strlen(name), err);
	struct column *c = kept ? tt_arena_alloc(a, sizeof *c, err) : NULL;
	const char *id = c && slash ? tt_arena_text(a, name, (size_t)(slash - name), err) : NULL;

	if (!id)
		return NULL;
	c->table = tt_pass_table_named(id, &c->pass);
	if (!c->table) {
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no table \"%s\" (see \"tracetool list metrics\")", id);
		return NULL;
	}
	while (c->col < c->table->ncol && strcmp(c->table->col[c->col].id, slash + 1) != 0)
		c->col++;
	if (c->col == c->table->ncol) {
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "table %s has no column \"%s\" (see \"tracetool list metrics\")", id, slash + 1);
		return NULL;
	}
	const struct tt_col *col = &c->table->col[c->col];
	if (tt_unit_is_text(col->unit) || col->unit == TT_UNIT_HEX) {
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "column %s of table %s holds %s, no numbers", col->id, id,
		    col->unit == TT_UNIT_HEX ? "addresses or ids" : "text");
		return NULL;
	}
	c->metric = (struct tt_metric){ .name = kept, .title = kept, .dim = dim_of(col->unit, col->id), .select = TT_SELECT_ROW,
		.needs = c->pass->needs | c->table->needs, .usual = TT_STAT_TOTAL, .family = TT_FAM_CELL, .of = col->unit == TT_UNIT_VALUE,
		.help = col->help };
	return &c->metric;
}

/* --- the table ---------------------------------------------------------------------- */

static const struct tt_table *
table_of(struct tt_figures *g, const struct column *c, struct tt_err *err)
{
	const char *const id[] = { c->table->id, NULL };
	const struct tt_pass_opts o = { .threshold_e4 = 100, .table = id };
	struct tt_figures_table *t = g->table;

	while (t && t->of != c->table)
		t = t->next;
	if (!t) {
		t = tt_arena_alloc(&g->work, sizeof *t, err);
		if (!t)
			return NULL;
		t->of = c->table;
		t->next = g->table;
		g->table = t;
		tt_report_init(&t->r, &g->m->env->mem);
		tt_pass_report(c->pass, g->view, &o, &t->r);
	}
	return tt_report_error(&t->r, err) == TT_OK ? t->r.first : NULL;
}

void
tt_figures_tables_free(struct tt_figures *g)
{
	for (struct tt_figures_table *t = g->table; t; t = t->next)
		tt_report_free(&t->r);
	g->table = NULL;
}

/* --- the row ------------------------------------------------------------------------ */

static bool
is_called(const char *name, const char *wanted, bool exactly)
{
	char text[4096];
	const char *shown = tt_utf8_valid(text, sizeof text, name);

	if (exactly)
		return strcmp(name, wanted) == 0 || strcmp(shown, wanted) == 0;
	return tt_glob(wanted, name) || (shown != name && tt_glob(wanted, shown));
}

/* By its first column; or by all its texts, with ", " between, where several rows have the same there. */
static bool
is_row(const struct tt_table *t, const struct tt_cell *row, const char *wanted, bool exactly, struct tt_buf *b, struct tt_err *err)
{
	char number[24];

	if (!tt_unit_is_text(t->col->unit))
		*(t->col->unit == TT_UNIT_HEX ? tt_put_hex(number, (uint64_t)row->v) : tt_put_i64(number, row->v)) = '\0';
	if (!row->empty && is_called(tt_unit_is_text(t->col->unit) ? row->s : number, wanted, exactly))
		return true;
	b->n = 0;
	for (size_t i = 0; i < t->ncol; i++) {
		if (tt_unit_is_text(t->col[i].unit) && !row[i].empty &&
		    tt_buf_printf(b, err, "%s%s", b->n ? ", " : "", row[i].s) != TT_OK)
			return false;
	}
	return b->n && is_called(b->p, wanted, exactly);
}

/* How many rows the measure is about, and the last of them: those called exactly so, or else those that the glob matches. */
static size_t
find_rows(const struct tt_table *t, const char *wanted, const struct tt_cell **found, struct tt_err *err)
{
	struct tt_buf b = { 0 };
	size_t n = 0;

	for (unsigned pass = 0; pass < 2 && n == 0; pass++) {
		for (size_t i = 0; i < t->nrow && err->code == TT_OK; i++) {
			const struct tt_cell *row = t->cell + i * t->ncol;

			if (wanted && !is_row(t, row, wanted, pass == 0, &b, err))
				continue;
			*found = row;
			n++;
		}
	}
	tt_buf_free(&b);
	return n;
}

/* The only row that the measure is about; NULL: ${v} says why not, or ${err}. */
static const struct tt_cell *
row_of(struct tt_figures *g, const struct tt_table *t, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const char *none = t->empty_reason ? t->empty_reason : "the table has no rows";
	const struct tt_cell *found = NULL;
	size_t n;

	err->code = TT_OK;
	n = find_rows(t, x->select, &found, err);
	if (err->code != TT_OK || n == 1)
		return err->code == TT_OK ? found : NULL;
	v->absent = n == 0 && x->select;
	if (n > 1)
		v->why = x->select ? "several rows of the table match: name one, all its texts with \", \" between if need be" :
		    "the table has several rows: name one";
	else if (t->nrow > 0)
		v->why = "no row of the table is called so";
	else
		v->why = tt_arena_text(g->out, none, strlen(none), err);
	return NULL;
}

/* --- the value ---------------------------------------------------------------------- */

/* As JSON has it, in thousandths; false: it is no number that an amount holds. */
static bool
amount_of(enum tt_unit unit, const struct tt_cell *c, int64_t *v)
{
	double d;

	if (unit == TT_UNIT_VALUE && c->s) {
		d = round(strtod(c->s, NULL) * TT_AMOUNT_ONE);
		if (!(fabs(d) < 9.2e18))
			return false;
		*v = (int64_t)d;
		return true;
	}
	if (unit == TT_UNIT_VALUE)
		unit = (enum tt_unit)c->unit;
	return !__builtin_mul_overflow(c->v, unit == TT_UNIT_MILLI ? 1 : unit == TT_UNIT_PERCENT ? TT_AMOUNT_ONE / 100 : TT_AMOUNT_ONE, v);
}

int
tt_figures_cell(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct column *c = (const struct column *)x->metric;
	const struct tt_table *t = table_of(g, c, err);
	const struct tt_cell *row = t ? row_of(g, t, x, v, err) : NULL;
	const struct tt_col *col = &c->table->col[c->col];

	if (!row)
		return t && v->why ? TT_OK : err->code;
	row += c->col;
	if (row->empty)
		v->why = "the column is empty in this row";
	else if (!amount_of(col->unit, row, &v->v))
		v->why = "the value is no number, or too large for a budget";
	else
		v->known = true;
	if (col->unit == TT_UNIT_VALUE && !row->empty)
		v->dim = dim_of((enum tt_unit)row->unit, "");
	return TT_OK;
}
