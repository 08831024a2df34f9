/**
 * Says at which rate the player saw frames: the table frame_shown, and sentences about it.
 */
#include "pass/shown.h"

#include "model/model.h"
#include "pass/passes.h"
#include "stat/num.h"
#include "view/view.h"

enum { C_PROCESS, C_FIRST, C_LAST, C_LIMIT, C_REFRESH, C_TARGET, C_COUNT, C_FPS, C_ONE, C_TWO, C_THREE, C_MORE, C_LATE, C_SHARE, C_SHOWN, C_READING };

const struct tt_col tt_shown_col[TT_SHOWN_COLUMNS] = {
	[C_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1; empty if there is one." },
	[C_FIRST] = { "first", "from frame", TT_UNIT_COUNT, "Number of the first frame with this limit." },
	[C_LAST] = { "last", "to", TT_UNIT_COUNT, "Number of the last one in a row." },
	[C_LIMIT] = { "limit", "limit", TT_UNIT_TEXT,
	    "What the limit is kept by: display (vertical sync), timer, none, or unknown where too few frames tell." },
	[C_REFRESH] = { "refresh_ns", "period", TT_UNIT_NS, "Period of the display's refreshes, or of the timer, as the frames show it." },
	[C_TARGET] = { "refreshes", "per frame", TT_UNIT_COUNT, "Periods that the limit gives a frame." },
	[C_COUNT] = { "count", "frames", TT_UNIT_COUNT, "Number of whole frames." },
	[C_FPS] = { "fps", "shown FPS", TT_UNIT_MILLI, "Frames divided by the time they last." },
	[C_ONE] = { "one", "took one", TT_UNIT_COUNT, "Frames that took one period." },
	[C_TWO] = { "two", "two", TT_UNIT_COUNT, "Frames that took two periods." },
	[C_THREE] = { "three", "three", TT_UNIT_COUNT, "Frames that took three periods." },
	[C_MORE] = { "more", "more", TT_UNIT_COUNT, "Frames that took four periods and more." },
	[C_LATE] = { "late", "late", TT_UNIT_COUNT, "Frames that took more periods than the limit gives them." },
	[C_SHARE] = { "late_share", "late", TT_UNIT_PERCENT, "Share of these frames." },
	[C_SHOWN] = { "shown_ns", "shown for", TT_UNIT_NS, "Time for which a frame that is not late is shown: what budgets are held against." },
	[C_READING] = { "reading", "reading", TT_UNIT_PROSE,
	    "What may make frames take several refreshes, or last as long as they do, where the capture does not tell: no verdict calls that good." },
};

struct tt_shown_tally
tt_shown_tally(const struct tt_frames *f, size_t first, size_t end)
{
	struct tt_shown_tally t = { { 0 }, 0, 0 };

	for (size_t i = first; i < end; i++) {
		const unsigned k = tt_frames_nrefreshes(f, i);

		if (k)
			t.took[k > TT_TOOK ? TT_TOOK - 1 : k - 1]++;
		t.late += tt_frames_is_late(f, i);
		t.ns += tt_frames_dur(f, i);
	}
	return t;
}

/* Return a rate such as "60 fps", "34.5 fps". */
static const char *
rate_text(struct tt_report *r, int64_t period)
{
	char t[TT_CAP_TEXT];

	*tt_put_cap(t, period) = '\0';
	t[strcspn(t, "(") - 1] = '\0';
	return tt_text(r, "%s", t);
}

static int64_t
limit_of(const struct tt_refresh_segment *s)
{
	return tt_frames_period_of(s) * s->target;
}

static const char *
doubt_of(const struct tt_refresh_segment *s)
{
	switch (s->reading) {
	case TT_READING_OR_GPU:
		return "a GPU that is too slow";
	case TT_READING_OR_WORK:
		return "work that takes longer than a refresh";
	case TT_READING_OR_NONE:
		return "a GPU that takes as long";
	default:
		return NULL;
	}
}

/* Say how a limit can be read: "a limit of 30 fps, or a GPU that is too slow"; "one refresh of 72 Hz, or two of 144 Hz with a GPU that is too slow". */
static const char *
reading_text(const struct tt_refresh_segment *s, struct tt_report *r)
{
	static const char *const number[] = { "two", "three", "four" };
	const char *or = doubt_of(s);
	unsigned times;
	const bool may_be_faster = s->reading == TT_READING_OR_GPU || s->reading == TT_READING_OR_WORK;
	const int rate = may_be_faster && s->kind == TT_REFRESH_GRID && s->target == 1 ? tt_refresh_faster(s->period_ps, &times) : 0;

	if (rate) {
		const char *fps = rate_text(r, tt_frames_period_of(s));

		return tt_text(r, "one refresh of %.*s Hz, or %s of %d Hz with %s", (int)(strlen(fps) - strlen(" fps")), fps, number[times - 2], rate, or);
	}
	return tt_text(r, "a limit of %s%s%s", rate_text(r, limit_of(s)), or ? ", or " : "", or ? or : "");
}

/* --- the table ------------------------------------------------------------------------ */

static void
put_segment(const struct tt_model *m, const struct tt_refresh_segment *s, struct tt_report *r, struct tt_cell *c)
{
	static const char *const kept_by[] = { [TT_REFRESH_NONE] = "none", [TT_REFRESH_GRID] = "display", [TT_REFRESH_TIMER] = "timer" };
	const struct tt_frames *f = m->frames;
	const struct tt_shown_tally is = tt_shown_tally(f, s->first, s->end);
	const size_t n = s->end - s->first;

	if (m->ncap > 1)
		tt_cell_int(&c[C_PROCESS], (int64_t)m->threads.t[tt_frames_thread(f, s->first)]->process + 1);
	tt_cell_u64(&c[C_FIRST], tt_frames_number(f, s->first));
	tt_cell_u64(&c[C_LAST], tt_frames_number(f, s->end - 1));
	tt_cell_text(&c[C_LIMIT], s->untold && s->kind == TT_REFRESH_NONE ? "unknown" : kept_by[s->kind]);
	tt_cell_u64(&c[C_COUNT], n);
	if (is.ns > 0)
		tt_cell_int(&c[C_FPS], tt_ratio(n, UINT64_C(1000000000000), (uint64_t)is.ns));
	if (s->kind == TT_REFRESH_NONE)
		return;
	tt_cell_int(&c[C_REFRESH], tt_ratio((uint64_t)s->period_ps, 1, 1000));
	tt_cell_u64(&c[C_TARGET], s->target);
	for (unsigned i = 0; i < TT_TOOK; i++)
		tt_cell_u64(&c[C_ONE + i], is.took[i]);
	tt_cell_u64(&c[C_LATE], is.late);
	tt_put_share(&c[C_SHARE], (int64_t)is.late, (int64_t)n);
	tt_cell_int(&c[C_SHOWN], limit_of(s));
	if (s->target > 1 || doubt_of(s))
		tt_cell_name(&c[C_READING], reading_text(s, r));
}

void
tt_shown_table(struct tt_making *k, struct tt_table *t)
{
	const struct tt_frames *f = k->m->frames;

	t->answer = C_LATE;
	for (size_t i = 0; i < f->nsegment; i++)
		put_segment(k->m, &f->segment[i], k->r, tt_row(t));
}

/* --- sentences ------------------------------------------------------------------------ */

enum { MAX_SEGMENTS = 4 };            /* number of segments that a sentence names */

/* Say the limit that all frames share. */
static const char *
only_limit(const struct tt_refresh_segment *s, struct tt_report *r)
{
	char at[TT_CAP_TEXT];

	if (s->kind == TT_REFRESH_NONE)
		return s->untold ? TT_UNTOLD_TEXT : "";
	*tt_put_cap(at, limit_of(s)) = '\0';
	if (!doubt_of(s))
		return tt_text(r, "frames are capped at %s", at);
	if (s->kind == TT_REFRESH_TIMER || (s->reading == TT_READING_OR_NONE && s->target == 1))
		return tt_text(r, "most frames in time are as long as each other: %s", reading_text(s, r));
	return s->target > 1 ? tt_text(r, "frames take %u refreshes: %s", s->target, reading_text(s, r)) : tt_text(r, "frames take %s", reading_text(s, r));
}

/* Say the limit of one segment among several: "30 fps, or slower by a GPU that is too slow". */
static const char *
one_limit(const struct tt_refresh_segment *s, struct tt_report *r)
{
	if (s->kind == TT_REFRESH_NONE)
		return s->untold ? "an unknown limit, if any," : "no limit";
	return doubt_of(s) ? tt_text(r, "%s (a limit, or %s)", rate_text(r, limit_of(s)), doubt_of(s)) : rate_text(r, limit_of(s));
}

const char *
tt_shown_limits(const struct tt_model *m, struct tt_report *r)
{
	const struct tt_frames *f = m->frames;
	const char *text = "";
	bool limited = false;

	if (f->nsegment == 1)
		return only_limit(&f->segment[0], r);
	for (size_t i = 0; i < f->nsegment; i++) {
		const struct tt_refresh_segment *s = &f->segment[i];
		const char *limit = one_limit(s, r);
		const unsigned long long first = tt_frames_number(f, s->first), last = tt_frames_number(f, s->end - 1);

		limited = limited || s->kind != TT_REFRESH_NONE;
		if (i >= MAX_SEGMENTS)
			continue;
		if (m->ncap > 1)
			text = tt_text(r, "%s%s%s in frames %llu to %llu of input %u", text, i ? ", " : "", limit, first, last,
			    m->threads.t[tt_frames_thread(f, s->first)]->process + 1);
		else if (i == 0)
			text = tt_text(r, "%s to frame %llu", limit, last);
		else if (i + 1 < f->nsegment)
			text = tt_text(r, "%s, %s from %llu to %llu", text, limit, first, last);
		else
			text = tt_text(r, "%s, %s from %llu on", text, limit, first);
	}
	if (f->nsegment > MAX_SEGMENTS)
		text = tt_text(r, "%s, and %zu more changes (table frame_shown)", text, f->nsegment - MAX_SEGMENTS);
	return limited ? text : "";
}

const char *
tt_shown_late_doubt(const struct tt_model *m)
{
	for (size_t i = 0; i < m->frames->nsegment; i++)
		if (m->frames->segment[i].reading != TT_READING_LIMIT)
			return ", if a limit holds them";
	return "";
}

/* Say how many frames are late: "120 late, 50.2 %", or "none late"; with tt_shown_late_doubt(). */
static const char *
late_text(const struct tt_model *m, struct tt_report *r)
{
	const struct tt_frames *f = m->frames;
	const char *doubt = tt_shown_late_doubt(m);
	char share[32];

	if (f->nlate == 0)
		return tt_text(r, "none late%s", doubt);
	*tt_put_fixed(share, tt_ratio(f->nlate, 1000, f->n), 1) = '\0';
	return tt_text(r, "%s late, %s %%%s", tt_text_count(r, f->nlate), share, doubt);
}

const char *
tt_shown_text(struct tt_views *view, struct tt_report *r)
{
	static const char *const took[] = { "one refresh", "two", "three", "more" };
	const struct tt_frames *f = view->m->frames;
	const struct tt_shown_tally is = tt_shown_tally(f, 0, f->n);
	const char *text;
	char fps[32];
	bool first = true, grid = false;

	*tt_put_fixed(fps, is.ns > 0 ? tt_ratio(f->n, UINT64_C(10000000000), (uint64_t)is.ns) : 0, 1) = '\0';
	text = tt_text(r, "%s fps", fps);
	if (f->nsegment == 0 || (f->nsegment == 1 && f->segment[0].kind == TT_REFRESH_NONE))
		return text;
	for (size_t i = 0; i < f->nsegment; i++)
		grid = grid || f->segment[i].kind == TT_REFRESH_GRID;
	for (unsigned i = 0; i < TT_TOOK && grid; i++) {
		if (is.took[i] == 0)
			continue;
		text = first ? tt_text(r, "%s: of %s frames %s took %s", text, tt_text_count(r, f->n), tt_text_count(r, is.took[i]),
		    i == 1 || i == 2 ? tt_text(r, "%s refreshes", took[i]) : i == 3 ? "four refreshes and more" : took[i]) :
		    tt_text(r, "%s, %s %s", text, tt_text_count(r, is.took[i]), took[i]);
		first = false;
	}
	return tt_text(r, "%s%s%s", text, grid ? "; " : ": ", late_text(view->m, r));
}

static const char *
needed_part(struct tt_views *view, const char *who, unsigned what, const char *before, struct tt_report *r)
{
	const struct tt_values *x = tt_view_frames(view, what, &r->err);
	char median[32], p99[32], longest[32];

	if (!x || x->n == 0 || tt_values_quantile(x, 1, 1) == 0)
		return before;
	*tt_put_time_short(median, tt_values_quantile(x, 1, 2)) = '\0';
	*tt_put_time_short(p99, tt_values_quantile(x, 99, 100)) = '\0';
	*tt_put_time_short(longest, tt_values_quantile(x, 1, 1)) = '\0';
	return tt_text(r, "%s%s%s: median %s, p99 %s, longest %s", before ? before : "", before ? "; " : "", who, median, p99, longest);
}

const char *
tt_shown_needed(struct tt_views *view, struct tt_report *r)
{
	const struct tt_frames *f = view->m->frames;
	const char *text = NULL;

	if (!f->has_wait || tt_frames_cap(f) == 0)
		return NULL;
	text = needed_part(view, "main thread", TT_FRAME_NEEDED, text, r);
	text = needed_part(view, "render thread", TT_FRAME_TIMING + TT_TIMING_RENDER, text, r);
	return needed_part(view, "GPU", TT_FRAME_TIMING + TT_TIMING_GPU, text, r);
}

const char *
tt_shown_doubt(const struct tt_model *m, int64_t limit, struct tt_report *r)
{
	const struct tt_frames *f = m->frames;
	const struct tt_refresh_segment *most = NULL;

	/* Take the limit of the longest segment whose limit is slower than the budget. */
	for (size_t i = 0; i < f->nsegment; i++) {
		const struct tt_refresh_segment *s = &f->segment[i];

		if (s->kind != TT_REFRESH_NONE && limit_of(s) > limit && (!most || s->end - s->first > most->end - most->first))
			most = s;
	}
	return most ? reading_text(most, r) : NULL;
}

const char *
tt_shown_held(const struct tt_model *m, int64_t limit)
{
	return tt_frames_count_doubtful(m->frames, limit) ? "held by all frames, if a limit holds them" : "held by all frames";
}

const char *
tt_shown_untold(struct tt_views *view, int64_t limit, struct tt_report *r)
{
	const size_t untold = tt_frames_count_undecidable(view->m->frames, limit);
	const struct tt_values *shown = untold ? tt_view_frames(view, TT_FRAME_SHOWN, &r->err) : NULL;
	const size_t over = shown ? tt_values_over(shown, limit) : 0;

	if (!shown)
		return NULL;
	return over == untold ? "no verdict: " TT_UNTOLD_TEXT :
	    tt_text(r, "missed by at least %s of %s frames: %s", tt_text_count(r, over - untold), tt_text_count(r, shown->n), TT_UNTOLD_TEXT);
}
