/**
 * Publishes definitions of categories, markers, threads and more, made by any thread. They stay in the ring as long as it exists.
 */
#include "recorder/core/ring.h"

#define RING (&rec_state.ring)

/* Take another chunk for definitions, after number ${number} (0: the first). False: the ring has no more chunks. */
bool
ring_more_defs(struct ring *r, uint32_t number)
{
	uint32_t c = 0, none = 0;

	if (number >= r->def_max)
		return false;
	if (atomic_load_explicit(&r->def_chunk[number], memory_order_acquire))
		return true;
	c = ring_take_chunk(r);
	if (c == 0)
		return false;
	struct ttc_chunk *h = ring_chunk(r, c - 1);
	atomic_store_explicit(ring_commit(h), 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	memset(h, 0, r->chunk_size);
	h->seq = number;
	h->run = r->run32;
	h->magic = TTC_DEFS_MAGIC;
	if (!atomic_compare_exchange_strong(&r->def_chunk[number], &none, c)) {
		h->magic = 0;
		ring_free_chunk(r, c - 1);
	}
	return true;
}

/* Publish a definition of ${n} bytes that begins with its kind. False: no room. */
static bool
publish(struct ring *r, const uint8_t *p, size_t n)
{
	uint64_t ticks = rec_now();
	size_t need = (RING_DEF_HEAD + n + 7) & ~(size_t)7;
	uint64_t at = atomic_load_explicit(&r->def_at, memory_order_acquire), to;
	uint32_t number, offset;

	if (need > r->chunk_size - TTC_CHUNK_HEAD)
		return false;
	for (;;) {
		number = (uint32_t)(at >> 32);
		offset = (uint32_t)at;
		if (number == 0 || offset + need > r->chunk_size) {
			if (!ring_more_defs(r, number)) {
				atomic_fetch_add_explicit(&r->ndefs_lost, 1, memory_order_relaxed);
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
	if (offset == TTC_CHUNK_HEAD) /* take one chunk ahead, as the ring may be full when it is needed */
		ring_more_defs(r, number - 1 + RING_DEF_SPARE);
	uint32_t c = atomic_load_explicit(&r->def_chunk[number - 1], memory_order_acquire);
	uint8_t *e = (uint8_t *)ring_chunk(r, c - 1) + offset;
	memcpy(e + 8, &ticks, 8);
	memcpy(e + 16, p, n);
	uint32_t crc = tt_crc32c(0, e + 8, n + 8);
	atomic_store_explicit(
	    (_Atomic uint64_t *)(void *)e, (n + 8) | (uint64_t)crc << 32, memory_order_release);
	return true;
}

/* Enter a recording function from any thread; a thread without a writing end gets one, whose `busy` keeps the ring in place. NULL: nothing is recorded. */
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

/* A definition being composed. */
struct def { uint8_t b[3 * RING_TEXT_MAX + 100], *p; };

static void
def_begin(struct def *d, unsigned kind)
{
	uint64_t now = rec_now();

	d->p = d->b;
	*d->p++ = (uint8_t)kind;
	d->p = ttc_put(d->p, now > RING->zero_ticks ? now - RING->zero_ticks : 0);
}

static void
def_text(struct def *d, const char *s, size_t n)
{
	if (n > RING->value_max) {
		for (n = RING->value_max; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
			n--;          /* cut at a whole character */
		atomic_fetch_add_explicit(&RING->ncut, 1, memory_order_relaxed);
	}
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
	return publish(RING, d->b, (size_t)(d->p - d->b));
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

void
rec_def_counter(uint64_t marker, unsigned unit, const char *name, const char *section)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_DEF_COUNTER);
	d.p = ttc_put(d.p, marker);
	d.p = ttc_put(d.p, unit);
	def_string(&d, name);
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
rec_def_vtable(uint64_t key, uint64_t of_class, uint64_t domain)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_DEF_VTABLE);
	d.p = ttc_put(d.p, key);
	d.p = ttc_put(d.p, of_class);
	d.p = ttc_put(d.p, domain);
	def_end(&d);
	rec_leave(t);
}

void
rec_def_args(uint64_t marker, const char *names, size_t n)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_DEF_ARGS);
	d.p = ttc_put(d.p, marker);
	def_text(&d, names, n);
	def_end(&d);
	rec_leave(t);
}

void
ring_def_frames(struct rec_thread *marks)
{
	struct rec_thread *t = def_enter();
	struct def d;

	if (!t)
		return;
	def_begin(&d, TTC_DEF_FRAMES);
	d.p = ttc_put(d.p, RING->slot[marks->slot].number);
	if (def_end(&d))
		marks->framed = marks->session;
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

uint64_t
ring_def_label(uint64_t owner, uint64_t category, unsigned type, const uint8_t *s, size_t n)
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
