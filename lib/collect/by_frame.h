/**
 * Figures of each frame: what each path of the call tree, each counter and the collector do in it.
 *
 * Collected with TT_NEEDS_BY_FRAME, where frames are known before the events (TT_NEEDS_FRAMES); read by the pass "by_frame". A capture
 * has as many of these figures as frames times paths that run in them, and threads do not reach the end of a frame at the same time. So
 * figures go to sorters (io/sorter.h) and are read back in order: frame, then path or counter.
 *
 * A zone that crosses the edge of a frame counts in each of its frames with the time it has there, and is an activation where it
 * begins: as it does with the filter set to the one frame. Time outside whole frames is in none.
 */
#ifndef TT_COLLECT_BY_FRAME_H
#define TT_COLLECT_BY_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"
#include "collect/counters.h"

struct tt_collecting;
struct tt_err;

/* For allocations: objects from this many bytes on are large: they get new memory, which the system clears. */
enum { TT_BY_FRAME_LARGE = 8000 };

/* The unit of tt_frame_path.longest_end: a little more than a microsecond. */
enum { TT_FRAME_TICK_SHIFT = 10, TT_FRAME_TICK = 1 << TT_FRAME_TICK_SHIFT };

/*
 * The figures of the zones, or the allocations, of a path in a frame, as tt_count has them before tt_counts_settle(). A zone that is open over many frames has
 * one record for all frames that it fills, in which total and self are counted in frame durations.
 */
struct tt_frame_path {
	uint32_t frame;               /* place in tt_frames */
	uint32_t node;
	uint32_t filled_until;        /* 0, or the frame after the last one that the zone fills */
	uint32_t longest_end;         /* end of the longest zone, after the frame's start, in units of TT_FRAME_TICK ns */
	uint64_t n;
	int64_t total, self;          /* for allocations: bytes, and bytes of large objects */
	int64_t longest;              /* the most time (ns) of the frame in a single zone; not for zones that fill frames, nor allocations */
};

/* Note a zone of ${ns} that ends ${after} ns after the frame's start, if it is the longest so far. */
static inline void
tt_frame_path_longest(struct tt_frame_path *p, int64_t ns, int64_t after)
{
	if (ns <= p->longest)
		return;
	p->longest = ns;
	p->longest_end = (uint32_t)((uint64_t)after >> TT_FRAME_TICK_SHIFT);
}

/* Add the figures of ${of}, which is the same path in the same frame. */
static inline void
tt_frame_path_join(struct tt_frame_path *p, const struct tt_frame_path *of)
{
	p->n += of->n;
	p->total += of->total;
	p->self += of->self;
	if (of->longest <= p->longest)
		return;
	p->longest = of->longest;
	p->longest_end = of->longest_end;
}

/* The values that a counter of numbers has in a frame. */
struct tt_frame_values {
	uint32_t frame;
	uint32_t counter;             /* place in tt_counters */
	int64_t ts;                   /* while collecting: time of its first value; ${place}: order of that among all values in the file */
	uint64_t place;
	uint64_t n;
	union tt_counter_value last, min, max;
	uint8_t type;                 /* enum tt_type */
};

/* The collector's work in a frame, on the threads that the filter wants. */
struct tt_frame_gc {
	uint64_t n;                   /* collections that begin in the frame */
	int64_t ns;                   /* their time, start to end */
	uint64_t heap;                /* size of the heap after the last change in it */
	int64_t heap_ts;              /* when that was; meaningful where has_heap */
	bool has_heap;
};

struct tt_by_frame {
	struct tt_frame_gc *gc;       /* by place in tt_frames */
	size_t n;
	uint64_t nsums, nfilled;      /* sums of paths that came in; frames that paths fill, each path by itself */
};

TT_COLLECTED_AS(tt_by_frame, TT_COLLECTS_BY_FRAME);

/* --- for the run and for collectors: they do nothing without TT_NEEDS_BY_FRAME -------------------- */

/* Add the sums of a chunk, whose paths have their final numbers. */
int tt_by_frame_paths(struct tt_collecting *c, const struct tt_frame_path *p, size_t n, struct tt_err *err);

/* Add a value of the counter at place ${counter}; values of one counter come in their order. */
int tt_by_frame_value(const struct tt_collecting *c, uint32_t counter, uint8_t type, int64_t ts, union tt_counter_value v,
    struct tt_err *err);

/*
 * Add a collection on the chunk's thread from ${from} to ${to}: its time to each frame, and 1 to the frame that it begins in, if ${begins};
 * tt_by_frame_heap(): note a change of the heap's size.
 */
void tt_by_frame_collection(const struct tt_collecting *c, int64_t from, int64_t to, bool begins);
void tt_by_frame_heap(const struct tt_collecting *c, int64_t ts, uint64_t bytes);

/* --- reading ---------------------------------------------------------------------------------------- */

/* Sums of paths; sums of zones that fill frames, at the first such frame; values of counters. */
enum tt_by_frame_what { TT_BY_FRAME_PATHS, TT_BY_FRAME_FILLING, TT_BY_FRAME_VALUES, TT_BY_FRAME_ALL };

/* Open the records of ${what} in order, from the first; *${to} NULL: there are none. */
struct tt_sorted;
int tt_by_frame_open(const struct tt_model *m, enum tt_by_frame_what what, struct tt_sorted **to, struct tt_err *err);
void tt_by_frame_close(struct tt_sorted *of);

/* Read the next record, a tt_frame_path or an argument of tt_frame_values_of(), valid until the next call; *${rec} NULL: no more. */
int tt_by_frame_next(struct tt_sorted *of, const void **rec, struct tt_err *err);
/* Values of a counter in a frame, converted to the counter's final type. */
struct tt_frame_values tt_frame_values_of(const struct tt_counters *all, const void *rec);

/* Skip the records of frames before ${frame}. */
int tt_by_frame_skip(struct tt_sorted *of, uint32_t frame, struct tt_err *err);

#endif
