/**
 * Chunks on their way through the steps of a run (run/run.h), between pipeline.c, whose workers move them, thread_stacks.c,
 * which enters them in file order, and gpu_track.c, which makes chunks of the GPU's work. Private to these.
 */
#ifndef TT_RUN_PIPE_H
#define TT_RUN_PIPE_H

#include <pthread.h>

#include "fold/close_times.h"
#include "model/format.h"
#include "fold/fold.h"
#include "run/state.h"

enum step { FREE, DECODING, DECODED, ENTERED, FOLDING, FOLDED };

struct slot {
	enum step step;
	struct tt_chunk chunk;
	struct tt_batch batch;
	struct tt_fold_io io;
	struct tt_stack before;       /* for parts: a copy of the thread's stack before the chunk, because the copy in io is consumed */
	struct tt_buf *out;           /* one per emitter */
	size_t large_bytes;           /* bytes that this slot adds to pipe.large_bytes */
	bool is_skipped;              /* true: this reading skips the chunk, which is not decoded */
	uint64_t alloc_before;
	uint64_t raw_at;              /* bytes taken from the input when this chunk was read */
};

struct pipe {
	struct tt_run *r;
	struct tt_input *input;
	enum tt_phase phase;
	unsigned needs;
	struct tt_close_times close;
	struct slot **slot;           /* slots made so far, each when first needed: small captures need few */
	size_t nslot, nmade;          /* the most slots; the number made */
	struct slot **slot_of_chunk;  /* by a chunk's number, modulo nslot */
	struct slot **free_slot;      /* nspare slots without a chunk, the last used on top, whose memory is in the cache; NULL: not made yet */
	size_t nfree_slot;
	size_t nworker;
	pthread_mutex_t lock;
	pthread_cond_t progress;
	uint64_t read_seq, enter_seq, commit_seq;     /* the next chunk for each serial step */
	const struct tt_tree_table *table;    /* the table of paths after the last commit */
	uint64_t outgrown_seq;        /* chunks before this one may still use older tables of paths; 0: there are no older ones */
	size_t large_bytes;           /* bytes of the large buffers in the slots of chunks in flight */
	struct tt_stack open_before;  /* hide.c: open zones from before the chunk, while its events pass */
	struct tt_hidden { struct tt_span *v; size_t n, cap; } hidden;        /* hide.c: spans of the Editor's zones in the chunk */
	size_t kept_arg_bytes;        /* bytes of arguments kept for zones open between chunks */
	bool reading, entering, committing, eof, failed;
	bool can_prefetch;            /* see tt_chunk.can_prefetch */
	unsigned nasleep, npolling;   /* workers without a task: those asleep, and those polling for one */
	_Atomic unsigned nannounced;  /* how often a task was announced to the polling workers */
	struct tt_err err;
	struct tt_loss tail;          /* losses that next reports at the end */
	bool lost_before;             /* true: earlier inputs had losses */
	struct tt_gpu_track *gpu;     /* NULL: no chunk so far has GPU times */
};

/* Decode the bytes of ${s} into its batch, on the common timeline. Any worker. */
int tt_pipe_decode(struct pipe *p, struct slot *s, struct tt_err *err);

/**
 * tt_thread_stacks_enter(p, s, err):
 * Take up the definitions and threads of the chunk ${s}; copy its thread's stack before it to s->io, and apply to the
 * thread's own stack what it ends and leaves open. A chunk whose decoder guessed wrong is decoded again.
 * Threads: one at a time, in file order.
 */
int tt_thread_stacks_enter(struct pipe *p, struct slot *s, struct tt_err *err);

/* After the last chunk while names are read: note the zones still open that are too short to count. */
int tt_thread_stacks_names_end(struct pipe *p, struct tt_err *err);

/* Copy the stack of ${t}, as it is before ${s}, into ${s}. */
int tt_thread_stacks_copy(struct pipe *p, struct slot *s, const struct tt_thread *t, struct tt_err *err);

/* gpu_track.c, in chunk order: collect the zones that submit work to the GPU, and the times of such work. */
int tt_gpu_take(struct pipe *p, const struct tt_batch *b, struct tt_err *err);
/* After the last chunk: make the next chunk of the GPU's own thread, *${s}, to be counted like any other. Returns 1; 0: there are no more. */
int tt_gpu_chunk(struct pipe *p, struct slot **s, struct tt_err *err);
void tt_gpu_free(struct pipe *p);

/* Add the events, calls and allocations of ${s} to the counts of its thread. */
void tt_thread_stacks_count(struct slot *s, struct tt_thread *t);

/* hide.c: take the events inside the Editor's zones out of ${b}. The stack of ${t} is as before the chunk. */
int tt_hide_editor(struct pipe *p, struct tt_batch *b, struct tt_thread *t, struct tt_err *err);

/* End all zones of ${st} in ${s}, which takes over their arguments. */
void tt_thread_stacks_end_all(struct pipe *p, struct slot *s, struct tt_stack *st);

#endif
