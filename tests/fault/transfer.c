/**
 * System calls that do less than asked, are interrupted, or fail on purpose. Linked into build/tracetool-oom with
 * --wrap, so that it stands in for our own calls only, not for those of the libraries.
 *
 * TT_IO=short        reads and writes do one byte at a time, and every second one is interrupted first
 * TT_IO=fail
 * TT_IO_CALL=NAME    the call that fails: read, write, open, close, fsync, rename
 * TT_IO_AT=N         the Nth of these
 * TT_IO_ERRNO=E      with this error
 * TT_FAIL_TOLD=FILE  gets a byte when one fails (alloc.c opens it)
 *
 * Standard error is left alone: it is where the test reads what happened.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __real_pread64(int fd, void *p, size_t n, off_t at);
ssize_t __real_pwrite64(int fd, const void *p, size_t n, off_t at);
int __real_open64(const char *path, int flags, ...);
int __real_close(int fd);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_pread64(int fd, void *p, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *p, size_t n, off_t at);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);

static bool slow, fail;
static const char *call;
static long at;
static int error;
static atomic_long calls, turns;

__attribute__((constructor)) static void
begin(void)
{
	const char *io = getenv("TT_IO"), *n = getenv("TT_IO_AT"), *e = getenv("TT_IO_ERRNO");

	call = getenv("TT_IO_CALL");
	at = n ? atol(n) : 0;
	error = e ? atoi(e) : EIO;
	slow = io && strcmp(io, "short") == 0;
	fail = io && strcmp(io, "fail") == 0 && call;
}

/* Does this call of ${name} fail? Then errno says how. */
static bool
fails(const char *name)
{
	if (!fail || strcmp(call, name) != 0 || atomic_fetch_add(&calls, 1) + 1 != at)
		return false;
	fault_tell();
	errno = error;
	return true;
}

/* Is this transfer interrupted? */
static bool
interrupted(void)
{
	if (!slow || atomic_fetch_add(&turns, 1) % 2 == 0)
		return false;
	errno = EINTR;
	return true;
}

static size_t
part(size_t n)
{
	return slow && n > 1 ? 1 : n;
}

ssize_t
__wrap_read(int fd, void *p, size_t n)
{
	return interrupted() || fails("read") ? -1 : __real_read(fd, p, part(n));
}

ssize_t
__wrap_pread64(int fd, void *p, size_t n, off_t from)
{
	return interrupted() || fails("read") ? -1 : __real_pread64(fd, p, part(n), from);
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
	if (fd == STDERR_FILENO)
		return __real_write(fd, p, n);
	return interrupted() || fails("write") ? -1 : __real_write(fd, p, part(n));
}

ssize_t
__wrap_pwrite64(int fd, const void *p, size_t n, off_t to)
{
	return interrupted() || fails("write") ? -1 : __real_pwrite64(fd, p, part(n), to);
}

int
__wrap_open64(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return fails("open") ? -1 : __real_open64(path, flags, mode);
}

/* As the system does: closed, whatever it says. */
int
__wrap_close(int fd)
{
	bool bad = fails("close");
	int sys = errno, rc = __real_close(fd);

	if (bad)
		errno = sys;
	return bad ? -1 : rc;
}

int
__wrap_fsync(int fd)
{
	return interrupted() || fails("fsync") ? -1 : __real_fsync(fd);
}

int
__wrap_rename(const char *from, const char *to)
{
	return fails("rename") ? -1 : __real_rename(from, to);
}
