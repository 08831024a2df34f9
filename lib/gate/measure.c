/**
 * Lists the metrics of the gate: names, units, what each needs of a run.
 */
#include "gate/measure.h"

#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "model/event.h"

const char *const tt_stat_name[TT_STATS] = {
	[TT_STAT_MEAN] = "mean", [TT_STAT_TRIMMED] = "trimmed", [TT_STAT_MEDIAN] = "median", [TT_STAT_STDDEV] = "stddev", [TT_STAT_P90] = "p90",
	[TT_STAT_P95] = "p95", [TT_STAT_P99] = "p99", [TT_STAT_P999] = "p99.9", [TT_STAT_MAX] = "max",
	[TT_STAT_MIN] = "min", [TT_STAT_LAST] = "last", [TT_STAT_TOTAL] = "total", [TT_STAT_COUNT] = "count",
	[TT_STAT_PER_1000] = "per_1000", [TT_STAT_LOW_1] = "low_1", [TT_STAT_LOW_01] = "low_0.1",
	[TT_STAT_FRAME_MEAN] = "per_frame.mean", [TT_STAT_FRAME_MEDIAN] = "per_frame.median",
	[TT_STAT_FRAME_P95] = "per_frame.p95", [TT_STAT_FRAME_P99] = "per_frame.p99",
	[TT_STAT_FRAME_MAX] = "per_frame.max",
};

const struct tt_stat_rank tt_stat_rank[TT_STATS] = {
	[TT_STAT_MEDIAN] = { 1, 2 }, [TT_STAT_P90] = { 90, 100 }, [TT_STAT_P95] = { 95, 100 }, [TT_STAT_P99] = { 99, 100 },
	[TT_STAT_P999] = { 999, 1000 }, [TT_STAT_MAX] = { 1, 1 }, [TT_STAT_FRAME_MEDIAN] = { 1, 2 }, [TT_STAT_FRAME_P95] = { 95, 100 },
	[TT_STAT_FRAME_P99] = { 99, 100 }, [TT_STAT_FRAME_MAX] = { 1, 1 },
};

#define S(x) (1u << TT_STAT_##x)
#define TIMES (S(MEAN) | S(TRIMMED) | S(MEDIAN) | S(STDDEV) | S(P90) | S(P95) | S(P99) | S(P999) | S(MAX))
#define DURATIONS (S(TOTAL) | S(MAX) | S(MEAN) | S(FRAME_MEAN))
#define FRAMES (TT_NEEDS_FRAMES | TT_NEEDS_CALLS)

const struct tt_metric tt_metrics[] = {
	{ "frame.time", "frame time", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_FRAME, 0, "Wall time of the frames, as in the table frames." },
	{ "frame.cpu", "CPU-active frame time", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_FRAME, 1, "CPU-active time of the frames." },
	{ "frame.uncapped", "uncapped frame time", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_FRAME, 2, "Uncapped time of the frames: without the wait for the frame limit and the Editor; of frames that are not capped, wall time "
	    "without the Editor and WaitForTargetFPS." },
	{ "frame.main", "main thread time", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_TIMING, TT_TIMING_MAIN, "Work of the main thread in a frame, as the engine measured it (table frame_timings)." },
	{ "frame.render", "render thread time", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_TIMING, TT_TIMING_RENDER,
	    "Work of the render thread in a frame, as the engine measured it; if it measured none, the time in its zones without waits." },
	{ "frame.present", "present wait", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_TIMING, TT_TIMING_PRESENT, "Time the main thread waited to present, as the engine measured it." },
	{ "frame.gpu", "GPU time", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES, TIMES, TT_STAT_MEDIAN, true,
	    TT_FAM_TIMING, TT_TIMING_GPU, "GPU time of a frame, as the engine measured it." },
	{ "frame.over", "frames over", TT_DIM_PER_1000, TT_SELECT_LIMIT, TT_ABOUT_TIME, FRAMES, S(PER_1000) | S(COUNT),
	    TT_STAT_PER_1000, false, TT_FAM_OVER, 0, "Number of frames shown for longer than the row's limit: in whole refreshes where a frame limit shows, "
	    "else by wall time." },
	{ "frame.cpu.over", "CPU-active frames over", TT_DIM_PER_1000, TT_SELECT_LIMIT, TT_ABOUT_TIME, FRAMES,
	    S(PER_1000) | S(COUNT), TT_STAT_PER_1000, false, TT_FAM_OVER, 1,
	    "Number of frames whose CPU-active time is longer than the row's limit." },
	{ "frame.uncapped.over", "uncapped frames over", TT_DIM_PER_1000, TT_SELECT_LIMIT, TT_ABOUT_TIME, FRAMES,
	    S(PER_1000) | S(COUNT), TT_STAT_PER_1000, false, TT_FAM_OVER, 2,
	    "Number of frames whose uncapped time, as in frame.uncapped, is longer than the row's limit." },
	{ "frame.late", "frames late", TT_DIM_PER_1000, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, S(PER_1000) | S(COUNT), TT_STAT_PER_1000, true,
	    TT_FAM_OVER, 3, "Number of frames that took more refreshes than their frame limit gives them, of those that have one." },
	{ "frame.fps", "frame rate", TT_DIM_FPS, TT_SELECT_NONE, TT_ABOUT_TIME, FRAMES, S(MEAN) | S(LOW_1) | S(LOW_01),
	    TT_STAT_MEAN, true, TT_FAM_FPS, 0, "Frames per second: of all frames, and of the longest 1 % and 0.1 % of the frames." },
	{ "frame.count", "frames", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES, S(TOTAL), TT_STAT_TOTAL, true,
	    TT_FAM_FRAMES, 0, "Number of whole frames." },
	{ "gc.alloc.bytes", "bytes allocated", TT_DIM_BYTES, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    S(FRAME_MEAN) | S(FRAME_MEDIAN) | S(FRAME_P95) | S(FRAME_P99) | S(FRAME_MAX) | S(TOTAL), TT_STAT_FRAME_MEAN, true,
	    TT_FAM_ALLOC, 0, "Bytes allocated on all threads." },
	{ "gc.alloc.count", "allocations", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    S(FRAME_MEAN) | S(FRAME_MEDIAN) | S(FRAME_P95) | S(FRAME_P99) | S(FRAME_MAX) | S(TOTAL), TT_STAT_FRAME_MEAN, true,
	    TT_FAM_ALLOC, 1, "Number of allocations on all threads." },
	{ "gc.alloc.frames", "frames that allocate", TT_DIM_PER_1000, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    S(PER_1000) | S(COUNT), TT_STAT_PER_1000, true, TT_FAM_ALLOC_FRAMES, 0, "Number of frames in which any thread allocates." },
	{ "gc.collections", "collections", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES, S(TOTAL) | S(PER_1000),
	    TT_STAT_TOTAL, true, TT_FAM_COLLECTIONS, 0, "Number of collections of all generations; per_1000: per thousand frames." },
	{ "gc.collections.gen0", "collections of generation 0", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    S(TOTAL) | S(PER_1000), TT_STAT_TOTAL, true, TT_FAM_COLLECTIONS, 1, "Number of collections of generation 0, the nursery." },
	{ "gc.collections.gen1", "collections of generation 1", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    S(TOTAL) | S(PER_1000), TT_STAT_TOTAL, true, TT_FAM_COLLECTIONS, 2, "Number of collections of generation 1, the old objects." },
	{ "gc.time", "time collecting", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES, DURATIONS, TT_STAT_MAX, true,
	    TT_FAM_COLLECTING, 0, "Time of the collections of all generations, start to end." },
	{ "gc.time.gen0", "time collecting generation 0", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES, DURATIONS,
	    TT_STAT_MAX, true, TT_FAM_COLLECTING, 1, "Time of the collections of generation 0, start to end." },
	{ "gc.time.gen1", "time collecting generation 1", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES, DURATIONS,
	    TT_STAT_MAX, true, TT_FAM_COLLECTING, 2, "Time of the collections of generation 1, start to end." },
	{ "gc.pause", "GC pause", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    DURATIONS, TT_STAT_MAX, true, TT_FAM_PAUSE, 0,
	    "Time of the pauses, from the request to stop to the restart." },
	{ "gc.pause.count", "GC pauses", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES, S(TOTAL) | S(FRAME_MEAN),
	    TT_STAT_TOTAL, true, TT_FAM_PAUSES, 0, "Number of times the world was stopped." },
	{ "gc.stopped", "GC stop", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_ALLOC, FRAMES,
	    DURATIONS, TT_STAT_MAX, true, TT_FAM_PAUSE, 1,
	    "Time of the pauses, from the moment all threads had stopped." },
	{ "heap.size", "heap size", TT_DIM_BYTES, TT_SELECT_NONE, TT_ABOUT_ALLOC, 0, S(MAX) | S(LAST), TT_STAT_MAX, true,
	    TT_FAM_HEAP, 0, "Size of the managed heap, from its recorded changes." },
	{ "category.time", "time", TT_DIM_TIME, TT_SELECT_CATEGORY, TT_ABOUT_TIME, FRAMES,
	    S(FRAME_MEAN) | S(FRAME_MEDIAN) | S(FRAME_P95) | S(FRAME_MAX) | S(TOTAL), TT_STAT_FRAME_MEAN, false,
	    TT_FAM_CATEGORY, 0, "Self time of the matching categories: per frame on the frame thread; total: on all threads." },
	{ "marker.time", "time", TT_DIM_TIME, TT_SELECT_MARKER, TT_ABOUT_TIME, FRAMES | TT_NEEDS_HIST,
	    S(FRAME_MEAN) | S(FRAME_MAX) | S(TOTAL) | S(MEAN) | S(MEDIAN) | S(P95) | S(P99) | S(MAX) | S(MIN), TT_STAT_FRAME_MEAN, false,
	    TT_FAM_MARKER, 0, "Total time of the matching markers: per frame on the frame thread; total: on all threads; "
	    "the other statistics: of one activation." },
	{ "marker.self", "self time", TT_DIM_TIME, TT_SELECT_MARKER, TT_ABOUT_TIME, FRAMES,
	    S(FRAME_MEAN) | S(FRAME_MAX) | S(TOTAL), TT_STAT_FRAME_MEAN, false, TT_FAM_MARKER, 1,
	    "Self time of the matching markers: per frame on the frame thread; total: on all threads." },
	{ "marker.count", "calls", TT_DIM_NUMBER, TT_SELECT_MARKER, TT_ABOUT_NOTHING, FRAMES,
	    S(TOTAL) | S(FRAME_MEAN) | S(FRAME_MAX), TT_STAT_TOTAL, false, TT_FAM_MARKER, 2,
	    "Number of activations of the matching markers on all threads; per_frame.max: on the frame thread." },
	{ "thread.time", "busy time", TT_DIM_TIME, TT_SELECT_THREAD, TT_ABOUT_TIME, FRAMES, S(TOTAL) | S(FRAME_MEAN),
	    TT_STAT_FRAME_MEAN, false, TT_FAM_THREAD, 0, "Busy time of the matching threads: inside at least one zone, and in no wait marker." },
	{ "exceptions", "exceptions", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES, S(TOTAL) | S(FRAME_MEAN),
	    TT_STAT_TOTAL, true, TT_FAM_THROWS, 0, "Number of exceptions thrown, caught or not." },
	{ "contention.count", "waits for locks", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES,
	    S(TOTAL) | S(FRAME_MEAN), TT_STAT_TOTAL, true, TT_FAM_CONTENDED, 0,
	    "Number of times a thread asked for a lock that another thread held." },
	{ "contention.wait", "waiting for locks", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_NOTHING,
	    FRAMES | TT_NEEDS_SITES | TT_NEEDS_LOCKS, DURATIONS | S(P95), TT_STAT_TOTAL, false, TT_FAM_WAITING, 0,
	    "Time of the waits for locks whose end is in the capture, on all threads." },
	{ "samples", "samples", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES, S(TOTAL) | S(FRAME_MEAN), TT_STAT_TOTAL,
	    true, TT_FAM_SAMPLES, 0, "Number of stack samples." },
	{ "handles", "GC handles", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES | TT_NEEDS_SITES | TT_NEEDS_HANDLES,
	    S(LAST) | S(TOTAL), TT_STAT_LAST, false, TT_FAM_HANDLES, 0, "Number of GC handles of all kinds; last: handles not destroyed." },
	{ "finalizers", "finalizers", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES | TT_NEEDS_FINALS,
	    S(TOTAL) | S(FRAME_MEAN), TT_STAT_TOTAL, false, TT_FAM_FINALIZERS, 0, "Number of objects whose finalizer ran." },
	{ "finalizers.time", "time in finalizers", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_NOTHING, FRAMES | TT_NEEDS_FINALS,
	    DURATIONS, TT_STAT_TOTAL, false, TT_FAM_FINALIZERS, 1, "Time of the finalizers of single objects that ended." },
	{ "heapshot.bytes", "bytes in heap shots", TT_DIM_BYTES, TT_SELECT_NONE, TT_ABOUT_NOTHING, TT_NEEDS_SHOTS,
	    S(LAST) | S(MAX), TT_STAT_LAST, false, TT_FAM_SHOT, 0, "Bytes of the objects in a heap shot; last: the last shot; max: the largest." },
	{ "heapshot.objects", "objects in heap shots", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, TT_NEEDS_SHOTS,
	    S(LAST) | S(MAX), TT_STAT_LAST, false, TT_FAM_SHOT, 0, "Number of objects in a heap shot; last: the last shot; max: the shot with most." },
	{ "jit.methods", "methods with code", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, 0, S(TOTAL), TT_STAT_TOTAL, true,
	    TT_FAM_COMPILED, 0, "Number of methods whose code is in the capture." },
	{ "jit.code", "code of methods", TT_DIM_BYTES, TT_SELECT_NONE, TT_ABOUT_NOTHING, 0, S(TOTAL), TT_STAT_TOTAL, true,
	    TT_FAM_COMPILED, 0, "Bytes of code of the methods whose code is in the capture." },
	{ "counter", "counter", TT_DIM_NUMBER, TT_SELECT_COUNTER, TT_ABOUT_NOTHING, 0, S(MAX) | S(MEAN) | S(MIN) | S(LAST),
	    TT_STAT_MAX, false, TT_FAM_COUNTER, 0, "Values of the matching counter, in its own unit." },
	{ "lost.events", "events lost", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, 0, S(TOTAL), TT_STAT_TOTAL, true,
	    TT_FAM_LOST, 0, "Sum of the counts in the table loss with severity loss or error." },
	{ "capture.time", "capture length", TT_DIM_TIME, TT_SELECT_NONE, TT_ABOUT_NOTHING, 0, S(TOTAL), TT_STAT_TOTAL, true,
	    TT_FAM_LENGTH, 0, "Time from the first event to the last." },
	{ "capture.unended", "end of the capture", TT_DIM_NUMBER, TT_SELECT_NONE, TT_ABOUT_NOTHING, 0, S(TOTAL), TT_STAT_TOTAL, false,
	    TT_FAM_UNENDED, 0, "1: the capture breaks off because the program crashed, was killed or still ran; 0: it ends, or its recorder "
	    "marks no end." },
	{ "test", "test", TT_DIM_NUMBER, TT_SELECT_GROUP, TT_ABOUT_NOTHING, 0, TIMES | S(MIN) | S(TOTAL) | S(COUNT), TT_STAT_MEDIAN, false,
	    TT_FAM_TEST, 0, "Values of the matching sample groups in a file of results of Unity's Performance Testing package, in their own unit; "
	    "count: number of samples." },
	{ 0 },
};

bool
tt_measure_set_stat(struct tt_measure *x, const char *name, char all[TT_STATS_TEXT])
{
	size_t n = 0;

	for (unsigned i = 0; i < TT_STATS; i++) {
		if (!(x->metric->stats & 1u << i))
			continue;
		if (strcmp(name, tt_stat_name[i]) == 0) {
			x->stat = (enum tt_stat_kind)i;
			return true;
		}
		n += (size_t)snprintf(all + n, TT_STATS_TEXT - n, "%s%s", n ? ", " : "", tt_stat_name[i]);
	}
	return false;
}

const struct tt_metric *
tt_metric_named(const char *name)
{
	for (const struct tt_metric *m = tt_metrics; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

bool
tt_metric_up(const struct tt_metric *m)
{
	return m->dim == TT_DIM_FPS;
}

bool
tt_measure_any_dim(const struct tt_measure *x)
{
	return x->metric->family == TT_FAM_COUNTER || x->metric->family == TT_FAM_TEST || (x->metric->family == TT_FAM_CELL && x->metric->of);
}

enum tt_dim
tt_measure_dim(const struct tt_measure *x)
{
	if (x->stat == TT_STAT_PER_1000)
		return x->metric->family == TT_FAM_COLLECTIONS ? TT_DIM_NUMBER : TT_DIM_PER_1000;
	return x->stat == TT_STAT_COUNT ? TT_DIM_NUMBER : x->metric->dim;
}

bool
tt_stat_loud(enum tt_stat_kind stat)
{
	return stat == TT_STAT_P99 || stat == TT_STAT_P999 || stat == TT_STAT_MAX || stat == TT_STAT_FRAME_P99 ||
	    stat == TT_STAT_FRAME_MAX || stat == TT_STAT_LOW_01;
}

enum tt_stat_kind
tt_metric_quiet(const struct tt_metric *m)
{
	static const enum tt_stat_kind next[] = { TT_STAT_MEAN, TT_STAT_FRAME_MEAN, TT_STAT_LAST };

	for (size_t i = 0; tt_stat_loud(m->usual) && i < sizeof next / sizeof *next; i++)
		if (m->stats & 1u << next[i])
			return next[i];
	return m->usual;
}

const char *
tt_metric_over(const struct tt_metric *m)
{
	for (const struct tt_metric *over = tt_metrics; m->family == TT_FAM_FRAME && over->name; over++)
		if (over->family == TT_FAM_OVER && over->of == m->of)
			return over->name;
	return NULL;
}

bool
tt_measure_framed(const struct tt_measure *x)
{
	switch (x->metric->family) {
	case TT_FAM_FRAME:
	case TT_FAM_TIMING:
	case TT_FAM_OVER:
	case TT_FAM_FPS:
	case TT_FAM_FRAMES:
	case TT_FAM_ALLOC_FRAMES:
		return true;
	case TT_FAM_ALLOC:
	case TT_FAM_CATEGORY:
		return x->stat != TT_STAT_TOTAL;
	case TT_FAM_MARKER:
		return x->stat == TT_STAT_FRAME_MAX || (x->stat == TT_STAT_FRAME_MEAN && x->metric->of != 2);
	default:
		return false;
	}
}

bool
tt_measure_by_frame(const struct tt_measure *x)
{
	return x->stat == TT_STAT_FRAME_MEAN && (x->metric->family == TT_FAM_THREAD || (x->metric->family == TT_FAM_MARKER && x->metric->of == 2));
}

unsigned
tt_measure_needs(const struct tt_measure *x)
{
	return x->metric->needs | (tt_measure_by_frame(x) ? TT_NEEDS_BY_FRAME : 0);
}

bool
tt_measure_counts(const struct tt_measure *x)
{
	return x->metric->family == TT_FAM_ALLOC && x->metric->of == 1;
}

/* --- names ---------------------------------------------------------------------- */

int
tt_measure_key(struct tt_measure *x, struct tt_arena *a, struct tt_err *err)
{
	const char *stat = tt_stat_name[x->stat], *name = x->metric->name;

	if (x->metric->select == TT_SELECT_ROW)
		x->key = x->select ? tt_arena_printf(a, err, "%s[%s]", name, x->select) : name;
	else if (x->metric->select == TT_SELECT_LIMIT)
		x->key = tt_arena_printf(a, err, "%s[%lldns].%s", name, (long long)x->limit_ns, stat);
	else if (x->select)
		x->key = tt_arena_printf(a, err, "%s[%s].%s", name, x->select, stat);
	else
		x->key = tt_arena_printf(a, err, "%s.%s", name, stat);
	return x->key ? TT_OK : err->code;
}

/* The statistic in words, after the metric's. */
static const char *const words[TT_STATS] = {
	[TT_STAT_MEAN] = ", mean", [TT_STAT_TRIMMED] = ", trimmed mean", [TT_STAT_MEDIAN] = ", median", [TT_STAT_STDDEV] = ", standard deviation",
	[TT_STAT_P90] = ", p90", [TT_STAT_P95] = ", p95", [TT_STAT_P99] = ", p99", [TT_STAT_P999] = ", p99.9",
	[TT_STAT_MAX] = ", largest", [TT_STAT_MIN] = ", smallest", [TT_STAT_LAST] = " at the end",
	[TT_STAT_TOTAL] = " in all", [TT_STAT_COUNT] = "", [TT_STAT_PER_1000] = "",
	[TT_STAT_LOW_1] = ", 1 % low", [TT_STAT_LOW_01] = ", 0.1 % low", [TT_STAT_FRAME_MEAN] = " per frame, mean",
	[TT_STAT_FRAME_MEDIAN] = " per frame, median", [TT_STAT_FRAME_P95] = " per frame, p95",
	[TT_STAT_FRAME_P99] = " per frame, p99", [TT_STAT_FRAME_MAX] = " per frame, largest",
};

/* The text of a glob: an expression that means one name and nothing else is that name. */
static const char *
shown(const char *glob, struct tt_arena *a, struct tt_err *err)
{
	static const char special[] = ".[]{}()*+?^$|\\";
	const char *from = glob + 4;
	char *name, *to;

	if (strncmp(glob, "re:^", 4) != 0 || !(name = to = tt_arena_alloc(a, strlen(glob) + 1, err)))
		return glob;
	for (; *from && strcmp(from, "$") != 0; *to++ = *from++) {
		if (*from == '\\' && from[1] && strchr(special, from[1]))
			from++;
		else if (strchr(special, *from))
			return glob;
	}
	*to = '\0';
	return *from ? name : glob;
}

const char *
tt_measure_title(const struct tt_measure *x, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_metric *m = x->metric;
	const char *stat = words[x->stat];
	char limit[48];

	/* Other statistics count all threads. */
	if ((m->family == TT_FAM_MARKER || m->family == TT_FAM_CATEGORY) && tt_measure_framed(x))
		stat = tt_arena_printf(a, err, " per frame on the frame thread%s", stat + strlen(" per frame"));
	if (!stat)
		return NULL;
	switch (m->select) {
	case TT_SELECT_LIMIT:
		*tt_put_amount(limit, tt_scale(x->limit_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
		return tt_arena_printf(a, err, "%s %s%s", m->title, limit, stat);
	case TT_SELECT_MARKER:
		return tt_arena_printf(a, err, "%s in %s%s", m->title, shown(x->select, a, err), stat);
	case TT_SELECT_CATEGORY:
		return tt_arena_printf(a, err, "%s in category %s%s", m->title, x->select, stat);
	case TT_SELECT_THREAD:
		return tt_arena_printf(a, err, "%s of thread %s%s", m->title, x->select, stat);
	case TT_SELECT_COUNTER:
		return tt_arena_printf(a, err, "counter %s%s", x->select, stat);
	case TT_SELECT_GROUP:
		return tt_arena_printf(a, err, "test group %s%s", x->select, x->stat == TT_STAT_COUNT ? ", number of samples" : stat);
	case TT_SELECT_ROW:
		return x->select ? tt_arena_printf(a, err, "%s of %s", m->title, x->select) : m->title;
	default:
		break;
	}
	if (x->stat == TT_STAT_PER_1000)
		return tt_arena_printf(a, err, "%s%s", m->title, m->family == TT_FAM_COLLECTIONS ? " in 1000 frames" : "");
	if (m->family == TT_FAM_LENGTH || m->family == TT_FAM_FRAMES || m->family == TT_FAM_UNENDED)
		stat = "";
	return tt_arena_printf(a, err, "%s%s", m->title, stat);
}
