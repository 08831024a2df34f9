/**
 * Collects names and their definitions.
 */
#include "definitions.h"

#include <string.h>

#include "batch/aggregate.h"
#include "batch/plan_tables.h"
#include "diff/diff_report.h"
#include "gate/history_tables.h"
#include "gate/measure.h"
#include "gate/sessions.h"
#include "model/glossary.h"
#include "model/loss.h"
#include "out/render.h"
#include "out/table.h"
#include "pass/pass.h"
#include "summary/summary.h"

#define SUMMARY "tracetool FILE"

static const struct tt_col table_col[] = {
	{ "table", "table", TT_UNIT_TEXT, "for --table" },
	{ "title", "title", TT_UNIT_PROSE, "as people see it" },
	{ "columns", "columns", TT_UNIT_PROSE, "their ids" },
	{ "command", "to print it", TT_UNIT_COMMAND, "the command" },
};
static const struct tt_col column_col[] = {
	{ "table", "table", TT_UNIT_TEXT, "for --table" },
	{ "column", "column", TT_UNIT_TEXT, "for --sort, in CSV and JSON" },
	{ "title", "title", TT_UNIT_TEXT, "as people see it" },
	{ "unit", "unit", TT_UNIT_TEXT, "of the number" },
	{ "help", "what it is", TT_UNIT_PROSE, "in one line; tracetool-metrics(7) has the definition" },
};
static const struct tt_col other_col[] = {
	{ "command", "command", TT_UNIT_COMMAND, "that prints it" },
	{ "table", "table", TT_UNIT_TEXT, "its id" },
	{ "column", "column", TT_UNIT_TEXT, "in CSV and JSON" },
	{ "title", "title", TT_UNIT_TEXT, "as people see it" },
	{ "unit", "unit", TT_UNIT_TEXT, "of the number" },
	{ "help", "what it is", TT_UNIT_PROSE, "in one line; the command's page has more" },
};
static const struct tt_col metric_col[] = {
	{ "metric", "metric", TT_UNIT_TEXT, "for a budget's rows" },
	{ "unit", "unit", TT_UNIT_TEXT, "of limits" },
	{ "needs", "needs", TT_UNIT_PROSE, "the key that says whose figure, or over which limit" },
	{ "stats", "statistics", TT_UNIT_PROSE, "the usual one first" },
	{ "help", "what it is", TT_UNIT_PROSE, "in one line; tracetool-metrics(7) has the definition" },
};
static const struct tt_col loss_col[] = {
	{ "loss", "loss", TT_UNIT_TEXT, "in the table loss, and the id of a note in JSON" },
	{ "severity", "severity", TT_UNIT_TEXT, "info, notice, loss or error" },
	{ "damage", "damage", TT_UNIT_BOOL, "the capture itself is damaged: exit status 3" },
	{ "help", "what it is", TT_UNIT_PROSE, "what is counted" },
	{ "advice", "what to do", TT_UNIT_PROSE, "advice" },
};
static const struct tt_col note_col[] = {
	{ "note", "note", TT_UNIT_TEXT, "its id in JSON" },
	{ "help", "what it is", TT_UNIT_PROSE, "what it says" },
};
static const struct tt_col term_col[] = {
	{ "term", "term", TT_UNIT_TEXT, "of the manual" },
	{ "help", "what it is", TT_UNIT_PROSE, "its definition" },
};
static const struct tt_col zone_col[] = {
	{ "zone", "zone", TT_UNIT_TEXT, "that tracetool makes itself" },
	{ "help", "what it is", TT_UNIT_PROSE, "its definition" },
};

/* By enum definition_kind. */
static const struct { const char *id, *title; const struct tt_col *col; size_t ncol; } shown[DEF_KINDS] = {
	[DEF_TABLE] = { "tables", "Tables", table_col, TT_NCOL(table_col) },
	[DEF_COLUMN] = { "metrics", "Tables and columns", column_col, TT_NCOL(column_col) },
	[DEF_OTHER] = { "columns", "Columns of other commands", other_col, TT_NCOL(other_col) },
	[DEF_METRIC] = { "gate", "Metrics of budgets", metric_col, TT_NCOL(metric_col) },
	[DEF_LOSS] = { "losses", "Kinds of loss", loss_col, TT_NCOL(loss_col) },
	[DEF_NOTE] = { "notes", "Notes on reports", note_col, TT_NCOL(note_col) },
	[DEF_TERM] = { "terms", "Terms", term_col, TT_NCOL(term_col) },
	[DEF_ZONE] = { "zones", "Zones that tracetool makes", zone_col, TT_NCOL(zone_col) },
};

/* --- all of them ----------------------------------------------------------- */

/* Call ${f} for a table, or for its columns; ${command} prints the table, NULL: a pass makes it. */
typedef void each_fn(definition_fn *f, void *arg, const struct tt_pass_table *t, const char *command);

static void
each_table(definition_fn *f, void *arg, const struct tt_pass_table *t, const char *command)
{
	const struct definition d = { DEF_TABLE, { t->id, t->title, NULL }, t, NULL, command };

	f(arg, &d);
}

/* Columns of passes and of the summary get one kind of definition; columns of other commands get a second kind. */
static void
each_column(definition_fn *f, void *arg, const struct tt_pass_table *t, const char *command)
{
	const enum definition_kind kind = command && strcmp(command, SUMMARY) != 0 ? DEF_OTHER : DEF_COLUMN;

	for (size_t i = 0; i < t->ncol; i++) {
		const struct definition d = { kind, { t->col[i].id, t->col[i].title, NULL }, t, &t->col[i], command };

		f(arg, &d);
	}
}

static bool
summary_at(size_t i, struct tt_pass_table *t)
{
	const struct tt_pass_table *of = tt_summary_table(i);

	if (of)
		*t = *of;
	return of;
}

static bool
in_list(const struct tt_pass_table *list, size_t i, struct tt_pass_table *t)
{
	*t = list[i];
	return t->id;
}

static bool plan_at(size_t i, struct tt_pass_table *t) { return in_list(tt_batch_plan_tables, i, t); }
static bool history_at(size_t i, struct tt_pass_table *t) { return in_list(tt_history_tables, i, t); }
static bool baseline_at(size_t i, struct tt_pass_table *t) { return in_list(tt_session_tables, i, t); }

/* Tables without a pass. */
static const struct { const char *command; bool (*table)(size_t i, struct tt_pass_table *t); } others[] = {
	{ SUMMARY, summary_at },
	{ "tracetool diff A... -- B...", tt_diff_table },
	{ "tracetool batch FILE...", tt_aggregate_table },
	{ "tracetool batch --plan FILE...", plan_at },
	{ "tracetool baseline BASE", history_at },
	{ "tracetool baseline list BASE", baseline_at },
};

static void
in_tables(each_fn *each, definition_fn *f, void *arg)
{
	struct tt_pass_table t;

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++)
			each(f, arg, &(*p)->tables[i], NULL);
	}
	for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
		for (size_t i = 0; others[k].table(i, &t); i++)
			each(f, arg, &t, others[k].command);
	}
}

static void
in_glossary(enum definition_kind kind, const struct tt_glossary_word *w, definition_fn *f, void *arg)
{
	for (; w->name; w++) {
		const struct definition d = { kind, { w->name, NULL }, w, NULL, NULL };

		f(arg, &d);
	}
}

void
definitions_each(definition_fn *f, void *arg)
{
	in_tables(each_table, f, arg);
	in_tables(each_column, f, arg);
	for (const struct tt_metric *m = tt_metrics; m->name; m++) {
		const struct definition d = { DEF_METRIC, { m->name, m->title, NULL }, m, NULL, NULL };

		f(arg, &d);
	}
	for (size_t k = 0; k < TT_LOST_KINDS; k++) {
		const struct definition d = { DEF_LOSS, { tt_loss_info[k].id, tt_loss_info[k].text, NULL }, &tt_loss_info[k], NULL, NULL };

		f(arg, &d);
	}
	in_glossary(DEF_NOTE, tt_glossary_notes, f, arg);
	in_glossary(DEF_TERM, tt_glossary_terms, f, arg);
	in_glossary(DEF_ZONE, tt_glossary_zones, f, arg);
}

/* --- rows -------------------------------------------------------------------- */

/* By enum tt_unit: the name of the unit in JSON and CSV. */
static const char *const unit_name[] = {
	[TT_UNIT_TEXT] = "text", [TT_UNIT_COUNT] = "count", [TT_UNIT_NS] = "ns", [TT_UNIT_BYTES] = "bytes",
	[TT_UNIT_PERCENT] = "%", [TT_UNIT_MILLI] = "number", [TT_UNIT_HEX] = "hex", [TT_UNIT_BOOL] = "yes/no",
	[TT_UNIT_VALUE] = "the row's", [TT_UNIT_PROSE] = "text", [TT_UNIT_COMMAND] = "text",
};

static const char *const needs[] = {
	[TT_SELECT_NONE] = "", [TT_SELECT_MARKER] = "marker", [TT_SELECT_CATEGORY] = "category",
	[TT_SELECT_COUNTER] = "counter", [TT_SELECT_THREAD] = "thread", [TT_SELECT_LIMIT] = "limit",
	[TT_SELECT_ROW] = "row", [TT_SELECT_GROUP] = "group",
};

/* List the statistics of a metric, the usual one first. */
static const char *
stats_text(struct tt_report *r, const struct tt_metric *m)
{
	const char *s = tt_stat_name[m->usual];

	for (unsigned k = 0; k < TT_STATS; k++) {
		if ((m->stats & 1u << k) && k != m->usual)
			s = tt_text(r, "%s %s", s, tt_stat_name[k]);
	}
	return s;
}

static const char *
columns_text(struct tt_report *r, const struct tt_pass_table *t)
{
	const char *s = "";

	for (size_t i = 0; i < t->ncol; i++)
		s = tt_text(r, "%s%s%s", s, i > 0 ? " " : "", t->col[i].id);
	return s;
}

/* Return the command that prints the table ${d}; in ${brief}, with TABLE in place of its name. */
static const char *
command_text(struct tt_report *r, const struct definition *d, bool brief)
{
	const struct tt_pass_table *t = d->of;
	const char *asks = tt_pass_needed_option(t->id), *id = brief ? "TABLE" : t->id;

	if (d->command)
		return d->command;
	if (asks && brief)
		return tt_text(r, "tracetool stats --%s ... FILE", asks);
	return asks ? tt_text(r, "tracetool stats --table %s --%s ... FILE", id, asks) : tt_text(r, "tracetool stats --table %s FILE", id);
}

/* Return the table of ${r} for this kind, after making it if it does not exist. */
static struct tt_table *
table_for(struct tt_report *r, enum definition_kind kind)
{
	for (struct tt_table *t = r->first; t; t = t->next) {
		if (t->id == shown[kind].id)
			return t;
	}
	struct tt_table *t = tt_report_table(r, shown[kind].id, shown[kind].title, shown[kind].col, shown[kind].ncol);
	/* columns that are kept longest: the second name, or the command, which longer texts would displace */
	t->answer = kind == DEF_COLUMN ? 1 : kind == DEF_TABLE ? 3 : 0;
	return t;
}

static void
loss_row(struct tt_report *r, struct tt_cell *c, const struct tt_loss_info *i)
{
	char room[TT_LOSS_ADVICE];

	tt_cell_text(&c[0], i->id);
	tt_cell_text(&c[1], tt_severity_name[i->severity]);
	tt_cell_int(&c[2], i->damage);
	tt_cell_text(&c[3], i->text);
	tt_cell_text(&c[4], tt_text(r, "%s", tt_loss_advice(i, room)));
}

static void
metric_row(struct tt_report *r, struct tt_cell *c, const struct tt_metric *m)
{
	tt_cell_text(&c[0], m->name);
	tt_cell_text(&c[1], tt_dim_name[m->dim]);
	tt_cell_name(&c[2], needs[m->select]);
	tt_cell_text(&c[3], stats_text(r, m));
	tt_cell_text(&c[4], m->help);
}

static void
column_row(struct tt_cell *c, const struct definition *d)
{
	const struct tt_pass_table *t = d->of;
	const struct tt_col *col = d->in;

	if (d->kind == DEF_OTHER)
		tt_cell_text(c++, d->command);
	tt_cell_text(&c[0], t->id);
	tt_cell_text(&c[1], col->id);
	tt_cell_name(&c[2], col->title);
	tt_cell_text(&c[3], unit_name[col->unit]);
	tt_cell_name(&c[4], col->help);
}

void
definition_row(struct tt_report *r, const struct definition *d, bool brief)
{
	struct tt_cell *c = tt_row(table_for(r, d->kind));
	const struct tt_pass_table *t = d->of;
	const struct tt_glossary_word *w = d->of;

	switch (d->kind) {
	case DEF_TABLE:
		tt_cell_text(&c[0], t->id);
		tt_cell_text(&c[1], t->title);
		tt_cell_name(&c[2], brief ? NULL : columns_text(r, t));
		tt_cell_text(&c[3], command_text(r, d, brief));
		break;
	case DEF_COLUMN:
	case DEF_OTHER:
		column_row(c, d);
		break;
	case DEF_METRIC:
		metric_row(r, c, d->of);
		break;
	case DEF_LOSS:
		loss_row(r, c, d->of);
		break;
	default:
		tt_cell_text(&c[0], w->name);
		tt_cell_text(&c[1], w->text);
	}
}
