/**
 * The level of a zone: its path from the thread's root, and whether the filter leaves it out, by depth, time, or as the Editor's own.
 */
#include "fold/state.h"

#include "fold/short_zones.h"
#include "model/defs.h"

int
tt_fold_descend(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, enum tt_node_kind kind, uint64_t key,
    struct tt_level *to, struct tt_err *err)
{
	const struct tt_tree *tree = f->m->tree;
	const uint32_t up = from->node;

	to->hash = tt_tree_hash(tt_fold_hash_of(f, from), kind, key);
	int rc = tt_fold_find(io, tt_tree_now(tree), up, kind, key, to, err);
	if (rc != TT_OK || unlikely(to->node & TT_OVER))
		return rc;
	to->c = tt_counts_at(f->counts, to->node, err);
	if (unlikely(to->c == NULL))
		return err->code;
	if (kind == TT_NODE_ZONE && unlikely(!to->c->dist) && (f->needs & TT_NEEDS_HIST) &&
	    !(to->c->dist = tt_counts_dist(f->counts, tt_tree_node(tree, to->node)->marker, err)))
		return err->code;
	return TT_OK;
}

bool
tt_fold_left_out(const struct tt_fold *f, size_t depth)
{
	return f->m->filter.depth && depth - f->lvl[depth].veils >= f->m->filter.depth;
}

bool
tt_fold_left_out_open(const struct tt_fold *f, const struct tt_fold_io *io, size_t depth, int64_t ts, uint64_t key)
{
	return tt_fold_left_out(f, depth) || (f->m->filter.min_dur && tt_short_zones_has(io->thread, ts, depth, key));
}

bool
tt_fold_is_wrapper(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key)
{
	const struct tt_name *n = tt_model_key(f->m, io->cap->process, key);

	return n && n->alloc_wrapper;
}

/* True if the zone below level ${i} is left out with all its time. */
static bool
is_hidden(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key)
{
	const struct tt_name *n;

	if (f->lvl[i].hid)
		return true;
	n = tt_model_key(f->m, io->cap->process, key);
	return n && n->editor;
}

/*
 * True if a zone of ${key} at ${ts}, in the one of level ${i}, is in the filter's time. An allocation wrapper is nothing but time of its caller, so
 * where zones count whole it counts with that one.
 */
static inline bool
is_in(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts)
{
	const struct tt_filter *flt = &f->m->filter;

	if (likely(!flt->by_begin))
		return tt_filter_has(flt, ts);
	return i > 0 && tt_fold_veils(f, io, key) ? f->lvl[i].in : tt_filter_has(flt, tt_filter_begin(flt, &f->m->of->filter, ts));
}

int
tt_fold_step_down(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, bool out, struct tt_err *err)
{
	struct tt_level *l = &f->lvl[i + 1];
	const bool veiled = unlikely(f->counts_veils) && tt_fold_veils(f, io, key);
	bool hid = unlikely(f->m->filter.player_only) && is_hidden(f, io, i, key);

	if (unlikely(out || hid)) {
		uint32_t number = l->number;
		*l = f->lvl[i];
		l->number = number;
		l->out = true;
		l->hid = hid;
		l->veiled = veiled;
		l->veils += veiled;
		return TT_OK;
	}
	l->veiled = veiled;
	l->veils = f->lvl[i].veils + veiled;
	l->out = l->hid = false;
	l->in = is_in(f, io, i, key, ts);
	return f->tree ? tt_fold_descend(f, io, &f->lvl[i], TT_NODE_ZONE, key, l, err) : TT_OK;
}
