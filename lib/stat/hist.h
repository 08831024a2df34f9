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
#define TT_HIST_PAGES (65 - TT_HIST_BITS)     /* page 0: values below 32; last page: 2^63 and up */
#define TT_HIST_BUCKETS (TT_HIST_PAGES * TT_HIST_PAGE)

/* The bucket of ${v}: page * 32 + index in the page. */
static inline unsigned
tt_hist_bucket(uint64_t v)
{
	/* Branch-free, because durations below 32 follow no pattern. From 64 on each power of two adds a page; below, ${v} contains the page number. */
	unsigned up = (63u ^ (unsigned)__builtin_clzll(v | TT_HIST_PAGE)) - TT_HIST_BITS;
	return up * TT_HIST_PAGE + (unsigned)(v >> up);
}

/* The value that represents a bucket: its middle. */
uint64_t tt_hist_value(unsigned bucket);

/* A dense histogram, for use in reports. */
struct tt_hist {
	uint64_t n;
	uint64_t min, max;            /* exact; min > max: empty */
	uint64_t b[TT_HIST_BUCKETS];
};

void tt_hist_init(struct tt_hist *h);

/* Empty ${h}, which was initialised or is zero bytes: it takes time in proportion to the buckets between min and max, not to all. */
void tt_hist_clear(struct tt_hist *h);
void tt_hist_add(struct tt_hist *h, uint64_t v, uint64_t n);

/*
 * The nearest-rank quantile: the smallest value such that at least ${num}/${den} of all are at or below it, clamped to [min, max]; 0 if empty. The first and
 * the last rank are exact.
 */
uint64_t tt_hist_quantile(const struct tt_hist *h, uint64_t num, uint64_t den);

#endif
