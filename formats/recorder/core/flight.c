/**
 * The flight recorder: holds sealed chunks in the ring instead of writing them, drops the oldest, and records what a dump contains.
 */
#include "recorder/core/writer.h"

#define R (&rec_state.ring)
#define W rec_writer

void
writer_hold(uint32_t index, uint64_t ms, uint64_t since)
{
	struct wslot *w = writer_slot(R->owner[index]);

	W.held[(W.held_at + W.nheld++) % R->nchunk] = (struct held){ index, ms, since };
	w->taken = ring_chunk(R, index)->seq + 1;
	w->held++;
}

uint32_t
writer_unhold(void)
{
	uint32_t index = W.held[W.held_at].index;

	W.held_at = (W.held_at + 1) % R->nchunk;
	W.nheld--;
	writer_slot(R->owner[index])->held--;
	return index;
}

void
writer_forget(uint64_t ms)
{
	while (W.nheld > 0 && (ms - W.held[W.held_at].ms > W.o.keep_ms ||
	    (uint32_t)atomic_load_explicit(&R->nfree, memory_order_relaxed) < R->nchunk / 8)) {
		W.forgot_ms = W.held[W.held_at].ms;
		W.forgot = true;
		R->head->kept = W.held[W.held_at].since;
		atomic_signal_fence(memory_order_seq_cst);
		uint32_t index = writer_unhold();
		struct ttc_chunk *c = ring_chunk(R, index);
		c->magic = 0;         /* a reader of the ring must not find it */
		atomic_store_explicit(ring_commit(c), 0, memory_order_relaxed);
		ring_give(R, index);
	}
}

void
writer_tell_held(uint64_t ms)
{
	const uint64_t held = ms - W.forgot_ms;
	const bool less = W.forgot && held < W.o.keep_ms;

	R->head->held = less ? held : 0;
	R->head->asked = less ? W.o.keep_ms : 0;
}

void
writer_dump_record(uint64_t to)
{
	const uint64_t asked = R->head->asked, held = R->head->held, least = atomic_load_explicit(&W.short_ms, memory_order_relaxed);
	uint8_t b[50], *p = ttc_put(b, R->head->kept);

	p = ttc_put(p, to);
	if (asked) {
		const uint64_t room = ttc_ring_room(R->head->total, asked, held);

		p = ttc_put(ttc_put(ttc_put(p, asked), held), room);
		if (least == 0 || held + 1 < least) {
			atomic_store_explicit(&W.short_room, room, memory_order_relaxed);
			atomic_store_explicit(&W.short_ms, held + 1, memory_order_relaxed);
		}
	}
	writer_record(TTC_DUMP, b, (size_t)(p - b));
}
