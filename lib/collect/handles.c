/**
 * Collects GC handles.
 */
#include "collect/collect.h"
#include "collect/handles.h"

#include "collect/objects.h"
#include "model/model.h"

struct handles {
	struct tt_handles h;
	struct tt_objects *live;      /* by process: handle -> index in made + 1 */
	struct made { int64_t ts; uint32_t site; uint32_t next; } *made;      /* next: the next free entry */
	size_t nmade, capmade;
	uint32_t spare;               /* index of the first free entry + 1 */
};

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct handles *s = state;

	s->live = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->live, err);
	for (size_t i = 0; s->live && i < c->m->ncap; i++)
		tt_objects_init(&s->live[i], c->mem);
	return s->live ? TT_OK : err->code;
}

/* The key of a handle in the map: numbers are per kind, and the map reserves keys 0 and 1. */
static uint64_t
handle_key(const struct tt_event *e, unsigned kind)
{
	return (e->val << 3 | kind) + 16;
}

static int
site_of(const struct tt_collecting *c, struct handles *s, unsigned kind, uint32_t *which, struct tt_err *err)
{
	struct tt_handles *h = &s->h;
	uint32_t node = c->node;
	const uint64_t hash = tt_seeded_pair(kind, node);
	uint32_t at = tt_map_find(&h->site_index, hash, i, h->site[i].node == node && h->site[i].kind == kind);

	if (!at) {
		if (tt_map_push(&h->site_index, c->mem, hash, &h->site, &h->cap, h->n, err) != TT_OK)
			return err->code;
		h->site[h->n] = (struct tt_handle_site){ .node = node, .kind = kind };
		at = (uint32_t)++h->n;
	}
	*which = at - 1;
	return TT_OK;
}

static int
remember(const struct tt_collecting *c, struct handles *s, const struct tt_event *e, unsigned kind, uint32_t site, struct tt_err *err)
{
	uint32_t at = s->spare;
	int rc;

	if (at) {
		s->spare = s->made[at - 1].next;
	} else {
		rc = tt_mem_grow(c->mem, &s->made, &s->capmade, s->nmade + 1, sizeof *s->made, err);
		if (rc != TT_OK)
			return rc;
		at = (uint32_t)++s->nmade;
	}
	s->made[at - 1] = (struct made){ .ts = e->ts, .site = site };
	return tt_objects_set(&s->live[c->cap->process], handle_key(e, kind), at, err);
}

static int
created(const struct tt_collecting *c, struct handles *s, const struct tt_event *e, unsigned kind, struct tt_err *err)
{
	struct tt_handle_kind *k = &s->h.kind[kind];
	uint64_t old;
	uint32_t site = 0;
	int rc;

	if (!tt_collect_wanted(c, e))
		return TT_OK;
	rc = site_of(c, s, kind, &site, err);
	if (rc != TT_OK)
		return rc;
	k->ncreated++;
	s->h.site[site].ncreated++;
	/* If the number is in use, its handle is gone though its destruction was not seen. */
	if (!tt_objects_get(&s->live[c->cap->process], handle_key(e, kind), &old))
		k->nlive++;
	if (k->nlive > k->max_live)
		k->max_live = k->nlive;
	return remember(c, s, e, kind, site, err);
}

static int
destroyed(const struct tt_collecting *c, struct handles *s, const struct tt_event *e, unsigned kind)
{
	struct tt_handles *h = &s->h;
	struct tt_objects *live = &s->live[c->cap->process];
	struct tt_handle_kind *k = &h->kind[kind];
	uint64_t at;
	bool wanted = tt_collect_wanted(c, e);

	k->ndestroyed += wanted;
	if (!tt_objects_get(live, handle_key(e, kind), &at)) {
		k->nunknown += wanted;
		return TT_OK;
	}
	const struct made *m = &s->made[at - 1];
	h->site[m->site].ndestroyed++;
	tt_times_add(&h->site[m->site].lifetime, e->ts > m->ts ? e->ts - m->ts : 0);
	k->nlive--;
	tt_objects_drop(live, handle_key(e, kind));
	s->made[at - 1].next = s->spare;
	s->spare = (uint32_t)at;
	return TT_OK;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	unsigned kind = e->depth < TT_HANDLE_KINDS - 1 ? e->depth : TT_HANDLE_KINDS - 1;

	return e->flags & TT_F_END ? destroyed(c, state, e, kind) : created(c, state, e, kind, err);
}

static void
release(struct tt_model *m, void *state)
{
	struct handles *s = state;

	for (size_t i = 0; s->live && i < m->ncap; i++)
		tt_objects_free(&s->live[i]);
	tt_mem_free(&m->env->mem, s->live, m->ncap * sizeof *s->live);
	tt_mem_free(&m->env->mem, s->made, s->capmade * sizeof *s->made);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_handles *h = state;

	tt_mem_free(&m->env->mem, h->site, h->cap * sizeof *h->site);
	tt_map_free(&h->site_index, &m->env->mem);
}

const struct tt_collector tt_collector_handles = {
	.name = "handles", .size = sizeof(struct handles), .needs = TT_NEEDS_HANDLES, .in_time = true, .kinds = TT_KIND(TT_HANDLE),
	.begin = begin, .event = event, .release = release, .free = free_all,
};
