/**
 * Tests exactly whether the second of two small sets of values is larger.
 *
 * The values are the captures' figures; a set is some 4 to 100 of them. Equal values are common (frame counts,
 * quantised clocks), so every probability here is of the permutation distribution given the ties, as
 * wilcox.exact of R's exactRankTests computes it.
 */
#ifndef TT_STAT_COMPARE_H
#define TT_STAT_COMPARE_H

#include <stdbool.h>

#include "base/mem.h"
#include "stat/num.h"

/*
 * Up to this number of values on both sides together, probabilities are exact. Beyond it they are approximate: normal with corrections for ties and continuity,
 * and Kolmogorov's limit.
 */
#define TT_COMPARE_EXACT 200

/**
 * tt_mann_whitney(x, m, y, n, p, mem, err):
 * Compute *${p}: if all ${m} + ${n} values came from one distribution, the probability that the rank sum of the ${n} values ${y} is at least as large as found.
 * 1 if a side is empty.
 */
int tt_mann_whitney(const int64_t *x, size_t m, const int64_t *y, size_t n, double *p, struct tt_mem *mem,
    struct tt_err *err);

/* The smallest p that m and n values can give: 1 / (m + n over n). */
double tt_mann_whitney_least(size_t m, size_t n);

struct tt_shift {
	int64_t shift;                /* Hodges-Lehmann: the median of all differences y - x (of two middles their mean) */
	bool has_low, has_high;
	int64_t low, high;            /* one-sided bounds, each of confidence 1 - alpha */
};

/**
 * tt_hodges_lehmann(x, m, y, n, alpha, s, mem, err):
 * Estimate by how much ${y} is above ${x}; m, n > 0. A bound is missing if there are too few values for ${alpha}.
 */
int tt_hodges_lehmann(const int64_t *x, size_t m, const int64_t *y, size_t n, double alpha, struct tt_shift *s,
    struct tt_mem *mem, struct tt_err *err);

/* Holm's correction of ${n} probabilities, in place: the adjusted p[i] is at most 1 and at least p[i]. */
int tt_holm(double *p, size_t n, struct tt_mem *mem, struct tt_err *err);

/**
 * tt_holm_levels(p, n, alpha, level, mem, err):
 * Compute the level to which Holm's method compares each p[i]: p[i] is at most level[i] exactly if its adjusted probability is at most ${alpha}. Bounds of
 * confidence 1 - level[i] agree with the tests.
 */
int tt_holm_levels(const double *p, size_t n, double alpha, double *level, struct tt_mem *mem, struct tt_err *err);

/**
 * tt_kolmogorov_smirnov(x, m, y, n, d, p, mem, err):
 * Compute the largest distance *${d} of the two cumulative distributions, and *${p}, the two-sided probability of one at least as large: exact, ties included;
 * beyond TT_COMPARE_EXACT values by the limit distribution.
 */
int tt_kolmogorov_smirnov(const int64_t *x, size_t m, const int64_t *y, size_t n, double *d, double *p,
    struct tt_mem *mem, struct tt_err *err);

#endif
