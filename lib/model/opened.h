/**
 * Finds the innermost open zone of a key on a stack, without a search through all of them.
 *
 * Ends that match the top need none of this. On a deep stack, an end that matches nothing near the top would cost a search through all
 * levels each time. So deep stacks have an index, which is made at the first question and brought up to date at each one after it. Every
 * level has a number that no other level of the same stack ever has: the numbers show how far down the stack has not changed.
 *
 * The index only saves time: without memory for it, the stack is searched. Threads: one, that of the stack.
 */
#ifndef TT_MODEL_OPENED_H
#define TT_MODEL_OPENED_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct level;
struct tt_mem;

/* Stacks up to this depth are searched. */
#define TT_OPENED_FROM 64

/* A stack to look at: ${n} levels, each with its number and its key. */
struct tt_levels {
	const void *of;
	size_t n;
	uint32_t (*number)(const void *of, size_t level);
	uint64_t (*key)(const void *of, size_t level);
};

/* Not a tt_map: levels go in the order in which they came, and those of one key are chained. */
struct tt_opened {
	struct level *level;
	size_t n, cap;
	uint32_t *slot;               /* level + 1 of the innermost of a key, chained by `next`; 0 none */
	size_t nslot;
};

/* The level + 1 of the innermost zone of ${key}, or 0. */
size_t tt_opened_find(struct tt_opened *o, struct tt_mem *mem, const struct tt_levels *s, uint64_t key);

/* Empty the index, because the numbers of levels begin anew. */
void tt_opened_forget(struct tt_opened *o);
void tt_opened_free(struct tt_opened *o, struct tt_mem *mem);

#endif
