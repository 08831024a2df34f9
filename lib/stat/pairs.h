/**
 * Tests whether the centre of differences within pairs is above a limit: by Wilcoxon's signed ranks, exactly; also if one looks after each pair and stops as
 * soon as the result is clear.
 *
 * Effects that both runs of a pair share cancel in its difference. The test assumes that differences are symmetric about their centre, as they are if both runs
 * are of the same build. Probabilities are over all ways to give signs to the distances from the limit, including ties, as wilcox.exact of R's exactRankTests
 * computes them; differences equal to the limit are left out.
 *
 * Runs far from the others are evened out first, so that they count less. An effect on one run of a pair moves the difference by the effect, and the level, the
 * mean of both runs, by half of it. With at least TT_PAIRS_EVEN pairs, a pair is assumed to have such a run if its level is more than five times as far from
 * the median level as the median distance; unless that holds for more than half of the pairs. Twice the distance of the level is subtracted from the distance
 * of the difference from the limit, if that reduces it. The rule depends only on levels and absolute distances, which do not change if the runs of a pair are
 * swapped, so that all signs stay equally likely. Pairs equal to the limit do not count.
 *
 * Differences and levels are at most 2^60 in absolute value.
 */
#ifndef TT_STAT_PAIRS_H
#define TT_STAT_PAIRS_H

#include "stat/compare.h"
#include "stat/session.h"

#define TT_PAIRS_MAX 200             /* maximum number of pairs */
#define TT_PAIRS_EVEN 8               /* minimum number of pairs to recognize runs far from the others */
#define TT_PAIRS_EXACT 20             /* up to this many pairs, all combinations of signs are counted */

/* The two runs of a pair. */
struct tt_pair {
	int64_t d;                    /* their difference, new less old */
	int64_t level;                /* their mean, on the same scale */
};

/**
 * tt_signed_rank(pair, n, limit, p, mem, err):
 * Compute *${p}: if the ${n} differences of ${pair} were symmetric about ${limit}, the probability that the rank sum of those above it is at least as large as
 * found. 1 if all are equal to the limit.
 */
int tt_signed_rank(const struct tt_pair *pair, size_t n, int64_t limit, double *p, struct tt_mem *mem, struct tt_err *err);

/**
 * tt_pairs_shift(d, n, alpha, s, mem, err):
 * Compute the centre of ${n} > 0 differences by Hodges and Lehmann: the median of the means of all pairs of differences, including each with itself; and
 * one-sided bounds of confidence 1 - ${alpha} each, which are missing if there are too few differences.
 */
int tt_pairs_shift(const int64_t *d, size_t n, double alpha, struct tt_shift *s, struct tt_mem *mem, struct tt_err *err);

/* Number of pairs with a run far from the others, and of those whose difference is above the limit because of it. */
struct tt_pairs_evened {
	size_t n, above;
};

/* Store in ${d} the differences of ${n} pairs as tt_signed_rank() uses them, with runs far from the others evened out, in the order of the pairs. */
struct tt_pairs_evened tt_pairs_even(const struct tt_pair *pair, size_t n, int64_t limit, int64_t *d);

/**
 * tt_pairs_change(d, n, most, c):
 * Estimate how well ${most} pairs would determine the centre, if their differences vary like these ${n}, which are evened out: for tt_change_seen(). Return
 * false if there are too few.
 */
bool tt_pairs_change(const int64_t *d, size_t n, size_t most, struct tt_change *c);

/* The change that another run of these ${most} pairs would find to be above ${limit} with probability ${power}, if p must be ${alpha}. */
double tt_pairs_seen(const struct tt_change *c, size_t most, double limit, double alpha, double power);

/*
 * The number of pairs with which equal builds are shown to be below ${limit} with probability ${power}; ${c} is for ${most} pairs. Without any scatter, the
 * minimum number that can show anything. 0: more than TT_PAIRS_MAX.
 */
size_t tt_pairs_need(const struct tt_change *c, size_t most, double limit, double alpha, double power);

/* The smallest increase per run that ${n} pairs distinguish from chance, if runs have ${count} independent random events each. */
double tt_pairs_chance(double count, size_t n);

/* When to look at the pairs. */
struct tt_pairs_plan {
	size_t most;                  /* maximum number of pairs */
	bool looks;                   /* true: look after each pair, to stop early; false: only at the end */
	bool last;                    /* true: no more pairs will follow */
};

struct tt_pairs_answer {
	double p;                     /* p of tt_signed_rank() */
	double overall;               /* the smallest level of tt_pairs_level() at which the series stops at this look or stopped earlier; else 1 */
	double nominal;               /* the p required at this look for the given level; 0: cannot be reached */
};

/**
 * tt_pairs_test(pair, n, limit, plan, level, a, mem, err):
 * Test whether the differences of these ${n} pairs, in their order, are above ${limit}. If they are not, the probability that a->overall is ever at most a
 * level of tt_pairs_level() is at most that level, however early one stops. The share of a level that is spent grows as the square of the share of the pairs;
 * the last look gets the rest. With a single look a->overall is a->p. ${level} is the level for a->nominal.
 */
int tt_pairs_test(const struct tt_pair *pair, size_t n, int64_t limit, const struct tt_pairs_plan *plan, double level, struct tt_pairs_answer *a,
    struct tt_mem *mem, struct tt_err *err);

/* One of several figures that are tested on the same pairs. */
struct tt_pairs_row {
	const struct tt_pair *pair;   /* differences equal to the limit do not count */
	int64_t limit;
	bool twice;                   /* true: after the last pair, it may err twice as often as other rows */
	double p;                     /* p of tt_signed_rank() */
	double adjusted;              /* p corrected for the number of rows and of looks */
	double nominal;               /* the p required for bounds that hold for all rows and looks together; 0: cannot be reached at this look */
};

/**
 * tt_pairs_family(row, nrow, n, plan, alpha, mem, err):
 * Find the rows of ${nrow} that are above their limits. The probability that any row that is not above its limit ever gets a row->adjusted of at most ${alpha}
 * is at most ${alpha}, however early one stops. Signs are given to whole pairs, as if the runs were swapped, so that correlated figures count as little more
 * than one: the step-down minP method of Westfall and Young, with p halved for rows that may err twice as often. Up to TT_PAIRS_EXACT pairs, series that stop
 * early are counted only once, so that looks cost little. Beyond, Holm's correction with the same weights is used, and each look has its own part of ${alpha}.
 * There are few looks: after 50, 65 and 80 % of the pairs, by which 5, 15 and 30 % of ${alpha} may be spent, and at the end.
 * At the end, if counted exactly, rows far below their limits are set apart: they are not worse, and the others are not corrected for them. The threshold is
 * chosen so that by chance any row would be that far below in at most 15 % of ${alpha}, which is the cost of this step.
 */
int tt_pairs_family(struct tt_pairs_row *row, size_t nrow, size_t n, const struct tt_pairs_plan *plan, double alpha, struct tt_mem *mem,
    struct tt_err *err);

/* The smallest level used by looks that is at least ${level}: 5 % divided by 1, 2, ... 64 rows are among them. */
double tt_pairs_level(double level);

#endif
