/**
 * GC handles.
 *
 * Collected with TT_NEEDS_HANDLES; read by the pass "handles".
 */
#ifndef TT_COLLECT_HANDLES_H
#define TT_COLLECT_HANDLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/collected.h"
#include "stat/tally.h"

enum { TT_HANDLE_KINDS = 5 };         /* weak, weak tracking, normal, pinned; others */

/* Handles of one kind made on one path. */
struct tt_handle_site {
	uint32_t node, kind;
	uint64_t created, destroyed;
	struct tt_times life;         /* ns from creation to destruction, of handles that have both */
};

struct tt_handles {
	struct tt_handle_kind {
		uint64_t created, destroyed;
		uint64_t unknown;     /* destroyed handles that were made before the capture began or outside the filters */
		uint64_t live, most;
	} kind[TT_HANDLE_KINDS];
	struct tt_handle_site *site;
	size_t n, cap;
	struct tt_map at;             /* by node and kind: place in site */
};

TT_COLLECTED_AS(tt_handles, TT_COLLECTS_HANDLES);

#endif
