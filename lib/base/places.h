/**
 * Sorts places of records by a number of each, where comparing and moving the records themselves would take longer.
 */
#ifndef TT_BASE_PLACES_H
#define TT_BASE_PLACES_H

#include <stddef.h>
#include <stdint.h>

struct tt_place {
	uint64_t key;
	size_t at;
};

/**
 * tt_places_sort(v, n):
 * Sort the ${n} places at ${v} by key; those with the same key stay in their order. There must be room for ${n} more after them. Returns where the sorted
 * places begin: ${v}, or ${v} + ${n}. Takes time for each byte in which keys differ, and none for the others.
 */
struct tt_place *tt_places_sort(struct tt_place *v, size_t n);

#endif
