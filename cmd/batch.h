/**
 * Shared by the files of tracetool batch and merge.
 */
#ifndef TT_CMD_BATCH_H
#define TT_CMD_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/texts.h"
#include "batch/split.h"
#include "opts.h"

struct app;
struct gate;
struct gate_opts;
struct input_opts;
struct tt_aggregate;
struct tt_batch_db;
struct tt_scheduler_file;
struct tt_result;
struct tt_result_id;
struct tt_results;
struct tt_results_sum;
struct tt_run_opts;
struct tt_sample;
struct tt_sink;
struct verdict_opts;

/* --- the report: where it goes, in what form, by which groups ------------------- */

#define SUMMARY_NOTES 8
#define SUMMARY_ALERTS 16

/* Notes of commands about the figures as a whole: notes of the report, and what a verdict says of them. */
struct summary_notes {
	struct summary_note { const char *id, *text; } v[SUMMARY_NOTES];
	size_t n;
	const char *alert[SUMMARY_ALERTS];    /* the notes of the report that a verdict has, too */
	size_t nalert;
	const char *why;              /* why app->verdict is not 0; NULL: it is */
};

struct summary_opts {
	struct summary_notes *notes;
	int form;                     /* form of standard output; enum tt_render */
	bool csv_safe;
	struct opt_list report;       /* files, form by suffix */
	struct opt_list group;        /* keys of facts */
	uint64_t failures;            /* --max-failures; UINT64_MAX: not given */
	int64_t failures_e4;          /* the same as a share; -1: not given */
	struct opt_list dir;          /* folders of results, which may hold pages of captures */
	const char *to_db;            /* database of all results; NULL: none */
	const char *missing;          /* the shards missing from the figures; NULL: none */
};
#define SUMMARY_DEFAULTS { .failures = UINT64_MAX, .failures_e4 = -1 }
extern const struct opt summary_opt[];

/* The setter of --max-failures, into struct summary_opts. */
int summary_failures(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err);

/* The folders of results, and for each the path of its pages of captures relative to a page that links to them. */
struct batch_pages { const struct opt_list *dir; const char **from; };
/* Fill ${p} with the folders of ${o}, relative to the page ${output}. */
int batch_pages_from(struct app *app, const struct summary_opts *o, const char *output, struct batch_pages *p, struct tt_err *err);
/*
 * The first folder that has the page ${file} of a capture, NULL if none has. ${file} is taken as a plain file name, whatever results say. ${arg}: struct
 * batch_pages.
 */
const char *batch_pages_folder(const void *arg, const char *file);

/*
 * Print the figures and write them to their files. ${to}: other outputs of the figures. The file ${results}, which batch_put_results() kept open (NULL: none),
 * replaces the old one together with the reports.
 */
int summary_write(struct app *app, const struct summary_opts *o, const struct verdict_opts *to, const struct tt_aggregate *a, struct tt_sink *results,
    struct tt_err *err);

/* Add the files that the figures are written to. TT_E_USAGE where this build cannot write one. */
int summary_writes(struct app *app, const struct summary_opts *o, struct opt_list *write, struct tt_err *err);

/*
 * summary_database_begin(app, o, db, err), summary_database(app, o, db, err):
 * Begin the database that ${o} asks for; *${db} is NULL if it asks for none. After all results were added, write the database; that frees it in any case.
 */
int summary_database_begin(struct app *app, const struct summary_opts *o, struct tt_batch_db **db, struct tt_err *err);
int summary_database(struct app *app, const struct summary_opts *o, struct tt_batch_db *db, struct tt_err *err);

/* Print ${text} (NULL: that ${err} says why there is none), and keep it as a note ${id} of the report. */
int summary_tell(struct app *app, const struct summary_opts *o, const char *id, const char *text, struct tt_err *err);

/* Keep as a note that ${lost} results of captures that archives count are not there, and set app->verdict. */
int summary_lost(struct app *app, const struct summary_opts *o, uint64_t lost, struct tt_err *err);

/* Set app->verdict by the captures and archives that failed or are damaged, and why. After summary_write(), and before batch_gate_judge(). */
int summary_judge(struct app *app, const struct summary_opts *o, const struct tt_aggregate *a, struct tt_err *err);

/* --- gate --------------------------------------------------------------------------- */

extern const struct opt batch_gate_opt[];     /* into struct gate_opts */

/* Samples read from results, for a gate; all zero: there is no gate. */
struct batch_gate {
	struct app *app;
	struct gate *gate;
	const struct opt_list *group;
	struct gate_opts *opts;       /* of gate */
	const struct summary_opts *sum;       /* says where pages of captures may be, and what the figures lack */
	struct batch_pages pages;
	const struct batch_files *files;      /* files in which captures may be found; NULL: not known */
	struct tt_arena a;
	struct tt_texts texts;        /* that samples have in common, in ${a} */
	struct tt_sample *sample;
	size_t n, cap;
	struct batch_part { const char *recording, *key; } *part;     /* the samples that are files of a recording */
	size_t npart, cappart;
	struct tt_buf copy;           /* the first of the captures that are left out because they are copies, for people ... */
	size_t copies;                /* ... and how many there are */
	size_t failed;                /* samples without figures ... */
	size_t ungated;               /* ... and how many of these come from batches without a gate; the analysis of the others failed */
	const char *by;               /* the fact by which samples are judged separately, made of ${group} */
};

/* Begin if ${g} names a budget; ${reads} and ${writes} as in gate_open(); ${given}: the options of which a command that explains a row may need some. */
int batch_gate_open(struct batch_gate *b, struct app *app, struct gate_opts *g, const struct input_opts *in, const struct opt_given *given,
    const struct opt_list *group, const struct opt_list *reads, struct opt_list *writes, struct tt_err *err);
int batch_gate_add(struct batch_gate *b, const struct tt_result *r, struct tt_err *err);
/* Judge, even without any sample: verdict files of an earlier run must not be taken for those of this run. */
int batch_gate_judge(struct batch_gate *b, const struct tt_run_opts *run, bool captures, bool show, struct tt_err *err);
void batch_gate_close(struct batch_gate *b);

/* --- files -------------------------------------------------------------------------- */

struct batch_files {
	struct tt_scheduler_file *file;    /* in order of work */
	size_t n, cap;
	size_t *by_key;               /* places in file, in order of key */
	uint64_t links, others;       /* skipped: symbolic links, and entries that are not regular files */
};

/**
 * batch_files_find(app, operands, root, out, f, err):
 * Find all files that the operands name: files, files below directories, globs, and for "-" the names on standard input, one a line or each ended by NUL. Names
 * of a list or a glob without a file, and folders that cannot be listed, are included: opening them fails, which gives each a line of results. ${root}: keys
 * are paths below it; NULL: below the directory operand that holds the file, else as named. Skipped are the contents of ${out} (NULL: none), the batch's own
 * directory, and the batch's output files ${writes}, where they are found below a directory and are text, as an earlier run left them.
 * Errors: TT_E_IO, TT_E_USAGE (two files with the same key).
 */
int batch_files_find(struct app *app, const struct opt_list *operands, const char *root, const char *out,
    const struct opt_list *writes, struct batch_files *f, struct tt_err *err);

/* The kind of file ${path} by its name, "plain" if the name does not say; *${weight}: the work for a byte, where a byte of a plain file is 1. */
const char *batch_kind(const char *path, unsigned *weight);

/* TT_E_USAGE where one of ${out} is a file of the batch. */
int batch_files_check(const struct batch_files *f, const struct opt_list *out, struct tt_err *err);

/* The file whose key is the ${n} bytes at ${key}, or NULL. */
const struct tt_scheduler_file *batch_files_get(const struct batch_files *f, const char *key, size_t n);

/* --- results -------------------------------------------------------------------------- */

/* A map from hashes to places. */
struct places {
	struct place { uint64_t h, at; } *v;
	size_t n, cap;
	struct tt_map map;            /* in v */
};

struct batch_out {
	struct app *app;
	const struct batch_files *files;
	uint64_t by;
	struct tt_shard shard;
	struct tt_split split;        /* of the files */
	bool verify;
	struct tt_results *rs;        /* the lines, where no directory keeps them */
	char *part, *final;           /* paths; NULL: no directory */
	int fd;                       /* of part */
	int dir;                      /* folder of files made of captures; -1: none are made */
	int old[2];                   /* final and part as an earlier run left them; -1 */
	struct timespec old_time[2];  /* modification times of old */
	struct places gone;           /* captures whose earlier results are left out */
	uint64_t gone_files;          /* files made of them */
	uint64_t begin;               /* where in part this run's lines begin */
	struct places done;           /* results that hold */
	struct archive_lines { uint64_t captures, lines; } *archive;  /* by number of file: captures by the archive's record, and lines found */
	size_t narchive;
	struct tt_batch_db *db;       /* database that also gets the results; NULL: none. Borrowed */
	struct tt_buf line;
};

/* Name the files that keep results in directory ${dir}; NULL: results are kept in no file. */
int batch_out_name(struct batch_out *o, const char *dir, struct tt_err *err);

/* Open the named files to keep results; ${resume}: take over the results that they hold. */
int batch_out_open(struct batch_out *o, bool resume, struct tt_err *err);
bool batch_out_done(const struct batch_out *o, const struct tt_scheduler_file *f, const char *key, size_t n, const uint64_t *hash);
int batch_out_line(struct batch_out *o, const char *line, size_t n, struct tt_err *err);
int batch_out_same(struct batch_out *o, const struct tt_result_id *id, struct tt_err *err);

/* After all captures: write the lines in order of keys to the final file, and add them to ${a}. */
int batch_out_finish(struct batch_out *o, struct tt_aggregate *a, struct batch_gate *g, struct tt_results_sum *sum,
    struct tt_err *err);
void batch_out_close(struct batch_out *o);

/* Read from the name of ${path} which shard made its results. False if the name does not say, or names a whole run. */
bool batch_shard_named(const char *path, struct tt_shard *s);

/* The record of a shard: which shard it is, and of which list of files. */
struct batch_list {
	struct tt_shard shard;
	uint64_t list, files, bytes;
	uint64_t mine;                /* of these files, those that the shard has a result of each; 0: not known */
	uint64_t by;                  /* hash of version and options */
};

/* Records of shards, of one file or of a merge. Zero is empty; their memory is the arena's. */
struct batch_lists { struct batch_list *v; size_t n, cap; };

/**
 * batch_missing_shards(app, files, said, what, err):
 * Find the shards without results among ${files}, by the names of the files and by what their lines say: ${said}, one for each file (NULL: not read yet).
 * *${what}: a text that lists them, or NULL if none is missing. A .part belongs to a run that has not ended, even beside the .jsonl of an earlier one.
 */
int batch_missing_shards(struct app *app, const struct opt_list *files, const struct batch_lists *said, const char **what, struct tt_err *err);

/* True if ${path} has the name of a whole run's or a shard's results. For files with other names, only their lines say what they hold. */
bool batch_results_named(const char *path);

/* True if ${path} has the name of results of a run that has not ended. */
bool batch_results_open(const char *path);

/* Append the record of a shard. A whole run is shard 1 of 1. */
int batch_list_put(const struct batch_list *l, struct tt_buf *line, struct tt_err *err);

/* True if the line ${r} is the record of a shard, now in ${l}. */
bool batch_list_read(const struct tt_result *r, struct batch_list *l);

/**
 * batch_lists_add(app, all, l, err), batch_lists_check(app, all, told, what, err):
 * Add a shard; check that all shards of each list are there. *${what} is NULL if they are, else a text that says which are not. ${told}: missing shards were
 * reported already, so *${what} names only lists that differ.
 */
int batch_lists_add(struct app *app, struct batch_lists *all, const struct batch_list *l, struct tt_err *err);
int batch_lists_check(struct app *app, struct batch_lists *all, bool told, const char **what, struct tt_err *err);

/* How many files the shards of ${said} have results of, all of one list together; of several lists, which may have files in common, the most. */
uint64_t batch_lists_files(const struct batch_lists *said);

/* The largest number of shards. */
#define BATCH_SHARDS_MAX 1000000u

/* Which results to write, and where. */
struct batch_put {
	const char *path;             /* output file; NULL: none */
	const struct batch_files *files;      /* only results of these files, made with ${by}, of this shard; NULL: all */
	struct tt_shard shard;
	uint64_t by;
	const struct tt_buf *head;    /* the first line; NULL: none */
	struct tt_batch_db *db;       /* database that also gets the results; NULL: none */
	bool mixed;                   /* accept results made with different options; otherwise they are TT_E_IO */
	struct tt_sink **keep;        /* where the open file goes for the caller to finish; NULL: it takes its place at once */
};

/*
 * Write the lines of ${rs} to o->path and add them to ${a} and ${g}. *${lost}: captures that records of archives count but that have no line; each was
 * reported.
 */
int batch_put_results(struct app *app, struct tt_results *rs, const struct batch_put *o, struct tt_aggregate *a,
    struct batch_gate *g, struct tt_results_sum *sum, uint64_t *lost, struct tt_err *err);

#endif
