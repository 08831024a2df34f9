/**
 * Collects heap shots; the model is in model/heap.h.
 *
 * All threads are stopped during a shot, so there is one at a time, all of it on one thread.
 */
#include "model/heap.h"

#include "run/collectors.h"
#include "stat/tally.h"

struct tt_gather_shots {
	struct tt_tally *class_at;    /* by process: class key -> index + 1 */
	size_t nprocess;
	struct tt_shot_class *now;    /* of the shot under way, by class index */
	size_t capnow;
	uint32_t *met;                /* class indexes in it */
	size_t nmet, capmet;
	size_t open;                  /* the shot under way + 1 */
	uint64_t *early;              /* by thread: roots ahead of their shot */
	size_t nearly;
	struct tt_heap_big big[TT_HEAP_BIGGEST];
	size_t nbig;
};

void
tt_shots_free(struct tt_shots *s)
{
	if (!s)
		return;
	tt_mem_free(s->mem, s->shot, s->cap * sizeof *s->shot);
	tt_mem_free(s->mem, s->cell, s->capcell * sizeof *s->cell);
	tt_mem_free(s->mem, s->key, s->capkey * sizeof *s->key);
	tt_mem_free(s->mem, s->key_process, s->capkey_process * sizeof *s->key_process);
	tt_mem_free(s->mem, s, sizeof *s);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_shots *g;

	if (r->shots)
		return TT_OK;
	if (!(r->m->shots = tt_mem_alloc(mem, sizeof *r->m->shots, err)))
		return err->code;
	r->m->shots->mem = mem;
	if (!(g = r->shots = tt_mem_alloc(mem, sizeof *g, err)))
		return err->code;
	if (!(g->class_at = tt_mem_alloc(mem, r->nin * sizeof *g->class_at, err)))
		return err->code;
	g->nprocess = r->nin;
	for (size_t i = 0; i < r->nin; i++)
		tt_tally_init(&g->class_at[i], mem);
	return TT_OK;
}

/* --- the shot under way -------------------------------------------------------------- */

int
tt_gather_class(struct tt_gathering *g, uint64_t key, int64_t ts, uint32_t *class, struct tt_err *err)
{
	struct tt_gather_shots *gs = g->r->shots;
	struct tt_shots *s = g->r->m->shots;
	uint32_t process = g->in->cap->process;
	uint64_t *at;
	int rc;

	if (g->r->alias)
		key = tt_defs_alias(g->in->cap->defs, key, ts - g->in->cap->offset_ns);
	if (!(at = tt_tally_at(&gs->class_at[process], key, err)))
		return err->code;
	if (*at == 0) {
		rc = tt_mem_grow(s->mem, &s->key, &s->capkey, s->nkey + 1, sizeof *s->key, err);
		if (rc == TT_OK)
			rc = tt_mem_grow(s->mem, &s->key_process, &s->capkey_process, s->nkey + 1, sizeof *s->key_process, err);
		if (rc == TT_OK)
			rc = tt_mem_grow(s->mem, &gs->now, &gs->capnow, s->nkey + 1, sizeof *gs->now, err);
		if (rc != TT_OK)
			return rc;
		s->key[s->nkey] = key;
		s->key_process[s->nkey++] = process;
		*at = s->nkey;
	}
	*class = (uint32_t)*at - 1;
	return TT_OK;
}

static int
add_class(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_shots *gs = g->r->shots;
	struct tt_shots *s = g->r->m->shots;
	uint32_t class = 0;
	int rc;

	if (!gs->open) {
		s->stray += tt_run_in_time(g->r, e->ts) ? e[1].val : 0;
		return TT_OK;
	}
	rc = tt_gather_class(g, e->val, e->ts, &class, err);
	if (rc != TT_OK)
		return rc;
	struct tt_shot_class *c = &gs->now[class];
	if (c->n + c->refs + c->more == 0) {
		rc = tt_mem_grow(s->mem, &gs->met, &gs->capmet, gs->nmet + 1, sizeof *gs->met, err);
		if (rc != TT_OK)
			return rc;
		gs->met[gs->nmet++] = class;
	}
	c->class = class;
	c->n += e[1].val;
	c->bytes += (uint64_t)e[1].ts;
	c->refs += e[1].dur;
	c->more += e->dur;
	return TT_OK;
}

/* --- its end ---------------------------------------------------------------------------- */

/* Of the shots between the first and the last, forget the classes of every second one. */
static void
thin_out(struct tt_shots *s)
{
	size_t to = 0, kept = 0;
	size_t last = s->n;

	while (last > 0 && !s->shot[last - 1].kept)
		last--;
	for (size_t i = 0; i < s->n; i++) {
		struct tt_shot *shot = &s->shot[i];
		if (!shot->kept)
			continue;
		shot->kept = kept % 2 == 0 || i + 1 == last;
		kept++;
		if (!shot->kept)
			continue;
		memmove(s->cell + to, s->cell + shot->first, shot->nclass * sizeof *s->cell);
		shot->first = to;
		to += shot->nclass;
	}
	s->ncell = to;
}

static int
end(struct tt_gathering *g, bool complete, int64_t ts, struct tt_err *err)
{
	struct tt_gather_shots *gs = g->r->shots;
	struct tt_shots *s = g->r->m->shots;
	struct tt_shot *shot = &s->shot[gs->open - 1];
	int rc;

	if (s->ncell + gs->nmet > TT_SHOT_CELLS_MAX)
		thin_out(s);
	rc = tt_mem_grow(s->mem, &s->cell, &s->capcell, s->ncell + gs->nmet, sizeof *s->cell, err);
	if (rc != TT_OK)
		return rc;
	shot->complete = complete;
	shot->kept = true;
	shot->end_ts = ts;
	shot->first = s->ncell;
	shot->nclass = gs->nmet;
	for (size_t i = 0; i < gs->nmet; i++) {
		struct tt_shot_class *c = &gs->now[gs->met[i]];
		s->cell[s->ncell++] = *c;
		shot->n += c->n;
		shot->bytes += c->bytes;
		shot->refs += c->refs;
		shot->more += c->more;
		*c = (struct tt_shot_class){ 0 };
	}
	if (complete) {
		memcpy(s->big, gs->big, sizeof s->big);
		s->nbig = gs->nbig;
	}
	gs->nmet = gs->nbig = 0;
	gs->open = 0;
	return TT_OK;
}

static int
begin_shot(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_shots *gs = g->r->shots;
	struct tt_shots *s = g->r->m->shots;
	int rc = gs->open ? end(g, false, e->ts, err) : TT_OK;

	if (rc != TT_OK || !tt_run_in_time(g->r, e->ts))
		return rc;
	if (s->n >= TT_SHOTS_MAX) {
		s->dropped++;
		return TT_OK;
	}
	rc = tt_mem_grow(s->mem, &s->shot, &s->cap, s->n + 1, sizeof *s->shot, err);
	if (rc != TT_OK)
		return rc;
	s->shot[s->n++] = (struct tt_shot){ .ts = e->ts, .end_ts = e->ts, .process = g->in->cap->process,
		.thread = g->t->index };
	gs->open = s->n;
	if (g->t->index < gs->nearly) {
		s->shot[s->n - 1].roots = gs->early[g->t->index];
		gs->early[g->t->index] = 0;
	}
	return TT_OK;
}

static int
add_roots(struct tt_gathering *g, uint64_t n, struct tt_err *err)
{
	struct tt_gather_shots *gs = g->r->shots;
	int rc;

	if (gs->open) {
		g->r->m->shots->shot[gs->open - 1].roots += n;
		return TT_OK;
	}
	if (!g->in->cap->old_roots)
		return TT_OK;
	rc = tt_mem_grow(&g->r->env->mem, &gs->early, &gs->nearly, g->t->index + 1, sizeof *gs->early, err);
	if (rc == TT_OK)
		gs->early[g->t->index] += n;
	return rc;
}

int
tt_gather_shots_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_shots *gs;
	int rc = TT_OK;

	if (tt_gather_new_roots(e)) {
		if (g->r->shots && g->t->index < g->r->shots->nearly)
			g->r->shots->early[g->t->index] = 0;
		return TT_OK;
	}
	if (e->kind < TT_HEAP_SHOT || e->kind > TT_HEAP_ROOTS)
		return TT_OK;
	if ((rc = begin(g->r, err)) != TT_OK)
		return rc;
	gs = g->r->shots;
	switch (e->kind) {
	case TT_HEAP_SHOT:
		if (!(e->flags & TT_F_END))
			return begin_shot(g, e, err);
		return gs->open ? end(g, true, e->ts, err) : TT_OK;
	case TT_HEAP_CLASS:
		return add_class(g, e, err);
	case TT_HEAP_BIG:
		if (gs->open)
			tt_heap_add_big(gs->big, &gs->nbig, &(struct tt_heap_big){ e->val, e[1].val, (uint64_t)e[1].ts });
		return TT_OK;
	case TT_HEAP_ROOTS:
		return add_roots(g, e->val, err);
	default:
		return TT_OK;
	}
}

void
tt_gather_shots_free(struct tt_run *r)
{
	struct tt_gather_shots *g = r->shots;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	for (size_t i = 0; i < g->nprocess; i++)
		tt_tally_free(&g->class_at[i]);
	tt_mem_free(mem, g->class_at, g->class_at ? r->nin * sizeof *g->class_at : 0);
	tt_mem_free(mem, g->now, g->capnow * sizeof *g->now);
	tt_mem_free(mem, g->met, g->capmet * sizeof *g->met);
	tt_mem_free(mem, g->early, g->nearly * sizeof *g->early);
	tt_mem_free(mem, g, sizeof *g);
	r->shots = NULL;
}
