/**
 * Figures of markers, categories and threads; the contract is in gather.h.
 */
#include "base/utf8.h"
#include "gate/gather.h"
#include "model/names.h"

/* What a measure's markers did on all threads. */
struct sums { int64_t total, self, calls; unsigned open; bool met; };

bool
tt_figures_match(const struct tt_measure *x, const char *name)
{
	const char *const glob[] = { x->select, NULL };
	char text[4096];
	const char *shown = tt_utf8_valid(text, sizeof text, name);

	if (x->metric->family == TT_FAM_MARKER)
		return tt_name_match(glob, name) || (shown != name && tt_name_match(glob, shown));
	return tt_glob(x->select, name) || (shown != name && tt_glob(x->select, shown));
}

static bool
row_matches(const struct tt_figures *g, const struct tt_measure *x, const struct tt_row *row)
{
	return tt_figures_match(x, x->metric->family == TT_FAM_CATEGORY ? g->m->category[row->name->category].name : row->name->full);
}

/* The rows that a measure is about, by number. */
static bool *
matching(struct tt_figures *g, const struct tt_measure *x, struct tt_err *err)
{
	bool *is = tt_arena_alloc(&g->work, g->paths.nrow + 1, err);

	for (uint32_t i = 0; i < g->paths.nrow && is; i++)
		is[i] = row_matches(g, x, &g->paths.row[i]);
	return is;
}

static void
add_up(const struct tt_figures *g, const bool *is, struct sums *s)
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
in_frames(const struct tt_figures *g, const bool *is, struct tt_frame_marker *sum)
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
durations(struct tt_figures *g, const bool *is, enum tt_stat_kind stat, struct tt_value *v, struct tt_err *err)
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
	if (stat == TT_STAT_MAX || stat == TT_STAT_MIN)
		tt_value_set(v, tt_at_most(stat == TT_STAT_MAX ? h->max : h->min));
	else
		tt_value_set(v, tt_at_most(tt_hist_quantile(h, stat == TT_STAT_MEDIAN ? 1 : stat == TT_STAT_P95 ? 19 : 99,
		    stat == TT_STAT_MEDIAN ? 2 : stat == TT_STAT_P95 ? 20 : 100)));
	return TT_OK;
}

static bool
is_per_frame(enum tt_stat_kind stat)
{
	return stat == TT_STAT_FRAME_MEAN || stat == TT_STAT_FRAME_MAX;
}

static int
marker(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const bool *is = matching(g, x, err);
	size_t frames = tt_figures_frames(g);
	struct tt_frame_marker in;
	struct sums s = { 0 };

	if (!is)
		return err->code;
	if (g->paths.nrow == 0) {
		v->why = "no call and no zone is in it";
		return TT_OK;
	}
	add_up(g, is, &s);
	v->absent = !s.met;
	v->why = s.met ? NULL : "no marker of this name (see tracetool stats --table markers)";
	if (is_per_frame(x->stat) && frames == 0) {
		v->why = TT_NO_FRAMES;
		return TT_OK;
	}
	if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, x->metric->of == 0 ? s.total : x->metric->of == 1 ? s.self : s.calls);
	else if (x->stat == TT_STAT_FRAME_MEAN && x->metric->of == 2)
		tt_value_ratio(v, s.calls, (int64_t)frames);
	else if (!is_per_frame(x->stat) && x->stat == TT_STAT_MEAN && s.calls)
		tt_value_ratio(v, s.total, s.calls);
	else if (!is_per_frame(x->stat))
		return s.met ? durations(g, is, x->stat, v, err) : TT_OK;
	else {
		in_frames(g, is, &in);
		if (x->stat == TT_STAT_FRAME_MEAN)
			tt_value_ratio(v, x->metric->of == 0 ? in.total : in.self, (int64_t)frames);
		else
			tt_value_set(v, x->metric->of == 0 ? in.total_max : x->metric->of == 1 ? in.self_max : tt_at_most(in.calls_max));
	}
	return TT_OK;
}

/* Several categories: their means and totals add up; of quantiles and the maximum only one category has any. */
static int
category(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_frames *f = g->m->frames;
	const bool *is = matching(g, x, err);
	struct sums s = { 0 };
	int64_t self = 0;
	size_t met = 0, one = SIZE_MAX;
	struct tt_hist h;

	if (!is)
		return err->code;
	add_up(g, is, &s);
	v->absent = !s.met;
	v->why = s.met ? NULL : "no category of this name (see tracetool stats --table categories)";
	if (x->stat == TT_STAT_TOTAL) {
		tt_value_set(v, s.self);
		return TT_OK;
	}
	if (tt_figures_frames(g) == 0) {
		v->why = TT_NO_FRAMES;
		return TT_OK;
	}
	for (size_t i = 0; i < f->ncategory_stat; i++) {
		if (!tt_figures_match(x, g->m->category[i].name))
			continue;
		self += f->category_stat[i].self;
		met += f->category_stat[i].in.n > 0;
		if (one == SIZE_MAX || f->category_stat[i].in.n > 0)
			one = i;
	}
	if (x->stat == TT_STAT_FRAME_MEAN)
		tt_value_ratio(v, self, (int64_t)f->n);
	else if (met > 1)
		v->why = "several categories match: only per_frame.mean and total have a meaning then";
	else if (x->stat == TT_STAT_FRAME_MAX)
		tt_value_set(v, one != SIZE_MAX ? f->category_stat[one].in.max : 0);
	else if (one == SIZE_MAX)
		tt_value_set(v, 0);
	else {
		tt_frames_category_hist(f, one, &h);
		tt_value_set(v, tt_at_most(tt_hist_quantile(&h, x->stat == TT_STAT_FRAME_MEDIAN ? 1 : 19,
		    x->stat == TT_STAT_FRAME_MEDIAN ? 2 : 20)));
	}
	return TT_OK;
}

static int
thread(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	int64_t busy = 0;
	bool met = false;

	if (!g->zone_time) {
		g->zone_time = tt_arena_alloc(&g->work, (g->m->threads.n + 1) * sizeof *g->zone_time, err);
		if (!g->zone_time || tt_paths_zone_time(&g->paths, g->zone_time, err) != TT_OK)
			return err->code;
	}
	for (size_t i = 0; i < g->m->threads.n; i++) {
		if (!tt_figures_match(x, g->m->threads.t[i]->name))
			continue;
		met = true;
		busy += g->zone_time[i].inside - g->zone_time[i].waiting;
	}
	v->absent = !met;
	v->why = met ? NULL : "no thread of this name (see tracetool stats --table threads)";
	if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, busy);
	else if (tt_figures_frames(g))
		tt_value_ratio(v, busy, (int64_t)tt_figures_frames(g));
	else
		v->why = TT_NO_FRAMES;
	return TT_OK;
}

static int
need_paths(struct tt_figures *g, struct tt_err *err)
{
	int rc;

	if (g->has_paths)
		return TT_OK;
	g->has_paths = true;
	rc = tt_paths_init(&g->paths, g->m, err);
	return rc == TT_OK ? tt_paths_link(&g->paths, err) : rc;
}

int
tt_figures_calls(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	int rc = need_paths(g, err);

	if (rc != TT_OK)
		return rc;
	if (x->metric->family == TT_FAM_MARKER)
		return marker(g, x, v, err);
	if (x->metric->family == TT_FAM_CATEGORY)
		return category(g, x, v, err);
	return thread(g, x, v, err);
}
