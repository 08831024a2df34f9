/**
 * How wide text from outside is on a terminal, and where it can be cut. Knows nothing of tables.
 */
#ifndef TT_OUT_GLYPH_H
#define TT_OUT_GLYPH_H

#include <stddef.h>

/*
 * One character as it is shown: its ${len} bytes at ${s}, the ${take} bytes it takes of the text, and its columns. A character that a terminal would obey
 * (controls, direction overrides), and a byte that is not UTF-8, is shown as '?'.
 */
struct tt_glyph { const char *s; size_t len, take; unsigned width; };

/* The first character of the ${n} > 0 bytes at ${s}. */
struct tt_glyph tt_glyph_at(const char *s, size_t n);

/* The columns of the ${n} bytes at ${s}; of the text ${s}. */
size_t tt_text_width_n(const char *s, size_t n);
size_t tt_text_width(const char *s);

/* The bytes from the start of the ${n} at ${s} that take at most ${max} columns; *${width}: the columns they take. */
size_t tt_text_head(const char *s, size_t n, size_t max, size_t *width);

/* The same of a text that ends with a NUL; no more of it is looked at. */
size_t tt_text_fit(const char *s, size_t max);

/**
 * tt_text_line(s, max, rest):
 * The bytes of the first line of ${s} in ${max} columns, without the blanks it ends with. It ends at a blank where there is one, but not
 * at one between a number and its unit; *${rest} is what follows, NULL at the end. A word longer than a line is a line of its own, too long.
 */
size_t tt_text_line(const char *s, size_t max, const char **rest);

#endif
