/**
 * Keeps the tables of a report, sorts and cuts them.
 */
#include "out/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena_text.h"
#include "base/order.h"
#include "out/render.h"

void
tt_report_init(struct tt_report *r, struct tt_mem *mem)
{
	*r = (struct tt_report){ .mem = mem };
	tt_arena_init(&r->arena, mem);
}

static void
end_stream(struct tt_table *t)
{
	struct tt_stream *s = t->stream;

	if (!s)
		return;
	if (s->end)
		s->end(s);
	tt_arena_free(&s->text);
	t->stream = NULL;
}

static void
free_cells(struct tt_report *r, struct tt_table *t)
{
	end_stream(t);
	tt_mem_free(r->mem, t->cell, t->caprow * t->ncol * sizeof *t->cell);
	t->cell = NULL;
	t->nrow = t->caprow = 0;
}

void
tt_table_free(struct tt_table *t)
{
	free_cells(t->r, t);
}

void
tt_report_free(struct tt_report *r)
{
	for (struct tt_table *t = r->first; t; t = t->next)
		free_cells(r, t);
	tt_arena_free(&r->arena);
	tt_report_init(r, r->mem);
}

int
tt_report_error(const struct tt_report *r, struct tt_err *err)
{
	if (r->err.code != TT_OK)
		*err = r->err;
	return r->err.code;
}

struct tt_table *
tt_report_table(struct tt_report *r, const char *id, const char *title, const struct tt_col *col, size_t ncol)
{
	struct tt_table *t = r->err.code == TT_OK ? tt_arena_alloc(&r->arena, sizeof *t, &r->err) : NULL;
	bool spare = t == NULL;

	assert(ncol <= TT_COLUMNS_MAX);
	if (spare)
		t = &r->spare_table;
	*t = (struct tt_table){ .id = id, .title = title, .col = col, .ncol = ncol, .r = r };
	if (spare)
		return t;
	if (r->last)
		r->last->next = t;
	else
		r->first = t;
	return r->last = t;
}

const char *
tt_text_of(struct tt_report *r, const char *s, size_t n)
{
	const char *text = r->err.code == TT_OK ? tt_arena_text(&r->arena, s, n, &r->err) : NULL;

	return text ? text : "";
}

void
tt_report_note(struct tt_report *r, const char *severity, const char *id, const char *text)
{
	struct tt_note *n = r->err.code == TT_OK ? tt_arena_alloc(&r->arena, sizeof *n, &r->err) : NULL;

	if (!n)
		return;
	*n = (struct tt_note){ tt_text_of(r, severity, strlen(severity)), tt_text_of(r, id, strlen(id)),
		tt_text_of(r, text, strlen(text)), NULL };
	if (r->last_note)
		r->last_note->next = n;
	else
		r->note = n;
	r->last_note = n;
}

const char *
tt_text(struct tt_report *r, const char *fmt, ...)
{
	va_list list;
	const char *text;

	va_start(list, fmt);
	text = r->err.code == TT_OK ? tt_arena_vprintf(&r->arena, &r->err, fmt, list) : NULL;
	va_end(list);
	return text ? text : "";
}

/* True if the table is chosen. */
static bool
chosen(const struct tt_table *t, const char *const *ids)
{
	if (!ids)
		return !t->extra;
	for (; *ids; ids++) {
		if (strcmp(*ids, t->id) == 0)
			return true;
	}
	return false;
}

void
tt_report_select(struct tt_report *r, const char *const *ids)
{
	struct tt_table **link = &r->first;

	r->last = NULL;
	while (*link) {
		struct tt_table *t = *link;

		if (chosen(t, ids)) {
			r->last = t;
			link = &t->next;
			continue;
		}
		*link = t->next;
		free_cells(r, t);
	}
}

/* --- rows that are made as they are written -------------------------------- */

/* Replace the rows of the table by the next ones. False: no more rows, or the report has failed. */
static bool
next_part(struct tt_table *t)
{
	struct tt_stream *s = t->stream;
	struct tt_report *r = t->r;
	struct tt_arena kept = r->arena;
	bool more;

	t->nrow = 0;
	if (r->err.code != TT_OK)
		return false;
	if (!s->keeps) {
		tt_arena_free(&s->text);
		r->arena = s->text;
	}
	more = s->more(s, t) && r->err.code == TT_OK;
	if (!s->keeps) {
		s->text = r->arena;
		r->arena = kept;
	}
	s->part = more ? s->part + 1 : 0;
	return more;
}

static void
first_part(struct tt_table *t)
{
	struct tt_stream *s = t->stream;

	if (s->part == 1)
		return;
	s->part = 0;
	s->rewind(s, t);
	next_part(t);
}

void
tt_table_stream(struct tt_table *t, struct tt_stream *s)
{
	if (t->r->err.code != TT_OK) {
		if (s->end)
			s->end(s);
		return;
	}
	tt_arena_init(&s->text, t->r->mem);
	t->stream = s;
	first_part(t);
}

/* Return the table as writable, to load the next rows of its stream; NULL: it has no stream. Renderers have it as const. */
static struct tt_table *
writable_stream(const struct tt_table *t)
{
	return t->stream ? (struct tt_table *)(uintptr_t)t : NULL;
}

void
tt_rows_first(const struct tt_table *t)
{
	if (writable_stream(t))
		first_part(writable_stream(t));
}

bool
tt_rows_next(const struct tt_table *t)
{
	return writable_stream(t) && next_part(writable_stream(t));
}

static bool
column_empty(const struct tt_table *t, size_t col)
{
	for (size_t row = 0; row < t->nrow; row++)
		if (!t->cell[row * t->ncol + col].empty)
			return false;
	return true;
}

/* Return by column whether some row has a value. */
static const bool *
filled(struct tt_table *t)
{
	struct tt_stream *s = t->stream;

	if (s->filled || !(s->filled = tt_arena_alloc(&t->r->arena, t->ncol * sizeof *s->filled, &t->r->err)))
		return s->filled;
	tt_rows_first(t);
	do
		for (size_t col = 0; col < t->ncol; col++)
			s->filled[col] = s->filled[col] || !column_empty(t, col);
	while (tt_rows_next(t));
	tt_rows_first(t);
	return s->filled;
}

bool
tt_column_empty(const struct tt_table *t, size_t col)
{
	if (t->filled)
		return !t->filled[col];
	if (!t->stream)
		return column_empty(t, col);
	const bool *is = filled(writable_stream(t));
	return !is || !is[col];
}

void
tt_render_write_out(const struct tt_table *t, const struct tt_render_opts *o, struct tt_buf *out)
{
	enum { FLUSH_BYTES = 1 << 16 };
	struct tt_report *r = t->r;

	if (!o->write || out->n < FLUSH_BYTES || out->failed || r->err.code != TT_OK)
		return;
	o->write(o->arg, out->p, out->n, &r->err);
	out->n = 0;
}

/* --- order -------------------------------------------------------------- */

struct order {
	const struct tt_table *t;
	size_t by;
	bool reverse;
};

/* Return the size of one step of a cell's unit, in the unit as written. */
static double
step(const struct tt_cell *c)
{
	return c->unit == TT_UNIT_MILLI ? 0.001 : c->unit == TT_UNIT_PERCENT ? 0.01 : 1;
}

/* Compare by the natural order of a column: numbers largest first, text ascending. */
static int
compare_values(enum tt_unit unit, const struct tt_cell *a, const struct tt_cell *b)
{
	if (tt_unit_is_text(unit))
		return strcmp(a->s, b->s);
	if (unit == TT_UNIT_VALUE && a->unit != b->unit) {
		double x = (double)a->v * step(a), y = (double)b->v * step(b);

		return TT_CMP(y, x);
	}
	return TT_CMP(b->v, a->v);
}

static int
compare_cells(enum tt_unit unit, const struct tt_cell *a, const struct tt_cell *b, bool reverse)
{
	int c;

	if (a->empty || b->empty)
		return a->empty - b->empty;
	c = compare_values(unit, a, b);
	return reverse ? -c : c;
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct tt_cell *x = a, *y = b;
	int c = compare_cells(o->t->col[o->by].unit, &x[o->by], &y[o->by], o->reverse);

	for (size_t i = 0; c == 0 && i < o->t->ncol; i++)
		c = compare_cells(o->t->col[i].unit, &x[i], &y[i], false);
	return c;
}

static int
no_column(const struct tt_table *t, const char *by, struct tt_err *err)
{
	char list[320] = "";
	size_t n = 0;

	for (size_t i = 0; i < t->ncol && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", t->col[i].id);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "table %s has no column \"%s\"; it has %s", t->id, by, list);
}

static void
sort(struct tt_table *t, struct order *o)
{
	tt_sort_bytes_by(t->cell, t->nrow, t->ncol * sizeof *t->cell, compare_rows, o);
}

size_t
tt_column_called(const struct tt_col *col, size_t n, const char *word)
{
	size_t i = 0;

	while (i < n && strcmp(col[i].id, word) != 0)
		i++;
	for (size_t k = 0; i == n && k < n; k++) {
		const size_t len = strlen(col[k].title);

		if (strncasecmp(col[k].title, word, len) == 0 && (word[len] == '\0' || strcmp(word + len, tt_column_suffix(col[k].unit)) == 0))
			i = k;
	}
	return i;
}

/* Parse ${by} into column and direction. */
static int
order_by(struct order *o, const char *by, struct tt_err *err)
{
	o->reverse = *by == '-';
	by += o->reverse;
	o->by = tt_column_called(o->t->col, o->t->ncol, by);
	return o->by < o->t->ncol ? TT_OK : no_column(o->t, by, err);
}

int
tt_table_sort(struct tt_table *t, const char *by, struct tt_err *err)
{
	struct order o = { .t = t };
	int rc;

	if (!by || t->facts || t->tree || t->whole)
		return TT_OK;
	if ((rc = order_by(&o, by, err)) != TT_OK)
		return rc;
	t->answer = o.by;
	if (t->stream)
		t->stream->by = by;
	else
		sort(t, &o);
	return TT_OK;
}

static void
cut(struct tt_table *t, size_t limit)
{
	if (limit == 0 || t->nrow <= limit)
		return;
	t->hidden += t->nrow - limit;
	t->nrow = limit;
}

/* From the first cut on, the first keep.n rows are in order. */
static int
compare_with_last_kept(const struct tt_table *t, size_t ncol)
{
	const struct tt_cell *last = t->cell + (t->keep.n - 1) * t->ncol, *row = t->cell + (t->nrow - 1) * t->ncol;
	int c = compare_cells(t->col[t->keep.by].unit, &row[t->keep.by], &last[t->keep.by], t->keep.reverse);

	for (size_t i = 0; c == 0 && i < ncol; i++)
		c = compare_cells(t->col[i].unit, &row[i], &last[i], false);
	return c;
}

/* Cut the last row if it comes after those that are kept; if there are twice as many rows, cut all others. */
static void
drop_rows(struct tt_table *t)
{
	struct order o = { t, t->keep.by, t->keep.reverse };

	if (t->hidden && compare_with_last_kept(t, t->ncol) >= 0) {
		cut(t, t->nrow - 1);
	} else if (t->nrow / 2 >= t->keep.n) {
		sort(t, &o);
		cut(t, t->keep.n);
	}
}

void
tt_table_keep(struct tt_table *t, const char *by, size_t n)
{
	struct order o = { .t = t };

	if (n == 0 || order_by(&o, by, &t->r->err) != TT_OK)
		return;
	t->keep.n = n;
	t->keep.by = o.by;
	t->keep.reverse = o.reverse;
}

bool
tt_row_is_cut(const struct tt_table *t, size_t ncol)
{
	return t->keep.n && t->hidden && t->nrow > t->keep.n && compare_with_last_kept(t, ncol) > 0;
}

struct tt_cell *
tt_row(struct tt_table *t)
{
	struct tt_report *r = t->r;
	struct tt_cell *cell = r->spare_row;

	if (t->keep.n && t->nrow > t->keep.n)
		drop_rows(t);
	if (r->err.code == TT_OK &&
	    tt_mem_grow(r->mem, &t->cell, &t->caprow, t->nrow + 1, t->ncol * sizeof *t->cell, &r->err) == TT_OK)
		cell = &t->cell[t->nrow++ * t->ncol];
	/* The slot may hold a row that the limit has cut. */
	for (size_t c = 0; c < t->ncol; c++)
		cell[c] = (struct tt_cell){ .empty = true };
	return cell;
}

/* Read the rows of the stream into the table, and keep the first ${limit} of them; 0: all. Up to twice as many are in memory meanwhile. */
static void
keep_stream(struct tt_table *t, size_t limit)
{
	struct tt_stream *s = t->stream;
	struct tt_report *r = t->r;
	struct tt_table all = *t;
	struct order o = { .t = &all };

	if (s->by)
		order_by(&o, s->by, &r->err);
	all.cell = NULL;
	all.nrow = all.caprow = 0;
	all.stream = NULL;
	s->keeps = true;
	s->part = 0;
	for (tt_rows_first(t); t->nrow > 0 && r->err.code == TT_OK; tt_rows_next(t)) {
		if (limit && !s->by && all.nrow == limit) {
			all.hidden += t->nrow;
			continue;
		}
		if (tt_mem_grow(r->mem, &all.cell, &all.caprow, all.nrow + t->nrow, t->ncol * sizeof *t->cell, &r->err) != TT_OK)
			break;
		memcpy(all.cell + all.nrow * t->ncol, t->cell, t->nrow * t->ncol * sizeof *t->cell);
		all.nrow += t->nrow;
		if (s->by && limit && all.nrow / 2 > limit)
			sort(&all, &o);
		if (!s->by || all.nrow / 2 > limit)
			cut(&all, limit);
	}
	if (s->by)
		sort(&all, &o);
	cut(&all, limit);
	free_cells(r, t);
	*t = all;
}

void
tt_table_limit(struct tt_table *t, size_t limit)
{
	if (t->stream && (limit || t->stream->by))
		keep_stream(t, limit);
	else if (!t->stream && !t->facts && !t->whole)
		cut(t, limit);
}

/* --- rows that are alike ---------------------------------------------------------- */

void
tt_cell_group(struct tt_cell *c, const char *label, uint32_t id)
{
	tt_cell_text(c, label);
	c->v = id;
}

struct alike { const struct tt_table *t; uint64_t key; };

static int
compare_alike(const struct tt_cell *x, const struct tt_cell *y)
{
	int c = 0;

	if (x->empty || y->empty)
		return x->empty - y->empty;
	if (x->s && y->s)
		c = strcmp(x->s, y->s);
	return c ? c : TT_CMP(x->v, y->v);
}

static int
by_key(const void *a, const void *b, void *arg)
{
	const struct tt_cell *x = a, *y = b;
	const struct alike *by = arg;
	int c = 0;

	for (size_t i = 0; i < by->t->ncol && c == 0; i++)
		if (by->key >> i & 1)
			c = compare_alike(&x[i], &y[i]);
	return c;
}

/* Add a row to the row of its group. */
static void
join_row(const struct tt_table *t, uint64_t sum, bool counted, struct tt_cell *to, const struct tt_cell *row)
{
	for (size_t i = 0; i < t->ncol; i++)
		if (sum >> i & 1 && !row[i].empty)
			tt_cell_int(&to[i], (to[i].empty ? 0 : to[i].v) + row[i].v);
	to[t->ncol - 1].v += counted;
}

void
tt_table_group(struct tt_table *t, uint64_t key, uint64_t sum)
{
	struct alike by = { t, key };
	size_t size = t->ncol * sizeof *t->cell, n = 0;
	bool counted = !((key | sum) >> (t->ncol - 1) & 1);

	tt_sort_bytes_by(t->cell, t->nrow, size, by_key, &by);
	for (size_t i = 0; i < t->nrow; i++) {
		struct tt_cell *row = t->cell + i * t->ncol, *to = t->cell + n * t->ncol;

		if (n > 0 && by_key(to - t->ncol, row, &by) == 0) {
			join_row(t, sum, counted, to - t->ncol, row);
			continue;
		}
		memmove(to, row, size);
		for (size_t k = 0; k < t->ncol; k++)
			to[k].empty |= !((key | sum) >> k & 1);
		if (counted)
			tt_cell_int(&to[t->ncol - 1], 1);
		n++;
	}
	t->nrow = n;
}
