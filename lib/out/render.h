/**
 * Shared by the renderers; private to lib/out.
 */
#ifndef TT_OUT_RENDER_H
#define TT_OUT_RENDER_H

#include "out/table.h"

void tt_render_text(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out);
void tt_render_json(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out);
void tt_render_csv(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out);
void tt_render_markdown(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out);
void tt_render_html(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out);

/* Maximum bytes of a number in any form. */
#define TT_CELL_MAX 64

static inline const struct tt_cell *
tt_table_cell(const struct tt_table *t, size_t row, size_t col)
{
	return &t->cell[row * t->ncol + col];
}

/**
 * tt_cell_machine(p, unit, cell):
 * Write a number that is not empty in its form for machines; return the end. Not for text.
 */
char *tt_cell_machine(char *p, enum tt_unit unit, const struct tt_cell *cell);

/**
 * tt_cell_human(p, unit, cell):
 * Write any cell except text in its form for people. Times and bytes have their unit; that of percentages is in the heading.
 */
char *tt_cell_human(char *p, enum tt_unit unit, const struct tt_cell *cell);

/* Write a cell of a fact, which has no heading: times exact to three decimals, percentages with their unit. */
char *tt_cell_fact(char *p, enum tt_unit unit, const struct tt_cell *cell);

/* After a row: if the options have a writer and ${out} is long, write it out and empty it. */
void tt_render_write_out(const struct tt_table *t, const struct tt_render_opts *o, struct tt_buf *out);

/* True if no row has a value in this column, so that text leaves it out. */
bool tt_column_empty(const struct tt_table *t, size_t col);

/* Return the unit that the heading adds to the column's title: " %" or "". */
const char *tt_column_suffix(enum tt_unit unit);

/* True if this column holds numbers, which are right-aligned. */
static inline bool
tt_unit_right(enum tt_unit unit)
{
	return !tt_unit_is_text(unit) && unit != TT_UNIT_BOOL;
}

#endif
