/**
 * Makes the tables of times; each line is a sum over parts of nodes.
 */
#include "diff/diff_lines.h"

#include <string.h>

#include "base/brief.h"
#include "base/order.h"
#include "diff/diff.h"
#include "out/table.h"
#include "stat/num.h"

#define PATH_ZONES 64

/* Columns that follow the names in every table of times. */
enum { T_A, T_B, T_DIFF, T_CALLS, T_COST, T_SUMS };
enum { T_A_CALLS = T_SUMS, T_B_CALLS, T_A_CALL, T_B_CALL, T_STATE, T_N };
enum { T_A_SELF = T_N, T_B_SELF, T_A_COUNT, T_B_COUNT };
#define SUMS \
	{ "a_ns", "A", TT_UNIT_NS, "Self time per frame of A." }, \
	{ "b_ns", "B", TT_UNIT_NS, "Self time per frame of B." }, \
	{ "diff_ns", "B-A", TT_UNIT_NS, "b_ns less a_ns." }, \
	{ "calls_ns", "by calls", TT_UNIT_NS, "The part of the difference that comes from more or fewer calls." }, \
	{ "cost_ns", "by cost", TT_UNIT_NS, "The part that comes from slower or faster calls; with calls_ns it adds up to diff_ns." }
#define TIMES \
	SUMS, \
	{ "a_calls", "calls A", TT_UNIT_MILLI, "Calls that begin in frames of A, per frame." }, \
	{ "b_calls", "calls B", TT_UNIT_MILLI, "Calls that begin in frames of B, per frame." }, \
	{ "a_call_ns", "per call A", TT_UNIT_NS, "Self time per call of A; empty without calls." }, \
	{ "b_call_ns", "per call B", TT_UNIT_NS, "Self time per call of B; empty without calls." }, \
	{ "state", "state", TT_UNIT_TEXT, "new or gone, if one side does not have it." }
#define THREAD { "thread", "thread", TT_UNIT_TEXT, "Thread, without its number." }
#define CATEGORY { "category", "category", TT_UNIT_TEXT, "Category of the markers; B's if the sides differ." }

static const struct tt_col class_col[] = {
	{ "part", "part", TT_UNIT_TEXT, "work, GC, wait (in wait markers), unaccounted, or all." }, CATEGORY, SUMS,
};
static const struct tt_col marker_col[] = {
	{ "marker", "marker", TT_UNIT_TEXT, "Marker." }, CATEGORY, TIMES,
};
static const struct tt_col other_col[] = {
	THREAD, { "marker", "marker", TT_UNIT_TEXT, "Marker." }, TIMES,
};
static const struct tt_col thread_col[] = {
	THREAD, SUMS,
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Markers of the path, outermost first; of a longer path, the innermost 64." }, THREAD, TIMES,
	{ "a_self_ns", "all A", TT_UNIT_NS, "Self time in all frames of A." }, { "b_self_ns", "all B", TT_UNIT_NS, "Self time in all frames of B." },
	{ "a_count", "count A", TT_UNIT_COUNT, "Calls in all frames of A." }, { "b_count", "count B", TT_UNIT_COUNT, "Calls in all frames of B." },
};

/* --- what all tables share ------------------------------------------------------------------------ */

uint64_t
tt_diff_size(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

int64_t
tt_diff_rate(const struct tt_diff *d, unsigned side, uint64_t n)
{
	return tt_ratio(n, 1000, d->side[side].nunits);
}

const char *
tt_diff_state(bool before, bool after)
{
	return before == after ? NULL : after ? "new" : "gone";
}

bool
tt_diff_shown(const struct tt_diff_ctx *x, size_t i, bool changed)
{
	return x->o->rows == 0 || (i < x->o->rows && changed);
}

const char *
tt_diff_rest(const struct tt_diff_ctx *x, size_t n)
{
	return tt_text(x->r, "(%zu more)", n);
}

/* --- rows ------------------------------------------------------------------------------------------ */

/* A row of a table of times: the sum over some nodes. */
struct line {
	const char *name, *other;     /* texts of the first two columns */
	int64_t part[TT_DIFF_SIDES], calls;
	uint64_t n[TT_DIFF_SIDES];
	int64_t self[TT_DIFF_SIDES];
	size_t node;                  /* for paths: the node whose path is formatted once the row is written; else 0 */
};

static int64_t
line_diff(const struct line *l)
{
	return l->part[TT_DIFF_B] - l->part[TT_DIFF_A];
}

/* Order by the size of the difference, regardless of its sign. */
static int
by_size(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	uint64_t da = tt_diff_size(line_diff(a)), db = tt_diff_size(line_diff(b));
	int c = TT_CMP(db, da);

	if (c == 0)
		c = strcmp(a->name, b->name);
	if (c == 0)
		c = strcmp(a->other, b->other);
	return c ? c : TT_CMP(a->node, b->node);
}

static void
add_node(struct line *l, const struct tt_diff_node *v)
{
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		l->part[s] += v->side[s].part;
		l->n[s] += v->side[s].n;
		l->self[s] += v->side[s].self;
	}
	l->calls += v->b_calls_at_a_ns - v->side[TT_DIFF_A].part;
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

static void
put_times(const struct tt_diff_ctx *x, struct tt_cell *c, const struct line *l)
{
	const char *s = tt_diff_state(l->n[0] || l->self[0], l->n[1] || l->self[1]);

	put_sums(c, l);
	for (unsigned i = 0; i < TT_DIFF_SIDES; i++) {
		if (l->n[i] == 0)
			continue;
		tt_cell_int(&c[T_A_CALLS + i], tt_diff_rate(x->d, i, l->n[i]));
		tt_cell_int(&c[T_A_CALL + i], tt_diff_per_unit(l->self[i], l->n[i]));
	}
	if (s)
		tt_cell_text(&c[T_STATE], s);
}

static const char *
node_label(const struct tt_diff *d, const struct tt_diff_node *v)
{
	return v->kind == TT_DIFF_REST ? "(in no marker)" : d->marker[v->name].label;
}

/* The markers around a node, in brief, outermost first; of deeper paths the innermost. */
static const char *
path_text(const struct tt_diff_ctx *x, size_t node)
{
	const struct tt_diff *d = x->d;
	const char *name[PATH_ZONES], *s = "";
	char room[TT_BRIEF_BYTES];
	struct tt_buf b = { 0 };
	size_t n = 0;

	for (; node && tt_diff_is_timed(&d->node[node]) && n < PATH_ZONES; node = d->node[node].parent)
		name[n++] = node_label(d, &d->node[node]);
	while (n-- > 0) {
		tt_buf_text(&b, tt_brief_name(room, name[n]));
		if (n > 0)
			tt_buf_text(&b, " > ");
	}
	if (tt_buf_error(&b, &x->r->err) == TT_OK && b.n)
		s = tt_text_of(x->r, b.p, b.n);
	tt_buf_free(&b);
	return s;
}

static void
put_line(const struct tt_diff_ctx *x, struct tt_table *t, const struct line *l, size_t names, bool times)
{
	const char *name = l->node ? path_text(x, l->node) : l->name;
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[0], name);
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
}

/* Write the lines, largest difference first; beyond the limit a single row for the rest, so that rows still add up. */
static void
put_lines(const struct tt_diff_ctx *x, struct tt_table *t, struct line *l, size_t n)
{
	struct line rest = { .other = "" };
	size_t kept = 0, hidden = 0;

	for (size_t i = 0; i < n; i++) {
		if (!nothing(&l[i]))
			l[kept++] = l[i];
	}
	tt_sort(l, kept, by_size);
	for (size_t i = 0; i < kept; i++) {
		if (tt_diff_shown(x, i, line_diff(&l[i]) != 0 || l[i].calls != 0)) {
			put_line(x, t, &l[i], 2, true);
			continue;
		}
		add_line(&rest, &l[i]);
		hidden++;
	}
	if (!hidden)
		return;
	rest.name = tt_diff_rest(x, hidden);
	put_line(x, t, &rest, 2, true);
}

/* --- tables of times ------------------------------------------------------------------------------ */

static const char *const class_name[TT_DIFF_CLASSES] = {
	[TT_DIFF_WORK] = "work", [TT_DIFF_GC] = "GC", [TT_DIFF_WAIT] = "wait", [TT_DIFF_UNACCOUNTED] = "unaccounted",
};

static const char *
thread_label(const struct tt_diff_ctx *x, size_t node)
{
	const struct tt_diff_node *v = &x->d->node[x->root[node]];

	return v->kind == TT_DIFF_ZONE ? "(more paths)" : x->d->thread[v->name];
}

static int
by_name(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	int c = strcmp(a->name, b->name);

	return c ? c : strcmp(a->other, b->other);
}

/* Merge lines with the same name, and return the number left. */
static size_t
join_names(struct line *l, size_t n)
{
	size_t kept = 0;

	tt_sort(l, n, by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && by_name(&l[kept - 1], &l[i]) == 0)
			add_line(&l[kept - 1], &l[i]);
		else
			l[kept++] = l[i];
	}
	return kept;
}

/* Make the lines of a node: one, or two if its category changed, gone in the old and new in the other. */
static size_t
class_lines(const struct tt_diff *d, const struct tt_diff_node *v, struct line *l)
{
	const char *class = class_name[tt_diff_class(d, v)], *a = tt_diff_category(d, v, TT_DIFF_A),
	    *b = tt_diff_category(d, v, TT_DIFF_B);

	l[0] = (struct line){ .name = class, .other = a };
	if (strcmp(a, b) == 0) {
		add_node(&l[0], v);
		return 1;
	}
	l[1] = (struct line){ .name = class, .other = b };
	l[0].part[TT_DIFF_A] = v->side[TT_DIFF_A].part;
	l[0].calls = -v->side[TT_DIFF_A].part;
	l[1].part[TT_DIFF_B] = l[1].calls = v->side[TT_DIFF_B].part;
	return 2;
}

static void
fill_classes(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	size_t cap = 2 * d->nnode, n = 0;
	struct line *l = tt_mem_alloc(x->r->mem, cap * sizeof *l, &x->r->err), all = { .name = "all", .other = "" };

	if (!l)
		return;
	for (size_t i = 1; i < d->nnode; i++) {
		if (tt_diff_is_part(d, &d->node[i]))
			n += class_lines(d, &d->node[i], &l[n]);
	}
	n = join_names(l, n);
	for (size_t i = 0; i < n; i++)
		add_line(&all, &l[i]);
	tt_sort(l, n, by_size);
	for (size_t i = 0; i < n; i++)
		put_line(x, t, &l[i], 2, false);
	put_line(x, t, &all, 2, false);
	t->whole = true;
	tt_mem_free(x->r->mem, l, cap * sizeof *l);
}

static void
fill_markers(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	size_t n = d->nmarker + 1;
	struct line *l = tt_mem_alloc(x->r->mem, n * sizeof *l, &x->r->err);

	if (!l)
		return;
	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];
		struct line *to = &l[v->kind == TT_DIFF_REST ? d->nmarker : v->name];

		if (!tt_diff_is_part(d, v))
			continue;
		to->name = node_label(d, v);
		to->other = tt_diff_category(d, v, TT_DIFF_B);
		add_node(to, v);
	}
	put_lines(x, t, l, n);
	tt_mem_free(x->r->mem, l, n * sizeof *l);
}

static int
by_thread_and_marker(const void *a, const void *b, void *arg)
{
	const struct tt_diff_ctx *x = arg;
	const struct tt_diff_node *node = x->d->node;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (x->root[i] != x->root[k])
		return x->root[i] < x->root[k] ? -1 : 1;
	return TT_CMP(node[i].name, node[k].name);
}

/* Fill the table of markers on other threads. */
static void
fill_others(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	struct tt_mem *mem = x->r->mem;
	uint32_t *order = tt_mem_alloc(mem, d->nnode * sizeof *order, &x->r->err);
	struct line *l = order ? tt_mem_alloc(mem, d->nnode * sizeof *l, &x->r->err) : NULL;
	size_t n = 0, lines = 0;

	for (uint32_t i = 1; l && i < d->nnode; i++) {
		if (tt_diff_is_timed(&d->node[i]) && !tt_diff_is_part(d, &d->node[i]))
			order[n++] = i;
	}
	tt_sort_by(order, n, by_thread_and_marker, x);
	for (size_t i = 0; l && i < n; i++) {
		if (i == 0 || by_thread_and_marker(&order[i - 1], &order[i], (void *)(uintptr_t)x) != 0)
			l[lines++] = (struct line){ .name = thread_label(x, order[i]),
				.other = node_label(d, &d->node[order[i]]) };
		add_node(&l[lines - 1], &d->node[order[i]]);
	}
	put_lines(x, t, l, lines);
	tt_mem_free(mem, l, d->nnode * sizeof *l);
	tt_mem_free(mem, order, d->nnode * sizeof *order);
}

static void
fill_threads(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	struct line *l = tt_mem_alloc(x->r->mem, d->nnode * sizeof *l, &x->r->err);
	size_t n = 0;

	if (!l)
		return;
	for (size_t i = 1; i < d->nnode; i++) {
		if (!tt_diff_is_timed(&d->node[i]))
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
	tt_sort(l, n, by_size);
	for (size_t i = 0; i < n; i++)
		put_line(x, t, &l[i], 1, false);
	tt_mem_free(x->r->mem, l, d->nnode * sizeof *l);
}

static void
fill_paths(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	struct line *l = tt_mem_alloc(x->r->mem, d->nnode * sizeof *l, &x->r->err);
	size_t n = 0;

	if (!l)
		return;
	for (size_t i = 1; i < d->nnode; i++) {
		if (!tt_diff_is_timed(&d->node[i]))
			continue;
		l[n] = (struct line){ .name = node_label(d, &d->node[i]), .other = thread_label(x, i), .node = i };
		add_node(&l[n++], &d->node[i]);
	}
	put_lines(x, t, l, n);
	tt_mem_free(x->r->mem, l, d->nnode * sizeof *l);
}

/* Include waits of zones that only one side has: a new wait is an added lock. */
static void
fill_changed(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	struct line *l = tt_mem_alloc(x->r->mem, d->nmarker * sizeof *l, &x->r->err);
	size_t n = 0;

	if (!l)
		return;
	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];

		if (v->kind != TT_DIFF_ZONE)
			continue;
		l[v->name].name = node_label(d, v);
		l[v->name].other = tt_diff_category(d, v, TT_DIFF_B);
		add_node(&l[v->name], v);
	}
	for (size_t i = 0; i < d->nmarker; i++) {
		if (l[i].name && tt_diff_state(l[i].n[0] || l[i].self[0], l[i].n[1] || l[i].self[1]))
			l[n++] = l[i];
	}
	put_lines(x, t, l, n);
	tt_mem_free(x->r->mem, l, d->nmarker * sizeof *l);
}

/* --- the tables ------------------------------------------------------------------------------------- */

const struct tt_diff_form tt_diff_classes = { class_col, TT_NCOL(class_col), fill_classes };
const struct tt_diff_form tt_diff_markers = { marker_col, TT_NCOL(marker_col), fill_markers };
const struct tt_diff_form tt_diff_others = { other_col, TT_NCOL(other_col), fill_others };
const struct tt_diff_form tt_diff_threads = { thread_col, TT_NCOL(thread_col), fill_threads };
const struct tt_diff_form tt_diff_changed = { marker_col, TT_NCOL(marker_col), fill_changed };
const struct tt_diff_form tt_diff_paths = { path_col, TT_NCOL(path_col), fill_paths };
