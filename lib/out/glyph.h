/**
 * Measures how wide text from captures is on a terminal, and finds where it can be cut. Independent of tables.
 */
#ifndef TT_OUT_GLYPH_H
#define TT_OUT_GLYPH_H

#include <stddef.h>

/*
 * One character as it is shown: its ${len} bytes at ${s}, the ${take} bytes of the text that it stands for, and its columns. A character that would control a
 * terminal (controls, direction overrides), and a byte that is not UTF-8, is shown as '?'.
 */
struct tt_glyph { const char *s; size_t len, take; unsigned width; };

/* Return the first character of the ${n} > 0 bytes at ${s}. */
struct tt_glyph tt_glyph_at(const char *s, size_t n);

/* Return the columns of the ${n} bytes at ${s}, or of the text ${s}. */
size_t tt_text_width_n(const char *s, size_t n);
size_t tt_text_width(const char *s);

/* Return the number of bytes, from the start of the ${n} at ${s}, that fit into ${max} columns; *${width}: their columns. */
size_t tt_text_head(const char *s, size_t n, size_t max, size_t *width);

/* Return the same for a text that ends with a NUL; bytes beyond ${max} columns are not read. */
size_t tt_text_fit(const char *s, size_t max);

/**
 * tt_text_line(s, max, rest):
 * Return the length in bytes of the first line of ${s} in ${max} columns, without trailing blanks. A line is broken at a blank if possible, but not at
 * one between a number and its unit; *${rest} is the text after the line, NULL at the end. A word longer than a line is a line of its own, too long.
 */
size_t tt_text_line(const char *s, size_t max, const char **rest);

#endif
