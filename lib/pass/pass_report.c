/**
 * Makes the tables of passes, with the notes that all tables share.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "base/setting.h"
#include "pass/passes.h"
#include "stat/num.h"
#include "view/view.h"

static bool
named(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (strcmp(*list, name) == 0)
			return true;
	}
	return false;
}

const struct tt_pass_opts tt_pass_defaults = { .max_hitches = 10, .threshold_e4 = 100, .max_columns = 50 };

const struct tt_pass *
tt_pass_named(const char *name)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		if (strcmp((*p)->name, name) == 0)
			return *p;
	return NULL;
}

const struct tt_pass_table *
tt_pass_table_named(const char *id, const struct tt_pass **of)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			if (strcmp((*p)->tables[i].id, id) != 0)
				continue;
			if (of)
				*of = *p;
			return &(*p)->tables[i];
		}
	}
	return NULL;
}

const char *
tt_pass_table_id(size_t i)
{
	for (const struct tt_pass *const *p = tt_passes; *p; i -= (*p++)->ntables)
		if (i < (*p)->ntables)
			return (*p)->tables[i].id;
	return NULL;
}

const char *
tt_pass_needed_option(const char *table)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (const struct tt_option *o = (*p)->option; o && o->name; o++)
			if (o->table && !o->replaces && !o->if_no_table && strcmp(o->table, table) == 0)
				return o->name;
	return NULL;
}

bool
tt_pass_wants(const struct tt_pass *p, const struct tt_pass_table *t, const struct tt_pass_opts *o)
{
	if ((o->group && !(t->possible_groups & 1u << o->group)) || (o->only_ungrouped_by && (t->possible_groups & 1u << o->only_ungrouped_by)))
		return false;
	if (!o->table)
		return !t->is_extra;
	/* A name that is both a table's and a pass's means the table. */
	return named(o->table, t->id) || (!t->is_extra && named(o->table, p->name) && !tt_pass_table_named(p->name, NULL));
}

unsigned
tt_pass_needs(const struct tt_pass *p, const struct tt_pass_opts *o)
{
	unsigned needs = 0;

	for (size_t i = 0; i < p->ntables; i++)
		if (tt_pass_wants(p, &p->tables[i], o))
			needs |= p->needs | p->tables[i].needs | (o->table ? p->tables[i].named_needs : 0);
	return needs;
}

/* --- tables ----------------------------------------------------------------------- */

/* Begin a table of groups; its first column is named after the kind of group. */
static struct tt_table *
begin_groups(const struct tt_pass_table *pt, enum tt_group group, struct tt_report *r)
{
	static const char help[] = "What the row is of.";
	const char *key = tt_group_key(group - 1);
	struct tt_col *col = tt_arena_alloc(&r->arena, (pt->ncol + 2) * sizeof *col, &r->err);
	bool front = pt->group_col & TT_GROUP_FRONT;
	size_t n = pt->ncol + front;

	if (!col)
		return tt_report_table(r, pt->id, pt->title, pt->col, pt->ncol);
	memcpy(col + front, pt->col, pt->ncol * sizeof *col);
	if (front)
		col[0] = (struct tt_col){ key, key, TT_UNIT_TEXT, help };
	else
		col[pt->group_col & 0xFFFF].title = key;
	if (pt->group_col & TT_GROUP_COUNT)
		col[n++] = (struct tt_col){ "count", "count", TT_UNIT_COUNT, "How many there are in the group." };
	return tt_report_table(r, pt->id, tt_text(r, "%s, by %s", pt->title, key), col, n);
}

static const char *
reason(struct tt_making *k, const struct tt_pass_table *pt)
{
	if (pt->find_why_empty)
		return pt->find_why_empty(k);
	return pt->records ? tt_pass_why_empty(k->m, k->r, pt->records, pt->why_empty) : pt->why_empty;
}

/* Make the rows of ${t} and sort them; those that the limit cuts are not kept where that is known beforehand. */
static void
make_rows(struct tt_making *k, const struct tt_pass_table *pt, bool groups, struct tt_table *t)
{
	const char *sort = groups && pt->group_sort ? pt->group_sort : pt->sort;

	/* Patterns that no marker matches are looked for in all rows: unmatched.c. */
	if (pt->keeps && !groups && !k->m->filter.marker && !k->m->filter.category)
		tt_table_keep(t, sort, k->o->max_rows);
	(groups && pt->make_groups ? pt->make_groups : pt->make_rows)(k, t);
	if (sort && k->r->err.code == TT_OK)
		tt_table_sort(t, sort, &k->r->err);
	if (t->keep.n)
		tt_table_limit(t, t->keep.n);
}

static void
make_table(struct tt_making *k, const struct tt_pass *p, const struct tt_pass_table *pt)
{
	bool has = (!p->has_tables || p->has_tables(k->m)) && (!pt->has_rows || pt->has_rows(k)), groups = k->o->group != TT_GROUP_NONE;
	struct tt_arena of_pass = k->arena;
	struct tt_table *t;

	if (!has && (!k->o->table || k->o->skips_empty))
		return;
	t = groups ? begin_groups(pt, k->o->group, k->r) : tt_report_table(k->r, pt->id, pt->title, pt->col, pt->ncol);
	t->extra = pt->is_extra;
	t->tree = pt->shape == TT_TREE;
	t->facts = pt->shape == TT_FACTS && !groups;
	t->whole = pt->shape == TT_WHOLE && !groups;
	t->empty_reason = reason(k, pt);
	k->arena = (struct tt_arena){ .mem = of_pass.mem };
	if (has && k->r->err.code == TT_OK)
		make_rows(k, pt, groups, t);
	tt_arena_free(&k->arena);
	k->arena = of_pass;
}

static bool
wants_any(const struct tt_pass *p, const struct tt_pass_opts *o)
{
	for (size_t i = 0; i < p->ntables; i++) {
		if (tt_pass_wants(p, &p->tables[i], o))
			return true;
	}
	return false;
}

void
tt_pass_report(const struct tt_pass *p, struct tt_views *view, const struct tt_pass_opts *o, struct tt_report *r)
{
	struct tt_making k = { .m = view->m, .o = o, .r = r, .view = view };
	struct tt_mem *mem = &view->m->env->mem;

	if (r->err.code != TT_OK || (p->has_tables && !o->table && !p->has_tables(view->m)) || !wants_any(p, o))
		return;
	k.state = p->state_bytes ? tt_mem_alloc(mem, p->state_bytes, &r->err) : NULL;
	if (p->state_bytes && !k.state)
		return;
	tt_arena_init(&k.arena, mem);
	if (p->open)
		p->open(&k);
	for (size_t i = 0; i < p->ntables && r->err.code == TT_OK; i++) {
		if (tt_pass_wants(p, &p->tables[i], o))
			make_table(&k, p, &p->tables[i]);
	}
	if (p->close)
		p->close(&k);
	tt_arena_free(&k.arena);
	tt_mem_free(mem, k.state, p->state_bytes);
}

/* --- notes ------------------------------------------------------------------------ */

static bool
ignores_filter(const struct tt_table *t, unsigned filter, enum tt_group group)
{
	const struct tt_pass_table *pt = tt_pass_table_named(t->id, NULL);
	unsigned honoured = pt ? pt->applied_filters : 0;

	if (pt && group && pt->possible_groups & 1u << group)
		honoured |= TT_ON_NAMES | (honoured & TT_ON_THREAD ? TT_ON_ZONES : 0);
	return pt && t->nrow && !(honoured & filter) && !pt->always_whole;
}

static bool
is_apart(const struct tt_table *t, unsigned nothing, enum tt_group group)
{
	const struct tt_pass_table *pt = tt_pass_table_named(t->id, NULL);

	(void)nothing;
	return pt && t->nrow && !(pt->possible_groups & 1u << group);
}

/* Add a note that names the tables for which ${is} is true: "time changes nothing in metadata, jit". */
static void
note_tables(const char *option, bool (*is)(const struct tt_table *, unsigned, enum tt_group), unsigned what,
    enum tt_group group, struct tt_report *r)
{
	const char *text = NULL;

	for (const struct tt_table *t = r->first; t; t = t->next) {
		if (is(t, what, group))
			text = text ? tt_text(r, "%s, %s", text, t->id) : tt_text(r, "%s changes nothing in %s", option, t->id);
	}
	if (text)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", text);
}

void
tt_group_note(enum tt_group group, struct tt_report *r)
{
	note_tables(tt_text(r, "%s %s", tt_setting_name[TT_SETTING_GROUP_BY], tt_group_key(group - 1)), is_apart, 0, group, r);
}

bool
tt_filter_is_outside(const struct tt_model *m, char *text)
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
	snprintf(text, TT_OUTSIDE_TEXT, "nothing lies in %s: the capture lasts from %s to %s", tt_setting_name[TT_SETTING_TIME], from, to);
	return true;
}

/* Add a note if ${TT_SETTING_FRAMES} asks for frames after the last one. */
static void
note_last_frame(const struct tt_model *m, struct tt_report *r)
{
	const struct tt_frames *frames = m->frames;
	const uint64_t last = frames && frames->n ? tt_frames_number(frames, frames->n - 1) : UINT64_MAX;

	if (m->filter.has_frames && !m->filter.frames_of_each && m->filter.frame_last != UINT64_MAX && last < m->filter.frame_last)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", tt_text(r, "%s: the last whole frame up to %" PRIu64 " is %" PRIu64,
		    tt_setting_name[TT_SETTING_FRAMES], m->filter.frame_last, last));
}

void
tt_filter_notes(const struct tt_model *m, enum tt_group group, struct tt_report *r)
{
	const struct tt_filter *f = &m->filter;
	const struct { bool used; unsigned filter; enum tt_setting setting; } all[] = {
		{ f->has_frames, TT_ON_TIME, TT_SETTING_FRAMES },
		{ !f->has_frames && (f->from_label || f->to_label), TT_ON_TIME, f->from_label ? TT_SETTING_FROM_LABEL : TT_SETTING_TO_LABEL },
		{ !f->has_frames && !f->from_label && !f->to_label && !f->of_flight && (f->from != INT64_MIN || f->to != INT64_MAX),
		    TT_ON_TIME, TT_SETTING_TIME },
		{ f->thread != NULL, TT_ON_THREAD, TT_SETTING_THREAD },
		{ f->marker != NULL, TT_ON_MARKER, TT_SETTING_MARKER },
		{ f->category != NULL, TT_ON_CATEGORY, TT_SETTING_CATEGORY },
		{ f->min_dur != 0, TT_ON_ZONES, TT_SETTING_MIN_DURATION },
		{ f->depth != 0, TT_ON_ZONES, TT_SETTING_DEPTH },
		{ f->no_wait, TT_ON_ZONES, TT_SETTING_NO_WAIT },
	};
	char text[TT_OUTSIDE_TEXT];

	if (tt_filter_is_outside(m, text))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", text);
	tt_unmatched_notes(m, r);
	note_last_frame(m, r);
	for (size_t i = 0; i < TT_NCOL(all); i++) {
		if (all[i].used)
			note_tables(tt_setting_name[all[i].setting], ignores_filter, all[i].filter, group, r);
	}
}
