/**
 * The pass "timeline": what happens when, in buckets of equal length.
 *
 * Definitions: tracetool-metrics(7), Timeline.
 */
#include "collect/collections.h"
#include "collect/timeline.h"
#include "base/option.h"
#include "pass/passes.h"

enum { L_FROM, L_TO, L_CALLS, L_ALLOCS, L_BYTES, L_COLLECTIONS, L_PAUSE, L_HEAP, L_MOVES, L_THROWS, L_CONTENDED, L_WAIT,
	L_SAMPLES, L_HANDLES, L_N };

static const struct tt_col timeline_col[L_N] = {
	[L_FROM] = { "from_ns", "from", TT_UNIT_NS, "Start of the bucket." },
	[L_TO] = { "to_ns", "to", TT_UNIT_NS, "Start of the next bucket." },
	[L_CALLS] = { "calls", "calls", TT_UNIT_COUNT,
	    "Number of zones of the program that begin in the bucket, of any length and depth: none that tracetool makes of a collection, a wait for "
	    "a lock or an exception, and no allocation wrapper that is left out." },
	[L_ALLOCS] = { "allocs", "allocations", TT_UNIT_COUNT, "Number of allocations in the bucket." },
	[L_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes of these allocations." },
	[L_COLLECTIONS] = { "collections", "collections", TT_UNIT_COUNT, "Number of collections that begin in the bucket." },
	[L_PAUSE] = { "pause_ns", "pause", TT_UNIT_NS, "Time in the bucket in which the world was stopped or stopping." },
	[L_HEAP] = { "heap_bytes", "heap", TT_UNIT_BYTES, "Heap size at the end of the bucket; empty before the first recorded size." },
	[L_MOVES] = { "moves", "moved", TT_UNIT_COUNT, "Number of objects that the collector moved." },
	[L_THROWS] = { "throws", "throws", TT_UNIT_COUNT, "Number of exceptions thrown." },
	[L_CONTENDED] = { "contended", "contended", TT_UNIT_COUNT, "Number of waits for locks that begin in the bucket." },
	[L_WAIT] = { "wait_ns", "waited", TT_UNIT_NS, "Total time of these waits, on all threads." },
	[L_SAMPLES] = { "samples", "samples", TT_UNIT_COUNT, "Number of stack samples." },
	[L_HANDLES] = { "handles", "handles", TT_UNIT_COUNT, "Number of GC handles created." },
};
static const struct tt_col metric_col[] = {
	{ "metric", "metric", TT_UNIT_TEXT, "Metric with its filter and statistic, as it was asked for." },
	{ "from_ns", "from", TT_UNIT_NS, "Start of the bucket, as in the table timeline." },
	{ "to_ns", "to", TT_UNIT_NS, "Start of the next bucket." },
	{ "value", "value", TT_UNIT_VALUE, "Value of the metric in this bucket; empty if it is not known." },
	{ "unit", "base unit", TT_UNIT_TEXT, "Unit of the value in JSON and CSV: ns, bytes, number, per_1000, fps or percent." },
};

/* Find the columns that have values; the others stay empty. */
static void
find_used(const struct tt_timeline *t, bool *used)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct tt_bucket *b = &t->bucket[i];

		used[L_CALLS] |= b->calls != 0;
		used[L_ALLOCS] |= b->allocs != 0;
		used[L_COLLECTIONS] |= b->collections != 0;
		used[L_MOVES] |= b->moves != 0;
		used[L_THROWS] |= b->throws != 0;
		used[L_CONTENDED] |= b->contended != 0;
		used[L_SAMPLES] |= b->samples != 0;
		used[L_HANDLES] |= b->handles != 0;
	}
	used[L_BYTES] = used[L_ALLOCS];
	used[L_WAIT] = used[L_CONTENDED];
}

static void
put(struct tt_cell *c, const bool *used, int col, int64_t v)
{
	if (used[col])
		tt_cell_int(&c[col], v);
}

/* Paused time by bucket. part: time of pauses that begin or end in the bucket; fills: number of pauses that cover all of it. */
struct paused { int64_t part, fills; };

static void
add_pauses(const struct tt_model *m, struct paused *p)
{
	const struct tt_gc *gc = tt_gc(m);
	const struct tt_timeline *t = tt_timeline(m);

	for (size_t i = 0; i < gc->npause; i++) {
		int64_t a = gc->pause[i].start > t->from ? gc->pause[i].start : t->from;
		int64_t b = gc->pause[i].end < t->to ? gc->pause[i].end : t->to;
		if (b <= a)
			continue;
		size_t ia = tt_timeline_at(t, a), ib = tt_timeline_at(t, b - 1);
		if (ia == ib) {
			p[ia].part += b - a;
			continue;
		}
		p[ia].part += tt_timeline_start(t, ia + 1) - a;
		p[ib].part += b - tt_timeline_start(t, ib);
		p[ia + 1].fills++;
		p[ib].fills--;
	}
	for (size_t i = 1; i < t->n; i++)
		p[i].fills += p[i - 1].fills;
}

static void
put_buckets(const struct tt_model *m, const struct paused *p, struct tt_table *to)
{
	const struct tt_timeline *t = tt_timeline(m);
	bool used[L_N] = { false }, heap = false;
	uint64_t heap_b = 0;

	find_used(t, used);
	used[L_PAUSE] = tt_gc(m)->npause > 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tt_bucket *b = &t->bucket[i];
		int64_t from = tt_timeline_start(t, i), end = tt_timeline_start(t, i + 1);
		struct tt_cell *c = tt_row(to);

		if (b->has_heap) {
			heap = true;
			heap_b = b->heap_b;
		}
		tt_cell_int(&c[L_FROM], from);
		tt_cell_int(&c[L_TO], end);
		put(c, used, L_CALLS, (int64_t)b->calls);
		put(c, used, L_ALLOCS, (int64_t)b->allocs);
		put(c, used, L_BYTES, b->alloc_b);
		put(c, used, L_COLLECTIONS, (int64_t)b->collections);
		put(c, used, L_PAUSE, p[i].part + p[i].fills * (end - from));
		if (heap)
			tt_cell_u64(&c[L_HEAP], heap_b);
		put(c, used, L_MOVES, (int64_t)b->moves);
		put(c, used, L_THROWS, (int64_t)b->throws);
		put(c, used, L_CONTENDED, (int64_t)b->contended);
		put(c, used, L_WAIT, b->wait_ns);
		put(c, used, L_SAMPLES, (int64_t)b->samples);
		put(c, used, L_HANDLES, (int64_t)b->handles);
	}
}

static void
timeline(struct tt_making *k, struct tt_table *t)
{
	bool any = false;

	for (size_t i = 0; i < k->m->ncap; i++)
		any = any || k->m->cap[i]->nevent;
	struct paused *p = any && tt_timeline(k->m)->n ? tt_pass_alloc(k, tt_timeline(k->m)->n * sizeof *p) : NULL;
	if (!p)
		return;
	add_pauses(k->m, p);
	put_buckets(k->m, p, t);
}

/* Make rows by metric, then by time. */
static void
series(struct tt_making *k, struct tt_table *t)
{
	const struct tt_series *s = k->o->series;
	size_t metrics = 1;

	while (s && metrics < s->n && s->v[metrics].from == s->v[0].from)
		metrics++;
	for (size_t i = 0; s && i < s->n; i++) {
		const struct tt_series_value *v = &s->v[i % (s->n / metrics) * metrics + i / (s->n / metrics)];
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[0], v->metric);
		tt_cell_int(&c[1], v->from);
		tt_cell_int(&c[2], v->to);
		if (v->known)
			tt_cell_value(&c[3], v->unit, v->v);
		tt_cell_text(&c[4], v->unit_name);
	}
}

static const struct tt_option options[] = {
	{ .name = "buckets", .arg = "N", .kind = TT_OPTION_COUNT, .at = offsetof(struct tt_pass_opts, nbuckets), .min = 1, .max = TT_TIMELINE_MAX,
	    .table = "timeline", .if_no_table = true,
	    .help = "cut the timeline into N parts; default 60; without {table}, print only that" },
	{ .name = "metric", .arg = "METRIC", .kind = TT_OPTION_OTHER, .table = "timeline_metrics",
	    .help = "print a metric of the gate (tracetool list gate), like marker.time[Update*].total, for each of {buckets} parts of the "
	            "time; repeatable" },
	{ .name = NULL },
};

static const struct tt_pass_table tables[] = {
	{ "timeline", "Timeline", timeline_col, L_N, false, TT_ON_TIME | TT_ON_THREAD, .is_by_time = true, .shape = TT_WHOLE, .make_rows = timeline,
	    .why_empty = "no event in this capture, or the filters leave none" },
	{ "timeline_metrics", "Metrics over time", metric_col, TT_NCOL(metric_col), true, TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES,
	    .is_by_time = true, .make_rows = series, .why_empty = "no metric was asked for",
	    .why_no_budget = "it shows metrics" },
};

const struct tt_pass tt_pass_timeline = {
	.name = "timeline",
	.summary = "what happens when: calls, allocations, collections, waits and more in buckets of time",
	.needs = TT_NEEDS_TIMELINE | TT_NEEDS_TEXT,
	.option = options,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
