/**
 * Reads the options that choose the tables to print, and the data in them.
 */
#include "stats_opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/parse_value.h"
#include "cmd.h"
#include "view/figures.h"

#define BUDGETS_MAX (sizeof ((struct tt_pass_opts *)NULL)->budget_ns / sizeof(int64_t))

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
set_budget(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	int rc;

	(void)o;
	if (s->budget.n == BUDGETS_MAX)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "at most %u budgets", (unsigned)BUDGETS_MAX);
	rc = tt_parse_milliseconds(value, &s->pass.budget_ns[s->budget.n], err);
	s->pass.budget_ns[s->budget.n] = tt_frame_limit(s->pass.budget_ns[s->budget.n]);
	return rc != TT_OK ? rc : tt_list_add(&s->budget, value, a, err);
}

/* --find "S:SIZE" or "T:CLASS", as in mprof-report. */
static int
set_find(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	uint64_t size = 0;
	int rc;

	(void)o;
	if (strncmp(value, "T:", 2) == 0 && value[2])
		return tt_opt_patterns(o, &s->find_type, value + 2, a, err);
	if (strncmp(value, "S:", 2) != 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is neither S:SIZE nor T:CLASS", value);
	rc = tt_parse_size(value + 2, &size, err);
	if (rc == TT_OK && size < s->find_size)
		s->find_size = size;
	return rc;
}

static int
set_track(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
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
	return tt_list_add(&s->track, value, a, err);
}

static int
set_metric(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o;
	return tt_series_add(field, value, a, err);
}

/* --compare-frames "812,median". */
static int
set_compare(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct stats_opts *s = field;
	const char *comma = strchr(value, ',');
	const char *const part[2] = { tt_arena_text(a, value, strcspn(value, ","), err), comma ? comma + 1 : "" };

	(void)o;
	if (!part[0])
		return err->code;
	s->pass.compares_two = true;
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
static const struct tt_opt pass_opt[] = {
	{ .name = "budget", .set = set_budget }, { .name = "find", .set = set_find }, { .name = "track", .set = set_track },
	{ .name = "compare-frames", .set = set_compare },
	{ .name = "metric", .set = set_metric, .at = AT(metric) }, { .name = "wide", .set = tt_opt_text, .at = AT(pass.wide_figure) },
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
pass_row(size_t i, struct tt_opt_row *row)
{
	const struct tt_option *t = pass_option(i);

	if (t)
		tt_opts_row(t, "", row);
	return t != NULL;
}

static int
set_pass_option(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_option *t;

	for (size_t i = 0; (t = pass_option(i)) != NULL && strcmp(t->name, o->name) != 0;)
		i++;
	if (t->kind != TT_OPTION_OTHER)
		return tt_opts_read(t, (char *)field + AT(pass) + t->at, value, a, err);
	for (const struct tt_opt *own = pass_opt; own < pass_opt + sizeof pass_opt / sizeof *pass_opt; own++)
		if (strcmp(own->name, o->name) == 0)
			return own->set(own, (char *)field + own->at, value, a, err);
	return TT_OK;
}

static const struct tt_opt table_opt[] = {
	{ .name = "table", .arg = "ID[,ID]", .set = tt_opt_commas, .at = AT(table), .value = table_or_pass,
	    .help = "print only these tables; an ID names a table or a pass (see tracetool list metrics); "
	            "repeatable" },
	{ .name = "sort", .arg = "COLUMN", .set = tt_opt_text, .at = AT(sort),
	    .help = "sort by this column, by its id or title, largest first; -COLUMN: smallest first" },
	{ .name = "limit", .arg = "N", .set = tt_opt_count, .at = AT(limit), .hi = UINT32_MAX,
	    .help = "print at most N rows of a table, 0: all; default 20 in text, otherwise all" },
	{ .name = "group-by", .arg = "KEY", .set = tt_opt_text, .at = AT(group_by),
	    .help = "group rows by thread, assembly, namespace or domain" },
	{ .name = "perf-test-json", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(perf_test),
	    .help = "also write frames, allocations and the markers that --marker chooses to FILE, in the layout of Unity's Performance Testing results" },
	{ .list_row = pass_row, .set = set_pass_option },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Tables", table_opt, 0 },
	REPORT_GROUP(struct stats_opts, out),
	INPUT_GROUPS(struct stats_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_stats = {
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
	.related_verb = &verb_gate,
};

const struct tt_verb verb_summary = {
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

bool
stats_asks_for_tables(const struct stats_opts *s)
{
	struct tt_opt_row row;

	for (struct tt_opt_walk w = tt_opts_of_group(&groups[0]); tt_opts_next(&w, &row);)
		if (tt_opts_given(&s->given, row.o.name))
			return true;
	return false;
}

/*
 * Add the tables of options: an option's table replaces another one (instead), is added to the chosen ones, or is printed only if no table is chosen (alone).
 */
int
stats_add_tables(struct stats_opts *s, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_option *t;
	int rc = TT_OK;

	for (int alone = 0; alone < 2; alone++)
		for (size_t i = 0; rc == TT_OK && (t = pass_option(i)) != NULL; i++) {
			if (!t->table || t->if_no_table != alone || !tt_opts_given(&s->given, t->name))
				continue;
			for (size_t k = 0; t->replaces && k < s->table.n; k++)
				if (strcmp(s->table.v[k], t->replaces) == 0)
					s->table.v[k] = t->table;
			if (s->table.n == 0 || !(t->replaces || t->if_no_table))
				rc = tt_list_add(&s->table, t->table, a, err);
		}
	return rc;
}
