/**
 * The recorders' interface to 64-bit Windows, by system libraries only.
 */
#if defined(_WIN32)
#include "recorder/core/rec.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <windows.h>
#include <ntsecapi.h>

/* --- text ------------------------------------------------------------------------ */

static wchar_t *
wide(const char *s)
{
	int n = MultiByteToWideChar(CP_UTF8, 0, s, -1, NULL, 0);
	wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL;

	if (w)
		MultiByteToWideChar(CP_UTF8, 0, s, -1, w, n);
	return w;
}

static size_t
narrow(const wchar_t *w, char *to, size_t size)
{
	int n = WideCharToMultiByte(CP_UTF8, 0, w, -1, to, (int)size, NULL, NULL);

	if (n <= 0 && size)
		to[0] = '\0';
	return n > 0 ? (size_t)n - 1 : 0;
}

/* Find a function that only newer versions have. It is copied as data, because functions have no common type. */
static void
find(const wchar_t *library, const char *name, void *fn)
{
	FARPROC p = GetProcAddress(GetModuleHandleW(library), name);

	memcpy(fn, &p, sizeof p);
}

/* --- the clock ----------------------------------------------------------------- */

bool rec_has_counter;
static struct plat_instant began;
static uint64_t per_second;   /* ticks of the performance counter */

uint64_t
rec_now_slow(void)
{
	LARGE_INTEGER q;

	QueryPerformanceCounter(&q);
	return (uint64_t)q.QuadPart;
}

static uint64_t
mono_ns(void)
{
	uint64_t q = rec_now_slow();

	return q / per_second * 1000000000u + q % per_second * 1000000000u / per_second;
}

static uint64_t
wall_ns(void)
{
	static void (WINAPI *precise)(FILETIME *);
	FILETIME t;

	if (!precise)
		find(L"kernel32.dll", "GetSystemTimePreciseAsFileTime", &precise);
	if (precise)
		precise(&t);
	else
		GetSystemTimeAsFileTime(&t);
	uint64_t ticks = (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;          /* 100 ns since 1601 */
	return (ticks - 116444736000000000u) * 100;
}

void
plat_instant(struct plat_instant *i)
{
	uint64_t best = UINT64_MAX;

	for (int k = 0; k < 8; k++) {
		uint64_t a = rec_now(), mono = mono_ns(), b = rec_now();
		if (b - a < best) {
			best = b - a;
			i->apart = best;
			i->ticks = a + (b - a) / 2;
			i->mono_ns = mono;
		}
	}
	i->wall_ns = wall_ns();
}

unsigned
plat_ratio(uint64_t *num, uint64_t *den)
{
	struct plat_instant now;

	*num = 1000000000u;
	*den = per_second;
	if (!rec_has_counter)
		return TTC_CLOCK_QPC;
	plat_instant(&now);
	while (!plat_rate_known(&began, &now, 1000000000u / per_second + 1)) {
		plat_sleep_us(1000);
		plat_instant(&now);
	}
	*num = now.mono_ns - began.mono_ns;
	*den = now.ticks - began.ticks;
	return TTC_CLOCK_TSC;
}

static bool
invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return false;
#endif
}

static bool
told_not_to(void)
{
	wchar_t w[8];

	return GetEnvironmentVariableW(L"TRACETOOL_CLOCK", w, 8) == 6 && wcscmp(w, L"system") == 0;
}

/* --- thread-local storage ----------------------------------------------------------- */

unsigned long rec_tls = TLS_OUT_OF_INDEXES;

/*
 * Emulated thread-locals would import a library, and TlsGetValue sets the thread's last error, which the game may be about to read. The first 64 values are
 * in the thread's block, at a place that has never changed.
 */
struct rec_thread *
rec_tls_get(void)
{
	unsigned long i = rec_tls;

#if defined(__x86_64__)
	if (i < 64) {
		struct rec_thread *t;
		__asm__("movq %%gs:0x1480(,%1,8), %0" : "=r"(t) : "r"((uint64_t)i));
		return t;
	}
#endif
	if (i == TLS_OUT_OF_INDEXES)
		return NULL;
	DWORD error = GetLastError();
	struct rec_thread *t = TlsGetValue(i);
	SetLastError(error);
	return t;
}

void rec_tls_set(struct rec_thread *t);
void
rec_tls_set(struct rec_thread *t)
{
	TlsSetValue(rec_tls, t);
}

/* --- once ------------------------------------------------------------------------------- */

static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
static HANDLE bell[PLAT_BELLS];

static BOOL CALLBACK
init(INIT_ONCE *o, void *arg, void **context)
{
	LARGE_INTEGER f;

	(void)o;
	(void)arg;
	(void)context;
	QueryPerformanceFrequency(&f);
	per_second = (uint64_t)f.QuadPart;
	rec_tls = TlsAlloc();
	for (int i = 0; i < PLAT_BELLS; i++)
		bell[i] = CreateEventW(NULL, FALSE, FALSE, NULL);
	rec_has_counter = invariant() && !told_not_to();
	plat_instant(&began);
	return TRUE;
}

void
plat_init(void)
{
	InitOnceExecuteOnce(&once, init, NULL, NULL);
}

bool
plat_barrier(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	FlushProcessWriteBuffers();
	return true;
}

/* --- shared memory ------------------------------------------------------------------ */

static int
map_in(struct plat_map *m, const wchar_t *dir, size_t n, bool touch)
{
	wchar_t path[MAX_PATH + 64];
	uint64_t r;
	HANDLE file, mapping;

	plat_random(&r, sizeof r);
	swprintf(path, sizeof path / sizeof *path, L"%ls%lstracetool-%lu-%016llx.ring", dir,
	    dir[0] && dir[wcslen(dir) - 1] != L'\\' && dir[wcslen(dir) - 1] != L'/' ? L"\\" : L"",
	    GetCurrentProcessId(), (unsigned long long)r);
	/* "Temporary" keeps the file in memory as long as possible; it must survive a kill, so closing does not delete it. */
	file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, CREATE_NEW,
	    FILE_ATTRIBUTE_TEMPORARY | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, NULL);
	if (file == INVALID_HANDLE_VALUE)
		return -EACCES;
	mapping = CreateFileMappingW(file, NULL, PAGE_READWRITE, (DWORD)((uint64_t)n >> 32), (DWORD)n, NULL);
	m->p = mapping ? MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, n) : NULL;
	if (mapping)
		CloseHandle(mapping);
	if (!m->p) {
		CloseHandle(file);
		DeleteFileW(path);
		return -ENOSPC;
	}
	m->handle = file;
	m->n = n;
	narrow(path, m->path, sizeof m->path);
	for (size_t at = 0; touch && at < n; at += 4096)
		((volatile uint8_t *)m->p)[at] = 0;
	return 0;
}

int
plat_map_make(struct plat_map *m, const char *dir, const char *capture, size_t n, bool touch, char why[256])
{
	wchar_t temp[MAX_PATH + 1];
	wchar_t *own = dir ? wide(dir) : NULL;
	int rc;

	(void)capture;
	if (!own && GetTempPathW(MAX_PATH, temp) == 0)
		wcscpy(temp, L".");
	rc = map_in(m, own ? own : temp, n, touch);
	if (rc != 0)
		snprintf(why, 256, "no place for a ring of %zu bytes: error %lu", n, GetLastError());
	free(own);
	return rc;
}

void
plat_map_drop(struct plat_map *m, bool keep_memory)
{
	wchar_t *path = wide(m->path);

	if (!keep_memory)
		UnmapViewOfFile(m->p);
	CloseHandle(m->handle);
	/* While the view is mapped, this fails and the file stays. */
	if (path)
		DeleteFileW(path);
	free(path);
}

/* --- files ------------------------------------------------------------------------------ */

int
plat_create(const char *path, bool replace)
{
	wchar_t *w = wide(path);
	int fd = -1;

	if (!w)
		return -ENOMEM;
	/* A file open without FILE_SHARE_DELETE cannot be deleted: that is the lock. */
	if (replace && !DeleteFileW(w) && GetLastError() != ERROR_FILE_NOT_FOUND && GetLastError() != ERROR_PATH_NOT_FOUND)
		errno = GetLastError() == ERROR_SHARING_VIOLATION ? EBUSY : EACCES;
	else
		fd = _wopen(w, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
	free(w);
	return fd < 0 ? -errno : fd;
}

long
plat_write(int fd, const void *p, size_t n)
{
	int done = _write(fd, p, n < 1u << 30 ? (unsigned)n : 1u << 30);

	return done < 0 ? -errno : done;
}

int
plat_create_begun(const char *path, bool replace, const void *p, size_t n)
{
	int fd = plat_create(path, replace);
	long done = fd < 0 ? fd : plat_write(fd, p, n);

	if (done == (long)n)
		return fd;
	if (fd >= 0) {
		_close(fd);
		plat_unlink(path);
	}
	return done < 0 ? (int)done : -ENOSPC;
}

int
plat_has(const char *path, uint64_t at, const void *p, size_t n)
{
	wchar_t *w = wide(path);
	int fd = w ? _wopen(w, _O_RDONLY | _O_BINARY | _O_NOINHERIT) : -1, error = w ? errno : ENOMEM, got = -1;
	char is[64];

	free(w);
	if (fd < 0)
		return -error;
	if (n <= sizeof is && _lseeki64(fd, (int64_t)at, SEEK_SET) >= 0)
		got = _read(fd, is, (unsigned)n);
	_close(fd);
	return got == (int)n && memcmp(is, p, n) == 0;
}

int
plat_patch(int fd, uint64_t at, const void *p, size_t n)
{
	int64_t end = _telli64(fd);

	if (end < 0 || _lseeki64(fd, (int64_t)at, SEEK_SET) < 0)
		return -errno;
	int done = _write(fd, p, (unsigned)n), error = errno;
	if (_lseeki64(fd, end, SEEK_SET) < 0)
		return -errno;
	return done == (int)n ? 0 : done < 0 ? -error : -EIO;
}

int
plat_truncate(int fd, uint64_t n)
{
	return -_chsize_s(fd, (int64_t)n);
}

int
plat_sync(int fd)
{
	return _commit(fd) == 0 ? 0 : -errno;
}

int
plat_close(int fd)
{
	return _close(fd) == 0 ? 0 : -errno;
}

int
plat_unlink(const char *path)
{
	wchar_t *w = wide(path);
	int rc = w && DeleteFileW(w) ? 0 : -ENOENT;

	free(w);
	return rc;
}

/* --- threads ------------------------------------------------------------------------------- */

static DWORD WINAPI
thread_main(void *arg)
{
	((void (*)(void))(uintptr_t)arg)();
	return 0;
}

int
plat_thread_start(struct plat_thread *t, void (*run)(void))
{
	t->handle[0] = CreateThread(NULL, 0, thread_main, (void *)(uintptr_t)run, 0, NULL);
	return t->handle[0] ? 0 : -EAGAIN;
}

void
plat_thread_join(struct plat_thread *t)
{
	WaitForSingleObject(t->handle[0], INFINITE);
	CloseHandle(t->handle[0]);
}

uint64_t
plat_thread_self(void)
{
	return GetCurrentThreadId();
}

uint64_t
plat_thread_kernel(void)
{
	return GetCurrentThreadId();
}

uint64_t
plat_thread_ns(void)
{
	FILETIME made, gone, kernel, user;

	if (!GetThreadTimes(GetCurrentThread(), &made, &gone, &kernel, &user))
		return 0;
	return (((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
	    ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime)) * 100;
}

/* The shortest sleep is the system's tick, some 15 ms. */
void
plat_sleep_us(unsigned us)
{
	Sleep((us + 999) / 1000);
}

void
plat_nap_us(enum plat_bell b, unsigned us)
{
	if (bell[b])
		WaitForSingleObject(bell[b], (us + 999) / 1000);
	else
		plat_sleep_us(us);
}

void
plat_wake(enum plat_bell b)
{
	if (bell[b])
		SetEvent(bell[b]);
}

static DWORD exit_slot = FLS_OUT_OF_INDEXES;
static void (*exit_call)(void *);

static void WINAPI
at_thread_exit(void *t)
{
	if (t)
		exit_call(t);
}

void
plat_thread_exit_hook(void (*end)(void *t))
{
	exit_call = end;
	exit_slot = FlsAlloc(at_thread_exit);
}

void
plat_thread_exit_arm(void *t)
{
	if (exit_slot != FLS_OUT_OF_INDEXES)
		FlsSetValue(exit_slot, t);
}

/* Windows has no fork. */
void
plat_fork_hook(void (*child)(void))
{
	(void)child;
}

void
plat_watch_abort(void)
{
}

void
plat_end_stuck_crash(unsigned max_fork_ms, unsigned max_abort_ms)
{
	(void)max_fork_ms;
	(void)max_abort_ms;
}

void
plat_pin(void)
{
	HMODULE h;

	GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
	    (const wchar_t *)(uintptr_t)plat_pin, &h);
}

/* --- the rest ------------------------------------------------------------------------------------ */

void *
plat_alloc(size_t n)
{
	return VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void
plat_free(void *p, size_t n)
{
	(void)n;
	if (p)
		VirtualFree(p, 0, MEM_RELEASE);
}

uint64_t
plat_pid(void)
{
	return GetCurrentProcessId();
}

void
plat_random(void *p, size_t n)
{
	if (RtlGenRandom(p, (ULONG)n))
		return;
	uint64_t x = wall_ns() * 0x9e3779b97f4a7c15u ^ rec_now_slow() ^ plat_pid() << 32;
	for (size_t i = 0; i < n; i++, x = x * 6364136223846793005u + 1442695040888963407u)
		((uint8_t *)p)[i] = (uint8_t)(x >> 56);
}

const char *
plat_os(void)
{
	static char os[64];
	LONG (WINAPI *version)(OSVERSIONINFOW *) = NULL;
	OSVERSIONINFOW v = { .dwOSVersionInfoSize = sizeof v };

	if (os[0])
		return os;
	find(L"ntdll.dll", "RtlGetVersion", &version);
	if (version && version(&v) == 0)
		snprintf(os, sizeof os, "Windows %lu.%lu.%lu", v.dwMajorVersion, v.dwMinorVersion, v.dwBuildNumber);
	else
		strcpy(os, "Windows");
	return os;
}

const char *
plat_arch(void)
{
#if defined(__x86_64__)
	return "x86-64";
#elif defined(__aarch64__)
	return "aarch64";
#else
	return "";
#endif
}

void
plat_args(char *buf, size_t n)
{
	wchar_t *w = GetCommandLineW();

	/* A text that does not fit is omitted. */
	if (n == 0 || narrow(w, buf, n) > 0 || !*w)
		return;
	size_t len = wcslen(w);
	wchar_t *cut = malloc((len + 1) * sizeof *w);
	if (!cut)
		return;
	wcscpy(cut, w);
	while (len > 0 && narrow(cut, buf, n) == 0)
		cut[len /= 2] = L'\0';
	free(cut);
}

void
plat_full(const char *path, char *full, size_t n)
{
	wchar_t to[MAX_PATH], *w = wide(path);
	DWORD got = w ? GetFullPathNameW(w, MAX_PATH, to, NULL) : 0;

	if (got == 0 || got >= MAX_PATH || narrow(to, full, n) == 0)
		snprintf(full, n, "%s", path);
	free(w);
}

#else
/* A translation unit must not be empty. */
typedef int platform_windows_unused;
#endif
