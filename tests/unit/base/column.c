/* base/column.h against an array, and in how many bytes it keeps the times of frames. */
#include "check.h"

#include "base/column.h"
#include "base/err.h"
#include "base/mem.h"

enum { N = 1000 };

static struct tt_mem mem;
static struct tt_err err;
static int64_t plain[N];

static uint64_t
some(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void
check_all(const struct tt_column *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK_EQ_INT(tt_column_at(c, i), plain[i]);
}

TEST(what_was_written_is_read_at_any_place_and_the_rest_is_0)
{
	static const int64_t edge[] = { 0, 1, -1, INT8_MAX, INT8_MIN, INT8_MAX + 1, INT16_MAX, INT16_MIN, INT16_MIN - 1, INT32_MAX, INT32_MIN,
		INT64_C(1) + INT32_MAX, INT64_MAX, INT64_MIN };
	struct tt_column c = { 0 };
	uint64_t state = 88172645463325252u;

	CHECK_EQ_INT(tt_column_at(&c, 12345), 0);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned k = 0; k < 400; k++) {
			const size_t at = some(&state) % N;
			plain[at] = round ? edge[some(&state) % (sizeof edge / sizeof *edge)] : (int64_t)(some(&state) % 100);
			CHECK_EQ_INT(tt_column_set(&c, &mem, at, plain[at], &err), TT_OK);
			if (k % 20 == 0)
				check_all(&c, N);
		}
	check_all(&c, N);
	tt_column_free(&c, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(sums_grow_and_wrap_around)
{
	struct tt_column c = { 0 };

	CHECK_EQ_INT(tt_column_add(&c, &mem, 70, 100, &err), TT_OK);
	CHECK_EQ_INT(tt_column_add(&c, &mem, 70, 100, &err), TT_OK);
	CHECK_EQ_INT(tt_column_add(&c, &mem, 71, -5, &err), TT_OK);
	CHECK_EQ_INT(tt_column_at(&c, 70), 200);
	CHECK_EQ_INT(tt_column_at(&c, 71), -5);
	CHECK_EQ_INT(tt_column_add(&c, &mem, 70, INT64_MAX, &err), TT_OK);
	CHECK_EQ_INT(tt_column_at(&c, 70), INT64_MIN + 199);
	tt_column_free(&c, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(pushed_numbers_keep_their_order_from_one_end_of_64_bits_to_the_other)
{
	struct tt_column c = { 0 };
	uint64_t state = 42;

	for (size_t i = 0; i < N; i++) {
		plain[i] = i % 100 < 90 ? (int64_t)i * 7 : (int64_t)some(&state);
		CHECK_EQ_INT(tt_column_push(&c, &mem, plain[i], &err), TT_OK);
		CHECK_EQ_INT(c.n, i + 1);
	}
	check_all(&c, N);
	tt_column_free(&c, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(a_million_frames_take_four_bytes_for_each_time_and_none_for_what_is_equal)
{
	struct tt_column start = { 0 }, same = { 0 };
	uint64_t state = 7;
	int64_t ts = INT64_C(1) << 50, last = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < 1000000; i++) {
		rc |= tt_column_push(&start, &mem, last = ts, &err);
		ts += 16600000 + (int64_t)(some(&state) % 200000);
	}
	CHECK(mem.used < 4300000);
	CHECK_EQ_INT(tt_column_at(&start, 999999), last);
	tt_column_free(&start, &mem);
	for (size_t i = 0; i < 1000000; i++)
		rc |= tt_column_push(&same, &mem, 42, &err);
	CHECK_EQ_INT(rc, TT_OK);
	CHECK(mem.used < 500000);
	tt_column_free(&same, &mem);
	CHECK_EQ_INT(mem.used, 0);
}
