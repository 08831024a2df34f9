/**
 * What each chunk did to the stack of its thread, noted while events are read, so that an emitter which wants some times once more
 * (tt_emit.again) makes the next reading decode only the chunks that have something in these.
 *
 * Only of one input, and where zones are neither hidden nor too short to count, nor the GPU has a thread, which need all chunks.
 * Memory: 40 bytes a chunk and 24 for each zone that it leaves open, which is 3 MB for 1 GB of .raw; over 16 MiB the notes are given up, and all
 * is decoded.
 * Threads: noting and passing in the order of chunks; asking from any worker.
 */
#ifndef TT_RUN_CHUNK_LOG_H
#define TT_RUN_CHUNK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipe;
struct slot;
struct tt_err;
struct tt_mem;
struct tt_run;
struct tt_thread;

struct tt_chunk_log {
	bool on;                      /* all chunks so far are noted */
	struct tt_chunk_note {
		int64_t from;         /* when its first event is, or the first zone that ends in it begins; INT64_MIN: it is never passed over */
		int64_t last_ts, seen_ts;     /* of the stack after it: nothing of the chunk is later */
		uint32_t thread;      /* index */
		uint32_t keeps;       /* zones that stay open of those from before it */
		uint32_t opens : 31;  /* zones that it leaves open */
		uint32_t begun : 1;   /* of the stack after it */
		uint32_t first;       /* of them in open */
	} *note;                      /* by the chunk's number */
	struct tt_chunk_open { uint64_t key; int64_t ts; uint32_t flags; } *open;
	size_t n, cap, nopen, capopen;
};

/* Before events are read: begin, if anybody may ask. */
void tt_chunk_log_begin(struct tt_run *r);
void tt_chunk_log_free(struct tt_run *r);

/* The thread ${t} has taken up the chunk ${s}: note what became of its stack. */
int tt_chunk_log_note(struct pipe *p, const struct slot *s, const struct tt_thread *t, struct tt_err *err);

/* May the chunk ${s} be passed over in this reading? */
bool tt_chunk_log_passes(const struct pipe *p, const struct slot *s);

/* The chunk ${s} is passed over: its thread's stack becomes what it was after it. */
int tt_chunk_log_pass(struct pipe *p, const struct slot *s, struct tt_err *err);

/* What threads have done is counted by a whole reading: keep it over one that is not. Freed by taking it back. */
struct tt_thread *tt_chunk_log_keep_counts(const struct tt_run *r, struct tt_err *err);
void tt_chunk_log_take_counts(const struct tt_run *r, struct tt_thread *was);

#endif
