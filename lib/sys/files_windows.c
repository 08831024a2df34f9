/**
 * The system's calls for files and their names, on Windows 10 1903 and later.
 */
#ifdef _WIN32
#include "sys/gnu.h"
#include "sys/windows.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest path that the system takes without its prefix, in UTF-16 units. It takes 259 for files, but 12 fewer for folders. */
enum { SHORT_PATH = 247 };

/* Offset of the byte that is locked: others cannot read locked bytes, so it is far beyond the end of any file. */
#define LOCK_AT UINT64_C(0x7fffffffffff0000)

/* Most bytes that one call reads or writes. */
#define MAX_AT_ONCE ((size_t)1 << 30)

/* --- errors -------------------------------------------------------------------------- */

/* Return the errno for the system's error ${code}. */
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

int
tt_windows_fail(void)
{
	errno = errno_of(GetLastError());
	return -1;
}

/* --- names --------------------------------------------------------------------------- */

bool
tt_windows_widen(const char *path, wchar_t to[TT_WINDOWS_PATH])
{
	static const wchar_t prefix[] = L"\\\\?\\", share[] = L"\\\\?\\UNC";
	wchar_t full[TT_WINDOWS_PATH];
	const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, to, TT_WINDOWS_PATH);

	if (n <= 0) {
		errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
		return false;
	}
	if (n <= SHORT_PATH || wcsncmp(to, prefix, 4) == 0)
		return true;
	const DWORD all = GetFullPathNameW(to, TT_WINDOWS_PATH, full, NULL);
	const bool is_share = full[0] == L'\\' && full[1] == L'\\';

	if (all == 0 || all + 8 > TT_WINDOWS_PATH) {
		errno = ENAMETOOLONG;
		return false;
	}
	wcscpy(to, is_share ? share : prefix);
	wcscat(to, is_share ? full + 1 : full);
	return true;
}

bool
tt_windows_narrow(const wchar_t *name, char *to, int size)
{
	return WideCharToMultiByte(CP_UTF8, 0, name, -1, to, size, NULL, NULL) > 0;
}

/* Return ${path} without the system's prefix. */
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
tt_sys_base_name(const char *path)
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

static int
descriptor_of(HANDLE h, bool writes)
{
	int fd;

	if (h == INVALID_HANDLE_VALUE)
		return tt_windows_fail();
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
	wchar_t name[TT_WINDOWS_PATH];
	HANDLE h;

	if (!tt_windows_widen(path, name))
		return -1;
	/* A file removed while others have it open keeps its name a moment longer. Folders can be opened, too, for callers that ask about their kind. */
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

/* Return the result of a read or write of *${n} bytes; 0 at the end of a file or pipe. */
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
		return tt_windows_fail();
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
	const HANDLE h = tt_windows_handle(fd);
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
	const HANDLE h = tt_windows_handle(fd);
	OVERLAPPED o = place_of(at);
	DWORD got = 0;

	return h == INVALID_HANDLE_VALUE ? -1 : moved(ReadFile(h, p, at_once(n), &got, &o), &got);
}

int64_t
tt_sys_write(int fd, const void *p, size_t n)
{
	const HANDLE h = tt_windows_handle(fd);
	DWORD put = 0;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return WriteFile(h, p, at_once(n), &put, NULL) ? (int64_t)put : tt_windows_fail();
}

int64_t
tt_sys_pwrite(int fd, const void *p, size_t n, uint64_t at)
{
	const HANDLE h = tt_windows_handle(fd);
	OVERLAPPED o = place_of(at);
	DWORD put = 0;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return WriteFile(h, p, at_once(n), &put, &o) ? (int64_t)put : tt_windows_fail();
}

int64_t
tt_sys_offset(int fd)
{
	const HANDLE h = tt_windows_handle(fd);
	LARGE_INTEGER at;

	if (h == INVALID_HANDLE_VALUE || GetFileType(h) != FILE_TYPE_DISK)
		return -1;
	return SetFilePointerEx(h, (LARGE_INTEGER){ .QuadPart = 0 }, &at, FILE_CURRENT) ? at.QuadPart : tt_windows_fail();
}

int
tt_sys_rewind(int fd)
{
	const HANDLE h = tt_windows_handle(fd);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return SetFilePointerEx(h, (LARGE_INTEGER){ .QuadPart = 0 }, NULL, FILE_BEGIN) ? 0 : tt_windows_fail();
}

int
tt_sys_truncate(int fd, uint64_t size)
{
	FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = (LONGLONG)size };
	const HANDLE h = tt_windows_handle(fd);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return SetFileInformationByHandle(h, FileEndOfFileInfo, &end, sizeof end) ? 0 : tt_windows_fail();
}

int
tt_sys_duplicate(int fd)
{
	const HANDLE h = tt_windows_handle(fd), self = GetCurrentProcess();
	HANDLE copy = INVALID_HANDLE_VALUE;
	int low[4], n = 0, new;

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	if (!DuplicateHandle(self, h, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
		return tt_windows_fail();
	new = descriptor_of(copy, true);
	/* Descriptors below 3 are reserved for the standard streams. */
	while (new >= 0 && new < 3 && n < 4) {
		low[n++] = new;
		new = _dup(new);
	}
	while (n > 0)
		_close(low[--n]);
	return new;
}

/* Descriptors are never non-blocking on Windows, so a short wait is enough. */
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
tt_sys_begin_writeback(int fd, uint64_t at, uint64_t n)
{
	(void)fd, (void)at, (void)n;
}

int
tt_sys_sync(int fd)
{
	const HANDLE h = tt_windows_handle(fd);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return FlushFileBuffers(h) ? 0 : tt_windows_fail();
}

int
tt_sys_lock(int fd, enum tt_lock lock, bool waits)
{
	const DWORD how = (lock == TT_LOCK_EXCLUSIVE ? LOCKFILE_EXCLUSIVE_LOCK : 0) | (waits ? 0 : LOCKFILE_FAIL_IMMEDIATELY);
	const HANDLE h = tt_windows_handle(fd);
	OVERLAPPED o = place_of(LOCK_AT);

	if (h == INVALID_HANDLE_VALUE)
		return -1;
	return (lock == TT_LOCK_NONE ? UnlockFileEx(h, 0, 1, 0, &o) : LockFileEx(h, how, 0, 1, 0, &o)) ? 0 : tt_windows_fail();
}

int
tt_sys_scratch(const char *dir)
{
	static atomic_uint counter;

	for (int tries = 0; tries < 1000; tries++) {
		char path[TT_PATH_BYTES];
		wchar_t name[TT_WINDOWS_PATH];
		HANDLE h;

		if (snprintf(path, sizeof path, "%s/tracetool-%lx-%x", dir, GetCurrentProcessId(), atomic_fetch_add(&counter, 1)) >= (int)sizeof path) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (!tt_windows_widen(path, name))
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
			return tt_windows_fail();
		*st = (struct tt_sys_stat){ .kind = TT_KIND_OTHER, .id = (uint64_t)(uintptr_t)h, .mode = 0666, .nlinks = 1, .is_ours = true };
		return 0;
	}
	/* A handle made by another system, such as a standard stream of a program under wine, may support nothing but reads in order. */
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
		.mtime_ns = ((int64_t)((uint64_t)is.ftLastWriteTime.dwHighDateTime << 32 | is.ftLastWriteTime.dwLowDateTime) - TT_WINDOWS_EPOCH_100NS) * 100,
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
	wchar_t name[TT_WINDOWS_PATH];
	HANDLE h;

	if (!tt_windows_widen(path, name))
		return INVALID_HANDLE_VALUE;
	h = CreateFileW(name, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
	    FILE_FLAG_BACKUP_SEMANTICS | more, NULL);
	if (h == INVALID_HANDLE_VALUE)
		tt_windows_fail();
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
	const HANDLE h = tt_windows_handle(fd);

	return h == INVALID_HANDLE_VALUE ? -1 : stat_handle(h, st);
}

/* Do nothing: files inherit their permissions from the folder. */
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

/* Return 0 if ${path} exists and can be opened as ${how} says, else -1. */
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
	wchar_t name[TT_WINDOWS_PATH];

	if (!tt_windows_widen(path, name))
		return -1;
	return DeleteFileW(name) ? 0 : tt_windows_fail();
}

/* A rename with POSIX semantics works while others have the old file open; on file systems without it, an ordinary move is tried again for a while. */
int
tt_sys_replace(const char *from, const char *to)
{
	enum { POSIX_REPLACE = 1 | 2, RENAME_EX = 22, TRIES = 50 };
	struct { DWORD flags; HANDLE root; DWORD bytes; wchar_t name[TT_WINDOWS_PATH]; } rename;
	wchar_t old[TT_WINDOWS_PATH], new[TT_WINDOWS_PATH];
	DWORD why;

	if (!tt_windows_widen(from, old) || !tt_windows_widen(to, new))
		return -1;
	const HANDLE h = CreateFileW(old, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
	    FILE_FLAG_BACKUP_SEMANTICS, NULL);
	if (h != INVALID_HANDLE_VALUE) {
		const DWORD n = GetFullPathNameW(new, TT_WINDOWS_PATH, rename.name, NULL);
		bool done = false;

		if (n > 0 && n < TT_WINDOWS_PATH) {
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
		/* A virus scanner may have a new file open for a moment. */
		Sleep(20);
	}
	errno = errno_of(why);
	return -1;
}

int
tt_sys_make_folder(const char *path)
{
	wchar_t name[TT_WINDOWS_PATH];

	if (!tt_windows_widen(path, name))
		return -1;
	return CreateDirectoryW(name, NULL) ? 0 : tt_windows_fail();
}

char *
tt_sys_real_path(const char *path)
{
	const HANDLE h = open_to_look(path, 0);
	wchar_t name[TT_WINDOWS_PATH];
	char *to = NULL;
	DWORD n;

	if (h == INVALID_HANDLE_VALUE)
		return NULL;
	n = GetFinalPathNameByHandleW(h, name, TT_WINDOWS_PATH, 0);
	CloseHandle(h);
	if (n > 0 && n < TT_WINDOWS_PATH && (to = malloc(TT_PATH_BYTES)) != NULL && !tt_windows_narrow(without_prefix(name), to, TT_PATH_BYTES)) {
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
	wchar_t wide[TT_WINDOWS_PATH];
	WIN32_FIND_DATAW found;
	HANDLE h;

	if (snprintf(all, sizeof all, "%s/*", folder) >= (int)sizeof all) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!tt_windows_widen(all, wide))
		return -1;
	h = FindFirstFileW(wide, &found);
	if (h == INVALID_HANDLE_VALUE)
		return tt_windows_fail();
	do {
		if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0 &&
		    tt_windows_narrow(found.cFileName, name, sizeof name) && !each(arg, name))
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
tt_sys_expand_pattern(const char *path, bool (*each)(void *arg, const char *path), void *arg)
{
	const char *base = tt_sys_base_name(path);
	struct matches m = { 0 };
	char name[4 * MAX_PATH];
	WIN32_FIND_DATAW found;
	wchar_t wide[TT_WINDOWS_PATH];
	bool more = true;
	HANDLE h;

	/* The characters <>" have old meanings in patterns of the system, so they are excluded. */
	if (!strpbrk(base, "*?") || strpbrk(path, "<>\"|") || !tt_windows_widen(path, wide))
		return 0;
	h = FindFirstFileW(wide, &found);
	if (h == INVALID_HANDLE_VALUE)
		return 0;
	do {
		if (wcscmp(found.cFileName, L".") != 0 && wcscmp(found.cFileName, L"..") != 0 && tt_windows_narrow(found.cFileName, name, sizeof name))
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
	wchar_t name[TT_WINDOWS_PATH];

	if (set && *set)
		return set;
	if (!*dir && (GetTempPathW(TT_WINDOWS_PATH, name) == 0 || !tt_windows_narrow(name, dir, sizeof dir)))
		strcpy(dir, ".");
	return dir;
}

#else
typedef int tt_no_windows;            /* C wants a declaration in every file */
#endif
