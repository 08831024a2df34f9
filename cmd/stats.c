/**
 * tracetool stats: prints tables of figures; the command without a verb prints a summary.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/spelling.h"
#include "cmd.h"
#include "collect/timeline.h"
#include "emit/emit.h"
#include "gate/series.h"
#include "input.h"
#include "io/outputs.h"
#include "base/parse_value.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "report.h"
#include "run/run.h"
#include "summary.h"
#include "summary/summary.h"
#include "version.h"
#include "view/view.h"

#define BUDGETS_MAX (sizeof ((struct tt_pass_opts *)NULL)->budget_ns / sizeof(int64_t))
#define TRACK_MAX 64

struct stats_opts {
	struct input_opts in;
	struct report_opts out;
	struct opt_given given;
	struct opt_list table;
	const char *sort;
	const char *perf_test;        /* where to write results of the Performance Testing package */
	uint64_t limit;
	struct tt_pass_opts pass;
	struct opt_list budget;       /* pass.budget, pass.nbudget */
	uint64_t find_size;           /* UINT64_MAX: none */
	struct opt_list find_type, track;
	uint64_t track_addr[TRACK_MAX];
	struct tt_metric_series metric;
	const char *group_by;
	enum tt_group group;          /* as group_by */
};

/* The values of --table: ids of tables, then names of passes that are not ids of tables. */
static const char *
table_or_pass(size_t i)
{
	size_t n = 0;

	for (; tt_pass_table_id(n); n++)
		if (n == i)
			return tt_pass_table_id(n);
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		if (!tt_pass_table_named((*p)->name, NULL) && n++ == i)
			return (*p)->name;
	return NULL;
}

static int
set_budget(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	int rc;

	(void)o;
	if (s->budget.n == BUDGETS_MAX)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "at most %u budgets", (unsigned)BUDGETS_MAX);
	rc = tt_parse_milliseconds(value, &s->pass.budget_ns[s->budget.n], err);
	s->pass.budget_ns[s->budget.n] = tt_frame_limit(s->pass.budget_ns[s->budget.n]);
	return rc != TT_OK ? rc : opt_list_add(&s->budget, value, a, err);
}

/* --find "S:SIZE" or "T:CLASS", as in mprof-report. */
static int
set_find(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	uint64_t size = 0;
	int rc;

	(void)o;
	if (strncmp(value, "T:", 2) == 0 && value[2])
		return opt_patterns(o, &s->find_type, value + 2, a, err);
	if (strncmp(value, "S:", 2) != 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is neither S:SIZE nor T:CLASS", value);
	rc = tt_parse_size(value + 2, &size, err);
	if (rc == TT_OK && size < s->find_size)
		s->find_size = size;
	return rc;
}

static int
set_track(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	char *end;

	(void)o;
	if (s->track.n == TRACK_MAX)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "at most %u objects", (unsigned)TRACK_MAX);
	errno = 0;
	s->track_addr[s->track.n] = strtoull(value, &end, 16);
	if (end == value || *end || errno || *value == '-' || *value == '+' || *value == ' ' || s->track_addr[s->track.n] < 8)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not an address (0x7f0012345678)", value);
	return opt_list_add(&s->track, value, a, err);
}

static int
set_metric(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o;
	return tt_series_add(field, value, a, err);
}

/* --compare-frames "812,median". */
static int
set_compare(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	const char *comma = strchr(value, ',');
	const char *const part[2] = { tt_arena_text(a, value, strcspn(value, ","), err), comma ? comma + 1 : "" };

	(void)o;
	if (!part[0])
		return err->code;
	s->pass.compares = true;
	for (unsigned i = 0; i < 2; i++) {
		int rc = TT_OK;

		s->pass.compare[i] = TT_COMPARE_MEDIAN;
		if (strcmp(part[i], "median") != 0)
			rc = tt_parse_count(part[i], 1, UINT64_MAX, &s->pass.compare[i], err);
		if (rc != TT_OK)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not two frames (for example 7,812 or median,812)", value);
	}
	return TT_OK;
}

#define AT(f) offsetof(struct stats_opts, f)

/* Setters of the passes' options of kind TT_OPTION_OTHER. An option without one here is only noted as given. */
static const struct opt pass_opt[] = {
	{ .name = "budget", .set = set_budget }, { .name = "find", .set = set_find }, { .name = "track", .set = set_track },
	{ .name = "compare-frames", .set = set_compare },
	{ .name = "metric", .set = set_metric, .at = AT(metric) }, { .name = "wide", .set = opt_text, .at = AT(pass.wide) },
};

/* The ${i}th option of the passes. */
static const struct tt_option *
pass_option(size_t i)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (const struct tt_option *t = (*p)->option; t && t->name; t++)
			if (i-- == 0)
				return t;
	return NULL;
}

static bool
pass_row(size_t i, struct opt_row *row)
{
	const struct tt_option *t = pass_option(i);

	if (t)
		opts_row(t, "", row);
	return t != NULL;
}

static int
set_pass_option(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_option *t;

	for (size_t i = 0; (t = pass_option(i)) != NULL && strcmp(t->name, o->name) != 0;)
		i++;
	if (t->kind != TT_OPTION_OTHER)
		return opts_read(t, (char *)field + AT(pass) + t->at, value, a, err);
	for (const struct opt *own = pass_opt; own < pass_opt + sizeof pass_opt / sizeof *pass_opt; own++)
		if (strcmp(own->name, o->name) == 0)
			return own->set(own, (char *)field + own->at, value, a, err);
	return TT_OK;
}

static const struct opt table_opt[] = {
	{ .name = "table", .arg = "ID[,ID]", .set = opt_commas, .at = AT(table), .value = table_or_pass,
	    .help = "print only these tables; an ID names a table or a pass (see tracetool list metrics); "
	            "repeatable" },
	{ .name = "sort", .arg = "COLUMN", .set = opt_text, .at = AT(sort),
	    .help = "sort by this column, by its id or title, largest first; -COLUMN: smallest first" },
	{ .name = "limit", .arg = "N", .set = opt_count, .at = AT(limit), .hi = UINT32_MAX,
	    .help = "print at most N rows of a table, 0: all; default 20 in text, otherwise all" },
	{ .name = "group-by", .arg = "KEY", .set = opt_text, .at = AT(group_by),
	    .help = "group rows by thread, assembly, namespace or domain" },
	{ .name = "perf-test-json", .once = true, .arg = "FILE", .set = opt_text, .at = AT(perf_test),
	    .help = "also write frames, allocations and the markers that --marker chooses to FILE, in the layout of Unity's Performance Testing results" },
	{ .more = pass_row, .set = set_pass_option },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Tables", table_opt, 0 },
	REPORT_GROUP(struct stats_opts, out),
	INPUT_GROUPS(struct stats_opts, in),
	{ NULL, NULL, 0 },
};

const struct verb verb_stats = {
	.name = "stats",
	.summary = "print frames, allocations, categories, markers, threads and losses",
	.operands = "FILE...",
	.about = "Print tables of figures: frames, allocations and collections, categories, markers, "
		 "threads, heap shots, samples, exceptions, locks, counters and more, and what was "
		 "lost. tracetool-metrics(7) defines every figure.",
	.examples = "  tracetool stats game.mlpd\n"
		    "  tracetool stats game.mlpd --frame-marker 'Game:Update' --budget 8.33\n"
		    "  tracetool stats game.mlpd --table markers --sort self_ns --limit 50\n"
		    "  tracetool stats game.ttc --frames 812\n"
		    "  tracetool stats game.mlpd --format json -o game.stats.json\n",
	.group = groups,
	.operand_at = offsetof(struct stats_opts, in.path),
	.given_at = offsetof(struct stats_opts, given),
	.kin = &verb_gate,
};

const struct verb verb_summary = {
	.name = "",
	.summary = "print what captures show, on one screen",
	.operands = "FILE...",
	.about = "Without a command, print what the captures show on one screen: whether they are whole, whether frames hold 60 and 30 fps, why "
		 "the longest frames are long, where memory and time go, and what to run next. With an option for tables, print these tables as "
		 "\"tracetool stats\" does.",
	.group = groups,
	.operand_at = offsetof(struct stats_opts, in.path),
	.given_at = offsetof(struct stats_opts, given),
};

/* --- which passes, which tables ---------------------------------------------- */

/* True if ${t} is asked for. */
static bool
wants_table(const struct stats_opts *s, const struct tt_pass *p, const struct tt_pass_table *t)
{
	const struct tt_pass_opts po = { .table = s->table.v };

	return s->table.n ? tt_pass_wants(p, t, &po) : p->standard && !t->extra;
}

/* The name of the column after --sort's minus, or NULL. */
static const char *
sort_column(const struct stats_opts *s)
{
	return s->sort ? s->sort + (s->sort[0] == '-') : NULL;
}

/* TT_E_USAGE unless --buckets applies to one of the tables. */
static int
check_buckets(const struct stats_opts *s, struct tt_err *err)
{
	char list[200] = "", *to = list;

	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];
			const char *asks = tt_pass_asks(t->id);

			if (!s->pass.buckets || (t->parts && wants_table(s, *p, t)))
				return TT_OK;
			if (t->parts && to < list + sizeof list - 100)
				to += sprintf(to, "%s%.40s%s%.40s%s", to > list ? ", " : "", t->id, asks ? " (--" : "", asks ? asks : "", asks ? ")" : "");
		}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --buckets: only these tables have parts of the time: %s", list);
}

/* TT_E_USAGE unless the tables that --wide applies to have its column. */
static int
check_wide(const struct stats_opts *s, struct tt_err *err)
{
	bool any = false;

	if (!s->pass.wide)
		return opts_given(&s->given, "columns") ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --columns is for --wide COLUMN") : TT_OK;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];
			size_t c = 0;

			if (!t->wide || !wants_table(s, *p, t))
				continue;
			while (c < t->ncol && strcmp(t->col[c].id, s->pass.wide) != 0)
				c++;
			if (c == t->ncol || tt_unit_is_text(t->col[c].unit) || strcmp(t->col[c].id, "frame") == 0)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --wide: table %s has no figure \"%s\" (see \"tracetool list metrics\")",
				    t->id, s->pass.wide);
			any = true;
		}
	if (!any)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --wide is for the tables frame_markers, frame_threads and frame_counters");
	return s->sort ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --sort: rows of --wide are frames, in their order") : TT_OK;
}

/* Read the key of --group-by. */
static int
set_group(struct stats_opts *s, struct tt_err *err)
{
	const char *near;

	for (size_t i = 0; s->group_by && tt_group_key(i); i++) {
		if (strcmp(tt_group_key(i), s->group_by) == 0)
			s->group = (enum tt_group)(i + 1);
	}
	if (!s->group_by || s->group)
		return TT_OK;
	if (strchr(s->group_by, ','))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --group-by: rows are grouped by one of thread, assembly, namespace and "
		    "domain, not by \"%s\"", s->group_by);
	near = tt_nearest_word(s->group_by, tt_group_key);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --group-by: \"%s\" is not thread, assembly, namespace or domain%s%s%s",
	    s->group_by, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* True if ${t} has the column ${id} only in its grouped form. */
static bool
is_group_column(const struct stats_opts *s, const struct tt_pass_table *t, const char *id)
{
	if (!s->group || !(t->groups & 1u << s->group))
		return false;
	return (t->group_col & TT_GROUP_FRONT && strcmp(id, tt_group_key(s->group - 1)) == 0) ||
	    (t->group_col & TT_GROUP_COUNT && strcmp(id, "count") == 0);
}

/* List the columns of the tables asked for, each once, as far as ${size} bytes hold them. */
static void
list_columns(const struct stats_opts *s, char *to, size_t size)
{
	size_t at = 0;

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];

			for (size_t c = 0; c < t->ncol && wants_table(s, *p, t); c++) {
				char one[80], *was = to;
				size_t n = (size_t)snprintf(one, sizeof one, ", %s", t->col[c].id);

				while ((was = strstr(was, one)) && was[n] && was[n] != ',')
					was++;
				if (was)
					continue;
				if (at + n + 8 > size) {
					strcpy(to + at, ", ...");
					return;
				}
				memcpy(to + at, one, n + 1);
				at += n;
			}
		}
	}
}

static int
no_column(const struct stats_opts *s, const char *id, const char *near, struct tt_err *err)
{
	char list[300] = "";

	if (near)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --sort: no column \"%.60s\"; did you mean \"%s\"?", id, near);
	list_columns(s, list, sizeof list);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --sort: no column \"%.60s\"; there are %s", id, *list ? list + 2 : "none");
}

/* TT_E_USAGE, before captures are read, if none of the tables has the column of --sort. */
static int
check_sort(const struct stats_opts *s, struct tt_err *err)
{
	const char *id = sort_column(s), *near = NULL;
	size_t least = SIZE_MAX;

	if (!id)
		return TT_OK;
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];

			if (wants_table(s, *p, t) && is_group_column(s, t, id))
				return TT_OK;
			if (wants_table(s, *p, t) && tt_column_called(t->col, t->ncol, id) < t->ncol)
				return TT_OK;
			for (size_t c = 0; c < t->ncol && wants_table(s, *p, t); c++) {
				size_t d = tt_word_distance(id, t->col[c].id);

				if (d < least) {
					least = d;
					near = t->col[c].id;
				}
			}
		}
	}
	return no_column(s, id, near, err);
}

/* The largest number of rows of a table; 0: all. */
static size_t
row_limit(const struct stats_opts *s, size_t standard)
{
	return opts_given(&s->given, "limit") ? s->limit : report_form(&s->out) == TT_RENDER_TEXT ? standard : 0;
}

/* Sort and cut the tables as asked for. */
static void
arrange(struct app *app, const struct stats_opts *s, struct tt_report *r, size_t limit)
{
	const char *column = sort_column(s);

	for (struct tt_table *t = r->first; t; t = t->next) {
		if (column && !t->tree && tt_column_called(t->col, t->ncol, column) < t->ncol)
			tt_table_sort(t, s->sort, &r->err);
		if (t->stream && t->stream->by && limit == 0)
			ui_say(&app->ui, "table %s: sorting holds all its rows in memory; with --limit N, about twice N at most", t->id);
	}
	tt_tables_cut(r, limit, opts_given(&s->given, "limit"));
}

static void
fill_report(struct app *app, const struct stats_opts *s, struct tt_views *view, const struct tt_series *series, size_t limit,
    struct tt_report *r)
{
	struct tt_pass_opts po = s->pass;

	po.budget = s->budget.v;
	po.nbudget = (unsigned)s->budget.n;
	po.table = s->table.v;
	po.series = series;
	po.rows = s->sort ? 0 : limit;
	po.group = s->group;
	po.folds_zeros = limit > 0;
	tt_capture_notes(&app->loss, view->m, r);
	tt_series_notes(&s->metric, r);
	tt_tables_fill(view, &po, r);
	for (struct tt_table *t = r->first; t; t = t->next) {
		const char *asks = tt_pass_asks(t->id);

		if (asks && !opts_given(&s->given, asks))
			t->empty_reason = tt_text(r, "nothing was asked for: give --%s", asks);
	}
	arrange(app, s, r, limit);
}

/* --- the summary ---------------------------------------------------------------- */

/* True if options ask for tables; otherwise the summary is printed. */
static bool
asks_for_tables(const struct stats_opts *s)
{
	struct opt_row row;

	for (struct opt_walk w = opts_of_group(&groups[0]); opts_next(&w, &row);)
		if (opts_given(&s->given, row.o.name))
			return true;
	return false;
}

/* Fill one screen with the summary. If the output is no terminal, it has the least width. */
static void
fill_summary(struct app *app, struct stats_opts *s, struct tt_views *view, struct tt_report *r)
{
	enum { SCREEN = 80 };

	if (s->out.width < 0 && report_width(&s->out) == 0)
		s->out.width = SCREEN;
	tt_capture_notes(&app->loss, view->m, r);
	tt_filter_notes(view->m, TT_GROUP_NONE, r);
	summary_fill(app, view, &s->given, &s->in.path, &s->out, r);
}

/* --- the run ------------------------------------------------------------------- */

/* TT_E_USAGE if the report or the results would replace an input or each other. */
static int
check_outputs(struct app *app, const struct stats_opts *s, struct tt_err *err)
{
	const char *report = s->out.output ? s->out.output : "-";
	struct opt_list writes = { 0 };
	int rc = TT_OK;

	if (s->out.output && input_is(&s->in, report))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", report);
	if (!s->perf_test)
		return TT_OK;
	if (strcmp(s->perf_test, "-") == 0 && strcmp(report, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --perf-test-json: standard output is taken by the tables (-o FILE)");
	rc = opt_list_add(&writes, report, &app->arena, err);
	if (rc == TT_OK)
		rc = opt_list_add(&writes, s->perf_test, &app->arena, err);
	return rc == TT_OK ? tt_outputs_check(writes.v, s->in.path.v, err) : rc;
}

static int
stats(struct app *app, struct stats_opts *s, bool summary, struct tt_err *err)
{
	struct tt_run_opts run;
	struct tt_model *m = NULL;
	struct tt_views view = { 0 };
	struct tt_report r;
	const struct tt_emit *emit = tt_emit_named("perf-test");
	const struct tt_emit_opts emit_opts = { .env = &app->env, .path = s->perf_test, .generator = TT_GENERATOR };
	int rc = input_setup(app, &s->in, &run, err);

	if (rc == TT_OK)
		rc = check_sort(s, err);
	if (rc == TT_OK)
		rc = check_buckets(s, err);
	if (rc == TT_OK)
		rc = check_wide(s, err);
	if (rc == TT_OK)
		rc = check_outputs(app, s, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_series_begin(&s->metric, s->pass.buckets ? s->pass.buckets : TT_TIMELINE_BUCKETS, &run, &app->arena, err);
	report_pager(app, &s->out);
	if (rc == TT_OK)
		rc = input_confine(app, &s->in, s->out.output, s->perf_test, &run, err);
	if (rc != TT_OK)
		return rc;
	run.hitches = (unsigned)s->pass.hitches;
	run.buckets = s->pass.buckets;
	run.find = (struct tt_find){ .min_size = s->find_size, .type = s->find_type.v, .addr = s->track_addr,
		.naddr = s->track.n };
	summary = summary && !asks_for_tables(s);
	run.needs |= summary ? tt_summary_needs() : tt_tables_needs(&(struct tt_pass_opts){ .table = s->table.v });
	run.emit = &emit;
	run.emit_opts = &emit_opts;
	run.nemit = s->perf_test != NULL;
	tt_report_init(&r, &app->env.mem);
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		if (summary)
			fill_summary(app, s, &view, &r);
		else
			fill_report(app, s, &view, tt_series_read(&s->metric), row_limit(s, TT_TEXT_ROWS), &r);
		rc = report_write(app, &s->out, &r, err);
	}
	tt_report_free(&r);
	tt_view_free(&view);
	tt_model_free(m);
	return rc;
}

/*
 * Add the tables that options ask for. An option's table replaces another (instead), is added to those asked for, or is printed only if there are none (alone).
 */
static int
add_tables(struct stats_opts *s, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_option *t;
	int rc = TT_OK;

	for (int alone = 0; alone < 2; alone++)
		for (size_t i = 0; rc == TT_OK && (t = pass_option(i)) != NULL; i++) {
			if (!t->table || t->alone != alone || !opts_given(&s->given, t->name))
				continue;
			for (size_t k = 0; t->instead && k < s->table.n; k++)
				if (strcmp(s->table.v[k], t->instead) == 0)
					s->table.v[k] = t->table;
			if (s->table.n == 0 || !(t->instead || t->alone))
				rc = opt_list_add(&s->table, t->table, a, err);
		}
	return rc;
}

/* For --frames with a single number and no table, or only tables of two frames, compare that frame with the median frame. */
static int
add_frame(struct stats_opts *s, struct tt_arena *a, struct tt_err *err)
{
	const bool none = s->table.n == 0;

	if (s->pass.compares || s->group || s->perf_test || !s->in.one_frame)
		return TT_OK;
	for (size_t i = 0; i < s->table.n; i++) {
		const struct tt_pass *p = tt_pass_named(s->table.v[i]);

		tt_pass_table_named(s->table.v[i], &p);
		if (!p || strcmp(p->name, "compare_frames") != 0)
			return TT_OK;
	}
	s->in.has_frames = false;
	s->pass.compares = true;
	s->pass.compare[0] = TT_COMPARE_MEDIAN;
	s->pass.compare[1] = s->in.frame_first;
	return none ? opt_list_add(&s->table, "compare_frames", a, err) : TT_OK;
}

static int
run_tables(struct app *app, const struct verb *verb, int argc, char **argv, struct tt_err *err)
{
	struct stats_opts s = { .pass = tt_pass_defaults, .find_size = UINT64_MAX };
	int rc;

	input_defaults(&s.in);
	report_defaults(&s.out);
	rc = app_parse(app, verb, &s, &s.in.ui, argc, argv, err);
	if (rc == TT_END)
		return TT_OK;
	if (rc == TT_OK)
		rc = add_tables(&s, &app->arena, err);
	if (rc == TT_OK)
		rc = set_group(&s, err);
	if (rc == TT_OK && (verb == &verb_stats || s.table.n))
		rc = add_frame(&s, &app->arena, err);
	return rc == TT_OK ? stats(app, &s, verb == &verb_summary, err) : rc;
}

int
run_stats(struct app *app, int argc, char **argv, struct tt_err *err)
{
	/* Gates had no command of their own at first. */
	if (opts_has_argument(argc, argv, "gate") || opts_has_argument(argc, argv, "suggest"))
		return run_gate(app, argc, argv, err);
	return run_tables(app, &verb_stats, argc, argv, err);
}

int
run_summary(struct app *app, int argc, char **argv, struct tt_err *err)
{
	return run_tables(app, &verb_summary, argc, argv, err);
}
