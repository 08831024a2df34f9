/**
 * The pass "categories": where time goes by category (Mono: by assembly).
 *
 * Self time adds up over categories; total time does not, because categories nest. A category's total
 * counts a zone only where no zone of the same category is open around it.
 */
#include "base/order.h"
#include "pass/passes.h"
#include "stat/num.h"
#include "view/view.h"

enum { A_CATEGORY, A_SELF, A_SHARE, A_TOTAL, A_CALLS, A_FRAME_MEAN, A_FRAME_MEDIAN, A_FRAME_P95, A_FRAME_MAX, A_FRAMES,
	A_N };

static const struct tt_col all_col[A_N] = {
	[A_CATEGORY] = { "category", "category", TT_UNIT_TEXT,
	    "Category; for Mono the assembly, found by the name of the method's class." },
	[A_SELF] = { "self_ns", "self", TT_UNIT_NS, "Self time of the category's zones; without the GPU, adds up to the time in zones of all threads." },
	[A_SHARE] = { "self_share", "self", TT_UNIT_PERCENT,
	    "Self time as a share of the self time of all categories; what the GPU did is a whole of its own." },
	[A_TOTAL] = { "total_ns", "total", TT_UNIT_NS,
	    "Time in the category's zones and everything inside them; nested zones count once." },
	[A_CALLS] = { "count", "count", TT_UNIT_COUNT, "Number of activations of the category's markers." },
	[A_FRAME_MEAN] = { "frame_self_mean_ns", "per frame", TT_UNIT_NS,
	    "Mean self time per frame on the frame thread, over all frames." },
	[A_FRAME_MEDIAN] = { "frame_self_median_ns", "frame median", TT_UNIT_NS,
	    "Median self time per frame on the frame thread (within 1.6 %)." },
	[A_FRAME_P95] = { "frame_self_p95_ns", "frame p95", TT_UNIT_NS,
	    "95th percentile of the self time per frame on the frame thread (within 1.6 %)." },
	[A_FRAME_MAX] = { "frame_self_max_ns", "frame max", TT_UNIT_NS, "Largest self time in one frame on the frame thread." },
	[A_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Number of frames in which the category has self time on the frame thread." },
};

enum { T_CATEGORY, T_THREAD, T_NUMBER, T_SELF, T_SHARE, T_TOTAL, T_CALLS, T_N };

static const struct tt_col thread_col[T_N] = {
	[T_CATEGORY] = { "category", "category", TT_UNIT_TEXT, "Category." },
	[T_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Thread." },
	[T_NUMBER] = { "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	[T_SELF] = { "self_ns", "self", TT_UNIT_NS, "Self time of the category's zones on this thread." },
	[T_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Share of all self time on this thread." },
	[T_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Total time of the category on this thread." },
	[T_CALLS] = { "count", "count", TT_UNIT_COUNT, "Number of activations on this thread." },
};

/* The sums of the walk through the tree, by category. */
struct fold {
	const struct tt_paths *p;
	uint32_t *slot;               /* by row: the slot of its category */
	struct tt_calls *calls;
	bool *gpu;                    /* by category: true if it is work of the GPU */
	uint32_t *used;               /* categories that the present thread has, in order of appearance */
	size_t nused;
};

static bool
begin(struct fold *f, struct tt_making *k)
{
	*f = (struct fold){ .p = tt_view_paths(k->view, TT_GROUP_NONE, TT_PATHS_LINK, &k->r->err) };
	f->slot = tt_pass_alloc(k, f->p ? f->p->nrow * sizeof *f->slot : 0);
	f->calls = tt_pass_alloc(k, k->m->ncategory * sizeof *f->calls);
	f->gpu = tt_pass_alloc(k, k->m->ncategory * sizeof *f->gpu);
	f->used = tt_pass_alloc(k, k->m->ncategory * sizeof *f->used);
	for (uint32_t i = 0; f->used && i < f->p->nrow; i++) {
		f->slot[i] = f->p->row[i].name->category;
		f->gpu[f->slot[i]] = f->gpu[f->slot[i]] || f->p->row[i].name->gpu;
	}
	return f->used != NULL;
}

static bool
is_wanted(const struct tt_model *m, size_t category, const struct tt_calls *s)
{
	return s->met && tt_glob_any(m->filter.category, m->category[category].name);
}

static void
put_frames(const struct tt_model *m, size_t category, struct tt_cell *c)
{
	const struct tt_frames *fr = m->frames;
	const struct tt_frame_category *s;
	struct tt_hist h;

	if (!fr || fr->n == 0 || category >= fr->ncategory_stat || tt_filter_hides(&m->filter))
		return;
	s = &fr->category_stat[category];
	tt_frames_category_hist(fr, category, &h);
	tt_cell_int(&c[A_FRAME_MEAN], tt_ratio((uint64_t)s->self, 1, fr->n));
	tt_cell_u64(&c[A_FRAME_MEDIAN], tt_hist_quantile(&h, 1, 2));
	tt_cell_u64(&c[A_FRAME_P95], tt_hist_quantile(&h, 95, 100));
	tt_cell_int(&c[A_FRAME_MAX], s->self_times.max);
	tt_cell_u64(&c[A_FRAMES], s->self_times.n);
}

static void
categories(struct tt_making *k, struct tt_table *t)
{
	struct fold f;

	if (begin(&f, k)) {
		int64_t self_all[2] = { 0 };  /* sum of self times: of threads, of the GPU */

		tt_calls_sum(f.p, f.slot, f.calls);
		for (size_t i = 0; i < k->m->ncategory; i++)
			self_all[f.gpu[i]] += f.calls[i].self;
		for (size_t i = 0; i < k->m->ncategory; i++) {
			const struct tt_calls *s = &f.calls[i];
			struct tt_cell *c;

			if (!is_wanted(k->m, i, s))
				continue;
			c = tt_row(t);
			tt_cell_text(&c[A_CATEGORY], k->m->category[i].name);
			tt_cell_int(&c[A_SELF], s->self);
			tt_put_share(&c[A_SHARE], s->self, self_all[f.gpu[i]]);
			tt_cell_int(&c[A_TOTAL], s->total);
			tt_cell_u64(&c[A_CALLS], s->n);
			put_frames(k->m, i, c);
		}
	}
}

/* Do the same as tt_calls_step(), for categories of one thread. */
static void
step(struct fold *f, const struct tt_walk *w)
{
	const uint32_t line = w->leave ? TT_NO_ROW : f->p->line[w->node], at = line == TT_NO_ROW ? TT_NO_SLOT : f->slot[line];
	const bool met = at == TT_NO_SLOT || f->calls[at].met;

	tt_calls_step(w, f->slot, f->calls);
	if (!met && f->calls[at].met)
		f->used[f->nused++] = at;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return TT_CMP(x, y);
}

/* Put the complete rows of a thread that the walk leaves. */
static void
put_thread(struct fold *f, const struct tt_thread *th, struct tt_table *t)
{
	const struct tt_model *m = f->p->m;
	int64_t self_all = 0;

	tt_sort(f->used, f->nused, by_number);
	for (size_t i = 0; i < f->nused; i++)
		self_all += f->calls[f->used[i]].self;
	for (size_t i = 0; i < f->nused && th; i++) {
		const struct tt_calls *s = &f->calls[f->used[i]];
		struct tt_cell *c;

		if (!is_wanted(m, f->used[i], s))
			continue;
		c = tt_row(t);
		tt_cell_text(&c[T_CATEGORY], m->category[f->used[i]].name);
		tt_cell_text(&c[T_THREAD], th->name);
		tt_cell_u64(&c[T_NUMBER], th->index + 1);
		tt_cell_int(&c[T_SELF], s->self);
		tt_put_share(&c[T_SHARE], s->self, self_all);
		tt_cell_int(&c[T_TOTAL], s->total);
		tt_cell_u64(&c[T_CALLS], s->n);
	}
	for (size_t i = 0; i < f->nused; i++)
		f->calls[f->used[i]] = (struct tt_calls){ 0 };
	f->nused = 0;
}

/* Make the rows thread by thread, so that memory holds the sums of one thread at a time. */
static void
threads(struct tt_making *k, struct tt_table *t)
{
	struct fold f;

	if (begin(&f, k)) {
		struct tt_walk w = { .p = f.p };

		while (tt_walk_next(&w)) {
			if (tt_paths_node(f.p, w.node)->kind == TT_NODE_THREAD && w.leave)
				put_thread(&f, tt_paths_thread(f.p, w.node), t);
			/* Figures of "(more paths)" belong to no thread. */
			if (f.p->root[w.node] != TT_NODE_MORE)
				step(&f, &w);
		}
	}
}

#define NOTHING "no calls or markers in this capture, or the filters leave none"
#define HEARD (TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY | TT_ON_ZONES)
static const struct tt_pass_table tables[] = {
	{ "categories", "Categories", all_col, A_N, false, HEARD, .make_rows = categories, .sort = "self_ns", .why_empty = NOTHING },
	{ "category_threads", "Categories by thread", thread_col, T_N, false, HEARD, .make_rows = threads, .sort = "self_ns", .why_empty = NOTHING },
};

const struct tt_pass tt_pass_categories = {
	.name = "categories",
	.summary = "categories (assemblies): self and total time, per thread and per frame",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_FRAMES,
	.is_standard = true,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
