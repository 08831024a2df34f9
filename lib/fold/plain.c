/**
 * The rule of the fold: what each event of a chunk counts, in which path, and in which frames. Nothing here is cached, predicted or prefetched; fast.c does
 * that.
 *
 * A zone is counted when it ends, in its path, with the part of its time that lies in the filter's. Its activation counts if its begin lies in that.
 */
#include "base/order.h"
#include "fold/state.h"

/* --- the end of a zone: counts, times, durations ------------------------------------------------------------------------ */

/* End the zone of level ${i}. */
static inline int
end_zone(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, uint64_t key, unsigned flags, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	const struct tt_level *l = &f->level[i];
	const bool counts = tt_filter_has(flt, ts) && !(flags & TT_F_CONT), is_piece = key == TT_KEY_EXCEPTION && (counts || flags & TT_F_CONT);
	int64_t dur;
	int rc = TT_OK;

	end = end < ts ? ts : end;
	if (l->hidden && (rc = tt_filtered_end_hidden(f, io, i, ts, end, err)) != TT_OK)
		return rc;
	if (l->filtered || end - ts < flt->min_dur)
		return TT_OK;
	if (flt->by_begin) {
		dur = f->counts_paths ? tt_filter_clip(&f->m->part_of->filter, &ts, &end) : -1;
		return dur >= 0 ? tt_filtered_count_whole(f, io, i, dur, counts, err) : TT_OK;
	}
	if (f->needs & TT_NEEDS_BY_FRAME && (rc = tt_fold_sum_zone(f, io, l->node, ts, end, counts, 1, err)) != TT_OK)
		return rc;
	if ((dur = tt_filter_clip(flt, &ts, &end)) < 0)
		return TT_OK;
	if (f->counts_paths) {
		struct tt_count *c = tt_fold_count_of(io, l);
		c->n += counts;
		c->total += dur;
		rc = is_piece ? tt_exceptions_piece(f, io, l, ts, end, flags, err) : tt_fold_add_dur(f, io, l, (uint64_t)dur, counts, err);
	}
	return rc == TT_OK && f->needs & TT_NEEDS_SLICES ? tt_fold_slice_add(f, io, i, ts, end, key, flags, err) : rc;
}

/* End the zone of level ${i}, which began in this chunk with ${begin}, at ${end}. */
static inline int
end_begun(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *begin, int64_t end, unsigned flags, struct tt_err *err)
{
	const size_t before = io->nslice;

	f->has_no_end = flags & TT_F_POPPED;
	int rc = end_zone(f, io, i, begin->ts, end, begin->val, flags | begin->flags, err);
	f->has_no_end = false;
	if (rc != TT_OK || !(begin->flags & TT_F_MORE))
		return rc;
	const struct tt_args a = tt_args_of(io->b, (size_t)(begin - io->b->ev));
	return tt_fold_slice_args(f, io, before, &a, err);
}

int
tt_fold_zone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const size_t around = f->base + e->depth;
	const int64_t end = e->ts + (int64_t)e->dur;
	int rc = TT_OK;

	f->top = around + 1;
	if (f->is_outside)
		return TT_OK;
	rc = tt_fold_enter(f, io, around, e->val, e->ts, f->filters_zones && (e->dur < f->m->filter.min_dur || tt_fold_is_too_deep(f, around)), err);
	TT_THEN(rc, end_begun(f, io, f->top, e, end, e->flags, err));
	return rc == TT_OK && f->places_steps ? tt_flow_steps_zone(f, io, f->top, e, end, err) : rc;
}

/* --- frames ------------------------------------------------------------------------------------------------------------- */

int
tt_fold_sum_zone(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, bool counts, int sign, struct tt_err *err)
{
	const struct tt_frames *t = f->m->frames;
	struct tt_frame_path *s;
	size_t first, last, at;

	if (!t || !tt_frames_range(t, io->b->process, &first, &last))
		return TT_OK;
	at = f->fast ? f->fast->first_frame(f, first, last, ts) : tt_lower_bound(i, first, last, tt_frames_end(t, i) <= ts);
	for (size_t next; at < last; at = next) {
		const struct tt_span frame = { tt_frames_start(t, at), tt_frames_end(t, at) };
		const int64_t from = ts > frame.from ? ts : frame.from, to = frame.to < end ? frame.to : end;
		const bool begins = counts && ts >= frame.from;

		next = at + 1;
		if (frame.from >= end && frame.from > ts)
			break;
		if ((!begins && to <= from) || !tt_frames_has_examined(t, at, at + 1))
			continue;
		if (!(s = tt_fold_sum_of(f, io, at, node, err)))
			return err->code;
		s->n += begins;
		s->total += to > from ? sign * (to - from) : 0;
		tt_frame_path_longest(s, to - from, to - frame.from);
		if (next + 1 >= last || tt_frames_start(t, next + 1) >= end)
			continue;
		/* Frames that the zone fills, if it reaches into more than one, share one sum, counted in frame durations. */
		next = tt_lower_bound(i, at + 1, last, tt_frames_end(t, i) <= end);
		if (!(s = tt_frame_sums_add(io, at + 1, next, node, err)))
			return err->code;
		s->total = sign;
	}
	return TT_OK;
}

/* --- allocations, samples, and where rare events happen ------------------------------------------------------------------ */

int
tt_fold_count_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, const struct tt_level *l, bool by_frame, struct tt_err *err)
{
	const bool is_framed = f->needs & TT_NEEDS_FRAMED && f->m->frames, sums = by_frame && f->m->frames;
	const size_t at = is_framed || sums ? tt_frames_at(f->m->frames, io->b->process, e->ts, &f->frame) : SIZE_MAX;
	const uint64_t n = tt_alloc_count(e);
	const int64_t bytes = (int64_t)tt_alloc_bytes(e);
	struct tt_frame_path *s;
	struct tt_level framed;
	int rc = TT_OK;

	tt_fold_add_allocs(tt_fold_count_of(io, l), n, bytes);
	if (at == SIZE_MAX)
		return TT_OK;
	if (sums && tt_frames_has_examined(f->m->frames, at, at + 1)) {
		if (!(s = tt_fold_sum_of(f, io, at, l->node, err)))
			return err->code;
		s->n += n;
		s->total += bytes;
		s->self += n && bytes / (int64_t)n >= TT_BY_FRAME_LARGE ? bytes : 0;
	}
	if (is_framed && (rc = tt_fold_descend(f, io, l, TT_NODE_FRAMED, 0, &framed, err)) == TT_OK)
		tt_fold_add_allocs(tt_fold_count_of(io, &framed), n, bytes);
	return rc;
}

/* Count an allocation in the zone around it, or on its recorded stack if it has one; that is below the zone if zones are not methods. */
static int
alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t around, struct tt_err *err)
{
	const struct tt_event *x = &e[1];
	const struct tt_level *place = &f->level[around];
	struct tt_level l;
	int rc = TT_OK;

	if (!f->counts_paths || !tt_filter_has(&f->m->filter, e->ts))
		return TT_OK;
	if (e->flags & TT_F_STACK) {
		rc = tt_fold_descend_stack(f, io, tt_fold_stack_top(f, io, around), TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, &l, err);
		place = &l;
	}
	TT_THEN(rc, tt_fold_descend(f, io, place, TT_NODE_ALLOC, tt_fold_class(f, io, e), &l, err));
	return rc == TT_OK ? tt_fold_count_alloc(f, io, e, &l, f->needs & TT_NEEDS_BY_FRAME, err) : rc;
}

int
tt_fold_sample(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const uint32_t thread = (uint32_t)tt_sample_thread(e);
	struct tt_level l;

	if (!f->counts_paths || !tt_filter_has(&f->m->filter, e->ts) || (f->m->keep_thread && !f->m->keep_thread[thread]))
		return TT_OK;
	int rc = tt_fold_descend_stack(f, io, &tt_fold_nowhere, TT_NODE_SAMPLES, thread, io->b->word + e[1].val, e->dur, &l, err);
	if (rc == TT_OK)
		tt_fold_count_of(io, &l)->n++;
	return rc;
}

int
tt_fold_add_site(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t around, struct tt_err *err)
{
	const struct tt_event *x = &e[1];
	struct tt_level l = { .node = f->level[around].node };
	int rc = TT_OK;

	if (!(f->needs & TT_NEEDS_SITES))
		return TT_OK;
	if (e->flags & TT_F_STACK && x->dur)
		rc = tt_fold_descend_stack(f, io, &tt_fold_nowhere, TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, &l, err);
	TT_THEN(rc, tt_mem_grow(f->mem, &io->site, &io->capsite, io->nsite + 1, sizeof *io->site, err));
	if (rc == TT_OK)
		io->site[io->nsite++] = l.node;
	return rc;
}

/* --- events ----------------------------------------------------------------------------------------------------------------- */

struct base_end { struct tt_fold *f; struct tt_fold_io *io; struct tt_err *err; int64_t ts; int rc; };

/* End a zone from before the chunk, which has left the stack. */
static void
end_base_zone(void *arg, const struct tt_open *z, unsigned flags)
{
	struct base_end *e = arg;
	const bool has_no_end = e->f->has_no_end;
	const size_t before = e->io->nslice;

	e->f->has_no_end = has_no_end || flags & TT_F_POPPED;
	if (e->rc == TT_OK)
		e->rc = end_zone(e->f, e->io, e->io->base.n + 1, z->ts, e->ts, z->key, flags | z->flags | TT_F_BASE, e->err);
	e->f->has_no_end = has_no_end;
	if (z->args && e->rc == TT_OK)
		e->rc = tt_fold_slice_args(e->f, e->io, before, &z->args->args, e->err);
}

int
tt_fold_close_base(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, struct tt_err *err)
{
	struct base_end end = { f, io, err, ts, TT_OK };

	f->has_no_end = true;
	while (io->base.n > 0)
		end_base_zone(&end, &io->base.z[--io->base.n], TT_F_POPPED);
	f->has_no_end = false;
	f->base = f->top = 0;
	return end.rc;
}

/* End a zone from before the chunk, with all zones inside it. */
static int
end_base(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	struct base_end end = { f, io, err, e->ts, TT_OK };

	tt_stack_end(&io->base, e->val, e->ts, e->flags, end_base_zone, &end);
	f->base = f->top = io->base.n;
	const struct tt_open *z = io->base.n ? &io->base.z[io->base.n - 1] : NULL;
	/* An Exception zone that was interrupted is on top again. */
	if (end.rc == TT_OK && z && e->flags & TT_F_UNWIND && z->key == TT_KEY_EXCEPTION && z->ts == e->ts && z->flags & TT_F_CONT)
		return tt_fold_enter_open(f, io, io->base.n - 1, z->key, z->ts, err);
	return end.rc;
}

static int
zone_begin(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const size_t around = tt_fold_level_around(f, e);
	int rc = tt_fold_enter_open(f, io, around, e->val, e->ts, err);

	f->top = around + 1;
	f->level[f->top].begin = e;
	TT_THEN(rc, tt_fold_slice_begin(f, io, f->top, e, err));
	return rc == TT_OK && f->places_steps ? tt_flow_steps_zone(f, io, f->top, e, INT64_MAX, err) : rc;
}

static int
zone_end(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const size_t before = io->nslice;

	if (e->flags & TT_F_BASE)
		return end_base(f, io, e, err);
	if (e->depth < UINT16_MAX)
		f->top = f->base + e->depth + 1;
	int rc = end_begun(f, io, f->top, f->level[f->top].begin, e->ts, e->flags, err);
	tt_fold_slice_end(f, io, f->top--, before);
	return rc;
}

int
tt_fold_event(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	int rc;

	switch (e->kind) {
	case TT_ZONE:
		return tt_fold_zone(f, io, e, err);
	case TT_ZONE_BEGIN:
		return zone_begin(f, io, e, err);
	case TT_ZONE_END:
		return zone_end(f, io, e, err);
	case TT_ALLOC:
		rc = alloc(f, io, e, tt_fold_level_around(f, e), err);
		return rc == TT_OK && f->needs & TT_NEEDS_FOUND ? tt_fold_add_site(f, io, e, tt_fold_level_around(f, e), err) : rc;
	case TT_SAMPLE:
		return tt_fold_sample(f, io, e, err);
	case TT_THROW:
	case TT_MONITOR:
	case TT_HANDLE:
		return tt_fold_add_site(f, io, e, tt_fold_level_around(f, &e[1]), err);
	case TT_FLOW:
		return f->places_steps ? tt_flow_steps_step(f, io, e, err) : TT_OK;
	case TT_GAP:
		/* It is not known which zones are open from here on. */
		if (e->flags & TT_F_CONT)
			return TT_OK;
		return tt_fold_close_base(f, io, e->flags & TT_F_BASE || e->ts < io->base.seen_ts ? io->base.seen_ts : e->ts, err);
	default:
		return TT_OK;
	}
}
