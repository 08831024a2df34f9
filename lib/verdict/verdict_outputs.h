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
	const char *explain;          /* command that explains a row, whose name is appended; NULL: none */
	const char *explain_one;      /* instead: options of a command that explains a row by one capture, ended by a blank; NULL: none */
	const char *looks;            /* options for commands on single captures that give the same figures, ended by a blank; NULL: not known */
	/*
	 * The folder with the page of the capture ${file}, relative to the verdict and ended by a slash; NULL: it has no page. The function itself is NULL if
	 * there are no pages.
	 */
	const char *(*folder)(const void *arg, const char *file);
	const void *folder_arg;
};

struct tt_verdict_outputs {
	const char *junit, *gitlab, *markdown, *json, *html;  /* paths of files; NULL: not wanted */
	struct tt_verdict_links links;        /* links of the HTML page */
	bool github, azure, teamcity;         /* true: write lines to standard output */
};

/* GitHub's step summary as it was when the program began: the file is replaced as a whole. */
struct tt_verdict_out {
	const struct tt_verdict_outputs *o;
	const char *generator;        /* named in JSON and on the page */
	const char *path[6];          /* the files that will be written, the summary last */
	size_t npath;
	const char *summary;          /* path of the step's summary; NULL: not wanted */
	struct tt_buf before;
	struct tt_err unread;         /* the error that prevents reading, and so writing, the summary; code TT_OK: none */
};

/**
 * tt_verdict_out_open(env, o, no_screen, generator, w, err):
 * Read what must be read before the sandbox. ${no_screen}: true if standard output is used for other text, so that no file may be "-". Free with
 * tt_verdict_out_close(), also after an error. Errors: TT_E_USAGE, TT_E_IO.
 */
int tt_verdict_out_open(struct tt_env *env, const struct tt_verdict_outputs *o, bool no_screen, const char *generator, struct tt_verdict_out *w,
    struct tt_err *err);

/* Remove the output files of an earlier run, and ${also} (NULL: none), except GitHub's summary and whatever is not a text file. Errors: TT_E_IO. */
int tt_verdict_out_forget(const struct tt_verdict_outputs *o, const char *also, struct tt_err *err);

/* True if a CI system reads messages from standard output; false if ${o} is NULL. */
bool tt_verdict_out_messages(const struct tt_verdict_outputs *o);

/**
 * tt_verdict_out_write(env, w, v, more, n, err):
 * Write all requested outputs, and the ${n} outputs ${more}: all of them, or none if one fails. Lines go to standard output after those of ${more}, in the
 * order GitHub, Azure, TeamCity. GitHub's summary is written last: if reading or writing it fails, the function fails, but all other outputs are complete.
 */
int tt_verdict_out_write(struct tt_env *env, struct tt_verdict_out *w, const struct tt_verdict *v, struct tt_output *more, size_t n,
    struct tt_err *err);
void tt_verdict_out_close(struct tt_verdict_out *w);

#endif
