/**
 * Ranges of frames: what markers, categories, threads and allocation sites do in each column of the chart of frames, for tables that page
 * scripts make of the frames that a reader chooses (ranges.js).
 *
 * Sums of frames, so that those of whole columns are what the same tables have with the filter set to these frames; up to TT_PAGE_COLUMNS frames a column is
 * one, of more a TT_RANGE_COLUMNS-th of them, so that more rows fit. Each table has the rows that matter most in the whole or in a single frame; the others
 * are one row, so that shares are of all. There is nothing if the sums would not be those of the filter: with filters that choose rows or leave single zones
 * out, with time between frames, of several processes, or where not all frames were looked at (tt_frames.nexamined_before).
 *
 * Memory: 8 bytes for each row, value and column, 8 MB at the most, and the text of it.
 */
#ifndef TT_PAGE_RANGES_H
#define TT_PAGE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_buf;
struct tt_err;
struct tt_frame_sums;
struct tt_ranges;
struct tt_views;

enum { TT_RANGE_COLUMNS = 400 };

/* Choose the rows; *${to} NULL: no frames, or those of several processes. Always free it. */
int tt_ranges_begin(struct tt_ranges **to, struct tt_views *view, struct tt_err *err);
void tt_ranges_free(struct tt_ranges *r);

/* True if there are sums, so that each frame must be read. */
bool tt_ranges_has_sums(const struct tt_ranges *r);

/* Add the values of the current frame of ${s} to its column; only if tt_ranges_has_sums(). Call in frame order. */
void tt_ranges_frame(struct tt_ranges *r, const struct tt_frame_sums *s);

/* Add what open zones contribute to the remaining frames; call after the last frame. */
void tt_ranges_end(struct tt_ranges *r);

/*
 * Write at most ${most} bytes (0: unlimited) as a data element, after tt_ranges_end(). JSON of [[table, texts of a row, values of a row, [texts of all rows],
 * [sums of each row, those of the others last]], ...]; the sums of a value by column, -N for N columns without any. ${command}: the command that prints the
 * tables of frames, whose numbers are appended; it is written even without sums.
 */
int tt_ranges_put(struct tt_ranges *r, uint64_t most, const char *command, struct tt_buf *out, struct tt_err *err);

#endif
