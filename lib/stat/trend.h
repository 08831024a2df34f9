/**
 * Tests whether a series rises: sessions one after the other, each within its limit, that together go further than one may.
 *
 * The straight line through the values by least squares, and the one-sided t test of its slope with n - 2 degrees of freedom, as R's
 * lm() has them. Whoever looks at a series again whenever it has grown by one finds a quiet one to rise more often than each look does;
 * TT_TREND_LOOKS allows for that.
 */
#ifndef TT_STAT_TREND_H
#define TT_STAT_TREND_H

#include <stddef.h>

/* A series shorter than this says nothing of itself. */
#define TT_TREND_MIN_VALUES 4

/*
 * Among quiet series that are looked at 25 times, each time one longer, fewer than TT_TREND_LOOKS x p are ever found with a probability of p or less: 8.3 x p
 * of 200,000 normal series from four values on at 0.02, 10.7 x p at 0.005, 14.7 x p at 0.0001, and less from longer ones (tests/stat/trend.sh does the same
 * in small). With 100 looks it is 19.5 x p at 0.005.
 */
#define TT_TREND_LOOKS 15

struct tt_trend {
	double p;                     /* of a slope as large, if there is none */
	double from;                  /* mean of the oldest values, one of four and three at most */
	double rise;                  /* that of the newest, as many, less ${from} */
};

/* The ${n} >= TT_TREND_MIN_VALUES values ${y}, the oldest first. */
struct tt_trend tt_trend_of(const double *y, size_t n);

#endif
