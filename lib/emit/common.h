/**
 * Helpers that emitters share: text into buffers, arguments of events, tests of filters.
 * Internal to lib/emit.
 */
#ifndef TT_EMIT_COMMON_H
#define TT_EMIT_COMMON_H

#include <stdbool.h>

#include "emit/briefs.h"
#include "emit/emit.h"

/* The state of an emitter that writes one file in `finish`, in small pieces. Errors are kept until tt_out_error(). */
struct tt_out {
	struct tt_emitting e;
	struct tt_sink *sink;
	struct tt_buf buf;
};

int tt_out_begin(void *state, struct tt_err *err);
void tt_out_end(void *state);

void tt_out_flush(struct tt_out *o);

/* Write o->buf if it is large. */
static inline void
tt_out_spill(struct tt_out *o)
{
	if (o->buf.n >= 1 << 16)
		tt_out_flush(o);
}

/* Write the rest of the buffer. Return the first error. */
int tt_out_error(struct tt_out *o, struct tt_err *err);

/* Append `,"key":"value"`, where ${value} is any text; append nothing if it is NULL or "". */
void tt_buf_json_fact(struct tt_buf *b, const char *key, const char *value);

/* Return the time of the first event; before the end of the run, as the prepass found it. */
int64_t tt_emit_origin(const struct tt_model *m);

/* True if an instant at ${ts} is within the time asked for. */
static inline bool
tt_emit_in_time(const struct tt_filter *f, int64_t ts)
{
	return tt_filter_has(f, ts);
}

/*
 * The bytes that a thread has allocated so far, for emitters that show them as a counter. The counter has a point at the first allocation of each
 * millisecond of the output, as more would not be visible, and one at the last allocation of a chunk, so that the next chunk begins with the
 * right sum.
 */
struct tt_alloc_points {
	uint64_t bytes;               /* at most INT64_MAX, as JSON readers and counters are signed; damaged captures may exceed it */
	uint64_t last, last_ts;       /* sum and output time in ns of the last allocation that has a point */
	bool owed;                    /* true: the last allocation has no point yet */
};

static inline struct tt_alloc_points
tt_alloc_points(const struct tt_view *v)
{
	return (struct tt_alloc_points){ .bytes = v->alloc_before, .last_ts = UINT64_MAX };
}

/* Count an allocation. Returns its bytes, at most INT64_MAX. */
static inline uint64_t
tt_alloc_points_add(struct tt_alloc_points *s, const struct tt_event *alloc)
{
	uint64_t bytes = tt_alloc_bytes(alloc);

	if (bytes > INT64_MAX)
		bytes = INT64_MAX;
	s->bytes = s->bytes + bytes > INT64_MAX ? INT64_MAX : s->bytes + bytes;
	return bytes;
}

/* True if the allocation that was counted last, at output time ${ts}, gets a point. */
static inline bool
tt_alloc_points_show(struct tt_alloc_points *s, uint64_t ts)
{
	s->owed = s->last_ts != UINT64_MAX && ts / 1000000 == s->last_ts / 1000000;
	s->last = s->bytes;
	s->last_ts = ts;
	return !s->owed;
}

/* True if the filters keep the rare event ${i} by its thread; counters and heap sizes belong to no thread and are kept. */
bool tt_emit_by_thread(const struct tt_view *v, size_t i);

/* True if the filters keep the counter of ${of}, a TT_COUNTER: by name and section, as in tables. */
bool tt_emit_counter_shown(const struct tt_emitting *e, const struct tt_view *v, const struct tt_event *of);

/**
 * tt_emit_stack(v, i, n):
 * Return the recorded stack of event ${i}, an allocation, sample, throw, handle or wait: *${n} marker keys, the innermost last.
 * The runtime's allocation wrappers at its inner end are left out unless the filter keeps them.
 */
const uint64_t *tt_emit_stack(const struct tt_view *v, size_t i, size_t *n);

/* A marker's name in an output whose readers add up equal names; with TT_NEEDS_APART. tt_emit_brief() has what is written with every event. */
static inline const char *
tt_emit_marker(const struct tt_name *n)
{
	return n->distinct_label ? n->distinct_label : n->shown;
}

/* Return the name of a marker's category. */
static inline const char *
tt_emit_category(const struct tt_model *m, const struct tt_name *name)
{
	return name->category < m->ncategory ? m->category[name->category].name : "";
}

/* Return the second slot of event ${i}, or NULL. */
const struct tt_event *tt_event_ext(const struct tt_batch *b, size_t i);

/* Return the first argument of event ${i}, or NULL; the others follow it in the batch. */
const struct tt_event *tt_event_arg(const struct tt_batch *b, size_t i);

/* Return the text of an argument, *${n} bytes. */
const char *tt_event_text(const struct tt_batch *b, const struct tt_event *arg, size_t *n);

/* Return the name to show for a capture: its program if a domain has a name, else its file. *${n} bytes. */
const char *tt_capture_title(const struct tt_capture *c, size_t *n);

/* True for a number that is neither NaN nor infinite. */
bool tt_value_finite(enum tt_type type, uint64_t bits);

/* Return the word of a TT_T_WORD: "null", "false" or "true". */
const char *tt_word_text(uint64_t bits);

/* Print a number, or "NaN", "Infinity", "-Infinity"; print nothing for a text. At most 32 bytes. */
char *tt_put_value(char *p, enum tt_type type, uint64_t bits);

/* Return the name of zone key ${key} during the run; an undefined key is named by its address, in ${own}. */
const struct tt_name *tt_emit_name(const struct tt_model *m, uint32_t process, uint64_t key, struct tt_nameless *own);

/* Return the name of frame ${key} of a recorded stack. */
static inline const char *
tt_emit_frame(const struct tt_view *v, uint64_t key, struct tt_nameless *own)
{
	return tt_emit_marker(tt_emit_name(v->m, v->cap->process, key, own));
}

/* Return "(unknown class 0x7f00)", or "(unnamed class 0x7f00)" if ${d} defines the class without a name. Stored in ${own}. */
const char *tt_emit_nameless_class(const struct tt_def *d, uint64_t key, struct tt_nameless *own);

#endif
