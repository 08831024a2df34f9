/**
 * tracetool report: writes one HTML file about captures, read as by "tracetool stats"; lib/page makes the page.
 */
#include <string.h>

#include "base/arena_text.h"
#include "cmd.h"
#include "emit/emit.h"
#include "input.h"
#include "io/sink.h"
#include "out/redact.h"
#include "page/contents.h"
#include "page/details.h"
#include "page/report_page.h"
#include "pass/pass.h"
#include "report_opts.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"
#include "view/view.h"

#define DEFAULT_SIZE ((uint64_t)2 << 20)
#define FIRST_SCREEN ((uint64_t)128 << 10)    /* bytes reserved for the part of a page above its tables, and for its script */
#define VIEWS_FROM ((uint64_t)256 << 10)      /* a page with a smaller limit has no views of frames and of the call tree */

struct page_opts {
	struct input_opts in;
	const char *output;
	bool is_named_here;           /* true: the output's name was made here, not given */
	uint64_t max_size;
	struct tt_opt_given given;
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
opt_picture(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_opt_choice(o, field, value, a, err);

	*(int *)field += rc == TT_OK;
	return rc;
}

static const struct tt_opt page_opt[] = {
	{ .letter = 'o', .name = "output", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(output),
	    .help = "write the page to FILE, \"-\": standard output; default: NAME.html beside the only capture; "
	            "a suffix .gz .xz .zst .bz2 .lz4 compresses it" },
	{ .name = "svg", .arg = "WHAT", .set = opt_picture, .at = AT(svg), .value = picture_name,
	    .help = "write a picture (SVG) instead of a page: the chart of frames, or the call tree as a flame graph; diff: that of A... -- B..." },
	{ .name = "redact", .set = tt_opt_flag, .at = AT(redact),
	    .help = "leave out paths, the host, its users, and the command line of what was recorded" },
	{ .name = "hitches", .arg = "N", .set = tt_opt_count, .at = AT(pass.max_hitches), .lo = 1, .hi = 1000,
	    .help = "show the N worst frames; default 10" },
	{ .name = "max-size", .arg = "SIZE", .set = tt_opt_size, .at = AT(max_size),
	    .help = "leave rows out of tables until the page has at most SIZE, 0: any; default 2M" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Page", page_opt, 0 },
	INPUT_GROUPS(struct page_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_report = {
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

/* Append the options and captures that the page's commands repeat; with --redact, without parts that say where the page was made. */
static int
quote_arguments(struct tt_buf *to, const struct page_opts *o, const char *but, struct tt_arena *a, struct tt_err *err)
{
	const char *const without[] = { "redact", o->redact ? "meta" : "redact", but, NULL };
	struct tt_list files = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && i < o->in.path.n; i++)
		rc = tt_list_add(&files, o->redact ? tt_redact_path(o->in.path.v[i]) : o->in.path.v[i], a, err);
	tt_opts_quote_without(to, &o->given, &files, without);
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
	size_t shown = tt_details_nshown(d);

	if (!has_views(o) && app->env.log_level > TT_LOG_QUIET)
		ui_say(&app->ui, "%s: no timelines and no flame graph: they need --max-size 256k or more", o->output);
	else if (shown < d->n && app->env.log_level > TT_LOG_QUIET)
		ui_say(&app->ui, "%s: %zu of %zu chosen frames have no timeline: --max-size leaves no room", o->output, d->n - shown, d->n);
	*tt_put_bytes(bytes, (int64_t)size) = '\0';
	if (o->max_size && size > o->max_size)
		ui_say(&app->ui, "%s: the page has %s, more than --max-size: what it always has needs that much", o->output, bytes);
	else if (cut->ntables && app->env.log_level > TT_LOG_QUIET)
		ui_say(&app->ui, "%s: %zu of its tables %s only %zu row%s; the page names the commands that print all", o->output, cut->ntables,
		    cut->ntables == 1 ? "has" : "have", cut->max_rows, cut->max_rows == 1 ? "" : "s");
}

static int
write_page(struct app *app, const struct page_opts *o, struct tt_report *r, struct tt_views *view, struct tt_views *beside,
    const struct tt_details *d, struct tt_err *err)
{
	struct tt_arena *a = &app->arena;
	struct tt_buf text = { 0 }, all = { 0 }, frames = { 0 };
	const char *of_frames = NULL;
	struct tt_page_cut cut = { 0 };
	struct tt_page_word words[TT_PAGE_WORDS];
	struct tt_page_opts po = { .generator = TT_GENERATOR, .max_size = o->max_size, .second_view = beside, .words = words };
	size_t size;
	int rc;

	tt_page_words(words);
	po.name = o->in.path.n > 1 || strcmp(app->input, o->in.path.v[0]) != 0 ? app->input : tt_sys_base_name(app->input);
	if (o->svg) {
		rc = tt_page_picture((enum tt_picture)o->svg, r, view, po.name, &text, err);
		TT_THEN(rc, app_write(app, o->output, &text, err));
		tt_buf_free(&text);
		return rc;
	}
	rc = quote_arguments(&all, o, NULL, a, err);
	TT_THEN(rc, quote_arguments(&frames, o, "frames", a, err));
	if (rc == TT_OK && (po.arguments = tt_buf_move_to_arena(&all, a, err)) != NULL)
		of_frames = tt_buf_move_to_arena(&frames, a, err);
	if (of_frames && (po.range_command = tt_arena_printf(a, err, "tracetool report %s -o range.html --frames ", of_frames)) &&
	    (po.stats_command = tt_arena_printf(a, err, "tracetool stats %s --frames ", of_frames)) &&
	    (po.tree_command = tt_arena_printf(a, err, "tracetool stats --table calltree --threshold 0 %s --marker ", po.arguments)) &&
	    (po.samples_command = tt_arena_printf(a, err, "tracetool stats --table sample_paths %s --marker ", po.arguments)))
		po.frame_markers_command = tt_arena_printf(a, err, "tracetool stats --table frame_markers --wide total_ns --limit 0 %s --marker ",
		    po.arguments);
	po.details = has_views(o) ? d : NULL;
	TT_THEN(rc, po.frame_markers_command ? tt_page_write(r, view, &po, &cut, &text, err) : err->code);
	size = text.n;
	TT_THEN(rc, app_write(app, o->output, &text, err));
	if (rc == TT_OK)
		say_cut(app, o, &cut, d, size);
	tt_buf_free(&text);
	tt_buf_free(&all);
	tt_buf_free(&frames);
	return rc;
}

/* Name the page after the only capture, beside it: "game.ttc.xz" becomes "game.html". Only an older page may be replaced. */
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
	o->output = tt_buf_move_to_arena(&text, &app->arena, err);
	if (!o->output)
		return err->code;
	if (!tt_page_may_replace(o->output))
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
	struct tt_page_search *search;
	struct tt_report r;
	struct tt_details details = { .max_bytes = has_views(o) && o->max_size ? (o->max_size - FIRST_SCREEN) / 5 * 2 : !has_views(o) };
	const struct tt_emit *const emit[] = { &tt_page_details };
	const struct tt_emit_opts emit_opts = { .env = &app->env, .own = &details };
	int rc = input_setup(app, &o->in, &run, err);

	TT_THEN(rc, check_output(o, err));
	TT_THEN(rc, input_confine(app, &o->in, o->output, NULL, &run, err));
	if (rc != TT_OK)
		return rc;
	run.hitches = (unsigned)o->pass.max_hitches;
	run.needs |= tt_page_needs();
	run.emit = emit;
	run.emit_opts = &emit_opts;
	run.nemit = o->svg ? 0 : 1;
	tt_report_init(&r, &app->env.mem);
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		if (!(search = tt_page_search_begin(&app->arena, m, &view, err)))
			rc = err->code;
	}
	if (rc == TT_OK) {
		rc = tt_details_make(&details, m, err);
		tt_page_fill(&view, search, &(struct tt_page_fill_opts){ &app->loss, &o->pass, o->redact }, &r);
		TT_THEN(rc, write_page(app, o, &r, &view, tt_page_search_view(search) != &view ? tt_page_search_view(search) : NULL, &details, err));
		tt_page_search_free(search);
	}
	tt_details_free(&details);
	tt_report_free(&r);
	tt_view_free(&view);
	tt_model_free(m);
	return rc;
}

/* True if "--" separates two sides, which is so only if a comparison is asked for. Otherwise it ends options. */
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
	struct tt_verb verb = verb_report;
	int rc;

	/* Without this setting, the C library keeps freed blocks up to the size of the largest one freed: megabytes, after some large tables. */
	tt_sys_trim_blocks_from(128 << 10);
	input_defaults(&o.in);
	verb.has_sides = has_sides(argc, argv);
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
