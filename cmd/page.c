/**
 * tracetool report: writes one HTML file about captures, read as by "tracetool stats"; lib/page makes the page.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/aside.h"
#include "cmd.h"
#include "emit/emit.h"
#include "input.h"
#include "io/sink.h"
#include "model/glossary.h"
#include "out/redact.h"
#include "page/details.h"
#include "page/page.h"
#include "pass/largest.h"
#include "pass/overview.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "report.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"
#include "view/view.h"
#include "why/causes.h"

#define DEFAULT_SIZE ((uint64_t)2 << 20)
#define FIRST_SCREEN ((uint64_t)128 << 10)    /* bytes of a page above its tables, and of its script */
#define VIEWS_FROM ((uint64_t)256 << 10)      /* a page limited to less has no views of frames and of the call tree */

/* Tables that say what the captures are. */
static const char *const about[] = { "capture", "capture_meta", "capture_frame_markers", NULL };

/* Tables that stats makes only on request: why frames are long, and what happened in the worst ones. */
static const char *const asked[] = { "causes", "frame_causes", "hitch_markers", NULL };

/* Words of the page, as the glossary has them. */
static const struct { const char *name; unsigned where; } explained[] = {
	{ "typical frame", TT_PAGE_ALWAYS }, { "hitch", TT_PAGE_ALWAYS }, { "CPU-active time, CPU-active", TT_PAGE_ALWAYS },
	{ "capped frames, capped", TT_PAGE_CAPPED }, { "uncapped time, uncapped", TT_PAGE_CAPPED }, { "zone", TT_PAGE_ALWAYS },
	{ "in zones", TT_PAGE_ALWAYS }, { "self time, self", TT_PAGE_ALWAYS }, { "total time, total", TT_PAGE_ALWAYS }, { "of frame", TT_PAGE_ALWAYS },
	{ "in the median frame, total in median frame", TT_PAGE_ALWAYS },
	{ "allocated", TT_PAGE_ALWAYS }, { "beyond median", TT_PAGE_ALWAYS }, { "began before", TT_PAGE_ALWAYS },
	{ "(outside recorded calls)", TT_PAGE_ALWAYS }, { "site", TT_PAGE_ALWAYS }, { "chunk", TT_PAGE_ALWAYS },
	{ "layout", TT_PAGE_FACT }, { "platform", TT_PAGE_FACT },
};

struct page_opts {
	struct input_opts in;
	const char *output;
	bool is_named_here;           /* the name of the output was not given */
	uint64_t max_size;
	struct opt_given given;
	bool redact;
	int svg;                      /* index of a picture_name() + 1; 0: a page */
	struct tt_pass_opts pass;
};

#define AT(f) offsetof(struct page_opts, f)

/* Names of the pictures: those of one side, then that of a comparison. */
static const char *
picture_name(size_t i)
{
	return tt_picture_name(i) ? tt_picture_name(i) : i > 0 && tt_picture_name(i - 1) ? "diff" : NULL;
}

static bool
is_of_two_sides(const struct page_opts *o)
{
	return o->svg && !tt_picture_name((size_t)o->svg - 1);
}

static int
opt_picture(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = opt_choice(o, field, value, a, err);

	*(int *)field += rc == TT_OK;
	return rc;
}

static const struct opt page_opt[] = {
	{ .letter = 'o', .name = "output", .once = true, .arg = "FILE", .set = opt_text, .at = AT(output),
	    .help = "write the page to FILE, \"-\": standard output; default: NAME.html beside the only capture; "
	            "a suffix .gz .xz .zst .bz2 .lz4 compresses it" },
	{ .name = "svg", .arg = "WHAT", .set = opt_picture, .at = AT(svg), .value = picture_name,
	    .help = "write a picture (SVG) instead of a page: the chart of frames, or the call tree as a flame graph; diff: that of A... -- B..." },
	{ .name = "redact", .set = opt_flag, .at = AT(redact),
	    .help = "leave out paths, the host, its users, and the command line of what was recorded" },
	{ .name = "hitches", .arg = "N", .set = opt_count, .at = AT(pass.hitches), .lo = 1, .hi = 1000,
	    .help = "show the N worst frames; default 10" },
	{ .name = "max-size", .arg = "SIZE", .set = opt_size, .at = AT(max_size),
	    .help = "leave rows out of tables until the page has at most SIZE, 0: any; default 2M" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Page", page_opt, 0 },
	INPUT_GROUPS(struct page_opts, in),
	{ NULL, NULL, 0 },
};

const struct verb verb_report = {
	.name = "report",
	.summary = "write one HTML page: verdict, frames, worst frames, time and memory",
	.operands = "FILE...",
	.about = "Write what captures show as one HTML file that any browser opens offline: whether frames hold 60 and 30 fps, what "
		 "was lost, a chart of all frames, the worst frames and what they did, and where time and memory go. The page loads "
		 "nothing and is complete without scripts.",
	.examples = "  tracetool report game.ttc\n"
		    "  tracetool report game.mlpd --frame-marker 'Game:Update' -o game.html\n"
		    "  tracetool report game.ttc --svg flame -o flame.svg\n"
		    "  tracetool report --svg diff before.ttc -- after.ttc -o diff.svg\n"
		    "  tracetool report run1.ttc run2.ttc --max-size 500k -o runs.html.gz\n",
	.group = groups,
	.operand_at = offsetof(struct page_opts, in.path),
	.given_at = offsetof(struct page_opts, given),
};

static bool
is_asked(const char *id)
{
	for (size_t i = 0; asked[i]; i++)
		if (strcmp(asked[i], id) == 0)
			return true;
	return false;
}

/* True for the tables that stats makes by default, and those in asked. */
static bool
wants(const struct tt_pass *p, const struct tt_pass_table *t)
{
	return (p->standard && !t->extra) || is_asked(t->id);
}

static unsigned
needs(void)
{
	unsigned all = TT_NEEDS_CANDIDATES;

	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables; i++)
			if (wants(*p, &(*p)->tables[i]))
				all |= (*p)->needs | (*p)->tables[i].needs;
	return all;
}

/* The search for causes, which runs beside the making of other tables and of timelines where there is a thread for it. */
struct search {
	struct tt_aside aside;
	struct tt_views own, *view;   /* own: that of its thread */
	struct tt_causes causes;
	struct tt_arena text;
	struct tt_err err;
};

static void
find_causes(void *search)
{
	struct search *s = search;

	tt_causes_find(&s->causes, s->view, &s->text, &s->err);
}

static void
begin_search(struct search *s, const struct tt_model *m, struct tt_views *view)
{
	const bool alone = m->env->jobs == 1;

	tt_view_init(&s->own, m);
	tt_arena_init(&s->text, &m->env->mem);
	s->view = alone ? view : &s->own;
	tt_aside_begin(&s->aside, alone, find_causes, s);
}

static void
free_search(struct search *s)
{
	tt_view_free(&s->own);
	tt_arena_free(&s->text);
}

static void
fill(struct app *app, const struct page_opts *o, struct tt_views *view, struct search *s, struct tt_report *r)
{
	struct tt_pass_opts po = o->pass;

	tt_capture_notes(&app->loss, view->m, r);
	po.table = about;
	po.filled = true;
	tt_pass_report(tt_pass_named("info"), view, &po, r);
	po.table = NULL;
	po.filled = false;
	po.rows = TT_PAGE_ROWS;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		if ((*p)->standard)
			tt_pass_report(*p, view, &po, r);
	po.table = asked;
	po.rows = 0;
	po.causes = &s->causes;
	tt_aside_end(&s->aside);
	if (r->err.code == TT_OK)
		r->err = s->err;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		tt_pass_report(*p, view, &po, r);
	tt_filter_notes(view->m, TT_GROUP_NONE, r);
	if (tt_model_knows_allocs(view->m))
		tt_most_allocated(view, r);
	tt_most_time(view, r);
	tt_overview(view, &s->causes, r);
	for (struct tt_table *t = r->first; t; t = t->next)
		if (!is_asked(t->id) || strcmp(t->id, "frame_causes") == 0)
			tt_table_limit(t, TT_PAGE_ROWS);
	if (o->redact)
		tt_redact_report(r);
}

/* The options and captures that say what the page shows, for the commands in it: with --redact without what says where it was made. */
static int
quote_arguments(struct tt_buf *to, const struct page_opts *o, const char *but, struct tt_arena *a, struct tt_err *err)
{
	const char *const without[] = { "redact", o->redact ? "meta" : "redact", but, NULL };
	struct opt_list files = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && i < o->in.path.n; i++)
		rc = opt_list_add(&files, o->redact ? tt_redact_path(o->in.path.v[i]) : o->in.path.v[i], a, err);
	opts_quote_without(to, &o->given, &files, without);
	return rc;
}

static bool
has_views(const struct page_opts *o)
{
	return o->max_size == 0 || o->max_size >= VIEWS_FROM;
}

static void
say_cut(struct app *app, const struct page_opts *o, const struct tt_page_cut *cut, const struct tt_details *d, size_t size)
{
	char bytes[40];
	size_t shown = tt_details_shown(d);

	if (!has_views(o) && app->env.log_level > TT_LOG_QUIET)
		ui_say(&app->ui, "%s: no timelines and no flame graph: they need --max-size 256k or more", o->output);
	else if (shown < d->n && app->env.log_level > TT_LOG_QUIET)
		ui_say(&app->ui, "%s: %zu of %zu chosen frames have no timeline: --max-size leaves no room", o->output, d->n - shown, d->n);
	*tt_put_bytes(bytes, (int64_t)size) = '\0';
	if (o->max_size && size > o->max_size)
		ui_say(&app->ui, "%s: the page has %s, more than --max-size: what it always has needs that much", o->output, bytes);
	else if (cut->tables && app->env.log_level > TT_LOG_QUIET)
		ui_say(&app->ui, "%s: %zu of its tables %s only %zu row%s; the page names the commands that print all", o->output, cut->tables,
		    cut->tables == 1 ? "has" : "have", cut->rows, cut->rows == 1 ? "" : "s");
}

/* ${to} has room for all that is explained and one more. */
static void
look_up(struct tt_page_word *to)
{
	for (size_t i = 0; i < sizeof explained / sizeof *explained; i++)
		for (const struct tt_glossary_word *w = tt_glossary_terms; w->name; w++)
			if (strcmp(w->name, explained[i].name) == 0)
				*to++ = (struct tt_page_word){ w->name, w->text, explained[i].where };
	to->name = NULL;
}

static int
write_page(struct app *app, const struct page_opts *o, struct tt_report *r, struct tt_views *view, struct tt_views *beside,
    const struct tt_details *d, struct tt_err *err)
{
	struct tt_arena *a = &app->arena;
	struct tt_buf text = { 0 }, all = { 0 }, frames = { 0 };
	const char *of_frames = NULL;
	struct tt_page_cut cut = { 0 };
	struct tt_page_word words[sizeof explained / sizeof *explained + 1];
	struct tt_page_opts po = { .generator = TT_GENERATOR, .max_size = o->max_size, .beside = beside, .words = words };
	size_t size;
	int rc;

	look_up(words);
	po.name = o->in.path.n > 1 || strcmp(app->input, o->in.path.v[0]) != 0 ? app->input : tt_sys_base(app->input);
	if (o->svg) {
		rc = tt_page_picture((enum tt_picture)o->svg, r, view, po.name, &text, err);
		if (rc == TT_OK)
			rc = app_write(app, o->output, &text, err);
		tt_buf_free(&text);
		return rc;
	}
	rc = quote_arguments(&all, o, NULL, a, err);
	if (rc == TT_OK)
		rc = quote_arguments(&frames, o, "frames", a, err);
	if (rc == TT_OK && (po.arguments = tt_buf_keep(&all, a, err)) != NULL)
		of_frames = tt_buf_keep(&frames, a, err);
	if (of_frames && (po.range = tt_arena_printf(a, err, "tracetool report %s -o range.html --frames ", of_frames)) &&
	    (po.stats = tt_arena_printf(a, err, "tracetool stats %s --frames ", of_frames)) &&
	    (po.tree = tt_arena_printf(a, err, "tracetool stats --table calltree --threshold 0 %s --marker ", po.arguments)) &&
	    (po.samples = tt_arena_printf(a, err, "tracetool stats --table sample_paths %s --marker ", po.arguments)))
		po.frame_markers = tt_arena_printf(a, err, "tracetool stats --table frame_markers --wide total_ns --limit 0 %s --marker ", po.arguments);
	po.details = has_views(o) ? d : NULL;
	if (rc == TT_OK)
		rc = po.frame_markers ? tt_page_write(r, view, &po, &cut, &text, err) : err->code;
	size = text.n;
	if (rc == TT_OK)
		rc = app_write(app, o->output, &text, err);
	if (rc == TT_OK)
		say_cut(app, o, &cut, d, size);
	tt_buf_free(&text);
	tt_buf_free(&all);
	tt_buf_free(&frames);
	return rc;
}

/* True if the file ${path} begins as pages of tracetool do, or is not there. */
static bool
is_page_or_missing(const char *path)
{
	static const char begin[] = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\"";
	char is[sizeof begin - 1];
	FILE *f = fopen(path, "rb");

	if (!f)
		return errno == ENOENT;
	const bool same = fread(is, 1, sizeof is, f) == sizeof is && memcmp(is, begin, sizeof is) == 0;
	fclose(f);
	return same;
}

/* Name the page after the only capture, beside it: "game.ttc.xz" becomes "game.html". An older page is replaced, no other file is. */
static int
name_page(struct app *app, struct page_opts *o, struct tt_err *err)
{
	const char *path = o->in.path.n == 1 ? o->in.path.v[0] : "-";
	struct tt_sys_stat st;
	size_t n;

	if (o->output || o->svg || strcmp(path, "-") == 0 || tt_sys_stat(path, &st) != 0 || st.kind != TT_KIND_FILE)
		return TT_OK;
	const char *suffix = tt_path_suffix(path, &n);
	const char *name = tt_arena_text(&app->arena, path, suffix ? (size_t)(suffix - path) : strlen(path), err);
	struct tt_buf text = { 0 };

	if (!name)
		return err->code;
	tt_buf_printf(&text, "%s.html", name);
	o->output = tt_buf_keep(&text, &app->arena, err);
	if (!o->output)
		return err->code;
	if (!is_page_or_missing(o->output))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is there, and is no page of tracetool: name the page with -o FILE.html", o->output);
	o->is_named_here = true;
	return TT_OK;
}

static int
check_output(const struct page_opts *o, struct tt_err *err)
{
	if (!o->output)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name the %s with -o FILE.%s (\"-\" is standard output)", o->svg ? "picture" : "page",
		    o->svg ? "svg" : "html");
	return input_is(&o->in, o->output) ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", o->output) : TT_OK;
}

static int
report(struct app *app, const struct page_opts *o, struct tt_err *err)
{
	struct tt_run_opts run;
	struct tt_model *m = NULL;
	struct tt_views view = { 0 };
	struct search search = { .err.at = TT_NOWHERE };
	struct tt_report r;
	struct tt_details details = { .room = has_views(o) && o->max_size ? (o->max_size - FIRST_SCREEN) / 5 * 2 : !has_views(o) };
	const struct tt_emit *const emit[] = { &tt_page_details };
	const struct tt_emit_opts emit_opts = { .env = &app->env, .own = &details };
	int rc = input_setup(app, &o->in, &run, err);

	if (rc == TT_OK)
		rc = check_output(o, err);
	if (rc == TT_OK)
		rc = input_confine(app, &o->in, o->output, NULL, &run, err);
	if (rc != TT_OK)
		return rc;
	run.hitches = (unsigned)o->pass.hitches;
	run.needs |= needs();
	run.emit = emit;
	run.emit_opts = &emit_opts;
	run.nemit = o->svg ? 0 : 1;
	tt_report_init(&r, &app->env.mem);
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		begin_search(&search, m, &view);
		rc = tt_details_make(&details, m, err);
		fill(app, o, &view, &search, &r);
		if (rc == TT_OK)
			rc = write_page(app, o, &r, &view, search.view != &view ? search.view : NULL, &details, err);
		free_search(&search);
	}
	tt_details_free(&details);
	tt_report_free(&r);
	tt_view_free(&view);
	tt_model_free(m);
	return rc;
}

/* True if "--" separates two sides: only where a comparison is asked for. Elsewhere it ends options. */
static bool
has_sides(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--svg=diff") == 0 || (i > 0 && strcmp(argv[i - 1], "--svg") == 0 && strcmp(argv[i], "diff") == 0))
			return true;
	return false;
}

int
run_report(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct page_opts o = { .pass = tt_pass_defaults, .max_size = DEFAULT_SIZE };
	struct verb verb = verb_report;
	int rc;

	/* Unless this is set, the C library keeps freed blocks up to the size of the largest one freed: megabytes, after some large tables. */
	tt_sys_trim_from(128 << 10);
	input_defaults(&o.in);
	verb.sides = has_sides(argc, argv);
	rc = app_parse(app, &verb, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	rc = name_page(app, &o, err);
	if (rc != TT_OK)
		return rc;
	if (is_of_two_sides(&o)) {
		rc = check_output(&o, err);
		return rc == TT_OK ? diff_picture(app, &o.in, o.output, err) : rc;
	}
	rc = report(app, &o, err);
	if (rc == TT_OK && o.is_named_here)
		tt_log(&app->env, TT_LOG_NORMAL, "the page is %s", o.output);
	return rc;
}
