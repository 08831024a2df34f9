/**
 * The stand-in game: a seeded workload shaped like what real Unity captures hold.
 *
 * Threads, markers, nesting, allocations with a long tail, labels, counters, flows, hitches, loads (figures
 * seen in captures of real projects). What each thread sends depends on the seed and options
 * alone, not on the scheduler: two runs send the same events on every thread, in the same order. Only times
 * differ.
 */
#ifndef HOST_GAME_H
#define HOST_GAME_H

#include "account.h"

struct game_opts {
	uint64_t seed;
	unsigned threads;             /* in all; at least 3 */
	unsigned markers;             /* at the start; 1 in 70 more are made while it runs */
	unsigned frames;
	unsigned events;              /* of a frame in the mean; 0: as the scene has it, 10 to 28 thousand, peaks of 90 */
	double fps;                   /* 0: as fast as it goes */
	double rate;                  /* at most so many events a second, whatever fps says; 0: no limit */
	unsigned counters;            /* samples a frame */
	unsigned churn;               /* a short-lived thread every so many frames; 0: none */
	bool single_allocs;           /* GC.Alloc as Single, not as Begin and End */
	bool plain;                   /* begins and ends without values only; no counters, flows, allocations, labels */
	bool usage;                   /* count page faults and context switches of each thread's work after its first frame */
};

#define GAME_OPTS { .seed = 1, .threads = 70, .markers = 3500, .frames = 600, .counters = 120, .churn = 50 }

struct game;

/* Makes the markers and categories in the engine, so engine_start() comes first. */
struct game *game_new(const struct game_opts *o);
void game_free(struct game *g);

/**
 * game_play(g, a, each, arg):
 * Run all frames on the calling thread, the main thread, and on threads of the game, and account to ${a}.
 * ${each} (may be NULL) is called on the main thread before each frame, while the other threads rest; it may register,
 * load, kill. Not 0: the game ends there.
 */
void game_play(struct game *g, struct account *a, int (*each)(void *arg, unsigned frame), void *arg);

/**
 * game_solo(g, t, seed, events):
 * Send about ${events} events of every kind from the calling thread, whose account is ${t}. No system call, no wait.
 * Several threads may do so at once.
 */
void game_solo(struct game *g, struct account_thread *t, uint64_t seed, unsigned events);

/* Another process has played ${g} to ${a}: make the markers it made meanwhile, so that their names are known here. */
void game_played(struct game *g, const struct account *a);

/* What a note's zone, instant or counter should be called. */
const char *game_name(const struct game *g, const struct note *n);

/* Is this marker's counter in floating point? Then a note's val are the bits of a double. */
bool game_is_float(const struct game *g, uint32_t marker);

/* The text an instant carries, or NULL. */
const char *game_text(const struct game *g, const struct note *n);

#endif
