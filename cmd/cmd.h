/**
 * The program: arguments in, exit code out. What the verbs share.
 *
 * No parsing of captures and no arithmetic on events is here; that is lib/ and formats/.
 */
#ifndef TT_CMD_H
#define TT_CMD_H

#include "base/env.h"
#include "io/sandbox.h"
#include "model/loss.h"
#include "opts.h"
#include "pager.h"
#include "ui.h"

/* One per process; everything a verb may use. */
struct app {
	struct tt_env env;
	struct tt_loss loss;
	struct tt_arena arena;        /* lists of options; lives to the end */
	struct ui ui;
	struct pager pager;           /* for long reports on a terminal */
	struct tt_sandbox_plan plan;  /* what the process may still do */
	struct opt_list reads;        /* plan.read */
	int64_t max_time;             /* ns; 0: as long as it takes */
	const char *input;            /* what lines of the ledger begin with: the file, or how many */
	bool losses_said;             /* input by input, so not of all together */
	const char *page;             /* what tells more of a usage error; NULL: the verb's help */
	bool child;                   /* a program was run: the end is its end */
	int child_status;             /* as waitpid() tells it */
	int verdict;                  /* the exit code of a verdict: 1 negative, 5 inconclusive; damaged input goes before it */
};

/**
 * A verb runs over its arguments and returns a status. Damage is not one: it is in app->loss.
 * The verb has written its output and freed everything, whatever it returns.
 */
struct command {
	const struct verb *verb;
	int (*run)(struct app *app, int argc, char **argv, struct tt_err *err);
};

/* The verbs in the order of `tracetool help`, ended by one without a verb. */
extern const struct command commands[];

/* The names of the verbs, for completions and suggestions. */
const char *command_name(size_t i);
const struct command *command_named(const char *name);

/* The command without a verb: the summary. */
extern const struct command command_default;

extern const struct verb verb_ab, verb_batch, verb_merge, verb_convert, verb_stats, verb_diff, verb_report, verb_info, verb_list, verb_explain, verb_recover,
    verb_record, verb_baseline, verb_history, verb_query, verb_help, verb_summary;
int run_baseline(struct app *app, int argc, char **argv, struct tt_err *err);
int run_ab(struct app *app, int argc, char **argv, struct tt_err *err);
int run_query(struct app *app, int argc, char **argv, struct tt_err *err);
int run_history(struct app *app, int argc, char **argv, struct tt_err *err);
int run_batch(struct app *app, int argc, char **argv, struct tt_err *err);
int run_merge(struct app *app, int argc, char **argv, struct tt_err *err);
int run_convert(struct app *app, int argc, char **argv, struct tt_err *err);
int run_stats(struct app *app, int argc, char **argv, struct tt_err *err);
int run_diff(struct app *app, int argc, char **argv, struct tt_err *err);
int run_report(struct app *app, int argc, char **argv, struct tt_err *err);
int run_info(struct app *app, int argc, char **argv, struct tt_err *err);
int run_explain(struct app *app, int argc, char **argv, struct tt_err *err);
int run_list(struct app *app, int argc, char **argv, struct tt_err *err);
int run_recover(struct app *app, int argc, char **argv, struct tt_err *err);
int run_record(struct app *app, int argc, char **argv, struct tt_err *err);
int run_help(struct app *app, int argc, char **argv, struct tt_err *err);
int run_summary(struct app *app, int argc, char **argv, struct tt_err *err);

/* Fail unless programs can be recorded with these values of --profile, and there is a module that does it. */
int record_check(struct app *app, const struct opt_list *options, struct tt_err *err);

/* The call tree of both sides of ${in} as a flame graph, for "tracetool report": the picture of "tracetool diff" alone, to ${output}. */
struct input_opts;
int diff_picture(struct app *app, const struct input_opts *in, const char *output, struct tt_err *err);

/**
 * app_parse(app, verb, into, ui, argc, argv, err):
 * Parse a verb's arguments and take over its message options ${ui} (a part of ${into}).
 * TT_END: --help was given and has been printed.
 */
int app_parse(struct app *app, const struct verb *verb, void *into, const struct ui_opts *ui, int argc,
    char **argv, struct tt_err *err);

/* Show ${text} on standard output: on a terminal by the pager, where there is one and the text is long. */
int app_show(struct app *app, const struct tt_buf *text, struct tt_err *err);

/* One line for each kind of loss that is more than a remark, beginning with the input that it is in, else with ${name}. */
void app_say_losses(struct app *app, const char *name, const struct tt_loss *loss);

/* Write ${text} to ${path} ("-": standard output), completely or not at all; an error that stuck in it is the error of these. */
int app_write(struct app *app, const char *path, const struct tt_buf *text, struct tt_err *err);

/* The same for ${n} outputs: all are written before the first takes its place, so that a failure leaves none. */
struct app_output { const char *path; struct tt_buf text; };
#define APP_OUTPUTS 8
int app_write_all(struct app *app, const struct app_output *o, size_t n, struct tt_err *err);

/**
 * app_reads(app, inputs, err):
 * Let app->plan hold what a run over ${inputs} (NULL-terminated) reads: those, the folders they are in, and where
 * recorders keep their rings: a capture names its own, in one of these.
 *
 * app_reads_back(app, dir, err):
 * The same for ${dir}, an output folder whose files the run reads as well.
 *
 * app_confine(app, outputs, tmpdir, err):
 * First stage of the sandbox: paths neither in the plan nor among ${outputs} (NULL-terminated; NULL: none)
 * nor in ${tmpdir} (NULL: the usual one) is out of reach.
 */
int app_reads(struct app *app, const char *const *inputs, struct tt_err *err);
int app_reads_back(struct app *app, const char *dir, struct tt_err *err);
int app_confine(struct app *app, const char *const *outputs, const char *tmpdir, struct tt_err *err);

/* Second stage, once all inputs are open; for tt_run_opts.opened, with the app as argument. */
int app_seal(void *app, struct tt_err *err);

/* Completions of all verbs for "bash", "zsh" or "fish". */
const char *completion_shell(size_t i);
void completion_write(const char *shell, struct tt_buf *out);

/* The overview `tracetool help` prints. */
void help_overview(struct tt_buf *out);

#endif
