/**
 * Writes chunks of the ring to the capture; pass.c decides when.
 */
#include "recorder/core/writer.h"

#define RING (&rec_state.ring)
#define WRITER rec_writer

struct wslot *
writer_slot(uint32_t slot)
{
	struct wslot *w = &WRITER.slot[slot];
	const struct ttc_slot *s = &RING->slot[slot];

	if (w->number != s->number) {
		struct ttc_walk walk = w->walk;
		*w = (struct wslot){ .number = s->number };
		w->walk = walk;
	}
	return w;
}

/* Write the record that announces the thread, with the number of its next chunk and that chunk's first byte (seq, first). */
static void
announce(struct wslot *w, uint32_t slot, uint64_t seq, uint32_t first)
{
	const struct ttc_slot *s = &RING->slot[slot];
	uint8_t b[80], *p = b;

	p = ttc_put(p, s->number);
	p = ttc_put(p, s->native);
	p = ttc_put(p, s->kernel);
	p = ttc_put(p, writer_since(s->ticks));
	p = ttc_put(p, seq);
	p = ttc_put(p, first);
	writer_record(TTC_THREAD, b, (size_t)(p - b));
	if (w->part != WRITER.part + 1) {
		w->account_seq = 0;
		w->account_bytes = 0;
	}
	w->part = WRITER.part + 1;
	w->seq = seq;
	w->written_bytes = first;
}

/* Write the records of chunk ${index} that are complete, as ${commit} says, and not written yet. */
static bool
put_records(struct wslot *w, uint32_t slot, uint32_t index, uint64_t commit)
{
	const struct ttc_chunk *c = ring_chunk(RING, index);
	const uint8_t *body = (const uint8_t *)c + TTC_CHUNK_HEAD;
	uint32_t length = (uint32_t)commit, end = length - c->state;
	struct ttc_chunk h;

	writer_rotate();              /* only here, so that every file has events */
	if (w->seq != c->seq || w->part != WRITER.part + 1)
		announce(w, slot, c->seq, w->seq == c->seq ? w->written_bytes : 0);
	if (!writer_flush())
		return false;
	memcpy(&h, c, sizeof h);
	if (w->written_bytes == 0) {
		h.commit = commit;
		if (!writer_write_chunk(&h, sizeof h, body, length))
			return false;
		w->walk.depth = 0;
		return true;
	}
	size_t n = ttc_state_put(WRITER.buf, w->walk.key, w->walk.alloc_key, w->walk.depth,
	    w->walk.depth < w->walk.max ? w->walk.depth : w->walk.max, w->walk.zone, sizeof *w->walk.zone);
	h.ticks = w->walk.ticks;
	h.events = c->events + w->walk.events;
	h.first = w->written_bytes;
	h.state = (uint32_t)n;
	memmove(WRITER.buf + TTC_CHUNK_HEAD, WRITER.buf, n);
	writer_set_checksum(&h, WRITER.buf + TTC_CHUNK_HEAD, n, body + c->state + w->written_bytes, end - w->written_bytes);
	memcpy(WRITER.buf, &h, sizeof h);
	return writer_write_chunk(WRITER.buf, TTC_CHUNK_HEAD + n, body + c->state + w->written_bytes, end - w->written_bytes);
}

/*
 * Note that chunk ${seq} of the thread is in the file, with ${end} bytes of records so far, and that ${events} of the thread's events are written, ${before}
 * of them in earlier chunks.
 */
static void
wrote(struct wslot *w, uint64_t seq, uint32_t end, uint64_t before, uint64_t events)
{
	w->account_seq = seq + 1;
	w->account_bytes = end;
	atomic_fetch_add_explicit(&WRITER.events, events - (w->nevents > before ? w->nevents : before), memory_order_relaxed);
	w->nevents = events;
}

void
writer_put_part(uint32_t slot, uint32_t threads)
{
	const struct ttc_slot *s = &RING->slot[slot];
	uint32_t index = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)&s->chunk, memory_order_acquire);
	struct wslot *w = writer_slot(slot);

	if (index-- == 0)
		return;
	struct ttc_chunk *c = ring_chunk(RING, index);
	uint64_t commit = atomic_load_explicit(ring_commit(c), memory_order_acquire);
	/* Earlier sealed chunks come first, including those of an earlier thread with its native id; the next pass takes them. */
	if (c->thread != s->number || c->seq != w->sealed_seq || s->number > threads)
		return;
	uint32_t done = w->seq == c->seq ? w->written_bytes : 0, end = (uint32_t)commit - c->state;
	if ((uint32_t)commit < c->state || end <= done || !put_records(w, slot, index, commit))
		return;
	const uint8_t *body = (const uint8_t *)c + TTC_CHUNK_HEAD;
	if (w->written_bytes == 0) {
		w->walk.max = RING->stack_max;
		w->walk.zone = WRITER.zones + (size_t)slot * RING->stack_max;
		ttc_walk_state(&w->walk, c, body, c->state);
	}
	ttc_walk(&w->walk, body + c->state + w->written_bytes, end - w->written_bytes);
	w->written_bytes = end;
	wrote(w, c->seq, end, c->events, c->events + w->walk.events);
	atomic_fetch_add_explicit(&WRITER.parts, 1, memory_order_relaxed);
}

void
writer_put_sealed(uint32_t index)
{
	struct ttc_chunk *c = ring_chunk(RING, index);
	uint32_t slot = RING->owner[index];
	struct wslot *w = writer_slot(slot);
	uint64_t commit = c->commit;
	uint32_t end = (uint32_t)commit - c->state;

	if (w->seq != c->seq)
		w->written_bytes = 0;
	w->sealed_seq = c->seq + 1;
	if (!WRITER.is_stopped && (end > w->written_bytes || w->written_bytes == 0) && put_records(w, slot, index, commit)) {
		wrote(w, c->seq, end, c->events, c->events + RING->count[index]);
		atomic_fetch_add_explicit(&WRITER.chunks, 1, memory_order_relaxed);
	}
	if (!WRITER.is_stopped) {
		w->seq = c->seq + 1;
		w->written_bytes = 0;
		w->previous_bytes = end;
		/* A file that has just begun does not yet have what preceded the chunk, so a reader of the ring must not find the chunk. */
		c->magic = 0;
		atomic_signal_fence(memory_order_seq_cst);
	}
	ring_free_chunk(RING, index);
}

void
writer_put_drops(uint32_t slot)
{
	const struct ttc_slot *s = &RING->slot[slot];
	uint64_t dropped =
	    atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)&s->dropped, memory_order_relaxed);
	struct wslot *w = writer_slot(slot);
	uint8_t b[20], *p;

	if (dropped == w->ndropped)
		return;
	if (w->part != WRITER.part + 1)
		announce(w, slot, w->seq, w->written_bytes);
	p = ttc_put(b, s->number);
	p = ttc_put(p, dropped);
	writer_record(TTC_DROPS, b, (size_t)(p - b));
	w->ndropped = dropped;
}
