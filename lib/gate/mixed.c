/**
 * Finds rows whose captures are not of one kind; the interface is tt_mixed() in judge.h.
 */
#include <string.h>

#include "gate/baseline.h"
#include "gate/judge.h"

/* The values of one fact: in the captures at hand, and in the baseline's. */
struct values {
	const char **now, **base;
	const char *first, *other;    /* two values that differ */
	bool more;                    /* true: there are further values */
};

static void
look(struct values *x, const char *value)
{
	if (!value || x->more)
		return;
	if (!x->first)
		x->first = value;
	else if (strcmp(x->first, value) == 0)
		return;
	else if (!x->other)
		x->other = value;
	else
		x->more = strcmp(x->other, value) != 0;
}

/* True if captures that the row combines differ in the fact. */
static bool
row_differs(const struct tt_verdict *v, const struct tt_verdict_row *r, struct values *x)
{
	x->first = x->other = NULL;
	x->more = false;
	for (size_t i = 0; i < r->npoint; i++)
		look(x, x->now[r->point[i].sample - v->sample]);
	for (size_t i = 0; i < r->nbase_point; i++)
		look(x, x->base[r->base_point[i].sample - v->base->sample]);
	return x->other != NULL;
}

/* Collect the values of the fact ${key}; return false if all captures that have it agree. */
static bool
all_differ(const struct tt_verdict *v, const char *key, struct values *x)
{
	x->first = x->other = NULL;
	x->more = false;
	for (size_t i = 0; i < v->nsample; i++)
		look(x, x->now[i] = tt_sample_fact(&v->sample[i], key));
	for (size_t i = 0; v->base && i < v->base->nsample; i++)
		look(x, x->base[i] = tt_sample_fact(&v->base->sample[i], key));
	return x->other != NULL;
}

int
tt_mixed(struct tt_verdict *v, struct tt_err *err)
{
	struct values x = { 0 };
	size_t n = 0;

	while (v->budget->fingerprint[n])
		n++;
	x.now = tt_arena_alloc(&v->arena, (v->nsample + 1) * sizeof *x.now, err);
	x.base = x.now ? tt_arena_alloc(&v->arena, ((v->base ? v->base->nsample : 0) + 1) * sizeof *x.base, err) : NULL;
	v->mixed = x.base ? tt_arena_alloc(&v->arena, (n + 1) * sizeof *v->mixed, err) : NULL;
	if (!v->mixed)
		return err->code;
	for (size_t k = 0; k < n; k++) {
		if (!all_differ(v, v->budget->fingerprint[k], &x))
			continue;
		for (size_t i = 0; i < v->nrow; i++) {
			if (v->row[i].row->level == TT_LEVEL_OFF || v->row[i].row->line == 0 || !row_differs(v, &v->row[i], &x))
				continue;
			v->mixed[v->nmixed++] = (struct tt_mix){ &v->row[i], v->budget->fingerprint[k], x.first, x.other, x.more };
			break;
		}
	}
	return TT_OK;
}
