/**
 * Suggests a budget to start from.
 *
 * It suggests only rows that can be judged:
 * - Changes of the frame, at level error. There are few, because each further row makes all of them less sensitive.
 * - Changes of parts of the frame, as warnings.
 * - Tails, as frames per thousand over a limit: p99 and the maximum of a capture depend on a few frames. A median sees none of them, so they are at level
 *   error where enough captures and sessions show that their number is steady; so are collections.
 * - For capped frames, both of uncapped time, because the limit decides their wall time, and CPU-active time has no wait for a lock or a job.
 * - Allocation, which hardly depends on the machine, by its amount, or as "none" where there is none.
 * - The longest stop of all captures, as a warning: later captures of the same build are often a little worse. So is the largest heap, until its size is
 *   known to be steady.
 * - A least number of frames, so that a run that ends early does not pass.
 * Margins of changes are what the captures and sessions at hand can distinguish from no change, so more of them make margins smaller. A row that would detect
 * nothing is left out, and the comment in the budget says what it needs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/setting.h"
#include "gate/sample.h"
#include "gate/suggest.h"
#include "gate/suggest_margin.h"
#include "stat/num.h"
#include "view/figures.h"

#define ALPHA 0.05
#define BLIND 0.3                     /* a row that detects only changes above this is useless */
#define RARE 10                       /* frames per thousand: if more are long, they are not hitches */
#define WIDE_FROM 15                  /* margin of late frames per thousand that is more than chance: at least this ... */
#define WIDE_TO 50                    /* ... and at most this, even if few frames are known */
#define WIDE_TIMES 10                 /* multiple of the upper bound of the rate (95 %) if no frame is late */
#define ALLOCATING (100 * TT_AMOUNT_ONE)      /* above 100 allocating frames per thousand, each allocation counts */

struct suggest {
	struct tt_suggest_base base;
	struct tt_buf *out;
	bool some;                    /* true: a row has been written */
	size_t relative;              /* number of rows of work and time that compare with a baseline */
	bool limited_by_change;       /* true: so does the row of the frame limit */
	bool single;                  /* true: too few captures to show how much they differ */
	bool assumed;                 /* true: too few sessions to show how much they differ */
	struct tt_buf blind;          /* ids of the rows left out, and why */
	int64_t cap_ns;               /* period at which the first capture's frames are capped, if most captures are capped; else 0 */
};

/* Say why the row is left out, and how many sessions would suffice. */
static void
put_blind(struct suggest *g, const char *id, const struct tt_session *of, size_t k, double alpha, double seen)
{
	tt_buf_printf(&g->blind, "%s%s: these captures differ so much that it would see no change below +%.0f %%; ", g->blind.n ? "\n" : "", id, seen * 100);

	const size_t n = tt_suggest_sessions_needed(of, k, alpha, BLIND, &seen);
	if (n > 0)
		tt_buf_printf(&g->blind, "with %zu sessions +%.0f %%", n, 100 * seen);
	else
		tt_buf_text(&g->blind, "no number of sessions would do: record more captures in each, or run both builds in turn (tracetool ab)");
}

/* --- rows -------------------------------------------------------------------------------------------- */

static void
begin_row(struct suggest *g, const char *id, const char *metric, const char *stat)
{
	tt_buf_printf(g->out, "%s\n\t\t{ \"id\": \"%s\", \"metric\": \"%s\"", g->some ? "," : "", id, metric);

	g->some = true;
	if (stat)
		tt_buf_printf(g->out, ", \"stat\": \"%s\"", stat);
}

static const char *
amount(char text[64], int64_t v, enum tt_dim dim)
{
	*tt_put_amount(text, v, dim) = '\0';
	return text;
}

/* The relative rows that may be suggested. */
static const struct relative {
	const char *id, *metric, *stat;
	enum tt_dim dim;
	bool wall, cpu;               /* wall: for uncapped captures; cpu: for capped ones */
	bool fails;
} relative[] = {
	{ "frame-median", "frame.time", "median", TT_DIM_TIME, true, false, true },
	{ "frame-mean", "frame.time", "mean", TT_DIM_TIME, true, false, false },
	{ "uncapped-median", "frame.uncapped", "median", TT_DIM_TIME, false, true, true },
	{ "uncapped-mean", "frame.uncapped", "mean", TT_DIM_TIME, false, true, false },
	{ "cpu-median", "frame.cpu", "median", TT_DIM_TIME, true, true, false },
	{ "main-median", "frame.main", "median", TT_DIM_TIME, true, true, false },
	{ "render-median", "frame.render", "median", TT_DIM_TIME, true, true, false },
	{ "gpu-median", "frame.gpu", "median", TT_DIM_TIME, true, true, false },
};

/* True if the row applies and has a figure; its ${k} sessions are then in ${of}. */
static bool
is_meant(const struct suggest *g, const struct relative *r, struct tt_session of[TT_SUGGEST_CAPTURES], size_t *k)
{
	char key[80];

	if (g->cap_ns ? !r->cpu : !r->wall)
		return false;
	snprintf(key, sizeof key, "%s.%s", r->metric, r->stat);
	*k = tt_suggest_sessions(&g->base, key, of);
	return *k > 0 && of[*k - 1].value > 0;
}

/* Write the row, one of ${rows} that are tested together, or say why it is left out. */
static void
relative_row(struct suggest *g, const struct relative *r, const struct tt_session *of, size_t k, size_t rows)
{
	double alpha = ALPHA / (double)rows, limit, seen;
	struct tt_change c;
	char text[64];

	if (!tt_suggest_next(of, k, &c)) {
		g->single = true;
		return;
	}
	limit = tt_suggest_margin(&c, of[k - 1].value, alpha);
	seen = tt_suggest_detected(&c, of[k - 1].value, alpha);
	if (seen > BLIND) {
		put_blind(g, r->id, of, k, alpha, seen);
		return;
	}
	g->relative++;
	g->assumed |= c.assumed;
	begin_row(g, r->id, r->metric, r->stat);
	tt_buf_printf(g->out, ", \"max\": \"+%g%%\"%s,\n\t\t  \"comment\": \"%s; +%.1f %% would be found in 95 of 100 cases", 100 * limit,
	    r->fails ? "" : ", \"level\": \"warn\"", amount(text, (int64_t)of[k - 1].value, r->dim), 100 * seen);
	if (c.assumed)
		tt_buf_printf(g->out, "; suggested again with a baseline of five sessions, about +%.1f %%", 100 * tt_suggest_detected_with_five(of, k, alpha));
	tt_buf_text(g->out, "\" }");
}

/*
 * Limit the wall time of capped frames: a game that falls from 60 to 30 fps does not work longer, but its frames last longer. A single capture gets a limit
 * that needs no baseline, as no other row of its budget does.
 */
static void
limit_row(struct suggest *g)
{
	struct tt_session of[TT_SUGGEST_CAPTURES];
	char text[64], most[64] = "+10%";
	const size_t k = tt_suggest_sessions(&g->base, "frame.time.median", of);

	if (k == 0 || of[k - 1].value <= 0)
		return;
	if (g->base.n == 1)
		snprintf(most, sizeof most, "%.1fms", (double)of[k - 1].value * 1.1 / (1e6 * TT_AMOUNT_ONE) + 0.05);
	g->limited_by_change = g->base.n > 1;
	begin_row(g, "frame-median", "frame.time", "median");
	tt_buf_printf(g->out, ", \"max\": \"%s\",\n\t\t  \"comment\": \"%s, the frame limit: it is missed, or another one\" }", most,
	    amount(text, (int64_t)of[k - 1].value, TT_DIM_TIME));
}

static void
relative_rows(struct suggest *g)
{
	struct tt_session of[TT_SUGGEST_CAPTURES];
	size_t k, rows[2] = { 0, 0 };

	if (g->cap_ns)
		limit_row(g);
	for (size_t i = 0; i < sizeof relative / sizeof *relative; i++)
		rows[relative[i].fails] += is_meant(g, &relative[i], of, &k);
	for (size_t i = 0; i < sizeof relative / sizeof *relative; i++)
		if (is_meant(g, &relative[i], of, &k))
			relative_row(g, &relative[i], of, k, rows[relative[i].fails]);
}

/* Comment of a row that only warns, because its count is not known to be steady. */
#define UNSTEADY "; fails nothing: these captures do not show that the count is steady, as a baseline of five sessions of five captures does"

/* Comment of a row that fails only above a wide margin. */
#define WIDE_TEXT "; the margin is wide, for these captures do not show that the count is steady, as a baseline of five sessions of five captures does"

/* The number of frames over a limit, per thousand. */
struct long_frames {
	const char *metric;
	const struct tt_hitch_limit *limit;
	bool counted;                 /* true: every capture counts them; false: only a share that none exceeds is known, and ${key} is a quantile */
	char key[80];                 /* key of the measure */
	int64_t most;                 /* amount that no capture exceeds; INT64_MAX: not known */
	int64_t apart;                /* difference between the sessions with the most and the fewest */
};

/* Find the largest share of frames that may exceed ${at_most}, from the highest quantile that is below it in every capture. */
static void
share_over(const struct suggest *g, const char *time, int64_t at_most, struct long_frames *l)
{
	static const struct { const char *stat; int per_1000; } most[] = { { "p99.9", 1 }, { "p99", 10 }, { "p95", 50 }, { "p90", 100 }, { "median", 500 } };

	l->most = INT64_MAX;
	for (size_t q = 0; q < sizeof most / sizeof *most && l->most == INT64_MAX; q++) {
		snprintf(l->key, sizeof l->key, "%s.%s", time, most[q].stat);
		if (tt_suggest_figure_of(&g->base, l->key).max <= at_most)
			l->most = (int64_t)most[q].per_1000 * TT_AMOUNT_ONE;
	}
}

static void
set_long(struct long_frames *l, const char *metric, const struct tt_hitch_limit *limit)
{
	l->metric = metric;
	l->limit = limit;
	snprintf(l->key, sizeof l->key, "%s[%lldns].per_1000", metric, (long long)tt_frame_limit(limit->ns));
}

/* The smallest common limit that is at least ${least} and 1.5 times the median frame. */
static const struct tt_hitch_limit *
hitch_limit(int64_t median, int64_t least)
{
	size_t k = 0;

	while (k + 1 < TT_HITCH_LIMITS && (tt_hitch_limit[k].for_caps ||
	    tt_frame_limit(tt_hitch_limit[k].ns) < tt_scale(median, 3, 2 * TT_AMOUNT_ONE) ||
	    (tt_hitch_limit[k].ns < least && !tt_is_same_cap(tt_hitch_limit[k].ns, least))))
		k++;
	return &tt_hitch_limit[k];
}

/* Count late frames: those shown for longer than the smallest limit that frames capped at ${cap} meet if they are in time. */
static void
set_late(const struct suggest *g, int64_t cap, struct long_frames *l)
{
	size_t k = 0;

	for (; k + 1 < TT_HITCH_LIMITS; k++) {
		set_long(l, "frame.over", &tt_hitch_limit[k]);
		/* Skip a limit that is a little below the frames' own period: nearly all frames exceed it. */
		if (tt_frame_limit(l->limit->ns) >= cap - cap / 50 && tt_suggest_figure_of(&g->base, l->key).median < 900 * TT_AMOUNT_ONE)
			return;
	}
	set_long(l, "frame.over", &tt_hitch_limit[k]);
}

/*
 * Choose which long frames to count: those shown for longer than the smallest common limit of at least 1.5 times the median frame. For capped frames, those
 * over the smallest limit that the cap meets, which are late for whatever reason. If that was not counted, as without the Editor, which shares the cap, use
 * uncapped time. ${frames}: number of captures with frame times.
 */
static struct long_frames
long_frames(const struct suggest *g, const char *time, size_t frames, int64_t median)
{
	struct long_frames l = { .most = 0 };
	struct tt_session of[TT_SUGGEST_CAPTURES];
	size_t sessions;

	if (g->cap_ns)
		set_late(g, g->cap_ns, &l);
	else
		set_long(&l, "frame.over", hitch_limit(median, 0));
	if (g->cap_ns && tt_suggest_figure_of(&g->base, l.key).n == 0)
		set_long(&l, "frame.uncapped.over", hitch_limit(median, g->cap_ns));
	l.counted = tt_suggest_figure_of(&g->base, l.key).n == frames;
	if (!l.counted) {
		share_over(g, time, tt_scale(tt_frame_limit(l.limit->ns), TT_AMOUNT_ONE, 1), &l);
		return l;
	}
	l.most = tt_suggest_figure_of(&g->base, l.key).max;
	sessions = tt_suggest_sessions(&g->base, l.key, of);
	for (size_t i = 0; i < sessions; i++)
		for (size_t j = 0; j < sessions; j++)
			if (of[i].value - of[j].value > (double)l.apart)
				l.apart = (int64_t)(of[i].value - of[j].value);
	return l;
}

/*
 * How many late frames per thousand, beyond those of any capture, are more than chance, however much sessions differ. If none of n frames is late, another
 * session may have up to 3 of n, in 95 of 100 cases.
 */
static int64_t
wide_margin(const struct suggest *g)
{
	const struct tt_suggest_figure frames = tt_suggest_figure_of(&g->base, "frame.count.total");
	const double n = (double)frames.median / TT_NUMBER_ONE * (double)frames.n, margin = n > 0 ? WIDE_TIMES * 3000 / n : WIDE_TO;

	return margin > WIDE_TO ? WIDE_TO : margin < WIDE_FROM ? WIDE_FROM : (int64_t)ceil(margin);
}

/* The number of long frames per thousand that a row allows; with ${wide}, so many more and at least eight times as many. */
static int64_t
most_long(const struct long_frames *l, int64_t wide, bool steady)
{
	int64_t max = l->most < INT64_MAX ? l->most : 500 * TT_AMOUNT_ONE;

	if (wide)
		max = 8 * max > max + wide * TT_AMOUNT_ONE ? 8 * max : max + wide * TT_AMOUNT_ONE;
	else if (l->counted)
		max += l->apart + l->apart / 2 + TT_AMOUNT_ONE;
	else if (steady)
		max *= 2;
	return (max + TT_AMOUNT_ONE - 1) / TT_AMOUNT_ONE;
}

/* Begin the comment of a row of long frames: what it counts, in ${ncaptures} captures, and for other than late frames the p99 of the same ${time}. */
static void
put_tail_comment(struct suggest *g, const struct long_frames *l, const char *time, size_t ncaptures, const char *of)
{
	const bool late = g->cap_ns && l->counted && strcmp(l->metric, "frame.over") == 0;
	char p99[80], text[64], most[64], none[64] = "this capture has no";

	snprintf(p99, sizeof p99, "%s.p99", time);
	if (ncaptures > 1)
		snprintf(none, sizeof none, "none of these %zu captures has", ncaptures);
	tt_buf_printf(g->out, "\"comment\": \"%s of a thousand%s", late ? "late frames" : "frames", of);
	if (l->most < INT64_MAX)
		tt_buf_printf(g->out, ": %s more than %s", none, amount(most, tt_scale(l->most, TT_NUMBER_ONE, TT_AMOUNT_ONE), TT_DIM_NUMBER));
	if (!late)
		tt_buf_printf(g->out, "; p99 is %s", amount(text, tt_suggest_figure_of(&g->base, p99).median, TT_DIM_TIME));
}

/* The limit of the row of long frames, in tenths of a frame per thousand, whether it fails, and the end of its comment. */
struct tail { int64_t tenths; bool fails; char why[200]; };

static struct tail
tail_of(const struct suggest *g, const struct long_frames *l)
{
	const bool known = l->most < INT64_MAX, rare = known && l->most <= RARE * TT_AMOUNT_ONE, steady = rare && tt_suggest_is_steady(&g->base, l->key);
	double times = 0;
	const int64_t by_count = l->counted ? tt_suggest_count_limit(&g->base, l->key, &times) : 0;
	/* For capped frames, many more late ones than ever before are not chance, however much sessions differ. */
	const bool wide = rare && !steady && !by_count && g->cap_ns && l->counted;
	struct tail t = { 10 * most_long(l, wide ? wide_margin(g) : 0, steady), steady || wide || by_count, "" };

	if (by_count && (!steady || by_count < t.tenths)) {
		t.tenths = by_count;
		snprintf(t.why, sizeof t.why, "; the limit is about %.3g times the mean, for sessions differ", times);
	} else if (!rare) {
		snprintf(t.why, sizeof t.why, "%s", "; fails nothing: such frames are too usual to be hitches");
	} else if (!steady) {
		snprintf(t.why, sizeof t.why, "%s", wide ? WIDE_TEXT : UNSTEADY);
	}
	if (t.fails && t.tenths < 20)
		t.tenths = 20;
	if (t.tenths > 10000)
		t.tenths = 10000;
	return t;
}

/*
 * Limit long frames: to the most of any capture, plus 1.5 times the difference between sessions, plus one; if only a share is known, to twice that. Equal
 * builds then fail in less than 1 of 100 cases (tracetool-budget(5)).
 */
static void
tail_row(struct suggest *g)
{
	const char *time = g->cap_ns ? "frame.uncapped" : "frame.time";
	char median[80];
	struct tt_suggest_figure r;

	snprintf(median, sizeof median, "%s.median", time);
	r = tt_suggest_figure_of(&g->base, median);
	if (r.n == 0)
		return;

	const struct long_frames l = long_frames(g, time, r.n, r.median);
	const struct tail t = tail_of(g, &l);

	begin_row(g, "hitches", l.metric, NULL);
	tt_buf_printf(g->out, ", \"limit\": \"%s\", \"stat\": \"per_1000\", \"max\": %.10g%s,\n\t\t  ", l.limit->text, (double)t.tenths / 10,
	    t.fails ? "" : ", \"level\": \"warn\"");
	put_tail_comment(g, &l, time, r.n, t.fails ? ", of the median capture" : "");
	tt_buf_printf(g->out, "%s\" }", t.why);
}

/* Write ${v} plus 20 %, in a readable unit. */
static void
put_rounded(struct suggest *g, int64_t v, enum tt_dim dim)
{
	static const struct { const char *name; enum tt_dim dim; int64_t size; } unit[] = {
		{ "ms", TT_DIM_TIME, 1000000 }, { "us", TT_DIM_TIME, 1000 }, { "MiB", TT_DIM_BYTES, 1 << 20 },
		{ "KiB", TT_DIM_BYTES, 1 << 10 }, { "B", TT_DIM_BYTES, 1 }, { "ns", TT_DIM_TIME, 1 },
	};
	int64_t more = tt_scale(v, 12, 10 * tt_amount_one(dim));

	for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
		if (unit[i].dim == dim && (more >= 10 * unit[i].size || unit[i].size == 1)) {
			tt_buf_printf(g->out, "\"%lld%s\"", (long long)(more / unit[i].size + 1), unit[i].name);
			return;
		}
	tt_buf_printf(g->out, "%lld", (long long)more + 1);
}

static void
absolute_row(struct suggest *g, const char *id, const char *metric, const char *stat, const char *key, enum tt_dim dim, bool warn)
{
	struct tt_suggest_figure r = tt_suggest_figure_of(&g->base, key);
	char text[64];

	if (r.n == 0 || r.max <= 0)
		return;
	begin_row(g, id, metric, stat);
	tt_buf_text(g->out, ", \"max\": ");
	put_rounded(g, r.max, dim);
	tt_buf_printf(g->out, ", \"over\": \"worst\"%s,\n\t\t  \"comment\": \"at most %s in the captures\" }",
	    warn ? ", \"level\": \"warn\"" : "", amount(text, r.max, dim));
}

/*
 * Limit the longest stop of all threads. If stops are known, the pause is not used: it begins with the request, and at the end of a program Mono waits for a
 * second without stopping anything.
 */
static void
pause_row(struct suggest *g)
{
	if (tt_suggest_figure_of(&g->base, "gc.stopped.max").max > 0)
		absolute_row(g, "gc-stopped", "gc.stopped", "max", "gc.stopped.max", TT_DIM_TIME, true);
	else
		absolute_row(g, "gc-pause", "gc.pause", "max", "gc.pause.max", TT_DIM_TIME, true);
}

/* If there are collections, limit their number: 20 % above the capture with the most, and at least one more. */
static void
collections_row(struct suggest *g)
{
	static const char key[] = "gc.collections.per_1000";
	struct tt_suggest_figure r = tt_suggest_figure_of(&g->base, key), frames = tt_suggest_figure_of(&g->base, "frame.count.total");
	bool fails = tt_suggest_is_steady(&g->base, key);
	int64_t one, more;
	char median[64], most[64];

	if (r.n == 0 || r.max <= 0 || frames.median <= 0)
		return;
	one = tt_scale(INT64_C(1000) * TT_NUMBER_ONE, TT_NUMBER_ONE, frames.median);
	more = tt_scale(r.max, 12, 10);
	more = more > r.max + one ? more : r.max + one;
	begin_row(g, "collections", "gc.collections", "per_1000");
	tt_buf_printf(g->out, ", \"max\": %lld%s,\n\t\t  \"comment\": \"in a thousand frames%s: at most %s in the captures, %s in the median%s\" }",
	    (long long)(more / TT_NUMBER_ONE + 1), fails ? "" : ", \"level\": \"warn\"", fails ? " of the median capture" : "",
	    amount(most, r.max, TT_DIM_NUMBER), amount(median, r.median, TT_DIM_NUMBER), fails ? "" : UNSTEADY);
}

/*
 * Limit the largest heap. If captures show that it is steady, the row fails at 50 % and at least 1 MB above the largest: a leak grows more, and a heap grows in
 * large steps.
 */
static void
heap_row(struct suggest *g)
{
	static const char key[] = "heap.size.max";
	struct tt_suggest_figure r = tt_suggest_figure_of(&g->base, key);
	int64_t more = tt_scale(r.max, 3, 2), mib = (int64_t)TT_AMOUNT_ONE << 20;
	char text[64];

	if (!tt_suggest_is_steady(&g->base, key) || r.max <= 0) {
		absolute_row(g, "heap", "heap.size", "max", key, TT_DIM_BYTES, true);
		return;
	}
	if (more - r.max < mib)
		more = r.max + mib;
	begin_row(g, "heap", "heap.size", "max");
	tt_buf_printf(g->out, ", \"max\": \"%lldMiB\",\n\t\t  "
	    "\"comment\": \"of the median capture: half as much again as the %s of the capture that has most\" }",
	    (long long)(more / mib + 1), amount(text, r.max, TT_DIM_BYTES));
}

/* Limit the mean allocation of a frame: 5 % above the capture that allocates most. */
static void
per_frame_row(struct suggest *g, const char *id, const char *metric, enum tt_dim dim, bool warn)
{
	char key[80], median[64], most[64], max[32];
	struct tt_suggest_figure r;
	int64_t more;

	snprintf(key, sizeof key, "%s.per_frame.mean", metric);
	r = tt_suggest_figure_of(&g->base, key);
	if (r.n == 0 || r.max <= 0)
		return;
	more = tt_scale(r.max, 21, 20) + 1;
	begin_row(g, id, metric, "per_frame.mean");
	if (dim == TT_DIM_BYTES) {
		tt_buf_printf(g->out, ", \"max\": \"%lldB\"", (long long)(more / TT_AMOUNT_ONE + 1));
	} else {
		/* Three decimals are enough where they are a hundredth of it at most. */
		*tt_put_base(max, more < TT_NUMBER_ONE / 10 ? more : (more + 999) / 1000 * 1000, dim) = '\0';
		tt_buf_printf(g->out, ", \"max\": %s", max);
	}
	tt_buf_printf(g->out, "%s,\n\t\t  ", warn ? ", \"level\": \"warn\"" : "");
	tt_buf_printf(g->out, "\"comment\": \"a twentieth more than the %s of the capture that allocates most; %s in the median\" }",
	    amount(most, r.max, dim), amount(median, r.median, dim));
}

/* Limit allocation; if few frames allocate, their number. No baseline is needed: allocation depends on the code, hardly on the machine. */
static void
alloc_rows(struct suggest *g)
{
	struct tt_suggest_figure r = tt_suggest_figure_of(&g->base, "gc.alloc.frames.per_1000");

	if (r.n && r.max == 0) {
		begin_row(g, "no-allocation", "gc.alloc.bytes", "per_frame.max");
		tt_buf_text(g->out, ", \"max\": \"0B\", \"over\": \"worst\",\n\t\t  \"comment\": \"no frame "
		    "of these captures allocates\" }");
	} else if (r.n && r.max < ALLOCATING) {
		absolute_row(g, "alloc-frames", "gc.alloc.frames", "per_1000", "gc.alloc.frames.per_1000", TT_DIM_PER_1000, false);
	} else {
		per_frame_row(g, "alloc-bytes", "gc.alloc.bytes", TT_DIM_BYTES, false);
		per_frame_row(g, "alloc-count", "gc.alloc.count", TT_DIM_NUMBER, true);
	}
}

/* Half of ${n}, rounded down to its first two digits. */
static uint64_t
rounded_half(uint64_t n)
{
	uint64_t unit = 1;

	for (n /= 2; n / unit >= 100; unit *= 10)
		;
	return n / unit * unit;
}

/* Require half of the frames of the shortest capture, because a run that ends early with exit status 0 would pass every other row. */
static void
put_integrity(struct suggest *g)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < g->base.n; i++)
		least = g->base.s[i].frames < least ? g->base.s[i].frames : least;
	if (rounded_half(least) > 0)
		tt_buf_printf(g->out, ",\n\t\"integrity\": { \"min_frames\": %llu,\n\t\t\"comment\": \"about half of the %llu frames of the shortest "
		    "capture: a run that ends early has fewer, and passes all other rows\" }", (unsigned long long)rounded_half(least),
		    (unsigned long long)least);
}

/* A frame limit of some captures, if the first capture has none; else 0. */
static int64_t
other_cap(const struct suggest *g)
{
	for (size_t i = 0; i < g->base.n; i++)
		if (g->base.s[i].cap_ns > 0 && (g->base.s[i].cap_ns > g->cap_ns + g->cap_ns / 10 || g->base.s[i].cap_ns < g->cap_ns - g->cap_ns / 10))
			return g->base.s[i].cap_ns;
	return 0;
}

/* Write the rows left out, one a line, as one sentence. */
static void
put_left_out(const struct suggest *g, const char *gap, struct tt_buf *b)
{
	tt_buf_printf(b, "%sLeft out: ", gap);
	for (size_t i = 0; i < g->blind.n; i++) {
		if (g->blind.p[i] == '\n')
			tt_buf_text(b, ". ");
		else
			tt_buf_add(b, &g->blind.p[i], 1);
	}
	tt_buf_text(b, ".");
}

/* Say which rows the frame limit asks for, and whether all captures have that limit. */
static void
put_advice_on_cap(struct suggest *g, struct tt_buf *b)
{
	const int64_t other = other_cap(g);
	char at[TT_CAP_TEXT];

	*tt_put_cap(at, g->cap_ns) = '\0';
	tt_buf_printf(b, "Frames are capped at %s: %sthe row hitches counts those that are late.", at,
	    g->relative ? "rows of how long they take use uncapped time, because the limit decides wall time; " : "");
	*tt_put_cap(at, other) = '\0';
	if (other)
		tt_buf_printf(b, " Those of some captures are capped at %s: make a budget for each limit.", at);
}

/* Write the budget's comment: where frames come from, how margins were chosen, what is left out. */
static void
put_advice(struct suggest *g)
{
	const char *gap = "";
	struct tt_buf b = { 0 };
	size_t capped = 0, framed = 0;
	int64_t editor = 0;

	for (size_t i = 0; i < g->base.n; i++) {
		framed += g->base.s[i].frames > 0;
		capped += g->base.s[i].cap_ns > 0;
		editor = g->base.s[i].editor > editor ? g->base.s[i].editor : editor;
	}
	if (framed == 0)
		tt_buf_printf(&b, "These captures have no whole frames, but rows of frames say the most: name the marker that begins one with %s, "
		    "and suggest again.", tt_setting_name[TT_SETTING_FRAME_MARKER]);
	if (g->cap_ns)
		put_advice_on_cap(g, &b);
	if (capped > 0 && capped < framed)
		tt_buf_printf(&b, "%sThese are a mix: frames are capped in %zu of %zu captures, and their wall times differ by the limit: make a budget for "
		    "each kind.", b.n ? " " : "", capped, framed);
	if (editor > 0 && !g->cap_ns)
		tt_buf_printf(&b, "Up to %lld %% of the frame time is the Unity Editor's, and limits of wall time include it: suggest and judge with %s.",
		    (long long)editor, tt_setting_name[TT_SETTING_PLAYER_ONLY]);
	gap = b.n ? " " : "";
	if (g->relative || g->limited_by_change) {
		tt_buf_printf(&b, "%sRows with a change for max are compared with a baseline (%s, %s).", gap,
		    tt_setting_name[TT_SETTING_SAVE], tt_setting_name[TT_SETTING_BASELINE]);
		gap = " ";
	}
	if (g->relative && g->assumed)
		tt_buf_text(&b, " Fewer than three sessions do not show how much sessions differ, so 2.5 % is assumed: for smaller margins suggest again "
		    "with a baseline of five.");
	if (g->blind.n)
		put_left_out(g, gap, &b);
	if (g->single)
		tt_buf_printf(&b, "%sOne capture does not show how much captures differ: with two or more there are rows with a change.", gap);
	if (b.n)
		tt_buf_printf(g->out, ",\n\t\"comment\": \"%.*s\"", (int)b.n, tt_buf_string(&b));
	if (b.failed || g->blind.failed)
		tt_buf_fail(g->out);
	tt_buf_free(&b);
}

/* The cap of most captures; 0: none. */
static int64_t
cap_of(const struct tt_sample *s, size_t n)
{
	size_t capped = 0;
	int64_t first = 0;

	for (size_t i = 0; i < n; i++) {
		capped += s[i].cap_ns != 0;
		first = first ? first : s[i].cap_ns;
	}
	return 2 * capped > n ? first : 0;
}

/* True if none of the ${n} captures names a session, and they were recorded on several days. */
static bool
is_of_days(const struct tt_sample *s, size_t n)
{
	const char *first = NULL;
	bool several = false;

	for (size_t i = 0; i < n; i++) {
		const char *date = tt_sample_fact(&s[i], "date");

		if (tt_sample_fact(&s[i], "session") || !date)
			return false;
		several |= first && strcmp(first, date) != 0;
		first = date;
	}
	return several;
}

static bool
has_frames(const struct tt_sample *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].frames > 0)
			return true;
	return false;
}

int
tt_budget_suggest(const struct tt_sample *s, size_t n, size_t own, const struct tt_measure *x, size_t nx, const char *frame_marker,
    struct tt_buf *out, struct tt_buf *left_out, struct tt_err *err)
{
	struct suggest g = { .base = { s, n, x, nx, is_of_days(s, own) }, .out = out, .cap_ns = cap_of(s, own) };

	tt_buf_text(out, "{\n\t\"tracetool_budget\": 1,\n");
	if (frame_marker) {
		tt_buf_text(out, "\t\"frame_marker\": ");
		tt_json_quote(out, frame_marker, strlen(frame_marker));
		tt_buf_text(out, ",\n");
	}
	tt_buf_text(out, "\t\"rows\": [");
	relative_rows(&g);
	tail_row(&g);
	alloc_rows(&g);
	collections_row(&g);
	pause_row(&g);
	heap_row(&g);
	if (!g.some) {
		tt_buf_free(&g.blind);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no frames, pauses or heap size for a budget: name a frame marker with %s",
		    tt_setting_name[TT_SETTING_FRAME_MARKER]);
	}
	tt_buf_text(out, "\n\t]");
	put_integrity(&g);
	put_advice(&g);
	tt_buf_text(out, "\n}\n");
	if (!has_frames(s, n))
		tt_buf_printf(&g.blind, "%sall rows of frames, which say the most: these captures have no whole frames; name the marker that begins one "
		    "with %s, and suggest again", g.blind.n ? "\n" : "", tt_setting_name[TT_SETTING_FRAME_MARKER]);
	*left_out = g.blind;
	return tt_buf_error(out, err);
}
