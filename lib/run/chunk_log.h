/**
 * Notes what each chunk did to the stack of its thread while events are read, so that an emitter which wants some times once more (tt_emit.again) makes the
 * next reading decode only the chunks that have something in these.
 *
 * Only of one input, and where zones are neither hidden nor too short to count, nor the GPU has a thread, which need all chunks.
 * Memory: columns (base/column.h), about 16 bytes a chunk and 10 for each zone that it leaves open; over 16 MiB of these the notes are given up, and
 * all is decoded.
 * Threads: noting and passing in the order of chunks; asking from any worker.
 */
#ifndef TT_RUN_CHUNK_LOG_H
#define TT_RUN_CHUNK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/column.h"

struct pipe;
struct slot;
struct tt_err;
struct tt_mem;
struct tt_run;
struct tt_thread;

/* For each chunk, by its number. */
enum tt_chunk_note {
	TT_CHUNK_FROM,                /* when its first event is, or the first zone that ends in it begins; INT64_MIN: it is never passed over */
	TT_CHUNK_LAST, TT_CHUNK_SEEN, /* last_ts of the stack after it, and what seen_ts is more: nothing of the chunk is later */
	TT_CHUNK_THREAD,              /* index */
	TT_CHUNK_KEEPS,               /* zones that stay open of those from before it */
	TT_CHUNK_OPENS,               /* twice the zones that it leaves open, and whether that stack has begun */
	TT_CHUNK_FIRST,               /* of these zones among all */
	TT_CHUNK_NOTES
};

/* For each zone that a chunk leaves open. */
enum tt_chunk_open { TT_CHUNK_KEY, TT_CHUNK_TS, TT_CHUNK_FLAGS, TT_CHUNK_OPEN };

struct tt_chunk_log {
	bool on;                      /* all chunks so far are noted */
	struct tt_column note[TT_CHUNK_NOTES], open[TT_CHUNK_OPEN];
};

/* Before events are read: begin, if anybody may ask. */
void tt_chunk_log_begin(struct tt_run *r);
void tt_chunk_log_free(struct tt_run *r);

/* The thread ${t} has taken up the chunk ${s}: note what became of its stack. */
int tt_chunk_log_note(struct pipe *p, const struct slot *s, const struct tt_thread *t, struct tt_err *err);

/* True if this reading may skip the chunk ${s}. */
bool tt_chunk_log_passes(const struct pipe *p, const struct slot *s);

/* The chunk ${s} is passed over: its thread's stack becomes what it was after it. */
int tt_chunk_log_pass(struct pipe *p, const struct slot *s, struct tt_err *err);

/* Keep the counts that a whole reading made of threads over one that is not whole. Freed by taking it back. */
struct tt_thread *tt_chunk_log_keep_counts(const struct tt_run *r, struct tt_err *err);
void tt_chunk_log_take_counts(const struct tt_run *r, struct tt_thread *was);

#endif
