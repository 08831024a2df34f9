/**
 * A gate's verdict (gate/verdict.h) as text, for people, CI systems, pull requests and scripts: a file for each form, verdict_*.c.
 *
 * Every renderer is a pure function of the verdict and appends its whole document to ${out}: equal verdicts give equal bytes. Names come from captures and may
 * hold anything; each renderer escapes them by the rules of its reader, which its file names.
 *
 * Errors stay in the buffer (base/buf.h); functions with ${err} also return them. Threads: any, each with a buffer of its own.
 */
#ifndef TT_VERDICT_AS_H
#define TT_VERDICT_AS_H

#include "base/buf.h"
#include "gate/verdict.h"

struct tt_verdict_links;

/* How a verdict is printed as text. */
struct tt_verdict_text {
	bool color;           /* use escape sequences for a terminal */
	bool details;         /* say what rows that are ok found, too */
	size_t width;         /* columns of the table; 0: 80 */
};

/*
 * Text for people: a table with a line for each row, failing rows first, then what each row that is not ok found. tt_verdict_wrap() breaks the lines of the
 * latter.
 */
int tt_verdict_as_text(const struct tt_verdict *v, const struct tt_verdict_text *how, struct tt_buf *out, struct tt_err *err);

void tt_verdict_as_junit(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_gitlab(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_github(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_azure(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_teamcity(const struct tt_verdict *v, struct tt_buf *out);

/* ${generator}: "tracetool VERSION". */
void tt_verdict_as_json(const struct tt_verdict *v, const char *generator, struct tt_buf *out);

/* Append at most ${max} bytes (0: any number). Text that does not fit is left out from the end, and the text says so. */
void tt_verdict_as_markdown(const struct tt_verdict *v, size_t max, struct tt_buf *out);

/* A page with the commands of ${links}, made by ${generator}. */
void tt_verdict_as_html(const struct tt_verdict *v, const struct tt_verdict_links *links, const char *generator, struct tt_buf *out);

/**
 * tt_verdict_explain(v, id, convert, out, err):
 * Everything about row ${id}: the figures of every capture, the worst frames, the markers in them, and the commands that
 * export just these frames; ${convert}: options that the commands need ("", or those that name the frame marker).
 * Errors: TT_E_USAGE if there is no such row.
 */
int tt_verdict_explain(const struct tt_verdict *v, const char *id, const char *convert, struct tt_buf *out, struct tt_err *err);

/* The capture whose worst frames tt_verdict_explain() lists; NULL if the row is not about frames. */
const struct tt_sample *tt_verdict_worst(const struct tt_verdict_row *r);

/**
 * tt_verdict_defuse(for_ci, color, text, err):
 * Make ${text}, which may contain names from captures, safe to print: control characters become '?', except line ends and, with ${color}, colours. If CI
 * systems read it (${for_ci}), a space without width breaks what they would take for a message.
 */
int tt_verdict_defuse(bool for_ci, bool color, struct tt_buf *text, struct tt_err *err);

/**
 * tt_verdict_wrap(width, text, err):
 * Break the lines of ${text} at blanks so that they have at most ${width} columns (0: any number). Longer words stay whole, and so do commands, which are there
 * to be copied.
 */
int tt_verdict_wrap(size_t width, struct tt_buf *text, struct tt_err *err);

/* --- shared by renderers --------------------------------------------------------------------- */

/* The severity with which a row is reported. */
enum tt_verdict_kind { TT_VERDICT_FINE, TT_VERDICT_NOTICE, TT_VERDICT_WARNING, TT_VERDICT_ERROR, TT_VERDICT_KINDS };
enum tt_verdict_kind tt_verdict_kind(const struct tt_verdict *v, const struct tt_verdict_row *r);

/* The indexes of the rows, worst first: by kind, then by how far over the limit. NULL: ${out} has failed. The caller frees it. */
size_t *tt_verdict_order(const struct tt_verdict *v, struct tt_buf *out);

/* The replacement of the character ${c}, which may use the 32 bytes at ${tmp}; NULL: unchanged. */
typedef const char *tt_verdict_escape(uint32_t c, char tmp[32]);

/* Append ${s} escaped; invalid UTF-8 becomes U+FFFD first. */
void tt_verdict_put(struct tt_buf *out, const char *s, tt_verdict_escape *escape);

/* Append the finding: "frame time, p95: 16.7 ms, was 16.2 ms ..."; with ${more} also the hint and movers, one a line. */
void tt_verdict_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more);

/*
 * Rows about the same subject often have the same movers. tt_verdict_movers_shown() returns the last row about the subject if its movers are those of ${r} and
 * were printed; NULL: print them now.
 */
struct tt_verdict_movers { const struct tt_verdict_row *last[3]; };      /* by enum tt_about; begins as zeros */
const struct tt_verdict_row *tt_verdict_movers_shown(struct tt_verdict_movers *m, const struct tt_verdict_row *r);

/* Append how a mover changed: "+0.44 ms per frame (0.9 ms, was 0.46 ms; calls 12, was 4)". Without a line end. */
void tt_verdict_mover_change(struct tt_buf *out, const struct tt_mover *m);

#endif
