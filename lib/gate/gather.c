/**
 * The figures of measures in a model; the contract is tt_measure_all() in measure.h.
 *
 * Definitions are those of the tables (tracetool-metrics(7)): times of frames are exact, those of categories per frame
 * and of single activations are read from histograms.
 */
#include <math.h>
#include <string.h>

#include "gate/measure.h"
#include "model/loss.h"
#include "model/names.h"
#include "pass/paths.h"
#include "pass/pass.h"
#include "stat/num.h"

#define NO_FRAMES "no whole frame: name the marker that begins a frame with --frame-marker, or see skip in the budget"

/* Values of frames, sorted. */
struct each { int64_t *v; size_t n; bool done; };

enum { E_WALL, E_CPU, E_ALLOC_B, E_ALLOC_N, E_TIMING, E_N = E_TIMING + TT_TIMINGS };

struct gather {
	const struct tt_model *m;
	uint64_t lost;
	struct tt_arena *out;         /* what the values keep */
	struct tt_arena work;
	struct each each[E_N];
	struct tt_paths paths;
	bool has_paths;
};

static void
set(struct tt_value *v, int64_t base)
{
	v->known = true;
	v->v = tt_scale(base, TT_AMOUNT_ONE, 1);
}

/* ${a} / ${b} as an amount. */
static void
set_ratio(struct tt_value *v, int64_t a, int64_t b)
{
	v->known = true;
	v->v = tt_scale(a, TT_AMOUNT_ONE, b);
}

static size_t
frames_of(const struct gather *g)
{
	return g->m->frames ? g->m->frames->n : 0;
}

/* --- values of single frames ------------------------------------------------------- */

static int64_t
at_most(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* The value of frame ${i}; false: it has none. */
static bool
frame_value(const struct tt_frames *f, unsigned what, size_t i, int64_t *v)
{
	switch (what) {
	case E_WALL:
		*v = f->dur[i];
		return true;
	case E_CPU:
		*v = f->wait_ns[i] < f->dur[i] ? f->dur[i] - f->wait_ns[i] : 0;
		return f->has_wait;
	case E_ALLOC_B:
		*v = at_most(f->alloc_b[i]);
		return true;
	case E_ALLOC_N:
		*v = at_most(f->alloc_n[i]);
		return true;
	default:
		*v = f->has_timing ? f->timing[what - E_TIMING][i] : 0;
		return *v != 0;
	}
}

/* All of them in order; NULL out of memory. */
static const struct each *
each_frame(struct gather *g, unsigned what, struct tt_err *err)
{
	struct each *e = &g->each[what];
	size_t n = frames_of(g);

	if (e->done)
		return e;
	e->v = tt_arena_alloc(&g->work, (n + 1) * sizeof *e->v, err);
	if (!e->v)
		return NULL;
	for (size_t i = 0; i < n; i++)
		e->n += frame_value(g->m->frames, what, i, &e->v[e->n]);
	tt_sort_i64(e->v, e->n);
	e->done = true;
	return e;
}

static int
keep_each(struct gather *g, const struct each *e, struct tt_value *v, struct tt_err *err)
{
	v->each = tt_arena_alloc(g->out, (e->n + 1) * sizeof *v->each, err);
	if (!v->each)
		return err->code;
	for (size_t i = 0; i < e->n; i++)
		v->each[i] = tt_scale(e->v[i], TT_AMOUNT_ONE, 1);
	v->neach = e->n;
	return TT_OK;
}

static int64_t
sum_of(const struct each *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < e->n; i++)
		sum += (uint64_t)e->v[i];
	return at_most(sum);
}

static void
statistic(const struct each *e, enum tt_stat_kind stat, struct tt_value *v)
{
	static const struct { unsigned num, den; } rank[TT_STATS] = {
		[TT_STAT_MEDIAN] = { 1, 2 }, [TT_STAT_P90] = { 90, 100 }, [TT_STAT_P95] = { 95, 100 },
		[TT_STAT_P99] = { 99, 100 }, [TT_STAT_P999] = { 999, 1000 }, [TT_STAT_MAX] = { 1, 1 },
		[TT_STAT_FRAME_MEDIAN] = { 1, 2 }, [TT_STAT_FRAME_P95] = { 95, 100 }, [TT_STAT_FRAME_P99] = { 99, 100 },
		[TT_STAT_FRAME_MAX] = { 1, 1 },
	};

	if (rank[stat].den)
		set(v, tt_quantile_i64(e->v, e->n, rank[stat].num, rank[stat].den));
	else if (stat == TT_STAT_STDDEV)
		set(v, tt_stddev_i64(e->v, e->n));
	else
		set_ratio(v, sum_of(e), (int64_t)e->n);
}

static const char *
why_no_value(unsigned what)
{
	if (what == E_CPU)
		return "no CPU-active time: no wait marker or lock contention was recorded";
	return "no frame timings: the engine's own measurements are not in it";
}

static int
frame_times(struct gather *g, const struct tt_measure *x, unsigned what, struct tt_value *v, struct tt_err *err)
{
	const struct each *e = each_frame(g, what, err);

	if (!e)
		return err->code;
	if (e->n == 0) {
		v->why = frames_of(g) ? why_no_value(what) : NO_FRAMES;
		return TT_OK;
	}
	statistic(e, x->stat, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

static int
over(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	unsigned what = x->metric->of ? E_CPU : E_WALL;
	const struct each *e = each_frame(g, what, err);
	size_t n = 0;

	if (!e)
		return err->code;
	if (e->n == 0) {
		v->why = frames_of(g) ? why_no_value(what) : NO_FRAMES;
		return TT_OK;
	}
	while (n < e->n && e->v[e->n - 1 - n] > x->limit_ns)
		n++;
	if (x->stat == TT_STAT_COUNT)
		set(v, (int64_t)n);
	else
		set_ratio(v, (int64_t)n * 1000, (int64_t)e->n);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

/* Frames per second of the worst ${part}th of the frames. */
static void
fps(const struct each *e, size_t part, struct tt_value *v)
{
	size_t n = e->n / part + (e->n % part != 0);
	struct each worst = { .v = e->v + e->n - n, .n = n };
	int64_t sum = sum_of(&worst);

	v->known = sum > 0;
	v->why = sum > 0 ? NULL : NO_FRAMES;
	v->v = tt_ratio(n, UINT64_C(1000000000) * TT_AMOUNT_ONE, (uint64_t)sum);
}

static int
frame_rate(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct each *e = each_frame(g, E_WALL, err);

	if (!e)
		return err->code;
	fps(e, x->stat == TT_STAT_LOW_1 ? 100 : x->stat == TT_STAT_LOW_01 ? 1000 : 1, v);
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

/* --- allocation and collection -------------------------------------------------------- */

/* Were allocations recorded at all? Mono's options say so; elsewhere one that is there does. */
static const char *
no_allocs(const struct gather *g)
{
	for (size_t i = 0; i < g->m->threads.n; i++)
		if (g->m->threads.t[i]->nalloc)
			return NULL;
	return "no allocation was recorded (Mono: record with alloc)";
}

static bool
is_mono_without_alloc(const struct gather *g)
{
	for (size_t i = 0; i < g->m->ncap; i++) {
		const struct tt_capture *c = g->m->cap[i];

		if (strcmp(c->format, "mlpd") == 0 && c->args && *c->args && strstr(c->args, "alloc") == NULL)
			return true;
	}
	return false;
}

static int
alloc_total(const struct gather *g, bool bytes, struct tt_value *v)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < tt_tree_count(g->m->tree); i++) {
		struct tt_count c;

		if (tt_tree_node(g->m->tree, i)->kind != TT_NODE_ALLOC)
			continue;
		c = tt_counts_get(g->m->counts, i);
		sum += bytes ? c.total : (int64_t)c.n;
	}
	set(v, sum);
	return TT_OK;
}

static int
allocs(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const char *none = no_allocs(g);
	bool frames = x->metric->family == TT_FAM_ALLOC_FRAMES;
	const struct each *e;
	size_t zero = 0;

	v->absent = none != NULL;
	v->why = none;
	if (none && is_mono_without_alloc(g))
		return TT_OK;
	if (x->stat == TT_STAT_TOTAL)
		return alloc_total(g, x->metric->of == 0, v);
	e = each_frame(g, frames || x->metric->of ? E_ALLOC_N : E_ALLOC_B, err);
	if (!e)
		return err->code;
	if (e->n == 0) {
		v->why = NO_FRAMES;
		return TT_OK;
	}
	if (!frames) {
		statistic(e, x->stat, v);
	} else {
		while (zero < e->n && e->v[zero] == 0)
			zero++;
		if (x->stat == TT_STAT_COUNT)
			set(v, (int64_t)(e->n - zero));
		else
			set_ratio(v, (int64_t)(e->n - zero) * 1000, (int64_t)e->n);
	}
	return x->pooled ? keep_each(g, e, v, err) : TT_OK;
}

static void
collections(const struct gather *g, const struct tt_measure *x, struct tt_value *v)
{
	size_t frames = frames_of(g);
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof g->m->gen / sizeof *g->m->gen; i++)
		n += g->m->gen[i].n;
	if (x->stat == TT_STAT_TOTAL)
		set(v, at_most(n));
	else if (frames)
		set_ratio(v, at_most(n * 1000), (int64_t)frames);
	else
		v->why = NO_FRAMES;
}

static void
pauses(const struct gather *g, const struct tt_measure *x, struct tt_value *v)
{
	const struct tt_model *m = g->m;
	int64_t total = x->metric->of ? m->stopped_total : m->pause_total;
	size_t frames = frames_of(g);

	if (x->stat == TT_STAT_TOTAL)
		set(v, total);
	else if (x->stat == TT_STAT_MAX)
		set(v, x->metric->of ? m->stopped_max : m->pause_max);
	else if (x->stat == TT_STAT_MEAN)
		set_ratio(v, total, m->pause_n ? (int64_t)m->pause_n : 1);
	else if (frames)
		set_ratio(v, total, (int64_t)frames);
	else
		v->why = NO_FRAMES;
}

static void
heap(const struct gather *g, const struct tt_measure *x, struct tt_value *v)
{
	if (g->m->heap_resizes == 0)
		v->why = "no heap size was recorded";
	else
		set(v, at_most(x->stat == TT_STAT_MAX ? g->m->heap_max : g->m->heap_last));
}

/* --- counters ---------------------------------------------------------------------------- */

/* The dimension of a counter and what its values are multiplied by to come to base units. */
static enum tt_dim
counter_dim(const struct tt_def *d, double *scale)
{
	const uint64_t interval = 7;          /* Mono's type of times in microseconds */

	*scale = 1;
	switch (d ? (d->b & UINT32_MAX) >> 24 : 0) {
	case TT_CU_BYTES:
	case TT_CU_BYTES_GUESSED:
		return TT_DIM_BYTES;
	case TT_CU_100NS:
		*scale = d->a >> 32 == interval ? 1000 : 100;
		return TT_DIM_TIME;
	case TT_CU_NS:
	case TT_CU_NS_GUESSED:
		return TT_DIM_TIME;
	case TT_CU_PERCENT:
		return TT_DIM_PERCENT;
	case TT_CU_FRACTION:
		*scale = 100;
		return TT_DIM_PERCENT;
	default:
		return TT_DIM_NUMBER;
	}
}

static double
number_of(const struct tt_counter_stat *c, union tt_counter_value v)
{
	return c->type == TT_T_F64 ? v.d : c->type == TT_T_U64 ? (double)v.u : (double)v.i;
}

static double
counter_value(const struct tt_counter_stat *c, enum tt_stat_kind stat)
{
	if (stat == TT_STAT_MEAN)
		return c->sum / (double)c->nsum;
	return number_of(c, stat == TT_STAT_MAX ? c->max : stat == TT_STAT_MIN ? c->min : c->last);
}

static int64_t
amount_of(double v)
{
	v = round(v * TT_AMOUNT_ONE);
	return v >= 9.2e18 ? INT64_MAX : v <= -9.2e18 ? -INT64_MAX : (int64_t)v;
}

static void
counter(const struct gather *g, const struct tt_measure *x, struct tt_value *v)
{
	size_t met = 0;

	for (size_t i = 0; i < g->m->ncounter; i++) {
		const struct tt_counter_stat *c = &g->m->counter[i];
		double scale, value;
		int64_t now;

		if (!c->def || !c->def->len || c->n == 0 || c->type == TT_T_TEXT || !tt_glob(x->select, c->def->text))
			continue;
		v->dim = counter_dim(c->def, &scale);
		value = counter_value(c, x->stat);
		if (!isfinite(value))
			continue;
		now = amount_of(value * scale);
		if (met++ == 0 || (x->stat == TT_STAT_MIN ? now < v->v : now > v->v))
			v->v = now;
	}
	v->known = met > 0;
	v->absent = met == 0;
	if (met == 0)
		v->why = "no counter of this name (see tracetool stats --table counters)";
	if (met > 1 && x->stat != TT_STAT_MAX && x->stat != TT_STAT_MIN) {
		v->known = false;
		v->why = "several counters match: only max and min have a meaning then";
	}
}

/* --- markers, categories, threads ---------------------------------------------------------- */

/* What a measure's markers did on all threads. */
struct sums { int64_t total, self, calls; unsigned open; bool met; };

static bool
row_matches(const struct gather *g, const struct tt_measure *x, const struct tt_row *row)
{
	const char *const glob[] = { x->select, NULL };

	if (x->metric->family == TT_FAM_CATEGORY)
		return tt_glob(x->select, g->m->category[row->name->category].name);
	return tt_name_match(glob, row->name->full);
}

/* The rows that a measure is about, by number. */
static bool *
matching(struct gather *g, const struct tt_measure *x, struct tt_err *err)
{
	bool *is = tt_arena_alloc(&g->work, g->paths.nrow + 1, err);

	for (uint32_t i = 0; i < g->paths.nrow && is; i++)
		is[i] = row_matches(g, x, &g->paths.row[i]);
	return is;
}

static void
add_up(const struct gather *g, const bool *is, struct sums *s)
{
	struct tt_walk w = { .p = &g->paths };

	while (tt_walk_next(&w)) {
		uint32_t owner = g->paths.owner[w.node];
		struct tt_count c;

		if (!tt_paths_timed(&g->paths, w.node) || !tt_paths_shown(&g->paths, owner) ||
		    !is[tt_paths_row(&g->paths, owner)])
			continue;
		if (w.leave) {
			s->open -= owner == w.node;
			continue;
		}
		c = tt_paths_count(&g->paths, w.node);
		s->self += c.self;
		if (owner != w.node)          /* a hidden wrapper: its self time is its owner's */
			continue;
		s->met |= c.n > 0 || c.total > 0;
		s->calls += (int64_t)c.n;
		if (s->open++ == 0)
			s->total += c.total;
	}
}

/* Figures of the frame thread: sums over the matching markers, or the largest of any. */
static void
in_frames(const struct gather *g, const bool *is, struct tt_frame_marker *sum)
{
	const struct tt_frames *f = g->m->frames;

	*sum = (struct tt_frame_marker){ 0 };
	for (uint32_t i = 0; i < g->paths.nrow; i++) {
		const struct tt_row *row = &g->paths.row[i];

		for (uint32_t k = 0; is[i] && k < row->n; k++) {
			uint32_t marker = g->paths.by_row[row->first + k];
			const struct tt_frame_marker *s = &f->marker_stat[marker];

			if (marker >= f->nmarker_stat)
				continue;
			sum->total += s->total;
			sum->self += s->self;
			sum->total_max = s->total_max > sum->total_max ? s->total_max : sum->total_max;
			sum->self_max = s->self_max > sum->self_max ? s->self_max : sum->self_max;
			sum->calls_max = s->calls_max > sum->calls_max ? s->calls_max : sum->calls_max;
		}
	}
}

static int
durations(struct gather *g, const bool *is, enum tt_stat_kind stat, struct tt_value *v, struct tt_err *err)
{
	struct tt_hist *h = tt_arena_alloc(&g->work, sizeof *h, err);

	if (!h)
		return err->code;
	tt_hist_init(h);
	for (uint32_t i = 0; i < g->paths.nrow; i++)
		for (uint32_t k = 0; is[i] && k < g->paths.row[i].n; k++)
			tt_counts_hist(g->m->counts, g->paths.by_row[g->paths.row[i].first + k], h);
	if (h->n == 0) {
		v->why = "no whole activation";
		return TT_OK;
	}
	set(v, stat == TT_STAT_MAX ? at_most(h->max) : at_most(tt_hist_quantile(h, stat == TT_STAT_MEDIAN ? 1 :
	    stat == TT_STAT_P95 ? 19 : 99, stat == TT_STAT_MEDIAN ? 2 : stat == TT_STAT_P95 ? 20 : 100)));
	return TT_OK;
}

static bool
is_per_frame(enum tt_stat_kind stat)
{
	return stat == TT_STAT_FRAME_MEAN || stat == TT_STAT_FRAME_MAX || stat == TT_STAT_FRAME_MEDIAN ||
	    stat == TT_STAT_FRAME_P95 || stat == TT_STAT_FRAME_P99;
}

static int
marker(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const bool *is = matching(g, x, err);
	size_t frames = frames_of(g);
	struct tt_frame_marker in;
	struct sums s = { 0 };

	if (!is)
		return err->code;
	add_up(g, is, &s);
	v->absent = !s.met;
	v->why = s.met ? NULL : "no marker of this name (see tracetool stats --table markers)";
	if (is_per_frame(x->stat) && frames == 0) {
		v->why = NO_FRAMES;
		return TT_OK;
	}
	if (x->stat == TT_STAT_TOTAL)
		set(v, x->metric->of == 0 ? s.total : x->metric->of == 1 ? s.self : s.calls);
	else if (x->stat == TT_STAT_FRAME_MEAN && x->metric->of == 2)
		set_ratio(v, s.calls, (int64_t)frames);
	else if (!is_per_frame(x->stat) && x->stat == TT_STAT_MEAN && s.calls)
		set_ratio(v, s.total, s.calls);
	else if (!is_per_frame(x->stat))
		return s.met ? durations(g, is, x->stat, v, err) : TT_OK;
	else {
		in_frames(g, is, &in);
		if (x->stat == TT_STAT_FRAME_MEAN)
			set_ratio(v, x->metric->of == 0 ? in.total : in.self, (int64_t)frames);
		else
			set(v, x->metric->of == 0 ? in.total_max : x->metric->of == 1 ? in.self_max : at_most(in.calls_max));
	}
	return TT_OK;
}

/* Several categories: their means and totals add up; of quantiles and the maximum only one category has any. */
static int
category(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_frames *f = g->m->frames;
	const bool *is = matching(g, x, err);
	struct sums s = { 0 };
	const struct tt_frame_category *one = NULL;
	int64_t self = 0;
	size_t met = 0;

	if (!is)
		return err->code;
	add_up(g, is, &s);
	v->absent = !s.met;
	v->why = s.met ? NULL : "no category of this name (see tracetool stats --table categories)";
	if (x->stat == TT_STAT_TOTAL) {
		set(v, s.self);
		return TT_OK;
	}
	if (frames_of(g) == 0) {
		v->why = NO_FRAMES;
		return TT_OK;
	}
	for (size_t i = 0; i < f->ncategory_stat; i++) {
		if (!tt_glob(x->select, g->m->category[i].name))
			continue;
		self += f->category_stat[i].self;
		met += f->category_stat[i].present > 0;
		if (!one || f->category_stat[i].present)
			one = &f->category_stat[i];
	}
	if (x->stat == TT_STAT_FRAME_MEAN)
		set_ratio(v, self, (int64_t)f->n);
	else if (met > 1)
		v->why = "several categories match: only per_frame.mean and total have a meaning then";
	else if (x->stat == TT_STAT_FRAME_MAX)
		set(v, one ? one->self_max : 0);
	else if (one && one->hist.n)
		set(v, at_most(tt_hist_quantile(&one->hist, x->stat == TT_STAT_FRAME_MEDIAN ? 1 : 19,
		    x->stat == TT_STAT_FRAME_MEDIAN ? 2 : 20)));
	else
		set(v, 0);
	return TT_OK;
}

static void
thread(const struct gather *g, const struct tt_measure *x, struct tt_value *v)
{
	const struct tt_paths *p = &g->paths;
	int64_t busy = 0;
	bool met = false;

	for (size_t i = 0; i < g->m->threads.n; i++)
		met |= tt_glob(x->select, g->m->threads.t[i]->name);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct tt_thread *t;

		if (i == TT_NODE_MORE || !tt_paths_shown(p, i) ||
		    tt_paths_node(p, p->owner[tt_paths_node(p, i)->parent])->kind != TT_NODE_THREAD)
			continue;
		t = tt_paths_thread(p, i);
		if (t && tt_glob(x->select, t->name))
			busy += tt_paths_count(p, i).total;
	}
	v->absent = !met;
	v->why = met ? NULL : "no thread of this name (see tracetool stats --table threads)";
	if (x->stat == TT_STAT_TOTAL)
		set(v, busy);
	else if (frames_of(g))
		set_ratio(v, busy, (int64_t)frames_of(g));
	else
		v->why = NO_FRAMES;
}

/* --- all of them ------------------------------------------------------------------------------- */

static int
need_paths(struct gather *g, struct tt_err *err)
{
	int rc;

	if (g->has_paths)
		return TT_OK;
	g->has_paths = true;
	rc = tt_paths_init(&g->paths, g->m, err);
	return rc == TT_OK ? tt_paths_link(&g->paths, err) : rc;
}

static int
walked(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	int rc = need_paths(g, err);

	if (rc != TT_OK)
		return rc;
	if (x->metric->family == TT_FAM_MARKER)
		return marker(g, x, v, err);
	if (x->metric->family == TT_FAM_CATEGORY)
		return category(g, x, v, err);
	thread(g, x, v);
	return TT_OK;
}

static int
measure(struct gather *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	switch (x->metric->family) {
	case TT_FAM_FRAME:
		return frame_times(g, x, x->metric->of ? E_CPU : E_WALL, v, err);
	case TT_FAM_TIMING:
		return frame_times(g, x, E_TIMING + x->metric->of, v, err);
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
		return walked(g, x, v, err);
	case TT_FAM_FRAMES:
		set(v, (int64_t)frames_of(g));
		break;
	case TT_FAM_COLLECTIONS:
		collections(g, x, v);
		break;
	case TT_FAM_PAUSE:
		pauses(g, x, v);
		break;
	case TT_FAM_HEAP:
		heap(g, x, v);
		break;
	case TT_FAM_COUNTER:
		counter(g, x, v);
		break;
	case TT_FAM_LOST:
		set(v, at_most(g->lost));
		break;
	case TT_FAM_LENGTH:
		set(v, g->m->max_ts > g->m->min_ts ? g->m->max_ts - g->m->min_ts : 0);
		break;
	}
	return TT_OK;
}

int
tt_measure_all(const struct tt_model *m, uint64_t lost, const struct tt_measure *x, size_t n, struct tt_value *v,
    struct tt_arena *a, struct tt_err *err)
{
	struct gather g = { .m = m, .lost = lost, .out = a };
	int rc = TT_OK;

	tt_arena_init(&g.work, &m->env->mem);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		v[i] = (struct tt_value){ .dim = tt_measure_dim(&x[i]) };
		rc = measure(&g, &x[i], &v[i], err);
	}
	tt_paths_free(&g.paths);
	tt_arena_free(&g.work);
	return rc;
}

uint64_t
tt_lost_events(const struct tt_loss *l)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (tt_loss_info[k].severity >= TT_LOSS)
			n += l->e[k].n ? l->e[k].n : l->e[k].bytes > 0;
	return n;
}
