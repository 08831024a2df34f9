/**
 * Names temporary files, removes them at the end, and those of runs that were killed.
 */
#include "io/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "io/dest.h"
#include "io/sink.h"

/* Temporaries open at once: the 999 files of one split output, and one more. */
#define TEMP_MAX 1000

/* How long tt_sink_sweep() waits in all for processes that were killed with their parent. */
#define SWEEP_WAIT_MS 5000

/* Most bytes of the output's own name in a temporary's: a file name has at most 255, and name_temp() adds a few. */
#define STEM_MAX 200

enum { TEMP_FREE, TEMP_TAKEN, TEMP_LIVE };

struct tt_temp {
	atomic_int state;
	pid_t pid;
	char *path;                   /* of PATH_MAX bytes; never freed, because a handler may be reading it */
};

static struct tt_temp temps[TEMP_MAX];

static struct tt_temp *
take_slot(void)
{
	for (size_t i = 0; i < TEMP_MAX; i++) {
		int state = TEMP_FREE;

		if (atomic_compare_exchange_strong(&temps[i].state, &state, TEMP_TAKEN))
			return &temps[i];
	}
	return NULL;
}

/* Make the ${k}th name for a file beside ${path}. */
static int
name_temp(struct tt_temp *t, const char *path, unsigned k)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	int n = snprintf(t->path, PATH_MAX, "%.*s.%.*s.tmp.%ld.%u", (int)(base - path), path, STEM_MAX,
	    base, (long)t->pid, k);

	return n >= 0 && n < PATH_MAX ? 0 : ENAMETOOLONG;
}

/*
 * Lock the file that was just made, for as long as it is open: a free lock proves that its writer is gone, on whatever machine or in whatever container it
 * ran. False if a sweep that came in between has it, or has removed it. File systems without locks have none to be taken, so nothing is swept there.
 */
static bool
hold(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return false;
	return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* Create a file under the first free name; 0 or an errno. */
static int
create(struct tt_temp *t, const char *path, int *fd)
{
	static atomic_uint counter;
	int sys = EEXIST;

	for (int tries = 0; sys == EEXIST && tries < 1000; tries++) {
		sys = name_temp(t, path, atomic_fetch_add(&counter, 1));
		if (sys)
			break;
		/* Live before it exists: a signal handler that runs in between has nothing to unlink, which does no harm. */
		atomic_store(&t->state, TEMP_LIVE);
		*fd = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
		if (*fd >= 0 && hold(*fd))
			return 0;
		sys = *fd >= 0 ? EEXIST : errno;
		if (*fd >= 0)
			close(*fd);
		atomic_store(&t->state, TEMP_TAKEN);
		if (sys == EINTR)
			sys = EEXIST;
	}
	return sys;
}

int
tt_fail_folder(struct tt_err *err)
{
	tt_fail(err, TT_E_IO, TT_NOWHERE, "its folder does not exist; make it first");
	if (err)
		err->sys = ENOENT;
	return TT_E_IO;
}

int
tt_temp_open(const char *path, struct tt_temp **temp, int *fd, struct tt_err *err)
{
	struct tt_temp *t = take_slot();
	int sys;

	if (!t)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more than %d outputs are open", TEMP_MAX);
	t->pid = getpid();
	if (!t->path)
		t->path = malloc(PATH_MAX);
	sys = t->path ? create(t, path, fd) : ENOMEM;
	if (sys) {
		tt_temp_release(t);
		return sys == ENOENT ? tt_fail_folder(err) : tt_fail_sys(err, sys, "cannot make a temporary file beside it");
	}
	*temp = t;
	return TT_OK;
}

const char *
tt_temp_path(const struct tt_temp *t)
{
	return t->path;
}

void
tt_temp_release(struct tt_temp *t)
{
	atomic_store(&t->state, TEMP_FREE);
}

void
tt_sink_unlink_all(void)
{
	int sys = errno;
	pid_t self = getpid();

	for (size_t i = 0; i < TEMP_MAX; i++) {
		if (atomic_load(&temps[i].state) == TEMP_LIVE && temps[i].pid == self)
			unlink(temps[i].path);
	}
	errno = sys;
}

/* The process id in a name that name_temp() made; 0: it made none like it. */
static long
maker_of(const char *name)
{
	static const char mark[] = ".tmp.";
	const char *at = NULL, *next = name;
	char *end;
	long pid;

	while ((next = strstr(next, mark)) != NULL)
		at = next++;
	if (name[0] != '.' || !at)
		return 0;
	at += sizeof mark - 1;
	pid = strtol(at, &end, 10);
	if (end == at || *end != '.' || pid <= 0 || strspn(end + 1, "0123456789") != strlen(end + 1) || !end[1])
		return 0;
	return pid;
}

/* True if the process has ended, even if it is a zombie. One that is being killed gets ${wait} ms to end. */
static bool
has_ended(long pid, int wait)
{
	int fd = pidfd_open((pid_t)pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool over;

	if (fd < 0)
		return errno == ESRCH || errno == EINVAL || (errno == ENOSYS && kill((pid_t)pid, 0) != 0 && errno == ESRCH);
	over = poll(&p, 1, wait) == 1;
	close(fd);
	return over;
}

/* Remove this temporary file if nobody holds its lock. */
static void
remove_abandoned(int dir, const char *name)
{
	struct stat st;
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool gone = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;

	/* If the writer has just made it and locks it later, it sees the lock, or that the file is gone, and takes another name: hold(). */
	if (gone)
		(void)unlinkat(dir, name, 0);
	if (fd >= 0)
		close(fd);
}

/* Open the folder of output ${path}; *${stem}, of *${n} bytes: how names of its temporaries begin. Outputs that are written directly have none. */
static DIR *
open_folder(const char *path, char made[PATH_MAX], const char **stem, size_t *n)
{
	struct stat st;
	char *slash;
	DIR *d;

	if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) || tt_dest_follow(path, made) != 0)
		return NULL;
	slash = strrchr(made, '/');
	*stem = slash ? slash + 1 : made;
	*n = strnlen(*stem, STEM_MAX);
	if (!slash)
		return opendir(".");
	if (slash == made)
		return opendir("/");
	*slash = '\0';
	d = opendir(made);
	*slash = '/';
	return d;
}

/*
 * True if ${name}, behind its dot, is a temporary of the output ${stem}, whose name has ${n} bytes, or of a numbered one: "s-001.json" of "s.json", with
 * the number before any of its suffixes (tt_emit_open()).
 */
static bool
is_temporary_of(const char *name, const char *stem, size_t n)
{
	static const char mark[] = ".tmp.";

	if (strncmp(name, stem, n) == 0 && strncmp(name + n, mark, sizeof mark - 1) == 0)
		return true;
	for (size_t before = 1; before <= n && strncmp(name, stem, before) == 0; before++) {
		const size_t ndigits = name[before] == '-' ? strspn(name + before + 1, "0123456789") : 0;
		const char *rest = name + before + (ndigits ? 1 + ndigits : 0);

		if (ndigits >= 3 && (before == n || stem[before] == '.') && strncmp(rest, stem + before, n - before) == 0 &&
		    strncmp(rest + n - before, mark, sizeof mark - 1) == 0)
			return true;
	}
	return false;
}

void
tt_sink_sweep_output(const char *path)
{
	char made[PATH_MAX];
	const char *stem = "";
	size_t n = 0;
	DIR *d = open_folder(path, made, &stem, &n);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		const char *name = e->d_name;
		long maker = maker_of(name);

		if (maker && is_temporary_of(name + 1, stem, n) && has_ended(maker, 0))
			remove_abandoned(dirfd(d), name);
	}
	if (d)
		closedir(d);
}

void
tt_sink_sweep(int dir, long pid)
{
	int fd = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct timespec begun, now;
	int wait = SWEEP_WAIT_MS;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &begun);
	rewinddir(d);                 /* the place in it is shared with ${dir} */
	while ((e = readdir(d)) != NULL) {
		long maker = maker_of(e->d_name);

		if (maker && pid && maker == pid)
			(void)unlinkat(dir, e->d_name, 0);
		else if (maker && !pid && has_ended(maker, wait))
			remove_abandoned(dir, e->d_name);
		clock_gettime(CLOCK_MONOTONIC, &now);
		wait = SWEEP_WAIT_MS - (int)((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000);
		wait = wait > 0 ? wait : 0;
	}
	closedir(d);
}
