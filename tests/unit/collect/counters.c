/* Tests of collect/counters.h: differences of counters add up, modulo 2^32 where Mono counts in 32 bits and modulo 2^64 else. */
#include "check.h"

#include "collect/counters.h"
#include "game.h"
#include "model/model.h"

enum { INT = 0, UINT = 1, LONG = 3, ULONG = 4, KINDS = 4, SECTION = 1 << 8, VALUES = 4 };

static struct game g;

/* Four types, each with the differences that lead from 0 to its values. */
static const struct { unsigned type; int64_t delta[VALUES]; uint64_t want[VALUES]; } of[KINDS] = {
	{ UINT, { 5, INT64_C(4294967290), 3, -2 }, { 5, UINT32_MAX, 2, 0 } },
	{ ULONG, { 5, INT64_C(4294967290), 3, -2 }, { 5, UINT32_MAX, UINT64_C(4294967298), UINT64_C(4294967296) } },
	{ INT, { 5, -7, 1, 4 }, { 5, UINT64_MAX - 1, UINT64_MAX, 3 } },
	{ LONG, { 5, INT64_C(4294967290), 3, -2 }, { 5, UINT32_MAX, UINT64_C(4294967298), UINT64_C(4294967296) } },
};

TEST(differences_add_up_in_the_bits_of_their_type)
{
	struct mlpd_counter is[KINDS];
	static const char *const name[KINDS] = { "32 bits", "64 bits", "signed", "signed, long" };

	for (unsigned last = 0; last < VALUES; last++) {
		game_begin(&g);
		for (unsigned k = 0; k < KINDS; k++)
			is[k] = (struct mlpd_counter){ .section = SECTION, .name = name[k], .type = of[k].type, .index = k + 1 };
		mlpd_counter_desc(game_buffer(&g), game_now(&g), is, KINDS);
		for (unsigned i = 0; i <= last; i++)
			for (unsigned k = 0; k < KINDS; k++) {
				game_spend(&g, 1000);
				const struct mlpd_count value = { .index = k + 1, .type = of[k].type, .value = of[k].delta[i] };
				mlpd_counters(game_buffer(&g), game_now(&g), &value, 1);
			}
		game_run(&g, TT_NEEDS_POINTS);
		const struct tt_counters *c = tt_counters(g.r.m);
		CHECK_EQ_INT(c->n, KINDS);
		for (unsigned k = 0; k < c->n && k < KINDS; k++) {
			CHECK_EQ_INT(c->counter[k].n, last + 1);
			CHECK_EQ_INT(c->counter[k].last.u, of[k].want[last]);
			CHECK_EQ_INT(c->counter[k].first.u, 5);
		}
		CHECK_EQ_INT(game_end(&g), 0);
	}
}
