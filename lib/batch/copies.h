/**
 * Captures that are there more than once: copies, and files of a recording beside the capture that tracetool recover made of them.
 */
#ifndef TT_BATCH_COPIES_H
#define TT_BATCH_COPIES_H

#include "base/map.h"
#include "base/mem.h"

struct tt_result;

/* What of which recording a capture has. */
struct tt_copies_span {
	uint64_t recording, events;   /* a hash; how many */
	int64_t from, to;             /* on the recording's own clock */
	uint32_t file;
	uint32_t latest, largest;     /* of those of the recording up to this one, in order of `from`: which ends last, which has most events */
};

/* What captures are. Zero is empty. */
struct tt_copies {
	uint64_t *seen;               /* hashes of contents */
	size_t n, cap;
	struct tt_map at;             /* in seen */
	struct tt_copies_span *span;
	size_t nspan, capspan;
	bool ready;                   /* they are in order */
};

void tt_copies_free(struct tt_copies *c, struct tt_mem *mem);

/* Learn of a line of results, of ${n} bytes, before the first call of tt_copies_note(): results that hold others may come later. */
int tt_copies_expect(struct tt_copies *c, struct tt_mem *mem, const char *line, size_t n, struct tt_err *err);

/**
 * tt_copies_note(c, mem, r, err):
 * Note the capture that ${r} is the result of, and set r->copy and r->held. A copy has the same recording and as many events as one that was noted before or,
 * where captures have no number of a recording, the same bytes. One that is held is a part of another one of the same recording, which covers all of its
 * time and has more events. A result without figures is neither.
 */
int tt_copies_note(struct tt_copies *c, struct tt_mem *mem, struct tt_result *r, struct tt_err *err);

#endif
