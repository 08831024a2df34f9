/**
 * Sentences of a verdict for gameplay programmers: rows, hints, summary, remarks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "gate/judge.h"

#include "base/setting.h"
#include "gate/baseline.h"
#include "model/capture.h"
#include "stat/num.h"
#include "stat/trend.h"
#include "view/figures.h"

const char *
tt_verdict_text(struct tt_verdict *v, struct tt_err *err, const char *fmt, ...)
{
	va_list list;
	char *text;

	va_start(list, fmt);
	text = tt_arena_vprintf(&v->arena, err, fmt, list);
	va_end(list);
	return text;
}

/* Amounts as text, for printf; one buffer each. */
struct text { char s[64]; };

static const char *
amount(struct text *t, int64_t v, enum tt_dim dim)
{
	*tt_put_amount(t->s, v, dim) = '\0';
	return t->s;
}

static const char *
change(struct text *t, int64_t v, enum tt_dim dim)
{
	*tt_put_change(t->s, v, dim) = '\0';
	return t->s;
}

static const char *
exact(struct text *t, int64_t v, enum tt_dim dim)
{
	*tt_put_exact(t->s, v, dim) = '\0';
	return t->s;
}

/* Two amounts; where they differ, so do their texts. */
static void
two_amounts(struct text *a, int64_t v, struct text *b, int64_t w, enum tt_dim dim)
{
	if (strcmp(amount(a, v, dim), amount(b, w, dim)) != 0 || v == w)
		return;
	exact(a, v, dim);
	exact(b, w, dim);
}

static const char *
plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* --- rows --------------------------------------------------------------------------------- */

/* Is it the row that there is by default, or another of its kind: does a capture break off? */
static bool
is_ended(const struct tt_verdict_row *r)
{
	return r->row->measure.metric->family == TT_FAM_UNENDED && !r->row->exact && r->row->max.kind == TT_LIMIT_AMOUNT &&
	    r->row->max.v == 0;
}

/* True if the figure can be below 0. */
static bool
is_signed(const struct tt_verdict_row *r)
{
	return r->row->measure.metric->family == TT_FAM_COUNTER || r->row->measure.metric->family == TT_FAM_CELL;
}

/* "+12.4 %", or the amount where the baseline is 0. A bound may lie further down than to nothing, a figure cannot. */
static const char *
share(const struct tt_verdict_row *r, struct text *t, int64_t v, int64_t ppm)
{
	if (r->base == 0)
		return change(t, v, r->dim);
	*tt_put_ppm(t->s, ppm < -1000000 && !is_signed(r) ? -1000000 : ppm) = '\0';
	return t->s;
}

/* The shift and its limit in amounts, if their shares print the same although one is larger. */
static void
shift_and_limit(const struct tt_verdict_row *r, struct text *shift, struct text *limit)
{
	int64_t allowed = r->limit_is_min ? -r->limit : r->limit;

	if (r->would != TT_WORSE || r->crept_alone || strcmp(shift->s, limit->s) != 0)
		return;
	shift->s[0] = limit->s[0] = '+';
	*tt_put_exact(shift->s + (r->shift >= 0), r->shift, r->dim) = '\0';
	*tt_put_exact(limit->s + (allowed >= 0), allowed, r->dim) = '\0';
}

/* "; 2 have no figure" */
static const char *
missing(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *text = "";

	if (r->missing)
		text = tt_verdict_text(v, err, "; %zu %s no figure", r->missing, r->missing == 1 ? "has" : "have");
	return text;
}

/* How many captures, and how one figure was made of them. */
static const char *
captures(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	static const char *const how[] = { "median of", "worst of", "best of", "mean of", "all frames of" };
	const char *gaps = missing(v, r, err);
	struct text t;

	if (!gaps || r->row->captures || (r->n == 1 && r->npoint == 1))
		return gaps;
	for (size_t i = 0; i < r->npoint; i++)
		if (r->worst == r->point[i].sample && r->would == TT_BREACH && r->point[i].v != r->value)
			return tt_verdict_text(v, err, " (%s %zu capture%s%s; worst %s in %s)", how[r->row->over], r->n, plural(r->n), gaps,
			    amount(&t, r->point[i].v, r->dim), r->worst->name);
	return tt_verdict_text(v, err, " (%s %zu capture%s%s)", how[r->row->over], r->n, plural(r->n), gaps);
}

/* Is the limit all in its text, whose commas are there for people? */
static bool
is_told(const struct text *t, int64_t limit, enum tt_dim dim)
{
	static const char per[] = " per 1000";
	char plain[sizeof t->s], *p = plain;
	int64_t back;

	for (const char *s = t->s; *s && strcmp(s, per) != 0; s++)
		if (*s != ',')
			*p++ = *s;
	*p = '\0';
	return tt_amount_parse(plain, dim, &back) == NULL && back == limit;
}

/* The figure and its limit, as finely as they were written, and so that one can be told from the other. */
static void
value_and_limit(const struct tt_verdict_row *r, struct text *value, struct text *limit)
{
	two_amounts(value, r->value, limit, r->limit, r->dim);
	if (is_told(limit, r->limit, r->dim))
		return;
	if (r->value != r->limit && r->dim == TT_DIM_BYTES && strcmp(value->s, amount(limit, r->limit, r->dim)) != 0) {
		snprintf(limit->s, sizeof limit->s, "%.60s", r->limit_is_min ? r->row->min.text : r->row->max.text);
		return;
	}
	exact(value, r->value, r->dim);
	exact(limit, r->limit, r->dim);
}

static const char *
absolute_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *of = captures(v, r, err), *side = r->limit_is_min ? "below" : "over";
	struct text value, limit, off;

	if (!of)
		return NULL;
	value_and_limit(r, &value, &limit);
	if (r->would != TT_BREACH)
		return tt_verdict_text(v, err, "%s, limit %s%s%s", value.s, r->limit_is_min ? "at least " : "", limit.s, of);
	if (r->limit == 0)
		return tt_verdict_text(v, err, "%s, and none is allowed%s", value.s, of);
	*tt_put_ppm(off.s, tt_scale(r->value - r->limit, 1000000, r->limit)) = '\0';
	return tt_verdict_text(v, err, "%s, %s the limit of %s (%s)%s", value.s, side, limit.s, off.s, of);
}

/* "a.ttc did not end (1 of 4 captures): ..." */
static const char *
ended_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < r->npoint; i++)
		n += r->point[i].known && r->point[i].v > 0;
	if (n == 0)
		return tt_verdict_text(v, err, "no capture breaks off (%zu capture%s)", r->n, plural(r->n));
	if (r->npoint == 1)
		return tt_verdict_text(v, err, "%s did not end: only what it holds is judged", r->worst->name);
	return tt_verdict_text(v, err, "%s did not end (%zu of %zu captures): only what it holds is judged", r->worst->name, n, r->npoint);
}

static const char *
exact_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *gaps = missing(v, r, err);
	struct text value, base;

	if (!gaps)
		return NULL;
	amount(&value, r->value, r->dim);
	amount(&base, r->base, r->dim);
	if (r->would == TT_PASS)
		return tt_verdict_text(v, err, "%s, as in the baseline (%zu capture%s%s)", value.s, r->n, plural(r->n), gaps);
	for (size_t i = 0; i < r->npoint; i++)
		if (r->worst == r->point[i].sample)
			two_amounts(&value, r->point[i].v, &base, r->base, r->dim);
	return tt_verdict_text(v, err, "%s in %s, was exactly %s%s", value.s, r->worst->name, base.s, gaps);
}

/* " of 3 sessions (which differ by 0.8 %)" */
static const char *
sessions_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	struct text spread;

	if (!r->by_session)
		return " of the same session";
	if (r->spread == 0)
		return tt_verdict_text(v, err, r->before ? " of %zu session%s (sessions assumed to differ as the %zu before the accepted one do)" :
		    " of %zu session%s", r->sessions, plural(r->sessions), r->before);
	amount(&spread, r->spread, r->dim);
	if (r->base != 0)
		*tt_put_ppm(spread.s, r->spread_ppm) = '\0';
	if (r->before)
		return tt_verdict_text(v, err, " of %zu session%s (sessions assumed to differ by %s, as the %zu before the accepted one do)", r->sessions,
		    plural(r->sessions), spread.s + (spread.s[0] == '+'), r->before);
	return tt_verdict_text(v, err, " of %zu session%s (%s by %s)", r->sessions, plural(r->sessions),
	    r->spread_assumed ? "sessions assumed to differ" : "which differ", spread.s + (spread.s[0] == '+'));
}

/* "8 captures against 24 of 3 sessions (which differ by 0.8 %); 1 has no figure; +5.4 % would be found in 95 of 100 cases" */
static const char *
evidence_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *of = sessions_text(v, r, err), *gaps = of ? missing(v, r, err) : NULL;
	int64_t sign = r->limit_is_min ? -1 : 1;
	size_t lacking = r->nbase_point - r->m;
	struct text seen;

	if (gaps && lacking)
		gaps = tt_verdict_text(v, err, "%s; %zu of the baseline's %s none", gaps, lacking, lacking == 1 ? "has" : "have");
	if (!gaps)
		return NULL;
	of = tt_verdict_text(v, err, "%zu capture%s against %zu%s%s", r->n, plural(r->n), r->m, of, gaps);
	if (r->would == TT_WORSE || !of)
		return of;
	return tt_verdict_text(v, err, "%s; %s would be found in 95 of 100 cases", of, share(r, &seen, sign * r->seen, sign * r->seen_ppm));
}

/* "16.7 ms, was 16.2 ms: +3.1 % (+2.0 % to +4.1 %), allowed +2.0 %" */
static const char *
shift_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	struct text value, base, shift, low, high, limit;
	int64_t sign = r->limit_is_min ? -1 : 1, size = r->base < 0 ? -r->base : r->base;

	amount(&value, r->value, r->dim);
	amount(&base, r->base, r->dim);
	if (r->would == TT_WORSE)
		two_amounts(&value, r->value, &base, r->base, r->dim);
	share(r, &shift, r->shift, r->shift_ppm);
	share(r, &limit, sign * r->limit, tt_scale(sign * r->limit, 1000000, size));
	shift_and_limit(r, &shift, &limit);
	return tt_verdict_text(v, err, "%s, was %s%s: %s (%s to %s), allowed %s", value.s, base.s,
	    r->value == r->base && r->would == TT_WORSE && !r->crept_alone ? " in the median, and most pairs differ" : "", shift.s,
	    share(r, &low, r->low, r->low_ppm), share(r, &high, r->high, r->high_ppm), limit.s);
}

/* "has crept +7.4 % since session 2026-11-02 (15 sessions), allowed +5.0 %; " */
static const char *
crept_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	int64_t sign = r->limit_is_min ? -1 : 1;
	struct text crept, limit;

	share(r, &limit, sign * r->limit, tt_scale(sign * r->limit, 1000000, r->base < 0 ? -r->base : r->base));
	return tt_verdict_text(v, err, "has crept %s since session %s (%zu sessions), allowed %s; now ", share(r, &crept, r->trend, r->trend_ppm),
	    r->trend_since, r->trend_sessions, limit.s);
}

static const char *
relative_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *shift = shift_text(v, r, err), *of = shift ? evidence_text(v, r, err) : NULL, *crept = of && r->crept ? crept_text(v, r, err) : NULL;
	struct text trend;

	if (!of || (r->crept && !crept))
		return NULL;
	if (r->crept)
		shift = tt_verdict_text(v, err, "%s%s", crept, shift);
	else if (r->trend_tested)
		of = tt_verdict_text(v, err, "%s; %s since session %s", of, share(r, &trend, r->trend, r->trend_ppm), r->trend_since);
	if (!shift || !of)
		return NULL;
	if (r->would == TT_WORSE && !r->crept_alone && r->p_adjusted > 0)
		return tt_verdict_text(v, err, "%s; p = %.2g, %s", shift, r->p_adjusted, of);
	if (r->would == TT_UNDECIDED)
		return tt_verdict_text(v, err, "%s: %s; %s", shift, r->in_captures ? "too few captures, because they vary this much" :
		    "within what sessions differ", of);
	return tt_verdict_text(v, err, "%s; %s", shift, of);
}

static const char *
cannot_text(struct tt_verdict *v, const struct tt_verdict_row *r, const char *why, struct tt_err *err)
{
	if (why)
		return why;
	if (r->tested) {
		const char *rows = r->ntested > 1 ? tt_verdict_text(v, err, " in %zu rows", r->ntested) : "";

		if (rows && r->need_here && r->m >= r->need)
			return tt_verdict_text(v, err, "%zu capture%s against %zu are too few to show a change%s: record at least %zu", r->n,
			    plural(r->n), r->m, rows, r->need_here);
		if (rows && r->need_here)
			rows = tt_verdict_text(v, err, "%s: record at least %zu, or", rows, r->need_here);
		else if (rows)
			rows = tt_verdict_text(v, err, "%s: record at least", rows);
		return rows ? tt_verdict_text(v, err, "%zu capture%s against %zu are too few to show a change%s %zu on each side", r->n, plural(r->n),
		    r->m, rows, r->need) : NULL;
	}
	return tt_verdict_text(v, err, "%zu capture%s, where the row wants at least %zu", r->n, plural(r->n), r->need);
}

/* What the worst frame of the worst capture is made of; NULL: there is none, or the row is about markers or threads. */
static const char *
worst_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	bool by_cpu = tt_measure_is_cpu(&r->row->measure);
	const struct tt_worst *w = by_cpu ? r->worst->busiest : r->worst->worst;
	const char *text = "";
	struct text t;

	if (!(by_cpu ? r->worst->nbusiest : r->worst->nworst) || tt_measure_is_of_some(&r->row->measure))
		return NULL;
	for (unsigned i = 0; i < w->ntop && text; i++)
		text = tt_verdict_text(v, err, "%s%s %s %s", text, i ? "," : ":", w->top[i].name,
		    amount(&t, tt_scale(w->top[i].self_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME));
	return text ? tt_verdict_text(v, err, "worst frame %llu of %s, %s%s%s", (unsigned long long)w->number, r->worst->name,
	    amount(&t, tt_scale(by_cpu ? w->cpu_ns : w->dur_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME), by_cpu ? " of CPU-active time" : "", text) : NULL;
}

/* Of the sites that the row is about the largest, or the next after ${before}; NULL: there are no more. */
static const struct tt_part *
ranked(const struct tt_verdict_row *r, const struct tt_part *before)
{
	bool counts = tt_measure_counts(&r->row->measure), framed = tt_measure_framed(&r->row->measure);
	const struct tt_part *best = NULL;

	for (size_t i = 0; i < r->worst->npart; i++) {
		const struct tt_part *p = &r->worst->part[i];
		int64_t v = counts ? p->count : p->v, least = !before ? INT64_MAX : counts ? before->count : before->v;

		if (p->about != TT_ABOUT_ALLOC || p->framed != framed || v > least || (before && v == least && p <= before))
			continue;
		if (!best || v > (counts ? best->count : best->v))
			best = p;
	}
	return best;
}

/* Who allocates most in the worst capture. */
static const char *
sites_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	bool counts = tt_measure_counts(&r->row->measure);
	const char *text = NULL;
	const struct tt_part *p = NULL;
	struct text t;

	for (size_t n = 0; n < 3 && (p = ranked(r, p)); n++) {
		amount(&t, counts ? p->count : p->v, counts ? TT_DIM_NUMBER : TT_DIM_BYTES);
		text = tt_verdict_text(v, err, "%s%s %s %s", text ? text : counts ? "most allocations are by" : "most is allocated by",
		    n ? "," : "", p->name, t.s);
		if (!text)
			return NULL;
	}
	return text && tt_measure_framed(&r->row->measure) ? tt_verdict_text(v, err, "%s per frame", text) : text;
}

static int
hint(struct tt_verdict *v, struct tt_verdict_row *r, struct tt_err *err)
{
	err->code = TT_OK;
	if (r->hint)
		return TT_OK;                 /* of an A/B run */
	if (r->would == TT_UNDECIDED)
		r->hint = r->need_here ? tt_verdict_text(v, err, "record about %zu captures on each side, or allow more", r->need_here) :
		    r->in_captures ? "record more captures, or allow more" : r->spread_assumed ?
		    "add sessions to the baseline, which then shows how much they differ; or run both builds in one session (tracetool ab); or allow more" :
		    "run both builds in one session (tracetool ab), or allow more: more captures of a session change nothing";
	else if (r->would == TT_BREACH && r->row->exact && r->value < r->base)
		r->hint = "if fewer are meant, save a new baseline";
	else if (r->would == TT_BREACH && r->row->measure.metric->about == TT_ABOUT_ALLOC && r->nmover == 0)
		r->hint = sites_text(v, r, err);
	else if (r->would == TT_BREACH && is_ended(r))
		r->hint = r->row->level == TT_LEVEL_ERROR ? "the program crashed, was killed or still runs; if that is meant, set integrity.ended "
		    "in the budget" : "the program crashed, was killed or still runs";
	else if (r->would == TT_BREACH && r->row->measure.metric->about == TT_ABOUT_TIME && r->nmover == 0)
		r->hint = worst_text(v, r, err);
	return err->code < 0 ? err->code : TT_OK;
}

int
tt_row_words(struct tt_verdict *v, struct tt_verdict_row *r, const char *why, const char *accept, struct tt_err *err)
{
	const struct tt_waive *w = &r->row->waive;

	if (r->would == TT_CANNOT_JUDGE)
		r->text = cannot_text(v, r, why, err);
	else if (r->gone && !r->has_value)
		r->text = "there is none of it in these captures";
	else if (r->would == TT_SKIPPED)
		r->text = why;
	else if (r->text)
		;                     /* of an A/B run: judge_pairs.c */
	else if (r->row->relative)
		r->text = relative_text(v, r, err);
	else if (is_ended(r))
		r->text = ended_text(v, r, err);
	else
		r->text = r->row->exact ? exact_text(v, r, err) : absolute_text(v, r, err);
	if (r->text && r->outcome == TT_WAIVED)
		r->text = tt_verdict_text(v, err, "%s: %s; waived until %s%s%s: %s", tt_outcome_name[r->would], r->text, w->until,
		    w->who ? " by " : "", w->who ? w->who : "", w->why);
	else if (r->text && r->outcome == TT_ACCEPTED)
		r->text = tt_verdict_text(v, err, "%s: %s; accepted: %s", tt_outcome_name[r->would], r->text, accept);
	if (!r->text)
		return err->code;
	return hint(v, r, err);
}

/* --- the whole ------------------------------------------------------------------------------- */

static int
remark(struct tt_verdict *v, const char *text, struct tt_err *err)
{
	if (!text)
		return err->code;
	v->remark[v->nremark++] = text;
	return TT_OK;
}

/* Has what the row is about left the frame thread? */
static bool
is_elsewhere(const struct tt_verdict_row *r)
{
	return r->npoint && tt_row_absent(r) && r->point[0].sample->value[r->row->which].elsewhere;
}

static int
row_remarks(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *until = r->row->waive.until;
	int rc = TT_OK;

	if (until && strcmp(v->today, until) > 0)
		rc = remark(v, tt_verdict_text(v, err, "%s: its waiver ended on %s (today is %s)", r->name, until, v->today), err);
	if (rc == TT_OK && r->row->relative && r->row->level != TT_LEVEL_OFF && tt_stat_loud(r->row->measure.stat))
		rc = remark(v, tt_verdict_text(v, err, "%s: %s of a capture depends on a few frames and varies too much to be compared: count frames over a "
		    "limit per thousand instead", r->name,
		    tt_stat_name[r->row->measure.stat]), err);
	if (rc == TT_OK && r->gone && r->outcome != TT_CANNOT_JUDGE && is_elsewhere(r))
		rc = remark(v, tt_verdict_text(v, err, "%s: it is on the frame thread in the %s, and not any more: %s", r->name,
		    v->ab ? "old build" : "baseline", tt_row_absent(r)), err);
	else if (rc == TT_OK && r->gone && r->outcome != TT_CANNOT_JUDGE)
		rc = remark(v, tt_verdict_text(v, err, "%s: \"%s\" is in the %s and in no capture%s: take the row out if it was removed, or give its new "
		    "name", r->name, r->row->measure.select, v->ab ? "old build" : "baseline", v->ab ? " of the new one" : ""), err);
	else if (rc == TT_OK && r->outcome == TT_PASS && tt_row_absent(r))
		rc = remark(v, tt_verdict_text(v, err, "%s: %s", r->name, tt_row_absent(r)), err);
	return rc;
}

/* Why the row keeps captures out of a baseline that others are in. */
static const char *
unfit_text(const struct tt_verdict_row *r)
{
	if (is_ended(r))
		return "finds a capture that did not end";
	if (r->would == TT_UNDECIDED)
		return "is above its limit, and the captures differ too much to decide it: record again, or accept the captures with a reason";
	return r->would == TT_CANNOT_JUDGE ? "cannot be judged" :
	    r->would == TT_WORSE ? r->missing > r->row->max_missing ? "is worse, and captures have no figure" : "is worse" : "breaks its limit";
}

/* A new baseline takes captures as they are. */
static int
unended_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++)
		if (is_ended(&v->row[i]) && v->row[i].would == TT_BREACH && !v->row[i].worst->damaged)
			rc = remark(v, tt_verdict_text(v, err, "the baseline gets a capture that did not end, and may look better than whole ones: %s",
			    v->row[i].worst->name), err);
	return rc;
}

/* Do the captures come to the baseline, and what as? */
static int
saved_remark(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	if (o->append && v->unfit)
		return remark(v, tt_verdict_text(v, err, "not appended to %s%s: %s %s", o->append, o->accept ? ", and nothing is accepted" : "", v->unfit->name,
		    unfit_text(v->unfit)), err);
	if (o->first && v->unfit && v->base)
		return remark(v, tt_verdict_text(v, err, "not saved: %s %s; %s adds such captures if a reason is given",
		    v->unfit->name, unfit_text(v->unfit), tt_setting_name[TT_SETTING_APPEND]), err);
	if (o->accept && !v->accepts)
		return remark(v, tt_verdict_text(v, err, "nothing fails that could be accepted: the captures are no new level, but appended as others are "
		    "(\"tracetool baseline accept\" makes a session one)"), err);
	return o->first && !o->append ? unended_remarks(v, err) : TT_OK;
}

/* What happens to the baseline. */
static int
base_remarks(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	const char *more = v->nknown > 1 ? ", ..." : "";
	int rc = saved_remark(v, o, err);

	if (rc == TT_OK && o->first && v->nempty)
		rc = remark(v, tt_verdict_text(v, err, "%zu of the captures %s no event, and %s not saved: %s%s", v->nempty,
		    v->nempty == 1 ? "holds" : "hold", v->nempty == 1 ? "is" : "are", v->empty->name, v->nempty > 1 ? ", ..." : ""), err);
	if (rc == TT_OK && v->nknown)
		rc = remark(v, tt_verdict_text(v, err, "%zu of the captures %s in %s %s: %s%s", v->nknown, v->nknown == 1 ? "is" : "are",
		    v->base->path, o->append ? "already, and not appended again" : "too: compared with itself, a capture is no worse",
		    v->known->name, more), err);
	return rc;
}

static bool
any_tells(const struct tt_sample *s, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (tt_sample_fact(&s[i], key))
			return true;
	return false;
}

/* Facts of the budget's fingerprint that nothing has: they are misspelt, or were never added with --meta. */
static int
fingerprint_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (const char **key = v->budget->fingerprint; v->budget->own_fingerprint && *key && rc == TT_OK; key++)
		if (!any_tells(v->sample, v->nsample, *key) && !(v->base && any_tells(v->base->sample, v->base->nsample, *key)))
			rc = remark(v, tt_verdict_text(v, err, "no capture%s has the fact \"%s\" of the fingerprint: check its spelling (tracetool info "
			    "lists facts)", v->base ? ", nor the baseline," : "", *key), err);
	return rc;
}

/* Captures whose layout the reader is not sure of: for each reason, the first one and how many more. */
static int
layout_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (enum tt_layout how = 0; how <= TT_LAYOUT_FORCED && rc == TT_OK; how++) {
		const char *note = NULL, *name = NULL;
		size_t n = 0;

		for (size_t i = 0; i < v->nsample; i++) {
			const char *fact = tt_sample_fact(&v->sample[i], TT_META_LAYOUT);

			if (!fact || strcmp(fact, tt_layout_name(how)) != 0 || !(note = tt_layout_note(fact)))
				continue;
			name = n++ ? name : v->sample[i].name;
		}
		if (n > 0)
			rc = remark(v, n > 1 ? tt_verdict_text(v, err, "%s and %zu more: %s", name, n - 1, note) :
			    tt_verdict_text(v, err, "%s: %s", name, note), err);
	}
	return rc;
}

/* That a trend was asked for, and there are too few sessions for one. */
static int
trend_remark(struct tt_verdict *v, struct tt_err *err)
{
	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (r->trend_sessions && !r->trend_tested)
			return remark(v, tt_verdict_text(v, err, "creep is not judged: it takes %d sessions, and with these captures there are %zu since %s",
			    TT_TREND_LEAST, r->trend_sessions, r->trend_since), err);
	}
	return TT_OK;
}

/* Is a row about the wall time of frames? */
static bool
looks_at_wall(const struct tt_verdict *v)
{
	for (size_t i = 0; i < v->nrow; i++)
		if (tt_measure_is_wall(&v->row[i].row->measure) && v->row[i].row->level != TT_LEVEL_OFF)
			return true;
	return false;
}

/* How much of the wall time that is judged is the Editor's. */
static int
editor_remark(struct tt_verdict *v, struct tt_err *err)
{
	const struct tt_sample *most = NULL;
	size_t n = 0;

	for (size_t i = 0; i < v->nsample; i++) {
		n += v->sample[i].editor > 0;
		if (v->sample[i].editor > (most ? most->editor : 0))
			most = &v->sample[i];
	}
	if (!most || !looks_at_wall(v))
		return TT_OK;
	const char *others = n > 1 ? tt_verdict_text(v, err, ", and no more in %zu others", n - 1) : "";
	return remark(v, others ? tt_verdict_text(v, err, "%lld %% of the frame time of %s is the Unity Editor's%s, and judged with the game's: %s "
	    "leaves it out", (long long)most->editor, most->name, others, tt_setting_name[TT_SETTING_PLAYER_ONLY]) : NULL, err);
}

/* The median number of frames of ${n} captures. */
static int
usual_frames(const struct tt_sample *s, size_t n, struct tt_arena *a, uint64_t *frames, struct tt_err *err)
{
	int64_t *of = tt_arena_alloc(a, (n + 1) * sizeof *of, err);

	if (!of)
		return err->code;
	for (size_t i = 0; i < n; i++)
		of[i] = (int64_t)s[i].frames;
	tt_sort_i64(of, n);
	*frames = n ? (uint64_t)of[(n - 1) / 2] : 0;
	return TT_OK;
}

/* In an A/B run: one build's captures have less than half of the frames of the other's, which figures per frame do not show. */
static int
frames_remark(struct tt_verdict *v, struct tt_err *err)
{
	uint64_t now = 0, was = 0;

	if (!v->ab || usual_frames(v->sample, v->nsample, &v->arena, &now, err) != TT_OK ||
	    usual_frames(v->base->sample, v->base->nsample, &v->arena, &was, err) != TT_OK)
		return v->ab ? err->code : TT_OK;
	if (!now || !was || (now <= 2 * was && was <= 2 * now))
		return TT_OK;
	return remark(v, tt_verdict_text(v, err, "a capture of the new build has %llu frames in the median, one of the old build %llu, and most figures are "
	    "per frame: was the %s one cut short (crash, exit status, parts that were skipped)?", (unsigned long long)now, (unsigned long long)was,
	    now < was ? "new" : "old"), err);
}

/* The time that frames of ${p} are capped at: of several the first; 0: none are. *${capped}: how many captures are so. */
static int64_t
cap_of(const struct tt_point *p, size_t n, size_t *capped)
{
	int64_t cap = 0;

	*capped = 0;
	for (size_t i = 0; i < n; i++) {
		*capped += p[i].sample->cap_ns > 0;
		cap = cap ? cap : p[i].sample->cap_ns;
	}
	return cap;
}

/* Is the row's figure the frame limit's? One that counts frames clearly longer than the limit is not: those are held back by nothing. */
static bool
is_blind(const struct tt_verdict_row *r)
{
	const struct tt_measure *x = &r->row->measure;
	size_t n;
	int64_t now = cap_of(r->point, r->npoint, &n), base = cap_of(r->base_point, r->nbase_point, &n), cap = now > base ? now : base;

	if (!cap || r->row->level == TT_LEVEL_OFF || r->would == TT_CANNOT_JUDGE || !tt_measure_is_wall(x))
		return false;
	return x->metric->family != TT_FAM_OVER || x->limit_ns <= cap + cap / 10;
}

/* "60 fps (16.7 ms)", " in 3 of 5 captures", " in the baseline": where frames are capped that ${r} looks at. */
static const char *
capped_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *these = v->ab ? "in the new build" : "in these captures", *those = v->ab ? "in the old build" : "in the baseline";
	char now_text[TT_CAP_TEXT], base_text[TT_CAP_TEXT];
	size_t now_n, base_n;
	int64_t now = cap_of(r->point, r->npoint, &now_n), base = cap_of(r->base_point, r->nbase_point, &base_n);

	*(now ? tt_put_cap(now_text, now) : now_text) = '\0';
	*(base ? tt_put_cap(base_text, base) : base_text) = '\0';
	if (now && now_n < r->npoint)
		return tt_verdict_text(v, err, "%s in %zu of %zu captures", now_text, now_n, r->npoint);
	if (now && (r->nbase_point == 0 || strcmp(now_text, base_text) == 0))
		return tt_verdict_text(v, err, "%s", now_text);
	if (now && base)
		return tt_verdict_text(v, err, "%s %s, and at %s %s", now_text, these, base_text, those);
	return tt_verdict_text(v, err, "%s %s, and not %s", now ? now_text : base_text, now ? these : those, now ? those : these);
}

/* That the wall time of capped frames shows no work below the cap, and what to take for each kind of row. */
static int
cap_remark(struct tt_verdict *v, struct tt_err *err)
{
	static const char *const instead[] = { "frame.cpu for frame.time", "frame.cpu.over for frame.over", "frame.cpu with a max for frame.fps",
		"the row \"cpu\" for \"wall\"" };
	const struct tt_verdict_row *first = NULL;
	bool used[sizeof instead / sizeof *instead] = { 0 };
	const char *take = "", *more = "";
	size_t n = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		enum tt_family f = v->row[i].row->measure.metric->family;

		if (!is_blind(&v->row[i]))
			continue;
		first = first ? first : &v->row[i];
		n++;
		used[f == TT_FAM_FRAME ? 0 : f == TT_FAM_OVER ? 1 : f == TT_FAM_FPS ? 2 : 3] = true;
	}
	if (n == 0)
		return TT_OK;
	for (size_t i = 0; i < sizeof instead / sizeof *instead && take; i++)
		if (used[i])
			take = tt_verdict_text(v, err, "%s%s%s", take, *take ? ", " : "", instead[i]);
	if (n > 1)
		more = tt_verdict_text(v, err, " and %zu more row%s", n - 1, plural(n - 1));
	const char *at = take && more ? capped_text(v, first, err) : NULL;

	return remark(v, at ? tt_verdict_text(v, err, "%s%s: frames are capped at %s, so wall time does not show work that grows below that: "
	    "take %s", first->name, more, at, take) : NULL, err);
}

/* Captures that are judged by nothing, or are damaged. */
static int
capture_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	if (v->nalone)
		rc = remark(v, tt_verdict_text(v, err, "%zu capture%s without the fact \"%s\" %s in no group, and judged by no row: %s%s",
		    v->nalone, plural(v->nalone), v->group_by, v->nalone == 1 ? "is" : "are", v->alone->name, v->nalone > 1 ? ", ..." : ""), err);
	for (size_t i = 0; i < v->nsample && rc == TT_OK; i++)
		if (v->sample[i].damaged)
			rc = remark(v, tt_verdict_text(v, err, "%s is damaged: %s", v->sample[i].name,
			    v->sample[i].damage ? v->sample[i].damage : "see its losses"), err);
	return rc;
}

/* Rows that are newer than the baseline, and how they get one. */
static int
fresh_remark(struct tt_verdict *v, struct tt_err *err)
{
	const struct tt_verdict_row *first = NULL;
	const char *more = "";
	size_t n = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		first = v->row[i].fresh && !first ? &v->row[i] : first;
		n += v->row[i].fresh;
	}
	if (n > 1)
		more = tt_verdict_text(v, err, " and %zu more row%s", n - 1, plural(n - 1));
	return n == 0 ? TT_OK : remark(v, more ? tt_verdict_text(v, err, "%s%s: not judged, because no session of %s has the figure yet; sessions appended "
	    "from now on have it (%s)", first->name, more, v->base->path, tt_setting_name[TT_SETTING_APPEND]) : NULL, err);
}

static int
all_row_remarks(struct tt_verdict *v, struct tt_err *err)
{
	bool assumed = false;
	int rc = TT_OK;

	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		rc = row_remarks(v, &v->row[i], err);
		assumed |= v->row[i].tested && v->row[i].by_session && v->row[i].spread_assumed;
	}
	if (rc == TT_OK && assumed)
		rc = remark(v, tt_verdict_text(v, err, "the baseline has too few sessions to show how much they differ: %lld.%lld %% is assumed, which is "
		    "%s; three sessions show their own spread: add sessions with %s", (long long)(v->budget->session_ppm / 10000),
		    (long long)(v->budget->session_ppm / 1000 % 10), v->budget->own_session_spread ? "the budget's session_spread" :
		    "the usual one (session_spread in the budget sets another)", tt_setting_name[TT_SETTING_APPEND]), err);
	return rc;
}

static int
mixed_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < v->nmixed && rc == TT_OK; i++)
		rc = remark(v, tt_verdict_text(v, err, "%s looks at captures of several kinds together: %s is %s%s %s%s; give rows a \"where\", or "
		    "use %s %s", v->mixed[i].row->name, v->mixed[i].key, v->mixed[i].value, v->mixed[i].more ? "," : " and", v->mixed[i].other,
		    v->mixed[i].more ? " and others" : "",
		    tt_setting_name[TT_SETTING_GROUP_BY], v->mixed[i].key), err);
	return rc;
}

static int
remarks(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	static int (*const about[])(struct tt_verdict *, struct tt_err *) = { capture_remarks, frames_remark, layout_remarks, editor_remark, cap_remark,
		all_row_remarks, fresh_remark, trend_remark, mixed_remarks, fingerprint_remarks };
	size_t nfact = 0;
	int rc = TT_OK;

	while (v->budget->fingerprint[nfact])
		nfact++;
	v->remark = tt_arena_alloc(&v->arena, (4 * v->nrow + v->nsample + v->nmixed + nfact + 12) * sizeof *v->remark, err);
	if (!v->remark)
		return err->code;
	for (size_t i = 0; i < sizeof about / sizeof *about && rc == TT_OK; i++)
		rc = about[i](v, err);
	return rc == TT_OK ? base_remarks(v, o, err) : rc;
}

/* " (+53 %)": what the pairs of an A/B run show of ${r}, though too few to judge it by; "" where that is not known. NULL: out of memory. */
static const char *
shown_change(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	char change[64];

	if (!v->ab || r->fails || !r->has_value || !r->has_base || (!r->pairs && r->base <= 0))
		return "";
	/* As the row itself has it, where pairs are enough for that. */
	if (r->pairs && !r->has_ratio)
		*tt_put_change(change, r->shift, r->dim) = '\0';
	else
		*tt_put_ppm(change, r->pairs ? r->shift_ppm : tt_scale(r->value - r->base, 1000000, r->base)) = '\0';
	return tt_verdict_text(v, err, " (%s)", change);
}

/* The names of up to three rows that ${is} chooses. */
static const char *
names(struct tt_verdict *v, bool (*is)(const struct tt_verdict_row *), struct tt_err *err)
{
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; i < v->nrow && text; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (!is(r))
			continue;
		const char *change = n < 3 ? shown_change(v, r, err) : NULL;
		if (n < 3)
			text = change ? tt_verdict_text(v, err, "%s%s%s%s", text, n ? ", " : "", r->name, change) : NULL;
		n++;
	}
	return n > 3 && text ? tt_verdict_text(v, err, "%s and %zu more", text, n - 3) : text;
}

static bool
is_failing(const struct tt_verdict_row *r)
{
	return r->fails;
}

static bool
is_unjudged(const struct tt_verdict_row *r)
{
	return r->outcome == TT_CANNOT_JUDGE && r->row->level == TT_LEVEL_ERROR;
}

static bool
is_undecided(const struct tt_verdict_row *r)
{
	return r->outcome == TT_UNDECIDED && r->row->level == TT_LEVEL_ERROR;
}

/* Of a gate for which undecided rows are inconclusive, too. */
static bool
is_either(const struct tt_verdict_row *r)
{
	return is_unjudged(r) || is_undecided(r);
}

static size_t
count(const struct tt_verdict *v, bool (*is)(const struct tt_verdict_row *))
{
	size_t n = 0;

	for (size_t i = 0; i < v->nrow; i++)
		n += is(&v->row[i]);
	return n;
}

/* ", 2 by a wider limit, so a change may be hidden: frame-trimmed up to +8.0 %, frame-p95 up to +8.4 %"; NULL: out of memory. */
static const char *
widened(struct tt_verdict *v, struct tt_err *err)
{
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; i < v->nrow && text; i++) {
		const struct tt_verdict_row *r = &v->row[i];
		int64_t most = r->limit_is_min ? -r->limit : r->limit;
		char upto[64];

		if (!r->asked)
			continue;
		if (r->has_ratio)
			*tt_put_ppm(upto, tt_scale(most, 1000000, r->base < 0 ? -r->base : r->base)) = '\0';
		else
			*tt_put_change(upto, most, r->dim) = '\0';
		if (n++ < 3)
			text = tt_verdict_text(v, err, "%s%s%s up to %s", text, n > 1 ? ", " : "", r->name, upto);
	}
	return n && text ? tt_verdict_text(v, err, ", %zu by a wider limit, so a change may be hidden: %s%s", n, text, n > 3 ? ", ..." : "") : text;
}

/* ", 2 undecided, 1 waived, accepted: new lighting": what a passing summary must not hide. */
static const char *
besides(struct tt_verdict *v, const char *accept, struct tt_err *err)
{
	static const enum tt_outcome shown[] = { TT_UNDECIDED, TT_CANNOT_JUDGE, TT_WAIVED, TT_SKIPPED };
	const char *text = "", *wide = widened(v, err);

	for (size_t i = 0; i < sizeof shown / sizeof *shown && text; i++)
		if (v->count[shown[i]])
			text = tt_verdict_text(v, err, "%s, %zu %s", text, v->count[shown[i]], tt_outcome_name[shown[i]]);
	if (v->warned && text)
		text = tt_verdict_text(v, err, "%s, %zu warned of", text, v->warned);
	text = wide && text ? tt_verdict_text(v, err, "%s%s", text, wide) : NULL;
	return accept && !v->unfit && text ? tt_verdict_text(v, err, "%s, accepted: %s", text, accept) : text;
}

int
tt_verdict_words(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	bool (*const is_open)(const struct tt_verdict_row *) = o->inconclusive == TT_INCONCLUSIVE_FAIL ? is_either : is_unjudged;
	size_t failing = count(v, is_failing);
	const char *more = besides(v, v->accepts ? o->accept : NULL, err), *which = NULL;

	if (!more)
		return err->code;
	if (v->exit_code == 1)
		which = names(v, is_failing, err);
	else if (v->exit_code == 5)
		which = names(v, is_open, err);
	if (v->exit_code == 3)
		v->summary = tt_verdict_text(v, err, "DAMAGED: a capture is damaged, so the results are unreliable (%zu row%s, %zu failing)",
		    v->nrow, plural(v->nrow), failing);
	else if (v->exit_code == 1)
		v->summary = which ? tt_verdict_text(v, err, "FAILED: %zu of %zu row%s: %s%s", failing, v->nrow,
		    plural(v->nrow), which, more) : NULL;
	else if (v->exit_code == 5)
		v->summary = which ? tt_verdict_text(v, err, "INCONCLUSIVE: %zu of %zu row%s: %s", count(v, is_open),
		    v->nrow, plural(v->nrow), which) :
		    NULL;
	else
		v->summary = tt_verdict_text(v, err, "passed: %zu row%s%s", v->nrow, plural(v->nrow), more);
	return v->summary ? remarks(v, o, err) : err->code;
}
