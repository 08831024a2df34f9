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
	bool color;           /* true: use a terminal's escape sequences */
	bool details;         /* true: also report the findings of rows that are ok */
	size_t width;         /* width of the table in columns; 0: 80 */
};

/*
 * Append text for readers: a table with a line for each row, failing rows first, then the findings of rows that are not ok. tt_verdict_wrap() breaks long lines
 * of the findings.
 */
int tt_verdict_as_text(const struct tt_verdict *v, const struct tt_verdict_text *how, struct tt_buf *out, struct tt_err *err);

void tt_verdict_as_junit(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_gitlab(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_github(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_azure(const struct tt_verdict *v, struct tt_buf *out);
void tt_verdict_as_teamcity(const struct tt_verdict *v, struct tt_buf *out);

/* Append the verdict as JSON. ${generator}: "tracetool VERSION". */
void tt_verdict_as_json(const struct tt_verdict *v, const char *generator, struct tt_buf *out);

/* Append the verdict as Markdown, at most ${max} bytes (0: unlimited). Text that does not fit is dropped from the end, and a note says so. */
void tt_verdict_as_markdown(const struct tt_verdict *v, size_t max, struct tt_buf *out);

/* Append an HTML page with the commands of ${links}, made by ${generator}. */
void tt_verdict_as_html(const struct tt_verdict *v, const struct tt_verdict_links *links, const char *generator, struct tt_buf *out);

/**
 * tt_verdict_explain(v, id, convert, out, err):
 * Append everything about row ${id}: the figures of every capture, the worst frames, their markers, and the commands that export these frames. ${convert}:
 * options that these commands need ("", or the frame marker). TT_E_USAGE if there is no such row.
 */
int tt_verdict_explain(const struct tt_verdict *v, const char *id, const char *convert, struct tt_buf *out, struct tt_err *err);

/* The capture whose worst frames tt_verdict_explain() lists; NULL if the row is not about frames. */
const struct tt_sample *tt_verdict_worst(const struct tt_verdict_row *r);

/**
 * tt_verdict_defuse(for_ci, color, text, err):
 * Make ${text}, which may contain names from captures, safe to print: control characters become '?', except line ends and, with ${color}, colours. ${for_ci}:
 * insert a zero-width space into whatever CI systems would take for a message.
 */
int tt_verdict_defuse(bool for_ci, bool color, struct tt_buf *text, struct tt_err *err);

/**
 * tt_verdict_wrap(width, text, err):
 * Break the lines of ${text} at blanks, to at most ${width} columns (0: unlimited). Longer words are kept whole, and so are commands, which readers copy.
 */
int tt_verdict_wrap(size_t width, struct tt_buf *text, struct tt_err *err);

/* --- shared by renderers --------------------------------------------------------------------- */

/* The severity with which a row is reported. */
enum tt_verdict_kind { TT_VERDICT_FINE, TT_VERDICT_NOTICE, TT_VERDICT_WARNING, TT_VERDICT_ERROR, TT_VERDICT_KINDS };
enum tt_verdict_kind tt_verdict_kind(const struct tt_verdict *v, const struct tt_verdict_row *r);

/* The indices of the rows, worst first: by severity, then by how far they exceed their limit. The caller frees the array. NULL: ${out} has failed. */
size_t *tt_verdict_order(const struct tt_verdict *v, struct tt_buf *out);

/* The replacement of the character ${c}, which may use the 32 bytes at ${tmp}; NULL: unchanged. */
typedef const char *tt_verdict_escape(uint32_t c, char tmp[32]);

/* Append ${s}, escaped by ${escape}; invalid UTF-8 is replaced by U+FFFD first. */
void tt_verdict_put(struct tt_buf *out, const char *s, tt_verdict_escape *escape);

/* Append the finding of ${r}: "frame time, p95: 16.7 ms, was 16.2 ms ..."; with ${more} also the hint and the movers, one a line. */
void tt_verdict_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more);

/*
 * The movers printed last, because rows about the same subject often share them. tt_verdict_movers_shown() returns the last row about the subject if its movers
 * equal those of ${r} and were printed; NULL: print them now.
 */
struct tt_verdict_movers { const struct tt_verdict_row *last[3]; };      /* by enum tt_about; initially zero */
const struct tt_verdict_row *tt_verdict_movers_shown(struct tt_verdict_movers *m, const struct tt_verdict_row *r);

/* Append the change of a mover, "+0.44 ms per frame (0.9 ms, was 0.46 ms; calls 12, was 4)", without a line end. */
void tt_verdict_mover_change(struct tt_buf *out, const struct tt_mover *m);

#endif
