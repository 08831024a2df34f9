/**
 * The state of a trial. Private to lib/trial: trial.c (plan, pairs), trial_captures.c (samples of the runs, and rows), look.c (the verdict so far), process.c
 * (runs a build), trial_sample.c (reads a capture), trial_rows.c (rows without a budget), folder.c (the folder that keeps captures).
 */
#ifndef TT_TRIAL_STATE_H
#define TT_TRIAL_STATE_H

#include "base/env.h"
#include "gate/baseline.h"
#include "stat/pairs.h"
#include "trial/trial.h"

/* How a run ended. */
enum tt_trial_end { TT_RUN_NONE, TT_RUN_GOOD, TT_RUN_CRASHED };

struct tt_trial_run {
	enum tt_trial_end end;
	char name[24];                /* name of the run: "new 3" */
	const char *path;             /* path of the capture of a good run */
	char crash_text[100];         /* how it crashed: "signal 11 (Segmentation fault)" */
	bool is_read;
	struct tt_sample sample;
};

/* The input of a verdict: samples of both builds, and the counts of runs. */
struct tt_trial_judged {
	struct tt_sample s[TT_SIDES][TT_PAIRS_MAX];
	size_t pair[TT_SIDES][TT_PAIRS_MAX], n[TT_SIDES];
	struct tt_baseline base;
	struct tt_ab ab;
};

struct tt_trial {
	struct tt_env *env;
	const struct tt_trial_opts *o;
	struct tt_arena a;
	size_t nbuild[TT_SIDES];      /* number of words of each command */
	const char *command[TT_SIDES];        /* commands, quoted for a shell */
	const char *dir;              /* absolute path of the folder; NULL: not open */
	bool is_dir_temporary;        /* true: the folder is temporary and is removed at the end */
	bool catches_signals;         /* true: tt_trial_signals() was called */
	uint64_t seed;
	size_t npairs;                /* number of pairs */
	struct tt_budget budget;
	bool has_rows;                /* true: the budget is known */
	struct tt_trial_run run[TT_SIDES][TT_PAIRS_MAX];
	struct tt_trial_run warmup_run[TT_SIDES]; /* the last warm-up run of each build */
	bool is_complete;             /* true: no more pairs will be run */
	struct tt_trial_judged judged;        /* input of the last verdict */
	int stop_signal;              /* the signal that asked us to stop; 0: none */
};

#define TT_TRIAL_TELLING 5            /* number of pairs after which a line says what all planned pairs will be able to detect */

extern const char *const tt_trial_side[TT_SIDES];     /* names of the sides: "old", "new" */

/**
 * tt_trial_run_build(x, side, name, run, err):
 * Run a build once, with $TRACETOOL_CAPTURE set to the path of a new file, and fill ${run}. The end of its output is shown if it crashes. Processes that it
 * leaves behind are ended. Sets x->stop_signal if a signal ended the run. TT_E_IO if it could not be started.
 */
int tt_trial_run_build(struct tt_trial *x, enum tt_side side, const char *name, struct tt_trial_run *run, struct tt_err *err);

/* True if the build is recorded by the recorder in the trial's options. */
bool tt_trial_is_recorded(const struct tt_trial *x, enum tt_side side);

/*
 * Enclose calls of tt_trial_run_build() in these two functions: signals are then received by waiting for them. tt_trial_signals_end() restores their handling,
 * and raises ${stopped}, the signal that stopped us, unless it is 0.
 */
void tt_trial_signals(void);
void tt_trial_signals_end(int stopped);

/**
 * tt_trial_sample(x, budget, run, s, err):
 * Read the capture of ${run} into the sample ${s} with the measures of ${budget}, in a separate process. Errors: those of reading; TT_E_UNKNOWN and
 * TT_E_DAMAGED for a capture without anything to read.
 */
int tt_trial_sample(struct tt_trial *x, const struct tt_budget *budget, const struct tt_trial_run *run, struct tt_sample *s, struct tt_err *err);

/* Remove the shared memory that the recorder of a crashed program left behind. */
void tt_trial_remove_leftovers(struct tt_trial *x, const char *path);

/**
 * tt_trial_rows(s, budget, pairs, hitches, out, err):
 * Write a budget for two builds with the captures ${s}, from what both samples have: frame times, frames over a limit, allocations, and the markers that take
 * most time. Swapping the samples gives the same budget. ${hitches}: true if the samples have the number of frames over the limit, from which its margin is
 * derived.
 */
int tt_trial_rows(const struct tt_sample *s[TT_SIDES], const struct tt_budget *budget, size_t pairs, bool hitches, struct tt_buf *out,
    struct tt_err *err);

/* Use the budget in ${text}, which was made from captures, as the trial's rows. */
int tt_trial_take_rows(struct tt_trial *x, const struct tt_buf *text, struct tt_err *err);

/* Make samples of captures that have none yet; if there are no rows, make these from the first captures of both builds. */
int tt_trial_read_new(struct tt_trial *x, struct tt_err *err);

/* A good run of the build: that of the warm-up, else the first one; NULL: none. */
const struct tt_trial_run *tt_trial_any_good(const struct tt_trial *x, enum tt_side side);

/* Judge after a pair, and report what is known; *${clear}: true if the verdict is settled. */
int tt_trial_look(struct tt_trial *x, size_t pair, bool *clear, struct tt_err *err);

/**
 * The folder of captures: o->keep_folder, or a temporary one. tt_trial_folder_open() loads the runs to resume and, into ${rows}, the budget made earlier.
 * tt_trial_folder_note() writes the list of runs so far, tt_trial_folder_rows() the budget.
 */
int tt_trial_folder_open(struct tt_trial *x, struct tt_buf *rows, struct tt_err *err);
int tt_trial_folder_note(struct tt_trial *x, struct tt_err *err);
int tt_trial_folder_rows(struct tt_trial *x, const struct tt_buf *rows, struct tt_err *err);
void tt_trial_folder_close(struct tt_trial *x);

#endif
