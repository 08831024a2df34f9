/**
 * Single captures of a batch. Only the most telling ones are kept: at most TT_CAPTURES_BAD that failed or are damaged, and the
 * TT_CAPTURES_SLOW slowest of the others. Private to lib/batch.
 *
 * Memory: about 300 bytes for each of those, and 16 for every capture with frames.
 */
#ifndef TT_BATCH_AGGREGATE_CAPTURES_H
#define TT_BATCH_AGGREGATE_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out/table.h"

struct tt_err;
struct tt_mem;
struct tt_result;

enum { TT_CAPTURES_BAD = 500, TT_CAPTURES_SLOW = 1000 };

/* Zero bytes are empty. */
struct tt_captures {
	uint64_t n;                   /* captures that were added */
	struct tt_capture_row *bad[TT_CAPTURES_BAD], *slow[TT_CAPTURES_SLOW];        /* slow: a heap, while captures are added */
	size_t nbad, nslow;
	struct tt_capture_time { uint64_t group; int64_t p95; } *time;        /* of each capture with frames; in the end, the limit of each group */
	size_t ntime, captime, ngroup;
	bool limited;
};

/* Add the capture ${r} of a group; ${group} "": there are none. */
int tt_captures_add(struct tt_captures *c, const struct tt_result *r, const char *group, struct tt_mem *mem, struct tt_err *err);

/* The columns of the table that tt_captures_report() fills. After that, ${c} may only fill further tables and be freed. */
extern const struct tt_col tt_captures_col[];
extern const size_t tt_captures_ncol;
void tt_captures_report(struct tt_captures *c, struct tt_table *t);

void tt_captures_free(struct tt_captures *c, struct tt_mem *mem);

#endif
