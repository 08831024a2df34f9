/**
 * Deflate for text and packets that repeat themselves; the contract is in flate.h.
 *
 * The input is searched once, from left to right. After a match the search goes on behind it, and places inside the match are not noted: in a
 * trace, what repeats begins behind a number, and that place is noted already. Two tables say where the next bytes occurred last: one for
 * many bytes, which tells a name from others that begin alike, and one for NEAR bytes. Each holds the last place only, so every step costs the
 * same, whatever the input. A match found is then extended backwards.
 *
 * Places inside the numbers of a text are not noted, because digits repeat by chance, and a match so short saves nothing. A packet is looked up
 * where it begins, once: by its first bytes, and by those in front of its time, the number that ends it. Only where it differs before the time the rest
 * is searched like text.
 */
#include "io/flate.h"

#include <stdint.h>
#include <string.h>

#include "io/huffman.h"
#include "io/packet.h"

enum {
	WINDOW = 1 << 15, MATCH_MOST = 258, MATCH_LEAST = 3, ENDS = 256,
	LITERALS = 286, DISTANCES = 30, LENGTHS = 19,         /* symbols of the three alphabets */
	NEAR = 5, FAR = 20, NEAR_BITS = 15, FAR_BITS = 14,    /* bytes that the tables tell apart; log2 of their slots */
	STEPS = 1 << 14,              /* of a deflate block: then codes are made anew */
	STORED_MOST = UINT16_MAX,
	FIRST = WINDOW + 1,           /* the place of the first byte: 0, an empty slot, is too far from all */
};

/* Literals, then ${len} bytes that are the same ${back} + 1 bytes before. */
struct step {
	uint32_t literals;
	uint16_t len, back;
};

struct tt_flate {
	uint32_t near[1 << NEAR_BITS], far[1 << FAR_BITS];
	struct step step[STEPS];
	size_t n;
	struct tt_huffman literal, distance, length;
	uint32_t put[MATCH_MOST + 1]; /* what is written for a match's length: the bits, and above 24 how many */
	uint8_t symbol[MATCH_MOST + 1];       /* of a length, less ENDS + 1 */
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
	for (unsigned len = MATCH_LEAST, s = 0; len <= MATCH_MOST; len++) {
		s += s + 1 < LENGTH_CODES && len >= length_from[s + 1];
		(*f)->symbol[len] = (uint8_t)s;
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
	uint64_t v;                   /* ${n} bits that are not written yet: below 8 after move() */
	unsigned n;
	uint8_t *p;
};

static inline void
add(struct bits *b, uint64_t v, unsigned n)
{
	b->v |= v << b->n;
	b->n += n;
}

/* As struct tt_flate has them in put. */
static inline void
add_put(struct bits *b, uint32_t put)
{
	add(b, put & 0xffffff, put >> 24);
}

/* Write whole bytes; 8 are touched. There is room for 56 bits between two of these. */
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

/* The ${n} bytes as they are. */
static void
put_stored(struct bits *b, const uint8_t *in, size_t n, bool last)
{
	do {
		size_t some = n < STORED_MOST ? n : STORED_MOST;

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

static void
count(struct tt_flate *f, const uint8_t *in, size_t tail)
{
	uint32_t byte[4][256] = { { 0 } };    /* in turns: the same byte again needs not wait for itself */

	memset(f->literal.count, 0, sizeof f->literal.count);
	memset(f->distance.count, 0, sizeof f->distance.count);
	for (size_t i = 0; i < f->n; i++) {
		const struct step *s = &f->step[i];

		for (uint32_t k = 0; k < s->literals; k++)
			byte[k & 3][in[k]]++;
		f->literal.count[ENDS + 1 + f->symbol[s->len]]++;
		f->distance.count[distance_symbol(s->back)]++;
		in += s->literals + s->len;
	}
	for (size_t k = 0; k < tail; k++)
		byte[k & 3][in[k]]++;
	for (unsigned i = 0; i < 256; i++)
		f->literal.count[i] = byte[0][i] + byte[1][i] + byte[2][i] + byte[3][i];
	f->literal.count[ENDS] = 1;
}

/* The lengths of both codes, as a block's head has them: runs by three symbols of their own. */
struct lengths {
	unsigned literals, distances, n, shown;
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

/* The symbol for the ${run} equal lengths ${len}, which may take fewer of them; *${extra} beside it. ${again}: the one before was the same. */
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

	*l = (struct lengths){ .literals = used(&f->literal, LITERALS, ENDS + 1), .distances = used(&f->distance, DISTANCES, 1) };
	n = l->literals + l->distances;
	memcpy(len, f->literal.len, l->literals);
	memcpy(len + l->literals, f->distance.len, l->distances);
	memset(f->length.count, 0, sizeof f->length.count);
	for (unsigned i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && len[i + run] == len[i];)
			run++;
		l->symbol[l->n] = (uint8_t)run_symbol(len[i], i > 0 && len[i - 1] == len[i], &run, &l->extra[l->n]);
		f->length.count[l->symbol[l->n++]]++;
	}
	tt_huffman_make(&f->length, LENGTHS, 7);
	for (l->shown = LENGTHS; l->shown > 4 && f->length.len[length_order[l->shown - 1]] == 0;)
		l->shown--;
}

/* How many bits the block takes with the codes made for it. */
static uint64_t
coded_bits(const struct tt_flate *f, const struct lengths *l)
{
	uint64_t n = 3 + 14 + 3 * l->shown;

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
	add(b, l->literals - 257, 5);
	add(b, l->distances - 1, 5);
	add(b, l->shown - 4, 4);
	move(b);
	for (unsigned i = 0; i < l->shown; i++) {
		add(b, f->length.len[length_order[i]], 3);
		move(b);
	}
	for (unsigned i = 0; i < l->n; i++) {
		add(b, f->length.code[l->symbol[i]], f->length.len[l->symbol[i]]);
		add(b, l->extra[i], run_bits[l->symbol[i]]);
		move(b);
	}
}

/* ${n} literals, three at a time: their codes have up to 45 bits. */
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

static void
put_steps(struct tt_flate *f, struct bits *out, const uint8_t *in, size_t tail)
{
	struct bits b = *out;         /* its own: what it writes could be anything to the compiler */
	uint32_t put[256];

	for (unsigned i = 0; i < 256; i++)
		put[i] = f->literal.code[i] | (uint32_t)f->literal.len[i] << 24;
	for (unsigned len = MATCH_LEAST; len <= MATCH_MOST; len++) {
		unsigned s = f->symbol[len], n = f->literal.len[ENDS + 1 + s];

		f->put[len] = f->literal.code[ENDS + 1 + s] | (uint32_t)(len - length_from[s]) << n | (uint32_t)(n + length_extra[s]) << 24;
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct step s = f->step[i];
		unsigned d = distance_symbol(s.back), extra = distance_extra(d);

		in = put_literals(&b, put, in, s.literals) + s.len;
		add_put(&b, f->put[s.len]);
		add(&b, f->distance.code[d], f->distance.len[d]);
		add(&b, s.back & (((uint32_t)1 << extra) - 1), extra);
		move(&b);
	}
	put_literals(&b, put, in, tail);
	add(&b, f->literal.code[ENDS], f->literal.len[ENDS]);
	move(&b);
	*out = b;
}

/* Write the steps so far, which encode the ${n} bytes at ${in}; the last ${tail} of these are literals behind the last step. */
static void
put_block(struct tt_flate *f, struct bits *b, const uint8_t *in, size_t n, size_t tail, bool last)
{
	struct lengths l;

	count(f, in, tail);
	tt_huffman_make(&f->literal, LITERALS, TT_HUFFMAN_BITS);
	tt_huffman_make(&f->distance, DISTANCES, TT_HUFFMAN_BITS);
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

/* Factors whose bits are mixed; what is made of them is only ever a slot, and a full one costs nothing more. */
#define MIX 0x9e3779b97f4a7c15u
#define MIX_AGAIN 0xc2b2ae3d27d4eb4fu

static inline uint32_t
near_slot(uint64_t v)
{
	return (uint32_t)((v << (64 - 8 * NEAR)) * MIX >> (64 - NEAR_BITS));
}

static inline uint32_t
far_slot(uint64_t v, uint64_t end)
{
	return (uint32_t)((v * MIX + end) * MIX_AGAIN >> (64 - FAR_BITS));
}

/* How many bytes are the same at ${a} and ${b}, of at most ${most}. */
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

/* Where were the bytes at ${p} before? Returns how many are the same, *${back} bytes before; 0: too few. FAR bytes can be read. */
static inline size_t
find(struct tt_flate *f, const uint8_t *in, const uint8_t *p, const uint8_t *end, uint32_t *back)
{
	const uint64_t v = load(p);
	const uint32_t at = (uint32_t)(p - in) + FIRST;
	uint32_t *far = &f->far[far_slot(v, load(p + FAR - 8))], *near = &f->near[near_slot(v)];
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
	if (x << (64 - 8 * NEAR))
		return 0;
	return x ? (size_t)__builtin_ctzll(x) >> 3 : 8 + same(p + 8, p + 8 - *back, (size_t)(end - p) - 8);
}

/* Keep a match, in as many steps as it takes, and write blocks that are full: *${from} is where the next one begins. */
static inline void
keep(struct tt_flate *f, struct bits *b, const uint8_t **from, const uint8_t *literal, const uint8_t *p, size_t len, uint32_t back)
{
	uint32_t literals = (uint32_t)(p - literal);

	while (len > 0) {
		size_t some = len <= MATCH_MOST ? len : len < MATCH_MOST + MATCH_LEAST ? len - MATCH_LEAST : MATCH_MOST;

		f->step[f->n++] = (struct step){ literals, (uint16_t)some, (uint16_t)(back - 1) };
		literals = 0;
		len -= some;
		p += some;
		if (f->n == STEPS) {
			put_block(f, b, *from, (size_t)(p - *from), 0, false);
			*from = p;
		}
	}
}

/* How many of the 8 bytes at ${p} are digits, up to the first that is none. */
static inline size_t
digits(const uint8_t *p)
{
	const uint64_t v = load(p) ^ 0x3030303030303030, other = (v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0;

	return other ? (size_t)__builtin_ctzll(other) >> 3 : 8;
}

/* What is being compressed. */
struct run {
	struct tt_flate *f;
	const uint8_t *in, *end;
	const uint8_t *from;          /* where the block begins */
	const uint8_t *literal;       /* behind the last match */
	struct bits b;
};

/* How many bytes in front of ${p} are the same as those ${back} bytes before them: at most those behind the last match. */
static inline size_t
same_before(const struct run *r, const uint8_t *p, uint32_t back)
{
	const size_t there = (size_t)(p - r->in) - back, behind = (size_t)(p - r->literal), most = there < behind ? there : behind;
	size_t n = 0;

	/* Mostly few, but seldom as many as last time: eight at once. */
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

/* Take the ${len} bytes at ${p}, which were ${back} bytes before, too, and those in front of them that are the same. */
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
	const uint8_t *stop = r->end - r->in > FAR ? r->end - FAR : r->in;

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

/* Where the last field of the packet at ${p} begins, if that is a number: a tag, bytes that say that more follows, and the last. */
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

static const uint8_t *
search_packets(struct run *r, const uint8_t *p)
{
	const uint8_t *stop = r->end - r->in > FAR ? r->end - FAR : r->in, *next;

	for (; p < stop && (next = tt_packet_end(p, stop)); p = next) {
		const uint8_t *time = last_number(p, next);
		uint32_t back;
		size_t len;

		/* A match may have covered where it begins. */
		if (p >= r->literal && (len = find_packet(r->f, r->in, p++, time, r->end, &back)) >= NEAR)
			take(r, p - 1, len, back);
		p = p < r->literal ? r->literal : p;
		while (p < time)
			if ((len = find(r->f, r->in, p, r->end, &back))) {
				take(r, p, len, back);
				p = r->literal;
			} else {
				p++;
			}
	}
	return p < r->literal ? r->literal : p;
}

static size_t
flate(struct tt_flate *f, const char *text, size_t n, bool packets, char *out, bool last)
{
	struct run r = { .f = f, .in = (const uint8_t *)text, .b = { .p = (uint8_t *)out } };

	r.end = r.in + n;
	r.from = r.literal = r.in;
	memset(f->near, 0, sizeof f->near);
	memset(f->far, 0, sizeof f->far);
	f->n = 0;
	search_text(&r, packets ? search_packets(&r, r.in) : r.in);
	put_block(f, &r.b, r.from, (size_t)(r.end - r.from), (size_t)(r.end - r.literal), last);
	if (!last)
		put_stored(&r.b, r.end, 0, false);
	else
		fill_byte(&r.b);
	return (size_t)(r.b.p - (uint8_t *)out);
}

size_t
tt_flate(struct tt_flate *f, const char *in, size_t n, char *out, bool last)
{
	return flate(f, in, n, false, out, last);
}

size_t
tt_flate_packets(struct tt_flate *f, const char *in, size_t n, char *out, bool last)
{
	return flate(f, in, n, true, out, last);
}
