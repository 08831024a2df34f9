/*
 * Tests of view/allocs.h and view/group.h over random allocations: each is counted once, at the nearest method that is no helper, whatever they are
 * grouped by.
 */
#include "check.h"

#include "base/arena_text.h"
#include "game.h"
#include "view/allocs.h"
#include "view/view.h"

enum { FRAMES = 80 };

static struct tt_err err;
static struct game g;
static struct tt_views view;
static struct tt_allocs al;
static struct tt_arena text;

static void
open_allocs(uint64_t seed, enum tt_group group, const char *const *marker)
{
	game_begin(&g);
	g.opts.filter.marker = marker;
	game_random(&g, seed, FRAMES);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	tt_arena_init(&text, &g.r.env.mem);
	CHECK_EQ_INT(tt_allocs_init(&al, &view, group, &text, &err), TT_OK);
}

static void
close_allocs(void)
{
	tt_allocs_free(&al);
	tt_arena_free(&text);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* All that was recorded. */
static struct game_sum
recorded(void)
{
	struct game_sum all = { 0 };

	for (unsigned i = 0; i < GAME_METHODS + GAME_THREADS; i++) {
		const struct game_sum s = i < GAME_METHODS ? game_sum(&g, i) : g.outside[i - GAME_METHODS];

		all.allocs += s.allocs;
		all.bytes += s.bytes;
	}
	return all;
}

TEST(all_allocations_are_there_once_in_any_grouping)
{
	for (unsigned group = TT_GROUP_NONE; group < TT_GROUPS; group++) {
		uint64_t n = 0;
		int64_t bytes = 0;

		open_allocs(11, (enum tt_group)group, NULL);
		for (size_t i = 0; i < al.n; i++) {
			n += al.a[i].n;
			bytes += al.a[i].bytes;
			CHECK(al.a[i].wanted && al.a[i].class < al.nclass);
		}
		CHECK_EQ_INT(n, recorded().allocs);
		CHECK_EQ_INT(bytes, recorded().bytes);
		CHECK_EQ_INT(al.all.n, n);
		CHECK_EQ_INT(al.all.bytes, bytes);
		CHECK(!al.all.sampled);
		close_allocs();
	}
}

TEST(sites_are_methods_that_are_neither_wrappers_nor_helpers)
{
	open_allocs(12, TT_GROUP_NONE, NULL);
	for (unsigned k = 1; k <= GAME_RANDOM; k++) {
		struct game_sum have = { 0 };

		for (size_t i = 0; i < al.n; i++) {
			const uint32_t row = tt_alloc_site(&al, &al.a[i]);

			if (row == TT_NO_ROW || strcmp(al.p->row[row].name->full, game_random_name[k]) != 0)
				continue;
			have.allocs += al.a[i].n;
			have.bytes += al.a[i].bytes;
		}
		if (k == GAME_RANDOM_WRAPPER)
			CHECK_EQ_INT(have.allocs, 0);
		else if (k < GAME_RANDOM_WRAPPER)
			CHECK(have.allocs >= game_sum(&g, k).allocs && have.bytes >= game_sum(&g, k).bytes);
		else    /* without a caller the helper itself is the site */
			CHECK(have.allocs < game_sum(&g, k).allocs);
	}
	close_allocs();
}

/* What one call allocates within a helper is its caller's. */
TEST(an_allocation_of_a_helper_is_its_callers)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Tick ()");
	game_method(&g, 2, "string:FastAllocateString (int)");
	game_method(&g, 3, "(wrapper alloc) object:AllocSmall (intptr,intptr)");
	game_class(&g, 0, "System.String");
	game_enter(&g, 1);
	game_enter(&g, 2);
	game_enter(&g, 3);
	game_alloc(&g, 0, GAME_OBJECT(1), 40);
	game_leave(&g, 3);
	game_leave(&g, 2);
	game_leave(&g, 1);
	game_enter(&g, 2);
	game_alloc(&g, 0, GAME_OBJECT(9), 48);
	game_leave(&g, 2);
	game_alloc(&g, 0, GAME_OBJECT(20), 56);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	tt_arena_init(&text, &g.r.env.mem);
	CHECK_EQ_INT(tt_allocs_init(&al, &view, TT_GROUP_NONE, &text, &err), TT_OK);
	CHECK_EQ_INT(al.n, 3);
	for (size_t i = 0; i < al.n; i++) {
		const uint32_t row = tt_alloc_site(&al, &al.a[i]);
		const char *want = al.a[i].bytes == 40 ? "Game.World:Tick ()" : "string:FastAllocateString (int)";

		CHECK_EQ_INT(row == TT_NO_ROW, al.a[i].bytes == 56);
		if (row != TT_NO_ROW)
			CHECK_STR(al.p->row[row].name->full, want);
	}
	close_allocs();
}

static uint64_t
by_place(const struct tt_allocs *of, const struct tt_alloc *a)
{
	return tt_alloc_place(of, a);
}

TEST(sorted_by_place_equal_places_follow_each_other)
{
	for (unsigned group = TT_GROUP_NONE; group < TT_GROUPS; group++) {
		open_allocs(13, (enum tt_group)group, NULL);
		tt_allocs_sort(&al, by_place);
		for (size_t i = 1; i < al.n; i++) {
			CHECK(tt_alloc_place(&al, &al.a[i - 1]) <= tt_alloc_place(&al, &al.a[i]));
			/* Of ungrouped ones a place is a site and a class. */
			if (group == TT_GROUP_NONE && tt_alloc_place(&al, &al.a[i - 1]) == tt_alloc_place(&al, &al.a[i]))
				CHECK(tt_alloc_site(&al, &al.a[i - 1]) == tt_alloc_site(&al, &al.a[i]) && al.a[i - 1].class == al.a[i].class);
		}
		close_allocs();
	}
}

TEST(classes_are_listed_once_in_order_and_found_by_key)
{
	open_allocs(14, TT_GROUP_NONE, NULL);
	CHECK_EQ_INT(al.nclass, GAME_RANDOM_CLASSES);
	for (size_t i = 1; i < al.nclass; i++)
		CHECK(strcmp(al.class[i - 1], al.class[i]) < 0);
	for (size_t i = 0; i < al.n; i++)
		CHECK_STR(al.class[al.a[i].class], game_random_class[(al.a[i].key - GAME_VTABLE(0)) / 64]);
	close_allocs();
	open_allocs(14, TT_GROUP_NAMESPACE, NULL);
	CHECK_EQ_INT(al.nclass, 3);
	CHECK_STR(al.class[0], "Game");
	CHECK_STR(al.class[1], "Game.Ai");
	CHECK_STR(al.class[2], "System");
	close_allocs();
}

TEST(filters_choose_by_the_name_of_the_class_and_by_the_site)
{
	static const char *const only[] = { "*Thought*", NULL };
	size_t wanted = 0;

	open_allocs(15, TT_GROUP_NONE, only);
	for (size_t i = 0; i < al.n; i++) {
		const bool is = strstr(al.class[al.a[i].class], "Thought") != NULL;

		CHECK_EQ_INT(al.a[i].wanted, is);
		wanted += is;
		/* No method is called that. */
		CHECK(!tt_alloc_wanted(&al, &al.a[i]));
	}
	CHECK(wanted > 0 && wanted < al.n);
	close_allocs();
}

TEST(keys_of_groups_are_those_of_the_option)
{
	CHECK_STR(tt_group_key(TT_GROUP_THREAD - 1), "thread");
	CHECK_STR(tt_group_key(TT_GROUP_ASSEMBLY - 1), "assembly");
	CHECK_STR(tt_group_key(TT_GROUP_NAMESPACE - 1), "namespace");
	CHECK_STR(tt_group_key(TT_GROUP_DOMAIN - 1), "domain");
	CHECK(tt_group_key(TT_GROUPS - 1) == NULL);
}

TEST(a_capture_without_allocations_has_none)
{
	game_begin(&g);
	game_call(&g, GAME_FRAME, 5);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	tt_arena_init(&text, &g.r.env.mem);
	CHECK_EQ_INT(tt_allocs_init(&al, &view, TT_GROUP_NONE, &text, &err), TT_OK);
	CHECK_EQ_INT(al.n, 0);
	CHECK_EQ_INT(al.nclass, 0);
	CHECK_EQ_INT(al.all.n, 0);
	close_allocs();
}
