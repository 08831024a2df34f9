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
 * Print the totals. ${all}: number of captures that have results now, including those of earlier runs; 0: unknown. ${failures}: how many of these results are
 * of captures that failed or are damaged.
 */
void batch_say_end(struct batch *b, uint64_t all, uint64_t failures);

/*
 * Do ${one} for each capture, with at most ${memory} bytes each and files in ${dir}; or print what that will cost. TT_END: nothing to add up. If too many
 * captures failed, app->verdict is set.
 */
int batch_work(struct batch *b, const struct tt_one_opts *one, uint64_t memory, int dir, struct tt_err *err);

#endif
