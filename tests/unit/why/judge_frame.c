/*
 * Tests of why/judge_frame.c and sentence.c: one long frame among two hundred, for one reason; the class, the marker, the figures and the sentence are those of
 * what was planted (tracetool-metrics(7), Causes).
 */
#include "causes_kit.h"

enum { DRAW = 1, THINK, SPAWN, SLEEP, GC, LOAD, READ, WAITS };
enum { FRAMES = 200, LONG = 77, NS = 30 * GAME_MS };

static struct causes k;
static const struct tt_cause no_cause = { .row = TT_NO_ROW, .row2 = TT_NO_ROW };

static void
begin(void)
{
	struct game *g = &k.g;

	game_begin(g);
	game_method(g, DRAW, "Game.World:Draw (int)");
	game_method(g, THINK, "Game.Foe:Think ()");
	game_method(g, SPAWN, "Game.Foe:Spawn (int)");
	game_method(g, SLEEP, "System.Threading.Thread:Sleep (int)");
	game_method(g, GC, "System.GC:Collect ()");
	game_method(g, LOAD, "Game.Level:Load ()");
	game_method(g, READ, "System.IO.File:ReadAllBytes (string)");
	game_class(g, 0, "System.Byte[]");
	game_class(g, 1, "System.IO.IOException");
	game_class(g, 2, "Game.LostException");
	/* Compiled before the first frame. */
	game_spend(g, 100 * GAME_MS);
}

/* A frame of 9 ms and a bit, with ${does} in Think. */
static void
frame(unsigned i, void (*does)(void))
{
	struct game *g = &k.g;

	game_enter(g, GAME_FRAME);
	game_call(g, DRAW, 4 * GAME_MS + i * 7919 % 100000);
	game_call(g, DRAW, 2 * GAME_MS);
	game_enter(g, THINK);
	game_alloc(g, 0, GAME_OBJECT(i), 4000);
	game_spend(g, 3 * GAME_MS);
	if (does)
		does();
	game_leave(g, THINK);
	game_leave(g, GAME_FRAME);
}

/* All frames; the one of number LONG has ${does}. Its cause, which must be the only one. */
static const struct tt_cause *
find(void (*does)(void), enum tt_cause_class class, const char *row)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, i == LONG ? does : NULL);
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
	const struct tt_cause *c = causes_of(&k, LONG);
	CHECK_EQ_INT(k.c.ncause, 1);
	if (!CHECK(c != NULL))
		return &no_cause;
	CHECK_STR(tt_cause_name(c->class), tt_cause_name(class));
	CHECK_STR(causes_label(&k, c->row), row);
	/* The median frame has no extra, so this one has what was planted, but for the draws of both. */
	CHECK(llabs(c->extra - NS) < 100000);
	CHECK(c->ns >= c->extra / 3);
	return c;
}

/* The sentence of the only finding about frames, which is the same as that of its one hitch. */
static const char *
sentence(const struct tt_cause *c)
{
	const struct tt_finding *f = causes_finding(&k, c->class);
	const char *s = tt_cause_sentence(c, &k.view, &k.text, &k.err);

	CHECK(f && f->n == 1);
	CHECK_STR(s, f ? f->sentence : "");
	return s;
}

static void
wait_for_lock(void)
{
	mlpd_monitor(game_buffer(&k.g), game_now(&k.g), 1, GAME_OBJECT(5), NULL);
	game_spend(&k.g, NS);
	mlpd_monitor(game_buffer(&k.g), game_now(&k.g), 2, GAME_OBJECT(5), NULL);
}

TEST(a_wait_for_a_lock_has_its_whole_time)
{
	const struct tt_cause *c = find(wait_for_lock, TT_CAUSE_LOCK, "Foe:Think");

	CHECK_EQ_INT(c->took_ns, NS);
	CHECK_EQ_INT(c->usual_took_ns, 0);
	CHECK_EQ_INT(c->n, 1);
	CHECK_EQ_INT(c->longest, NS);
	CHECK_STR(sentence(c), "30.00 ms waiting for a lock in Foe:Think");
	causes_end(&k);
}

static void
sleep_long(void)
{
	game_call(&k.g, SLEEP, NS);
}

TEST(a_sleep_is_a_wait_named_by_the_call)
{
	const struct tt_cause *c = find(sleep_long, TT_CAUSE_WAIT, "Foe:Think");

	CHECK_EQ_INT(c->took_ns, NS);
	CHECK_STR(causes_label(&k, c->row2), "Thread:Sleep");
	/* It is usually not called, so the system did not wake it late. */
	CHECK(!c->woken_late);
	CHECK_STR(sentence(c), "30.00 ms waiting in Thread:Sleep, called by Foe:Think");
	causes_end(&k);
}

static void
collect_asked(void)
{
	game_enter(&k.g, GC);
	game_collect(&k.g, 1, NS, 0);
	game_leave(&k.g, GC);
}

TEST(a_collection_asked_for_is_of_the_method_that_asks)
{
	const struct tt_cause *c = find(collect_asked, TT_CAUSE_COLLECTION, "Foe:Think");

	CHECK(c->is_requested && !c->is_guessed);
	CHECK_EQ_INT(c->took_ns, NS);
	CHECK_EQ_INT(c->generations, 1 << 1);
	CHECK_HAS(sentence(c), "30.00 ms for a gen-1 collection that Foe:Think asked for");
	causes_end(&k);
}

static void
collect_itself(void)
{
	game_collect(&k.g, 0, NS, 0);
}

TEST(a_collection_that_starts_by_itself_is_of_who_allocates)
{
	const struct tt_cause *c = find(collect_itself, TT_CAUSE_COLLECTION, "Foe:Think");

	CHECK(!c->is_requested);
	CHECK_EQ_INT(c->generations, 1);
	/* Bytes in a typical frame. */
	CHECK_EQ_INT(c->usual_ns, 4000);
	CHECK_HAS(sentence(c), "started in Foe:Think");
	causes_end(&k);
}

static void
throw_many(void)
{
	struct game *g = &k.g;

	for (unsigned i = 0; i < 30; i++) {
		const unsigned object = 1000 + 20 * i;

		game_alloc(g, i % 3 ? 1 : 2, GAME_OBJECT(object), 100);
		mlpd_throw(game_buffer(g), game_now(g), GAME_OBJECT(object), NULL);
		game_spend(g, GAME_MS);
		mlpd_clause(game_buffer(g), game_now(g), 0, 0, GAME_CODE(THINK), GAME_OBJECT(object));
	}
}

TEST(exceptions_have_the_most_frequent_class_and_the_number_of_the_others)
{
	const struct tt_cause *c = find(throw_many, TT_CAUSE_EXCEPTIONS, "Foe:Think");

	CHECK_EQ_INT(c->n, 30);
	CHECK_EQ_INT(c->took_ns, NS);
	CHECK_STR(c->name, "System.IO.IOException");
	CHECK_EQ_INT(c->allocs, 20);
	CHECK_EQ_INT(c->nother_exceptions, 10);
	CHECK_HAS(sentence(c), "30 ");
	CHECK_HAS(sentence(c), "20 ");
	CHECK_HAS(sentence(c), "30.00 ms");
	causes_end(&k);
}

static void
load(void)
{
	game_enter(&k.g, LOAD);
	game_call(&k.g, READ, 28 * GAME_MS);
	game_spend(&k.g, 2 * GAME_MS);
	game_leave(&k.g, LOAD);
}

TEST(loading_has_the_time_of_the_call_that_loads)
{
	const struct tt_cause *c = find(load, TT_CAUSE_LOADING, "Level:Load");

	CHECK_EQ_INT(c->took_ns, 28 * GAME_MS);
	CHECK_EQ_INT(c->named_ns, 28 * GAME_MS);
	CHECK_STR(causes_label(&k, c->row2), "File:ReadAllBytes");
	CHECK_STR(sentence(c), "28.00 ms loading: File:ReadAllBytes, under Level:Load");
	causes_end(&k);
}

static void
spawn_once(void)
{
	game_call(&k.g, SPAWN, NS);
}

TEST(a_method_that_is_usually_not_called_is_a_known_slow_call)
{
	const struct tt_cause *c = find(spawn_once, TT_CAUSE_SLOW_CALL, "Foe:Spawn");

	CHECK(!c->is_doubtful);
	CHECK_EQ_INT(c->n, 1);
	CHECK_EQ_INT(c->usual_n, 0);
	CHECK_EQ_INT(c->took_ns, NS);
	CHECK_STR(sentence(c), "Foe:Spawn: 30.00 ms; usually not called");
	causes_end(&k);
}

static void
spawn_often(void)
{
	for (unsigned i = 0; i < 60; i++)
		game_call(&k.g, SPAWN, NS / 60);
}

TEST(more_calls_are_counted_beside_the_usual)
{
	const struct tt_cause *c = find(spawn_often, TT_CAUSE_CALLS, "Foe:Spawn");

	CHECK_EQ_INT(c->n, 60);
	CHECK_EQ_INT(c->usual_n, 0);
	CHECK_EQ_INT(c->beyond_ns, NS);
	CHECK_EQ_INT(c->longest, NS / 60);
	CHECK_STR(sentence(c), "Foe:Spawn: 60 calls, usually none: 30.00 ms more");
	causes_end(&k);
}

static void
draw_often(void)
{
	for (unsigned i = 0; i < 60; i++)
		game_call(&k.g, DRAW, NS / 60);
}

TEST(more_is_what_a_method_takes_beyond_its_median)
{
	const struct tt_cause *c = find(draw_often, TT_CAUSE_CALLS, "World:Draw");

	CHECK_EQ_INT(c->n, 62);
	CHECK_EQ_INT(c->usual_n, 2);
	/* 4 ms and up to 100 us, and 2 ms. */
	CHECK(c->usual_ns > 6 * GAME_MS && c->usual_ns < 6 * GAME_MS + 100000);
	CHECK_EQ_INT(c->took_ns, 6 * GAME_MS + LONG * 7919 % 100000 + NS);
	CHECK_EQ_INT(c->beyond_ns, c->took_ns - c->usual_ns);
	CHECK_HAS(sentence(c), "World:Draw: 62 calls, usually 2: ");
	causes_end(&k);
}

/* Nine calls of a method that is usually not called are no "calls": ten are the least. */
static void
spawn_nine(void)
{
	for (unsigned i = 0; i < 9; i++)
		game_call(&k.g, SPAWN, NS / 9);
}

TEST(ten_calls_are_the_least_of_a_method_that_is_usually_not_called)
{
	const struct tt_cause *c = find(spawn_nine, TT_CAUSE_SLOW_CALL, "Foe:Spawn");

	CHECK_EQ_INT(c->n, 9);
	causes_end(&k);
}

static void
allocate(void)
{
	for (unsigned i = 0; i < 20000; i++)
		game_alloc(&k.g, 0, GAME_OBJECT(10000 + 200 * i), 1000);
	game_spend(&k.g, NS);
}

TEST(a_burst_of_allocations_has_all_objects_and_bytes_of_the_frame)
{
	const struct tt_cause *c = find(allocate, TT_CAUSE_ALLOCATION, "Foe:Think");

	CHECK_EQ_INT(c->allocs, 20001);
	CHECK_EQ_INT(c->bytes, 20004000);
	CHECK_EQ_INT(c->usual_n, 1);
	CHECK_STR(c->name, "System.Byte[]");
	CHECK_HAS(sentence(c), "20,001 objects, usually 1");
	CHECK_HAS(sentence(c), "19.1 MB");
	causes_end(&k);
}

/* 300 ns an object and 1 ns a byte: so few explain a twentieth of the time. */
static void
allocate_little(void)
{
	for (unsigned i = 0; i < 1000; i++)
		game_alloc(&k.g, 0, GAME_OBJECT(10000 + 200 * i), 1000);
	game_call(&k.g, SPAWN, NS);
}

TEST(allocations_that_explain_too_little_are_not_the_cause)
{
	find(allocate_little, TT_CAUSE_SLOW_CALL, "Foe:Spawn");
	causes_end(&k);
}

/* 2 ms by that rule: not a third of the time. */
static void
allocate_small(void)
{
	for (unsigned i = 0; i < 5000; i++)
		game_alloc(&k.g, 0, GAME_OBJECT(10000 + 200 * i), 100);
	game_spend(&k.g, NS);
}

TEST(an_object_takes_300_ns_and_a_byte_one)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, i == LONG ? allocate_small : NULL);
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
	const struct tt_cause *c = causes_of(&k, LONG);
	CHECK(c && c->class != TT_CAUSE_ALLOCATION);
	causes_end(&k);
}

TEST(a_method_that_loads_far_more_often_is_told_by_how_often)
{
	struct game *g = &k.g;

	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		game_enter(g, GAME_FRAME);
		game_call(g, DRAW, 4 * GAME_MS + i * 7919 % 100000);
		game_enter(g, LOAD);
		for (unsigned n = i == LONG ? 41 : 1; n > 0; n--) {
			game_call(g, READ, 100 * GAME_US);
			game_spend(g, i == LONG ? 26 * GAME_MS / 41 : 0);
		}
		game_leave(g, LOAD);
		game_leave(g, GAME_FRAME);
	}
	game_call(g, GAME_FRAME, 1);
	causes_find(&k);
	const struct tt_cause *c = causes_of(&k, LONG);
	if (CHECK(c && c->class == TT_CAUSE_LOADING)) {
		CHECK_STR(causes_label(&k, c->row), "Level:Load");
		CHECK_EQ_INT(c->callee_n, 41);
		CHECK_EQ_INT(c->callee_usual_n, 1);
		/* With what it calls, beyond its median. */
		CHECK_EQ_INT(c->beyond_ns, 40 * 100 * GAME_US + 41 * (26 * GAME_MS / 41));
		CHECK_HAS(sentence(c), "41 calls of File:ReadAllBytes, usually 1");
	}
	causes_end(&k);
}

static void
two_causes(void)
{
	game_call(&k.g, SLEEP, 18 * GAME_MS);
	game_call(&k.g, SPAWN, 12 * GAME_MS);
}

TEST(a_second_cause_of_a_quarter_stands_beside_the_first)
{
	const struct tt_cause *c = find(two_causes, TT_CAUSE_WAIT, "Foe:Think");

	CHECK_EQ_INT(c->took_ns, 18 * GAME_MS);
	if (CHECK(c->second != NULL)) {
		CHECK_EQ_INT(c->second->class, TT_CAUSE_SLOW_CALL);
		CHECK_STR(causes_label(&k, c->second->row), "Foe:Spawn");
		CHECK_EQ_INT(c->second->took_ns, 12 * GAME_MS);
		CHECK(c->ns + c->second->ns <= c->extra + c->extra / 10);
	}
	CHECK_HAS(sentence(c), "18.00 ms waiting");
	CHECK_HAS(sentence(c), "; and ");
	CHECK_HAS(sentence(c), "12.00 ms");
	causes_end(&k);
}

static void
many_causes(void)
{
	game_call(&k.g, SLEEP, 14 * GAME_MS);
	for (unsigned i = 0; i < 8; i++)
		game_call(&k.g, DRAW, 2 * GAME_MS);
}

TEST(what_explains_a_part_says_how_much_of_the_extra_time)
{
	static const char part[] = "% of the extra time";

	find(sleep_long, TT_CAUSE_WAIT, "Foe:Think");
	CHECK(strstr(k.c.finding[0].sentence, part) == NULL);
	causes_end(&k);
	/* 14 of 30 ms in the wait, and 16 in eight further calls of Draw. */
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, i == LONG ? many_causes : NULL);
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
	CHECK_EQ_INT(k.c.ncause, 1);
	const struct tt_cause *c = causes_of(&k, LONG);
	CHECK(c && c->second);
	CHECK(c && (c->class == TT_CAUSE_CALLS || c->class == TT_CAUSE_WAIT));
	causes_end(&k);
}

TEST(time_between_frames_calls_is_outside)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++) {
		frame(i, NULL);
		game_spend(&k.g, i == LONG ? NS : 0);
	}
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
	const struct tt_cause *c = causes_of(&k, LONG);
	CHECK(c && c->class == TT_CAUSE_OUTSIDE && c->row == TT_NO_ROW && c->beyond_ns == NS);
	/* It is one frame, and the machine's. */
	CHECK(causes_finding(&k, TT_CAUSE_OUTSIDE)->is_noise);
	causes_end(&k);
}

TEST(frames_alike_have_no_cause)
{
	begin();
	for (unsigned i = 1; i <= FRAMES; i++)
		frame(i, NULL);
	game_call(&k.g, GAME_FRAME, 1);
	causes_find(&k);
	CHECK_EQ_INT(k.c.ncause, 0);
	for (size_t i = 0; i < k.c.nfinding; i++)
		CHECK_EQ_INT(k.c.finding[i].class, TT_CAUSE_STEADY);
	causes_end(&k);
}

TEST(nine_frames_have_none_that_is_typical)
{
	for (unsigned n = 9; n <= 10; n++) {
		begin();
		for (unsigned i = 1; i <= n; i++)
			frame(i, i == 5 ? sleep_long : NULL);
		game_call(&k.g, GAME_FRAME, 1);
		causes_find(&k);
		CHECK_EQ_INT(k.c.ncause, n == 10);
		causes_end(&k);
	}
}
