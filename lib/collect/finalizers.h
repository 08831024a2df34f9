/**
 * Finalizers: of single objects, and runs of the finalizer thread over its queue.
 *
 * Collected with TT_NEEDS_FINALS; read by the pass "finalizers" and the gate. The capture does not say the
 * class of a finalized object. With TT_NEEDS_OBJECTS it is found by address: an allocation, or a heap shot, tells which
 * object is at an address; a move tells its new address.
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
	uint64_t key;                 /* key of the class; 0: not known, or runs */
	uint32_t process, thread;
	bool is_of_objects;           /* true: finalizers of objects; false: runs over the queue */
	uint64_t n;                   /* finalizers begun, or ended without a recorded begin */
	struct tt_times times;        /* durations of those begun and ended; their histogram's id is the index in f */
};

struct tt_finalizers {
	struct tt_final *f;
	size_t n, cap;
	struct tt_map final_index;    /* index in f by class and thread */
	struct tt_tally hist;
	uint64_t nobjects;            /* sum of tt_final.n of objects */
	uint64_t nuntimed;            /* finalizers without a recorded begin: Mono 4.6 records only ends */
	struct tt_times run, object;  /* durations of all begun and ended */
	bool has_classes;             /* true: classes of objects were searched for */
	bool has_moves;               /* true: the capture records moves of objects */
	uint64_t nforgets;            /* how often all objects were forgotten, because there were too many */
};

TT_COLLECTED_AS(tt_finalizers, TT_COLLECTS_FINALS);

#endif
