/**
 * The sessions of a baseline's file, to list or change them.
 */
#ifndef TT_GATE_SESSIONS_H
#define TT_GATE_SESSIONS_H

#include "base/buf.h"
#include "base/env.h"
#include "gate/baseline.h"
#include "pass/pass.h"

struct tt_sessions {
	struct tt_env *env;
	const char *path;
	struct tt_buf text;
	struct tt_baseline b;
	struct tt_arena a;
	bool *keep;                   /* by session: true: keep it */
	size_t accept;                /* index of the session to accept, or SIZE_MAX */
};

extern const struct tt_pass_table tt_session_tables[];        /* ended by one without an id */

int tt_sessions_read(struct tt_sessions *x, struct tt_err *err);

/* Add the table of sessions to ${r}. */
void tt_sessions_report(const struct tt_sessions *x, struct tt_report *r);

/* Remove the named sessions. */
int tt_sessions_drop(struct tt_sessions *x, const char *const *name, size_t n, struct tt_err *err);

/*
 * Keep ${n} sessions. Remove the oldest first: those before the accepted one, then the others, but never the accepted one, because comparisons begin with it.
 */
void tt_sessions_trim(struct tt_sessions *x, uint64_t n);

/* Accept the session ${name}; NULL: the last one. */
int tt_sessions_accept(struct tt_sessions *x, const char *name, struct tt_err *err);

/* Write the changed file to ${out}; *${kept}: number of its sessions. ${why}: reason of the accepted session. */
int tt_sessions_rewrite(const struct tt_sessions *x, const char *why, struct tt_buf *out, size_t *kept, struct tt_err *err);

/* Print what changed. */
void tt_sessions_tell(const struct tt_sessions *x, size_t kept);

#endif
