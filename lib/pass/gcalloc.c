/**
 * The pass "gcalloc": who allocates what, and what collecting it costs.
 *
 * Counts and bytes are those of the allocation events that the filters leave. Definitions:
 * tracetool-metrics(7), Allocations.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/allocs.h"
#include "pass/passes.h"
#include "stat/num.h"

enum { G_SUMMARY, G_GENERATIONS, G_HEAP, G_THREADS, G_CATEGORIES, G_CLASSES, G_SITES, G_PATHS };

enum { S_BYTES, S_ERROR, S_COUNT, S_MEAN, S_CLASSES, S_FRAME_MEDIAN, S_FRAME_P95, S_FRAME_MAX, S_FRAME_COUNT, S_FRAME_ZERO,
	S_COLLECTIONS, S_COLLECTION_NS, S_PAUSES, S_PAUSE_NS, S_PAUSE_MAX, S_STOPPED_NS, S_STOPPED_MAX, S_MOVES,
	S_HEAP_LAST, S_HEAP_MAX, S_HEAP_RESIZES, S_N };

static const struct tt_col summary_col[S_N] = {
	[S_BYTES] = { "bytes", "allocated", TT_UNIT_BYTES, "Bytes of all allocations; this and those below empty where they were not recorded." },
	[S_ERROR] = { "error_bytes", "standard error", TT_UNIT_BYTES, "Standard error of the bytes, where allocations are sampled; empty elsewhere." },
	[S_COUNT] = { "count", "allocations", TT_UNIT_COUNT, "Number of allocations." },
	[S_MEAN] = { "mean_bytes", "mean size", TT_UNIT_BYTES, "Bytes per allocation." },
	[S_CLASSES] = { "classes", "classes", TT_UNIT_COUNT, "Distinct class names allocated." },
	[S_FRAME_MEDIAN] = { "frame_median_bytes", "per frame, median", TT_UNIT_BYTES,
	    "Median of the bytes allocated in a frame on all threads (nearest rank, exact)." },
	[S_FRAME_P95] = { "frame_p95_bytes", "per frame, p95", TT_UNIT_BYTES,
	    "95th percentile of the bytes allocated in a frame on all threads (nearest rank, exact)." },
	[S_FRAME_MAX] = { "frame_max_bytes", "per frame, max", TT_UNIT_BYTES, "Most bytes allocated in one frame." },
	[S_FRAME_COUNT] = { "frame_median_count", "allocations per frame, median", TT_UNIT_COUNT,
	    "Median of the number of allocations in a frame." },
	[S_FRAME_ZERO] = { "zero_frames_share", "frames without allocation", TT_UNIT_PERCENT,
	    "Share of the whole frames in which no thread allocates." },
	[S_COLLECTIONS] = { "collections", "collections", TT_UNIT_COUNT,
	    "Collections of all generations, start to end; this and those below empty where they were not recorded." },
	[S_COLLECTION_NS] = { "collection_ns", "collection time", TT_UNIT_NS, "Sum of the collections, start to end." },
	[S_PAUSES] = { "pauses", "pauses", TT_UNIT_COUNT, "Times the world was stopped; empty where collections are recorded and pauses are not." },
	[S_PAUSE_NS] = { "pause_ns", "pause time", TT_UNIT_NS, "Sum of the pauses, from the request to stop to the restart." },
	[S_PAUSE_MAX] = { "pause_max_ns", "longest pause", TT_UNIT_NS, "The longest of them." },
	[S_STOPPED_NS] = { "stopped_ns", "stopped time", TT_UNIT_NS, "The same from the moment all threads stood still." },
	[S_STOPPED_MAX] = { "stopped_max_ns", "longest stop", TT_UNIT_NS, "The longest of them." },
	[S_MOVES] = { "moves", "objects moved", TT_UNIT_COUNT, "Objects the collector moved; empty where not recorded." },
	[S_HEAP_LAST] = { "heap_last_bytes", "heap at end", TT_UNIT_BYTES, "Heap size after the last change; empty where none is recorded." },
	[S_HEAP_MAX] = { "heap_max_bytes", "largest heap", TT_UNIT_BYTES, "Largest heap size recorded." },
	[S_HEAP_RESIZES] = { "heap_resizes", "heap size changes", TT_UNIT_COUNT, "Changes of the heap's size." },
};

enum { N_GEN, N_COUNT, N_TOTAL, N_MEAN, N_MAX, N_N };

static const struct tt_col generation_col[N_N] = {
	[N_GEN] = { "generation", "generation", TT_UNIT_COUNT, "Generation collected; 0 is the nursery." },
	[N_COUNT] = { "count", "collections", TT_UNIT_COUNT, "Collections of it." },
	[N_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Their time, start to end." },
	[N_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean time of one." },
	[N_MAX] = { "max_ns", "max", TT_UNIT_NS, "The longest one." },
};

enum { P_TIME, P_BYTES, P_N };

static const struct tt_col heap_col[P_N] = {
	[P_TIME] = { "time_ns", "time", TT_UNIT_NS, "When the heap's size changed." },
	[P_BYTES] = { "bytes", "heap", TT_UNIT_BYTES, "Its new size." },
};

/* Most tables say of something how much it allocates. */
#define BYTES_COL { "bytes", "bytes", TT_UNIT_BYTES, "Bytes allocated." }
#define SHARE_COL { "share", "bytes", TT_UNIT_PERCENT, "Its share of all bytes allocated." }
#define COUNT_COL { "count", "count", TT_UNIT_COUNT, "Number of allocations." }
#define MEAN_COL { "mean_bytes", "mean", TT_UNIT_BYTES, "Bytes per allocation." }
#define ERROR_COL { "error_bytes", "error", TT_UNIT_BYTES, "Standard error of the bytes, where allocations are sampled; empty elsewhere." }
#define SUM_COLS BYTES_COL, SHARE_COL, COUNT_COL, MEAN_COL, ERROR_COL

static const struct tt_col thread_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." }, { "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	SUM_COLS,
};
static const struct tt_col category_col[] = {
	{ "category", "category", TT_UNIT_TEXT, "Category of the site." }, SUM_COLS,
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class allocated." }, SUM_COLS,
};
static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Innermost zone (or frame of the recorded stack) that is not one of the runtime's allocation wrappers." },
	{ "class", "class", TT_UNIT_TEXT, "Name of the class allocated." }, SUM_COLS,
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Zones around the allocation, outermost first; of deeper paths the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." }, SUM_COLS,
};

static const struct tt_pass_table tables[] = {
	[G_SUMMARY] = { "gcalloc", "Allocation and collection", summary_col, S_N, false, TT_ON_TIME | TT_ON_THREAD,
	    TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, TT_GROUP_FRONT },
	[G_GENERATIONS] = { "gc_generations", "Collections by generation", generation_col, N_N, false, TT_ON_TIME | TT_ON_THREAD,
	    TT_BY_THREAD, TT_GROUP_FRONT },
	[G_HEAP] = { "gc_heap", "Heap size over time", heap_col, P_N, true, TT_ON_TIME, 0, 0 },
	[G_THREADS] = { "alloc_threads", "Allocation by thread", thread_col, TT_NCOL(thread_col), false, TT_ON_TIME | TT_ON_THREAD, 0, 0 },
	[G_CATEGORIES] = { "alloc_categories", "Allocation by category", category_col, TT_NCOL(category_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY | TT_ON_ZONES, 0, 0 },
	[G_CLASSES] = { "alloc_classes", "Allocation by class", class_col, TT_NCOL(class_col), false, TT_ON_CALLS,
	    TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, 0 },
	[G_SITES] = { "alloc_sites", "Allocation by site", site_col, TT_NCOL(site_col), false, TT_ON_ALL,
	    TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, 0 },
	[G_PATHS] = { "alloc_paths", "Allocation by path", path_col, TT_NCOL(path_col), true, TT_ON_ALL,
	    TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, 0 },
};

#define NO_ALLOCS "no allocation events in this capture, or none that the filters leave"

struct fold {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_allocs al;
};

/* How much one thing allocates. */
struct sum { uint64_t n; int64_t bytes; tt_u128 variance; };

static void
add(struct sum *s, const struct tt_alloc *a)
{
	s->n += a->n;
	s->bytes += a->bytes;
	s->variance += (uint64_t)a->variance;
}

static void
put_error(const struct fold *f, struct tt_cell *c, tt_u128 variance)
{
	if (f->al.sampled && variance < TT_VARIANCE_MAX)
		tt_cell_int(c, (int64_t)tt_isqrt(variance));
}

/* The cells all allocation tables end with. */
static void
put_sum(const struct fold *f, struct tt_cell *c, const struct sum *s)
{
	tt_cell_int(&c[0], s->bytes);
	tt_cell_share(&c[1], s->bytes, f->al.total_b);
	tt_cell_int(&c[2], (int64_t)s->n);
	if (s->n)
		tt_cell_int(&c[3], tt_ratio((uint64_t)s->bytes, 1, s->n));
	put_error(f, &c[4], s->variance);
}

/* The same cells of the summary. */
static void
put_summary(const struct fold *f, struct tt_cell *c, const struct sum *s)
{
	if (s->n == 0)
		return;
	tt_cell_int(&c[S_BYTES], s->bytes);
	put_error(f, &c[S_ERROR], s->variance);
	tt_cell_int(&c[S_COUNT], (int64_t)s->n);
	tt_cell_int(&c[S_MEAN], tt_ratio((uint64_t)s->bytes, 1, s->n));
}

/* --- the summary ------------------------------------------------------------------- */

static int64_t *
sorted_frames(const struct fold *f, const uint64_t *of, struct tt_err *err)
{
	size_t n = f->m->frames->n;
	int64_t *v = tt_mem_alloc(&f->m->env->mem, n * sizeof *v, err);

	for (size_t i = 0; i < n && v; i++)
		v[i] = of[i] > INT64_MAX ? INT64_MAX : (int64_t)of[i];
	if (v)
		tt_sort_i64(v, n);
	return v;
}

static int
put_frames(struct fold *f, struct tt_cell *c, struct tt_err *err)
{
	const struct tt_frames *fr = f->m->frames;
	struct tt_mem *mem = &f->m->env->mem;
	int64_t *bytes, *count, zero = 0;

	if (!fr || fr->n == 0)
		return TT_OK;
	bytes = sorted_frames(f, fr->alloc_b, err);
	if (!bytes)
		return err->code;
	tt_cell_int(&c[S_FRAME_MEDIAN], tt_quantile_i64(bytes, fr->n, 1, 2));
	tt_cell_int(&c[S_FRAME_P95], tt_quantile_i64(bytes, fr->n, 95, 100));
	tt_cell_int(&c[S_FRAME_MAX], bytes[fr->n - 1]);
	tt_mem_free(mem, bytes, fr->n * sizeof *bytes);
	count = sorted_frames(f, fr->alloc_n, err);
	if (!count)
		return err->code;
	tt_cell_int(&c[S_FRAME_COUNT], tt_quantile_i64(count, fr->n, 1, 2));
	while ((size_t)zero < fr->n && count[zero] == 0)
		zero++;
	tt_cell_share(&c[S_FRAME_ZERO], zero, (int64_t)fr->n);
	tt_mem_free(mem, count, fr->n * sizeof *count);
	return TT_OK;
}

static void
put_collections(const struct tt_model *m, struct tt_cell *c)
{
	uint64_t n = 0;
	int64_t total = 0;

	for (size_t g = 0; g < TT_NCOL(m->gen); g++) {
		n += m->gen[g].n;
		total += m->gen[g].total;
	}
	tt_cell_int(&c[S_COLLECTIONS], (int64_t)n);
	tt_cell_int(&c[S_COLLECTION_NS], total);
	if (tt_model_pauses(m)) {
		tt_cell_int(&c[S_PAUSES], (int64_t)m->pause_n);
		tt_cell_int(&c[S_PAUSE_NS], m->pause_total);
		tt_cell_int(&c[S_PAUSE_MAX], m->pause_max);
		tt_cell_int(&c[S_STOPPED_NS], m->stopped_total);
		tt_cell_int(&c[S_STOPPED_MAX], m->stopped_max);
	}
	if (m->heap_resizes == 0)
		return;
	tt_cell_int(&c[S_HEAP_LAST], (int64_t)m->heap_last);
	tt_cell_int(&c[S_HEAP_MAX], (int64_t)m->heap_max);
	tt_cell_int(&c[S_HEAP_RESIZES], (int64_t)m->heap_resizes);
}

/* Which of the two were not recorded. */
static int
note_unknown(struct fold *f, struct tt_table *t, bool allocs, bool collections, struct tt_err *err)
{
	const char *a = NULL, *c = NULL;

	if (!allocs && !(a = tt_model_unrecorded(f->m, TT_REC_ALLOCS, &f->r->arena, err)))
		return err->code;
	if (!collections && !(c = tt_model_unrecorded(f->m, TT_REC_COLLECTIONS, &f->r->arena, err)))
		return err->code;
	t->note = a && c ? tt_report_text(f->r, err, "%s; %s", a, c) : a ? a : c;
	return a && c && !t->note ? err->code : TT_OK;
}

static int
summary(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	const struct tt_allocs *al = &f->al;
	bool allocs = tt_model_knows_allocs(f->m), collections = tt_model_knows_collections(f->m);
	struct tt_cell *c;
	int rc = tt_table_row(f->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	t->facts = true;
	rc = note_unknown(f, t, allocs, collections, err);
	if (rc != TT_OK)
		return rc;
	if (f->m->moves)
		tt_cell_int(&c[S_MOVES], (int64_t)f->m->moves);
	if (collections)
		put_collections(f->m, c);
	if (!allocs)
		return TT_OK;
	tt_cell_int(&c[S_BYTES], al->total_b);
	put_error(f, &c[S_ERROR], al->variance);
	tt_cell_int(&c[S_COUNT], (int64_t)al->total_n);
	if (al->total_n)
		tt_cell_int(&c[S_MEAN], tt_ratio((uint64_t)al->total_b, 1, al->total_n));
	tt_cell_int(&c[S_CLASSES], (int64_t)al->nclass);
	return put_frames(f, c, err);
}

/* ${thread}: where rows are by thread, else NULL. */
static int
put_generations(struct fold *f, struct tt_table *t, const struct tt_gc_stat *gen, const char *thread, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t g = 0; g < TT_NCOL(f->m->gen) && rc == TT_OK; g++) {
		const struct tt_gc_stat *s = &gen[g];
		struct tt_cell *c;

		if (s->n == 0)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		if (thread)
			tt_cell_text(c++, thread);
		tt_cell_int(&c[N_GEN], (int64_t)g);
		tt_cell_int(&c[N_COUNT], (int64_t)s->n);
		tt_cell_int(&c[N_TOTAL], s->total);
		tt_cell_int(&c[N_MEAN], tt_ratio((uint64_t)s->total, 1, s->n));
		tt_cell_int(&c[N_MAX], s->max);
	}
	return rc;
}

static int
generations(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	t->whole = !f->o->group;
	t->empty_reason = tt_model_knows_collections(f->m) ? "no collection in this capture, or none that the filters leave" :
	    tt_model_unrecorded(f->m, TT_REC_COLLECTIONS, &f->r->arena, err);
	if (!t->empty_reason)
		return err->code;
	if (!f->o->group)
		return put_generations(f, t, f->m->gen, NULL, err);
	if (f->m->filter.marker || f->m->filter.category)
		return TT_OK;
	for (size_t i = 0; i < f->m->ngc_thread && rc == TT_OK; i++)
		rc = put_generations(f, t, f->m->gc_thread[i].gen, f->m->threads.t[f->m->gc_thread[i].thread]->name, err);
	return rc == TT_OK ? tt_table_sort(t, "total_ns", err) : rc;
}

static int
heap(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	t->empty_reason = "no change of the heap's size in this capture";
	for (size_t i = 0; i < f->m->nheap && rc == TT_OK; i++) {
		struct tt_cell *c;

		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_int(&c[P_TIME], f->m->heap[i].ts);
		tt_cell_int(&c[P_BYTES], (int64_t)f->m->heap[i].bytes);
	}
	return rc;
}

/* --- by thread, category, class ---------------------------------------------------- */

/* Sums of ${n} things; ${of} says which one an allocation is of. ${wanted}: only of classes the filters want. */
static struct sum *
sums_by(const struct fold *f, size_t n, size_t (*of)(const struct fold *, const struct tt_alloc *), bool wanted,
    struct tt_err *err)
{
	struct sum *s = tt_mem_alloc(&f->m->env->mem, n * sizeof *s, err);

	for (size_t i = 0; i < f->al.n && s; i++) {
		if (!wanted || f->al.a[i].wanted)
			add(&s[of(f, &f->al.a[i])], &f->al.a[i]);
	}
	return s;
}

/* The thread's index; behind the last for what is in "(more paths)". */
static size_t
thread_of(const struct fold *f, const struct tt_alloc *a)
{
	const struct tt_thread *t = tt_paths_thread(&f->al.p, a->node);

	return t ? t->index : f->m->threads.n;
}

static size_t
category_of(const struct fold *f, const struct tt_alloc *a)
{
	uint32_t site = tt_alloc_site(&f->al, a);

	return site == TT_NO_ROW ? f->m->ncategory : f->al.p.row[site].name->category;
}

static size_t
site_of(const struct fold *f, const struct tt_alloc *a)
{
	uint32_t site = tt_alloc_site(&f->al, a);

	return site == TT_NO_ROW ? f->al.p.nrow : site;
}

static size_t
class_of(const struct fold *f, const struct tt_alloc *a)
{
	(void)f;
	return a->class;
}

static const char *
thread_name(const struct fold *f, size_t i)
{
	return i < f->m->threads.n ? f->m->threads.t[i]->name : "(more paths)";
}

static int
put_thread(struct fold *f, struct tt_table *t, size_t i, const struct sum *s, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(f->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], thread_name(f, i));
	if (i < f->m->threads.n)
		tt_cell_int(&c[1], (int64_t)i + 1);
	put_sum(f, c + 2, s);
	return TT_OK;
}

static int
threads(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t n = f->m->threads.n + 1;
	struct sum *s = sums_by(f, n, thread_of, false, err);
	int rc = s ? TT_OK : err->code;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		if (s[i].n)
			rc = put_thread(f, t, i, &s[i], err);
	}
	tt_mem_free(&f->m->env->mem, s, n * sizeof *s);
	return rc != TT_OK ? rc : tt_table_sort(t, "bytes", err);
}

static int
put_named(struct fold *f, struct tt_table *t, const char *name, const struct sum *s, struct tt_err *err)
{
	const char *text = f->o->group ? tt_report_text(f->r, err, "%s", name) : name;
	struct tt_cell *c;
	int rc = text ? tt_table_row(f->r, t, &c, err) : err->code;

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], text);
	if (t->ncol == S_N + 1)
		put_summary(f, c + 1, s);
	else
		put_sum(f, c + 1, s);
	return TT_OK;
}

static int
categories(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t n = f->m->ncategory + 1;
	struct sum *s = sums_by(f, n, category_of, false, err);
	int rc = s ? TT_OK : err->code;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const char *name = i < f->m->ncategory ? f->m->category[i].name : TT_OUTSIDE;

		if (s[i].n && tt_glob_any(f->m->filter.category, name))
			rc = put_named(f, t, name, &s[i], err);
	}
	tt_mem_free(&f->m->env->mem, s, n * sizeof *s);
	return rc != TT_OK ? rc : tt_table_sort(t, "bytes", err);
}

static int
classes(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	bool by_thread = f->o->group == TT_GROUP_THREAD;
	size_t n = by_thread ? f->m->threads.n + 1 : f->al.nclass;
	struct sum *s = sums_by(f, n, by_thread ? thread_of : class_of, true, err);
	int rc = s ? TT_OK : err->code;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		if (s[i].n)
			rc = put_named(f, t, by_thread ? thread_name(f, i) : f->al.class[i], &s[i], err);
	}
	tt_mem_free(&f->m->env->mem, s, n * sizeof *s);
	return rc != TT_OK ? rc : tt_table_sort(t, "bytes", err);
}

/* --- the summary in groups ---------------------------------------------------------- */

/* What the thread's collections and pauses come to. */
static void
put_triggered(const struct fold *f, struct tt_cell *c, uint32_t thread)
{
	const struct tt_model *m = f->m;
	struct tt_gc_stat all = { 0 };
	struct { uint64_t n; int64_t total, max, stopped, stopped_max; } p = { 0 };

	for (size_t i = 0; i < m->ngc_thread; i++) {
		for (size_t g = 0; m->gc_thread[i].thread == thread && g < TT_NCOL(m->gen); g++) {
			all.n += m->gc_thread[i].gen[g].n;
			all.total += m->gc_thread[i].gen[g].total;
		}
	}
	tt_cell_int(&c[S_COLLECTIONS], (int64_t)all.n);
	tt_cell_int(&c[S_COLLECTION_NS], all.total);
	for (size_t i = 0; i < m->npause; i++) {
		const struct tt_pause *at = &m->pause[i];
		int64_t dur = at->end - at->start, still = at->end > at->stopped ? at->end - at->stopped : 0;

		if (at->thread != thread)
			continue;
		p.n++;
		p.total += dur;
		p.stopped += still;
		p.max = dur > p.max ? dur : p.max;
		p.stopped_max = still > p.stopped_max ? still : p.stopped_max;
	}
	/* Where not all are listed, those of one thread are not known. */
	if (!tt_model_pauses(m) || m->npause < m->pause_n)
		return;
	tt_cell_int(&c[S_PAUSES], (int64_t)p.n);
	tt_cell_int(&c[S_PAUSE_NS], p.total);
	tt_cell_int(&c[S_PAUSE_MAX], p.max);
	tt_cell_int(&c[S_STOPPED_NS], p.stopped);
	tt_cell_int(&c[S_STOPPED_MAX], p.stopped_max);
}

static bool
triggers(const struct fold *f, size_t thread)
{
	for (size_t i = 0; i < f->m->ngc_thread; i++) {
		if (f->m->gc_thread[i].thread == thread)
			return true;
	}
	return false;
}

/* The sums of sites, whose rows are groups. */
static int
site_groups(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t n = f->al.p.nrow + 1;
	struct sum *s = sums_by(f, n, site_of, false, err);
	int rc = s ? TT_OK : err->code;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		uint32_t row = i < f->al.p.nrow ? (uint32_t)i : TT_NO_ROW;

		if (s[i].n && tt_paths_site_wanted(&f->al.p, row))
			rc = put_named(f, t, row == TT_NO_ROW ? TT_OUTSIDE : f->al.p.row[i].label, &s[i], err);
	}
	tt_mem_free(&f->m->env->mem, s, n * sizeof *s);
	return rc != TT_OK ? rc : tt_table_sort(t, "bytes", err);
}

/* Allocations on threads, and the collections these trigger; of markers that are chosen, their allocations alone. */
static int
summary_threads(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	bool chosen = f->m->filter.marker || f->m->filter.category;
	size_t n = f->m->threads.n + 1;
	struct sum *s = tt_mem_alloc(&f->m->env->mem, n * sizeof *s, err);
	int rc = s ? TT_OK : err->code;

	for (size_t i = 0; i < f->al.n && s; i++) {
		if (tt_paths_site_wanted(&f->al.p, tt_alloc_site(&f->al, &f->al.a[i])))
			add(&s[thread_of(f, &f->al.a[i])], &f->al.a[i]);
	}
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_cell *c;
		bool collects = !chosen && triggers(f, i);

		if (s[i].n == 0 && !collects)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			break;
		tt_cell_text(&c[0], thread_name(f, i));
		put_summary(f, c + 1, &s[i]);
		if (collects)
			put_triggered(f, c + 1, (uint32_t)i);
	}
	tt_mem_free(&f->m->env->mem, s, n * sizeof *s);
	return rc != TT_OK ? rc : tt_table_sort(t, "bytes", err);
}

static int
summary_groups(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	if (f->o->group == TT_GROUP_THREAD)
		return summary_threads(f, t, err);
	return f->o->group == TT_GROUP_DOMAIN ? classes(f, t, err) : site_groups(f, t, err);
}

/* --- by site --------------------------------------------------------------------------- */

/* By domain, which a class has, it is the class's group alone; by all else the site's. */
static uint64_t
site_and_class(const struct tt_allocs *al, const struct tt_alloc *a)
{
	if (al->classes.group == TT_GROUP_DOMAIN)
		return a->class;
	if (al->classes.group)
		return tt_alloc_site(al, a);
	return (uint64_t)tt_alloc_site(al, a) << 32 | a->class;
}

static int
put_site(struct fold *f, struct tt_table *t, const struct tt_alloc *a, const struct sum *s, struct tt_err *err)
{
	uint32_t site = tt_alloc_site(&f->al, a);
	const char *name;
	struct tt_cell *c;
	int rc;

	if (f->o->group == TT_GROUP_DOMAIN)
		name = tt_report_text(f->r, err, "%s", f->al.class[a->class]);
	else
		name = site == TT_NO_ROW ? TT_OUTSIDE : tt_report_text(f->r, err, "%s", f->al.p.row[site].label);
	rc = name ? tt_table_row(f->r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], name);
	if (!f->o->group)
		tt_cell_text(&c[1], f->al.class[a->class]);
	put_sum(f, c + 2, s);
	return TT_OK;
}

static int
sites(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	tt_allocs_sort(&f->al, site_and_class);
	for (size_t i = 0, j; i < f->al.n && rc == TT_OK; i = j) {
		uint64_t id = site_and_class(&f->al, &f->al.a[i]);
		struct sum s = { 0 };

		for (j = i; j < f->al.n && site_and_class(&f->al, &f->al.a[j]) == id; j++) {
			if (tt_paths_site_wanted(&f->al.p, tt_alloc_site(&f->al, &f->al.a[j])))
				add(&s, &f->al.a[j]);
		}
		if (s.n)
			rc = put_site(f, t, &f->al.a[i], &s, err);
	}
	return rc != TT_OK ? rc : tt_table_sort(t, "bytes", err);
}

/* --- by path --------------------------------------------------------------------------- */

struct path { uint32_t node; struct sum s; };

static uint64_t
path_node(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return al->p.path[a->node];
}

/* Most bytes first; node numbers follow the file, so ties are the same everywhere. */
static int
by_bytes(const void *x, const void *y)
{
	const struct path *a = x, *b = y;

	if (a->s.bytes != b->s.bytes)
		return a->s.bytes < b->s.bytes ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

static int
put_path(struct fold *f, struct tt_table *t, const struct path *p, struct tt_buf *b, struct tt_err *err)
{
	const struct tt_thread *th = tt_paths_thread(&f->al.p, p->node);
	struct tt_cell *c;
	char *text;
	int rc = tt_paths_text(&f->al.p, p->node, b, err);

	if (rc != TT_OK)
		return rc;
	text = tt_arena_text(&f->r->arena, b->p, b->n, err);
	rc = text ? tt_table_row(f->r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], text);
	if (th && (!f->o->group || f->o->group == TT_GROUP_THREAD))
		tt_cell_text(&c[1], th->name);
	put_sum(f, c + 2, &p->s);
	return TT_OK;
}

/* The wanted paths into ${path}, which has room for one per allocation node. */
static size_t
list_paths(struct fold *f, struct path *path)
{
	size_t n = 0;

	tt_allocs_sort(&f->al, path_node);
	for (size_t i = 0; i < f->al.n; i++) {
		const struct tt_alloc *a = &f->al.a[i];

		if (!tt_paths_site_wanted(&f->al.p, tt_alloc_site(&f->al, a)))
			continue;
		if (n == 0 || path[n - 1].node != path_node(&f->al, a))
			path[n++] = (struct path){ .node = f->al.p.path[a->node] };
		add(&path[n - 1].s, a);
	}
	if (n)
		qsort(path, n, sizeof *path, by_bytes);
	return n;
}

/* Text is made for the rows that will be shown only: a large tree has hundreds of thousands. */
static int
paths(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t room = f->al.n * sizeof(struct path), n, rows;
	struct path *path = tt_mem_alloc(&f->m->env->mem, room, err);
	struct tt_buf b = { 0 };
	int rc = path ? tt_paths_join(&f->al.p, err) : err->code;

	if (rc != TT_OK) {
		tt_mem_free(&f->m->env->mem, path, path ? room : 0);
		return rc;
	}
	n = list_paths(f, path);
	rows = f->o->rows && f->o->rows < n ? f->o->rows : n;
	for (size_t i = 0; i < rows && rc == TT_OK; i++)
		rc = put_path(f, t, &path[i], &b, err);
	t->hidden = n - rows;
	tt_buf_free(&b);
	tt_mem_free(&f->m->env->mem, path, room);
	return rc;
}

/* --- the pass ------------------------------------------------------------------------ */

static int
tables_of(struct fold *f, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[G_SUMMARY] = summary, [G_GENERATIONS] = generations, [G_HEAP] = heap, [G_THREADS] = threads,
		[G_CATEGORIES] = categories, [G_CLASSES] = classes, [G_SITES] = sites, [G_PATHS] = paths,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		/* Where nothing was allocated, the summary says so once. */
		if (i >= G_THREADS && f->al.n == 0 && !f->o->table)
			break;
		rc = tt_pass_begin(&tt_pass_gcalloc, i, f->o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = tt_model_knows_allocs(f->m) ? NO_ALLOCS :
		    tt_model_unrecorded(f->m, TT_REC_ALLOCS, &f->r->arena, err);
		if (!t->empty_reason)
			return err->code;
		if (f->o->group && i == G_SUMMARY)
			rc = summary_groups(f, t, err);
		else if (f->o->group == TT_GROUP_DOMAIN && i == G_PATHS)
			rc = sites(f, t, err);        /* a path is of no domain: its allocations are */
		else
			rc = make[i](f, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .o = o, .r = r };
	int rc = tt_allocs_init(&f.al, m, o->group, err);

	if (rc == TT_OK)
		rc = tables_of(&f, err);
	tt_allocs_free(&f.al);
	return rc;
}

const struct tt_pass tt_pass_gcalloc = {
	.name = "gcalloc",
	.summary = "allocations per thread, category, class, site, path and frame; collections, pauses, heap",
	.needs = TT_NEEDS_CALLS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
