/**
 * When zones are looked at one by one: outside the filter's time and where they reach beyond it, and when an emitter wants them
 * (tt_emit.times). At other times they are only counted, which costs a fraction; in frames that are looked at closely (tt_frames.looked), they
 * are counted and summed up by frame, which costs less than looking at each.
 */
#ifndef TT_FOLD_CLOSE_TIMES_H
#define TT_FOLD_CLOSE_TIMES_H

#include "model/filter.h"

struct tt_emit;
struct tt_emit_opts;
struct tt_err;
struct tt_mem;
struct tt_model;

/* The emitters of a run, with the options and the state of each. */
struct tt_close_emits {
	const struct tt_emit *const *emit;
	const struct tt_emit_opts *opts;
	void *const *state;
	size_t n;
};

struct tt_close_times {
	bool always;
	bool sums;                    /* zones are summed up by frame: in all frames, unless ... */
	struct tt_spans { struct tt_span *v; size_t n, cap; } looked, at;     /* ... n > 0: in these. At: one by one. In order, and apart */
};

/* The times of ${process} of ${m} in a reading that needs ${needs}, with the memory of its environment. Frames are known, and emitters begun. */
int tt_close_times_make(const struct tt_model *m, uint32_t process, unsigned needs, const struct tt_close_emits *emits, struct tt_close_times *to,
    struct tt_err *err);
void tt_close_times_free(struct tt_close_times *c, struct tt_mem *mem);

/* True if there are times in which zones are looked at one by one. */
static inline bool
tt_close_times_any(const struct tt_close_times *c)
{
	return c->always || c->at.n;
}

/* The stretch of time at or after ${ts} that lies between two times of ${s}. */
struct tt_span tt_close_times_between(const struct tt_spans *s, int64_t ts);

/* The same of times in which zones are looked at one by one; empty where they are always. */
struct tt_span tt_close_times_clear(const struct tt_close_times *c, int64_t ts);

#endif
