/**
 * Is side B worse? The contract is in verdict.h.
 */
#include "diff/verdict.h"

#include "diff/diff.h"
#include "out/table.h"

#define ALPHA 0.05

static int64_t *
means(const struct tt_diff *d, unsigned side, struct tt_err *err)
{
	const struct tt_diff_side *s = &d->side[side];
	int64_t *v = tt_mem_alloc(&d->env->mem, s->n * sizeof *v, err);

	for (size_t i = 0; v && i < s->n; i++)
		v[i] = s->capture[i].time[d->by].mean;
	if (v)
		tt_sort_i64(v, s->n);
	return v;
}

static enum tt_diff_outcome
outcome(const struct tt_diff_verdict *v, size_t m, size_t n)
{
	if (v->p <= ALPHA && v->shift.shift > v->allowed)
		return TT_DIFF_WORSE;
	if (v->shift.has_high && v->shift.high <= v->allowed)
		return TT_DIFF_NOT_WORSE;
	return tt_mann_whitney_least(m, n) > ALPHA ? TT_DIFF_CANNOT_JUDGE : TT_DIFF_UNDECIDED;
}

int
tt_diff_judge(
    const struct tt_diff *d, const struct tt_diff_margin *margin, struct tt_diff_verdict *v, struct tt_err *err)
{
	size_t m = d->side[TT_DIFF_A].n, n = d->side[TT_DIFF_B].n;
	struct tt_mem *mem = &d->env->mem;
	int64_t *a = means(d, TT_DIFF_A, err), *b = a ? means(d, TT_DIFF_B, err) : NULL;
	int rc = b ? tt_mann_whitney(a, m, b, n, &v->p, mem, err) : err->code;

	if (rc == TT_OK)
		rc = tt_hodges_lehmann(a, m, b, n, ALPHA, &v->shift, mem, err);
	if (rc == TT_OK) {
		v->a = tt_quantile_i64(a, m, 1, 2);
		v->b = tt_quantile_i64(b, n, 1, 2);
		v->allowed = margin->e4 < 0 ? margin->ns
			     : v->a < 0     ? 0
					    : tt_ratio((uint64_t)v->a, (uint64_t)margin->e4, 10000);
		v->outcome = outcome(v, m, n);
	}
	tt_mem_free(mem, b, b ? n * sizeof *b : 0);
	tt_mem_free(mem, a, a ? m * sizeof *a : 0);
	return rc;
}

int
tt_diff_exit(const struct tt_diff_verdict *v)
{
	return v->outcome == TT_DIFF_NOT_WORSE ? 0 : v->outcome == TT_DIFF_WORSE ? 1 : 5;
}

/* --- as a table ------------------------------------------------------------------- */

enum { V_VERDICT, V_SHIFT, V_SHARE, V_LOW, V_HIGH, V_ALLOWED, V_P, V_N };

static const struct tt_col col[V_N] = {
	[V_VERDICT] = { "verdict", "B is", TT_UNIT_TEXT, NULL },
	[V_SHIFT] = { "shift_ns", "shift", TT_UNIT_NS, NULL },
	[V_SHARE] = { "shift_share", "of A", TT_UNIT_PERCENT, NULL },
	[V_LOW] = { "low_ns", "at least", TT_UNIT_NS, NULL },
	[V_HIGH] = { "high_ns", "at most", TT_UNIT_NS, NULL },
	[V_ALLOWED] = { "allowed_ns", "allowed", TT_UNIT_NS, NULL },
	[V_P] = { "p", "p", TT_UNIT_TEXT, NULL },
};

static const char *const word[] = {
	[TT_DIFF_NOT_WORSE] = "not worse", [TT_DIFF_WORSE] = "worse", [TT_DIFF_UNDECIDED] = "undecided",
	[TT_DIFF_CANNOT_JUDGE] = "not to be judged",
};

static const char *const why[] = {
	[TT_DIFF_NOT_WORSE] = NULL,
	[TT_DIFF_WORSE] = NULL,
	[TT_DIFF_UNDECIDED] = "the captures spread too much for their number: more of them would tell",
	[TT_DIFF_CANNOT_JUDGE] =
	    "so few captures cannot tell a change from noise: take at least 3 on each side, better 5 to 8",
};

/* ${v} of ${of}, in 1/100 %. */
static int64_t
share_of(int64_t v, int64_t of)
{
	int64_t share = tt_ratio(v < 0 ? -(uint64_t)v : (uint64_t)v, 10000, (uint64_t)of);

	return v < 0 ? -share : share;
}

void
tt_diff_verdict_report(const struct tt_diff_verdict *v, struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, "verdict", "Verdict", col, V_N);
	struct tt_cell *c = tt_row(t);

	t->facts = true;
	t->note = why[v->outcome];
	tt_cell_text(&c[V_VERDICT], word[v->outcome]);
	tt_cell_int(&c[V_SHIFT], v->shift.shift);
	if (v->a > 0)
		tt_cell_int(&c[V_SHARE], share_of(v->shift.shift, v->a));
	if (v->shift.has_low)
		tt_cell_int(&c[V_LOW], v->shift.low);
	if (v->shift.has_high)
		tt_cell_int(&c[V_HIGH], v->shift.high);
	tt_cell_int(&c[V_ALLOWED], v->allowed);
	tt_cell_text(&c[V_P], tt_text(r, "%.5f", v->p));
}
