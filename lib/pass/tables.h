/**
 * Chooses what `tracetool stats` prints of a model: notes, tables, and their number of rows. Every output that promises "as tracetool stats prints them" uses
 * these functions.
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

/* Number of rows of a table that text shows by default. */
#define TT_TEXT_ROWS 20

/* Add notes on the whole capture: losses, certainty of the layout, the span of a flight recording, caveats. */
void tt_capture_notes(const struct tt_loss *loss, const struct tt_model *m, struct tt_report *r);

/* The needs (enum tt_needs) of the tables that ${o} names or, if it names none, of the standard ones. */
unsigned tt_tables_needs(const struct tt_pass_opts *o);

/**
 * tt_tables_fill(view, o, r):
 * Make the tables that ${o} wants, and notes on filters and groups, at the end of ${r}. With o->group, tables without such groups are made only if named.
 */
void tt_tables_fill(struct tt_views *view, const struct tt_pass_opts *o, struct tt_report *r);

/* Cut tables to ${rows} rows, 0: no limit; trees, which have their own thresholds, only if ${trees}. */
void tt_tables_cut(struct tt_report *r, size_t rows, bool trees);

#endif
