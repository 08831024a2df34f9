/**
 * What the renderers share; private to lib/out.
 */
#ifndef TT_OUT_RENDER_H
#define TT_OUT_RENDER_H

#include "out/table.h"

int tt_render_text(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err);
int tt_render_json(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err);
int tt_render_csv(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err);
int tt_render_markdown(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out,
    struct tt_err *err);

/* The longest a number gets in any human or machine form. */
#define TT_CELL_MAX 64

static inline const struct tt_cell *
tt_table_cell(const struct tt_table *t, size_t row, size_t col)
{
	return &t->cell[row * t->ncol + col];
}

/**
 * tt_cell_machine(p, unit, cell):
 * Write a number that is not empty as machines read it; return the end. Not for text.
 */
char *tt_cell_machine(char *p, enum tt_unit unit, const struct tt_cell *cell);

/**
 * tt_cell_human(p, unit, micro, cell):
 * Write any cell but text as people read it in a column, the unit being in the heading;
 * ${micro}: the column is in µs.
 */
char *tt_cell_human(char *p, enum tt_unit unit, bool micro, const struct tt_cell *cell);

/* The same with its unit behind it: for facts. */
char *tt_cell_fact(char *p, enum tt_unit unit, const struct tt_cell *cell);

/* Has no row a value here? Then people are spared the column. */
bool tt_column_empty(const struct tt_table *t, size_t col);

/* Are most values of this NS column below 0.1 ms, so that µs say more? */
bool tt_column_micro(const struct tt_table *t, size_t col);

/* What the heading adds to the column's title: " ms", " µs", " %" or "". */
const char *tt_column_suffix(enum tt_unit unit, bool micro);

/* Are numbers in this column? They stand to the right. */
static inline bool
tt_unit_right(enum tt_unit unit)
{
	return unit != TT_UNIT_TEXT && unit != TT_UNIT_BOOL;
}

#endif
