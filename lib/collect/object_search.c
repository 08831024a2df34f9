/**
 * Collects the objects of --find and --track.
 */
#include "collect/collect.h"
#include "collect/object_search.h"

#include "collect/objects.h"
#include "model/model.h"
#include "stat/tally.h"

struct search {
	struct tt_found_all out;
	struct process {
		struct tt_objects found;      /* address -> index in found + 1 */
		struct tt_objects tracked;    /* address -> index in tt_find.addr */
		struct tt_tally wanted;       /* class key -> 1 no, 2 yes */
	} *process;
};

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct search *s = state;
	int rc = TT_OK;

	if (!(s->process = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->process, err)))
		return err->code;
	for (size_t i = 0; i < c->m->ncap; i++) {
		struct process *p = &s->process[i];

		tt_objects_init(&p->found, c->mem);
		tt_objects_init(&p->tracked, c->mem);
		tt_tally_init(&p->wanted, c->mem);
		for (size_t k = 0; k < c->find->naddr && rc == TT_OK; k++)
			rc = tt_objects_set(&p->tracked, c->find->addr[k], k, err);
	}
	return rc;
}

/* Note an event of the object at ${addr}, if it is tracked. Called for all threads, because moves must be followed, so it applies the filter. */
static int
note(const struct tt_collecting *c, struct search *s, const struct tt_event *e, uint64_t addr, struct tt_trace t, struct tt_err *err)
{
	struct tt_found_all *f = &s->out;
	uint64_t which;
	int rc;

	if (!tt_objects_get(&s->process[c->cap->process].tracked, addr, &which) ||
	    !tt_collect_in_time(c, e) || !tt_collect_keeps(c, c->t->index))
		return TT_OK;
	if (f->ntrace >= TT_TRACE_MAX) {
		f->nmore_trace++;
		return TT_OK;
	}
	rc = tt_mem_grow(c->mem, &f->trace, &f->captrace, f->ntrace + 1, sizeof *f->trace, err);
	if (rc != TT_OK)
		return rc;
	t.ts = e->ts;
	t.tracked_addr = c->find->addr[which];
	t.process = c->cap->process;
	t.thread = c->t->index;
	if (t.addr == 0)
		t.addr = addr;
	f->trace[f->ntrace++] = t;
	return TT_OK;
}

/* *${wanted}: true if the search asks for the object. */
static int
is_wanted(const struct tt_collecting *c, struct search *s, uint64_t key, uint64_t size, bool *wanted, struct tt_err *err)
{
	const struct tt_find *find = c->find;
	uint64_t *known;

	*wanted = size >= find->min_size;
	if (*wanted || !find->type)
		return TT_OK;
	if (!(known = tt_tally_at(&s->process[c->cap->process].wanted, key, err)))
		return err->code;
	if (*known == 0)
		*known = tt_glob_any(find->type, tt_model_class(c->m, c->cap->process, key)) ? 2 : 1;
	*wanted = *known == 2;
	return TT_OK;
}

static int
allocated(const struct tt_collecting *c, struct search *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_found_all *f = &s->out;
	struct process *p = &s->process[c->cap->process];
	uint64_t size = tt_alloc_bytes(e), key, object = tt_alloc_object(c->b, e);
	bool wanted = false;
	int rc = TT_OK;

	/* The address is reused, so the object that was there is gone, whether the filters want the new one or not. */
	if (object)
		tt_objects_drop(&p->found, object);
	if (!tt_collect_wanted(c, e))
		return TT_OK;
	key = tt_collect_class(c, e, e->val);
	if (object)
		rc = note(c, s, e, object, (struct tt_trace){ .event = TT_TRACE_ALLOCATED, .key = key, .size = size,
		    .node = c->node }, err);
	TT_THEN(rc, is_wanted(c, s, key, size, &wanted, err));
	if (rc != TT_OK || !wanted)
		return rc;
	if (f->n >= TT_FOUND_MAX) {
		f->nmore_found++;
		return TT_OK;
	}
	rc = tt_mem_grow(c->mem, &f->found, &f->cap, f->n + 1, sizeof *f->found, err);
	if (rc != TT_OK)
		return rc;
	f->found[f->n++] = (struct tt_found){ .alloc_addr = object, .last_addr = object, .key = key, .size = size, .ts = e->ts,
		.process = c->cap->process, .thread = c->t->index, .node = c->node };
	return object ? tt_objects_set(&p->found, object, f->n, err) : TT_OK;
}

static void
found_moved(void *arg, uint64_t v, uint64_t from, uint64_t to)
{
	struct tt_found_all *f = arg;

	(void)from;
	f->found[v - 1].last_addr = to;
	f->found[v - 1].nmoves++;
}

static int
moves(const struct tt_collecting *c, struct search *s, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &s->process[c->cap->process];
	const uint64_t *w = c->b->word + e[1].val;
	int rc = TT_OK;

	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	for (size_t i = 0; i + 1 < e[1].dur && rc == TT_OK; i += 2)
		if (w[i] != w[i + 1])
			rc = note(c, s, e, w[i], (struct tt_trace){ .event = TT_TRACE_MOVED, .addr = w[i + 1] }, err);
	TT_THEN(rc, tt_objects_move(&p->tracked, w, e[1].dur, NULL, NULL, err));
	return rc == TT_OK ? tt_objects_move(&p->found, w, e[1].dur, found_moved, &s->out, err) : rc;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	static const uint8_t monitor[4] = { TT_TRACE_CONTENDED, TT_TRACE_CONTENDED, TT_TRACE_ACQUIRED, TT_TRACE_GAVE_UP };
	struct search *s = state;

	switch (e->kind) {
	case TT_ALLOC:
		return allocated(c, s, e, err);
	case TT_GC_MOVE:
		return moves(c, s, e, err);
	case TT_MONITOR:
		return note(c, s, e, e->val, (struct tt_trace){ .event = monitor[e->depth & 3], .node = c->node }, err);
	case TT_THROW:
		return note(c, s, e, e->val, (struct tt_trace){ .event = TT_TRACE_THROWN, .node = c->node }, err);
	case TT_HANDLE:
		return e->flags & TT_F_END ? TT_OK : note(c, s, e, (uint64_t)e[1].ts,
		    (struct tt_trace){ .event = TT_TRACE_HANDLE, .node = c->node }, err);
	case TT_FINALIZE:
		return e->val ? note(c, s, e, e->val, (struct tt_trace){ .event =
		    e->flags & TT_F_END ? TT_TRACE_FINALIZED : TT_TRACE_FINALIZE }, err) : TT_OK;
	default:
		return e[1].ts ? note(c, s, e, e->val, (struct tt_trace){ .event = TT_TRACE_SHOT, .key = c->b->word[e[1].val],
		    .size = (uint64_t)e[1].ts }, err) : TT_OK;
	}
}

static void
release(struct tt_model *m, void *state)
{
	struct search *s = state;

	for (size_t i = 0; s->process && i < m->ncap; i++) {
		tt_objects_free(&s->process[i].found);
		tt_objects_free(&s->process[i].tracked);
		tt_tally_free(&s->process[i].wanted);
	}
	tt_mem_free(&m->env->mem, s->process, m->ncap * sizeof *s->process);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_found_all *f = state;

	tt_mem_free(&m->env->mem, f->found, f->cap * sizeof *f->found);
	tt_mem_free(&m->env->mem, f->trace, f->captrace * sizeof *f->trace);
}

const struct tt_collector tt_collector_object_search = {
	.name = "object search", .size = sizeof(struct search), .needs = TT_NEEDS_FOUND, .in_time = true,
	.kinds = TT_KIND(TT_ALLOC) | TT_KIND(TT_GC_MOVE) | TT_KIND(TT_MONITOR) | TT_KIND(TT_THROW) | TT_KIND(TT_HANDLE) |
	    TT_KIND(TT_FINALIZE) | TT_KIND(TT_HEAP_OBJECT),
	.begin = begin, .event = event, .release = release, .free = free_all,
};
