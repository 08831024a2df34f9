/**
 * Writes the sections of the comparison page.
 */
#include "page/compare_page.h"

#include <string.h>

#include "out/html.h"

enum { FIRST = 20, SHORT_ROWS = 10, ROWS = 1000, BOXES = 1500 };

struct page {
	const struct tt_report *r;
	const struct tt_compare_opts *o;
	struct tt_buf *out;
	bool frames;
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

static size_t
rows(const struct page *p, const char *id)
{
	const struct tt_table *t = table(p, id);

	return t ? t->nrow : 0;
}

static bool
is(const struct tt_table *t, size_t row, const char *id, const char *text)
{
	const struct tt_cell *c = tt_html_cell(t, row, id);

	return c && strcmp(c->s, text) == 0;
}

/* Write a sentence with figures of a row: "{mean_ns} in A". */
static void
say(const struct page *p, const char *id, size_t row, const char *html)
{
	tt_html_say(p->out, table(p, id), row, html);
}

/* --- verdict ---------------------------------------------------------------------------------- */

static void
put_verdict(const struct page *p)
{
	const struct tt_table *v = table(p, "verdict"), *sides = table(p, "sides");
	int64_t low = tt_html_value(v, 0, "low_ns"), high = tt_html_value(v, 0, "high_ns");

	put(p, is(v, 0, "verdict", "worse") ? "<p class=\"v bad\"><strong>" : is(v, 0, "verdict", "not worse") ? "<p class=\"v good\"><strong>" :
	    "<p class=\"v fair\"><strong>");
	if (is(v, 0, "verdict", "worse"))
		put(p, "B is slower");
	else if (is(v, 0, "verdict", "not worse"))
		put(p, tt_html_cell(v, 0, "high_ns") && high < 0 ? "B is faster" : "B is not slower");
	else
		put(p, is(v, 0, "verdict", "undecided") ? "Undecided" : "Not to be judged");
	put(p, "</strong>: ");
	tt_html_text(p->out, sides->title);
	say(p, "sides", 0, " {mean_ns} in A, ");
	say(p, "sides", 1, "{mean_ns} in B, a difference of ");
	say(p, "sides", 2, "{mean_ns}.</p>\n");
	if (v->note) {
		char first[2] = { v->note[0] >= 'a' && v->note[0] <= 'z' ? (char)(v->note[0] - 'a' + 'A') : v->note[0], '\0' };

		put(p, "<p>");
		tt_html_text(p->out, first);
		tt_html_text(p->out, v->note + 1);
		put(p, ".</p>\n");
	}
	say(p, "verdict", 0, "<p>From capture to capture the shift is {shift_ns}");
	if (tt_html_cell(v, 0, "shift_share"))
		say(p, "verdict", 0, ", {shift_share} of A");
	if (tt_html_cell(v, 0, "low_ns") && tt_html_cell(v, 0, "high_ns") && low <= high)
		say(p, "verdict", 0, "; with 95 % confidence at least {low_ns}, and with 95 % at most {high_ns}");
	say(p, "verdict", 0, ". Up to {allowed_ns} more is allowed.</p>\n");
}

/* True if the figure changes from column ${a} to column ${b} in the same direction as diff_ns. */
static bool
agrees(const struct tt_table *t, size_t row, const char *a, const char *b)
{
	int64_t diff = tt_html_value(t, row, "diff_ns"), from = tt_html_value(t, row, a), to = tt_html_value(t, row, b);

	return tt_html_cell(t, row, a) && tt_html_cell(t, row, b) && (diff > 0 ? to > from : to < from);
}

/*
 * Write "Enemy:Think 883.0 µs, called more often: 12.00 times, 4.000 before" for a row of the table of markers. Its shares due to calls and to cost are sums
 * over paths, while the figures shown are those of the marker: if these contradict the larger share, the other reason is shown.
 */
static void
put_mover(const struct page *p, size_t row)
{
	const struct tt_table *t = table(p, "markers");
	int64_t calls = tt_html_value(t, row, "calls_ns"), cost = tt_html_value(t, row, "cost_ns"), diff = tt_html_value(t, row, "diff_ns");
	bool by_calls = (calls < 0 ? -calls : calls) >= (cost < 0 ? -cost : cost), longer = agrees(t, row, "a_call_ns", "b_call_ns");

	say(p, "markers", row, "<a href=\"#movers\">{marker}</a> {diff_ns}");
	if (is(t, row, "state", "new"))
		put(p, ", new in B");
	else if (is(t, row, "state", "gone"))
		put(p, ", gone in B");
	else if ((by_calls || !longer) && agrees(t, row, "a_calls", "b_calls")) {
		put(p, diff > 0 ? ", called more often: " : ", called less often: ");
		say(p, "markers", row, p->frames ? "{b_calls} times per frame, {a_calls} before" : "{b_calls} times per capture, {a_calls} before");
	} else if (longer) {
		put(p, diff > 0 ? ", each call takes longer: " : ", each call is shorter: ");
		say(p, "markers", row, "{b_call_ns}, {a_call_ns} before");
	}
}

/* Write the first three markers whose difference has the sign of ${sign}, except those below 1/50 of the largest difference. */
static void
put_movers(const struct page *p, int sign, const char *before)
{
	const struct tt_table *t = table(p, "markers");
	int64_t largest = tt_html_value(t, 0, "diff_ns") / 50;
	size_t n = 0;

	for (size_t i = 0; i < rows(p, "markers") && n < 3; i++) {
		int64_t diff = tt_html_value(t, i, "diff_ns");

		if (diff == 0 || (diff > 0) != (sign > 0) || (diff < 0 ? -diff : diff) < (largest < 0 ? -largest : largest))
			continue;
		put(p, n++ ? "; " : before);
		put_mover(p, i);
	}
	if (n)
		put(p, ".</li>\n");
}

static void
put_tails(const struct page *p)
{
	if (rows(p, "frame_times") > 3) {
		say(p, "frame_times", 3, "<li>99 of 100 <a href=\"#frames\">frames</a> take at most {a_ns} in A, {b_ns} in B; the longest ");
		say(p, "frame_times", 4, "{a_ns} and {b_ns}.</li>\n");
	}
	if (rows(p, "frame_budgets") > 0)
		say(p, "frame_budgets", 0, "<li>Frames over 16.67 ms: {a_over} of A ({a_share}), {b_over} of B ({b_share}).</li>\n");
}

static void
verdict(const struct page *p)
{
	tt_html_section(p->out, "verdict", "Verdict");
	put_verdict(p);
	put(p, "<ul>\n");
	put_movers(p, 1, "<li>More time: ");
	put_movers(p, -1, "<li>Less time: ");
	put_tails(p);
	if (tt_html_cell(table(p, "sides"), 0, "alloc_bytes")) {
		put(p, p->frames ? "<li><a href=\"#memory\">Allocated</a> per frame: " : "<li><a href=\"#memory\">Allocated</a> per capture: ");
		say(p, "sides", 0, "{alloc_bytes} in A, ");
		say(p, "sides", 1, "{alloc_bytes} in B.</li>\n");
	}
	put(p, p->r->note ? "<li>See the <a href=\"#loss\">losses and caveats</a>.</li>\n" : "<li>Nothing was lost.</li>\n");
	put(p, "</ul>\n</section>\n");
	if (!p->r->note)
		return;
	tt_html_section(p->out, "loss", "Losses and caveats");
	tt_html_notes(p->out, p->r);
	put(p, "</section>\n");
}

/* --- sections ----------------------------------------------------------------------------------- */

/* Write the command that prints all rows of the table ${id}. */
static void
put_command(const struct page *p, const char *id)
{
	put(p, "<code>");
	tt_html_text(p->out, p->o->rows);
	put(p, id);
	put(p, "</code>");
}

/* Write the first ${most} rows of a table, and a link to all of them. */
static void
some(const struct page *p, const char *id, const char *const *col, size_t most)
{
	const struct tt_table *t = table(p, id);

	if (!t)
		return;
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = most });
	if (t->nrow <= most)
		return;
	tt_buf_printf(p->out, "<p><a href=\"#t-%s\">All ", t->id);
	tt_html_count(p->out, t->nrow);
	put(p, " rows</a></p>\n");
}

static void
made_of(const struct page *p)
{
	static const char *const col[] = { "part", "category", "diff_ns", "a_ns", "b_ns", "calls_ns", "cost_ns", NULL };

	tt_html_section(p->out, "made", "What the difference is made of");
	tt_compare_steps(p->r, p->out);
	some(p, "parts", col, SHORT_ROWS);
	put(p, "</section>\n");
}

static void
frames(const struct page *p)
{
	tt_html_section(p->out, "frames", p->frames ? "Frames of both sides" : "Captures of both sides");
	tt_compare_spread(p->r, p->out);
	tt_compare_captures(p->r, p->out);
	put(p, "<div class=\"g\">\n");
	for (const char *const *id = (const char *const[]){ "frame_times", "frame_budgets", "sides", NULL }; *id; id++) {
		if (rows(p, *id) == 0)
			continue;
		put(p, "<div>\n");
		some(p, *id, NULL, SHORT_ROWS);
		put(p, "</div>\n");
	}
	put(p, "</div>\n</section>\n");
}

static void
movers(const struct page *p)
{
	static const char *const col[] = { "marker", "diff_ns", "a_ns", "b_ns", "calls_ns", "cost_ns", "a_calls", "b_calls", "a_call_ns",
		"b_call_ns", "state", "category", NULL };

	tt_html_section(p->out, "movers", "Markers that moved");
	put(p, "<p>Each difference has two parts: more or fewer calls, at A's time per call, and a changed time per call."
	    "</p>\n");
	some(p, "markers", col, FIRST);
	put(p, "<p>On which paths they are called: ");
	put_command(p, "paths");
	put(p, "</p>\n</section>\n");
	if (rows(p, "other_threads") == 0)
		return;
	tt_html_section(p->out, "others", "Other threads");
	put(p, "<p>They run beside the frame, and are no part of its time.</p>\n");
	some(p, "other_threads", (const char *const[]){ "thread", "marker", "diff_ns", "a_ns", "b_ns", "calls_ns", "cost_ns", "state", NULL }, SHORT_ROWS);
	put(p, "</section>\n");
}

/* Write the command that makes a page of the longest frame of ${side}. */
static void
put_frame_command(const struct page *p, const char *file, const char *frame, const char *side)
{
	const struct tt_table *t = table(p, "worst_frames");
	struct tt_buf name = { 0 };

	if (tt_html_cell(t, 0, file)->s[0] == '-')
		tt_buf_text(&name, "./");
	p->o->quote(&name, tt_html_cell(t, 0, file)->s);
	tt_buf_printf(p->out, "<p>What the longest frame of %s did, as a page: <code>", side);
	tt_html_text(p->out, p->o->report);
	tt_buf_printf(p->out, "%lld ", (long long)tt_html_value(t, 0, frame));
	tt_html_text(p->out, name.failed ? "" : tt_buf_string(&name));
	put(p, "</code></p>\n");
	if (name.failed)
		tt_buf_fail(p->out);
	tt_buf_free(&name);
}

static void
worst(const struct page *p)
{
	if (rows(p, "worst_frames") == 0)
		return;
	tt_html_section(p->out, "worst", "Longest frames side by side");
	say(p, "worst_frames", 0, "<p>The longest of A is frame {a_frame} of {a_file}, {a_ns}; of B frame {b_frame} of {b_file}, {b_ns}.</p>\n");
	some(p, "worst_markers", NULL, FIRST);
	put_frame_command(p, "a_file", "a_frame", "A");
	put_frame_command(p, "b_file", "b_frame", "B");
	some(p, "worst_frames", NULL, SHORT_ROWS);
	put(p, "</section>\n");
}

static void
changes(const struct page *p)
{
	static const char *const col[] = { "marker", "state", "diff_ns", "a_ns", "b_ns", "a_calls", "b_calls", "category", NULL };
	static const char *const sites[] = { "marker", "class", "diff_bytes", "a_bytes", "b_bytes", "a_count", "b_count", "state", NULL };

	tt_html_section(p->out, "changed", "New and gone");
	some(p, "changed", col, FIRST);
	put(p, "</section>\n");
	if (rows(p, "alloc_sites") == 0)
		return;
	tt_html_section(p->out, "memory", "Allocations that changed");
	some(p, "alloc_sites", sites, FIRST);
	put(p, "</section>\n");
}

static void
flame(const struct page *p)
{
	struct tt_buf boxes = { 0 };
	unsigned high;
	size_t n = tt_compare_flame(p->r, BOXES, 0, &high, &boxes), hidden;

	if (n == 0 || boxes.failed) {
		if (boxes.failed)
			tt_buf_fail(p->out);
		tt_buf_free(&boxes);
		return;
	}
	hidden = table(p, "calltree")->hidden;
	tt_html_section(p->out, "flame", "Call tree of both sides");
	put(p, "<p>A box is a path of calls, inside the box of its caller; it is as wide as the side on which it takes longer. Its colour and sign say "
	    "what B has more (+, red) or less (\xe2\x88\x92, blue), as a part of the largest difference.</p>\n");
	tt_buf_printf(p->out, "<figure data-flame=\"%zu\"><svg width=\"100%%\" height=\"%u\" role=\"img\" aria-label=\"Call tree of both sides; the "
	    "table of the call tree has the same numbers\">\n", n, high);
	tt_buf_add(p->out, boxes.p, boxes.n);
	put(p, "</svg>\n<figcaption>");
	if (n < rows(p, "calltree") + hidden) {
		tt_html_count(p->out, rows(p, "calltree") + hidden - n);
		put(p, " narrower or deeper call paths are not drawn. ");
	}
	put(p, "<a href=\"#t-calltree\">As a table</a></figcaption>\n</figure>\n</section>\n");
	tt_buf_free(&boxes);
}

/* --- the end ---------------------------------------------------------------------------------------- */

static void
source(const struct page *p)
{
	tt_html_section(p->out, "source", "Where this comes from");
	some(p, "captures", NULL, FIRST);
	put(p, "<p>All numbers, for machines: <code>");
	tt_html_text(p->out, p->o->json);
	put(p, "</code></p>\n<p>Made by ");
	tt_html_text(p->out, p->o->generator);
	put(p, ". Every figure is defined in tracetool-diff(1).</p>\n</section>\n");
}

/* Write every table with at most ${most} rows. Return true if any was cut. */
static bool
whole_tables(const struct page *p, size_t most)
{
	bool cut = false;

	tt_html_section(p->out, "tables", "All tables");
	for (const struct tt_table *t = p->r->first; t; t = t->next) {
		size_t some = t->facts || t->nrow < most ? t->nrow : most;

		if (t->nrow == 0)
			continue;
		tt_buf_printf(p->out, "<details id=\"t-%s\"><summary>%s", t->id, t->title);
		if (!t->facts) {
			put(p, ", ");
			tt_html_count(p->out, t->nrow + t->hidden);
			put(p, t->nrow == 1 ? " row" : " rows");
		}
		put(p, "</summary>\n");
		tt_html_table(p->out, t, &(struct tt_html_view){ .to = some });
		if (some < t->nrow + t->hidden) {
			cut = true;
			put(p, "<p>");
			tt_html_count(p->out, t->nrow + t->hidden - some);
			put(p, " more rows are left out of this page: ");
			put_command(p, t->id);
			put(p, "</p>\n");
		}
		put(p, "</details>\n");
	}
	put(p, "</section>\n");
	return cut;
}

int
tt_compare_page(const struct tt_report *r, const struct tt_compare_opts *o, size_t *cut, struct tt_buf *out, struct tt_err *err)
{
	struct page p = { .r = r, .o = o, .out = out, .frames = tt_html_cell(tt_html_find(r, "sides"), 0, "frames") != NULL };
	size_t begin = out->n, here, most = ROWS;

	if (tt_report_error(r, err) != TT_OK)
		return err->code;
	tt_html_open(out, o->name, TT_HTML_COMPARE);
	put(&p, "<header>\n<h1>");
	tt_html_text(out, o->name);
	put(&p, "</h1>\n</header>\n<nav aria-label=\"Sections\"><a href=\"#verdict\">Verdict</a> <a href=\"#made\">Difference</a> "
	    "<a href=\"#frames\">Frames</a> <a href=\"#movers\">Markers</a> <a href=\"#source\">Source</a> <a href=\"#tables\">All tables</a></nav>\n<main>\n");
	verdict(&p);
	made_of(&p);
	frames(&p);
	movers(&p);
	worst(&p);
	changes(&p);
	flame(&p);
	source(&p);
	here = out->n;
	/* Halve the number of rows until the page fits: the same input always gives the same page. */
	while (*cut = whole_tables(&p, most) ? most : 0, o->max_size && out->n - begin > o->max_size && most > 1 && !out->failed) {
		out->n = here;
		most /= 2;
	}
	put(&p, "</main>\n");
	tt_html_close(out, TT_HTML_COMPARE);
	return tt_buf_error(out, err);
}
