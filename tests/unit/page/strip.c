/*
 * Tests of page/strip.c: the chart of frame times, the steps of its axes, and the times that page scripts read back; whole elements, whatever frames are.
 */
#include "page_kit.h"

#include "game.h"
#include "page/report_page.h"
#include "view/view.h"

static struct game g;
static struct tt_views view;
static struct tt_report report;
static struct tt_buf out;
static struct tt_err err;
static int64_t wall[4096];

/* ${n} frames, whose times ${time} gives. */
static const struct tt_values *
open_frames(size_t n, int64_t (*time)(size_t))
{
	game_begin(&g);
	for (size_t i = 0; i < n; i++)
		game_call(&g, GAME_FRAME, (uint64_t)(wall[i] = time(i)));
	game_enter(&g, GAME_FRAME);
	game_leave(&g, GAME_FRAME);
	game_run(&g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
	tt_view_init(&view, g.r.m);
	tt_report_init(&report, &g.r.env.mem);
	out = (struct tt_buf){ 0 };
	return tt_view_frames(&view, TT_FRAME_WALL, &err);
}

static void
close_frames(void)
{
	tt_buf_free(&out);
	tt_report_free(&report);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

static int64_t
mixed(size_t i)
{
	return 10 * GAME_MS + (int64_t)(i * 7919 % 4000) * GAME_US - (i % 97 == 0 ? 0 : 3 * GAME_MS);
}

static int64_t
equal(size_t i)
{
	(void)i;
	return 16 * GAME_MS;
}

static int64_t
extreme(size_t i)
{
	return i % 2 ? 1 : (int64_t)1 << (20 + i);
}

TEST(a_step_is_the_least_round_number_that_is_met_seldom_enough)
{
	static const uint64_t all[] = { 0, 1, 2, 9, 10, 11, 99, 1000, 16666667, 123456789, UINT32_MAX, INT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		for (unsigned most = 2; most <= 20; most++) {
			const uint64_t step = tt_page_axis_step(all[i], most);
			uint64_t digit = step, less = 0;

			while (digit % 10 == 0)
				digit /= 10;
			CHECK(digit == 1 || digit == 2 || digit == 5);
			CHECK(all[i] / step <= most);
			/* The one before it is met too often. */
			less = digit == 5 ? step / 5 * 2 : step / 2;
			CHECK(less == 0 || all[i] / less > most);
		}
	}
}

TEST(round_times_have_the_largest_unit_without_a_rest)
{
	static const struct { uint64_t ns; const char *text; } time[] = { { 1, "1 ns" }, { 1000, "1 \xc2\xb5s" }, { 1500, "1500 ns" },
		{ 20000000, "20 ms" }, { 2000000000, "2 s" }, { 1000000001, "1000000001 ns" } };

	for (size_t i = 0; i < sizeof time / sizeof *time; i++) {
		struct tt_buf b = { 0 };

		tt_page_round_time(&b, time[i].ns);
		CHECK_STR(tt_buf_string(&b), time[i].text);
		tt_buf_free(&b);
	}
}

TEST(charts_of_any_frames_are_whole_elements_of_bounded_size)
{
	static const struct { size_t n; int64_t (*time)(size_t); } kind[] = { { 1, mixed }, { 2, equal }, { 100, equal }, { 1200, mixed }, { 1201, mixed },
		{ 4000, mixed }, { 30, extreme } };

	for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
		const struct tt_values *v = open_frames(kind[k].n, kind[k].time);
		const struct tt_frames *f = g.r.m->frames;
		const char *wrong;

		CHECK_EQ_INT(f->n, kind[k].n);
		tt_page_put_frame_chart(f, 0, f->n, v, &report, &out);
		/* The caller ends the figure. */
		tt_buf_text(&out, "</figure>");
		wrong = page_malformed(&out);
		CHECK_STR(wrong ? wrong : "", "");
		/* Some bytes for each column, of which there are no more than 1,200. */
		CHECK(out.n < 10000 + TT_PAGE_COLUMNS * 60);
		out.n = 0;
		tt_page_strip_picture(f, 0, f->n, v, &report, 10, &out);
		wrong = page_malformed(&out);
		CHECK_STR(wrong ? wrong : "", "");
		CHECK_EQ_INT(page_count(&out, "<a "), 0);
		close_frames();
	}
}

TEST(no_frames_have_no_chart)
{
	const struct tt_values *v = open_frames(3, equal);

	tt_page_put_frame_chart(g.r.m->frames, 2, 2, v, &report, &out);
	CHECK_EQ_INT(out.n, 0);
	close_frames();
}

/* Read as page.js does: digits of five bits, the lowest first, of which the sixth says that more follow; differences, signs in the lowest bit. */
static size_t
decode(const char *p, size_t n, int64_t *to)
{
	size_t k = 0;
	int64_t last = 0;

	for (size_t i = 0; i < n;) {
		uint64_t v = 0;

		for (unsigned shift = 0;; shift += 5) {
			const int digit = page_digit(p[i++]);

			v |= (uint64_t)(digit & 31) << shift;
			if (!(digit & 32))
				break;
		}
		last += v & 1 ? -(int64_t)(v >> 1) - 1 : (int64_t)(v >> 1);
		to[k++] = last;
	}
	return k;
}

TEST(times_for_scripts_are_those_of_the_frames)
{
	static int64_t have[4096];
	static const struct { size_t n; int64_t (*time)(size_t); } kind[] = { { 1, equal }, { 4000, mixed }, { 30, extreme } };

	for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
		size_t n = 0;

		open_frames(kind[k].n, kind[k].time);
		CHECK(tt_page_put_times(g.r.m->frames, 0, g.r.m->frames->n, false, PAGE_HOSTILE, 0, &out));
		const char *wrong = page_malformed(&out);
		CHECK_STR(wrong ? wrong : "", "");
		page_check(&out);
		const char *text = page_element(&out, "data-first=\"1\"", &n);
		CHECK(text && decode(text, n, have) == kind[k].n);
		for (size_t i = 0; i < kind[k].n; i++)
			CHECK_EQ_INT(have[i], wall[i]);
		close_frames();
	}
}

TEST(times_are_there_whole_or_not_at_all)
{
	size_t fits;

	open_frames(1000, mixed);
	CHECK(tt_page_put_times(g.r.m->frames, 0, 1000, false, "x", 0, &out));
	fits = out.n;
	for (uint64_t most = fits - 40; most < fits + 40; most++) {
		out.n = 0;
		const bool is = tt_page_put_times(g.r.m->frames, 0, 1000, false, "x", most, &out);
		CHECK_EQ_INT(is, most > fits);
		CHECK_EQ_INT(out.n, is ? fits : 0);
	}
	out.n = 0;
	CHECK(!tt_page_put_times(g.r.m->frames, 0, 1000, false, "x", 1, &out));
	CHECK_EQ_INT(out.n, 0);
	close_frames();
}
