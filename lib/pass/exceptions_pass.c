/**
 * The pass "exceptions": throws by type and by place, and the clauses that ran.
 *
 * Definitions: tracetool-metrics(7), Exceptions.
 */
#include <string.h>

#include "base/order.h"
#include "pass/passes.h"
#include "collect/exceptions.h"
#include "stat/num.h"
#include "view/view.h"

#define COUNT_COL { "count", "throws", TT_UNIT_COUNT, "Number of throws." }
#define CAUGHT_COLS \
	{ "share", "throws", TT_UNIT_PERCENT, "Share of all throws." }, \
	{ "caught", "caught", TT_UNIT_COUNT, \
	    "Number of throws that a catch clause of the program or its libraries caught, on the same thread and in the capture." }, \
	{ "mean_ns", "mean", TT_UNIT_NS, "Mean time from the throw to that clause." }, \
	{ "max_ns", "max", TT_UNIT_NS, "Longest time from the throw to that clause." }
#define TYPE_COL { "type", "type", TT_UNIT_TEXT, \
	"Class of the exception; (unknown) if its allocation is not in the capture; empty in a report of all tables, which does not search for it." }

static const struct tt_col type_col[] = {
	{ "type", "type", TT_UNIT_TEXT, "Class of the exception; (unknown) if its allocation is not in the capture." },
	COUNT_COL, CAUGHT_COLS,
	{ "sites", "sites", TT_UNIT_COUNT, "Number of places in the program that throw this class." },
};
static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Site of the throw: innermost zone or stack frame that is not the runtime's own." },
	TYPE_COL, COUNT_COL, CAUGHT_COLS,
};
static const struct tt_col clause_col[] = {
	{ "marker", "method", TT_UNIT_TEXT, "Method whose clause ran." },
	{ "category", "category", TT_UNIT_TEXT, "Category of the method." },
	{ "kind", "clause", TT_UNIT_TEXT, "catch, filter, finally or fault." },
	{ "clause", "no.", TT_UNIT_COUNT, "Number of the clause in its method, from 0." },
	{ "count", "runs", TT_UNIT_COUNT, "Number of times the clause ran." },
	{ "unwinding", "for an exception", TT_UNIT_COUNT,
	    "Number of times the clause ran for an exception, not in the normal course of a finally; empty before data version 14." },
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Zones or stack frames around the throw, outermost first; of a longer path, the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	TYPE_COL, COUNT_COL, CAUGHT_COLS,
};

struct fold {
	const struct tt_paths *p;
	struct tt_classes classes;
	struct throw {
		const struct tt_throw_site *s;
		const char *type;     /* name of the type, or of the group; NULL: types are not known */
		bool wanted;          /* true: the filters want the type */
		uint32_t row;         /* row of the throw's site */
		uint32_t thread;      /* index of the thread, as several threads may have the same name */
		uint32_t path;        /* node of the throw, for the table of paths */
	} *v;
	size_t nv;
	uint64_t n;                   /* all throws */
};

static struct fold *
fold_of(const struct tt_making *k)
{
	return k->state;
}

/* Set the type of a throw, or its group. Sites and paths are groups already, so a type beside them would split them again. */
static void
set_type(struct tt_making *k, const struct tt_throw_site *s, struct throw *v)
{
	struct fold *f = fold_of(k);
	const struct tt_class *c = s->key ? tt_class_of(&f->classes, s->process, s->key, &k->r->err) : NULL;

	v->type = c ? c->label : tt_exceptions(k->m)->typed ? "(unknown)" : NULL;
	v->wanted = c ? c->wanted : tt_class_wanted(k->m, v->type ? v->type : "", "(unknown)");
	if (k->o->group == TT_GROUP_THREAD) {
		v->thread = v->row / 2;
		v->type = f->p->row[v->row & ~1u].label;
	}
}

/* Put ${n} throws into COUNT_COL and CAUGHT_COLS. */
static void
put_throws(const struct fold *f, struct tt_cell *c, uint64_t n, const struct tt_times *caught)
{
	tt_cell_u64(&c[0], n);
	tt_put_share(&c[1], (int64_t)n, (int64_t)f->n);
	tt_cell_u64(&c[2], caught->n);
	if (caught->n == 0)
		return;
	tt_cell_int(&c[3], tt_times_mean(caught));
	tt_cell_int(&c[4], caught->max);
}

/* Put the sum of the throws ${v}[0..n). */
static void
put_all(const struct fold *f, struct tt_cell *c, const struct throw *v, size_t n)
{
	struct tt_times caught = { 0 };
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++) {
		count += v[i].s->n;
		tt_times_join(&caught, &v[i].s->caught);
	}
	put_throws(f, c, count, &caught);
}

static int
by_type(const void *a, const void *b)
{
	const struct throw *x = a, *y = b;
	int c = strcmp(x->type ? x->type : "", y->type ? y->type : "");

	return c ? c : TT_CMP(x->thread, y->thread);
}

static int
by_row(const void *a, const void *b)
{
	const struct throw *x = a, *y = b;

	return TT_CMP(x->row, y->row);
}

static int
by_site(const void *a, const void *b)
{
	int c = by_row(a, b);

	return c ? c : by_type(a, b);
}

static int
by_path(const void *a, const void *b)
{
	const struct throw *x = a, *y = b;

	return TT_CMP(x->path, y->path);
}

/* Count the distinct sites of the wanted throws in ${v}. Sorts ${v}. */
static uint64_t
count_sites(struct throw *v, size_t n)
{
	const struct throw *last = NULL;
	uint64_t sites = 0;

	tt_sort(v, n, by_row);
	for (size_t i = 0; i < n; i++) {
		if (!v[i].wanted)
			continue;
		sites += !last || v[i].row != last->row;
		last = &v[i];
	}
	return sites;
}

static void
put_type(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	struct fold *f = fold_of(k);
	struct throw *v = f->v + ((const struct throw *)group - f->v);
	struct tt_times caught = { 0 };
	uint64_t count = 0;
	struct tt_cell *c;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].wanted)
			continue;
		count += v[i].s->n;
		tt_times_join(&caught, &v[i].s->caught);
	}
	if (count == 0)
		return;
	c = tt_row(t);
	tt_cell_name(&c[0], v->type);
	put_throws(f, c + 1, count, &caught);
	if (!k->o->group)
		tt_cell_u64(&c[6], count_sites(v, n));
}

static void
types(struct tt_making *k, struct tt_table *t)
{
	tt_for_each_group(fold_of(k)->v, fold_of(k)->nv, sizeof(struct throw), by_type, put_type, k, t);
}

static void
put_site(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	const struct fold *f = fold_of(k);
	const struct throw *v = group;
	struct tt_cell *c;

	if (!tt_paths_site_wanted(f->p, v->row))
		return;
	c = tt_row(t);
	tt_cell_text(&c[0], tt_site_name(f->p, v->row));
	if (!k->o->group)
		tt_cell_name(&c[1], v->type);
	put_all(f, c + 2, v, n);
}

static void
sites(struct tt_making *k, struct tt_table *t)
{
	tt_for_each_group(fold_of(k)->v, fold_of(k)->nv, sizeof(struct throw), k->o->group ? by_row : by_site, put_site, k, t);
}

static void
put_path(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	const struct fold *f = fold_of(k);
	const struct throw *v = group;
	struct tt_cell *c = tt_begin_path_row(t, f->p, v->s->node, NULL);

	if (!k->o->group)
		tt_cell_name(&c[2], v->type);
	put_all(f, c + 3, v, n);
}

static void
paths(struct tt_making *k, struct tt_table *t)
{
	struct fold *f = fold_of(k);
	struct throw *v = tt_pass_alloc(k, f->nv * sizeof *f->v);
	size_t n = 0;

	if (v && tt_view_paths(k->view, k->o->group, TT_PATHS_JOIN, &k->r->err)) {
		for (size_t i = 0; i < f->nv; i++) {
			if (!tt_paths_site_wanted(f->p, f->v[i].row))
				continue;
			v[n] = f->v[i];
			v[n++].path = k->o->group ? f->p->path[f->v[i].s->node] : (uint32_t)i;
		}
		tt_for_each_group(v, n, sizeof *v, by_path, put_path, k, t);
	}
}

/* A clause of a method, or of a kind of clause in a group of methods. */
struct clause { const char *label; const struct tt_name *name; const struct tt_throw_clause *k; };

static int
by_clause(const void *a, const void *b)
{
	const struct clause *x = a, *y = b;
	int c = strcmp(x->label, y->label);

	return c ? c : TT_CMP(x->k->kind, y->k->kind);
}

static void
put_clause(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	static const char *const kinds[] = { "catch", "filter", "finally", "", "fault" };
	const struct clause *v = group;
	uint64_t runs = 0, unwinding = 0;
	struct tt_cell *c = tt_row(t);

	for (size_t i = 0; i < n; i++) {
		runs += v[i].k->n;
		unwinding += v[i].k->unwinding;
	}
	tt_cell_text(&c[0], v->label);
	if (!k->o->group && v->name->category < k->m->ncategory)
		tt_cell_text(&c[1], k->m->category[v->name->category].name);
	if (v->k->kind < TT_NCOL(kinds))
		tt_cell_text(&c[2], kinds[v->k->kind]);
	if (!k->o->group)
		tt_cell_int(&c[3], v->k->index);
	tt_cell_u64(&c[4], runs);
	if (tt_exceptions(k->m)->objects)
		tt_cell_u64(&c[5], unwinding);
}

static void
clauses(struct tt_making *k, struct tt_table *t)
{
	const struct tt_exceptions *th = tt_exceptions(k->m);
	struct clause *v = tt_pass_alloc(k, th->nclause * sizeof *v);
	size_t n = 0;

	for (size_t i = 0; v && i < th->nclause; i++) {
		const struct tt_throw_clause *of = &th->clause[i];
		const struct tt_name *name = tt_model_key(k->m, of->process, of->method);
		const char *label = name->wanted ? tt_group_marker(k->m, fold_of(k)->p->group, name, &k->r->arena, &k->r->err) : NULL;

		if (label)
			v[n++] = (struct clause){ label, name, of };
	}
	if (k->o->group)
		tt_for_each_group(v, n, sizeof *v, by_clause, put_clause, k, t);
	for (size_t i = 0; i < n && !k->o->group; i++)
		put_clause(k, t, &v[i], 1);
}

/* --- the pass ------------------------------------------------------------------------ */

static void
open(struct tt_making *k)
{
	const struct tt_exceptions *th = tt_exceptions(k->m);
	struct fold *f = fold_of(k);

	tt_classes_init(&f->classes, k->m, k->o->group, &k->r->arena);
	f->p = tt_view_paths(k->view, k->o->group, TT_PATHS_SITES, &k->r->err);
	f->nv = th->n;
	f->v = tt_pass_alloc(k, f->nv * sizeof *f->v);
	for (size_t i = 0; f->v && i < f->nv; i++) {
		const struct tt_throw_site *s = &th->site[i];

		f->v[i] = (struct throw){ .s = s, .row = f->p->site[s->node] };
		set_type(k, s, &f->v[i]);
		f->n += s->n;
	}
}

/* Add the notes that all tables share: on exceptions that cannot be recorded. */
static void
put_notes(struct tt_making *k)
{
	static const char hidden[] = "exceptions may be missing: where compiled code raises one (index out of range, invalid cast, overflow) "
	    "and catches it in the same method, Mono compiles it to a jump and reports nothing; mono -O=-exception prevents that";
	const char *severity = tt_severity_name[TT_NOTICE];
	const struct tt_exceptions *th = tt_exceptions(k->m);
	bool hides = false;

	for (size_t p = 0; p < k->m->ncap; p++)
		hides = hides || (k->m->cap[p]->hides_throws && ((k->m->cap[p]->records & TT_REC_THROWS) || th->n > 0));
	if (hides)
		tt_report_note(k->r, severity, "exceptions", hidden);
	if (th->unthrown)
		tt_report_note(k->r, severity, "exceptions", tt_text(k->r, "%llu catch clause%s ran for an exception whose throw is not in "
		    "the capture: it was thrown before the recording began, or the runtime did not report it",
		    (unsigned long long)th->unthrown, th->unthrown == 1 ? "" : "s"));
}

static void
drop(struct tt_making *k)
{
	struct fold *f = fold_of(k);

	put_notes(k);
	tt_classes_free(&f->classes);
}

static bool
any(const struct tt_model *m)
{
	const struct tt_exceptions *th = tt_exceptions(m);

	return th->n + th->nclause > 0;
}

#define NO_THROW "no throw in this capture, or the filters leave none"
#define NO_CLAUSE "no clause in this capture, or the filters leave none"
#define TYPE_NEEDS (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_TEXT)
static const struct tt_pass_table tables[] = {
	{ "exceptions", "Exceptions by type", type_col, TT_NCOL(type_col), true, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME,
	    .needs = TYPE_NEEDS, .make_rows = types, .sort = "count", .why_empty = NO_THROW },
	{ "exception_sites", "Exceptions by site", site_col, TT_NCOL(site_col), false, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME,
	    .named_needs = TYPE_NEEDS, .make_rows = sites, .keeps = true, .sort = "count", .why_empty = NO_THROW },
	{ "exception_clauses", "Exception clauses", clause_col, TT_NCOL(clause_col), false, TT_ON_CALLS, TT_BY_NAME,
	    .make_rows = clauses, .sort = "count", .why_empty = NO_CLAUSE },
	{ "exception_paths", "Exceptions by path", path_col, TT_NCOL(path_col), true, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME,
	    .named_needs = TYPE_NEEDS, .make_rows = paths, .keeps = true, .sort = "count", .why_empty = NO_THROW },
};

const struct tt_pass tt_pass_exceptions = {
	.name = "exceptions",
	.summary = "exceptions: throws by type, site and path; clauses",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_SITES | TT_NEEDS_THROWS,
	.is_standard = true,
	.has_tables = any,
	.state_bytes = sizeof(struct fold),
	.open = open,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
