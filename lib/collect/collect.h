/**
 * Collectors: what a run keeps of events beside the call tree, one collector for each noun.
 *
 * The commit stage hands every chunk to tt_collect_chunk() in file order, and each collector sees the events of the kinds that it names. It knows the model
 * and its own state, never the run. Its state begins with its results, a struct of its header; the function with the struct's name returns the results of a
 * model, all zero if nothing was collected.
 *
 * File order is time order within a thread, not across threads. A collector that joins events of several threads asks for them in the order of time
 * (in_time): it gets them after the last chunk, from collect/time_order.h. File order is enough for events of one thread, for results that are sorted at the
 * end, and for records after a flush of all threads, which Mono's own profiler writes after a collection since data version 13.
 */
#ifndef TT_COLLECT_COLLECT_H
#define TT_COLLECT_COLLECT_H

#include "collect/collected.h"
#include "model/capture.h"
#include "model/defs.h"

struct tt_find;
struct tt_model;
struct tt_time_order;

/* The run's collectors, and the chunk being committed; after the last chunk, the event handed out in the order of time. */
struct tt_collecting {
	struct tt_model *m;
	struct tt_mem *mem;
	const struct tt_filter *filter;       /* the model's */
	unsigned needs;
	const struct tt_find *find;   /* with TT_NEEDS_FOUND */
	size_t buckets;               /* of the timeline; 0: TT_TIMELINE_BUCKETS */
	bool alias;                   /* true: class keys were reused and are told apart by time */

	struct tt_capture *cap;
	const struct tt_batch *b;
	const struct tt_thread *t;
	const uint32_t *site;         /* paths of the chunk's events that have one, in order */
	size_t nsite;
	bool skipped;                 /* true: the filter leaves out the thread */
	uint32_t node;                /* the path where the event at hand happened; 0: not known */

	uint16_t wanted[TT_KINDS];    /* by kind of event: a bit for each collector that wants it */
	uint64_t kinds;               /* TT_KIND() of all kinds that some collector wants */
	uint16_t open;                /* bits of the collectors that are begun and not released */
	uint16_t in_time;             /* bits of the collectors that want events in the order of time */
	struct tt_time_order *order;  /* these events; a part uses the whole's; NULL if no collector wants any */
	bool all;                     /* true: some collector wants events that are not rare */
};


struct tt_collector {
	const char *name;
	size_t size;                  /* size of its state, which begins with its results */
	unsigned needs;               /* the bit of tt_needs that switches it on; 0: always on */
	uint64_t kinds;               /* TT_KIND() of the events it wants */
	bool in_time;                 /* true: its events come after the last chunk, in the order of time, with few of their words: collect/time_order.h */
	/* Begin with a zeroed state. A state that was begun is always freed, also after an error. NULL: nothing to do. */
	int (*begin)(const struct tt_collecting *c, void *state, struct tt_err *err);
	int (*event)(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err);
	int (*finish)(const struct tt_collecting *c, void *state, struct tt_err *err);        /* after the last event */
	void (*release)(struct tt_model *m, void *state);       /* free what only events need; called once */
	void (*free)(struct tt_model *m, void *state);        /* free the rest */
};

extern const struct tt_collector tt_collector_counters, tt_collector_gc, tt_collector_counts, tt_collector_cover, tt_collector_contention,
    tt_collector_exceptions, tt_collector_code, tt_collector_heap_shots, tt_collector_heap_graph, tt_collector_object_search, tt_collector_timeline,
    tt_collector_finalizers, tt_collector_handles, tt_collector_by_frame;

/* --- for the run ------------------------------------------------------------------------------ */

/* Begin all collectors that ${c}->needs asks for. Drops the results of an earlier reading. */
int tt_collect_begin(struct tt_collecting *c, struct tt_err *err);

/*
 * Collect all events of the chunk in ${c}. Differences of counters become values in place. Events that are wanted in the order of time go to ${c}->order,
 * except for a part, whose whole has kept them.
 */
int tt_collect_chunk(struct tt_collecting *c, struct tt_err *err);

/* After the last chunk: hand out the events wanted in the order of time, and finish each collector. Call for a part after its whole. */
int tt_collect_finish(struct tt_collecting *c, struct tt_err *err);

/* Release what only events need, after all events of the whole and its parts. Results stay with the model. */
void tt_collect_release(struct tt_collecting *c);

void tt_collect_free(struct tt_model *m);

/* --- for collectors ----------------------------------------------------------------------------- */

static inline bool
tt_collect_in_time(const struct tt_collecting *c, const struct tt_event *e)
{
	return tt_filter_has(c->filter, e->ts);
}

/* True if the filter wants the event's time and thread. */
static inline bool
tt_collect_wanted(const struct tt_collecting *c, const struct tt_event *e)
{
	return !c->skipped && tt_collect_in_time(c, e);
}

/* True if the filter wants the thread. */
bool tt_collect_keeps(const struct tt_collecting *c, uint64_t thread);

/* The class that key ${key} means at the event. */
static inline uint64_t
tt_collect_class(const struct tt_collecting *c, const struct tt_event *e, uint64_t key)
{
	return c->alias ? tt_defs_alias(c->cap->defs, key, e->ts - c->cap->offset_ns) : key;
}

/*
 * True if a collection begins with the event. With cap->old_roots, roots that its thread records from then on belong to the heap shot that this collection
 * makes, if any, which begins only after them.
 */
static inline bool
tt_collect_new_roots(const struct tt_event *e)
{
	return e->kind == TT_GC && (e->val == TT_GC_PRE_STOP || e->val == TT_GC_START);
}

#endif
