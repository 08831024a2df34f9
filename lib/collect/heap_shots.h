/**
 * Heap shots: the objects of each class in each shot, and the largest objects of the last one.
 *
 * Collected with TT_NEEDS_SHOTS; read by the passes "heapshot" and "heapgraph" and the gate. All threads are stopped during a shot,
 * so there is one at a time, all of it on one thread.
 */
#ifndef TT_COLLECT_HEAP_SHOTS_H
#define TT_COLLECT_HEAP_SHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"
#include "model/heap.h"

struct tt_event;
struct tt_collecting;
struct tt_err;

struct tt_shot_class {                /* one class in one shot */
	uint32_t class;               /* index into tt_heap_shots.key */
	uint32_t more;
	uint64_t n, bytes, refs;
	uint64_t roots;               /* references from roots to its objects; only if the shot has roots_known */
};

struct tt_shot {
	int64_t ts;
	uint32_t process;
	bool complete, kept;          /* complete: its end was read; kept: its classes are kept */
	bool roots_known;             /* true: roots are counted by class: with TT_NEEDS_ROOTS, if there was memory for the graph */
	uint64_t n, bytes, refs, more, roots;
	size_t nclass;                /* number of its classes */
	size_t first;                 /* index of its first class in tt_heap_shots.cell; only if kept */
};

enum { TT_SHOTS_MAX = 1 << 16, TT_SHOT_CELLS_MAX = 1 << 20 };

struct tt_heap_shots {
	struct tt_shot *shot;         /* in file order */
	size_t n, cap;
	uint64_t dropped;             /* shots beyond TT_SHOTS_MAX */
	struct tt_shot_class *cell;
	size_t ncell, capcell;
	uint64_t *key;                /* key of each class met; its process is in key_process */
	uint32_t *key_process;
	size_t nkey, capkey, capkey_process;
	struct tt_heap_big big[TT_HEAP_BIGGEST];      /* of the last complete shot */
	size_t nbig;
	uint64_t stray;               /* objects outside any shot */
	bool met;                     /* true: there is a record of a shot, or of roots */
};

TT_COLLECTED_AS(tt_heap_shots, TT_COLLECTS_SHOTS);

/* For other collectors: *${class} is the index in tt_heap_shots of class key ${key} at event ${e}. */
int tt_heap_shots_class(const struct tt_collecting *c, const struct tt_event *e, uint64_t key, uint32_t *class, struct tt_err *err);

#endif
