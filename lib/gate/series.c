/**
 * Computes metrics of the gate over time.
 */
#include "gate/series.h"

#include <string.h>

#include "base/setting.h"
#include "base/spelling.h"
#include "gate/measure.h"
#include "pass/pass.h"
#include "run/run.h"
#include "view/view.h"

/* --- the metrics asked for ------------------------------------------------------------ */

/* The name of metric ${i}; NULL after the last. */
static const char *
metric_name(size_t i)
{
	return tt_metrics[i].name;
}

/* The metric with the longest name that is a prefix of ${s}, because names contain dots; *${rest}: what follows it. */
static const struct tt_metric *
metric_at(const char *s, const char **rest)
{
	const struct tt_metric *found = NULL;
	size_t best = 0;

	for (const struct tt_metric *m = tt_metrics; m->name; m++) {
		size_t n = strlen(m->name);

		if (n > best && strncmp(s, m->name, n) == 0 && strchr(".[", s[n])) {
			found = m;
			best = n;
		}
	}
	*rest = s + best;
	return found;
}

/* Read "[...]" up to the last bracket, because patterns may contain brackets. */
static int
read_select(struct tt_measure *x, const char **rest, struct tt_arena *a, struct tt_err *err)
{
	const char *end = strrchr(*rest, ']'), *text, *wrong;
	int64_t limit = 0;

	if (**rest != '[')
		return x->metric->select == TT_SELECT_NONE || x->metric->select == TT_SELECT_ROW ? TT_OK :
		    tt_fail(err, TT_E_USAGE, TT_NOWHERE, x->metric->select == TT_SELECT_LIMIT ?
		    "%s needs a limit, like %s[33.3ms]" : "%s needs a name, like %s[Update*]", x->metric->name, x->metric->name);
	if (x->metric->select == TT_SELECT_NONE || !end)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, end ? "%s takes no name: leave out \"%s\"" :
		    "%s: no \"]\" in \"%s\"", x->metric->name, *rest);
	text = tt_arena_text(a, *rest + 1, (size_t)(end - *rest - 1), err);
	if (!text)
		return err->code;
	*rest = end + 1;
	if (x->metric->select != TT_SELECT_LIMIT) {
		x->select = text;
		return tt_pattern_check(text, err);
	}
	wrong = tt_amount_parse(text, TT_DIM_TIME, &limit);
	x->limit_ns = tt_frame_limit(limit / TT_AMOUNT_ONE);
	return wrong ? tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" %s", text, wrong) : TT_OK;
}

static int
read_stat(struct tt_measure *x, const char *rest, struct tt_err *err)
{
	char all[TT_STATS_TEXT];

	x->stat = x->metric->usual;
	if (!*rest)
		return TT_OK;
	if (x->metric->select == TT_SELECT_ROW)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is the figure: leave out \"%s\"", x->metric->name, rest);
	rest += *rest == '.';
	return tt_measure_set_stat(x, rest, all) ? TT_OK :
	    tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has no statistic \"%s\"; it has %s", x->metric->name, rest, all);
}

/* True if the figure depends on an interval of time; false for figures of the whole capture. */
static bool
has_time(const struct tt_metric *m)
{
	return !(m->traits & TT_METRIC_WHOLE) && (m->select != TT_SELECT_ROW || tt_metric_column_has_time(m));
}

int
tt_series_add(struct tt_metric_series *s, const char *value, struct tt_arena *a, struct tt_err *err)
{
	const char *rest, *near;
	struct tt_measure x = { .metric = metric_at(value, &rest) };
	int rc;

	if (!x.metric && value[strcspn(value, "/[")] == '/') {
		size_t n = strcspn(value, "[");
		const char *name = tt_arena_text(a, value, n, err);

		x.metric = name ? tt_metric_column(name, a, err) : NULL;
		if (!x.metric)
			return err->code;
		rest = value + n;
	}
	if (!x.metric) {
		near = tt_nearest_word(value, metric_name);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no metric is called \"%s\"%s%s%s", value,
		    near ? "; did you mean \"" : " (see ", near ? near : "\"tracetool list gate\"", near ? "\"?" : ")");
	}
	if (!has_time(x.metric))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s describes a whole capture or single frames: it has no value per bucket", x.metric->name);
	rc = read_select(&x, &rest, a, err);
	TT_THEN(rc, read_stat(&x, rest, err));
	TT_THEN(rc, tt_measure_key(&x, a, err));
	if (rc != TT_OK)
		return rc;
	if (tt_arena_grow(a, &s->x, &s->cap, s->n, sizeof *s->x, err) != TT_OK)
		return err->code;
	s->x[s->n++] = x;
	return TT_OK;
}

/* --- the readings ------------------------------------------------------------------- */

enum tt_unit
tt_series_unit(enum tt_dim dim)
{
	switch (dim) {
	case TT_DIM_TIME: return TT_UNIT_NS;
	case TT_DIM_BYTES: return TT_UNIT_BYTES;
	case TT_DIM_PERCENT: return TT_UNIT_PERCENT;
	default: return TT_UNIT_MILLI;
	}
}

int64_t
tt_series_in_unit(int64_t v, enum tt_dim dim)
{
	switch (tt_series_unit(dim)) {
	case TT_UNIT_MILLI: return tt_scale(v, 1000, tt_amount_one(dim));
	case TT_UNIT_PERCENT: return tt_scale(v, 100, TT_AMOUNT_ONE);
	default: return tt_scale(v, 1, TT_AMOUNT_ONE);
	}
}

static bool
is_per_frame(const struct tt_measure *x)
{
	return x->stat >= TT_STAT_FRAME_MEAN && x->stat <= TT_STAT_FRAME_MAX;
}

/*
 * Which events the measure covers in a bucket. Figures per frame: the frames that begin in it. Columns of tables and busy times of threads: everything, cut at
 * the bucket's edges as a filter of time does. Other figures: whatever begins in the bucket, uncut.
 */
static enum tt_part_kind
kind_of(const struct tt_measure *x)
{
	if (is_per_frame(x) && (tt_measure_framed(x) || tt_measure_by_frame(x)))
		return TT_PART_FRAMES;
	return x->metric->select == TT_SELECT_ROW || x->metric->select == TT_SELECT_THREAD ? TT_PART_CUT : TT_PART_BEGINS;
}

/* Remember why figure ${i} has no value, as long as no bucket has its name. ${first}: true if ${x} is of the first bucket. */
static void
note_absent(struct tt_metric_series *o, size_t i, const struct tt_value *x, bool first)
{
	const bool has = !x->absent && (x->known || !o->elsewhere[i]);

	if (has || o->x[i].metric->select == TT_SELECT_NONE) {
		o->absent[i] = NULL;
	} else if (first || (o->absent[i] && !o->elsewhere[i] && x->why && strcmp(x->why, TT_NO_FRAMES) != 0)) {
		o->absent[i] = x->why;        /* a bucket without frames does not show that the name is unknown */
		o->elsewhere[i] = x->elsewhere;
	}
	if (x->several && !o->several[i])
		o->several[i] = x->why;
}

/* Store a bucket's figures, those of the kind that this part of the run has. */
static int
take(void *arg, const struct tt_run_part *p, const struct tt_model *m, struct tt_err *err)
{
	struct tt_metric_series *o = arg;
	struct tt_series_value *v = o->all.v + p->bucket * o->n;
	struct tt_views view;

	o->all.n = o->buckets * o->n;
	tt_view_init(&view, m);
	int rc = tt_measure_all(&view, m->loss, o->x, o->n, o->value, o->arena, err);
	for (size_t i = 0; i < o->n && rc == TT_OK; i++) {
		const struct tt_value *x = &o->value[i];
		if (kind_of(&o->x[i]) != p->kind)
			continue;
		note_absent(o, i, x, p->bucket == 0);
		v[i] = (struct tt_series_value){ .metric = o->x[i].key, .from = p->from, .to = p->to, .known = x->known,
			.unit = tt_series_unit(x->dim), .unit_name = tt_dim_name[x->dim], .v = tt_series_in_unit(x->v, x->dim) };
	}
	tt_view_free(&view);
	return rc;
}

int
tt_series_begin(struct tt_metric_series *o, size_t buckets, struct tt_run_opts *run, struct tt_arena *a, struct tt_err *err)
{
	bool kind[TT_PART_CUT + 1] = { false };

	o->arena = a;
	o->buckets = buckets;
	if (o->n == 0)
		return TT_OK;
	o->absent = tt_arena_alloc(a, o->n * sizeof *o->absent, err);
	o->elsewhere = tt_arena_alloc(a, o->n * sizeof *o->elsewhere, err);
	o->several = tt_arena_alloc(a, o->n * sizeof *o->several, err);
	o->value = tt_arena_alloc(a, o->n * sizeof *o->value, err);
	o->all.v = tt_arena_alloc(a, buckets * o->n * sizeof *o->all.v, err);
	run->part = tt_arena_alloc(a, (TT_PART_CUT + 1) * buckets * sizeof *run->part, err);
	if (!o->absent || !o->elsewhere || !o->several || !o->value || !o->all.v || !run->part)
		return err->code;
	for (size_t i = 0; i < o->n; i++) {
		kind[kind_of(&o->x[i])] = true;
		run->part_needs |= o->x[i].metric->needs;
	}
	/* A bucket needs one part for each kind of figure: figures per frame, for example, cover frames that begin and end later than the bucket. */
	for (size_t i = 0; i < buckets; i++)
		for (unsigned k = 0; k <= TT_PART_CUT; k++)
			if (kind[k])
				run->part[run->npart++] = (struct tt_run_part){ .bucket = i, .kind = (enum tt_part_kind)k };
	run->part_done = take;
	run->part_arg = o;
	return TT_OK;
}

/* A figure whose name no capture has is unknown, not 0: the name may be wrong. */
const struct tt_series *
tt_series_read(struct tt_metric_series *o)
{
	for (size_t i = 0; i < o->all.n; i++)
		o->all.v[i].known = o->all.v[i].known && !o->absent[i % o->n];
	return &o->all;
}

/* True if the metric ${i} has a value in at least one bucket. */
static bool
has_value(const struct tt_metric_series *o, size_t i)
{
	for (size_t k = i; k < o->all.n; k += o->n)
		if (o->all.v[k].known)
			return true;
	return false;
}

void
tt_series_notes(const struct tt_metric_series *o, struct tt_report *r)
{
	for (size_t i = 0; i < o->n && o->absent; i++) {
		const char *why = o->several[i] ? o->several[i] : o->absent[i];

		if (!why && !has_value(o, i))
			why = "no value at any time: the capture lacks what it is computed from";
		if (why)
			tt_report_note(r, tt_severity_name[TT_NOTICE], "no_metric",
			    tt_text(r, "%s %s: %s", tt_setting_name[TT_SETTING_METRIC], o->x[i].key, why));
	}
}
