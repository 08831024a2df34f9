/**
 * A comparison as tables; the contract is in report.h.
 *
 * All tables are sums of the same integers, the parts of nodes and sites, so that they add up alike.
 */
#include "diff/report.h"

#include <stdlib.h>
#include <string.h>

#include "stat/num.h"

#define NCOL(c) (sizeof (c) / sizeof (c)[0])
#define PATH_ZONES 64

/* --- columns -------------------------------------------------------------------------------- */

enum { S_SIDE, S_CAPTURES, S_FRAMES, S_TOTAL, S_MEAN, S_BYTES, S_N };

static const struct tt_col side_col[S_N] = {
	[S_SIDE] = { "side", "side", TT_UNIT_TEXT, NULL },
	[S_CAPTURES] = { "captures", "captures", TT_UNIT_COUNT, NULL },
	[S_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, NULL },
	[S_TOTAL] = { "total_ns", "total", TT_UNIT_NS, NULL },
	[S_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, NULL },
	[S_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, NULL },
};

/* Every table of times has these behind its names. */
enum { T_A, T_B, T_DIFF, T_CALLS, T_COST, T_SUMS };
enum { T_A_CALLS = T_SUMS, T_B_CALLS, T_A_CALL, T_B_CALL, T_STATE, T_N };
enum { T_A_SELF = T_N, T_B_SELF, T_A_COUNT, T_B_COUNT };
#define SUMS \
	{ "a_ns", "A", TT_UNIT_NS, NULL }, { "b_ns", "B", TT_UNIT_NS, NULL }, { "diff_ns", "B-A", TT_UNIT_NS, NULL }, \
	{ "calls_ns", "by calls", TT_UNIT_NS, NULL }, { "cost_ns", "by cost", TT_UNIT_NS, NULL }
#define TIMES \
	SUMS, { "a_calls", "calls A", TT_UNIT_MILLI, NULL }, { "b_calls", "calls B", TT_UNIT_MILLI, NULL }, \
	{ "a_call_ns", "per call A", TT_UNIT_NS, NULL }, { "b_call_ns", "per call B", TT_UNIT_NS, NULL }, \
	{ "state", "", TT_UNIT_TEXT, NULL }

static const struct tt_col class_col[] = {
	{ "part", "part", TT_UNIT_TEXT, NULL }, { "category", "category", TT_UNIT_TEXT, NULL }, SUMS,
};
static const struct tt_col marker_col[] = {
	{ "marker", "marker", TT_UNIT_TEXT, NULL }, { "category", "category", TT_UNIT_TEXT, NULL }, TIMES,
};
static const struct tt_col other_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, NULL }, { "marker", "marker", TT_UNIT_TEXT, NULL }, TIMES,
};
static const struct tt_col thread_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, NULL }, SUMS,
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, NULL }, { "thread", "thread", TT_UNIT_TEXT, NULL }, TIMES,
	{ "a_self_ns", "all A", TT_UNIT_NS, NULL }, { "b_self_ns", "all B", TT_UNIT_NS, NULL },
	{ "a_count", "count A", TT_UNIT_COUNT, NULL }, { "b_count", "count B", TT_UNIT_COUNT, NULL },
};

enum { G_SITE, G_CLASS, G_A, G_B, G_DIFF, G_A_COUNT, G_B_COUNT, G_STATE, G_N };
static const struct tt_col site_col[G_N] = {
	[G_SITE] = { "marker", "site", TT_UNIT_TEXT, NULL },
	[G_CLASS] = { "class", "class", TT_UNIT_TEXT, NULL },
	[G_A] = { "a_bytes", "A", TT_UNIT_BYTES, NULL },
	[G_B] = { "b_bytes", "B", TT_UNIT_BYTES, NULL },
	[G_DIFF] = { "diff_bytes", "B-A", TT_UNIT_BYTES, NULL },
	[G_A_COUNT] = { "a_count", "count A", TT_UNIT_MILLI, NULL },
	[G_B_COUNT] = { "b_count", "count B", TT_UNIT_MILLI, NULL },
	[G_STATE] = { "state", "", TT_UNIT_TEXT, NULL },
};

enum { C_SIDE, C_FILE, C_FRAMES, C_TOTAL, C_MEAN, C_MEDIAN, C_N };
static const struct tt_col capture_col[C_N] = {
	[C_SIDE] = { "side", "side", TT_UNIT_TEXT, NULL },
	[C_FILE] = { "file", "file", TT_UNIT_TEXT, NULL },
	[C_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, NULL },
	[C_TOTAL] = { "total_ns", "total", TT_UNIT_NS, NULL },
	[C_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, NULL },
	[C_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, NULL },
};

/* --- rows ------------------------------------------------------------------------------------- */

struct ctx {
	const struct tt_diff *d;
	const struct tt_diff_report_opts *o;
	struct tt_report *r;
	uint32_t *root;               /* by node: its thread, or the node itself where it is in none */
};

/* A row of times: the sum over some nodes. */
struct line {
	const char *name, *other;     /* the two columns of text */
	int64_t part[TT_DIFF_SIDES], calls;
	uint64_t n[TT_DIFF_SIDES];
	int64_t self[TT_DIFF_SIDES];
};

static int64_t
line_diff(const struct line *l)
{
	return l->part[TT_DIFF_B] - l->part[TT_DIFF_A];
}

static uint64_t
size(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* The largest difference first, whichever way it goes. */
static int
by_size(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	uint64_t da = size(line_diff(a)), db = size(line_diff(b));
	int c = (da < db) - (da > db);

	if (c == 0)
		c = strcmp(a->name, b->name);
	if (c == 0)
		c = strcmp(a->other, b->other);
	/* By calls and by cost may still cancel out. */
	return c ? c : (a->self[0] < b->self[0]) - (a->self[0] > b->self[0]);
}

static void
add_node(struct line *l, const struct tt_diff_node *v)
{
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		l->part[s] += v->side[s].part;
		l->n[s] += v->side[s].n;
		l->self[s] += v->side[s].self;
	}
	l->calls += v->mid - v->side[TT_DIFF_A].part;
}

static void
add_line(struct line *l, const struct line *from)
{
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		l->part[s] += from->part[s];
		l->n[s] += from->n[s];
		l->self[s] += from->self[s];
	}
	l->calls += from->calls;
}

static bool
nothing(const struct line *l)
{
	return l->n[0] == 0 && l->n[1] == 0 && l->self[0] == 0 && l->self[1] == 0;
}

static void
put_sums(struct tt_cell *c, const struct line *l)
{
	tt_cell_int(&c[T_A], l->part[TT_DIFF_A]);
	tt_cell_int(&c[T_B], l->part[TT_DIFF_B]);
	tt_cell_int(&c[T_DIFF], line_diff(l));
	tt_cell_int(&c[T_CALLS], l->calls);
	tt_cell_int(&c[T_COST], line_diff(l) - l->calls);
}

/* ${n} thousandths per frame or capture. */
static int64_t
rate(const struct tt_diff *d, unsigned side, uint64_t n)
{
	return tt_ratio(n, 1000, d->side[side].units);
}

static const char *
state(bool before, bool after)
{
	return before == after ? NULL : after ? "new" : "gone";
}

static void
put_times(const struct ctx *x, struct tt_cell *c, const struct line *l)
{
	const char *s = state(l->n[0] || l->self[0], l->n[1] || l->self[1]);

	put_sums(c, l);
	for (unsigned i = 0; i < TT_DIFF_SIDES; i++) {
		if (l->n[i] == 0)
			continue;
		tt_cell_int(&c[T_A_CALLS + i], rate(x->d, i, l->n[i]));
		tt_cell_int(&c[T_A_CALL + i], tt_diff_per(l->self[i], l->n[i]));
	}
	if (s)
		tt_cell_text(&c[T_STATE], s);
}

static int
put_line(const struct ctx *x, struct tt_table *t, const struct line *l, size_t names, bool times, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(x->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], l->name);
	if (names > 1 && l->other[0])
		tt_cell_text(&c[1], l->other);
	if (times)
		put_times(x, c + names, l);
	else
		put_sums(c + names, l);
	if (t->col == path_col) {
		tt_cell_int(&c[names + T_A_SELF], l->self[0]);
		tt_cell_int(&c[names + T_B_SELF], l->self[1]);
		tt_cell_int(&c[names + T_A_COUNT], (int64_t)l->n[0]);
		tt_cell_int(&c[names + T_B_COUNT], (int64_t)l->n[1]);
	}
	return TT_OK;
}

/* May row ${i} be shown under the limit? What did not change never is: it stands in the row for the rest. */
static bool
shown(const struct ctx *x, size_t i, bool changed)
{
	return x->o->rows == 0 || (i < x->o->rows && changed);
}

/* "(12 more)" */
static const char *
rest_name(const struct ctx *x, size_t n, struct tt_err *err)
{
	return tt_report_text(x->r, err, "(%zu more)", n);
}

/* All lines, the largest first; behind a limit one row for the rest, so that the rows still add up. */
static int
put_lines(const struct ctx *x, struct tt_table *t, struct line *l, size_t n, size_t names, struct tt_err *err)
{
	struct line rest = { .other = "" };
	size_t kept = 0, hidden = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < n; i++) {
		if (!nothing(&l[i]))
			l[kept++] = l[i];
	}
	if (kept > 1)
		qsort(l, kept, sizeof *l, by_size);
	for (size_t i = 0; i < kept && rc == TT_OK; i++) {
		if (shown(x, i, line_diff(&l[i]) != 0 || l[i].calls != 0)) {
			rc = put_line(x, t, &l[i], names, true, err);
			continue;
		}
		add_line(&rest, &l[i]);
		hidden++;
	}
	if (rc != TT_OK || !hidden)
		return rc;
	rest.name = rest_name(x, hidden, err);
	return rest.name ? put_line(x, t, &rest, names, true, err) : err->code;
}

/* --- tables of times ------------------------------------------------------------------------------ */

static const char *const class_name[TT_DIFF_CLASSES] = {
	[TT_DIFF_WORK] = "work", [TT_DIFF_GC] = "GC", [TT_DIFF_WAIT] = "wait", [TT_DIFF_UNACCOUNTED] = "unaccounted",
};

static bool
timed(const struct tt_diff_node *v)
{
	return v->kind == TT_DIFF_ZONE || v->kind == TT_DIFF_REST;
}

static const char *
node_label(const struct tt_diff *d, const struct tt_diff_node *v)
{
	return v->kind == TT_DIFF_REST ? "(in no marker)" : d->marker[v->name].label;
}

static const char *
thread_label(const struct ctx *x, size_t node)
{
	const struct tt_diff_node *v = &x->d->node[x->root[node]];

	return v->kind == TT_DIFF_ZONE ? "(more paths)" : x->d->thread[v->name];
}

/* The line of a class and category, added if it is new. Categories are few. */
static struct line *
class_line(struct line *l, size_t *n, const char *class, const char *category)
{
	for (size_t i = 0; i < *n; i++) {
		if (strcmp(l[i].name, class) == 0 && strcmp(l[i].other, category) == 0)
			return &l[i];
	}
	l[*n] = (struct line){ .name = class, .other = category };
	return &l[(*n)++];
}

/* How many categories there can be: at most one for each marker on each side. */
static int
fill_classes(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	size_t cap = 2 * d->nmarker + 3, n = 0;
	struct line *l = tt_mem_alloc(x->r->mem, cap * sizeof *l, err), all = { .name = "all", .other = "" };
	int rc = TT_OK;

	if (!l)
		return err->code;
	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];
		const char *a, *b, *class;
		struct line half[TT_DIFF_SIDES] = { 0 };

		if (!tt_diff_is_part(d, v))
			continue;
		class = class_name[tt_diff_class(d, v)];
		a = tt_diff_category(d, v, TT_DIFF_A);
		b = tt_diff_category(d, v, TT_DIFF_B);
		if (strcmp(a, b) == 0) {
			add_node(class_line(l, &n, class, a), v);
			continue;
		}
		/* It went from one category to another: gone there, new here. */
		half[0].part[0] = v->side[0].part;
		half[0].calls = -v->side[0].part;
		half[1].part[1] = half[1].calls = v->side[1].part;
		add_line(class_line(l, &n, class, a), &half[0]);
		add_line(class_line(l, &n, class, b), &half[1]);
	}
	for (size_t i = 0; i < n; i++)
		add_line(&all, &l[i]);
	if (n > 1)
		qsort(l, n, sizeof *l, by_size);
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = put_line(x, t, &l[i], 2, false, err);
	if (rc == TT_OK)
		rc = put_line(x, t, &all, 2, false, err);
	t->whole = true;
	tt_mem_free(x->r->mem, l, cap * sizeof *l);
	return rc;
}

static int
fill_markers(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	size_t n = d->nmarker + 1;
	struct line *l = tt_mem_alloc(x->r->mem, n * sizeof *l, err);
	int rc;

	if (!l)
		return err->code;
	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];
		struct line *to = &l[v->kind == TT_DIFF_REST ? d->nmarker : v->name];

		if (!tt_diff_is_part(d, v))
			continue;
		to->name = node_label(d, v);
		to->other = tt_diff_category(d, v, TT_DIFF_B);
		add_node(to, v);
	}
	rc = put_lines(x, t, l, n, 2, err);
	tt_mem_free(x->r->mem, l, n * sizeof *l);
	return rc;
}

static int
by_thread_and_marker(const void *a, const void *b, void *arg)
{
	const struct ctx *x = arg;
	const struct tt_diff_node *node = x->d->node;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (x->root[i] != x->root[k])
		return x->root[i] < x->root[k] ? -1 : 1;
	return (node[i].name > node[k].name) - (node[i].name < node[k].name);
}

/* Markers of the other threads. */
static int
fill_others(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	struct tt_mem *mem = x->r->mem;
	uint32_t *order = tt_mem_alloc(mem, d->nnode * sizeof *order, err);
	struct line *l = order ? tt_mem_alloc(mem, d->nnode * sizeof *l, err) : NULL;
	size_t n = 0, lines = 0;
	int rc = l ? TT_OK : err->code;

	for (uint32_t i = 1; l && i < d->nnode; i++) {
		if (timed(&d->node[i]) && !tt_diff_is_part(d, &d->node[i]))
			order[n++] = i;
	}
	if (n > 1)
		qsort_r(order, n, sizeof *order, by_thread_and_marker, (void *)(uintptr_t)x);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_thread_and_marker(&order[i - 1], &order[i], (void *)(uintptr_t)x) != 0)
			l[lines++] = (struct line){ .name = thread_label(x, order[i]), .other = node_label(d, &d->node[order[i]]) };
		add_node(&l[lines - 1], &d->node[order[i]]);
	}
	if (rc == TT_OK)
		rc = put_lines(x, t, l, lines, 2, err);
	tt_mem_free(mem, l, l ? d->nnode * sizeof *l : 0);
	tt_mem_free(mem, order, order ? d->nnode * sizeof *order : 0);
	return rc;
}

static int
fill_threads(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	struct line *l = tt_mem_alloc(x->r->mem, d->nnode * sizeof *l, err);
	size_t n = 0;
	int rc = TT_OK;

	if (!l)
		return err->code;
	for (size_t i = 1; i < d->nnode; i++) {
		if (!timed(&d->node[i]))
			continue;
		l[x->root[i]].name = thread_label(x, i);
		add_node(&l[x->root[i]], &d->node[i]);
	}
	for (size_t i = 1; i < d->nnode; i++) {
		if (!l[i].name || nothing(&l[i]))
			continue;
		l[n] = l[i];
		l[n++].other = "";
	}
	if (n > 1)
		qsort(l, n, sizeof *l, by_size);
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = put_line(x, t, &l[i], 1, false, err);
	tt_mem_free(x->r->mem, l, d->nnode * sizeof *l);
	return rc;
}

/* The markers around a node, outermost first; of deeper paths the innermost. */
static char *
path_text(const struct ctx *x, size_t node, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	const char *name[PATH_ZONES];
	size_t n = 0, bytes = 1;
	char *s, *p;

	for (; node && timed(&d->node[node]) && n < PATH_ZONES; node = d->node[node].parent) {
		name[n] = node_label(d, &d->node[node]);
		bytes += strlen(name[n++]) + 3;
	}
	s = p = tt_arena_alloc(&x->r->arena, bytes, err);
	while (s && n-- > 0) {
		p = stpcpy(p, name[n]);
		if (n > 0)
			p = stpcpy(p, " > ");
	}
	return s;
}

static int
fill_paths(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	struct line *l = tt_mem_alloc(x->r->mem, d->nnode * sizeof *l, err);
	size_t n = 0;
	int rc = l ? TT_OK : err->code;

	for (size_t i = 1; rc == TT_OK && i < d->nnode; i++) {
		if (!timed(&d->node[i]))
			continue;
		l[n].name = path_text(x, i, err);
		if (!l[n].name)
			rc = err->code;
		l[n].other = thread_label(x, i);
		add_node(&l[n++], &d->node[i]);
	}
	if (rc == TT_OK)
		rc = put_lines(x, t, l, n, 2, err);
	tt_mem_free(x->r->mem, l, l ? d->nnode * sizeof *l : 0);
	return rc;
}

/* What one side alone has. */
static int
fill_changed(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	struct line *l = tt_mem_alloc(x->r->mem, d->nmarker * sizeof *l, err);
	size_t n = 0;
	int rc;

	if (!l)
		return err->code;
	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];

		if (v->kind != TT_DIFF_ZONE)
			continue;
		l[v->name].name = node_label(d, v);
		l[v->name].other = tt_diff_category(d, v, TT_DIFF_B);
		add_node(&l[v->name], v);
	}
	for (size_t i = 0; i < d->nmarker; i++) {
		if (l[i].name && state(l[i].n[0] || l[i].self[0], l[i].n[1] || l[i].self[1]))
			l[n++] = l[i];
	}
	rc = put_lines(x, t, l, n, 2, err);
	tt_mem_free(x->r->mem, l, d->nmarker * sizeof *l);
	return rc;
}

/* --- the other tables ------------------------------------------------------------------------------- */

static int
fill_sides(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	static const char *const name[] = { "A", "B" };
	const struct tt_diff *d = x->d;
	struct tt_cell *c;
	int rc = TT_OK;

	t->facts = true;
	for (unsigned i = 0; i < TT_DIFF_SIDES && rc == TT_OK; i++) {
		const struct tt_diff_side *s = &d->side[i];

		rc = tt_table_row(x->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[S_SIDE], name[i]);
		tt_cell_int(&c[S_CAPTURES], (int64_t)s->n);
		if (d->frames)
			tt_cell_int(&c[S_FRAMES], (int64_t)s->units);
		tt_cell_int(&c[S_TOTAL], s->total);
		tt_cell_int(&c[S_MEAN], s->mean);
		if (d->nsite)
			tt_cell_int(&c[S_BYTES], s->alloc_b);
	}
	rc = tt_table_row(x->r, t, &c, err);
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[S_SIDE], "B-A");
	tt_cell_int(&c[S_MEAN], d->side[TT_DIFF_B].mean - d->side[TT_DIFF_A].mean);
	if (d->nsite)
		tt_cell_int(&c[S_BYTES], d->side[TT_DIFF_B].alloc_b - d->side[TT_DIFF_A].alloc_b);
	return TT_OK;
}

static int64_t
site_diff(const struct tt_diff_site *s)
{
	return s->side[TT_DIFF_B].part - s->side[TT_DIFF_A].part;
}

static int
by_bytes(const void *x, const void *y, void *arg)
{
	const struct tt_diff *d = arg;
	const struct tt_diff_site *a = &d->site[*(const size_t *)x], *b = &d->site[*(const size_t *)y];
	uint64_t da = size(site_diff(a)), db = size(site_diff(b));

	if (da != db)
		return da < db ? 1 : -1;
	return (a > b) - (a < b);
}

static int
put_site(const struct ctx *x, struct tt_table *t, const struct tt_diff_site *s, const char *name, const char *class,
    struct tt_err *err)
{
	const char *st = state(s->side[0].n > 0, s->side[1].n > 0);
	struct tt_cell *c;
	int rc = tt_table_row(x->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[G_SITE], name);
	if (class)
		tt_cell_text(&c[G_CLASS], class);
	tt_cell_int(&c[G_DIFF], site_diff(s));
	for (unsigned i = 0; i < TT_DIFF_SIDES; i++) {
		tt_cell_int(&c[G_A + i], s->side[i].part);
		tt_cell_int(&c[G_A_COUNT + i], rate(x->d, i, s->side[i].n));
	}
	if (st)
		tt_cell_text(&c[G_STATE], st);
	return TT_OK;
}

static int
put_sites(const struct ctx *x, struct tt_table *t, const size_t *order, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	struct tt_diff_site rest = { 0 };
	const char *name;
	size_t hidden = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < d->nsite && rc == TT_OK; i++) {
		const struct tt_diff_site *s = &d->site[order[i]];

		if (shown(x, i, site_diff(s) != 0)) {
			rc = put_site(x, t, s, s->marker == TT_DIFF_NONE ? "(outside any zone)" : d->marker[s->marker].label,
			    d->class_name[s->class], err);
			continue;
		}
		for (unsigned k = 0; k < TT_DIFF_SIDES; k++) {
			rest.side[k].n += s->side[k].n;
			rest.side[k].part += s->side[k].part;
		}
		hidden++;
	}
	if (rc != TT_OK || !hidden)
		return rc;
	name = rest_name(x, hidden, err);
	return name ? put_site(x, t, &rest, name, NULL, err) : err->code;
}

static int
fill_sites(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	const struct tt_diff *d = x->d;
	size_t *order = tt_mem_alloc(x->r->mem, d->nsite * sizeof *order, err);
	int rc;

	if (!order)
		return err->code;
	for (size_t i = 0; i < d->nsite; i++)
		order[i] = i;
	if (d->nsite > 1)
		qsort_r(order, d->nsite, sizeof *order, by_bytes, (void *)(uintptr_t)d);
	rc = put_sites(x, t, order, err);
	tt_mem_free(x->r->mem, order, d->nsite * sizeof *order);
	return rc;
}

static int
fill_captures(const struct ctx *x, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		for (size_t i = 0; i < x->d->side[s].n && rc == TT_OK; i++) {
			const struct tt_diff_capture *k = &x->d->side[s].capture[i];
			struct tt_cell *c;

			rc = tt_table_row(x->r, t, &c, err);
			if (rc != TT_OK)
				break;
			tt_cell_text(&c[C_SIDE], s == TT_DIFF_A ? "A" : "B");
			tt_cell_text(&c[C_FILE], k->path);
			tt_cell_int(&c[C_TOTAL], k->total);
			tt_cell_int(&c[C_MEAN], k->mean);
			if (!x->d->frames)
				continue;
			tt_cell_int(&c[C_FRAMES], (int64_t)k->frames);
			tt_cell_int(&c[C_MEDIAN], k->median);
		}
	}
	return rc;
}

/* --- all ------------------------------------------------------------------------------------------------ */

enum when { ALWAYS, WITH_FRAMES, WITH_ALLOCATIONS };

static const struct table {
	const char *id, *title, *totals;      /* totals: the title where there are no frames; NULL: the same */
	const struct tt_col *col;
	size_t ncol;
	int (*fill)(const struct ctx *x, struct tt_table *t, struct tt_err *err);
	enum when when;
	bool extra;
	const char *empty;
} tables[] = {
	{ "sides", "Frame time", "Time in markers, per capture", side_col, S_N, fill_sides, ALWAYS, false, NULL },
	{ "parts", "What frame time is made of", "What it is made of", class_col, NCOL(class_col), fill_classes, ALWAYS, false, NULL },
	{ "markers", "Self time per frame on the frame thread", "Self time per capture", marker_col, NCOL(marker_col), fill_markers,
	    ALWAYS, false, "no markers" },
	{ "other_threads", "Self time per frame on other threads (not part of the frame time)", NULL, other_col, NCOL(other_col),
	    fill_others, WITH_FRAMES, false, "no markers on other threads" },
	{ "threads", "Threads", NULL, thread_col, NCOL(thread_col), fill_threads, ALWAYS, false, "no threads" },
	{ "changed", "New and vanished markers", NULL, marker_col, NCOL(marker_col), fill_changed, ALWAYS, false,
	    "both sides have the same markers" },
	{ "alloc_sites", "Allocation per frame, by site", "Allocation per capture, by site", site_col, G_N, fill_sites,
	    WITH_ALLOCATIONS, false, "no allocations" },
	{ "captures", "Captures", NULL, capture_col, C_N, fill_captures, ALWAYS, false, NULL },
	{ "paths", "Paths", NULL, path_col, NCOL(path_col), fill_paths, ALWAYS, true, "no paths" },
};

const char *
tt_diff_table_id(size_t i)
{
	return i < NCOL(tables) ? tables[i].id : NULL;
}

/* Is it asked for by name, or wanted by default? */
static bool
wanted(const struct ctx *x, const struct table *t)
{
	if (!x->o->table)
		return !t->extra && (t->when == ALWAYS || (t->when == WITH_FRAMES && x->d->frames) ||
		    (t->when == WITH_ALLOCATIONS && x->d->nsite));
	for (const char *const *id = x->o->table; *id; id++) {
		if (strcmp(*id, t->id) == 0)
			return true;
	}
	return false;
}

static int
fill_table(const struct ctx *x, const struct table *k, struct tt_err *err)
{
	struct tt_table *t;
	int rc = tt_report_table(x->r, k->id, x->d->frames || !k->totals ? k->title : k->totals, k->col, k->ncol, &t, err);

	if (rc != TT_OK)
		return rc;
	t->one_unit = true;
	rc = k->fill(x, t, err);
	if (rc == TT_OK && t->nrow == 0)
		t->empty_reason = k->empty;
	return rc;
}

int
tt_diff_report(const struct tt_diff *d, const struct tt_diff_report_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct ctx x = { .d = d, .o = o, .r = r, .root = tt_mem_alloc(r->mem, d->nnode * sizeof *x.root, err) };
	int rc = TT_OK;

	if (!x.root)
		return err->code;
	for (uint32_t i = 1; i < d->nnode; i++)
		x.root[i] = d->node[i].parent ? x.root[d->node[i].parent] : i;
	for (size_t i = 0; i < NCOL(tables) && rc == TT_OK; i++) {
		if (wanted(&x, &tables[i]))
			rc = fill_table(&x, &tables[i], err);
	}
	tt_mem_free(r->mem, x.root, d->nnode * sizeof *x.root);
	return rc;
}
