/* Keys that somebody chose stand in as many slots as any others. */
#include "check.h"

#include <stdlib.h>

#include "base/hash_seed.h"
#include "model/tree.h"

/* Of random keys each shares its slot with 1/4 other on the average, and the next free slot is 1/2 away. */
enum { KEYS = 1 << 15, SLOTS = 2 * KEYS, UNLUCKY = KEYS };

static uint64_t key[KEYS];

/* How many pairs of keys share a slot. Were all in one, KEYS / 2 for each key. */
static uint64_t
pairs(size_t (*slot)(uint64_t key))
{
	static uint32_t n[SLOTS];
	uint64_t sum = 0;

	memset(n, 0, sizeof n);
	for (size_t i = 0; i < KEYS; i++)
		sum += n[slot(key[i])]++;
	return sum;
}

static size_t
alone(uint64_t k)
{
	return tt_seeded_slot(k, SLOTS);
}

static size_t
of_a_process(uint64_t k)
{
	return (size_t)tt_seeded_pair(3, k) & (SLOTS - 1);
}

static size_t
of_a_path(uint64_t k)
{
	return (size_t)tt_tree_hash(tt_tree_hash(0, TT_NODE_THREAD, 1), TT_NODE_ZONE, k) & (SLOTS - 1);
}

static void
check_keys(void)
{
	CHECK(pairs(alone) < UNLUCKY);
	CHECK(pairs(of_a_process) < UNLUCKY);
	CHECK(pairs(of_a_path) < UNLUCKY);
}

TEST(keys_that_undo_a_known_factor_do_not_meet)
{
	static const uint64_t known[] = { 0x9E3779B97F4A7C15u, 0xD6E8FEB86659FD93u, 0xbf58476d1ce4e5b9u };

	for (size_t f = 0; f < sizeof known / sizeof *known; f++) {
		uint64_t inverse = known[f];

		for (int bits = 3; bits < 64; bits *= 2)
			inverse *= 2 - known[f] * inverse;
		CHECK_EQ_INT(inverse * known[f], 1);
		for (unsigned shift = 0; shift < 48; shift += 8) {
			for (size_t i = 0; i < KEYS; i++)
				key[i] = inverse * ((uint64_t)i << shift);
			check_keys();
		}
	}
}

/* Whatever a factor is: its product with a multiple of 2^48 has 16 bits at most. */
TEST(keys_with_few_bits_anywhere_do_not_meet)
{
	for (unsigned shift = 0; shift <= 48; shift++) {
		for (size_t i = 0; i < KEYS; i++)
			key[i] = (uint64_t)i << shift;
		check_keys();
	}
}

static size_t
as_it_is(uint64_t hash)
{
	return (size_t)(hash  & (SLOTS - 1));
}

/* All paths of two methods that differ in one bit: of the highest no factor takes a low one. */
TEST(paths_of_two_methods_do_not_meet)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		key[0] = tt_tree_hash(0, TT_NODE_THREAD, 0);
		for (size_t n = 1; n < KEYS; n *= 2) {
			for (size_t i = n; i-- > 0;) {
				uint64_t up = key[i];
				key[2 * i] = tt_tree_hash(up, TT_NODE_ZONE, 0);
				key[2 * i + 1] = tt_tree_hash(up, TT_NODE_ZONE, (uint64_t)1 << bit);
			}
		}
		CHECK(pairs(as_it_is) < UNLUCKY);
	}
}

/* Numbers of threads, processes and kinds beside keys that would make up for the difference. */
TEST(a_key_makes_up_for_no_number)
{
	static uint32_t n[SLOTS];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < KEYS; i++)
		sum += n[(size_t)tt_seeded_pair(i, 0 - i * 0x9E3779B97F4A7C15u) & (SLOTS - 1)]++;
	CHECK(sum < UNLUCKY);
}

TEST(texts_differ_by_every_byte_and_by_length)
{
	char text[40];
	uint64_t seen[40 * 256];
	size_t n = 0;

	for (size_t at = 0; at < sizeof text; at++) {
		for (unsigned c = 0; c < 256; c += 17) {
			memset(text, 'a', sizeof text);
			text[at] = (char)c;
			seen[n++] = tt_seeded_text(0, text, at + 1);
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			CHECK(seen[i] != seen[j]);
	}
}

/* How many slots are passed until each key has a free one. */
static uint64_t
passed(void)
{
	static bool taken[SLOTS];
	uint64_t sum = 0;

	memset(taken, 0, sizeof taken);
	for (size_t n = 0; n < KEYS; n++) {
		size_t i = tt_seeded_slot(key[n], SLOTS);

		for (; taken[i]; i = (i + 1) & (SLOTS - 1))
			sum++;
		taken[i] = true;
	}
	return sum;
}

/* As numbers and addresses of objects and pages are. */
TEST(keys_at_equal_distances_are_found_soon_with_every_factor)
{
	static const uint64_t distance[] = { 1, 8, 16, 64, 4096, 65536 };
	uint64_t own = tt_seed_factor, by = 1;

	for (unsigned f = 0; f < 400; f++) {
		by = by * 6364136223846793005u + 1442695040888963407u;
		tt_seed_factor = (by ^ by >> 29) | (uint64_t)1 << 63 | 1;
		for (size_t d = 0; d < sizeof distance / sizeof *distance; d++) {
			for (size_t i = 0; i < KEYS; i++)
				key[i] = 0x7f0000000000 + i * distance[d];
			CHECK(passed() < KEYS);
		}
	}
	tt_seed_factor = own;
}

TEST(the_number_is_set_before_main)
{
	CHECK(tt_seed_factor & 1);
	CHECK(tt_seed_factor >> 63);
}
