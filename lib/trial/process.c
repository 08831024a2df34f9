/**
 * Runs a build and waits for its end.
 *
 * The build runs in a session of its own, so that it neither waits for a terminal nor gets our terminal's signals, with an empty standard input, and a pipe for
 * its output, of which the end is kept. Processes that it leaves behind become our children, and so can be found.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "sys/sys.h"
#include "base/setting.h"
#include "out/table.h"
#include "trial/state.h"

#define SECOND INT64_C(1000000000)
#define LEAVE (2 * SECOND)            /* time in ns before a process that was asked to end is killed, and for processes that a build left behind */
#define STOP (10 * SECOND)            /* the same after a signal to us, because a game may still be writing its capture */
#define NAP_MS 10                     /* ms between two checks for processes that a build left behind */
#define TAIL 2000                     /* bytes of output that are kept */
#define LINES 5                       /* number of lines of it that are shown */

static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
#define NOURS (sizeof ours / sizeof *ours)
static sigset_t before;

/* Collect the signals to handle. Signals that are ignored, as by nohup, stay ignored: if blocked, they would arrive all the same. */
static void
our_signals(sigset_t *set)
{
	struct sigaction old;

	sigemptyset(set);
	for (size_t i = 0; i < NOURS; i++)
		if (ours[i] == SIGCHLD || (sigaction(ours[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
			sigaddset(set, ours[i]);
}

void
tt_trial_signals(void)
{
	sigset_t set;

	our_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	/* Processes that a build leaves behind become our children, so that we see them end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void
tt_trial_signals_end(int stopped)
{
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	if (stopped)
		raise(stopped);               /* delivered by the next statement */
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A running build. */
struct running {
	pid_t pid;
	int out, signals;
	char tail[TAIL];
	size_t ntail;
	bool ended;
	int status;
	bool late;                    /* true: it exceeded o->run_timeout_ns */
	int64_t kill_at;              /* time to kill it; INT64_MAX: it was not asked to end */
	int64_t say_at;               /* time to say that we wait for its end; INT64_MAX: never */
};

/*
 * In the child: run the build with our environment plus the capture's name, empty standard input, and output to the pipe ${out}. On failure write errno to
 * ${report}.
 */
static void
become(const char *const *argv, const char *capture, int out, int report)
{
	int nothing = open("/dev/null", O_RDONLY);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	for (size_t i = 0; i < NOURS; i++) {
		struct sigaction old;

		if (sigaction(ours[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			signal(ours[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 && setenv("TRACETOOL_CAPTURE", capture, 1) == 0)
		execvp(argv[0], (char *const *)(const void *)argv);
	int e = errno;
	while (write(report, &e, sizeof e) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

/* Start the build. The pipe to it reports errno if the program cannot run, and closes when it runs. */
static int
start(struct running *r, const char *const *argv, const char *capture, struct tt_err *err)
{
	int out[2], report[2], e = 0;
	sigset_t set;
	ssize_t n;

	our_signals(&set);
	if (pipe2(out, O_CLOEXEC) != 0)
		return tt_fail_sys(err, errno, "pipe");
	if (pipe2(report, O_CLOEXEC) != 0) {
		e = errno;
		close(out[0]);
		close(out[1]);
		return tt_fail_sys(err, e, "pipe");
	}
	r->out = out[0];
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	r->pid = r->signals >= 0 ? fork() : -1;
	if (r->pid == 0)
		become(argv, capture, out[1], report[1]);
	e = r->pid < 0 ? errno : 0;
	close(out[1]);
	close(report[1]);
	if (r->pid > 0) {
		while ((n = read(report[0], &e, sizeof e)) < 0 && errno == EINTR)
			continue;
		e = n == (ssize_t)sizeof e ? e : 0;
	}
	close(report[0]);
	fcntl(r->out, F_SETFL, O_NONBLOCK);
	if (e && r->pid > 0)
		waitpid(r->pid, NULL, 0);
	if (!e)
		return TT_OK;
	close(r->out);
	if (r->signals >= 0)
		close(r->signals);
	return tt_fail_sys(err, e, "%s", argv[0]);
}

/* Read output and keep its end; return false once every writer has closed the pipe. */
static bool
take_output(struct running *r)
{
	char text[1 << 16];
	ssize_t n = read(r->out, text, sizeof text);
	size_t keep;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	if ((size_t)n >= TAIL) {
		memcpy(r->tail, text + n - TAIL, TAIL);
		r->ntail = TAIL;
		return true;
	}
	keep = r->ntail + (size_t)n > TAIL ? TAIL - (size_t)n : r->ntail;
	memmove(r->tail, r->tail + r->ntail - keep, keep);
	memcpy(r->tail + keep, text, (size_t)n);
	r->ntail = keep + (size_t)n;
	return true;
}

/* Read the output left in the pipe, which processes that the build left behind may keep open. */
static void
take_rest(struct running *r)
{
	struct pollfd p = { .fd = r->out, .events = POLLIN };

	while (poll(&p, 1, 0) > 0 && (p.revents & POLLIN) && take_output(r))
		;
}

static void
take_signals(struct tt_trial *x, struct running *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGCHLD)
			continue;
		/* A second signal kills it at once. */
		kill(-r->pid, x->stop_signal ? SIGKILL : sig);
		r->say_at = x->stop_signal ? INT64_MAX : tt_sys_clock_ns() + SECOND;
		r->kill_at = tt_sys_clock_ns() + STOP;
		x->stop_signal = sig;
	}
}

/* Reap the build and processes that it left behind. */
static void
reap(struct running *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == r->pid) {
			r->ended = true;
			r->status = status;
		}
	}
}

/* Milliseconds until ${at} for poll(); -1: no limit. */
static int
until(int64_t at)
{
	int64_t ms = (at - tt_sys_clock_ns()) / 1000000 + 1;

	return at == INT64_MAX ? -1 : ms < 0 ? 0 : ms > 1000000 ? 1000000 : (int)ms;
}

static void
wait_for(struct tt_trial *x, struct running *r, int64_t timeout)
{
	int64_t end = timeout ? tt_sys_clock_ns() + timeout : INT64_MAX;
	struct pollfd p[2] = { { .fd = r->signals, .events = POLLIN }, { .fd = r->out, .events = POLLIN } };

	for (reap(r); !r->ended; reap(r)) {
		int64_t next = end < r->kill_at ? end : r->kill_at;

		poll(p, 2, until(next < r->say_at ? next : r->say_at));
		take_signals(x, r);
		if (tt_sys_clock_ns() >= r->say_at) {
			tt_log(x->env, TT_LOG_QUIET, "waiting up to %d s for the build to end; interrupt again to kill it now", (int)(STOP / SECOND));
			r->say_at = INT64_MAX;
		}
		if (p[1].revents && !take_output(r))
			p[1].fd = -1;
		if (tt_sys_clock_ns() >= end) {
			r->late = true;
			r->kill_at = tt_sys_clock_ns() + LEAVE;
			end = INT64_MAX;
			kill(-r->pid, SIGTERM);
		} else if (tt_sys_clock_ns() >= r->kill_at) {
			r->kill_at = INT64_MAX;
			kill(-r->pid, SIGKILL);
		}
	}
}

/*
 * Send ${sig} (0: none) to all remaining processes of the build: its process group, and those that became our children; but not to children in our own session,
 * which whoever became this program by exec may have had. Return true if there are any.
 */
static bool
signal_rest(const struct running *r, int sig)
{
	bool left = kill(-r->pid, sig) == 0;
	FILE *f = fopen("/proc/thread-self/children", "re");
	long pid;

	while (f && fscanf(f, "%ld", &pid) == 1)
		if (getsid((pid_t)pid) != getsid(0))
			left |= kill((pid_t)pid, sig) == 0;
	if (f)
		fclose(f);
	return left;
}

/* Wait until ${end} for remaining processes to end; return true if some are left. */
static bool
await_rest(struct tt_trial *x, struct running *r, int64_t end)
{
	struct pollfd p = { .fd = r->signals, .events = POLLIN };

	for (reap(r); signal_rest(r, 0); reap(r)) {
		if (tt_sys_clock_ns() >= end)
			return true;
		poll(&p, 1, NAP_MS);
		take_signals(x, r);
		take_output(r);
	}
	return false;
}

/* Give remaining processes a short time to end, then kill them; return true if some did not end by themselves. */
static bool
end_rest(struct tt_trial *x, struct running *r)
{
	bool left;

	if (r->late)
		signal_rest(r, SIGKILL);
	left = await_rest(x, r, tt_sys_clock_ns() + LEAVE);
	/* Processes that are killed may leave children in turn. */
	for (int64_t end = tt_sys_clock_ns() + LEAVE; left && signal_rest(r, SIGKILL) && tt_sys_clock_ns() < end; )
		await_rest(x, r, tt_sys_clock_ns() + NAP_MS * 1000000);
	return left;
}

/* --- what came of it -------------------------------------------------------------------------------- */

/* Print the last lines of its output. */
static void
show_tail(struct tt_trial *x, const struct running *r)
{
	size_t end = r->ntail, from, lines = 0;

	while (end > 0 && (r->tail[end - 1] == '\n' || r->tail[end - 1] == '\r'))
		end--;
	for (from = end; from > 0 && (r->tail[from - 1] != '\n' || ++lines < LINES); from--)
		;
	if (end == 0)
		tt_log(x->env, TT_LOG_QUIET, "  it printed nothing");
	while (from < end) {
		const char *line = r->tail + from, *stop = memchr(line, '\n', end - from);
		size_t n = stop ? (size_t)(stop - line) : end - from;

		tt_log(x->env, TT_LOG_QUIET, "  | %.*s", (int)n, line);
		from += n + 1;
	}
}

#define LITTLE ((uint64_t)1 << 20)    /* minimum free disk space in bytes to complete a capture */

static void
crashed(struct tt_trial *x, const struct running *r, struct tt_trial_run *run)
{
	struct statvfs room;

	run->end = TT_RUN_CRASHED;
	tt_log(x->env, TT_LOG_QUIET, "%s crashed: %s; the end of what it printed:", run->name, run->crash_text);
	show_tail(x, r);
	if (statvfs(x->dir, &room) == 0 && room.f_bavail * room.f_frsize < LITTLE)
		tt_log(x->env, TT_LOG_QUIET, "  %s has hardly any room left, which may be why; captures go where %s or %s says", x->dir,
		    tt_setting_name[TT_SETTING_TMPDIR], tt_setting_name[TT_SETTING_KEEP]);
}

static bool
is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

/* Fail because the first run left no capture: continuing is useless. */
static int
no_capture(struct tt_trial *x, enum tt_side side, const struct running *r, const struct tt_trial_run *run, struct tt_err *err)
{
	tt_log(x->env, TT_LOG_QUIET, "%s: exit status 0, and no capture; the end of what it printed:", run->name);
	show_tail(x, r);
	if (tt_trial_is_recorded(x, side))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%.200s left no capture, although it was run by tracetool record: does a Mono runtime run in it?",
		    x->command[side]);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%.200s left no capture in $TRACETOOL_CAPTURE: write one there, record Mono with "
	    "%s, or a Unity player with the plug-in (tracetool-unity(7))", x->command[side], tt_setting_name[TT_SETTING_MONO]);
}

static int
judge_end(struct tt_trial *x, enum tt_side side, const struct running *r, bool first, struct tt_trial_run *run, struct tt_err *err)
{
	char limit[40];

	if (access(x->dir, W_OK | X_OK) != 0)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: the folder of captures is gone after the run %s: a build must leave it alone", x->dir, run->name);
	if (r->late) {
		if (x->o->run_timeout_ns % SECOND == 0)
			snprintf(limit, sizeof limit, "%lld s", (long long)(x->o->run_timeout_ns / SECOND));
		else
			*tt_put_time(limit, x->o->run_timeout_ns) = '\0';
		snprintf(run->crash_text, sizeof run->crash_text, "it ran longer than the %s of %s", limit, tt_setting_name[TT_SETTING_TIMEOUT]);
	} else if (WIFSIGNALED(r->status)) {
		snprintf(run->crash_text, sizeof run->crash_text, "signal %d, %s", WTERMSIG(r->status), strsignal(WTERMSIG(r->status)));
	} else if (WEXITSTATUS(r->status) != 0) {
		snprintf(run->crash_text, sizeof run->crash_text, "exit status %d", WEXITSTATUS(r->status));
	} else if (!is_there(run->path)) {
		snprintf(run->crash_text, sizeof run->crash_text, "exit status 0, but no capture");
		if (first)
			return no_capture(x, side, r, run, err);
	} else {
		run->end = TT_RUN_GOOD;
		return TT_OK;
	}
	crashed(x, r, run);
	return TT_OK;
}

/* True if the program is a Mono runtime by its name: mono, mono64, mono-sgen. */
static bool
is_mono(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	return strncmp(name, "mono", 4) == 0 && !isalpha((unsigned char)name[4]);
}

bool
tt_trial_is_recorded(const struct tt_trial *x, enum tt_side side)
{
	return x->o->is_recorded || is_mono(x->o->build[side][0]);
}

static size_t
count_words(const char *const *word)
{
	size_t n = 0;

	while (word[n])
		n++;
	return n;
}

/* The command to run: the build's own, or the recorder's with it. */
static const char *const *
words(struct tt_trial *x, enum tt_side side, const char *capture, struct tt_err *err)
{
	const char *const *const part[] = { x->o->recorder[0], (const char *const[]){ capture, NULL }, x->o->recorder[1], x->o->build[side] };
	const char **v;
	size_t n = 0;

	if (!tt_trial_is_recorded(x, side))
		return x->o->build[side];
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		n += count_words(part[i]);
	v = tt_arena_alloc(&x->a, (n + 1) * sizeof *v, err);
	n = 0;
	for (size_t i = 0; v && i < sizeof part / sizeof *part; i++)
		for (const char *const *word = part[i]; *word; word++)
			v[n++] = *word;
	return v;
}

int
tt_trial_run_build(struct tt_trial *x, enum tt_side side, const char *name, struct tt_trial_run *run, struct tt_err *err)
{
	struct running r = { .kill_at = INT64_MAX, .say_at = INT64_MAX };
	struct tt_buf path = { 0 };
	const char *const *argv;
	bool first = true, left;
	int rc;

	*run = (struct tt_trial_run){ .end = TT_RUN_NONE };
	snprintf(run->name, sizeof run->name, "%s", name);
	tt_buf_printf(&path, "%s/%s.ttc", x->dir, name);
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == ' ' && i > strlen(x->dir))
			path.p[i] = '-';
	run->path = tt_buf_move_to_arena(&path, &x->a, err);
	argv = run->path ? words(x, side, run->path, err) : NULL;
	if (!argv)
		return err->code;
	for (size_t i = 0; i < TT_PAIRS_MAX; i++)
		first = first && x->run[side][i].end == TT_RUN_NONE;
	first = first && x->warmup_run[side].end != TT_RUN_GOOD;
	unlink(run->path);
	rc = start(&r, argv, run->path, err);
	if (rc != TT_OK && err->sys == ENOENT && !strchr(argv[0], '/'))
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "the %s build: %s: No such file in PATH: write ./%s for a program of this folder, "
		    "\"mono %s\" for a Mono program", tt_trial_side[side], argv[0], argv[0], argv[0]);
	if (rc != TT_OK)
		return tt_err_in(err, "the %s build", tt_trial_side[side]);
	wait_for(x, &r, x->o->run_timeout_ns);
	left = end_rest(x, &r);
	take_rest(&r);
	close(r.out);
	close(r.signals);
	if (x->stop_signal)
		return TT_OK;
	if (left)
		tt_log(x->env, TT_LOG_QUIET, "%s ended and left processes running, which are ended now: a build must not end before what it starts", run->name);
	return judge_end(x, side, &r, first, run, err);
}
