/*
 * Tests of fold/close_times.c: the times that an emitter wants, joined with all that is not the filter's, those of frames that are looked at
 * closely, and what lies between.
 */
#include "check.h"

#include "base/env.h"
#include "emit/emit.h"
#include "fold/close_times.h"
#include "model/model.h"

static struct tt_env env;

/* Ten frames of process 7, each 10 long, from 100 on; of them the third, the fourth and the eighth are looked at. */
static const int64_t looked[] = { 0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3 };
static struct tt_frame_range range = { .process = 7, .first = 0, .end = 10 };
static struct tt_frames frames = { .mem = &env.mem, .is_part_examined = true, .range = &range, .nrange = 1 };

static const struct tt_span wanted[] = { { 180, 188 }, { 10, 20 }, { 135, 150 }, { 145, 160 } };

static const struct tt_span *
times(const void *state, uint32_t process, size_t *n)
{
	(void)state;
	*n = process == 7 ? sizeof wanted / sizeof *wanted : 0;
	return wanted;
}

static struct tt_filter filter;

static int
make(const struct tt_emit *emit, uint32_t process, unsigned needs, struct tt_close_times *c)
{
	static struct tt_model m;
	static void *state[1];
	const struct tt_emit_opts eo = { 0 };
	const struct tt_close_emits emits = { .emit = &emit, .opts = &eo, .state = state, .n = emit ? 1 : 0 };
	struct tt_err err = { 0 };

	for (unsigned i = 0; frames.n < 10; i++)
		CHECK(tt_frames_add(&frames, &(struct tt_frame){ .start = 100 + 10 * i, .dur = 10, .number = i + 1 }, &err) == TT_OK &&
		    tt_column_set(&frames.nexamined_before, &env.mem, i + 1, looked[i + 1], &err) == TT_OK);
	m = (struct tt_model){ .env = &env, .frames = &frames, .filter = filter };
	return tt_close_times_make(&m, process, needs, &emits, c, &err);
}

static bool
is_clear(const struct tt_close_times *c, int64_t ts, int64_t from, int64_t to)
{
	struct tt_span span = tt_close_times_clear(c, ts);

	return span.from == from && span.to == to;
}

static bool
is_unlooked(const struct tt_close_times *c, int64_t ts, int64_t from, int64_t to)
{
	struct tt_span span = tt_close_times_between(&c->looked, ts);

	return span.from == from && span.to == to;
}

TEST(times_are_joined_in_order)
{
	const struct tt_emit emit = { .needs = TT_NEEDS_SLICES, .times = times };
	struct tt_close_times c;

	tt_filter_init(&filter);
	CHECK(make(&emit, 7, TT_NEEDS_SLICES | TT_NEEDS_BY_FRAME, &c) == TT_OK);
	CHECK(c.at.n == 3 && !c.always);
	CHECK(c.at.v[0].from == 10 && c.at.v[0].to == 20);
	CHECK(c.at.v[1].from == 135 && c.at.v[1].to == 160);
	CHECK(c.at.v[2].from == 180 && c.at.v[2].to == 188);
	CHECK(is_clear(&c, INT64_MIN, INT64_MIN, 10));
	CHECK(is_clear(&c, 9, INT64_MIN, 10));
	CHECK(is_clear(&c, 10, 20, 135));
	CHECK(is_clear(&c, 20, 20, 135));
	CHECK(is_clear(&c, 159, 160, 180));
	CHECK(is_clear(&c, 180, 188, INT64_MAX));
	CHECK(is_clear(&c, 1000, 188, INT64_MAX));
	tt_close_times_free(&c, &env.mem);
}

TEST(edges_and_holes_of_the_filter_are_looked_at)
{
	static struct tt_span hole[] = { { 140, 160 }, { 300, 310 } };
	struct tt_close_times c;

	tt_filter_init(&filter);
	filter.from = 125;
	filter.to = 400;
	filter.hole = hole;
	filter.nhole = 2;
	CHECK(make(NULL, 7, TT_NEEDS_CALLS, &c) == TT_OK && c.at.n == 4 && !c.always);
	CHECK(is_clear(&c, 124, 125, 140));
	CHECK(is_clear(&c, 125, 125, 140));
	CHECK(is_clear(&c, 150, 160, 300));
	CHECK(is_clear(&c, 399, 310, 400));
	tt_close_times_free(&c, &env.mem);
	/* What the filter leaves out is looked at, whatever frames are. */
	CHECK(make(NULL, 7, TT_NEEDS_CALLS | TT_NEEDS_BY_FRAME, &c) == TT_OK && c.at.n == 4 && c.looked.n == 2);
	CHECK(is_clear(&c, 150, 160, 300));
	tt_close_times_free(&c, &env.mem);
}

TEST(other_processes_have_none)
{
	const struct tt_emit emit = { .needs = TT_NEEDS_SLICES, .times = times };
	struct tt_close_times c;

	tt_filter_init(&filter);
	CHECK(make(&emit, 8, TT_NEEDS_SLICES | TT_NEEDS_BY_FRAME, &c) == TT_OK && c.at.n == 0 && c.looked.n == 0 && !c.sums && !c.always);
	CHECK(is_clear(&c, 0, INT64_MIN, INT64_MAX));
	tt_close_times_free(&c, &env.mem);
}

TEST(an_emitter_without_times_wants_all)
{
	const struct tt_emit all = { .needs = TT_NEEDS_SLICES }, none = { .needs = TT_NEEDS_CALLS };
	struct tt_close_times c;

	tt_filter_init(&filter);
	CHECK(make(&all, 8, TT_NEEDS_SLICES, &c) == TT_OK && c.always);
	CHECK(is_clear(&c, 5, INT64_MAX, INT64_MAX));
	tt_close_times_free(&c, &env.mem);
	CHECK(make(&none, 8, TT_NEEDS_CALLS, &c) == TT_OK && c.at.n == 0 && !c.always);
	tt_close_times_free(&c, &env.mem);
}

/* The third and the fourth follow each other. */
TEST(frames_that_are_looked_at_are_summed_up)
{
	struct tt_close_times c;

	tt_filter_init(&filter);
	CHECK(make(NULL, 7, TT_NEEDS_BY_FRAME, &c) == TT_OK && c.sums && c.at.n == 0 && c.looked.n == 2 && !c.always);
	CHECK(is_unlooked(&c, 0, INT64_MIN, 120));
	CHECK(is_unlooked(&c, 119, INT64_MIN, 120));
	CHECK(is_unlooked(&c, 120, 140, 170));
	CHECK(is_unlooked(&c, 139, 140, 170));
	CHECK(is_unlooked(&c, 140, 140, 170));
	CHECK(is_unlooked(&c, 179, 180, INT64_MAX));
	CHECK(is_unlooked(&c, 180, 180, INT64_MAX));
	tt_close_times_free(&c, &env.mem);
}

TEST(all_frames_looked_at_are_summed_up)
{
	struct tt_close_times c;

	tt_filter_init(&filter);
	frames.is_part_examined = false;
	CHECK(make(NULL, 7, TT_NEEDS_BY_FRAME, &c) == TT_OK && c.sums && c.at.n == 0 && c.looked.n == 0 && !c.always);
	tt_close_times_free(&c, &env.mem);
	CHECK(make(NULL, 7, 0, &c) == TT_OK && c.at.n == 0 && !c.sums && !c.always);
	tt_close_times_free(&c, &env.mem);
	frames.is_part_examined = true;
}
