/* Tests of how a recording into a pipe starts: formats/recorder/core/recording.c and rotate.c. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "ttc_kit.h"

enum { EVENTS = 1000, WHOLE = 1 << 20 };

static _Thread_local uint64_t asleep_ns;      /* what this thread has asked for */

/* The recorder's, too. */
int
nanosleep(const struct timespec *t, struct timespec *left)
{
	asleep_ns += (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
	return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, t, left);
}

static uint64_t
raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A program that records EVENTS zones, and does so for at least ${ns}; its exit status says where it failed. */
static int
program(const char *path, uint64_t ns)
{
	struct rec_options o = { .path = path, .ring = 2u << 20, .threads = 8 };
	char why[256];
	uint64_t key[4], end;

	if (rec_open(&o, why) != 0)
		return 2;
	/* The least that tells a good span from a bad one takes a millisecond; measuring it well enough to keep took 50. */
	if (asleep_ns > 25000000)
		return 3;
	ttc_keys(key, 4);
	struct rec_thread *t = rec_thread();
	for (unsigned i = 0; t && i < EVENTS; i++) {
		rec_begin(t, rec_now(), key[2]);
		rec_end(t, rec_now(), key[2]);
	}
	for (end = raw_ns() + ns; raw_ns() < end;)
		;
	return rec_close(why) == 0 && t ? 0 : 4;
}

/* What came through the pipe; the program's status. */
static int
recorded(uint64_t ns, unsigned char *bytes, size_t *n)
{
	const char *path = check_path("pipe.ttc");
	int status = -1, fd;
	pid_t child;

	*n = 0;
	if (!CHECK_EQ_INT(mkfifo(path, 0600), 0))
		return -1;
	/* Nobody waits for the other end to be opened. */
	if (!CHECK((fd = open(path, O_RDWR | O_CLOEXEC)) >= 0))
		return -1;
	fflush(NULL);
	if ((child = fork()) == 0)
		_exit(program(path, ns));
	int end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	waitpid(child, &status, 0);           /* a thousand events have room in the pipe */
	for (ssize_t got; *n < WHOLE && (got = read(end, bytes + *n, WHOLE - *n)) > 0;)
		*n += (size_t)got;
	close(end);
	close(fd);
	remove(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_program_that_records_into_a_pipe_does_not_wait_for_the_clock)
{
	unsigned char *bytes = malloc(WHOLE);
	struct ttc_result r;
	size_t n;

	for (int i = 0; i < 3; i++) {
		CHECK_EQ_INT(recorded(0, bytes, &n), 0);
		ttc_read_pipe(bytes, n, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.all.zones, EVENTS);
		CHECK_EQ_INT(r.end_mark, 1);
	}
	free(bytes);
}

#if defined(__x86_64__)
#include <x86intrin.h>

/* Both clocks, as near to one another as eight tries find them. */
static void
both(uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t a = __rdtsc(), now = raw_ns(), b = __rdtsc();
		if (b - a < best) {
			best = b - a;
			*ticks = a;
			*ns = now;
		}
	}
}

TEST(a_pipe_has_the_counters_rate_all_the_same)
{
	unsigned char *bytes = malloc(WHOLE);
	uint64_t t0 = 0, n0 = 0, t1 = 0, n1 = 0;
	struct ttc_result r;
	size_t n;

	both(&t0, &n0);
	CHECK_EQ_INT(recorded(70000000, bytes, &n), 0);
	both(&t1, &n1);
	ttc_read_pipe(bytes, n, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(r.all.zones, EVENTS);
	double is = (double)(t1 - t0) * (double)r.num / (double)r.den, was = (double)(n1 - n0);
	if (r.den > 1 && !CHECK(is > was * 0.9999 && is < was * 1.0001))
		printf("%.0f ns, by the capture %.0f\n", was, is);
	free(bytes);
}
#endif
