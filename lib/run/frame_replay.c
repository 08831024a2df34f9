/**
 * Replays the frame thread's zones and divides their time among frames; the contract is in frame_replay.h.
 */
#include "run/frame_replay.h"

#include "base/order.h"
#include "model/model.h"
#include "model/waits.h"
#include "run/state.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* What one marker does in the present frame: a line of memory, touched at every zone. */
struct tt_thread_replay_row {
	uint64_t key;
	uint32_t active;              /* activations on the stack */
	uint8_t idle;
	bool touched;
	bool out;                     /* an allocation wrapper: its time is that of the zone around it */
	bool alias;                   /* of row ${frame}, whose name is the same: a method that is compiled twice, a text in two encodings */
	int64_t self, total;
	uint32_t calls, category;
	int64_t since;                /* when the outermost activation on the stack began, or the frame; without one: when the last ended */
	/* Of an open one: how far it is accounted for. See catch_up(). */
	uint32_t frame, long_past;
	int64_t past;
};
_Static_assert(sizeof(struct tt_thread_replay_row) == TT_MEM_LINE, "a line");

/* A zone that lies whole in the present frame. */
struct tt_thread_replay_inner {
	int64_t ts, end;
	uint32_t giver;               /* the row that its zones take their time from */
	bool counts;                  /* its time is in the total of that row */
};

enum { AHEAD = 8 };                   /* memory is fetched for so many zones or rows further on */
enum { OUTSIDE = 0 };                 /* the row of time in which nothing is open */

static bool
in_frame(const struct tt_frames *f, const struct tt_thread_replay *w, int64_t ts)
{
	return w->frame < w->end && ts >= f->start[w->frame];
}

static int
more_rows(struct tt_thread_replay *w, struct tt_mem *mem, struct tt_err *err)
{
	size_t cap = w->caprow ? w->caprow * 2 : 256;
	struct tt_thread_replay_row *row = tt_mem_lines(mem, cap * sizeof *row, err);

	if (!row)
		return err->code;
	if (w->nrow)
		memcpy(row, w->row, w->nrow * sizeof *row);
	tt_mem_free(mem, w->row, w->caprow * sizeof *w->row);
	w->row = row;
	w->caprow = cap;
	return TT_OK;
}

static uint8_t
idle_of(const struct tt_model *m, uint64_t key, const struct tt_name *n)
{
	static const uint8_t of[] = { [TT_WAIT_NOT] = 0, [TT_WAIT_ANY] = TT_IDLE(TT_IDLE_WAIT),
		[TT_WAIT_LIMIT] = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_LIMIT),
		[TT_WAIT_LIMIT_ONLY] = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_LIMIT) | TT_IDLE(TT_IDLE_LIMIT_ONLY) };

	if (key == TT_KEY_CONTENTION)
		return of[TT_WAIT_ANY];
	return n ? (uint8_t)(of[tt_waits_kind(m, n->full)] | (n->editor ? TT_IDLE(TT_IDLE_EDITOR) : 0)) : 0;
}

/* True if the row of another key counts the same. */
static bool
is_same(const struct tt_replay *p, const struct tt_thread_replay *w, const struct tt_thread_replay_row *row,
    const struct tt_thread_replay_row *new, const char *full)
{
	return row->category == new->category && row->idle == new->idle && row->out == new->out &&
	    strcmp(tt_model_key(p->m, w->process, row->key)->full, full) == 0;
}

/* The new row is known by its name, or becomes an alias of one with the same name: a frame in which both run is one frame. */
static int
name_row(struct tt_replay *p, struct tt_thread_replay *w, const char *full, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(0, full, strlen(full));
	struct tt_thread_replay_row *new = &w->row[w->nrow];
	uint32_t at = tt_map_find(&w->named, hash, i, is_same(p, w, &w->row[i], new, full));

	if (!at)
		return tt_map_add(&w->named, &p->m->env->mem, hash, w->nrow, err);
	new->alias = true;
	new->frame = at - 1;
	return TT_OK;
}

static struct tt_thread_replay_row *
new_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err)
{
	struct tt_mem *mem = &p->m->env->mem;

	if ((w->nrow == w->caprow && more_rows(w, mem, err) != TT_OK) ||
	    tt_mem_grow(mem, &w->sum, &w->capsum, w->nrow + 1, sizeof *w->sum, err) != TT_OK ||
	    tt_mem_grow(mem, &w->idle, &w->capidle, w->nrow + 1, sizeof *w->idle, err) != TT_OK ||
	    (p->m->frames->player_only && tt_mem_grow(mem, &w->editor, &w->capeditor, w->nrow + 1, sizeof *w->editor, err) != TT_OK))
		return NULL;
	const struct tt_name *n = tt_model_key(p->m, w->process, key);
	struct tt_thread_replay_row *row = &w->row[w->nrow];
	*row = (struct tt_thread_replay_row){ .key = key, .category = n ? n->category : UINT32_MAX, .since = INT64_MIN,
		.out = n && n->alloc_wrapper && !p->m->filter.wrappers };
	row->idle = row->out ? 0 : idle_of(p->m, key, n);
	if (n && n->known && name_row(p, w, n->full, err) != TT_OK)
		return NULL;
	return tt_map_add(&w->at, mem, tt_seeded_mix(0, key), w->nrow, err) == TT_OK ? &w->row[w->nrow++] : NULL;
}

static uint32_t
place_of(const struct tt_thread_replay *w, uint64_t key)
{
	return tt_map_find(&w->at, tt_seeded_mix(0, key), i, w->row[i].key == key);
}

static __attribute__((noinline)) struct tt_thread_replay_row *
row_far(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, uint32_t *near, struct tt_err *err)
{
	uint32_t at = place_of(w, key);
	struct tt_thread_replay_row *row = at ? &w->row[at - 1] : new_row(p, w, key, err);

	if (row && row->alias)
		return &w->row[row->frame];
	if (row)
		*near = (uint32_t)(row - w->row);
	return row;
}

/* Keys are numbers that follow each other, or addresses: their bits tell most of them apart. */
static inline uint32_t *
near_of(struct tt_thread_replay *w, uint64_t key)
{
	return &w->near[(key ^ key >> 9) % TT_REPLAY_NEAR];
}

static inline struct tt_thread_replay_row *
row_of(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err)
{
	uint32_t *near = near_of(w, key);
	struct tt_thread_replay_row *row = &w->row[*near];

	return row->key == key ? row : row_far(p, w, key, near, err);
}

int
tt_thread_replay_init(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_frame_marks *m, size_t first, struct tt_err *err)
{
	const struct tt_capture *cap = p->m->cap[m->process];
	const struct tt_def *d;

	*w = (struct tt_thread_replay){ .process = m->process, .thread = m->thread, .first = first, .frame = first,
		.end = p->m->frames->n, .marks = m, .idled = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN }, .since = INT64_MIN,
		.seen = INT64_MIN };
	for (size_t i = 0; cap->timing && (d = tt_defs_at(cap->defs, TT_DEF_COUNTER, i)) != NULL; i++) {
		struct timer *t = &w->timer[w->ntimer];
		if (w->ntimer < sizeof w->timer / sizeof *w->timer && (t->what = cap->timing(d->text, &t->late)) >= 0) {
			t->key = d->key;
			w->ntimer++;
		}
	}
	struct tt_thread_replay_row *outside = new_row(p, w, TT_KEY_OUTSIDE, err);
	if (!outside)
		return err->code;
	outside->category = UINT32_MAX;
	outside->idle = 0;
	return TT_OK;
}

/* The longest of the frames from ${frame} on. */
static int64_t
longest_since(const struct tt_thread_replay *w, uint32_t frame)
{
	size_t lo = tt_lower_bound(k, 0, w->npeak, w->peak[k].frame < frame);

	return lo < w->npeak ? w->peak[lo].dur : 0;
}

/*
 * A zone that is open over whole frames, and does nothing else in them, has each frame's duration there. That is counted
 * when something happens to the marker again, not at the end of each frame: stacks are deep.
 */
static void
catch_up(struct tt_thread_replay *w, struct tt_thread_replay_row *row)
{
	struct tt_frame_marker *sum = &w->sum[row - w->row];

	if (row->active && row->frame < w->frame) {
		int64_t most = longest_since(w, row->frame);

		sum->present += w->long_past - row->long_past;
		sum->total += w->past - row->past;
		if (most > sum->total_max)
			sum->total_max = most;
	}
	row->frame = (uint32_t)w->frame;
	row->past = w->past;
	row->long_past = w->long_past;
}

static int
touch(struct tt_replay *p, struct tt_thread_replay *w, struct tt_thread_replay_row *row, struct tt_err *err)
{
	if (row->touched)
		return TT_OK;
	int rc = tt_mem_grow(&p->m->env->mem, &w->touched, &w->captouched, w->ntouched + 1, sizeof *w->touched, err);
	if (rc == TT_OK) {
		catch_up(w, row);
		row->touched = true;
		w->touched[w->ntouched++] = (uint32_t)(row - w->row);
	}
	return rc;
}

/* Where all places are taken: which frame is the least bad. */
static void
find_least(struct tt_hitches *list)
{
	for (size_t i = list->least = 0; i < list->n && list->n == list->cap; i++) {
		const struct tt_hitch *at = &list->h[i], *least = &list->h[list->least];
		if (at->by < least->by || (at->by == least->by && at->frame > least->frame))
			list->least = i;
	}
}

/* A place among the worst frames ${list} for ${frame}, which is as bad as ${by}; NULL: the others are worse. */
static struct tt_hitch *
worst_place(struct tt_hitches *list, size_t frame, int64_t by)
{
	struct tt_hitch *h = &list->h[list->n];

	if (list->n < list->cap) {
		list->n++;
	} else {
		h = list->n ? &list->h[list->least] : NULL;
		if (!h || by < h->by || (by == h->by && frame > h->frame))
			return NULL;
	}
	*h = (struct tt_hitch){ .frame = frame, .by = by };
	find_least(list);
	return h;
}

void
tt_hitches_raise(struct tt_hitches *list, size_t frame, int64_t by)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->h[i].frame == frame) {
			list->h[i].by = by > list->h[i].by ? by : list->h[i].by;
			find_least(list);
			return;
		}
	worst_place(list, frame, by);
}

/* Keep the largest by ${self}, the time of ${row} itself, ties by key. */
static void
keep_top(struct tt_hitch *h, const struct tt_thread_replay_row *row, int64_t self)
{
	unsigned cap = h ? sizeof h->top / sizeof h->top[0] : 0, i = h ? h->ntop : 0;

	while (i > 0 && (h->top[i - 1].self < self || (h->top[i - 1].self == self && h->top[i - 1].key > row->key)))
		i--;
	if (i >= cap)
		return;
	unsigned last = h->ntop < cap ? h->ntop++ : cap - 1;
	for (; last > i; last--)
		h->top[last] = h->top[last - 1];
	h->top[i].key = row->key;
	h->top[i].self = self;
	h->top[i].calls = row->calls;
}

/* The row whose time zones right above the stack take: that of the innermost that is shown. */
static uint32_t
under(const struct tt_thread_replay *w)
{
	return w->st.n > 0 ? w->shown[w->st.n - 1] : OUTSIDE;
}

/* The time that is not CPU-active; the time that is not uncapped. */
enum { NO_WORK = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_EDITOR), HELD = TT_IDLE(TT_IDLE_LIMIT) | TT_IDLE(TT_IDLE_EDITOR) };

/* True if the thread is idle in what is on the stack, or at ${ts} in what ended last. */
static inline bool
is_idle(const struct tt_thread_replay *w, int64_t ts)
{
	return w->idling[TT_IDLE_WAIT] || w->idling[TT_IDLE_EDITOR] || ts < w->idled[TT_IDLE_WAIT] || ts < w->idled[TT_IDLE_EDITOR];
}

/* The same of waits for the frame limit and the Editor. */
static inline bool
is_held(const struct tt_thread_replay *w, int64_t ts)
{
	return w->idling[TT_IDLE_LIMIT] || w->idling[TT_IDLE_EDITOR] || ts < w->idled[TT_IDLE_LIMIT] || ts < w->idled[TT_IDLE_EDITOR];
}

/* Give the time up to ${ts} to the innermost open zone, or to none. */
static int
settle_self(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err)
{
	if (ts > w->since && in_frame(p->m->frames, w, w->since)) {
		struct tt_thread_replay_row *top = &w->row[under(w)];
		if (touch(p, w, top, err) != TT_OK)
			return err->code;
		top->self += ts - w->since;
		if (w->idling[TT_IDLE_WAIT] || w->idling[TT_IDLE_EDITOR])
			w->idle[under(w)].all += ts - w->since;
		if (w->idling[TT_IDLE_LIMIT] || w->idling[TT_IDLE_EDITOR])
			w->idle[under(w)].held += ts - w->since;
	}
	if (ts > w->since)
		w->since = ts;
	return TT_OK;
}

/* All that is open does something in the present frame, if only to be open. */
static int
touch_open(struct tt_replay *p, struct tt_thread_replay *w, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < w->st.n && rc == TT_OK; i++) {
		struct tt_thread_replay_row *row = row_of(p, w, w->st.z[i].key, err);
		if (!row)
			return err->code;
		if (row->active)
			rc = touch(p, w, row, err);
	}
	return rc;
}

/* With --player-only, the Editor's time that lies in the present frame so far, in the row's open zone; no time of the row's. */
static int64_t
take_editor(const struct tt_frames *f, struct tt_thread_replay *w, const struct tt_thread_replay_row *row)
{
	int64_t *before = &w->editor[row - w->row], now = f->player_only ? f->editor_ns[w->frame] : 0, taken;

	if (!f->player_only)
		return 0;
	taken = now - *before;
	*before = 0;
	return taken;
}

/* Add what a marker did in the present frame, from ${start} to ${end}, to its sums; ${dur}: the frame's wall time. */
static void
sum_row(const struct tt_frames *f, struct tt_thread_replay *w, struct tt_thread_replay_row *row, int64_t start, int64_t end, int64_t dur)
{
	struct tt_frame_marker *sum = &w->sum[row - w->row];

	if (row->active && row->since < end) {
		row->total += end - (row->since > start ? row->since : start) - take_editor(f, w, row);
		row->since = end;
	}
	sum->present += row->calls || row->self || row->total;
	sum->total += row->total;
	sum->self += row->self;
	sum->idle += w->idle[row - w->row].all;
	if (row->total > sum->total_max)
		sum->total_max = row->total;
	if (row->self > sum->self_max)
		sum->self_max = row->self;
	sum->calls += row->calls;
	if (row->calls > sum->calls_max)
		sum->calls_max = row->calls;
	row->frame = (uint32_t)w->frame + 1;
	row->past = w->past + dur;
	row->long_past = w->long_past + (dur > 0);
}

/* The present frame is one of the past. */
static int
pass_frame(struct tt_replay *p, struct tt_thread_replay *w, int64_t dur, struct tt_err *err)
{
	while (w->npeak > 0 && w->peak[w->npeak - 1].dur <= dur)
		w->npeak--;
	int rc = tt_mem_grow(&p->m->env->mem, &w->peak, &w->cappeak, w->npeak + 1, sizeof *w->peak, err);
	if (rc == TT_OK)
		w->peak[w->npeak++] = (struct peak){ .frame = (uint32_t)w->frame, .dur = dur };
	w->past += dur;
	w->long_past += dur > 0;
	return rc;
}

/* What ${row} took in the present frame goes to its category. */
static inline void
add_share(struct tt_replay *p, const struct tt_thread_replay_row *row)
{
	struct tt_frame_share *s = &p->share[row->category];

	s->self += row->self;
	if (!s->used)
		p->used[p->nused++] = row->category;
	s->used = true;
}

/* The categories of the present frame. The others get their 0 at the end: see tt_frames_category_hist(). */
static int
close_shares(struct tt_replay *p, struct tt_tally *hist, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < p->nused && rc == TT_OK; i++) {
		struct tt_frame_share *s = &p->share[p->used[i]];
		struct tt_frame_category *c = &p->category[p->used[i]];
		c->self += s->self;
		if (s->self > 0) {    /* only in a damaged capture it is not */
			tt_times_add(&c->in, s->self);
			rc = tt_tally_time(hist, p->used[i], s->self, err);
		}
		*s = (struct tt_frame_share){ 0 };
	}
	p->nused = 0;
	return rc;
}

/* Is it a wait for something else than the frame limit, outside the Editor? */
static bool
is_other_wait(unsigned why)
{
	return (why & NO_WORK) == TT_IDLE(TT_IDLE_WAIT) && !(why & TT_IDLE(TT_IDLE_LIMIT));
}

/* ${ns} of the present frame are idle for the reasons ${why}, bits; ${in}: those of the zones around. */
static void
add_idle(struct tt_replay *p, const struct tt_thread_replay *w, unsigned why, unsigned in, int64_t ns)
{
	const unsigned wait = TT_IDLE(TT_IDLE_WAIT), editor = TT_IDLE(TT_IDLE_EDITOR), limit = TT_IDLE(TT_IDLE_LIMIT);
	struct tt_frames *f = p->m->frames;

	/* What a capture never has is never written: of these columns, its memory stays untouched. */
	if (why & wait)
		f->wait_ns[w->frame] += ns;
	if (why & editor)
		f->editor_ns[w->frame] += ns;
	if (((why | in) & wait && why & editor) || (why & wait && (why | in) & editor))
		f->editor_wait_ns[w->frame] += ns;
	if (why & limit)
		f->limit_ns[w->frame] += ns;
	if (is_other_wait(why | in) != is_other_wait(in))
		f->other_wait_ns[w->frame] += is_other_wait(in) ? -ns : ns;
	p->limit += why & limit ? ns : 0;
	p->limit_only += why & TT_IDLE(TT_IDLE_LIMIT_ONLY) ? ns : 0;
}

/* What the zones on the stack are idle for. */
static unsigned
idle_now(const struct tt_thread_replay *w)
{
	unsigned why = 0;

	for (unsigned i = 0; i < TT_IDLES; i++)
		why |= (unsigned)(w->idling[i] > 0) << i;
	return why;
}

/* Idle time of the zones on the stack is accounted for up to ${ts}. */
static void
settle_idle(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts)
{
	const struct tt_frames *f = p->m->frames;
	unsigned why = idle_now(w);

	if (why && in_frame(f, w, ts)) {
		int64_t from = w->idle_since > f->start[w->frame] ? w->idle_since : f->start[w->frame];
		if (ts > from)
			add_idle(p, w, why, 0, ts - from);
	}
	if (!why || ts > w->idle_since)
		w->idle_since = ts;
}

/* The kinds of idle zones that the run has met. */
static void
note_idle(struct tt_replay *p, const struct tt_thread_replay_row *row)
{
	p->m->frames->has_wait = p->m->frames->has_wait || row->idle & TT_IDLE(TT_IDLE_WAIT);
	p->m->frames->has_editor = p->m->frames->has_editor || row->idle & TT_IDLE(TT_IDLE_EDITOR);
}

static void
idle_begins(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts)
{
	settle_idle(p, w, ts);
	note_idle(p, row);
	for (unsigned i = 0; i < TT_IDLES; i++)
		w->idling[i] += row->idle >> i & 1;
}

static void
idle_ends(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts)
{
	settle_idle(p, w, ts);
	for (unsigned i = 0; i < TT_IDLES; i++)
		w->idling[i] -= w->idling[i] && row->idle >> i & 1;
}

/* A zone from ${ts} to ${end} that lies whole in the present frame is idle. Zones nest: one within another of its kind would begin before that ends. */
static void
idle_inner(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, int64_t end)
{
	unsigned why = 0, in = 0;

	note_idle(p, row);
	for (unsigned i = 0; i < TT_IDLES; i++) {
		if (w->idling[i] || ts < w->idled[i]) {
			in |= 1u << i;
		} else if (row->idle >> i & 1) {
			why |= 1u << i;
			w->idled[i] = end;
		}
	}
	add_idle(p, w, why, in, end - ts);
}

/* True if time of the row is to be shown nowhere. */
static inline bool
is_left_out(const struct tt_frames *f, const struct tt_thread_replay_row *row)
{
	return f->player_only && row->idle & TT_IDLE(TT_IDLE_EDITOR);
}

/* The time of ${row} itself without ${idle} of it, unless nothing is left. */
static inline void
keep_rest(struct tt_hitch *h, const struct tt_thread_replay_row *row, int64_t idle)
{
	if (h && (idle == 0 || row->self > idle))
		keep_top(h, row, row->self - idle);
}

/* The present frame is over at ${end}: sum up its rows. */
static int
close_frame(struct tt_replay *p, struct tt_thread_replay *w, int64_t end, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;
	int64_t start = f->start[w->frame], wall;
	struct tt_hitch *longest, *busiest, *latest;
	int rc = settle_self(p, w, end, err);

	f->outside_ns[w->frame] = w->row[OUTSIDE].self;
	settle_idle(p, w, end);
	wall = tt_frames_wall(f, w->frame);
	longest = worst_place(&f->longest, w->frame, wall);
	busiest = worst_place(&f->busiest, w->frame, tt_frames_cpu(f, w->frame));
	latest = worst_place(&f->latest, w->frame, tt_frames_uncapped(f, w->frame));
	if (rc == TT_OK && (longest || busiest || latest))
		rc = touch_open(p, w, err);
	for (size_t i = 0; i < w->ntouched; i++) {
		struct tt_thread_replay_row *row = &w->row[w->touched[i]];
		if (i + AHEAD < w->ntouched) {
			__builtin_prefetch(&w->row[w->touched[i + AHEAD]], 1);
			__builtin_prefetch(&w->sum[w->touched[i + AHEAD]], 1);
		}
		struct tt_replay_idle *idle = &w->idle[w->touched[i]];
		bool out = is_left_out(f, row);
		if (!out)
			keep_top(longest, row, row->self);
		if (!(row->idle & NO_WORK) && w->touched[i] != OUTSIDE)
			keep_rest(busiest, row, idle->all);
		if (!(row->idle & HELD))
			keep_rest(latest, row, idle->held);
		if (row->category < p->ncategory && row->self != 0 && !out)
			add_share(p, row);
		sum_row(f, w, row, start, end, wall);
		row->calls = 0;
		row->total = row->self = 0;
		*idle = (struct tt_replay_idle){ 0 };
		row->touched = false;
		if (!row->active)
			row->since = INT64_MIN;
	}
	w->ntouched = 0;
	for (unsigned i = 0; i < TT_IDLES; i++)
		w->idled[i] = INT64_MIN;
	if (rc == TT_OK)
		rc = close_shares(p, &f->category_hist, err);
	return rc == TT_OK ? pass_frame(p, w, wall, err) : rc;
}

int
tt_thread_replay_advance(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err)
{
	const struct tt_frames *f = p->m->frames;
	int rc = TT_OK;

	while (rc == TT_OK && w->frame < w->end && f->start[w->frame] + f->dur[w->frame] <= ts) {
		int64_t end = f->start[w->frame] + f->dur[w->frame];
		/* Time before the frame began belongs to none. */
		if (w->since < f->start[w->frame])
			w->since = f->start[w->frame];
		rc = close_frame(p, w, end, err);
		w->frame++;
	}
	if (w->frame < w->end && w->since < f->start[w->frame] && ts > w->since)
		w->since = ts < f->start[w->frame] ? ts : f->start[w->frame];
	return rc;
}

static int
zone_begin(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, int64_t ts, unsigned flags, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;
	int rc = tt_thread_replay_advance(p, w, ts, err);

	if (rc == TT_OK)
		rc = settle_self(p, w, ts, err);
	struct tt_thread_replay_row *row = rc == TT_OK ? row_of(p, w, key, err) : NULL;
	if (!row)
		return err->code;
	if (row->out)
		return TT_OK;
	bool hidden = f->player_only && w->idling[TT_IDLE_EDITOR];
	if (row->idle)
		idle_begins(p, w, row, ts);
	if (hidden)
		return TT_OK;
	if (in_frame(f, w, ts)) {
		rc = touch(p, w, row, err);
		row->calls += !(flags & TT_F_CONT);
	} else if (!row->active) {
		catch_up(w, row);
	}
	if (row->active++ == 0) {
		row->since = ts;
		if (f->player_only)
			w->editor[row - w->row] = in_frame(f, w, ts) ? f->editor_ns[w->frame] : 0;
	}
	return rc;
}

/* Accounts for the end of a zone that is still on the stack. */
static int
zone_end(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, int64_t ts, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;
	struct tt_thread_replay_row *row = row_of(p, w, key, err);

	if (!row)
		return err->code;
	if (row->idle)
		idle_ends(p, w, row, ts);
	if (f->player_only && w->idling[TT_IDLE_EDITOR])
		return TT_OK;         /* it is inside a zone of the Editor's, where it was not counted */
	if (row->active == 1 && in_frame(f, w, ts)) {
		int64_t from = row->since > f->start[w->frame] ? row->since : f->start[w->frame];
		if (touch(p, w, row, err) != TT_OK)
			return err->code;
		row->total += (ts > from ? ts - from : 0) - take_editor(f, w, row);
	} else if (row->active == 1) {
		catch_up(w, row);
	}
	if (row->active && --row->active == 0)
		row->since = ts;
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
		if (rc == TT_OK)
			rc = settle_self(p, w, ts, err);
		w->st.n--;
		if (rc == TT_OK)
			rc = zone_end(p, w, w->st.z[w->st.n].key, ts, err);
	}
	return rc;
}

/* --- zones whole in a frame ---------------------------------------------------------------------- */

/* Close all but the outer ${n}. */
static void
pop_inner(struct tt_thread_replay *w, size_t n)
{
	w->ninner = w->ninner < n ? w->ninner : n;
}

/* Where ${e} lies in the zone around it, and the row from which that takes its time. */
static inline struct tt_thread_replay_inner
nested(const struct tt_thread_replay *w, const struct tt_event *e)
{
	struct tt_thread_replay_inner z = { .ts = e->ts, .end = e->ts + e->dur };

	if (likely(w->ninner > 0)) {  /* only a damaged capture has zones that reach out of the one around them */
		const struct tt_thread_replay_inner *around = &w->inner[w->ninner - 1];

		z.ts = z.ts < around->ts ? around->ts : z.ts > around->end ? around->end : z.ts;
		z.end = z.end > around->end ? around->end : z.end < z.ts ? z.ts : z.end;
		z.giver = around->giver;
	} else {
		z.giver = under(w);
	}
	return z;
}

static inline void
add_to(struct tt_replay_idle *idle, int64_t ns, bool held)
{
	idle->all += ns;
	idle->held += held ? ns : 0;
}

/* ${ns} of the self time of the row ${at} are those of ${row} now, also what of them is idle. */
static inline void
share_idle(struct tt_thread_replay *w, uint32_t at, const struct tt_thread_replay_row *row, int64_t ns, bool idle, bool held)
{
	if (idle)
		add_to(&w->idle[at], -ns, held);
	if (idle || row->idle & NO_WORK)
		add_to(&w->idle[row - w->row], ns, held || row->idle & HELD);
}

/* With --player-only, the zones around ${z}, which is the Editor's, do not have its time in their totals. */
static void
take_from_totals(struct tt_thread_replay *w, const struct tt_thread_replay_inner *z)
{
	for (const struct tt_thread_replay_inner *up = w->inner; up < z; up++)
		w->row[up->giver].total -= up->counts ? z->end - z->ts : 0;
}

/* A zone takes its time from the one around it. */
static int
inner_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct tt_err *err)
{
	const bool player_only = p->m->frames->player_only;
	int rc = TT_OK;

	if (unlikely(w->ninner == w->capinner))
		rc = tt_mem_grow(&p->m->env->mem, &w->inner, &w->capinner, w->ninner + 1, sizeof *w->inner, err);
	struct tt_thread_replay_row *row = rc == TT_OK ? row_of(p, w, e->val, err) : NULL;
	if (unlikely(!row))
		return err->code;
	struct tt_thread_replay_inner *z = &w->inner[w->ninner];
	*z = nested(w, e);
	w->ninner++;
	const int64_t ts = z->ts, end = z->end;
	const uint32_t at = z->giver;
	bool hidden = unlikely(player_only) && (w->idling[TT_IDLE_EDITOR] || ts < w->idled[TT_IDLE_EDITOR]);
	const bool idle = is_idle(w, ts), held = idle && is_held(w, ts);
	z->counts = false;
	if (row->idle)
		idle_inner(p, w, row, ts, end);
	if (unlikely(player_only) && !hidden && row->idle & TT_IDLE(TT_IDLE_EDITOR))
		take_from_totals(w, z);
	if (unlikely(row->out || hidden))
		return TT_OK;
	struct tt_thread_replay_row *giver = &w->row[at];
	giver->self -= end - ts;
	z->giver = (uint32_t)(row - w->row);
	if (unlikely(!giver->touched))
		rc = touch(p, w, giver, err);
	if (!row->touched && rc == TT_OK)
		rc = touch(p, w, row, err);
	row->self += end - ts;
	share_idle(w, at, row, end - ts, idle, held);
	row->calls += !(e->flags & TT_F_CONT);
	/* Within another of its marker? Zones nest, so that one would end later. */
	if (likely(!row->active) && ts >= row->since) {
		row->total += end - ts;
		row->since = end;
		z->counts = true;
	}
	return rc;
}

static bool
whole_in_frame(const struct tt_frames *f, const struct tt_thread_replay *w, const struct tt_event *e)
{
	return in_frame(f, w, e->ts) && e->ts + e->dur <= f->start[w->frame] + f->dur[w->frame];
}

/* --- a chunk ---------------------------------------------------------------------------------------- */

/* The top of the stack is new. */
static int
show(struct tt_replay *p, struct tt_thread_replay *w, struct tt_err *err)
{
	size_t n = w->st.n;
	struct tt_thread_replay_row *row = row_of(p, w, w->st.z[n - 1].key, err);

	if (!row || tt_mem_grow(&p->m->env->mem, &w->shown, &w->capshown, n, sizeof *w->shown, err) != TT_OK)
		return err->code;
	bool hidden = p->m->frames->player_only && w->idling[TT_IDLE_EDITOR] > (unsigned)(row->idle >> TT_IDLE_EDITOR & 1);
	w->shown[n - 1] = !row->out && !hidden ? (uint32_t)(row - w->row) : n > 1 ? w->shown[n - 2] : OUTSIDE;
	return TT_OK;
}

/* A zone goes on the stack, if there is room. */
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

	w->seen = st->seen_ts;
	for (size_t i = 0; i < st->n && rc == TT_OK; i++)
		rc = push(p, w, &(struct tt_event){ .ts = st->z[i].ts, .val = st->z[i].key, .flags = (uint8_t)st->z[i].flags }, err);
	return rc;
}

/* The stack while a chunk is replayed, in levels. */
struct levels {
	size_t base;                  /* zones from before the chunk end here */
	size_t whole;                 /* above it stand whole zones only, which end without an event */
	int64_t *ends;                /* of the whole zones, from base on: when */
};

/* The whole zones above level ${n} end. */
static int
pop_whole(struct tt_replay *p, struct tt_thread_replay *w, size_t n, const struct levels *l, struct tt_err *err)
{
	return pop_to(p, w, n > l->whole ? n : l->whole, l->ends, l->base, err);
}

/* A zone with its end goes on the stack only if it crosses the edge of a frame. */
static inline int
whole_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	size_t up = l->base + e->depth, top;
	int rc = TT_OK;

	pop_inner(w, up > w->st.n ? up - w->st.n : 0);
	if (up < w->st.n)
		rc = pop_whole(p, w, up, l, err);
	if (rc == TT_OK && (w->ninner > 0 || whole_in_frame(p->m->frames, w, e)))
		return inner_zone(p, w, e, err);
	top = w->st.n;
	if (rc == TT_OK)
		rc = push(p, w, e, err);
	if (w->st.n > top)
		l->ends[top - l->base] = e->ts + e->dur;
	return rc;
}

/* A zone that ends by an event: whole ones lie above it. */
static int
open_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	int rc = pop_whole(p, w, l->base + e->depth, l, err);

	if (rc == TT_OK)
		rc = push(p, w, e, err);
	l->whole = w->st.n;
	return rc;
}

/* The end of a zone from before the chunk. An exception that it interrupted is on top again. */
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

	if (rc == TT_OK)
		rc = tt_thread_replay_advance(p, w, e->ts, err);
	if (rc == TT_OK)
		rc = settle_self(p, w, e->ts, err);
	if (rc != TT_OK)
		return rc;
	if (e->flags & TT_F_BASE)
		return end_base(p, w, e, l, err);
	if (w->st.n == 0)
		return TT_OK;
	l->whole = --w->st.n;
	return zone_end(p, w, w->st.z[l->whole].key, e->ts, err);
}

/* Open zones are unknown from here on: end all of them, those from before the chunk at the thread's last event. */
static int
gap(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct levels *l, struct tt_err *err)
{
	int64_t ts = e->flags & TT_F_BASE || e->ts < w->seen ? w->seen : e->ts;
	int rc = pop_whole(p, w, l->base, l, err);

	if (rc == TT_OK)
		rc = tt_thread_replay_advance(p, w, ts, err);
	if (rc == TT_OK)
		rc = settle_self(p, w, ts, err);
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

	for (const struct tt_event *e = b->ev, *end = e + b->n; e < end && rc == TT_OK; e++) {
		if (likely(end - e > AHEAD))
			__builtin_prefetch(&w->row[*near_of(w, e[AHEAD].val)], 1);
		if (likely(e->kind == TT_ZONE)) {
			rc = whole_zone(p, w, e, &l, err);
			continue;
		}
		if (e->kind != TT_ZONE_BEGIN && e->kind != TT_ZONE_END && (e->kind != TT_GAP || e->flags & TT_F_CONT))
			continue;
		pop_inner(w, 0);
		rc = e->kind == TT_ZONE_BEGIN ? open_zone(p, w, e, &l, err) : e->kind == TT_ZONE_END ? end_zone(p, w, e, &l, err) :
		    gap(p, w, e, &l, err);
	}
	pop_inner(w, 0);
	if (rc == TT_OK)
		rc = pop_whole(p, w, l.base, &l, err);
	if (b->min_ts <= b->max_ts && b->max_ts > w->seen)
		w->seen = b->max_ts;
	tt_mem_free(mem, l.ends, cap * sizeof *l.ends);
	return rc;
}

int
tt_thread_replay_sum(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_frame_marker *sum, struct tt_err *err)
{
	struct tt_thread_replay_row *row = row_of(p, w, key, err);
	uint32_t at = place_of(w, key);

	if (!row)
		return err->code;
	*sum = (struct tt_frame_marker){ 0 };
	if (at && w->row[at - 1].alias)
		return TT_OK;
	catch_up(w, row);
	*sum = w->sum[row - w->row];
	return TT_OK;
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
	tt_map_free(&w->at, mem);
	tt_map_free(&w->named, mem);
	tt_mem_free(mem, w->touched, w->captouched * sizeof *w->touched);
	tt_mem_free(mem, w->shown, w->capshown * sizeof *w->shown);
	tt_mem_free(mem, w->peak, w->cappeak * sizeof *w->peak);
}
