/**
 * Numbers in as few bytes as they take; the contract is in column.h.
 */
#include "base/column.h"

#include "base/err.h"
#include "base/mem.h"

/* Bytes that hold ${v}, an offset. */
static uint8_t
width_of(int64_t v)
{
	if (v == 0)
		return 0;
	if (v == (int8_t)v)
		return 1;
	if (v == (int16_t)v)
		return 2;
	return v == (int32_t)v ? 4 : 8;
}

static void
put(struct tt_column_block *b, size_t at, int64_t offset)
{
	switch (b->width) {
	case 0:
		break;
	case 1:
		b->of.b1[at] = (int8_t)offset;
		break;
	case 2:
		b->of.b2[at] = (int16_t)offset;
		break;
	case 4:
		b->of.b4[at] = (int32_t)offset;
		break;
	default:
		b->of.b8[at] = offset;
	}
}

/* The offsets of the block have ${width} bytes from now on, more than before. */
static int
widen(struct tt_column_block *b, struct tt_mem *mem, uint8_t width, struct tt_err *err)
{
	const struct tt_column one = { .block = b, .cap = 1 };
	struct tt_column_block wide = { .base = b->base, .width = width };

	if (!(wide.of.any = tt_mem_alloc(mem, (size_t)width * TT_COLUMN_BLOCK, err)))
		return err->code;
	for (size_t i = 0; i < TT_COLUMN_BLOCK && b->width; i++)
		put(&wide, i, (int64_t)((uint64_t)tt_column_at(&one, i) - (uint64_t)b->base));
	tt_mem_free(mem, b->of.any, (size_t)b->width * TT_COLUMN_BLOCK);
	*b = wide;
	return TT_OK;
}

int
tt_column_set(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err)
{
	const size_t at = i / TT_COLUMN_BLOCK;
	int rc = at < c->cap || v == 0 ? TT_OK : tt_mem_grow(mem, &c->block, &c->cap, at + 1, sizeof *c->block, err);

	if (rc != TT_OK || at >= c->cap)
		return rc;
	struct tt_column_block *b = &c->block[at];
	const int64_t offset = (int64_t)((uint64_t)v - (uint64_t)b->base);
	const uint8_t width = width_of(offset);
	if (width > b->width)
		rc = widen(b, mem, width, err);
	if (rc == TT_OK)
		put(b, i % TT_COLUMN_BLOCK, offset);
	return rc;
}

int
tt_column_add(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err)
{
	return tt_column_set(c, mem, i, (int64_t)((uint64_t)tt_column_at(c, i) + (uint64_t)v), err);
}

int
tt_column_push(struct tt_column *c, struct tt_mem *mem, int64_t v, struct tt_err *err)
{
	const size_t i = c->n, at = i / TT_COLUMN_BLOCK;
	int rc = tt_mem_grow(mem, &c->block, &c->cap, at + 1, sizeof *c->block, err);

	if (rc == TT_OK && i % TT_COLUMN_BLOCK == 0 && c->block[at].width == 0)
		c->block[at].base = v;
	if (rc == TT_OK)
		rc = tt_column_set(c, mem, i, v, err);
	c->n += rc == TT_OK;
	return rc;
}

void
tt_column_free(struct tt_column *c, struct tt_mem *mem)
{
	for (size_t i = 0; i < c->cap; i++)
		tt_mem_free(mem, c->block[i].of.any, (size_t)c->block[i].width * TT_COLUMN_BLOCK);
	tt_mem_free(mem, c->block, c->cap * sizeof *c->block);
	*c = (struct tt_column){ 0 };
}
