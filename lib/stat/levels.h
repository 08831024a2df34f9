/**
 * Finds where a series changes its level: the sessions of a baseline over time.
 *
 * The series is divided so that the sum of the squared distances from the levels' means, plus a price for each cut, is smallest: optimal partitioning (Jackson
 * and others, 2005), by dynamic programming over all cuts. A level has at least two values, so that a single outlier is no change.
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

/* Minimum scatter of values, relative to their mean: the resolution of a clock must not create levels. */
#define TT_LEVELS_GRAIN 1e-4

/**
 * tt_levels(y, n, start, count, mem, err):
 * Find where the levels of the ${n} > 0 values ${y} start: *${count} indices in ${start}, which has room for ${n}; the first is 0.
 */
int tt_levels(const double *y, size_t n, size_t *start, size_t *count, struct tt_mem *mem, struct tt_err *err);

#endif
