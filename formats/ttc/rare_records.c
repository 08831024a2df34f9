/**
 * Decodes all records except plain begins, ends and allocations: those with arguments, and rare kinds.
 */
#include "ttc/ttc_decode.h"

#include "base/utf8.h"

/* --- arguments --------------------------------------------------------------------- */

/* The value of an argument; its text stays in the chunk. */
struct value {
	unsigned tag;                 /* enum ttc_type */
	enum tt_type type;
	uint64_t bits;
	const uint8_t *text;
	size_t n;
};

static void
take_value(struct ttc_take *t, struct value *v)
{
	unsigned type = ttc_byte(t), size = type == TTC_F32 ? 4 : 8;
	float f;
	double d;

	*v = (struct value){ .tag = type };
	switch (type) {
	case TTC_INSTANCE: case TTC_I32: case TTC_I64:
		v->type = TT_T_I64;
		v->bits = ttc_zag(ttc_number(t));
		break;
	case TTC_U32: case TTC_U64: case TTC_RESOURCE: case TTC_ENTITY:
		v->type = TT_T_U64;
		v->bits = ttc_number(t);
		break;
	case TTC_PTR: case TTC_CLASS:
		v->type = TT_T_PTR;
		v->bits = ttc_number(t);
		break;
	case TTC_WORD:
		v->bits = ttc_number(t);
		v->type = v->bits <= TTC_W_TRUE ? TT_T_WORD : TT_T_U64;
		break;
	case TTC_F32: case TTC_F64:
		v->type = TT_T_F64;
		if (t->bad || (size_t)(t->end - t->p) < size) {
			t->bad = true;
			break;
		}
		if (type == TTC_F32) {
			memcpy(&f, t->p, 4);
			d = (double)f;
			memcpy(&v->bits, &d, 8);
		} else {
			v->bits = ttc_u64(t->p);
		}
		t->p += size;
		break;
	default:
		v->text = ttc_text(t, &v->n);
		v->type = type == TTC_TEXT8 || type == TTC_TEXT16 ? TT_T_TEXT : TT_T_BLOB;
		break;
	}
}

/* Add the argument as an event after the one at ${at}. The caller has made room. */
static int
put_arg(struct ttc_run *r, size_t at, const struct value *v)
{
	struct tt_batch *b = r->b;
	uint64_t bits = v->bits, n = 0;
	int rc = tt_batch_room(b, 2, r->err);

	if (rc == TT_OK && v->text) {
		bits = b->text.n;
		if (v->tag != TTC_TEXT16)
			tt_buf_add(&b->text, v->text, v->n);
		rc = v->tag == TTC_TEXT16 ? tt_utf8_from16(&b->text, v->text, v->n, r->err) : tt_buf_error(&b->text, r->err);
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
args(struct ttc_run *r, size_t at, struct ttc_take *t)
{
	struct value v;
	int rc = TT_OK;

	if (!(r->b->needs & TT_NEEDS_ARGS))
		return TT_OK;
	for (uint64_t n = ttc_number(t); n > 0 && rc == TT_OK; n--) {
		take_value(t, &v);
		if (t->bad)
			break;
		rc = put_arg(r, at, &v);
	}
	return rc;
}

/* --- other events --------------------------------------------------------------------------- */

static int
counter(struct ttc_run *r, struct ttc_take *t)
{
	struct value v = { .text = NULL };
	const uint64_t n = ttc_number(t);

	if (n > 0)
		take_value(t, &v);
	if (t->bad || v.tag == TTC_NONE || v.text)
		return TT_OK;
	struct tt_event *e = ttc_rare(r, TT_COUNTER, v.bits);
	if (!e)
		return r->err->code;
	e->dur = (uint32_t)r->key;
	e->depth = (uint16_t)v.type;
	/* Each value has at least one byte. */
	tt_loss_add(&r->b->loss, TT_LOST_COUNTER_VALUES, n - 1 < (uint64_t)(t->end - t->p) ? n - 1 : (uint64_t)(t->end - t->p), 0, r->b->at);
	return TT_OK;
}

static int
flow(struct ttc_run *r, struct ttc_take *t)
{
	unsigned type = ttc_byte(t);
	uint64_t id = ttc_number(t);

	if (type > TT_FLOW_SEQUENTIAL)
		tt_loss_add(&r->b->loss, TT_LOST_UNKNOWN, 1, 0, r->b->at);
	if (t->bad || type > TT_FLOW_SEQUENTIAL)
		return TT_OK;
	struct tt_event *e = ttc_rare(r, TT_FLOW, id);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)type;
	e->flags = type == TT_FLOW_PARALLEL || type == TT_FLOW_SEQUENTIAL ? TT_F_NEXT : 0;
	return TT_OK;
}

static int
timing(struct ttc_run *r, struct ttc_take *t)
{
	uint64_t back = ttc_number(t);

	ttc_number(t);
	for (unsigned i = 0; i < TT_TIMINGS && !t->bad; i++) {
		uint64_t v = ttc_number(t);
		/* No capture has a frame that far back. */
		struct tt_event *e = t->bad || back > UINT32_MAX ? NULL : ttc_rare(r, TT_TIMING, v);
		if (!e && back > UINT32_MAX)
			continue;
		if (!e)
			return t->bad ? TT_OK : r->err->code;
		e->dur = (uint32_t)back;
		e->depth = (uint16_t)i;
	}
	return TT_OK;
}

/* Optional parts of an allocation: the number of allocations it represents, its stack, the object's address. */
struct alloc_args { uint64_t many, first, object; size_t frames; };

static int
take_alloc_args(struct ttc_run *r, struct ttc_take *t, struct alloc_args *a)
{
	int rc = TT_OK;

	*a = (struct alloc_args){ .many = 1 };
	for (uint64_t n = ttc_number(t); n > 0 && rc == TT_OK && !t->bad; n--) {
		struct value v;
		take_value(t, &v);
		if (v.tag == TTC_U32 && v.bits > 0)
			a->many = v.bits < TT_WEIGHT_MAX ? v.bits : TT_WEIGHT_MAX;
		if (v.tag == TTC_PTR)
			a->object = v.bits;
		if (v.tag != TTC_STACK_KEYS)
			continue;
		struct ttc_take s = { .p = v.text, .end = v.text + v.n, .bad = t->bad };
		rc = ttc_stack(r->b, &s, &a->first, &a->frames, r->err);
		t->bad = s.bad;
	}
	return rc;
}

/* Put the object's address into the word after its stack. */
static int
put_object(struct ttc_run *r, struct alloc_args *a, bool *put)
{
	uint64_t at = 0;
	int rc;

	*put = a->object != 0 && (r->b->needs & TT_NEEDS_OBJECTS) != 0;
	if (!*put || (rc = tt_batch_words(r->b, 1, &at, r->err)) != TT_OK)
		return *put ? rc : TT_OK;
	r->b->word[at] = a->object;
	if (a->frames == 0)
		a->first = at;
	return TT_OK;
}

static int
alloc_more(struct ttc_run *r, uint64_t bytes, struct ttc_take *t)
{
	struct tt_batch *b = r->b;
	size_t at = b->n;
	struct alloc_args a;
	bool object = false;
	int rc = ttc_alloc(r, bytes);

	TT_THEN(rc, take_alloc_args(r, t, &a));
	if (rc == TT_OK && !t->bad)
		rc = put_object(r, &a, &object);
	if (rc != TT_OK)
		return rc;
	if (a.many > 1)
		tt_loss_add(&b->loss, TT_LOST_SAMPLED, 1, 0, b->at);
	if (a.frames == 0 && a.many == 1 && !object)
		return TT_OK;
	if (!(b->ev[at].flags & TT_F_MORE))
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	b->ev[at].flags |= (uint8_t)(TT_F_MORE | (a.frames ? TT_F_STACK : 0) | (a.many > 1 ? TT_F_WEIGHTED : 0) |
	    (object ? TT_F_OBJECT : 0));
	b->ev[at + 1].val = a.first;
	b->ev[at + 1].dur = (uint32_t)a.frames;
	b->ev[at + 1].depth = (uint16_t)a.many;
	b->ev[at + 1].flags = (uint8_t)(a.many >> 16);
	b->nalloc += a.many - 1;
	return TT_OK;
}

/* Close all open zones at the thread's last event, because after a pause it is unknown which ones are open. */
static int
forget_open(struct ttc_run *r)
{
	struct tt_batch *b = r->b;
	struct tt_event *e;

	b->cut += b->depth;
	if (tt_zone_cut(b, r->call_ts, r->err) != TT_OK)
		return r->err->code;
	r->nbase = 0;
	e = ttc_rare(r, TT_GAP, 0);
	if (!e)
		return r->err->code;
	e->flags = TT_F_BASE;
	e->depth = TT_GAP_UNRECORDED;
	return TT_OK;
}

/* Decode a record with a kind byte and a payload. */
int
ttc_other(struct ttc_run *r, unsigned kind, const uint8_t *p, const uint8_t *end)
{
	struct tt_batch *b = r->b;
	struct ttc_take t = { .p = p, .end = end };
	uint64_t v = 0;
	struct tt_event *e;
	size_t at = b->n;
	int rc = TT_OK;

	/* Later keys are relative to this one, so without it the rest of the chunk cannot be decoded. */
	if (ttc_carries_key(kind)) {
		r->key += ttc_zag(ttc_number(&t));
	} else if (kind == TTC_ALLOC_ARGS) {
		r->alloc_key += ttc_zag(ttc_number(&t));
		v = ttc_number(&t);
	} else if (kind == TTC_END_BELOW) {
		v = ttc_number(&t);
	}
	if (t.bad)
		return ttc_damaged(r, TT_LOST_DAMAGED);
	switch (kind) {
	case TTC_BEGIN_ARGS:
		ttc_begin(r, r->key, 0);
		rc = args(r, at, &t);
		break;
	case TTC_BEGIN_FLAGS:
		ttc_begin(r, r->key, ttc_number(&t) & 8 ? TT_F_CONT : 0);
		break;
	case TTC_RESET:
		return forget_open(r);
	case TTC_SINGLE:
		if (!(e = ttc_rare(r, TT_INSTANT, r->key)))
			return r->err->code;
		rc = args(r, (size_t)(e - b->ev), &t);
		break;
	case TTC_END_BELOW: case TTC_END_FLAGS:
		rc = ttc_end_zone(r, v, (unsigned)ttc_number(&t));
		break;
	case TTC_END_KEY:
		rc = ttc_end_key(r, r->key, (unsigned)ttc_number(&t));
		break;
	case TTC_END_NONE:
		rc = tt_zone_note_unmatched(b, ttc_ns(r->m, r->ticks), r->key, b->at, r->err);
		break;
	case TTC_COUNTER:
		rc = counter(r, &t);
		break;
	case TTC_FLOW:
		rc = flow(r, &t);
		break;
	case TTC_FRAME:
		rc = ttc_rare(r, TT_FRAME, t.p < t.end ? ttc_number(&t) : 0) ? TT_OK : r->err->code;
		break;
	case TTC_TIMING:
		rc = timing(r, &t);
		break;
	case TTC_ALLOC_ARGS:
		rc = alloc_more(r, v, &t);
		break;
	case TTC_THREAD_END:
		if (!(e = ttc_rare(r, TT_THREAD, b->tid)))
			return r->err->code;
		e->flags = TT_F_END;
		return TT_OK;
	default:
		rc = ttc_mono(b, ttc_ns(r->m, r->ticks), kind, p, end, r->err);
		break;
	}
	if (t.bad)
		tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, (uint64_t)(end - p), b->at);
	b->nevent++;
	return rc;
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
