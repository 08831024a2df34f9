/**
 * The life of a fold, and of a chunk in it: levels of the zones that are open before it, its events in turn, its end.
 */
#include "fold/state.h"

#include <stdlib.h>

/* fast.c can be deleted: then nothing refers to it, and the plain rule folds everything. */
#if __has_include("fold/fast.c")
static const struct tt_fast_calls *const fast_calls = &tt_fast_calls;
#else
static const struct tt_fast_calls *const fast_calls = NULL;
#endif

int
tt_fold_new(const struct tt_fold_opts *o, struct tt_fold **to, struct tt_err *err)
{
	struct tt_fold *f = *to = tt_mem_alloc(o->mem, sizeof *f, err);

	if (!f)
		return err->code;
	*f = (struct tt_fold){ .mem = o->mem, .m = o->m, .needs = o->needs, .filters_zones = o->filters_zones, .reuses_classes = o->reuses_classes,
		.close = o->close };
	f->counts_paths = (o->needs & (TT_NEEDS_CALLS | TT_NEEDS_HIST)) != 0;
	f->counts_wrappers = (o->needs & TT_NEEDS_SLICES) || o->m->filter.depth;
	if (tt_counts_new(o->mem, &f->counts, err) != TT_OK)
		return err->code;
	if (!fast_calls || getenv("TT_PLAIN"))
		return TT_OK;
	f->fast = fast_calls;
	return f->fast->new(f, err);
}

void
tt_fold_free(struct tt_fold *f)
{
	if (!f)
		return;
	if (f->fast)
		f->fast->free(f);
	tt_counts_free(f->counts);
	tt_mem_free(f->mem, f->level, f->caplevel * sizeof *f->level);
	tt_mem_free(f->mem, f->exception, f->capexception * sizeof *f->exception);
	tt_mem_free(f->mem, f->own, f->capown * sizeof *f->own);
	tt_mem_free(f->mem, f->next, f->capnext * sizeof *f->next);
	tt_mem_free(f->mem, f, sizeof *f);
}

void
tt_fold_io_free(struct tt_fold_io *io, struct tt_mem *mem)
{
	tt_stack_free(&io->base, mem);
	tt_overlay_free(io->overlay);
	tt_mem_free(mem, io->slice, io->capslice * sizeof *io->slice);
	tt_mem_free(mem, io->begun, io->capbegun * sizeof *io->begun);
	tt_mem_free(mem, io->args, io->capargs * sizeof *io->args);
	tt_args_free(io->ended, mem);
	tt_mem_free(mem, io->site, io->capsite * sizeof *io->site);
	tt_mem_free(mem, io->left, io->capleft * sizeof *io->left);
	tt_mem_free(mem, io->sum, io->capsum * sizeof *io->sum);
}

struct tt_counts *
tt_fold_take_counts(struct tt_fold *f)
{
	struct tt_counts *counts = f->counts;

	f->counts = NULL;
	return counts;
}

/* --- a chunk ------------------------------------------------------------------------------ */

/* The last time of the chunk. */
static int64_t
last_time(const struct tt_batch *b)
{
	return b->nstack && b->stack_ts > b->max_ts ? b->stack_ts : b->max_ts;
}

/* True if ${b} has an event whose enclosing zones matter, in the filter's time or not. */
static bool
has_sites(const struct tt_fold *f, const struct tt_batch *b)
{
	const uint64_t kinds = TT_KIND(TT_THROW) | TT_KIND(TT_MONITOR) | TT_KIND(TT_HANDLE);
	bool any = f->needs & (TT_NEEDS_FOUND | TT_NEEDS_BY_FRAME);

	for (size_t i = 0; f->needs & TT_NEEDS_SITES && i < b->nrare && !any; i++)
		any = kinds >> b->ev[b->rare[i]].kind & 1;
	return any;
}

/* True if the chunk adds no path: all of it lies outside the filter's time. */
static bool
is_outside(const struct tt_fold *f, const struct tt_batch *b)
{
	const int64_t last = last_time(b);

	return f->close && b->min_ts <= last && tt_filter_misses(&f->m->filter, b->min_ts, last) && !has_sites(f, b);
}

/* Clear the output of the chunk before in ${io}. */
static int
clear_output(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	if (!io->overlay && tt_overlay_new(f->mem, &io->overlay, err) != TT_OK)
		return err->code;
	tt_overlay_clear(io->overlay);
	if (f->fast)
		f->fast->forget(f);
	io->nslice = io->nbegun = io->nargs = io->nsite = io->nsum = 0;
	return TT_OK;
}

/* Set the levels of the zones that were open before the chunk, whose events take ${nmore} more levels. */
static int
begin_chunk(struct tt_fold *f, struct tt_fold_io *io, size_t nmore, struct tt_err *err)
{
	const struct tt_open *z = io->base.z;
	size_t nknown = 0;
	int rc = clear_output(f, io, err);

	f->base = f->top = io->base.n;
	f->is_outside = is_outside(f, io->b);
	if (f->fast && rc == TT_OK)
		nknown = f->fast->begin(f, io);
	TT_THEN(rc, tt_mem_grow(f->mem, &f->level, &f->caplevel, io->base.n + nmore + 4, sizeof *f->level, err));
	if (rc == TT_OK && f->counts_paths)
		rc = tt_fold_descend(f, io, &tt_fold_nowhere, TT_NODE_THREAD, io->thread->index, &f->level[0], err);
	if (rc != TT_OK)
		return rc;
	f->level[0].filtered = f->level[0].hidden = f->level[0].hidden_wrapper = false;
	f->level[0].nhidden_wrappers = 0;
	for (size_t i = nknown; i < io->base.n && rc == TT_OK; i++) {
		f->level[i + 1].number = z[i].number;
		rc = tt_fold_enter_open(f, io, i, z[i].key, z[i].ts, err);
	}
	return rc == TT_OK ? tt_flow_steps_begin(f, io, err) : rc;
}

/* True if there is a zone of the producer's own, not only those made of GC, lock or exception events. */
static bool
any_call(const struct tt_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if ((b->ev[i].kind == TT_ZONE || b->ev[i].kind == TT_ZONE_BEGIN) && b->ev[i].val < TT_KEY_SPECIAL)
			return true;
	return false;
}

int
tt_fold_chunk(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_batch *b = io->b;
	int rc = begin_chunk(f, io, b->deepest && b->deepest < b->n ? b->deepest : b->n, err);

	io->calls = b->n > b->nrare && any_call(b);
	if (f->fast && rc == TT_OK)
		rc = f->fast->events(f, io, err);
	for (size_t i = 0; !f->fast && i < b->n && rc == TT_OK; i++)
		rc = tt_fold_event(f, io, &b->ev[i], err);
	tt_flow_steps_end(io);
	return tt_exceptions_end(f, io, rc, err);
}

int
tt_fold_samples(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_batch *b = io->b;
	int rc = clear_output(f, io, err);

	for (size_t i = 0; i < b->nrare && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		if (e->kind == TT_SAMPLE)
			rc = tt_fold_sample(f, io, e, err);
	}
	return rc;
}

int
tt_fold_rest(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	int rc = begin_chunk(f, io, 0, err);

	TT_THEN(rc, tt_fold_close_base(f, io, io->base.seen_ts, err));
	return tt_exceptions_end(f, io, rc, err);
}
