/**
 * Adds values to a log-linear histogram and finds its quantiles.
 */
#include "stat/hist.h"

#include <string.h>

#include "stat/num.h"

uint64_t
tt_hist_value(unsigned bucket)
{
	unsigned page = bucket / TT_HIST_PAGE;
	uint64_t place = bucket % TT_HIST_PAGE, width;

	if (page == 0)
		return place;
	width = UINT64_C(1) << (page - 1);
	return (TT_HIST_PAGE + place) * width + width / 2;
}

void
tt_hist_init(struct tt_hist *h)
{
	memset(h, 0, sizeof *h);
	h->min = UINT64_MAX;
}

void
tt_hist_clear(struct tt_hist *h)
{
	const unsigned first = tt_hist_bucket(h->min), last = tt_hist_bucket(h->max);

	if (h->n > 0)
		memset(h->b + first, 0, (last - first + 1) * sizeof *h->b);
	h->n = h->max = 0;
	h->min = UINT64_MAX;
}

void
tt_hist_add(struct tt_hist *h, uint64_t v, uint64_t n)
{
	if (n == 0)
		return;
	h->n += n;
	h->b[tt_hist_bucket(v)] += n;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
}

uint64_t
tt_hist_quantile(const struct tt_hist *h, uint64_t num, uint64_t den)
{
	uint64_t rank, seen = 0, v = 0;

	if (h->n == 0)
		return 0;
	rank = tt_nearest_rank(h->n, num, den);
	if (rank == 1)
		return h->min;
	if (rank == h->n)
		return h->max;
	for (unsigned i = tt_hist_bucket(h->min); i < TT_HIST_BUCKETS; i++) {
		seen += h->b[i];
		if (seen >= rank) {
			v = tt_hist_value(i);
			break;
		}
	}
	/* The middle of a bucket may lie outside the range of the values in it. */
	if (v < h->min)
		return h->min;
	return v > h->max ? h->max : v;
}
