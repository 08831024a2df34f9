/**
 * Collectors of infrequent events: locks, exceptions and more. Private to lib/run.
 *
 * Each collector sees the events of a chunk in the commit stage, in file order, and fills a part of the model. A bit of the needs
 * switches it on.
 *
 * File order is time order within a thread. Across threads it holds where it matters here: since data version 13 Mono
 * flushes all threads when it stops the world, so events before a move come before it in the file. Exceptions to this are
 * noticed and counted (late).
 */
#ifndef TT_RUN_COLLECTORS_H
#define TT_RUN_COLLECTORS_H

#include "model/objects.h"
#include "run/state.h"

/* The chunk being committed. */
struct tt_gathering {
	struct tt_run *r;
	struct tt_input *in;
	const struct tt_fold_io *io;
	const struct tt_batch *b;
	const struct tt_thread *t;
	size_t site;                  /* of the event at hand, where it has one */
};

/* Is the event in the time and on a thread that the filter wants? */
static inline bool
tt_gather_wanted(const struct tt_gathering *g, const struct tt_event *e)
{
	return !g->io->skipped && tt_run_in_time(g->r, e->ts);
}

/*
 * Does a collection begin with the event? Where cap->old_roots, the roots that its thread records from here on are of
 * the shot that the collection makes, if it makes one: the shot begins only after them.
 */
static inline bool
tt_gather_new_roots(const struct tt_event *e)
{
	return e->kind == TT_GC && (e->val == TT_GC_PRE_STOP || e->val == TT_GC_START);
}

int tt_gather_locks_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
int tt_gather_locks_finish(struct tt_run *r, struct tt_err *err);
void tt_gather_locks_free(struct tt_run *r);

int tt_gather_code_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);

int tt_gather_shots_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
void tt_gather_shots_free(struct tt_run *r);

/* The index in tt_shots of class key ${key}. */
int tt_gather_class(struct tt_gathering *g, uint64_t key, int64_t ts, uint32_t *class, struct tt_err *err);

int tt_gather_graph_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
int tt_gather_graph_finish(struct tt_run *r, struct tt_err *err);
void tt_gather_graph_free(struct tt_run *r);

int tt_gather_found_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
void tt_gather_found_free(struct tt_run *r);

int tt_gather_timeline_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
void tt_gather_timeline_free(struct tt_run *r);

int tt_gather_handles_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
void tt_gather_handles_free(struct tt_run *r);

int tt_gather_finals_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
void tt_gather_finals_free(struct tt_run *r);

int tt_gather_throws_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
void tt_gather_throws_free(struct tt_run *r);

#endif
