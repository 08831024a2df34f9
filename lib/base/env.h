/**
 * The state that other programs keep in globals: allocator, limits, log, stop flag, ledger of losses.
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

/* On: the process gives up rights that it does not need, where the system can do that; require: it fails where not (io/sandbox.h). */
enum tt_sandbox_mode { TT_SANDBOX_ON = 0, TT_SANDBOX_OFF, TT_SANDBOX_REQUIRE };

/* The level of a message; in the environment the highest level that is logged. Messages of level quiet are always logged. */
enum tt_log_level { TT_LOG_QUIET = 0, TT_LOG_NORMAL = 1, TT_LOG_VERBOSE = 2 };

struct tt_env {
	struct tt_mem mem;
	struct tt_loss *loss;                 /* the ledger of losses; model/loss.h */
	unsigned jobs;                        /* worker threads, at least 1 */
	enum tt_log_level log_level;
	void (*log)(void *arg, enum tt_log_level level, const char *line);  /* NULL: nothing is logged */
	void *log_arg;
	const volatile sig_atomic_t *stop;    /* non-zero: give up soon with TT_E_STOPPED; may be NULL */
	bool force;                           /* true: try to read versions of formats that are not known */
	uint64_t spool_max;                   /* largest spool of a pipe, or of an output that is put aside, in bytes */
	uint64_t spool_memory;                /* bytes of a spool that are kept in memory before a file is made; 0: none */
	uint64_t decoded_max;                 /* most decoded bytes of an input; 0: no limit */
	uint64_t ratio_max;                   /* most decoded bytes for each byte of an input, checked from 64 MiB on; 0: no limit */
	enum tt_sandbox_mode sandbox;
	int (*ring)(void *arg, const char *path, unsigned *what, int *fd,
	    struct tt_err *err);       /* opens a ring, see io/ring_open.h; NULL: the process may */
	void *ring_arg;
	const char *tmpdir;                   /* directory of the unlinked spool; NULL: $TMPDIR, else /tmp */
};

static inline bool
tt_stopped(const struct tt_env *env)
{
	return env->stop && *env->stop;
}

/* Log one line if ${level} is at most env->log_level. */
void tt_log(const struct tt_env *env, enum tt_log_level level, const char *fmt, ...) TT_PRINTF(3, 4);

#endif
