/* Tests of io/sorter.h. */
#include "check.h"

#include "base/env.h"
#include "base/order.h"
#include "io/sorter.h"

struct rec { uint32_t key, n; uint64_t sum; };

static int
by_key(const void *a, const void *b)
{
	const struct rec *x = a, *y = b;

	return TT_CMP(x->key, y->key);
}

static bool
join(void *into, const void *next)
{
	struct rec *x = into;
	const struct rec *y = next;

	if (x->key != y->key)
		return false;
	x->n += y->n;
	x->sum += y->sum;
	return true;
}

/* Several records that do not join have it in common. */
static uint64_t
coarse_key(const void *rec)
{
	return (uint64_t)((const struct rec *)rec)->key / 5 << 28;
}

static const struct tt_sorter_form form = { sizeof(struct rec), "test records", by_key, join, NULL };
static const struct tt_sorter_form keyed = { sizeof(struct rec), "test records", by_key, join, coarse_key };

/* ${n} records of ${keys} keys, in no order; each key and its sum must come once, in order, as often as it is read. */
static size_t
sort_and_read_as(const struct tt_sorter_form *of, uint64_t n, uint32_t keys, size_t *runs, size_t *reading)
{
	struct tt_env env = { .spool_max = UINT64_MAX };
	struct tt_err err;
	struct tt_sorter s;
	struct tt_sorted *d = NULL;
	const void *p;
	size_t peak;

	tt_sorter_init(&s, &env, of);
	for (uint64_t i = 0; i < n; i++) {
		const struct rec r = { (uint32_t)(i * 2654435761u % keys), 1, i };
		if (!CHECK_EQ_INT(tt_sorter_add(&s, &r, &err), TT_OK))
			break;
	}
	CHECK_EQ_INT(tt_sorter_done(&s, &err), TT_OK);
	*runs = s.nrun;
	peak = env.mem.peak;
	for (unsigned times = 0; times < 2; times++) {
		uint64_t all = 0, sum = 0;
		uint32_t next = 0;

		CHECK_EQ_INT(tt_sorted_open(&s, &d, &err), TT_OK);
		while (tt_sorted_next(d, &p, &err) == TT_OK && p) {
			const struct rec *r = p;
			if (r->key != next++)
				break;
			all += r->n;
			sum += r->sum;
		}
		CHECK_EQ_INT(next, keys);
		CHECK_EQ_INT(all, n);
		CHECK_EQ_INT(sum, n * (n - 1) / 2);
		*reading = env.mem.used;
		tt_sorted_close(d);
	}
	tt_sorter_free(&s);
	CHECK_EQ_INT(env.mem.used, 0);
	return peak;
}

static size_t
sort_and_read(uint64_t n, uint32_t keys, size_t *runs, size_t *reading)
{
	return sort_and_read_as(&form, n, keys, runs, reading);
}

TEST(keys_that_some_records_have_in_common_change_no_order)
{
	size_t runs, reading;

	for (uint64_t n = 1; n < 2000; n = n * 3 / 2 + 1)
		for (uint32_t keys = 1; keys <= n; keys = keys * 4 + 1)
			sort_and_read_as(&keyed, n, keys, &runs, &reading);
	CHECK(sort_and_read_as(&keyed, 1000003, 1000003, &runs, &reading) <= 3 * TT_SORTER_BYTES + (64 << 10));
	CHECK(runs > 2);
	CHECK(reading <= 2 * TT_SORTER_BYTES);
	sort_and_read_as(&keyed, 3000000, 1000, &runs, &reading);
	CHECK_EQ_INT(runs, 0);
}

TEST(few_records_stay_in_memory)
{
	size_t runs, reading;

	CHECK(sort_and_read(1000, 7, &runs, &reading) < 64 << 10);
	CHECK_EQ_INT(runs, 0);
	CHECK(sort_and_read(1, 1, &runs, &reading) < 64 << 10);
}

TEST(few_keys_need_no_disk_however_many_records_come)
{
	size_t runs, reading;

	CHECK(sort_and_read(3000000, 1000, &runs, &reading) <= 3 * TT_SORTER_BYTES);
	CHECK_EQ_INT(runs, 0);
}

TEST(memory_does_not_grow_with_the_number_of_records)
{
	size_t runs, reading, few, many;

	few = sort_and_read(1000003, 1000003, &runs, &reading);
	CHECK(runs > 2);
	many = sort_and_read(4000037, 4000037, &runs, &reading);
	CHECK(runs > 12);
	CHECK(few <= 3 * TT_SORTER_BYTES);
	CHECK(many < few + (64 << 10));
	CHECK(reading <= 2 * TT_SORTER_BYTES);
}

/* The next record of ${d} is that of ${key}, in which the number of each record put in is once; of no key, there is none. */
static void
comes_next(struct tt_sorted *d, uint64_t n, uint32_t keys, uint32_t key)
{
	struct tt_err err;
	const void *p;

	CHECK_EQ_INT(tt_sorted_next(d, &p, &err), TT_OK);
	if (key >= keys) {
		CHECK(p == NULL);
	} else if (CHECK(p != NULL)) {
		const struct rec *r = p;

		CHECK_EQ_INT(r->key, key);
		CHECK_EQ_INT(r->n, n / keys);
	}
}

/* Of ${n} records, as many of each of ${keys} keys, those of some keys are passed over, some read. */
static void
pass_over(uint64_t n, uint32_t keys, bool on_disk)
{
	struct tt_env env = { .spool_max = UINT64_MAX };
	struct tt_err err;
	struct tt_sorter s;
	struct tt_sorted *d;

	tt_sorter_init(&s, &env, &keyed);
	for (uint64_t i = 0; i < n; i++)
		if (!CHECK_EQ_INT(tt_sorter_add(&s, &(struct rec){ (uint32_t)(i * 7919 % keys), 1, i }, &err), TT_OK))
			break;
	CHECK_EQ_INT(tt_sorter_done(&s, &err), TT_OK);
	CHECK(!on_disk == !s.nrun);
	for (uint32_t step = 1; step < keys; step = step * 3 + 1) {
		CHECK_EQ_INT(tt_sorted_open(&s, &d, &err), TT_OK);
		/* To the first of five with one number; what was passed over does not come back. */
		for (uint32_t key = 0; key < keys; key = 2 * (key + 5 * step)) {
			CHECK_EQ_INT(tt_sorted_skip(d, coarse_key(&(struct rec){ .key = key }), &err), TT_OK);
			comes_next(d, n, keys, key);
			comes_next(d, n, keys, key + 1);
			CHECK_EQ_INT(tt_sorted_skip(d, coarse_key(&(struct rec){ .key = key / 2 }), &err), TT_OK);
			comes_next(d, n, keys, key + 2);
		}
		CHECK_EQ_INT(tt_sorted_skip(d, UINT64_MAX, &err), TT_OK);
		comes_next(d, n, keys, keys);
		tt_sorted_close(d);
	}
	tt_sorter_free(&s);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(records_are_passed_over_by_their_number)
{
	pass_over(1000, 1000, false);
	pass_over(3000, 1000, false);
	pass_over(1000003, 1000003, true);
	pass_over(3000009, 1000003, true);
}

TEST(nothing_put_in_gives_nothing)
{
	struct tt_env env = { .spool_max = UINT64_MAX };
	struct tt_err err;
	struct tt_sorter s;
	struct tt_sorted *d;
	const void *p = &env;

	tt_sorter_init(&s, &env, &form);
	CHECK_EQ_INT(tt_sorter_done(&s, &err), TT_OK);
	CHECK_EQ_INT(tt_sorted_open(&s, &d, &err), TT_OK);
	CHECK_EQ_INT(tt_sorted_next(d, &p, &err), TT_OK);
	CHECK(p == NULL);
	tt_sorted_close(d);
	tt_sorter_free(&s);
}

TEST(a_limit_of_the_disk_is_an_error_and_leaves_nothing)
{
	struct tt_env env = { .spool_max = 1000 };
	struct tt_err err;
	struct tt_sorter s;
	int rc = TT_OK;

	tt_sorter_init(&s, &env, &form);
	for (uint32_t i = 0; i < 1000000 && rc == TT_OK; i++)
		rc = tt_sorter_add(&s, &(struct rec){ i, 1, i }, &err);
	CHECK_EQ_INT(rc, TT_E_LIMIT);
	tt_sorter_free(&s);
	CHECK_EQ_INT(env.mem.used, 0);
}

