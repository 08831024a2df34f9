#include "model/code.h"

const struct tt_def *
tt_code_at(const struct tt_capture *cap, size_t i)
{
	return tt_defs_at(cap->defs, cap->instruments ? TT_DEF_MARKER : TT_DEF_CODE, i);
}

/* The definition of a method? Counters are markers, too; keys below a page are no addresses: the recorder's own. */
static bool
is_method(const struct tt_capture *cap, const struct tt_def *d)
{
	enum { PAGE = 4096 };

	return cap->instruments || (d->key >= PAGE && !tt_defs_find(cap->defs, TT_DEF_COUNTER, d->key, INT64_MAX));
}

/* Is it the first piece of code of its method? One is compiled once for each domain. */
static bool
is_first(const struct tt_capture *cap, const struct tt_def *d)
{
	return cap->instruments || tt_defs_find(cap->defs, TT_DEF_CODE, d->key, INT64_MIN) == d;
}

bool
tt_code_sum(const struct tt_capture *cap, int64_t from, int64_t to, struct tt_code_sum *s)
{
	const struct tt_def *d;

	*s = (struct tt_code_sum){ 0 };
	for (size_t i = 0; (d = tt_defs_at(cap->defs, TT_DEF_MARKER, i)) != NULL; i++) {
		int64_t ts = d->ts + cap->offset_ns;
		s->methods += ts >= from && ts < to && is_method(cap, d);
	}
	for (size_t i = 0; (d = tt_code_at(cap, i)) != NULL; i++) {
		int64_t ts = d->ts + cap->offset_ns;
		if (d->b == 0 || ts < from || ts >= to)
			continue;
		s->coded += is_first(cap, d);
		s->bytes += d->b;
		s->largest = d->b > s->largest ? d->b : s->largest;
	}
	return cap->instruments || tt_defs_count(cap->defs, TT_DEF_CODE) > 0;
}
