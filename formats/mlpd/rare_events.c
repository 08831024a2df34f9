/**
 * Turns the events of .mlpd other than calls, data versions 4 to 17, into events of the model (tracetool-mlpd(7)). Independent of the tables made from them.
 */
#include "mlpd/chunk_take.h"

#include "model/zones.h"
#include "producers/mono.h"

/* Store the object of an allocation in the word after its stack. */
static int
put_object(struct mlpd_run *r, uint64_t object, uint64_t *first)
{
	uint64_t at;
	int rc = tt_batch_words(r->b, 1, &at, r->err);

	if (rc != TT_OK)
		return rc;
	r->b->word[at] = object;
	if (first)
		*first = at;
	return TT_OK;
}

static int
ev_alloc(struct mlpd_run *r, bool bt)
{
	struct tt_batch *b = r->b;
	uint64_t first = 0, n = 0;
	uint64_t cls = take_ptr(r);
	int rc = TT_OK;

	uint64_t object = take_obj(r), size = from_int(take_u(r));
	/* An allocation of size 0 does not exist. Five zero bytes would be one, so they are padding or damage. */
	r->bad = r->bad || size == 0;
	if (bt)
		rc = take_stack(r, &first, &n);
	if (unlikely(r->objects) && rc == TT_OK)
		rc = put_object(r, object, bt ? NULL : &first);
	if (rc != TT_OK || over(r))
		return rc;
	rc = tt_batch_room(b, 2, r->err);
	if (rc != TT_OK)
		return rc;
	struct tt_event *e = &b->ev[b->n++];
	*e = (struct tt_event){ .ts = now(r), .val = cls, .kind = TT_ALLOC, .dur = (uint32_t)size,
		.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX };
	if (unlikely(bt || size > UINT32_MAX || r->objects)) {
		e->dur = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
		e->flags = (uint8_t)((bt ? TT_F_STACK : 0) | (size > UINT32_MAX ? TT_F_WIDE : 0) |
		    (r->objects ? TT_F_OBJECT : 0));
		tt_batch_ext(r->b, e, (int64_t)size, first, n);
	}
	b->nalloc++;
	b->alloc_b += size;
	return TT_OK;
}

/* Return the time of a stack event. If the clock runs backwards, the last time is kept, so that no zone ends before it began. */
static int64_t
stack_time(struct mlpd_run *r)
{
	struct tt_batch *b = r->b;
	int64_t ts = now(r);

	if (ts < b->stack_from)
		b->stack_from = ts;
	if (ts < r->floor) {
		tt_loss_add(&b->loss, TT_LOST_CLOCK, 1, 0, b->at);
		ts = r->floor;
	}
	r->floor = b->stack_ts = ts;
	b->nstack++;
	return ts;
}

static int
ev_gc(struct mlpd_run *r)
{
	unsigned kind = (unsigned)byte_since(r, 13), gen = (unsigned)byte_since(r, 13);
	int64_t ts;

	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_GC, now(r), kind, r->err);
	if (!e)
		return r->err->code;
	e->dur = gen;
	switch (kind) {
	case TT_GC_PRE_STOP:
		ts = stack_time(r);
		tt_zone_begin_own(r->b, ts, TT_KEY_GC_PAUSE);
		tt_zone_begin_own(r->b, ts, TT_KEY_GC_STOP);
		return TT_OK;
	case TT_GC_STOPPED:
		return tt_zone_end(r->b, stack_time(r), TT_KEY_GC_STOP, 0, r->err);
	case TT_GC_START:
		tt_zone_begin_own(r->b, stack_time(r), TT_KEY_GC_GEN(gen));
		return TT_OK;
	case TT_GC_END:
		return tt_zone_end(r->b, stack_time(r), TT_KEY_GC_GEN(gen), 0, r->err);
	case TT_GC_RESTARTED:
		return tt_zone_end(r->b, stack_time(r), TT_KEY_GC_PAUSE, 0, r->err);
	default:
		return TT_OK;
	}
}

static int
ev_moves(struct mlpd_run *r)
{
	uint64_t n = take_u(r), first = 0;
	int rc = TT_OK;

	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	if (r->moves)
		rc = tt_batch_words(r->b, (size_t)n, &first, r->err);
	for (uint64_t i = 0; rc == TT_OK && i < n && r->p <= r->end; i++) {
		uint64_t o = take_obj(r);
		if (r->moves)
			r->b->word[first + i] = o;
	}
	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_GC_MOVE, now(r), n / 2, r->err);
	if (!e)
		return r->err->code;
	e->dur = (uint32_t)(n / 2);
	if (r->moves)
		tt_batch_ext(r->b, e, 0, first, n);
	return TT_OK;
}

static int
ev_handle(struct mlpd_run *r, bool gone, bool bt)
{
	uint64_t kind = take_u(r), handle = from_int(take_u(r)), first = 0, n = 0;
	uint64_t o = gone ? 0 : take_obj(r);
	int rc = bt ? take_stack(r, &first, &n) : TT_OK;

	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_HANDLE, now(r), handle, r->err);
	if (!e)
		return r->err->code;
	e->depth = kind < UINT16_MAX ? (uint16_t)kind : UINT16_MAX;
	e->flags = (uint8_t)((gone ? TT_F_END : 0) | (bt ? TT_F_STACK : 0));
	tt_batch_ext(r->b, e, (int64_t)o, first, n);
	return TT_OK;
}

static int
ev_finalize(struct mlpd_run *r, bool obj, bool end)
{
	uint64_t o = obj ? take_obj(r) : 0;

	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_FINALIZE, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->flags = end ? TT_F_END : 0;
	return TT_OK;
}

/* Add the start or end of a thread, which is usually in the thread's own buffer. */
static int
thread_life(struct mlpd_run *r, uint64_t tid, bool end)
{
	struct tt_event *e = tt_batch_rare(r->b, TT_THREAD, now(r), tid, r->err);

	if (!e)
		return r->err->code;
	e->flags = end ? TT_F_END : 0;
	return TT_OK;
}

/* True if the upper half of a record's first byte says that the record's subject was loaded, or began. */
static bool
is_load(unsigned x)
{
	return x == 0x20 || x == 0xa0;
}

/* Take the texts of definition ${d}, of the ${kind}; ${x}: what happens to it. */
static void
take_defined(struct mlpd_run *r, unsigned kind, unsigned x, struct tt_def *d)
{
	const unsigned v = r->m->version;

	switch (kind) {
	case MLPD_CLASS:
		d->kind = TT_DEF_CLASS;
		take_text(r, MLPD_TEXT_CLASS, &d->text, &d->len);
		break;
	case MLPD_IMAGE:
		d->kind = TT_DEF_IMAGE;
		take_text(r, MLPD_TEXT_IMAGE, &d->text, &d->len);
		if (v >= 16 && is_load(x))
			take_text(r, MLPD_TEXT_ID, &d->text2, &d->len2);
		break;
	case MLPD_ASSEMBLY:
		d->kind = TT_DEF_ASSEMBLY;
		take_text(r, MLPD_TEXT_ASSEMBLY, &d->text, &d->len);
		break;
	case MLPD_DOMAIN:
	case MLPD_THREAD:
		d->kind = kind == MLPD_DOMAIN ? TT_DEF_DOMAIN : TT_DEF_THREAD;
		if (x == 0)
			take_text(r, kind == MLPD_DOMAIN ? MLPD_TEXT_DOMAIN : MLPD_TEXT_THREAD, &d->text, &d->len);
		break;
	case MLPD_CONTEXT:
		d->kind = TT_DEF_CONTEXT;
		d->a = take_ptr(r);
		break;
	case MLPD_VTABLE:
		r->bad = r->bad || v < 15;
		d->kind = TT_DEF_VTABLE;
		d->a = take_ptr(r);
		d->b = take_ptr(r);
		break;
	default:
		r->bad = true;
	}
}

static int
ev_metadata(struct mlpd_run *r, unsigned tag)
{
	const unsigned v = r->m->version, x = tag & 0xf0, kind = take_u8(r);
	struct tt_def d = { .ts = now(r) };

	d.key = take_ptr(r);
	if (kind == MLPD_CLASS || (kind == MLPD_ASSEMBLY && v >= 14))
		d.a = take_ptr(r);
	if (v <= 12 && kind >= MLPD_CLASS && kind <= MLPD_CONTEXT)
		take_u(r);
	take_defined(r, kind, x, &d);
	if (over(r))
		return TT_OK;
	if (kind == MLPD_THREAD && x != 0)
		return thread_life(r, d.key, !is_load(x));
	if (x == 0x40) {
		struct tt_event *e = tt_batch_rare(r->b, TT_META, d.ts, d.key, r->err);
		if (e)
			e->depth = d.kind;
		return e ? TT_OK : r->err->code;
	}
	return tt_batch_def(r->b, &d, r->err);
}

static int
ev_jit(struct mlpd_run *r)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = now(r), .key = take_method(r) };

	d.a = take_ptr(r);
	d.b = from_int(take_u(r));
	take_text(r, MLPD_TEXT_METHOD, &d.text, &d.len);
	return over(r) ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
ev_throw(struct mlpd_run *r, bool bt)
{
	uint64_t o = take_obj(r), first = 0, n = 0;
	int rc = bt ? take_stack(r, &first, &n) : TT_OK;

	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_THROW, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->flags = bt ? TT_F_STACK : 0;
	tt_batch_ext(r->b, e, 0, first, n);
	tt_zone_begin_own(r->b, stack_time(r), TT_KEY_EXCEPTION);
	return TT_OK;
}

static int
ev_clause(struct mlpd_run *r)
{
	uint64_t kind = byte_since(r, 13), index = take_u(r), method = take_method(r), o = 0;

	if (r->m->version >= 14)
		o = take_obj(r);
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_CLAUSE, now(r), method, r->err);
	if (!e)
		return r->err->code;
	e->depth = kind < UINT16_MAX ? (uint16_t)kind : UINT16_MAX;
	e->dur = (uint32_t)index;
	tt_batch_ext(r->b, e, (int64_t)o, 0, 0);
	if (kind != TT_CLAUSE_CATCH)
		return TT_OK;
	return tt_zone_end(r->b, stack_time(r), TT_KEY_EXCEPTION, 0, r->err);
}

static int
ev_monitor(struct mlpd_run *r, unsigned tag)
{
	unsigned event = r->m->version >= 14 ? take_u8(r) : (tag >> 4) & 3;
	uint64_t o = take_obj(r), first = 0, n = 0;
	int rc = (tag & 0x80) ? take_stack(r, &first, &n) : TT_OK;

	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_MONITOR, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)event;
	e->flags = tag & 0x80 ? TT_F_STACK : 0;
	tt_batch_ext(r->b, e, 0, first, n);
	if (event == TT_MONITOR_CONTEND)
		tt_zone_begin_own(r->b, stack_time(r), TT_KEY_CONTENTION);
	else if (event == TT_MONITOR_ACQUIRED || event == TT_MONITOR_FAILED)
		rc = tt_zone_end(r->b, stack_time(r), TT_KEY_CONTENTION, 0, r->err);
	return rc;
}

static int
ev_shot(struct mlpd_run *r, bool end)
{
	struct tt_event *e;
	int rc = tt_heap_flush(r->b, now(r), r->err);

	if (rc != TT_OK || over(r))
		return rc;
	e = tt_batch_rare(r->b, TT_HEAP_SHOT, now(r), 0, r->err);
	if (!e)
		return r->err->code;
	e->flags = end ? TT_F_END : 0;
	return TT_OK;
}

static int
ev_root(struct mlpd_run *r, bool del)
{
	uint64_t start = take_ptr(r), size = 0, key = 0;
	unsigned source = 0;
	const char *t = "";
	uint32_t len = 0;

	if (!del) {
		size = take_u(r);
		source = take_u8(r);
		key = take_ptr(r);
		take_text(r, MLPD_TEXT_ROOT, &t, &len);
	}
	if (over(r) || !(r->heap || r->graph))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_ROOT, now(r), start, r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)source;
	e->flags = del ? TT_F_END : 0;
	tt_batch_ext(r->b, e, (int64_t)size, key, 0);
	return del ? TT_OK : take_text_arg(r, t, len);
}

/* Add a hit of the sampling profiler. The record names the thread, as the profiler's own thread writes hits, unordered in time. */
static int
ev_hit(struct mlpd_run *r)
{
	unsigned v = r->m->version;
	uint64_t tid = r->b->tid, ip = 0, first = 0;
	int64_t ts = now(r);
	int rc;

	if (v <= 12) {
		take_u(r);
		ts = (int64_t)(take_u(r) - (uint64_t)r->zero);
		if (v >= 11)
			tid = take_ptr(r);
	} else {
		if (v == 13)
			take_u8(r);
		tid = take_ptr(r);
	}
	uint64_t nip = take_u(r);
	for (uint64_t i = 0; i < nip && !over(r); i++) {
		uint64_t one = take_ptr(r);
		if (i == 0)
			ip = one;
	}
	uint64_t n = v >= 6 ? take_u(r) : 0;
	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	rc = tt_batch_words(r->b, (size_t)n, &first, r->err);
	if (rc != TT_OK)
		return rc;
	for (uint64_t i = 0; i < n && r->p <= r->end; i++) {
		uint64_t method = take_method(r);
		if (v < 13) {
			take_s(r);
			take_s(r);
		}
		r->b->word[first + n - 1 - i] = method;       /* the file begins with the leaf */
	}
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_SAMPLE, ts, ip, r->err);
	if (!e)
		return r->err->code;
	e->dur = (uint32_t)n;
	e->flags = TT_F_STACK;
	tt_batch_ext(r->b, e, (int64_t)tid, first, n);
	tt_batch_time(r->b, ts);
	return TT_OK;
}

static int
ev_symbol(struct mlpd_run *r, bool binary)
{
	unsigned v = r->m->version;
	struct tt_def d = { .kind = binary ? TT_DEF_BINARY : TT_DEF_SYMBOL, .ts = now(r) };

	d.key = binary && v < 14 ? take_s(r) : take_ptr(r);
	d.a = take_u(r);
	if (binary)
		d.b = take_u(r);
	else
		d.a = from_int(d.a);
	take_text(r, binary ? MLPD_TEXT_FILE : MLPD_TEXT_FUNCTION, &d.text, &d.len);
	return over(r) ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
ev_counter_desc(struct mlpd_run *r)
{
	bool small = r->m->version == 13 || r->m->version == 14;
	uint64_t n = take_u(r);
	int rc = TT_OK;

	for (uint64_t i = 0; i < n && rc == TT_OK && !over(r); i++) {
		struct tt_def d = { .kind = TT_DEF_COUNTER, .ts = now(r) };
		uint64_t section = take_u(r);
		if (section == MONO_SECTION_CUSTOM)
			take_text(r, MLPD_TEXT_OWN_COUNTER, &d.text2, &d.len2);
		take_text(r, mono_section(section) ? MLPD_TEXT_COUNTER : MLPD_TEXT_OWN_COUNTER, &d.text, &d.len);
		uint64_t type = small ? take_u8(r) : take_u(r);
		uint64_t unit = small ? take_u8(r) : take_u(r);
		uint64_t variance = small ? take_u8(r) : take_u(r);
		d.key = take_u(r);
		mono_counter(&d, section, type, unit, variance);
		if (!over(r))
			rc = tt_batch_def(r->b, &d, r->err);
	}
	return rc;
}

/* A counter's value: its type, and its bits or its text. */
struct counted {
	enum tt_type as;
	uint64_t bits;
	const char *text;
	uint32_t len;
};

static struct counted
take_counted(struct mlpd_run *r, uint64_t type)
{
	struct counted c = { .as = TT_T_I64, .text = "" };

	switch (type) {
	case 0: case 2: case 3: case 7:
		c.bits = take_s(r);
		break;
	case 1: case 4:
		c.bits = take_u(r);
		c.as = TT_T_U64;
		break;
	case 5:
		c.as = TT_T_F64;
		if (left(r) < 8) {
			r->bad = true;
			break;
		}
		c.bits = mlpd_u64(r->p);
		r->p += 8;
		break;
	case 6:
		c.as = TT_T_TEXT;
		if (take_u8(r))
			take_text(r, MLPD_TEXT_VALUE, &c.text, &c.len);
		break;
	default:
		r->bad = true;
	}
	return c;
}

static int
ev_counter_values(struct mlpd_run *r)
{
	const unsigned v = r->m->version;
	int64_t ts = v >= 13 ? now(r) : (int64_t)(take_u(r) * 1000000u);
	uint64_t index;
	int rc = TT_OK;

	if (v >= 13 && r->time == 0)
		ts = r->b->min_ts;

	while (rc == TT_OK && (index = take_u(r)) != 0 && !over(r)) {
		const struct counted c = take_counted(r, v == 13 || v == 14 ? take_u8(r) : take_u(r));
		if (over(r))
			return TT_OK;
		struct tt_event *e = tt_batch_rare(r->b, TT_COUNTER, ts, c.bits, r->err);
		if (!e)
			return r->err->code;
		e->dur = (uint32_t)index;
		e->depth = (uint16_t)c.as;
		e->flags = c.as == TT_T_TEXT ? TT_F_MORE : c.as == TT_T_F64 ? 0 : TT_F_DELTA;
		if (c.as == TT_T_TEXT)
			rc = take_text_arg(r, c.text, c.len);
		if (rc == TT_OK)
			tt_batch_time(r->b, ts);
	}
	return rc;
}

static int
ev_jithelper(struct mlpd_run *r)
{
	uint64_t kind = byte_since(r, 13), start, size;
	const char *t = "";
	uint32_t len = 0;

	if (r->m->version <= 13)
		kind--;
	start = take_ptr(r);
	size = from_int(take_u(r));
	if (kind == 5)
		take_text(r, MLPD_TEXT_HELPER, &t, &len);
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
	return take_text_arg(r, t, len);
}

/* Take the texts and numbers of a coverage record, in order. */
static int
ev_coverage(struct mlpd_run *r, unsigned what)
{
	static const struct { uint8_t texts, numbers, text[5]; } shape[4] = {
		{ 3, 3, { MLPD_TEXT_ASSEMBLY, MLPD_TEXT_ID, MLPD_TEXT_IMAGE } },
		{ 5, 3, { MLPD_TEXT_ASSEMBLY, MLPD_TEXT_CLASS, MLPD_TEXT_MEMBER, MLPD_TEXT_TYPES, MLPD_TEXT_FILE } },
		{ 0, 5, { 0 } },
		{ 2, 3, { MLPD_TEXT_ASSEMBLY, MLPD_TEXT_CLASS } },
	};
	const char *t[5] = { 0 };
	uint32_t len[5] = { 0 };
	uint64_t num[5] = { 0 };
	unsigned nt = shape[what].texts, nn = shape[what].numbers;

	for (unsigned i = 0; i < nt; i++)
		take_text(r, shape[what].text[i], &t[i], &len[i]);
	for (unsigned i = 0; i < nn; i++)
		num[i] = take_u(r);
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, TT_COVERAGE, now(r), num[0], r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)what;
	e->flags = TT_F_MORE;
	int rc = TT_OK;
	for (unsigned i = 0; i < nt && rc == TT_OK; i++)
		rc = take_text_arg(r, t[i], len[i]);
	for (unsigned i = 0; i < nn && rc == TT_OK; i++) {
		rc = tt_batch_room(r->b, 1, r->err);
		if (rc == TT_OK)
			r->b->ev[r->b->n++] = (struct tt_event){ .kind = TT_ARG, .val = num[i], .depth = TT_T_U64 };
	}
	return rc;
}

/* Decode a call that the hot loop does not take: at the end of the chunk, or with numbers of unusual length. */
static int
ev_call(struct mlpd_run *r, unsigned tag)
{
	take_method(r);
	if (over(r))
		return TT_OK;
	if (tag != MLPD_ENTER)
		return tt_zone_end(r->b, stack_time(r), r->method, tag == MLPD_EXC_LEAVE ? TT_F_UNWIND : 0, r->err);
	tt_zone_begin(r->b, stack_time(r), r->method, 0);
	return TT_OK;
}

static int
ev_plain(struct mlpd_run *r, enum tt_kind kind, uint64_t val, unsigned flags)
{
	if (over(r))
		return TT_OK;
	struct tt_event *e = tt_batch_rare(r->b, kind, now(r), val, r->err);
	if (!e)
		return r->err->code;
	e->flags = (uint8_t)flags;
	return TT_OK;
}

/* True if the data version ${v} has the event: some events were added or removed, and their tags mean nothing in other versions. */
static bool
in_version(unsigned v, unsigned tag)
{
	switch (tag & 0x0f) {
	case MLPD_MONITOR:
		return v >= 14 ? (tag & 0x70) == 0 : (tag & 0x40) == 0 && (tag & 0x30) != 0;
	case MLPD_COVERAGE:
		return v >= 10 && v <= 15;
	case MLPD_META:
		return v >= (tag == MLPD_AOT_ID ? 16 : 13);
	default:
		return tag != MLPD_UBIN || v <= 15;
	}
}

int
mlpd_event(struct mlpd_run *r, unsigned tag, bool *unknown)
{
	unsigned v = r->m->version;
	int rc;

	if (!in_version(v, tag)) {
		*unknown = true;
		return TT_OK;
	}
	switch (tag) {
	case MLPD_HEAP_OBJECT: case MLPD_HEAP_ROOTS: case MLPD_USYM: case MLPD_COUNTER_DESC:
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
	case MLPD_GC_RESIZE: return ev_plain(r, TT_GC_HEAP, take_u(r), 0);
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
	case MLPD_HEAP_BEGIN: return ev_shot(r, false);
	case MLPD_HEAP_END: return ev_shot(r, true);
	case MLPD_HEAP_OBJECT: return mlpd_shot_object(r);
	case MLPD_HEAP_ROOTS: return mlpd_shot_roots(r);
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
			r->b->ev[r->b->n - 1].depth = (uint16_t)take_u8(r);
		return rc;
	case MLPD_AOT_ID: {
		const char *t;
		uint32_t len;
		take_text(r, MLPD_TEXT_ID, &t, &len);
		return TT_OK;
	}
	default:
		if ((tag & 0x0f) == MLPD_MONITOR)
			return ev_monitor(r, tag);
		*unknown = true;
		return TT_OK;
	}
}
