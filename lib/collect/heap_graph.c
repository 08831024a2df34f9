/**
 * Collects the graph of a heap shot.
 */
#include "collect/collect.h"
#include "collect/heap_graph_state.h"
#include "model/model.h"

static void
forget(struct graph *g)
{
	struct tt_mem *mem = g->mem;

	tt_pages_free(&g->addr);
	tt_pages_free(&g->class);
	tt_pages_free(&g->ref);
	tt_pages_free(&g->has);
	for (size_t i = 0; g->spot && i < SPOTS; i++)
		if (g->spot[i])
			tt_mem_free(mem, g->spot[i], sizeof *g->spot[i]);
	tt_mem_free(mem, g->spot, SPOTS * sizeof *g->spot);
	tt_mem_free(mem, g->more, g->capmore * sizeof *g->more);
	tt_mem_free(mem, g->root.v, g->root.cap * sizeof *g->root.v);
	g->root = (struct roots){ 0 };
	g->more = NULL;
	g->nmore = g->capmore = g->nclass_of = 0;
	g->spot = NULL;
	g->on = false;
}

/* The identity of a thread. */
static void *
me(void)
{
	static _Thread_local char here;

	return &here;
}

static void
hold(struct graph *g)
{
	pthread_mutex_lock(&g->lock);
	atomic_store(&g->holder, me());
}

static void
let_go(struct graph *g)
{
	atomic_store(&g->holder, NULL);
	pthread_mutex_unlock(&g->lock);
}

/* Drop the graph collected so far, because other code needs memory. Returns false if there is nothing to drop, or the graph itself asked. */
static bool
give_way(void *arg)
{
	struct graph *g = arg;
	bool had;

	if (atomic_load(&g->holder) == me())
		return false;
	hold(g);
	had = g->on || g->addr.npage > 0;
	forget(g);
	g->out.is_out_of_memory |= had;
	let_go(g);
	return had;
}

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct graph *g = state;

	(void)err;
	tt_tally_init(&g->out.by_class, c->mem);
	tt_tally_init(&g->out.by_root, c->mem);
	g->mem = g->addr.mem = g->class.mem = g->ref.mem = g->has.mem = c->mem;
	tt_objects_init(&g->reg_at, c->mem);
	pthread_mutex_init(&g->lock, NULL);
	g->spare = (struct tt_mem_freeable){ give_way, g };
	atomic_store(&c->mem->freeable, &g->spare);
	return TT_OK;
}

/* --- collecting ------------------------------------------------------------------------ */

static int
add_object(const struct tt_collecting *c, struct graph *g, uint64_t head, uint64_t about, const uint64_t *ref, struct tt_err *err)
{
	size_t n = about >> 32, i = g->addr.n;
	bool more = head & 1;
	uint32_t at;
	int rc = TT_OK;

	if (i == 0 && g->nmore == 0)
		g->base = head >> 3;
	at = tt_graph_near(g, head);
	g->out.is_too_spread |= at == NOWHERE;
	if (more) {
		if (n == 0)
			return TT_OK;
		rc = tt_mem_grow(c->mem, &g->more, &g->capmore, g->nmore + 1, sizeof *g->more, err);
		if (rc == TT_OK)
			g->more[g->nmore++] = (struct more){ at, (uint32_t)g->ref.n };
	} else {
		rc = tt_pages_push(&g->addr, at, err);
		TT_THEN(rc, tt_pages_push(&g->class, g->class_of[about & UINT32_MAX], err));
		TT_THEN(rc, tt_pages_room(&g->has, i / 32 + 1, err));
		if (rc == TT_OK && n)
			*tt_pages_at(&g->has, i / 32) |= 1u << i % 32;
	}
	for (size_t k = 0; k < n && rc == TT_OK; k++)
		rc = tt_pages_push(&g->ref, tt_graph_near(g, ref[k]) | (k + 1 == n ? LAST : 0), err);
	return rc;
}

static int
objects(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	const uint64_t *w = c->b->word + e->val, *end = w + e[1].val;
	int rc = TT_OK;

	while (w < end && rc == TT_OK) {
		rc = add_object(c, g, w[0], w[1], w + 2, err);
		w += 2 + (w[1] >> 32);
	}
	g->nclass_of = 0;
	return rc;
}

static int
class_event(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &g->class_of, &g->capclass_of, g->nclass_of + 1, sizeof *g->class_of, err);

	TT_THEN(rc, tt_heap_shots_class(c, e, e->val, &g->class_of[g->nclass_of++], err));
	return rc;
}

static int
add_roots(const struct tt_collecting *c, struct roots *to, const struct tt_event *e, struct tt_err *err)
{
	const uint64_t *w = c->b->word + e[1].val;
	int rc = tt_mem_grow(c->mem, &to->v, &to->cap, to->n + (size_t)e->val, sizeof *to->v, err);

	for (uint64_t i = 0; i < e->val && rc == TT_OK; i++)
		to->v[to->n++] = (struct root){ w[2 * i], w[2 * i + 1] };
	return rc;
}

static void
drop_roots(struct roots *r, struct tt_mem *mem)
{
	tt_mem_free(mem, r->v, r->cap * sizeof *r->v);
	*r = (struct roots){ 0 };
}

/* Keep roots that come before their shot. If they do not fit, the graph of the shot is not made. */
static int
early_roots(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &g->early, &g->nearly, c->t->index + 1, sizeof *g->early, err);

	if (rc != TT_OK)
		return rc;
	struct roots *to = &g->early[c->t->index];
	rc = to->lost ? TT_OK : add_roots(c, to, e, err);
	if (rc != TT_E_LIMIT)
		return rc;
	*err = (struct tt_err){ .at = TT_NOWHERE };
	drop_roots(to, c->mem);
	to->lost = true;
	return TT_OK;
}

static int
registration(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	uint64_t at;
	int rc;

	/* A root stays registered until its address is freed or used again. */
	if (tt_objects_get(&g->reg_at, e->val, &at))
		g->reg[at - 1].end = g->reg[at - 1].start;
	tt_objects_drop(&g->reg_at, e->val);
	if (e->flags & TT_F_END)
		return TT_OK;
	rc = tt_mem_grow(c->mem, &g->reg, &g->capreg, g->nreg + 1, sizeof *g->reg, err);
	if (rc != TT_OK)
		return rc;
	const char *text = "";
	if (e[2].kind == TT_ARG && e[2].dur)
		text = tt_arena_text(&c->cap->arena, c->b->text.p + e[2].val, e[2].dur, err);
	if (!text)
		return err->code;
	g->reg[g->nreg++] = (struct registered){ e->val, e->val + (uint64_t)e[1].ts, e[1].val, text, e->depth };
	return tt_objects_set(&g->reg_at, e->val, g->nreg, err);
}

/* --- the collector -------------------------------------------------------------------------- */

/* Give up the graph if memory runs out (TT_E_LIMIT); the class tables do not need it. */
static int
give_up(struct graph *g, int rc, struct tt_err *err)
{
	if (rc != TT_E_LIMIT)
		return rc;
	forget(g);
	g->out.is_out_of_memory = true;
	*err = (struct tt_err){ .at = TT_NOWHERE };
	return TT_OK;
}

static int
roots(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	if (g->on)
		return give_up(g, add_roots(c, &g->root, e, err), err);
	return c->cap->old_roots ? early_roots(c, g, e, err) : TT_OK;
}

/* Count the references from roots to each address. */
static int
count_slots(struct graph *g, struct tt_objects *to, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < g->root.n && rc == TT_OK; i++) {
		uint64_t n = 0, object = g->root.v[i].object;

		if (object < 8)
			continue;
		tt_objects_get(to, object, &n);
		rc = tt_objects_set(to, object, n + 1, err);
	}
	return rc;
}

/* Count the references from roots to each class: look up every object of the shot among the few addresses that roots refer to. */
static int
count_roots(const struct tt_collecting *c, struct graph *g, struct tt_shot *shot, struct tt_err *err)
{
	struct tt_heap_shots *s = c->m->collected[TT_COLLECTS_SHOTS];
	struct tt_mem *mem = c->mem;
	uint64_t *n = tt_mem_alloc(mem, s->nkey * sizeof *n, err), roots;
	struct tt_objects at;
	int rc;

	if (!n)
		return err->code;
	tt_objects_init(&at, mem);
	rc = count_slots(g, &at, err);
	for (size_t i = 0; i < g->addr.n && rc == TT_OK; i++) {
		uint64_t object = ((uint64_t)*tt_pages_at(&g->addr, i) - ADDRESS_ORIGIN + g->base) << 3;

		if (tt_objects_get(&at, object, &roots))
			n[*tt_pages_at(&g->class, i)] += roots;
	}
	for (size_t i = 0; i < shot->nclass && rc == TT_OK; i++)
		s->cell[shot->first + i].roots = n[s->cell[shot->first + i].class];
	shot->roots_known = rc == TT_OK;
	tt_objects_free(&at);
	tt_mem_free(mem, n, s->nkey * sizeof *n);
	return rc;
}

static void
begin_shot(const struct tt_collecting *c, struct graph *g)
{
	struct tt_graph *m = &g->out;

	forget(g);
	g->addr.n = g->class.n = g->ref.n = g->has.n = 0;
	if (c->t->index < g->nearly) {
		g->root = g->early[c->t->index];
		g->early[c->t->index] = (struct roots){ 0 };
	}
	g->on = !g->root.lost;
	m->is_out_of_memory = g->root.lost;
	m->is_too_spread = false;
	m->shot = 0;
}

static int
shot_event(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_heap_shots *s = c->m->collected[TT_COLLECTS_SHOTS];
	struct tt_graph *m = &g->out;
	int rc = TT_OK;

	if (!(e->flags & TT_F_END)) {
		if (!tt_collect_in_time(c, e))
			return TT_OK;
		begin_shot(c, g);
		return TT_OK;
	}
	if (g->on && c->needs & TT_NEEDS_ROOTS && s->n && !s->dropped && s->shot[s->n - 1].complete && !m->is_too_spread)
		rc = count_roots(c, g, &s->shot[s->n - 1], err);
	if (g->on || m->is_out_of_memory)
		m->shot = s->n;
	g->on = false;
	return rc;
}

static int
graph_event(const struct tt_collecting *c, struct graph *g, const struct tt_event *e, struct tt_err *err)
{
	if (tt_collect_new_roots(e) && c->t->index < g->nearly)
		drop_roots(&g->early[c->t->index], c->mem);
	switch (e->kind) {
	case TT_ROOT:
		return registration(c, g, e, err);
	case TT_HEAP_SHOT:
		return give_up(g, shot_event(c, g, e, err), err);
	case TT_HEAP_CLASS:
		return g->on ? give_up(g, class_event(c, g, e, err), err) : TT_OK;
	case TT_HEAP_GRAPH:
		return g->on ? give_up(g, objects(c, g, e, err), err) : TT_OK;
	case TT_HEAP_ROOTS:
		return roots(c, g, e, err);
	default:
		return TT_OK;
	}
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct graph *g = state;

	hold(g);
	int rc = graph_event(c, g, e, err);
	let_go(g);
	return rc;
}

static int
finish(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct graph *g = state;
	struct tt_graph *m = &g->out;
	int rc = TT_OK;

	if (m->shot == 0)
		return TT_OK;
	const struct tt_shot *s = &tt_heap_shots(c->m)->shot[m->shot - 1];
	m->nobjects = s->n;
	m->nrefs = s->refs;
	m->needed_bytes = s->n * 13 + s->refs * 4 + (1 << 20);
	hold(g);
	if (!m->is_out_of_memory && !m->is_too_spread)
		rc = give_up(g, tt_graph_walk(c, g, err), err);
	forget(g);
	let_go(g);
	return rc;
}

static void
release(struct tt_model *m, void *state)
{
	struct tt_mem *mem = &m->env->mem;
	struct graph *g = state;

	atomic_store(&mem->freeable, NULL);
	pthread_mutex_destroy(&g->lock);
	forget(g);
	tt_mem_free(mem, g->class_of, g->capclass_of * sizeof *g->class_of);
	tt_mem_free(mem, g->reg, g->capreg * sizeof *g->reg);
	for (size_t i = 0; i < g->nearly; i++)
		drop_roots(&g->early[i], mem);
	tt_mem_free(mem, g->early, g->nearly * sizeof *g->early);
	tt_objects_free(&g->reg_at);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_mem *mem = &m->env->mem;
	struct tt_graph *g = state;

	tt_mem_free(mem, g->root, g->caproot * sizeof *g->root);
	tt_mem_free(mem, g->path, g->cappath * sizeof *g->path);
	tt_mem_free(mem, g->unreached, g->nunreached * sizeof *g->unreached);
	tt_tally_free(&g->by_class);
	tt_tally_free(&g->by_root);
}

const struct tt_collector tt_collector_heap_graph = {
	.name = "heap graph", .size = sizeof(struct graph), .needs = TT_NEEDS_GRAPH,
	.kinds = TT_KIND(TT_GC) | TT_KIND(TT_ROOT) | TT_KIND(TT_HEAP_SHOT) | TT_KIND(TT_HEAP_CLASS) | TT_KIND(TT_HEAP_GRAPH) |
	    TT_KIND(TT_HEAP_ROOTS),
	.begin = begin, .event = event, .finish = finish, .release = release, .free = free_all,
};
