/**
 * The recorders' interface to Linux and similar POSIX systems.
 */
#if !defined(_WIN32)
#include "recorder/core/platform.h"
#include "ttc/layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* --- the clock ----------------------------------------------------------------- */

bool rec_has_counter;
static struct plat_instant began;

#if defined(CLOCK_MONOTONIC_RAW)
#define CLOCK CLOCK_MONOTONIC_RAW
#else
#define CLOCK CLOCK_MONOTONIC
#endif

static uint64_t
clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t
rec_now_slow(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* True if the counter runs at a constant rate in all states of all cores. */
static bool
invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#elif defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

void
plat_instant(struct plat_instant *i)
{
	uint64_t best = UINT64_MAX;

	/* Keep the attempt with the shortest distance between the readings. */
	for (int k = 0; k < 8; k++) {
		uint64_t a = rec_now(), mono = clock_ns(CLOCK), b = rec_now();
		if (b - a < best) {
			best = b - a;
			i->apart = best;
			i->ticks = a + (b - a) / 2;
			i->mono_ns = mono;
		}
	}
	i->wall_ns = clock_ns(CLOCK_REALTIME);
}

unsigned
plat_ratio(uint64_t *num, uint64_t *den)
{
	struct plat_instant now;

	*num = *den = 1;
	if (!rec_has_counter)
		return TTC_CLOCK_SYSTEM;
#if defined(__aarch64__)
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(*den));
	*num = 1000000000u;
	if (*den)
		return TTC_CLOCK_CNTVCT;
#endif
	plat_instant(&now);
	while (!plat_rate_known(&began, &now, 1)) {
		plat_sleep_us(100);
		plat_instant(&now);
	}
	*num = now.mono_ns - began.mono_ns;
	*den = now.ticks - began.ticks;
	return TTC_CLOCK_TSC;
}

/* --- once ------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool barriers;
static struct {
	pthread_mutex_t lock;
	pthread_cond_t rings;
	bool rung;
} bell[PLAT_BELLS];

#if defined(__linux__) && defined(SYS_membarrier)
enum { MEMBARRIER_EXPEDITED = 1 << 3, MEMBARRIER_REGISTER = 1 << 4 };
#endif

static void
init(void)
{
	pthread_condattr_t by;

	const char *clock = getenv("TRACETOOL_CLOCK");

	rec_has_counter = invariant() && (!clock || strcmp(clock, "system") != 0);
	plat_instant(&began);
	pthread_condattr_init(&by);
	pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
	for (int i = 0; i < PLAT_BELLS; i++) {
		pthread_mutex_init(&bell[i].lock, NULL);
		pthread_cond_init(&bell[i].rings, &by);
	}
	pthread_condattr_destroy(&by);
#if defined(__linux__) && defined(SYS_membarrier)
	barriers = syscall(SYS_membarrier, MEMBARRIER_REGISTER, 0, 0) == 0;
#endif
}

void
plat_init(void)
{
	pthread_once(&once, init);
}

bool
plat_barrier(void)
{
	atomic_thread_fence(memory_order_seq_cst);
#if defined(__linux__) && defined(SYS_membarrier)
	return barriers && syscall(SYS_membarrier, MEMBARRIER_EXPEDITED, 0, 0) == 0;
#else
	return false;
#endif
}

/* --- shared memory ------------------------------------------------------------------ */

static int
open_new(const char *path)
{
	int fd;

	do
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* Reserve the whole file, as a page missing later would raise SIGBUS in the game. */
static int
reserve(int fd, size_t at, size_t n)
{
	const struct timespec none = { 0 };
	sigset_t xfsz, old, pending;
	int rc;

	/* Writing beyond the file size limit raises a signal that kills; the error alone suffices. */
	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &xfsz, &old);
	do
		rc = posix_fallocate(fd, (off_t)at, (off_t)n);
	while (rc == EINTR);
	if (rc == EFBIG && !sigismember(&pending, SIGXFSZ))
		sigtimedwait(&xfsz, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -rc;
}

/*
 * Reserve shared memory, but leave a sixteenth of it free: when it is full, any process that touches a new page is killed, for example Mono's runtime.
 * Probing how much there is would fill it for a moment, so it is reserved in pieces, each after a check; several recorders together do not fill it either.
 */
static int
reserve_shared(int fd, size_t n)
{
	struct statvfs v;
	size_t piece;
	int rc = 0;

	for (size_t at = 0; at < n && rc == 0; at += piece) {
		if (fstatvfs(fd, &v) != 0)
			return -errno;
		uint64_t block = v.f_frsize, all = (uint64_t)v.f_blocks * block, free = (uint64_t)v.f_bavail * block;
		piece = all / 128 > block ? (size_t)(all / 128 / block * block) : (size_t)block;
		if (all == 0 || piece > n - at)        /* no limit, or the last piece */
			piece = n - at;
		rc = all > 0 && free < all / 16 + (at == 0 ? n : piece) ? -ENOSPC : reserve(fd, at, piece);
	}
	return rc;
}

/* Map a file in ${dir}. ${shared}: others use this memory, too, so some of it stays free. */
static int
map_in(struct plat_map *m, const char *dir, size_t n, bool touch, bool shared)
{
	uint8_t random[8];
	uint64_t r;
	int fd, rc;

	plat_random(random, sizeof random);
	memcpy(&r, random, 8);
	int len = snprintf(m->path, sizeof m->path, "%s/tracetool-%llu-%016llx.ring", dir,
	    (unsigned long long)plat_pid(), (unsigned long long)r);
	if (len < 0 || (size_t)len >= sizeof m->path)
		return -ENAMETOOLONG;
	fd = open_new(m->path);
	if (fd < 0)
		return fd;
	rc = shared ? reserve_shared(fd, n) : reserve(fd, 0, n);
	if (rc == 0) {
		m->p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		rc = m->p == MAP_FAILED ? -errno : 0;
	}
	close(fd);
	if (rc != 0) {
		unlink(m->path);
		return rc;
	}
	m->n = n;
	/* Touch every page before the first event. */
	for (size_t at = 0; touch && at < n; at += 4096)
		((volatile uint8_t *)m->p)[at] = 0;
	return 0;
}

int
plat_map_make(struct plat_map *m, const char *dir, const char *capture, size_t n, bool touch, char why[256])
{
	char own[1100];
	const char *run = getenv("XDG_RUNTIME_DIR");
	char *slash;
	int rc;

	if (dir) {
		rc = map_in(m, dir, n, touch, false);
		if (rc != 0)
			snprintf(why, 256, "no ring in %s: %s", dir, strerror(-rc));
		return rc;
	}
	if (map_in(m, "/dev/shm", n, touch, true) == 0)
		return 0;
	if (run && run[0] == '/' && map_in(m, run, n, touch, true) == 0)
		return 0;
	/* A reader searches rings only by an absolute path. */
	plat_full(capture, own, sizeof own);
	if ((slash = strrchr(own, '/')) != NULL)
		slash[slash == own] = '\0';
	else
		strcpy(own, ".");
	rc = map_in(m, own, n, touch, false);
	if (rc == 0)
		snprintf(why, 256,
		    "the ring is beside the capture, on a disk: the game may wait for it at times "
		    "(no room in /dev/shm)");
	else
		snprintf(why, 256, "no place for a ring of %zu bytes: %s", n, strerror(-rc));
	return rc;
}

void
plat_map_drop(struct plat_map *m, bool keep_memory)
{
	unlink(m->path);
	if (!keep_memory)
		munmap(m->p, m->n);
}

/* --- files ------------------------------------------------------------------------------ */

/* Lock a file as long as it is open. A file system without locks counts as locked. */
static bool
lock_file(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Remove ${path} unless a recorder holds it; readers keep the file. */
static int
take_away(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK), rc = 0;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0 && !lock_file(fd))
		rc = -EBUSY;
	else if (unlink(path) != 0 && errno != ENOENT)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Create ${path} and lock it. -EEXIST if another recorder removed it before the lock. */
static int
make_file(const char *path)
{
	int fd = open_new(path);
	struct stat own, there;

	if (fd < 0)
		return fd;
	if (lock_file(fd) && fstat(fd, &own) == 0 && lstat(path, &there) == 0 && own.st_dev == there.st_dev &&
	    own.st_ino == there.st_ino)
		return fd;
	close(fd);
	return -EEXIST;
}

int
plat_create(const char *path, bool replace)
{
	struct stat st;
	int fd, rc;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (replace && (rc = take_away(path)) != 0)
		return rc;
	return make_file(path);
}

long
plat_write(int fd, const void *p, size_t n)
{
	ssize_t done;

	do
		done = write(fd, p, n);
	while (done < 0 && errno == EINTR);
	return done < 0 ? -errno : (long)done;
}

/* Give the file ${made} the name ${path}, if no file has it. */
static int
name_file(const char *made, const char *path)
{
	struct stat st;

#if defined(__linux__) && defined(SYS_renameat2)
	enum { NOREPLACE = 1 };
	if (syscall(SYS_renameat2, AT_FDCWD, made, AT_FDCWD, path, NOREPLACE) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL)
		return -errno;
#endif
	if (lstat(path, &st) == 0)
		return -EEXIST;
	return rename(made, path) == 0 ? 0 : -errno;
}

int
plat_create_begun(const char *path, bool replace, const void *p, size_t n)
{
	char made[1200];
	int fd, rc = 0;
	long done;

	if (snprintf(made, sizeof made, "%s.new", path) >= (int)sizeof made)
		return -ENAMETOOLONG;
	if ((fd = plat_create(made, true)) < 0)
		return fd;
	done = plat_write(fd, p, n);
	if (done != (long)n)
		rc = done < 0 ? (int)done : -ENOSPC;
	if (rc == 0 && replace)
		rc = take_away(path);
	if (rc == 0)
		rc = name_file(made, path);
	if (rc == 0)
		return fd;
	close(fd);
	unlink(made);
	return rc;
}

int
plat_has(const char *path, uint64_t at, const void *p, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char is[64];
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = n <= sizeof is ? pread(fd, is, n, (off_t)at) : -1;
	close(fd);
	return got == (ssize_t)n && memcmp(is, p, n) == 0;
}

int
plat_patch(int fd, uint64_t at, const void *p, size_t n)
{
	return pwrite(fd, p, n, (off_t)at) == (ssize_t)n ? 0 : -EIO;
}

int
plat_truncate(int fd, uint64_t n)
{
	return ftruncate(fd, (off_t)n) == 0 ? 0 : -errno;
}

int
plat_sync(int fd)
{
	return fdatasync(fd) == 0 ? 0 : -errno;
}

int
plat_close(int fd)
{
	return close(fd) == 0 ? 0 : -errno;
}

int
plat_unlink(const char *path)
{
	struct stat st;

	/* Leave a pipe, a device, or a link to one alone, as it is not ours. */
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	return unlink(path) == 0 ? 0 : -errno;
}

/* --- threads ------------------------------------------------------------------------------- */

static void *
thread_main(void *arg)
{
	((void (*)(void))(uintptr_t)arg)();
	return NULL;
}

int
plat_thread_start(struct plat_thread *t, void (*run)(void))
{
	sigset_t all, old;
	pthread_t id;
	int rc;

	/* Block the game's signals on this thread, except those that our own errors raise. With SIGPIPE and SIGXFSZ blocked, write() returns errors instead. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&id, NULL, thread_main, (void *)(uintptr_t)run);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0)
		memcpy(t->handle, &id, sizeof id);
	return -rc;
}

void
plat_thread_join(struct plat_thread *t)
{
	pthread_t id;

	memcpy(&id, t->handle, sizeof id);
	pthread_join(id, NULL);
}

uint64_t
plat_thread_self(void)
{
	return (uint64_t)(uintptr_t)pthread_self();
}

uint64_t
plat_thread_kernel(void)
{
#if defined(__linux__)
	return (uint64_t)syscall(SYS_gettid);
#else
	return plat_thread_self();
#endif
}

uint64_t
plat_thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void
plat_sleep_us(unsigned us)
{
	struct timespec ts = { .tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000 };

	nanosleep(&ts, NULL);
}

void
plat_nap_us(enum plat_bell b, unsigned us)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)us * 1000;
	struct timespec ts = { .tv_sec = (time_t)(end / 1000000000), .tv_nsec = (long)(end % 1000000000) };

	pthread_mutex_lock(&bell[b].lock);
	while (!bell[b].rung && pthread_cond_timedwait(&bell[b].rings, &bell[b].lock, &ts) == 0)
		;
	bell[b].rung = false;
	pthread_mutex_unlock(&bell[b].lock);
}

void
plat_wake(enum plat_bell b)
{
	pthread_mutex_lock(&bell[b].lock);
	bell[b].rung = true;
	pthread_cond_signal(&bell[b].rings);
	pthread_mutex_unlock(&bell[b].lock);
}

static pthread_key_t exit_key;

void
plat_thread_exit_hook(void (*end)(void *t))
{
	pthread_key_create(&exit_key, end);
}

void
plat_thread_exit_arm(void *t)
{
	pthread_setspecific(exit_key, t);
}

void
plat_pin(void)
{
	Dl_info i;

	if (dladdr((void *)(uintptr_t)plat_pin, &i) && i.dli_fname)
		dlopen(i.dli_fname, RTLD_NOW | RTLD_NODELETE | RTLD_NOLOAD);
}

/* --- the rest ------------------------------------------------------------------------------------ */

void *
plat_alloc(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void
plat_free(void *p, size_t n)
{
	if (p)
		munmap(p, n);
}

uint64_t
plat_pid(void)
{
	return (uint64_t)getpid();
}

void
plat_random(void *p, size_t n)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, p, n);

	if (fd >= 0)
		close(fd);
	if (got == (ssize_t)n)
		return;
	/* The number need only differ from those of other recordings. */
	uint64_t x =
	    clock_ns(CLOCK_REALTIME) * 0x9e3779b97f4a7c15u ^ clock_ns(CLOCK_MONOTONIC) ^ plat_pid() << 32;
	for (size_t i = 0; i < n; i++, x = x * 6364136223846793005u + 1442695040888963407u)
		((uint8_t *)p)[i] = (uint8_t)(x >> 56);
}

const char *
plat_os(void)
{
	static char os[160];
	struct utsname u;

	if (!os[0] && uname(&u) == 0)
		snprintf(os, sizeof os, "%s %s", u.sysname, u.release);
	return os;
}

const char *
plat_arch(void)
{
#if defined(__x86_64__)
	return "x86-64";
#elif defined(__aarch64__)
	return "aarch64";
#elif defined(__i386__)
	return "x86";
#elif defined(__arm__)
	return "arm";
#else
	return "";
#endif
}

void
plat_args(char *buf, size_t n)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, buf, n - 1);

	if (fd >= 0)
		close(fd);
	if (got < 0)
		got = 0;
	while (got > 0 && buf[got - 1] == '\0')
		got--;
	for (ssize_t i = 0; i < got; i++)
		if (buf[i] == '\0')
			buf[i] = ' ';
	buf[got] = '\0';
}

void
plat_full(const char *path, char *full, size_t n)
{
	size_t at = path[0] != '/' && getcwd(full, n) ? strlen(full) : 0;

	if (at > 0 && at + 1 + strlen(path) < n)
		full[at++] = '/';
	else
		at = 0;
	snprintf(full + at, n - at, "%s", path);
}

#else
typedef int tt_platform_linux_is_empty;
#endif
