/**
 * Replays the frame thread's zones and divides their time among frames.
 */
#include "run/frame_idle.h"
#include "run/frame_inner.h"
#include "run/frame_rows.h"

static void
begin_frame(const struct tt_frames *f, struct tt_thread_replay *w)
{
	w->now = (struct tt_replay_now){ 0 };
	if (w->frame < w->end) {
		w->now.from = tt_frames_start(f, w->frame);
		w->now.to = tt_frames_end(f, w->frame);
	}
}

int
tt_thread_replay_init(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_frame_marks *m, size_t first, struct tt_err *err)
{
	const struct tt_capture *cap = p->m->cap[m->process];
	const struct tt_def *d;

	*w = (struct tt_thread_replay){ .process = m->process, .thread = m->thread, .first = first, .frame = first,
		.end = p->m->frames->n, .marks = m, .idle_end = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN }, .self_since = INT64_MIN,
		.last_ts = INT64_MIN };
	begin_frame(p->m->frames, w);
	for (size_t i = 0; cap->timing && (d = tt_defs_at(cap->defs, TT_DEF_COUNTER, i)) != NULL; i++) {
		struct timer *t = &w->timer[w->ntimer];
		if (w->ntimer < sizeof w->timer / sizeof *w->timer && (t->timing = cap->timing(d->text, &t->nframes_late)) >= 0) {
			t->key = d->key;
			w->ntimer++;
		}
	}
	struct tt_thread_replay_row *outside = tt_replay_new_row(p, w, TT_KEY_OUTSIDE, err);
	if (!outside)
		return err->code;
	outside->category = UINT32_MAX;
	outside->idle = 0;
	return TT_OK;
}

/* Give the time up to ${ts} to the innermost open zone, or to none. */
static int
settle_self(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err)
{
	if (ts > w->self_since && tt_replay_in_frame(w, w->self_since)) {
		struct tt_thread_replay_row *top = &w->row[tt_replay_parent_row(w)];
		if (tt_replay_touch(p, w, top, err) != TT_OK)
			return err->code;
		top->self += ts - w->self_since;
		if (w->nidle_open[TT_IDLE_WAIT] || w->nidle_open[TT_IDLE_EDITOR])
			w->idle[tt_replay_parent_row(w)].idle_ns += ts - w->self_since;
		if (w->nidle_open[TT_IDLE_LIMIT] || w->nidle_open[TT_IDLE_EDITOR])
			w->idle[tt_replay_parent_row(w)].limited_ns += ts - w->self_since;
	}
	if (ts > w->self_since)
		w->self_since = ts;
	return TT_OK;
}

/* All that is open does something in the present frame, if only to be open. A marker counts once, however many of its zones are. */
static int
touch_open(struct tt_replay *p, struct tt_thread_replay *w, struct tt_err *err)
{
	size_t n = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < w->nopen && rc == TT_OK; i++) {
		struct tt_thread_replay_row *row = &w->row[w->open[i]];

		row->is_listed = row->nactive > 0;
		if (!row->is_listed)
			continue;
		w->open[n++] = w->open[i];
		rc = tt_replay_touch(p, w, row, err);
	}
	w->nopen = n;
	return rc;
}

/* The first zone of ${row} is on the stack. */
static int
list_open(struct tt_replay *p, struct tt_thread_replay *w, struct tt_thread_replay_row *row, struct tt_err *err)
{
	if (row->is_listed)
		return TT_OK;
	if (tt_mem_grow(&p->m->env->mem, &w->open, &w->capopen, w->nopen + 1, sizeof *w->open, err) != TT_OK)
		return err->code;
	w->open[w->nopen++] = (uint32_t)(row - w->row);
	row->is_listed = true;
	return TT_OK;
}

/* With --player-only, the Editor's time that lies in the present frame so far, in the row's open zone; no time of the row's. */
static int64_t
take_editor(const struct tt_frames *f, struct tt_thread_replay *w, const struct tt_thread_replay_row *row)
{
	int64_t *before = &w->editor[row - w->row], now = w->now.editor, taken;

	if (!f->player_only)
		return 0;
	taken = now - *before;
	*before = 0;
	return taken;
}

/* Add a marker's work in the present frame, from ${start} to ${end}, to its sums; ${dur}: the frame's wall time. */
static void
sum_row(const struct tt_frames *f, struct tt_thread_replay *w, struct tt_thread_replay_row *row, int64_t start, int64_t end, int64_t dur)
{
	struct tt_frame_marker *sum = &w->sum[row - w->row];

	if (row->nactive && row->active_since < end) {
		row->total += end - (row->active_since > start ? row->active_since : start) - take_editor(f, w, row);
		row->active_since = end;
	}
	sum->nframes += row->calls || row->self || row->total;
	sum->total += row->total;
	sum->self += row->self;
	sum->idle += w->idle[row - w->row].idle_ns;
	if (row->total > sum->total_max)
		sum->total_max = row->total;
	if (row->self > sum->self_max)
		sum->self_max = row->self;
	sum->calls += row->calls;
	if (row->calls > sum->calls_max)
		sum->calls_max = row->calls;
	row->frame = (uint32_t)w->frame + 1;
	row->past_ns = w->past_ns + dur;
	row->nlong_past = w->nlong_past + (dur > 0);
}

/* Add the time of ${row} in the present frame to its category. */
static inline void
add_share(struct tt_replay *p, const struct tt_thread_replay_row *row)
{
	struct tt_frame_share *s = &p->share[row->category];

	s->self += row->self;
	if (!s->used)
		p->used[p->nused++] = row->category;
	s->used = true;
}

/* Add the present frame's self time by category. Categories without any get their 0 at the end: see tt_frames_category_hist(). */
static int
close_shares(struct tt_replay *p, struct tt_tally *hist, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < p->nused && rc == TT_OK; i++) {
		struct tt_frame_share *s = &p->share[p->used[i]];
		struct tt_frame_category *c = &p->category[p->used[i]];
		c->self += s->self;
		if (s->self > 0) {    /* not above 0 only in a damaged capture */
			tt_times_add(&c->self_times, s->self);
			rc = tt_tally_time(hist, p->used[i], s->self, err);
		}
		*s = (struct tt_frame_share){ 0 };
	}
	p->nused = 0;
	return rc;
}

/* Keep the self time of ${row} less its part ${idle} for the frame ${h}, unless nothing is left. */
static inline void
keep_rest(struct tt_hitch *h, const struct tt_thread_replay_row *row, int64_t idle)
{
	if (h && (idle == 0 || row->self > idle))
		tt_hitch_keep(h, row->key, row->calls, row->self - idle);
}

/* Keep the part of ${row}, a wait for the frame limit, that is beyond the limit: at most ${late} ns. */
static void
keep_late(struct tt_hitch *h, const struct tt_thread_replay_row *row, int64_t late)
{
	const unsigned limit = TT_IDLE(TT_IDLE_LIMIT), alone = TT_IDLE(TT_IDLE_LIMIT_ONLY);

	if (late > 0 && (row->idle & (limit | alone)) == limit)
		tt_hitch_keep(h, row->key, row->calls, row->self < late ? row->self : late);
}

/*
 * Return the part of ${limited_ns}, time of a row in waits for the frame limit, that is not late, if ${late} ns of these waits are. The row's marker is that
 * of a system call inside such a wait. All of it counts as not late if the frame waited in a marker of the limit alone, too, or for the Editor.
 */
static int64_t
limited_in_time(const struct tt_thread_replay *w, int64_t limited_ns, int64_t late)
{
	const bool one_kind = w->now.limit_only == 0 && w->now.editor == 0;

	return !one_kind || late <= 0 ? limited_ns : limited_ns > late ? limited_ns - late : 0;
}

/* Write the idle times of the present frame to the table. */
static int
keep_idle(struct tt_frames *f, const struct tt_thread_replay *w, struct tt_err *err)
{
	const struct { struct tt_column *to; int64_t ns; } sum[] = { { &f->outside_ns, w->row[TT_REPLAY_OUTSIDE].self }, { &f->wait_ns, w->now.wait },
		{ &f->editor_ns, w->now.editor }, { &f->editor_wait_ns, w->now.editor_wait }, { &f->limit_ns, w->now.limit },
		{ &f->present_ns, w->now.limit - w->now.limit_only }, { &f->other_wait_ns, w->now.other_wait },
		{ &f->released, w->now.released } };
	int rc = TT_OK;

	for (size_t i = 0; i < sizeof sum / sizeof *sum && rc == TT_OK; i++)
		rc = tt_column_set(sum[i].to, f->mem, w->frame, sum[i].ns, err);
	return rc;
}

/*
 * Estimate the period (ns) that frames are capped at from the frames so far: it is known only at the end, but the worst frames are chosen before. The
 * estimate follows the shorter ones of the frames that wait for the limit.
 */
static int64_t
period_so_far(struct tt_thread_replay *w, int64_t dur)
{
	const int64_t more = dur - w->period;

	if (w->now.limit < dur / 10)
		return w->period;
	w->period += w->period == 0 ? dur : more < 0 ? more / 2 : more < w->period / 1024 ? more : w->period / 1024;
	return w->period;
}

/* Close the present frame: sum up its rows. */
static int
close_frame(struct tt_replay *p, struct tt_thread_replay *w, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;
	const int64_t start = w->now.from, end = w->now.to;
	int64_t wall;
	int64_t period;
	struct tt_hitch *longest, *busiest, *latest;
	int rc = settle_self(p, w, end, err);

	tt_replay_settle_idle(w, end);
	TT_THEN(rc, keep_idle(f, w, err));
	wall = tt_frames_wall(f, w->frame);
	longest = tt_hitches_insert(&f->longest, w->frame, wall);
	busiest = tt_hitches_insert(&f->busiest, w->frame, tt_frames_cpu(f, w->frame));
	period = period_so_far(w, end - start);
	latest = tt_hitches_insert(&f->latest, w->frame, tt_frames_uncapped_at(f, w->frame, period));
	const int64_t late = latest ? tt_frames_late(f, w->frame, period) : 0;
	if (rc == TT_OK && (longest || busiest || latest))
		rc = touch_open(p, w, err);
	for (size_t i = 0; i < w->ntouched; i++) {
		struct tt_thread_replay_row *row = &w->row[w->touched[i]];
		if (i + TT_REPLAY_AHEAD < w->ntouched) {
			__builtin_prefetch(&w->row[w->touched[i + TT_REPLAY_AHEAD]], 1);
			__builtin_prefetch(&w->sum[w->touched[i + TT_REPLAY_AHEAD]], 1);
		}
		struct tt_replay_idle *idle = &w->idle[w->touched[i]];
		bool out = f->player_only && row->idle & TT_IDLE(TT_IDLE_EDITOR);     /* the row is not shown */
		if (!out)
			tt_hitch_keep(longest, row->key, row->calls, row->self);
		if (!(row->idle & TT_REPLAY_NO_WORK) && w->touched[i] != TT_REPLAY_OUTSIDE)
			keep_rest(busiest, row, idle->idle_ns);
		if (!(row->idle & TT_REPLAY_LIMITED))
			keep_rest(latest, row, limited_in_time(w, idle->limited_ns, late));
		else if (latest)
			keep_late(latest, row, late);
		if (row->category < p->ncategory && row->self != 0 && !out)
			add_share(p, row);
		sum_row(f, w, row, start, end, wall);
		row->calls = 0;
		row->total = row->self = 0;
		*idle = (struct tt_replay_idle){ 0 };
		row->is_touched = false;
		if (!row->nactive)
			row->active_since = INT64_MIN;
	}
	w->ntouched = 0;
	for (unsigned i = 0; i < TT_IDLES; i++)
		w->idle_end[i] = INT64_MIN;
	TT_THEN(rc, close_shares(p, &f->category_hist, err));
	return rc == TT_OK ? tt_replay_pass_frame(p, w, wall, err) : rc;
}

int
tt_thread_replay_advance(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err)
{
	int rc = TT_OK;

	while (rc == TT_OK && w->frame < w->end && w->now.to <= ts) {
		/* Time before the frame began belongs to none. */
		if (w->self_since < w->now.from)
			w->self_since = w->now.from;
		rc = close_frame(p, w, err);
		w->frame++;
		begin_frame(p->m->frames, w);
	}
	if (w->frame < w->end && w->self_since < w->now.from && ts > w->self_since)
		w->self_since = ts < w->now.from ? ts : w->now.from;
	return rc;
}

static int
zone_begin(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, int64_t ts, unsigned flags, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;
	int rc = tt_thread_replay_advance(p, w, ts, err);

	TT_THEN(rc, settle_self(p, w, ts, err));
	struct tt_thread_replay_row *row = rc == TT_OK ? tt_replay_row(p, w, key, err) : NULL;
	if (!row)
		return err->code;
	if (row->is_alloc_wrapper)
		return TT_OK;
	bool hidden = f->player_only && w->nidle_open[TT_IDLE_EDITOR];
	if (row->idle)
		tt_replay_idle_begins(p, w, row, ts);
	if (hidden)
		return TT_OK;
	if (tt_replay_in_frame(w, ts)) {
		rc = tt_replay_touch(p, w, row, err);
		row->calls += !(flags & TT_F_CONT);
	} else if (!row->nactive) {
		tt_replay_catch_up(w, row);
	}
	if (row->nactive++ == 0) {
		row->active_since = ts;
		if (f->player_only)
			w->editor[row - w->row] = tt_replay_in_frame(w, ts) ? w->now.editor : 0;
		TT_THEN(rc, list_open(p, w, row, err));
	}
	return rc;
}

/* Account for the end of a zone, whatever became of its place on the stack. */
static int
zone_end(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, int64_t ts, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;
	struct tt_thread_replay_row *row = tt_replay_row(p, w, key, err);

	if (!row)
		return err->code;
	if (row->idle && tt_replay_idle_ends(p, w, row, ts, err) != TT_OK)
		return err->code;
	if (f->player_only && w->nidle_open[TT_IDLE_EDITOR])
		return TT_OK;         /* the zone is inside one of the Editor's, where it was not counted */
	if (row->nactive == 1 && tt_replay_in_frame(w, ts)) {
		int64_t from = row->active_since > w->now.from ? row->active_since : w->now.from;
		if (tt_replay_touch(p, w, row, err) != TT_OK)
			return err->code;
		row->total += (ts > from ? ts - from : 0) - take_editor(f, w, row);
	} else if (row->nactive == 1) {
		tt_replay_catch_up(w, row);
	}
	if (row->nactive && --row->nactive == 0)
		row->active_since = ts;
	return TT_OK;
}

struct ending { struct tt_replay *p; struct tt_thread_replay *w; int64_t ts; int rc; struct tt_err *err; };

static void
popped(void *arg, const struct tt_open *z, unsigned flags)
{
	struct ending *e = arg;

	(void)flags;
	if (e->rc == TT_OK)
		e->rc = zone_end(e->p, e->w, z->key, e->ts, e->err);
}

static int
pop_to(struct tt_replay *p, struct tt_thread_replay *w, size_t n, const int64_t *ends, size_t base, struct tt_err *err)
{
	int rc = TT_OK;

	while (w->st.n > n && rc == TT_OK) {
		int64_t ts = ends[w->st.n - 1 - base];
		rc = tt_thread_replay_advance(p, w, ts, err);
		TT_THEN(rc, settle_self(p, w, ts, err));
		w->st.n--;
		TT_THEN(rc, zone_end(p, w, w->st.z[w->st.n].key, ts, err));
	}
	return rc;
}

static bool
whole_in_frame(const struct tt_thread_replay *w, const struct tt_event *e)
{
	return tt_replay_in_frame(w, e->ts) && e->ts + e->dur <= w->now.to;
}

/* --- a chunk ---------------------------------------------------------------------------------------- */

/* Set the shown row for a new top of the stack. */
static int
show(struct tt_replay *p, struct tt_thread_replay *w, struct tt_err *err)
{
	size_t n = w->st.n;
	struct tt_thread_replay_row *row = tt_replay_row(p, w, w->st.z[n - 1].key, err);

	if (!row || tt_mem_grow(&p->m->env->mem, &w->shown_row, &w->capshown_row, n, sizeof *w->shown_row, err) != TT_OK)
		return err->code;
	bool hidden = p->m->frames->player_only && w->nidle_open[TT_IDLE_EDITOR] > (unsigned)(row->idle >> TT_IDLE_EDITOR & 1);
	w->shown_row[n - 1] = !row->is_alloc_wrapper && !hidden ? (uint32_t)(row - w->row) : n > 1 ? w->shown_row[n - 2] : TT_REPLAY_OUTSIDE;
	return TT_OK;
}

/* Push the zone of ${e} on the stack, if there is room. */
static int
push(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct tt_err *err)
{
	if (w->st.n >= TT_STACK_MAX)
		return TT_OK;
	int rc = zone_begin(p, w, e->val, e->ts, e->flags, err);
	if (rc == TT_OK && tt_stack_push(&w->st, &p->m->env->mem, e->val, e->ts, e->flags & TT_F_CONT, err) < 0)
		rc = err->code;
	return rc == TT_OK ? show(p, w, err) : rc;
}

int
tt_thread_replay_enter(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_stack *st, struct tt_err *err)
{
	int rc = TT_OK;

	w->last_ts = st->seen_ts;
	for (size_t i = 0; i < st->n && rc == TT_OK; i++)
		rc = push(p, w, &(struct tt_event){ .ts = st->z[i].ts, .val = st->z[i].key, .flags = (uint8_t)st->z[i].flags }, err);
	return rc;
}

/* The stack while a chunk is replayed, in levels. */
struct levels {
	size_t base;                  /* levels below are zones from before the chunk */
	size_t whole;                 /* levels from here on are TT_ZONEs, which end without an event */
	int64_t *ends;                /* end times of the TT_ZONEs, by level less base */
};

/* End the TT_ZONEs above level ${n}. */
static int
pop_whole(struct tt_replay *p, struct tt_thread_replay *w, size_t n, const struct levels *l, struct tt_err *err)
{
	return pop_to(p, w, n > l->whole ? n : l->whole, l->ends, l->base, err);
}

/* Replay a TT_ZONE: it goes on the stack only if it crosses the edge of a frame. */
static inline int
whole_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	size_t up = l->base + e->depth, top;
	int rc = TT_OK;

	tt_replay_pop_inner(w, up > w->st.n ? up - w->st.n : 0);
	if (up < w->st.n)
		rc = pop_whole(p, w, up, l, err);
	if (rc == TT_OK && (w->ninner > 0 || whole_in_frame(w, e)))
		return tt_replay_inner_zone(p, w, e, err);
	top = w->st.n;
	TT_THEN(rc, push(p, w, e, err));
	if (w->st.n > top)
		l->ends[top - l->base] = e->ts + e->dur;
	return rc;
}

/* Push a zone that ends by an event: only TT_ZONEs lie above it later. */
static int
open_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	int rc = pop_whole(p, w, l->base + e->depth, l, err);

	TT_THEN(rc, push(p, w, e, err));
	l->whole = w->st.n;
	return rc;
}

/* End a zone from before the chunk. An exception that the end interrupted is on top again afterwards. */
static int
end_base(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	struct ending end = { p, w, e->ts, TT_OK, err };
	size_t n = w->st.n;

	tt_stack_end(&w->st, e->val, e->ts, e->flags, popped, &end);
	if (w->st.n == n && n && w->st.z[n - 1].flags & TT_F_CONT && w->st.z[n - 1].ts == e->ts && end.rc == TT_OK)
		end.rc = zone_begin(p, w, TT_KEY_EXCEPTION, e->ts, TT_F_CONT, err);
	if (w->st.n > 0 && end.rc == TT_OK)
		end.rc = show(p, w, err);
	l->base = l->whole = w->st.n;
	return end.rc;
}

static int
end_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	int rc = pop_whole(p, w, l->base, l, err);

	TT_THEN(rc, tt_thread_replay_advance(p, w, e->ts, err));
	TT_THEN(rc, settle_self(p, w, e->ts, err));
	if (rc != TT_OK)
		return rc;
	if (e->flags & TT_F_BASE)
		return end_base(p, w, e, l, err);
	if (w->st.n == 0)
		return TT_OK;
	l->whole = --w->st.n;
	return zone_end(p, w, w->st.z[l->whole].key, e->ts, err);
}

/* End all open zones, which are not known from here on; with TT_F_BASE at the thread's last event before the chunk. */
static int
gap(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	int64_t ts = e->flags & TT_F_BASE || e->ts < w->last_ts ? w->last_ts : e->ts;
	int rc = pop_whole(p, w, l->base, l, err);

	TT_THEN(rc, tt_thread_replay_advance(p, w, ts, err));
	TT_THEN(rc, settle_self(p, w, ts, err));
	while (w->st.n > 0 && rc == TT_OK) {
		w->st.n--;
		rc = zone_end(p, w, w->st.z[w->st.n].key, ts, err);
	}
	l->base = l->whole = 0;
	return rc;
}

/*
 * Replay one chunk of the frame thread. Whole zones come in the order of their begin; each is closed when the
 * next event is no deeper, those on the stack at their own end.
 */
int
tt_thread_replay_chunk(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_batch *b, struct tt_err *err)
{
	struct tt_mem *mem = &p->m->env->mem;
	struct levels l = { .base = w->st.n };
	size_t cap = 0;
	int rc = tt_mem_grow(mem, &l.ends, &cap, b->n + 1, sizeof *l.ends, err);

	for (const struct tt_event *e = b->ev, *end = e + b->n; rc == TT_OK; e++) {
		rc = tt_replay_inner_zones(p, w, &e, end, l.base, err);
		if (rc != TT_OK || e == end)
			break;
		if (e->kind == TT_ZONE) {
			rc = whole_zone(p, w, e, &l, err);
			continue;
		}
		tt_replay_pop_inner(w, 0);
		rc = e->kind == TT_ZONE_BEGIN ? open_zone(p, w, e, &l, err) : e->kind == TT_ZONE_END ? end_zone(p, w, e, &l, err) :
		    gap(p, w, e, &l, err);
	}
	tt_replay_pop_inner(w, 0);
	TT_THEN(rc, pop_whole(p, w, l.base, &l, err));
	if (b->min_ts <= b->max_ts && b->max_ts > w->last_ts)
		w->last_ts = b->max_ts;
	tt_mem_free(mem, l.ends, cap * sizeof *l.ends);
	return rc;
}

void
tt_thread_replay_free(struct tt_thread_replay *w, struct tt_mem *mem)
{
	tt_stack_free(&w->st, mem);
	tt_mem_free(mem, w->inner, w->capinner * sizeof *w->inner);
	tt_mem_free(mem, w->row, w->caprow * sizeof *w->row);
	tt_mem_free(mem, w->sum, w->capsum * sizeof *w->sum);
	tt_mem_free(mem, w->idle, w->capidle * sizeof *w->idle);
	tt_mem_free(mem, w->editor, w->capeditor * sizeof *w->editor);
	tt_map_free(&w->row_index, mem);
	tt_map_free(&w->named, mem);
	tt_mem_free(mem, w->touched, w->captouched * sizeof *w->touched);
	tt_mem_free(mem, w->open, w->capopen * sizeof *w->open);
	tt_mem_free(mem, w->shown_row, w->capshown_row * sizeof *w->shown_row);
	tt_mem_free(mem, w->peak, w->cappeak * sizeof *w->peak);
}
