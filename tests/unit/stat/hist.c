/* Tests of stat/hist.h and stat/num.h. */
#include "check.h"

#include <math.h>

#include "model/tree.h"
#include "stat/hist.h"
#include "stat/num.h"

static uint64_t
next_random(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

TEST(buckets_cover_every_value_within_1_6_percent)
{
	unsigned last = 0;

	for (uint64_t v = 0; v < 100000; v++) {
		unsigned b = tt_hist_bucket(v);

		CHECK(b == last || b == last + 1);
		last = b;
	}
	for (int i = 0; i < 100000; i++) {
		uint64_t v = next_random() >> (i % 64), back = tt_hist_value(tt_hist_bucket(v));
		uint64_t off = back > v ? back - v : v - back;

		CHECK(tt_hist_bucket(v) < TT_HIST_BUCKETS);
		CHECK(tt_hist_bucket(back) == tt_hist_bucket(v));
		CHECK(v < 32 ? off == 0 : off <= v / 62);
	}
	CHECK_EQ_INT(tt_hist_bucket(UINT64_MAX), TT_HIST_BUCKETS - 1);
}

TEST(quantiles_are_nearest_rank_and_stay_within_what_was_added)
{
	static struct tt_hist h;

	tt_hist_init(&h);
	CHECK_EQ_INT(tt_hist_quantile(&h, 1, 2), 0);
	tt_hist_add(&h, 1000003, 1);
	CHECK_EQ_INT(tt_hist_quantile(&h, 1, 2), 1000003);
	CHECK_EQ_INT(tt_hist_quantile(&h, 99, 100), 1000003);
	tt_hist_clear(&h);
	for (uint64_t v = 1; v <= 20; v++)
		tt_hist_add(&h, v, 1);
	CHECK_EQ_INT(tt_hist_quantile(&h, 1, 2), 10);
	CHECK_EQ_INT(tt_hist_quantile(&h, 95, 100), 19);
	CHECK_EQ_INT(tt_hist_quantile(&h, 99, 100), 20);
	CHECK_EQ_INT(tt_hist_quantile(&h, 0, 100), 1);
	CHECK_EQ_INT(tt_hist_quantile(&h, 1, 1), 20);
}

/* A worker's buckets are smaller than what they count, and each duration is in one of them. */
TEST(counts_of_workers_are_exact_beyond_their_buckets)
{
	static const uint64_t dur[] = { 0, 31, 32, 100000, (uint64_t)1 << 63, UINT64_MAX };
	enum { N = 200001, DURS = sizeof dur / sizeof *dur };
	static struct tt_hist h;
	struct tt_mem mem = { 0 };
	struct tt_err err;
	struct tt_counts *c[2];

	for (int w = 0; w < 2; w++) {
		CHECK_EQ_INT(tt_counts_new(&mem, &c[w], &err), TT_OK);
		struct tt_dist *d = tt_counts_dist(c[w], 5000, &err);
		for (int i = 0; d && i < N * DURS; i++)
			CHECK_EQ_INT(tt_counts_dur(c[w], d, dur[i % DURS], &err), TT_OK);
	}
	CHECK_EQ_INT(tt_counts_join(c[0], c[1], &err), TT_OK);
	tt_hist_init(&h);
	tt_counts_hist(c[0], 5000, &h);
	CHECK_EQ_INT(h.n, 2 * N * DURS);
	CHECK(h.min == 0 && h.max == UINT64_MAX);
	for (int i = 0; i < DURS - 1; i++)
		CHECK_EQ_INT(h.b[tt_hist_bucket(dur[i])], 2 * N);
	tt_counts_free(c[0]);
	tt_counts_free(c[1]);
	CHECK_EQ_INT(mem.used, 0);
}

/* What began elsewhere is in no duration and in all time: a worker that met nothing else of a marker has that alone. */
TEST(counts_of_workers_keep_time_without_durations)
{
	struct tt_mem mem = { 0 };
	struct tt_err err;
	struct tt_counts *c[2];
	uint64_t n = 0;
	int64_t cut = 0;

	for (int w = 0; w < 2; w++) {
		CHECK_EQ_INT(tt_counts_new(&mem, &c[w], &err), TT_OK);
		tt_counts_dist(c[w], 7, &err)->cut = 1000;
	}
	CHECK_EQ_INT(tt_counts_join(c[0], c[1], &err), TT_OK);
	tt_counts_cut(c[0], 7, &n, &cut);
	CHECK_EQ_INT(n, 0);
	CHECK_EQ_INT(cut, 2000);
	tt_counts_free(c[0]);
	tt_counts_free(c[1]);
}

TEST(square_roots_are_exact)
{
	CHECK_EQ_INT(tt_isqrt(0), 0);
	CHECK_EQ_INT(tt_isqrt(15), 3);
	CHECK_EQ_INT(tt_isqrt(16), 4);
	CHECK(tt_isqrt(~(tt_u128)0) == UINT64_MAX);
	for (int i = 0; i < 1000; i++) {
		uint64_t r = next_random();

		CHECK(tt_isqrt((tt_u128)r * r) == r);
		CHECK(tt_isqrt((tt_u128)r * r - 1) == r - 1);
	}
}

TEST(ratios_round_and_saturate)
{
	CHECK_EQ_INT(tt_ratio(1, 1000, 3), 333);
	CHECK_EQ_INT(tt_ratio(2, 1000, 3), 667);
	CHECK_EQ_INT(tt_ratio(1, 1, 2), 1);
	CHECK_EQ_INT(tt_ratio(5, 5, 0), 0);
	CHECK_EQ_INT(tt_ratio(UINT64_MAX, UINT64_MAX, 1), INT64_MAX);
	CHECK_EQ_INT(tt_ratio(60, 1000000000000, 1000000000), 60000);
	/* On either side of what 64 bits hold. */
	CHECK_EQ_INT(tt_ratio(UINT64_MAX, 1, 2), INT64_MAX);
	CHECK_EQ_INT(tt_ratio(UINT64_MAX, 1, 4), INT64_C(1) << 62);
	CHECK_EQ_INT(tt_ratio(UINT64_C(1) << 62, 4, 16), INT64_C(1) << 60);
	CHECK_EQ_INT(tt_ratio(UINT64_C(1) << 61, 4, 8), INT64_C(1) << 60);
	CHECK(tt_nearest_rank(UINT64_MAX, 99, 100) == UINT64_MAX - UINT64_MAX / 100);
	CHECK(tt_nearest_rank(UINT64_MAX / 99, 99, 100) == UINT64_MAX / 99 - UINT64_MAX / 9900);
}

TEST(quantiles_of_exact_values)
{
	int64_t v[100];

	for (int i = 0; i < 100; i++)
		v[i] = 100 - i;
	tt_sort_i64(v, 100);
	CHECK_EQ_INT(tt_quantile_i64(v, 100, 1, 2), 50);
	CHECK_EQ_INT(tt_quantile_i64(v, 100, 999, 1000), 100);
	CHECK_EQ_INT(tt_quantile_i64(v, 99, 1, 2), 50);
	CHECK_EQ_INT(tt_quantile_i64(v, 1, 99, 100), 1);
	CHECK_EQ_INT(tt_quantile_i64(v, 0, 1, 2), 0);
	CHECK_EQ_INT(tt_nearest_rank(5, 3, 2), 5);
}

/* Any order, few values often, far apart and below 0: what sorting puts at a place is what is selected for it, and nothing is lost. */
static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

TEST(what_is_selected_is_what_sorting_puts_there)
{
	for (size_t n = 1; n < 300; n += n < 20 ? 1 : 41) {
		for (unsigned shift = 0; shift < 64; shift += 7) {
			int64_t v[300], sorted[300];

			for (size_t i = 0; i < n; i++)
				v[i] = sorted[i] = (int64_t)next_random() >> shift;
			qsort(sorted, n, sizeof *sorted, by_value);
			for (size_t at = 0; at < n; at += 1 + n / 9)
				CHECK_EQ_INT(tt_select_i64(v, n, at), sorted[at]);
			CHECK_EQ_INT(tt_quantile_of_i64(v, n, 95, 100), tt_quantile_i64(sorted, n, 95, 100));
			tt_sort_i64(v, n);
			CHECK(memcmp(v, sorted, n * sizeof *v) == 0);
		}
	}
	CHECK_EQ_INT(tt_quantile_of_i64(NULL, 0, 1, 2), 0);
}

TEST(means_with_and_without_the_ends)
{
	int64_t v[41] = { -1000, -900 };

	for (int i = 2; i < 39; i++)
		v[i] = i;
	v[39] = 50000;
	v[40] = 60000;
	/* A twentieth of 41 is 2; of 39 it is 1. */
	CHECK_EQ_INT(tt_trimmed_i64(v, 41), 20);
	CHECK_EQ_INT(tt_trimmed_i64(v, 39), -5);
	CHECK_EQ_INT(tt_trimmed_mean(tt_trimmed_sum_i64(v, 39), 39, 1000), -5351);
	CHECK_EQ_INT(tt_trimmed_i64(v, 1), -1000);
	CHECK_EQ_INT(tt_mean_i64(v + 2, 2), 3);
	CHECK_EQ_INT(tt_mean_i64((int64_t[]){ -2, -3 }, 2), -3);
	CHECK_EQ_INT(tt_mean_i64((int64_t[]){ INT64_MAX, INT64_MAX }, 2), INT64_MAX);
}

TEST(standard_deviation_matches_long_double_and_survives_extremes)
{
	static const int64_t simple[] = { 2, 4, 4, 4, 5, 5, 7, 9 }, below[] = { -3, -4, -13 };
	int64_t v[1000], ends[2] = { INT64_MIN, INT64_MAX };

	CHECK_EQ_INT(tt_stddev_i64(simple, 8), 2);
	CHECK_EQ_INT(tt_stddev_i64(simple, 1), 0);
	CHECK_EQ_INT(tt_stddev_i64(simple, 0), 0);
	CHECK_EQ_INT(tt_stddev_i64(below, 3), 4);
	for (int round = 0; round < 50; round++) {
		long double sum = 0, squares = 0;

		for (int i = 0; i < 1000; i++) {
			v[i] = (int64_t)(next_random() % 100000000);
			sum += (long double)v[i];
		}
		for (int i = 0; i < 1000; i++)
			squares += ((long double)v[i] - sum / 1000) * ((long double)v[i] - sum / 1000);
		CHECK_EQ_INT(tt_stddev_i64(v, 1000), llroundl(sqrtl(squares / 1000)));
	}
	CHECK(tt_stddev_i64(ends, 2) > INT64_MAX - 100);
}
