/**
 * The pass "gcalloc": who allocates what, and what collecting it costs.
 *
 * Counts and bytes are those of the allocation events that the filters leave. Definitions:
 * tracetool-metrics(7), Allocations.
 */
#include "base/order.h"
#include "pass/passes.h"
#include "collect/collections.h"
#include "stat/num.h"
#include "view/allocs.h"
#include "view/view.h"

enum { S_BYTES, S_ERROR, S_COUNT, S_MEAN, S_CLASSES, S_FRAME_MEDIAN, S_FRAME_P95, S_FRAME_MAX, S_FRAME_COUNT, S_FRAME_ZERO,
	S_COLLECTIONS, S_COLLECTION_NS, S_PAUSES, S_PAUSE_NS, S_PAUSE_MAX, S_STOPPED_NS, S_STOPPED_MAX, S_MOVES,
	S_HEAP_LAST, S_HEAP_MAX, S_HEAP_RESIZES, S_N };

static const struct tt_col summary_col[S_N] = {
	[S_BYTES] = { "bytes", "allocated", TT_UNIT_BYTES,
	    "Bytes of all allocations; this figure and those below are empty if allocations were not recorded." },
	[S_ERROR] = { "error_bytes", "standard error", TT_UNIT_BYTES, "Standard error of the bytes if allocations were sampled; otherwise empty." },
	[S_COUNT] = { "count", "allocations", TT_UNIT_COUNT, "Number of allocations." },
	[S_MEAN] = { "mean_bytes", "mean size", TT_UNIT_BYTES, "Bytes per allocation." },
	[S_CLASSES] = { "classes", "classes", TT_UNIT_COUNT, "Number of distinct names of allocated classes." },
	[S_FRAME_MEDIAN] = { "frame_median_bytes", "per frame, median", TT_UNIT_BYTES,
	    "Median of the bytes allocated per frame on all threads (nearest rank, exact)." },
	[S_FRAME_P95] = { "frame_p95_bytes", "per frame, p95", TT_UNIT_BYTES,
	    "95th percentile of the bytes allocated per frame on all threads (nearest rank, exact)." },
	[S_FRAME_MAX] = { "frame_max_bytes", "per frame, max", TT_UNIT_BYTES, "Largest number of bytes allocated in one frame." },
	[S_FRAME_COUNT] = { "frame_median_count", "allocations per frame, median", TT_UNIT_COUNT,
	    "Median of the number of allocations per frame." },
	[S_FRAME_ZERO] = { "zero_frames_share", "frames without allocation", TT_UNIT_PERCENT,
	    "Share of the whole frames without an allocation on any thread." },
	[S_COLLECTIONS] = { "collections", "collections", TT_UNIT_COUNT,
	    "Number of collections of all generations, start to end; this figure and those below are empty if collections were not recorded." },
	[S_COLLECTION_NS] = { "collection_ns", "collection time", TT_UNIT_NS, "Total time of the collections, start to end." },
	[S_PAUSES] = { "pauses", "pauses", TT_UNIT_COUNT, "Number of times the world was stopped; empty if only collections were recorded, without pauses." },
	[S_PAUSE_NS] = { "pause_ns", "pause time", TT_UNIT_NS, "Total time of the pauses, from the request to stop to the restart." },
	[S_PAUSE_MAX] = { "pause_max_ns", "longest pause", TT_UNIT_NS, "Longest of these times." },
	[S_STOPPED_NS] = { "stopped_ns", "stopped time", TT_UNIT_NS, "Total time of the pauses, from the moment all threads had stopped." },
	[S_STOPPED_MAX] = { "stopped_max_ns", "longest stop", TT_UNIT_NS, "Longest of these times." },
	[S_MOVES] = { "moves", "objects moved", TT_UNIT_COUNT, "Number of objects that the collector moved; empty if none was recorded in the selected time." },
	[S_HEAP_LAST] = { "heap_last_bytes", "heap at end", TT_UNIT_BYTES, "Heap size after the last change; empty if no change was recorded." },
	[S_HEAP_MAX] = { "heap_max_bytes", "largest heap", TT_UNIT_BYTES, "Largest heap size recorded." },
	[S_HEAP_RESIZES] = { "heap_resizes", "heap size changes", TT_UNIT_COUNT,
	    "Number of changes of the heap's size; empty if none was recorded in the selected time." },
};

enum { N_GEN, N_COUNT, N_TOTAL, N_MEAN, N_MAX, N_N };

static const struct tt_col generation_col[N_N] = {
	[N_GEN] = { "generation", "generation", TT_UNIT_COUNT, "Collected generation; 0 is the nursery." },
	[N_COUNT] = { "count", "collections", TT_UNIT_COUNT, "Number of collections of this generation." },
	[N_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Total time of these collections, start to end." },
	[N_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean time of a collection." },
	[N_MAX] = { "max_ns", "max", TT_UNIT_NS, "Longest collection." },
};

enum { P_TIME, P_BYTES, P_N };

static const struct tt_col heap_col[P_N] = {
	[P_TIME] = { "time_ns", "time", TT_UNIT_NS, "Time of the change; over 65,536 changes one in 2, 4, 8 and so on is kept, and the last." },
	[P_BYTES] = { "bytes", "heap", TT_UNIT_BYTES, "New size of the heap." },
};

/* Columns of most tables. */
#define BYTES_COL { "bytes", "bytes", TT_UNIT_BYTES, "Bytes allocated." }
#define SHARE_COL { "share", "bytes", TT_UNIT_PERCENT, "Share of all bytes allocated." }
#define COUNT_COL { "count", "count", TT_UNIT_COUNT, "Number of allocations." }
#define MEAN_COL { "mean_bytes", "mean", TT_UNIT_BYTES, "Bytes per allocation." }
#define ERROR_COL { "error_bytes", "error", TT_UNIT_BYTES, "Standard error of the bytes if allocations were sampled; otherwise empty." }
#define SUM_COLS BYTES_COL, SHARE_COL, COUNT_COL, MEAN_COL, ERROR_COL

static const struct tt_col thread_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." }, { "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	SUM_COLS,
};
static const struct tt_col category_col[] = {
	{ "category", "category", TT_UNIT_TEXT, "Category of the site." }, SUM_COLS,
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the allocated class." }, SUM_COLS,
};
static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Innermost zone or stack frame that is not one of the runtime's allocation wrappers." },
	{ "class", "class", TT_UNIT_TEXT, "Name of the allocated class." }, SUM_COLS,
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Zones around the allocation, outermost first; of a longer path, the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." }, SUM_COLS,
};

#define NO_ALLOCS "no allocation events in this capture, or the filters leave none"

static const struct tt_allocs *
allocs_of(const struct tt_making *k)
{
	return k->state;
}

/* Allocations of one row. */
struct sum { uint64_t n; int64_t bytes; tt_u128 variance; };

static void
add(struct sum *s, const struct tt_alloc *a)
{
	s->n += a->n;
	s->bytes += a->bytes;
	s->variance += (uint64_t)a->variance;
}

static void
put_error(const struct tt_allocs *al, struct tt_cell *c, tt_u128 variance)
{
	if (al->all.sampled && variance < TT_VARIANCE_MAX)
		tt_cell_int(c, (int64_t)tt_isqrt(variance));
}

/* Fill the cells that all allocation tables end with. */
static void
put_sum(const struct tt_allocs *al, struct tt_cell *c, const struct sum *s)
{
	tt_cell_int(&c[0], s->bytes);
	tt_put_share(&c[1], s->bytes, al->all.bytes);
	tt_cell_u64(&c[2], s->n);
	if (s->n)
		tt_cell_int(&c[3], tt_ratio((uint64_t)s->bytes, 1, s->n));
	put_error(al, &c[4], s->variance);
}

/* Fill the cells of the summary. */
static void
put_summary(const struct tt_allocs *al, struct tt_cell *c, const struct sum *s)
{
	tt_cell_int(&c[S_BYTES], s->bytes);
	put_error(al, &c[S_ERROR], s->variance);
	tt_cell_u64(&c[S_COUNT], s->n);
	if (s->n)
		tt_cell_int(&c[S_MEAN], tt_ratio((uint64_t)s->bytes, 1, s->n));
}

/* --- the summary ------------------------------------------------------------------- */

static void
put_frames(struct tt_making *k, struct tt_cell *c)
{
	const struct tt_values *bytes = tt_view_frames(k->view, TT_FRAME_ALLOC_B, &k->r->err);
	const struct tt_values *count = bytes ? tt_view_frames(k->view, TT_FRAME_ALLOC_N, &k->r->err) : NULL;

	if (!count || count->n == 0)
		return;
	tt_cell_int(&c[S_FRAME_MEDIAN], tt_values_quantile(bytes, 1, 2));
	tt_cell_int(&c[S_FRAME_P95], tt_values_quantile(bytes, 95, 100));
	tt_cell_int(&c[S_FRAME_MAX], tt_values_quantile(bytes, 1, 1));
	tt_cell_int(&c[S_FRAME_COUNT], tt_values_quantile(count, 1, 2));
	tt_put_share(&c[S_FRAME_ZERO], (int64_t)(count->n - tt_values_over(count, 0)), (int64_t)count->n);
}

/* Put the collections ${all}, and the pauses of ${gc} if ${pauses} are known. */
static void
put_collections(struct tt_cell *c, const struct tt_gc_stat *all, const struct tt_gc *gc, bool pauses)
{
	tt_cell_u64(&c[S_COLLECTIONS], all->n);
	tt_cell_int(&c[S_COLLECTION_NS], all->total);
	if (!pauses)
		return;
	tt_cell_u64(&c[S_PAUSES], gc->npauses_all);
	tt_cell_int(&c[S_PAUSE_NS], gc->pause_total);
	tt_cell_int(&c[S_PAUSE_MAX], gc->pause_max);
	tt_cell_int(&c[S_STOPPED_NS], gc->stopped_total);
	tt_cell_int(&c[S_STOPPED_MAX], gc->stopped_max);
}

static void
put_all_collections(const struct tt_model *m, struct tt_cell *c)
{
	const struct tt_gc *gc = tt_gc(m);
	const struct tt_gc_stat all = tt_collections(gc->gen, 0, TT_GENERATIONS);

	put_collections(c, &all, gc, tt_knows_pauses(m));
	if (gc->nheap_resizes == 0)
		return;
	tt_cell_u64(&c[S_HEAP_LAST], gc->heap_last);
	tt_cell_u64(&c[S_HEAP_MAX], gc->heap_max);
	tt_cell_u64(&c[S_HEAP_RESIZES], gc->nheap_resizes);
}

/* Say which of allocations and collections were not recorded, and why. */
static const char *
unknown(struct tt_making *k, bool allocs, bool collections)
{
	const char *a = allocs ? NULL : tt_model_unrecorded(k->m, TT_REC_ALLOCS, &k->r->arena, &k->r->err);
	const char *c = collections ? NULL : tt_model_unrecorded(k->m, TT_REC_COLLECTIONS, &k->r->arena, &k->r->err);

	return a && c ? tt_text(k->r, "%s; %s", a, c) : a ? a : c;
}

static void
summary(struct tt_making *k, struct tt_table *t)
{
	const struct tt_gc *gc = tt_gc(k->m);
	const struct tt_allocs *al = allocs_of(k);
	const struct sum all = { al->all.n, al->all.bytes, al->all.variance };
	bool allocs = tt_model_knows_allocs(k->m), collections = tt_knows_collections(k->m);
	struct tt_cell *c = tt_row(t);

	t->note = unknown(k, allocs, collections);
	if (gc->nmoves)
		tt_cell_u64(&c[S_MOVES], gc->nmoves);
	if (collections)
		put_all_collections(k->m, c);
	if (!allocs)
		return;
	put_summary(al, c, &all);
	tt_cell_u64(&c[S_CLASSES], al->nclass);
	put_frames(k, c);
}

/* Put a row for each generation; ${thread} is NULL unless rows are by thread. */
static void
put_generations(struct tt_table *t, const struct tt_gc_stat *gen, const char *thread)
{
	for (size_t g = 0; g < TT_GENERATIONS; g++) {
		struct tt_cell *c;

		if (gen[g].n == 0 && gen[g].total == 0)
			continue;
		c = tt_row(t);
		if (thread)
			tt_cell_text(c++, thread);
		tt_cell_u64(&c[N_GEN], g);
		tt_cell_u64(&c[N_COUNT], gen[g].n);
		tt_cell_int(&c[N_TOTAL], gen[g].total);
		if (gen[g].n == 0)
			continue;             /* the remainder of a collection that began before the filter's time */
		tt_cell_int(&c[N_MEAN], tt_ratio((uint64_t)gen[g].total, 1, gen[g].n));
		tt_cell_int(&c[N_MAX], gen[g].max);
	}
}

static void
generations(struct tt_making *k, struct tt_table *t)
{
	put_generations(t, tt_gc(k->m)->gen, NULL);
}

static void
generation_groups(struct tt_making *k, struct tt_table *t)
{
	const struct tt_gc *gc = tt_gc(k->m);

	if (k->m->filter.marker || k->m->filter.category)
		return;
	for (size_t i = 0; i < gc->nthread; i++)
		put_generations(t, gc->thread[i].gen, k->m->threads.t[gc->thread[i].thread]->name);
}

static const char *
why_no_collections(struct tt_making *k)
{
	return tt_knows_collections(k->m) ? "no collection in this capture, or the filters leave none" :
	    tt_model_unrecorded(k->m, TT_REC_COLLECTIONS, &k->r->arena, &k->r->err);
}

static void
heap(struct tt_making *k, struct tt_table *t)
{
	const struct tt_gc *gc = tt_gc(k->m);

	for (size_t i = 0; i < gc->nheap; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_int(&c[P_TIME], gc->heap[i].ts);
		tt_cell_u64(&c[P_BYTES], gc->heap[i].bytes);
	}
}

/* --- by thread, category, class, site ------------------------------------------------ */

/* Return the row of an allocation, in [0, n). */
typedef size_t of_fn(const struct tt_allocs *al, const struct tt_alloc *a);

/* Return the thread's index; for allocations in "(more paths)" the number of threads. */
static size_t
thread_of(const struct tt_allocs *al, const struct tt_alloc *a)
{
	const struct tt_thread *t = tt_paths_thread(al->p, a->node);

	return t ? t->index : al->p->m->threads.n;
}

static size_t
category_of(const struct tt_allocs *al, const struct tt_alloc *a)
{
	uint32_t zone = tt_alloc_zone(al, a);

	return zone == TT_NO_ROW ? al->p->m->ncategory : al->p->row[zone].name->category;
}

static size_t
site_of(const struct tt_allocs *al, const struct tt_alloc *a)
{
	uint32_t site = tt_alloc_site(al, a);

	return site == TT_NO_ROW ? al->p->nrow : site;
}

static size_t
class_of(const struct tt_allocs *al, const struct tt_alloc *a)
{
	(void)al;
	return a->class;
}

static const char *
thread_name(const struct tt_allocs *al, size_t i)
{
	return i < al->p->m->threads.n ? al->p->m->threads.t[i]->name : "(more paths)";
}

static const char *
category_name(const struct tt_allocs *al, size_t i)
{
	return i < al->p->m->ncategory ? al->p->m->category[i].name : TT_OUTSIDE;
}

static const char *
site_name(const struct tt_allocs *al, size_t i)
{
	return i < al->p->nrow ? al->p->row[i].label : TT_OUTSIDE;
}

static const char *
class_name(const struct tt_allocs *al, size_t i)
{
	return al->class[i];
}

/* The subjects of rows: ${n} named things, which of them the filters want, and which allocations count. */
struct things {
	size_t n;
	of_fn *of;
	const char *(*name)(const struct tt_allocs *al, size_t i);
	bool (*is_wanted)(const struct tt_allocs *al, size_t i);
	bool wanted;                  /* true: count only allocations of classes that the filters want */
	bool sites;                   /* true: count only allocations at sites that the filters want */
	bool numbered;                /* true: a column has their numbers, as they are threads */
};

/* Sum up allocations by row. */
static struct sum *
sums_by(struct tt_making *k, const struct things *by)
{
	const struct tt_allocs *al = allocs_of(k);
	struct sum *s = tt_pass_alloc(k, by->n * sizeof *s);

	for (size_t i = 0; i < al->n && s; i++) {
		const struct tt_alloc *a = &al->a[i];

		if ((!by->wanted || a->wanted) && (!by->sites || tt_alloc_wanted(al, a)))
			add(&s[by->of(al, a)], a);
	}
	return s;
}

/* Put a row for each thing that allocates; ${fill} puts the figures after the name. */
static void
put_things(struct tt_making *k, struct tt_table *t, const struct things *by,
    void (*fill)(const struct tt_allocs *al, struct tt_cell *c, const struct sum *s))
{
	const struct tt_allocs *al = allocs_of(k);
	struct sum *s = sums_by(k, by);

	for (size_t i = 0; s && i < by->n; i++) {
		if (s[i].n == 0 || (by->is_wanted && !by->is_wanted(al, i)))
			continue;
		struct tt_cell *c = tt_row(t);
		tt_cell_text(c, by->name(al, i));
		if (by->numbered && i < k->m->threads.n)
			tt_cell_u64(&c[1], i + 1);
		fill(al, c + 1 + by->numbered, &s[i]);
	}
}

static bool
category_wanted(const struct tt_allocs *al, size_t i)
{
	return tt_glob_any(al->p->m->filter.category, category_name(al, i));
}

static bool
site_wanted(const struct tt_allocs *al, size_t i)
{
	return tt_paths_site_wanted(al->p, i < al->p->nrow ? (uint32_t)i : TT_NO_ROW);
}

static void
threads(struct tt_making *k, struct tt_table *t)
{
	put_things(k, t, &(struct things){ .n = k->m->threads.n + 1, .of = thread_of, .name = thread_name, .numbered = true },
	    put_sum);
}

static void
categories(struct tt_making *k, struct tt_table *t)
{
	put_things(k, t, &(struct things){ .n = k->m->ncategory + 1, .of = category_of, .name = category_name,
	    .is_wanted = category_wanted }, put_sum);
}

static struct things
classes_of(struct tt_making *k)
{
	if (k->o->group == TT_GROUP_THREAD)
		return (struct things){ .n = k->m->threads.n + 1, .of = thread_of, .name = thread_name, .wanted = true };
	return (struct things){ .n = allocs_of(k)->nclass, .of = class_of, .name = class_name, .wanted = true };
}

static void
classes(struct tt_making *k, struct tt_table *t)
{
	struct things by = classes_of(k);

	put_things(k, t, &by, put_sum);
}

/* --- the summary in groups ---------------------------------------------------------- */

/* Put the collections that the thread triggered, with their pauses. */
static void
put_triggered(const struct tt_model *m, struct tt_cell *c, uint32_t thread)
{
	const struct tt_gc *gc = tt_gc(m);
	struct tt_gc own = { 0 };
	struct tt_gc_stat all = { 0 };

	for (size_t i = 0; i < gc->nthread; i++) {
		if (gc->thread[i].thread != thread)
			continue;
		struct tt_gc_stat of = tt_collections(gc->thread[i].gen, 0, TT_GENERATIONS);
		all.n += of.n;
		all.total += of.total;
	}
	for (size_t i = 0; i < gc->npause; i++) {
		const struct tt_pause *at = &gc->pause[i];
		int64_t dur = at->end - at->start, still = at->end > at->stopped ? at->end - at->stopped : 0;

		if (at->thread != thread)
			continue;
		own.npauses_all += at->has_begin;
		own.pause_total += dur;
		own.stopped_total += still;
		own.pause_max = at->has_begin && dur > own.pause_max ? dur : own.pause_max;
		own.stopped_max = at->has_begin && still > own.stopped_max ? still : own.stopped_max;
	}
	/* If the list of pauses is incomplete, the pauses of one thread are unknown. */
	put_collections(c, &all, &own, tt_knows_pauses(m) && gc->npause >= gc->npauses_all);
}

static bool
triggers(const struct tt_model *m, size_t thread)
{
	const struct tt_gc *gc = tt_gc(m);

	for (size_t i = 0; i < gc->nthread; i++) {
		if (gc->thread[i].thread == thread)
			return true;
	}
	return false;
}

/* Put allocations by thread, and the collections that each triggers; with a filter by marker or category, allocations alone. */
static void
summary_threads(struct tt_making *k, struct tt_table *t)
{
	bool chosen = k->m->filter.marker || k->m->filter.category;
	const struct things by = { .n = k->m->threads.n + 1, .of = thread_of, .sites = true };
	const struct tt_allocs *al = allocs_of(k);
	struct sum *s = sums_by(k, &by);

	for (size_t i = 0; s && i < by.n; i++) {
		bool collects = !chosen && triggers(k->m, i);
		struct tt_cell *c;

		if (s[i].n == 0 && !collects)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], thread_name(al, i));
		if (s[i].n)
			put_summary(al, c + 1, &s[i]);
		if (collects)
			put_triggered(k->m, c + 1, (uint32_t)i);
	}
}

static void
summary_groups(struct tt_making *k, struct tt_table *t)
{
	struct things by = { .n = allocs_of(k)->p->nrow + 1, .of = site_of, .name = site_name, .is_wanted = site_wanted };

	if (k->o->group == TT_GROUP_THREAD) {
		summary_threads(k, t);
		return;
	}
	if (k->o->group == TT_GROUP_DOMAIN)
		by = classes_of(k);
	put_things(k, t, &by, put_summary);
}

/* --- by site and class ----------------------------------------------------------------- */

static void
put_site(struct tt_making *k, struct tt_table *t, const struct tt_alloc *a, const struct sum *s)
{
	const struct tt_allocs *al = allocs_of(k);
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[0], k->o->group == TT_GROUP_DOMAIN ? al->class[a->class] : site_name(al, site_of(al, a)));
	if (!k->o->group)
		tt_cell_text(&c[1], al->class[a->class]);
	put_sum(al, c + 2, s);
}

static void
sites(struct tt_making *k, struct tt_table *t)
{
	struct tt_allocs *al = k->state;

	tt_allocs_sort(al, tt_alloc_place);
	for (size_t i = 0, j; i < al->n; i = j) {
		uint64_t id = tt_alloc_place(al, &al->a[i]);
		struct sum s = { 0 };

		for (j = i; j < al->n && tt_alloc_place(al, &al->a[j]) == id; j++) {
			if (tt_alloc_wanted(al, &al->a[j]))
				add(&s, &al->a[j]);
		}
		if (s.n)
			put_site(k, t, &al->a[i], &s);
	}
}

/* --- by path --------------------------------------------------------------------------- */

struct path { uint32_t node; struct sum s; };

static uint64_t
path_node(const struct tt_allocs *al, const struct tt_alloc *a)
{
	return al->p->path[a->node];
}

/* Most bytes first; node numbers follow the file, so ties are the same everywhere. */
static int
by_bytes(const void *x, const void *y)
{
	const struct path *a = x, *b = y;

	if (a->s.bytes != b->s.bytes)
		return a->s.bytes < b->s.bytes ? 1 : -1;
	return TT_CMP(a->node, b->node);
}

/* Store the wanted paths in ${path}, which has room for one per allocation node. Return their number. */
static size_t
list_paths(struct tt_allocs *al, struct path *path)
{
	size_t n = 0;

	tt_allocs_sort(al, path_node);
	for (size_t i = 0; i < al->n; i++) {
		const struct tt_alloc *a = &al->a[i];

		if (!tt_alloc_wanted(al, a))
			continue;
		if (n == 0 || path[n - 1].node != path_node(al, a))
			path[n++] = (struct path){ .node = al->p->path[a->node] };
		add(&path[n - 1].s, a);
	}
	tt_sort(path, n, by_bytes);
	return n;
}

/* Text is made only for the rows that will be shown: a large tree has hundreds of thousands of paths. */
static void
paths(struct tt_making *k, struct tt_table *t)
{
	struct tt_allocs *al = k->state;
	struct path *path = tt_pass_alloc(k, al->n * sizeof *path);
	size_t n = path && tt_view_paths(k->view, k->o->group, TT_PATHS_JOIN, &k->r->err) ? list_paths(al, path) : 0;

	for (size_t i = 0; i < n; i++) {
		if (k->o->max_rows && i >= k->o->max_rows)
			t->hidden++;
		else
			put_sum(al, tt_begin_path_row(t, al->p, path[i].node, NULL) + 2, &path[i].s);
	}
}

/* Group paths. A path has no domain, so groups by domain use its allocations. */
static void
path_groups(struct tt_making *k, struct tt_table *t)
{
	if (k->o->group != TT_GROUP_DOMAIN) {
		paths(k, t);
		return;
	}
	sites(k, t);
	tt_table_sort(t, "bytes", &k->r->err);
}

/* --- the pass ------------------------------------------------------------------------ */

static void
fold(struct tt_making *k)
{
	tt_allocs_init(k->state, k->view, k->o->group, &k->r->arena, &k->r->err);
}

static void
drop(struct tt_making *k)
{
	tt_allocs_free(k->state);
}

/* True if something was allocated; if not, the summary alone says so. */
static bool
has_allocs(const struct tt_making *k)
{
	return allocs_of(k)->n > 0;
}

static const char *
why_no_allocs(struct tt_making *k)
{
	return tt_model_knows_allocs(k->m) ? NO_ALLOCS : tt_model_unrecorded(k->m, TT_REC_ALLOCS, &k->r->arena, &k->r->err);
}

#define GROUPS (TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN)
static const struct tt_pass_table tables[] = {
	{ "gcalloc", "Allocation and collection", summary_col, S_N, false, TT_ON_TIME | TT_ON_THREAD, GROUPS, TT_GROUP_FRONT,
	    .shape = TT_FACTS, .make_rows = summary, .make_groups = summary_groups, .sort = "bytes", .find_why_empty = why_no_allocs },
	{ "gc_generations", "Collections by generation", generation_col, N_N, false, TT_ON_TIME | TT_ON_THREAD, TT_BY_THREAD, TT_GROUP_FRONT,
	    .shape = TT_WHOLE, .make_rows = generations, .make_groups = generation_groups, .sort = "total_ns", .find_why_empty = why_no_collections },
	{ "gc_heap", "Heap size over time", heap_col, P_N, true, TT_ON_TIME, .make_rows = heap,
	    .why_empty = "no change of the heap's size in this capture" },
	{ "alloc_threads", "Allocation by thread", thread_col, TT_NCOL(thread_col), false, TT_ON_TIME | TT_ON_THREAD,
	    .make_rows = threads, .sort = "bytes", .has_rows = has_allocs, .find_why_empty = why_no_allocs },
	{ "alloc_categories", "Allocation by category", category_col, TT_NCOL(category_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY | TT_ON_ZONES, .make_rows = categories, .sort = "bytes", .has_rows = has_allocs, .find_why_empty =
	   why_no_allocs },
	{ "alloc_classes", "Allocation by class", class_col, TT_NCOL(class_col), false, TT_ON_CALLS, GROUPS,
	    .make_rows = classes, .sort = "bytes", .has_rows = has_allocs, .find_why_empty = why_no_allocs },
	{ "alloc_sites", "Allocation by site", site_col, TT_NCOL(site_col), false, TT_ON_ALL, GROUPS,
	    .make_rows = sites, .sort = "bytes", .has_rows = has_allocs, .find_why_empty = why_no_allocs },
	{ "alloc_paths", "Allocation by path", path_col, TT_NCOL(path_col), true, TT_ON_ALL, GROUPS,
	    .make_rows = paths, .make_groups = path_groups, .has_rows = has_allocs, .find_why_empty = why_no_allocs },
};

const struct tt_pass tt_pass_gcalloc = {
	.name = "gcalloc",
	.summary = "allocations per thread, category, class, site, path and frame; collections, pauses, heap",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_FRAMES,
	.is_standard = true,
	.state_bytes = sizeof(struct tt_allocs),
	.open = fold,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
