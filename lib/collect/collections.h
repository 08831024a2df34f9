/**
 * Collections of garbage: how many, the pauses for them, the size of the heap, objects moved.
 *
 * Always collected; read by the passes "gc", "frames", "threads" and "timeline", the gate and batch.
 */
#ifndef TT_COLLECT_COLLECTIONS_H
#define TT_COLLECT_COLLECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"

/*
 * A stop of the world: asked for at start, complete at stopped, over at end. All three are clipped to the filter's time; a pause that begins before
 * that has begins = false: its time counts, but not as a pause.
 */
struct tt_pause { int64_t start, stopped, end; uint32_t thread, process; bool has_begin, is_full; }; /* full: for a collection of an older generation than 0 */

struct tt_gc_stat {                   /* collections of one generation, start to end */
	uint64_t n;
	int64_t total, max;
};

enum { TT_GENERATIONS = 8 };          /* the last is for all further ones */
struct tt_gc_thread { uint32_t thread; struct tt_gc_stat gen[TT_GENERATIONS]; };   /* collections that one thread triggered */

struct tt_heap_point { int64_t ts; uint64_t bytes; };

struct tt_gc {
	struct tt_pause *pause;       /* by time */
	size_t npause, cappause;
	uint64_t npauses_all;         /* number of all pauses, listed or not */
	bool has_pause;               /* true: the capture has a complete pause, in the filter or not */
	int64_t pause_total, pause_max;       /* start to end */
	int64_t stopped_total, stopped_max;   /* stopped to end */
	struct tt_gc_stat gen[TT_GENERATIONS];        /* by generation; like the totals above, on the threads that the filter wants */
	struct tt_gc_thread *thread;
	size_t nthread, capthread;
	uint64_t nheap_resizes, heap_max, heap_last, nmoves;
	struct tt_heap_point *heap;   /* resizes by time: all; if more than 65,536, every 2nd, 4th, 8th ... and the last */
	size_t nheap, capheap;
	int64_t *stopped_ns;          /* by thread: ns between its first and last event in which another thread had stopped the world */
	size_t nstopped_ns;
};

TT_COLLECTED_AS(tt_gc, TT_COLLECTS_GC);

/* True if pauses are known. Unity records collections, but not when threads were stopped: its pauses are unknown, not 0. */
bool tt_knows_pauses(const struct tt_model *m);

/* Add to ${pause}, by place in the model's frames, the time of each frame in which the world was stopped, or was being stopped. */
void tt_gc_pause_of_frames(const struct tt_model *m, int64_t *pause);

/* True if collections are known: the capture has some, or the recorder was asked for them. */
bool tt_knows_collections(const struct tt_model *m);

#endif
