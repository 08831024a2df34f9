/**
 * The flight recorder: holds sealed chunks in the ring instead of writing them, drops the oldest, and records what a dump contains.
 */
#include "recorder/core/writer.h"

#define RING (&rec_state.ring)
#define WRITER rec_writer

void
writer_hold(uint32_t index, uint64_t ms, uint64_t since)
{
	struct wslot *w = writer_slot(RING->owner[index]);

	WRITER.held[(WRITER.held_at + WRITER.nheld++) % RING->nchunk] = (struct held){ index, ms, since };
	w->sealed_seq = ring_chunk(RING, index)->seq + 1;
	w->nheld++;
}

uint32_t
writer_unhold(void)
{
	uint32_t index = WRITER.held[WRITER.held_at].index;

	WRITER.held_at = (WRITER.held_at + 1) % RING->nchunk;
	WRITER.nheld--;
	writer_slot(RING->owner[index])->nheld--;
	return index;
}

void
writer_forget(uint64_t ms)
{
	while (WRITER.nheld > 0 && (ms - WRITER.held[WRITER.held_at].ms > WRITER.o.keep_ms ||
	    (uint32_t)atomic_load_explicit(&RING->nfree, memory_order_relaxed) < RING->nchunk / 8)) {
		WRITER.forgot_ms = WRITER.held[WRITER.held_at].ms;
		WRITER.has_forgotten = true;
		RING->head->kept = WRITER.held[WRITER.held_at].over_ticks;
		atomic_signal_fence(memory_order_seq_cst);
		uint32_t index = writer_unhold();
		struct ttc_chunk *c = ring_chunk(RING, index);
		c->magic = 0;         /* a reader of the ring must not find it */
		atomic_store_explicit(ring_commit(c), 0, memory_order_relaxed);
		ring_free_chunk(RING, index);
	}
}

void
writer_store_held_ms(uint64_t ms)
{
	const uint64_t held = ms - WRITER.forgot_ms;
	const bool less = WRITER.has_forgotten && held < WRITER.o.keep_ms;

	RING->head->held = less ? held : 0;
	RING->head->asked = less ? WRITER.o.keep_ms : 0;
}

void
writer_dump_record(uint64_t to)
{
	const uint64_t asked = RING->head->asked, held = RING->head->held, least = atomic_load_explicit(&WRITER.short_ms, memory_order_relaxed);
	uint8_t b[50], *p = ttc_put(b, RING->head->kept);

	p = ttc_put(p, to);
	if (asked) {
		const uint64_t room = ttc_ring_room(RING->head->total, asked, held);

		p = ttc_put(ttc_put(ttc_put(p, asked), held), room);
		if (least == 0 || held + 1 < least) {
			atomic_store_explicit(&WRITER.short_room, room, memory_order_relaxed);
			atomic_store_explicit(&WRITER.short_ms, held + 1, memory_order_relaxed);
		}
	}
	writer_record(TTC_DUMP, b, (size_t)(p - b));
}
