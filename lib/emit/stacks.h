/**
 * The call tree as stacks of names: what pprof and folded output are made of.
 *
 * Two nodes of the tree whose stacks read the same (the runtime's wrappers hidden, threads by name)
 * are one stack here, represented by one of them. Stacks of samples stay apart from those of calls.
 *
 * Memory: 24 bytes a node, 16 more while it is made. Internal to lib/emit.
 */
#ifndef TT_EMIT_STACKS_H
#define TT_EMIT_STACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "view/paths.h"

/* The kind of counts of a node. */
enum tt_stack_kind {
	TT_STACK_NONE,                /* nothing: the root of a thread */
	TT_STACK_ZONE,                /* n calls, v ns of its own */
	TT_STACK_SAMPLE,              /* n samples whose innermost frame it is; a root: of native code alone */
	TT_STACK_ALLOC,               /* n objects, v bytes; text is the class */
};

struct tt_stacks {
	struct tt_paths paths;
	const struct tt_model *m;
	uint32_t n;                   /* nodes */
	uint32_t *same;               /* by node: the node that represents it, which may be itself */
	uint32_t *text;               /* by node: index into name */
	struct tt_stack_value { uint64_t n; int64_t v; } *value;      /* by representing node */
	const char **name;            /* zones, classes and threads, each text once */
	size_t nname, capname;
	uint32_t *row_text;           /* by row: index into name + 1; 0: not met */
	struct tt_arena arena;        /* for texts made on the way */
	bool has[TT_STACK_ALLOC + 1]; /* kinds that occur with a count or a time */
	bool calls;                   /* of zones some are the program's own, not collections, waits and the like alone */
};

/**
 * tt_stacks_init(s, m, clean, by_thread, err):
 * Look at ${m}, which must have been resolved. Frames are full names; with ${clean} they are labels, and
 * every text is what ${clean} makes of it (in s->arena), or as it is where that sets nothing; texts that become alike are numbered.
 * With ${by_thread} threads stay apart, whatever they are called.
 * Free with tt_stacks_free() also after an error.
 */
typedef int tt_stacks_clean(struct tt_stacks *s, const char *text, const char **cleaned, struct tt_err *err);
int tt_stacks_init(struct tt_stacks *s, const struct tt_model *m, tt_stacks_clean *clean, bool by_thread, struct tt_err *err);
void tt_stacks_free(struct tt_stacks *s);

enum tt_stack_kind tt_stacks_kind(const struct tt_stacks *s, uint32_t node);

/* True if ${node} is a stack to show: it has counts, and a zone that the filters keep. */
bool tt_stacks_shown(const struct tt_stacks *s, uint32_t node);

static inline const struct tt_node *
tt_stacks_node(const struct tt_stacks *s, uint32_t node)
{
	return tt_paths_node(&s->paths, node);
}

/* The parent of a representing node, which represents itself, too. 0 above the roots. */
static inline uint32_t
tt_stacks_up(const struct tt_stacks *s, uint32_t node)
{
	return s->same[tt_stacks_node(s, node)->parent];
}

/* The name after a frame; NULL if there is none. */
const struct tt_name *tt_stacks_name(const struct tt_stacks *s, uint32_t node);

/* True for a frame of a stack (not a root, not an allocation). */
static inline bool
tt_stacks_frame(const struct tt_stacks *s, uint32_t node)
{
	return tt_stacks_node(s, node)->kind == TT_NODE_ZONE;
}

/* The name of a stack's thread; NULL for "(more paths)". */
const char *tt_stacks_thread(const struct tt_stacks *s, uint32_t node);

#endif
