/**
 * Reads the sums of frames once and hands them to all sections that want them.
 */
#include "page/frame_data.h"

#include "page/over.h"
#include "page/report_page.h"
#include "page/ranges.h"
#include "page/trees.h"
#include "view/frame_sums.h"
#include "view/view.h"

/* The outputs computed from the sums; NULL: the page does not have it. */
struct parts {
	struct tt_over *over;
	struct tt_ranges *ranges;
	struct tt_trees *trees;
};

static int
read_frames(const struct parts *p, struct tt_views *view, struct tt_err *err)
{
	const bool ranges = tt_ranges_has_sums(p->ranges);
	struct tt_frame_sums s;

	if (!p->over && !ranges && !p->trees)
		return TT_OK;
	tt_frame_sums_init(&s, view, err);    /* its errors, and those of the steps after it, are in ${err} */
	s.lists_changes = !view->m->filter.no_wait;
	tt_frame_sums_rewind(&s);
	while ((p->over || ranges) && err->code == TT_OK && tt_frame_sums_next(&s)) {
		tt_over_frame(p->over, &s);
		if (ranges)
			tt_ranges_frame(p->ranges, &s);
	}
	tt_over_end(p->over);
	if (ranges)
		tt_ranges_end(p->ranges);
	/* For the trees, read all zones of a few frames. */
	s.lists_changes = false;
	s.chosen = tt_trees_frames(p->trees, &s.nchosen);
	if (s.nchosen)
		tt_frame_sums_rewind(&s);
	while (s.nchosen && err->code == TT_OK && tt_frame_sums_next(&s))
		tt_trees_frame(p->trees, &s, err);
	tt_frame_sums_free(&s);
	return err->code;
}

int
tt_frame_data_put(const struct tt_frame_data *d, struct tt_views *view, const struct tt_report *r, struct tt_buf *out, struct tt_err *err)
{
	struct parts p = { 0 };
	int rc = tt_over_begin(&p.over, view, d->max_markers, TT_PAGE_COLUMNS, err);

	TT_THEN(rc, tt_ranges_begin(&p.ranges, view, err));
	TT_THEN(rc, tt_trees_begin(&p.trees, d->details, view, r, err));
	TT_THEN(rc, read_frames(&p, view, err));
	TT_THEN(rc, tt_over_put(p.over, d->marker_command, out, err));
	TT_THEN(rc, tt_ranges_put(p.ranges, d->max_range_bytes, d->frames_command, out, err));
	TT_THEN(rc, tt_trees_put(p.trees, out, err));
	tt_over_free(p.over);
	tt_ranges_free(p.ranges);
	tt_trees_free(p.trees);
	return rc;
}
