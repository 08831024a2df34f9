/**
 * tracetool batch and merge: what their parts share.
 */
#ifndef TT_CMD_BATCH_H
#define TT_CMD_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/map.h"
#include "batch/split.h"
#include "opts.h"

struct app;
struct gate;
struct gate_opts;
struct input_opts;
struct tt_aggregate;
struct tt_batch_db;
struct tt_many_file;
struct tt_result;
struct tt_result_id;
struct tt_results;
struct tt_results_sum;
struct tt_run_opts;
struct tt_sample;
struct tt_sink;
struct verdict_opts;

/* --- the report: where it goes, in what form, by which groups ------------------- */

struct summary_opts {
	int form;                     /* of standard output; enum tt_render */
	bool csv_safe;
	struct opt_list report;       /* files, form by suffix */
	struct opt_list group;        /* keys of facts */
	uint64_t failures;            /* --max-failures; UINT64_MAX: not given */
	int64_t failures_e4;          /* the same as a share; -1: not given */
	struct opt_list dir;          /* folders of results, where pages of captures may be */
	const char *to_db;            /* database of all results; NULL: none */
	const char *missing;          /* the shards that the figures are without; NULL: none */
};
#define SUMMARY_DEFAULTS { .failures = UINT64_MAX, .failures_e4 = -1 }
extern const struct opt summary_opt[];

/* The setter of --max-failures, into struct summary_opts. */
int summary_failures(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err);

/* The folders of results, and where the files made of captures in each are as seen from a page. */
struct batch_pages { const struct opt_list *dir; const char **from; };
/* Those of ${o}, seen from the page ${output}. */
int batch_pages_from(struct app *app, const struct summary_opts *o, const char *output, struct batch_pages *p, struct tt_err *err);
/* The first that has the page ${file} of a capture; its name is one of a file there, whatever results say. ${arg}: struct batch_pages. */
const char *batch_pages_folder(const void *arg, const char *file);

/*
 * Print and write the figures; ${to}: the other outputs of the figures. The file ${results} (NULL: none), which batch_put_results() kept open,
 * takes its place together with the reports.
 */
int summary_write(struct app *app, const struct summary_opts *o, const struct verdict_opts *to, const struct tt_aggregate *a, struct tt_sink *results,
    struct tt_err *err);

/* Add the files that the figures are written to. TT_E_USAGE where this build cannot write one. */
int summary_writes(struct app *app, const struct summary_opts *o, struct opt_list *write, struct tt_err *err);

/*
 * summary_database_begin(app, o, db, err), summary_database(app, o, db, err):
 * Begin the database that ${o} asks for; *${db} is NULL where it asks for none. When all results are in it, write it and free it, in any case.
 */
int summary_database_begin(struct app *app, const struct summary_opts *o, struct tt_batch_db **db, struct tt_err *err);
int summary_database(struct app *app, const struct summary_opts *o, struct tt_batch_db *db, struct tt_err *err);

/* What captures and archives that failed or are damaged mean for app->verdict. */
void summary_judge(struct app *app, const struct summary_opts *o, const struct tt_aggregate *a);

/* --- gate --------------------------------------------------------------------------- */

extern const struct opt batch_gate_opt[];     /* into struct gate_opts */

/* Samples out of results, for a gate; all zero: there is none. */
struct batch_gate {
	struct app *app;
	struct gate *gate;
	const struct opt_list *group;
	struct gate_opts *opts;       /* of gate */
	const struct summary_opts *sum;       /* where pages of captures may be; NULL: nobody knows */
	struct batch_pages pages;
	const struct batch_files *files;      /* where captures may be; NULL: nobody knows */
	struct tt_arena a;
	struct tt_sample *sample;
	size_t n, cap;
	struct batch_part { const char *recording, *key; } *part;     /* of the samples that are files of a recording */
	size_t npart, cappart;
	size_t failed;                /* of the samples: captures whose analysis failed, without figures */
	const char *by;               /* the fact that samples are judged apart by, made of ${group} */
};

/* Begin, if ${g} names a budget; for ${writes} see gate_open(); ${given}: the options that a command which explains a row may need. */
int batch_gate_open(struct batch_gate *b, struct app *app, struct gate_opts *g, const struct input_opts *in, const struct opt_given *given,
    const struct opt_list *group, struct opt_list *writes, struct tt_err *err);
int batch_gate_add(struct batch_gate *b, const struct tt_result *r, struct tt_err *err);
/* The verdict, also where there is nothing to judge: files that an earlier run wrote must not be taken for this one's. */
int batch_gate_judge(struct batch_gate *b, const struct tt_run_opts *run, bool captures, bool show, struct tt_err *err);
void batch_gate_close(struct batch_gate *b);

/* --- files -------------------------------------------------------------------------- */

struct batch_files {
	struct tt_many_file *file;    /* in order of work */
	size_t n, cap;
	size_t *by_key;               /* places in file, in order of key */
	uint64_t links, others;       /* skipped: symbolic links, and anything but files */
};

/**
 * batch_files_find(app, operands, root, out, f, err):
 * All files that the operands name: files, files below directories, globs, and for "-" the names on standard input,
 * one a line or with NUL after each. Names of a list or a glob that lead to nothing, and folders that cannot be listed, are
 * among them: they cost a line when they are opened. ${root}: keys are paths below it; NULL: below the directory operand they come from, else as named.
 * What lies in ${out} (NULL: none), the batch's own directory, is passed over, and so are ${writes}, files that it writes,
 * where they are met below a directory and are text, as an earlier run left them.
 * Errors: TT_E_IO, TT_E_USAGE (two files of one key).
 */
int batch_files_find(struct app *app, const struct opt_list *operands, const char *root, const char *out,
    const struct opt_list *writes, struct batch_files *f, struct tt_err *err);

/* What kind of file ${path} is by its name, "plain" if that says nothing, and *${weight}, how much work a byte is, of a plain one 1. */
const char *batch_kind(const char *path, unsigned *weight);

/* TT_E_USAGE where one of ${out} is a file of the batch. */
int batch_files_check(const struct batch_files *f, const struct opt_list *out, struct tt_err *err);

/* The file whose key is the ${n} bytes at ${key}; NULL. */
const struct tt_many_file *batch_files_get(const struct batch_files *f, const char *key, size_t n);

/* --- results -------------------------------------------------------------------------- */

/* Places by hash. */
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
	struct tt_results *rs;        /* lines, where there is no directory to keep them in */
	char *part, *final;           /* paths; NULL: no directory */
	int fd;                       /* of part */
	int dir;                      /* of files made of captures; -1: there are none */
	int old[2];                   /* final and part as they were; -1 */
	struct timespec old_time[2];  /* when they were last written */
	struct places gone;           /* captures of earlier results that are left out */
	uint64_t gone_files;          /* files made of them */
	uint64_t begin;               /* where in part this run's lines begin */
	struct places done;           /* of results; a place is an offset * 2 + which of old */
	struct archive_lines { uint64_t captures, lines; } *archive;  /* by number of file: as its record has it, as found */
	size_t narchive;
	struct tt_batch_db *db;       /* that results go to besides; NULL: none. Borrowed */
	struct tt_buf line;
};

/* Name the files that keep results in directory ${dir}; without it there are none. */
int batch_out_name(struct batch_out *o, const char *dir, struct tt_err *err);

/* Begin to keep results in the files that have names; ${resume}: with those that are there. */
int batch_out_open(struct batch_out *o, bool resume, struct tt_err *err);
bool batch_out_done(const struct batch_out *o, const struct tt_many_file *f, const char *key, size_t n, const uint64_t *hash);
int batch_out_line(struct batch_out *o, const char *line, size_t n, struct tt_err *err);
int batch_out_same(struct batch_out *o, const struct tt_result_id *id, struct tt_err *err);

/* All is done: the lines in order to the final file, and into ${a}. */
int batch_out_finish(struct batch_out *o, struct tt_aggregate *a, struct batch_gate *g, struct tt_results_sum *sum,
    struct tt_err *err);
void batch_out_close(struct batch_out *o);

/* The shard whose results ${path} has, as its name says; false: it says nothing, or that it is a whole run's. */
bool batch_shard_named(const char *path, struct tt_shard *s);

/**
 * batch_missing_shards(app, files, what, err):
 * The shards whose results are not among ${files}, as the names of those say, for people; *${what} is NULL where none is
 * missing. A .part belongs to a run that has not ended, also beside the .jsonl of an earlier one. Files with other names are ignored.
 */
int batch_missing_shards(struct app *app, const struct opt_list *files, const struct tt_shard *said, const char **what, struct tt_err *err);

/* True if a results file called ${path} is one of a whole run or of a shard; what others are, their lines say. */
bool batch_results_named(const char *path);

/* What the record of a shard says: which it is, and of which list of files. */
struct batch_list { struct tt_shard shard; uint64_t list, files, bytes; };

/* The shards of a merge. Zero is empty; their memory is the arena's. */
struct batch_lists { struct batch_list *v; size_t n, cap; };

/* True if the line ${r} is such a record. */
bool batch_list_read(const struct tt_result *r, struct batch_list *l);

/**
 * batch_lists_add(app, all, l, err), batch_lists_check(app, all, told, what, err):
 * Note a shard; are all shards of each list there? *${what} is NULL if so, else it says for people which are not. ${told}: missing shards have
 * been reported already, so *${what} names only lists that differ.
 */
int batch_lists_add(struct app *app, struct batch_lists *all, const struct batch_list *l, struct tt_err *err);
int batch_lists_check(struct app *app, struct batch_lists *all, bool told, const char **what, struct tt_err *err);

/* The most shards that there may be. */
#define BATCH_SHARDS_MAX 1000000u

/* Which results, and where to. */
struct batch_put {
	const char *path;             /* NULL: nowhere */
	const struct batch_files *files;      /* of these, with ${by} and this shard's alone; NULL: all */
	struct tt_shard shard;
	uint64_t by;
	const struct tt_buf *head;    /* a line to begin with; NULL: none */
	struct tt_batch_db *db;       /* that they go to besides; NULL: none */
	bool mixed;                   /* also if they were made with different options, else TT_E_IO */
	struct tt_sink **keep;        /* NULL: the file takes its place; else that is left to the caller */
};

/*
 * Lines of ${rs} to o->path, into ${a} and ${g}. *${lost}: captures that records of archives count and that have no line; they
 * were reported.
 */
int batch_put_results(struct app *app, struct tt_results *rs, const struct batch_put *o, struct tt_aggregate *a,
    struct batch_gate *g, struct tt_results_sum *sum, uint64_t *lost, struct tt_err *err);

#endif
