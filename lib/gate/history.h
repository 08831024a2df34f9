/**
 * The sessions of a baseline over time: a figure of each, and where it changes its level (stat/levels.h).
 */
#ifndef TT_GATE_HISTORY_H
#define TT_GATE_HISTORY_H

#include "base/mem.h"
#include "gate/baseline.h"

struct tt_history_session {
	const struct tt_baseline_session *session;
	const struct tt_sample *first;        /* the first of its captures that has the figure */
	size_t captures;              /* number of its captures that have the figure */
	bool compared;                /* true: the last accepted session, or a later one */
	int64_t v;                    /* trimmed mean of its captures, as used for judging sessions (stat/session.h) */
};

struct tt_history_level {
	size_t from, n;               /* sessions [from, from + n) of this level */
	int64_t v;                    /* mean of these sessions */
};

struct tt_history {
	enum tt_dim dim;
	struct tt_history_session *session;   /* sessions that have the figure, oldest first */
	size_t nsession;
	struct tt_history_level *level;
	size_t nlevel;
};

/**
 * tt_history_of(b, row, x, which, h, a, mem, err):
 * Compute the history of the measure ${x}, number ${which} of the budget that ${b} was read for, over the captures that ${row} applies to (NULL: all). Sessions
 * before the last accepted one are included. Allocates in ${a}.
 */
int tt_history_of(const struct tt_baseline *b, const struct tt_budget_row *row, const struct tt_measure *x, size_t which, struct tt_history *h,
    struct tt_arena *a, struct tt_mem *mem, struct tt_err *err);

struct tt_history_figure {
	const char *base;             /* file of the baseline; NULL: there is only one */
	const char *name;             /* id of the budget row, or name of the metric */
	const char *title;            /* title: "frame time, median" */
	struct tt_history h;
};

#endif
