/**
 * Deflates text, and repetitive packets.
 *
 * The input is searched once, from left to right. After a match the search goes on behind it, and positions inside the match are not noted: in a
 * trace, repeated text begins after a number, and that position is noted already. Two hash tables hold the position where the next bytes occurred
 * last: one for many bytes, which distinguishes names that begin alike, and one for NARROW_KEY bytes. Each slot holds the last position only, so every
 * step costs the same, whatever the input. A match found is then extended backwards.
 *
 * Positions inside the numbers of a text are not noted, because digits repeat by chance, and matches so short save nothing. A packet is looked up
 * once, at its beginning: by its first bytes, and by the bytes before its time, which is the number at its end. Only if the packet found differs before
 * the time, the rest is searched like text.
 *
 * A stamp says what its packet looks like, so nothing is searched: the match is the last packet of its form, and the number is literals. Some bytes
 * of the number may be the same as before by chance; to look for them cost more time than it was worth. The packet's bytes are written all the same,
 * because packets between stamps are searched, and blocks that do not compress are stored. They are copied from the table of forms: the bytes of the
 * last few packets are still on their way to memory, and to read them back took longer than all the rest.
 */
#include "codec/flate.h"

#include <stdint.h>
#include <string.h>

#include "codec/huffman.h"
#include "codec/packet.h"

#define likely(x) __builtin_expect(!!(x), 1)

enum {
	WINDOW = 1 << 15, MATCH_MAX = 258, MATCH_MIN = 3, NLENGTHS = MATCH_MAX - MATCH_MIN + 1, ENDS = 256,
	LITERALS = 286, DISTANCES = 30, LENGTHS = 19,         /* symbols of the three alphabets */
	NARROW_KEY = 5, WIDE_KEY = 20, NARROW_KEY_BITS = 15, WIDE_KEY_BITS = 14,    /* bytes of the keys of both tables; log2 of their slots */
	PLACE_BITS = 12,
	AHEAD = 8,                    /* for stamps: a match must begin at least this many bytes before the end of the bytes written */
	STEPS = 1 << 14,              /* steps of a deflate block, after which new codes are made */
	STORED_MAX = UINT16_MAX,
	FIRST = WINDOW + 1,           /* the position of the first byte, so that 0, an empty slot, is out of reach of all bytes */
};

/*
 * Literals, then a match of ${len} + MATCH_MIN bytes that are also ${back} + 1 bytes before; ${distance}: the symbol of that distance. If ${distance}
 * has the bit SHORT, ${literals} holds the literals themselves, a number of one or two bytes; else it is their count.
 */
struct step {
	uint32_t literals;
	uint16_t distance_less_1;
	uint8_t len, distance;
};
enum { SHORT = 1 << 7, SHORT_END = 1 << 16 };

/* How often each symbol occurs in the steps of a block, counted as they are made. */
struct counts {
	uint32_t byte[4][256];        /* counts of literals, in four sets by turns: repeated literals need not wait for the same count */
	uint32_t second[256];         /* counts of the second bytes of short numbers; 0: the number has only one byte */
	uint32_t len[NLENGTHS];
	uint32_t distance[DISTANCES];
};

/* The place where a packet with this form and this many bytes of number was written last. */
struct place {
	uint64_t form;                /* run's ${group}, form and bytes of the number; 0: the slot is empty */
	uint32_t at, len;
	uint8_t s[TT_FORM_MAX_BYTES];
	uint64_t padding;             /* padding to 64 bytes, so that a slot is on one or two cache lines */
};

struct tt_flate {
	uint32_t near[1 << NARROW_KEY_BITS], far[1 << WIDE_KEY_BITS];
	struct place place[1 << PLACE_BITS];
	struct step step[STEPS];
	size_t n;
	struct counts count;
	struct tt_huffman literal, distance, length;
	uint8_t symbol[NLENGTHS];  /* the symbol of each length of a match, less ENDS + 1 */
};

/* --- lengths and distances (RFC 1951, 3.2.5) ---------------------------------- */

static const uint16_t length_from[] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const uint8_t length_extra[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
enum { LENGTH_CODES = sizeof length_from / sizeof *length_from };

static inline unsigned
distance_symbol(unsigned back)
{
	if (back < 2)
		return back;
	unsigned top = 31 - (unsigned)__builtin_clz(back);

	return 2 * top + (back >> (top - 1) & 1);
}

static inline unsigned
distance_extra(unsigned symbol)
{
	return symbol < 4 ? 0 : symbol / 2 - 1;
}

int
tt_flate_new(struct tt_mem *mem, struct tt_flate **f, struct tt_err *err)
{
	*f = tt_mem_alloc(mem, sizeof **f, err);
	if (!*f)
		return err ? err->code : TT_E_NOMEM;
	for (unsigned len = MATCH_MIN, s = 0; len <= MATCH_MAX; len++) {
		s += s + 1 < LENGTH_CODES && len >= length_from[s + 1];
		(*f)->symbol[len - MATCH_MIN] = (uint8_t)s;
	}
	return TT_OK;
}

void
tt_flate_free(struct tt_flate *f, struct tt_mem *mem)
{
	tt_mem_free(mem, f, sizeof *f);
}

/* --- bits --------------------------------------------------------------------- */

struct bits {
	uint64_t v;                   /* ${n} bits that are not written yet, fewer than 8 after move() */
	unsigned n;
	uint8_t *p;
};

static inline void
add(struct bits *b, uint64_t v, unsigned n)
{
	b->v |= v << b->n;
	b->n += n;
}

/* Add a code in the form of struct put: bits, and their number in the lowest eight bits. */
static inline void
add_put(struct bits *b, uint32_t put)
{
	add(b, put >> 8, put & 255);
}

/* Write the whole bytes; 8 bytes of memory are overwritten. At most 56 bits may be added between two calls. */
static inline void
move(struct bits *b)
{
	memcpy(b->p, &b->v, 8);
	b->p += b->n >> 3;
	b->v >>= b->n & ~7u;
	b->n &= 7;
}

static void
fill_byte(struct bits *b)
{
	b->n = (b->n + 7) & ~7u;
	move(b);
}

/* --- a block -------------------------------------------------------------------- */

/* Write the ${n} bytes at ${in} as stored blocks. */
static void
put_stored(struct bits *b, const uint8_t *in, size_t n, bool last)
{
	do {
		size_t some = n < STORED_MAX ? n : STORED_MAX;

		add(b, last && some == n, 3);
		fill_byte(b);
		add(b, some | (uint64_t)(some ^ 0xffff) << 16, 32);
		move(b);
		memcpy(b->p, in, some);
		b->p += some;
		in += some;
		n -= some;
	} while (n > 0);
}

/* Append a step: the ${literals} bytes at ${in}, then a match of ${len} bytes that are also ${back} bytes before. There is room. */
static inline void
add_step(struct tt_flate *f, const uint8_t *in, uint32_t literals, size_t len, uint32_t back)
{
	const unsigned distance = distance_symbol(back - 1);

	for (uint32_t k = 0; k < literals; k++)
		f->count.byte[k & 3][in[k]]++;
	f->count.len[len - MATCH_MIN]++;
	f->count.distance[distance]++;
	f->step[f->n++] = (struct step){ literals, (uint16_t)(back - 1), (uint8_t)(len - MATCH_MIN), (uint8_t)distance };
}

/* As add_step() after a short number of one or two bytes. A second byte that is not there is counted as 0: a branch would cost more. */
static inline void
add_short(struct tt_flate *f, uint32_t number, size_t len, uint32_t back)
{
	const unsigned distance = distance_symbol(back - 1);

	f->count.byte[f->n & 3][number & 255]++;
	f->count.second[number >> 8]++;
	f->count.len[len - MATCH_MIN]++;
	f->count.distance[distance]++;
	f->step[f->n++] = (struct step){ number, (uint16_t)(back - 1), (uint8_t)(len - MATCH_MIN), (uint8_t)(distance | SHORT) };
}

/* Count the symbols of the steps and of the ${tail} literals at ${in} after them. */
static void
count(struct tt_flate *f, const uint8_t *in, size_t tail)
{
	for (size_t k = 0; k < tail; k++)
		f->count.byte[k & 3][in[k]]++;
	memset(f->literal.count, 0, sizeof f->literal.count);
	f->count.second[0] = 0;
	for (unsigned i = 0; i < 256; i++) {
		f->literal.count[i] += f->count.second[i];
		for (unsigned k = 0; k < 4; k++)
			f->literal.count[i] += f->count.byte[k][i];
	}
	f->literal.count[ENDS] = 1;
	for (unsigned i = 0; i < NLENGTHS; i++)
		f->literal.count[ENDS + 1 + f->symbol[i]] += f->count.len[i];
	memcpy(f->distance.count, f->count.distance, sizeof f->count.distance);
	memset(&f->count, 0, sizeof f->count);
}

/* The code lengths of both codes, as the head of a block stores them: three symbols stand for runs of equal lengths. */
struct lengths {
	unsigned nliterals, ndistances, n, ncode_lengths;
	uint8_t symbol[LITERALS + DISTANCES], extra[LITERALS + DISTANCES];
};
static const uint8_t run_bits[LENGTHS] = { [16] = 2, [17] = 3, [18] = 7 };
static const uint8_t length_order[LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };

static unsigned
used(const struct tt_huffman *h, unsigned n, unsigned least)
{
	while (n > least && h->len[n - 1] == 0)
		n--;
	return n;
}

/* Return a symbol for *${run} equal lengths ${len}, and set *${run} to how many it stands for, *${extra} to its extra bits. ${again}: so was the one before. */
static unsigned
run_symbol(uint8_t len, bool again, unsigned *run, uint8_t *extra)
{
	static const struct { unsigned symbol, least, most; } kind[] = { { 18, 11, 138 }, { 17, 3, 10 }, { 16, 3, 6 } };

	for (unsigned i = len ? 2 : 0; i < (len ? 3 : 2) && (!len || again); i++)
		if (*run >= kind[i].least) {
			*run = *run < kind[i].most ? *run : kind[i].most;
			*extra = (uint8_t)(*run - kind[i].least);
			return kind[i].symbol;
		}
	*run = 1;
	*extra = 0;
	return len;
}

static void
list_lengths(struct tt_flate *f, struct lengths *l)
{
	uint8_t len[LITERALS + DISTANCES];
	unsigned n;

	*l = (struct lengths){ .nliterals = used(&f->literal, LITERALS, ENDS + 1), .ndistances = used(&f->distance, DISTANCES, 1) };
	n = l->nliterals + l->ndistances;
	memcpy(len, f->literal.len, l->nliterals);
	memcpy(len + l->nliterals, f->distance.len, l->ndistances);
	memset(f->length.count, 0, sizeof f->length.count);
	for (unsigned i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && len[i + run] == len[i];)
			run++;
		l->symbol[l->n] = (uint8_t)run_symbol(len[i], i > 0 && len[i - 1] == len[i], &run, &l->extra[l->n]);
		f->length.count[l->symbol[l->n++]]++;
	}
	tt_huffman_assign_codes(&f->length, LENGTHS, 7);
	for (l->ncode_lengths = LENGTHS; l->ncode_lengths > 4 && f->length.len[length_order[l->ncode_lengths - 1]] == 0;)
		l->ncode_lengths--;
}

/* Return the bits that the block takes with the codes made for it. */
static uint64_t
coded_bits(const struct tt_flate *f, const struct lengths *l)
{
	uint64_t n = 3 + 14 + 3 * l->ncode_lengths;

	for (unsigned i = 0; i < LENGTHS; i++)
		n += (uint64_t)f->length.count[i] * (f->length.len[i] + (unsigned)run_bits[i]);
	for (unsigned i = 0; i < LITERALS; i++)
		n += (uint64_t)f->literal.count[i] * (f->literal.len[i] + (i > ENDS ? (unsigned)length_extra[i - ENDS - 1] : 0));
	for (unsigned i = 0; i < DISTANCES; i++)
		n += (uint64_t)f->distance.count[i] * (f->distance.len[i] + distance_extra(i));
	return n;
}

static void
put_head(const struct tt_flate *f, const struct lengths *l, struct bits *b, bool last)
{
	add(b, last | 2u << 1, 3);
	add(b, l->nliterals - 257, 5);
	add(b, l->ndistances - 1, 5);
	add(b, l->ncode_lengths - 4, 4);
	move(b);
	for (unsigned i = 0; i < l->ncode_lengths; i++) {
		add(b, f->length.len[length_order[i]], 3);
		move(b);
	}
	for (unsigned i = 0; i < l->n; i++) {
		add(b, f->length.code[l->symbol[i]], f->length.len[l->symbol[i]]);
		add(b, l->extra[i], run_bits[l->symbol[i]]);
		move(b);
	}
}

/* Write ${n} literals, three at a time, because three codes have up to 45 bits. */
static inline const uint8_t *
put_literals(struct bits *b, const uint32_t *put, const uint8_t *in, size_t n)
{
	for (; n >= 3; n -= 3, in += 3) {
		add_put(b, put[in[0]]);
		add_put(b, put[in[1]]);
		add_put(b, put[in[2]]);
		move(b);
	}
	for (; n > 0; n--)
		add_put(b, put[*in++]);
	move(b);
	return in;
}

/* The codes of a block, ready to write: the bits of the code, shifted left by eight, and their number in the lowest eight bits. */
struct put {
	uint32_t literal[256], second[256], len[NLENGTHS];
	struct { uint16_t code, extra, n, all; } distance[DISTANCES];
};

static void
make_put(const struct tt_flate *f, struct put *c)
{
	for (unsigned i = 0; i < 256; i++)
		c->second[i] = c->literal[i] = (uint32_t)f->literal.code[i] << 8 | f->literal.len[i];
	c->second[0] = 0;
	for (unsigned i = 0; i < NLENGTHS; i++) {
		const unsigned s = f->symbol[i], n = f->literal.len[ENDS + 1 + s];

		c->len[i] = (f->literal.code[ENDS + 1 + s] | (uint32_t)(i + MATCH_MIN - length_from[s]) << n) << 8 | (n + length_extra[s]);
	}
	for (unsigned i = 0; i < DISTANCES; i++) {
		c->distance[i].code = f->distance.code[i];
		c->distance[i].n = f->distance.len[i];
		c->distance[i].extra = (uint16_t)((1u << distance_extra(i)) - 1);
		c->distance[i].all = (uint16_t)(f->distance.len[i] + distance_extra(i));
	}
}

/* Return the bits to write for the match of ${s}, and set *${n} to their number, up to 48. */
static inline uint64_t
match_bits(const struct put *c, struct step s, unsigned *n)
{
	const unsigned d = s.distance & ~(unsigned)SHORT;
	const uint32_t len = c->len[s.len];
	const uint64_t back = c->distance[d].code | (uint64_t)(s.distance_less_1 & c->distance[d].extra) << c->distance[d].n;

	*n = (len & 255) + c->distance[d].all;
	return len >> 8 | back << (len & 255);
}

static void
put_steps(const struct tt_flate *f, struct bits *out, const uint8_t *in, size_t tail)
{
	struct bits b = *out;         /* a local copy, because bytes written to memory may alias *out */
	struct put c;

	make_put(f, &c);
	for (size_t i = 0; i < f->n; i++) {
		const struct step s = f->step[i];
		unsigned n;
		const uint64_t match = match_bits(&c, s, &n);

		if (likely(s.distance & SHORT)) {
			const uint32_t first = c.literal[s.literals & 255], second = c.second[s.literals >> 8];
			const unsigned both = (first & 255) + (second & 255);

			add(&b, first >> 8 | (uint64_t)(second >> 8) << (first & 255), both);
			in += 1 + (s.literals > 255);
			if (!likely(both + n <= 56))
				move(&b);
		} else {
			in = put_literals(&b, c.literal, in, s.literals);
		}
		add(&b, match, n);
		move(&b);
		in += s.len + MATCH_MIN;
	}
	put_literals(&b, c.literal, in, tail);
	add(&b, f->literal.code[ENDS], f->literal.len[ENDS]);
	move(&b);
	*out = b;
}

/* Write the steps so far as a block, which encodes the ${n} bytes at ${in}; the last ${tail} of these are literals after the last step. */
static void
put_block(struct tt_flate *f, struct bits *b, const uint8_t *in, size_t n, size_t tail, bool last)
{
	struct lengths l;

	count(f, in + n - tail, tail);
	tt_huffman_assign_codes(&f->literal, LITERALS, TT_HUFFMAN_BITS);
	tt_huffman_assign_codes(&f->distance, DISTANCES, TT_HUFFMAN_BITS);
	list_lengths(f, &l);
	if (coded_bits(f, &l) / 8 >= n) {
		put_stored(b, in, n, last);
	} else {
		put_head(f, &l, b, last);
		put_steps(f, b, in, tail);
	}
	f->n = 0;
}

/* --- the search ------------------------------------------------------------------- */

static inline uint64_t
load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* Factors of hashes. A hash is only used as a slot number, and collisions cost no time. */
#define MIX 0x9e3779b97f4a7c15u
#define MIX_AGAIN 0xc2b2ae3d27d4eb4fu

static inline uint32_t
near_slot(uint64_t v)
{
	return (uint32_t)((v << (64 - 8 * NARROW_KEY)) * MIX >> (64 - NARROW_KEY_BITS));
}

static inline uint32_t
far_slot(uint64_t v, uint64_t end)
{
	return (uint32_t)((v * MIX + end) * MIX_AGAIN >> (64 - WIDE_KEY_BITS));
}

/* Return how many of the first ${most} bytes at ${a} and ${b} are the same. */
static inline size_t
same(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t n = 0;

	for (; n + 8 <= most; n += 8) {
		uint64_t x = load(a + n) ^ load(b + n);

		if (x)
			return n + ((size_t)__builtin_ctzll(x) >> 3);
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/* Find an earlier place of the bytes at ${p}, *${back} bytes before. Returns how many bytes match; 0: too few. WIDE_KEY bytes are readable at ${p}. */
static inline size_t
find(struct tt_flate *f, const uint8_t *in, const uint8_t *p, const uint8_t *end, uint32_t *back)
{
	const uint64_t v = load(p);
	const uint32_t at = (uint32_t)(p - in) + FIRST;
	uint32_t *far = &f->far[far_slot(v, load(p + WIDE_KEY - 8))], *near = &f->near[near_slot(v)];
	const uint32_t was_far = *far, was = *near;

	*far = *near = at;
	if (at - was_far <= WINDOW && load(in + (was_far - FIRST)) == v) {
		*back = at - was_far;
		return 8 + same(p + 8, p + 8 - *back, (size_t)(end - p) - 8);
	}
	if (at - was > WINDOW)
		return 0;
	const uint64_t x = load(in + (was - FIRST)) ^ v;
	*back = at - was;
	if (x << (64 - 8 * NARROW_KEY))
		return 0;
	return x ? (size_t)__builtin_ctzll(x) >> 3 : 8 + same(p + 8, p + 8 - *back, (size_t)(end - p) - 8);
}

/* Add a match, in several steps if it is long, and write full blocks: *${from} becomes the beginning of the next block. */
static inline void
keep(struct tt_flate *f, struct bits *b, const uint8_t **from, const uint8_t *literal, const uint8_t *p, size_t len, uint32_t back)
{
	uint32_t literals = (uint32_t)(p - literal);

	while (len > 0) {
		size_t some = len <= MATCH_MAX ? len : len < MATCH_MAX + MATCH_MIN ? len - MATCH_MIN : MATCH_MAX;

		add_step(f, literal, literals, some, back);
		literals = 0;
		len -= some;
		p += some;
		if (f->n == STEPS) {
			put_block(f, b, *from, (size_t)(p - *from), 0, false);
			*from = p;
		}
	}
}

/* Return the number of digits at the beginning of the 8 bytes at ${p}. */
static inline size_t
digits(const uint8_t *p)
{
	const uint64_t v = load(p) ^ 0x3030303030303030, other = (v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0;

	return other ? (size_t)__builtin_ctzll(other) >> 3 : 8;
}

/* The input that is being compressed. */
struct run {
	struct tt_flate *f;
	const uint8_t *in, *end;
	const uint8_t *from;          /* the beginning of the block */
	const uint8_t *literal;       /* the end of the last match, where the next literals begin */
	size_t min_ahead;             /* bytes that must be readable where a match begins */
	struct bits b;
};

/* Return the end of the range in which a match may begin. */
static inline const uint8_t *
stop_of(const struct run *r)
{
	return (size_t)(r->end - r->in) > r->min_ahead ? r->end - r->min_ahead : r->in;
}

/* Return how many bytes before ${p}, at most back to the last match, are the same as those ${back} bytes earlier. */
static inline size_t
same_before(const struct run *r, const uint8_t *p, uint32_t back)
{
	const size_t there = (size_t)(p - r->in) - back, behind = (size_t)(p - r->literal), most = there < behind ? there : behind;
	size_t n = 0;

	/* Mostly few bytes, but their number is hard to predict: compare eight at once. */
	if (there >= 8) {
		const uint64_t x = load(p - 8) ^ load(p - 8 - back);

		n = x ? (size_t)__builtin_clzll(x) >> 3 : 8;
		if (n < 8 || most <= 8)
			return n < most ? n : most;
	}
	while (n < most && p[-1 - (ptrdiff_t)n] == p[-1 - (ptrdiff_t)n - (ptrdiff_t)back])
		n++;
	return n;
}

/* Add the match of the ${len} bytes at ${p} with those ${back} bytes before, extended backwards as far as bytes are the same. */
static inline void
take(struct run *r, const uint8_t *p, size_t len, uint32_t back)
{
	size_t before = same_before(r, p, back);

	p -= before;
	len += before;
	keep(r->f, &r->b, &r->from, r->literal, p, len, back);
	r->literal = p + len;
}

static void
search_text(struct run *r, const uint8_t *p)
{
	const uint8_t *stop = stop_of(r);

	while (p < stop && (p += digits(p)) < stop) {
		uint32_t back;
		size_t len = find(r->f, r->in, p, r->end, &back);

		if (len == 0) {
			p++;
			continue;
		}
		take(r, p, len, back);
		p = r->literal;
	}
}

/* Return the beginning of the last field of the packet at ${p}, assuming that it is a number: a tag, continuation bytes, and the last byte. */
static inline const uint8_t *
last_number(const uint8_t *p, const uint8_t *next)
{
	if (next - p < 8)
		return next;
	const uint64_t last = ~load(next - 8) & 0x0080808080808080;

	return last ? next - 2 - (__builtin_clzll(last << 8) >> 3) : next - 8;
}

/* As find(), for a packet whose time begins at ${time}. */
static inline size_t
find_packet(struct tt_flate *f, const uint8_t *in, const uint8_t *p, const uint8_t *time, const uint8_t *end, uint32_t *back)
{
	const uint64_t v = load(p);
	const uint32_t at = (uint32_t)(p - in) + FIRST;
	const uint8_t *kind = time - p > 8 ? time - 8 : p;
	uint32_t *far = &f->far[far_slot(v, load(kind))], *near = &f->near[near_slot(v)];
	const uint32_t was_far = *far, was = *near;

	*far = *near = at;
	*back = at - was_far;
	if (*back > WINDOW || load(p - *back) != v)
		*back = at - was;
	return *back <= WINDOW ? same(p, p - *back, (size_t)(end - p)) : 0;
}

/* Search for matches in the packet at ${p}, up to its time. */
static inline void
search_packet(struct run *r, const uint8_t *p, const uint8_t *time)
{
	const uint8_t *stop = stop_of(r);
	uint32_t back;
	size_t len;

	/* The packet's beginning may be part of the last match. */
	if (p >= r->literal && (len = find_packet(r->f, r->in, p++, time, r->end, &back)) >= NARROW_KEY)
		take(r, p - 1, len, back);
	p = p < r->literal ? r->literal : p;
	stop = time < stop ? time : stop;
	while (p < stop)
		if ((len = find(r->f, r->in, p, r->end, &back))) {
			take(r, p, len, back);
			p = r->literal;
		} else {
			p++;
		}
}

static const uint8_t *
search_packets(struct run *r, const uint8_t *p)
{
	const uint8_t *stop = stop_of(r), *next;

	for (; p < stop && (next = tt_packet_end(p, stop)); p = next)
		search_packet(r, p, last_number(p, next));
	return p < r->literal ? r->literal : p;
}

static struct run
begin(struct tt_flate *f, const char *in, char *out)
{
	const uint8_t *p = (const uint8_t *)in;

	memset(f->near, 0, sizeof f->near);
	memset(f->far, 0, sizeof f->far);
	return (struct run){ .f = f, .in = p, .end = p, .from = p, .literal = p, .min_ahead = WIDE_KEY, .b = { .p = (uint8_t *)out } };
}

static size_t
finish(struct run *r, const char *out, bool last)
{
	put_block(r->f, &r->b, r->from, (size_t)(r->end - r->from), (size_t)(r->end - r->literal), last);
	if (!last)
		put_stored(&r->b, r->end, 0, false);
	else
		fill_byte(&r->b);
	return (size_t)(r->b.p - (const uint8_t *)out);
}

size_t
tt_flate(struct tt_flate *f, const char *in, size_t n, char *out, bool last)
{
	struct run r = begin(f, in, out);

	r.end += n;
	search_text(&r, r.in);
	return finish(&r, out, last);
}

size_t
tt_flate_packets(struct tt_flate *f, const char *in, size_t n, char *out, bool last)
{
	struct run r = begin(f, in, out);

	r.end += n;
	search_text(&r, search_packets(&r, r.in));
	return finish(&r, out, last);
}

/* --- stamps ------------------------------------------------------------------------- */

/* Note that all bytes before ${p} are written. Bytes after ${p} that a search reads are cleared, so that output depends on the input alone. */
static void
write_to(struct run *r, uint8_t *p)
{
	memset(p, 0, WIDE_KEY);
	r->end = p;
}

static void
put_bytes(struct run *r, uint8_t *p, const char *bytes, size_t n)
{
	memcpy(p, bytes, n);
	write_to(r, p + n);
	search_text(r, search_packets(r, p));
}

/* Write the packet of ${s}, whose form comes for the first time or was too far back. Returns the length of the form. */
static __attribute__((noinline)) uint32_t
put_form(struct run *r, const struct tt_forms *forms, uint32_t of, struct tt_stamp s, uint8_t *p)
{
	const unsigned number = s.form & 7;
	const size_t len = forms->write(forms->arg, of, s.form >> 3, (char *)p);

	p[1] = (uint8_t)(len - 2 + number);
	memcpy(p + len, s.number, sizeof s.number);
	write_to(r, p + len + number);
	search_packet(r, p, p + len);
	return (uint32_t)len;
}

/* Write the packet of each stamp after ${r}->end, where later packets find matches, and add a step for it. */
static void
put_stamps(struct run *r, const struct tt_forms *forms, uint32_t of, const char *stamps, size_t n)
{
	struct tt_flate *f = r->f;
	uint8_t *p = (uint8_t *)(uintptr_t)r->end;
	uint32_t number = SHORT_END;  /* the literals between the last match and ${p}; from SHORT_END on: they are no short number */

	for (size_t i = 0; i < n; i++) {
		struct tt_stamp s;
		memcpy(&s, stamps + i * sizeof s, sizeof s);
		const uint64_t form = (uint64_t)of << 32 | s.form;
		struct place *k = &f->place[form * MIX >> (64 - PLACE_BITS)];
		const uint32_t at = (uint32_t)(p - r->in) + FIRST, back = at - k->at;

		if (likely(k->form == form && back <= WINDOW)) {
			const uint32_t len = k->len;

			memcpy(p, k->s, 32);
			if (!likely(len <= 32))
				memcpy(p + 32, k->s + 32, TT_FORM_MAX_BYTES - 32);
			memcpy(p + len, s.number, sizeof s.number);
			if (likely(number < SHORT_END))
				add_short(f, number, len, back);
			else
				add_step(f, r->literal, (uint32_t)(p - r->literal), len, back);
			memcpy(&number, s.number, sizeof number);
			p += len;
			r->literal = p;
			if (!likely(f->n < STEPS)) {
				put_block(f, &r->b, r->from, (size_t)(r->literal - r->from), 0, false);
				r->from = r->literal;
			}
		} else {
			k->form = form;
			k->len = put_form(r, forms, of, s, p);
			memcpy(k->s, p, TT_FORM_MAX_BYTES);
			p += k->len;
			number = SHORT_END;
		}
		k->at = at;
		p += s.form & 7;
	}
	r->end = p;
}

size_t
tt_flate_stamps(struct tt_flate *f, const struct tt_forms *forms, const char *in, size_t n, char *bytes, size_t *nbytes, char *out)
{
	struct run r = begin(f, bytes, out);

	r.min_ahead = AHEAD;
	memset(f->place, 0, sizeof f->place);
	for (const char *end = in + n; in < end;) {
		struct tt_stamp_run run;

		memcpy(&run, in, sizeof run);
		put_stamps(&r, forms, run.group, in + sizeof run, run.nstamps);
		if (run.packets_bytes)
			put_bytes(&r, (uint8_t *)(uintptr_t)r.end, in + sizeof run + run.nstamps * sizeof(struct tt_stamp), run.packets_bytes);
		in += tt_stamp_run_bytes(&run);
	}
	*nbytes = (size_t)(r.end - r.in);
	return finish(&r, out, true);
}
