/**
 * The pass "calltree": who calls whom, top-down with total times, or bottom-up with self times.
 *
 * Both walks keep their own stack, so a tree as deep as its input likes needs no C stack. Rows deeper
 * than DEPTH_MAX are not made: nobody reads them, and the indentation alone would be quadratic.
 */
#include <stdlib.h>

#include "pass/merged.h"
#include "pass/passes.h"

#define DEPTH_MAX 256

enum { K_DOWN, K_UP };

enum { D_MARKER, D_DEPTH, D_TOTAL, D_TOTAL_SHARE, D_SELF, D_SELF_SHARE, D_COUNT, D_BYTES, D_N };

static const struct tt_col down_col[D_N] = {
	[D_MARKER] = { "marker", "thread, zones", TT_UNIT_TEXT, "Thread at depth 0, below it its zones, each under the one that calls it." },
	[D_DEPTH] = { "depth", "depth", TT_UNIT_COUNT, "Depth in the tree; 0 is the thread." },
	[D_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Time of this path and everything below it." },
	[D_TOTAL_SHARE] = { "total_share", "total", TT_UNIT_PERCENT, "Its share of the time in zones of all threads." },
	[D_SELF] = { "self_ns", "self", TT_UNIT_NS, "Time of this path and nothing below it." },
	[D_SELF_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Its share of the time in zones of all threads." },
	[D_COUNT] = { "count", "count", TT_UNIT_COUNT, "Activations." },
	[D_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated on this path and below it; empty where allocations were not recorded." },
};

enum { U_MARKER, U_DEPTH, U_SELF, U_SHARE, U_COUNT, U_N };

static const struct tt_col up_col[U_N] = {
	[U_MARKER] = { "marker", "zone, its callers", TT_UNIT_TEXT, "Marker at depth 0, below it what it was called from." },
	[U_DEPTH] = { "depth", "depth", TT_UNIT_COUNT, "Steps up from the marker." },
	[U_SELF] = { "self_ns", "self", TT_UNIT_NS, "Self time of the marker at depth 0 when called from here." },
	[U_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Its share of the time in zones of all threads." },
	[U_COUNT] = { "count", "count", TT_UNIT_COUNT, "Activations of the marker at depth 0 when called from here." },
};

static const struct tt_pass_table tables[] = {
	[K_DOWN] = { "calltree", "Call tree, top-down", down_col, D_N, false, TT_ON_ALL, TT_BY_NAME, 0 },
	[K_UP] = { "calltree_bottom_up", "Call tree, bottom-up", up_col, U_N, true, TT_ON_ALL, TT_BY_NAME, 0 },
};

struct fold {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_paths p;
	struct tt_merged g;
	uint32_t deepest;             /* rows deeper than this are not made */
	bool allocs;                  /* it is known what was allocated */
};

static const char *
label(const struct fold *f, uint32_t v)
{
	const struct tt_mnode *n = &f->g.v[v];

	return n->row == TT_NO_ROW ? f->m->threads.t[n->thread]->name : f->p.row[n->row].label;
}

/* --- top-down ------------------------------------------------------------------------ */

struct step { uint32_t v, depth; };

struct stack {
	struct step *s;
	size_t n, cap;
};

static int
put_down(struct fold *f, struct tt_table *t, struct step s, struct tt_err *err)
{
	const struct tt_mnode *v = &f->g.v[s.v];
	const char *name = tt_report_text(f->r, err, "%s", label(f, s.v));
	struct tt_cell *c;
	int rc = name ? tt_table_row(f->r, t, &c, err) : err->code;

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[D_MARKER], name);
	tt_cell_int(&c[D_DEPTH], s.depth);
	tt_cell_int(&c[D_TOTAL], v->total);
	tt_cell_share(&c[D_TOTAL_SHARE], v->total, f->g.total);
	if (v->row != TT_NO_ROW) {
		tt_cell_int(&c[D_SELF], v->self);
		tt_cell_share(&c[D_SELF_SHARE], v->self, f->g.total);
		tt_cell_int(&c[D_COUNT], (int64_t)v->n);
	}
	if (f->allocs)
		tt_cell_int(&c[D_BYTES], v->alloc_b);
	return TT_OK;
}

static int
by_total(const void *x, const void *y, void *arg)
{
	const struct tt_mnode *v = arg;
	uint32_t a = ((const struct step *)x)->v, b = ((const struct step *)y)->v;

	/* Smallest first: the last one pushed is the first one shown. */
	if (v[a].total != v[b].total)
		return v[a].total < v[b].total ? -1 : 1;
	return (a < b) - (a > b);
}

/* Push the siblings from ${v} on that are worth a row, the largest on top. */
static int
push_level(struct fold *f, struct stack *st, uint32_t v, uint32_t depth, struct tt_err *err)
{
	size_t from = st->n;

	for (; v != TT_NO_MNODE; v = f->g.v[v].sibling) {
		const struct tt_mnode *n = &f->g.v[v];
		int rc;

		if (!n->keep || (n->n == 0 && n->total == 0 && n->alloc_b == 0) ||
		    !tt_merged_over(&f->g, n->total, f->o->threshold_e4))
			continue;
		rc = tt_mem_grow(&f->m->env->mem, &st->s, &st->cap, st->n + 1, sizeof *st->s, err);
		if (rc != TT_OK)
			return rc;
		st->s[st->n++] = (struct step){ v, depth };
	}
	if (st->n - from > 1)
		qsort_r(st->s + from, st->n - from, sizeof *st->s, by_total, f->g.v);
	return TT_OK;
}

static int
top_down(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct stack st = { 0 };
	int rc = push_level(f, &st, f->g.first, 0, err);

	while (st.n > 0 && rc == TT_OK) {
		struct step s = st.s[--st.n];

		rc = put_down(f, t, s, err);
		if (rc == TT_OK && s.depth < f->deepest)
			rc = push_level(f, &st, f->g.v[s.v].child, s.depth + 1, err);
	}
	tt_mem_free(&f->m->env->mem, st.s, st.cap * sizeof *st.s);
	return rc;
}

/* --- bottom-up ------------------------------------------------------------------------ */

/* One path with self time, seen from the zone ${at} steps above its end. */
struct leaf {
	uint32_t at;
	int64_t self;
	uint64_t n;
};

/* Leaves that meet in one row: a part of the array of leaves. */
struct group {
	size_t from, to;
	uint32_t row, depth;
	int64_t self;
	uint64_t n;
};

struct inverted {
	struct fold *f;
	struct leaf *leaf;
	size_t nleaf;
	struct group *todo;
	size_t ntodo, captodo;
};

static int
by_row(const void *x, const void *y, void *arg)
{
	const struct tt_mnode *v = arg;
	const struct leaf *a = x, *b = y;
	uint32_t ra = v[a->at].row, rb = v[b->at].row;

	if (ra != rb)
		return ra < rb ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int
by_weight(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	/* Smallest first, as in by_total(). */
	if (a->self != b->self)
		return a->self < b->self ? -1 : 1;
	return (a->row < b->row) - (a->row > b->row);
}

/* Is a row at depth 0 one the user asked for? Callers are shown whoever they are. */
static bool
group_wanted(const struct fold *f, const struct group *g)
{
	return tt_merged_over(&f->g, g->self, f->o->threshold_e4) && (g->depth > 0 || f->p.row[g->row].wanted);
}

/* Callers mostly come in the order of what they call, as in recursion: sorting what is sorted at each level would cost most. */
static bool
is_sorted(const struct inverted *in, size_t from, size_t to)
{
	const struct tt_mnode *v = in->f->g.v;

	for (size_t i = from + 1; i < to; i++) {
		if (v[in->leaf[i - 1].at].row > v[in->leaf[i].at].row)
			return false;
	}
	return true;
}

/* Part the leaves [from, to) by the row they stand at, and push the parts. */
static int
push_groups(struct inverted *in, size_t from, size_t to, uint32_t depth, struct tt_err *err)
{
	const struct fold *f = in->f;
	size_t first = in->ntodo;

	if (!is_sorted(in, from, to))
		qsort_r(in->leaf + from, to - from, sizeof *in->leaf, by_row, f->g.v);
	for (size_t i = from; i < to;) {
		struct group g = { .from = i, .row = f->g.v[in->leaf[i].at].row, .depth = depth };
		int rc;

		for (; i < to && f->g.v[in->leaf[i].at].row == g.row; i++) {
			g.self += in->leaf[i].self;
			g.n += in->leaf[i].n;
		}
		g.to = i;
		if (!group_wanted(f, &g))
			continue;
		rc = tt_mem_grow(&f->m->env->mem, &in->todo, &in->captodo, in->ntodo + 1, sizeof *in->todo, err);
		if (rc != TT_OK)
			return rc;
		in->todo[in->ntodo++] = g;
	}
	if (in->ntodo - first > 1)
		qsort(in->todo + first, in->ntodo - first, sizeof *in->todo, by_weight);
	return TT_OK;
}

static int
put_up(struct fold *f, struct tt_table *t, const struct group *g, struct tt_err *err)
{
	const char *name = tt_report_text(f->r, err, "%s", f->p.row[g->row].label);
	struct tt_cell *c;
	int rc = name ? tt_table_row(f->r, t, &c, err) : err->code;

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[U_MARKER], name);
	tt_cell_int(&c[U_DEPTH], g->depth);
	tt_cell_int(&c[U_SELF], g->self);
	tt_cell_share(&c[U_SHARE], g->self, f->g.total);
	tt_cell_int(&c[U_COUNT], (int64_t)g->n);
	return TT_OK;
}

/* Move the leaves of a group to their callers; those that have none leave it. The new end. */
static size_t
climb(struct inverted *in, const struct group *g)
{
	const struct tt_mnode *v = in->f->g.v;
	size_t to = g->from;

	for (size_t i = g->from; i < g->to; i++) {
		uint32_t up = v[in->leaf[i].at].parent;

		if (up == TT_NO_MNODE || v[up].row == TT_NO_ROW)
			continue;
		in->leaf[to] = in->leaf[i];
		in->leaf[to++].at = up;
	}
	return to;
}

static int
invert(struct inverted *in, struct tt_table *t, struct tt_err *err)
{
	struct fold *f = in->f;
	int rc;

	for (uint32_t i = 0; i < f->g.n; i++) {
		if (f->g.v[i].row != TT_NO_ROW && (f->g.v[i].self > 0 || f->g.v[i].n > 0))
			in->leaf[in->nleaf++] = (struct leaf){ i, f->g.v[i].self, f->g.v[i].n };
	}
	rc = push_groups(in, 0, in->nleaf, 0, err);
	while (in->ntodo > 0 && rc == TT_OK) {
		struct group g = in->todo[--in->ntodo];

		rc = put_up(f, t, &g, err);
		if (rc == TT_OK && g.depth < f->deepest)
			rc = push_groups(in, g.from, climb(in, &g), g.depth + 1, err);
	}
	return rc;
}

static int
bottom_up(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	struct inverted in = { .f = f };
	int rc;

	in.leaf = tt_mem_alloc(mem, f->g.n * sizeof *in.leaf, err);
	if (!in.leaf)
		return err->code;
	rc = invert(&in, t, err);
	tt_mem_free(mem, in.leaf, f->g.n * sizeof *in.leaf);
	tt_mem_free(mem, in.todo, in.captodo * sizeof *in.todo);
	return rc;
}

/* --- the pass ------------------------------------------------------------------------ */

/* What is not shown. */
static int
set_note(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	char percent[24];

	t->tree = true;
	t->empty_reason = "no calls or markers in this capture, or none that the filters and the threshold leave";
	if (f->o->threshold_e4 <= 0)
		return TT_OK;
	*tt_put_fixed(percent, f->o->threshold_e4, 2) = '\0';
	t->note = tt_report_text(f->r, err, "branches below %s %% of the time in zones are left out (stats --threshold)", percent);
	return t->note ? TT_OK : err->code;
}

static int
fold(struct fold *f, struct tt_err *err)
{
	int rc = tt_paths_init_by(&f->p, f->m, f->o->group, err);

	f->deepest = f->o->max_depth && f->o->max_depth < DEPTH_MAX ? f->o->max_depth : DEPTH_MAX;
	return rc != TT_OK ? rc : tt_merged_init(&f->g, &f->p, err);
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[K_DOWN] = top_down, [K_UP] = bottom_up,
	};
	static const char *const inverted[] = { "calltree_bottom_up", NULL };
	struct tt_pass_opts turned = *o;
	struct fold f = { .m = m, .o = &turned, .r = r, .allocs = tt_model_knows_allocs(m) };
	int rc;

	/* --bottom-up turns the tree round where it would be shown. */
	if (o->bottom_up)
		turned.table = inverted;
	rc = fold(&f, err);
	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_calltree, i, &turned, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		rc = set_note(&f, t, err);
		if (rc == TT_OK)
			rc = make[i](&f, t, err);
	}
	tt_merged_free(&f.g);
	tt_paths_free(&f.p);
	return rc;
}

const struct tt_pass tt_pass_calltree = {
	.name = "calltree",
	.summary = "call tree, top-down or bottom-up, with a threshold",
	.needs = TT_NEEDS_CALLS,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
