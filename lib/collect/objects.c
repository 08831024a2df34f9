/**
 * A map from addresses to values that follows the collector's moves.
 */
#include "collect/objects.h"

#include <string.h>

#include "base/err.h"
#include "base/hash_seed.h"

#define GONE 1

void
tt_objects_init(struct tt_objects *o, struct tt_mem *mem)
{
	*o = (struct tt_objects){ .mem = mem };
}

void
tt_objects_free(struct tt_objects *o)
{
	if (!o->mem)
		return;
	tt_mem_free(o->mem, o->slot, o->nslot * sizeof *o->slot);
	tt_mem_free(o->mem, o->moving, o->capmoving * sizeof *o->moving);
	*o = (struct tt_objects){ .mem = o->mem };
}

void
tt_objects_clear(struct tt_objects *o)
{
	if (o->used)
		memset(o->slot, 0, o->nslot * sizeof *o->slot);
	o->n = o->used = 0;
}

static size_t
start(const struct tt_objects *o, uint64_t addr)
{
	return tt_seeded_slot(addr, o->nslot);
}

/* The slot that holds ${addr}, or NULL. */
static struct tt_object_slot *
find(const struct tt_objects *o, uint64_t addr)
{
	if (o->n == 0 || addr <= GONE)
		return NULL;
	for (size_t i = start(o, addr);; i = (i + 1) & (o->nslot - 1)) {
		if (o->slot[i].addr == addr)
			return &o->slot[i];
		if (o->slot[i].addr == 0)
			return NULL;
	}
}

/* Insert an address that is not there yet; there must be room. Slots of removed addresses are not reused, so that the number
   of used slots does not depend on hashes. */
static void
put(struct tt_objects *o, uint64_t addr, uint64_t v)
{
	size_t i = start(o, addr);

	while (o->slot[i].addr)
		i = (i + 1) & (o->nslot - 1);
	o->used++;
	o->slot[i] = (struct tt_object_slot){ addr, v };
	o->n++;
}

/* Make room for one more: rebuild the table without removed addresses, larger if needed. */
static int
room(struct tt_objects *o, struct tt_err *err)
{
	struct tt_objects to = *o;

	if (o->used * 2 < o->nslot)
		return TT_OK;
	to.nslot = o->nslot == 0 ? 64 : o->n * 4 >= o->nslot ? o->nslot * 2 : o->nslot;
	to.slot = tt_mem_alloc(o->mem, to.nslot * sizeof *to.slot, err);
	if (!to.slot)
		return err->code;
	to.n = to.used = 0;
	for (size_t i = 0; i < o->nslot; i++) {
		if (o->slot[i].addr > GONE)
			put(&to, o->slot[i].addr, o->slot[i].v);
	}
	tt_mem_free(o->mem, o->slot, o->nslot * sizeof *o->slot);
	*o = to;
	return TT_OK;
}

bool
tt_objects_get(const struct tt_objects *o, uint64_t addr, uint64_t *v)
{
	const struct tt_object_slot *s = find(o, addr);

	if (s)
		*v = s->v;
	return s != NULL;
}

int
tt_objects_set(struct tt_objects *o, uint64_t addr, uint64_t v, struct tt_err *err)
{
	struct tt_object_slot *s = find(o, addr);
	int rc;

	if (addr <= GONE)
		return TT_OK;
	if (s) {
		s->v = v;
		return TT_OK;
	}
	if ((rc = room(o, err)) == TT_OK)
		put(o, addr, v);
	return rc;
}

void
tt_objects_drop(struct tt_objects *o, uint64_t addr)
{
	struct tt_object_slot *s = find(o, addr);

	if (!s)
		return;
	s->addr = GONE;
	o->n--;
}

int
tt_objects_move(struct tt_objects *o, const uint64_t *word, size_t n,
    void (*moved)(void *arg, uint64_t v, uint64_t from, uint64_t to), void *arg, struct tt_err *err)
{
	size_t moving = 0;
	int rc = TT_OK;

	if (o->n == 0)
		return TT_OK;
	for (size_t i = 0; i + 1 < n && rc == TT_OK; i += 2) {
		struct tt_object_slot *s = find(o, word[i]);
		if (!s || word[i] == word[i + 1])
			continue;
		rc = tt_mem_grow(o->mem, &o->moving, &o->capmoving, moving + 1, sizeof *o->moving, err);
		if (rc != TT_OK)
			return rc;
		o->moving[moving++] = (struct tt_object_slot){ word[i + 1], s->v };
		if (moved)
			moved(arg, s->v, word[i], word[i + 1]);
		s->addr = GONE;
		o->n--;
	}
	for (size_t i = 0; i < moving && rc == TT_OK; i++)
		rc = tt_objects_set(o, o->moving[i].addr, o->moving[i].v, err);
	return rc;
}
