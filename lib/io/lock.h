/**
 * A lock file beside a file that several processes read and rewrite: one process at a time holds it.
 *
 * The lock file is PATH.lock, and is removed when nobody holds it; one that a killed process left is taken over. If PATH is a symbolic link, the lock file
 * is beside the target of the link.
 */
#ifndef TT_IO_LOCK_H
#define TT_IO_LOCK_H

#include "base/env.h"

struct tt_file_lock {
	struct tt_env *env;
	char *path;                   /* the path of the lock file; NULL: the lock is not held */
	size_t size;
	int fd;
};

/**
 * tt_file_lock_take(l, env, path, err):
 * Wait until nobody else holds the lock of ${path}, which need not exist, and take it. A wait is logged.
 * Errors: TT_E_IO naming the lock's file, TT_E_STOPPED, TT_E_NOMEM.
 */
int tt_file_lock_take(struct tt_file_lock *l, struct tt_env *env, const char *path, struct tt_err *err);

/* Release the lock if it is held. */
void tt_file_lock_release(struct tt_file_lock *l);

#endif
