/**
 * The call tree as stacks of names: what pprof and folded output are made of.
 *
 * Two nodes of the tree whose stacks read the same (the runtime's wrappers hidden, methods of one full
 * name taken for one, threads by name) are one stack here: one of them stands for all.
 *
 * Memory: 16 bytes a node, 32 more while it is made. Internal to lib/emit.
 */
#ifndef TT_EMIT_STACKS_H
#define TT_EMIT_STACKS_H

#include "pass/paths.h"

/* What the counts of a node are. */
enum tt_stack_kind {
	TT_STACK_NONE,                /* nothing: the root of a thread */
	TT_STACK_ZONE,                /* n calls, v ns of its own */
	TT_STACK_SAMPLE,              /* n samples whose innermost frame it is */
	TT_STACK_ALLOC,               /* n objects, v bytes; text is the class */
};

struct tt_stacks {
	struct tt_paths paths;
	const struct tt_model *m;
	uint32_t n;                   /* nodes */
	uint32_t *same;               /* by node: the node that stands for it; itself for those that do */
	uint32_t *text;               /* by node: row of a zone, else index into name */
	struct tt_stack_value { uint64_t n; int64_t v; } *value;      /* by node that stands */
	const char **name;            /* classes and threads, each text once */
	size_t nname, capname;
	bool has[TT_STACK_ALLOC + 1]; /* kinds that occur with a count */
};

/* Look at ${m}, which must have been resolved. Free with tt_stacks_free() also after an error. */
int tt_stacks_init(struct tt_stacks *s, const struct tt_model *m, struct tt_err *err);
void tt_stacks_free(struct tt_stacks *s);

enum tt_stack_kind tt_stacks_kind(const struct tt_stacks *s, uint32_t node);

/* Does ${node} stand for a stack that has something to show: counts, and a zone the user wants to see? */
bool tt_stacks_shown(const struct tt_stacks *s, uint32_t node);

static inline const struct tt_node *
tt_stacks_node(const struct tt_stacks *s, uint32_t node)
{
	return tt_paths_node(&s->paths, node);
}

/* The node around one that stands: it stands too. 0 above the roots. */
static inline uint32_t
tt_stacks_up(const struct tt_stacks *s, uint32_t node)
{
	return s->same[tt_stacks_node(s, node)->parent];
}

/* Is it a frame of a stack (not a root, not an allocation)? */
static inline bool
tt_stacks_frame(const struct tt_stacks *s, uint32_t node)
{
	return tt_stacks_node(s, node)->kind == TT_NODE_ZONE;
}

/* The name of the thread a stack is of; NULL for "(more paths)". */
const char *tt_stacks_thread(const struct tt_stacks *s, uint32_t node);

#endif
