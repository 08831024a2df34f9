/*
 * Batches of events: their memory, and the lists and texts beside their events.
 */
#include "base/order.h"
#include "model/event.h"

/* Clear all but the slots for unknown types, which are most of a batch: tt_fit_unknown() sets each when it takes it. */
static void
clear(struct tt_batch *b)
{
	memset(b, 0, offsetof(struct tt_batch, fit.unknown));
}

void
tt_batch_init(struct tt_batch *b, struct tt_mem *mem, unsigned needs)
{
	clear(b);
	b->mem = mem;
	b->needs = needs;
	tt_loss_reset(&b->loss);
	tt_batch_reset(b);
}

void
tt_batch_free(struct tt_batch *b)
{
	tt_mem_free(b->mem, b->ev, b->cap * sizeof *b->ev);
	tt_mem_free(b->mem, b->word, b->capword * sizeof *b->word);
	tt_mem_free(b->mem, b->def, b->capdef * sizeof *b->def);
	tt_mem_free(b->mem, b->rare, b->caprare * sizeof *b->rare);
	tt_mem_free(b->mem, b->tally, 256 * sizeof *b->tally);
	tt_mem_free(b->mem, b->open, b->capopen * sizeof *b->open);
	tt_opened_free(&b->opened, b->mem);
	tt_mem_free(b->mem, b->base_end, b->capbase_end * sizeof *b->base_end);
	tt_mem_free(b->mem, b->unsure_end, b->capunsure * sizeof *b->unsure_end);
	tt_mem_free(b->mem, b->stray, b->capstray * sizeof *b->stray);
	tt_buf_free(&b->text);
	tt_heap_sum_free(&b->heap, b->mem);
	clear(b);
}

void
tt_batch_reset(struct tt_batch *b)
{
	b->n = b->nword = b->ndef = b->nrare = 0;
	b->rare_kinds = 0;
	b->text.n = 0;
	tt_heap_sum_reset(&b->heap);
	b->depth = b->deepest = b->nbase_end = 0;
	tt_opened_forget(&b->opened);
	b->base = NULL;
	b->unsure = 0;
	b->nstray = 0;
	b->keeps_strays = false;
	b->late = false;
	b->nstack = b->nevent = b->nzone = b->cut = b->nalloc = b->alloc_b = 0;
	b->min_ts = INT64_MAX;
	b->max_ts = INT64_MIN;
	if (b->tally)
		memset(b->tally, 0, 256 * sizeof *b->tally);
	if (b->loss.any)
		tt_loss_reset(&b->loss);
	tt_fit_reset(&b->fit);
}

int
tt_batch_grow(struct tt_batch *b, size_t more, struct tt_err *err)
{
	int rc = tt_mem_grow(b->mem, &b->ev, &b->cap, b->n + more, sizeof *b->ev, err);

	TT_THEN(rc, tt_mem_grow(b->mem, &b->open, &b->capopen, b->depth + more, sizeof *b->open, err));
	return rc;
}

struct tt_event *
tt_batch_rare(struct tt_batch *b, enum tt_kind kind, int64_t ts, uint64_t val, struct tt_err *err)
{
	if (b->nrare == b->caprare &&
	    tt_mem_grow(b->mem, &b->rare, &b->caprare, b->nrare + 1, sizeof *b->rare, err) != TT_OK)
		return NULL;
	/* Room for the event and for the slots that belong to it. */
	if (tt_batch_room(b, 16, err) != TT_OK)
		return NULL;
	b->rare[b->nrare++] = (uint32_t)b->n;
	b->rare_kinds |= TT_KIND(kind);
	struct tt_event *e = &b->ev[b->n++];
	*e = (struct tt_event){ .ts = ts, .val = val, .kind = (uint8_t)kind };
	return e;
}

int
tt_batch_words(struct tt_batch *b, size_t n, uint64_t *at, struct tt_err *err)
{
	int rc = tt_mem_grow(b->mem, &b->word, &b->capword, b->nword + n, sizeof *b->word, err);

	if (rc == TT_OK) {
		*at = b->nword;
		b->nword += n;
	}
	return rc;
}

int
tt_batch_stray(struct tt_batch *b, enum tt_stray_kind kind, uint64_t key, int64_t ts, uint64_t at, size_t i, struct tt_err *err)
{
	if (!b->keeps_strays)
		return TT_OK;
	int rc = tt_mem_grow(b->mem, &b->stray, &b->capstray, b->nstray + 1, sizeof *b->stray, err);
	if (rc != TT_OK)
		return rc;
	b->stray[b->nstray] = (struct tt_stray){ .key = key, .at = at, .ts = ts, .i = (uint32_t)i, .order = (uint32_t)b->nstray, .kind = kind };
	b->nstray++;
	return TT_OK;
}

int
tt_batch_stray_begin(struct tt_batch *b, uint64_t key, int64_t ts, int64_t closed, uint64_t at, size_t i, struct tt_err *err)
{
	const int rc = tt_batch_stray(b, TT_STRAY_BEGIN, key, ts, at, i, err);

	if (rc == TT_OK && b->keeps_strays)
		b->stray[b->nstray - 1].closed = closed;
	return rc;
}

static int
by_place(const void *a, const void *b)
{
	const struct tt_stray *x = a, *y = b;

	return x->i != y->i ? TT_CMP(x->i, y->i) : TT_CMP(x->order, y->order);
}

void
tt_batch_sort_strays(struct tt_batch *b)
{
	tt_sort(b->stray, b->nstray, by_place);
}

int
tt_batch_def(struct tt_batch *b, const struct tt_def *d, struct tt_err *err)
{
	int rc = tt_mem_grow(b->mem, &b->def, &b->capdef, b->ndef + 1, sizeof *b->def, err);

	if (rc == TT_OK)
		b->def[b->ndef++] = *d;
	return rc;
}
