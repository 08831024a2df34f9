/**
 * Collects contention.
 */
#include "collect/collect.h"
#include "collect/contention.h"

#include "collect/objects.h"
#include "model/model.h"

struct contention {
	struct tt_contention l;
	struct tt_objects *locks;     /* by process: lock + 1 */
	struct waiting { int64_t ts; uint32_t lock, site; bool is_waiting; } *waiting; /* by thread */
	size_t nwaiting;
};

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct contention *s = state;

	tt_tally_init(&s->l.hist, c->mem);
	tt_tally_init(&s->l.waiter, c->mem);
	s->locks = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->locks, err);
	for (size_t i = 0; s->locks && i < c->m->ncap; i++)
		tt_objects_init(&s->locks[i], c->mem);
	return s->locks ? TT_OK : err->code;
}

static void
count_move(void *arg, uint64_t v, uint64_t from, uint64_t to)
{
	struct tt_contention *l = arg;

	(void)from, (void)to;
	l->lock[v - 1].nmoves++;
}

static int
moves(const struct tt_collecting *c, struct contention *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_contention *l = &s->l;

	l->has_moves = true;
	if (!(e->flags & TT_F_MORE))
		return TT_OK;
	return tt_objects_move(&s->locks[c->cap->process], c->b->word + e[1].val, e[1].dur, count_move, l, err);
}

/* The lock that ${e} is about, by its address at that time; its number in *${which}. */
static int
lock_at(const struct tt_collecting *c, struct contention *s, const struct tt_event *e, uint32_t *which, struct tt_err *err)
{
	struct tt_objects *locks = &s->locks[c->cap->process];
	struct tt_contention *l = &s->l;
	uint64_t v;
	int rc;

	if (tt_objects_get(locks, e->val, &v)) {
		*which = (uint32_t)v - 1;
		return TT_OK;
	}
	if (l->n > TT_LOCKS_MAX) {
		*which = TT_LOCKS_MAX;
		return TT_OK;
	}
	rc = tt_mem_grow(c->mem, &l->lock, &l->cap, l->n + 1, sizeof *l->lock, err);
	if (rc == TT_OK && l->n < TT_LOCKS_MAX)
		rc = tt_objects_set(locks, e->val, l->n + 1, err);
	if (rc != TT_OK)
		return rc;
	l->lock[l->n] = (struct tt_lock){ .addr = l->n < TT_LOCKS_MAX ? e->val : 0, .process = c->cap->process,
		.first_ts = e->ts };
	*which = (uint32_t)l->n++;
	return TT_OK;
}

static int
site_at(const struct tt_collecting *c, struct contention *s, uint32_t *which, struct tt_err *err)
{
	struct tt_contention *l = &s->l;
	uint32_t node = c->node;
	const uint64_t hash = tt_seeded_mix(0, node);
	uint32_t at = tt_map_find(&l->site_index, hash, i, l->site[i].node == node);

	if (!at) {
		if (tt_map_push(&l->site_index, c->mem, hash, &l->site, &l->capsite, l->nsite, err) != TT_OK)
			return err->code;
		l->site[l->nsite].node = node;
		at = (uint32_t)++l->nsite;
	}
	*which = at - 1;
	return TT_OK;
}

/* The wait of a thread; NULL with ${err} filled. */
static struct waiting *
waiting_of(const struct tt_collecting *c, struct contention *s, struct tt_err *err)
{
	if (tt_mem_grow(c->mem, &s->waiting, &s->nwaiting, c->t->index + 1, sizeof *s->waiting, err) != TT_OK)
		return NULL;
	return &s->waiting[c->t->index];
}

static int
contended(const struct tt_collecting *c, struct contention *s, const struct tt_event *e, uint32_t lock, struct waiting *w, struct tt_err *err)
{
	struct tt_contention *l = &s->l;
	uint64_t *seen = tt_tally_at(&l->waiter, (uint64_t)lock << 32 | c->t->index, err);
	uint32_t site = 0;
	int rc = seen ? site_at(c, s, &site, err) : err->code;

	if (rc != TT_OK)
		return rc;
	l->lock[lock].nthreads += *seen == 0;
	*seen = 1;
	l->lock[lock].ncontended++;
	l->site[site].ncontended++;
	l->nunfinished += w->is_waiting;
	*w = (struct waiting){ e->ts, lock, site, true };
	return TT_OK;
}

static int
ended(struct contention *s, const struct tt_event *e, struct waiting *w, struct tt_err *err)
{
	struct tt_contention *l = &s->l;
	int64_t dur = e->ts > w->ts ? e->ts - w->ts : 0;
	int rc;

	w->is_waiting = false;
	tt_times_add(&l->wait, dur);
	tt_times_add(&l->lock[w->lock].wait, dur);
	tt_times_add(&l->site[w->site].wait, dur);
	l->site[w->site].nfailed += e->depth == TT_MONITOR_FAILED;
	rc = tt_tally_time(&l->hist, TT_LOCKS_ALL, dur, err);
	TT_THEN(rc, tt_tally_time(&l->hist, tt_contention_id(w->lock), dur, err));
	return rc == TT_OK ? tt_tally_time(&l->hist, tt_contention_site_id(w->site), dur, err) : rc;
}

/* Handle a lock event. A wait counts if it begins in the filter's time, even if it ends later. */
static int
monitor(const struct tt_collecting *c, struct contention *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_contention *l = &s->l;
	struct waiting *w = waiting_of(c, s, err);
	uint32_t lock = 0;
	int rc;

	if (!w)
		return err->code;
	if (e->depth != TT_MONITOR_CONTEND && w->is_waiting) {
		rc = ended(s, e, w, err);
		if (rc != TT_OK)
			return rc;
	}
	if (!tt_collect_wanted(c, e))
		return TT_OK;
	rc = lock_at(c, s, e, &lock, err);
	if (rc != TT_OK)
		return rc;
	l->lock[lock].nacquired += e->depth == TT_MONITOR_ACQUIRED;
	l->lock[lock].nfailed += e->depth == TT_MONITOR_FAILED;
	return e->depth == TT_MONITOR_CONTEND ? contended(c, s, e, lock, w, err) : TT_OK;
}

/* Count an open wait as unfinished: after damage, or if the thread ends, its end is not known. */
static int
broken(const struct tt_collecting *c, struct contention *s, struct tt_err *err)
{
	struct waiting *w = waiting_of(c, s, err);

	if (!w)
		return err->code;
	s->l.nunfinished += w->is_waiting;
	w->is_waiting = false;
	return TT_OK;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	switch (e->kind) {
	case TT_GC_MOVE:
		return moves(c, state, e, err);
	case TT_MONITOR:
		return monitor(c, state, e, err);
	case TT_GAP:
		return e->flags & TT_F_POPPED ? TT_OK : broken(c, state, err);
	default:
		return (e->flags & TT_F_END) && e->val == c->t->tid ? broken(c, state, err) : TT_OK;
	}
}

static int
finish(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct contention *s = state;

	(void)c, (void)err;
	for (size_t i = 0; i < s->nwaiting; i++)
		s->l.nunfinished += s->waiting[i].is_waiting;
	return TT_OK;
}

static void
release(struct tt_model *m, void *state)
{
	struct contention *s = state;

	for (size_t i = 0; s->locks && i < m->ncap; i++)
		tt_objects_free(&s->locks[i]);
	tt_mem_free(&m->env->mem, s->locks, m->ncap * sizeof *s->locks);
	tt_mem_free(&m->env->mem, s->waiting, s->nwaiting * sizeof *s->waiting);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_contention *l = state;

	tt_map_free(&l->site_index, &m->env->mem);
	tt_tally_free(&l->hist);
	tt_tally_free(&l->waiter);
	tt_mem_free(&m->env->mem, l->lock, l->cap * sizeof *l->lock);
	tt_mem_free(&m->env->mem, l->site, l->capsite * sizeof *l->site);
}

const struct tt_collector tt_collector_contention = {
	.name = "contention", .size = sizeof(struct contention), .needs = TT_NEEDS_LOCKS, .in_time = true,
	.kinds = TT_KIND(TT_GC_MOVE) | TT_KIND(TT_MONITOR) | TT_KIND(TT_GAP) | TT_KIND(TT_THREAD),
	.begin = begin, .event = event, .finish = finish, .release = release, .free = free_all,
};
