/**
 * The tables of times of a comparison, and what all its tables share; private to lib/diff.
 */
#ifndef TT_DIFF_DIFF_LINES_H
#define TT_DIFF_DIFF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diff/diff_report.h"

struct tt_table;

struct tt_diff_ctx {
	const struct tt_diff *d;
	const struct tt_diff_report_opts *o;
	struct tt_report *r;
	uint32_t *root;               /* by node: the node of its thread; itself if it is in none */
};

/* A table: its columns, and the function that fills its rows. */
struct tt_diff_form {
	const struct tt_col *col;
	size_t ncol;
	void (*fill)(const struct tt_diff_ctx *x, struct tt_table *t);
};
extern const struct tt_diff_form tt_diff_classes, tt_diff_markers, tt_diff_others, tt_diff_threads, tt_diff_changed,
    tt_diff_paths, tt_diff_calltree, tt_diff_quantiles, tt_diff_budgets, tt_diff_spread, tt_diff_worst, tt_diff_pair;

/* The absolute value of a difference. */
uint64_t tt_diff_size(int64_t v);

/* ${n} per frame or capture, in thousandths. */
int64_t tt_diff_rate(const struct tt_diff *d, unsigned side, uint64_t n);

/* "new" or "gone"; NULL if neither or both sides have it. */
const char *tt_diff_state(bool before, bool after);

/* True if row ${i} is within the limit of rows. Unchanged rows are never shown; they belong to the row for the rest. */
bool tt_diff_shown(const struct tt_diff_ctx *x, size_t i, bool changed);

/* The name of the row for the rest: "(12 more)". */
const char *tt_diff_rest(const struct tt_diff_ctx *x, size_t n);

#endif
