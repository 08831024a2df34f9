/**
 * The ring's list of free chunks, without locks. Nothing here knows what a chunk is for.
 */
#include "recorder/core/ring.h"

uint32_t
ring_take_chunk(struct ring *r)
{
	uint64_t head = atomic_load_explicit(&r->free_list, memory_order_acquire);

	for (;;) {
		uint32_t first = (uint32_t)head;
		if (first == 0)
			return 0;
		uint64_t next = atomic_load_explicit(&r->next_in_list[first - 1], memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(&r->free_list, &head, ((head >> 32) + 1) << 32 | next,
		    memory_order_acq_rel, memory_order_acquire)) {
			atomic_fetch_sub_explicit(&r->nfree, 1, memory_order_relaxed);
			return first;
		}
	}
}

void
ring_free_chunk(struct ring *r, uint32_t index)
{
	uint64_t head = atomic_load_explicit(&r->free_list, memory_order_relaxed);

	do
		atomic_store_explicit(&r->next_in_list[index], (uint32_t)head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&r->free_list, &head, ((head >> 32) + 1) << 32 | (index + 1),
	    memory_order_acq_rel, memory_order_relaxed));
	atomic_fetch_add_explicit(&r->nfree, 1, memory_order_relaxed);
}
