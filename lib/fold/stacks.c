/**
 * Allocations, samples, and where throws, locks and handle events happen: in the zone that is open, or by recorded stack.
 */
#include "fold/state.h"

#include "model/defs.h"
#include "stat/num.h"

/* How many steps of the trail are those of this stack, too, its root with them. */
static size_t
same_steps(const struct tt_fold *f, uint64_t above, enum tt_node_kind root, uint32_t thread, const uint64_t *frame, size_t n)
{
	const struct tt_trail *t = f->trail;
	size_t same = 1;

	if (!f->ntrail || f->root != root || f->above != above || t[0].key != thread)
		return 0;
	while (same < f->ntrail && same <= n && t[same].key == frame[same - 1])
		same++;
	return same;
}

/*
 * The node of a recorded stack below a root of its own, which is below ${top}. The places of its paths follow from the keys alone, so all are
 * on their way out of memory before the first is looked at; durations are counted on none of them, so only the last one's counter is needed.
 */
static int
stack_path(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *top, enum tt_node_kind root, uint32_t thread,
    const uint64_t *frame, size_t n, struct tt_level *l, struct tt_err *err)
{
	const struct tt_tree_table *table = tt_tree_now(f->m->tree);
	const uint64_t above = tt_fold_hash_of(f, top);
	int rc = tt_mem_grow(f->mem, &f->trail, &f->captrail, n + 1, sizeof *f->trail, err);
	struct tt_trail *t = f->trail;

	if (rc != TT_OK)
		return rc;
	const size_t same = same_steps(f, above, root, thread, frame, n);
	uint64_t hash = same ? t[same - 1].l.hash : above;
	for (size_t i = same; i <= n; i++) {
		t[i].key = i ? frame[i - 1] : thread;
		hash = t[i].l.hash = tt_tree_hash(hash, i ? TT_NODE_ZONE : root, t[i].key);
		tt_tree_fetch(table, hash);
	}
	for (size_t i = same; i <= n && rc == TT_OK; i++)
		rc = tt_fold_find(io, table, i ? t[i - 1].l.node : top->node, i ? TT_NODE_ZONE : root, t[i].key, &t[i].l, err);
	if (same <= n) {
		f->root = root;
		f->above = above;
		f->ntrail = rc == TT_OK ? n + 1 : 0;
	}
	if (rc == TT_OK && !(t[n].l.node & TT_OVER) && !(t[n].l.c = tt_counts_at(f->counts, t[n].l.node, err)))
		rc = err->code;
	*l = t[n].l;
	return rc;
}

static const struct tt_level nowhere;

/* The node of class ${key}, allocated on the recorded stack of ${x}. Zones that are not methods have the stack below them: it says more of the same place. */
static int
stack_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *x, uint64_t key, size_t at, struct tt_level *l,
    struct tt_err *err)
{
	const struct tt_level *top = at > 0 && io->cap->code_alone ? &f->lvl[at] : &nowhere;
	struct tt_met *m = &f->met[((x->val + key) * 0x9E3779B97F4A7C15u) >> 56];
	int rc;

	if (likely(m->chunk == f->chunk && m->first == x->val && m->key == key && m->n == x->dur && m->above == tt_fold_hash_of(f, top))) {
		l->c = m->c;
		l->node = m->node;
		l->hash = m->hash;
		return TT_OK;
	}
	rc = stack_path(f, io, top, TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, l, err);
	if (rc == TT_OK)
		rc = tt_fold_descend(f, io, l, TT_NODE_ALLOC, key, l, err);
	if (rc == TT_OK)
		*m = (struct tt_met){ .chunk = f->chunk, .key = key, .first = x->val, .above = tt_fold_hash_of(f, top), .hash = l->hash,
		    .c = l->c, .n = x->dur, .node = l->node };
	return rc;
}

/*
 * The node of class ${key}, allocated in the zone of ${from}: as of zones, mostly the one that came after the last one the last time. The
 * guesses of allocations lead to allocations, those of zones to zones, so neither takes the other for its own. With few paths the look-up is
 * as fast: of a capture with 530, 55 guesses of 100 are wrong.
 */
static inline int
guess_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, uint64_t key, struct tt_level *l, struct tt_err *err)
{
	struct tt_link *last = f->last_alloc ? f->last_alloc : &f->counts->node[0]->link[TT_NODE_MORE];
	struct tt_count_page *page = f->counts->node[last->next >> TT_TREE_PAGE_BITS];
	struct tt_link *link = &page->link[last->next & (TT_TREE_PAGE - 1)];
	int rc = TT_OK;

	if (likely(link->key == key && link->up == from->node)) {
		l->node = last->next;
		l->c = &page->c[l->node & (TT_TREE_PAGE - 1)];
	} else {
		rc = tt_fold_descend(f, io, from, TT_NODE_ALLOC, key, l, err);
		if (rc != TT_OK || !l->c)
			return rc;
		link = tt_counts_link(f->counts, l->node);
		link->key = key;
		link->up = from->node;
		last->next = l->node;
	}
	f->last_alloc = link;
	return rc;
}

/*
 * If one allocation in w is recorded, a record of size s counts as w of them, and the variance of its bytes is w (w - 1) s^2. Variances add up. The result is
 * kept small enough to be added a few times.
 */
static int64_t
add_variance(int64_t to, int64_t bytes, uint64_t w)
{
	tt_u128 v = (tt_u128)(bytes < 0 ? 0 : bytes) * (uint64_t)(bytes < 0 ? 0 : bytes) / w * (w - 1) + (uint64_t)to;

	return v < TT_VARIANCE_MAX ? (int64_t)v : TT_VARIANCE_MAX;
}

/* True if ${ts} is within a whole frame of the process. */
static bool
in_frame(struct tt_fold *f, uint32_t process, int64_t ts)
{
	return f->m->frames && tt_frames_at(f->m->frames, process, ts, &f->frame) != SIZE_MAX;
}

static void
count_alloc(struct tt_count *c, uint64_t n, int64_t bytes)
{
	c->n += n;
	c->total += bytes;
	if (unlikely(n > 1))
		c->self = add_variance(c->self, bytes, n);
}

int
tt_fold_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t at, struct tt_err *err)
{
	const struct tt_event *x = e->flags & TT_F_MORE ? e + 1 : NULL;
	int64_t bytes = (int64_t)tt_alloc_bytes(e);
	uint64_t key = e->val;
	struct tt_level l;
	int rc;

	if (!f->tree || !tt_filter_has(&f->m->filter, e->ts))
		return TT_OK;
	if (unlikely(f->alias))
		key = tt_defs_alias(io->cap->defs, key, e->ts - io->cap->offset_ns);
	if (unlikely(e->flags & TT_F_STACK))
		rc = stack_alloc(f, io, x, key, at, &l, err);
	else if (tt_fold_many(f))
		rc = guess_alloc(f, io, &f->lvl[at], key, &l, err);
	else
		rc = tt_fold_descend(f, io, &f->lvl[at], TT_NODE_ALLOC, key, &l, err);
	if (rc != TT_OK)
		return rc;
	uint64_t n = tt_alloc_count(e);
	count_alloc(tt_fold_count_of(io, &l), n, bytes);
	if (unlikely(f->needs & TT_NEEDS_BY_FRAME) && (f->sums || !tt_fold_is_clear(f, e->ts)) &&
	    (rc = tt_fold_sum_allocs(f, io, l.node, e->ts, n, bytes, err)) != TT_OK)
		return rc;
	if (likely(!(f->needs & TT_NEEDS_FRAMED)) || !in_frame(f, io->b->process, e->ts))
		return TT_OK;
	rc = tt_fold_descend(f, io, &l, TT_NODE_FRAMED, 0, &l, err);
	if (rc == TT_OK)
		count_alloc(tt_fold_count_of(io, &l), n, bytes);
	return rc;
}

/* Which event's paths are asked for ahead. A sample has two events, and memory takes about as long as four samples. */
enum { AHEAD = 8 };

/* The paths of the sample that comes AHEAD events after ${e}, if one does, are on their way out of memory while those before it are counted. */
static void
fetch_paths(struct tt_fold *f, const struct tt_fold_io *io, const struct tt_event *e)
{
	const struct tt_batch *b = io->b;

	if (b->ev + b->n - e <= AHEAD || e[AHEAD].kind != TT_SAMPLE)
		return;
	e += AHEAD;
	const struct tt_tree_table *table = tt_tree_now(f->m->tree);
	const uint32_t thread = (uint32_t)tt_sample_thread(e);
	const uint64_t *frame = b->word + e[1].val, above = tt_fold_hash_of(f, &nowhere);
	const size_t same = same_steps(f, above, TT_NODE_SAMPLES, thread, frame, e->dur);
	uint64_t hash = same ? f->trail[same - 1].l.hash : above;

	for (size_t i = same; i <= e->dur; i++) {
		hash = tt_tree_hash(hash, i ? TT_NODE_ZONE : TT_NODE_SAMPLES, i ? frame[i - 1] : thread);
		tt_tree_fetch(table, hash);
	}
}

int
tt_fold_sample(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_event *x = e + 1;
	uint32_t thread = (uint32_t)tt_sample_thread(e);
	struct tt_level l;

	if (!f->tree || !tt_filter_has(&f->m->filter, e->ts) || (f->m->keep_thread && !f->m->keep_thread[thread]))
		return TT_OK;
	int rc = stack_path(f, io, &nowhere, TT_NODE_SAMPLES, thread, io->b->word + x->val, e->dur, &l, err);
	if (rc != TT_OK)
		return rc;
	fetch_paths(f, io, e);
	/* Its counter is on its way, too: it counts when the next sample has been found. */
	tt_fold_samples_end(f);
	if (likely(l.c != NULL)) {
		__builtin_prefetch(l.c, 1);
		f->late = l.c;
	} else {
		tt_fold_count_of(io, &l)->n++;
	}
	return TT_OK;
}

void
tt_fold_samples_end(struct tt_fold *f)
{
	if (f->late)
		f->late->n++;
	f->late = NULL;
}

int
tt_fold_add_site(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t at, struct tt_err *err)
{
	const struct tt_event *x = e + 1;
	uint32_t node = f->lvl[at].node;
	struct tt_level l;
	int rc = TT_OK;

	if (!(f->needs & TT_NEEDS_SITES))
		return TT_OK;
	if ((e->flags & TT_F_STACK) && x->dur) {
		rc = stack_path(f, io, &nowhere, TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, &l, err);
		node = l.node;
	}
	if (rc == TT_OK)
		rc = tt_mem_grow(f->mem, &io->site, &io->capsite, io->nsite + 1, sizeof *io->site, err);
	if (rc == TT_OK)
		io->site[io->nsite++] = node;
	return rc;
}
