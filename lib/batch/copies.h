/**
 * Captures that are there more than once: copies, and files of a recording beside the capture that tracetool recover made of them.
 */
#ifndef TT_BATCH_COPIES_H
#define TT_BATCH_COPIES_H

#include "base/map.h"
#include "base/mem.h"

struct tt_result;

/* The part of a recording that a capture has. */
struct tt_copies_span {
	uint64_t recording, events;   /* a hash; how many */
	int64_t from, to;             /* on the recording's own clock */
	uint32_t file, file_last;     /* which of its files: the first and the last that it has */
	uint32_t missing;             /* files in front of it, after the last one before it that is there */
	uint32_t before;              /* it is the first of its recording that is there: files in front of it */
	bool overlaps;
	uint32_t latest, largest;     /* of those of the recording up to this one, in order of files: which goes furthest, which has most events */
};

/* The captures known so far. Zero is empty. */
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
 * where captures have no number of a recording, the same identity (in results of earlier versions the same bytes). One that is held is a part of another one
 * of the same recording, which has all of its files, covers all of its time and has more events. A result without figures is neither. r->missing is set to
 * the number of files of the recording that are missing in front of it, after those that are there, and r->overlaps where it shares files with a capture that
 * neither holds it nor is held by it.
 */
int tt_copies_note(struct tt_copies *c, struct tt_mem *mem, struct tt_result *r, struct tt_err *err);

#endif
