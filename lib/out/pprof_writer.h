/**
 * Writes a pprof profile (proto/profile.proto of github.com/google/pprof), message by message, to the end of a buffer, which the caller may empty
 * between messages. Errors of the buffer are kept in it (base/buf.h).
 *
 * Strings are numbered in the order in which they are added, from 0; the caller computes their numbers beforehand. A location has the same number as its
 * function, from 1.
 */
#ifndef TT_OUT_PPROF_WRITER_H
#define TT_OUT_PPROF_WRITER_H

#include "base/proto.h"

/* Stacks deeper than this lose their outermost frames; otherwise the file would grow with the square of the depth of a recursion. */
#define TT_PPROF_DEPTH 2048

struct tt_pprof {
	struct tt_buf *out, part;     /* part: the message being made */
	uint64_t nstring, ncomment;   /* numbers so far; the last strings are the comments */
};

void tt_pprof_free(struct tt_pprof *w);

void tt_pprof_type(struct tt_pprof *w, uint64_t type, uint64_t unit);

/* Begin a sample with the ids of its frames, innermost first, packed by tt_put_varint() in two pieces; add its values; add a label; end it. */
void tt_pprof_stack(struct tt_pprof *w, const char *ids, size_t n, const char *more, size_t nmore);
void tt_pprof_values(struct tt_pprof *w, const uint64_t *v, size_t n);
void tt_pprof_label(struct tt_pprof *w, uint64_t key, uint64_t text);
void tt_pprof_sample(struct tt_pprof *w);

void tt_pprof_mapping(struct tt_pprof *w, uint64_t file);
void tt_pprof_function(struct tt_pprof *w, uint64_t id, uint64_t name);

void tt_pprof_string(struct tt_pprof *w, const char *s, size_t n);
void tt_pprof_text(struct tt_pprof *w, const char *s);

/* Add a comment, after all other strings. */
void tt_pprof_comment(struct tt_pprof *w, const char *fmt, ...) TT_PRINTF(2, 3);

/* End the profile with the list of comments and ${shown}, the sample type that viewers show first. */
void tt_pprof_end(struct tt_pprof *w, uint64_t shown);

#endif
