/**
 * Shared by the files of tracetool ab. The verb runs two builds in turn, records them and compares them in pairs: ab.c (options, plan, verdict), ab_run.c
 * (runs a build), ab_read.c (makes a sample of a capture), ab_rows.c (rows without a budget), ab_folder.c (the folder that keeps captures).
 */
#ifndef TT_CMD_AB_H
#define TT_CMD_AB_H

#include "gate/baseline.h"
#include "gate/verdict.h"
#include "input.h"
#include "stat/pairs.h"
#include "verdict_out.h"

struct app;

struct ab_opts {
	struct opt_list words;        /* both builds, with a "--" between them */
	uint64_t pairs, max_runs, warmup, seed, more_crashes;         /* UINT64_MAX: not given */
	int until;                    /* enum ab_until */
	int64_t timeout;
	bool mono, resume;
	struct opt_list profile;
	const char *keep, *budget, *today;
	int inconclusive;             /* as in struct gate_opts */
	struct verdict_opts to;
	struct input_opts in;
};

#define AB_MARKERS 4                  /* most rows about markers without a budget */
#define AB_ROWS (4 + AB_MARKERS)      /* most rows without a budget */
#define AB_FRAME_ROWS 2               /* most of these about frame times */

enum ab_until { AB_CLEAR, AB_DECIDED, AB_ALL };

/* How a run ended. */
enum ab_end { AB_NOT_RUN, AB_GOOD, AB_CRASHED };

struct ab_run {
	enum ab_end end;
	char name[24];                /* "new 3" */
	const char *path;             /* of the capture of a good run */
	char how[100];                /* how it crashed: "signal 11 (Segmentation fault)" */
	bool read;
	struct tt_sample sample;
};

struct ab {
	struct app *app;
	const struct ab_opts *o;
	struct tt_arena a;
	const char *const *build[TT_SIDES];   /* NULL-terminated */
	size_t nbuild[TT_SIDES];
	const char *command[TT_SIDES];        /* quoted for a shell */
	const char *dir;              /* absolute */
	bool own_dir;                 /* made by us, so removed at the end */
	const char *today;
	uint64_t seed;
	size_t planned;               /* number of pairs */
	struct tt_budget budget;
	bool has_rows;                /* the budget is known */
	struct ab_run run[TT_SIDES][TT_PAIRS_MAX];
	struct ab_run warm[TT_SIDES];         /* the last warm-up run of each build */
	int stopped;                  /* the signal that asked us to stop, or 0 */
};

extern const char *const ab_side[TT_SIDES];   /* "old", "new" */

/**
 * ab_run(x, side, name, run, err):
 * Run a build once, with $TRACETOOL_CAPTURE set to a file that does not exist, and fill ${run}. Its output is kept; the end of it is shown if it crashes.
 * Processes that it leaves are ended. Sets x->stopped if a signal ended the run.
 * Errors: TT_E_IO, if it could not be started.
 */
int ab_run(struct ab *x, enum tt_side side, const char *name, struct ab_run *run, struct tt_err *err);

/* True if the build is recorded as by "tracetool record". */
bool ab_records(const struct ab *x, enum tt_side side);

/*
 * ab_run() must be called between these two: signals are then received by waiting for them. ab_signals_end() restores their handling, and raises ${stopped},
 * the signal that stopped us, if it is not 0.
 */
void ab_signals(void);
void ab_signals_end(int stopped);

/**
 * ab_read(x, budget, run, s, err):
 * Read the capture of ${run} into the sample ${s} by the measures of ${budget}, in a confined process of its own.
 * Errors: those of reading; TT_E_UNKNOWN and TT_E_DAMAGED for a capture without anything to read.
 */
int ab_read(struct ab *x, const struct tt_budget *budget, const struct ab_run *run, struct tt_sample *s, struct tt_err *err);

/* Remove the memory that the recorder of a crashed program left. */
void ab_mend(struct ab *x, const char *path);

/**
 * ab_rows(s, budget, pairs, hitches, frame_marker, out, err):
 * Write a budget for two builds with the captures ${s}, from what both samples have: frame times, frames over a limit, allocations, and the markers that take
 * most time. Swapping the samples gives the same budget. ${hitches}: the samples have the number of frames over the limit, of which its margin is made.
 */
int ab_rows(const struct tt_sample *s[TT_SIDES], const struct tt_budget *budget, size_t pairs, bool hitches, struct tt_buf *out,
    struct tt_err *err);

/**
 * The folder of captures: that of --keep, or a temporary one. ab_folder_open() takes in the runs that --resume finds in it and, as ${rows}, the budget that was
 * made. ab_folder_note() writes the list of present runs, ab_folder_rows() the budget.
 */
int ab_folder_open(struct ab *x, struct tt_buf *rows, struct tt_err *err);
int ab_folder_note(struct ab *x, struct tt_err *err);
int ab_folder_rows(struct ab *x, const struct tt_buf *rows, struct tt_err *err);
void ab_folder_close(struct ab *x);

#endif
