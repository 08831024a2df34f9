/**
 * Call trees of frames that a page has no zones of (details.h): of the worst frame of each cause, so that what the page names as a cause can be
 * seen in it. Zones are chosen before the events are read, and causes are known after; the sums of frames have their trees all the same.
 *
 * Memory: one tree, and the text of all.
 */
#ifndef TT_PAGE_TREES_H
#define TT_PAGE_TREES_H

struct tt_buf;
struct tt_details;
struct tt_err;
struct tt_report;
struct tt_views;

/*
 * As an element of data, with TT_NEEDS_BY_FRAME or TT_NEEDS_CAUSES: JSON of [[number of a frame, names, [depth, name, time, self time, calls, bytes
 * allocated, ...]], ...], callers before callees, the frame's own thread first; times in ns. Nothing where ${d} has all of these frames.
 */
int tt_trees_put(const struct tt_details *d, struct tt_views *view, const struct tt_report *r, struct tt_buf *out, struct tt_err *err);

#endif
