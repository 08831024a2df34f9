/**
 * Writes the records that rec.h does not write inline. Runs on recorded threads.
 */
#include "recorder/core/ring.h"

#define RING (&rec_state.ring)

/* Maximum bytes of a record's time, kind and length. */
#define OTHER_HEAD 14u

static size_t
value_size(const struct rec_value *v)
{
	return v->size < RING->value_max ? v->size : RING->value_max;
}

/* Return the maximum bytes of ${n} values. *${n} is reduced to what fits a quarter of a chunk, and the omitted values are counted. */
static size_t
values_most(const struct rec_value *v, unsigned *n)
{
	size_t most = 1;

	for (unsigned i = 0; i < *n; i++) {
		size_t one = 12 + value_size(&v[i]);
		if (most + one > RING->chunk_size / 4 || i == REC_VALUES) {
			atomic_fetch_add_explicit(&RING->nleft_out, *n - i, memory_order_relaxed);
			*n = i;
			break;
		}
		if (__builtin_expect(v[i].size > RING->value_max, 0))
			atomic_fetch_add_explicit(&RING->ncut, 1, memory_order_relaxed);
		most += one;
	}
	return most;
}

static uint64_t
bits(const void *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

static uint8_t *
put_value(uint8_t *p, const struct rec_value *v)
{
	size_t n = value_size(v);

	switch (v->type) {
	case TTC_INSTANCE: case TTC_I32:
		if (v->size != 4)
			break;
		*p++ = v->type;
		return ttc_put(p, ttc_zig((uint64_t)(int64_t)(int32_t)(uint32_t)bits(v->p, 4)));
	case TTC_I64:
		if (v->size != 8)
			break;
		*p++ = v->type;
		return ttc_put(p, ttc_zig(bits(v->p, 8)));
	case TTC_U32:
		if (v->size != 4)
			break;
		*p++ = v->type;
		return ttc_put(p, bits(v->p, 4));
	case TTC_U64: case TTC_RESOURCE: case TTC_ENTITY: case TTC_PTR: case TTC_CLASS:
		if (v->size != 8)
			break;
		*p++ = v->type;
		return ttc_put(p, bits(v->p, 8));
	case TTC_WORD:
		if (v->size != 1)
			break;
		*p++ = v->type;
		return ttc_put(p, bits(v->p, 1));
	case TTC_F32: case TTC_F64:
		if (v->size != (v->type == TTC_F32 ? 4u : 8u))
			break;
		*p++ = v->type;
		memcpy(p, v->p, n);
		return p + n;
	case TTC_TEXT8: case TTC_TEXT16: case TTC_VEC3: case TTC_BLOB: case TTC_STACK_KEYS:
		*p++ = v->type;
		p = ttc_put(p, n);
		if (n)
			memcpy(p, v->p, n);
		return p + n;
	default:
		break;
	}
	*p++ = v->type | TTC_RAW;
	p = ttc_put(p, n);
	if (n)
		memcpy(p, v->p, n);
	return p + n;
}

static uint8_t *
put_values(uint8_t *p, const struct rec_value *v, unsigned n)
{
	p = ttc_put(p, n);
	for (unsigned i = 0; i < n; i++)
		p = put_value(p, &v[i]);
	return p;
}

static uint8_t *
put_key(struct rec_thread *t, uint8_t *p, uint64_t key)
{
	p = ttc_put(p, ttc_zig(key - t->key));
	t->key = key;
	return p;
}

/*
 * Compose the time ${d} and an operation, in at least two bytes. So the place of the next record does not depend on this time, and there is no mispredicted
 * branch for the few nanoseconds that one byte could hold; times in games are hardly ever that short.
 */
static struct rec_word
word_time(uint64_t d, unsigned op)
{
	uint64_t v = d << 2 | op;

	if (__builtin_expect(v < 1u << 14, 1))
		return (struct rec_word){ (v & 0x7f) | 0x80 | (v & ~(uint64_t)0x7f) << 1, 16 };
	return rec_word_put((struct rec_word){ 0, 0 }, v);
}

/* True if the time ${d}, with its two bits, and ${z} fit into a record of eight bytes. */
static bool
word_fits(uint64_t d, uint64_t z)
{
	return (d < 1u << 19 && z < 1ull << 35) || (d < 1u << 26 && z < 1u << 28);
}

static uint64_t
since(const struct rec_thread *t, uint64_t ticks)
{
	return ticks > t->ticks ? ticks - t->ticks : 0;
}

static void
publish_word(struct rec_thread *t, struct rec_word r)
{
	memcpy(t->p, &r.w, 8);
	rec_publish_sum(t, r.w, r.bits / 8, 0, tt_crc32c_bits(t->crc, r.w, r.bits, t->p));
}

/* Enter a recording function. False: there is no room for a small record. */
static bool
enter(struct rec_thread *t, uint64_t ticks)
{
	return rec_enter(t) || rec_more(t, ticks, REC_SMALL);
}

void
rec_begin_slow(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	bool room = enter(t, ticks);  /* first, as it may begin a recording, in which no zone is open */

	rec_push(t, key, key);
	if (room)
		rec_begin_at(t, ticks, key);
	else
		rec_drop(t);
}

void
rec_alloc_slow(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes)
{
	if (!enter(t, ticks)) {
		rec_drop(t);
		return;
	}
	uint64_t d = since(t, ticks), z = ttc_zig(key - t->alloc_key);
	t->alloc_key = key;
	if (d < 1u << 19 && z < 1u << 14 && bytes < 1u << 21) {
		struct rec_word r = word_time(d, TTC_ALLOC);
		t->ticks += d;
		publish_word(t, rec_word_put(rec_word_put(r, z), bytes));
		return;
	}
	uint8_t *p = ttc_put(rec_time(t, t->p, ticks, TTC_ALLOC), z);
	rec_publish(t, ttc_put(p, bytes));
}

void
rec_begin_long(struct rec_thread *t, uint64_t ticks, uint64_t z)
{
	uint64_t d = since(t, ticks);

	if (__builtin_expect(word_fits(d, z), 1)) {
		t->ticks += d;
		publish_word(t, rec_word_put(word_time(d, TTC_BEGIN), z));
		return;
	}
	rec_publish(t, ttc_put(rec_time(t, t->p, ticks, TTC_BEGIN), z));
}

void
rec_end_long(struct rec_thread *t, uint64_t ticks)
{
	uint64_t d = since(t, ticks);

	if (__builtin_expect(d < 1ull << 54, 1)) {
		t->ticks += d;
		publish_word(t, word_time(d, TTC_END));
		return;
	}
	rec_publish(t, rec_time(t, t->p, ticks, TTC_END));
}

/* Write a record of a key and values. */
void
ring_keyed(
    struct rec_thread *t, uint64_t ticks, unsigned kind, uint64_t key, const struct rec_value *v, unsigned n)
{
	uint8_t *length, *p;

	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire)) {
		rec_leave(t);
		return;
	}
	size_t most = values_most(v, &n) + 10;
	if (!ring_enter(t, ticks, most + OTHER_HEAD)) {
		rec_drop(t);
		return;
	}
	p = ring_open_other(t, ticks, kind, most, &length);
	p = put_key(t, p, key);
	ring_close_other(t, length, most, put_values(p, v, n));
}

void
rec_begin_args(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n)
{
	if (n == 0) {
		rec_begin(t, ticks, key);
		return;
	}
	ring_keyed(t, ticks, TTC_BEGIN_ARGS, key, v, n);
	rec_push(t, key, key);
}

void
rec_single(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n)
{
	ring_keyed(t, ticks, TTC_SINGLE, key, v, n);
}

void
rec_counter(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v)
{
	ring_keyed(t, ticks, TTC_COUNTER, key, v, 1);
}

void
rec_alloc_args(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes, const struct rec_value *v,
    unsigned n)
{
	uint8_t *length, *p;

	if (n == 0) {
		rec_alloc(t, ticks, key, bytes);
		return;
	}
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire)) {
		rec_leave(t);
		return;
	}
	size_t most = values_most(v, &n) + 20;
	if (!ring_enter(t, ticks, most + OTHER_HEAD)) {
		rec_drop(t);
		return;
	}
	p = ring_open_other(t, ticks, TTC_ALLOC_ARGS, most, &length);
	p = ttc_put(p, ttc_zig(key - t->alloc_key));
	t->alloc_key = key;
	p = ttc_put(p, bytes);
	ring_close_other(t, length, most, put_values(p, v, n));
}

/* Write a record of plain bytes that are few enough to fit any chunk. */
static void
plain(struct rec_thread *t, uint64_t ticks, unsigned kind, const uint8_t *payload, size_t n)
{
	uint8_t *length, *p;

	if (!ring_enter(t, ticks, n + OTHER_HEAD)) {
		rec_drop(t);
		return;
	}
	p = ring_open_other(t, ticks, kind, n, &length);
	if (n)
		memcpy(p, payload, n);
	ring_close_other(t, length, n, p + n);
}

void
rec_flow(struct rec_thread *t, uint64_t ticks, unsigned type, uint64_t id)
{
	uint8_t b[11];

	b[0] = (uint8_t)type;
	plain(t, ticks, TTC_FLOW, b, (size_t)(ttc_put(b + 1, id) - b));
}

void
rec_frame(struct rec_thread *t, uint64_t ticks, uint64_t number)
{
	uint8_t b[10];

	plain(t, ticks, TTC_FRAME, b, number ? (size_t)(ttc_put(b, number) - b) : 0);
	if (t->framed != t->session)
		ring_def_frames(t);
}

void
rec_other(struct rec_thread *t, uint64_t ticks, unsigned kind, const void *payload, size_t n)
{
	if (!atomic_load_explicit(&rec_state.on, memory_order_relaxed) || kind < 16 || kind > 63)
		return;
	plain(t, ticks, kind, payload, n < 480 ? n : n < RING_TEXT_MAX && n < RING->chunk_size / 4 ? n : 480);
}

/* End a zone that is not the innermost one. The zone is determined here, once, so that readers need not guess. */
void
rec_end_slow(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags)
{
	bool room = ring_enter(t, ticks, 24 + OTHER_HEAD);     /* first, as it may begin a recording */
	uint8_t *length, *p;
	uint32_t i = t->depth, above;

	if (i > t->zone_max) {
		t->depth--;
		above = 0;
	} else {
		while (i > 0 && t->zone[i - 1].match != key)
			i--;
		above = t->depth - i;
		if (i > 0)
			t->depth = i - 1;
	}
	if (!room) {
		rec_drop(t);
		return;
	}
	if (i > 0 && i <= t->zone_max && above == 0) {
		if (flags == 0) {
			rec_publish(t, rec_time(t, t->p, ticks, TTC_END));
			return;
		}
		p = ring_open_other(t, ticks, TTC_END_FLAGS, 24, &length);
		ring_close_other(t, length, 24, ttc_put(p, flags));
		return;
	}
	if (i > 0 && i <= t->zone_max) {
		p = ring_open_other(t, ticks, TTC_END_BELOW, 24, &length);
		p = ttc_put(p, above);
		ring_close_other(t, length, 24, ttc_put(p, flags));
		return;
	}
	if (i == 0 && RING->starts_late) {
		rec_leave(t);
		return;
	}
	p = ring_open_other(t, ticks, i > 0 ? TTC_END_KEY : TTC_END_NONE, 24, &length);
	p = put_key(t, p, key);
	if (i > 0)
		p = ttc_put(p, flags);
	ring_close_other(t, length, 24, p);
}

void
rec_begin_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags)
{
	uint8_t *length, *p;

	if (!ring_enter(t, ticks, 24 + OTHER_HEAD)) {
		rec_push(t, key, key);
		rec_drop(t);
		return;
	}
	rec_push(t, key, key);
	p = ring_open_other(t, ticks, TTC_BEGIN_FLAGS, 24, &length);
	p = put_key(t, p, key);
	ring_close_other(t, length, 24, ttc_put(p, flags));
}

void
rec_end_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags)
{
	if (flags == 0)
		rec_end(t, ticks, key);
	else
		rec_end_slow(t, ticks, key, flags);
}
