/**
 * A batch at work; shared by verb_batch.c, which prepares and ends it, and batch_work.c, which runs it.
 */
#ifndef TT_CMD_BATCH_STATE_H
#define TT_CMD_BATCH_STATE_H

#include "verb_batch.h"
#include "batch/scheduler.h"
#include "run/run.h"

struct batch_opts;
struct tt_one_opts;

struct batch {
	struct app *app;
	const struct batch_opts *o;
	struct tt_batch_files files;
	struct tt_batch_store out;
	struct batch_gate gate;
	struct tt_run_opts run;       /* for every capture */
	struct tt_scheduler_sum sum;
	int64_t logged_ns;
	bool makes_files;
};

/*
 * Print the totals. ${all}: captures that have results now, those of earlier runs included; 0: not known. ${failures}: of these results, those of what failed
 * or is damaged.
 */
void batch_say_end(struct batch *b, uint64_t all, uint64_t failures);

/*
 * Do ${one} with each capture, at most ${memory} bytes each, files in ${dir}; or print what that will cost. TT_END: there is nothing to add up; if too many
 * captures failed, app->verdict says so.
 */
int batch_work(struct batch *b, const struct tt_one_opts *one, uint64_t memory, int dir, struct tt_err *err);

#endif
