/**
 * The list of passes, and what they share; the contract is in pass.h.
 */
#include <stdio.h>
#include <string.h>

#include "pass/passes.h"
#include "stat/num.h"

/* In the order in which reports show them. */
const struct tt_pass *const tt_passes[] = {
	&tt_pass_frames,
	&tt_pass_gcalloc,
	&tt_pass_categories,
	&tt_pass_markers,
	&tt_pass_calltree,
	&tt_pass_threads,
	&tt_pass_heapshot,
	&tt_pass_heapgraph,
	&tt_pass_samples,
	&tt_pass_exceptions,
	&tt_pass_contention,
	&tt_pass_handles,
	&tt_pass_finalizers,
	&tt_pass_counters,
	&tt_pass_jit,
	&tt_pass_timeline,
	&tt_pass_metadata,
	&tt_pass_objects,
	&tt_pass_coverage,
	&tt_pass_loss,
	NULL,
};

static bool
named(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (strcmp(*list, name) == 0)
			return true;
	}
	return false;
}

static bool
is_table(const char *id)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			if (strcmp((*p)->tables[i].id, id) == 0)
				return true;
		}
	}
	return false;
}

static bool
wanted(const struct tt_pass *p, const struct tt_pass_table *t, const struct tt_pass_opts *o)
{
	if ((o->group && !(t->groups & 1u << o->group)) || (o->apart && (t->groups & 1u << o->apart)))
		return false;
	if (!o->table)
		return !t->extra;
	/* A name that is both a table's and its pass's means the table. */
	return named(o->table, t->id) || (!t->extra && named(o->table, p->name) && !is_table(p->name));
}

/* The columns of a table whose rows are groups: that of the groups is called what they are. */
static const struct tt_col *
grouped_columns(const struct tt_pass_table *pt, enum tt_group group, struct tt_report *r, size_t *n, const char **title,
    struct tt_err *err)
{
	static const char help[] = "What the row is of (--group-by).";
	const char *key = tt_group_key(group - 1);
	struct tt_col *col = tt_arena_alloc(&r->arena, (pt->ncol + 2) * sizeof *col, err);
	bool front = pt->group_col & TT_GROUP_FRONT;

	if (!col)
		return NULL;
	memcpy(col + front, pt->col, pt->ncol * sizeof *col);
	*n = pt->ncol + front;
	if (front)
		col[0] = (struct tt_col){ key, key, TT_UNIT_TEXT, help };
	else
		col[pt->group_col & 0xFFFF].title = key;
	if (pt->group_col & TT_GROUP_COUNT)
		col[(*n)++] = (struct tt_col){ "count", "count", TT_UNIT_COUNT, "How many there are in the group." };
	*title = tt_report_text(r, err, "%s, by %s", pt->title, key);
	return *title ? col : NULL;
}

const char *
tt_pass_none(const struct tt_model *m, struct tt_report *r, enum tt_records what, const char *none, struct tt_err *err)
{
	const char *why = tt_model_records(m, what) ? none : tt_model_unrecorded(m, what, &r->arena, err);

	return why && why != none ? tt_report_text(r, err, "%s, or the filters leave none", why) : why;
}

int
tt_pass_begin(const struct tt_pass *p, size_t which, const struct tt_pass_opts *o, struct tt_report *r,
    struct tt_table **t, struct tt_err *err)
{
	const struct tt_pass_table *pt = &p->tables[which];
	const struct tt_col *col = pt->col;
	const char *title = pt->title;
	size_t ncol = pt->ncol;
	int rc;

	*t = NULL;
	if (!wanted(p, pt, o))
		return TT_OK;
	if (o->group && !(col = grouped_columns(pt, o->group, r, &ncol, &title, err)))
		return err->code;
	rc = tt_report_table(r, pt->id, title, col, ncol, t, err);
	if (rc == TT_OK)
		(*t)->extra = pt->extra;
	return rc;
}

static const struct tt_pass_table *
table_named(const char *id)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			if (strcmp((*p)->tables[i].id, id) == 0)
				return &(*p)->tables[i];
		}
	}
	return NULL;
}

/* What was lost is told of the whole capture. */
static bool
is_deaf(const struct tt_table *t, unsigned filter, enum tt_group group)
{
	const struct tt_pass_table *pt = table_named(t->id);
	unsigned heard = pt ? pt->filters : 0;

	if (pt && group && pt->groups & 1u << group)
		heard |= TT_ON_NAMES | (heard & TT_ON_THREAD ? TT_ON_ZONES : 0);
	return pt && t->nrow && !(heard & filter) && strcmp(t->id, "loss") != 0;
}

static bool
is_apart(const struct tt_table *t, unsigned nothing, enum tt_group group)
{
	const struct tt_pass_table *pt = table_named(t->id);

	(void)nothing;
	return pt && t->nrow && !(pt->groups & 1u << group);
}

/* "--time changes nothing in metadata, jit": the tables of which ${is} says so of ${what}. */
static int
note_tables(const char *option, bool (*is)(const struct tt_table *, unsigned, enum tt_group), unsigned what,
    enum tt_group group, struct tt_report *r, struct tt_err *err)
{
	struct tt_buf b = { 0 };
	int rc = TT_OK;

	for (const struct tt_table *t = r->first; t && rc == TT_OK; t = t->next) {
		if (is(t, what, group))
			rc = tt_buf_printf(&b, err, "%s%s%s", b.n ? ", " : option, b.n ? "" : " changes nothing in ", t->id);
	}
	const char *text = b.n && rc == TT_OK ? tt_arena_text(&r->arena, b.p, b.n, err) : NULL;
	if (text)
		rc = tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", text, err);
	else if (b.n)
		rc = err->code;
	tt_buf_free(&b);
	return rc;
}

int
tt_group_note(enum tt_group group, struct tt_report *r, struct tt_err *err)
{
	const char *option = tt_report_text(r, err, "--group-by %s", tt_group_key(group - 1));

	return option ? note_tables(option, is_apart, 0, group, r, err) : err->code;
}

bool
tt_filter_outside(const struct tt_model *m, char *text)
{
	const struct tt_filter *f = &m->filter;
	char from[40], to[40];
	bool any = false;

	for (size_t i = 0; i < m->ncap; i++)
		any = any || m->cap[i]->min_ts <= m->cap[i]->max_ts;
	if (!any || f->has_frames || (f->from <= m->max_ts && f->to > m->min_ts))
		return false;
	*tt_put_time(from, m->min_ts) = '\0';
	*tt_put_time(to, m->max_ts) = '\0';
	snprintf(text, TT_OUTSIDE_TEXT, "nothing lies in --time: the capture lasts from %s to %s", from, to);
	return true;
}

int
tt_filter_notes(const struct tt_model *m, enum tt_group group, struct tt_report *r, struct tt_err *err)
{
	const struct tt_filter *f = &m->filter;
	const struct { bool used; unsigned filter; const char *option; } all[] = {
		{ f->has_frames, TT_ON_TIME, "--frames" },
		{ !f->has_frames && (f->from_label || f->to_label), TT_ON_TIME, f->from_label ? "--from-label" : "--to-label" },
		{ !f->has_frames && !f->from_label && !f->to_label && !f->of_flight && (f->from != INT64_MIN || f->to != INT64_MAX), TT_ON_TIME, "--time" },
		{ f->thread != NULL, TT_ON_THREAD, "--thread" },
		{ f->marker != NULL, TT_ON_MARKER, "--marker" },
		{ f->category != NULL, TT_ON_CATEGORY, "--category" },
		{ f->min_dur != 0, TT_ON_ZONES, "--min-duration" },
		{ f->depth != 0, TT_ON_ZONES, "--depth" },
		{ f->no_wait, TT_ON_ZONES, "--no-wait" },
	};
	int rc = TT_OK;

	char text[TT_OUTSIDE_TEXT];

	if (tt_filter_outside(m, text))
		rc = tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", text, err);
	if (rc == TT_OK)
		rc = tt_unmatched_notes(m, r, err);
	for (size_t i = 0; i < TT_NCOL(all) && rc == TT_OK; i++) {
		if (all[i].used)
			rc = note_tables(all[i].option, is_deaf, all[i].filter, group, r, err);
	}
	return rc;
}

void
tt_cell_share(struct tt_cell *c, int64_t part, int64_t all)
{
	if (all > 0 && part >= 0)
		tt_cell_int(c, tt_ratio((uint64_t)part, 10000, (uint64_t)all));
}
