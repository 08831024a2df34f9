/**
 * A window onto an input whose heads are read one after the other, and searched for after damage.
 *
 * On input that can seek it goes anywhere, on other input forward only.
 * Memory: the largest part asked for so far, at most doubled; of an input whose size is known, of what of it is there.
 * Threads: one.
 */
#ifndef TT_IO_WINDOW_H
#define TT_IO_WINDOW_H

#include "io/src.h"

struct tt_window {
	struct tt_env *env;
	struct tt_src *src;
	uint8_t *p;                   /* the bytes from ${at} on */
	size_t n, cap;
	uint64_t at;
	bool ended;                   /* on input that cannot seek: it holds no more than the window */
	struct tt_err end_err;        /* and why, where it was not a proper end */
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

#endif
