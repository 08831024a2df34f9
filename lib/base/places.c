/**
 * Sorts by radix, over only the bytes in which the keys differ.
 */
#include "base/places.h"

struct tt_place *
tt_places_sort(struct tt_place *v, size_t n)
{
	struct tt_place *to = v + n, *was;
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= v[i].key ^ v[0].key;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t at[256] = { 0 }, before = 0;

		if ((differ >> shift & 255) == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			at[v[i].key >> shift & 255]++;
		for (size_t i = 0; i < 256; i++) {
			const size_t alike = at[i];
			at[i] = before;
			before += alike;
		}
		for (size_t i = 0; i < n; i++)
			to[at[v[i].key >> shift & 255]++] = v[i];
		was = v;
		v = to;
		to = was;
	}
	return v;
}
