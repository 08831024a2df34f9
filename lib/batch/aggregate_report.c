/**
 * Makes the tables of a batch's totals.
 */
#include "batch/aggregate.h"

#include <string.h>

#include "base/setting.h"
#include "batch/aggregate_sums.h"
#include "model/loss.h"
#include "pass/pass.h"
#include "stat/hist.h"
#include "stat/num.h"
#include "view/figures.h"

enum { T_TOTAL, T_GROUPS, T_DAYS, T_FRAMES, T_OUTCOMES, T_MEMBERS, T_LOSSES, T_FAILURES, T_CAPTURES, T_N };

/* The columns for all captures, for a group and for a day. The first column is its name. */
enum { C_NAME, C_CAPTURES, C_OK, C_DAMAGED, C_FAILED, C_FRAMES, C_FPS, C_MEAN, C_MEDIAN, C_P95, C_P99, C_MAX, C_UNCAPPED_MEDIAN, C_UNCAPPED_P95, C_OVER, C_LATE,
	C_ONE, C_TWO, C_THREE, C_MORE, C_ALLOC, C_ALLOCS, C_FRAME_ALLOC, C_COLLECTIONS, C_PAUSES, C_PAUSE_P99, C_PAUSE_MAX, C_STOPPED_MAX, C_DURATION,
	C_EVENTS, C_SPOOLED, C_MISSING, C_N };

#define SUM_COLS(id, title, text) { \
	[C_NAME] = { id, title, TT_UNIT_TEXT, text }, \
	[C_CAPTURES] = { "captures", "captures", TT_UNIT_COUNT, "Captures, whatever came of them." }, \
	[C_OK] = { "ok", "ok", TT_UNIT_COUNT, "Those read whole." }, \
	[C_DAMAGED] = { "damaged", "damaged", TT_UNIT_COUNT, "Those of which a part could be read; their figures count." }, \
	[C_FAILED] = { "failed", "failed", TT_UNIT_COUNT, "Those that gave no figures." }, \
	[C_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Whole frames of all captures." }, \
	[C_FPS] = { "fps", "shown FPS", TT_UNIT_MILLI, "Frames divided by the wall time they last." }, \
	[C_MEAN] = { "frame_mean_ns", "frame mean", TT_UNIT_NS, "Mean wall time of the frames." }, \
	[C_MEDIAN] = { "frame_median_ns", "median", TT_UNIT_NS, "Median wall time of all frames together, within 1.6 %." }, \
	[C_P95] = { "frame_p95_ns", "p95", TT_UNIT_NS, "Their 95th percentile, within 1.6 %." }, \
	[C_P99] = { "frame_p99_ns", "p99", TT_UNIT_NS, "Their 99th percentile, within 1.6 %." }, \
	[C_MAX] = { "frame_max_ns", "max", TT_UNIT_NS, "The longest frame." }, \
	[C_UNCAPPED_MEDIAN] = { "frame_uncapped_median_ns", "uncapped median", TT_UNIT_NS, \
	    "Median uncapped time of the frames of captures whose frames are capped, within 1.6 %; empty if none are." }, \
	[C_UNCAPPED_P95] = { "frame_uncapped_p95_ns", "uncapped p95", TT_UNIT_NS, "Their 95th percentile, within 1.6 %." }, \
	[C_OVER] = { "over_33_33", "over 33.33 ms", TT_UNIT_COUNT, "Frames too long for 30 fps: shown for longer than 1/30 s and a microsecond; " \
	    "empty where too few frames tell." }, \
	[C_LATE] = { "late", "late", TT_UNIT_COUNT, "Frames that took more refreshes than their frame limit gives them; empty where no limit shows." }, \
	TT_TOOK_COLS(C_ONE), \
	[C_ALLOC] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated; empty if no capture records allocations." }, \
	[C_ALLOCS] = { "allocs", "allocations", TT_UNIT_COUNT, "Objects allocated; empty likewise." }, \
	[C_FRAME_ALLOC] = { "frame_alloc_median_bytes", "per frame, median", TT_UNIT_BYTES, \
	    "Median over all frames of the bytes allocated in one, within 1.6 %." }, \
	[C_COLLECTIONS] = { "collections", "collections", TT_UNIT_COUNT, "Collections of all generations; empty if no capture records them." }, \
	[C_PAUSES] = { "pauses", "pauses", TT_UNIT_COUNT, "Times the world was stopped; empty if no capture records pauses." }, \
	[C_PAUSE_P99] = { "pause_p99_ns", "pause p99", TT_UNIT_NS, "99th percentile of the pauses, within 1.6 %." }, \
	[C_PAUSE_MAX] = { "pause_max_ns", "longest pause", TT_UNIT_NS, \
	    "The longest, with the wait for threads to stop: at the end of a program often a second in which none stops." }, \
	[C_STOPPED_MAX] = { "stopped_max_ns", "longest stop", TT_UNIT_NS, \
	    "The longest time in which all threads stood still; empty if no capture records it." }, \
	[C_DURATION] = { "duration_ns", "recorded", TT_UNIT_NS, "Sum of the captures' durations." }, \
	[C_EVENTS] = { "events", "events", TT_UNIT_COUNT, "Events read." }, \
	[C_SPOOLED] = { "spooled_bytes", "spooled", TT_UNIT_BYTES, "Bytes handed over whole, or kept to be read twice." }, \
	[C_MISSING] = { "missing", "missing", TT_UNIT_TEXT, "What the figures are without: shards that were not merged; empty: nothing." }, \
}

static const struct tt_col total_col[C_N] = SUM_COLS("total", "batch", "All captures together.");
static const struct tt_col group_col[C_N] = SUM_COLS("group", "group", "The facts that captures of the group share.");
static const struct tt_col day_col[C_N] = SUM_COLS("date", "date", "The captures' fact date, else the day they were recorded, UTC.");

enum { F_FROM, F_TO, F_COUNT, F_SHARE, F_UNTOLD, F_N };
static const struct tt_col frame_col[F_N] = {
	[F_FROM] = { "from_ns", "from", TT_UNIT_NS, "Frames longer than this (the first row: from 0)." },
	[F_TO] = { "to_ns", "to", TT_UNIT_NS, "Frames up to this; empty: no limit." },
	[F_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Frames shown for a time between." },
	[F_SHARE] = { "share", "share", TT_UNIT_PERCENT, "Their share of all that are counted so." },
	[F_UNTOLD] = { "untold", "untold", TT_UNIT_COUNT,
	    "Frames that lasted for a time between, of captures of too few frames to tell a limit: they may have been shown for another; empty: none are." },
};

enum { O_TYPE, O_OUTCOME, O_WHY, O_COUNT, O_N };
static const struct tt_col outcome_col[O_N] = {
	[O_TYPE] = { "type", "type", TT_UNIT_TEXT, "capture, archive, file (one that is neither), or member (of an archive, that could not be read)." },
	[O_OUTCOME] = { "outcome", "outcome", TT_UNIT_TEXT, "ok, damaged, failed or skipped." },
	[O_WHY] = { "why", "why", TT_UNIT_TEXT, "The reason in a word." },
	[O_COUNT] = { "count", "count", TT_UNIT_COUNT, "How many." },
};

enum { K_KIND, K_COUNT, K_N };
static const struct tt_col member_col[K_N] = {
	[K_KIND] = { "kind", "kind", TT_UNIT_TEXT, "What it is: empty, text, link, directory, and so on." },
	[K_COUNT] = { "count", "count", TT_UNIT_COUNT, "Files and members of archives of this kind." },
};

enum { L_KIND, L_SEVERITY, L_WHAT, L_CAPTURES, L_COUNT, L_BYTES, L_FIRST, L_ADVICE, L_N };
static const struct tt_col loss_col[L_N] = {
	[L_KIND] = { "kind", "kind", TT_UNIT_TEXT, "Kind of loss, as in the table loss." },
	[L_SEVERITY] = { "severity", "severity", TT_UNIT_TEXT, "notice: figures depend on it; loss: something is missing; error: the input is damaged." },
	[L_WHAT] = { "what", "what", TT_UNIT_PROSE, "The kind in words." },
	[L_CAPTURES] = { "captures", "captures", TT_UNIT_COUNT, "Captures that have it, without copies." },
	[L_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of occurrences in them, or of events if known." },
	[L_BYTES] = { "bytes", "bytes", TT_UNIT_BYTES, "Affected bytes of the (decompressed) input; empty if none were skipped." },
	[L_FIRST] = { "first", "first", TT_UNIT_TEXT, "Key of the first of these captures." },
	[L_ADVICE] = { "advice", "advice", TT_UNIT_PROSE, "Meaning, and what to do." },
};

enum { X_KEY, X_OUTCOME, X_WHY, X_DETAIL, X_N };
static const struct tt_col failure_col[X_N] = {
	[X_KEY] = { "key", "capture", TT_UNIT_TEXT, "Key of the capture or archive." },
	[X_OUTCOME] = { "outcome", "outcome", TT_UNIT_TEXT, "damaged or failed." },
	[X_WHY] = { "why", "why", TT_UNIT_TEXT, "The reason in a word." },
	[X_DETAIL] = { "detail", "detail", TT_UNIT_TEXT, "The reason in a line." },
};

static const struct tt_pass_table table[T_N] = {
	[T_TOTAL] = { .id = "batch", .title = "Batch", .col = total_col, .ncol = C_N },
	[T_GROUPS] = { .id = "batch_groups", .title = "Groups", .col = group_col, .ncol = C_N },
	[T_DAYS] = { .id = "batch_days", .title = "Trend by day of capture", .col = day_col, .ncol = C_N },
	[T_FRAMES] = { .id = "batch_frames", .title = "Frame times of all captures", .col = frame_col, .ncol = F_N },
	[T_OUTCOMES] = { .id = "batch_outcomes", .title = "Outcomes", .col = outcome_col, .ncol = O_N },
	[T_MEMBERS] = { .id = "batch_members", .title = "Not captures", .col = member_col, .ncol = K_N },
	[T_LOSSES] = { .id = "batch_losses", .title = "Lost, guessed or left out", .col = loss_col, .ncol = L_N },
	[T_FAILURES] = { .id = "batch_failures", .title = "Damaged and failed", .col = failure_col, .ncol = X_N },
	[T_CAPTURES] = { .id = "batch_captures", .title = "Captures: damaged and failed, then the slowest", .col = tt_captures_col },
};

bool
tt_aggregate_table(size_t i, struct tt_pass_table *t)
{
	*t = table[i < T_N ? i : 0];
	if (i == T_CAPTURES)
		t->ncol = tt_captures_ncol;
	return i < T_N;
}

static struct tt_table *
new_table(struct tt_report *r, int which)
{
	struct tt_pass_table t;

	tt_aggregate_table((size_t)which, &t);
	return tt_report_table(r, t.id, t.title, t.col, t.ncol);
}

/* The same as tt_hist_quantile(), for a range. */
static uint64_t
quantile(const struct range *r, uint64_t num, uint64_t den)
{
	uint64_t rank = tt_nearest_rank(r->total, num, den), seen = 0, v = r->max;

	if (rank == 1)
		return r->min;
	if (rank == r->total)
		return r->max;
	for (size_t i = 0; i < r->n; i++) {
		seen += r->b[i];
		if (seen >= rank) {
			v = tt_hist_value((unsigned)(r->lo + i));
			break;
		}
	}
	return v < r->min ? r->min : v > r->max ? r->max : v;
}

/*
 * A quantile of the histogram of frame times, corrected by the exact numbers of frames up to each edge, so that it lies on the right side of every edge.
 * ${row}: the numbers between edges; NULL: only the number over 33.33 ms is known, if all captures tell it.
 */
static int64_t
frame_quantile(const struct sums *s, const uint64_t *row, uint64_t num, uint64_t den)
{
	const uint64_t rank = tt_nearest_rank(s->frame.total, num, den);
	int64_t v = (int64_t)quantile(&s->frame, num, den);
	uint64_t seen = 0;

	for (size_t i = 0; i + 1 < TT_FRAME_ROWS; i++) {
		seen += row ? row[i] : 0;
		if (!row && (i != TT_FRAME_ROW_30 || s->lacks_over))
			continue;
		if (!row)
			seen = s->frames - s->over;
		if (seen >= rank)
			return v > tt_frame_edge[i] ? tt_frame_edge[i] : v;
		v = v > tt_frame_edge[i] ? v : tt_frame_edge[i] + 1;
	}
	return v;
}

/* Add a row of sums. ${row}: numbers of frames between the edges; NULL: not known. ${missing_text}: what the sums lack; NULL: nothing. */
static void
put_sums(struct tt_table *t, const struct sums *s, const uint64_t *row, const char *missing_text)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[C_NAME], s->name);
	tt_cell_int(&c[C_CAPTURES], (int64_t)s->captures);
	tt_cell_int(&c[C_OK], (int64_t)s->ok);
	tt_cell_int(&c[C_DAMAGED], (int64_t)s->damaged);
	tt_cell_int(&c[C_FAILED], (int64_t)s->failed);
	if (s->knows_allocs) {
		tt_cell_int(&c[C_ALLOC], (int64_t)s->alloc_b);
		tt_cell_int(&c[C_ALLOCS], (int64_t)s->allocs);
	}
	if (s->knows_collections)
		tt_cell_int(&c[C_COLLECTIONS], (int64_t)s->collections);
	if (s->knows_pauses)
		tt_cell_int(&c[C_PAUSES], (int64_t)s->pauses);
	tt_cell_int(&c[C_DURATION], (int64_t)s->duration_ns);
	tt_cell_int(&c[C_EVENTS], (int64_t)s->events);
	tt_cell_int(&c[C_SPOOLED], (int64_t)s->spooled);
	tt_cell_name(&c[C_MISSING], missing_text ? missing_text : "");
	if (s->frame.total > 0 && s->frames > 0) {
		tt_cell_int(&c[C_FRAMES], (int64_t)s->frames);
		tt_cell_int(&c[C_MEAN], tt_ratio(s->frame_ns, 1, s->frames));
		if (s->frame_ns > 0)
			tt_cell_int(&c[C_FPS], tt_ratio(s->frames, 1000000000000, s->frame_ns));
		tt_cell_int(&c[C_MEDIAN], frame_quantile(s, row, 1, 2));
		tt_cell_int(&c[C_P95], frame_quantile(s, row, 95, 100));
		tt_cell_int(&c[C_P99], frame_quantile(s, row, 99, 100));
		tt_cell_int(&c[C_MAX], (int64_t)s->frame.max);
		if (s->knows_over)
			tt_cell_int(&c[C_OVER], (int64_t)s->over);
		if (s->knows_late) {
			tt_cell_int(&c[C_LATE], (int64_t)s->late);
			for (unsigned i = 0; i < TT_TOOK; i++)
				tt_cell_int(&c[C_ONE + i], (int64_t)s->took[i]);
		}
	}
	if (s->uncapped.total > 0) {
		tt_cell_int(&c[C_UNCAPPED_MEDIAN], (int64_t)quantile(&s->uncapped, 1, 2));
		tt_cell_int(&c[C_UNCAPPED_P95], (int64_t)quantile(&s->uncapped, 95, 100));
	}
	if (s->frame_alloc.total > 0)
		tt_cell_int(&c[C_FRAME_ALLOC], (int64_t)quantile(&s->frame_alloc, 1, 2));
	if (s->pause.total > 0) {
		tt_cell_int(&c[C_PAUSE_P99], (int64_t)quantile(&s->pause, 99, 100));
		tt_cell_int(&c[C_PAUSE_MAX], s->pause_max);
		if (s->knows_stops)
			tt_cell_int(&c[C_STOPPED_MAX], s->stopped_max);
	}
}

static void
put_list(struct tt_report *r, int which, const struct list *l, const char *missing_text)
{
	struct tt_table *t = new_table(r, which);

	t->answer = C_P99;
	for (size_t i = 0; i < l->n; i++)
		put_sums(t, l->v[i], NULL, missing_text);
	if (l->more)
		put_sums(t, l->more, NULL, missing_text);
}

static void
put_frames(struct tt_report *r, const struct tt_aggregate *a)
{
	struct tt_table *t = new_table(r, T_FRAMES);
	uint64_t all = 0, untold = 0;

	t->whole = true;
	for (size_t i = 0; i < TT_FRAME_ROWS; i++) {
		all = all > INT64_MAX - a->row[i] ? INT64_MAX : all + a->row[i];
		untold = untold > INT64_MAX - a->untold[i] ? INT64_MAX : untold + a->untold[i];
	}
	for (size_t i = 0; i < TT_FRAME_ROWS && (all || untold); i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_int(&c[F_FROM], i ? tt_frame_edge[i - 1] : 0);
		if (i + 1 < TT_FRAME_ROWS)
			tt_cell_int(&c[F_TO], tt_frame_edge[i]);
		tt_cell_int(&c[F_COUNT], (int64_t)a->row[i]);
		if (all)
			tt_cell_int(&c[F_SHARE], tt_ratio(a->row[i], 10000, all));
		if (untold)
			tt_cell_int(&c[F_UNTOLD], (int64_t)a->untold[i]);
	}
}

static void
put_counts(struct tt_report *r, int which, const struct count *list, size_t n)
{
	struct tt_table *t = new_table(r, which);

	for (size_t i = 0; i < n; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[0], list[i].a);
		if (which == T_OUTCOMES) {
			tt_cell_text(&c[O_OUTCOME], list[i].b);
			tt_cell_name(&c[O_WHY], list[i].c);
			tt_cell_u64(&c[O_COUNT], list[i].n);
		} else {
			tt_cell_u64(&c[K_COUNT], list[i].n);
		}
	}
}

/* Put losses: worst first, then in the order of the ledger. */
static void
put_losses(struct tt_report *r, const struct tt_aggregate *a)
{
	struct tt_table *t = NULL;

	for (int severity = TT_ERROR; severity > TT_INFO; severity--)
		for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
			const struct lost *l = &a->loss[k];
			const struct tt_loss_info info = tt_loss_info_in_words(k, l->said);
			char advice[TT_LOSS_ADVICE];
			struct tt_cell *c;

			if (!l->captures || (int)info.severity != severity)
				continue;
			t = t ? t : new_table(r, T_LOSSES);
			c = tt_row(t);
			tt_cell_text(&c[L_KIND], info.id);
			tt_cell_text(&c[L_SEVERITY], tt_severity_name[severity]);
			tt_cell_text(&c[L_WHAT], info.text);
			tt_cell_u64(&c[L_CAPTURES], l->captures);
			tt_cell_u64(&c[L_COUNT], l->n);
			if (l->bytes)
				tt_cell_u64(&c[L_BYTES], l->bytes);
			tt_cell_text(&c[L_FIRST], l->first);
			tt_cell_text(&c[L_ADVICE], tt_text(r, "%s", tt_loss_advice(&info, advice)));
		}
}

/* Note that captures lack events which their recorder lost: their files are whole, so their outcome does not show it. */
static void
note_losses(const struct tt_aggregate *a, struct tt_report *r)
{
	enum tt_severity worst = TT_NOTICE;
	struct tt_buf text = { 0 };

	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const struct lost *l = &a->loss[k];
		char count[32], captures[32];

		const struct tt_loss_info info = tt_loss_info_in_words(k, l->said);

		if (!l->whole || info.damage || info.severity < TT_NOTICE)
			continue;
		worst = info.severity > worst ? info.severity : worst;
		*tt_put_count(count, (int64_t)l->of_whole) = '\0';
		*tt_put_count(captures, (int64_t)l->whole) = '\0';
		tt_buf_printf(&text, "%s%s: %s%sin %s capture%s", text.n ? "; " : "", info.text, l->of_whole > l->whole ? count : "",
		    l->of_whole > l->whole ? " " : "", captures, l->whole == 1 ? "" : "s");
	}
	if (a->lossy)
		tt_report_note(r, tt_severity_name[worst], "losses", tt_text(r, "%llu of %llu capture%s lack%s something though %s whole, or %s "
		    "figures depend on a guess (%s): the table batch_losses says what to do, and \"tracetool stats\" of a capture tells more",
		    (unsigned long long)a->lossy, (unsigned long long)a->total.captures, a->total.captures == 1 ? "" : "s", a->lossy == 1 ? "s" : "",
		    a->lossy == 1 ? "its file is" : "their files are", a->lossy == 1 ? "its" : "their", tt_buf_string(&text)));
	tt_buf_error(&text, &r->err);
	tt_buf_free(&text);
}

/* Note that programs of captures were killed, though all that they recorded is here. Other captures without an end are losses. */
static void
note_killed(const struct tt_aggregate *a, struct tt_report *r)
{
	const struct lost *l = &a->loss[TT_LOST_KILLED];

	if (l->captures)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "unended", tt_text(r, "%llu of %llu capture%s did not end cleanly, and %s read: the program "
		    "still runs, or was killed or crashed (%s%s)", (unsigned long long)l->captures, (unsigned long long)a->total.captures,
		    a->total.captures == 1 ? "" : "s", l->captures == 1 ? "its ring was" : "their rings were", l->first, l->captures == 1 ? "" : ", ..."));
}

static void
put_failures(struct tt_report *r, const struct tt_aggregate *a)
{
	struct tt_table *t = new_table(r, T_FAILURES);

	for (size_t i = 0; i < a->nfailure; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[X_KEY], a->failure[i].key);
		tt_cell_text(&c[X_OUTCOME], a->failure[i].outcome);
		tt_cell_text(&c[X_WHY], a->failure[i].why);
		tt_cell_text(&c[X_DETAIL], a->failure[i].detail);
	}
	t->hidden = (size_t)(a->failures - a->lost - a->nfailure);
}

/* Note, as a gate does, that the wall time of capped frames does not show work below the cap. */
static void
put_cap(const struct tt_aggregate *a, struct tt_report *r)
{
	char at[TT_CAP_TEXT], to[TT_CAP_TEXT];
	bool several;

	if (a->limited == 0)
		return;
	*tt_put_cap(at, a->cap_least) = '\0';
	*tt_put_cap(to, a->cap_most) = '\0';
	several = a->cap_most - a->cap_least > a->cap_least / 100;
	tt_report_note(r, tt_severity_name[TT_NOTICE], "capped_frames",
	    tt_text(r, "frames of %llu of %llu captures are capped at %s%s%s, so wall time does not show work that grows below that: outliers and the order of "
	    "captures are by uncapped time, and \"uncapped p95\" is the 95th percentile of that", (unsigned long long)a->limited,
	    (unsigned long long)a->total.captures, at, several ? " to " : "", several ? to : ""));
}

void
tt_aggregate_set_missing(struct tt_aggregate *a, const char *missing)
{
	a->missing_text = missing;
}

void
tt_aggregate_pattern(struct tt_aggregate *a, const char *pattern)
{
	a->pattern = pattern;
}

/* Note that captures count together with others. */
static void
put_named(const struct named *of, const char *id, const char *one, const char *more, struct tt_report *r)
{
	if (of->n)
		tt_report_note(r, tt_severity_name[TT_NOTICE], id, tt_text(r, "%llu of the captures %s, and figures count once: %.*s%s",
		    (unsigned long long)of->n, of->n == 1 ? one : more, (int)of->keys.n, of->keys.p, of->n > TT_AGGREGATE_COPIES ? ", ..." : ""));
}

/* Count the files of rotating recordings that are missing between files, and those that count twice. */
static void
put_recordings(const struct tt_aggregate *a, struct tt_report *r)
{
	const bool one = a->missing == 1;

	if (a->missing)
		tt_report_note(r, tt_severity_name[TT_ERROR], "files_missing",
		    tt_text(r, "%llu file%s of recordings that rotate %s missing between those that are there, in front of %.*s%s; figures lack %s",
			(unsigned long long)a->missing, one ? "" : "s", one ? "is" : "are", (int)a->gaps.keys.n, a->gaps.keys.p,
			a->gaps.n > TT_AGGREGATE_COPIES ? ", ..." : "", one ? "it" : "them"));
	if (a->begins.n)
		tt_report_note(r, tt_severity_name[TT_LOSS], "rotation",
		    tt_text(r, "of %llu recording%s that rotate%s the first files are not here: what came before %.*s%s is missing",
			(unsigned long long)a->begins.n, a->begins.n == 1 ? "" : "s", a->begins.n == 1 ? "s" : "", (int)a->begins.keys.n,
			a->begins.keys.p, a->begins.n > TT_AGGREGATE_COPIES ? ", ..." : ""));
	if (a->overlaps.n)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "overlaps",
		    tt_text(r, "%llu of the captures share files of their recording with one another, and figures count those twice: %.*s%s; "
		    "\"tracetool recover\" joins all files of a recording", (unsigned long long)a->overlaps.n, (int)a->overlaps.keys.n,
			a->overlaps.keys.p, a->overlaps.n > TT_AGGREGATE_COPIES ? ", ..." : ""));
}

/* Note that no path fits the pattern that facts are read by, with two paths as examples. */
static void
note_unfit(const struct tt_aggregate *a, struct tt_report *r)
{
	if (!a->fits && a->unfit[0])
		tt_report_note(r, tt_severity_name[TT_NOTICE], "no_path_fits",
		    tt_text(r, "%s: \"%s\" fits no path, such as %s%s%s; paths begin below the folder that was given, or below %s",
			tt_setting_name[TT_SETTING_META_FROM_PATH], a->pattern, a->unfit[0], a->unfit[1] ? " and " : "", a->unfit[1] ? a->unfit[1] : "",
			tt_setting_name[TT_SETTING_ROOT]));
}

/* Put the groups, if asked for; note if no capture has the facts that they are by, with two paths as examples. */
static void
put_groups(const struct tt_aggregate *a, struct tt_report *r)
{
	if (!a->group || !a->group[0])
		return;
	if (!a->grouped && a->ungrouped[0] && !(a->unfit[0] && !a->fits))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "no_groups",
		    tt_text(r, "no capture has a fact that %s names; %s reads facts from paths, such as "
		    "%s%s%s", tt_setting_name[TT_SETTING_GROUP_BY], tt_setting_name[TT_SETTING_META_FROM_PATH], a->ungrouped[0],
		    a->ungrouped[1] ? " and " : "", a->ungrouped[1] ? a->ungrouped[1] : ""));
	put_list(r, T_GROUPS, &a->groups, a->missing_text);
}

void
tt_aggregate_report(const struct tt_aggregate *a, struct tt_report *r)
{
	struct tt_table *t = new_table(r, T_TOTAL);
	uint64_t row[TT_FRAME_ROWS];

	for (size_t i = 0; i < TT_FRAME_ROWS; i++)
		row[i] = a->row[i] + a->untold[i];
	t->facts = true;
	put_sums(t, &a->total, row, a->missing_text);
	note_losses(a, r);
	note_killed(a, r);
	put_cap(a, r);
	if (a->total.ok > 0 && a->total.frame.total == 0)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "no_frames",
		    tt_text(r, "no capture has whole frames, so no figures of frames are here (for frames: %s)", tt_setting_name[TT_SETTING_FRAME_MARKER]));
	/* Without this note, figures by file of a rotation could be taken for those of whole recordings. */
	if (a->further)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "further_files",
		    tt_text(r, "%llu of the captures %s of %s (game.1.ttc), with figures of %s own; \"tracetool "
		    "recover\" joins a recording's files, and the joined capture counts in their place", (unsigned long long)a->further,
			a->further == 1 ? "is a further file" : "are further files", a->further == 1 ? "a recording that rotates" : "recordings that rotate",
			a->further == 1 ? "its" : "their"));
	if (a->outside)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "outside",
		    tt_text(r, "%llu of %llu captures ha%s nothing in %s", (unsigned long long)a->outside,
			(unsigned long long)a->total.captures, a->outside == 1 ? "s" : "ve", tt_setting_name[TT_SETTING_TIME]));
	for (unsigned how = 0; how < TT_LAYOUTS; how++)
		if (a->layout[how].n && tt_layout_note(tt_layout_name((enum tt_layout)how)))
			tt_report_note(r, tt_severity_name[TT_NOTICE], TT_META_LAYOUT, tt_text(r, "%llu of %llu captures, the first %s: %s",
			    (unsigned long long)a->layout[how].n, (unsigned long long)a->total.captures, a->layout[how].first,
			    tt_layout_note(tt_layout_name((enum tt_layout)how))));
	put_named(&a->copies, "copies", "has the same events as another capture", "have the same events as other captures", r);
	put_named(&a->held, "held", "is a part of a recording that another capture holds whole", "are parts of recordings that other captures hold whole", r);
	put_recordings(a, r);
	if (a->capped)
		tt_report_note(r, tt_severity_name[TT_LOSS], "capped",
		    "a total is larger than 9223372036854775807, which is shown in its place; means of it are too small");
	note_unfit(a, r);
	put_groups(a, r);
	if (a->days.n > 0)
		put_list(r, T_DAYS, &a->days, a->missing_text);
	if (a->total.frame.total > 0)
		put_frames(r, a);
	put_counts(r, T_OUTCOMES, a->outcome, a->noutcome);
	if (a->nkind > 0)
		put_counts(r, T_MEMBERS, a->kind, a->nkind);
	put_losses(r, a);
	if (a->nfailure > 0)
		put_failures(r, a);
	if (a->captures->n > 0)
		tt_captures_report(a->captures, new_table(r, T_CAPTURES));
}
