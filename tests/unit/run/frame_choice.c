/*
 * Tests of run/frame_choice.c: which frames of a long capture are looked at for causes: evenly spaced ones and the longest, and all of a short
 * capture and of one whose frames a limit may hold.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "model/defs.h"
#include "model/model.h"
#include "run/frame_replay.h"
#include "run/state.h"

enum { N = 3000, MANY = 140000 };

/* Choose of ${n} frames that last 10, and every ${every}th 20, of a capture with the marker ${name}; how many are looked at. */
static size_t
choose_of(const char *name, size_t n, size_t every, uint64_t zones, bool some, struct tt_frames *f)
{
	struct tt_frame_range of = { .end = n };
	struct tt_capture cap = { 0 }, *caps[] = { &cap };
	static struct tt_env env;
	static struct tt_model m;
	const struct tt_run r = { .some_frames = some, .zones_seen = zones, .m = &m };
	struct tt_err err = { 0 };

	m = (struct tt_model){ .env = &env, .frames = f, .cap = caps, .ncap = 1 };
	CHECK(tt_defs_new(&env.mem, &cap.defs, &err) == TT_OK);
	CHECK(tt_defs_add(cap.defs, &(struct tt_def){ .kind = TT_DEF_MARKER, .key = 1, .text = name, .len = (uint32_t)strlen(name) }, &err) == TT_OK);
	tt_arena_init(&m.arena, &env.mem);
	*f = (struct tt_frames){ .mem = &env.mem, .range = &of, .nrange = 1 };
	for (size_t i = 0; i < n; i++)
		if (tt_frames_add(f, &(struct tt_frame){ .dur = every && i % every == 1 ? 20 + (int64_t)i : 10, .number = i + 1 }, &err) != TT_OK)
			abort();
	CHECK(tt_frames_choose_examined(&r, &m, &err) == TT_OK);
	size_t looked = n;
	if (f->is_part_examined) {
		looked = (size_t)tt_column_at(&f->nexamined_before, n);
		for (size_t i = 0; i < TT_FRAMES_SAMPLED; i++)
			CHECK(tt_frames_has_examined(f, tt_frames_sample(f, i), tt_frames_sample(f, i) + 1));
	}
	tt_frames_empty(f);
	tt_arena_free(&m.arena);
	tt_defs_free(cap.defs);
	return looked;
}

static size_t
choose(size_t n, size_t every, uint64_t zones, bool some, struct tt_frames *f)
{
	return choose_of("Work", n, every, zones, some, f);
}

static const uint64_t many = 3 << 20;

TEST(all_frames_are_looked_at_where_that_costs_little)
{
	struct tt_frames f;

	CHECK(choose(N, 100, many, false, &f) == N && !f.is_part_examined);
	CHECK(choose(N, 100, many >> 4, true, &f) == N && !f.is_part_examined);
	CHECK(choose(200, 100, many, true, &f) == 200 && !f.is_part_examined);
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

	CHECK(choose(1 << 17, 50000, many >> 4, true, &f) == 1 << 17 && !f.is_part_examined);
	CHECK(choose(MANY, 50000, many >> 4, true, &f) <= TT_FRAMES_SAMPLED + 3 && f.is_part_examined);
}

TEST(of_frames_that_a_limit_may_hold_all_are)
{
	struct tt_frames f;

	CHECK(choose_of("WaitForTargetFPS", N, 100, many, true, &f) == N && !f.is_part_examined);
	CHECK(choose_of("WaitForTargetFPS", N, 100, many << 4, true, &f) < N);
	CHECK(choose_of("WaitForTargetFPS", MANY, 50000, many, true, &f) < MANY);
}
