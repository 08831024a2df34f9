/**
 * Finds where a series changes its level: the sessions of a baseline over time.
 *
 * The series is cut into levels so that the sum of the squared distances from the levels' means, with a price for each cut, is least: optimal partitioning
 * (Jackson and others, 2005), by dynamic programming over all cuts. A level is two values long or more, so that one value off is no change.
 */
#ifndef TT_STAT_LEVELS_H
#define TT_STAT_LEVELS_H

#include "base/mem.h"

/* A shorter series is one level. */
#define TT_LEVELS_MIN_VALUES 6

/*
 * The price of a cut, in variances of a single value: half the mean square of the steps from one value to the next. At this price 0.7 to 1.3 % of quiet
 * normal series are cut, whatever their length: simulated for 6 to 100 values (tests/stat/levels.py).
 */
#define TT_LEVELS_PRICE 15

/* Values scatter by this much of their mean at least: a clock's grain makes no level. */
#define TT_LEVELS_GRAIN 1e-4

/**
 * tt_levels(y, n, start, count, mem, err):
 * Find where the levels of the ${n} > 0 values ${y} start: *${count} places in ${start}, which has room for ${n}; the first is 0.
 */
int tt_levels(const double *y, size_t n, size_t *start, size_t *count, struct tt_mem *mem, struct tt_err *err);

#endif
