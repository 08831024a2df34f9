/**
 * After a message of an unknown type, searches for the place from which the rest of its block is understood again; see model/lengths.h.
 */
#include "raw/raw.h"

/*
 * WINDOW: number of bytes after the message that are searched. MIN_WEIGHT: minimum weight of the known messages that prove a length: a sample with a time
 * near the previous one has that weight; a sample without a known time before it, a definition and the block's end have half of it. Other messages of threads
 * weigh nothing, because bytes of texts and numbers look like them. MAX_PARTS: maximum number of blocks of a chunk that are searched.
 */
enum { WINDOW = 4096, MIN_WEIGHT = 2, MAX_PARTS = 16, NONSENSE = -1 };

struct probe {
	const struct raw_run *r;
	const uint8_t *p;             /* the message of unknown type */
	size_t n;                     /* bytes of the message and of the rest of the block */
	size_t window;                /* number of these bytes that are searched */
	unsigned unit, type;
	int8_t weight[WINDOW + 1];    /* by place: weight of the known messages that begin there, up to MIN_WEIGHT; NONSENSE: no known message */
};

/* Return the weight of the whole message at ${p}. */
static int
weigh(const struct raw_run *r, const uint8_t *p, unsigned type)
{
	if (!raw_has_time(type))
		return r->h->stream == RAW_SESSION;
	if (r->last == INT64_MIN)
		return 1;
	const int64_t t = raw_time_of(r->s, p);
	const uint64_t apart = t > r->last ? (uint64_t)t - (uint64_t)r->last : (uint64_t)r->last - (uint64_t)t;

	return apart <= (uint64_t)(10 * RAW_MAX_STEP_NS) ? MIN_WEIGHT : NONSENSE;
}

/* Return the weight of the messages from the place ${at} on; the weights of later places are known. */
static int
weigh_from(const struct probe *k, size_t at)
{
	const struct raw_layout *l = &k->r->s->layout;
	const unsigned type = k->n - at >= 2 ? unity_u16(k->p + at) : 0;
	size_t size;

	if (k->n - at < 2)
		return at == k->n;
	if (type < RAW_UNKNOWN_TYPES && !raw_fields(type, l->rank))
		return 0;
	const enum raw_state state = raw_may_be_in(k->r->h->stream == RAW_SESSION, type) ? raw_measure(l, k->p + at, k->n - at, &size) : RAW_BAD;
	if (state != RAW_WHOLE)
		return state == RAW_SHORT ? 0 : NONSENSE;
	const int own = weigh(k->r, k->p + at, type), next = at + size <= k->window ? k->weight[at + size] : 0;
	return own == NONSENSE || next == NONSENSE ? NONSENSE : own + next < MIN_WEIGHT ? own + next : MIN_WEIGHT;
}

/* Return the bytes of a message with a text whose length is at ${place}, and ${tail} bytes after the text. */
static size_t
size_with_text(const struct probe *k, size_t at, size_t place, size_t tail)
{
	const uint64_t text = at + place + 4 <= k->n ? unity_u32(k->p + at + place) : 0;
	const uint64_t size = place + 4 + (text + k->unit - 1) / k->unit * k->unit + tail;

	return size < WINDOW + 1 ? (size_t)size : WINDOW + 1;
}

/* True if a message may begin at the place ${at}: known messages follow there, or it has an unknown type at which another block of the chunk was given up. */
static bool
may_follow(const struct probe *k, size_t at)
{
	const struct tt_fit_count *const met = &k->r->u.b->fit;
	unsigned i = 0;

	if (at + 2 > k->window || k->weight[at] != 0)
		return at <= k->window && k->weight[at] == MIN_WEIGHT;
	while (i < met->nunknown && met->unknown[i].type != unity_u16(k->p + at))
		i++;
	return i < met->nunknown;
}

/*
 * Note whether messages of the type can have ${size} bytes, or the length of a text at ${place}; consecutive messages are skipped. They must end at ${first},
 * from where the rest of the block is known, or at another place where a message may begin, as bytes of the message may look like a known message that ends
 * there.
 */
static void
note(const struct probe *k, size_t size, size_t place, size_t tail, size_t first, struct tt_length_bits *b, unsigned bit)
{
	size_t at = size;

	while (at + 2 <= k->window && unity_u16(k->p + at) == k->type)
		at += place ? size_with_text(k, at, place, tail) : size;
	if (at == first)
		tt_length_note(b, bit, false);
	else if (!may_follow(k, at))
		tt_length_note(b, bit, true);
}

/* Note all candidate lengths in ${one}. */
static void
note_all(const struct probe *k, size_t first, struct tt_lengths *one)
{
	const size_t head = k->unit == 1 ? 2 : k->unit;

	for (unsigned i = (unsigned)(head / k->unit); i < TT_LENGTHS; i++)
		note(k, (size_t)i * k->unit, 0, 0, first, &one->fixed[i / 64], i % 64);
	for (unsigned i = 0; i < TT_TEXT_PLACES; i++) {
		const size_t place = head + (size_t)i * k->unit;
		one->text_len[i] = place + 4 <= k->n ? unity_u32(k->p + place) : 0;
		for (unsigned tail = 0; tail < TT_TEXT_TAILS; tail++)
			note(k, size_with_text(k, 0, place, (size_t)tail * k->unit), place, (size_t)tail * k->unit, first, &one->text[i], tail);
	}
}

void
raw_look_behind(const struct raw_run *r, const uint8_t *p, size_t n, struct tt_lengths *into)
{
	struct probe k = { .r = r, .p = p, .n = n, .window = n < WINDOW ? n : WINDOW, .unit = r->s->layout.aligned ? 4 : 1, .type = unity_u16(p) };
	struct tt_lengths one = { .parts = 1, .unit = k.unit };
	const size_t head = k.unit == 1 ? 2 : k.unit;
	size_t first = 0;

	if (r->m->as || into->parts >= MAX_PARTS)
		return;
	memset(k.weight, NONSENSE, sizeof k.weight);
	for (size_t at = k.window / k.unit * k.unit; at >= head; at -= k.unit) {
		k.weight[at] = (int8_t)weigh_from(&k, at);
		first = k.weight[at] == MIN_WEIGHT ? at : first;
	}
	if (first == 0)
		return;
	note_all(&k, first, &one);
	tt_lengths_join(into, &one);
}
