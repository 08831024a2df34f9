/**
 * tracetool gate: judges captures by a budget. Its options, and the run.
 */
#ifndef TT_CMD_VERB_GATE_H
#define TT_CMD_VERB_GATE_H

#include "verdict_out.h"

struct app;
struct input_opts;
struct report_opts;
struct tt_arena;
struct tt_budget;
struct tt_gate_reader;
struct tt_run_opts;
struct tt_sample;

/* The knowledge of a caller beside the samples, in members named as in struct tt_judge_opts. */
struct gate_told {
	const char *note;
	const char *const *alert;
	size_t nalert;
	int status;
	const char *why;
};

struct gate_opts {
	const char *budget, *baseline, *save, *accept, *today, *explain, *group_by;
	bool append, force_baseline, anchor, suggest;
	const char *accept_by;        /* the command that accepts what fails; NULL: none */
	struct tt_verdict_outputs to;
	int inconclusive;             /* as in struct tt_judge_opts */
};
const char *gate_inconclusive(size_t i);      /* the values of --inconclusive */

/* Find the day, YYYY-MM-DD, by which waivers expire: ${given} if not NULL, else SOURCE_DATE_EPOCH, else the clock. */
int gate_today(struct app *app, const char *given, const char **day, struct tt_err *err);

/* Read the budget ${path}. A message about an error in it refers to its manual page. */
int gate_read_budget(struct app *app, const char *path, struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* Begin ${r} for the captures ${in}. */
void gate_reader(struct tt_gate_reader *r, struct app *app, const struct input_opts *in, const struct tt_budget *b, struct tt_arena *a);

/* Options that only choose where output goes: they do not change the verdict. */
#define GATE_WRITES "save", "append", "accept", "explain", "suggest", "junit", "github", "gitlab", "azure", "teamcity", "markdown", "html", "json", \
	"csv-safe", "no-pager", "gate"

/* Store in ${g} the options that the verdict's commands on single captures repeat, so that these commands show the same figures. */
int gate_looks(struct app *app, const struct tt_opt_given *given, struct gate_opts *g, struct tt_err *err);

/**
 * gate_run(app, g, in, out, err):
 * Read the captures, judge them, save the baseline and print the verdict. The verdict's exit code is left in app->verdict.
 */
int gate_run(struct app *app, const struct gate_opts *g, const struct input_opts *in, const struct report_opts *out,
    struct tt_err *err);

/**
 * A gate for callers that read the captures themselves, such as a batch.
 *
 * gate_open() adds the files that it will write to ${writes}, which already has the caller's; fails if two of them are the same file, or one is in ${reads}
 * (NULL: no files); removes those of an earlier verdict; and reads budget and baseline (it ignores g->save, append, suggest and explain). Call it before the
 * sandbox, and before anything else that may fail.
 * gate_set_run() sets the options of a run that the budget needs.
 * gate_judge() judges the samples, prints the verdict if ${show} is set, and writes the files; ${told} is copied.
 * The exit code goes to app->verdict. Free with gate_close(), also after an error; NULL is allowed.
 */
struct gate;
int gate_open(struct app *app, const struct gate_opts *g, const struct input_opts *in, const struct tt_list *reads, struct tt_list *writes,
    struct gate **gate, struct tt_err *err);
const struct tt_budget *gate_budget(const struct gate *gate);
/* Return the markers that the budget leaves out and its frame marker, in one line. Figures made with other settings are not comparable. */
const char *gate_settings(const struct gate *gate);
void gate_set_run(const struct gate *gate, struct tt_run_opts *run);
int gate_judge(struct gate *gate, const struct tt_run_opts *run, struct tt_sample *sample, size_t n, const struct gate_told *told, bool show,
    struct tt_err *err);
void gate_close(struct gate *gate);

#endif
