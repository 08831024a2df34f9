/**
 * tracetool diff: compares two groups of captures, and finds what makes their frame times differ.
 */
#include <string.h>

#include "base/arena_text.h"
#include "base/shell.h"
#include "cmd.h"
#include "diff/diff.h"
#include "diff/profile.h"
#include "diff/report.h"
#include "diff/verdict.h"
#include "emit/emit.h"
#include "input.h"
#include "io/outputs.h"
#include "model/identity.h"
#include "page/compare.h"
#include "base/parse_value.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "report.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"

#define PAGE_SIZE ((size_t)2 << 20)
#define PAGE_BRANCHES 20000
#define MARGIN_E4 200         /* 2 %: with a smaller margin, identical builds stay undecided */

struct diff_opts {
	struct input_opts in;
	struct report_opts out;
	struct opt_list table;
	bool has_limit;
	uint64_t limit;
	struct tt_diff_margin margin;
	const char *rename, *pprof, *chrome, *svg;
	bool picture_alone;           /* nothing but svg is written */
	struct opt_given given;
};

static int
set_limit(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct diff_opts *d = field;

	d->has_limit = true;
	return opt_count(o, &d->limit, value, a, err);
}

/* --margin: "2%", or a duration. */
static int
set_margin(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct tt_diff_margin *m = field;
	const char *s = value + (*value == '+');
	struct tt_err not;

	(void)o, (void)a;
	if (strchr(s, '%') ? tt_parse_percent(s, &m->e4, &not) == TT_OK : tt_parse_duration(s, &m->ns, &not) == TT_OK) {
		m->e4 = strchr(s, '%') ? m->e4 : -1;
		return TT_OK;
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is neither a percentage (5%%) nor a time (0.3ms)", value);
}

/* The ${i}th value of --table. */
static const char *
table_value(size_t i)
{
	return i == 0 ? "verdict" : tt_diff_table_id(i - 1);
}

#define AT(f) offsetof(struct diff_opts, f)

static const struct opt diff_opt[] = {
	{ .name = "rename",
	    .arg = "FILE",
	    .set = opt_text,
	    .at = AT(rename),
	    .help = "read the names that changed from FILE: lines of OLD, a TAB, NEW" },
	{ .name = "max",
	    .arg = "MARGIN",
	    .set = set_margin,
	    .at = AT(margin),
	    .help = "allow B to be this much slower (like 5%, 0.3ms); default 2%" },
	{ .name = "table",
	    .arg = "ID[,ID]",
	    .set = opt_commas,
	    .at = AT(table),
	    .value = table_value,
	    .help = "print only these tables; repeatable" },
	{ .name = "limit",
	    .arg = "N",
	    .set = set_limit,
	    .hi = UINT32_MAX,
	    .help = "print at most N changed rows of a table and one for the rest, 0: all; default 20 in text, "
		    "otherwise all" },
	{ .name = "pprof", .once = true,
	    .arg = "FILE",
	    .set = opt_text,
	    .at = AT(pprof),
	    .help = "also write B minus A as a profile for go tool pprof" },
	{ .name = "chrome", .once = true,
	    .arg = "FILE",
	    .set = opt_text,
	    .at = AT(chrome),
	    .help = "also write the middle capture of each side as Chrome JSON, each as a process" },
	{ .name = "svg", .once = true,
	    .arg = "FILE",
	    .set = opt_text,
	    .at = AT(svg),
	    .help = "also write the call tree of both sides as a flame graph, a picture" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Comparison", diff_opt, 0 },
	REPORT_GROUP(struct diff_opts, out),
	INPUT_GROUPS(struct diff_opts, in),
	{ NULL, NULL, 0 },
};

const struct verb verb_diff = {
	.name = "diff",
	.summary = "compare captures of two builds and show what makes frames slower or faster",
	.operands = "A... -- B...",
	.about = "Compare captures of one build (A) with captures of another build (B): is B slower, and what makes the "
		 "difference? The parts add up to the difference in frame time, to the nanosecond. Several captures on each side "
		 "separate a change from noise. Two captures alone need no \"--\": the first is A.",
	.examples = "  tracetool diff before.ttc -- after.ttc\n"
		    "  tracetool diff main-*.ttc -- mine-*.ttc --max 5%\n"
		    "  tracetool diff a.mlpd -- b.mlpd --frame-marker Game:Tick --pprof diff.pb.gz\n",
	.group = groups,
	.operand_at = offsetof(struct diff_opts, in.path),
	.given_at = offsetof(struct diff_opts, given),
	.sides = true,
};

/* --- checks ------------------------------------------------------------------------ */

static int
check_output(const struct diff_opts *o, const char *path, const char *option, struct tt_err *err)
{
	if (!path)
		return TT_OK;
	if (input_is(&o->in, path))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", path);
	if (strcmp(path, "-") != 0)
		return TT_OK;
	if (tt_sys_is_terminal(1) && strcmp(option, "--pprof") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option %s is not written to a terminal: name a file", option);
	return o->picture_alone || (o->out.output && strcmp(o->out.output, "-") != 0) ? TT_OK : tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "option %s: standard output is taken by the tables (-o FILE)", option);
}

/* Check options of files. Chrome JSON needs a second reading of the captures. */
static int
check_files(const struct diff_opts *o, struct tt_err *err)
{
	struct tt_sys_stat st;

	for (size_t i = 0; o->chrome && i < o->in.path.n; i++) {
		const char *path = o->in.path.v[i];

		if (strcmp(path, "-") == 0 || (tt_sys_stat(path, &st) == 0 && st.kind != TT_KIND_FILE))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --chrome reads its input twice, and %s is not a file", path);
	}
	return TT_OK;
}

static int
check(const struct diff_opts *o, struct tt_err *err)
{
	const struct opt_list *p = &o->in.path;
	int rc;

	if (!p->parted)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, p->n == 1 ? "one capture: name those it is compared with after \"--\"" :
		    "which captures are A and which are B? Put \"--\" between them");
	if (p->before == 0 || p->before == p->n)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no capture %s \"--\"", p->before ? "after" : "before");
	for (size_t i = 0; i < o->table.n; i++) {
		size_t k = 0;

		while (table_value(k) && strcmp(table_value(k), o->table.v[i]) != 0)
			k++;
		if (!table_value(k))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --table: no table \"%s\"", o->table.v[i]);
	}
	rc = check_output(o, o->out.output && strcmp(o->out.output, "-") != 0 ? o->out.output : NULL, "--output", err);
	if (rc == TT_OK)
		rc = check_output(o, o->pprof, "--pprof", err);
	if (rc == TT_OK)
		rc = check_output(o, o->chrome, "--chrome", err);
	if (rc == TT_OK)
		rc = check_output(o, o->svg, "--svg", err);
	return rc == TT_OK ? check_files(o, err) : rc;
}

/* --- reading ------------------------------------------------------------------------ */

/* Fail if a recording, or two of its files, is on one side twice: it would count as independent captures. */
static int
check_recording(const struct diff_opts *o, size_t at, const struct tt_model *m, uint64_t *seen, struct tt_err *err)
{
	char text[TT_RECORDING_TEXT];

	seen[at] = tt_model_identity(m);
	for (size_t i = at < o->in.path.before ? 0 : o->in.path.before; i < at; i++)
		if (seen[i] == seen[at] && seen[at])
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s are one recording: %s", o->in.path.v[i], o->in.path.v[at],
			    tt_capture_recording(m->cap[0], text) ? "drop copies, join parts (tracetool recover)" : "leave copies out");
	return TT_OK;
}

/* Read one capture and add it to its side; add its losses to those of all. */
static int
add_capture(struct app *app, const struct diff_opts *o, size_t at, uint64_t *seen, struct tt_run_opts *run,
    struct tt_diff *d, struct tt_report *r, struct tt_err *err)
{
	const char *const one[] = { o->in.path.v[at], NULL };
	struct tt_loss *all = app->env.loss, loss;
	struct tt_model *m = NULL;
	char outside[TT_OUTSIDE_TEXT], stretch[TT_STRETCH_TEXT];
	const char *caveat;
	int rc;

	tt_loss_reset(&loss);
	app->env.loss = &loss;
	run->path = one;
	run->npath = 1;
	rc = tt_run(&app->env, run, &m, err);
	app->env.loss = all;
	all->input = o->in.path.v[at];
	tt_loss_join(all, &loss);
	all->input = NULL;
	if (rc == TT_OK)
		rc = check_recording(o, at, m, seen, err);
	if (rc == TT_OK)
		rc = tt_diff_add(d, at < o->in.path.before ? TT_DIFF_A : TT_DIFF_B, m, err);
	caveat = m && rc == TT_OK && !r->note ? tt_model_caveat(m) : NULL;
	if (caveat)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "caveat", caveat);
	if (m && rc == TT_OK && tt_capture_stretch(m->cap[0], stretch))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "rotation", tt_text(r, "%s: %s", o->in.path.v[at], stretch));
	if (m && rc == TT_OK && tt_filter_outside(m, outside))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", tt_text(r, "%s: %s", o->in.path.v[at], outside));
	tt_model_free(m);
	return rc;
}

/* Enter the sandbox: only inputs are read and outputs written from here on. The last reading seals it. */
static int
confine(struct app *app, const struct diff_opts *o, struct tt_err *err)
{
	const char *const out[] = { o->out.output, o->pprof, o->chrome, o->svg };
	struct opt_list l = { 0 };
	int rc = app_reads(app, o->in.path.v, err);

	for (size_t i = 0; i < sizeof out / sizeof *out && rc == TT_OK; i++) {
		if (out[i])
			rc = opt_list_add(&l, out[i], &app->arena, err);
	}
	if (rc == TT_OK)
		rc = tt_outputs_check(l.v, NULL, err);
	return rc == TT_OK ? app_confine(app, l.v, o->in.tmpdir, err) : rc;
}

static void
seal(struct app *app, struct tt_run_opts *run)
{
	run->opened = app_seal;
	run->opened_arg = app;
}

/* Say how many captures of B are recordings of A, too: they show nothing. */
static void
note_shared(const struct diff_opts *o, const uint64_t *seen, struct tt_report *r)
{
	size_t before = o->in.path.before, shared = 0, first = 0;

	for (size_t i = before; i < o->in.path.n; i++) {
		size_t k = 0;

		while (k < before && seen[k] != seen[i])
			k++;
		if (k < before && shared++ == 0)
			first = i;
	}
	if (shared)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "shared", tt_text(r, "%zu of %zu capture%s of B %s of A, "
		    "too: compared with itself, a capture is no worse: %s%s", shared, o->in.path.n - before, o->in.path.n - before == 1 ? "" : "s",
		    shared == 1 ? "is a recording" : "are recordings", o->in.path.v[first],
		    shared > 1 ? ", ..." : ""));
}

static int
add_all(struct app *app, const struct diff_opts *o, struct tt_run_opts *run, struct tt_diff *d, struct tt_report *r,
    struct tt_err *err)
{
	uint64_t *seen = tt_arena_alloc(&app->arena, o->in.path.n * sizeof *seen, err);       /* recordings, by operand */
	int rc = seen ? TT_OK : err->code;

	run->needs |= TT_NEEDS_CALLS | TT_NEEDS_FRAMES;
	run->whole_frames = true;
	for (size_t i = 0; i < o->in.path.n && rc == TT_OK; i++) {
		if (i + 1 == o->in.path.n && !o->chrome)
			seal(app, run);
		rc = add_capture(app, o, i, seen, run, d, r, err);
	}
	if (rc == TT_OK)
		note_shared(o, seen, r);
	return rc == TT_OK ? tt_diff_finish(d, err) : rc;
}

/* --- writing ------------------------------------------------------------------------- */

static void
add_notes(struct app *app, const struct diff_opts *o, const struct tt_diff *d, struct tt_report *r)
{
	size_t unused = 0, first = 0;

	tt_loss_notes(&app->loss, r);
	if (!d->frames)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "no_frames",
		    "the captures have no frames: the time in markers of all threads per capture is compared (for frames: --frame-marker)");
	if (d->nsampled) {
		const char *more = d->nsampled > 1 ? tt_text(r, " and %zu more", d->nsampled - 1) : "";

		tt_report_note(r, tt_severity_name[TT_NOTICE], "samples", tt_text(r, "samples and no calls in %s%s: time in calls is compared, samples are not "
		    "(tracetool convert writes profiles of both sides, which pprof compares)", d->first_sampled, more));
	}
	for (size_t i = 0; d->rename && i < d->rename->n; i++) {
		if (!d->rename->v[i].used && unused++ == 0)
			first = i;
	}
	if (unused)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "rename",
		    tt_text(r, "%s: %zu of %zu names are not in the captures of A; the first is \"%s\"", o->rename, unused,
			d->rename->n, d->rename->v[first].from));
}

static bool
wants(const struct diff_opts *o, const char *table)
{
	for (size_t i = 0; i < o->table.n; i++) {
		if (strcmp(o->table.v[i], table) == 0)
			return true;
	}
	return o->table.n == 0;
}

/* The captures of ${side} for a heading: the name of a single one, or the number of several. */
static void
put_side(const struct diff_opts *o, unsigned side, struct tt_buf *to)
{
	size_t from = side == TT_DIFF_A ? 0 : o->in.path.before, n = (side == TT_DIFF_A ? o->in.path.before : o->in.path.n) - from;
	const char *name = tt_sys_base(o->in.path.v[from]);

	if (n > 1)
		tt_buf_printf(to, "%s and %zu more", name, n - 1);
	else
		tt_buf_text(to, name);
}

/* "before.ttc (A) against after.ttc (B)" */
static void
put_name(const struct diff_opts *o, struct tt_buf *to)
{
	put_side(o, TT_DIFF_A, to);
	tt_buf_text(to, " (A) against ");
	put_side(o, TT_DIFF_B, to);
	tt_buf_text(to, " (B)");
}

/* The arguments with which another command compares the same captures. */
static void
put_arguments(const struct diff_opts *o, struct tt_buf *to)
{
	const struct opt_list a = { .v = o->in.path.v, .n = o->in.path.before };
	const struct opt_list b = { .v = o->in.path.v + a.n, .n = o->in.path.n - a.n };
	static const char *const making[] = { "table", "limit", "pprof", "chrome", "csv-safe", "no-pager", NULL };

	opts_quote_without(to, &o->given, &a, making);
	tt_buf_text(to, " -- ");
	opts_quote_given(to, &(struct opt_given){ 0 }, &b, NULL);
}

/* Write a page or a picture from complete tables. ${had}: notes of the reading. */
static int
make_page(struct app *app, const struct diff_opts *o, const struct tt_diff *d, const struct tt_diff_verdict *v, bool picture,
    const struct tt_report *had, struct tt_buf *text, struct tt_err *err)
{
	static const char *const of_diff[] = { "table", "limit", "pprof", "chrome", "csv-safe", "no-pager", "rename", "max", "frames", NULL };
	const char *all[64] = { NULL };
	struct tt_buf name = { 0 }, all_rows = { 0 }, json = { 0 }, report = { 0 };
	struct tt_compare_opts co = { .generator = TT_GENERATOR, .max_size = PAGE_SIZE, .quote = tt_shell_quote };
	struct tt_report r;
	size_t cut = 0;
	int rc;

	/* All tables but paths, whose contents the call tree has. */
	for (size_t i = 0, n = 0; n < 63 && tt_diff_table_id(i); i++)
		if (strcmp(tt_diff_table_id(i), "paths") != 0)
			all[n++] = tt_diff_table_id(i);
	tt_report_init(&r, &app->env.mem);
	tt_diff_verdict_report(v, &r);
	tt_diff_report(d, &(struct tt_diff_report_opts){ .table = all, .branches = PAGE_BRANCHES }, &r);
	for (const struct tt_note *n = had->note; n; n = n->next)
		tt_report_note(&r, n->severity, n->id, n->text);
	if (!picture)
		add_notes(app, o, d, &r);
	put_name(o, &name);
	tt_buf_text(&all_rows, "tracetool diff --limit 0 ");
	put_arguments(o, &all_rows);
	tt_buf_text(&all_rows, " --table ");
	tt_buf_text(&json, "tracetool diff --format json ");
	put_arguments(o, &json);
	tt_buf_text(&report, "tracetool report ");
	opts_quote_without(&report, &o->given, &(struct opt_list){ 0 }, of_diff);
	tt_buf_text(&report, "-o frame.html --frames ");
	co.name = tt_buf_keep(&name, &app->arena, err);
	co.rows = tt_buf_keep(&all_rows, &app->arena, err);
	co.json = tt_buf_keep(&json, &app->arena, err);
	co.report = tt_buf_keep(&report, &app->arena, err);
	rc = co.name && co.rows && co.json && co.report ? tt_report_error(had, err) : err->code;
	if (rc == TT_OK)
		rc = picture ? tt_compare_picture(&r, co.name, text, err) : tt_compare_page(&r, &co, &cut, text, err);
	if (rc == TT_OK && cut)
		tt_log(&app->env, TT_LOG_NORMAL, "%s: tables have at most %zu rows; the page names the commands that print all",
		    o->out.output ? o->out.output : "the page", cut);
	tt_report_free(&r);
	return rc;
}

/* Make the tables with the rows and columns that were asked for, and the verdict. */
static int
make_tables(struct app *app, const struct diff_opts *o, const struct tt_diff *d, struct tt_report *r,
    struct tt_buf *text, struct tt_buf *svg, struct tt_err *err)
{
	const struct tt_diff_report_opts ro = {
		.table = o->table.v,
		.rows = o->has_limit ? o->limit : report_form(&o->out) == TT_RENDER_TEXT ? TT_TEXT_ROWS : 0,
	};
	struct tt_diff_verdict v;
	int rc = tt_diff_judge(d, &o->margin, &v, err);

	if (rc != TT_OK)
		return rc;
	if (o->picture_alone)
		return make_page(app, o, d, &v, true, r, svg, err);
	if (report_form(&o->out) == TT_RENDER_HTML && o->table.n == 0) {
		rc = make_page(app, o, d, &v, false, r, text, err);
	} else {
		if (wants(o, "verdict"))
			tt_diff_verdict_report(&v, r);
		tt_diff_report(d, &ro, r);
		add_notes(app, o, d, r);
		rc = report_render(app, &o->out, r, text, err);
	}
	if (rc == TT_OK && o->svg)
		rc = make_page(app, o, d, &v, true, r, svg, err);
	if (rc == TT_OK)
		app->verdict = tt_diff_exit(&v);
	return rc;
}

/* The capture with the median of its side's means, as the user named it. */
static const char *
middle(const struct diff_opts *o, const struct tt_diff *d, unsigned side)
{
	const struct tt_diff_side *s = &d->side[side];

	for (size_t i = 0; i < s->n; i++) {
		size_t below = 0;

		for (size_t k = 0; k < s->n; k++)
			below += s->capture[k].time[d->by].mean < s->capture[i].time[d->by].mean ||
				 (s->capture[k].time[d->by].mean == s->capture[i].time[d->by].mean && k < i);
		if (below == (s->n - 1) / 2)
			return o->in.path.v[side == TT_DIFF_A ? i : o->in.path.before + i];
	}
	return o->in.path.v[0];
}

static int
write_chrome(
    struct app *app, const struct diff_opts *o, const struct tt_diff *d, struct tt_run_opts *run, struct tt_err *err)
{
	const char *const path[] = { middle(o, d, TT_DIFF_A), middle(o, d, TT_DIFF_B), NULL };
	const struct tt_emit *emit = tt_emit_named("chrome");
	const struct tt_emit_opts eo = { .env = &app->env, .path = o->chrome, .generator = TT_GENERATOR };
	struct tt_loss *all = app->env.loss, loss;
	const char *title[2];
	struct tt_model *m = NULL;
	int rc;

	for (size_t i = 0; i < 2; i++) {
		char *s = tt_arena_alloc(&app->arena, strlen(path[i]) + 4, err);

		if (!s)
			return err->code;
		stpcpy(stpcpy(s, i ? "B: " : "A: "), path[i]);
		title[i] = s;
	}
	seal(app, run);
	run->path = path;
	run->npath = 2;
	run->title = title;
	run->copies = true;           /* the same recording may be on both sides */
	run->whole_frames = false;
	run->filter.frames_of_each = true;
	run->align = o->in.align == TT_ALIGN_AUTO ? TT_ALIGN_START : (enum tt_align)o->in.align;
	run->emit = &emit;
	run->emit_opts = &eo;
	run->nemit = 1;
	run->needs = tt_emit_needs(emit, &eo);
	tt_loss_reset(&loss);         /* the first reading reported these losses */
	app->env.loss = &loss;
	rc = tt_run(&app->env, run, &m, err);
	app->env.loss = all;
	tt_model_free(m);
	return rc;
}

static int
write_all(struct app *app, const struct diff_opts *o, const struct tt_diff *d, struct tt_run_opts *run,
    struct tt_report *r, struct tt_err *err)
{
	struct tt_output out[3] = { { .path = o->out.output ? o->out.output : "-" } };
	struct tt_buf svg = { 0 };
	size_t n = 1;
	int rc = make_tables(app, o, d, r, &out[0].text, &svg, err);

	if (o->svg)
		out[n++] = (struct tt_output){ o->svg, svg };
	if (o->pprof)
		out[n++].path = o->pprof;
	if (rc == TT_OK && o->pprof)
		rc = tt_diff_profile(d, TT_GENERATOR, &out[n - 1].text, err);
	if (rc == TT_OK && o->chrome)
		rc = write_chrome(app, o, d, run, err);
	ui_erase(&app->ui);
	if (rc == TT_OK && o->picture_alone)
		rc = tt_outputs_write(&app->env, &out[1], 1, err);
	else if (rc == TT_OK)
		rc = n > 1 || o->out.output ? tt_outputs_write(&app->env, out, n, err) : app_show(app, &out[0].text, err);
	for (size_t i = 0; i < n; i++)
		tt_buf_free(&out[i].text);
	return rc;
}

static int
diff(struct app *app, const struct diff_opts *o, struct tt_err *err)
{
	struct tt_rename rename = { 0 };
	struct tt_diff d = { 0 };
	struct tt_run_opts run;
	struct tt_report r;
	int rc = input_setup(app, &o->in, &run, err);

	if (rc == TT_OK)
		rc = check(o, err);
	if (rc != TT_OK)
		return rc;
	if (!o->picture_alone)
		report_pager(app, &o->out);
	tt_report_init(&r, &app->env.mem);
	if (o->rename)
		rc = tt_rename_read(&rename, &app->env, o->rename, err);
	if (rc == TT_OK)
		rc = confine(app, o, err);
	if (rc == TT_OK)
		rc = tt_diff_init(&d, &app->env, run.names, o->rename ? &rename : NULL, err);
	if (rc == TT_OK)
		rc = add_all(app, o, &run, &d, &r, err);
	ui_erase(&app->ui);
	if (rc == TT_OK)
		rc = write_all(app, o, &d, &run, &r, err);
	tt_report_free(&r);
	tt_diff_free(&d);
	tt_rename_free(&rename);
	return rc;
}

int
diff_picture(struct app *app, const struct input_opts *in, const char *output, struct tt_err *err)
{
	struct diff_opts o = { .in = *in, .margin = { .e4 = MARGIN_E4 }, .svg = output, .picture_alone = true };

	report_defaults(&o.out);
	return diff(app, &o, err);
}

int
run_diff(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct diff_opts o = { .margin = { .e4 = MARGIN_E4 } };
	int rc;

	input_defaults(&o.in);
	report_defaults(&o.out);
	rc = app_parse(app, &verb_diff, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (!o.in.path.parted && o.in.path.n == 2) {      /* two captures: their order is clear */
		o.in.path.parted = true;
		o.in.path.before = 1;
	}
	return diff(app, &o, err);
}
