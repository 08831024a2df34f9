/**
 * Finds what changed most beneath a row of a verdict.
 */
#include <string.h>

#include "base/order.h"
#include "gate/budget.h"
#include "gate/judge.h"
#include "gate/sample.h"
#include "stat/num.h"

#define MOVERS 5

/* A part of one capture. */
struct seen {
	const char *name;
	int64_t v, count;
	bool base;
};

static int
by_name(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static size_t
collect(const struct tt_point *p, size_t n, const struct tt_measure *x, bool base, struct seen *to)
{
	bool cpu = tt_measure_is_cpu(x);
	size_t all = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < p[i].sample->npart; k++) {
			const struct tt_part *part = &p[i].sample->part[k];
			int64_t v = cpu ? part->work : part->v;

			if (part->about == x->metric->about && part->framed == tt_measure_framed(x) && v > 0)
				to[all++] = (struct seen){ part->name, v, part->count, base };
		}
	}
	return all;
}

/* The median over ${all} > 0 captures: of ${n} values in any order, and zeros for captures without the part. */
static int64_t
median_of(int64_t *v, size_t n, size_t all)
{
	size_t zeros = all > n ? all - n : 0, rank;

	tt_sort_i64(v, n);
	rank = (size_t)tt_nearest_rank(all > n ? all : n, 1, 2);
	return rank <= zeros ? 0 : v[rank - zeros - 1];
}

/* Compute the medians of one name on one side. */
static int64_t
side(const struct seen *s, size_t n, bool base, bool count, size_t all, int64_t *work)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (s[i].base == base)
			work[k++] = count ? s[i].count : s[i].v;
	return median_of(work, k, all);
}

static int
by_weight(const void *a, const void *b)
{
	const struct tt_mover *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Keep the mover if it is among the largest so far. */
static void
keep(struct tt_verdict_row *r, const struct tt_mover *m)
{
	if (m->weight <= 0)
		return;
	if (r->nmover < MOVERS)
		r->mover[r->nmover++] = *m;
	else if (by_weight(m, &r->mover[MOVERS - 1]) < 0)
		r->mover[MOVERS - 1] = *m;
	tt_sort(r->mover, r->nmover, by_weight);
}

static void
compare(struct tt_verdict_row *r, struct seen *s, size_t n, int64_t *work)
{
	bool per_frame = tt_measure_framed(&r->row->measure);

	tt_sort(s, n, by_name);
	for (size_t i = 0, end; i < n; i = end) {
		struct tt_mover m = { .about = r->row->measure.metric->about, .name = s[i].name, .per_frame = per_frame };

		for (end = i + 1; end < n && strcmp(s[end].name, s[i].name) == 0; end++)
			;
		m.base = side(s + i, end - i, true, false, r->nbase_point, work);
		m.now = side(s + i, end - i, false, false, r->npoint, work);
		m.base_count = side(s + i, end - i, true, true, r->nbase_point, work);
		m.now_count = side(s + i, end - i, false, true, r->npoint, work);
		m.change = m.now - m.base;
		m.weight = tt_measure_counts(&r->row->measure) ? m.now_count - m.base_count : m.change;
		m.fresh = m.base == 0 && m.base_count == 0;
		m.gone = m.now == 0 && m.now_count == 0;
		keep(r, &m);
	}
	/* Drop movers below a twentieth of the first. */
	while (r->nmover && r->mover[r->nmover - 1].weight < r->mover[0].weight / 20)
		r->nmover--;
}

int
tt_movers(struct tt_verdict *v, struct tt_verdict_row *r, struct tt_err *err)
{
	bool wanted = r->would == TT_WORSE || r->would == TT_BREACH || r->would == TT_UNDECIDED;
	size_t most = 0;
	struct seen *s;
	int64_t *work;

	if (!wanted || !r->has_base || r->row->measure.metric->about == TT_ABOUT_NOTHING)
		return TT_OK;
	for (size_t i = 0; i < r->npoint; i++)
		most += r->point[i].sample->npart;
	for (size_t i = 0; i < r->nbase_point; i++) {
		most += r->base_point[i].sample->npart;
		if (r->base_point[i].sample->framed_alone && !tt_measure_framed(&r->row->measure))
			return TT_OK;
	}
	s = tt_arena_alloc(&v->arena, (most + 1) * sizeof *s, err);
	work = s ? tt_arena_alloc(&v->arena, (most + 1) * sizeof *work, err) : NULL;
	r->mover = work ? tt_arena_alloc(&v->arena, MOVERS * sizeof *r->mover, err) : NULL;
	if (!r->mover)
		return err->code;
	most = collect(r->point, r->npoint, &r->row->measure, false, s);
	most += collect(r->base_point, r->nbase_point, &r->row->measure, true, s + most);
	compare(r, s, most, work);
	return TT_OK;
}
