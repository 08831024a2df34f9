/**
 * A recorded game, made call by call, and the model of a run over it: for unit tests of what looks at whole captures.
 *
 *	struct game g;
 *	game_begin(&g);
 *	game_method(&g, DRAW, "Game.World:Draw (int)");
 *	for (i = 0; i < 100; i++) {
 *		game_enter(&g, GAME_FRAME);
 *		game_call(&g, DRAW, i == 50 ? 30 * MS : 5 * MS);
 *		game_leave(&g, GAME_FRAME);
 *	}
 *	game_run(&g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
 *	... g.r.m ...
 *	game_end(&g);
 *
 * The capture is of Mono's log profiler (mlpd_encode.h). Frames are the calls of GAME_FRAME. Each thread has a clock of its own, in ns from
 * the begin of the recording. Whatever fails ends the program: what is tested here is not failing.
 */
#ifndef TESTS_GAME_H
#define TESTS_GAME_H

#include "memrun.h"
#include "mlpd_encode.h"

enum { GAME_THREADS = 8, GAME_METHODS = 64, GAME_DEPTH = 64 };

#define GAME_US 1000
#define GAME_MS 1000000
/* Keys of methods are numbers from 1 to 63; this is "Game.Loop:Frame ()", in which frames are. */
#define GAME_FRAME 0u
/* The address of a method in the capture, for events that have no function here. */
#define GAME_CODE(key) (0x40000000u + 8u * (unsigned)(key))
/* Where tests may put objects and types: aligned by eight. */
#define GAME_OBJECT(i) (0x20000000u + 8u * (unsigned)(i))
#define GAME_VTABLE(i) (0x10000000u + 64u * (unsigned)(i))

struct game {
	struct mlpd_writer w;
	struct game_thread {
		struct mlpd_buffer b;
		bool open;
		uint64_t now;
		struct { unsigned key; uint64_t since; } in[GAME_DEPTH];
		unsigned depth;
	} thread[GAME_THREADS];
	/*
	 * By thread and method, what was recorded: calls; time of the outermost ones, of all, and without callees; allocations. What a wrapper of the
	 * runtime ("(wrapper alloc) ...") does itself is that of the method around it.
	 */
	struct game_sum { uint64_t n; int64_t total, all, self; uint64_t allocs; int64_t bytes; } sum[GAME_THREADS][GAME_METHODS];
	struct game_sum outside[GAME_THREADS];        /* allocations in no method */
	bool hidden[GAME_METHODS];
	unsigned on;                  /* the thread that acts */
	struct tt_run_opts opts;      /* of game_run(), beside its needs; a filter is set to nothing */
	struct memrun r;
};

/* Thread 0, "Main", acts. */
void game_begin(struct game *g);

/* Make the thread ${i} act, and name it, if ${name} is not NULL. */
void game_thread(struct game *g, unsigned i, const char *name);

/* The buffer of the thread that acts, with room for another event, and its clock: for events that have no function here. */
struct mlpd_buffer *game_buffer(struct game *g);
uint64_t game_now(struct game *g);

void game_method(struct game *g, uint64_t key, const char *name);
void game_class(struct game *g, unsigned i, const char *name);  /* the type GAME_VTABLE(i) */
void game_enter(struct game *g, uint64_t key);
void game_leave(struct game *g, uint64_t key);
void game_spend(struct game *g, uint64_t ns);
void game_call(struct game *g, uint64_t key, uint64_t ns);
void game_alloc(struct game *g, unsigned class, uint64_t object, uint64_t size);

/* What was recorded of a method on all threads. */
struct game_sum game_sum(const struct game *g, uint64_t key);

/* A collection of ${generation} that stops the world for ${ns}. */
void game_collect(struct game *g, unsigned generation, uint64_t ns, uint64_t heap_bytes);

/*
 * Calls, allocations and time drawn by ${seed}: ${frames} frames on thread 0, and as many calls elsewhere, on the thread "Worker". Methods are
 * those of game_random_name[], from 1 on: of three namespaces, a wrapper of the runtime and a method that allocates for its caller among them.
 */
enum { GAME_RANDOM = 10, GAME_RANDOM_WRAPPER = 9, GAME_RANDOM_HELPER = 10, GAME_RANDOM_CLASSES = 3 };
extern const char *const game_random_name[GAME_RANDOM + 1];
extern const char *const game_random_class[GAME_RANDOM_CLASSES];
void game_random(struct game *g, uint64_t seed, unsigned frames);

/* The end of the recording, and a run that needs this. */
void game_run(struct game *g, unsigned needs);

/* The same recording once more, by another run: what the one before it made is freed. */
void game_rerun(struct game *g, unsigned needs);
/* Returns the bytes that the run still holds and should not. */
size_t game_end(struct game *g);

#endif
