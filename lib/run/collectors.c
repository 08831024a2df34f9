/**
 * The list of collectors, and the calls to them; the contract is in collectors.h.
 */
#include "run/collectors.h"

struct gatherer {
	unsigned needs;
	int (*event)(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err);
	int (*finish)(struct tt_run *r, struct tt_err *err);
	void (*free)(struct tt_run *r);
};

static const struct gatherer gatherers[] = {
	{ TT_NEEDS_LOCKS, tt_gather_locks_event, tt_gather_locks_finish, tt_gather_locks_free },
	{ TT_NEEDS_THROWS, tt_gather_throws_event, NULL, tt_gather_throws_free },
	{ TT_NEEDS_CODE, tt_gather_code_event, NULL, NULL },
	{ TT_NEEDS_SHOTS, tt_gather_shots_event, NULL, tt_gather_shots_free },
	{ TT_NEEDS_GRAPH, tt_gather_graph_event, tt_gather_graph_finish, tt_gather_graph_free },
	{ TT_NEEDS_FOUND, tt_gather_found_event, NULL, tt_gather_found_free },
	{ TT_NEEDS_TIMELINE, tt_gather_timeline_event, NULL, tt_gather_timeline_free },
	{ TT_NEEDS_FINALS, tt_gather_finals_event, NULL, tt_gather_finals_free },
	{ TT_NEEDS_HANDLES, tt_gather_handles_event, NULL, tt_gather_handles_free },
};
#define GATHERERS (sizeof gatherers / sizeof *gatherers)

/* As the fold counts them. */
static bool
has_site(const struct tt_run *r, const struct tt_event *e)
{
	return e->kind == TT_THROW || e->kind == TT_MONITOR || e->kind == TT_HANDLE ||
	    (e->kind == TT_ALLOC && (r->needs & TT_NEEDS_FOUND));
}

static unsigned
all_needs(void)
{
	unsigned needs = 0;

	for (size_t k = 0; k < GATHERERS; k++)
		needs |= gatherers[k].needs;
	return needs;
}

static int
one(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t k = 0; k < GATHERERS && rc == TT_OK; k++) {
		if (g->r->needs & gatherers[k].needs)
			rc = gatherers[k].event(g, e, err);
	}
	return rc;
}

int
tt_gather(struct tt_run *r, struct tt_input *in, const struct tt_fold_io *io, const struct tt_batch *b,
    const struct tt_thread *t, struct tt_err *err)
{
	struct tt_gathering g = { .r = r, .in = in, .io = io, .b = b, .t = t };
	int rc = TT_OK;

	if (!(r->needs & all_needs()))
		return TT_OK;
	/* Allocations are not rare; they are looked at where their objects matter, calls where each one counts. */
	if (r->needs & TT_GATHER_ALL) {
		for (const struct tt_event *e = b->ev, *end = e + b->n; e < end && rc == TT_OK; e++) {
			if (e->kind == TT_EXT || e->kind == TT_ARG || (e->kind == TT_ZONE && !(r->needs & TT_NEEDS_TIMELINE)))
				continue;
			rc = one(&g, e, err);
			g.site += has_site(r, e);
		}
		return rc;
	}
	for (size_t i = 0; i < b->nrare && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		rc = one(&g, e, err);
		g.site += has_site(r, e);
	}
	return rc;
}

int
tt_gather_finish(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t k = 0; k < GATHERERS && rc == TT_OK; k++)
		if ((r->needs & gatherers[k].needs) && gatherers[k].finish)
			rc = gatherers[k].finish(r, err);
	return rc;
}

void
tt_gather_free(struct tt_run *r)
{
	for (size_t k = 0; k < GATHERERS; k++)
		if (gatherers[k].free)
			gatherers[k].free(r);
}
