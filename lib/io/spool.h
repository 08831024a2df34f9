/**
 * A spool keeps bytes for later: in memory up to a size, beyond it in an unlinked temporary file.
 */
#ifndef TT_IO_SPOOL_H
#define TT_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

/* The directory they are made in: env->tmpdir, else $TMPDIR, else /tmp. */
const char *tt_spool_dir(const struct tt_env *env);

/**
 * tt_spool_open(env, fd, err):
 * Make an empty spool: in memory if env->spool_memory allows any (a memfd), else a file without a name in
 * tt_spool_dir().
 * Errors: TT_E_IO naming the directory.
 */
int tt_spool_open(const struct tt_env *env, int *fd, struct tt_err *err);

/**
 * tt_spool_add(env, fd, at, p, n, err):
 * Write ${n} bytes at ${at}, the spool's end. If they no longer fit into env->spool_memory, the spool moves to a temporary file, and *${fd} becomes that
 * file's.
 * Errors: TT_E_LIMIT over env->spool_max, TT_E_IO naming the directory.
 */
int tt_spool_add(const struct tt_env *env, int *fd, uint64_t at, const void *p, size_t n, struct tt_err *err);

/**
 * tt_spool_read(env, fd, what, at, p, n, err):
 * Read ${n} bytes back from ${at}; ${what} they are is for the message ("zones").
 * Errors: TT_E_IO naming the directory, also where the spool holds fewer; TT_E_STOPPED.
 */
int tt_spool_read(const struct tt_env *env, int fd, const char *what, uint64_t at, void *p, size_t n, struct tt_err *err);

#endif
