/**
 * Writes into the capture what the ring holds beside events: published definitions, and each thread's final counts.
 */
#include "recorder/core/writer.h"

#define RING (&rec_state.ring)
#define WRITER rec_writer

void
writer_definitions(uint64_t most)
{
	uint64_t at = atomic_load_explicit(&RING->def_at, memory_order_acquire);

	while (WRITER.def_number < (uint32_t)(at >> 32)) {
		bool last = WRITER.def_number + 1 == (uint32_t)(at >> 32);
		uint32_t c = atomic_load_explicit(&RING->def_chunk[WRITER.def_number], memory_order_acquire);
		uint32_t end = last ? (uint32_t)at
				    : atomic_load_explicit(&RING->def_end[WRITER.def_number], memory_order_acquire);
		uint8_t *base = (uint8_t *)ring_chunk(RING, c - 1);

		while (WRITER.def_offset < end) {
			uint8_t *e = base + WRITER.def_offset;
			uint64_t w =
			    atomic_load_explicit((_Atomic uint64_t *)(void *)e, memory_order_acquire);
			if (w == 0)
				return;
			uint32_t n = (uint32_t)w;
			if (n > most)
				return;
			most -= n;
			writer_record(e[RING_DEF_HEAD], e + RING_DEF_HEAD + 1, n - 9);
			WRITER.def_offset += (n + 8 + 7) & ~7u;
		}
		if (last || end == 0)
			return;
		WRITER.def_number++;
		WRITER.def_offset = TTC_CHUNK_HEAD;
	}
}

/*
 * Write a thread's final account at ${p}: its number, the number of its next chunk, bytes of records in its last chunk, events, drops. Return the place after
 * it.
 */
uint8_t *
writer_put_account(uint8_t *p, const struct wslot *w)
{
	p = ttc_put(p, w->number);
	p = ttc_put(p, w->account_seq);
	p = ttc_put(p, w->account_bytes);
	p = ttc_put(p, w->nevents);
	return ttc_put(p, w->ndropped);
}
