/**
 * tracetool stats --gate: captures held against a budget. The options, and the run.
 */
#ifndef TT_CMD_GATE_H
#define TT_CMD_GATE_H

#include "verdict_out.h"

struct app;
struct input_opts;
struct report_opts;
struct tt_budget;
struct tt_run_opts;
struct tt_sample;

struct gate_opts {
	const char *budget, *baseline, *save, *accept, *today, *explain, *group_by;
	bool append, force_baseline, anchor, suggest;
	const char *accept_by;        /* the command that would accept what fails; NULL: there is none */
	struct verdict_opts to;
	int inconclusive;             /* 0 none given, 1 pass, 2 fail: as in struct tt_judge_opts */
};
extern const struct opt gate_opt[];
const char *gate_inconclusive(size_t i);      /* the values of --inconclusive */
#define GATE_GROUP(type, member) { "Gate", gate_opt, offsetof(type, member) }

/* The day, as YYYY-MM-DD, that waivers are held against: ${given} if not NULL, SOURCE_DATE_EPOCH, or the clock. */
int gate_today(struct app *app, const char *given, const char **day, struct tt_err *err);

/* Options of a gate that say where its verdict goes, and not what it is. */
#define GATE_WRITES "save", "append", "accept", "explain", "suggest", "junit", "github", "gitlab", "azure", "teamcity", "markdown", "html", "json", \
	"csv-safe", "no-pager"

/* Note in ${g} which of the options ${given} a command on one capture needs to look at the same. */
int gate_looks(struct app *app, const struct opt_given *given, struct gate_opts *g, struct tt_err *err);

/* *${wanted}: the options ask for a gate. TT_E_USAGE where one of them makes no sense without --gate. */
int gate_wanted(const struct gate_opts *g, bool *wanted, struct tt_err *err);

/**
 * gate_run(app, g, in, out, err):
 * Read the captures, judge them, save the baseline and print the verdict. The exit code of the verdict is left in
 * app->verdict.
 */
int gate_run(struct app *app, const struct gate_opts *g, const struct input_opts *in, const struct report_opts *out,
    struct tt_err *err);

/**
 * A gate over captures that somebody else reads, like the processes of a batch.
 *
 * gate_open() reads budget and baseline (g->save, append, suggest and explain are not for it) and adds the files that
 * will be written to ${writes}, where its caller's are, and sees that each is a file of its own; before the sandbox.
 * gate_set_run() puts what the budget wants into the options of a run;
 * gate_judge() judges the samples made of it, prints the verdict if it shall ${show} it, and writes the files.
 * The exit code is left in app->verdict. Free with gate_close(), also after an error; NULL is fine.
 */
struct gate;
int gate_open(struct app *app, const struct gate_opts *g, const struct input_opts *in, struct opt_list *writes,
    struct gate **gate, struct tt_err *err);
const struct tt_budget *gate_budget(const struct gate *gate);
/* What the budget leaves out and what it takes for a frame, in one line: figures made with another budget are other figures. */
const char *gate_settings(const struct gate *gate);
void gate_set_run(const struct gate *gate, struct tt_run_opts *run);
int gate_judge(struct gate *gate, const struct tt_run_opts *run, struct tt_sample *sample, size_t n, bool show,
    struct tt_err *err);
void gate_close(struct gate *gate);

#endif
