/**
 * The shards that results come from: by the names of their files, and by the record of a shard among their lines.
 */
#ifndef TT_BATCH_SHARDS_H
#define TT_BATCH_SHARDS_H

#include <stdbool.h>
#include <stddef.h>

#include "batch/key.h"

struct tt_arena;
struct tt_buf;
struct tt_env;
struct tt_err;
struct tt_result;

/* Read from the name of ${path} which shard made its results. False if the name does not say, or names a whole run. */
bool tt_batch_shard_named(const char *path, struct tt_shard *s);

/* The record of a shard: which shard it is, and of which list of files. */
struct tt_batch_list {
	struct tt_shard shard;
	uint64_t list, files, bytes;
	uint64_t mine;                /* the number of these files that the shard has a result of; 0: not known */
	uint64_t by;                  /* hash of version and options */
};

/* Records of shards, of one file or of a merge. Zero is empty; their memory is the arena's. */
struct tt_batch_lists { struct tt_batch_list *v; size_t n, cap; };

/**
 * tt_batch_missing_shards(a, files, said, what, err):
 * Find the shards without results among ${files}, by the names of the files and by what their lines say: ${said}, one for each file (NULL: not read yet).
 * *${what}: a text that lists them, or NULL if none is missing. A .part belongs to a run that has not ended, even beside the .jsonl of an earlier one.
 */
int tt_batch_missing_shards(struct tt_arena *a, const char *const *files, const struct tt_batch_lists *said, const char **what, struct tt_err *err);

/* True if ${path} has the name of a whole run's or a shard's results. For files with other names, only their lines say what they hold. */
bool tt_batch_results_named(const char *path);

/* True if ${path} has the name of results of a run that has not ended. */
bool tt_batch_results_open(const char *path);

/* Append the record of a shard. A whole run is shard 1 of 1. */
int tt_batch_list_put(const struct tt_batch_list *l, struct tt_buf *line, struct tt_err *err);

/* True if the line ${r} is the record of a shard, now in ${l}. */
bool tt_batch_list_read(const struct tt_result *r, struct tt_batch_list *l);

/**
 * tt_batch_lists_add(a, all, l, err), tt_batch_lists_check(a, all, told, what, err):
 * Add a shard; check that all shards of each list are there. *${what} is NULL if they are, else a text that says which are not. ${told}: missing shards were
 * reported already, so *${what} names only lists that differ.
 */
int tt_batch_lists_add(struct tt_arena *a, struct tt_batch_lists *all, const struct tt_batch_list *l, struct tt_err *err);
int tt_batch_lists_check(struct tt_arena *a, struct tt_batch_lists *all, bool told, const char **what, struct tt_err *err);

/* The number of files that the shards of ${said} have results of, summed by list; of several lists, which may share files, the largest sum. */
uint64_t tt_batch_lists_files(const struct tt_batch_lists *said);

/* The largest number of shards. */
#define TT_BATCH_SHARDS_MAX 1000000u

/**
 * tt_batch_shard_of_job(env, s, err):
 * Set ${s} to the shard that Slurm, Kubernetes or GitLab gives this process, and log it.
 * Errors: TT_E_USAGE where variables of the environment are missing, or contradict each other.
 */
int tt_batch_shard_of_job(struct tt_env *env, struct tt_shard *s, struct tt_err *err);

#endif
