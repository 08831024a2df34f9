/*
 * Tests of why/steady.c: methods that take much of every frame, the method that allocates the most in each, and a heap that grows
 * (tracetool-metrics(7), Causes, steady and leak).
 */
#include "causes_kit.h"

enum { BIG = 1, SMALL, MAKER, INNER, FRAMES = 120, MB = 1 << 20 };

static struct causes k;

static void
begin(void)
{
	game_begin(&k.g);
	game_method(&k.g, BIG, "Game.World:Draw (int)");
	game_method(&k.g, SMALL, "Game.Foe:Think ()");
	game_method(&k.g, MAKER, "Game.Ui:Build ()");
	game_method(&k.g, INNER, "Game.World:DrawOne (int)");
	game_class(&k.g, 0, "System.Byte[]");
	game_spend(&k.g, 100 * GAME_MS);
}

static void
find(void)
{
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
}

/* The steady finding of a marker; NULL. */
static const struct tt_finding *
steady(const char *marker)
{
	for (size_t i = 0; i < k.c.nfinding; i++)
		if (k.c.finding[i].class == TT_CAUSE_STEADY && k.c.finding[i].marker && strcmp(k.c.finding[i].marker, marker) == 0)
			return &k.c.finding[i];
	return NULL;
}

TEST(a_method_is_steady_from_30_percent_of_a_typical_frame_on)
{
	for (unsigned share = 29; share <= 31; share++) {
		begin();
		for (unsigned i = 1; i <= FRAMES; i++) {
			game_enter(&k.g, GAME_FRAME);
			game_call(&k.g, BIG, share * 100 * GAME_US);
			game_call(&k.g, SMALL, 2 * GAME_MS);
			game_spend(&k.g, 8 * GAME_MS - share * 100 * GAME_US);
			game_leave(&k.g, GAME_FRAME);
		}
		find();
		CHECK_EQ_INT(steady("World:Draw") != NULL, share >= 30);
		CHECK(steady("Foe:Think") == NULL);
		if (share == 31 && steady("World:Draw")) {
			CHECK_HAS(steady("World:Draw")->sentence, "3.100 ms of 10.00 ms");
			CHECK_EQ_INT(steady("World:Draw")->n, 0);
			CHECK_EQ_INT(steady("World:Draw")->extra, 0);
		}
		causes_end(&k);
	}
}

TEST(a_caller_of_one_that_is_steady_is_not_told)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&k.g, GAME_FRAME);
		game_enter(&k.g, BIG);
		game_spend(&k.g, GAME_MS);
		game_call(&k.g, INNER, 5 * GAME_MS);
		game_leave(&k.g, BIG);
		game_spend(&k.g, 4 * GAME_MS);
		game_leave(&k.g, GAME_FRAME);
	}
	find();
	CHECK(steady("World:Draw") == NULL);
	CHECK(steady("World:DrawOne") != NULL);
	causes_end(&k);
}

TEST(the_method_that_allocates_the_most_is_told_from_64_kb_a_frame_on)
{
	for (unsigned less = 0; less < 2; less++) {
		begin();
		for (unsigned i = 1; i <= FRAMES; i++) {
			game_enter(&k.g, GAME_FRAME);
			game_enter(&k.g, MAKER);
			for (unsigned a = 0; a < 64; a++)
				game_alloc(&k.g, 0, GAME_OBJECT(200 * a), less && a == 0 ? 1016 : 1024);
			game_spend(&k.g, GAME_MS);
			game_leave(&k.g, MAKER);
			game_enter(&k.g, SMALL);
			game_alloc(&k.g, 0, GAME_OBJECT(100000), 24);
			game_spend(&k.g, 9 * GAME_MS);
			game_leave(&k.g, SMALL);
			game_leave(&k.g, GAME_FRAME);
		}
		find();
		const struct tt_finding *f = causes_finding(&k, TT_CAUSE_ALLOCATION);
		CHECK_EQ_INT(f != NULL, !less);
		if (f) {
			CHECK_STR(f->marker, "Ui:Build");
			CHECK_EQ_INT(f->n, 0);
			CHECK_HAS(f->sentence, "64.0 KB");
		}
		causes_end(&k);
	}
}

/* The size of the heap in frame i. */
static uint64_t
rises(unsigned i)
{
	return 10 * MB + i * MB / 10;
}

static uint64_t
falls_back(unsigned i)
{
	return 10 * MB + (i % 40) * MB / 10;
}

static uint64_t
rises_little(unsigned i)
{
	return 100 * (uint64_t)MB + i * MB / 10;
}

/* Larger after each of three falls than after the one before. */
static uint64_t
rises_in_teeth(unsigned i)
{
	return 10 * MB + (i % 30) * MB / 2 + i / 30 * 2 * MB;
}

/* Frames of one length, with a change of the heap in each, and a full collection each ${full} frames; 0: none. */
static void
heap(uint64_t (*size)(unsigned), unsigned full)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&k.g, GAME_FRAME);
		game_enter(&k.g, MAKER);
		game_alloc(&k.g, 0, GAME_OBJECT(i), MB / 10);
		game_spend(&k.g, 10 * GAME_MS);
		if (full && i % full == 0)
			game_collect(&k.g, 1, GAME_US, 0);
		mlpd_gc_resize(game_buffer(&k.g), game_now(&k.g), size(i));
		game_spend(&k.g, GAME_US);
		game_leave(&k.g, MAKER);
		game_leave(&k.g, GAME_FRAME);
	}
	find();
}

TEST(a_heap_that_grows_by_a_quarter_and_never_falls_is_a_leak)
{
	heap(rises, 10);
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_LEAK);
	if (CHECK(f != NULL)) {
		/* The method that allocates the most has all of it. */
		CHECK_STR(f->marker ? f->marker : "", "Ui:Build");
		CHECK_HAS(f->sentence, "MB");
	}
	causes_end(&k);
}

TEST(a_heap_that_falls_back_or_hardly_grows_is_none)
{
	heap(falls_back, 10);
	CHECK(causes_finding(&k, TT_CAUSE_LEAK) == NULL);
	causes_end(&k);
	/* 12 of 100 MB: less than a quarter. */
	heap(rises_little, 10);
	CHECK(causes_finding(&k, TT_CAUSE_LEAK) == NULL);
	causes_end(&k);
}

TEST(growth_that_no_full_collection_follows_may_be_garbage)
{
	heap(rises, 0);
	CHECK(causes_finding(&k, TT_CAUSE_LEAK) == NULL);
	causes_end(&k);
}

TEST(a_heap_that_falls_but_to_more_each_time_is_a_leak)
{
	heap(rises_in_teeth, 0);
	CHECK(causes_finding(&k, TT_CAUSE_LEAK) != NULL);
	causes_end(&k);
}

TEST(a_leak_is_found_without_frames_too)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&k.g, MAKER);
		game_spend(&k.g, 10 * GAME_MS);
		if (i % 10 == 0)
			game_collect(&k.g, 1, GAME_US, 0);
		mlpd_gc_resize(game_buffer(&k.g), game_now(&k.g), rises(i));
		game_leave(&k.g, MAKER);
	}
	k.g.opts.frame_marker = NULL;
	k.err = (struct tt_err){ .at = TT_NOWHERE };
	game_run(&k.g, CAUSES_NEEDS);
	tt_view_init(&k.view, k.g.r.m);
	tt_arena_init(&k.text, &k.g.r.env.mem);
	CHECK_EQ_INT(tt_causes_find(&k.c, &k.view, &k.text, &k.err), TT_OK);
	CHECK_EQ_INT(k.c.nfinding, 1);
	CHECK(causes_finding(&k, TT_CAUSE_LEAK) != NULL);
	causes_end(&k);
}
