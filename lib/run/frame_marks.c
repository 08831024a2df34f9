/**
 * Collects where frames begin on each thread, and builds the table of frames.
 */
#include "base/order.h"
#include "base/setting.h"
#include "run/candidates.h"
#include "run/frame_replay.h"

#include "model/facts.h"
#include "model/format.h"
#include "run/run.h"
#include "run/render_time.h"
#include "run/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- marks ----------------------------------------------------------------------------- */

static struct tt_marks *
marks(struct tt_run *r, struct tt_err *err)
{
	if (!r->marks) {
		r->marks = tt_mem_alloc(&r->env->mem, sizeof *r->marks, err);
		if (r->marks) {
			r->marks->from_ts = INT64_MAX;
			r->marks->first_name_number = UINT32_MAX;
		}
	}
	return r->marks;
}

/* The marks of thread ${t}; NULL with ${err} filled. */
static struct tt_frame_marks *
marks_of(struct tt_run *r, const struct tt_thread *t, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;
	struct tt_mem *mem = &r->env->mem;

	if (tt_mem_grow(mem, &ms->of_thread, &ms->nof_thread, t->index + (size_t)1, sizeof *ms->of_thread, err) != TT_OK)
		return NULL;
	if (ms->of_thread[t->index] == 0) {
		if (tt_mem_grow(mem, &ms->m, &ms->cap, ms->n + 1, sizeof *ms->m, err) != TT_OK)
			return NULL;
		ms->m[ms->n++] = (struct tt_frame_marks){ .process = t->process, .thread = t->index };
		ms->of_thread[t->index] = (uint32_t)ms->n;
	}
	return &ms->m[ms->of_thread[t->index] - 1];
}

int
tt_frame_marks_add(struct tt_frame_marks *m, struct tt_mem *mem, int64_t ts, uint32_t by, uint32_t given, struct tt_err *err)
{
	int rc = tt_column_push(&m->ts, mem, ts, err);

	TT_THEN(rc, tt_column_push(&m->by, mem, by, err));
	TT_THEN(rc, tt_column_push(&m->engine_number, mem, given, err));
	m->n += rc == TT_OK;
	return rc;
}

void
tt_frame_marks_free(struct tt_frame_marks *m, struct tt_mem *mem)
{
	tt_column_free(&m->ts, mem);
	tt_column_free(&m->by, mem);
	tt_column_free(&m->engine_number, mem);
	m->n = 0;
}

static int
add_mark(struct tt_run *r, const struct tt_thread *t, int64_t ts, uint32_t by, uint32_t given, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_frame_marks *m = marks_of(r, t, err);

	if (!m)
		return err->code;
	/* A thread's time does not run backwards; where a damaged capture says so, frames of no length are left out. */
	const int64_t last = m->n ? tt_column_at(&m->ts, m->n - 1) : ts;
	return tt_frame_marks_add(m, mem, ts < last ? last : ts, 2 * by, given, err);
}

/* Note that events of thread ${t} are missing here: recording paused, or they are damaged or lost. The frame around the gap is not whole. */
static int
add_gap(struct tt_run *r, const struct tt_thread *t, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_marks *ms = r->marks;
	struct tt_frame_marks *m = e->flags & TT_F_POPPED ? NULL :
	    t->index < ms->nof_thread && ms->of_thread[t->index] ? &ms->m[ms->of_thread[t->index] - 1] : NULL;

	if (!m || !m->n)
		return TT_OK;
	return tt_column_set(&m->by, &r->env->mem, m->n - 1, tt_column_at(&m->by, m->n - 1) | TT_MARK_GAP, err);
}

/* Note the begin of a marker that an option asks for. */
static int
begins(struct tt_run *r, const struct tt_thread *t, struct tt_mark_key *k, const struct tt_event *e, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;

	if (k->is_from && e->ts < ms->from_ts)
		ms->from_ts = e->ts;
	if (!k->is_frame || e->kind == TT_INSTANT)
		return TT_OK;
	if (k->begins++ == 0 || e->ts < k->first_ts)
		k->first_ts = e->ts;
	if (ms->first_name_number == UINT32_MAX)
		ms->first_name_number = k->name_number;
	ms->has_several = ms->has_several || (ms->wants_one && k->name_number != ms->first_name_number);
	return ms->has_several ? TT_OK : add_mark(r, t, e->ts, (uint32_t)(k - ms->key), 0, err);
}

/* While names are read: collect times, and the frames that the capture marks. */
static int
collect_frames(struct tt_run *r, struct tt_input *in, const struct tt_batch *b, const struct tt_thread *t, struct tt_err *err)
{
	int rc = TT_OK;

	if (b->min_ts < in->cap->min_ts)
		in->cap->min_ts = b->min_ts;
	if (b->max_ts > in->cap->max_ts)
		in->cap->max_ts = b->max_ts;
	r->zones_seen += b->nzone + b->nalloc;
	for (size_t i = 0; i < b->nrare && rc == TT_OK && !r->o->frame_marker; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];

		if (e->kind == TT_FRAME)
			rc = add_mark(r, t, e->ts, 0, in->format->numbers_frames ? (uint32_t)e->val : 0, err);
		else if (e->kind == TT_GAP)
			rc = add_gap(r, t, e, err);
	}
	return rc;
}

int
tt_marks_collect(struct tt_run *r, struct tt_input *in, const struct tt_batch *b, const struct tt_thread *t,
    enum tt_phase phase, struct tt_err *err)
{
	struct tt_marks *ms = marks(r, err);
	int rc = ms ? TT_OK : err->code;

	if (rc != TT_OK)
		return rc;
	if (phase == TT_PHASE_NAMES)
		return collect_frames(r, in, b, t, err);
	if (!ms->keyed && (rc = tt_mark_keys_find(r, err)) != TT_OK)
		return rc;
	if (ms->unmatched)
		return tt_candidates_batch(r, b, t, err);
	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		struct tt_mark_key *k = e->kind == TT_ZONE || e->kind == TT_ZONE_BEGIN || e->kind == TT_INSTANT ?
		    tt_mark_keys_at(ms, in->cap->process, e->val) : NULL;

		if (k)
			rc = begins(r, t, k, e, err);
		else if (e->kind == TT_GAP)
			rc = add_gap(r, t, e, err);
	}
	return rc;
}

/* True if there is any begin of a frame. */
static bool
any_mark(const struct tt_marks *ms)
{
	for (size_t i = 0; ms && i < ms->n; i++)
		if (ms->m[i].n)
			return true;
	return false;
}

void
tt_marks_free(struct tt_run *r)
{
	struct tt_marks *ms = r->marks;
	struct tt_mem *mem = &r->env->mem;

	if (!ms)
		return;
	for (size_t i = 0; i < ms->n; i++)
		tt_frame_marks_free(&ms->m[i], mem);
	tt_mem_free(mem, ms->m, ms->cap * sizeof *ms->m);
	tt_mem_free(mem, ms->of_thread, ms->nof_thread * sizeof *ms->of_thread);
	tt_map_free(&ms->key_index, mem);
	tt_mem_free(mem, ms->key, ms->capkey * sizeof *ms->key);
	tt_mem_free(mem, ms, sizeof *ms);
	r->marks = NULL;
}

/* --- the table ------------------------------------------------------------------------------ */

/* True if --frame-thread, matched as --thread is, chooses the thread, or is not given. */
static bool
is_frame_thread(const struct tt_run *r, uint32_t thread)
{
	const char *want[] = { r->o->frame_thread, NULL };

	return !*want || tt_thread_named(&r->m->threads, r->m->threads.t[thread], want);
}

/* The marks of a process's frame thread: by --frame-thread, else the thread with most marks. */
static const struct tt_frame_marks *
choose(const struct tt_run *r, uint32_t process)
{
	const struct tt_marks *ms = r->marks;
	const struct tt_frame_marks *best = NULL;

	for (size_t i = 0; ms && i < ms->n; i++) {
		const struct tt_frame_marks *m = &ms->m[i];
		if (m->n && m->process == process && is_frame_thread(r, m->thread) && (!best || m->n > best->n))
			best = m;
	}
	return best;
}

/* True if the filter chooses the frame [${from}, ${to}), the ${number}th of its thread. */
static bool
is_chosen(const struct tt_run *r, const struct tt_filter *f, int64_t from, int64_t to, size_t number)
{
	return from >= f->from && (f->by_begin ? from < f->to && to <= r->m->filter.to : to <= f->to) && from >= r->label_from && from < r->label_to &&
	    (!f->has_frames || (number >= f->frame_first && number <= f->frame_last));
}

/* The first mark after the begin of the recording: the frame before it is not whole. ${marks}->n: there is none. */
static size_t
first_in_recording(const struct tt_capture *c, const struct tt_frame_marks *marks)
{
	size_t i = 0;

	while (c->from_zero && i < marks->n && tt_column_at(&marks->ts, i) < c->offset_ns)
		i++;
	return i;
}

static int
add_frames(const struct tt_run *r, const struct tt_model *m, const struct tt_frame_marks *marks, struct tt_err *err)
{
	struct tt_frames *f = m->frames;
	const struct tt_filter *flt = &m->filter;
	size_t n = marks->n > 1 ? marks->n - 1 : 0;
	const struct tt_capture *c = m->cap[marks->process];
	const size_t first = first_in_recording(c, marks);
	int rc = TT_OK;

	f->npartial += first < marks->n && tt_capture_begin(c) < tt_column_at(&marks->ts, first) ? 2 : 1;
	f->open_from = tt_column_at(&marks->ts, n);
	for (size_t i = first; i < n && rc == TT_OK; i++) {
		int64_t from = tt_column_at(&marks->ts, i), to = tt_column_at(&marks->ts, i + 1);
		const struct tt_span *hole = flt->nhole ? tt_filter_hole(flt, from) : NULL;
		if (!is_chosen(r, flt, from, to, i + 1) || (hole && from >= hole->from && to <= hole->to))
			continue;
		if ((tt_column_at(&marks->by, i) & TT_MARK_GAP) || (hole && to > hole->from)) {
			f->npartial++;
			continue;
		}
		if (to > from)
			rc = tt_frames_add(f, &(struct tt_frame){ from, to - from, i + 1, (uint32_t)tt_column_at(&marks->engine_number, i) }, err);
	}
	return rc;
}

/* Make room for the worst frames. */
static int
room_for_hitches(const struct tt_run *r, struct tt_model *m, struct tt_err *err)
{
	struct tt_frames *f = m->frames;
	size_t want = r->o->hitches ? r->o->hitches : 10;

	f->longest.cap = f->busiest.cap = f->latest.cap = want < f->n ? want : f->n;
	f->longest.h = tt_arena_alloc(&m->arena, f->longest.cap * sizeof *f->longest.h, err);
	f->busiest.h = f->longest.h ? tt_arena_alloc(&m->arena, f->busiest.cap * sizeof *f->busiest.h, err) : NULL;
	f->latest.h = f->busiest.h ? tt_arena_alloc(&m->arena, f->latest.cap * sizeof *f->latest.h, err) : NULL;
	return f->latest.h ? TT_OK : err->code;
}

/* Find when the first fact after ${after} is set that ${pattern}, the value of ${setting}, matches. */
static int
find_label(const struct tt_facts *facts, enum tt_setting setting, const char *pattern, int64_t after, int64_t *ts, struct tt_err *err)
{
	if (tt_facts_find(facts, pattern, after, ts))
		return TT_OK;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s \"%s\": no such label%s (\"%s facts\" lists all)", tt_setting_name[setting],
	    pattern, after == INT64_MIN ? "" : " after the first one", tt_setting_name[TT_SETTING_TABLE]);
}

/* Find the times of --from-label and --to-label. */
static int
find_labels(struct tt_run *r, struct tt_err *err)
{
	const struct tt_filter *f = &r->m->filter;
	struct tt_facts facts = { 0 };
	int rc = TT_OK;

	r->label_from = INT64_MIN;
	r->label_to = INT64_MAX;
	if (!f->from_label && !f->to_label)
		return TT_OK;
	rc = tt_facts_list(r->m, &r->env->mem, &facts, err);
	if (rc == TT_OK && f->from_label)
		rc = find_label(&facts, TT_SETTING_FROM_LABEL, f->from_label, INT64_MIN, &r->label_from, err);
	if (rc == TT_OK && f->to_label)
		rc = find_label(&facts, TT_SETTING_TO_LABEL, f->to_label, r->label_from, &r->label_to, err);
	tt_facts_free(&facts, &r->env->mem);
	return rc;
}

static int
by_from(const void *a, const void *b)
{
	const struct tt_span *x = a, *y = b;

	return TT_CMP(x->from, y->from);
}

/* Sort the ${n} spans by time and join those that overlap or touch; return how many are left. */
static size_t
join_spans(struct tt_span *span, size_t n)
{
	size_t k = 0;

	tt_sort(span, n, by_from);
	for (size_t i = 0; i < n; i++) {
		if (k == 0 || span[i].from > span[k - 1].to)
			span[k++] = span[i];
		else if (span[i].to > span[k - 1].to)
			span[k - 1].to = span[i].to;
	}
	return k;
}

/* Narrow the filter to the frames of the table: what lies between them is partial frames, and gaps of a flight recording. */
static int
leave_gaps_out(struct tt_model *m, struct tt_err *err)
{
	const struct tt_frames *f = m->frames;
	struct tt_span *span = tt_mem_alloc(f->mem, f->n * sizeof *span, err);
	size_t n;

	if (!span)
		return err->code;
	for (size_t i = 0; i < f->n; i++)
		span[i] = (struct tt_span){ tt_frames_start(f, i), tt_frames_end(f, i) };
	n = join_spans(span, f->n);
	m->filter.from = span[0].from;
	m->filter.to = span[n - 1].to;
	m->filter.nhole = 0;
	m->filter.hole = n > 1 ? tt_arena_alloc(&m->arena, (n - 1) * sizeof *m->filter.hole, err) : NULL;
	for (; m->filter.hole && m->filter.nhole + 1 < n; m->filter.nhole++)
		m->filter.hole[m->filter.nhole] = (struct tt_span){ span[m->filter.nhole].to, span[m->filter.nhole + 1].from };
	tt_mem_free(f->mem, span, f->n * sizeof *span);
	return n > 1 && !m->filter.hole ? err->code : TT_OK;
}

/* Narrow the filter's time to the frames of the table; without frames, to the time between the labels. */
static int
narrow(const struct tt_run *r, struct tt_model *m, bool whole_frames, struct tt_err *err)
{
	struct tt_filter *f = &m->filter;
	const struct tt_frames *frames = m->frames;
	bool labels = f->from_label || f->to_label;

	if (frames && frames->n > 0 && whole_frames)
		return leave_gaps_out(m, err);
	if (frames && frames->n > 0 && (f->has_frames || labels)) {
		f->from = tt_frames_start(frames, 0);
		f->to = f->frames_to_end ? f->to : tt_frames_end(frames, 0);
		for (size_t i = 0; i < frames->nrange; i++) {     /* with several captures, no frame of any is cut */
			size_t first = frames->range[i].first, last = frames->range[i].end;

			if (first == last--)
				continue;
			f->from = tt_frames_start(frames, first) < f->from ? tt_frames_start(frames, first) : f->from;
			f->to = tt_frames_end(frames, last) > f->to ? tt_frames_end(frames, last) : f->to;
		}
	} else if (labels) {
		f->from = r->label_from > f->from ? r->label_from : f->from;
		f->to = r->label_to < f->to ? r->label_to : f->to;
	}
	return TT_OK;
}

/* If threads of any capture have events from before its recording began, keep only the time from then on, in all captures. */
static int
leave_earlier(struct tt_run *r, struct tt_err *err)
{
	bool any = false;

	for (size_t i = 0; i < r->nin; i++)
		any = any || tt_capture_has_earlier(r->in[i].cap);
	for (size_t i = 0; i < r->nin && any; i++) {
		struct tt_capture *c = r->in[i].cap;
		if (!c->from_zero || c->ncovered_span)
			continue;
		if (!(c->covered_span = tt_arena_alloc(&c->arena, sizeof *c->covered_span, err)))
			return err->code;
		c->covered_span[c->ncovered_span++] = (struct tt_span){ -c->lead_ns, INT64_MAX };
	}
	return TT_OK;
}

/* Make the list of spans in which some capture has all threads, in order and disjoint; *${n} = 0: some capture has all of its time. */
static int
flight_spans(struct tt_run *r, struct tt_span **span, size_t *n, struct tt_err *err)
{
	size_t all = 0, k = 0;

	*n = 0;
	for (size_t i = 0; i < r->nin; i++) {
		if (r->in[i].cap->ncovered_span == 0)
			return TT_OK;
		all += r->in[i].cap->ncovered_span;
	}
	if (all == 0)
		return TT_OK;
	if (!(*span = tt_arena_alloc(&r->m->arena, all * sizeof **span, err)))
		return err->code;
	for (size_t i = 0; i < r->nin; i++) {
		const struct tt_capture *c = r->in[i].cap;
		for (size_t s = 0; s < c->ncovered_span; s++)
			(*span)[k++] = (struct tt_span){ c->covered_span[s].from + c->offset_ns,
				c->covered_span[s].to < INT64_MAX ? c->covered_span[s].to + c->offset_ns : INT64_MAX };
	}
	*n = join_spans(*span, all);
	return TT_OK;
}

int
tt_frames_clip(struct tt_run *r, struct tt_err *err)
{
	struct tt_filter *f = &r->m->filter;
	struct tt_span *span = NULL;
	size_t n;
	int rc = leave_earlier(r, err);

	TT_THEN(rc, flight_spans(r, &span, &n, err));
	if (rc != TT_OK || n == 0)
		return rc;
	f->of_flight = f->from == INT64_MIN && f->to == INT64_MAX;
	f->from = f->from > span[0].from ? f->from : span[0].from;
	f->to = f->to < span[n - 1].to ? f->to : span[n - 1].to;
	if (f->to < f->from)
		f->to = f->from;
	f->nhole = n - 1;
	f->hole = span;
	for (size_t i = 0; i + 1 < n; i++)
		span[i] = (struct tt_span){ span[i].to, span[i + 1].from };
	tt_log(r->env, TT_LOG_VERBOSE, "looked at where all threads were kept");
	return TT_OK;
}

/* Make an empty table of frames for ${m}, and the arrays of its replay. */
static int
new_frames(const struct tt_run *r, struct tt_model *m, struct tt_replay *p, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;

	p->m = m;
	p->name = m->category;
	p->ncategory = m->ncategory;
	if (!(m->frames = tt_mem_alloc(mem, sizeof *m->frames, err)))
		return err->code;
	m->frames->mem = mem;
	m->frames->player_only = m->filter.player_only;
	tt_tally_init(&m->frames->category_hist, mem);
	m->frames->name = r->marks->begin_name;
	m->frames->nname = r->marks->nbegin_name;
	p->w = tt_mem_alloc(mem, m->ncap * sizeof *p->w, err);
	p->category = tt_mem_alloc(mem, (m->ncategory + 1) * sizeof *p->category, err);
	p->share = tt_mem_alloc(mem, (m->ncategory + 1) * sizeof *p->share, err);
	p->used = tt_mem_alloc(mem, (m->ncategory + 1) * sizeof *p->used, err);
	m->frames->range = tt_arena_alloc(&m->arena, (m->ncap + 1) * sizeof *m->frames->range, err);
	return p->w && p->category && p->share && p->used && m->frames->range ? TT_OK : err->code;
}

/* Ask for the work of the render thread where the engine has one: where it can measure frame timings or GPU work. */
static int
watch_render(const struct tt_model *m, struct tt_replay *p, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	struct tt_frames *f = m->frames;
	int rc = TT_OK;

	for (size_t i = 0; i < p->nwatch && rc == TT_OK; i++) {
		const struct tt_thread_replay *w = &p->w[i];
		if (w->ntimer == 0 && !m->cap[w->process]->gpu_part)
			continue;
		if (!p->render_time && !(p->render_time = tt_mem_alloc(mem, m->ncap * sizeof *p->render_time, err)))
			return err->code;
		rc = tt_render_new(m, w->process, w->first, w->end, &f->render_ns, &p->render_time[i], err);
	}
	return rc;
}

int
tt_frames_make(const struct tt_run *r, struct tt_model *m, bool whole_frames, struct tt_replay *p, struct tt_err *err)
{
	int rc = any_mark(r->marks) ? new_frames(r, m, p, err) : TT_OK;

	for (size_t i = 0; m->frames && i < m->ncap && rc == TT_OK; i++) {
		const struct tt_frame_marks *best = choose(r, (uint32_t)i);
		size_t first = m->frames->n;
		if (!best)
			continue;
		rc = add_frames(r, m, best, err);
		TT_THEN(rc, tt_thread_replay_init(p, &p->w[p->nwatch++], best, first, err));
		m->frames->range[m->frames->nrange++] = (struct tt_frame_range){ (uint32_t)i, best->thread, first, m->frames->n };
	}
	TT_THEN(rc, narrow(r, m, whole_frames, err));
	if (rc != TT_OK || !m->frames || m->frames->n == 0)
		return rc;
	if ((rc = watch_render(m, p, err)) != TT_OK)
		return rc;
	rc = room_for_hitches(r, m, err);
	return rc == TT_OK ? tt_frames_choose_examined(r, m, err) : rc;
}

/* Fail if several captures have frames: frames are chosen by number, and numbers begin anew in each capture. */
static int
check_one(const struct tt_run *r, struct tt_err *err)
{
	const struct tt_model *m = r->m;
	const struct tt_frame_marks *marks;
	const char *first = NULL;

	for (size_t i = 0; i < m->ncap; i++) {
		if (!(marks = choose(r, (uint32_t)i)) || marks->n < 2)
			continue;
		if (first)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s needs frames of one capture: %s and %s both have some; read one alone, or "
			    "give %s", tt_setting_name[TT_SETTING_FRAMES], first, m->cap[i]->path, tt_setting_name[TT_SETTING_TIME]);
		first = m->cap[i]->path;
	}
	return TT_OK;
}

int
tt_fail_no_frames(uint64_t first, uint64_t last, uint64_t low, uint64_t high, uint64_t of, struct tt_err *err)
{
	char what[80], other[100] = "";

	if (first == last && first > low && first < high)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "frame %" PRIu64 " is not whole, but empty, paused, dropped or damaged; choose others from %"
		    PRIu64 " to %" PRIu64, first, low, high);
	if (first == last)
		snprintf(what, sizeof what, "frame %" PRIu64 " is not a whole frame", first);
	else if (last == UINT64_MAX)
		snprintf(what, sizeof what, "from frame %" PRIu64 " on there are no whole frames", first);
	else
		snprintf(what, sizeof what, "frames %" PRIu64 " to %" PRIu64 " are not whole frames", first, last);
	if (of)
		snprintf(other, sizeof other, "; the engine's frame %" PRIu64 " is %" PRIu64, first, of);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: these are %" PRIu64 " to %" PRIu64 "%s", what, low, high, other);
}

/* Find the first and last whole frame in the filter's time, in the first capture that has some, and the frame that the engine calls ${given}; 0: none. */
static void
find_whole(const struct tt_run *r, uint64_t given, uint64_t *low, uint64_t *high, uint64_t *of)
{
	struct tt_filter any = r->m->filter;

	any.has_frames = false;
	*low = *high = *of = 0;
	for (size_t i = 0; i < r->m->ncap && *high == 0; i++) {
		const struct tt_frame_marks *marks = choose(r, (uint32_t)i);

		for (size_t k = 0; marks && k + 1 < marks->n; k++) {
			const int64_t from = tt_column_at(&marks->ts, k), to = tt_column_at(&marks->ts, k + 1);
			const struct tt_span *hole = any.nhole ? tt_filter_hole(&any, from) : NULL;

			if ((tt_column_at(&marks->by, k) & TT_MARK_GAP) || (hole && to > hole->from) || !is_chosen(r, &any, from, to, k + 1))
				continue;
			*low = *low ? *low : k + 1;
			*high = k + 1;
			*of = (uint64_t)tt_column_at(&marks->engine_number, k) == given ? k + 1 : *of;
		}
	}
}

/* Fail, and say why the frames that the user chose do not exist. */
static int
no_frames(const struct tt_run *r, struct tt_err *err)
{
	const struct tt_model *m = r->m;
	const struct tt_filter *f = &m->filter;
	const bool in_time = !f->of_flight && (f->from != INT64_MIN || f->to != INT64_MAX);
	uint64_t low, high, of;

	find_whole(r, f->frame_first, &low, &high, &of);
	if (m->frames && high == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: the capture has no whole frames%s", tt_setting_name[TT_SETTING_FRAMES],
		    in_time ? " in that time" : "");
	if (m->frames) {
		tt_fail_no_frames(f->frame_first, f->frame_last, low, high, of, err);
		return tt_err_in(err, "%s", tt_setting_name[TT_SETTING_FRAMES]);
	}
	if (m->frame_marker)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no frames to choose from: \"%s\" never begins", m->frame_marker);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s needs frame marks: name a marker with %s", tt_setting_name[TT_SETTING_FRAMES],
	    tt_setting_name[TT_SETTING_FRAME_MARKER]);
}

int
tt_frames_build(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	const struct tt_marks *ms = r->marks;
	int rc = find_labels(r, err);

	TT_THEN(rc, tt_frames_clip(r, err));
	if (rc != TT_OK)
		return rc;
	m->nexpected_zones = r->zones_seen;
	m->frame_marker = r->o->frame_marker;
	if (r->o->from_marker && (!ms || ms->from_ts == INT64_MAX))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "start marker \"%s\" never begins in the capture", r->o->from_marker);
	if (r->o->from_marker && ms->from_ts > m->filter.from)
		m->filter.from = ms->from_ts;
	if (m->filter.has_frames && !m->filter.frames_of_each && ms)
		rc = check_one(r, err);
	TT_THEN(rc, tt_frames_make(r, m, r->o->whole_frames, &r->replay, err));
	return rc == TT_OK && m->filter.has_frames && !(m->frames && m->frames->n) ? no_frames(r, err) : rc;
}
