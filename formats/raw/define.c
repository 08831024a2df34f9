/**
 * Definitions: the messages that define something, as definitions of the batch.
 */
#include "raw/raw.h"

/* Define the names of the values of marker ${key}, each ended by a NUL. *${unit}: the unit of the first value. */
static int
params(struct raw_run *r, uint64_t key, struct raw_take *t, unsigned *unit)
{
	struct tt_buf *to = &r->u.b->text;
	size_t at = to->n;
	unsigned n = raw_take_byte(t);
	int rc = TT_OK;

	*unit = 0;
	for (unsigned i = 0; i < n && rc == TT_OK; i++) {
		uint32_t type = raw_take16(t), len;
		raw_pad(t);
		const char *name = (const char *)raw_take_name(t, &len);
		if (i == 0)
			*unit = type >> 8;
		if (len)
			tt_buf_add(to, name, len);
		tt_buf_add(to, "", 1);
		rc = tt_buf_error(to, r->u.err);
	}
	return rc != TT_OK || n == 0 ? rc : unity_define_args(&r->u, key, at);
}

/* Take a name of a definition, and count it as evidence for the layout. */
static const char *
name_of(struct raw_run *r, struct raw_take *t, uint32_t *n)
{
	uint32_t whole;
	const char *p = (const char *)raw_take_blob(t, &whole);

	unity_count_name(&r->u, p, whole);
	*n = whole ? (uint32_t)strnlen(p, whole) : 0;
	return p;
}

static int
marker(struct raw_run *r, struct raw_take *t)
{
	uint32_t id = raw_take32(t), flags = raw_take16(t), category = raw_take16(t), n;
	const uint64_t key = unity_key(&r->u, id);
	unsigned unit;

	const char *name = name_of(r, t, &n);
	int rc = params(r, key, t, &unit);
	return rc == TT_OK ? unity_define_marker(&r->u, key, id, flags, category, name, n, unit) : rc;
}

static int
thread(struct raw_run *r, struct raw_take *t)
{
	const uint64_t id = raw_take64(t);
	struct tt_def d = { .kind = TT_DEF_THREAD, .ts = UNITY_EVER, .key = tt_thread_key(raw_tid(r->s, id), r->s->number) };

	const uint64_t start = r->s->layout.rank >= 3 ? raw_take64(t) : 0;
	if (start)
		d.ts = raw_ns(r->s, start);
	raw_take32(t);
	d.text2 = name_of(r, t, &d.len2);
	d.text = name_of(r, t, &d.len);
	return id == RAW_SESSION ? TT_OK : tt_batch_def(r->u.b, &d, r->u.err);
}

int
raw_define_reused(struct raw_run *r, int64_t ts)
{
	const struct raw_name *x = &r->h->named;
	const struct tt_def d = { .kind = TT_DEF_THREAD, .ts = ts, .key = tt_thread_key(r->u.b->tid, r->s->number), .text = x->text, .len = x->n,
		.text2 = x->group, .len2 = x->ngroup };

	return x->text ? tt_batch_def(r->u.b, &d, r->u.err) : TT_OK;
}

static int
category(struct raw_run *r, struct raw_take *t)
{
	const unsigned id = raw_take16(t), color = raw_take16(t);
	uint32_t n;

	raw_take16(t);
	raw_take_category_pad(t);
	const char *name = (const char *)raw_take_name(t, &n);
	return unity_define_category(&r->u, id, color, name, n);
}

static int
code(struct raw_run *r, struct raw_take *t)
{
	raw_take64(t);
	uint64_t start = raw_take64(t), size = raw_take32(t);
	uint32_t n;

	const char *name = (const char *)raw_take_name(t, &n);
	return unity_define_code(&r->u, start, size, name, n);
}

int
raw_define(struct raw_run *r, unsigned type, struct raw_take *t)
{
	switch (type) {
	case RAW_MARKER:
		return marker(r, t);
	case RAW_THREAD:
		return thread(r, t);
	case RAW_CATEGORY:
		return category(r, t);
	case RAW_JIT:
		return code(r, t);
	default:                      /* objects, types and resources, which have no place in the model */
		return TT_OK;
	}
}

const char *
raw_tag_name(unsigned tag)
{
	static const char *const name[RAW_TYPES] = {
		[RAW_STATE] = "profiler state", [RAW_MARKER] = "marker", [RAW_CALLSTACK] = "call stack", [RAW_STATS] = "statistics",
		[RAW_AUDIO] = "audio", [RAW_UI_CANVAS] = "UI canvases", [RAW_UI_EVENTS] = "UI events", [RAW_JIT] = "compiled method",
		[RAW_NATIVE_TYPE] = "native type", [RAW_OBJECT] = "object", [RAW_GFX] = "graphics resource", [RAW_THREAD] = "thread",
		[RAW_FRAME] = "frame", [RAW_BEGIN] = "begin", [RAW_END] = "end", [RAW_SINGLE] = "single",
		[RAW_BEGIN_ID] = "begin with instance id", [RAW_END_ID] = "end with instance id", [RAW_SINGLE_ID] = "single with instance id",
		[RAW_BEGIN_ARGS] = "begin with metadata", [RAW_END_ARGS] = "end with metadata", [RAW_SINGLE_ARGS] = "single with metadata",
		[RAW_OLD_ALLOC] = "allocation", [RAW_ANCHOR] = "GPU anchor", [RAW_GPU] = "GPU sample", [RAW_CLEANUP] = "thread end",
		[RAW_FLOW] = "flow", [RAW_CATEGORY] = "category", [RAW_CATEGORY_STATE] = "category state",
	};

	return tag < RAW_TYPES ? name[tag] : NULL;
}
