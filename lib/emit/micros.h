/**
 * Times as Chrome's trace format wants them: microseconds with nanoseconds after the point.
 *
 * Viewers keep microseconds in a double, and some add ts and dur to find where a zone ends. Three decimals reproduce every ns below 2^53 ns, but
 * the sum of two such numbers can be one unit off, and then zones that touch seem to overlap (a quarter of all zones).
 * So dur gets more decimals if necessary: chosen so that ts + dur is the double of the end.
 *
 * Internal to lib/emit. Everything is inline, as it runs once per zone, on every worker.
 */
#ifndef TT_EMIT_MICROS_H
#define TT_EMIT_MICROS_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "stat/num.h"

/*
 * Largest end (2^40 us, 12 days) that can be met without changing the length by half a ns. Later ends are printed plainly: a double cannot hold the necessary
 * length.
 */
#define TT_MICROS_EXACT (((uint64_t)1 << 40) * 1000)

/* Maximum bytes that printing one time writes, including those past its end. */
#define TT_MICROS_MAX 48

/* Store the 8 characters in ${x}, the first one from its lowest byte. */
static inline void
tt_store8(char *p, uint64_t x)
{
	memcpy(p, &x, 8);
}

/**
 * tt_eight(v):
 * Return the eight decimal digits of ${v} < 10^8 as numbers, one per byte, the first in the lowest byte. Works in parallel on two halves, then four pairs,
 * then eight digits; the factors 2^20/100 and 2^10/10 are exact for these ranges (tests/unit/emit/micros.c tries all values).
 */
static inline uint64_t
tt_eight(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t hundreds = x * 10486 >> 20 & 0x0000007f0000007f;
	uint64_t tens;

	x = (x - 100 * hundreds) << 16 | hundreds;
	tens = x * 103 >> 10 & 0x000f000f000f000f;
	return (x - 10 * tens) << 8 | tens;
}

#define TT_ASCII8 0x3030303030303030u

/* The common leading digits of a run of times that are mostly close together, so that these digits are printed once. */
struct tt_micros {
	uint64_t base;                /* multiple of 10^6 ns; its digits down to the ms are in head */
	unsigned n;                   /* length of head; 0: no time yet */
	char head[16];
};

static __attribute__((noinline, unused)) void
tt_micros_move(struct tt_micros *m, uint64_t ns)
{
	m->base = ns - ns % 1000000;
	m->n = (unsigned)(tt_put_u64(m->head, m->base / 1000000) - m->head);
}

/* Print ${v} < 1000 without leading zeros; 8 bytes are written. */
static inline char *
tt_put_small(char *p, uint32_t v)
{
	const uint32_t digits = tt_digits3[v], zeros = digits >> 24;

	tt_store8(p, (uint64_t)(digits & 0xffffff) >> 8 * zeros);
	return p + 3 - zeros;
}

/* Print a length of ${ns} < 2^63, mostly short, as microseconds with three decimals. */
static inline char *
tt_put_micros_short(char *p, uint64_t ns)
{
	if (ns >= 1000000)
		return tt_put_fixed(p, (int64_t)ns, 3);
	p = tt_put_small(p, (uint32_t)ns / 1000);
	tt_store8(p, (uint64_t)tt_digits3[(uint32_t)ns % 1000] << 8 | '.');
	return p + 4;
}

/**
 * tt_put_micros(p, m, ns):
 * Print ${ns} < 2^63 as microseconds with three decimals.
 */
static inline __attribute__((always_inline)) char *
tt_put_micros(char *p, struct tt_micros *m, uint64_t ns)
{
	uint32_t rest;

	if (ns < 1000000)
		return tt_put_micros_short(p, ns);
	if (ns - m->base >= 1000000 || m->n == 0)
		tt_micros_move(m, ns);
	rest = (uint32_t)(ns - m->base);
	memcpy(p, m->head, 16);
	tt_store8(p + m->n, (tt_digits3[rest / 1000] & 0xffffff) | '.' << 24 | (uint64_t)tt_digits3[rest % 1000] << 32);
	return p + m->n + 7;
}

/* Return the exponent of a positive normal double: 2^e <= x < 2^(e+1). */
static inline int
tt_exponent(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (int)(bits >> 52) - 1023;
}

/**
 * tt_micros_decimals(end):
 * Return the number of decimals with which a length is off by less than an eighth of the unit of ${end} > 0, below 2^40 us: the smallest k with
 * 10^-k < ulp/4 (5 to 17 from 1 us on), at most 18.
 */
static inline unsigned
tt_micros_decimals(double end)
{
	/* ulp/4 = 2^(e-54), so 10^-k < 2^(e-54) where k > (54-e) * log10(2). */
	int k = ((54 - tt_exponent(end)) * 78913 >> 18) + 1;

	return k > 18 ? 18 : (unsigned)k;
}

/* Print ${v} < 10^${n} as ${n} digits, 1 to 18; 8 bytes more are written. */
static inline char *
tt_put_digits(char *p, uint64_t v, unsigned n)
{
	if (n > 16) {
		tt_store8(p, (uint64_t)tt_digits3[v / 10000000000000000] >> 8 * (19 - n));
		p += n - 16;
		v %= 10000000000000000;
		n = 16;
	}
	if (n > 8) {
		const uint32_t top = (uint32_t)(v / 100000000);

		tt_store8(p, n <= 11 ? (uint64_t)tt_digits3[top] >> 8 * (11 - n) : (tt_eight(top) | TT_ASCII8) >> 8 * (16 - n));
		p += n - 8;
		v %= 100000000;
		n = 8;
	}
	tt_store8(p, (tt_eight((uint32_t)v) | TT_ASCII8) >> 8 * (8 - n));
	return p + n;
}

/**
 * tt_put_micros_exact(p, d, decimals):
 * Print ${d}, 2^-11 <= d < 2^53, rounded to ${decimals} (3..18) places. The result is exact: the fraction is a 53-bit number over a power of two and is
 * multiplied out in integers.
 */
static inline char *
tt_put_micros_exact(char *p, double d, unsigned decimals)
{
	static const uint64_t pow10[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
		10000000000000000, 100000000000000000, 1000000000000000000 };
	uint64_t whole = (uint64_t)d, bits, unit = pow10[decimals], part = 0;
	double fraction = d - (double)whole;

	if (fraction > 0) {
		/* fraction = mantissa / 2^shift */
		unsigned shift = (unsigned)(52 - tt_exponent(fraction));

		memcpy(&bits, &fraction, sizeof bits);
		bits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
		if (shift < 120)
			part = (uint64_t)(((tt_u128)bits * unit + ((tt_u128)1 << (shift - 1))) >> shift);
	}
	if (part >= unit) {
		part -= unit;
		whole++;
	}
	p = whole < 1000 ? tt_put_small(p, (uint32_t)whole) : tt_put_u64(p, whole);
	*p = '.';
	return tt_put_digits(p + 1, part, decimals);
}

/* Print a dur for which three decimals do not suffice; a separate function keeps the common path short. */
static inline char *
tt_put_dur_adjusted(char *p, double start, double end)
{
	double d = end - start;

	/*
	 * If start + d lies just between two doubles, and d did before it was rounded, no double leads to an odd end. This needs a zone longer than half of
	 * the whole time before its end. The zone then ends one unit late rather than early, so that zones that ended with it stay inside.
	 */
	if (start + d < end)
		d += __builtin_ldexp(1.0, tt_exponent(end) - 52);
	return tt_put_micros_exact(p, d, tt_micros_decimals(end));
}

/**
 * tt_micros_step(ns):
 * Return the smallest number of picoseconds, at least 1, by which a double of microseconds can differ from ${ns} > 0: 1 up to 2^33 us, 2.4 hours.
 */
static inline uint32_t
tt_micros_step(uint64_t ns)
{
	/* ulp = 2^(e-52) us = 10^6 * 2^(e-52) ps */
	const int shift = 52 - tt_exponent((double)(int64_t)ns / 1000.0);

	if (shift >= 20)
		return 1;
	return shift < 12 ? 500 : (uint32_t)((1000000 + ((uint64_t)1 << shift) - 1) >> shift);
}

/**
 * tt_put_dur(p, ts, dur):
 * Print the length ${dur} of a zone that begins at ${ts}, both in ns, so that a reader that adds both as doubles gets the double of the end. The printed
 * length still rounds to ${dur} ns.
 */
static inline char *
tt_put_dur(char *p, uint64_t ts, uint64_t dur)
{
	double start = (double)(int64_t)ts / 1000.0, end = (double)(int64_t)(ts + dur) / 1000.0;

	if (start + (double)(int64_t)dur / 1000.0 == end || ts + dur >= TT_MICROS_EXACT)
		return tt_put_micros_short(p, dur);
	return tt_put_dur_adjusted(p, start, end);
}

#endif
