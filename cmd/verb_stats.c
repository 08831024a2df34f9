/**
 * tracetool stats: prints tables of figures; the command without a verb prints a summary.
 */
#include <string.h>

#include "cmd.h"
#include "collect/timeline.h"
#include "emit/emit.h"
#include "io/outputs.h"
#include "pass/choice.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "run/run.h"
#include "stats_opts.h"
#include "summary_commands.h"
#include "summary/summary.h"
#include "version.h"
#include "view/view.h"

/* --- which passes, which tables ---------------------------------------------- */

/* Return the column of --sort without a leading minus, or NULL. */
static const char *
sort_column(const struct stats_opts *s)
{
	return s->sort ? s->sort + (s->sort[0] == '-') : NULL;
}

/* Fail with TT_E_USAGE, before captures are read, if options do not apply to the chosen tables. */
static int
check_tables(const struct stats_opts *s, struct tt_err *err)
{
	const struct tt_table_choice c = { s->table.v, s->group };
	bool any;

	if (s->sort && tt_choice_check_column(&c, sort_column(s), err) != TT_OK)
		return tt_err_in(err, "option --sort");
	if (s->pass.nbuckets && tt_choice_check_parts(&c, err) != TT_OK)
		return tt_err_in(err, "option --buckets");
	if (!s->pass.wide_figure)
		return tt_opts_given(&s->given, "columns") ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --columns is for --wide COLUMN") : TT_OK;
	if (tt_choice_check_wide(&c, s->pass.wide_figure, &any, err) != TT_OK)
		return tt_err_in(err, "option --wide");
	if (!any)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --wide is for the tables frame_markers, frame_threads and frame_counters");
	return s->sort ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --sort: rows of --wide are frames, in their order") : TT_OK;
}

/* Read the key of --group-by. */
static int
set_group(struct stats_opts *s, struct tt_err *err)
{
	struct tt_table_choice c = { .group = TT_GROUP_NONE };

	if (s->group_by && tt_choice_set_group(&c, s->group_by, err) != TT_OK)
		return tt_err_in(err, "option --group-by");
	s->group = c.group;
	return TT_OK;
}

/* Return the maximum number of rows of a table; 0: all. */
static size_t
row_limit(const struct stats_opts *s, size_t standard)
{
	return tt_opts_given(&s->given, "limit") ? tt_clamp_size(s->limit) : report_form(&s->out) == TT_RENDER_TEXT ? standard : 0;
}

/* Sort and cut the tables as the options say. */
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
	tt_tables_cut(r, limit, tt_opts_given(&s->given, "limit"));
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
	po.max_rows = s->sort ? 0 : limit;
	po.group = s->group;
	po.folds_zeros = limit > 0;
	tt_capture_notes(&app->loss, view->m, r);
	tt_series_notes(&s->metric, r);
	tt_tables_fill(view, &po, r);
	for (struct tt_table *t = r->first; t; t = t->next) {
		const char *asks = tt_pass_needed_option(t->id);

		if (asks && !tt_opts_given(&s->given, asks))
			t->empty_reason = tt_text(r, "nothing was asked for: give --%s", asks);
	}
	arrange(app, s, r, limit);
}

/* --- the summary ---------------------------------------------------------------- */

/* Fill one screen with the summary. If the output is not a terminal, use the minimum width. */
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

/* Fail with TT_E_USAGE if the report or the results would replace an input or each other. */
static int
check_outputs(struct app *app, const struct stats_opts *s, struct tt_err *err)
{
	const char *report = s->out.output ? s->out.output : "-";
	struct tt_list writes = { 0 };
	int rc = TT_OK;

	if (s->out.output && input_is(&s->in, report))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", report);
	if (!s->perf_test)
		return TT_OK;
	if (strcmp(s->perf_test, "-") == 0 && strcmp(report, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --perf-test-json: standard output is taken by the tables (-o FILE)");
	rc = tt_list_add(&writes, report, &app->arena, err);
	TT_THEN(rc, tt_list_add(&writes, s->perf_test, &app->arena, err));
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

	TT_THEN(rc, check_tables(s, err));
	TT_THEN(rc, check_outputs(app, s, err));
	if (rc != TT_OK)
		return rc;
	rc = tt_series_begin(&s->metric, s->pass.nbuckets ? tt_clamp_size(s->pass.nbuckets) : TT_TIMELINE_BUCKETS, &run, &app->arena, err);
	report_pager(app, &s->out);
	TT_THEN(rc, input_confine(app, &s->in, s->out.output, s->perf_test, &run, err));
	if (rc != TT_OK)
		return rc;
	run.hitches = (unsigned)s->pass.max_hitches;
	run.buckets = tt_clamp_size(s->pass.nbuckets);
	run.find = (struct tt_find){ .min_size = s->find_size, .type = s->find_type.v, .addr = s->track_addr,
		.naddr = s->track.n };
	summary = summary && !stats_asks_for_tables(s);
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

/* For --frames with a single number, compare that frame with the median frame, if no table is chosen or only tables of two frames are. */
static int
add_frame(struct stats_opts *s, struct tt_arena *a, struct tt_err *err)
{
	const bool none = s->table.n == 0;

	if (s->pass.compares_two || s->group || s->perf_test || !s->in.one_frame)
		return TT_OK;
	for (size_t i = 0; i < s->table.n; i++) {
		const struct tt_pass *p = tt_pass_named(s->table.v[i]);

		tt_pass_table_named(s->table.v[i], &p);
		if (!p || strcmp(p->name, "compare_frames") != 0)
			return TT_OK;
	}
	s->in.has_frames = false;
	s->pass.compares_two = true;
	s->pass.compare[0] = TT_COMPARE_MEDIAN;
	s->pass.compare[1] = s->in.frame_first;
	return none ? tt_list_add(&s->table, "compare_frames", a, err) : TT_OK;
}

static int
run_tables(struct app *app, const struct tt_verb *verb, int argc, char **argv, struct tt_err *err)
{
	struct stats_opts s = { .pass = tt_pass_defaults, .find_size = UINT64_MAX };
	int rc;

	input_defaults(&s.in);
	report_defaults(&s.out);
	rc = app_parse(app, verb, &s, &s.in.ui, argc, argv, err);
	if (rc == TT_END)
		return TT_OK;
	TT_THEN(rc, stats_add_tables(&s, &app->arena, err));
	TT_THEN(rc, set_group(&s, err));
	if (rc == TT_OK && (verb == &verb_stats || s.table.n))
		rc = add_frame(&s, &app->arena, err);
	return rc == TT_OK ? stats(app, &s, verb == &verb_summary, err) : rc;
}

int
run_stats(struct app *app, int argc, char **argv, struct tt_err *err)
{
	/* Gates once had no command of their own. */
	if (tt_opts_has_argument(argc, argv, "gate") || tt_opts_has_argument(argc, argv, "suggest"))
		return run_gate(app, argc, argv, err);
	return run_tables(app, &verb_stats, argc, argv, err);
}

int
run_summary(struct app *app, int argc, char **argv, struct tt_err *err)
{
	return run_tables(app, &verb_summary, argc, argv, err);
}
