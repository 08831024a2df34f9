/**
 * Merges the call trees of threads.
 */
#include "view/merged.h"

#include "stat/num.h"

static struct tt_mem *
mem_of(const struct tt_merged *g)
{
	return &g->p->m->env->mem;
}

void
tt_merged_free(struct tt_merged *g)
{
	if (!g->p)
		return;
	tt_mem_free(mem_of(g), g->v, g->cap * sizeof *g->v);
	tt_mem_free(mem_of(g), g->at, g->p->n * sizeof *g->at);
	tt_map_free(&g->number, mem_of(g));
	*g = (struct tt_merged){ 0 };
}

static int
add_node(struct tt_merged *g, uint32_t parent, uint32_t row, uint32_t *number, struct tt_err *err)
{
	int rc = tt_mem_grow(mem_of(g), &g->v, &g->cap, (size_t)g->n + 1, sizeof *g->v, err);

	if (rc != TT_OK)
		return rc;
	g->v[g->n] = (struct tt_mnode){ .parent = parent, .row = row, .child = TT_NO_MNODE, .sibling = TT_NO_MNODE };
	*number = g->n++;
	return TT_OK;
}

/* Find or add the merged node of a shown zone. */
static int
zone_node(struct tt_merged *g, uint32_t node, uint32_t *number, struct tt_err *err)
{
	uint32_t up = g->at[tt_paths_node(g->p, node)->parent], row = tt_paths_row(g->p, node);
	uint64_t hash = tt_seeded_mix(0, (uint64_t)up << 32 | row);
	uint32_t found = tt_map_find(&g->number, hash, i, g->v[i].parent == up && g->v[i].row == row);
	int rc = found ? TT_OK : add_node(g, up, row, number, err);

	if (found)
		*number = found - 1;
	return !found && rc == TT_OK ? tt_map_add(&g->number, mem_of(g), hash, *number, err) : rc;
}

/* True if the shown zone ${node} is directly within one of its own group. */
static bool
same_group(const struct tt_merged *g, uint32_t node)
{
	uint32_t up = g->p->group && tt_paths_shown(g->p, node) ? g->at[tt_paths_node(g->p, node)->parent] : TT_NO_MNODE;

	return up != TT_NO_MNODE && g->v[up].row == tt_paths_row(g->p, node);
}

static int
place(struct tt_merged *g, uint32_t node, struct tt_err *err)
{
	const struct tt_node *n = tt_paths_node(g->p, node);
	struct tt_count c = tt_paths_count(g->p, node);
	int rc = TT_OK;

	if (n->kind == TT_NODE_THREAD) {
		rc = add_node(g, TT_NO_MNODE, TT_NO_ROW, &g->at[node], err);
		if (rc == TT_OK)
			g->v[g->at[node]].thread = (uint32_t)n->key;
	} else if (same_group(g, node)) {
		/* Zones nested in their own group count as one. */
		g->at[node] = g->at[n->parent];
		g->v[g->at[node]].self += c.self;
	} else if (tt_paths_shown(g->p, node)) {
		rc = zone_node(g, node, &g->at[node], err);
		if (rc != TT_OK)
			return rc;
		g->v[g->at[node]].n += c.n;
		g->v[g->at[node]].total += c.total;
		g->v[g->at[node]].self += c.self;
	} else if (n->kind == TT_NODE_ALLOC || tt_paths_timed(g->p, node)) {
		uint32_t up = g->at[node] = g->at[n->parent];

		if (up != TT_NO_MNODE && n->kind == TT_NODE_ALLOC)
			g->v[up].alloc_b += c.total;
		else if (up != TT_NO_MNODE && g->v[up].row != TT_NO_ROW)
			g->v[up].self += c.self;
	}
	return rc;
}

/* Add allocations with their own recorded stack to the zone, else the thread, that this stack is below, no matter which zones were open. */
static int
add_stacks(struct tt_merged *g, struct tt_err *err)
{
	size_t size = g->p->m->threads.n * sizeof(uint32_t);
	uint32_t *root = tt_mem_alloc(mem_of(g), size, err);

	if (!root)
		return err->code;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->v[i].parent == TT_NO_MNODE && g->v[i].row == TT_NO_ROW)
			root[g->v[i].thread] = i + 1;
	for (uint32_t i = 0; i < g->p->n; i++) {
		const struct tt_node *up = tt_paths_node(g->p, g->p->root[i]);

		if (tt_paths_node(g->p, i)->kind != TT_NODE_ALLOC || up->kind != TT_NODE_STACKS)
			continue;
		uint32_t to = up->parent ? g->at[up->parent] : root[up->key] - 1;
		if (to != TT_NO_MNODE)
			g->v[to].alloc_b += tt_paths_count(g->p, i).total;
	}
	tt_mem_free(mem_of(g), root, size);
	return TT_OK;
}

/* Link children, and sum up; a thread's total is that of its outermost zones. */
static void
sum_up(struct tt_merged *g)
{
	for (uint32_t i = g->n; i-- > 0;) {
		struct tt_mnode *v = &g->v[i], *up;

		if (v->parent == TT_NO_MNODE) {
			v->sibling = g->first;
			g->first = i;
			g->total += v->total;
			continue;
		}
		up = &g->v[v->parent];
		v->sibling = up->child;
		up->child = i;
		up->alloc_b += v->alloc_b;
		if (up->row == TT_NO_ROW)
			up->total += v->total;
	}
}

static bool
wanted(const struct tt_merged *g, const struct tt_mnode *v)
{
	const struct tt_filter *f = &g->p->m->filter;

	if (v->row == TT_NO_ROW)
		return !f->marker && !f->category;
	return g->p->row[v->row].wanted;
}

static void
mark_kept(struct tt_merged *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct tt_mnode *v = &g->v[i];

		v->keep = wanted(g, v) || (v->parent != TT_NO_MNODE && g->v[v->parent].keep);
		/* If waits are left out, zones that wait count nothing. */
		if (g->p->m->filter.no_wait && v->row != TT_NO_ROW && v->n == 0 && v->total == 0)
			v->keep = false;
	}
	/* A separate upward pass, so that a node kept for a descendant does not keep its other descendants. */
	for (uint32_t i = g->n; i-- > 0;) {
		struct tt_mnode *v = &g->v[i], *up = v->parent == TT_NO_MNODE ? NULL : &g->v[v->parent];

		v->counted = v->keep && (v->counted || v->n > 0 || v->total != 0 || v->alloc_b != 0);
		if (up) {
			up->keep = up->keep || v->keep;
			up->counted = up->counted || v->counted;
		}
	}
}

int
tt_merged_init(struct tt_merged *g, const struct tt_paths *p, struct tt_err *err)
{
	int rc = TT_OK;

	*g = (struct tt_merged){ .p = p, .first = TT_NO_MNODE };
	g->at = tt_mem_alloc(mem_of(g), p->n * sizeof *g->at, err);
	if (!g->at)
		return err->code;
	for (uint32_t i = 0; i < p->n && rc == TT_OK; i++) {
		g->at[i] = TT_NO_MNODE;
		rc = place(g, i, err);
	}
	TT_THEN(rc, add_stacks(g, err));
	if (rc == TT_OK) {
		sum_up(g);
		mark_kept(g);
	}
	return rc;
}

bool
tt_merged_over(const struct tt_merged *g, int64_t part, int64_t e4)
{
	if (part <= 0)
		return e4 <= 0;
	return (tt_u128)(uint64_t)part * 10000 >= (tt_u128)(uint64_t)g->total * (uint64_t)e4;
}
