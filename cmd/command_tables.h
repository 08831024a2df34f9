/**
 * Tables that commands make themselves, for tracetool explain. Each list ends with a table without an id.
 */
#ifndef TT_CMD_COMMAND_TABLES_H
#define TT_CMD_COMMAND_TABLES_H

#include "pass/pass.h"

extern const struct tt_pass_table baseline_tables[];

#endif
