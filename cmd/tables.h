/**
 * The tables of all passes by id: what --table chooses from.
 */
#ifndef TT_CMD_TABLES_H
#define TT_CMD_TABLES_H

#include "pass/pass.h"

/* The ${i}th table's id over all passes, NULL after the last. */
const char *table_id(size_t i);

/* The same, and after them the names of those passes that are no table's id. */
const char *table_or_pass(size_t i);

/* The table, or the pass, of this name; NULL if there is none. */
const struct tt_pass_table *table_named(const char *id);
const struct tt_pass *pass_named(const char *name);

#endif
