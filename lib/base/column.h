/**
 * A column: an array of whole numbers that is kept in few bytes.
 *
 * A capture has millions of frames, each with some times, counts and numbers. Most of these are small or close to their neighbours, and some
 * are never set. A column keeps them in blocks: a number is its block's base plus an offset, and the offsets of a block have 0, 1, 2,
 * 4 or 8 bytes each, as its numbers need so far. Any number may be read and written at any time; a number that was never written is 0.
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time writes; any number read.
 */
#ifndef TT_BASE_COLUMN_H
#define TT_BASE_COLUMN_H

#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;

/* Numbers in a block: few enough that the offsets of times of successive frames fit into 32 bits. */
enum { TT_COLUMN_BLOCK = 64 };

/* The head of a block: the number to which its offsets, which follow in memory, are added. */
struct tt_column_block { int64_t base; };

struct tt_column {
	/* Tagged pointers to the blocks: address + width, where the widths 0 to 4 stand for offsets of 0, 1, 2, 4 or 8 bytes.
	   So a block of 64 times takes 4.4 bytes a time, all included. NULL: all numbers of the block are 0. */
	char **block;
	size_t cap;                   /* blocks */
	size_t n;                     /* numbers that were pushed */
};

/* Return the width of a block from its tagged pointer ${at}. */
static inline unsigned
tt_column_width(const char *at)
{
	return (unsigned)((uintptr_t)at & 7);
}

/* Return the number at index ${i}. */
static inline int64_t
tt_column_at(const struct tt_column *c, size_t i)
{
	const size_t at = i / TT_COLUMN_BLOCK;
	const char *tagged = at < c->cap ? c->block[at] : NULL;
	const struct tt_column_block *b;
	int64_t offset = 0;

	if (!tagged)
		return 0;
	b = (const struct tt_column_block *)(const void *)(tagged - tt_column_width(tagged));
	i %= TT_COLUMN_BLOCK;
	switch (tt_column_width(tagged)) {
	case 0:
		break;
	case 1:
		offset = ((const int8_t *)(b + 1))[i];
		break;
	case 2:
		offset = ((const int16_t *)(b + 1))[i];
		break;
	case 3:
		offset = ((const int32_t *)(b + 1))[i];
		break;
	default:
		offset = ((const int64_t *)(b + 1))[i];
	}
	return (int64_t)((uint64_t)b->base + (uint64_t)offset);
}

/* Set the number at index ${i} to ${v}. */
int tt_column_set(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err);

/* Add ${v} to the number at index ${i}; a sum that does not fit wraps around. */
int tt_column_add(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err);

/* Append ${v}, at index c->n. Best for rising numbers: a block keeps offsets from its first number. */
int tt_column_push(struct tt_column *c, struct tt_mem *mem, int64_t v, struct tt_err *err);

/* Free the blocks of ${c} and make it empty. */
void tt_column_free(struct tt_column *c, struct tt_mem *mem);

#endif
