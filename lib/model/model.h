/**
 * What one run over the input(s) has learnt: everything passes report from.
 *
 * Built by run/run.h; read-only afterwards. Text is looked up here, at report time.
 */
#ifndef TT_MODEL_MODEL_H
#define TT_MODEL_MODEL_H

#include "base/env.h"
#include "model/capture.h"
#include "model/code.h"
#include "model/cover.h"
#include "model/filter.h"
#include "model/finalizers.h"
#include "model/object_search.h"
#include "model/frames.h"
#include "model/graph.h"
#include "model/handles.h"
#include "model/contention.h"
#include "model/exceptions.h"
#include "model/timeline.h"
#include "model/tree.h"

/* A stop of the world: asked for at start, every thread is stopped from stopped on, and all run again at end. */
struct tt_pause { int64_t start, stopped, end; uint32_t thread, process; };

struct tt_gc_stat {                   /* collections of one generation, start to end */
	uint64_t n;
	int64_t total, max;
};

struct tt_gc_thread { uint32_t thread; struct tt_gc_stat gen[8]; };   /* collections that one thread triggered */

struct tt_heap_point { int64_t ts; uint64_t bytes; };

/*
 * One counter of one process. A number that is given to another counter starts a new one. Integers are exact:
 * signed, or modulo 2^64 where the type is unsigned.
 */
struct tt_counter_stat {
	uint32_t process;
	uint64_t id;
	const struct tt_def *def;     /* what it is; NULL: not described */
	uint64_t n;                   /* values in the filter's time */
	int64_t first_ts, last_ts;
	uint8_t type;                 /* enum tt_type of its values */
	union tt_counter_value { int64_t i; uint64_t u; double d; } first, last, min, max;
	double sum;                   /* over all samplings, those included that left it out as unchanged */
	uint64_t nsum;
	uint64_t tick;                /* the last sampling in sum */
	bool custom;
	uint64_t bits;                /* the last value, also outside the filter's time: deltas go on from it */
	char *text;                   /* last value of a text counter */
	size_t captext;
};

/* A value of a counter; kept with TT_NEEDS_POINTS. */
struct tt_counter_point { int64_t ts; uint32_t counter; union tt_counter_value v; };

#define TT_CANDIDATES 5

struct tt_model {
	struct tt_env *env;
	struct tt_capture **cap;
	size_t ncap;
	struct tt_threads threads;
	struct tt_tree *tree;
	struct tt_counts *counts;     /* of all workers */
	struct tt_filter filter;
	bool *keep_thread;            /* by thread index; NULL: all */
	/* With TT_NEEDS_CANDIDATES: markers that may begin frames, the likeliest first, from the beginning of the capture. */
	struct tt_candidate {
		const char *full;
		const struct tt_thread *thread;
		uint64_t begins;      /* as far as was looked */
		int64_t every, spread;        /* mean and standard deviation of the time from one begin to the next */
		int64_t share_e4;     /* of the thread's time, in 1/10000 */
	} candidate[TT_CANDIDATES];
	size_t ncandidate;
	struct tt_frames *frames;     /* NULL: no frame marks, or none of frame_marker */
	const char *frame_marker;     /* glob; NULL: frames are those of the capture */
	struct tt_loss *loss;
	int64_t min_ts, max_ts;
	size_t npath;
	uint64_t zones_expected;      /* zones and allocations as the prepass counted; 0 without one */

	struct tt_pause *pause;       /* by time */
	size_t npause, cappause;
	uint64_t pause_n;             /* all of them, listed or not */
	bool pauses;                  /* there is a whole one, wanted or not */
	int64_t pause_total, pause_max;       /* start to end */
	int64_t stopped_total, stopped_max;   /* stopped to end */
	struct tt_gc_stat gen[8];     /* these and the totals above: on the threads that the filter wants */
	struct tt_gc_thread *gc_thread;
	size_t ngc_thread, capgc_thread;
	uint64_t heap_resizes, heap_max, heap_last, moves;
	struct tt_heap_point *heap;   /* resizes by time, thinned out over 65,536 */
	size_t nheap, capheap;

	/* totals of rare events; the first and the last are named in tt_model_zero_counts() */
	uint64_t throws, clauses[5];
	uint64_t contended, acquired, contend_failed;
	uint64_t samples, samples_managed;
	uint64_t handles[4][2];       /* [kind][created, destroyed] */
	uint64_t finalized, heap_shots, heap_objects, heap_object_bytes, coverage_records, syncs, jit_records;

	struct tt_cover *cover;       /* NULL without TT_NEEDS_COVERAGE */

	struct tt_locks *locks;       /* with TT_NEEDS_LOCKS, where there is any event: model/contention.h */

	struct tt_throws *thrown;     /* with TT_NEEDS_THROWS: model/exceptions.h */

	struct tt_code *code;         /* with TT_NEEDS_CODE: model/code.h */

	struct tt_shots *shots;       /* with TT_NEEDS_SHOTS, where there is any event: model/heap.h */

	struct tt_handles *handles_of;        /* with TT_NEEDS_HANDLES, where there is any event: model/handles.h */

	struct tt_finals *finals;     /* with TT_NEEDS_FINALS, where there is any event: model/finalizers.h */

	struct tt_graph *graph;       /* with TT_NEEDS_GRAPH, where there is any event: model/graph.h */

	struct tt_found_all *found;   /* with TT_NEEDS_FOUND, where there is any event: model/object_search.h */

	struct tt_timeline *timeline; /* with TT_NEEDS_TIMELINE, where there is any event: model/timeline.h */

	struct tt_counter_stat *counter;
	size_t ncounter, capcounter;
	uint64_t counter_dropped;     /* values of counters beyond the first 65,536 */
	struct tt_counter_point *point;       /* in file order, at most 4 million */
	size_t npoint, cappoint;
	uint64_t point_dropped;

	/* per dense marker number, made by tt_model_resolve() */
	struct tt_name {
		const char *full;     /* "Namespace.Class:Method (args)" */
		const char *shown;    /* by --names */
		const char *apart;    /* where another marker is shown alike, with what tells them apart: tt_model_tell_apart(); or NULL */
		uint32_t category;    /* category number */
		bool alloc_wrapper;   /* the runtime's: stripped unless filter.wrappers */
		bool known;           /* a definition was found */
		bool wanted;          /* chosen by --marker and --category */
		bool left_out;        /* it waits, and waiting is left out: its zones are not shown */
		const char *const *arg;       /* names of its zones' first arguments, NULL-terminated, or NULL; "" is no name */
		const char *const *arg_instant;       /* ... of its instants' */
	} *name;
	size_t nname;
	struct tt_keys *keys;         /* name of every key defined or met: tt_model_key() */
	struct tt_category { const char *name; uint32_t rgba; } *category;    /* number -> name */
	size_t ncategory;
	struct tt_arena arena;        /* text made at report time */
};

enum tt_names_form { TT_NAMES_SHORT, TT_NAMES_FULL };

/**
 * tt_model_resolve(m, form, err):
 * Text for every marker and thread known so far, categories numbered in order of name (a category of
 * any definition counts, so numbers given after the definitions prepass stay). Repeatable; only when no worker
 * runs. Everything is in m->arena; text handed out earlier stays good.
 */
int tt_model_resolve(struct tt_model *m, enum tt_names_form form, struct tt_err *err);

/* The ${i}th of all names of markers, defined or met; its full is NULL where it has none. NULL: there are no more. */
const struct tt_name *tt_model_name_at(const struct tt_model *m, size_t i);

/* Give the names that are shown alike though they are of different markers an apart: with arguments, or in full where those are the same. */
int tt_model_tell_apart(struct tt_model *m, struct tt_err *err);

/* The name of the class of allocation key ${key} of ${process}; "(unknown class 0x...)" where undefined. */
const char *tt_model_class(const struct tt_model *m, uint32_t process, uint64_t key);

/* The name of a zone key while streaming (after the prepass). Any thread. */
const struct tt_name *tt_model_key(const struct tt_model *m, uint32_t process, uint64_t key);

/* Is instrumentation heavy enough that times are relative? Then the one line to say so, else NULL. */
const char *tt_model_caveat(const struct tt_model *m);

/* Are pauses known? Unity tells of collections, not of when the world stood still: then there is no 0 to print. */
bool tt_model_pauses(const struct tt_model *m);

/* Does a capture say that this kind of events (enum tt_records) was to be recorded? Then none of them is 0, else not known. */
bool tt_model_records(const struct tt_model *m, enum tt_records what);

/**
 * tt_model_unrecorded(m, what, a, err):
 * "finalizers were not recorded (record with finalization)", with the option of the producer that made the captures; without
 * it where it has none, or where the captures' producers differ in it. NULL: no memory.
 */
const char *tt_model_unrecorded(const struct tt_model *m, enum tt_records what, struct tt_arena *a, struct tt_err *err);

/* Are allocations, and collections, known: does the capture have any, or was the recorder asked for them? */
bool tt_model_knows_allocs(const struct tt_model *m);
bool tt_model_knows_collections(const struct tt_model *m);

#endif
