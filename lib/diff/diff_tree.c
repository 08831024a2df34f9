/**
 * Makes the call tree of both sides as a table: the time of each path with all that it calls.
 */
#include "base/order.h"
#include "diff/diff.h"
#include "diff/diff_lines.h"
#include "out/table.h"
#include "stat/num.h"

enum { C_MARKER, C_DEPTH, C_A, C_B, C_DIFF, C_A_SELF, C_B_SELF, C_STATE, C_N };
static const struct tt_col tree_col[C_N] = {
	[C_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Marker, or at depth 0 the thread." },
	[C_DEPTH] = { "depth", "depth", TT_UNIT_COUNT, "Number of callers in the path." },
	[C_A] = { "a_total_ns", "total A", TT_UNIT_NS, "Time of the path with its callees, per frame of A." },
	[C_B] = { "b_total_ns", "total B", TT_UNIT_NS, "The same of B." },
	[C_DIFF] = { "diff_ns", "B-A", TT_UNIT_NS, "b_total_ns less a_total_ns." },
	[C_A_SELF] = { "a_ns", "self A", TT_UNIT_NS, "Self time per frame of A." },
	[C_B_SELF] = { "b_ns", "self B", TT_UNIT_NS, "Self time per frame of B." },
	[C_STATE] = { "state", "state", TT_UNIT_TEXT, "new or gone, if one side does not have it." },
};

/* A node with its callees. */
struct branch {
	uint32_t node, parent, depth;
	int64_t self[TT_DIFF_SIDES], total[TT_DIFF_SIDES];
	uint64_t n[TT_DIFF_SIDES];
	int64_t most;                 /* the larger of both totals */
	uint32_t kids, nkid;          /* index of the first callee in the order, and number of callees */
};

/* Group callees by caller; among these the frame thread first, then the largest. */
static int
by_parent(const void *x, const void *y, void *arg)
{
	const struct branch *all = arg, *a = &all[*(const uint32_t *)x], *b = &all[*(const uint32_t *)y];
	int c = TT_CMP(a->parent, b->parent);

	if (c == 0)
		c = TT_CMP(b->most, a->most);
	return c ? c : TT_CMP(a->node, b->node);
}

static void
add_up(const struct tt_diff *d, struct branch *all)
{
	for (uint32_t i = 0; i < d->nnode; i++) {
		struct branch *b = &all[i];

		*b = (struct branch){ .node = i, .parent = d->node[i].parent };
		b->depth = i && b->parent ? all[b->parent].depth + 1 : 0;
		for (unsigned s = 0; s < TT_DIFF_SIDES && i && tt_diff_is_timed(&d->node[i]); s++) {
			b->self[s] = b->total[s] = d->node[i].side[s].part;
			b->n[s] = d->node[i].side[s].n + (d->node[i].side[s].self != 0);
		}
	}
	for (uint32_t i = (uint32_t)d->nnode - 1; i > 0; i--) {
		struct branch *b = &all[i], *up = &all[b->parent];

		b->most = b->total[0] > b->total[1] ? b->total[0] : b->total[1];
		if (i == d->frame_thread)
			b->most = INT64_MAX;
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			up->total[s] += b->total[s];
			up->n[s] += b->n[s];
		}
	}
}

static const char *
branch_name(const struct tt_diff *d, const struct tt_diff_node *v)
{
	if (v->kind == TT_DIFF_REST)
		return "(in no marker)";
	return v->kind == TT_DIFF_ZONE ? d->marker[v->name].label : d->thread[v->name];
}

static void
put_branch(const struct tt_diff *d, const struct branch *b, struct tt_table *t)
{
	const char *state = tt_diff_state(b->n[TT_DIFF_A] > 0, b->n[TT_DIFF_B] > 0);
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[C_MARKER], branch_name(d, &d->node[b->node]));
	tt_cell_int(&c[C_DEPTH], b->depth);
	tt_cell_int(&c[C_DIFF], b->total[TT_DIFF_B] - b->total[TT_DIFF_A]);
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		tt_cell_int(&c[C_A + s], b->total[s]);
		tt_cell_int(&c[C_A_SELF + s], b->self[s]);
	}
	tt_cell_name(&c[C_STATE], state);
}

/* Write all nodes below the root with more time than ${least}. ${order}: nodes grouped by caller; ${stack}: scratch space for all nodes. */
static void
put_all(const struct tt_diff *d, struct branch *all, const uint32_t *order, size_t n, uint32_t *stack, int64_t least, struct tt_table *t)
{
	size_t top = 0;

	for (size_t i = n; i-- > 0;) {
		struct branch *up = &all[all[order[i]].parent];

		up->kids = (uint32_t)i;
		up->nkid++;
	}
	for (uint32_t k = all[0].nkid; k-- > 0;)
		stack[top++] = order[all[0].kids + k];
	while (top > 0) {
		const struct branch *b = &all[stack[--top]];

		if (b->n[0] == 0 && b->n[1] == 0)
			continue;
		if (b->most > least)
			put_branch(d, b, t);
		else
			t->hidden++;
		for (uint32_t k = b->nkid; k-- > 0;)
			stack[top++] = order[b->kids + k];
	}
}

/* The time that at most ${most} nodes exceed; the others are left out, with all that they call. */
static int64_t
least(const struct branch *all, size_t n, size_t most, struct tt_report *r)
{
	int64_t *time = n > most ? tt_mem_alloc(r->mem, n * sizeof *time, &r->err) : NULL, at;

	if (!time)
		return -1;
	for (size_t i = 0; i < n; i++)
		time[i] = all[i].most;
	tt_sort_i64(time, n);
	at = time[n - 1 - most];
	tt_mem_free(r->mem, time, n * sizeof *time);
	return at;
}

static void
fill_tree(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	struct tt_mem *mem = x->r->mem;
	struct branch *all = tt_mem_alloc(mem, d->nnode * sizeof *all, &x->r->err);
	uint32_t *order = all ? tt_mem_alloc(mem, 2 * d->nnode * sizeof *order, &x->r->err) : NULL;

	t->tree = true;
	if (order) {
		add_up(d, all);
		for (uint32_t i = 1; i < d->nnode; i++)
			order[i - 1] = i;
		if (d->nnode > 2)
			tt_sort_by(order, d->nnode - 1, by_parent, all);
		put_all(d, all, order, d->nnode - 1, order + d->nnode, x->o->branches ? least(all, d->nnode, x->o->branches, x->r) : -1, t);
	}
	tt_mem_free(mem, order, 2 * d->nnode * sizeof *order);
	tt_mem_free(mem, all, d->nnode * sizeof *all);
}

const struct tt_diff_form tt_diff_calltree = { tree_col, C_N, fill_tree };
