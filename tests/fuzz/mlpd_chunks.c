/*
 * Fuzz target: any bytes through the .mlpd reader alone, a hundred times as fast as through the whole program.
 *
 * Decoding is a pure function of the chunk: a second time it gives the same.
 */
#include <stdlib.h>

#include "memrun.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t k, again;
	struct memchunk *a, *b;

	if (n > 65536)
		return 0;
	a = memchunks(data, n, &k);
	b = memchunks(data, n, &again);
	if (k != again)
		abort();
	for (size_t i = 0; i < k; i++) {
		if (a[i].at != b[i].at || a[i].len != b[i].len || a[i].sum != b[i].sum || a[i].nevent != b[i].nevent)
			abort();
		if (i > 0 && a[i].at < a[i - 1].at + a[i - 1].len)
			abort();
	}
	free(a);
	free(b);
	return 0;
}
