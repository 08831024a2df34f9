/**
 * Texts that are made in an arena, and live as long as it does.
 *
 * Threads: each arena by one at a time.
 */
#ifndef TT_BASE_ARENA_TEXT_H
#define TT_BASE_ARENA_TEXT_H

#include <stdarg.h>

#include "base/err.h"

struct tt_arena;
struct tt_buf;

/* A printf-style text, or NULL with ${err} filled. */
char *tt_arena_printf(struct tt_arena *a, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);
char *tt_arena_vprintf(struct tt_arena *a, struct tt_err *err, const char *fmt, va_list list) TT_PRINTF(3, 0);

/* The bytes of ${b} as a text; NULL: ${err}. The memory of ${b} is given back, and it is empty. */
char *tt_buf_keep(struct tt_buf *b, struct tt_arena *a, struct tt_err *err);

#endif
