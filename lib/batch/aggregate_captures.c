/**
 * Keeps single captures of a batch: those that failed, and the slowest of the others, as many as a page has room for. The choice does not
 * depend on the order of lines.
 *
 * A capture is an outlier if the 95th percentile of its frames (for capped frames: of uncapped time, because the limit decides the wall time)
 * is far above the median of its group: by more than three times the usual spread (the median distance from the median, times 1.4826, which
 * is the standard deviation of a normal distribution), and by more than a twentieth. That needs one number of each capture; everything else
 * is kept only for captures that are shown.
 */
#include "batch/aggregate_captures.h"

#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "batch/result.h"
#include "model/loss.h"
#include "out/table.h"
#include "stat/num.h"

enum { TEXTS = 7, OUTLIERS_OF = 8 };

enum { X_KEY, X_OUTCOME, X_WHY, X_DETAIL, X_GROUP, X_FILE, X_LOSS };

/* A capture that is kept; its texts follow it in the same block. */
struct tt_capture_row {
	const char *text[TEXTS];
	size_t bytes;                 /* size of the block */
	uint64_t group;               /* hash of its group */
	bool bad, has_frames, knows_allocs, knows_over, has_limit;
	int64_t frames, median, p95, p99, max, over, late, alloc_b, duration;
	int64_t cap, uncapped_median, uncapped_p95;     /* for capped frames; else 0 */
	int64_t by;                   /* the 95th percentile by which captures are compared */
};

void
tt_captures_free(struct tt_captures *c, struct tt_mem *mem)
{
	for (size_t i = 0; i < c->nbad; i++)
		tt_mem_free(mem, c->bad[i], c->bad[i]->bytes);
	for (size_t i = 0; i < c->nslow; i++)
		tt_mem_free(mem, c->slow[i], c->slow[i]->bytes);
	tt_mem_free(mem, c->time, c->captime * sizeof *c->time);
}

/* --- one after the other ------------------------------------------------------------------------ */

/* True if ${a} ranks before ${b}: with frames before without, slower first, then by key. */
static bool
before(const struct tt_capture_row *a, const struct tt_capture_row *b)
{
	if (a->has_frames != b->has_frames)
		return a->has_frames;
	return a->by != b->by ? a->by > b->by : strcmp(a->text[X_KEY], b->text[X_KEY]) < 0;
}

/* Restore the heap order below ${i}: the root is the lowest-ranked capture, which is evicted first. */
static void
sink(struct tt_captures *c, size_t i)
{
	for (size_t kid; (kid = 2 * i + 1) < c->nslow; i = kid) {
		struct tt_capture_row *up = c->slow[i];

		kid += kid + 1 < c->nslow && before(c->slow[kid], c->slow[kid + 1]);
		if (!before(up, c->slow[kid]))
			return;
		c->slow[i] = c->slow[kid];
		c->slow[kid] = up;
	}
}

static void
rise(struct tt_captures *c, size_t i)
{
	for (; i > 0 && before(c->slow[(i - 1) / 2], c->slow[i]); i = (i - 1) / 2) {
		struct tt_capture_row *up = c->slow[(i - 1) / 2];

		c->slow[(i - 1) / 2] = c->slow[i];
		c->slow[i] = up;
	}
}

/* Keep ${row}; if there is no room, drop the lowest-ranked row. */
static void
keep(struct tt_captures *c, struct tt_capture_row *row, struct tt_mem *mem)
{
	if (row->bad && c->nbad < TT_CAPTURES_BAD) {
		c->bad[c->nbad++] = row;
		return;
	}
	if (row->bad) {
		/* Keep the captures with the smallest keys. Keys come in order, but not where parts are added up. */
		size_t last = 0;

		for (size_t i = 1; i < c->nbad; i++)
			last = strcmp(c->bad[i]->text[X_KEY], c->bad[last]->text[X_KEY]) > 0 ? i : last;
		if (strcmp(row->text[X_KEY], c->bad[last]->text[X_KEY]) < 0) {
			struct tt_capture_row *out = c->bad[last];

			c->bad[last] = row;
			row = out;
		}
		tt_mem_free(mem, row, row->bytes);
		return;
	}
	if (c->nslow < TT_CAPTURES_SLOW) {
		c->slow[c->nslow++] = row;
		rise(c, c->nslow - 1);
		return;
	}
	if (before(row, c->slow[0])) {
		struct tt_capture_row *out = c->slow[0];

		c->slow[0] = row;
		row = out;
		sink(c, 0);
	}
	tt_mem_free(mem, row, row->bytes);
}

static int64_t
number(const json_t *o, const char *name)
{
	json_int_t v = json_integer_value(json_object_get(o, name));

	return v > 0 ? v : 0;
}

/* "dropped 13830033, stopped 1": the kinds of losses that the capture has, with their counts. */
static const char *
losses_of(const struct tt_result *r, struct tt_buf *text)
{
	const json_t *losses = json_object_get(r->doc, "loss");

	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const json_t *v = json_object_get(losses, tt_loss_info[k].id);

		if (v)
			tt_buf_printf(text, "%s%s %lld", text->n ? ", " : "", tt_loss_info[k].id, (long long)json_integer_value(json_array_get(v, 0)));
	}
	return tt_buf_string(text);
}

static struct tt_capture_row *
new_row(const struct tt_result *r, const char *group, struct tt_mem *mem, struct tt_err *err)
{
	const json_t *m = json_object_get(r->doc, "metrics");
	struct tt_buf losses = { 0 };
	const char *text[TEXTS] = { r->key, r->outcome, r->why, r->detail, group, tt_result_page(r), losses_of(r, &losses) };
	size_t bytes = sizeof(struct tt_capture_row);
	struct tt_capture_row *row;
	char *to;

	for (size_t i = 0; i < TEXTS; i++)
		bytes += strlen(text[i]) + 1;
	row = tt_buf_error(&losses, err) == TT_OK ? tt_mem_alloc(mem, bytes, err) : NULL;
	if (!row) {
		tt_buf_free(&losses);
		return NULL;
	}
	*row = (struct tt_capture_row){ .bytes = bytes, .bad = strcmp(r->outcome, "ok") != 0, .group = tt_hash_bytes(group, strlen(group)),
		.frames = number(m, "frames.count"), .median = number(m, "frames.median_ns"), .p95 = number(m, "frames.p95_ns"),
		.p99 = number(m, "frames.p99_ns"), .max = number(m, "frames.max_ns"), .over = number(m, "frames.over_33_33"), .late = number(m, "frames.late"),
		.alloc_b = number(m, "gcalloc.bytes"), .duration = number(r->doc, "duration_ns"), .cap = number(m, "frames.cap_ns"),
		.uncapped_median = number(m, "frames.uncapped_median_ns"), .uncapped_p95 = number(m, "frames.uncapped_p95_ns") };
	/* If fewer than one frame in twenty is late, compare by uncapped time, which shows the room left below the limit; else by wall time. */
	row->by = row->uncapped_p95 && row->late * 20 < row->frames ? row->uncapped_p95 : row->p95;
	row->has_limit = json_object_get(m, "frames.late") != NULL;
	row->knows_over = json_object_get(m, "frames.over_33_33") != NULL;
	row->has_frames = row->frames > 0;
	row->knows_allocs = json_object_get(m, "gcalloc.bytes") != NULL;
	to = (char *)(row + 1);
	for (size_t i = 0; i < TEXTS; i++) {
		row->text[i] = to;
		to = stpcpy(to, text[i]) + 1;
	}
	tt_buf_free(&losses);
	return row;
}

int
tt_captures_add(struct tt_captures *c, const struct tt_result *r, const char *group, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_capture_row *row = new_row(r, group, mem, err);

	if (!row)
		return err->code;
	c->n++;
	if (row->has_frames) {
		if (tt_mem_grow(mem, &c->time, &c->captime, c->ntime + 1, sizeof *c->time, err) != TT_OK) {
			tt_mem_free(mem, row, row->bytes);
			return err->code;
		}
		c->time[c->ntime++] = (struct tt_capture_time){ row->group, row->by };
	}
	keep(c, row, mem);
	return TT_OK;
}

/* --- outliers ------------------------------------------------------------------------------------- */

static int
by_time(const void *a, const void *b)
{
	const struct tt_capture_time *x = a, *y = b;

	return x->group != y->group ? TT_CMP(x->group, y->group) : TT_CMP(x->p95, y->p95);
}

/* The limit above which one of the ${n} sorted times ${t} of a group is an outlier; ${away}: scratch memory for ${n} numbers. */
static int64_t
limit_of(const struct tt_capture_time *t, size_t n, int64_t *away)
{
	int64_t median = t[(n - 1) / 2].p95, spread;

	for (size_t i = 0; i < n; i++)
		away[i] = t[i].p95 > median ? t[i].p95 - median : median - t[i].p95;
	tt_sort_i64(away, n);
	spread = tt_ratio((uint64_t)away[(n - 1) / 2], 44478, 10000);
	return median + (spread > median / 20 ? spread : median / 20);
}

/* Replace the times of captures by one limit for each group. */
static int
find_limits(struct tt_captures *c, struct tt_mem *mem, struct tt_err *err)
{
	int64_t *away = c->ntime ? tt_mem_alloc(mem, c->ntime * sizeof *away, err) : NULL;
	size_t groups = 0;

	if (c->ntime && !away)
		return err->code;
	tt_sort(c->time, c->ntime, by_time);
	for (size_t i = 0, end; i < c->ntime; i = end) {
		for (end = i + 1; end < c->ntime && c->time[end].group == c->time[i].group;)
			end++;
		c->time[groups++] = (struct tt_capture_time){ c->time[i].group, end - i < OUTLIERS_OF ? INT64_MAX : limit_of(c->time + i, end - i, away) };
	}
	tt_mem_free(mem, away, c->ntime * sizeof *away);
	c->ngroup = groups;
	c->limited = true;
	return TT_OK;
}

static bool
is_outlier(const struct tt_captures *c, const struct tt_capture_row *row)
{
	size_t at = tt_lower_bound(i, 0, c->ngroup, c->time[i].group < row->group);

	return row->has_frames && at < c->ngroup && c->time[at].group == row->group && row->by > c->time[at].p95;
}

/* --- the table ------------------------------------------------------------------------------------ */

enum { C_KEY, C_OUTCOME, C_OUTLIER, C_GROUP, C_FRAMES, C_MEDIAN, C_P95, C_P99, C_MAX, C_CAP, C_UNCAPPED_MEDIAN, C_UNCAPPED_P95, C_OVER, C_LATE, C_ALLOC,
	C_DURATION, C_LOSS, C_WHY, C_DETAIL, C_FILE, C_N };
const struct tt_col tt_captures_col[C_N] = {
	[C_KEY] = { "key", "capture", TT_UNIT_TEXT, "Key of the capture." },
	[C_OUTCOME] = { "outcome", "outcome", TT_UNIT_TEXT, "ok, damaged or failed." },
	[C_OUTLIER] = { "outlier", "outlier", TT_UNIT_TEXT, "slow if the 95th percentile of its frames (of capped ones, unless one in twenty is late: of their "
	    "uncapped time) is far above that of the others of its group." },
	[C_GROUP] = { "group", "group", TT_UNIT_TEXT, "The facts that captures of its group share." },
	[C_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Whole frames." },
	[C_MEDIAN] = { "frame_median_ns", "median", TT_UNIT_NS, "Median wall time of its frames." },
	[C_P95] = { "frame_p95_ns", "p95", TT_UNIT_NS, "Their 95th percentile." },
	[C_P99] = { "frame_p99_ns", "p99", TT_UNIT_NS, "Their 99th percentile." },
	[C_MAX] = { "frame_max_ns", "max", TT_UNIT_NS, "The longest frame." },
	[C_CAP] = { "frame_cap_ns", "capped at", TT_UNIT_NS, "Time that the frame limit makes each frame last; empty if frames are not capped." },
	[C_UNCAPPED_MEDIAN] = { "frame_uncapped_median_ns", "uncapped median", TT_UNIT_NS, "Of capped frames, the median uncapped time." },
	[C_UNCAPPED_P95] = { "frame_uncapped_p95_ns", "uncapped p95", TT_UNIT_NS, "Of capped frames, the 95th percentile of the uncapped time." },
	[C_OVER] = { "over_33_33", "over 33.33 ms", TT_UNIT_COUNT, "Frames too long for 30 fps: shown for longer than 1/30 s and a microsecond; "
	    "empty where too few frames tell." },
	[C_LATE] = { "late", "late", TT_UNIT_COUNT, "Frames that took more refreshes than their frame limit gives them; empty where no limit shows." },
	[C_ALLOC] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated; empty if they are not recorded." },
	[C_DURATION] = { "duration_ns", "recorded", TT_UNIT_NS, "Time from the first event to the last." },
	[C_LOSS] = { "loss", "lost", TT_UNIT_TEXT, "What it lost, guessed or left out: kinds of the table loss, each with its count; empty: nothing." },
	[C_WHY] = { "why", "why", TT_UNIT_TEXT, "Where it is not ok: the reason in a word." },
	[C_DETAIL] = { "detail", "detail", TT_UNIT_TEXT, "The reason in a line." },
	[C_FILE] = { "file", "page", TT_UNIT_TEXT, "The page made of it, among the files made of captures." },
};
const size_t tt_captures_ncol = C_N;

static void
put_row(const struct tt_captures *c, const struct tt_capture_row *row, struct tt_table *t)
{
	struct tt_cell *cell = tt_row(t);

	tt_cell_text(&cell[C_KEY], tt_text(t->r, "%s", row->text[X_KEY]));
	tt_cell_text(&cell[C_OUTCOME], tt_text(t->r, "%s", row->text[X_OUTCOME]));
	tt_cell_name(&cell[C_WHY], tt_text(t->r, "%s", row->text[X_WHY]));
	tt_cell_name(&cell[C_DETAIL], tt_text(t->r, "%s", row->text[X_DETAIL]));
	tt_cell_name(&cell[C_GROUP], tt_text(t->r, "%s", row->text[X_GROUP]));
	tt_cell_name(&cell[C_LOSS], tt_text(t->r, "%s", row->text[X_LOSS]));
	tt_cell_name(&cell[C_FILE], tt_text(t->r, "%s", row->text[X_FILE]));
	if (is_outlier(c, row))
		tt_cell_text(&cell[C_OUTLIER], "slow");
	if (row->has_frames) {
		tt_cell_int(&cell[C_FRAMES], row->frames);
		tt_cell_int(&cell[C_MEDIAN], row->median);
		tt_cell_int(&cell[C_P95], row->p95);
		tt_cell_int(&cell[C_P99], row->p99);
		tt_cell_int(&cell[C_MAX], row->max);
		if (row->knows_over)
			tt_cell_int(&cell[C_OVER], row->over);
		if (row->has_limit)
			tt_cell_int(&cell[C_LATE], row->late);
		if (row->cap)
			tt_cell_int(&cell[C_CAP], row->cap);
		if (row->uncapped_p95) {
			tt_cell_int(&cell[C_UNCAPPED_MEDIAN], row->uncapped_median);
			tt_cell_int(&cell[C_UNCAPPED_P95], row->uncapped_p95);
		}
	}
	if (row->knows_allocs)
		tt_cell_int(&cell[C_ALLOC], row->alloc_b);
	if (strcmp(row->text[X_OUTCOME], "failed") != 0)
		tt_cell_int(&cell[C_DURATION], row->duration);
}

static int
by_key(const void *a, const void *b)
{
	const struct tt_capture_row *const *x = a, *const *y = b;
	bool failed = strcmp((*x)->text[X_OUTCOME], "failed") == 0, other = strcmp((*y)->text[X_OUTCOME], "failed") == 0;

	return failed != other ? failed ? -1 : 1 : strcmp((*x)->text[X_KEY], (*y)->text[X_KEY]);
}

static int
by_p95(const void *a, const void *b)
{
	const struct tt_capture_row *const *x = a, *const *y = b;

	return before(*x, *y) ? -1 : before(*y, *x);
}

void
tt_captures_report(struct tt_captures *c, struct tt_table *t)
{
	if (!c->limited && find_limits(c, t->r->mem, &t->r->err) != TT_OK)
		return;
	tt_sort(c->bad, c->nbad, by_key);
	tt_sort(c->slow, c->nslow, by_p95);
	for (size_t i = 0; i < c->nbad; i++)
		put_row(c, c->bad[i], t);
	for (size_t i = 0; i < c->nslow; i++)
		put_row(c, c->slow[i], t);
	t->whole = false;
	t->hidden = (size_t)(c->n - c->nbad - c->nslow);
}
