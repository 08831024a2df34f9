/**
 * Collects finalizers.
 */
#include "collect/collect.h"
#include "collect/finalizers.h"

#include "collect/objects.h"
#include "model/model.h"

enum { OBJECTS_MAX = 1 << 21 };

struct finalizers {
	struct tt_finalizers out;
	struct tt_objects *objects;   /* by process: -> class key */
	struct finalizing {
		struct one { int64_t from; uint32_t row; bool open; } run, object;    /* row: index in f + 1; 0: the filters leave it out */
	} *thread;
	size_t nthread;
};

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct finalizers *s = state;

	s->out.has_classes = (c->needs & TT_NEEDS_OBJECTS) != 0;
	tt_tally_init(&s->out.hist, c->mem);
	s->objects = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->objects, err);
	for (size_t i = 0; s->objects && i < c->m->ncap; i++)
		tt_objects_init(&s->objects[i], c->mem);
	return s->objects ? TT_OK : err->code;
}

/* --- objects by address --------------------------------------------------------------------- */

static int
met(const struct tt_collecting *c, struct finalizers *s, const struct tt_event *e, uint64_t object, uint64_t key, struct tt_err *err)
{
	struct tt_objects *o = &s->objects[c->cap->process];

	if (o->n >= OBJECTS_MAX) {
		tt_objects_clear(o);
		s->out.nforgets++;
	}
	return tt_objects_set(o, object, tt_collect_class(c, e, key), err);
}

static int
moved(const struct tt_collecting *c, struct finalizers *s, const struct tt_event *e, struct tt_err *err)
{
	s->out.has_moves = true;
	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	return tt_objects_move(&s->objects[c->cap->process], c->b->word + e[1].val, e[1].dur, NULL, NULL, err);
}

/* --- finalizers --------------------------------------------------------------------------- */

/* Find or add the row of class ${key}, or of runs, on this thread; *${which}: its index + 1. */
static int
row_of(const struct tt_collecting *c, struct finalizers *s, bool object, uint64_t key, uint32_t *which, struct tt_err *err)
{
	struct tt_finalizers *m = &s->out;
	uint32_t thread = c->t->index;
	uint64_t hash = tt_seeded_pair((uint64_t)thread << 1 | object, key);
	int rc = TT_OK;

	*which = tt_map_find(&m->final_index, hash, i, m->f[i].key == key && m->f[i].thread == thread && m->f[i].is_of_objects == object);
	if (!*which && (rc = tt_map_push(&m->final_index, c->mem, hash, &m->f, &m->cap, m->n, err)) == TT_OK) {
		m->f[m->n] = (struct tt_final){ .key = key, .process = c->cap->process, .thread = thread, .is_of_objects = object };
		*which = (uint32_t)++m->n;
	}
	return rc;
}

/* Count one more; *${which}: index of its row + 1, or 0 if the filters leave it out. */
static int
count(const struct tt_collecting *c, struct finalizers *s, const struct tt_event *e, uint32_t *which, struct tt_err *err)
{
	struct tt_finalizers *m = &s->out;
	bool object = e->val != 0;
	uint64_t key = 0;
	int rc;

	*which = 0;
	if (!tt_collect_wanted(c, e))
		return TT_OK;
	if (m->has_classes && e->flags & TT_F_MORE && e[1].ts)
		key = tt_collect_class(c, e, (uint64_t)e[1].ts);
	if (object && m->has_classes && !key)
		tt_objects_get(&s->objects[c->cap->process], e->val, &key);
	rc = row_of(c, s, object, key, which, err);
	if (rc != TT_OK)
		return rc;
	m->f[*which - 1].n++;
	m->nobjects += object;
	return TT_OK;
}

static int
finalize(const struct tt_collecting *c, struct finalizers *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_finalizers *m = &s->out;
	bool object = e->val != 0;
	int rc = tt_mem_grow(c->mem, &s->thread, &s->nthread, c->t->index + 1, sizeof *s->thread, err);

	if (rc != TT_OK)
		return rc;
	struct finalizing *f = &s->thread[c->t->index];
	struct one *o = object ? &f->object : &f->run;
	bool begun = o->open;
	o->open = !(e->flags & TT_F_END);
	if (o->open) {
		o->from = e->ts;
		return count(c, s, e, &o->row, err);
	}
	if (!begun) {
		rc = count(c, s, e, &o->row, err);
		m->nuntimed += rc == TT_OK && o->row;
		return rc;
	}
	if (o->row == 0)
		return TT_OK;
	int64_t dur = e->ts > o->from ? e->ts - o->from : 0;
	tt_times_add(object ? &m->object : &m->run, dur);
	tt_times_add(&m->f[o->row - 1].times, dur);
	return tt_tally_time(&m->hist, o->row - 1, dur, err);
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct finalizers *s = state;

	if (e->kind == TT_FINALIZE)
		return finalize(c, s, e, err);
	if (!s->out.has_classes)
		return TT_OK;
	switch (e->kind) {
	case TT_ALLOC:
		return tt_alloc_object(c->b, e) ? met(c, s, e, tt_alloc_object(c->b, e), e->val, err) : TT_OK;
	case TT_GC_MOVE:
		return moved(c, s, e, err);
	default:
		/* A heap-shot record without a size continues an earlier object. */
		return e[1].ts ? met(c, s, e, e->val, c->b->word[e[1].val], err) : TT_OK;
	}
}

static void
release(struct tt_model *m, void *state)
{
	struct finalizers *s = state;

	for (size_t i = 0; s->objects && i < m->ncap; i++)
		tt_objects_free(&s->objects[i]);
	tt_mem_free(&m->env->mem, s->objects, m->ncap * sizeof *s->objects);
	tt_mem_free(&m->env->mem, s->thread, s->nthread * sizeof *s->thread);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_finalizers *f = state;

	tt_mem_free(&m->env->mem, f->f, f->cap * sizeof *f->f);
	tt_map_free(&f->final_index, &m->env->mem);
	tt_tally_free(&f->hist);
}

const struct tt_collector tt_collector_finalizers = {
	.name = "finalizers", .size = sizeof(struct finalizers), .needs = TT_NEEDS_FINALS,
	.kinds = TT_KIND(TT_FINALIZE) | TT_KIND(TT_ALLOC) | TT_KIND(TT_GC_MOVE) | TT_KIND(TT_HEAP_OBJECT),
	.begin = begin, .event = event, .release = release, .free = free_all,
};
