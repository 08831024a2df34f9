/* base/map.h and base/order.h against the plainest way to do the same. */
#include "check.h"

#include "base/map.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/order.h"

enum { ROWS = 3000, KEYS = 700 };

static struct tt_mem mem;
static struct tt_err err;
static uint32_t key[ROWS];

/* The first row from ${from} on that has ${k}, + 1. */
static uint32_t
plainly(uint32_t from, uint32_t n, uint32_t k)
{
	for (uint32_t i = from; i < n; i++)
		if (key[i] == k)
			return i + 1;
	return 0;
}

/* Few hashes for many keys, so that rows of others are passed over. */
static uint64_t
hash_of(uint32_t k)
{
	return (uint64_t)(k % 97) << 40 | k % 97 << 3;
}

TEST(a_row_is_found_by_its_key_and_of_several_the_first)
{
	struct tt_map map = { 0 };
	uint32_t x = 1;

	CHECK_EQ_INT(tt_map_find(&map, 7, i, key[i] == 7), 0);
	for (uint32_t n = 0; n < ROWS; n++) {
		x = x * 1103515245u + 12345u;
		key[n] = x >> 8 & 0xffff ? (x >> 8) % KEYS : 0;
		CHECK_EQ_INT(tt_map_add(&map, &mem, hash_of(key[n]), n, &err), TT_OK);
	}
	for (uint32_t k = 0; k < KEYS + 100; k++)
		CHECK_EQ_INT(tt_map_find(&map, hash_of(k), i, key[i] == k), plainly(0, ROWS, k));
	tt_map_free(&map, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(a_row_takes_the_place_of_another_and_all_go)
{
	struct tt_map map = { 0 };

	for (uint32_t n = 0; n < 100; n++) {
		key[n] = n;
		CHECK_EQ_INT(tt_map_add(&map, &mem, hash_of(n), n, &err), TT_OK);
	}
	key[200] = 42;
	tt_map_replace(&map, hash_of(42), 42, 200);
	CHECK_EQ_INT(tt_map_find(&map, hash_of(42), i, key[i] == 42), 201);
	CHECK_EQ_INT(tt_map_find(&map, hash_of(43), i, key[i] == 43), 44);
	tt_map_clear(&map);
	CHECK_EQ_INT(tt_map_find(&map, hash_of(42), i, key[i] == 42), 0);
	CHECK_EQ_INT(tt_map_add(&map, &mem, hash_of(5), 5, &err), TT_OK);
	CHECK_EQ_INT(tt_map_find(&map, hash_of(5), i, key[i] == 5), 6);
	tt_map_free(&map, &mem);
}

TEST(a_table_without_memory_says_so)
{
	struct tt_mem small = { .cap = 100 };
	struct tt_map map = { 0 };

	CHECK_EQ_INT(tt_map_add(&map, &small, 1, 0, &err), TT_E_LIMIT);
	CHECK_EQ_INT(tt_map_find(&map, 1, i, i == 0), 0);
	tt_map_free(&map, &small);
	CHECK_EQ_INT(small.used, 0);
}

static int
by_value(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return TT_CMP(*x, *y);
}

TEST(the_lower_bound_is_the_first_place_that_is_not_before)
{
	int v[] = { 9, 3, 5, 3, -2 };

	tt_sort(v, 5, by_value);
	tt_sort((int *)NULL, 0, by_value);
	for (int want = -3; want < 11; want++) {
		size_t plain = 0;

		while (plain < 5 && v[plain] < want)
			plain++;
		CHECK_EQ_INT(tt_lower_bound(i, 0, 5, v[i] < want), plain);
	}
	CHECK_EQ_INT(tt_lower_bound(i, 2, 2, v[i] < 100), 2);
}
