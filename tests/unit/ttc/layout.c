/* Tests of formats/ttc/layout.h: numbers, states, and walking records. */
#include "check.h"

#include "ttc/layout.h"
#include "recorder/core/platform.h"

TEST(layout_is_as_the_manual_says)
{
	CHECK_EQ_INT(offsetof(struct ttc_head, size), 12);
	CHECK_EQ_INT(offsetof(struct ttc_head, run), 24);
	CHECK_EQ_INT(offsetof(struct ttc_head, num), 48);
	CHECK_EQ_INT(offsetof(struct ttc_head, ticks), 64);
	CHECK_EQ_INT(offsetof(struct ttc_head, pid), 88);
	CHECK_EQ_INT(offsetof(struct ttc_head, clock), 100);
	CHECK_EQ_INT(offsetof(struct ttc_head, part_ticks), 104);
	CHECK_EQ_INT(offsetof(struct ttc_head, thread), 112);
	CHECK_EQ_INT(offsetof(struct ttc_head, record), 120);
	CHECK_EQ_INT(offsetof(struct ttc_head, part_last), 128);
	CHECK_EQ_INT(offsetof(struct ttc_head, zero), 132);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, commit), 8);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, seq), 16);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, ticks), 24);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, dropped), 32);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, events), 40);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, first), 48);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, before), 52);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, state), 56);
	CHECK_EQ_INT(offsetof(struct ttc_chunk, run), 60);
	CHECK_EQ_INT(offsetof(struct ttc_ring, total), 32);
	CHECK_EQ_INT(offsetof(struct ttc_ring, slots), 40);
	CHECK_EQ_INT(offsetof(struct ttc_ring, chunks), 48);
	CHECK_EQ_INT(offsetof(struct ttc_ring, chunk_at), 56);
	CHECK_EQ_INT(offsetof(struct ttc_ring, state), 64);
	CHECK_EQ_INT(offsetof(struct ttc_ring, head), 80);
	CHECK_EQ_INT(offsetof(struct ttc_slot, native), 8);
	CHECK_EQ_INT(offsetof(struct ttc_slot, chunk), 48);
}

TEST(numbers_come_back_and_never_end_too_late)
{
	uint64_t v = 0;
	uint8_t b[16];

	for (int up = 0; up < 64; up++)
		for (int d = -1; d <= 1; d++) {
			uint64_t x = ((uint64_t)1 << up) + (uint64_t)d;
			uint8_t *end = ttc_put(b, x);
			CHECK(end - b <= 10);
			CHECK(ttc_get(b, end, &v) == end && v == x);
			for (const uint8_t *cut = b; cut < end; cut++)
				CHECK(ttc_get(b, cut, &v) == NULL);
			CHECK(ttc_zag(ttc_zig(x)) == x);
		}
	memset(b, 0x80, sizeof b);
	CHECK(ttc_get(b, b + sizeof b, &v) == NULL);
	b[3] = 0;                     /* padded zero */
	CHECK(ttc_get(b, b + sizeof b, &v) == b + 4 && v == 0);
	CHECK(ttc_zig((uint64_t)-1) == 1);
	CHECK(ttc_zig(1) == 2);
}

TEST(state_comes_back)
{
	uint64_t zone[50], got[TTC_STACK];
	uint8_t b[600];

	for (uint32_t n = 0; n <= 50; n += 5) {
		struct ttc_walk w = { .zone = got, .max = TTC_STACK };
		struct ttc_chunk h = { .ticks = 77 };
		for (uint32_t i = 0; i < n; i++)
			zone[i] = i % 3 ? i * 1000003u : UINT64_MAX - i;
		size_t len = ttc_state_put(b, 5, UINT64_MAX, n + 3, n, zone, sizeof *zone);
		CHECK(len <= 40 + 10 * n);
		CHECK_EQ_INT(ttc_walk_state(&w, &h, b, len), len);
		CHECK(w.key == 5 && w.alloc_key == UINT64_MAX && w.ticks == 77 && w.depth == n + 3);
		CHECK(n == 0 || memcmp(got, zone, n * sizeof *zone) == 0);
		for (size_t cut = 0; cut < len; cut++)
			CHECK_EQ_INT(ttc_walk_state(&w, &h, b, cut), 0);
	}
}

/* Whatever the bytes, walking stays inside them. */
TEST(walking_any_bytes_stays_inside_them)
{
	uint64_t x = 1, zone[TTC_STACK];

	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)round % 60;
		uint8_t *p = malloc(n + 1);
		struct ttc_walk w = { .zone = zone, .max = TTC_STACK };
		struct ttc_chunk h = { 0 };
		for (size_t i = 0; i < n; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			p[i] = (uint8_t)(x >> (50 + round % 3));
		}
		size_t used = ttc_walk_state(&w, &h, p, n);
		CHECK(used <= n);
		w.depth = 0;
		CHECK(ttc_walk(&w, p, n) <= n);
		free(p);
	}
}

/* --- the clock's rate --------------------------------------------------------------------- */

/* 3 ticks a ns, from an instant that was ${apart} ticks wide to one as wide ${ns} later. */
static bool
rate_known(uint64_t ns, uint64_t apart, uint64_t step_ns)
{
	const struct plat_instant a = { .ticks = 1000, .mono_ns = 5, .apart = apart };
	const struct plat_instant b = { .ticks = 1000 + 3 * ns, .mono_ns = 5 + ns, .apart = apart };

	return plat_rate_known(&a, &b, step_ns);
}

TEST(a_rate_is_known_where_disturbed_instants_cannot_spoil_it)
{
	CHECK(!rate_known(0, 0, 1));
	CHECK(rate_known(1000000, 60, 1));
	CHECK(!rate_known(100000, 60, 1));          /* 120 of 300,000 ticks */
	CHECK(!rate_known(1000000, 60000, 1));      /* somebody else ran in between */
	CHECK(rate_known(10000000, 1400, 1));
	CHECK(!rate_known(1000000, 60, 100));       /* a clock of 100 ns steps */
	CHECK(rate_known(2100000, 60, 100));
	CHECK(!rate_known(PLAT_RATE_MAX_NS - 1, 1u << 30, 1));
	CHECK(rate_known(PLAT_RATE_MAX_NS, 1u << 30, 1));
}

TEST(a_file_without_its_rate_gets_it_from_50_ms)
{
	const struct ttc_head begun = { .clock = TTC_CLOCK_TSC, .num = 1000100, .den = 3000000 };       /* 100 ppm off */
	struct ttc_head h = begun;
	struct ttc_rate r = { .ns = 70 };

	ttc_rate_add(&r, &h, 149999997, 50000069);
	ttc_rate_set(&r, &h);
	CHECK_EQ_INT(h.flags, 0);
	ttc_rate_add(&r, &h, 150000000, 50000070);
	ttc_rate_set(&r, &h);
	CHECK_EQ_INT(h.flags, TTC_H_RATE);
	CHECK_EQ_INT(h.num * 3, h.den);
}
