/*
 * Tests of collect/collections.h: collections and pauses of several threads against what was recorded, time for which other threads stood still, and the
 * heap by time.
 */
#include "check.h"

#include "collect/collections.h"
#include "game.h"
#include "model/model.h"

enum { TICK = 1, THREADS = 3, TURNS = 60 };

static struct game g;

static const struct tt_gc *
run(unsigned needs)
{
	game_run(&g, needs);
	return tt_gc(g.r.m);
}

static void
begin(void)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	for (unsigned i = 1; i < THREADS; i++)
		game_thread(&g, i, "Worker");
	game_thread(&g, 0, NULL);
}

/* A phase of a collection on the thread that acts. */
static void
phase(unsigned what, unsigned generation)
{
	mlpd_gc_event(game_buffer(&g), game_now(&g), what, generation);
}
enum { START = 0, END = 5, PRE_STOP = 6, STOPPED = 7, RESTARTED = 9 };

/* One turn of a thread: it asks for a stop, stops after ${ask} ns, collects for ${ns}, and all run again after ${more}. */
static void
stop_world(uint64_t ask, unsigned generation, uint64_t ns, uint64_t more)
{
	phase(PRE_STOP, generation);
	game_spend(&g, ask);
	phase(STOPPED, generation);
	phase(START, generation);
	game_spend(&g, ns);
	phase(END, generation);
	game_spend(&g, more);
	phase(RESTARTED, generation);
}

TEST(collections_and_pauses_are_counted_by_generation_and_by_thread)
{
	struct tt_gc_stat want[3] = { { 0 } }, by[THREADS][3] = { { { 0 } } };
	int64_t paused = 0, longest = 0, still = 0, still_most = 0, own[THREADS] = { 0 };
	uint64_t now = 0, seed = 9;

	begin();
	for (unsigned i = 0; i < TURNS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		const unsigned thread = (unsigned)(seed >> 33) % THREADS, gen = (unsigned)(seed >> 40) % 3;
		const int64_t ask = (int64_t)(seed >> 44) % 50, ns = 1 + (int64_t)(seed >> 50) % 900, more = (int64_t)(seed >> 58) % 30;

		now += 1000;
		game_thread(&g, thread, NULL);
		game_spend(&g, now - g.thread[thread].now);
		stop_world((uint64_t)ask, gen, (uint64_t)ns, (uint64_t)more);
		now = g.thread[thread].now;
		for (unsigned k = 0; k < 2; k++) {
			struct tt_gc_stat *s = k ? &want[gen] : &by[thread][gen];

			s->n++;
			s->total += ns;
			s->max = ns > s->max ? ns : s->max;
		}
		paused += ask + ns + more;
		longest = ask + ns + more > longest ? ask + ns + more : longest;
		still += ns + more;
		still_most = ns + more > still_most ? ns + more : still_most;
		own[thread] += ns + more;
	}
	/* All threads end after the last pause. */
	for (unsigned i = 0; i < THREADS; i++) {
		game_thread(&g, i, NULL);
		game_spend(&g, now + 1 - g.thread[i].now);
		game_call(&g, TICK, 1);
	}
	const struct tt_gc *gc = run(TT_NEEDS_CALLS);
	for (unsigned k = 0; k < 3; k++) {
		CHECK_EQ_INT(gc->gen[k].n, want[k].n);
		CHECK_EQ_INT(gc->gen[k].total, want[k].total);
		CHECK_EQ_INT(gc->gen[k].max, want[k].max);
		for (size_t i = 0; i < gc->nthread; i++) {
			CHECK_EQ_INT(gc->thread[i].gen[k].n, by[gc->thread[i].thread][k].n);
			CHECK_EQ_INT(gc->thread[i].gen[k].total, by[gc->thread[i].thread][k].total);
		}
	}
	CHECK_EQ_INT(gc->npauses_all, TURNS);
	CHECK_EQ_INT(gc->npause, TURNS);
	CHECK_EQ_INT(gc->pause_total, paused);
	CHECK_EQ_INT(gc->pause_max, longest);
	CHECK_EQ_INT(gc->stopped_total, still);
	CHECK_EQ_INT(gc->stopped_max, still_most);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ_INT(gc->stopped_ns[i], still - own[i]);
	for (size_t i = 0; i < gc->npause; i++) {
		const struct tt_pause *p = &gc->pause[i];

		CHECK(p->start <= p->stopped && p->stopped <= p->end && p->has_begin);
		CHECK(i == 0 || gc->pause[i - 1].start <= p->start);
	}
	CHECK(tt_knows_pauses(g.r.m) && tt_knows_collections(g.r.m));
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_thread_stands_still_only_while_it_is_there)
{
	begin();
	game_spend(&g, 100);
	stop_world(10, 0, 200, 0);
	/* The worker's first event is in the middle of it, after 50 ns of standing still, and its last before the next. */
	game_thread(&g, 2, NULL);
	game_spend(&g, 160);
	game_thread(&g, 2, "Late");
	game_spend(&g, 1000);
	game_call(&g, TICK, 1);
	game_thread(&g, 0, NULL);
	game_spend(&g, 2000);
	stop_world(0, 1, 500, 0);
	const struct tt_gc *gc = run(TT_NEEDS_CALLS);
	for (size_t i = 0; i < g.r.m->threads.n; i++) {
		const struct tt_thread *t = g.r.m->threads.t[i];
		int64_t want = 0;

		for (size_t k = 0; k < gc->npause && t->index != gc->pause[k].thread; k++) {
			const int64_t from = gc->pause[k].stopped > t->first_ts ? gc->pause[k].stopped : t->first_ts;
			const int64_t to = gc->pause[k].end < t->last_ts ? gc->pause[k].end : t->last_ts;

			want += to > from ? to - from : 0;
		}
		CHECK_EQ_INT(gc->stopped_ns[i], want);
	}
	CHECK(gc->pause[1].is_full && !gc->pause[0].is_full);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_collection_without_its_begin_or_end_counts_for_nothing)
{
	begin();
	game_spend(&g, 100);
	phase(END, 1);
	game_spend(&g, 100);
	phase(RESTARTED, 1);
	game_spend(&g, 100);
	phase(PRE_STOP, 0);
	phase(START, 0);
	game_spend(&g, 100);
	const struct tt_gc *gc = run(TT_NEEDS_CALLS);
	for (unsigned k = 0; k < TT_GENERATIONS; k++)
		CHECK_EQ_INT(gc->gen[k].n, 0);
	CHECK_EQ_INT(gc->npauses_all, 0);
	CHECK_EQ_INT(gc->npause, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(the_heap_is_in_order_of_time_whatever_the_files_is)
{
	begin();
	game_thread(&g, 1, NULL);
	game_spend(&g, 300);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 7777);
	game_spend(&g, 300);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 10);
	game_thread(&g, 0, NULL);
	game_spend(&g, 400);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 5);
	game_spend(&g, 400);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 4000);
	const struct tt_gc *gc = run(TT_NEEDS_CALLS);
	CHECK_EQ_INT(gc->nheap_resizes, 4);
	CHECK_EQ_INT(gc->heap_max, 7777);
	CHECK_EQ_INT(gc->heap_last, 4000);
	CHECK_EQ_INT(gc->nheap, 4);
	CHECK_EQ_INT(gc->heap[0].bytes, 7777);
	CHECK_EQ_INT(gc->heap[1].bytes, 5);
	CHECK_EQ_INT(gc->heap[2].bytes, 10);
	CHECK_EQ_INT(gc->heap[3].bytes, 4000);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* Those that stay are as they were, in order, and as far from each other at the begin as at the end: one in 8 of 300,000. */
TEST(a_heap_of_many_sizes_is_thinned_out_evenly)
{
	enum { SIZES = 300000, STEP = 8 };
	size_t uneven = 0;

	begin();
	for (unsigned i = 0; i < SIZES; i++) {
		mlpd_gc_resize(game_buffer(&g), game_now(&g), 4096 + 16 * (uint64_t)i);
		game_spend(&g, 10);
	}
	const struct tt_gc *gc = run(TT_NEEDS_CALLS);
	CHECK_EQ_INT(gc->nheap_resizes, SIZES);
	CHECK_EQ_INT(gc->heap_max, 4096 + 16 * (SIZES - 1));
	CHECK_EQ_INT(gc->heap_last, 4096 + 16 * (SIZES - 1));
	CHECK_EQ_INT(gc->nheap, SIZES / STEP + 1);
	CHECK_EQ_INT(gc->heap[0].bytes, 4096);
	CHECK_EQ_INT(gc->heap[gc->nheap - 1].bytes, 4096 + 16 * (SIZES - 1));
	for (size_t i = 1; i < gc->nheap; i++) {
		const int64_t steps = (int64_t)(gc->heap[i].bytes - gc->heap[i - 1].bytes) / 16;

		uneven += steps != (i + 1 < gc->nheap ? STEP : STEP - 1) || gc->heap[i].ts - gc->heap[i - 1].ts != 10 * steps;
	}
	CHECK_EQ_INT(uneven, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(as_many_sizes_as_are_kept_are_all_there)
{
	begin();
	for (unsigned i = 0; i < 65536; i++) {
		mlpd_gc_resize(game_buffer(&g), game_now(&g), 4096 + 16 * (uint64_t)i);
		game_spend(&g, 10);
	}
	CHECK_EQ_INT(run(TT_NEEDS_CALLS)->nheap, 65536);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(pauses_of_frames_add_up_to_those_within_frames)
{
	int64_t all = 0, want = 0, *in;

	begin();
	for (unsigned i = 0; i < 20; i++) {
		game_enter(&g, GAME_FRAME);
		game_spend(&g, 1000);
		if (i % 3 == 0)
			stop_world(10, 0, 300 + 1500 * (i % 2), 5);
		game_leave(&g, GAME_FRAME);
	}
	game_call(&g, GAME_FRAME, 1);
	const struct tt_gc *gc = run(TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
	const struct tt_frames *f = g.r.m->frames;
	in = calloc(f->n, sizeof *in);
	tt_gc_pause_of_frames(g.r.m, in);
	for (size_t i = 0; i < f->n; i++) {
		CHECK(in[i] >= 0 && in[i] <= tt_frames_dur(f, i));
		CHECK_EQ_INT(in[i] > 0, i % 3 == 0);
		all += in[i];
	}
	for (size_t i = 0; i < gc->npause; i++)
		want += gc->pause[i].end - gc->pause[i].start;
	CHECK_EQ_INT(all, want);
	CHECK(want > 0);
	free(in);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_filter_on_time_clips_pauses_and_counts_what_begins)
{
	begin();
	game_spend(&g, 1000);
	stop_world(0, 1, 1000, 0);
	game_spend(&g, 1000);
	g.opts.filter.from = 1500;
	g.opts.filter.to = 2500;
	const struct tt_gc *gc = run(TT_NEEDS_CALLS);
	CHECK_EQ_INT(gc->npauses_all, 0);
	CHECK_EQ_INT(gc->pause_total, 500);
	CHECK_EQ_INT(gc->gen[1].n, 0);
	CHECK_EQ_INT(gc->gen[1].total, 500);
	CHECK_EQ_INT(game_end(&g), 0);
}
