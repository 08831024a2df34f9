/**
 * Writes what the report page says of frames: why they are long, what was lost, their times, the worst of them.
 */
#include "page/report_sections.h"

#include <string.h>

#include "base/setting.h"
#include "model/frames.h"
#include "page/details.h"
#include "page/gain.h"
#include "page/page_hitches.h"
#include "page/sorted.h"

/* MAX_LISTED: maximum number of frames listed for a cause. MAX_CHARTS: maximum number of charts, one for each process. */
enum { MAX_LISTED = 100, MAX_CHARTS = 4 };

struct of_causes { const struct tt_page *p; const struct tt_page_hitches *hitches; };

/* Write links to the frames of the cause in ${row}, if it has several. */
static void
put_frames_of(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg)
{
	const struct of_causes *of = arg;
	const int64_t all = tt_html_value(t, row, "count"), worst = tt_html_value(t, row, "worst");
	int64_t n = 0;
	size_t known = 0;

	for (size_t i = 0; worst && i < of->hitches->n; i++)
		known += of->hitches->of[i].of == (uint64_t)worst;
	/* A finding about another thread has no hitches. */
	if (all < 2 || known == 0)
		return;
	tt_buf_text(out, "<details><summary>");
	tt_html_count(out, (uint64_t)all);
	tt_buf_text(out, " frames</summary>");
	for (size_t i = 0; i < of->hitches->n && n < MAX_LISTED; i++) {
		const struct tt_page_hitch *h = &of->hitches->of[i];
		char time[40];

		if (h->of != (uint64_t)worst)
			continue;
		*tt_put_time_short(time, tt_frames_wall(of->p->f, h->frame)) = '\0';
		tt_buf_text(out, n++ ? ", " : "");
		tt_page_hitch_link(h, out);
		tt_buf_printf(out, "%llu</a> %s", (unsigned long long)h->number, time);
	}
	if (n < all) {
		tt_buf_text(out, ", and ");
		tt_html_count(out, (uint64_t)(all - n));
		tt_buf_text(out, " more in <a href=\"#t-frame_causes\">all long frames</a>");
	}
	tt_buf_text(out, "</details>");
}

/* The next step for each class of cause, as far as tracetool-metrics(7) says what is behind it. "$" is replaced by the setting that leaves the Editor out. */
static const struct { const char *class, *text; } next_step[] = {
	{ "collection", "A collection: methods that allocate much bring more of them. The tables of allocations say which do." },
	{ "compiled", "Compiling: a method is compiled at its first call, so call it while a level loads." },
	{ "shaders", "Shaders: Unity compiles a shader at its first use, so use it while a level loads." },
	{ "lock", "A lock: a timeline of the frame shows what other threads ran meanwhile; the capture does not say which of them held the lock." },
	{ "exceptions", "Exceptions: the tables of exceptions have their types and the methods that throw them." },
	{ "wait", "A wait: a timeline of the frame shows what it ended with, and what other threads ran meanwhile." },
	{ "loading", "Loading: a timeline of the frame shows what the loading ended with, and what other threads ran meanwhile." },
	{ "editor", "The Editor: a capture of a player has nothing of it, and $ leaves it out of this one." },
	{ "calls", "Calls: the call tree of the frame has what each call takes beyond the median frame, and how often it is called." },
	{ "slow_call", "A slow call: the call tree of the frame has what each call takes beyond the median frame." },
	{ "allocation", "Allocation: the tables of allocations have the methods and the classes, most bytes first." },
	{ "processors", "Processors: a timeline of the frame shows what other threads ran meanwhile." },
	{ "growth", "Growth: the marker over the frames, below their chart, shows from when on it takes longer." },
	{ "leak", "A leak: the tables of heap shots have the classes that grow and what refers to them; without shots, the cause says how to record some." },
	{ "steady", "A method that all frames have: the call tree has what it calls." },
};

static bool
names_class(const struct tt_table *t, const char *class)
{
	for (size_t row = 0; row < t->nrow; row++) {
		const struct tt_cell *of = tt_html_cell(t, row, "class");

		if (of && of->s && strcmp(of->s, class) == 0)
			return true;
	}
	return false;
}

/* Write the next step for each class of cause that the table has, in a line each. */
static void
next_steps(const struct tt_page *p, const struct tt_table *t)
{
	bool any = false;

	for (size_t i = 0; i < sizeof next_step / sizeof *next_step; i++) {
		const char *text = next_step[i].text, *colon = strchr(text, ':'), *setting = strchr(text, '$');

		if (!names_class(t, next_step[i].class))
			continue;
		tt_page_put(p, any ? "" : "<p>Next:</p>\n<ul class=\"next\">\n");
		any = true;
		tt_buf_printf(p->out, "<li><strong>%.*s</strong>", (int)(colon - text), text);
		if (setting)
			tt_buf_printf(p->out, "%.*s<code>%s</code>%s</li>\n", (int)(setting - colon), colon, tt_setting_name[TT_SETTING_PLAYER_ONLY],
			    setting + 1);
		else
			tt_buf_printf(p->out, "%s</li>\n", colon);
	}
	tt_page_put(p, any ? "</ul>\n" : "");
}

void
tt_page_causes(const struct tt_page *p)
{
	static const char *const col[] = { "frames", "worst", "sentence", "extra_ns", NULL };
	const struct tt_table *t = tt_page_table(p, "causes");
	struct tt_page_hitches hitches = { 0 };
	const struct of_causes of = { p, &hitches };

	if (!t || !tt_html_cell(tt_page_table(p, "frames"), 0, "count"))
		return;
	tt_page_heading(p, "causes", "Why frames are long", "Causes");
	if (tt_page_has_rows(t))
		tt_page_put(p, "<p>Frames that take clearly longer than the typical one, and why. Extra: what they take beyond it, all together.</p>\n");
	if (p->f && p->f->nrange == 1)
		tt_page_hitches(&hitches, p->r, p->f, 0, p->f->n);
	if (p->f && p->f->nrange == 1)
		tt_page_gain(p->r, p->f, &hitches, p->out);
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = TT_PAGE_FIRST_ROWS, .labelled = true,
	    .below = "sentence", .put_below = put_frames_of, .arg = &of });
	next_steps(p, t);
	tt_page_all_rows(p, t);
	tt_page_put(p, "</section>\n");
}

/* --- losses, frames ------------------------------------------------------------------ */

void
tt_page_losses(const struct tt_page *p)
{
	static const char *const col[] = { "what", "severity", "count", "bytes", "first_at", "advice", NULL };
	const struct tt_table *t = tt_page_table(p, "loss");

	if (!p->r->note && !tt_page_has_rows(t))
		return;
	tt_page_heading(p, "loss", "Losses and caveats", "Losses");
	tt_html_notes(p->out, p->r);
	if (tt_page_has_rows(t))
		tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .labelled = true });
	tt_page_put(p, "</section>\n");
}

static void
strips(const struct tt_page *p)
{
	const struct tt_frames *f = p->f;
	const bool capped = tt_page_capped(tt_page_table(p, "frame_budgets"));

	if (f->nrange > 1)
		tt_page_put(p, "<p>The charts have one scale of times: what is as high in one takes as long as in the others.</p>\n");
	for (size_t i = 0; i < f->nrange && i < MAX_CHARTS; i++) {
		if (f->nrange > 1)
			tt_buf_printf(p->out, "<h3>Input %u: ", f->range[i].process + 1);
		if (f->nrange > 1) {
			tt_html_text(p->out, tt_page_file_of(p, f->range[i].process));
			tt_page_put(p, "</h3>\n");
		}
		tt_page_put_frame_chart(f, f->range[i].first, f->range[i].end, p->times, p->r, p->out);
		/* Only if all frames are of one process can a command name them by number. */
		if (f->nrange == 1 && tt_frames_number(f, f->n - 1) - tt_frames_number(f, 0) == f->n - 1 &&
		    !tt_page_put_times(f, 0, f->n, capped, p->o->range_command, p->o->max_size / 2, p->out))
			tt_buf_printf(p->out, "<p>The times of single frames would take more than half of this page, and are left out: no range can be "
			    "looked at here. A page of fewer frames has them: <code>%s</code>.</p>\n", tt_setting_name[TT_SETTING_FRAMES]);
		tt_page_put(p, "</figure>\n");
	}
	if (f->nrange > MAX_CHARTS)
		tt_buf_printf(p->out, "<p>%zu more inputs have frames; their charts are left out.</p>\n", f->nrange - MAX_CHARTS);
}

/* Say which frames can be looked at in the timeline. */
static void
timelines(const struct tt_page *p)
{
	const struct tt_details *d = p->o->details;
	size_t n = d ? tt_details_nshown(d) : 0;

	if (n == 0)
		return;
	tt_page_put(p, "<p>The timeline below<span class=\"ns\">, which needs scripts,</span> has each zone of ");
	tt_html_count(p->out, n);
	tt_page_put(p, " of these ");
	tt_html_count(p->out, p->f->n);
	tt_page_put(p, " frames");
	if (n < p->f->n)
		tt_page_put(p, n < d->n ? ": the worst and the median, as far as they fit" : ": the worst, the median, p95 and p99, others evenly spaced");
	tt_page_put(p, ".</p>\n");
}

/* Write one of several tables that stand side by side. */
static void
side_table(const struct tt_page *p, const struct tt_table *t, const struct tt_html_view *view)
{
	if (!t || (!tt_page_has_rows(t) && (strcmp(t->id, "frames") != 0 || tt_page_has_rows(tt_page_table(p, "capture_frame_markers")))))
		return;
	tt_page_put(p, "<div>\n");
	tt_html_table(p->out, t, view);
	tt_page_put(p, "</div>\n");
}

/* The number of rows of ${t}, the table of frames, up to the last one that has times: kinds of time that were not recorded have none. */
static size_t
timed_rows(const struct tt_table *t)
{
	size_t n = t ? t->nrow : 0;

	while (n > 1 && !tt_html_cell(t, n - 1, "mean_ns"))
		n--;
	return n;
}

void
tt_page_frame_times(const struct tt_page *p)
{
	static const char *const times[] = { "time", "count", "mean_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "fps", "low_1_fps", NULL };
	static const char *const over[] = { "time", "budget_ns", "over", "over_share", NULL };
	static const char *const limits[] = { "limit", "count", "share", "mean_ns", NULL };
	const struct tt_table *likely = tt_page_table(p, "capture_frame_markers");

	tt_page_heading(p, "frames", "Frame times", "Frames");
	if (p->f)
		strips(p);
	if (p->f && p->f->nrange == 1 && tt_page_sorted(p->r, p->f, p->r->mem, p->out, p->err) != TT_OK)
		tt_buf_fail(p->out);
	timelines(p);
	tt_page_put(p, "<div class=\"g\">\n");
	side_table(p, tt_page_table(p, "frames"), &(struct tt_html_view){ .col = times, .to = timed_rows(tt_page_table(p, "frames")) });
	side_table(p, tt_page_table(p, "frame_budgets"), &(struct tt_html_view){ .col = over });
	side_table(p, tt_page_table(p, "frame_limits"), &(struct tt_html_view){ .col = limits });
	side_table(p, likely, &(struct tt_html_view){ 0 });
	tt_page_put(p, "</div>\n</section>\n");
}

/* The rows of ${t}, from ${from} on, about the frame in ${row} of ${worst}: both tables list frames in the same order. */
static struct tt_html_view
rows_of_frame(const struct tt_table *t, size_t from, const struct tt_table *worst, size_t row)
{
	static const char *const col[] = { "rank", "marker", "self_ns", "share", "count", NULL };
	struct tt_html_view v = { .col = col, .from = from, .to = from };

	for (; v.to < t->nrow && tt_html_value(t, v.to, "frame") == tt_html_value(worst, row, "frame"); v.to++)
		if (v.to > from && tt_html_value(t, v.to, "rank") <= tt_html_value(t, v.to - 1, "rank"))
			break;
	return v;
}

/* Write ": 30.04 ms waiting for a lock": the cause of the frame in ${row} of ${worst}, if known. */
static void
put_cause(const struct tt_page *p, const struct tt_table *worst, size_t row)
{
	const struct tt_table *t = tt_page_table(p, "frame_causes");

	for (size_t i = 0; t && i < t->nrow; i++) {
		const struct tt_cell *class = tt_html_cell(t, i, "class"), *sentence = tt_html_cell(t, i, "sentence");

		if (tt_html_value(t, i, "frame") != tt_html_value(worst, row, "frame"))
			continue;
		if (class && sentence && strcmp(class->s, "unknown") != 0) {
			tt_page_put(p, ": ");
			tt_html_prose(p->out, sentence->s);
		}
		return;
	}
}

/* Write a worst frame that another thread made long, so that its markers are not in the table. */
static void
unlisted_frame(const struct tt_page *p, const struct tt_table *worst, size_t row)
{
	tt_page_put(p, "<p>Most self time: ");
	tt_html_figure(p->out, worst, row, "top");
	tt_page_put(p, ". What its threads did: <code>");
	tt_html_text(p->out, p->o->stats_command);
	tt_buf_printf(p->out, "%lld</code></p>\n", (long long)tt_html_value(worst, row, "frame"));
}

void
tt_page_worst_frames(const struct tt_page *p)
{
	static const char *const col[] = { "frame", "process", "dur_ns", "cpu_ns", "top", "alloc_bytes", "gc_pause_ns", "limit", "start_ns", NULL };
	const struct tt_table *worst = tt_page_table(p, "hitches"), *markers = tt_page_table(p, "hitch_markers");
	struct tt_html_view v = { 0 };

	if (!tt_page_has_rows(worst))
		return;
	tt_page_heading(p, "worst", "Worst frames", "Worst frames");
	tt_html_table(p->out, worst, &(struct tt_html_view){ .col = col, .link = "worst" });
	tt_page_put(p, "<h3>What each did, most self time first</h3>\n");
	for (size_t row = 0; tt_page_has_rows(markers) && row < worst->nrow; row++) {
		v = rows_of_frame(markers, v.to, worst, row);
		tt_buf_printf(p->out, "<details id=\"worst-%zu\"%s><summary>Frame ", row + 1, row ? "" : " open");
		tt_html_figure(p->out, worst, row, "frame");
		tt_page_put(p, ", ");
		tt_html_figure(p->out, worst, row, "dur_ns");
		put_cause(p, worst, row);
		tt_page_put(p, "</summary>\n");
		if (v.from < v.to)
			tt_html_table(p->out, markers, &v);
		else
			unlisted_frame(p, worst, row);
		tt_page_put(p, "</details>\n");
	}
	tt_page_put(p, "</section>\n");
}
