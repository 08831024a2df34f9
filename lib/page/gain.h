/**
 * An estimate of what mending causes of long frames gains. Private to lib/page.
 */
#ifndef TT_PAGE_GAIN_H
#define TT_PAGE_GAIN_H

struct tt_buf;
struct tt_frames;
struct tt_page_hitches;
struct tt_report;

/**
 * tt_page_gain(r, f, hitches, out):
 * A sentence about the three causes of the table causes without which most frames would meet the budget that the median frame meets, 60 or 30 fps: how many
 * would, if each of their frames took the time that it takes beyond the typical one no more. Nothing where no frame would.
 */
void tt_page_gain(const struct tt_report *r, const struct tt_frames *f, const struct tt_page_hitches *hitches, struct tt_buf *out);

#endif
