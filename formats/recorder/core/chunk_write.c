/**
 * The writer: one thread that copies chunks from the ring to the capture.
 *
 * Each pass writes in this order, so that a reader of the file meets what it needs first: the clock (once a second), new definitions, sealed chunks, the
 * contents of open chunks (once a second), counts of drops, threads that ended. The recorder's own records go through the stream of thread 0, which is written
 * before any other chunk.
 */
#include "recorder/core/writer.h"

#define R (&rec_state.ring)
#define W rec_writer

/* --- threads' chunks ------------------------------------------------------------------------- */

struct wslot *
writer_slot(uint32_t slot)
{
	struct wslot *w = &W.slot[slot];
	const struct ttc_slot *s = &R->slot[slot];

	if (w->number != s->number) {
		struct ttc_walk walk = w->walk;
		*w = (struct wslot){ .number = s->number };
		w->walk = walk;
	}
	return w;
}

/* Write the thread's record, with the number of its next chunk and its first byte (seq, first). */
static void
announce(struct wslot *w, uint32_t slot, uint64_t seq, uint32_t first)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint8_t b[80], *p = b;

	p = ttc_put(p, s->number);
	p = ttc_put(p, s->native);
	p = ttc_put(p, s->kernel);
	p = ttc_put(p, writer_since(s->ticks));
	p = ttc_put(p, seq);
	p = ttc_put(p, first);
	writer_record(TTC_THREAD, b, (size_t)(p - b));
	if (w->part != W.part + 1) {
		w->next = 0;
		w->last = 0;
	}
	w->part = W.part + 1;
	w->seq = seq;
	w->done = first;
}

/* Write the records of chunk ${index} that are not written yet, as far as ${commit} marks them complete. */
static bool
put_records(struct wslot *w, uint32_t slot, uint32_t index, uint64_t commit)
{
	const struct ttc_chunk *c = ring_chunk(R, index);
	const uint8_t *body = (const uint8_t *)c + TTC_CHUNK_HEAD;
	uint32_t length = (uint32_t)commit, end = length - c->state;
	struct ttc_chunk h;

	writer_rotate();              /* only here, so that every file has events */
	if (w->seq != c->seq || w->part != W.part + 1)
		announce(w, slot, c->seq, w->seq == c->seq ? w->done : 0);
	if (!writer_flush())
		return false;
	memcpy(&h, c, sizeof h);
	if (w->done == 0) {
		h.commit = commit;
		if (!writer_chunk(&h, sizeof h, body, length))
			return false;
		w->walk.depth = 0;
		return true;
	}
	size_t n = ttc_state_put(W.buf, w->walk.key, w->walk.alloc_key, w->walk.depth,
	    w->walk.depth < w->walk.max ? w->walk.depth : w->walk.max, w->walk.zone, sizeof *w->walk.zone);
	h.ticks = w->walk.ticks;
	h.events = c->events + w->walk.events;
	h.first = w->done;
	h.state = (uint32_t)n;
	memmove(W.buf + TTC_CHUNK_HEAD, W.buf, n);
	writer_seal(&h, W.buf + TTC_CHUNK_HEAD, n, body + c->state + w->done, end - w->done);
	memcpy(W.buf, &h, sizeof h);
	return writer_chunk(W.buf, TTC_CHUNK_HEAD + n, body + c->state + w->done, end - w->done);
}

/*
 * Note that chunk ${seq} of the thread is in the file, with ${end} bytes of records so far. ${events} of the thread's events are written, ${before} of them in
 * earlier chunks.
 */
static void
wrote(struct wslot *w, uint64_t seq, uint32_t end, uint64_t before, uint64_t events)
{
	w->next = seq + 1;
	w->last = end;
	atomic_fetch_add_explicit(&W.events, events - (w->events > before ? w->events : before), memory_order_relaxed);
	w->events = events;
}

/* Write what an open chunk holds by now. */
static void
put_part(uint32_t slot, uint32_t threads)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint32_t index = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)&s->chunk, memory_order_acquire);
	struct wslot *w = writer_slot(slot);

	if (index-- == 0)
		return;
	struct ttc_chunk *c = ring_chunk(R, index);
	uint64_t commit = atomic_load_explicit(ring_commit(c), memory_order_acquire);
	/* Sealed chunks before it come first, also those of an earlier thread with its native id; the next pass gets them. */
	if (c->thread != s->number || c->seq != w->taken || s->number > threads)
		return;
	uint32_t done = w->seq == c->seq ? w->done : 0, end = (uint32_t)commit - c->state;
	if ((uint32_t)commit < c->state || end <= done || !put_records(w, slot, index, commit))
		return;
	const uint8_t *body = (const uint8_t *)c + TTC_CHUNK_HEAD;
	if (w->done == 0) {
		w->walk.max = R->stack_max;
		w->walk.zone = W.zones + (size_t)slot * R->stack_max;
		ttc_walk_state(&w->walk, c, body, c->state);
	}
	ttc_walk(&w->walk, body + c->state + w->done, end - w->done);
	w->done = end;
	wrote(w, c->seq, end, c->events, c->events + w->walk.events);
	atomic_fetch_add_explicit(&W.parts, 1, memory_order_relaxed);
}

void
writer_put_sealed(uint32_t index)
{
	struct ttc_chunk *c = ring_chunk(R, index);
	uint32_t slot = R->owner[index];
	struct wslot *w = writer_slot(slot);
	uint64_t commit = c->commit;
	uint32_t end = (uint32_t)commit - c->state;

	if (w->seq != c->seq)
		w->done = 0;
	w->taken = c->seq + 1;
	if (!W.stopped && (end > w->done || w->done == 0) && put_records(w, slot, index, commit)) {
		wrote(w, c->seq, end, c->events, c->events + R->count[index]);
		atomic_fetch_add_explicit(&W.chunks, 1, memory_order_relaxed);
	}
	if (!W.stopped) {
		w->seq = c->seq + 1;
		w->done = 0;
		w->end = end;
		/* A file that has just begun does not yet say what came before, so a reader of the ring must not find the chunk. */
		c->magic = 0;
		atomic_signal_fence(memory_order_seq_cst);
	}
	ring_give(R, index);
}

static void
put_drops(uint32_t slot)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint64_t dropped =
	    atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)&s->dropped, memory_order_relaxed);
	struct wslot *w = writer_slot(slot);
	uint8_t b[20], *p;

	if (dropped == w->dropped)
		return;
	if (w->part != W.part + 1)
		announce(w, slot, w->seq, w->done);
	p = ttc_put(b, s->number);
	p = ttc_put(p, dropped);
	writer_record(TTC_DROPS, b, (size_t)(p - b));
	w->dropped = dropped;
}

/* --- flight recorder --------------------------------------------------------------------------- */

static void
hold(uint32_t index, uint64_t ms, uint64_t since)
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

/* Drop held chunks that are too old, and the oldest ones if free chunks run out. */
static void
forget(uint64_t ms)
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

/* How long the ring holds what was recorded, for readers of a ring whose program was killed: if that is less than was asked for. */
static void
tell_held(uint64_t ms)
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

/* --- passes --------------------------------------------------------------------------------------- */

/* Take the sealed chunks, in the order in which they were sealed. */
static uint32_t
take_sealed(void)
{
	uint32_t first = atomic_exchange_explicit(&R->sealed, 0, memory_order_acquire), n = 0;

	for (; first; first = atomic_load_explicit(&R->link[first - 1], memory_order_relaxed))
		W.order[n++] = first - 1;
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t x = W.order[i];
		W.order[i] = W.order[n - 1 - i];
		W.order[n - 1 - i] = x;
	}
	return n;
}

/* Free the slots of ended threads whose chunks are all written. */
static void
free_slots(const uint32_t *ended, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ttc_slot *s = &R->slot[ended[i]];
		struct wslot *w = writer_slot(ended[i]);
		uint8_t b[60];
		if (w->held)
			continue;
		put_drops(ended[i]);
		if (w->part == W.part + 1)
			writer_record(TTC_GONE, b, (size_t)(writer_account(b, w) - b));
		w->number = 0;
		s->number = 0;
		atomic_fetch_sub_explicit(&R->nended, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&W.dropped, s->dropped, memory_order_relaxed);
		atomic_store_explicit(ring_slot_state(s), TTC_S_FREE, memory_order_release);
	}
}

static uint32_t
state_of(uint32_t slot)
{
	return atomic_load_explicit(ring_slot_state(&R->slot[slot]), memory_order_acquire);
}

/* List the ended threads in ${ended}; returns their number. */
static uint32_t
find_ended(uint32_t *ended)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < R->nslot && atomic_load_explicit(&R->nended, memory_order_acquire) > 0; i++)
		if (state_of(i) == TTC_S_ENDED)
			ended[n++] = i;
	return n;
}

/* For the flight recorder: hold the ${n} sealed chunks. While a dump runs, write all held chunks; otherwise drop old ones. */
static void
hold_or_dump(uint32_t n, uint64_t ms, bool asked, bool dump, uint64_t since)
{
	for (uint32_t i = 0; i < n; i++)
		hold(W.order[i], ms, writer_since(rec_now()));
	tell_held(ms);
	if (asked) {
		writer_dump_record(since);
		W.dumping = 2;        /* the next pass finds chunks that are open now and sealed before this pass reaches them */
	}
	W.dumping -= dump;
	if (!dump)
		forget(ms);
	while (dump && W.nheld > 0)
		writer_put_sealed(writer_unhold());
}

/* Record nothing more: hold all chunks, sealed, the ${n} taken ones among them. */
static void
seal_all(uint32_t n, uint64_t ms)
{
	for (uint32_t i = 0; i < n; i++)
		hold(W.order[i], ms, 0);
	atomic_store(&rec_state.on, false);
	ring_detach(true);
	n = take_sealed();
	for (uint32_t i = 0; i < n; i++)
		hold(W.order[i], ms, 0);
}

/* End the capture if what it lacks, the ${n} taken chunks among it, does not fit below the size limit. */
static bool
ends_here(uint32_t n, uint64_t ms, bool *near)
{
	if (writer_fits(n, near))
		return false;
	seal_all(n, ms);
	writer_end_at_limit();
	return true;
}

/* Write the drops of all threads that are there. */
static void
put_all_drops(void)
{
	for (uint32_t i = 0; i < R->nslot && !W.stopped; i++)
		if (state_of(i) >= TTC_S_LIVE)
			put_drops(i);
}

/* Write what open chunks hold by now, of threads with numbers up to ${threads}. */
static void
put_parts(uint32_t threads, uint64_t ms)
{
	W.parts_ms = ms;
	for (uint32_t i = 0; i < R->nslot && !W.stopped; i++)
		if (state_of(i) == TTC_S_LIVE)
			put_part(i, threads);
}

void
writer_pass(bool all)
{
	uint64_t ms = writer_now_ms();
	uint32_t nended, n, *ended = W.order + R->nchunk, threads;
	bool near = false, parts = all || ms - W.parts_ms >= W.o.part_ms;
	bool asked = atomic_exchange_explicit(&rec_state.dump, false, memory_order_acq_rel) || (all && !W.dumping);
	bool dump = W.o.keep_ms && (asked || W.dumping);
	uint64_t since = writer_since(rec_now());

	if (ms - W.clock_ms >= 1000)
		writer_clock();
	/* An ended thread sealed its chunks before: they are in the list taken next. */
	nended = find_ended(ended);
	/* The same holds for chunks that earlier threads sealed before a thread with one of these numbers began. */
	threads = atomic_load_explicit(&R->numbers, memory_order_acquire);
	n = take_sealed();
	if ((!W.o.keep_ms || dump) && ends_here(n, ms, &near))
		return;
	parts = parts && (all || !near);
	/* The definitions that a chunk needs were published before it was sealed. */
	writer_definitions(UINT64_MAX);
	if (W.o.keep_ms)
		hold_or_dump(n, ms, asked, dump, since);
	else
		for (uint32_t i = 0; i < n; i++)
			writer_put_sealed(W.order[i]);
	if (W.o.keep_ms ? dump : parts)
		put_parts(threads, ms);
	if (parts)
		put_all_drops();
	free_slots(ended, nended);
	if (parts && writer_flush()) {
		atomic_store_explicit(&W.sync_want, atomic_load_explicit(&W.written_b, memory_order_relaxed), memory_order_release);
		plat_wake(PLAT_BELL_SYNC);
	}
}

/* The number of events that living threads dropped or that found no slot in the ring. */
uint64_t
writer_dropped_by_living(void)
{
	uint64_t sum = atomic_load(&R->no_slot);

	for (uint32_t i = 0; i < R->nslot; i++)
		if (state_of(i) >= TTC_S_LIVE)
			sum += atomic_load_explicit(
			    (_Atomic uint64_t *)(void *)&R->slot[i].dropped, memory_order_relaxed);
	return sum;
}
