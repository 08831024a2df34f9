/*
 * Tests of page/line_charts.h: the chart of the heap, over frames and over time, has the lowest and the highest size of each column, in words and as a line;
 * sizes at the end of 64 bits.
 */
#include "page_kit.h"

#include "game.h"
#include "page/line_charts.h"
#include "view/view.h"

enum { NEEDS = TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMES | TT_NEEDS_CALLS };

static struct game g;
static struct tt_views view;
static struct tt_report report;
static struct tt_buf out;
static struct tt_err err;

static void
put(void)
{
	err = (struct tt_err){ .at = TT_NOWHERE };
	out = (struct tt_buf){ 0 };
	game_run(&g, NEEDS);
	tt_view_init(&view, g.r.m);
	tt_report_init(&report, &g.r.env.mem);
	CHECK_EQ_INT(tt_lines_heap(&view, &report, &out, &err), TT_OK);
	const char *wrong = page_malformed(&out);
	CHECK_STR(wrong ? wrong : "", "");
	page_check(&out);
}

static void
end(void)
{
	tt_buf_free(&out);
	tt_report_free(&report);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* Frames of 10 ms with two sizes of the heap each. */
static void
frames(unsigned n, uint64_t (*size)(unsigned), unsigned each)
{
	game_begin(&g);
	for (unsigned i = 1; i <= n; i++) {
		game_enter(&g, GAME_FRAME);
		game_spend(&g, GAME_MS);
		if (i % each == 0) {
			mlpd_gc_resize(game_buffer(&g), game_now(&g), size(i));
			game_spend(&g, GAME_MS);
			mlpd_gc_resize(game_buffer(&g), game_now(&g), size(i) / 2);
		}
		game_spend(&g, 8 * GAME_MS);
		game_leave(&g, GAME_FRAME);
	}
	game_call(&g, GAME_FRAME, 1);
}

static uint64_t
kilobytes(unsigned i)
{
	return 2048 * (uint64_t)(i + 10);
}

static uint64_t
endless(unsigned i)
{
	return UINT64_MAX - i;
}

TEST(each_column_says_its_lowest_and_its_highest_size)
{
	size_t met = 0;

	frames(40, kilobytes, 4);
	put();
	json_t *v = page_json(&out, "data-lines=\"heap\"");
	const json_t *words = json_array_get(v, 0);
	CHECK_EQ_INT(json_array_size(words), 3 * 10);
	CHECK_EQ_INT(page_count(&out, "data-columns=\"40\""), 1);
	for (size_t i = 0, column = 1; i + 2 < json_array_size(words); i += 3, met++) {
		char low[32], high[32];

		column += (size_t)page_int(words, i);
		CHECK_EQ_INT(column % 4, 0);
		snprintf(low, sizeof low, "%.1f KB", (double)(column + 10));
		snprintf(high, sizeof high, "%.1f KB", 2. * (double)(column + 10));
		CHECK_STR(json_string_value(json_array_get(words, i + 1)), low);
		CHECK_STR(json_string_value(json_array_get(words, i + 2)), high);
	}
	CHECK_EQ_INT(met, 10);
	json_decref(v);
	end();
}

TEST(many_frames_are_so_many_columns)
{
	frames(1000, kilobytes, 1);
	put();
	json_t *v = page_json(&out, "data-lines=\"heap\"");
	CHECK_EQ_INT(json_array_size(json_array_get(v, 0)), 3 * TT_LINE_COLUMNS);
	CHECK(out.n < 40000);
	json_decref(v);
	end();
}

TEST(without_frames_columns_are_times)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Tick ()");
	for (unsigned i = 0; i < 50; i++) {
		game_call(&g, 1, GAME_MS);
		mlpd_gc_resize(game_buffer(&g), game_now(&g), 1024 * (i + 1));
	}
	put();
	json_t *v = page_json(&out, "data-lines=\"heap\"");
	const json_t *words = json_array_get(v, 0);
	size_t column = 0;
	CHECK_EQ_INT(json_array_size(words), 3 * 50);
	for (size_t i = 0; i + 2 < json_array_size(words); i += 3)
		column += (size_t)page_int(words, i);
	/* From the first size to the last. */
	CHECK_EQ_INT(page_int(words, 0), 0);
	CHECK_EQ_INT(column, TT_LINE_COLUMNS - 1);
	json_decref(v);
	end();
}

TEST(sizes_of_64_bits_are_drawn_and_end)
{
	frames(30, endless, 1);
	put();
	CHECK(out.n > 0);
	json_decref(page_json(&out, "data-lines=\"heap\""));
	end();
}

/* Counters of the program: one that goes up, one that stays, and one whose name would end its place. */
TEST(counters_that_change_have_a_chart_each_whatever_their_names)
{
	static const struct mlpd_counter what[] = { { .section = 0x8000, .section_name = PAGE_HOSTILE, .name = "up", .type = 1, .index = 1 },
		{ .section = 0x8000, .section_name = "Mine", .name = "still", .type = 1, .index = 2 },
		{ .section = 0x8000, .section_name = "Mine", .name = PAGE_HOSTILE, .type = 1, .index = 3 } };
	size_t left = 99;

	game_begin(&g);
	mlpd_counter_desc(game_buffer(&g), game_now(&g), what, 3);
	for (unsigned i = 1; i <= 20; i++) {
		const struct mlpd_count count[] = { { .index = 1, .type = 1, .value = 5 * i }, { .index = 2, .type = 1, .value = 7 },
			{ .index = 3, .type = 1, .value = i % 2 ? 10 : 3 } };

		game_enter(&g, GAME_FRAME);
		game_spend(&g, GAME_MS);
		mlpd_counters(game_buffer(&g), game_now(&g), count, 3);
		game_spend(&g, GAME_MS);
		game_leave(&g, GAME_FRAME);
	}
	game_call(&g, GAME_FRAME, 1);
	put();
	for (size_t most = 1; most <= 2; most++) {
		out.n = 0;
		CHECK_EQ_INT(tt_lines_counters(&view, &report, most, &left, &out, &err), TT_OK);
		CHECK_EQ_INT(left, 2 - most);
		CHECK_EQ_INT(page_count(&out, "<figure"), most);
		const char *wrong = page_malformed(&out);
		CHECK_STR(wrong ? wrong : "", "");
		page_check(&out);
		json_t *v = page_json(&out, "data-lines=\"counters\"");
		CHECK_EQ_INT(json_array_size(v), most);
		CHECK_EQ_INT(json_array_size(json_array_get(v, 0)), 3 * 20);
		CHECK_EQ_INT(page_int(json_array_get(v, 0), 0), 0);
		json_decref(v);
	}
	CHECK_EQ_INT(page_count(&out, "still"), 0);
	end();
}

TEST(one_size_alone_is_no_line)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Tick ()");
	game_call(&g, 1, GAME_MS);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 1024);
	put();
	CHECK_EQ_INT(out.n, 0);
	end();
}
