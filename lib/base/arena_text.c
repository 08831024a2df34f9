/**
 * Makes texts in an arena.
 */
#include "base/arena_text.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"

char *
tt_arena_vprintf(struct tt_arena *a, struct tt_err *err, const char *fmt, va_list list)
{
	va_list again;
	char *p = NULL;
	int n;

	va_copy(again, list);
	n = vsnprintf(NULL, 0, fmt, list);
	if (n < 0)
		tt_fail_nomem(err);
	else
		p = tt_arena_text(a, NULL, (size_t)n, err);
	if (p)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *
tt_arena_printf(struct tt_arena *a, struct tt_err *err, const char *fmt, ...)
{
	va_list list;
	char *p;

	va_start(list, fmt);
	p = tt_arena_vprintf(a, err, fmt, list);
	va_end(list);
	return p;
}

char *
tt_buf_move_to_arena(struct tt_buf *b, struct tt_arena *a, struct tt_err *err)
{
	char *text = tt_buf_error(b, err) == TT_OK ? tt_arena_text(a, b->p, b->n, err) : NULL;

	tt_buf_free(b);
	return text;
}
