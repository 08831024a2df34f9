/**
 * Values of options: text to numbers, strictly.
 *
 * The whole text must be the value: no white space, no sign, nothing after. Decimals are
 * read as integers of the finest unit, never through a double, so that "0.1 s"
 * is 100,000,000 ns on every machine.
 *
 * Errors: TT_E_USAGE with a message that quotes the text and says what to write; the
 * caller prepends the option.
 */
#ifndef TT_CMD_VALUE_H
#define TT_CMD_VALUE_H

#include <stdint.h>

#include "base/err.h"

/* Parse a whole number from ${lo} to ${hi}. */
int tt_parse_count(const char *s, uint64_t lo, uint64_t hi, uint64_t *v, struct tt_err *err);

/* Parse a size in bytes: a whole number; k, M, G or T after it mean powers of 1024. */
int tt_parse_size(const char *s, uint64_t *v, struct tt_err *err);

/* Parse a length of time with its unit to ns: "250ns", "1.5ms", "2s", "10m", "1h", also us and µs. */
int tt_parse_duration(const char *s, int64_t *ns, struct tt_err *err);

/* Parse milliseconds above zero to ns: "16.67"; the unit "ms" may follow. */
int tt_parse_milliseconds(const char *s, int64_t *ns, struct tt_err *err);

/* Parse a share in percent to units of 1/10000: "1" and "1%" give 100; at most 100 %, two decimals. */
int tt_parse_percent(const char *s, int64_t *e4, struct tt_err *err);

/* Parse "A-B" in seconds, A < B, to ns; a side that is left out gives INT64_MIN or INT64_MAX. */
int tt_parse_time_range(const char *s, int64_t *from, int64_t *to, struct tt_err *err);

/* Parse "A-B", both inclusive, 1 <= A <= B; "A" is one number, "A-" and "-B" are open: the missing side gives 1 or UINT64_MAX. */
int tt_parse_number_range(const char *s, uint64_t *first, uint64_t *last, struct tt_err *err);

#endif
