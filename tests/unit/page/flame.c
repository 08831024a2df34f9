/*
 * Tests of page/flame.h: boxes of the largest totals, each within that of its caller, the widest first; what is embedded has the same numbers and any
 * names.
 */
#include "page_kit.h"

#include "game.h"
#include "page/flame.h"
#include "view/view.h"

enum { FRAMES = 60 };

static struct game g;
static struct tt_views view;
static struct tt_flame flame;
static struct tt_err err;

static void
open_flame(uint64_t seed, size_t most)
{
	game_begin(&g);
	game_random(&g, seed, FRAMES);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	CHECK_EQ_INT(tt_flame_init(&flame, &view, most, &err), TT_OK);
}

static void
close_flame(void)
{
	tt_flame_free(&flame);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* Boxes lie in those of their callers, beside each other, from the widest on. */
static void
check_boxes(void)
{
	int64_t end[GAME_DEPTH] = { 0 }, before[GAME_DEPTH] = { 0 };
	uint32_t depth = 0, deepest = 0;
	int64_t threads = 0;

	for (size_t i = 0; i < flame.n; i++) {
		const struct tt_flame_box *b = &flame.box[i];

		CHECK(b->total > 0 && b->depth <= depth + (i > 0) && b->depth < GAME_DEPTH);
		CHECK(b->depth == 0 || b->self <= b->total);
		if (b->depth > 0 && b->depth <= depth)
			CHECK(b->total <= before[b->depth] && b->from >= end[b->depth]);
		if (b->depth > 0) {
			/* Within its caller, which is the last box of the depth before. */
			const struct tt_flame_box *up = b;

			while (up->depth != b->depth - 1)
				up--;
			CHECK(b->from >= up->from && b->from + b->total <= up->from + up->total);
			CHECK(b->bytes <= up->bytes);
		} else {
			threads += b->total;
		}
		end[b->depth] = b->from + b->total;
		before[b->depth] = b->total;
		depth = b->depth;
		deepest = depth > deepest ? depth : deepest;
	}
	CHECK(threads <= flame.total);
	CHECK_EQ_INT(deepest, flame.deepest);
}

TEST(all_boxes_have_all_time)
{
	int64_t self = 0, want = 0;
	uint64_t calls = 0, recorded = 0;

	open_flame(31, 100000);
	check_boxes();
	CHECK_EQ_INT(flame.left_out, 0);
	for (size_t i = 0; i < flame.n; i++) {
		self += flame.box[i].depth ? flame.box[i].self : 0;
		calls += flame.box[i].n;
	}
	for (unsigned k = 0; k < GAME_METHODS; k++) {
		want += game_sum(&g, k).self;
		recorded += g.hidden[k] ? 0 : game_sum(&g, k).n;
	}
	CHECK_EQ_INT(self, want);
	CHECK_EQ_INT(flame.total, want);
	/* But for calls of no time. */
	CHECK(calls <= recorded && calls + 2 >= recorded);
	close_flame();
}

static int
by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

TEST(of_too_many_boxes_the_largest_are_chosen)
{
	static int64_t total[20000];
	size_t all = 0;

	for (size_t most = 100000; most > 0; most = most > 200 ? 200 : most > 50 ? 50 : most > 1 ? 1 : 0) {
		open_flame(33, most);
		check_boxes();
		all = most == 100000 ? flame.n : all;
		for (size_t i = 0; i < flame.n && most == 100000; i++)
			total[i] = flame.box[i].total;
		if (most == 100000)
			qsort(total, all, sizeof *total, by_size);
		for (size_t i = 0; i < flame.n && most < all; i++)
			CHECK(flame.box[i].total >= total[all - most]);
		CHECK_EQ_INT(flame.n, all < most ? all : most);
		CHECK_EQ_INT(flame.left_out, all - flame.n);
		close_flame();
	}
	CHECK(all > 200);
}

TEST(what_is_embedded_has_the_numbers_of_the_boxes)
{
	struct tt_buf out = { 0 };

	open_flame(35, 120);
	CHECK_EQ_INT(tt_flame_put(&flame, &view, "flame", PAGE_HOSTILE, &out, &err), TT_OK);
	page_check(&out);
	const char *wrong = page_malformed(&out);
	CHECK_STR(wrong ? wrong : "", "");
	json_t *v = page_json(&out, "data-flame=\"120\"");
	const json_t *names = json_array_get(v, 0), *box = json_array_get(v, 1);
	CHECK_EQ_INT(json_array_size(box), 6 * flame.n);
	for (size_t i = 0; i < flame.n && 6 * i + 5 < json_array_size(box); i++) {
		const struct tt_flame_box *b = &flame.box[i];

		CHECK_EQ_INT(page_int(box, 6 * i), b->depth);
		CHECK_STR(json_string_value(json_array_get(names, (size_t)page_int(box, 6 * i + 1))), b->name);
		CHECK_EQ_INT(page_int(box, 6 * i + 2), b->total);
		CHECK_EQ_INT(page_int(box, 6 * i + 3), b->self);
		CHECK_EQ_INT(page_int(box, 6 * i + 4), b->n);
		CHECK_EQ_INT(page_int(box, 6 * i + 5), b->bytes);
	}
	json_decref(v);
	tt_buf_free(&out);
	close_flame();
}

TEST(no_calls_and_no_samples_make_no_boxes)
{
	struct tt_buf out = { 0 };

	game_begin(&g);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	CHECK_EQ_INT(tt_flame_init(&flame, &view, 100, &err), TT_OK);
	CHECK_EQ_INT(flame.n, 0);
	CHECK_EQ_INT(tt_flame_put(&flame, &view, "flame", "x", &out, &err), TT_OK);
	CHECK_EQ_INT(out.n, 0);
	tt_flame_free(&flame);
	CHECK_EQ_INT(tt_flame_sampled(&flame, &view, 100, &err), TT_OK);
	CHECK_EQ_INT(flame.n, 0);
	close_flame();
}
