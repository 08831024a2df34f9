/**
 * The system calls that all Unixes have.
 */
#ifndef _WIN32
#include "sys/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

_Static_assert(TT_PATH_BYTES >= PATH_MAX, "a path of the system fits");

/* --- open files -------------------------------------------------------------------- */

int
tt_sys_open(const char *path, unsigned how)
{
	const int access = how & TT_OPEN_WRITE ? how & TT_OPEN_READ ? O_RDWR : O_WRONLY : O_RDONLY;
	const int make = how & TT_OPEN_NEW ? O_CREAT | O_EXCL : how & TT_OPEN_CREATE ? O_CREAT : 0;
	const int more = (how & TT_OPEN_NO_LINK ? O_NOFOLLOW : 0) | (how & TT_OPEN_NO_WAIT ? O_NONBLOCK : 0);

	return open(path, access | make | more | O_CLOEXEC | O_NOCTTY, how & TT_OPEN_PRIVATE ? 0600 : 0666);
}

int
tt_sys_close(int fd)
{
	return close(fd);
}

int64_t
tt_sys_read(int fd, void *p, size_t n)
{
	return read(fd, p, n);
}

int64_t
tt_sys_pread(int fd, void *p, size_t n, uint64_t at)
{
	return pread(fd, p, n, (off_t)at);
}

int64_t
tt_sys_write(int fd, const void *p, size_t n)
{
	return write(fd, p, n);
}

int64_t
tt_sys_pwrite(int fd, const void *p, size_t n, uint64_t at)
{
	return pwrite(fd, p, n, (off_t)at);
}

int64_t
tt_sys_offset(int fd)
{
	return lseek(fd, 0, SEEK_CUR);
}

int
tt_sys_rewind(int fd)
{
	return lseek(fd, 0, SEEK_SET) == 0 ? 0 : -1;
}

int
tt_sys_truncate(int fd, uint64_t size)
{
	return ftruncate(fd, (off_t)size);
}

int
tt_sys_duplicate(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

void
tt_sys_wait_readable(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	poll(&wait, 1, -1);
}

void
tt_sys_wait_writable(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };

	poll(&wait, 1, -1);
}

int
tt_sys_sync(int fd)
{
	return fsync(fd);
}

int
tt_sys_lock(int fd, enum tt_lock lock, bool waits)
{
	const int how = lock == TT_LOCK_EXCLUSIVE ? LOCK_EX : lock == TT_LOCK_SHARED ? LOCK_SH : LOCK_UN;

	return flock(fd, how | (waits ? 0 : LOCK_NB));
}

/* --- names ------------------------------------------------------------------------- */

static int
fill(int rc, const struct stat *is, struct tt_sys_stat *st)
{
	if (rc != 0)
		return rc;
	*st = (struct tt_sys_stat){
		.kind = S_ISREG(is->st_mode) ? TT_KIND_FILE : S_ISDIR(is->st_mode) ? TT_KIND_FOLDER : S_ISLNK(is->st_mode) ? TT_KIND_LINK : TT_KIND_OTHER,
		.size = is->st_size > 0 ? (uint64_t)is->st_size : 0,
#ifdef __APPLE__
		.mtime_ns = (int64_t)is->st_mtimespec.tv_sec * 1000000000 + is->st_mtimespec.tv_nsec,
#else
		.mtime_ns = (int64_t)is->st_mtim.tv_sec * 1000000000 + is->st_mtim.tv_nsec,
#endif
		.volume = (uint64_t)is->st_dev,
		.id = is->st_ino,
		.mode = is->st_mode & 0777,
		.nlinks = is->st_nlink,
		.is_ours = is->st_uid == geteuid() || geteuid() == 0,
	};
	return 0;
}

int
tt_sys_stat(const char *path, struct tt_sys_stat *st)
{
	struct stat is;

	return fill(stat(path, &is), &is, st);
}

int
tt_sys_stat_link(const char *path, struct tt_sys_stat *st)
{
	struct stat is;

	return fill(lstat(path, &is), &is, st);
}

int
tt_sys_stat_open(int fd, struct tt_sys_stat *st)
{
	struct stat is;
	const int rc = fstat(fd, &is);

#ifdef __EMSCRIPTEN__
	/* fstat() of emscripten looks for the file by its name, which scratch files no longer have. */
	if (rc != 0 && errno == ENOENT) {
		const off_t at = lseek(fd, 0, SEEK_CUR), size = lseek(fd, 0, SEEK_END);
		*st = (struct tt_sys_stat){ .kind = TT_KIND_FILE, .size = size > 0 ? (uint64_t)size : 0, .is_ours = true };
		return lseek(fd, at, SEEK_SET) < 0 ? -1 : 0;
	}
#endif
	return fill(rc, &is, st);
}

int
tt_sys_set_mode(int fd, unsigned mode)
{
	return fchmod(fd, (mode_t)mode);
}

void
tt_sys_limit_modes(unsigned mode)
{
	umask((mode_t)(0777 & ~mode));
}

bool
tt_sys_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

int
tt_sys_may_read(const char *path)
{
	return access(path, R_OK);
}

int
tt_sys_may_write(const char *path)
{
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

int
tt_sys_may_make_in(const char *folder)
{
	return access(folder, W_OK | X_OK);
}

int
tt_sys_remove(const char *path)
{
	return unlink(path);
}

int
tt_sys_replace(const char *from, const char *to)
{
	return rename(from, to);
}

int
tt_sys_make_folder(const char *path)
{
	return mkdir(path, 0777);
}

int64_t
tt_sys_read_link(const char *path, char to[TT_PATH_BYTES])
{
	const ssize_t n = readlink(path, to, TT_PATH_BYTES - 1);

	if (n >= 0)
		to[n] = '\0';
	return n;
}

char *
tt_sys_real_path(const char *path)
{
	return realpath(path, NULL);
}

int
tt_sys_list(const char *folder, bool (*each)(void *arg, const char *name), void *arg)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	if (!d)
		return -1;
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !each(arg, e->d_name))
			break;
	closedir(d);
	return 0;
}

size_t
tt_sys_expand_pattern(const char *path, bool (*each)(void *arg, const char *path), void *arg)
{
	(void)path, (void)each, (void)arg;
	return 0;
}

const char *
tt_sys_temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

bool
tt_sys_is_separator(char c)
{
	return c == '/';
}

bool
tt_sys_is_same_name(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool
tt_sys_is_absolute(const char *path)
{
	return path[0] == '/';
}

const char *
tt_sys_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- the machine and this process -------------------------------------------------- */

void *
tt_sys_aligned(size_t align, size_t n)
{
	return aligned_alloc(align, n);
}

void
tt_sys_free_aligned(void *p)
{
	free(p);
}

void
tt_sys_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void
tt_sys_trim_blocks_from(size_t bytes)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, (int)bytes);
#else
	(void)bytes;
#endif
}

int64_t
tt_sys_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t
tt_sys_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

long
tt_sys_process_id(void)
{
	return (long)getpid();
}

static bool
cost_of(int whose, struct tt_sys_cost *cost)
{
	struct rusage u;

	if (getrusage(whose, &u) != 0)
		return false;
	cost->user_ns = (int64_t)u.ru_utime.tv_sec * 1000000000 + u.ru_utime.tv_usec * 1000;
	cost->system_ns = (int64_t)u.ru_stime.tv_sec * 1000000000 + u.ru_stime.tv_usec * 1000;
#ifdef __APPLE__
	cost->peak_bytes = (uint64_t)u.ru_maxrss;
#else
	cost->peak_bytes = (uint64_t)u.ru_maxrss * 1024;
#endif
	return true;
}

bool
tt_sys_cost(struct tt_sys_cost *cost)
{
	return cost_of(RUSAGE_SELF, cost);
}

bool
tt_sys_cost_of_children(struct tt_sys_cost *cost)
{
	return cost_of(RUSAGE_CHILDREN, cost);
}

uint64_t
tt_sys_max_files(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (uint64_t)limit.rlim_cur : 0;
}

const char *
tt_sys_error(int code)
{
	static _Thread_local char text[128];

#ifdef __GLIBC__
	return strerror_r(code, text, sizeof text);
#else
	return strerror_r(code, text, sizeof text) == 0 ? text : "unknown error";
#endif
}

/* --- other programs ------------------------------------------------------------------ */

const char *
tt_sys_program_path(void)
{
	return "/proc/self/exe";
}

int
tt_sys_run(const char *const *argv, int *code)
{
	(void)argv, (void)code;
	errno = ENOSYS;
	return -1;
}

bool
tt_sys_open_in_viewer(const char *path)
{
	(void)path;
	return false;
}

int
tt_sys_make_own_folder(char *path)
{
	return mkdtemp(path) ? 0 : -1;
}

int
tt_sys_remove_folder(const char *path)
{
	return rmdir(path);
}

/* --- being asked to stop ------------------------------------------------------------ */

void
tt_sys_block_signals(struct tt_sys_signal_mask *held)
{
	sigset_t all, old;

	_Static_assert(sizeof old <= sizeof held->saved, "a set of signals fits");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	memcpy(held->saved, &old, sizeof old);
}

void
tt_sys_restore_signals(const struct tt_sys_signal_mask *held)
{
	sigset_t old;

	memcpy(&old, held->saved, sizeof old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void
tt_sys_decode_arguments(int *argc, char ***argv)
{
	(void)argc, (void)argv;
}

void
tt_sys_prepare_process(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) == 0 || errno != EBADF)
			continue;
		/* Opened the wrong way round, so that reading or writing the stream fails as if it were closed. */
		if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(4);
	}
}

static void (*on_stop)(int by);

static void
on_signal(int sig)
{
	const int saved = errno;

	on_stop(sig == SIGALRM ? TT_STOP_BY_ALARM : sig);
	errno = saved;
}

/* Handlers are set without SA_RESTART, so that a waiting read returns and the flag is seen. Signals that were ignored (nohup) stay ignored. */
void
tt_sys_catch_stop(void (*on)(int by))
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal }, old;

	on_stop = on;
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof sigs / sizeof sigs[0]; i++) {
		if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	}
	sigaction(SIGALRM, &sa, NULL);
	/* write() then fails with EPIPE and EFBIG instead. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* Set the timer by one system call, which is safe in a signal handler. */
void
tt_sys_alarm(int64_t ns)
{
	const struct itimerval t = { .it_value = { .tv_sec = (time_t)(ns / 1000000000), .tv_usec = ns % 1000000000 / 1000 + (ns > 0) } };

	setitimer(ITIMER_REAL, &t, NULL);
	if (ns == 0)
		signal(SIGALRM, SIG_IGN);
}

void
tt_sys_end_by_signal(int by)
{
	sigset_t set;

	signal(by, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, by);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(by);
}

void
tt_sys_end_by_closed_pipe(void)
{
	tt_sys_end_by_signal(SIGPIPE);
}

/* --- the terminal ------------------------------------------------------------------- */

bool
tt_sys_is_terminal(int fd)
{
#ifdef __EMSCRIPTEN__
	/* isatty() of emscripten says yes for every standard stream. */
	return (void)fd, false;
#else
	return isatty(fd);
#endif
}

unsigned
tt_sys_columns(int fd)
{
	struct winsize w;

	if (!tt_sys_is_terminal(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

bool
tt_sys_shows_colors(int fd)
{
	const char *term = getenv("TERM");

	return tt_sys_is_terminal(fd) && term && strcmp(term, "dumb") != 0;
}

#else
typedef int tt_no_posix;              /* C wants a declaration in every file */
#endif
