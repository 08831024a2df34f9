/**
 * Tables of figures over the sessions of baselines.
 */
#ifndef TT_GATE_HISTORY_TABLES_H
#define TT_GATE_HISTORY_TABLES_H

#include "gate/history.h"
#include "pass/pass.h"

struct tt_report;

extern const struct tt_pass_table tt_history_tables[];        /* ended by one without an id */

/* Add the tables of the ${n} figures. If not ${all}, a version for readers: sessions only if there is a single figure, and no columns of units. */
void tt_history_report(const struct tt_history_figure *figure, size_t n, bool all, struct tt_report *r);

#endif
