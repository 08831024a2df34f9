/**
 * Draws two small pictures beside the chart of frames: the same frames sorted, where a knee shows how many are long, and a histogram.
 */
#include "page/sorted.h"

#include "base/mem.h"
#include "model/frames.h"
#include "out/html.h"
#include "stat/num.h"
#include "view/figures.h"

enum { HIGH = 120, COLUMNS = 200, PLACES = 10000 };

static const struct { int64_t ns; const char *name; } budget[] = { { 16670000, "60 fps" }, { 33330000, "30 fps" } };

/* The distance of ${ns} from the upper edge, which stands for ${top}. */
static unsigned
down(int64_t ns, int64_t top)
{
	return HIGH - (ns >= top ? HIGH : (unsigned)((tt_u128)ns * HIGH / (tt_u128)top));
}

/* Write ${words} and a quantile, as in ", 95 % for up to 16.67 ms". */
static void
put_share(const int64_t *ns, size_t n, int64_t per_1000, const char *words, struct tt_buf *out)
{
	char time[32];

	*tt_put_time_short(time, tt_quantile_i64(ns, n, (uint64_t)per_1000, 1000)) = '\0';
	tt_buf_printf(out, "%s%s", words, time);
}

static void
put_line(int64_t ns, int64_t top, const char *name, struct tt_buf *out)
{
	const unsigned y = down(ns, top);

	if (ns < top)
		tt_buf_printf(out, "<line class=\"b\" x1=\"0\" x2=\"100%%\" y1=\"%u\" y2=\"%u\" stroke=\"#777\" stroke-dasharray=\"2 3\"/>"
		    "<text class=\"b\" x=\"4\" y=\"%u\" font-size=\"12\" fill=\"#555\">%s</text>\n", y, y, y > 12 ? y - 3 : y + 12, name);
}

/* Draw the sorted times ${ns} from left to right. */
static void
put_sorted(const int64_t *ns, size_t n, struct tt_buf *out)
{
	const size_t columns = n < COLUMNS ? n : COLUMNS;
	const int64_t top = ns[n - 1] > 0 ? ns[n - 1] + ns[n - 1] / 20 + 1 : 1;

	tt_buf_printf(out, "<figure id=\"sorted\"><svg width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"Frames from the shortest to the longest\">\n"
	    "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\"><path class=\"k0\" fill=\"#4a7ebb\" d=\"M0 "
	    "%d", HIGH, HIGH, columns, HIGH, HIGH);
	for (size_t c = 0; c < columns; c++)          /* the column's longest frame, so that the last column shows the longest of all */
		tt_buf_printf(out, "V%uH%zu", down(ns[(c + 1) * n / columns - 1], top), c + 1);
	tt_buf_printf(out, "V%dZ\"/></svg>\n", HIGH);
	for (size_t k = 0; k < sizeof budget / sizeof *budget; k++)
		put_line(budget[k].ns, top, budget[k].name, out);
	tt_buf_text(out, "</svg>\n<figcaption>The same frames from the shortest to the longest: half are shown for up to ");
	put_share(ns, n, 500, "", out);
	put_share(ns, n, 950, ", 95\xc2\xa0% for up to ", out);
	put_share(ns, n, 990, ", 99\xc2\xa0% for up to ", out);
	put_share(ns, n, 1000, ", the longest for ", out);
	tt_buf_text(out, ".</figcaption>\n</figure>\n");
}

/* Draw a bar for each row of the table frame_histogram. */
static void
put_histogram(const struct tt_table *t, struct tt_buf *out)
{
	int64_t most = 1;
	char from[32], to[32];

	if (!t || t->nrow < 2)
		return;
	for (size_t i = 0; i < t->nrow; i++)
		most = tt_html_value(t, i, "count") > most ? tt_html_value(t, i, "count") : most;
	tt_buf_printf(out, "<figure id=\"histogram\"><svg width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"How many frames took how long; the table "
	    "frame_histogram has the same numbers\">\n", HIGH);
	for (size_t i = 0; i < t->nrow; i++) {
		const int64_t count = tt_html_value(t, i, "count");
		const unsigned y = down(count, most), x = (unsigned)(i * PLACES / t->nrow), w = (unsigned)(PLACES / t->nrow);

		*tt_put_time_short(from, tt_html_value(t, i, "from_ns")) = '\0';
		*tt_put_time_short(to, tt_html_value(t, i, "to_ns")) = '\0';
		tt_buf_printf(out, "<rect class=\"k0\" fill=\"#4a7ebb\" x=\"%u.%02u%%\" width=\"%u.%02u%%\" y=\"%u\" height=\"%u\"><title>%s to %s: ", x / 100,
		    x % 100, w * 9 / 1000, w * 9 / 10 % 100, count && y == HIGH ? HIGH - 1 : y, count && y == HIGH ? 1 : HIGH - y, from, to);
		tt_html_count(out, (uint64_t)count);
		tt_buf_text(out, " frames</title></rect>\n");
	}
	*tt_put_time_short(from, tt_html_value(t, 0, "from_ns")) = '\0';
	*tt_put_time_short(to, tt_html_value(t, t->nrow - 1, "from_ns")) = '\0';
	tt_buf_printf(out, "</svg>\n<figcaption>How many frames took how long, from %s at the left to %s and more at the right.</figcaption>\n"
	    "</figure>\n", from, to);
}

int
tt_page_sorted(const struct tt_report *r, const struct tt_frames *f, struct tt_mem *mem, struct tt_buf *out, struct tt_err *err)
{
	int64_t *ns;

	if (f->n < 2)
		return TT_OK;
	ns = tt_mem_alloc(mem, f->n * sizeof *ns, err);
	if (!ns)
		return err->code;
	for (size_t i = 0; i < f->n; i++)
		ns[i] = tt_frames_shown(f, i);
	tt_sort_i64(ns, f->n);
	tt_buf_text(out, "<div class=\"g\">\n");
	put_sorted(ns, f->n, out);
	put_histogram(tt_html_find(r, "frame_histogram"), out);
	tt_buf_text(out, "</div>\n");
	tt_mem_free(mem, ns, f->n * sizeof *ns);
	return TT_OK;
}
