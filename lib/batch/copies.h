/**
 * Captures that occur more than once in a batch: copies, and files of a recording beside the capture that tracetool recover made of them.
 */
#ifndef TT_BATCH_COPIES_H
#define TT_BATCH_COPIES_H

#include "base/map.h"
#include "base/mem.h"

struct tt_result;

/* The part of a recording that a capture has. */
struct tt_copies_span {
	uint64_t recording, events;   /* recording: a hash; events: their number */
	int64_t from, to;             /* on the recording's own clock */
	uint32_t file, file_last;     /* the first and the last file of the recording that it has */
	uint32_t missing;             /* files missing between it and the capture before it */
	uint32_t before;              /* if it is the first capture here of its recording: files missing before it */
	bool overlaps;
	uint32_t latest, largest;     /* indexes: of captures up to this one, by file, that which reaches furthest; with most events */
};

/* The captures known so far. Zero is empty. */
struct tt_copies {
	uint64_t *seen;               /* hashes of contents */
	size_t n, cap;
	struct tt_map at;             /* index in seen */
	struct tt_copies_span *span;
	size_t nspan, capspan;
	bool ready;                   /* true: spans are sorted */
};

void tt_copies_free(struct tt_copies *c, struct tt_mem *mem);

/* Note the recording of a line of results of ${n} bytes. All lines, before the first call of tt_copies_note(): a capture that holds others may come later. */
int tt_copies_expect(struct tt_copies *c, struct tt_mem *mem, const char *line, size_t n, struct tt_err *err);

/**
 * tt_copies_note(c, mem, r, err):
 * Note the capture of the result ${r}, and set r->copy and r->held. A copy has the same recording and as many events as a capture noted before or, if captures
 * have no number of a recording, the same identity (in results of earlier versions, the same bytes). A held capture is a part of another capture of the same
 * recording, which has all of its files, covers all of its time and has more events. A result without figures is neither. Set r->missing to the number of files
 * of the recording that are missing between the capture before it and this one, and r->overlaps if it shares files with a capture that neither holds it nor is
 * held by it.
 */
int tt_copies_note(struct tt_copies *c, struct tt_mem *mem, struct tt_result *r, struct tt_err *err);

#endif
