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

/* When a trial ends. */
enum tt_trial_until { TT_TRIAL_CLEAR, TT_TRIAL_DECIDED, TT_TRIAL_ALL };

struct tt_trial_opts {
	const char *const *build[TT_SIDES];   /* the words of each command, NULL-terminated, at least one */
	bool record;                  /* both builds are recorded by ${recorder}; else those that a Mono runtime runs */
	const char *const *recorder[2];       /* the words that record a program, before the capture's name and after it; each NULL-terminated */
	const char *const *profile;   /* of these the ones about what is recorded, NULL-terminated; NULL: none */
	size_t pairs;                 /* at most */
	enum tt_trial_until until;
	uint64_t seed;                /* of the order in pairs; UINT64_MAX: a random one */
	uint64_t warmup;              /* runs of each build before the pairs */
	uint64_t more_crashes;        /* that the new build may have */
	int64_t timeout;              /* ns that a run may take; 0: any */
	int64_t max_time;             /* ns for all of it; 0: any */
	const char *keep;             /* folder of captures; NULL: one that is removed at the end */
	bool resume;                  /* take the runs that are in it */
	const struct tt_budget *budget;       /* NULL: rows are made of the first captures */
	const char *today;            /* YYYY-MM-DD */
	unsigned inconclusive;        /* as in struct tt_judge_opts */
	/* Read the capture ${path} into ${s} by the measures of ${budget}. Called in a process of its own, which the function confines. */
	int (*read)(void *arg, const struct tt_budget *budget, const char *path, struct tt_sample *s, struct tt_err *err);
	/* Remove what the recorder of a crashed program left beside the capture ${path}. Called in a process of its own. */
	void (*mend)(void *arg, const char *path);
	/* Show on a terminal what is done now; NULL: nothing. */
	void (*show)(void *arg, const char *line);
	void *arg;
};

/* Bounds: without a budget there are at most so many rows, and of these so many about frame times. */
#define TT_TRIAL_MARKERS 4
#define TT_TRIAL_ROWS (4 + TT_TRIAL_MARKERS)
#define TT_TRIAL_FRAME_ROWS 2

struct tt_trial;

/**
 * tt_trial_new(env, o, x, err):
 * Plan a trial by the options ${o}, which are borrowed. Free with tt_trial_end(), also after an error; *${x} is then NULL or not.
 * Errors: TT_E_USAGE for a build without a name; TT_E_IO for one that is not there.
 */
int tt_trial_new(struct tt_env *env, const struct tt_trial_opts *o, struct tt_trial **x, struct tt_err *err);

/* True if one of the builds is recorded by ${recorder}. */
bool tt_trial_records(const struct tt_trial *x);

/**
 * tt_trial_needs(x, rows):
 * The number of pairs with which each of the compared rows, *${rows} of them, can be shown to be worse; 0: fewer are enough to judge rows that do not compare.
 */
size_t tt_trial_needs(const struct tt_trial *x, size_t *rows);

/**
 * tt_trial_begin(x, err), tt_trial_run(x, err):
 * Open the folder and take in kept runs; then run all pairs, judging after each. A signal that asks to stop is no error: tt_trial_now() tells.
 * Errors: of the first, TT_E_USAGE for a folder of another trial, TT_E_IO; of both those of reading a capture, and TT_E_USAGE for a build that records
 * nothing, or not anew.
 */
int tt_trial_begin(struct tt_trial *x, struct tt_err *err);
int tt_trial_run(struct tt_trial *x, struct tt_err *err);

/* The state of a trial. */
struct tt_trial_now {
	size_t planned;               /* pairs */
	uint64_t seed;
	const char *kept;             /* the folder; NULL: captures are not kept */
	int stopped;                  /* the signal that asked to stop; 0: none */
	bool read;                    /* captures of both builds were read */
};
struct tt_trial_now tt_trial_now(const struct tt_trial *x);

/* Judge all captures. ${v} is good until tt_trial_end(); free with tt_verdict_free(), also after an error. */
int tt_trial_judge(struct tt_trial *x, struct tt_verdict *v, struct tt_err *err);

/* Remove a folder that is not kept, raise the signal that asked to stop, and free ${x}; NULL is allowed. */
void tt_trial_end(struct tt_trial *x);

#endif
