/**
 * The options of tracetool stats and of the command without a verb.
 */
#ifndef TT_CMD_STATS_OPTS_H
#define TT_CMD_STATS_OPTS_H

#include "gate/series.h"
#include "input.h"
#include "option/opts.h"
#include "pass/pass.h"
#include "report_opts.h"

#define TRACK_MAX 64

struct stats_opts {
	struct input_opts in;
	struct report_opts out;
	struct tt_opt_given given;
	struct tt_list table;
	const char *sort;
	const char *perf_test;        /* where to write results of the Performance Testing package */
	uint64_t limit;
	struct tt_pass_opts pass;
	struct tt_list budget;       /* pass.budget, pass.nbudget */
	uint64_t find_size;           /* UINT64_MAX: none */
	struct tt_list find_type, track;
	uint64_t track_addr[TRACK_MAX];
	struct tt_metric_series metric;
	const char *group_by;
	enum tt_group group;          /* as group_by */
};

/* True if options ask for tables; otherwise the summary is printed. */
bool stats_asks_for_tables(const struct stats_opts *s);

/* Add the tables that options ask for. */
int stats_add_tables(struct stats_opts *s, struct tt_arena *a, struct tt_err *err);

#endif
