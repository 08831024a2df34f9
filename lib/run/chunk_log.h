/**
 * Notes what each chunk did to the stack of its thread while events are read. If an emitter wants some spans of time again (tt_emit.again), the next reading
 * then decodes only the chunks that have events or zones in these spans.
 *
 * On only for a single input, if no filter hides zones and the GPU has no thread: those cases need all chunks.
 * Memory: columns (base/column.h), about 16 bytes a chunk and 10 for each zone that it leaves open; beyond 16 MiB the notes are given up, and
 * all chunks are decoded.
 * Threads: note and pass in the order of chunks; passes from any worker.
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
	TT_CHUNK_FROM,                /* time of its first event, or begin of the first zone that ends in it; INT64_MIN: the chunk is never skipped */
	TT_CHUNK_LAST, TT_CHUNK_SEEN, /* last_ts of the stack after the chunk, and seen_ts less last_ts: nothing of the chunk is later */
	TT_CHUNK_THREAD,              /* index of its thread */
	TT_CHUNK_KEEPS,               /* how many zones that were open before the chunk stay open */
	TT_CHUNK_OPENS,               /* twice the number of zones that it leaves open, plus 1 if its stack has begun */
	TT_CHUNK_FIRST,               /* index in ${open} of the first zone that it leaves open */
	TT_CHUNK_NOTES
};

/* For each zone that a chunk leaves open. */
enum tt_chunk_open { TT_CHUNK_KEY, TT_CHUNK_TS, TT_CHUNK_FLAGS, TT_CHUNK_OPEN };

struct tt_chunk_log {
	bool on;                      /* true: all chunks so far are noted */
	struct tt_column note[TT_CHUNK_NOTES], open[TT_CHUNK_OPEN];
};

/* Begin to note before events are read, if an emitter may read again. */
void tt_chunk_log_begin(struct tt_run *r);
void tt_chunk_log_free(struct tt_run *r);

/* Note the stack of ${t} after the chunk ${s}, which has been applied to it. */
int tt_chunk_log_note(struct pipe *p, const struct slot *s, const struct tt_thread *t, struct tt_err *err);

/* True if this reading may skip the chunk ${s}. */
bool tt_chunk_log_passes(const struct pipe *p, const struct slot *s);

/* Skip the chunk ${s}: restore its thread's stack as it was after the chunk. */
int tt_chunk_log_pass(struct pipe *p, const struct slot *s, struct tt_err *err);

/* Save the counts of threads before a reading that skips chunks; tt_chunk_log_take_counts() restores and frees them. */
struct tt_thread *tt_chunk_log_keep_counts(const struct tt_run *r, struct tt_err *err);
void tt_chunk_log_take_counts(const struct tt_run *r, struct tt_thread *was);

#endif
