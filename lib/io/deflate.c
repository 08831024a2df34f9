/**
 * gzip output in blocks; the contract is in block.h.
 *
 * Every block but the last ends with a sync flush, so that they can be laid end
 * to end and make one deflate stream; around it one header and one trailer.
 */
#include "io/block.h"

#include <string.h>
#include <zlib.h>

/*
 * Traces repeat themselves: level 1 gives 5.5 : 1 at 280 MB/s a core, level 2
 * 5.9 : 1 at 265, level 6 7.5 : 1 at 80; Huffman or run lengths alone are
 * slower and worse (zlib 1.2.13, 64 MB of Chrome trace events).
 */
#define LEVEL 1

/* Raw deflate: no header of its own. */
#define RAW_WBITS (-MAX_WBITS)

static int
deflate_start(struct tt_env *env, void **state, struct tt_err *err)
{
	z_stream *z = tt_mem_alloc(&env->mem, sizeof *z, err);

	if (!z)
		return err ? err->code : TT_E_NOMEM;
	if (deflateInit2(z, LEVEL, Z_DEFLATED, RAW_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		tt_mem_free(&env->mem, z, sizeof *z);
		return tt_nomem(err);
	}
	*state = z;
	return TT_OK;
}

static void
deflate_stop(struct tt_env *env, void *state)
{
	z_stream *z = state;

	deflateEnd(z);
	tt_mem_free(&env->mem, z, sizeof *z);
}

static int
deflate_code(const struct tt_coding *coding, void *state, struct tt_block *b, struct tt_err *err)
{
	z_stream *z = state;
	int zrc;

	(void)coding;
	deflateReset(z);
	z->next_in = (Bytef *)b->in;
	z->avail_in = (uInt)b->in_n;
	z->next_out = (Bytef *)b->out;
	z->avail_out = (uInt)TT_BLOCK_BOUND;
	zrc = deflate(z, b->last ? Z_FINISH : Z_SYNC_FLUSH);
	/* A sync flush is complete only if room is left after it. */
	if (zrc != (b->last ? Z_STREAM_END : Z_OK) || z->avail_in != 0 || z->avail_out == 0)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "zlib cannot compress a block (error %d)", zrc);
	b->out_n = TT_BLOCK_BOUND - z->avail_out;
	b->crc = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const Bytef *)b->in, b->in_n);
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
