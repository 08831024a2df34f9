/**
 * Analysis passes: folds of the model into tables.
 *
 * The run keeps one call tree, counters, frames and totals (model/model.h); a pass says
 * what it needs of them and turns them into tables at report time. New pass: one file,
 * one line in registry.c.
 */
#ifndef TT_PASS_H
#define TT_PASS_H

#include "model/model.h"
#include "out/table.h"

struct tt_pass_opts {
	const char *const *budget;    /* extra frame budgets */
	int64_t budget_ns[16];
	unsigned nbudget;
	unsigned hitches;             /* worst frames to list; default 10 */
	int64_t threshold_e4;         /* calltree: hide below this share, in 1/10000; default 100 = 1 % */
	unsigned max_depth;           /* calltree; 0 none */
	bool bottom_up;
	const char *const *wait;      /* wait markers (globs) in place of the built-in table; NULL */
};

struct tt_pass {
	const char *name, *summary;
	unsigned needs;               /* enum tt_needs */
	bool standard;                /* part of `tracetool stats` without --table */
	int (*report)(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err);
	/* Tables it can make, for `tracetool list metrics` and --table; NULL-terminated ids, with columns. */
	const struct tt_pass_table { const char *id, *title; const struct tt_col *col; size_t ncol; } *tables;
	size_t ntables;
};

extern const struct tt_pass *const tt_passes[];      /* NULL-terminated */

/* Markers whose time is waiting, not work: names as the engine and Mono give them (globs). NULL-terminated. */
extern const char *const tt_wait_markers[];

#endif
