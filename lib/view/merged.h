/**
 * The call tree for readers: hidden wrappers are removed, and siblings with the same name merged.
 * Made from paths.h.
 */
#ifndef TT_VIEW_MERGED_H
#define TT_VIEW_MERGED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "view/paths.h"

/* A merged node. Roots are threads (row TT_NO_ROW), and "(more paths)". A parent's index is smaller than its children's. */
struct tt_mnode {
	uint32_t parent;              /* TT_NO_MNODE for roots */
	uint32_t row;                 /* row of the marker; TT_NO_ROW: a thread */
	uint32_t thread;              /* index of the thread; only for roots that are threads */
	uint32_t child, sibling;      /* TT_NO_MNODE: none */
	bool keep;                    /* true: the filters choose the node, an ancestor or a descendant */
	bool counted;                 /* true: kept, and it or a kept descendant has calls, time or allocations */
	uint64_t n;
	int64_t total, self;
	int64_t alloc_b;              /* bytes allocated in the node and below it */
};
#define TT_NO_MNODE UINT32_MAX

struct tt_merged {
	const struct tt_paths *p;
	struct tt_mnode *v;
	uint32_t n;
	size_t cap;
	uint32_t *at;                 /* by node of the tree: its merged node; TT_NO_MNODE: none */
	struct tt_map number;         /* finds indices by (parent, row) */
	uint32_t first;               /* first root; the others are its siblings */
	int64_t total;                /* total time of all roots */
};

/* Merge the zones with time of ${p}. Free with tt_merged_free(), also after an error. */
int tt_merged_init(struct tt_merged *g, const struct tt_paths *p, struct tt_err *err);
void tt_merged_free(struct tt_merged *g);

/* True if ${part} is at least ${e4} / 10000 of the total time. */
bool tt_merged_over(const struct tt_merged *g, int64_t part, int64_t e4);

#endif
