/**
 * SQLite: rows that are written after the events: inputs, threads, frames, facts, markers; and the tables of stats, made by their passes, so that both
 * show the same figures.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/common.h"
#include "emit/sqlite.h"
#include "model/facts.h"
#include "out/render.h"
#include "pass/pass.h"
#include "view/figures.h"
#include "view/view.h"

bool
tt_sqlite_has(const struct tt_pass *p, enum tt_sqlite_level level)
{
	return p->is_standard && (level >= TT_SQLITE_MARKERS || strcmp(p->name, "frames") == 0 || strcmp(p->name, "loss") == 0);
}

/* --- what there is --------------------------------------------------------------------- */

static struct tt_db_insert *
into(struct sqlite_db *s, enum tt_sqlite_table t)
{
	return tt_db_insert(s->db, tt_sqlite_table[t].name, tt_sqlite_table[t].ncol);
}

static void
put_info(struct sqlite_db *s)
{
	const char *const row[][2] = { { "generator", s->e.o.generator }, { "kind", "capture" }, { "level", tt_sqlite_level_name(s->level - 1) } };
	struct tt_db_insert *to = into(s, TT_SQL_INFO);

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		tt_db_text_or_null(to, 0, row[i][0]);
		tt_db_text_or_null(to, 1, row[i][1]);
		tt_db_row(to);
	}
	tt_db_text_or_null(to, 0, "schema");
	tt_db_int(to, 1, TT_SQLITE_VERSION);
	tt_db_row(to);
}

static void
put_process(struct tt_db_insert *to, const struct tt_capture *c)
{
	size_t n;
	const char *title = tt_capture_title(c, &n);

	tt_db_int(to, 0, (int64_t)c->process + 1);
	tt_db_text(to, 1, title, n);
	tt_db_text_or_null(to, 2, c->path);
	tt_db_text_or_null(to, 3, c->format);
	tt_db_text_or_null(to, 4, c->version);
	tt_db_text_or_null(to, 5, c->producer);
	if (c->pid)
		tt_db_int(to, 6, c->pid);
	tt_db_text_or_null(to, 7, c->arch);
	tt_db_text_or_null(to, 8, c->os);
	tt_db_text_or_null(to, 9, c->args);
	tt_db_text_or_null(to, 10, c->clock);
	if (c->wall_ns)
		tt_db_int(to, 11, c->wall_ns);
	if (c->min_ts <= c->max_ts) {
		tt_db_int(to, 12, c->min_ts);
		tt_db_int(to, 13, c->max_ts);
	}
	tt_db_int(to, 14, (int64_t)c->nevent);
	tt_db_int(to, 15, (int64_t)c->bytes);
	tt_db_row(to);
}

static void
put_thread(struct tt_db_insert *to, const struct tt_thread *t)
{
	tt_db_int(to, 0, (int64_t)t->index + 1);
	tt_db_int(to, 1, (int64_t)t->process + 1);
	if (!tt_thread_is_gpu(t))
		tt_db_int(to, 2, (int64_t)t->tid);
	tt_db_text_or_null(to, 3, t->name);
	tt_db_text_or_null(to, 4, t->group);
	tt_db_int(to, 5, tt_thread_is_gpu(t));
	if (t->first_ts <= t->last_ts) {
		tt_db_int(to, 6, t->first_ts);
		tt_db_int(to, 7, t->last_ts);
	}
	tt_db_int(to, 8, (int64_t)t->nevent);
	tt_db_row(to);
}

static void
put_frame(struct tt_db_insert *to, const struct tt_model *m, size_t i)
{
	static const enum tt_timing timing[] = { TT_TIMING_MAIN, TT_TIMING_RENDER, TT_TIMING_PRESENT, TT_TIMING_GPU };
	const struct tt_frames *f = m->frames;
	int64_t v;

	tt_db_int(to, 0, (int64_t)i + 1);
	tt_db_int(to, 1, (int64_t)m->threads.t[tt_frames_thread(f, i)]->process + 1);
	tt_db_int(to, 2, (int64_t)tt_frames_number(f, i));
	if (f->has_engine_number)
		tt_db_int(to, 3, tt_frames_engine_number(f, i));
	tt_db_int(to, 4, (int64_t)tt_frames_thread(f, i) + 1);
	tt_db_int(to, 5, tt_frames_start(f, i));
	tt_db_int(to, 6, tt_frames_wall(f, i));
	if (f->has_wait) {
		tt_db_int(to, 7, tt_frames_cpu(f, i));
		tt_db_int(to, 8, tt_frames_uncapped(f, i));
		tt_db_int(to, 9, tt_column_at(&f->wait_ns, i));
	}
	if (tt_model_knows_allocs(m) && tt_capture_knows_allocs(m->cap[m->threads.t[tt_frames_thread(f, i)]->process])) {
		tt_db_int(to, 10, tt_column_at(&f->alloc_b, i));
		tt_db_int(to, 11, tt_column_at(&f->alloc_n, i));
	}
	for (size_t k = 0; k < sizeof timing / sizeof *timing; k++)
		if (tt_frame_value(f, TT_FRAME_TIMING + timing[k], i, &v))
			tt_db_int(to, 12 + k, v);
	tt_db_int(to, 16, tt_frames_shown(f, i));
	if (tt_frames_nrefreshes(f, i)) {
		tt_db_int(to, 17, tt_frames_nrefreshes(f, i));
		tt_db_int(to, 18, tt_frames_is_late(f, i));
	}
	if (f->has_wait)
		tt_db_int(to, 19, tt_frames_needed(f, i));
	tt_db_row(to);
}

static int
put_facts(struct sqlite_db *s, struct tt_err *err)
{
	struct tt_db_insert *to = into(s, TT_SQL_FACT);
	struct tt_facts facts = { 0 };
	int rc = tt_facts_list(s->e.m, &s->e.env->mem, &facts, err);

	for (size_t p = 0; p < s->e.m->ncap; p++)
		for (const struct tt_meta *f = s->e.m->cap[p]->meta; f; f = f->next) {
			tt_db_int(to, 0, (int64_t)p + 1);
			tt_db_text(to, 3, f->key, strlen(f->key));
			tt_db_text(to, 4, f->value, strlen(f->value));
			tt_db_row(to);
		}
	for (size_t i = 0; i < facts.n && rc == TT_OK; i++) {
		const struct tt_fact *f = &facts.f[i];

		if (!tt_emit_in_time(&s->e.m->filter, f->ts))
			continue;
		tt_db_int(to, 0, (int64_t)f->process + 1);
		tt_db_int(to, 1, f->ts);
		if (f->end != INT64_MAX)
			tt_db_int(to, 2, f->end);
		tt_db_text(to, 3, f->key, f->nkey);
		tt_db_text(to, 4, f->value, f->nvalue);
		tt_db_row(to);
	}
	tt_facts_free(&facts, &s->e.env->mem);
	return rc;
}

/* --- names -------------------------------------------------------------------------------- */

static void
put_categories(struct sqlite_db *s)
{
	struct tt_db_insert *to = into(s, TT_SQL_CATEGORY);

	for (size_t i = 0; i < s->e.m->ncategory && s->level >= TT_SQLITE_MARKERS; i++) {
		tt_db_int(to, 0, (int64_t)i + 1);
		tt_db_text_or_null(to, 1, s->e.m->category[i].name);
		if (s->e.m->category[i].rgba)
			tt_db_int(to, 2, s->e.m->category[i].rgba);
		tt_db_row(to);
	}
}

/* Mark the markers that the call tree shows as used. With slices, some of them may occur only in the stack of a wait or a throw. */
static void
use_tree(struct sqlite_db *s)
{
	const struct tt_tree *tree = s->e.m->tree;

	for (size_t i = 0; i < s->e.m->nname; i++) {
		const struct tt_name *n = &s->e.m->name[i];
		bool hidden = n->is_left_out || (n->is_alloc_wrapper && !s->e.m->filter.wrappers) ||
		    (tree->marker[i].key == TT_KEY_MORE && tt_tree_dropped(tree) == 0);
		uint32_t number = n->full && n->wanted && !hidden ? tt_sqlite_marker(s, tt_emit_marker(n), n->full, n->category) : 0;

		if (number)
			s->marker[number - 1].used = true;
	}
}

/*
 * Put the used markers. Their names are those of the tables of stats, which tell apart names of the call tree alone; the name of a marker outside the tree
 * differs from those of all other definitions.
 */
static int
put_markers(struct sqlite_db *s, struct tt_views *view, struct tt_err *err)
{
	struct tt_db_insert *to = into(s, TT_SQL_MARKER);
	const struct tt_paths *paths = s->level >= TT_SQLITE_MARKERS ? tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, err) : NULL;

	if (!paths)
		return s->level >= TT_SQLITE_MARKERS ? err->code : TT_OK;
	use_tree(s);
	for (size_t i = 0; i < s->nmarker; i++) {
		const struct sqlite_marker *m = &s->marker[i];
		const struct tt_name as = { .full = m->full, .category = m->category, .shown = m->name };
		const char *name = tt_paths_label(paths, &as);

		if (!m->used && !(i < s->nseen && atomic_load_explicit(&s->seen[i], memory_order_relaxed)))
			continue;
		tt_db_int(to, 0, (int64_t)i + 1);
		tt_db_text(to, 1, name, strlen(name));
		tt_db_text(to, 2, m->full, strlen(m->full));
		if (m->category < s->e.m->ncategory)
			tt_db_int(to, 3, (int64_t)m->category + 1);
		tt_db_row(to);
	}
	return TT_OK;
}

static void
put_numbered(struct sqlite_db *s)
{
	struct tt_db_insert *classes = into(s, TT_SQL_CLASS), *stacks = into(s, TT_SQL_STACK);

	for (size_t i = 0; i < s->nclass; i++) {
		if (!s->class[i].used)
			continue;
		tt_db_int(classes, 0, (int64_t)i + 1);
		tt_db_text(classes, 1, s->class[i].name, strlen(s->class[i].name));
		tt_db_row(classes);
	}
	for (size_t i = 0; i < s->nstack; i++) {
		tt_db_int(stacks, 0, (int64_t)i + 1);
		if (s->stack[i].parent)
			tt_db_int(stacks, 1, s->stack[i].parent);
		tt_db_int(stacks, 2, s->stack[i].marker);
		tt_db_row(stacks);
	}
}

/* --- tables of stats -------------------------------------------------------------------------- */

/* Return a column's type; "": a cell is a number or a text. */
static const char *
type_of(enum tt_unit unit)
{
	switch (unit) {
	case TT_UNIT_PERCENT:
	case TT_UNIT_MILLI:
		return "REAL";
	case TT_UNIT_VALUE:
		return "";
	default:
		return tt_unit_is_text(unit) || unit == TT_UNIT_HEX ? "TEXT" : "INTEGER";
	}
}

static const char *
unit_word(enum tt_unit unit)
{
	static const char *const word[] = { [TT_UNIT_NS] = "ns", [TT_UNIT_BYTES] = "bytes", [TT_UNIT_PERCENT] = "percent", [TT_UNIT_BOOL] = "0 or 1" };

	return (size_t)unit < sizeof word / sizeof *word ? word[unit] : NULL;
}

/* Create the table of a pass, without rows. A capture without such data has an empty table, so that queries work on any capture. */
static int
create(struct sqlite_db *s, const struct tt_pass_table *pt, struct tt_err *err)
{
	struct tt_db_col *col = tt_mem_alloc(&s->e.env->mem, pt->ncol * sizeof *col, err);

	if (!col)
		return err->code;
	for (size_t i = 0; i < pt->ncol; i++)
		col[i] = (struct tt_db_col){ .name = pt->col[i].id, .type = type_of(pt->col[i].unit) };
	tt_db_create(s->db, &(struct tt_db_table){ .name = pt->id, .col = col, .ncol = pt->ncol });
	tt_mem_free(&s->e.env->mem, col, pt->ncol * sizeof *col);
	return tt_db_error(s->db, err);
}

/* Write a cell as JSON does, except for NaN and infinities, which are not words here. */
static void
put_cell(struct tt_db_insert *to, size_t at, enum tt_unit unit, const struct tt_cell *c)
{
	char text[TT_CELL_MAX];

	if (c->empty)
		return;
	if (tt_unit_is_text(unit)) {
		tt_db_text(to, at, c->s, strlen(c->s));
		return;
	}
	if (unit == TT_UNIT_BOOL || unit == TT_UNIT_COUNT || unit == TT_UNIT_NS || unit == TT_UNIT_BYTES) {
		tt_db_int(to, at, unit == TT_UNIT_BOOL ? c->v != 0 : c->v);
		return;
	}
	/* A double holds such a number exactly, so that the quotient is the double nearest to the decimal fraction. */
	if ((unit == TT_UNIT_PERCENT || unit == TT_UNIT_MILLI) && c->v > -(INT64_C(1) << 53) && c->v < INT64_C(1) << 53) {
		tt_db_real(to, at, (double)c->v / (unit == TT_UNIT_PERCENT ? 100 : 1000));
		return;
	}
	*tt_cell_machine(text, unit, c) = '\0';
	if (unit == TT_UNIT_HEX)
		tt_db_text(to, at, text, strlen(text));
	else
		tt_sqlite_number(to, at, text);
}

static void
put_rows(struct tt_db_insert *to, const struct tt_table *t)
{
	tt_rows_first(t);
	do {
		for (size_t row = 0; row < t->nrow; row++) {
			for (size_t col = 0; col < t->ncol; col++)
				put_cell(to, col, t->col[col].unit, tt_table_cell(t, row, col));
			tt_db_row(to);
		}
	} while (tt_rows_next(t));
}

static int
put_tables(struct sqlite_db *s, struct tt_views *view, struct tt_err *err)
{
	struct tt_report r;
	int rc = TT_OK;

	tt_report_init(&r, &s->e.env->mem);
	for (const struct tt_pass *const *p = tt_passes; *p && rc == TT_OK; p++) {
		for (size_t i = 0; i < (*p)->ntables && tt_sqlite_has(*p, s->level) && rc == TT_OK; i++)
			if (!(*p)->tables[i].is_extra)
				rc = create(s, &(*p)->tables[i], err);
		if (rc == TT_OK && tt_sqlite_has(*p, s->level))
			tt_pass_report(*p, view, &tt_pass_defaults, &r);
		for (const struct tt_table *t = r.first; t && rc == TT_OK; t = t->next)
			put_rows(tt_db_insert(s->db, t->id, t->ncol), t);
		TT_THEN(rc, tt_report_error(&r, err));
		tt_report_free(&r);
		tt_report_init(&r, &s->e.env->mem);
	}
	tt_report_free(&r);
	return rc;
}

/* --- in words ----------------------------------------------------------------------------------- */

static void
put_about(struct tt_db_insert *to, const char *table, const char *col, const char *unit, const char *help)
{
	tt_db_text_or_null(to, 0, table);
	tt_db_text_or_null(to, 1, col);
	tt_db_text_or_null(to, 2, unit);
	tt_db_text_or_null(to, 3, help);
	tt_db_row(to);
}

static void
put_abouts(struct sqlite_db *s)
{
	struct tt_db_insert *to = into(s, TT_SQL_ABOUT);

	for (size_t i = 0; i < TT_SQL_TABLES; i++) {
		const struct tt_db_table *t = &tt_sqlite_table[i];

		put_about(to, t->name, NULL, NULL, t->help);
		for (size_t k = 0; k < t->ncol; k++)
			put_about(to, t->name, t->col[k].name, NULL, t->col[k].help);
	}
	for (const struct tt_sqlite_view *v = tt_sqlite_view; v->name; v++) {
		put_about(to, v->name, NULL, NULL, v->help);
		for (size_t k = 0; k < v->ncol; k++)
			put_about(to, v->name, v->col[k].name, NULL, v->col[k].help);
	}
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables && tt_sqlite_has(*p, s->level); i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];

			for (size_t k = 0; k < t->ncol + 1 && !t->is_extra; k++)
				put_about(to, t->id, k ? t->col[k - 1].id : NULL, k ? unit_word(t->col[k - 1].unit) : NULL, k ? t->col[k - 1].help : t->title);
		}
}

static void
put_views(struct sqlite_db *s)
{
	for (const struct tt_sqlite_view *v = tt_sqlite_view; v->name; v++) {
		struct tt_buf sql = { 0 };

		tt_buf_printf(&sql, "CREATE VIEW %s AS %s", v->name, v->sql);
		tt_db_run_buf(s->db, &sql);
	}
}

/* --- the end --------------------------------------------------------------------------------------- */

static void
put_all(struct sqlite_db *s)
{
	struct tt_db_insert *processes = into(s, TT_SQL_PROCESS), *threads = into(s, TT_SQL_THREAD), *frames = into(s, TT_SQL_FRAME);
	const struct tt_model *m = s->e.m;

	put_info(s);
	for (size_t i = 0; i < m->ncap; i++)
		put_process(processes, m->cap[i]);
	for (size_t i = 0; i < m->threads.n; i++)
		if (!m->keep_thread || m->keep_thread[i])
			put_thread(threads, m->threads.t[i]);
	for (size_t i = 0; m->frames && i < m->frames->n; i++)
		put_frame(frames, m, i);
	put_categories(s);
	put_numbered(s);
	put_abouts(s);
	put_views(s);
}

int
tt_sqlite_finish(void *state, struct tt_err *err)
{
	struct sqlite_db *s = state;
	const struct tt_model *m = s->e.m;
	struct tt_views view;
	char version[64];
	int rc;

	tt_view_init(&view, m);
	if (s->unwritten)
		tt_loss_add(m->loss, TT_LOST_VALUES, s->unwritten, 0, TT_NOWHERE);
	snprintf(version, sizeof version, "PRAGMA user_version=%d", TT_SQLITE_VERSION);
	tt_db_run(s->db, version);
	put_all(s);
	rc = tt_db_error(s->db, err);
	TT_THEN(rc, put_facts(s, err));
	TT_THEN(rc, put_markers(s, &view, err));
	TT_THEN(rc, put_tables(s, &view, err));
	tt_view_free(&view);
	TT_THEN(rc, tt_db_save(s->db, s->sink, err));
	if (rc == TT_OK && s->no_stack)
		tt_log(s->e.env, TT_LOG_NORMAL, "sqlite: %" PRIu64 " call stacks are left out, beyond the 4,194,304 frames that are kept", s->no_stack);
	return rc;
}
