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
	uint32_t n;                   /* number of nodes */
	uint32_t *row_of;             /* by marker number: its row; grouped by thread: 0 if the filters choose the marker, else 1 */
	uint32_t nmarker;
	struct tt_row {
		const struct tt_name *name;   /* name of its first marker; NULL: a group without markers */
		const char *label;    /* the text to show: name->shown, made unique among rows */
		uint32_t first, n;    /* its markers: by_row[first .. first + n - 1]; unused when grouped by thread */
		bool wanted;          /* chosen by --marker and --category */
	} *row;                       /* sorted by full name and category, or by group */
	uint32_t nrow, caprow;
	uint32_t *by_row;             /* marker numbers, sorted by row */
	uint32_t *owner;              /* by node: the nearest shown zone, itself or above; else its thread's root */
	uint32_t *root;               /* by node: its thread's root, or that of its recorded stack; for "(more paths)" the node itself */
	uint32_t *path;               /* by node: the node that represents all equal paths; made by tt_paths_join() */
	uint32_t *child, *sibling;    /* by node: first child, next sibling, 0 none; made by tt_paths_link() */
	uint32_t *line;               /* by node: the row that its time counts for, that of its owner; TT_NO_ROW: none; made by tt_paths_link() */
	/*
	 * By node, made by tt_paths_sites(): the row of the nearest frame or zone, itself or above, that belongs neither to the runtime (wrappers, methods of
	 * Monitor and GCHandle) nor to tracetool (GC, Exception); TT_NO_ROW: none.
	 */
	uint32_t *site;
	bool *waits;                  /* by row: true if its zones wait; made by tt_paths_waits() */
	struct tt_arena text;
};

/* Prepare the rows of ${m}, which must be resolved. Free with tt_paths_free(), also after an error. */
int tt_paths_init(struct tt_paths *p, const struct tt_model *m, struct tt_err *err);
/* Like tt_paths_init(), but rows are groups. TT_GROUP_NONE and TT_GROUP_DOMAIN, which markers do not have, make no groups. */
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

/* True if ${node} is a zone with a duration, not part of a sample or of a recorded stack. */
static inline bool
tt_paths_timed(const struct tt_paths *p, uint32_t node)
{
	return tt_paths_node(p, node)->kind == TT_NODE_ZONE &&
	    (node == TT_NODE_MORE || tt_paths_node(p, p->root[node])->kind == TT_NODE_THREAD);
}

/* True if ${node} stands for samples, or for a managed frame on their stacks. */
static inline bool
tt_paths_sampled(const struct tt_paths *p, uint32_t node)
{
	const struct tt_node *n = tt_paths_node(p, node);

	return n->kind == TT_NODE_SAMPLES ||
	    (n->kind == TT_NODE_ZONE && node != TT_NODE_MORE && tt_paths_node(p, p->root[node])->kind == TT_NODE_SAMPLES);
}

/* Label of samples whose stack has no managed frame. */
#define TT_NATIVE "(native)"

/* True if ${node} is a zone with a duration that is not hidden. */
static inline bool
tt_paths_shown(const struct tt_paths *p, uint32_t node)
{
	return p->owner[node] == node && tt_paths_timed(p, node);
}

/* The thread of a node; NULL for "(more paths)". */
const struct tt_thread *tt_paths_thread(const struct tt_paths *p, uint32_t node);

/* When grouped by thread: the first of the two rows of the thread of ${node}. */
static inline uint32_t
tt_paths_thread_row(const struct tt_paths *p, uint32_t node)
{
	const struct tt_thread *t = tt_paths_thread(p, node);

	return 2 * (t ? t->index : (uint32_t)p->m->threads.n);
}

/* The zone above the recorded stack that contains ${node}; without a stack or such a zone, ${node} itself. */
static inline uint32_t
tt_paths_zone(const struct tt_paths *p, uint32_t node)
{
	const struct tt_node *root = tt_paths_node(p, p->root[node]);

	return root->parent ? p->owner[root->parent] : node;
}

/* The row of the zone ${node}; TT_NO_ROW for any other node. */
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
tt_paths_has_marker(const struct tt_paths *p, uint32_t node)
{
	return node > TT_NODE_MORE && tt_paths_timed(p, node) && tt_paths_row(p, node) != TT_NO_ROW;
}

/* The row for events at ${node}, a zone or, outside any zone, a thread. A thread has a row only when grouped by thread, else TT_NO_ROW. */
static inline uint32_t
tt_paths_row_at(const struct tt_paths *p, uint32_t node)
{
	uint32_t row = tt_paths_row(p, node);

	if (row == TT_NO_ROW && p->group == TT_GROUP_THREAD)
		return tt_paths_thread_row(p, node) + (p->m->filter.marker || p->m->filter.category);
	return row;
}

/* The label of the row of ${name}; if the tree has no such row, name->shown. */
const char *tt_paths_label(const struct tt_paths *p, const struct tt_name *name);

/* Fill ${p}->path. With groups, consecutive steps of the same group are joined, and equal paths become one. */
int tt_paths_join(struct tt_paths *p, struct tt_err *err);

/* Fill ${p}->waits, on request because it matches each name with every pattern. Rows must be names, not groups. */
int tt_paths_waits(struct tt_paths *p, struct tt_err *err);

/* Fill ${p}->child, ${p}->sibling and ${p}->line. */
int tt_paths_link(struct tt_paths *p, struct tt_err *err);

#define TT_OUTSIDE "(outside any zone)"

/* The path to ${node} in ${b}: "Main > World:Frame > World:Draw"; of deeper paths the innermost 64 zones, each in brief (base/brief.h). */
void tt_paths_text(const struct tt_paths *p, uint32_t node, struct tt_buf *b);

/* Fill ${p}->site: for each node the row of the place in the program that it is about. */
int tt_paths_sites(struct tt_paths *p, struct tt_err *err);

/* True if the filters choose the site ${row}. */
static inline bool
tt_paths_site_wanted(const struct tt_paths *p, uint32_t row)
{
	if (row == TT_NO_ROW)
		return !p->m->filter.marker && !p->m->filter.category;
	return p->row[row].wanted;
}

/*
 * How a thread spends its time: inside its outermost shown zones; and of that, inside the outermost zones that wait (model/waits.h). The difference is the time
 * it was busy: tt_busy(). Also the shown zones that begin, without those that tracetool makes, and the allocations. Zones in "(more paths)" count for no
 * thread, so that these numbers are unknown if tt_tree_dropped().
 */
struct tt_zone_time { int64_t inside, waiting; uint64_t calls, allocs; int64_t bytes; };

static inline int64_t
tt_busy(const struct tt_zone_time *t)
{
	return t->inside - t->waiting;
}

/* Fill ${by_thread}, which has an entry for each thread of the model. Needs tt_paths_waits(). */
int tt_paths_zone_time(const struct tt_paths *p, struct tt_zone_time *by_thread, struct tt_err *err);

/* A walk over all nodes, which visits each node twice: before and after its descendants (${leave}). Needs tt_paths_link(). */
struct tt_walk { const struct tt_paths *p; uint32_t node; bool leave; bool begun; };
bool tt_walk_next(struct tt_walk *w);

#endif
