/**
 * All allocations of a run, folded once for the tables of gcalloc.
 *
 * The site of an allocation is the nearest zone around it (or frame of its recorded stack) that is not
 * one of the runtime's own steps of an allocation: wrappers, and methods that only allocate what their caller asked for.
 */
#ifndef TT_VIEW_ALLOCS_H
#define TT_VIEW_ALLOCS_H

#include "view/figures.h"
#include "view/paths.h"

struct tt_arena;
struct tt_views;

/* One node of the tree: allocations of one class on one path. */
struct tt_alloc {
	uint64_t key;                 /* key of the class */
	uint64_t n;
	int64_t bytes;
	int64_t variance;             /* variance of bytes, if sampled */
	uint64_t framed_n;            /* number of those in whole frames; needs TT_NEEDS_FRAMED */
	int64_t framed_bytes;
	uint32_t node;                /* the path: the shown zone or thread around the allocation */
	uint32_t site;                /* the node of the site: node, or above it */
	uint32_t class;               /* index in tt_allocs.class */
	uint32_t process;
	bool wanted;                  /* true: the filters choose its class */
};

struct tt_allocs {
	const struct tt_paths *p;
	struct tt_alloc *a;
	size_t n, cap;
	const char **class;           /* labels of classes or of their groups, sorted, each once */
	size_t nclass, capclass;
	struct tt_classes classes;
	struct tt_alloc_sum all;
};

/*
 * Collect the allocations of ${v}, with sites and classes by ${group}; ${text} owns the names of groups. Free with tt_allocs_free() before the view is freed,
 * also after an error.
 */
int tt_allocs_init(struct tt_allocs *al, struct tt_views *v, enum tt_group group, struct tt_arena *text, struct tt_err *err);
void tt_allocs_free(struct tt_allocs *al);

/* The node of the site of allocations at ${node}, which is a shown zone or a thread's root. */
uint32_t tt_alloc_site_of(const struct tt_paths *p, uint32_t node);

/* The row of the allocation's site; TT_NO_ROW: outside any zone. */
static inline uint32_t
tt_alloc_site(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return tt_paths_row_at(al->p, a->site);
}

/* The row of the zone that the allocation is in: the zone above its recorded stack, if there is one, else its site. */
static inline uint32_t
tt_alloc_zone(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return tt_paths_row_at(al->p, tt_paths_zone(al->p, a->site));
}

/* True if the filters choose the allocation's site, or the zone around that site. */
static inline bool
tt_alloc_wanted(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return tt_paths_site_wanted(al->p, tt_alloc_site(al, a)) || tt_paths_site_wanted(al->p, tt_alloc_zone(al, a));
}

/* A key for grouping allocations: site and class in one number. With --group-by, the site alone; by domain, which only classes have, the class alone. */
static inline uint64_t
tt_alloc_place(const struct tt_allocs *al, const struct tt_alloc *a)
{
	if (al->classes.group == TT_GROUP_DOMAIN)
		return a->class;
	return al->classes.group ? tt_alloc_site(al, a) : (uint64_t)tt_alloc_site(al, a) << 32 | a->class;
}

/* Sort the allocations by the number that ${of} returns; the order of equal ones is undefined. */
void tt_allocs_sort(struct tt_allocs *al, uint64_t (*of)(const struct tt_allocs *, const struct tt_alloc *));

#endif
