/**
 * Shared by the files for Windows: names, handles and errors of the system. Callers' names are UTF-8, the system's UTF-16; paths that are too long for the
 * system get its prefix for long paths.
 */
#ifndef TT_SYS_WINDOWS_H
#define TT_SYS_WINDOWS_H

#include <errno.h>
#include <io.h>
#include <stdbool.h>
#include <stdint.h>

#include <windows.h>

#include "sys/sys.h"

/* UTF-16 units of a path, with its prefix and its NUL. */
enum { TT_WINDOWS_PATH = TT_PATH_BYTES + 8 };

/* Time from 1601, where Windows begins to count, to 1970, in units of 100 ns. */
#define TT_WINDOWS_EPOCH_100NS INT64_C(116444736000000000)

/* Set errno from the system's last error; return -1. */
int tt_windows_fail(void);

/* Convert ${path} to the system's form; false, with errno: it is not UTF-8, or too long. */
bool tt_windows_widen(const char *path, wchar_t to[TT_WINDOWS_PATH]);

/* Convert ${name} to UTF-8, with U+FFFD for units that are not valid UTF-16, which names may have. False: it is too long. */
bool tt_windows_narrow(const wchar_t *name, char *to, int size);

static inline HANDLE
tt_windows_handle(int fd)
{
	const intptr_t h = _get_osfhandle(fd);

	if (h == -1 || h == -2)
		errno = EBADF;
	return h == -2 ? INVALID_HANDLE_VALUE : (HANDLE)h;
}

#endif
