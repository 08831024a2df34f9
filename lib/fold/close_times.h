/**
 * The times in which zones are handled one by one: outside the filter's time, where zones reach beyond it, and where an emitter wants them
 * (tt_emit.times). At other times zones are only counted, which costs a fraction; in frames that are examined closely (tt_frames.nexamined_before) they
 * are counted and summed up by frame, which costs less than handling each.
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
	bool sums;                    /* true: zones are summed up by frame: in all frames or, if looked.n > 0, in the spans ${looked} */
	struct tt_spans { struct tt_span *v; size_t n, cap; } looked, at;     /* at: spans in which zones are handled one by one. Both in order and disjoint */
};

/* Make the times for ${process} of ${m} in a reading that needs ${needs}, once frames are known and emitters begun. */
int tt_close_times_make(const struct tt_model *m, uint32_t process, unsigned needs, const struct tt_close_emits *emits, struct tt_close_times *to,
    struct tt_err *err);
void tt_close_times_free(struct tt_close_times *c, struct tt_mem *mem);

/* True if there are times in which zones are handled one by one. */
static inline bool
tt_close_times_any(const struct tt_close_times *c)
{
	return c->always || c->at.n;
}

/* The gap between two spans of ${s} that contains ${ts}, or else the next one. */
struct tt_span tt_close_times_between(const struct tt_spans *s, int64_t ts);

/* The gap, at or after ${ts}, in which zones are only counted; empty if zones are always handled one by one. */
struct tt_span tt_close_times_clear(const struct tt_close_times *c, int64_t ts);

#endif
