/**
 * Tables that commands other than stats print, for tracetool explain. Each list ends with a table without an id.
 */
#ifndef TT_CMD_COMMAND_TABLES_H
#define TT_CMD_COMMAND_TABLES_H

#include "pass/pass.h"

extern const struct tt_pass_table history_tables[], baseline_tables[], plan_tables[];

#endif
