/**
 * The program's entry: the command table, signals, and the exit code of a status.
 *
 * setlocale() is never called: in the "C" locale, numbers, sorting and messages are the same everywhere. Text of captures is UTF-8, handled as bytes.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "cmd.h"
#include "io/program.h"
#include "io/sink.h"
#include "out/table.h"
#include "sys/sys.h"
#include "version.h"

const struct command commands[] = {
	{ &verb_convert, run_convert, NULL },
	{ &verb_stats, run_stats, NULL },
	{ &verb_gate, run_gate, NULL },
	{ &verb_report, run_report, NULL },
	{ &verb_open, run_open, NULL },
	{ &verb_diff, run_diff, NULL },
	{ &verb_ab, run_ab, NULL },
	{ &verb_batch, run_batch, NULL },
	{ &verb_baseline, run_baseline, NULL },
	{ &verb_query, run_query, NULL },
	{ &verb_info, run_info, NULL },
	{ &verb_list, run_list, NULL },
	{ &verb_record, run_record, NULL },
	{ &verb_recover, run_recover, NULL },
	{ &verb_help, run_help, NULL },
	{ NULL, NULL, NULL },
};
/* Earlier names of commands. */
static const struct command aliases[] = {
	{ &verb_batch_merge, run_merge, "merge" },
	{ &verb_baseline, run_baseline, "history" },
	{ &verb_list, run_explain, "explain" },
};
const struct command command_default = { &verb_summary, run_summary, NULL };

const char *
command_name(size_t i)
{
	return i < sizeof commands / sizeof commands[0] && commands[i].verb ? commands[i].verb->name : NULL;
}

const struct command *
command_named(const char *name)
{
	for (const struct command *c = commands; c->verb; c++) {
		if (strcmp(c->verb->name, name) == 0)
			return c;
	}
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(aliases[i].alias, name) == 0)
			return &aliases[i];
	return NULL;
}

/* --- signals ------------------------------------------------------------- */

/* The signal that asks the run to stop, or 0. Handlers write no other variable. */
static volatile sig_atomic_t stop;

/* The time that a run has for an orderly end before on_stop() ends the program. */
#define STOP_WITHIN_NS INT64_C(150000000)

/*
 * The stack size that glibc gives to threads if there is no limit; the deepest recursion, of JSON and SQL, takes a quarter of it. With a smaller limit, as on
 * build machines, the program would end with a segmentation fault that explains nothing.
 */
#define STACK_BYTES ((size_t)2 << 20)

#define DEFAULT_MEMORY ((size_t)1 << 30)

/**
 * Handle a signal to stop. The first one asks the run to stop: the run removes its incomplete output, and main() dies by the same signal. A second one, or
 * the alarm if the run hangs in a system call (reading a pipe without a writer), removes temporary files here and dies. An alarm without a signal before it
 * is the end of --max-time.
 */
static void
on_stop(int by)
{
	static const char late[] = "tracetool: stopped after the time --max-time allows\n";

	if (stop == 0) {
		stop = by;
		tt_sys_alarm(STOP_WITHIN_NS);
		return;
	}
	tt_sink_unlink_all();
	if (stop == TT_STOP_BY_ALARM)
		_Exit(tt_sys_write(2, late, sizeof late - 1) < 0 ? 4 : tt_exit_code(TT_E_LIMIT));
	tt_sys_end_by_signal(stop);
}

static int
print_version(struct app *app, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc;

	tt_buf_text(&text, TT_GENERATOR "\n");
	rc = app_write(app, "-", &text, err);
	tt_buf_free(&text);
	return rc;
}

static int
print_overview(struct app *app, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc;

	help_overview(&text);
	rc = app_write(app, "-", &text, err);
	tt_buf_free(&text);
	return rc;
}

/* Without arguments: print the overview on standard error and fail, so that a script with an empty list of files does not succeed. */
static int
print_nothing_given(struct tt_err *err)
{
	struct tt_buf text = { 0 };

	help_overview(&text);
	(void)tt_sys_write(2, text.p, text.n);
	tt_buf_free(&text);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a command or a file");
}

/* Words that people try as commands, with the command for that purpose. */
static const struct { const char *word, *command; } tried[] = {
	{ "allocations", "tracetool stats --table gcalloc,alloc_sites FILE" },
	{ "causes", "tracetool stats --table causes FILE" },
	{ "compare", "tracetool diff BEFORE... -- AFTER..." },
	{ "export", "tracetool convert FILE -o FILE.pftrace" },
	{ "frames", "tracetool stats --table frames,hitches FILE" },
	{ "hitches", "tracetool stats --table hitches,causes FILE" },
	{ "markers", "tracetool stats --table markers FILE" },
	{ "metrics", "tracetool list metrics" },
	{ "suggest", "tracetool gate --suggest FILE... -o BUDGET" },
	{ "summary", "tracetool FILE" },
	{ "tables", "tracetool list metrics" },
	{ "view", "tracetool open FILE" },
};

/* Fail if the first argument is neither verb nor file; if it resembles a verb, suggest that verb. */
static int
check_verb(const char *word, struct tt_err *err)
{
	const char *near = tt_nearest_word(word, command_name);
	struct tt_sys_stat st;

	if (word[0] == '-' || strpbrk(word, "./") || tt_sys_stat(word, &st) == 0 || errno != ENOENT)
		return TT_OK;
	for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
		if (strcmp(word, tried[i].word) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there is no command \"%s\"; use: %s", word, tried[i].command);
	if (strcmp(word, "completion") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown command \"%s\"; \"tracetool help --completion bash\" prints a script for bash", word);
	if (near)
		return tt_fail(
		    err, TT_E_USAGE, TT_NOWHERE, "unknown command \"%s\"; did you mean \"%s\"?", word, near);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown command \"%s\", and no file has this name", word);
}

/* If a missing file is named like a command, say that a command comes before its options. */
static int
check_late(int argc, char *const *argv, struct tt_err *err)
{
	struct tt_sys_stat st;

	for (int i = 1; i < argc; i++)
		if (command_named(argv[i]) && tt_sys_stat(argv[i], &st) != 0 && errno == ENOENT)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there is no file \"%s\"; a command comes before its options: tracetool %s ...",
			    argv[i], argv[i]);
	return err->code;
}

/* Run the arguments (without the program's name); *${verb}: the verb whose help applies to errors. */
static int
run(struct app *app, int argc, char **argv, const struct tt_verb **verb, struct tt_err *err)
{
	const struct command *c;
	int rc;

	if (argc == 0)
		return print_nothing_given(err);
	if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0)
		return print_version(app, err);
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
		return print_overview(app, err);
	c = command_named(argv[0]);
	if (!c) {
		rc = check_verb(argv[0], err);
		if (rc != TT_OK)
			return rc;
		*verb = &verb_summary;
		rc = run_summary(app, argc, argv, err);
		return rc == TT_E_IO && err->sys == ENOENT ? check_late(argc, argv, err) : rc;
	}
	*verb = c->verb;
	return c->run(app, argc - 1, argv + 1, err);
}

/* --- the end --------------------------------------------------------------- */

/* Print what the run cost, for --verbose. */
static void
say_cost(struct app *app)
{
	struct tt_sys_cost cost;
	char wall[40], rss[40], mem[40];

	if (!tt_sys_cost(&cost))
		return;
	*tt_put_time(wall, ui_clock() - app->ui.start_ns) = '\0';
	*tt_put_bytes(rss, (int64_t)cost.peak_bytes) = '\0';
	*tt_put_bytes(mem, (int64_t)atomic_load(&app->env.mem.peak)) = '\0';
	tt_log(&app->env, TT_LOG_VERBOSE, "%s, peak memory %s (%s counted against --max-memory)", wall, rss, mem);
}

static void
say_see(struct app *app, const struct tt_verb *verb)
{
	const char *name = verb ? verb->name : "";

	if (app->page)
		ui_say(&app->ui, "see %s", app->page);
	else
		ui_say(&app->ui, "see \"tracetool help%s%.*s\"", name[0] ? " " : "", (int)strcspn(name, " "), name);
}

/* Report the result. Returns the exit code, or ends the program by the signal that stopped it. */
static int
conclude(struct app *app, int status, const struct tt_err *err, const struct tt_verb *verb)
{
	char text[40];

	/* All work is complete or undone, so the time limit no longer applies. */
	tt_sys_alarm(0);
	ui_erase(&app->ui);
	if (stop != 0 && status < 0) {
		tt_sink_unlink_all();
		if (stop != TT_STOP_BY_ALARM)
			tt_sys_end_by_signal(stop);
		*tt_put_time(text, app->max_time) = '\0';
		ui_say(&app->ui, "%s%sstopped after the %s --max-time allows", app->input, app->input[0] ? ": " : "", text);
		return tt_exit_code(TT_E_LIMIT);
	}
	if (status == TT_E_IO && err->sys == EPIPE)
		tt_sys_end_by_closed_pipe();
	if (status != TT_E_USAGE && !app->losses_said)
		app_say_losses(app, app->input, &app->loss);
	if (status < 0)
		ui_say(&app->ui, "%s", err->msg);
	if (status == TT_E_USAGE)
		say_see(app, verb);
	say_cost(app);
	if (app->child)
		return tt_program_end(app->child_status);
	if (status >= 0 && tt_loss_damaged(&app->loss))
		return tt_exit_code(TT_E_DAMAGED);
	return status >= 0 && app->verdict ? app->verdict : tt_exit_code(status);
}

static int
run_program(int argc, char **argv)
{
	struct app app = { .input = "" };
	struct tt_err err = { 0 };
	const struct tt_verb *verb = NULL;
	int status, code;

	tt_sys_prepare_process();
	tt_sys_catch_stop(on_stop);
	ui_init(&app.ui);
	tt_loss_reset(&app.loss);
	app.env.mem.cap = DEFAULT_MEMORY;
	tt_arena_init(&app.arena, &app.env.mem);
	app.env.loss = &app.loss;
	app.env.jobs = 1;
	app.env.log_level = TT_LOG_NORMAL;
	app.env.log = ui_log;
	app.env.log_arg = &app.ui;
	app.env.stop = &stop;
	status = run(&app, argc > 0 ? argc - 1 : 0, argv + 1, &verb, &err);
	code = conclude(&app, status, &err, verb);
	tt_arena_free(&app.arena);
	return code;
}

int
main(int argc, char **argv)
{
	tt_sys_decode_arguments(&argc, &argv);
	return tt_sys_run_on_stack(run_program, argc, argv, STACK_BYTES);
}
