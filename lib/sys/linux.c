/**
 * The system calls that only Linux has, or that differ from those of other Unixes.
 */
#ifdef __linux__
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <ucontext.h>
#include <unistd.h>

/* --- open files -------------------------------------------------------------------- */

void
tt_sys_will_read(int fd)
{
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

void
tt_sys_begin_writeback(int fd, uint64_t at, uint64_t n)
{
	(void)sync_file_range(fd, (off_t)at, (off_t)n, SYNC_FILE_RANGE_WRITE);
}

/* True if the errno ${sys} of open() with O_TMPFILE means that the file system has no unnamed files. Kernels that do not know the flag return EISDIR. */
static bool
needs_name(int sys)
{
	return sys == EOPNOTSUPP || sys == EISDIR || sys == EINVAL;
}

/* Open a named file in ${dir} and remove its name at once: for file systems without O_TMPFILE. */
static int
open_named(const char *dir)
{
	char path[TT_PATH_BYTES];
	int fd;

	if (snprintf(path, sizeof path, "%s/tracetool-XXXXXX", dir) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int
open_unnamed(const char *dir)
{
	return open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
}

int
tt_sys_scratch(const char *dir)
{
	const int fd = open_unnamed(dir);

	return fd < 0 && needs_name(errno) ? open_named(dir) : fd;
}

bool
tt_sys_scratch_is_named(const char *dir)
{
	const int fd = open_unnamed(dir);

	if (fd < 0)
		return needs_name(errno);
	close(fd);
	return false;
}

int
tt_sys_memory_file(void)
{
	return memfd_create("tracetool", MFD_CLOEXEC);
}

int
tt_sys_copy(int from, int to, uint64_t n, uint64_t *done)
{
	off_t at = (off_t)*done;

	while ((uint64_t)at < n) {
		const ssize_t put = sendfile(to, from, &at, (size_t)(n - (uint64_t)at));

		*done = (uint64_t)at;
		if (put == 0)
			errno = ENOSPC;
		if (put <= 0)
			return -1;
	}
	return 0;
}

/* --- the machine and this process -------------------------------------------------- */

unsigned
tt_sys_ncpus(void)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : (unsigned)n;
}

bool
tt_sys_random(void *p, size_t n)
{
	return getrandom(p, n, GRND_NONBLOCK) == (ssize_t)n;
}

bool
tt_sys_has_ended(long pid, int wait_ms)
{
	int fd = pidfd_open((pid_t)pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool over;

	if (fd < 0)
		return errno == ESRCH || errno == EINVAL || (errno == ENOSYS && kill((pid_t)pid, 0) != 0 && errno == ESRCH);
	over = poll(&p, 1, wait_ms) == 1;
	close(fd);
	return over;
}

/* --- the stack ---------------------------------------------------------------------- */

/*
 * A stack of our own if the system's limit is small. It uses contexts, not a thread, so that signals, the sandbox and fork() work as on the first stack.
 * The call is in a static struct because makecontext() passes only int arguments.
 */
static struct {
	int (*run)(int argc, char **argv);
	int argc, code;
	char **argv;
	ucontext_t first, own;
} call;

static void
run_call(void)
{
	call.code = call.run(call.argc, call.argv);
}

/* Set the default size of thread stacks, which is otherwise the system's limit. */
static void
enlarge_thread_stacks(size_t bytes)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) != 0)
		return;
	if (pthread_attr_setstacksize(&attr, bytes) == 0)
		(void)pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/* Map a stack of ${bytes} above ${guard} bytes that cannot be accessed; NULL: no memory. */
static char *
map_stack(size_t guard, size_t bytes)
{
	char *p = mmap(NULL, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)mprotect(p, guard, PROT_NONE);
	return p + guard;
}

int
tt_sys_run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv, size_t bytes)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct rlimit limit;
	char *stack;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes)
		return run(argc, argv);
	enlarge_thread_stacks(bytes);
	stack = map_stack(page > 0 ? (size_t)page : 4096, bytes);
	if (!stack || getcontext(&call.own) != 0)
		return run(argc, argv);
	call.run = run;
	call.argc = argc;
	call.argv = argv;
	call.own.uc_stack.ss_sp = stack;
	call.own.uc_stack.ss_size = bytes;
	call.own.uc_link = &call.first;
	makecontext(&call.own, run_call, 0);
	if (swapcontext(&call.first, &call.own) != 0)
		return run(argc, argv);
	return call.code;
}

#else
typedef int tt_no_linux;              /* C wants a declaration in every file */
#endif
