/**
 * Integer log-linear histogram: 32 steps per power of two, so a value read back
 * is within 1.6 % of the one put in; values below 32 are exact. Merging is
 * addition, so any order of threads and shards gives the same bits.
 */
#ifndef TT_STAT_HIST_H
#define TT_STAT_HIST_H

#include <stdint.h>

#define TT_HIST_BITS 5
#define TT_HIST_PAGE (1u << TT_HIST_BITS)     /* buckets per page = per power of two */
#define TT_HIST_PAGES (65 - TT_HIST_BITS)     /* page 0: values below 32; the last: 2^63 and up */
#define TT_HIST_BUCKETS (TT_HIST_PAGES * TT_HIST_PAGE)

/* The bucket of ${v}: page * 32 + place. */
static inline unsigned
tt_hist_bucket(uint64_t v)
{
	/* No branch: whether a duration is below 32 follows no pattern. From 64 on the page is one up for each power of two; below, it is in v. */
	unsigned up = (63u ^ (unsigned)__builtin_clzll(v | TT_HIST_PAGE)) - TT_HIST_BITS;
	return up * TT_HIST_PAGE + (unsigned)(v >> up);
}

/* The value that represents a bucket: its middle. */
uint64_t tt_hist_value(unsigned bucket);

/* A dense histogram, for report time. */
struct tt_hist {
	uint64_t n;
	uint64_t min, max;            /* exact; min > max: empty */
	uint64_t b[TT_HIST_BUCKETS];
};

void tt_hist_init(struct tt_hist *h);
void tt_hist_add(struct tt_hist *h, uint64_t v, uint64_t n);

/* Nearest rank: the smallest value with at least ${num}/${den} of all at or below it, clamped to [min, max]; 0 if empty.
   The first and the last rank are exact. */
uint64_t tt_hist_quantile(const struct tt_hist *h, uint64_t num, uint64_t den);

#endif
