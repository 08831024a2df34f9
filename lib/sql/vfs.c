/**
 * Implements SQLite's interface to files: https://sqlite.org/vfs.html.
 */
#ifdef TT_SQLITE
#include "sql/vfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash_seed.h"
#include "base/setting.h"
#include "io/spool.h"
#include "sys/sys.h"

struct file {
	sqlite3_file base;
	struct tt_db_files *of;
	int fd;
	bool own;                     /* true: a temporary file, whose descriptor is closed with the file */
	uint64_t size;                /* bytes written */
};

static struct file *
file_of(sqlite3_file *f)
{
	return (struct file *)(void *)f;
}

static int
file_close(sqlite3_file *f)
{
	struct file *x = file_of(f);

	if (x->own && x->fd >= 0) {
		tt_sys_close(x->fd);
		x->of->temporary -= x->size;
	}
	x->fd = -1;
	return SQLITE_OK;
}

static int
file_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	struct file *x = file_of(f);
	char *p = to;

	while (n > 0) {
		const int64_t got = tt_sys_pread(x->fd, p, (size_t)n, (uint64_t)at);

		if (got < 0 && errno == EINTR && !tt_stopped(&x->of->env))
			continue;
		if (got < 0 && errno == EINTR)
			return SQLITE_INTERRUPT;
		if (got < 0) {
			tt_fail_sys(&x->of->err, errno, "cannot read %s", x->own || !x->of->reads ? "a temporary file" : "the database");
			return SQLITE_IOERR_READ;
		}
		if (got == 0) {       /* bytes past the end are zero */
			memset(p, 0, (size_t)n);
			return SQLITE_IOERR_SHORT_READ;
		}
		p += got;
		n -= (int)got;
		at += got;
	}
	return SQLITE_OK;
}

static int
file_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	struct file *x = file_of(f);
	struct tt_db_files *of = x->of;
	const uint64_t end = (uint64_t)at + (uint64_t)n, more = end > x->size ? end - x->size : 0;
	const struct tt_env all = { .stop = of->env.stop, .tmpdir = of->env.tmpdir, .spool_max = UINT64_MAX };

	if (of->temporary + more > of->env.spool_max) {
		tt_fail(&of->err, TT_E_LIMIT, TT_NOWHERE, "the database takes more than the %" PRIu64 " bytes that may be put aside; raise %s",
		    of->env.spool_max, tt_setting_name[TT_SETTING_SPOOL]);
		return SQLITE_FULL;
	}
	if (tt_spool_add(&all, &x->fd, (uint64_t)at, p, (size_t)n, &of->err) != TT_OK)
		return SQLITE_IOERR_WRITE;
	x->size += more;
	of->temporary += more;
	return SQLITE_OK;
}

static int
file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct file *x = file_of(f);

	if (tt_sys_truncate(x->fd, (uint64_t)size) != 0) {
		tt_fail_sys(&x->of->err, errno, "cannot cut a temporary file in %s", tt_spool_dir(&x->of->env));
		return SQLITE_IOERR_TRUNCATE;
	}
	if ((uint64_t)size < x->size) {
		x->of->temporary -= x->size - (uint64_t)size;
		x->size = (uint64_t)size;
	}
	return SQLITE_OK;
}

static int
file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	struct tt_sys_stat st;

	if (tt_sys_stat_open(file_of(f)->fd, &st) != 0)
		return SQLITE_IOERR_FSTAT;
	*size = (sqlite3_int64)st.size;
	return SQLITE_OK;
}

/* Neither lock nor sync: nobody else uses the file, or nobody changes it. */
static int
file_nothing(sqlite3_file *f, int how)
{
	(void)f;
	(void)how;
	return SQLITE_OK;
}

static int
file_reserved(sqlite3_file *f, int *is)
{
	(void)f;
	*is = 0;
	return SQLITE_OK;
}

static int
file_control(sqlite3_file *f, int what, void *arg)
{
	(void)f;
	(void)what;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int
file_sector(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

static int
file_is(sqlite3_file *f)
{
	const struct file *x = file_of(f);

	return !x->own && x->of->reads ? SQLITE_IOCAP_IMMUTABLE : SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SEQUENTIAL | SQLITE_IOCAP_SAFE_APPEND;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate, .xSync = file_nothing,
	.xFileSize = file_size, .xLock = file_nothing, .xUnlock = file_nothing, .xCheckReservedLock = file_reserved,
	.xFileControl = file_control, .xSectorSize = file_sector, .xDeviceCharacteristics = file_is,
};

static int
vfs_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *is)
{
	struct tt_db_files *of = v->pAppData;
	struct file *x = file_of(f);
	struct tt_env plain = { .stop = of->env.stop, .tmpdir = of->env.tmpdir };

	(void)path;
	*x = (struct file){ .of = of, .fd = of->fd };
	if (!(flags & SQLITE_OPEN_MAIN_DB)) {
		if (!(flags & SQLITE_OPEN_DELETEONCLOSE))
			return SQLITE_CANTOPEN;
		if (tt_spool_open(&plain, &x->fd, &of->err) != TT_OK)
			return SQLITE_CANTOPEN;
		x->own = true;
	}
	x->base.pMethods = &methods;
	if (is)
		*is = flags;
	return SQLITE_OK;
}

static int
vfs_delete(sqlite3_vfs *v, const char *path, int sync)
{
	(void)v;
	(void)path;
	(void)sync;
	return SQLITE_OK;
}

static int
vfs_access(sqlite3_vfs *v, const char *path, int flags, int *is)
{
	(void)v;
	(void)path;
	(void)flags;
	*is = 0;
	return SQLITE_OK;
}

static int
vfs_path(sqlite3_vfs *v, const char *path, int n, char *to)
{
	(void)v;
	return snprintf(to, (size_t)n, "%s", path) < n ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int
vfs_random(sqlite3_vfs *v, int n, char *to)
{
	uint64_t h = 0;

	(void)v;
	for (int i = 0; i < n; i++)
		to[i] = (char)(h = tt_seeded_mix(h, (uint64_t)i));
	return n;
}

static int
vfs_sleep(sqlite3_vfs *v, int us)
{
	(void)v;
	return us;
}

/* Set *${ms} to the milliseconds since noon of November 24th, 4714 BC. */
static int
vfs_time64(sqlite3_vfs *v, sqlite3_int64 *ms)
{
	(void)v;
	*ms = INT64_C(210866760000000) + (sqlite3_int64)time(NULL) * 1000;
	return SQLITE_OK;
}

static int
vfs_time(sqlite3_vfs *v, double *days)
{
	sqlite3_int64 ms;

	vfs_time64(v, &ms);
	*days = (double)ms / 86400000.0;
	return SQLITE_OK;
}

int
tt_vfs_begin(struct tt_db_files *f, const struct tt_env *env)
{
	snprintf(f->name, sizeof f->name, "tracetool-%" PRIxPTR, (uintptr_t)f);
	f->env = (struct tt_env){ .stop = env->stop, .tmpdir = env->tmpdir, .spool_max = f->reads ? UINT64_MAX : env->spool_max };
	f->vfs = (sqlite3_vfs){ .iVersion = 2, .szOsFile = sizeof(struct file), .mxPathname = 512, .zName = f->name, .pAppData = f,
		.xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access, .xFullPathname = vfs_path, .xRandomness = vfs_random,
		.xSleep = vfs_sleep, .xCurrentTime = vfs_time, .xCurrentTimeInt64 = vfs_time64 };
	return sqlite3_vfs_register(&f->vfs, 0);
}

void
tt_vfs_end(struct tt_db_files *f)
{
	if (f->vfs.zName)
		sqlite3_vfs_unregister(&f->vfs);
	if (f->fd >= 0)
		tt_sys_close(f->fd);
	f->fd = -1;
}
#else
typedef int tt_no_vfs;                /* C wants a declaration in every file */
#endif
