/**
 * The call tree as stacks of names, for pprof and folded output.
 *
 * Nodes of the tree whose stacks have equal texts (the runtime's wrappers hidden, threads by name) are one stack here, represented by one of
 * the nodes. Stacks of samples are separate from those of calls.
 *
 * Memory: 24 bytes a node, 16 more while the stacks are made. Internal to lib/emit.
 */
#ifndef TT_EMIT_STACKS_H
#define TT_EMIT_STACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "view/paths.h"

/* The kind of values that a node counts. */
enum tt_stack_kind {
	TT_STACK_NONE,                /* nothing: the node is the root of a thread */
	TT_STACK_ZONE,                /* n calls, v ns of self time */
	TT_STACK_SAMPLE,              /* n samples with this innermost frame; at a root: of native code alone */
	TT_STACK_ALLOC,               /* n objects of v bytes; text is the class */
};

struct tt_stacks {
	struct tt_paths paths;
	const struct tt_model *m;
	uint32_t n;                   /* nodes */
	uint32_t *same;               /* by node: the node that represents it, perhaps itself */
	uint32_t *text;               /* by node: index into name */
	struct tt_stack_value { uint64_t n; int64_t v; } *value;      /* by representing node */
	const char **name;            /* distinct texts of zones, classes and threads */
	size_t nname, capname;
	uint32_t *row_text;           /* by row: index into name + 1; 0: not used yet */
	struct tt_arena arena;        /* memory of texts that were made */
	bool has[TT_STACK_ALLOC + 1]; /* by kind: true if it has a count or a time */
	bool calls;                   /* true: some zones are the program's own, not only collections, waits and the like */
};

/**
 * tt_stacks_init(s, m, clean, by_thread, err):
 * Make stacks of ${m}, which must have been resolved. Frames have full names; with ${clean} they have labels, and ${clean} changes every text (in s->arena)
 * or leaves it as it is; texts that become equal are numbered. With ${by_thread} threads stay separate even if their names are equal.
 * Free with tt_stacks_free(), also after an error.
 */
typedef int tt_stacks_clean(struct tt_stacks *s, const char *text, const char **cleaned, struct tt_err *err);
int tt_stacks_init(struct tt_stacks *s, const struct tt_model *m, tt_stacks_clean *clean, bool by_thread, struct tt_err *err);
void tt_stacks_free(struct tt_stacks *s);

enum tt_stack_kind tt_stacks_kind(const struct tt_stacks *s, uint32_t node);

/* True if ${node} is a stack to show: it has counts, and the filters keep its zone. */
bool tt_stacks_shown(const struct tt_stacks *s, uint32_t node);

static inline const struct tt_node *
tt_stacks_node(const struct tt_stacks *s, uint32_t node)
{
	return tt_paths_node(&s->paths, node);
}

/* Return the representing parent of a representing node; 0 above the roots. */
static inline uint32_t
tt_stacks_up(const struct tt_stacks *s, uint32_t node)
{
	return s->same[tt_stacks_node(s, node)->parent];
}

/* Return the marker's name of a frame, or NULL. */
const struct tt_name *tt_stacks_name(const struct tt_stacks *s, uint32_t node);

/* True for a frame of a stack (not a root, not an allocation). */
static inline bool
tt_stacks_frame(const struct tt_stacks *s, uint32_t node)
{
	return tt_stacks_node(s, node)->kind == TT_NODE_ZONE;
}

/* Return the name of a stack's thread; NULL for "(more paths)". */
const char *tt_stacks_thread(const struct tt_stacks *s, uint32_t node);

#endif
