/**
 * Definitions: messages of them as definitions of the batch, and what those of markers mean.
 */
#include "raw/raw.h"

#include <stdio.h>

#include "producers/unity.h"

/* Before all times, so that of two definitions of a key the later one in the file is the one in force, always. */
#define EVER (INT64_MIN / 4)

/* Text in the batch's own buffer is found by its offset until the buffer stops growing. */
#define IN_BUFFER 0x80

int
raw_text_def(struct raw_run *r, struct tt_def *d, size_t at)
{
	d->text = (const char *)(uintptr_t)at;
	d->len = (uint32_t)(r->b->text.n - at);
	d->flags |= IN_BUFFER;
	return tt_batch_def(r->b, d, r->err);
}

void
raw_texts_settle(struct tt_batch *b)
{
	for (size_t i = 0; i < b->ndef; i++)
		if (b->def[i].flags & IN_BUFFER) {
			b->def[i].flags &= (uint8_t)~IN_BUFFER;
			b->def[i].text = b->text.p + (uintptr_t)b->def[i].text;
		}
}

/* --- markers -------------------------------------------------------------------------------------------- */

/* The name of a category: as the session said, else as the engine's own table has it. */
static const char *
section(struct raw_run *r, unsigned category)
{
	raw_lock(r);
	const char *name = raw_category_name(r->m, r->s->number, category, r->seq);

	if (!name)
		name = unity_category(category, r->s->categories);
	return name ? name : "";
}

/* A counter's unit: as the session says, in Unity's numbers, else what its name suggests. */
static enum tt_counter_unit
unit_of(unsigned unit, const char *name, size_t n)
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

int
raw_define_counter(struct raw_run *r, uint32_t counter, enum tt_counter_unit unit, const char *name, size_t n, const char *in)
{
	struct tt_def d = { .kind = TT_DEF_COUNTER, .ts = EVER, .key = counter, .a = TT_CF_OWN, .b = TT_COUNTER_IS(unit, TT_CK_VARIABLE),
		.text = name, .len = (uint32_t)n, .text2 = in, .len2 = (uint32_t)strlen(in) };

	return tt_batch_def(r->b, &d, r->err);
}

/* The names of its values, each ended by a NUL. *${unit}: the first one's. */
static int
params(struct raw_run *r, uint64_t key, struct raw_take *t, unsigned *unit)
{
	struct tt_buf *to = &r->b->text;
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
		rc = tt_buf_error(to, r->err);
	}
	if (rc != TT_OK || n == 0)
		return rc;
	struct tt_def d = { .kind = TT_DEF_ARGS, .ts = EVER, .key = key };
	return raw_text_def(r, &d, at);
}

static int
marker(struct raw_run *r, struct raw_take *t)
{
	uint32_t id = raw_take32(t), flags = raw_take16(t), category = raw_take16(t);
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = EVER, .key = raw_key(r, id), .a = RAW_KEY_CATEGORY(r->s->number, category),
		.b = flags | (uint64_t)id << 32 };
	unsigned unit;
	int rc;

	d.text = (const char *)raw_take_name(t, &d.len);
	if ((rc = tt_batch_def(r->b, &d, r->err)) != TT_OK || (rc = params(r, d.key, t, &unit)) != TT_OK)
		return rc;
	if (flags & RAW_MARKER_COUNTER)
		return raw_define_counter(r, RAW_COUNTER(r->s->number, id), unit_of(unit, d.text, d.len), d.text, d.len, section(r, category));
	if (d.len != sizeof UNITY_NAME_ALLOC - 1 || memcmp(d.text, UNITY_NAME_ALLOC, d.len) != 0)
		return TT_OK;
	d.kind = TT_DEF_CLASS;
	d.a = d.b = 0;
	return tt_batch_def(r->b, &d, r->err);
}

/* --- the others ------------------------------------------------------------------------------------------- */

static int
thread(struct raw_run *r, struct raw_take *t)
{
	struct tt_def d = { .kind = TT_DEF_THREAD, .ts = EVER, .key = raw_take64(t) };

	if (r->s->layout.rank >= 3)
		d.ts = raw_ns(r->s, raw_take64(t));
	raw_take32(t);
	d.text2 = (const char *)raw_take_name(t, &d.len2);
	d.text = (const char *)raw_take_name(t, &d.len);
	return d.key == RAW_SESSION ? TT_OK : tt_batch_def(r->b, &d, r->err);
}

static int
category(struct raw_run *r, struct raw_take *t)
{
	unsigned id = raw_take16(t);
	struct tt_def d = { .kind = TT_DEF_CATEGORY, .ts = EVER, .key = RAW_KEY_CATEGORY(r->s->number, id), .b = id };

	raw_take16(t);
	raw_take16(t);
	raw_take_category_pad(t);
	d.text = (const char *)raw_take_name(t, &d.len);
	return tt_batch_def(r->b, &d, r->err);
}

static int
code(struct raw_run *r, struct raw_take *t)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = EVER };
	uint64_t start, size;
	int rc;

	raw_take64(t);
	start = raw_take64(t);
	size = raw_take32(t);
	d.key = RAW_KEY_CODE | start;
	d.text = (const char *)raw_take_name(t, &d.len);
	if (start > RAW_ADDRESS)
		return TT_OK;
	if ((rc = tt_batch_def(r->b, &d, r->err)) != TT_OK)
		return rc;
	d.kind = TT_DEF_CODE;
	d.a = start;
	d.b = size;
	d.text = NULL;
	d.len = 0;
	return tt_batch_def(r->b, &d, r->err);
}

uint64_t
raw_code_key(struct raw_run *r, uint64_t address)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = EVER, .key = RAW_KEY_NATIVE | (address & RAW_ADDRESS) };
	uint64_t *seen = &r->native[(address * 0x9E3779B97F4A7C15u) >> 58];

	raw_lock(r);
	const struct raw_code *c = raw_code_at(r->m, address, r->seq);
	if (c)
		return RAW_KEY_CODE | c->start;
	if (*seen == address + 1)
		return d.key;
	*seen = address + 1;
	size_t at = r->b->text.n;
	tt_buf_printf(&r->b->text, "0x%llx", (unsigned long long)address);
	if (tt_buf_error(&r->b->text, r->err) != TT_OK || raw_text_def(r, &d, at) != TT_OK)
		return 0;
	return d.key;
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
	default:                      /* objects, types and resources have no place in the model */
		return TT_OK;
	}
}

/* --- at report time ------------------------------------------------------------------------------------------ */

int
raw_category(const struct tt_capture *cap, const struct tt_def *d, const char **name, struct tt_err *err)
{
	const struct raw *m = cap->category_arg;
	const struct tt_def *c = d->a ? tt_defs_find(cap->defs, TT_DEF_CATEGORY, d->a, INT64_MAX) : NULL;

	(void)err;                    /* of others */
	*name = c && c->len ? c->text : NULL;
	if (!*name && d->a && (uint32_t)d->a <= UINT16_MAX + UINT32_C(1))
		*name = unity_category((unsigned)d->a - 1, m->session[d->a >> 32].categories);
	return TT_OK;
}

/* A label has those of no marker: its owner has. */
struct tt_marker_facts
raw_marker_facts(const struct tt_def *d)
{
	struct tt_marker_facts f = { .id = d->b >> 32 };

	if (d->flags & 1 || d->key >= RAW_KEY_LABEL)
		return (struct tt_marker_facts){ 0 };
	unity_flag_names((unsigned)d->b & 0xffff, f.flag, sizeof f.flag / sizeof *f.flag);
	f.verbosity = unity_verbosity_name((unsigned)d->b & 0xffff);
	return f;
}

const char *const *
raw_arg_names(const struct tt_def *d)
{
	static const char *const label[] = { "instance_id", NULL };

	return d->flags & 1 ? label : unity_arg_names(d->text);
}

int
raw_timing(const char *counter, unsigned *late)
{
	static const int8_t what[] = { [UNITY_TIMING_NONE] = -1, [UNITY_TIMING_TOTAL] = TT_TIMING_TOTAL, [UNITY_TIMING_MAIN] = TT_TIMING_MAIN,
		[UNITY_TIMING_RENDER] = TT_TIMING_RENDER, [UNITY_TIMING_GPU] = TT_TIMING_GPU };

	*late = UNITY_TIMING_DELAY;
	return what[unity_counter(counter).timing];
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
