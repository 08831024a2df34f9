/**
 * Objects found by size or class, or tracked by address, and what happened to them.
 *
 * Collected with TT_NEEDS_FOUND; read by the pass "objects".
 */
#ifndef TT_COLLECT_OBJECT_SEARCH_H
#define TT_COLLECT_OBJECT_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"

/* The objects to look for: an object that matches any of these is found. */
struct tt_find {
	uint64_t min_size;            /* bytes; UINT64_MAX: none */
	const char *const *type;      /* globs; NULL */
	const uint64_t *addr;         /* addresses of objects to be tracked */
	size_t naddr;
};

enum { TT_FOUND_MAX = 100000, TT_TRACE_MAX = 100000 };

struct tt_found {
	uint64_t alloc_addr, last_addr; /* addr: where it was allocated, 0 not known; now: its address at the end */
	uint64_t key, size;
	int64_t ts;
	uint32_t process, thread, node;
	uint64_t nmoves;
};

enum tt_trace_what { TT_TRACE_ALLOCATED, TT_TRACE_MOVED, TT_TRACE_CONTENDED, TT_TRACE_ACQUIRED, TT_TRACE_GAVE_UP,
	TT_TRACE_THROWN, TT_TRACE_HANDLE, TT_TRACE_FINALIZE, TT_TRACE_FINALIZED, TT_TRACE_SHOT };

/* Something that happened to a tracked object. */
struct tt_trace {
	int64_t ts;
	uint64_t tracked_addr;        /* the address that was asked for */
	uint64_t addr;                /* its address, after a move the new one */
	uint64_t key, size;           /* class and bytes; 0: not known */
	uint32_t process, thread, node;
	uint8_t event;                /* enum tt_trace_what */
};

struct tt_found_all {
	struct tt_found *found;
	size_t n, cap;
	struct tt_trace *trace;
	size_t ntrace, captrace;
	uint64_t nmore_found, nmore_trace;    /* objects and events beyond those listed */
};

TT_COLLECTED_AS(tt_found_all, TT_COLLECTS_FOUND);

#endif
