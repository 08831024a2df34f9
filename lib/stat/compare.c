/**
 * Compares two small sets exactly: ranks, shifts, largest distance.
 *
 * Numbers of arrangements are counted in doubles: sums of whole numbers, which are exact below 2^53 and accurate to 1e-13 above, and equal on every machine
 * with IEEE 754 addition.
 */
#include "stat/compare.h"

#include "base/err.h"
#include "base/order.h"
#include "stat/student.h"

#include <math.h>

/* --- ranks and sums of ranks ------------------------------------------------------- */

struct ranked { int64_t v; unsigned twice; bool of_y; };

static int
by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return TT_CMP(x->v, y->v);
}

/* Return all values, sorted, with twice their mid-ranks, which are whole numbers even for equal values. */
static struct ranked *
rank_all(const int64_t *x, size_t m, const int64_t *y, size_t n, struct tt_mem *mem, struct tt_err *err)
{
	struct ranked *r = tt_mem_alloc(mem, (m + n) * sizeof *r, err);

	if (!r)
		return NULL;
	for (size_t i = 0; i < m + n; i++)
		r[i] = i < m ? (struct ranked){ x[i], 0, false } : (struct ranked){ y[i - m], 0, true };
	tt_sort(r, m + n, by_value);
	for (size_t i = 0, end; i < m + n; i = end) {
		for (end = i + 1; end < m + n && r[end].v == r[i].v; end++)
			;
		for (size_t k = i; k < end; k++)
			r[k].twice = (unsigned)(i + 1 + end);
	}
	return r;
}

/* Count the ways in which ${k} of the ${n} ascending weights, at most TT_COMPARE_EXACT of them, add up to 0, 1, and so on; the last row has the result. */
struct ways { double *of; size_t n, row; struct tt_mem *mem; };

static int
count_ways(const unsigned *w, size_t n, size_t k, struct ways *c, struct tt_mem *mem, struct tt_err *err)
{
	size_t most = 0, sum[TT_COMPARE_EXACT + 1] = { 0 };   /* sum of the weights before each one */
	double *all;

	for (size_t i = n - k; i < n; i++)
		most += w[i];
	c->row = most + 1;
	c->n = (k + 1) * c->row;
	c->mem = mem;
	c->of = tt_mem_alloc(mem, c->n * sizeof *c->of, err);
	if (!c->of)
		return err->code;
	all = c->of;
	all[0] = 1;
	for (size_t i = 0; i < n; i++) {
		const size_t left = n - 1 - i, least = left < k ? k - left : 1;

		sum[i + 1] = sum[i] + w[i];
		/*
		 * Choosing fewer than ${least} up to here leaves too few weights to reach ${k}. The sum of any j - 1 earlier weights is between those of the
		 * lightest and of the heaviest.
		 */
		for (size_t j = i + 1 < k ? i + 1 : k; j >= least; j--) {
			double *to = all + j * c->row;
			const double *from = to - c->row;

			for (size_t s = sum[j - 1], high = sum[i] - sum[i - (j - 1)]; s <= high; s++)
				to[s + w[i]] += from[s];
		}
	}
	return TT_OK;
}

static void
free_ways(struct ways *c)
{
	tt_mem_free(c->mem, c->of, c->n * sizeof *c->of);
}

/* The share of the ways to choose ${k} weights whose sum is between ${lo} and ${hi}. */
static double
share(const struct ways *c, size_t k, size_t lo, size_t hi)
{
	const double *of = c->of + k * c->row;
	double in = 0, all = 0;

	for (size_t s = 0; s < c->row; s++) {
		all += of[s];
		if (s >= lo && s <= hi)
			in += of[s];
	}
	return in / all;
}

/* --- Mann-Whitney ------------------------------------------------------------------- */

/* The weights chosen are those of the smaller side; if that is not ${y}, a small sum stands for a large one of ${y}. */
static int
exact_p(const struct ranked *r, size_t m, size_t n, double *p, struct tt_mem *mem, struct tt_err *err)
{
	size_t k = n <= m ? n : m, sum = 0;
	unsigned w[TT_COMPARE_EXACT], any = 0;
	struct ways c;
	int rc;

	for (size_t i = 0; i < m + n; i++)
		any |= r[i].twice;
	/* Without ties the ranks themselves are whole numbers, which halves the number of sums. */
	for (size_t i = 0; i < m + n; i++) {
		w[i] = any & 1 ? r[i].twice : r[i].twice / 2;
		if (r[i].of_y == (n <= m))
			sum += w[i];
	}
	rc = count_ways(w, m + n, k, &c, mem, err);
	if (rc == TT_OK)
		*p = n <= m ? share(&c, k, sum, c.row) : share(&c, k, 0, sum);
	free_ways(&c);
	return rc;
}

static double
normal_p(const struct ranked *r, size_t m, size_t n)
{
	double all = (double)(m + n), sum = 0, ties = 0, mean = (double)n * (all + 1) / 2, var;

	for (size_t i = 0, end; i < m + n; i = end) {
		double t;

		for (end = i; end < m + n && r[end].v == r[i].v; end++)
			sum += r[end].of_y ? r[end].twice / 2.0 : 0;
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	var = (double)m * (double)n / 12 * (all + 1 - ties / (all * (all - 1)));
	return var > 0 ? erfc((sum - mean - 0.5) / sqrt(var) / sqrt(2)) / 2 : 1;
}

int
tt_mann_whitney(const int64_t *x, size_t m, const int64_t *y, size_t n, double *p, struct tt_mem *mem,
    struct tt_err *err)
{
	struct ranked *r;
	int rc = TT_OK;

	*p = 1;
	if (m == 0 || n == 0)
		return TT_OK;
	r = rank_all(x, m, y, n, mem, err);
	if (!r)
		return err->code;
	if (m + n <= TT_COMPARE_EXACT)
		rc = exact_p(r, m, n, p, mem, err);
	else
		*p = normal_p(r, m, n);
	tt_mem_free(mem, r, (m + n) * sizeof *r);
	return rc;
}

double
tt_mann_whitney_least(size_t m, size_t n)
{
	size_t k = m < n ? m : n;
	double p = 1;

	for (size_t i = 1; i <= k; i++)
		p *= (double)i / (double)(m + n - k + i);
	return p;
}

/* --- Hodges-Lehmann ------------------------------------------------------------------- */

/*
 * Get the number of differences that may lie outside a bound: the largest c such that U, for values without ties, is below c with probability at most ${alpha}.
 * (With ties the bound has a higher confidence.)
 */
static int
bound_place(size_t m, size_t n, double alpha, size_t *c, struct tt_mem *mem, struct tt_err *err)
{
	size_t k = m < n ? m : n, least = k * (k + 1) / 2;
	unsigned w[TT_COMPARE_EXACT];
	double all = 0, below = 0;
	struct ways d;
	int rc;

	*c = 0;
	if (m + n > TT_COMPARE_EXACT) {
		double mn = (double)m * (double)n, place = mn / 2 - tt_student_point(alpha, INFINITY) * sqrt(mn * (double)(m + n + 1) / 12);

		*c = place > 0 ? (size_t)place : 0;
		return TT_OK;
	}
	for (size_t i = 0; i < m + n; i++)
		w[i] = (unsigned)i + 1;
	rc = count_ways(w, m + n, k, &d, mem, err);
	for (size_t s = least; rc == TT_OK && s < d.row; s++)
		all += d.of[k * d.row + s];
	for (size_t s = least; rc == TT_OK && s < d.row; s++) {
		below += d.of[k * d.row + s];
		if (below > alpha * all * (1 + 1e-12))
			break;
		*c = s - least + 1;
	}
	free_ways(&d);
	return rc;
}

static int64_t
minus(int64_t a, int64_t b)
{
	int64_t v;

	if (__builtin_sub_overflow(a, b, &v))
		return a < b ? INT64_MIN : INT64_MAX;
	return v;
}

/* The mean of two values in order, rounded half away from zero. */
static int64_t
middle(int64_t a, int64_t b)
{
	__extension__ __int128 sum = (__int128)a + b;

	return (int64_t)((sum + (sum < 0 ? -1 : 1)) / 2);
}

int
tt_hodges_lehmann(const int64_t *x, size_t m, const int64_t *y, size_t n, double alpha, struct tt_shift *s,
    struct tt_mem *mem, struct tt_err *err)
{
	size_t all = m * n, c;
	int64_t *d = tt_mem_alloc(mem, all * sizeof *d, err);
	int rc = d ? bound_place(m, n, alpha, &c, mem, err) : err->code;

	*s = (struct tt_shift){ 0 };
	if (rc == TT_OK) {
		for (size_t i = 0; i < m; i++)
			for (size_t k = 0; k < n; k++)
				d[i * n + k] = minus(y[k], x[i]);
		tt_sort_i64(d, all);
		s->shift = all % 2 ? d[all / 2] : middle(d[all / 2 - 1], d[all / 2]);
		s->has_low = s->has_high = c > 0;
		s->low = c ? d[c - 1] : 0;
		s->high = c ? d[all - c] : 0;
	}
	tt_mem_free(mem, d, all * sizeof *d);
	return rc;
}

/* --- Holm ------------------------------------------------------------------------------- */

struct place { double p; size_t at; };

static int
by_p(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return TT_CMP(x->at, y->at);
}

int
tt_holm(double *p, size_t n, struct tt_mem *mem, struct tt_err *err)
{
	struct place *o = tt_mem_alloc(mem, n * sizeof *o, err);
	double least = 0;

	if (!o)
		return err->code;
	for (size_t i = 0; i < n; i++)
		o[i] = (struct place){ p[i], i };
	tt_sort(o, n, by_p);
	for (size_t i = 0; i < n; i++) {
		double v = o[i].p * (double)(n - i);

		least = v > least ? v : least;
		p[o[i].at] = least < 1 ? least : 1;
	}
	tt_mem_free(mem, o, n * sizeof *o);
	return TT_OK;
}

int
tt_holm_levels(const double *p, size_t n, double alpha, double *level, struct tt_mem *mem, struct tt_err *err)
{
	struct place *o = tt_mem_alloc(mem, n * sizeof *o, err);
	size_t left = n;

	if (!o)
		return err->code;
	for (size_t i = 0; i < n; i++)
		o[i] = (struct place){ p[i], i };
	tt_sort(o, n, by_p);
	for (size_t i = 0; i < n; i++) {
		level[o[i].at] = alpha / (double)left;
		/* The first hypothesis that is not rejected ends the method: all others are compared with the same level. */
		left -= left == n - i && o[i].p * (double)left <= alpha;
	}
	tt_mem_free(mem, o, n * sizeof *o);
	return TT_OK;
}

/* --- Kolmogorov-Smirnov ------------------------------------------------------------------ */

/* |i/m - j/n| times m n. */
static uint64_t
apart(size_t i, size_t m, size_t j, size_t n)
{
	uint64_t a = (uint64_t)i * n, b = (uint64_t)j * m;

	return a > b ? a - b : b - a;
}

/* True if the distributions can be compared after the first ${i} > 0 values: the next value differs. */
static bool
edge(const struct ranked *r, size_t all, size_t i)
{
	return i == all || r[i].v != r[i - 1].v;
}

static uint64_t
largest_distance(const struct ranked *r, size_t m, size_t n)
{
	uint64_t most = 0;
	size_t i = 0, j = 0;

	while (i + j < m + n) {
		uint64_t d;

		if (r[i + j].of_y)
			j++;
		else
			i++;
		d = apart(i, m, j, n);
		if (edge(r, m + n, i + j) && d > most)
			most = d;
	}
	return most;
}

/*
 * Each order of the values is a path from (0, 0) to (m, n). ways[j] counts the paths to (i, j), separately for those that have been ${d} apart and those that
 * have not.
 */
static int
exact_ks(const struct ranked *r, size_t m, size_t n, uint64_t d, double *p, struct tt_mem *mem, struct tt_err *err)
{
	struct { double below, far; } *ways = tt_mem_alloc(mem, (n + 1) * sizeof *ways, err);

	if (!ways)
		return err->code;
	for (size_t i = 0; i <= m; i++) {
		for (size_t j = 0; j <= n; j++) {
			double below = i + j == 0, far = 0;

			if (i > 0) {
				below += ways[j].below;
				far += ways[j].far;
			}
			if (j > 0) {
				below += ways[j - 1].below;
				far += ways[j - 1].far;
			}
			if (i + j > 0 && edge(r, m + n, i + j) && apart(i, m, j, n) >= d) {
				far += below;
				below = 0;
			}
			ways[j].below = below;
			ways[j].far = far;
		}
	}
	*p = ways[n].far / (ways[n].far + ways[n].below);
	tt_mem_free(mem, ways, (n + 1) * sizeof *ways);
	return TT_OK;
}

/*
 * The limit for many values: 2 sum of (-1)^(k-1) exp(-2 k^2 x^2). The smaller x, the more terms that takes, so below 1
 * it is the same by Jacobi's identity: 1 - sqrt(2 pi)/x sum of exp(-(2k-1)^2 pi^2 / (8 x^2)). Either way the sixth term
 * is below 1e-31.
 */
static double
limit_ks(size_t m, size_t n, double d)
{
	const double pi = 3.14159265358979323846;
	double x = d * sqrt((double)m * (double)n / (double)(m + n)), sum = 0;

	if (x < 1) {
		for (int k = 1; k <= 5; k++)
			sum += exp(-(2 * k - 1) * (2 * k - 1) * pi * pi / (8 * x * x));
		return 1 - sqrt(2 * pi) / x * sum;
	}
	for (int k = 1; k <= 5; k++)
		sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
	return sum;
}

int
tt_kolmogorov_smirnov(const int64_t *x, size_t m, const int64_t *y, size_t n, double *d, double *p,
    struct tt_mem *mem, struct tt_err *err)
{
	struct ranked *r;
	uint64_t most;
	int rc = TT_OK;

	*d = 0;
	*p = 1;
	if (m == 0 || n == 0)
		return TT_OK;
	r = rank_all(x, m, y, n, mem, err);
	if (!r)
		return err->code;
	most = largest_distance(r, m, n);
	*d = (double)most / ((double)m * (double)n);
	if (most > 0 && m + n <= TT_COMPARE_EXACT)
		rc = exact_ks(r, m, n, most, p, mem, err);
	else if (most > 0)
		*p = limit_ks(m, n, *d);
	tt_mem_free(mem, r, (m + n) * sizeof *r);
	return rc;
}
