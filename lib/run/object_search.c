/**
 * Collects the objects of --find and --track; the model is in model/object_search.h.
 */
#include "model/object_search.h"

#include "run/collectors.h"
#include "stat/tally.h"

struct tt_gather_found {
	struct process {
		struct tt_objects found;      /* -> found + 1 */
		struct tt_objects tracked;    /* -> place in tt_find.addr */
		struct tt_tally wanted;       /* class key -> 1 no, 2 yes */
	} *process;
	size_t nprocess;
};

void
tt_found_free(struct tt_found_all *f)
{
	if (!f)
		return;
	tt_mem_free(f->mem, f->found, f->cap * sizeof *f->found);
	tt_mem_free(f->mem, f->trace, f->captrace * sizeof *f->trace);
	tt_mem_free(f->mem, f, sizeof *f);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_found *g;
	int rc = TT_OK;

	if (r->found)
		return TT_OK;
	if (!(r->m->found = tt_mem_alloc(mem, sizeof *r->m->found, err)))
		return err->code;
	r->m->found->mem = mem;
	if (!(g = r->found = tt_mem_alloc(mem, sizeof *g, err)))
		return err->code;
	if (!(g->process = tt_mem_alloc(mem, r->nin * sizeof *g->process, err)))
		return err->code;
	g->nprocess = r->nin;
	for (size_t i = 0; i < r->nin; i++) {
		tt_objects_init(&g->process[i].found, mem);
		tt_objects_init(&g->process[i].tracked, mem);
		tt_tally_init(&g->process[i].wanted, mem);
	}
	for (size_t i = 0; i < r->nin && rc == TT_OK; i++)
		for (size_t k = 0; k < r->o->find.naddr && rc == TT_OK; k++)
			rc = tt_objects_set(&g->process[i].tracked, r->o->find.addr[k], k, err);
	return rc;
}

/* Note what happened to the object at ${addr}, if it is tracked. Events of all threads come: moves are to be followed. */
static int
note(struct tt_gathering *g, const struct tt_event *e, uint64_t addr, struct tt_trace t, struct tt_err *err)
{
	struct tt_found_all *f = g->r->m->found;
	const bool *keep = g->r->m->keep_thread;
	uint64_t which;
	int rc;

	if (!tt_objects_get(&g->r->found->process[g->in->cap->process].tracked, addr, &which) ||
	    !tt_run_in_time(g->r, e->ts) || (keep && !keep[g->t->index]))
		return TT_OK;
	if (f->ntrace >= TT_TRACE_MAX) {
		f->more_trace++;
		return TT_OK;
	}
	rc = tt_mem_grow(f->mem, &f->trace, &f->captrace, f->ntrace + 1, sizeof *f->trace, err);
	if (rc != TT_OK)
		return rc;
	t.ts = e->ts;
	t.asked = g->r->o->find.addr[which];
	t.process = g->in->cap->process;
	t.thread = g->t->index;
	if (t.addr == 0)
		t.addr = addr;
	f->trace[f->ntrace++] = t;
	return TT_OK;
}

/* Is it one of those to be found? */
static int
is_wanted(struct tt_gathering *g, uint64_t key, uint64_t size, bool *wanted, struct tt_err *err)
{
	const struct tt_find *find = &g->r->o->find;
	uint64_t *known;

	*wanted = size >= find->min_size;
	if (*wanted || !find->type)
		return TT_OK;
	if (!(known = tt_tally_at(&g->r->found->process[g->in->cap->process].wanted, key, err)))
		return err->code;
	if (*known == 0)
		*known = tt_glob_any(find->type, tt_model_class(g->r->m, g->in->cap->process, key)) ? 2 : 1;
	*wanted = *known == 2;
	return TT_OK;
}

static int
allocated(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_found_all *f = g->r->m->found;
	struct process *p = &g->r->found->process[g->in->cap->process];
	const struct tt_event *x = e + 1;
	uint64_t size = e->flags & TT_F_WIDE ? (uint64_t)x->ts : e->dur, key = e->val, object = 0;
	bool wanted = false;
	int rc = TT_OK;

	if (e->flags & TT_F_OBJECT) {
		object = g->b->word[x->val + (e->flags & TT_F_STACK ? x->dur : 0)];
		/* The address is used again: the object there is gone, whether the filters want the new one or not. */
		tt_objects_drop(&p->found, object);
	}
	if (!tt_gather_wanted(g, e))
		return TT_OK;
	if (g->r->alias)
		key = tt_defs_alias(g->in->cap->defs, key, e->ts - g->in->cap->offset_ns);
	if (object)
		rc = note(g, e, object, (struct tt_trace){ .what = TT_TRACE_ALLOCATED, .key = key, .size = size,
		    .node = tt_site_node(g->io, g->site) }, err);
	if (rc == TT_OK)
		rc = is_wanted(g, key, size, &wanted, err);
	if (rc != TT_OK || !wanted)
		return rc;
	if (f->n >= TT_FOUND_MAX) {
		f->more_found++;
		return TT_OK;
	}
	rc = tt_mem_grow(f->mem, &f->found, &f->cap, f->n + 1, sizeof *f->found, err);
	if (rc != TT_OK)
		return rc;
	f->found[f->n++] = (struct tt_found){ .addr = object, .now = object, .key = key, .size = size, .ts = e->ts,
		.process = g->in->cap->process, .thread = g->t->index, .node = tt_site_node(g->io, g->site) };
	return object ? tt_objects_set(&p->found, object, f->n, err) : TT_OK;
}

static void
found_moved(void *arg, uint64_t v, uint64_t from, uint64_t to)
{
	struct tt_found_all *f = arg;

	(void)from;
	f->found[v - 1].now = to;
	f->found[v - 1].moves++;
}

static int
moves(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &g->r->found->process[g->in->cap->process];
	const uint64_t *w = g->b->word + e[1].val;
	int rc = TT_OK;

	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	for (size_t i = 0; i + 1 < e[1].dur && rc == TT_OK; i += 2)
		if (w[i] != w[i + 1])
			rc = note(g, e, w[i], (struct tt_trace){ .what = TT_TRACE_MOVED, .addr = w[i + 1] }, err);
	if (rc == TT_OK)
		rc = tt_objects_move(&p->tracked, w, e[1].dur, NULL, NULL, err);
	return rc == TT_OK ? tt_objects_move(&p->found, w, e[1].dur, found_moved, g->r->m->found, err) : rc;
}

int
tt_gather_found_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	static const uint8_t monitor[4] = { TT_TRACE_CONTENDED, TT_TRACE_CONTENDED, TT_TRACE_ACQUIRED, TT_TRACE_GAVE_UP };
	uint32_t node = tt_site_node(g->io, g->site);
	int rc = begin(g->r, err);

	if (rc != TT_OK)
		return rc;
	switch (e->kind) {
	case TT_ALLOC:
		return allocated(g, e, err);
	case TT_GC_MOVE:
		return moves(g, e, err);
	case TT_MONITOR:
		return note(g, e, e->val, (struct tt_trace){ .what = monitor[e->depth & 3], .node = node }, err);
	case TT_THROW:
		return note(g, e, e->val, (struct tt_trace){ .what = TT_TRACE_THROWN, .node = node }, err);
	case TT_HANDLE:
		return e->flags & TT_F_END ? TT_OK : note(g, e, (uint64_t)e[1].ts,
		    (struct tt_trace){ .what = TT_TRACE_HANDLE, .node = node, .kind = e->depth < 4 ? (uint8_t)e->depth : 4 }, err);
	case TT_FINALIZE:
		return e->val ? note(g, e, e->val, (struct tt_trace){ .what =
		    e->flags & TT_F_END ? TT_TRACE_FINALIZED : TT_TRACE_FINALIZE }, err) : TT_OK;
	case TT_HEAP_OBJECT:
		return e[1].ts ? note(g, e, e->val, (struct tt_trace){ .what = TT_TRACE_SHOT, .key = g->b->word[e[1].val],
		    .size = (uint64_t)e[1].ts }, err) : TT_OK;
	default:
		return TT_OK;
	}
}

void
tt_gather_found_free(struct tt_run *r)
{
	struct tt_gather_found *g = r->found;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	for (size_t i = 0; i < g->nprocess; i++) {
		tt_objects_free(&g->process[i].found);
		tt_objects_free(&g->process[i].tracked);
		tt_tally_free(&g->process[i].wanted);
	}
	tt_mem_free(mem, g->process, g->process ? r->nin * sizeof *g->process : 0);
	tt_mem_free(mem, g, sizeof *g);
	r->found = NULL;
}
