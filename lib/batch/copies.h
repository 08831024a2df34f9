/**
 * Captures that are there more than once: a copy has the figures of one before it.
 */
#ifndef TT_BATCH_COPIES_H
#define TT_BATCH_COPIES_H

#include "base/map.h"
#include "base/mem.h"

struct tt_result;

/* What captures were, so far. Zero is empty. */
struct tt_copies {
	uint64_t *seen;               /* hashes of contents */
	size_t n, cap;
	struct tt_map at;             /* in seen */
};

void tt_copies_free(struct tt_copies *c, struct tt_mem *mem);

/**
 * tt_copies_note(c, mem, r, copy, err):
 * Note the capture that ${r} is the result of. *${copy}: one that was noted before has the same recording and as many events or, where captures have
 * no number of a recording, the same bytes. A result without figures is no copy.
 */
int tt_copies_note(struct tt_copies *c, struct tt_mem *mem, const struct tt_result *r, bool *copy, struct tt_err *err);

#endif
