/**
 * Collects heap shots.
 */
#include "collect/collect.h"
#include "collect/heap_shots.h"

#include "base/map.h"
#include "model/model.h"

struct shots {
	struct tt_heap_shots out;
	struct tt_map class_at;       /* by process and key: index in out.key */
	struct tt_shot_class *now;    /* sums of the shot under way, by class index */
	size_t capnow;
	uint32_t *met;                /* class indexes in the shot under way */
	size_t nmet, capmet;
	size_t open;                  /* index of the shot under way + 1; 0: none */
	uint64_t *early;              /* by thread: number of roots before their shot */
	size_t nearly;
	struct tt_heap_big big[TT_HEAP_BIGGEST];
	size_t nbig;
};

/* --- the shot under way -------------------------------------------------------------- */

int
tt_heap_shots_class(const struct tt_collecting *c, const struct tt_event *e, uint64_t key, uint32_t *class, struct tt_err *err)
{
	struct shots *s = c->m->collected[TT_COLLECTS_SHOTS];
	struct tt_heap_shots *out = &s->out;
	const uint32_t process = c->cap->process;

	key = tt_collect_class(c, e, key);
	const uint64_t hash = tt_seeded_pair(process, key);
	uint32_t at = tt_map_find(&s->class_at, hash, i, out->key[i] == key && out->key_process[i] == process);
	if (!at) {
		if (tt_mem_grow(c->mem, &out->key_process, &out->capkey_process, out->nkey + 1, sizeof *out->key_process, err) != TT_OK ||
		    tt_mem_grow(c->mem, &s->now, &s->capnow, out->nkey + 1, sizeof *s->now, err) != TT_OK ||
		    tt_map_push(&s->class_at, c->mem, hash, &out->key, &out->capkey, out->nkey, err) != TT_OK)
			return err->code;
		out->key[out->nkey] = key;
		out->key_process[out->nkey] = process;
		at = (uint32_t)++out->nkey;
	}
	*class = at - 1;
	return TT_OK;
}

static int
add_class(const struct tt_collecting *c, struct shots *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_heap_shots *out = &s->out;
	uint32_t class = 0;
	int rc;

	if (!s->open) {
		out->stray += tt_collect_in_time(c, e) ? e[1].val : 0;
		return TT_OK;
	}
	rc = tt_heap_shots_class(c, e, e->val, &class, err);
	if (rc != TT_OK)
		return rc;
	struct tt_shot_class *of = &s->now[class];
	if (of->n + of->refs + of->more == 0) {
		rc = tt_mem_grow(c->mem, &s->met, &s->capmet, s->nmet + 1, sizeof *s->met, err);
		if (rc != TT_OK)
			return rc;
		s->met[s->nmet++] = class;
	}
	of->class = class;
	of->n += e[1].val;
	of->bytes += (uint64_t)e[1].ts;
	of->refs += e[1].dur;
	of->more += e->dur;
	return TT_OK;
}

/* --- its end ---------------------------------------------------------------------------- */

/* Forget the classes of every second shot between the first and the last. */
static void
thin_out(struct tt_heap_shots *s)
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
end(const struct tt_collecting *c, struct shots *s, bool complete, struct tt_err *err)
{
	struct tt_heap_shots *out = &s->out;
	struct tt_shot *shot = &out->shot[s->open - 1];
	int rc;

	if (out->ncell + s->nmet > TT_SHOT_CELLS_MAX)
		thin_out(out);
	rc = tt_mem_grow(c->mem, &out->cell, &out->capcell, out->ncell + s->nmet, sizeof *out->cell, err);
	if (rc != TT_OK)
		return rc;
	shot->complete = complete;
	shot->kept = true;
	shot->first = out->ncell;
	shot->nclass = s->nmet;
	for (size_t i = 0; i < s->nmet; i++) {
		struct tt_shot_class *of = &s->now[s->met[i]];
		out->cell[out->ncell++] = *of;
		shot->n += of->n;
		shot->bytes += of->bytes;
		shot->refs += of->refs;
		shot->more += of->more;
		*of = (struct tt_shot_class){ 0 };
	}
	if (complete) {
		memcpy(out->big, s->big, sizeof out->big);
		out->nbig = s->nbig;
	}
	s->nmet = s->nbig = 0;
	s->open = 0;
	return TT_OK;
}

static int
begin_shot(const struct tt_collecting *c, struct shots *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_heap_shots *out = &s->out;
	int rc = s->open ? end(c, s, false, err) : TT_OK;

	if (rc != TT_OK || !tt_collect_in_time(c, e))
		return rc;
	if (out->n >= TT_SHOTS_MAX) {
		out->dropped++;
		return TT_OK;
	}
	rc = tt_mem_grow(c->mem, &out->shot, &out->cap, out->n + 1, sizeof *out->shot, err);
	if (rc != TT_OK)
		return rc;
	out->shot[out->n++] = (struct tt_shot){ .ts = e->ts, .process = c->cap->process };
	s->open = out->n;
	if (c->t->index < s->nearly) {
		out->shot[out->n - 1].roots = s->early[c->t->index];
		s->early[c->t->index] = 0;
	}
	return TT_OK;
}

static int
add_roots(const struct tt_collecting *c, struct shots *s, uint64_t n, struct tt_err *err)
{
	int rc;

	if (s->open) {
		s->out.shot[s->open - 1].roots += n;
		return TT_OK;
	}
	if (!c->cap->old_roots)
		return TT_OK;
	rc = tt_mem_grow(c->mem, &s->early, &s->nearly, c->t->index + 1, sizeof *s->early, err);
	if (rc == TT_OK)
		s->early[c->t->index] += n;
	return rc;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct shots *s = state;

	s->out.met = s->out.met || e->kind != TT_GC;
	switch (e->kind) {
	case TT_GC:
		if (tt_collect_new_roots(e) && c->t->index < s->nearly)
			s->early[c->t->index] = 0;
		return TT_OK;
	case TT_HEAP_SHOT:
		if (!(e->flags & TT_F_END))
			return begin_shot(c, s, e, err);
		return s->open ? end(c, s, true, err) : TT_OK;
	case TT_HEAP_CLASS:
		return add_class(c, s, e, err);
	case TT_HEAP_BIG:
		if (s->open)
			tt_heap_add_big(s->big, &s->nbig, &(struct tt_heap_big){ e->val, e[1].val, (uint64_t)e[1].ts });
		return TT_OK;
	default:
		return add_roots(c, s, e->val, err);
	}
}

static void
release(struct tt_model *m, void *state)
{
	struct tt_mem *mem = &m->env->mem;
	struct shots *s = state;

	tt_map_free(&s->class_at, mem);
	tt_mem_free(mem, s->now, s->capnow * sizeof *s->now);
	tt_mem_free(mem, s->met, s->capmet * sizeof *s->met);
	tt_mem_free(mem, s->early, s->nearly * sizeof *s->early);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_mem *mem = &m->env->mem;
	struct tt_heap_shots *s = state;

	tt_mem_free(mem, s->shot, s->cap * sizeof *s->shot);
	tt_mem_free(mem, s->cell, s->capcell * sizeof *s->cell);
	tt_mem_free(mem, s->key, s->capkey * sizeof *s->key);
	tt_mem_free(mem, s->key_process, s->capkey_process * sizeof *s->key_process);
}

const struct tt_collector tt_collector_heap_shots = {
	.name = "heap shots", .size = sizeof(struct shots), .needs = TT_NEEDS_SHOTS,
	.kinds = TT_KIND(TT_GC) | TT_KIND(TT_HEAP_SHOT) | TT_KIND(TT_HEAP_CLASS) | TT_KIND(TT_HEAP_BIG) | TT_KIND(TT_HEAP_ROOTS),
	.event = event, .release = release, .free = free_all,
};
