/**
 * Groups of rows (--group-by): a thread, an assembly, a namespace, a domain.
 *
 * Markers are grouped where the call tree is looked at (paths.h), classes here. The choice of the filters stays: a group holds only the markers and classes
 * that --marker and --category choose.
 */
#ifndef TT_VIEW_GROUP_H
#define TT_VIEW_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

struct tt_arena;
struct tt_def;
struct tt_defs;
struct tt_model;
struct tt_name;

enum tt_group { TT_GROUP_NONE, TT_GROUP_THREAD, TT_GROUP_ASSEMBLY, TT_GROUP_NAMESPACE, TT_GROUP_DOMAIN, TT_GROUPS };

/* The ${i}th key of --group-by, from "thread" (0, TT_GROUP_THREAD) on; NULL after the last. */
const char *tt_group_key(size_t i);

/* The sets of keys by which a table can be grouped: bits 1 << enum tt_group. */
#define TT_BY_THREAD (1u << TT_GROUP_THREAD)
#define TT_BY_ASSEMBLY (1u << TT_GROUP_ASSEMBLY)
#define TT_BY_NAME (1u << TT_GROUP_ASSEMBLY | 1u << TT_GROUP_NAMESPACE)
#define TT_BY_DOMAIN (1u << TT_GROUP_DOMAIN)

/* The label of a marker: its name; its assembly or namespace if that is the ${group}. NULL: out of memory. */
const char *tt_group_marker(const struct tt_model *m, enum tt_group group, const struct tt_name *name, struct tt_arena *text,
    struct tt_err *err);

#define TT_NO_NAMESPACE "(no namespace)"
#define TT_GROUP_GPU "(GPU)"

/* The text that a table shows of a class. */
struct tt_class {
	const char *label;            /* its name, or that of its group; valid until the classes are freed */
	bool wanted;                  /* true: --marker chooses its name, and --category its assembly */
};

/* A cache of classes. ${text}, the caller's arena, owns their labels. */
struct tt_classes {
	const struct tt_model *m;
	enum tt_group group;          /* TT_GROUP_THREAD does not group classes */
	struct tt_arena *text;
	struct tt_class_seen { uint64_t key; uint32_t process; struct tt_class c; } *seen;
	size_t n, cap;
	struct tt_map at;             /* finds indices in seen */
};

void tt_classes_init(struct tt_classes *c, const struct tt_model *m, enum tt_group group, struct tt_arena *text);
void tt_classes_free(struct tt_classes *c);

/* Class ${key} of ${process}; valid until the next call. NULL: out of memory. */
const struct tt_class *tt_class_of(struct tt_classes *c, uint32_t process, uint64_t key, struct tt_err *err);

/* The assembly of class ${d} (NULL: unknown), written like the categories of methods. NULL: out of memory. */
const char *tt_class_assembly(const struct tt_model *m, uint32_t process, const struct tt_def *d, struct tt_arena *text,
    struct tt_err *err);

/* The name of the domain with number ${id}. NULL: out of memory. */
const char *tt_domain_name(const struct tt_defs *defs, uint64_t id, struct tt_arena *text, struct tt_err *err);

/* True if the filters choose a class of this name in this assembly. */
bool tt_class_wanted(const struct tt_model *m, const char *name, const char *assembly);

#endif
