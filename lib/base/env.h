/**
 * The state that other programs keep in globals: allocator, limits, log, stop flag, ledger.
 * One struct tt_env per run, made by cmd/, borrowed by everything below it.
 */
#ifndef TT_BASE_ENV_H
#define TT_BASE_ENV_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct tt_loss;

/* Whether the process gives up rights it does not need; io/sandbox.h. */
enum tt_sandbox_mode { TT_SANDBOX_ON = 0, TT_SANDBOX_OFF, TT_SANDBOX_REQUIRE };

/* The level of a message, and the highest that is wanted: messages of level quiet are always said. */
enum tt_log_level { TT_LOG_QUIET = 0, TT_LOG_NORMAL = 1, TT_LOG_VERBOSE = 2 };

struct tt_env {
	struct tt_mem mem;
	struct tt_loss *loss;                 /* the ledger; model/loss.h */
	unsigned jobs;                        /* worker threads, at least 1 */
	enum tt_log_level log_level;
	void (*log)(void *arg, enum tt_log_level level, const char *line);  /* may be NULL */
	void *log_arg;
	const volatile sig_atomic_t *stop;    /* non-zero: give up soon with TT_E_STOPPED; may be NULL */
	bool force;                           /* try versions that are not known */
	uint64_t spool_max;                   /* bytes a pipe may be spooled, or one output put aside */
	uint64_t spool_memory;                /* of these, bytes kept in memory before a file is made; 0: none */
	uint64_t decoded_max;                 /* bytes an input may give when decoded; 0: any */
	uint64_t ratio_max;                   /* how many times its own size it may, once it gave 64 MiB; 0: any */
	enum tt_sandbox_mode sandbox;
	int (*ring)(void *arg, const char *path, unsigned *what, int *fd, struct tt_err *err);       /* io/ring.h; NULL: this process may open rings */
	void *ring_arg;
	const char *tmpdir;                   /* where the unlinked spool goes; NULL: $TMPDIR, else /tmp */
};

static inline bool
tt_stopped(const struct tt_env *env)
{
	return env->stop && *env->stop;
}

/* Log one line when ${level} is wanted. */
void tt_log(const struct tt_env *env, enum tt_log_level level, const char *fmt, ...) TT_PRINTF(3, 4);

#endif
