/**
 * Figures of each frame: what each path of the call tree, each counter and the collector do in it.
 *
 * Collected with TT_NEEDS_BY_FRAME, where frames are known before the events (TT_NEEDS_FRAMES); read by the pass "by_frame". A capture
 * has as many of these figures as frames times paths that run in them, and threads do not come to the end of a frame together. So they
 * are put aside (io/sorter.h) and read back in order: frame, then path or counter.
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

/* For allocations: an object of at least this many bytes is large, new memory for which the system clears it. */
enum { TT_BY_FRAME_LARGE = 8000 };

/* The unit of tt_frame_path.longest_end: a little more than a microsecond. */
enum { TT_FRAME_TICK_SHIFT = 10, TT_FRAME_TICK = 1 << TT_FRAME_TICK_SHIFT };

/*
 * The figures of the zones, or the allocations, of a path in a frame: as tt_count has it before it is settled. A zone that is open over many frames has one
 * of these for all that it fills: there, total and self are in durations of the frame.
 */
struct tt_frame_path {
	uint32_t frame;               /* place in tt_frames */
	uint32_t node;
	uint32_t until;               /* 0, or the frame after the last one that the zone fills */
	uint32_t longest_end;         /* when the longest ends, after the frame's start, in TT_FRAME_TICK ns */
	uint64_t n;
	int64_t total, self;          /* of allocations: bytes; those of large objects */
	int64_t longest;              /* of the frame's time in any one of them; not of zones that fill it, nor of allocations */
};

/* Take up a zone of ${ns} that ends ${after} ns after the frame's start, if it is the longest so far. */
static inline void
tt_frame_path_longest(struct tt_frame_path *p, int64_t ns, int64_t after)
{
	if (ns <= p->longest)
		return;
	p->longest = ns;
	p->longest_end = (uint32_t)((uint64_t)after >> TT_FRAME_TICK_SHIFT);
}

/* Add the sums of ${of}, the same path in the same frame. */
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
	int64_t ts;                   /* of its first value, and its place among all in the file; while they are put in */
	uint64_t place;
	uint64_t n;
	union tt_counter_value last, min, max;
	uint8_t type;                 /* enum tt_type */
};

/* The collector's work in a frame, on the threads that the filter wants. */
struct tt_frame_gc {
	uint64_t n;                   /* collections that begin in it */
	int64_t ns;                   /* their time, start to end */
	uint64_t heap;                /* size of the heap after the last change in it */
	int64_t heap_ts;              /* when that was; meaningful where has_heap */
	bool has_heap;
};

struct tt_by_frame {
	struct tt_frame_gc *gc;       /* by place in tt_frames */
	size_t n;
};

TT_COLLECTED_AS(tt_by_frame, TT_COLLECTS_BY_FRAME);

/* --- for the run and for collectors: they do nothing without TT_NEEDS_BY_FRAME -------------------- */

/* The sums of a chunk, whose paths have their numbers. */
int tt_by_frame_paths(struct tt_collecting *c, const struct tt_frame_path *p, size_t n, struct tt_err *err);

/* A value of the counter at place ${counter}; values of one counter come in their order. */
int tt_by_frame_value(const struct tt_collecting *c, uint32_t counter, uint8_t type, int64_t ts, union tt_counter_value v,
    struct tt_err *err);

/*
 * A collection on the chunk's thread from ${from} to ${to}, which counts in the frame that it begins in, if it ${begins} there, and has time in each; a
 * change of the heap's size.
 */
void tt_by_frame_collection(const struct tt_collecting *c, int64_t from, int64_t to, bool begins);
void tt_by_frame_heap(const struct tt_collecting *c, int64_t ts, uint64_t bytes);

/* --- reading ---------------------------------------------------------------------------------------- */

/* Sums of paths; those of zones that fill frames, by the first of these; values of counters. */
enum tt_by_frame_what { TT_BY_FRAME_PATHS, TT_BY_FRAME_FILLING, TT_BY_FRAME_VALUES, TT_BY_FRAME_ALL };

/* All of these in order, from the first; *${to} NULL: there are none. */
struct tt_sorted;
int tt_by_frame_open(const struct tt_model *m, enum tt_by_frame_what what, struct tt_sorted **to, struct tt_err *err);
void tt_by_frame_close(struct tt_sorted *of);

/* The next one, a tt_frame_path, or what tt_frame_values_of() takes, until the next call; *${rec} NULL: there are no more. */
int tt_by_frame_next(struct tt_sorted *of, const void **rec, struct tt_err *err);
/* Values of a counter in a frame, in the counter's type: in an earlier frame it may have been another one. */
struct tt_frame_values tt_frame_values_of(const struct tt_counters *all, const void *rec);

/* Skip what belongs to frames before ${frame}. */
int tt_by_frame_skip(struct tt_sorted *of, uint32_t frame, struct tt_err *err);

#endif
