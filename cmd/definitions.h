/**
 * Everything with a name and a definition: tables, columns, metrics of budgets, kinds of loss, notes on reports, terms, zones that tracetool adds. "tracetool
 * list" prints them by kind or by name, and man/tables.py makes the manual's lists of them.
 *
 * A definition is kept with the thing that it defines (struct tt_col, tt_metrics, tt_loss_info); all others are in the glossary (model/glossary.h).
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
	const char *name[DEF_NAMES];  /* names, the one for programs first, the one for people last; NULL after the last */
	const void *of;               /* the thing defined, by kind: struct tt_pass_table, tt_metric, tt_loss_info, tt_glossary_word */
	const void *in;               /* the struct tt_col of a column */
	const char *command;          /* the command that prints the table, or the column's table; NULL: stats --table */
};

/* Call ${f} with every definition, kind by kind. */
typedef void definition_fn(void *arg, const struct definition *d);
void definitions_each(definition_fn *f, void *arg);

/*
 * Add a row with ${d} to the table of its kind in ${r}; the first row of a kind adds the table. ${brief} applies to tables: leave out the names of columns,
 * and write TABLE in place of the name in the command.
 */
void definition_row(struct tt_report *r, const struct definition *d, bool brief);

#endif
