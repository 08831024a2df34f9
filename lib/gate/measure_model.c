/**
 * Computes the figures of measures from a model; the interface is tt_measure_all() in measure.h. Definitions are those of the tables (tracetool-metrics(7)):
 * times of frames are exact; those of categories per frame and of single activations come from histograms.
 */
#include <math.h>

#include "gate/measure_model.h"

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/setting.h"
#include "collect/collections.h"
#include "collect/counters.h"
#include "model/loss.h"
#include "pass/shown.h"
#include "view/counter.h"
#include "view/view.h"

/* --- values of single frames ------------------------------------------------------- */

bool
tt_measure_is_selective(const struct tt_measure *x)
{
	return x->metric->select == TT_SELECT_MARKER || x->metric->select == TT_SELECT_CATEGORY || x->metric->select == TT_SELECT_THREAD;
}

bool
tt_measure_is_cpu(const struct tt_measure *x)
{
	return x->metric->frame_value == TT_FRAME_CPU;
}

bool
tt_measure_is_uncapped(const struct tt_measure *x)
{
	return x->metric->frame_value == TT_FRAME_UNCAPPED;
}

bool
tt_measure_is_late(const struct tt_measure *x)
{
	return x->metric->frame_value == TT_FRAME_LATE;
}

bool
tt_measure_is_wall(const struct tt_measure *x)
{
	const char *name = x->metric->name;

	if (x->metric->dim == TT_DIM_FPS || x->metric->frame_value == TT_FRAME_WALL || x->metric->frame_value == TT_FRAME_SHOWN)
		return true;
	if (x->metric->select != TT_SELECT_ROW)
		return false;
	return strncmp(name, "frame_histogram/", 16) == 0 ||
	    (x->select && strncmp(x->select, "wall", 4) == 0 && (strncmp(name, "frames/", 7) == 0 || strncmp(name, "frame_budgets/", 14) == 0));
}

bool
tt_measure_has_frames(const struct tt_measure *x)
{
	return x->stat != TT_STAT_TOTAL && (x->metric->frame_value != TT_FRAME_VALUES || (x->metric->dim == TT_DIM_FPS && x->stat == TT_STAT_MEAN));
}

bool
tt_measure_frame(const struct tt_measure *x, const struct tt_frames *f, size_t i, int64_t *v)
{
	const unsigned what = x->metric->frame_value;

	return what != TT_FRAME_VALUES && tt_frame_value(f, what, i, v);
}

static int
keep_each(struct tt_figures *g, const struct tt_values *e, struct tt_value *v, struct tt_err *err)
{
	v->each = tt_arena_alloc(g->out, (e->n + 1) * sizeof *v->each, err);
	if (!v->each)
		return err->code;
	for (size_t i = 0; i < e->n; i++)
		v->each[i] = tt_scale(tt_column_at(&e->v, i), tt_amount_one(v->dim), 1);
	v->neach = (uint32_t)e->n;
	return TT_OK;
}

static void
statistic(const struct tt_values *e, enum tt_stat_kind stat, struct tt_value *v)
{
	const struct tt_stat_rank rank = tt_stat_rank[stat];

	if (rank.of) {
		tt_value_set(v, tt_values_quantile(e, rank.rank, rank.of));
	} else if (stat == TT_STAT_STDDEV) {
		tt_value_set(v, tt_values_stddev(e));
	} else if (stat == TT_STAT_TRIMMED) {
		v->known = true;
		v->v = tt_values_trimmed(e, (unsigned)tt_amount_one(v->dim));
	} else {
		v->known = true;
		v->v = tt_values_mean(e, (unsigned)tt_amount_one(v->dim));
		v->v = v->v == 0 && e->sum > 0 ? 1 : v->v;
	}
}

static const char *
why_no_value(unsigned what)
{
	if (what == TT_FRAME_CPU)
		return "no CPU-active time: no wait marker or lock contention was recorded on the frame thread";
	if (what == TT_FRAME_LATE)
		return "no late frames: its frames show no frame limit, neither a display's nor a timer's";
	return "no frame timings: the engine's own measurements are not in it";
}

bool
tt_wall_is_limit(const struct tt_figures *g, struct tt_value *v, struct tt_err *err)
{
	char at[TT_CAP_TEXT];

	if (!tt_frames_wall_is_limit(g->m->frames, g->cap_ns))
		return false;
	*tt_put_cap(at, g->cap_ns) = '\0';
	v->why = tt_arena_printf(g->out, err, "frames are capped at %s, and with %s their wall time is what the Editor leaves of that: judge "
	    "uncapped time (frame.uncapped, frame.uncapped.over)", at, tt_setting_name[TT_SETTING_PLAYER_ONLY]);
	return true;
}

/* The values ${what} of all frames; NULL: an error, or there are none, with the reason in ${v}. */
static const struct tt_values *
values_of(struct tt_figures *g, unsigned what, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = tt_view_frames(g->view, what, err);

	if (e && (what == TT_FRAME_WALL || what == TT_FRAME_SHOWN) && tt_wall_is_limit(g, v, err))
		return NULL;
	if (e && e->n == 0)
		v->why = tt_figures_frames(g) ? why_no_value(what) : TT_NO_FRAMES;
	return e && e->n ? e : NULL;
}

int
tt_find_frame_times(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = values_of(g, x->metric->frame_value, v, err);

	if (!e)
		return v->why ? TT_OK : err->code;
	statistic(e, x->stat, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

/* Set the figure of a measure that counts ${n} of ${of} frames. */
static void
set_frames(const struct tt_measure *x, size_t n, size_t of, struct tt_value *v)
{
	if (x->stat == TT_STAT_COUNT)
		tt_value_set(v, (int64_t)n);
	else
		tt_value_ratio(v, (int64_t)n * 1000, (int64_t)of);
}

/* True if ${x} counts frames over a limit, and the capture does not prove that number. */
static bool
is_doubted(const struct tt_figures *g, const struct tt_measure *x)
{
	const struct tt_frames *f = g->m->frames;

	for (size_t i = 0; x->metric->frame_value == TT_FRAME_LATE && i < f->nsegment; i++)
		if (f->segment[i].reading != TT_READING_LIMIT)
			return true;
	return x->metric->frame_value == TT_FRAME_SHOWN && tt_frames_count_doubtful(f, x->limit_ns) > 0;
}

int
tt_find_frames_over(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = values_of(g, x->metric->frame_value, v, err);

	if (!e)
		return v->why ? TT_OK : err->code;
	if (x->metric->frame_value == TT_FRAME_SHOWN && tt_frames_count_undecidable(g->m->frames, x->limit_ns)) {
		v->why = "it has " TT_UNTOLD_TEXT;
		return TT_OK;
	}
	set_frames(x, tt_values_over(e, x->limit_ns), e->n, v);
	v->doubted = is_doubted(g, x);
	v->why = v->doubted ? "it does not tell whether a limit holds its frames or something is too slow: the table frame_shown has both readings" : NULL;
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

int
tt_find_frame_rate(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = values_of(g, TT_FRAME_WALL, v, err);

	if (!e)
		return v->why ? TT_OK : err->code;
	v->known = e->sum > 0;
	v->why = e->sum > 0 ? NULL : TT_NO_FRAMES;
	v->v = tt_values_fps(e, x->stat == TT_STAT_LOW_1 ? 100 : x->stat == TT_STAT_LOW_01 ? 1000 : 1);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

/* --- allocation and collection -------------------------------------------------------- */

static bool
has_allocs(const struct tt_model *m)
{
	for (size_t i = 0; i < m->threads.n; i++)
		if (m->threads.t[i]->nalloc)
			return true;
	return false;
}

/* The values ${what} of all frames; if ${v}->absent, no allocation was recorded. NULL: an error, or there are none. */
static const struct tt_values *
allocs_of(struct tt_figures *g, unsigned what, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = values_of(g, what, v, err);

	if (e && v->absent)
		v->why = "no allocation was recorded";
	return e;
}

int
tt_find_allocs(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e;

	v->absent = !has_allocs(g->m);
	if (!tt_model_knows_allocs(g->m))
		return tt_value_unrecorded(g, v, TT_REC_ALLOCS, err);
	if (x->stat == TT_STAT_TOTAL) {
		struct tt_alloc_sum sum = tt_alloc_sum(g->m);

		v->why = v->absent ? "no allocation was recorded" : NULL;
		tt_value_set(v, tt_measure_counts(x) ? tt_at_most(sum.n) : sum.bytes);
		return TT_OK;
	}
	if (!(e = allocs_of(g, x->metric->frame_value, v, err)))
		return v->why ? TT_OK : err->code;
	statistic(e, x->stat, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

int
tt_find_allocating_frames(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e;

	v->absent = !has_allocs(g->m);
	if (!tt_model_knows_allocs(g->m))
		return tt_value_unrecorded(g, v, TT_REC_ALLOCS, err);
	if (!(e = allocs_of(g, TT_FRAME_ALLOC_N, v, err)))
		return v->why ? TT_OK : err->code;
	set_frames(x, tt_values_over(e, 0), e->n, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

struct tt_gc_stat
tt_generations_of(const struct tt_figures *g, const struct tt_measure *x)
{
	size_t one = x->metric->of;

	return tt_collections(tt_gc(g->m)->gen, one ? one - 1 : 0, one ? one : TT_GENERATIONS);
}

int
tt_find_collections(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	size_t frames = tt_figures_frames(g);
	uint64_t n = tt_generations_of(g, x).n;

	if (!tt_knows_collections(g->m))
		return tt_value_unrecorded(g, v, TT_REC_COLLECTIONS, err);
	if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, tt_at_most(n));
	else if (frames)
		tt_value_ratio(v, tt_at_most(n * 1000), (int64_t)frames);
	else
		v->why = TT_NO_FRAMES;
	return TT_OK;
}

int
tt_find_pauses(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_model *m = g->m;
	const struct tt_gc *gc = tt_gc(m);
	int64_t total = x->metric->of ? gc->stopped_total : gc->pause_total;
	size_t frames = tt_figures_frames(g);

	if (!tt_knows_collections(m))
		return tt_value_unrecorded(g, v, TT_REC_COLLECTIONS, err);
	if (!tt_knows_pauses(m))
		v->why = "collections were recorded, pauses were not";
	else if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, total);
	else if (x->stat == TT_STAT_MAX)
		tt_value_set(v, x->metric->of ? gc->stopped_max : gc->pause_max);
	else if (x->stat == TT_STAT_MEAN)
		tt_value_ratio(v, total, gc->npauses_all ? (int64_t)gc->npauses_all : 1);
	else if (frames)
		tt_value_ratio(v, total, (int64_t)frames);
	else
		v->why = TT_NO_FRAMES;
	return TT_OK;
}

int
tt_find_heap(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_gc *gc = tt_gc(g->m);

	(void)err;
	if (gc->nheap_resizes == 0)
		v->why = "no heap size was recorded";
	else
		tt_value_set(v, tt_at_most(x->stat == TT_STAT_MAX ? gc->heap_max : gc->heap_last));
	return TT_OK;
}

/* --- counters ---------------------------------------------------------------------------- */

static double
counter_value(const struct tt_counter_stat *c, enum tt_stat_kind stat)
{
	if (stat == TT_STAT_MEAN)
		return tt_counter_mean(c);
	return tt_counter_number(c, stat == TT_STAT_MAX ? c->max : stat == TT_STAT_MIN ? c->min : c->last);
}

/* If several counters have no common figure, say why in ${v}; ${mixed}: their units differ. */
static void
judge_several(const struct tt_measure *x, bool mixed, struct tt_value *v)
{
	if (!mixed && (x->stat == TT_STAT_MAX || x->stat == TT_STAT_MIN))
		return;
	v->known = false;
	v->several = true;
	v->why = mixed ? "counters of several units match (the table counters lists all)" :
	    "several counters match: only max and min have a meaning then";
}

int
tt_find_counter(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_counters *cs = tt_counters(g->m);
	static const enum tt_dim dim[] = { [TT_OF_NUMBER] = TT_DIM_NUMBER, [TT_OF_TIME] = TT_DIM_TIME, [TT_OF_BYTES] = TT_DIM_BYTES,
		[TT_OF_PERCENT] = TT_DIM_PERCENT, [TT_OF_HZ] = TT_DIM_NUMBER };
	bool too_large = false, any = false, mixed = false;
	const char *unit = NULL;
	size_t met = 0;

	(void)err;
	for (size_t i = 0; i < cs->n; i++) {
		const struct tt_counter_stat *c = &cs->counter[i];
		struct tt_counter_base base;
		double value;
		int64_t now;

		if (!c->def || !c->def->len || c->n == 0 || c->type == TT_T_TEXT || !tt_figures_match(x, c->def->text))
			continue;
		any = true;
		base = tt_counter_base(c->def);
		v->dim = dim[base.of];
		mixed = mixed || (unit && strcmp(unit, base.name) != 0);
		unit = base.name;
		value = counter_value(c, x->stat);
		if (!isfinite(value))
			continue;
		value = round(value * (double)base.num * (double)tt_amount_one(v->dim));
		too_large = too_large || fabs(value) > 9.2e18;
		now = too_large ? 0 : (int64_t)value;
		if (met++ == 0 || (x->stat == TT_STAT_MIN ? now < v->v : now > v->v))
			v->v = now;
	}
	v->known = met > 0;
	v->absent = !any;
	if (met == 0)
		v->why = any ? "the counter's value is NaN or infinite" : "no counter of this name (the table counters lists all)";
	if (too_large) {
		v->known = false;
		v->why = "the value is too large for a budget";
	}
	if (met > 1)
		judge_several(x, mixed, v);
	return TT_OK;
}

/* --- the whole capture ---------------------------------------------------------------------- */

/* Get the figure of ${m} from a capture's losses; return false if they do not contain it. */
static bool
of_loss(const struct tt_metric *m, const struct tt_loss *loss, int64_t *n)
{
	if (m->traits & TT_METRIC_LOST)
		*n = tt_at_most(tt_lost_events(loss));
	else if (m->traits & TT_METRIC_UNENDED)
		*n = tt_loss_unended(loss);
	return m->traits & (TT_METRIC_LOST | TT_METRIC_UNENDED);
}

int
tt_find_of_loss(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	int64_t n;

	(void)err;
	if (of_loss(x->metric, g->loss, &n))
		tt_value_set(v, n);
	return TT_OK;
}

int
tt_find_nframes(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	(void)x;
	(void)err;
	tt_value_set(v, (int64_t)tt_figures_frames(g));
	return TT_OK;
}

int
tt_find_length(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	(void)x;
	(void)err;
	tt_value_set(v, g->m->max_ts > g->m->min_ts ? g->m->max_ts - g->m->min_ts : 0);
	return TT_OK;
}

int
tt_find_test(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	(void)g;
	(void)x;
	(void)err;
	v->why = "it is a capture, not a file of test results";
	return TT_OK;
}

/* --- all of them ------------------------------------------------------------------------------- */

int
tt_measure_all(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n, struct tt_value *v,
    struct tt_arena *a, struct tt_err *err)
{
	struct tt_figures g = { .view = view, .m = view->m, .loss = loss, .out = a, .cap_ns = tt_frames_cap(view->m->frames) };
	int rc = TT_OK;

	tt_arena_init(&g.work, &view->m->env->mem);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]) };
		rc = x[i].metric->find(&g, &x[i], &v[i], err);
	}
	tt_figures_tables_free(&g);
	tt_arena_free(&g.work);
	return rc;
}

void
tt_values_without(const struct tt_loss *lost, bool frameless, const char *why, const struct tt_measure *x, size_t n, struct tt_value *v)
{
	for (size_t i = 0; i < n; i++) {
		int64_t known = 0;

		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]), .why = why };
		if ((x[i].metric->traits & TT_METRIC_NFRAMES && frameless) || (lost && of_loss(x[i].metric, lost, &known)))
			tt_value_set(&v[i], known);
		v[i].why = v[i].known ? NULL : why;
	}
}

void
tt_values_no_event(const struct tt_loss *lost, const struct tt_measure *x, size_t n, struct tt_value *v)
{
	for (size_t i = 0; i < n; i++) {
		int64_t known;

		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]) };
		if (of_loss(x[i].metric, lost, &known) && known > 0)
			tt_value_set(&v[i], known);
		else
			v[i].why = "the capture holds no event";
	}
}

uint64_t
tt_lost_events(const struct tt_loss *l)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (tt_loss_info[k].severity >= TT_LOSS)
			n = l->e[k].n > UINT64_MAX - n ? UINT64_MAX : n + l->e[k].n;
	return n;
}

bool
tt_loss_unended(const struct tt_loss *l)
{
	return l->e[TT_LOST_NOT_ENDED].n > 0 || l->e[TT_LOST_KILLED].n > 0 || l->e[TT_LOST_RUNNING].n > 0;
}
