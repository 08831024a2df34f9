/**
 * Takes lock files between processes.
 */
#include "io/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/sink.h"
#include "sys/sys.h"

static int
set_path(struct tt_file_lock *l, const char *path, struct tt_err *err)
{
	char *real = tt_sys_real_path(path);
	const char *of = real ? real : path;

	l->size = strlen(of) + sizeof ".lock";
	l->path = tt_mem_alloc(&l->env->mem, l->size, err);
	if (l->path)
		snprintf(l->path, l->size, "%s.lock", of);
	free(real);
	return l->path ? TT_OK : err->code;
}

static void
forget(struct tt_file_lock *l)
{
	if (l->fd >= 0)
		tt_sys_close(l->fd);
	tt_mem_free(&l->env->mem, l->path, l->size);
	*l = (struct tt_file_lock){ .env = l->env, .fd = -1 };
}

static int
wait_for(struct tt_file_lock *l, struct tt_err *err)
{
	bool said = false;

	while (tt_sys_lock(l->fd, TT_LOCK_EXCLUSIVE, said) != 0) {
		if (tt_stopped(l->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (errno != EWOULDBLOCK && errno != EINTR)
			return tt_fail_sys(err, errno, "cannot lock %s", l->path);
		if (!said)
			tt_log(l->env, TT_LOG_NORMAL, "%s: held by another run; waiting", l->path);
		said = true;
	}
	return TT_OK;
}

/* True if the locked file still has this name: the previous owner may have removed it, and then the lock protects nothing. */
static bool
is_there(const struct tt_file_lock *l)
{
	struct tt_sys_stat held, now;

	return tt_sys_stat_open(l->fd, &held) == 0 && tt_sys_stat(l->path, &now) == 0 && tt_sys_is_same(&held, &now);
}

int
tt_file_lock_take(struct tt_file_lock *l, struct tt_env *env, const char *path, struct tt_err *err)
{
	int rc;

	*l = (struct tt_file_lock){ .env = env, .fd = -1 };
	rc = set_path(l, path, err);
	while (rc == TT_OK && l->fd < 0) {
		/* Opened for writing only, because a sandbox that allows outputs to be written may not allow reading. */
		l->fd = tt_sys_open(l->path, TT_OPEN_WRITE | TT_OPEN_CREATE | TT_OPEN_NO_LINK);
		if (l->fd < 0 && errno == EINTR && !tt_stopped(env))
			continue;
		if (l->fd < 0 && errno == ENOENT) {
			rc = tt_fail_folder(err);
			tt_err_in(err, "cannot write %s", path);
		} else {
			rc = l->fd < 0 ? tt_fail_sys(err, errno, "cannot lock %s", l->path) : wait_for(l, err);
		}
		if (rc == TT_OK && !is_there(l)) {
			tt_sys_close(l->fd);
			l->fd = -1;
		}
	}
	if (rc != TT_OK)
		forget(l);
	return rc;
}

void
tt_file_lock_release(struct tt_file_lock *l)
{
	if (!l->path)
		return;
	tt_sys_remove(l->path);
	forget(l);
}
