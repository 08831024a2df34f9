/**
 * Converts values of samples into numbers, arguments, allocations, counters and names of zones.
 */
#include "unity/profiler.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

unsigned
unity_value_size(unsigned type)
{
	static const uint8_t size[] = { [UNITY_V_INSTANCE] = 4, [UNITY_V_I32] = 4, [UNITY_V_U32] = 4, [UNITY_V_I64] = 8, [UNITY_V_U64] = 8,
		[UNITY_V_F32] = 4, [UNITY_V_F64] = 8, [UNITY_V_VEC3] = 12, [UNITY_V_GFX] = 8, [UNITY_V_ENTITY] = 8 };

	return type < sizeof size ? size[type] : 0;
}

bool
unity_number(const struct unity_value *v, enum tt_type *type, uint64_t *bits)
{
	float f;
	double d;

	*bits = v->bits;
	switch (v->type) {
	case UNITY_V_INSTANCE: case UNITY_V_I32:
		*bits = (uint64_t)(int64_t)(int32_t)(uint32_t)v->bits;
		*type = TT_T_I64;
		return true;
	case UNITY_V_I64:
		*type = TT_T_I64;
		return true;
	case UNITY_V_U32: case UNITY_V_U64: case UNITY_V_GFX: case UNITY_V_ENTITY:
		*type = TT_T_U64;
		return true;
	case UNITY_V_F32:
		memcpy(&f, v->p, 4);
		d = (double)f;
		memcpy(bits, &d, 8);
		*type = TT_T_F64;
		return true;
	case UNITY_V_F64:
		*type = TT_T_F64;
		return true;
	default:
		return false;
	}
}

bool
unity_alloc_bytes(const struct unity_value *v, uint64_t *bytes)
{
	if (v->type < UNITY_V_I32 || v->type > UNITY_V_U64)
		return false;
	*bytes = v->type == UNITY_V_I32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)v->bits : v->bits;
	return *bytes <= INT64_MAX;
}

/* Append a text to the batch's buffer; *${at}: its begin. */
static int
put_text(struct unity_run *r, const struct unity_value *v, size_t *at)
{
	struct tt_buf *to = &r->b->text;
	int rc;

	*at = to->n;
	if (v->n == 0)
		return TT_OK;
	if (v->type != UNITY_V_TEXT16)
		tt_buf_add(to, v->p, v->n);
	rc = v->type == UNITY_V_TEXT16 ? tt_utf8_from16(to, v->p, v->n, r->err) : tt_buf_error(to, r->err);
	while (rc == TT_OK && (v->type == UNITY_V_TEXT || v->type == UNITY_V_TEXT16) && to->n > *at && to->p[to->n - 1] == '\0')
		to->n--;
	return rc;
}

/* Append three floats to the batch's buffer as "(1.5, 0, -2)". */
static int
put_vector(struct unity_run *r, const struct unity_value *v, size_t *at)
{
	struct tt_buf *to = &r->b->text;

	*at = to->n;
	for (unsigned i = 0; i < 3; i++) {
		char text[40];
		float f;

		memcpy(&f, v->p + 4 * (size_t)i, 4);
		*tt_put_double(text, (double)f) = '\0';
		tt_buf_printf(to, "%s%s", i ? ", " : "(", *text ? text : isnan(f) ? "NaN" : f < 0 ? "-Infinity" : "Infinity");
	}
	tt_buf_text(to, ")");
	return tt_buf_error(to, r->err);
}

int
unity_put_arg(struct unity_run *r, size_t of, const struct unity_value *v)
{
	struct tt_batch *b = r->b;
	enum tt_type type;
	uint64_t bits;
	size_t at = 0, n = 0;
	int rc = tt_batch_room(b, 2, r->err);

	if (rc == TT_OK && !unity_number(v, &type, &bits)) {
		type = v->type == UNITY_V_TEXT || v->type == UNITY_V_TEXT16 || v->type == UNITY_V_VEC3 ? TT_T_TEXT : TT_T_BLOB;
		rc = v->type == UNITY_V_VEC3 ? put_vector(r, v, &at) : put_text(r, v, &at);
		bits = at;
		n = b->text.n - at;
	}
	if (rc != TT_OK)
		return rc;
	b->ev[b->n++] = (struct tt_event){ .kind = TT_ARG, .val = bits, .dur = (uint32_t)n, .depth = (uint16_t)type };
	b->ev[of].flags |= TT_F_MORE;
	return TT_OK;
}

int
unity_put_id(struct unity_run *r, size_t of, const struct unity_value *v)
{
	int rc = unity_put_arg(r, of, v);

	if (rc == TT_OK)
		r->b->ev[r->b->n - 1].flags = TT_F_ID;
	return rc;
}

int
unity_alloc(struct unity_run *r, int64_t ts, uint64_t key, uint64_t bytes, size_t depth, size_t *at)
{
	struct tt_batch *b = r->b;
	int rc = tt_batch_room(b, 4, r->err);

	if (rc != TT_OK)
		return rc;
	*at = b->n;
	b->ev[b->n++] = (struct tt_event){ .ts = ts, .val = key, .dur = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
		.depth = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX, .kind = TT_ALLOC };
	if (bytes > UINT32_MAX) {
		b->ev[*at].flags = TT_F_WIDE | TT_F_MORE;
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	}
	b->nalloc++;
	b->alloc_b += bytes;
	return TT_OK;
}

void
unity_stack_lost(struct unity_run *r, unsigned n)
{
	tt_loss_add(&r->b->loss, TT_LOST_ZONE_STACKS, n > 0, 8 * (uint64_t)n, r->b->at);
}

int
unity_alloc_stack(struct unity_run *r, size_t at, const uint8_t *p, unsigned n)
{
	struct tt_batch *b = r->b;
	const bool wide = b->ev[at].flags & TT_F_WIDE;
	uint64_t first;

	if (n == 0)
		return TT_OK;
	if (b->n != at + (wide ? 2 : 1)) {
		unity_stack_lost(r, n);
		return TT_OK;
	}
	int rc = tt_batch_words(b, n, &first, r->err);
	if (rc != TT_OK || (rc = tt_batch_room(b, 2, r->err)) != TT_OK)
		return rc;
	for (unsigned i = 0; i < n; i++)
		if (!(b->word[first + n - 1 - i] = unity_code_key(r, unity_u64(p + 8 * (size_t)i))))
			return r->err->code;
	if (!wide)
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = b->ev[at].dur };
	b->ev[at].flags |= TT_F_MORE | TT_F_STACK;
	b->ev[at + 1].val = first;
	b->ev[at + 1].dur = n;
	return TT_OK;
}

int
unity_counter_event(struct unity_run *r, int64_t ts, uint32_t counter, enum tt_type type, uint64_t bits)
{
	struct tt_event *e = tt_batch_rare(r->b, TT_COUNTER, ts, bits, r->err);

	if (!e)
		return r->err->code;
	e->dur = counter;
	e->depth = (uint16_t)type;
	return TT_OK;
}

int
unity_gpu_anchor(struct unity_run *r, int64_t begin, uint64_t key, uint32_t id, bool is_next)
{
	static const char suffix[] = " (GPU)";
	const struct tt_def d = { .kind = TT_DEF_MARKER, .ts = UNITY_EVER, .key = key | UNITY_KEY_GPU, .b = key, .flags = TT_DEF_GPU,
		.text = suffix, .len = sizeof suffix - 1 };
	uint64_t *seen = &r->seen[(d.key * 0x9E3779B97F4A7C15u) >> 58];
	struct tt_event *e = tt_batch_rare(r->b, TT_GPU_ANCHOR, begin, d.key, r->err);

	if (!e)
		return r->err->code;
	e->dur = id;
	e->flags = is_next ? TT_F_NEXT : 0;
	e->depth = (uint16_t)((r->session & 0xff) << 8);
	if (*seen == d.key)
		return TT_OK;
	*seen = d.key;
	return tt_batch_def(r->b, &d, r->err);
}

int
unity_gpu(struct unity_run *r, int64_t ts, uint32_t id, unsigned section, uint64_t ns)
{
	static const char *const name[] = { "GPU Other Time", "GPU Opaque Time", "GPU Transparent Time", "GPU Shadows Time",
		"GPU Deferred Pre-Pass Time", "GPU Deferred Lighting Time", "GPU Motion Vectors Time", "GPU Post-Process Time" };

	struct tt_event *e = tt_batch_rare(r->b, TT_GPU_TIME, ts, ns, r->err);

	if (!e)
		return r->err->code;
	section = section < sizeof name / sizeof *name ? section : 0;
	e->dur = id;
	e->depth = (uint16_t)((r->session & 0xff) << 8 | section);
	int rc = unity_counter_event(r, ts, UNITY_COUNTER_GPU | section, TT_T_U64, ns);
	if (rc != TT_OK || r->gpu[section])
		return rc;
	r->gpu[section] = true;
	return unity_define_counter(r, UNITY_COUNTER_GPU | section, TT_CU_NS, name[section], strlen(name[section]), "GPU");
}

int
unity_label(struct unity_run *r, uint32_t id, const struct unity_value *v, size_t n, uint64_t *key, bool *named)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = UNITY_EVER, .b = unity_key(r, id), .flags = TT_DEF_LABEL };
	uint64_t hash = 14695981039346656037u ^ r->session;
	size_t at;
	int rc;

	*named = false;
	if (n < 2 || (v[1].type != UNITY_V_TEXT && v[1].type != UNITY_V_TEXT16) || v[1].n == 0)
		return TT_OK;
	if ((rc = put_text(r, &v[1], &at)) != TT_OK)
		return rc;
	for (size_t i = at; i < r->b->text.n; i++)
		hash = (hash ^ (uint8_t)r->b->text.p[i]) * 1099511628211u;
	d.a = n > 2 && (v[2].type == UNITY_V_U32 || v[2].type == UNITY_V_I32) ? UNITY_KEY_CATEGORY(r->session, v[2].bits & UINT16_MAX) : 0;
	hash = (hash ^ d.a) * 1099511628211u;
	*key = d.key = UNITY_KEY_LABEL | ((uint64_t)id & 0xffff) << 44 | (hash >> 20);
	*named = true;
	/* Most labels repeat the previous one. */
	uint64_t *seen = &r->seen[hash >> 58];
	if (*seen == d.key) {
		r->b->text.n = at;
		return TT_OK;
	}
	*seen = d.key;
	return unity_text_def(r, &d, at);
}
