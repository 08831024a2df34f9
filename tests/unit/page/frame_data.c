/*
 * Tests of page/frame_data.h with over.h, ranges.h and trees.h: what a page embeds of single frames is JSON of bounded size, whose sums are those that were
 * recorded, whatever names are.
 */
#include "page_kit.h"

#include <pthread.h>

#include "game.h"
#include "out/table.h"
#include "page/details.h"
#include "page/frame_data.h"
#include "view/frame_sums.h"
#include "view/view.h"

enum { FRAMES = 30, MARKERS = 6, NEEDS = TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMES | TT_NEEDS_CALLS | TT_NEEDS_FRAMED };

static struct game g;
static struct tt_views view;
static struct tt_buf page;
static struct tt_err err;

/* Frames that causes are about: the first has its zones in the page, the last is none of the capture's. */
static const unsigned worst[] = { 1, 11, 5, FRAMES + 9 };

/* The elements of data of the game that was recorded. */
static void
put(uint64_t most, const char *command)
{
	static const struct tt_col col[] = { { "worst", "worst", TT_UNIT_COUNT, "" } };
	struct tt_details shown = { .detail[0] = { .frame = 0 } };
	struct tt_report r;
	const struct tt_frame_data d = { .details = &shown, .max_markers = MARKERS, .max_range_bytes = most, .marker_command = command,
	    .frames_command = command };

	err = (struct tt_err){ .at = TT_NOWHERE };
	page = (struct tt_buf){ 0 };
	tt_buf_text(&shown.detail[0].text, "eA==");
	game_run(&g, NEEDS);
	shown.n = g.r.m->frames && g.r.m->frames->n > 0;
	tt_view_init(&view, g.r.m);
	tt_report_init(&r, &g.r.env.mem);
	struct tt_table *causes = tt_report_table(&r, "causes", "Causes", col, 1);
	for (size_t i = 0; i < sizeof worst / sizeof *worst; i++)
		tt_cell_int(tt_row(causes), worst[i]);
	CHECK_EQ_INT(tt_frame_data_put(&d, &view, &r, &page, &err), TT_OK);
	page_check(&page);
	tt_buf_free(&shown.detail[0].text);
	tt_report_free(&r);
}

static void
end(void)
{
	tt_buf_free(&page);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* The sum of a series: numbers below 0 are columns without any. *${columns}: how far it goes. */
static int64_t
sum_of(const json_t *series, size_t *columns)
{
	int64_t sum = 0;

	*columns = 0;
	for (size_t i = 0; i < json_array_size(series); i++) {
		const int64_t v = page_int(series, i);

		*columns += v < 0 ? (size_t)-v : 1;
		sum += v < 0 ? 0 : v;
	}
	return sum;
}

/* The sum of a value of the row ${row} of a table of ranges; of all rows: -1. */
static int64_t
range_sum(const json_t *ranges, const char *table, unsigned value, int row)
{
	size_t columns;
	int64_t sum = 0;

	for (size_t i = 0; i < json_array_size(ranges); i++) {
		const json_t *set = json_array_get(ranges, i), *sums = json_array_get(set, 4);
		const size_t values = (size_t)page_int(set, 2);

		if (strcmp(json_string_value(json_array_get(set, 0)), table) != 0)
			continue;
		for (size_t k = value; k < json_array_size(sums); k += values)
			if (row < 0 || k / values == (size_t)row) {
				sum += sum_of(json_array_get(sums, k), &columns);
				CHECK(columns <= FRAMES);
			}
		return sum;
	}
	CHECK_STR("no such table", table);
	return -1;
}

/* The row of a marker, by its label. */
static int
row_of(const json_t *ranges, const char *label)
{
	const json_t *names = json_array_get(json_array_get(ranges, 1), 3);

	for (size_t i = 0; i < json_array_size(names); i += 2)
		if (strcmp(json_string_value(json_array_get(names, i)), label) == 0)
			return (int)(i / 2);
	return -2;
}

TEST(sums_of_ranges_are_those_of_the_frames)
{
	struct game_sum all = { 0 };
	int64_t allocs = 0;

	game_begin(&g);
	game_random(&g, 17, FRAMES);
	put(0, "x");
	json_t *ranges = page_json(&page, "data-ranges=\"30\"");
	/* The frames are all that thread 0 does. */
	for (unsigned k = 0; k <= GAME_RANDOM; k++) {
		all.self += g.sum[0][k].self;
		all.bytes += g.sum[0][k].bytes;
	}
	CHECK_EQ_INT(range_sum(ranges, "threads", 0, 0) + range_sum(ranges, "threads", 0, 1), range_sum(ranges, "markers", 0, -1));
	CHECK_EQ_INT(range_sum(ranges, "categories", 0, -1), range_sum(ranges, "markers", 0, -1));
	CHECK_EQ_INT(range_sum(ranges, "alloc_sites", 0, -1), range_sum(ranges, "gcalloc", 0, -1));
	CHECK_EQ_INT(range_sum(ranges, "alloc_classes", 0, -1), range_sum(ranges, "gcalloc", 0, -1));
	CHECK_EQ_INT(range_sum(ranges, "alloc_sites", 1, -1), range_sum(ranges, "gcalloc", 1, -1));
	CHECK_EQ_INT(range_sum(ranges, "threads", 2, -1), range_sum(ranges, "gcalloc", 0, -1));
	for (size_t i = 0; i < g.r.m->frames->n; i++)
		allocs += tt_column_at(&g.r.m->frames->alloc_n, i);
	CHECK_EQ_INT(range_sum(ranges, "gcalloc", 1, -1), allocs);
	CHECK(range_sum(ranges, "threads", 0, 0) == all.self || range_sum(ranges, "threads", 0, 1) == all.self);
	CHECK(range_sum(ranges, "threads", 2, 0) == all.bytes || range_sum(ranges, "threads", 2, 1) == all.bytes);
	CHECK_EQ_INT(range_sum(ranges, "markers", 2, row_of(ranges, "Loop:Frame")), FRAMES);
	json_decref(ranges);
	end();
}

/* The next column of a series, of which *${run} are left without any; ${at}: where it is. */
static int64_t
next_of(const json_t *series, size_t *at, int64_t *run)
{
	if (*run < 0) {
		++*run;
		return 0;
	}
	if (*at == json_array_size(series))
		return 0;
	const int64_t v = page_int(series, (*at)++);
	if (v >= 0)
		return v;
	*run = v + 1;
	return 0;
}

/* What Draw takes in frame ${i}, from 1. */
static int64_t
drawn(size_t i)
{
	int64_t sum = 0;

	for (size_t n = i % 4; n > 0; n--)
		sum += (int64_t)(100 * i + n);
	return sum;
}

TEST(a_column_has_what_its_frame_took)
{
	size_t at[2] = { 0 }, met = 0;
	int64_t run[2] = { 0 };

	game_begin(&g);
	game_method(&g, 1, "Game.World:Draw (int)");
	game_method(&g, 2, "Game.World:Tick ()");
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&g, GAME_FRAME);
		game_spend(&g, 1000);
		for (unsigned n = i % 4; n > 0; n--)
			game_call(&g, 1, 100 * i + n);
		game_call(&g, 2, 7);
		for (unsigned n = i % 5; n > 2; n--)
			game_collect(&g, 0, 10, 0);
		game_leave(&g, GAME_FRAME);
	}
	game_call(&g, GAME_FRAME, 1);
	put(0, "x");
	json_t *ranges = page_json(&page, "data-ranges="), *over = page_json(&page, "data-over=");
	const json_t *sums = json_array_get(json_array_get(ranges, 1), 4);
	const size_t row = (size_t)row_of(ranges, "World:Draw");
	/* Frames 3, 8, ... have one collection, frames 4, 9, ... two. */
	CHECK_EQ_INT(range_sum(ranges, "gcalloc", 2, -1), FRAMES / 5 * 3);
	for (size_t i = 1; i <= FRAMES; i++) {
		CHECK_EQ_INT(next_of(json_array_get(sums, row * 3), &at[0], &run[0]), drawn(i));
		CHECK_EQ_INT(next_of(json_array_get(sums, row * 3 + 2), &at[1], &run[1]), i % 4);
	}
	/* The same over the frames: columns to the last one, ns. */
	for (size_t m = 0; m < json_array_size(json_array_get(over, 0)); m++) {
		const json_t *line = json_array_get(json_array_get(over, 1), m);

		if (strcmp(json_string_value(json_array_get(json_array_get(over, 0), m)), "World:Draw") != 0)
			continue;
		for (size_t i = 0, frame = 1; i + 1 < json_array_size(line); i += 2, met++) {
			frame += (size_t)page_int(line, i);
			CHECK_EQ_INT(page_int(line, i + 1), drawn(frame));
		}
	}
	CHECK_EQ_INT(met, FRAMES - FRAMES / 4);
	json_decref(ranges);
	json_decref(over);
	end();
}

TEST(as_much_is_embedded_as_fits_and_sums_stay_those_of_all)
{
	int64_t all = 0;
	size_t whole = 0, shorter = 0;

	for (uint64_t most = 0; most < 6000; most += most ? 700 : 300) {
		size_t n = 0;

		game_begin(&g);
		game_random(&g, 17, FRAMES);
		put(most, "x");
		const char *text = page_element(&page, "data-ranges=", &n);
		CHECK(text != NULL && (most == 0 || n <= most));
		whole = most ? whole : n;
		shorter += most && n && n < whole;
		if (n) {
			json_t *ranges = page_json(&page, "data-ranges=");

			all = most ? all : range_sum(ranges, "markers", 0, -1);
			CHECK_EQ_INT(range_sum(ranges, "markers", 0, -1), all);
			CHECK_EQ_INT(range_sum(ranges, "alloc_sites", 0, -1), range_sum(ranges, "gcalloc", 0, -1));
			json_decref(ranges);
		}
		end();
	}
	CHECK(shorter > 0);
}

TEST(so_many_markers_are_over_the_frames)
{
	game_begin(&g);
	game_random(&g, 23, FRAMES);
	put(0, "x");
	json_t *over = page_json(&page, "data-over=\"6\"");
	CHECK_EQ_INT(json_array_size(json_array_get(over, 0)), MARKERS);
	CHECK_EQ_INT(json_array_size(json_array_get(over, 1)), MARKERS);
	json_decref(over);
	end();
}

TEST(frames_of_causes_have_a_tree_of_callers_before_callees)
{
	game_begin(&g);
	game_random(&g, 29, FRAMES);
	put(0, "x");
	json_t *trees = page_json(&page, "data-trees=\"2\"");
	CHECK_EQ_INT(json_array_size(trees), 2);
	for (size_t i = 0; i < json_array_size(trees); i++) {
		const json_t *tree = json_array_get(trees, i), *v = json_array_get(tree, 2), *names = json_array_get(tree, 1);
		const size_t n = json_array_size(v), number = (size_t)page_int(tree, 0);
		int64_t left[GAME_DEPTH] = { 0 }, depth = -1;

		CHECK_EQ_INT(n % 6, 0);
		CHECK_EQ_INT(number, i == 0 ? 5 : 11);
		/* The frame's thread comes first, and the frame in it. */
		CHECK_STR(json_string_value(json_array_get(names, (size_t)page_int(v, 1))), "Main");
		CHECK_STR(json_string_value(json_array_get(names, (size_t)page_int(v, 7))), "Loop:Frame");
		CHECK_EQ_INT(page_int(v, 8), tt_frames_dur(g.r.m->frames, number - 1));
		CHECK_EQ_INT(page_int(v, 10), 1);
		for (size_t k = 0; k + 5 < n; k += 6) {
			const int64_t d = page_int(v, k), time = page_int(v, k + 2), self = page_int(v, k + 3);

			if (!CHECK(d >= 0 && d <= depth + 1 && d < GAME_DEPTH))
				break;
			CHECK(page_int(v, k + 1) < (int64_t)json_array_size(names));
			CHECK(d == 0 || (self >= 0 && self <= time));
			/* What a zone has without its own time is that of those right below it. */
			for (int64_t up = depth; up >= d && up > 0; up--)
				CHECK_EQ_INT(left[up], 0);
			if (d > 1)
				left[d - 1] -= time;
			left[d] = time - self;
			depth = d;
		}
		for (int64_t up = depth; up > 0; up--)
			CHECK_EQ_INT(left[up], 0);
	}
	json_decref(trees);
	end();
}

static void *
put_all(void *arg)
{
	put(0, "x");
	return arg;
}

/* Calls may be nested 65,536 deep: what goes down them must not do so on the stack, of which threads have 2 MB where the system's limit is small. */
TEST(trees_of_calls_of_any_depth_are_made_on_a_small_stack)
{
	enum { DEEP = 60000 };
	pthread_attr_t small;
	pthread_t thread;

	game_begin(&g);
	game_method(&g, 1, "Game.World:Draw (int)");
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&g, GAME_FRAME);
		for (unsigned k = 0; k < 2 * DEEP && i == 5; k++) {
			game_spend(&g, 1);
			if (k < DEEP)
				mlpd_enter(game_buffer(&g), game_now(&g), GAME_CODE(1));
			else
				mlpd_leave(game_buffer(&g), game_now(&g), GAME_CODE(1));
		}
		game_spend(&g, 1000);
		game_leave(&g, GAME_FRAME);
	}
	game_call(&g, GAME_FRAME, 1);
	pthread_attr_init(&small);
	CHECK_EQ_INT(pthread_attr_setstacksize(&small, 2 << 20), 0);
	CHECK_EQ_INT(pthread_create(&thread, &small, put_all, NULL), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&small);
	json_t *trees = page_json(&page, "data-trees=");
	CHECK_EQ_INT(json_array_size(json_array_get(json_array_get(trees, 0), 2)), 6 * (DEEP + 2));
	json_decref(trees);
	end();
}

TEST(hostile_names_and_commands_stay_in_their_place)
{
	static const char *const element[] = { "data-ranges=", "data-over=", "data-trees=" };

	game_begin(&g);
	game_method(&g, 1, "Game." PAGE_HOSTILE ":Draw (int)");
	game_class(&g, 0, PAGE_HOSTILE);
	game_thread(&g, 1, PAGE_HOSTILE);
	game_call(&g, 1, 5000);
	game_thread(&g, 0, NULL);
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&g, GAME_FRAME);
		game_alloc(&g, 0, GAME_OBJECT(i), 64);
		game_call(&g, 1, 100 * i);
		game_leave(&g, GAME_FRAME);
	}
	game_call(&g, GAME_FRAME, 1);
	put(0, PAGE_HOSTILE);
	for (size_t i = 0; i < sizeof element / sizeof *element; i++) {
		json_t *v = page_json(&page, element[i]);
		char *text = json_dumps(v, JSON_COMPACT);

		/* It is all there, as text. */
		CHECK(text && strstr(text, "alert(1)"));
		free(text);
		json_decref(v);
	}
	end();
}

TEST(a_capture_without_frames_has_no_such_data)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Draw (int)");
	game_call(&g, 1, 5000);
	put(0, "x");
	CHECK_EQ_INT(page.n, 0);
	end();
}
