/**
 * The system calls for the machine, processes, stop requests and the terminal, on Windows 10 1903 and later.
 */
#ifdef _WIN32
#include "sys/gnu.h"
#include "sys/windows.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <psapi.h>

/* --- the machine and this process ----------------------------------------------------------- */

unsigned
tt_sys_ncpus(void)
{
	DWORD_PTR mine = 0, all;

	if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) || mine == 0)
		return 1;
	return (unsigned)__builtin_popcountll(mine);
}

/* RtlGenRandom(), which the system exports under this name. */
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
tt_sys_trim_blocks_from(size_t bytes)
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
	return ((int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) - TT_WINDOWS_EPOCH_100NS) * 100;
}

long
tt_sys_process_id(void)
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

/* Return false: Windows reports costs of the process itself only. */
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

/* Return glibc's text for the errno ${code}, so that messages are the same on all systems. */
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

/* Call ${run} directly: the linker sets the size of the stack. */
int
tt_sys_run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv, size_t bytes)
{
	(void)bytes;
	return run(argc, argv);
}

/* --- other programs -------------------------------------------------------------------------- */

const char *
tt_sys_program_path(void)
{
	static char path[TT_PATH_BYTES];
	wchar_t name[TT_WINDOWS_PATH];
	const DWORD n = GetModuleFileNameW(NULL, name, TT_WINDOWS_PATH);

	if (n == 0 || n >= TT_WINDOWS_PATH || !tt_windows_narrow(name, path, sizeof path))
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

/* Append ${word} in the form that programs parse from a command line: in quotes, with backslashes before a quote doubled. */
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
		wchar_t word[TT_WINDOWS_PATH];

		good = MultiByteToWideChar(CP_UTF8, 0, argv[i], -1, word, TT_WINDOWS_PATH) > 0 && add_word(&l, word);
	}
	if (!good) {
		free(l.p);
		errno = ENOMEM;
		return -1;
	}
	good = CreateProcessW(NULL, l.p, NULL, NULL, TRUE, 0, NULL, NULL, &start, &is);
	if (!good)
		tt_windows_fail();
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

/* Show ${path} through shell32.dll, which is loaded only here because it would slow down every start. */
bool
tt_sys_open_in_viewer(const char *path)
{
	typedef HINSTANCE WINAPI execute(HWND, LPCWSTR, LPCWSTR, LPCWSTR, LPCWSTR, INT);
	const HMODULE shell = LoadLibraryExW(L"shell32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
	wchar_t name[TT_WINDOWS_PATH];
	execute *show = NULL;
	FARPROC found;

	found = shell ? GetProcAddress(shell, "ShellExecuteW") : NULL;
	memcpy(&show, &found, sizeof show);
	return show && tt_windows_widen(path, name) && (intptr_t)show(NULL, L"open", name, NULL, NULL, SW_SHOWNORMAL) > 32;
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
	wchar_t name[TT_WINDOWS_PATH];

	if (!tt_windows_widen(path, name))
		return -1;
	return RemoveDirectoryW(name) ? 0 : tt_windows_fail();
}

/* --- being asked to stop ------------------------------------------------------------------- */

void
tt_sys_block_signals(struct tt_sys_signal_mask *held)
{
	(void)held;
}

void
tt_sys_restore_signals(const struct tt_sys_signal_mask *held)
{
	(void)held;
}

/* The C library's function that divides the command line into arguments. */
int __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***env, int expand, int *mode);

void
tt_sys_decode_arguments(int *argc, char ***argv)
{
	wchar_t **wide, **env;
	int n, mode = 0;
	char **to;

	if (__wgetmainargs(&n, &wide, &env, 0, &mode) != 0 || !(to = calloc((size_t)n + 1, sizeof *to)))
		return;
	for (int i = 0; i < n; i++) {
		const int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);

		if (size <= 0 || !(to[i] = malloc((size_t)size)) || !tt_windows_narrow(wide[i], to[i], size))
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
tt_sys_prepare_process(void)
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

/* Call on_stop(), and wake the main thread if it waits for a file or pipe. */
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
	/* If a window closes or the user logs off, the system ends the process when this returns, or after a while: wait for that. */
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
tt_sys_end_by_signal(int by)
{
	restore_console();
	_Exit(128 + (by > 0 ? by : SIGTERM));
}

/* End as SIGPIPE, number 13, ends a program. */
void
tt_sys_end_by_closed_pipe(void)
{
	tt_sys_end_by_signal(13);
}

/* --- the terminal ---------------------------------------------------------------------------- */

bool
tt_sys_is_terminal(int fd)
{
	const HANDLE h = tt_windows_handle(fd);
	DWORD mode;

	return h != INVALID_HANDLE_VALUE && GetConsoleMode(h, &mode);
}

unsigned
tt_sys_columns(int fd)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	if (!tt_sys_is_terminal(fd))
		return 0;
	return GetConsoleScreenBufferInfo(tt_windows_handle(fd), &info) && info.srWindow.Right > info.srWindow.Left ?
	    (unsigned)(info.srWindow.Right - info.srWindow.Left + 1) : 80;
}

bool
tt_sys_shows_colors(int fd)
{
	const HANDLE h = tt_windows_handle(fd);
	DWORD mode;

	return h != INVALID_HANDLE_VALUE && GetConsoleMode(h, &mode) && SetConsoleMode(h, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

#else
typedef int tt_no_windows;            /* C wants a declaration in every file */
#endif
