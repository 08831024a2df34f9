/**
 * Collects finalizers; the model is in model/finalizers.h.
 */
#include "model/finalizers.h"

#include "base/hash_seed.h"
#include "run/collectors.h"

enum { OBJECTS_MAX = 1 << 21 };

struct tt_gather_finals {
	struct tt_objects *objects;   /* by process: -> class key */
	size_t nprocess;
	struct finalizing {
		struct one { int64_t from; uint32_t row; bool open; } run, object;    /* row: place + 1; 0: not wanted */
	} *thread;
	size_t nthread;
};

void
tt_finals_free(struct tt_finals *f)
{
	if (!f)
		return;
	tt_mem_free(f->mem, f->f, f->cap * sizeof *f->f);
	tt_tally_free(&f->at);
	tt_tally_free(&f->hist);
	tt_mem_free(f->mem, f, sizeof *f);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_finals *g;

	if (r->finals)
		return TT_OK;
	if (!(r->m->finals = tt_mem_alloc(mem, sizeof *r->m->finals, err)))
		return err->code;
	r->m->finals->mem = mem;
	r->m->finals->typed = (r->needs & TT_NEEDS_OBJECTS) != 0;
	tt_tally_init(&r->m->finals->at, mem);
	tt_tally_init(&r->m->finals->hist, mem);
	if (!(g = r->finals = tt_mem_alloc(mem, sizeof *g, err)))
		return err->code;
	if (!(g->objects = tt_mem_alloc(mem, r->nin * sizeof *g->objects, err)))
		return err->code;
	g->nprocess = r->nin;
	for (size_t i = 0; i < r->nin; i++)
		tt_objects_init(&g->objects[i], mem);
	return TT_OK;
}

/* --- objects by address --------------------------------------------------------------------- */

static int
met(struct tt_gathering *g, const struct tt_event *e, uint64_t object, uint64_t key, struct tt_err *err)
{
	struct tt_objects *o = &g->r->finals->objects[g->in->cap->process];

	if (g->r->alias)
		key = tt_defs_alias(g->in->cap->defs, key, e->ts - g->in->cap->offset_ns);
	if (o->n >= OBJECTS_MAX) {
		tt_objects_clear(o);
		g->r->m->finals->forgotten++;
	}
	return tt_objects_set(o, object, key, err);
}

static int
allocated(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_event *x = e + 1;

	if (!(e->flags & TT_F_OBJECT))
		return TT_OK;
	return met(g, e, g->b->word[x->val + (e->flags & TT_F_STACK ? x->dur : 0)], e->val, err);
}

static int
moved(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	g->r->m->finals->moves = true;
	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	return tt_objects_move(&g->r->finals->objects[g->in->cap->process], g->b->word + e[1].val, e[1].dur, NULL, NULL, err);
}

/* --- finalizers --------------------------------------------------------------------------- */

/* The row of class ${key}, or of runs, on this thread. Keys of the hash may be shared: then a row's own are asked for further. */
static int
row_of(struct tt_gathering *g, bool object, uint64_t key, uint32_t *which, struct tt_err *err)
{
	struct tt_finals *m = g->r->m->finals;
	int rc;

	for (uint64_t k = tt_slot_mix(tt_slot_mix(0, (uint64_t)g->t->index << 1 | object), key);; k++) {
		uint64_t *at = tt_tally_at(&m->at, k, err);
		if (!at)
			return err->code;
		struct tt_final *f = *at ? &m->f[*at - 1] : NULL;
		if (f && (f->key != key || f->thread != g->t->index || f->object != object))
			continue;
		if (!f) {
			rc = tt_mem_grow(m->mem, &m->f, &m->cap, m->n + 1, sizeof *m->f, err);
			if (rc != TT_OK)
				return rc;
			m->f[m->n++] = (struct tt_final){ .key = key, .process = g->in->cap->process, .thread = g->t->index,
				.object = object };
			*at = m->n;
		}
		*which = (uint32_t)*at;
		return TT_OK;
	}
}

/* One more; *${which} is its row + 1, or 0 where it is not wanted. */
static int
count(struct tt_gathering *g, const struct tt_event *e, uint32_t *which, struct tt_err *err)
{
	struct tt_finals *m = g->r->m->finals;
	bool object = e->val != 0;
	uint64_t key = 0;
	int rc;

	*which = 0;
	if (!tt_gather_wanted(g, e))
		return TT_OK;
	if (m->typed && e->flags & TT_F_MORE)
		key = (uint64_t)e[1].ts;
	if (key && g->r->alias)
		key = tt_defs_alias(g->in->cap->defs, key, e->ts - g->in->cap->offset_ns);
	if (object && m->typed && !key)
		tt_objects_get(&g->r->finals->objects[g->in->cap->process], e->val, &key);
	rc = row_of(g, object, key, which, err);
	if (rc != TT_OK)
		return rc;
	m->f[*which - 1].n++;
	m->objects += object;
	m->runs += !object;
	return TT_OK;
}

static int
finalize(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_finals *gf = g->r->finals;
	struct tt_finals *m = g->r->m->finals;
	bool object = e->val != 0;
	int rc = tt_mem_grow(&g->r->env->mem, &gf->thread, &gf->nthread, g->t->index + 1, sizeof *gf->thread, err);

	if (rc != TT_OK)
		return rc;
	struct finalizing *f = &gf->thread[g->t->index];
	struct one *o = object ? &f->object : &f->run;
	bool begun = o->open;
	o->open = !(e->flags & TT_F_END);
	if (o->open) {
		o->from = e->ts;
		return count(g, e, &o->row, err);
	}
	if (!begun) {
		rc = count(g, e, &o->row, err);
		m->untimed += rc == TT_OK && o->row;
		return rc;
	}
	if (o->row == 0)
		return TT_OK;
	int64_t dur = e->ts > o->from ? e->ts - o->from : 0;
	tt_times_add(object ? &m->object : &m->run, dur);
	tt_times_add(&m->f[o->row - 1].times, dur);
	return tt_tally_time(&m->hist, o->row - 1, dur, err);
}

int
tt_gather_finals_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	int rc = begin(g->r, err);

	if (rc != TT_OK)
		return rc;
	if (e->kind == TT_FINALIZE)
		return finalize(g, e, err);
	if (!g->r->m->finals->typed)
		return TT_OK;
	switch (e->kind) {
	case TT_ALLOC:
		return allocated(g, e, err);
	case TT_GC_MOVE:
		return moved(g, e, err);
	case TT_HEAP_OBJECT:
		/* A record without a size goes on with an object that was there. */
		return e[1].ts ? met(g, e, e->val, g->b->word[e[1].val], err) : TT_OK;
	default:
		return TT_OK;
	}
}

void
tt_gather_finals_free(struct tt_run *r)
{
	struct tt_gather_finals *g = r->finals;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	for (size_t i = 0; i < g->nprocess; i++)
		tt_objects_free(&g->objects[i]);
	tt_mem_free(mem, g->objects, g->objects ? r->nin * sizeof *g->objects : 0);
	tt_mem_free(mem, g->thread, g->nthread * sizeof *g->thread);
	tt_mem_free(mem, g, sizeof *g);
	r->finals = NULL;
}
