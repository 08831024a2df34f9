/**
 * A lock-free hash table of numbers. Parts are added and never moved, so readers never wait.
 */
#include "recorder/mono/mono_table.h"

#include "recorder/core/platform.h"

enum { FIRST_BITS = 13 };

static size_t
bytes(uint32_t bits)
{
	return sizeof(struct table_part) + ((size_t)1 << bits) * sizeof(struct table_slot);
}

/* Add a part before ${older}. If another thread was faster, its part is used. */
static struct table_part *
grow(struct table *t, struct table_part *older)
{
	uint32_t bits = older ? older->bits + 1 : FIRST_BITS;
	struct table_part *p = bits < 30 ? plat_alloc(bytes(bits)) : NULL, *now = older;

	if (!p)
		return NULL;
	p->bits = bits;
	p->older = older;
	if (atomic_compare_exchange_strong(&t->newest, &now, p))
		return p;
	plat_free(p, bytes(bits));
	return now;
}

/* Take a slot for a key that has none; NULL: the part is full. */
static struct table_slot *
claim(struct table_part *p, uint64_t key)
{
	uint32_t mask = (1u << p->bits) - 1;

	if (atomic_fetch_add_explicit(&p->used, 1, memory_order_relaxed) > mask / 2)
		return NULL;
	for (uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;; i = (i + 1) & mask) {
		uint64_t k = 0;
		if (atomic_compare_exchange_strong(&p->slot[i].key, &k, key) || k == key)
			return &p->slot[i];
	}
}

uint64_t
table_set(struct table *t, uint64_t key, uint64_t value)
{
	struct table_part *p = atomic_load_explicit(&t->newest, memory_order_acquire), *q;
	struct table_slot *s = NULL;

	for (q = p; q && !s; q = q->older)
		s = table_in(q, key);
	while (!s) {
		s = p ? claim(p, key) : NULL;
		if (!s && !(p = grow(t, p)))
			return 0;
	}
	return atomic_exchange_explicit(&s->value, value, memory_order_acq_rel);
}
