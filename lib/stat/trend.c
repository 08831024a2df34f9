/**
 * Tests short series for a trend.
 */
#include "stat/trend.h"

#include <math.h>

#include "stat/student.h"

static double
mean(const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += y[i];
	return sum / (double)n;
}

struct tt_trend
tt_trend_of(const double *y, size_t n)
{
	const size_t few = n / 4 < 3 ? n / 4 : 3;
	const double middle = mean(y, n), center = (double)(n - 1) / 2;
	double xx = 0, xy = 0, rest = 0, slope, error;
	struct tt_trend t = { .from = mean(y, few) };

	t.rise = mean(y + n - few, few) - t.from;
	for (size_t i = 0; i < n; i++) {
		xx += ((double)i - center) * ((double)i - center);
		xy += ((double)i - center) * (y[i] - middle);
	}
	slope = xy / xx;
	for (size_t i = 0; i < n; i++) {
		double off = y[i] - middle - slope * ((double)i - center);

		rest += off * off;
	}
	error = sqrt(rest / (double)(n - 2) / xx);
	/* The residual of a straight line is only rounding. */
	if (error <= 1e-12 * fabs(middle) / sqrt(xx))
		t.p = slope > 1e-12 * fabs(middle) ? 0 : 1;
	else
		t.p = tt_student_above(slope / error, (double)(n - 2));
	return t;
}
