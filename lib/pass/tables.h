/**
 * Chooses what `tracetool stats` prints of a model: notes, tables, and how many rows of them. Whoever promises "as tracetool stats prints them" makes it by
 * this.
 */
#ifndef TT_PASS_TABLES_H
#define TT_PASS_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct tt_loss;
struct tt_model;
struct tt_pass_opts;
struct tt_report;
struct tt_views;

/* Rows of a table that text shows where no number is asked for. */
#define TT_TEXT_ROWS 20

/* Notes on all of it: losses, how sure the layout is, what a flight recording kept, caveats. */
void tt_capture_notes(const struct tt_loss *loss, const struct tt_model *m, struct tt_report *r);

/* The needs (enum tt_needs) of the tables that ${o} names or, if it names none, of the standard ones. */
unsigned tt_tables_needs(const struct tt_pass_opts *o);

/**
 * tt_tables_fill(view, o, r):
 * Make these tables, and notes on filters and groups, at the end of ${r}. With o->group, tables that have no such groups are made only if named.
 */
void tt_tables_fill(struct tt_views *view, const struct tt_pass_opts *o, struct tt_report *r);

/* Cut tables to ${rows} rows, 0: none; trees, which have thresholds of their own, only if ${trees}. */
void tt_tables_cut(struct tt_report *r, size_t rows, bool trees);

#endif
