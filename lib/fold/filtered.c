/**
 * Zones whose time the filter moves: the time of hidden zones is taken out of the zones around them; with by_begin, zones count whole in the part in which they
 * begin.
 */
#include "fold/state.h"

bool
tt_filtered_is_hidden(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key)
{
	const struct tt_name *n;

	if (f->level[i].hidden)
		return true;
	n = tt_model_key(f->m, io->cap->process, key);
	return n && n->editor;
}

/*
 * After a hidden zone of level ${i}: take ${dur} out of the zones around it. With by_begin, take it from the counts that tt_filtered_count_whole() added it to.
 */
static void
take_out(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur)
{
	const struct tt_level *inside = NULL;

	for (size_t k = i; k-- > 1;) {
		const struct tt_level *l = &f->level[k];
		bool counts = !f->m->filter.by_begin || l->begins_in_range;

		if (l->filtered)
			continue;
		if (counts)
			tt_fold_count_of(io, l)->total -= dur;
		if (inside && f->m->filter.by_begin && inside->begins_in_range != l->begins_in_range)
			tt_fold_count_of(io, l)->self -= inside->begins_in_range ? dur : -dur;
		inside = l;
	}
}

/* Take the time of a zone of level ${i} out of the zones around it, in each frame. */
static int
take_out_of_frames(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t k = i; k-- > 1 && rc == TT_OK;)
		if (!f->level[k].filtered)
			rc = tt_fold_sum_zone(f, io, f->level[k].node, ts, end, false, -1, err);
	return rc;
}

int
tt_filtered_end_hidden(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	int64_t dur;

	if (f->level[i - 1].hidden)
		return TT_OK;                 /* its time is taken out with that of the hidden zone around it */
	if (f->needs & TT_NEEDS_BY_FRAME && !flt->by_begin && take_out_of_frames(f, io, i, ts, end, err) != TT_OK)
		return err->code;
	if (f->counts_paths && (dur = tt_filter_clip(flt->by_begin ? &f->m->part_of->filter : flt, &ts, &end)) > 0)
		take_out(f, io, i, dur);
	return TT_OK;
}

int
tt_filtered_count_whole(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur, bool counts, struct tt_err *err)
{
	const struct tt_level *l = &f->level[i], *around = l - 1;
	struct tt_count *c = tt_fold_count_of(io, l);

	if (i > 1 && l->begins_in_range != around->begins_in_range)
		tt_fold_count_of(io, around)->self += l->begins_in_range ? dur : -dur;
	if (!l->begins_in_range)
		return TT_OK;
	c->n += counts;
	c->total += dur;
	return tt_fold_add_dur(f, io, l, (uint64_t)dur, counts, err);
}
