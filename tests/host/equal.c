/**
 * Games recorded by the real plug-in are read back as they were played: event by event, and in all totals.
 */
#include "check.h"
#include "play.h"
#include "truth.h"

static struct play
game(unsigned frames)
{
	struct play p = { .engine = { .callbacks = 2 }, .game = GAME_OPTS, .notes = play_long() ? 1 << 22 : 1 << 19 };

	p.game.frames = frames * (play_long() ? 10 : 1);
	p.game.rate = play_sanitized() ? 1e6 : 8e6;   /* what the writer keeps up with: nothing is dropped */
	p.capture = check_path("game.ttc");
	return p;
}

/* Play ${p}, and compare each event and all totals. */
static void
play_and_compare(struct play *p)
{
	struct truth t;

	if (CHECK_EQ_INT(play_run(p), 0)) {
		CHECK_EQ_INT(truth_events(p->g, p->a, play_tracetool(), p->capture, 0, &t), 0);
		CHECK(t.zones > 1000);
		CHECK_EQ_INT(truth_totals(p->g, p->a, play_tracetool(), p->capture, 0, &t), 0);
	}
	play_free(p);
	unlink(p->capture);
}

TEST(a_realistic_game_is_read_back_event_by_event)
{
	struct play p = game(50);

	play_and_compare(&p);
}

TEST(other_seeds_too)
{
	struct play p = game(20);

	for (p.game.seed = 2; p.game.seed < 5; p.game.seed++) {
		p.game.events = 3000;
		play_and_compare(&p);
	}
}

TEST(allocations_as_single_events_count_the_same)
{
	struct play p = game(20);

	p.game.single_allocs = true;
	play_and_compare(&p);
}

TEST(version_1_lacks_only_flows)
{
	struct play p = game(20);

	p.engine.callbacks = 1;
	play_and_compare(&p);
}

TEST(no_interface_is_no_capture_and_no_crash)
{
	struct play p = game(10);

	p.engine.callbacks = 0;
	p.quiet = true;
	p.capture = NULL;
	CHECK_EQ_INT(play_run(&p), 0);
	play_free(&p);
}

TEST(release_players_give_what_unity_lets_through)
{
	struct play p = game(60);
	struct truth t;

	p.engine.release = true;
	if (CHECK_EQ_INT(play_run(&p), 0))
		CHECK_EQ_INT(truth_events(p.g, p.a, play_tracetool(), p.capture, 0, &t), 0);
	play_free(&p);
}

/* Threads and categories that existed before are not told again: events on threads without a name. */
TEST(without_replay_events_are_the_same)
{
	struct play p = game(20);
	struct truth t;

	p.engine.no_replay = true;
	if (CHECK_EQ_INT(play_run(&p), 0))
		CHECK_EQ_INT(truth_events(p.g, p.a, play_tracetool(), p.capture, 0, &t), 0);
	play_free(&p);
}

TEST(markers_whose_registration_fails_are_missing_and_nothing_else)
{
	struct play p = game(20);

	p.engine.fail_event_every = 7;
	p.game.plain = true;
	play_and_compare(&p);
}

TEST(a_thread_for_every_frame)
{
	struct play p = game(60);

	p.game.churn = 1;
	p.game.events = 2000;
	if (p.game.frames > 600)
		p.game.frames = 600;
	play_and_compare(&p);
}

TEST(a_small_ring_and_a_game_at_its_pace)
{
	struct play p = game(30);

	p.game.frames = 60;
	p.game.fps = 60;
	p.options = "ring=8MiB";
	play_and_compare(&p);
}
