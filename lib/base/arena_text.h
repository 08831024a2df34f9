/**
 * Texts that are allocated in an arena and live as long as the arena.
 *
 * Threads: one at a time for each arena.
 */
#ifndef TT_BASE_ARENA_TEXT_H
#define TT_BASE_ARENA_TEXT_H

#include <stdarg.h>

#include "base/err.h"

struct tt_arena;
struct tt_buf;

/* Make a text from a printf format; NULL with ${err} filled on failure. */
char *tt_arena_printf(struct tt_arena *a, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);
char *tt_arena_vprintf(struct tt_arena *a, struct tt_err *err, const char *fmt, va_list list) TT_PRINTF(3, 0);

/* Copy the bytes of ${b} to a text in ${a}, and free ${b}. NULL with ${err} filled on failure. */
char *tt_buf_move_to_arena(struct tt_buf *b, struct tt_arena *a, struct tt_err *err);

#endif
