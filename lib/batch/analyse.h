/**
 * Analyses one capture of a batch and writes the body of its result (result.h).
 *
 * Runs in a process of its own, which gets the capture as a descriptor and has the output directory as working directory.
 */
#ifndef TT_BATCH_ANALYSE_H
#define TT_BATCH_ANALYSE_H

#include "out/table.h"
#include "run/run.h"

struct tt_env;
struct tt_measure;

struct tt_one_opts {
	struct tt_run_opts run;       /* formats, filters and so on; tt_one() sets path, fd, needs and emitters */
	const char *const *convert;   /* suffixes of the files to make ("json.gz"), NULL-terminated; NULL: none */
	const char *report;           /* suffix of a report to write per capture (".json"); NULL: none */
	enum tt_render report_form;
	const struct tt_measure *measure;     /* the measures of a gate, whose sample goes into the result; NULL: none */
	size_t nmeasure;
	bool skips;                   /* true, with measures: run.filter's frames are those of the budget */
	const char *budget;           /* with measures: the budget's frames and filters, stored with the sample */
	const char *generator;
	bool tables;                  /* true: results hold markers and allocation sites, for a database */
	bool csv_safe;                /* true: make CSV files made of captures safe, as in tt_render_opts */
};

/**
 * tt_one(env, o, fd, size, key, n, body, err):
 * Analyse the capture that the first ${size} bytes of ${fd} are (taken over; UINT64_MAX: all of it) and append its
 * body in any case: a failure is an outcome. Files are made in the current directory under names of
 * tt_key_file().
 * Errors: TT_E_NOMEM where there is no body, TT_E_STOPPED, TT_E_IO if tt_err_short_of_files().
 */
int tt_one(struct tt_env *env, const struct tt_one_opts *o, int fd, uint64_t size, const char *key, size_t n, struct tt_buf *body,
    struct tt_err *err);

/* The word for a failure with status ${rc}: tracetool-batch(1), RESULTS. */
const char *tt_one_why(int rc);

/* Append the body of a failed result: ${why} is a word of tracetool-batch(1), RESULTS; ${detail}: a line. */
int tt_one_failed(struct tt_buf *body, const char *outcome, const char *why, const char *detail, size_t n,
    struct tt_err *err);

#endif
