/**
 * Tests whether the centre of differences within pairs is above a limit: by Wilcoxon's signed ranks, exactly, and also where one looks after each
 * pair and stops as soon as the answer is clear.
 *
 * Effects that both runs of a pair share cancel in its difference. The assumption is that differences lie evenly around their centre, as they do if both runs
 * are of one build. Probabilities are of all ways to give signs to the differences from the limit, ties and all, as wilcox.exact of R's exactRankTests
 * computes them; differences that equal the limit are left out.
 *
 * Runs far from the others count less: they are evened out first. An effect on one run of a pair moves its difference, and its level, the mean of both runs,
 * by half as much. With TT_PAIRS_EVEN pairs or more, such a run is in those whose level is more than five times as far from the median level as levels are
 * from it in the median, if they are at most half. Twice that distance is taken off the distance of the difference from the limit, where that brings them
 * closer. It hangs on levels and distances alone, which stay the same if the runs of a pair change places, so signs are as likely as before. Pairs that equal
 * the limit do not count.
 * Differences and levels are at most 2^60 in size.
 */
#ifndef TT_STAT_PAIRS_H
#define TT_STAT_PAIRS_H

#include "stat/compare.h"
#include "stat/session.h"

#define TT_PAIRS_MAX 200             /* pairs */
#define TT_PAIRS_EVEN 8               /* with this many pairs, runs far from the others can be told */
#define TT_PAIRS_EXACT 20             /* up to this many pairs, all ways to give signs are gone through */

/* The two runs of a pair. */
struct tt_pair {
	int64_t d;                    /* their difference, new less old */
	int64_t level;                /* their mean, on the same scale */
};

/**
 * tt_signed_rank(pair, n, limit, p, mem, err):
 * *${p}: the probability, if the ${n} differences of ${pair} lay evenly around ${limit}, of a rank sum of those above it at least as large
 * as theirs. 1 where all are equal to the limit.
 */
int tt_signed_rank(const struct tt_pair *pair, size_t n, int64_t limit, double *p, struct tt_mem *mem, struct tt_err *err);

/**
 * tt_pairs_shift(d, n, alpha, s, mem, err):
 * The centre of ${n} > 0 differences by Hodges and Lehmann: the median of the means of all two of them, each with itself, too; and
 * one-sided bounds of confidence 1 - ${alpha} each, missing where the differences are too few.
 */
int tt_pairs_shift(const int64_t *d, size_t n, double alpha, struct tt_shift *s, struct tt_mem *mem, struct tt_err *err);

/* Pairs of which one run is far from the others, and those of them whose difference was above the limit because of it. */
struct tt_pairs_evened {
	size_t n, above;
};

/* The differences of ${n} pairs as tt_signed_rank() takes them, runs far from the others evened out, into ${d}, in the order of the pairs. */
struct tt_pairs_evened tt_pairs_even(const struct tt_pair *pair, size_t n, int64_t limit, int64_t *d);

/**
 * tt_pairs_change(d, n, most, c):
 * How well ${most} pairs would know the centre of differences that lie as these ${n}, which are evened: for tt_change_seen(). False: too few.
 */
bool tt_pairs_change(const int64_t *d, size_t n, size_t most, struct tt_change *c);

/* The change that another run of these ${most} pairs finds to be more than ${limit} with probability ${power}, if p must be ${alpha}. */
double tt_pairs_seen(const struct tt_change *c, size_t most, double limit, double alpha, double power);

/*
 * With how many pairs equal builds are shown to be below ${limit} with this probability, where ${most} know as much as ${c}; without any scatter, as
 * many as can show anything; 0: more than TT_PAIRS_MAX.
 */
size_t tt_pairs_need(const struct tt_change *c, size_t most, double limit, double alpha, double power);

/* The fewest more, in each run, that ${n} pairs can tell from chance where runs have ${count} of something, each by itself and at random. */
double tt_pairs_chance(double count, size_t n);

/* How one looks at the pairs. */
struct tt_pairs_plan {
	size_t most;                  /* pairs there will be, at most */
	bool looks;                   /* after each pair, to stop early; else when all are there */
	bool last;                    /* there will be no more than there are */
};

struct tt_pairs_answer {
	double p;                     /* of tt_signed_rank() */
	double overall;               /* the smallest level of tt_pairs_level() at which one may have stopped at this look, or before; else 1 */
	double nominal;               /* what p must be at this look for the level asked for; 0: nothing would do */
};

/**
 * tt_pairs_test(pair, n, limit, plan, level, a, mem, err):
 * Test whether the differences of these ${n} pairs, in their order, are above ${limit}. If they are not, a->overall is at most a level of
 * tt_pairs_level() in a share of such series that is at most this level, whenever one stops.
 *
 * A level is spent on the looks as the square of the share of the pairs, and the last look has what is left; with one look
 * a->overall is a->p. ${level} is a level, for a->nominal.
 */
int tt_pairs_test(const struct tt_pair *pair, size_t n, int64_t limit, const struct tt_pairs_plan *plan, double level, struct tt_pairs_answer *a,
    struct tt_mem *mem, struct tt_err *err);

/* One figure of several that are tested on the same pairs. */
struct tt_pairs_row {
	const struct tt_pair *pair;   /* one whose difference equals the limit says nothing */
	int64_t limit;
	bool twice;                   /* after the last pair it may err twice as often as rows that are not */
	double p;                     /* of tt_signed_rank() */
	double adjusted;              /* for the number of rows and of looks */
	double nominal;               /* what p must be for bounds that hold for all rows and looks together; 0: at this look nothing would do */
};

/**
 * tt_pairs_family(row, nrow, n, plan, alpha, mem, err):
 * Find the rows of ${nrow} that are above their limits. If some are not, any of these has row->adjusted of at most ${alpha} in a share of such series that
 * is at most ${alpha}, whenever one stops.
 *
 * Signs are given to whole pairs, as if the two runs were swapped, so figures that move together count as little more than one: the
 * step-down minP of Westfall and Young, with p of rows that may err twice as often halved for it. Up to TT_PAIRS_EXACT pairs ways that stop
 * at an early look are counted once, so looks cost little; beyond, it is Holm's correction with the same weights, and each look has a part
 * of ${alpha} of its own. There are few looks: after 50, 65 and 80 % of the pairs 5, 15 and 30 % of it may be spent, and all at the end.
 *
 * At the end, and exactly, rows that are far below their limits are set apart: they are not worse, and others are not corrected for them.
 * Far is where by chance any row would be in at most 15 % of ${alpha}, which this costs.
 */
int tt_pairs_family(struct tt_pairs_row *row, size_t nrow, size_t n, const struct tt_pairs_plan *plan, double alpha, struct tt_mem *mem,
    struct tt_err *err);

/* The least level of looks that is not below ${level}: 5 % over 1, 2, ... 64 rows are among them. */
double tt_pairs_level(double level);

#endif
