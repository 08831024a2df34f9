/**
 * Tests for valid UTF-8, and makes text of unknown origin safe to print.
 *
 * Valid means RFC 3629: no overlong forms, no surrogates, nothing over U+10FFFF.
 */
#ifndef TT_BASE_UTF8_H
#define TT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/**
 * tt_utf8_len(s, n):
 * The length (1..4) of the valid character at the start of the ${n} bytes at
 * ${s}, or 0 if there is none.
 */
size_t tt_utf8_len(const char *s, size_t n);

/* True if the ${n} bytes at ${s} are valid characters. */
bool tt_utf8_is_text(const char *s, size_t n);

/* Return the code point of the valid character of ${len} bytes at ${s}; with a ${len} of 1, the value of the byte, valid or not. */
uint32_t tt_utf8_code(const char *s, size_t len);

/* Write the code point ${c} at ${to}, which has room for 4 bytes, and return the number of bytes; 0: ${c} is not a character. */
size_t tt_utf8_put(char *to, uint32_t c);

/**
 * tt_utf8_valid(to, size, s):
 * Return ${s} if it is valid; else its copy in the ${size} bytes at ${to}, cut if too long, with U+FFFD for every invalid byte: the
 * text that is read back from JSON. With a ${size} of 0 nothing is copied.
 */
const char *tt_utf8_valid(char *to, size_t size, const char *s);

/*
 * True if a terminal or an editor obeys the code point ${c} instead of showing it: C0, DEL and C1, and the code points that
 * change the direction of the text after them (U+202A to U+202E, U+2066 to U+2069).
 */
bool tt_utf8_control(uint32_t c);

/**
 * tt_utf8_line(to, size, s):
 * Copy the text ${s} to the ${size} bytes at ${to}, with '?' for control characters (tt_utf8_control()) and for bytes that are not UTF-8. Text that does not
 * fit is left out whole characters at a time; the copy always ends with NUL.
 */
void tt_utf8_line(char *to, size_t size, const char *s);

/* Append the ${n} bytes of UTF-16, little-endian, at ${p} to ${to} as UTF-8; invalid units become U+FFFD. */
int tt_utf8_from16(struct tt_buf *to, const uint8_t *p, size_t n, struct tt_err *err);

#endif
