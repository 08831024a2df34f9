/**
 * The system calls for WebAssembly, in a page or under Node: one thread, no signals, files by emscripten's file system. posix.c has the
 * other calls, as for Unixes.
 */
#ifdef __EMSCRIPTEN__
#include "sys/sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- open files -------------------------------------------------------------------- */

void
tt_sys_will_read(int fd)
{
	(void)fd;
}

void
tt_sys_begin_writeback(int fd, uint64_t at, uint64_t n)
{
	(void)fd, (void)at, (void)n;
}

int
tt_sys_scratch(const char *dir)
{
	char path[TT_PATH_BYTES];
	int fd;

	if (snprintf(path, sizeof path, "%s/tracetool-XXXXXX", dir) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkstemp(path);
	if (fd >= 0)
		unlink(path);
	return fd;
}

bool
tt_sys_scratch_is_named(const char *dir)
{
	(void)dir;
	return false;
}

int
tt_sys_memory_file(void)
{
	errno = ENOSYS;
	return -1;
}

int
tt_sys_copy(int from, int to, uint64_t n, uint64_t *done)
{
	static char part[65536];

	while (*done < n) {
		const size_t want = n - *done < sizeof part ? (size_t)(n - *done) : sizeof part;
		const int64_t got = tt_sys_pread(from, part, want, *done);

		if (got <= 0) {
			errno = got == 0 ? ENOSPC : errno;
			return -1;
		}
		for (int64_t put = 0, w; put < got; put += w) {
			w = tt_sys_write(to, part + put, (size_t)(got - put));
			if (w <= 0)
				return -1;
			*done += (uint64_t)w;
		}
	}
	return 0;
}

/* --- the machine and this process -------------------------------------------------- */

unsigned
tt_sys_ncpus(void)
{
	return 1;
}

bool
tt_sys_random(void *p, size_t n)
{
	return getentropy(p, n) == 0;
}

bool
tt_sys_has_ended(long pid, int wait_ms)
{
	(void)pid, (void)wait_ms;
	return true;
}

int
tt_sys_run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv, size_t bytes)
{
	(void)bytes;
	return run(argc, argv);
}

#else
typedef int tt_no_wasm;               /* C wants a declaration in every file */
#endif
