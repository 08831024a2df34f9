/**
 * One chunk: samples, frames, allocations, flows, counters. Pure: it knows the chunk and the opened capture, and changes neither.
 *
 * The bytes may be wrong: nonsense is counted in the batch's ledger, with the rest of its block, and the only error is lack of memory.
 */
#include "raw/raw.h"

#include "base/utf8.h"
#include "model/zones.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define DAY (INT64_C(86400) * 1000000000)
#define YEAR (366 * DAY)

/* --- time -------------------------------------------------------------------------------------------------- */

/* The time of a message. False: it is none. A stream's times never run back; where they do they stand still. */
static bool
stamp(struct raw_run *r, uint64_t ticks, int64_t *ts)
{
	int64_t t = raw_ns(r->s, ticks);

	if (r->last == INT64_MIN ? t < -YEAR || t > YEAR : t < r->last - DAY || t > r->last + DAY)
		return false;
	if (t < r->from)
		r->from = t;
	if (unlikely(t < r->last)) {
		tt_loss_add(&r->b->loss, TT_LOST_CLOCK, 1, 0, r->b->at);
		t = r->last;
	}
	tt_batch_time(r->b, t);
	*ts = r->last = t;
	return true;
}

static struct tt_event *
rare(struct raw_run *r, enum tt_kind kind, uint64_t val)
{
	return tt_batch_rare(r->b, kind, raw_now(r), val, r->err);
}

/* --- values --------------------------------------------------------------------------------------------------- */

/* A number as the model has it; false: it is none. */
static bool
number(const struct raw_arg *v, enum tt_type *type, uint64_t *bits)
{
	float f;
	double d;

	*bits = v->bits;
	switch (v->type) {
	case RAW_V_INSTANCE: case RAW_V_I32:
		*bits = (uint64_t)(int64_t)(int32_t)(uint32_t)v->bits;
		*type = TT_T_I64;
		return true;
	case RAW_V_I64:
		*type = TT_T_I64;
		return true;
	case RAW_V_U32: case RAW_V_U64: case RAW_V_GFX: case RAW_V_ENTITY:
		*type = TT_T_U64;
		return true;
	case RAW_V_F32:
		memcpy(&f, v->p, 4);
		d = (double)f;
		memcpy(bits, &d, 8);
		*type = TT_T_F64;
		return true;
	case RAW_V_F64:
		*type = TT_T_F64;
		return true;
	default:
		return false;
	}
}

/* A text into the batch's buffer, from ${at} on. */
static int
put_text(struct raw_run *r, const struct raw_arg *v, size_t *at)
{
	struct tt_buf *to = &r->b->text;
	int rc;

	*at = to->n;
	if (v->n == 0)
		return TT_OK;
	if (v->type != RAW_V_TEXT16)
		tt_buf_add(to, v->p, v->n);
	rc = v->type == RAW_V_TEXT16 ? tt_utf8_from16(to, v->p, v->n, r->err) : tt_buf_error(to, r->err);
	while (rc == TT_OK && v->type != RAW_V_BLOB && v->type != RAW_V_VEC3 && to->n > *at && to->p[to->n - 1] == '\0')
		to->n--;
	return rc;
}

/* A value as an argument of the event at ${of}, which is followed by nothing but arguments. */
static int
put_arg(struct raw_run *r, size_t of, const struct raw_arg *v)
{
	struct tt_batch *b = r->b;
	enum tt_type type;
	uint64_t bits;
	size_t at = 0, n = 0;
	int rc = tt_batch_room(b, 2, r->err);

	if (rc == TT_OK && !number(v, &type, &bits)) {
		type = v->type == RAW_V_TEXT || v->type == RAW_V_TEXT16 ? TT_T_TEXT : TT_T_BLOB;
		rc = put_text(r, v, &at);
		bits = at;
		n = b->text.n - at;
	}
	if (rc != TT_OK)
		return rc;
	b->ev[b->n++] = (struct tt_event){ .kind = TT_ARG, .val = bits, .dur = (uint32_t)n, .depth = (uint16_t)type };
	b->ev[of].flags |= TT_F_MORE;
	return TT_OK;
}

/* What came with a sample, as arguments of the event at ${of}: its instance id, or its values. */
static int
put_args(struct raw_run *r, size_t of, unsigned type, struct raw_take t)
{
	struct raw_arg v = { .type = RAW_V_INSTANCE };
	int rc = TT_OK;

	if (!(r->b->needs & TT_NEEDS_ARGS) || type < RAW_BEGIN_ID)
		return TT_OK;
	if (type < RAW_BEGIN_ARGS) {
		v.bits = r->s->layout.wide ? raw_take64(&t) : raw_take32(&t);
		v.type = r->s->layout.wide ? RAW_V_I64 : RAW_V_INSTANCE;
		return v.bits ? put_arg(r, of, &v) : TT_OK;
	}
	for (unsigned n = raw_take_byte(&t); n > 0 && rc == TT_OK && t.state == RAW_WHOLE; n--) {
		raw_take_value(&t, &v);
		if (t.state == RAW_WHOLE)
			rc = put_arg(r, of, &v);
	}
	return rc;
}

/* The first value; false: there is none. */
static bool
first_value(unsigned type, struct raw_take t, struct raw_arg *v)
{
	if (type < RAW_BEGIN_ARGS || raw_take_byte(&t) == 0)
		return false;
	raw_take_value(&t, v);
	return t.state == RAW_WHOLE;
}

/* --- samples --------------------------------------------------------------------------------------------------- */

static void
count_call(struct raw_run *r, int64_t ts)
{
	r->call_ts = ts;
	r->calls++;
}

static int
begin(struct raw_run *r, int64_t ts, uint64_t key, unsigned type, const struct raw_take *t)
{
	int rc = tt_batch_room(r->b, 4, r->err);
	size_t at = r->b->n;

	if (rc != TT_OK)
		return rc;
	tt_zone_begin(r->b, ts, key, 0);
	count_call(r, ts);
	return put_args(r, at, type, *t);
}

static int
end(struct raw_run *r, int64_t ts, uint64_t key)
{
	struct tt_batch *b = r->b;
	int rc;

	if (b->depth == 0 && r->emptied) {
		tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, b->at);
		return TT_OK;
	}
	count_call(r, ts);
	rc = tt_batch_room(b, 4, r->err);
	return rc == TT_OK ? tt_zone_end(b, ts, key, 0, r->err) : rc;
}

/* All that is open ends: a frame begins anew on this thread, with its root. */
static int
close_all(struct raw_run *r, int64_t ts)
{
	struct tt_batch *b = r->b;
	struct tt_event *e;
	int rc;

	while (b->depth > 0) {
		struct tt_event *top = &b->ev[b->open[b->depth - 1]];
		top->flags |= TT_F_POPPED;
		tt_loss_add(&b->loss, TT_LOST_POPPED, 1, 0, b->at);
		if ((rc = end(r, ts, top->val)) != TT_OK)
			return rc;
	}
	if (r->emptied)
		return TT_OK;
	if (!(e = rare(r, TT_GAP, 0)))
		return r->err->code;
	e->flags = TT_F_POPPED;
	r->emptied = true;
	if (b->base)
		b->base->n = 0;
	return TT_OK;
}

static int
alloc(struct raw_run *r, uint64_t key, uint64_t bytes)
{
	struct tt_batch *b = r->b;
	int rc = tt_batch_room(b, 4, r->err);

	if (rc != TT_OK)
		return rc;
	r->alloc = b->n + 1;
	b->ev[b->n++] = (struct tt_event){ .ts = raw_now(r), .val = key, .dur = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
		.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX, .kind = TT_ALLOC };
	if (bytes > UINT32_MAX) {
		b->ev[b->n - 1].flags = TT_F_WIDE | TT_F_MORE;
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	}
	b->nalloc++;
	b->alloc_b += bytes;
	return TT_OK;
}

/* GC.Alloc with its size is an allocation and no zone; its end means nothing. Without one it is a zone like any other. */
static bool
alloc_bytes(unsigned type, const struct raw_take *t, uint64_t *bytes)
{
	struct raw_arg v;

	if (!first_value(type, *t, &v) || v.type < RAW_V_I32 || v.type > RAW_V_U64)
		return false;
	*bytes = v.type == RAW_V_I32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)v.bits : v.bits;
	return *bytes <= INT64_MAX;
}

/* The key of a zone that is named by its second value, and the definition of that name. *${named} false: there is no such value. */
static int
label(struct raw_run *r, uint32_t id, struct raw_take t, uint64_t *key, struct raw_arg *instance, bool *named)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = INT64_MIN / 4, .b = raw_key(r, id), .flags = 1 };
	struct raw_arg text, category = { 0 };
	uint64_t hash = 14695981039346656037u;
	unsigned n = raw_take_byte(&t);
	size_t at;
	int rc;

	*named = false;
	if (n < 2)
		return TT_OK;
	raw_take_value(&t, instance);
	raw_take_value(&t, &text);
	if (n > 2)
		raw_take_value(&t, &category);
	if (t.state != RAW_WHOLE || (text.type != RAW_V_TEXT && text.type != RAW_V_TEXT16) || text.n == 0)
		return TT_OK;
	if ((rc = put_text(r, &text, &at)) != TT_OK)
		return rc;
	for (size_t i = at; i < r->b->text.n; i++)
		hash = (hash ^ (uint8_t)r->b->text.p[i]) * 1099511628211u;
	d.a = category.type == RAW_V_U32 || category.type == RAW_V_I32 ? RAW_KEY_CATEGORY(r->s->number, category.bits & UINT16_MAX) : 0;
	hash = (hash ^ d.a) * 1099511628211u;
	*key = d.key = RAW_KEY_LABEL | ((uint64_t)id & 0xffff) << 44 | (hash >> 20);
	*named = r->texts = true;
	/* Most are what they were just before. */
	uint64_t *seen = &r->native[hash >> 58];
	if (*seen == d.key) {
		r->b->text.n = at;
		return TT_OK;
	}
	*seen = d.key;
	return raw_text_def(r, &d, at);
}

/* The innermost open zone that marker ${id} named; 0: none. It may be one from before the chunk, if that is known here. */
static uint64_t
label_open(const struct raw_run *r, uint32_t id)
{
	const struct tt_batch *b = r->b;
	const uint64_t is = RAW_KEY_LABEL >> 44 | (id & 0xffff);
	enum { LOOK = 256 };          /* levels */

	for (size_t i = b->depth; i > 0 && b->depth - i < LOOK; i--)
		if (b->ev[b->open[i - 1]].val >> 44 == is)
			return b->ev[b->open[i - 1]].val;
	for (size_t n = b->base && !r->emptied ? b->base->n : 0, i = n; i > 0 && n - i < LOOK; i--)
		if (b->base->z[i - 1].key >> 44 == is)
			return b->base->z[i - 1].key;
	return 0;
}

static bool
is_label(const struct raw_session *s, uint32_t id)
{
	return id == s->label[0] || id == s->label[1];
}

static int
begin_special(struct raw_run *r, int64_t ts, uint32_t id, unsigned type, const struct raw_take *t)
{
	const struct raw_session *s = r->s;
	uint64_t key = raw_key(r, id), bytes;
	struct raw_arg instance;
	bool named;
	int rc = TT_OK;

	if (id == s->alloc && alloc_bytes(type, t, &bytes))
		return alloc(r, key, bytes);
	if (id == r->h->root)
		rc = close_all(r, ts);
	if (rc == TT_OK && id == s->collect && !tt_batch_rare(r->b, TT_GC, ts, TT_GC_START, r->err))
		rc = r->err->code;
	if (rc != TT_OK)
		return rc;
	if (!is_label(s, id) || type != RAW_BEGIN_ARGS)
		return begin(r, ts, key, type, t);
	if ((rc = label(r, id, *t, &key, &instance, &named)) != TT_OK)
		return rc;
	if (!named)
		return begin(r, ts, key, type, t);
	size_t at = r->b->n;
	rc = begin(r, ts, key, RAW_BEGIN, t);
	return rc == TT_OK && instance.bits && (r->b->needs & TT_NEEDS_ARGS) ? put_arg(r, at, &instance) : rc;
}

static int
end_special(struct raw_run *r, int64_t ts, uint32_t id)
{
	uint64_t key = raw_key(r, id), open;
	int rc;

	if (id == r->s->alloc && (r->b->depth == 0 || r->b->ev[r->b->open[r->b->depth - 1]].val != key))
		return TT_OK;
	if (is_label(r->s, id)) {
		if ((open = label_open(r, id)))
			key = open;
		else if (!r->b->base && !r->emptied)
			r->from = INT64_MIN / 2;      /* ask for the chunk once more, with what was open before it */
	}
	rc = end(r, ts, key);
	if (rc == TT_OK && id == r->s->collect && !tt_batch_rare(r->b, TT_GC, ts, TT_GC_END, r->err))
		rc = r->err->code;
	return rc;
}

static int
single(struct raw_run *r, uint32_t id, unsigned type, const struct raw_take *t)
{
	struct raw_arg v;
	enum tt_type as;
	uint64_t bits, bytes;
	struct tt_event *e;

	if (id == r->s->alloc && alloc_bytes(type, t, &bytes))
		return alloc(r, raw_key(r, id), bytes);
	if (r->s->counters && first_value(type, *t, &v) && number(&v, &as, &bits)) {
		raw_lock(r);
		if (raw_is_counter(r->m, r->s->number, id, r->seq)) {
			if (!(e = rare(r, TT_COUNTER, bits)))
				return r->err->code;
			e->dur = RAW_COUNTER(r->s->number, id);
			e->depth = (uint16_t)as;
			return TT_OK;
		}
	}
	if (!(e = rare(r, TT_INSTANT, raw_key(r, id))))
		return r->err->code;
	return put_args(r, (size_t)(e - r->b->ev), type, *t);
}

/* A sample of any form. False: it makes no sense. */
static bool
sample(struct raw_run *r, unsigned type, struct raw_take *t, int *rc)
{
	int64_t ts;

	raw_take_byte(t);
	uint32_t id = raw_take32(t);
	uint64_t ticks = raw_take64(t);
	if (id >= r->s->ids || !stamp(r, ticks, &ts))
		return false;
	bool special = r->special >> (id & 63) & 1;
	switch ((type - RAW_BEGIN) % 3) {
	case 0:
		*rc = special ? begin_special(r, ts, id, type, t) : begin(r, ts, raw_key(r, id), type, t);
		break;
	case 1:
		*rc = special ? end_special(r, ts, id) : end(r, ts, raw_key(r, id));
		break;
	default:
		*rc = single(r, id, type, t);
		break;
	}
	return true;
}

/* --- other messages ---------------------------------------------------------------------------------------------- */

/* The stack of the allocation just before, outermost call first; the file has the innermost first. */
static int
stack(struct raw_run *r, struct raw_take *t)
{
	struct tt_batch *b = r->b;
	uint64_t first;
	unsigned n;

	raw_take32(t);
	const uint8_t *p = raw_take_stack(t, &n);
	size_t at = r->alloc - 1;
	bool wide = r->alloc && (b->ev[at].flags & TT_F_WIDE);
	if (r->alloc == 0 || b->n != at + (wide ? 2 : 1) || n == 0)
		return TT_OK;
	int rc = tt_batch_words(b, n, &first, r->err);
	if (rc != TT_OK || (rc = tt_batch_room(b, 2, r->err)) != TT_OK)
		return rc;
	for (unsigned i = 0; i < n; i++)
		if (!(b->word[first + n - 1 - i] = raw_code_key(r, raw_u64(p + 8 * (size_t)i))))
			return r->err->code;
	if (!wide)
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = b->ev[at].dur };
	b->ev[at].flags |= TT_F_MORE | TT_F_STACK;
	b->ev[at + 1].val = first;
	b->ev[at + 1].dur = n;
	return TT_OK;
}

static int
flow(struct raw_run *r, struct raw_take *t)
{
	unsigned kind = raw_take_byte(t);
	struct tt_event *e = rare(r, TT_FLOW, raw_take32(t));

	if (!e)
		return r->err->code;
	e->depth = (uint16_t)kind;
	e->flags = kind == TT_FLOW_PARALLEL || kind == TT_FLOW_SEQUENTIAL ? TT_F_NEXT : 0;
	return TT_OK;
}

/* What a part of drawing took on the GPU. To which sample it belongs is said by its number alone, and it comes frames later. */
static int
gpu(struct raw_run *r, struct raw_take *t)
{
	static const char *const name[] = { "GPU Other Time", "GPU Opaque Time", "GPU Transparent Time", "GPU Shadows Time",
		"GPU Deferred Pre-Pass Time", "GPU Deferred Lighting Time", "GPU Motion Vectors Time", "GPU Post-Process Time" };
	struct tt_event *e;

	raw_take32(t);
	uint64_t ns = (uint64_t)raw_take32(t) * 1000;
	unsigned section = raw_take_byte(t);
	section = section < sizeof name / sizeof *name ? section : 0;
	if (!(e = rare(r, TT_COUNTER, ns)))
		return r->err->code;
	e->dur = RAW_COUNTER_GPU | section;
	e->depth = TT_T_U64;
	r->texts = true;
	return raw_define_counter(r, RAW_COUNTER_GPU | section, TT_CU_NS, name[section], strlen(name[section]), "GPU");
}

/* Before 2018.3: bytes of the sample that is open. */
static int
old_alloc(struct raw_run *r, struct raw_take *t)
{
	static const char name[] = "GC.Alloc";
	struct tt_def d = { .kind = TT_DEF_CLASS, .ts = INT64_MIN / 4, .key = raw_key(r, RAW_NONE), .text = name, .len = sizeof name - 1 };
	int rc = r->s->layout.rank <= 3 ? alloc(r, d.key, raw_take32(t)) : TT_OK;

	r->texts = true;
	return rc == TT_OK && r->s->layout.rank <= 3 ? tt_batch_def(r->b, &d, r->err) : rc;
}

static int
frame(struct raw_run *r, struct raw_take *t, bool *sane)
{
	uint32_t index = raw_take32(t);
	int64_t ts;

	if (!(*sane = stamp(r, raw_take64(t), &ts)) || r->h->stream != r->s->main)
		return TT_OK;
	return rare(r, TT_FRAME, index) ? TT_OK : r->err->code;
}

static int
thread_ends(struct raw_run *r)
{
	struct tt_event *e;

	if (!(e = rare(r, TT_THREAD, r->b->tid)))
		return r->err->code;
	e->flags = TT_F_END;
	return TT_OK;
}

static int
statistics(struct raw_run *r, struct raw_take *t)
{
	if (r->s->layout.rank >= 4)
		raw_take32(t);
	uint32_t n = raw_take32(t);
	const uint8_t *p = raw_bytes(t, 4 * (size_t)n);
	r->texts = true;
	return p ? raw_stats(r, p, n) : TT_OK;
}

/* A whole message; *${sane} is false where its values make no sense. */
static int
message(struct raw_run *r, const struct raw_walk *w, bool *sane)
{
	struct raw_take t = { .p = w->p, .end = w->p + w->size, .from = w->p, .l = &r->s->layout };
	unsigned type = raw_take16(&t);
	int rc = TT_OK;

	*sane = true;
	raw_pad(&t);
	if (type >= RAW_BEGIN && type <= RAW_SINGLE_ARGS) {
		*sane = sample(r, type, &t, &rc);
		return rc;
	}
	switch (type) {
	case RAW_CALLSTACK:
		r->texts = true;
		return stack(r, &t);
	case RAW_FRAME:
		return frame(r, &t, sane);
	case RAW_FLOW:
		return flow(r, &t);
	case RAW_GPU:
		return gpu(r, &t);
	case RAW_STATS:
		return statistics(r, &t);
	case RAW_OLD_ALLOC:
		return old_alloc(r, &t);
	case RAW_CLEANUP:
		*sane = stamp(r, raw_take64(&t), &(int64_t){ 0 });
		return *sane ? thread_ends(r) : TT_OK;
	default:
		return raw_define(r, type, &t);
	}
}

/* --- the chunk ----------------------------------------------------------------------------------------------------- */

/* What comes to be between two pieces: something is missing, or frames are. */
static int
arrive(struct raw_run *r, uint32_t flags)
{
	struct tt_event *e;

	if (!(flags & (RAW_P_GAP | RAW_P_LOST)))
		return TT_OK;
	if (!(e = rare(r, TT_GAP, 0)))
		return r->err->code;
	/* Blocks are missing, but the file says what goes on; nobody knows what was between two frames. */
	e->flags = flags & RAW_P_LOST ? TT_F_BASE : TT_F_CONT;
	if (flags & RAW_P_LOST && r->b->base)
		r->b->base->n = 0;
	return TT_OK;
}

/* What does not fit makes zones of the chunk that are open end before a gap that closes them. */
static int
leave_open(struct raw_run *r)
{
	struct tt_batch *b = r->b;
	int rc;

	b->cut += b->depth;
	while (b->depth > 0)
		if ((rc = tt_zone_end_slow(b, raw_now(r), b->ev[b->open[b->depth - 1]].val, 0, r->err)) != TT_OK)
			return rc;
	return TT_OK;
}

/* The time of the chunk's first message that has one. */
static bool
first_time(const struct raw_run *r, struct raw_walk w, int64_t *ts)
{
	const unsigned at = r->s->layout.aligned ? 4 : 2, of_sample = at + (r->s->layout.aligned ? 8 : 5);

	for (unsigned i = 0; i < 64; i++) {
		enum raw_step step = raw_walk_next(&w);
		if (step == RAW_DROPPED)
			continue;
		if (step != RAW_MESSAGE)
			return false;
		unsigned type = raw_u16(w.p);
		if (type == RAW_FRAME || (type >= RAW_BEGIN && type <= RAW_SINGLE_ARGS)) {
			*ts = raw_ns(r->s, raw_u64(w.p + (type == RAW_FRAME ? at + 4 : of_sample)));
			return *ts > -YEAR && *ts < YEAR;
		}
		w.p += w.size;
	}
	return false;
}

/* The thread begins, or is another from here on. */
static int
thread_begins(struct raw_run *r, const struct raw_walk *w)
{
	struct tt_event *e;
	int64_t ts;

	if (!(r->h->flags & (RAW_H_FIRST | RAW_H_NEW_THREAD)) || !first_time(r, *w, &ts))
		return TT_OK;
	tt_batch_time(r->b, ts);
	if (r->s->number > 0 && (r->h->flags & RAW_H_FIRST)) {
		if (!(e = tt_batch_rare(r->b, TT_GAP, ts, 0, r->err)))
			return r->err->code;
		e->flags = TT_F_BASE;
		r->emptied = true;
	}
	return tt_batch_rare(r->b, TT_THREAD, ts, r->b->tid, r->err) ? TT_OK : r->err->code;
}

/* Frames and what is missing, without looking at anything else: pieces say it. */
static int
skim(struct raw_run *r, const struct raw_piece *piece, const uint8_t *p)
{
	const unsigned at = r->s->layout.aligned ? 4 : 2;
	int64_t ts;

	for (uint32_t i = 0; i < r->h->npiece; p += piece[i++].len) {
		int rc = arrive(r, piece[i].flags);
		if (rc != TT_OK)
			return rc;
		if (!(piece[i].flags & RAW_P_FRAME) || piece[i].len < at + 12 || !stamp(r, raw_u64(p + at + 4), &ts))
			continue;
		if (r->h->stream == r->s->main && !rare(r, TT_FRAME, raw_u32(p + at)))
			return r->err->code;
	}
	return TT_OK;
}

/*
 * Begins and ends without anything besides, nearly all there is: as many as there are in a row, with what changes in registers. Stops before
 * any other message, and before any of these that is not as it should be.
 */
static uint64_t
hot(struct raw_run *r, struct raw_walk *w, int *rc)
{
	struct tt_batch *b = r->b;
	const struct raw_session *s = r->s;
	const bool aligned = s->layout.aligned;
	const size_t size = s->size[RAW_BEGIN], id_at = aligned ? 8 : 3, time_at = id_at + 4;
	const uint64_t keys = (uint64_t)s->number << 32, special = r->special;
	const uint8_t *p = w->p, *all = w->all;
	int64_t last = r->last;
	uint64_t n = 0, begun = 0;

	if (last == INT64_MIN || b->tally)
		return 0;
	for (; (size_t)(all - p) >= size; p += size) {
		const unsigned type = raw_u16(p) - RAW_BEGIN;
		const uint32_t id = raw_u32(p + id_at);
		if (unlikely(type > 1 || id >= s->ids || (special >> (id & 63) & 1)))
			break;
		const int64_t ts = raw_ns(s, raw_u64(p + time_at));
		if (unlikely(ts < last || ts - last > DAY))
			break;
		if (type == 0) {
			if (unlikely(b->cap - b->n < 8 || b->capopen - b->depth < 8) && (*rc = tt_batch_grow(b, 4096, r->err)) != TT_OK)
				break;
			struct tt_event *e = &b->ev[b->n];
			*e = (struct tt_event){ .ts = ts, .val = keys | id, .kind = TT_ZONE_BEGIN,
				.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX };
			b->open[b->depth++] = (uint32_t)b->n++;
			begun++;
		} else {
			if (unlikely(b->depth == 0 || b->depth >= UINT16_MAX))
				break;
			struct tt_event *e = &b->ev[b->open[b->depth - 1]];
			const uint64_t dur = (uint64_t)ts - (uint64_t)e->ts;
			if (unlikely(e->val != (keys | id) || dur > UINT32_MAX))
				break;
			e->dur = (uint32_t)dur;
			e->kind = TT_ZONE;
			b->depth--;
		}
		last = ts;
		n++;
	}
	if (n == 0)
		return 0;
	if (r->calls == 0 && r->last < r->from)
		r->from = r->last;
	w->p = p;
	r->last = r->call_ts = last;
	r->calls += n;
	b->nzone += begun;
	tt_batch_time(b, last);
	return n;
}

static int
messages(struct raw_run *r, struct raw_walk *w)
{
	struct tt_batch *b = r->b;
	uint32_t piece = UINT32_MAX;
	int rc = TT_OK;
	bool sane;

	for (;;) {
		b->nevent += hot(r, w, &rc);
		enum raw_step step = rc == TT_OK ? raw_walk_next(w) : RAW_OVER;
		for (; rc == TT_OK && piece != w->i; rc = arrive(r, w->piece[piece].flags)) {
			piece++;
			if (w->piece[piece].flags & RAW_P_LOST)
				rc = leave_open(r);
			if (rc != TT_OK)
				return rc;
		}
		if (rc != TT_OK || step == RAW_OVER)
			return rc;
		const uint64_t at = w->piece[w->i].at;
		if (step == RAW_MESSAGE) {
			rc = message(r, w, &sane);
			if (rc != TT_OK)
				return rc;
			if (sane) {
				if (b->tally)
					b->tally[raw_u16(w->p) & 255]++;
				b->nevent++;
				w->p += w->size;
				continue;
			}
			raw_walk_drop(w);
			step = RAW_DROPPED;
		}
		if (step == RAW_REST && w->piece[w->i].flags & RAW_P_CUT)
			return TT_OK;
		if (step == RAW_REST)
			w->size = (size_t)(w->all - w->p);
		tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, w->size, at);
		struct tt_event *e = rare(r, TT_GAP, 0);
		if (!e)
			return r->err->code;
		e->flags = TT_F_CONT;
		if (step == RAW_REST)
			return TT_OK;
	}
}

int
raw_decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const struct raw *m = ctx;
	const struct raw_head *h = (const struct raw_head *)(const void *)c->bytes;
	const struct raw_piece *piece = (const struct raw_piece *)(const void *)(h + 1);
	const uint8_t *p = c->bytes + h->front;
	const uint32_t special[] = { h->s.alloc, h->s.collect, h->s.label[0], h->s.label[1], h->root };
	struct raw_run r = { .m = m, .h = h, .s = &h->s, .b = b, .err = err, .seq = c->seq, .from = INT64_MAX,
		.last = b->base ? b->base->last_ts : INT64_MIN };
	struct raw_walk w;
	int rc;

	b->tid = c->tid;
	b->at = c->at;
	b->bytes = c->len;
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (special[i] != RAW_NONE)
			r.special |= UINT64_C(1) << (special[i] & 63);
	raw_walk(&w, &h->s, piece, 0, h->npiece, p);
	rc = thread_begins(&r, &w);
	if (rc == TT_OK)
		rc = b->needs & TT_SKIM && m->cap->skim && h->stream != RAW_SESSION ? skim(&r, piece, p) : messages(&r, &w);
	if (rc == TT_OK && h->flags & RAW_H_ENDS)
		rc = thread_ends(&r);
	if (r.locked)
		pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&m->known.lock);
	raw_texts_settle(b);
	b->late = h->stream != RAW_SESSION && b->ndef > 0;
	if (r.calls) {
		b->stack_from = r.from;
		b->stack_ts = r.call_ts;
		b->nstack += r.calls;
	}
	return rc;
}
