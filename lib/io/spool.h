/**
 * A spool keeps bytes for later: in memory up to a size, beyond it in an unlinked temporary file.
 */
#ifndef TT_IO_SPOOL_H
#define TT_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

/* Return the directory in which spool files are made: env->tmpdir, else $TMPDIR, else /tmp. */
const char *tt_spool_dir(const struct tt_env *env);

/**
 * tt_spool_open(env, fd, err):
 * Make an empty spool: in memory (a memfd) if env->spool_memory is not 0, else an unnamed file in
 * tt_spool_dir().
 * Errors: TT_E_IO naming the directory.
 */
int tt_spool_open(const struct tt_env *env, int *fd, struct tt_err *err);

/**
 * tt_spool_add(env, fd, at, p, n, err):
 * Write ${n} bytes at ${at}, the spool's end. If they no longer fit into env->spool_memory, the spool moves to a temporary file, and *${fd} becomes its
 * descriptor.
 * Errors: TT_E_LIMIT over env->spool_max, TT_E_IO naming the directory.
 */
int tt_spool_add(const struct tt_env *env, int *fd, uint64_t at, const void *p, size_t n, struct tt_err *err);

/**
 * tt_spool_read(env, fd, what, at, p, n, err):
 * Read ${n} bytes back from ${at}; ${what} names them in messages ("zones").
 * Errors: TT_E_IO naming the directory, also if the spool holds fewer bytes; TT_E_STOPPED.
 */
int tt_spool_read(const struct tt_env *env, int fd, const char *what, uint64_t at, void *p, size_t n, struct tt_err *err);

#endif
