/**
 * Ends a process whose crash handler never returns, on Linux; and handles fork().
 */
#if !defined(_WIN32)

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "recorder/core/platform.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static _Atomic bool in_fork, in_abort;
static struct sigaction usual_abort;
static void (*run_in_child)(void);

static void
before_fork(void)
{
	atomic_store(&in_fork, true);
}

static void
after_fork(void)
{
	atomic_store(&in_fork, false);
}

static void
in_forked_child(void)
{
	after_fork();
	run_in_child();
}

void
plat_fork_hook(void (*child)(void))
{
	run_in_child = child;
	pthread_atfork(before_fork, after_fork, in_forked_child);
}

static void
on_abort(int number, siginfo_t *info, void *context)
{
	atomic_store(&in_abort, true);
	usual_abort.sa_sigaction(number, info, context);
	atomic_store(&in_abort, false);
}

void
plat_watch_abort(void)
{
	struct sigaction ours;

	if (sigaction(SIGABRT, NULL, &usual_abort) != 0 || !(usual_abort.sa_flags & SA_SIGINFO) || usual_abort.sa_sigaction == on_abort)
		return;
	ours = usual_abort;
	ours.sa_sigaction = on_abort;
	sigaction(SIGABRT, &ours, NULL);
}

/* Add ${step_ms} to the time for which ${goes_on} was continuously true. True if that time exceeds ${max_ms}. */
static bool
goes_on_too_long(const _Atomic bool *goes_on, uint64_t *seen_ms, uint64_t step_ms, unsigned max_ms)
{
	*seen_ms = atomic_load(goes_on) ? *seen_ms + step_ms : 0;
	return *seen_ms > max_ms;
}

void
plat_end_stuck_crash(unsigned max_fork_ms, unsigned max_abort_ms)
{
	enum { MAX_STEP_MS = 100 };   /* while the process or the system is suspended, so is the handler; that time does not count */
	static const char said[] = "tracetool: the runtime crashed, and its crash handler does not come to an end: ended by SIGABRT\n";
	static uint64_t last_ms, fork_ms, abort_ms;
	struct sigaction usual = { .sa_handler = SIG_DFL };
	struct plat_instant i;
	sigset_t abrt;

	plat_instant(&i);
	const uint64_t now_ms = i.mono_ns / 1000000, step_ms = now_ms - last_ms < MAX_STEP_MS ? now_ms - last_ms : MAX_STEP_MS;
	last_ms = now_ms;
	const bool fork_hangs = goes_on_too_long(&in_fork, &fork_ms, step_ms, max_fork_ms);
	if (!goes_on_too_long(&in_abort, &abort_ms, step_ms, max_abort_ms) && !fork_hangs)
		return;
	/* Take no lock and no memory here, as the heap is damaged. A lost message is acceptable. */
	if (write(STDERR_FILENO, said, sizeof said - 1) < 0)
		after_fork();
	sigemptyset(&abrt);
	sigaddset(&abrt, SIGABRT);
	sigaction(SIGABRT, &usual, NULL);
	pthread_sigmask(SIG_UNBLOCK, &abrt, NULL);
	raise(SIGABRT);
}

#else
typedef int tt_crash_linux_is_empty;
#endif
