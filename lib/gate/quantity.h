/**
 * Amounts that budgets limit and verdicts compare, as integers.
 *
 * An amount is in thousandths of the base unit of its dimension (ns, byte, frame per second, ...), a number in millionths: one call in some
 * thousand frames is not rounded to none. So no figure passes through a double. Values out of range stay at the ends of int64_t.
 */
#ifndef TT_GATE_QUANTITY_H
#define TT_GATE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TT_AMOUNT_ONE 1000            /* one base unit of all dimensions but TT_DIM_NUMBER */
#define TT_NUMBER_ONE 1000000         /* one of TT_DIM_NUMBER */

enum tt_dim {
	TT_DIM_NUMBER,        /* numbers, and means of numbers */
	TT_DIM_TIME,          /* ns */
	TT_DIM_BYTES,
	TT_DIM_PER_1000,      /* frames per thousand */
	TT_DIM_FPS,
	TT_DIM_PERCENT,       /* counters in percent */
	TT_DIMS
};

/* One base unit, as an amount of ${dim}. */
static inline int64_t
tt_amount_one(enum tt_dim dim)
{
	return dim == TT_DIM_NUMBER ? TT_NUMBER_ONE : TT_AMOUNT_ONE;
}

/* The dimension's name in machine forms: "number", "ns", "bytes", "per_1000", "fps", "percent". */
extern const char *const tt_dim_name[TT_DIMS];

/**
 * tt_amount_parse(s, dim, v):
 * Parse "33.3ms", "1 KiB", "2", "80%" (an optional space before the unit; no sign) as an amount of ${dim}. Units: ns us µs ms s; B KB KiB MB MiB GB GiB (all
 * powers of 1024); fps; %; none for numbers and per thousand. Return NULL, or a constant error text like "needs a unit, like \"33.3ms\"".
 */
const char *tt_amount_parse(const char *s, enum tt_dim dim, int64_t *v);

/* The error texts for a text that does not have a unit of the dimension, and for one with a larger number than an amount of it can hold. */
extern const char *const tt_amount_wanted[TT_DIMS], *const tt_amount_too_large[TT_DIMS];

/* The error text for a number that is given more exactly than an amount of ${dim} can be. */
const char *tt_too_many_decimals(enum tt_dim dim);

/**
 * tt_put_amount(p, v, dim):
 * Write an amount for readers: "12.345 ms", "1.2 KB", "3.25", "20.1 per 1000", "59.9 fps". At most 48 bytes; returns the end.
 */
char *tt_put_amount(char *p, int64_t v, enum tt_dim dim);

/* Like tt_put_amount(), with all digits of ${v}: "16.666667 ms", "1,572,864 B". At most 48 bytes. */
char *tt_put_exact(char *p, int64_t v, enum tt_dim dim);

/* Like tt_put_amount(), with "+" or "-" in front: a difference. */
char *tt_put_change(char *p, int64_t v, enum tt_dim dim);

/* For machines: the amount of ${dim} in base units, with the decimals it has: "12345000", "0.25". At most 24 bytes. */
char *tt_put_base(char *p, int64_t v, enum tt_dim dim);

/* Write a change in parts per million, signed, as percent: "+5.2 %"; from +1,000 % on as a factor: "11.0 times". At most 24 bytes. */
char *tt_put_ppm(char *p, int64_t ppm);

/* ${a} * ${b} / ${c} with signs, rounded to the nearest (halves away from zero) and clamped; 0 if ${c} is 0. */
int64_t tt_scale(int64_t a, int64_t b, int64_t c);

#endif
