/**
 * Recorded games made call by call, as captures of Mono's log profiler.
 */
#include "game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 1000000000u

enum { FULL = 4000 };                   /* bytes after which a buffer goes to the file */

void
game_begin(struct game *g)
{
	memset(g, 0, sizeof *g);
	mlpd_init(&g->w, 17, 8);
	mlpd_header(&g->w, 1600000000000, START);
	tt_filter_init(&g->opts.filter);
	g->opts.frame_marker = "*Frame*";
	game_thread(g, 0, "Main");
	game_method(g, GAME_FRAME, "Game.Loop:Frame ()");
}

static uint64_t
tid(unsigned i)
{
	return 0x7000 + 16 * i;
}

struct mlpd_buffer *
game_buffer(struct game *g)
{
	struct game_thread *t = &g->thread[g->on];

	if (t->open && t->b.events.len > FULL) {
		mlpd_flush(&t->b);
		t->open = false;
	}
	if (!t->open)
		mlpd_open(&t->b, &g->w, tid(g->on), START + t->now, 0, 0x20000000, GAME_CODE(0));
	t->open = true;
	return &t->b;
}

uint64_t
game_now(struct game *g)
{
	return START + g->thread[g->on].now;
}

void
game_thread(struct game *g, unsigned i, const char *name)
{
	g->on = i;
	if (name)
		mlpd_thread(game_buffer(g), game_now(g), MLPD_NAME, tid(i), name);
}

void
game_method(struct game *g, uint64_t key, const char *name)
{
	g->hidden[key] = strncmp(name, "(wrapper alloc)", 15) == 0;
	mlpd_method(game_buffer(g), game_now(g), GAME_CODE(key), 0x50000000 + 256 * key, 100, name);
}

/* Where what happens now belongs: the innermost call that is not hidden. */
static struct game_sum *
place(struct game *g)
{
	const struct game_thread *t = &g->thread[g->on];

	for (unsigned i = t->depth; i-- > 0;)
		if (!g->hidden[t->in[i].key])
			return &g->sum[g->on][t->in[i].key];
	return &g->outside[g->on];
}

void
game_class(struct game *g, unsigned i, const char *name)
{
	struct mlpd_buffer *b = game_buffer(g);

	mlpd_class(b, game_now(g), MLPD_LOAD, 0x60000000u + 64u * i, 0x61000000, name);
	mlpd_vtable(b, game_now(g), MLPD_LOAD, GAME_VTABLE(i), 0x62000000, 0x60000000u + 64u * i);
}

void
game_enter(struct game *g, uint64_t key)
{
	struct game_thread *t = &g->thread[g->on];

	if (key >= GAME_METHODS || t->depth == GAME_DEPTH)
		abort();
	t->in[t->depth].key = (unsigned)key;
	t->in[t->depth++].since = t->now;
	mlpd_enter(game_buffer(g), game_now(g), GAME_CODE(key));
}

void
game_leave(struct game *g, uint64_t key)
{
	struct game_thread *t = &g->thread[g->on];
	struct game_sum *s = &g->sum[g->on][key];
	bool outer = true;

	if (t->depth == 0 || t->in[--t->depth].key != key)
		abort();
	for (unsigned i = 0; i < t->depth; i++)
		outer = outer && t->in[i].key != key;
	s->n++;
	s->all += (int64_t)(t->now - t->in[t->depth].since);
	s->total += outer ? (int64_t)(t->now - t->in[t->depth].since) : 0;
	mlpd_leave(game_buffer(g), game_now(g), GAME_CODE(key));
}

void
game_spend(struct game *g, uint64_t ns)
{
	g->thread[g->on].now += ns;
	place(g)->self += (int64_t)ns;
}

void
game_call(struct game *g, uint64_t key, uint64_t ns)
{
	game_enter(g, key);
	game_spend(g, ns);
	game_leave(g, key);
}

void
game_alloc(struct game *g, unsigned class, uint64_t object, uint64_t size)
{
	place(g)->allocs++;
	place(g)->bytes += (int64_t)size;
	mlpd_alloc(game_buffer(g), game_now(g), GAME_VTABLE(class), object, size, NULL);
}

struct game_sum
game_sum(const struct game *g, uint64_t key)
{
	struct game_sum all = { 0 };

	for (unsigned i = 0; i < GAME_THREADS; i++) {
		const struct game_sum *s = &g->sum[i][key];

		all = (struct game_sum){ all.n + s->n, all.total + s->total, all.all + s->all, all.self + s->self, all.allocs + s->allocs,
			all.bytes + s->bytes };
	}
	return all;
}

void
game_collect(struct game *g, unsigned generation, uint64_t ns, uint64_t heap_bytes)
{
	/* PRE_STOP_WORLD, PRE_STOP_WORLD_LOCKED, POST_STOP_WORLD, START, END, PRE_START_WORLD, POST_START_WORLD, POST_START_WORLD_UNLOCKED */
	static const unsigned kind[] = { 6, 10, 7, 0, 5, 8, 9, 11 };

	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
		if (kind[i] == 5)
			game_spend(g, ns);
		mlpd_gc_event(game_buffer(g), game_now(g), kind[i], generation);
	}
	if (heap_bytes)
		mlpd_gc_resize(game_buffer(g), game_now(g), heap_bytes);
}

const char *const game_random_name[GAME_RANDOM + 1] = {
	"Game.Loop:Frame ()", "Game.World:Draw (int)", "Game.World:Draw (string)", "Game.World:Tick ()", "Game.Ai.Foe:Think ()", "Game.Ai.Foe:Aim (int)",
	"Engine.Mesh:Bake ()", "Engine.Mesh:Bind (int,int)", "Bare:Run ()", "(wrapper alloc) object:AllocSmall (intptr,intptr)",
	"string:FastAllocateString (int)",
};
const char *const game_random_class[GAME_RANDOM_CLASSES] = { "System.Byte[]", "Game.Ai.Thought", "Game.World" };

static unsigned
draw(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % n;
}

static void
random_calls(struct game *g, uint64_t *seed, unsigned depth)
{
	for (unsigned k = draw(seed, 4); k > 0; k--) {
		const unsigned method = 1 + draw(seed, GAME_RANDOM);

		game_spend(g, draw(seed, 1000));
		game_enter(g, method);
		game_spend(g, draw(seed, 100000));
		for (unsigned a = draw(seed, 3); a > 0; a--)
			game_alloc(g, draw(seed, GAME_RANDOM_CLASSES), GAME_OBJECT(draw(seed, 1 << 20)), 16 + 8 * draw(seed, 100));
		if (depth < 5 && method < GAME_RANDOM_WRAPPER)
			random_calls(g, seed, depth + 1);
		game_spend(g, draw(seed, 3) ? draw(seed, 5000) : 0);
		game_leave(g, method);
	}
}

void
game_random(struct game *g, uint64_t seed, unsigned frames)
{
	for (unsigned i = 1; i <= GAME_RANDOM; i++)
		game_method(g, i, game_random_name[i]);
	for (unsigned i = 0; i < GAME_RANDOM_CLASSES; i++)
		game_class(g, i, game_random_class[i]);
	for (unsigned i = 0; i < frames; i++) {
		game_enter(g, GAME_FRAME);
		game_spend(g, 1 + draw(&seed, 1000));
		random_calls(g, &seed, 0);
		game_leave(g, GAME_FRAME);
	}
	game_enter(g, GAME_FRAME);
	game_leave(g, GAME_FRAME);
	game_thread(g, 1, "Worker");
	for (unsigned i = 0; i < frames; i++) {
		game_spend(g, draw(&seed, 1000));
		random_calls(g, &seed, 0);
		game_alloc(g, 0, GAME_OBJECT(draw(&seed, 1 << 20)), 64);
	}
	game_thread(g, 0, NULL);
}

void
game_run(struct game *g, unsigned needs)
{
	for (unsigned i = 0; i < GAME_THREADS; i++)
		if (g->thread[i].open)
			mlpd_flush(&g->thread[i].b);
	if (g->w.failed || g->w.out.failed) {
		fprintf(stderr, "game: out of memory\n");
		exit(1);
	}
	g->opts.needs = needs;
	memrun_opts(&g->r, g->w.out.data, g->w.out.len, &g->opts);
	if (g->r.rc != TT_OK || !g->r.m || memrun_damaged(&g->r)) {
		fprintf(stderr, "game: the run fails: %d %s\n", g->r.rc, g->r.err.msg);
		exit(1);
	}
}

void
game_rerun(struct game *g, unsigned needs)
{
	if (memrun_free(&g->r) != 0) {
		fprintf(stderr, "game: the run holds memory\n");
		exit(1);
	}
	for (unsigned i = 0; i < GAME_THREADS; i++)
		g->thread[i].open = false;
	game_run(g, needs);
}

size_t
game_end(struct game *g)
{
	size_t left = memrun_free(&g->r);

	mlpd_free(&g->w);
	return left;
}
