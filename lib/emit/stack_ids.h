/**
 * Stacks as the ids of their frames, innermost first and packed as varints, each built from the previous one.
 *
 * Nodes of a tree mostly follow their parents. The part that two consecutive stacks share is kept, so a stack that has one frame more than the last stack
 * costs one id and a copy, however deep it is.
 *
 * Memory: 4 bytes for each node, and 150 KiB. Internal to lib/emit.
 */
#ifndef TT_EMIT_STACK_IDS_H
#define TT_EMIT_STACK_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out/pprof_writer.h"

#define TT_CHAIN_DEPTH TT_PPROF_DEPTH

struct tt_chain;
struct tt_err;
struct tt_stacks;

struct tt_chain_stack {
	const char *ids;              /* valid until the next call */
	size_t n;                     /* bytes */
	bool deeper;                  /* true: frames beyond the depth limit were left out */
};

/**
 * tt_chain_new(s, depth, chain, err):
 * Prepare stacks of at most ${depth} innermost frames, at most TT_CHAIN_DEPTH, for ${s}; the id of a frame is its text + 1. Errors: TT_E_NOMEM, TT_E_LIMIT.
 */
int tt_chain_new(const struct tt_stacks *s, size_t depth, struct tt_chain **chain, struct tt_err *err);
void tt_chain_free(struct tt_chain *c);

/**
 * tt_chain_at(c, node, used):
 * Return the stack of ${node}, a representing node (stacks.h). Mark the texts of its frames in ${used}.
 */
struct tt_chain_stack tt_chain_at(struct tt_chain *c, uint32_t node, uint8_t *used);

#endif
