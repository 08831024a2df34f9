/**
 * gzip output in blocks; the contract is in block.h.
 *
 * Blocks end at whole bytes, so that they can be laid end to end and make one deflate
 * stream; around it one header and one trailer.
 */
#include "io/block.h"

#include <string.h>
#include <zlib.h>

#include "io/flate.h"

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
	b->out_n = tt_flate(state, b->in, b->in_n, b->out, b->last);
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
