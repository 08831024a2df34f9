/**
 * Writes the verdict of the report page: frame rates, inputs, losses and what took most, in sentences.
 */
#include "page/report_sections.h"

#include <string.h>

#include "model/frames.h"
#include "model/model.h"
#include "pass/shown.h"
#include "view/view.h"

/* Write "6 of 129 frames (4.65 %)": the frames over the budget in row ${row} of the table of budgets. */
static void
put_over(const struct tt_page *p, size_t row)
{
	const struct tt_table *budgets = tt_page_table(p, "frame_budgets");

	tt_html_figure(p->out, budgets, row, "over");
	tt_page_put(p, " of ");
	tt_html_figure(p->out, tt_page_table(p, "frames"), 0, "count");
	tt_page_put(p, " frames (");
	tt_html_figure(p->out, budgets, row, "over_share");
	tt_page_put(p, ")");
}

/* The first row of ${t}, the table of frame times or of budgets, about uncapped time, by which capped frames are judged; the number of rows: none. */
static size_t
uncapped_row(const struct tt_table *t)
{
	const struct tt_cell *c;
	size_t row = 0;

	while (t && row < t->nrow && !((c = tt_html_cell(t, row, "time")) && strcmp(c->s, "uncapped") == 0))
		row++;
	return row;
}

bool
tt_page_capped(const struct tt_table *budgets)
{
	return budgets && uncapped_row(budgets) + 1 < budgets->nrow;
}

/* The reading "a limit of 30 fps, or a GPU that is too slow", if it belongs to the largest group of frames over ${limit}; NULL: none. */
static const struct tt_cell *
reading_of(const struct tt_page *p, int64_t limit)
{
	const struct tt_table *t = tt_page_table(p, "frame_shown");
	size_t most = SIZE_MAX;

	for (size_t i = 0; t && i < t->nrow; i++)
		if (tt_html_cell(t, i, "reading") && tt_html_value(t, i, "shown_ns") > limit &&
		    (most == SIZE_MAX || tt_html_value(t, i, "count") > tt_html_value(t, most, "count")))
			most = i;
	return most == SIZE_MAX ? NULL : tt_html_cell(t, most, "reading");
}

/* Write why frames exceed ${limit}, if a frame limit or the GPU explains it. */
static void
put_reading(const struct tt_page *p, int64_t limit)
{
	const struct tt_cell *why = reading_of(p, limit);

	if (!why)
		return;
	tt_page_put(p, ": ");
	tt_html_text(p->out, why->s);
}

/* Write the first sentence if the capture does not tell how many frames miss 60 fps: the summary's words for both rates. */
static void
put_untold(const struct tt_page *p, const char *sixty)
{
	const int64_t limit = tt_html_value(tt_page_table(p, "frame_budgets"), 1, "budget_ns");
	const char *thirty = tt_shown_untold(p->view, limit, p->r);

	tt_page_put(p, "<p class=\"v fair\"><strong>60 fps</strong>: ");
	tt_html_text(p->out, sixty);
	tt_page_put(p, "; <strong>30 fps</strong>: ");
	if (thirty) {
		tt_html_text(p->out, thirty);
	} else if (tt_html_value(tt_page_table(p, "frame_budgets"), 1, "over") == 0) {
		tt_page_put(p, tt_shown_held(p->view->m, limit));
	} else {
		tt_page_put(p, "missed by ");
		put_over(p, 1);
	}
	tt_page_put(p, ".");
}

/* Write the first sentence: how long frames were shown, against 60 and 30 fps, the first two rows of the table of budgets. */
static void
put_rates(const struct tt_page *p)
{
	const struct tt_table *budgets = tt_page_table(p, "frame_budgets");
	const char *untold = tt_shown_untold(p->view, tt_html_value(budgets, 0, "budget_ns"), p->r);
	const int64_t over60 = tt_html_value(budgets, 0, "over"), over30 = tt_html_value(budgets, 1, "over");
	const struct tt_model *m = p->view->m;

	if (!untold && over60 == 0 && tt_frames_count_doubtful(m->frames, tt_html_value(budgets, 0, "budget_ns")))
		untold = tt_shown_held(m, tt_html_value(budgets, 0, "budget_ns"));
	if (untold) {
		put_untold(p, untold);
		return;
	}
	tt_page_put(p, over60 == 0 ? "<p class=\"v good\">" : over30 == 0 ? "<p class=\"v fair\">" : "<p class=\"v bad\">");
	if (over60 == 0) {
		tt_page_put(p, "<strong>Holds 60 fps</strong>: no frame is shown for longer than 16.67 ms.");
		return;
	}
	tt_page_put(p, "<strong>Misses 60 fps</strong> in ");
	put_over(p, 0);
	put_reading(p, tt_html_value(budgets, 0, "budget_ns"));
	if (over30 == 0) {
		tt_page_put(p, tt_frames_count_doubtful(m->frames, tt_html_value(budgets, 1, "budget_ns")) ?
		    "; <strong>holds 30 fps</strong>, if a limit holds its frames." : "; <strong>holds 30 fps</strong>.");
		return;
	}
	tt_page_put(p, reading_of(p, tt_html_value(budgets, 0, "budget_ns")) ? "; <strong>misses 30 fps</strong> in " : ", <strong>and 30 fps</strong> in ");
	put_over(p, 1);
	tt_page_put(p, ".");
}

/* Write "Limited by the GPU in 296 of 300 frames, mean 22.0 ms", if most frames miss 60 fps and one limit applies to most of those whose limit is known. */
static void
put_limited(const struct tt_page *p)
{
	const struct tt_table *budgets = tt_page_table(p, "frame_budgets"), *t = tt_page_table(p, "frame_limits");
	enum { MOSTLY_OVER = 5000 };         /* 50 %, in 1/10,000 */

	for (size_t i = 0; t && tt_html_value(budgets, 0, "over_share") > MOSTLY_OVER && i < t->nrow; i++) {
		const struct tt_cell *by = tt_html_cell(t, i, "limit");

		if (!by || strcmp(by->s, "balanced") == 0 || tt_html_value(t, i, "share") <= MOSTLY_OVER)
			continue;
		tt_page_put(p, "<p>Limited by the <a href=\"#frames\">");
		tt_html_figure(p->out, t, i, "limit");
		tt_page_put(p, "</a> in ");
		tt_html_figure(p->out, t, i, "count");
		tt_page_put(p, " of ");
		tt_html_figure(p->out, tt_page_table(p, "frames"), 0, "count");
		tt_page_put(p, " frames, mean ");
		tt_html_figure(p->out, t, i, "mean_ns");
		tt_page_put(p, ".</p>\n");
	}
}

/* Write a figure of row ${row} of ${t}, if it has a value. */
static void
put_tile(const struct tt_page *p, const struct tt_table *t, size_t row, const char *name, const char *id)
{
	if (!t || row >= t->nrow || !tt_html_cell(t, row, id))
		return;
	tt_buf_printf(p->out, "<li title=\"%s\">%s <strong>", t->col[tt_html_column(t, id)].help, name);
	tt_html_figure(p->out, t, row, id);
	tt_page_put(p, "</strong></li>\n");
}

/* Write "took one, two" over "119, 120": how many frames took one, two or more refreshes, without zeros; only if a limit shows. */
static void
put_taken(const struct tt_page *p, const struct tt_table *t)
{
	static const char *const id[] = { "one", "two", "three", "more" };
	enum { NTAKEN = sizeof id / sizeof *id };
	const char *taken[NTAKEN];
	size_t n = 0;

	for (size_t i = 0; t && t->nrow && i < NTAKEN; i++)
		if (tt_html_value(t, 0, id[i]) > 0)
			taken[n++] = id[i];
	if (n == 0)
		return;
	tt_page_put(p, "<li title=\"Frames that took so many refreshes, or periods of a timer.\">took ");
	for (size_t i = 0; i < n; i++)
		tt_buf_printf(p->out, "%s%s", i ? ", " : "", taken[i]);
	tt_page_put(p, " <strong>");
	for (size_t i = 0; i < n; i++) {
		tt_page_put(p, i ? ", " : "");
		tt_html_figure(p->out, t, 0, taken[i]);
	}
	tt_page_put(p, "</strong></li>\n");
}

/*
 * Write the key figures of frames, "shown FPS 39.94", "median 33.34 ms" and so on; then what they needed: uncapped time of the main thread, and the render
 * thread's time.
 */
static void
put_key_figures(const struct tt_page *p)
{
	static const struct { const char *name, *id; } of[] = { { "frames", "count" }, { "shown FPS", "fps" }, { "median", "median_ns" }, { "p95", "p95_ns" },
		{ "p99", "p99_ns" }, { "longest", "max_ns" }, { "1 % low FPS", "low_1_fps" } };
	const struct tt_table *t = tt_page_table(p, "frames");

	tt_page_put(p, "<ul class=\"k\">");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		put_tile(p, t, 0, of[i].name, of[i].id);
	put_tile(p, t, 0, tt_text(p->r, "late%s", tt_shown_late_doubt(p->view->m)), "late");
	put_taken(p, t);
	put_tile(p, t, uncapped_row(t), "uncapped median", "median_ns");
	put_tile(p, t, uncapped_row(t), "uncapped p99", "p99_ns");
	tt_page_put(p, "</ul>\n");
}

static void
put_frame_verdict(const struct tt_page *p)
{
	const struct tt_table *worst = tt_page_table(p, "hitches");

	put_rates(p);
	tt_page_put(p, "</p>\n");
	put_key_figures(p);
	put_limited(p);
	if (tt_page_has_rows(worst)) {
		tt_page_put(p, "<p>The worst is frame <a href=\"#worst-1\">");
		tt_html_figure(p->out, worst, 0, "frame");
		tt_page_put(p, "</a>: ");
		tt_html_figure(p->out, worst, 0, "dur_ns");
		if (tt_html_cell(worst, 0, "cpu_ns")) {
			tt_page_put(p, ", ");
			tt_html_figure(p->out, worst, 0, "cpu_ns");
			tt_page_put(p, " of it <a href=\"#words\">CPU-active</a>");
		}
		if (tt_html_cell(worst, 0, "top")) {
			tt_page_put(p, "; most self time: ");
			tt_html_figure(p->out, worst, 0, "top");
		}
		tt_page_put(p, ".</p>\n");
	}
	/* The note says that frames are capped. */
	if (worst && worst->note) {
		tt_page_put(p, "<p>");
		tt_html_sentence(p->out, worst->note);
		tt_page_put(p, "</p>\n");
	}
}

/* Write the first row of a table: "Most time, without waits: NAME, 38.4 % of all."; with the column ${of}, which says what most of it is, unless NULL. */
static void
put_most(const struct tt_page *p, const char *id, const char *name, const char *of, const char *share, const char *link)
{
	const struct tt_table *t = tt_page_table(p, id);

	if (!tt_page_has_rows(t) || !tt_html_cell(t, 0, share))
		return;
	tt_buf_printf(p->out, "<li>%s: <a href=\"#%s\">", t->title, link);
	tt_html_figure(p->out, t, 0, name);
	tt_page_put(p, "</a>, ");
	tt_html_figure(p->out, t, 0, share);
	tt_page_put(p, " of all");
	if (of && tt_page_has_class(t, 0)) {
		tt_page_put(p, ", most of it ");
		tt_html_figure(p->out, t, 0, of);
	}
	tt_page_put(p, ".</li>\n");
}

/* Describe a capture that has no frames to judge. */
static void
put_overview(const struct tt_page *p)
{
	const struct tt_table *t = tt_page_table(p, "capture_overview");

	for (size_t i = 0; tt_page_has_rows(t) && i < t->nrow; i++) {
		tt_page_put(p, "<li>");
		tt_html_figure(p->out, t, i, "what");
		tt_page_put(p, ": ");
		tt_html_figure(p->out, t, i, "sentence");
		tt_page_put(p, ".</li>\n");
	}
}

/* Describe several captures, and what is missing in them. */
static void
inputs(const struct tt_page *p)
{
	enum { NAMED = 8 };
	size_t n = p->view->m->ncap;

	if (n < 2)
		return;
	tt_page_put(p, "<p>");
	tt_html_count(p->out, n);
	tt_page_put(p, " captures, read as processes of one timeline: ");
	for (size_t i = 0; i < n && i < NAMED; i++) {
		tt_buf_printf(p->out, i ? ", %zu " : "%zu ", i + 1);
		tt_html_text(p->out, tt_page_file_of(p, i));
	}
	tt_page_put(p, n > NAMED ? " and more. " : ". ");
	tt_page_put(p, "Only the page of one capture has causes, ranges, timelines, and lines of counters: make a page of each. "
	    "<kbd>tracetool diff</kbd> compares two builds, <kbd>tracetool batch</kbd> sums up many runs.</p>\n");
}

/* True if ${loss} has a row that makes figures incomplete, or the capture has no end. Other rows say what was guessed or left out. */
static bool
lacks(const struct tt_table *loss)
{
	for (size_t i = 0; loss && i < loss->nrow; i++) {
		const struct tt_cell *severity = tt_html_cell(loss, i, "severity"), *kind = tt_html_cell(loss, i, "kind");

		if (severity && (strcmp(severity->s, tt_severity_name[TT_LOSS]) == 0 || strcmp(severity->s, tt_severity_name[TT_ERROR]) == 0))
			return true;
		if (kind && strcmp(kind->s, "not_ended") == 0)
			return true;
	}
	return false;
}

/* Suggest a marker that begins at regular intervals as a frame, with the command that uses it. */
static void
put_markers(const struct tt_page *p)
{
	const struct tt_cell *option = tt_html_cell(tt_page_table(p, "capture_frame_markers"), 0, "option");

	tt_page_put(p, "<p class=\"v\"><strong>No frames</strong>: the capture does not mark them. Some <a href=\"#frames\">markers may begin them</a>.</p>\n");
	if (!option)
		return;
	tt_page_put(p, "<p>With frames that begin at the first of these: <code>tracetool report ");
	tt_html_text(p->out, option->s);
	tt_page_put(p, " ");
	tt_html_text(p->out, p->o->arguments);
	tt_page_put(p, " -o frames.html</code></p>\n");
}

void
tt_page_verdict(const struct tt_page *p)
{
	const struct tt_table *frames = tt_page_table(p, "frames"), *loss = tt_page_table(p, "loss");

	tt_page_heading(p, "verdict", "Verdict", "Verdict");
	inputs(p);
	if (tt_html_cell(frames, 0, "count")) {
		put_frame_verdict(p);
	} else if (tt_page_has_rows(tt_page_table(p, "capture_frame_markers"))) {
		put_markers(p);
	} else {
		tt_page_put(p, "<p class=\"v\"><strong>No frames</strong>: ");
		tt_html_text(p->out, frames && frames->empty_reason ? frames->empty_reason : "none was looked for");
		tt_page_put(p, ".</p>\n");
	}
	tt_page_put(p, "<ul>\n<li>");
	tt_page_put(p, lacks(loss) ? "<strong>Something is missing</strong>: see <a href=\"#loss\">losses and caveats</a>.</li>\n" :
	    p->r->note || tt_page_has_rows(loss) ? "Nothing was lost; see the <a href=\"#loss\">caveats</a>.</li>\n" : "Nothing was lost.</li>\n");
	if (tt_html_value(frames, 0, "partial") > 0) {
		tt_page_put(p, "<li>Partial frames, which lack an end, are left out: ");
		tt_html_figure(p->out, frames, 0, "partial");
		tt_page_put(p, ".</li>\n");
	}
	put_overview(p);
	put_most(p, "capture_markers", "marker", NULL, "self_share", "t-capture_markers");
	put_most(p, "capture_allocations", "site", "class", "bytes_share", "t-capture_allocations");
	tt_page_put(p, "</ul>\n</section>\n");
}
