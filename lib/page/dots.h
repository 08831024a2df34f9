/**
 * Two rows of dots on one axis: the captures of two sides, one below the other. If the rows lie apart, a difference is larger than the noise.
 */
#ifndef TT_PAGE_DOTS_H
#define TT_PAGE_DOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_buf;

/* The most dots of a row; TT_DOT_TEXT: room for an amount. */
enum { TT_DOTS_MAX = 500, TT_DOT_TEXT = 64 };

struct tt_dot { const char *name; int64_t v; };

struct tt_dots {
	const char *about;            /* HTML: what it shows, for those who do not see it */
	const char *label[2];         /* HTML, short */
	const struct tt_dot *dot[2];
	size_t n[2];                  /* a row without dots is not drawn */
	const char *line_name;        /* of a line across both at ${line}; NULL: there is none */
	int64_t line;
	char *(*put)(char *to, int64_t v, const void *arg);   /* an amount for people, at most TT_DOT_TEXT bytes */
	const void *arg;
};

/* The picture, and the beginning of a figure: "<figcaption>", if there is to be one, and "</figure>" are the caller's. */
void tt_dots_put(const struct tt_dots *d, struct tt_buf *out);

#endif
