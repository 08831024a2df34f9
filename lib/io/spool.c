/**
 * Keeps bytes in memory, and in a temporary file once they are many.
 */
#include "io/spool.h"

#include <errno.h>
#include <inttypes.h>

#include "base/setting.h"
#include "sys/sys.h"

const char *
tt_spool_dir(const struct tt_env *env)
{
	return env->tmpdir && *env->tmpdir ? env->tmpdir : tt_sys_temp_dir();
}

static int
open_file(const struct tt_env *env, int *fd, struct tt_err *err)
{
	const char *dir = tt_spool_dir(env);

	*fd = tt_sys_scratch(dir);
	if (*fd < 0)
		return tt_fail_sys(err, errno, "cannot make a temporary file in %s", dir);
	return TT_OK;
}

int
tt_spool_open(const struct tt_env *env, int *fd, struct tt_err *err)
{
	if (env->spool_memory > 0) {
		*fd = tt_sys_memory_file();
		if (*fd >= 0)
			return TT_OK;
	}
	return open_file(env, fd, err);
}

/* Move the ${n} bytes of a spool in memory to a file. */
static int
move_to_file(const struct tt_env *env, int *fd, uint64_t n, struct tt_err *err)
{
	uint64_t done = 0;
	int file;
	int rc = open_file(env, &file, err);

	if (rc != TT_OK)
		return rc;
	while (tt_sys_copy(*fd, file, n, &done) != 0) {
		if (errno == EINTR && !tt_stopped(env))
			continue;
		rc = tt_fail_sys(err, errno, "cannot spool to a file in %s", tt_spool_dir(env));
		tt_sys_close(file);
		return rc;
	}
	/* Back to offset 0, where readers of the descriptor begin. */
	if (tt_sys_rewind(file) != 0) {
		rc = tt_fail_sys(err, errno, "cannot seek in a spool");
		tt_sys_close(file);
		return rc;
	}
	tt_sys_close(*fd);
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
	/* These bytes would pass env->spool_memory, up to which the spool is in memory. */
	if (env->spool_memory > 0 && at <= env->spool_memory && n > env->spool_memory - at) {
		rc = move_to_file(env, fd, at, err);
		if (rc != TT_OK)
			return rc;
	}
	while (n > 0) {
		const int64_t put = tt_sys_pwrite(*fd, from, n, at);

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
		const int64_t got = tt_sys_pread(fd, to, n, at);

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
