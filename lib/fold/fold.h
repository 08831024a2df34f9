/**
 * The fold: one chunk's events, with the thread's stack before it known, become
 * counts of call paths and slices. Runs on any worker.
 */
#ifndef TT_FOLD_H
#define TT_FOLD_H

#include "base/map.h"
#include "model/filter.h"
#include "model/tree.h"
#include "model/zones.h"

struct tt_args;
struct tt_begun;
struct tt_capture;
struct tt_close_times;
struct tt_frame_path;
struct tt_model;
struct tt_slice;
struct tt_spans;
struct tt_thread;

/* A path first met in this chunk, or not yet committed by an earlier one: kept apart until the commit stage. */
struct tt_over_node {
	uint64_t key;
	uint32_t parent;              /* node, or TT_OVER | index of an earlier one */
	uint8_t kind;
	struct tt_count c;
};
#define TT_OVER 0x80000000u

struct tt_over {
	struct tt_mem *mem;
	struct tt_over_node *node;
	size_t n, cap;
	struct tt_map at;             /* places in node */
	struct tt_late { uint32_t node; uint8_t what; uint64_t dur; } *late;    /* durations whose marker has no number yet */
	size_t nlate, caplate;
	uint32_t *map;                /* at commit: index -> node */
	size_t capmap;
};

/* How good guesses of paths are, where there are many. */
struct tt_guess {
	size_t met, wrong;            /* since it was last judged; while they are poor, zones looked up */
	bool poor;
};

/* A zone open on the path from the thread's root to the present one. A line of memory. */
struct tt_level {
	struct tt_count *c;           /* NULL: node is one of the overlay */
	uint64_t hash;                /* of the path, where node is one of the overlay: tt_fold_hash_of() */
	const struct tt_event *begin; /* where the zone has an end event of its own, in this chunk */
	size_t begun;                 /* of such a zone: its place + 1 in tt_fold_io.begun; 0: not there */
	uint32_t node;
	uint32_t number;              /* of a zone from before the chunk: tt_open's */
	bool hashed;                  /* ${ahead} is that of its path, if no zones are further on */
	bool out;                     /* left out by the filter: counts as the zone around it */
	bool hid;                     /* left out with all its time: the Editor's, or inside a zone that is */
	bool in;                      /* begins in the filter's time; of one left out, whether the zone around it does */
	bool veiled;                  /* a wrapper that outputs do not show */
	uint32_t veils;               /* how many of these there are from the root to it */
	uint64_t ahead;               /* hash of the path, of zones further on: look_up() in zones.c */
};
_Static_assert(sizeof(struct tt_level) == TT_MEM_LINE, "the place of a level is a shift");

/*
 * Levels of a thread whose stack is deep, kept for its next chunk: else a stack of tens of thousands is walked again for each of thousands of chunks. Changes
 * since then are seen by the numbers.
 */
#define TT_FOLD_DEEP 256
enum { TT_FOLD_KEPT = 8 };
struct tt_kept {
	struct tt_level *lvl;
	size_t cap, n;                /* n: levels of zones that were open before the thread's last chunk */
	uint32_t thread;
	uint64_t used;                /* when */
};

/* A frame of the recorded stack met last in the chunk: what the next one shares with it is not looked up again. */
struct tt_trail {
	uint64_t key;                 /* the first: of its root */
	struct tt_level l;
};

/* A class allocated on a recorded stack, met in the chunk: a reader gives stacks that are the same the same words. */
enum { TT_FOLD_MET = 256 };
struct tt_met {
	uint64_t chunk;               /* tt_fold.chunk: of others nothing holds */
	uint64_t key, first, hash;
	uint64_t above;               /* hash of what the stack is below */
	struct tt_count *c;           /* as in tt_level */
	uint32_t n, node;
};

/* The place of a chunk's sum of a frame and a path: what comes next mostly goes to one of the last. */
enum { TT_FOLD_SUMS = 256 };
struct tt_fold_sum { uint64_t chunk; uint32_t frame, node; size_t at; };

/* A path of the tree that the worker has counted, by the node above it and the key: most zones and allocations are of one of these. */
enum { TT_FOLD_NEAR_BITS = 11 };
struct tt_near {
	uint64_t key;
	struct tt_count *c;
	struct tt_dist *dist;         /* of a zone */
	uint32_t tag;                 /* tt_tree_tag() of the node above; 0: nothing is here */
	uint32_t node;
};

struct tt_fold {
	struct tt_mem *mem;
	const struct tt_model *m;
	unsigned needs;
	bool tree;                    /* somebody needs the call tree */
	bool filtered;                /* single zones may be left out: of the Editor, or by their duration or depth */
	bool counts_veils;            /* depths are needed: of slices, or for the filter */
	const struct tt_close_times *close;   /* when zones are looked at one by one; NULL: never */
	bool sums;                    /* what zones of the chunk at hand do in frames is summed up, at all other times, too */
	const struct tt_spans *looked;        /* ... when, and */
	struct tt_span unlooked;      /* ... the stretch of time at hand, or to come next, when not; NULL, empty: always */
	bool mixed;                   /* the chunk at hand is not in one stretch of time when they are not */
	bool inside, outside;         /* all of it, nothing of it is in the filter's time */
	struct tt_span clear;         /* the stretch of time at hand, or to come next in the chunk, when they are not */
	bool alias;                   /* class keys were reused: tell them apart by time */
	struct tt_counts *counts;     /* this worker's */
	struct tt_near *near;         /* [1 << TT_FOLD_NEAR_BITS], each path in the place of its hash; NULL: not used so far */
	struct tt_guess guess;
	struct tt_link *last;         /* in there: of the whole zone counted last; NULL: none */
	struct tt_link *last_alloc;   /* of the allocation counted last in a zone */
	struct tt_level *lvl;         /* of the present chunk: those of `at` */
	size_t caplvl;
	struct tt_kept kept[TT_FOLD_KEPT + 1], *at;   /* the first is for stacks that are not deep */
	uint64_t uses;
	struct tt_trail *trail;
	size_t ntrail, captrail;
	enum tt_node_kind root;       /* of the trail */
	uint64_t above;               /* hash of what that is below */
	struct tt_count *late;        /* of the last sample, which is not counted in it yet; NULL: none */
	uint64_t chunk;               /* how many were begun */
	struct tt_thrown { int64_t since, end; struct tt_level l; bool cut; } *thrown;   /* exceptions of this chunk, by their pieces so far */
	size_t nthrown, capthrown;
	struct tt_met met[TT_FOLD_MET];
	size_t frame;                 /* that the last allocation fell into */
	size_t zone_frame;            /* that the last zone began in, with TT_NEEDS_BY_FRAME */
	struct tt_span zone_time;     /* its time */
	struct tt_span in_frame;      /* the same, if the chunk at hand has it and it is looked at; else none */
	struct tt_fold_sum sum[TT_FOLD_SUMS];
	bool steps;                   /* of the chunk at hand it matters whose zones steps of flows are: flow_steps.c */
	bool begun;                   /* ... and a zone has begun in it */
	struct tt_own { int64_t end; uint64_t key; } *own;    /* ... of each level: INT64_MAX where the end is not in sight */
	uint32_t *next;               /* ... and steps that belong to the next zone: their events */
	size_t capown, nnext, capnext;
	bool rest;                    /* what ends now has no end of its own: it is cut by a zone around it, the end of the capture, or a loss */
};

/* The fold's input and output for one chunk. */
struct tt_fold_io {
	const struct tt_batch *b;
	const struct tt_thread *thread;
	const struct tt_capture *cap;
	struct tt_stack base;         /* copy of the thread's stack before the chunk; used up */
	struct tt_over over;
	struct tt_slice *slice;       /* with TT_NEEDS_SLICES */
	size_t nslice, capslice;
	struct tt_begun *begun;       /* with TT_NEEDS_SLICES */
	size_t nbegun, capbegun;
	struct tt_args *args;         /* of some of those */
	size_t nargs, capargs;
	struct tt_args_kept *ended;   /* which zones that end in this chunk brought along; owned */
	uint32_t *site;               /* with TT_NEEDS_SITES, of each throw, lock and handle event, in order: the node of its recorded stack,
	                                 else of the zones open on its thread; before the commit maybe TT_OVER | index */
	size_t nsite, capsite;
	uint32_t *left;               /* with TT_NEEDS_SLICES: steps of flows whose own zone is left out, their events in order */
	size_t nleft, capleft;
	bool first_left;              /* ... the first zone that begins in the chunk is left out, by what is not in its name */
	struct tt_frame_path *sum;    /* with TT_NEEDS_BY_FRAME: of frames and paths; before the commit a node may be TT_OVER | index */
	size_t nsum, capsum;
	bool calls;                   /* there are zones of the producer's own in it */
	bool skipped;                 /* the filter does not want this thread */
};

int tt_fold_chunk(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Only the stack samples in it: they belong to other threads than the chunk. */
int tt_fold_samples(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Close the zones still open at the end of the capture: the zones of the thread's stack, at its last stack event. */
int tt_fold_rest(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Commit stage: give the chunk's new paths their numbers, also among its sites, and add their counts to ${counts}. */
int tt_fold_commit(struct tt_fold_io *io, struct tt_tree *tree, struct tt_counts *counts, uint32_t process, struct tt_err *err);

void tt_fold_free(struct tt_fold *f);
void tt_fold_io_free(struct tt_fold_io *io, struct tt_mem *mem);

#endif
