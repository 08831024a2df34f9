/**
 * Counts events by kind, and what captures unload.
 */
#include "collect/collect.h"
#include "model/model.h"
#include "collect/event_counts.h"

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct tt_event_counts *n = state;
	bool in = tt_collect_in_time(c, e);

	(void)err;
	if (e->kind == TT_META && e->depth < TT_DEF_KINDS && !c->m->part_of)
		c->cap->unloaded[e->depth]++;
	n->throws += in && e->kind == TT_THROW;
	n->contended += in && e->kind == TT_MONITOR && e->depth == TT_MONITOR_CONTEND;
	n->samples += in && e->kind == TT_SAMPLE;
	return TT_OK;
}

const struct tt_collector tt_collector_counts = {
	.name = "event counts", .size = sizeof(struct tt_event_counts),
	.kinds = TT_KIND(TT_THROW) | TT_KIND(TT_MONITOR) | TT_KIND(TT_SAMPLE) | TT_KIND(TT_META),
	.event = event,
};
