/**
 * Lists the collectors and calls each for the events it wants.
 */
#include "collect/collect.h"

#include "collect/time_order.h"
#include "model/model.h"

_Static_assert((int)TT_COLLECTS_ALL <= (int)TT_COLLECTED, "a collector has no place in the model");

static const struct tt_collector *const collectors[TT_COLLECTS_ALL] = {
	[TT_COLLECTS_COUNTERS] = &tt_collector_counters,
	[TT_COLLECTS_GC] = &tt_collector_gc,
	[TT_COLLECTS_COUNTS] = &tt_collector_counts,
	[TT_COLLECTS_COVER] = &tt_collector_cover,
	[TT_COLLECTS_LOCKS] = &tt_collector_contention,
	[TT_COLLECTS_THROWS] = &tt_collector_exceptions,
	[TT_COLLECTS_CODE] = &tt_collector_code,
	[TT_COLLECTS_SHOTS] = &tt_collector_heap_shots,
	[TT_COLLECTS_GRAPH] = &tt_collector_heap_graph,
	[TT_COLLECTS_FOUND] = &tt_collector_object_search,
	[TT_COLLECTS_TIMELINE] = &tt_collector_timeline,
	[TT_COLLECTS_FINALS] = &tt_collector_finalizers,
	[TT_COLLECTS_HANDLES] = &tt_collector_handles,
	[TT_COLLECTS_BY_FRAME] = &tt_collector_by_frame,
};

/* The needs of collectors that want events that are not rare. */
#define NEEDS_ALL (TT_NEEDS_OBJECTS | TT_NEEDS_TIMELINE)

int
tt_collect_begin(struct tt_collecting *c, struct tt_err *err)
{
	int rc = TT_OK;

	tt_collect_release(c);
	tt_collect_free(c->m);
	memset(c->wanted, 0, sizeof c->wanted);
	c->in_time = 0;
	c->kinds = 0;
	c->all = c->needs & NEEDS_ALL;
	c->filter = &c->m->filter;
	for (size_t k = 0; k < TT_COLLECTS_ALL && rc == TT_OK; k++) {
		const struct tt_collector *of = collectors[k];

		if (of->needs && !(c->needs & of->needs))
			continue;
		if (!(c->m->collected[k] = tt_mem_alloc(c->mem, of->size, err)))
			return err->code;
		rc = of->begin ? of->begin(c, c->m->collected[k], err) : TT_OK;
		c->open = (uint16_t)(c->open | 1u << k);
		c->in_time = (uint16_t)(c->in_time | (unsigned)of->in_time << k);
		c->kinds |= of->kinds;
		for (unsigned kind = 0; kind < TT_KINDS; kind++)
			c->wanted[kind] |= (uint16_t)((of->kinds >> kind & 1) << k);
	}
	return rc;
}

/* Hand ${e} to the collectors ${to}. */
static int
hand_to(const struct tt_collecting *c, unsigned to, struct tt_event *e, struct tt_err *err)
{
	int rc = TT_OK;

	for (; to && rc == TT_OK; to &= to - 1) {
		int k = __builtin_ctz(to);
		rc = collectors[k]->event(c, c->m->collected[k], e, err);
	}
	return rc;
}

int
tt_collect_chunk(struct tt_collecting *c, struct tt_err *err)
{
	/* The kinds of events that have a site, as in the fold. */
	const uint64_t sites = TT_KIND(TT_THROW) | TT_KIND(TT_MONITOR) | TT_KIND(TT_HANDLE) | (c->needs & TT_NEEDS_FOUND ? TT_KIND(TT_ALLOC) : 0);
	const struct tt_batch *b = c->b;
	const unsigned later = c->in_time;
	size_t n = c->all ? b->n : tt_batch_nrare(b, c->kinds), site = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_event *e = &b->ev[c->all ? i : b->rare[i]];
		unsigned wanted = c->wanted[e->kind];

		if (sites >> e->kind & 1) {
			c->node = site < c->nsite ? c->site[site] : 0;
			site++;
		}
		rc = hand_to(c, wanted & ~later, e, err);
		if (rc == TT_OK && wanted & later && !c->m->part_of)
			rc = tt_time_order_add(c->order, b, e, sites >> e->kind & 1 ? c->node : 0, c->skipped, err);
	}
	return rc;
}

/* Hand the next event in the order of time to its collectors. */
static int
timed(void *arg, struct tt_timed *of, const struct tt_batch *b, struct tt_err *err)
{
	struct tt_collecting *c = arg;

	c->b = b;
	c->cap = c->m->cap[of->process];
	c->t = c->m->threads.t[of->thread];
	c->node = of->node;
	c->skipped = of->skipped;
	return hand_to(c, c->wanted[of->e->kind] & c->in_time, of->e, err);
}

int
tt_collect_finish(struct tt_collecting *c, struct tt_err *err)
{
	int rc = c->in_time && !c->m->part_of ? tt_time_order_done(c->order, err) : TT_OK;

	if (rc == TT_OK && c->in_time)
		rc = tt_time_order_each(c->order, timed, c, err);
	for (size_t k = 0; k < TT_COLLECTS_ALL && rc == TT_OK; k++)
		if (c->m->collected[k] && collectors[k]->finish)
			rc = collectors[k]->finish(c, c->m->collected[k], err);
	return rc;
}

void
tt_collect_release(struct tt_collecting *c)
{
	for (size_t k = 0; k < TT_COLLECTS_ALL; k++)
		if (c->open >> k & 1 && collectors[k]->release)
			collectors[k]->release(c->m, c->m->collected[k]);
	c->open = 0;
	if (c->order && !c->m->part_of)
		tt_time_order_free(c->order);
}

void
tt_collect_free(struct tt_model *m)
{
	for (size_t k = 0; k < TT_COLLECTS_ALL; k++) {
		if (m->collected[k] && collectors[k]->free)
			collectors[k]->free(m, m->collected[k]);
		tt_mem_free(&m->env->mem, m->collected[k], collectors[k]->size);
		m->collected[k] = NULL;
	}
}

bool
tt_collect_keeps(const struct tt_collecting *c, uint64_t thread)
{
	return !c->m->keep_thread || c->m->keep_thread[thread];
}
