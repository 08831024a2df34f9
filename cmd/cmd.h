/**
 * The program's interface between its verbs: arguments in, exit code out.
 *
 * Nothing here parses captures or computes figures; lib/ and formats/ do.
 */
#ifndef TT_CMD_H
#define TT_CMD_H

#include "base/env.h"
#include "io/sandbox.h"
#include "model/loss.h"
#include "option/opts.h"
#include "pager.h"
#include "ui.h"

/* The state of the process; everything that a verb may use. */
struct app {
	struct tt_env env;
	struct tt_loss loss;
	struct tt_arena arena;        /* lists of options; freed when the program ends */
	struct ui ui;
	struct pager pager;           /* for long reports on a terminal */
	struct tt_sandbox_plan plan;  /* what the sandbox still allows */
	struct tt_list reads;        /* plan.read */
	int64_t max_time;             /* ns; 0: as long as it takes */
	const char *input;            /* beginning of lines of the ledger: the file, or the number of files */
	bool say_notices;             /* true: losses of severity notice are printed, too, because no output shows them */
	bool losses_said;             /* true: losses were printed for each input, so they are not repeated for all together */
	const char *page;             /* page with more about a usage error; NULL: the verb's help */
	bool child;                   /* true: a program was run, and its exit decides ours */
	int child_status;             /* as from waitpid() */
	int verdict;                  /* exit code of a verdict: 1 negative, 5 inconclusive; the code for damaged input takes precedence */
};

/**
 * A verb works on its arguments and returns a status. Damage is not a status: it is counted in app->loss.
 * The verb has written its output and freed everything, whatever it returns.
 */
struct command {
	const struct tt_verb *verb;
	int (*run)(struct app *app, int argc, char **argv, struct tt_err *err);
	const char *alias;            /* an earlier name that still works, in place of the verb's; NULL: no such name */
};

/* The verbs in the order of `tracetool help`, ended by one without a verb. */
extern const struct command commands[];

/* Return the ${i}th name of a verb, for completions and suggestions; return the command ${name}, or NULL. */
const char *command_name(size_t i);
const struct command *command_named(const char *name);

/* The command without a verb: the summary. */
extern const struct command command_default;

extern const struct tt_verb verb_ab, verb_gate, verb_batch, verb_batch_merge, verb_convert, verb_stats, verb_diff, verb_report, verb_open, verb_info, verb_list,
    verb_recover, verb_record, verb_baseline, verb_query, verb_help, verb_summary;
int run_baseline(struct app *app, int argc, char **argv, struct tt_err *err);
int run_gate(struct app *app, int argc, char **argv, struct tt_err *err);
int run_ab(struct app *app, int argc, char **argv, struct tt_err *err);
int run_query(struct app *app, int argc, char **argv, struct tt_err *err);
int run_batch(struct app *app, int argc, char **argv, struct tt_err *err);
int run_merge(struct app *app, int argc, char **argv, struct tt_err *err);
int run_convert(struct app *app, int argc, char **argv, struct tt_err *err);
int run_stats(struct app *app, int argc, char **argv, struct tt_err *err);
int run_diff(struct app *app, int argc, char **argv, struct tt_err *err);
int run_report(struct app *app, int argc, char **argv, struct tt_err *err);
int run_open(struct app *app, int argc, char **argv, struct tt_err *err);
int run_info(struct app *app, int argc, char **argv, struct tt_err *err);
int run_explain(struct app *app, int argc, char **argv, struct tt_err *err);
int run_list(struct app *app, int argc, char **argv, struct tt_err *err);
int run_recover(struct app *app, int argc, char **argv, struct tt_err *err);
int run_record(struct app *app, int argc, char **argv, struct tt_err *err);
int run_help(struct app *app, int argc, char **argv, struct tt_err *err);
int run_summary(struct app *app, int argc, char **argv, struct tt_err *err);

/* Fail unless there is a module that can record programs with these values of --profile. */
int record_check(struct app *app, const struct tt_list *options, struct tt_err *err);

/* Draw the call tree of both sides of ${in} as a flame graph to ${output}: the picture of "tracetool diff", for "tracetool report". */
struct input_opts;
int diff_picture(struct app *app, const struct input_opts *in, const char *output, struct tt_err *err);

/**
 * app_parse(app, verb, into, ui, argc, argv, err):
 * Parse a verb's arguments and take over its message options ${ui} (a part of ${into}).
 * TT_END: --help was given and has been printed.
 */
int app_parse(struct app *app, const struct tt_verb *verb, void *into, const struct ui_opts *ui, int argc,
    char **argv, struct tt_err *err);

/* Print ${text} on standard output; show it by the pager if the text is long, and the terminal has one. */
int app_show(struct app *app, const struct tt_buf *text, struct tt_err *err);

/*
 * Print a line for each kind of loss that is more than a remark, or with say_notices for remarks, too. A line begins with the input that has the loss, else
 * with ${name}.
 */
void app_say_losses(struct app *app, const char *name, const struct tt_loss *loss);

/* Write ${text} to ${path} ("-": standard output), completely or not at all. If ${text} has kept an error, return it. */
int app_write(struct app *app, const char *path, const struct tt_buf *text, struct tt_err *err);

/**
 * app_reads(app, inputs, err):
 * Add to app->plan everything that a run over ${inputs} (NULL-terminated) reads: the inputs, their folders, and the folders in which recorders keep their
 * rings (a capture names its own ring).
 *
 * app_reads_back(app, dir, err):
 * Do the same for ${dir}, an output folder whose files the run also reads.
 *
 * app_confine(app, outputs, tmpdir, err):
 * Enter the first stage of the sandbox: paths that are neither in the plan, nor among ${outputs} (NULL-terminated; NULL: no outputs), nor in ${tmpdir} (NULL:
 * the usual one) cannot be opened. Fails as tt_outputs_check_folders() does.
 */
int app_reads(struct app *app, const char *const *inputs, struct tt_err *err);
int app_reads_back(struct app *app, const char *dir, struct tt_err *err);
int app_confine(struct app *app, const char *const *outputs, const char *tmpdir, struct tt_err *err);

/* Second stage of the sandbox, once all inputs are open. It is a tt_run_opts.opened with the app as argument. */
int app_seal(void *app, struct tt_err *err);

/* List the shells; write the completions of all verbs for ${shell}, which is "bash", "zsh" or "fish". */
const char *completion_shell(size_t i);
void completion_write(const char *shell, struct tt_buf *out);

/* Append the overview that `tracetool help` prints. */
void help_overview(struct tt_buf *out);

#endif
