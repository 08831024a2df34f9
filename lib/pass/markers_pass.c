/**
 * The pass "markers": one row per marker (method), and the zones that span frames.
 *
 * Total time counts outermost activations only, self time all of them; the distribution is over all
 * activations. Definitions: tracetool-metrics(7), Markers.
 */
#include "base/setting.h"
#include "model/waits.h"
#include "pass/passes.h"
#include "pass/spanning.h"
#include "stat/num.h"
#include "view/view.h"

enum { M_MARKER, M_CATEGORY, M_SELF, M_SHARE, M_TOTAL, M_COUNT, M_CUT, M_MEAN, M_MEDIAN, M_P95, M_P99, M_MAX, M_MIN,
	M_FRAME_MEAN, M_FRAME_MAX, M_FRAMES, M_DEPTH_MIN, M_DEPTH_MAX, M_THREADS, M_N };

static const struct tt_col markers_col[M_N] = {
	[M_MARKER] = { "marker", "marker", TT_UNIT_TEXT,
	    "Name of the marker; with its argument list if another marker has the same short name." },
	[M_CATEGORY] = { "category", "category", TT_UNIT_TEXT, "Category; for Mono the assembly." },
	[M_SELF] = { "self_ns", "self", TT_UNIT_NS, "Time in the marker and in no zone inside it, over all activations." },
	[M_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Self time as a share of the self time of all markers; what the GPU did is a whole of its own." },
	[M_TOTAL] = { "total_ns", "total", TT_UNIT_NS,
	    "Time in the marker and everything inside it; an activation inside another of the same marker adds nothing." },
	[M_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of activations that begin in the selected time." },
	[M_CUT] = { "cut", "cut", TT_UNIT_COUNT,
	    "Number of these whose own end is not known: a zone around them, a loss or the capture ended first; empty if there are none." },
	[M_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean duration of the activations that are not cut." },
	[M_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Median duration (nearest rank, within 1.6 %)." },
	[M_P95] = { "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the durations (nearest rank, within 1.6 %)." },
	[M_P99] = { "p99_ns", "p99", TT_UNIT_NS, "99th percentile of the durations (nearest rank, within 1.6 %)." },
	[M_MAX] = { "max_ns", "max", TT_UNIT_NS, "Longest activation." },
	[M_MIN] = { "min_ns", "min", TT_UNIT_NS, "Shortest activation." },
	[M_FRAME_MEAN] = { "frame_mean_ns", "per frame", TT_UNIT_NS,
	    "Total time per frame on the frame thread, over all frames, or by the rule of the Profile Analyzer over those in which it runs; "
	    "empty without frames." },
	[M_FRAME_MAX] = { "frame_max_ns", "frame max", TT_UNIT_NS,
	    "Largest total time in one frame on the frame thread; of zones without an end of their own, the time up to where they are closed." },
	[M_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Number of frames in which the marker runs on the frame thread." },
	[M_DEPTH_MIN] = { "depth_min", "depth from", TT_UNIT_COUNT, "Smallest depth of a path that ends with the marker, in shown zones; 1 is outermost." },
	[M_DEPTH_MAX] = { "depth_max", "depth to", TT_UNIT_COUNT, "Largest depth of a path that ends with the marker." },
	[M_THREADS] = { "threads", "threads", TT_UNIT_COUNT, "Number of threads on which the marker runs." },
};

/* Facts of a marker other than its calls. */
struct place {
	uint32_t depth_min, depth_max, threads;
	uint32_t thread;              /* index of the last thread that was counted + 1 */
	bool gpu;
	bool more;                    /* true: the marker is in "(more paths)", where the length, depth and thread of calls are unknown */
};

struct fold {
	const struct tt_paths *p;
	struct tt_calls *calls;       /* by row */
	struct place *place;          /* by row */
	uint32_t hidden;              /* number of hidden zones around the present node */
};

/* --- folding the tree ----------------------------------------------------------- */

/* Add ${node}, which is shown and not empty, to ${row}. The nodes of a thread come consecutively. */
static void
see(struct fold *f, uint32_t row, uint32_t node)
{
	const struct tt_thread *t = tt_paths_thread(f->p, node);
	uint32_t depth = tt_paths_node(f->p, node)->depth - f->hidden;
	struct place *at = &f->place[row];

	if (at->depth_max == 0 || depth < at->depth_min)
		at->depth_min = depth;
	if (depth > at->depth_max)
		at->depth_max = depth;
	at->more |= node == TT_NODE_MORE;
	if (!t)
		return;
	at->gpu = tt_thread_is_gpu(t);
	at->threads += at->thread != t->index + 1;
	at->thread = t->index + 1;
}

static void
fold_tree(struct fold *f)
{
	struct tt_walk w = { .p = f->p };

	while (tt_walk_next(&w)) {
		uint32_t row = tt_calls_step(&w, NULL, f->calls);

		if (f->p->owner[w.node] != w.node && tt_paths_timed(f->p, w.node))
			f->hidden += w.leave ? UINT32_MAX : 1;
		if (row == TT_NO_SLOT)
			continue;
		struct tt_count c = tt_paths_count(f->p, w.node);
		if (c.n || c.total || c.self)
			see(f, row, w.node);
	}
}

/* --- the table --------------------------------------------------------------------- */

static void
put_durations(const struct fold *f, const struct tt_row *row, struct tt_hist *h, struct tt_cell *c)
{
	tt_hist_clear(h);
	tt_row_durations(f->p, row, h);
	if (h->n == 0)
		return;
	tt_cell_u64(&c[M_MIN], h->min);
	tt_cell_u64(&c[M_MEDIAN], tt_hist_quantile(h, 1, 2));
	tt_cell_u64(&c[M_P95], tt_hist_quantile(h, 95, 100));
	tt_cell_u64(&c[M_P99], tt_hist_quantile(h, 99, 100));
	tt_cell_u64(&c[M_MAX], h->max);
}

static void
put_frames(const struct fold *f, const struct tt_row *row, int rule, struct tt_cell *c)
{
	const struct tt_frames *fr = f->p->m->frames;
	struct tt_frame_marker sum = { 0 };

	if (!fr || fr->n == 0 || tt_filter_hides(&f->p->m->filter))
		return;
	tt_row_frames(f->p, row, &sum);
	if (rule != TT_PERCENTILES_UNITY || sum.nframes)
		tt_cell_int(&c[M_FRAME_MEAN], tt_ratio((uint64_t)sum.total, 1, rule == TT_PERCENTILES_UNITY ? sum.nframes : fr->n));
	tt_cell_int(&c[M_FRAME_MAX], sum.total_max);
	tt_cell_u64(&c[M_FRAMES], sum.nframes);
}

static void
put_row(const struct fold *f, uint32_t i, int64_t self_all, int rule, struct tt_hist *h, struct tt_table *t)
{
	const struct tt_row *row = &f->p->row[i];
	const struct tt_calls *s = &f->calls[i];
	struct tt_cell *c = tt_row(t);
	uint64_t ncut = 0;
	int64_t cut = 0;

	tt_cell_text(&c[M_MARKER], row->label);
	tt_cell_int(&c[M_SELF], s->self);
	if (tt_row_is_cut(t, M_MARKER + 1))
		return;
	if (!f->p->group)
		tt_cell_text(&c[M_CATEGORY], f->p->m->category[row->name->category].name);
	tt_put_share(&c[M_SHARE], s->self, self_all);
	tt_cell_int(&c[M_TOTAL], s->total);
	tt_cell_u64(&c[M_COUNT], s->n);
	tt_row_cut(f->p, row, &ncut, &cut);
	if (ncut)
		tt_cell_u64(&c[M_CUT], ncut);
	if (s->n > ncut && !f->place[i].more)
		tt_cell_int(&c[M_MEAN], tt_ratio(s->all > cut ? (uint64_t)(s->all - cut) : 0, 1, s->n - ncut));
	put_durations(f, row, h, c);
	if (f->place[i].more)
		return;
	if (!f->p->group)
		put_frames(f, row, rule, c);
	tt_cell_int(&c[M_DEPTH_MIN], f->place[i].depth_min);
	tt_cell_int(&c[M_DEPTH_MAX], f->place[i].depth_max);
	tt_cell_int(&c[M_THREADS], f->place[i].threads);
}

static void
put_rows(struct tt_making *k, const struct fold *f, struct tt_table *t)
{
	struct tt_hist *h = tt_pass_alloc(k, sizeof *h);
	int64_t self_all[2] = { 0 };  /* sum of self times: of threads, of the GPU */

	for (uint32_t i = 0; i < f->p->nrow; i++)
		self_all[f->place[i].gpu] += f->calls[i].self;
	for (uint32_t i = 0; i < f->p->nrow && h; i++) {
		/* A row without a depth has no calls: it is filtered out, or has samples only. */
		if (f->place[i].depth_max > 0 && f->p->row[i].wanted)
			put_row(f, i, self_all[f->place[i].gpu], k->o->percentiles, h, t);
	}
}

/* Names of threads that mostly wait, for a note. */
struct waiters {
	struct tt_report *r;
	const char *text;
	size_t n;
};

#define WAITERS 5             /* number of threads that the note names */

static int
add_waiter(void *arg, const struct tt_thread *t, int64_t share_e4, struct tt_err *err)
{
	struct waiters *w = arg;

	(void)err;
	if (w->n++ < WAITERS)
		w->text = tt_text(w->r, "%s%s%s (%d %%)", w->text, w->n > 1 ? ", " : "", t->name, (int)(share_e4 / 100));
	return TT_OK;
}

/* Name the threads that mostly wait: their shares of the table's times are not work. */
static void
note_waiters(const struct tt_model *m, struct tt_table *t)
{
	struct waiters w = { .r = t->r, .text = "" };

	if (m->filter.no_wait || tt_waits_threads(m, add_waiter, &w, &t->r->err) != TT_OK || w.n == 0)
		return;
	if (w.n > WAITERS)
		t->note = tt_text(t->r, "mostly waiting: %s and %zu more threads; %s leaves waiting out", w.text, w.n - WAITERS,
		    tt_setting_name[TT_SETTING_NO_WAIT]);
	else
		t->note = tt_text(t->r, "mostly waiting: %s; %s leaves waiting out", w.text, tt_setting_name[TT_SETTING_NO_WAIT]);
}

static void
markers(struct tt_making *k, struct tt_table *t)
{
	struct fold f = { .p = tt_view_paths(k->view, k->o->group, TT_PATHS_LINK, &k->r->err) };

	if (!f.p)
		return;
	f.calls = tt_pass_alloc(k, f.p->nrow * sizeof *f.calls);
	f.place = tt_pass_alloc(k, f.p->nrow * sizeof *f.place);
	if (f.place) {
		fold_tree(&f);
		put_rows(k, &f, t);
	}
	if (t->nrow)
		note_waiters(k->m, t);
}

/* --- zones that span frames ---------------------------------------------------------- */

enum { Z_MARKER, Z_THREAD, Z_PROCESS, Z_COUNT, Z_ENDED, Z_FROM, Z_TO, Z_BEGIN, Z_END, Z_TOTAL, Z_N };
static const struct tt_col spanning_col[Z_N] = {
	[Z_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Name of the marker." },
	[Z_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Thread on which the zones begin and end." },
	[Z_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1; empty if there is one." },
	[Z_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of zones: 1, or several of the marker that are outstanding at one time." },
	[Z_ENDED] = { "ended", "ended", TT_UNIT_COUNT, "Number of ends that were found for them." },
	[Z_FROM] = { "from_frame", "from frame", TT_UNIT_COUNT, "Frame in which the first begins; empty outside of frames." },
	[Z_TO] = { "to_frame", "to frame", TT_UNIT_COUNT, "Frame in which the last ends; empty outside of frames, or if none ends." },
	[Z_BEGIN] = { "begin_ns", "begin", TT_UNIT_NS, "Time at which the first begins." },
	[Z_END] = { "end_ns", "end", TT_UNIT_NS, "Time at which the last ends; empty if none ends." },
	[Z_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Sum of their lengths; empty if some have no end." },
};

/* Store the number of the frame of ${process} that contains ${ts} in *${number}. False: no frame does. */
static bool
frame_at(const struct tt_model *m, uint32_t process, int64_t ts, uint64_t *number)
{
	size_t last = SIZE_MAX, at = m->frames ? tt_frames_at(m->frames, process, ts, &last) : SIZE_MAX;

	if (at != SIZE_MAX)
		*number = tt_frames_number(m->frames, at);
	return at != SIZE_MAX;
}

static void
put_spanning(struct tt_table *t, const struct tt_paths *p, const struct tt_spanning_group *g)
{
	const struct tt_name *name = tt_model_key(p->m, g->process, g->key);
	struct tt_cell *c = tt_row(t);
	uint64_t frame;

	tt_cell_text(&c[Z_MARKER], tt_paths_label(p, name));
	tt_cell_text(&c[Z_THREAD], p->m->threads.t[g->thread]->name);
	if (p->m->ncap > 1)
		tt_cell_u64(&c[Z_PROCESS], (uint64_t)g->process + 1);
	tt_cell_u64(&c[Z_COUNT], g->nbegin);
	tt_cell_u64(&c[Z_ENDED], g->nend);
	if (frame_at(p->m, g->process, g->begin, &frame))
		tt_cell_u64(&c[Z_FROM], frame);
	tt_cell_int(&c[Z_BEGIN], g->begin);
	if (g->nend && frame_at(p->m, g->process, g->end, &frame))
		tt_cell_u64(&c[Z_TO], frame);
	if (g->nend)
		tt_cell_int(&c[Z_END], g->end);
	if (tt_spanning_is_whole(g))
		tt_cell_int(&c[Z_TOTAL], (int64_t)g->total_ns);
}

static void
spanning(struct tt_making *k, struct tt_table *t)
{
	const struct tt_spanning *s = &k->m->spanning;
	const struct tt_paths *p = tt_view_paths(k->view, TT_GROUP_NONE, TT_PATHS_ROWS, &k->r->err);

	for (size_t i = 0; p && i < s->nrow; i++) {
		const struct tt_spanning_group *g = &s->row[i];

		if (tt_filter_has(&k->m->filter, g->begin) && (!k->m->keep_thread || k->m->keep_thread[g->thread]) &&
		    tt_model_key(k->m, g->process, g->key)->wanted)
			put_spanning(t, p, g);
	}
	if (s->nleft_out)
		t->note = tt_text(k->r, "%llu more zones were left out: shorter ones, or without an end", (unsigned long long)s->nleft_out);
}

static bool
has_spanning(const struct tt_making *k)
{
	return k->m->spanning.nrow > 0;
}

const char *
tt_pass_spanning(struct tt_views *view, struct tt_report *r)
{
	const struct tt_spanning_group *g = tt_spanning_longest(&view->m->spanning);
	const struct tt_paths *p = g ? tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, &r->err) : NULL;
	uint64_t from, to;
	char length[32];

	if (!p)
		return NULL;
	*tt_put_time_short(length, (int64_t)g->total_ns) = '\0';
	const char *label = tt_paths_label(p, tt_model_key(view->m, g->process, g->key));
	const char *zones = g->nbegin == 1 ? label : tt_text(r, "%llu zones of %s", (unsigned long long)g->nbegin, label);
	const char *s = g->nbegin == 1 ? "s" : "", *together = g->nbegin == 1 ? "" : " together";
	if (!frame_at(view->m, g->process, g->begin, &from) || !frame_at(view->m, g->process, g->end, &to))
		return tt_text(r, "%s end%s outside the zone around the begin: %s%s", zones, s, length, together);
	return tt_text(r, "%s begin%s in frame %llu, end%s in frame %llu: %s%s", zones, s, (unsigned long long)from, s, (unsigned long long)to,
	    length, together);
}

const char *
tt_pass_unended(struct tt_views *view, struct tt_report *r)
{
	const struct tt_model *m = view->m;
	const struct tt_spanning_group *g = tt_spanning_unended(&m->spanning);
	const struct tt_paths *p = g ? tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, &r->err) : NULL;
	const uint64_t n = p ? g->nbegin - g->nend : 0, all = m->loss->e[TT_LOST_POPPED].n;
	uint64_t frame;

	if (!p)
		return NULL;
	const char *where = "", *more = all > n ? tt_text(r, "; %llu more without an end", (unsigned long long)(all - n)) : "";
	if (frame_at(m, g->process, g->begin, &frame))
		where = tt_text(r, " in frame %llu", (unsigned long long)frame);
	const char *label = tt_text(r, "%s on %s", tt_paths_label(p, tt_model_key(m, g->process, g->key)), m->threads.t[g->thread]->name);
	if (g->nbegin == 1)
		return tt_text(r, "%s begins%s, and its end was not recorded%s", label, where, more);
	return tt_text(r, "of %llu zones of %s, the first of which begins%s, the end of %llu was not recorded%s", (unsigned long long)g->nbegin, label, where,
	    (unsigned long long)n, more);
}

static const struct tt_pass_table tables[] = {
	{ "markers", "Markers", markers_col, M_N, false, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, .make_rows = markers, .keeps = true, .sort = "self_ns",
	    .why_empty = "no calls or markers in this capture, or the filters leave none" },
	{ "spanning_zones", "Zones that span frames", spanning_col, Z_N, false, TT_ON_CALLS, .make_rows = spanning, .sort = "total_ns",
	    .has_rows = has_spanning, .why_empty = "no zone is known to end outside the zone or frame in which it begins, or the filters leave none" },
};

const struct tt_pass tt_pass_markers = {
	.name = "markers",
	.summary = "markers (methods): count, total and self time, durations, per frame",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_HIST | TT_NEEDS_FRAMES,
	.is_standard = true,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
