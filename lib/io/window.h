/**
 * A window onto an input whose heads are read one after the other, and searched for after damage.
 *
 * On input that can seek it goes anywhere, on other input forward only. On the former, bytes that will be asked for next may be fetched meanwhile, two pieces
 * at a time.
 * Memory: the largest part asked for so far, at most doubled; of an input whose size is known, of what of it is there. For what is fetched, twice more the
 * largest part planned, and 512 KiB for each. Blocks that others keep come on top, and are used again.
 * Threads: one; tt_window_fetch() may run on others beside all calls but tt_window_free(), and so may tt_window_let_go().
 */
#ifndef TT_IO_WINDOW_H
#define TT_IO_WINDOW_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/src.h"

/* Bytes read in one go: the window uses it, or a piece that was fetched, and whoever keeps it. */
struct tt_window_block {
	struct tt_window *w;
	_Atomic unsigned users;
	uint8_t *p;
	size_t cap;
	struct tt_window_block *next; /* of those that nobody uses */
};
enum { TT_WINDOW_PAD = 64 };  /* bytes behind what was read that are there to be read, whatever they are */

struct tt_window {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_window_block *block;        /* the bytes from ${at} on, after ${front} others: n to be shown, ${held} in all; NULL: none so far */
	size_t front, n, held;
	uint64_t at;
	pthread_mutex_t lock;
	struct tt_window_block *spare;        /* nobody uses these */
	bool ended;                   /* on input that cannot seek: it holds no more than the window */
	struct tt_err end_err;        /* and why, where it was not a proper end */
	/*
	 * The pieces that follow the window and are fetched, and what the reading thread knows of them; a piece of no
	 * bytes: none.
	 */
	struct tt_window_piece {
		pthread_mutex_t lock;
		/* n bytes from ${at} on, after room for what the window has before; while n is 0, ${want} bytes are to be fetched. */
		struct tt_window_block *block;
		size_t n, want;
		uint64_t at;
	} piece[2];
	struct tt_window_planned { uint64_t at; size_t want; } planned[2];
};

/* Both are borrowed. */
void tt_window_init(struct tt_window *w, struct tt_env *env, struct tt_src *src);
void tt_window_free(struct tt_window *w);

/* Back to the beginning, like the input. */
void tt_window_rewind(struct tt_window *w);

/**
 * tt_window_show(w, at, want, p, n, err):
 * Point *${p} at the bytes from ${at} on, at least ${want} of them unless the input ends before (*${n} says how
 * many), good until the next call. On input that cannot seek nothing before ${at} is in reach from here on, and damage
 * ends it: w->end_err says so.
 * Errors: TT_E_NOMEM, and those of tt_src_read() and tt_src_pread().
 */
int tt_window_show(struct tt_window *w, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err);

/*
 * Keep the bytes that tt_window_show() pointed at last, with TT_WINDOW_PAD after them: they stay good, and are not written to, until they are let go, any
 * number of times. All must be let go before tt_window_free(). NULL is fine for the latter.
 */
struct tt_window_block *tt_window_keep(struct tt_window *w);
void tt_window_let_go(struct tt_window_block *b);

/*
 * The next tt_window_show() that has to read will ask for ${want} bytes from ${at} on: plan to fetch what is missing of them, and as much after it.
 * False if there is nothing to fetch that was not planned before: the input ends, or cannot seek.
 */
bool tt_window_plan(struct tt_window *w, uint64_t at, size_t want);

/*
 * Fetch what was planned, unless another thread does so already; tt_window_show() then need not read it. A piece that cannot be fetched is left to
 * tt_window_show(), which says why.
 */
void tt_window_fetch(struct tt_window *w);

#endif
