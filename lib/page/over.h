/**
 * Markers over the frames: the time of some markers in each column of the chart of frames, on all threads together, to draw a line over it. A column has the
 * maximum over its frames. The markers chosen are those with the longest time in one frame. If only some frames were recorded in detail
 * (tt_frames.nexamined_before), these are used; the attribute data-looked is their number, else 0.
 *
 * Memory: 8 bytes for each chosen marker and column.
 */
#ifndef TT_PAGE_OVER_H
#define TT_PAGE_OVER_H

#include <stddef.h>

struct tt_buf;
struct tt_err;
struct tt_frame_sums;
struct tt_over;
struct tt_views;

/* Choose at most ${most} markers for at most ${columns} columns; *${to} NULL: no markers, or frames of several processes or none. Always free it. */
int tt_over_begin(struct tt_over **to, struct tt_views *view, size_t most, size_t columns, struct tt_err *err);
void tt_over_free(struct tt_over *o);

/*
 * Add the markers' times in the current frame of ${s} to its column, and first those of frames skipped since the last call, which open zones fill. Call in
 * frame order.
 */
void tt_over_frame(struct tt_over *o, const struct tt_frame_sums *s);

/* Add the remaining frames; call after the last frame. */
void tt_over_end(struct tt_over *o);

/*
 * Write the result, after tt_over_end(), as a data element: JSON of [names, [[columns since the last one, ns, ...], ...]]. ${command}: the command that prints
 * a marker's time in each frame; the marker is appended.
 */
int tt_over_put(const struct tt_over *o, const char *command, struct tt_buf *out, struct tt_err *err);

#endif
