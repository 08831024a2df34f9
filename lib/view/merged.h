/**
 * The call tree as people read it: hidden wrappers taken out, siblings of one name made one.
 * Made from paths.h.
 */
#ifndef TT_VIEW_MERGED_H
#define TT_VIEW_MERGED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "view/paths.h"

/* Roots are threads (row TT_NO_ROW) and, beside them, "(more paths)". A parent's number is smaller than its children's. */
struct tt_mnode {
	uint32_t parent;              /* TT_NO_MNODE for roots */
	uint32_t row;                 /* of the marker; TT_NO_ROW: a thread */
	uint32_t thread;              /* index; roots of threads only */
	uint32_t child, sibling;      /* TT_NO_MNODE: none */
	bool keep;                    /* it, something above or something below is wanted by the filters */
	bool counted;                 /* kept, and it or something kept below it has calls, time or allocations */
	uint64_t n;
	int64_t total, self;
	int64_t alloc_b;              /* allocated in it and below it */
};
#define TT_NO_MNODE UINT32_MAX

struct tt_merged {
	const struct tt_paths *p;
	struct tt_mnode *v;
	uint32_t n;
	size_t cap;
	uint32_t *at;                 /* by node of the tree: its merged node, or TT_NO_MNODE */
	struct tt_map number;         /* of (parent, row) */
	uint32_t first;               /* first root; the others are its siblings */
	int64_t total;                /* of all roots */
};

/* Merge the timed part of ${p}. Free with tt_merged_free() also after an error. */
int tt_merged_init(struct tt_merged *g, const struct tt_paths *p, struct tt_err *err);
void tt_merged_free(struct tt_merged *g);

/* True if ${part} is at least ${e4} / 10000 of the whole. */
bool tt_merged_over(const struct tt_merged *g, int64_t part, int64_t e4);

#endif
