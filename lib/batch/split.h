/**
 * Splits the files of a batch among shards, by the work each file takes.
 *
 * Every shard looks at the whole list and splits it alone, so the split depends on nothing but the list: keys and sizes of files, and what large files begin
 * with. A file goes to the shard that its key's hash names, or, if that one is full, to the next one that is not; large files go first. So shards get the
 * same amount of work within a few per cent, and one file more or less moves few others. (10,000 files whose sizes differ tenfold, 1,000 shards: the most is
 * 1.08 of the mean, and by hashes alone 2.37; a file more moves 1.3 % of the others.) A large archive whose members can be read without reading those before
 * them, a zip or a tar that is not compressed, is the work of all shards: each takes the members that begin in its stretch of the file.
 *
 * A hash of the list shows whether all shards had the same one.
 */
#ifndef TT_BATCH_SPLIT_H
#define TT_BATCH_SPLIT_H

#include "batch/scheduler.h"

struct tt_mem;

struct tt_split {
	uint64_t list;                /* a hash of the list: shards with the same one have split it alike */
	uint64_t files, bytes;        /* sums over the whole list */
};

/**
 * tt_split(mem, count, file, n, divide, sum, err):
 * Set `shard` of each of the ${n} files, which are in order of cost, the largest first, and of keys: its number among ${count}, or
 * TT_SHARD_ALL. ${divide}: large archives may be shared; their first 512 bytes are read.
 * Errors: TT_E_NOMEM.
 */
int tt_split(struct tt_mem *mem, unsigned count, struct tt_scheduler_file *file, size_t n, bool divide, struct tt_split *sum, struct tt_err *err);

/* The shard, from 1 to ${count}, that takes members that begin at byte ${at} of a shared file of ${size} bytes. */
unsigned tt_split_stretch(uint64_t at, uint64_t size, unsigned count);

#endif
