/**
 * The columns of a plan's tables, by their places.
 */
#ifndef TT_BATCH_PLAN_TABLES_H
#define TT_BATCH_PLAN_TABLES_H

#include "pass/pass.h"

/* Places in tt_batch_plan_tables. */
enum plan_table { PLAN_SUM, PLAN_KINDS, PLAN_NODES };

enum { S_FILES, S_BYTES, S_CAPTURES, S_HOURS, S_TIME, S_SHARDS, S_CORES, S_MEMORY, S_LIMIT, S_N };
enum { K_KIND, K_FILES, K_BYTES, K_CAPTURES, K_SAMPLE, K_SPEED, K_HOURS, K_N };
enum { N_NODES, N_SHARDS, N_WALL, N_SLOW, N_LOST, N_EVEN, N_N };

extern const struct tt_pass_table tt_batch_plan_tables[];     /* the last entry has no id */

#endif
