/**
 * Tests whether a figure changed between sessions by more than a limit.
 *
 * A session is a set of captures recorded together, which share an offset that more captures do not average away. So a session gives one value, and the
 * test is a prediction: the distance of a new session from the mean of old ones, relative to the spread between sessions. With Y the new value, y the mean of
 * k old ones and s their standard deviation:
 *
 *   t = (Y - y - limit) / (s sqrt(1 + 1/k))        Student's t with k - 1 degrees of freedom if Y - y is limit
 *
 * Three modifications, found by simulation (tests/stat/simulate.py):
 * - With fewer than three sessions s is meaningless. The spread assumed by the caller is used instead, as if known, and the captures' own scatter is added,
 *   with Welch's degrees of freedom. But if there are sessions from before an accepted change, their spread is pooled with s, and the test is that for three
 *   sessions or more.
 * - From three sessions on, s^2 is averaged with q^2, the variance of quiet machines: TT_SESSION_QUIET of the value, and their captures' scatter. q^2 has three
 *   times the weight of s^2, at most twelve degrees of freedom. If the sessions contradict it, the weight is multiplied by four times the likelihood of s^2
 *   under q, relative to the most likely variance, down to one degree of freedom. So sessions that agree by chance do not feign precision, and those of a
 *   noisy machine are hardly judged by quiet ones. With five sessions, a change exactly as large as the limit is found to be larger in 4, 9 and 7 % of cases
 *   if sessions differ by 0.5, 1 and 3 %; with a constant weight it was in 4, 8 and 12 %.
 * - If a new session has fewer or more scattered captures than the old ones, its uncertainty is larger by the difference.
 *
 * Values are in any unit; larger is worse, so callers adjust the sign. Nothing here corrects for multiple tests: callers pass an alpha from Holm's method, and
 * correct probabilities by tt_holm().
 */
#ifndef TT_STAT_SESSION_H
#define TT_STAT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Typical spread between sessions of a quiet machine, relative to the value. */
#define TT_SESSION_QUIET 0.005

/*
 * Assumed spread between sessions, relative to the value, while too few show it: equal builds are then found worse in less than 5 % of cases if sessions differ
 * by 3 %.
 */
#define TT_SESSION_SPREAD_PPM 25000

/* The value of one session, from its captures. */
struct tt_session {
	double value;                 /* mean without the smallest and the largest fifth (R: mean(x, trim = 0.2)) */
	double se2;                   /* squared standard error: of the winsorised captures, after Tukey, McLaughlin and Yuen */
	double df;                    /* degrees of freedom of se2; 0: one capture, with unknown error */
	size_t n;
};

/* The value of a session whose captures have the ${n} > 0 values ${v}, ascending. */
struct tt_session tt_session_of(const int64_t *v, size_t n);

/* A capture's value, and the session it was recorded in. */
struct tt_in_session {
	const char *session;
	int64_t v;
};

/**
 * tt_sessions(of, n, v, s):
 * Sort the ${n} captures ${of} by session and value, and store each session's value in ${s}. The captures' values are stored in ${v} in that order. Both have
 * room for ${n}. Return the number of sessions.
 */
size_t tt_sessions(struct tt_in_session *of, size_t n, int64_t *v, struct tt_session *s);

/* A change and its uncertainty: (change - true change) / se has Student's t distribution with df degrees of freedom. */
struct tt_change {
	double change;                /* new minus old */
	double se;                    /* standard error; 0: nothing varies */
	double df;                    /* degrees of freedom; may be INFINITY */
	double spread;                /* standard deviation between sessions, beyond what their captures' errors explain */
	bool assumed;                 /* true: spread is the caller's assumption; false: the sessions show it */
	double within;                /* the part of se^2 that more captures would reduce */
};

/* The spread of past sessions, which are not compared: of the same machine, but at other levels. */
struct tt_session_past {
	double squares;               /* sum of the squared distances from the mean of their level, in the unit of the sessions compared */
	double df;                    /* degrees of freedom: number of sessions, minus one for each level */
};

/**
 * tt_session_change(old, k, now, j, assumed, past, c):
 * Compute the change from ${k} old sessions to ${j} new ones. If these are too few to show the spread between sessions, use that of ${past} (NULL: none) if it
 * suffices, else ${assumed}, in the unit of the values. Return false if nothing shows any scatter: each session has a single capture, and there are too few
 * sessions.
 */
bool tt_session_change(const struct tt_session *old, size_t k, const struct tt_session *now, size_t j, double assumed,
    const struct tt_session_past *past, struct tt_change *c);

/* True if ${k} old and ${j} new sessions are enough to show their own spread. */
bool tt_session_shows(size_t k, size_t j);

/* The probability of a change at least as large as found, if the true one is at most ${limit}: a small value is evidence that the change is larger. */
double tt_change_worse(const struct tt_change *c, double limit);

/* The probability of a change at most as large as found, if the true one is at least ${limit}: a small value is evidence that the change is smaller. */
double tt_change_not_worse(const struct tt_change *c, double limit);

/* One-sided bounds, each of confidence 1 - ${alpha}. */
double tt_change_low(const struct tt_change *c, double alpha);
double tt_change_high(const struct tt_change *c, double alpha);

/* The smallest change that such a comparison detects: the one found to be worse than ${limit} at ${alpha} with probability ${power}. */
double tt_change_seen(const struct tt_change *c, double limit, double alpha, double power);

/*
 * The approximate number of captures on each side, instead of ${n}, that would show with probability TT_CHANGE_DECIDED that the change is above or below
 * ${limit} at ${alpha}. The true change is only known as well as these ${n} captures show it, so that it may be closer to the limit than the one found. For a
 * rank test, which needs a twentieth more captures than a test of means. 0: more than TT_CHANGE_MAX_SESSIONS would be needed.
 */
#define TT_CHANGE_MAX_SESSIONS 200
#define TT_CHANGE_DECIDED 0.8
size_t tt_change_need(const struct tt_change *c, double limit, double alpha, size_t n);

#endif
