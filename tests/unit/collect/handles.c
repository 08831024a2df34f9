/* Tests of collect/handles.h: handles made and freed by several threads, against a plain list in the order of time. */
#include "check.h"

#include "collect/handles.h"
#include "game.h"
#include "view/figures.h"

enum { TICK = 1, DRAW = 2, KINDS = 4, NUMBERS = 40, STEPS = 2000 };
enum { NEEDS = TT_NEEDS_HANDLES | TT_NEEDS_SITES | TT_NEEDS_CALLS | TT_NEEDS_ARGS };

static struct game g;

static void
begin(void)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_method(&g, DRAW, "Game.World:Draw (int)");
	game_thread(&g, 1, "Worker");
	game_thread(&g, 0, NULL);
}

static const struct tt_handles *
run(void)
{
	game_run(&g, NEEDS);
	return tt_handles(g.r.m);
}

static void
make(unsigned kind, unsigned handle)
{
	mlpd_handle_created(game_buffer(&g), game_now(&g), kind, 8 * handle, GAME_OBJECT(handle), NULL);
}

static void
drop(unsigned kind, unsigned handle)
{
	mlpd_handle_destroyed(game_buffer(&g), game_now(&g), kind, 8 * handle, NULL);
}

TEST(handles_of_each_kind_are_counted_with_the_most_at_once)
{
	struct { uint64_t created, destroyed, unknown, live, most; } want[KINDS] = { { 0 } };
	uint64_t since[KINDS][NUMBERS], seed = 3, now = 0, ended = 0;
	bool is[KINDS][NUMBERS] = { { false } };
	int64_t life = 0, have = 0;
	uint64_t created = 0;

	begin();
	for (unsigned i = 0; i < STEPS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		const unsigned kind = (unsigned)(seed >> 33) % KINDS, h = (unsigned)(seed >> 40) % NUMBERS, where = seed >> 60 & 1 ? TICK : DRAW;

		/* Now one thread, now the other: buffers lie in the file in another order than that of time. */
		now += 10 + (seed >> 50) % 1000;
		game_thread(&g, seed >> 61 & 1, NULL);
		game_spend(&g, now - g.thread[g.on].now);
		game_enter(&g, where);
		if (seed >> 62 & 1) {
			make(kind, h);
			want[kind].created++;
			want[kind].live += !is[kind][h];
			is[kind][h] = true;
			since[kind][h] = now;
		} else {
			drop(kind, h);
			want[kind].destroyed++;
			want[kind].unknown += !is[kind][h];
			want[kind].live -= is[kind][h];
			life += is[kind][h] ? (int64_t)(now - since[kind][h]) : 0;
			ended += is[kind][h];
			is[kind][h] = false;
		}
		want[kind].most = want[kind].live > want[kind].most ? want[kind].live : want[kind].most;
		game_leave(&g, where);
	}
	const struct tt_handles *h = run();
	struct tt_handle_kind sum = tt_handles_sum(g.r.m);
	for (unsigned k = 0; k < KINDS; k++) {
		CHECK_EQ_INT(h->kind[k].ncreated, want[k].created);
		CHECK_EQ_INT(h->kind[k].ndestroyed, want[k].destroyed);
		CHECK_EQ_INT(h->kind[k].nunknown, want[k].unknown);
		CHECK_EQ_INT(h->kind[k].nlive, want[k].live);
		CHECK_EQ_INT(h->kind[k].max_live, want[k].most);
		CHECK(h->kind[k].max_live > h->kind[k].nlive);
		sum.ncreated -= want[k].created;
		sum.ndestroyed -= want[k].destroyed;
		sum.nunknown -= want[k].unknown;
		sum.nlive -= want[k].live;
		created += want[k].created;
	}
	CHECK(sum.ncreated == 0 && sum.ndestroyed == 0 && sum.nunknown == 0 && sum.nlive == 0);
	uint64_t at_sites = 0, freed = 0;
	for (size_t i = 0; i < h->n; i++) {
		at_sites += h->site[i].ncreated;
		freed += h->site[i].ndestroyed;
		have += h->site[i].lifetime.total;
		CHECK_EQ_INT(h->site[i].lifetime.n, h->site[i].ndestroyed);
	}
	CHECK_EQ_INT(at_sites, created);
	CHECK_EQ_INT(freed, ended);
	CHECK_EQ_INT(have, life);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(the_same_number_of_two_kinds_is_two_handles)
{
	begin();
	make(2, 5);
	make(3, 5);
	game_spend(&g, 100);
	drop(3, 5);
	const struct tt_handles *h = run();
	CHECK_EQ_INT(h->kind[2].nlive, 1);
	CHECK_EQ_INT(h->kind[3].nlive, 0);
	CHECK_EQ_INT(h->kind[3].nunknown, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_handle_of_before_the_recording_is_freed_but_was_never_alive)
{
	begin();
	drop(1, 9);
	const struct tt_handles *h = run();
	CHECK_EQ_INT(h->kind[1].ndestroyed, 1);
	CHECK_EQ_INT(h->kind[1].nunknown, 1);
	CHECK_EQ_INT(h->kind[1].nlive, 0);
	CHECK_EQ_INT(h->kind[1].max_live, 0);
	CHECK_EQ_INT(h->n, 0);
	CHECK_EQ_INT(game_end(&g), 0);
}
