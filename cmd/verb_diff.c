/**
 * tracetool diff: compares two groups of captures, and finds what makes their frame times differ.
 */
#include <string.h>

#include "cmd.h"
#include "diff/diff.h"
#include "diff/profile.h"
#include "diff/diff_report.h"
#include "diff/sides.h"
#include "diff/verdict.h"
#include "diff_page.h"
#include "emit/emit.h"
#include "input.h"
#include "io/outputs.h"
#include "base/parse_value.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "report_opts.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"

#define MARGIN_E4 200         /* 2 %: with a smaller margin, the comparison of identical builds is inconclusive */

struct diff_opts {
	struct input_opts in;
	struct report_opts out;
	struct tt_list table;
	uint64_t limit;
	struct tt_diff_margin margin;
	const char *rename, *pprof, *chrome, *svg;
	bool picture_alone;           /* true: only svg is written */
	struct tt_opt_given given;
};

/* --margin: "2%", or a duration. */
static int
set_margin(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct tt_diff_margin *m = field;
	const char *s = value + (*value == '+');
	const size_t unit = strspn(s, "0123456789.");

	(void)o, (void)a;
	if (unit && strcmp(s + unit, "%") == 0)
		return tt_parse_percent(s, &m->e4, err);
	m->e4 = -1;
	if (unit && s[unit])
		return tt_parse_duration(s, &m->ns, err);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is neither a percentage (5%%) nor a time (0.3ms)", value);
}

/* The ${i}th value of --table. */
static const char *
table_value(size_t i)
{
	return i == 0 ? "verdict" : tt_diff_table_id(i - 1);
}

#define AT(f) offsetof(struct diff_opts, f)

static const struct tt_opt diff_opt[] = {
	{ .name = "rename", .arg = "FILE", .set = tt_opt_text, .at = AT(rename),
	    .help = "read the names that changed from FILE: lines of OLD, a TAB, NEW" },
	{ .name = "max", .arg = "MARGIN", .set = set_margin, .at = AT(margin),
	    .help = "allow B to be this much slower (like 5%, 0.3ms); default 2%" },
	{ .name = "table", .arg = "ID[,ID]", .set = tt_opt_commas, .at = AT(table), .value = table_value,
	    .help = "print only these tables; repeatable" },
	{ .name = "limit", .arg = "N", .set = tt_opt_count, .at = AT(limit), .hi = UINT32_MAX,
	    .help = "print at most N changed rows of a table and one for the rest, 0: all; default 20 in text, "
		    "otherwise all" },
	{ .name = "pprof", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(pprof),
	    .help = "also write B minus A as a profile for go tool pprof" },
	{ .name = "chrome", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(chrome),
	    .help = "also write the middle capture of each side as Chrome JSON, each as a process" },
	{ .name = "svg", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(svg),
	    .help = "also write the call tree of both sides as a flame graph, a picture" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Comparison", diff_opt, 0 },
	REPORT_GROUP(struct diff_opts, out),
	INPUT_GROUPS(struct diff_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_diff = {
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
	.has_sides = true,
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
	const struct tt_list *p = &o->in.path;
	int rc;

	if (!p->has_sides)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, p->n == 1 ? "one capture: name those it is compared with after \"--\"" :
		    "which captures are A and which are B? Put \"--\" between them");
	if (p->nfirst_side == 0 || p->nfirst_side == p->n)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no capture %s \"--\"", p->nfirst_side ? "after" : "before");
	for (size_t i = 0; i < o->table.n; i++) {
		size_t k = 0;

		while (table_value(k) && strcmp(table_value(k), o->table.v[i]) != 0)
			k++;
		if (!table_value(k))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --table: no table \"%s\"", o->table.v[i]);
	}
	rc = check_output(o, o->out.output && strcmp(o->out.output, "-") != 0 ? o->out.output : NULL, "--output", err);
	TT_THEN(rc, check_output(o, o->pprof, "--pprof", err));
	TT_THEN(rc, check_output(o, o->chrome, "--chrome", err));
	TT_THEN(rc, check_output(o, o->svg, "--svg", err));
	return rc == TT_OK ? check_files(o, err) : rc;
}

/* --- the sandbox ----------------------------------------------------------------------- */

/* Enter the sandbox: only inputs are read and outputs written from here on. The last reading seals it. */
static int
confine(struct app *app, const struct diff_opts *o, struct tt_err *err)
{
	const char *const out[] = { o->out.output, o->pprof, o->chrome, o->svg };
	struct tt_list l = { 0 };
	int rc = app_reads(app, o->in.path.v, err);

	for (size_t i = 0; i < sizeof out / sizeof *out && rc == TT_OK; i++) {
		if (out[i])
			rc = tt_list_add(&l, out[i], &app->arena, err);
	}
	TT_THEN(rc, tt_outputs_check(l.v, NULL, err));
	return rc == TT_OK ? app_confine(app, l.v, o->in.tmpdir, err) : rc;
}

/* --- writing ------------------------------------------------------------------------- */

static bool
wants(const struct diff_opts *o, const char *table)
{
	for (size_t i = 0; i < o->table.n; i++) {
		if (strcmp(o->table.v[i], table) == 0)
			return true;
	}
	return o->table.n == 0;
}

/* Make the tables with the chosen rows and columns, and the verdict. */
static int
make_tables(struct app *app, const struct diff_opts *o, const struct tt_diff *d, const struct tt_diff_sides *sides, struct tt_report *r,
    struct tt_buf *text, struct tt_buf *svg, struct tt_err *err)
{
	const struct tt_diff_report_opts ro = {
		.table = o->table.v,
		.rows = tt_opts_given(&o->given, "limit") ? tt_clamp_size(o->limit) : report_form(&o->out) == TT_RENDER_TEXT ? TT_TEXT_ROWS : 0,
	};
	struct tt_diff_verdict v;
	struct diff_page page = { .d = d, .verdict = &v, .sides = sides, .files = &o->in.path, .given = &o->given, .rename = o->rename,
		.output = o->out.output };
	int rc = tt_diff_judge(d, &o->margin, &v, err);

	if (rc != TT_OK)
		return rc;
	if (!o->picture_alone && report_form(&o->out) == TT_RENDER_HTML && o->table.n == 0) {
		rc = diff_page(app, &page, r, text, err);
	} else if (!o->picture_alone) {
		if (wants(o, "verdict"))
			tt_diff_verdict_report(&v, r);
		tt_diff_report(d, &ro, r);
		tt_loss_notes(&app->loss, r);
		tt_diff_notes(d, o->rename, r);
		rc = report_render(app, &o->out, r, text, err);
	}
	page.picture = true;
	if (o->svg)
		TT_THEN(rc, diff_page(app, &page, r, svg, err));
	if (rc == TT_OK && !o->picture_alone)
		app->verdict = tt_diff_exit(&v);
	return rc;
}

static int
write_all(struct app *app, const struct diff_opts *o, const struct tt_diff *d, struct tt_diff_sides *sides, struct tt_run_opts *run,
    struct tt_report *r, struct tt_err *err)
{
	struct tt_output out[3] = { { .path = o->out.output ? o->out.output : "-" } };
	struct tt_buf svg = { 0 };
	size_t n = 1;
	int rc = make_tables(app, o, d, sides, r, &out[0].text, &svg, err);

	if (o->svg)
		out[n++] = (struct tt_output){ o->svg, svg };
	if (o->pprof)
		out[n++].path = o->pprof;
	if (o->pprof)
		TT_THEN(rc, tt_diff_profile(d, TT_GENERATOR, &out[n - 1].text, err));
	if (rc == TT_OK && o->chrome) {
		run->opened = app_seal;
		run->align = (enum tt_align)o->in.align;
		rc = tt_diff_write_middle(sides, d, run, &(struct tt_emit_opts){ .env = &app->env, .path = o->chrome, .generator = TT_GENERATOR }, err);
	}
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
	/* The last reading seals the sandbox. */
	struct tt_diff_sides sides = { .env = &app->env, .a = &app->arena, .path = o->in.path.v, .n = o->in.path.n, .nbefore = o->in.path.nfirst_side,
		.opened = o->chrome ? NULL : app_seal, .opened_arg = app };
	int rc = input_setup(app, &o->in, &run, err);

	TT_THEN(rc, check(o, err));
	if (rc != TT_OK)
		return rc;
	if (!o->picture_alone)
		report_pager(app, &o->out);
	tt_report_init(&r, &app->env.mem);
	if (o->rename)
		rc = tt_rename_read(&rename, &app->env, o->rename, err);
	TT_THEN(rc, confine(app, o, err));
	TT_THEN(rc, tt_diff_init(&d, &app->env, run.names, o->rename ? &rename : NULL, err));
	TT_THEN(rc, tt_diff_read(&sides, &run, &d, &r, err));
	ui_erase(&app->ui);
	TT_THEN(rc, write_all(app, o, &d, &sides, &run, &r, err));
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
	if (!o.in.path.has_sides && o.in.path.n == 2) {   /* two captures: the sides are clear without "--" */
		o.in.path.has_sides = true;
		o.in.path.nfirst_side = 1;
	}
	return diff(app, &o, err);
}
