/**
 * Tests whether a figure changed between sessions by more than a limit.
 *
 * A session is a set of captures recorded together, which share an offset that more of them do not average away. So a session gives one
 * value, and the test is a prediction: the distance of a new session from the mean of old ones, measured by how far sessions lie from
 * each other. With Y the new value, y the mean of k old ones and s their standard deviation:
 *
 *   t = (Y - y - limit) / (s sqrt(1 + 1/k))        Student's t of k - 1 degrees of freedom where Y - y is limit
 *
 * Three departures from that, by simulation (tests/stat/simulate.py):
 * - With fewer than three sessions s says nothing. It is then the spread that the caller assumes, taken as known, and the captures'
 *   own scatter is added, with Welch's degrees of freedom. Unless there are others of before a change that was meant: what these
 *   differ by is pooled with it, and all is as from three on.
 * - From three on, s^2 is averaged with q^2, what quiet machines show: TT_SESSION_QUIET of the value, and their captures' scatter. q^2 weighs three
 *   times as much as s^2, twelve degrees of freedom at most, unless the sessions say otherwise: less by four times the likelihood of s^2 if q is
 *   true, beside that of the q that suits it best, but one degree at least. Sessions that agree by luck then promise no precision that there
 *   is not, and those of a noisy machine are hardly judged by what quiet ones do. With five sessions a change as large as the limit is
 *   found to be more in 4, 9 and 7 % where they differ by 0.5, 1 and 3 %; with s^2 weighed alike always, it was in 4, 8 and 12 %.
 * - A new session of fewer, or more scattered, captures than the old ones is less certain by the difference.
 *
 * Values are in any unit; larger is worse: callers turn the sign. Nothing here corrects for many tests: callers pass an alpha that is
 * Holm's, and correct probabilities by tt_holm().
 */
#ifndef TT_STAT_SESSION_H
#define TT_STAT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sessions of one quiet machine differ by about this much of a value. */
#define TT_SESSION_QUIET 0.005

/* By how much of a value sessions are taken to differ where too few show it: equal builds are then worse in less than 5 % if they differ by 3 %. */
#define TT_SESSION_SPREAD_PPM 25000

/* The value of one session, from its captures. */
struct tt_session {
	double value;                 /* their mean without the smallest and the largest fifth (R: mean(x, trim = 0.2)) */
	double se2;                   /* square of its standard error: of the winsorised captures, after Tukey, McLaughlin and Yuen */
	double df;                    /* of se2; 0: one capture, whose error is not known */
	size_t n;
};

/* The ${n} > 0 values ${v}, in ascending order. */
struct tt_session tt_session_of(const int64_t *v, size_t n);

/* A capture's value, and the session it was recorded in. */
struct tt_in_session {
	const char *session;
	int64_t v;
};

/**
 * tt_sessions(of, n, v, s):
 * Sort the ${n} captures ${of} by session and value, and put what each session comes to into ${s}. Their values go to ${v} in that order. Both have
 * room for ${n}. Returns the number of sessions.
 */
size_t tt_sessions(struct tt_in_session *of, size_t n, int64_t *v, struct tt_session *s);

/* A change and how surely it is known: (change - true change) / se is Student's t of df degrees of freedom. */
struct tt_change {
	double change;                /* new less old */
	double se;                    /* 0: nothing varies */
	double df;                    /* may be INFINITY */
	double spread;                /* the standard deviation of sessions, without what their captures' own errors explain */
	bool assumed;                 /* spread is the caller's; else what the sessions show */
	double within;                /* the part of se's square that more captures would take away */
};

/* How sessions differ that are not compared: those of the same machine, but of other levels. */
struct tt_session_past {
	double squares;               /* of their values' distances from the mean of their level, in the unit of those compared */
	double df;                    /* how many there are, less one for each level */
};

/**
 * tt_session_change(old, k, now, j, assumed, past, c):
 * The change from ${k} old sessions to ${j} new ones. If they are too few to show the spread of sessions, it is that of ${past} (NULL: nothing is known) if
 * these are enough, otherwise ${assumed}, in the unit of the values.
 * False: neither sessions nor captures show any scatter, for each session has one capture and they are fewer than three on the one side or two on both.
 */
bool tt_session_change(const struct tt_session *old, size_t k, const struct tt_session *now, size_t j, double assumed,
    const struct tt_session_past *past, struct tt_change *c);

/* True if a baseline of this many sessions shows their own spread. */
bool tt_session_shows(size_t k, size_t j);

/* The probability of a change as large as found, if the true one is at most ${limit}: small is evidence that it is more. */
double tt_change_worse(const struct tt_change *c, double limit);

/* The probability of one as small as found, if the true one is at least ${limit}: small is evidence that it is less. */
double tt_change_not_worse(const struct tt_change *c, double limit);

/* One-sided bounds of confidence 1 - ${alpha} each. */
double tt_change_low(const struct tt_change *c, double alpha);
double tt_change_high(const struct tt_change *c, double alpha);

/* The smallest change that such a comparison sees: the change that is found to be worse than ${limit} at ${alpha} with probability ${power}. */
double tt_change_seen(const struct tt_change *c, double limit, double alpha, double power);

/*
 * About how many captures on each side, instead of ${n}, would show with probability TT_CHANGE_DECIDED that the change is more, or that it is less, than
 * ${limit} at ${alpha}. The true change is known only as well as these ${n} have it: it may be nearer to the limit than the one found. By a test of ranks,
 * which takes a twentieth more than one of means. 0: no number up to TT_CHANGE_MAX_SESSIONS.
 */
#define TT_CHANGE_MAX_SESSIONS 200
#define TT_CHANGE_DECIDED 0.8
size_t tt_change_need(const struct tt_change *c, double limit, double alpha, size_t n);

#endif
