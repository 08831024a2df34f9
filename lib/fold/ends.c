/**
 * Ends zones: each is clipped to the filter's time, counted in its call path, and made a slice for emitters that write every zone.
 */
#include "fold/state.h"

static int
add_dur(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, uint64_t dur, bool counts, struct tt_err *err)
{
	const uint8_t what = likely(counts) ? (f->rest ? TT_DUR_CUT : TT_DUR_WHOLE) : TT_DUR_REST;

	if (!(f->needs & TT_NEEDS_HIST))
		return TT_OK;
	if (likely(l->c != NULL))
		return tt_fold_count_dur(f->counts, l->c->dist, dur, what, err);
	struct tt_over *o = &io->over;
	int rc = tt_mem_grow(o->mem, &o->late, &o->caplate, o->nlate + 1, sizeof *o->late, err);
	if (rc == TT_OK)
		o->late[o->nlate++] = (struct tt_late){ .node = l->node & ~TT_OVER, .what = what, .dur = dur };
	return rc;
}

/* Give the last slice the arguments ${a}; a slice that is cut stays so. */
static int
set_args(struct tt_fold *f, struct tt_fold_io *io, const struct tt_args *a, struct tt_err *err)
{
	struct tt_slice *s = &io->slice[io->nslice - 1];
	size_t at = s->flags >> TT_SLICE_ARGS;

	if (at == 0) {
		int rc = tt_mem_grow(f->mem, &io->args, &io->capargs, io->nargs + 1, sizeof *io->args, err);
		if (rc != TT_OK)
			return rc;
		at = ++io->nargs;
		/* A chunk has too few bytes for more arguments than the flags can number. */
		s->flags |= (uint32_t)at << TT_SLICE_ARGS;
	}
	io->args[at - 1] = *a;
	io->args[at - 1].cut = (s->flags & TT_F_POPPED) != 0;
	return TT_OK;
}

static int
add_slice(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, int64_t dur, uint64_t key, size_t depth,
    unsigned flags, struct tt_err *err)
{
	static const struct tt_args none;

	if (io->nslice == io->capslice) {
		int rc = tt_mem_grow(f->mem, &io->slice, &io->capslice, io->nslice + 1, sizeof *io->slice, err);
		if (rc != TT_OK)
			return rc;
	}
	io->slice[io->nslice++] = (struct tt_slice){ .ts = ts, .dur = dur, .key = key, .depth = (uint32_t)depth,
		.flags = flags };
	return flags & TT_F_POPPED ? set_args(f, io, &none, err) : TT_OK;
}

/* Give the arguments ${a} to the last slice, if one was made since there were ${before}. */
static int
add_args(struct tt_fold *f, struct tt_fold_io *io, size_t before, const struct tt_args *a, struct tt_err *err)
{
	return io->nslice == before || a->n == 0 ? TT_OK : set_args(f, io, a, err);
}

/* --- exceptions: a zone in pieces, one for each frame that is left, counts as one --- */

/* Count the innermost exception, which has ended. */
static int
thrown_over(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_thrown *t = &f->thrown[--f->nthrown];
	const bool rest = f->rest;

	f->rest = t->cut;
	const int rc = add_dur(f, io, &t->l, (uint64_t)(t->end - t->since), true, err);
	f->rest = rest;
	return rc;
}

/* A piece at level ${l}. Pieces of one exception follow each other without a gap; exceptions thrown between two pieces end at the second. */
static int
thrown_piece(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, int64_t ts, int64_t end, unsigned flags,
    struct tt_err *err)
{
	int rc = TT_OK;

	while ((flags & TT_F_CONT) && f->nthrown && f->thrown[f->nthrown - 1].end != ts && rc == TT_OK)
		rc = thrown_over(f, io, err);
	if (rc != TT_OK)
		return rc;
	if (!(flags & TT_F_CONT)) {
		rc = tt_mem_grow(f->mem, &f->thrown, &f->capthrown, f->nthrown + 1, sizeof *f->thrown, err);
		if (rc == TT_OK)
			f->thrown[f->nthrown++] = (struct tt_thrown){ ts, end, *l, f->rest };
	} else if (f->nthrown) {
		f->thrown[f->nthrown - 1].end = end;
		f->thrown[f->nthrown - 1].cut = f->rest;
		f->thrown[f->nthrown - 1].l = *l;
	} else {                      /* it began in an earlier chunk, and was counted there */
		rc = add_dur(f, io, l, (uint64_t)(end - ts), false, err);
	}
	return rc;
}

int
tt_fold_thrown_over(struct tt_fold *f, struct tt_fold_io *io, int rc, struct tt_err *err)
{
	while (f->nthrown && rc == TT_OK)
		rc = thrown_over(f, io, err);
	f->nthrown = 0;
	return rc;
}

/* --- the end of a zone ------------------------------------------------------- */

/*
 * Count all of a zone of level ${i}, clipped to the time of all parts together, in the part in which it begins. Its time is not self
 * time of the zone around it, in whichever part that one begins. So the sums of all parts are those of the whole.
 */
static int
count_whole(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur, bool counts, struct tt_err *err)
{
	const struct tt_level *l = &f->lvl[i], *up = l - 1;
	struct tt_count *c = tt_fold_count_of(io, l);

	if (i > 1 && l->in != up->in)
		tt_fold_count_of(io, up)->self += l->in ? dur : -dur;
	if (!l->in)
		return TT_OK;
	c->n += counts;
	c->total += dur;
	return add_dur(f, io, l, (uint64_t)dur, counts, err);
}

/*
 * A zone of level ${i} that is left out with all its time has ended: take its time out of the zones around it. If zones count in the part in which they
 * begin, take it from the counts that count_whole() added it to.
 */
static void
take_out(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur)
{
	const struct tt_level *below = NULL;

	for (size_t k = i; k-- > 1;) {
		const struct tt_level *l = &f->lvl[k];
		bool in = !f->m->filter.by_begin || l->in;

		if (l->out)
			continue;
		if (in)
			tt_fold_count_of(io, l)->total -= dur;
		if (below && f->m->filter.by_begin && below->in != l->in)
			tt_fold_count_of(io, l)->self -= below->in ? dur : -dur;
		below = l;
	}
}

/* Take the time of a zone of level ${i} out of the zones around it, in each frame. */
static int
take_out_of_frames(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t k = i; k-- > 1 && rc == TT_OK;)
		if (!f->lvl[k].out)
			rc = tt_fold_sum_zone(f, io, f->lvl[k].node, ts, end, false, -1, err);
	return rc;
}

int
tt_fold_begin_slice(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	struct tt_level *l = &f->lvl[i];
	uint32_t flags = e->flags;

	l->begun = 0;
	/* Deeper ones are dropped if the chunk leaves them open: tt_stack_push(). */
	if (!(f->needs & TT_NEEDS_SLICES) || l->out || tt_filter_tells_late(flt) || e->ts >= flt->to || i > TT_STACK_MAX ||
	    l->veiled || (flags & TT_F_CONT && e->val == TT_KEY_EXCEPTION))
		return TT_OK;
	int rc = tt_mem_grow(f->mem, &io->begun, &io->capbegun, io->nbegun + 1, sizeof *io->begun, err);
	if (rc == TT_OK && flags & TT_F_MORE) {
		rc = tt_mem_grow(f->mem, &io->args, &io->capargs, io->nargs + 1, sizeof *io->args, err);
		if (rc == TT_OK) {
			io->args[io->nargs++] = tt_args_of(io->b, (size_t)(e - io->b->ev));
			flags |= (uint32_t)io->nargs << TT_SLICE_ARGS;
		}
	}
	if (rc != TT_OK)
		return rc;
	io->begun[io->nbegun++] = (struct tt_begun){ .before = io->nslice,
		.s = { .ts = e->ts, .dur = -1, .key = e->val, .depth = (uint32_t)i - 1 - l->veils, .flags = flags } };
	l->begun = io->nbegun;
	return TT_OK;
}

/* A hidden zone of level ${i}, which is left out, has ended: take its time out of the zones around it. */
static __attribute__((noinline)) int
finish_hidden(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	int64_t dur;

	if (f->lvl[i - 1].hid)
		return TT_OK;                 /* with that one */
	if (f->needs & TT_NEEDS_BY_FRAME && !flt->by_begin && take_out_of_frames(f, io, i, ts, end, err) != TT_OK)
		return err->code;
	if (f->tree && (dur = tt_filter_clip(flt->by_begin ? &f->m->of->filter : flt, &ts, &end)) > 0)
		take_out(f, io, i, dur);
	return TT_OK;
}

/* Count a zone in its call path, clipped to ${dur} ns from ${ts} to ${end}. */
static inline int
count_piece(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, int64_t ts, int64_t end, int64_t dur, uint64_t key, unsigned flags,
    bool counts, struct tt_err *err)
{
	struct tt_count *c = tt_fold_count_of(io, l);

	c->n += counts;
	c->total += dur;
	if (key == TT_KEY_EXCEPTION && (counts || (flags & TT_F_CONT)))
		return thrown_piece(f, io, l, ts, end, flags, err);
	return add_dur(f, io, l, (uint64_t)dur, counts, err);
}

int
tt_fold_finish(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, uint64_t key, unsigned flags,
    struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	const struct tt_level *l = &f->lvl[i];
	bool counts = tt_filter_has(flt, ts) && !(flags & TT_F_CONT);
	int64_t dur;
	int rc = TT_OK;

	if (end < ts)
		end = ts;
	if (unlikely(l->hid) && (rc = finish_hidden(f, io, i, ts, end, err)) != TT_OK)
		return rc;
	if (l->out || end - ts < flt->min_dur)
		return TT_OK;
	if (flt->by_begin)
		return f->tree && (dur = tt_filter_clip(&f->m->of->filter, &ts, &end)) >= 0 ? count_whole(f, io, i, dur, counts, err) : TT_OK;
	if (unlikely(f->needs & TT_NEEDS_BY_FRAME) && (rc = tt_fold_sum_zone(f, io, l->node, ts, end, counts, 1, err)) != TT_OK)
		return rc;
	if ((dur = tt_filter_clip(flt, &ts, &end)) < 0)
		return TT_OK;
	if (f->tree)
		rc = count_piece(f, io, l, ts, end, dur, key, flags, counts, err);
	if (rc == TT_OK && (f->needs & TT_NEEDS_SLICES) && !l->veiled && !(flags & TT_F_CONT && key == TT_KEY_EXCEPTION))
		rc = add_slice(f, io, ts, end - ts, key, i - 1 - l->veils, flags, err);
	return rc;
}

int
tt_fold_finish_args(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *b, const struct tt_event *e,
    struct tt_err *err)
{
	const struct tt_args a = tt_args_of(io->b, (size_t)(b - io->b->ev));
	size_t before = io->nslice;
	int rc = tt_fold_finish(f, io, i, b->ts, e->ts + e->dur, e->val, (unsigned)(e->flags | b->flags), err);

	return rc == TT_OK ? add_args(f, io, before, &a, err) : rc;
}

/* --- ends of zones from earlier chunks ------------------------------------- */

struct base_end {
	struct tt_fold *f;
	struct tt_fold_io *io;
	struct tt_err *err;
	int64_t ts;
	int rc;
};

static void
base_popped(void *arg, const struct tt_open *z, unsigned flags)
{
	struct base_end *e = arg;
	const bool rest = e->f->rest;
	size_t before = e->io->nslice;

	e->f->rest = rest || flags & TT_F_POPPED;
	if (e->rc == TT_OK)
		e->rc = tt_fold_finish(e->f, e->io, e->io->base.n + 1, z->ts, e->ts, z->key, flags | z->flags | TT_F_BASE, e->err);
	e->f->rest = rest;
	if (unlikely(z->args != NULL) && e->rc == TT_OK)
		e->rc = add_args(e->f, e->io, before, &z->args->args, e->err);
}

int
tt_fold_end_base(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	struct base_end be = { f, io, err, e->ts, TT_OK };

	tt_stack_end(&io->base, e->val, e->ts, e->flags, base_popped, &be);
	if (be.rc != TT_OK || io->base.n == 0)
		return be.rc;
	/* An Exception zone that was interrupted is on top again. */
	const struct tt_open *top = &io->base.z[io->base.n - 1];
	if ((e->flags & TT_F_UNWIND) && top->key == TT_KEY_EXCEPTION && top->ts == e->ts && (top->flags & TT_F_CONT))
		return tt_fold_step_down(f, io, io->base.n - 1, top->key, top->ts, tt_fold_left_out_open(f, io, io->base.n - 1, top->ts, top->key), err);
	return TT_OK;
}

int
tt_fold_close_base(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, struct tt_err *err)
{
	struct base_end be = { f, io, err, ts, TT_OK };

	while (io->base.n > 0) {
		io->base.n--;
		base_popped(&be, &io->base.z[io->base.n], TT_F_POPPED);
	}
	return be.rc;
}
