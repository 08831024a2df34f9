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
	return is_zone(m, node) && tt_waits_is(m, m->name[tt_tree_node(m->tree, node)->marker].full);
}

/* By node, of ${n}: the kinds of zones wanted below. */
struct walk {
	bool *in;                     /* it or a zone around it waits */
	int64_t *lost;                /* time of the outermost waiting zones below it */
};

static int
begin(const struct tt_model *m, struct walk *w, uint32_t n, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;

	w->in = tt_mem_alloc(mem, n * sizeof *w->in, err);
	w->lost = w->in ? tt_mem_alloc(mem, n * sizeof *w->lost, err) : NULL;
	return w->lost ? TT_OK : err->code;
}

static void
end(const struct tt_model *m, struct walk *w, uint32_t n)
{
	struct tt_mem *mem = &m->env->mem;

	tt_mem_free(mem, w->in, n * sizeof *w->in);
	tt_mem_free(mem, w->lost, n * sizeof *w->lost);
}

int
tt_waits_drop(struct tt_model *m, struct tt_err *err)
{
	uint32_t n = tt_tree_count(m->tree);
	struct walk w;
	int rc = begin(m, &w, n, err);

	/* A parent has a lower number than its children. */
	for (uint32_t i = TT_NODE_MORE + 1; i < n && rc == TT_OK; i++)
		w.in[i] = w.in[tt_tree_node(m->tree, i)->parent] || is_wait(m, i);
	for (uint32_t i = n; rc == TT_OK && i-- > TT_NODE_MORE + 1;) {
		struct tt_count had = tt_counts_get(m->counts, i), *c;
		uint32_t parent = tt_tree_node(m->tree, i)->parent;

		if (!is_zone(m, i))
			continue;
		w.lost[parent] += w.in[i] ? (w.in[parent] ? 0 : had.total) : w.lost[i];
		if (had.n == 0 && had.total == 0)
			continue;
		c = tt_counts_at(m->counts, i, err);
		if (!c)
			rc = err->code;
		else if (w.in[i])
			c->n = 0, c->self = c->total = 0;
		else
			c->total -= w.lost[i];
	}
	end(m, &w, n);
	return rc;
}

/* By root, of the ${n} nodes: all time in its zones in ${all}, and the part of it in waits in w->lost. */
static void
sum_waits(const struct tt_model *m, uint32_t n, struct walk *w, uint32_t *root, int64_t *all)
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

		w->in[i] = w->in[parent] || (total > all[root[i]] / SMALL && is_wait(m, i));
		if (w->in[i] && !w->in[parent])
			w->lost[root[i]] += total;
	}
}

int
tt_waits_threads(const struct tt_model *m,
    int (*each)(void *arg, const struct tt_thread *t, int64_t share_e4, struct tt_err *err), void *arg, struct tt_err *err)
{
	uint32_t n = tt_tree_count(m->tree), *root;
	int64_t *all;
	struct walk w = { NULL, NULL };
	int rc = TT_OK;

	root = tt_mem_alloc(&m->env->mem, n * sizeof *root, err);
	all = root ? tt_mem_alloc(&m->env->mem, n * sizeof *all, err) : NULL;
	rc = all ? begin(m, &w, n, err) : err->code;
	if (rc == TT_OK)
		sum_waits(m, n, &w, root, all);
	for (uint32_t i = TT_NODE_MORE + 1; i < n && rc == TT_OK; i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);

		if (node->kind == TT_NODE_THREAD && all[i] > 0 && w.lost[i] > all[i] / 2)
			rc = each(arg, m->threads.t[node->key], tt_ratio((uint64_t)w.lost[i], 10000, (uint64_t)all[i]), err);
	}
	end(m, &w, n);
	tt_mem_free(&m->env->mem, all, n * sizeof *all);
	tt_mem_free(&m->env->mem, root, n * sizeof *root);
	return rc;
}
