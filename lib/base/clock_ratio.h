/**
 * A clock's ratio, nanoseconds = ticks * num / den, as a product and a shift: ns = ticks * mult >> shift, in 128 bits.
 */
#ifndef TT_BASE_CLOCK_RATIO_H
#define TT_BASE_CLOCK_RATIO_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Set *${mult}, under 2^62, and *${shift}, at most 62, for the ratio ${num} / ${den}. False, and nothing written, if the ratio is not
 * plausible: a zero, or more than 2^30 ns a tick.
 *
 * Converted times are rounded down, as exact division would do. The factor is rounded up: with a factor rounded down, each time that is a
 * whole number of ns would be 1 ns too small. Converted and exact times are equal while ticks * den stays below 2^62; beyond that one time
 * in 2^62 / (ticks * den) is 1 ns too large.
 */
static inline bool
tt_clock_ratio(uint64_t num, uint64_t den, uint64_t *mult, unsigned *shift)
{
	__extension__ typedef unsigned __int128 wide;
	unsigned s = 62;
	wide factor;

	if (num == 0 || den == 0 || num / den > 1u << 30)
		return false;
	while ((factor = (((wide)num << s) + den - 1) / den) >> 62)
		s--;
	*mult = (uint64_t)factor;
	*shift = s;
	return true;
}

#endif
