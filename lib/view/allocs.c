/**
 * Sums allocations by path and class, and finds their sites.
 */
#include "view/allocs.h"

#include <string.h>

#include "base/order.h"
#include "model/names.h"
#include "view/view.h"

/* True if ${node} is a zone of a method that allocates what its caller asked for. */
static bool
is_helper(const struct tt_paths *p, uint32_t node)
{
	const uint32_t marker = tt_paths_node(p, node)->marker;

	return marker < p->nmarker && p->m->name[marker].has_text && tt_name_alloc_helper(p->m->name[marker].full);
}

uint32_t
tt_alloc_site_of(const struct tt_paths *p, uint32_t node)
{
	uint32_t at = node;

	while (is_helper(p, at))
		at = p->owner[tt_paths_node(p, at)->parent];
	/* Without a caller above it, the helper itself is the site. */
	return tt_paths_node(p, at)->marker < p->nmarker ? at : node;
}

/* Store which part of the allocations of node ${up} is within whole frames. ${node} is in order. */
static void
add_framed(struct tt_allocs *al, const uint32_t *node, uint32_t up, struct tt_count c)
{
	size_t lo = tt_lower_bound(k, 0, al->n, node[k] < up);

	if (lo == al->n || node[lo] != up)
		return;
	al->a[lo].framed_n = c.n;
	al->a[lo].framed_bytes = c.total;
}

static int
collect_into(struct tt_allocs *al, uint32_t **node, size_t *cap, struct tt_err *err)
{
	const struct tt_model *m = al->p->m;
	int rc = TT_OK;

	for (uint32_t i = 0; i < al->p->n && rc == TT_OK; i++) {
		const struct tt_node *n = tt_paths_node(al->p, i);
		struct tt_count c;

		if (n->kind != TT_NODE_ALLOC && n->kind != TT_NODE_FRAMED)
			continue;
		c = tt_paths_count(al->p, i);
		if (n->kind == TT_NODE_FRAMED) {
			add_framed(al, *node, n->parent, c);
			continue;
		}
		if (c.n == 0)                 /* the time range has no allocations of this node */
			continue;
		rc = tt_mem_grow(&m->env->mem, node, cap, al->n + 1, sizeof **node, err);
		if (rc != TT_OK)
			return rc;
		(*node)[al->n] = i;
		rc = tt_mem_grow(&m->env->mem, &al->a, &al->cap, al->n + 1, sizeof *al->a, err);
		if (rc != TT_OK)
			return rc;
		al->a[al->n++] = (struct tt_alloc){ .key = n->key, .n = c.n, .bytes = c.total, .variance = c.self, .node = al->p->owner[i],
			.site = tt_alloc_site_of(al->p, al->p->owner[i]), .process = n->process };
	}
	return rc;
}

static int
collect(struct tt_allocs *al, struct tt_err *err)
{
	uint32_t *node = NULL;
	size_t cap = 0;
	int rc = collect_into(al, &node, &cap, err);

	tt_mem_free(&al->p->m->env->mem, node, cap * sizeof *node);
	return rc;
}

/* --- classes by number ------------------------------------------------------------ */

static int
by_class_key(const void *x, const void *y)
{
	const struct tt_alloc *a = x, *b = y;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return TT_CMP(a->key, b->key);
}

static uint32_t
find_class(const struct tt_allocs *al, const char *name)
{
	return (uint32_t)tt_lower_bound(i, 1, al->nclass, strcmp(al->class[i], name) <= 0) - 1;
}

/* List the labels of all classes: sorted, each once. The allocations are sorted by class key. */
static int
list_classes(struct tt_allocs *al, struct tt_err *err)
{
	const struct tt_model *m = al->p->m;
	size_t n = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < al->n && rc == TT_OK; i++) {
		if (i > 0 && by_class_key(&al->a[i], &al->a[i - 1]) == 0)
			continue;
		rc = tt_mem_grow(&m->env->mem, &al->class, &al->capclass, n + 1, sizeof *al->class, err);
		const struct tt_class *c = rc == TT_OK ? tt_class_of(&al->classes, al->a[i].process, al->a[i].key, err) : NULL;
		if (!c)
			return err->code;
		al->class[n++] = c->label;
	}
	tt_sort(al->class, n, tt_compare_texts);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(al->class[i], al->class[al->nclass - 1]) != 0)
			al->class[al->nclass++] = al->class[i];
	}
	return rc;
}

static int
number_classes(struct tt_allocs *al, struct tt_err *err)
{
	const struct tt_class *c;
	int rc;

	tt_sort(al->a, al->n, by_class_key);
	rc = list_classes(al, err);
	for (size_t i = 0; i < al->n && rc == TT_OK; i++) {
		struct tt_alloc *a = &al->a[i];

		if (i > 0 && by_class_key(a, a - 1) == 0) {
			a->class = a[-1].class;
			a->wanted = a[-1].wanted;
		} else if ((c = tt_class_of(&al->classes, a->process, a->key, err))) {
			a->class = find_class(al, c->label);
			a->wanted = c->wanted;
		} else {
			rc = err->code;
		}
	}
	return rc;
}

int
tt_allocs_init(struct tt_allocs *al, struct tt_views *v, enum tt_group group, struct tt_arena *text, struct tt_err *err)
{
	int rc;

	*al = (struct tt_allocs){ .p = tt_view_paths(v, group, TT_PATHS_ROWS, err), .all = tt_alloc_sum(v->m) };
	if (!al->p)
		return err->code;
	tt_classes_init(&al->classes, v->m, group, text);
	rc = collect(al, err);
	return rc != TT_OK ? rc : number_classes(al, err);
}

void
tt_allocs_free(struct tt_allocs *al)
{
	struct tt_mem *mem;

	if (!al->p)
		return;
	mem = &al->p->m->env->mem;
	tt_mem_free(mem, al->a, al->cap * sizeof *al->a);
	tt_mem_free(mem, al->class, al->capclass * sizeof *al->class);
	tt_classes_free(&al->classes);
}

struct order {
	const struct tt_allocs *al;
	uint64_t (*of)(const struct tt_allocs *, const struct tt_alloc *);
};

static int
by_number(const void *x, const void *y, void *arg)
{
	const struct order *o = arg;
	uint64_t a = o->of(o->al, x), b = o->of(o->al, y);

	return TT_CMP(a, b);
}

void
tt_allocs_sort(struct tt_allocs *al, uint64_t (*of)(const struct tt_allocs *, const struct tt_alloc *))
{
	struct order o = { al, of };

	tt_sort_by(al->a, al->n, by_number, &o);
}
