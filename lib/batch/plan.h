/**
 * Estimates what a batch will cost on one machine or on many, before it runs.
 */
#ifndef TT_BATCH_PLAN_H
#define TT_BATCH_PLAN_H

#include "batch/scheduler.h"
#include "pass/pass.h"

struct tt_arena;
struct tt_batch_files;
struct tt_report;

struct tt_batch_plan_opts {
	struct tt_batch_files *files;         /* their split into shards is destroyed */
	const struct tt_scheduler_opts *many; /* how the batch would run */
	unsigned shards;              /* number of shards asked for; 0: choose it */
	bool divide;                  /* true: shards may share large archives */
};

/**
 * tt_batch_plan(env, o, r, a, err):
 * Analyse some of the files, without keeping a result, and add to ${r} the tables of what all of them will cost. Texts are in ${a}.
 * Errors: those of tt_scheduler_run(); TT_E_UNKNOWN where there is no file.
 */
int tt_batch_plan(struct tt_env *env, const struct tt_batch_plan_opts *o, struct tt_report *r, struct tt_arena *a, struct tt_err *err);

#endif
