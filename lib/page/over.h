/**
 * Markers over the frames: what each of some markers takes in each column of the chart of frames, for a line over it.
 *
 * A column has the most that a frame of it takes: the chart's columns have up to some frames, too. The markers that take the most in one frame.
 * Where not all frames were looked at (tt_frames.looked), those that were; the attribute data-looked is their number, else 0.
 * Memory: 8 bytes for each marker chosen and column.
 */
#ifndef TT_PAGE_OVER_H
#define TT_PAGE_OVER_H

#include <stddef.h>

struct tt_buf;
struct tt_err;
struct tt_views;

/* At most ${most} markers and ${columns} columns, as an element of data: JSON of [names, [[columns to the last one, ns, ...], ...]]. With
   TT_NEEDS_BY_FRAME, and where one process alone has frames; else nothing. ${command} before a marker prints what it does in each frame. */
int tt_over_put(struct tt_views *view, size_t most, size_t columns, const char *command, struct tt_buf *out, struct tt_err *err);

#endif
