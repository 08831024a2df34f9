/**
 * Tests whether a series rises: consecutive sessions, each within its limit, that together go further than one may.
 *
 * Fits a straight line by least squares, and applies the one-sided t test to its slope with n - 2 degrees of freedom, as R's lm() does. Looking at a series
 * again each time it has grown by one finds quiet series to rise more often than a single look does; TT_TREND_LOOKS corrects for that.
 */
#ifndef TT_STAT_TREND_H
#define TT_STAT_TREND_H

#include <stddef.h>

/* Minimum number of values to test. */
#define TT_TREND_MIN_VALUES 4

/*
 * The correction for repeated looks. If quiet series are looked at 25 times, each time one value longer, less than a share TT_TREND_LOOKS x p of them ever show
 * a probability of p or less: 8.3 x p of 200,000 normal series from four values on at p = 0.02, 10.7 x p at 0.005, 14.7 x p at 0.0001, and less for longer ones
 * (tests/stat/trend.sh does the same on a small scale). With 100 looks it is 19.5 x p at 0.005.
 */
#define TT_TREND_LOOKS 15

struct tt_trend {
	double p;                     /* probability of a slope this large without a trend */
	double from;                  /* mean of the oldest values: a quarter of them, at most three */
	double rise;                  /* mean of equally many of the newest values, minus from */
};

/* Test the ${n} >= TT_TREND_MIN_VALUES values ${y}, oldest first. */
struct tt_trend tt_trend_of(const double *y, size_t n);

#endif
