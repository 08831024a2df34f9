/**
 * A window onto an input, for readers that go from head to head, and search for the next head after damage.
 *
 * On input that can seek it goes anywhere, on other input only forward. On input that can seek, the bytes expected next may be fetched ahead on another
 * thread, in two pieces.
 * Memory: the largest range asked for so far, at most doubled (without bytes beyond the end of an input of known size). For the two pieces fetched ahead,
 * each the largest range planned and 512 KiB. Blocks that users keep come on top; they are reused.
 * Threads: one; tt_window_fetch() and tt_window_release() may run on other threads beside all calls but tt_window_free().
 */
#ifndef TT_IO_WINDOW_H
#define TT_IO_WINDOW_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/src.h"

/* A block of bytes read at once, used by the window or a piece fetched ahead, and by users that keep it. */
struct tt_window_block {
	struct tt_window *w;
	_Atomic unsigned users;
	uint8_t *p;
	size_t cap;
	struct tt_window_block *next; /* the next block in the list ${spare} */
};
enum { TT_WINDOW_PAD = 64 };  /* readable bytes of no meaning after the bytes of a block */

struct tt_window {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_window_block *block;        /* holds the bytes from ${at} on, at offset ${block_at}: ${nshown} to show, ${nblock} in all; NULL: none so far */
	size_t block_at, nshown, nblock;
	uint64_t at;
	pthread_mutex_t lock;
	struct tt_window_block *free_blocks;  /* list of blocks that nobody uses */
	bool ended;                   /* true, on input that cannot seek: no bytes come after those in the window */
	struct tt_err end_err;        /* why the input ended, if not at its proper end */
	/*
	 * The pieces fetched ahead, which follow the window, and the reading thread's own note of their ranges; a
	 * range of no bytes: no piece.
	 */
	struct tt_window_piece {
		pthread_mutex_t lock;
		/* Holds n bytes from ${at} on, after room for bytes of the window; while n is 0, ${want} bytes are to be fetched. */
		struct tt_window_block *block;
		size_t n, want;
		uint64_t at;
	} piece[2];
	struct tt_window_planned { uint64_t at; size_t want; } planned[2];
};

/* ${env} and ${src} are borrowed. */
void tt_window_init(struct tt_window *w, struct tt_env *env, struct tt_src *src);
void tt_window_free(struct tt_window *w);

/* Go back to the beginning, after the input was rewound. */
void tt_window_rewind(struct tt_window *w);

/**
 * tt_window_show(w, at, want, p, n, err):
 * Point *${p} at the bytes from ${at} on, at least ${want} of them unless the input ends before (*${n} says how
 * many), valid until the next call. On input that cannot seek, bytes before ${at} can no longer be shown, and damage
 * ends the input: w->end_err says so.
 * Errors: TT_E_NOMEM, and those of tt_src_read() and tt_src_pread().
 */
int tt_window_show(struct tt_window *w, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err);

/*
 * Keep the block that tt_window_show() pointed into last: its bytes, and TT_WINDOW_PAD after them, stay valid and unchanged until it is let go. A block may
 * be kept several times, and is let go as often, before tt_window_free(). Letting go of NULL is fine.
 */
struct tt_window_block *tt_window_keep(struct tt_window *w);
void tt_window_release(struct tt_window_block *b);

/*
 * Plan to fetch ahead, expecting that the next tt_window_show() which has to read asks for ${want} bytes from ${at} on: the missing bytes, and as
 * many after them. False if nothing new is planned: all was planned before, the input ends, or it cannot seek.
 */
bool tt_window_plan(struct tt_window *w, uint64_t at, size_t want);

/*
 * Fetch the planned pieces, unless another thread does so already, so that tt_window_show() need not read them. If a piece cannot be fetched,
 * tt_window_show() reads it, and reports the error.
 */
void tt_window_fetch(struct tt_window *w);

#endif
