/**
 * A gate's verdict where teams read it: files and lines for CI systems, pull requests and scripts.
 *
 * Every renderer is a pure function of the verdict into a buffer: same verdict, same bytes. Names come from captures
 * and may hold anything; each renderer escapes by the rules of what reads it, named in its file.
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
	const char *explain;          /* a command that explains the row named after it; NULL: there is none */
	const char *explain_one;      /* in place of it: the options of one that explains a row by a single capture, ended by a blank; NULL: there is none */
	const char *looks;            /* options with which a command on one capture looks at the same, ended by a blank; NULL: none are known */
	/* Where the page ${file} of a capture is, as seen from the verdict's, with a slash at its end; NULL: nowhere. NULL: there are no such pages. */
	const char *(*folder)(const void *arg, const char *file);
	const void *folder_arg;
	bool github, azure, teamcity;         /* lines on standard output */
};

extern const struct opt verdict_opt[];
#define VERDICT_GROUP(type, member) { "Verdict", verdict_opt, offsetof(type, member) }

/* What of GitHub's step summary was there when the program began: its file is replaced as a whole. */
struct verdict_out {
	const struct verdict_opts *o;
	const char *summary;          /* path; NULL: none is wanted */
	struct tt_buf before;
	struct tt_err unread;         /* why it cannot be read and is not written; code TT_OK: it can */
};

/**
 * verdict_open(app, o, instead, paths, w, err):
 * Before the sandbox: take in what must be read, and add the files that will be written to ${paths}. Where ${instead} is
 * not NULL, standard output has other text, so that no file is "-", and it says what to do instead. Free with verdict_close() also after an error.
 * Errors: TT_E_USAGE, TT_E_IO.
 */
int verdict_open(struct app *app, const struct verdict_opts *o, const char *instead, struct opt_list *paths, struct verdict_out *w,
    struct tt_err *err);

/* Remove the files that an earlier run wrote, but for GitHub's summary. Errors: TT_E_IO. */
int verdict_forget(const struct verdict_opts *o, struct tt_err *err);

/* True if a CI system takes lines of standard output for messages. NULL: false. */
bool verdict_messages(const struct verdict_opts *o);

/**
 * verdict_defuse(o, color, text, err):
 * Make ${text}, whose names may be anyone's, fit to be printed: controls become '?', but for line ends and, with
 * ${color}, the colours; and where CI systems read it (${o} not NULL), a blank without width breaks what they would
 * take for a message of ours.
 */
int verdict_defuse(const struct verdict_opts *o, bool color, struct tt_buf *text, struct tt_err *err);

/**
 * verdict_wrap(width, text, err):
 * Break the lines of ${text} at blanks so that they take at most ${width} columns (0: any number). A word that is longer
 * stays whole, and so does a command, which is there to be copied.
 */
int verdict_wrap(size_t width, struct tt_buf *text, struct tt_err *err);

/**
 * verdict_write(app, w, v, more, n, err):
 * Write all that is wanted, and the ${n} outputs ${more} with it: all of them, or where something fails none. Lines go to
 * standard output, after what of ${more} does, in the order GitHub, Azure, TeamCity. GitHub's summary, which has the same
 * once more, comes last: where it cannot be read or written, that is the error, and the others are there.
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

/* A page, with the commands of ${o}. */
void verdict_html(const struct tt_verdict *v, const struct verdict_opts *o, struct tt_buf *out);

/* At most ${max} bytes (0: any number): what does not fit is left out from the end, and it says so. */
void verdict_markdown(const struct tt_verdict *v, size_t max, struct tt_buf *out);

/* --- what renderers share ------------------------------------------------------------------ */

/* How loudly a row is reported. */
enum verdict_kind { VERDICT_FINE, VERDICT_NOTICE, VERDICT_WARNING, VERDICT_ERROR, VERDICT_KINDS };
enum verdict_kind verdict_kind(const struct tt_verdict *v, const struct tt_verdict_row *r);

/* The rows' numbers, the worst first: by kind, then by how far over the limit. NULL: ${out} has failed; free() it. */
size_t *verdict_order(const struct tt_verdict *v, struct tt_buf *out);

/* The replacement of the character ${c} (32 bytes at ${tmp} may be used), or NULL: itself. */
typedef const char *verdict_escape(uint32_t c, char tmp[32]);

/* Append ${s}, escaped; invalid UTF-8 becomes U+FFFD first. */
void verdict_put(struct tt_buf *out, const char *s, verdict_escape *escape);

/* Append the finding: "frame time, p95: 16.7 ms, was 16.2 ms ...", and with ${more} hint and movers, one a line. */
void verdict_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more);

/*
 * Rows about the same often have the same movers. The row under which those of ${r} are printed already, of the last that were about
 * the same; NULL: they are to be printed now.
 */
struct verdict_movers { const struct tt_verdict_row *last[3]; };      /* by enum tt_about; begins as zeros */
const struct tt_verdict_row *verdict_movers_shown(struct verdict_movers *m, const struct tt_verdict_row *r);

/* What became of a mover: "+0.44 ms per frame (0.9 ms, was 0.46 ms; calls 12, was 4)". At the end no line end. */
void verdict_mover_change(struct tt_buf *out, const struct tt_mover *m);

#endif
