/**
 * Counts by 64-bit key, in the order in which keys first occur. Also a sparse store of many small histograms (tt_tally_hist): most values fall into a few
 * buckets, and a dense histogram for each of thousands of locks would take 15 KB each.
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time.
 */
#ifndef TT_STAT_TALLY_H
#define TT_STAT_TALLY_H

#include "base/map.h"
#include "base/mem.h"
#include "stat/hist.h"

struct tt_tally {
	struct tt_mem *mem;
	struct tt_tally_count { uint64_t key, n; } *v;
	size_t n, cap;
	struct tt_map at;             /* finds indices in v by key */
};

void tt_tally_init(struct tt_tally *t, struct tt_mem *mem);
void tt_tally_free(struct tt_tally *t);

/* The count of ${key}, which is added as 0 if new; NULL: error in ${err}. Valid until the next call. */
uint64_t *tt_tally_at(struct tt_tally *t, uint64_t key, struct tt_err *err);

/* The count of ${key}; 0 if there is none. */
uint64_t tt_tally_get(const struct tt_tally *t, uint64_t key);

/* --- times ---------------------------------------------------------------- */

/* Statistics of some durations. */
struct tt_times {
	uint64_t n;
	int64_t total, min, max;
};

void tt_times_add(struct tt_times *t, int64_t dur);
void tt_times_join(struct tt_times *into, const struct tt_times *from);

/* Add ${dur} to the histogram ${id} (below 2^52) in ${t}. */
int tt_tally_time(struct tt_tally *t, uint64_t id, int64_t dur, struct tt_err *err);

/* Add the histogram ${id}, whose durations are within the range of ${of}, to ${h}. */
void tt_tally_hist(const struct tt_tally *t, uint64_t id, const struct tt_times *of, struct tt_hist *h);

#endif
