/**
 * A column: whole numbers by their place, in as few bytes as they take.
 *
 * A capture has millions of frames, and of each some times, counts and numbers. Most of these are small or close to their neighbours, and some
 * are never there. A column keeps them in blocks: a number is what its block begins with and an offset, and each block has offsets of 0, 1, 2,
 * 4 or 8 bytes, as many as its numbers need so far. Any number may be read and written at any time; one that never was written is 0.
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time writes; any number read.
 */
#ifndef TT_BASE_COLUMN_H
#define TT_BASE_COLUMN_H

#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;

/* So few that offsets of times, from frame to frame, fit into 32 bits. */
enum { TT_COLUMN_BLOCK = 64 };

/* The number that a block begins with; offsets follow. */
struct tt_column_block { int64_t base; };

struct tt_column {
	/* An address in the first bytes of each block: as far behind where it begins as its width says, 0 to 4 for 0, 1, 2, 4 or 8 bytes of an offset.
	   So a block of 64 times takes 4.4 bytes each, with all that belongs to it. NULL: all of its numbers are 0. */
	char **block;
	size_t cap;                   /* blocks */
	size_t n;                     /* numbers that were pushed */
};

/* The width of the block that ${at} says. */
static inline unsigned
tt_column_width(const char *at)
{
	return (unsigned)((uintptr_t)at & 7);
}

/* The number at place ${i}. */
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

/* The number at place ${i} is ${v}. */
int tt_column_set(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err);

/* The number at place ${i} is larger by ${v}; a sum that does not fit wraps around. */
int tt_column_add(struct tt_column *c, struct tt_mem *mem, size_t i, int64_t v, struct tt_err *err);

/* The next number, at place c->n, is ${v}. Best for numbers that rise: a block keeps offsets from its first number. */
int tt_column_push(struct tt_column *c, struct tt_mem *mem, int64_t v, struct tt_err *err);

/* Free what it holds; it is empty then. */
void tt_column_free(struct tt_column *c, struct tt_mem *mem);

#endif
