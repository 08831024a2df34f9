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
	const char *const *path;      /* paths of A's captures, then of B's */
	size_t n, nbefore;            /* number of captures of both sides, and of A */
	/* Passed to the last run, which calls it once the capture is open. NULL: none. */
	int (*opened)(void *arg, struct tt_err *err);
	void *opened_arg;
};

/**
 * tt_diff_read(s, run, d, r, err):
 * Read all captures with the options ${run}, add them to ${d} and finish it; add notes about captures to ${r}. TT_E_USAGE if a recording is twice on one side;
 * errors of tt_run() and tt_diff_add().
 */
int tt_diff_read(const struct tt_diff_sides *s, struct tt_run_opts *run, struct tt_diff *d, struct tt_report *r, struct tt_err *err);

/* Read the median capture of each side again, and write both as processes of one Chrome JSON file. */
int tt_diff_write_middle(const struct tt_diff_sides *s, const struct tt_diff *d, struct tt_run_opts *run, const struct tt_emit_opts *eo, struct tt_err *err);

/* Add notes to ${r} on what ${d} does not compare; ${rename}: path of the map file of --rename. */
void tt_diff_notes(const struct tt_diff *d, const char *rename, struct tt_report *r);

/* Write "before.ttc (A) against after.ttc (B)". */
void tt_diff_put_name(const struct tt_diff_sides *s, struct tt_buf *to);

#endif
