/**
 * Keeps the results of a batch: lines in a file, or in memory. A resumed run finds the results that still hold; at the end the last valid line of each key
 * goes to the final file.
 */
#ifndef TT_BATCH_STORE_H
#define TT_BATCH_STORE_H

#include <stdbool.h>
#include <time.h>

#include "base/buf.h"
#include "base/map.h"
#include "batch/files.h"
#include "batch/split.h"

struct tt_aggregate;
struct tt_batch_db;
struct tt_result;
struct tt_result_id;
struct tt_results;
struct tt_results_sum;
struct tt_sink;

/* A further consumer of each result, in order of keys. */
struct tt_batch_take {
	int (*result)(void *arg, const struct tt_result *r, struct tt_err *err);
	void *arg;
};

/* A map from hashes to places. */
struct tt_batch_places {
	struct place { uint64_t h, at; } *v;
	size_t n, cap;
	struct tt_map map;            /* index in v */
};

struct tt_batch_store {
	struct tt_env *env;
	const struct tt_batch_files *files;
	uint64_t by;
	struct tt_shard shard;
	struct tt_split split;        /* the split of the files */
	bool verify;
	struct tt_results *rs;        /* the lines, if no directory keeps them */
	char *part, *final;           /* paths; NULL: no directory */
	int fd;                       /* of part */
	int dir;                      /* folder of files made of captures; -1: none are made */
	int old[2];                   /* descriptors of final and part as an earlier run left them; -1: none */
	struct timespec old_time[2];  /* modification times of old */
	struct tt_batch_places gone;           /* captures whose earlier results are left out */
	uint64_t gone_files;          /* number of files made of these captures */
	uint64_t begin;               /* offset in part at which this run's lines begin */
	struct tt_batch_places done;           /* earlier results that still hold */
	struct archive_lines { uint64_t captures, lines; } *archive;  /* by number of file: captures by the archive's record, and lines found */
	size_t narchive;
	struct tt_batch_db *db;       /* database that also gets the results; NULL: none. Borrowed */
	struct tt_buf line;
};

/* Name the files, in ${a}, that keep results in directory ${dir}; NULL: results are kept in no file. */
int tt_batch_store_name(struct tt_batch_store *o, const char *dir, struct tt_arena *a, struct tt_err *err);

/* Open the named files to keep results; ${resume}: take over the results that they hold. */
int tt_batch_store_open(struct tt_batch_store *o, bool resume, struct tt_err *err);
bool tt_batch_store_done(const struct tt_batch_store *o, const struct tt_scheduler_file *f, const char *key, size_t n, const uint64_t *hash);
int tt_batch_store_line(struct tt_batch_store *o, const char *line, size_t n, struct tt_err *err);
int tt_batch_store_same(struct tt_batch_store *o, const struct tt_result_id *id, struct tt_err *err);

/* After all captures: write the lines in order of keys to the final file, and add them to ${a} and ${take}. *${lost}: as in tt_batch_put_results(). */
int tt_batch_store_finish(struct tt_batch_store *o, struct tt_aggregate *a, const struct tt_batch_take *take, struct tt_results_sum *sum,
    uint64_t *lost, struct tt_err *err);
void tt_batch_store_close(struct tt_batch_store *o);

/* Which results to write, and where. */
struct tt_batch_put {
	const char *path;             /* output file; NULL: none */
	const struct tt_batch_files *files;      /* take only results of these files, made with ${by}, of this shard; NULL: all */
	struct tt_shard shard;
	uint64_t by;
	const struct tt_buf *head;    /* the first line; NULL: none */
	struct tt_batch_db *db;       /* database that also gets the results; NULL: none */
	bool mixed;                   /* true: accept results made with different options; false: they are TT_E_IO */
	struct tt_sink **keep;        /* receives the open file, which the caller finishes; NULL: finish it at once */
};

/*
 * Write the lines of ${rs} to o->path and add them to ${a} and ${take}. *${lost}: captures that records of archives count but that have no line; each was
 * reported.
 */
int tt_batch_put_results(struct tt_env *env, struct tt_results *rs, const struct tt_batch_put *o, struct tt_aggregate *a,
    const struct tt_batch_take *take, struct tt_results_sum *sum, uint64_t *lost, struct tt_err *err);

#endif
