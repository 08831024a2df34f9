/**
 * Collectors: what a run keeps of events beside the call tree, one collector for each noun.
 *
 * The commit stage hands every chunk to tt_collect_chunk() in file order, and each collector sees the events of the kinds that it names. It knows the model
 * and its own state, never the run. Its results begin its state, as a struct of its header: the function of the struct's name gives that of a model, all zero
 * where nothing was collected.
 *
 * File order is time order within a thread, not across threads. A collector that joins what several threads do asks for its events in the order of time
 * (in_time): it gets them after the last chunk, by way of collect/time_order.h. Order left to the file happens on one thread, is sorted when all is there, or
 * comes after a flush of all threads, as what Mono's own profiler writes after a collection since data version 13.
 */
#ifndef TT_COLLECT_COLLECT_H
#define TT_COLLECT_COLLECT_H

#include "collect/collected.h"
#include "model/capture.h"
#include "model/defs.h"

struct tt_find;
struct tt_model;
struct tt_time_order;

/* The run's collectors, and the chunk being committed; or, after the last one, an event out of their time's order. */
struct tt_collecting {
	struct tt_model *m;
	struct tt_mem *mem;
	const struct tt_filter *filter;       /* the model's */
	unsigned needs;
	const struct tt_find *find;   /* with TT_NEEDS_FOUND */
	size_t buckets;               /* of the timeline; 0: TT_TIMELINE_BUCKETS */
	bool alias;                   /* class keys were reused: tell them apart by time */

	struct tt_capture *cap;
	const struct tt_batch *b;
	const struct tt_thread *t;
	const uint32_t *site;         /* paths of its events that have one, in order */
	size_t nsite;
	bool skipped;                 /* the filter does not want the thread */
	uint32_t node;                /* the path where the event at hand happened; 0: not known */

	uint16_t wanted[TT_KINDS];    /* by kind of event: bits of the collectors that want it */
	uint64_t kinds;               /* TT_KIND() of those that some want */
	uint16_t open;                /* those that are begun and not released */
	uint16_t in_time;             /* those that want events in the order of time */
	struct tt_time_order *order;  /* these events; a part's are the whole's; NULL where no collector wants them */
	bool all;                     /* some want events that are not rare */
};


struct tt_collector {
	const char *name;
	size_t size;                  /* of its state, which begins with what it gives */
	unsigned needs;               /* the bit of tt_needs that switches it on; 0: always on */
	uint64_t kinds;               /* of events */
	bool in_time;                 /* these come after the last chunk, in the order of time; of their words see collect/time_order.h */
	/* The state is zero; one that is begun is freed, whatever became of it. NULL: nothing to do. */
	int (*begin)(const struct tt_collecting *c, void *state, struct tt_err *err);
	int (*event)(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err);
	int (*finish)(const struct tt_collecting *c, void *state, struct tt_err *err);        /* after the last event */
	void (*release)(struct tt_model *m, void *state);       /* give back what only events need; once */
	void (*free)(struct tt_model *m, void *state);        /* the rest */
};

extern const struct tt_collector tt_collector_counters, tt_collector_gc, tt_collector_counts, tt_collector_cover, tt_collector_contention,
    tt_collector_exceptions, tt_collector_code, tt_collector_heap_shots, tt_collector_heap_graph, tt_collector_object_search, tt_collector_timeline,
    tt_collector_finalizers, tt_collector_handles, tt_collector_by_frame;

/* --- for the run ------------------------------------------------------------------------------ */

/* Begin all that ${c}->needs asks for. The results of an earlier reading are dropped. */
int tt_collect_begin(struct tt_collecting *c, struct tt_err *err);

/*
 * All events of the chunk in ${c}. Its counters become values in place. Events that are wanted in the order of time go to ${c}->order, unless ${c} is that of
 * a part: then the whole has kept them.
 */
int tt_collect_chunk(struct tt_collecting *c, struct tt_err *err);

/* No more chunks come: what is wanted in the order of time is handed on, and each collector finishes. A part after its whole. */
int tt_collect_finish(struct tt_collecting *c, struct tt_err *err);

/* No more events come, for parts neither. Collected results stay with the model. */
void tt_collect_release(struct tt_collecting *c);

void tt_collect_free(struct tt_model *m);

/* --- for collectors ----------------------------------------------------------------------------- */

static inline bool
tt_collect_in_time(const struct tt_collecting *c, const struct tt_event *e)
{
	return tt_filter_has(c->filter, e->ts);
}

/* True if the event is in the time and on a thread that the filter wants. */
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
 * True if a collection begins with the event. If cap->old_roots, the roots that its thread records from here on belong to the shot that the collection makes,
 * if it makes one: the shot begins only after them.
 */
static inline bool
tt_collect_new_roots(const struct tt_event *e)
{
	return e->kind == TT_GC && (e->val == TT_GC_PRE_STOP || e->val == TT_GC_START);
}

#endif
