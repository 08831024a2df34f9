/**
 * Deflated output in blocks, as gzip and as Perfetto's compressed packets; the contract is in block.h.
 *
 * gzip: blocks end at whole bytes, so that they can be laid end to end and make one deflate stream; around it one header and one trailer.
 * Packets: each block is a packet that holds a stream of its own.
 */
#include "io/block.h"

#include <string.h>

#include "io/crc32.h"
#include "io/flate.h"
#include "io/packet.h"

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

/* In front of the stream: field 1 of the trace, its length, field 50 of the packet (compressed_packets), its length, zlib's header. */
enum { LENGTH = 4, PACKET = 1 + LENGTH, FIELD = PACKET + 2 + LENGTH, HEAD = FIELD + 2, CHECKSUM = 4 };
_Static_assert(TT_BLOCK_BOUND >= HEAD + TT_FLATE_BOUND(TT_BLOCK_SIZE) + CHECKSUM, "packets that do not compress fit");
_Static_assert(TT_BLOCK_BOUND < 1 << 7 * LENGTH, "a length has four bytes");

typedef uint16_t sums __attribute__((vector_size(16)));

/*
 * zlib's checksum (RFC 1950: the sum of the bytes and 1, and the sum of those sums) of at most a block: so no sum needs its remainder on the
 * way. Sixteen bytes at once, the even and the odd ones apart, as long as the sums of sums fit into 16 bits. zlib's own takes one by one.
 */
static uint32_t
adler(const char *in, size_t n)
{
	enum { WIDTH = sizeof(sums), STEPS = 22, ALL = WIDTH * STEPS };
	_Static_assert(STEPS * (STEPS + 1) / 2 * 255 <= UINT16_MAX, "sums of sums fit");
	_Static_assert(TT_BLOCK_SIZE <= 1 << 24, "sums of a block fit");
	const uint8_t *p = (const uint8_t *)in, *end = p + n;
	uint64_t sum = 1, sums_of = 0;

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
		sums_of += ALL * sum;
		for (unsigned i = 0; i < WIDTH / 2; i++) {
			sum += (uint64_t)even[i] + odd[i];
			sums_of += WIDTH * ((uint64_t)all_even[i] + all_odd[i]) - 2 * i * ((uint64_t)even[i] + odd[i]) - odd[i];
		}
	}
	while (p < end)
		sums_of += sum += *p++;
	return (uint32_t)(sums_of % 65521 << 16 | sum % 65521);
}

/* A varint that is no shorter than its place, as Perfetto writes lengths itself. */
static void
put_length(char *p, size_t n)
{
	for (int i = 0; i < LENGTH; i++, n >>= 7)
		p[i] = (char)((n & 127) | (i + 1 < LENGTH ? 128 : 0));
}

struct packing {
	struct tt_flate *f;
	char *bytes;                  /* of a block, as they are */
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
