/*
 * Tests of view/figures.h: values of frames against the times that were recorded, sorted by the simplest sort; limits of usual rates; and 64 bits at
 * their ends.
 */
#include "check.h"

#include "game.h"
#include "view/view.h"

enum { MOST = 400 };

static struct tt_err err;
static struct game g;
static struct tt_views view;
static int64_t wall[MOST];

static int
by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* ${n} frames of times drawn by ${seed}, which are left in order in wall. */
static const struct tt_values *
open_frames(size_t n, uint64_t seed)
{
	game_begin(&g);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		wall[i] = 8 * GAME_MS + (int64_t)(seed >> 40) % (10 * GAME_MS);
		game_call(&g, GAME_FRAME, (uint64_t)wall[i]);
	}
	game_enter(&g, GAME_FRAME);
	game_leave(&g, GAME_FRAME);
	game_run(&g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
	tt_view_init(&view, g.r.m);
	qsort(wall, n, sizeof *wall, by_size);
	return tt_view_frames(&view, TT_FRAME_WALL, &err);
}

static void
close_frames(void)
{
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* ${sum} / ${n} to the nearest. */
static int64_t
near(int64_t sum, int64_t n)
{
	return (2 * sum + n) / (2 * n);
}

TEST(values_of_frames_are_those_that_were_recorded)
{
	static const size_t count[] = { 1, 2, 3, 19, 20, 21, 39, 100, 101, MOST };

	for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
		const size_t n = count[k], cut = n / 20;
		const struct tt_values *v = open_frames(n, 7 + k);
		int64_t sum = 0, kept = 0;

		CHECK_EQ_INT(v->n, n);
		for (size_t i = 0; i < n; i++) {
			sum += wall[i];
			kept += i >= cut && i < n - cut ? wall[i] : 0;
		}
		CHECK_EQ_INT(v->sum, sum);
		CHECK_EQ_INT(tt_values_mean(v, 1), near(sum, (int64_t)n));
		CHECK_EQ_INT(tt_values_trimmed(v, 1), near(kept, (int64_t)(n - 2 * cut)));
		/* Nearest rank: the least value that so many are at most. */
		for (unsigned p = 1; p <= 100; p++) {
			const size_t rank = (n * p + 99) / 100;

			CHECK_EQ_INT(tt_values_quantile(v, p, 100), wall[rank - 1]);
			CHECK_EQ_INT(tt_values_percentile(v, p, 100, TT_PERCENTILES_NEAREST), wall[rank - 1]);
			CHECK_EQ_INT(tt_values_percentile(v, p, 100, TT_PERCENTILES_UNITY), wall[(n - 1) * p / 100]);
		}
		for (size_t i = 0; i < n; i++) {
			size_t over = 0;

			for (size_t j = 0; j < n; j++)
				over += wall[j] > wall[i];
			CHECK_EQ_INT(tt_values_over(v, wall[i]), over);
		}
		CHECK_EQ_INT(tt_values_over(v, 0), n);
		CHECK_EQ_INT(tt_values_over(v, INT64_MAX), 0);
		CHECK_EQ_INT(tt_values_over(v, INT64_MIN), n);
		close_frames();
	}
}

TEST(frames_per_second_of_the_longest_are_of_their_number_rounded_up)
{
	const struct tt_values *v = open_frames(101, 5);
	const int64_t two = wall[100] + wall[99];
	int64_t all = 0;

	for (size_t i = 0; i < 101; i++)
		all += wall[i];
	/* One hundredth of 101 frames is two. */
	CHECK(llabs(tt_values_fps(v, 100) - 2 * 1000000000000 / two) <= 1);
	CHECK(llabs(tt_values_fps(v, 1000) - 1000000000000 / wall[100]) <= 1);
	CHECK(llabs(tt_values_fps(v, 1) - (int64_t)(101.0 * 1e12 / (double)all)) <= 1);
	close_frames();
}

TEST(a_capture_without_frames_has_no_values)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Draw (int)");
	game_call(&g, 1, 100);
	game_run(&g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
	tt_view_init(&view, g.r.m);
	for (unsigned what = 0; what < TT_FRAME_VALUES; what++) {
		const struct tt_values *v = tt_view_frames(&view, what, &err);

		CHECK_EQ_INT(v->n, 0);
		CHECK_EQ_INT(tt_values_mean(v, 1), 0);
		CHECK_EQ_INT(tt_values_trimmed(v, 1), 0);
		CHECK_EQ_INT(tt_values_quantile(v, 1, 2), 0);
		CHECK_EQ_INT(tt_values_over(v, -1), 0);
		CHECK_EQ_INT(tt_values_fps(v, 100), 0);
		CHECK_EQ_INT(tt_values_stddev(v), 0);
	}
	close_frames();
}

TEST(what_no_frame_has_is_no_value)
{
	const struct tt_frames *f;
	int64_t v;

	open_frames(30, 6);
	f = g.r.m->frames;
	/* Nothing waits, nothing is the Editor's, and the engine measures nothing. */
	CHECK(!tt_frame_value(f, TT_FRAME_CPU, 0, &v));
	CHECK(!tt_frame_value(f, TT_FRAME_EDITOR, 0, &v));
	CHECK(!tt_frame_value(f, TT_FRAME_TIMING, 0, &v));
	CHECK(tt_frame_value(f, TT_FRAME_UNCAPPED, 0, &v));
	CHECK(tt_frame_value(f, TT_FRAME_ALLOC_B, 0, &v));
	CHECK_EQ_INT(v, 0);
	CHECK_EQ_INT(tt_frames_editor_percent(f), -1);
	CHECK_EQ_INT(tt_frames_editor_percent(NULL), -1);
	close_frames();
}

TEST(a_written_limit_lets_a_frame_at_that_rate_hold)
{
	static const struct { int64_t written, rate; } usual[] = { { 16670000, 60 }, { 33330000, 30 }, { 8330000, 120 }, { 66670000, 15 },
		{ 41670000, 24 }, { 22220000, 45 }, { 13890000, 72 }, { 11110000, 90 }, { 6940000, 144 }, { 4170000, 240 } };

	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		const int64_t limit = tt_frame_limit(usual[i].written);

		/* A frame of exactly 1/rate s holds; a clock's step of 100 ns or a microsecond does not break it, and a hundredth longer does. */
		CHECK(limit * usual[i].rate >= 1000000000);
		CHECK(limit * usual[i].rate < 1010000000);
		CHECK(limit >= 1000000000 / usual[i].rate + 1000);
	}
	CHECK_EQ_INT(tt_frame_limit(16660000), 16660000);
	CHECK_EQ_INT(tt_frame_limit(16670001), 16670001);
	CHECK_EQ_INT(tt_frame_limit(0), 0);
	CHECK_EQ_INT(tt_frame_limit(-5), -5);
	CHECK_EQ_INT(tt_frame_limit(INT64_MAX), INT64_MAX);
}

TEST(caps_are_the_same_within_a_tenth_of_each_other)
{
	CHECK(tt_is_same_cap(100, 100));
	CHECK(tt_is_same_cap(100, 110));
	CHECK(tt_is_same_cap(110, 100));
	CHECK(!tt_is_same_cap(100, 111));
	CHECK(!tt_is_same_cap(111, 100));
	CHECK(!tt_is_same_cap(0, 0));
	CHECK(!tt_is_same_cap(100, 0));
	CHECK(!tt_is_same_cap(-100, -100));
	CHECK(tt_is_same_cap(INT64_MAX / 2, INT64_MAX / 2 - 1));
}

TEST(a_cap_is_told_as_rate_and_period)
{
	char text[TT_CAP_TEXT];

	*tt_put_cap(text, 33333333) = '\0';
	CHECK_STR(text, "30 fps (33.3 ms)");
	*tt_put_cap(text, 16683350) = '\0';
	CHECK_STR(text, "59.9 fps (16.7 ms)");
	*tt_put_cap(text, 12452663) = '\0';
	CHECK_STR(text, "80.3 fps (12.45 ms)");       /* 12.5 ms is 80 fps */
	*tt_put_cap(text, 12500000) = '\0';
	CHECK_STR(text, "80 fps (12.5 ms)");
	*tt_put_cap(text, 6944444) = '\0';
	CHECK_STR(text, "144 fps (6.94 ms)");         /* 6.9 ms is 145 fps */
	*tt_put_cap(text, 4166667) = '\0';
	CHECK_STR(text, "240 fps (4.17 ms)");
	*tt_put_cap(text, 1) = '\0';
	CHECK_HAS(text, "fps (0.0000 ms)");
	CHECK(strlen(text) < TT_CAP_TEXT);
	*tt_put_cap(text, INT64_MAX) = '\0';
	CHECK(strlen(text) < TT_CAP_TEXT);
}

TEST(rate_and_period_of_a_cap_are_one)
{
	for (int64_t ns = 1000000; ns < 100000000; ns += 7919) {
		char text[TT_CAP_TEXT], *point;
		double fps, ms;

		*tt_put_cap(text, ns) = '\0';
		CHECK(sscanf(text, "%lf fps (%lf ms)", &fps, &ms) == 2);
		CHECK(fps - 1e9 / (double)ns <= .0501 && 1e9 / (double)ns - fps <= .0501);
		/* One is told as precisely as the other tells it. */
		point = strchr(text, '.');
		const double unit = point && point < strchr(text, ' ') ? .1 : 1;
		CHECK(fps - 1000 / ms <= unit / 2 + 1e-6 && 1000 / ms - fps <= unit / 2 + 1e-6);
	}
}

TEST(collections_of_generations_are_added_and_the_longest_kept)
{
	const struct tt_gc_stat gen[3] = { { 2, 30, 20 }, { 1, 7, 7 }, { 3, 90, 50 } };
	struct tt_gc_stat sum = tt_collections(gen, 0, 3);

	CHECK_EQ_INT(sum.n, 6);
	CHECK_EQ_INT(sum.total, 127);
	CHECK_EQ_INT(sum.max, 50);
	sum = tt_collections(gen, 1, 2);
	CHECK_EQ_INT(sum.n, 1);
	CHECK_EQ_INT(sum.max, 7);
	sum = tt_collections(gen, 2, 2);
	CHECK_EQ_INT(sum.n, 0);
	CHECK_EQ_INT(sum.max, 0);
}
