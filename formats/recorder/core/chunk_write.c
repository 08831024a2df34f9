/**
 * Writes chunks of the ring to the capture; pass.c decides when.
 */
#include "recorder/core/writer.h"

#define R (&rec_state.ring)
#define W rec_writer

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

/* Write the record that announces the thread, with the number of its next chunk and that chunk's first byte (seq, first). */
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

/* Write the records of chunk ${index} that are complete, as ${commit} says, and not written yet. */
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
 * Note that chunk ${seq} of the thread is in the file, with ${end} bytes of records so far, and that ${events} of the thread's events are written, ${before}
 * of them in earlier chunks.
 */
static void
wrote(struct wslot *w, uint64_t seq, uint32_t end, uint64_t before, uint64_t events)
{
	w->next = seq + 1;
	w->last = end;
	atomic_fetch_add_explicit(&W.events, events - (w->events > before ? w->events : before), memory_order_relaxed);
	w->events = events;
}

void
writer_put_part(uint32_t slot, uint32_t threads)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint32_t index = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)&s->chunk, memory_order_acquire);
	struct wslot *w = writer_slot(slot);

	if (index-- == 0)
		return;
	struct ttc_chunk *c = ring_chunk(R, index);
	uint64_t commit = atomic_load_explicit(ring_commit(c), memory_order_acquire);
	/* Earlier sealed chunks come first, including those of an earlier thread with its native id; the next pass takes them. */
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
		/* A file that has just begun does not yet have what preceded the chunk, so a reader of the ring must not find the chunk. */
		c->magic = 0;
		atomic_signal_fence(memory_order_seq_cst);
	}
	ring_give(R, index);
}

void
writer_put_drops(uint32_t slot)
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
