/**
 * Keeps bytes in memory, and in a temporary file once they are many.
 */
#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/setting.h"

const char *
tt_spool_dir(const struct tt_env *env)
{
	const char *dir = env->tmpdir ? env->tmpdir : getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

bool
tt_spool_named(int sys)
{
	/* Kernels and file systems that do not know O_TMPFILE answer EISDIR. */
	return sys == EOPNOTSUPP || sys == EISDIR || sys == EINVAL;
}

/* For file systems without O_TMPFILE: a named file, whose name is removed at once. */
static int
open_named(const char *dir)
{
	char path[4096];
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
open_file(const struct tt_env *env, int *fd, struct tt_err *err)
{
	const char *dir = tt_spool_dir(env);

	*fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (*fd < 0 && tt_spool_named(errno))
		*fd = open_named(dir);
	if (*fd < 0)
		return tt_fail_sys(err, errno, "cannot make a temporary file in %s", dir);
	return TT_OK;
}

int
tt_spool_open(const struct tt_env *env, int *fd, struct tt_err *err)
{
	if (env->spool_memory > 0) {
		*fd = memfd_create("tracetool", MFD_CLOEXEC);
		if (*fd >= 0)
			return TT_OK;
	}
	return open_file(env, fd, err);
}

/* Move the ${n} bytes of a spool in memory to a file. */
static int
move_to_file(const struct tt_env *env, int *fd, uint64_t n, struct tt_err *err)
{
	off_t at = 0;
	int file;
	int rc = open_file(env, &file, err);

	if (rc != TT_OK)
		return rc;
	while ((uint64_t)at < n) {
		ssize_t put = sendfile(file, *fd, &at, (size_t)(n - (uint64_t)at));

		if (put < 0 && errno == EINTR && !tt_stopped(env))
			continue;
		if (put <= 0) {
			rc = tt_fail_sys(err, put ? errno : ENOSPC, "cannot spool to a file in %s", tt_spool_dir(env));
			close(file);
			return rc;
		}
	}
	/* Readers of the descriptor begin at its offset. */
	if (lseek(file, 0, SEEK_SET) != 0) {
		rc = tt_fail_sys(err, errno, "cannot seek in a spool");
		close(file);
		return rc;
	}
	close(*fd);
	*fd = file;
	return TT_OK;
}

int
tt_spool_add(const struct tt_env *env, int *fd, uint64_t at, const void *p, size_t n, struct tt_err *err)
{
	const char *from = p;
	int rc;

	if (n > env->spool_max || at > env->spool_max - n)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
		    "more than the %" PRIu64 " bytes that may be spooled; raise %s, or name a file", env->spool_max,
		    tt_setting_name[TT_SETTING_SPOOL]);
	/* Up to env->spool_memory the spool is in memory. */
	if (env->spool_memory > 0 && at <= env->spool_memory && n > env->spool_memory - at) {
		rc = move_to_file(env, fd, at, err);
		if (rc != TT_OK)
			return rc;
	}
	while (n > 0) {
		ssize_t put = pwrite(*fd, from, n, (off_t)at);

		if (put < 0 && errno == EINTR && !tt_stopped(env))
			continue;
		if (put < 0 && errno == EINTR)
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (put <= 0)
			return tt_fail_sys(err, put ? errno : ENOSPC, "cannot spool to a file in %s",
			    tt_spool_dir(env));
		from += put;
		n -= (size_t)put;
		at += (uint64_t)put;
	}
	return TT_OK;
}

int
tt_spool_read(const struct tt_env *env, int fd, const char *what, uint64_t at, void *p, size_t n, struct tt_err *err)
{
	char *to = p;

	while (n > 0) {
		ssize_t got = pread(fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR && !tt_stopped(env))
			continue;
		if (got < 0 && errno == EINTR)
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (got <= 0)
			return tt_fail_sys(err, got ? errno : EIO, "cannot read %s back from a temporary file in %s", what,
			    tt_spool_dir(env));
		to += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return TT_OK;
}
