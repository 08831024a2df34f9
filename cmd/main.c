/**
 * The program's entry: the command table, signals, and the exit code of a status.
 *
 * setlocale() is never called: in the "C" locale, numbers, sorting and messages are the same everywhere. Text of captures is UTF-8, handled as bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/spelling.h"
#include "base/stack.h"
#include "cmd.h"
#include "io/program.h"
#include "io/sink.h"
#include "out/table.h"
#include "version.h"

const struct command commands[] = {
	{ &verb_convert, run_convert },
	{ &verb_stats, run_stats },
	{ &verb_report, run_report },
	{ &verb_open, run_open },
	{ &verb_diff, run_diff },
	{ &verb_ab, run_ab },
	{ &verb_batch, run_batch },
	{ &verb_merge, run_merge },
	{ &verb_baseline, run_baseline },
	{ &verb_history, run_history },
	{ &verb_query, run_query },
	{ &verb_info, run_info },
	{ &verb_list, run_list },
	{ &verb_explain, run_explain },
	{ &verb_record, run_record },
	{ &verb_recover, run_recover },
	{ &verb_help, run_help },
	{ NULL, NULL },
};
const struct command command_default = { &verb_summary, run_summary };

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
	return NULL;
}

/* --- signals ------------------------------------------------------------- */

/* The signal that asks to stop, SIGALRM for --max-time, or 0. Handlers write nothing else. */
static volatile sig_atomic_t stop;

/* Microseconds for an orderly end before on_stop() ends the program. */
#define STOP_WITHIN_US 150000

#define DEFAULT_MEMORY ((size_t)1 << 30)

static void
die_by(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

/**
 * The first signal asks the run to stop: the run then removes its incomplete output, and main() dies by the same signal. A second signal, or the alarm
 * if the run hangs in a system call (reading a pipe without a writer), removes temporaries here and dies. An alarm that comes first is the end of
 * --max-time.
 */
static void
on_stop(int sig)
{
	const struct itimerval within = { .it_value = { .tv_usec = STOP_WITHIN_US } };
	static const char late[] = "tracetool: stopped after the time --max-time allows\n";
	int saved = errno;

	if (stop == 0) {
		stop = sig;
		setitimer(ITIMER_REAL, &within, NULL);      /* one system call: safe in a handler */
		errno = saved;
		return;
	}
	tt_sink_unlink_all();
	if (stop == SIGALRM) {
		ssize_t n = write(STDERR_FILENO, late, sizeof late - 1);

		_exit(n < 0 ? 4 : tt_exit_code(TT_E_LIMIT));
	}
	die_by(stop);
}

/* Without SA_RESTART: a waiting read must return to see the flag. Signals that were ignored (nohup) stay ignored. */
static void
catch_signals(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_stop }, old;

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof sigs / sizeof sigs[0]; i++) {
		if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
	sigaction(SIGALRM, &sa, NULL);
	/* Both come back as errors of write(): EPIPE, EFBIG. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* Open closed standard descriptors, so that no file gets their numbers. Reading and writing them fails as before. */
static void
hold_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) == 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(4);
	}
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
	ssize_t n;

	help_overview(&text);
	n = write(STDERR_FILENO, text.p, text.n);
	(void)n;
	tt_buf_free(&text);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a command or a file");
}

/* Words that people try as commands, with the command that does what they ask for. */
static const struct { const char *word, *command; } tried[] = {
	{ "allocations", "tracetool stats --table gcalloc,alloc_sites FILE" },
	{ "causes", "tracetool stats --table causes FILE" },
	{ "compare", "tracetool diff BEFORE... -- AFTER..." },
	{ "export", "tracetool convert FILE -o FILE.pftrace" },
	{ "frames", "tracetool stats --table frames,hitches FILE" },
	{ "gate", "tracetool stats --gate BUDGET FILE..." },
	{ "hitches", "tracetool stats --table hitches,causes FILE" },
	{ "markers", "tracetool stats --table markers FILE" },
	{ "metrics", "tracetool list metrics" },
	{ "suggest", "tracetool stats --suggest FILE... -o BUDGET" },
	{ "summary", "tracetool FILE" },
	{ "tables", "tracetool list metrics" },
	{ "view", "tracetool open FILE" },
};

/* Fail if the first argument is neither verb nor file; if it resembles a verb, suggest that verb. */
static int
check_verb(const char *word, struct tt_err *err)
{
	const char *near = tt_nearest_word(word, command_name);
	struct stat st;

	if (word[0] == '-' || strpbrk(word, "./") || stat(word, &st) == 0 || errno != ENOENT)
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
	struct stat st;

	for (int i = 1; i < argc; i++)
		if (command_named(argv[i]) && stat(argv[i], &st) != 0 && errno == ENOENT)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there is no file \"%s\"; a command comes before its options: tracetool %s ...",
			    argv[i], argv[i]);
	return err->code;
}

/* Run the arguments (without the program's name); *${verb}: the verb whose help fits them. */
static int
run(struct app *app, int argc, char **argv, const struct verb **verb, struct tt_err *err)
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
	struct rusage u;
	char wall[40], rss[40], mem[40];

	if (getrusage(RUSAGE_SELF, &u) != 0)
		return;
	*tt_put_time(wall, ui_clock() - app->ui.start_ns) = '\0';
	*tt_put_bytes(rss, (int64_t)u.ru_maxrss * 1024) = '\0';
	*tt_put_bytes(mem, (int64_t)atomic_load(&app->env.mem.peak)) = '\0';
	tt_log(&app->env, TT_LOG_VERBOSE, "%s, peak memory %s (%s counted against --max-memory)", wall, rss, mem);
}

static void
say_see(struct app *app, const struct verb *verb)
{
	if (app->page)
		ui_say(&app->ui, "see %s", app->page);
	else
		ui_say(&app->ui, "see \"tracetool help%s%s\"", verb && verb->name[0] ? " " : "", verb ? verb->name : "");
}

/* Report the result. Returns the exit code, or ends the program by the signal that stopped it. */
static int
conclude(struct app *app, int status, const struct tt_err *err, const struct verb *verb)
{
	char text[40];

	/* All work is done or undone: no limit of time applies any more. */
	signal(SIGALRM, SIG_IGN);
	ui_erase(&app->ui);
	if (stop != 0 && status < 0) {
		tt_sink_unlink_all();
		if (stop != SIGALRM)
			die_by(stop);
		*tt_put_time(text, app->max_time) = '\0';
		ui_say(&app->ui, "%s%sstopped after the %s --max-time allows", app->input, app->input[0] ? ": " : "", text);
		return tt_exit_code(TT_E_LIMIT);
	}
	if (status == TT_E_IO && err->sys == EPIPE)
		die_by(SIGPIPE);      /* the reader of our pipe has ended: die by SIGPIPE, as if it were not ignored */
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
	const struct verb *verb = NULL;
	int status, code;

	hold_descriptors();
	catch_signals();
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
	return tt_stack_run(run_program, argc, argv);
}
