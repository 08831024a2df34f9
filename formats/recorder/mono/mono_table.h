/**
 * A map from addresses to numbers: defined classes and methods, and their states.
 *
 * Any thread, also with the world stopped: no lock, no system call except mmap for more room. The hot path of allocations uses it, usually with one probe. An
 * address stays in the table when its number becomes 0, which means "not there".
 */
#ifndef TT_MONO_MONO_TABLE_H
#define TT_MONO_MONO_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct table_slot { _Atomic uint64_t key, value; };

/* Each part is twice as large as the one before. */
struct table_part {
	uint32_t bits;
	_Atomic uint32_t used;
	struct table_part *older;
	struct table_slot slot[];
};

struct table { _Atomic(struct table_part *) newest; };

/* Return the slot of ${key} in one part, or NULL. */
static inline struct table_slot *
table_in(struct table_part *p, uint64_t key)
{
	uint32_t mask = (1u << p->bits) - 1;

	for (uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;; i = (i + 1) & mask) {
		uint64_t k = atomic_load_explicit(&p->slot[i].key, memory_order_acquire);
		if (k == key)
			return &p->slot[i];
		if (k == 0)
			return NULL;
	}
}

/* Return the number of ${key}; 0: no number. */
static inline uint64_t
table_get(const struct table *t, uint64_t key)
{
	for (struct table_part *p = atomic_load_explicit(&t->newest, memory_order_acquire); p; p = p->older) {
		struct table_slot *s = table_in(p, key);
		if (s)
			return atomic_load_explicit(&s->value, memory_order_acquire);
	}
	return 0;
}

/* Set the number of ${key} (not 0) and return the previous one; 0 also if there is no memory for it. */
uint64_t table_set(struct table *t, uint64_t key, uint64_t value);

#endif
