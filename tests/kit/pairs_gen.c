/**
 * pairs_gen N SEED: N random sets of differences and what stat/pairs.h says of them, a line of CSV each: differences and levels of
 * pairs with spaces between, the limit, p, and of the differences alone shift, low, high (NA where missing). Half of the sets have many equal sizes,
 * in a third of them some runs are disturbed.
 * For tests/stat/pairs.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "stat/pairs.h"

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
put(bool has, int64_t v)
{
	if (has)
		printf(",%lld", (long long)v);
	else
		printf(",NA");
}

int
main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	struct tt_mem mem = { 0 };
	struct tt_err err;

	state = 0x9E3779B97F4A7C15u ^ (argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
	printf("d,level,limit,p,shift,low,high\n");
	for (long k = 0; k < count; k++) {
		uint64_t values = k % 2 ? 1000000 : 3 + next_random(12);
		size_t n = 2 + next_random(k % 5 ? 12 : 39);
		struct tt_pair pair[40];
		int64_t d[40], limit = (int64_t)next_random(values) / 2;
		struct tt_shift s;
		double p;

		for (size_t i = 0; i < n; i++) {
			int64_t by = k % 3 == 0 && next_random(10) == 0 ? (int64_t)next_random(20 * values) : 0;

			d[i] = (int64_t)next_random(values) * 2 - (int64_t)(values / 2) + (next_random(2) ? by : -by);
			pair[i] = (struct tt_pair){ .d = d[i], .level = (int64_t)next_random(values) + by / 2 };
			printf("%s%lld", i ? " " : "", (long long)d[i]);
		}
		for (size_t i = 0; i < n; i++)
			printf("%s%lld", i ? " " : ",", (long long)pair[i].level);
		if (tt_signed_rank(pair, n, limit, &p, &mem, &err) != TT_OK || tt_pairs_shift(d, n, 0.05, &s, &mem, &err) != TT_OK)
			return 1;
		printf(",%lld,%.17g,%lld", (long long)limit, p, (long long)s.shift);
		put(s.has_low, s.low);
		put(s.has_high, s.high);
		printf("\n");
	}
	return 0;
}
