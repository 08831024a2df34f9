/**
 * The options of tracetool ab.
 */
#ifndef TT_CMD_AB_OPTS_H
#define TT_CMD_AB_OPTS_H

#include "verb_gate.h"
#include "input.h"
#include "trial/trial.h"

struct ab_opts {
	struct tt_list words;        /* the words of both builds, with a "--" between them */
	uint64_t pairs, max_runs, warmup, seed, more_crashes;         /* UINT64_MAX: not given */
	int until;                    /* enum tt_trial_until */
	int64_t timeout;
	bool mono, resume;
	struct tt_list profile;
	const char *keep, *budget, *today;
	int inconclusive;             /* as in struct gate_opts */
	struct tt_verdict_outputs to;
	struct input_opts in;
};

#endif
