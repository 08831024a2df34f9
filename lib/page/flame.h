/**
 * The call tree of all threads as a flame graph: its boxes, in order, for page scripts and for a picture.
 *
 * The requested number of boxes with the largest total times is drawn; a box lies inside its caller's box, the widest first.
 * Memory: 56 bytes for each box, beside the merged tree while it is made.
 */
#ifndef TT_PAGE_FLAME_H
#define TT_PAGE_FLAME_H

#include <stddef.h>
#include <stdint.h>

struct tt_buf;
struct tt_err;
struct tt_mem;
struct tt_views;

struct tt_flame {
	struct tt_flame_box {
		const char *name;     /* name of the marker; at depth 0, of the thread */
		int64_t from, total, self;    /* from: start of the box within the time of all threads */
		int64_t bytes;
		uint64_t n;
		uint32_t depth;
		uint32_t row;         /* row of tt_paths; TT_NO_ROW: a thread */
	} *box;
	size_t n, cap;
	size_t left_out;
	int64_t total;
	uint32_t deepest;
	struct tt_mem *mem;
};

/* Choose at most ${most} boxes; none if no zone has time. Names are valid as long as ${view}. Free also after an error. */
int tt_flame_init(struct tt_flame *f, struct tt_views *view, size_t most, struct tt_err *err);
void tt_flame_free(struct tt_flame *f);

/* Like tt_flame_init(), for the stacks of samples: totals are numbers of samples; there are no counts and bytes. */
int tt_flame_sampled(struct tt_flame *f, struct tt_views *view, size_t most, struct tt_err *err);

/*
 * Write the boxes as a data element: JSON of [names, boxes], six numbers a box: depth, name, total, self, count, bytes; nothing if there are no boxes. ${kind}:
 * "flame" or "samples". ${command}: the command that prints the tree of a marker, whose name is appended.
 */
int tt_flame_put(const struct tt_flame *f, const struct tt_views *view, const char *kind, const char *command, struct tt_buf *out, struct tt_err *err);

#endif
