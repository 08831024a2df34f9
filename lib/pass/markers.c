/**
 * The pass "markers": one row per marker (method).
 *
 * Total time counts outermost activations only, self time all of them; the distribution is over all
 * activations. Definitions: tracetool-metrics(7), Markers.
 */
#include <stdlib.h>

#include "model/waits.h"
#include "pass/passes.h"
#include "pass/paths.h"
#include "stat/num.h"

enum { M_MARKER, M_CATEGORY, M_SELF, M_SHARE, M_TOTAL, M_COUNT, M_MEAN, M_MEDIAN, M_P95, M_P99, M_MAX, M_MIN,
	M_FRAME_MEAN, M_FRAME_MAX, M_FRAMES, M_DEPTH_MIN, M_DEPTH_MAX, M_THREADS, M_N };

static const struct tt_col markers_col[M_N] = {
	[M_MARKER] = { "marker", "marker", TT_UNIT_TEXT,
	    "Name; with its argument list where another marker has the same short name." },
	[M_CATEGORY] = { "category", "category", TT_UNIT_TEXT, "Category; for Mono the assembly." },
	[M_SELF] = { "self_ns", "self", TT_UNIT_NS, "Time in it and in no zone inside it, over all activations." },
	[M_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Self time as share of the self time of all markers." },
	[M_TOTAL] = { "total_ns", "total", TT_UNIT_NS,
	    "Time in it and everything inside it; an activation inside another of the same marker adds nothing." },
	[M_COUNT] = { "count", "count", TT_UNIT_COUNT, "Activations that begin in the time looked at." },
	[M_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean duration of all activations." },
	[M_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Median duration (nearest rank, within 1.6 %)." },
	[M_P95] = { "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the durations (nearest rank, within 1.6 %)." },
	[M_P99] = { "p99_ns", "p99", TT_UNIT_NS, "99th percentile of the durations (nearest rank, within 1.6 %)." },
	[M_MAX] = { "max_ns", "max", TT_UNIT_NS, "Longest activation." },
	[M_MIN] = { "min_ns", "min", TT_UNIT_NS, "Shortest activation." },
	[M_FRAME_MEAN] = { "frame_mean_ns", "per frame", TT_UNIT_NS,
	    "Total time per frame on the frame thread, over all frames; empty without frames." },
	[M_FRAME_MAX] = { "frame_max_ns", "frame max", TT_UNIT_NS, "Largest total time in one frame on the frame thread." },
	[M_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Frames in which it runs on the frame thread." },
	[M_DEPTH_MIN] = { "depth_min", "depth from", TT_UNIT_COUNT, "Smallest depth of a path it ends, of zones that are shown; 1 is outermost." },
	[M_DEPTH_MAX] = { "depth_max", "depth to", TT_UNIT_COUNT, "Largest depth of a path it ends." },
	[M_THREADS] = { "threads", "threads", TT_UNIT_COUNT, "Threads on which it runs." },
};

static const struct tt_pass_table tables[] = {
	{ "markers", "Markers", markers_col, M_N, false, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
};

struct sums {
	uint64_t n;
	int64_t total;        /* outermost */
	int64_t all;          /* of every activation */
	int64_t self;
	uint32_t depth_min, depth_max, threads, open;
};

/* One row seen on one thread. */
struct seen { uint32_t row, thread; };

struct fold {
	struct tt_paths p;
	struct sums *row;
	uint32_t hidden;              /* zones around the present node that are not shown */
	struct seen *seen;
	size_t nseen, capseen;
};

/* --- folding the tree ----------------------------------------------------------- */

static int
see(struct fold *f, uint32_t row, uint32_t node, struct tt_err *err)
{
	const struct tt_thread *t = tt_paths_thread(&f->p, node);
	int rc;

	if (!t)
		return TT_OK;
	rc = tt_mem_grow(&f->p.m->env->mem, &f->seen, &f->capseen, f->nseen + 1, sizeof *f->seen, err);
	if (rc == TT_OK)
		f->seen[f->nseen++] = (struct seen){ row, t->index };
	return rc;
}

/* A node that is shown: its own figures. The walk says whether a zone of the row is open around it. */
static int
add_node(struct fold *f, uint32_t node, bool outermost, struct tt_err *err)
{
	const struct tt_node *n = tt_paths_node(&f->p, node);
	struct tt_count c = tt_paths_count(&f->p, node);
	uint32_t row = tt_paths_row(&f->p, node), depth = n->depth - f->hidden;
	struct sums *s = &f->row[row];

	if (c.n == 0 && c.total == 0 && c.self == 0)
		return TT_OK;
	s->n += c.n;
	s->all += c.total;
	s->self += c.self;
	if (outermost)
		s->total += c.total;
	if (s->depth_max == 0 || depth < s->depth_min)
		s->depth_min = depth;
	if (depth > s->depth_max)
		s->depth_max = depth;
	return see(f, row, node, err);
}

/* A hidden wrapper: its self time is its owner's. */
static void
add_hidden(struct fold *f, uint32_t node)
{
	uint32_t owner = f->p.owner[node];

	if (tt_paths_shown(&f->p, owner))
		f->row[tt_paths_row(&f->p, owner)].self += tt_paths_count(&f->p, node).self;
}

static int
fold_tree(struct fold *f, struct tt_err *err)
{
	struct tt_walk w = { .p = &f->p };
	int rc = TT_OK;

	while (rc == TT_OK && tt_walk_next(&w)) {
		uint32_t *open;

		if (!tt_paths_timed(&f->p, w.node))
			continue;
		if (!tt_paths_shown(&f->p, w.node)) {
			f->hidden += w.leave ? UINT32_MAX : 1;
			if (!w.leave)
				add_hidden(f, w.node);
			continue;
		}
		open = &f->row[tt_paths_row(&f->p, w.node)].open;
		if (w.leave)
			(*open)--;
		else
			rc = add_node(f, w.node, (*open)++ == 0, err);
	}
	return rc;
}

static int
by_row_and_thread(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static void
count_threads(struct fold *f)
{
	if (f->nseen)
		qsort(f->seen, f->nseen, sizeof *f->seen, by_row_and_thread);
	for (size_t i = 0; i < f->nseen; i++) {
		if (i == 0 || by_row_and_thread(&f->seen[i], &f->seen[i - 1]) != 0)
			f->row[f->seen[i].row].threads++;
	}
}

/* --- the table --------------------------------------------------------------------- */

static void
put_durations(const struct fold *f, uint32_t row, struct tt_hist *h, struct tt_cell *c)
{
	const struct tt_row *r = &f->p.row[row];

	tt_hist_init(h);
	for (uint32_t i = 0; i < r->n; i++)
		tt_counts_hist(f->p.m->counts, f->p.by_row[r->first + i], h);
	if (h->n == 0)
		return;
	tt_cell_int(&c[M_MIN], (int64_t)h->min);
	tt_cell_int(&c[M_MEDIAN], (int64_t)tt_hist_quantile(h, 1, 2));
	tt_cell_int(&c[M_P95], (int64_t)tt_hist_quantile(h, 95, 100));
	tt_cell_int(&c[M_P99], (int64_t)tt_hist_quantile(h, 99, 100));
	tt_cell_int(&c[M_MAX], (int64_t)h->max);
}

static void
put_frames(const struct fold *f, uint32_t row, struct tt_cell *c)
{
	const struct tt_frames *fr = f->p.m->frames;
	const struct tt_row *r = &f->p.row[row];
	struct tt_frame_marker sum = { 0 };

	/* Figures per frame know no waits that are left out. */
	if (!fr || fr->n == 0 || f->p.m->filter.no_wait)
		return;
	/* Keys of one name are one method compiled twice, hardly ever both in a frame: the larger one stands for both. */
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t marker = f->p.by_row[r->first + i];
		const struct tt_frame_marker *s;

		if (marker >= fr->nmarker_stat)
			continue;
		s = &fr->marker_stat[marker];
		sum.total += s->total;
		if (s->total_max > sum.total_max)
			sum.total_max = s->total_max;
		if (s->present > sum.present)
			sum.present = s->present;
	}
	tt_cell_int(&c[M_FRAME_MEAN], tt_ratio((uint64_t)sum.total, 1, fr->n));
	tt_cell_int(&c[M_FRAME_MAX], sum.total_max);
	tt_cell_int(&c[M_FRAMES], (int64_t)sum.present);
}

static int
put_row(const struct fold *f, uint32_t row, int64_t self_all, struct tt_hist *h, struct tt_report *r,
    struct tt_table *t, struct tt_err *err)
{
	const struct tt_row *info = &f->p.row[row];
	const struct sums *s = &f->row[row];
	const char *label = tt_report_text(r, err, "%s", info->label);
	struct tt_cell *c;
	int rc = label ? tt_table_row(r, t, &c, err) : err->code;

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[M_MARKER], label);
	if (!f->p.group)
		tt_cell_text(&c[M_CATEGORY], f->p.m->category[info->name->category].name);
	tt_cell_int(&c[M_SELF], s->self);
	tt_cell_share(&c[M_SHARE], s->self, self_all);
	tt_cell_int(&c[M_TOTAL], s->total);
	tt_cell_int(&c[M_COUNT], (int64_t)s->n);
	if (s->n)
		tt_cell_int(&c[M_MEAN], tt_ratio((uint64_t)s->all, 1, s->n));
	put_durations(f, row, h, c);
	if (!f->p.group)
		put_frames(f, row, c);
	tt_cell_int(&c[M_DEPTH_MIN], s->depth_min);
	tt_cell_int(&c[M_DEPTH_MAX], s->depth_max);
	tt_cell_int(&c[M_THREADS], s->threads);
	return TT_OK;
}

static int
put_rows(const struct fold *f, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	struct tt_hist *h = tt_mem_alloc(&f->p.m->env->mem, sizeof *h, err);
	int64_t self_all = 0;
	int rc = h ? TT_OK : err->code;

	for (uint32_t i = 0; i < f->p.nrow; i++)
		self_all += f->row[i].self;
	for (uint32_t i = 0; i < f->p.nrow && rc == TT_OK; i++) {
		/* A row without a depth was never met: filtered out, or of a sample only. */
		if (f->row[i].depth_max > 0 && f->p.row[i].wanted)
			rc = put_row(f, i, self_all, h, r, t, err);
	}
	tt_mem_free(&f->p.m->env->mem, h, sizeof *h);
	return rc;
}

static int
fold(struct fold *f, const struct tt_model *m, enum tt_group group, struct tt_err *err)
{
	int rc = tt_paths_init_by(&f->p, m, group, err);

	if (rc == TT_OK)
		rc = tt_paths_link(&f->p, err);
	if (rc != TT_OK)
		return rc;
	f->row = tt_mem_alloc(&m->env->mem, f->p.nrow * sizeof *f->row, err);
	if (!f->row)
		return err->code;
	rc = fold_tree(f, err);
	if (rc == TT_OK)
		count_threads(f);
	return rc;
}

/* Names of threads that mostly wait, for a note. */
struct waiters {
	struct tt_report *r;
	const char *text;
	size_t n;
};

#define WAITERS 5             /* that are named */

static int
add_waiter(void *arg, const struct tt_thread *t, int64_t share_e4, struct tt_err *err)
{
	struct waiters *w = arg;

	if (w->n++ >= WAITERS)
		return TT_OK;
	w->text = tt_report_text(w->r, err, "%s%s%s (%d %%)", w->text, w->n > 1 ? ", " : "", t->name, (int)(share_e4 / 100));
	return w->text ? TT_OK : err->code;
}

/* Say which threads mostly wait: their shares of the table's times are no work. */
static int
note_waiters(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	struct waiters w = { .r = r, .text = "" };
	int rc = m->filter.no_wait ? TT_OK : tt_waits_threads(m, add_waiter, &w, err);

	if (rc != TT_OK || w.n == 0)
		return rc;
	if (w.n > WAITERS)
		t->note = tt_report_text(r, err, "mostly waiting: %s and %zu more threads; --no-wait leaves waiting out", w.text, w.n - WAITERS);
	else
		t->note = tt_report_text(r, err, "mostly waiting: %s; --no-wait leaves waiting out", w.text);
	return t->note ? TT_OK : err->code;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { 0 };
	struct tt_table *t;
	int rc = tt_pass_begin(&tt_pass_markers, 0, o, r, &t, err);

	if (rc != TT_OK || !t)
		return rc;
	t->empty_reason = "no calls or markers in this capture, or none that the filters leave";
	rc = fold(&f, m, o->group, err);
	if (rc == TT_OK)
		rc = put_rows(&f, r, t, err);
	if (rc == TT_OK && t->nrow)
		rc = note_waiters(m, r, t, err);
	if (rc == TT_OK)
		rc = tt_table_sort(t, "self_ns", err);
	tt_mem_free(&m->env->mem, f.row, f.p.nrow * sizeof *f.row);
	tt_mem_free(&m->env->mem, f.seen, f.capseen * sizeof *f.seen);
	tt_paths_free(&f.p);
	return rc;
}

const struct tt_pass tt_pass_markers = {
	.name = "markers",
	.summary = "markers (methods): count, total and self time, durations, per frame",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_HIST,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
