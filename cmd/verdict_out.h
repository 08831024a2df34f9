/**
 * The outputs of a gate's verdict that a command line names: files, and lines of standard output for CI systems (verdict/verdict_as.h makes them).
 */
#ifndef TT_CMD_VERDICT_OUT_H
#define TT_CMD_VERDICT_OUT_H

#include "opts.h"
#include "verdict/verdict_as.h"

struct app;
struct tt_output;

struct verdict_opts {
	const char *junit, *gitlab, *markdown, *json, *html;  /* files; NULL: not wanted */
	struct tt_verdict_links links;        /* of the page; not options */
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
 * verdict_write(app, w, v, more, n, err):
 * Write everything that is wanted, and the ${n} outputs ${more}: all of them, or none if one fails. Lines go to standard output after those of ${more}, in the
 * order GitHub, Azure, TeamCity. GitHub's summary comes last: if it cannot be read or written, that is the error, and all other outputs are complete.
 */
int verdict_write(struct app *app, struct verdict_out *w, const struct tt_verdict *v, struct tt_output *more, size_t n,
    struct tt_err *err);
void verdict_close(struct verdict_out *w);

#endif
