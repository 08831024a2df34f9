/**
 * Finds the levels and jumps of a figure over the sessions of a baseline.
 */
#include "gate/history.h"

#include "stat/levels.h"
#include "stat/num.h"
#include "stat/session.h"

static int64_t
whole(double v)
{
	return v >= 9e18 ? INT64_MAX : v <= -9e18 ? -INT64_MAX : (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/* Get the figure of one session; return false if none of its captures has it. */
static bool
take_session(const struct tt_baseline *b, const struct tt_budget_row *row, size_t which, const struct tt_baseline_session *of, int64_t *v,
    struct tt_history *h)
{
	struct tt_history_session *s = &h->session[h->nsession];

	*s = (struct tt_history_session){ .session = of, .compared = of >= &b->session[b->nall_session - b->nsession] };
	for (size_t i = 0; i < of->n; i++) {
		const struct tt_sample *sample = &b->all[of->first + i];
		const struct tt_value *value = &sample->value[which];

		if (!value->known || (row && !tt_row_means(row, sample)))
			continue;
		s->first = s->captures ? s->first : sample;
		h->dim = value->dim;
		v[s->captures++] = value->v;
	}
	if (s->captures == 0)
		return false;
	tt_sort_i64(v, s->captures);
	s->v = whole(tt_session_of(v, s->captures).value);
	return true;
}

static int
find_levels(struct tt_history *h, struct tt_arena *a, struct tt_mem *mem, struct tt_err *err)
{
	double *y = tt_arena_alloc(a, (h->nsession + 1) * sizeof *y, err);
	size_t *start = y ? tt_arena_alloc(a, (h->nsession + 1) * sizeof *start, err) : NULL;
	int rc;

	if (!start)
		return err->code;
	for (size_t i = 0; i < h->nsession; i++)
		y[i] = (double)h->session[i].v;
	rc = tt_levels(y, h->nsession, start, &h->nlevel, mem, err);
	h->level = rc == TT_OK ? tt_arena_alloc(a, h->nlevel * sizeof *h->level, err) : NULL;
	if (!h->level)
		return err->code;
	for (size_t k = 0; k < h->nlevel; k++) {
		struct tt_history_level *l = &h->level[k];
		double sum = 0;

		l->from = start[k];
		l->n = (k + 1 < h->nlevel ? start[k + 1] : h->nsession) - l->from;
		for (size_t i = 0; i < l->n; i++)
			sum += y[l->from + i];
		l->v = whole(sum / (double)l->n);
	}
	return TT_OK;
}

int
tt_history_of(const struct tt_baseline *b, const struct tt_budget_row *row, const struct tt_measure *x, size_t which, struct tt_history *h,
    struct tt_arena *a, struct tt_mem *mem, struct tt_err *err)
{
	int64_t *v = tt_arena_alloc(a, (b->nall + 1) * sizeof *v, err);

	*h = (struct tt_history){ .dim = tt_measure_dim(x) };
	h->session = v ? tt_arena_alloc(a, (b->nall_session + 1) * sizeof *h->session, err) : NULL;
	if (!h->session)
		return err->code;
	for (size_t i = 0; i < b->nall_session; i++)
		h->nsession += take_session(b, row, which, &b->session[i], v, h);
	return h->nsession ? find_levels(h, a, mem, err) : TT_OK;
}
