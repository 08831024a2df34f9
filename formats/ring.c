/**
 * What runs on game threads: getting chunks, records that are not inline, definitions, labels, coming and
 * going.
 */
#include "ring.h"

#include <errno.h>
#include <stdlib.h>

struct rec_state rec_state;
#define R (&rec_state.ring)

#if !defined(_WIN32)
__thread struct rec_thread *rec_self;
#endif

static atomic_flag threads_lock = ATOMIC_FLAG_INIT;

/* Held for a few dozen instructions, at most once in a thread's life at each end. */
void
rec_threads_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&threads_lock, memory_order_acquire))
		plat_sleep_us(50);
}

void
rec_threads_unlock(void)
{
	atomic_flag_clear_explicit(&threads_lock, memory_order_release);
}

/* --- the lists ------------------------------------------------------------------- */

uint32_t
ring_take(struct ring *r)
{
	uint64_t head = atomic_load_explicit(&r->free, memory_order_acquire);

	for (;;) {
		uint32_t first = (uint32_t)head;
		if (first == 0)
			return 0;
		uint64_t next = atomic_load_explicit(&r->link[first - 1], memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(&r->free, &head, ((head >> 32) + 1) << 32 | next,
		    memory_order_acq_rel, memory_order_acquire)) {
			atomic_fetch_sub_explicit(&r->nfree, 1, memory_order_relaxed);
			return first;
		}
	}
}

void
ring_give(struct ring *r, uint32_t index)
{
	uint64_t head = atomic_load_explicit(&r->free, memory_order_relaxed);

	do
		atomic_store_explicit(&r->link[index], (uint32_t)head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&r->free, &head, ((head >> 32) + 1) << 32 | (index + 1),
	    memory_order_acq_rel, memory_order_relaxed));
	atomic_fetch_add_explicit(&r->nfree, 1, memory_order_relaxed);
}

/*
 * Another chunk for definitions, behind number ${number} (0: the first). False: the ring has no more
 * for them.
 */
static bool
more_defs(struct ring *r, uint32_t number)
{
	uint32_t c = 0, none = 0;

	if (number >= r->def_max)
		return false;
	if (atomic_load_explicit(&r->def_chunk[number], memory_order_acquire))
		return true;
	c = ring_take(r);
	if (c == 0)
		return false;
	struct ttc_chunk *h = ring_chunk(r, c - 1);
	atomic_store_explicit(ring_commit(h), 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	memset(h, 0, r->size);
	h->seq = number;
	h->run = r->run32;
	h->magic = TTC_DEFS_MAGIC;
	if (!atomic_compare_exchange_strong(&r->def_chunk[number], &none, c)) {
		h->magic = 0;
		ring_give(r, c - 1);
	}
	return true;
}

int
ring_make(struct ring *r, uint32_t chunk, uint32_t nslot)
{
	size_t slots = (size_t)nslot * sizeof(struct ttc_slot);
	uint8_t *p = r->map.p;

	r->head = (struct ttc_ring *)(void *)p;
	r->slot = (struct ttc_slot *)(void *)(p + TTC_RING_HEAD);
	r->chunk = p + TTC_RING_HEAD + slots;
	r->nslot = nslot;
	r->size = chunk;
	r->nchunk = (uint32_t)((r->map.n - TTC_RING_HEAD - slots) / chunk);
	r->stack_max = ttc_stack_max(chunk);
	r->value_max = chunk / 8 < RING_TEXT_MAX ? chunk / 8 : RING_TEXT_MAX;
	r->def_max = r->nchunk / 2;
	r->link = calloc(r->nchunk, sizeof *r->link);
	r->owner = calloc(r->nchunk, sizeof *r->owner);
	r->count = calloc(r->nchunk, sizeof *r->count);
	r->def_chunk = calloc(r->nchunk, sizeof *r->def_chunk);
	r->def_end = calloc(r->nchunk, sizeof *r->def_end);
	r->label = malloc(RING_LABELS * sizeof *r->label);
	if (!r->link || !r->owner || !r->count || !r->def_chunk || !r->def_end || !r->label) {
		ring_free(r);
		return -ENOMEM;
	}
	memset(r->label, 0, RING_LABELS * sizeof *r->label);
	atomic_store(&r->free, 0);
	atomic_store(&r->nfree, 0);
	atomic_store(&r->sealed, 0);
	atomic_store(&r->def_at, 0);
	atomic_store(&r->defs_lost, 0);
	atomic_store(&r->numbers, 0);
	atomic_store(&r->no_slot, 0);
	for (uint32_t i = r->nchunk; i-- > 0;)
		ring_give(r, i);
	for (uint32_t i = 0; i < RING_DEF_SPARE; i++)
		more_defs(r, i);
	return 0;
}

void
ring_free(struct ring *r)
{
	free(r->link);
	free(r->owner);
	free(r->count);
	free(r->def_chunk);
	free(r->def_end);
	free(r->label);
	r->link = NULL;
	r->owner = NULL;
	r->count = NULL;
	r->def_chunk = NULL;
	r->def_end = NULL;
	r->label = NULL;
}

/* --- chunks of a thread -------------------------------------------------------------- */

void
ring_seal(struct ring *r, struct rec_thread *t)
{
	uint32_t index = t->chunk - 1, head;

	if (t->chunk == 0)
		return;
	struct ttc_slot *s = &r->slot[t->slot];
	t->before = (uint32_t)(t->p - t->body) - ring_chunk(r, index)->state;
	r->count[index] = (uint32_t)t->events;
	t->made += t->events;
	t->events = 0;
	t->seq++;
	t->chunk = 0;
	atomic_store_explicit(&t->end, NULL, memory_order_relaxed);
	s->events = t->made;
	atomic_store_explicit((_Atomic uint32_t *)(void *)&s->chunk, 0, memory_order_release);
	head = atomic_load_explicit(&r->sealed, memory_order_relaxed);
	do
		atomic_store_explicit(&r->link[index], head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&r->sealed, &head, index + 1, memory_order_release,
	    memory_order_relaxed));
}

/* Begin a chunk: head, state, and the first commit. */
static void
begin_chunk(struct ring *r, struct rec_thread *t, uint32_t index, uint64_t ticks)
{
	struct ttc_chunk *c = ring_chunk(r, index);
	struct ttc_slot *s = &r->slot[t->slot];
	uint8_t *body = (uint8_t *)c + TTC_CHUNK_HEAD;
	uint32_t given = t->depth < t->zone_max ? t->depth : t->zone_max;

	atomic_store_explicit(ring_commit(c), 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (ticks > t->ticks)
		t->ticks = ticks;
	t->key = t->alloc_key = 0;
	c->magic = TTC_CHUNK_MAGIC;
	c->thread = s->number;
	c->seq = t->seq;
	c->ticks = t->ticks;
	c->dropped = t->dropped;
	c->events = t->made;
	c->first = 0;
	c->before = t->before;
	c->run = r->run32;
	c->state = (uint32_t)ttc_state_put(body, 0, 0, t->depth, given, &t->zone[0].key, sizeof t->zone[0]);
	t->crc = tt_crc32c_long(~0u, (uint8_t *)c + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + c->state);
	t->body = body;
	t->p = body + c->state;
	t->events = 0;
	t->commit = ring_commit(c);
	t->chunk = index + 1;
	r->owner[index] = t->slot;
	atomic_store_explicit(t->commit, c->state | (uint64_t)(uint32_t)~t->crc << 32, memory_order_release);
	atomic_store_explicit((_Atomic uint32_t *)(void *)&s->chunk, index + 1, memory_order_release);
	atomic_store_explicit(&t->end, (uint8_t *)c + r->size - REC_SMALL - 8, memory_order_relaxed);
}

/* A place in the table of threads. */
static bool
take_slot(struct ring *r, struct rec_thread *t, uint64_t ticks)
{
	uint32_t at = (uint32_t)(t->native >> 6) % r->nslot;

	for (uint32_t i = 0; i < r->nslot; i++, at = at + 1 < r->nslot ? at + 1 : 0) {
		struct ttc_slot *s = &r->slot[at];
		uint32_t want = TTC_S_FREE;
		if (atomic_load_explicit(ring_slot_state(s), memory_order_relaxed) != want ||
		    !atomic_compare_exchange_strong(ring_slot_state(s), &want, TTC_S_TAKEN))
			continue;
		s->number = atomic_fetch_add(&r->numbers, 1) + 1;
		s->native = t->native;
		s->kernel = plat_thread_kernel();
		s->ticks = ticks;
		s->dropped = s->events = 0;
		s->chunk = 0;
		t->slot = at;
		atomic_store_explicit(ring_slot_state(s), TTC_S_LIVE, memory_order_release);
		return true;
	}
	return false;
}

/* The first event of a thread in this recording. */
static bool
join_session(struct rec_thread *t, uint64_t session, uint64_t ticks)
{
	if (t->session != 0) {
		t->made = 0;
		t->depth = 0;
	}
	t->chunk = 0;
	atomic_store_explicit(&t->end, NULL, memory_order_relaxed);
	t->zone_max = R->stack_max;
	t->session = 0;
	/* Where the table is full, look again now and then. */
	if (t->made++ % 1024 != 0 || !take_slot(R, t, ticks))
		return false;
	t->depth = 0;
	t->seq = t->made = t->dropped = t->events = 0;
	t->before = 0;
	t->ticks = ticks;
	t->session = session;
	return true;
}

int
rec_more(struct rec_thread *t, uint64_t ticks, size_t need)
{
	uint32_t c;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire))
		return 0;
	uint64_t session = atomic_load_explicit(&rec_state.session, memory_order_relaxed);
	if (t->session != session && !join_session(t, session, ticks))
		return 0;
	if (t->chunk && need > REC_SMALL &&
	    t->p + need + 8 <= (uint8_t *)ring_chunk(R, t->chunk - 1) + R->size)
		return 1;
	ring_seal(R, t);
	c = ring_take(R);
	if (c == 0)
		return 0;
	begin_chunk(R, t, c - 1, ticks);
	return 1;
}

void
rec_drop(struct rec_thread *t)
{
	if (atomic_load_explicit(&rec_state.on, memory_order_relaxed)) {
		if (t->session == atomic_load_explicit(&rec_state.session, memory_order_relaxed)) {
			t->dropped++;
			atomic_store_explicit((_Atomic uint64_t *)(void *)&R->slot[t->slot].dropped,
			    t->dropped, memory_order_relaxed);
		} else {
			atomic_fetch_add_explicit(&R->no_slot, 1, memory_order_relaxed);
		}
	}
	rec_leave(t);
}

void
rec_deep(struct rec_thread *t, uint64_t key, uint64_t match)
{
	(void)key;
	(void)match;
	if (t->zone_max > 0)          /* else: never joined a recording */
		t->depth++;
}

/* --- records that are not inline -------------------------------------------------------- */

/* Room for ${need} bytes at t->p; entered either way. */
static bool
enter(struct rec_thread *t, uint64_t ticks, size_t need)
{
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	uint8_t *end = atomic_load_explicit(&t->end, memory_order_relaxed);
	if (end && t->p < end && need <= (size_t)(end - t->p) + REC_SMALL)
		return true;
	return rec_more(t, ticks, need > REC_SMALL ? need : REC_SMALL) != 0;
}

/*
 * Begin a record of ${kind} whose payload has at most ${most} bytes. The length before the payload is
 * padded to the bytes that ${most} needs, and put in when the payload's end is known.
 */
static uint8_t *
open_other(struct rec_thread *t, uint64_t ticks, unsigned kind, size_t most, uint8_t **length)
{
	uint8_t *p = rec_time(t, t->p, ticks, TTC_OTHER);

	*p++ = (uint8_t)kind;
	*length = p;
	return p + (most < 128 ? 1 : most < 16384 ? 2 : 3);
}

static void
close_other(struct rec_thread *t, uint8_t *length, size_t most, uint8_t *p)
{
	size_t width = most < 128 ? 1 : most < 16384 ? 2 : 3, n = (size_t)(p - length) - width;

	for (size_t i = 0; i + 1 < width; i++, n >>= 7)
		length[i] = (uint8_t)(n | 0x80);
	length[width - 1] = (uint8_t)(n & 0x7f);
	rec_publish(t, p);
}

/* A time, a kind and a length, at most. */
#define OTHER_HEAD 14u

static size_t
value_size(const struct rec_value *v)
{
	return v->size < R->value_max ? v->size : R->value_max;
}

/* The most that ${n} values can take; *${n} is cut to what fits a quarter of a chunk. */
static size_t
values_most(const struct rec_value *v, unsigned *n)
{
	size_t most = 1;

	for (unsigned i = 0; i < *n; i++) {
		size_t one = 12 + value_size(&v[i]);
		if (most + one > R->size / 4 || i == 100) {
			*n = i;
			break;
		}
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

/* A record of a key and values. */
static void
keyed(
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
	if (!enter(t, ticks, most + OTHER_HEAD)) {
		rec_drop(t);
		return;
	}
	p = open_other(t, ticks, kind, most, &length);
	p = put_key(t, p, key);
	close_other(t, length, most, put_values(p, v, n));
}

void
rec_begin_args(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n)
{
	if (n == 0) {
		rec_begin(t, ticks, key);
		return;
	}
	keyed(t, ticks, TTC_BEGIN_ARGS, key, v, n);
	rec_push(t, key, key);
}

void
rec_single(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n)
{
	keyed(t, ticks, TTC_SINGLE, key, v, n);
}

void
rec_counter(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v)
{
	keyed(t, ticks, TTC_COUNTER, key, v, 1);
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
	if (!enter(t, ticks, most + OTHER_HEAD)) {
		rec_drop(t);
		return;
	}
	p = open_other(t, ticks, TTC_ALLOC_ARGS, most, &length);
	p = ttc_put(p, ttc_zig(key - t->alloc_key));
	t->alloc_key = key;
	p = ttc_put(p, bytes);
	close_other(t, length, most, put_values(p, v, n));
}

/* A record of plain bytes, few enough that a chunk always has room for them. */
static void
plain(struct rec_thread *t, uint64_t ticks, unsigned kind, const uint8_t *payload, size_t n)
{
	uint8_t *length, *p;

	if (!enter(t, ticks, n + OTHER_HEAD)) {
		rec_drop(t);
		return;
	}
	p = open_other(t, ticks, kind, n, &length);
	if (n)
		memcpy(p, payload, n);
	close_other(t, length, n, p + n);
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
}

void
rec_other(struct rec_thread *t, uint64_t ticks, unsigned kind, const void *payload, size_t n)
{
	if (!atomic_load_explicit(&rec_state.on, memory_order_relaxed) || kind < 16 || kind > 63)
		return;
	plain(t, ticks, kind, payload, n < 480 ? n : n < RING_TEXT_MAX && n < R->size / 4 ? n : 480);
}

/*
 * An end that is not of the innermost zone: which it is is decided here, once, so that the reader need
 * not guess.
 */
void
rec_end_slow(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags)
{
	bool room = enter(t, ticks, 24 + OTHER_HEAD);     /* first: it may begin a recording */
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
		p = open_other(t, ticks, TTC_END_FLAGS, 24, &length);
		close_other(t, length, 24, ttc_put(p, flags));
		return;
	}
	if (i > 0 && i <= t->zone_max) {
		p = open_other(t, ticks, TTC_END_BELOW, 24, &length);
		p = ttc_put(p, above);
		close_other(t, length, 24, ttc_put(p, flags));
		return;
	}
	p = open_other(t, ticks, i > 0 ? TTC_END_KEY : TTC_END_NONE, 24, &length);
	p = put_key(t, p, key);
	if (i > 0)
		p = ttc_put(p, flags);
	close_other(t, length, 24, p);
}

void
rec_end_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags)
{
	if (flags == 0)
		rec_end(t, ticks, key);
	else
		rec_end_slow(t, ticks, key, flags);
}

/* --- definitions ------------------------------------------------------------------------- */

bool
ring_def(struct ring *r, const uint8_t *p, size_t n)
{
	uint64_t ticks = rec_now();
	size_t need = (RING_DEF_HEAD + n + 7) & ~(size_t)7;
	uint64_t at = atomic_load_explicit(&r->def_at, memory_order_acquire), to;
	uint32_t number, offset;

	if (need > r->size - TTC_CHUNK_HEAD)
		return false;
	for (;;) {
		number = (uint32_t)(at >> 32);
		offset = (uint32_t)at;
		if (number == 0 || offset + need > r->size) {
			if (!more_defs(r, number)) {
				atomic_fetch_add_explicit(&r->defs_lost, 1, memory_order_relaxed);
				return false;
			}
			number++;
			offset = TTC_CHUNK_HEAD;
		}
		to = (uint64_t)number << 32 | (offset + need);
		if (atomic_compare_exchange_weak_explicit(
			&r->def_at, &at, to, memory_order_acq_rel, memory_order_acquire))
			break;
	}
	if (offset == TTC_CHUNK_HEAD && number > 1)
		atomic_store_explicit(&r->def_end[number - 2], (uint32_t)at, memory_order_release);
	if (offset == TTC_CHUNK_HEAD) /* keep some ahead: the ring may be full when they are needed */
		more_defs(r, number - 1 + RING_DEF_SPARE);
	uint32_t c = atomic_load_explicit(&r->def_chunk[number - 1], memory_order_acquire);
	uint8_t *e = (uint8_t *)ring_chunk(r, c - 1) + offset;
	memcpy(e + 8, &ticks, 8);
	memcpy(e + 16, p, n);
	uint32_t crc = tt_crc32c(0, e + 8, n + 8);
	atomic_store_explicit(
	    (_Atomic uint64_t *)(void *)e, (n + 8) | (uint64_t)crc << 32, memory_order_release);
	return true;
}

/*
 * Definitions come from any thread, which may have no writing end: it gets one, whose `busy` keeps the ring
 * there. NULL: nothing is recorded.
 */
static struct rec_thread *
def_enter(void)
{
	struct rec_thread *t;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire) || !(t = rec_thread()))
		return NULL;
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&rec_state.on, memory_order_acquire))
		return t;
	rec_leave(t);
	return NULL;
}

/* A definition being put together. */
struct def { uint8_t b[3 * RING_TEXT_MAX + 100], *p; };

static void
def_begin(struct def *d, unsigned kind)
{
	uint64_t now = rec_now();

	d->p = d->b;
	*d->p++ = (uint8_t)kind;
	d->p = ttc_put(d->p, now > R->zero_ticks ? now - R->zero_ticks : 0);
}

static void
def_text(struct def *d, const char *s, size_t n)
{
	if (n > R->value_max)
		for (n = R->value_max; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
			n--;          /* whole characters */
	d->p = ttc_put(d->p, n);
	if (n)
		memcpy(d->p, s, n);
	d->p += n;
}

static void
def_string(struct def *d, const char *s)
{
	def_text(d, s ? s : "", s ? strlen(s) : 0);
}

static bool
def_end(struct def *d)
{
	return ring_def(R, d->b, (size_t)(d->p - d->b));
}

static uint64_t
new_key(void)
{
	return atomic_fetch_add_explicit(&rec_state.keys, 1, memory_order_relaxed) + 1;
}

uint64_t
rec_def_category(uint64_t native, uint32_t rgba, const char *name)
{
	struct rec_thread *t = def_enter();
	uint64_t key;
	struct def d;

	if (!t)
		return 0;
	key = new_key();
	def_begin(&d, TTC_DEF_CATEGORY);
	d.p = ttc_put(d.p, key);
	d.p = ttc_put(d.p, native);
	d.p = ttc_put(d.p, rgba);
	def_string(&d, name);
	if (!def_end(&d))
		key = 0;
	rec_leave(t);
	return key;
}

static bool
def_marker(uint64_t key, uint64_t category, uint64_t native, uint32_t flags, const char *name)
{
	struct def d;

	def_begin(&d, TTC_DEF_MARKER);
	d.p = ttc_put(d.p, key);
	d.p = ttc_put(d.p, category);
	d.p = ttc_put(d.p, native);
	d.p = ttc_put(d.p, flags);
	def_string(&d, name);
	return def_end(&d);
}

uint64_t
rec_def_marker(uint64_t category, uint64_t native, uint32_t flags, const char *name)
{
	struct rec_thread *t = def_enter();
	uint64_t key;

	if (!t)
		return 0;
	key = new_key();
	if (!def_marker(key, category, native, flags, name))
		key = 0;
	rec_leave(t);
	return key;
}

void
rec_def_marker_as(uint64_t key, uint64_t category, uint64_t native, uint32_t flags, const char *name)
{
	struct rec_thread *t = def_enter();

	if (!t)
		return;
	def_marker(key, category, native, flags, name);
	rec_leave(t);
}

/* The name ${marker} was defined by: its definition is among the last ones in nearly every case. */
static const uint8_t *
marker_name(const struct ring *r, uint64_t marker, uint64_t *n)
{
	uint32_t number = (uint32_t)(atomic_load_explicit(&r->def_at, memory_order_acquire) >> 32);

	for (; number > 0; number--) {
		const uint8_t *c = (const uint8_t *)ring_chunk(r, r->def_chunk[number - 1] - 1);
		for (uint32_t at = TTC_CHUNK_HEAD; at + RING_DEF_HEAD <= r->size;) {
			uint64_t w = atomic_load_explicit(
			    (_Atomic uint64_t *)(uintptr_t)(c + at), memory_order_acquire);
			uint64_t time, key, skip;
			const uint8_t *p = c + at + RING_DEF_HEAD, *end = c + at + 8 + (uint32_t)w;
			if (w == 0 || end > c + r->size)
				break;
			at += ((uint32_t)w + 8 + 7) & ~7u;
			if (*p++ != TTC_DEF_MARKER || !(p = ttc_get(p, end, &time)) ||
			    !(p = ttc_get(p, end, &key)) || key != marker)
				continue;
			for (int i = 0; i < 3 && p; i++)
				p = ttc_get(p, end, &skip);
			if (p && (p = ttc_get(p, end, n)) && *n <= (uint64_t)(end - p))
				return p;
		}
	}
	*n = 0;
	return (const uint8_t *)"";
}

void
rec_def_counter(uint64_t marker, unsigned unit, const char *section)
{
	struct rec_thread *t = def_enter();
	struct def d;
	uint64_t n;

	if (!t)
		return;
	const uint8_t *name = marker_name(R, marker, &n);
	def_begin(&d, TTC_DEF_COUNTER);
	d.p = ttc_put(d.p, marker);
	d.p = ttc_put(d.p, unit);
	def_text(&d, (const char *)name, (size_t)n);
	def_string(&d, section);
	def_end(&d);
	rec_leave(t);
}

void
rec_def_object(enum ttc_object what, uint64_t key, uint64_t of, const char *text, const char *text2)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_DEF_OBJECT);
	d.p = ttc_put(d.p, key);
	*d.p++ = (uint8_t)what;
	d.p = ttc_put(d.p, of);
	def_string(&d, text);
	def_string(&d, text2);
	def_end(&d);
	rec_leave(t);
}

void
rec_def_thread(uint64_t native, const char *group, const char *name)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_DEF_THREAD);
	d.p = ttc_put(d.p, native);
	def_string(&d, group);
	def_string(&d, name);
	def_end(&d);
	rec_leave(t);
}

void
rec_meta(const char *key, const char *value)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_META);
	def_string(&d, key);
	def_string(&d, value);
	def_end(&d);
	rec_leave(t);
}

/* --- labels --------------------------------------------------------------------------------- */

static inline uint64_t
fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide w = (wide)a * b;

	return (uint64_t)w ^ (uint64_t)(w >> 64);
}

/* 64 bits of a text: words multiplied and folded, in two lanes that do not wait for each other. */
static inline uint64_t
hash(const uint8_t *p, size_t n, uint64_t seed)
{
	const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd1b54a32d192ed03u;
	uint64_t g = seed ^ k0, h = n ^ k1, w[4];

	for (; n > 32; n -= 32, p += 32) {
		memcpy(w, p, 32);
		g = fold(w[0] ^ g, w[1] ^ k1);
		h = fold(w[2] ^ h, w[3] ^ k0);
	}
	memset(w, 0, sizeof w);
	if (n == 32)                  /* a copy of known length is not a call */
		memcpy(w, p, 32);
	else
		memcpy(w, p, n);
	g = fold(w[0] ^ g, w[1] ^ k1);
	h = fold(w[2] ^ h, w[3] ^ k0);
	h = fold(g ^ k1, h ^ k0);
	return h ? h : 1;
}

/* The key of a label whose definition found no room: its text goes with each event. */
#define LABEL_WRITTEN_OUT UINT64_MAX

/* Define a label; its key, or 0 where there is no room. */
static uint64_t
define_label(uint64_t owner, uint64_t category, unsigned type, const uint8_t *s, size_t n)
{
	uint64_t key = new_key();
	struct def d;

	def_begin(&d, TTC_DEF_LABEL);
	d.p = ttc_put(d.p, key);
	d.p = ttc_put(d.p, owner);
	d.p = ttc_put(d.p, category);
	*d.p++ = (uint8_t)type;
	d.p = ttc_put(d.p, n);
	memcpy(d.p, s, n);
	d.p += n;
	return def_end(&d) ? key : 0;
}

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
			key = define_label(owner, category, type, s, n);
			atomic_store_explicit(&l->key, key ? key : LABEL_WRITTEN_OUT, memory_order_release);
			return key;
		}
		if (have != h)
			continue;
		key = atomic_load_explicit(&l->key, memory_order_acquire);
		if (key == LABEL_WRITTEN_OUT)
			return 0;
		return key ? key : define_label(owner, category, type, s, n);
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
	keyed(t, ticks, TTC_BEGIN_ARGS, owner, all, m + 1);
	rec_push(t, owner, owner);
}

void
rec_label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n)
{
	const uint8_t *s = v->p;
	size_t size = v->size;
	uint64_t key = 0;

	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire)) {
		rec_leave(t);
		return;
	}
	if (size > R->value_max)
		size = R->value_max & ~1u;
	if (v->type == TTC_TEXT16) {
		size &= ~(size_t)1;
		while (size >= 2 && s[size - 1] == 0 && s[size - 2] == 0)
			size -= 2;
	} else {
		while (size >= 1 && s[size - 1] == 0)
			size--;
	}
	key = label_key(R, owner, category, v->type, s, size);
	if (key == 0) {
		label_text(t, ticks, owner,
		    &(struct rec_value){ .type = v->type, .size = (uint32_t)size, .p = s }, args, n);
		return;
	}
	if (n > 0) {
		keyed(t, ticks, TTC_BEGIN_ARGS, key, args, n);
	} else {
		if (!rec_enter(t, ticks)) {
			rec_push(t, key, owner);
			rec_drop(t);
			return;
		}
		rec_begin_at(t, ticks, key);
	}
	rec_push(t, key, owner);
}

/* --- threads come and go ---------------------------------------------------------------------- */

#define ZONES (TTC_STACK * sizeof(struct rec_zone))

static struct rec_thread *
make(bool extra)
{
	struct rec_thread *t;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire) || atomic_load(&rec_state.forked))
		return NULL;
	t = plat_alloc(sizeof *t + ZONES);
	if (!t)
		return NULL;
	t->zone = (struct rec_zone *)(void *)(t + 1);
	t->native = plat_thread_self();
	t->extra = extra;
	rec_threads_lock();
	t->next = atomic_load(&rec_state.threads);
	atomic_store(&rec_state.threads, t);
	rec_threads_unlock();
	return t;
}

#if !defined(_WIN32)
static void
set_self(struct rec_thread *t)
{
	rec_self = t;
}
#else
void rec_tls_set(struct rec_thread *t);
static void
set_self(struct rec_thread *t)
{
	rec_tls_set(t);
}
#endif

void
ring_thread_exit(void *t)
{
	set_self(NULL);
	rec_thread_release(t);
}

struct rec_thread *
rec_thread_slow(void)
{
	struct rec_thread *t = make(false);

	if (!t)
		return NULL;
	set_self(t);
	plat_thread_exit_arm(t);
	return t;
}

struct rec_thread *
rec_thread_extra(void)
{
	return make(true);
}

void
rec_thread_release(struct rec_thread *t)
{
	_Atomic(struct rec_thread *) *at;

	if (!t)
		return;
	if (atomic_load(&rec_state.forked))
		return;
	atomic_store(&t->busy, 1);
	if (atomic_load(&rec_state.on) && t->session == atomic_load(&rec_state.session)) {
		struct ttc_slot *s = &R->slot[t->slot];
		uint8_t *length, *p;
		/* No event of the program's: it is not counted, nor missed where there is no room. */
		if (!t->extra && enter(t, rec_now(), REC_SMALL)) {
			p = open_other(t, rec_now(), TTC_THREAD_END, 0, &length);
			t->events--;
			close_other(t, length, 0, p);
			atomic_store(&t->busy, 1);
		}
		ring_seal(R, t);
		atomic_store_explicit(ring_slot_state(s), TTC_S_ENDED, memory_order_release);
	}
	rec_leave(t);
	rec_threads_lock();
	for (at = &rec_state.threads; atomic_load(at) && atomic_load(at) != t;
	     at = (_Atomic(struct rec_thread *) *)&atomic_load(at)->next)
		;
	if (atomic_load(at) == t)
		atomic_store(at, t->next);
	rec_threads_unlock();
	plat_free(t, sizeof *t + ZONES);
}

/* Wait until nobody is inside; false after a second. */
static bool
all_out(void)
{
	for (int i = 0; i < 2000; i++) {
		bool in = false;
		rec_threads_lock();
		for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
			in = in || atomic_load(&t->busy);
		rec_threads_unlock();
		if (!in)
			return true;
		plat_sleep_us(500);
	}
	return false;
}

bool
ring_detach(bool seal)
{
	bool sure = plat_barrier(), out = all_out();

	if (!sure)
		plat_sleep_us(20000);
	rec_threads_lock();
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
		atomic_store(&t->end, NULL);
	rec_threads_unlock();
	sure = plat_barrier() && sure;
	if (!sure)
		plat_sleep_us(20000);
	out = all_out() && out;
	if (!seal || !out)
		return out && sure;
	rec_threads_lock();
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
		if (t->session == atomic_load(&rec_state.session))
			ring_seal(R, t);
	rec_threads_unlock();
	return out && sure;
}
