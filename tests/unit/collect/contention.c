/*
 * Tests of collect/contention.h: waits of several threads for locks that move, against a count of what was recorded; ends without begins, begins without
 * ends, and time filters.
 */
#include "check.h"

#include "collect/contention.h"
#include "game.h"

enum { CONTEND = 1, ACQUIRED, FAILED, TICK = 1, DRAW = 2, LOCKS = 6, THREADS = 4, WAITS = 300 };
enum { NEEDS = TT_NEEDS_LOCKS | TT_NEEDS_SITES | TT_NEEDS_CALLS | TT_NEEDS_ARGS | TT_NEEDS_MOVES };

static struct game g;

static void
begin(void)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_method(&g, DRAW, "Game.World:Draw (int)");
	for (unsigned i = 1; i < THREADS; i++)
		game_thread(&g, i, "Worker");
	game_thread(&g, 0, NULL);
}

static void
monitor(unsigned what, unsigned lock)
{
	mlpd_monitor(game_buffer(&g), game_now(&g), what, GAME_OBJECT(lock), NULL);
}

static const struct tt_contention *
run(void)
{
	game_run(&g, NEEDS);
	return tt_contention(g.r.m);
}

static void
end(void)
{
	CHECK_EQ_INT(game_end(&g), 0);
}

static const struct tt_lock *
lock_of(const struct tt_contention *c, unsigned lock)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->lock[i].addr == GAME_OBJECT(lock))
			return &c->lock[i];
	CHECK(false);
	return &c->lock[0];
}

TEST(waits_of_many_threads_are_counted_by_lock_and_by_site)
{
	struct { uint64_t contended, failed, acquired; int64_t total, max; bool by[THREADS]; } want[LOCKS] = { { 0 } };
	uint64_t seed = 5, n = 0;
	int64_t total = 0, at_sites = 0;

	begin();
	for (unsigned i = 0; i < WAITS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		const unsigned lock = (unsigned)(seed >> 33) % LOCKS, by = (unsigned)(seed >> 40) % THREADS;
		const bool fails = (seed >> 50) % 5 == 0;
		const int64_t ns = (int64_t)(seed >> 44) % 100000;

		game_thread(&g, by, NULL);
		game_spend(&g, 1000);
		game_enter(&g, seed >> 60 & 1 ? TICK : DRAW);
		monitor(CONTEND, lock);
		game_spend(&g, (uint64_t)ns);
		monitor(fails ? FAILED : ACQUIRED, lock);
		game_leave(&g, seed >> 60 & 1 ? TICK : DRAW);
		want[lock].contended++;
		want[lock].failed += fails;
		want[lock].acquired += !fails;
		want[lock].total += ns;
		want[lock].max = ns > want[lock].max ? ns : want[lock].max;
		want[lock].by[by] = true;
		total += ns;
	}
	const struct tt_contention *c = run();
	CHECK_EQ_INT(c->n, LOCKS);
	for (unsigned i = 0; i < LOCKS; i++) {
		const struct tt_lock *l = lock_of(c, i);
		unsigned threads = 0;

		for (unsigned k = 0; k < THREADS; k++)
			threads += want[i].by[k];
		CHECK_EQ_INT(l->ncontended, want[i].contended);
		CHECK_EQ_INT(l->nfailed, want[i].failed);
		CHECK_EQ_INT(l->nacquired, want[i].acquired);
		CHECK_EQ_INT(l->nthreads, threads);
		CHECK_EQ_INT(l->wait.n, want[i].contended);
		CHECK_EQ_INT(l->wait.total, want[i].total);
		CHECK_EQ_INT(l->wait.max, want[i].max);
		CHECK_EQ_INT(l->nmoves, 0);
	}
	for (size_t i = 0; i < c->nsite; i++) {
		n += c->site[i].ncontended;
		at_sites += c->site[i].wait.total;
	}
	CHECK_EQ_INT(n, WAITS);
	CHECK_EQ_INT(at_sites, total);
	CHECK_EQ_INT(c->wait.n, WAITS);
	CHECK_EQ_INT(c->wait.total, total);
	CHECK_EQ_INT(c->nunfinished, 0);
	CHECK(!c->has_moves);
	end();
}

TEST(a_lock_is_the_same_where_the_collector_moves_it)
{
	const uint64_t move[] = { GAME_OBJECT(1), GAME_OBJECT(2), GAME_OBJECT(2), GAME_OBJECT(3) };

	begin();
	monitor(CONTEND, 1);
	game_spend(&g, 10);
	monitor(ACQUIRED, 1);
	game_spend(&g, 1);
	monitor(CONTEND, 2);
	game_spend(&g, 100);
	/* While it waits, 1 goes to 2 and 2 to 3. */
	mlpd_gc_moves(game_buffer(&g), game_now(&g), move, 4);
	game_spend(&g, 100);
	monitor(ACQUIRED, 3);
	game_spend(&g, 1);
	monitor(CONTEND, 2);
	game_spend(&g, 7);
	monitor(FAILED, 2);
	const struct tt_contention *c = run();
	CHECK_EQ_INT(c->n, 2);
	CHECK(c->has_moves);
	CHECK_EQ_INT(lock_of(c, 1)->wait.total, 17);
	CHECK_EQ_INT(lock_of(c, 1)->ncontended, 2);
	CHECK_EQ_INT(lock_of(c, 1)->nfailed, 1);
	CHECK_EQ_INT(lock_of(c, 1)->nmoves, 1);
	CHECK_EQ_INT(lock_of(c, 2)->wait.total, 200);
	CHECK_EQ_INT(lock_of(c, 2)->nacquired, 1);
	CHECK_EQ_INT(lock_of(c, 2)->nmoves, 1);
	end();
}

TEST(a_wait_without_an_end_and_an_end_without_a_wait_have_no_time)
{
	begin();
	monitor(ACQUIRED, 1);
	game_spend(&g, 10);
	monitor(CONTEND, 1);
	game_spend(&g, 10);
	/* It cannot wait twice: the first one has no end. */
	monitor(CONTEND, 2);
	game_spend(&g, 50);
	monitor(ACQUIRED, 2);
	game_spend(&g, 10);
	monitor(CONTEND, 3);
	const struct tt_contention *c = run();
	CHECK_EQ_INT(c->nunfinished, 2);
	CHECK_EQ_INT(c->wait.n, 1);
	CHECK_EQ_INT(c->wait.total, 50);
	CHECK_EQ_INT(lock_of(c, 1)->nacquired, 1);
	CHECK_EQ_INT(lock_of(c, 1)->ncontended, 1);
	CHECK_EQ_INT(lock_of(c, 1)->wait.n, 0);
	CHECK_EQ_INT(lock_of(c, 3)->wait.n, 0);
	end();
}

TEST(a_wait_counts_whole_where_it_begins)
{
	for (unsigned inside = 0; inside < 2; inside++) {
		begin();
		game_spend(&g, 1000);
		monitor(CONTEND, 1);
		game_spend(&g, 1000);
		monitor(ACQUIRED, 1);
		game_spend(&g, 1000);
		/* Times are from the first event on. */
		g.opts.filter.from = inside ? 500 : 1500;
		g.opts.filter.to = inside ? 1500 : 2500;
		const struct tt_contention *c = run();
		CHECK_EQ_INT(c->wait.n, inside);
		CHECK_EQ_INT(c->wait.total, inside ? 1000 : 0);
		end();
	}
}

TEST(a_capture_without_waits_has_none)
{
	begin();
	game_call(&g, TICK, 10);
	const struct tt_contention *c = run();
	CHECK_EQ_INT(c->n, 0);
	CHECK_EQ_INT(c->nsite, 0);
	CHECK_EQ_INT(c->wait.n, 0);
	end();
}
