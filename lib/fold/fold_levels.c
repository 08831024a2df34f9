/**
 * The level of a zone: its path in the tree or the overlay, and whether the filter leaves the zone out, by depth, duration, or as the Editor's own.
 */
#include "fold/short_zones.h"
#include "fold/state.h"

const struct tt_level tt_fold_nowhere;

int
tt_fold_descend(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, enum tt_node_kind kind, uint64_t key, struct tt_level *to,
    struct tt_err *err)
{
	to->hash = tt_tree_hash(tt_fold_hash_of(f, from), kind, key);
	int rc = tt_fold_find(io, tt_tree_now(f->m->tree), from->node, kind, key, to, err);
	if (rc != TT_OK || to->node & TT_OVER)
		return rc;
	if (!(to->c = tt_counts_at(f->counts, to->node, err)))
		return err->code;
	if (kind == TT_NODE_ZONE && !to->c->dist && f->needs & TT_NEEDS_HIST &&
	    !(to->c->dist = tt_counts_dist(f->counts, tt_tree_node(f->m->tree, to->node)->marker, err)))
		return err->code;
	return TT_OK;
}

int
tt_fold_descend_stack(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *top, enum tt_node_kind root, uint32_t thread, const uint64_t *frame,
    size_t nframes, struct tt_level *to, struct tt_err *err)
{
	if (f->fast)
		return f->fast->stack(f, io, top, root, thread, frame, nframes, to, err);
	int rc = tt_fold_descend(f, io, top, root, thread, to, err);
	for (size_t i = 0; i < nframes && rc == TT_OK; i++)
		rc = tt_fold_descend(f, io, to, TT_NODE_ZONE, frame[i], to, err);
	return rc;
}

bool
tt_fold_is_wrapper(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key)
{
	const struct tt_name *n = tt_model_key(f->m, io->cap->process, key);

	return n && n->is_alloc_wrapper;
}

bool
tt_fold_is_too_deep(const struct tt_fold *f, size_t i)
{
	return f->m->filter.depth && i - f->level[i].nhidden_wrappers >= f->m->filter.depth;
}

/* True if a zone that begins at ${ts} in the zone of level ${i} begins in the filter's time. With by_begin, a wrapper counts where its caller begins. */
static bool
begins_in_range(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts)
{
	const struct tt_filter *flt = &f->m->filter;

	if (!flt->by_begin)
		return tt_filter_has(flt, ts);
	if (i > 0 && tt_fold_hides_wrapper(f, io, key))
		return f->level[i].begins_in_range;
	return tt_filter_has(flt, tt_filter_begin(flt, &f->m->part_of->filter, ts));
}

int
tt_fold_enter(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, bool filtered, struct tt_err *err)
{
	const struct tt_level *around = &f->level[i];
	struct tt_level *l = &f->level[i + 1];
	const bool hidden = f->m->filter.player_only && tt_filtered_is_hidden(f, io, i, key), leaves_out = filtered || hidden;
	const uint32_t number = l->number;

	if (leaves_out)
		*l = *around;         /* its events count in the zone around it */
	l->number = number;
	l->filtered = leaves_out;
	l->hidden = hidden;
	l->hidden_wrapper = f->counts_wrappers && tt_fold_hides_wrapper(f, io, key);
	l->nhidden_wrappers = around->nhidden_wrappers + l->hidden_wrapper;
	if (leaves_out)
		return TT_OK;
	l->begins_in_range = begins_in_range(f, io, i, key, ts);
	return f->counts_paths ? tt_fold_descend(f, io, around, TT_NODE_ZONE, key, l, err) : TT_OK;
}

int
tt_fold_enter_open(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, struct tt_err *err)
{
	const bool is_short = f->m->filter.min_dur && tt_short_zones_has(io->thread, ts, i, key);

	return tt_fold_enter(f, io, i, key, ts, f->filters_zones && (is_short || tt_fold_is_too_deep(f, i)), err);
}

