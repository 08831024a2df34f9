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

enum { TT_SUGGEST_CAPTURES = 256 };   /* captures that are considered; further ones are not */

/** The captures that a budget is suggested from, and their measures. Owned by the caller. */
struct tt_suggest_base {
	const struct tt_sample *s;    /* [n]: those at hand, then the baseline's */
	size_t n;
	const struct tt_measure *x;   /* [nx] */
	size_t nx;
	bool by_date;                 /* the captures at hand name no session, and were recorded on several days: a day is a session */
};

/** A measure over the captures: how many know it, and of their figures the median, the largest and the mean. */
struct tt_suggest_figure { size_t n; int64_t median, max; double mean; };

/** The figures of the measure ${key}; all 0 if no capture knows it. */
struct tt_suggest_figure tt_suggest_figure_of(const struct tt_suggest_base *g, const char *key);

/** Sort the captures' figures of ${key} into sessions. Returns how many there are; 0: no capture knows it. */
size_t tt_suggest_sessions(const struct tt_suggest_base *g, const char *key, struct tt_session of[TT_SUGGEST_CAPTURES]);

/** Compare one more such session with the ${k} > 0 sessions ${of}. False if the captures do not show how much they differ. */
bool tt_suggest_next(const struct tt_session *of, size_t k, struct tt_change *c);

/**
 * The margin of a comparison ${c} at the level ${alpha}, as a share of ${value}: the smallest one that equal builds are shown to keep in 94 % of cases, or in
 * 82 % if a change of 5 % is then detected. Over builds and baselines at most 17 % are then undecided, because the noise of quiet machines is part of the
 * assumed difference between sessions.
 */
double tt_suggest_margin(const struct tt_change *c, double value, double alpha);

/** The smallest change, as a share of ${value}, that such a margin detects in 95 of 100 cases. */
double tt_suggest_detected(const struct tt_change *c, double value, double alpha);

/** The same for five sessions that differ by half a per cent in addition to the scatter of the captures in the last of the ${k} sessions ${of}. */
double tt_suggest_detected_with_five(const struct tt_session *of, size_t k, double alpha);

/** How many sessions, at least three and more than ${k}, detect a change of ${wanted}, and in *${detected} which one they detect. 0: thirty do not. */
size_t tt_suggest_sessions_needed(const struct tt_session *of, size_t k, double alpha, double wanted, double *detected);

/** True if the captures show that a limit of ${key} which none of them exceeds is kept by the median capture of another session, in 99 of 100 cases. */
bool tt_suggest_is_steady(const struct tt_suggest_base *g, const char *key);

/**
 * Tenths of frames per thousand that a median capture may have of ${key}, *${times} as many as the captures have. 0: chance alone may give as many, or mostly
 * hides five times as many.
 */
int64_t tt_suggest_count_limit(const struct tt_suggest_base *g, const char *key, double *times);

#endif
