/**
 * Stores a column of numbers in blocks, each as wide as its numbers need so far.
 */
#include "base/column.h"

#include "base/err.h"
#include "base/mem.h"

/* Return the width, 0 to 4, that the offset ${v} needs. */
static unsigned
width_of(int64_t v)
{
	if (v == 0)
		return 0;
	if (v == (int8_t)v)
		return 1;
	if (v == (int16_t)v)
		return 2;
	return v == (int32_t)v ? 3 : 4;
}

/* Return the bytes of a block whose offsets have ${width}. */
static size_t
size_of(unsigned width)
{
	return sizeof(struct tt_column_block) + (width ? (size_t)TT_COLUMN_BLOCK << (width - 1) : 0);
}

static struct tt_column_block *
block_at(char *at)
{
	return (struct tt_column_block *)(void *)(at - tt_column_width(at));
}

static void
put(char *at, size_t i, int64_t offset)
{
	struct tt_column_block *b = block_at(at);

	switch (tt_column_width(at)) {
	case 0:
		break;
	case 1:
		((int8_t *)(b + 1))[i] = (int8_t)offset;
		break;
	case 2:
		((int16_t *)(b + 1))[i] = (int16_t)offset;
		break;
	case 3:
		((int32_t *)(b + 1))[i] = (int32_t)offset;
		break;
	default:
		((int64_t *)(b + 1))[i] = offset;
	}
}

/* Copy the block *${at} to one with offsets of ${width}, wider than before. If *${at} is NULL, make a block whose base is ${base}. */
static int
widen(char **at, struct tt_mem *mem, unsigned width, int64_t base, struct tt_err *err)
{
	const struct tt_column one = { .block = at, .cap = 1 };
	char *wide = tt_mem_alloc(mem, size_of(width), err);

	if (!wide)
		return err->code;
	if (*at)
		base = block_at(*at)->base;
	wide += width;
	block_at(wide)->base = base;
	for (size_t i = 0; i < TT_COLUMN_BLOCK && *at && tt_column_width(*at); i++)
		put(wide, i, (int64_t)((uint64_t)tt_column_at(&one, i) - (uint64_t)base));
	if (*at)
		tt_mem_free(mem, block_at(*at), size_of(tt_column_width(*at)));
	*at = wide;
	return TT_OK;
}

int
tt_column_set(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err)
{
	const size_t at = i / TT_COLUMN_BLOCK;
	int rc = at < c->cap || v == 0 ? TT_OK : tt_mem_grow(mem, &c->block, &c->cap, at + 1, sizeof *c->block, err);

	if (rc != TT_OK || at >= c->cap || (!c->block[at] && v == 0))
		return rc;
	char **b = &c->block[at];
	const int64_t offset = (int64_t)((uint64_t)v - (*b ? (uint64_t)block_at(*b)->base : 0));
	const unsigned width = width_of(offset);
	if (!*b || width > tt_column_width(*b))
		rc = widen(b, mem, width, 0, err);
	if (rc == TT_OK)
		put(*b, i % TT_COLUMN_BLOCK, offset);
	return rc;
}

int
tt_column_add(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err)
{
	return tt_column_set(c, mem, i, (int64_t)((uint64_t)tt_column_at(c, i) + (uint64_t)v), err);
}

/* Set the base of the block *${at}, which has no offsets yet, to ${base}. */
static int
begin(char **at, struct tt_mem *mem, int64_t base, struct tt_err *err)
{
	if (!*at && base)
		return widen(at, mem, 0, base, err);
	if (*at)
		block_at(*at)->base = base;
	return TT_OK;
}

int
tt_column_push(struct tt_column *c, struct tt_mem *mem, int64_t v, struct tt_err *err)
{
	const size_t i = c->n, at = i / TT_COLUMN_BLOCK;
	int rc = tt_mem_grow(mem, &c->block, &c->cap, at + 1, sizeof *c->block, err);

	if (rc == TT_OK && i % TT_COLUMN_BLOCK == 0 && tt_column_width(c->block[at]) == 0)
		rc = begin(&c->block[at], mem, v, err);
	TT_THEN(rc, tt_column_set(c, mem, i, v, err));
	c->n += rc == TT_OK;
	return rc;
}

void
tt_column_free(struct tt_column *c, struct tt_mem *mem)
{
	for (size_t i = 0; i < c->cap; i++)
		if (c->block[i])
			tt_mem_free(mem, block_at(c->block[i]), size_of(tt_column_width(c->block[i])));
	tt_mem_free(mem, c->block, c->cap * sizeof *c->block);
	*c = (struct tt_column){ 0 };
}
