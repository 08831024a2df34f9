/**
 * Counts events by time.
 */
#include "collect/collect.h"
#include "model/model.h"
#include "collect/timeline.h"

struct timeline {
	struct tt_timeline out;
	struct waits { int64_t ts; bool is_waiting; } *wait;  /* by thread */
	size_t nwait;
};

/* The prepass has found the first and the last event. */
struct tt_timeline
tt_timeline_of(const struct tt_model *m, size_t n)
{
	const struct tt_filter *f = &m->filter;

	return (struct tt_timeline){ .from = f->from > m->min_ts ? f->from : m->min_ts, .to = f->to <= m->max_ts ? f->to : m->max_ts + 1,
		.n = n ? n : TT_TIMELINE_BUCKETS };
}

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct tt_timeline *t = state;

	*t = tt_timeline_of(c->m, c->buckets);
	/* If the filter's time is before or after all events, use an empty moment inside it. */
	if (t->to <= t->from && t->from > c->m->filter.from)
		t->from = t->to - 1;
	if (t->to <= t->from)
		t->to = t->from + 1;
	t->bucket = tt_mem_alloc(c->mem, t->n * sizeof *t->bucket, err);
	return t->bucket ? TT_OK : err->code;
}

/* Count waits in the bucket in which they begin. */
static int
monitor(const struct tt_collecting *c, struct timeline *s, const struct tt_event *e, struct tt_bucket *b, struct tt_err *err)
{
	struct tt_timeline *t = &s->out;
	int rc = tt_mem_grow(c->mem, &s->wait, &s->nwait, c->t->index + 1, sizeof *s->wait, err);

	if (rc != TT_OK)
		return rc;
	struct waits *w = &s->wait[c->t->index];
	if (e->depth == TT_MONITOR_CONTEND) {
		*w = (struct waits){ e->ts, b != NULL };
		if (b)
			b->contended++;
	} else if (w->is_waiting) {
		w->is_waiting = false;
		t->bucket[tt_timeline_at(t, w->ts)].wait_ns += e->ts > w->ts ? e->ts - w->ts : 0;
	}
	return TT_OK;
}

/* False for the runtime's own steps of an allocation, which are no calls of the program; tables of calls leave them out, too. */
static bool
is_shown(const struct tt_collecting *c, uint64_t key)
{
	const struct tt_name *n = !c->m->filter.wrappers && tt_model_may_wrap(c->m, key) ? tt_model_key(c->m, c->cap->process, key) : NULL;

	return !n || !n->is_alloc_wrapper;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct tt_timeline *t = state;
	struct tt_bucket *b = NULL;

	if (e->ts >= t->from && e->ts < t->to && tt_collect_in_time(c, e))
		b = &t->bucket[tt_timeline_at(t, e->ts)];
	if (e->kind == TT_MONITOR)
		return c->skipped ? TT_OK : monitor(c, state, e, b, err);
	if (!b)
		return TT_OK;
	/* Several threads collect, and events of different threads are not in order of time in the file. */
	if (e->kind == TT_GC_HEAP && (!b->has_heap || e->ts >= b->heap_ts)) {
		b->heap_b = e->val;
		b->heap_ts = e->ts;
		b->has_heap = true;
	}
	if (e->kind == TT_SAMPLE)
		b->samples += tt_collect_keeps(c, tt_sample_thread(e));
	if (c->skipped)
		return TT_OK;
	switch (e->kind) {
	case TT_ZONE:
	case TT_ZONE_BEGIN:
		b->calls += tt_event_calls(e) && is_shown(c, e->val);
		break;
	case TT_ALLOC:
		b->allocs += tt_alloc_count(e);
		b->alloc_b += (int64_t)tt_alloc_bytes(e);
		break;
	case TT_GC:
		b->collections += e->val == TT_GC_START;
		break;
	case TT_GC_MOVE:
		b->moves += e->val;
		break;
	case TT_THROW:
		b->throws++;
		break;
	case TT_HANDLE:
		b->handles += !(e->flags & TT_F_END);
		break;
	default:
		break;
	}
	return TT_OK;
}

static void
release(struct tt_model *m, void *state)
{
	struct timeline *s = state;

	tt_mem_free(&m->env->mem, s->wait, s->nwait * sizeof *s->wait);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_timeline *t = state;

	tt_mem_free(&m->env->mem, t->bucket, t->n * sizeof *t->bucket);
}

const struct tt_collector tt_collector_timeline = {
	.name = "timeline", .size = sizeof(struct timeline), .needs = TT_NEEDS_TIMELINE,
	.kinds = TT_KIND(TT_ZONE) | TT_KIND(TT_ZONE_BEGIN) | TT_KIND(TT_ALLOC) | TT_KIND(TT_GC) | TT_KIND(TT_GC_HEAP) | TT_KIND(TT_GC_MOVE) |
	    TT_KIND(TT_THROW) | TT_KIND(TT_HANDLE) | TT_KIND(TT_SAMPLE) | TT_KIND(TT_MONITOR),
	.begin = begin, .event = event, .release = release, .free = free_all,
};
