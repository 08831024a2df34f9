/**
 * The stand-in host by itself: with the probe, a plug-in that only counts, what arrives is what was accounted for.
 */
#include "check.h"
#include "play.h"

struct probe {                        /* as in probe_plugin.c */
	_Atomic uint64_t categories, markers, threads, frames, flows, begins, ends, singles, values, bytes, alloc_b;
};

static struct probe *seen;            /* what the probe counted, copied by the player */

static const char *
probe_path(void)
{
	static char path[1024];
	const char *build = getenv("BUILD");

	snprintf(path, sizeof path, "%s/host/probe_plugin.so", build ? build : "./build");
	return path;
}

static void
copy_counts(struct play *p)
{
	typedef const struct probe *counts_fn(void);

	(void)p;
	*seen = *((counts_fn *)engine_symbol("probe_counts"))();
}

static struct play
small_game(void)
{
	struct play p = { .plugin = probe_path(), .engine = { .callbacks = 2 }, .game = GAME_OPTS, .last = copy_counts };

	p.game.frames = 120;
	p.game.events = 4000;
	return p;
}

/* Play ${p} and give the sums; the probe's counts are in *seen. */
static struct account_thread
play_sum(struct play *p)
{
	struct account_thread s;

	*seen = (struct probe){ .frames = 0 };
	CHECK_EQ_INT(play_run(p), 0);
	s = account_sum(p->a);
	return s;
}

TEST(every_event_of_a_game_arrives_and_is_accounted_for)
{
	struct play p = small_game();
	struct account_thread s;

	seen = (struct probe *)account_new(0, 0);
	s = play_sum(&p);
	CHECK(s.begins > 100000 && s.flows[0] > 100 && s.labels > 100 && s.counters > 10000);
	CHECK_EQ_INT(seen->begins, s.begins);
	CHECK_EQ_INT(seen->ends, s.ends);
	CHECK_EQ_INT(s.begins, s.ends);
	CHECK_EQ_INT(seen->singles, s.singles);
	CHECK_EQ_INT(seen->values, s.values);
	CHECK_EQ_INT(seen->alloc_b, s.alloc_b);
	CHECK_EQ_INT(seen->flows, s.flows[0] + s.flows[1] + s.flows[2] + s.flows[3]);
	CHECK_EQ_INT(seen->frames, 120);
	CHECK_EQ_INT(seen->threads, 72);
	CHECK_EQ_INT(s.missed, 0);
	CHECK(seen->markers >= 3500 && seen->categories >= 32);
	play_free(&p);
}

TEST(the_same_seed_sends_the_same_on_every_thread)
{
	struct play p = small_game(), q = small_game();

	p.notes = q.notes = 1 << 18;
	play_sum(&p);
	play_sum(&q);
	CHECK_EQ_INT(p.a->nthread, q.a->nthread);
	for (uint32_t i = 0; i < p.a->nthread; i++) {
		CHECK_EQ_INT(p.a->thread[i].sent, q.a->thread[i].sent);
		CHECK(memcmp(p.a->thread[i].note, q.a->thread[i].note, p.a->thread[i].sent * sizeof(struct note)) == 0);
	}
	q.game.seed = 2;
	play_free(&q);
	play_sum(&q);
	CHECK(p.a->thread[0].sent != q.a->thread[0].sent);
	play_free(&p);
	play_free(&q);
}

TEST(version_1_has_no_flows_and_none_has_no_events)
{
	struct play p = small_game();
	struct account_thread s;

	p.engine.callbacks = 1;
	s = play_sum(&p);
	CHECK(s.begins > 100000);
	CHECK_EQ_INT(seen->begins, s.begins);
	CHECK_EQ_INT(seen->flows, 0);
	CHECK_EQ_INT(s.flows[0], 0);
	play_free(&p);
	p.engine.callbacks = 0;
	s = play_sum(&p);
	CHECK_EQ_INT(s.sent, 0);
	CHECK(s.missed > 100000);
	play_free(&p);
}

TEST(release_players_deliver_marked_markers_only)
{
	struct play p = small_game();
	struct account_thread s;

	p.engine.release = true;
	s = play_sum(&p);
	CHECK_EQ_INT(seen->begins, s.begins);
	CHECK(s.begins >= 120 && s.begins < 1000 && s.flows[0] == 0);
	play_free(&p);
}

TEST(five_plugins_do_not_fit)
{
	struct play p = small_game();

	p.engine.taken = ENGINE_SLOTS;
	CHECK_EQ_INT(play_sum(&p).begins, 0);         /* flows have no limit */
	CHECK_EQ_INT(seen->frames, 0);
	play_free(&p);
	p.engine.taken = ENGINE_SLOTS - 1;
	CHECK(play_sum(&p).sent > 100000);
	play_free(&p);
}

TEST(failing_registrations_leave_markers_out)
{
	struct play p = small_game();
	struct account_thread s;

	p.engine.fail_event_every = 3;
	s = play_sum(&p);
	CHECK_EQ_INT(seen->begins, s.begins);
	CHECK(s.missed > 1000 && s.sent > 1000);
	play_free(&p);
}
