/*
 * The tree of call paths: nodes by parent and key, found while other workers add.
 */
#include "model/tree.h"

#include "model/event.h"

#define MAX_NODES (TT_TREE_DIR * TT_TREE_PAGE)

static struct tt_tree_table *
new_table(struct tt_tree *tree, size_t n, struct tt_err *err)
{
	struct tt_tree_table *t = tt_mem_alloc(tree->mem, sizeof *t + n * sizeof t->e[0], err);

	if (!t)
		return NULL;
	t->mask = n - 1;
	return t;
}

static void
insert(struct tt_tree_table *t, uint64_t hash, uint32_t tag, uint64_t key, uint32_t node)
{
	size_t i = tt_tree_slot(t, hash);

	while (atomic_load_explicit(&t->e[i].node, memory_order_relaxed))
		i = (i + 1) & t->mask;
	t->e[i].key = key;
	t->e[i].parent = tag;
	atomic_store_explicit(&t->e[i].node, node, memory_order_release);
}

static int
grow_table(struct tt_tree *tree, struct tt_err *err)
{
	struct tt_tree_table *old = atomic_load_explicit(&tree->table, memory_order_relaxed);
	struct tt_tree_table *t = new_table(tree, (old->mask + 1) * 2, err);

	if (!t)
		return err->code;
	for (size_t i = 0; i <= old->mask; i++) {
		uint32_t node = atomic_load_explicit(&old->e[i].node, memory_order_relaxed);
		if (node)
			insert(t, tt_tree_node(tree, node)->hash, old->e[i].parent, old->e[i].key, node);
	}
	t->older = old;
	atomic_store_explicit(&tree->table, t, memory_order_release);
	return TT_OK;
}

static int
new_node(struct tt_tree *tree, const struct tt_node *from, uint32_t *id, struct tt_err *err)
{
	uint32_t n = atomic_load_explicit(&tree->n, memory_order_relaxed);
	struct tt_node **page = &tree->node[n >> TT_TREE_PAGE_BITS];

	if (!*page && !(*page = tt_mem_alloc(tree->mem, TT_TREE_PAGE * sizeof **page, err)))
		return err->code;
	(*page)[n & (TT_TREE_PAGE - 1)] = *from;
	atomic_store_explicit(&tree->n, n + 1, memory_order_release);
	*id = n;
	return TT_OK;
}

int
tt_tree_new(struct tt_mem *mem, uint32_t cap, struct tt_tree **out, struct tt_err *err)
{
	struct tt_tree *tree = tt_mem_alloc(mem, sizeof *tree, err);
	struct tt_node root = { .kind = TT_NODE_ROOT, .marker = TT_NO_MARKER };
	struct tt_node more = { .kind = TT_NODE_ZONE, .key = TT_KEY_MORE, .depth = 1 };
	uint32_t id;

	if (!tree)
		return err->code;
	tree->mem = mem;
	tree->cap = cap;
	struct tt_tree_table *t = new_table(tree, 256, err);
	atomic_store(&tree->table, t);
	*out = tree;
	if (!t || new_node(tree, &root, &id, err) != TT_OK || new_node(tree, &more, &id, err) != TT_OK ||
	    tt_mem_grow(mem, &tree->marker, &tree->capmarker, 1, sizeof *tree->marker, err) != TT_OK) {
		tt_tree_free(tree);
		*out = NULL;
		return err->code;
	}
	tree->marker[0] = (struct tt_marker){ .key = TT_KEY_MORE };
	tree->nmarker = 1;
	return TT_OK;
}

static void
free_tables(const struct tt_tree *tree, struct tt_tree_table *t)
{
	for (struct tt_tree_table *older; t; t = older) {
		older = t->older;
		tt_mem_free(tree->mem, t, sizeof *t + (t->mask + 1) * sizeof t->e[0]);
	}
}

void
tt_tree_forget_tables(struct tt_tree *tree)
{
	struct tt_tree_table *t = atomic_load_explicit(&tree->table, memory_order_relaxed);

	free_tables(tree, t->older);
	t->older = NULL;
}

void
tt_tree_free(struct tt_tree *tree)
{
	if (!tree)
		return;
	free_tables(tree, atomic_load(&tree->table));
	for (size_t i = 0; i << TT_TREE_PAGE_BITS < tt_tree_count(tree); i++)
		tt_mem_free(tree->mem, tree->node[i], TT_TREE_PAGE * sizeof *tree->node[i]);
	tt_mem_free(tree->mem, tree->marker, tree->capmarker * sizeof *tree->marker);
	tt_map_free(&tree->marker_at, tree->mem);
	tt_mem_free(tree->mem, tree, sizeof *tree);
}

uint32_t
tt_tree_count(const struct tt_tree *tree)
{
	return atomic_load_explicit(&((struct tt_tree *)(uintptr_t)tree)->n, memory_order_acquire);
}

/* The dense number of a marker key, given in the order in which the commit stage first meets it. */
static int
marker_of(struct tt_tree *tree, uint32_t process, uint64_t key, uint32_t *marker, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_pair(process, key);
	const uint32_t at = tt_map_find(&tree->marker_at, hash, i, tree->marker[i].key == key && tree->marker[i].process == process);

	if (at) {
		*marker = at - 1;
		return TT_OK;
	}
	if (tt_map_push(&tree->marker_at, tree->mem, hash, &tree->marker, &tree->capmarker, tree->nmarker, err) != TT_OK)
		return err->code;
	tree->marker[tree->nmarker] = (struct tt_marker){ .key = key, .process = process };
	*marker = (uint32_t)tree->nmarker++;
	return TT_OK;
}

int
tt_tree_add(struct tt_tree *tree, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t process,
    uint32_t *node, struct tt_err *err)
{
	const struct tt_node *up = tt_tree_node(tree, parent);
	struct tt_node n = { .key = key, .hash = tt_tree_hash(up->hash, kind, key), .parent = parent,
		.kind = (uint8_t)kind, .marker = TT_NO_MARKER, .process = (uint16_t)process };
	int rc;

	*node = tt_tree_find(tree, n.hash, parent, kind, key);
	if (*node)
		return TT_OK;
	if (parent == TT_NODE_MORE && kind == TT_NODE_ZONE) {
		*node = TT_NODE_MORE;
		return TT_OK;
	}
	/* Threads, and classes allocated below "(more paths)", are few; they are never refused. */
	if (kind < TT_NODE_THREAD && parent != TT_NODE_MORE && tt_tree_count(tree) >= tree->cap) {
		tree->dropped++;
		if (kind != TT_NODE_ZONE)
			return tt_tree_add(tree, TT_NODE_MORE, kind, key, process, node, err);
		*node = TT_NODE_MORE;
		return TT_OK;
	}
	if (tt_tree_count(tree) >= MAX_NODES)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more than %u call paths", MAX_NODES);
	struct tt_tree_table *t = atomic_load_explicit(&tree->table, memory_order_relaxed);
	if ((size_t)tt_tree_count(tree) * 4 > t->mask * 3 && (rc = grow_table(tree, err)) != TT_OK)
		return rc;
	if (kind < TT_NODE_THREAD)
		n.depth = up->depth + 1;
	if (kind == TT_NODE_ZONE && (rc = marker_of(tree, process, key, &n.marker, err)) != TT_OK)
		return rc;
	if ((rc = new_node(tree, &n, node, err)) != TT_OK)
		return rc;
	insert(atomic_load_explicit(&tree->table, memory_order_relaxed), n.hash, tt_tree_tag(parent, kind),
	    tt_tree_key(kind, key), *node);
	return TT_OK;
}

uint32_t
tt_tree_markers(const struct tt_tree *tree)
{
	return (uint32_t)tree->nmarker;
}

const struct tt_marker *
tt_tree_marker(const struct tt_tree *tree, uint32_t marker)
{
	return &tree->marker[marker];
}

uint64_t
tt_tree_dropped(const struct tt_tree *tree)
{
	return tree->dropped;
}
