/**
 * Student's and the normal distribution: tails and quantiles, as R's pt, qt, pnorm and qnorm have them.
 *
 * Degrees of freedom need not be whole; INFINITY is the normal distribution. Within 2e-8 of R's, relative, from 1 degree of freedom
 * up and for tails down to 1e-300 (tests/stat/session.sh).
 */
#ifndef TT_STAT_STUDENT_H
#define TT_STAT_STUDENT_H

/* The probability of a value above ${t} with ${df} degrees of freedom. */
double tt_student_above(double t, double df);

/* The value that is exceeded with probability ${p}, 0 < p < 1, with ${df} degrees of freedom. */
double tt_student_point(double p, double df);

#endif
