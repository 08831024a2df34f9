#include "mono/mono.h"

#include "model/zones.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* One run of decoding. p may pass end by less than TT_CHUNK_PAD: the zeros there end every number. */
struct run {
	const struct mlpd *m;
	struct tt_batch *b;
	const uint8_t *p, *end;
	const uint8_t *start;         /* of the chunk */
	uint64_t at;                  /* byte offset of start */
	uint64_t time, ptr, obj, method, mask;
	int64_t zero;
	bool bad;
	bool heap;
	struct tt_err *err;
};

/* Numbers of more than two groups, out of line. */
static uint64_t __attribute__((noinline))
uleb_long(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t c = *p++;
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*pp = p;
			return v;
		}
	}
	*bad = true;
	*pp = p;
	return 0;
}

static inline uint64_t
uleb(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;

	if (likely(p[0] < 0x80)) {
		*pp = p + 1;
		return p[0];
	}
	if (likely(p[1] < 0x80)) {
		*pp = p + 2;
		return (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
	}
	return uleb_long(pp, bad);
}

static int64_t __attribute__((noinline))
sleb_long(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t c = *p++;
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			if ((c & 0x40) && shift + 7 < 64)
				v |= ~(uint64_t)0 << (shift + 7);
			*pp = p;
			return (int64_t)v;
		}
	}
	*bad = true;
	*pp = p;
	return 0;
}

static inline int64_t
sleb(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;

	if (p[0] < 0x80) {
		*pp = p + 1;
		return (int64_t)((uint64_t)p[0] << 57) >> 57;
	}
	if (p[1] < 0x80) {
		*pp = p + 2;
		return (int64_t)(((uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7) << 50) >> 50;
	}
	if (p[2] < 0x80) {
		*pp = p + 3;
		return (int64_t)(((uint64_t)(p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14) << 43) >> 43;
	}
	return sleb_long(pp, bad);
}

static inline uint64_t u(struct run *r) { return uleb(&r->p, &r->bad); }
static inline uint64_t s(struct run *r) { return (uint64_t)sleb(&r->p, &r->bad); }
static inline uint64_t get_ptr(struct run *r) { return (r->ptr + s(r)) & r->mask; }
static inline uint64_t get_obj(struct run *r) { return ((r->obj + s(r)) * 8) & r->mask; }
static inline uint64_t get_method(struct run *r) { return r->method = (r->method + s(r)) & r->mask; }
static inline unsigned get_u8(struct run *r) { return *r->p++; }

/* One byte since ${v}, a number before. */
static inline uint64_t
byte_since(struct run *r, unsigned v)
{
	return r->m->version >= v ? get_u8(r) : u(r);
}

/* A value written through a C int: 2^31 and more come out sign-extended. */
static inline uint64_t
from_int(uint64_t v)
{
	return (v >> 63) ? (v & UINT32_MAX) : v;
}

static inline bool
over(const struct run *r)
{
	return r->p > r->end || r->bad;
}

/* How many bytes are left: bounds every count before anything is reserved for it. */
static inline uint64_t
left(const struct run *r)
{
	return over(r) ? 0 : (uint64_t)(r->end - r->p);
}

static void
text(struct run *r, const char **s_, uint32_t *len)
{
	const uint8_t *nul = r->p < r->end ? memchr(r->p, 0, (size_t)(r->end - r->p)) : NULL;

	*s_ = "";
	*len = 0;
	if (!nul) {
		r->bad = true;
		return;
	}
	*s_ = (const char *)r->p;
	*len = (uint32_t)(nul - r->p);
	r->p = nul + 1;
}

static inline int64_t
now(const struct run *r)
{
	return (int64_t)(r->time - (uint64_t)r->zero);
}

/* A delta that runs backwards is stored as the wrapped difference. */
static void __attribute__((noinline))
time_back(struct run *r, uint64_t delta)
{
	tt_batch_time(r->b, now(r));
	r->time += delta;
	/* Mono 4.6 stamps its first counter sample with 0: that is no time. */
	if (r->time != 0)
		tt_batch_time(r->b, now(r));
}

static inline void
advance(struct run *r)
{
	uint64_t d = u(r);

	if (unlikely(d >> 63))
		time_back(r, d);
	else
		r->time += d;
}

/* Only events that had a time before version 13 always, the others since then. */
static inline void
advance_since_13(struct run *r)
{
	if (r->m->version >= 13)
		advance(r);
}

/* The rare event's second slot; tt_batch_rare left room for it. */
static void
ext(struct run *r, struct tt_event *e, int64_t ts, uint64_t val, uint64_t n)
{
	e->flags |= TT_F_MORE;
	r->b->ev[r->b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = ts, .val = val,
		.dur = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX };
}

/* An argument that is text, copied to the batch. */
static int
text_arg(struct run *r, const char *t, uint32_t len)
{
	size_t off = r->b->text.n;
	int rc = tt_buf_add(&r->b->text, t, len, r->err);

	if (rc != TT_OK)
		return rc;
	rc = tt_batch_room(r->b, 1, r->err);
	if (rc != TT_OK)
		return rc;
	r->b->ev[r->b->n++] = (struct tt_event){ .kind = TT_ARG, .val = off, .dur = len, .depth = TT_T_TEXT };
	return TT_OK;
}

/* A recorded stack, outermost frame first; *n frames from word *first. */
static int
stack(struct run *r, uint64_t *first, uint64_t *n)
{
	bool old = r->m->version < 13;
	int rc;

	if (old)
		u(r);
	*n = u(r);
	if (*n > left(r)) {
		r->bad = true;
		*n = 0;
		return TT_OK;
	}
	rc = tt_batch_words(r->b, (size_t)*n, first, r->err);
	for (uint64_t i = 0; rc == TT_OK && i < *n && r->p <= r->end; i++)
		r->b->word[*first + i] = old ? get_ptr(r) : get_method(r);
	return rc;
}

static int
ev_alloc(struct run *r, bool bt)
{
	struct tt_batch *b = r->b;
	uint64_t first = 0, n = 0;
	uint64_t cls = get_ptr(r);
	int rc = TT_OK;

	s(r);
	uint64_t size = from_int(u(r));
	if (bt)
		rc = stack(r, &first, &n);
	if (rc != TT_OK || over(r))
		return rc;
	rc = tt_batch_room(b, 2, r->err);
	if (rc != TT_OK)
		return rc;
	struct tt_event *e = &b->ev[b->n++];
	*e = (struct tt_event){ .ts = now(r), .val = cls, .kind = TT_ALLOC, .dur = (uint32_t)size,
		.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX };
	if (unlikely(bt || size > UINT32_MAX)) {
		e->dur = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
		e->flags = (uint8_t)((bt ? TT_F_STACK : 0) | (size > UINT32_MAX ? TT_F_WIDE : 0));
		ext(r, e, (int64_t)size, first, n);
	}
	b->nalloc++;
	b->alloc_b += size;
	return TT_OK;
}

static int
ev_gc(struct run *r)
{
	unsigned kind = (unsigned)byte_since(r, 13), gen = (unsigned)byte_since(r, 13);
	int rc = TT_OK;

	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_GC, now(r), kind, r->err);
	if (!e)
		return r->err->code;
	e->dur = gen;
	if (kind == TT_GC_PRE_STOP)
		tt_zone_begin(r->b, now(r), TT_KEY_GC_PAUSE, 0);
	else if (kind == TT_GC_START)
		tt_zone_begin(r->b, now(r), TT_KEY_GC_GEN(gen), 0);
	else if (kind == TT_GC_END)
		rc = tt_zone_end(r->b, now(r), TT_KEY_GC_GEN(gen), 0, r->err);
	else if (kind == TT_GC_RESTARTED)
		rc = tt_zone_end(r->b, now(r), TT_KEY_GC_PAUSE, 0, r->err);
	else
		return TT_OK;
	r->b->stack_ts = now(r);
	r->b->nstack++;
	return rc;
}

static int
ev_moves(struct run *r)
{
	uint64_t n = u(r), first = 0;
	int rc = TT_OK;

	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	if (r->heap)
		rc = tt_batch_words(r->b, (size_t)n, &first, r->err);
	for (uint64_t i = 0; rc == TT_OK && i < n && r->p <= r->end; i++) {
		uint64_t o = get_obj(r);
		if (r->heap)
			r->b->word[first + i] = o;
	}
	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_GC_MOVE, now(r), n / 2, r->err);
	if (!e)
		return r->err->code;
	e->dur = (uint32_t)(n / 2);
	if (r->heap)
		ext(r, e, 0, first, n);
	return TT_OK;
}

static int
ev_handle(struct run *r, bool gone, bool bt)
{
	uint64_t kind = u(r), handle = from_int(u(r)), first = 0, n = 0;
	uint64_t o = gone ? 0 : get_obj(r);
	int rc = bt ? stack(r, &first, &n) : TT_OK;

	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_HANDLE, now(r), handle, r->err);
	if (!e)
		return r->err->code;
	e->depth = kind < UINT16_MAX ? (uint16_t)kind : UINT16_MAX;
	e->flags = (uint8_t)((gone ? TT_F_END : 0) | (bt ? TT_F_STACK : 0));
	ext(r, e, (int64_t)o, first, n);
	return TT_OK;
}

static int
ev_finalize(struct run *r, bool obj, bool end)
{
	uint64_t o = obj ? get_obj(r) : 0;

	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_FINALIZE, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->flags = end ? TT_F_END : 0;
	return TT_OK;
}

/* Start and end of a thread, in the thread's own buffer as a rule. */
static int
thread_life(struct run *r, uint64_t tid, bool end)
{
	struct tt_event *e = tt_batch_rare(r->b, TT_THREAD, now(r), tid, r->err);

	if (!e)
		return r->err->code;
	e->flags = end ? TT_F_END : 0;
	return TT_OK;
}

static int
ev_metadata(struct run *r, unsigned tag)
{
	unsigned v = r->m->version, x = tag & 0xf0;
	bool load = x == 0x20 || x == 0xa0;
	unsigned kind = get_u8(r);
	struct tt_def d = { .ts = now(r) };

	d.key = get_ptr(r);
	if (kind == MLPD_ASSEMBLY && v >= 14)
		d.a = get_ptr(r);
	if (kind == MLPD_CLASS)
		d.a = get_ptr(r);
	if (v <= 12 && kind >= MLPD_CLASS && kind <= MLPD_CONTEXT)
		u(r);
	switch (kind) {
	case MLPD_CLASS:
		d.kind = TT_DEF_CLASS;
		text(r, &d.text, &d.len);
		break;
	case MLPD_IMAGE:
		d.kind = TT_DEF_IMAGE;
		text(r, &d.text, &d.len);
		if (v >= 16 && load)
			text(r, &d.text2, &d.len2);
		break;
	case MLPD_ASSEMBLY:
		d.kind = TT_DEF_ASSEMBLY;
		text(r, &d.text, &d.len);
		break;
	case MLPD_DOMAIN:
	case MLPD_THREAD:
		d.kind = kind == MLPD_DOMAIN ? TT_DEF_DOMAIN : TT_DEF_THREAD;
		if (x == 0)
			text(r, &d.text, &d.len);
		break;
	case MLPD_CONTEXT:
		d.kind = TT_DEF_CONTEXT;
		d.a = get_ptr(r);
		break;
	case MLPD_VTABLE:
		d.kind = TT_DEF_VTABLE;
		d.a = get_ptr(r);
		d.b = get_ptr(r);
		break;
	default:
		r->bad = true;
	}
	if (over(r))
		return TT_OK;
	if (kind == MLPD_THREAD && x != 0)
		return thread_life(r, d.key, !load);
	if (x == 0x40) {
		struct tt_event *e = tt_batch_rare(r->b, TT_META, d.ts, d.key, r->err);
		if (e)
			e->depth = d.kind;
		return e ? TT_OK : r->err->code;
	}
	return tt_batch_def(r->b, &d, r->err);
}

static int
ev_jit(struct run *r)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = now(r), .key = get_method(r) };

	d.a = get_ptr(r);
	d.b = from_int(u(r));
	text(r, &d.text, &d.len);
	return over(r) ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
ev_throw(struct run *r, bool bt)
{
	uint64_t o = get_obj(r), first = 0, n = 0;
	int rc = bt ? stack(r, &first, &n) : TT_OK;

	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_THROW, now(r), o, r->err);
	if (!e)
		return r->err->code;
	if (bt) {
		e->flags = TT_F_STACK;
		ext(r, e, 0, first, n);
	}
	tt_zone_begin(r->b, now(r), TT_KEY_EXCEPTION, 0);
	r->b->stack_ts = now(r);
	r->b->nstack++;
	return TT_OK;
}

static int
ev_clause(struct run *r)
{
	uint64_t kind = byte_since(r, 13), index = u(r), method = get_method(r), o = 0;

	if (r->m->version >= 14)
		o = get_obj(r);
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_CLAUSE, now(r), method, r->err);
	if (!e)
		return r->err->code;
	e->depth = kind < UINT16_MAX ? (uint16_t)kind : UINT16_MAX;
	e->dur = (uint32_t)index;
	ext(r, e, (int64_t)o, 0, 0);
	if (kind != TT_CLAUSE_CATCH)
		return TT_OK;
	r->b->stack_ts = now(r);
	r->b->nstack++;
	return tt_zone_end(r->b, now(r), TT_KEY_EXCEPTION, 0, r->err);
}

static int
ev_monitor(struct run *r, unsigned tag)
{
	unsigned event = r->m->version >= 14 ? get_u8(r) : (tag >> 4) & 3;
	uint64_t o = get_obj(r), first = 0, n = 0;
	int rc = (tag & 0x80) ? stack(r, &first, &n) : TT_OK;

	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_MONITOR, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)event;
	if (tag & 0x80) {
		e->flags = TT_F_STACK;
		ext(r, e, 0, first, n);
	}
	r->b->stack_ts = now(r);
	r->b->nstack++;
	if (event == TT_MONITOR_CONTEND) {
		tt_zone_begin(r->b, now(r), TT_KEY_CONTENTION, 0);
		return TT_OK;
	}
	return tt_zone_end(r->b, now(r), TT_KEY_CONTENTION, 0, r->err);
}

static int
ev_heap_object(struct run *r)
{
	unsigned v = r->m->version;
	uint64_t o = get_obj(r), cls = get_ptr(r), size = from_int(u(r));
	unsigned gen = v >= 16 ? get_u8(r) : 0;
	uint64_t n = from_int(u(r)), first = 0, off = 0;
	int rc = TT_OK;

	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	if (r->heap) {
		rc = tt_batch_words(r->b, 1 + 2 * (size_t)n, &first, r->err);
		if (rc != TT_OK)
			return rc;
		r->b->word[first] = cls;
	}
	for (uint64_t i = 0; i < n && r->p <= r->end; i++) {
		if (v >= 2)
			off += u(r);
		uint64_t ref = get_obj(r);
		if (r->heap) {
			r->b->word[first + 1 + 2 * i] = off;
			r->b->word[first + 2 + 2 * i] = ref;
		}
	}
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_HEAP_OBJECT, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)gen;
	e->dur = (uint32_t)n;
	ext(r, e, (int64_t)size, first, 0);
	return TT_OK;
}

static int
ev_heap_roots(struct run *r)
{
	unsigned v = r->m->version;
	uint64_t n = u(r);

	if (v < 15)
		u(r);
	for (uint64_t i = 0; i < n && !over(r); i++) {
		uint64_t slot = 0, kind = 0, extra = 0, o;
		if (v >= 15) {
			slot = get_ptr(r);
			o = get_obj(r);
		} else {
			o = get_obj(r);
			kind = v == 13 ? get_u8(r) : u(r);
			extra = u(r);
		}
		if (over(r) || !r->heap)
			continue;
		struct tt_event *e = tt_batch_rare(r->b, TT_HEAP_ROOT, now(r), o, r->err);
		if (!e)
			return r->err->code;
		e->depth = (uint16_t)kind;
		e->dur = (uint32_t)extra;
		ext(r, e, (int64_t)slot, 0, 0);
	}
	return TT_OK;
}

static int
ev_root(struct run *r, bool del)
{
	uint64_t start = get_ptr(r), size = 0, key = 0;
	unsigned source = 0;
	const char *t = "";
	uint32_t len = 0;

	if (!del) {
		size = u(r);
		source = get_u8(r);
		key = get_ptr(r);
		text(r, &t, &len);
	}
	if (over(r) || !r->heap)
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_ROOT, now(r), start, r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)source;
	e->flags = del ? TT_F_END : 0;
	ext(r, e, (int64_t)size, key, 0);
	return del ? TT_OK : text_arg(r, t, len);
}

/* The thread is in the record: hits come from the profiler's own thread, in no order of time. */
static int
ev_hit(struct run *r)
{
	unsigned v = r->m->version;
	uint64_t tid = r->b->tid, ip = 0, first = 0;
	int64_t ts = now(r);
	int rc;

	if (v <= 12) {
		u(r);
		ts = (int64_t)(u(r) - (uint64_t)r->zero);
		if (v >= 11)
			tid = get_ptr(r);
	} else {
		if (v == 13)
			get_u8(r);
		tid = get_ptr(r);
	}
	uint64_t nip = u(r);
	for (uint64_t i = 0; i < nip && !over(r); i++) {
		uint64_t one = get_ptr(r);
		if (i == 0)
			ip = one;
	}
	uint64_t n = v >= 6 ? u(r) : 0;
	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	rc = tt_batch_words(r->b, (size_t)n, &first, r->err);
	if (rc != TT_OK)
		return rc;
	for (uint64_t i = 0; i < n && r->p <= r->end; i++) {
		uint64_t method = get_method(r);
		if (v < 13) {
			s(r);
			s(r);
		}
		r->b->word[first + n - 1 - i] = method;       /* the leaf comes first in the file */
	}
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_SAMPLE, ts, ip, r->err);
	if (!e)
		return r->err->code;
	e->dur = (uint32_t)n;
	e->flags = TT_F_STACK;
	ext(r, e, (int64_t)tid, first, n);
	tt_batch_time(r->b, ts);
	return TT_OK;
}

static int
ev_symbol(struct run *r, bool binary)
{
	unsigned v = r->m->version;
	struct tt_def d = { .kind = binary ? TT_DEF_BINARY : TT_DEF_SYMBOL, .ts = now(r) };

	d.key = binary && v < 14 ? s(r) : get_ptr(r);
	d.a = u(r);
	if (binary)
		d.b = u(r);
	else
		d.a = from_int(d.a);
	text(r, &d.text, &d.len);
	return over(r) ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
ev_counter_desc(struct run *r)
{
	bool small = r->m->version == 13 || r->m->version == 14;
	uint64_t n = u(r);
	int rc = TT_OK;

	for (uint64_t i = 0; i < n && rc == TT_OK && !over(r); i++) {
		struct tt_def d = { .kind = TT_DEF_COUNTER, .ts = now(r) };
		uint64_t section = u(r);
		if (section == 0x8000)
			text(r, &d.text2, &d.len2);
		text(r, &d.text, &d.len);
		uint64_t type = small ? get_u8(r) : u(r);
		uint64_t unit = small ? get_u8(r) : u(r);
		uint64_t variance = small ? get_u8(r) : u(r);
		d.key = u(r);
		d.a = (section & UINT32_MAX) | type << 32;
		d.b = (unit & UINT32_MAX) | variance << 32;
		if (!over(r))
			rc = tt_batch_def(r->b, &d, r->err);
	}
	return rc;
}

static int
ev_counter_values(struct run *r)
{
	unsigned v = r->m->version;
	int64_t ts = v >= 13 ? now(r) : (int64_t)(u(r) * 1000000u);
	uint64_t index;

	if (v >= 13 && r->time == 0)
		ts = r->b->min_ts;

	while ((index = u(r)) != 0 && !over(r)) {
		uint64_t type = v == 13 || v == 14 ? get_u8(r) : u(r);
		uint64_t bits = 0;
		const char *t = NULL;
		uint32_t len = 0;
		enum tt_type as = TT_T_I64;
		switch (type) {
		case 0: case 2: case 3: case 7:
			bits = s(r);
			break;
		case 1: case 4:
			bits = u(r);
			as = TT_T_U64;
			break;
		case 5:
			if (left(r) < 8) {
				r->bad = true;
				return TT_OK;
			}
			bits = mlpd_u64(r->p);
			r->p += 8;
			as = TT_T_F64;
			break;
		case 6:
			as = TT_T_TEXT;
			if (get_u8(r))
				text(r, &t, &len);
			break;
		default:
			r->bad = true;
		}
		if (over(r))
			return TT_OK;
		struct tt_event *e = tt_batch_rare(r->b, TT_COUNTER, ts, bits, r->err);
		if (!e)
			return r->err->code;
		e->dur = (uint32_t)index;
		e->depth = (uint16_t)as;
		e->flags = as == TT_T_I64 || as == TT_T_U64 ? TT_F_DELTA : 0;
		if (as == TT_T_TEXT) {
			e->flags = TT_F_MORE;
			int rc = text_arg(r, t ? t : "", len);
			if (rc != TT_OK)
				return rc;
		}
		tt_batch_time(r->b, ts);
	}
	return TT_OK;
}

static int
ev_jithelper(struct run *r)
{
	uint64_t kind = byte_since(r, 13), start, size;
	const char *t = "";
	uint32_t len = 0;

	if (r->m->version <= 13)
		kind--;
	start = get_ptr(r);
	size = from_int(u(r));
	if (kind == 5)
		text(r, &t, &len);
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_JIT_CODE, now(r), start, r->err);
	if (!e)
		return r->err->code;
	e->dur = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	e->depth = (uint16_t)kind;
	if (kind != 5)
		return TT_OK;
	e->flags = TT_F_MORE;
	return text_arg(r, t, len);
}

/* Texts and numbers of each coverage record, in order. */
static int
ev_coverage(struct run *r, unsigned what)
{
	static const struct { uint8_t texts, numbers; } shape[4] = { { 3, 3 }, { 5, 3 }, { 0, 5 }, { 2, 3 } };
	const char *t[5] = { 0 };
	uint32_t len[5] = { 0 };
	uint64_t num[5] = { 0 };
	unsigned nt = shape[what].texts, nn = shape[what].numbers;

	for (unsigned i = 0; i < nt; i++)
		text(r, &t[i], &len[i]);
	for (unsigned i = 0; i < nn; i++)
		num[i] = u(r);
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_COVERAGE, now(r), num[0], r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)what;
	e->flags = TT_F_MORE;
	int rc = TT_OK;
	for (unsigned i = 0; i < nt && rc == TT_OK; i++)
		rc = text_arg(r, t[i], len[i]);
	for (unsigned i = 0; i < nn && rc == TT_OK; i++) {
		rc = tt_batch_room(r->b, 1, r->err);
		if (rc == TT_OK)
			r->b->ev[r->b->n++] = (struct tt_event){ .kind = TT_ARG, .val = num[i], .depth = TT_T_U64 };
	}
	return rc;
}

/* Calls as the hot loop cannot take them: at the end of the chunk, or with numbers of unusual length. */
static int
ev_call(struct run *r, unsigned tag)
{
	get_method(r);
	if (over(r))
		return TT_OK;
	r->b->nstack++;
	r->b->stack_ts = now(r);
	if (tag != MLPD_ENTER)
		return tt_zone_end(r->b, now(r), r->method, tag == MLPD_EXC_LEAVE ? TT_F_UNWIND : 0, r->err);
	tt_zone_begin(r->b, now(r), r->method, 0);
	return TT_OK;
}

static int
ev_plain(struct run *r, enum tt_kind kind, uint64_t val, unsigned flags)
{
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, kind, now(r), val, r->err);
	if (!e)
		return r->err->code;
	e->flags = (uint8_t)flags;
	return TT_OK;
}

/* Everything but method calls and plain allocations. Sets ${unknown} for a tag without a known length. */
static int
event(struct run *r, unsigned tag, bool *unknown)
{
	unsigned v = r->m->version;
	int rc;

	switch (tag) {
	case MLPD_HEAP_OBJECT: case MLPD_HEAP_ROOTS: case MLPD_USYM: case MLPD_UBIN: case MLPD_COUNTER_DESC:
	case MLPD_HIT: case MLPD_COUNTER_VALUES:
	case MLPD_COV_ASSEMBLY: case MLPD_COV_METHOD: case MLPD_COV_STATEMENT: case MLPD_COV_CLASS:
		advance_since_13(r);
		break;
	default:
		advance(r);
	}
	switch (tag) {
	case MLPD_ALLOC_PLAIN: return ev_alloc(r, false);
	case MLPD_ALLOC_BT: return ev_alloc(r, true);
	case MLPD_ENTER: case MLPD_LEAVE: case MLPD_EXC_LEAVE: return ev_call(r, tag);
	case MLPD_GC_EVENT: return ev_gc(r);
	case MLPD_GC_RESIZE: return ev_plain(r, TT_GC_HEAP, u(r), 0);
	case MLPD_GC_MOVE: return ev_moves(r);
	case MLPD_HANDLE_NEW: return ev_handle(r, false, false);
	case MLPD_HANDLE_NEW_BT: return ev_handle(r, false, true);
	case MLPD_HANDLE_FREE: return ev_handle(r, true, false);
	case MLPD_HANDLE_FREE_BT: return ev_handle(r, true, true);
	case MLPD_FINALIZE_BEGIN: return ev_finalize(r, false, false);
	case MLPD_FINALIZE_END: return ev_finalize(r, false, true);
	case MLPD_FINALIZE_OBJ_BEGIN: return ev_finalize(r, true, false);
	case MLPD_FINALIZE_OBJ_END: return ev_finalize(r, true, true);
	case MLPD_META_NAME: case MLPD_META_LOAD: case MLPD_META_UNLOAD: case MLPD_META_LOAD_FAILED:
		return ev_metadata(r, tag);
	case MLPD_JIT: return ev_jit(r);
	case MLPD_THROW: return ev_throw(r, false);
	case MLPD_THROW_BT: return ev_throw(r, true);
	case MLPD_CLAUSE: return ev_clause(r);
	case MLPD_HEAP_BEGIN: return ev_plain(r, TT_HEAP_SHOT, 0, 0);
	case MLPD_HEAP_END: return ev_plain(r, TT_HEAP_SHOT, 0, TT_F_END);
	case MLPD_HEAP_OBJECT: return ev_heap_object(r);
	case MLPD_HEAP_ROOTS: return ev_heap_roots(r);
	case MLPD_ROOT_ADD: return ev_root(r, false);
	case MLPD_ROOT_DEL: return ev_root(r, true);
	case MLPD_HIT: return ev_hit(r);
	case MLPD_USYM: return ev_symbol(r, false);
	case MLPD_UBIN: return ev_symbol(r, true);
	case MLPD_COUNTER_DESC: return ev_counter_desc(r);
	case MLPD_COUNTER_VALUES: return ev_counter_values(r);
	case MLPD_JITHELPER: return ev_jithelper(r);
	case MLPD_COV_ASSEMBLY: case MLPD_COV_METHOD: case MLPD_COV_STATEMENT: case MLPD_COV_CLASS:
		return ev_coverage(r, tag >> 4);
	case MLPD_SYNC:
		rc = ev_plain(r, TT_SYNC, 0, 0);
		if (rc == TT_OK && !over(r))
			r->b->ev[r->b->n - 1].depth = (uint16_t)get_u8(r);
		return rc;
	case MLPD_AOT_ID: {
		const char *t;
		uint32_t len;
		text(r, &t, &len);
		return TT_OK;
	}
	default:
		if ((tag & 0x0f) == MLPD_MONITOR && (v < 14 || tag == 0x05 || tag == 0x85))
			return ev_monitor(r, tag);
		*unknown = true;
		return TT_OK;
	}
}

/* What stood open cannot be trusted any more: close it, at the last stack event, and say so. */
static int
gap(struct run *r, enum tt_loss_kind kind, const uint8_t *from)
{
	struct tt_batch *b = r->b;
	struct tt_event *e;

	tt_loss_add(&b->loss, kind, 1, (uint64_t)(r->end - from), r->at + (uint64_t)(from - r->start));
	while (b->depth > 0) {
		int rc = tt_zone_end_slow(b, b->stack_ts, b->ev[b->open[b->depth - 1]].val, 0, r->err);
		if (rc != TT_OK)
			return rc;
	}
	e = tt_batch_rare(b, TT_GAP, b->nstack ? b->stack_ts : now(r), 0, r->err);
	if (!e)
		return r->err->code;
	e->flags = b->nstack ? 0 : TT_F_BASE;
	return TT_OK;
}

/* Enter and leave keep their time in a register; here it joins the other stack events'. */
static void
settle(struct tt_batch *b, uint64_t *calls, int64_t call_ts)
{
	if (*calls && (b->nstack == 0 || call_ts > b->stack_ts))
		b->stack_ts = call_ts;
	b->nstack += *calls;
	*calls = 0;
}

/* Join the seven low bits of each byte. */
static inline uint64_t
join_groups(uint64_t w)
{
	w = (w & 0x007f007f007f007fu) | (w & 0x7f007f007f007f00u) >> 1;
	w = (w & 0x00003fff00003fffu) | (w & 0x3fff00003fff0000u) >> 2;
	return (w & 0x000000000fffffffu) | (w & 0x0fffffff00000000u) >> 4;
}

/*
 * Enter and leave, nine events of ten where calls are recorded. Times are one or two bytes nearly always, so
 * they branch; methods are one to seven bytes in no order a processor can guess, so they do not: one load, the first
 * byte without a high bit, and its groups joined (PEXT gained 1 % more and is not worth a second loop).
 * Everything that changes lives in registers. Stops before the first event of another kind or shape, and near
 * the end of the chunk.
 */
static uint64_t
hot(struct run *r, uint64_t *events, int64_t *call_ts, int *rc)
{
	struct tt_batch *b = r->b;
	const uint8_t *p = r->p, *last = r->end - 16;
	const uint64_t mask = r->mask, zero = (uint64_t)r->zero;
	uint64_t time = r->time, method = r->method, calls = 0, enters = 0;
	size_t n = b->n, depth = b->depth, room = b->cap - n < b->capopen - depth ? b->cap - n : b->capopen - depth;
	struct tt_event *ev = b->ev;
	uint32_t *open = b->open;

	if (r->end - p < 16)
		return 0;
	while (p <= last) {
		const unsigned tag = p[0];
		const uint8_t *q;
		uint64_t t, w;

		if (tag != MLPD_ENTER && tag != MLPD_LEAVE)
			break;
		if (p[1] < 0x80) {
			t = time + p[1];
			q = p + 2;
		} else if (p[2] < 0x80) {
			t = time + ((uint64_t)(p[1] & 0x7f) | (uint64_t)p[2] << 7);
			q = p + 3;
		} else if (p[3] < 0x80) {
			t = time + ((uint64_t)(p[1] & 0x7f) | (uint64_t)(p[2] & 0x7f) << 7 | (uint64_t)p[3] << 14);
			q = p + 4;
		} else {
			break;
		}
		memcpy(&w, q, 8);
		uint64_t stops = ~w & 0x8080808080808080u;
		if (unlikely(stops == 0))
			break;
		unsigned top = (unsigned)__builtin_ctzll(stops) + 1;          /* 8 times the number of groups */
		unsigned up = 64 - (top - (top >> 3));                        /* brings the last group's sign to bit 63 */
		uint64_t delta = join_groups(w & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7fu);
		uint64_t meth = (method + (uint64_t)((int64_t)(delta << up) >> up)) & mask;
		int64_t ts = (int64_t)(t - zero);
		if (tag == MLPD_ENTER) {
			if (unlikely(room < 8 || depth >= UINT16_MAX - 1)) {
				b->n = n;
				b->depth = depth;
				if (depth >= UINT16_MAX - 1 || (*rc = tt_batch_room(b, 4096, r->err)) != TT_OK)
					break;
				ev = b->ev;
				open = b->open;
				room = 4096;
			}
			ev[n] = (struct tt_event){ .ts = ts, .val = meth, .depth = (uint16_t)depth, .kind = TT_ZONE_BEGIN };
			open[depth++] = (uint32_t)n++;
			room--;
			enters++;
		} else {
			if (unlikely(depth == 0 || depth >= UINT16_MAX))
				break;
			struct tt_event *e = &ev[open[depth - 1]];
			uint64_t dur = (uint64_t)ts - (uint64_t)e->ts;
			if (unlikely(e->val != meth || dur > UINT32_MAX))
				break;
			e->dur = (uint32_t)dur;
			e->kind = TT_ZONE;
			depth--;
		}
		time = t;
		method = meth;
		p = q + (top >> 3);
		calls++;
	}
	r->p = p;
	r->time = time;
	r->method = method;
	b->n = n;
	b->depth = depth;
	if (calls == 0)
		return 0;
	*call_ts = now(r);
	*events += calls;
	if (b->tally) {
		b->tally[MLPD_ENTER] += (uint32_t)enters;
		b->tally[MLPD_LEAVE] += (uint32_t)(calls - enters);
	}
	return calls;
}

int
mlpd_decode(const struct mlpd *m, const uint8_t *bytes, size_t n, uint64_t at, uint64_t tid, uint64_t state[4],
    bool more, struct tt_batch *b, size_t *used, struct tt_err *err)
{
	struct run r = { .m = m, .b = b, .p = bytes, .end = bytes + n, .start = bytes, .at = at,
		.time = state[MLPD_S_TIME], .ptr = state[MLPD_S_PTR], .obj = state[MLPD_S_OBJ],
		.method = state[MLPD_S_METHOD], .mask = m->mask, .zero = m->zero, .err = err,
		.heap = (b->needs & TT_NEEDS_HEAP) != 0 };
	uint64_t events = 0, calls = 0, before = r.time;
	const uint8_t *ev = r.p;
	int64_t call_ts = 0;
	int rc = TT_OK;

	b->tid = tid;
	b->at = at;
	b->bytes = n;
	if (n > 0)
		tt_batch_time(b, now(&r));
	while (rc == TT_OK && r.p < r.end) {
		bool unknown = false;

		calls += hot(&r, &events, &call_ts, &rc);
		ev = r.p;
		if (rc != TT_OK || r.p >= r.end)
			break;
		uint64_t t0 = r.time, m0 = r.method;
		unsigned tag = *r.p++;
		rc = tt_batch_room(b, 8, err);
		if (rc == TT_OK)
			rc = event(&r, tag, &unknown);
		if (rc != TT_OK)
			break;
		if (unlikely(over(&r) || unknown)) {
			r.time = t0;
			r.method = m0;
			if (more && !unknown && !r.bad)
				break;
			settle(b, &calls, call_ts);
			rc = gap(&r, unknown ? TT_LOST_UNKNOWN : TT_LOST_DAMAGED, ev);
			ev = r.end;
			break;
		}
		if (b->tally)
			b->tally[tag]++;
		events++;
		ev = r.p;
	}
	settle(b, &calls, call_ts);
	b->nevent += events;
	if (n > 0 && r.time != before)
		tt_batch_time(b, now(&r));
	state[MLPD_S_TIME] = r.time;
	state[MLPD_S_METHOD] = r.method;
	*used = (size_t)(ev - bytes);
	return rc;
}
