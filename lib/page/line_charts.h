/**
 * Lines over the frames: values of counters, and the size of the heap with its collections and shots, as charts of SVG that need no scripts.
 *
 * A line has at most TT_LINE_COLUMNS columns, of a frame or several each, or, without frames, of equal times. It goes from the smallest to the largest value
 * of a column, for a mean would hide a peak; a column without a value goes on with the last one. The words of a column are data for page scripts, which show
 * them under the pointer. Captures that were read together have none: a line is of one program.
 *
 * Memory: a line's columns, and the words of all of them.
 */
#ifndef TT_PAGE_LINE_CHARTS_H
#define TT_PAGE_LINE_CHARTS_H

#include <stddef.h>

struct tt_buf;
struct tt_err;
struct tt_report;
struct tt_views;

enum { TT_LINE_COLUMNS = 300 };

/*
 * Write charts of at most ${most} counters whose values change, if values are known by frame (TT_NEEDS_BY_FRAME or TT_NEEDS_CAUSES); *${left}: number of
 * further counters that change. Nothing if none does.
 */
int tt_lines_counters(struct tt_views *view, struct tt_report *r, size_t most, size_t *left, struct tt_buf *out, struct tt_err *err);

/* Write the chart of the heap; nothing unless its size is known at two times. */
int tt_lines_heap(struct tt_views *view, struct tt_report *r, struct tt_buf *out, struct tt_err *err);

#endif
