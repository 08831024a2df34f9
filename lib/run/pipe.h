/**
 * Chunks on their way through the steps of a run (run/run.h), between pipeline.c, whose workers move them, thread_stacks.c,
 * which meets them in file order, and gpu_track.c, which makes chunks of what the GPU did. Private to these.
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
	struct tt_stack before;       /* for parts: a copy of the thread's stack before the chunk; io uses up its own */
	struct tt_buf *out;           /* one per emitter */
	size_t held;                  /* see struct pipe */
	bool passed;                  /* this reading needs nothing of the chunk, which is not decoded */
	uint64_t alloc_before;
	uint64_t raw_at;              /* bytes taken from the input when this chunk was read */
};

struct pipe {
	struct tt_run *r;
	struct tt_input *in;
	enum tt_phase phase;
	unsigned needs;
	struct tt_close_times close;
	struct slot **slot;           /* those made, each when it is first needed; of small captures few are */
	size_t nslot, nmade;          /* the most slots; how many are made */
	struct slot **at;             /* by a chunk's number, modulo nslot */
	struct slot **spare;          /* nspare slots without a chunk, the one used last on top: its memory is near; NULL: one not made */
	size_t nspare;
	size_t nworker;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t read_seq, enter_seq, commit_seq;     /* the next chunk for each serial step */
	const struct tt_tree_table *table;    /* of paths, as the last commit left it */
	uint64_t outgrown_seq;        /* chunks before this one may still look up in older tables; 0: there are none */
	size_t held;                  /* bytes that the slots of chunks on their way have, as far as they are many */
	struct tt_stack around;       /* hide.c: zones from before the chunk, as it goes on */
	struct tt_hidden { struct tt_span *v; size_t n, cap; } hidden;        /* and when it is in the Editor's */
	size_t kept;                  /* bytes of arguments that zones open between chunks have */
	bool reading, entering, committing, eof, failed;
	bool more_ahead;              /* see tt_chunk.more_ahead */
	unsigned asleep, looking;     /* workers without a task: that sleep, that look out for one */
	_Atomic unsigned tasks;       /* how often those were shown one */
	struct tt_err err;
	struct tt_loss tail;          /* from next, at the end */
	bool lost_before;             /* earlier inputs lost something */
	struct tt_gpu_track *gpu;     /* NULL: no chunk so far has times of it */
};

/* Decode the bytes of ${s} into its batch, on the common timeline. Any worker. */
int tt_pipe_decode(struct pipe *p, struct slot *s, struct tt_err *err);

/**
 * tt_thread_stacks_enter(p, s, err):
 * Take up the definitions and threads of the chunk ${s}; its thread's stack before it goes to s->io, and what it ends
 * and leaves open is done to the thread's own. A chunk whose decoder guessed wrong is decoded again.
 * Threads: one at a time, in file order.
 */
int tt_thread_stacks_enter(struct pipe *p, struct slot *s, struct tt_err *err);

/* After the last chunk while names are read: what zones are open then. */
int tt_thread_stacks_names_end(struct pipe *p, struct tt_err *err);

/* Copies of the stack of ${t} as it is before ${s}. */
int tt_thread_stacks_copy(struct pipe *p, struct slot *s, const struct tt_thread *t, struct tt_err *err);

/* gpu_track.c. Ordered, with the events of each chunk: find what zones gave the GPU the work whose times it has. */
int tt_gpu_take(struct pipe *p, const struct tt_batch *b, struct tt_err *err);
/* After the last one: the next chunk of the GPU's own thread, in *${s}, to be counted like any other. Returns 1; 0: there are no more. */
int tt_gpu_chunk(struct pipe *p, struct slot **s, struct tt_err *err);
void tt_gpu_free(struct pipe *p);

/* Count what ${s} has for its thread. */
void tt_thread_stacks_count(struct slot *s, struct tt_thread *t);

/* hide.c: take out of ${b} what happens in zones of the Editor. The thread's stack is that before the chunk. */
int tt_hide_editor(struct pipe *p, struct tt_batch *b, struct tt_thread *t, struct tt_err *err);

/* All zones of ${st} end in ${s}, which takes over their arguments. */
void tt_thread_stacks_end_all(struct pipe *p, struct slot *s, struct tt_stack *st);

#endif
