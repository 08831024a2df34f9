/**
 * Metrics of the gate over time; the contract is in metric_series.h.
 */
#include "metric_series.h"

#include <string.h>
#include <sys/stat.h>

#include "collect/timeline.h"

/* --- the metrics asked for ------------------------------------------------------------ */

static const char *
metric_name(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!tt_metrics[k].name)
			return NULL;
	return tt_metrics[i].name;
}

/* The metric whose name ${s} begins with; names hold dots, so the longest. */
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

/* "[...]", up to the last bracket: patterns have brackets of their own. */
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
	char all[200] = "";

	x->stat = x->metric->usual;
	if (!*rest)
		return TT_OK;
	if (x->metric->family == TT_FAM_CELL)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is the figure: leave out \"%s\"", x->metric->name, rest);
	for (unsigned i = 0; i < TT_STATS; i++) {
		if (!(x->metric->stats & 1u << i))
			continue;
		if (*rest == '.' && strcmp(rest + 1, tt_stat_name[i]) == 0) {
			x->stat = (enum tt_stat_kind)i;
			return TT_OK;
		}
		if (strlen(all) + strlen(tt_stat_name[i]) + 3 < sizeof all) {
			strcat(all, *all ? ", " : "");
			strcat(all, tt_stat_name[i]);
		}
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has no statistic \"%s\"; it has %s", x->metric->name, rest + (*rest == '.'), all);
}

/* Figures of the whole capture, which no interval changes. */
static bool
has_time(const struct tt_metric *m)
{
	return m->family != TT_FAM_LOST && m->family != TT_FAM_LENGTH && m->family != TT_FAM_COMPILED &&
	    m->family != TT_FAM_UNENDED;
}

int
series_metric(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct series_opts *s = field;
	const char *rest, *near;
	struct tt_measure x = { .metric = metric_at(value, &rest) };
	int rc;

	(void)o;
	if (!x.metric && value[strcspn(value, "/[")] == '/') {
		size_t n = strcspn(value, "[");
		const char *name = tt_arena_text(a, value, n, err);

		x.metric = name ? tt_metric_column(name, a, err) : NULL;
		if (!x.metric)
			return err->code;
		rest = value + n;
	}
	if (!x.metric) {
		near = opts_nearest(value, metric_name);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no metric is called \"%s\"%s%s%s (see \"tracetool list gate\")", value,
		    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	}
	if (!has_time(x.metric))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s describes a whole capture: it has no value per bucket", x.metric->name);
	rc = read_select(&x, &rest, a, err);
	if (rc == TT_OK)
		rc = read_stat(&x, rest, err);
	if (rc == TT_OK)
		rc = tt_measure_key(&x, a, err);
	if (rc != TT_OK)
		return rc;
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 8;
		struct tt_measure *more = tt_arena_alloc(a, cap * sizeof *more, err);

		if (!more)
			return err->code;
		if (s->n)
			memcpy(more, s->x, s->n * sizeof *more);
		s->x = more;
		s->cap = cap;
	}
	s->x[s->n++] = x;
	return TT_OK;
}

int
series_check(const struct series_opts *o, const struct input_opts *in, struct tt_err *err)
{
	struct stat st;

	for (size_t i = 0; o->n && i < in->path.n; i++) {
		const char *path = in->path.v[i];

		if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --metric reads its input once per bucket, and %s is not a file", path);
	}
	return TT_OK;
}

/* --- the readings ------------------------------------------------------------------- */

static enum tt_unit
unit_of(enum tt_dim dim)
{
	switch (dim) {
	case TT_DIM_TIME: return TT_UNIT_NS;
	case TT_DIM_BYTES: return TT_UNIT_BYTES;
	case TT_DIM_PERCENT: return TT_UNIT_PERCENT;
	default: return TT_UNIT_MILLI;
	}
}

/* An amount, which is in thousandths, in the unit of cells. */
static int64_t
in_unit(int64_t v, enum tt_dim dim)
{
	switch (unit_of(dim)) {
	case TT_UNIT_MILLI: return v;
	case TT_UNIT_PERCENT: return tt_scale(v, 100, TT_AMOUNT_ONE);
	default: return tt_scale(v, 1, TT_AMOUNT_ONE);
	}
}

/*
 * One bucket, from which a call or a frame that begins in it is taken whole. With ${frames} only what happens in its frames: those
 * may begin later and end later than the bucket. The first reading has reported the losses of this one.
 */
static int
read_bucket(struct app *app, const struct series_opts *o, const struct tt_run_opts *common, int64_t from, int64_t to, bool frames,
    struct tt_value *value, struct tt_err *err)
{
	struct tt_run_opts run = *common;
	struct tt_model *m = NULL;
	struct tt_views view;
	struct tt_loss loss;
	int rc;

	run.whole_frames = frames;
	run.filter.by_begin = true;
	run.needs = 0;
	for (size_t i = 0; i < o->n; i++)
		run.needs |= o->x[i].metric->needs;
	run.filter.has_frames = false;
	run.filter.from = from;
	run.filter.to = to;
	tt_loss_reset(&loss);
	app->env.loss = &loss;
	rc = tt_run(&app->env, &run, &m, err);
	app->env.loss = &app->loss;
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		rc = tt_measure_all(&view, &loss, o->x, o->n, value, &app->arena, err);
		tt_view_free(&view);
	}
	tt_model_free(m);
	return rc;
}

static bool
is_per_frame(const struct tt_measure *x)
{
	return x->stat >= TT_STAT_FRAME_MEAN && x->stat <= TT_STAT_FRAME_MAX;
}

/* The values of one bucket: those per frame by a reading of its frames, the others by one of its time. */
static int
read_values(struct app *app, struct series_opts *o, const struct tt_run_opts *run, bool first, int64_t from, int64_t to,
    struct tt_series_value *v, struct tt_err *err)
{
	struct tt_value *value = tt_arena_alloc(&app->arena, 2 * o->n * sizeof *value, err);
	bool kind[2] = { false, false };
	int rc = value ? TT_OK : err->code;

	for (size_t i = 0; i < o->n; i++)
		kind[is_per_frame(&o->x[i])] = true;
	for (size_t k = 0; k < 2 && rc == TT_OK; k++)
		if (kind[k])
			rc = read_bucket(app, o, run, from, to, k == 1, value + k * o->n, err);
	for (size_t i = 0; i < o->n && rc == TT_OK; i++) {
		const struct tt_value *x = &value[i + (is_per_frame(&o->x[i]) ? o->n : 0)];
		if (!x->absent || o->x[i].metric->select == TT_SELECT_NONE)
			o->absent[i] = NULL;
		else if (first || (o->absent[i] && x->why && strcmp(x->why, TT_NO_FRAMES) != 0))
			o->absent[i] = x->why;        /* that a part has no frame says nothing of the name */
		if (x->several && !o->several[i])
			o->several[i] = x->why;
		v[i] = (struct tt_series_value){ .metric = o->x[i].key, .from = from, .to = to, .known = x->known,
			.unit = unit_of(x->dim), .unit_name = tt_dim_name[x->dim], .v = in_unit(x->v, x->dim) };
	}
	return rc;
}

/* What nothing has is not known to be 0: the name may be a wrong one. */
static void
forget_unmet(const struct series_opts *o, struct tt_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->v[i].known = s->v[i].known && !o->absent[i % o->n];
}

void
series_notes(const struct series_opts *o, struct tt_report *r)
{
	for (size_t i = 0; i < o->n && o->absent; i++) {
		if (o->several[i])
			tt_report_note(r, tt_severity_name[TT_NOTICE], "no_metric", tt_text(r, "--metric %s: %s", o->x[i].key, o->several[i]));
		else if (o->absent[i])
			tt_report_note(r, tt_severity_name[TT_NOTICE], "no_metric", tt_text(r, "--metric %s: %s", o->x[i].key, o->absent[i]));
	}
}

int
series_read(struct app *app, struct series_opts *o, const struct tt_run_opts *run, const struct tt_model *m,
    size_t buckets, struct tt_series *s, struct tt_err *err)
{
	const struct tt_filter *f = &m->filter;
	struct tt_timeline t = { .from = f->from > m->min_ts ? f->from : m->min_ts,
		.to = f->to <= m->max_ts ? f->to : m->max_ts + 1, .n = buckets };
	int rc = TT_OK;

	*s = (struct tt_series){ 0 };
	if (o->n == 0 || t.to <= t.from)
		return TT_OK;
	s->n = buckets * o->n;
	o->absent = tt_arena_alloc(&app->arena, o->n * sizeof *o->absent, err);
	o->several = o->absent ? tt_arena_alloc(&app->arena, o->n * sizeof *o->several, err) : NULL;
	s->v = o->several ? tt_arena_alloc(&app->arena, s->n * sizeof *s->v, err) : NULL;
	if (!s->v)
		return err->code;
	for (size_t i = 0; i < buckets && rc == TT_OK; i++)
		rc = read_values(app, o, run, i == 0, tt_timeline_start(&t, i), tt_timeline_start(&t, i + 1), s->v + i * o->n, err);
	ui_erase(&app->ui);
	forget_unmet(o, s);
	return rc;
}
