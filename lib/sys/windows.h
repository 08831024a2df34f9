/**
 * Shared by the files for Windows: names, handles and errors of the system. Names are UTF-8 outside and UTF-16 for the system; paths too long for it get its
 * own prefix.
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

/* 1601 to 1970, in 100 ns. */
#define TT_WINDOWS_EPOCH_100NS INT64_C(116444736000000000)

/* Set errno by the system's last error; -1. */
int tt_windows_fail(void);

/* ${path} as the system takes it; false, with errno: it is no UTF-8, or too long. */
bool tt_windows_widen(const char *path, wchar_t to[TT_WINDOWS_PATH]);

/* ${name} as UTF-8, with U+FFFD for units that are no UTF-16, which names may have. False: it is too long. */
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
