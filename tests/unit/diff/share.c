/*
 * Tests of diff/share.c: parts are the floor of what is shared or one more, add up to the whole, and go to the largest remainders; whole numbers of
 * 64 bits at their ends.
 */
#include "check.h"

#include "diff/diff.h"

static uint64_t seed = 43;

static uint64_t
draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 11;
}

/* ${v} / ${unit} rounded down, by what the words say. */
static int64_t
floor_of(int64_t v, int64_t unit)
{
	return v / unit - (v % unit < 0);
}

TEST(a_rate_is_rounded_to_the_nearest_and_halves_go_up)
{
	CHECK_EQ_INT(tt_diff_per_unit(7, 2), 4);
	CHECK_EQ_INT(tt_diff_per_unit(-7, 2), -3);
	CHECK_EQ_INT(tt_diff_per_unit(10, 3), 3);
	CHECK_EQ_INT(tt_diff_per_unit(11, 3), 4);
	CHECK_EQ_INT(tt_diff_per_unit(-10, 3), -3);
	CHECK_EQ_INT(tt_diff_per_unit(-11, 3), -4);
	CHECK_EQ_INT(tt_diff_per_unit(5, 0), 0);
	CHECK_EQ_INT(tt_diff_per_unit(INT64_MAX, 1), INT64_MAX);
	CHECK_EQ_INT(tt_diff_per_unit(INT64_MIN, 1), INT64_MIN);
	CHECK_EQ_INT(tt_diff_per_unit(INT64_MAX, UINT64_MAX), 0);
	CHECK_EQ_INT(tt_diff_per_unit(INT64_MIN, UINT64_MAX), -1);
	CHECK_EQ_INT(tt_diff_per_unit(INT64_MIN, (uint64_t)1 << 63), -1);
}

/* Share ${n} values per ${unit}; the parts by the place of the value, in ${part}. */
static void
share(const int64_t *v, size_t n, uint64_t unit, int64_t whole, int64_t *part)
{
	struct tt_diff_piece piece[64];
	bool met[64] = { false };

	for (size_t i = 0; i < n; i++)
		piece[i] = (struct tt_diff_piece){ .v = v[i], .id = i, .part = -99 };
	tt_diff_share(piece, n, unit, whole);
	for (size_t i = 0; i < n; i++) {
		CHECK(piece[i].id < n && !met[piece[i].id]);
		met[piece[i].id] = true;
		part[piece[i].id] = piece[i].part;
	}
}

TEST(parts_add_up_and_are_the_floor_or_one_more)
{
	for (unsigned round = 0; round < 2000; round++) {
		const size_t n = 1 + draw() % 64;
		const int64_t unit = (int64_t)(1 + draw() % 1000);
		int64_t v[64], part[64], all = 0, sum = 0, least_up = unit, most_kept = -1;

		for (size_t i = 0; i < n; i++) {
			v[i] = (int64_t)(draw() % 100000) - 20000;
			all += v[i];
		}
		share(v, n, (uint64_t)unit, tt_diff_per_unit(all, (uint64_t)unit), part);
		for (size_t i = 0; i < n; i++) {
			const int64_t low = floor_of(v[i], unit), rest = v[i] - low * unit;

			sum += part[i];
			CHECK(part[i] == low || part[i] == low + 1);
			if (part[i] > low)
				least_up = rest < least_up ? rest : least_up;
			else
				most_kept = rest > most_kept ? rest : most_kept;
		}
		CHECK_EQ_INT(sum, tt_diff_per_unit(all, (uint64_t)unit));
		CHECK(least_up >= most_kept);
	}
}

TEST(of_equal_remainders_the_first_get_one_more)
{
	const int64_t v[] = { 5, 1, 5, 5, 1 };
	int64_t part[5];

	share(v, 5, 4, tt_diff_per_unit(17, 4), part);
	CHECK_EQ_INT(part[0] + part[1] + part[2] + part[3] + part[4], 4);
	CHECK_EQ_INT(part[0], 2);
	CHECK_EQ_INT(part[1], 0);
	CHECK_EQ_INT(part[2], 1);
	CHECK_EQ_INT(part[3], 1);
	CHECK_EQ_INT(part[4], 0);
}

TEST(one_piece_has_the_whole_and_none_is_no_error)
{
	const int64_t one[] = { 11 };
	int64_t part[1];

	share(one, 1, 3, 4, part);
	CHECK_EQ_INT(part[0], 4);
	share(one, 1, 3, 3, part);
	CHECK_EQ_INT(part[0], 3);
	tt_diff_share(NULL, 0, 3, 0);
	tt_diff_share(NULL, 0, 0, 7);
}

TEST(without_units_every_part_is_nothing)
{
	const int64_t v[] = { 5, -3 };
	int64_t part[2];

	share(v, 2, 0, 0, part);
	CHECK_EQ_INT(part[0], 0);
	CHECK_EQ_INT(part[1], 0);
}

TEST(the_ends_of_64_bits_are_shared_exactly)
{
	const int64_t v[] = { INT64_MAX, INT64_MIN, 1 };
	int64_t part[3];

	share(v, 3, 1, 0, part);
	CHECK_EQ_INT(part[0], INT64_MAX);
	CHECK_EQ_INT(part[1], INT64_MIN);
	CHECK_EQ_INT(part[2], 1);
	share(v, 3, UINT64_MAX, 0, part);
	/* Floors are 0, -1 and 0; the remainders of the first two are both 2^63 - 1, so the first gets the one that is missing. */
	CHECK_EQ_INT(part[0], 1);
	CHECK_EQ_INT(part[1], -1);
	CHECK_EQ_INT(part[2], 0);
}
