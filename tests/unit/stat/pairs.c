/* Tests of stat/pairs.h: against every way to give signs, and looks against what they promise, counted over all signs. */
#include "base/err.h"
#include "check.h"

#include <math.h>

#include "stat/pairs.h"

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

static int
by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int64_t
lower_median(const int64_t *v, size_t n)
{
	int64_t sorted[32];

	memcpy(sorted, v, n * sizeof *v);
	qsort(sorted, n, sizeof *sorted, by_size);
	return sorted[(n - 1) / 2];
}

/*
 * By the rule of pairs.h: differences from the limit, of which a disturbed run is evened out. Of eight or more pairs that are not at the limit, at most
 * half are such: with a level more than five times as far from the median level as levels are in the median. How many.
 */
static size_t
even_out(const struct tt_pair *pair, size_t n, int64_t limit, int64_t *off)
{
	int64_t level[32], far[32], middle, usual;
	size_t k = 0, moved = 0;

	for (size_t i = 0; i < n; i++) {
		off[i] = pair[i].d - limit;
		if (off[i])
			level[k++] = pair[i].level;
	}
	if (k < 8)
		return 0;
	middle = lower_median(level, k);
	for (size_t i = 0; i < k; i++)
		far[i] = llabs(level[i] - middle);
	usual = lower_median(far, k);
	for (int go = 0; go < 2; go++) {
		moved = go ? moved : 0;
		for (size_t i = 0; i < n; i++) {
			int64_t by = llabs(pair[i].level - middle);

			if (!usual || by <= 5 * usual || by >= llabs(pair[i].d - limit))
				continue;
			if (go == 0)
				moved++;
			else if (moved <= k / 2)
				off[i] += off[i] > 0 ? -2 * by : 2 * by;
		}
	}
	return moved <= k / 2 ? moved : 0;
}

/* Twice the sum of the mid-ranks of those that have a bit in ${signs}; zeros have no rank. */
static long
rank_sum(const int64_t *size, size_t n, size_t signs)
{
	long sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (size[i] == 0 || !(signs >> i & 1))
			continue;
		for (size_t k = 0; k < n; k++)
			sum += size[k] == 0 ? 0 : size[k] < size[i] ? 2 : size[k] == size[i] ? 1 : 0;
		sum++;
	}
	return sum;
}

TEST(a_probability_is_that_of_all_signs)
{
	size_t disturbed = 0, crossed = 0;

	for (int round = 0; round < 400; round++) {
		size_t n = 1 + next_random() % 14, signs = 0, least = 0;
		struct tt_pair pair[14];
		struct tt_pairs_evened evened;
		int64_t size[14], off[14], even[14], limit = (int64_t)(next_random() % 7) - 3;
		double p;
		long ours;

		for (size_t i = 0; i < n; i++) {
			bool hit = round % 3 == 0 && next_random() % 8 == 0;
			int64_t by = hit ? (int64_t)(next_random() % 1000000) : 0;

			pair[i].d = (int64_t)(next_random() % (round % 2 ? 12 : 100000)) - (round % 2 ? 5 : 40000) + (next_random() % 2 ? by : -by);
			pair[i].level = 1000000 + (int64_t)(next_random() % (round % 2 ? 12 : 100000)) + by / 2;
		}
		evened = tt_pairs_even(pair, n, limit, even);
		CHECK_EQ_INT(evened.n, even_out(pair, n, limit, off));
		disturbed += evened.n;
		for (size_t i = 0; i < n; i++) {
			CHECK_EQ_INT(even[i], limit + off[i]);
			crossed += (pair[i].d > limit) != (even[i] > limit) && off[i];
			size[i] = llabs(off[i]);
			signs |= (size_t)(off[i] > 0) << i;
		}
		ours = rank_sum(size, n, signs);
		for (size_t b = 0; b < (size_t)1 << n; b++)
			least += rank_sum(size, n, b) >= ours;
		CHECK_EQ_INT(tt_signed_rank(pair, n, limit, &p, &mem, &err), TT_OK);
		CHECK(close_to(p, (double)least / (double)((size_t)1 << n)));
	}
	CHECK(disturbed > 20 && crossed > 2);
}

/* What a test may not depend on: which of the two runs of a pair is the new build's. Differences change sides, and nothing else. */
TEST(disturbed_runs_are_evened_out_alike_in_both_builds)
{
	for (int round = 0; round < 200; round++) {
		struct tt_pair pair[12], turned[12];
		int64_t a[12], b[12], limit = (int64_t)(next_random() % 100);
		struct tt_pairs_evened one, two;

		for (size_t i = 0; i < 12; i++) {
			int64_t by = next_random() % 6 == 0 ? 100000 : 0;

			pair[i].d = (int64_t)(next_random() % 2001) - 1000 + (next_random() % 2 ? by : -by);
			pair[i].level = (int64_t)(next_random() % 1001) + by / 2;
			turned[i] = (struct tt_pair){ .d = 2 * limit - pair[i].d, .level = pair[i].level };
		}
		one = tt_pairs_even(pair, 12, limit, a);
		two = tt_pairs_even(turned, 12, limit, b);
		CHECK_EQ_INT(one.n, two.n);
		CHECK_EQ_INT(one.above, one.n - two.above);
		for (size_t i = 0; i < 12; i++)
			CHECK_EQ_INT(a[i] - limit, limit - b[i]);
	}
}

/* Runs that take 300 more are told by the levels of their pairs; both of a pair, or more than half of all, are not one run's accident. */
TEST(a_disturbed_run_is_evened_out)
{
	struct tt_pair pair[] = { { 10, 1000 }, { 12, 1003 }, { 9, 998 }, { 311, 1151 }, { 8, 1001 }, { 13, 999 }, { -289, 1152 }, { 12, 1002 } };
	int64_t d[8];
	struct tt_pairs_evened e = tt_pairs_even(pair, 8, 0, d);
	double p;

	CHECK_EQ_INT(e.n, 2);
	CHECK_EQ_INT(e.above, 1);
	CHECK_EQ_INT(d[0], 10);
	CHECK_EQ_INT(d[3], 11);
	CHECK_EQ_INT(d[6], 13);
	CHECK_EQ_INT(tt_signed_rank(pair, 8, 0, &p, &mem, &err), TT_OK);
	CHECK(close_to(p, 1.0 / 256));
	CHECK_EQ_INT(tt_pairs_even(pair, 7, 0, d).n, 0);
	pair[3] = (struct tt_pair){ 11, 1300 };
	CHECK_EQ_INT(tt_pairs_even(pair, 8, 0, d).n, 1);
	CHECK_EQ_INT(d[3], 11);
	for (size_t i = 0; i < 5; i++)
		pair[i] = (struct tt_pair){ 300 + (int64_t)i, 1150 + (int64_t)i };
	CHECK_EQ_INT(tt_pairs_even(pair, 8, 0, d).n, 0);
	/* Where all levels are equal but one nothing says how far is far. */
	for (size_t i = 0; i < 8; i++)
		pair[i] = (struct tt_pair){ i ? 5 : 900, i ? 1000 : 1450 };
	CHECK_EQ_INT(tt_pairs_even(pair, 8, 0, d).n, 0);
}

/* The textbook's answer: as many differences as a t test of this power takes, a little more for ranks, and more for a scatter that is estimated. */
TEST(what_pairs_see_is_what_they_find)
{
	int64_t d[] = { -15, -10, -6, -3, -1, 1, 3, 6, 10, 15 };
	struct tt_change c, four;

	CHECK(tt_pairs_change(d, 10, 10, &c) && tt_pairs_change(d, 10, 40, &four));
	CHECK(close_to(c.change, 0) && c.df == 9);
	CHECK(fabs(c.se / four.se - 2) < 1e-12);
	/* Standard deviation 9.08; R: power.t.test(n = 10, sd = 9.08, sig.level = 0.01, power = 0.95, type = "one", alternative = "one") is 13.6. */
	CHECK(tt_pairs_seen(&c, 10, 20, 0.01, 0.95) > 20 + 13.6 && tt_pairs_seen(&c, 10, 20, 0.01, 0.95) < 20 + 13.6 * 1.4);
	CHECK_EQ_INT(tt_pairs_need(&c, 10, 1, 0.05, 0.9), 0);
	CHECK(tt_pairs_need(&c, 10, 5, 0.05, 0.9) > 25 && tt_pairs_need(&c, 10, 5, 0.05, 0.9) < 35);
	CHECK(!tt_pairs_change(d, 2, 10, &c));
}

/* Pairs that do not differ take as many as can reach the level at all, 2^-5 being 3.1 %. */
TEST(pairs_without_scatter_take_few)
{
	const int64_t same[] = { 0, 0, 0, 0, 0 };
	struct tt_change c;

	CHECK(tt_pairs_change(same, 5, 10, &c));
	CHECK_EQ_INT(tt_pairs_need(&c, 10, 5, 0.05, 0.9), 5);
	CHECK_EQ_INT(tt_pairs_need(&c, 10, 5, 0.025, 0.9), 6);
	CHECK_EQ_INT(tt_pairs_need(&c, 10, 0, 0.025, 0.9), 0);
}

/* p of differences whose pairs were not disturbed. */
static double
plain_p(const int64_t *d, size_t n, int64_t limit)
{
	struct tt_pair pair[TT_PAIRS_EXACT];
	double p;

	for (size_t i = 0; i < n; i++)
		pair[i] = (struct tt_pair){ .d = d[i] };
	CHECK_EQ_INT(tt_signed_rank(pair, n, limit, &p, &mem, &err), TT_OK);
	return p;
}

TEST(bounds_are_those_of_the_test_moved)
{
	for (int round = 0; round < 100; round++) {
		size_t n = 3 + next_random() % 12;
		double alpha = round % 2 ? 0.05 : 0.01;
		struct tt_shift s;
		int64_t d[16];

		for (size_t i = 0; i < n; i++)
			d[i] = 2 * (int64_t)(next_random() % 1000000) - 800000;
		CHECK_EQ_INT(tt_pairs_shift(d, n, alpha, &s, &mem, &err), TT_OK);
		CHECK_EQ_INT(s.has_low, ldexp(1, -(int)n) <= alpha);
		if (!s.has_low)
			continue;
		CHECK(plain_p(d, n, s.low - 1) <= alpha);
		CHECK(plain_p(d, n, s.low + 1) > alpha);
		for (size_t i = 0; i < n; i++)
			d[i] = -d[i];
		CHECK(plain_p(d, n, -s.high - 1) <= alpha);
		CHECK(plain_p(d, n, -s.high + 1) > alpha);
	}
}

/* Whatever the sizes are: over all signs, looks together stop at most as often as their level says, and use most of it. */
TEST(looks_err_as_often_as_they_may_and_not_more)
{
	static const double level[] = { 0.05 / 8, 0.05 / 3, 0.05 };

	for (int round = 0; round < 6; round++) {
		size_t n = 8 + (size_t)round % 3, stopped[3] = { 0 };
		int64_t size[10], mean[10];
		struct tt_pair d[10];

		for (size_t i = 0; i < n; i++)
			size[i] = 1 + (int64_t)(next_random() % (round % 3 == 0 ? 6 : 1000000));
		for (size_t i = 0; i < n; i++)
			mean[i] = (int64_t)(next_random() % 1000) + (next_random() % 4 ? 0 : size[i] / 2);
		for (size_t b = 0; b < (size_t)1 << n; b++) {
			double least = 1;

			for (size_t i = 0; i < n; i++)
				d[i] = (struct tt_pair){ .d = b >> i & 1 ? size[i] : -size[i], .level = mean[i] };
			for (size_t k = 1; k <= n; k++) {
				const struct tt_pairs_plan plan = { .most = n, .looks = true };
				struct tt_pairs_answer a;

				CHECK_EQ_INT(tt_pairs_test(d, k, 0, &plan, 0.05, &a, &mem, &err), TT_OK);
				least = a.overall < least ? a.overall : least;
			}
			for (int i = 0; i < 3; i++)
				stopped[i] += least <= level[i] * (1 + 1e-9);
		}
		for (int i = 0; i < 3; i++) {
			double share = (double)stopped[i] / (double)((size_t)1 << n);

			CHECK(share <= level[i] * (1 + 1e-9));
			/* What is left is less than the next rank sums have. */
			CHECK(share >= level[i] * 0.7 - 4 * ldexp(1, -(int)n));
		}
	}
}

/*
 * The same of several rows, whose signs belong to the pairs: some of them move together, and in some rounds one may err twice as often. Over all
 * signs, any is found as often as may be.
 */
TEST(rows_together_err_no_more_than_one)
{
	for (int round = 0; round < 8; round++) {
		size_t n = 8 + (size_t)round % 3, found = 0, holm = 0, rows = 4;
		int64_t size[4][10], level[4][10];
		struct tt_pair d[4][10];
		const struct tt_pairs_plan plan = { .most = n, .looks = round % 2 == 0 };

		for (size_t i = 0; i < n; i++)
			for (size_t r = 0; r < rows; r++)
				size[r][i] = r % 2 && round < 6 ? size[r - 1][i] + (int64_t)(next_random() % 100) : (int64_t)(next_random() % 2001) - 1000;
		for (size_t i = 0; i < n; i++)
			for (size_t r = 0; r < rows; r++)
				level[r][i] = (int64_t)(next_random() % 100) + (round % 2 && next_random() % 4 == 0 ? llabs(size[r][i]) / 2 : 0);
		for (size_t b = 0; b < (size_t)1 << n; b++) {
			bool any = false, any_holm = false;

			for (size_t k = plan.looks ? 1 : n; k <= n; k++) {
				struct tt_pairs_row row[4];

				for (size_t r = 0; r < rows; r++) {
					for (size_t i = 0; i < n; i++)
						d[r][i] = (struct tt_pair){ .d = b >> i & 1 ? size[r][i] : -size[r][i], .level = level[r][i] };
					row[r] = (struct tt_pairs_row){ .pair = d[r], .limit = 0, .twice = round % 4 > 1 && r == 0 };
				}
				if (k < n && k * 2 < n)
					continue;
				CHECK_EQ_INT(tt_pairs_family(row, rows, k, &plan, 0.05, &mem, &err), TT_OK);
				for (size_t r = 0; r < rows; r++) {
					any |= row[r].adjusted <= 0.05 * (1 + 1e-9);
					any_holm |= k == n && row[r].p * (double)rows <= 0.05;
				}
			}
			found += any;
			holm += any_holm;
		}
		CHECK((double)found <= 0.05 * (1 + 1e-9) * (double)((size_t)1 << n));
		/* Looks are counted together; what they leave are the next rank sums, and what is set aside for rows far below. */
		CHECK((double)found >= 0.05 * 0.75 * (double)((size_t)1 << n) - 4);
		if (!plan.looks && round % 4 <= 1)
			CHECK(found >= holm);
	}
}

/* Rows that are all but sure to be below their limits cost others no more than what is set aside for finding them. */
TEST(rows_far_below_their_limits_cost_little)
{
	const struct tt_pairs_plan plan = { .most = 10, .looks = false };
	struct tt_pair one[] = { { 9, 0 }, { 4, 0 }, { 13, 0 }, { 7, 0 }, { -3, 0 }, { 5, 0 }, { 11, 0 }, { -2, 0 }, { 8, 0 }, { -1, 0 } }, below[4][10];
	struct tt_pairs_row row[5] = { { .pair = one, .limit = 0 } };

	for (size_t r = 0; r < 4; r++)
		for (size_t i = 0; i < 10; i++)
			below[r][i] = (struct tt_pair){ .d = -1000 - (int64_t)(next_random() % 1000) };
	for (size_t r = 1; r < 5; r++)
		row[r] = (struct tt_pairs_row){ .pair = below[r - 1], .limit = 0 };
	CHECK_EQ_INT(tt_pairs_family(row, 5, 10, &plan, 0.05, &mem, &err), TT_OK);
	CHECK(row[0].p > 0.01 && row[0].adjusted <= row[0].p + 0.15 * 0.05 && row[0].nominal >= 0.04);
	for (size_t r = 1; r < 5; r++)
		CHECK(row[r].adjusted >= 1);
	/* Where all are, none is worse. */
	CHECK_EQ_INT(tt_pairs_family(row + 1, 4, 10, &plan, 0.05, &mem, &err), TT_OK);
	CHECK(row[1].adjusted >= 1 && row[4].adjusted >= 1);
}

/* Of two rows that lie alike, the one that may err twice as often is found by evidence half as strong; beyond exact counts, too. */
TEST(rows_that_may_err_twice_as_often)
{
	for (size_t n = 10; n <= 40; n += 30) {
		const struct tt_pairs_plan plan = { .most = n, .looks = false };
		struct tt_pair one[40] = { 0 }, two[40] = { 0 };
		struct tt_pairs_row row[2] = { { .pair = one, .limit = 0, .twice = true }, { .pair = two, .limit = 0 } };

		for (size_t i = 0; i < n; i++) {
			one[i].d = 1 + (int64_t)(next_random() % 1000);
			two[i].d = next_random() % 2 ? 1 + (int64_t)(next_random() % 1000) : -1 - (int64_t)(next_random() % 1000);
		}
		CHECK_EQ_INT(tt_pairs_family(row, 2, n, &plan, 0.05, &mem, &err), TT_OK);
		CHECK(row[0].nominal > row[1].nominal && close_to(row[0].nominal, 2 * row[1].nominal));
		/* Bonferroni's bound, with two parts of three for the first, and what is set aside for rows far below. */
		CHECK(row[0].adjusted <= row[0].p * 1.5 + 0.15 * 0.05);
		CHECK(row[0].adjusted >= row[0].p && row[1].adjusted >= row[1].p);
	}
}

TEST(one_look_is_the_plain_test)
{
	const struct tt_pairs_plan plan = { .most = 8, .looks = false };
	const struct tt_pair d[] = { { 5, 0 }, { 7, 0 }, { 3, 0 }, { -1, 0 }, { 8, 0 }, { 9, 0 }, { 2, 0 }, { 4, 0 } };
	struct tt_pairs_answer a;

	CHECK_EQ_INT(tt_pairs_test(d, 7, 0, &plan, 0.05, &a, &mem, &err), TT_OK);
	CHECK(a.overall >= 1);
	CHECK_EQ_INT(tt_pairs_test(d, 8, 0, &plan, 0.05, &a, &mem, &err), TT_OK);
	CHECK(close_to(a.overall, a.p) && close_to(a.p, 2.0 / 256));
}

/* With one look and one row, what p must be lets those signs of the same differences pass whose p is at most the level: also those whose p is the level. */
TEST(what_p_must_be_lets_pass_what_is_small_enough)
{
	static const double alpha[] = { 0.05, 0.0625, 0.125, 0.01, 0.2, 1.0 / 256 };

	for (size_t n = 3; n <= 9; n++)
		for (size_t k = 0; k < sizeof alpha / sizeof *alpha; k++) {
			const struct tt_pairs_plan plan = { .most = n, .last = true };
			struct tt_pair pair[9];
			struct tt_pairs_row row = { .pair = pair };
			double most = 0, least = 1;

			for (size_t b = 0; b < (size_t)1 << n; b++) {
				double p;

				for (size_t i = 0; i < n; i++)
					pair[i] = (struct tt_pair){ .d = (b >> i & 1 ? 1 : -1) * (int64_t)(100 + i), .level = 1000000 };
				CHECK_EQ_INT(tt_signed_rank(pair, n, 0, &p, &mem, &err), TT_OK);
				most = p <= alpha[k] && p > most ? p : most;
				least = p > alpha[k] && p < least ? p : least;
			}
			CHECK_EQ_INT(tt_pairs_family(&row, 1, n, &plan, alpha[k], &mem, &err), TT_OK);
			CHECK(row.nominal >= most && (row.nominal < least || most == 0));
		}
}

/* Of many pairs, too: series of noise alone, by fixed seeds. */
TEST(looks_beyond_the_exact_ones_err_no_more)
{
	const struct tt_pairs_plan plan = { .most = 40, .looks = true };
	unsigned rounds = check_long() ? 2000 : 8, stopped = 0, found = 0;

	for (unsigned round = 0; round < rounds; round++) {
		bool null = false, moved = false;
		struct tt_pair d[40], e[40];

		for (size_t n = 0; n < 40; n++) {
			d[n] = (struct tt_pair){ .d = (int64_t)(next_random() % 2001) - 1000, .level = (int64_t)(next_random() % 1000) };
			e[n] = (struct tt_pair){ .d = d[n].d + 500, .level = d[n].level };
			struct tt_pairs_answer a;

			if ((n + 1) % 5 != 0 || n + 1 == 15)
				continue;
			tt_pairs_test(d, n + 1, 0, &plan, 0.05, &a, &mem, &err);
			null |= a.overall <= 0.05 * (1 + 1e-9);
			tt_pairs_test(e, n + 1, 0, &plan, 0.05, &a, &mem, &err);
			moved |= a.overall <= 0.05 * (1 + 1e-9);
		}
		stopped += null;
		found += moved;
	}
	printf("40 pairs of noise: %u of %u stop; moved by most of its spread: %u\n", stopped, rounds, found);
	CHECK(stopped <= (rounds < 1000 ? 3 : rounds / 20 + 20));
	CHECK(found * 100 >= rounds * 99);
}

TEST(too_many_pairs_are_refused)
{
	static struct tt_pair d[TT_PAIRS_MAX + 1];
	double p;

	CHECK_EQ_INT(tt_signed_rank(d, TT_PAIRS_MAX + 1, 0, &p, &mem, &err), TT_E_LIMIT);
	CHECK_EQ_INT(tt_signed_rank(d, TT_PAIRS_MAX, 0, &p, &mem, &err), TT_OK);
	CHECK(p >= 1);
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}
