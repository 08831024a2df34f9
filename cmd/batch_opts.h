/**
 * The options of tracetool batch, the checks between them, and the hash of those that results depend on.
 */
#ifndef TT_CMD_BATCH_OPTS_H
#define TT_CMD_BATCH_OPTS_H

#include "verb_batch.h"
#include "verb_gate.h"
#include "input.h"

struct tt_one_opts;

/* The folder for files made of captures, below the output directory. */

/* Bits of what to do. */
enum batch_what { BATCH_STATS = 1, BATCH_CONVERT = 2, BATCH_GATE = 4 };

struct batch_opts {
	struct input_opts in;
	struct summary_opts sum;
	struct gate_opts gate;
	struct tt_opt_given given;
	struct tt_list what, to;
	int per_capture;              /* enum tt_render; -1: no report per capture */
	const char *dir, *root;
	uint64_t depth;
	struct tt_shard shard;
	uint64_t shard_index, shard_count;    /* --shard-index, from 0, UINT64_MAX: not given; --shard-count, 0: not given */
	bool shard_auto;              /* --shard auto */
	bool resume, verify, plan, merge, partial;
	bool tables;                  /* true: results hold markers and allocation sites, for a database */
	int64_t capture_ns, log_ns;
	uint64_t decoded_max, ratio_max, members_max, unpack_memory, spool_memory;
};

/**
 * batch_shard(app, o, err):
 * Set o->shard from the options; if they leave the choice to the environment, print the chosen shard.
 * Errors: TT_E_USAGE if options or variables of the environment are missing, or contradict each other.
 */
int batch_shard(struct app *app, struct batch_opts *o, struct tt_err *err);

unsigned batch_work_of(const struct batch_opts *o);

/* Fail with TT_E_USAGE if options contradict each other. */
int batch_check(const struct batch_opts *o, struct tt_err *err);

/* Store in *${by} a hash of everything that results depend on: version and options. */
int batch_sign(const struct batch_opts *o, const struct tt_one_opts *one, uint64_t *by, struct tt_err *err);

#endif
