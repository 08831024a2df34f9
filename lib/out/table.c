/**
 * Reports, tables, sorting; the contract is in table.h.
 */
#include "out/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/render.h"

void
tt_report_init(struct tt_report *r, struct tt_mem *mem)
{
	*r = (struct tt_report){ .mem = mem };
	tt_arena_init(&r->arena, mem);
}

static void
free_cells(struct tt_report *r, struct tt_table *t)
{
	tt_mem_free(r->mem, t->cell, t->caprow * t->ncol * sizeof *t->cell);
	t->cell = NULL;
	t->nrow = t->caprow = 0;
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
tt_report_table(struct tt_report *r, const char *id, const char *title, const struct tt_col *col, size_t ncol,
    struct tt_table **table, struct tt_err *err)
{
	struct tt_table *t = tt_arena_alloc(&r->arena, sizeof *t, err);

	if (!t)
		return err ? err->code : TT_E_NOMEM;
	t->id = id;
	t->title = title;
	t->col = col;
	t->ncol = ncol;
	if (r->last)
		r->last->next = t;
	else
		r->first = t;
	r->last = t;
	*table = t;
	return TT_OK;
}

int
tt_table_row(struct tt_report *r, struct tt_table *t, struct tt_cell **cell, struct tt_err *err)
{
	int rc = tt_mem_grow(r->mem, &t->cell, &t->caprow, t->nrow + 1, t->ncol * sizeof *t->cell, err);

	if (rc != TT_OK)
		return rc;
	*cell = &t->cell[t->nrow++ * t->ncol];
	/* The slot may have held a row that the limit cut. */
	for (size_t c = 0; c < t->ncol; c++)
		(*cell)[c] = (struct tt_cell){ .empty = true };
	return TT_OK;
}

int
tt_report_note(struct tt_report *r, const char *severity, const char *id, const char *text, struct tt_err *err)
{
	struct tt_note *n = tt_arena_alloc(&r->arena, sizeof *n, err);

	if (!n || !(n->severity = tt_arena_text(&r->arena, severity, strlen(severity), err)) ||
	    !(n->id = tt_arena_text(&r->arena, id, strlen(id), err)) ||
	    !(n->text = tt_arena_text(&r->arena, text, strlen(text), err)))
		return err ? err->code : TT_E_NOMEM;
	if (r->last_note)
		r->last_note->next = n;
	else
		r->note = n;
	r->last_note = n;
	return TT_OK;
}

char *
tt_report_text(struct tt_report *r, struct tt_err *err, const char *fmt, ...)
{
	va_list ap, again;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		tt_nomem(err);
	else
		s = tt_arena_alloc(&r->arena, (size_t)n + 1, err);
	if (s)
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

/* Is the table among the chosen? */
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

/* --- order -------------------------------------------------------------- */

struct order {
	const struct tt_table *t;
	size_t by;
	bool reverse;
};

/* How much one step of a unit is, as it is written. */
static double
step(const struct tt_cell *c)
{
	return c->unit == TT_UNIT_MILLI ? 0.001 : c->unit == TT_UNIT_PERCENT ? 0.01 : 1;
}

/* The natural order of one column: numbers largest first, text ascending. */
static int
compare_values(enum tt_unit unit, const struct tt_cell *a, const struct tt_cell *b)
{
	if (tt_unit_is_text(unit))
		return strcmp(a->s, b->s);
	if (unit == TT_UNIT_VALUE && a->unit != b->unit) {
		double x = (double)a->v * step(a), y = (double)b->v * step(b);

		return (x < y) - (x > y);
	}
	return (a->v < b->v) - (a->v > b->v);
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

int
tt_table_sort(struct tt_table *t, const char *by, struct tt_err *err)
{
	struct order o = { .t = t };

	if (!by || t->facts || t->tree || t->whole)
		return TT_OK;
	o.reverse = *by == '-';
	by += o.reverse;
	while (o.by < t->ncol && strcmp(t->col[o.by].id, by) != 0)
		o.by++;
	if (o.by == t->ncol)
		return no_column(t, by, err);
	if (t->nrow > 1)
		qsort_r(t->cell, t->nrow, t->ncol * sizeof *t->cell, compare_rows, &o);
	return TT_OK;
}

void
tt_table_limit(struct tt_table *t, size_t limit)
{
	if (limit == 0 || t->nrow <= limit || t->facts || t->whole)
		return;
	t->hidden += t->nrow - limit;
	t->nrow = limit;
}

int
tt_render(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err)
{
	switch (o->form) {
	case TT_RENDER_JSON:
		return tt_render_json(r, o, out, err);
	case TT_RENDER_CSV:
		return tt_render_csv(r, o, out, err);
	case TT_RENDER_MARKDOWN:
		return tt_render_markdown(r, o, out, err);
	case TT_RENDER_TEXT:
		break;
	}
	return tt_render_text(r, o, out, err);
}
