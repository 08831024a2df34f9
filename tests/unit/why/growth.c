/*
 * Tests of why/growth.c: methods whose time grows over the capture, or that are called more, or take longer, from some frame on; and what is none of these
 * (tracetool-metrics(7), Causes, growth).
 */
#include "causes_kit.h"

enum { DRAW = 1, THINK, STEADY, LATE, FRAMES = 400 };

static struct causes k;

static void
begin(void)
{
	game_begin(&k.g);
	game_method(&k.g, DRAW, "Game.World:Draw (int)");
	game_method(&k.g, THINK, "Game.Foe:Think ()");
	game_method(&k.g, STEADY, "Game.World:Tick ()");
	game_method(&k.g, LATE, "Game.Foe:Chase ()");
	game_spend(&k.g, 100 * GAME_MS);
}

/* A frame: 5 ms of what stays as it is, and ${n} calls of ${method} of ${ns} each. */
static void
frame(unsigned i, unsigned method, unsigned n, uint64_t ns)
{
	game_enter(&k.g, GAME_FRAME);
	game_call(&k.g, STEADY, 5 * GAME_MS + i * 7919 % 50000);
	for (unsigned c = 0; c < n; c++)
		game_call(&k.g, method, ns);
	game_leave(&k.g, GAME_FRAME);
}

static void
find(void)
{
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
}

/* The frames' median of what grows linearly from ${low} by ${each} a frame: of the first eighth, or of the last. */
static int64_t
median(int64_t low, int64_t each, bool last)
{
	const unsigned eighth = FRAMES / 8;

	/* The nearest-rank median of frames from + 1 to from + eighth. */
	return low + each * (int64_t)((last ? FRAMES - eighth : 0) + (eighth + 1) / 2);
}

TEST(a_method_that_grows_has_the_medians_of_the_first_and_the_last_eighth)
{
	int64_t extra = 0;

	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, DRAW, 1, GAME_MS + i * 10 * GAME_US);
	find();
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	if (CHECK(f != NULL)) {
		char want[64];

		CHECK_STR(f->marker, "World:Draw");
		CHECK_STR(f->frames, "all frames");
		CHECK_EQ_INT(f->n, 0);
		/* 1.25 ms to 4.75 ms: the median of frames 1 to 50 is that of frame 25, of 351 to 400 that of frame 375. */
		snprintf(want, sizeof want, "from %.3f ms to %.3f ms", (double)median(GAME_MS, 10 * GAME_US, false) / 1e6,
		    (double)median(GAME_MS, 10 * GAME_US, true) / 1e6);
		CHECK_HAS(f->sentence, want);
		CHECK_HAS(f->sentence, "as medians of the first and the last eighth");
		/* What all frames take beyond the median at the start, estimated by 128 samples. */
		for (unsigned i = 1; i <= FRAMES; i++) {
			const int64_t more = GAME_MS + i * 10 * GAME_US - median(GAME_MS, 10 * GAME_US, false);

			extra += more > 0 ? more : 0;
		}
		CHECK(llabs(f->extra - extra) < extra / 20);
	}
	causes_end(&k);
}

TEST(calls_that_grow_are_told_from_calls_that_take_longer)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, DRAW, 10 + i / 10, 100 * GAME_US);
	find();
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	CHECK(f && strstr(f->sentence, "calls a frame grow from 12 to 47"));
	if (f && !strstr(f->sentence, "12 to 47"))
		printf("%s\n", f->sentence);
	causes_end(&k);
}

TEST(what_grows_at_once_is_no_growth_but_a_step_of_calls)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, DRAW, i <= FRAMES / 2 ? 4 : 40, 100 * GAME_US);
	find();
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	if (CHECK(f != NULL)) {
		CHECK_STR(f->marker, "World:Draw");
		CHECK_HAS(f->sentence, "4");
		CHECK_HAS(f->sentence, "40");
		/* Each frame from there on takes 3.6 ms more. */
		CHECK(llabs(f->extra - (int64_t)(FRAMES / 2) * 3600 * GAME_US) < f->extra / 10);
	}
	/* They are half of all frames: none is a hitch of its own. */
	for (size_t i = 0; i < k.c.ncause; i++)
		CHECK_EQ_INT(k.c.cause[i].worst, 0);
	causes_end(&k);
}

TEST(a_step_of_time_needs_twice_as_long_and_as_many_calls)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, DRAW, 2, i <= FRAMES / 2 ? 500 * GAME_US : 2 * GAME_MS);
	find();
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	CHECK(f && f->marker && strcmp(f->marker, "World:Draw") == 0);
	causes_end(&k);
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, DRAW, 2, i <= FRAMES / 2 ? 1000 * GAME_US : 1800 * GAME_US);
	find();
	CHECK(causes_finding(&k, TT_CAUSE_GROWTH) == NULL);
	causes_end(&k);
}

TEST(a_growth_of_less_than_half_or_of_a_twentieth_of_a_frame_is_none)
{
	/* By 40 %; and by three times, but of 100 us in frames of 5 ms. */
	static const struct { uint64_t low, each; } grows[] = { { 2 * GAME_MS, 2 * GAME_US }, { 50 * GAME_US, GAME_US / 4 } };

	for (size_t t = 0; t < 2; t++) {
		begin();
		for (unsigned i = 1; i <= FRAMES; i++)
			frame(i, DRAW, 1, grows[t].low + i * grows[t].each);
		find();
		CHECK(causes_finding(&k, TT_CAUSE_GROWTH) == NULL);
		causes_end(&k);
	}
}

/* Frames whose Draw takes ${us} in each eighth. */
static void
eighths(const unsigned us[8])
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, DRAW, 1, us[(i - 1) * 8 / FRAMES] * GAME_US);
	find();
}

TEST(a_growth_goes_up_in_six_of_seven_steps)
{
	static const unsigned six[8] = { 2000, 2400, 2300, 2800, 3200, 3600, 4000, 4400 };
	static const unsigned four[8] = { 2000, 3000, 2500, 3400, 2900, 3800, 3300, 4500 };

	eighths(six);
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	CHECK_STR(f && f->marker ? f->marker : "", "World:Draw");
	causes_end(&k);
	eighths(four);
	CHECK(causes_finding(&k, TT_CAUSE_GROWTH) == NULL);
	causes_end(&k);
}

TEST(a_growth_is_not_mostly_one_step)
{
	static const unsigned step[8] = { 1000, 1010, 1020, 1030, 3000, 3010, 3020, 3030 };

	eighths(step);
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	CHECK(f && !strstr(f->sentence, "cost per call grows"));
	/* It is told from which frame on. */
	CHECK_STR(f ? f->frames : "", "from frame 201 on");
	causes_end(&k);
}

TEST(everything_that_slows_down_together_has_no_marker)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		/* The same work takes three times as long in the end. */
		const uint64_t slow = 1000 + 5 * i;

		game_enter(&k.g, GAME_FRAME);
		game_call(&k.g, STEADY, 2 * GAME_US * slow);
		game_call(&k.g, DRAW, 2 * GAME_US * slow);
		game_call(&k.g, THINK, GAME_US * slow);
		game_leave(&k.g, GAME_FRAME);
	}
	find();
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_GROWTH);
	if (CHECK(f != NULL)) {
		CHECK(f->marker == NULL);
		/* Frame 25 takes 5.625 ms, frame 375 14.375 ms. */
		CHECK_HAS(f->sentence, "2.6 times");
		CHECK_HAS(f->sentence, "5.625 ms");
		CHECK_HAS(f->sentence, "14.38 ms");
	}
	causes_end(&k);
}

TEST(eight_that_grow_most_have_a_row_each_and_the_largest_come_first)
{
	enum { METHODS = 10 };
	unsigned n = 0;
	int64_t before = INT64_MAX;

	game_begin(&k.g);
	game_method(&k.g, 30, "Game.World:Tick ()");
	for (unsigned m = 0; m < METHODS; m++) {
		char name[40];

		snprintf(name, sizeof name, "Game.Part%u:Run ()", m);
		game_method(&k.g, 10 + m, name);
	}
	game_spend(&k.g, 100 * GAME_MS);
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&k.g, GAME_FRAME);
		/* Most of the time stays, or everything would be said to slow down. */
		game_call(&k.g, 30, 10 * GAME_MS);
		for (unsigned m = 0; m < METHODS; m++)
			game_call(&k.g, 10 + m, 200 * GAME_US + i * (5 + m) * GAME_US);
		game_leave(&k.g, GAME_FRAME);
	}
	find();
	for (size_t i = 0; i < k.c.nfinding; i++) {
		const struct tt_finding *f = &k.c.finding[i];

		if (f->class != TT_CAUSE_GROWTH)
			continue;
		n++;
		CHECK(f->extra <= before);
		before = f->extra;
		/* Those that grow least are left out. */
		CHECK(strcmp(f->marker, "Part0:Run") != 0 && strcmp(f->marker, "Part1:Run") != 0);
	}
	CHECK_EQ_INT(n, 8);
	causes_end(&k);
}
