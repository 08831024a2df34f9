/**
 * The gate's captures: operands read into samples. For gate.c, gate_read.c and what reads captures as they do.
 */
#ifndef TT_CMD_GATE_READ_H
#define TT_CMD_GATE_READ_H

#include "verdict_out.h"
#include "gate/baseline.h"

struct app;
struct gate_opts;
struct input_opts;
struct tt_run_opts;

/* One sample's files, and the process that was recorded. */
struct capture {
	const char **path;            /* NULL-terminated */
	size_t n;
	struct capture *into;         /* read with this one: of the same process */
	bool unread;                  /* it could not be read: unsuited says why */
	bool unended;                 /* it breaks off */
	const char *unsuited;         /* why the run's markers found nothing in it; NULL */
	uint32_t part, part_last;     /* of the first file: which of a recording that rotates */
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
	size_t nsaved;                /* captures that --save added */
	const char *replaced;         /* the session of the baseline that --save makes anew; NULL: there is none yet */
	int unread;                   /* why one or more captures could not be read: the exit status then; 0: none */
	const char *unread_name;      /* the first of them */
	bool none;                    /* none could be read */
	struct verdict_out to;
};

/* All of the file ${path}. */
int gate_document(struct app *app, const char *path, struct tt_buf *text, struct tt_err *err);

/* Add to ${c} the files of one operand: "A+B" is two files of one capture, unless there is a file of that name. */
int gate_split(struct gate *x, struct capture *c, const char *operand, struct tt_err *err);

/* Read all operands: x->cap, x->sample, x->nsample; captures of one process are joined. ${run} gets what the budget wants. */
int gate_read(struct gate *x, struct tt_run_opts *run, struct tt_err *err);

/* Read the worst frames of ${s} once more, each alone: their parts. Nothing where the files cannot be read twice. */
int gate_read_worst(struct gate *x, const struct tt_run_opts *run, const struct tt_sample *s, struct tt_err *err);

#endif
