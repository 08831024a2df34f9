/**
 * Allocation that fails on purpose. Linked into build/tracetool-oom with --wrap, so that it stands in for our
 * own calls only, not for those of the libraries.
 *
 * TT_FAIL_AT=N       the Nth call fails
 * TT_FAIL_ON=1       and all after it
 * TT_FAIL_TOLD=FILE  gets a byte when one fails, so that the caller knows N was reached
 * TT_FAIL_FROM=FILE  gets a line for each call: its N, and the calls it is reached through, as a number that is the
 *                    same in every run of the same program
 *
 * Counting begins with main(): what runs before it is not ours.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault.h"

/* Of the linker: where the program's own code is. */
extern const char __executable_start[], etext[];

#define DEPTH 12    /* calls that are looked at */
#define SHARED_MAX ((size_t)256 << 20)

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);
int __real_open64(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *p, size_t n);
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t to, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t to, size_t n);

static atomic_long calls;
static long at;
static bool on, begun;
static int told = -1;
static FILE *from;
static pid_t first;             /* the process that has ${told} and ${from}; in others their numbers are something else's */

/* What processes tell the first one, which writes it down when it ends. */
static struct shared {
	atomic_bool failed;
	atomic_size_t n;
	char from[SHARED_MAX];
} *shared;

static void
tell_at_end(void)
{
	size_t n = shared->n < SHARED_MAX ? shared->n : SHARED_MAX;

	if (getpid() != first)
		return;
	if (shared->failed)
		fault_tell();
	if (from && (fwrite(shared->from, 1, n, from) != n || fflush(from) != 0))
		abort();
}

int
__wrap_main(int argc, char **argv)
{
	const char *s = getenv("TT_FAIL_AT");

	at = s ? atol(s) : 0;
	on = getenv("TT_FAIL_ON") != NULL;
	s = getenv("TT_FAIL_TOLD");
	/* Now, for the sandbox opens nothing; and by a call that is not one of those that fail. */
	if (s)
		told = openat(AT_FDCWD, s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	s = getenv("TT_FAIL_FROM");
	from = s ? fopen(s, "we") : NULL;
	if (from) {
		/* The first one loads a library. */
		void *at_once[2];

		backtrace(at_once, 2);
	}
	first = getpid();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED || atexit(tell_at_end) != 0)
		abort();
	begun = true;
	return __real_main(argc, argv);
}

void
fault_tell(void)
{
	if (told >= 0 && getpid() != first)
		shared->failed = true;
	else if (told >= 0 && __real_write(told, "!", 1) != 1)
		abort();
}

/* The calls this one is reached through, those of other libraries left out. */
static void
put_from(long number)
{
	void *frame[DEPTH];
	int n = backtrace(frame, DEPTH);
	uint64_t h = 0;

	for (int i = 2; i < n; i++) {
		uintptr_t p = (uintptr_t)frame[i];

		if (p >= (uintptr_t)__executable_start && p < (uintptr_t)etext)
			h = (h ^ (p - (uintptr_t)__executable_start)) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	}
	char line[64];
	size_t k = (size_t)snprintf(line, sizeof line, "%ld %016llx\n", number, (unsigned long long)h);
	size_t to = atomic_fetch_add(&shared->n, k);

	if (to + k <= SHARED_MAX)
		memcpy(shared->from + to, line, k);
}

static bool
fails(void)
{
	if (!begun)
		return false;
	long n = atomic_fetch_add(&calls, 1) + 1;

	if (from)
		put_from(n);

	if (at == 0 || n < at || (n > at && !on))
		return false;
	if (n == at)
		fault_tell();
	errno = ENOMEM;
	return true;
}

void *
__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *
__wrap_aligned_alloc(size_t to, size_t n)
{
	return fails() ? NULL : __real_aligned_alloc(to, n);
}
