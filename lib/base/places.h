/**
 * Sorts indexes of records by a numeric key of each, which is faster than to compare and move the records themselves.
 */
#ifndef TT_BASE_PLACES_H
#define TT_BASE_PLACES_H

#include <stddef.h>
#include <stdint.h>

struct tt_place {
	uint64_t key;
	size_t index;
};

/**
 * tt_places_sort(v, n):
 * Sort the ${n} places at ${v} by key; places with the same key stay in their order. There must be room for ${n} more after them. Returns where the sorted
 * places begin: ${v}, or ${v} + ${n}. Each byte in which keys differ takes a pass over the places; the other bytes take none.
 */
struct tt_place *tt_places_sort(struct tt_place *v, size_t n);

#endif
