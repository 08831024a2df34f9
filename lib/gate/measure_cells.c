/**
 * Computes figures of table cells: a budget can limit every number that a table shows, and it is read from that cell.
 *
 * The metric is named TABLE/COLUMN; its selector is a glob of the row's name. The interface is in measure.h (tt_metric_column()) and measure_model.h
 * (tt_find_cell()).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/utf8.h"
#include "collect/collections.h"
#include "gate/measure_model.h"
#include "pass/pass.h"
#include "view/figures.h"

/* The metric of a column. */
struct column {
	struct tt_metric metric;      /* first member, so that a metric can be cast to its column */
	const struct tt_pass *pass;
	const struct tt_pass_table *table;
	size_t col;
};

/* A table made for one measure and shared by later ones. */
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
	if (c->table->why_no_budget) {
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no metric is made of table %s: %s", id, c->table->why_no_budget);
		return NULL;
	}
	c->metric = (struct tt_metric){ .name = kept, .title = kept, .dim = dim_of(col->unit, col->id), .select = TT_SELECT_ROW,
		.needs = c->pass->needs | c->table->needs, .usual = TT_STAT_TOTAL,
		.frame_value = TT_FRAME_VALUES, .of = col->unit == TT_UNIT_VALUE, .find = tt_find_cell,
		.help = col->help };
	return &c->metric;
}

bool
tt_metric_column_has_time(const struct tt_metric *m)
{
	const struct column *c = (const struct column *)m;
	const char *id = c->table->col[c->col].id, *at = c->table->whole_columns;
	size_t n = strlen(id);

	for (; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (strncmp(at, id, n) == 0 && (at[n] == ' ' || at[n] == '\0'))
			return false;
	return c->table->applied_filters & TT_ON_TIME && !c->table->is_by_time && !(m->needs & (TT_NEEDS_BY_FRAME | TT_NEEDS_CAUSES));
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

/* The name of the row according to its first column, formatted in ${number} if that is a number; NULL: empty. */
static const char *
first_name(const struct tt_table *t, const struct tt_cell *row, char number[24])
{
	if (row->empty)
		return NULL;
	if (tt_unit_is_text(t->col->unit))
		return row->s;
	*(t->col->unit == TT_UNIT_HEX ? tt_put_hex(number, (uint64_t)row->v) : tt_put_i64(number, row->v)) = '\0';
	return number;
}

/*
 * The full name of the row: its first column and all its texts, joined by ", ": "12, Main Thread, Update"; NULL: empty. If the first column is a number, the
 * texts alone are a name as well: *${texts}, else NULL.
 */
static const char *
full_name(const struct tt_table *t, const struct tt_cell *row, struct tt_buf *b, const char **texts)
{
	char number[24];
	const char *first = tt_unit_is_text(t->col->unit) ? NULL : first_name(t, row, number);
	size_t begin = 0;

	b->n = 0;
	if (first) {
		tt_buf_printf(b, "%s, ", first);
		begin = b->n;
	}
	for (size_t i = 0; i < t->ncol; i++) {
		if (tt_unit_is_text(t->col[i].unit) && !row[i].empty)
			tt_buf_printf(b, "%s%s", b->n > begin ? ", " : "", row[i].s);
	}
	if (b->n == begin)
		return NULL;
	first = tt_buf_string(b);
	*texts = begin && first ? first + begin : NULL;
	return first;
}

static bool
is_row(const struct tt_table *t, const struct tt_cell *row, const char *wanted, bool exactly, struct tt_buf *b)
{
	char number[24];
	const char *name = first_name(t, row, number), *texts = NULL;

	if (name && is_called(name, wanted, exactly))
		return true;
	name = full_name(t, row, b, &texts);
	return name && (is_called(name, wanted, exactly) || (texts && is_called(texts, wanted, exactly)));
}

#define ROWS_SHOWN 3

/* The rows that a measure selects: the first few, copied, and their number. */
struct found {
	const struct tt_cell *row[ROWS_SHOWN];
	size_t n;
	bool exactly;                 /* true: only exact names count, because such a row was found, or the name is a number like the first column */
	bool none;                    /* true: the table has no rows */
};

/* Copy a row, because rows of a stream are overwritten by the next ones. */
static const struct tt_cell *
copy_row(const struct tt_table *t, const struct tt_cell *row, struct tt_arena *a, struct tt_err *err)
{
	struct tt_cell *c = tt_arena_alloc(a, t->ncol * sizeof *c, err);

	if (!c)
		return NULL;
	memcpy(c, row, t->ncol * sizeof *c);
	for (size_t i = 0; i < t->ncol; i++)
		if (!c[i].empty && c[i].s && !(c[i].s = tt_arena_text(a, c[i].s, strlen(c[i].s), err)))
			return NULL;
	return c;
}

static void
look_at(struct tt_figures *g, const struct tt_table *t, const struct tt_cell *row, const char *wanted, struct found *f, struct tt_buf *b,
    struct tt_err *err)
{
	bool exactly = !wanted || is_row(t, row, wanted, true, b);

	if (!exactly && (f->exactly || !is_row(t, row, wanted, false, b)))
		return;
	if (exactly && !f->exactly)
		*f = (struct found){ .exactly = true };
	if (f->n < ROWS_SHOWN)
		f->row[f->n] = copy_row(t, row, &g->work, err);
	f->n++;
}

/* Find the rows with exactly this name; if there are none, those that the glob matches. */
static void
find_rows(struct tt_figures *g, const struct tt_table *t, const char *wanted, struct found *f, struct tt_err *err)
{
	struct tt_buf b = { 0 };

	tt_rows_first(t);
	*f = (struct found){ .none = t->nrow == 0, .exactly = wanted && !tt_unit_is_text(t->col->unit) && !wanted[strspn(wanted, "0123456789")] };
	do {
		for (size_t i = 0; i < t->nrow && err->code == TT_OK; i++)
			look_at(g, t, t->cell + i * t->ncol, wanted, f, &b, err);
	} while (err->code == TT_OK && tt_rows_next(t));
	if (err->code == TT_OK && tt_report_error(t->r, err) == TT_OK)
		tt_buf_error(&b, err);
	tt_buf_free(&b);
}

/* True if the first column distinguishes the first ${shown} rows found. */
static bool
are_told_apart(const struct tt_table *t, const struct found *f, size_t shown)
{
	char number[2][24];

	for (size_t i = 0; i < shown; i++) {
		const char *name = first_name(t, f->row[i], number[0]);

		for (size_t k = 0; k < i; k++) {
			const char *other = first_name(t, f->row[k], number[1]);

			if (!name || !other || strcmp(name, other) == 0)
				return false;
		}
	}
	return true;
}

/* Write "7 rows of the table fit, like "A", "B" and "C": name one of them". */
static const char *
why_several(struct tt_figures *g, const struct tt_table *t, const struct tt_measure *x, const struct found *f, struct tt_err *err)
{
	size_t shown = f->n < ROWS_SHOWN ? f->n : ROWS_SHOWN;
	bool apart = are_told_apart(t, f, shown);
	struct tt_buf b = { 0 }, name = { 0 };
	const char *texts;

	tt_buf_printf(&b, "%zu rows of the table %s:", f->n, x->select ? "fit" : "are there");
	for (size_t i = 0; i < shown; i++) {
		char number[24];
		const char *it = apart ? first_name(t, f->row[i], number) : full_name(t, f->row[i], &name, &texts);

		tt_buf_printf(&b, "%s \"%s\"", i ? "," : "", it ? it : "");
	}
	tt_buf_printf(&b, "%s; name one%s", f->n > shown ? ", ..." : "", apart ? "" : " in full");
	tt_buf_free(&name);
	return tt_buf_move_to_arena(&b, g->out, err);
}

/* True if the table lists everything of its kind, so that what has no row did not happen. */
static bool
is_complete(const struct tt_figures *g, const struct tt_table *t)
{
	static const struct { const char *begin; enum tt_records what; } of[] = {
		{ "exception", TT_REC_THROWS }, { "contention", TT_REC_WAITS }, { "handle", TT_REC_HANDLES }, { "finalizer", TT_REC_FINALIZERS },
		{ "sample", TT_REC_SAMPLES }, { "jit_helpers", TT_REC_CODE },
	};

	/* Tables that list only a part: the largest, the last, single frames, or frames that were examined. */
	static const char *const part[] = { "calltree", "causes", "compared_", "counter_", "frame_causes", "frame_counters", "frame_gc",
		"frame_markers", "frame_threads", "heapshot_growth", "heapshot_history", "heapshot_objects", "heapshot_paths", "hitch", "timeline" };

	if (t->complete)
		return true;
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (strncmp(t->id, part[i], strlen(part[i])) == 0)
			return false;
	for (size_t i = 0; i < t->nrow; i++)      /* any row without a name may be it */
		if (tt_unit_is_text(t->col->unit) && !t->cell[i * t->ncol].empty && strncmp(t->cell[i * t->ncol].s, "(unknown", 8) == 0)
			return false;
	if (t->nrow > 0)
		return true;
	if (strncmp(t->id, "alloc_", 6) == 0)
		return tt_model_knows_allocs(g->m);
	if (strcmp(t->id, "gc_generations") == 0)
		return tt_knows_collections(g->m);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strncmp(t->id, of[i].begin, strlen(of[i].begin)) == 0)
			return tt_model_records(g->m, of[i].what);
	return false;
}

/* True if the column counts or sums something, so that a missing row means 0. */
static bool
adds_up(const struct tt_col *c)
{
	static const char *const id[] = { "acquired", "alloc_bytes", "allocs", "busy_ns", "bytes", "calls", "caught", "contended", "count",
		"created", "destroyed", "entries", "events", "extra_ns", "failed", "frames", "hits", "live", "objects", "over", "references", "samples",
		"self", "self_ns", "stopped_ns", "total", "total_ns", "wait_ns", "waiting_ns", "waits" };
	size_t n = strlen(c->id);

	for (size_t i = 0; i < sizeof id / sizeof *id; i++)
		if (strcmp(c->id, id[i]) == 0)
			return true;
	return c->unit == TT_UNIT_PERCENT && n >= 5 && strcmp(c->id + n - 5, "share") == 0;
}

/* The only row that the measure selects; NULL: ${v} or ${err} says why. */
static const struct tt_cell *
row_of(struct tt_figures *g, const struct tt_table *t, const struct tt_measure *x, const struct tt_col *col, struct tt_value *v,
    struct tt_err *err)
{
	const char *none = t->empty_reason ? t->empty_reason : "the table has no rows";
	struct found f;

	err->code = TT_OK;
	find_rows(g, t, x->select, &f, err);
	if (err->code != TT_OK || f.n == 1)
		return err->code == TT_OK ? f.row[0] : NULL;
	v->several = f.n > 1;
	v->absent = f.n == 0 && x->select;
	if (v->several)
		v->why = why_several(g, t, x, &f, err);
	else if (!f.none)
		v->why = "no row of the table has this name";
	else
		v->why = tt_arena_text(g->out, none, strlen(none), err);
	if (v->why && v->absent && adds_up(col) && is_complete(g, t))
		tt_value_set(v, 0);
	return NULL;
}

/* --- the value ---------------------------------------------------------------------- */

/* As JSON has it, as an amount of ${dim}; false: it is no number that an amount holds. */
static bool
amount_of(enum tt_unit unit, const struct tt_cell *c, enum tt_dim dim, int64_t *v)
{
	const int64_t one = tt_amount_one(dim);
	double d;

	if (unit == TT_UNIT_VALUE && c->s) {
		d = round(strtod(c->s, NULL) * (double)one);
		if (!(fabs(d) < 9.2e18))
			return false;
		*v = (int64_t)d;
		return true;
	}
	if (unit == TT_UNIT_VALUE)
		unit = (enum tt_unit)c->unit;
	return !__builtin_mul_overflow(c->v, unit == TT_UNIT_MILLI ? one / 1000 : unit == TT_UNIT_PERCENT ? one / 100 : one, v);
}

/* True if the row shows wall time of frames. */
static bool
is_wall(const struct tt_table *t, const struct tt_cell *row)
{
	bool by_time = strcmp(t->id, "frames") == 0 || strcmp(t->id, "frame_budgets") == 0;

	return strcmp(t->id, "frame_histogram") == 0 || (by_time && !row->empty && strcmp(row->s, "wall") == 0);
}

int
tt_find_cell(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct column *c = (const struct column *)x->metric;
	const struct tt_table *t = table_of(g, c, err);
	const struct tt_col *col = &c->table->col[c->col];
	const struct tt_cell *row = t ? row_of(g, t, x, col, v, err) : NULL;

	if (!row || (is_wall(t, row) && tt_wall_is_limit(g, v, err)))
		return t && v->why ? TT_OK : err->code;
	row += c->col;
	if (col->unit == TT_UNIT_VALUE && !row->empty)
		v->dim = dim_of((enum tt_unit)row->unit, "");
	if (row->empty)
		v->why = "the column is empty in this row";
	else if (!amount_of(col->unit, row, v->dim, &v->v))
		v->why = "the value is not a number, or is too large for a budget";
	else
		v->known = true;
	return TT_OK;
}
