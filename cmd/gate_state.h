/**
 * A gate at work; shared by verb_gate.c, which reads, and gate_judge.c, which judges and writes.
 */
#ifndef TT_CMD_GATE_STATE_H
#define TT_CMD_GATE_STATE_H

#include "verb_gate.h"
#include "gate/baseline.h"
#include "gate/budget.h"
#include "gate/read.h"
#include "verdict/verdict_as.h"

struct gate {
	struct app *app;
	const struct gate_opts *g;
	const struct input_opts *in;
	struct tt_arena a;
	struct tt_budget budget;
	struct tt_baseline base;
	bool has_base;
	const char *settings;
	const char *made;             /* see gate_settings() */
	struct tt_gate_reader rd;     /* the captures, or the samples that a caller has read */
	struct gate_told told;
	size_t nsaved;                /* number of captures that --save added */
	const char *replaced;         /* the session that replaces the baseline of --save; NULL: not made yet */
	struct tt_verdict_out to;
};

/* True for standard output, and for a path that exists but is no regular file. */
bool gate_is_device(const char *path);

/* True if ${path} and ${file} (NULL: no file) are the same regular file. */
bool gate_is_file(const char *path, const char *file);

/*
 * Without --append the baseline is made anew. Refuse that if the file has several sessions or an accepted one, which are hard to collect again. A file that is
 * no baseline may be replaced.
 */
int gate_check_renewal(struct gate *x, struct tt_err *err);

/* Judge all samples by ${x}->base, and write the verdict; ${old}: the baseline to which captures are added, or NULL. */
int gate_judge_all(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_baseline *old,
    struct tt_err *err);

/*
 * Judge by the baseline that --append extends, unless another is named. Read it under its lock, because other runs may have appended while this run read
 * captures.
 */
int gate_judge_and_save(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_err *err);

/* Print a budget that the captures would pass. */
int gate_suggest(struct gate *x, const struct tt_run_opts *run, const struct report_opts *out, struct tt_err *err);

#endif
