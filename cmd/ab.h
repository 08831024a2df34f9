/**
 * tracetool ab: two builds run in turn, recorded, and compared by pairs. What its parts share: ab.c (options, the plan, the verdict),
 * ab_run.c (a build is run), ab_read.c (its capture becomes a sample), ab_rows.c (rows without a budget), ab_folder.c (what is kept).
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

#define AB_MARKERS 4                  /* so many rows without a budget are about markers, at most ... */
#define AB_ROWS (4 + AB_MARKERS)      /* ... and so many in all, ... */
#define AB_FRAME_ROWS 2               /* ... so many of these of frame times */

enum ab_until { AB_CLEAR, AB_DECIDED, AB_ALL };

/* What became of a run. */
enum ab_end { AB_NOT_RUN, AB_GOOD, AB_CRASHED };

struct ab_run {
	enum ab_end end;
	char name[24];                /* "new 3" */
	const char *path;             /* of its capture, if it was good */
	char how[100];                /* it crashed: "signal 11 (Segmentation fault)" */
	bool read;
	struct tt_sample sample;
};

struct ab {
	struct app *app;
	const struct ab_opts *o;
	struct tt_arena a;
	const char *const *build[TT_SIDES];   /* NULL-terminated */
	size_t nbuild[TT_SIDES];
	const char *command[TT_SIDES];        /* as a shell reads it */
	const char *dir;              /* absolute */
	bool own_dir;                 /* made by us, and removed */
	const char *today;
	uint64_t seed;
	size_t planned;               /* pairs */
	struct tt_budget budget;
	bool has_rows;                /* the budget is known */
	struct ab_run run[TT_SIDES][TT_PAIRS_MOST];
	struct ab_run warm[TT_SIDES];         /* the last of the warm-up runs */
	int stopped;                  /* the signal that asked us to stop; 0 */
};

extern const char *const ab_side[TT_SIDES];   /* "old", "new" */

/**
 * ab_run(x, side, name, run, err):
 * Run a build once, with $TRACETOOL_CAPTURE set to a file that does not exist, and fill ${run}. What it prints is read and kept back;
 * the end of it is shown if it crashes. What it left running is ended. Sets x->stopped if it was a signal that ended it all.
 * Errors: TT_E_IO, where it could not be started.
 */
int ab_run(struct ab *x, enum tt_side side, const char *name, struct ab_run *run, struct tt_err *err);

/* Is this build recorded as "tracetool record" does? */
bool ab_records(const struct ab *x, enum tt_side side);

/* What ab_run() must be within: signals come by waiting. ab_signals_end() gives them back, and raises the one that stopped us. */
void ab_signals(void);
void ab_signals_end(int stopped);

/**
 * ab_read(x, budget, run, s, err):
 * Read the capture of ${run}, in a process of its own that can do nothing else, into the sample ${s}, by the measures of ${budget}.
 * Errors: those of reading; TT_E_UNKNOWN and TT_E_DAMAGED for a capture without anything to read.
 */
int ab_read(struct ab *x, const struct tt_budget *budget, const struct ab_run *run, struct tt_sample *s, struct tt_err *err);

/* Remove what the recorder of a crashed program left in memory. */
void ab_mend(struct ab *x, const char *path);

/**
 * ab_rows(s, budget, pairs, hitches, frame_marker, out, err):
 * A budget for two builds whose captures are ${s}, with what every sample has: frame times, frames over a limit, allocations, and the markers that
 * take most. It is the same if the two are swapped. ${hitches}: the samples have the row of frames over a limit, of which the margin is made.
 */
int ab_rows(const struct tt_sample *s[TT_SIDES], const struct tt_budget *budget, size_t pairs, bool hitches, struct tt_buf *out,
    struct tt_err *err);

/**
 * The folder of captures, --keep's or one of our own. ab_folder_open() takes the runs that --resume finds in it; ab_folder_note() writes down
 * those that there are now, and ab_folder_rows() the budget that was made, which ab_folder_open() gives back in ${rows}.
 */
int ab_folder_open(struct ab *x, struct tt_buf *rows, struct tt_err *err);
int ab_folder_note(struct ab *x, struct tt_err *err);
int ab_folder_rows(struct ab *x, const struct tt_buf *rows, struct tt_err *err);
void ab_folder_close(struct ab *x);

#endif
