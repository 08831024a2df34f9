/**
 * Baselines: the samples that later captures are compared with, by session, in a JSON file.
 *
 * A session is a set of captures recorded together (one job on one machine); they share whatever was
 * different that day, so a baseline of several sessions knows how much that is.
 */
#ifndef TT_GATE_BASELINE_H
#define TT_GATE_BASELINE_H

#include "gate/budget.h"
#include "gate/sample.h"

struct tt_buf;

struct tt_baseline {
	const char *path;
	struct tt_sample *sample;     /* in the order of the file: session by session; all have .session */
	size_t nsample;
	size_t nsession;
	const char *settings;         /* what decided its figures beside the captures: skip, frame marker, filters; one line */
};

/**
 * tt_baseline_parse(text, n, path, budget, b, a, err):
 * Read a baseline. Values of measures that the budget does not have are passed over.
 * Errors: TT_E_USAGE with file, line and column, and what to do; TT_E_NOMEM.
 */
int tt_baseline_parse(const char *text, size_t n, const char *path, const struct tt_budget *budget,
    struct tt_baseline *b, struct tt_arena *a, struct tt_err *err);

/**
 * tt_baseline_write(old, s, n, budget, settings, out, err):
 * The baseline of the ${n} samples ${s} and those of ${old} (NULL: none). A sample belongs to the session that its fact "session"
 * names, which may be an old one; those that tell none are one new session, called by its number ("#3"). Same input, same bytes.
 */
int tt_baseline_write(const struct tt_baseline *old, const struct tt_sample *s, size_t n,
    const struct tt_budget *budget, const char *settings, struct tt_buf *out, struct tt_err *err);

/**
 * tt_baseline_check(b, s, n, budget, settings, err):
 * Are the ${n} samples of the same environment as the baseline's? TT_E_USAGE naming the first field that differs
 * and both values.
 */
int tt_baseline_check(const struct tt_baseline *b, const struct tt_sample *s, size_t n, const struct tt_budget *budget,
    const char *settings, struct tt_err *err);

/* True if the row's `where` fits the capture. */
bool tt_row_means(const struct tt_budget_row *r, const struct tt_sample *s);

#endif
