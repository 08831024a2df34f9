/**
 * The writer: one thread that copies chunks from the ring to the capture, in passes.
 *
 * Each pass writes in this order, so that a reader of the file finds what it needs first: the clock (once a second), new definitions, sealed chunks, the
 * contents of open chunks (once a second), counts of drops, threads that ended. The recorder's own records go through the stream of thread 0, which is
 * written before any other chunk.
 */
#include "recorder/core/writer.h"

#define RING (&rec_state.ring)
#define WRITER rec_writer

/* Take the sealed chunks in the order in which they were sealed. Return their number. */
static uint32_t
take_sealed(void)
{
	uint32_t first = atomic_exchange_explicit(&RING->sealed_list, 0, memory_order_acquire), n = 0;

	for (; first; first = atomic_load_explicit(&RING->next_in_list[first - 1], memory_order_relaxed))
		WRITER.order[n++] = first - 1;
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t x = WRITER.order[i];
		WRITER.order[i] = WRITER.order[n - 1 - i];
		WRITER.order[n - 1 - i] = x;
	}
	return n;
}

/* Free the slots of ended threads whose chunks are all written. */
static void
free_slots(const uint32_t *ended, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ttc_slot *s = &RING->slot[ended[i]];
		struct wslot *w = writer_slot(ended[i]);
		uint8_t b[60];
		if (w->nheld)
			continue;
		writer_put_drops(ended[i]);
		if (w->part == WRITER.part + 1)
			writer_record(TTC_GONE, b, (size_t)(writer_put_account(b, w) - b));
		w->number = 0;
		s->number = 0;
		atomic_fetch_sub_explicit(&RING->nended, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&WRITER.dropped, s->dropped, memory_order_relaxed);
		atomic_store_explicit(ring_slot_state(s), TTC_S_FREE, memory_order_release);
	}
}

static uint32_t
state_of(uint32_t slot)
{
	return atomic_load_explicit(ring_slot_state(&RING->slot[slot]), memory_order_acquire);
}

/* List the ended threads in ${ended}. Return their number. */
static uint32_t
find_ended(uint32_t *ended)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < RING->nslot && atomic_load_explicit(&RING->nended, memory_order_acquire) > 0; i++)
		if (state_of(i) == TTC_S_ENDED)
			ended[n++] = i;
	return n;
}

/* Handle the ${n} sealed chunks of a flight recorder: hold them; while a dump runs, write all held chunks; otherwise drop old ones. */
static void
hold_or_dump(uint32_t n, uint64_t ms, bool asked, bool dump, uint64_t since)
{
	for (uint32_t i = 0; i < n; i++)
		writer_hold(WRITER.order[i], ms, writer_since(rec_now()));
	writer_store_held_ms(ms);
	if (asked) {
		writer_dump_record(since);
		WRITER.ndump_passes = 2; /* the next pass also finds chunks that are open now and are sealed before this pass reaches them */
	}
	WRITER.ndump_passes -= dump;
	if (!dump)
		writer_forget(ms);
	while (dump && WRITER.nheld > 0)
		writer_put_sealed(writer_unhold());
}

/* Stop recording, seal all chunks and hold them, including the ${n} taken ones. */
static void
seal_all(uint32_t n, uint64_t ms)
{
	for (uint32_t i = 0; i < n; i++)
		writer_hold(WRITER.order[i], ms, 0);
	atomic_store(&rec_state.on, false);
	ring_detach(true);
	n = take_sealed();
	for (uint32_t i = 0; i < n; i++)
		writer_hold(WRITER.order[i], ms, 0);
}

/* End the capture if what the file lacks, including the ${n} taken chunks, does not fit below the size limit. True if it ended. */
static bool
ends_here(uint32_t n, uint64_t ms, bool *near)
{
	if (writer_fits(n, near))
		return false;
	seal_all(n, ms);
	writer_end_at_limit();
	return true;
}

/* Write the drops of all present threads. */
static void
put_all_drops(void)
{
	for (uint32_t i = 0; i < RING->nslot && !WRITER.is_stopped; i++)
		if (state_of(i) >= TTC_S_LIVE)
			writer_put_drops(i);
}

/* Write the present contents of open chunks, of threads with numbers up to ${threads}. */
static void
put_parts(uint32_t threads, uint64_t ms)
{
	WRITER.parts_ms = ms;
	for (uint32_t i = 0; i < RING->nslot && !WRITER.is_stopped; i++)
		if (state_of(i) == TTC_S_LIVE)
			writer_put_part(i, threads);
}

void
writer_make_pass(bool all)
{
	uint64_t ms = writer_now_ms();
	uint32_t nended, n, *ended = WRITER.order + RING->nchunk, threads;
	bool near = false, parts = all || ms - WRITER.parts_ms >= WRITER.o.part_ms;
	bool asked = atomic_exchange_explicit(&rec_state.dump, false, memory_order_acq_rel) || (all && !WRITER.ndump_passes);
	bool dump = WRITER.o.keep_ms && (asked || WRITER.ndump_passes);
	uint64_t since = writer_since(rec_now());

	if (ms - WRITER.clock_ms >= 1000)
		writer_record_clock();
	/* An ended thread has already sealed its chunks, so the list taken next contains them. */
	nended = find_ended(ended);
	/* The same holds for chunks that earlier threads sealed before a thread with one of these numbers began. */
	threads = atomic_load_explicit(&RING->nthread, memory_order_acquire);
	n = take_sealed();
	if ((!WRITER.o.keep_ms || dump) && ends_here(n, ms, &near))
		return;
	parts = parts && (all || !near);
	/* The definitions that a chunk needs were published before it was sealed. */
	writer_definitions(UINT64_MAX);
	if (WRITER.o.keep_ms)
		hold_or_dump(n, ms, asked, dump, since);
	else
		for (uint32_t i = 0; i < n; i++)
			writer_put_sealed(WRITER.order[i]);
	if (WRITER.o.keep_ms ? dump : parts)
		put_parts(threads, ms);
	if (parts)
		put_all_drops();
	free_slots(ended, nended);
	if (parts && writer_flush()) {
		atomic_store_explicit(&WRITER.sync_want, atomic_load_explicit(&WRITER.written_b, memory_order_relaxed), memory_order_release);
		plat_wake(PLAT_BELL_SYNC);
	}
}

/* Return the number of events that living threads dropped, or that found no slot in the ring. */
uint64_t
writer_dropped_by_living(void)
{
	uint64_t sum = atomic_load(&RING->nevents_without_slot);

	for (uint32_t i = 0; i < RING->nslot; i++)
		if (state_of(i) >= TTC_S_LIVE)
			sum += atomic_load_explicit(
			    (_Atomic uint64_t *)(void *)&RING->slot[i].dropped, memory_order_relaxed);
	return sum;
}
