/**
 * Tests changes between sessions, which differ more than captures of a single session do.
 */
#include "stat/session.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "stat/student.h"

/* The spread of quiet machines, weighed beside that of the sessions: tuned by simulation for baselines of three to eight sessions. */
#define WEIGHT 3                      /* degrees of freedom, relative to those of the sessions */
#define MAX_WEIGHT 12
#define MIN_WEIGHT 1
#define BELIEF 4                      /* the weight is kept until the sessions' own variance is this many times likelier */

/* --- one session --------------------------------------------------------------------------- */

static double
mean(const int64_t *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i];
	return sum / (double)n;
}

struct tt_session
tt_session_of(const int64_t *v, size_t n)
{
	size_t cut = n / 5, kept = n - 2 * cut;
	struct tt_session s = { .value = mean(v + cut, kept), .df = (double)(kept - 1), .n = n };
	double middle, squares = 0;

	if (kept == 1)
		return s;
	/* Winsorised: values that are cut off count as the nearest one kept. */
	middle = ((double)cut * ((double)v[cut] + (double)v[n - 1 - cut]) + (double)kept * s.value) / (double)n;
	for (size_t i = 0; i < n; i++) {
		int64_t w = v[i < cut ? cut : i >= n - cut ? n - 1 - cut : i];

		squares += ((double)w - middle) * ((double)w - middle);
	}
	s.se2 = squares / ((double)kept * (double)(kept - 1));
	return s;
}

static int
by_session(const void *a, const void *b)
{
	const struct tt_in_session *x = a, *y = b;
	int c = strcmp(x->session, y->session);

	return c ? c : TT_CMP(x->v, y->v);
}

size_t
tt_sessions(struct tt_in_session *of, size_t n, int64_t *v, struct tt_session *s)
{
	size_t k = 0;

	tt_sort(of, n, by_session);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && strcmp(of[end].session, of[i].session) == 0; end++)
			v[end] = of[end].v;
		s[k++] = tt_session_of(v + i, end - i);
	}
	return k;
}

/* --- one side ------------------------------------------------------------------------------- */

struct side {
	double mean, squares;         /* mean of the sessions' values, and sum of squared deviations */
	double one, df;               /* variance of a single capture, and its degrees of freedom; df 0: not known */
	double captures;              /* sum of 1 / number of captures */
	double se2;                   /* mean of the sessions' own squared standard errors */
	size_t k;
};

static struct side
side_of(const struct tt_session *s, size_t k)
{
	struct side a = { .k = k };

	for (size_t i = 0; i < k; i++) {
		a.mean += s[i].value / (double)k;
		a.captures += 1 / (double)s[i].n;
		a.one += s[i].df * s[i].se2 * (double)s[i].n;
		a.df += s[i].df;
	}
	for (size_t i = 0; i < k; i++)
		a.squares += (s[i].value - a.mean) * (s[i].value - a.mean);
	if (a.df > 0)
		a.one /= a.df;
	return a;
}

/* --- both ------------------------------------------------------------------------------------- */

#define MIN_SESSIONS 4                      /* sessions on both sides; with past sessions, their degrees of freedom count too */

bool
tt_session_shows(size_t k, size_t j)
{
	return k + j >= MIN_SESSIONS;
}

/* Use the spread that the caller assumes, plus the captures' scatter. */
static bool
by_assumed(const struct side *a, const struct side *b, double assumed, struct tt_change *c)
{
	double va = a->one * a->captures / ((double)a->k * (double)a->k), vb = b->one * b->captures / ((double)b->k * (double)b->k);
	double uncertain = 0;

	if (a->df <= 0 || b->df <= 0)
		return false;
	c->assumed = true;
	c->spread = assumed;
	c->se = assumed * assumed * (1 / (double)a->k + 1 / (double)b->k) + va + vb;
	c->within = va + vb;
	uncertain = va * va / a->df + vb * vb / b->df;
	c->df = uncertain > 0 ? c->se * c->se / uncertain : INFINITY;
	c->se = sqrt(c->se);
	return true;
}

/*
 * The degrees of freedom given to the variance of quiet machines beside ${own} degrees of the sessions, whose variance is ${times} as large. The likelihood of
 * a variance v, if V is found, is proportional to v^(-own / 2) exp(-own V / 2 v), and largest at v = V.
 */
static double
weight_of_quiet(double own, double times)
{
	double likely = times > 1 ? exp(-own / 2 * (times - 1 - log(times))) : 1;

	return fmax(MIN_WEIGHT, fmin(MAX_WEIGHT, WEIGHT * own) * fmin(1, BELIEF * likely));
}

/* Use the spread that the sessions show, together with those of the past; it includes their captures' scatter. */
static bool
by_own(const struct side *a, const struct side *b, const struct tt_session_past *past, struct tt_change *c)
{
	double own = (double)(a->k + b->k - 2) + past->df, quiet = TT_SESSION_QUIET * fabs(a->mean), squares = a->squares + b->squares + past->squares;
	double within = a->one * a->captures / (double)a->k, fresh = b->one * b->captures / (double)b->k, s2, weight = 0;
	/* The variance expected of a session with so few captures, from the old ones. */
	double likely = a->one * b->captures / (double)b->k;

	quiet = quiet * quiet + within;
	if (a->df > 0 && quiet > 0)
		weight = weight_of_quiet(own, squares / own / quiet);
	s2 = (weight * quiet + squares) / (weight + own);
	fresh = fresh > likely ? fresh : likely;
	c->assumed = false;
	c->spread = sqrt(s2 > within ? s2 - within : 0);
	c->df = weight + own;
	fresh = fresh > within ? fresh - within : 0;
	c->within = within * (1 / (double)a->k + 1 / (double)b->k) + fresh / (double)b->k;
	c->se = sqrt(s2 * (1 / (double)a->k + 1 / (double)b->k) + fresh / (double)b->k);
	return true;
}

bool
tt_session_change(const struct tt_session *old, size_t k, const struct tt_session *now, size_t j, double assumed,
    const struct tt_session_past *past, struct tt_change *c)
{
	static const struct tt_session_past none;
	struct side a = side_of(old, k), b = side_of(now, j);
	bool own = tt_session_shows(k, j);

	if (own || !past)
		past = &none;
	*c = (struct tt_change){ .change = b.mean - a.mean };
	/* If sessions of one side have a single capture each, assume the scatter of the other side. */
	if (b.df <= 0)
		b.one = a.one, b.df = a.df;
	else if (a.df <= 0 && !own)
		a.one = b.one, a.df = b.df;
	return own || (double)(k + j) + past->df >= MIN_SESSIONS ? by_own(&a, &b, past, c) : by_assumed(&a, &b, assumed, c);
}

/* --- what it says ------------------------------------------------------------------------------- */

double
tt_change_worse(const struct tt_change *c, double limit)
{
	return c->se > 0 ? tt_student_above((c->change - limit) / c->se, c->df) : c->change > limit ? 0 : 1;
}

double
tt_change_not_worse(const struct tt_change *c, double limit)
{
	return c->se > 0 ? tt_student_above((limit - c->change) / c->se, c->df) : c->change > limit ? 1 : 0;
}

double
tt_change_low(const struct tt_change *c, double alpha)
{
	return c->se > 0 ? c->change - c->se * tt_student_point(alpha, c->df) : c->change;
}

double
tt_change_high(const struct tt_change *c, double alpha)
{
	return c->se > 0 ? c->change + c->se * tt_student_point(alpha, c->df) : c->change;
}

double
tt_change_seen(const struct tt_change *c, double limit, double alpha, double power)
{
	return c->se > 0 ? limit + c->se * (tt_student_point(alpha, c->df) - tt_student_point(power, c->df)) : limit;
}

/*
 * The probability that ${many} captures decide the test, if ${n} gave ${c}. The new change will vary about the present one according to the scatter of the
 * additional captures, and its error is that of sessions plus that of ${many} captures.
 */
static double
decided_by(const struct tt_change *c, double limit, double alpha, size_t n, double many)
{
	double left = c->within * (double)n / (many * 0.955), moves = c->within - left;         /* 3 / pi: Pitman's efficiency where captures are normal */
	double off = c->change - limit, reach = tt_student_point(alpha, INFINITY) * sqrt(c->se * c->se - c->within + left);

	if (moves <= 0)
		return 0;
	return tt_student_above((reach - off) / sqrt(moves), c->df) + tt_student_above((reach + off) / sqrt(moves), c->df);
}

size_t
tt_change_need(const struct tt_change *c, double limit, double alpha, size_t n)
{
	for (size_t many = n + 1; many <= TT_CHANGE_MAX_SESSIONS; many++)
		if (decided_by(c, limit, alpha, n, (double)many) >= TT_CHANGE_DECIDED)
			return many;
	return 0;
}
