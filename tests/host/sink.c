/**
 * A sink that takes nothing, 1 MB/s or 20 MB/s: events are dropped whole, and dropped + written = made for each thread.
 */
#include "check.h"
#include "play.h"
#include "truth.h"

static double rate;

static int
slow_at_once(void *arg, unsigned frame)
{
	(void)arg;
	if (frame == 0)
		play_slow(rate);
	return 0;
}

static void
at_full_speed_again(struct play *p)
{
	(void)p;
	play_slow_end();
}

static void
one_sink(double b_per_s)
{
	struct play p = { .engine = { .callbacks = 2 }, .game = GAME_OPTS, .options = "ring=4MiB", .each = slow_at_once,
		.last = at_full_speed_again };
	struct truth t;

	rate = b_per_s;
	p.capture = check_path("sink.ttc");
	p.game.frames = play_long() ? 1200 : 200;
	p.game.churn = 0;               /* each native id is one thread: those that lose all they made are told apart */
	p.game.rate = play_sanitized() ? 1e6 : 0;
	if (CHECK_EQ_INT(play_run(&p), 0)) {
		CHECK_EQ_INT(truth_totals(p.g, p.a, play_tracetool(), p.capture, TRUTH_DROPS, &t), 0);
		CHECK(t.dropped > 0);
		CHECK_EQ_INT(t.written + t.dropped, t.made);
		printf("sink of %.0f MB/s: made %llu, written %llu, dropped %llu\n", b_per_s / 1e6, (unsigned long long)t.made,
		    (unsigned long long)t.written, (unsigned long long)t.dropped);
	}
	play_remove(p.capture);
	play_free(&p);
}

TEST(a_sink_that_takes_nothing)
{
	one_sink(0);
}

TEST(a_sink_of_1_MB_a_second)
{
	one_sink(1e6);
}

TEST(a_sink_of_20_MB_a_second)
{
	one_sink(20e6);
}
