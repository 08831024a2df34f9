/**
 * The system's calls on Windows 10 1903 and later. Names are UTF-8 outside and UTF-16 for the system; paths too long for it get its own prefix.
 */
#ifdef _WIN32
#include "sys/gnu.h"
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>
#include <psapi.h>

/* The system's longest path without a prefix, in UTF-16 units; folders may have 12 fewer. */
enum { SHORT_PATH = 247, WIDE_PATH = TT_PATH_BYTES + 8 };

/* The place of the byte that locks are on: a lock keeps others from reading, so it is far behind any file. */
#define LOCK_AT UINT64_C(0x7fffffffffff0000)

/* Most bytes that one call moves. */
#define MAX_AT_ONCE ((size_t)1 << 30)

/* 1601 to 1970, in 100 ns. */
#define EPOCH_100NS INT64_C(116444736000000000)

/* --- errors -------------------------------------------------------------------------- */

/* The errno of the system's error ${code}. */
static int
errno_of(DWORD code)
{
	static const struct { DWORD code; int is; } known[] = {
		{ ERROR_FILE_NOT_FOUND, ENOENT }, { ERROR_PATH_NOT_FOUND, ENOENT }, { ERROR_INVALID_DRIVE, ENOENT }, { ERROR_BAD_NETPATH, ENOENT },
		{ ERROR_BAD_NET_NAME, ENOENT }, { ERROR_INVALID_NAME, ENOENT }, { ERROR_BAD_PATHNAME, ENOENT }, { ERROR_DIRECTORY, ENOTDIR },
		{ ERROR_TOO_MANY_OPEN_FILES, EMFILE }, { ERROR_ACCESS_DENIED, EACCES }, { ERROR_SHARING_VIOLATION, EACCES }, { ERROR_WRITE_PROTECT, EROFS },
		{ ERROR_CANNOT_MAKE, EACCES }, { ERROR_DELETE_PENDING, EACCES }, { ERROR_LOCK_VIOLATION, EWOULDBLOCK }, { ERROR_IO_PENDING, EWOULDBLOCK },
		{ ERROR_INVALID_HANDLE, EBADF }, { ERROR_NOT_ENOUGH_MEMORY, ENOMEM }, { ERROR_OUTOFMEMORY, ENOMEM }, { ERROR_FILE_EXISTS, EEXIST },
		{ ERROR_ALREADY_EXISTS, EEXIST }, { ERROR_BROKEN_PIPE, EPIPE }, { ERROR_NO_DATA, EPIPE }, { ERROR_DISK_FULL, ENOSPC },
		{ ERROR_HANDLE_DISK_FULL, ENOSPC }, { ERROR_FILE_TOO_LARGE, EFBIG }, { ERROR_OPERATION_ABORTED, EINTR }, { ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
		{ ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG }, { ERROR_NOT_A_REPARSE_POINT, EINVAL }, { ERROR_NOT_SUPPORTED, ENOSYS },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].code == code)
			return known[i].is;
	return EIO;
}

static int
fail_last(void)
{
	errno = errno_of(GetLastError());
	return -1;
}

/* --- names --------------------------------------------------------------------------- */

/* ${path} as the system takes it; false, with errno: it is no UTF-8, or too long. */
static bool
widen(const char *path, wchar_t to[WIDE_PATH])
{
	static const wchar_t prefix[] = L"\\\\?\\", share[] = L"\\\\?\\UNC";
	wchar_t full[WIDE_PATH];
	const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, to, WIDE_PATH);

	if (n <= 0) {
		errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
		return false;
	}
	if (n <= SHORT_PATH || wcsncmp(to, prefix, 4) == 0)
		return true;
	const DWORD all = GetFullPathNameW(to, WIDE_PATH, full, NULL);
	const bool is_share = full[0] == L'\\' && full[1] == L'\\';

	if (all == 0 || all + 8 > WIDE_PATH) {
		errno = ENAMETOOLONG;
		return false;
	}
	wcscpy(to, is_share ? share : prefix);
	wcscat(to, is_share ? full + 1 : full);
	return true;
}

/* ${name} as UTF-8, with U+FFFD for units that are no UTF-16, which names may have. False: it is too long. */
static bool
narrow(const wchar_t *name, char *to, int size)
{
	return WideCharToMultiByte(CP_UTF8, 0, name, -1, to, size, NULL, NULL) > 0;
}

/* A path without the system's prefix. */
static const wchar_t *
without_prefix(wchar_t *path)
{
	if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
		path[6] = L'\\';
		return path + 6;
	}
	return wcsncmp(path, L"\\\\?\\", 4) == 0 ? path + 4 : path;
}

bool
tt_sys_is_separator(char c)
{
	return c == '/' || c == '\\';
}

bool
tt_sys_is_absolute(const char *path)
{
	const bool has_drive = ((path[0] | 32) >= 'a' && (path[0] | 32) <= 'z') && path[1] == ':';

	return has_drive ? tt_sys_is_separator(path[2]) : tt_sys_is_separator(path[0]) && tt_sys_is_separator(path[1]);
}

const char *
tt_sys_base(const char *path)
{
	const char *base = path;

	for (const char *p = path; *p; p++)
		if (tt_sys_is_separator(*p) || (*p == ':' && p == path + 1))
			base = p + 1;
	return base;
}

bool
tt_sys_is_same_name(const char *a, const char *b)
{
	return _stricmp(a, b) == 0;
}

/* --- open files ---------------------------------------------------------------------- */

static HANDLE
handle_of(int fd)
{
	const intptr_t h = _get_osfhandle(fd);

	if (h == -1 || h == -2)
		errno = EBADF;
	return h == -2 ? INVALID_HANDLE_VALUE : (HANDLE)h;
}

static int
descriptor_of(HANDLE h, bool writes)
{
	int fd;

	if (h == INVALID_HANDLE_VALUE)
		return fail_last();
	fd = _open_osfhandle((intptr_t)h, _O_BINARY | _O_NOINHERIT | (writes ? 0 : _O_RDONLY));
	if (fd < 0)
		CloseHandle(h);
	return fd;
}

int
tt_sys_open(const char *path, unsigned how)
{
	const DWORD access = (how & TT_OPEN_READ ? GENERIC_READ : 0) | (how & TT_OPEN_WRITE ? GENERIC_WRITE : 0);
	const DWORD make = how & TT_OPEN_NEW ? CREATE_NEW : how & TT_OPEN_CREATE ? OPEN_ALWAYS : OPEN_EXISTING;
	const DWORD more = how & TT_OPEN_NO_LINK ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
	wchar_t name[WIDE_PATH];
	HANDLE h;

	if (!widen(path, name))
		return -1;
	/* A name that was removed while others have the file open is in the way a moment longer. Folders are opened, too, for those who look what it is. */
	h = CreateFileW(name, access | (how & TT_OPEN_NEW ? DELETE : 0), FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, make,
	    FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS | more, NULL);
	if (h != INVALID_HANDLE_VALUE && more) {
		FILE_ATTRIBUTE_TAG_INFO tag;

		if (GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag) && (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
		    tag.ReparseTag == IO_REPARSE_TAG_SYMLINK) {
			CloseHandle(h);
			errno = EMLINK;
			return -1;
		}
	}
	return descriptor_of(h, (how & TT_OPEN_WRITE) != 0);
}

int
tt_sys_close(int fd)
{
	return _close(fd);
}

/* The result of a call that moved *${n} bytes; ends of files and of pipes are 0. */
static int64_t
moved(BOOL good, const DWORD *n)
{
	if (good)
		return *n;
	switch (GetLastError()) {
	case ERROR_HANDLE_EOF:
	case ERROR_BROKEN_PIPE:
		return 0;
	default:
		return fail_last();
	}
}

static DWORD
at_once(size_t n)
{
	return (DWORD)(n < MAX_AT_ONCE ? n : MAX_AT_ONCE);
}

int64_t
tt_sys_read(int fd, void *p, size_t n)
{
	const HANDLE h = handle_of(fd);
	DWORD got = 0;

	return h == INVALID_HANDLE_VALUE ? -1 : moved(ReadFile(h, p, at_once(n), &got, NULL), &got);
}

static OVERLAPPED
place_of(uint64_t at)
{
	OVERLAPPED o = { 0 };

	o.Offset = (DWORD)at;
	o.OffsetHigh = (DWORD)(at >> 32);
	return o;
}

int64_t
tt_sys_pread(int fd, void *p, size_t n, uint64_t at)
{
	const HANDLE h = handle_of(fd);
	OVERLAPPED o = place_of(at);
	DWORD got = 0;

	return h == INVALID_HANDLE_VALUE ? -1 : moved(ReadFile(h, p, at_once(n), &got, &o), &got);
}

int64_t
tt_sys_write(int fd, const void *p, size_t n)
{
	const HANDLE h = handle_of(fd);
	DWORD put = 0;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return WriteFile(h, p, at_once(n), &put, NULL) ? (int64_t)put : fail_last();
}

int64_t
tt_sys_pwrite(int fd, const void *p, size_t n, uint64_t at)
{
	const HANDLE h = handle_of(fd);
	OVERLAPPED o = place_of(at);
	DWORD put = 0;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return WriteFile(h, p, at_once(n), &put, &o) ? (int64_t)put : fail_last();
}

int64_t
tt_sys_place(int fd)
{
	const HANDLE h = handle_of(fd);
	LARGE_INTEGER at;

	if (h == INVALID_HANDLE_VALUE || GetFileType(h) != FILE_TYPE_DISK)
		return -1;
	return SetFilePointerEx(h, (LARGE_INTEGER){ .QuadPart = 0 }, &at, FILE_CURRENT) ? at.QuadPart : fail_last();
}

int
tt_sys_rewind(int fd)
{
	const HANDLE h = handle_of(fd);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return SetFilePointerEx(h, (LARGE_INTEGER){ .QuadPart = 0 }, NULL, FILE_BEGIN) ? 0 : fail_last();
}

int
tt_sys_truncate(int fd, uint64_t size)
{
	FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = (LONGLONG)size };
	const HANDLE h = handle_of(fd);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return SetFileInformationByHandle(h, FileEndOfFileInfo, &end, sizeof end) ? 0 : fail_last();
}

int
tt_sys_duplicate(int fd)
{
	const HANDLE h = handle_of(fd), self = GetCurrentProcess();
	HANDLE copy = INVALID_HANDLE_VALUE;
	int low[4], n = 0, new;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	if (!DuplicateHandle(self, h, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
		return fail_last();
	new = descriptor_of(copy, true);
	/* The numbers below 3 are those of standard streams. */
	while (new >= 0 && new < 3 && n < 4) {
		low[n++] = new;
		new = _dup(new);
	}
	while (n > 0)
		_close(low[--n]);
	return new;
}

/* Nothing is non-blocking here. */
void
tt_sys_wait_readable(int fd)
{
	(void)fd;
	Sleep(1);
}

void
tt_sys_wait_writable(int fd)
{
	(void)fd;
	Sleep(1);
}

void
tt_sys_will_read(int fd)
{
	(void)fd;
}

void
tt_sys_send_early(int fd, uint64_t at, uint64_t n)
{
	(void)fd, (void)at, (void)n;
}

int
tt_sys_sync(int fd)
{
	const HANDLE h = handle_of(fd);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return FlushFileBuffers(h) ? 0 : fail_last();
}

int
tt_sys_lock(int fd, enum tt_lock lock, bool waits)
{
	const DWORD how = (lock == TT_LOCK_EXCLUSIVE ? LOCKFILE_EXCLUSIVE_LOCK : 0) | (waits ? 0 : LOCKFILE_FAIL_IMMEDIATELY);
	const HANDLE h = handle_of(fd);
	OVERLAPPED o = place_of(LOCK_AT);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return (lock == TT_LOCK_NONE ? UnlockFileEx(h, 0, 1, 0, &o) : LockFileEx(h, how, 0, 1, 0, &o)) ? 0 : fail_last();
}

int
tt_sys_scratch(const char *dir)
{
	static atomic_uint counter;

	for (int tries = 0; tries < 1000; tries++) {
		char path[TT_PATH_BYTES];
		wchar_t name[WIDE_PATH];
		HANDLE h;

		if (snprintf(path, sizeof path, "%s/tracetool-%lx-%x", dir, GetCurrentProcessId(), atomic_fetch_add(&counter, 1)) >= (int)sizeof path) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (!widen(path, name))
			return -1;
		h = CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, CREATE_NEW,
		    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
		if (h != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS)
			return descriptor_of(h, true);
	}
	errno = EEXIST;
	return -1;
}

bool
tt_sys_scratch_is_named(const char *dir)
{
	(void)dir;
	return true;
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
	char buffer[1 << 16];

	while (*done < n) {
		const size_t want = n - *done < sizeof buffer ? (size_t)(n - *done) : sizeof buffer;
		const int64_t got = tt_sys_pread(from, buffer, want, *done);
		const int64_t put = got > 0 ? tt_sys_pwrite(to, buffer, (size_t)got, *done) : got;

		if (put == 0)
			errno = ENOSPC;
		if (put <= 0)
			return -1;
		*done += (uint64_t)put;
	}
	return 0;
}

/* --- what names lead to ------------------------------------------------------------------ */

static int
stat_handle(HANDLE h, struct tt_sys_stat *st)
{
	BY_HANDLE_FILE_INFORMATION is;
	FILE_ATTRIBUTE_TAG_INFO tag = { 0 };

	SetLastError(NO_ERROR);
	if (GetFileType(h) != FILE_TYPE_DISK) {
		if (GetLastError() != NO_ERROR)
			return fail_last();
		*st = (struct tt_sys_stat){ .kind = TT_KIND_OTHER, .id = (uint64_t)(uintptr_t)h, .mode = 0666, .nlinks = 1, .is_ours = true };
		return 0;
	}
	/* A handle that another system has made, as a standard stream of a program under wine, may be read in order and no more. */
	if (!GetFileInformationByHandle(h, &is)) {
		*st = (struct tt_sys_stat){ .kind = TT_KIND_OTHER, .id = (uint64_t)(uintptr_t)h, .mode = 0666, .nlinks = 1, .is_ours = true };
		return 0;
	}
	if (is.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
		(void)GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag);
	*st = (struct tt_sys_stat){
		.kind = tag.ReparseTag == IO_REPARSE_TAG_SYMLINK ? TT_KIND_LINK :
		    is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? TT_KIND_FOLDER : TT_KIND_FILE,
		.size = (uint64_t)is.nFileSizeHigh << 32 | is.nFileSizeLow,
		.mtime_ns = ((int64_t)((uint64_t)is.ftLastWriteTime.dwHighDateTime << 32 | is.ftLastWriteTime.dwLowDateTime) - EPOCH_100NS) * 100,
		.volume = is.dwVolumeSerialNumber,
		.id = (uint64_t)is.nFileIndexHigh << 32 | is.nFileIndexLow,
		.mode = is.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666,
		.nlinks = is.nNumberOfLinks,
		.is_ours = true,
	};
	return 0;
}

static HANDLE
open_to_look(const char *path, DWORD more)
{
	wchar_t name[WIDE_PATH];
	HANDLE h;

	if (!widen(path, name))
		return INVALID_HANDLE_VALUE;
	h = CreateFileW(name, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
	    FILE_FLAG_BACKUP_SEMANTICS | more, NULL);
	if (h == INVALID_HANDLE_VALUE)
		fail_last();
	return h;
}

static int
stat_path(const char *path, DWORD more, struct tt_sys_stat *st)
{
	const HANDLE h = open_to_look(path, more);
	int rc, sys;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	rc = stat_handle(h, st);
	sys = errno;
	CloseHandle(h);
	errno = sys;
	return rc;
}

int
tt_sys_stat(const char *path, struct tt_sys_stat *st)
{
	return stat_path(path, 0, st);
}

int
tt_sys_stat_link(const char *path, struct tt_sys_stat *st)
{
	return stat_path(path, FILE_FLAG_OPEN_REPARSE_POINT, st);
}

int
tt_sys_stat_open(int fd, struct tt_sys_stat *st)
{
	const HANDLE h = handle_of(fd);

	return h == INVALID_HANDLE_VALUE ? -1 : stat_handle(h, st);
}

/* Who may do what is inherited from the folder. */
int
tt_sys_set_mode(int fd, unsigned mode)
{
	(void)fd, (void)mode;
	return 0;
}

void
tt_sys_limit_modes(unsigned mode)
{
	(void)mode;
}

bool
tt_sys_exists(const char *path)
{
	struct tt_sys_stat st;

	return tt_sys_stat(path, &st) == 0;
}

/* 0 if the file is there and can be opened so. */
static int
try_open(const char *path, unsigned how)
{
	const int fd = tt_sys_open(path, how);

	if (fd < 0)
		return -1;
	_close(fd);
	return 0;
}

int
tt_sys_may_read(const char *path)
{
	return try_open(path, TT_OPEN_READ);
}

int
tt_sys_may_write(const char *path)
{
	return try_open(path, TT_OPEN_WRITE);
}

int
tt_sys_may_make_in(const char *folder)
{
	struct tt_sys_stat st;

	if (tt_sys_stat(folder, &st) != 0)
		return -1;
	if (st.kind == TT_KIND_FOLDER)
		return 0;
	errno = ENOTDIR;
	return -1;
}

int
tt_sys_remove(const char *path)
{
	wchar_t name[WIDE_PATH];

	if (!widen(path, name))
		return -1;
	return DeleteFileW(name) ? 0 : fail_last();
}

/* The system's own way of Unix keeps those who have the old file open at it; other file systems take the second way, and a moment of patience. */
int
tt_sys_replace(const char *from, const char *to)
{
	enum { POSIX_REPLACE = 1 | 2, RENAME_EX = 22, TRIES = 50 };
	struct { DWORD flags; HANDLE root; DWORD bytes; wchar_t name[WIDE_PATH]; } rename;
	wchar_t old[WIDE_PATH], new[WIDE_PATH];
	DWORD why;

	if (!widen(from, old) || !widen(to, new))
		return -1;
	const HANDLE h = CreateFileW(old, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
	    FILE_FLAG_BACKUP_SEMANTICS, NULL);
	if (h != INVALID_HANDLE_VALUE) {
		const DWORD n = GetFullPathNameW(new, WIDE_PATH, rename.name, NULL);
		bool done = false;

		if (n > 0 && n < WIDE_PATH) {
			rename.flags = POSIX_REPLACE;
			rename.root = NULL;
			rename.bytes = n * (DWORD)sizeof *rename.name;
			done = SetFileInformationByHandle(h, (FILE_INFO_BY_HANDLE_CLASS)RENAME_EX, &rename, sizeof rename);
		}
		CloseHandle(h);
		if (done)
			return 0;
	}
	for (int i = 0; i < TRIES; i++) {
		if (MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
			return 0;
		why = GetLastError();
		if (why != ERROR_SHARING_VIOLATION && why != ERROR_ACCESS_DENIED)
			break;
		/* A scanner of files looks into a new one for a moment. */
		Sleep(20);
	}
	errno = errno_of(why);
	return -1;
}

int
tt_sys_make_folder(const char *path)
{
	wchar_t name[WIDE_PATH];

	if (!widen(path, name))
		return -1;
	return CreateDirectoryW(name, NULL) ? 0 : fail_last();
}

char *
tt_sys_real_path(const char *path)
{
	const HANDLE h = open_to_look(path, 0);
	wchar_t name[WIDE_PATH];
	char *to = NULL;
	DWORD n;

	if (h == INVALID_HANDLE_VALUE)
		return NULL;
	n = GetFinalPathNameByHandleW(h, name, WIDE_PATH, 0);
	CloseHandle(h);
	if (n > 0 && n < WIDE_PATH && (to = malloc(TT_PATH_BYTES)) != NULL && !narrow(without_prefix(name), to, TT_PATH_BYTES)) {
		free(to);
		to = NULL;
	}
	return to;
}

int64_t
tt_sys_read_link(const char *path, char to[TT_PATH_BYTES])
{
	struct tt_sys_stat st;
	char *real;

	if (tt_sys_stat_link(path, &st) != 0)
		return -1;
	if (st.kind != TT_KIND_LINK || !(real = tt_sys_real_path(path))) {
		errno = EINVAL;
		return -1;
	}
	snprintf(to, TT_PATH_BYTES, "%s", real);
	free(real);
	return (int64_t)strlen(to);
}

int
tt_sys_list(const char *folder, bool (*each)(void *arg, const char *name), void *arg)
{
	char all[TT_PATH_BYTES], name[4 * MAX_PATH];
	wchar_t wide[WIDE_PATH];
	WIN32_FIND_DATAW found;
	HANDLE h;

	if (snprintf(all, sizeof all, "%s/*", folder) >= (int)sizeof all) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!widen(all, wide))
		return -1;
	h = FindFirstFileW(wide, &found);
	if (h == INVALID_HANDLE_VALUE)
		return fail_last();
	do {
		if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0 && narrow(found.cFileName, name, sizeof name) && !each(arg, name))
			break;
	} while (FindNextFileW(h, &found));
	FindClose(h);
	return 0;
}

struct matches { char **path; size_t n, cap; };

static bool
add_match(struct matches *m, const char *folder, size_t nfolder, const char *name)
{
	char *path = malloc(nfolder + strlen(name) + 1);

	if (path && m->n == m->cap) {
		char **more = realloc(m->path, (m->cap ? 2 * m->cap : 64) * sizeof *more);

		if (more) {
			m->path = more;
			m->cap = m->cap ? 2 * m->cap : 64;
		}
	}
	if (!path || m->n == m->cap) {
		free(path);
		return false;
	}
	memcpy(path, folder, nfolder);
	strcpy(path + nfolder, name);
	m->path[m->n++] = path;
	return true;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t
tt_sys_expand(const char *path, bool (*each)(void *arg, const char *path), void *arg)
{
	const char *base = tt_sys_base(path);
	struct matches m = { 0 };
	char name[4 * MAX_PATH];
	WIN32_FIND_DATAW found;
	wchar_t wide[WIDE_PATH];
	bool more = true;
	HANDLE h;

	/* Other marks than these would mean something to the system, too: its old forms of patterns. */
	if (!strpbrk(base, "*?") || strpbrk(path, "<>\"|") || !widen(path, wide))
		return 0;
	h = FindFirstFileW(wide, &found);
	if (h == INVALID_HANDLE_VALUE)
		return 0;
	do {
		if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0 && narrow(found.cFileName, name, sizeof name))
			more = add_match(&m, path, (size_t)(base - path), name);
	} while (more && FindNextFileW(h, &found));
	FindClose(h);
	tt_sort_stable(m.path, m.n, sizeof *m.path, by_path);
	for (size_t i = 0; i < m.n; i++) {
		more = more && each(arg, m.path[i]);
		free(m.path[i]);
	}
	free(m.path);
	return m.n;
}

const char *
tt_sys_temp_dir(void)
{
	static char dir[TT_PATH_BYTES];
	const char *set = getenv("TMPDIR");
	wchar_t name[WIDE_PATH];

	if (set && *set)
		return set;
	if (!*dir && (GetTempPathW(WIDE_PATH, name) == 0 || !narrow(name, dir, sizeof dir)))
		strcpy(dir, ".");
	return dir;
}

/* --- the machine and this process ----------------------------------------------------------- */

unsigned
tt_sys_ncpus(void)
{
	DWORD_PTR mine = 0, all;

	if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) || mine == 0)
		return 1;
	return (unsigned)__builtin_popcountll(mine);
}

/* The system's RtlGenRandom(), which has this name. */
BOOLEAN NTAPI SystemFunction036(PVOID p, ULONG n);

bool
tt_sys_random(void *p, size_t n)
{
	return n <= UINT32_MAX && SystemFunction036(p, (ULONG)n);
}

void *
tt_sys_aligned(size_t align, size_t n)
{
	return _aligned_malloc(n, align);
}

void
tt_sys_free_aligned(void *p)
{
	_aligned_free(p);
}

void
tt_sys_trim(void)
{
}

void
tt_sys_trim_from(size_t bytes)
{
	(void)bytes;
}

int64_t
tt_sys_clock_ns(void)
{
	static int64_t per_second;
	LARGE_INTEGER v;

	if (per_second == 0) {
		QueryPerformanceFrequency(&v);
		per_second = v.QuadPart;
	}
	QueryPerformanceCounter(&v);
	return v.QuadPart / per_second * 1000000000 + v.QuadPart % per_second * 1000000000 / per_second;
}

int64_t
tt_sys_time_ns(void)
{
	FILETIME t;

	GetSystemTimePreciseAsFileTime(&t);
	return ((int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) - EPOCH_100NS) * 100;
}

long
tt_sys_process(void)
{
	return (long)GetCurrentProcessId();
}

bool
tt_sys_has_ended(long pid, int wait_ms)
{
	const HANDLE h = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)pid);
	bool over;

	if (!h)
		return GetLastError() == ERROR_INVALID_PARAMETER;
	over = WaitForSingleObject(h, (DWORD)wait_ms) == WAIT_OBJECT_0;
	CloseHandle(h);
	return over;
}

static int64_t
ns_of(FILETIME t)
{
	return (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) * 100;
}

bool
tt_sys_cost(struct tt_sys_cost *cost)
{
	PROCESS_MEMORY_COUNTERS memory;
	FILETIME begun, ended, kernel, user;

	if (!GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user) || !K32GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory))
		return false;
	*cost = (struct tt_sys_cost){ .user_ns = ns_of(user), .system_ns = ns_of(kernel), .peak_bytes = memory.PeakWorkingSetSize };
	return true;
}

/* Nobody counts them: a process is told of its own alone. */
bool
tt_sys_cost_of_children(struct tt_sys_cost *cost)
{
	(void)cost;
	return false;
}

uint64_t
tt_sys_max_files(void)
{
	return 0;
}

/* As glibc says it, so that messages are the same on all systems. */
const char *
tt_sys_error(int code)
{
	static const struct { int code; const char *text; } known[] = {
		{ ENOENT, "No such file or directory" }, { EACCES, "Permission denied" }, { EPERM, "Operation not permitted" }, { EEXIST, "File exists" },
		{ EISDIR, "Is a directory" }, { ENOTDIR, "Not a directory" }, { ENOSPC, "No space left on device" }, { EPIPE, "Broken pipe" },
		{ EMFILE, "Too many open files" }, { EBADF, "Bad file descriptor" }, { EIO, "Input/output error" }, { EFBIG, "File too large" },
		{ EROFS, "Read-only file system" }, { ENAMETOOLONG, "File name too long" }, { EINVAL, "Invalid argument" },
		{ ENOMEM, "Cannot allocate memory" },
		{ ENOSYS, "Function not implemented" }, { ENOTEMPTY, "Directory not empty" }, { EINTR, "Interrupted system call" },
		{ EWOULDBLOCK, "Resource temporarily unavailable" }, { EMLINK, "Too many links" },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].code == code)
			return known[i].text;
	return strerror(code);
}

/* The linker sets the stack's size. */
int
tt_sys_run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv, size_t bytes)
{
	(void)bytes;
	return run(argc, argv);
}

/* --- other programs -------------------------------------------------------------------------- */

const char *
tt_sys_self(void)
{
	static char path[TT_PATH_BYTES];
	wchar_t name[WIDE_PATH];
	const DWORD n = GetModuleFileNameW(NULL, name, WIDE_PATH);

	if (n == 0 || n >= WIDE_PATH || !narrow(name, path, sizeof path))
		strcpy(path, "tracetool.exe");
	return path;
}

struct line { wchar_t *p; size_t n, cap; };

static bool
add_unit(struct line *l, wchar_t c)
{
	if (l->n + 1 >= l->cap) {
		wchar_t *more = realloc(l->p, (l->cap ? 2 * l->cap : 256) * sizeof *more);

		if (!more)
			return false;
		l->p = more;
		l->cap = l->cap ? 2 * l->cap : 256;
	}
	l->p[l->n++] = c;
	l->p[l->n] = L'\0';
	return true;
}

/* Append ${word} as programs take a command line apart: in quotes, backslashes doubled where a quote follows. */
static bool
add_word(struct line *l, const wchar_t *word)
{
	bool good = (l->n == 0 || add_unit(l, L' ')) && add_unit(l, L'"');
	size_t nback = 0;

	for (; good && *word; word++) {
		nback = *word == L'\\' ? nback + 1 : 0;
		good = add_unit(l, *word);
		if (good && (word[1] == L'"' || word[1] == L'\0'))
			for (size_t i = 0; good && i < nback + (word[1] == L'"'); i++)
				good = add_unit(l, L'\\');
	}
	return good && add_unit(l, L'"');
}

int
tt_sys_run(const char *const *argv, int *code)
{
	STARTUPINFOW start = { .cb = sizeof start };
	PROCESS_INFORMATION is;
	struct line l = { 0 };
	bool good = true;
	DWORD ended = 0;

	for (size_t i = 0; good && argv[i]; i++) {
		wchar_t word[WIDE_PATH];

		good = MultiByteToWideChar(CP_UTF8, 0, argv[i], -1, word, WIDE_PATH) > 0 && add_word(&l, word);
	}
	if (!good) {
		free(l.p);
		errno = ENOMEM;
		return -1;
	}
	good = CreateProcessW(NULL, l.p, NULL, NULL, TRUE, 0, NULL, NULL, &start, &is);
	if (!good)
		fail_last();
	free(l.p);
	if (!good)
		return -1;
	WaitForSingleObject(is.hProcess, INFINITE);
	GetExitCodeProcess(is.hProcess, &ended);
	CloseHandle(is.hThread);
	CloseHandle(is.hProcess);
	*code = (int)ended;
	return 0;
}

/* By the shell's library, which is loaded when it is needed: it makes every start slower. */
bool
tt_sys_show(const char *path)
{
	typedef HINSTANCE WINAPI execute(HWND, LPCWSTR, LPCWSTR, LPCWSTR, LPCWSTR, INT);
	const HMODULE shell = LoadLibraryExW(L"shell32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
	wchar_t name[WIDE_PATH];
	execute *show = NULL;
	FARPROC found;

	found = shell ? GetProcAddress(shell, "ShellExecuteW") : NULL;
	memcpy(&show, &found, sizeof show);
	return show && widen(path, name) && (intptr_t)show(NULL, L"open", name, NULL, NULL, SW_SHOWNORMAL) > 32;
}

int
tt_sys_make_own_folder(char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	char *x = path + strlen(path) - 6;

	for (int tries = 0; tries < 100; tries++) {
		unsigned char r[6];

		if (!tt_sys_random(r, sizeof r))
			break;
		for (int i = 0; i < 6; i++)
			x[i] = letters[r[i] % (sizeof letters - 1)];
		if (tt_sys_make_folder(path) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	errno = EEXIST;
	return -1;
}

int
tt_sys_remove_folder(const char *path)
{
	wchar_t name[WIDE_PATH];

	if (!widen(path, name))
		return -1;
	return RemoveDirectoryW(name) ? 0 : fail_last();
}

/* --- being asked to stop ------------------------------------------------------------------- */

void
tt_sys_hold_signals(struct tt_sys_held *held)
{
	(void)held;
}

void
tt_sys_free_signals(const struct tt_sys_held *held)
{
	(void)held;
}

/* The C library takes the command line apart. */
int __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***env, int expand, int *mode);

void
tt_sys_arguments(int *argc, char ***argv)
{
	wchar_t **wide, **env;
	int n, mode = 0;
	char **to;

	if (__wgetmainargs(&n, &wide, &env, 0, &mode) != 0 || !(to = calloc((size_t)n + 1, sizeof *to)))
		return;
	for (int i = 0; i < n; i++) {
		const int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);

		if (size <= 0 || !(to[i] = malloc((size_t)size)) || !narrow(wide[i], to[i], size))
			return;
	}
	*argc = n;
	*argv = to;
}

static HANDLE main_thread;
static UINT old_output_page;

static void
restore_console(void)
{
	if (old_output_page)
		SetConsoleOutputCP(old_output_page);
}

void
tt_sys_begin(void)
{
	const HANDLE self = GetCurrentProcess();

	for (int fd = 0; fd <= 2; fd++) {
		if (_get_osfhandle(fd) < 0 && _open("NUL", fd == 0 ? _O_WRONLY : _O_RDONLY) != fd)
			_Exit(4);
		_setmode(fd, _O_BINARY);
	}
	SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
	(void)DuplicateHandle(self, GetCurrentThread(), self, &main_thread, 0, FALSE, DUPLICATE_SAME_ACCESS);
	old_output_page = GetConsoleOutputCP();
	if (old_output_page == CP_UTF8)
		old_output_page = 0;
	if (old_output_page && SetConsoleOutputCP(CP_UTF8))
		atexit(restore_console);
}

static void (*on_stop)(int by);

/* Ask, and wake the main thread if it waits for a file or pipe. */
static void
ask_to_stop(int by)
{
	on_stop(by);
	if (main_thread)
		CancelSynchronousIo(main_thread);
}

static BOOL WINAPI
on_control(DWORD what)
{
	ask_to_stop(what == CTRL_C_EVENT || what == CTRL_BREAK_EVENT ? SIGINT : SIGTERM);
	/* The system ends the process when this returns, if a window closes or a user logs off: leave it the time that it gives. */
	if (what != CTRL_C_EVENT && what != CTRL_BREAK_EVENT)
		Sleep(4000);
	return TRUE;
}

void
tt_sys_catch_stop(void (*on)(int by))
{
	on_stop = on;
	SetConsoleCtrlHandler(on_control, TRUE);
}

static pthread_mutex_t alarm_lock = PTHREAD_MUTEX_INITIALIZER;
static HANDLE alarm_timer;

static void CALLBACK
on_alarm(void *arg, BOOLEAN fired)
{
	(void)arg, (void)fired;
	ask_to_stop(TT_STOP_BY_ALARM);
}

void
tt_sys_alarm(int64_t ns)
{
	const int64_t ms = (ns + 999999) / 1000000;

	pthread_mutex_lock(&alarm_lock);
	if (alarm_timer)
		(void)DeleteTimerQueueTimer(NULL, alarm_timer, NULL);
	alarm_timer = NULL;
	if (ns > 0)
		(void)CreateTimerQueueTimer(&alarm_timer, NULL, on_alarm, NULL, (DWORD)(ms < UINT32_MAX ? ms : UINT32_MAX - 1), 0, WT_EXECUTEONLYONCE);
	pthread_mutex_unlock(&alarm_lock);
}

void
tt_sys_die(int by)
{
	restore_console();
	_Exit(128 + (by > 0 ? by : SIGTERM));
}

/* As SIGPIPE ends a program, which has the number 13. */
void
tt_sys_die_unread(void)
{
	tt_sys_die(13);
}

/* --- the terminal ---------------------------------------------------------------------------- */

bool
tt_sys_is_terminal(int fd)
{
	const HANDLE h = handle_of(fd);
	DWORD mode;

	return h != INVALID_HANDLE_VALUE && GetConsoleMode(h, &mode);
}

unsigned
tt_sys_columns(int fd)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	if (!tt_sys_is_terminal(fd))
		return 0;
	return GetConsoleScreenBufferInfo(handle_of(fd), &info) && info.srWindow.Right > info.srWindow.Left ?
	    (unsigned)(info.srWindow.Right - info.srWindow.Left + 1) : 80;
}

bool
tt_sys_shows_colors(int fd)
{
	const HANDLE h = handle_of(fd);
	DWORD mode;

	return h != INVALID_HANDLE_VALUE && GetConsoleMode(h, &mode) && SetConsoleMode(h, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

#else
typedef int tt_no_windows;            /* a file has something in it */
#endif
