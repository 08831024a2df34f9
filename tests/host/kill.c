/**
 * kill -9 at random instants: every event whose callback returned is read back, none is torn.
 *
 * TT_KILLS sets the number of kills; each fifth has a slow sink, so that much of the game is only in the ring.
 */
#include <signal.h>
#include <time.h>

#include "check.h"
#include "play.h"
#include "truth.h"

static uint64_t rng = 0x5eed5eed5eed;

static uint64_t
roll(uint64_t below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % below;
}

static int
slow_from_start(void *arg, unsigned frame)
{
	if (frame == 0 && *(double *)arg > 0)
		play_slow(*(double *)arg);
	return 0;
}

/* How often each outcome was seen. */
struct outcome {
	unsigned kills, early;
	uint64_t events, more, lost, torn;
};

static void
kill_one(unsigned i, double sink, struct outcome *o)
{
	struct play p = { .engine = { .callbacks = 2 }, .game = GAME_OPTS, .notes = 1 << 21, .quiet = true };
	struct truth t;
	uint64_t wait_ns;

	p.game.seed = 1000 + i;
	p.game.threads = 6 + (unsigned)roll(14);
	p.game.frames = 1000000;
	p.game.churn = 0;
	p.game.events = 2000 + (unsigned)roll(6000);
	p.game.rate = 2e6;
	p.each = slow_from_start;
	p.arg = &sink;
	p.capture = check_path("kill.ttc");
	/* All a slow sink leaves lying must have room. */
	p.options = "ring=64MiB";
	play_new(&p);
	play_start(&p);
	/* From before the capture starts to well into it. */
	while (p.a->frames == 0)
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
	wait_ns = roll(roll(4) ? 120000000 : 1200000000);
	nanosleep(&(struct timespec){ (time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000) }, NULL);
	kill(p.pid, SIGKILL);
	CHECK_EQ_INT(play_wait(&p), 128 + SIGKILL);
	o->kills++;
	if (truth_events(p.g, p.a, play_tracetool(), p.capture, TRUTH_CUT, &t) != 0)
		printf("kill %u, sink %.0f B/s, after %llu us: lost %llu, torn %llu\n", i, sink,
		    (unsigned long long)(wait_ns / 1000), (unsigned long long)t.lost, (unsigned long long)t.torn);
	o->events += t.events;
	o->more += t.more;
	o->lost += t.lost;
	o->torn += t.torn;
	CHECK_EQ_INT(t.bad, 0);
	play_remove(p.capture);
	play_free(&p);
}

TEST(a_kill_loses_and_tears_no_published_event)
{
	const char *n = getenv("TT_KILLS");
	unsigned kills = n ? (unsigned)atoi(n) : play_long() ? 500 : 10;
	struct outcome o = { .kills = 0 };

	for (unsigned i = 0; i < kills; i++)
		kill_one(i, i % 5 == 4 ? 1e6 : 0, &o);
	printf("%u kills, %u with a slow sink: %llu published events, %llu lost, %llu torn; %llu on their way were there\n",
	    o.kills, kills / 5, (unsigned long long)o.events, (unsigned long long)o.lost, (unsigned long long)o.torn,
	    (unsigned long long)o.more);
}

/* What the reader joins by itself, recover writes into one file, which then needs no ring. */
TEST(recover_makes_one_file_of_capture_and_ring)
{
	struct play p = { .engine = { .callbacks = 2 }, .game = GAME_OPTS, .notes = 1 << 19, .quiet = true };
	char command[2048], whole[512];
	struct truth t;

	p.game.threads = 8;
	p.game.frames = 1000000;
	p.game.churn = 0;
	p.game.events = 3000;
	p.game.rate = 2e6;
	p.capture = check_path("cut.ttc");
	snprintf(whole, sizeof whole, "%s", check_path("whole.ttc"));
	play_new(&p);
	play_start(&p);
	while (p.a->frames < 30)
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
	kill(p.pid, SIGKILL);
	play_wait(&p);
	snprintf(command, sizeof command, "'%s' recover -o '%s' '%s' > /dev/null 2>&1", play_tracetool(), whole, p.capture);
	CHECK_EQ_INT(system(command) & 0xff7f, 0);
	play_remove(p.capture);
	CHECK_EQ_INT(truth_events(p.g, p.a, play_tracetool(), whole, TRUTH_CUT, &t), 0);
	play_free(&p);
	unlink(whole);
}
