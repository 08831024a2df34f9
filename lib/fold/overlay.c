/**
 * Paths that the tree does not have yet: kept apart with their counts, and committed in the order of chunks (fold.h).
 */
#include "fold/state.h"

int
tt_overlay_new(struct tt_mem *mem, struct tt_overlay **o, struct tt_err *err)
{
	if (!(*o = tt_mem_alloc(mem, sizeof **o, err)))
		return err->code;
	(*o)->mem = mem;
	return TT_OK;
}

void
tt_overlay_free(struct tt_overlay *o)
{
	if (!o)
		return;
	tt_mem_free(o->mem, o->node, o->cap * sizeof *o->node);
	tt_map_free(&o->at, o->mem);
	tt_mem_free(o->mem, o->dur, o->capdur * sizeof *o->dur);
	tt_mem_free(o->mem, o->map, o->capmap * sizeof *o->map);
	tt_mem_free(o->mem, o, sizeof *o);
}

void
tt_overlay_clear(struct tt_overlay *o)
{
	tt_map_clear(&o->at);
	o->n = o->ndurs = 0;
}

int
tt_overlay_child(struct tt_overlay *o, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t *node, struct tt_err *err)
{
	uint64_t hash = tt_seeded_pair((uint64_t)kind << 32 | parent, key);
	uint32_t at = tt_map_find(&o->at, hash, i, o->node[i].key == key && o->node[i].parent == parent && o->node[i].kind == kind);

	if (!at) {
		if (tt_map_push(&o->at, o->mem, hash, &o->node, &o->cap, o->n, err) != TT_OK)
			return err->code;
		o->node[o->n] = (struct tt_overlay_node){ .key = key, .parent = parent, .kind = (uint8_t)kind };
		at = (uint32_t)++o->n;
	}
	*node = TT_OVER | (at - 1);
	return TT_OK;
}

int
tt_overlay_add_dur(struct tt_overlay *o, uint32_t node, uint64_t dur, enum tt_dur_kind kind, struct tt_err *err)
{
	int rc = tt_mem_grow(o->mem, &o->dur, &o->capdur, o->ndurs + 1, sizeof *o->dur, err);

	if (rc == TT_OK)
		o->dur[o->ndurs++] = (struct tt_pending_dur){ .node = node & ~TT_OVER, .kind = (uint8_t)kind, .dur = dur };
	return rc;
}

/* Add the new path ${n} to the tree, as *${node}, with its counts. */
static int
commit_path(struct tt_fold *f, const struct tt_overlay *o, const struct tt_overlay_node *n, uint32_t process, uint32_t *node, struct tt_err *err)
{
	const uint32_t parent = n->parent & TT_OVER ? o->map[n->parent & ~TT_OVER] : n->parent;

	if (tt_tree_add(f->m->tree, parent, n->kind, n->key, process, node, err) != TT_OK)
		return err->code;
	struct tt_count *c = tt_counts_at(f->counts, *node, err), *around;
	if (!c)
		return err->code;
	c->n += n->c.n;
	c->self += n->c.self;
	if (*node != TT_NODE_MORE) {
		c->total += n->c.total;
		return TT_OK;
	}
	/* "(more paths)" is not a child of its callers, so their self time is reduced here; zones nested in it count once. */
	if (!(around = tt_counts_at(f->counts, parent, err)))
		return err->code;
	c->total += parent != TT_NODE_MORE ? n->c.total : 0;
	c->self += n->c.total;
	around->self -= n->c.total;
	return TT_OK;
}

/* Give sums by frame the numbers of their paths; for "(more paths)" adjust them as commit_path() does. */
static int
commit_sums(struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_overlay *o = io->overlay;

	for (size_t i = 0, n = io->nsum; i < n; i++) {
		struct tt_frame_path *s = &io->sum[i], *around;
		const uint32_t place = s->node & ~TT_OVER;

		if (!(s->node & TT_OVER))
			continue;
		s->node = o->map[place];
		if (s->node != TT_NODE_MORE)
			continue;
		const uint32_t above = o->node[place].parent, parent = above & TT_OVER ? o->map[above & ~TT_OVER] : above, until = s->filled_until;
		const int64_t total = s->total;
		s->self = total;
		s->total = parent != TT_NODE_MORE ? total : 0;
		if (!(around = tt_frame_sums_add(io, s->frame, until, parent, err)))
			return err->code;
		around->self = -total;
	}
	return TT_OK;
}

int
tt_fold_commit(struct tt_fold *f, struct tt_fold_io *io, uint32_t process, struct tt_err *err)
{
	struct tt_overlay *o = io->overlay;
	if (!o)               /* nothing of the chunk was folded */
		return TT_OK;
	int rc = tt_mem_grow(o->mem, &o->map, &o->capmap, o->n, sizeof *o->map, err);

	/* In order of first appearance: a parent always comes before its children. */
	for (size_t i = 0; rc == TT_OK && i < o->n; i++)
		rc = commit_path(f, o, &o->node[i], process, &o->map[i], err);
	for (size_t i = 0; rc == TT_OK && i < o->ndurs; i++) {
		struct tt_dist *d = tt_counts_dist(f->counts, tt_tree_node(f->m->tree, o->map[o->dur[i].node])->marker, err);
		rc = d ? tt_fold_count_dur(f->counts, d, o->dur[i].dur, o->dur[i].kind, err) : err->code;
	}
	for (size_t i = 0; rc == TT_OK && i < io->nsite; i++)
		if (io->site[i] & TT_OVER)
			io->site[i] = o->map[io->site[i] & ~TT_OVER];
	TT_THEN(rc, commit_sums(io, err));
	o->n = o->ndurs = 0;
	return rc;
}
