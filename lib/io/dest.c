/**
 * Opens, writes and replaces the files, pipes and descriptors that output goes to.
 */
#include "io/dest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/temp.h"
#include "sys/sys.h"

/* Most bytes of one write: longer ones are split, so that a request to stop is noticed. */
#define WRITE_MAX ((size_t)1 << 24)

/* After each this many bytes the system is asked to begin writing them to disk, so that commit waits less. */
#define SEND_EARLY ((uint64_t)1 << 25)

static int
fail(const struct tt_dest *d, int sys, struct tt_err *err)
{
	return tt_fail_sys(err, sys, "cannot write %s", d->name);
}

static void
close_fd(struct tt_dest *d)
{
	if (d->fd >= 0 && !d->borrowed)
		tt_sys_close(d->fd);
	d->fd = -1;
}

/* Close the descriptor, remove the temporary file, free the path. */
void
tt_dest_abort(struct tt_dest *d)
{
	close_fd(d);
	if (d->temp) {
		tt_sys_remove(tt_temp_path(d->temp));
		tt_temp_release(d->temp);
		d->temp = NULL;
	}
	tt_mem_free(&d->env->mem, d->path, d->path_size);
	d->path = NULL;
}

/* --- opening ------------------------------------------------------------ */

/* Write to a device or a FIFO as it is. */
static int
open_direct(struct tt_dest *d, struct tt_err *err)
{
	do {
		if (tt_stopped(d->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		d->fd = tt_sys_open(d->name, TT_OPEN_WRITE);
	} while (d->fd < 0 && errno == EINTR);
	return d->fd < 0 ? fail(d, errno, err) : TT_OK;
}

int
tt_dest_follow(const char *name, char path[TT_PATH_BYTES])
{
	enum { LINKS = 40 };          /* the most links that the kernel follows */
	char to[TT_PATH_BYTES];

	if (snprintf(path, TT_PATH_BYTES, "%s", name) >= TT_PATH_BYTES)
		return ENAMETOOLONG;
	for (int i = 0; i <= LINKS; i++) {
		const int64_t n = tt_sys_read_link(path, to);
		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : errno;
		const size_t folder = tt_sys_is_separator(to[0]) ? 0 : (size_t)(tt_sys_base_name(path) - path);
		if (folder + (size_t)n >= TT_PATH_BYTES)
			return ENAMETOOLONG;
		memcpy(path + folder, to, (size_t)n + 1);
	}
	return ELOOP;
}

/* Keep the path that the temporary is renamed to: if the output is a link, its target, so that the link stays. */
static int
follow(struct tt_dest *d, struct tt_err *err)
{
	char path[TT_PATH_BYTES];
	int sys = tt_dest_follow(d->name, path);

	if (sys)
		return fail(d, sys, err);
	d->path_size = strlen(path) + 1;
	d->path = tt_mem_alloc(&d->env->mem, d->path_size, err);
	if (!d->path)
		return err ? err->code : TT_E_NOMEM;
	memcpy(d->path, path, d->path_size);
	return TT_OK;
}

/* Open the temporary; ${old} is the file that will be replaced, or NULL. */
static int
open_temp(struct tt_dest *d, const struct tt_sys_stat *old, struct tt_err *err)
{
	int rc = follow(d, err);

	if (rc != TT_OK)
		return rc;
	/* rename() would replace even a write-protected file, which the user does not want replaced. */
	if (old && tt_sys_may_write(d->path) != 0)
		return fail(d, errno, err);
	rc = tt_temp_open(d->path, &d->temp, &d->fd, err);
	if (rc != TT_OK) {
		if (err && strcmp(d->path, d->name) != 0)
			tt_err_in(err, "cannot write %s, a link to %s", d->name, d->path);
		else if (err)
			tt_err_in(err, "cannot write %s", d->name);
		return rc;
	}
	if (old && tt_sys_set_mode(d->fd, old->mode) != 0)
		return fail(d, errno, err);
	return TT_OK;
}

static int
open_by_kind(struct tt_dest *d, struct tt_err *err)
{
	struct tt_sys_stat st;

	if (tt_sys_stat(d->name, &st) != 0)
		return errno == ENOENT ? open_temp(d, NULL, err) : fail(d, errno, err);
	if (st.kind == TT_KIND_FOLDER)
		return fail(d, EISDIR, err);
	return st.kind == TT_KIND_FILE ? open_temp(d, &st, err) : open_direct(d, err);
}

int
tt_dest_open(struct tt_dest *d, struct tt_env *env, const char *name, struct tt_err *err)
{
	int rc;

	*d = (struct tt_dest){ .env = env, .fd = -1, .name = name };
	if (strcmp(name, "-") == 0) {
		d->name = "standard output";
		d->fd = 1;
		d->borrowed = true;
		return TT_OK;
	}
	rc = open_by_kind(d, err);
	if (rc != TT_OK)
		tt_dest_abort(d);
	return rc;
}

/* --- writing ------------------------------------------------------------ */

/* Handle a write that wrote nothing: wait until writing is possible, let the caller try again, or fail. */
static int
stalled(const struct tt_dest *d, int sys, struct tt_err *err)
{
	if (sys == EAGAIN)
		tt_sys_wait_writable(d->fd);
	return sys == EINTR || sys == EAGAIN ? TT_OK : fail(d, sys, err);
}

/* Ask the system to begin writing to disk. Errors show at fsync(). */
static void
send_early(struct tt_dest *d)
{
	if (!d->temp || d->written - d->writeback_end < SEND_EARLY)
		return;
	tt_sys_begin_writeback(d->fd, d->writeback_end, d->written - d->writeback_end);
	d->writeback_end = d->written;
}

int
tt_dest_write(struct tt_dest *d, const void *p, size_t n, struct tt_err *err)
{
	const char *from = p;
	int rc = TT_OK;

	while (n > 0 && rc == TT_OK) {
		int64_t put;

		if (tt_stopped(d->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		put = tt_sys_write(d->fd, from, n < WRITE_MAX ? n : WRITE_MAX);
		if (put <= 0) {
			rc = stalled(d, put ? errno : ENOSPC, err);
			continue;
		}
		from += put;
		n -= (size_t)put;
		d->written += (uint64_t)put;
		send_early(d);
	}
	return rc;
}

/* --- the end ------------------------------------------------------------ */

/*
 * Remove the files that SQLite keeps beside the old database: its journal would be rolled back into the new database, and destroy that
 * (https://sqlite.org/howtocorrupt.html, 1.4). They are removed before the new file comes: a crash in between harms only the old database.
 */
static int
remove_companions(struct tt_dest *d, struct tt_err *err)
{
	static const char *const suffix[] = { "-journal", "-wal", "-shm" };
	int rc = TT_OK;

	for (size_t i = 0; i < sizeof suffix / sizeof *suffix && rc == TT_OK; i++) {
		char path[TT_PATH_BYTES];
		const int n = snprintf(path, sizeof path, "%s%s", d->path, suffix[i]);

		if (n > 0 && (size_t)n < sizeof path && tt_sys_remove(path) != 0 && errno != ENOENT)
			rc = tt_fail_sys(err, errno, "%s", path);
	}
	return rc;
}

/* Flush the temporary to disk and rename it to its final name. */
static int
replace(struct tt_dest *d, struct tt_err *err)
{
	int fd = d->fd, locked, rc = TT_OK;

	while (tt_sys_sync(fd) != 0) {
		if (errno != EINTR)
			return fail(d, errno, err);
	}
	/* close() reports errors; the copy keeps the temporary locked until it is renamed. If there is no copy, the process id in its name protects it. */
	locked = tt_sys_duplicate(fd);
	d->fd = -1;
	/* Linux closes the descriptor even where it says EINTR. */
	if (tt_sys_close(fd) != 0 && errno != EINTR)
		rc = fail(d, errno, err);
	if (rc == TT_OK && d->database)
		rc = remove_companions(d, err);
	if (rc == TT_OK && tt_sys_replace(tt_temp_path(d->temp), d->path) != 0)
		rc = fail(d, errno, err);
	if (locked >= 0)
		(void)tt_sys_close(locked);
	if (rc != TT_OK)
		return rc;
	tt_temp_release(d->temp);
	d->temp = NULL;
	return TT_OK;
}

int
tt_dest_commit(struct tt_dest *d, struct tt_err *err)
{
	int rc = TT_OK, fd = d->fd;

	if (d->temp) {
		rc = replace(d, err);
	} else if (!d->borrowed) {
		d->fd = -1;
		if (tt_sys_close(fd) != 0 && errno != EINTR)
			rc = fail(d, errno, err);
	}
	tt_dest_abort(d);
	return rc;
}
