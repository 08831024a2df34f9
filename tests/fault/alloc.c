/**
 * Allocation that fails on purpose. Linked into build/tracetool-oom with --wrap, so that it stands in for our
 * own calls only, not for those of the libraries.
 *
 * TT_FAIL_AT=N       the Nth call fails
 * TT_FAIL_ON=1       and all after it
 * TT_FAIL_TOLD=FILE  gets a byte when one fails, so that the caller knows N was reached
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"

ssize_t __real_write(int fd, const void *p, size_t n);
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static atomic_long calls;
static long at;
static bool on;
static int told = -1;

__attribute__((constructor)) static void
begin(void)
{
	const char *s = getenv("TT_FAIL_AT");

	at = s ? atol(s) : 0;
	on = getenv("TT_FAIL_ON") != NULL;
	s = getenv("TT_FAIL_TOLD");
	/* Now, for the sandbox opens nothing. */
	if (s)
		told = open(s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

void
fault_tell(void)
{
	if (told >= 0 && __real_write(told, "!", 1) != 1)
		abort();
}

static bool
fails(void)
{
	long n = atomic_fetch_add(&calls, 1) + 1;

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
