/**
 * The graph of the last heap shot: what refers to what, and why an object is alive.
 *
 * Collected with TT_NEEDS_GRAPH. While a shot is read, an object costs 8 bytes and a reference 4, in pages
 * that never move; when the capture ends, references become numbers of objects, the classes' references are counted,
 * and one walk from the roots gives every object the path of classes by which it is first reached. Then only classes
 * and paths are left.
 *
 * A path names a class once: an object whose class is among the last sixteen of the path joins it there. So a list of
 * a million nodes is one step.
 */
#ifndef TT_COLLECT_HEAP_GRAPH_H
#define TT_COLLECT_HEAP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"
#include "stat/tally.h"

enum { TT_GRAPH_PATHS_MAX = 1 << 18 };

struct tt_graph {
	size_t shot;                  /* index in tt_heap_shots + 1; 0: there is no graph */
	bool is_out_of_memory;        /* true: there was not enough memory; ${needed_bytes}: the bytes it takes */
	uint64_t needed_bytes;
	bool is_too_spread;           /* true: some object is more than 8 GB from the first, so there is no graph */
	uint64_t nobjects, nrefs;

	struct tt_graph_root {        /* roots of the same source and key */
		uint64_t key;         /* thread, vtable, domain or context, depending on the source */
		const char *text;     /* the runtime's name of the root; "" if none */
		uint16_t source;
		uint64_t n;           /* references from these roots */
	} *root;
	size_t nroot, caproot;

	/* Paths by which objects are reached, as a tree: 0 is "not reached"; then one node for each root, and for each class on the way. */
	struct tt_graph_path {
		uint32_t parent;      /* 0: root */
		uint32_t class_or_root; /* class index of tt_heap_shots, or index of root where up is 0 */
		uint64_t n;           /* objects first reached this way */
	} *path;
	size_t npath, cappath;
	uint64_t nbeyond_paths;       /* objects beyond TT_GRAPH_PATHS_MAX paths, counted in the last path they share */

	struct tt_tally by_class;     /* from class << 32 | to class: references */
	struct tt_tally by_root;      /* root << 32 | to class: references */
	uint64_t *unreached;          /* by class index: objects not reached */
	size_t nunreached;
};

TT_COLLECTED_AS(tt_graph, TT_COLLECTS_GRAPH);

#endif
