/**
 * Draws dots of captures. Positions are rounded to 1/100 %, so that the same numbers give the same bytes everywhere.
 */
#include "page/dots.h"

#include "out/html.h"
#include "stat/num.h"

enum { ROW = 24, LEFT = 1800, WHOLE = 10000 };       /* LEFT: width of the labels, in 1/100 % */

static const char *const color[] = { "#4a7ebb", "#b06f00" };

struct axis { int64_t low, high; };

static void
reach(struct axis *a, int64_t v)
{
	a->low = v < a->low ? v : a->low;
	a->high = v > a->high ? v : a->high;
}

static void
put_at(struct tt_buf *out, const char *name, int64_t v, const struct axis *a)
{
	uint64_t range = (uint64_t)a->high - (uint64_t)a->low;
	tt_u128 part = range ? (tt_u128)((uint64_t)v - (uint64_t)a->low) * (WHOLE - LEFT - 300) / range : (WHOLE - LEFT) / 2;
	char at[40];

	*tt_put_fixed(at, (int64_t)part + LEFT, 2) = '\0';
	tt_buf_printf(out, " %s=\"%s%%\"", name, at);
}

static void
put_amount(const struct tt_dots *d, int64_t v, struct tt_buf *out)
{
	char text[TT_DOT_TEXT];

	*d->put(text, v, d->arg) = '\0';
	tt_html_text(out, text);
}

static void
put_row(const struct tt_dots *d, unsigned row, unsigned y, const struct axis *a, struct tt_buf *out)
{
	tt_buf_printf(out, "<line class=\"b\" x1=\"16%%\" x2=\"100%%\" y1=\"%u\" y2=\"%u\" stroke=\"#777\"/><text class=\"b\" x=\"0\" y=\"%u\" "
	    "font-size=\"13\" fill=\"#555\">%s</text>\n", y, y, y + 4, d->label[row]);
	for (size_t i = 0; i < d->n[row] && i < TT_DOTS_MAX; i++) {
		tt_buf_printf(out, "<circle class=\"%s\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" stroke-width=\"2\" r=\"5\" cy=\"%u\"", row ? "ob" : "oa",
		    color[row], row ? ".9" : ".25", color[row], y);
		put_at(out, "cx", d->dot[row][i].v, a);
		tt_buf_text(out, "><title>");
		tt_html_text(out, d->dot[row][i].name);
		tt_buf_text(out, ": ");
		put_amount(d, d->dot[row][i].v, out);
		tt_buf_text(out, "</title></circle>\n");
	}
}

void
tt_dots_put(const struct tt_dots *d, struct tt_buf *out)
{
	struct axis a = { INT64_MAX, INT64_MIN }, of;
	unsigned rows = (unsigned)(d->n[0] > 0) + (unsigned)(d->n[1] > 0), y = d->line_name ? 34 : 20;
	unsigned high = y + ROW * rows + 10;

	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < d->n[s] && i < TT_DOTS_MAX; i++)
			reach(&a, d->dot[s][i].v);
	of = a;
	if (d->line_name)
		reach(&a, d->line);
	tt_buf_printf(out, "<figure><svg width=\"100%%\" height=\"%u\" role=\"img\" aria-label=\"%s\">\n", high, d->about);
	if (d->line_name) {
		bool right = a.high > a.low && d->line > a.low + (a.high - a.low) / 2;

		tt_buf_printf(out, "<line class=\"b\" y1=\"16\" y2=\"%u\" stroke=\"#777\" stroke-dasharray=\"6 3\"", high - 18);
		put_at(out, "x1", d->line, &a);
		put_at(out, "x2", d->line, &a);
		tt_buf_printf(out, "/><text class=\"b\" y=\"12\" text-anchor=\"%s\" font-size=\"12\" fill=\"#555\"", right ? "end" : "start");
		put_at(out, "x", d->line, &a);
		tt_buf_text(out, ">");
		tt_html_text(out, d->line_name);
		tt_buf_text(out, " ");
		put_amount(d, d->line, out);
		tt_buf_text(out, "</text>\n");
	}
	for (unsigned s = 0; s < 2; s++)
		if (d->n[s]) {
			put_row(d, s, y, &a, out);
			y += ROW;
		}
	/* Skip the labels of ends that lie too close together and would overlap. */
	if (of.high > of.low && (of.high - of.low) / 4 >= (a.high - a.low) / 16) {
		tt_buf_printf(out, "<text class=\"b\" y=\"%u\" font-size=\"12\" fill=\"#555\"", high - 4);
		put_at(out, "x", of.low, &a);
		tt_buf_text(out, ">");
		put_amount(d, of.low, out);
		tt_buf_text(out, "</text>");
	}
	tt_buf_printf(out, "<text class=\"b\" y=\"%u\" text-anchor=\"end\" font-size=\"12\" fill=\"#555\"", high - 4);
	put_at(out, "x", of.high, &a);
	tt_buf_text(out, ">");
	put_amount(d, of.high, out);
	tt_buf_text(out, "</text>\n</svg>\n");
}
