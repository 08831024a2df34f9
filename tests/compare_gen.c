/**
 * compare_gen N SEED: N random pairs of small sets and what stat/compare.h says of them, a line of CSV each:
 * values of x and of y with spaces between, p, KS distance and p, shift, low, high (NA where missing). Half of the
 * pairs have many equal values. For tests/stat/exact.R.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stat/compare.h"

static uint64_t state;

static uint64_t
next_random(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % below;
}

static size_t
draw(int64_t *v, uint64_t values, int64_t up)
{
	size_t n = 2 + next_random(11);

	for (size_t i = 0; i < n; i++) {
		v[i] = (int64_t)next_random(values) + up;
		printf("%s%lld", i ? " " : "", (long long)v[i]);
	}
	printf(",");
	return n;
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
	printf("x,y,p,d,pks,shift,low,high\n");
	for (long k = 0; k < count; k++) {
		uint64_t values = k % 2 ? 1000000 : 2 + next_random(12);
		int64_t x[12], y[12];
		size_t m = draw(x, values, 0), n = draw(y, values, k % 3 ? (int64_t)next_random(values / 2 + 1) : 0);
		struct tt_shift s;
		double p, d, pks;

		if (tt_mann_whitney(x, m, y, n, &p, &mem, &err) != TT_OK ||
		    tt_kolmogorov_smirnov(x, m, y, n, &d, &pks, &mem, &err) != TT_OK ||
		    tt_hodges_lehmann(x, m, y, n, 0.05, &s, &mem, &err) != TT_OK)
			return 1;
		printf("%.17g,%.17g,%.17g,%lld", p, d, pks, (long long)s.shift);
		put(s.has_low, s.low);
		put(s.has_high, s.high);
		printf("\n");
	}
	return 0;
}
