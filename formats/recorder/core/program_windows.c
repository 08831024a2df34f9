/**
 * Finds the recorded program's environment, command line, log and control file on Windows.
 */
#include "recorder/core/program.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <shellapi.h>

static size_t
to_utf8(const wchar_t *s, char *to, size_t size)
{
	int n = WideCharToMultiByte(CP_UTF8, 0, s, -1, to, (int)size, NULL, NULL);

	if (n <= 0) {
		if (size)
			to[0] = '\0';
		return 0;
	}
	return (size_t)n - 1;
}

static wchar_t *
from_utf8(const char *s)
{
	int n = MultiByteToWideChar(CP_UTF8, 0, s, -1, NULL, 0);
	wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL;

	if (w)
		MultiByteToWideChar(CP_UTF8, 0, s, -1, w, n);
	return w;
}

size_t
program_env(const char *name, char *to, size_t size)
{
	wchar_t *wide = from_utf8(name);
	DWORD n = wide ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
	wchar_t *value = n ? malloc(n * sizeof *value) : NULL;
	size_t len = 0;

	to[0] = '\0';
	if (value && GetEnvironmentVariableW(wide, value, n) < n)
		len = to_utf8(value, to, size);
	free(value);
	free(wide);
	return len;
}

void
program_args(void (*take)(void *arg, const char *s, const char *next), void *arg)
{
	enum { MAX_ENV_CHARS = 32768 };
	int n = 0;
	wchar_t **argv = CommandLineToArgvW(GetCommandLineW(), &n);
	char *a = malloc(MAX_ENV_CHARS), *b = malloc(MAX_ENV_CHARS);

	if (argv && a && b)
		for (int i = 0; i < n; i++) {
			to_utf8(argv[i], a, MAX_ENV_CHARS);
			if (i + 1 < n)
				to_utf8(argv[i + 1], b, MAX_ENV_CHARS);
			take(arg, a, i + 1 < n ? b : NULL);
		}
	free(a);
	free(b);
	if (argv)
		LocalFree(argv);
}

int64_t
program_unix_s(void)
{
	FILETIME t;

	GetSystemTimeAsFileTime(&t);
	uint64_t ticks = (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;          /* 100 ns since 1601 */
	return (int64_t)(ticks / 10000000) - 11644473600;
}

void
program_say(const char *line)
{
	HANDLE h = GetStdHandle(STD_ERROR_HANDLE);
	DWORD n;

	OutputDebugStringA(line);
	if (h && h != INVALID_HANDLE_VALUE)
		WriteFile(h, line, (DWORD)strlen(line), &n, NULL);
}

/* --- files ---------------------------------------------------------------------- */

uint64_t
program_stamp(const char *path, const char **why)
{
	wchar_t *wide = from_utf8(path);
	WIN32_FILE_ATTRIBUTE_DATA d;
	uint64_t h = 0;

	*why = NULL;
	if (wide && GetFileAttributesExW(wide, GetFileExInfoStandard, &d)) {
		if (d.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT))
			*why = "it is not a regular file";
		h = (uint64_t)d.ftLastWriteTime.dwHighDateTime << 32 | d.ftLastWriteTime.dwLowDateTime;
		h = h * 1000003u + d.nFileSizeLow;
		h = h ? h : 1;
	}
	free(wide);
	return h;
}

size_t
program_read(const char *path, char *to, size_t size)
{
	wchar_t *wide = from_utf8(path);
	HANDLE h = wide ? CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
	    OPEN_EXISTING, 0, NULL) : INVALID_HANDLE_VALUE;
	DWORD n = 0;

	free(wide);
	if (h == INVALID_HANDLE_VALUE)
		return 0;
	if (!ReadFile(h, to, (DWORD)size, &n, NULL))
		n = 0;
	CloseHandle(h);
	return n;
}
