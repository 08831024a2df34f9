/*
 * Tests of why/group_causes.c and findings.c: hitches of one cause become one row with the figures of all; the rows come in order of the time that their frames
 * are longer, the machine's noise behind, what lasts throughout at the end.
 */
#include "causes_kit.h"

enum { DRAW = 1, THINK, SPAWN, SLEEP, OTHER, LOADS, FRAMES = 240 };

static struct causes k;

static void
begin(void)
{
	game_begin(&k.g);
	game_method(&k.g, DRAW, "Game.World:Draw (int)");
	game_method(&k.g, THINK, "Game.Foe:Think ()");
	game_method(&k.g, SPAWN, "Game.Foe:Spawn (int)");
	game_method(&k.g, SLEEP, "System.Threading.Thread:Sleep (int)");
	game_method(&k.g, OTHER, "Game.Ui:Open ()");
	game_method(&k.g, LOADS, "Game.Level:Load ()");
	game_spend(&k.g, 100 * GAME_MS);
}

/* A frame of 10 ms, and ${ns} in ${method} beyond that; 0: nothing. */
static void
frame(unsigned i, unsigned method, uint64_t ns)
{
	game_enter(&k.g, GAME_FRAME);
	game_call(&k.g, DRAW, 7 * GAME_MS + i * 7919 % 60000);
	game_enter(&k.g, THINK);
	game_spend(&k.g, 3 * GAME_MS);
	if (ns)
		game_call(&k.g, method, ns);
	game_leave(&k.g, THINK);
	game_leave(&k.g, GAME_FRAME);
}

static void
find(void)
{
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
}

/* Findings of long frames come first, the machine's noise among them last, then those of all frames; what is unknown comes last of all. */
static void
check_order(void)
{
	for (size_t i = 1; i < k.c.nfinding; i++) {
		const struct tt_finding *a = &k.c.finding[i - 1], *b = &k.c.finding[i];

		CHECK(a->class != TT_CAUSE_UNKNOWN || b->class == TT_CAUSE_UNKNOWN);
		if ((a->class == TT_CAUSE_UNKNOWN) != (b->class == TT_CAUSE_UNKNOWN))
			continue;
		CHECK(a->is_of_all <= b->is_of_all);
		if (a->is_of_all != b->is_of_all)
			continue;
		CHECK(a->is_noise <= b->is_noise);
		if (a->is_noise != b->is_noise || a->is_scattered != b->is_scattered)
			continue;
		CHECK(a->extra >= b->extra);
	}
}

TEST(hitches_of_one_cause_are_one_row_from_the_smallest_to_the_largest)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, SPAWN, i == 51 ? 20 * GAME_MS : i == 111 ? 40 * GAME_MS : i == 200 ? 30 * GAME_MS : 0);
	find();
	check_order();
	const struct tt_finding *f = &k.c.finding[0];
	CHECK_EQ_INT(f->class, TT_CAUSE_SLOW_CALL);
	CHECK_STR(f->marker, "Foe:Spawn");
	CHECK_EQ_INT(f->n, 3);
	CHECK_EQ_INT(f->worst, 111);
	CHECK_STR(f->frames, "frames 51, 111 and 200");
	CHECK_HAS(f->sentence, "20.00 to 40.00 ms");
	CHECK(llabs(f->extra - 90 * GAME_MS) < 200000);
	causes_end(&k);
}

TEST(two_causes_are_two_rows_the_costlier_first)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, i % 2 ? SPAWN : OTHER, i == 51 || i == 151 ? 20 * GAME_MS : i == 100 ? 50 * GAME_MS : 0);
	find();
	check_order();
	CHECK_STR(k.c.finding[0].marker, "Ui:Open");
	CHECK_EQ_INT(k.c.finding[0].n, 1);
	CHECK_STR(k.c.finding[0].frames, "frame 100");
	CHECK_STR(k.c.finding[1].marker, "Foe:Spawn");
	CHECK_STR(k.c.finding[1].frames, "frames 51 and 151");
	causes_end(&k);
}

TEST(what_returns_evenly_is_told_by_its_interval)
{
	static const struct { unsigned first, every, last; const char *text; } turn[] = {
		{ 60, 60, FRAMES, "4 frames, every 60th from 60 on" }, { 31, 31, FRAMES, "7 frames, every 31st from 31 on" },
		{ 22, 22, FRAMES, "10 frames, every 22nd from 22 on" }, { 33, 33, FRAMES, "7 frames, every 33rd from 33 on" },
		{ 11, 11, FRAMES, "21 frames, every 11th from 11 on" }, { 12, 12, FRAMES, "20 frames, every 12th from 12 on" },
		{ 13, 13, FRAMES, "18 frames, every 13th from 13 on" }, { 20, 40, 140, "4 frames, every 40th from 20 to 140" } };

	for (size_t t = 0; t < sizeof turn / sizeof *turn; t++) {
		begin();
		for (unsigned i = 1; i <= FRAMES; i++)
			frame(i, SPAWN, i >= turn[t].first && i <= turn[t].last && (i - turn[t].first) % turn[t].every == 0 ? 20 * GAME_MS : 0);
		find();
		CHECK_STR(k.c.finding[0].frames, turn[t].text);
		CHECK(!k.c.finding[0].is_scattered);
		causes_end(&k);
	}
}

TEST(frames_close_to_each_other_are_a_range_and_many_are_counted)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, SPAWN, i >= 100 && i < 108 ? 20 * GAME_MS : 0);
	find();
	CHECK_STR(k.c.finding[0].frames, "frames 100-107");
	causes_end(&k);
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, SPAWN, i >= 100 && i < 109 && i != 104 ? 20 * GAME_MS : 0);
	find();
	CHECK_STR(k.c.finding[0].frames, "frames 100-108");
	causes_end(&k);
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, SPAWN, i == 7 || i == 50 || i == 51 || i == 120 || i == 199 ? 20 * GAME_MS : 0);
	find();
	CHECK_STR(k.c.finding[0].frames, "5 frames, 7 to 199");
	causes_end(&k);
}

/* A sleep that every frame makes, and that the system ends late in some. */
static void
sleeps(bool (*is_late)(unsigned))
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(&k.g, GAME_FRAME);
		game_call(&k.g, DRAW, 7 * GAME_MS + i * 7919 % 60000);
		game_enter(&k.g, THINK);
		game_call(&k.g, SLEEP, is_late(i) ? 30 * GAME_MS : GAME_MS);
		if (i == 33)
			game_call(&k.g, SPAWN, 5 * GAME_MS);
		game_leave(&k.g, THINK);
		game_leave(&k.g, GAME_FRAME);
	}
	find();
	check_order();
}

static bool
here_and_there(unsigned i)
{
	return i == 20 || i == 61 || i == 177;
}

static bool
evenly(unsigned i)
{
	return i % 60 == 0;
}

TEST(sleeps_woken_late_here_and_there_are_noise_and_rank_behind)
{
	sleeps(here_and_there);
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_WAIT);
	CHECK(f && f->is_noise && f->n == 3);
	CHECK_HAS(f ? f->sentence : "", "woken late by the system");
	/* A tenth of its time, and before it. */
	CHECK_EQ_INT(k.c.finding[0].class, TT_CAUSE_SLOW_CALL);
	CHECK(f > &k.c.finding[0]);
	causes_end(&k);
}

TEST(sleeps_that_are_long_evenly_are_no_noise)
{
	sleeps(evenly);
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_WAIT);
	CHECK(f && !f->is_noise && f->n == 4);
	CHECK(f && strstr(f->sentence, "woken late") == NULL);
	CHECK(f == &k.c.finding[0]);
	causes_end(&k);
}

TEST(calls_that_no_marker_explains_are_unknown_and_last)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		/* A single frame in which everything takes longer: chance may have been at work. */
		const uint64_t by = i == 90 ? 3 : 1;

		game_enter(&k.g, GAME_FRAME);
		game_call(&k.g, DRAW, by * (5 * GAME_MS + i * 7919 % 60000));
		game_call(&k.g, THINK, by * 5 * GAME_MS);
		if (i == 150)
			game_call(&k.g, SPAWN, 3 * GAME_MS);
		game_leave(&k.g, GAME_FRAME);
	}
	find();
	check_order();
	const struct tt_cause *c = causes_of(&k, 90);
	CHECK(c && c->class == TT_CAUSE_UNKNOWN);
	const struct tt_finding *f = causes_finding(&k, TT_CAUSE_UNKNOWN);
	CHECK(f && f->n == 1 && f == &k.c.finding[k.c.nfinding - 1]);
	CHECK(f && (!f->marker || !*f->marker));
	causes_end(&k);
}

TEST(the_order_of_definitions_and_the_number_of_workers_change_nothing)
{
	char first[4096] = "";

	for (unsigned turn = 0; turn < 2; turn++) {
		char all[4096] = "";

		game_begin(&k.g);
		for (unsigned m = 0; m < 6; m++) {
			static const char *const name[] = { "Game.World:Draw (int)", "Game.Foe:Think ()", "Game.Foe:Spawn (int)",
				"System.Threading.Thread:Sleep (int)", "Game.Ui:Open ()", "Game.Level:Load ()" };
			const unsigned at = turn ? 5 - m : m;

			game_method(&k.g, DRAW + at, name[at]);
		}
		game_spend(&k.g, 100 * GAME_MS);
		for (unsigned i = 1; i <= FRAMES; i++)
			frame(i, i % 2 ? SPAWN : OTHER, i == 51 || i == 100 || i == 151 ? 20 * GAME_MS : 0);
		find();
		for (size_t i = 0; i < k.c.nfinding; i++) {
			strncat(all, k.c.finding[i].sentence, sizeof all - strlen(all) - 2);
			strcat(all, "\n");
		}
		if (turn == 0)
			memcpy(first, all, sizeof first);
		CHECK_STR(all, first);
		causes_end(&k);
	}
}

TEST(without_memory_the_search_says_so_and_holds_none)
{
	unsigned failed = 0;

	begin();
	for (unsigned i = 1; i <= 60; i++)
		frame(i, SPAWN, i == 51 ? 20 * GAME_MS : 0);
	find();
	struct tt_mem *mem = &k.g.r.env.mem;
	tt_arena_free(&k.text);
	tt_view_free(&k.view);
	const size_t used = mem->used;
	for (size_t room = 1; room < 400000; room += 7919) {
		mem->cap = used + room;
		k.err = (struct tt_err){ .at = TT_NOWHERE };
		tt_view_init(&k.view, k.g.r.m);
		tt_arena_init(&k.text, mem);
		const int rc = tt_causes_find(&k.c, &k.view, &k.text, &k.err);
		CHECK(rc == TT_OK || (rc == TT_E_LIMIT && k.err.code == rc));
		failed += rc != TT_OK;
		tt_arena_free(&k.text);
		tt_view_free(&k.view);
		CHECK_EQ_INT(mem->used, used);
	}
	CHECK(failed > 3);
	mem->cap = 0;
	CHECK_EQ_INT(game_end(&k.g), 0);
}
