/**
 * What a capture shows, on one screen: for `tracetool FILE` and `tracetool record`.
 */
#ifndef TT_CMD_SUMMARY_H
#define TT_CMD_SUMMARY_H

#include <stddef.h>

struct app;
struct opt_given;
struct opt_list;
struct tt_pass_table;
struct tt_report;
struct tt_views;

/* What the run needs for it: enum tt_needs. */
extern const unsigned summary_needs;

/* Add the tables of the summary to ${r}. Its commands look at the same: with the options ${given}, at ${files}. */
void summary_fill(struct tt_views *view, const struct opt_given *given, const struct opt_list *files, struct tt_report *r);

/* These tables, for `tracetool list metrics`. */
const struct tt_pass_table *summary_tables(size_t *n);

#endif
