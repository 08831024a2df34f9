/**
 * Writes a gate's verdict for teams: files and lines for CI systems, pull requests and scripts.
 *
 * Every renderer is a pure function of the verdict into a buffer: the same verdict gives the same bytes. Names come from captures and may hold anything; each
 * renderer escapes them by the rules of its reader, which its file names.
 *
 * Errors: those of renderers stay in the buffer (base/buf.h); writing: TT_E_IO.
 */
#ifndef TT_CMD_VERDICT_OUT_H
#define TT_CMD_VERDICT_OUT_H

#include "opts.h"

struct app;
struct app_output;
struct tt_mover;
struct tt_verdict;
struct tt_verdict_row;

struct verdict_opts {
	const char *junit, *gitlab, *markdown, *json, *html;  /* files; NULL: not wanted */
	const char *explain;          /* command that explains the row whose name follows it; NULL: none */
	const char *explain_one;      /* in place of it: the options of one that explains a row by a single capture, ended by a blank; NULL: there is none */
	const char *looks;            /* options to repeat in commands on single captures, so that figures agree; ends with a blank; NULL: not known */
	/* The folder of a capture's page ${file}, relative to the verdict, ended by a slash; NULL: it has none. The pointer is NULL if there are no pages. */
	const char *(*folder)(const void *arg, const char *file);
	const void *folder_arg;
	bool github, azure, teamcity;         /* lines on standard output */
};

extern const struct opt verdict_opt[];
#define VERDICT_GROUP(type, member) { "Verdict", verdict_opt, offsetof(type, member) }

/* GitHub's step summary as it was when the program began: the file is replaced as a whole. */
struct verdict_out {
	const struct verdict_opts *o;
	const char *summary;          /* path; NULL: no summary is wanted */
	struct tt_buf before;
	struct tt_err unread;         /* why the summary cannot be read, and so is not written; code TT_OK: it can */
};

/**
 * verdict_open(app, o, instead, paths, w, err):
 * Call before the sandbox: reads what must be read, and adds the files that will be written to ${paths}. If ${instead} is not NULL, standard output is used for
 * other text: no file may be "-", and the error says ${instead}. Free with verdict_close() also after an error.
 * Errors: TT_E_USAGE, TT_E_IO.
 */
int verdict_open(struct app *app, const struct verdict_opts *o, const char *instead, struct opt_list *paths, struct verdict_out *w,
    struct tt_err *err);

/* Remove the files that an earlier run wrote, ${also} (NULL: none) among them, except GitHub's summary and what is no text. Errors: TT_E_IO. */
int verdict_forget(const struct verdict_opts *o, const char *also, struct tt_err *err);

/* True if a CI system takes lines of standard output for messages. ${o} NULL: false. */
bool verdict_messages(const struct verdict_opts *o);

/**
 * verdict_defuse(o, color, text, err):
 * Make ${text}, which may contain names from captures, safe to print: control characters become '?', except line ends and, with ${color}, colours. If CI
 * systems read it (${o} not NULL), a space without width breaks what they would take for a message.
 */
int verdict_defuse(const struct verdict_opts *o, bool color, struct tt_buf *text, struct tt_err *err);

/**
 * verdict_wrap(width, text, err):
 * Break the lines of ${text} at blanks so that they have at most ${width} columns (0: any number). Longer words stay whole, and so do commands, which are there
 * to be copied.
 */
int verdict_wrap(size_t width, struct tt_buf *text, struct tt_err *err);

/**
 * verdict_write(app, w, v, more, n, err):
 * Write everything that is wanted, and the ${n} outputs ${more}: all of them, or none if one fails. Lines go to standard output after those of ${more}, in the
 * order GitHub, Azure, TeamCity. GitHub's summary comes last: if it cannot be read or written, that is the error, and all other outputs are complete.
 */
int verdict_write(struct app *app, struct verdict_out *w, const struct tt_verdict *v, struct app_output *more, size_t n,
    struct tt_err *err);
void verdict_close(struct verdict_out *w);

/* --- renderers: append to ${out} ------------------------------------------------------- */

void verdict_junit(const struct tt_verdict *v, struct tt_buf *out);
void verdict_gitlab(const struct tt_verdict *v, struct tt_buf *out);
void verdict_github(const struct tt_verdict *v, struct tt_buf *out);
void verdict_azure(const struct tt_verdict *v, struct tt_buf *out);
void verdict_teamcity(const struct tt_verdict *v, struct tt_buf *out);
void verdict_json(const struct tt_verdict *v, struct tt_buf *out);

/* A page with the commands of ${o}. */
void verdict_html(const struct tt_verdict *v, const struct verdict_opts *o, struct tt_buf *out);

/* Append at most ${max} bytes (0: any number). Text that does not fit is left out from the end, and the text says so. */
void verdict_markdown(const struct tt_verdict *v, size_t max, struct tt_buf *out);

/* --- what renderers share ------------------------------------------------------------------ */

/* The severity with which a row is reported. */
enum verdict_kind { VERDICT_FINE, VERDICT_NOTICE, VERDICT_WARNING, VERDICT_ERROR, VERDICT_KINDS };
enum verdict_kind verdict_kind(const struct tt_verdict *v, const struct tt_verdict_row *r);

/* The indexes of the rows, worst first: by kind, then by how far over the limit. NULL: ${out} has failed. The caller frees it. */
size_t *verdict_order(const struct tt_verdict *v, struct tt_buf *out);

/* The replacement of the character ${c}, which may use the 32 bytes at ${tmp}; NULL: unchanged. */
typedef const char *verdict_escape(uint32_t c, char tmp[32]);

/* Append ${s} escaped; invalid UTF-8 becomes U+FFFD first. */
void verdict_put(struct tt_buf *out, const char *s, verdict_escape *escape);

/* Append the finding: "frame time, p95: 16.7 ms, was 16.2 ms ..."; with ${more} also the hint and movers, one a line. */
void verdict_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more);

/*
 * Rows about the same subject often have the same movers. verdict_movers_shown() returns the last row about the subject if its movers are those of ${r} and
 * were printed; NULL: print them now.
 */
struct verdict_movers { const struct tt_verdict_row *last[3]; };      /* by enum tt_about; begins as zeros */
const struct tt_verdict_row *verdict_movers_shown(struct verdict_movers *m, const struct tt_verdict_row *r);

/* Append how a mover changed: "+0.44 ms per frame (0.9 ms, was 0.46 ms; calls 12, was 4)". Without a line end. */
void verdict_mover_change(struct tt_buf *out, const struct tt_mover *m);

#endif
