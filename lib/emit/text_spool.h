/**
 * Stores texts on disk until they are needed, in any order.
 *
 * Texts lie in a spool (io/spool.h); up to 64 KiB wait in memory first. Texts that are read in about the order in which they were added share one read
 * of the spool.
 * Memory: 72 KiB and the longest text. Disk: the texts, each rounded up to 16 bytes.
 * Threads: one.
 */
#ifndef TT_EMIT_TEXT_SPOOL_H
#define TT_EMIT_TEXT_SPOOL_H

#include "base/buf.h"
#include "base/env.h"

/**
 * tt_text_spool_write(env, used, fd, at, p, n, err):
 * Write ${n} bytes at ${at}, the end of the spool *${fd}, which is created if it is -1. Add them to *${used}, the bytes of all spools that share
 * env->spool_max.
 * Errors: TT_E_LIMIT naming --spool-max, and those of tt_spool_open() and tt_spool_add().
 */
int tt_text_spool_write(const struct tt_env *env, uint64_t *used, int *fd, uint64_t at, const void *p, size_t n,
    struct tt_err *err);

struct tt_text_spool {
	struct tt_env *env;
	uint64_t *used;
	int fd;                       /* -1: the spool is not open yet */
	uint64_t written;             /* bytes in the spool */
	struct tt_buf pending;        /* bytes that follow those in the spool */
	struct tt_buf window;         /* the bytes of the spool that were read last, beginning at ${window_at} */
	uint64_t window_at;
};

/* ${used}: see tt_text_spool_write(); it must outlive ${a}. */
void tt_text_spool_init(struct tt_text_spool *a, struct tt_env *env, uint64_t *used);
void tt_text_spool_free(struct tt_text_spool *a);

/**
 * tt_text_spool_put(a, p, n, place, err):
 * Add ${n} bytes; store their place, never 0, in *${place}.
 * Errors: those of tt_text_spool_write(), and TT_E_LIMIT beyond 64 GiB.
 */
int tt_text_spool_put(struct tt_text_spool *a, const char *p, size_t n, uint32_t *place, struct tt_err *err);

/* Append the text at ${place} to ${to}. */
int tt_text_spool_get(struct tt_text_spool *a, uint32_t place, struct tt_buf *to, struct tt_err *err);

#endif
