/**
 * Finds the steps of flows whose own zone the filter leaves out: emitters link none of these (emit/flow_steps.h).
 *
 * A step's own zone is the innermost zone around it or, if the step binds to the next zone, that zone. A TT_ZONE comes in the order of its begin, and has ended
 * when a later event is past its end: the levels' ends tell which zones are over.
 */
#include "fold/state.h"

#include "base/order.h"

/* True if filters by name or by zone leave out something. */
static bool
leaves_out(const struct tt_fold *f)
{
	const struct tt_filter *flt = &f->m->filter;

	return f->filters_zones || flt->marker || flt->category || flt->no_wait;
}

int
tt_flow_steps_begin(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const bool any = f->needs & TT_NEEDS_SLICES && f->close && f->close->always && !f->is_outside && leaves_out(f);

	io->nleft = 0;
	io->first_left = false;
	f->nnext = 0;
	f->has_begun = false;
	/* In a chunk without steps, only a filter of single zones has to be applied. */
	f->places_steps = any && (f->filters_zones || io->b->rare_kinds & TT_KIND(TT_FLOW));
	return f->places_steps ? tt_mem_grow(f->mem, &f->own, &f->capown, io->base.n + io->b->n + 4, sizeof *f->own, err) : TT_OK;
}

/* True if the zone of ${key} at level ${i} is left out. */
static bool
is_left_out(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key)
{
	const struct tt_name *n = tt_model_key(f->m, io->cap->process, key);

	return f->level[i].filtered || (n && (!n->wanted || n->is_left_out));
}

static int
leave_out(struct tt_fold *f, struct tt_fold_io *io, uint32_t event, struct tt_err *err)
{
	if (tt_mem_grow(f->mem, &io->left, &io->capleft, io->nleft + 1, sizeof *io->left, err) != TT_OK)
		return err->code;
	io->left[io->nleft++] = event;
	return TT_OK;
}

int
tt_flow_steps_zone(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, int64_t end, struct tt_err *err)
{
	int rc = TT_OK;

	f->own[i] = (struct tt_own){ end, e->val };
	if (e->flags & TT_F_CONT || (f->has_begun && f->nnext == 0))
		return TT_OK;
	const bool out = is_left_out(f, io, i, e->val);
	io->first_left = f->has_begun ? io->first_left : out;
	f->has_begun = true;
	for (size_t k = 0; k < f->nnext && out && rc == TT_OK; k++)
		rc = leave_out(f, io, f->next[k], err);
	f->nnext = 0;
	return rc;
}

int
tt_flow_steps_step(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const uint32_t event = (uint32_t)(e - io->b->ev);
	size_t i = f->top;

	if (e->flags & TT_F_NEXT) {
		if (tt_mem_grow(f->mem, &f->next, &f->capnext, f->nnext + 1, sizeof *f->next, err) != TT_OK)
			return err->code;
		f->next[f->nnext++] = event;
		return TT_OK;
	}
	while (i > f->base && f->own[i].end < e->ts)
		i--;
	if (i == 0 || !is_left_out(f, io, i, i > f->base ? f->own[i].key : io->base.z[i - 1].key))
		return TT_OK;
	return leave_out(f, io, event, err);
}

static int
by_number(const void *a, const void *b)
{
	return TT_CMP(*(const uint32_t *)a, *(const uint32_t *)b);
}

void
tt_flow_steps_end(struct tt_fold_io *io)
{
	tt_sort(io->left, io->nleft, by_number);
}
