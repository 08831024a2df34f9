/*
 * Tests of view/paths.h and figures.h's sums of calls over random calls: rows, owners, walks, joined paths, sites, and what threads spend their time
 * with, each against what was recorded.
 */
#include "check.h"

#include "base/buf.h"
#include "game.h"
#include "model/names.h"
#include "view/view.h"

enum { FRAMES = 60 };

static struct tt_err err;
static struct game g;
static struct tt_views view;

static const struct tt_paths *
open_paths(uint64_t seed, enum tt_group group, unsigned want)
{
	game_begin(&g);
	game_random(&g, seed, FRAMES);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	const struct tt_paths *p = tt_view_paths(&view, group, want, &err);
	CHECK(p != NULL);
	return p;
}

static void
close_paths(void)
{
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_walk_meets_each_node_before_and_after_all_below_it)
{
	const struct tt_paths *p = open_paths(1, TT_GROUP_NONE, TT_PATHS_LINK);
	struct tt_walk w = { .p = p };
	uint8_t *met = calloc(p->n, 1);
	uint32_t open = 0, n = 0;

	while (tt_walk_next(&w)) {
		const uint32_t up = tt_paths_node(p, w.node)->parent;

		CHECK_EQ_INT(met[w.node], w.leave);
		CHECK(w.node == 0 || met[up] == 1);
		met[w.node]++;
		open += w.leave ? UINT32_MAX : 1;
		n++;
	}
	CHECK_EQ_INT(open, 0);
	CHECK_EQ_INT(n, 2 * p->n);
	free(met);
	close_paths();
}

TEST(sums_of_rows_are_what_was_recorded)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		const struct tt_paths *p = open_paths(seed, TT_GROUP_NONE, TT_PATHS_LINK);
		struct tt_calls *sum = calloc(p->nrow, sizeof *sum);
		unsigned found = 0;

		tt_calls_sum(p, NULL, sum);
		for (uint32_t i = 0; i < p->nrow; i++) {
			for (unsigned k = 0; k <= GAME_RANDOM; k++) {
				const struct game_sum want = game_sum(&g, k);

				if (g.hidden[k] || strcmp(p->row[i].name->full, game_random_name[k]) != 0)
					continue;
				found++;
				/* The last frame has no end: it counts as a call. */
				CHECK_EQ_INT(sum[i].n, want.n);
				CHECK_EQ_INT(sum[i].total, want.total);
				CHECK_EQ_INT(sum[i].all, want.all);
				CHECK_EQ_INT(sum[i].self, want.self);
			}
			CHECK_EQ_INT(sum[i].open, 0);
		}
		CHECK_EQ_INT(found, GAME_RANDOM);
		free(sum);
		close_paths();
	}
}

TEST(groups_have_all_time_once_whatever_they_are)
{
	int64_t all = 0;

	for (unsigned group = TT_GROUP_NONE; group < TT_GROUPS; group++) {
		const struct tt_paths *p = open_paths(3, (enum tt_group)group, TT_PATHS_LINK);
		struct tt_calls *sum = calloc(p->nrow, sizeof *sum);
		int64_t self = 0;

		tt_calls_sum(p, NULL, sum);
		for (uint32_t i = 0; i < p->nrow; i++) {
			self += sum[i].self;
			CHECK(sum[i].total <= sum[i].all);
			CHECK(!sum[i].met || p->row[i].wanted);
		}
		all = group == TT_GROUP_NONE ? self : all;
		CHECK_EQ_INT(self, all);
		free(sum);
		close_paths();
	}
	CHECK(all > 0);
}

TEST(namespaces_are_those_of_the_names)
{
	static const struct { const char *label; unsigned method[4]; } space[] = {
		{ "Game", { GAME_FRAME, 1, 2, 3 } }, { "Game.Ai", { 4, 5 } }, { "Engine", { 6, 7 } }, { TT_NO_NAMESPACE, { 8 } },
		{ "System", { 10 } } };       /* "string" is System.String */
	const struct tt_paths *p = open_paths(4, TT_GROUP_NAMESPACE, TT_PATHS_LINK);
	struct tt_calls *sum = calloc(p->nrow, sizeof *sum);

	tt_calls_sum(p, NULL, sum);
	for (size_t s = 0; s < sizeof space / sizeof *space; s++) {
		int64_t want = 0, have = -1;

		for (unsigned k = 0; k < 4; k++)
			want += k == 0 || space[s].method[k] ? game_sum(&g, space[s].method[k]).self : 0;
		for (uint32_t i = 0; i < p->nrow; i++)
			have = p->row[i].wanted && strcmp(p->row[i].label, space[s].label) == 0 ? sum[i].self : have;
		CHECK_EQ_INT(have, want);
	}
	free(sum);
	close_paths();
}

TEST(no_two_rows_have_one_label_and_rows_are_in_order)
{
	const struct tt_paths *p = open_paths(5, TT_GROUP_NONE, TT_PATHS_ROWS);
	uint32_t markers = 0;

	for (uint32_t i = 0; i < p->nrow; i++) {
		markers += p->row[i].n;
		CHECK_EQ_INT(i == 0 ? 0 : p->row[i - 1].first + p->row[i - 1].n, p->row[i].first);
		CHECK(i == 0 || strcmp(p->row[i - 1].name->full, p->row[i].name->full) <= 0);
		CHECK_STR(tt_paths_label(p, p->row[i].name), p->row[i].label);
		for (uint32_t k = 0; k < i; k++)
			CHECK(strcmp(p->row[k].label, p->row[i].label) != 0);
	}
	CHECK_EQ_INT(markers, p->nmarker);
	close_paths();
}

TEST(an_owner_is_the_nearest_shown_zone_or_the_thread)
{
	const struct tt_paths *p = open_paths(6, TT_GROUP_NONE, TT_PATHS_ROWS);

	for (uint32_t i = 1; i < p->n; i++) {
		uint32_t at = i;

		while (at != 0 && at != p->root[i] && !(tt_paths_timed(p, at) && !tt_name_alloc_wrapper(p->m->name[tt_paths_node(p, at)->marker].full)))
			at = tt_paths_node(p, at)->parent;
		if (i != TT_NODE_MORE)
			CHECK_EQ_INT(p->owner[i], at);
		CHECK(p->owner[i] <= i);
	}
	close_paths();
}

TEST(the_text_of_a_path_names_its_steps_from_the_outermost)
{
	const struct tt_paths *p = open_paths(7, TT_GROUP_NONE, TT_PATHS_JOIN);
	struct tt_buf b = { 0 };
	size_t deep = 0;

	for (uint32_t i = 2; i < p->n; i++) {
		const char *at;
		size_t steps = 1;

		tt_paths_text(p, i, &b);
		tt_buf_add(&b, "", 1);
		for (at = b.p; (at = strstr(at, " > ")) != NULL; at += 3)
			steps++;
		if (p->owner[i] == p->root[i])
			CHECK_STR(b.p, TT_OUTSIDE);
		else
			CHECK(strcmp(b.p + strlen(b.p) - strlen(p->row[tt_paths_row(p, p->owner[i])].label), p->row[tt_paths_row(p, p->owner[i])].label) == 0);
		deep = steps > deep ? steps : deep;
		b.n = 0;
	}
	CHECK(deep >= 4);
	tt_buf_free(&b);
	close_paths();
}

TEST(equal_paths_are_joined_to_one_node_and_others_are_not)
{
	const struct tt_paths *p = open_paths(8, TT_GROUP_NAMESPACE, TT_PATHS_JOIN);
	struct tt_buf a = { 0 }, b = { 0 };

	for (uint32_t i = 2; i < p->n && i < 300; i++) {
		CHECK_EQ_INT(p->path[p->path[i]], p->path[i]);
		for (uint32_t k = 2; k < i; k++) {
			tt_paths_text(p, i, &a);
			tt_paths_text(p, k, &b);
			CHECK_EQ_INT(a.n == b.n && memcmp(a.p, b.p, a.n) == 0, p->path[i] == p->path[k]);
		}
	}
	tt_buf_free(&a);
	tt_buf_free(&b);
	close_paths();
}

TEST(threads_have_the_time_calls_and_allocations_that_they_recorded)
{
	open_paths(9, TT_GROUP_NONE, TT_PATHS_WAITS);
	const struct tt_zone_time *z = tt_view_zone_time(&view, &err);

	for (unsigned t = 0; t < 2 && z; t++) {
		struct game_sum want = { .allocs = g.outside[t].allocs, .bytes = g.outside[t].bytes };

		for (unsigned k = 0; k < GAME_METHODS; k++) {
			want.self += g.sum[t][k].self;
			want.n += g.hidden[k] ? 0 : g.sum[t][k].n;
			want.allocs += g.sum[t][k].allocs;
			want.bytes += g.sum[t][k].bytes;
		}
		CHECK_EQ_INT(z[t].inside, want.self);
		CHECK_EQ_INT(z[t].waiting, 0);
		CHECK_EQ_INT(tt_busy(&z[t]), want.self);
		CHECK_EQ_INT(z[t].calls, want.n);
		CHECK_EQ_INT(z[t].allocs, want.allocs);
		CHECK_EQ_INT(z[t].bytes, want.bytes);
	}
	CHECK(z != NULL);
	close_paths();
}

TEST(nested_waits_count_once_and_only_from_the_outermost_on)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Tick ()");
	game_method(&g, 2, "System.Threading.Thread:Sleep (int)");
	game_method(&g, 3, "System.Threading.Monitor:Wait (object)");
	game_enter(&g, 1);
	game_spend(&g, 100);
	game_enter(&g, 2);
	game_spend(&g, 30);
	game_call(&g, 3, 500);
	game_call(&g, 1, 40);
	game_leave(&g, 2);
	game_call(&g, 3, 7);
	game_leave(&g, 1);
	game_run(&g, TT_NEEDS_CALLS);
	tt_view_init(&view, g.r.m);
	const struct tt_zone_time *z = tt_view_zone_time(&view, &err);
	CHECK_EQ_INT(z[0].inside, 677);
	CHECK_EQ_INT(z[0].waiting, 577);
	close_paths();
}

TEST(without_memory_rows_are_refused_and_nothing_is_held)
{
	open_paths(3, TT_GROUP_NONE, TT_PATHS_ROWS);
	struct tt_mem *mem = &g.r.env.mem;
	const size_t used = mem->used;
	unsigned failed = 0;

	for (size_t room = 1; room < 20000; room += 501) {
		struct tt_paths p;

		mem->cap = used + room;
		err = (struct tt_err){ .at = TT_NOWHERE };
		int rc = tt_paths_init_by(&p, g.r.m, room % 2 ? TT_GROUP_NONE : TT_GROUP_NAMESPACE, &err);
		rc = rc == TT_OK ? tt_paths_link(&p, &err) : rc;
		rc = rc == TT_OK ? tt_paths_join(&p, &err) : rc;
		rc = rc == TT_OK ? tt_paths_sites(&p, &err) : rc;
		CHECK(rc == TT_OK || (rc == TT_E_LIMIT && err.code == rc));
		failed += rc != TT_OK;
		tt_paths_free(&p);
		CHECK_EQ_INT(mem->used, used);
	}
	CHECK(failed > 5);
	mem->cap = 0;
	err = (struct tt_err){ .at = TT_NOWHERE };
	close_paths();
}
