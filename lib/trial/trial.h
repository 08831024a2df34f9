/**
 * A trial: two builds, run in turn and recorded, until their captures show whether the new one is worse.
 *
 * One run of each build is a pair, so both share whatever the machine is like at the time, and differences within pairs are judged (gate/verdict.h,
 * struct tt_ab). A trial runs other programs, so its process cannot be confined; captures are read in processes of their own. Its folder keeps the
 * captures and a list of the runs, by which a trial that was interrupted goes on.
 *
 * The caller's process may have no other children and no threads. Signals that ask it to stop end the present run, and tt_trial_end() raises them again.
 */
#ifndef TT_TRIAL_TRIAL_H
#define TT_TRIAL_TRIAL_H

#include "gate/verdict.h"

struct tt_env;
struct tt_sample;

/* When to end a trial. */
enum tt_trial_until { TT_TRIAL_CLEAR, TT_TRIAL_DECIDED, TT_TRIAL_ALL };

struct tt_trial_opts {
	const char *const *build[TT_SIDES];   /* words of each command, NULL-terminated, at least one */
	bool is_recorded;             /* true: both builds are recorded by ${recorder}; false: only those that a Mono runtime runs */
	const char *const *recorder[2];       /* words of the recording command before and after the capture's name; each list NULL-terminated */
	const char *const *profile;   /* those of these words that say what is recorded, NULL-terminated; NULL: none */
	size_t max_pairs;             /* maximum number of pairs */
	enum tt_trial_until until;
	uint64_t seed;                /* seed for the order within pairs; UINT64_MAX: a random one */
	uint64_t nwarmups;            /* number of runs of each build before the pairs */
	uint64_t more_crashes;        /* number of additional crashes that the new build may have */
	int64_t run_timeout_ns;       /* maximum time of a run, ns; 0: unlimited */
	int64_t max_time_ns;          /* maximum time of the trial, ns; 0: unlimited */
	const char *keep_folder;      /* folder of captures; NULL: a temporary one */
	bool resume;                  /* true: use the runs that the folder has */
	const struct tt_budget *budget;       /* the budget; NULL: rows are made from the first captures */
	const char *today;            /* date YYYY-MM-DD */
	unsigned inconclusive;        /* as in struct tt_judge_opts */
	/* Read the capture ${path} into ${s} with the measures of ${budget}. Called in a separate process, which the function confines. */
	int (*read)(void *arg, const struct tt_budget *budget, const char *path, struct tt_sample *s, struct tt_err *err);
	/* Remove what the recorder of a crashed program left beside the capture ${path}. Called in a separate process. */
	void (*remove_leftovers)(void *arg, const char *path);
	/* Show on a terminal what is being done; ${line} NULL: nothing. */
	void (*show)(void *arg, const char *line);
	void *arg;
};

/* Maximum numbers without a budget: of rows, and of rows about frame times. */
#define TT_TRIAL_MARKERS 4
#define TT_TRIAL_ROWS (4 + TT_TRIAL_MARKERS)
#define TT_TRIAL_FRAME_ROWS 2

struct tt_trial;

/**
 * tt_trial_new(env, o, x, err):
 * Plan a trial with the options ${o}, which are borrowed. Free with tt_trial_end() also after an error, when *${x} may be NULL. TT_E_USAGE for a build without
 * a name; TT_E_IO for one that does not exist.
 */
int tt_trial_new(struct tt_env *env, const struct tt_trial_opts *o, struct tt_trial **x, struct tt_err *err);

/* True if at least one build is recorded by ${recorder}. */
bool tt_trial_is_recording(const struct tt_trial *x);

/**
 * tt_trial_needed_pairs(x, rows):
 * The number of pairs needed so that each of the *${rows} compared rows can be shown to be worse; 0: the planned pairs can judge some rows.
 */
size_t tt_trial_needed_pairs(const struct tt_trial *x, size_t *rows);

/**
 * tt_trial_begin(x, err), tt_trial_run(x, err):
 * Open the folder and load kept runs; then run all pairs, judging after each. A signal that asks to stop is no error: tt_trial_now() reports it. Errors of
 * tt_trial_begin(): TT_E_USAGE for a folder of another trial, TT_E_IO. Errors of both: those of reading a capture; TT_E_USAGE for a build that records nothing,
 * or the same capture again.
 */
int tt_trial_begin(struct tt_trial *x, struct tt_err *err);
int tt_trial_run(struct tt_trial *x, struct tt_err *err);

/* The state of a trial. */
struct tt_trial_now {
	size_t npairs;                /* number of pairs */
	uint64_t seed;
	const char *kept_folder;      /* folder of captures; NULL: they are not kept */
	int stop_signal;              /* the signal that asked to stop; 0: none */
	bool has_captures;            /* true: captures of both builds were read */
};
struct tt_trial_now tt_trial_now(const struct tt_trial *x);

/* Judge all captures. ${v} is valid until tt_trial_end(); free it with tt_verdict_free(), also after an error. */
int tt_trial_judge(struct tt_trial *x, struct tt_verdict *v, struct tt_err *err);

/* Remove a temporary folder, raise the signal that asked to stop, and free ${x}, which may be NULL. */
void tt_trial_end(struct tt_trial *x);

#endif
