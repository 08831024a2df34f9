/**
 * The captures of the two sides of a comparison: read one after the other, named, and what a report notes about them.
 */
#ifndef TT_DIFF_SIDES_H
#define TT_DIFF_SIDES_H

#include <stddef.h>
#include <stdint.h>

struct tt_arena;
struct tt_buf;
struct tt_diff;
struct tt_emit_opts;
struct tt_env;
struct tt_err;
struct tt_report;
struct tt_run_opts;

struct tt_diff_sides {
	struct tt_env *env;
	struct tt_arena *a;
	const char *const *path;      /* those of A, then those of B */
	size_t n, nbefore;            /* of both; of A */
	/* The run's, when the last capture is open. NULL: none. */
	int (*opened)(void *arg, struct tt_err *err);
	void *opened_arg;
};

/**
 * tt_diff_read(s, run, d, r, err):
 * Read all captures as ${run} says, add them to ${d} and finish it; put notes about captures into ${r}.
 * Errors: TT_E_USAGE where a recording is on one side twice; those of tt_run() and tt_diff_add().
 */
int tt_diff_read(const struct tt_diff_sides *s, struct tt_run_opts *run, struct tt_diff *d, struct tt_report *r, struct tt_err *err);

/* Write the middle capture of each side as Chrome JSON, each as a process: a second reading. */
int tt_diff_write_middle(const struct tt_diff_sides *s, const struct tt_diff *d, struct tt_run_opts *run, const struct tt_emit_opts *eo, struct tt_err *err);

/* Note in ${r} what ${d} does not compare; ${rename}: the file with the names that changed. */
void tt_diff_notes(const struct tt_diff *d, const char *rename, struct tt_report *r);

/* "before.ttc (A) against after.ttc (B)" */
void tt_diff_put_name(const struct tt_diff_sides *s, struct tt_buf *to);

#endif
