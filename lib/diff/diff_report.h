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
	const char *const *table;     /* ids, NULL-terminated; NULL: all but the extra ones */
	size_t rows;                  /* of a table, the rest being one row more; 0 all */
	size_t branches;              /* rows of the call tree, those with the most time; 0 all */
};

/* The tables that options choose from, NULL after the last. */
const char *tt_diff_table_id(size_t i);

/* Id, title and columns of the ${i}th table, the verdict's last; false after it. */
bool tt_diff_table(size_t i, struct tt_pass_table *t);

/**
 * tt_diff_report(d, o, r):
 * Append the tables of a finished comparison to ${r}.
 * Borrows: text of ${d}, which must live as long as ${r}.
 */
void tt_diff_report(const struct tt_diff *d, const struct tt_diff_report_opts *o, struct tt_report *r);

#endif
