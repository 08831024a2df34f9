/**
 * Computes the length of a message, for every type and version.
 *
 * Fields are written as letters: 2, 4 and 8 are numbers of that many bytes, b a single byte, i the instance id, s a name, z a text or blob, n a list of
 * 32-bit numbers; and, at most once each, p the parameters of a marker, v the values of a sample, a the addresses of a stack, c the padding before a
 * category's name.
 */
#include "raw/raw.h"

const char *
raw_fields(unsigned type, unsigned rank)
{
	static const char *const known[RAW_TYPES] = {
		[RAW_STATE] = "484", [RAW_MARKER] = "422sp", [RAW_CALLSTACK] = "4a", [RAW_STATS] = "4n", [RAW_AUDIO] = "nnnz",
		[RAW_UI_CANVAS] = "zz", [RAW_UI_EVENTS] = "zzz", [RAW_JIT] = "884ss4", [RAW_NATIVE_TYPE] = "44s",
		[RAW_OBJECT] = "is448", [RAW_GFX] = "888", [RAW_THREAD] = "884ss", [RAW_FRAME] = "48",
		[RAW_BEGIN] = "b48", [RAW_END] = "b48", [RAW_SINGLE] = "b48",
		[RAW_BEGIN_ID] = "b48i", [RAW_END_ID] = "b48i", [RAW_SINGLE_ID] = "b48i",
		[RAW_BEGIN_ARGS] = "b48v", [RAW_END_ARGS] = "b48v", [RAW_SINGLE_ARGS] = "b48v",
		[RAW_OLD_ALLOC] = "4", [RAW_ANCHOR] = "4", [RAW_GPU] = "44b", [RAW_CLEANUP] = "8", [RAW_FLOW] = "b4",
		[RAW_CATEGORY] = "222cs", [RAW_CATEGORY_STATE] = "22",
	};

	if (type >= RAW_TYPES)
		return NULL;
	if (type == RAW_THREAD && rank < 3)
		return "84ss";
	if (type == RAW_STATS && rank < 4)
		return "n";
	if (type == RAW_OBJECT && rank >= 11)
		return rank >= 12 ? "88s4488" : "44s4488";
	return known[type];
}

/* Take a value of a sample: its text or bytes, or its bits, into ${v}. */
void
raw_take_value(struct raw_take *t, struct unity_value *v)
{
	*v = (struct unity_value){ .type = raw_take_byte(t) };
	switch (v->type) {
	case UNITY_V_TEXT: case UNITY_V_TEXT16: case UNITY_V_BLOB:
		v->p = raw_take_blob(t, &v->n);
		break;
	default:
		if (!(v->n = unity_value_size(v->type))) {
			t->state = t->state == RAW_WHOLE ? RAW_BAD : t->state;
			break;
		}
		v->p = raw_bytes(t, v->n);
		if (v->p)
			v->bits = v->n == 4 ? unity_u32(v->p) : unity_u64(v->p);
		break;
	}
}

/* True if the ${n} numbers at ${p} may be addresses, which have at most 48 bits. */
static bool
are_addresses(const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (unity_u64(p + 8 * (size_t)i) >> 48)
			return false;
	return true;
}

/*
 * True if the ${n} addresses of a stack begin after three bytes of padding at ${p}: the padding is zero or, if it is damaged, only the numbers after it look
 * like addresses.
 */
static bool
is_padded_stack(const struct raw_take *t, unsigned n)
{
	const uint8_t *const p = t->p;
	enum { PAD = 3 };

	if (!t->l->aligned || t->end - p < PAD)
		return false;
	if ((p[0] | p[1] | p[2]) == 0)
		return true;
	return (size_t)(t->end - p) >= PAD + 8 * (size_t)n && !are_addresses(p, n) && are_addresses(p + PAD, n);
}

/* Take the addresses of a stack. In aligned files padding may come before or after them. */
const uint8_t *
raw_take_stack(struct raw_take *t, unsigned *n)
{
	const uint8_t *count = raw_bytes(t, 1);
	const bool before = count && is_padded_stack(t, *count);

	*n = count ? *count : 0;
	if (before)
		raw_pad(t);
	const uint8_t *p = raw_bytes(t, 8 * (size_t)*n);
	raw_pad(t);
	return p;
}

/* Skip padding that aligned files may have before a category's name: the name's length is then 2 bytes further on. */
void
raw_take_category_pad(struct raw_take *t)
{
	if (t->l->aligned && t->end - t->p >= 4 && unity_u32(t->p) > UINT16_MAX)
		raw_pad(t);
}

static void
skip_params(struct raw_take *t)
{
	uint32_t len;

	for (unsigned n = raw_take_byte(t); n > 0 && t->state == RAW_WHOLE; n--) {
		raw_take16(t);
		raw_pad(t);
		raw_take_name(t, &len);
	}
}

static void
skip_field(struct raw_take *t, char what)
{
	struct unity_value v;
	uint32_t len;
	unsigned n;

	switch (what) {
	case '2': raw_bytes(t, 2); break;
	case '4': raw_bytes(t, 4); break;
	case '8': raw_bytes(t, 8); break;
	case 'i': raw_bytes(t, t->l->wide ? 8 : 4); break;
	case 'b': raw_take_byte(t); break;
	case 's': raw_take_name(t, &len); break;
	case 'z': raw_take_blob(t, &len); break;
	case 'a': raw_take_stack(t, &n); break;
	case 'c': raw_take_category_pad(t); break;
	case 'p': skip_params(t); break;
	case 'n':
		len = raw_take32(t);
		if (len > RAW_TEXT_MAX / 4)
			t->state = RAW_BAD;
		raw_bytes(t, 4 * (size_t)len);
		break;
	default:
		for (n = raw_take_byte(t); n > 0 && t->state == RAW_WHOLE; n--)
			raw_take_value(t, &v);
		break;
	}
}

/* True if the name after the ${skip} bytes at ${p} has no NUL before its end; numbers that a wrong layout takes for a name usually do. */
static bool
is_name(const uint8_t *p, unsigned skip)
{
	const uint32_t n = unity_u32(p + skip);

	return n == 0 || !memchr(p + skip + 4, 0, n - 1);
}

enum { MAX_STATE_FLAGS = 255 };          /* of a state; bit 0 is known */

/* True if the engine may have written the message. Damaged messages, and messages read by a wrong layout, may look whole. */
static bool
is_sane(const struct raw_layout *l, unsigned type, const uint8_t *p)
{
	const unsigned at = l->aligned ? 4 : 2;

	switch (type) {
	case RAW_NATIVE_TYPE:
		return is_name(p, at + 8);
	case RAW_OBJECT:
		return is_name(p, at + (l->rank >= 12 ? 16 : l->rank >= 11 ? 8 : l->wide ? 8 : 4));
	case RAW_STATE:
		/* A lost page of zeros must not count as this message. */
		return unity_u32(p + at) <= MAX_STATE_FLAGS && (unity_u32(p + at) | unity_u64(p + at + 4) | unity_u32(p + at + 12)) != 0;
	case RAW_FLOW:
		return p[at] <= 3;
	default:
		return true;
	}
}

enum raw_state
raw_measure_as(const struct raw_layout *l, unsigned type, const uint8_t *p, size_t n, size_t *size)
{
	struct raw_take t = { .p = p, .end = p + n, .from = p, .l = l };
	raw_take16(&t);
	const char *f = t.state == RAW_WHOLE ? raw_fields(type, l->rank) : "";

	if (!f)
		return RAW_BAD;
	raw_pad(&t);
	for (; *f && t.state == RAW_WHOLE; f++)
		skip_field(&t, *f);
	if (t.state == RAW_WHOLE && !is_sane(l, type, p))
		return RAW_BAD;
	if (t.state == RAW_SHORT && n > RAW_CARRY_MAX)
		return RAW_BAD;
	*size = (size_t)(t.p - p);
	return t.state;
}

enum raw_state
raw_measure(const struct raw_layout *l, const uint8_t *p, size_t n, size_t *size)
{
	return raw_measure_as(l, n >= 2 ? unity_u16(p) : RAW_TYPES, p, n, size);
}

/*
 * Find the sizes of types whose fields all have fixed length; 0 for other types, for flows and marks, which need a check, and for types that threads do not
 * have.
 */
void
raw_sizes(const struct raw_layout *l, uint8_t size[RAW_TYPES])
{
	static const uint8_t zeros[64];

	for (unsigned type = 0; type < RAW_TYPES; type++) {
		const char *f = raw_fields(type, l->rank);
		uint8_t message[64];
		size_t n = 0;
		size[type] = 0;
		if (!f || strpbrk(f, "szavpnc") || type == RAW_FLOW || type == RAW_FRAME || !raw_may_be_in(false, type))
			continue;
		memcpy(message, zeros, sizeof message);
		message[0] = (uint8_t)type;
		if (raw_measure(l, message, sizeof message, &n) == RAW_WHOLE)
			size[type] = (uint8_t)n;
	}
}
