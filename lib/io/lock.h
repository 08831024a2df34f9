/**
 * Lets one writer in at a time: a file beside another, held by whoever reads and rewrites that one.
 *
 * The file is PATH.lock, and gone again once nobody holds it; one that a killed process left is taken over. If PATH is a symbolic link, the lock is beside
 * the file that the link leads to.
 */
#ifndef TT_IO_LOCK_H
#define TT_IO_LOCK_H

#include "base/env.h"

struct tt_file_lock {
	struct tt_env *env;
	char *path;                   /* NULL: not held */
	size_t size;
	int fd;
};

/**
 * tt_file_lock_take(l, env, path, err):
 * Wait until nobody else holds the lock of ${path}, which need not be there, and hold it. A wait is logged.
 * Errors: TT_E_IO naming the lock's file, TT_E_STOPPED, TT_E_NOMEM.
 */
int tt_file_lock_take(struct tt_file_lock *l, struct tt_env *env, const char *path, struct tt_err *err);

/* Let go, where it is held. */
void tt_file_lock_release(struct tt_file_lock *l);

#endif
