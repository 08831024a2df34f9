/**
 * Counts by 64-bit key, and sparse histograms of durations.
 */
#include "stat/tally.h"

#include "base/err.h"
#include "base/hash_seed.h"

#define BUCKET_BITS 11                /* enough for TT_HIST_BUCKETS */
_Static_assert(TT_HIST_BUCKETS <= 1u << BUCKET_BITS, "buckets do not fit");

void
tt_tally_init(struct tt_tally *t, struct tt_mem *mem)
{
	*t = (struct tt_tally){ .mem = mem };
}

void
tt_tally_free(struct tt_tally *t)
{
	if (!t->mem)
		return;
	tt_mem_free(t->mem, t->v, t->cap * sizeof *t->v);
	tt_map_free(&t->at, t->mem);
	tt_tally_init(t, t->mem);
}

uint64_t *
tt_tally_at(struct tt_tally *t, uint64_t key, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, key);
	const uint32_t at = tt_map_find(&t->at, hash, i, t->v[i].key == key);

	if (at)
		return &t->v[at - 1].n;
	if (tt_map_push(&t->at, t->mem, hash, &t->v, &t->cap, t->n, err) != TT_OK)
		return NULL;
	t->v[t->n].key = key;
	return &t->v[t->n++].n;
}

uint64_t
tt_tally_get(const struct tt_tally *t, uint64_t key)
{
	const uint32_t at = tt_map_find(&t->at, tt_seeded_mix(0, key), i, t->v[i].key == key);

	return at ? t->v[at - 1].n : 0;
}

/* --- times ---------------------------------------------------------------- */

void
tt_times_add(struct tt_times *t, int64_t dur)
{
	if (t->n == 0 || dur < t->min)
		t->min = dur;
	if (t->n == 0 || dur > t->max)
		t->max = dur;
	t->n++;
	if (__builtin_add_overflow(t->total, dur, &t->total))
		t->total = INT64_MAX;
}

void
tt_times_join(struct tt_times *into, const struct tt_times *from)
{
	if (from->n == 0)
		return;
	if (into->n == 0 || from->min < into->min)
		into->min = from->min;
	if (into->n == 0 || from->max > into->max)
		into->max = from->max;
	into->n += from->n;
	if (__builtin_add_overflow(into->total, from->total, &into->total))
		into->total = INT64_MAX;
}

int
tt_tally_time(struct tt_tally *t, uint64_t id, int64_t dur, struct tt_err *err)
{
	uint64_t *n = tt_tally_at(t, id << BUCKET_BITS | tt_hist_bucket((uint64_t)dur), err);

	if (!n)
		return err->code;
	++*n;
	return TT_OK;
}

void
tt_tally_hist(const struct tt_tally *t, uint64_t id, const struct tt_times *of, struct tt_hist *h)
{
	if (of->n == 0)
		return;
	for (unsigned b = tt_hist_bucket((uint64_t)of->min); b <= tt_hist_bucket((uint64_t)of->max); b++) {
		h->b[b] += tt_tally_get(t, id << BUCKET_BITS | b);
	}
	h->n += of->n;
	if ((uint64_t)of->min < h->min)
		h->min = (uint64_t)of->min;
	if ((uint64_t)of->max > h->max)
		h->max = (uint64_t)of->max;
}
