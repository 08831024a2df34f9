/**
 * A window onto an input whose heads are read one after the other, and searched for after damage.
 *
 * On input that can seek it goes anywhere, on other input forward only. There, what will be asked for next may be fetched meanwhile.
 * Memory: the largest part asked for so far, at most doubled; of an input whose size is known, of what of it is there. The same once more for
 * what is fetched.
 * Threads: one; tt_window_fetch() may run on another one beside all calls but tt_window_free().
 */
#ifndef TT_IO_WINDOW_H
#define TT_IO_WINDOW_H

#include <pthread.h>

#include "io/src.h"

struct tt_window {
	struct tt_env *env;
	struct tt_src *src;
	uint8_t *p;                   /* the bytes from ${at} on */
	size_t n, cap;
	uint64_t at;
	bool ended;                   /* on input that cannot seek: it holds no more than the window */
	struct tt_err end_err;        /* and why, where it was not a proper end */
	bool planned;                 /* tt_window_plan() was called, and nothing was read since */
	struct tt_window_ahead {
		pthread_mutex_t lock;
		uint8_t *p;           /* n bytes from ${at} on; while n is 0, ${want} bytes are to be fetched */
		size_t n, cap, want;
		uint64_t at;
	} ahead;
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

/* Say what the next tt_window_show() that has to read will ask for. False if it cannot be fetched: the input cannot seek, or has nothing there. */
bool tt_window_plan(struct tt_window *w, uint64_t at, size_t want);

/* Fetch what was planned; tt_window_show() then need not read it. What cannot be fetched is left to tt_window_show(), which says why. */
void tt_window_fetch(struct tt_window *w);

#endif
