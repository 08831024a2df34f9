/**
 * Call trees of frames that a page has no zones of (details.h): of the worst frame of each cause, so that what the page names as a cause can be
 * seen in it. Zones are chosen before the events are read, and causes are known after; the sums of frames have their trees all the same.
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

/* Choose the frames; *${to} NULL: ${d} has all of them. To be freed in any case. */
int tt_trees_begin(struct tt_trees **to, const struct tt_details *d, struct tt_views *view, const struct tt_report *r, struct tt_err *err);
void tt_trees_free(struct tt_trees *t);

/* The frames, ${*n} of them, in order. */
const size_t *tt_trees_frames(const struct tt_trees *t, size_t *n);

/* The tree of the present frame of ${s}, if it is one of them. Frames come in order. */
int tt_trees_frame(struct tt_trees *t, const struct tt_frame_sums *s, struct tt_err *err);

/*
 * After all frames, as an element of data: JSON of [[number of a frame, names, [depth, name, time, self time, calls, bytes allocated, ...]], ...],
 * callers before callees, the frame's own thread first; times in ns.
 */
int tt_trees_put(struct tt_trees *t, struct tt_buf *out, struct tt_err *err);

#endif
