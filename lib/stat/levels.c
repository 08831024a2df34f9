/**
 * Divides a series into levels.
 */
#include "stat/levels.h"

#include <math.h>

#include "base/err.h"

/* The cheapest division into levels of the values before an index. */
struct best {
	double cost;
	double sum, squares;          /* of the values before the index, relative to the overall mean */
	size_t from;                  /* start of the last level */
	size_t levels;
};

/* The sum of squares that remains with a single level between two indices. */
static double
left(const struct best *a, const struct best *b, size_t n)
{
	double sum = b->sum - a->sum;

	return b->squares - a->squares - sum * sum / (double)n;
}

static double
price(const double *y, size_t n, double mean)
{
	double steps = 0, grain = TT_LEVELS_GRAIN * mean;

	for (size_t i = 0; i + 1 < n; i++)
		steps += (y[i + 1] - y[i]) * (y[i + 1] - y[i]);
	return TT_LEVELS_PRICE * fmax(steps / (double)(2 * (n - 1)), grain * grain);
}

static void
partition(const double *y, size_t n, struct best *b)
{
	double mean = 0, cut;

	for (size_t i = 0; i < n; i++)
		mean += y[i] / (double)n;
	cut = price(y, n, mean);
	b[0] = (struct best){ .cost = 0 };
	for (size_t end = 1; end <= n; end++) {
		double v = y[end - 1] - mean;

		b[end] = (struct best){ .cost = INFINITY, .sum = b[end - 1].sum + v, .squares = b[end - 1].squares + v * v };
		for (size_t from = 0; from + 2 <= end; from++) {
			double cost = b[from].cost + (from ? cut : 0) + left(&b[from], &b[end], end - from);

			if (cost < b[end].cost)
				b[end] = (struct best){ cost, b[end].sum, b[end].squares, from, b[from].levels + 1 };
		}
	}
}

int
tt_levels(const double *y, size_t n, size_t *start, size_t *count, struct tt_mem *mem, struct tt_err *err)
{
	struct best *b;

	start[0] = 0;
	*count = 1;
	if (n < TT_LEVELS_MIN_VALUES)
		return TT_OK;
	b = tt_mem_alloc(mem, (n + 1) * sizeof *b, err);
	if (!b)
		return err->code;
	partition(y, n, b);
	*count = b[n].levels;
	for (size_t end = n, k = *count; k > 0; end = b[end].from)
		start[--k] = b[end].from;
	tt_mem_free(mem, b, (n + 1) * sizeof *b);
	return TT_OK;
}
