/**
 * Decides whether side B is worse.
 */
#include "diff/verdict.h"

#include <string.h>

#include "base/setting.h"
#include "diff/diff.h"
#include "out/table.h"
#include "pass/pass.h"
#include "stat/session.h"

#define ALPHA 0.05

/* The means of a side's captures, sorted, and its sessions. */
struct means {
	int64_t *v;
	struct tt_session *session;
	size_t n, nsession;
	const char *first;            /* name of the first session; NULL: none */
};

static int
means(const struct tt_diff *d, unsigned side, struct tt_arena *arena, struct means *m, struct tt_err *err)
{
	const struct tt_diff_side *s = &d->side[side];
	struct tt_in_session *o = tt_arena_alloc(arena, (s->n + 1) * sizeof *o, err);

	*m = (struct means){ .n = s->n };
	m->v = o ? tt_arena_alloc(arena, (s->n + 1) * sizeof *m->v, err) : NULL;
	m->session = m->v ? tt_arena_alloc(arena, (s->n + 1) * sizeof *m->session, err) : NULL;
	if (!m->session)
		return err->code;
	for (size_t i = 0; i < s->n; i++)
		o[i] = (struct tt_in_session){ s->capture[i].session, s->capture[i].time[d->compared_time].mean };
	m->nsession = tt_sessions(o, s->n, m->v, m->session);
	m->first = s->n ? o[0].session : "";
	tt_sort_i64(m->v, s->n);
	return TT_OK;
}

static enum tt_diff_outcome
outcome(double p, double not_worse, bool too_few)
{
	return p <= ALPHA ? TT_DIFF_WORSE : not_worse <= ALPHA ? TT_DIFF_NOT_WORSE : too_few ? TT_DIFF_CANNOT_JUDGE : TT_DIFF_UNDECIDED;
}

/* Judge captures that all belong to one session: test them against each other. */
static int
judge_captures(struct tt_arena *arena, struct tt_mem *mem, const struct means *a, const struct means *b, struct tt_diff_verdict *v,
    struct tt_err *err)
{
	int64_t *up = tt_arena_alloc(arena, (a->n + 1) * sizeof *up, err);
	struct tt_change c;
	double not_worse;
	int rc;

	if (!up)
		return err->code;
	for (size_t i = 0; i < a->n; i++)
		if (__builtin_add_overflow(a->v[i], v->allowed, &up[i]))
			up[i] = INT64_MAX;
	rc = tt_mann_whitney(up, a->n, b->v, b->n, &v->p, mem, err);
	TT_THEN(rc, tt_mann_whitney(b->v, b->n, up, a->n, &not_worse, mem, err));
	TT_THEN(rc, tt_hodges_lehmann(a->v, a->n, b->v, b->n, ALPHA, &v->shift, mem, err));
	if (rc == TT_OK)
		v->outcome = outcome(v->p, not_worse, tt_mann_whitney_least(a->n, b->n) > ALPHA);
	if (rc == TT_OK && v->outcome == TT_DIFF_UNDECIDED && tt_session_change(a->session, 1, b->session, 1, 0, NULL, &c))
		v->nneeded = tt_change_need(&c, (double)v->allowed, ALPHA, a->n > b->n ? a->n : b->n);
	return rc;
}

static int64_t
whole(double v)
{
	return v >= 9e18 ? INT64_MAX : v <= -9e18 ? -INT64_MAX : (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/* Judge captures of several sessions. */
static int
judge_sessions(struct tt_arena *arena, struct tt_mem *mem, const struct means *a, const struct means *b, struct tt_diff_verdict *v,
    struct tt_err *err)
{
	double assumed = (double)(v->a < 0 ? 0 : v->a) * TT_SESSION_SPREAD_PPM / 1e6;
	struct tt_change c;

	v->by_session = true;
	if (!tt_session_change(a->session, a->nsession, b->session, b->nsession, assumed, NULL, &c)) {
		v->p = 1;
		v->shift = (struct tt_shift){ .shift = whole(c.change) };
		v->outcome = TT_DIFF_CANNOT_JUDGE;
		return TT_OK;
	}
	v->is_spread_assumed = c.assumed;
	v->p = tt_change_worse(&c, (double)v->allowed);
	v->shift = (struct tt_shift){ whole(c.change), true, true, whole(tt_change_low(&c, ALPHA)), whole(tt_change_high(&c, ALPHA)) };
	v->outcome = outcome(v->p, tt_change_not_worse(&c, (double)v->allowed), false);
	if (!v->is_spread_assumed || v->outcome != TT_DIFF_UNDECIDED)
		return TT_OK;
	/* is_scattered: they would be undecided even as captures of one session, so that the assumed spread between sessions is not the reason. */
	struct tt_diff_verdict one = { .allowed = v->allowed };
	int rc = judge_captures(arena, mem, a, b, &one, err);
	v->is_scattered = one.outcome == TT_DIFF_UNDECIDED;
	v->nneeded = one.nneeded;
	return rc;
}

int
tt_diff_judge(const struct tt_diff *d, const struct tt_diff_margin *margin, struct tt_diff_verdict *v, struct tt_err *err)
{
	struct tt_arena arena;
	struct means a, b;
	int rc;

	*v = (struct tt_diff_verdict){ .is_of_frames = d->has_frames, .p = 1 };
	tt_arena_init(&arena, &d->env->mem);
	rc = means(d, TT_DIFF_A, &arena, &a, err);
	TT_THEN(rc, means(d, TT_DIFF_B, &arena, &b, err));
	if (rc == TT_OK) {
		v->a = tt_quantile_i64(a.v, a.n, 1, 2);
		v->b = tt_quantile_i64(b.v, b.n, 1, 2);
		v->allowed = margin->e4 < 0 ? margin->ns
			     : v->a < 0     ? 0
					    : tt_ratio((uint64_t)v->a, (uint64_t)margin->e4, 10000);
		if (a.nsession == 1 && b.nsession == 1 && *a.first && strcmp(a.first, b.first) == 0)
			rc = judge_captures(&arena, &d->env->mem, &a, &b, v, err);
		else
			rc = judge_sessions(&arena, &d->env->mem, &a, &b, v, err);
	}
	tt_arena_free(&arena);
	return rc;
}

int
tt_diff_exit(const struct tt_diff_verdict *v)
{
	return tt_verdict_exit(v->outcome == TT_DIFF_NOT_WORSE ? TT_FOUND_NOTHING : v->outcome == TT_DIFF_WORSE ? TT_FOUND_WORSE : TT_FOUND_OPEN);
}

/* --- as a table ------------------------------------------------------------------- */

enum { V_ROW, V_A, V_B, V_CHANGE, V_P, V_VERDICT, V_SHIFT, V_SHARE, V_LOW, V_HIGH, V_ALLOWED, V_N };

static const struct tt_col col[V_N] = {
	[V_ROW] = { "figure", "row", TT_UNIT_TEXT, "What is compared: the mean frame time of captures; without frames their time in markers." },
	[V_A] = { "a_ns", "A", TT_UNIT_NS, "Median of A's captures." },
	[V_B] = { "b_ns", "B", TT_UNIT_NS, "Median of B's captures." },
	[V_CHANGE] = { "change", "change", TT_UNIT_TEXT,
	    "B against A in percent of A, with half the width of the shift's interval; ~: the interval holds no change." },
	[V_VERDICT] = { "verdict", "verdict", TT_UNIT_TEXT, "Whether B is worse, not worse, undecided or not to be judged." },
	[V_SHIFT] = { "shift_ns", "shift", TT_UNIT_NS, "Shift of B against A." },
	[V_SHARE] = { "shift_share", "of A", TT_UNIT_PERCENT, "The same as a share of the median of A's captures." },
	[V_LOW] = { "low_ns", "at least", TT_UNIT_NS, "One-sided 95 % bound of the shift: it is at least this; empty if there are too few captures." },
	[V_HIGH] = { "high_ns", "at most", TT_UNIT_NS, "One-sided 95 % bound of the shift: it is at most this; empty likewise." },
	[V_ALLOWED] = { "allowed_ns", "allowed", TT_UNIT_NS, "The shift that is allowed." },
	[V_P] = { "p", "p", TT_UNIT_TEXT, "Probability of a B this much slower, or more, if it were slower by just what is allowed." },
};

const struct tt_pass_table tt_diff_verdict_table = { .id = "verdict", .title = "Verdict", .col = col, .ncol = V_N };

static const char *const word[] = {
	[TT_DIFF_NOT_WORSE] = "not worse", [TT_DIFF_WORSE] = "worse", [TT_DIFF_UNDECIDED] = "undecided",
	[TT_DIFF_CANNOT_JUDGE] = "not to be judged",
};

/* Advice on the outcome, one sentence; NULL: none. */
static const char *
why(const struct tt_diff_verdict *v, struct tt_report *r)
{
	const char *meta = tt_setting_name[TT_SETTING_META];

	if (v->outcome == TT_DIFF_CANNOT_JUDGE)
		return v->by_session ? "one capture on each side shows nothing: take at least 2, better 5 to 8" :
		    "so few captures cannot tell a change from noise: take at least 3 on each side, better 5 to 8";
	if (!v->by_session || v->is_scattered)
		return v->outcome != TT_DIFF_UNDECIDED ? NULL : v->nneeded ?
		    tt_text(r, "undecided, because the captures vary too much for their number: take about %zu on each side%s, which decide "
		    "4 of 5 such cases, or allow more", v->nneeded, v->is_scattered ? ", all in one job" : "") :
		    tt_text(r, "undecided, because the captures vary too much beside what is allowed: even %d on each side would decide fewer than 4 of 5 "
		    "such cases; run both builds in turn (tracetool ab), or allow more", TT_CHANGE_MAX_SESSIONS);
	if (v->is_spread_assumed)
		return tt_text(r, "%ssessions may differ by %.1f %%, whatever the build, and so few do not show by how much: if one job recorded A and B, "
		    "compare again with %s session=NAME, otherwise record both in one job%s", v->outcome == TT_DIFF_UNDECIDED ? "undecided: " : "",
		    TT_SESSION_SPREAD_PPM / 1e4, meta, v->outcome == TT_DIFF_UNDECIDED ? "" : ", to see smaller changes");
	return v->outcome == TT_DIFF_UNDECIDED ? tt_text(r, "undecided, because sessions differ by more than the change to be found: add sessions to both "
	    "sides, or record both builds in one job and compare with %s session=NAME", meta) : NULL;
}

/* ${v} as a share of ${of}, in 1/100 %. */
static int64_t
share_of(int64_t v, int64_t of)
{
	int64_t share = tt_ratio(v < 0 ? -(uint64_t)v : (uint64_t)v, 10000, (uint64_t)of);

	return v < 0 ? -share : share;
}

/*
 * "+20.0 % ±5.8 %": the difference of B from A as both are printed, and half the width of the interval; "~" if the interval includes no change; as amounts if A
 * is 0.
 */
static const char *
change_text(const struct tt_diff_verdict *v, struct tt_report *r)
{
	const struct tt_shift *s = &v->shift;
	const int64_t half = s->high / 2 - s->low / 2;

	if (s->has_low && s->has_high && s->low <= 0 && s->high >= 0)
		return "~";
	if (v->a <= 0)
		return tt_text(r, "%+lld ns", (long long)(v->b - v->a));
	if (!s->has_low || !s->has_high)
		return tt_text(r, "%+.1f %% \302\261\342\210\236", (double)(v->b - v->a) * 100 / (double)v->a);
	return tt_text(r, "%+.1f %% \302\261%.1f %%", (double)(v->b - v->a) * 100 / (double)v->a, (double)half * 100 / (double)v->a);
}

void
tt_diff_verdict_report(const struct tt_diff_verdict *v, struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, tt_diff_verdict_table.id, tt_diff_verdict_table.title, col, V_N);
	struct tt_cell *c = tt_row(t);

	t->note = why(v, r);
	tt_cell_text(&c[V_ROW], v->is_of_frames ? "frame time, mean" : "time in markers");
	tt_cell_int(&c[V_A], v->a);
	tt_cell_int(&c[V_B], v->b);
	tt_cell_text(&c[V_CHANGE], change_text(v, r));
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
