/**
 * The outputs of a verdict: files, and lines of standard output for CI systems (verdict/verdict_as.h makes them).
 */
#ifndef TT_VERDICT_VERDICT_OUTPUTS_H
#define TT_VERDICT_VERDICT_OUTPUTS_H

#include <stdbool.h>

#include "base/buf.h"

struct tt_env;
struct tt_output;
struct tt_verdict;

/* The links of a verdict's page. */
struct tt_verdict_links {
	const char *explain;          /* command that explains the row whose name follows it; NULL: none */
	const char *explain_one;      /* in place of it: the options of one that explains a row by a single capture, ended by a blank; NULL: there is none */
	const char *looks;            /* options to repeat in commands on single captures, so that figures agree; ends with a blank; NULL: not known */
	/* The folder of a capture's page ${file}, relative to the verdict, ended by a slash; NULL: it has none. The pointer is NULL if there are no pages. */
	const char *(*folder)(const void *arg, const char *file);
	const void *folder_arg;
};

struct tt_verdict_outputs {
	const char *junit, *gitlab, *markdown, *json, *html;  /* files; NULL: not wanted */
	struct tt_verdict_links links;        /* of the page */
	bool github, azure, teamcity;         /* lines on standard output */
};

/* GitHub's step summary as it was when the program began: the file is replaced as a whole. */
struct tt_verdict_out {
	const struct tt_verdict_outputs *o;
	const char *generator;        /* of JSON and the page */
	const char *path[6];          /* the files that will be written, the summary last */
	size_t npath;
	const char *summary;          /* path; NULL: no summary is wanted */
	struct tt_buf before;
	struct tt_err unread;         /* why the summary cannot be read, and so is not written; code TT_OK: it can */
};

/**
 * tt_verdict_out_open(env, o, no_screen, generator, w, err):
 * Call before the sandbox: reads what must be read. ${no_screen}: standard output is used for other text, so no file may be "-".
 * Free with tt_verdict_out_close() also after an error.
 * Errors: TT_E_USAGE, TT_E_IO.
 */
int tt_verdict_out_open(struct tt_env *env, const struct tt_verdict_outputs *o, bool no_screen, const char *generator, struct tt_verdict_out *w,
    struct tt_err *err);

/* Remove the files that an earlier run wrote, ${also} (NULL: none) among them, except GitHub's summary and what is no text. Errors: TT_E_IO. */
int tt_verdict_out_forget(const struct tt_verdict_outputs *o, const char *also, struct tt_err *err);

/* True if a CI system takes lines of standard output for messages. ${o} NULL: false. */
bool tt_verdict_out_messages(const struct tt_verdict_outputs *o);

/**
 * tt_verdict_out_write(env, w, v, more, n, err):
 * Write everything that is wanted, and the ${n} outputs ${more}: all of them, or none if one fails. Lines go to standard output after those of ${more}, in the
 * order GitHub, Azure, TeamCity. GitHub's summary comes last: if it cannot be read or written, that is the error, and all other outputs are complete.
 */
int tt_verdict_out_write(struct tt_env *env, struct tt_verdict_out *w, const struct tt_verdict *v, struct tt_output *more, size_t n,
    struct tt_err *err);
void tt_verdict_out_close(struct tt_verdict_out *w);

#endif
