/**
 * Markers over the frames: what each of some markers takes in each column of the chart of frames, on all threads together, for a line over it.
 *
 * A column has the most that a frame of it takes: the chart's columns have up to some frames, too. The markers that take the most in one frame. If not all
 * frames were looked at (tt_frames.looked), those that were; the attribute data-looked is their number, else 0.
 * Memory: 8 bytes for each marker chosen and column.
 */
#ifndef TT_PAGE_OVER_H
#define TT_PAGE_OVER_H

#include <stddef.h>

struct tt_buf;
struct tt_err;
struct tt_frame_sums;
struct tt_over;
struct tt_views;

/* Choose at most ${most} markers, and as many ${columns}; *${to} NULL: there are no markers, or no frames of one process
   alone. To be freed in any case. */
int tt_over_begin(struct tt_over **to, struct tt_views *view, size_t most, size_t columns, struct tt_err *err);
void tt_over_free(struct tt_over *o);

/* Add the markers' time in the present frame of ${s} to its column, and that of frames before it which zones that are apart fill. Frames come in order. */
void tt_over_frame(struct tt_over *o, const struct tt_frame_sums *s);

/* After all frames. */
void tt_over_end(struct tt_over *o);

/* After all frames, as an element of data: JSON of [names, [[columns to the last one, ns, ...], ...]]. ${command} before a marker prints
   the same of each frame. */
int tt_over_put(const struct tt_over *o, const char *command, struct tt_buf *out, struct tt_err *err);

#endif
