/**
 * compare_gen N SEED: N random pairs of small sets and what stat/compare.h says of them, a line of CSV each:
 * values of x and of y with spaces between, p, KS distance and p, shift, low, high (NA where missing). Half of the
 * pairs have many equal values. For tests/stat/exact.sh.
 *
 * compare_gen N SEED MOST: as many pairs of sets of 101 to MOST values, and only what Kolmogorov and Smirnov say:
 * sizes, distance, p. Of every four pairs one interleaves, which is as near as two sets can be without ties.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
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

static int
large(long count, size_t most)
{
	int64_t *x = malloc(most * sizeof *x), *y = malloc(most * sizeof *y);
	struct tt_mem mem = { 0 };
	struct tt_err err;
	int rc = x && y ? 0 : 1;

	printf("m,n,d,pks\n");
	for (long k = 0; k < count && rc == 0; k++) {
		bool even = k % 4 == 0;
		size_t m = 101 + next_random(most - 100), n = even ? m : 101 + next_random(most - 100);
		int64_t up = k % 4 == 1 ? (int64_t)next_random(100000) : 0;
		double d, p;

		for (size_t i = 0; i < m; i++)
			x[i] = even ? (int64_t)i * 2 : (int64_t)next_random(1000000);
		for (size_t i = 0; i < n; i++)
			y[i] = even ? (int64_t)i * 2 + 1 : (int64_t)next_random(1000000) + up;
		rc = tt_kolmogorov_smirnov(x, m, y, n, &d, &p, &mem, &err);
		printf("%zu,%zu,%.17g,%.17g\n", m, n, d, p);
	}
	free(x);
	free(y);
	return rc;
}

int
main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	struct tt_mem mem = { 0 };
	struct tt_err err;

	state = 0x9E3779B97F4A7C15u ^ (argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
	if (argc > 3)
		return large(count, (size_t)atol(argv[3]));
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
