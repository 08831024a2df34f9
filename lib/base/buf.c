/**
 * Appends to a run of bytes, which grows by doubling.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAP 256

/* Set the capacity to the bytes present, so that nothing can be added after the gap. */
void
tt_buf_fail(struct tt_buf *b)
{
	b->failed = true;
	b->cap = b->n;
}

static int
fail(struct tt_buf *b, struct tt_err *err)
{
	tt_buf_fail(b);
	return tt_fail_nomem(err);
}

int
tt_buf_room(struct tt_buf *b, size_t more, struct tt_err *err)
{
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	char *p;

	if (b->cap - b->n >= more && b->p)
		return TT_OK;
	if (b->failed || more > SIZE_MAX / 2 - b->n)
		return fail(b, err);
	while (cap - b->n < more)
		cap *= 2;
#ifdef TT_GROW_EXACTLY      /* see mem.c */
	cap = b->n + more + !more;
#endif
	p = realloc(b->p, cap);
	if (!p)
		return fail(b, err);
	b->p = p;
	b->cap = cap;
	return TT_OK;
}

int
tt_buf_error(const struct tt_buf *b, struct tt_err *err)
{
	return b->failed ? tt_fail_nomem(err) : TT_OK;
}

const char *
tt_buf_string(struct tt_buf *b)
{
	if (tt_buf_room(b, 1, NULL) != TT_OK)
		return "";
	b->p[b->n] = '\0';
	return b->p;
}

void
tt_buf_add(struct tt_buf *b, const void *s, size_t n)
{
	if (tt_buf_room(b, n, NULL) != TT_OK || n == 0)
		return;
	memcpy(b->p + b->n, s, n);
	b->n += n;
}

void
tt_buf_text(struct tt_buf *b, const char *s)
{
	tt_buf_add(b, s, strlen(s));
}

void
tt_buf_json(struct tt_buf *b, const char *s, size_t n)
{
	if (tt_buf_room(b, n < SIZE_MAX / 8 ? 6 * n : SIZE_MAX, NULL) == TT_OK)
		b->n = (size_t)(tt_put_json(b->p + b->n, s, n) - b->p);
}

void
tt_buf_printf(struct tt_buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	/* vsnprintf() writes a NUL too, which does not count as a byte of the buffer. */
	if (n < 0) {
		fail(b, NULL);
	} else if (tt_buf_room(b, (size_t)n + 1, NULL) == TT_OK) {
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

void
tt_buf_free(struct tt_buf *b)
{
	free(b->p);
	*b = (struct tt_buf){ 0 };
}
