/**
 * A growable run of bytes, and the fixed-point printing every emitter uses.
 *
 * Hot writers call tt_buf_room() once for the most a record can take and then
 * use the tt_put_* functions, which do not check. Nothing here looks at the
 * locale, so no output depends on it.
 *
 * Errors stick: once memory was short for an addition, nothing more is added, and
 * tt_buf_error() says so. Writers need not ask before.
 * Threads: one owner at a time.
 */
#ifndef TT_BASE_BUF_H
#define TT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct tt_buf {
	char *p;
	size_t n, cap;
	bool failed;          /* true: memory was short, so bytes are missing at the end */
};

/* Make room for at least ${more} bytes after n. */
int tt_buf_room(struct tt_buf *b, size_t more, struct tt_err *err);
void tt_buf_add(struct tt_buf *b, const void *s, size_t n);
void tt_buf_text(struct tt_buf *b, const char *s);
void tt_buf_printf(struct tt_buf *b, const char *fmt, ...) TT_PRINTF(2, 3);
void tt_buf_free(struct tt_buf *b);

/* Return the bytes of ${b} as a string with a final NUL, valid until the next call; "" after an error. */
const char *tt_buf_string(struct tt_buf *b);

/* Mark ${b} as failed: there was no memory for something that belongs into it. */
void tt_buf_fail(struct tt_buf *b);

/* Return TT_E_NOMEM if memory was short for any addition, else TT_OK. */
int tt_buf_error(const struct tt_buf *b, struct tt_err *err);

/* Append the ${n} bytes at ${s} as the inside of a JSON string, as tt_put_json() writes it. */
void tt_buf_json(struct tt_buf *b, const char *s, size_t n);

/* The digits 00..99, two bytes each. */
extern const char tt_digits2[200];

/* The digits 000..999, the first digit in the lowest byte; the highest byte: number of leading zeros, at most 2. */
extern const uint32_t tt_digits3[1000];

/**
 * tt_put_u64(p, v) / tt_put_i64(p, v):
 * Write ${v} in decimal (at most 20 bytes) at ${p}; return the byte after it.
 */
char *tt_put_u64(char *p, uint64_t v);
char *tt_put_i64(char *p, int64_t v);

/**
 * tt_put_hex(p, v): Write "0x" and ${v} in lower-case hex without leading
 * zeros (at most 18 bytes).
 */
char *tt_put_hex(char *p, uint64_t v);

/**
 * tt_put_fixed(p, v, digits):
 * Write the integer ${v} with a decimal point before its last ${digits} digits
 * (0..9): v=1234567, digits=3 gives "1234.567"; v=-5, digits=2 gives "-0.05".
 * At most 22 bytes.
 */
char *tt_put_fixed(char *p, int64_t v, unsigned digits);

/**
 * tt_put_double(p, v):
 * Write the finite double ${v} as the shortest decimal that reads back as the
 * same double, in the C locale whatever the process locale (at most 32 bytes).
 * A NaN or infinity writes nothing.
 */
char *tt_put_double(char *p, double v);

/**
 * tt_utf8_clean(p, s, n):
 * Copy the ${n} bytes at ${s} to ${p}, each byte that is not part of valid UTF-8
 * (overlong forms and surrogates are not) replaced by U+FFFD (3 bytes, so at
 * most 3*n bytes); return the byte after. NUL is copied.
 */
char *tt_utf8_clean(char *p, const char *s, size_t n);

/**
 * tt_put_json(p, s, n):
 * Write the ${n} bytes at ${s} as the inside of a JSON string (no quotes):
 * `"`, `\` and U+0000..U+001F escaped, NUL as U+FFFD, invalid UTF-8 as U+FFFD,
 * everything else raw. At most 6*n bytes.
 */
char *tt_put_json(char *p, const char *s, size_t n);

#endif
