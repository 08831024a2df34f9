/**
 * The pass "exceptions": throws by type and by place, and the clauses that ran.
 *
 * Definitions: tracetool-metrics(7), Exceptions.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/passes.h"
#include "pass/paths.h"
#include "stat/num.h"

enum { X_TYPES, X_SITES, X_CLAUSES, X_PATHS };

#define COUNT_COL { "count", "throws", TT_UNIT_COUNT, "Throws." }
#define CAUGHT_COLS \
	{ "share", "throws", TT_UNIT_PERCENT, "Their share of all throws." }, \
	{ "caught", "caught", TT_UNIT_COUNT, \
	    "Those that a catch clause of the program or its libraries caught, on the same thread and in the capture." }, \
	{ "mean_ns", "mean", TT_UNIT_NS, "Mean time from the throw to that clause." }, \
	{ "max_ns", "max", TT_UNIT_NS, "Longest such time." }
#define TYPE_COL { "type", "type", TT_UNIT_TEXT, \
	"Class of the exception, where its allocation is in the capture; empty where it was not looked for." }

static const struct tt_col type_col[] = {
	{ "type", "type", TT_UNIT_TEXT, "Class of the exception; (unknown) where its allocation is not in the capture." },
	COUNT_COL, CAUGHT_COLS,
	{ "sites", "sites", TT_UNIT_COUNT, "Places in the program that throw it." },
};
static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Where it was thrown: innermost zone, or frame of the recorded stack, that is not the runtime's own." },
	TYPE_COL, COUNT_COL, CAUGHT_COLS,
};
static const struct tt_col clause_col[] = {
	{ "marker", "method", TT_UNIT_TEXT, "Method whose clause ran." },
	{ "category", "category", TT_UNIT_TEXT, "Category of the method." },
	{ "kind", "clause", TT_UNIT_TEXT, "catch, filter, finally or fault." },
	{ "clause", "no.", TT_UNIT_COUNT, "Number of the clause in its method, from 0." },
	{ "count", "runs", TT_UNIT_COUNT, "Times it ran." },
	{ "unwinding", "for an exception", TT_UNIT_COUNT,
	    "Times it ran for an exception, not in the normal course of a finally; empty before data version 14." },
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Zones or frames around the throw, outermost first; of deeper paths the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	TYPE_COL, COUNT_COL, CAUGHT_COLS,
};

static const struct tt_pass_table tables[] = {
	[X_TYPES] = { "exceptions", "Exceptions by type", type_col, TT_NCOL(type_col), true,
	    TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
	[X_SITES] = { "exception_sites", "Exceptions by site", site_col, TT_NCOL(site_col), false,
	    TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
	[X_CLAUSES] = { "exception_clauses", "Exception clauses", clause_col, TT_NCOL(clause_col), false,
	    TT_ON_CALLS, TT_BY_NAME, 0 },
	[X_PATHS] = { "exception_paths", "Exceptions by path", path_col, TT_NCOL(path_col), true,
	    TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
};

#define TYPED (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_TEXT)
static const unsigned table_needs[] = { [X_TYPES] = TYPED, [X_PATHS] = 0 };

struct fold {
	const struct tt_model *m;
	const struct tt_throws *t;
	struct tt_report *r;
	struct tt_paths p;
	struct tt_classes classes;
	struct throw {
		const struct tt_throw_site *s;
		const char *type;     /* or group; NULL: not looked for */
		bool wanted;          /* of that type */
		uint32_t row;         /* of the site */
		uint32_t thread;      /* by thread: threads of one name are several */
	} *v;
	uint64_t n;                   /* throws in all */
};

/* Sites and paths are groups of their own: a type beside them would part them again. */
static int
set_type(struct fold *f, const struct tt_throw_site *s, struct throw *v, struct tt_err *err)
{
	const struct tt_class *c;

	v->type = f->t->typed ? "(unknown)" : NULL;
	v->wanted = tt_class_wanted(f->m, v->type ? v->type : "", "(unknown)");
	if (s->key) {
		if (!(c = tt_class_of(&f->classes, s->process, s->key, err)))
			return err->code;
		v->type = c->label;
		v->wanted = c->wanted;
	}
	if (f->p.group == TT_GROUP_THREAD) {
		v->thread = v->row / 2;
		v->type = f->p.row[v->row & ~1u].label;
	}
	return TT_OK;
}

/* COUNT_COL and CAUGHT_COLS of ${n} throws. */
static void
put_throws(const struct fold *f, struct tt_cell *c, uint64_t n, const struct tt_times *caught)
{
	tt_cell_int(&c[0], (int64_t)n);
	tt_cell_share(&c[1], (int64_t)n, (int64_t)f->n);
	tt_cell_int(&c[2], (int64_t)caught->n);
	if (caught->n == 0)
		return;
	tt_cell_int(&c[3], tt_ratio((uint64_t)caught->total, 1, caught->n));
	tt_cell_int(&c[4], caught->max);
}

static int
compare_types(const struct throw *x, const struct throw *y)
{
	int c = strcmp(x->type ? x->type : "", y->type ? y->type : "");

	return c ? c : (x->thread > y->thread) - (x->thread < y->thread);
}

static int
by_type(const void *a, const void *b)
{
	const struct throw *x = a, *y = b;
	int c = compare_types(x, y);

	return c ? c : (x->row > y->row) - (x->row < y->row);
}

static int
by_site(const void *a, const void *b)
{
	const struct throw *x = a, *y = b;

	return x->row != y->row ? (x->row < y->row ? -1 : 1) : compare_types(x, y);
}

static int
by_row(const void *a, const void *b)
{
	const struct throw *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static int
types(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t n = f->t->n;
	int rc = TT_OK;

	qsort(f->v, n, sizeof *f->v, by_type);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		struct tt_times caught = { 0 };
		uint64_t count = 0, sites = 0;
		struct tt_cell *c;

		for (j = i; j < n && compare_types(&f->v[i], &f->v[j]) == 0; j++) {
			if (!f->v[j].wanted)
				continue;
			count += f->v[j].s->n;
			sites += j == i || f->v[j].row != f->v[j - 1].row;
			tt_times_join(&caught, &f->v[j].s->caught);
		}
		if (count == 0)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		if (f->v[i].type)
			tt_cell_text(&c[0], f->v[i].type);
		put_throws(f, c + 1, count, &caught);
		if (!f->p.group)
			tt_cell_int(&c[6], (int64_t)sites);
	}
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

static int
sites(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int (*compare)(const void *, const void *) = f->p.group ? by_row : by_site;
	size_t n = f->t->n;
	int rc = TT_OK;

	qsort(f->v, n, sizeof *f->v, compare);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		uint32_t row = f->v[i].row;
		struct tt_times caught = { 0 };
		uint64_t count = 0;
		struct tt_cell *c;

		for (j = i; j < n && compare(&f->v[i], &f->v[j]) == 0; j++) {
			count += f->v[j].s->n;
			tt_times_join(&caught, &f->v[j].s->caught);
		}
		if (!tt_paths_site_wanted(&f->p, row))
			continue;
		const char *name = row == TT_NO_ROW ? TT_OUTSIDE : tt_report_text(f->r, err, "%s", f->p.row[row].label);
		rc = name ? tt_table_row(f->r, t, &c, err) : err->code;
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], name);
		if (f->v[i].type && !f->p.group)
			tt_cell_text(&c[1], f->v[i].type);
		put_throws(f, c + 2, count, &caught);
	}
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

struct way { uint32_t path; const struct throw *v; };

static int
by_path(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

/* The row of throws on one path, ${w}[0..n). */
static int
put_path(struct fold *f, struct tt_table *t, const struct way *w, size_t n, struct tt_buf *b, struct tt_err *err)
{
	const struct throw *v = w->v;
	const struct tt_thread *th = tt_paths_thread(&f->p, v->s->node);
	struct tt_times caught = { 0 };
	uint64_t count = 0;
	struct tt_cell *c;
	int rc = tt_paths_text(&f->p, v->s->node, b, err);
	const char *text = rc == TT_OK ? tt_arena_text(&f->r->arena, b->p, b->n, err) : NULL;

	rc = text ? tt_table_row(f->r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < n; i++) {
		count += w[i].v->s->n;
		tt_times_join(&caught, &w[i].v->s->caught);
	}
	tt_cell_text(&c[0], text);
	if (th && (!f->p.group || f->p.group == TT_GROUP_THREAD))
		tt_cell_text(&c[1], th->name);
	if (v->type && !f->p.group)
		tt_cell_text(&c[2], v->type);
	put_throws(f, c + 3, count, &caught);
	return TT_OK;
}

static int
paths(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	struct way *w = tt_mem_alloc(mem, f->t->n * sizeof *w, err);
	struct tt_buf b = { 0 };
	size_t n = 0;
	int rc = w ? tt_paths_join(&f->p, err) : err->code;

	for (size_t i = 0; i < f->t->n && rc == TT_OK; i++) {
		if (tt_paths_site_wanted(&f->p, f->v[i].row))
			w[n++] = (struct way){ f->p.group ? f->p.path[f->v[i].s->node] : (uint32_t)i, &f->v[i] };
	}
	if (n)
		qsort(w, n, sizeof *w, by_path);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		for (j = i; j < n && w[j].path == w[i].path; j++)
			;
		rc = put_path(f, t, w + i, j - i, &b, err);
	}
	tt_mem_free(mem, w, w ? f->t->n * sizeof *w : 0);
	tt_buf_free(&b);
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

/* Clauses of a method, or of a kind in a group of methods. */
struct clause { const char *label; const struct tt_name *name; const struct tt_throw_clause *k; };

static int
by_clause(const void *a, const void *b)
{
	const struct clause *x = a, *y = b;
	int c = strcmp(x->label, y->label);

	return c ? c : (x->k->kind > y->k->kind) - (x->k->kind < y->k->kind);
}

static int
put_clause(struct fold *f, struct tt_table *t, const struct clause *v, size_t n, struct tt_err *err)
{
	static const char *const kinds[] = { "catch", "filter", "finally", "", "fault" };
	uint64_t runs = 0, unwinding = 0;
	struct tt_cell *c;
	int rc = tt_table_row(f->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < n; i++) {
		runs += v[i].k->n;
		unwinding += v[i].k->unwinding;
	}
	tt_cell_text(&c[0], v->label);
	if (!f->p.group && v->name->category < f->m->ncategory)
		tt_cell_text(&c[1], f->m->category[v->name->category].name);
	if (v->k->kind < TT_NCOL(kinds))
		tt_cell_text(&c[2], kinds[v->k->kind]);
	if (!f->p.group)
		tt_cell_int(&c[3], v->k->index);
	tt_cell_int(&c[4], (int64_t)runs);
	if (f->t->objects)
		tt_cell_int(&c[5], (int64_t)unwinding);
	return TT_OK;
}

static int
clauses(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	struct clause *v = tt_mem_alloc(mem, f->t->nclause * sizeof *v, err);
	size_t n = 0;
	int rc = v ? TT_OK : err->code;

	t->empty_reason = "no clause in this capture, or none that the filters leave";
	for (size_t i = 0; i < f->t->nclause && rc == TT_OK; i++) {
		const struct tt_throw_clause *k = &f->t->clause[i];
		const struct tt_name *name = tt_model_key(f->m, k->process, k->method);
		if (!name->wanted)
			continue;
		v[n++] = (struct clause){ tt_group_marker(f->m, f->p.group, name, &f->r->arena, err), name, k };
		rc = v[n - 1].label ? TT_OK : err->code;
	}
	if (f->p.group && n && rc == TT_OK)
		qsort(v, n, sizeof *v, by_clause);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		for (j = i + 1; f->p.group && j < n && by_clause(&v[i], &v[j]) == 0; j++)
			;
		rc = put_clause(f, t, v + i, j - i, err);
	}
	tt_mem_free(mem, v, v ? f->t->nclause * sizeof *v : 0);
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

static int
list_throws(struct fold *f, struct tt_err *err)
{
	f->v = tt_mem_alloc(&f->m->env->mem, f->t->n * sizeof *f->v, err);
	if (!f->v)
		return err->code;
	for (size_t i = 0; i < f->t->n; i++) {
		const struct tt_throw_site *s = &f->t->site[i];

		f->v[i] = (struct throw){ .s = s, .row = f->p.site[s->node] };
		if (set_type(f, s, &f->v[i], err) != TT_OK)
			return err->code;
		f->n += s->n;
	}
	return TT_OK;
}

/* What the tables cannot have: one note for all of them. */
static int
put_notes(const struct fold *f, struct tt_err *err)
{
	static const char hidden[] = "exceptions may be missing: where compiled code raises one (index out of range, invalid cast, overflow) "
	    "and catches it in the same method, Mono makes a jump of it and reports nothing; mono -O=-exception prevents that";
	const char *severity = tt_severity_name[TT_NOTICE], *text;
	bool hides = false;
	int rc = TT_OK;

	for (size_t p = 0; p < f->m->ncap; p++)
		hides = hides || (f->m->cap[p]->hides_throws && ((f->m->cap[p]->records & TT_REC_THROWS) || (f->t && f->t->n > 0)));
	if (hides)
		rc = tt_report_note(f->r, severity, "exceptions", hidden, err);
	if (rc != TT_OK || !f->t || f->t->unthrown == 0)
		return rc;
	text = tt_report_text(f->r, err, "%llu catch clause%s ran for an exception whose throw is not in the capture: "
	    "it was thrown before the recording began, or the runtime did not report it", (unsigned long long)f->t->unthrown,
	    f->t->unthrown == 1 ? "" : "s");
	return text ? tt_report_note(f->r, severity, "exceptions", text, err) : err->code;
}

static int
tables_of(struct fold *f, const struct tt_pass_opts *o, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[X_TYPES] = types, [X_SITES] = sites, [X_CLAUSES] = clauses, [X_PATHS] = paths,
	};
	bool any = false;
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_exceptions, i, o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		any = true;
		t->empty_reason = "no throw in this capture, or none that the filters leave";
		if (f->t && (i == X_CLAUSES || f->t->n))
			rc = make[i](f, t, err);
	}
	return rc == TT_OK && any ? put_notes(f, err) : rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .t = m->thrown, .r = r };
	int rc;

	if ((!f.t || f.t->n + f.t->nclause == 0) && !o->table)
		return TT_OK;
	tt_classes_init(&f.classes, m, o->group, &r->arena);
	rc = tt_paths_init_by(&f.p, m, o->group, err);
	if (rc == TT_OK)
		rc = tt_paths_sites(&f.p, err);
	if (rc == TT_OK && f.t)
		rc = list_throws(&f, err);
	if (rc == TT_OK)
		rc = tables_of(&f, o, err);
	if (f.v)
		tt_mem_free(&m->env->mem, f.v, f.t->n * sizeof *f.v);
	tt_classes_free(&f.classes);
	tt_paths_free(&f.p);
	return rc;
}

const struct tt_pass tt_pass_exceptions = {
	.name = "exceptions",
	.summary = "exceptions: throws by type, site and path; clauses",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_SITES | TT_NEEDS_THROWS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
	.table_needs = table_needs,
};
