/**
 * A comparison as tables.
 */
#ifndef TT_DIFF_DIFF_REPORT_H
#define TT_DIFF_DIFF_REPORT_H

#include <stddef.h>

struct tt_diff;
struct tt_pass_table;
struct tt_report;

struct tt_diff_report_opts {
	const char *const *table;     /* ids of tables, NULL-terminated; NULL: all except the extra ones */
	size_t rows;                  /* maximum rows of a table, before one for the rest; 0: unlimited */
	size_t branches;              /* maximum rows of the call tree, those with the most time; 0: unlimited */
};

/* The id of the ${i}th table that options can choose; NULL after the last. */
const char *tt_diff_table_id(size_t i);

/* Get id, title and columns of the ${i}th table, that of the verdict last; return false after the last. */
bool tt_diff_table(size_t i, struct tt_pass_table *t);

/**
 * tt_diff_report(d, o, r):
 * Append the tables of a finished comparison to ${r}. Borrows texts of ${d}, which must live as long as ${r}.
 */
void tt_diff_report(const struct tt_diff *d, const struct tt_diff_report_opts *o, struct tt_report *r);

#endif
