/**
 * Names temporary files, and removes them at the end, as well as those that killed runs left.
 */
#include "io/temp.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/dest.h"
#include "io/sink.h"
#include "sys/sys.h"

/* Temporaries open at once: the 999 files of one split output, and one more. */
#define TEMP_MAX 1000

/* Most bytes of the output's name that a temporary's name repeats: a file name has at most 255, and name_temp() adds a few. */
#define STEM_MAX 200

enum { TEMP_FREE, TEMP_TAKEN, TEMP_LIVE };

struct tt_temp {
	atomic_int state;
	long pid;
	char *path;                   /* TT_PATH_BYTES bytes; never freed, because a signal handler may be reading it */
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
	const char *base = tt_sys_base_name(path);
	int n = snprintf(t->path, TT_PATH_BYTES, "%.*s.%.*s.tmp.%ld.%u", (int)(base - path), path, STEM_MAX, base, t->pid, k);

	return n >= 0 && n < TT_PATH_BYTES ? 0 : ENAMETOOLONG;
}

/*
 * Lock the file that was just made, for as long as it is open: if the lock is free, the file's writer is gone, on whatever machine or in whatever container
 * it ran. False if a sweep in another process has locked or removed the file meanwhile. On file systems without locks a sweep removes nothing.
 */
static bool
hold(int fd)
{
	struct tt_sys_stat st;

	if (tt_sys_lock(fd, TT_LOCK_EXCLUSIVE, false) != 0 && errno == EWOULDBLOCK)
		return false;
	return tt_sys_stat_open(fd, &st) != 0 || st.nlinks > 0;
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
		/* Marked live before the file exists: a signal handler that runs in between finds nothing to unlink, which does no harm. */
		atomic_store(&t->state, TEMP_LIVE);
		*fd = tt_sys_open(t->path, TT_OPEN_WRITE | TT_OPEN_NEW);
		if (*fd >= 0 && hold(*fd))
			return 0;
		sys = *fd >= 0 ? EEXIST : errno;
		if (*fd >= 0)
			tt_sys_close(*fd);
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
	t->pid = tt_sys_process_id();
	if (!t->path)
		t->path = malloc(TT_PATH_BYTES);
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
	const long self = tt_sys_process_id();

	for (size_t i = 0; i < TEMP_MAX; i++) {
		if (atomic_load(&temps[i].state) == TEMP_LIVE && temps[i].pid == self)
			tt_sys_remove(temps[i].path);
	}
	errno = sys;
}

long
tt_temp_process_id(const char *name)
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

/* Remove the temporary file ${path} if nobody holds its lock. */
static void
remove_abandoned(const char *path)
{
	struct tt_sys_stat st;
	const int fd = tt_sys_open(path, TT_OPEN_READ | TT_OPEN_WRITE | TT_OPEN_NO_LINK | TT_OPEN_NO_WAIT);
	const bool gone = fd >= 0 && tt_sys_stat_open(fd, &st) == 0 && st.kind == TT_KIND_FILE && tt_sys_lock(fd, TT_LOCK_EXCLUSIVE, false) == 0;

	/* If a writer has just made the file and not locked it yet, it will see our lock, or that the file is gone, and take another name: hold(). */
	if (gone)
		(void)tt_sys_remove(path);
	if (fd >= 0)
		tt_sys_close(fd);
}

/*
 * True if ${name}, without its first dot, is a temporary of the output ${stem}, whose name has ${n} bytes, or of a numbered output: "s-001.json" of
 * "s.json", with the number before any of its suffixes (tt_emit_open()).
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

struct sweep {
	char path[TT_PATH_BYTES];     /* the output */
	size_t folder;                /* bytes of its folder, with the separator */
	const char *stem;             /* the output's file name, with which the names of its temporaries begin */
	size_t nstem;
};

static bool
sweep_name(void *arg, const char *name)
{
	const struct sweep *s = arg;
	const long maker = tt_temp_process_id(name);
	char path[TT_PATH_BYTES];

	if (maker && is_temporary_of(name + 1, s->stem, s->nstem) && tt_sys_has_ended(maker, 0) &&
	    snprintf(path, sizeof path, "%.*s%s", (int)s->folder, s->path, name) < (int)sizeof path)
		remove_abandoned(path);
	return true;
}

void
tt_sink_sweep_output(const char *path)
{
	struct tt_sys_stat st;
	struct sweep s;
	char folder[TT_PATH_BYTES];

	/* Outputs that are written directly have no temporaries. */
	if (strcmp(path, "-") == 0 || (tt_sys_stat(path, &st) == 0 && st.kind != TT_KIND_FILE) || tt_dest_follow(path, s.path) != 0)
		return;
	s.stem = tt_sys_base_name(s.path);
	s.nstem = strnlen(s.stem, STEM_MAX);
	s.folder = (size_t)(s.stem - s.path);
	snprintf(folder, sizeof folder, "%.*s", s.folder ? (int)s.folder : 1, s.folder ? s.path : ".");
	(void)tt_sys_list(folder, sweep_name, &s);
}
