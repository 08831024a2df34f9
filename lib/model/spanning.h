/**
 * Zones that end outside the zone or frame around their begin, as those of asynchronous code do: it begins a zone in one frame and ends
 * it in a later one. The zone around the begin closes it, and its own end comes later, where it is not open.
 *
 * Readers of engines' captures keep both as strays (tt_batch.keeps_strays); here they are matched by thread and marker. An end belongs to the one begin of
 * its marker that is outstanding on its thread. If several are outstanding, nobody knows which it belongs to: they are one group, of which the number and the
 * sum of the lengths are known once all have ended. After a loss on the thread, outstanding zones stay without an end. An end of zones that are named by a
 * text says the marker that all of them have, and not the text (TT_DEF_LABEL): they are matched by that marker.
 *
 * Zones that were all closed before the recording began are neither kept nor counted, nor is a single one that began before it.
 *
 * It also counts the rest: TT_LOST_SPANNING, TT_LOST_POPPED, TT_LOST_UNMATCHED and TT_LOST_BEGINS of these captures come from here.
 *
 * Memory is bounded: TT_SPANNING_PLACES markers of a thread, beyond which begins and ends are only counted, and the
 * TT_SPANNING_ROWS longest groups that are done. One thread at a time, in file order.
 */
#ifndef TT_MODEL_SPANNING_H
#define TT_MODEL_SPANNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct tt_batch;
struct tt_defs;
struct tt_err;
struct tt_loss;
struct tt_mem;

enum { TT_SPANNING_PLACES = 65536, TT_SPANNING_ROWS = 4096 };

/* Zones of one marker on one thread. */
struct tt_spanning_group {
	uint64_t key;                 /* key of the marker; if texts name zones, key of the text, or of their common marker if texts differ */
	uint64_t first_at;            /* place in the input where the first was closed */
	uint64_t nbegin, nend;        /* equal: all ended */
	int64_t begin, end;           /* when the first zone begins, and the last so far ends; on the common timeline */
	int64_t closed;               /* when the last zone was closed, with an end or without */
	uint64_t total_ns;            /* sum of the lengths, modulo 2^64; known only where all ended */
	uint32_t process, thread;     /* thread: its index */
};

/* A marker on a thread that had a group. */
struct tt_spanning_place {
	struct tt_spanning_group g;   /* the outstanding group; nbegin = 0: no zone waits for an end */
	uint64_t key;                 /* key of the zones' ends */
	uint32_t next;                /* index + 1 of the next listed place of its thread; 0: none */
	bool is_listed;               /* true: in its thread's list. Places with an outstanding group always are, others may be */
};

struct tt_spanning {
	int64_t from;                 /* where the present input's recording begins, from the caller before its first chunk; INT64_MIN: with its first event */
	struct tt_spanning_group *row;        /* finished groups: a heap with the lowest-ranked group on top */
	size_t nrow, caprow;
	uint64_t nleft_out;           /* zones of groups that are done and for which no row was left */
	struct tt_spanning_place *place;
	size_t nplace, capplace;
	struct tt_map place_index;    /* index of place by thread and key */
	uint32_t *first;              /* by thread: index + 1 of its first listed place; 0: none */
	size_t nfirst, capfirst;
};

/* Order the strays of ${b}, and find the keys of their ends in ${defs}, which has what the capture defines up to ${b}. */
void tt_spanning_enter(struct tt_batch *b, const struct tt_defs *defs);

/* Match the strays of ${b}, whose thread is known, and count in its loss what they turn out to be. */
int tt_spanning_chunk(struct tt_spanning *s, struct tt_batch *b, struct tt_mem *mem, struct tt_err *err);

/* End the present input: outstanding zones stay without an end, which is counted in ${loss}. */
int tt_spanning_end(struct tt_spanning *s, struct tt_loss *loss, struct tt_mem *mem, struct tt_err *err);

/* True if all zones of ${g} ended. */
static inline int
tt_spanning_is_whole(const struct tt_spanning_group *g)
{
	return g->nbegin == g->nend;
}

/* The group to name first: the longest of those that all ended; NULL: there is none. */
const struct tt_spanning_group *tt_spanning_longest(const struct tt_spanning *s);

/* The group to name first of those with zones that did not end: the one of most zones; NULL: there is none. */
const struct tt_spanning_group *tt_spanning_unended(const struct tt_spanning *s);

/* Forget everything, and free the memory. */
void tt_spanning_free(struct tt_spanning *s, struct tt_mem *mem);

#endif
