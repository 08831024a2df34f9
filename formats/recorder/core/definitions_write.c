/**
 * Writes into the capture what the ring holds beside events: published definitions, and each thread's final counts.
 */
#include "recorder/core/writer.h"

#define R (&rec_state.ring)
#define W rec_writer

void
writer_definitions(uint64_t most)
{
	uint64_t at = atomic_load_explicit(&R->def_at, memory_order_acquire);

	while (W.def_number < (uint32_t)(at >> 32)) {
		bool last = W.def_number + 1 == (uint32_t)(at >> 32);
		uint32_t c = atomic_load_explicit(&R->def_chunk[W.def_number], memory_order_acquire);
		uint32_t end = last ? (uint32_t)at
				    : atomic_load_explicit(&R->def_end[W.def_number], memory_order_acquire);
		uint8_t *base = (uint8_t *)ring_chunk(R, c - 1);

		while (W.def_offset < end) {
			uint8_t *e = base + W.def_offset;
			uint64_t w =
			    atomic_load_explicit((_Atomic uint64_t *)(void *)e, memory_order_acquire);
			if (w == 0)
				return;
			uint32_t n = (uint32_t)w;
			if (n > most)
				return;
			most -= n;
			writer_record(e[RING_DEF_HEAD], e + RING_DEF_HEAD + 1, n - 9);
			W.def_offset += (n + 8 + 7) & ~7u;
		}
		if (last || end == 0)
			return;
		W.def_number++;
		W.def_offset = TTC_CHUNK_HEAD;
	}
}

/*
 * Write a thread's final account at ${p}: its number, the number of its next chunk, bytes of records in its last chunk, events, drops. Return the place after
 * it.
 */
uint8_t *
writer_account(uint8_t *p, const struct wslot *w)
{
	p = ttc_put(p, w->number);
	p = ttc_put(p, w->next);
	p = ttc_put(p, w->last);
	p = ttc_put(p, w->events);
	return ttc_put(p, w->dropped);
}
