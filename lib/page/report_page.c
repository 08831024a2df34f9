/**
 * Writes the report page: its sections in order, where time and memory went, and the data for its scripts.
 */
#include "page/report_sections.h"

#include <stdio.h>
#include <string.h>

#include "base/task.h"
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
#include "page/line_charts.h"
#include "sys/sys.h"
#include "view/view.h"

/* Numbers of flame graph boxes, markers over the frames, lines of counters, and figures of frames; PER_*: the bytes of page for each. */
enum { BOXES = 5000, PER_BOX = 400, MARKERS = 64, PER_MARKER = 32768,
	LINES = 12, PER_LINE = 65536, PER_FRAME = 512 };

bool
tt_page_has_rows(const struct tt_table *t)
{
	for (size_t i = 0; t && i < t->nrow * t->ncol; i++)
		if (!t->cell[i].empty)
			return true;
	return false;
}

bool
tt_page_has_class(const struct tt_table *t, size_t row)
{
	const struct tt_cell *c = tt_html_cell(t, row, "class");

	return c && strcmp(c->s, TT_NO_CLASS) != 0;
}

bool
tt_page_has_classes(const struct tt_table *t)
{
	for (size_t i = 0; i < t->nrow; i++)
		if (tt_page_has_class(t, i))
			return true;
	return false;
}

/* The file name of input ${i}, without its folder. */
static const char *
name_of(const struct tt_page *p, size_t i)
{
	return tt_sys_base_name(p->view->m->cap[i]->path);
}

const char *
tt_page_file_of(const struct tt_page *p, size_t i)
{
	const struct tt_cell *path = tt_html_cell(tt_page_table(p, "capture"), i, "path");

	for (size_t k = 0; path && k < p->view->m->ncap; k++)
		if (k != i && strcmp(name_of(p, k), name_of(p, i)) == 0)
			return path->s;
	return name_of(p, i);
}

void
tt_page_heading(const struct tt_page *p, const char *id, const char *title, const char *link)
{
	struct tt_page_contents *c = p->contents;

	if (c->n + 1 < sizeof c->of / sizeof *c->of) {
		c->of[c->n].id = id;
		c->of[c->n++].link = link;
	}
	tt_html_section(p->out, id, title);
}

/* Remove the section that was begun last, which turned out to be empty. */
static void
drop_section(const struct tt_page *p, size_t begin)
{
	p->contents->n--;
	p->out->n = begin;
}

void
tt_page_all_rows(const struct tt_page *p, const struct tt_table *t)
{
	if (t->nrow <= TT_PAGE_FIRST_ROWS && !t->hidden)
		return;
	tt_buf_printf(p->out, "<p class=\"to\"><a href=\"#t-%s\">All ", t->id);
	tt_html_count(p->out, t->nrow + t->hidden);
	tt_page_put(p, " rows</a></p>\n");
}

/* The group of a section in the navigation: 0 what is wrong, 1 where time and memory go, 2 reference. */
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

/* Insert the links to all sections, grouped, at the position reserved for them. */
static void
put_contents(const struct tt_page *p)
{
	const struct tt_page_contents *c = p->contents;
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

/* --- where time and memory went ------------------------------------------------------ */

struct top { const char *id; const char *col[10]; };

static bool
is_there(const struct tt_table *t, const struct top *top)
{
	/* For tables of classes, only if some class is known. */
	return tt_page_has_rows(t) && (strcmp(top->col[0], "class") != 0 || tt_page_has_classes(t));
}

/* Get the columns of ${top}; without the class if no class is known. */
static void
columns_of(const struct tt_table *t, const struct top *top, const char **col)
{
	const bool classes = tt_page_has_classes(t);

	for (size_t i = 0; i < sizeof top->col / sizeof *top->col && top->col[i]; i++)
		if (classes || strcmp(top->col[i], "class") != 0)
			*col++ = top->col[i];
	*col = NULL;
}

/* Write the first rows of each table in ${top} that has rows; the list ends with an entry without an id. */
static void
top_tables(const struct tt_page *p, const struct top *top)
{
	tt_page_put(p, "<div class=\"g\">\n");
	for (; top->id; top++) {
		const struct tt_table *t = tt_page_table(p, top->id);
		const char *col[sizeof top->col / sizeof *top->col + 1];

		if (!is_there(t, top))
			continue;
		columns_of(t, top, col);
		tt_page_put(p, "<div>\n");
		tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = TT_PAGE_FIRST_ROWS, .of = t->nrow + t->hidden });
		tt_page_all_rows(p, t);
		tt_page_put(p, "</div>\n");
	}
	tt_page_put(p, "</div>\n");
}

/* Write a section with these tables; nothing if none has rows. */
static void
tops(const struct tt_page *p, const char *id, const char *title, const char *link, const struct top *top)
{
	bool any = false;

	for (const struct top *t = top; t->id; t++)
		any = any || is_there(tt_page_table(p, t->id), t);
	if (!any)
		return;
	tt_page_heading(p, id, title, link);
	top_tables(p, top);
	tt_page_put(p, "</section>\n");
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

/* Write charts of changing counters, until the limit of the page's size, and the first rows of their table. */
static void
counters(const struct tt_page *p)
{
	static const char *const col[] = { "counter", "section", "unit", "min", "mean", "max", "last", "count", NULL };
	const struct tt_table *t = tt_page_table(p, "counters");
	size_t most = p->o->max_size && p->o->max_size / PER_LINE < LINES ? (size_t)(p->o->max_size / PER_LINE) : LINES, left;

	if (!tt_page_has_rows(t))
		return;
	tt_page_heading(p, "counters", "Counters", "Counters");
	if (tt_lines_counters(p->view, p->r, most, &left, p->out, p->err) != TT_OK)
		return;
	if (p->f && p->f->is_part_examined) {
		tt_page_put(p, "<p>Lines have the values in ");
		tt_html_count(p->out, (uint64_t)tt_column_at(&p->f->nexamined_before, p->f->n));
		tt_page_put(p, " frames: evenly spaced ones and the longest.</p>\n");
	}
	if (left) {
		tt_page_put(p, "<p>");
		tt_html_count(p->out, left);
		tt_page_put(p, left == 1 ? " more counter changes, and is in the table alone.</p>\n" :
		    " more counters change, and are in the table alone.</p>\n");
	}
	tt_html_table(p->out, t, &(struct tt_html_view){ .col = col, .to = TT_PAGE_FIRST_ROWS, .of = t->nrow + t->hidden });
	tt_page_all_rows(p, t);
	tt_page_put(p, "</section>\n");
}

static const struct top heap_tables[] = {
	{ "gc_generations", { "generation", "count", "total_ns", "mean_ns", "max_ns" } },
	{ "heapshots", { "shot", "time_ns", "objects", "bytes", "classes", "d_objects", "d_bytes" } },
	{ "heapshot_growth", { "class", "d_bytes", "d_objects", "first_bytes", "last_bytes" } },
	{ NULL, { NULL } },
};

/* Write the heap's size over time, and the classes that grow in its shots. */
static void
heap(const struct tt_page *p)
{
	size_t begin = p->out->n;
	bool shots = tt_page_has_rows(tt_page_table(p, "heapshots"));

	tt_page_heading(p, "heap", "Heap", "Heap");
	size_t chart = p->out->n;
	if (tt_lines_heap(p->view, p->r, p->out, p->err) != TT_OK || (p->out->n == chart && !shots)) {
		drop_section(p, begin);
		return;
	}
	top_tables(p, heap_tables);
	tt_page_put(p, "</section>\n");
}

/* --- the end ------------------------------------------------------------------------- */

static void
provenance(const struct tt_page *p)
{
	tt_page_heading(p, "source", "Where this comes from", "Source");
	if (tt_page_table(p, "capture"))
		tt_html_table(p->out, tt_page_table(p, "capture"), &(struct tt_html_view){ 0 });
	if (tt_page_has_rows(tt_page_table(p, "capture_meta")))
		tt_html_table(p->out, tt_page_table(p, "capture_meta"), &(struct tt_html_view){ .to = TT_PAGE_FIRST_ROWS });
	tt_page_put(p, "<p>Made by ");
	tt_html_text(p->out, p->o->generator);
	tt_page_put(p, ". Every figure is defined in tracetool-metrics(7) and tracetool-tables(7).</p>\n</section>\n");
}

static bool
has_fact(const struct tt_page *p, const char *key)
{
	const struct tt_table *t = tt_page_table(p, "capture_meta");

	for (size_t i = 0; t && i < t->nrow; i++) {
		const struct tt_cell *c = tt_html_cell(t, i, "key");

		if (c && strcmp(c->s, key) == 0)
			return true;
	}
	return false;
}

/* Explain the columns on the first screen that are seen before any table, or without a pointer; then the caller's words. */
static void
words(const struct tt_page *p)
{
	static const struct { const char *table, *column; } of[] = { { "causes", "extra_ns" }, { "frames", "low_1_fps" }, { "frames", "fps" },
		{ "hitches", "engine_frame" }, { "capture_frame_markers", "spread" }, { "capture_frame_markers", "share" } };

	if (!p->o->words)
		return;
	tt_page_heading(p, "words", "Words", "Words");
	tt_page_put(p, "<dl>\n");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct tt_table *t = tt_page_table(p, of[i].table);
		const size_t c = t ? tt_html_column(t, of[i].column) : SIZE_MAX;

		if (c == SIZE_MAX || tt_column_empty(t, c))
			continue;
		tt_buf_printf(p->out, "<div><dt>%s%s</dt><dd>%s</dd></div>\n", t->col[c].title, tt_column_suffix(t->col[c].unit), t->col[c].help);
	}
	for (const struct tt_page_word *w = p->o->words; w->name; w++) {
		if ((w->condition == TT_PAGE_FACT && !has_fact(p, w->name)) || (w->condition == TT_PAGE_CAPPED &&
		    !tt_page_capped(tt_page_table(p, "frame_budgets"))))
			continue;
		tt_page_put(p, "<div><dt>");
		tt_html_text(p->out, w->name);
		tt_page_put(p, "</dt><dd>");
		tt_html_text(p->out, w->text);
		tt_page_put(p, "</dd></div>\n");
	}
	tt_page_put(p, "</dl>\n</section>\n");
}

/* Write the command that prints all rows of ${t}. */
static void
put_command(const struct tt_page *p, const struct tt_table *t)
{
	tt_page_put(p, "<code>");
	tt_buf_printf(p->out, "%s %s %s ", tt_setting_name[TT_SETTING_TABLE], t->id, tt_setting_name[TT_SETTING_ALL_ROWS]);
	tt_html_text(p->out, p->o->arguments);
	tt_page_put(p, "</code>");
}

/* Write every table with at most ${rows} rows. Return the number of tables that were cut. */
static size_t
whole_tables(const struct tt_page *p, size_t rows)
{
	size_t cut = 0;

	tt_html_section(p->out, "tables", "All tables");
	for (const struct tt_table *t = p->r->first; t; t = t->next) {
		size_t all = t->nrow + t->hidden, some = t->facts || t->whole || t->nrow < rows ? t->nrow : rows;

		if (!tt_page_has_rows(t))
			continue;
		tt_buf_printf(p->out, "<details id=\"t-%s\"><summary>%s", t->id, t->title);
		if (!t->facts) {
			tt_page_put(p, ", ");
			tt_html_count(p->out, all);
			tt_page_put(p, all == 1 ? " row" : " rows");
		}
		tt_page_put(p, "</summary>\n");
		tt_html_table(p->out, t, &(struct tt_html_view){ .to = some, .of = all });
		if (some < all) {
			cut++;
			tt_page_put(p, "<p>");
			tt_html_count(p->out, all - some);
			tt_page_put(p, " more rows are left out of this page: ");
			put_command(p, t);
			tt_page_put(p, "</p>\n");
		}
		tt_page_put(p, "</details>\n");
	}
	tt_page_put(p, "</section>\n");
	return cut;
}

/* Write the title, "game.ttc, Game.exe, 2026-11-27 11:05:30 UTC", so that several windows can be told apart. Facts that were not recorded are left out. */
static void
title(const struct tt_page *p, struct tt_buf *to)
{
	static const char *const of[] = { "args", "started", NULL };

	tt_buf_text(to, p->o->name);
	for (size_t i = 0; of[i] && p->view->m->ncap == 1; i++) {
		const struct tt_cell *c = tt_html_cell(tt_page_table(p, "capture"), 0, of[i]);

		if (c && !c->empty)
			tt_buf_printf(to, ", %s", c->s);
	}
}

static void
first_screen(const struct tt_page *p)
{
	tt_page_put(p, "<header>\n<h1>");
	tt_html_text(p->out, p->o->name);
	tt_page_put(p, "</h1>\n</header>\n<nav aria-label=\"Sections\">");
	p->contents->at = p->out->n;
	tt_page_put(p, "</nav>\n<main>\n");
	tt_page_verdict(p);
	tt_page_causes(p);
	tt_page_losses(p);
	tt_page_frame_times(p);
	tt_page_worst_frames(p);
	tops(p, "time", "Where the time goes", "Time", time_tables);
	tops(p, "memory", "Where memory goes", "Memory", memory_tables);
	heap(p);
	counters(p);
	provenance(p);
	words(p);
}

/* The colour of a category: the capture's, or the producer's usual one; 0: none. */
static uint32_t
color_of_category(const struct tt_model *m, const struct tt_category *c)
{
	uint32_t rgba = c->rgba;

	for (size_t i = 0; i < m->ncap && !rgba; i++)
		rgba = m->cap[i]->category_rgba ? m->cap[i]->category_rgba(c->name) : 0;
	return rgba;
}

/* Write {category: colour as #rrggbb} for page scripts, for categories that have a colour. */
static int
put_colors(const struct tt_page *p)
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

/* Write the call tree as flame graphs for page scripts. */
static int
put_flames(const struct tt_page *p)
{
	const struct tt_page_opts *o = p->o;
	const size_t most = o->max_size && o->max_size / PER_BOX < BOXES ? (size_t)(o->max_size / PER_BOX) : BOXES;
	struct tt_flame flame;
	int rc = tt_flame_init(&flame, p->view, most, p->err);

	TT_THEN(rc, tt_flame_put(&flame, p->view, "flame", o->tree_command, p->out, p->err));
	tt_flame_free(&flame);
	if (rc == TT_OK && tt_page_has_rows(tt_page_table(p, "samples"))) {
		rc = tt_flame_sampled(&flame, p->view, most / 2, p->err);
		TT_THEN(rc, tt_flame_put(&flame, p->view, "samples", o->samples_command, p->out, p->err));
		tt_flame_free(&flame);
	}
	return rc;
}

/* The data about frames for page scripts. If possible, a second thread makes it while the first writes everything else: both only read what they share. */
struct data {
	struct tt_page p;                /* the page, with an output and a view of its own */
	struct tt_task aside;
	struct tt_buf out;
	struct tt_report texts;       /* texts made by that thread */
	struct tt_err err;
};

static int
put_frames(const struct tt_page *p, struct tt_report *texts)
{
	const struct tt_page_opts *o = p->o;
	const struct tt_frame_data by_frame = { .details = o->details, .max_range_bytes = o->max_size / 5, .marker_command = o->frame_markers_command,
	    .frames_command = o->stats_command,
		.max_markers = o->max_size && o->max_size / PER_MARKER < MARKERS ? (size_t)(o->max_size / PER_MARKER) : MARKERS };
	int rc = tt_frame_data_put(&by_frame, p->view, p->r, p->out, p->err);

	TT_THEN(rc, tt_facts_put(o->details, p->view, texts, o->max_size ? (size_t)(o->max_size / PER_FRAME) : SIZE_MAX, p->out, p->err));
	TT_THEN(rc, tt_details_put(o->details, p->view, o->stats_command, p->out, p->err));
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
begin_data(struct data *d, const struct tt_page *p)
{
	struct tt_views *beside = p->o->second_view;

	*d = (struct data){ .p = *p, .err.at = TT_NOWHERE };
	d->p.out = &d->out;
	d->p.err = &d->err;
	d->p.view = beside ? beside : p->view;
	tt_report_init(&d->texts, &p->view->m->env->mem);
	if (p->o->details)
		tt_task_begin(&d->aside, !beside, make_data, d);
}

/* Append the data to the end of the page. */
static void
end_data(struct data *d, const struct tt_page *p)
{
	tt_task_wait(&d->aside);
	tt_buf_add(p->out, d->out.p, d->out.n);
	tt_buf_free(&d->out);
	tt_report_free(&d->texts);
	if (p->err->code == TT_OK)
		*p->err = d->err;
}

/* Write the first screen, the data, and as many rows of all tables as fit. */
static void
put_all(struct tt_page *p, struct tt_page_cut *cut, size_t begin, size_t end)
{
	const struct tt_page_opts *o = p->o;
	struct tt_buf rows = { 0 };
	struct tt_page tables = *p;
	struct data data;

	begin_data(&data, p);
	first_screen(p);
	p->contents->of[p->contents->n].id = "tables";
	p->contents->of[p->contents->n++].link = "All tables";
	put_contents(p);
	if (o->details && p->err->code == TT_OK && put_colors(p) == TT_OK)
		put_flames(p);
	tables.out = &rows;
	cut->max_rows = TT_PAGE_ROWS;
	cut->ntables = whole_tables(&tables, cut->max_rows);
	end_data(&data, p);
	/* Halve the number of rows until the page fits: the same input always gives the same page. */
	while (o->max_size && p->out->n - begin + rows.n + end > o->max_size && cut->max_rows > 1 && !rows.failed) {
		cut->max_rows /= 2;
		rows.n = 0;
		cut->ntables = whole_tables(&tables, cut->max_rows);
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
	struct tt_page_contents contents = { 0 };
	struct tt_page p = { .contents = &contents, .r = r, .view = view, .err = err, .o = o, .out = out };
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
	return tt_report_error(r, err) == TT_OK ? tt_buf_error(out, err) : err->code;     /* the report owns texts made for the page */
}
