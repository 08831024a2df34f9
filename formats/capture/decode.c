#include "capture/capture.h"

#include "model/zones.h"
#include "unity/names.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

struct run {
	const struct ttc *m;
	struct tt_batch *b;
	const uint8_t *p, *end;
	uint64_t ticks, key, alloc_key;
	uint64_t collect;             /* key of GC.Collect, or 0 */
	uint64_t base_at;             /* words: keys of the zones open before the chunk, outermost first */
	size_t nbase;                 /* those that are open still */
	uint64_t calls;               /* begins and ends */
	int64_t call_ts;
	struct tt_err *err;
};

static inline int64_t
ns(const struct ttc *m, uint64_t ticks)
{
	__extension__ typedef __int128 wide;

	return (int64_t)((wide)(int64_t)(ticks - m->head.ticks) * (int64_t)m->mult >> (m->shift & 63));
}

/* The rest of the chunk makes no sense, though its checksum is right. */
static int
damaged(struct run *r, enum tt_loss_kind kind)
{
	struct tt_batch *b = r->b;

	tt_loss_add(&b->loss, kind, 1, (uint64_t)(r->end - r->p), b->at);
	r->p = r->end;
	return TT_OK;
}

/* --- arguments --------------------------------------------------------------------- */

/* Append UTF-16 text as UTF-8; what is not valid becomes U+FFFD. */
static int
add_utf16(struct tt_buf *to, const uint8_t *p, size_t n, struct tt_err *err)
{
	int rc = tt_buf_room(to, n / 2 * 3 + 4, err);

	for (size_t i = 0; rc == TT_OK && i + 1 < n; i += 2) {
		uint32_t c = (uint32_t)p[i] | (uint32_t)p[i + 1] << 8;
		char *o = to->p + to->n;
		if (c >= 0xd800 && c < 0xdc00 && i + 3 < n && (p[i + 3] & 0xfc) == 0xdc) {
			c = 0x10000 + ((c - 0xd800) << 10) +
			    (((uint32_t)p[i + 2] | (uint32_t)p[i + 3] << 8) - 0xdc00);
			i += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			c = 0xfffd;
		}
		if (c < 0x80) {
			*o++ = (char)c;
		} else if (c < 0x800) {
			*o++ = (char)(0xc0 | c >> 6);
			*o++ = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			*o++ = (char)(0xe0 | c >> 12);
			*o++ = (char)(0x80 | (c >> 6 & 0x3f));
			*o++ = (char)(0x80 | (c & 0x3f));
		} else {
			*o++ = (char)(0xf0 | c >> 18);
			*o++ = (char)(0x80 | (c >> 12 & 0x3f));
			*o++ = (char)(0x80 | (c >> 6 & 0x3f));
			*o++ = (char)(0x80 | (c & 0x3f));
		}
		to->n = (size_t)(o - to->p);
	}
	return rc;
}

/* A value; text stays in the chunk. */
struct value {
	enum tt_type type;
	uint64_t bits;
	const uint8_t *text;
	size_t n;
	bool wide;                    /* UTF-16 */
};

static const uint8_t *
take_value(const uint8_t *p, const uint8_t *end, struct value *v)
{
	uint64_t x;
	unsigned type;
	float f;
	double d;

	memset(v, 0, sizeof *v);
	if (p >= end)
		return NULL;
	type = *p++;
	switch (type) {
	case TTC_INSTANCE: case TTC_I32: case TTC_I64:
		p = ttc_get(p, end, &x);
		v->type = TT_T_I64;
		v->bits = p ? ttc_zag(x) : 0;
		return p;
	case TTC_U32: case TTC_U64: case TTC_RESOURCE: case TTC_ENTITY:
		v->type = TT_T_U64;
		return ttc_get(p, end, &v->bits);
	case TTC_PTR: case TTC_CLASS:
		v->type = TT_T_PTR;
		return ttc_get(p, end, &v->bits);
	case TTC_F32:
		if (end - p < 4)
			return NULL;
		memcpy(&f, p, 4);
		d = (double)f;
		memcpy(&v->bits, &d, 8);
		v->type = TT_T_F64;
		return p + 4;
	case TTC_F64:
		if (end - p < 8)
			return NULL;
		v->bits = ttc_u64(p);
		v->type = TT_T_F64;
		return p + 8;
	default:
		break;
	}
	p = ttc_get(p, end, &x);
	if (!p || x > (uint64_t)(end - p))
		return NULL;
	v->text = p;
	v->n = (size_t)x;
	v->wide = type == TTC_TEXT16;
	v->type = type == TTC_TEXT8 || type == TTC_TEXT16 ? TT_T_TEXT : TT_T_BLOB;
	return p + x;
}

/* The argument as an event behind the one at ${at}. Room is made. */
static int
put_arg(struct run *r, size_t at, const struct value *v)
{
	struct tt_batch *b = r->b;
	uint64_t bits = v->bits, n = 0;
	int rc = tt_batch_room(b, 2, r->err);

	if (rc == TT_OK && v->text) {
		bits = b->text.n;
		rc = v->wide ? add_utf16(&b->text, v->text, v->n, r->err)
			     : tt_buf_add(&b->text, v->text, v->n, r->err);
		n = b->text.n - bits;
		while (v->type == TT_T_TEXT && n > 0 && b->text.p[bits + n - 1] == '\0')
			n--;
	}
	if (rc != TT_OK)
		return rc;
	b->ev[b->n++] =
	    (struct tt_event){ .kind = TT_ARG, .val = bits, .dur = (uint32_t)n, .depth = (uint16_t)v->type };
	b->ev[at].flags |= TT_F_MORE;
	return TT_OK;
}

static int
args(struct run *r, size_t at, const uint8_t *p, const uint8_t *end)
{
	uint64_t n;
	struct value v;
	int rc = TT_OK;

	if (!(r->b->needs & TT_NEEDS_ARGS))
		return TT_OK;
	if (!(p = ttc_get(p, end, &n)))
		return TT_OK;
	for (; n > 0 && rc == TT_OK && (p = take_value(p, end, &v)) != NULL; n--)
		rc = put_arg(r, at, &v);
	return rc;
}

/* --- zones ------------------------------------------------------------------------------ */

static void
begin(struct run *r, uint64_t key, unsigned flags)
{
	r->call_ts = ns(r->m, r->ticks);
	tt_zone_begin(r->b, r->call_ts, key, flags);
	r->calls++;
}

/*
 * The zone below ${above} others ends. The recorder has found out which one that is; here its key is looked
 * up, in this chunk or among those open before it.
 */
static int
end_zone(struct run *r, uint64_t above, unsigned flags)
{
	struct tt_batch *b = r->b;
	uint64_t key;

	if (above < b->depth) {
		key = b->ev[b->open[b->depth - 1 - above]].val;
	} else if (above - b->depth < r->nbase) {
		for (size_t i = b->depth; i < above; i++)
			if (b->word[r->base_at + --r->nbase] == r->collect && r->collect &&
			    !tt_batch_rare(b, TT_GC, ns(r->m, r->ticks), TT_GC_END, r->err))
				return r->err->code;
		key = b->word[r->base_at + --r->nbase];
	} else {
		tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, b->at);
		return TT_OK;
	}
	r->call_ts = ns(r->m, r->ticks);
	r->calls++;
	return tt_zone_end(b, r->call_ts, key, flags & 1 ? TT_F_UNWIND : 0, r->err);
}

static int
end_key(struct run *r, uint64_t key, unsigned flags)
{
	r->call_ts = ns(r->m, r->ticks);
	r->calls++;
	return tt_zone_end(r->b, r->call_ts, key, flags & 1 ? TT_F_UNWIND : 0, r->err);
}

static int
alloc(struct run *r, uint64_t bytes)
{
	struct tt_batch *b = r->b;
	struct tt_event *e = &b->ev[b->n++];

	*e = (struct tt_event){ .ts = ns(r->m, r->ticks), .val = r->alloc_key, .dur = (uint32_t)bytes,
		.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX, .kind = TT_ALLOC };
	if (unlikely(bytes > UINT32_MAX)) {
		e->dur = UINT32_MAX;
		e->flags = TT_F_WIDE | TT_F_MORE;
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	}
	b->nalloc++;
	b->alloc_b += bytes;
	return TT_OK;
}

/* --- other events --------------------------------------------------------------------------- */

static struct tt_event *
rare(struct run *r, enum tt_kind kind, uint64_t val)
{
	return tt_batch_rare(r->b, kind, ns(r->m, r->ticks), val, r->err);
}

static int
counter(struct run *r, const uint8_t *p, const uint8_t *end)
{
	uint64_t n;
	struct value v;

	if (!(p = ttc_get(p, end, &n)) || n == 0 || !take_value(p, end, &v) || v.text)
		return TT_OK;
	struct tt_event *e = rare(r, TT_COUNTER, v.bits);
	if (!e)
		return r->err->code;
	e->dur = (uint32_t)r->key;
	e->depth = (uint16_t)v.type;
	return TT_OK;
}

static int
flow(struct run *r, const uint8_t *p, const uint8_t *end)
{
	uint64_t id;
	unsigned type;

	if (p == end || *p > TT_FLOW_SEQUENTIAL)
		return TT_OK;
	type = *p++;
	if (!ttc_get(p, end, &id))
		return TT_OK;
	struct tt_event *e = rare(r, TT_FLOW, id);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)type;
	e->flags = type == TT_FLOW_PARALLEL || type == TT_FLOW_SEQUENTIAL ? TT_F_NEXT : 0;
	return TT_OK;
}

static int
timing(struct run *r, const uint8_t *p, const uint8_t *end)
{
	uint64_t back, flags, v;

	if (!(p = ttc_get(p, end, &back)) || !(p = ttc_get(p, end, &flags)) || back > UINT16_MAX)
		return TT_OK;
	for (unsigned i = 0; i < TT_TIMINGS && (p = ttc_get(p, end, &v)) != NULL; i++) {
		struct tt_event *e = v ? rare(r, TT_TIMING, v) : NULL;
		if (v && !e)
			return r->err->code;
		if (!e)
			continue;
		e->dur = i;
		e->depth = (uint16_t)back;
	}
	return TT_OK;
}

/* An allocation with what it says besides: a stack, for how many allocations it stands. */
static int
alloc_more(struct run *r, uint64_t bytes, const uint8_t *p, const uint8_t *end)
{
	struct tt_batch *b = r->b;
	size_t at = b->n, frames = 0;
	uint64_t n, size, first = 0, many = 1;
	unsigned type;
	int rc = alloc(r, bytes);

	if (!(p = ttc_get(p, end, &n)))
		return rc;
	for (; rc == TT_OK && n > 0 && p < end; n--) {
		type = *p++;
		if (!(p = ttc_get(p, end, &size)))
			break;
		if (type == TTC_U32 && size > 0) {
			many = size < UINT16_MAX ? size : UINT16_MAX;
			continue;
		}
		if (type != TTC_STACK_KEYS || size > (uint64_t)(end - p))
			break;
		rc = ttc_stack(b, p, (size_t)size, &first, &frames, r->err);
		p += size;
	}
	if (many > 1)
		tt_loss_add(&b->loss, TT_LOST_SAMPLED, 1, 0, b->at);
	if (rc != TT_OK || (frames == 0 && many == 1))
		return rc;
	if (!(b->ev[at].flags & TT_F_MORE))
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	b->ev[at].flags |= (uint8_t)(TT_F_MORE | (frames ? TT_F_STACK : 0) | (many > 1 ? TT_F_MANY : 0));
	b->ev[at + 1].val = first;
	b->ev[at + 1].dur = (uint32_t)frames;
	b->ev[at + 1].depth = (uint16_t)many;
	b->nalloc += many - 1;
	return rc;
}

/* What stands open is not known any more: it ends at the thread's last event. */
static int
forget_open(struct run *r)
{
	struct tt_batch *b = r->b;
	struct tt_event *e;
	int rc;

	while (b->depth > 0)
		if ((rc = tt_zone_end(b, r->call_ts, b->ev[b->open[b->depth - 1]].val, 0, r->err)) != TT_OK)
			return rc;
	r->nbase = 0;
	e = rare(r, TT_GAP, 0);
	if (!e)
		return r->err->code;
	e->flags = TT_F_BASE;
	return TT_OK;
}

/* A record of another kind, with its payload. */
static int
other(struct run *r, unsigned kind, const uint8_t *p, const uint8_t *end)
{
	struct tt_batch *b = r->b;
	uint64_t v = 0, w = 0;
	struct tt_event *e;
	size_t at;
	int rc;

	switch (kind) {
	case TTC_BEGIN_ARGS: case TTC_SINGLE: case TTC_END_NONE: case TTC_END_KEY: case TTC_COUNTER: case TTC_BEGIN_FLAGS:
		if (!(p = ttc_get(p, end, &v)))
			return damaged(r, TT_LOST_DAMAGED);
		r->key += ttc_zag(v);
		break;
	case TTC_ALLOC_ARGS:
		if (!(p = ttc_get(p, end, &v)) || !(p = ttc_get(p, end, &w)))
			return damaged(r, TT_LOST_DAMAGED);
		r->alloc_key += ttc_zag(v);
		break;
	default:
		break;
	}
	switch (kind) {
	case TTC_BEGIN_ARGS:
		at = b->n;
		begin(r, r->key, 0);
		rc = args(r, at, p, end);
		break;
	case TTC_BEGIN_FLAGS:
		ttc_get(p, end, &w);
		begin(r, r->key, w & 8 ? TT_F_CONT : 0);
		rc = TT_OK;
		break;
	case TTC_RESET:
		return forget_open(r);
	case TTC_SINGLE:
		if (!(e = rare(r, TT_INSTANT, r->key)))
			return r->err->code;
		rc = args(r, (size_t)(e - b->ev), p, end);
		break;
	case TTC_END_BELOW:
		if (!(p = ttc_get(p, end, &v)))
			return damaged(r, TT_LOST_DAMAGED);
		ttc_get(p, end, &w);
		rc = end_zone(r, v, (unsigned)w);
		break;
	case TTC_END_FLAGS:
		ttc_get(p, end, &w);
		rc = end_zone(r, 0, (unsigned)w);
		break;
	case TTC_END_KEY:
		ttc_get(p, end, &w);
		rc = end_key(r, r->key, (unsigned)w);
		break;
	case TTC_END_NONE:
		tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, b->at);
		rc = TT_OK;
		break;
	case TTC_COUNTER:
		rc = counter(r, p, end);
		break;
	case TTC_FLOW:
		rc = flow(r, p, end);
		break;
	case TTC_FRAME:
		rc = rare(r, TT_FRAME, ttc_get(p, end, &v) ? v : 0) ? TT_OK : r->err->code;
		break;
	case TTC_TIMING:
		rc = timing(r, p, end);
		break;
	case TTC_ALLOC_ARGS:
		rc = alloc_more(r, w, p, end);
		break;
	case TTC_THREAD_END:
		if (!(e = rare(r, TT_THREAD, b->tid)))
			return r->err->code;
		e->flags = TT_F_END;
		return TT_OK;
	default:
		rc = ttc_mono(b, ns(r->m, r->ticks), kind, p, end, r->err);
		break;
	}
	b->nevent++;
	return rc;
}

/* --- the state at the chunk's beginning -------------------------------------------------------- */

/* Read it; with ${resume} its zones begin here, continued. */
static int
state(struct run *r, const uint8_t *end, bool resume)
{
	struct tt_batch *b = r->b;
	uint64_t depth, given, z, last = 0;
	int rc;

	if (!(r->p = ttc_get(r->p, end, &r->key)) || !(r->p = ttc_get(r->p, end, &r->alloc_key)) ||
	    !(r->p = ttc_get(r->p, end, &depth)) || !(r->p = ttc_get(r->p, end, &given)) || given > depth ||
	    given > TTC_STACK)
		return TT_E_DAMAGED;
	if ((rc = tt_batch_words(b, (size_t)given, &r->base_at, r->err)) != TT_OK ||
	    (rc = tt_batch_room(b, (size_t)given + 4, r->err)) != TT_OK)
		return rc;
	for (uint64_t i = 0; i < given; i++) {
		if (!(r->p = ttc_get(r->p, end, &z)))
			return TT_E_DAMAGED;
		last += ttc_zag(z);
		b->word[r->base_at + i] = last;
	}
	r->nbase = (size_t)given;
	if (!resume)
		return TT_OK;
	if (depth > given)
		tt_loss_add(&b->loss, TT_LOST_STACKS, 1, 0, b->at);
	for (uint64_t i = 0; i < given; i++)
		tt_zone_begin(b, ns(r->m, r->ticks), b->word[r->base_at + i], TT_F_CONT);
	if (given) {
		r->calls++;
		r->call_ts = ns(r->m, r->ticks);
	}
	r->nbase = 0;
	return TT_OK;
}

/* What the chunk's place in its thread means: a beginning, or a gap. */
static int
arrive(struct run *r, unsigned flags)
{
	struct tt_event *e;

	if (flags & TTC_U_FIRST) {
		if (!(e = rare(r, TT_THREAD, r->b->tid)))
			return r->err->code;
	} else if (flags & TTC_U_GAP) {
		if (!(e = rare(r, TT_GAP, 0)))
			return r->err->code;
		e->flags = TT_F_BASE;
	}
	return TT_OK;
}

/* --- the loop ------------------------------------------------------------------------------------- */

/* Numbers of one to three bytes, nearly all there are; the caller knows that 16 bytes are readable. */
static inline const uint8_t *
get_fast(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t x = p[0];

	if (likely(x < 0x80)) {
		*v = x;
		return p + 1;
	}
	x = (x & 0x7f) | (uint64_t)p[1] << 7;
	if (likely(p[1] < 0x80)) {
		*v = x;
		return p + 2;
	}
	if (likely(p[2] < 0x80)) {
		*v = (x & 0x3fff) | (uint64_t)p[2] << 14;
		return p + 3;
	}
	return ttc_get(p, end, v);
}

/* Seven bits of each byte, together. */
static inline __attribute__((always_inline)) uint64_t
squeeze(uint64_t x)
{
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* The bits of ${x} under ${mask}, together; the mask has the low seven of some bytes in a row, or of the first the upper five. */
static inline __attribute__((always_inline)) uint64_t
gather(uint64_t x, uint64_t mask, bool quick)
{
#if defined(__x86_64__)
	if (quick) {
		__asm__("pext %1, %0, %0" : "+r"(x) : "rm"(mask));
		return x;
	}
#else
	(void)quick;
#endif
	return mask ? squeeze((x & mask) >> (__builtin_ctzll(mask) & ~7)) >> (__builtin_ctzll(mask) & 7) : 0;
}

/*
 * The form of the record whose first eight bytes are ${w}: its type, and in which of six bytes numbers end. What begins and
 * ends look like in each form is in a table, so both are taken without a branch on type or lengths: those follow no pattern, and
 * a wrong guess costs as much as several records.
 */
static inline __attribute__((always_inline)) unsigned
form_of(uint64_t w, bool quick)
{
#if defined(__x86_64__)
	if (quick) {
		__asm__("pext %1, %0, %0" : "+r"(w) : "r"((uint64_t)0x808080808083));
		return (unsigned)w;
	}
#else
	(void)quick;
#endif
	return (unsigned)(((w & 0x808080808080) >> 7) * 0x0102040810204080 >> 56 << 2 | (w & 3));
}

void
ttc_forms(struct ttc *m)
{
	for (unsigned f = 0; f < TTC_FORMS; f++) {
		unsigned more = f >> 2, time = 0, key = 0;    /* bytes of the two numbers */
		while (more >> time & 1)
			time++;
		time++;
		while ((f & 3) == TTC_BEGIN && more >> (time + key) & 1)
			key++;
		key += (f & 3) == TTC_BEGIN;
		if ((f & 3) > TTC_END || time + key > 6)
			continue;
		const uint64_t low = 0x7f7f7f7f7f7f7f7f;
		m->length[f] = (uint8_t)(time + key);
		m->form[f].time = low >> (64 - 8 * time) & ~(uint64_t)3;
		m->form[f].key = (low >> (64 - 8 * (time + key))) ^ (low >> (64 - 8 * time));
	}
}
_Static_assert(TTC_BEGIN == 0 && TTC_END == 1, "see form_of");

/* A begin whose arguments nobody wants, and which is then one like any other; else NULL. */
static const uint8_t *
begin_bare(const uint8_t *p, const uint8_t *end, uint64_t *t, uint64_t *v)
{
	uint64_t n;

	*t = *v = 0;
	if (!(p = get_fast(p, end, t)) || (*t & 3) != TTC_OTHER || *p != TTC_BEGIN_ARGS ||
	    !(p = get_fast(p + 1, end, &n)) || n > (uint64_t)(end - p) || !ttc_get(p, p + n, v))
		return NULL;
	return p + n;
}

/*
 * Begins and ends, nearly all there is: everything that changes lives in registers, and both are done alike, as which of
 * them comes follows no pattern either. Stops before the first record of another kind or of more than six bytes, at an end
 * that needs the rules of model/zones.h, and near the end of the chunk.
 *
 * Time is ticks * mult >> shift, taken from the upper half of a product: ticks and factor are so shifted that nothing is left to do.
 */
static inline __attribute__((always_inline)) uint64_t
hot_loop(struct run *r, int *rc, bool quick)
{
	enum { BLOCK = 4096 };        /* bytes, so no more records */
	__extension__ typedef unsigned __int128 wide;
	struct tt_batch *b = r->b;
	const struct ttc *m = r->m;
	const uint8_t *p = r->p;
	const uint64_t zero = m->head.ticks, n0 = b->n, depth0 = b->depth, mult = m->mult << 2;
	const unsigned up = (62 - m->shift) & 63;
	const bool bare = !(b->needs & TT_NEEDS_ARGS) && !b->tally;
	uint64_t ticks = (r->ticks - zero) << up, key = r->key, n = n0, depth = depth0;
	bool more = up <= 8;

	while (more && r->end - p >= 32 && depth < UINT16_MAX - BLOCK && ticks >> 61 == 0 && (r->ticks - zero) >> 52 == 0) {
		b->n = n;
		b->depth = depth;
		if ((*rc = tt_batch_room(b, BLOCK + 1, r->err)) != TT_OK)
			break;
		const uint8_t *stop = r->end - p < BLOCK ? r->end - 31 : p + BLOCK - 31;
		struct tt_event *ev = b->ev;
		uint32_t *open = b->open;

		for (more = false; p < stop; more = p >= stop) {
			const uint64_t w = ttc_u64(p);
			const unsigned form = form_of(w, quick);
			uint64_t is = ~form & 1, t = gather(w, m->form[form].time, quick), v = gather(w, m->form[form].key, quick);
			const uint8_t *q = p + m->length[form];
			if (unlikely(q == p)) {
				uint64_t time, of;
				if (!bare || !(q = begin_bare(p, r->end, &time, &of)))
					break;
				t = time >> 2;
				v = of;
				is = 1;
			}
			uint64_t top = depth + is - 1;        /* of the zone that begins or ends */
			if (unlikely((int64_t)top < 0))
				break;
			int64_t at = (int64_t)((wide)(ticks + (t << up)) * mult >> 64);
			/* A zone that begins; at an end the next one will be written over this, and at a begin it is the one on top. */
			ev[n].ts = at;
			ev[n].val = key + ttc_zag(v);
			ev[n].depth = (uint16_t)depth;
			ev[n].flags = 0;
			open[depth] = (uint32_t)n;
			struct tt_event *e = &ev[open[top]];
			uint64_t dur = (uint64_t)at - (uint64_t)e->ts;
			if (unlikely(dur > UINT32_MAX))
				break;
			e->dur = (uint32_t)dur;
			e->kind = (uint8_t)(TT_ZONE + is);
			n += is;
			depth = top + is;
			key += ttc_zag(v);
			ticks += t << up;
			p = q;
		}
	}
	if (p == r->p)
		return 0;
	const uint64_t begun = n - n0, records = 2 * begun - (depth - depth0);
	r->p = p;
	r->ticks = (ticks >> up) + zero;
	r->key = key;
	r->call_ts = ns(m, r->ticks);
	r->calls += records;
	b->nzone += begun;
	b->n = n;
	b->depth = depth;
	if (b->tally) {
		b->tally[TTC_BEGIN] += (uint32_t)begun;
		b->tally[TTC_END] += (uint32_t)(records - begun);
	}
	return records;
}
_Static_assert(TT_ZONE_BEGIN == TT_ZONE + 1, "see hot_loop");

static uint64_t
hot_plain(struct run *r, int *rc)
{
	return hot_loop(r, rc, false);
}

#if defined(__x86_64__)
static __attribute__((target("bmi,bmi2"))) uint64_t
hot_quick(struct run *r, int *rc)
{
	return hot_loop(r, rc, true);
}
#else
#define hot_quick hot_plain
#endif

static int
records(struct run *r)
{
	struct tt_batch *b = r->b;
	uint32_t *tally = b->tally;
	uint64_t t, v, n = 0;
	int rc = TT_OK;

	while (r->p < r->end && rc == TT_OK) {
		n += r->m->quick ? hot_quick(r, &rc) : hot_plain(r, &rc);
		if (unlikely(rc != TT_OK || r->p == r->end))
			break;
		const uint8_t *p = get_fast(r->p, r->end, &t);
		if (unlikely(!p) || unlikely((rc = tt_batch_room(b, 8, r->err)) != TT_OK))
			return rc == TT_OK ? damaged(r, TT_LOST_DAMAGED) : rc;
		r->ticks += t >> 2;
		switch (t & 3) {
		case TTC_BEGIN:
			p = get_fast(p, r->end, &v);
			if (unlikely(!p || p > r->end))
				return damaged(r, TT_LOST_DAMAGED);
			r->key += ttc_zag(v);
			begin(r, r->key, 0);
			n++;
			break;
		case TTC_END: {
			size_t d = b->depth;
			n++;
			if (likely(d > 0)) {
				r->call_ts = ns(r->m, r->ticks);
				r->calls++;
				rc = tt_zone_end(b, r->call_ts, b->ev[b->open[d - 1]].val, 0, r->err);
			} else {
				rc = end_zone(r, 0, 0);
			}
			break;
		}
		case TTC_ALLOC: {
			uint64_t bytes;
			p = get_fast(p, r->end, &v);
			if (unlikely(!p) || unlikely(!(p = get_fast(p, r->end, &bytes))) ||
			    unlikely(p > r->end))
				return damaged(r, TT_LOST_DAMAGED);
			r->alloc_key += ttc_zag(v);
			rc = alloc(r, bytes);
			n++;
			break;
		}
		default: {
			unsigned kind;
			if (unlikely(p >= r->end))
				return damaged(r, TT_LOST_DAMAGED);
			kind = *p++;
			p = ttc_get(p, r->end, &v);
			if (unlikely(!p || v > (uint64_t)(r->end - p)))
				return damaged(r, TT_LOST_DAMAGED);
			const uint8_t *payload = p;
			p += v;
			r->p = p;
			if (tally)
				tally[4 + (kind < 250 ? kind : 250)]++;
			rc = other(r, kind, payload, p);
			continue;
		}
		}
		if (tally)
			tally[t & 3]++;
		r->p = p;
	}
	b->nevent += n;
	return rc;
}

/* A collection, as other runtimes tell of it, for each zone of Unity's GC.Collect. */
static int
collections(struct run *r)
{
	struct tt_batch *b = r->b;

	for (size_t i = 0, n = b->n; i < n; i++) {
		if (likely(b->ev[i].val != r->collect))
			continue;
		const struct tt_event e = b->ev[i];
		bool begins = e.kind == TT_ZONE || e.kind == TT_ZONE_BEGIN, ends = e.kind == TT_ZONE || e.kind == TT_ZONE_END;
		if ((!begins && !ends) || (e.flags & TT_F_CONT))
			continue;
		if (begins && !tt_batch_rare(b, TT_GC, e.ts, TT_GC_START, r->err))
			return r->err->code;
		if (ends && !tt_batch_rare(b, TT_GC, e.ts + e.dur, TT_GC_END, r->err))
			return r->err->code;
	}
	return TT_OK;
}

/* --- skimming ---------------------------------------------------------------------------------------- */

/* Only frames and the thread's end of what the chunk holds, its last time, and how many zones and allocations. */
static inline __attribute__((always_inline)) int
skim_loop(struct run *r, bool quick)
{
	struct tt_batch *b = r->b;
	const struct ttc *m = r->m;
	const uint8_t *p = r->p, *end = r->end, *q;
	uint64_t t, v;
	unsigned kind;
	int rc = TT_OK;

	while (p < end && rc == TT_OK) {
		uint64_t ticks = 0, begun = 0;
		while (end - p >= 32) {
			const uint64_t w = ttc_u64(p);
			const unsigned form = form_of(w, quick);
			if (unlikely(m->length[form] == 0)) {
				if (!(q = begin_bare(p, end, &t, &v)))
					break;
				ticks += t >> 2;
				begun++;
				p = q;
				continue;
			}
			ticks += gather(w, m->form[form].time, quick);
			begun += ~form & 1;
			p += m->length[form];
		}
		r->ticks += ticks;
		b->nzone += begun;
		if (p == end || !(p = ttc_get(p, end, &t)))
			break;
		r->ticks += t >> 2;
		if ((t & 3) != TTC_OTHER) {
			if ((t & 3) != TTC_END && !(p = ttc_get(p, end, &v)))
				break;
			if ((t & 3) == TTC_ALLOC && !(p = ttc_get(p, end, &v)))
				break;
			b->nzone += (t & 3) == TTC_BEGIN;
			b->nalloc += (t & 3) == TTC_ALLOC;
			continue;
		}
		if (p == end)
			break;
		kind = *p++;
		if (!(p = ttc_get(p, end, &v)) || v > (uint64_t)(end - p))
			break;
		p += v;
		if (kind == TTC_FRAME || kind == TTC_THREAD_END || (kind >= 16 && kind != TTC_TIMING))
			rc = other(r, kind, p - v, p);
		b->nzone += kind == TTC_BEGIN_ARGS;
		b->nalloc += kind == TTC_ALLOC_ARGS;
	}
	return rc;
}

static int
skim_plain(struct run *r)
{
	return skim_loop(r, false);
}

#if defined(__x86_64__)
static __attribute__((target("bmi,bmi2"))) int
skim_quick(struct run *r)
{
	return skim_loop(r, true);
}
#else
#define skim_quick skim_plain
#endif

/* --- thread 0: definitions --------------------------------------------------------------------------- */

struct fields { const uint8_t *p, *end; bool bad; };

static uint64_t
number(struct fields *f)
{
	uint64_t v = 0;

	if (!f->bad && !(f->p = ttc_get(f->p, f->end, &v)))
		f->bad = true;
	return v;
}

static const char *
text(struct fields *f, uint32_t *len)
{
	uint64_t n = number(f);
	const char *s = (const char *)f->p;

	*len = 0;
	if (f->bad || n > (uint64_t)(f->end - f->p)) {
		f->bad = true;
		return "";
	}
	f->p += n;
	*len = (uint32_t)n;
	return s;
}

static int64_t
def_time(const struct run *r, struct fields *f)
{
	return ns(r->m, r->m->head.ticks + number(f));
}

static int
marker(struct run *r, struct fields *f)
{
	struct tt_def d = { .kind = TT_DEF_MARKER }, also;
	uint64_t native, flags;
	int rc;

	d.ts = def_time(r, f);
	d.key = number(f);
	d.a = number(f);
	native = number(f);
	flags = number(f);
	d.b = (flags & UINT32_MAX) | native << 32;
	d.text = text(f, &d.len);
	if (f->bad)
		return TT_OK;
	rc = tt_batch_def(r->b, &d, r->err);
	also = d;
	if (rc == TT_OK && d.len == 8 && memcmp(d.text, "GC.Alloc", 8) == 0) {
		also.kind = TT_DEF_CLASS;
		also.a = also.b = 0;
		rc = tt_batch_def(r->b, &also, r->err);
	}
	return rc;
}

/* Texts converted into the batch's buffer are found by their offset until the buffer stops growing. */
#define IN_BUFFER 0x80

static int
label(struct run *r, struct fields *f)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .flags = 1 };
	struct tt_buf *to = &r->b->text;
	unsigned type;
	int rc;

	d.ts = def_time(r, f);
	d.key = number(f);
	d.b = number(f);
	d.a = number(f);
	if (f->bad || f->p >= f->end)
		return TT_OK;
	type = *f->p++;
	d.text = text(f, &d.len);
	if (f->bad)
		return TT_OK;
	if (type == TTC_TEXT16) {
		size_t at = to->n;
		if ((rc = add_utf16(to, (const uint8_t *)d.text, d.len, r->err)) != TT_OK)
			return rc;
		d.text = (const char *)(uintptr_t)at;
		d.len = (uint32_t)(to->n - at);
		d.flags |= IN_BUFFER;
	}
	return tt_batch_def(r->b, &d, r->err);
}

/* A counter's unit: as the recorder says, in Unity's numbers, else what its name suggests. */
static enum tt_counter_unit
unit_of(uint64_t unit, const char *name, size_t n)
{
	static const uint8_t known[] = { TT_CU_NONE, TT_CU_NS, TT_CU_BYTES, TT_CU_COUNT, TT_CU_PERCENT, TT_CU_HZ };
	static const uint8_t guessed[] = { [UNITY_UNIT_UNKNOWN] = TT_CU_NONE, [UNITY_UNIT_NS] = TT_CU_NS_GUESSED,
		[UNITY_UNIT_BYTES] = TT_CU_BYTES_GUESSED, [UNITY_UNIT_COUNT] = TT_CU_COUNT_GUESSED };
	char s[256];

	if (unit > 0)
		return unit < sizeof known ? known[unit] : TT_CU_NONE;
	if (n >= sizeof s)
		return TT_CU_NONE;
	memcpy(s, name, n);
	s[n] = '\0';
	return guessed[unity_counter(s).unit];
}

static int
object(struct run *r, struct fields *f)
{
	static const uint8_t kind[] = { [TTC_O_CLASS] = TT_DEF_CLASS, [TTC_O_IMAGE] = TT_DEF_IMAGE,
		[TTC_O_ASSEMBLY] = TT_DEF_ASSEMBLY, [TTC_O_DOMAIN] = TT_DEF_DOMAIN, [TTC_O_CONTEXT] = TT_DEF_CONTEXT };
	struct tt_def d = { .ts = def_time(r, f) };

	d.key = number(f);
	if (f->bad || f->p == f->end || *f->p >= sizeof kind)
		return TT_OK;
	d.kind = kind[*f->p++];
	d.a = number(f);
	d.text = text(f, &d.len);
	d.text2 = text(f, &d.len2);
	return f->bad ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
definition(struct run *r, unsigned kind, struct fields *f)
{
	struct tt_def d = { 0 };
	uint64_t unit;
	uint32_t len;

	switch (kind) {
	case TTC_DEF_MARKER:
		return marker(r, f);
	case TTC_DEF_LABEL:
		return label(r, f);
	case TTC_DEF_CATEGORY:
		d.kind = TT_DEF_CATEGORY;
		d.ts = def_time(r, f);
		d.key = number(f);
		d.b = number(f);
		d.a = number(f);
		d.text = text(f, &d.len);
		break;
	case TTC_DEF_THREAD:
		d.kind = TT_DEF_THREAD;
		d.ts = def_time(r, f);
		d.key = number(f);
		d.text2 = text(f, &d.len2);
		d.text = text(f, &d.len);
		break;
	case TTC_DEF_COUNTER:
		d.kind = TT_DEF_COUNTER;
		d.ts = def_time(r, f);
		d.key = number(f);
		unit = number(f);
		d.a = 0x8000;
		d.text = text(f, &d.len);
		d.b = (uint64_t)unit_of(unit, d.text, d.len) << 24;
		d.text2 = text(f, &d.len2);
		break;
	case TTC_DEF_OBJECT:
		return object(r, f);
	case TTC_META:
		d.kind = TT_DEF_META;
		d.ts = def_time(r, f);
		d.text = text(f, &d.len);
		d.text2 = text(f, &d.len2);
		/* One key each: a fact does not replace another. */
		d.key = 1469598103934665603u;
		for (len = 0; len < d.len; len++)
			d.key = (d.key ^ (uint8_t)d.text[len]) * 1099511628211u;
		break;
	default:
		return TT_OK;
	}
	return f->bad ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
definitions(struct run *r)
{
	struct tt_batch *b = r->b;
	uint64_t t, n;
	int rc = TT_OK;

	while (r->p < r->end && rc == TT_OK) {
		const uint8_t *p = ttc_get(r->p, r->end, &t);
		if (!p || (t & 3) != TTC_OTHER || p == r->end) {
			rc = damaged(r, TT_LOST_DAMAGED);
			break;
		}
		unsigned kind = *p++;
		if (!(p = ttc_get(p, r->end, &n)) || n > (uint64_t)(r->end - p)) {
			rc = damaged(r, TT_LOST_DAMAGED);
			break;
		}
		struct fields f = { .p = p, .end = p + n };
		r->p = p + n;
		rc = definition(r, kind, &f);
		if (f.bad)
			tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, n, b->at);
	}
	for (size_t i = 0; i < b->ndef; i++)
		if (b->def[i].flags & IN_BUFFER) {
			b->def[i].flags &= (uint8_t)~IN_BUFFER;
			b->def[i].text = b->text.p + (uintptr_t)b->def[i].text;
		}
	return rc;
}

int
ttc_decode(const struct ttc *m, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const uint8_t *h = c->bytes;
	struct run r = { .m = m, .b = b, .err = err,
		.collect = atomic_load_explicit(&m->collect, memory_order_relaxed) };
	uint32_t nstate;
	int rc;

	b->tid = c->tid;
	b->at = c->at;
	b->bytes = c->len;
	if (c->len < TTC_CHUNK_HEAD)
		return TT_OK;
	nstate = ttc_u32(h + 56);
	r.ticks = ttc_u64(h + 24);
	r.p = h + TTC_CHUNK_HEAD;
	r.end = h + c->len;
	if (nstate > c->len - TTC_CHUNK_HEAD)
		return damaged(&r, TT_LOST_DAMAGED);
	if (ttc_u32(h + 4) == 0) {
		r.p += nstate;
		return definitions(&r);
	}
	rc = arrive(&r, (unsigned)c->state[0]);
	if (rc == TT_OK && (b->needs & TT_SKIM)) {
		r.p += nstate;
		tt_batch_time(b, ns(m, r.ticks));
		rc = m->quick ? skim_quick(&r) : skim_plain(&r);
		tt_batch_time(b, ns(m, r.ticks));
		return rc;
	}
	if (rc == TT_OK)
		rc = state(&r, r.p + nstate, c->state[0] & (TTC_U_FIRST | TTC_U_GAP));
	if (rc == TT_E_DAMAGED) {
		r.p = h + TTC_CHUNK_HEAD;
		return damaged(&r, TT_LOST_DAMAGED);
	}
	if (rc != TT_OK)
		return rc;
	r.p = h + TTC_CHUNK_HEAD + nstate;
	if (r.p < r.end || b->nrare) {
		tt_batch_time(b, ns(m, r.ticks));
		rc = records(&r);
		if (rc == TT_OK && r.collect)
			rc = collections(&r);
		tt_batch_time(b, ns(m, r.ticks));
	}
	if (r.calls) {
		b->stack_from = ns(m, ttc_u64(h + 24));       /* time never runs back in a chunk */
		b->stack_ts = r.call_ts;
		b->nstack += r.calls;
	}
	return rc;
}

/* --- what marker definitions mean -------------------------------------------------------------------- */

/* A category that nobody had described when its first marker came: described later, or by Unity's list. */
static const char *
nameless(const struct tt_capture *cap, const struct tt_def *c)
{
	const struct tt_def *d;
	const char *name;

	for (size_t i = 0; (d = tt_defs_at(cap->defs, TT_DEF_CATEGORY, i)) != NULL; i++)
		if (d->b == c->b && d->len > 0)
			return d->text;
	name = c->b < 0x10000 ? unity_category((unsigned)c->b, tt_capture_meta_get(cap, "unity_version")) : NULL;
	return name ? name : c->text;
}

int
ttc_category(const struct tt_capture *cap, const struct tt_def *d, const char **name, struct tt_err *err)
{
	(void)err;                    /* of others */
	uint64_t key = d->a;

	if (key == 0 && (d->flags & 1)) {     /* a label without one: its owner's */
		const struct tt_def *owner = tt_defs_find(cap->defs, TT_DEF_MARKER, d->b, INT64_MAX);
		key = owner ? owner->a : 0;
	}
	const struct tt_def *c = key ? tt_defs_find(cap->defs, TT_DEF_CATEGORY, key, INT64_MAX) : NULL;
	*name = c && c->len == 0 ? nameless(cap, c) : c ? c->text : NULL;
	return TT_OK;
}

/* Unity's counters of FrameTimingManager. */
int
ttc_timing(const char *counter, unsigned *late)
{
	*late = UNITY_TIMING_DELAY;
	switch (unity_counter(counter).timing) {
	case UNITY_TIMING_TOTAL:
		return TT_TIMING_TOTAL;
	case UNITY_TIMING_MAIN:
		return TT_TIMING_MAIN;
	case UNITY_TIMING_RENDER:
		return TT_TIMING_RENDER;
	case UNITY_TIMING_GPU:
		return TT_TIMING_GPU;
	default:
		return -1;
	}
}

const char *
ttc_tag_name(unsigned tag)
{
	static const char *const name[] = {
		[TTC_BEGIN] = "begin",
		[TTC_END] = "end",
		[TTC_ALLOC] = "alloc",
		[4 + TTC_BEGIN_ARGS] = "begin with arguments",
		[4 + TTC_SINGLE] = "single",
		[4 + TTC_END_BELOW] = "end further out",
		[4 + TTC_END_NONE] = "end without begin",
		[4 + TTC_COUNTER] = "counter",
		[4 + TTC_FLOW] = "flow",
		[4 + TTC_FRAME] = "frame",
		[4 + TTC_END_KEY] = "end of a deep zone",
		[4 + TTC_ALLOC_ARGS] = "alloc with arguments",
		[4 + TTC_THREAD_END] = "thread end",
		[4 + TTC_END_FLAGS] = "end with flags",
		[4 + TTC_BEGIN_FLAGS] = "begin with flags",
		[4 + TTC_RESET] = "pause",
		[4 + TTC_TIMING] = "frame timing",
	};

	return tag < sizeof name / sizeof name[0] && name[tag] ? name[tag] : tag >= 4 ? ttc_mono_name(tag - 4) : NULL;
}
