/**
 * Computes the margins of a suggested budget from what its captures show; found by simulation (tests/stat/simulate.py). Also the probabilities of counts.
 */
#include <math.h>
#include <string.h>

#include "gate/sample.h"
#include "gate/suggest_margin.h"
#include "stat/num.h"

#define POWER 0.97                    /* power used for changes said to be found in 95 % of cases, as for a verdict's rows */
#define DECIDED 0.94                  /* share of equal builds that must be shown to be no worse */
#define MIN_DECIDED 0.82              /* or this smaller share, if REAL is detected then */
#define REAL 0.05                     /* a change that users want to detect */
#define REAL_POWER 0.6                /* power to detect it, by the scatter in this baseline; averaged over baselines it is higher */
#define MAX_SESSIONS 30               /* maximum number of sessions that is recommended */
#define STEADY_SESSIONS 5             /* with fewer sessions, differences of a count between them stay unknown */
#define STEADY 0.01                   /* a count is steady if at most this share of sessions of equal builds exceeds its limit */

struct tt_suggest_figure
tt_suggest_figure_of(const struct tt_suggest_base *g, const char *key)
{
	struct tt_suggest_figure r = { 0 };
	int64_t v[TT_SUGGEST_CAPTURES];

	for (size_t i = 0; i < g->nx; i++) {
		if (strcmp(g->x[i].key, key) != 0)
			continue;
		for (size_t k = 0; k < g->n && r.n < TT_SUGGEST_CAPTURES; k++)
			if (g->s[k].value[i].known)
				v[r.n++] = g->s[k].value[i].v;
	}
	for (size_t i = 0; i < r.n; i++)
		r.mean += (double)v[i] / (double)r.n;
	tt_sort_i64(v, r.n);
	r.median = tt_quantile_i64(v, r.n, 1, 2);
	r.max = r.n ? v[r.n - 1] : 0;
	return r;
}

static const char *
session_of(const struct tt_suggest_base *g, size_t i)
{
	const char *fact = tt_sample_fact(&g->s[i], "session");

	fact = fact ? fact : g->by_date ? tt_sample_fact(&g->s[i], "date") : NULL;
	/* A capture that is both in the baseline and at hand keeps the baseline's session. */
	return *g->s[i].session || !fact ? g->s[i].session : fact;
}

size_t
tt_suggest_sessions(const struct tt_suggest_base *g, const char *key, struct tt_session of[TT_SUGGEST_CAPTURES])
{
	struct tt_in_session o[TT_SUGGEST_CAPTURES];
	int64_t v[TT_SUGGEST_CAPTURES];
	size_t n = 0;

	for (size_t i = 0; i < g->nx; i++)
		for (size_t c = 0; strcmp(g->x[i].key, key) == 0 && c < g->n && n < TT_SUGGEST_CAPTURES; c++)
			if (g->s[c].value[i].known)
				o[n++] = (struct tt_in_session){ session_of(g, c), g->s[c].value[i].v };
	return tt_sessions(o, n, v, of);
}

bool
tt_suggest_next(const struct tt_session *of, size_t k, struct tt_change *c)
{
	struct tt_session next = of[k - 1];
	double mean = 0;

	for (size_t i = 0; i < k; i++)
		mean += of[i].value / (double)k;
	next.value = mean;
	return tt_session_change(of, k, &next, 1, mean * TT_SESSION_SPREAD_PPM / 1e6, NULL, c);
}

double
tt_suggest_margin(const struct tt_change *c, double value, double alpha)
{
	double margin = tt_change_seen(c, 0, alpha, DECIDED) / value, smallest = tt_change_seen(c, 0, alpha, MIN_DECIDED) / value;

	if (smallest + tt_change_seen(c, 0, alpha, REAL_POWER) / value <= REAL)
		margin = smallest;
	/* Round up to 0.1 %; at least 1 %. */
	margin = ceil(margin * 1000 - 1e-6) / 1000;
	return margin < 0.01 ? 0.01 : margin;
}

/* The variance between sessions: measured if there are at least three; else assumed as on quiet machines, plus the scatter of captures. */
static double
variance_of(const struct tt_session *of, size_t k)
{
	double quiet = TT_SESSION_QUIET * of[k - 1].value, mean = 0, squares = 0;

	for (size_t i = 0; i < k; i++)
		mean += of[i].value / (double)k;
	for (size_t i = 0; i < k; i++)
		squares += (of[i].value - mean) * (of[i].value - mean);
	return k < 3 ? quiet * quiet + of[k - 1].se2 : squares / (double)(k - 1);
}

/* The smallest change detected with ${n} sessions of this variance, with the margin that they allow. */
static double
detected_with(const struct tt_session *last, size_t n, double variance, double alpha)
{
	struct tt_session many[MAX_SESSIONS];
	/* The numbers from 1 to n have a variance of n (n + 1) / 12. */
	double off = sqrt(12 * variance / (double)(n * (n + 1)));
	struct tt_change c;

	for (size_t i = 0; i < n; i++) {
		many[i] = *last;
		many[i].value += ((double)i - (double)(n - 1) / 2) * off;
	}
	tt_suggest_next(many, n, &c);
	return tt_suggest_detected(&c, last->value, alpha);
}

double
tt_suggest_detected_with_five(const struct tt_session *of, size_t k, double alpha)
{
	return detected_with(&of[k - 1], 5, variance_of(of + k - 1, 1), alpha);
}

double
tt_suggest_detected(const struct tt_change *c, double value, double alpha)
{
	return tt_suggest_margin(c, value, alpha) + tt_change_seen(c, 0, alpha, POWER) / value;
}

size_t
tt_suggest_sessions_needed(const struct tt_session *of, size_t k, double alpha, double wanted, double *detected)
{
	const double variance = variance_of(of, k);

	for (size_t n = k < 3 ? 3 : k + 1; n <= MAX_SESSIONS; n++)
		if ((*detected = detected_with(&of[k - 1], n, variance, alpha)) <= wanted)
			return n;
	return 0;
}

/*
 * Compute the probability with a uniform prior for the share of captures that exceed the limit, after ${all} captures of which none does: p is the probability
 * that ${exceed} of the next ${n} exceed it. More than half may do so in a share of at most STEADY.
 */
bool
tt_suggest_is_steady(const struct tt_suggest_base *g, const char *key)
{
	struct tt_session of[TT_SUGGEST_CAPTURES];
	double all = (double)tt_suggest_figure_of(g, key).n, n, p, most = 0;
	const size_t k = tt_suggest_sessions(g, key, of);

	if (k < STEADY_SESSIONS)
		return false;
	n = ceil(all / (double)k);
	p = (all + 1) / (all + n + 1);
	for (double exceed = 0; exceed < n; ) {
		p *= (n - exceed) / (all + n - exceed);
		if (++exceed > n / 2)
			most += p;
	}
	return most <= STEADY;
}

/*
 * The factor between the mean number of long frames in these captures and the limit, if chance varies that number. It is the largest value from max_times down
 * to MIN_TIMES with which FOUND_TIMES as many long frames are found with probability SURE; at MIN_TIMES BLIND_CHANCE suffices. max_times is for captures of
 * one, two, and more sessions: if the rate of sessions differs by a factor of 1.8 (a standard deviation), equal builds then fail in about 5 of 100 cases
 * (tracetool-budget(5)).
 */
static const double max_times[] = { 4.25, 3.5, 3 };
#define MIN_TIMES 3
#define FOUND_TIMES 5
#define SURE 0.97
#define BLIND_CHANCE 0.5
#define MAX_COUNTED_RATE (100 * TT_AMOUNT_ONE)      /* above this rate of long frames, five times as many are impossible to tell */

/* The probability that a capture has more than ${most} events if the mean is ${mean} (Poisson). */
static double
chance_above(double mean, double most)
{
	double p = exp(-mean), sum = p;

	if (mean > 500)               /* large means: use a normal distribution */
		return erfc((most + 0.5 - mean) / sqrt(2 * mean)) / 2;
	for (double k = 1; k <= most; k++) {
		p *= mean / k;
		sum += p;
	}
	return sum < 1 ? 1 - sum : 0;
}

/* The probability that more than half of ${n} captures do what each does with probability ${p}. */
static double
chance_of_most(double p, size_t n)
{
	double term = pow(1 - p, (double)n), sum = 0;

	if (p >= 1)
		return 1;
	for (size_t k = 1; k <= n; k++) {
		term *= (double)(n - k + 1) / (double)k * p / (1 - p);
		if (2 * k > n)
			sum += term;
	}
	return sum;
}

/* The probability that the median of ${captures} captures has more than ${most} events, if their mean is ${mean} with standard error ${noise}. */
static double
chance_of_median(double mean, double noise, double most, size_t captures)
{
	/* Average over the uncertain mean by Gauss-Hermite quadrature with three points. */
	const double wide = sqrt(3) * noise, low = mean > wide ? mean - wide : 0;

	return chance_of_most(chance_above(low, most), captures) / 6 + chance_of_most(chance_above(mean, most), captures) * 2 / 3 +
	    chance_of_most(chance_above(mean + wide, most), captures) / 6;
}

int64_t
tt_suggest_count_limit(const struct tt_suggest_base *g, const char *key, double *times)
{
	const struct tt_suggest_figure r = tt_suggest_figure_of(g, key), frames = tt_suggest_figure_of(g, "frame.count.total");
	struct tt_session of[TT_SUGGEST_CAPTURES];
	double n = (double)frames.median / (1000.0 * TT_NUMBER_ONE), count = r.mean / TT_AMOUNT_ONE * n, noise = sqrt(count / (double)r.n), most, found;
	const size_t k = tt_suggest_sessions(g, key, of);
	size_t captures;
	int64_t tenths;

	if (k == 0 || count <= 0 || r.mean > (double)MAX_COUNTED_RATE)
		return 0;
	captures = (r.n + k - 1) / k;
	for (*times = max_times[k > 3 ? 2 : k - 1]; *times >= MIN_TIMES; *times -= 0.25) {
		/* The mean is rounded to whole thousandths. */
		tenths = (int64_t)ceil(*times * r.mean * 10 / TT_AMOUNT_ONE - 0.025);
		most = floor((double)tenths / 10 * n);
		if (chance_of_most(chance_above(count + 2 * noise, most), captures) > STEADY)
			return 0;
		found = chance_of_median(FOUND_TIMES * count, FOUND_TIMES * noise, most, captures);
		if (found >= SURE || (*times <= MIN_TIMES && found >= BLIND_CHANCE))
			return tenths;
	}
	return 0;
}
