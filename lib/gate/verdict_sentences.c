/**
 * Writes the sentences of a verdict's rows for gameplay programmers: what was found, why, and hints.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/judge.h"

#include "base/arena_text.h"
#include "base/setting.h"
#include "gate/baseline.h"
#include "stat/num.h"

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

/* Format two amounts with enough digits that different amounts have different texts. */
static void
two_amounts(struct text *a, int64_t v, struct text *b, int64_t w, enum tt_dim dim)
{
	if (strcmp(amount(a, v, dim), amount(b, w, dim)) != 0 || v == w)
		return;
	exact(a, v, dim);
	exact(b, w, dim);
}

/* --- rows --------------------------------------------------------------------------------- */

bool
tt_row_is_ended(const struct tt_verdict_row *r)
{
	return r->row->measure.metric->traits & TT_METRIC_UNENDED && !r->row->exact && r->row->max.kind == TT_LIMIT_AMOUNT &&
	    r->row->max.v == 0;
}

/* True if the figure can be below 0. */
static bool
is_signed(const struct tt_verdict_row *r)
{
	return r->row->measure.metric->select == TT_SELECT_COUNTER || r->row->measure.metric->select == TT_SELECT_ROW;
}

/* "+12.4 %"; or the amount if the baseline is 0. A confidence bound may be below -100 %; a measured value cannot. */
static const char *
share(const struct tt_verdict_row *r, struct text *t, int64_t v, int64_t ppm)
{
	if (r->base == 0)
		return change(t, v, r->dim);
	*tt_put_ppm(t->s, ppm < -1000000 && !is_signed(r) ? -1000000 : ppm) = '\0';
	return t->s;
}

/* Show the shift and its limit as amounts, if one is larger though both print as the same percentage. */
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

/* Say how many captures there are, and how their figures were combined. */
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
			return tt_verdict_text(v, err, " (%s %zu capture%s%s; worst %s in %s)", how[r->row->over], r->n, tt_plural(r->n), gaps,
			    amount(&t, r->point[i].v, r->dim), r->worst->name);
	return tt_verdict_text(v, err, " (%s %zu capture%s%s)", how[r->row->over], r->n, tt_plural(r->n), gaps);
}

/* True if the text shows the limit exactly, apart from its commas. */
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

/* Format the figure and its limit alike: in the short form if that shows the limit exactly, as written in the budget, and distinguishes both. */
static void
value_and_limit(const struct tt_verdict_row *r, struct text *value, struct text *limit)
{
	two_amounts(value, r->value, limit, r->limit, r->dim);
	if (is_told(limit, r->limit, r->dim))
		return;
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
		return tt_verdict_text(v, err, "no capture breaks off (%zu capture%s)", r->n, tt_plural(r->n));
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
		return tt_verdict_text(v, err, "%s, as in the baseline (%zu capture%s%s)", value.s, r->n, tt_plural(r->n), gaps);
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
		    " of %zu session%s", r->sessions, tt_plural(r->sessions), r->before);
	amount(&spread, r->spread, r->dim);
	if (r->base != 0)
		*tt_put_ppm(spread.s, r->spread_ppm) = '\0';
	if (r->before)
		return tt_verdict_text(v, err, " of %zu session%s (sessions assumed to differ by %s, as the %zu before the accepted one do)", r->sessions,
		    tt_plural(r->sessions), spread.s + (spread.s[0] == '+'), r->before);
	return tt_verdict_text(v, err, " of %zu session%s (%s by %s)", r->sessions, tt_plural(r->sessions),
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
	of = tt_verdict_text(v, err, "%zu capture%s against %zu%s%s", r->n, tt_plural(r->n), r->m, of, gaps);
	if (r->would == TT_WORSE || !of)
		return of;
	return tt_verdict_text(v, err, "%s; %s would be found in 95 of 100 cases", of, share(r, &seen, sign * r->seen, sign * r->seen_ppm));
}

/* True if the judged change clearly differs from that between the medians printed before it: by more than 0.1 % and a quarter of it. */
static bool
differs_from_medians(const struct tt_verdict_row *r)
{
	const int64_t size = r->base < 0 ? -r->base : r->base, medians = tt_scale(r->value - r->base, 1000000, size);
	const int64_t off = r->shift_ppm > medians ? r->shift_ppm - medians : medians - r->shift_ppm;
	const int64_t shift = r->shift_ppm < 0 ? -r->shift_ppm : r->shift_ppm;

	return r->base != 0 && off > 1000 && off > shift / 4;
}

/*
 * "16.7 ms, was 16.2 ms: +3.1 % (+2.0 % to +4.1 %), allowed +2.0 %". The amounts are medians of captures, but the change is one between means of sessions, or
 * of differences between captures. If these clearly disagree, "307 us, was 307 us in the median; means of sessions: -1.6 % (...)".
 */
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
	const char *of = r->value == r->base && r->would == TT_WORSE && !r->crept_alone ? " in the median, and most pairs differ" :
	    !differs_from_medians(r) ? "" : r->by_session ? " in the median; by means of sessions" : " in the median; by differences between captures";
	return tt_verdict_text(v, err, "%s, was %s%s: %s (%s to %s), allowed %s", value.s, base.s, of, shift.s,
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
			    tt_plural(r->n), r->m, rows, r->need_here);
		if (rows && r->need_here)
			rows = tt_verdict_text(v, err, "%s: record at least %zu, or", rows, r->need_here);
		else if (rows)
			rows = tt_verdict_text(v, err, "%s: record at least", rows);
		return rows ? tt_verdict_text(v, err, "%zu capture%s against %zu are too few to show a change%s %zu on each side", r->n, tt_plural(r->n),
		    r->m, rows, r->need) : NULL;
	}
	return tt_verdict_text(v, err, "%zu capture%s, where the row wants at least %zu", r->n, tt_plural(r->n), r->need);
}

/* Say that the row's subject is no longer there, or no longer on the frame thread. */
static const char *
gone_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *base = v->ab ? "old build" : "baseline";

	if (tt_row_absent(r) && r->point[0].sample->value[r->row->which].elsewhere)
		return tt_verdict_text(v, err, "it is on the frame thread in the %s, and not any more: %s", base, tt_row_absent(r));
	return tt_verdict_text(v, err, "\"%s\" is in the %s and in no capture%s", r->row->measure.select, base, v->ab ? " of the new one" : "");
}

/*
 * For rows about shown frames: "player saw of a.ttc: 44.1 fps: of 300 frames 211 took one refresh, 89 two; 89 late, 29.7 %"; NULL: not known, or another row.
 */
static const char *
shown_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const struct tt_measure *x = &r->row->measure;

	return r->worst && r->worst->shown && (tt_measure_is_wall(x) || tt_measure_is_late(x)) ?
	    tt_verdict_text(v, err, "player saw of %s: %s", r->worst->name, r->worst->shown) : NULL;
}

/* Describe the parts of the worst frame of the worst capture; NULL: not known, or the row is about markers or threads. */
static const char *
worst_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const struct tt_worst *w = tt_sample_frame(r->worst, &r->row->measure);
	const char *text = "", *what, *shown;
	struct text t;
	int64_t ns;

	if (!w || tt_measure_is_selective(&r->row->measure))
		return NULL;
	shown = shown_text(v, r, err);
	ns = tt_worst_time(w, &r->row->measure, &what);
	for (unsigned i = 0; i < w->ntop && text; i++)
		text = tt_verdict_text(v, err, "%s%s %s %s", text, i ? "," : ":", w->top[i].name,
		    amount(&t, tt_scale(w->top[i].self_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME));
	return text ? tt_verdict_text(v, err, "%s%sworst frame %llu of %s, %s%s%s", shown ? shown : "", shown ? "; " : "", (unsigned long long)w->number,
	    r->worst->name, amount(&t, tt_scale(ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME), what, text) : NULL;
}

/* The largest allocation site that the row is about, or the next one after ${before}; NULL: none. */
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

/* Name the sites that allocate most in the worst capture. */
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

/* Suggest what would decide an undecided row. */
static const char *
undecided_hint(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	if (r->need_here)
		return tt_verdict_text(v, err, "record about %zu captures on each side, or allow more", r->need_here);
	if (r->in_captures)
		return "record more captures, or allow more";
	return r->spread_assumed ?
	    "add sessions to the baseline, which then shows how much they differ; or run both builds in one session (tracetool ab); or allow more" :
	    "run both builds in one session (tracetool ab), or allow more: more captures of a session change nothing";
}

static int
hint(struct tt_verdict *v, struct tt_verdict_row *r, struct tt_err *err)
{
	err->code = TT_OK;
	if (r->hint)
		return TT_OK;                 /* of an A/B run */
	if (r->too_few)
		r->hint = "record more, or look why runs left no capture";
	else if (r->would == TT_GONE)
		r->hint = tt_verdict_text(v, err, "take the row out if it was removed; if it was renamed, give the row the new name and save a new baseline "
		    "(\"%s\" compares across the renaming)", tt_setting_name[TT_SETTING_RENAME]);
	else if (r->would == TT_UNDECIDED)
		r->hint = undecided_hint(v, r, err);
	else if (r->would == TT_BREACH && r->row->exact && r->value < r->base)
		r->hint = "if fewer are meant, save a new baseline";
	else if (r->would == TT_BREACH && r->row->measure.metric->about == TT_ABOUT_ALLOC && r->nmover == 0)
		r->hint = sites_text(v, r, err);
	else if (r->would == TT_BREACH && tt_row_is_ended(r))
		r->hint = r->row->level == TT_LEVEL_ERROR ? "the program crashed, was killed or still runs, or the file is cut; if that is meant, set "
		    "integrity.ended in the budget" : "the program crashed, was killed or still runs, or the file is cut";
	else if (r->would == TT_BREACH && r->row->measure.metric->about == TT_ABOUT_TIME)
		r->hint = r->nmover == 0 ? worst_text(v, r, err) : shown_text(v, r, err);
	else if (r->would == TT_WORSE)
		r->hint = shown_text(v, r, err);
	return err->code < 0 ? err->code : TT_OK;
}

int
tt_row_words(struct tt_verdict *v, struct tt_verdict_row *r, const char *why, const char *accept, struct tt_err *err)
{
	const struct tt_waive *w = &r->row->waive;

	if (r->would == TT_CANNOT_JUDGE)
		r->text = cannot_text(v, r, why, err);
	else if (r->too_few)
		r->text = tt_verdict_text(v, err, "%zu capture%s, where the row wants at least %u", r->n, tt_plural(r->n), r->row->min_captures);
	else if (r->would == TT_GONE)
		r->text = gone_text(v, r, err);
	else if (r->gone && !r->has_value)
		r->text = "there is none of it in these captures";
	else if (r->would == TT_SKIPPED)
		r->text = why;
	else if (r->text)
		;                     /* A/B runs: see judge_pairs.c */
	else if (r->row->relative)
		r->text = relative_text(v, r, err);
	else if (tt_row_is_ended(r))
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
