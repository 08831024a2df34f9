/**
 * Fills the summary: what a capture is, its worst frames and their causes, memory and time.
 */
#include "summary/summary.h"

#include <string.h>
#include <time.h>

#include "base/order.h"
#include "base/setting.h"
#include "model/loss.h"
#include "out/glyph.h"
#include "pass/largest.h"
#include "pass/overview.h"
#include "pass/pass.h"
#include "pass/shown.h"
#include "pass/spanning.h"
#include "summary/screen.h"
#include "view/view.h"
#include "why/causes.h"

enum { WORST = 3, CAUSES = 4, TOP = 3 };

unsigned
tt_summary_needs(void)
{
	return TT_NEEDS_FRAMES | TT_NEEDS_CALLS | TT_NEEDS_CAUSES | TT_NEEDS_CANDIDATES | tt_overview_needs;
}

/* --- tables ----------------------------------------------------------------------------------------- */

static const struct tt_col summary_col[S_N] = {
	[S_FILE] = { "path", "file", TT_UNIT_PROSE, "Names of the inputs, as given." },
	[S_WHAT] = { "producer", "recorded by", TT_UNIT_PROSE, "Program that recorded, system and architecture; of several captures each once." },
	[S_RECORDED] = { "extent", "recorded", TT_UNIT_PROSE,
		"Time from the first event to the last, of several captures their sum and the time they lie in; threads, events, wall clock at the "
		"start." },
	[S_SHOWN] = { "shown", "shown", TT_UNIT_PROSE, "Options that choose the part of the capture that all figures below cover; empty: the whole capture." },
	[S_WHOLE] = { "whole", "whole", TT_UNIT_PROSE, "Whether anything was damaged or lost, and what first." },
	[S_FRAMES] = { "frames", "frames", TT_UNIT_PROSE, "Number of whole frames and of partial ones, which are left out; median, 99th percentile "
		"and longest of the whole ones; or why there are none." },
	[S_SEEN] = { "seen", "player saw", TT_UNIT_PROSE, "Frames shown in a second, by wall time; where a limit shows, how many refreshes frames "
		"took, how many were late, and which limit held from which frame on." },
	[S_60] = { "fps_60", "60 fps", TT_UNIT_PROSE, "Frames shown for longer than 16.67 ms, in whole refreshes where a limit shows; if a limit or the GPU "
		"makes them so, that." },
	[S_30] = { "fps_30", "30 fps", TT_UNIT_PROSE, "Frames shown for longer than 33.33 ms, counted likewise." },
	[S_NEEDED] = { "needed", "needed", TT_UNIT_PROSE, "Of frames with a limit: the time that the main thread, the render thread and the GPU needed for a "
		"frame, without waiting for the limit; of those that are known." },
};

enum { F_FRAME, F_PROCESS, F_TIME, F_UNCAPPED, F_WHY, F_N };
static const struct tt_col worst_col[F_N] = {
	[F_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame." },
	[F_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1; empty if there is one." },
	[F_TIME] = { "dur_ns", "duration", TT_UNIT_NS, "Wall time." },
	[F_UNCAPPED] = { "uncapped_ns", "uncapped", TT_UNIT_NS, "Uncapped time; empty if frames are not capped." },
	[F_WHY] = { "sentence", "of which", TT_UNIT_PROSE, "Its cause in words, as in the table causes; else its longest markers." },
};

static const struct tt_col cause_col[C_N] = {
	[C_FRAMES] = { "frames", "frames", TT_UNIT_PROSE, "Frames with this cause, as in the table causes." },
	[C_CLASS] = { "class", "class", TT_UNIT_TEXT, "Class of the cause." },
	[C_WHY] = { "sentence", "cause", TT_UNIT_PROSE, "The cause in words." },
};

enum { P_METHOD, P_SAMPLES, P_SHARE, P_N };
static const struct tt_col sample_col[P_N] = {
	[P_METHOD] = { "method", "method", TT_UNIT_TEXT, "Managed method; (native) if no managed frame is on the stack." },
	[P_SAMPLES] = { "samples", "samples", TT_UNIT_COUNT, "Number of samples that end in the method; none with a wait marker on the stack." },
	[P_SHARE] = { "share", "samples", TT_UNIT_PERCENT, "Share of all these samples." },
};

enum { N_WHAT, N_COMMAND, N_N };
static const struct tt_col next_col[N_N] = {
	[N_WHAT] = { "what", "to see", TT_UNIT_COMMAND, "What the command shows." },
	[N_COMMAND] = { "command", "run", TT_UNIT_COMMAND, "The command, quoted for a shell." },
};

static const struct tt_pass_table own[] = {
	{ .id = "capture_summary", .title = "Capture", .col = summary_col, .ncol = S_N },
	{ .id = "capture_frames", .title = "Worst frames", .col = worst_col, .ncol = F_N },
	{ .id = "capture_causes", .title = "Why frames are long", .col = cause_col, .ncol = C_N },
	{ .id = "capture_samples", .title = "Most samples, without waits", .col = sample_col, .ncol = P_N },
	{ .id = "capture_next", .title = "Next", .col = next_col, .ncol = N_N },
};
const struct tt_pass_table *const tt_summary_part[T_N] = {
	[T_SUMMARY] = &own[0], [T_WORST] = &own[1], [T_CAUSES] = &own[2], [T_OVERVIEW] = &tt_table_overview,
	[T_ALLOCS] = &tt_table_most_allocated, [T_MARKERS] = &tt_table_most_time, [T_SAMPLES] = &own[3], [T_NEXT] = &own[4],
};

const struct tt_pass_table *
tt_summary_table(size_t i)
{
	return i < T_N ? tt_summary_part[i] : NULL;
}

static struct tt_table *
new_table(struct tt_report *r, int which)
{
	const struct tt_pass_table *t = tt_summary_part[which];

	return tt_report_table(r, t->id, t->title, t->col, t->ncol);
}

/* --- the capture: format, producer, length ------------------------------------------------------------------------------------- */

static const char *
share_text(struct tt_report *r, uint64_t part, uint64_t all)
{
	char t[32];

	*tt_put_fixed(t, tt_ratio(part, 1000, all), 1) = '\0';
	return tt_text(r, "%s", t);
}

static const char *
started(struct tt_report *r, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / 1000000000);
	struct tm tm;

	if (wall_ns == 0 || !gmtime_r(&s, &tm))
		return "";
	return tt_text(r, ", on %04d-%02d-%02d at %02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min);
}

/* True for losses that make figures incomplete. A capture that ends early also lacks events, though that is only a notice. */
static bool
takes(const struct tt_loss_info *info, enum tt_loss_kind k)
{
	return info->severity >= TT_LOSS || k == TT_LOST_NOT_ENDED || k == TT_LOST_SHORT || k == TT_LOST_PAUSED;
}

/* The text of the notice ${k}; if it is about zones, it names the most important one. */
static const char *
noted_text(struct tt_views *view, enum tt_loss_kind k, const struct tt_loss_info *info, struct tt_report *r)
{
	const char *first = k == TT_LOST_SPANNING ? tt_pass_spanning(view, r) : k == TT_LOST_POPPED ? tt_pass_unended(view, r) : NULL;

	return first ? first : info->text;
}

/* The text on completeness: "yes" with minor omissions, or the most serious losses. */
static const char *
whole(struct tt_views *view, struct tt_report *r)
{
	const struct tt_model *m = view->m;
	enum { NAMED = 3 };
	const char *text = NULL, *noted = NULL;
	unsigned n = 0;

	for (int severity = TT_ERROR; severity >= TT_NOTICE; severity--)
		for (int i = 0; i < TT_LOST_KINDS; i++) {
			struct tt_loss_info info = tt_loss_info_of(m->loss, (enum tt_loss_kind)i);

			if (m->loss->e[i].n && info.severity == (enum tt_severity)severity && takes(&info, (enum tt_loss_kind)i))
				text = n++ == 0 ? tt_text(r, "no: %s", info.text) : n <= NAMED + 1 ? tt_text(r, "%s; %s", text, info.text) : text;
			else if (m->loss->e[i].n && info.severity == TT_NOTICE && severity == TT_NOTICE)
				noted = tt_text(r, "%s; %s", noted ? noted : "yes", noted_text(view, (enum tt_loss_kind)i, &info, r));
		}
	if (n > NAMED + 1)
		return tt_text(r, "%s; and %u more kinds of loss", text, n - NAMED);
	return text ? text : noted ? noted : "yes, nothing was lost";
}

static bool
is_capped(const struct tt_views *view, int64_t *period)
{
	*period = tt_frames_cap(view->m->frames);
	return *period && view->m->frames->has_wait;
}

/* Compare the times for which frames were shown with ${limit}, in words. */
static const char *
verdict(struct tt_views *view, const struct tt_values *shown, int64_t limit, struct tt_report *r)
{
	const size_t over = tt_values_over(shown, limit);
	const char *doubt = over ? tt_shown_doubt(view->m, limit, r) : NULL, *untold = tt_shown_untold(view, limit, r);

	if (over == 0)
		return tt_shown_held(view->m, limit);
	if (untold)
		return untold;
	return tt_text(r, "missed by %s of %s frames, %s %%%s%s%s", tt_text_count(r, over), tt_text_count(r, shown->n), share_text(r, over, shown->n),
	    tt_frames_count_doubtful(view->m->frames, limit) ? ", if a limit holds the others" : "", doubt ? ": " : "", doubt ? doubt : "");
}

/* "median 16.67 ms, p99 17.02 ms, longest 33.33 ms" */
static const char *
quantiles_text(const struct tt_values *x, struct tt_report *r)
{
	return tt_text(r, "median %s, p99 %s, longest %s", tt_text_time(r, tt_values_quantile(x, 1, 2)), tt_text_time(r, tt_values_quantile(x, 99, 100)),
	    tt_text_time(r, tt_values_quantile(x, 1, 1)));
}

static const char *
editor_text(const struct tt_frames *f, struct tt_report *r)
{
	const int64_t editor = tt_frames_editor_percent(f);

	return editor > 0 ? tt_text(r, "; %lld %% is the Unity Editor's (%s leaves it out)", (long long)editor, tt_setting_name[TT_SETTING_PLAYER_ONLY]) : "";
}

/* "149"; if some frames are partial "149 whole, 2 partial left out"; if not all captures have frames, followed by "in 1 of 2 captures". */
static const char *
frames_text(const struct tt_model *m, size_t n, struct tt_report *r)
{
	const struct tt_frames *f = m->frames;
	const char *text = f->npartial ? tt_text(r, "%s whole, %s partial left out", tt_text_count(r, n), tt_text_count(r, f->npartial)) : tt_text_count(r, n);

	size_t nof = 0;

	for (size_t i = 0; i < f->nrange; i++)
		nof += f->range[i].end > f->range[i].first;
	return nof < m->ncap ? tt_text(r, "%s, in %zu of %zu captures", text, nof, m->ncap) : text;
}

/*
 * A note on the last frame of a .data capture, which is complete except for its end, recorded only by the start of the next one. So it does not count as whole,
 * though a reader may be looking for it. "" for a part of the capture, or several captures.
 */
static const char *
open_text(const struct tt_model *m, struct tt_report *r)
{
	const struct tt_filter *of = &m->filter;

	if (m->ncap != 1 || strcmp(m->cap[0]->format, "data") != 0 || of->from != INT64_MIN || of->to != INT64_MAX || of->has_frames)
		return "";
	return tt_text(r, "; without the last one, whose end is not in the file: it has %s",
	    tt_text_time(r, m->threads.t[tt_frames_thread(m->frames, 0)]->last_ts - m->frames->open_from));
}

static void
put_frames(struct tt_views *view, struct tt_cell *c, struct tt_report *r)
{
	const struct tt_frames *f = view->m->frames;
	const struct tt_values *x = f && f->n ? tt_view_frames(view, TT_FRAME_WALL, &r->err) : NULL;

	if (!x || x->n == 0) {
		tt_cell_text(&c[S_FRAMES], f || view->m->frame_marker ? tt_pass_why_no_frames(view->m, r)
		    : "none: nothing in the capture marks where they begin");
		return;
	}
	const struct tt_values *counted = tt_view_frames(view, TT_FRAME_SHOWN, &r->err);
	if (!counted)
		return;
	const char *limits = tt_shown_limits(view->m, r);
	tt_cell_text(&c[S_FRAMES], tt_text(r, "%s: %s%s%s", frames_text(view->m, x->n, r), quantiles_text(x, r), editor_text(f, r), open_text(view->m, r)));
	tt_cell_text(&c[S_SEEN], tt_text(r, "%s%s%s", tt_shown_text(view, r), *limits ? "; " : "", limits));
	const int64_t sixty = tt_frame_limit(16670000);
	const char *limited = 2 * tt_values_over(counted, sixty) > x->n && !tt_frames_count_undecidable(f, sixty) ? tt_pass_limit_text(f, r) : NULL;
	tt_cell_text(&c[S_60], tt_text(r, "%s%s%s", verdict(view, counted, sixty, r), limited ? "; " : "", limited ? limited : ""));
	tt_cell_text(&c[S_30], verdict(view, counted, tt_frame_limit(33330000), r));
	tt_cell_name(&c[S_NEEDED], tt_shown_needed(view, r));
}

/* "2.293 s"; for several captures the sum, and the span they lie in: "5.927 s in 2 captures, within 29.94 s". */
static const char *
extent_text(const struct tt_model *m, struct tt_report *r)
{
	const int64_t from = m->ncap > 1 ? m->min_ts : tt_capture_begin(m->cap[0]);
	int64_t sum = 0;

	if (m->max_ts < from)
		return "nothing that has a time";
	if (m->ncap == 1)
		return tt_text_time(r, m->max_ts - from);
	for (size_t i = 0; i < m->ncap; i++)
		sum += m->cap[i]->max_ts >= m->cap[i]->min_ts ? m->cap[i]->max_ts - tt_capture_begin(m->cap[i]) : 0;
	return tt_text(r, "%s in %zu captures, within %s", tt_text_time(r, sum), m->ncap, tt_text_time(r, m->max_ts - from));
}

/* The program that recorded ${c}, with its system. */
static const char *
producer(const struct tt_capture *c, struct tt_report *r)
{
	return tt_text(r, "%s%s%s%s%s", c->producer, *c->os ? ", " : "", c->os, *c->arch ? ", " : "", c->arch);
}

/* The producers of all captures, each listed once. */
static const char *
producers(const struct tt_model *m, struct tt_report *r)
{
	const char *text = producer(m->cap[0], r);

	for (size_t i = 1, k; i < m->ncap; i++) {
		for (k = 0; k < i && (strcmp(m->cap[k]->producer, m->cap[i]->producer) != 0 || strcmp(m->cap[k]->os, m->cap[i]->os) != 0 ||
		    strcmp(m->cap[k]->arch, m->cap[i]->arch) != 0);)
			k++;
		if (k == i)
			text = tt_text(r, "%s; %s", text, producer(m->cap[i], r));
	}
	return text;
}

static void
put_summary(struct tt_views *view, const char *shown, struct tt_report *r)
{
	const struct tt_model *m = view->m;
	struct tt_table *t = new_table(r, T_SUMMARY);
	struct tt_cell *c = tt_row(t);
	const char *path = "";
	uint64_t events = 0;

	t->facts = true;
	for (size_t i = 0; i < m->ncap; i++) {
		path = i < 3 ? tt_text(r, "%s%s%s", path, i ? ", " : "", m->cap[i]->path) : path;
		events += m->cap[i]->nevent;
	}
	tt_cell_text(&c[S_FILE], m->ncap > 3 ? tt_text(r, "%s and %zu more", path, m->ncap - 3) : path);
	tt_cell_text(&c[S_WHAT], producers(m, r));
	tt_cell_text(&c[S_RECORDED], tt_text(r, "%s, %s thread%s, %s event%s%s", extent_text(m, r), tt_text_count(r, m->threads.n),
	    m->threads.n == 1 ? "" : "s", tt_text_count(r, events), events == 1 ? "" : "s", started(r, m->cap[0]->wall_ns)));
	tt_cell_name(&c[S_SHOWN], shown);
	const char *part = m->ncap == 1 ? tt_pass_rotation_text(m->cap[0], r) : NULL, *text = whole(view, r);
	tt_cell_text(&c[S_WHOLE], part ? tt_text(r, "%s; %s", text, part) : text);
	put_frames(view, c, r);
}

/* --- the longest frames ----------------------------------------------------------------------------- */

static const struct tt_cause *
cause_of(const struct tt_causes *c, size_t frame)
{
	size_t at = tt_lower_bound(i, 0, c->ncause, c->cause[i].frame < frame);

	return at < c->ncause && c->cause[at].frame == frame ? &c->cause[at] : NULL;
}

/* "Renderer:Draw 3.8 ms, ..." */
static const char *
top_text(struct tt_views *view, const struct tt_hitch *h, struct tt_report *r)
{
	const struct tt_paths *p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, &r->err);
	const struct tt_model *m = view->m;
	const char *text = h->ntop > 0 ? "" : tt_text(r, "(render thread) %s", tt_text_time(r, h->rank_ns));

	for (unsigned i = 0; p && i < h->ntop && i < TOP; i++) {
		const struct tt_name *name = tt_model_key(m, m->threads.t[tt_frames_thread(m->frames, h->frame)]->process, h->top[i].key);
		text = tt_text(r, "%s%s%s %s", text, i ? ", " : "", tt_paths_label(p, name), tt_text_time(r, h->top[i].self));
	}
	return text;
}

/* The worst frames; for capped frames by uncapped time or the render thread's time. */
static const struct tt_hitches *
worst_of(const struct tt_views *view)
{
	int64_t period = 0;

	return is_capped(view, &period) ? &view->m->frames->latest : &view->m->frames->longest;
}

static void
put_worst(struct tt_views *view, const struct tt_causes *causes, struct tt_report *r)
{
	const struct tt_frames *f = view->m->frames;
	const struct tt_hitches *list;
	struct tt_table *t;
	int64_t period = 0;

	if (!f || f->n == 0)
		return;
	t = new_table(r, T_WORST);
	list = worst_of(view);
	const bool capped = is_capped(view, &period);
	if (capped)
		t->note = tt_pass_worst_by(view->m, r);
	for (size_t i = 0; i < list->n && i < WORST; i++) {
		const struct tt_cause *k = cause_of(causes, list->h[i].frame);
		struct tt_cell *c = tt_row(t);

		tt_cell_u64(&c[F_FRAME], tt_frames_number(f, list->h[i].frame));
		if (view->m->ncap > 1)
			tt_cell_int(&c[F_PROCESS], (int64_t)view->m->threads.t[tt_frames_thread(f, list->h[i].frame)]->process + 1);
		tt_cell_int(&c[F_TIME], tt_frames_wall(f, list->h[i].frame));
		if (capped)
			tt_cell_int(&c[F_UNCAPPED], tt_frames_uncapped(f, list->h[i].frame));
		tt_cell_name(&c[F_WHY], k ? tt_cause_sentence(k, view, &r->arena, &r->err) : top_text(view, &list->h[i], r));
	}
}

/*
 * The finding to show in row ${i}, in the order of the table causes, but with a leak in the second row at the latest: a leak takes no time of frames until it
 * ends the program.
 */
static const struct tt_finding *
finding_at(const struct tt_causes *causes, size_t i)
{
	size_t leak = 0;

	while (leak < causes->nfinding && causes->finding[leak].class != TT_CAUSE_LEAK)
		leak++;
	if (leak == causes->nfinding || i == 0 || i > leak)
		return &causes->finding[i];
	return &causes->finding[i == 1 ? leak : i - 1];
}

static void
put_causes(const struct tt_causes *causes, const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t;

	if (!m->frames || m->frames->n == 0 || tt_causes_hiding_setting(m) != TT_SETTING_NONE)
		return;
	t = new_table(r, T_CAUSES);
	if (causes->nfinding == 0)
		t->empty_reason = tt_causes_none(m->frames, causes);
	else
		t->note = tt_causes_note(causes, r);
	for (size_t i = 0; i < causes->nfinding && t->nrow < CAUSES; i++) {
		const struct tt_finding *f = finding_at(causes, i);
		struct tt_cell *c;

		/* Unknown causes come last and take many lines: leave them out if anything else is explained. */
		if (i > 0 && f->class == TT_CAUSE_UNKNOWN)
			continue;
		c = tt_row(t);
		tt_cell_name(&c[C_FRAMES], f->frames);
		tt_cell_text(&c[C_CLASS], tt_cause_name(f->class));
		tt_cell_name(&c[C_WHY], f->sentence);
	}
}

/* --- memory and time -------------------------------------------------------------------------------- */

/* True if a wait marker is on the stack of the samples at ${node}: their thread was waiting. */
static bool
is_waiting(const struct tt_paths *p, uint32_t node)
{
	for (uint32_t row, up = p->owner[node]; (row = tt_paths_row(p, up)) != TT_NO_ROW; up = p->owner[tt_paths_node(p, up)->parent])
		if (p->waits[row])
			return true;
	return false;
}

static void
put_samples(struct tt_views *view, struct tt_report *r)
{
	const struct tt_paths *p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_WAITS, &r->err);
	uint64_t *sum = p ? tt_arena_alloc(&r->arena, (p->nrow + 1) * sizeof *sum, &r->err) : NULL, all = 0;
	struct tt_table *t;

	for (uint32_t i = 0; sum && i < p->n; i++) {
		const uint64_t n = tt_paths_sampled(p, i) ? tt_paths_count(p, i).n : 0;
		const uint32_t row = tt_paths_row(p, p->owner[i]);

		if (n == 0 || is_waiting(p, i))
			continue;
		sum[row == TT_NO_ROW ? p->nrow : row] += n;
		all += n;
	}
	if (all == 0)
		return;
	t = new_table(r, T_SAMPLES);
	for (unsigned k = 0; k < TOP; k++) {
		uint32_t most = 0;
		struct tt_cell *c;

		for (uint32_t i = 1; i <= p->nrow; i++)
			most = sum[i] > sum[most] ? i : most;
		if (sum[most] == 0)
			break;
		c = tt_row(t);
		tt_cell_text(&c[P_METHOD], most == p->nrow ? TT_NATIVE : p->row[most].label);
		tt_cell_u64(&c[P_SAMPLES], sum[most]);
		tt_cell_int(&c[P_SHARE], tt_ratio(sum[most], 10000, all));
		sum[most] = 0;
	}
}

void
tt_summary_put_command(struct tt_table *next, const char *topic, const char *command)
{
	struct tt_cell *c = tt_row(next);

	tt_cell_text(&c[N_WHAT], topic);
	tt_cell_text(&c[N_COMMAND], command);
}

/* --- the report ------------------------------------------------------------------------------------- */

void
tt_summary_fill(struct tt_views *view, const struct tt_summary_opts *o, struct tt_report *r)
{
	struct tt_causes causes = { 0 };
	struct tt_table *why;

	put_summary(view, o->shown, r);
	if (tt_causes_find(&causes, view, &r->arena, &r->err) != TT_OK)
		return;
	put_worst(view, &causes, r);
	put_causes(&causes, view->m, r);
	tt_overview(view, &causes, r);
	if (tt_model_knows_allocs(view->m))
		tt_most_allocated(view, r);
	tt_most_time(view, r);
	put_samples(view, r);
	why = tt_summary_find(r, T_CAUSES);
	const struct tt_hitches *worst = view->m->frames ? worst_of(view) : NULL;
	struct tt_summary_next next = { .view = view, .worst = worst && worst->n ? &worst->h[0] : NULL, .t = new_table(r, T_NEXT) };
	struct tt_summary_screen screen = { .r = r };

	do {
		next.more_causes = why && causes.nfinding > why->nrow;
		next.t->nrow = 0;
		o->put_next(o->arg, &next);
	} while (tt_summary_shorten(&screen, o->render));
}
