/**
 * The tables that are asked for, and whether what else is asked for applies to them.
 */
#ifndef TT_PASS_CHOICE_H
#define TT_PASS_CHOICE_H

#include <stdbool.h>

#include "view/group.h"

struct tt_err;

struct tt_table_choice {
	const char *const *table;     /* ids of tables and names of passes, NULL-terminated; NULL: the standard ones */
	enum tt_group group;
};

/* Each of these fails with TT_E_USAGE and says what there is. */

/* Fail if none of the tables has the column ${id}. */
int tt_choice_check_column(const struct tt_table_choice *c, const char *id, struct tt_err *err);

/* Fail if none of the tables has parts of the time. */
int tt_choice_check_parts(const struct tt_table_choice *c, struct tt_err *err);

/* Fail if a table that can be wide has no figure ${column}. *${any}: there is such a table. */
int tt_choice_check_wide(const struct tt_table_choice *c, const char *column, bool *any, struct tt_err *err);

/* Group rows by ${key}. */
int tt_choice_set_group(struct tt_table_choice *c, const char *key, struct tt_err *err);

#endif
