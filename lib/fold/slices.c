/**
 * Zones for emitters that write each one: a slice when a zone ends. A zone with begin and end events is handed out at its begin, too, so that readers of the
 * output see it in order.
 */
#include "fold/state.h"

/* Give the last slice the arguments ${a}; a cut slice stays marked as cut. */
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

int
tt_fold_slice_add(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, uint64_t key, unsigned flags, struct tt_err *err)
{
	static const struct tt_args none;
	const struct tt_level *l = &f->level[i];

	if (l->hidden_wrapper || (flags & TT_F_CONT && key == TT_KEY_EXCEPTION))
		return TT_OK;
	if (io->nslice == io->capslice) {
		int rc = tt_mem_grow(f->mem, &io->slice, &io->capslice, io->nslice + 1, sizeof *io->slice, err);
		if (rc != TT_OK)
			return rc;
	}
	io->slice[io->nslice++] = (struct tt_slice){ .ts = ts, .dur = end - ts, .key = key, .depth = (uint32_t)(i - 1 - l->nhidden_wrappers),
		.flags = flags };
	return flags & TT_F_POPPED ? set_args(f, io, &none, err) : TT_OK;
}

int
tt_fold_slice_args(struct tt_fold *f, struct tt_fold_io *io, size_t before, const struct tt_args *a, struct tt_err *err)
{
	return io->nslice == before || a->n == 0 ? TT_OK : set_args(f, io, a, err);
}

int
tt_fold_slice_begin(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	struct tt_level *l = &f->level[i];
	uint32_t flags = e->flags;

	l->begun = 0;
	/* Zones deeper than that are dropped if the chunk leaves them open: tt_stack_push(). */
	if (!(f->needs & TT_NEEDS_SLICES) || l->filtered || flt->min_dur || !tt_filter_has(flt, e->ts) || i > TT_STACK_MAX ||
	    l->hidden_wrapper || (flags & TT_F_CONT && e->val == TT_KEY_EXCEPTION))
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
		.s = { .ts = e->ts, .dur = -1, .key = e->val, .depth = (uint32_t)i - 1 - l->nhidden_wrappers, .flags = flags } };
	l->begun = io->nbegun;
	return TT_OK;
}

void
tt_fold_slice_end(const struct tt_fold *f, struct tt_fold_io *io, size_t i, size_t before)
{
	if (io->nslice == before || !f->level[i].begun)
		return;
	io->slice[before].flags |= TT_F_END;
	io->begun[f->level[i].begun - 1].s.dur = io->slice[before].dur;
}
