/**
 * Suggests a budget to start from: limits that the captures at hand meet, with margins that equal builds meet, too.
 */
#ifndef TT_GATE_SUGGEST_H
#define TT_GATE_SUGGEST_H

#include <stddef.h>

struct tt_buf;
struct tt_err;
struct tt_measure;
struct tt_sample;

/**
 * tt_budget_suggest(s, n, own, x, nx, frame_marker, out, err):
 * Write a commented budget that the ${n} samples ${s} of the measures ${x} meet. The first ${own} samples are the given captures, the others belong to the
 * baseline. ${left_out}: a line for each row that would detect too little, with the reason. Captures at hand that name no session and were recorded on several
 * days are grouped by day. Margins of changes are chosen so that equal builds meet them; more captures and sessions make them smaller.
 */
int tt_budget_suggest(const struct tt_sample *s, size_t n, size_t own, const struct tt_measure *x, size_t nx, const char *frame_marker,
    struct tt_buf *out, struct tt_buf *left_out, struct tt_err *err);

#endif
