/**
 * Names that are Unity's own, not a game's: anybody can look them up, so a copy of a capture without names keeps them.
 *
 * The lists, each with its source, are in unity_names.c. Methods of the engine are not listed; they are recognised by the assembly at the begin of their
 * names.
 */
#ifndef TT_PRODUCERS_UNITY_MARKERS_H
#define TT_PRODUCERS_UNITY_MARKERS_H

#include <stdbool.h>
#include <stddef.h>

/* Names in the order of strcmp(), several in each of ${n} lines, separated by bars. A # at the end of a name stands for a number. */
struct unity_names {
	const char *const *line;
	size_t n;
};
extern const struct unity_names unity_names[];        /* markers, values and threads; the last list has no lines */
extern const struct unity_names unity_groups;         /* of threads */

/**
 * unity_is_published(name):
 * True if ${name} belongs to a part of the engine: a listed marker, value or thread ("Job.Worker 3"), with or without the "Inl_" by which render pipelines
 * mark their part on the main thread; or a method of the engine's assemblies, its packages or the class library, without type arguments.
 */
bool unity_is_published(const char *name);

/* Return the length of ${name} up to its first dot, if that part names a group of the engine's threads; else 0. */
size_t unity_published_group(const char *name);

#endif
