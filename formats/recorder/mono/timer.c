/**
 * Timers of a thread's own processor time. Linux only: elsewhere none can be started.
 */
#include "recorder/mono/timer.h"

#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { SIGNALS = 64 };

/* Return the signal of a running handler: it is blocked now, and was not before. 0 if that is true of several signals. */
int
timer_signal(const void *context, const void *ip)
{
	const ucontext_t *u = context;
	struct sigaction is;
	sigset_t now;
	int found = 0;

#if defined(__x86_64__)
	if (!u || (uintptr_t)u->uc_mcontext.gregs[REG_RIP] != (uintptr_t)ip)
		return 0;
#else
	if (!u || (uintptr_t)u->uc_mcontext.pc != (uintptr_t)ip)
		return 0;
#endif
	if (pthread_sigmask(SIG_BLOCK, NULL, &now) != 0)
		return 0;
	for (int i = 1; i <= SIGNALS; i++) {
		if (sigismember(&now, i) != 1 || sigismember(&u->uc_sigmask, i) == 1)
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found && sigaction(found, NULL, &is) == 0 && is.sa_flags & SA_SIGINFO ? found : 0;
}

/* Call the system directly, because the C library's functions may allocate. */
int
timer_start(int signal, uint64_t period_ns)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal };
	struct itimerspec each = { .it_interval = { (time_t)(period_ns / 1000000000), (long)(period_ns % 1000000000) } };
	int timer = -1;

	each.it_value = each.it_interval;
	e.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &e, &timer) != 0)
		return -1;
	if (syscall(SYS_timer_settime, timer, 0, &each, NULL) == 0)
		return timer;
	timer_stop(timer);
	return -1;
}

void
timer_stop(int timer)
{
	if (timer >= 0)
		syscall(SYS_timer_delete, timer);
}

#else
int
timer_signal(const void *context, const void *ip)
{
	(void)context;
	(void)ip;
	return 0;
}

int
timer_start(int signal, uint64_t period_ns)
{
	(void)signal;
	(void)period_ns;
	return -1;
}

void
timer_stop(int timer)
{
	(void)timer;
}
#endif
