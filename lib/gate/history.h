/**
 * The sessions of a baseline over time: a figure of each, and where it changes its level (stat/levels.h).
 */
#ifndef TT_GATE_HISTORY_H
#define TT_GATE_HISTORY_H

#include "base/mem.h"
#include "gate/baseline.h"

struct tt_history_session {
	const struct tt_baseline_session *session;
	const struct tt_sample *first;        /* of its captures with the figure */
	size_t captures;              /* with the figure */
	bool compared;                /* it is the last accepted session, or later */
	int64_t v;                    /* their trimmed mean, as sessions are judged by: stat/session.h */
};

struct tt_history_level {
	size_t from, n;               /* its sessions */
	int64_t v;                    /* their mean */
};

struct tt_history {
	enum tt_dim dim;
	struct tt_history_session *session;   /* those with the figure, the oldest first */
	size_t nsession;
	struct tt_history_level *level;
	size_t nlevel;
};

/**
 * tt_history_of(b, row, x, which, h, a, mem, err):
 * The history of the measure ${x}, which is measure number ${which} of the budget that ${b} was read for, of the captures that ${row} means
 * (NULL: of all). Sessions before the last accepted one are part of it. Everything in ${a}.
 */
int tt_history_of(const struct tt_baseline *b, const struct tt_budget_row *row, const struct tt_measure *x, size_t which, struct tt_history *h,
    struct tt_arena *a, struct tt_mem *mem, struct tt_err *err);

struct tt_history_figure {
	const char *base;             /* the baseline's file; NULL: there is only one */
	const char *name;             /* its row of the budget, or its metric */
	const char *title;            /* in words: "frame time, median" */
	struct tt_history h;
};

#endif
