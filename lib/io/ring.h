/**
 * Opens the ring that a capture names: the file in shared memory in which a recorder keeps the newest events.
 *
 * Whoever made the capture chose that name, so only a regular file that is owned by this user and named as rings are is opened. Whether it belongs to the
 * capture, its reader finds out.
 */
#ifndef TT_IO_RING_H
#define TT_IO_RING_H

#include "base/env.h"

/* The result of opening a name: nothing to read, an open file, a file that only another user may read, or an error of the system. */
enum tt_ring { TT_RING_NONE, TT_RING_OPEN, TT_RING_BARRED, TT_RING_FAILED };

/* True if ${path} is named as rings are. */
bool tt_ring_named(const char *path);

/**
 * tt_ring_open(env, path, what, fd, err):
 * Set *${what} (enum tt_ring), and *${fd} to the open file, the caller's to close, or to -1. A process that may open nothing any more sets env->ring, which is
 * asked instead.
 * Errors: TT_E_IO (no descriptor, no memory of the system).
 */
int tt_ring_open(const struct tt_env *env, const char *path, unsigned *what, int *fd, struct tt_err *err);

#endif
