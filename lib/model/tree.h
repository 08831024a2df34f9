/**
 * The one calling-context tree.
 *
 * Nodes are keyed (parent, kind, producer's key); a path is a node. Below the root there is one node per thread and tree: TT_NODE_THREAD for calls,
 * TT_NODE_SAMPLES and TT_NODE_STACKS for recorded stacks (samples, allocations). If zones are markers and not methods, the stacks of allocations have their
 * TT_NODE_STACKS below the zone that is open.
 * With TT_NEEDS_FRAMED, the part of an allocation that falls into whole frames is a node below it (TT_NODE_FRAMED).
 * An allocation is a node too (TT_NODE_ALLOC, keyed by class, its count and bytes in
 * n and total), so sites, classes, threads and categories are all folds of one tree.
 *
 * Sharing. The nodes are shared by all workers: look-ups run without a lock, while new nodes are
 * added only by the commit stage, which the pipeline runs in file order. A worker
 * that meets a new path keeps it in its own overlay until then. So node numbers
 * depend on the file alone, never on -j, and the cap on paths is exact. Counters
 * are per worker and summed at the end (integers: any order gives the same).
 *
 * Look-ups. The place of a path in the table follows from its keys alone (tt_tree_hash), not from the numbers of the
 * nodes above it.
 *
 * A worker mostly needs no look-up: it remembers where the counters of few paths are (fold/fast.c), and of many it predicts that what comes after a
 * zone is what came after it the last time (struct tt_link).
 *
 * Memory: 32 bytes a node, 16 to 32 in the table, 48 per worker; at most ${cap} nodes.
 */
#ifndef TT_MODEL_TREE_H
#define TT_MODEL_TREE_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/hash_seed.h"
#include "base/map.h"
#include "base/mem.h"
#include "stat/hist.h"

enum tt_node_kind { TT_NODE_ZONE, TT_NODE_ALLOC, TT_NODE_FRAMED, TT_NODE_THREAD, TT_NODE_SAMPLES, TT_NODE_STACKS, TT_NODE_ROOT };

struct tt_node {
	uint64_t key;                 /* zone: marker key; alloc: class key; thread roots: thread index */
	uint64_t hash;                /* of the path: tt_tree_hash() */
	uint32_t parent;
	uint32_t marker;              /* zone: dense marker number; else TT_NO_MARKER */
	uint32_t depth;               /* thread roots: 0 */
	uint8_t kind;
	uint16_t process;
};
#define TT_NO_MARKER UINT32_MAX
#define TT_VARIANCE_MAX ((int64_t)1 << 58)
#define TT_NODE_MORE 1                /* "(more paths)" */

struct tt_dist;

struct tt_count {
	uint64_t n;                   /* activations; allocations; samples whose leaf is here */
	int64_t total;                /* ns; bytes for allocations */
	int64_t self;                 /* ns; before tt_counts_settle() only corrections to total. For allocations that were sampled:
	                                 the variance of total, not known from TT_VARIANCE_MAX on */
	struct tt_dist *dist;         /* durations of the node's marker, in the same counters; NULL: not looked up yet */
};

/*
 * A worker's record of a path of a zone or an allocation that it has met: enough to recognise the path again, and a prediction of the zone or allocation that
 * comes next, wherever that lies in the tree. Zero bytes are no path, because no parent here is node 0.
 */
struct tt_link {
	uint64_t key;
	uint32_t up;                  /* the node above */
	uint32_t next;                /* the node of the zone or allocation that followed the last one of this node; 0: none so far */
};

struct tt_marker {                    /* dense marker number -> key */
	uint64_t key;
	uint32_t process;
};

#define TT_TREE_PAGE_BITS 10
#define TT_TREE_PAGE (1u << TT_TREE_PAGE_BITS)

/* A page of one worker. */
struct tt_count_page {
	struct tt_count c[TT_TREE_PAGE];
	struct tt_link link[TT_TREE_PAGE];
};

/* The hash from (parent, kind, key) to node. The node is written last: a thread that sees it also sees the rest. */
struct tt_tree_entry {
	_Alignas(16) uint64_t key;    /* never in two lines */
	uint32_t parent;              /* kind in the top two bits */
	_Atomic uint32_t node;        /* 0: empty */
};

/* Not a tt_map: workers look up while the commit stage adds, and each zone is looked up here, so a slot is all that is read. */
struct tt_tree_table {
	struct tt_tree_table *older;
	size_t mask;
	struct tt_tree_entry e[];
};

#define TT_TREE_DIR (1u << 14)        /* pages of nodes or markers */

/* Everything lives in pages that never move, so workers read while the commit stage adds. */
struct tt_tree {
	struct tt_mem *mem;
	uint32_t cap;
	_Atomic uint32_t n;
	uint64_t dropped;
	struct tt_tree_table *_Atomic table;
	struct tt_node *node[TT_TREE_DIR];

	struct tt_marker *marker;
	size_t nmarker, capmarker;
	struct tt_map marker_at;      /* by process and key */
};

/* The largest ${cap}, up to which paths are kept apart: the rest of the directory is for threads and "(more paths)". */
#define TT_TREE_CAP 16000000
int tt_tree_new(struct tt_mem *mem, uint32_t cap, struct tt_tree **tree, struct tt_err *err);
void tt_tree_free(struct tt_tree *tree);

/* Free the tables that were outgrown: nobody reads them any more. Only the commit stage. */
void tt_tree_forget_tables(struct tt_tree *tree);

/* Thread roots hang on the root alone and have keys of their own; two bits are enough for the kind. */
static inline uint32_t
tt_tree_tag(uint32_t parent, enum tt_node_kind kind)
{
	return parent | (kind < TT_NODE_THREAD ? (uint32_t)kind : kind == TT_NODE_STACKS ? 3u : 2u) << 30;
}

static inline uint64_t
tt_tree_key(enum tt_node_kind kind, uint64_t key)
{
	return kind == TT_NODE_SAMPLES ? key | (uint64_t)1 << 40 : key;
}

/* The hash of a child's path from that of its parent's (the root's is 0). */
static inline uint64_t
tt_tree_hash(uint64_t parent, enum tt_node_kind kind, uint64_t key)
{
	return tt_seeded_mix(parent + ((uint64_t)kind << 56), key);
}

static inline size_t
tt_tree_slot(const struct tt_tree_table *t, uint64_t hash)
{
	return (size_t)hash & t->mask;
}

static inline void
tt_tree_fetch(const struct tt_tree_table *t, uint64_t hash)
{
	__builtin_prefetch(&t->e[tt_tree_slot(t, hash)]);
}

/* The current table. A table that is kept while the tree grows stays valid; it only lacks nodes added since. */
static inline const struct tt_tree_table *
tt_tree_now(const struct tt_tree *tree)
{
	return atomic_load_explicit((struct tt_tree_table *_Atomic *)(uintptr_t)&tree->table, memory_order_acquire);
}

static inline uint32_t
tt_tree_lookup(const struct tt_tree_table *t, uint64_t hash, uint32_t tag, uint64_t key)
{
	for (size_t i = tt_tree_slot(t, hash);; i = (i + 1) & t->mask) {
		const struct tt_tree_entry *e = &t->e[i];
		uint32_t node = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)&e->node, memory_order_acquire);
		if (node == 0 || (e->key == key && e->parent == tag))
			return node;
	}
}

/* Look up the child whose path has ${hash}; 0 if there is none (yet). Any thread. */
static inline uint32_t
tt_tree_find(const struct tt_tree *tree, uint64_t hash, uint32_t parent, enum tt_node_kind kind, uint64_t key)
{
	return tt_tree_lookup(tt_tree_now(tree), hash, tt_tree_tag(parent, kind), tt_tree_key(kind, key));
}

/* Find or add a child; over the cap TT_NODE_MORE. Only the commit stage. */
int tt_tree_add(struct tt_tree *tree, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t process,
    uint32_t *node, struct tt_err *err);

/* Nodes 0 .. count-1 exist. */
uint32_t tt_tree_count(const struct tt_tree *tree);
static inline const struct tt_node *
tt_tree_node(const struct tt_tree *tree, uint32_t node)
{
	return &tree->node[node >> TT_TREE_PAGE_BITS][node & (TT_TREE_PAGE - 1)];
}
uint32_t tt_tree_markers(const struct tt_tree *tree);
const struct tt_marker *tt_tree_marker(const struct tt_tree *tree, uint32_t marker);
uint64_t tt_tree_dropped(const struct tt_tree *tree);   /* paths that went to "(more paths)" */

/* --- counters of one worker --------------------------------------------- */

/* The durations of one marker: a page of 32 buckets per power of two that occurs. Zones below 65 us need its first line alone. */
struct tt_dist {
	_Alignas(TT_MEM_LINE) uint64_t not_min;       /* ~min, so that zero bytes are an empty one */
	uint64_t span;                /* max - min */
	uint32_t page[TT_HIST_PAGES];         /* number of the page in the slabs, from 1; 0: no page: the buckets of page 0 are full, so nothing counts there */
	uint32_t marker;
	uint32_t ncut;                /* activations without an end of their own, which no bucket counts */
	int64_t cut;                  /* ns of the ${ncut} activations, and of those whose begin is missing: after a loss, or before the filter's time */
};

#define TT_SLAB_BITS 10               /* pages per slab */

/* The count of a bucket beyond its 16 bits, as a multiple of 2^16. */
struct tt_carry {
	uint32_t marker, bucket;
	uint64_t n;
};

struct tt_counts {
	struct tt_mem *mem;
	size_t nnode, ndist;          /* entries in use: later ones are not touched, because their memory may not exist yet */
	struct tt_count_page *node[TT_TREE_DIR];      /* the first is always there */
	struct tt_dist *dist[TT_TREE_DIR];
	uint16_t **slab;
	size_t npage, nslab, capslab;
	struct tt_carry *carry;
	size_t ncarry, capcarry;
};

int tt_counts_new(struct tt_mem *mem, struct tt_counts **c, struct tt_err *err);
void tt_counts_free(struct tt_counts *c);

struct tt_count *tt_counts_new_page(struct tt_counts *c, uint32_t node, struct tt_err *err);
/* The durations of ${marker}; NULL only out of memory. They never move. */
struct tt_dist *tt_counts_dist(struct tt_counts *c, uint32_t marker, struct tt_err *err);
int tt_counts_dur_slow(struct tt_counts *c, struct tt_dist *d, uint64_t dur, struct tt_err *err);

/* The counter of ${node}; NULL only out of memory. */
static inline struct tt_count *
tt_counts_at(struct tt_counts *c, uint32_t node, struct tt_err *err)
{
	struct tt_count_page *page = c->node[node >> TT_TREE_PAGE_BITS];

	return page ? &page->c[node & (TT_TREE_PAGE - 1)] : tt_counts_new_page(c, node, err);
}

/* The link of ${node}, whose counter exists. */
static inline struct tt_link *
tt_counts_link(struct tt_counts *c, uint32_t node)
{
	return &c->node[node >> TT_TREE_PAGE_BITS]->link[node & (TT_TREE_PAGE - 1)];
}

/* The buckets of the page ${id}. */
static inline uint16_t *
tt_counts_page(const struct tt_counts *c, uint32_t id)
{
	return c->slab[id >> TT_SLAB_BITS] + (id & ((1u << TT_SLAB_BITS) - 1)) * TT_HIST_PAGE;
}

/* True if ${dur} can be counted in its bucket ${b}: there is room, and it is neither the shortest nor the longest so far. */
static inline bool
tt_dist_takes(const struct tt_dist *d, const uint16_t *b, uint64_t dur)
{
	return *b != UINT16_MAX && dur + 1 + d->not_min <= d->span;
}

/* The bucket in which ${dur} is counted; NULL if that takes tt_counts_dur_slow(). */
static inline uint16_t *
tt_counts_bucket(const struct tt_counts *c, const struct tt_dist *d, uint64_t dur)
{
	const unsigned bucket = tt_hist_bucket(dur);
	uint16_t *b = tt_counts_page(c, d->page[bucket / TT_HIST_PAGE]) + bucket % TT_HIST_PAGE;

	return tt_dist_takes(d, b, dur) ? b : NULL;
}

/* Add one duration to a marker's distribution. */
static inline int
tt_counts_dur(struct tt_counts *c, struct tt_dist *d, uint64_t dur, struct tt_err *err)
{
	uint16_t *b = tt_counts_bucket(c, d, dur);

	if (!b)
		return tt_counts_dur_slow(c, d, dur, err);
	++*b;
	return TT_OK;
}

/*
 * Compute self times, at the end: the total of each path less the totals of the paths below. So the fold adds one sum per
 * zone, not three.
 */
int tt_counts_settle(struct tt_counts *c, const struct tt_tree *tree, struct tt_err *err);

/* Add all of ${from} to ${into}. Counts that were added are freed on the way, so that nothing is held twice; ${from} is left to be freed. */
int tt_counts_join(struct tt_counts *into, struct tt_counts *from, struct tt_err *err);

/* Read back: zero where nothing was counted. */
static inline struct tt_count
tt_counts_get(const struct tt_counts *c, uint32_t node)
{
	const struct tt_count_page *page = c->node[node >> TT_TREE_PAGE_BITS];

	return page ? page->c[node & (TT_TREE_PAGE - 1)] : (struct tt_count){ 0 };
}

void tt_counts_hist(const struct tt_counts *c, uint32_t marker, struct tt_hist *into);  /* adds to ${into} */
void tt_counts_cut(const struct tt_counts *c, uint32_t marker, uint64_t *n, int64_t *cut);     /* adds to both */

#endif
