/**
 * The figures of measures in a model; the contract is tt_measure_all() in measure.h.
 *
 * Definitions are those of the tables (tracetool-metrics(7)): times of frames are exact, those of categories per frame
 * and of single activations are read from histograms.
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

/* The value of a frame that ${x} measures; TT_FRAME_VALUES if it measures none. */
static unsigned
frame_value_of(const struct tt_measure *x)
{
	static const unsigned time[] = { TT_FRAME_WALL, TT_FRAME_CPU, TT_FRAME_UNCAPPED };
	/* Budgets are held against how long frames were shown. */
	static const unsigned counted[] = { TT_FRAME_SHOWN, TT_FRAME_CPU, TT_FRAME_UNCAPPED, TT_FRAME_LATE };

	switch (x->metric->family) {
	case TT_FAM_FRAME:
		return time[x->metric->of];
	case TT_FAM_OVER:
		return counted[x->metric->of];
	case TT_FAM_TIMING:
		return TT_FRAME_TIMING + x->metric->of;
	case TT_FAM_ALLOC:
		return x->metric->of ? TT_FRAME_ALLOC_N : TT_FRAME_ALLOC_B;
	case TT_FAM_ALLOC_FRAMES:
		return TT_FRAME_ALLOC_B;
	default:
		return TT_FRAME_VALUES;
	}
}

bool
tt_measure_is_of_some(const struct tt_measure *x)
{
	return x->metric->select == TT_SELECT_MARKER || x->metric->select == TT_SELECT_CATEGORY || x->metric->select == TT_SELECT_THREAD;
}

bool
tt_measure_is_cpu(const struct tt_measure *x)
{
	return frame_value_of(x) == TT_FRAME_CPU;
}

bool
tt_measure_is_uncapped(const struct tt_measure *x)
{
	return frame_value_of(x) == TT_FRAME_UNCAPPED;
}

bool
tt_measure_is_late(const struct tt_measure *x)
{
	return frame_value_of(x) == TT_FRAME_LATE;
}

bool
tt_measure_is_wall(const struct tt_measure *x)
{
	const char *name = x->metric->name;

	if (x->metric->family == TT_FAM_FPS || frame_value_of(x) == TT_FRAME_WALL || frame_value_of(x) == TT_FRAME_SHOWN)
		return true;
	if (x->metric->family != TT_FAM_CELL)
		return false;
	return strncmp(name, "frame_histogram/", 16) == 0 ||
	    (x->select && strncmp(x->select, "wall", 4) == 0 && (strncmp(name, "frames/", 7) == 0 || strncmp(name, "frame_budgets/", 14) == 0));
}

bool
tt_measure_frame(const struct tt_measure *x, const struct tt_frames *f, size_t i, int64_t *v)
{
	unsigned what = frame_value_of(x);

	return what != TT_FRAME_VALUES && tt_frame_value(f, what, i, v);
}

static int
keep_each(struct tt_figures *g, const struct tt_values *e, struct tt_value *v, struct tt_err *err)
{
	v->each = tt_arena_alloc(g->out, (e->n + 1) * sizeof *v->each, err);
	if (!v->each)
		return err->code;
	for (size_t i = 0; i < e->n; i++)
		v->each[i] = tt_scale(tt_column_at(&e->v, i), TT_AMOUNT_ONE, 1);
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
		v->v = tt_values_trimmed(e, TT_AMOUNT_ONE);
	} else {
		v->known = true;
		v->v = tt_values_mean(e, TT_AMOUNT_ONE);
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

/* The values ${what} of all frames; NULL on an error, or if there are none, with the reason in ${v}. */
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

static int
frame_times(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = values_of(g, frame_value_of(x), v, err);

	if (!e)
		return v->why ? TT_OK : err->code;
	statistic(e, x->stat, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

/* So many of the frames. */
static void
set_frames(const struct tt_measure *x, size_t n, size_t of, struct tt_value *v)
{
	if (x->stat == TT_STAT_COUNT)
		tt_value_set(v, (int64_t)n);
	else
		tt_value_ratio(v, (int64_t)n * 1000, (int64_t)of);
}

/* True if a count of the frames that ${x} measures is that of a limit which the capture does not prove. */
static bool
is_doubted(const struct tt_figures *g, const struct tt_measure *x)
{
	const struct tt_frames *f = g->m->frames;

	for (size_t i = 0; frame_value_of(x) == TT_FRAME_LATE && i < f->nsegment; i++)
		if (f->segment[i].reading != TT_READING_LIMIT)
			return true;
	return frame_value_of(x) == TT_FRAME_SHOWN && tt_frames_doubted(f, x->limit_ns) > 0;
}

static int
over(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_values *e = values_of(g, frame_value_of(x), v, err);

	if (!e)
		return v->why ? TT_OK : err->code;
	if (frame_value_of(x) == TT_FRAME_SHOWN && tt_frames_untold(g->m->frames, x->limit_ns)) {
		v->why = "it has " TT_UNTOLD_TEXT;
		return TT_OK;
	}
	set_frames(x, tt_values_over(e, x->limit_ns), e->n, v);
	v->doubted = is_doubted(g, x);
	v->why = v->doubted ? "it does not tell whether a limit holds its frames or something is too slow: the table frame_shown has both readings" : NULL;
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

static int
frame_rate(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
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

static int
allocs(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	bool none = !has_allocs(g->m);
	bool frames = x->metric->family == TT_FAM_ALLOC_FRAMES;
	const struct tt_values *e;

	v->absent = none;
	v->why = none ? "no allocation was recorded" : NULL;
	if (!tt_model_knows_allocs(g->m))
		return tt_value_unrecorded(g, v, TT_REC_ALLOCS, err);
	if (x->stat == TT_STAT_TOTAL) {
		struct tt_alloc_sum sum = tt_alloc_sum(g->m);

		tt_value_set(v, x->metric->of == 0 ? sum.bytes : tt_at_most(sum.n));
		return TT_OK;
	}
	v->why = NULL;
	e = values_of(g, frames ? TT_FRAME_ALLOC_N : frame_value_of(x), v, err);
	if (!e)
		return v->why ? TT_OK : err->code;
	v->why = none ? "no allocation was recorded" : NULL;
	if (frames)
		set_frames(x, tt_values_over(e, 0), e->n, v);
	else
		statistic(e, x->stat, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

struct tt_gc_stat
tt_generations_of(const struct tt_figures *g, const struct tt_measure *x)
{
	size_t one = x->metric->of;

	return tt_collections(tt_gc(g->m)->gen, one ? one - 1 : 0, one ? one : TT_GENERATIONS);
}

static int
collections(const struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
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

static int
pauses(const struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
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
		tt_value_ratio(v, total, gc->pause_n ? (int64_t)gc->pause_n : 1);
	else if (frames)
		tt_value_ratio(v, total, (int64_t)frames);
	else
		v->why = TT_NO_FRAMES;
	return TT_OK;
}

static void
heap(const struct tt_figures *g, const struct tt_measure *x, struct tt_value *v)
{
	const struct tt_gc *gc = tt_gc(g->m);

	if (gc->heap_resizes == 0)
		v->why = "no heap size was recorded";
	else
		tt_value_set(v, tt_at_most(x->stat == TT_STAT_MAX ? gc->heap_max : gc->heap_last));
}

/* --- counters ---------------------------------------------------------------------------- */

static double
counter_value(const struct tt_counter_stat *c, enum tt_stat_kind stat)
{
	if (stat == TT_STAT_MEAN)
		return tt_counter_mean(c);
	return tt_counter_number(c, stat == TT_STAT_MAX ? c->max : stat == TT_STAT_MIN ? c->min : c->last);
}

/* Say why several counters have no figure together, if that is so; ${mixed}: they have different units. */
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

static void
counter(const struct tt_figures *g, const struct tt_measure *x, struct tt_value *v)
{
	const struct tt_counters *cs = tt_counters(g->m);
	static const enum tt_dim dim[] = { [TT_OF_NUMBER] = TT_DIM_NUMBER, [TT_OF_TIME] = TT_DIM_TIME, [TT_OF_BYTES] = TT_DIM_BYTES,
		[TT_OF_PERCENT] = TT_DIM_PERCENT, [TT_OF_HZ] = TT_DIM_NUMBER };
	bool too_large = false, any = false, mixed = false;
	const char *unit = NULL;
	size_t met = 0;

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
		value = round(value * (double)base.num * TT_AMOUNT_ONE);
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
}

/* --- all of them ------------------------------------------------------------------------------- */

static int
measure(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	switch (x->metric->family) {
	case TT_FAM_FRAME:
	case TT_FAM_TIMING:
		return frame_times(g, x, v, err);
	case TT_FAM_OVER:
		return over(g, x, v, err);
	case TT_FAM_FPS:
		return frame_rate(g, x, v, err);
	case TT_FAM_ALLOC:
	case TT_FAM_ALLOC_FRAMES:
		return allocs(g, x, v, err);
	case TT_FAM_CATEGORY:
	case TT_FAM_MARKER:
	case TT_FAM_THREAD:
		return tt_figures_calls(g, x, v, err);
	case TT_FAM_CELL:
		return tt_figures_cell(g, x, v, err);
	case TT_FAM_FRAMES:
		tt_value_set(v, (int64_t)tt_figures_frames(g));
		break;
	case TT_FAM_COLLECTIONS:
		return collections(g, x, v, err);
	case TT_FAM_PAUSE:
		return pauses(g, x, v, err);
	case TT_FAM_HEAP:
		heap(g, x, v);
		break;
	case TT_FAM_COUNTER:
		counter(g, x, v);
		break;
	case TT_FAM_LOST:
		tt_value_set(v, tt_at_most(tt_lost_events(g->loss)));
		break;
	case TT_FAM_UNENDED:
		tt_value_set(v, tt_loss_unended(g->loss));
		break;
	case TT_FAM_TEST:
		v->why = "it is a capture, not a file of test results";
		break;
	case TT_FAM_LENGTH:
		tt_value_set(v, g->m->max_ts > g->m->min_ts ? g->m->max_ts - g->m->min_ts : 0);
		break;
	default:
		return tt_figures_events(g, x, v, err);
	}
	return TT_OK;
}

int
tt_measure_all(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n, struct tt_value *v,
    struct tt_arena *a, struct tt_err *err)
{
	struct tt_figures g = { .view = view, .m = view->m, .loss = loss, .out = a, .cap_ns = tt_frames_cap(view->m->frames) };
	int rc = TT_OK;

	tt_arena_init(&g.work, &view->m->env->mem);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]) };
		rc = measure(&g, &x[i], &v[i], err);
	}
	tt_figures_tables_free(&g);
	tt_arena_free(&g.work);
	return rc;
}

void
tt_values_without(const struct tt_loss *lost, bool frameless, const char *why, const struct tt_measure *x, size_t n, struct tt_value *v)
{
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]), .why = why };
		if (x[i].metric->family == TT_FAM_FRAMES && frameless)
			tt_value_set(&v[i], 0);
		else if (x[i].metric->family == TT_FAM_LOST && lost)
			tt_value_set(&v[i], tt_at_most(tt_lost_events(lost)));
		else if (x[i].metric->family == TT_FAM_UNENDED && lost)
			tt_value_set(&v[i], tt_loss_unended(lost));
		v[i].why = v[i].known ? NULL : why;
	}
}

void
tt_values_no_event(const struct tt_loss *lost, const struct tt_measure *x, size_t n, struct tt_value *v)
{
	uint64_t events = tt_lost_events(lost);

	for (size_t i = 0; i < n; i++) {
		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]) };
		if (x[i].metric->family == TT_FAM_LOST && events > 0)
			tt_value_set(&v[i], tt_at_most(events));
		else if (x[i].metric->family == TT_FAM_UNENDED && tt_loss_unended(lost))
			tt_value_set(&v[i], 1);
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
