/*
 * Tests of view/merged.h over random calls: the tree has all time and all bytes that were recorded, once, in any grouping; each path is there once;
 * filters keep what they want, with what is around it and below.
 */
#include "check.h"

#include "game.h"
#include "view/merged.h"
#include "view/view.h"

enum { FRAMES = 60 };

static struct tt_err err;

static const struct tt_paths *
open_paths(struct game *g, struct tt_views *view, uint64_t seed, enum tt_group group)
{
	game_begin(g);
	game_random(g, seed, FRAMES);
	game_run(g, TT_NEEDS_CALLS);
	tt_view_init(view, g->r.m);
	return tt_view_paths(view, group, TT_PATHS_ROWS, &err);
}

static void
close_paths(struct game *g, struct tt_views *view)
{
	tt_view_free(view);
	CHECK_EQ_INT(game_end(g), 0);
}

/* All that was recorded: time in methods, and bytes in methods and outside. */
static struct game_sum
recorded(const struct game *g)
{
	struct game_sum all = { 0 };

	for (unsigned i = 0; i < GAME_METHODS; i++) {
		const struct game_sum s = game_sum(g, i);

		all.self += s.self;
		all.bytes += s.bytes;
		all.n += g->hidden[i] ? 0 : s.n;
	}
	for (unsigned i = 0; i < GAME_THREADS; i++)
		all.bytes += g->outside[i].bytes;
	return all;
}

/* What holds of any merged tree. */
static void
check_tree(const struct tt_merged *t)
{
	size_t met = 0, links = 0, more = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tt_mnode *v = &t->v[i];
		int64_t below = 0, bytes = 0;

		CHECK(v->parent == TT_NO_MNODE || v->parent < i);
		CHECK(v->row != TT_NO_ROW || v->parent == TT_NO_MNODE);
		more += v->row != TT_NO_ROW && v->parent == TT_NO_MNODE;
		for (uint32_t c = v->child; c != TT_NO_MNODE; c = t->v[c].sibling, links++) {
			CHECK_EQ_INT(t->v[c].parent, i);
			below += t->v[c].total;
			bytes += t->v[c].alloc_b;
			for (uint32_t d = t->v[c].sibling; d != TT_NO_MNODE; d = t->v[d].sibling)
				CHECK(t->v[d].row != t->v[c].row);
		}
		CHECK_EQ_INT(v->total, below + (v->row == TT_NO_ROW ? 0 : v->self));
		CHECK(v->alloc_b >= bytes);
	}
	for (uint32_t i = t->first; i != TT_NO_MNODE; i = t->v[i].sibling)
		met++;
	CHECK_EQ_INT(met + links, t->n);
	/* "(more paths)" */
	CHECK_EQ_INT(more, 1);
}

TEST(every_path_is_there_once_with_all_of_its_time)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct game g;
		struct tt_views view;
		struct tt_merged t;
		int64_t self = 0, bytes = 0;
		uint64_t calls = 0;
		const struct tt_paths *p = open_paths(&g, &view, seed, TT_GROUP_NONE);

		CHECK_EQ_INT(tt_merged_init(&t, p, &err), TT_OK);
		check_tree(&t);
		for (uint32_t i = 0; i < t.n; i++) {
			self += t.v[i].row == TT_NO_ROW ? 0 : t.v[i].self;
			calls += t.v[i].n;
		}
		for (uint32_t i = t.first; i != TT_NO_MNODE; i = t.v[i].sibling)
			bytes += t.v[i].alloc_b;
		CHECK_EQ_INT(self, t.total);
		CHECK_EQ_INT(self, recorded(&g).self);
		CHECK_EQ_INT(bytes, recorded(&g).bytes);
		CHECK_EQ_INT(calls, recorded(&g).n);
		tt_merged_free(&t);
		close_paths(&g, &view);
	}
}

TEST(hidden_wrappers_are_no_steps_and_every_other_method_has_its_sums)
{
	struct game g;
	struct tt_views view;
	struct tt_merged t;
	const struct tt_paths *p = open_paths(&g, &view, 77, TT_GROUP_NONE);

	CHECK_EQ_INT(tt_merged_init(&t, p, &err), TT_OK);
	for (unsigned k = 1; k <= GAME_RANDOM; k++) {
		struct game_sum have = { 0 }, want = game_sum(&g, k);

		for (uint32_t i = 0; i < t.n; i++) {
			if (t.v[i].row == TT_NO_ROW || strcmp(p->row[t.v[i].row].name->full, game_random_name[k]) != 0)
				continue;
			have.n += t.v[i].n;
			have.all += t.v[i].total;
			have.self += t.v[i].self;
		}
		CHECK(want.n > 0);
		CHECK_EQ_INT(have.n, k == GAME_RANDOM_WRAPPER ? 0 : want.n);
		CHECK_EQ_INT(have.all, k == GAME_RANDOM_WRAPPER ? 0 : want.all);
		CHECK_EQ_INT(have.self, want.self);
	}
	tt_merged_free(&t);
	close_paths(&g, &view);
}

TEST(groups_have_the_same_time_and_no_group_is_right_below_itself)
{
	static const enum tt_group by[] = { TT_GROUP_ASSEMBLY, TT_GROUP_NAMESPACE };

	for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
		struct game g;
		struct tt_views view;
		struct tt_merged t;
		const struct tt_paths *p = open_paths(&g, &view, 5, by[k]);

		CHECK_EQ_INT(tt_merged_init(&t, p, &err), TT_OK);
		check_tree(&t);
		CHECK_EQ_INT(t.total, recorded(&g).self);
		for (uint32_t i = 0; i < t.n; i++)
			if (t.v[i].parent != TT_NO_MNODE)
				CHECK(t.v[t.v[i].parent].row != t.v[i].row);
		tt_merged_free(&t);
		close_paths(&g, &view);
	}
}

TEST(filters_keep_what_they_want_with_all_around_and_below)
{
	struct game g;
	struct tt_views view;
	struct tt_merged t;
	bool *want;
	size_t kept = 0;

	static const char *const only[] = { "*Think*", NULL };
	game_begin(&g);
	g.opts.filter.marker = only;
	game_random(&g, 9, FRAMES);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	const struct tt_paths *p = tt_view_paths(&view, TT_GROUP_NONE, TT_PATHS_ROWS, &err);
	CHECK_EQ_INT(tt_merged_init(&t, p, &err), TT_OK);
	check_tree(&t);
	want = calloc(t.n, sizeof *want);
	for (uint32_t i = 0; i < t.n; i++) {
		const bool is = t.v[i].row != TT_NO_ROW && strstr(p->row[t.v[i].row].name->full, "Think");

		want[i] = is || (t.v[i].parent != TT_NO_MNODE && want[t.v[i].parent]);
	}
	for (uint32_t i = 0; i < t.n; i++) {
		bool above = false;

		for (uint32_t k = i + 1; k < t.n && !above; k++)
			for (uint32_t up = k; up != TT_NO_MNODE; up = t.v[up].parent)
				above = above || (up == i && want[k]);
		CHECK_EQ_INT(t.v[i].keep, want[i] || above);
		kept += t.v[i].keep;
	}
	CHECK(kept > 0 && kept < t.n);
	free(want);
	tt_merged_free(&t);
	close_paths(&g, &view);
}

TEST(a_share_of_the_whole_is_exact)
{
	struct tt_merged t = { .total = 3 };

	CHECK(tt_merged_over(&t, 3, 10000));
	CHECK(!tt_merged_over(&t, 3, 10001));
	CHECK(tt_merged_over(&t, 1, 3333));
	CHECK(!tt_merged_over(&t, 1, 3334));
	CHECK(tt_merged_over(&t, 0, 0));
	CHECK(!tt_merged_over(&t, 0, 1));
	CHECK(!tt_merged_over(&t, -1, 1));
	t.total = INT64_MAX;
	CHECK(tt_merged_over(&t, INT64_MAX, 10000));
	CHECK(!tt_merged_over(&t, INT64_MAX - 1, 10000));
	CHECK(tt_merged_over(&t, INT64_MAX - 1, 9999));
}

TEST(no_calls_make_an_empty_tree)
{
	struct game g;
	struct tt_views view;
	struct tt_merged t;

	game_begin(&g);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	CHECK_EQ_INT(tt_merged_init(&t, tt_view_paths(&view, TT_GROUP_NONE, TT_PATHS_ROWS, &err), &err), TT_OK);
	CHECK_EQ_INT(t.total, 0);
	check_tree(&t);
	tt_merged_free(&t);
	close_paths(&g, &view);
}

TEST(without_memory_it_says_so_and_holds_none)
{
	struct game g;
	struct tt_views view;
	struct tt_merged t;
	const struct tt_paths *p = open_paths(&g, &view, 3, TT_GROUP_NONE);
	struct tt_mem *mem = &g.r.env.mem;
	const size_t used = mem->used, cap = mem->cap;

	for (size_t room = 0; room < 40000; room += 997) {
		mem->cap = used + room;
		err = (struct tt_err){ .at = TT_NOWHERE };
		int rc = tt_merged_init(&t, p, &err);
		CHECK(rc == TT_OK || rc == TT_E_LIMIT || rc == TT_E_NOMEM);
		CHECK(room > 0 || rc != TT_OK);
		tt_merged_free(&t);
		CHECK_EQ_INT(mem->used, used);
	}
	mem->cap = cap;
	close_paths(&g, &view);
}
