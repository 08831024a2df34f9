/**
 * Writes what a verdict says as a whole: its remarks and its summary line.
 */
#include "gate/judge.h"

#include <string.h>

#include "base/setting.h"
#include "gate/baseline.h"
#include "model/capture.h"
#include "stat/trend.h"
#include "view/figures.h"

static int
remark(struct tt_verdict *v, const char *text, struct tt_err *err)
{
	if (!text)
		return err->code;
	v->remark[v->nremark++] = text;
	return TT_OK;
}

/* Suggest a statistic that can be compared, if the row's own is too noisy. */
static const char *
loud_text(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const struct tt_measure *m = &r->row->measure;
	const char *over = tt_metric_over(m->metric), *loud = tt_stat_name[m->stat];

	return over ? tt_verdict_text(v, err, "%s: %s of a capture depends on a few frames and varies too much to be compared: count the frames over a limit "
	    "instead (%s)", r->name, loud, over) : tt_verdict_text(v, err, "%s: %s of a capture depends on a few values and varies too much to be compared: "
	    "compare its %s instead", r->name, loud, tt_stat_name[tt_metric_steady_stat(m->metric)]);
}

static int
row_remarks(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	const char *until = r->row->waive.until;
	int rc = TT_OK;

	if (until && strcmp(v->today, until) > 0)
		rc = remark(v, tt_verdict_text(v, err, "%s: its waiver ended on %s (today is %s)", r->name, until, v->today), err);
	if (rc == TT_OK && r->row->relative && r->row->level != TT_LEVEL_OFF && tt_stat_is_noisy(r->row->measure.stat))
		rc = remark(v, loud_text(v, r, err), err);
	if (rc == TT_OK && !r->gone && r->outcome == TT_PASS && tt_row_absent(r))
		rc = remark(v, tt_verdict_text(v, err, "%s: %s", r->name, tt_row_absent(r)), err);
	return rc;
}

/* Why the row keeps the captures out of the baseline. */
static const char *
unfit_text(const struct tt_verdict_row *r)
{
	if (tt_row_is_ended(r))
		return "finds a capture that did not end";
	if (r->would == TT_UNDECIDED)
		return "is above its limit, and the captures differ too much to decide it: record again, or accept the captures with a reason";
	return r->would == TT_CANNOT_JUDGE ? "cannot be judged" :
	    r->would == TT_WORSE ? r->missing > r->row->max_missing ? "is worse, and captures have no figure" : "is worse" : "breaks its limit";
}

/* Remark on captures that did not end: a new baseline accepts them. */
static int
unended_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++)
		if (tt_row_is_ended(&v->row[i]) && v->row[i].would == TT_BREACH && !v->row[i].worst->damaged)
			rc = remark(v, tt_verdict_text(v, err, "the baseline gets a capture that did not end, and may look better than whole ones: %s",
			    v->row[i].worst->name), err);
	return rc;
}

/* Say whether the captures are added to the baseline, and as what. */
static int
saved_remark(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	if (o->append && v->unfit)
		return remark(v, tt_verdict_text(v, err, "not appended to %s%s: %s %s", o->append, o->accept ? ", and nothing is accepted" : "", v->unfit->name,
		    unfit_text(v->unfit)), err);
	if (o->first && v->unfit && v->base)
		return remark(v, tt_verdict_text(v, err, "not saved: %s %s; %s adds such captures if a reason is given",
		    v->unfit->name, unfit_text(v->unfit), tt_setting_name[TT_SETTING_APPEND]), err);
	if (o->accept && !v->accepts && v->nknown < v->nsample)
		return remark(v, tt_verdict_text(v, err, "nothing fails that could be accepted: the captures are no new level, but appended as others are "
		    "(\"tracetool baseline accept\" makes a session one)"), err);
	return o->first && !o->append ? unended_remarks(v, err) : TT_OK;
}

/*
 * Remark that the session of the captures is already in the baseline. Captures are compared only with those of the same session, so that those of a later run
 * would seem worse or better than they are.
 */
static int
joins_remark(struct tt_verdict *v, struct tt_err *err)
{
	const struct tt_baseline *b = v->base;

	for (size_t i = 0; i < v->nsample; i++) {
		const char *name = tt_sample_fact(&v->sample[i], "session");

		for (size_t k = 0; name && k < b->nall_session; k++)
			if (strcmp(b->session[k].name, name) == 0)
				return remark(v, tt_verdict_text(v, err, "session \"%s\" is in %s already, with %zu capture%s: these count as recorded "
				    "together with %s; if these come from a later run, give each run a session of its own", name, b->path, b->session[k].n,
				    tt_plural(b->session[k].n), b->session[k].n == 1 ? "it" : "them"), err);
	}
	return TT_OK;
}

/* Remark on what happens to the baseline. */
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
	if (o->append && v->base && v->nknown < v->nsample)
		TT_THEN(rc, joins_remark(v, err));
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

/* Remark on facts of the budget's fingerprint that no capture has: they are misspelt, or were never given with --meta. */
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

/* Remark on captures that no layout fits: for each reason, the first capture and the number of others. */
static int
layout_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (enum tt_layout how = 0; how < TT_LAYOUTS && rc == TT_OK; how++) {
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

/* Remark that there are too few sessions for the requested test of trends. */
static int
trend_remark(struct tt_verdict *v, struct tt_err *err)
{
	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (r->trend_sessions && !r->trend_tested)
			return remark(v, tt_verdict_text(v, err, "creep is not judged: it takes %d sessions, and with these captures there are %zu since %s",
			    TT_TREND_MIN_VALUES, r->trend_sessions, r->trend_since), err);
	}
	return TT_OK;
}

/* True if a row is about the wall time of frames. */
static bool
looks_at_wall(const struct tt_verdict *v)
{
	for (size_t i = 0; i < v->nrow; i++)
		if (tt_measure_is_wall(&v->row[i].row->measure) && v->row[i].row->level != TT_LEVEL_OFF)
			return true;
	return false;
}

/* Remark on how much of the judged wall time is the Editor's. */
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
	const char *others = n > 1 ? tt_verdict_text(v, err, ", and at most as much of %zu more", n - 1) : "";
	return remark(v, others ? tt_verdict_text(v, err, "%lld %% of the frame time of %s is the Unity Editor's%s, and judged with the game's: %s "
	    "leaves it out", (long long)most->editor, most->name, others, tt_setting_name[TT_SETTING_PLAYER_ONLY]) : NULL, err);
}

/* Get the median number of frames of ${n} captures. */
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

/* Remark on an A/B run in which one build's captures have less than half of the frames of the other's, which figures per frame do not show. */
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

/* The period at which frames of ${p} are capped, that of the first capped capture; 0: none. *${capped}: number of capped captures. */
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

/* True if the row's figure only shows the frame cap. A row that counts frames over a limit which the cap meets is not blind: these frames are late. */
static bool
is_blind(const struct tt_verdict_row *r)
{
	const struct tt_measure *x = &r->row->measure;
	size_t n;
	int64_t now = cap_of(r->point, r->npoint, &n), base = cap_of(r->base_point, r->nbase_point, &n), cap = now > base ? now : base;

	if (!cap || r->row->level == TT_LEVEL_OFF || r->would == TT_CANNOT_JUDGE || !tt_measure_is_wall(x))
		return false;
	return !(x->metric->traits & TT_METRIC_FRAMES_OVER) || x->limit_ns < cap - cap / 50;
}

/* Describe the cap of the frames that ${r} is about: "60 fps (16.7 ms)", " in 3 of 5 captures", " in the baseline". */
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

/* Count the rows that only show the cap. 0 if some row uses uncapped time: then rows of wall time are meant for the cap itself. */
static size_t
blind_rows(const struct tt_verdict *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		if (v->row[i].row->level != TT_LEVEL_OFF && strncmp(v->row[i].row->measure.metric->name, "frame.uncapped", 14) == 0)
			return 0;
		n += is_blind(&v->row[i]);
	}
	return n;
}

/* Remark that the wall time of capped frames hides work below the cap, and name the metric to use for each kind of row. */
static int
cap_remark(struct tt_verdict *v, struct tt_err *err)
{
	static const char *const instead[] = { "frame.uncapped for frame.time", "frame.uncapped.over for frame.over",
		"frame.uncapped with a max for frame.fps", "frame.uncapped for rows \"wall\" of tables" };
	const struct tt_verdict_row *first = NULL;
	bool used[sizeof instead / sizeof *instead] = { 0 };
	const char *take = "", *more = "";
	const size_t n = blind_rows(v);

	for (size_t i = 0; i < v->nrow && n > 0; i++) {
		const struct tt_metric *m = v->row[i].row->measure.metric;

		if (!is_blind(&v->row[i]))
			continue;
		first = first ? first : &v->row[i];
		used[m->traits & TT_METRIC_FRAME_TIME ? 0 : m->traits & TT_METRIC_FRAMES_OVER ? 1 : m->dim == TT_DIM_FPS ? 2 : 3] = true;
	}
	if (n == 0)
		return TT_OK;
	for (size_t i = 0; i < sizeof instead / sizeof *instead && take; i++)
		if (used[i])
			take = tt_verdict_text(v, err, "%s%s%s", take, *take ? ", " : "", instead[i]);
	if (n > 1)
		more = tt_verdict_text(v, err, " and %zu more row%s", n - 1, tt_plural(n - 1));
	const char *at = take && more ? capped_text(v, first, err) : NULL;

	return remark(v, at ? tt_verdict_text(v, err, "%s%s: frames are capped at %s, so wall time does not show work that grows below that: "
	    "take %s", first->name, more, at, take) : NULL, err);
}

/* The period at which most of ${p} are capped; 0: none. */
static int64_t
usual_cap(const struct tt_point *p, size_t n)
{
	size_t capped;
	int64_t cap = cap_of(p, n, &capped);

	return 2 * capped > n ? cap : 0;
}

/* " at 60 fps (16.7 ms)" */
static const char *
at_text(struct tt_verdict *v, int64_t cap, struct tt_err *err)
{
	char text[TT_CAP_TEXT];

	*tt_put_cap(text, cap) = '\0';
	return tt_verdict_text(v, err, " at %s", text);
}

/* Remark that frames of only one side are capped, or at different rates; unless the remark on blind rows already says so. */
static int
other_cap_remark(struct tt_verdict *v, struct tt_err *err)
{
	const struct tt_verdict_row *of = NULL;
	const char *now_at = " not", *base_at = " not", *whose = v->ab ? " of the new build" : "", *other = v->ab ? "the old build" : "the baseline";

	if (blind_rows(v) > 0)
		return TT_OK;
	for (size_t i = 0; i < v->nrow && !of; i++)
		if (v->row[i].nbase_point && v->row[i].npoint)
			of = &v->row[i];
	const int64_t now = of ? usual_cap(of->point, of->npoint) : 0, base = of ? usual_cap(of->base_point, of->nbase_point) : 0;

	if (now == base || tt_is_same_cap(now, base))
		return TT_OK;
	if (now)
		now_at = at_text(v, now, err);
	if (base)
		base_at = at_text(v, base, err);
	return remark(v, now_at && base_at ? tt_verdict_text(v, err, "frames%s are%s capped%s, those of %s%s%s: was the frame limit "
	    "changed, or is it missed?", whose, now ? "" : now_at, now ? now_at : "", other, now && base ? "" : " are", base_at) : NULL, err);
}

/* Remark on captures that no row judges, or that are damaged. */
static int
capture_remarks(struct tt_verdict *v, struct tt_err *err)
{
	int rc = TT_OK;

	if (v->nalone)
		rc = remark(v, tt_verdict_text(v, err, "%zu capture%s without the fact \"%s\" %s in no group, and judged by no row: %s%s",
		    v->nalone, tt_plural(v->nalone), v->group_by, v->nalone == 1 ? "is" : "are", v->alone->name, v->nalone > 1 ? ", ..." : ""), err);
	for (size_t i = 0; i < v->nsample && rc == TT_OK; i++)
		if (v->sample[i].damaged)
			rc = remark(v, tt_verdict_text(v, err, "%s is damaged: %s", v->sample[i].name,
			    v->sample[i].damage ? v->sample[i].damage : "see its losses"), err);
	return rc;
}

/* Remark on rows that are newer than the baseline, and how they get one. */
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
		more = tt_verdict_text(v, err, " and %zu more row%s", n - 1, tt_plural(n - 1));
	return n == 0 ? TT_OK : remark(v, more ? tt_verdict_text(v, err, "%s%s: not judged, because no session of %s has the figure yet; sessions appended "
	    "from now on have it (%s)", first->name, more, v->base->path, tt_setting_name[TT_SETTING_APPEND]) : NULL, err);
}

/* True if the figure counts whole refreshes under a frame limit; it did not before late frames were introduced. */
static bool
counts_as_shown(const struct tt_measure *x)
{
	static const char *const name[] = { "frame.over", "frame.uncapped", "frames/over_", "frame_budgets/", "frame_histogram/" };

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (strncmp(x->metric->name, name[i], strlen(name[i])) == 0)
			return true;
	return false;
}

/* Remark on rows whose figures in the baseline were counted by the old rule, and how to renew it. Only capped captures are affected. */
static int
old_count_remark(struct tt_verdict *v, struct tt_err *err)
{
	const struct tt_verdict_row *first = NULL;
	const char *more = "";
	size_t n = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];
		size_t old = 0, capped = 0;

		for (size_t k = 0; k < r->nbase_point && counts_as_shown(&r->row->measure); k++) {
			old += r->base_point[k].sample->predates_shown;
			capped += r->base_point[k].sample->cap_ns > 0;
		}
		for (size_t k = 0; k < r->npoint; k++)
			capped += r->point[k].sample->cap_ns > 0;
		if (old == 0 || capped == 0 || r->row->level == TT_LEVEL_OFF)
			continue;
		first = first ? first : r;
		n++;
	}
	if (n > 1)
		more = tt_verdict_text(v, err, " and %zu more row%s", n - 1, tt_plural(n - 1));
	return n == 0 ? TT_OK : remark(v, more ? tt_verdict_text(v, err, "%s%s: %s was saved when frames counted by how long they lasted; now whole refreshes "
	    "count where a frame limit shows: save it again from its captures (%s, without adding to it)", first->name, more, v->base->path,
	    tt_setting_name[TT_SETTING_SAVE]) : NULL, err);
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

/* True if the figure is the time of frames, or the number of frames that take too long. */
static bool
is_of_frame_time(const struct tt_measure *x)
{
	static const char *const other[] = { "frame.count", "frame.gpu", "frame.present", "frame.render" };
	const char *name = x->metric->name;

	if (strncmp(name, "frame.", 6) != 0)
		return tt_measure_is_wall(x);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (strcmp(name, other[i]) == 0)
			return false;
	return true;
}

/* Remark that no row can fail on frame time, though the captures have frames: readers of "passed" assume that it covers the game's speed. */
static int
frame_time_remark(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	const struct tt_verdict_row *warns = NULL;
	bool frames = false;

	for (size_t i = 0; i < v->nsample; i++)
		frames |= v->sample[i].frames > 0;
	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (!is_of_frame_time(&r->row->measure))
			continue;
		if (r->row->level == TT_LEVEL_ERROR)
			return TT_OK;
		warns = warns ? warns : r;
	}
	if (!frames || o->first)
		return TT_OK;
	return remark(v, warns ? tt_verdict_text(v, err, "nothing here can fail on frame time: the level of %s is %s", warns->name,
	    warns->row->level == TT_LEVEL_WARN ? "warn" : "off") :
	    tt_verdict_text(v, err, "nothing here can fail on frame time: the budget has no row on it (%s writes some)",
	    tt_setting_name[TT_SETTING_SUGGEST]), err);
}

/* List up to three rows whose limit was widened: "frame-trimmed up to +8.0 %, frame-p95 up to +8.4 %"; *${n}: number of all such rows. NULL: out of memory. */
static const char *
widened(struct tt_verdict *v, size_t *n, struct tt_err *err)
{
	const char *text = "";

	*n = 0;
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
		if ((*n)++ < 3)
			text = tt_verdict_text(v, err, "%s%s%s up to %s", text, *n > 1 ? ", " : "", r->name, upto);
	}
	return *n > 3 && text ? tt_verdict_text(v, err, "%s, ...", text) : text;
}

/* Remark that limits were widened: readers of "passed" assume the limits of the budget. */
static int
widened_remark(struct tt_verdict *v, struct tt_err *err)
{
	size_t n;
	const char *rows = widened(v, &n, err);

	if (!rows)
		return err->code;
	return n == 0 ? TT_OK : remark(v, tt_verdict_text(v, err, "%zu limit%s widened to what these pairs can show, so a smaller change may be hidden: %s; "
	    "more pairs, or a quieter machine, show more", n, n == 1 ? " is" : "s are", rows), err);
}

/* Write the remarks on what the verdict lacks, before all others. */
static int
alerts(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < o->nalert && rc == TT_OK; i++)
		rc = remark(v, o->alert[i], err);
	if (v->status != v->exit_code)
		TT_THEN(rc, remark(v, tt_verdict_text(v, err, "the exit status is %d: %s", v->status, o->why), err));
	TT_THEN(rc, other_cap_remark(v, err));
	TT_THEN(rc, frame_time_remark(v, o, err));
	TT_THEN(rc, widened_remark(v, err));
	v->nalert = v->nremark;
	return rc;
}

static int
remarks(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	static int (*const about[])(struct tt_verdict *, struct tt_err *) = { capture_remarks, frames_remark, layout_remarks, editor_remark, cap_remark,
		all_row_remarks, old_count_remark, fresh_remark, trend_remark, mixed_remarks, fingerprint_remarks };
	size_t nfact = 0;
	int rc = TT_OK;

	while (v->budget->fingerprint[nfact])
		nfact++;
	v->remark = tt_arena_alloc(&v->arena, (4 * v->nrow + v->nsample + v->nmixed + nfact + o->nalert + 18) * sizeof *v->remark, err);
	if (!v->remark)
		return err->code;
	rc = alerts(v, o, err);
	if (o->note)
		TT_THEN(rc, remark(v, o->note, err));
	for (size_t i = 0; i < sizeof about / sizeof *about && rc == TT_OK; i++)
		rc = about[i](v, err);
	return rc == TT_OK ? base_remarks(v, o, err) : rc;
}

/* " (+53 %)": the change that an A/B run shows for ${r}, even if the pairs are too few to judge it; "" if not known. NULL: out of memory. */
static const char *
shown_change(struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_err *err)
{
	char change[64];

	if (!v->ab || r->fails || !r->has_value || !r->has_base || (!r->pairs && r->base <= 0))
		return "";
	/* If there are pairs, the same change as the row itself reports. */
	if (r->pairs && !r->has_ratio)
		*tt_put_change(change, r->shift, r->dim) = '\0';
	else
		*tt_put_ppm(change, r->pairs ? r->shift_ppm : tt_scale(r->value - r->base, 1000000, r->base)) = '\0';
	return tt_verdict_text(v, err, " (%s)", change);
}

/* The names of up to three rows for which ${is} holds. */
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

/* True for rows that make a strict gate inconclusive. */
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

/* The rest that the summary must mention: ", 2 undecided, 1 waived, accepted: new lighting". ${names_undecided}: it already names the undecided rows. */
static const char *
besides(struct tt_verdict *v, bool names_undecided, const char *accept, struct tt_err *err)
{
	static const enum tt_outcome shown[] = { TT_UNDECIDED, TT_CANNOT_JUDGE, TT_WAIVED, TT_SKIPPED, TT_GONE };
	size_t nwide;
	const char *text = "", *wide = widened(v, &nwide, err);

	for (size_t i = 0; i < sizeof shown / sizeof *shown && text; i++)
		if (v->count[shown[i]] && !(names_undecided && shown[i] == TT_UNDECIDED))
			text = tt_verdict_text(v, err, "%s, %zu %s", text, v->count[shown[i]], tt_outcome_name[shown[i]]);
	if (v->warned && text)
		text = tt_verdict_text(v, err, "%s, %zu warning%s", text, v->warned, tt_plural(v->warned));
	if (text && wide && nwide)
		text = tt_verdict_text(v, err, "%s, %zu by a wider limit, so a change may be hidden: %s", text, nwide, wide);
	text = wide ? text : NULL;
	return accept && !v->unfit && text ? tt_verdict_text(v, err, "%s, accepted: %s", text, accept) : text;
}

/* The summary if nothing fails and nothing is inconclusive; ${which}: names of undecided rows. */
static const char *
passing(struct tt_verdict *v, const char *why, size_t nundecided, const char *which, const char *more, struct tt_err *err)
{
	const char *start = v->status ? tt_verdict_text(v, err, "INCOMPLETE: %s; rows alone: ", why) : "", *plural = tt_plural(v->nrow);

	if (!start)
		return NULL;
	return nundecided ? tt_verdict_text(v, err, "%sundecided, nothing fails: %zu of %zu row%s: %s%s", start, nundecided, v->nrow, plural, which, more) :
	    tt_verdict_text(v, err, "%spassed: %zu row%s%s", start, v->nrow, plural, more);
}

int
tt_verdict_words(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err)
{
	bool (*const is_open)(const struct tt_verdict_row *) = v->exit_code == 0 ? is_undecided : v->strict ? is_either : is_unjudged;
	const size_t failing = count(v, is_failing), open = count(v, is_open);
	const char *more, *which;

	v->undecided = v->exit_code == 0 && open;
	more = besides(v, v->undecided, v->accepts ? o->accept : NULL, err);
	which = more ? names(v, v->exit_code == 1 ? is_failing : is_open, err) : NULL;
	if (!which)
		return err->code;
	if (v->exit_code == 3)
		v->summary = tt_verdict_text(v, err, "DAMAGED: a capture is damaged, so the results are unreliable (%zu row%s, %zu failing)",
		    v->nrow, tt_plural(v->nrow), failing);
	else if (v->exit_code == 1)
		v->summary = tt_verdict_text(v, err, "FAILED: %zu of %zu row%s: %s%s", failing, v->nrow, tt_plural(v->nrow), which, more);
	else if (v->exit_code == 5)
		v->summary = tt_verdict_text(v, err, "INCONCLUSIVE: %zu of %zu row%s: %s", open, v->nrow, tt_plural(v->nrow), which);
	else
		v->summary = passing(v, o->why, open, which, more, err);
	return v->summary ? remarks(v, o, err) : err->code;
}
