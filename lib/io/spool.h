/**
 * The unlinked temporary file that a pipe is copied to. Internal to lib/io.
 */
#ifndef TT_IO_SPOOL_H
#define TT_IO_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

/**
 * tt_spool_open(env, fd, err):
 * Make an empty file without a name in env->tmpdir ($TMPDIR, /tmp).
 * Errors: TT_E_IO naming the directory.
 */
int tt_spool_open(const struct tt_env *env, int *fd, struct tt_err *err);

/**
 * tt_spool_add(env, fd, at, p, n, err):
 * Write ${n} bytes at ${at}, the spool's end.
 * Errors: TT_E_LIMIT over env->spool_max, TT_E_IO naming the directory.
 */
int tt_spool_add(const struct tt_env *env, int fd, uint64_t at, const void *p, size_t n, struct tt_err *err);

#endif
