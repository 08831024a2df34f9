/**
 * Shared by the files of tracetool batch and merge.
 */
#ifndef TT_CMD_VERB_BATCH_H
#define TT_CMD_VERB_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "batch/dirs.h"
#include "batch/files.h"
#include "batch/result_samples.h"
#include "batch/store.h"
#include "option/opts.h"

struct app;
struct gate;
struct gate_opts;
struct input_opts;
struct tt_aggregate;
struct tt_batch_db;
struct tt_result;
struct tt_run_opts;
struct tt_sink;
struct tt_verdict_outputs;

/* --- the report: where it goes, in what form, by which groups ------------------- */

#define SUMMARY_NOTES 8
#define SUMMARY_ALERTS 16

/* Notes on the figures as a whole: for the report, and for a verdict. */
struct summary_notes {
	struct summary_note { const char *id, *text; } v[SUMMARY_NOTES];
	size_t n;
	const char *alert[SUMMARY_ALERTS];    /* the notes of the report that a verdict repeats */
	size_t nalert;
	const char *why;              /* why app->verdict is not 0; NULL: it is 0 */
};

struct summary_opts {
	struct summary_notes *notes;
	int form;                     /* form of standard output; enum tt_render */
	bool csv_safe;
	struct tt_list report;       /* files of reports; each form is chosen by suffix */
	struct tt_list group;        /* keys of facts to group by */
	uint64_t failures;            /* --max-failures; UINT64_MAX: not given */
	int64_t failures_e4;          /* --max-failures as a share in 1/10000; -1: not given */
	struct tt_list dir;          /* folders of results, which may hold pages of captures */
	const char *to_db;            /* database of all results; NULL: none */
	const char *missing;          /* names the shards missing from the figures; NULL: no shard is missing */
};
#define SUMMARY_DEFAULTS { .failures = UINT64_MAX, .failures_e4 = -1 }
extern const struct tt_opt summary_opt[];

/* The setter of --max-failures, into struct summary_opts. */
int summary_failures(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err);

/*
 * Print the figures and write them to their files. ${to}: other outputs of the figures. The file ${results}, which tt_batch_put_results() left open (NULL: no
 * file), replaces the old one together with the reports.
 */
int summary_write(struct app *app, const struct summary_opts *o, const struct tt_verdict_outputs *to, const struct tt_aggregate *a, struct tt_sink *results,
    struct tt_err *err);

/* Add the files to which the figures are written to ${write}. TT_E_USAGE if this build cannot write one of them. */
int summary_writes(struct app *app, const struct summary_opts *o, struct tt_list *write, struct tt_err *err);

/*
 * summary_database_begin(app, o, db, err), summary_database(app, o, db, err):
 * Begin the database that ${o} asks for; *${db} is NULL if it asks for none. After all results were added, write the database; that frees it in any case.
 */
int summary_database_begin(struct app *app, const struct summary_opts *o, struct tt_batch_db **db, struct tt_err *err);
int summary_database(struct app *app, const struct summary_opts *o, struct tt_batch_db *db, struct tt_err *err);

/* Print ${text} (NULL: the text could not be made, as ${err} says), and keep it as a note ${id} of the report. */
int summary_tell(struct app *app, const struct summary_opts *o, const char *id, const char *text, struct tt_err *err);

/* Keep a note that ${lost} results are missing, of captures that archives count, and set app->verdict. */
int summary_lost(struct app *app, const struct summary_opts *o, uint64_t lost, struct tt_err *err);

/* Set app->verdict, and its reason, by the captures and archives that failed or are damaged. Call after summary_write() and before batch_gate_judge(). */
int summary_judge(struct app *app, const struct summary_opts *o, const struct tt_aggregate *a, struct tt_err *err);

/* --- gate --------------------------------------------------------------------------- */

extern const struct tt_opt batch_gate_opt[];     /* rows for struct gate_opts */

/* A gate and its samples; all zero: no gate. */
struct batch_gate {
	struct app *app;
	struct gate *gate;
	const struct tt_list *group;
	struct gate_opts *opts;       /* the options of the gate */
	const struct summary_opts *sum;       /* tells where pages of captures may be, and what the figures lack */
	struct tt_batch_pages pages;
	struct tt_batch_samples of;   /* the results as samples */
};

/*
 * Begin if ${g} names a budget; ${reads} and ${writes} as in gate_open(); ${given}: the options from which a command that explains a row takes those that it
 * needs.
 */
int batch_gate_open(struct batch_gate *b, struct app *app, struct gate_opts *g, const struct input_opts *in, const struct tt_opt_given *given,
    const struct tt_list *group, const struct tt_list *reads, struct tt_list *writes, struct tt_err *err);
int batch_gate_add(void *gate, const struct tt_result *r, struct tt_err *err);
/* Judge, even without any sample: verdict files of an earlier run must not be taken for this run's. */
int batch_gate_judge(struct batch_gate *b, const struct tt_run_opts *run, bool captures, bool show, struct tt_err *err);
void batch_gate_close(struct batch_gate *b);

#endif
