/**
 * The pass "frames": how long frames take, how many are over budget, which are the worst and why.
 *
 * Figures come from the exact durations of all whole frames; only the table frame_histogram sorts them into ranges.
 * Definitions: tracetool-metrics(7), Frames.
 */
#include "base/option.h"
#include "base/setting.h"
#include "pass/passes.h"
#include "pass/shown.h"
#include "collect/collections.h"
#include "model/names.h"
#include "stat/num.h"
#include "view/view.h"

enum { S_TIME, S_COUNT, S_MEAN, S_MEDIAN, S_STDDEV, S_P90, S_P95, S_P99, S_P999, S_MAX, S_FPS, S_LOW1, S_LOW01, S_OVER60,
	S_OVER30, S_OVER20, S_LATE, S_ONE, S_TWO, S_THREE, S_MORE, S_PARTIAL, S_N };

static const struct tt_col summary_col[S_N] = {
	[S_TIME] = { "time", "time", TT_UNIT_TEXT,
	    "wall: from the start of a frame to the start of the next; cpu: wall minus the frame thread's waits, its time outside recorded calls, "
	    "and the Editor's; uncapped: of capped frames, wall minus the wait for the frame limit and the Editor's; render: work of the render "
	    "thread, as in the table hitches; editor: what the Unity Editor does on the frame thread, if it does anything." },
	[S_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Number of whole frames." },
	[S_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean frame time." },
	[S_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Median frame time (nearest rank, exact)." },
	[S_STDDEV] = { "stddev_ns", "std dev", TT_UNIT_NS, "Population standard deviation of the frame times." },
	[S_P90] = { "p90_ns", "p90", TT_UNIT_NS, "90th percentile of the frame times (nearest rank, exact)." },
	[S_P95] = { "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the frame times (nearest rank, exact)." },
	[S_P99] = { "p99_ns", "p99", TT_UNIT_NS, "99th percentile of the frame times (nearest rank, exact)." },
	[S_P999] = { "p999_ns", "p99.9", TT_UNIT_NS, "99.9th percentile of the frame times (nearest rank, exact)." },
	[S_MAX] = { "max_ns", "max", TT_UNIT_NS, "Longest frame." },
	[S_FPS] = { "fps", "mean FPS", TT_UNIT_MILLI, "Number of frames divided by the sum of their times." },
	[S_LOW1] = { "low_1_fps", "1 % low FPS", TT_UNIT_MILLI, "Mean FPS of the longest 1 % of the frames (rounded up to whole frames)." },
	[S_LOW01] = { "low_01_fps", "0.1 % low FPS", TT_UNIT_MILLI, "Mean FPS of the longest 0.1 % of the frames (rounded up to whole frames)." },
	[S_OVER60] = { "over_16_67", "over 16.67 ms", TT_UNIT_COUNT,
	    "Frames too long for 60 fps: shown for longer than 1/60 s and a microsecond; where a limit "
	    "shows, whole refreshes count; empty where too few frames tell." },
	[S_OVER30] = { "over_33_33", "over 33.33 ms", TT_UNIT_COUNT,
	    "Frames too long for 30 fps: shown for longer than 1/30 s and a microsecond, counted likewise." },
	[S_OVER20] = { "over_50", "over 50 ms", TT_UNIT_COUNT, "Frames shown for longer than 50 ms, counted likewise." },
	[S_LATE] = { "late", "late", TT_UNIT_COUNT, "Frames that took more refreshes than their frame limit gives them; empty where no limit shows." },
	TT_TOOK_COLS(S_ONE),
	[S_PARTIAL] = { "partial", "partial, left out", TT_UNIT_COUNT,
	    "Frames that are not whole: cut by the beginning or the end of the capture, or by a gap in it." },
};

enum { T_PART, T_COUNT, T_MISSING, T_MEAN, T_MEDIAN, T_P95, T_P99, T_MAX, T_N };

static const struct tt_col timing_col[T_N] = {
	[T_PART] = { "part", "part", TT_UNIT_TEXT,
	    "Timing: frame (whole), main (thread), render (thread), present (waiting to present), gpu; those that no frame has are left out." },
	[T_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Number of whole frames with a value." },
	[T_MISSING] = { "missing", "without", TT_UNIT_COUNT,
	    "Number of whole frames without a value: not supported, or the last frames, whose values came too late." },
	[T_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean over the frames with a value." },
	[T_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Median of the values (nearest rank, exact)." },
	[T_P95] = { "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the values (nearest rank, exact)." },
	[T_P99] = { "p99_ns", "p99", TT_UNIT_NS, "99th percentile of the values (nearest rank, exact)." },
	[T_MAX] = { "max_ns", "max", TT_UNIT_NS, "Largest value." },
};

enum { L_LIMIT, L_COUNT, L_SHARE, L_MEAN, L_N };

static const struct tt_col limit_col[L_N] = {
	[L_LIMIT] = { "limit", "limited by", TT_UNIT_TEXT,
	    "main thread, render thread, CPU (both), GPU, present, balanced or unknown; see tracetool-metrics(7)." },
	[L_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Number of whole frames with this limit." },
	[L_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Share of the frames whose limit is known." },
	[L_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean wall time of these frames." },
};

enum { B_TIME, B_BUDGET, B_LIMIT, B_OVER, B_SHARE, B_N };

static const struct tt_col budget_col[B_N] = {
	[B_TIME] = { "time", "time", TT_UNIT_TEXT, "wall, cpu, uncapped, render or editor, as in the table frames." },
	[B_BUDGET] = { "budget", "budget", TT_UNIT_TEXT, "Budget in ms, as given." },
	[B_LIMIT] = { "budget_ns", "budget", TT_UNIT_NS, "Longest time within the budget, in whole ns." },
	[B_OVER] = { "over", "frames over", TT_UNIT_COUNT,
	    "Number of frames over the budget: of wall time by how long they were shown, whole refreshes where a limit shows; "
	    "empty where too few frames tell." },
	[B_SHARE] = { "over_share", "over", TT_UNIT_PERCENT, "Share of all whole frames." },
};

enum { P_PHASE, P_MEAN, P_SHARE, P_CALLS, P_N };

static const struct tt_col phase_col[P_N] = {
	[P_PHASE] = { "phase", "phase", TT_UNIT_TEXT, "Phase of Unity's PlayerLoop, in the order in which they run." },
	[P_MEAN] = { "mean_ns", "per frame", TT_UNIT_NS, "Mean time per whole frame in the markers named after the phase, on the frame thread." },
	[P_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Share of the time of all whole frames." },
	[P_CALLS] = { "count", "count", TT_UNIT_COUNT, "Number of their zones that begin in whole frames." },
};

enum { H_FROM, H_TO, H_COUNT, H_SHARE, H_BELOW, H_N };

static const struct tt_col histogram_col[H_N] = {
	[H_FROM] = { "from_ns", "from", TT_UNIT_NS,
	    "Lower bound: frames shown for longer than this; the first row begins at 0. Where a limit shows, whole refreshes count." },
	[H_TO] = { "to_ns", "to", TT_UNIT_NS, "Upper bound: frames up to and including this; empty means no bound." },
	[H_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Number of frames between the bounds." },
	[H_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Share of all whole frames." },
	[H_BELOW] = { "cumulative", "all up to", TT_UNIT_PERCENT, "Share of the frames in this row and the rows above it." },
};

enum { W_FRAME, W_GIVEN, W_START, W_DUR, W_BY, W_CPU, W_MAIN, W_RENDER, W_GPU, W_PRESENT, W_LIMIT, W_TOP, W_BYTES, W_ALLOCS, W_GC, W_THREAD,
	W_PROCESS, W_N };

static const struct tt_col hitch_col[W_N] = {
	[W_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1, as filters by frame use it." },
	[W_GIVEN] = { "engine_frame", "engine's no.", TT_UNIT_COUNT,
	    "Number that the engine gave the frame; empty if it is not in the capture." },
	[W_START] = { "start_ns", "start", TT_UNIT_NS, "Start of the frame." },
	[W_DUR] = { "dur_ns", "duration", TT_UNIT_NS, "Wall time." },
	[W_BY] = { "worst_by_ns", "worst by", TT_UNIT_NS,
	    "Of capped frames, the time that they are sorted by: the uncapped time, or the work of the render thread if that is more; empty of others, which "
	    "are sorted by their wall time." },
	[W_CPU] = { "cpu_ns", "CPU", TT_UNIT_NS, "CPU-active time; empty if it is not known." },
	[W_MAIN] = { "main_ns", "main", TT_UNIT_NS, "Work of the main thread, as the engine measured it." },
	[W_RENDER] = { "render_ns", "render", TT_UNIT_NS,
	    "Work of the render thread, as the engine measured it; if it measured none, the time in its zones without waits." },
	[W_GPU] = { "gpu_ns", "GPU", TT_UNIT_NS, "GPU time, as the engine measured it." },
	[W_PRESENT] = { "present_wait_ns", "present wait", TT_UNIT_NS, "Time the main thread waited to present, as the engine measured it." },
	[W_LIMIT] = { "limit", "limited by", TT_UNIT_TEXT, "main thread, render thread, CPU (both), GPU, present, balanced or unknown." },
	[W_TOP] = { "top", "top markers by self time", TT_UNIT_PROSE,
	    "The three markers with the most self time in the frame on the frame thread, of capped frames without waits for the limit, but for what is late "
	    "of them; (outside recorded calls) is time with no marker open. (render thread) comes first where its work is what makes the frame one of the "
	    "worst." },
	[W_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated in the frame on all threads; empty if allocations were not recorded." },
	[W_ALLOCS] = { "allocs", "allocs", TT_UNIT_COUNT, "Number of allocations in the frame on all threads; empty if allocations were not recorded." },
	[W_GC] = { "gc_pause_ns", "GC pause", TT_UNIT_NS,
	    "Time in the frame during which a collection was stopping or had stopped the world; empty if pauses were not recorded." },
	[W_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Frame thread." },
	[W_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1; empty if there is one." },
};

enum { K_FRAME, K_RANK, K_MARKER, K_SELF, K_SHARE, K_CALLS, K_PROCESS, K_N };

static const struct tt_col hitch_marker_col[K_N] = {
	[K_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1." },
	[K_RANK] = { "rank", "rank", TT_UNIT_COUNT, "Rank by self time in this frame, from 1." },
	[K_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Name of the marker; (outside recorded calls) is time with no marker open." },
	[K_SELF] = { "self_ns", "self", TT_UNIT_NS,
	    "Self time of the marker in this frame on the frame thread; of capped frames without waits for the limit, but for what is late of them." },
	[K_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Share of the frame's wall time." },
	[K_CALLS] = { "count", "count", TT_UNIT_COUNT, "Activations of the marker that begin in this frame." },
	[K_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1; empty if there is one." },
};

#define NO_FRAMES "no frame marks: give %s NAME (\"tracetool info\" lists likely ones)"
#define NO_BEGINS "the marker of %s never begins in this capture: no frames"
#define NO_SECOND "no whole frame: the marker must begin at least twice (\"tracetool info\" lists likely ones)"
#define NO_THREAD "no frame begins on a thread that %s names"
#define NO_TIMINGS "no frame timings: the engine's own measurements are not in this capture"
#define NO_CPU "no CPU-active time: no wait marker or lock contention was recorded on the frame thread, so waits cannot be told from work"

static const struct { const char *name; int64_t ns; } standard_budget[] = {
	{ "16.67", 16670000 }, { "33.33", 33330000 }, { "50", 50000000 },
};
#define NBUDGET (sizeof standard_budget / sizeof *standard_budget)

/*
 * The rows that tables of frame times have: wall and CPU time; uncapped time if frames are capped; the render thread's time if known; the Editor's if it ran
 * and is not left out. ${counted}: the time that is compared with budgets.
 */
static const struct kind { const char *name; unsigned what, counted; } kinds[] = {
	{ "wall", TT_FRAME_WALL, TT_FRAME_SHOWN }, { "cpu", TT_FRAME_CPU, TT_FRAME_CPU }, { "uncapped", TT_FRAME_UNCAPPED, TT_FRAME_UNCAPPED },
	{ "render", TT_FRAME_TIMING + TT_TIMING_RENDER, TT_FRAME_TIMING + TT_TIMING_RENDER }, { "editor", TT_FRAME_EDITOR, TT_FRAME_EDITOR },
};

static bool
is_shown(const struct kind *kind, const struct tt_frames *f, int64_t period)
{
	switch (kind->what) {
	case TT_FRAME_UNCAPPED:
		return period > 0;
	case TT_FRAME_TIMING + TT_TIMING_RENDER:
		return f->has_render;
	case TT_FRAME_EDITOR:
		return f->has_editor && !f->player_only;
	default:
		return true;
	}
}

/* --- frame times --------------------------------------------------------------------- */

static void
put_summary(struct tt_table *t, const struct kind *kind, const struct tt_values *x, const struct tt_values *counted, const struct tt_frames *f, int rule)
{
	static const struct { unsigned col, num, den; } rank[] = {
		{ S_MEDIAN, 1, 2 }, { S_P90, 90, 100 }, { S_P95, 95, 100 }, { S_P99, 99, 100 }, { S_P999, 999, 1000 }, { S_MAX, 1, 1 },
	};
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[S_TIME], kind->name);
	/* Unknown CPU-active time: the row says so by being empty. */
	if (x->n == 0)
		return;
	tt_cell_u64(&c[S_COUNT], x->n);
	tt_cell_int(&c[S_MEAN], tt_values_mean(x, 1));
	tt_cell_int(&c[S_STDDEV], tt_values_stddev(x));
	for (size_t i = 0; i < TT_NCOL(rank); i++)
		tt_cell_int(&c[rank[i].col], tt_values_percentile(x, rank[i].num, rank[i].den, rule));
	if (x->sum) {
		tt_cell_int(&c[S_FPS], tt_values_fps(x, 1));
		tt_cell_int(&c[S_LOW1], tt_values_fps(x, 100));
		tt_cell_int(&c[S_LOW01], tt_values_fps(x, 1000));
	}
	for (size_t i = 0; i < NBUDGET; i++)
		if (kind->what != TT_FRAME_WALL || tt_frames_count_undecidable(f, tt_frame_limit(standard_budget[i].ns)) == 0)
			tt_cell_u64(&c[S_OVER60 + i], tt_values_over(counted, tt_frame_limit(standard_budget[i].ns)));
	if (kind->what == TT_FRAME_WALL && tt_frames_have_limit(f)) {
		const struct tt_shown_tally is = tt_shown_tally(f, 0, f->n);

		tt_cell_u64(&c[S_LATE], is.late);
		for (unsigned i = 0; i < TT_TOOK; i++)
			tt_cell_u64(&c[S_ONE + i], is.took[i]);
	}
	tt_cell_u64(&c[S_PARTIAL], f->npartial);
}

enum { NAMED = 3 };                   /* number of markers that the note names */

/* Say what begins a frame: the marker's name, or the number of markers and their first names. */
static const char *
begins(const struct tt_model *m, struct tt_report *r)
{
	const struct tt_frames *f = m->frames;
	const char *text;

	if (f->nname == 0)
		return "the capture's frame marks";
	if (f->nname == 1)
		return tt_text(r, "\"%s\"", tt_model_key(m, f->name[0].process, f->name[0].key)->shown);
	text = tt_text(r, "%zu markers that fit \"%s\" (", f->nname, m->frame_marker);
	for (size_t i = 0; i < f->nname && i < NAMED; i++)
		text = tt_text(r, "%s%s%s", text, i ? ", " : "", f->name[i].full);
	return f->nname > NAMED ? tt_text(r, "%s and %zu more)", text, f->nname - NAMED) : tt_text(r, "%s)", text);
}

/* Say the Editor's share as "; the Editor: 62 % of frame time (...)"; "" if the Editor does nothing. */
static const char *
editor_text(struct tt_making *k)
{
	const struct tt_frames *f = k->m->frames;

	if (!f->has_editor)
		return "";
	if (f->player_only)
		return "; the Editor's time is left out";
	return tt_text(k->r, "; the Editor: %lld %% of frame time (%s leaves it out)", (long long)tt_frames_editor_percent(f),
	    tt_setting_name[TT_SETTING_PLAYER_ONLY]);
}

/* Return the time that frames are capped at, or 0. */
static int64_t
cap_of(struct tt_making *k)
{
	return tt_frames_cap(k->m->frames);
}

/* The note of capped frames, whose wall times may be longer or shorter than they were shown. */
#define OVER_BY_SHOWN "over a time are the frames shown for longer, in whole refreshes"

/* Make the summary; notes say what a frame is in this capture, and why CPU-active time is missing. */
static void
summary(struct tt_making *k, struct tt_table *t)
{
	const struct tt_frames *f = k->m->frames;
	int64_t period = cap_of(k);
	const char *limits = tt_shown_limits(k->m, k->r);

	t->note = tt_text(k->r, "frames begin at %s on thread \"%s\"%s%s%s%s%s%s%s", begins(k->m, k->r),
	    k->m->threads.t[tt_frames_thread(f, 0)]->name, f->has_wait ? "" : "; ", f->has_wait ? "" : NO_CPU, *limits ? "; " : "", limits,
	    period ? "; " OVER_BY_SHOWN : "", editor_text(k),
	    k->o->percentiles == TT_PERCENTILES_UNITY ? "; percentiles as Unity's Profile Analyzer takes them" : "");
	for (size_t i = 0; i < TT_NCOL(kinds); i++) {
		const struct tt_values *x = tt_view_frames(k->view, kinds[i].what, &k->r->err);
		const struct tt_values *counted = tt_view_frames(k->view, kinds[i].counted, &k->r->err);

		if (x && counted && is_shown(&kinds[i], f, period))
			put_summary(t, &kinds[i], x, counted, f, k->o->percentiles);
	}
}

static void
put_budget(struct tt_table *t, const struct kind *kind, const struct tt_values *x, const struct tt_frames *f, const char *name, int64_t limit)
{
	size_t over = tt_values_over(x, limit);
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[B_TIME], kind->name);
	tt_cell_text(&c[B_BUDGET], name);
	tt_cell_int(&c[B_LIMIT], limit);
	if (kind->what == TT_FRAME_WALL && tt_frames_count_undecidable(f, limit))
		return;
	tt_cell_u64(&c[B_OVER], over);
	tt_put_share(&c[B_SHARE], (int64_t)over, (int64_t)x->n);
}

static void
budgets(struct tt_making *k, struct tt_table *t)
{
	int64_t period = cap_of(k);

	if (period)
		t->note = OVER_BY_SHOWN;
	for (size_t i = 0; i < TT_NCOL(kinds); i++) {
		const struct tt_values *x = tt_view_frames(k->view, kinds[i].counted, &k->r->err);

		if (!x || x->n == 0 || !is_shown(&kinds[i], k->m->frames, period))
			continue;
		for (size_t b = 0; b < NBUDGET; b++)
			put_budget(t, &kinds[i], x, k->m->frames, standard_budget[b].name, tt_frame_limit(standard_budget[b].ns));
		for (unsigned b = 0; b < k->o->nbudget; b++)
			put_budget(t, &kinds[i], x, k->m->frames, k->o->budget[b], k->o->budget_ns[b]);
	}
}

/* Upper edges in ns, among them those of the usual frame rates, as tt_frame_limit() has them: 120, 90, 60, 45, 30, 24, 20, 15 FPS. */
static const int64_t edge[] = { 100000, 250000, 500000, 1000000, 2000000, 3000000, 4000000, 5000000, 6000000, 7000000,
	8334334, 10000000, 11112112, 13333333, 16667667, 18000000, 20000000, 22223223, 25000000, 33334334, 41667667,
	50000000, 66667667, 100000000, 150000000, 250000000, 500000000, 1000000000, 2000000000, 5000000000 };
#define NEDGE (sizeof edge / sizeof *edge)

/* Put the ranges from the first to the last one that has a frame. */
static void
histogram(struct tt_making *k, struct tt_table *t)
{
	const struct tt_values *x = tt_view_frames(k->view, TT_FRAME_SHOWN, &k->r->err);
	size_t below = 0;

	for (size_t i = 0; x && i <= NEDGE && below < x->n; i++) {
		size_t upto = i < NEDGE ? x->n - tt_values_over(x, edge[i]) : x->n;
		struct tt_cell *c;

		if (upto == 0)
			continue;
		c = tt_row(t);
		tt_cell_int(&c[H_FROM], i ? edge[i - 1] : 0);
		if (i < NEDGE)
			tt_cell_int(&c[H_TO], edge[i]);
		tt_cell_u64(&c[H_COUNT], upto - below);
		tt_put_share(&c[H_SHARE], (int64_t)(upto - below), (int64_t)x->n);
		tt_put_share(&c[H_BELOW], (int64_t)upto, (int64_t)x->n);
		below = upto;
	}
}

/* --- phases of the engine's loop ------------------------------------------------------ */

static void
phases(struct tt_making *k, struct tt_table *t)
{
	const struct tt_model *m = k->m;
	const struct tt_frames *f = m->frames;
	const struct tt_values *all = tt_view_frames(k->view, TT_FRAME_WALL, &k->r->err);

	for (size_t p = 0; all && tt_frame_phases[p]; p++) {
		struct tt_frame_marker sum = { 0 };
		struct tt_cell *c;

		for (size_t i = 0; i < f->nmarker_stat && i < m->nname; i++) {
			if (!tt_name_is_step(m->name[i].full, tt_frame_phases[p]))
				continue;
			sum.total += f->marker_stat[i].total;
			sum.calls += f->marker_stat[i].calls;
		}
		if (sum.total == 0 && sum.calls == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[P_PHASE], tt_frame_phases[p]);
		tt_cell_int(&c[P_MEAN], tt_ratio((uint64_t)sum.total, 1, f->n));
		tt_put_share(&c[P_SHARE], sum.total, (int64_t)all->sum);
		tt_cell_u64(&c[P_CALLS], sum.calls);
	}
}

/* --- the engine's own measurements --------------------------------------------------- */

static void
timings(struct tt_making *k, struct tt_table *t)
{
	static const struct { const char *name; unsigned what; } part[TT_TIMINGS] = {
		{ "frame", TT_TIMING_TOTAL }, { "main", TT_TIMING_MAIN }, { "render", TT_TIMING_RENDER },
		{ "present", TT_TIMING_PRESENT }, { "gpu", TT_TIMING_GPU },
	};

	for (size_t i = 0; i < TT_TIMINGS; i++) {
		const struct tt_values *x = tt_view_frames(k->view, TT_FRAME_TIMING + part[i].what, &k->r->err);
		struct tt_cell *c;

		if (!x)
			return;
		if (x->n == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[T_PART], part[i].name);
		tt_cell_u64(&c[T_COUNT], x->n);
		tt_cell_u64(&c[T_MISSING], k->m->frames->n - x->n);
		tt_cell_int(&c[T_MEAN], tt_values_mean(x, 1));
		tt_cell_int(&c[T_MEDIAN], tt_values_percentile(x, 1, 2, k->o->percentiles));
		tt_cell_int(&c[T_P95], tt_values_percentile(x, 95, 100, k->o->percentiles));
		tt_cell_int(&c[T_P99], tt_values_percentile(x, 99, 100, k->o->percentiles));
		tt_cell_int(&c[T_MAX], tt_values_quantile(x, 1, 1));
	}
}

enum limit { BY_MAIN, BY_RENDER, BY_BOTH, BY_GPU, BY_PRESENT, BY_NOTHING, BY_UNKNOWN, LIMITS };
static const char *const limit_name[LIMITS] = { "main thread", "render thread", "CPU", "GPU", "present", "balanced", "unknown" };

/*
 * Return the time above which a thread or the GPU limits frame ${i}, of length ${whole}: four fifths of it. If a display shows the frame for n > 1 refreshes,
 * n - 1 refreshes and 1 % suffice: the frame waits for the display, but the display is not the cause.
 */
static int64_t
most_of(const struct tt_frames *f, size_t i, int64_t whole)
{
	enum { OF_REFRESHES = 100 };
	const int64_t most = whole - whole / 5, taken = tt_frames_nrefreshes(f, i);
	const struct tt_refresh_segment *s = taken > 1 ? tt_frames_segment(f, i) : NULL;

	if (!s || s->kind != TT_REFRESH_GRID)
		return most;

	const int64_t less = tt_ratio((uint64_t)(taken - 1), (uint64_t)tt_frames_period_of(s), 1), needs = less + less / OF_REFRESHES;

	return needs < most ? needs : most;
}

/* Find the limit by the frame's CPU-active time, because the engine did not measure the main thread. See limit_of(). */
static enum limit
limit_by_zones(const struct tt_frames *f, size_t i, int64_t most)
{
	const bool main = tt_frames_cpu(f, i) > most, render = tt_frames_timing(f, TT_TIMING_RENDER, i) > most;
	const bool gpu = tt_frames_timing(f, TT_TIMING_GPU, i) > most;

	if (gpu)
		return main || render ? BY_NOTHING : BY_GPU;
	if (main || render)
		return main && render ? BY_BOTH : main ? BY_MAIN : BY_RENDER;
	return tt_column_at(&f->limit_ns, i) > 500000 ? BY_PRESENT : BY_UNKNOWN;
}

/*
 * Find what limits frame ${i}: the processor's threads or the GPU, whichever takes longer than most_of(); unknown without GPU time. Counters do not contain
 * how long the main thread waits to present, so the rest of the frame counts as that wait if nothing else limits the frame.
 */
static enum limit
limit_of(const struct tt_frames *f, size_t i)
{
	const int64_t total = tt_frames_timing(f, TT_TIMING_TOTAL, i), whole = total ? total : tt_frames_dur(f, i), most = most_of(f, i, whole);
	const int64_t main = tt_frames_timing(f, TT_TIMING_MAIN, i), render = tt_frames_timing(f, TT_TIMING_RENDER, i);
	const int64_t gpu = tt_frames_timing(f, TT_TIMING_GPU, i);
	int64_t wait = tt_column_at(&f->is_from_record, i) ? tt_frames_timing(f, TT_TIMING_PRESENT, i) : whole - main;

	if (gpu == 0 || (main == 0 && !f->has_wait))
		return BY_UNKNOWN;
	if (main == 0)
		return limit_by_zones(f, i, most);
	if (gpu > most)
		return main > most || render > most ? BY_NOTHING : BY_GPU;
	if (main > most || render > most)
		return main > most && render > most ? BY_BOTH : main > most ? BY_MAIN : BY_RENDER;
	return wait > 500000 ? BY_PRESENT : BY_NOTHING;
}

/* Count the frames and their wall time by limit. Return the number of frames whose limit is known. */
static uint64_t
count_limits(const struct tt_frames *f, uint64_t *n, uint64_t *sum)
{
	for (size_t i = 0; i < f->n; i++) {
		const enum limit by = limit_of(f, i);

		n[by]++;
		sum[by] += (uint64_t)tt_frames_wall(f, i);
	}
	return f->n - n[BY_UNKNOWN];
}

/*
 * True if no display limits frame ${i}: its segment waits for a timer alone; or its segment has no display's refresh, and the frame waits mostly in markers
 * that serve a target frame rate alone.
 */
static bool
has_no_display(const struct tt_frames *f, size_t i)
{
	const struct tt_refresh_segment *s = tt_frames_segment(f, i);

	return s->alone || (s->kind != TT_REFRESH_GRID && tt_column_at(&f->limit_ns, i) > 2 * tt_column_at(&f->present_ns, i));
}

/* True if no display limits most of the frames that are limited by presenting. */
static bool
is_held_by_timer(const struct tt_frames *f)
{
	size_t n = 0, nheld = 0;

	for (size_t i = 0; i < f->n; i++)
		if (limit_of(f, i) == BY_PRESENT) {
			n++;
			nheld += has_no_display(f, i);
		}
	return 2 * nheld > n;
}

const char *
tt_pass_limit_text(const struct tt_frames *f, struct tt_report *r)
{
	uint64_t n[LIMITS] = { 0 }, sum[LIMITS] = { 0 };
	const uint64_t known = count_limits(f, n, sum);
	char some[32], all[32], mean[32];

	for (unsigned i = 0; i < LIMITS; i++) {
		if (i == BY_UNKNOWN || i == BY_NOTHING || 2 * n[i] <= known || (i == BY_PRESENT && is_held_by_timer(f)))
			continue;
		*tt_put_count(some, (int64_t)n[i]) = '\0';
		*tt_put_count(all, (int64_t)f->n) = '\0';
		*tt_put_time_short(mean, tt_ratio(sum[i], 1, n[i])) = '\0';
		return tt_text(r, "limited by the %s in %s of %s frames, mean %s", i == BY_PRESENT ? "display (present)" : limit_name[i], some, all, mean);
	}
	return NULL;
}

static void
limits(struct tt_making *k, struct tt_table *t)
{
	uint64_t n[LIMITS] = { 0 }, sum[LIMITS] = { 0 };
	const uint64_t known = count_limits(k->m->frames, n, sum);

	for (unsigned i = 0; i < LIMITS; i++) {
		struct tt_cell *c;

		if (n[i] == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[L_LIMIT], limit_name[i]);
		tt_cell_u64(&c[L_COUNT], n[i]);
		if (i != BY_UNKNOWN)
			tt_put_share(&c[L_SHARE], (int64_t)n[i], (int64_t)known);
		tt_cell_int(&c[L_MEAN], tt_ratio(sum[i], 1, n[i]));
	}
}

/* --- the worst frames ------------------------------------------------------------- */

/*
 * Choose the *${n} worst frames: by wall time; if frames are capped, which makes wall times alike, by uncapped or the render thread's time, whichever is
 * longer. *${period}: the cap in ns.
 */
static const struct tt_hitch *
worst(struct tt_making *k, size_t *n, int64_t *period)
{
	const struct tt_frames *f = k->m->frames;
	const struct tt_hitches *list;

	*period = cap_of(k);
	list = *period && f->has_wait ? &f->latest : &f->longest;
	*n = k->o->max_hitches && k->o->max_hitches < list->n ? (size_t)k->o->max_hitches : list->n;
	return list->h;
}

const char *
tt_pass_worst_by(const struct tt_model *m, struct tt_report *r)
{
	return tt_text(r, "the worst are those with the most uncapped time%s", m->frames->has_render ? ", or the most work of the render thread" : "");
}

static const struct tt_name *
top_name(const struct tt_model *m, const struct tt_hitch *h, unsigned rank)
{
	return tt_model_key(m, m->threads.t[tt_frames_thread(m->frames, h->frame)]->process, h->top[rank].key);
}

/* Name the first three markers: "World:Frame 12.345 ms, ...". The render thread's time comes first if the frame is among the worst because of it. */
static const char *
top_text(struct tt_making *k, const struct tt_paths *p, const struct tt_hitch *h, bool capped)
{
	const struct tt_frames *f = k->m->frames;
	const int64_t render = capped ? tt_frames_render(f, h->frame) : 0;
	const char *text = "";

	if (render > 0 && render == h->rank_ns && render > tt_frames_uncapped(f, h->frame)) {
		char time[32];

		*tt_put_time_short(time, render) = '\0';
		text = tt_text(k->r, "(render thread) %s%s", time, h->ntop ? ", " : "");
	}

	for (unsigned i = 0; i < h->ntop && i < 3; i++) {
		char time[32];

		*tt_put_time_short(time, h->top[i].self) = '\0';
		text = tt_text(k->r, "%s%s%s %s", text, i ? ", " : "", tt_paths_label(p, top_name(k->m, h, i)), time);
	}
	return text;
}

static void
put_timings(const struct tt_frames *f, size_t i, struct tt_cell *c)
{
	static const struct { unsigned col, what; } part[] = { { W_MAIN, TT_TIMING_MAIN }, { W_GPU, TT_TIMING_GPU },
		{ W_PRESENT, TT_TIMING_PRESENT } };

	for (unsigned k = 0; k < TT_NCOL(part); k++)
		if (tt_frames_timing(f, part[k].what, i))
			tt_cell_int(&c[part[k].col], tt_frames_timing(f, part[k].what, i));
	tt_cell_text(&c[W_LIMIT], limit_name[limit_of(f, i)]);
}

static void
hitches(struct tt_making *k, struct tt_table *t)
{
	const struct tt_paths *p = tt_view_paths(k->view, TT_GROUP_NONE, TT_PATHS_ROWS, &k->r->err);
	bool allocs = tt_model_knows_allocs(k->m), pauses = tt_knows_collections(k->m) && tt_knows_pauses(k->m);
	const struct tt_frames *f = k->m->frames;
	int64_t period;
	size_t n;
	const struct tt_hitch *first = worst(k, &n, &period);

	if (period)
		t->note = tt_text(k->r, "%s: %s", tt_shown_limits(k->m, k->r), tt_pass_worst_by(k->m, k->r));
	t->answer = period && f->has_wait ? W_BY : W_DUR;
	for (size_t i = 0; p && i < n; i++) {
		const struct tt_hitch *h = &first[i];
		const struct tt_thread *th = k->m->threads.t[tt_frames_thread(f, h->frame)];
		int64_t start = tt_frames_start(f, h->frame), end = start + tt_frames_dur(f, h->frame), render;
		struct tt_cell *c = tt_row(t);

		tt_cell_u64(&c[W_FRAME], tt_frames_number(f, h->frame));
		if (f->has_engine_number)
			tt_cell_u64(&c[W_GIVEN], tt_frames_engine_number(f, h->frame));
		tt_cell_int(&c[W_START], start);
		tt_cell_int(&c[W_DUR], tt_frames_wall(f, h->frame));
		if (period && f->has_wait)
			tt_cell_int(&c[W_BY], h->rank_ns);
		if (f->has_wait)
			tt_cell_int(&c[W_CPU], tt_frames_cpu(f, h->frame));
		if (tt_frame_value(f, TT_FRAME_TIMING + TT_TIMING_RENDER, h->frame, &render))
			tt_cell_int(&c[W_RENDER], render);
		if (f->has_timing)
			put_timings(f, h->frame, c);
		if (allocs && tt_capture_knows_allocs(k->m->cap[th->process])) {
			tt_cell_u64(&c[W_BYTES], (uint64_t)tt_column_at(&f->alloc_b, h->frame));
			tt_cell_u64(&c[W_ALLOCS], (uint64_t)tt_column_at(&f->alloc_n, h->frame));
		}
		if (pauses && tt_capture_knows_pauses(k->m->cap[th->process]))
			tt_cell_int(&c[W_GC], tt_pause_ns_in(k->m, th->process, start, end));
		tt_cell_text(&c[W_THREAD], th->name);
		if (k->m->ncap > 1)
			tt_cell_int(&c[W_PROCESS], (int64_t)th->process + 1);
		tt_cell_name(&c[W_TOP], top_text(k, p, h, period > 0));
	}
}

static void
put_hitch_marker(struct tt_table *t, const struct tt_model *m, const struct tt_hitch *h, unsigned rank, const char *name)
{
	const struct tt_frames *f = m->frames;
	struct tt_cell *c = tt_row(t);

	tt_cell_u64(&c[K_FRAME], tt_frames_number(f, h->frame));
	tt_cell_int(&c[K_RANK], (int64_t)rank + 1);
	tt_cell_text(&c[K_MARKER], name);
	tt_cell_int(&c[K_SELF], h->top[rank].self);
	tt_put_share(&c[K_SHARE], h->top[rank].self, tt_frames_wall(f, h->frame));
	tt_cell_u64(&c[K_CALLS], h->top[rank].calls);
	if (m->ncap > 1)
		tt_cell_int(&c[K_PROCESS], (int64_t)m->threads.t[tt_frames_thread(f, h->frame)]->process + 1);
}

static void
hitch_markers(struct tt_making *k, struct tt_table *t)
{
	const struct tt_paths *p = tt_view_paths(k->view, TT_GROUP_NONE, TT_PATHS_ROWS, &k->r->err);

	int64_t period;
	size_t n;
	const struct tt_hitch *first = worst(k, &n, &period);

	for (size_t i = 0; p && i < n; i++) {
		const struct tt_hitch *h = &first[i];

		for (unsigned rank = 0; rank < h->ntop; rank++) {
			const struct tt_name *name = top_name(k->m, h, rank);

			if (name->wanted)
				put_hitch_marker(t, k->m, h, rank, tt_paths_label(p, name));
		}
	}
}

/* --- the pass ------------------------------------------------------------------------ */

const char *
tt_pass_why_no_frames(const struct tt_model *m, struct tt_report *r)
{
	const struct tt_frames *f = m->frames;
	const struct tt_filter *of = &m->filter;

	if (f && f->n)
		return NULL;
	if (!f)
		return tt_text(r, m->frame_marker ? NO_BEGINS : NO_FRAMES, tt_setting_name[TT_SETTING_FRAME_MARKER]);
	if (!f->npartial)
		return tt_text(r, NO_THREAD, tt_setting_name[TT_SETTING_FRAME_THREAD]);
	if (!of->of_flight && (of->from != INT64_MIN || of->to != INT64_MAX))
		return "no whole frame in that time";
	return m->frame_marker ? NO_SECOND : "no whole frame in this capture";
}

static const char *
why_no_frames(struct tt_making *k)
{
	const char *why = tt_pass_why_no_frames(k->m, k->r);

	return why ? why : "the filters leave no marker of the worst frames";
}

static const char *
why_no_timings(struct tt_making *k)
{
	return k->m->frames && k->m->frames->n ? NO_TIMINGS : why_no_frames(k);
}

static bool
has_frames(const struct tt_making *k)
{
	return k->m->frames && k->m->frames->n;
}

static const char *
why_no_phases(struct tt_making *k)
{
	const enum tt_setting hides = tt_filter_hides(&k->m->filter);

	if (hides)
		return tt_text(k->r, "with %s, figures per frame are not known", tt_setting_name[hides]);
	return has_frames(k) ? "no marker is named after a phase of Unity's PlayerLoop" : why_no_frames(k);
}

static bool
has_phases(const struct tt_making *k)
{
	const struct tt_model *m = k->m;

	for (size_t i = 0; has_frames(k) && !tt_filter_hides(&m->filter) && i < m->frames->nmarker_stat && i < m->nname; i++)
		for (size_t p = 0; m->name[i].has_text && tt_frame_phases[p]; p++)
			if (tt_name_is_step(m->name[i].full, tt_frame_phases[p]))
				return true;
	return false;
}

static bool
has_timings(const struct tt_making *k)
{
	return has_frames(k) && k->m->frames->has_timing;
}

/* Put the summary, or without frames a single empty table that says so, unless tables are asked for by name. */
static void
summary_or_none(struct tt_making *k, struct tt_table *t)
{
	if (has_frames(k))
		summary(k, t);
}

static const char *
percentile_rule(size_t i)
{
	static const char *const rule[] = { "nearest", "unity", NULL };

	return rule[i];
}

static const struct tt_option options[] = {
	{ .name = "percentiles", .arg = "RULE", .kind = TT_OPTION_CHOICE, .at = offsetof(struct tt_pass_opts, percentiles), .value = percentile_rule,
	    .help = "print figures of frames by the nearest rank, or as Unity's Profile Analyzer does" },
	{ .name = "budget", .arg = "MS", .kind = TT_OPTION_OTHER, .help = "also count frames longer than MS milliseconds; repeatable" },
	{ .name = "hitches", .arg = "N", .kind = TT_OPTION_COUNT, .at = offsetof(struct tt_pass_opts, max_hitches), .min = 1, .max = 1000,
	    .help = "list the N worst frames; default 10" },
	{ .name = NULL },
};

static const struct tt_pass_table tables[] = {
	{ "frames", "Frames", summary_col, S_N, false, TT_ON_TIME, .whole_columns = "partial", .shape = TT_FACTS, .make_rows = summary_or_none,
	    .find_why_empty = why_no_frames },
	{ "frame_shown", "Frames as shown", tt_shown_col, TT_SHOWN_COLUMNS, false, TT_ON_TIME, .shape = TT_WHOLE, .make_rows = tt_shown_table, .has_rows =
	    has_frames, .find_why_empty = why_no_frames },
	{ "frame_timings", "Frame timings", timing_col, T_N, false, TT_ON_TIME, .shape = TT_WHOLE, .make_rows = timings, .has_rows = has_timings,
	    .find_why_empty = why_no_timings },
	{ "frame_limits", "What frames are limited by", limit_col, L_N, false, TT_ON_TIME, .shape = TT_WHOLE, .make_rows = limits,
	    .has_rows = has_timings, .find_why_empty = why_no_timings },
	{ "frame_phases", "Phases of frames", phase_col, P_N, false, TT_ON_TIME, .shape = TT_WHOLE, .make_rows = phases,
	    .has_rows = has_phases, .find_why_empty = why_no_phases },
	{ "frame_budgets", "Frames over budget", budget_col, B_N, false, TT_ON_TIME, .shape = TT_WHOLE, .make_rows = budgets,
	    .has_rows = has_frames, .find_why_empty = why_no_frames },
	{ "frame_histogram", "Frame time histogram", histogram_col, H_N, false, TT_ON_TIME, .shape = TT_WHOLE, .make_rows = histogram,
	    .has_rows = has_frames, .find_why_empty = why_no_frames },
	{ "hitches", "Worst frames", hitch_col, W_N, false, TT_ON_TIME | TT_ON_THREAD, .make_rows = hitches, .has_rows = has_frames, .find_why_empty =
	    why_no_frames },
	{ "hitch_markers", "Markers of the worst frames", hitch_marker_col, K_N, true, TT_ON_TIME | TT_ON_NAMES, .make_rows = hitch_markers,
	    .has_rows = has_frames, .find_why_empty = why_no_frames },
};

const struct tt_pass tt_pass_frames = {
	.name = "frames",
	.summary = "frame times: percentiles, FPS, lows, budgets, histogram, worst frames and why",
	.needs = TT_NEEDS_FRAMES | TT_NEEDS_CALLS,
	.option = options,
	.is_standard = true,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
