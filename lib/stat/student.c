/**
 * Computes Student's distribution by the incomplete beta function.
 */
#include "stat/student.h"

#include <math.h>

/* Beyond this many degrees of freedom the difference from the normal distribution is lost in rounding. */
#define NORMAL_FROM 1e9

/* log of gamma(x + 1/2) / gamma(x): by the recursion of gamma up to where the series converges. */
static double
log_gamma_step(double x)
{
	double below = 0, y;

	for (; x < 30; x++)
		below += log1p(0.5 / x);
	y = 1 / x;
	return 0.5 * log(x) - y / 8 + y * y * y / 192 - y * y * y * y * y / 640 + 17 * y * y * y * y * y * y * y / 14336 - below;
}

/*
 * The continued fraction of the incomplete beta function by Lentz's method: fast where x is below (a + 1) / (a + b + 2).
 * Its terms in order are d(2m) = m (b - m) x / ((a + 2m - 1)(a + 2m)) and d(2m + 1) = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)).
 */
static double
fraction(double x, double a, double b)
{
	double f = 1, c = 1, d = 0, step = 0;

	for (unsigned i = 1; i < 100000 && fabs(step - 1) > 1e-16; i++) {
		double m = i / 2, term;

		if (i % 2 == 0)
			term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		else
			term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / (1 + term * d);
		c = 1 + term / c;
		step = c * d;
		f *= step;
	}
	return 1 / f;
}

double
tt_student_above(double t, double df)
{
	double x, y, front, p;

	if (df > NORMAL_FROM)
		return erfc(t / sqrt(2)) / 2;
	/* x is the argument of the incomplete beta function of df / 2 and 1/2, y is 1 - x. */
	x = df / (df + t * t);
	y = t * t / (df + t * t);
	if (t * t > 1e300)
		return t < 0 ? 1 : 0;
	/* x^a (1-x)^b / B(a, b), of a = df / 2, b = 1/2; B is gamma(a) sqrt(pi) / gamma(a + 1/2) */
	front = exp(-df / 2 * log1p(t * t / df) + log_gamma_step(df / 2)) * sqrt(y / 3.14159265358979323846);
	if (x < (df / 2 + 1) / (df / 2 + 2.5))
		p = front / (df / 2) * fraction(x, df / 2, 0.5);
	else
		p = 1 - front / 0.5 * fraction(y, 0.5, df / 2);
	return t < 0 ? 1 - p / 2 : p / 2;
}

double
tt_student_point(double p, double df)
{
	double low = 0, high = 1;
	int below = p > 0.5;

	if (p == 0.5)
		return 0;
	if (below)
		p = 1 - p;
	while (tt_student_above(high, df) > p && high < 1e150)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		double mid = (low + high) / 2;

		if (tt_student_above(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
	return below ? -(low + high) / 2 : (low + high) / 2;
}
