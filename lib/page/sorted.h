/**
 * Frames by how long they were shown: sorted, and counted. Private to lib/page.
 */
#ifndef TT_PAGE_SORTED_H
#define TT_PAGE_SORTED_H

struct tt_buf;
struct tt_err;
struct tt_frames;
struct tt_mem;
struct tt_report;

/* Draw the frames ${f} from the shortest to the longest, with lines at 60 and 30 fps, and beside it the histogram of their times. Errors: TT_E_NOMEM. */
int tt_page_sorted(const struct tt_report *r, const struct tt_frames *f, struct tt_mem *mem, struct tt_buf *out, struct tt_err *err);

#endif
