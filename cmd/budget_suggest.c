/**
 * A budget to start from; the contract is in verdict.h.
 *
 * What it suggests is what can be judged: changes of the median and mean from +2 % up, more where the captures themselves differ by
 * more; tails as frames over a limit per thousand, for p99 and the maximum of a capture hang on a few frames; of capped frames both
 * of CPU-active time, for wall time is the limit's; allocation as "none" where there is none; the largest pause and heap of all
 * captures as warnings, for the next captures of the same build are often a little worse.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "gate/sample.h"
#include "pass/pass.h"
#include "stat/compare.h"
#include "stat/num.h"
#include "verdict.h"
#include "view/figures.h"

struct suggest {
	const struct tt_sample *s;
	size_t n;
	const struct tt_measure *x;
	size_t nx;
	struct tt_buf *out;
	bool some;                    /* a row has been written */
	size_t relative;              /* rows that compare with a baseline */
	int64_t cap_ns;               /* the frames of most captures are capped, of the first at this; 0: they are not */
};

/* The captures' figures of a measure: how many, and of those known the median, spread and largest. */
struct spread { size_t n; int64_t median, sd, max; };

static struct spread
spread_of(const struct suggest *g, const char *key)
{
	struct spread r = { 0 };
	int64_t v[256];

	for (size_t i = 0; i < g->nx; i++) {
		if (strcmp(g->x[i].key, key) != 0)
			continue;
		for (size_t k = 0; k < g->n && r.n < 256; k++)
			if (g->s[k].value[i].known)
				v[r.n++] = g->s[k].value[i].v;
	}
	tt_sort_i64(v, r.n);
	r.median = tt_quantile_i64(v, r.n, 1, 2);
	r.sd = tt_stddev_i64(v, r.n);
	r.max = r.n ? v[r.n - 1] : 0;
	return r;
}

/* Twice the spread in whole percent, at least 2. */
static int64_t
room(const struct spread *r)
{
	int64_t percent = r->median > 0 ? tt_scale(r->sd, 200, r->median) + 1 : 2;

	return percent < 2 ? 2 : percent;
}

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

/* A row that leaves room for the captures' own spread. */
static void
relative_row(struct suggest *g, const char *id, const char *metric, const char *stat, enum tt_dim dim)
{
	char key[80], median[64], sd[64];
	struct spread r;
	size_t n = strlen(metric);

	memcpy(key, metric, n);
	key[n] = '.';
	memcpy(key + n + 1, stat, strlen(stat) + 1);
	r = spread_of(g, key);
	if (r.n == 0 || r.median <= 0)
		return;
	g->relative++;
	begin_row(g, id, metric, stat);
	tt_buf_printf(g->out, ", \"max\": \"+%lld%%\",\n\t\t  \"comment\": \"%s", (long long)room(&r),
	    amount(median, r.median, dim));
	if (r.n > 1)
		tt_buf_printf(g->out, "; standard deviation of the %zu captures %s", r.n, amount(sd, r.sd, dim));
	tt_buf_text(g->out, "\" }");
}

/* Frames over the least usual limit that is half as long again as the median frame. */
static void
tail_row(struct suggest *g)
{
	static const struct { const char *text; int64_t ns; } limit[] = {
		{ "8.33ms", 8330000 }, { "11.11ms", 11110000 }, { "16.67ms", 16670000 }, { "22.22ms", 22220000 },
		{ "33.33ms", 33330000 }, { "50ms", 50000000 }, { "66.67ms", 66670000 }, { "100ms", 100000000 },
		{ "250ms", 250000000 }, { "1s", 1000000000 },
	};
	static const struct { const char *wall, *cpu; int per_1000; } most[] = {
		{ "frame.time.p99", "frame.cpu.p99", 10 }, { "frame.time.p95", "frame.cpu.p95", 50 }, { "frame.time.p90", "frame.cpu.p90", 100 },
		{ "frame.time.median", "frame.cpu.median", 500 },
	};
	bool cpu = g->cap_ns != 0;
	struct spread r = spread_of(g, cpu ? most[3].cpu : most[3].wall), p99 = spread_of(g, cpu ? most[0].cpu : most[0].wall);
	size_t k = 0, q = 0, n = sizeof limit / sizeof *limit, nmost = sizeof most / sizeof *most;
	char text[64];

	if (r.n == 0)
		return;
	while (k + 1 < n && tt_frame_limit(limit[k].ns) < tt_scale(r.median, 3, 2 * TT_AMOUNT_ONE))
		k++;
	/* So many are over at most: the quantile says it of every capture. */
	while (q + 1 < nmost && spread_of(g, cpu ? most[q].cpu : most[q].wall).max > tt_scale(tt_frame_limit(limit[k].ns), TT_AMOUNT_ONE, 1))
		q++;
	begin_row(g, "hitches", cpu ? "frame.cpu.over" : "frame.over", NULL);
	tt_buf_printf(g->out, ", \"limit\": \"%s\", \"stat\": \"per_1000\", \"max\": %d, \"level\": \"warn\",\n"
	    "\t\t  \"comment\": \"frames of a thousand; p99 is %s\" }", limit[k].text, most[q].per_1000,
	    amount(text, p99.median, TT_DIM_TIME));
}

/* ${v} and a fifth more, in the unit that people would take. */
static void
put_rounded(struct suggest *g, int64_t v, enum tt_dim dim)
{
	static const struct { const char *name; enum tt_dim dim; int64_t size; } unit[] = {
		{ "ms", TT_DIM_TIME, 1000000 }, { "us", TT_DIM_TIME, 1000 }, { "MiB", TT_DIM_BYTES, 1 << 20 },
		{ "KiB", TT_DIM_BYTES, 1 << 10 }, { "B", TT_DIM_BYTES, 1 }, { "ns", TT_DIM_TIME, 1 },
	};
	int64_t more = tt_scale(v, 12, 10 * TT_AMOUNT_ONE);

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
	struct spread r = spread_of(g, key);
	char text[64];

	if (r.n == 0 || r.max <= 0)
		return;
	begin_row(g, id, metric, stat);
	tt_buf_text(g->out, ", \"max\": ");
	put_rounded(g, r.max, dim);
	tt_buf_printf(g->out, ", \"over\": \"worst\"%s,\n\t\t  \"comment\": \"at most %s in the captures\" }",
	    warn ? ", \"level\": \"warn\"" : "", amount(text, r.max, dim));
}

/* Where few frames allocate, what counts is how many do. */
static void
alloc_rows(struct suggest *g)
{
	struct spread r = spread_of(g, "gc.alloc.frames.per_1000");

	if (r.n && r.max == 0) {
		begin_row(g, "no-allocation", "gc.alloc.bytes", "per_frame.max");
		tt_buf_text(g->out, ", \"max\": \"0B\", \"over\": \"worst\",\n\t\t  \"comment\": \"no frame "
		    "of these captures allocates\" }");
	} else if (r.n && r.max < 100 * TT_AMOUNT_ONE) {
		absolute_row(g, "alloc-frames", "gc.alloc.frames", "per_1000", "gc.alloc.frames.per_1000", TT_DIM_PER_1000, false);
	} else {
		relative_row(g, "alloc-bytes", "gc.alloc.bytes", "per_frame.mean", TT_DIM_BYTES);
		relative_row(g, "alloc-count", "gc.alloc.count", "per_frame.mean", TT_DIM_NUMBER);
	}
}

/* What to do next: where frames come from, else how many captures the relative rows want on each side. */
static void
put_advice(struct suggest *g)
{
	size_t n = 2, frames = 0;
	char at[TT_CAP_TEXT];

	for (size_t i = 0; i < g->n; i++)
		frames += g->s[i].frames;
	if (frames == 0)
		tt_buf_text(g->out, ",\n\t\"comment\": \"These captures have no whole frames, and rows of frames say most: name "
		    "the marker that begins a frame with --frame-marker, and suggest again.\"");
	if (g->cap_ns) {
		*tt_put_cap(at, g->cap_ns) = '\0';
		tt_buf_printf(g->out, ",\n\t\"comment\": \"Frames are capped at %s: their rows are of CPU-active time, for wall time is that of the limit.%s",
		    at, g->relative ? " " : "\"");
	}
	if (frames == 0 || g->relative == 0)
		return;
	while (n < 100 && tt_mann_whitney_least(n, n) * (double)g->relative > 0.05)
		n++;
	if (!g->cap_ns)
		tt_buf_text(g->out, ",\n\t\"comment\": \"");
	tt_buf_printf(g->out, "Rows with a change for max are held against a baseline (--save, "
	    "--baseline): these want at least %zu captures on each side, better 8.\"", n);
}

/* What the frames of most captures are capped at. */
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

int
budget_suggest(const struct tt_sample *s, size_t n, const struct tt_measure *x, size_t nx, const char *frame_marker,
    struct tt_buf *out, struct tt_err *err)
{
	struct suggest g = { .s = s, .n = n, .x = x, .nx = nx, .out = out, .cap_ns = cap_of(s, n) };

	tt_buf_text(out, "{\n\t\"tracetool_budget\": 1,\n");
	if (frame_marker) {
		tt_buf_text(out, "\t\"frame_marker\": ");
		tt_json_quote(out, frame_marker, strlen(frame_marker));
		tt_buf_text(out, ",\n");
	}
	tt_buf_text(out, "\t\"rows\": [");
	if (!g.cap_ns) {
		relative_row(&g, "frame-median", "frame.time", "median", TT_DIM_TIME);
		relative_row(&g, "frame-mean", "frame.time", "mean", TT_DIM_TIME);
	}
	relative_row(&g, "cpu-median", "frame.cpu", "median", TT_DIM_TIME);
	if (g.cap_ns)
		relative_row(&g, "cpu-mean", "frame.cpu", "mean", TT_DIM_TIME);
	relative_row(&g, "main-median", "frame.main", "median", TT_DIM_TIME);
	relative_row(&g, "render-median", "frame.render", "median", TT_DIM_TIME);
	relative_row(&g, "gpu-median", "frame.gpu", "median", TT_DIM_TIME);
	tail_row(&g);
	alloc_rows(&g);
	absolute_row(&g, "gc-pause", "gc.pause", "max", "gc.pause.max", TT_DIM_TIME, true);
	absolute_row(&g, "heap", "heap.size", "max", "heap.size.max", TT_DIM_BYTES, true);
	if (!g.some)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the captures have no figure to make a budget of: no whole frames (name the marker "
		    "that begins a frame with --frame-marker; \"tracetool info\" lists likely ones), no pauses and no heap size");
	tt_buf_text(out, "\n\t]");
	put_advice(&g);
	tt_buf_text(out, "\n}\n");
	return tt_buf_error(out, err);
}
