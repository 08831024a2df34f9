/**
 * Exceptions: which were thrown, where, and which clauses ran.
 *
 * The file does not say an exception's type. It is the class of the object, if its allocation is recorded and followed
 * (TT_NEEDS_OBJECTS): on the same thread shortly before, or anywhere if the class is named like an exception.
 * Collected with TT_NEEDS_THROWS, read by the pass "exceptions".
 */
#ifndef TT_COLLECT_EXCEPTIONS_H
#define TT_COLLECT_EXCEPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/collected.h"
#include "stat/tally.h"

/* Throws of one type on one path. */
struct tt_throw_site {
	uint64_t key;                 /* class or vtable; 0 not known */
	uint32_t node;                /* the path in the call tree */
	uint32_t process;
	uint64_t n;
	struct tt_times caught;       /* ns from throw to catch clause on the same thread, if its method is not a runtime-invoke wrapper */
};

/* Runs of one clause. */
struct tt_throw_clause {
	uint64_t method;              /* key */
	uint32_t process, index;
	uint16_t kind;                /* enum tt_clause */
	uint64_t n;
	uint64_t unwinding;           /* runs because of an exception, not in the normal course; only if the file tells */
};

struct tt_exceptions {
	struct tt_throw_site *site;
	size_t n, cap;
	struct tt_throw_clause *clause;
	size_t nclause, capclause;
	struct tt_map at, clause_at;  /* indexes in site and in clause */
	uint64_t unthrown;            /* catch clauses for which no throw is in the capture */
	bool objects;                 /* true: clauses tell their exception */
	bool typed;                   /* true: types of exceptions were searched for */
};

TT_COLLECTED_AS(tt_exceptions, TT_COLLECTS_THROWS);

#endif
