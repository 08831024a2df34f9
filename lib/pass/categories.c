/**
 * The pass "categories": where time goes by category (Mono: by assembly).
 *
 * Self time adds up over categories; total time does not, because categories nest. A category's total
 * counts a zone only where no zone of the same category is open around it.
 */
#include <string.h>

#include "pass/passes.h"
#include "pass/paths.h"
#include "stat/num.h"

enum { C_ALL, C_THREADS };

enum { A_CATEGORY, A_SELF, A_SHARE, A_TOTAL, A_CALLS, A_FRAME_MEAN, A_FRAME_MEDIAN, A_FRAME_P95, A_FRAME_MAX, A_FRAMES,
	A_N };

static const struct tt_col all_col[A_N] = {
	[A_CATEGORY] = { "category", "category", TT_UNIT_TEXT,
	    "Category; for Mono the assembly, found by the name of the method's class." },
	[A_SELF] = { "self_ns", "self", TT_UNIT_NS, "Self time of its zones; adds up to the time in zones of all threads." },
	[A_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Self time as share of that of all categories." },
	[A_TOTAL] = { "total_ns", "total", TT_UNIT_NS,
	    "Time in its zones and everything inside them, counted once where they nest." },
	[A_CALLS] = { "count", "count", TT_UNIT_COUNT, "Activations of its zones." },
	[A_FRAME_MEAN] = { "frame_self_mean_ns", "per frame", TT_UNIT_NS,
	    "Mean self time per frame on the frame thread, over all frames." },
	[A_FRAME_MEDIAN] = { "frame_self_median_ns", "frame median", TT_UNIT_NS,
	    "Median self time per frame on the frame thread (within 1.6 %)." },
	[A_FRAME_P95] = { "frame_self_p95_ns", "frame p95", TT_UNIT_NS,
	    "95th percentile of its self time per frame on the frame thread (within 1.6 %)." },
	[A_FRAME_MAX] = { "frame_self_max_ns", "frame max", TT_UNIT_NS, "Largest self time in one frame on the frame thread." },
	[A_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Frames in which it has self time on the frame thread." },
};

enum { T_CATEGORY, T_THREAD, T_NUMBER, T_SELF, T_SHARE, T_TOTAL, T_CALLS, T_N };

static const struct tt_col thread_col[T_N] = {
	[T_CATEGORY] = { "category", "category", TT_UNIT_TEXT, "Category." },
	[T_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Thread." },
	[T_NUMBER] = { "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	[T_SELF] = { "self_ns", "self", TT_UNIT_NS, "Self time of the category's zones on this thread." },
	[T_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Its share of all self time on this thread." },
	[T_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Total time of the category on this thread." },
	[T_CALLS] = { "count", "count", TT_UNIT_COUNT, "Activations on this thread." },
};

static const struct tt_pass_table tables[] = {
	[C_ALL] = { "categories", "Categories", all_col, A_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY | TT_ON_ZONES, 0, 0 },
	[C_THREADS] = { "category_threads", "Categories by thread", thread_col, T_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY | TT_ON_ZONES, 0, 0 },
};

#define NOTHING "no calls or markers in this capture, or none that the filters leave"

struct sums {
	uint64_t n;
	int64_t self, total;
	uint32_t open;
	bool met;
};

struct fold {
	struct tt_paths p;
	struct sums *all;             /* by category */
	struct sums *part;            /* the same on the thread the walk is on: threads are many, so one at a time */
	size_t ncategory;
	struct tt_report *r;
	struct tt_table *by_thread;   /* NULL: not wanted */
};

/* --- folding the tree ----------------------------------------------------------- */

static void
add(struct sums *s, const struct tt_count *c, bool outermost)
{
	if (c->n == 0 && c->total == 0 && c->self == 0)
		return;
	s->met = true;
	s->n += c->n;
	s->self += c->self;
	if (outermost)
		s->total += c->total;
}

static uint32_t
category_of(const struct fold *f, uint32_t node)
{
	return f->p.row[tt_paths_row(&f->p, node)].name->category;
}

/* Is ${node} below a thread: not "(more paths)"? */
static bool
on_thread(const struct fold *f, uint32_t node)
{
	return f->p.root[node] != node;
}

static void
enter(struct fold *f, uint32_t node)
{
	struct tt_count c = tt_paths_count(&f->p, node);
	uint32_t category = category_of(f, node);
	bool outermost = f->all[category].open++ == 0;

	add(&f->all[category], &c, outermost);
	if (on_thread(f, node))
		add(&f->part[category], &c, outermost);
}

/* A hidden wrapper: its self time is its owner's. */
static void
enter_hidden(struct fold *f, uint32_t node)
{
	struct tt_count c = { .self = tt_paths_count(&f->p, node).self };
	uint32_t owner = f->p.owner[node];

	if (!tt_paths_shown(&f->p, owner))
		return;
	add(&f->all[category_of(f, owner)], &c, false);
	add(&f->part[category_of(f, owner)], &c, false);
}

/* --- tables -------------------------------------------------------------------------- */

static bool
is_wanted(const struct fold *f, size_t category, const struct sums *s)
{
	const struct tt_model *m = f->p.m;

	return s->met && tt_glob_any(m->filter.category, m->category[category].name);
}

static void
put_frames(const struct fold *f, size_t category, struct tt_cell *c)
{
	const struct tt_frames *fr = f->p.m->frames;
	const struct tt_frame_category *s;
	struct tt_hist h;

	/* Figures per frame know no waits that are left out. */
	if (!fr || fr->n == 0 || category >= fr->ncategory_stat || f->p.m->filter.no_wait)
		return;
	s = &fr->category_stat[category];
	tt_frames_category_hist(fr, category, &h);
	tt_cell_int(&c[A_FRAME_MEAN], tt_ratio((uint64_t)s->self, 1, fr->n));
	tt_cell_int(&c[A_FRAME_MEDIAN], (int64_t)tt_hist_quantile(&h, 1, 2));
	tt_cell_int(&c[A_FRAME_P95], (int64_t)tt_hist_quantile(&h, 95, 100));
	tt_cell_int(&c[A_FRAME_MAX], s->in.max);
	tt_cell_int(&c[A_FRAMES], (int64_t)s->in.n);
}

static int
put_all(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int64_t self_all = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < f->ncategory; i++)
		self_all += f->all[i].self;
	for (size_t i = 0; i < f->ncategory; i++) {
		const struct sums *s = &f->all[i];
		struct tt_cell *c;

		if (!is_wanted(f, i, s))
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[A_CATEGORY], f->p.m->category[i].name);
		tt_cell_int(&c[A_SELF], s->self);
		tt_cell_share(&c[A_SHARE], s->self, self_all);
		tt_cell_int(&c[A_TOTAL], s->total);
		tt_cell_int(&c[A_CALLS], (int64_t)s->n);
		put_frames(f, i, c);
	}
	return tt_table_sort(t, "self_ns", err);
}

static int
put_part(struct fold *f, const struct tt_thread *th, size_t category, int64_t self_all, struct tt_err *err)
{
	const struct sums *s = &f->part[category];
	struct tt_cell *c;
	int rc;

	if (!is_wanted(f, category, s))
		return TT_OK;
	rc = tt_table_row(f->r, f->by_thread, &c, err);
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[T_CATEGORY], f->p.m->category[category].name);
	tt_cell_text(&c[T_THREAD], th->name);
	tt_cell_int(&c[T_NUMBER], (int64_t)th->index + 1);
	tt_cell_int(&c[T_SELF], s->self);
	tt_cell_share(&c[T_SHARE], s->self, self_all);
	tt_cell_int(&c[T_TOTAL], s->total);
	tt_cell_int(&c[T_CALLS], (int64_t)s->n);
	return TT_OK;
}

/* The walk leaves a thread: its rows are complete. */
static int
put_thread(struct fold *f, const struct tt_thread *th, struct tt_err *err)
{
	int64_t self_all = 0;
	int rc = TT_OK;

	for (size_t k = 0; k < f->ncategory; k++)
		self_all += f->part[k].self;
	for (size_t k = 0; k < f->ncategory && rc == TT_OK && th && f->by_thread; k++)
		rc = put_part(f, th, k, self_all, err);
	memset(f->part, 0, f->ncategory * sizeof *f->part);
	return rc;
}

static int
fold_tree(struct fold *f, struct tt_err *err)
{
	struct tt_walk w = { .p = &f->p };
	int rc = TT_OK;

	while (rc == TT_OK && tt_walk_next(&w)) {
		if (tt_paths_node(&f->p, w.node)->kind == TT_NODE_THREAD && w.leave)
			rc = put_thread(f, tt_paths_thread(&f->p, w.node), err);
		if (!tt_paths_timed(&f->p, w.node))
			continue;
		if (!tt_paths_shown(&f->p, w.node)) {
			if (!w.leave)
				enter_hidden(f, w.node);
		} else if (w.leave) {
			f->all[category_of(f, w.node)].open--;
		} else {
			enter(f, w.node);
		}
	}
	return rc;
}

/* --- the pass ------------------------------------------------------------------------ */

static int
fold(struct fold *f, const struct tt_model *m, struct tt_err *err)
{
	int rc = tt_paths_init(&f->p, m, err);

	if (rc == TT_OK)
		rc = tt_paths_link(&f->p, err);
	if (rc != TT_OK)
		return rc;
	f->all = tt_mem_alloc(&m->env->mem, f->ncategory * sizeof *f->all, err);
	f->part = f->all ? tt_mem_alloc(&m->env->mem, f->ncategory * sizeof *f->part, err) : NULL;
	return f->part ? fold_tree(f, err) : err->code;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .ncategory = m->ncategory, .r = r };
	struct tt_table *all = NULL;
	int rc = tt_pass_begin(&tt_pass_categories, C_ALL, o, r, &all, err);

	if (rc == TT_OK)
		rc = tt_pass_begin(&tt_pass_categories, C_THREADS, o, r, &f.by_thread, err);
	if (all)
		all->empty_reason = NOTHING;
	if (f.by_thread)
		f.by_thread->empty_reason = NOTHING;
	if (rc == TT_OK)
		rc = fold(&f, m, err);
	if (rc == TT_OK && all)
		rc = put_all(&f, all, err);
	if (rc == TT_OK && f.by_thread)
		rc = tt_table_sort(f.by_thread, "self_ns", err);
	tt_mem_free(&m->env->mem, f.all, f.ncategory * sizeof *f.all);
	tt_mem_free(&m->env->mem, f.part, f.ncategory * sizeof *f.part);
	tt_paths_free(&f.p);
	return rc;
}

const struct tt_pass tt_pass_categories = {
	.name = "categories",
	.summary = "categories (assemblies): self and total time, per thread and per frame",
	.needs = TT_NEEDS_CALLS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
