/**
 * Call trees of frames whose zones a page does not have (details.h): of the worst frame of each cause, so that the cause can be seen in it. Frames in detail
 * are chosen before the events are read, causes are known afterwards; but the sums of frames contain the call tree of every frame.
 *
 * Memory: one tree, and the text of all.
 */
#ifndef TT_PAGE_TREES_H
#define TT_PAGE_TREES_H

#include <stddef.h>

struct tt_buf;
struct tt_details;
struct tt_err;
struct tt_frame_sums;
struct tt_report;
struct tt_trees;
struct tt_views;

/* Choose the frames; *${to} NULL: ${d} has all of them. Always free it. */
int tt_trees_begin(struct tt_trees **to, const struct tt_details *d, struct tt_views *view, const struct tt_report *r, struct tt_err *err);
void tt_trees_free(struct tt_trees *t);

/* The chosen frames, *${n} of them, in order. */
const size_t *tt_trees_frames(const struct tt_trees *t, size_t *n);

/* Write the tree of the current frame of ${s}, if it was chosen. Call in frame order. */
int tt_trees_frame(struct tt_trees *t, const struct tt_frame_sums *s, struct tt_err *err);

/*
 * Write the trees, after the last frame, as a data element: JSON of [[number of a frame, names, [depth, name, time, self time, calls, bytes allocated, ...]],
 * ...], callers before callees, the frame's own thread first; times in ns.
 */
int tt_trees_put(struct tt_trees *t, struct tt_buf *out, struct tt_err *err);

#endif
