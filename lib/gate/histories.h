/**
 * The figures of several baselines over their sessions.
 */
#ifndef TT_GATE_HISTORIES_H
#define TT_GATE_HISTORIES_H

#include "base/env.h"
#include "base/list.h"
#include "gate/history.h"

struct tt_budget;

struct tt_histories {
	struct tt_env *env;
	struct tt_arena *a;
	const char *const *base;      /* paths of the baselines */
	size_t nbase;
	const struct tt_list *row;    /* patterns of figure names; empty: the usual figures, or all rows of the budget */
	struct tt_budget *budget;
	bool has_budget;              /* true: budget is the user's, with rows; false: that of tt_budget_none() */
	struct tt_history_figure *f;  /* result: the chosen figures of all baselines */
	size_t n, cap;
};

/* Read all files. TT_E_USAGE if no figure has a requested name. */
int tt_histories_read(struct tt_histories *x, struct tt_err *err);

#endif
