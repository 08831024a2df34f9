/**
 * levels_gen N SEED [LENGTH]: what stat/levels.h says of N random series, as lines of CSV for tests/stat/levels.py: the values, and where the
 * levels start, with spaces between. Without LENGTH series have 2 to 41 values and up to three changes; else that many, and none.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "stat/levels.h"

static struct tt_mem mem;
static uint64_t state;

static double
uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static int
one(size_t length)
{
	size_t n = length ? length : 2 + (size_t)(uniform() * 40), start[1000], count;
	double y[1000], level = 1000000, scatter = uniform() < 0.1 ? 0 : 10000;
	struct tt_err err;

	for (size_t i = 0; i < n; i++) {
		if (!length && uniform() < 0.08)
			level += (uniform() - 0.5) * 200000;
		y[i] = round(level + scatter * normal());
		printf("%s%.17g", i ? " " : "", y[i]);
	}
	if (tt_levels(y, n, start, &count, &mem, &err) != TT_OK)
		return 1;
	for (size_t i = 0; i < count; i++)
		printf("%s%zu", i ? " " : ",", start[i]);
	printf("\n");
	return 0;
}

int
main(int argc, char **argv)
{
	size_t length = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	if (argc < 3 || length > 1000)
		return 2;
	state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
	for (unsigned long n = strtoul(argv[1], NULL, 10); n > 0; n--)
		if (one(length))
			return 1;
	return 0;
}
