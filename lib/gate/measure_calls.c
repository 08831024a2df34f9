/**
 * Computes metrics of markers, categories and threads.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "gate/measure_model.h"
#include "model/names.h"
#include "view/frame_sums.h"
#include "view/view.h"

bool
tt_figures_match(const struct tt_measure *x, const char *name)
{
	const char *const glob[] = { x->select, NULL };
	char text[4096];
	const char *shown = tt_utf8_valid(text, sizeof text, name);

	if (x->metric->select == TT_SELECT_MARKER)
		return tt_name_match(glob, name) || (shown != name && tt_name_match(glob, shown));
	return tt_glob(x->select, name) || (shown != name && tt_glob(x->select, shown));
}

static bool
row_matches(const struct tt_figures *g, const struct tt_measure *x, const struct tt_row *row)
{
	return tt_figures_match(x, x->metric->select == TT_SELECT_CATEGORY ? g->m->category[row->name->category].name : row->name->full);
}

/* The subject of a measure. */
struct about {
	const struct tt_paths *p;
	uint32_t *slot;               /* by row: 0 if the measure covers it, else TT_NO_SLOT */
	struct tt_calls sum;
};

static int
find(struct tt_figures *g, const struct tt_measure *x, struct about *a, struct tt_err *err)
{
	*a = (struct about){ .p = tt_view_paths(g->view, TT_GROUP_NONE, TT_PATHS_LINK, err) };
	a->slot = a->p ? tt_arena_alloc(&g->work, (a->p->nrow + 1) * sizeof *a->slot, err) : NULL;
	if (!a->slot)
		return err->code;
	for (uint32_t i = 0; i < a->p->nrow; i++)
		a->slot[i] = row_matches(g, x, &a->p->row[i]) ? 0 : TT_NO_SLOT;
	tt_calls_sum(a->p, a->slot, &a->sum);
	return TT_OK;
}

static int
durations(struct tt_figures *g, const struct about *a, enum tt_stat_kind stat, struct tt_value *v, struct tt_err *err)
{
	struct tt_hist *h = tt_arena_alloc(&g->work, sizeof *h, err);

	if (!h)
		return err->code;
	tt_hist_init(h);
	for (uint32_t i = 0; i < a->p->nrow; i++)
		if (a->slot[i] == 0)
			tt_row_durations(a->p, &a->p->row[i], h);
	if (h->n == 0) {
		v->why = "no whole activation";
		return TT_OK;
	}
	if (stat == TT_STAT_MAX || stat == TT_STAT_MIN)
		tt_value_set(v, tt_at_most(stat == TT_STAT_MAX ? h->max : h->min));
	else
		tt_value_set(v, tt_at_most(tt_hist_quantile(h, stat == TT_STAT_MEDIAN ? 1 : stat == TT_STAT_P95 ? 19 : 99,
		    stat == TT_STAT_MEDIAN ? 2 : stat == TT_STAT_P95 ? 20 : 100)));
	return TT_OK;
}

/* The mean duration, without zones that the end of the capture cut off. */
static void
mean(const struct about *a, struct tt_value *v)
{
	uint64_t n = 0;
	int64_t cut = 0;

	for (uint32_t i = 0; i < a->p->nrow; i++)
		if (a->slot[i] == 0)
			tt_row_cut(a->p, &a->p->row[i], &n, &cut);
	if (a->sum.n > n)
		tt_value_ratio(v, a->sum.all > cut ? a->sum.all - cut : 0, tt_at_most(a->sum.n - n));
	else
		v->why = "no whole activation";
}

/* Compute the figures of threads and rows within frames, whichever thread begins these. */
static int
find_in_frames(struct tt_figures *g, struct tt_err *err)
{
	const struct tt_paths *p = tt_view_paths(g->view, TT_GROUP_NONE, TT_PATHS_LINK, err);

	if (g->calls_in_frames || !p)
		return p ? TT_OK : err->code;
	g->thread_in_frames = tt_arena_alloc(&g->work, (g->m->threads.n + 1) * sizeof *g->thread_in_frames, err);
	g->calls_in_frames = g->thread_in_frames ? tt_arena_alloc(&g->work, (p->nrow + 1) * sizeof *g->calls_in_frames, err) : NULL;
	return g->calls_in_frames ? tt_frame_sums_all(g->view, g->thread_in_frames, g->calls_in_frames, err) : err->code;
}

/* The mean number of zones that begin within a frame, on any thread. In a part of a run, count only its own frames. */
static int
calls_per_frame(struct tt_figures *g, const struct about *a, struct tt_value *v, struct tt_err *err)
{
	uint64_t n = 0;

	if (!g->m->part_of && find_in_frames(g, err) != TT_OK)
		return err->code;
	for (uint32_t i = 0; !g->m->part_of && i < a->p->nrow; i++)
		n += a->slot[i] == 0 ? g->calls_in_frames[i] : 0;
	tt_value_ratio(v, tt_at_most(g->m->part_of ? a->sum.n : n), (int64_t)tt_figures_frames(g));
	return TT_OK;
}

/* By index: true for threads that begin frames. */
static bool *
frame_threads(struct tt_figures *g, struct tt_err *err)
{
	bool *begins = tt_arena_alloc(&g->work, g->m->threads.n + 1, err);

	for (size_t i = 0; begins && g->m->frames && i < g->m->frames->nrange; i++)
		begins[g->m->frames->range[i].thread] = true;
	return begins;
}

/* If no thread that begins frames runs what the measure is about: the thread that runs it longest; else NULL. */
static const struct tt_thread *
other_thread(const struct about *a, const bool *begins)
{
	const struct tt_thread *most = NULL;
	int64_t time = -1;

	for (uint32_t i = TT_NODE_MORE; i < a->p->n; i++) {
		uint32_t row = tt_paths_timed(a->p, i) && tt_paths_shown(a->p, i) ? tt_paths_row(a->p, i) : TT_NO_ROW;
		struct tt_count c = tt_paths_count(a->p, i);
		const struct tt_thread *t;

		if (row == TT_NO_ROW || a->slot[row] != 0 || (c.n == 0 && c.total == 0 && c.self == 0))
			continue;
		t = tt_paths_thread(a->p, i);
		if (!t || begins[t->index])
			return NULL;
		most = c.total > time ? t : most;
		time = c.total > time ? c.total : time;
	}
	return most;
}

/* The statistic that covers all threads, to recommend instead of ${x}, which covers only the frame thread. */
static const char *
of_all_threads(const struct tt_measure *x)
{
	if (x->metric->select == TT_SELECT_CATEGORY || x->metric->of == 1)
		return "total, which counts all threads";
	return x->metric->of == 2 ? "per_frame.mean or total, which count all threads" : "total, which counts all threads, or mean, which is per call";
}

/* If what the measure is about runs only on other threads, never on the frame thread, leave the figure unknown, and name in v->why the statistic to use. */
static int
look_elsewhere(struct tt_figures *g, const struct about *a, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const bool *begins = a->sum.met ? frame_threads(g, err) : NULL;
	const struct tt_thread *other = begins ? other_thread(a, begins) : NULL;
	struct tt_buf b = { 0 };

	if (!other)
		return a->sum.met && !begins ? err->code : TT_OK;
	tt_buf_printf(&b, "only other threads run it (\"%s\"), and this figure counts the frame thread alone: use the statistic %s", other->full_name,
	    of_all_threads(x));
	if (tt_buf_error(&b, err) == TT_OK)
		v->why = tt_arena_text(g->out, b.p, b.n, err);
	tt_buf_free(&b);
	v->absent = v->elsewhere = v->why != NULL;
	return v->why ? TT_OK : err->code;
}

static bool
is_per_frame(enum tt_stat_kind stat)
{
	return stat == TT_STAT_FRAME_MEAN || stat == TT_STAT_FRAME_MAX;
}

/* Compute figures per frame on the frame thread: the sum over the matching markers, or the maximum of any. */
static int
in_frames(struct tt_figures *g, const struct about *a, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	struct tt_frame_marker in = { 0 };

	for (uint32_t i = 0; i < a->p->nrow; i++)
		if (a->slot[i] == 0)
			tt_row_frames(a->p, &a->p->row[i], &in);
	if (x->stat == TT_STAT_FRAME_MEAN)
		tt_value_ratio(v, x->metric->of == 0 ? in.total : in.self, (int64_t)tt_figures_frames(g));
	else
		tt_value_set(v, x->metric->of == 0 ? in.total_max : x->metric->of == 1 ? in.self_max : tt_at_most(in.calls_max));
	return in.nframes ? TT_OK : look_elsewhere(g, a, x, v, err);
}

int
tt_find_marker(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	size_t frames = tt_figures_frames(g);
	const struct tt_calls *s;
	struct about a;

	if (find(g, x, &a, err) != TT_OK)
		return err->code;
	if (a.p->nrow == 0) {
		v->why = "no call and no zone is in it";
		return TT_OK;
	}
	s = &a.sum;
	v->absent = !s->met;
	v->why = s->met ? NULL : "no marker of this name (the table markers lists all)";
	if (is_per_frame(x->stat) && frames == 0)
		v->why = TT_NO_FRAMES;
	else if (is_per_frame(x->stat) && tt_filter_hides(&g->m->filter))
		v->why = TT_ZONES_HIDDEN;
	else if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, x->metric->of == 0 ? s->total : x->metric->of == 1 ? s->self : tt_at_most(s->n));
	else if (x->stat == TT_STAT_FRAME_MEAN && x->metric->of == 2)
		return calls_per_frame(g, &a, v, err);
	else if (is_per_frame(x->stat))
		return in_frames(g, &a, x, v, err);
	else if (x->stat == TT_STAT_MEAN && s->met)
		mean(&a, v);
	else if (s->met)
		return durations(g, &a, x->stat, v, err);
	return TT_OK;
}

/* Compute the figure of one or several categories. Means and totals add up; quantiles and the maximum require a single category. */
int
tt_find_category(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_frames *f = g->m->frames;
	int64_t self = 0;
	size_t met = 0, one = SIZE_MAX;
	struct tt_hist h;
	struct about a;

	if (find(g, x, &a, err) != TT_OK)
		return err->code;
	v->absent = !a.sum.met;
	v->why = a.sum.met ? NULL : "no category of this name (the table categories lists all)";
	if (x->stat == TT_STAT_TOTAL) {
		tt_value_set(v, a.sum.self);
		return TT_OK;
	}
	if (tt_figures_frames(g) == 0) {
		v->why = TT_NO_FRAMES;
		return TT_OK;
	}
	if (tt_filter_hides(&g->m->filter)) {
		v->why = TT_ZONES_HIDDEN;
		return TT_OK;
	}
	for (size_t i = 0; i < f->ncategory_stat; i++) {
		if (!tt_figures_match(x, g->m->category[i].name))
			continue;
		self += f->category_stat[i].self;
		met += f->category_stat[i].self_times.n > 0;
		if (one == SIZE_MAX || f->category_stat[i].self_times.n > 0)
			one = i;
	}
	if (x->stat == TT_STAT_FRAME_MEAN)
		tt_value_ratio(v, self, (int64_t)f->n);
	else if (met > 1)
		v->why = "several categories match: only per_frame.mean and total have a meaning then";
	else if (x->stat == TT_STAT_FRAME_MAX)
		tt_value_set(v, one != SIZE_MAX ? f->category_stat[one].self_times.max : 0);
	else if (one == SIZE_MAX)
		tt_value_set(v, 0);
	else {
		tt_frames_category_hist(f, one, &h);
		tt_value_set(v, tt_at_most(tt_hist_quantile(&h, x->stat == TT_STAT_FRAME_MEDIAN ? 1 : 19,
		    x->stat == TT_STAT_FRAME_MEDIAN ? 2 : 20)));
	}
	return met ? TT_OK : look_elsewhere(g, &a, x, v, err);
}

int
tt_find_thread(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const bool framed = tt_measure_by_frame(x) && tt_figures_frames(g) && !g->m->part_of;
	const struct tt_zone_time *time = framed ? NULL : tt_view_zone_time(g->view, err);
	int64_t busy = 0;
	bool met = false;

	if (framed ? find_in_frames(g, err) != TT_OK : !time)
		return err->code;
	time = framed ? g->thread_in_frames : time;
	for (size_t i = 0; i < g->m->threads.n; i++) {
		const struct tt_thread *t = g->m->threads.t[i];
		if (!tt_figures_match(x, t->own_name) && !tt_figures_match(x, t->full_name))
			continue;
		met = true;
		busy += tt_busy(&time[i]);
	}
	v->absent = !met;
	v->why = met ? NULL : "no thread of this name (the table threads lists all)";
	if (tt_tree_dropped(g->m->tree))
		v->why = "call paths were joined in \"(more paths)\", which is nobody's: raise the limit of paths";
	else if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, busy);
	else if (tt_figures_frames(g))
		tt_value_ratio(v, busy, (int64_t)tt_figures_frames(g));
	else
		v->why = TT_NO_FRAMES;
	return TT_OK;
}
