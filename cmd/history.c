/**
 * tracetool history: shows the figures of a baseline's sessions over time, and when they changed.
 */
#include "verdict/history_picture.h"

#include <string.h>

#include "cmd.h"
#include "gate.h"
#include "gate/document.h"
#include "io/outputs.h"
#include "metric_series.h"
#include "model/filter.h"
#include "pass/pass.h"
#include "report.h"
#include "version.h"

struct history_opts {
	struct opt_list arg, row;
	const char *budget;
	struct report_opts out;
	struct ui_opts ui;
};

#define AT(f) offsetof(struct history_opts, f)

static const struct opt figure_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = opt_text, .at = AT(budget),
	    .help = "show the figures of this budget's rows; default: the usual ones of each capture" },
	{ .name = "row", .arg = "NAME", .set = opt_patterns, .at = AT(row), .help = "show the figures that a NAME matches, like 'frame*'; repeatable" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Figures", figure_opt, 0 },
	REPORT_GROUP(struct history_opts, out),
	UI_GROUP(struct history_opts, ui),
	{ NULL, NULL, 0 },
};

const struct verb verb_history = {
	.name = "history",
	.summary = "show the sessions of baselines over time, and when figures changed",
	.operands = "BASE...",
	.about = "Show how figures change over the sessions in baselines of \"tracetool stats --save\": a line for each figure, with a chart and the place "
	    "where its level changed for good. -o FILE.svg makes a picture, -o FILE.html a page.",
	.examples = "  tracetool history base.json\n"
		    "  tracetool history base.json --gate budget.json --row 'frame*'\n"
		    "  tracetool history base.json -o history.html\n"
		    "  tracetool history phone.json tablet.json --format csv -o history.csv\n",
	.group = groups,
	.operand_at = offsetof(struct history_opts, arg),
};

/* The state of one run. */
struct histories {
	struct app *app;
	const struct history_opts *o;
	struct tt_arena a;
	struct tt_budget budget;
	struct tt_history_figure *f;
	size_t n, cap;
};

/* --- figures -------------------------------------------------------------------------- */

static bool
is_chosen(const struct history_opts *o, const char *name)
{
	bool chosen = o->row.n == 0;

	for (size_t i = 0; i < o->row.n; i++)
		chosen |= tt_glob(o->row.v[i], name);
	return chosen;
}

static int
add_figure(struct histories *x, const struct tt_baseline *b, const struct tt_budget_row *row, size_t which, struct tt_err *err)
{
	const struct tt_measure *m = &x->budget.measure[which];
	struct tt_history_figure f = { .base = x->o->arg.n > 1 ? b->path : NULL, .name = row ? row->id : m->key };
	int rc;

	if (!is_chosen(x->o, f.name))
		return TT_OK;
	f.title = tt_measure_title(m, &x->a, err);
	if (!f.title)
		return err->code;
	rc = tt_history_of(b, row, m, which, &f.h, &x->a, &x->app->env.mem, err);
	if (rc != TT_OK || f.h.nsession == 0)
		return rc;
	if (x->n == x->cap) {
		struct tt_history_figure *more = tt_arena_alloc(&x->a, (x->cap = 2 * x->cap + 16) * sizeof *more, err);

		if (!more)
			return err->code;
		if (x->n)
			memcpy(more, x->f, x->n * sizeof *more);
		x->f = more;
	}
	x->f[x->n++] = f;
	return TT_OK;
}

/* Among the figures that every sample has, leave those that are shown without a budget: the chosen ones, or the usual statistic of each metric. */
static void
choose_measures(struct histories *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->budget.nmeasure; i++) {
		const struct tt_measure m = x->budget.measure[i];

		if (x->o->row.n ? is_chosen(x->o, m.key) : m.stat == m.metric->usual && !m.select)
			x->budget.measure[n++] = m;
	}
	x->budget.nmeasure = n;
}

/* True if the figure is missing or 0 in all sessions: it is shown only where it is asked for. */
static bool
is_nothing(const struct tt_baseline *b, size_t which)
{
	for (size_t i = 0; i < b->nall; i++)
		if (b->all[i].value[which].known && b->all[i].value[which].v != 0)
			return false;
	return true;
}

static int
add_baseline(struct histories *x, const char *path, struct tt_err *err)
{
	struct tt_baseline b;
	int rc = tt_baseline_read(&x->app->env, path, &x->budget, TT_SAMPLE_FIGURES, &b, &x->a, err);

	for (size_t i = 0; i < x->budget.nrow && rc == TT_OK && x->o->budget; i++) {
		const struct tt_budget_row *row = &x->budget.row[i];

		if (row->line && row->level != TT_LEVEL_OFF && !row->captures)
			rc = add_figure(x, &b, row, row->which, err);
	}
	for (size_t i = 0; i < x->budget.nmeasure && rc == TT_OK && !x->o->budget; i++)
		if (x->o->row.n || !is_nothing(&b, i))
			rc = add_figure(x, &b, NULL, i, err);
	return rc;
}

static int
read_all(struct histories *x, struct tt_err *err)
{
	int rc;

	if (x->o->budget) {
		rc = gate_read_budget(x->app, x->o->budget, &x->budget, &x->a, err);
		x->budget.nmeasure = x->budget.njudged;
	} else {
		rc = tt_budget_none(&x->budget, &x->a, err);
		if (rc == TT_OK)
			choose_measures(x);
	}
	for (size_t i = 0; i < x->o->arg.n && rc == TT_OK; i++)
		rc = add_baseline(x, x->o->arg.v[i], err);
	if (rc == TT_OK && x->n == 0 && x->o->row.n)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no figure of the baseline%s is called \"%s\"%s", x->o->arg.n > 1 ? "s" : "", x->o->row.v[0],
		    x->o->budget ? ": a figure is called as its row of the budget" : ": without --row the usual ones are shown");
	return rc;
}

/* --- tables ----------------------------------------------------------------------------- */

enum { H_BASE, H_FIGURE, H_CHART, H_SESSIONS, H_FIRST, H_LAST, H_CHANGE, H_LEVELS, H_UNIT };

static const struct tt_col history_col[] = {
	[H_BASE] = { "baseline", "baseline", TT_UNIT_TEXT, "The file, where there are several." },
	[H_FIGURE] = { "figure", "figure", TT_UNIT_TEXT, "The figure: a row of the budget, or a metric of the gate." },
	[H_CHART] = { "chart", "chart", TT_UNIT_TEXT, "The last 40 sessions, the higher the larger." },
	[H_SESSIONS] = { "sessions", "sessions", TT_UNIT_COUNT, "Sessions with the figure." },
	[H_FIRST] = { "first", "first level", TT_UNIT_VALUE, "Mean of the sessions of the first level." },
	[H_LAST] = { "last", "last level", TT_UNIT_VALUE, "Mean of the sessions of the last level." },
	[H_CHANGE] = { "change", "change", TT_UNIT_PERCENT, "The last level against the first." },
	[H_LEVELS] = { "levels", "levels", TT_UNIT_COUNT, "How many levels there are." },
	[H_UNIT] = { "unit", "unit", TT_UNIT_TEXT, "Unit of the levels for machines." },
};

enum { L_BASE, L_FIGURE, L_SINCE, L_SESSIONS, L_LEVEL, L_CHANGE, L_ACCEPTED, L_BUILD, L_UNIT };

static const struct tt_col level_col[] = {
	[L_BASE] = { "baseline", "baseline", TT_UNIT_TEXT, "The file, where there are several." },
	[L_FIGURE] = { "figure", "figure", TT_UNIT_TEXT, "The figure." },
	[L_SINCE] = { "since", "since session", TT_UNIT_TEXT, "The first session of the level." },
	[L_SESSIONS] = { "sessions", "sessions", TT_UNIT_COUNT, "How many sessions are on it." },
	[L_LEVEL] = { "level", "level", TT_UNIT_VALUE, "Mean of its sessions." },
	[L_CHANGE] = { "change", "change", TT_UNIT_PERCENT, "Against the level before." },
	[L_ACCEPTED] = { "accepted", "accepted", TT_UNIT_TEXT, "Why its first session was accepted, if it was." },
	[L_BUILD] = { "build", "build", TT_UNIT_TEXT, "The fact build of its first session." },
	[L_UNIT] = { "unit", "unit", TT_UNIT_TEXT, "Unit of the level for machines." },
};

enum { S_BASE, S_FIGURE, S_SESSION, S_DATE, S_BUILD, S_CAPTURES, S_VALUE, S_CHANGE, S_CHANGED, S_COMPARED, S_ACCEPTED, S_UNIT };

static const struct tt_col session_col[] = {
	[S_BASE] = { "baseline", "baseline", TT_UNIT_TEXT, "The file, where there are several." },
	[S_FIGURE] = { "figure", "figure", TT_UNIT_TEXT, "The figure." },
	[S_SESSION] = { "session", "session", TT_UNIT_TEXT, "Name of the session." },
	[S_DATE] = { "date", "date", TT_UNIT_TEXT, "Its captures' fact date." },
	[S_BUILD] = { "build", "build", TT_UNIT_TEXT, "Its captures' fact build." },
	[S_CAPTURES] = { "captures", "captures", TT_UNIT_COUNT, "Captures with the figure." },
	[S_VALUE] = { "value", "value", TT_UNIT_VALUE, "Their mean without the smallest and the largest fifth." },
	[S_CHANGE] = { "change", "change", TT_UNIT_PERCENT, "Against the session before." },
	[S_CHANGED] = { "changed", "new level", TT_UNIT_BOOL, "True if another level begins with it." },
	[S_COMPARED] = { "compared", "compared", TT_UNIT_BOOL, "True if captures are compared with it: it is the last accepted session, or later." },
	[S_ACCEPTED] = { "accepted", "accepted", TT_UNIT_TEXT, "Why it was accepted; empty if it was not." },
	[S_UNIT] = { "unit", "unit", TT_UNIT_TEXT, "Unit of the value for machines." },
};

const struct tt_pass_table history_tables[] = {
	{ .id = "history", .title = "Figures over time", .col = history_col, .ncol = TT_NCOL(history_col) },
	{ .id = "history_levels", .title = "Changes", .col = level_col, .ncol = TT_NCOL(level_col) },
	{ .id = "history_sessions", .title = "Sessions", .col = session_col, .ncol = TT_NCOL(session_col) },
	{ .id = NULL },
};

static void
put_value(struct tt_cell *c, int64_t v, enum tt_dim dim)
{
	tt_cell_value(c, series_unit(dim), series_in_unit(v, dim));
}

static void
put_change(struct tt_cell *c, int64_t was, int64_t v)
{
	if (was != 0)
		tt_cell_int(c, tt_scale(v - was, 10000, was < 0 ? -was : was));
}

/* A chart in text: eight heights between the least and the greatest of the last sessions. */
static const char *
chart(struct tt_report *r, const struct tt_history *h)
{
	enum { MAX_SESSIONS_SHOWN = 40, HEIGHTS = 8 };
	size_t from = h->nsession > MAX_SESSIONS_SHOWN ? h->nsession - MAX_SESSIONS_SHOWN : 0;
	int64_t low = INT64_MAX, high = INT64_MIN;
	char text[MAX_SESSIONS_SHOWN * 3 + 1], *p = text;

	for (size_t i = from; i < h->nsession; i++) {
		low = h->session[i].v < low ? h->session[i].v : low;
		high = h->session[i].v > high ? h->session[i].v : high;
	}
	for (size_t i = from; i < h->nsession; i++) {
		int64_t k = high > low ? tt_scale(h->session[i].v - low, HEIGHTS - 1, high - low) : HEIGHTS / 2 - 1;

		*p++ = '\xe2';
		*p++ = '\x96';
		*p++ = (char)(0x81 + k);
	}
	return tt_text_of(r, text, (size_t)(p - text));
}

static void
put_levels(struct tt_table *t, const struct tt_history_figure *f)
{
	const struct tt_history *h = &f->h;

	for (size_t i = 0; i < h->nlevel && h->nlevel > 1; i++) {
		const struct tt_history_level *l = &h->level[i];
		const struct tt_history_session *s = &h->session[l->from];
		struct tt_cell *c = tt_row(t);

		tt_cell_name(&c[L_BASE], f->base);
		tt_cell_text(&c[L_FIGURE], f->name);
		tt_cell_text(&c[L_SINCE], s->session->name);
		tt_cell_u64(&c[L_SESSIONS], l->n);
		put_value(&c[L_LEVEL], l->v, h->dim);
		if (i > 0)
			put_change(&c[L_CHANGE], h->level[i - 1].v, l->v);
		tt_cell_name(&c[L_ACCEPTED], s->session->accepted);
		tt_cell_name(&c[L_BUILD], tt_sample_fact(s->first, "build"));
		if (t->ncol > L_UNIT)
			tt_cell_text(&c[L_UNIT], tt_dim_name[h->dim]);
	}
}

static void
put_sessions(struct tt_table *t, const struct tt_history_figure *f)
{
	const struct tt_history *h = &f->h;

	for (size_t i = 0, level = 0; i < h->nsession; i++) {
		const struct tt_history_session *s = &h->session[i];
		struct tt_cell *c = tt_row(t);
		bool starts = level + 1 < h->nlevel && h->level[level + 1].from == i;

		level += starts;
		tt_cell_name(&c[S_BASE], f->base);
		tt_cell_text(&c[S_FIGURE], f->name);
		tt_cell_text(&c[S_SESSION], s->session->name);
		tt_cell_name(&c[S_DATE], tt_sample_fact(s->first, "date"));
		tt_cell_name(&c[S_BUILD], tt_sample_fact(s->first, "build"));
		tt_cell_u64(&c[S_CAPTURES], s->captures);
		put_value(&c[S_VALUE], s->v, h->dim);
		if (i > 0)
			put_change(&c[S_CHANGE], h->session[i - 1].v, s->v);
		tt_cell_int(&c[S_CHANGED], starts);
		tt_cell_int(&c[S_COMPARED], s->compared);
		tt_cell_name(&c[S_ACCEPTED], s->session->accepted);
		if (t->ncol > S_UNIT)
			tt_cell_text(&c[S_UNIT], tt_dim_name[h->dim]);
	}
}

/* Make the tables. Text shows the sessions only of a single figure, and amounts with units. */
static void
make_tables(const struct histories *x, bool all, struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, history_tables[0].id, history_tables[0].title, history_col, TT_NCOL(history_col) - !all), *levels, *sessions;

	t->empty_reason = "no session has such a figure";
	for (size_t i = 0; i < x->n; i++) {
		const struct tt_history_figure *f = &x->f[i];
		struct tt_cell *c = tt_row(t);

		tt_cell_name(&c[H_BASE], f->base);
		tt_cell_text(&c[H_FIGURE], f->name);
		tt_cell_text(&c[H_CHART], chart(r, &f->h));
		tt_cell_u64(&c[H_SESSIONS], f->h.nsession);
		put_value(&c[H_FIRST], f->h.level[0].v, f->h.dim);
		put_value(&c[H_LAST], f->h.level[f->h.nlevel - 1].v, f->h.dim);
		put_change(&c[H_CHANGE], f->h.level[0].v, f->h.level[f->h.nlevel - 1].v);
		tt_cell_u64(&c[H_LEVELS], f->h.nlevel);
		if (all)
			tt_cell_text(&c[H_UNIT], tt_dim_name[f->h.dim]);
	}
	levels = tt_report_table(r, history_tables[1].id, history_tables[1].title, level_col, TT_NCOL(level_col) - !all);
	levels->empty_reason = "no figure changed its level for good";
	for (size_t i = 0; i < x->n; i++)
		put_levels(levels, &x->f[i]);
	if (!all && x->n != 1)
		return;
	sessions = tt_report_table(r, history_tables[2].id, history_tables[2].title, session_col, TT_NCOL(session_col) - !all);
	for (size_t i = 0; i < x->n; i++)
		put_sessions(sessions, &x->f[i]);
}

/* --- the run ---------------------------------------------------------------------------- */

static bool
is_picture(const struct history_opts *o)
{
	size_t n = o->out.output ? strlen(o->out.output) : 0;

	return n > 4 && strcmp(o->out.output + n - 4, ".svg") == 0;
}

static int
show(struct histories *x, struct tt_err *err)
{
	const struct history_opts *o = x->o;
	const enum tt_render form = report_form(&o->out);
	const char *slash = strrchr(o->arg.v[0], '/'), *title = slash ? slash + 1 : o->arg.v[0];
	struct tt_buf text = { 0 };
	struct tt_report r;
	int rc = TT_OK;

	tt_report_init(&r, &x->app->env.mem);
	make_tables(x, form != TT_RENDER_TEXT, &r);
	rc = tt_report_error(&r, err);
	if (rc == TT_OK && is_picture(o))
		tt_history_svg(x->f, x->n, title, &text);
	else if (rc == TT_OK && form == TT_RENDER_HTML)
		tt_history_html(x->f, x->n, title, &r, TT_GENERATOR, &text);
	if (rc == TT_OK && (text.n || text.failed))
		rc = app_write(x->app, o->out.output ? o->out.output : "-", &text, err);
	else if (rc == TT_OK)
		rc = report_write(x->app, &o->out, &r, err);
	tt_buf_free(&text);
	tt_report_free(&r);
	return rc;
}

static int
confine(struct histories *x, struct tt_err *err)
{
	struct opt_list reads = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; i < x->o->arg.n && rc == TT_OK; i++)
		rc = opt_list_add(&reads, x->o->arg.v[i], &x->app->arena, err);
	if (rc == TT_OK && x->o->budget)
		rc = opt_list_add(&reads, x->o->budget, &x->app->arena, err);
	if (rc == TT_OK && x->o->out.output)
		rc = tt_outputs_check((const char *const[]){ x->o->out.output, NULL }, reads.v, err);
	if (rc == TT_OK)
		rc = app_reads(x->app, reads.v, err);
	return rc == TT_OK ? app_confine(x->app, (const char *const[]){ x->o->out.output, NULL }, NULL, err) : rc;
}

int
run_history(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct history_opts o = { .budget = NULL };
	struct histories x = { .app = app, .o = &o };
	int rc;

	report_defaults(&o.out);
	rc = app_parse(app, &verb_history, &o, &o.ui, argc, argv, err);
	if (rc == TT_OK && !is_picture(&o))
		rc = report_check(&o.out, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (o.arg.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a baseline, a file of \"tracetool stats --save\"");
	report_pager(app, &o.out);
	tt_arena_init(&x.a, &app->env.mem);
	rc = confine(&x, err);
	if (rc == TT_OK)
		rc = read_all(&x, err);
	if (rc == TT_OK)
		rc = show(&x, err);
	tt_arena_free(&x.a);
	return rc;
}
