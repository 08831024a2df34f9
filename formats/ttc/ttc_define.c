/**
 * Turns the definitions of thread 0 into definitions of the batch, and interprets markers by their names.
 */
#include "ttc/ttc_decode.h"

#include "base/utf8.h"
#include "model/defs.h"
#include "producers/unity.h"
#include "producers/unity_units.h"

static const char *
text(struct ttc_take *f, uint32_t *len)
{
	size_t n;
	const uint8_t *p = ttc_text(f, &n);

	*len = (uint32_t)n;           /* it fits, as a chunk is smaller */
	return (const char *)p;
}

static int64_t
def_time(const struct ttc_run *r, struct ttc_take *f)
{
	return ttc_ns(r->m, r->m->head.ticks + ttc_number(f));
}

static int
marker(struct ttc_run *r, struct ttc_take *f)
{
	struct tt_def d = { .kind = TT_DEF_MARKER }, also;
	uint64_t native, flags;
	int rc;

	d.ts = def_time(r, f);
	d.key = ttc_number(f);
	d.a = ttc_number(f);
	native = ttc_number(f);
	flags = ttc_number(f);
	d.b = (flags & UINT32_MAX) | native << 32;
	d.text = text(f, &d.len);
	if (f->bad)
		return TT_OK;
	rc = tt_batch_def(r->b, &d, r->err);
	also = d;
	if (rc == TT_OK && d.len == sizeof UNITY_NAME_ALLOC - 1 && memcmp(d.text, UNITY_NAME_ALLOC, d.len) == 0) {
		also.kind = TT_DEF_CLASS;
		also.a = also.b = 0;
		rc = tt_batch_def(r->b, &also, r->err);
	}
	return rc;
}

/* Marks texts in the batch's own buffer, which are stored as offsets until the buffer stops growing. */
#define IN_BUFFER 0x80

static int
label(struct ttc_run *r, struct ttc_take *f)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .flags = TT_DEF_LABEL };
	struct tt_buf *to = &r->b->text;
	unsigned type;
	int rc;

	d.ts = def_time(r, f);
	d.key = ttc_number(f);
	d.b = ttc_number(f);
	d.a = ttc_number(f);
	type = ttc_byte(f);
	d.text = text(f, &d.len);
	if (f->bad)
		return TT_OK;
	if (type == TTC_TEXT16) {
		size_t at = to->n;
		if ((rc = tt_utf8_from16(to, (const uint8_t *)d.text, d.len, r->err)) != TT_OK)
			return rc;
		d.text = (const char *)(uintptr_t)at;
		d.len = (uint32_t)(to->n - at);
		d.flags |= IN_BUFFER;
	}
	return tt_batch_def(r->b, &d, r->err);
}

static int
object(struct ttc_run *r, struct ttc_take *f)
{
	static const uint8_t kind[] = { [TTC_O_CLASS] = TT_DEF_CLASS, [TTC_O_IMAGE] = TT_DEF_IMAGE,
		[TTC_O_ASSEMBLY] = TT_DEF_ASSEMBLY, [TTC_O_DOMAIN] = TT_DEF_DOMAIN, [TTC_O_CONTEXT] = TT_DEF_CONTEXT };
	struct tt_def d = { .ts = def_time(r, f) };
	unsigned what;

	d.key = ttc_number(f);
	what = ttc_byte(f);
	d.a = ttc_number(f);
	d.text = text(f, &d.len);
	d.text2 = text(f, &d.len2);
	if (what >= sizeof kind)
		tt_loss_add(&r->b->loss, TT_LOST_UNKNOWN, 1, 0, r->b->at);
	if (f->bad || what >= sizeof kind)
		return TT_OK;
	d.kind = kind[what];
	return tt_batch_def(r->b, &d, r->err);
}

static int
definition(struct ttc_run *r, unsigned kind, struct ttc_take *f)
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
		d.key = ttc_number(f);
		d.b = ttc_number(f);
		d.a = ttc_number(f);
		d.text = text(f, &d.len);
		break;
	case TTC_DEF_THREAD:
		d.kind = TT_DEF_THREAD;
		d.ts = def_time(r, f);
		d.key = ttc_number(f);
		d.text2 = text(f, &d.len2);
		d.text = text(f, &d.len);
		break;
	case TTC_DEF_COUNTER:
		d.kind = TT_DEF_COUNTER;
		d.ts = def_time(r, f);
		d.key = ttc_number(f);
		unit = ttc_number(f);
		d.a = TT_CF_OWN;      /* values are integers */
		d.text = text(f, &d.len);
		/* Unity's counters go up and down; the behaviour of Mono's is not recorded. */
		d.b = TT_COUNTER_IS(unity_unit(unit, d.text, d.len), r->m->mono ? TT_CK_UNKNOWN : TT_CK_VARIABLE);
		d.text2 = text(f, &d.len2);
		break;
	case TTC_DEF_OBJECT:
		return object(r, f);
	case TTC_DEF_VTABLE:
		d.kind = TT_DEF_VTABLE;
		d.ts = def_time(r, f);
		d.key = ttc_number(f);
		d.b = ttc_number(f);
		d.a = ttc_number(f);
		break;
	case TTC_DEF_ARGS:
		d.kind = TT_DEF_ARGS;
		d.ts = def_time(r, f);
		d.key = ttc_number(f);
		d.text = text(f, &d.len);
		break;
	case TTC_META:
		d.kind = TT_DEF_META;
		d.ts = def_time(r, f);
		d.text = text(f, &d.len);
		d.text2 = text(f, &d.len2);
		/* Each fact gets its own key, so that facts do not replace one another. */
		d.key = 1469598103934665603u;
		for (len = 0; len < d.len; len++)
			d.key = (d.key ^ (uint8_t)d.text[len]) * 1099511628211u;
		break;
	default:                      /* thread_notice.c has read the others */
		if (kind < TTC_DEF_MARKER || kind > TTC_DUMP)
			tt_loss_add(&r->b->loss, TT_LOST_UNKNOWN, 1, (uint64_t)(f->end - f->p), r->b->at);
		return TT_OK;
	}
	return f->bad ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

int
ttc_define(struct ttc_run *r)
{
	struct tt_batch *b = r->b;
	struct ttc_take t = { .p = r->p, .end = r->end };
	int rc = TT_OK;

	while (t.p < t.end && rc == TT_OK) {
		struct ttc_take f;
		unsigned kind;
		if (!ttc_take_other(&t, &kind, &f)) {
			rc = ttc_damaged(r, TT_LOST_DAMAGED);
			break;
		}
		size_t n = (size_t)(f.end - f.p);
		r->p = t.p;
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
/* --- what marker definitions mean -------------------------------------------------------------------- */

/* Return the name of a category that was not described before its first marker: from a later description, or Unity's list. */
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
	(void)err;                    /* unused, but part of the interface */
	uint64_t key = d->a;

	if (key == 0 && (d->flags & TT_DEF_LABEL)) {     /* a label without a category has its owner's category */
		const struct tt_def *owner = tt_defs_find(cap->defs, TT_DEF_MARKER, d->b, INT64_MAX);
		key = owner ? owner->a : 0;
	}
	const struct tt_def *c = key ? tt_defs_find(cap->defs, TT_DEF_CATEGORY, key, INT64_MAX) : NULL;
	*name = c && c->len == 0 ? nameless(cap, c) : c ? c->text : NULL;
	return TT_OK;
}

const char *const *
ttc_arg_names(const struct tt_def *d)
{
	static const char *const label[] = { "instance_id", NULL };

	return d->flags & TT_DEF_LABEL ? label : unity_arg_names(d->text);
}

/* A label has the facts of its owner's marker. */
struct tt_marker_facts
ttc_marker_facts(const struct tt_def *d)
{
	struct tt_marker_facts f = { .id = d->b >> 32 };

	if (d->flags & TT_DEF_LABEL)
		return (struct tt_marker_facts){ 0 };
	unity_flag_names((unsigned)d->b & 0xffff, f.flag, sizeof f.flag / sizeof *f.flag);
	f.verbosity = unity_verbosity_name((unsigned)d->b & 0xffff);
	return f;
}

bool
ttc_of_editor(const struct tt_def *d)
{
	return !(d->flags & TT_DEF_LABEL) && d->len && unity_is_editor(d->text, (unsigned)d->b & 0xffff);
}

/* Return the measurement of Unity's FrameTimingManager that a counter holds, or -1; *${late}: number of frames by which it arrives late. */
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
