/**
 * Shared by emitters: text into buffers, arguments of events, what a filter keeps.
 * Internal to lib/emit.
 */
#ifndef TT_EMIT_COMMON_H
#define TT_EMIT_COMMON_H

#include <stdbool.h>

#include "emit/emit.h"

/* The state of an emitter that writes one file in its `finish`, in small pieces. Errors stay until tt_out_error(). */
struct tt_out {
	struct tt_emitting e;
	struct tt_sink *sink;
	struct tt_buf buf;
};

int tt_out_begin(void *state, struct tt_err *err);
void tt_out_end(void *state);

void tt_out_flush(struct tt_out *o);

/* Write o->buf if it has grown large. */
static inline void
tt_out_spill(struct tt_out *o)
{
	if (o->buf.n >= 1 << 16)
		tt_out_flush(o);
}

/* Hand on the rest; the first error there was. */
int tt_out_error(struct tt_out *o, struct tt_err *err);

/* Append `,"key":"value"`, the value being any text; NULL or "" appends nothing. */
void tt_buf_json_fact(struct tt_buf *b, const char *key, const char *value);

/* The time of the first event. Before the run is over the threads of the prepass know it. */
int64_t tt_emit_origin(const struct tt_model *m);

/* True if an instant at ${ts} is within the time asked for. */
static inline bool
tt_emit_in_time(const struct tt_filter *f, int64_t ts)
{
	return tt_filter_has(f, ts);
}

/*
 * A thread's allocations so far, for emitters that show them as a counter. The counter has a point at the first allocation of each millisecond of
 * the output, and one at a chunk's last: more would not be seen, and the last makes the sum right where the next chunk begins.
 */
struct tt_alloc_points {
	uint64_t bytes;               /* at most INT64_MAX, as JSON readers and values of counters are signed; damaged captures have more */
	uint64_t last, last_ts;       /* bytes and time in ns of the output, of the last allocation shown */
	bool owed;                    /* it has no point yet */
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

/* True if the allocation counted last, at ${ts} of the output, is to have a point. */
static inline bool
tt_alloc_points_show(struct tt_alloc_points *s, uint64_t ts)
{
	s->owed = s->last_ts != UINT64_MAX && ts / 1000000 == s->last_ts / 1000000;
	s->last = s->bytes;
	s->last_ts = ts;
	return !s->owed;
}

/* True if the filters keep the rare event ${i}, by its thread; counters and the heap's size belong to no thread. */
bool tt_emit_by_thread(const struct tt_view *v, size_t i);

/* True if the filters choose the counter of ${of}, a TT_COUNTER: as in tables, by name and section. */
bool tt_emit_counter_shown(const struct tt_emitting *e, const struct tt_view *v, const struct tt_event *of);

/**
 * tt_emit_stack(v, i, n):
 * The recorded stack of event ${i}, an allocation, sample, throw, handle or wait: *${n} marker keys, the innermost last.
 * Frames of the runtime's allocation wrappers at its end are left out unless the filter keeps them.
 */
const uint64_t *tt_emit_stack(const struct tt_view *v, size_t i, size_t *n);

/* A marker's name in an output whose readers add up equal names; with TT_NEEDS_APART. */
static inline const char *
tt_emit_marker(const struct tt_name *n)
{
	return n->apart ? n->apart : n->shown;
}

/* The text of a category number. */
static inline const char *
tt_emit_category(const struct tt_model *m, const struct tt_name *name)
{
	return name->category < m->ncategory ? m->category[name->category].name : "";
}

/* The second slot of event ${i}, or NULL. */
const struct tt_event *tt_event_ext(const struct tt_batch *b, size_t i);

/* The first argument of event ${i}, or NULL; the others follow it. */
const struct tt_event *tt_event_arg(const struct tt_batch *b, size_t i);

/* The text of an argument; *${n} bytes. */
const char *tt_event_text(const struct tt_batch *b, const struct tt_event *arg, size_t *n);

/* The name to show for a capture: its program as the first named domain tells it, else its file. *${n} bytes. */
const char *tt_capture_title(const struct tt_capture *c, size_t *n);

/* True for a number that is neither NaN nor infinite. */
bool tt_value_finite(enum tt_type type, uint64_t bits);

/* "null", "false" or "true", of a TT_T_WORD. */
const char *tt_word_text(uint64_t bits);

/* Print a number, or "NaN", "Infinity", "-Infinity"; a text writes nothing. At most 32 bytes. */
char *tt_put_value(char *p, enum tt_type type, uint64_t bits);

/* The name of zone key ${key} while streaming; an undefined one is named by its address, in ${own}. */
const struct tt_name *tt_emit_name(const struct tt_model *m, uint32_t process, uint64_t key, struct tt_nameless *own);

/* The name of frame ${key} of a recorded stack. */
static inline const char *
tt_emit_frame(const struct tt_view *v, uint64_t key, struct tt_nameless *own)
{
	return tt_emit_marker(tt_emit_name(v->m, v->cap->process, key, own));
}

/* "(unknown class 0x7f00)" in ${own}, or "(unnamed class 0x7f00)" where ${d} defines it without a name. */
const char *tt_emit_nameless_class(const struct tt_def *d, uint64_t key, struct tt_nameless *own);

#endif
