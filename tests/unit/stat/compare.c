/* Tests of stat/compare.h: against every arrangement of the same values. */
#include "base/err.h"
#include "check.h"

#include <math.h>

#include "stat/compare.h"
#include "stat/session.h"

static struct tt_mem mem;
static struct tt_err err;

static uint32_t
next_random(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 32);
}

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)) + 1e-300;
}

/* Twice the rank sum of y. */
static long
rank_sum(const int64_t *x, size_t m, const int64_t *y, size_t n)
{
	long sum = 0;

	for (size_t k = 0; k < n; k++) {
		long below = 0, equal = 0;

		for (size_t i = 0; i < m; i++) {
			below += x[i] < y[k];
			equal += x[i] == y[k];
		}
		for (size_t i = 0; i < n; i++) {
			below += y[i] < y[k];
			equal += y[i] == y[k];
		}
		sum += 2 * below + equal + 1;
	}
	return sum;
}

static double
distance(const int64_t *x, size_t m, const int64_t *y, size_t n)
{
	double most = 0;

	for (size_t k = 0; k < m + n; k++) {
		int64_t at = k < m ? x[k] : y[k - m];
		double fx = 0, fy = 0;

		for (size_t i = 0; i < m; i++)
			fx += x[i] <= at;
		for (size_t i = 0; i < n; i++)
			fy += y[i] <= at;
		most = fmax(most, fabs(fx / (double)m - fy / (double)n));
	}
	return most;
}

/* Of all ways to call n of the values y: the shares with at least this rank sum and this distance. */
static void
enumerate(const int64_t *x, size_t m, const int64_t *y, size_t n, double *p_sum, double *p_far)
{
	int64_t all[16], a[16], b[16];
	long sum = rank_sum(x, m, y, n);
	double far = distance(x, m, y, n), nsum = 0, nfar = 0, count = 0;

	memcpy(all, x, m * sizeof *x);
	memcpy(all + m, y, n * sizeof *y);
	for (unsigned set = 0; set < 1u << (m + n); set++) {
		size_t na = 0, nb = 0;

		if ((size_t)__builtin_popcount(set) != n)
			continue;
		for (size_t i = 0; i < m + n; i++) {
			if (set >> i & 1)
				b[nb++] = all[i];
			else
				a[na++] = all[i];
		}
		count++;
		nsum += rank_sum(a, m, b, n) >= sum;
		nfar += distance(a, m, b, n) >= far - 1e-9;
	}
	*p_sum = nsum / count;
	*p_far = nfar / count;
}

TEST(probabilities_are_those_of_all_arrangements_also_with_ties)
{
	for (int k = 0; k < 400; k++) {
		size_t m = 1 + next_random() % 6, n = 1 + next_random() % 6;
		unsigned values = 1 + next_random() % 12;
		int64_t x[6], y[6];
		double p, d, pks, want, want_ks;

		for (size_t i = 0; i < m; i++)
			x[i] = next_random() % values;
		for (size_t i = 0; i < n; i++)
			y[i] = next_random() % values + (k % 3 == 0);
		enumerate(x, m, y, n, &want, &want_ks);
		CHECK_EQ_INT(tt_mann_whitney(x, m, y, n, &p, &mem, &err), TT_OK);
		CHECK(close_to(p, want));
		CHECK_EQ_INT(tt_kolmogorov_smirnov(x, m, y, n, &d, &pks, &mem, &err), TT_OK);
		CHECK(close_to(d, distance(x, m, y, n)));
		CHECK(close_to(pks, want_ks));
	}
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}

TEST(least_probability_is_one_arrangement)
{
	int64_t low[20], high[20];
	double p;

	for (int i = 0; i < 20; i++) {
		low[i] = i;
		high[i] = 100 + i;
	}
	for (size_t m = 1; m <= 20; m += 3) {
		for (size_t n = 1; n <= 20; n += 2) {
			CHECK_EQ_INT(tt_mann_whitney(low, m, high, n, &p, &mem, &err), TT_OK);
			CHECK(close_to(p, tt_mann_whitney_least(m, n)));
		}
	}
	CHECK(close_to(tt_mann_whitney_least(4, 4), 1.0 / 70));
	CHECK(close_to(tt_mann_whitney_least(8, 8), 1.0 / 12870));
}

TEST(equal_and_empty_sides_are_no_evidence)
{
	int64_t x[3] = { 5, 5, 5 };
	double p, d;

	CHECK_EQ_INT(tt_mann_whitney(x, 3, x, 3, &p, &mem, &err), TT_OK);
	CHECK(p == 1);
	CHECK_EQ_INT(tt_mann_whitney(x, 0, x, 3, &p, &mem, &err), TT_OK);
	CHECK(p == 1);
	CHECK_EQ_INT(tt_kolmogorov_smirnov(x, 3, x, 3, &d, &p, &mem, &err), TT_OK);
	CHECK(d == 0 && p == 1);
}

/* Many values: the normal approximation is near the exact value where both can be had. */
TEST(beyond_the_exact_range_the_result_goes_on_smoothly)
{
	static int64_t x[150], y[150];
	double small, large;

	for (int i = 0; i < 150; i++) {
		x[i] = i * 7 % 150 / 2;
		y[i] = (i * 11 + 3) % 150 / 2 + 5;
	}
	CHECK_EQ_INT(tt_mann_whitney(x, 100, y, 100, &small, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_mann_whitney(x, 101, y, 100, &large, &mem, &err), TT_OK);
	CHECK(fabs(small - large) < 0.02);
	CHECK(small > 0.001 && small < 0.2);
}

TEST(shift_is_the_median_difference_and_its_bounds_cover)
{
	static const int64_t x[] = { 10, 12, 15 }, y[] = { 20, 21 };
	struct tt_shift s;

	/* differences 5 6 8 9 10 11; of 3 + 2 values the least p is 1/10: no bound at 5 %, one at 10 % */
	CHECK_EQ_INT(tt_hodges_lehmann(x, 3, y, 2, 0.05, &s, &mem, &err), TT_OK);
	CHECK_EQ_INT(s.shift, 9);
	CHECK(!s.has_low && !s.has_high);
	CHECK_EQ_INT(tt_hodges_lehmann(x, 3, y, 2, 0.10, &s, &mem, &err), TT_OK);
	CHECK(s.has_low && s.has_high);
	CHECK_EQ_INT(s.low, 5);
	CHECK_EQ_INT(s.high, 11);
}

/* 2,000 pairs of known shift: the one-sided bounds miss it in at most 5 % (and some). */
TEST(one_sided_bounds_hold_what_they_promise)
{
	unsigned low_miss = 0, high_miss = 0;

	for (int k = 0; k < 2000; k++) {
		int64_t x[6], y[7];
		struct tt_shift s;

		for (int i = 0; i < 6; i++)
			x[i] = next_random() % 100000;
		for (int i = 0; i < 7; i++)
			y[i] = next_random() % 100000 + 777;
		CHECK_EQ_INT(tt_hodges_lehmann(x, 6, y, 7, 0.05, &s, &mem, &err), TT_OK);
		low_miss += s.low > 777;
		high_miss += s.high < 777;
	}
	CHECK(low_miss > 20 && low_miss < 130);
	CHECK(high_miss > 20 && high_miss < 130);
}

/* More values than are counted exactly, in a known place: nothing, all, and little of it moved. */
TEST(many_values_have_the_shift_that_they_were_given)
{
	static int64_t x[150], y[150];
	double p, d, pks, p_near, d_near, pks_near;
	struct tt_shift s;

	for (int i = 0; i < 150; i++)
		x[i] = y[i] = 7;
	CHECK_EQ_INT(tt_mann_whitney(x, 150, y, 150, &p, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_kolmogorov_smirnov(x, 150, y, 150, &d, &pks, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_hodges_lehmann(x, 150, y, 150, 0.05, &s, &mem, &err), TT_OK);
	CHECK(p == 1 && d == 0 && pks == 1);
	CHECK(s.shift == 0 && s.low == 0 && s.high == 0);
	for (int i = 0; i < 150; i++) {
		x[i] = i * 10;
		y[i] = i * 10 + 100000;
	}
	CHECK_EQ_INT(tt_mann_whitney(x, 150, y, 150, &p, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_kolmogorov_smirnov(x, 150, y, 150, &d, &pks, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_hodges_lehmann(x, 150, y, 150, 0.05, &s, &mem, &err), TT_OK);
	CHECK(p < 1e-30 && d == 1 && pks < 1e-30);
	CHECK_EQ_INT(s.shift, 100000);
	CHECK(s.has_low && s.has_high && s.low < 100000 && s.high > 100000);
	CHECK_EQ_INT(s.high - 100000, 100000 - s.low);
	for (int i = 0; i < 150; i++)
		y[i] = i * 10 + 25;
	/* On both sides of what is exact the probabilities are near each other. */
	CHECK_EQ_INT(tt_kolmogorov_smirnov(x, 100, y, 100, &d, &pks, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_kolmogorov_smirnov(x, 101, y, 100, &d_near, &pks_near, &mem, &err), TT_OK);
	CHECK(fabs(d - d_near) < 0.02 && fabs(pks - pks_near) < 0.02);
	CHECK_EQ_INT(tt_mann_whitney(x, 100, y, 100, &p, &mem, &err), TT_OK);
	CHECK_EQ_INT(tt_mann_whitney(x, 101, y, 100, &p_near, &mem, &err), TT_OK);
	CHECK(fabs(p - p_near) < 0.05);
}

TEST(differences_beyond_64_bits_stay_at_their_ends)
{
	static const int64_t least[] = { INT64_MIN, INT64_MIN }, most[] = { INT64_MAX, INT64_MAX };
	struct tt_shift s;

	CHECK_EQ_INT(tt_hodges_lehmann(least, 2, most, 2, 0.5, &s, &mem, &err), TT_OK);
	CHECK(s.shift == INT64_MAX && s.low == INT64_MAX && s.high == INT64_MAX);
	CHECK_EQ_INT(tt_hodges_lehmann(most, 2, least, 2, 0.5, &s, &mem, &err), TT_OK);
	CHECK(s.shift == INT64_MIN && s.low == INT64_MIN && s.high == INT64_MIN);
}

TEST(holm_steps_down)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 };

	CHECK_EQ_INT(tt_holm(p, 4, &mem, &err), TT_OK);
	CHECK(close_to(p[3], 0.02));
	CHECK(close_to(p[0], 0.03));
	CHECK(close_to(p[2], 0.06));
	CHECK(close_to(p[1], 0.06));
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}

/* A level is what the probability must be at most for Holm's method to reject it. */
TEST(levels_of_holm_agree_with_its_adjusted_probabilities)
{
	static const double set[][5] = { { 0.001, 0.012, 0.02, 0.03, 0.5 }, { 0.011, 0.0125, 0.0166, 0.025, 0.05 }, { 0.9, 0.8, 0.01, 0.7, 0.011 },
		{ 0.05, 0.04, 0.03, 0.02, 0.01 } };
	double level[5], adjusted[5];

	for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
		memcpy(adjusted, set[i], sizeof adjusted);
		CHECK_EQ_INT(tt_holm(adjusted, 5, &mem, &err), TT_OK);
		CHECK_EQ_INT(tt_holm_levels(set[i], 5, 0.05, level, &mem, &err), TT_OK);
		for (size_t k = 0; k < 5; k++)
			CHECK((set[i][k] <= level[k]) == (adjusted[k] <= 0.05));
	}
	/* 0.02 is above a third of 5 %, which ends it */
	CHECK_EQ_INT(tt_holm_levels(set[0], 5, 0.05, level, &mem, &err), TT_OK);
	CHECK(level[0] == 0.05 / 5 && level[1] == 0.05 / 4 && level[2] == 0.05 / 3 && level[3] == 0.05 / 3 && level[4] == 0.05 / 3);
}

/*
 * Numbers by a second computation, in Python: a change found, with a normal error known from n captures; the change of N of them, the n among them, lies
 * around it by the root of 1 - n / (0.955 N) of that error; for which N is it further than 1.645 of its own errors from the limit in 80 %?
 */
TEST(captures_that_would_decide)
{
	struct tt_change c = { .change = 1, .se = 1, .df = INFINITY, .within = 1 };

	CHECK_EQ_INT((intmax_t)tt_change_need(&c, 0, 0.05, 8), 133);
	CHECK_EQ_INT((intmax_t)tt_change_need(&c, 2, 0.05, 8), 133);
	CHECK_EQ_INT((intmax_t)tt_change_need(&c, 0, 0.05, 40), 0);
	CHECK_EQ_INT((intmax_t)tt_change_need(&c, 1, 0.05, 8), 0);
	c.change = 1.5;
	CHECK_EQ_INT((intmax_t)tt_change_need(&c, 0, 0.05, 8), 38);
	c.change = 1;
	/* what is decided by the mean already takes one more by ranks */
	CHECK_EQ_INT((intmax_t)tt_change_need(&c, -9, 0.05, 8), 9);
	/* half of the uncertainty is of sessions: no captures take it away */
	c.within = 0.5;
	CHECK_EQ_INT((intmax_t)tt_change_need(&c, 0, 0.05, 8), 0);
}
