/*
 * Tests of run/frame_choice.c: which frames of a long capture are looked at for causes: evenly spaced ones and the longest, and of a short capture all.
 */
#include "check.h"

#include "base/env.h"
#include "model/model.h"
#include "run/frame_replay.h"
#include "run/state.h"

enum { N = 3000, MANY = 140000 };

/* Choose of ${n} frames that last 10, and every ${every}th 20; how many are looked at. */
static size_t
choose(size_t n, size_t every, uint64_t zones, bool some, struct tt_frames *f)
{
	static struct tt_env env;
	static int64_t dur[MANY];
	static struct tt_model m;
	const struct tt_run r = { .some_frames = some, .zones_seen = zones, .m = &m };
	struct tt_err err = { 0 };

	m = (struct tt_model){ .env = &env, .frames = f };
	tt_arena_init(&m.arena, &env.mem);
	for (size_t i = 0; i < n; i++)
		dur[i] = every && i % every == 1 ? 20 + (int64_t)i : 10;
	*f = (struct tt_frames){ .n = n, .dur = dur };
	CHECK(tt_frames_choose(&r, &m, &err) == TT_OK);
	size_t looked = n;
	if (f->looked) {
		looked = f->looked[n];
		for (size_t i = 0; i < TT_FRAMES_SAMPLED; i++)
			CHECK(tt_frames_looked(f, tt_frames_sample(f, i), tt_frames_sample(f, i) + 1));
	}
	tt_arena_free(&m.arena);
	return looked;
}

static const uint64_t many = 3 << 20;

TEST(all_frames_are_looked_at_where_that_costs_little)
{
	struct tt_frames f;

	CHECK(choose(N, 100, many, false, &f) == N && !f.looked);
	CHECK(choose(N, 100, many >> 4, true, &f) == N && !f.looked);
	CHECK(choose(200, 100, many, true, &f) == 200 && !f.looked);
}

TEST(long_frames_of_a_long_capture_are_looked_at)
{
	struct tt_frames f;
	size_t n = choose(N, 100, many, true, &f);

	CHECK(n > TT_FRAMES_SAMPLED && n <= TT_FRAMES_SAMPLED + 30);
}

TEST(of_very_many_long_frames_the_longest_are)
{
	struct tt_frames f;
	size_t n = choose(N, 3, many, true, &f);

	CHECK(n >= 256 && n <= TT_FRAMES_SAMPLED + 256);
}

TEST(so_they_are_of_very_many_frames_with_few_zones)
{
	struct tt_frames f;

	CHECK(choose(1 << 17, 50000, many >> 4, true, &f) == 1 << 17 && !f.looked);
	CHECK(choose(MANY, 50000, many >> 4, true, &f) <= TT_FRAMES_SAMPLED + 3 && f.looked);
}
