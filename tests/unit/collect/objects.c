/* Tests of collect/objects.h: random puts, takes and moves against a plain list. */
#include "check.h"

#include "base/err.h"
#include "collect/objects.h"

enum { ADDRESSES = 300 };

static struct tt_mem mem;
static struct tt_err err;
static uint64_t seed = 1;

static unsigned
draw(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static uint64_t
address(unsigned i)
{
	return 0x7f0000000000 + 8 * (uint64_t)i;
}

/* The plain list: the value at each address, 0: none. */
static uint64_t at[ADDRESSES];

static void
check_all(const struct tt_objects *o)
{
	size_t n = 0;

	for (unsigned i = 0; i < ADDRESSES; i++) {
		uint64_t v = 0;
		const bool is = tt_objects_get(o, address(i), &v);

		CHECK_EQ_INT(is, at[i] != 0);
		CHECK_EQ_INT(v, at[i]);
		n += is;
	}
	CHECK_EQ_INT(o->n, n);
}

static uint64_t sum_moved;

static void
moved(void *arg, uint64_t v, uint64_t from, uint64_t to)
{
	CHECK(arg == &mem);
	CHECK_EQ_INT(at[(from - address(0)) / 8], v);
	sum_moved += v * 31 + (from ^ to);
}

/* A record of moves, in which an object may go where another was; each object at most once. */
static void
move_some(struct tt_objects *o)
{
	uint64_t word[2 * ADDRESSES], next[ADDRESSES], want = 0;
	bool left[ADDRESSES] = { false };
	size_t n = 0;
	const unsigned shift = 1 + draw(ADDRESSES - 1), from = draw(ADDRESSES), many = draw(ADDRESSES);

	/* A part of all addresses goes round: whatever lay at the end of it goes to its begin. */
	for (unsigned k = 0; k < many; k++) {
		const unsigned a = (from + k) % ADDRESSES, b = (from + (k + shift) % (many ? many : 1)) % ADDRESSES;

		word[n++] = address(a);
		word[n++] = address(b);
		left[a] = true;
	}
	memset(next, 0, sizeof next);
	for (unsigned i = 0; i < ADDRESSES; i++)
		next[i] = left[i] ? 0 : at[i];
	for (size_t i = 0; i < n; i += 2) {
		const uint64_t v = at[(word[i] - address(0)) / 8];

		if (!v)
			continue;
		next[(word[i + 1] - address(0)) / 8] = v;
		want += word[i] != word[i + 1] ? v * 31 + (word[i] ^ word[i + 1]) : 0;
	}
	sum_moved = 0;
	CHECK_EQ_INT(tt_objects_move(o, word, n, moved, &mem, &err), TT_OK);
	CHECK_EQ_INT(sum_moved, want);
	memcpy(at, next, sizeof at);
}

TEST(objects_are_followed_through_any_moves)
{
	struct tt_objects o;

	tt_objects_init(&o, &mem);
	for (unsigned round = 0; round < 3000; round++) {
		const unsigned i = draw(ADDRESSES);

		switch (draw(4)) {
		case 0:
		case 1:
			at[i] = 1 + draw(1000);
			CHECK_EQ_INT(tt_objects_set(&o, address(i), at[i], &err), TT_OK);
			break;
		case 2:
			at[i] = 0;
			tt_objects_drop(&o, address(i));
			break;
		default:
			if (round % 8 == 0)
				move_some(&o);
		}
		if (round % 50 == 0)
			check_all(&o);
	}
	check_all(&o);
	tt_objects_clear(&o);
	memset(at, 0, sizeof at);
	check_all(&o);
	tt_objects_free(&o);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(an_address_that_is_none_is_never_known)
{
	struct tt_objects o;
	uint64_t v = 7;

	tt_objects_init(&o, &mem);
	CHECK(!tt_objects_get(&o, 0, &v));
	CHECK_EQ_INT(tt_objects_set(&o, 0, 3, &err), TT_OK);
	CHECK_EQ_INT(tt_objects_set(&o, 1, 3, &err), TT_OK);
	CHECK(!tt_objects_get(&o, 0, &v) && !tt_objects_get(&o, 1, &v));
	tt_objects_drop(&o, 0);
	CHECK_EQ_INT(tt_objects_set(&o, UINT64_MAX, UINT64_MAX, &err), TT_OK);
	CHECK(tt_objects_get(&o, UINT64_MAX, &v) && v == UINT64_MAX);
	tt_objects_free(&o);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(an_odd_word_at_the_end_of_moves_is_no_move)
{
	const uint64_t word[3] = { address(0), address(1), address(2) };
	struct tt_objects o;
	uint64_t v = 0;

	tt_objects_init(&o, &mem);
	CHECK_EQ_INT(tt_objects_set(&o, address(0), 5, &err), TT_OK);
	CHECK_EQ_INT(tt_objects_set(&o, address(2), 6, &err), TT_OK);
	CHECK_EQ_INT(tt_objects_move(&o, word, 3, NULL, NULL, &err), TT_OK);
	CHECK(tt_objects_get(&o, address(1), &v) && v == 5);
	CHECK(tt_objects_get(&o, address(2), &v) && v == 6);
	tt_objects_free(&o);
}

/* Objects that come and go must not make the table grow. */
TEST(memory_is_that_of_the_objects_there_are)
{
	struct tt_objects o;
	size_t most = 0;

	tt_objects_init(&o, &mem);
	for (uint64_t i = 0; i < 200000; i++) {
		CHECK_EQ_INT(tt_objects_set(&o, 16 + 8 * i, i, &err), TT_OK);
		if (i >= 20)
			tt_objects_drop(&o, 16 + 8 * (i - 20));
		most = mem.used > most ? mem.used : most;
	}
	CHECK(o.n == 20);
	CHECK(most < 20000);
	tt_objects_free(&o);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(without_memory_it_says_so_and_keeps_what_it_has)
{
	struct tt_objects o;
	uint64_t v;
	unsigned n = 0;

	tt_objects_init(&o, &mem);
	mem.cap = 10000;
	err = (struct tt_err){ .at = TT_NOWHERE };
	while (n < 10000 && tt_objects_set(&o, address(n), n, &err) == TT_OK)
		n++;
	CHECK(n > 20 && n < 10000);
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
	for (unsigned i = 0; i < n; i++)
		CHECK(tt_objects_get(&o, address(i), &v) && v == i);
	CHECK(!tt_objects_get(&o, address(n), &v));
	mem.cap = 0;
	tt_objects_free(&o);
	CHECK_EQ_INT(mem.used, 0);
}
