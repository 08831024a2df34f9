/**
 * The call tree as tables and gates look at it: rows of equal names, hidden wrappers, nesting.
 *
 * A row is one line of a table of markers: all markers of one full name, of all processes. The
 * runtime's allocation wrappers are hidden unless filter.wrappers is set: their figures belong to the
 * zone around them, their owner.
 *
 * Grouped, a row is a group of markers; a group has two rows, one of what the filters want and one of what they do not,
 * 2 * group and 2 * group + 1.
 */
#ifndef TT_VIEW_PATHS_H
#define TT_VIEW_PATHS_H

#include <stdbool.h>

#include "model/model.h"
#include "view/group.h"

struct tt_buf;

#define TT_NO_ROW UINT32_MAX

struct tt_paths {
	const struct tt_model *m;
	enum tt_group group;
	uint32_t n;                   /* nodes */
	uint32_t *row_of;             /* by marker number; by thread: 0 wanted, 1 not */
	uint32_t nmarker;
	struct tt_row {
		const struct tt_name *name;   /* of its first marker; NULL: a group without any */
		const char *label;    /* what to show: as name->shown, but no two rows alike */
		uint32_t first, n;    /* its markers: by_row[first .. first + n - 1]; none by thread */
		bool wanted;          /* chosen by --marker and --category */
	} *row;                       /* in order of full name and category, or of the groups */
	uint32_t nrow, caprow;
	uint32_t *by_row;             /* marker numbers, those of one row together */
	uint32_t *owner;              /* by node: the shown zone at or above it, else its thread root */
	uint32_t *root;               /* by node: its thread root, or that of its recorded stack; itself for "(more paths)" */
	uint32_t *path;               /* by node: the node that represents all equal paths; made by tt_paths_join() */
	uint32_t *child, *sibling;    /* by node: first child, next sibling, 0 none; made by tt_paths_link() */
	uint32_t *line;               /* by node: the row that its time is in, its owner's; TT_NO_ROW: none; made by tt_paths_link() */
	/*
	 * By node, made by tt_paths_sites(): the row of the nearest frame or zone at or above it that is not the runtime's
	 * own (wrappers, methods of Monitor and GCHandle) or tracetool's (GC, Exception); TT_NO_ROW: there is none.
	 */
	uint32_t *site;
	bool *waits;                  /* by row: its zones wait; made by tt_paths_waits() */
	struct tt_arena text;
};

/* Look at ${m}, which must have been resolved. Free with tt_paths_free() also after an error. */
int tt_paths_init(struct tt_paths *p, const struct tt_model *m, struct tt_err *err);
/* The same with rows that are groups; TT_GROUP_NONE and TT_GROUP_DOMAIN, which markers do not have, group nothing. */
int tt_paths_init_by(struct tt_paths *p, const struct tt_model *m, enum tt_group group, struct tt_err *err);
void tt_paths_free(struct tt_paths *p);

static inline const struct tt_node *
tt_paths_node(const struct tt_paths *p, uint32_t node)
{
	return tt_tree_node(p->m->tree, node);
}

static inline struct tt_count
tt_paths_count(const struct tt_paths *p, uint32_t node)
{
	return tt_counts_get(p->m->counts, node);
}

/* True if ${node} is a zone with time, not one of a sample or a recorded stack. */
static inline bool
tt_paths_timed(const struct tt_paths *p, uint32_t node)
{
	return tt_paths_node(p, node)->kind == TT_NODE_ZONE &&
	    (node == TT_NODE_MORE || tt_paths_node(p, p->root[node])->kind == TT_NODE_THREAD);
}

/* True if ${node} is samples, or a managed frame that is on the stack of some. */
static inline bool
tt_paths_sampled(const struct tt_paths *p, uint32_t node)
{
	const struct tt_node *n = tt_paths_node(p, node);

	return n->kind == TT_NODE_SAMPLES ||
	    (n->kind == TT_NODE_ZONE && node != TT_NODE_MORE && tt_paths_node(p, p->root[node])->kind == TT_NODE_SAMPLES);
}

/* The place of samples without a managed frame on the stack. */
#define TT_NATIVE "(native)"

/* A timed zone that is not hidden. */
static inline bool
tt_paths_shown(const struct tt_paths *p, uint32_t node)
{
	return p->owner[node] == node && tt_paths_timed(p, node);
}

/* The thread of a node; NULL for "(more paths)". */
const struct tt_thread *tt_paths_thread(const struct tt_paths *p, uint32_t node);

/* By thread: the first of the two rows of the thread of ${node}. */
static inline uint32_t
tt_paths_thread_row(const struct tt_paths *p, uint32_t node)
{
	const struct tt_thread *t = tt_paths_thread(p, node);

	return 2 * (t ? t->index : (uint32_t)p->m->threads.n);
}

/* The zone that a recorded stack with ${node} is below; ${node} itself where it is below none. */
static inline uint32_t
tt_paths_zone(const struct tt_paths *p, uint32_t node)
{
	const struct tt_node *root = tt_paths_node(p, p->root[node]);

	return root->parent ? p->owner[root->parent] : node;
}

/* The row of a zone, or TT_NO_ROW for anything else. */
static inline uint32_t
tt_paths_row(const struct tt_paths *p, uint32_t node)
{
	uint32_t marker = tt_paths_node(p, node)->marker;

	if (marker == TT_NO_MARKER || marker >= p->nmarker)
		return TT_NO_ROW;
	return p->group == TT_GROUP_THREAD ? tt_paths_thread_row(p, node) + p->row_of[marker] : p->row_of[marker];
}

/* True if ${node} is a timed zone with a marker. */
static inline bool
tt_paths_marked(const struct tt_paths *p, uint32_t node)
{
	return node > TT_NODE_MORE && tt_paths_timed(p, node) && tt_paths_row(p, node) != TT_NO_ROW;
}

/* The row of events at ${node}, a zone or a thread outside any zone; the latter has a row only by thread, else TT_NO_ROW. */
static inline uint32_t
tt_paths_row_at(const struct tt_paths *p, uint32_t node)
{
	uint32_t row = tt_paths_row(p, node);

	if (row == TT_NO_ROW && p->group == TT_GROUP_THREAD)
		return tt_paths_thread_row(p, node) + (p->m->filter.marker || p->m->filter.category);
	return row;
}

/* The label of the row of a name, or how the name is shown where the tree has no such row. */
const char *tt_paths_label(const struct tt_paths *p, const struct tt_name *name);

/* Fill path: with groups, steps of one group that follow each other are one, and paths of equal steps are one. */
int tt_paths_join(struct tt_paths *p, struct tt_err *err);

/* Fill waits: a look at every pattern is not cheap. Rows must be those of names, not of groups. */
int tt_paths_waits(struct tt_paths *p, struct tt_err *err);

/* Fill child, sibling and line. */
int tt_paths_link(struct tt_paths *p, struct tt_err *err);

#define TT_OUTSIDE "(outside any zone)"

/* The path to ${node} in ${b}: "Main > World:Frame > World:Draw"; of deeper paths the innermost 64 zones, each in brief (base/brief.h). */
void tt_paths_text(const struct tt_paths *p, uint32_t node, struct tt_buf *b);

/* Fill site: of each node the row of the place in the program that it is about. */
int tt_paths_sites(struct tt_paths *p, struct tt_err *err);

/* True if the site ${row} is among those asked for. */
static inline bool
tt_paths_site_wanted(const struct tt_paths *p, uint32_t row)
{
	if (row == TT_NO_ROW)
		return !p->m->filter.marker && !p->m->filter.category;
	return p->row[row].wanted;
}

/*
 * For a thread: time inside its outermost shown zones, and the part of it inside the outermost zones that wait (model/waits.h). The rest is the time it was
 * busy: tt_busy(). And the shown zones that begin, without those that tracetool makes, and the allocations. In "(more paths)" they belong to no thread:
 * tt_tree_dropped() says that they are unknown.
 */
struct tt_zone_time { int64_t inside, waiting; uint64_t calls, allocs; int64_t bytes; };

static inline int64_t
tt_busy(const struct tt_zone_time *t)
{
	return t->inside - t->waiting;
}

/* Fill ${by_thread}, as many as the model has threads. Needs tt_paths_waits(). */
int tt_paths_zone_time(const struct tt_paths *p, struct tt_zone_time *by_thread, struct tt_err *err);

/* A walk over all nodes, each met twice: before and after everything below it. Needs tt_paths_link(). */
struct tt_walk { const struct tt_paths *p; uint32_t node; bool leave; bool begun; };
bool tt_walk_next(struct tt_walk *w);

#endif
