/**
 * Reads captures into samples: one for each operand, captures of the same process joined into one.
 */
#ifndef TT_GATE_READ_H
#define TT_GATE_READ_H

#include "gate/budget.h"
#include "gate/sample.h"
#include "model/capture.h"

struct tt_env;
struct tt_loss;
struct tt_run_opts;

/* The files of one sample, and the recorded process. */
struct tt_gate_capture {
	const char **path;            /* paths of its files, NULL-terminated */
	size_t n;
	struct tt_gate_capture *into;         /* the capture of the same process that this one was joined into; NULL: none */
	bool unread;                  /* true: it could not be read; unsuited says why */
	bool unended;                 /* true: its recording has no end */
	const char *unsuited;         /* why it lacks the markers that the run needs; NULL: it has them */
	char stretch[TT_STRETCH_TEXT];        /* which files of its rotation are missing; empty: none */
	uint32_t part, part_last;     /* number of the first file in its rotation, and of the last file */
	int64_t pid, wall_ns, end_ns; /* of the first file: process id; start and end by the wall clock */
	int64_t clock_ns;             /* wall clock minus event clock */
};

struct tt_gate_reader {
	struct tt_env *env;           /* if the budget asks for integrity, its ledger gets the losses of all captures */
	struct tt_arena *a;
	const struct tt_budget *budget;
	const char *const *path;      /* operands of the command, see tt_gate_split() */
	size_t npath;
	const char *const *meta;      /* facts KEY=VALUE for results of tests, NULL-terminated; NULL: none */
	bool has_frames;              /* true: the user gave a filter of frames, which overrides the budget's */
	const char *explain;          /* the row whose worst frames are kept; NULL: none */
	void (*done)(void *arg);      /* called after each capture */
	void (*losses)(void *arg, const char *name, const struct tt_loss *loss);      /* called with losses of the capture ${name} that were not reported yet */
	void *arg;
	/* The results. */
	struct tt_gate_capture *cap;  /* captures, by operand */
	struct tt_sample *sample;
	size_t nsample;
	int unread;                   /* exit status for captures that could not be read; 0: all could */
	const char *unread_name;      /* name of the first of them */
	bool none;                    /* true: no capture could be read */
	bool losses_said;             /* true: all losses were reported */
};

/* Set the run's options that the budget requires. */
void tt_budget_set_run(const struct tt_budget *b, struct tt_run_opts *run);

/* Add the files of an operand to ${c}: "A+B" names two files of one capture, unless a file of that name exists. */
int tt_gate_split(struct tt_gate_reader *x, struct tt_gate_capture *c, const char *operand, struct tt_err *err);

/* Read all operands, and join captures of one process. Sets the options of ${run} that the budget requires. */
int tt_gate_read(struct tt_gate_reader *x, struct tt_run_opts *run, struct tt_err *err);

/* Read each of the worst frames of ${s} again to get its parts. Does nothing if the files cannot be read twice. */
int tt_gate_read_worst(struct tt_gate_reader *x, const struct tt_run_opts *run, const struct tt_sample *s, struct tt_err *err);

#endif
