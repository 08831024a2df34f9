/**
 * Two rows of dots on one axis: the captures of two sides. If the rows lie apart, the difference is larger than the noise.
 */
#ifndef TT_PAGE_DOTS_H
#define TT_PAGE_DOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_buf;

/* TT_DOTS_MAX: maximum number of dots in a row. TT_DOT_TEXT: buffer size for a formatted amount. */
enum { TT_DOTS_MAX = 500, TT_DOT_TEXT = 64 };

struct tt_dot { const char *name; int64_t v; };

struct tt_dots {
	const char *about;            /* HTML, a description for readers who do not see the picture */
	const char *label[2];         /* HTML, a short label of each row */
	const struct tt_dot *dot[2];
	size_t n[2];                  /* number of dots of each row; a row without dots is not drawn */
	const char *line_name;        /* label of a vertical line at ${line}; NULL: no line */
	int64_t line;
	char *(*put)(char *to, int64_t v, const void *arg);   /* format an amount for readers, in at most TT_DOT_TEXT bytes */
	const void *arg;
};

/* Write the start of a figure with the picture. The caller writes "<figcaption>", if wanted, and "</figure>". */
void tt_dots_put(const struct tt_dots *d, struct tt_buf *out);

#endif
