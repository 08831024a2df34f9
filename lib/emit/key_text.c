/**
 * Keeps prepared text by key, so that a name is escaped once.
 */
#include "emit/key_text.h"

#include "base/err.h"

static const struct tt_frag no_slot[2];

void
tt_frags_init(struct tt_frags *f, struct tt_mem *mem)
{
	/*
	 * A table without entries points to empty slots, so that look-ups need no special case; the slots are never written, as adding grows the table first.
	 */
	*f = (struct tt_frags){ .mem = mem, .slot = (struct tt_frag *)(uintptr_t)no_slot, .nslot = 2 };
}

static void
free_slots(struct tt_frags *f)
{
	if (f->slot != no_slot)
		tt_mem_free(f->mem, f->slot, f->nslot * sizeof *f->slot);
}

void
tt_frags_free(struct tt_frags *f)
{
	if (!f->mem)
		return;
	free_slots(f);
	tt_mem_free(f->mem, f->text, f->cap);
	tt_frags_init(f, f->mem);
}

static void
put(struct tt_frag *slot, size_t nslot, struct tt_frag e)
{
	size_t i = tt_seeded_slot(e.key, nslot);

	while (slot[i].n)
		i = (i + 1) & (nslot - 1);
	slot[i] = e;
}

static int
grow(struct tt_frags *f, struct tt_err *err)
{
	size_t nslot = f->slot == no_slot ? 64 : f->nslot * 2;
	struct tt_frag *slot = tt_mem_alloc(f->mem, nslot * sizeof *slot, err);

	if (!slot)
		return err ? err->code : TT_E_NOMEM;
	for (size_t i = 0; i < f->nslot; i++)
		if (f->slot[i].n)
			put(slot, nslot, f->slot[i]);
	free_slots(f);
	f->slot = slot;
	f->nslot = nslot;
	return TT_OK;
}

int
tt_frags_add(struct tt_frags *f, uint64_t key, const char *s, size_t n, struct tt_err *err)
{
	struct tt_frag e = { .key = key, .at = (uint32_t)f->n, .n = (uint32_t)n };
	size_t bytes = n == TT_FRAG_SKIP ? 0 : n;
	int rc;

	if (f->n + bytes > UINT32_MAX - TT_FRAG_PAD)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "the names of the capture take more than 4 GiB");
	if (f->slot == no_slot || (f->used + 1) * 2 > f->nslot) {
		rc = grow(f, err);
		if (rc != TT_OK)
			return rc;
	}
	rc = tt_mem_grow(f->mem, &f->text, &f->cap, f->n + bytes + TT_FRAG_PAD, 1, err);
	if (rc != TT_OK)
		return rc;
	if (bytes)
		memcpy(f->text + f->n, s, bytes);
	f->n += bytes;
	put(f->slot, f->nslot, e);
	f->used++;
	return TT_OK;
}
