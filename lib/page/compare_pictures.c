/**
 * Pictures of a comparison: what the difference consists of, frames by their times, captures by their means. Positions are rounded to 1/100 %, so that the same
 * numbers give the same bytes everywhere. Shapes have colours of their own for viewers that block styles.
 */
#include <string.h>

#include "out/html.h"
#include "out/render.h"
#include "page/compare_page.h"
#include "page/dots.h"
#include "stat/num.h"

/* WHOLE: the length of the axis in 1/100 %. STEPS: maximum number of bars. The rest are heights. */
enum { WHOLE = 10000, STEPS = 10, STEP = 36, BAR = 12, HIGH = 120 };

#define COLOR_A "#4a7ebb"
#define COLOR_B "#b06f00"

static int64_t
size(int64_t v)
{
	return v < 0 ? -v : v;
}

/* Write the attribute ${name}: the position of ${v} between ${low} and ${high}, in percent. */
static void
put_at(struct tt_buf *out, const char *name, int64_t v, int64_t low, int64_t high)
{
	tt_u128 part = v <= low || high <= low ? 0 : (tt_u128)((uint64_t)v - (uint64_t)low) * WHOLE / ((uint64_t)high - (uint64_t)low);
	char at[40];

	*tt_put_fixed(at, (int64_t)part, 2) = '\0';
	tt_buf_printf(out, " %s=\"%s%%\"", name, at);
}

static void
put_time(struct tt_buf *out, int64_t ns, bool sign)
{
	char time[TT_CELL_MAX];

	*tt_put_time_short(time, ns < 0 ? -ns : ns) = '\0';
	tt_buf_printf(out, "%s%s", ns < 0 ? "\xe2\x88\x92" : sign && ns > 0 ? "+" : "", time);
}

/* --- what the difference is made of ---------------------------------------------------------- */

struct steps {
	struct tt_buf *out;
	int64_t low, high;
	unsigned y;
};

/* Write a line of text, and below it a bar from ${from} to ${to}: the mean of ${side} ('A', 'B'), or a change (' '). */
static void
put_step(struct steps *s, char side, const char *name, int64_t from, int64_t to)
{
	bool change = side == ' ';

	tt_buf_printf(s->out, "<text class=\"t\" x=\"0\" y=\"%u\" font-size=\"13\" fill=\"#1b1f24\">", s->y + 14);
	/* The change comes first, because a narrow window cuts the end of the line. */
	if (!change)
		tt_buf_printf(s->out, "%s: ", name);
	put_time(s->out, change ? to - from : to, change);
	if (change) {
		tt_buf_text(s->out, " ");
		tt_html_text(s->out, name);
	}
	tt_buf_printf(s->out, "</text><rect class=\"%s\" fill=\"%s\" y=\"%u\" height=\"%d\"", !change ? side == 'A' ? "k0" : "k1" : to < from ? "q0" : "q6",
	    !change ? side == 'A' ? COLOR_A : COLOR_B : to < from ? "#6baed6" : "#fb6a4a", s->y + 19, BAR);
	put_at(s->out, "x", from < to ? from : to, s->low, s->high);
	put_at(s->out, "width", s->low + (from < to ? to - from : from - to), s->low, s->high);
	tt_buf_text(s->out, "/>\n");
	if (!change && s->low > 0)            /* the axis does not begin at 0: draw the bar as broken */
		tt_buf_printf(s->out, "<line class=\"cut\" x1=\"1%%\" x2=\"2%%\" y1=\"%u\" y2=\"%u\" stroke=\"#fff\" stroke-width=\"4\"/>\n",
		    s->y + 19 + BAR + 2, s->y + 17);
	s->y += STEP;
}

/* Set the range of the axis to that of the bars; if the changes are small, it begins near the lowest bar instead of 0. */
static void
set_range(struct steps *s, const struct tt_table *t, size_t shown, int64_t a, int64_t b)
{
	int64_t at = a, low = a < b ? a : b, high = a < b ? b : a;

	for (size_t i = 0; i < shown; i++) {
		at += tt_html_value(t, i, "diff_ns");
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	s->high = high;
	s->low = low / 2 > high - low ? low - (high - low) : 0;
	s->low = s->low > 0 ? s->low : 0;
}

void
tt_compare_steps(const struct tt_report *r, struct tt_buf *out)
{
	const struct tt_table *t = tt_html_find(r, "markers"), *sides = tt_html_find(r, "sides");
	int64_t a = tt_html_value(sides, 0, "mean_ns"), b = tt_html_value(sides, 1, "mean_ns"), at = a;
	struct steps s = { .out = out };
	size_t shown = 0;
	char time[TT_CELL_MAX], rest[64];

	/* The markers are sorted, largest difference first; all that are too small for a bar of their own share one. */
	while (t && shown < t->nrow && shown < STEPS && tt_html_value(t, shown, "diff_ns") != 0 &&
	    size(tt_html_value(t, shown, "diff_ns")) >= size(tt_html_value(t, 0, "diff_ns")) / 100)
		shown++;
	if (!t || t->nrow == 0)
		return;
	set_range(&s, t, shown, a, b);
	tt_buf_printf(out, "<figure><svg width=\"100%%\" height=\"%zu\" role=\"img\" aria-label=\"Bars from A to B; the table of markers has the "
	    "same numbers\">\n",
	    (shown + 2 + (t->nrow > shown)) * STEP + 4);
	put_step(&s, 'A', "A", s.low, a);
	for (size_t i = 0; i < shown; i++) {
		const struct tt_cell *name = tt_html_cell(t, i, "marker");
		int64_t to = at + tt_html_value(t, i, "diff_ns");

		put_step(&s, ' ', name ? name->s : "", at, to);
		at = to;
	}
	if (t->nrow > shown) {
		char *p = tt_put_count(rest, (int64_t)(t->nrow - shown));

		strcpy(p, t->nrow - shown == 1 ? " other marker" : " other markers");
		put_step(&s, ' ', rest, at, b);
	}
	put_step(&s, 'B', "B", s.low, b);
	tt_buf_text(out, "</svg>\n<figcaption>From the mean of A, at the top, to that of B, at the bottom: each bar begins where the one above it ends; "
	    "blue ones, with a minus, lead back.");
	if (s.low > 0) {
		*tt_put_time_short(time, s.low) = '\0';
		tt_buf_printf(out, " The axis begins at %s, so bars A and B are broken.", time);
	}
	tt_buf_text(out, "</figcaption>\n</figure>\n");
}

/* --- frames by their times -------------------------------------------------------------------- */

/* The height of an outline: the square root of the share relative to the largest, so that a single late frame is visible beside thousands. */
static unsigned
height(int64_t n, int64_t of, tt_u128 most)
{
	tt_u128 part = of ? (tt_u128)n * 1000000000 / (tt_u128)of : 0;
	uint64_t square = most ? (uint64_t)(part * HIGH * HIGH / most) : 0, root = 0;

	while ((root + 1) * (root + 1) <= square)
		root++;
	return n && root == 0 ? 1 : (unsigned)root;
}

static void
put_outline(struct tt_buf *out, const struct tt_table *t, const char *id, int64_t of, tt_u128 most, bool b)
{
	tt_buf_printf(out, "<path class=\"%s\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" stroke-width=\"2\"%s "
	    "vector-effect=\"non-scaling-stroke\" d=\"M0 %d",
	    b ? "ob" : "oa", b ? "none" : COLOR_A, b ? "0" : ".25", b ? COLOR_B : COLOR_A, b ? "" : " stroke-dasharray=\"5 3\"", HIGH);
	for (size_t i = 0; i < t->nrow; i++)
		tt_buf_printf(out, "V%uH%zu", HIGH - height(tt_html_value(t, i, id), of, most), i + 1);
	tt_buf_printf(out, "V%d\"/>", HIGH);
}

static const struct { int64_t ns; const char *name; } budget[] = { { 16666667, "60 fps" }, { 33333333, "30 fps" } };

static void
put_axis(struct tt_buf *out, const struct tt_table *t)
{
	size_t step = (t->nrow + 4) / 5;
	char time[TT_CELL_MAX];

	for (size_t i = 0; i < t->nrow; i += step) {
		*tt_put_time_short(time, tt_html_value(t, i, "from_ns")) = '\0';
		tt_buf_printf(out, "<text class=\"b\" y=\"%d\" font-size=\"12\" fill=\"#555\"", HIGH + 32);
		put_at(out, "x", (int64_t)i, 0, (int64_t)t->nrow);
		tt_buf_printf(out, ">%s</text>", time);
	}
	for (size_t k = 0; k < sizeof budget / sizeof *budget; k++)
		for (size_t i = 0; i < t->nrow; i++) {
			if (budget[k].ns < tt_html_value(t, i, "from_ns") || budget[k].ns >= tt_html_value(t, i, "to_ns"))
				continue;
			tt_buf_text(out, "<line class=\"b\" y1=\"0\" stroke=\"#777\" stroke-dasharray=\"2 3\"");
			put_at(out, "x1", (int64_t)(2 * i + 1), 0, (int64_t)(2 * t->nrow));
			put_at(out, "x2", (int64_t)(2 * i + 1), 0, (int64_t)(2 * t->nrow));
			tt_buf_printf(out, " y2=\"%d\"/><text class=\"b\" y=\"11\" font-size=\"12\" fill=\"#555\"", HIGH + 18);
			put_at(out, "x", (int64_t)(2 * i + 1), 0, (int64_t)(2 * t->nrow));
			tt_buf_printf(out, "%s>%s</text>", 10 * i > 9 * t->nrow ? " text-anchor=\"end\"" : "", budget[k].name);
		}
	tt_buf_text(out, "\n");
}

void
tt_compare_spread(const struct tt_report *r, struct tt_buf *out)
{
	static const char *const side[] = { "a_count", "b_count" };
	const struct tt_table *t = tt_html_find(r, "frame_spread"), *sides = tt_html_find(r, "sides");
	tt_u128 most = 0;

	if (!t || t->nrow == 0)
		return;
	for (size_t i = 0; i < t->nrow; i++)
		for (unsigned s = 0; s < 2; s++) {
			int64_t of = tt_html_value(sides, s, "frames");
			tt_u128 part = of ? (tt_u128)tt_html_value(t, i, side[s]) * 1000000000 / (tt_u128)of : 0;

			most = part > most ? part : most;
		}
	tt_buf_printf(out, "<figure><svg width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"Frames of A and of B by their times; the table of percentiles "
	    "sums them up\">\n<svg y=\"16\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\">", HIGH + 38, HIGH,
	    t->nrow, HIGH);
	for (unsigned s = 0; s < 2; s++)
		put_outline(out, t, side[s], tt_html_value(sides, s, "frames"), most, s);
	tt_buf_text(out, "</svg>\n");
	put_axis(out, t);
	tt_buf_text(out, "</svg>\n<figcaption>How many frames take how long: A dashed and filled, B a solid line. Heights are square roots of shares, so "
	    "that a single late frame can be seen.</figcaption>\n</figure>\n");
}

/* --- captures ------------------------------------------------------------------------------------ */

static char *
put_short(char *to, int64_t v, const void *arg)
{
	(void)arg;
	return tt_put_time_short(to, v);
}

void
tt_compare_captures(const struct tt_report *r, struct tt_buf *out)
{
	const struct tt_table *t = tt_html_find(r, "captures");
	struct tt_dot dot[2][TT_DOTS_MAX];
	struct tt_dots d = { .about = "The mean of each capture; the table of captures has the same numbers", .label = { "A", "B" },
		.dot = { dot[0], dot[1] }, .put = put_short };
	bool cut = false;

	if (!t || t->nrow < 3)
		return;
	for (size_t i = 0; i < t->nrow; i++) {
		const struct tt_cell *side = tt_html_cell(t, i, "side"), *file = tt_html_cell(t, i, "file");
		unsigned s = side && side->s[0] == 'B';

		if (d.n[s] < TT_DOTS_MAX)
			dot[s][d.n[s]++] = (struct tt_dot){ file ? file->s : "", tt_html_value(t, i, "mean_ns") };
		else
			cut = true;
	}
	tt_dots_put(&d, out);
	tt_buf_printf(out, "<figcaption>The mean of each capture: where the two rows lie apart, the difference is larger than the noise.%s</figcaption>\n"
	    "</figure>\n", cut ? " The first 500 of a side are drawn." : "");
}
