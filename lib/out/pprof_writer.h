/**
 * Writes a pprof profile (proto/profile.proto of github.com/google/pprof), message by message, at the end of a buffer, which
 * the caller may empty between messages. Its error sticks (base/buf.h).
 *
 * Strings are numbered in the order in which they come, from 0; the caller knows their numbers beforehand. A location and its
 * function have one number, from 1.
 */
#ifndef TT_OUT_PPROF_WRITER_H
#define TT_OUT_PPROF_WRITER_H

#include "base/proto.h"

/* Stacks deeper than this lose their outermost frames: for deep recursion the file would grow with the square of the depth. */
#define TT_PPROF_DEPTH 2048

struct tt_pprof {
	struct tt_buf *out, part;     /* part: the message at work */
	uint64_t nstring, ncomment;   /* so far; the last strings are the comments */
};

void tt_pprof_free(struct tt_pprof *w);

void tt_pprof_type(struct tt_pprof *w, uint64_t type, uint64_t unit);

/* A sample: ids of its frames, innermost first, packed by tt_put_varint() in two pieces; its values; its labels. */
void tt_pprof_stack(struct tt_pprof *w, const char *ids, size_t n, const char *more, size_t nmore);
void tt_pprof_values(struct tt_pprof *w, const uint64_t *v, size_t n);
void tt_pprof_label(struct tt_pprof *w, uint64_t key, uint64_t text);
void tt_pprof_sample(struct tt_pprof *w);

void tt_pprof_mapping(struct tt_pprof *w, uint64_t file);
void tt_pprof_function(struct tt_pprof *w, uint64_t id, uint64_t name);

void tt_pprof_string(struct tt_pprof *w, const char *s, size_t n);
void tt_pprof_text(struct tt_pprof *w, const char *s);

/* After all other strings. */
void tt_pprof_comment(struct tt_pprof *w, const char *fmt, ...) TT_PRINTF(2, 3);

/* The end: which strings are comments, and the sample type that is shown first. */
void tt_pprof_end(struct tt_pprof *w, uint64_t shown);

#endif
