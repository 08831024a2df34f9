/**
 * Decides which markers are waits, and takes them out of the call tree.
 */
#include "model/waits.h"

#include "model/model.h"
#include "model/names.h"
#include "model/tree.h"
#include "stat/num.h"

/* A zone below this share of its thread's time is not looked up among the patterns: it decides nothing. */
#define SMALL 50

bool
tt_waits_is(const struct tt_model *m, const char *full)
{
	return tt_name_match(m->filter.wait ? m->filter.wait : tt_wait_markers, full);
}

bool
tt_waits_has(const struct tt_model *m, const struct tt_name *name)
{
	return (name->has_text || m->filter.wait) && tt_waits_is(m, name->full);
}

enum tt_wait_kind
tt_waits_kind(const struct tt_model *m, const char *full)
{
	if (!tt_waits_is(m, full))
		return TT_WAIT_NOT;
	for (unsigned i = 0; tt_limit_markers[i]; i++)
		if (tt_glob(tt_limit_markers[i], full))
			return i < tt_limit_only ? TT_WAIT_LIMIT_ONLY : TT_WAIT_LIMIT;
	return TT_WAIT_ANY;
}

static bool
is_zone(const struct tt_model *m, uint32_t node)
{
	const struct tt_node *n = tt_tree_node(m->tree, node);

	return node > TT_NODE_MORE && n->kind == TT_NODE_ZONE && n->marker < m->nname;
}

static bool
is_wait(const struct tt_model *m, uint32_t node)
{
	return is_zone(m, node) && tt_waits_has(m, &m->name[tt_tree_node(m->tree, node)->marker]);
}

/* Two arrays of ${n} values, by the number of a node. */
struct wait_walk {
	bool *in_wait;                /* the node or one around it waits */
	int64_t *waited_ns;           /* time of the outermost waiting zones below the node */
};

static int
begin(const struct tt_model *m, struct wait_walk *w, uint32_t n, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;

	w->in_wait = tt_mem_alloc(mem, n * sizeof *w->in_wait, err);
	w->waited_ns = w->in_wait ? tt_mem_alloc(mem, n * sizeof *w->waited_ns, err) : NULL;
	return w->waited_ns ? TT_OK : err->code;
}

static void
end(const struct tt_model *m, struct wait_walk *w, uint32_t n)
{
	struct tt_mem *mem = &m->env->mem;

	tt_mem_free(mem, w->in_wait, n * sizeof *w->in_wait);
	tt_mem_free(mem, w->waited_ns, n * sizeof *w->waited_ns);
}

int
tt_waits_drop(struct tt_model *m, struct tt_err *err)
{
	uint32_t n = tt_tree_count(m->tree);
	struct wait_walk w;
	int rc = begin(m, &w, n, err);

	/* A parent has a lower number than its children. */
	for (uint32_t i = TT_NODE_MORE + 1; i < n && rc == TT_OK; i++)
		w.in_wait[i] = w.in_wait[tt_tree_node(m->tree, i)->parent] || is_wait(m, i);
	for (uint32_t i = n; rc == TT_OK && i-- > TT_NODE_MORE + 1;) {
		struct tt_count had = tt_counts_get(m->counts, i), *c;
		uint32_t parent = tt_tree_node(m->tree, i)->parent;

		if (!is_zone(m, i))
			continue;
		w.waited_ns[parent] += w.in_wait[i] ? (w.in_wait[parent] ? 0 : had.total) : w.waited_ns[i];
		if (had.n == 0 && had.total == 0)
			continue;
		c = tt_counts_at(m->counts, i, err);
		if (!c)
			rc = err->code;
		else if (w.in_wait[i])
			c->n = 0, c->self = c->total = 0;
		else
			c->total -= w.waited_ns[i];
	}
	end(m, &w, n);
	return rc;
}

/* For each thread's root among the ${n} nodes, sum all time in its zones in ${all}, and the part in waits in w->waited_ns. */
static void
sum_waits(const struct tt_model *m, uint32_t n, struct wait_walk *w, uint32_t *root, int64_t *all)
{
	for (uint32_t i = TT_NODE_MORE + 1; i < n; i++) {
		uint32_t parent = tt_tree_node(m->tree, i)->parent;

		root[i] = tt_tree_node(m->tree, i)->kind >= TT_NODE_THREAD ? i : root[parent];
		if (is_zone(m, i) && parent == root[i])
			all[root[i]] += tt_counts_get(m->counts, i).total;
	}
	for (uint32_t i = TT_NODE_MORE + 1; i < n; i++) {
		uint32_t parent = tt_tree_node(m->tree, i)->parent;
		int64_t total = is_zone(m, i) ? tt_counts_get(m->counts, i).total : 0;

		w->in_wait[i] = w->in_wait[parent] || (total > all[root[i]] / SMALL && is_wait(m, i));
		if (w->in_wait[i] && !w->in_wait[parent])
			w->waited_ns[root[i]] += total;
	}
}

int
tt_waits_threads(const struct tt_model *m,
    int (*each)(void *arg, const struct tt_thread *t, int64_t share_e4, struct tt_err *err), void *arg, struct tt_err *err)
{
	uint32_t n = tt_tree_count(m->tree), *root;
	int64_t *all;
	struct wait_walk w = { NULL, NULL };
	int rc = TT_OK;

	root = tt_mem_alloc(&m->env->mem, n * sizeof *root, err);
	all = root ? tt_mem_alloc(&m->env->mem, n * sizeof *all, err) : NULL;
	rc = all ? begin(m, &w, n, err) : err->code;
	if (rc == TT_OK)
		sum_waits(m, n, &w, root, all);
	for (uint32_t i = TT_NODE_MORE + 1; i < n && rc == TT_OK; i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);

		if (node->kind == TT_NODE_THREAD && all[i] > 0 && w.waited_ns[i] > all[i] / 2)
			rc = each(arg, m->threads.t[node->key], tt_ratio((uint64_t)w.waited_ns[i], 10000, (uint64_t)all[i]), err);
	}
	end(m, &w, n);
	tt_mem_free(&m->env->mem, all, n * sizeof *all);
	tt_mem_free(&m->env->mem, root, n * sizeof *root);
	return rc;
}
