/**
 * session_gen N SEED: what stat/session.h and stat/student.h say, as lines of CSV for tests/stat/session.sh to compare with R.
 *
 * change: N random comparisons of sessions: captures of the old and of the new ones (sessions with "/" between, captures with spaces),
 * the assumed spread, squares and degrees of freedom of past sessions, a limit, an alpha, and change, se, df, both
 * probabilities, both bounds, what is seen at 95 %. student: t, degrees of freedom, tail; point: probability, degrees of freedom, point.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stat/num.h"
#include "stat/session.h"
#include "stat/student.h"

static uint64_t state;

static uint64_t
next_random(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % below;
}

static size_t
draw(struct tt_session *s, size_t most)
{
	size_t k = 1 + next_random(most), captures = 1 + next_random(12);
	uint64_t spread = next_random(4) == 0 ? 3 : 20000;

	for (size_t i = 0; i < k; i++) {
		size_t n = next_random(3) ? captures : 1 + next_random(12);
		int64_t v[12], offset = (int64_t)next_random(30000);

		for (size_t c = 0; c < n; c++)
			v[c] = 1000000 + offset + (int64_t)next_random(spread) + (next_random(20) ? 0 : 300000);
		tt_sort_i64(v, n);
		for (size_t c = 0; c < n; c++)
			printf("%s%lld", c ? " " : i ? "/" : "", (long long)v[c]);
		s[i] = tt_session_of(v, n);
	}
	printf(",");
	return k;
}

static void
one_change(void)
{
	struct tt_session old[6], now[3];
	struct tt_change c;
	size_t k, j;
	struct tt_session_past past = { 0 };
	double assumed = (double)next_random(40000), limit = (double)next_random(50000), alpha = 0.05 / (double)(1 + next_random(12));

	printf("change,");
	k = draw(old, 6);
	j = draw(now, next_random(2) ? 1 : 3);
	if (next_random(2))
		past = (struct tt_session_past){ .squares = (double)next_random(2000000000), .df = (double)(1 + next_random(8)) };
	printf("%.17g,%.17g,%.17g,%.17g,%.17g", assumed, past.squares, past.df, limit, alpha);
	if (!tt_session_change(old, k, now, j, assumed, past.df > 0 ? &past : NULL, &c))
		printf(",NA,NA,NA,NA,NA,NA,NA,NA\n");
	else
		printf(",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", c.change, c.se, c.df, tt_change_worse(&c, limit),
		    tt_change_not_worse(&c, limit), tt_change_low(&c, alpha), tt_change_high(&c, alpha), tt_change_seen(&c, limit, alpha, 0.95));
}

int
main(int argc, char **argv)
{
	static const double df[] = { 1, 1.7, 2, 3, 4, 7.3, 10, 30, 59.9, 100, 1e3, 1e5, 9e6, 3e8, INFINITY },
	    t[] = { 0, 1e-3, 0.1, 0.5, 1, 1.5, 2, 3, 5, 10, 40, 1000 }, p[] = { 0.4, 0.25, 0.1, 0.05, 0.025, 0.005, 1e-4, 1e-8 };

	state = 0x9E3779B97F4A7C15u ^ (argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1000); i++)
		one_change();
	for (size_t i = 0; i < sizeof df / sizeof *df; i++) {
		for (size_t k = 0; k < sizeof t / sizeof *t; k++)
			for (int sign = -1; sign <= 1; sign += 2)
				printf("student,%.17g,%.17g,%.17g\n", sign * t[k], df[i], tt_student_above(sign * t[k], df[i]));
		for (size_t k = 0; k < sizeof p / sizeof *p; k++)
			printf("point,%.17g,%.17g,%.17g\npoint,%.17g,%.17g,%.17g\n", p[k], df[i], tt_student_point(p[k], df[i]), 1 - p[k], df[i],
			    tt_student_point(1 - p[k], df[i]));
	}
	return 0;
}
