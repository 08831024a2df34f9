/**
 * Ends a capture at its size limit so that all threads end at the same time.
 *
 * Each pass adds up what the ring holds and the file lacks: sealed chunks, present contents of open chunks, definitions. While everything fits below the
 * limit, the pass continues. Once it does not fit, recording stops, all chunks are sealed, and as much is written as fits: of each thread everything up to
 * one time, and nothing after it. The sum serves as a reserve, so that the file always has room for every open chunk.
 */
#include "recorder/core/writer.h"

#define RING (&rec_state.ring)
#define WRITER rec_writer

enum {
	SLICES = 4096,                /* number of slices of a time range; the slice up to which everything fits is found, and then divided again */
	STEP = 16,                    /* bytes of records that are walked at a time */
	ASIDE = TTC_CHUNK_HEAD + 200, /* maximum bytes of a chunk beside body and state: its head, and the record of its thread in a chunk */
};

/* Return the maximum bytes of definitions that are not written yet. */
static uint64_t
definitions_due(void)
{
	uint64_t at = atomic_load_explicit(&RING->def_at, memory_order_acquire), number = at >> 32;

	if (number == 0)
		return 0;
	return (number - 1 - WRITER.def_number) * RING->chunk_size + (uint32_t)at - WRITER.def_offset;
}

/* Return the ticks of the first definition that is not written yet, or UINT64_MAX. */
static uint64_t
first_definition(void)
{
	uint64_t at = atomic_load_explicit(&RING->def_at, memory_order_acquire), ticks;
	uint32_t offset = WRITER.def_offset, number = WRITER.def_number;

	if (number + 1 < at >> 32 && offset == atomic_load_explicit(&RING->def_end[number], memory_order_acquire)) {
		number++;
		offset = TTC_CHUNK_HEAD;
	}
	if (number + 1 > at >> 32 || (number + 1 == at >> 32 && offset >= (uint32_t)at))
		return UINT64_MAX;
	memcpy(&ticks, (uint8_t *)ring_chunk(RING, atomic_load(&RING->def_chunk[number]) - 1) + offset + 8, sizeof ticks);
	return ticks ? ticks : UINT64_MAX;    /* 0: it is being written */
}

/* Return how many bytes the file can take up to its limit, with room for its end. */
static uint64_t
room(void)
{
	uint32_t begun = atomic_load_explicit(&RING->nthread, memory_order_relaxed), threads = begun < RING->nslot ? begun : RING->nslot;
	uint64_t used = WRITER.file_bytes + WRITER.nstream + ASIDE + FINISH_RESERVE + (uint64_t)threads * FINISH_THREAD;

	return used < WRITER.o.max_size ? WRITER.o.max_size - used : 0;
}

/* Return the maximum bytes beside records that chunk ${c} of ${w} takes in the file. */
static uint64_t
beside(const struct wslot *w, const struct ttc_chunk *c)
{
	uint32_t named = w->walk.depth < w->walk.max ? w->walk.depth : w->walk.max;

	return ASIDE + (w->seq == c->seq && w->written_bytes ? 40 + 10 * named : c->state);
}

/* Return the bytes of chunk ${index} that are not in the file yet. */
static uint64_t
chunk_due(uint32_t index)
{
	struct ttc_chunk *c = ring_chunk(RING, index);
	const struct wslot *w = writer_slot(RING->owner[index]);
	uint64_t length = (uint32_t)atomic_load_explicit(ring_commit(c), memory_order_acquire);

	return length - (w->seq == c->seq && w->written_bytes < length ? w->written_bytes : 0) + beside(w, c);
}

static uint32_t
held_at(uint32_t i)
{
	return WRITER.held[(WRITER.held_at + i) % RING->nchunk].index;
}

bool
writer_fits(uint32_t n, bool *near)
{
	uint64_t left = room(), sum = definitions_due();
	int32_t nfree = atomic_load_explicit(&RING->nfree, memory_order_relaxed);

	*near = false;
	/* Usually the limit is further away than the total length of all chunks in use. */
	if (WRITER.is_stopped || !WRITER.o.max_size || WRITER.o.rotate_size ||
	    (uint64_t)(RING->nchunk - (uint32_t)(nfree > 0 ? nfree : 0)) * (RING->chunk_size + ASIDE) < left)
		return true;
	for (uint32_t i = 0; i < WRITER.nheld; i++)
		sum += chunk_due(held_at(i));
	for (uint32_t i = 0; i < n; i++)
		sum += chunk_due(WRITER.order[i]);
	for (uint32_t i = 0; i < RING->nslot; i++) {
		const struct ttc_slot *s = &RING->slot[i];
		if (atomic_load_explicit(ring_slot_state((struct ttc_slot *)(uintptr_t)s), memory_order_acquire) != TTC_S_LIVE)
			continue;
		uint32_t index = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)&s->chunk, memory_order_acquire);
		sum += index ? chunk_due(index - 1) : 0;
	}
	uint64_t grown = WRITER.due_bytes && WRITER.file_bytes + sum > WRITER.due_bytes ? WRITER.file_bytes + sum - WRITER.due_bytes : 0;
	WRITER.due_bytes = WRITER.file_bytes + sum;
	*near = sum + grown >= left;
	return sum < left;
}

/* --- the end ------------------------------------------------------------------------------- */

/* A chunk's records, walked in small steps. */
struct steps {
	struct ttc_walk walk;
	const uint8_t *records;
	uint32_t n, at;
};

static void
steps_of(struct steps *s, const struct ttc_chunk *c)
{
	static uint64_t zone[TTC_STACK];
	const uint8_t *body = (const uint8_t *)c + TTC_CHUNK_HEAD;

	*s = (struct steps){ .walk = { .zone = zone, .max = RING->stack_max }, .records = body + c->state, .n = (uint32_t)c->commit - c->state };
	ttc_walk_state(&s->walk, c, body, c->state);
	s->walk.events = 0;
}

/* Skip some whole records; return their bytes, 0 at the end. */
static uint32_t
step(struct steps *s)
{
	uint32_t left = s->n - s->at, done = 0;

	for (uint32_t n = STEP; left > 0 && done == 0; n *= 2) {
		done = (uint32_t)ttc_walk(&s->walk, s->records + s->at, n < left ? n : left);
		if (n >= left)
			break;
	}
	s->at += done;
	return done;
}

/*
 * Add the bytes of chunk ${index} that are not in the file to ${slice}, by times from ${from}, ${width} ticks per slice. Return the bytes of earlier records.
 */
static uint64_t
slice_chunk(uint32_t index, uint64_t *slice, uint64_t from, uint64_t width)
{
	const struct ttc_chunk *c = ring_chunk(RING, index);
	const struct wslot *w = writer_slot(RING->owner[index]);
	uint32_t done = w->seq == c->seq ? w->written_bytes : 0;
	uint64_t earlier = 0, more = beside(w, c);
	struct steps s;

	steps_of(&s, c);
	for (uint32_t n; (n = step(&s)) > 0;) {
		uint64_t at = s.walk.ticks < from ? 0 : (s.walk.ticks - from) / width;
		if (s.at <= done)
			continue;
		if (s.walk.ticks < from)
			earlier += n + more;
		else if (at < SLICES)
			slice[at] += n + more;
		more = 0;
	}
	return earlier;
}

/* Return the time up to which the held chunks are written: the latest for which they fit in ${left} bytes, and no definition is missing. */
static uint64_t
find_end(uint64_t left)
{
	static uint64_t slice[SLICES];
	const uint64_t first = first_definition();
	uint64_t from = 0, width = rec_now() / SLICES + 1, sum;

	for (;; width = width / SLICES + 1) {
		uint32_t k = 0;
		memset(slice, 0, sizeof slice);
		sum = 0;
		for (uint32_t i = 0; i < WRITER.nheld; i++)
			sum += slice_chunk(held_at(i), slice, from, width);
		while (k < SLICES && (sum += slice[k]) <= left)
			k++;
		from += k * width;
		if (width == 1 || k == SLICES)
			return from < first ? from : first;
	}
}

/* Cut chunk ${index} before the first records that end at or after ${to}. */
static void
cut(uint32_t index, uint64_t to)
{
	struct ttc_chunk *c = ring_chunk(RING, index);
	uint8_t *body = (uint8_t *)c + TTC_CHUNK_HEAD;
	uint64_t events = 0;
	uint32_t end = 0;
	struct steps s;

	steps_of(&s, c);
	while (step(&s) > 0 && s.walk.ticks < to) {
		end = s.at;
		events = s.walk.events;
	}
	if (end == s.n)
		return;
	writer_set_checksum(c, body, c->state, body + c->state, end);
	RING->count[index] = (uint32_t)events;
}

void
writer_end_at_limit(void)
{
	uint64_t to, left = room(), chunks = 0;

	for (uint32_t i = 0; i < WRITER.nheld; i++)
		chunks += chunk_due(held_at(i));
	/* Definitions leave at least half of the room for events. */
	writer_definitions(chunks < left / 2 ? left - chunks : left / 2);
	writer_flush();
	to = find_end(room());
	if (WRITER.o.keep_ms)
		writer_dump_record(writer_since(to > 0 ? to - 1 : 0));
	while (WRITER.nheld > 0 && !WRITER.is_stopped) {
		uint32_t index = held_at(0);
		const struct ttc_chunk *c = ring_chunk(RING, index);
		const struct wslot *w = writer_slot(RING->owner[index]);
		cut(index, to);
		bool any = (uint32_t)c->commit - c->state > (w->seq == c->seq ? w->written_bytes : 0);
		writer_unhold();
		if (any)
			writer_put_sealed(index);
	}
	if (!WRITER.is_stopped)
		writer_flush();
	WRITER.on_full(TTC_F_MAX_SIZE, 0);
}
