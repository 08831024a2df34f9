/* Tests of model/opened.h: the innermost zone of a key, against a search through the stack. */
#include "check.h"

#include "model/zones.h"

static uint64_t
next(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33;
}

static size_t
search(const struct tt_stack *s, size_t n, uint64_t key)
{
	while (n > 0 && s->z[n - 1].key != key)
		n--;
	return n;
}

/* Stacks that grow and shrink, with few keys and with many, asked after any number of steps. */
TEST(the_innermost_zone_of_a_key_is_found_whatever_happened_in_between)
{
	struct tt_mem mem = { 0 };
	struct tt_err err;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct tt_stack st = { 0 };
		uint64_t s = seed, keys = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 200 : 100000;

		for (int i = 0; i < 3000; i++) {
			uint64_t many = next(&s) % 120;

			if (next(&s) % 3 > 0 || st.n < 80) {
				for (uint64_t k = 0; k < many; k++)
					CHECK_EQ_INT(tt_stack_push(&st, &mem, next(&s) % keys, i, 0, &err), 1);
			} else {
				st.n -= many < st.n ? many : st.n;
			}
			if (st.n > 3000)
				st.n = next(&s) % 100;
			for (uint64_t k = next(&s) % 4; k > 0; k--) {
				uint64_t key = next(&s) % (keys + 2);
				size_t n = st.n - (st.n > 0 && next(&s) % 4 == 0);

				if (!CHECK_EQ_INT(tt_stack_find(&st, n, key), search(&st, n, key)))
					break;
			}
		}
		tt_stack_free(&st, &mem);
	}
	CHECK_EQ_INT(mem.used, 0);
}

/* Another stack's levels have numbers of their own. */
TEST(what_was_forgotten_is_not_found)
{
	struct tt_mem mem = { 0 };
	struct tt_stack st = { 0 };
	struct tt_err err;

	for (uint64_t i = 0; i < 500; i++)
		CHECK_EQ_INT(tt_stack_push(&st, &mem, i, 0, 0, &err), 1);
	CHECK_EQ_INT(tt_stack_find(&st, 500, 7), 8);
	for (uint64_t i = 0; i < 500; i++)
		st.z[i].key = 1000 + i;
	tt_opened_forget(&st.opened);
	CHECK_EQ_INT(tt_stack_find(&st, 500, 7), 0);
	CHECK_EQ_INT(tt_stack_find(&st, 500, 1007), 8);
	tt_stack_free(&st, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(without_memory_the_stack_is_searched)
{
	struct tt_mem mem = { 0 };
	struct tt_stack st = { 0 };
	struct tt_err err;

	for (uint64_t i = 0; i < 500; i++)
		CHECK_EQ_INT(tt_stack_push(&st, &mem, i, 0, 0, &err), 1);
	mem.cap = mem.used;
	CHECK_EQ_INT(tt_stack_find(&st, 500, 7), 8);
	CHECK_EQ_INT(tt_stack_find(&st, 500, 777), 0);
	tt_stack_free(&st, &mem);
	CHECK_EQ_INT(mem.used, 0);
}
