/**
 * Data of a page that are made of the sums of frames (view/frame_sums.h): markers over the frames (over.h), sums of ranges (ranges.h), and call
 * trees of frames without zones (trees.h). The sums are read once for all three: reading costs more than what each does with them.
 *
 * Memory: that of the three.
 */
#ifndef TT_PAGE_FRAME_DATA_H
#define TT_PAGE_FRAME_DATA_H

#include <stddef.h>
#include <stdint.h>

struct tt_buf;
struct tt_details;
struct tt_err;
struct tt_report;
struct tt_views;

struct tt_frame_data {
	const struct tt_details *details;
	size_t max_markers;           /* maximum number of markers to show over the frames */
	uint64_t max_range_bytes;     /* maximum bytes of the sums of ranges; 0: unlimited */
	const char *marker_command;   /* the command that prints what a marker does in each frame; its name is appended */
	const char *frames_command;   /* the command that prints the tables of frames; their numbers are appended */
};

/* Write the data elements, each only if it has data. Needs TT_NEEDS_BY_FRAME or TT_NEEDS_CAUSES. */
int tt_frame_data_put(const struct tt_frame_data *d, struct tt_views *view, const struct tt_report *r, struct tt_buf *out, struct tt_err *err);

#endif
