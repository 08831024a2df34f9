/**
 * Shared by budget.c (the document) and budget_row.c (a row of it).
 */
#ifndef TT_GATE_BUDGET_READ_H
#define TT_GATE_BUDGET_READ_H

#include "base/map.h"
#include "gate/budget.h"
#include "gate/doc.h"

struct tt_budget_reader {
	struct tt_budget *b;
	struct tt_arena *a;
	struct tt_map row_at;         /* rows so far, by their id */
	struct tt_map measure_at;     /* measures so far, by their key */
};

/* Free the maps; what was read stays. */
void tt_budget_reader_free(struct tt_budget_reader *rd);

/* Read the object ${row} into ${r}, which is the next of the budget's. */
int tt_budget_read_row(struct tt_budget_reader *rd, const struct tt_node_at *row, struct tt_budget_row *r,
    struct tt_err *err);

/* The place *${which} of ${x} in the budget's list of measures, added if it is new; there is room. */
int tt_budget_measure(struct tt_budget_reader *rd, struct tt_measure *x, size_t *which, struct tt_err *err);

/* The text ${v}, where there is one, as a pattern of names: not empty, and if it is a regular expression a good one. */
int tt_budget_pattern(const struct tt_node_at *v, const char **pattern, struct tt_err *err);

/* "5%" as parts of a million. Returns NULL, or the error. */
const char *tt_budget_percent(const char *text, int64_t *ppm);

#endif
