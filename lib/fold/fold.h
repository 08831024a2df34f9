/**
 * The fold: one chunk of events, with the stack of its thread before the chunk known, becomes counts of call paths, and zones for emitters.
 *
 *	chunk, stack before it ─ fold ─ counts of paths in the tree, which are the worker's own
 *	                              ├ paths new to the tree: an overlay, until the commit
 *	                              ├ sums of paths by frame; nodes in which throws, locks and handles happen
 *	                              └ slices of zones, with their arguments, for emitters
 *
 * A worker has a struct tt_fold and folds any chunk; a chunk has a struct tt_fold_io, which goes from worker to worker. The commit of chunks is in their
 * order, so numbers of paths, and with them every output, depend on the capture alone.
 *
 * The rule is plain.c, whole. fast.c gives the same figures sooner, by predictions and by memory that is fetched ahead: tests compare both
 * (TT_PLAIN in the environment turns fast.c off), and without that file the program works, slower.
 *
 * An int is TT_OK, or else the error's code, with ${err} filled: TT_E_NOMEM, TT_E_LIMIT.
 */
#ifndef TT_FOLD_FOLD_H
#define TT_FOLD_FOLD_H

#include <stdbool.h>

#include "model/zones.h"

struct tt_args;
struct tt_args_kept;
struct tt_begun;
struct tt_capture;
struct tt_close_times;
struct tt_counts;
struct tt_err;
struct tt_fold;
struct tt_frame_path;
struct tt_mem;
struct tt_model;
struct tt_overlay;
struct tt_slice;
struct tt_thread;

/* Bit that marks the number of a node as a place in the overlay, of a path that the tree does not have yet. */
#define TT_OVER 0x80000000u

/* The fold's input and output for one chunk. Zero bytes are an empty one. */
struct tt_fold_io {
	/* Input. */
	const struct tt_batch *b;
	const struct tt_thread *thread;
	const struct tt_capture *cap;
	struct tt_stack base;         /* copy of the thread's stack before the chunk; consumed by the fold */

	/* Output; memory is reused from chunk to chunk. */
	struct tt_overlay *overlay;   /* paths that the tree does not have yet, until the commit */
	struct tt_slice *slice;       /* with TT_NEEDS_SLICES */
	size_t nslice, capslice;
	struct tt_begun *begun;       /* with TT_NEEDS_SLICES */
	size_t nbegun, capbegun;
	struct tt_args *args;         /* of some slices and begun zones */
	size_t nargs, capargs;
	uint32_t *site;               /* with TT_NEEDS_SITES, for each throw, lock and handle event, in order: the node of its recorded
	                                 stack, else of the zone around it; before the commit maybe TT_OVER | place */
	size_t nsite, capsite;
	uint32_t *left;               /* with TT_NEEDS_SLICES: flow steps whose zone the filter leaves out: indexes of their events, in order */
	size_t nleft, capleft;
	bool first_left;              /* true, with TT_NEEDS_SLICES: the filter leaves out the first zone that begins in the chunk */
	struct tt_frame_path *sum;    /* with TT_NEEDS_BY_FRAME: sums of paths by frame; before the commit a node may be TT_OVER | place */
	size_t nsum, capsum;
	bool calls;                   /* true: the chunk has zones of the producer */

	/* The run's own. */
	struct tt_args_kept *ended;   /* arguments of zones from before that end in this chunk; owned */
	bool skipped;                 /* true: the filter leaves the thread out */
};

struct tt_fold_opts {
	struct tt_mem *mem;
	const struct tt_model *m;     /* its filter, frames and tree hold for all chunks */
	unsigned needs;
	bool filters_zones;           /* true: the filter may leave out single zones: the Editor's, or by duration or depth */
	bool reuses_classes;          /* true: keys of classes were reused, so the time of an allocation tells its class */
	const struct tt_close_times *close;   /* times in which zones are handled one by one; NULL: always, as in parts of the time */
};

/* Make a worker's fold; *${f} is freed by tt_fold_free(), also if this fails. The environment's TT_PLAIN, which is for tests, turns fast.c off. */
int tt_fold_new(const struct tt_fold_opts *o, struct tt_fold **f, struct tt_err *err);
void tt_fold_free(struct tt_fold *f);

/* Hand over the counts of all chunks so far; the caller frees them. After that the fold can only be freed. */
struct tt_counts *tt_fold_take_counts(struct tt_fold *f);

/* Fold a chunk. Any worker. */
int tt_fold_chunk(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Fold only the stack samples of a chunk: they belong to other threads than the chunk. Any worker. */
int tt_fold_samples(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Close the zones still open at the end of the capture: the zones of the thread's stack, at its last event. The chunk is empty. */
int tt_fold_rest(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Commit: give the chunk's new paths their numbers, also in its sites and sums, and count them in ${f}. Chunks in their order, one at a time. */
int tt_fold_commit(struct tt_fold *f, struct tt_fold_io *io, uint32_t process, struct tt_err *err);

void tt_fold_io_free(struct tt_fold_io *io, struct tt_mem *mem);

#endif
