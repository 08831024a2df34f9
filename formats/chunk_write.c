/**
 * The writer: one thread that moves chunks from the ring to the capture; opening and closing; walking
 * records.
 *
 * Each pass, in this order, so that a reader who goes through the file meets what it needs before it needs
 * it: the clock (once a second), new definitions, sealed chunks, what open chunks hold (once a second),
 * counts of drops, threads that ended. Everything of the recorder itself goes through the stream of thread
 * 0, which is written before any other chunk.
 */
#include "ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define R (&rec_state.ring)

/* --- states and walking -------------------------------------------------------------- */

size_t
ttc_state_put(uint8_t *p, uint64_t key, uint64_t alloc_key, uint32_t depth, uint32_t given,
    const uint64_t *zone, size_t stride)
{
	uint8_t *at = ttc_put(p, key);
	uint64_t last = 0;

	at = ttc_put(at, alloc_key);
	at = ttc_put(at, depth);
	at = ttc_put(at, given);
	for (uint32_t i = 0; i < given; i++) {
		uint64_t k;
		memcpy(&k, (const uint8_t *)zone + i * stride, sizeof k);
		at = ttc_put(at, ttc_zig(k - last));
		last = k;
	}
	return (size_t)(at - p);
}

size_t
ttc_walk_state(struct ttc_walk *w, const struct ttc_chunk *h, const uint8_t *p, size_t n)
{
	const uint8_t *at = p, *end = p + n;
	uint64_t depth, given, z, last = 0;

	w->ticks = h->ticks;
	w->events = 0;
	if (!(at = ttc_get(at, end, &w->key)) || !(at = ttc_get(at, end, &w->alloc_key)) ||
	    !(at = ttc_get(at, end, &depth)) || !(at = ttc_get(at, end, &given)) || given > depth ||
	    given > TTC_STACK || depth > UINT32_MAX)
		return 0;
	for (uint64_t i = 0; i < given; i++) {
		if (!(at = ttc_get(at, end, &z)))
			return 0;
		last += ttc_zag(z);
		if (i < w->max)
			w->zone[i] = last;
	}
	w->depth = (uint32_t)depth;
	return (size_t)(at - p);
}

static void
walk_push(struct ttc_walk *w)
{
	if (w->depth < w->max)
		w->zone[w->depth] = w->key;
	w->depth++;
}

static void
walk_pop(struct ttc_walk *w, uint64_t n)
{
	w->depth = n < w->depth ? w->depth - (uint32_t)n : 0;
}

static void
walk_other(struct ttc_walk *w, unsigned kind, const uint8_t *p, const uint8_t *end)
{
	uint64_t v;

	switch (kind) {
	case TTC_BEGIN_ARGS: case TTC_SINGLE: case TTC_END_NONE: case TTC_END_KEY: case TTC_COUNTER:
		if (!ttc_get(p, end, &v))
			break;
		w->key += ttc_zag(v);
		if (kind == TTC_BEGIN_ARGS)
			walk_push(w);
		else if (kind == TTC_END_KEY)
			walk_pop(w, 1);
		break;
	case TTC_ALLOC_ARGS:
		if (ttc_get(p, end, &v))
			w->alloc_key += ttc_zag(v);
		break;
	case TTC_END_FLAGS:
		walk_pop(w, 1);
		break;
	case TTC_END_BELOW:
		if (ttc_get(p, end, &v))
			walk_pop(w, v < UINT32_MAX ? v + 1 : v);
		break;
	default:
		break;
	}
	w->events += kind != TTC_THREAD_END;
}

size_t
ttc_walk(struct ttc_walk *w, const uint8_t *p, size_t n)
{
	const uint8_t *from = p, *end = p + n, *at;
	uint64_t t, v, bytes;

	while (p < end) {
		if (!(at = ttc_get(p, end, &t)))
			break;
		switch (t & 3) {
		case TTC_BEGIN:
			if (!(at = ttc_get(at, end, &v)))
				return (size_t)(p - from);
			w->key += ttc_zag(v);
			walk_push(w);
			w->events++;
			break;
		case TTC_END:
			walk_pop(w, 1);
			w->events++;
			break;
		case TTC_ALLOC:
			if (!(at = ttc_get(at, end, &v)) || !(at = ttc_get(at, end, &bytes)))
				return (size_t)(p - from);
			w->alloc_key += ttc_zag(v);
			w->events++;
			break;
		default: {
			unsigned kind;
			if (at == end)
				return (size_t)(p - from);
			kind = *at++;
			if (!(at = ttc_get(at, end, &v)) || v > (uint64_t)(end - at))
				return (size_t)(p - from);
			walk_other(w, kind, at, at + v);
			at += v;
			break;
		}
		}
		w->ticks += t >> 2;
		p = at;
	}
	return (size_t)(p - from);
}

/* --- the writer's own ------------------------------------------------------------------ */

/* What the writer knows of the thread in a slot. */
struct wslot {
	uint32_t number;              /* the thread's; 0: none yet */
	uint32_t part;                /* + 1: announced in this file of the rotation */
	uint64_t seq;                 /* its next chunk to write */
	uint64_t taken;               /* its next chunk to come from the sealed list */
	uint32_t done;                /* bytes of that chunk's records that are written */
	uint32_t end;                 /* bytes of records of the chunk before */
	uint64_t events;              /* written */
	uint64_t dropped;             /* told */
	uint32_t held;                /* flight recorder: its chunks that are kept */
	struct ttc_walk walk;         /* at `done`, where that is not 0 */
};

struct writer {
	struct rec_options o;
	char path[1024], name[1100], ring_dir[512], producer[128];
	uint8_t *head;                /* of the file, with its text */
	size_t nhead;
	int fd;
	uint32_t part;
	uint64_t at;                  /* bytes in this file */
	uint64_t part_began_ms;
	bool broken, stopped;
	int error;
	enum ttc_finish finish;
	struct wslot *slot;
	uint8_t *buf;                 /* a part being put together */
	uint64_t *zones;              /* of the walks */
	/* the stream of thread 0 */
	uint8_t *stream;
	size_t nstream;
	uint64_t stream_seq;
	uint32_t stream_before;
	/* definitions written */
	uint32_t def_number, def_offset;
	/* flight recorder: chunks kept, oldest first */
	struct held { uint32_t index; uint64_t ms; } *held;
	uint32_t held_at, nheld;
	uint64_t clock_ms, parts_ms;
	uint32_t *order;              /* scratch: sealed chunks, oldest first */

	struct plat_thread thread;
	/* what others look at, from here on: never cleared as memory */
	_Atomic bool running;         /* between rec_open and rec_close */
	_Atomic bool closing;
	_Atomic uint64_t flush_want, flush_done;
	_Atomic uint64_t written_b, chunks, parts, writer_ns, files;
	_Atomic uint64_t dropped;     /* by threads whose places were given back; at the end by all */
	_Atomic int failed;
	_Atomic int stopped_as;       /* enum ttc_finish */
};
static struct writer W;

#define STREAM_ROOM  (24u << 10)
#define STREAM_STATE 4u
#define FINISH_THREADS 200u           /* in one record */
#define FINISH_ROOM  (4u << 10)       /* kept free below max_size for the end */

static atomic_flag life = ATOMIC_FLAG_INIT;   /* rec_open and rec_close */

static uint64_t
now_ms(void)
{
	struct plat_instant i;

	plat_instant(&i);
	return i.mono_ns / 1000000;
}

static void stop_writing(enum ttc_finish how, int error);

/* All of ${n} bytes, or the recording is over. */
static bool
put_bytes(const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t left = n;

	while (left > 0) {
		long done = W.o.write ? W.o.write(W.o.write_arg, W.fd, p, left) : plat_write(W.fd, p, left);
		if (done <= 0) {
			if (!W.broken) {
				W.broken = true;
				plat_truncate(W.fd, W.at);
				stop_writing(TTC_F_DISK, done < 0 ? (int)-done : EIO);
			}
			return false;
		}
		p += done;
		left -= (size_t)done;
	}
	W.at += n;
	atomic_fetch_add_explicit(&W.written_b, n, memory_order_relaxed);
	return true;
}

/* A chunk of one or two pieces; false: the recording is over. */
static bool
put_chunk(const void *a, size_t na, const void *b, size_t nb)
{
	if (W.stopped)
		return false;
	if (W.o.max_size && W.at + na + nb + FINISH_ROOM > W.o.max_size) {
		stop_writing(TTC_F_MAX_SIZE, 0);
		return false;
	}
	uint64_t at = W.at;
	if (put_bytes(a, na) && put_bytes(b, nb))
		return true;
	if (W.at != at) {             /* half of it */
		W.at = at;
		plat_truncate(W.fd, at);
	}
	return false;
}

/* --- the stream of thread 0 ---------------------------------------------------------------- */

/* A head whose checksum covers it and the body behind. */
static void
seal_head(struct ttc_chunk *h, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	uint32_t crc = tt_crc32c_long(~0u, (uint8_t *)h + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM);

	crc = tt_crc32c_long(crc, a, na);
	crc = tt_crc32c_long(crc, b, nb);
	h->commit = (na + nb) | (uint64_t)(uint32_t)~crc << 32;
}

/* The stream as a chunk, into W.buf; its length. */
static size_t
stream_chunk(void)
{
	struct ttc_chunk h = { .magic = TTC_CHUNK_MAGIC, .seq = W.stream_seq, .ticks = rec_now(),
		.before = W.stream_before, .state = STREAM_STATE, .run = R->run32 };
	static const uint8_t state[STREAM_STATE];

	seal_head(&h, state, STREAM_STATE, W.stream, W.nstream);
	memcpy(W.buf, &h, sizeof h);
	memcpy(W.buf + TTC_CHUNK_HEAD, state, STREAM_STATE);
	memcpy(W.buf + TTC_CHUNK_HEAD + STREAM_STATE, W.stream, W.nstream);
	return TTC_CHUNK_HEAD + STREAM_STATE + W.nstream;
}

static bool
stream_flush(void)
{
	if (W.nstream == 0)
		return !W.stopped;
	if (!put_chunk(W.buf, stream_chunk(), NULL, 0))
		return false;
	W.stream_seq++;
	W.stream_before = (uint32_t)W.nstream;
	W.nstream = 0;
	return true;
}

static void
stream_put(unsigned kind, const uint8_t *p, size_t n)
{
	if (W.nstream + n + 16 > STREAM_ROOM && !stream_flush())
		W.nstream = 0;
	uint8_t *at = W.stream + W.nstream;
	at = ttc_put(at, TTC_OTHER);
	*at++ = (uint8_t)kind;
	at = ttc_put(at, n);
	memcpy(at, p, n);
	W.nstream = (size_t)(at + n - W.stream);
}

static uint64_t
since_zero(uint64_t ticks)
{
	return ticks > R->zero_ticks ? ticks - R->zero_ticks : 0;
}

static void
put_clock(void)
{
	struct plat_instant i;
	uint8_t b[40], *p = b;

	plat_instant(&i);
	p = ttc_put(p, since_zero(i.ticks));
	p = ttc_put(p, i.mono_ns);
	p = ttc_put(p, i.wall_ns);
	stream_put(TTC_CLOCK, b, (size_t)(p - b));
	W.clock_ms = i.mono_ns / 1000000;
}

static void
put_note(const char *text)
{
	uint8_t b[300], *p = ttc_put(b, strlen(text));

	memcpy(p, text, strlen(text));
	stream_put(TTC_NOTE, b, (size_t)(p - b) + strlen(text));
}

/* Definitions published since the last time, up to the first that is not complete yet. */
static void
put_definitions(void)
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
			stream_put(e[RING_DEF_HEAD], e + RING_DEF_HEAD + 1, n - 9);
			W.def_offset += (n + 8 + 7) & ~7u;
		}
		if (last || end == 0)
			return;
		W.def_number++;
		W.def_offset = TTC_CHUNK_HEAD;
	}
}

/* --- threads' chunks ------------------------------------------------------------------------- */

static struct wslot *
slot_of(uint32_t slot)
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

/* Say which thread it is, and that its next chunk is (seq, first). */
static void
announce(struct wslot *w, uint32_t slot, uint64_t seq, uint32_t first)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint8_t b[80], *p = b;

	p = ttc_put(p, s->number);
	p = ttc_put(p, s->native);
	p = ttc_put(p, s->kernel);
	p = ttc_put(p, since_zero(s->ticks));
	p = ttc_put(p, seq);
	p = ttc_put(p, first);
	stream_put(TTC_THREAD, b, (size_t)(p - b));
	w->part = W.part + 1;
	w->seq = seq;
	w->done = first;
}

/* Write the records of chunk ${index} behind those that are written, up to ${length} bytes of body. */
static bool
put_records(struct wslot *w, uint32_t slot, uint32_t index, uint64_t commit)
{
	const struct ttc_chunk *c = ring_chunk(R, index);
	const uint8_t *body = (const uint8_t *)c + TTC_CHUNK_HEAD;
	uint32_t length = (uint32_t)commit, end = length - c->state;
	struct ttc_chunk h;

	if (w->seq != c->seq || w->part != W.part + 1)
		announce(w, slot, c->seq, w->seq == c->seq ? w->done : 0);
	if (!stream_flush())
		return false;
	memcpy(&h, c, sizeof h);
	if (w->done == 0) {
		h.commit = commit;
		if (!put_chunk(&h, sizeof h, body, length))
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
	seal_head(&h, W.buf + TTC_CHUNK_HEAD, n, body + c->state + w->done, end - w->done);
	memcpy(W.buf, &h, sizeof h);
	return put_chunk(W.buf, TTC_CHUNK_HEAD + n, body + c->state + w->done, end - w->done);
}

/* What an open chunk holds by now. */
static void
put_part(uint32_t slot)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint32_t index = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)&s->chunk, memory_order_acquire);
	struct wslot *w = slot_of(slot);

	if (index-- == 0)
		return;
	struct ttc_chunk *c = ring_chunk(R, index);
	uint64_t commit = atomic_load_explicit(ring_commit(c), memory_order_acquire);
	/* Sealed chunks before it come first; the next pass will have them. */
	if (c->thread != s->number || c->seq != w->taken)
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
	w->events = c->events + w->walk.events;
	atomic_fetch_add_explicit(&W.parts, 1, memory_order_relaxed);
}

/* A sealed chunk: what is not written yet. The chunk is free afterwards. */
static void
put_sealed(uint32_t index)
{
	struct ttc_chunk *c = ring_chunk(R, index);
	uint32_t slot = R->owner[index];
	struct wslot *w = slot_of(slot);
	uint64_t commit = c->commit;
	uint32_t end = (uint32_t)commit - c->state;

	if (w->seq != c->seq)
		w->done = 0;
	w->taken = c->seq + 1;
	if (!W.stopped && (end > w->done || w->done == 0) && put_records(w, slot, index, commit)) {
		w->events = c->events + R->count[index];
		atomic_fetch_add_explicit(&W.chunks, 1, memory_order_relaxed);
	}
	if (!W.stopped) {
		w->seq = c->seq + 1;
		w->done = 0;
		w->end = end;
	}
	ring_give(R, index);
}

static void
put_drops(uint32_t slot)
{
	const struct ttc_slot *s = &R->slot[slot];
	uint64_t dropped =
	    atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)&s->dropped, memory_order_relaxed);
	struct wslot *w = slot_of(slot);
	uint8_t b[20], *p;

	if (dropped == w->dropped)
		return;
	if (w->part != W.part + 1)
		announce(w, slot, w->seq, w->done);
	p = ttc_put(b, s->number);
	p = ttc_put(p, dropped);
	stream_put(TTC_DROPS, b, (size_t)(p - b));
	w->dropped = dropped;
}

/* Number, and where its records end: the next chunk's number and the bytes of the last. */
static uint8_t *
put_account(uint8_t *p, const struct wslot *w)
{
	p = ttc_put(p, w->number);
	p = ttc_put(p, w->done ? w->seq + 1 : w->seq);
	p = ttc_put(p, w->done ? w->done : w->end);
	p = ttc_put(p, w->events);
	return ttc_put(p, w->dropped);
}

/* --- flight recorder --------------------------------------------------------------------------- */

static void
hold(uint32_t index, uint64_t ms)
{
	struct wslot *w = slot_of(R->owner[index]);

	W.held[(W.held_at + W.nheld++) % R->nchunk] = (struct held){ index, ms };
	w->taken = ring_chunk(R, index)->seq + 1;
	w->held++;
}

static uint32_t
unhold(void)
{
	uint32_t index = W.held[W.held_at].index;

	W.held_at = (W.held_at + 1) % R->nchunk;
	W.nheld--;
	slot_of(R->owner[index])->held--;
	return index;
}

/* Forget what is too old, and the oldest where free chunks run out. */
static void
forget(uint64_t ms)
{
	while (W.nheld > 0 && (ms - W.held[W.held_at].ms > W.o.keep_ms ||
	    (uint32_t)atomic_load_explicit(&R->nfree, memory_order_relaxed) < R->nchunk / 8)) {
		uint32_t index = unhold();
		struct ttc_chunk *c = ring_chunk(R, index);
		c->magic = 0;         /* a reader of the ring must not find it */
		atomic_store_explicit(ring_commit(c), 0, memory_order_relaxed);
		ring_give(R, index);
	}
}

/* --- passes --------------------------------------------------------------------------------------- */

/* Take the sealed chunks and put them in the order in which they were sealed. */
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

static bool new_file(void);

static void
rotate(uint64_t ms)
{
	if (W.stopped || (!W.o.rotate_size && !W.o.rotate_ms))
		return;
	if (!(W.o.rotate_size && W.at >= W.o.rotate_size) &&
	    !(W.o.rotate_ms && ms - W.part_began_ms >= W.o.rotate_ms))
		return;
	stop_writing(TTC_F_ROTATED, 0);
	new_file();
}

/* Threads that have ended and whose chunks are all written: their places are free. */
static void
free_slots(const uint32_t *ended, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ttc_slot *s = &R->slot[ended[i]];
		struct wslot *w = slot_of(ended[i]);
		uint8_t b[60];
		if (w->held)
			continue;
		put_drops(ended[i]);
		if (w->part == W.part + 1)
			stream_put(TTC_GONE, b, (size_t)(put_account(b, w) - b));
		w->number = 0;
		s->number = 0;
		atomic_fetch_add_explicit(&W.dropped, s->dropped, memory_order_relaxed);
		atomic_store_explicit(ring_slot_state(s), TTC_S_FREE, memory_order_release);
	}
}

static void
pass(bool all)
{
	uint64_t ms = now_ms();
	uint32_t nended = 0, n, *ended = W.order + R->nchunk;
	bool parts = all || ms - W.parts_ms >= W.o.part_ms;
	bool dump =
	    atomic_exchange_explicit(&rec_state.dump, false, memory_order_acq_rel) || (all && W.o.keep_ms);

	if (ms - W.clock_ms >= 1000)
		put_clock();
	/* Whoever has ended has sealed before: what it sealed is in the list taken next. */
	for (uint32_t i = 0; i < R->nslot; i++)
		if (atomic_load_explicit(ring_slot_state(&R->slot[i]), memory_order_acquire) == TTC_S_ENDED)
			ended[nended++] = i;
	n = take_sealed();
	/* A chunk's definitions were published before it was sealed. */
	put_definitions();
	for (uint32_t i = 0; i < n; i++) {
		if (W.o.keep_ms)
			hold(W.order[i], ms);
		else
			put_sealed(W.order[i]);
		rotate(ms);
	}
	if (W.o.keep_ms && !dump)
		forget(ms);
	while (dump && W.nheld > 0)
		put_sealed(unhold());
	if (W.o.keep_ms ? dump : parts) {
		W.parts_ms = ms;
		for (uint32_t i = 0; i < R->nslot && !W.stopped; i++)
			if (atomic_load_explicit(ring_slot_state(&R->slot[i]), memory_order_acquire) ==
			    TTC_S_LIVE)
				put_part(i);
	}
	if (parts)
		for (uint32_t i = 0; i < R->nslot && !W.stopped; i++)
			if (atomic_load_explicit(ring_slot_state(&R->slot[i]), memory_order_acquire) >=
			    TTC_S_LIVE)
				put_drops(i);
	free_slots(ended, nended);
	if (parts)
		stream_flush();
	rotate(ms);
}

/* Events that threads of the ring have dropped, and those that found no place in it. */
static uint64_t
dropped_by_living(void)
{
	uint64_t sum = atomic_load(&R->no_slot);

	for (uint32_t i = 0; i < R->nslot; i++)
		if (atomic_load_explicit(ring_slot_state(&R->slot[i]), memory_order_acquire) >= TTC_S_LIVE)
			sum += atomic_load_explicit(
			    (_Atomic uint64_t *)(void *)&R->slot[i].dropped, memory_order_relaxed);
	return sum;
}

/* Every thread's account, and why the file ends. */
static void
put_finish(enum ttc_finish how)
{
	uint8_t *b = malloc(16 + FINISH_THREADS * 50), *p = b;
	uint32_t n = 0;
	uint64_t no_slot = atomic_load(&R->no_slot), lost = atomic_load(&R->defs_lost);

	if (!b)
		return;
	for (uint32_t i = 0; i < R->nslot; i++)
		n += W.slot[i].number && W.slot[i].part == W.part + 1;
	if (no_slot && how != TTC_F_ROTATED) {
		p = ttc_put(p, 0);
		p = ttc_put(p, no_slot);
		stream_put(TTC_DROPS, b, (size_t)(p - b));
	}
	if (lost && how != TTC_F_ROTATED) {
		char text[100];
		snprintf(
		    text, sizeof text, "%llu definitions had no room in the ring", (unsigned long long)lost);
		put_note(text);
	}
	/* In records of few enough threads; a reader joins them. */
	for (uint32_t i = 0, k = 0; k <= n; k += FINISH_THREADS) {
		uint32_t here = n - k < FINISH_THREADS ? n - k : FINISH_THREADS;
		p = b;
		*p++ = (uint8_t)how;
		p = ttc_put(p, here);
		for (; here > 0; i++)
			if (W.slot[i].number && W.slot[i].part == W.part + 1) {
				p = put_account(p, &W.slot[i]);
				here--;
			}
		stream_put(TTC_FINISH, b, (size_t)(p - b));
	}
	free(b);
}

/* The disk is full: the head says so, in place, which needs no room. */
static void
mark_head(void)
{
	struct ttc_head h;

	memcpy(&h, W.head, sizeof h);
	h.flags |= TTC_H_DISK;
	h.crc = 0;
	memcpy(W.head, &h, sizeof h);
	h.crc = tt_crc32c(0, W.head, W.nhead);
	memcpy(W.head, &h, sizeof h);
	plat_patch(W.fd, 0, W.head, W.nhead);
}

/*
 * This file ends. Where it is not for another one, the recording is over too: threads are let go, and what
 * the stream still holds is written if the file takes it.
 */
static void
stop_writing(enum ttc_finish how, int error)
{
	if (W.stopped)
		return;
	if (how != TTC_F_ROTATED && how != TTC_F_CLEAN) {
		atomic_store(&rec_state.on, false);
		ring_detach(false);
		R->head->state = TTC_R_STOPPED;
	}
	W.finish = how;
	W.error = error;
	if (error)
		atomic_store(&W.failed, error);
	atomic_store(&W.stopped_as, how);
	if (how != TTC_F_DISK) {
		put_clock();
		put_finish(how);
	} else {
		mark_head();
		W.nstream = 0;
		put_finish(how);
	}
	if (W.nstream > 0) {          /* past the limits of put_chunk */
		uint64_t at = W.at;
		size_t n = stream_chunk();
		if (!put_bytes(W.buf, n)) {
			W.at = at;
			plat_truncate(W.fd, at);
		}
		W.stream_seq++;
		W.nstream = 0;
	}
	W.stopped = true;
}

/* --- files --------------------------------------------------------------------------------------------- */

static size_t
add_text(uint8_t *to, size_t room, const char *s, size_t most)
{
	size_t n = strlen(s);

	if (n > most)
		n = most;
	if (n + 1 > room)
		n = room - 1;
	memcpy(to, s, n);
	to[n] = '\0';
	return n + 1;
}

/* The head of the present file, into W.head. */
static void
make_head(const struct plat_instant *zero, const uint8_t run[16])
{
	struct ttc_head h;
	char args[1024];
	const char *text[TTC_TEXTS] = { R->map.path, W.producer, plat_os(), plat_arch(), args, W.path };
	size_t n = sizeof h;

	if (zero) {
		memset(&h, 0, sizeof h);
		memcpy(h.magic, TTC_MAGIC, 8);
		h.major = TTC_MAJOR;
		h.minor = TTC_MINOR;
		h.flags = (W.o.keep_ms ? TTC_H_LAST : 0) | (W.o.distorts ? TTC_H_DISTORTS : 0) |
		    (W.o.no_frames ? TTC_H_NO_FRAMES : 0);
		h.thread = plat_thread_self();
		memcpy(h.run, run, 16);
		h.chunk = R->size;
		h.clock = plat_ratio(&h.num, &h.den);
		h.ticks = zero->ticks;
		h.mono_ns = zero->mono_ns;
		h.wall_ns = zero->wall_ns;
		h.pid = plat_pid();
		h.pointer = sizeof(void *);
		plat_args(args, sizeof args);
		for (int i = 0; i < TTC_TEXTS; i++)
			n += add_text(W.head + n, TTC_RING_TEXT - n, text[i], 600);
		W.nhead = n;
		h.size = (uint32_t)n;
	} else {
		memcpy(&h, W.head, sizeof h);
		h.crc = 0;
	}
	h.part = W.part;
	h.part_ticks = zero ? zero->ticks : rec_now();
	memcpy(W.head, &h, sizeof h);
	h.crc = tt_crc32c(0, W.head, W.nhead);
	memcpy(W.head, &h, sizeof h);
}

/* "game.ttc" for part 0, then "game.1.ttc", ... */
static void
part_name(uint32_t part, char *to, size_t n)
{
	size_t stem = strlen(W.path);

	if (part == 0) {
		snprintf(to, n, "%s", W.path);
		return;
	}
	if (stem > 4 && strcmp(W.path + stem - 4, ".ttc") == 0)
		stem -= 4;
	snprintf(to, n, "%.*s.%u%s", (int)stem, W.path, part, W.path + stem);
}

/* The next file of a rotation. */
static bool
new_file(void)
{
	char old[1100];

	plat_close(W.fd);
	W.part++;
	part_name(W.part, W.name, sizeof W.name);
	W.fd = plat_create(W.name);
	if (W.fd < 0) {
		int error = -W.fd;
		W.stopped = false;
		W.broken = true;
		stop_writing(TTC_F_DISK, error);
		return false;
	}
	if (W.o.rotate_keep && W.part >= W.o.rotate_keep) {
		part_name(W.part - W.o.rotate_keep, old, sizeof old);
		plat_unlink(old);
	}
	make_head(NULL, NULL);
	W.at = 0;
	W.stopped = false;
	W.stream_seq = W.stream_before = 0;
	W.nstream = 0;
	W.def_number = 0;
	W.def_offset = TTC_CHUNK_HEAD;
	W.part_began_ms = now_ms();
	atomic_fetch_add(&W.files, 1);
	if (!put_bytes(W.head, W.nhead))
		return false;
	put_clock();
	put_definitions();
	return true;
}

/* --- the thread ---------------------------------------------------------------------------------------- */

static void
run_writer(void)
{
	while (!atomic_load_explicit(&W.closing, memory_order_acquire)) {
		uint64_t want = atomic_load_explicit(&W.flush_want, memory_order_acquire);
		bool all = want != atomic_load_explicit(&W.flush_done, memory_order_relaxed);
		/*
		 * Twice: what was open and is sealed by the time the first one gets to it, the second
		 * one finds.
		 */
		for (int i = 0; i < 1 + all && !W.stopped; i++)
			pass(all);
		atomic_store_explicit(&W.flush_done, want, memory_order_release);
		atomic_store_explicit(&W.writer_ns, plat_thread_ns(), memory_order_relaxed);
		plat_sleep_us((W.stopped ? 20 : W.o.poll_ms) * 1000);
	}
	for (int i = 0; i < 2 && !W.stopped; i++)
		pass(true);
	if (!W.stopped)
		stop_writing(TTC_F_CLEAN, 0);
}

/*
 * --- opening and closing
 * ---------------------------------------------------------------------------------
 */

static void
lock_life(void)
{
	while (atomic_flag_test_and_set_explicit(&life, memory_order_acquire))
		plat_sleep_us(200);
}

static void
unlock_life(void)
{
	atomic_flag_clear_explicit(&life, memory_order_release);
}

/* In the child: nothing is recorded, and nothing of the parent's is touched. */
static void
in_child(void)
{
	atomic_store(&rec_state.forked, true);
	atomic_store(&rec_state.on, false);
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
		atomic_store(&t->end, NULL);
}

static int
check_options(struct rec_options *o, char why[256])
{
	if (!o->path || !o->path[0] || strlen(o->path) >= sizeof W.path) {
		snprintf(why, 256, "no path for the capture, or one that is too long");
		return -EINVAL;
	}
	if (!o->chunk)
		o->chunk = 64u << 10;
	if (!o->ring)
		o->ring = 32u << 20;
	if (!o->threads)
		o->threads = 1024;
	if (!o->poll_ms)
		o->poll_ms = 5;
	if (!o->part_ms)
		o->part_ms = 1000;
	if (!o->producer)
		o->producer = "tracetool";
	if ((o->chunk & (o->chunk - 1)) || o->chunk < TTC_CHUNK_MIN || o->chunk > TTC_CHUNK_LIMIT) {
		snprintf(why, 256, "a chunk has a power of two from 4 KiB to 1 MiB, not %u bytes", o->chunk);
		return -EINVAL;
	}
	if (o->ring / o->chunk < 16 + RING_DEF_SPARE || o->ring > (uint64_t)1 << 40) {
		snprintf(
		    why, 256, "a ring has at least %u chunks of %u bytes", 16 + RING_DEF_SPARE, o->chunk);
		return -EINVAL;
	}
	if (o->threads > 1u << 16) {
		snprintf(why, 256, "at most %u threads", 1u << 16);
		return -EINVAL;
	}
	return 0;
}

static void
ring_header(const uint8_t run[16])
{
	struct ttc_ring *h = R->head;

	h->major = TTC_MAJOR;
	h->minor = TTC_MINOR;
	h->size = sizeof *h;
	memcpy(h->run, run, 16);
	h->total = R->map.n;
	h->slots = R->nslot;
	h->slot_at = TTC_RING_HEAD;
	h->chunks = R->nchunk;
	h->chunk = R->size;
	h->chunk_at = (uint64_t)(R->chunk - (uint8_t *)R->map.p);
	h->pid = plat_pid();
	h->state = TTC_R_LIVE;
	h->head = (uint32_t)W.nhead;
	memcpy((uint8_t *)R->map.p + TTC_RING_COPY, W.head, W.nhead);
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(h->magic, TTC_RING_MAGIC, 8);
}

static void
free_writer(void)
{
	free(W.slot);
	free(W.buf);
	free(W.stream);
	free(W.held);
	free(W.order);
	free(W.head);
	plat_free(W.zones, (size_t)R->nslot * R->stack_max * sizeof *W.zones);
	W.slot = NULL;
	W.buf = W.stream = W.head = NULL;
	W.held = NULL;
	W.order = NULL;
	W.zones = NULL;
}

static int
make_writer(void)
{
	W.slot = calloc(R->nslot, sizeof *W.slot);
	W.buf = malloc(R->size + STREAM_ROOM + (64u << 10));
	W.stream = malloc(STREAM_ROOM + (16u << 10));
	W.held = calloc(R->nchunk, sizeof *W.held);
	W.order = calloc(R->nchunk + R->nslot, sizeof *W.order);
	W.head = calloc(1, TTC_RING_TEXT);
	W.zones = plat_alloc((size_t)R->nslot * R->stack_max * sizeof *W.zones);
	return W.slot && W.buf && W.stream && W.held && W.order && W.head && W.zones ? 0 : -ENOMEM;
}

static int
start(const struct rec_options *given, char why[256])
{
	struct rec_options o = *given;
	struct plat_instant zero;
	uint8_t run[16];
	int rc = check_options(&o, why);

	if (rc != 0)
		return rc;
	memset(&W, 0, offsetof(struct writer, running));
	atomic_store(&W.closing, false);
	atomic_store(&W.flush_want, 0);
	atomic_store(&W.flush_done, 0);
	atomic_store(&W.written_b, 0);
	atomic_store(&W.dropped, 0);
	atomic_store(&W.chunks, 0);
	atomic_store(&W.parts, 0);
	atomic_store(&W.writer_ns, 0);
	atomic_store(&W.failed, 0);
	atomic_store(&W.stopped_as, TTC_F_CLEAN);
	W.fd = -1;
	snprintf(W.path, sizeof W.path, "%s", o.path);
	snprintf(W.producer, sizeof W.producer, "%s", o.producer);
	part_name(0, W.name, sizeof W.name);
	W.o = o;
	memset(R, 0, sizeof *R);
	rc = plat_map_make(&R->map, o.ring_dir, W.path,
	    (size_t)(TTC_RING_HEAD + o.threads * sizeof(struct ttc_slot) + o.ring / o.chunk * o.chunk), why);
	if (rc != 0)
		return rc;
	plat_random(run, sizeof run);
	memcpy(&R->run32, run, 4);
	rc = ring_make(R, o.chunk, o.threads);
	if (rc == 0)
		rc = make_writer();
	if (rc == 0 && (W.fd = plat_create(W.name)) < 0)
		rc = W.fd;
	if (rc == 0) {
		plat_instant(&zero);
		R->zero_ticks = zero.ticks;
		make_head(&zero, run);
		ring_header(run);
		W.def_offset = TTC_CHUNK_HEAD;
		W.part_began_ms = W.parts_ms = now_ms();
		atomic_store(&W.files, 1);
		put_clock();
		if (!put_bytes(W.head, W.nhead) || !stream_flush())
			rc = W.error ? -W.error : -EIO;
	}
	if (rc == 0)
		rc = plat_thread_start(&W.thread, run_writer);
	if (rc == 0)
		return 0;
	snprintf(why, 256, "%.200s: %s", W.name, strerror(-rc));
	if (W.fd >= 0) {
		plat_close(W.fd);
		plat_unlink(W.name);
	}
	free_writer();
	ring_free(R);
	plat_map_drop(&R->map, false);
	return rc;
}

int
rec_open(const struct rec_options *o, char why[256])
{
	static bool ready;
	int rc;

	why[0] = '\0';
	if (atomic_load(&rec_state.forked)) {
		snprintf(why, 256, "nothing is recorded in a forked child");
		return -ECHILD;
	}
	lock_life();
	if (!ready) {
		plat_init();
		tt_crc32c_init();
		plat_thread_exit_hook(ring_thread_exit);
		plat_fork_hook(in_child);
		plat_pin();
		ready = true;
	}
	if (W.running) {
		snprintf(why, 256, "a recording is running already");
		rc = -EBUSY;
	} else {
		rc = start(o, why);
	}
	if (rc == 0) {
		W.running = true;
		atomic_fetch_add(&rec_state.session, 1);
		atomic_store(&rec_state.dump, false);
		atomic_store_explicit(&rec_state.on, true, memory_order_release);
		for (const struct rec_meta *m = o->meta; m && m->key; m++)
			rec_meta(m->key, m->value);
	}
	unlock_life();
	return rc;
}

int
rec_close(char why[256])
{
	bool out;
	int rc = 0;

	why[0] = '\0';
	if (atomic_load(&rec_state.forked))
		return 0;
	lock_life();
	if (!W.running) {
		unlock_life();
		return 0;
	}
	atomic_store(&rec_state.on, false);
	out = ring_detach(true);
	atomic_store_explicit(&W.closing, true, memory_order_release);
	plat_thread_join(&W.thread);
	atomic_fetch_add_explicit(&W.dropped, dropped_by_living(), memory_order_relaxed);
	if (plat_close(W.fd) != 0 && W.error == 0)
		W.error = EIO;
	if (W.error) {
		rc = -W.error;
		snprintf(why, 256, "%.200s: %s", W.name, strerror(W.error));
	}
	R->head->state = TTC_R_DONE;
	plat_map_drop(&R->map, !out);
	free_writer();
	if (out)
		ring_free(R);
	W.running = false;
	unlock_life();
	return rc;
}

bool
rec_on(void)
{
	return atomic_load_explicit(&rec_state.on, memory_order_relaxed);
}

int
rec_flush(unsigned ms)
{
	uint64_t want;

	if (!rec_on())
		return 0;
	want = atomic_fetch_add(&W.flush_want, 1) + 1;
	for (unsigned i = 0; i <= ms; i++) {
		if (atomic_load_explicit(&W.flush_done, memory_order_acquire) >= want || !rec_on())
			return 0;
		plat_sleep_us(1000);
	}
	return -ETIMEDOUT;
}

void
rec_dump(void)
{
	atomic_store_explicit(&rec_state.dump, true, memory_order_release);
}

void
rec_stats(struct rec_stats *s)
{
	memset(s, 0, sizeof *s);
	s->on = rec_on();
	s->number = atomic_load(&rec_state.session);
	s->error = atomic_load(&W.failed);
	s->finish = (enum ttc_finish)atomic_load(&W.stopped_as);
	s->written_b = atomic_load(&W.written_b);
	s->dropped = atomic_load(&W.dropped);
	s->chunks = atomic_load(&W.chunks);
	s->parts = atomic_load(&W.parts);
	s->writer_ns = atomic_load(&W.writer_ns);
	s->files = atomic_load(&W.files);
	struct rec_thread *t = s->on ? rec_thread() : NULL;
	if (!t)
		return;
	atomic_store(&t->busy, 1);
	if (rec_on()) {
		int32_t nfree = atomic_load(&R->nfree);
		s->free = nfree > 0 ? (uint32_t)nfree : 0;
		s->total = R->nchunk;
		s->defs_lost = atomic_load(&R->defs_lost);
		s->dropped += dropped_by_living();
		for (uint32_t i = 0; i < R->nslot; i++)
			s->threads += atomic_load_explicit(ring_slot_state(&R->slot[i]), memory_order_acquire) ==
			    TTC_S_LIVE;
	}
	atomic_store(&t->busy, 0);
}
