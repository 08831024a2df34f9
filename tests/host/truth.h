/**
 * The reader's result compared with the account: event by event through CSV, and totals through stats.
 *
 * ${tracetool} is the program. Differences are printed on standard output, the first of each kind in words.
 */
#ifndef HOST_TRUTH_H
#define HOST_TRUTH_H

#include "game.h"

enum truth_how {
	TRUTH_CUT = 1,        /* the player was killed: each thread may have one event more than was published */
	TRUTH_DROPS = 2,      /* events were dropped: dropped + written = made; only totals are compared */
};

struct truth {
	uint64_t events, zones, allocs, instants, counters, flows, frames;    /* compared and equal */
	uint64_t more;                /* threads with the one event more */
	uint64_t lost, torn;          /* expected and not there; there and not expected, or different */
	uint64_t made, written, dropped;
	unsigned bad;                 /* differences of any kind */
};

/* Every event of every thread, by `convert -f csv`. Returns the number of differences. */
unsigned truth_events(const struct game *g, const struct account *a, const char *tracetool, const char *capture, unsigned how,
    struct truth *t);

/* Counts and bytes in all and per thread and marker, by `stats --format json`. */
unsigned truth_totals(const struct game *g, const struct account *a, const char *tracetool, const char *capture, unsigned how,
    struct truth *t);

#endif
