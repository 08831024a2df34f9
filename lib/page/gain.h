/**
 * Estimates what fixing causes of long frames gains. Private to lib/page.
 */
#ifndef TT_PAGE_GAIN_H
#define TT_PAGE_GAIN_H

struct tt_buf;
struct tt_frames;
struct tt_page_hitches;
struct tt_report;

/**
 * tt_page_gain(r, f, hitches, out):
 * Write a sentence about the up to three causes of the table causes whose fixing gains most, if most frames meet 60 or 30 fps: how many frames would meet that
 * budget if each of these causes' frames were shorter by its extra time. Nothing if no frame would gain.
 */
void tt_page_gain(const struct tt_report *r, const struct tt_frames *f, const struct tt_page_hitches *hitches, struct tt_buf *out);

#endif
