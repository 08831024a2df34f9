/**
 * Renderings of a verdict (gate/verdict.h): a file each, verdict_*.c. Each writes its whole document at the end of
 * ${out}; the same verdict gives the same bytes.
 */
#ifndef TT_CMD_VERDICT_H
#define TT_CMD_VERDICT_H

#include "base/buf.h"
#include "gate/verdict.h"

/* For people: a line for each row, what failed first explained. ${color}: escape sequences for a terminal. */
int verdict_text(const struct tt_verdict *v, bool color, struct tt_buf *out, struct tt_err *err);

/**
 * verdict_explain(v, id, convert, out, err):
 * All there is to say of row ${id}: the figures of every capture, the worst frames, what they are made of, and the
 * commands that export just them; ${convert} are options these need ("" or " --frame-marker 'World:Frame'").
 * Errors: TT_E_USAGE where there is no such row.
 */
int verdict_explain(const struct tt_verdict *v, const char *id, const char *convert, struct tt_buf *out,
    struct tt_err *err);

/* The capture whose worst frames verdict_explain() tells; NULL where the row means none. */
const struct tt_sample *verdict_worst(const struct tt_verdict_row *r);

/* ${s} as a word of a shell's command line. */
void verdict_quoted(struct tt_buf *out, const char *s);

/* A budget that ${n} samples ${s}, of the measures ${x}, keep, with comments; relative rows leave room for their spread. */
int budget_suggest(const struct tt_sample *s, size_t n, const struct tt_measure *x, size_t nx, const char *frame_marker,
    struct tt_buf *out, struct tt_err *err);

#endif
