/**
 * The call tree of both sides as a flame graph. A box is as wide as the larger of the times of both sides, so that both new and removed calls are visible; its
 * colour and the sign of its difference say which side is larger.
 */
#include <string.h>

#include "base/err.h"
#include "out/html.h"
#include "out/render.h"
#include "page/compare_page.h"
#include "stat/num.h"

enum { ROW = 18, DEEP = 60, WHOLE = 100000, LEGEND = 24 };

/* The colours of differences, from much less time in B to much more; and the lower limit of each, in 1/1000 of the largest difference. */
static const char *const color[] = { "#6baed6", "#9ecae1", "#deebf7", "#eceff2", "#fee0d2", "#fc9272", "#fb6a4a" };

/* A box: one row of the table of the call tree. */
struct box {
	const char *name;
	int64_t from, width;          /* width: the larger of both sides, with callees */
	size_t row;
	uint32_t depth;
};

static int64_t
size(int64_t v)
{
	return v < 0 ? -v : v;
}

/* Set the positions and widths of boxes from the rows, in which callees follow their caller. Return the total width. */
static int64_t
widths(const struct tt_table *t, struct box *box)
{
	int64_t next[DEEP + 1] = { 0 }, all = 0;

	for (size_t i = t->nrow; i-- > 0;) {
		int64_t a = tt_html_value(t, i, "a_ns"), b = tt_html_value(t, i, "b_ns");
		uint32_t depth = (uint32_t)tt_html_value(t, i, "depth");
		const struct tt_cell *name = tt_html_cell(t, i, "marker");

		box[i] = (struct box){ .name = name ? name->s : "", .row = i, .depth = depth, .width = a > b ? a : b };
		if (depth < DEEP) {
			box[i].width += next[depth + 1];
			next[depth + 1] = 0;
		}
		if (depth <= DEEP)
			next[depth] += box[i].width;
	}
	all = next[0];
	memset(next, 0, sizeof next);
	for (size_t i = 0; i < t->nrow; i++) {
		if (box[i].depth > DEEP)
			continue;
		box[i].from = next[box[i].depth];
		next[box[i].depth] += box[i].width;
		if (box[i].depth < DEEP)
			next[box[i].depth + 1] = box[i].from;
	}
	return all;
}

static unsigned
kind_of(int64_t diff, int64_t most)
{
	tt_u128 part = most ? (tt_u128)size(diff) * 1000 / (tt_u128)most : 0;
	unsigned step = part < 10 ? 0 : part < 100 ? 1 : part < 400 ? 2 : 3;

	return diff < 0 ? 3 - step : 3 + step;
}

static void
put_time(struct tt_buf *out, int64_t ns)
{
	char time[TT_CELL_MAX];

	*tt_put_time_short(time, size(ns)) = '\0';
	tt_buf_printf(out, "%s%s", ns < 0 ? "\xe2\x88\x92" : ns > 0 ? "+" : "", time);
}

static void
put_part(struct tt_buf *out, const char *name, int64_t v, int64_t of)
{
	char at[40];

	*tt_put_fixed(at, (int64_t)((tt_u128)v * WHOLE / (tt_u128)of), 3) = '\0';
	tt_buf_printf(out, " %s=\"%s%%\"", name, at);
}

static void
put_box(const struct tt_table *t, const struct box *b, int64_t all, int64_t most, unsigned y, struct tt_buf *out)
{
	int64_t a = tt_html_value(t, b->row, "a_total_ns"), now = tt_html_value(t, b->row, "b_total_ns"), diff = tt_html_value(t, b->row, "diff_ns");
	const struct tt_cell *state = tt_html_cell(t, b->row, "state");
	unsigned kind = kind_of(diff, most);
	char time[TT_CELL_MAX];

	tt_buf_text(out, "<svg");
	put_part(out, "x", b->from, all);
	put_part(out, "width", b->width, all);
	tt_buf_printf(out, " y=\"%u\" height=\"%d\"><title>", y + b->depth * ROW, ROW - 1);
	tt_html_text(out, b->name);
	tt_buf_text(out, ": ");
	put_time(out, diff);
	*tt_put_time_short(time, a) = '\0';
	tt_buf_printf(out, " (A %s, ", time);
	*tt_put_time_short(time, now) = '\0';
	tt_buf_printf(out, "B %s%s%s)</title><rect class=\"q%u\" fill=\"%s\" width=\"100%%\" height=\"%d\" stroke=\"#fff\" stroke-width=\".5\"/>", time,
	    state ? ", " : "", state ? state->s : "", kind, color[kind], ROW - 1);
	/* Below 1/200 of the width no text is readable, in a window of any size. */
	if (b->width >= all / 200) {
		tt_buf_text(out, "<text class=\"t\" x=\"3\" y=\"13\" font-size=\"11\" fill=\"#1b1f24\">");
		/* The sign comes first, so that narrow boxes show it, too. */
		*tt_put_time_short(time, size(diff)) = '\0';
		tt_buf_text(out, diff < 0 ? "\xe2\x88\x92 " : diff > 0 ? "+ " : "");
		tt_html_text(out, b->name);
		tt_buf_printf(out, " %s</text>", time);
	}
	tt_buf_text(out, "</svg>\n");
}

static void
put_legend(unsigned y, struct tt_buf *out)
{
	tt_buf_printf(out, "<text class=\"t\" x=\"0\" y=\"%u\" font-size=\"12\" fill=\"#1b1f24\">less in B</text>", y + 12);
	for (unsigned i = 0; i < 7; i++)
		tt_buf_printf(out, "<rect class=\"q%u\" fill=\"%s\" x=\"%u\" y=\"%u\" width=\"24\" height=\"14\" stroke=\"#777\" "
		    "stroke-width=\".5\"/>", i, color[i], 60 + 26 * i, y + 1);
	tt_buf_printf(out, "<text class=\"t\" x=\"250\" y=\"%u\" font-size=\"12\" fill=\"#1b1f24\">more in B</text>\n", y + 12);
}

/* The minimum width of the boxes to draw, so that at most ${most} are. */
static int64_t
least(const struct box *box, size_t n, size_t most, int64_t all)
{
	int64_t at = all / 2000 + 1;

	for (;; at += at / 4 + 1) {
		size_t k = 0;

		for (size_t i = 0; i < n; i++)
			k += box[i].depth <= DEEP && box[i].width >= at;
		if (k <= most)
			return at;
	}
}

/* The largest difference of any box except threads: one that grew as a whole would leave no colour for the calls that made it grow. */
static int64_t
widest(const struct tt_table *t, const struct box *box)
{
	int64_t wide = 0;

	for (size_t i = 0; i < t->nrow; i++)
		if (box[i].depth > 0 && box[i].depth <= DEEP && size(tt_html_value(t, i, "diff_ns")) > wide)
			wide = size(tt_html_value(t, i, "diff_ns"));
	return wide;
}

size_t
tt_compare_flame(const struct tt_report *r, size_t most, unsigned y, unsigned *high, struct tt_buf *out)
{
	const struct tt_table *t = tt_html_find(r, "calltree");
	struct box *box = t && t->nrow ? tt_mem_alloc(r->mem, t->nrow * sizeof *box, &(struct tt_err){ 0 }) : NULL;
	int64_t all = box ? widths(t, box) : 0, wide = 0, from = 0;
	size_t n = 0;
	uint32_t deepest = 0;

	if (t && t->nrow && !box)
		tt_buf_fail(out);
	if (all > 0) {
		from = least(box, t->nrow, most, all);
		wide = widest(t, box);
		put_legend(y, out);
	}
	for (size_t i = 0; all > 0 && i < t->nrow; i++) {
		if (box[i].depth > DEEP || box[i].width < from)
			continue;
		put_box(t, &box[i], all, wide, y + LEGEND, out);
		deepest = box[i].depth > deepest ? box[i].depth : deepest;
		n++;
	}
	if (high)
		*high = LEGEND + (deepest + 1) * ROW + 4;
	if (box)
		tt_mem_free(r->mem, box, t->nrow * sizeof *box);
	return n;
}

int
tt_compare_picture(const struct tt_report *r, const char *name, struct tt_buf *out, struct tt_err *err)
{
	struct tt_buf boxes = { 0 };
	unsigned high = 0;
	size_t n = tt_compare_flame(r, 5000, 26, &high, &boxes);
	int rc = tt_report_error(r, err);

	TT_THEN(rc, tt_buf_error(&boxes, err));
	if (rc == TT_OK && n == 0)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there are no calls to draw: no zones with time on either side");
	tt_buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"%u\" viewBox=\"0 0 1200 %u\" "
	    "font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>", high + 26, high + 26);
	tt_html_text(out, name);
	tt_buf_text(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"4\" y=\"16\" font-size=\"14\" fill=\"#1b1f24\">");
	tt_html_text(out, name);
	tt_buf_text(out, "</text>\n");
	tt_buf_add(out, boxes.p ? boxes.p : "", boxes.n);
	tt_buf_text(out, "</svg>\n");
	tt_buf_free(&boxes);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}
