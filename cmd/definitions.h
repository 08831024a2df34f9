/**
 * Everything with a name and a definition: tables, columns, metrics of budgets, kinds of loss, notes on reports, terms, zones that tracetool adds. "tracetool
 * list" prints them by kind, "tracetool explain" by name, and man/tables.py makes the manual's lists of them.
 *
 * A definition is kept with the thing it defines (struct tt_col, tt_metrics, tt_loss_info); all others are in the glossary (model/glossary.h).
 */
#ifndef TT_CMD_DEFINITIONS_H
#define TT_CMD_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>

struct tt_report;

/* DEF_OTHER: columns of commands that are neither stats, info nor the summary. */
enum definition_kind { DEF_TABLE, DEF_COLUMN, DEF_OTHER, DEF_METRIC, DEF_LOSS, DEF_NOTE, DEF_TERM, DEF_ZONE, DEF_KINDS };

#define DEF_NAMES 3
struct definition {
	enum definition_kind kind;
	const char *name[DEF_NAMES];  /* its names, that for programs first, that for people last; NULL after the last */
	const void *of;               /* by kind: struct tt_pass_table, tt_metric, tt_loss_info, tt_glossary_word */
	const void *in;               /* a column's struct tt_col */
	const char *command;          /* that prints the table, or the column's; NULL: stats --table */
};

/* Call ${f} with every definition, kind by kind. */
typedef void definition_fn(void *arg, const struct definition *d);
void definitions_each(definition_fn *f, void *arg);

/*
 * Add a row with ${d} to the table of its kind at the end of ${r}, which the first row makes; of a table in ${brief}: without the names of its columns and with
 * TABLE for its own name in the command.
 */
void definition_row(struct tt_report *r, const struct definition *d, bool brief);

#endif
