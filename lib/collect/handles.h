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
	uint64_t ncreated, ndestroyed;
	struct tt_times lifetime;     /* ns from creation to destruction, of handles that have both */
};

struct tt_handles {
	struct tt_handle_kind {
		uint64_t ncreated, ndestroyed;
		uint64_t nunknown;    /* destroyed handles that were made before the capture began or outside the filters */
		uint64_t nlive, max_live;
	} kind[TT_HANDLE_KINDS];
	struct tt_handle_site *site;
	size_t n, cap;
	struct tt_map site_index;     /* by node and kind: place in site */
};

TT_COLLECTED_AS(tt_handles, TT_COLLECTS_HANDLES);

#endif
