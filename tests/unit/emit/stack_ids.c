/*
 * Tests of emit/stack_ids.h: stacks made of the ones before are those found by walking the tree from each node outwards.
 */
#include "check.h"

#include "base/proto.h"
#include "emit/stack_ids.h"
#include "emit/stacks.h"
#include "memrun.h"
#include "mlpd_encode.h"

#define T0 1000000000u
#define CODE 0x1000u

static uint64_t random_state;

static unsigned
below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

/* Calls of three threads in turn, with stacks of up to ${deepest} methods. */
static void
make(struct mlpd_writer *w, unsigned deepest)
{
	static unsigned stack[3][20000];
	struct mlpd_buffer b = { 0 };
	unsigned n[3] = { 0 };
	uint64_t t = T0;

	mlpd_init(w, 17, 8);
	mlpd_header(w, 1600000000000, T0);
	for (unsigned round = 0; round < 18; round++) {
		unsigned tid = round / 3 % 3, to = round % 3 && n[tid] > 4000 ? n[tid] - below(4000) : below(deepest);
		unsigned step = 1 + below(40);

		mlpd_open(&b, w, 7 + tid, t, 0, 0, CODE);
		while (n[tid] > to)
			mlpd_leave(&b, t++, CODE + 8 * stack[tid][--n[tid]]);
		/* far, and again and again from a little way up: as far up as what is kept of a stack goes, and farther */
		to = round % 3 ? n[tid] + below(300) : below(deepest);
		for (; n[tid] < to && n[tid] < 20000; n[tid]++) {
			stack[tid][n[tid]] = n[tid] % step ? 1 : below(300);
			mlpd_enter(&b, t++, CODE + 8 * stack[tid][n[tid]]);
			if (below(50) == 0)
				mlpd_alloc(&b, t++, 16, 4096, 24, NULL);
		}
		mlpd_flush(&b);
	}
}

/* The ids as stack_ids.h says them, found the plain way; their bytes. The texts are marked. */
static size_t
walk(const struct tt_stacks *s, uint32_t node, char *to, bool *deeper, uint8_t *marked)
{
	unsigned depth = 0;
	char *p = to;

	for (; node && depth < TT_CHAIN_DEPTH; node = tt_stacks_up(s, node)) {
		if (!tt_stacks_frame(s, node))
			continue;
		p = tt_put_varint(p, s->text[node] + UINT64_C(1));
		marked[s->text[node]] = 1;
		depth++;
	}
	*deeper = node && tt_stacks_frame(s, node);
	return (size_t)(p - to);
}

static unsigned deepest_met;

/* Are the stacks of all nodes, in the order of the tree or any other, the same both ways? */
static bool
agree(const struct tt_stacks *s, bool any_order, struct tt_err *err)
{
	static char want[10 * TT_CHAIN_DEPTH];
	uint8_t *used = calloc(s->nname, 1), *marked = calloc(s->nname, 1);
	struct tt_chain *c;
	bool good = used && marked && CHECK_EQ_INT(tt_chain_new(s, TT_CHAIN_DEPTH, &c, err), TT_OK);

	for (uint32_t i = 1; good && i < s->n; i += any_order ? 20 : 1) {
		uint32_t node = any_order ? 1 + below(s->n - 1) : i;
		struct tt_chain_stack k;
		bool deeper;
		size_t n;

		if (s->same[node] != node || tt_stacks_kind(s, node) == TT_STACK_NONE)
			continue;
		k = tt_chain_at(c, node, used);
		n = walk(s, node, want, &deeper, marked);
		deepest_met += deeper;
		good &= CHECK(n == k.n && memcmp(want, k.ids, n) == 0 && deeper == k.deeper);
	}
	good = good && CHECK(memcmp(used, marked, s->nname) == 0);
	if (used && marked)
		tt_chain_free(c);
	free(used);
	free(marked);
	return good;
}

TEST(stacks_made_of_the_last_one_are_those_of_the_tree)
{
	bool good = true;

	for (unsigned seed = 1; seed <= 8 && good; seed++) {
		struct mlpd_writer w;
		struct tt_stacks s;
		struct memrun r;

		random_state = seed;
		make(&w, seed % 4 == 0 ? 300 : seed % 4 == 1 ? 2100 : 20000);
		memrun(&r, w.out.data, w.out.len, MEMRUN_CALLS);
		good = CHECK_EQ_INT(r.rc, TT_OK) && CHECK_EQ_INT(tt_stacks_init(&s, r.m, NULL, false, &r.err), TT_OK);
		if (good) {
			good = agree(&s, false, &r.err) && agree(&s, true, &r.err);
			tt_stacks_free(&s);
		}
		if (!good)
			printf("seed %u\n", seed);
		CHECK_EQ_INT(memrun_free(&r), 0);
		mlpd_free(&w);
	}
	CHECK(deepest_met > 1000);
}
