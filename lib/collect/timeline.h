/**
 * Events over time: counts in buckets of equal length over the time looked at.
 *
 * Collected with TT_NEEDS_TIMELINE, which needs the prepass: the length is known before the events.
 */
#ifndef TT_COLLECT_TIMELINE_H
#define TT_COLLECT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"
#include "stat/num.h"

enum { TT_TIMELINE_BUCKETS = 60, TT_TIMELINE_MAX = 100000 };

struct tt_timeline {
	int64_t from, to;             /* [from, to): to is after the last event */
	size_t n;
	struct tt_bucket {
		uint64_t calls, allocs, collections, moves, throws, contended, samples, handles;
		int64_t alloc_b, wait_ns;
		uint64_t heap_b;      /* size of the heap after the last change in the bucket, by time */
		int64_t heap_ts;      /* when that was; meaningful where has_heap */
		bool has_heap;
	} *bucket;
};

/* The bucket of ${ts}, which is in [from, to). */
static inline size_t
tt_timeline_at(const struct tt_timeline *t, int64_t ts)
{
	return (size_t)((tt_u128)(uint64_t)(ts - t->from) * t->n / (uint64_t)(t->to - t->from));
}

/* The begin of bucket ${i}. */
static inline int64_t
tt_timeline_start(const struct tt_timeline *t, size_t i)
{
	return t->from + (int64_t)(((tt_u128)(uint64_t)(t->to - t->from) * i + t->n - 1) / t->n);
}

/* A timeline of ${n} buckets (0: TT_TIMELINE_BUCKETS), not allocated, over the filter's time of ${m}; to <= from: that time is empty. */
struct tt_timeline tt_timeline_of(const struct tt_model *m, size_t n);

TT_COLLECTED_AS(tt_timeline, TT_COLLECTS_TIMELINE);

#endif
