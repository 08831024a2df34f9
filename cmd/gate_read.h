/**
 * Reads the gate's operands into samples. For gate.c, gate_read.c and others that read captures the same way.
 */
#ifndef TT_CMD_GATE_READ_H
#define TT_CMD_GATE_READ_H

#include "gate.h"
#include "gate/document.h"
#include "model/capture.h"

struct app;
struct input_opts;
struct tt_run_opts;

/* The files of one sample, and the recorded process. */
struct capture {
	const char **path;            /* NULL-terminated */
	size_t n;
	struct capture *into;         /* the capture that this one was joined with: same process */
	bool unread;                  /* it could not be read; unsuited says why */
	bool unended;                 /* its recording has no end */
	const char *unsuited;         /* why the run's markers are not in it; NULL */
	char stretch[TT_STRETCH_TEXT];        /* what of its rotation is not here, or empty */
	uint32_t part, part_last;     /* of the first file: its number in a rotation, and the last file's */
	int64_t pid, wall_ns, end_ns; /* of the first file; wall clock */
	int64_t clock_ns;             /* wall clock less event clock */
};

struct gate {
	struct app *app;
	const struct gate_opts *g;
	const struct input_opts *in;
	struct tt_arena a;
	struct tt_budget budget;
	struct tt_baseline base;
	bool has_base;
	const char *settings;
	const char *made;             /* gate_settings() */
	struct capture *cap;          /* by operand */
	struct tt_sample *sample;
	size_t nsample;
	struct gate_told told;
	size_t nsaved;                /* captures that --save added */
	const char *replaced;         /* the session of the baseline that --save makes anew; NULL: there is none yet */
	int unread;                   /* exit status for captures that could not be read; 0: all could */
	const char *unread_name;      /* the first of them */
	bool none;                    /* no capture could be read */
	struct verdict_out to;
};

/* Add the files of an operand to ${c}: "A+B" names two files of one capture, unless a file has that name. */
int gate_split(struct gate *x, struct capture *c, const char *operand, struct tt_err *err);

/* Read all operands into x->cap, x->sample and x->nsample; captures of one process are joined. Sets the options of ${run} that the budget needs. */
int gate_read(struct gate *x, struct tt_run_opts *run, struct tt_err *err);

/* Read each of the worst frames of ${s} once more for its parts. Does nothing if the files cannot be read twice. */
int gate_read_worst(struct gate *x, const struct tt_run_opts *run, const struct tt_sample *s, struct tt_err *err);

#endif
