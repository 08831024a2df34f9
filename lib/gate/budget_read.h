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
	struct tt_map row_at;         /* finds the rows read so far by id */
	struct tt_map measure_at;     /* finds the measures read so far by key */
};

/* Free the maps; the budget stays. */
void tt_budget_reader_free(struct tt_budget_reader *rd);

/* Read the object ${row} into ${r}, the next row of the budget. */
int tt_budget_read_row(struct tt_budget_reader *rd, const struct tt_node_at *row, struct tt_budget_row *r,
    struct tt_err *err);

/* Find or add ${x} in the budget's list of measures, which has room; *${which}: its index. */
int tt_budget_measure(struct tt_budget_reader *rd, struct tt_measure *x, size_t *which, struct tt_err *err);

/* Read ${v}, if present, as a pattern of names: not empty, and valid if it is a regular expression. */
int tt_budget_pattern(const struct tt_node_at *v, const char **pattern, struct tt_err *err);

/* Parse "5%" as parts per million. Return NULL, or the error text. */
const char *tt_budget_percent(const char *text, int64_t *ppm);

#endif
