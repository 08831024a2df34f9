/**
 * Waiting: time in zones of markers that wait rather than work (tracetool-metrics(7), Waits). A list of globs names these markers.
 */
#ifndef TT_MODEL_WAITS_H
#define TT_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct tt_err;
struct tt_model;
struct tt_name;
struct tt_thread;

/*
 * The markers that wait, where the user gives no list of their own: names as producers give them (formats/producers/wait_names.c). NULL-terminated. A pattern
 * without a glob matches anywhere in a name, so "[I]dle" is how a whole short name is written.
 */
extern const char *const tt_wait_markers[];

/* Markers that wait until the next frame may begin; the first ${tt_limit_only} wait for nothing else. NULL-terminated. */
extern const char *const tt_limit_markers[];
extern const unsigned tt_limit_only;

/* How the marker ${full} waits in ${m}: not; for anything; for the frame limit, too; for the limit only. Slow: tries each pattern. */
enum tt_wait_kind { TT_WAIT_NOT, TT_WAIT_ANY, TT_WAIT_LIMIT, TT_WAIT_LIMIT_ONLY };
enum tt_wait_kind tt_waits_kind(const struct tt_model *m, const char *full);

/* True if the marker ${full} is on the list of ${m}. Slow: tries each pattern. */
bool tt_waits_is(const struct tt_model *m, const char *full);

/* The same for the marker ${name}. Fast if the recording does not name it. */
bool tt_waits_has(const struct tt_model *m, const struct tt_name *name);

/**
 * tt_waits_drop(m, err):
 * Take zones that wait, and everything inside them, out of the call tree: their counts and times become 0, and the times of the zones
 * around them are without them. Allocations stay. Names must have been resolved; once, when all is counted.
 * Errors: TT_E_NOMEM.
 */
int tt_waits_drop(struct tt_model *m, struct tt_err *err);

/**
 * tt_waits_threads(m, each, arg, err):
 * Call ${each} for every thread that spends more than half of its time in zones waiting, with that share in 1/10000, in order of number.
 * Errors: TT_E_NOMEM, and what ${each} returns.
 */
int tt_waits_threads(const struct tt_model *m,
    int (*each)(void *arg, const struct tt_thread *t, int64_t share_e4, struct tt_err *err), void *arg, struct tt_err *err);

#endif
