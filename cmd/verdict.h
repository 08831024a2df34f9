/**
 * Renderings of a verdict (gate/verdict.h), one file each: verdict_*.c. Each appends its whole document to ${out}; equal
 * verdicts give equal bytes.
 */
#ifndef TT_CMD_VERDICT_H
#define TT_CMD_VERDICT_H

#include "base/buf.h"
#include "gate/verdict.h"

/* Text for people: a line for each row; failing rows come first, with explanations. ${color}: use escape sequences for a terminal. */
int verdict_text(const struct tt_verdict *v, bool color, struct tt_buf *out, struct tt_err *err);

/**
 * verdict_explain(v, id, convert, out, err):
 * Everything about row ${id}: the figures of every capture, the worst frames, the markers in them, and the commands that
 * export just these frames; ${convert}: options that the commands need ("" or " --frame-marker 'World:Frame'").
 * Errors: TT_E_USAGE if there is no such row.
 */
int verdict_explain(const struct tt_verdict *v, const char *id, const char *convert, struct tt_buf *out,
    struct tt_err *err);

/* The capture whose worst frames verdict_explain() lists; NULL if the row is not about frames. */
const struct tt_sample *verdict_worst(const struct tt_verdict_row *r);

/**
 * budget_suggest(s, n, own, x, nx, frame_marker, out, err):
 * Write a commented budget that the ${n} samples ${s} of the measures ${x} keep. The first ${own} samples are the given captures, the others are the
 * baseline's. Margins of changes are such that equal builds keep them; more captures and sessions make them smaller.
 */
int budget_suggest(const struct tt_sample *s, size_t n, size_t own, const struct tt_measure *x, size_t nx, const char *frame_marker,
    struct tt_buf *out, struct tt_err *err);

#endif
