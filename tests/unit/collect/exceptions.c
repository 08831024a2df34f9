/*
 * Tests of collect/exceptions.h: throws by class and place, which catch clause is whose, and what has no match, over captures of Mono's log profiler.
 */
#include "check.h"

#include "collect/exceptions.h"
#include "game.h"
#include "model/model.h"

enum { TICK = 1, DRAW = 2, NATIVE = 3, CATCH = 0, FINALLY = 2 };
enum { NEEDS = TT_NEEDS_THROWS | TT_NEEDS_SITES | TT_NEEDS_CALLS | TT_NEEDS_ARGS | TT_NEEDS_OBJECTS | TT_NEEDS_MOVES };
enum { IO, OTHER, BYTES };

static struct game g;

static void
begin(void)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_method(&g, DRAW, "Game.World:Draw (int)");
	game_method(&g, NATIVE, "(wrapper runtime-invoke) Game.World:runtime_invoke_void (object,intptr)");
	game_class(&g, IO, "System.IO.IOException");
	game_class(&g, OTHER, "Game.LostException");
	game_class(&g, BYTES, "Game.Odd");
	game_thread(&g, 1, "Worker");
	game_thread(&g, 0, NULL);
	game_enter(&g, TICK);
}

static const struct tt_exceptions *
run(void)
{
	game_leave(&g, TICK);
	game_run(&g, NEEDS);
	return tt_exceptions(g.r.m);
}

static void
throw(unsigned object)
{
	mlpd_throw(game_buffer(&g), game_now(&g), GAME_OBJECT(object), NULL);
}

static void
clause(unsigned kind, uint64_t method, unsigned object)
{
	/* Mono's own numbers of methods, as enter and leave have them. */
	mlpd_clause(game_buffer(&g), game_now(&g), kind, 0, GAME_CODE(method), object ? GAME_OBJECT(object) : 0);
}

/* The throws of a class, on all paths; a class by its vtable, 0: not known. */
static struct tt_throw_site
of_class(const struct tt_exceptions *e, uint64_t key)
{
	struct tt_throw_site sum = { 0 };

	for (size_t i = 0; i < e->n; i++) {
		if (e->site[i].key != key)
			continue;
		sum.n += e->site[i].n;
		sum.caught.n += e->site[i].caught.n;
		sum.caught.total += e->site[i].caught.total;
	}
	return sum;
}

static uint64_t
all_throws(const struct tt_exceptions *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += e->site[i].n;
	return n;
}

TEST(throws_have_the_class_of_their_object_and_the_time_until_they_are_caught)
{
	begin();
	for (unsigned i = 0; i < 10; i++) {
		game_alloc(&g, i % 2 ? IO : OTHER, GAME_OBJECT(10 * i + 1), 120);
		throw(10 * i + 1);
		game_spend(&g, 100 + i);
		clause(CATCH, TICK, 10 * i + 1);
		game_spend(&g, 5);
	}
	const struct tt_exceptions *e = run();
	CHECK_EQ_INT(all_throws(e), 10);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).n, 5);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).caught.n, 5);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).caught.total, 500 + 1 + 3 + 5 + 7 + 9);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(OTHER)).caught.total, 500 + 2 + 4 + 6 + 8);
	CHECK_EQ_INT(e->unthrown, 0);
	CHECK_EQ_INT(e->nclause, 1);
	CHECK_EQ_INT(e->clause[0].n, 10);
	CHECK(e->objects);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(an_exception_in_a_handler_leaves_the_outer_one_to_its_own_clause)
{
	begin();
	game_alloc(&g, IO, GAME_OBJECT(1), 120);
	throw(1);
	game_spend(&g, 10);
	game_alloc(&g, OTHER, GAME_OBJECT(2), 120);
	throw(2);
	game_spend(&g, 10);
	clause(CATCH, DRAW, 2);
	game_spend(&g, 10);
	clause(CATCH, TICK, 1);
	const struct tt_exceptions *e = run();
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).caught.total, 30);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(OTHER)).caught.total, 10);
	CHECK_EQ_INT(e->unthrown, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(one_that_reaches_native_code_is_thrown_and_not_caught)
{
	begin();
	game_alloc(&g, IO, GAME_OBJECT(1), 120);
	throw(1);
	game_spend(&g, 10);
	clause(CATCH, NATIVE, 1);
	const struct tt_exceptions *e = run();
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).n, 1);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).caught.n, 0);
	CHECK_EQ_INT(e->unthrown, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_thread_catches_its_own_exceptions_alone)
{
	begin();
	game_alloc(&g, IO, GAME_OBJECT(1), 120);
	throw(1);
	game_thread(&g, 1, NULL);
	game_spend(&g, 50);
	game_enter(&g, DRAW);
	clause(CATCH, DRAW, 1);
	game_leave(&g, DRAW);
	game_thread(&g, 0, NULL);
	game_spend(&g, 100);
	const struct tt_exceptions *e = run();
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).n, 1);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(IO)).caught.n, 0);
	CHECK_EQ_INT(e->unthrown, 1);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_class_that_is_not_called_an_exception_is_known_for_64_allocations)
{
	for (unsigned between = 62; between < 67; between++) {
		begin();
		game_alloc(&g, BYTES, GAME_OBJECT(1), 120);
		for (unsigned i = 0; i < between; i++)
			game_alloc(&g, BYTES, GAME_OBJECT(100 + 20 * i), 24);
		throw(1);
		const struct tt_exceptions *e = run();
		/* It is one of the last 64 before the throw. */
		CHECK_EQ_INT(of_class(e, GAME_VTABLE(BYTES)).n, between < 64);
		CHECK_EQ_INT(of_class(e, 0).n, between >= 64);
		CHECK_EQ_INT(game_end(&g), 0);
	}
	begin();
	game_alloc(&g, IO, GAME_OBJECT(1), 120);
	for (unsigned i = 0; i < 1000; i++)
		game_alloc(&g, BYTES, GAME_OBJECT(100 + 20 * i), 24);
	throw(1);
	CHECK_EQ_INT(of_class(run(), GAME_VTABLE(IO)).n, 1);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(an_exception_that_moves_keeps_its_class)
{
	const uint64_t move[] = { GAME_OBJECT(1), GAME_OBJECT(900) };

	begin();
	game_alloc(&g, OTHER, GAME_OBJECT(1), 120);
	mlpd_gc_moves(game_buffer(&g), game_now(&g), move, 2);
	game_alloc(&g, BYTES, GAME_OBJECT(1), 64);
	throw(900);
	const struct tt_exceptions *e = run();
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(OTHER)).n, 1);
	CHECK_EQ_INT(of_class(e, GAME_VTABLE(BYTES)).n, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(clauses_are_counted_by_method_and_kind_and_those_of_exceptions_apart)
{
	begin();
	throw(1);
	clause(FINALLY, TICK, 1);
	clause(FINALLY, TICK, 0);
	clause(FINALLY, TICK, 0);
	clause(FINALLY, DRAW, 0);
	clause(CATCH, TICK, 1);
	const struct tt_exceptions *e = run();
	uint64_t n = 0, unwinding = 0;
	CHECK_EQ_INT(e->nclause, 3);
	for (size_t i = 0; i < e->nclause; i++) {
		n += e->clause[i].n;
		unwinding += e->clause[i].kind == FINALLY ? e->clause[i].unwinding : 0;
		CHECK(e->clause[i].kind != FINALLY || e->clause[i].n == (e->clause[i].unwinding ? 3 : 1));
	}
	CHECK_EQ_INT(n, 5);
	CHECK_EQ_INT(unwinding, 1);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(throws_beyond_all_that_can_be_open_are_counted)
{
	begin();
	for (unsigned i = 0; i < 5000; i++)
		throw(1 + i);
	for (unsigned i = 5000; i-- > 0;)
		clause(CATCH, TICK, 1 + i);
	const struct tt_exceptions *e = run();
	CHECK_EQ_INT(all_throws(e), 5000);
	/* Each of them had a throw, also those whose throw was forgotten. */
	CHECK_EQ_INT(e->unthrown, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}
