/**
 * What runs on game threads: labels, zones named by their own text.
 */
#include "ring.h"

#include <stdlib.h>

#define R (&rec_state.ring)

/* The two halves of the product of ${a} and ${b}, joined. */
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

/* 64 bits of a text: words multiplied and folded, in two lanes that do not wait for each other. */
static uint64_t
hash(const uint8_t *p, size_t n, uint64_t seed)
{
	const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd1b54a32d192ed03u;
	uint64_t g = seed ^ k0, h = n ^ k1;
	uint8_t last[32] = { 0 };

	for (; n > 32; n -= 32, p += 32) {
		g = fold(word(p) ^ g, word(p + 8) ^ k1);
		h = fold(word(p + 16) ^ h, word(p + 24) ^ k0);
	}
	memcpy(last, p, n);
	g = fold(word(last) ^ g, word(last + 8) ^ k1);
	h = fold(word(last + 16) ^ h, word(last + 24) ^ k0);
	h = fold(g ^ k1, h ^ k0);
	return h ? h : 1;
}

/* The key of a label whose definition found no room: its text goes with each event. */
#define LABEL_WRITTEN_OUT UINT64_MAX

/*
 * A label met for the first time, or not where its hash points. One that another thread defines at this moment is
 * not waited for: it is defined twice, under two keys. 0: no room for another.
 */
static __attribute__((noinline)) uint64_t
label_slow(
    struct ring *r, uint64_t h, uint64_t owner, uint64_t category, unsigned type, const uint8_t *s, size_t n)
{
	for (uint32_t i = 0; i < RING_LABEL_TRIES; i++) {
		struct ring_label *l = &r->label[(h + i) % RING_LABELS];
		uint64_t have = atomic_load_explicit(&l->hash, memory_order_acquire), key;
		if (have == 0 && atomic_compare_exchange_strong(&l->hash, &have, h)) {
			key = ring_def_label(owner, category, type, s, n);
			atomic_store_explicit(&l->key, key ? key : LABEL_WRITTEN_OUT, memory_order_release);
			return key;
		}
		if (have != h)
			continue;
		key = atomic_load_explicit(&l->key, memory_order_acquire);
		if (key == LABEL_WRITTEN_OUT)
			return 0;
		return key ? key : ring_def_label(owner, category, type, s, n);
	}
	return 0;
}

static inline uint64_t
label_key(struct ring *r, uint64_t owner, uint64_t category, unsigned type, const uint8_t *s, size_t n)
{
	uint64_t h = hash(s, n, owner ^ category << 40 ^ (uint64_t)type << 32);
	struct ring_label *l = &r->label[h % RING_LABELS];

	if (__builtin_expect(atomic_load_explicit(&l->hash, memory_order_acquire) == h, 1)) {
		uint64_t key = atomic_load_explicit(&l->key, memory_order_acquire);
		if (__builtin_expect(key != 0 && key != LABEL_WRITTEN_OUT, 1))
			return key;
	}
	return label_slow(r, h, owner, category, type, s, n);
}

/* The text goes with the event, as its first argument. */
static __attribute__((noinline)) void
label_text(struct rec_thread *t, uint64_t ticks, uint64_t owner, const struct rec_value *text,
    const struct rec_value *args, unsigned n)
{
	struct rec_value all[8] = { *text };
	unsigned m = n < 7 ? n : 7;

	for (unsigned i = 0; i < m; i++)
		all[i + 1] = args[i];
	ring_keyed(t, ticks, TTC_BEGIN_ARGS, owner, all, m + 1);
	rec_push(t, owner, owner);
}

/* 16 bytes that may lie anywhere. */
typedef uint64_t pair __attribute__((vector_size(16)));
static inline pair
at(const uint8_t *p)
{
	pair x;

	memcpy(&x, p, 16);
	return x;
}

/* Are the ${n} bytes the same? Few branches on the length: pieces from both ends, which may overlap. */
static inline __attribute__((always_inline)) bool
same(const uint8_t *a, const uint8_t *b, size_t n)
{
	pair d = { 0, 0 };

	if (n < 16)
		return memcmp(a, b, n) == 0;
	for (size_t i = 0; i + 32 < n; i += 32)
		d |= (at(a + i) ^ at(b + i)) | (at(a + i + 16) ^ at(b + i + 16));
	d |= at(a + n - 16) ^ at(b + n - 16);
	n = n < 32 ? 0 : n - 32;
	d |= at(a + n) ^ at(b + n);
	return (d[0] | d[1]) == 0;
}

/* What the thread remembers where a text at ${p} belongs. */
static inline struct ring_known *
known_at(struct rec_thread *t, const void *p)
{
	return &ring_known(t)[(uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15u >> (64 - 9)];
}
_Static_assert(RING_KNOWN == 1u << 9, "see known_at");

static inline bool
is_known(const struct ring_known *k, const struct rec_thread *t, uint64_t owner, uint64_t category,
    const struct rec_value *v)
{
	return ((k->owner ^ owner) | (k->category ^ category) | (k->session ^ t->session) |
		   (k->size ^ v->size) | (k->type ^ v->type)) == 0 &&
	    same(k->text, v->p, v->size);
}

/* Terminators do not count, nor what is too long. */
static size_t
length(const struct rec_value *v)
{
	const uint8_t *s = v->p;
	size_t n = v->size;

	if (n > R->value_max)
		n = R->value_max & ~1u;
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

/* A label that the thread does not remember, or one with values. Entered. */
static __attribute__((noinline)) void
label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n)
{
	struct ring_known *k = known_at(t, v->p);
	uint64_t key;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire)) {
		rec_leave(t);
		return;
	}
	if (t->session == atomic_load_explicit(&rec_state.session, memory_order_relaxed) &&
	    is_known(k, t, owner, category, v)) {
		key = k->key;
	} else {
		size_t size = length(v);
		key = label_key(R, owner, category, v->type, v->p, size);
		if (key == 0) {
			label_text(t, ticks, owner,
			    &(struct rec_value){ .type = v->type, .size = (uint32_t)size, .p = v->p }, args, n);
			return;
		}
	}
	if (n > 0) {
		ring_keyed(t, ticks, TTC_BEGIN_ARGS, key, args, n);
	} else if (rec_enter(t, ticks)) {
		rec_begin_at(t, ticks, key);
	} else {
		rec_push(t, key, owner);
		rec_drop(t);
		return;
	}
	rec_push(t, key, owner);
	/* Not before it has joined the recording: the key is of this session. */
	if (v->size > 0 && v->size <= RING_KNOWN_TEXT) {
		*k = (struct ring_known){ .key = key, .owner = owner, .category = category, .session = t->session,
			.size = v->size, .type = v->type };
		memcpy(k->text, v->p, v->size);
	}
}

void
rec_label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n)
{
	const struct ring_known *k = known_at(t, v->p);

	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	/* With a chunk at hand, this is the session the key is of. */
	if (__builtin_expect(n == 0 && t->p < atomic_load_explicit(&t->end, memory_order_relaxed) &&
		is_known(k, t, owner, category, v), 1)) {
		rec_push(t, k->key, owner);
		rec_begin_at(t, ticks, k->key);
		return;
	}
	label(t, ticks, owner, category, v, args, n);
}
