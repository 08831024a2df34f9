/**
 * Writes the sections of the report page.
 */
#include "page/report_page.h"

#include <stdio.h>
#include <string.h>

#include "base/aside.h"
#include "base/json.h"
#include "base/setting.h"
#include "model/frames.h"
#include "model/model.h"
#include "out/html.h"
#include "out/render.h"
#include "page/details.h"
#include "page/frame_facts.h"
#include "page/flame.h"
#include "page/frame_data.h"
#include "page/gain.h"
#include "page/page_hitches.h"
#include "page/line_charts.h"
#include "page/sorted.h"
#include "pass/shown.h"
#include "stat/num.h"
#include "sys/sys.h"
#include "view/view.h"

/* Frames that are listed of a cause; rows of a table on the first screen; charts, one for a process; boxes of the flame graph, markers over
   the frames, lines of counters, figures of frames, and the bytes of a page that each is worth. */
enum { LISTED = 100, FIRST = 10, STRIPS = 4, BOXES = 5000, PER_BOX = 400, MARKERS = 64, PER_MARKER = 32768,
	LINES = 12, PER_LINE = 65536, PER_FRAME = 512 };

/* Sections of the page, which it begins with links to. */
struct contents {
	size_t at;                    /* where the links belong */
	size_t n;
	struct { const char *id, *link; } of[16];
};

struct page {
	struct contents *contents;
	struct tt_report *r;
	struct tt_views *view;
	struct tt_err *err;
	const struct tt_frames *f;    /* NULL: none */
	const struct tt_values *times;        /* of them, in order */
	const struct tt_page_opts *o;
	struct tt_buf *out;
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

/* True if the row says anything; a row of facts that were not recorded is empty. */
static bool
has_rows(const struct tt_table *t)
{
	for (size_t i = 0; t && i < t->nrow * t->ncol; i++)
		if (!t->cell[i].empty)
			return true;
	return false;
}

/* Begin a section, which ${link} leads to. */
static void
heading(const struct page *p, const char *id, const char *title, const char *link)
{
	struct contents *c = p->contents;

	if (c->n + 1 < sizeof c->of / sizeof *c->of) {
		c->of[c->n].id = id;
		c->of[c->n++].link = link;
	}
	tt_html_section(p->out, id, title);
}

/* A section that was begun last is not there after all. */
static void
drop_section(const struct page *p, size_t begin)
{
	p->contents->n--;
	p->out->n = begin;
}

/* The group of a section in the navigation: 0 what is wrong, 1 where it goes, 2 what to look up. */
static unsigned
group_of(const char *id)
{
	static const char *const group[][6] = { { "verdict", "causes", "frames", "worst", NULL }, { "time", "memory", "heap", "counters", "loss", NULL } };

	for (unsigned g = 0; g < 2; g++)
		for (size_t i = 0; group[g][i]; i++)
			if (strcmp(group[g][i], id) == 0)
				return g;
	return 2;
}

/* The links to all sections, those of a group beside each other, to where they belong. */
static void
put_contents(const struct page *p)
{
	const struct contents *c = p->contents;
	struct tt_buf links = { 0 };

	for (unsigned g = 0; g < 3; g++)
		for (size_t i = 0; i < c->n; i++)
			if (group_of(c->of[i].id) == g)
				tt_buf_printf(&links, "%s<a class=\"n%u\" href=\"#%s\">%s</a>", links.n ? " " : "", g, c->of[i].id, c->of[i].link);
	if (links.failed || tt_buf_room(p->out, links.n, p->err) != TT_OK) {
		tt_buf_fail(p->out);
	} else {
		memmove(p->out->p + c->at + links.n, p->out->p + c->at, p->out->n - c->at);
		memcpy(p->out->p + c->at, links.p, links.n);
		p->out->n += links.n;
	}
	tt_buf_free(&links);
}

/* --- verdict ------------------------------------------------------------------------- */

/* "6 of 129 frames (4.65 %)": those over the budget in row ${row} of the table of budgets. */
static void
put_over(const struct page *p, size_t row)
{
	const struct tt_table *budgets = table(p, "frame_budgets");

	tt_html_figure(p->out, budgets, row, "over");
	put(p, " of ");
	tt_html_figure(p->out, table(p, "frames"), 0, "count");
	put(p, " frames (");
	tt_html_figure(p->out, budgets, row, "over_share");
	put(p, ")");
}

/* The first row of ${t}, the table of frame times or of budgets, that is about uncapped time, which capped frames are judged by; the end: none is. */
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

/* "a limit of 30 fps, or a GPU that is too slow": where frames of a limit make up most of those that miss a budget of ${limit}; NULL: that is not so. */
static const struct tt_cell *
reading_of(const struct page *p, int64_t limit)
{
	const struct tt_table *t = table(p, "frame_shown");
	size_t most = SIZE_MAX;

	for (size_t i = 0; t && i < t->nrow; i++)
		if (tt_html_cell(t, i, "reading") && tt_html_value(t, i, "shown_ns") > limit &&
		    (most == SIZE_MAX || tt_html_value(t, i, "count") > tt_html_value(t, most, "count")))
			most = i;
	return most == SIZE_MAX ? NULL : tt_html_cell(t, most, "reading");
}

/* Why frames miss 60 fps, if the limit or the GPU makes them do so. */
static void
put_reading(const struct page *p, int64_t limit)
{
	const struct tt_cell *why = reading_of(p, limit);

	if (!why)
		return;
	put(p, ": ");
	tt_html_text(p->out, why->s);
}

/* The first sentence where the capture does not tell how many frames miss 60 fps: what the summary says of both rates. */
static void
put_untold(const struct page *p, const char *sixty)
{
	const int64_t limit = tt_html_value(table(p, "frame_budgets"), 1, "budget_ns");
	const char *thirty = tt_shown_untold(p->view, limit, p->r);

	put(p, "<p class=\"v fair\"><strong>60 fps</strong>: ");
	tt_html_text(p->out, sixty);
	put(p, "; <strong>30 fps</strong>: ");
	if (thirty) {
		tt_html_text(p->out, thirty);
	} else if (tt_html_value(table(p, "frame_budgets"), 1, "over") == 0) {
		put(p, tt_shown_held(p->view->m, limit));
	} else {
		put(p, "missed by ");
		put_over(p, 1);
	}
	put(p, ".");
}

/* The first sentence: how long frames were shown against 60 and 30 fps, the first two rows. */
static void
put_rates(const struct page *p)
{
	const struct tt_table *budgets = table(p, "frame_budgets");
	const char *untold = tt_shown_untold(p->view, tt_html_value(budgets, 0, "budget_ns"), p->r);
	const int64_t over60 = tt_html_value(budgets, 0, "over"), over30 = tt_html_value(budgets, 1, "over");
	const struct tt_model *m = p->view->m;

	if (!untold && over60 == 0 && tt_frames_doubted(m->frames, tt_html_value(budgets, 0, "budget_ns")))
		untold = tt_shown_held(m, tt_html_value(budgets, 0, "budget_ns"));
	if (untold) {
		put_untold(p, untold);
		return;
	}
	put(p, over60 == 0 ? "<p class=\"v good\">" : over30 == 0 ? "<p class=\"v fair\">" : "<p class=\"v bad\">");
	if (over60 == 0) {
		put(p, "<strong>Holds 60 fps</strong>: no frame takes longer than 16.67 ms.");
		return;
	}
	put(p, "<strong>Misses 60 fps</strong> in ");
	put_over(p, 0);
	put_reading(p, tt_html_value(budgets, 0, "budget_ns"));
	if (over30 == 0) {
		put(p, tt_frames_doubted(m->frames, tt_html_value(budgets, 1, "budget_ns")) ? "; <strong>holds 30 fps</strong>, if a limit holds its frames." :
		    "; <strong>holds 30 fps</strong>.");
		return;
	}
	put(p, reading_of(p, tt_html_value(budgets, 0, "budget_ns")) ? "; <strong>misses 30 fps</strong> in " : ", <strong>and 30 fps</strong> in ");
	put_over(p, 1);
	put(p, ".");
}

/* "Limited by the GPU in 296 of 300 frames, mean 22.0 ms": where most frames miss 60 fps, and what limits most of those whose limit is known. */
static void
put_limited(const struct page *p)
{
	const struct tt_table *budgets = table(p, "frame_budgets"), *t = table(p, "frame_limits");
	enum { MOSTLY_OVER = 5000 };         /* of 10,000 */

	for (size_t i = 0; t && tt_html_value(budgets, 0, "over_share") > MOSTLY_OVER && i < t->nrow; i++) {
		const struct tt_cell *by = tt_html_cell(t, i, "limit");

		if (!by || strcmp(by->s, "balanced") == 0 || tt_html_value(t, i, "share") <= MOSTLY_OVER)
			continue;
		put(p, "<p>Limited by the <a href=\"#frames\">");
		tt_html_figure(p->out, t, i, "limit");
		put(p, "</a> in ");
		tt_html_figure(p->out, t, i, "count");
		put(p, " of ");
		tt_html_figure(p->out, table(p, "frames"), 0, "count");
		put(p, " frames, mean ");
		tt_html_figure(p->out, t, i, "mean_ns");
		put(p, ".</p>\n");
	}
}

/* A figure of the row ${row} of ${t}, if it has it. */
static void
put_tile(const struct page *p, const struct tt_table *t, size_t row, const char *name, const char *id)
{
	if (!t || row >= t->nrow || !tt_html_cell(t, row, id))
		return;
	tt_buf_printf(p->out, "<li title=\"%s\">%s <strong>", t->col[tt_html_column(t, id)].help, name);
	tt_html_figure(p->out, t, row, id);
	put(p, "</strong></li>\n");
}

/* "took one 119, two 120": how many frames took one refresh and more, but for none; where a limit shows. */
static void
put_taken(const struct page *p, const struct tt_table *t)
{
	static const char *const id[] = { "one", "two", "three", "more" };
	const char *before = "<li title=\"Frames that took so many refreshes, or periods of a timer.\">took ";

	for (size_t i = 0; t && t->nrow && i < sizeof id / sizeof *id; i++) {
		const struct tt_cell *c = tt_html_cell(t, 0, id[i]);

		if (!c || c->v == 0)
			continue;
		tt_buf_printf(p->out, "%s%s <strong>", before, id[i]);
		tt_html_figure(p->out, t, 0, id[i]);
		put(p, "</strong>");
		before = ", ";
	}
	put(p, *before == ',' ? "</li>\n" : "");
}

/*
 * "shown FPS 39.94", "median 33.34 ms" and so on: the figures that frames are talked about by. Then what they needed: the uncapped time of the main thread,
 * and the render thread's.
 */
static void
put_key_figures(const struct page *p)
{
	static const struct { const char *name, *id; } of[] = { { "frames", "count" }, { "shown FPS", "fps" }, { "median", "median_ns" }, { "p95", "p95_ns" },
		{ "p99", "p99_ns" }, { "longest", "max_ns" }, { "1 % low FPS", "low_1_fps" } };
	const struct tt_table *t = table(p, "frames");

	put(p, "<ul class=\"k\">");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		put_tile(p, t, 0, of[i].name, of[i].id);
	put_tile(p, t, 0, "late", "late");
	put_taken(p, t);
	put_tile(p, t, uncapped_row(t), "uncapped median", "median_ns");
	put_tile(p, t, uncapped_row(t), "uncapped p99", "p99_ns");
	put(p, "</ul>\n");
}

static void
put_frame_verdict(const struct page *p)
{
	const struct tt_table *worst = table(p, "hitches");

	put_rates(p);
	put(p, "</p>\n");
	put_key_figures(p);
	put_limited(p);
	if (has_rows(worst)) {
		put(p, "<p>The worst is frame <a href=\"#worst-1\">");
		tt_html_figure(p->out, worst, 0, "frame");
		put(p, "</a>: ");
		tt_html_figure(p->out, worst, 0, "dur_ns");
		if (tt_html_cell(worst, 0, "cpu_ns")) {
			put(p, ", ");
			tt_html_figure(p->out, worst, 0, "cpu_ns");
			put(p, " of it <a href=\"#words\">CPU-active</a>");
		}
		if (tt_html_cell(worst, 0, "top")) {
			put(p, "; most self time: ");
			tt_html_figure(p->out, worst, 0, "top");
		}
		put(p, ".</p>\n");
	}
	/* For capped frames it says so. */
	if (worst && worst->note) {
		put(p, "<p>");
		tt_html_sentence(p->out, worst->note);
		put(p, "</p>\n");
	}
}

static bool
has_class(const struct tt_table *t, size_t row)
{
	const struct tt_cell *c = tt_html_cell(t, row, "class");

	return c && strcmp(c->s, TT_NO_CLASS) != 0;
}

static bool
has_classes(const struct tt_table *t)
{
	for (size_t i = 0; i < t->nrow; i++)
		if (has_class(t, i))
			return true;
	return false;
}

/* The first row of a table of the first screen: "Most time, without waits: NAME, 38.4 % of all."; with what ${of} says is most of it, if that is not NULL. */
static void
put_most(const struct page *p, const char *id, const char *name, const char *of, const char *share, const char *link)
{
	const struct tt_table *t = table(p, id);

	if (!has_rows(t) || !tt_html_cell(t, 0, share))
		return;
	tt_buf_printf(p->out, "<li>%s: <a href=\"#%s\">", t->title, link);
	tt_html_figure(p->out, t, 0, name);
	put(p, "</a>, ");
	tt_html_figure(p->out, t, 0, share);
	put(p, " of all");
	if (of && has_class(t, 0)) {
		put(p, ", most of it ");
		tt_html_figure(p->out, t, 0, of);
	}
	put(p, ".</li>\n");
}

/* Say what happened in a capture without frames to judge. */
static void
put_overview(const struct page *p)
{
	const struct tt_table *t = table(p, "capture_overview");

	for (size_t i = 0; has_rows(t) && i < t->nrow; i++) {
		put(p, "<li>");
		tt_html_figure(p->out, t, i, "what");
		put(p, ": ");
		tt_html_figure(p->out, t, i, "sentence");
		put(p, ".</li>\n");
	}
}

/* The file of input ${i}, without its folder. */
static const char *
name_of(const struct page *p, size_t i)
{
	return tt_sys_base(p->view->m->cap[i]->path);
}

/* The same; where another input has this name, too, the path, as the table of inputs may show it. */
static const char *
file_of(const struct page *p, size_t i)
{
	const struct tt_cell *path = tt_html_cell(table(p, "capture"), i, "path");

	for (size_t k = 0; path && k < p->view->m->ncap; k++)
		if (k != i && strcmp(name_of(p, k), name_of(p, i)) == 0)
			return path->s;
	return name_of(p, i);
}

/* Say what several captures are together, and what is missing. */
static void
inputs(const struct page *p)
{
	enum { NAMED = 8 };
	size_t n = p->view->m->ncap;

	if (n < 2)
		return;
	put(p, "<p>");
	tt_html_count(p->out, n);
	put(p, " captures, read as processes of one timeline: ");
	for (size_t i = 0; i < n && i < NAMED; i++) {
		tt_buf_printf(p->out, i ? ", %zu " : "%zu ", i + 1);
		tt_html_text(p->out, file_of(p, i));
	}
	put(p, n > NAMED ? " and more. " : ". ");
	put(p, "Only the page of one capture has causes, ranges, timelines, and lines of counters: make a page of each. "
	    "<kbd>tracetool diff</kbd> compares two builds, <kbd>tracetool batch</kbd> sums up many runs.</p>\n");
}

/* True if ${loss} makes figures incomplete, or the capture has no end. Other rows say what was guessed or left out. */
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

/* A marker that begins regularly may be a frame: a command that takes it as one. */
static void
put_markers(const struct page *p)
{
	const struct tt_cell *option = tt_html_cell(table(p, "capture_frame_markers"), 0, "option");

	put(p, "<p class=\"v\"><strong>No frames</strong>: the capture does not mark them. Some <a href=\"#frames\">markers may begin them</a>.</p>\n");
	if (!option)
		return;
	put(p, "<p>With frames that begin at the first of these: <code>tracetool report ");
	tt_html_text(p->out, option->s);
	put(p, " ");
	tt_html_text(p->out, p->o->arguments);
	put(p, " -o frames.html</code></p>\n");
}

static void
verdict(const struct page *p)
{
	const struct tt_table *frames = table(p, "frames"), *loss = table(p, "loss");

	heading(p, "verdict", "Verdict", "Verdict");
	inputs(p);
	if (tt_html_cell(frames, 0, "count")) {
		put_frame_verdict(p);
	} else if (has_rows(table(p, "capture_frame_markers"))) {
		put_markers(p);
	} else {
		put(p, "<p class=\"v\"><strong>No frames</strong>: ");
		tt_html_text(p->out, frames && frames->empty_reason ? frames->empty_reason : "none was looked for");
		put(p, ".</p>\n");
	}
	put(p, "<ul>\n<li>");
	put(p, lacks(loss) ? "<strong>Something is missing</strong>: see <a href=\"#loss\">losses and caveats</a>.</li>\n" :
	    p->r->note || has_rows(loss) ? "Nothing was lost; see the <a href=\"#loss\">caveats</a>.</li>\n" : "Nothing was lost.</li>\n");
	if (tt_html_value(frames, 0, "partial") > 0) {
		put(p, "<li>Partial frames, which lack an end, are left out: ");
		tt_html_figure(p->out, frames, 0, "partial");
		put(p, ".</li>\n");
	}
	put_overview(p);
	put_most(p, "capture_markers", "marker", NULL, "self_share", "t-capture_markers");
	put_most(p, "capture_allocations", "site", "class", "bytes_share", "t-capture_allocations");
	put(p, "</ul>\n</section>\n");
}

/* Link to all rows of ${t}, if those in front are not all. */
static void
all_rows(const struct page *p, const struct tt_table *t)
{
	if (t->nrow <= FIRST && !t->hidden)
		return;
	tt_buf_printf(p->out, "<p class=\"to\"><a href=\"#t-%s\">All ", t->id);
	tt_html_count(p->out, t->nrow + t->hidden);
	put(p, " rows</a></p>\n");
}

struct of_causes { const struct page *p; const struct tt_page_hitches *hitches; };

/* Links to the frames of the cause in ${row}, where it has several. */
static void
put_frames_of(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg)
{
	const struct of_causes *of = arg;
	const int64_t all = tt_html_value(t, row, "count"), worst = tt_html_value(t, row, "worst");
	int64_t n = 0;
	size_t known = 0;

	for (size_t i = 0; worst && i < of->hitches->n; i++)
		known += of->hitches->of[i].of == (uint64_t)worst;
	/* Frames that another thread holds up are no hitches of their own. */
	if (all < 2 || known == 0)
		return;
	tt_buf_text(out, "<details><summary>");
	tt_html_count(out, (uint64_t)all);
	tt_buf_text(out, " frames</summary>");
	for (size_t i = 0; i < of->hitches->n && n < LISTED; i++) {
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

/* By class of cause, as far as tracetool-metrics(7) says what is behind it: the next step. "$" stands for the setting that leaves the Editor out. */
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

/* The next step for each class of cause that there is, in a line. */
static void
next_steps(const struct page *p, const struct tt_table *t)
{
	bool any = false;

	for (size_t i = 0; i < sizeof next_step / sizeof *next_step; i++) {
		const char *text = next_step[i].text, *colon = strchr(text, ':'), *setting = strchr(text, '$');

		if (!names_class(t, next_step[i].class))
			continue;
		put(p, any ? "" : "<p>Next:</p>\n<ul class=\"next\">\n");
		any = true;
		tt_buf_printf(p->out, "<li><strong>%.*s</strong>", (int)(colon - text), text);
		if (setting)
			tt_buf_printf(p->out, "%.*s<code>%s</code>%s</li>\n", (int)(setting - colon), colon, tt_setting_name[TT_SETTING_PLAYER_ONLY],
			    setting + 1);
		else
			tt_buf_printf(p->out, "%s</li>\n", colon);
	}
	put(p, any ? "</ul>\n" : "");
}

/* Why frames are long, right under whether they are. */
static void
causes(const struct page *p)
{
	static const char *const col[] = { "frames", "worst", "sentence", "extra_ns", NULL };
	const struct tt_table *t = table(p, "causes");
	struct tt_page_hitches hitches = { 0 };
	const struct of_causes of = { p, &hitches };

	if (!t || !tt_html_cell(table(p, "frames"), 0, "count"))
		return;
	heading(p, "causes", "Why frames are long", "Causes");
	if (has_rows(t))
		put(p, "<p>Frames that take clearly longer than the typical one, and why. Extra: what they take beyond it, all together.</p>\n");
	if (p->f && p->f->nof == 1)
		tt_page_hitches(&hitches, p->r, p->f, 0, p->f->n);
	if (p->f && p->f->nof == 1)
		tt_page_gain(p->r, p->f, &hitches, p->out);
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = FIRST, .below = "sentence", .put_below = put_frames_of, .arg = &of });
	next_steps(p, t);
	all_rows(p, t);
	put(p, "</section>\n");
}

/* --- losses, frames ------------------------------------------------------------------ */

static void
losses(const struct page *p)
{
	static const char *const col[] = { "what", "severity", "count", "bytes", "first_at", "advice", NULL };
	const struct tt_table *t = table(p, "loss");

	if (!p->r->note && !has_rows(t))
		return;
	heading(p, "loss", "Losses and caveats", "Losses");
	tt_html_notes(p->out, p->r);
	if (has_rows(t))
		tt_html_table(p->out, t, &(struct tt_html_view){ .col = col });
	put(p, "</section>\n");
}

static void
strips(const struct page *p)
{
	const struct tt_frames *f = p->f;
	const bool capped = tt_page_capped(table(p, "frame_budgets"));

	if (f->nof > 1)
		put(p, "<p>The charts have one scale of times: what is as high in one takes as long as in the others.</p>\n");
	for (size_t i = 0; i < f->nof && i < STRIPS; i++) {
		if (f->nof > 1)
			tt_buf_printf(p->out, "<h3>Input %u: ", f->of[i].process + 1);
		if (f->nof > 1) {
			tt_html_text(p->out, file_of(p, f->of[i].process));
			put(p, "</h3>\n");
		}
		tt_page_strip(f, f->of[i].first, f->of[i].end, p->times, p->r, p->out);
		/* One process's frames alone have numbers that a command can name. */
		if (f->nof == 1 && tt_frames_number(f, f->n - 1) - tt_frames_number(f, 0) == f->n - 1 &&
		    !tt_page_times(f, 0, f->n, capped, p->o->range, p->o->max_size / 2, p->out))
			tt_buf_printf(p->out, "<p>The times of single frames would take more than half of this page, and are left out: no range can be "
			    "looked at here. A page of fewer frames has them: <code>%s</code>.</p>\n", tt_setting_name[TT_SETTING_FRAMES]);
		put(p, "</figure>\n");
	}
	if (f->nof > STRIPS)
		tt_buf_printf(p->out, "<p>%zu more inputs have frames; their charts are left out.</p>\n", f->nof - STRIPS);
}

/* Which frames can be looked at alone. */
static void
timelines(const struct page *p)
{
	const struct tt_details *d = p->o->details;
	size_t n = d ? tt_details_shown(d) : 0;

	if (n == 0)
		return;
	put(p, "<p>The timeline below<span class=\"ns\">, which needs scripts,</span> has each zone of ");
	tt_html_count(p->out, n);
	put(p, " of these ");
	tt_html_count(p->out, p->f->n);
	put(p, " frames");
	if (n < p->f->n)
		put(p, n < d->n ? ": the worst and the median, as far as they fit" : ": the worst, the median, p95 and p99, others evenly spaced");
	put(p, ".</p>\n");
}

/* One of tables beside each other. */
static void
side_table(const struct page *p, const struct tt_table *t, const struct tt_html_view *view)
{
	if (!t || (!has_rows(t) && (strcmp(t->id, "frames") != 0 || has_rows(table(p, "capture_frame_markers")))))
		return;
	put(p, "<div>\n");
	tt_html_table(p->out, t, view);
	put(p, "</div>\n");
}

/* Up to the last row of ${t}, the table of frames, that has times: what was not recorded has none. */
static size_t
timed_rows(const struct tt_table *t)
{
	size_t n = t ? t->nrow : 0;

	while (n > 1 && !tt_html_cell(t, n - 1, "mean_ns"))
		n--;
	return n;
}

static void
frames(const struct page *p)
{
	static const char *const times[] = { "time", "count", "mean_ns", "median_ns", "p95_ns", "p99_ns", "max_ns", "fps", "low_1_fps", NULL };
	static const char *const over[] = { "time", "budget_ns", "over", "over_share", NULL };
	static const char *const limits[] = { "limit", "count", "share", "mean_ns", NULL };
	const struct tt_table *likely = table(p, "capture_frame_markers");

	heading(p, "frames", "Frame times", "Frames");
	if (p->f)
		strips(p);
	if (p->f && p->f->nof == 1 && tt_page_sorted(p->r, p->f, p->r->mem, p->out, p->err) != TT_OK)
		tt_buf_fail(p->out);
	timelines(p);
	put(p, "<div class=\"g\">\n");
	side_table(p, table(p, "frames"), &(struct tt_html_view){ .col = times, .to = timed_rows(table(p, "frames")) });
	side_table(p, table(p, "frame_budgets"), &(struct tt_html_view){ .col = over });
	side_table(p, table(p, "frame_limits"), &(struct tt_html_view){ .col = limits });
	side_table(p, likely, &(struct tt_html_view){ 0 });
	put(p, "</div>\n</section>\n");
}

/* The rows of ${t} from ${from} on that are of the frame in ${row} of ${worst}: both tables have the frames in the same order. */
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

/* ": 30.04 ms waiting for a lock": the cause of the frame in ${row} of ${worst}, if it is known. */
static void
put_cause(const struct page *p, const struct tt_table *worst, size_t row)
{
	const struct tt_table *t = table(p, "frame_causes");

	for (size_t i = 0; t && i < t->nrow; i++) {
		const struct tt_cell *class = tt_html_cell(t, i, "class"), *sentence = tt_html_cell(t, i, "sentence");

		if (tt_html_value(t, i, "frame") != tt_html_value(worst, row, "frame"))
			continue;
		if (class && sentence && strcmp(class->s, "unknown") != 0) {
			put(p, ": ");
			tt_html_prose(p->out, sentence->s);
		}
		return;
	}
}

/* A frame that is one of the worst by another thread's work, of which the markers are not in the table. */
static void
unlisted_frame(const struct page *p, const struct tt_table *worst, size_t row)
{
	put(p, "<p>Most self time: ");
	tt_html_figure(p->out, worst, row, "top");
	put(p, ". What its threads did: <code>");
	tt_html_text(p->out, p->o->stats);
	tt_buf_printf(p->out, "%lld</code></p>\n", (long long)tt_html_value(worst, row, "frame"));
}

static void
worst_frames(const struct page *p)
{
	static const char *const col[] = { "frame", "process", "dur_ns", "cpu_ns", "top", "alloc_bytes", "gc_pause_ns", "limit", "start_ns", NULL };
	const struct tt_table *worst = table(p, "hitches"), *markers = table(p, "hitch_markers");
	struct tt_html_view v = { 0 };

	if (!has_rows(worst))
		return;
	heading(p, "worst", "Worst frames", "Worst frames");
	tt_html_table(p->out, worst, &(struct tt_html_view){ .col = col, .link = "worst" });
	put(p, "<h3>What each did, most self time first</h3>\n");
	for (size_t row = 0; has_rows(markers) && row < worst->nrow; row++) {
		v = rows_of_frame(markers, v.to, worst, row);
		tt_buf_printf(p->out, "<details id=\"worst-%zu\"%s><summary>Frame ", row + 1, row ? "" : " open");
		tt_html_figure(p->out, worst, row, "frame");
		put(p, ", ");
		tt_html_figure(p->out, worst, row, "dur_ns");
		put_cause(p, worst, row);
		put(p, "</summary>\n");
		if (v.from < v.to)
			tt_html_table(p->out, markers, &v);
		else
			unlisted_frame(p, worst, row);
		put(p, "</details>\n");
	}
	put(p, "</section>\n");
}

/* --- where time and memory went ------------------------------------------------------ */

struct top { const char *id; const char *col[10]; };

static bool
is_there(const struct tt_table *t, const struct top *top)
{
	/* Rows are of classes, where there are some. */
	return has_rows(t) && (strcmp(top->col[0], "class") != 0 || has_classes(t));
}

/* Its columns, without classes where there are none. */
static void
columns_of(const struct tt_table *t, const struct top *top, const char **col)
{
	const bool classes = has_classes(t);

	for (size_t i = 0; i < sizeof top->col / sizeof *top->col && top->col[i]; i++)
		if (classes || strcmp(top->col[i], "class") != 0)
			*col++ = top->col[i];
	*col = NULL;
}

/* The first rows of those tables of ${top} that have some, ended by one without an id. */
static void
top_tables(const struct page *p, const struct top *top)
{
	put(p, "<div class=\"g\">\n");
	for (; top->id; top++) {
		const struct tt_table *t = table(p, top->id);
		const char *col[sizeof top->col / sizeof *top->col + 1];

		if (!is_there(t, top))
			continue;
		columns_of(t, top, col);
		put(p, "<div>\n");
		tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = FIRST, .of = t->nrow + t->hidden });
		all_rows(p, t);
		put(p, "</div>\n");
	}
	put(p, "</div>\n");
}

/* A section of them; nothing where none has rows. */
static void
tops(const struct page *p, const char *id, const char *title, const char *link, const struct top *top)
{
	bool any = false;

	for (const struct top *t = top; t->id; t++)
		any = any || is_there(table(p, t->id), t);
	if (!any)
		return;
	heading(p, id, title, link);
	top_tables(p, top);
	put(p, "</section>\n");
}

static const struct top time_tables[] = {
	{ "markers", { "marker", "category", "self_ns", "self_share", "total_ns", "count", "mean_ns", "p95_ns", "max_ns" } },
	{ "spanning_zones", { "marker", "thread", "from_frame", "to_frame", "total_ns", "count", "ended" } },
	{ "samples", { "marker", "category", "self", "self_share", "total", "total_share" } },
	{ "categories", { "category", "self_ns", "self_share", "frame_self_median_ns", "frame_self_p95_ns", "frame_self_max_ns" } },
	{ "threads", { "thread", "busy_ns", "busy_share", "waiting_ns", "stopped_ns", "calls", "allocs", "alloc_bytes" } },
	{ "contention_sites", { "marker", "waits", "wait_ns", "mean_ns", "max_ns", "share" } },
	{ "exception_sites", { "marker", "type", "count", "share", "caught" } },
	{ NULL, { NULL } },
};

static const struct top memory_tables[] = {
	{ "gcalloc", { "bytes", "count", "frame_median_bytes", "frame_max_bytes", "zero_frames_share", "collections", "pause_ns", "pause_max_ns",
	    "heap_max_bytes" } },
	{ "alloc_sites", { "marker", "class", "bytes", "share", "count", "mean_bytes" } },
	{ "alloc_classes", { "class", "bytes", "share", "count", "mean_bytes" } },
	{ "heapshot_classes", { "class", "bytes", "share", "objects" } },
	{ NULL, { NULL } },
};

/* --- counters and the heap ------------------------------------------------------------- */

/* Lines of the counters that change, as many as fit, and the first rows of their table. */
static void
counters(const struct page *p)
{
	static const char *const col[] = { "counter", "section", "unit", "min", "mean", "max", "last", "count", NULL };
	const struct tt_table *t = table(p, "counters");
	size_t most = p->o->max_size && p->o->max_size / PER_LINE < LINES ? (size_t)(p->o->max_size / PER_LINE) : LINES, left;

	if (!has_rows(t))
		return;
	heading(p, "counters", "Counters", "Counters");
	if (tt_lines_counters(p->view, p->r, most, &left, p->out, p->err) != TT_OK)
		return;
	if (p->f && p->f->some_looked) {
		put(p, "<p>Lines have the values in ");
		tt_html_count(p->out, (uint64_t)tt_column_at(&p->f->looked, p->f->n));
		put(p, " frames: evenly spaced ones and the longest.</p>\n");
	}
	if (left) {
		put(p, "<p>");
		tt_html_count(p->out, left);
		put(p, left == 1 ? " more counter changes, and is in the table alone.</p>\n" : " more counters change, and are in the table alone.</p>\n");
	}
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = FIRST, .of = t->nrow + t->hidden });
	all_rows(p, t);
	put(p, "</section>\n");
}

static const struct top heap_tables[] = {
	{ "gc_generations", { "generation", "count", "total_ns", "mean_ns", "max_ns" } },
	{ "heapshots", { "shot", "time_ns", "objects", "bytes", "classes", "d_objects", "d_bytes" } },
	{ "heapshot_growth", { "class", "d_bytes", "d_objects", "first_bytes", "last_bytes" } },
	{ NULL, { NULL } },
};

/* Its size over time, and what grows in its shots. */
static void
heap(const struct page *p)
{
	size_t begin = p->out->n;
	bool shots = has_rows(table(p, "heapshots"));

	heading(p, "heap", "Heap", "Heap");
	size_t chart = p->out->n;
	if (tt_lines_heap(p->view, p->r, p->out, p->err) != TT_OK || (p->out->n == chart && !shots)) {
		drop_section(p, begin);
		return;
	}
	top_tables(p, heap_tables);
	put(p, "</section>\n");
}

/* --- the end ------------------------------------------------------------------------- */

static void
provenance(const struct page *p)
{
	heading(p, "source", "Where this comes from", "Source");
	if (table(p, "capture"))
		tt_html_table(p->out, table(p, "capture"), &(struct tt_html_view){ 0 });
	if (has_rows(table(p, "capture_meta")))
		tt_html_table(p->out, table(p, "capture_meta"), &(struct tt_html_view){ .to = FIRST });
	put(p, "<p>Made by ");
	tt_html_text(p->out, p->o->generator);
	put(p, ". Every figure is defined in tracetool-metrics(7) and tracetool-tables(7).</p>\n</section>\n");
}

static bool
has_fact(const struct page *p, const char *key)
{
	const struct tt_table *t = table(p, "capture_meta");

	for (size_t i = 0; t && i < t->nrow; i++) {
		const struct tt_cell *c = tt_html_cell(t, i, "key");

		if (c && strcmp(c->s, key) == 0)
			return true;
	}
	return false;
}

/* Explain the columns of the first screen that are met before any table, or without a pointer; then the words of the caller. */
static void
words(const struct page *p)
{
	static const struct { const char *table, *column; } of[] = { { "causes", "extra_ns" }, { "frames", "low_1_fps" }, { "frames", "fps" },
		{ "hitches", "engine_frame" }, { "capture_frame_markers", "spread" }, { "capture_frame_markers", "share" } };

	if (!p->o->words)
		return;
	heading(p, "words", "Words", "Words");
	put(p, "<dl>\n");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct tt_table *t = table(p, of[i].table);
		const size_t c = t ? tt_html_column(t, of[i].column) : SIZE_MAX;

		if (c == SIZE_MAX || tt_column_empty(t, c))
			continue;
		tt_buf_printf(p->out, "<div><dt>%s%s</dt><dd>%s</dd></div>\n", t->col[c].title, tt_column_suffix(t->col[c].unit), t->col[c].help);
	}
	for (const struct tt_page_word *w = p->o->words; w->name; w++) {
		if ((w->where == TT_PAGE_FACT && !has_fact(p, w->name)) || (w->where == TT_PAGE_CAPPED && !tt_page_capped(table(p, "frame_budgets"))))
			continue;
		put(p, "<div><dt>");
		tt_html_text(p->out, w->name);
		put(p, "</dt><dd>");
		tt_html_text(p->out, w->text);
		put(p, "</dd></div>\n");
	}
	put(p, "</dl>\n</section>\n");
}

/* The command that prints all rows of ${t}. */
static void
put_command(const struct page *p, const struct tt_table *t)
{
	put(p, "<code>");
	tt_buf_printf(p->out, "%s %s %s ", tt_setting_name[TT_SETTING_TABLE], t->id, tt_setting_name[TT_SETTING_ALL_ROWS]);
	tt_html_text(p->out, p->o->arguments);
	put(p, "</code>");
}

/* Every table with at most ${rows} rows. Returns how many are cut. */
static size_t
whole_tables(const struct page *p, size_t rows)
{
	size_t cut = 0;

	tt_html_section(p->out, "tables", "All tables");
	for (const struct tt_table *t = p->r->first; t; t = t->next) {
		size_t all = t->nrow + t->hidden, some = t->facts || t->whole || t->nrow < rows ? t->nrow : rows;

		if (!has_rows(t))
			continue;
		tt_buf_printf(p->out, "<details id=\"t-%s\"><summary>%s", t->id, t->title);
		if (!t->facts) {
			put(p, ", ");
			tt_html_count(p->out, all);
			put(p, all == 1 ? " row" : " rows");
		}
		put(p, "</summary>\n");
		tt_html_table(p->out, t, &(struct tt_html_view){ .to = some, .of = all });
		if (some < all) {
			cut++;
			put(p, "<p>");
			tt_html_count(p->out, all - some);
			put(p, " more rows are left out of this page: ");
			put_command(p, t);
			put(p, "</p>\n");
		}
		put(p, "</details>\n");
	}
	put(p, "</section>\n");
	return cut;
}

/* "game.ttc, Game.exe, 2026-11-27 11:05:30 UTC": so that of several windows each is known. Facts that were not recorded are left out. */
static void
title(const struct page *p, struct tt_buf *to)
{
	static const char *const of[] = { "args", "started", NULL };

	tt_buf_text(to, p->o->name);
	for (size_t i = 0; of[i] && p->view->m->ncap == 1; i++) {
		const struct tt_cell *c = tt_html_cell(table(p, "capture"), 0, of[i]);

		if (c && !c->empty)
			tt_buf_printf(to, ", %s", c->s);
	}
}

static void
first_screen(const struct page *p)
{
	put(p, "<header>\n<h1>");
	tt_html_text(p->out, p->o->name);
	put(p, "</h1>\n</header>\n<nav aria-label=\"Sections\">");
	p->contents->at = p->out->n;
	put(p, "</nav>\n<main>\n");
	verdict(p);
	causes(p);
	losses(p);
	frames(p);
	worst_frames(p);
	tops(p, "time", "Where the time goes", "Time", time_tables);
	tops(p, "memory", "Where memory goes", "Memory", memory_tables);
	heap(p);
	counters(p);
	provenance(p);
	words(p);
}

/* The colour of a category: the capture's, or its producer's usual one; 0: it has none. */
static uint32_t
color_of_category(const struct tt_model *m, const struct tt_category *c)
{
	uint32_t rgba = c->rgba;

	for (size_t i = 0; i < m->ncap && !rgba; i++)
		rgba = m->cap[i]->category_rgba ? m->cap[i]->category_rgba(c->name) : 0;
	return rgba;
}

/* {category: colour as #rrggbb} of those that have one, for page scripts. */
static int
put_colors(const struct page *p)
{
	const struct tt_model *m = p->view->m;
	struct tt_buf text = { 0 };
	struct tt_json j = { .out = &text };
	char color[8];
	bool some = false;

	tt_json_open(&j, NULL, "{");
	for (size_t i = 0; i < m->ncategory; i++) {
		const uint32_t rgba = color_of_category(m, &m->category[i]);

		if (!rgba)
			continue;
		some = true;
		snprintf(color, sizeof color, "#%06x", rgba >> 8);
		tt_json_text(&j, m->category[i].name, color);
	}
	tt_json_close(&j, "}");
	if (some) {
		tt_buf_text(p->out, "<script type=\"application/x-tracetool\" data-colors=\"");
		tt_html_text(p->out, tt_buf_string(&text));
		tt_buf_text(p->out, "\"></script>\n");
	}
	const int rc = tt_buf_error(&text, p->err);

	tt_buf_free(&text);
	return rc;
}

/* The call tree as flame graphs, for page scripts. */
static int
put_flames(const struct page *p)
{
	const struct tt_page_opts *o = p->o;
	const size_t most = o->max_size && o->max_size / PER_BOX < BOXES ? (size_t)(o->max_size / PER_BOX) : BOXES;
	struct tt_flame flame;
	int rc = tt_flame_init(&flame, p->view, most, p->err);

	TT_THEN(rc, tt_flame_put(&flame, p->view, "flame", o->tree, p->out, p->err));
	tt_flame_free(&flame);
	if (rc == TT_OK && has_rows(table(p, "samples"))) {
		rc = tt_flame_sampled(&flame, p->view, most / 2, p->err);
		TT_THEN(rc, tt_flame_put(&flame, p->view, "samples", o->samples, p->out, p->err));
		tt_flame_free(&flame);
	}
	return rc;
}

/* The data that page scripts need of frames. A second thread makes it, where there is one, while the first writes all else: both only read what they share. */
struct data {
	struct page p;                /* with an output and a view of its own */
	struct tt_aside aside;
	struct tt_buf out;
	struct tt_report texts;       /* that it makes on the way */
	struct tt_err err;
};

static int
put_frames(const struct page *p, struct tt_report *texts)
{
	const struct tt_page_opts *o = p->o;
	const struct tt_frame_data by_frame = { .details = o->details, .ranges = o->max_size / 5, .of_marker = o->frame_markers, .of_frames = o->stats,
		.markers = o->max_size && o->max_size / PER_MARKER < MARKERS ? (size_t)(o->max_size / PER_MARKER) : MARKERS };
	int rc = tt_frame_data_put(&by_frame, p->view, p->r, p->out, p->err);

	if (rc == TT_OK)
		rc = tt_facts_put(o->details, p->view, texts, o->max_size ? (size_t)(o->max_size / PER_FRAME) : SIZE_MAX, p->out, p->err);
	TT_THEN(rc, tt_details_put(o->details, p->view, o->stats, p->out, p->err));
	TT_THEN(rc, tt_report_error(texts, p->err));
	return rc == TT_OK ? tt_buf_error(p->out, p->err) : rc;
}

static void
make_data(void *data)
{
	struct data *d = data;

	put_frames(&d->p, &d->texts);
}

static void
begin_data(struct data *d, const struct page *p)
{
	struct tt_views *beside = p->o->beside;

	*d = (struct data){ .p = *p, .err.at = TT_NOWHERE };
	d->p.out = &d->out;
	d->p.err = &d->err;
	d->p.view = beside ? beside : p->view;
	tt_report_init(&d->texts, &p->view->m->env->mem);
	if (p->o->details)
		tt_aside_begin(&d->aside, !beside, make_data, d);
}

/* The data go to the end of the page. */
static void
end_data(struct data *d, const struct page *p)
{
	tt_aside_end(&d->aside);
	tt_buf_add(p->out, d->out.p, d->out.n);
	tt_buf_free(&d->out);
	tt_report_free(&d->texts);
	if (p->err->code == TT_OK)
		*p->err = d->err;
}

/* The first screen, data, and of all tables as many rows as fit. */
static void
put_all(struct page *p, struct tt_page_cut *cut, size_t begin, size_t end)
{
	const struct tt_page_opts *o = p->o;
	struct tt_buf rows = { 0 };
	struct page tables = *p;
	struct data data;

	begin_data(&data, p);
	first_screen(p);
	p->contents->of[p->contents->n].id = "tables";
	p->contents->of[p->contents->n++].link = "All tables";
	put_contents(p);
	if (o->details && p->err->code == TT_OK && put_colors(p) == TT_OK)
		put_flames(p);
	tables.out = &rows;
	cut->rows = TT_PAGE_ROWS;
	cut->tables = whole_tables(&tables, cut->rows);
	end_data(&data, p);
	/* Halved until they do: the same input always gives the same page. */
	while (o->max_size && p->out->n - begin + rows.n + end > o->max_size && cut->rows > 1 && !rows.failed) {
		cut->rows /= 2;
		rows.n = 0;
		cut->tables = whole_tables(&tables, cut->rows);
	}
	tt_buf_add(p->out, rows.p, rows.n);
	if (rows.failed)
		tt_buf_fail(p->out);
	tt_buf_free(&rows);
}

int
tt_page_write(struct tt_report *r, struct tt_views *view, const struct tt_page_opts *o, struct tt_page_cut *cut,
    struct tt_buf *out, struct tt_err *err)
{
	struct contents contents = { 0 };
	struct page p = { .contents = &contents, .r = r, .view = view, .err = err, .o = o, .out = out };
	const size_t begin = out->n;
	struct tt_buf end = { 0 }, name = { 0 };

	if (tt_report_error(r, err) != TT_OK)
		return err->code;
	if (view->m->frames && view->m->frames->n) {
		p.f = view->m->frames;
		p.times = tt_view_frames(view, TT_FRAME_WALL, err);
		if (!p.times)
			return err->code;
	}
	title(&p, &name);
	tt_html_open(out, tt_buf_string(&name), o->details ? TT_HTML_VIEW : TT_HTML_ALONE);
	if (name.failed)
		tt_buf_fail(out);
	tt_buf_free(&name);
	tt_buf_text(&end, "</main>\n");
	tt_html_close(&end, o->details ? TT_HTML_VIEW : TT_HTML_ALONE);
	put_all(&p, cut, begin, end.n);
	if (end.failed)
		tt_buf_fail(out);
	tt_buf_add(out, end.p, end.n);
	tt_buf_free(&end);
	if (err->code != TT_OK)
		return err->code;
	return tt_report_error(r, err) == TT_OK ? tt_buf_error(out, err) : err->code;     /* texts made for the page are the report's */
}
