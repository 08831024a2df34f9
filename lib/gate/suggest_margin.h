/**
 * How much the captures at hand can tell, for a budget that is suggested from them: how far equal builds differ, which change is then detected, and whether a
 * count is the same in every session.
 */
#ifndef TT_GATE_SUGGEST_MARGIN_H
#define TT_GATE_SUGGEST_MARGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/session.h"

struct tt_measure;
struct tt_sample;

enum { TT_SUGGEST_CAPTURES = 256 };   /* maximum number of captures considered */

/** The captures that a budget is suggested from, and their measures. Owned by the caller. */
struct tt_suggest_base {
	const struct tt_sample *s;    /* [n]: the captures at hand, then the baseline's */
	size_t n;
	const struct tt_measure *x;   /* [nx]: the measures, in the order of each sample's values */
	size_t nx;
	bool by_date;                 /* true: the captures at hand name no session and were recorded on several days; each day is a session */
};

/**
 * Statistics of a measure over the captures: number of captures that know it, median, maximum and mean.
 */
struct tt_suggest_figure { size_t n; int64_t median, max; double mean; };

/**
 * The statistics of the measure ${key}; all 0 if no capture knows it.
 */
struct tt_suggest_figure tt_suggest_figure_of(const struct tt_suggest_base *g, const char *key);

/**
 * Group the captures' figures of ${key} by session. Return the number of sessions; 0: no capture knows the measure.
 */
size_t tt_suggest_sessions(const struct tt_suggest_base *g, const char *key, struct tt_session of[TT_SUGGEST_CAPTURES]);

/**
 * Predict the comparison of one more such session with the ${k} > 0 sessions ${of}. Return false if the captures do not show how much they differ.
 */
bool tt_suggest_next(const struct tt_session *of, size_t k, struct tt_change *c);

/**
 * The margin for a comparison ${c} at the level ${alpha}, as a share of ${value}: the smallest that equal builds are shown to meet in 94 % of cases, or in 82 %
 * if a change of 5 % is detected then. Averaged over builds and baselines at most 17 % of cases are undecided, because the assumed difference between sessions
 * includes the noise of quiet machines.
 */
double tt_suggest_margin(const struct tt_change *c, double value, double alpha);

/**
 * The smallest change, as a share of ${value}, that this margin detects in 95 of 100 cases.
 */
double tt_suggest_detected(const struct tt_change *c, double value, double alpha);

/**
 * Like tt_suggest_detected(), for five sessions that differ by 0.5 % in addition to the scatter of the captures in the last of the ${k} sessions ${of}.
 */
double tt_suggest_detected_with_five(const struct tt_session *of, size_t k, double alpha);

/**
 * The smallest number of sessions, at least three and more than ${k}, that detects a change of ${wanted}; *${detected}: the change that they detect. 0: thirty
 * sessions do not suffice.
 */
size_t tt_suggest_sessions_needed(const struct tt_session *of, size_t k, double alpha, double wanted, double *detected);

/**
 * True if the captures show that a limit of ${key} which none of them exceeds will also be met by the median capture of another session, in 99 of 100 cases.
 */
bool tt_suggest_is_steady(const struct tt_suggest_base *g, const char *key);

/**
 * The limit of ${key} for the median capture, in tenths of a frame per thousand; *${times}: its ratio to the mean of the captures. 0: chance alone may exceed
 * it, or would often hide five times as many.
 */
int64_t tt_suggest_count_limit(const struct tt_suggest_base *g, const char *key, double *times);

#endif
