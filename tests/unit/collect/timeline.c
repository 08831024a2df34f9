/*
 * Tests of collect/timeline.h: buckets cover the time without a gap, each event counts in its own, and the last size of the heap is the last in time,
 * wherever the file has it.
 */
#include "check.h"

#include "collect/timeline.h"
#include "game.h"
#include "model/model.h"

enum { CONTEND = 1, ACQUIRED, TICK = 1 };
enum { NEEDS = TT_NEEDS_TIMELINE | TT_NEEDS_CALLS | TT_NEEDS_ARGS };

static struct game g;

static const struct tt_timeline *
run(size_t buckets)
{
	g.opts.buckets = buckets;
	game_run(&g, NEEDS);
	return tt_timeline(g.r.m);
}

TEST(buckets_follow_each_other_and_each_time_is_in_its_own)
{
	static const struct { int64_t from, to; size_t n; } span[] = { { 0, 1, 60 }, { 0, 60, 60 }, { 0, 59, 60 }, { -7, 1000003, 60 }, { 5, 6, 1 },
		{ INT64_MIN / 2, INT64_MAX / 2, 100000 }, { INT64_MIN + 1, INT64_MAX, 7 }, { 100, 103, 5 } };

	for (size_t k = 0; k < sizeof span / sizeof *span; k++) {
		const struct tt_timeline t = { .from = span[k].from, .to = span[k].to, .n = span[k].n };

		CHECK_EQ_INT(tt_timeline_start(&t, 0), t.from);
		CHECK_EQ_INT(tt_timeline_start(&t, t.n), t.to);
		CHECK_EQ_INT(tt_timeline_at(&t, t.from), 0);
		CHECK(tt_timeline_at(&t, t.to - 1) < t.n);
		for (size_t i = 0; i < t.n; i += 1 + t.n / 50) {
			const int64_t from = tt_timeline_start(&t, i), next = tt_timeline_start(&t, i + 1);

			CHECK(from <= next);
			/* A bucket shorter than a ns may be empty. */
			if (from < next) {
				CHECK_EQ_INT(tt_timeline_at(&t, from), i);
				CHECK_EQ_INT(tt_timeline_at(&t, next - 1), i);
			}
		}
	}
}

TEST(each_event_counts_once_in_the_bucket_of_its_time)
{
	enum { BUCKETS = 13 };
	struct { uint64_t calls, allocs; int64_t bytes; } want[BUCKETS] = { { 0 } };
	int64_t at[400], size[400];
	size_t n = 0;

	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_class(&g, 0, "System.Byte[]");
	for (unsigned i = 0; i < 400; i++) {
		game_spend(&g, 1 + i * 7919 % 1000);
		at[n] = (int64_t)game_now(&g);
		size[n++] = 16 + 8 * (i % 9);
		game_enter(&g, TICK);
		game_alloc(&g, 0, GAME_OBJECT(i), 16 + 8 * (i % 9));
		game_leave(&g, TICK);
	}
	const struct tt_timeline *t = run(BUCKETS);
	CHECK_EQ_INT(t->n, BUCKETS);
	/* The recording began with the names, at the clock's begin. */
	const int64_t zero = (int64_t)game_now(&g) - (t->to - 1);
	for (size_t i = 0; i < n; i++) {
		size_t b = 0;

		while (b + 1 < BUCKETS && tt_timeline_start(t, b + 1) <= at[i] - zero)
			b++;
		want[b].calls++;
		want[b].allocs++;
		want[b].bytes += size[i];
	}
	for (size_t b = 0; b < BUCKETS; b++) {
		CHECK_EQ_INT(t->bucket[b].calls, want[b].calls);
		CHECK_EQ_INT(t->bucket[b].allocs, want[b].allocs);
		CHECK_EQ_INT(t->bucket[b].alloc_b, want[b].bytes);
		CHECK(!t->bucket[b].has_heap);
	}
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_wait_counts_in_the_bucket_in_which_it_begins)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_call(&g, TICK, 100);
	mlpd_monitor(game_buffer(&g), game_now(&g), CONTEND, GAME_OBJECT(1), NULL);
	game_spend(&g, 800);
	mlpd_monitor(game_buffer(&g), game_now(&g), ACQUIRED, GAME_OBJECT(1), NULL);
	game_call(&g, TICK, 99);
	const struct tt_timeline *t = run(10);
	for (size_t i = 0; i < t->n; i++) {
		CHECK_EQ_INT(t->bucket[i].contended, i == 1);
		CHECK_EQ_INT(t->bucket[i].wait_ns, i == 1 ? 800 : 0);
	}
	CHECK_EQ_INT(game_end(&g), 0);
}

/* A file has the events of a thread wherever its buffer was full. */
TEST(the_size_of_the_heap_is_the_last_in_time_and_not_in_the_file)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_call(&g, TICK, 1000);
	game_thread(&g, 1, "Worker");
	game_spend(&g, 500);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 111);
	game_thread(&g, 0, NULL);
	mlpd_gc_resize(game_buffer(&g), game_now(&g), 222);
	/* Thread 0's buffer goes to the file before that of thread 1. */
	const struct tt_timeline *t = run(1);
	CHECK(t->bucket[0].has_heap);
	CHECK_EQ_INT(t->bucket[0].heap_b, 222);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_recording_of_one_moment_has_one_moment)
{
	game_begin(&g);
	const struct tt_timeline *t = run(0);
	CHECK_EQ_INT(t->n, TT_TIMELINE_BUCKETS);
	CHECK(t->to > t->from);
	for (size_t i = 0; i < t->n; i++)
		CHECK(t->bucket[i].calls == 0 && t->bucket[i].allocs == 0 && !t->bucket[i].has_heap);
	CHECK_EQ_INT(game_end(&g), 0);
}
