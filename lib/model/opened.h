/**
 * Which of the zones open on a stack is the innermost of a key, without looking through all of them.
 *
 * Ends that match the top need none of this. Where a stack is deep and ends match nothing near its top, a
 * search would cost the depth each time; so, from a depth on, an index is kept: made when first asked, and
 * brought up to date from the changes since. Levels carry a number that no other level of the same stack ever had or
 * will have, by which it is seen how far down the stack is still the same.
 *
 * It only saves time: without memory the search is made. Threads: one, that of the stack.
 */
#ifndef TT_MODEL_OPENED_H
#define TT_MODEL_OPENED_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct level;
struct tt_mem;

/* Stacks up to here are searched. */
#define TT_OPENED_FROM 64

/* A stack to look at: ${n} levels, each with its number and its key. */
struct tt_levels {
	const void *of;
	size_t n;
	uint32_t (*number)(const void *of, size_t level);
	uint64_t (*key)(const void *of, size_t level);
};

struct tt_opened {
	struct level *level;
	size_t n, cap;
	uint32_t *slot;               /* level + 1 of the innermost of a key, chained by `next`; 0 none */
	size_t nslot;
};

/* The level + 1 of the innermost zone of ${key}, or 0. */
size_t tt_opened_find(struct tt_opened *o, struct tt_mem *mem, const struct tt_levels *s, uint64_t key);

/* Numbers begin anew: the index holds nothing. */
void tt_opened_forget(struct tt_opened *o);
void tt_opened_free(struct tt_opened *o, struct tt_mem *mem);

#endif
