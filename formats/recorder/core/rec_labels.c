/**
 * Records labels: zones named by their own text. Runs on recorded threads.
 *
 * A text is identified by a 64-bit hash. All threads share one table of hashes, read without a lock; at most half of it is used, so a search takes few steps
 * whether or not the text is in it.
 */
#include "recorder/core/ring.h"

#include <stdlib.h>

#define RING (&rec_state.ring)

/* Multiply ${a} by ${b} and xor the halves of the product. */
static inline uint64_t
fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide w = (wide)a * b;

	return (uint64_t)w ^ (uint64_t)(w >> 64);
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t x = ah * bl + (al * bl >> 32), y = al * bh + (uint32_t)x;

	return a * b ^ (ah * bh + (x >> 32) + (y >> 32));
#endif
}

static inline uint64_t
word(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
	return w;
}

static inline uint64_t
half_word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, 4);
	return w;
}

#define K0 0x9e3779b97f4a7c15u
#define K1 0xd1b54a32d192ed03u
#define K2 0x8cb92ba72f3d8dd7u
#define K3 0xaef17502108ef2d9u

/* Hash 16 bytes. */
static inline uint64_t
mix(const uint8_t *p, uint64_t a, uint64_t b)
{
	return fold(word(p) ^ a, word(p + 8) ^ b);
}

/*
 * Hash a text to 64 bits, never 0. Pieces of 16 bytes are multiplied independently of one another; the last piece overlaps the previous one, so no single
 * bytes are read.
 */
static inline uint64_t
hash(const uint8_t *p, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ n * K0;
	size_t i;

	if (__builtin_expect(n >= 16, 1)) {
		for (i = 0; n - i > 64; i += 64) {
			h = fold(h, K3) + mix(p + i, K0, K1) + mix(p + i + 16, K1, K2);
			h += mix(p + i + 32, K2, K3) ^ mix(p + i + 48, K3, K0);
		}
		if (n - i > 32) {
			h += mix(p + i, K2 ^ seed, K1) + mix(p + i + 16, K3, K0 ^ seed);
			h ^= mix(p + n - 32, K1 ^ seed, K3);
		} else if (n - i > 16) {
			h += mix(p + i, K1 ^ seed, K3);
		}
		h += mix(p + n - 16, K0 ^ seed, K2);
	} else if (n >= 8) {
		h += fold(word(p) ^ K0 ^ seed, word(p + n - 8) ^ K2);
	} else if (n >= 4) {
		h += fold(half_word(p) ^ K0 ^ seed, half_word(p + n - 4) ^ K2);
	} else if (n > 0) {
		h += fold(((uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1]) ^ K0 ^ seed, K2);
	}
	return h + !h;
}

static inline uint64_t
label_hash(uint64_t owner, uint64_t category, unsigned type, const void *p, size_t n)
{
	return hash(p, n, owner ^ category << 40 ^ (uint64_t)type << 32);
}

static inline struct ring_label *
label_at(const struct ring *r, uint64_t h)
{
	return &r->label[h % (2 * RING_LABELS)];
}

/* Marks a label whose definition found no room; its text is written with each event. */
#define LABEL_WRITTEN_OUT UINT64_MAX

/*
 * Return the key of a label, which is defined if it is new; 0: no room. If another thread is defining it right now, do not wait: the label then gets two
 * keys.
 */
static uint64_t
label_key(struct ring *r, uint64_t h, uint64_t owner, uint64_t category, unsigned type, const uint8_t *s, size_t n)
{
	struct ring_label *l = label_at(r, h);
	uint64_t have = atomic_load_explicit(&l->hash, memory_order_acquire), key;

	for (; have != 0 && have != h; have = atomic_load_explicit(&l->hash, memory_order_acquire))
		l = l + 1 < r->label + 2 * RING_LABELS ? l + 1 : r->label;
	if (have == h) {
		key = atomic_load_explicit(&l->key, memory_order_acquire);
		return key == LABEL_WRITTEN_OUT ? 0 : key ? key : ring_def_label(owner, category, type, s, n);
	}
	if (atomic_fetch_add_explicit(&r->nlabel, 1, memory_order_relaxed) >= RING_LABELS) {
		atomic_fetch_sub_explicit(&r->nlabel, 1, memory_order_relaxed);
		return 0;
	}
	if (!atomic_compare_exchange_strong(&l->hash, &have, h)) {    /* another thread was faster */
		atomic_fetch_sub_explicit(&r->nlabel, 1, memory_order_relaxed);
		return label_key(r, h, owner, category, type, s, n);
	}
	key = ring_def_label(owner, category, type, s, n);
	atomic_store_explicit(&l->key, key ? key : LABEL_WRITTEN_OUT, memory_order_release);
	return key;
}

/* Record the label with its text as an argument of the event. */
static __attribute__((noinline)) void
label_text(struct rec_thread *t, uint64_t ticks, uint64_t owner, const struct rec_value *text,
    const struct rec_value *args, unsigned n)
{
	static const int32_t none;
	/* The same order as Unity's, so that readers name the values correctly. */
	struct rec_value all[REC_VALUES + 1] = { n ? args[0] : (struct rec_value){ .type = TTC_I32, .size = 4, .p = &none }, *text };
	unsigned m = n < REC_VALUES ? n : REC_VALUES;

	atomic_fetch_add_explicit(&RING->nlabels_without_key, 1, memory_order_relaxed);
	for (unsigned i = 1; i < m; i++)
		all[i + 1] = args[i];
	ring_keyed(t, ticks, TTC_BEGIN_ARGS, owner, all, m ? m + 1 : 2);
	rec_push(t, owner, owner);
}

/* Return the number of bytes of ${v} that are kept: without trailing NULs, at most RING->value_max. */
static size_t
length(const struct rec_value *v)
{
	const uint8_t *s = v->p;
	size_t n = v->size;

	if (n > RING->value_max) {
		atomic_fetch_add_explicit(&RING->ncut, 1, memory_order_relaxed);
		n = RING->value_max & ~1u;
	}
	if (v->type == TTC_TEXT16) {
		n &= ~(size_t)1;
		while (n >= 2 && s[n - 1] == 0 && s[n - 2] == 0)
			n -= 2;
	} else {
		while (n >= 1 && s[n - 1] == 0)
			n--;
	}
	return n;
}

/* Record a label that is new, or has values. rec_label() has marked ${t} busy. */
static __attribute__((noinline)) void
label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n)
{
	uint64_t key;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire)) {
		rec_leave(t);
		return;
	}
	size_t size = length(v);
	key = label_key(RING, label_hash(owner, category, v->type, v->p, size), owner, category, v->type, v->p, size);
	if (key == 0) {
		label_text(t, ticks, owner, &(struct rec_value){ .type = v->type, .size = (uint32_t)size, .p = v->p }, args, n);
		return;
	}
	if (n > 0)
		ring_keyed(t, ticks, TTC_BEGIN_ARGS, key, args, n);
	else if (rec_enter(t) || rec_more(t, ticks, REC_SMALL))
		rec_begin_at(t, ticks, key);
	else
		rec_drop(t);
	rec_push(t, key, owner);
}

/* True if ${v} has no trailing NULs and is not too long, so that its size is its length. */
static inline bool
is_trim(const struct rec_value *v)
{
	const uint8_t *last = (const uint8_t *)v->p + v->size;

	return v->size >= 2 && v->size <= RING->value_max &&
	    (v->type == TTC_TEXT16 ? v->size % 2 == 0 && (last[-1] | last[-2]) != 0 : last[-1] != 0);
}

void
rec_label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n)
{
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	/* The table belongs to one recording, so only a thread with a chunk of that recording may use it. */
	if (__builtin_expect(n == 0 && t->p < atomic_load_explicit(&t->end, memory_order_relaxed) && is_trim(v), 1)) {
		uint64_t h = label_hash(owner, category, v->type, v->p, v->size), key;
		const struct ring_label *l = label_at(RING, h);
		if (__builtin_expect(atomic_load_explicit(&l->hash, memory_order_acquire) == h, 1) &&
		    (key = atomic_load_explicit(&l->key, memory_order_acquire)) + 1 > 1) {
			rec_push(t, key, owner);
			rec_begin_at(t, ticks, key);
			return;
		}
	}
	label(t, ticks, owner, category, v, args, n);
}
