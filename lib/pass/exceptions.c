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
	{ "caught", "caught", TT_UNIT_COUNT, "Those whose catch clause on the same thread is in the capture." }, \
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
	[X_TYPES] = { "exceptions", "Exceptions by type", type_col, TT_NCOL(type_col), true },
	[X_SITES] = { "exception_sites", "Exceptions by site", site_col, TT_NCOL(site_col), false },
	[X_CLAUSES] = { "exception_clauses", "Exception clauses", clause_col, TT_NCOL(clause_col), false },
	[X_PATHS] = { "exception_paths", "Exceptions by path", path_col, TT_NCOL(path_col), true },
};

#define TYPED (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_TEXT)
static const unsigned table_needs[] = { [X_TYPES] = TYPED, [X_PATHS] = 0 };

struct fold {
	const struct tt_model *m;
	const struct tt_throws *t;
	struct tt_report *r;
	struct tt_paths p;
	struct throw {
		const struct tt_throw_site *s;
		const char *type;     /* NULL: not looked for */
		uint32_t row;         /* of the site */
	} *v;
	uint64_t n;                   /* throws in all */
};

static const char *
type_of(const struct fold *f, const struct tt_throw_site *s)
{
	if (s->key)
		return tt_model_class(f->m, s->process, s->key);
	return f->t->typed ? "(unknown)" : NULL;
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
	return strcmp(x->type ? x->type : "", y->type ? y->type : "");
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
			count += f->v[j].s->n;
			sites += j == i || f->v[j].row != f->v[j - 1].row;
			tt_times_join(&caught, &f->v[j].s->caught);
		}
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		if (f->v[i].type)
			tt_cell_text(&c[0], f->v[i].type);
		put_throws(f, c + 1, count, &caught);
		tt_cell_int(&c[6], (int64_t)sites);
	}
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

static int
sites(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t n = f->t->n;
	int rc = TT_OK;

	qsort(f->v, n, sizeof *f->v, by_site);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		uint32_t row = f->v[i].row;
		struct tt_times caught = { 0 };
		uint64_t count = 0;
		struct tt_cell *c;

		for (j = i; j < n && by_site(&f->v[i], &f->v[j]) == 0; j++) {
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
		if (f->v[i].type)
			tt_cell_text(&c[1], f->v[i].type);
		put_throws(f, c + 2, count, &caught);
	}
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

static int
paths(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_buf b = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; i < f->t->n && rc == TT_OK; i++) {
		const struct throw *v = &f->v[i];
		const struct tt_thread *th = tt_paths_thread(&f->p, v->s->node);
		const char *text;
		struct tt_cell *c;

		if (!tt_paths_site_wanted(&f->p, v->row))
			continue;
		rc = tt_paths_text(&f->p, v->s->node, &b, err);
		text = rc == TT_OK ? tt_arena_text(&f->r->arena, b.p, b.n, err) : NULL;
		rc = text ? tt_table_row(f->r, t, &c, err) : err->code;
		if (rc != TT_OK)
			break;
		tt_cell_text(&c[0], text);
		if (th)
			tt_cell_text(&c[1], th->name);
		if (v->type)
			tt_cell_text(&c[2], v->type);
		put_throws(f, c + 3, v->s->n, &v->s->caught);
	}
	tt_buf_free(&b);
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

static int
put_clause(struct fold *f, struct tt_table *t, const struct tt_throw_clause *k, struct tt_err *err)
{
	static const char *const kinds[] = { "catch", "filter", "finally", "", "fault" };
	const struct tt_name *name = tt_model_key(f->m, k->process, k->method);
	struct tt_cell *c;
	int rc;

	if (!name->wanted)
		return TT_OK;
	rc = tt_table_row(f->r, t, &c, err);
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], name->shown);
	if (name->category < f->m->ncategory)
		tt_cell_text(&c[1], f->m->category[name->category].name);
	if (k->kind < TT_NCOL(kinds))
		tt_cell_text(&c[2], kinds[k->kind]);
	tt_cell_int(&c[3], k->index);
	tt_cell_int(&c[4], (int64_t)k->n);
	if (f->t->objects)
		tt_cell_int(&c[5], (int64_t)k->unwinding);
	return TT_OK;
}

static int
clauses(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	t->empty_reason = "no clause in this capture, or none that the filters leave";
	for (size_t i = 0; i < f->t->nclause && rc == TT_OK; i++)
		rc = put_clause(f, t, &f->t->clause[i], err);
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

		f->v[i] = (struct throw){ s, type_of(f, s), tt_paths_site(&f->p, s->node) };
		f->n += s->n;
	}
	return TT_OK;
}

static int
tables_of(struct fold *f, const struct tt_pass_opts *o, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[X_TYPES] = types, [X_SITES] = sites, [X_CLAUSES] = clauses, [X_PATHS] = paths,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_exceptions, i, o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = "no throw in this capture, or none that the filters leave";
		if (f->t && (i == X_CLAUSES || f->t->n))
			rc = make[i](f, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .t = m->thrown, .r = r };
	int rc;

	if ((!f.t || f.t->n + f.t->nclause == 0) && !o->table)
		return TT_OK;
	rc = tt_paths_init(&f.p, m, err);
	if (rc == TT_OK && f.t)
		rc = list_throws(&f, err);
	if (rc == TT_OK)
		rc = tables_of(&f, o, err);
	if (f.v)
		tt_mem_free(&m->env->mem, f.v, f.t->n * sizeof *f.v);
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
