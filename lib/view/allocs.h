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
	uint64_t key;                 /* of the class */
	uint64_t n;
	int64_t bytes;
	int64_t variance;             /* of bytes */
	uint64_t framed_n;            /* of them in whole frames: with TT_NEEDS_FRAMED */
	int64_t framed_bytes;
	uint32_t node;                /* the path: owner of the allocation's node */
	uint32_t site;                /* the node of the site, at or above it */
	uint32_t class;               /* number in tt_allocs.class */
	uint32_t process;
	bool wanted;                  /* its class, by the filters */
};

struct tt_allocs {
	const struct tt_paths *p;
	struct tt_alloc *a;
	size_t n, cap;
	const char **class;           /* names, or groups, in order, each once */
	size_t nclass, capclass;
	struct tt_classes classes;
	struct tt_alloc_sum all;
};

/* Collect from ${v}, sites and classes by ${group}; names of groups are kept in ${text}. Free with tt_allocs_free(), before the view, also after an error. */
int tt_allocs_init(struct tt_allocs *al, struct tt_views *v, enum tt_group group, struct tt_arena *text, struct tt_err *err);
void tt_allocs_free(struct tt_allocs *al);

/* The node of the site of what is allocated at ${node}, which is shown or a thread's root. */
uint32_t tt_alloc_site_of(const struct tt_paths *p, uint32_t node);

/* The row of the site, or TT_NO_ROW outside any zone. */
static inline uint32_t
tt_alloc_site(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return tt_paths_row_at(al->p, a->site);
}

/* The row of the zone it is in: of a recorded stack below a zone that zone's, else the site's. */
static inline uint32_t
tt_alloc_zone(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return tt_paths_row_at(al->p, tt_paths_zone(al->p, a->site));
}

/* True if its site, or the zone that its site is in, is among those asked for. */
static inline bool
tt_alloc_wanted(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return tt_paths_site_wanted(al->p, tt_alloc_site(al, a)) || tt_paths_site_wanted(al->p, tt_alloc_zone(al, a));
}

/*
 * The place of an allocation: its site and its class, as one number. Rows of groups are the site's alone, but by domain, which a
 * class has, the class's.
 */
static inline uint64_t
tt_alloc_place(const struct tt_allocs *al, const struct tt_alloc *a)
{
	if (al->classes.group == TT_GROUP_DOMAIN)
		return a->class;
	return al->classes.group ? tt_alloc_site(al, a) : (uint64_t)tt_alloc_site(al, a) << 32 | a->class;
}

/* Sort by a number that ${of} gives each; equal ones keep no order. */
void tt_allocs_sort(struct tt_allocs *al, uint64_t (*of)(const struct tt_allocs *, const struct tt_alloc *));

#endif
