/**
 * Keys of markers that nothing in the input defines. Private to lib/run.
 *
 * Markers with zones are in the call tree; those of instants and of ends without a begin are nowhere, so that their keys are kept here unless they are defined
 * already. Fed in the commit stage, chunk after chunk.
 */
#ifndef TT_RUN_UNNAMED_H
#define TT_RUN_UNNAMED_H

#include <stdbool.h>

#include "base/map.h"

struct tt_batch;
struct tt_capture;
struct tt_err;
struct tt_run;

struct tt_unnamed {
	struct tt_unnamed_key { uint64_t key; uint32_t process; bool counted; } *key;
	size_t n, cap;
	struct tt_map at;
};

/* Begin anew, before the events of all inputs are read. */
void tt_unnamed_begin(struct tt_run *r);
/* Take in the instants, and ends without a begin, of a batch of ${c}. Errors: TT_E_NOMEM. */
int tt_unnamed_batch(struct tt_run *r, const struct tt_capture *c, const struct tt_batch *b, struct tt_err *err);
/* With all names known: count markers, classes of allocations, and counters without a definition in the ledger. */
int tt_unnamed_count(struct tt_run *r, struct tt_err *err);
void tt_unnamed_free(struct tt_run *r);

#endif
