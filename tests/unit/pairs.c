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

/* Accidents become zeros: more than five times as far above the median as sizes are from it in the median, if at most three in ten of ten or more are. */
static void
leave_out_far(int64_t *size, size_t n)
{
	int64_t v[32], middle, usual;
	size_t k = 0, far = 0;

	for (size_t i = 0; i < n; i++)
		if (size[i])
			v[k++] = size[i];
	if (k < 10)
		return;
	qsort(v, k, sizeof *v, by_size);
	middle = v[(k - 1) / 2];
	for (size_t i = 0; i < k; i++)
		v[i] = llabs(v[i] - middle);
	qsort(v, k, sizeof *v, by_size);
	usual = v[(k - 1) / 2];
	for (size_t i = 0; i < n; i++)
		far += usual && size[i] - middle > 5 * usual;
	for (size_t i = 0; i < n && far <= k * 3 / 10; i++)
		if (usual && size[i] - middle > 5 * usual)
			size[i] = 0;
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
	size_t left_out = 0;

	for (int round = 0; round < 300; round++) {
		size_t n = 1 + next_random() % 14, signs = 0, least = 0;
		int64_t d[14], size[14], near[14], limit = (int64_t)(next_random() % 7) - 3;
		double p;
		long ours;

		for (size_t i = 0; i < n; i++) {
			d[i] = (int64_t)(next_random() % (round % 2 ? 12 : 100000)) - (round % 2 ? 5 : 40000);
			d[i] = round % 3 == 0 && next_random() % 8 == 0 ? 20 * d[i] : d[i];
			size[i] = llabs(d[i] - limit);
			signs |= (size_t)(d[i] > limit) << i;
		}
		left_out += tt_pairs_near(d, n, limit, near) < n;
		leave_out_far(size, n);
		ours = rank_sum(size, n, signs);
		for (size_t b = 0; b < (size_t)1 << n; b++)
			least += rank_sum(size, n, b) >= ours;
		CHECK_EQ_INT(tt_signed_rank(d, n, limit, &p, &mem, &err), TT_OK);
		CHECK(close_to(p, (double)least / (double)((size_t)1 << n)));
	}
	CHECK(left_out > 10);
}

/* Of ten differences up to three that are far off are left out, on either side of the limit, and four are not. */
TEST(few_that_are_far_off_are_left_out)
{
	int64_t d[] = { 10, 12, 9, 11, 300, 8, 13, 10, -200, 12 }, near[10];
	double p;

	CHECK_EQ_INT(tt_pairs_near(d, 10, 0, near), 8);
	CHECK_EQ_INT(tt_signed_rank(d, 10, 0, &p, &mem, &err), TT_OK);
	CHECK(close_to(p, 1.0 / 256));
	d[0] = 400;
	CHECK_EQ_INT(tt_pairs_near(d, 10, 0, near), 7);
	d[1] = -500;
	CHECK_EQ_INT(tt_pairs_near(d, 10, 0, near), 10);
	/* Where all the others are equal nothing says how far is far. */
	CHECK_EQ_INT(tt_pairs_near((int64_t[]){ 5, 5, 5, 5, 5, 5, 5, 5, 5, 9 }, 10, 0, near), 10);
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

/* Where none is left out. */
TEST(bounds_are_those_of_the_test_moved)
{
	for (int round = 0; round < 100; round++) {
		size_t n = 3 + next_random() % 12;
		double alpha = round % 2 ? 0.05 : 0.01, p;
		struct tt_shift s;
		int64_t d[16], near[16];

		for (size_t i = 0; i < n; i++)
			d[i] = 2 * (int64_t)(next_random() % 1000000) - 800000;
		CHECK_EQ_INT(tt_pairs_shift(d, n, alpha, &s, &mem, &err), TT_OK);
		CHECK_EQ_INT(s.has_low, ldexp(1, -(int)n) <= alpha);
		if (!s.has_low)
			continue;
		tt_signed_rank(d, n, s.low - 1, &p, &mem, &err);
		CHECK(p <= alpha || tt_pairs_near(d, n, s.low - 1, near) < n);
		tt_signed_rank(d, n, s.low + 1, &p, &mem, &err);
		CHECK(p > alpha || tt_pairs_near(d, n, s.low + 1, near) < n);
		for (size_t i = 0; i < n; i++)
			d[i] = -d[i];
		tt_signed_rank(d, n, -s.high - 1, &p, &mem, &err);
		CHECK(p <= alpha || tt_pairs_near(d, n, -s.high - 1, near) < n);
		tt_signed_rank(d, n, -s.high + 1, &p, &mem, &err);
		CHECK(p > alpha || tt_pairs_near(d, n, -s.high + 1, near) < n);
	}
}

/* Whatever the sizes are: over all signs, looks together stop at most as often as their level says, and use most of it. */
TEST(looks_err_as_often_as_they_may_and_not_more)
{
	static const double level[] = { 0.05 / 8, 0.05 / 3, 0.05 };

	for (int round = 0; round < 6; round++) {
		size_t n = 8 + (size_t)round % 3, stopped[3] = { 0 };
		int64_t size[10], d[10];

		for (size_t i = 0; i < n; i++)
			size[i] = 1 + (int64_t)(next_random() % (round % 3 == 0 ? 6 : 1000000));
		for (size_t b = 0; b < (size_t)1 << n; b++) {
			double least = 1;

			for (size_t i = 0; i < n; i++)
				d[i] = b >> i & 1 ? size[i] : -size[i];
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
		int64_t size[4][10], d[4][10];
		const struct tt_pairs_plan plan = { .most = n, .looks = round % 2 == 0 };

		for (size_t i = 0; i < n; i++)
			for (size_t r = 0; r < rows; r++)
				size[r][i] = r % 2 && round < 6 ? size[r - 1][i] + (int64_t)(next_random() % 100) : (int64_t)(next_random() % 2001) - 1000;
		for (size_t b = 0; b < (size_t)1 << n; b++) {
			bool any = false, any_holm = false;

			for (size_t k = plan.looks ? 1 : n; k <= n; k++) {
				struct tt_pairs_row row[4];

				for (size_t r = 0; r < rows; r++) {
					for (size_t i = 0; i < n; i++)
						d[r][i] = b >> i & 1 ? size[r][i] : -size[r][i];
					row[r] = (struct tt_pairs_row){ .d = d[r], .limit = 0, .twice = round % 4 > 1 && r == 0 };
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
	int64_t one[] = { 9, 4, 13, 7, -3, 5, 11, -2, 8, -1 }, below[4][10];
	struct tt_pairs_row row[5] = { { .d = one, .limit = 0 } };

	for (size_t r = 0; r < 4; r++)
		for (size_t i = 0; i < 10; i++)
			below[r][i] = -1000 - (int64_t)(next_random() % 1000);
	for (size_t r = 1; r < 5; r++)
		row[r] = (struct tt_pairs_row){ .d = below[r - 1], .limit = 0 };
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
		int64_t one[40], two[40];
		struct tt_pairs_row row[2] = { { .d = one, .limit = 0, .twice = true }, { .d = two, .limit = 0 } };

		for (size_t i = 0; i < n; i++) {
			one[i] = 1 + (int64_t)(next_random() % 1000);
			two[i] = next_random() % 2 ? 1 + (int64_t)(next_random() % 1000) : -1 - (int64_t)(next_random() % 1000);
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
	int64_t d[] = { 5, 7, 3, -1, 8, 9, 2, 4 };
	struct tt_pairs_answer a;

	CHECK_EQ_INT(tt_pairs_test(d, 7, 0, &plan, 0.05, &a, &mem, &err), TT_OK);
	CHECK(a.overall >= 1);
	CHECK_EQ_INT(tt_pairs_test(d, 8, 0, &plan, 0.05, &a, &mem, &err), TT_OK);
	CHECK(close_to(a.overall, a.p) && close_to(a.p, 2.0 / 256));
}

/* Of many pairs, too: series of noise alone, by fixed seeds. */
TEST(looks_beyond_the_exact_ones_err_no_more)
{
	const struct tt_pairs_plan plan = { .most = 40, .looks = true };
	unsigned rounds = check_long() ? 2000 : 8, stopped = 0, found = 0;

	for (unsigned round = 0; round < rounds; round++) {
		bool null = false, moved = false;
		int64_t d[40], e[40];

		for (size_t n = 0; n < 40; n++) {
			d[n] = (int64_t)(next_random() % 2001) - 1000;
			e[n] = d[n] + 500;
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
	CHECK_EQ_INT(found, rounds);
}

TEST(too_many_pairs_are_refused)
{
	static int64_t d[TT_PAIRS_MOST + 1];
	double p;

	CHECK_EQ_INT(tt_signed_rank(d, TT_PAIRS_MOST + 1, 0, &p, &mem, &err), TT_E_LIMIT);
	CHECK_EQ_INT(tt_signed_rank(d, TT_PAIRS_MOST, 0, &p, &mem, &err), TT_OK);
	CHECK(p >= 1);
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}
