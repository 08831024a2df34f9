/**
 * The pass "calltree": who calls whom, top-down with total times, or bottom-up with self times.
 *
 * Both walks keep their own stack, so a deep tree needs no C stack. Rows deeper
 * than DEPTH_MAX are not made: nobody reads them, and the indentation alone would be quadratic.
 */
#include "base/option.h"
#include "base/order.h"
#include "base/setting.h"
#include "view/merged.h"
#include "pass/passes.h"
#include "view/view.h"

#define DEPTH_MAX 256

enum { D_MARKER, D_DEPTH, D_TOTAL, D_TOTAL_SHARE, D_SELF, D_SELF_SHARE, D_COUNT, D_BYTES, D_N };

static const struct tt_col down_col[D_N] = {
	[D_MARKER] = { "marker", "thread, zones", TT_UNIT_TEXT, "Thread at depth 0; below it the thread's zones, each below its caller." },
	[D_DEPTH] = { "depth", "depth", TT_UNIT_COUNT, "Depth in the tree; 0 is the thread." },
	[D_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Time of this path, with everything below it." },
	[D_TOTAL_SHARE] = { "total_share", "total", TT_UNIT_PERCENT, "Share of the time in zones of all threads." },
	[D_SELF] = { "self_ns", "self", TT_UNIT_NS, "Time of this path, without everything below it." },
	[D_SELF_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Share of the time in zones of all threads." },
	[D_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of activations." },
	[D_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated on this path and below it; empty if allocations were not recorded." },
};

enum { U_MARKER, U_DEPTH, U_SELF, U_SHARE, U_COUNT, U_N };

static const struct tt_col up_col[U_N] = {
	[U_MARKER] = { "marker", "zone, its callers", TT_UNIT_TEXT, "Marker at depth 0; below it its callers." },
	[U_DEPTH] = { "depth", "depth", TT_UNIT_COUNT, "Number of steps up from the marker." },
	[U_SELF] = { "self_ns", "self", TT_UNIT_NS, "Self time of the marker at depth 0 when called along this path." },
	[U_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Share of the time in zones of all threads." },
	[U_COUNT] = { "count", "count", TT_UNIT_COUNT, "Activations of the marker at depth 0 when called along this path." },
};

struct fold {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	const struct tt_paths *p;
	struct tt_merged g;
	uint32_t deepest;             /* rows deeper than this are not made */
	bool allocs;                  /* allocations are known */
};

static const char *
label(const struct fold *f, uint32_t v)
{
	const struct tt_mnode *n = &f->g.v[v];

	return n->row == TT_NO_ROW ? f->m->threads.t[n->thread]->name : f->p->row[n->row].label;
}

/* Say how many rows are hidden. */
static void
set_note(const struct fold *f, struct tt_table *t)
{
	char percent[24];

	if (f->o->threshold_e4 <= 0)
		return;
	*tt_put_fixed(percent, f->o->threshold_e4, 2) = '\0';
	t->note = tt_text(t->r, "branches below %s %% of the time in zones are left out (%s)", percent,
	    tt_setting_name[TT_SETTING_THRESHOLD]);
}

/* --- top-down ------------------------------------------------------------------------ */

struct step { uint32_t v, depth; };

struct stack {
	struct step *s;
	size_t n, cap;
};

static void
put_down(const struct fold *f, struct tt_table *t, struct step s)
{
	const struct tt_mnode *v = &f->g.v[s.v];
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[D_MARKER], label(f, s.v));
	tt_cell_int(&c[D_DEPTH], s.depth);
	tt_cell_int(&c[D_TOTAL], v->total);
	tt_put_share(&c[D_TOTAL_SHARE], v->total, f->g.total);
	if (v->row != TT_NO_ROW) {
		tt_cell_int(&c[D_SELF], v->self);
		tt_put_share(&c[D_SELF_SHARE], v->self, f->g.total);
		tt_cell_u64(&c[D_COUNT], v->n);
	}
	if (f->allocs)
		tt_cell_int(&c[D_BYTES], v->alloc_b);
}

static int
by_total(const void *x, const void *y, void *arg)
{
	const struct tt_mnode *v = arg;
	uint32_t a = ((const struct step *)x)->v, b = ((const struct step *)y)->v;

	/* Smallest first: the last one pushed is the first one shown. */
	if (v[a].total != v[b].total)
		return v[a].total < v[b].total ? -1 : 1;
	return TT_CMP(b, a);
}

/* Push the siblings from ${v} on that are worth a row, the largest on top. */
static void
push_level(const struct fold *f, struct stack *st, uint32_t v, uint32_t depth, struct tt_err *err)
{
	size_t from = st->n;

	for (; v != TT_NO_MNODE; v = f->g.v[v].sibling) {
		const struct tt_mnode *n = &f->g.v[v];

		if (!n->counted || !tt_merged_over(&f->g, n->total, f->o->threshold_e4))
			continue;
		if (tt_mem_grow(&f->m->env->mem, &st->s, &st->cap, st->n + 1, sizeof *st->s, err) != TT_OK)
			return;
		st->s[st->n++] = (struct step){ v, depth };
	}
	if (st->n > from)
		tt_sort_by(st->s + from, st->n - from, by_total, f->g.v);
}

static void
top_down(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = k->state;
	struct stack st = { 0 };

	set_note(f, t);
	push_level(f, &st, f->g.first, 0, &k->r->err);
	while (st.n > 0) {
		struct step s = st.s[--st.n];

		put_down(f, t, s);
		if (s.depth < f->deepest)
			push_level(f, &st, f->g.v[s.v].child, s.depth + 1, &k->r->err);
	}
	tt_mem_free(&k->m->env->mem, st.s, st.cap * sizeof *st.s);
}

/* --- bottom-up ------------------------------------------------------------------------ */

/* One path with self time; ${at} is its zone at the present level of the walk. */
struct leaf {
	uint32_t at;
	int64_t self;
	uint64_t n;
};

/* Leaves that share one row: a range of the array of leaves. */
struct group {
	size_t from, to;
	uint32_t row, depth;
	int64_t self;
	uint64_t n;
};

struct inverted {
	const struct fold *f;
	struct leaf *leaf, *aside;    /* aside: while they are parted */
	uint32_t *place;              /* by row: where its group may be, after the first of those that are pushed */
	size_t nleaf;
	struct group *todo;
	size_t ntodo, captodo;
};

static int
by_weight(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	/* Smallest first, as in by_total(). */
	if (a->self != b->self)
		return a->self < b->self ? -1 : 1;
	return TT_CMP(b->row, a->row);
}

/* True if the group is large enough for a row. The filters choose rows at depth 0 only; callers are always shown. */
static bool
group_wanted(const struct fold *f, const struct group *g)
{
	return tt_merged_over(&f->g, g->self, f->o->threshold_e4) && (g->depth > 0 || f->p->row[g->row].wanted);
}

/* The group of the leaves of ${row} among those from ${first} on, of which there may be one; NULL: no memory. */
static struct group *
group_of(struct inverted *in, size_t first, uint32_t row, uint32_t depth, struct tt_err *err)
{
	const size_t at = first + in->place[row];

	if (at < in->ntodo && in->todo[at].row == row)
		return &in->todo[at];
	if (tt_mem_grow(&in->f->m->env->mem, &in->todo, &in->captodo, in->ntodo + 1, sizeof *in->todo, err) != TT_OK)
		return NULL;
	in->place[row] = (uint32_t)(in->ntodo - first);
	in->todo[in->ntodo] = (struct group){ .row = row, .depth = depth };
	return &in->todo[in->ntodo++];
}

/* Bring the leaves [from, to) together by the groups from ${first} on, of which `to` is how many each has. */
static void
part(struct inverted *in, size_t from, size_t to, size_t first)
{
	size_t at = from;

	for (size_t i = first; i < in->ntodo; i++) {
		struct group *g = &in->todo[i];

		g->from = at;
		at += g->to;
		g->to = at;
	}
	if (in->ntodo - first < 2)
		return;
	for (size_t i = first; i < in->ntodo; i++)
		in->todo[i].to = in->todo[i].from;
	for (size_t i = from; i < to; i++) {
		struct group *g = &in->todo[first + in->place[in->f->g.v[in->leaf[i].at].row]];

		in->aside[g->to++] = in->leaf[i];
	}
	memcpy(in->leaf + from, in->aside + from, (to - from) * sizeof *in->leaf);
}

/* Split the leaves [from, to) by their row, and push the parts. They are not sorted: of paths of many levels that would be done at each level. */
static void
push_groups(struct inverted *in, size_t from, size_t to, uint32_t depth, struct tt_err *err)
{
	const struct fold *f = in->f;
	const size_t first = in->ntodo;
	size_t n = first;

	for (size_t i = from; i < to; i++) {
		struct group *g = group_of(in, first, f->g.v[in->leaf[i].at].row, depth, err);

		if (!g)
			return;
		g->to++;
		g->self += in->leaf[i].self;
		g->n += in->leaf[i].n;
	}
	part(in, from, to, first);
	for (size_t i = first; i < in->ntodo; i++)
		if (group_wanted(f, &in->todo[i]))
			in->todo[n++] = in->todo[i];
	in->ntodo = n;
	if (n > first)
		tt_sort(in->todo + first, n - first, by_weight);
}

static void
put_up(const struct fold *f, struct tt_table *t, const struct group *g)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[U_MARKER], f->p->row[g->row].label);
	tt_cell_int(&c[U_DEPTH], g->depth);
	tt_cell_int(&c[U_SELF], g->self);
	tt_put_share(&c[U_SHARE], g->self, f->g.total);
	tt_cell_u64(&c[U_COUNT], g->n);
}

/* Move the leaves of a group to their callers and drop leaves without a caller. Return the new end of the group. */
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

static void
invert(struct inverted *in, struct tt_table *t, struct tt_err *err)
{
	const struct fold *f = in->f;

	for (uint32_t i = 0; i < f->g.n; i++) {
		if (f->g.v[i].row != TT_NO_ROW && (f->g.v[i].self > 0 || f->g.v[i].n > 0))
			in->leaf[in->nleaf++] = (struct leaf){ i, f->g.v[i].self, f->g.v[i].n };
	}
	push_groups(in, 0, in->nleaf, 0, err);
	while (in->ntodo > 0) {
		struct group g = in->todo[--in->ntodo];

		put_up(f, t, &g);
		if (g.depth < f->deepest)
			push_groups(in, g.from, climb(in, &g), g.depth + 1, err);
	}
}

static void
bottom_up(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = k->state;
	struct inverted in = { .f = f, .leaf = tt_pass_alloc(k, f->g.n * sizeof *in.leaf), .aside = tt_pass_alloc(k, f->g.n * sizeof *in.aside),
		.place = tt_pass_alloc(k, f->p->nrow * sizeof *in.place) };

	set_note(f, t);
	if (in.leaf && in.aside && in.place)
		invert(&in, t, &k->r->err);
	tt_mem_free(&k->m->env->mem, in.todo, in.captodo * sizeof *in.todo);
}

/* --- the pass ------------------------------------------------------------------------ */

static void
open(struct tt_making *k)
{
	struct fold *f = k->state;

	f->m = k->m;
	f->o = k->o;
	f->allocs = tt_model_knows_allocs(k->m);
	f->deepest = k->o->max_depth && k->o->max_depth < DEPTH_MAX ? (uint32_t)k->o->max_depth : DEPTH_MAX;
	f->p = tt_view_paths(k->view, k->o->group, TT_PATHS_ROWS, &k->r->err);
	if (f->p)
		tt_merged_init(&f->g, f->p, &k->r->err);
}

static void
drop(struct tt_making *k)
{
	struct fold *f = k->state;

	if (f->p)
		tt_merged_free(&f->g);
}

static const struct tt_option options[] = {
	{ .name = "bottom-up", .kind = TT_OPTION_OTHER, .table = "calltree_bottom_up", .replaces = "calltree",
	    .help = "print the call tree from the callees to their callers; without {table}, only that" },
	{ .name = "threshold", .arg = "PCT", .kind = TT_OPTION_PERCENT, .at = offsetof(struct tt_pass_opts, threshold_e4),
	    .help = "leave out branches of the call tree below PCT percent of the time; default 1" },
	{ .name = "max-depth", .arg = "N", .kind = TT_OPTION_COUNT, .at = offsetof(struct tt_pass_opts, max_depth), .min = 1, .max = UINT32_MAX,
	    .help = "print at most N levels of the call tree" },
	{ .name = NULL },
};

#define NONE .why_empty = "no calls or markers in this capture, or the filters and the threshold leave none"
static const struct tt_pass_table tables[] = {
	{ "calltree", "Call tree, top-down", down_col, D_N, false, TT_ON_ALL, TT_BY_NAME, .shape = TT_TREE, .make_rows = top_down, NONE },
	{ "calltree_bottom_up", "Call tree, bottom-up", up_col, U_N, true, TT_ON_ALL, TT_BY_NAME, .shape = TT_TREE, .make_rows = bottom_up, NONE },
};

const struct tt_pass tt_pass_calltree = {
	.name = "calltree",
	.summary = "call tree, top-down or bottom-up, with a threshold",
	.needs = TT_NEEDS_CALLS,
	.option = options,
	.state_bytes = sizeof(struct fold),
	.open = open,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
