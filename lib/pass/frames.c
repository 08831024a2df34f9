/**
 * The pass "frames": how long frames take, how many are over budget, which are the worst and why.
 *
 * Every figure is over the exact durations of all whole frames; nothing here goes through a histogram
 * but the histogram. Definitions: tracetool-metrics(7), Frames.
 */
#include <string.h>

#include "pass/passes.h"
#include "pass/paths.h"
#include "stat/num.h"

enum { F_FRAMES, F_TIMINGS, F_LIMITS, F_BUDGETS, F_HISTOGRAM, F_HITCHES, F_HITCH_MARKERS };

enum { S_TIME, S_COUNT, S_MEAN, S_MEDIAN, S_STDDEV, S_P90, S_P95, S_P99, S_P999, S_MAX, S_FPS, S_LOW1, S_LOW01, S_OVER60,
	S_OVER30, S_OVER20, S_PARTIAL, S_N };

static const struct tt_col summary_col[S_N] = {
	[S_TIME] = { "time", "time", TT_UNIT_TEXT,
	    "wall: from a frame's begin to the next; cpu: the same without the frame thread's waits and its time outside recorded calls." },
	[S_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Whole frames." },
	[S_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean frame time." },
	[S_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Median frame time (nearest rank, exact)." },
	[S_STDDEV] = { "stddev_ns", "std dev", TT_UNIT_NS, "Standard deviation of all frame times (of the population)." },
	[S_P90] = { "p90_ns", "p90", TT_UNIT_NS, "90th percentile of the frame times (nearest rank, exact)." },
	[S_P95] = { "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the frame times (nearest rank, exact)." },
	[S_P99] = { "p99_ns", "p99", TT_UNIT_NS, "99th percentile of the frame times (nearest rank, exact)." },
	[S_P999] = { "p999_ns", "p99.9", TT_UNIT_NS, "99.9th percentile of the frame times (nearest rank, exact)." },
	[S_MAX] = { "max_ns", "max", TT_UNIT_NS, "Longest frame." },
	[S_FPS] = { "fps", "mean FPS", TT_UNIT_MILLI, "Frames divided by the sum of their times." },
	[S_LOW1] = { "low_1_fps", "1 % low FPS", TT_UNIT_MILLI, "Mean FPS of the worst 1 % of the frames (their number rounded up)." },
	[S_LOW01] = { "low_01_fps", "0.1 % low FPS", TT_UNIT_MILLI, "Mean FPS of the worst 0.1 % of the frames (their number rounded up)." },
	[S_OVER60] = { "over_16_67", "over 16.67 ms", TT_UNIT_COUNT, "Frames longer than 1/60 s exactly." },
	[S_OVER30] = { "over_33_33", "over 33.33 ms", TT_UNIT_COUNT, "Frames longer than 1/30 s exactly." },
	[S_OVER20] = { "over_50", "over 50 ms", TT_UNIT_COUNT, "Frames longer than 50 ms." },
	[S_PARTIAL] = { "partial", "partial, left out", TT_UNIT_COUNT,
	    "Frames that are not whole: cut by the beginning or the end of the capture, or by a gap in it." },
};

enum { T_PART, T_COUNT, T_MISSING, T_MEAN, T_MEDIAN, T_P95, T_P99, T_MAX, T_N };

static const struct tt_col timing_col[T_N] = {
	[T_PART] = { "part", "part", TT_UNIT_TEXT, "What was measured: frame (whole), main (thread), render (thread), present (waiting to present), gpu." },
	[T_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Whole frames with a value." },
	[T_MISSING] = { "missing", "without", TT_UNIT_COUNT, "Whole frames without one: not supported, or the last ones, whose values came too late." },
	[T_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean over the frames with a value." },
	[T_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Their median (nearest rank, exact)." },
	[T_P95] = { "p95_ns", "p95", TT_UNIT_NS, "Their 95th percentile (nearest rank, exact)." },
	[T_P99] = { "p99_ns", "p99", TT_UNIT_NS, "Their 99th percentile (nearest rank, exact)." },
	[T_MAX] = { "max_ns", "max", TT_UNIT_NS, "The largest." },
};

enum { L_LIMIT, L_COUNT, L_SHARE, L_MEAN, L_N };

static const struct tt_col limit_col[L_N] = {
	[L_LIMIT] = { "limit", "limited by", TT_UNIT_TEXT, "main thread, render thread, CPU (both), GPU, present, balanced or unknown: Frame timings, above." },
	[L_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Whole frames limited so." },
	[L_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Their share of the frames whose limit is known." },
	[L_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Their mean wall time." },
};

enum { B_TIME, B_BUDGET, B_LIMIT, B_OVER, B_SHARE, B_N };

static const struct tt_col budget_col[B_N] = {
	[B_TIME] = { "time", "time", TT_UNIT_TEXT, "wall or cpu, as in the table frames." },
	[B_BUDGET] = { "budget", "budget", TT_UNIT_TEXT, "Budget in ms, as given." },
	[B_LIMIT] = { "budget_ns", "budget", TT_UNIT_NS, "The longest time within it, in whole ns." },
	[B_OVER] = { "over", "frames over", TT_UNIT_COUNT, "Frames longer than the budget." },
	[B_SHARE] = { "over_share", "over", TT_UNIT_PERCENT, "Their share of all whole frames." },
};

enum { H_FROM, H_TO, H_COUNT, H_SHARE, H_BELOW, H_N };

static const struct tt_col histogram_col[H_N] = {
	[H_FROM] = { "from_ns", "from", TT_UNIT_NS, "Frames longer than this (the first row: from 0)." },
	[H_TO] = { "to_ns", "to", TT_UNIT_NS, "Frames up to and with this; empty: no limit." },
	[H_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Frames between." },
	[H_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Their share of all whole frames." },
	[H_BELOW] = { "cumulative", "all up to", TT_UNIT_PERCENT, "Share of frames in this row and those above it." },
};

enum { W_FRAME, W_START, W_DUR, W_CPU, W_MAIN, W_RENDER, W_GPU, W_PRESENT, W_LIMIT, W_TOP, W_BYTES, W_ALLOCS, W_GC, W_THREAD, W_N };

static const struct tt_col hitch_col[W_N] = {
	[W_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1, as --frames counts." },
	[W_START] = { "start_ns", "start", TT_UNIT_NS, "When it begins." },
	[W_DUR] = { "dur_ns", "duration", TT_UNIT_NS, "Wall time." },
	[W_CPU] = { "cpu_ns", "CPU", TT_UNIT_NS, "CPU-active time; empty where it cannot be known." },
	[W_MAIN] = { "main_ns", "main", TT_UNIT_NS, "Work of the main thread, as the engine measured it." },
	[W_RENDER] = { "render_ns", "render", TT_UNIT_NS, "Work of the render thread, as the engine measured it." },
	[W_GPU] = { "gpu_ns", "GPU", TT_UNIT_NS, "GPU time, as the engine measured it." },
	[W_PRESENT] = { "present_wait_ns", "present wait", TT_UNIT_NS, "Time the main thread waited to present, as the engine measured it." },
	[W_LIMIT] = { "limit", "limited by", TT_UNIT_TEXT, "main thread, render thread, CPU (both), GPU, present, balanced or unknown." },
	[W_TOP] = { "top", "top markers by self time", TT_UNIT_PROSE,
	    "The three with most self time in it on the frame thread; (outside recorded calls): time in which none was open." },
	[W_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated on all threads in it; empty where that was not recorded." },
	[W_ALLOCS] = { "allocs", "allocs", TT_UNIT_COUNT, "Allocations on all threads in it; empty where they were not recorded." },
	[W_GC] = { "gc_pause_ns", "GC pause", TT_UNIT_NS,
	    "Time in it during which a collection was stopping or had stopped the world; empty where pauses are not recorded." },
	[W_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "The frame thread." },
};

enum { K_FRAME, K_RANK, K_MARKER, K_SELF, K_SHARE, K_CALLS, K_N };

static const struct tt_col hitch_marker_col[K_N] = {
	[K_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1." },
	[K_RANK] = { "rank", "rank", TT_UNIT_COUNT, "Place by self time in this frame, from 1." },
	[K_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Name of the marker; (outside recorded calls): time in which none was open." },
	[K_SELF] = { "self_ns", "self", TT_UNIT_NS, "Its self time in this frame on the frame thread." },
	[K_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Its share of the frame's wall time." },
	[K_CALLS] = { "count", "count", TT_UNIT_COUNT, "Its activations that begin in this frame." },
};

static const struct tt_pass_table tables[] = {
	[F_FRAMES] = { "frames", "Frames", summary_col, S_N, false, TT_ON_TIME, 0, 0 },
	[F_TIMINGS] = { "frame_timings", "Frame timings", timing_col, T_N, false, TT_ON_TIME, 0, 0 },
	[F_LIMITS] = { "frame_limits", "What frames are limited by", limit_col, L_N, false, TT_ON_TIME, 0, 0 },
	[F_BUDGETS] = { "frame_budgets", "Frames over budget", budget_col, B_N, false, TT_ON_TIME, 0, 0 },
	[F_HISTOGRAM] = { "frame_histogram", "Frame time histogram", histogram_col, H_N, false, TT_ON_TIME, 0, 0 },
	[F_HITCHES] = { "hitches", "Worst frames", hitch_col, W_N, false, TT_ON_TIME, 0, 0 },
	[F_HITCH_MARKERS] = { "hitch_markers", "Markers of the worst frames", hitch_marker_col, K_N, true,
	    TT_ON_TIME | TT_ON_NAMES, 0, 0 },
};

#define NO_FRAMES "no frame marks in this capture: name the marker that begins a frame with --frame-marker NAME; tracetool info lists likely ones"
#define NO_BEGINS "the marker of --frame-marker is in this capture and never begins: no frames"
#define NO_THREAD "no frame begins on a thread that --frame-thread names"
#define NO_TIMINGS "no frame timings: the engine's own measurements are not in this capture"
#define NO_CPU "no CPU-active time: no wait marker or lock contention was recorded, so waits cannot be told from work"

/* Frame times of one kind, sorted. */
struct times {
	const char *name;
	int64_t *ns;
	size_t n;
	uint64_t sum;
};

struct fold {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	const struct tt_frames *f;
	struct times wall, cpu;
	struct tt_paths paths;
};

/* --- the times ------------------------------------------------------------------ */

static int
collect(struct fold *fo, struct times *t, const char *name, bool cpu, struct tt_err *err)
{
	const struct tt_frames *f = fo->f;

	*t = (struct times){ .name = name, .n = f->n };
	t->ns = tt_mem_alloc(&fo->m->env->mem, f->n * sizeof *t->ns, err);
	if (!t->ns)
		return err->code;
	for (size_t i = 0; i < f->n; i++) {
		t->ns[i] = cpu ? tt_frames_cpu(f, i) : f->dur[i];
		t->sum += (uint64_t)t->ns[i];
	}
	tt_sort_i64(t->ns, t->n);
	return TT_OK;
}

static size_t
count_over(const struct times *t, int64_t limit)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->ns[mid] > limit)
			hi = mid;
		else
			lo = mid + 1;
	}
	return t->n - lo;
}

/* Mean FPS, in thousandths, of the worst ceil(n / part) frames. */
static int64_t
worst_fps(const struct times *t, size_t part)
{
	size_t n = t->n / part + (t->n % part != 0);
	uint64_t sum = 0;

	for (size_t i = t->n - n; i < t->n; i++)
		sum += (uint64_t)t->ns[i];
	return tt_ratio(n, UINT64_C(1000000000000), sum);
}

/* --- tables ----------------------------------------------------------------------- */

/* In whole ns: a time is an integer, so "longer than 1e9/60 ns" is "longer than its whole part". */
int64_t
tt_frame_limit(int64_t ns)
{
	static const int rate[] = { 15, 24, 30, 45, 60, 72, 90, 120, 144, 240 };

	for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
		if (ns == tt_ratio(100000, 1, (uint64_t)rate[i]) * 10000)
			return 1000000000 / rate[i];
	return ns;
}

static const struct { const char *name; int64_t ns; } standard_budget[] = {
	{ "16.67", 16670000 }, { "33.33", 33330000 }, { "50", 50000000 },
};
#define NBUDGET (sizeof standard_budget / sizeof *standard_budget)

static int
put_summary(struct fold *fo, struct tt_table *t, const struct times *x, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(fo->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[S_TIME], x->name);
	tt_cell_int(&c[S_COUNT], (int64_t)x->n);
	tt_cell_int(&c[S_MEAN], tt_ratio(x->sum, 1, x->n));
	tt_cell_int(&c[S_MEDIAN], tt_quantile_i64(x->ns, x->n, 1, 2));
	tt_cell_int(&c[S_STDDEV], tt_stddev_i64(x->ns, x->n));
	tt_cell_int(&c[S_P90], tt_quantile_i64(x->ns, x->n, 90, 100));
	tt_cell_int(&c[S_P95], tt_quantile_i64(x->ns, x->n, 95, 100));
	tt_cell_int(&c[S_P99], tt_quantile_i64(x->ns, x->n, 99, 100));
	tt_cell_int(&c[S_P999], tt_quantile_i64(x->ns, x->n, 999, 1000));
	tt_cell_int(&c[S_MAX], x->ns[x->n - 1]);
	if (x->sum) {
		tt_cell_int(&c[S_FPS], tt_ratio(x->n, UINT64_C(1000000000000), x->sum));
		tt_cell_int(&c[S_LOW1], worst_fps(x, 100));
		tt_cell_int(&c[S_LOW01], worst_fps(x, 1000));
	}
	tt_cell_int(&c[S_OVER60], (int64_t)count_over(x, tt_frame_limit(standard_budget[0].ns)));
	tt_cell_int(&c[S_OVER30], (int64_t)count_over(x, tt_frame_limit(standard_budget[1].ns)));
	tt_cell_int(&c[S_OVER20], (int64_t)count_over(x, tt_frame_limit(standard_budget[2].ns)));
	tt_cell_int(&c[S_PARTIAL], (int64_t)fo->f->partial);
	return TT_OK;
}

/* CPU-active time where it cannot be known: a row that says so by being empty. */
static int
put_no_cpu(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(fo->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[S_TIME], "cpu");
	return TT_OK;
}

enum { NAMED = 3 };                   /* markers that the note names */

/* Where frames begin: "X" as it is shown, or how many markers and which. */
static const char *
begins(const struct fold *fo, struct tt_err *err)
{
	const struct tt_frames *f = fo->f;
	const char *text;

	if (f->nname == 0)
		return "the capture's frame marks";
	if (f->nname == 1)
		return tt_report_text(fo->r, err, "\"%s\"", tt_model_key(fo->m, f->name[0].process, f->name[0].key)->shown);
	text = tt_report_text(fo->r, err, "%zu markers that fit \"%s\" (", f->nname, fo->m->frame_marker);
	for (size_t i = 0; i < f->nname && i < NAMED && text; i++)
		text = tt_report_text(fo->r, err, "%s%s%s", text, i ? ", " : "", f->name[i].full);
	if (!text)
		return NULL;
	return f->nname > NAMED ? tt_report_text(fo->r, err, "%s and %zu more)", text, f->nname - NAMED) :
	    tt_report_text(fo->r, err, "%s)", text);
}

/* What a frame is in this capture, and why there is no CPU-active time if there is none. */
static int
summary_note(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	const struct tt_frames *f = fo->f;
	const char *at = begins(fo, err);

	t->note = at ? tt_report_text(fo->r, err, "frames begin at %s on thread \"%s\"%s%s", at,
	    fo->m->threads.t[f->thread[0]]->name, f->has_wait ? "" : "; ", f->has_wait ? "" : NO_CPU) : NULL;
	return t->note ? TT_OK : err->code;
}

static int
summary(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	int rc;

	t->facts = true;
	if (!fo->f || fo->f->n == 0)
		return TT_OK;
	rc = summary_note(fo, t, err);
	if (rc == TT_OK)
		rc = put_summary(fo, t, &fo->wall, err);
	if (rc != TT_OK)
		return rc;
	return fo->f->has_wait ? put_summary(fo, t, &fo->cpu, err) : put_no_cpu(fo, t, err);
}

static int
put_budget(struct fold *fo, struct tt_table *t, const struct times *x, const char *name, int64_t limit,
    struct tt_err *err)
{
	size_t over = count_over(x, limit);
	struct tt_cell *c;
	int rc = tt_table_row(fo->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[B_TIME], x->name);
	tt_cell_text(&c[B_BUDGET], name);
	tt_cell_int(&c[B_LIMIT], limit);
	tt_cell_int(&c[B_OVER], (int64_t)over);
	tt_cell_share(&c[B_SHARE], (int64_t)over, (int64_t)x->n);
	return TT_OK;
}

static int
budgets_of(struct fold *fo, struct tt_table *t, const struct times *x, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < NBUDGET && rc == TT_OK; i++)
		rc = put_budget(fo, t, x, standard_budget[i].name, tt_frame_limit(standard_budget[i].ns), err);
	for (unsigned i = 0; i < fo->o->nbudget && rc == TT_OK; i++)
		rc = put_budget(fo, t, x, fo->o->budget[i], fo->o->budget_ns[i], err);
	return rc;
}

static int
budgets(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	int rc;

	t->whole = true;
	if (!fo->f || fo->f->n == 0)
		return TT_OK;
	rc = budgets_of(fo, t, &fo->wall, err);
	return rc == TT_OK && fo->f->has_wait ? budgets_of(fo, t, &fo->cpu, err) : rc;
}

/* --- the engine's own measurements --------------------------------------------------- */

static int
put_part(struct fold *fo, struct tt_table *t, const char *part, unsigned what, struct tt_err *err)
{
	const struct tt_frames *f = fo->f;
	struct tt_mem *mem = &fo->m->env->mem;
	int64_t *ns = tt_mem_alloc(mem, f->n * sizeof *ns, err);
	struct tt_cell *c;
	uint64_t sum = 0;
	size_t n = 0;
	int rc = TT_OK;

	if (!ns)
		return err->code;
	for (size_t i = 0; i < f->n; i++)
		if (f->timing[what][i]) {
			sum += (uint64_t)f->timing[what][i];
			ns[n++] = f->timing[what][i];
		}
	tt_sort_i64(ns, n);
	rc = tt_table_row(fo->r, t, &c, err);
	if (rc == TT_OK) {
		tt_cell_text(&c[T_PART], part);
		tt_cell_int(&c[T_COUNT], (int64_t)n);
		tt_cell_int(&c[T_MISSING], (int64_t)(f->n - n));
	}
	if (rc == TT_OK && n) {
		tt_cell_int(&c[T_MEAN], tt_ratio(sum, 1, n));
		tt_cell_int(&c[T_MEDIAN], tt_quantile_i64(ns, n, 1, 2));
		tt_cell_int(&c[T_P95], tt_quantile_i64(ns, n, 95, 100));
		tt_cell_int(&c[T_P99], tt_quantile_i64(ns, n, 99, 100));
		tt_cell_int(&c[T_MAX], ns[n - 1]);
	}
	tt_mem_free(mem, ns, f->n * sizeof *ns);
	return rc;
}

static int
timings(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	static const struct { const char *name; unsigned what; } part[TT_TIMINGS] = {
		{ "frame", TT_TIMING_TOTAL }, { "main", TT_TIMING_MAIN }, { "render", TT_TIMING_RENDER },
		{ "present", TT_TIMING_PRESENT }, { "gpu", TT_TIMING_GPU },
	};
	int rc = TT_OK;

	t->whole = true;
	for (size_t i = 0; i < TT_TIMINGS && fo->f && fo->f->has_timing && rc == TT_OK; i++)
		rc = put_part(fo, t, part[i].name, part[i].what, err);
	return rc;
}

enum limit { BY_MAIN, BY_RENDER, BY_BOTH, BY_GPU, BY_PRESENT, BY_NOTHING, BY_UNKNOWN, LIMITS };
static const char *const limit_name[LIMITS] = { "main thread", "render thread", "CPU", "GPU", "present", "balanced", "unknown" };

/*
 * What limits frame ${i}: whichever takes more than four fifths of it, the processor's threads or the GPU. Without the time of
 * the main thread or the GPU it is not known. Counters do not tell how long the main thread waits to present; where nothing
 * else limits the frame, that is what the rest of it goes to.
 */
static enum limit
limit_of(const struct tt_frames *f, size_t i)
{
	int64_t whole = f->timing[TT_TIMING_TOTAL][i] ? f->timing[TT_TIMING_TOTAL][i] : f->dur[i], most = whole - whole / 5;
	int64_t main = f->timing[TT_TIMING_MAIN][i], render = f->timing[TT_TIMING_RENDER][i], gpu = f->timing[TT_TIMING_GPU][i];
	int64_t wait = f->recorded[i] ? f->timing[TT_TIMING_PRESENT][i] : whole - main;

	if (main == 0 || gpu == 0)
		return BY_UNKNOWN;
	if (gpu > most)
		return main > most || render > most ? BY_NOTHING : BY_GPU;
	if (main > most || render > most)
		return main > most && render > most ? BY_BOTH : main > most ? BY_MAIN : BY_RENDER;
	return wait > 500000 ? BY_PRESENT : BY_NOTHING;
}

static int
limits(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	const struct tt_frames *f = fo->f;
	uint64_t n[LIMITS] = { 0 }, sum[LIMITS] = { 0 }, known = 0;
	int rc = TT_OK;

	t->whole = true;
	for (size_t i = 0; f && f->has_timing && i < f->n; i++) {
		enum limit by = limit_of(f, i);
		n[by]++;
		sum[by] += (uint64_t)f->dur[i];
		known += by != BY_UNKNOWN;
	}
	for (unsigned i = 0; i < LIMITS && rc == TT_OK; i++) {
		struct tt_cell *c;
		if (n[i] == 0 || (rc = tt_table_row(fo->r, t, &c, err)) != TT_OK)
			continue;
		tt_cell_text(&c[L_LIMIT], limit_name[i]);
		tt_cell_int(&c[L_COUNT], (int64_t)n[i]);
		if (i != BY_UNKNOWN)
			tt_cell_share(&c[L_SHARE], (int64_t)n[i], (int64_t)known);
		tt_cell_int(&c[L_MEAN], tt_ratio(sum[i], 1, n[i]));
	}
	return rc;
}

/* Upper edges in ns, those people know frame rates by among them: 120, 90, 60, 45, 30, 24, 20, 15 FPS. */
static const int64_t edge[] = { 100000, 250000, 500000, 1000000, 2000000, 3000000, 4000000, 5000000, 6000000, 7000000,
	8333333, 10000000, 11111111, 13333333, 16666666, 18000000, 20000000, 22222222, 25000000, 33333333, 41666666,
	50000000, 66666666, 100000000, 150000000, 250000000, 500000000, 1000000000, 2000000000, 5000000000 };
#define NEDGE (sizeof edge / sizeof *edge)

static int
put_bucket(struct fold *fo, struct tt_table *t, size_t i, size_t n, size_t below, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(fo->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_int(&c[H_FROM], i ? edge[i - 1] : 0);
	if (i < NEDGE)
		tt_cell_int(&c[H_TO], edge[i]);
	tt_cell_int(&c[H_COUNT], (int64_t)n);
	tt_cell_share(&c[H_SHARE], (int64_t)n, (int64_t)fo->wall.n);
	tt_cell_share(&c[H_BELOW], (int64_t)below, (int64_t)fo->wall.n);
	return TT_OK;
}

/* From the first row that holds a frame to the last. */
static int
histogram(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	size_t below = 0;
	int rc = TT_OK;

	t->whole = true;
	if (!fo->f)
		return TT_OK;
	for (size_t i = 0; i <= NEDGE && below < fo->wall.n && rc == TT_OK; i++) {
		size_t upto = i < NEDGE ? fo->wall.n - count_over(&fo->wall, edge[i]) : fo->wall.n;

		if (upto > 0)
			rc = put_bucket(fo, t, i, upto - below, upto, err);
		below = upto;
	}
	return rc;
}

/* --- the worst frames ------------------------------------------------------------- */

/* Time of [start, end) of ${process} in which a collection was stopping or had stopped the world. */
static int64_t
pause_in(const struct tt_model *m, uint32_t process, int64_t start, int64_t end)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->npause; i++) {
		const struct tt_pause *p = &m->pause[i];
		int64_t from = p->start > start ? p->start : start, to = p->end < end ? p->end : end;

		if (p->process == process && from < to)
			sum += to - from;
	}
	return sum;
}

static size_t
hitches_shown(const struct fold *fo)
{
	if (!fo->f)
		return 0;
	return fo->o->hitches && fo->o->hitches < fo->f->nhitch ? fo->o->hitches : fo->f->nhitch;
}

static const char *
label(const struct fold *fo, const struct tt_hitch *h, unsigned rank)
{
	const struct tt_thread *th = fo->m->threads.t[fo->f->thread[h->frame]];

	return tt_paths_label(&fo->paths, tt_model_key(fo->m, th->process, h->top[rank].key));
}

/* "World:Frame 12.345 ms, ..." of the first three. */
static int
put_top(struct fold *fo, const struct tt_hitch *h, struct tt_cell *c, struct tt_err *err)
{
	const char *text = "";

	for (unsigned i = 0; i < h->ntop && i < 3; i++) {
		char time[32];

		*tt_put_time_short(time, h->top[i].self) = '\0';
		text = tt_report_text(fo->r, err, "%s%s%s %s", text, i ? ", " : "", label(fo, h, i), time);
		if (!text)
			return err->code;
	}
	if (h->ntop)
		tt_cell_text(c, text);
	return TT_OK;
}

static void
put_timings(const struct tt_frames *f, size_t i, struct tt_cell *c)
{
	static const struct { unsigned col, what; } part[] = { { W_MAIN, TT_TIMING_MAIN }, { W_RENDER, TT_TIMING_RENDER },
		{ W_GPU, TT_TIMING_GPU }, { W_PRESENT, TT_TIMING_PRESENT } };

	for (unsigned k = 0; k < sizeof part / sizeof *part; k++)
		if (f->timing[part[k].what][i])
			tt_cell_int(&c[part[k].col], f->timing[part[k].what][i]);
	tt_cell_text(&c[W_LIMIT], limit_name[limit_of(f, i)]);
}

static int
put_hitch(struct fold *fo, struct tt_table *t, const struct tt_hitch *h, struct tt_err *err)
{
	const struct tt_frames *f = fo->f;
	const struct tt_thread *th = fo->m->threads.t[f->thread[h->frame]];
	int64_t start = f->start[h->frame], dur = f->dur[h->frame];
	struct tt_cell *c;
	int rc = tt_table_row(fo->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_int(&c[W_FRAME], (int64_t)f->number[h->frame]);
	tt_cell_int(&c[W_START], start);
	tt_cell_int(&c[W_DUR], dur);
	if (f->has_wait)
		tt_cell_int(&c[W_CPU], tt_frames_cpu(f, h->frame));
	if (f->has_timing)
		put_timings(f, h->frame, c);
	if (tt_model_knows_allocs(fo->m)) {
		tt_cell_int(&c[W_BYTES], (int64_t)f->alloc_b[h->frame]);
		tt_cell_int(&c[W_ALLOCS], (int64_t)f->alloc_n[h->frame]);
	}
	if (tt_model_knows_collections(fo->m) && tt_model_pauses(fo->m))
		tt_cell_int(&c[W_GC], pause_in(fo->m, th->process, start, start + dur));
	tt_cell_text(&c[W_THREAD], th->name);
	return put_top(fo, h, &c[W_TOP], err);
}

static int
hitches(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < hitches_shown(fo) && rc == TT_OK; i++)
		rc = put_hitch(fo, t, &fo->f->hitch[i], err);
	return rc;
}

static int
put_hitch_marker(struct fold *fo, struct tt_table *t, const struct tt_hitch *h, unsigned rank, struct tt_err *err)
{
	const char *name = tt_report_text(fo->r, err, "%s", label(fo, h, rank));
	struct tt_cell *c;
	int rc = name ? tt_table_row(fo->r, t, &c, err) : err->code;

	if (rc != TT_OK)
		return rc;
	tt_cell_int(&c[K_FRAME], (int64_t)fo->f->number[h->frame]);
	tt_cell_int(&c[K_RANK], (int64_t)rank + 1);
	tt_cell_text(&c[K_MARKER], name);
	tt_cell_int(&c[K_SELF], h->top[rank].self);
	tt_cell_share(&c[K_SHARE], h->top[rank].self, fo->f->dur[h->frame]);
	tt_cell_int(&c[K_CALLS], (int64_t)h->top[rank].calls);
	return TT_OK;
}

static bool
is_wanted(const struct fold *fo, const struct tt_hitch *h, unsigned rank)
{
	const struct tt_thread *th = fo->m->threads.t[fo->f->thread[h->frame]];

	return tt_model_key(fo->m, th->process, h->top[rank].key)->wanted;
}

static int
hitch_markers(struct fold *fo, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < hitches_shown(fo); i++) {
		for (unsigned k = 0; k < fo->f->hitch[i].ntop && rc == TT_OK; k++)
			rc = is_wanted(fo, &fo->f->hitch[i], k) ? put_hitch_marker(fo, t, &fo->f->hitch[i], k, err) : TT_OK;
	}
	return rc;
}

/* --- the pass ------------------------------------------------------------------------ */

static int
tables_of(struct fold *fo, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[F_FRAMES] = summary, [F_TIMINGS] = timings, [F_LIMITS] = limits, [F_BUDGETS] = budgets, [F_HISTOGRAM] = histogram, [F_HITCHES] = hitches,
		[F_HITCH_MARKERS] = hitch_markers,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		bool none = !fo->f || fo->f->n == 0;
		struct tt_table *t;

		/* Without frames, one table that says so is enough unless the others are asked for. */
		if (none && i != F_FRAMES && !fo->o->table)
			break;
		bool timing = i == F_TIMINGS || i == F_LIMITS;
		if (timing && !(fo->f && fo->f->has_timing) && !fo->o->table)
			continue;
		rc = tt_pass_begin(&tt_pass_frames, i, fo->o, fo->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = fo->f && fo->f->n == 0 && !fo->f->partial ? NO_THREAD :
		    fo->f && fo->f->n == 0 ? "no whole frame in this capture" :
		    fo->f && timing ? NO_TIMINGS : fo->m->frame_marker ? NO_BEGINS : NO_FRAMES;
		rc = make[i](fo, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold fo = { .m = m, .o = o, .r = r, .f = m->frames };
	int rc = TT_OK;

	if (fo.f)
		rc = collect(&fo, &fo.wall, "wall", false, err);
	if (rc == TT_OK && fo.f && fo.f->has_wait)
		rc = collect(&fo, &fo.cpu, "cpu", true, err);
	if (rc == TT_OK && hitches_shown(&fo))
		rc = tt_paths_init(&fo.paths, m, err);
	if (rc == TT_OK)
		rc = tables_of(&fo, err);
	tt_paths_free(&fo.paths);
	tt_mem_free(&m->env->mem, fo.wall.ns, fo.wall.n * sizeof *fo.wall.ns);
	tt_mem_free(&m->env->mem, fo.cpu.ns, fo.cpu.n * sizeof *fo.cpu.ns);
	return rc;
}

const struct tt_pass tt_pass_frames = {
	.name = "frames",
	.summary = "frame times: percentiles, FPS, lows, budgets, histogram, worst frames and why",
	.needs = TT_NEEDS_FRAMES | TT_NEEDS_CALLS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
