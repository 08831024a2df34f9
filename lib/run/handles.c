/**
 * GC handles, gathered; the model is in model/handles.h.
 */
#include "model/handles.h"

#include "run/collectors.h"

struct tt_gather_handles {
	struct tt_objects *live;      /* by process: handle -> place in made + 1 */
	size_t nprocess;
	struct made { int64_t ts; uint32_t site; uint32_t next; } *made;      /* next: of the free ones */
	size_t nmade, capmade;
	uint32_t spare;               /* first free one + 1 */
};

void
tt_handles_free(struct tt_handles *h)
{
	if (!h)
		return;
	tt_mem_free(h->mem, h->site, h->cap * sizeof *h->site);
	tt_tally_free(&h->at);
	tt_mem_free(h->mem, h, sizeof *h);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_handles *g;

	if (r->handles)
		return TT_OK;
	if (!(r->m->handles_of = tt_mem_alloc(mem, sizeof *r->m->handles_of, err)))
		return err->code;
	r->m->handles_of->mem = mem;
	tt_tally_init(&r->m->handles_of->at, mem);
	if (!(g = r->handles = tt_mem_alloc(mem, sizeof *g, err)))
		return err->code;
	if (!(g->live = tt_mem_alloc(mem, r->nin * sizeof *g->live, err)))
		return err->code;
	g->nprocess = r->nin;
	for (size_t i = 0; i < r->nin; i++)
		tt_objects_init(&g->live[i], mem);
	return TT_OK;
}

/* --- handles --------------------------------------------------------------------------- */

/* Numbers are per kind; the map's keys 0 and 1 are its own. */
static uint64_t
handle_key(const struct tt_event *e, unsigned kind)
{
	return (e->val << 3 | kind) + 16;
}

static int
site_of(struct tt_gathering *g, unsigned kind, uint32_t *which, struct tt_err *err)
{
	struct tt_handles *h = g->r->m->handles_of;
	uint32_t node = tt_site_node(g->io, g->site);
	uint64_t *at = tt_tally_at(&h->at, (uint64_t)node << 3 | kind, err);
	int rc;

	if (!at)
		return err->code;
	if (*at == 0) {
		rc = tt_mem_grow(h->mem, &h->site, &h->cap, h->n + 1, sizeof *h->site, err);
		if (rc != TT_OK)
			return rc;
		h->site[h->n++] = (struct tt_handle_site){ .node = node, .kind = kind };
		*at = h->n;
	}
	*which = (uint32_t)*at - 1;
	return TT_OK;
}

static int
remember(struct tt_gathering *g, const struct tt_event *e, unsigned kind, uint32_t site, struct tt_err *err)
{
	struct tt_gather_handles *gh = g->r->handles;
	uint32_t at = gh->spare;
	int rc;

	if (at) {
		gh->spare = gh->made[at - 1].next;
	} else {
		rc = tt_mem_grow(&g->r->env->mem, &gh->made, &gh->capmade, gh->nmade + 1, sizeof *gh->made, err);
		if (rc != TT_OK)
			return rc;
		at = (uint32_t)++gh->nmade;
	}
	gh->made[at - 1] = (struct made){ .ts = e->ts, .site = site };
	return tt_objects_set(&gh->live[g->in->cap->process], handle_key(e, kind), at, err);
}

static int
created(struct tt_gathering *g, const struct tt_event *e, unsigned kind, struct tt_err *err)
{
	struct tt_handle_kind *k = &g->r->m->handles_of->kind[kind];
	uint64_t old;
	uint32_t site = 0;
	int rc;

	if (!tt_gather_wanted(g, e))
		return TT_OK;
	rc = site_of(g, kind, &site, err);
	if (rc != TT_OK)
		return rc;
	k->created++;
	g->r->m->handles_of->site[site].created++;
	/* One that was never seen destroyed has gone all the same: its number is used again. */
	if (!tt_objects_get(&g->r->handles->live[g->in->cap->process], handle_key(e, kind), &old))
		k->live++;
	if (k->live > k->most)
		k->most = k->live;
	return remember(g, e, kind, site, err);
}

static int
destroyed(struct tt_gathering *g, const struct tt_event *e, unsigned kind)
{
	struct tt_gather_handles *gh = g->r->handles;
	struct tt_handles *h = g->r->m->handles_of;
	struct tt_objects *live = &gh->live[g->in->cap->process];
	struct tt_handle_kind *k = &h->kind[kind];
	uint64_t at;
	bool wanted = tt_gather_wanted(g, e);

	k->destroyed += wanted;
	if (!tt_objects_get(live, handle_key(e, kind), &at)) {
		k->unknown += wanted;
		return TT_OK;
	}
	const struct made *m = &gh->made[at - 1];
	h->site[m->site].destroyed++;
	tt_times_add(&h->site[m->site].life, e->ts > m->ts ? e->ts - m->ts : 0);
	k->live--;
	tt_objects_drop(live, handle_key(e, kind));
	gh->made[at - 1].next = gh->spare;
	gh->spare = (uint32_t)at;
	return TT_OK;
}

int
tt_gather_handles_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	unsigned kind = e->depth < TT_HANDLE_KINDS - 1 ? e->depth : TT_HANDLE_KINDS - 1;
	int rc;

	if (e->kind != TT_HANDLE)
		return TT_OK;
	if ((rc = begin(g->r, err)) != TT_OK)
		return rc;
	return e->flags & TT_F_END ? destroyed(g, e, kind) : created(g, e, kind, err);
}

void
tt_gather_handles_free(struct tt_run *r)
{
	struct tt_gather_handles *g = r->handles;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	for (size_t i = 0; i < g->nprocess; i++)
		tt_objects_free(&g->live[i]);
	tt_mem_free(mem, g->live, g->live ? r->nin * sizeof *g->live : 0);
	tt_mem_free(mem, g->made, g->capmade * sizeof *g->made);
	tt_mem_free(mem, g, sizeof *g);
	r->handles = NULL;
}
