/**
 * Reads captures into samples: one for each operand, and one for those of a process together.
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
	const char **path;            /* NULL-terminated */
	size_t n;
	struct tt_gate_capture *into;         /* the capture that this one was joined with: same process */
	bool unread;                  /* it could not be read; unsuited says why */
	bool unended;                 /* its recording has no end */
	const char *unsuited;         /* why the run's markers are not in it; NULL */
	char stretch[TT_STRETCH_TEXT];        /* what of its rotation is not here, or empty */
	uint32_t part, part_last;     /* of the first file: its number in a rotation, and the last file's */
	int64_t pid, wall_ns, end_ns; /* of the first file; wall clock */
	int64_t clock_ns;             /* wall clock less event clock */
};

struct tt_gate_reader {
	struct tt_env *env;           /* its ledger gets the losses of all captures if the budget asks for integrity */
	struct tt_arena *a;
	const struct tt_budget *budget;
	const char *const *path;      /* operands */
	size_t npath;
	const char *const *meta;      /* facts KEY=VALUE for results of tests, NULL-terminated; NULL: none */
	bool has_frames;              /* the run's filter of frames was asked for: it goes before the budget's */
	const char *explain;          /* the row whose worst frames are kept; NULL: none */
	void (*done)(void *arg);      /* a capture was read */
	void (*losses)(void *arg, const char *name, const struct tt_loss *loss);      /* of the capture ${name}, which were not told yet */
	void *arg;
	/* The results. */
	struct tt_gate_capture *cap;  /* by operand */
	struct tt_sample *sample;
	size_t nsample;
	int unread;                   /* exit status for captures that could not be read; 0: all could */
	const char *unread_name;      /* the first of them */
	bool none;                    /* no capture could be read */
	bool losses_said;             /* all losses were told */
};

/* Set the options of a run that the budget needs. */
void tt_budget_set_run(const struct tt_budget *b, struct tt_run_opts *run);

/* Add the files of an operand to ${c}: "A+B" names two files of one capture, unless a file has that name. */
int tt_gate_split(struct tt_gate_reader *x, struct tt_gate_capture *c, const char *operand, struct tt_err *err);

/* Read all operands; captures of one process are joined. Sets the options of ${run} that the budget needs. */
int tt_gate_read(struct tt_gate_reader *x, struct tt_run_opts *run, struct tt_err *err);

/* Read each of the worst frames of ${s} once more for its parts. Does nothing if the files cannot be read twice. */
int tt_gate_read_worst(struct tt_gate_reader *x, const struct tt_run_opts *run, const struct tt_sample *s, struct tt_err *err);

#endif
