/**
 * Writes the sections of a batch's page.
 */
#include "page/batch_page.h"

#include <string.h>

#include "out/html.h"
#include "out/render.h"
#include "stat/num.h"

/* ROWS: maximum rows of a table. WIDTH, HIGH: size of pictures in table rows; positions are in 1/100 of the width. TREND: height of the trend chart. */
enum { ROWS = 1500, WIDTH = 150, HIGH = 14, TREND = 120 };

struct page {
	const struct tt_report *r;
	const struct tt_batch_page *o;
	struct tt_buf *out;
	int64_t top;                  /* the time that the full width of a row's picture stands for */
};

static void
put(const struct page *p, const char *html)
{
	tt_buf_text(p->out, html);
}

static const struct tt_table *
table(const struct page *p, const char *id)
{
	return tt_html_find(p->r, id);
}

/* Write a sentence with figures of a row: "{mean_ns} in A". */
static void
say(const struct page *p, const char *id, size_t row, const char *html)
{
	tt_html_say(p->out, table(p, id), row, html);
}

/* --- verdict ---------------------------------------------------------------------------------- */

/* Write the number of outliers, and the first ones by name. */
static void
put_outliers(const struct page *p)
{
	const struct tt_table *t = table(p, "batch_captures");
	size_t n = 0;

	for (size_t i = 0; t && i < t->nrow; i++)
		n += tt_html_cell(t, i, "outlier") != NULL;
	if (n == 0)
		return;
	put(p, "<li>");
	tt_html_count(p->out, n);
	put(p, n == 1 ? " capture is an outlier" : " captures are outliers");
	put(p, n == 1 ? ", much slower than the others of its group: " : ", much slower than the others of their group: ");
	for (size_t i = 0, shown = 0; i < t->nrow && shown < 3; i++) {
		if (!tt_html_cell(t, i, "outlier"))
			continue;
		put(p, shown++ ? ", " : "");
		say(p, "batch_captures", i, tt_html_cell(t, i, "frame_uncapped_p95_ns") ? "{key} (uncapped p95 {frame_uncapped_p95_ns})" :
		    "{key} (p95 {frame_p95_ns})");
	}
	put(p, n > 3 ? ", ...</li>\n" : "</li>\n");
}

/* Write " (in game.ttc)": the capture with the longest frame, which need not be among the slowest. */
static void
put_longest(const struct page *p)
{
	const struct tt_table *t = table(p, "batch_captures");
	const int64_t max = tt_html_value(table(p, "batch"), 0, "frame_max_ns");

	for (size_t i = 0; t && i < t->nrow; i++) {
		if (!tt_html_cell(t, i, "frame_max_ns") || tt_html_value(t, i, "frame_max_ns") != max)
			continue;
		say(p, "batch_captures", i, " (in {key})");
		return;
	}
}

static void
verdict(const struct page *p)
{
	const struct tt_table *t = table(p, "batch");
	int64_t failed = tt_html_value(t, 0, "failed"), damaged = tt_html_value(t, 0, "damaged");

	tt_html_section(p->out, "verdict", "Verdict");
	put(p, "<p class=\"v\">");
	if (failed + damaged == 0) {
		say(p, "batch", 0, "<strong>All captures were read</strong>: {captures}.</p>\n");
	} else {
		say(p, "batch", 0, failed == 1 ? "<strong>{failed} capture gave no figures</strong>, and <strong>" :
		    "<strong>{failed} captures gave no figures</strong>, and <strong>");
		say(p, "batch", 0, damaged == 1 ? "{damaged} is damaged</strong> and counts as far as it was read, of {captures}.</p>\n" :
		    "{damaged} are damaged</strong> and count as far as they were read, of {captures}.</p>\n");
	}
	put(p, "<ul>\n");
	if (tt_html_cell(t, 0, "frames")) {
		say(p, "batch", 0, "<li>{frames} frames of all captures: half take at most {frame_median_ns}, 95 of 100 at most {frame_p95_ns}, 99 at most "
		    "{frame_p99_ns} (each within 1.6 %), the longest {frame_max_ns}");
		put_longest(p);
		say(p, "batch", 0, "; {over_33_33} take longer than 33.33 ms.</li>\n");
	} else {
		put(p, "<li>No capture has frames.</li>\n");
	}
	put_outliers(p);
	put(p, "</ul>\n</section>\n");
}

static void
losses(const struct page *p)
{
	const struct tt_table *t = table(p, "batch_failures"), *lost = table(p, "batch_losses");

	if (p->r->note || lost) {
		tt_html_section(p->out, "loss", "Losses and caveats");
		tt_html_notes(p->out, p->r);
		if (lost)
			tt_html_table(p->out, lost, &(struct tt_html_view){ .labelled = true });
		put(p, "</section>\n");
	}
	if (!t || t->nrow == 0)
		return;
	tt_html_section(p->out, "failures", "What failed, and why");
	tt_html_table(p->out, t, &(struct tt_html_view){ 0 });
	if (t->hidden) {
		put(p, "<p>");
		tt_html_count(p->out, t->hidden);
		put(p, " more failed or are damaged; the results, a line of JSON for each, have them all.</p>\n");
	}
	put(p, "</section>\n");
}

/* --- captures ------------------------------------------------------------------------------------ */

static void
put_at(struct tt_buf *out, const char *name, int64_t ns, int64_t top)
{
	char at[40];

	*tt_put_fixed(at, (int64_t)((tt_u128)(ns < top ? ns : top) * 10000 / (tt_u128)top), 2) = '\0';
	tt_buf_printf(out, " %s=\"%s%%\"", name, at);
}

/* Write a link to the page of the capture, if there is one. */
static void
put_link(const struct page *p, const struct tt_table *t, size_t row, struct tt_buf *out)
{
	const struct tt_cell *file = tt_html_cell(t, row, "file");
	const char *folder = file && p->o->folder ? p->o->folder(p->o->arg, file->s) : NULL;

	if (!folder)
		return;
	tt_buf_text(out, "<a href=\"");
	tt_html_address(out, folder);
	tt_html_address(out, file->s);
	tt_buf_text(out, "\">page</a> ");
}

/*
 * Draw the frame times of a capture: pale up to the median, solid to p95, a thin line to p99, a mark at the longest; if that lies outside the picture, an arrow
 * and its time. For capped frames the median and p95 are those of uncapped time, and the line is left out.
 */
static void
put_strip(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg)
{
	const struct page *p = arg;
	const bool capped = tt_html_cell(t, row, "frame_uncapped_p95_ns") != NULL;
	int64_t median = tt_html_value(t, row, capped ? "frame_uncapped_median_ns" : "frame_median_ns"),
	    p95 = tt_html_value(t, row, capped ? "frame_uncapped_p95_ns" : "frame_p95_ns"), p99 = capped ? p95 : tt_html_value(t, row, "frame_p99_ns"),
	    max = tt_html_value(t, row, "frame_max_ns");
	bool slow = tt_html_cell(t, row, "outlier") != NULL;
	char time[TT_CELL_MAX];

	if (!tt_html_cell(t, row, "frame_p95_ns") || p->top <= 0) {
		tt_buf_text(out, "<td class=\"n\">");
		put_link(p, t, row, out);
		tt_buf_text(out, "-</td>");
		return;
	}
	tt_buf_printf(out, "<td class=\"n\" data-v=\"%lld\">", (long long)p95);
	put_link(p, t, row, out);
	tt_buf_printf(out, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"frame times\"><rect class=\"k0\" fill=\"#4a7ebb\" "
	    "fill-opacity=\".35\" y=\"2\" height=\"10\"", WIDTH, HIGH);
	put_at(out, "width", median, p->top);
	tt_buf_printf(out, "/><rect class=\"%s\" fill=\"%s\" y=\"2\" height=\"10\"", slow ? "k2" : "k0", slow ? "#c02626" : "#4a7ebb");
	put_at(out, "x", median, p->top);
	put_at(out, "width", p95 > median ? p95 - median : p->top / 75, p->top);
	tt_buf_printf(out, "/><rect class=\"k1\" fill=\"#b06f00\" y=\"6\" height=\"2\"");
	put_at(out, "x", p95, p->top);
	put_at(out, "width", p99 - p95, p->top);
	if (max > p->top) {
		*tt_put_time_short(time, max) = '\0';
		tt_buf_printf(out, "/><text class=\"b\" x=\"%d\" y=\"11\" font-size=\"12\" text-anchor=\"end\" fill=\"#555\">%s \u2192</text></svg></td>",
		    WIDTH, time);
		return;
	}
	tt_buf_printf(out, "/><rect class=\"k1\" fill=\"#b06f00\" y=\"3\" height=\"8\" width=\"2\"");
	put_at(out, "x", max - p->top / 75 > 0 ? max - p->top / 75 : 0, p->top);
	tt_buf_text(out, "/></svg></td>");
}

static void
set_top(struct page *p)
{
	const struct tt_table *t = table(p, "batch_captures");
	int64_t p99 = 0, max = 0;

	for (size_t i = 0; t && i < t->nrow; i++) {
		p99 = tt_html_value(t, i, "frame_p99_ns") > p99 ? tt_html_value(t, i, "frame_p99_ns") : p99;
		max = tt_html_value(t, i, "frame_max_ns") > max ? tt_html_value(t, i, "frame_max_ns") : max;
	}
	/* A single long load must not flatten the pictures of the others. */
	p->top = max < 2 * p99 ? max : 2 * p99;
}

static void
captures(const struct page *p, size_t most)
{
	static const char *const col[] = { "key", "outcome", "outlier", "group", "frames", "frame_median_ns", "frame_p95_ns", "frame_p99_ns", "frame_max_ns",
		"frame_cap_ns", "frame_uncapped_median_ns", "frame_uncapped_p95_ns", "over_33_33", "late", "alloc_bytes", "duration_ns", "why", NULL };
	const struct tt_table *t = table(p, "batch_captures");
	size_t shown = t && t->nrow < most ? t->nrow : most;
	char time[TT_CELL_MAX];

	if (!t || t->nrow == 0)
		return;
	tt_html_section(p->out, "captures", "Captures");
	put(p, "<p>First those that are damaged or gave no figures, then the others by the 95th percentile of their frames, the slowest first; of capped "
	    "frames by that of their uncapped time, unless one in twenty is late. An outlier is one by that percentile, too: a single long frame "
	    "makes none.</p>\n");
	if (p->top > 0) {
		*tt_put_time_short(time, p->top) = '\0';
		tt_buf_printf(p->out, "<p>Frame times of each are drawn from 0 to %s: pale to the median, solid to p95 (red for an outlier, as its "
		    "column says), a line to p99, a mark at the longest frame, or an arrow and its time where it is beyond that; median "
		    "and p95 of capped frames are those of their uncapped time.</p>\n", time);
	}
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = shown, .more = "strip", .more_title = "frame times", .put_more = put_strip,
	    .arg = p });
	if (t->nrow + t->hidden > shown) {
		put(p, "<p>");
		tt_html_count(p->out, t->nrow + t->hidden - shown);
		put(p, " more captures are left out of this page, none with a larger p95 than those shown; the results, a line of JSON for each, "
		    "have them all.</p>\n");
	}
	put(p, "</section>\n");
}

/* --- groups, days, all frames ------------------------------------------------------------------ */

static void
put_line(const struct page *p, const struct tt_table *t, const char *id, int64_t top, const char *css, const char *color, const char *dash)
{
	bool begun = false;

	tt_buf_printf(p->out, "<path class=\"%s\" fill=\"none\" fill-opacity=\"0\" stroke=\"%s\" stroke-width=\"2\"%s "
	    "vector-effect=\"non-scaling-stroke\" d=\"", css, color, dash);
	for (size_t i = 0; i < t->nrow; i++) {
		if (!tt_html_cell(t, i, id))
			continue;
		tt_buf_printf(p->out, "%s%zu %u", begun ? "L" : "M", i, TREND - (unsigned)((tt_u128)tt_html_value(t, i, id) * TREND / (tt_u128)top));
		begun = true;
	}
	put(p, "\"/>");
}

static void
put_trend(const struct page *p, const struct tt_table *t)
{
	int64_t top = 0;
	size_t days = 0;
	char time[TT_CELL_MAX];

	for (size_t i = 0; i < t->nrow; i++) {
		top = tt_html_value(t, i, "frame_p99_ns") > top ? tt_html_value(t, i, "frame_p99_ns") : top;
		days += tt_html_cell(t, i, "frame_p95_ns") != NULL;
	}
	if (days < 2 || top == 0)
		return;
	top += top / 10;
	tt_buf_printf(p->out, "<figure><svg width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"p95 and p99 by day; the table below has the same numbers\">"
	    "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\">", TREND + 4, TREND, t->nrow - 1, TREND);
	put_line(p, t, "frame_p95_ns", top, "oa", "#4a7ebb", "");
	put_line(p, t, "frame_p99_ns", top, "ob", "#b06f00", " stroke-dasharray=\"5 3\"");
	*tt_put_time_short(time, top) = '\0';
	tt_buf_printf(p->out, "</svg>\n<text class=\"b\" x=\"4\" y=\"12\" font-size=\"12\" fill=\"#555\">%s</text></svg>\n<figcaption>"
	    "p95 (a solid line) and p99 (dashed) of the frames of each day, from 0 on.</figcaption>\n</figure>\n", time);
}

static void
more(const struct page *p, const char *id, const char *section, const char *title, size_t most)
{
	static const char *const col[] = { "group", "date", "captures", "failed", "damaged", "frames", "frame_median_ns", "frame_p95_ns", "frame_p99_ns",
		"frame_max_ns", "frame_uncapped_median_ns", "frame_uncapped_p95_ns", "over_33_33", "alloc_bytes", "pause_max_ns", "stopped_max_ns",
		"duration_ns", NULL };
	const struct tt_table *t = table(p, id);
	bool sums = strcmp(id, "batch_groups") == 0 || strcmp(id, "batch_days") == 0;

	if (!t || t->nrow == 0)
		return;
	tt_html_section(p->out, section, title);
	if (strcmp(id, "batch_days") == 0)
		put_trend(p, t);
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = sums ? col : NULL, .to = most });
	if (t->nrow > most) {
		put(p, "<p>");
		tt_html_count(p->out, t->nrow - most);
		put(p, " more rows are left out of this page; the figures as JSON have them.</p>\n");
	}
	put(p, "</section>\n");
}

static void
body(const struct page *p, size_t most)
{
	verdict(p);
	losses(p);
	captures(p, most);
	more(p, "batch_groups", "groups", "Groups", most);
	more(p, "batch_days", "days", "By day of capture", most);
	more(p, "batch_frames", "frames", "Frames of all captures by their times", ROWS);
	more(p, "batch", "all", "All together", ROWS);
	more(p, "batch_outcomes", "outcomes", "What became of them", ROWS);
	more(p, "batch_members", "members", "Not captures", ROWS);
}

int
tt_batch_page_write(const struct tt_report *r, const struct tt_batch_page *o, struct tt_buf *out, struct tt_err *err)
{
	struct page p = { .r = r, .o = o, .out = out };
	size_t begin = out->n, here;

	if (tt_report_error(r, err) != TT_OK)
		return err->code;
	set_top(&p);
	tt_html_open(out, "Batch of captures", TT_HTML_ALONE);
	put(&p, "<header>\n<h1>Batch of captures</h1>\n</header>\n<nav aria-label=\"Sections\"><a href=\"#verdict\">Verdict</a>");
	put(&p, table(&p, "batch_captures") ? " <a href=\"#captures\">Captures</a>" : "");
	put(&p, " <a href=\"#all\">All together</a></nav>\n<main>\n");
	here = out->n;
	/* Halve the number of rows until the page fits: the same results always give the same page. */
	for (size_t most = ROWS;; most /= 2) {
		body(&p, most);
		if (o->max_size == 0 || out->n - begin <= o->max_size || most == 1 || out->failed)
			break;
		out->n = here;
	}
	put(&p, "<p>Made by ");
	tt_html_text(out, o->generator);
	put(&p, ". Every figure is defined in tracetool-batch(1).</p>\n</main>\n");
	tt_html_close(out, TT_HTML_ALONE);
	return tt_buf_error(out, err);
}
