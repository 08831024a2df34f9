/**
 * trend_gen N SEED: what stat/trend.h says of N random series, as lines of CSV for tests/stat/trend.sh to compare with R: the values with
 * spaces between, probability, mean of the oldest, and rise.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "stat/trend.h"

static uint64_t state;

static uint64_t
next_random(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % below;
}

static void
one(void)
{
	size_t n = TT_TREND_MIN_VALUES + next_random(40);
	double y[TT_TREND_MIN_VALUES + 40], slope = next_random(3) ? (double)next_random(4000) - 2000 : 0;
	uint64_t scatter = next_random(5) ? 1 + next_random(50000) : 1;
	struct tt_trend t;

	for (size_t i = 0; i < n; i++) {
		y[i] = 1000000 + slope * (double)i + (double)next_random(scatter);
		printf("%s%.17g", i ? " " : "", y[i]);
	}
	t = tt_trend_of(y, n);
	printf(",%.17g,%.17g,%.17g\n", t.p, t.from, t.rise);
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
	for (unsigned long n = strtoul(argv[1], NULL, 10); n > 0; n--)
		one();
	return 0;
}
