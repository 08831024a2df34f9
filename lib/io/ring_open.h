/**
 * Opens the ring that a capture names: the file in shared memory in which a recorder keeps the newest events.
 *
 * Whoever made the capture chose that name, so a file is opened only if it is regular, owned by this user, and named as rings are. The reader of the ring
 * checks whether it belongs to the capture.
 */
#ifndef TT_IO_RING_OPEN_H
#define TT_IO_RING_OPEN_H

#include "base/env.h"

/* The result of opening a name: nothing to read, an open file, a file that only another user may read, or an error of the system. */
enum tt_ring { TT_RING_NONE, TT_RING_OPEN, TT_RING_NOT_OURS, TT_RING_FAILED };

/* True if ${path} is named as rings are. */
bool tt_is_ring_name(const char *path);

/**
 * tt_ring_open(env, path, what, fd, err):
 * Set *${what} (enum tt_ring), and *${fd} to the open file, which the caller closes, or to -1. In a process that may not open files, env->ring is called
 * instead.
 * Errors: TT_E_IO (no descriptor, no memory of the system).
 */
int tt_ring_open(const struct tt_env *env, const char *path, unsigned *what, int *fd, struct tt_err *err);

#endif
