/**
 * The growable run of bytes; the contract is in buf.h.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAP 256

int
tt_buf_room(struct tt_buf *b, size_t more, struct tt_err *err)
{
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	char *p;

	if (b->cap - b->n >= more && b->p)
		return TT_OK;
	if (more > SIZE_MAX / 2 - b->n)
		return tt_nomem(err);
	while (cap - b->n < more)
		cap *= 2;
#ifdef TT_GROW_EXACTLY      /* see mem.c */
	cap = b->n + more + !more;
#endif
	p = realloc(b->p, cap);
	if (!p)
		return tt_nomem(err);
	b->p = p;
	b->cap = cap;
	return TT_OK;
}

int
tt_buf_add(struct tt_buf *b, const void *s, size_t n, struct tt_err *err)
{
	int rc = tt_buf_room(b, n, err);

	if (rc != TT_OK || n == 0)
		return rc;
	memcpy(b->p + b->n, s, n);
	b->n += n;
	return TT_OK;
}

int
tt_buf_text(struct tt_buf *b, const char *s, struct tt_err *err)
{
	return tt_buf_add(b, s, strlen(s), err);
}

int
tt_buf_printf(struct tt_buf *b, struct tt_err *err, const char *fmt, ...)
{
	va_list ap, again;
	int n, rc;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	/* The text's NUL is written too, but does not count. */
	rc = n < 0 ? tt_nomem(err) : tt_buf_room(b, (size_t)n + 1, err);
	if (rc == TT_OK) {
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
	return rc;
}

void
tt_buf_free(struct tt_buf *b)
{
	free(b->p);
	*b = (struct tt_buf){ 0 };
}
