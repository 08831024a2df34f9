/**
 * Collects contention; the model is in model/contention.h.
 */
#include "model/contention.h"

#include "run/collectors.h"

struct tt_gather_locks {
	struct process { struct tt_objects objects; int64_t moved_ts; bool moves; } *process; /* objects: lock + 1 */
	size_t nprocess;
	struct waiting { int64_t ts; uint32_t lock, site; bool is; } *waiting;        /* by thread */
	size_t nwaiting;
};

static int
make(struct tt_mem *mem, struct tt_locks **out, struct tt_err *err)
{
	struct tt_locks *l = tt_mem_alloc(mem, sizeof *l, err);

	if (!l)
		return err->code;
	l->mem = mem;
	tt_tally_init(&l->at, mem);
	tt_tally_init(&l->hist, mem);
	tt_tally_init(&l->waiter, mem);
	*out = l;
	return TT_OK;
}

void
tt_locks_free(struct tt_locks *l)
{
	if (!l)
		return;
	tt_tally_free(&l->at);
	tt_tally_free(&l->hist);
	tt_tally_free(&l->waiter);
	tt_mem_free(l->mem, l->lock, l->cap * sizeof *l->lock);
	tt_mem_free(l->mem, l->site, l->capsite * sizeof *l->site);
	tt_mem_free(l->mem, l, sizeof *l);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_locks *g;
	int rc;

	if (r->locks)
		return TT_OK;
	rc = make(mem, &r->m->locks, err);
	g = rc == TT_OK ? tt_mem_alloc(mem, sizeof *g, err) : NULL;
	if (!g)
		return err->code;
	r->locks = g;
	g->process = tt_mem_alloc(mem, r->nin * sizeof *g->process, err);
	if (!g->process)
		return err->code;
	g->nprocess = r->nin;
	for (size_t i = 0; i < r->nin; i++) {
		tt_objects_init(&g->process[i].objects, mem);
		g->process[i].moved_ts = INT64_MIN;
	}
	return TT_OK;
}

static void
count_move(void *arg, uint64_t v, uint64_t from, uint64_t to)
{
	struct tt_locks *l = arg;

	(void)from, (void)to;
	l->lock[v - 1].moved++;
}

static int
moves(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &g->r->locks->process[g->in->cap->process];
	struct tt_locks *l = g->r->m->locks;

	l->moves = p->moves = true;
	if (e->ts > p->moved_ts)
		p->moved_ts = e->ts;
	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	return tt_objects_move(&p->objects, g->b->word + e[1].val, e[1].dur, count_move, l, err);
}

/* The lock that ${e} is about, by its address at that time; its number in *${which}. */
static int
lock_at(struct tt_gathering *g, const struct tt_event *e, uint32_t *which, struct tt_err *err)
{
	struct process *p = &g->r->locks->process[g->in->cap->process];
	struct tt_locks *l = g->r->m->locks;
	uint64_t v;
	int rc;

	if (p->moves && e->ts < p->moved_ts)
		l->late++;
	if (tt_objects_get(&p->objects, e->val, &v)) {
		*which = (uint32_t)v - 1;
		return TT_OK;
	}
	if (l->n > TT_LOCKS_MAX) {
		*which = TT_LOCKS_MAX;
		return TT_OK;
	}
	rc = tt_mem_grow(l->mem, &l->lock, &l->cap, l->n + 1, sizeof *l->lock, err);
	if (rc == TT_OK && l->n < TT_LOCKS_MAX)
		rc = tt_objects_set(&p->objects, e->val, l->n + 1, err);
	if (rc != TT_OK)
		return rc;
	l->lock[l->n] = (struct tt_lock){ .addr = l->n < TT_LOCKS_MAX ? e->val : 0, .process = g->in->cap->process,
		.first_ts = e->ts };
	*which = (uint32_t)l->n++;
	return TT_OK;
}

static int
site_at(struct tt_gathering *g, uint32_t *which, struct tt_err *err)
{
	struct tt_locks *l = g->r->m->locks;
	uint32_t node = tt_site_node(g->io, g->site);
	uint64_t *at = tt_tally_at(&l->at, node, err);
	int rc;

	if (!at)
		return err->code;
	if (*at == 0) {
		rc = tt_mem_grow(l->mem, &l->site, &l->capsite, l->nsite + 1, sizeof *l->site, err);
		if (rc != TT_OK)
			return rc;
		l->site[l->nsite++].node = node;
		*at = l->nsite;
	}
	*which = (uint32_t)*at - 1;
	return TT_OK;
}

/* The wait of a thread; NULL with ${err} filled. */
static struct waiting *
waiting_of(struct tt_gathering *g, uint32_t thread, struct tt_err *err)
{
	struct tt_gather_locks *gl = g->r->locks;

	if (tt_mem_grow(&g->r->env->mem, &gl->waiting, &gl->nwaiting, thread + 1, sizeof *gl->waiting, err) != TT_OK)
		return NULL;
	return &gl->waiting[thread];
}

static int
contended(struct tt_gathering *g, const struct tt_event *e, uint32_t lock, struct waiting *w, struct tt_err *err)
{
	struct tt_locks *l = g->r->m->locks;
	uint64_t *seen = tt_tally_at(&l->waiter, (uint64_t)lock << 32 | g->t->index, err);
	uint32_t site = 0;
	int rc = seen ? site_at(g, &site, err) : err->code;

	if (rc != TT_OK)
		return rc;
	l->lock[lock].threads += *seen == 0;
	*seen = 1;
	l->lock[lock].contended++;
	l->site[site].contended++;
	l->unfinished += w->is;
	*w = (struct waiting){ e->ts, lock, site, true };
	return TT_OK;
}

static int
ended(struct tt_gathering *g, const struct tt_event *e, struct waiting *w, struct tt_err *err)
{
	struct tt_locks *l = g->r->m->locks;
	int64_t dur = e->ts > w->ts ? e->ts - w->ts : 0;
	int rc;

	w->is = false;
	tt_times_add(&l->wait, dur);
	tt_times_add(&l->lock[w->lock].wait, dur);
	tt_times_add(&l->site[w->site].wait, dur);
	l->site[w->site].failed += e->depth == TT_MONITOR_FAILED;
	rc = tt_tally_time(&l->hist, TT_LOCKS_ALL, dur, err);
	if (rc == TT_OK)
		rc = tt_tally_time(&l->hist, tt_locks_id(w->lock), dur, err);
	return rc == TT_OK ? tt_tally_time(&l->hist, tt_locks_site_id(w->site), dur, err) : rc;
}

/* A wait counts where it begins: also its end, when that is behind the filter's time. */
static int
monitor(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_locks *l = g->r->m->locks;
	struct waiting *w = waiting_of(g, g->t->index, err);
	uint32_t lock = 0;
	int rc;

	if (!w)
		return err->code;
	if (e->depth != TT_MONITOR_CONTEND && w->is) {
		rc = ended(g, e, w, err);
		if (rc != TT_OK)
			return rc;
	}
	if (!tt_gather_wanted(g, e))
		return TT_OK;
	rc = lock_at(g, e, &lock, err);
	if (rc != TT_OK)
		return rc;
	l->lock[lock].acquired += e->depth == TT_MONITOR_ACQUIRED;
	l->lock[lock].failed += e->depth == TT_MONITOR_FAILED;
	return e->depth == TT_MONITOR_CONTEND ? contended(g, e, lock, w, err) : TT_OK;
}

/* Behind damage, and when a thread ends, nobody knows how a wait went on. */
static int
broken(struct tt_gathering *g, uint32_t thread, struct tt_err *err)
{
	struct waiting *w = waiting_of(g, thread, err);

	if (!w)
		return err->code;
	g->r->m->locks->unfinished += w->is;
	w->is = false;
	return TT_OK;
}

int
tt_gather_locks_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	int rc = begin(g->r, err);

	if (rc != TT_OK)
		return rc;
	switch (e->kind) {
	case TT_GC_MOVE:
		return moves(g, e, err);
	case TT_MONITOR:
		return monitor(g, e, err);
	case TT_GAP:
		return e->flags & TT_F_POPPED ? TT_OK : broken(g, g->t->index, err);
	case TT_THREAD:
		return (e->flags & TT_F_END) && e->val == g->t->tid ? broken(g, g->t->index, err) : TT_OK;
	default:
		return TT_OK;
	}
}

int
tt_gather_locks_finish(struct tt_run *r, struct tt_err *err)
{
	(void)err;
	for (size_t i = 0; r->locks && i < r->locks->nwaiting; i++)
		r->m->locks->unfinished += r->locks->waiting[i].is;
	return TT_OK;
}

void
tt_gather_locks_free(struct tt_run *r)
{
	struct tt_gather_locks *g = r->locks;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	for (size_t i = 0; i < g->nprocess; i++)
		tt_objects_free(&g->process[i].objects);
	tt_mem_free(mem, g->process, g->process ? r->nin * sizeof *g->process : 0);
	tt_mem_free(mem, g->waiting, g->nwaiting * sizeof *g->waiting);
	tt_mem_free(mem, g, sizeof *g);
	r->locks = NULL;
}
