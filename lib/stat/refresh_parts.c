/**
 * Used by all steps of the fit of refreshes: rates of usual displays, and the list of segments.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "base/mem.h"
#include "stat/refresh_parts.h"

int
tt_refresh_rate(int64_t ps, int per_mille)
{
	static const int rate[] = { 24, 30, 48, 50, 60, 72, 75, 85, 90, 100, 120, 144, 165, 180, 200, 240, 360 };

	/* Video rates are slower than whole ones by a thousandth. */
	for (size_t i = 0; ps > 0 && i < sizeof rate / sizeof *rate; i++) {
		const int64_t whole = INT64_C(1000000000000) / rate[i], off = ps > whole ? ps - whole : whole - ps;

		if (off <= whole * (per_mille + 1) / 1000)
			return rate[i];
	}
	return 0;
}

int
tt_refresh_faster(int64_t ps, unsigned *times)
{
	for (unsigned k = 2; k <= 4; k++) {
		const int rate = tt_refresh_rate(ps / k, 4);

		if (rate < 48)
			continue;
		*times = k;
		return rate;
	}
	return 0;
}

int
tt_refresh_append(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err)
{
	struct tt_refreshes *to = f->to;
	struct tt_refresh_segment *last = to->nsegment ? &to->segment[to->nsegment - 1] : NULL;

	if (is->first == is->end)
		return TT_OK;
	if (last && is->kind == TT_REFRESH_NONE && last->kind == TT_REFRESH_NONE) {
		last->end = is->end;
		return TT_OK;
	}
	if (tt_mem_grow(f->mem, &to->segment, &to->capsegment, to->nsegment + 1, sizeof *to->segment, err) != TT_OK)
		return err->code;
	to->segment[to->nsegment++] = *is;
	return TT_OK;
}
