/**
 * Notes zones that are left out because they are short, where one chunk does not tell it.
 */
#include "fold/short_zones.h"

#include "base/order.h"

int
tt_short_zones_note(struct tt_thread *t, const struct tt_open *z, size_t level, int64_t end, int64_t shortest, struct tt_mem *mem,
    struct tt_err *err)
{
	const int64_t dur = end > z->ts ? end - z->ts : 0;

	if (dur >= shortest)
		return TT_OK;
	int rc = tt_mem_grow(mem, &t->short_zones, &t->capshort_zones, t->nshort_zones + 1, sizeof *t->short_zones, err);
	if (rc == TT_OK)
		t->short_zones[t->nshort_zones++] = (struct tt_short_zone){ z->ts, level, z->key };
	return rc;
}

static int
order(const struct tt_short_zone *x, const struct tt_short_zone *y)
{
	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return x->level != y->level ? TT_CMP(x->level, y->level) : TT_CMP(x->key, y->key);
}

static int
by_begin(const void *x, const void *y)
{
	return order(x, y);
}

void
tt_short_zones_sort(struct tt_threads *ts)
{
	for (size_t i = 0; i < ts->n; i++)
		tt_sort(ts->t[i]->short_zones, ts->t[i]->nshort_zones, by_begin);
}

bool
tt_short_zones_has(const struct tt_thread *t, int64_t ts, size_t level, uint64_t key)
{
	const struct tt_short_zone want = { ts, level, key };
	size_t at = tt_lower_bound(i, 0, t->nshort_zones, order(&t->short_zones[i], &want) < 0);

	return at < t->nshort_zones && order(&t->short_zones[at], &want) == 0;
}
