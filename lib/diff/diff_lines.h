/**
 * The tables of a comparison that hold times, and what all its tables share; private to lib/diff.
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
	uint32_t *root;               /* by node: its thread, or the node itself where it is in none */
};

/* A table: its columns, and what makes its rows. */
struct tt_diff_form {
	const struct tt_col *col;
	size_t ncol;
	void (*fill)(const struct tt_diff_ctx *x, struct tt_table *t);
};
extern const struct tt_diff_form tt_diff_classes, tt_diff_markers, tt_diff_others, tt_diff_threads, tt_diff_changed,
    tt_diff_paths, tt_diff_calltree, tt_diff_quantiles, tt_diff_budgets, tt_diff_spread, tt_diff_worst, tt_diff_pair;

/* The size of a difference, whatever its sign. */
uint64_t tt_diff_size(int64_t v);

/* ${n} in thousandths per frame or capture. */
int64_t tt_diff_rate(const struct tt_diff *d, unsigned side, uint64_t n);

/* "new", "gone", or NULL. */
const char *tt_diff_state(bool before, bool after);

/* True if row ${i} may be shown within the limit. Unchanged rows never are: they are part of the row for the rest. */
bool tt_diff_shown(const struct tt_diff_ctx *x, size_t i, bool changed);

/* The name of that row: "(12 more)". */
const char *tt_diff_rest(const struct tt_diff_ctx *x, size_t n);

#endif
