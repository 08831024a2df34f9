/**
 * Writes numbers as text: counts with commas, times and sizes with units.
 *
 * Integers are written two digits at a time from a table: with hundreds of
 * millions of numbers, an emitter spends most of its time on divisions.
 */
#include "base/buf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char tt_digits2[200] = {
#define PAIR(a, b) '0' + (a), '0' + (b)
#define TEN(a) PAIR(a, 0), PAIR(a, 1), PAIR(a, 2), PAIR(a, 3), PAIR(a, 4), PAIR(a, 5), PAIR(a, 6), \
	PAIR(a, 7), PAIR(a, 8), PAIR(a, 9)
	TEN(0), TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7), TEN(8), TEN(9),
#undef TEN
#undef PAIR
};

#define THREE(a, b, c) (0x303030 | (a) | (b) << 8 | (c) << 16 | ((a) ? 0 : (b) ? 1 : 2) << 24)
#define TEN(a, b) THREE(a, b, 0), THREE(a, b, 1), THREE(a, b, 2), THREE(a, b, 3), THREE(a, b, 4), \
	THREE(a, b, 5), THREE(a, b, 6), THREE(a, b, 7), THREE(a, b, 8), THREE(a, b, 9)
#define HUNDRED(a) TEN(a, 0), TEN(a, 1), TEN(a, 2), TEN(a, 3), TEN(a, 4), TEN(a, 5), TEN(a, 6), TEN(a, 7), TEN(a, 8), TEN(a, 9)

const uint32_t tt_digits3[1000] = { HUNDRED(0), HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4), HUNDRED(5), HUNDRED(6), HUNDRED(7), HUNDRED(8),
	HUNDRED(9) };

/* Return the number of decimal digits of ${v} (1..20). */
static unsigned
count_digits(uint64_t v)
{
	unsigned n = 1;

	for (;;) {
		if (v < 10)
			return n;
		if (v < 100)
			return n + 1;
		if (v < 1000)
			return n + 2;
		if (v < 10000)
			return n + 3;
		v /= 10000;
		n += 4;
	}
}

/* Write the last ${n} digits of ${v} at ${p}, with leading zeros where it has fewer. */
static void
put_digits(char *p, uint64_t v, unsigned n)
{
	while (n >= 2) {
		n -= 2;
		memcpy(p + n, tt_digits2 + 2 * (v % 100), 2);
		v /= 100;
	}
	if (n)
		*p = (char)('0' + v % 10);
}

char *
tt_put_u64(char *p, uint64_t v)
{
	unsigned n = count_digits(v);

	put_digits(p, v, n);
	return p + n;
}

/* Write the sign of ${v}, and return its magnitude, which is right for INT64_MIN too. */
static uint64_t
put_sign(char **p, int64_t v)
{
	if (v >= 0)
		return (uint64_t)v;
	*(*p)++ = '-';
	return 0 - (uint64_t)v;
}

char *
tt_put_i64(char *p, int64_t v)
{
	uint64_t u = put_sign(&p, v);

	return tt_put_u64(p, u);
}

char *
tt_put_hex(char *p, uint64_t v)
{
	unsigned n = 1;

	for (uint64_t rest = v >> 4; rest; rest >>= 4)
		n++;
	memcpy(p, "0x", 2);
	p += 2;
	for (unsigned i = n; i-- > 0; v >>= 4)
		p[i] = "0123456789abcdef"[v & 15];
	return p + n;
}

char *
tt_put_fixed(char *p, int64_t v, unsigned digits)
{
	static const uint32_t pow10[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000 };
	uint64_t u = put_sign(&p, v);

	if (digits == 0)
		return tt_put_u64(p, u);
	p = tt_put_u64(p, u / pow10[digits]);
	*p++ = '.';
	put_digits(p, u % pow10[digits], digits);
	return p + digits;
}

/* Copy the text of a double, with '.' for the locale's decimal separator. */
static char *
copy_double(char *p, const char *s)
{
	while (*s) {
		if (strchr("0123456789+-e", *s)) {
			*p++ = *s++;
			continue;
		}
		*p++ = '.';
		while (!strchr("0123456789+-e", *s))
			s++;
	}
	return p;
}

char *
tt_put_double(char *p, double v)
{
	/*
	 * A normal double keeps any 15 digits, so 15 find every shorter form too (%g drops
	 * trailing zeros); a subnormal has less precision and is tried from one digit up.
	 */
	int digits = fabs(v) < DBL_MIN ? 1 : 15;
	char text[48];

	if (!isfinite(v))
		return p;
	if (fabs(v) < 1e15 && v == (double)(int64_t)v && !(v == 0 && signbit(v)))
		return tt_put_i64(p, (int64_t)v);
	for (; digits <= 17; digits++) {
		/* Sixteen digits after "0.000" would be twenty after the point, more than some readers accept. */
		if (digits > 15 && fabs(v) < 1e-3)
			snprintf(text, sizeof text, "%.*e", digits - 1, v);
		else
			snprintf(text, sizeof text, "%.*g", digits, v);
		/* strtod() uses the locale that wrote the text, so it reads the text correctly. */
		if (strtod(text, NULL) == v)
			break;
	}
	return copy_double(p, text);
}
