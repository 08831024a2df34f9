/**
 * Events counted by time; the model is in model/timeline.h.
 */
#include "model/timeline.h"

#include "run/collectors.h"

struct tt_gather_timeline {
	struct waits { int64_t ts; bool is; } *wait;          /* by thread */
	size_t nwait;
};

void
tt_timeline_free(struct tt_timeline *t)
{
	if (!t)
		return;
	tt_mem_free(t->mem, t->bucket, t->n * sizeof *t->bucket);
	tt_mem_free(t->mem, t, sizeof *t);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	const struct tt_filter *f = &r->m->filter;
	struct tt_timeline *t;

	if (r->timeline)
		return TT_OK;
	if (!(t = r->m->timeline = tt_mem_alloc(mem, sizeof *t, err)))
		return err->code;
	t->mem = mem;
	/* The prepass knows the first and the last event. */
	t->from = f->from > r->m->min_ts ? f->from : r->m->min_ts;
	t->to = f->to <= r->m->max_ts ? f->to : r->m->max_ts + 1;
	/* Before or after all events: a moment inside --time, in which nothing happens. */
	if (t->to <= t->from && t->from > f->from)
		t->from = t->to - 1;
	if (t->to <= t->from)
		t->to = t->from + 1;
	t->n = r->o->buckets ? r->o->buckets : TT_TIMELINE_BUCKETS;
	if (!(t->bucket = tt_mem_alloc(mem, t->n * sizeof *t->bucket, err)))
		return err->code;
	r->timeline = tt_mem_alloc(mem, sizeof *r->timeline, err);
	return r->timeline ? TT_OK : err->code;
}

/* Waits count where they begin. */
static int
monitor(struct tt_gathering *g, const struct tt_event *e, struct tt_bucket *b, struct tt_err *err)
{
	struct tt_gather_timeline *gt = g->r->timeline;
	struct tt_timeline *t = g->r->m->timeline;
	int rc = tt_mem_grow(&g->r->env->mem, &gt->wait, &gt->nwait, g->t->index + 1, sizeof *gt->wait, err);

	if (rc != TT_OK)
		return rc;
	struct waits *w = &gt->wait[g->t->index];
	if (e->depth == TT_MONITOR_CONTEND) {
		*w = (struct waits){ e->ts, b != NULL };
		if (b)
			b->contended++;
	} else if (w->is) {
		w->is = false;
		t->bucket[tt_timeline_at(t, w->ts)].wait_ns += e->ts > w->ts ? e->ts - w->ts : 0;
	}
	return TT_OK;
}

int
tt_gather_timeline_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	const bool *keep = g->r->m->keep_thread;
	int rc = begin(g->r, err);
	struct tt_timeline *t;
	struct tt_bucket *b = NULL;

	if (rc != TT_OK)
		return rc;
	t = g->r->m->timeline;
	if (e->ts >= t->from && e->ts < t->to && tt_run_in_time(g->r, e->ts))
		b = &t->bucket[tt_timeline_at(t, e->ts)];
	if (e->kind == TT_MONITOR)
		return g->io->skipped ? TT_OK : monitor(g, e, b, err);
	if (!b)
		return TT_OK;
	switch (e->kind) {
	case TT_ZONE:
	case TT_ZONE_BEGIN:
		b->calls += !g->io->skipped && e->val < TT_KEY_SPECIAL && !(e->flags & TT_F_CONT);
		break;
	case TT_ALLOC:
		b->allocs += !g->io->skipped;
		b->alloc_b += g->io->skipped ? 0 : e->flags & TT_F_WIDE ? e[1].ts : (int64_t)e->dur;
		break;
	case TT_GC:
		b->collections += !g->io->skipped && e->val == TT_GC_START;
		break;
	case TT_GC_HEAP:
		b->heap_b = e->val;
		b->has_heap = true;
		break;
	case TT_GC_MOVE:
		b->moves += g->io->skipped ? 0 : e->val;
		break;
	case TT_THROW:
		b->throws += !g->io->skipped;
		break;
	case TT_HANDLE:
		b->handles += !g->io->skipped && !(e->flags & TT_F_END);
		break;
	case TT_SAMPLE:
		b->samples += !keep || keep[e[1].ts];
		break;
	default:
		break;
	}
	return TT_OK;
}

void
tt_gather_timeline_free(struct tt_run *r)
{
	struct tt_gather_timeline *g = r->timeline;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	tt_mem_free(mem, g->wait, g->nwait * sizeof *g->wait);
	tt_mem_free(mem, g, sizeof *g);
	r->timeline = NULL;
}
