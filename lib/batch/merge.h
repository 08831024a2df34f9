/**
 * Reads the results of shards together, and finds which are missing. Lists of files end with NULL.
 */
#ifndef TT_BATCH_MERGE_H
#define TT_BATCH_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_arena;
struct tt_batch_lists;
struct tt_buf;
struct tt_env;
struct tt_err;
struct tt_results;

struct tt_merge {
	struct tt_env *env;
	struct tt_arena *a;           /* memory of texts and lists */
	bool partial;                 /* true: merge although shards are missing, and say which */
	uint64_t shards;              /* how many shards there must be; 0: as names and lines say */
	const char *missing;          /* what the figures lack; NULL: nothing */
	const char *lacks;            /* the part of ${missing} that lines of the results report; NULL: nothing */
	const char *lost;             /* the results that files of whole runs lost; NULL: none */
};

/*
 * Fail if shards are missing, unless m->partial allows it: the figures would look like those of all shards. ${said}: the shards that lines of the files name;
 * NULL: the files have not been read, and the check waits if their lines may change the answer.
 */
int tt_merge_check_shards(struct tt_merge *m, const char *const *files, const struct tt_batch_lists *said, struct tt_err *err);

/*
 * Read the results of all files into ${rs}, append the shard records in them to ${lists}, and check these with tt_merge_check_shards(). Set *${whole} to false
 * if a file yields no shard record.
 */
int tt_merge_read(struct tt_merge *m, struct tt_results *rs, struct tt_batch_lists *lists, bool *whole, const char *const *files, struct tt_err *err);

/* Fail if shards had different lists of files, unless m->partial: they split them differently, so a capture may be in no shard. */
int tt_merge_check_lists(struct tt_merge *m, struct tt_batch_lists *lists, struct tt_err *err);

/* The first line of merged results: what they lack, or the record of a whole run if they are one. Nothing if that is not known. */
int tt_merge_head(const struct tt_merge *m, const struct tt_batch_lists *lists, bool whole, struct tt_buf *line, struct tt_err *err);

/* Append to m->missing: ${bad} torn lines, and the results that files of whole runs lost. */
int tt_merge_torn(struct tt_merge *m, uint64_t bad, struct tt_err *err);

#endif
