/**
 * A clock for programs that are timed on a busy machine: preloaded, it has CLOCK_MONOTONIC advance by the processor time of the process
 * and nothing else, as if the program ran alone on one processor.
 *
 * Threads that are busy at one time slow each other, and time in which others have the processor is not there. Who sleeps is busy
 * until the time is over, so that time passes; other waits end by what threads do. Deadlines of waits are given to the system as the
 * time of day that is as far away.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000
#define FIRST ((int64_t)1000 * SECOND)        /* the time at which the process begins: far from the time of day */

static int64_t
ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * SECOND + t->tv_nsec;
}

static struct timespec
at(int64_t t)
{
	return (struct timespec){ .tv_sec = t / SECOND, .tv_nsec = t % SECOND };
}

static bool
replaced(clockid_t id)
{
	return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME;
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	long rc = syscall(SYS_clock_gettime, replaced(id) ? CLOCK_PROCESS_CPUTIME_ID : id, t);

	if (rc == 0 && replaced(id))
		*t = at(FIRST + ns(t));
	return (int)rc;
}

static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ns(&t);
}

static void
burn(int64_t until)
{
	while (now() < until)
		;
}

int
clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *left)
{
	if (!replaced(id))
		return syscall(SYS_clock_nanosleep, id, flags, t, left) == 0 ? 0 : -1;
	burn(flags & TIMER_ABSTIME ? ns(t) : now() + ns(t));
	return 0;
}

/* Deadlines of our clock are before 1970 has passed; the others are times of day. */
int
pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	static int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
	struct timespec t = *until, day;

	if (!wait)
		*(void **)&wait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
	if (t.tv_sec < 1000000) {
		syscall(SYS_clock_gettime, CLOCK_REALTIME, &day);
		t = at(ns(&day) + (ns(&t) - now()));
	}
	return wait(cond, mutex, CLOCK_REALTIME, &t);
}
