/**
 * Loops over the events of an .mlpd buffer. Reads calls, the most frequent events, itself; rare_events.c reads all others. Pure: it reads the chunk and the
 * opened capture, and changes neither.
 */
#include "mlpd/chunk_take.h"

#include "base/extract_bits.h"
#include "model/zones.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Close all open zones at the last event and report a loss, because after damage the open zones are unknown. */
static int
gap(struct mlpd_run *r, enum tt_loss_kind kind, const uint8_t *from)
{
	struct tt_batch *b = r->b;
	struct tt_event *e;

	int64_t last = r->last > now(r) ? r->last : now(r);
	if (b->nstack && b->stack_ts > last)
		last = b->stack_ts;
	tt_loss_add(&b->loss, kind, 1, (uint64_t)(r->end - from), r->at + (uint64_t)(from - r->start));
	b->cut += b->depth;
	if (tt_zone_cut(b, last, r->err) != TT_OK)
		return r->err->code;
	e = tt_batch_rare(b, TT_GAP, last, 0, r->err);
	return e ? TT_OK : r->err->code;
}

/* Store the time that enters and leaves keep in a register as the time of stack events. */
static void
settle(struct tt_batch *b, uint64_t *calls, int64_t call_ts)
{
	if (*calls && (b->nstack == 0 || call_ts > b->stack_ts))
		b->stack_ts = call_ts;
	b->nstack += *calls;
	*calls = 0;
}

#ifdef __SSE2__
/* Return a bit for each of the 16 bytes at ${p} that is 0x80 or above. */
static inline __attribute__((always_inline)) uint64_t
tops(const uint8_t *p)
{
	return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)p));
}
#endif

/* Return a bit for each of the 64 bytes at ${p} that is below 0x80. Numbers end at such bytes, and most tags are such bytes. */
static inline __attribute__((always_inline)) uint64_t
ends_at(const uint8_t *p)
{
#ifdef __SSE2__
	return ~(tops(p) | tops(p + 16) << 16 | (tops(p + 32) | tops(p + 48) << 16) << 32);
#else
	uint64_t ends = 0;

	for (unsigned i = 0; i < 64; i += 8)
		ends |= ((~mlpd_u64(p + i) >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;
	return ends;
#endif
}

/* Return the place of the lowest bit of ${ends}; 63 or more: it is not among these bytes. */
static inline __attribute__((always_inline)) uint64_t
lowest(uint64_t ends, const bool quick)
{
	return quick ? tt_lowest_bit(ends) : (uint64_t)__builtin_ctzll(ends | (uint64_t)1 << 63);
}

/* Return the number at ${p}, of ${last} + 1 bytes, at most eight. */
static inline __attribute__((always_inline)) uint64_t
number(const uint8_t *p, uint64_t last, const bool quick)
{
	const uint64_t mask = ((uint64_t)1 << (7 * last + 7)) - 1;

	if (quick || unlikely(last > 3))
		return tt_extract_sevens(mlpd_u64(p), quick) & mask;
	const uint32_t w = mlpd_u32(p), pairs = (w & 0x007f007f) | (w >> 1 & 0x3f803f80);
	return ((pairs & 0x3fff) | (pairs >> 2 & 0x0fffc000)) & mask;
}

/* Return the signed number of ${n} bytes, one to eight, at ${p}. */
static inline __attribute__((always_inline)) uint64_t
signed_number(const uint8_t *p, uint64_t n, const bool quick)
{
	const unsigned up = -(unsigned)(7 * n) & 63;      /* shift that brings the last group's sign to bit 63 */

	return (uint64_t)((int64_t)(tt_extract_sevens(mlpd_u64(p), quick) << up) >> up);
}

/* Return the number of events at which the batch must grow, if each event were a zone that begins and stays open. */
static inline size_t
full_at(const struct tt_batch *b)
{
	size_t events = b->cap - b->n, open = b->capopen - b->depth;
	size_t least = events < open ? events : open, levels = b->depth < UINT16_MAX - 1 ? UINT16_MAX - 1 - b->depth : 0;

	return b->n + (least < levels ? least : levels);
}

/* The values that change from event to event in hot(). */
struct hot {
	const uint8_t *p;             /* the next event */
	uint64_t ends;                /* ends_at(p + 1), shifted down by the bytes that were taken since */
	uint64_t time, method;
	size_t n, depth;
	uint64_t allocs, bytes;
	const uint8_t *after;         /* after: end of the last allocation; called: time of the last enter or leave before it */
	uint64_t called;
};

/* Maximum bytes of an event of hot(); number of events taken from one look at the bytes; number of events for which room is made at a time. */
enum { HOT_BYTES = 32, HOT_EVENTS = 7, EVENTS_RESERVED = 256 };

/* Advance by ${n} bytes, which contain at least one end. */
static inline __attribute__((always_inline)) void
move_on(struct hot *h, uint64_t n)
{
	h->p += n;
	h->ends >>= n;
}

/* Take an enter of ${key} at ${t}, ${n} bytes. If the next event is its leave, with a method delta of 0 (the call of a leaf), take it, too. */
static inline __attribute__((always_inline)) void
enter(struct hot *h, struct tt_event *ev, uint32_t *open, uint64_t n, uint64_t t, uint64_t key, const bool quick)
{
	struct tt_event *e = &ev[h->n];

	e->ts = (int64_t)t;
	e->val = key;
	e->depth = (uint16_t)h->depth;
	e->flags = 0;
	h->method = key;
	move_on(h, n);
	const uint64_t last = lowest(h->ends, quick);
	if (h->p[0] == MLPD_LEAVE && likely(last < 4) && h->p[last + 2] == 0) {
		e->dur = (uint32_t)number(h->p + 1, last, quick);
		e->kind = TT_ZONE;
		h->n++;
		h->time = t + e->dur;
		move_on(h, last + 3);
		return;
	}
	e->dur = 0;
	e->kind = TT_ZONE_BEGIN;
	h->time = t;
	open[h->depth++] = (uint32_t)h->n++;
}

/* Take a leave of ${key} at ${t}, ${n} bytes. False, with nothing done: it does not end the innermost call, or that call was long. */
static inline __attribute__((always_inline)) bool
leave(struct hot *h, struct tt_event *ev, const uint32_t *open, uint64_t n, uint64_t t, uint64_t key)
{
	if (unlikely(h->depth == 0))
		return false;
	struct tt_event *e = &ev[open[h->depth - 1]];
	const uint64_t dur = t - (uint64_t)e->ts;
	if (unlikely(e->val != key || dur > UINT32_MAX))
		return false;
	e->dur = (uint32_t)dur;
	e->kind = TT_ZONE;
	h->depth--;
	h->time = t;
	h->method = key;
	move_on(h, n);
	return true;
}

/* Return the time of the last enter or leave. */
static inline uint64_t
last_call(const struct hot *h)
{
	return h->p == h->after ? h->called : h->time;
}

/*
 * Take an allocation without a stack at ${t}; its class ends at ${last}. False, with nothing done: its form is unusual, or its end is not among the examined
 * bytes.
 */
static inline __attribute__((always_inline)) bool
alloc(struct hot *h, struct tt_event *ev, uint64_t last, uint64_t t, uint64_t key, const bool quick)
{
	const uint64_t ends = h->ends & -((uint64_t)2 << last), object = lowest(ends, quick), size = lowest(ends & (ends - 1), quick);

	if (unlikely(size > 62 || object - last > 8 || size - object > 4))
		return false;
	const uint64_t bytes = number(h->p + 2 + object, size - object - 1, quick);
	if (unlikely(bytes == 0))
		return false;
	ev[h->n++] = (struct tt_event){ .ts = (int64_t)t, .val = key, .kind = TT_ALLOC, .dur = (uint32_t)bytes, .depth = (uint16_t)h->depth };
	h->called = last_call(h);
	h->bytes += bytes;
	h->allocs++;
	h->time = t;
	move_on(h, size + 2);
	h->after = h->p;
	return true;
}

/*
 * Take the next event. Return false and change nothing if the fast path does not know the event's kind or form, or if the event ends after the examined
 * bytes.
 */
static inline __attribute__((always_inline)) bool
take(struct hot *h, const struct mlpd_run *r, struct tt_event *ev, uint32_t *open, const bool quick)
{
	const unsigned tag = h->p[0];
	/* The ends of the event's first and second number. */
	const uint64_t first = lowest(h->ends, quick), second = lowest(h->ends & (h->ends - 1), quick);

	if (unlikely(second > 8) && (first > 7 || second - first > 8))
		return false;
	const uint64_t t = h->time + number(h->p + 1, first, quick), v = signed_number(h->p + 2 + first, second - first, quick);
	if (tag == MLPD_ENTER)
		enter(h, ev, open, second + 2, t, (h->method + v) & r->mask, quick);
	else if (likely(tag == MLPD_LEAVE))
		return leave(h, ev, open, second + 2, t, (h->method + v) & r->mask);
	else
		return tag == MLPD_ALLOC_PLAIN && !r->objects && alloc(h, ev, second, t, (r->ptr + v) & r->mask, quick);
	return true;
}

/*
 * Take enters and leaves, which are nine of ten events if calls are recorded, and allocations among them. The lengths of numbers follow no pattern, so
 * nothing branches on them: their ends are found for many bytes at once. The kinds of events do follow patterns, as programs repeat themselves. All changing
 * values are in registers. Stops before the first event of another kind or form, and near the end of the chunk.
 */
static inline __attribute__((always_inline)) uint64_t
hot(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc, const bool quick)
{
	struct tt_batch *b = r->b;
	const uint8_t *const last = r->end - HOT_BYTES, *const far = last - 64;
	const size_t n0 = b->n, depth0 = b->depth;
	const uint64_t zero = (uint64_t)r->zero;
	struct hot h = { .p = r->p, .time = r->time - zero, .method = r->method, .n = n0, .depth = depth0 };
	size_t full = full_at(b);

	while (h.p <= last) {
		const uint8_t *const from = h.p;
		if (unlikely(h.n + HOT_EVENTS > full)) {
			b->n = h.n;
			b->depth = h.depth;
			if ((*rc = tt_batch_room(b, EVENTS_RESERVED, r->err)) != TT_OK || (full = full_at(b)) < h.n + HOT_EVENTS)
				break;
		}
		h.ends = ends_at(h.p + 1);
		for (unsigned i = h.p <= far ? HOT_EVENTS : 1; i > 0 && take(&h, r, b->ev, b->open, quick); i--)
			continue;
		if (h.p == from)
			break;
	}
	const uint64_t enters = h.n - n0 - h.allocs, leaves = enters + depth0 - h.depth;
	r->p = h.p;
	r->time = h.time + zero;
	r->method = h.method;
	b->n = h.n;
	b->depth = h.depth;
	if (enters + leaves == 0)
		return 0;
	r->floor = *call_ts = (int64_t)last_call(&h);
	*events += enters + leaves + h.allocs;
	b->nzone += enters;
	b->nalloc += h.allocs;
	b->alloc_b += h.bytes;
	if (b->tally) {
		b->tally[MLPD_ENTER] += (uint32_t)enters;
		b->tally[MLPD_LEAVE] += (uint32_t)leaves;
		b->tally[MLPD_ALLOC_PLAIN] += (uint32_t)h.allocs;
	}
	return enters + leaves;
}

static uint64_t
hot_plain(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc)
{
	return hot(r, events, call_ts, rc, false);
}

static TT_EXTRACTS_BITS uint64_t
hot_quick(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc)
{
	return hot(r, events, call_ts, rc, true);
}

/* Decode one event of any kind. TT_END, with the state unchanged: the event is cut, or (*${unknown}) its length is not known. */
static int
any_event(struct mlpd_run *r, bool *unknown)
{
	const uint64_t time = r->time, method = r->method;
	const unsigned tag = *r->p++;
	int rc = tt_batch_room(r->b, 8, r->err);

	TT_THEN(rc, mlpd_event(r, tag, unknown));
	if (rc != TT_OK)
		return rc;
	if (unlikely(over(r) || *unknown)) {
		r->time = time;
		r->method = method;
		return TT_END;
	}
	if (r->b->tally)
		r->b->tally[tag]++;
	return TT_OK;
}

/*
 * Handle an event at *${ev} that is cut or makes no sense. If ${more} bytes follow, the next window begins with the event and decides; else the rest is
 * damaged.
 */
static int
cut_event(struct mlpd_run *r, bool more, bool unknown, const uint8_t **ev)
{
	if (more && !unknown && (!r->bad || *ev > r->start))
		return TT_OK;
	int rc = gap(r, unknown ? TT_LOST_UNKNOWN : TT_LOST_DAMAGED, *ev);
	*ev = r->end;
	return rc;
}

int
mlpd_decode(const struct mlpd *m, const uint8_t *bytes, size_t n, uint64_t at, uint64_t tid, uint64_t state[4],
    bool more, struct tt_batch *b, size_t *used, struct tt_err *err)
{
	struct mlpd_seen seen[MLPD_SEEN];
	struct mlpd_run r = { .m = m, .b = b, .seen = seen, .p = bytes, .end = bytes + n, .start = bytes, .at = at,
		.time = state[MLPD_S_TIME], .ptr = state[MLPD_S_PTR], .obj = state[MLPD_S_OBJ],
		.method = state[MLPD_S_METHOD], .mask = m->mask, .zero = m->zero, .err = err,
		.heap = (b->needs & TT_NEEDS_HEAP) != 0, .graph = (b->needs & TT_NEEDS_GRAPH) != 0,
		.moves = (b->needs & (TT_NEEDS_HEAP | TT_NEEDS_MOVES)) != 0,
		.objects = (b->needs & TT_NEEDS_OBJECTS) != 0,
		.floor = b->base ? b->base->last_ts : INT64_MIN, .last = INT64_MIN };
	uint64_t events = 0, calls = 0, before = r.time;
	const uint8_t *ev = r.p;
	int64_t call_ts = 0;
	bool unknown = false;
	int rc = tt_batch_room(b, EVENTS_RESERVED, err);

	b->tid = tid;
	b->at = at;
	b->bytes = n;
	if (n > 0)
		tt_batch_time(b, now(&r));
	while (rc == TT_OK && r.p < r.end) {
		if (calls == 0 && b->nstack == 0)
			b->stack_from = now(&r);
		if ((*r.p == MLPD_ENTER || *r.p == MLPD_LEAVE) && likely(now(&r) >= r.floor))
			calls += m->extracts_bits ? hot_quick(&r, &events, &call_ts, &rc) : hot_plain(&r, &events, &call_ts, &rc);
		ev = r.p;
		if (rc != TT_OK || r.p >= r.end || (rc = any_event(&r, &unknown)) != TT_OK)
			break;
		events++;
		ev = r.p;
	}
	settle(b, &calls, call_ts);
	if (rc == TT_END)
		rc = cut_event(&r, more, unknown, &ev);
	TT_THEN(rc, tt_heap_flush(b, now(&r), err));
	b->nevent += events;
	b->deepest = b->capopen;
	if (n > 0 && r.time != before && r.time != 0)
		tt_batch_time(b, now(&r));
	state[MLPD_S_TIME] = r.time;
	state[MLPD_S_METHOD] = r.method;
	*used = (size_t)(ev - bytes);
	return rc;
}
