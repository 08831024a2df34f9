/**
 * Makes the tables of a baseline's history.
 */
#include "gate/history_tables.h"

#include "gate/series.h"
#include "pass/pass.h"
#include "stat/num.h"

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

const struct tt_pass_table tt_history_tables[] = {
	{ .id = "history", .title = "Figures over time", .col = history_col, .ncol = TT_NCOL(history_col) },
	{ .id = "history_levels", .title = "Changes", .col = level_col, .ncol = TT_NCOL(level_col) },
	{ .id = "history_sessions", .title = "Sessions", .col = session_col, .ncol = TT_NCOL(session_col) },
	{ .id = NULL },
};

static void
put_value(struct tt_cell *c, int64_t v, enum tt_dim dim)
{
	tt_cell_value(c, tt_series_unit(dim), tt_series_in_unit(v, dim));
}

static void
put_change(struct tt_cell *c, int64_t was, int64_t v)
{
	if (was != 0)
		tt_cell_int(c, tt_scale(v - was, 10000, was < 0 ? -was : was));
}

/* A chart of the last sessions as text: eight heights between the smallest and the largest value. */
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

void
tt_history_report(const struct tt_history_figure *figure, size_t n, bool all, struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, tt_history_tables[0].id, tt_history_tables[0].title, history_col, TT_NCOL(history_col) - !all);
	struct tt_table *levels, *sessions;

	t->empty_reason = "no session has such a figure";
	for (size_t i = 0; i < n; i++) {
		const struct tt_history_figure *f = &figure[i];
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
	levels = tt_report_table(r, tt_history_tables[1].id, tt_history_tables[1].title, level_col, TT_NCOL(level_col) - !all);
	levels->empty_reason = "no figure changed its level for good";
	for (size_t i = 0; i < n; i++)
		put_levels(levels, &figure[i]);
	if (!all && n != 1)
		return;
	sessions = tt_report_table(r, tt_history_tables[2].id, tt_history_tables[2].title, session_col, TT_NCOL(session_col) - !all);
	for (size_t i = 0; i < n; i++)
		put_sessions(sessions, &figure[i]);
}
