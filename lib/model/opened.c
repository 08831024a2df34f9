/**
 * Indexes the open zones of a thread by key.
 *
 * The innermost level of each key is in the chain of its slot; the levels further out are linked from it.
 */
#include "model/opened.h"

#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/hash_seed.h"
#include "base/order.h"

struct level {
	uint64_t key;
	uint32_t number;
	uint32_t same;                /* level + 1 of the next outer level of this key; 0: none */
	uint32_t next;                /* level + 1 of the next key in the slot's chain; 0: none */
};

static uint32_t *
slot_of(const struct tt_opened *o, uint64_t key)
{
	return &o->slot[tt_seeded_slot(key, o->nslot)];
}

/* The place of the innermost level of ${key} in its chain, or the chain's end. */
static uint32_t *
find(const struct tt_opened *o, uint64_t key)
{
	uint32_t *at = slot_of(o, key);

	while (*at && o->level[*at - 1].key != key)
		at = &o->level[*at - 1].next;
	return at;
}

static void
push(struct tt_opened *o, uint32_t number, uint64_t key)
{
	uint32_t *at = find(o, key);
	struct level *l = &o->level[o->n++];

	*l = (struct level){ .key = key, .number = number, .same = *at };
	if (*at)
		l->next = o->level[*at - 1].next;
	*at = (uint32_t)o->n;
}

static void
pop(struct tt_opened *o)
{
	const struct level *l = &o->level[o->n - 1];
	uint32_t *at = find(o, l->key);

	if (l->same)
		o->level[l->same - 1].next = l->next;
	*at = l->same ? l->same : l->next;
	o->n--;
}

void
tt_opened_forget(struct tt_opened *o)
{
	if (o->n > 0)
		memset(o->slot, 0, o->nslot * sizeof *o->slot);
	o->n = 0;
}

void
tt_opened_free(struct tt_opened *o, struct tt_mem *mem)
{
	tt_mem_free(mem, o->level, o->cap * sizeof *o->level);
	tt_mem_free(mem, o->slot, o->nslot * sizeof *o->slot);
	memset(o, 0, sizeof *o);
}

/* Make room for ${n} levels. A larger table begins empty, to be filled anew. */
static int
make_room(struct tt_opened *o, struct tt_mem *mem, size_t n)
{
	struct tt_err err;
	size_t size = o->nslot ? o->nslot : 256;
	uint32_t *slot;

	if (n >= UINT32_MAX || tt_mem_grow(mem, &o->level, &o->cap, n, sizeof *o->level, &err) != TT_OK)
		return TT_E_NOMEM;
	while (size < 2 * n)
		size *= 2;
	if (size == o->nslot)
		return TT_OK;
	slot = tt_mem_alloc(mem, size * sizeof *slot, &err);
	if (!slot)
		return TT_E_NOMEM;
	tt_mem_free(mem, o->slot, o->nslot * sizeof *o->slot);
	o->slot = slot;
	o->nslot = size;
	o->n = 0;
	return TT_OK;
}

/* The number of indexed levels that have not changed: all below the first that differs, none above it. */
static size_t
still(const struct tt_opened *o, const struct tt_levels *s)
{
	size_t lo = tt_lower_bound(k, 0, o->n < s->n ? o->n : s->n, o->level[k].number == s->number(s->of, k));

	return lo;
}

size_t
tt_opened_find(struct tt_opened *o, struct tt_mem *mem, const struct tt_levels *s, uint64_t key)
{
	size_t i = s->n, stop = s->n > TT_OPENED_FROM ? s->n - TT_OPENED_FROM : 0;

	while (i > stop && s->key(s->of, i - 1) != key)
		i--;
	if (i > stop || i == 0)
		return i;
	if (!mem || make_room(o, mem, s->n) != TT_OK) {
		while (i > 0 && s->key(s->of, i - 1) != key)
			i--;
		return i;
	}
	for (size_t same = still(o, s); o->n > same;)
		pop(o);
	while (o->n < s->n)
		push(o, s->number(s->of, o->n), s->key(s->of, o->n));
	return *find(o, key);
}
