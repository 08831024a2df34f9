/**
 * Runs another program, hands on the signals that are meant for it, and ends as it ended.
 */
#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
#define NPASSED (sizeof passed / sizeof passed[0])

static volatile sig_atomic_t child;

static void
pass_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	/* A signal that the kernel sends came from the terminal, so the whole group has it already. */
	if (child > 0 && info->si_code != SI_KERNEL)
		kill((pid_t)child, sig);
	errno = saved;
}

/* Become the program, in the child: first reset the signals that we ignore or catch, but not those that our own parent ignored. */
static void
become(const char *const *argv, const struct sigaction *old, const sigset_t *mask, int report)
{
	for (size_t i = 0; i < NPASSED; i++)
		if (old[i].sa_handler != SIG_IGN)
			signal(passed[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], (char *const *)(const void *)argv);
	int e = errno;
	while (write(report, &e, sizeof e) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

static int
wait_for(pid_t pid, int *status, struct tt_err *err)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return tt_fail_sys(err, errno, "waiting for the program");
	return TT_OK;
}

/* Start the program. The pipe ${report} closes when the program runs; if it cannot run, the child writes the errno to it. */
static int
start(const char *const *argv, const struct sigaction *old, const sigset_t *mask, struct tt_err *err)
{
	int report[2], e = 0, status;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) != 0)
		return tt_fail_sys(err, errno, "pipe");
	pid_t pid = fork();
	if (pid == 0)
		become(argv, old, mask, report[1]);
	close(report[1]);
	if (pid < 0) {
		e = errno;
	} else {
		while ((n = read(report[0], &e, sizeof e)) < 0 && errno == EINTR)
			continue;
		e = n == (ssize_t)sizeof e ? e : 0;
	}
	close(report[0]);
	if (e && pid > 0)
		wait_for(pid, &status, err);
	if (e)
		return tt_fail_sys(err, e, "%s", argv[0]);
	child = pid;
	return TT_OK;
}

int
tt_program_run(const char *const *argv, int *status, struct tt_err *err)
{
	struct sigaction sa = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART }, old[NPASSED];
	sigset_t block, mask;

	/* Signals are blocked until the program runs, then passed on to it. */
	sigemptyset(&block);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < NPASSED; i++)
		sigaddset(&block, passed[i]);
	sigprocmask(SIG_BLOCK, &block, &mask);
	for (size_t i = 0; i < NPASSED; i++) {
		sigaction(passed[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(passed[i], &sa, NULL);
	}
	int rc = start(argv, old, &mask, err);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	TT_THEN(rc, wait_for((pid_t)child, status, err));
	child = 0;
	for (size_t i = 0; i < NPASSED; i++)
		sigaction(passed[i], &old[i], NULL);
	return rc;
}

bool
tt_program_succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int
tt_program_end(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;
	int sig;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	sig = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 128 + sig;
}
