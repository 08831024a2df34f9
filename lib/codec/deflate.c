/**
 * Deflates output in blocks, as gzip or as Perfetto's compressed packets.
 *
 * gzip: blocks end at whole bytes, so that together they make one deflate stream, with one header and one trailer around it.
 * Packets: each block is a packet that holds a stream of its own.
 */
#include "codec/block.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "codec/crc32.h"
#include "codec/flate.h"
#include "codec/packet.h"

static int
deflate_start(struct tt_env *env, void **state, struct tt_err *err)
{
	struct tt_flate *f;
	int rc = tt_flate_new(&env->mem, &f, err);

	*state = f;
	return rc;
}

static void
deflate_stop(struct tt_env *env, void *state)
{
	tt_flate_free(state, &env->mem);
}

_Static_assert(TT_BLOCK_BOUND >= TT_FLATE_BOUND(TT_BLOCK_SIZE), "a block that does not compress fits");

static int
deflate_code(const struct tt_coding *coding, void *state, struct tt_block *b, struct tt_err *err)
{
	(void)coding;
	(void)err;
	b->out_n = (b->packets ? tt_flate_packets : tt_flate)(state, b->in, b->in_n, b->out, b->last);
	b->crc = tt_crc32(b->in, b->in_n);
	return TT_OK;
}

/* RFC 1952: deflate, no flags, no time (output must not depend on it), fastest, Unix. */
static size_t
gzip_head(uint8_t *p)
{
	static const uint8_t head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3 };

	memcpy(p, head, sizeof head);
	return sizeof head;
}

static void
put_le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static size_t
gzip_tail(uint8_t *p, uint32_t crc, uint64_t total)
{
	put_le32(p, crc);
	put_le32(p + 4, (uint32_t)total);
	return 8;
}

const struct tt_coding tt_coding_gzip = {
	.suffix = ".gz",
	.start = deflate_start,
	.stop = deflate_stop,
	.code = deflate_code,
	.head = gzip_head,
	.tail = gzip_tail,
};

/* --- packets ------------------------------------------------------------ */

/* Offsets before the stream: field 1 of the trace, its length, field 50 of the packet (compressed_packets), its length, zlib's header. */
enum { LENGTH = 4, PACKET = 1 + LENGTH, FIELD = PACKET + 2 + LENGTH, HEAD = FIELD + 2, CHECKSUM = 4 };
_Static_assert(TT_BLOCK_BOUND >= HEAD + TT_FLATE_BOUND(TT_BLOCK_SIZE) + CHECKSUM, "packets that do not compress fit");
_Static_assert(TT_BLOCK_BOUND < 1 << 7 * LENGTH, "a length has four bytes");

/*
 * zlib's checksum (RFC 1950): 1 plus the sum of all bytes, and the sum of these sums after each byte. There is at most a block of bytes, so the
 * remainders are taken only at the end. zlib's own function adds byte by byte.
 */
struct adler { uint64_t sum, sums_of; };
_Static_assert(TT_BLOCK_SIZE <= 1 << 24, "sums of a block fit");

typedef uint16_t sums __attribute__((vector_size(16)));

/* Add bytes from ${p} on, before ${end}, sixteen at once, even and odd apart, in steps whose sums of sums fit into 16 bits. Returns where it stopped. */
static const uint8_t *
adler_by_16(struct adler *a, const uint8_t *p, const uint8_t *end)
{
	enum { WIDTH = sizeof(sums), STEPS = 22, ALL = WIDTH * STEPS };
	_Static_assert(STEPS * (STEPS + 1) / 2 * 255 <= UINT16_MAX, "sums of sums fit");

	for (; (size_t)(end - p) >= ALL; p += ALL) {
		sums even = { 0 }, odd = { 0 }, all_even = { 0 }, all_odd = { 0 };

		for (size_t i = 0; i < ALL; i += WIDTH) {
			sums v;

			memcpy(&v, p + i, WIDTH);
			even += v & 255;
			odd += v >> 8;
			all_even += even;
			all_odd += odd;
		}
		a->sums_of += ALL * a->sum;
		for (unsigned i = 0; i < WIDTH / 2; i++) {
			a->sum += (uint64_t)even[i] + odd[i];
			a->sums_of += WIDTH * ((uint64_t)all_even[i] + all_odd[i]) - 2 * i * ((uint64_t)even[i] + odd[i]) - odd[i];
		}
	}
	return p;
}

#if defined(__x86_64__)
/* As adler_by_16(), but 32 bytes at once. */
static __attribute__((target("avx2"))) const uint8_t *
adler_by_32(struct adler *a, const uint8_t *p, const uint8_t *end)
{
	enum { WIDTH = 32, STEPS = 512, ALL = WIDTH * STEPS, LANES = 8 };
	const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
	const __m256i places = _mm256_setr_epi8(32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
		16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
	_Static_assert((uint64_t)STEPS * STEPS / 2 * 8 * 255 <= UINT32_MAX, "sums of sums fit");

	for (; (size_t)(end - p) >= ALL; p += ALL) {
		__m256i sum = zero, before = zero, within = zero;
		uint32_t s[LANES], b[LANES], w[LANES];

		for (size_t i = 0; i < ALL; i += WIDTH) {
			const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));

			before = _mm256_add_epi32(before, sum);
			sum = _mm256_add_epi32(sum, _mm256_sad_epu8(v, zero));
			within = _mm256_add_epi32(within, _mm256_madd_epi16(_mm256_maddubs_epi16(v, places), ones));
		}
		memcpy(s, &sum, sizeof s);
		memcpy(b, &before, sizeof b);
		memcpy(w, &within, sizeof w);
		a->sums_of += ALL * a->sum;
		for (unsigned i = 0; i < LANES; i++) {
			a->sum += s[i];
			a->sums_of += WIDTH * (uint64_t)b[i] + w[i];
		}
	}
	return p;
}
#endif

static uint32_t
adler(const char *in, size_t n)
{
	const uint8_t *p = (const uint8_t *)in, *end = p + n;
	struct adler a = { .sum = 1 };

#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		p = adler_by_32(&a, p, end);
#endif
	p = adler_by_16(&a, p, end);
	while (p < end)
		a.sums_of += a.sum += *p++;
	return (uint32_t)(a.sums_of % 65521 << 16 | a.sum % 65521);
}

/* Write ${n} as a varint of LENGTH bytes, padded as Perfetto itself writes lengths. */
static void
put_length(char *p, size_t n)
{
	for (int i = 0; i < LENGTH; i++, n >>= 7)
		p[i] = (char)((n & 127) | (i + 1 < LENGTH ? 128 : 0));
}

struct packing {
	struct tt_flate *f;
	char *bytes;                  /* the uncompressed bytes of a block */
};
#define BYTES (TT_BLOCK_SIZE + TT_FLATE_PAD)

static void
packets_stop(struct tt_env *env, void *state)
{
	struct packing *s = state;

	tt_flate_free(s->f, &env->mem);
	tt_mem_free(&env->mem, s->bytes, BYTES);
	tt_mem_free(&env->mem, s, sizeof *s);
}

static int
packets_start(struct tt_env *env, void **state, struct tt_err *err)
{
	struct packing *s = tt_mem_alloc(&env->mem, sizeof *s, err);

	*state = s;
	if (!s)
		return err ? err->code : TT_E_NOMEM;
	s->bytes = tt_mem_alloc(&env->mem, BYTES, err);
	int rc = s->bytes ? tt_flate_new(&env->mem, &s->f, err) : err ? err->code : TT_E_NOMEM;
	if (rc != TT_OK) {
		packets_stop(env, s);
		*state = NULL;
	}
	return rc;
}

static int
packets_code(const struct tt_coding *coding, void *state, struct tt_block *b, struct tt_err *err)
{
	static const char packet[] = { 1 << 3 | 2 }, field[] = { (char)(50 << 3 & 127) | 2 | (char)128, 50 >> 4 }, zlib[] = { 0x78, 0x01 };
	struct packing *s = state;
	size_t size, n = tt_flate_stamps(s->f, b->forms, b->in, b->in_n, s->bytes, &size, b->out + HEAD);
	const uint32_t sum = adler(s->bytes, size);

	(void)coding;
	(void)err;
	memcpy(b->out, packet, sizeof packet);
	memcpy(b->out + PACKET, field, sizeof field);
	memcpy(b->out + FIELD, zlib, sizeof zlib);
	b->out_n = HEAD + n;
	for (int i = 0; i < CHECKSUM; i++)
		b->out[b->out_n++] = (char)(sum >> (24 - 8 * i));
	put_length(b->out + sizeof packet, b->out_n - PACKET);
	put_length(b->out + PACKET + sizeof field, b->out_n - FIELD);
	return TT_OK;
}

const struct tt_coding tt_coding_packets = {
	.start = packets_start,
	.stop = packets_stop,
	.code = packets_code,
	.stamps = true,
};
