/**
 * Paths that the tree does not have yet: kept apart with their counts, and committed in the order of chunks (fold.h).
 */
#include "fold/state.h"

void
tt_over_forget(struct tt_over *o)
{
	tt_map_clear(&o->at);
	o->n = o->nlate = 0;
}

int
tt_over_child(struct tt_over *o, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t *node,
    struct tt_err *err)
{
	uint64_t hash = tt_seeded_pair((uint64_t)kind << 32 | parent, key);
	uint32_t at = tt_map_find(&o->at, hash, i, o->node[i].key == key && o->node[i].parent == parent && o->node[i].kind == kind);

	if (!at) {
		if (tt_map_push(&o->at, o->mem, hash, &o->node, &o->cap, o->n, err) != TT_OK)
			return err->code;
		o->node[o->n] = (struct tt_over_node){ .key = key, .parent = parent, .kind = (uint8_t)kind };
		at = (uint32_t)++o->n;
	}
	*node = TT_OVER | (at - 1);
	return TT_OK;
}

int
tt_fold_commit(struct tt_fold_io *io, struct tt_tree *tree, struct tt_counts *counts, uint32_t process, struct tt_err *err)
{
	struct tt_over *o = &io->over;
	int rc = tt_mem_grow(o->mem, &o->map, &o->capmap, o->n, sizeof *o->map, err);

	/* In order of first appearance: a parent always comes before its children. */
	for (size_t i = 0; rc == TT_OK && i < o->n; i++) {
		const struct tt_over_node *n = &o->node[i];
		uint32_t parent = n->parent & TT_OVER ? o->map[n->parent & ~TT_OVER] : n->parent;
		rc = tt_tree_add(tree, parent, n->kind, n->key, process, &o->map[i], err);
		struct tt_count *c = rc == TT_OK ? tt_counts_at(counts, o->map[i], err) : NULL;
		if (!c)
			return err->code;
		c->n += n->c.n;
		c->self += n->c.self;
		if (o->map[i] != TT_NODE_MORE) {
			c->total += n->c.total;
			continue;
		}
		/* "(more paths)" is not a child of its callers, so their self time is reduced here; zones nested in it count once. */
		struct tt_count *up = tt_counts_at(counts, parent, err);
		if (!up)
			return err->code;
		c->total += parent != TT_NODE_MORE ? n->c.total : 0;
		c->self += n->c.total;
		up->self -= n->c.total;
	}
	for (size_t i = 0; rc == TT_OK && i < o->nlate; i++) {
		struct tt_dist *d = tt_counts_dist(counts, tt_tree_node(tree, o->map[o->late[i].node])->marker, err);
		rc = d ? tt_fold_count_dur(counts, d, o->late[i].dur, o->late[i].what, err) : err->code;
	}
	for (size_t i = 0; rc == TT_OK && i < io->nsite; i++)
		if (io->site[i] & TT_OVER)
			io->site[i] = o->map[io->site[i] & ~TT_OVER];
	if (rc == TT_OK)
		rc = tt_fold_number_sums(io, err);
	o->n = o->nlate = 0;
	return rc;
}
