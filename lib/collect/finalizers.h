/**
 * Finalizers: of single objects, and runs of the finalizer thread over its queue.
 *
 * Collected with TT_NEEDS_FINALS; read by the pass "finalizers" and the gate. The capture does not say of
 * which class a finalized object is. With TT_NEEDS_OBJECTS it is looked for: the allocation of an object, or a heap shot
 * that lists it, gives the object at an address; a move gives its new address.
 */
#ifndef TT_COLLECT_FINALIZERS_H
#define TT_COLLECT_FINALIZERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/collected.h"
#include "stat/tally.h"

/* Finalizers of one class on one thread, or its runs. */
struct tt_final {
	uint64_t key;                 /* of the class; 0: not known, or runs */
	uint32_t process, thread;
	bool object;                  /* of objects; else runs */
	uint64_t n;                   /* begun, or ended without a recorded begin */
	struct tt_times times;        /* begun and ended; their histogram has the id of its place */
};

struct tt_finalizers {
	struct tt_final *f;
	size_t n, cap;
	struct tt_map at;             /* places in f */
	struct tt_tally hist;
	uint64_t objects;             /* as tt_final.n, in all */
	uint64_t untimed;             /* of these, ended without a recorded begin: Mono 4.6 records ends alone */
	struct tt_times run, object;  /* begun and ended, in all */
	bool typed;                   /* classes were looked for */
	bool moves;                   /* the capture has moves */
	uint64_t forgotten;           /* times that all objects were forgotten, because they were too many */
};

TT_COLLECTED_AS(tt_finalizers, TT_COLLECTS_FINALS);

#endif
