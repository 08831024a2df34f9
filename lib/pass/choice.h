/**
 * The tables that the user chose, and checks that other options apply to these tables.
 */
#ifndef TT_PASS_CHOICE_H
#define TT_PASS_CHOICE_H

#include <stdbool.h>

#include "view/group.h"

struct tt_err;

struct tt_table_choice {
	const char *const *table;     /* ids of tables and names of passes, NULL-terminated; NULL: the standard tables */
	enum tt_group group;
};

/* Each of these functions fails with TT_E_USAGE, and its message lists what is possible. */

/* Fail if none of the tables has the column ${id}. */
int tt_choice_check_column(const struct tt_table_choice *c, const char *id, struct tt_err *err);

/* Fail if none of the tables has parts of the time. */
int tt_choice_check_parts(const struct tt_table_choice *c, struct tt_err *err);

/* Fail if a table that can be wide has no figure ${column}. *${any}: true if a chosen table can be wide. */
int tt_choice_check_wide(const struct tt_table_choice *c, const char *column, bool *any, struct tt_err *err);

/* Group rows by ${key}. */
int tt_choice_set_group(struct tt_table_choice *c, const char *key, struct tt_err *err);

#endif
