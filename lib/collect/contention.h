/**
 * Contention: which thread waited for which lock, where and how long.
 *
 * A wait begins when a thread asks for a lock that another holds, and ends when it has the lock or gives up. A lock is an
 * object; it is followed through the collector's moves if these are recorded, else it is an address.
 * Collected with TT_NEEDS_LOCKS, read by the pass "contention" and the gate.
 */
#ifndef TT_COLLECT_CONTENTION_H
#define TT_COLLECT_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/collected.h"
#include "stat/tally.h"

struct tt_lock {
	uint64_t addr;                /* address at its first event; 0: the sum of all locks beyond TT_LOCKS_MAX */
	uint32_t process;
	uint32_t nthreads;            /* threads that waited for the lock */
	uint64_t ncontended, nacquired, nfailed;
	uint64_t nmoves;
	int64_t first_ts;
	struct tt_times wait;
};

struct tt_lock_site {
	uint32_t node;                /* the path in the call tree */
	uint64_t ncontended, nfailed;
	struct tt_times wait;
};

enum { TT_LOCKS_MAX = 1 << 18 };

struct tt_contention {
	struct tt_lock *lock;
	size_t n, cap;
	struct tt_lock_site *site;
	size_t nsite, capsite;
	struct tt_map site_index;     /* by node: place in site */
	struct tt_tally hist;         /* durations of tt_contention_id() and tt_contention_site_id() */
	struct tt_tally waiter;       /* lock << 32 | thread: 1 if the thread has waited for it */
	struct tt_times wait;         /* all waits */
	uint64_t nunfinished;         /* waits whose end the capture does not have */
	bool has_moves;               /* true: the capture records moves of objects */
};

static inline uint64_t tt_contention_id(size_t lock) { return (uint64_t)lock << 1; }
static inline uint64_t tt_contention_site_id(size_t site) { return (uint64_t)site << 1 | 1; }
#define TT_LOCKS_ALL ((uint64_t)1 << 40)      /* id of the histogram of all waits */

TT_COLLECTED_AS(tt_contention, TT_COLLECTS_LOCKS);

#endif
