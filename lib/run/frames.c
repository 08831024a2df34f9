#include "run/state.h"

#include "model/names.h"

#include <stdlib.h>

/*
 * Frames in two steps. The prepass collects where the frame marker begins on each thread (marks), from which
 * the table of boundaries is built. In the main phase the commit stage replays the frame thread's zones in
 * order (watch): at any time it knows what is open, so time can be cut exactly at every boundary.
 *
 * Nearly all zones lie whole in one frame. Such a zone takes its time from the one around it when it begins, and is
 * done; only the few that reach over a boundary stand on the stack, whose top gets the time as it passes.
 */

struct marks {                        /* begins on one thread */
	uint32_t process, thread;
	int64_t *ts;
	size_t n, cap;
};

/* What one marker does in the present frame. */
struct row {
	uint64_t key;
	uint32_t active;              /* activations open now */
	bool wait, touched;
	bool out;                     /* an allocation wrapper: its time is that of the zone around it */
	uint64_t calls;
	int64_t total, self, since;   /* since: when the outermost activation began, or the frame */
	struct tt_frame_marker sum;
};

/* A zone that lies whole in the present frame. Row numbers are one up, 0 is none. */
struct inner {
	uint32_t row;                 /* 0: its time is that of the zone around it */
	uint32_t giver;               /* the row that its zones take their time from */
	int64_t ts, end;
};

/* The replay of one frame thread. */
struct watch {
	uint32_t process, thread;
	struct tt_stack st;
	uint32_t under;               /* the giver of zones right above the stack; STALE: to be looked up */
	struct inner *inner;          /* zones above the stack */
	size_t ninner, capinner;
	int64_t since;                /* self time is counted up to here */
	bool begun;
	size_t first;                 /* of this process's frames */
	size_t frame;                 /* the one we are in, or the next */
	size_t end;                   /* behind this process's frames */
	const struct marks *marks;    /* all of the process's, for frames that are not in the table, too */
	struct timer { uint64_t key; unsigned late; int what; } timer[8];      /* counters of frame timings */
	unsigned ntimer;
	uint32_t waiting;             /* wait zones open */
	int64_t wait_since;
	struct row *row;
	size_t nrow, caprow;
	uint32_t *slot;
	size_t nslot;
	uint32_t *touched;            /* rows of the present frame */
	size_t ntouched, captouched;
};

#define STALE UINT32_MAX

struct tt_marks {
	struct marks *m;
	size_t n, cap;
	struct { uint32_t process; uint64_t key; } *key;      /* markers whose begin is a frame */
	size_t nkey, capkey;
	bool keyed;
	struct watch *w;
	size_t nwatch;
	struct tt_frame_category *category;   /* sums, as the model gets them */
	int64_t *cat_self;            /* of the present frame */
	size_t ncategory;
};

/* --- marks ----------------------------------------------------------------------------- */

static struct tt_marks *
marks(struct tt_run *r, struct tt_err *err)
{
	if (!r->marks)
		r->marks = tt_mem_alloc(&r->env->mem, sizeof *r->marks, err);
	return r->marks;
}

static int
find_keys(struct tt_run *r, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;
	const char *glob[2] = { r->o->frame_marker, NULL };

	for (size_t i = 0; i < r->nin; i++) {
		const struct tt_def *d;
		for (size_t k = 0; (d = tt_defs_at(r->in[i].cap->defs, TT_DEF_MARKER, k)) != NULL; k++) {
			if (!tt_name_match(glob, d->text))
				continue;
			int rc = tt_mem_grow(&r->env->mem, &ms->key, &ms->capkey, ms->nkey + 1, sizeof *ms->key, err);
			if (rc != TT_OK)
				return rc;
			ms->key[ms->nkey].process = (uint32_t)i;
			ms->key[ms->nkey++].key = d->key;
		}
	}
	ms->keyed = true;
	if (ms->nkey == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no marker matches --frame-marker \"%s\"", r->o->frame_marker);
	return TT_OK;
}

static bool
is_mark(const struct tt_marks *ms, uint32_t process, uint64_t key)
{
	for (size_t i = 0; i < ms->nkey; i++)
		if (ms->key[i].key == key && ms->key[i].process == process)
			return true;
	return false;
}

static int
add_mark(struct tt_run *r, const struct tt_thread *t, int64_t ts, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;
	size_t i = 0;
	int rc;

	while (i < ms->n && ms->m[i].thread != t->index)
		i++;
	if (i == ms->n) {
		if ((rc = tt_mem_grow(&r->env->mem, &ms->m, &ms->cap, i + 1, sizeof *ms->m, err)) != TT_OK)
			return rc;
		ms->m[ms->n++] = (struct marks){ .process = t->process, .thread = t->index };
	}
	struct marks *m = &ms->m[i];
	if ((rc = tt_mem_grow(&r->env->mem, &m->ts, &m->cap, m->n + 1, sizeof *m->ts, err)) != TT_OK)
		return rc;
	/* A thread's time does not run backwards; where a damaged capture says so, frames of no length are left out. */
	m->ts[m->n] = m->n && ts < m->ts[m->n - 1] ? m->ts[m->n - 1] : ts;
	m->n++;
	return TT_OK;
}

int
tt_marks_collect(struct tt_run *r, struct tt_input *in, const struct tt_batch *b, const struct tt_thread *t,
    enum tt_phase phase, struct tt_err *err)
{
	struct tt_marks *ms = marks(r, err);
	int rc = ms ? TT_OK : err->code;

	if (rc != TT_OK)
		return rc;
	if (phase == TT_PHASE_DEFS) {
		if (b->min_ts < in->cap->min_ts)
			in->cap->min_ts = b->min_ts;
		if (b->max_ts > in->cap->max_ts)
			in->cap->max_ts = b->max_ts;
		r->zones_seen += b->nzone + b->nalloc;
		for (size_t i = 0; i < b->nrare && rc == TT_OK && !r->o->frame_marker; i++)
			if (b->ev[b->rare[i]].kind == TT_FRAME)
				rc = add_mark(r, t, b->ev[b->rare[i]].ts, err);
		return rc;
	}
	if (!ms->keyed && (rc = find_keys(r, err)) != TT_OK)
		return rc;
	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		if ((e->kind == TT_ZONE || e->kind == TT_ZONE_BEGIN) && is_mark(ms, in->cap->process, e->val))
			rc = add_mark(r, t, e->ts, err);
	}
	return rc;
}

/* --- the table ------------------------------------------------------------------------------ */

/* The frame thread of a process: by --frame-thread, else where most marks are. */
static const struct marks *
choose(const struct tt_run *r, uint32_t process)
{
	const struct tt_marks *ms = r->marks;
	const struct marks *best = NULL;

	for (size_t i = 0; i < ms->n; i++) {
		const struct marks *m = &ms->m[i];
		if (m->process != process)
			continue;
		if (r->o->frame_thread && !tt_glob(r->o->frame_thread, r->m->threads.t[m->thread]->name))
			continue;
		if (!best || m->n > best->n)
			best = m;
	}
	return best;
}

static int
add_frames(struct tt_run *r, const struct marks *m, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	struct tt_mem *mem = &r->env->mem;
	const struct tt_filter *flt = &r->m->filter;
	size_t n = m->n > 1 ? m->n - 1 : 0, cap = f->cap;
	void *column[] = { &f->start, &f->dur, &f->number, &f->thread, &f->alloc_b, &f->alloc_n, &f->wait_ns,
		&f->timing[0], &f->timing[1], &f->timing[2], &f->timing[3], &f->timing[4] };
	static const size_t size[] = { 8, 8, 8, 4, 8, 8, 8, 8, 8, 8, 8, 8 };

	for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
		cap = f->cap;
		int rc = tt_mem_grow(mem, column[i], &cap, f->n + n, size[i], err);
		if (rc != TT_OK)
			return rc;
	}
	f->cap = cap;
	f->partial += m->n && r->m->cap[m->process]->min_ts < m->ts[0] ? 2 : 1;
	for (size_t i = 0; i < n; i++) {
		int64_t from = m->ts[i], to = m->ts[i + 1];
		bool in = flt->has_frames ? i + 1 >= flt->frame_first && i + 1 <= flt->frame_last :
		    from >= flt->from && to <= flt->to;
		if (!in || to == from)
			continue;
		f->start[f->n] = from;
		f->dur[f->n] = to - from;
		f->number[f->n] = i + 1;
		f->thread[f->n++] = m->thread;
	}
	return TT_OK;
}

static void
new_watch(struct tt_run *r, const struct marks *m, size_t first)
{
	struct watch *w = &r->marks->w[r->marks->nwatch++];
	const struct tt_capture *cap = r->m->cap[m->process];
	const struct tt_def *d;

	*w = (struct watch){ .process = m->process, .thread = m->thread, .first = first, .frame = first,
		.end = r->m->frames->n, .marks = m, .under = STALE };
	for (size_t i = 0; cap->timing && (d = tt_defs_at(cap->defs, TT_DEF_COUNTER, i)) != NULL; i++) {
		struct timer *t = &w->timer[w->ntimer];
		if (w->ntimer < sizeof w->timer / sizeof *w->timer && (t->what = cap->timing(d->text, &t->late)) >= 0) {
			t->key = d->key;
			w->ntimer++;
		}
	}
}

struct length { int64_t dur; size_t frame; };

static int
by_length(const void *a, const void *b)
{
	const struct length *x = a, *y = b;

	return x->dur != y->dur ? (x->dur < y->dur) - (x->dur > y->dur) : (x->frame > y->frame) - (x->frame < y->frame);
}

/* The worst frames are known before the main phase, so only their rows need to be kept. */
static int
choose_hitches(struct tt_run *r, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	struct tt_mem *mem = &r->env->mem;
	size_t want = r->o->hitches ? r->o->hitches : 10;

	f->nhitch = want < f->n ? want : f->n;
	if (f->nhitch == 0)
		return TT_OK;
	struct length *order = tt_mem_alloc(mem, f->n * sizeof *order, err);
	f->hitch = tt_arena_alloc(&r->m->arena, f->nhitch * sizeof *f->hitch, err);
	if (!order || !f->hitch) {
		tt_mem_free(mem, order, f->n * sizeof *order);
		return err->code;
	}
	for (size_t i = 0; i < f->n; i++)
		order[i] = (struct length){ f->dur[i], i };
	qsort(order, f->n, sizeof *order, by_length);
	for (size_t i = 0; i < f->nhitch; i++)
		f->hitch[i].frame = order[i].frame;
	tt_mem_free(mem, order, f->n * sizeof *order);
	return TT_OK;
}

int
tt_frames_build(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	struct tt_marks *ms = r->marks;
	struct tt_mem *mem = &r->env->mem;
	int rc = TT_OK;

	m->zones_expected = r->zones_seen;
	if (!ms || ms->n == 0)
		return m->filter.has_frames ?
		    tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--frames needs frame marks: name a marker with --frame-marker") : TT_OK;
	if (!(m->frames = tt_mem_alloc(mem, sizeof *m->frames, err)))
		return err->code;
	m->frames->mem = mem;
	m->frames->marker = r->o->frame_marker;
	ms->w = tt_mem_alloc(mem, r->nin * sizeof *ms->w, err);
	ms->ncategory = m->ncategory;
	ms->category = tt_arena_alloc(&m->arena, (m->ncategory + 1) * sizeof *ms->category, err);
	ms->cat_self = tt_mem_alloc(mem, (m->ncategory + 1) * sizeof *ms->cat_self, err);
	if (!ms->w || !ms->category || !ms->cat_self)
		return err->code;
	for (size_t i = 0; i < m->ncategory; i++)
		tt_hist_init(&ms->category[i].hist);
	for (size_t i = 0; i < r->nin && rc == TT_OK; i++) {
		const struct marks *best = choose(r, (uint32_t)i);
		size_t first = m->frames->n;
		if (!best)
			continue;
		rc = add_frames(r, best, err);
		if (rc == TT_OK)
			new_watch(r, best, first);
	}
	if (rc == TT_OK && m->filter.has_frames && m->frames->n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--frames: the capture has no such frames");
	if (rc == TT_OK && m->frames->n > 0 && (m->filter.has_frames || r->o->whole_frames)) {
		m->filter.from = m->frames->start[0];
		m->filter.to = m->frames->start[m->frames->n - 1] + m->frames->dur[m->frames->n - 1];
	}
	return rc == TT_OK ? choose_hitches(r, err) : rc;
}

size_t
tt_frames_find(const struct tt_frames *f, size_t from, size_t to, int64_t ts)
{
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (f->start[mid] <= ts)
			from = mid + 1;
		else
			to = mid;
	}
	return from > 0 && ts >= f->start[from - 1] && ts < f->start[from - 1] + f->dur[from - 1] ? from - 1 : SIZE_MAX;
}

/* --- the replay -------------------------------------------------------------------------------- */

static bool
in_frame(const struct tt_frames *f, const struct watch *w, int64_t ts)
{
	return w->frame < w->end && ts >= f->start[w->frame];
}

static struct row *
row_of(struct tt_run *r, struct watch *w, uint64_t key, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;

	if (w->nrow * 2 >= w->nslot) {
		size_t n = w->nslot ? w->nslot * 2 : 256;
		uint32_t *s = tt_mem_alloc(mem, n * sizeof *s, err);
		if (!s)
			return NULL;
		for (size_t k = 0; k < w->nrow; k++) {
			size_t i = (size_t)((w->row[k].key * 0x9E3779B97F4A7C15u) >> 20) & (n - 1);
			while (s[i])
				i = (i + 1) & (n - 1);
			s[i] = (uint32_t)k + 1;
		}
		tt_mem_free(mem, w->slot, w->nslot * sizeof *w->slot);
		w->slot = s;
		w->nslot = n;
	}
	size_t i = (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (w->nslot - 1);
	for (; w->slot[i]; i = (i + 1) & (w->nslot - 1))
		if (w->row[w->slot[i] - 1].key == key)
			return &w->row[w->slot[i] - 1];
	if (tt_mem_grow(mem, &w->row, &w->caprow, w->nrow + 1, sizeof *w->row, err) != TT_OK)
		return NULL;
	const struct tt_name *n = tt_model_key(r->m, w->process, key);
	const char *const *globs = r->o->wait ? r->o->wait : tt_wait_markers;
	w->row[w->nrow] = (struct row){ .key = key, .wait = key == TT_KEY_CONTENTION || (n && tt_name_match(globs, n->full)),
		.out = n && n->alloc_wrapper && !r->m->filter.wrappers };
	w->slot[i] = (uint32_t)++w->nrow;
	return &w->row[w->nrow - 1];
}

static int
touch(struct tt_run *r, struct watch *w, struct row *row, struct tt_err *err)
{
	if (row->touched)
		return TT_OK;
	int rc = tt_mem_grow(&r->env->mem, &w->touched, &w->captouched, w->ntouched + 1, sizeof *w->touched, err);
	if (rc == TT_OK) {
		row->touched = true;
		w->touched[w->ntouched++] = (uint32_t)(row - w->row);
	}
	return rc;
}

static struct tt_hitch *
hitch_of(struct tt_frames *f, size_t frame)
{
	for (size_t i = 0; i < f->nhitch; i++)
		if (f->hitch[i].frame == frame)
			return &f->hitch[i];
	return NULL;
}

/* Keep the largest by self time, ties by key. */
static void
keep_top(struct tt_hitch *h, const struct row *row)
{
	unsigned cap = sizeof h->top / sizeof h->top[0], i = h->ntop;

	while (i > 0 && (h->top[i - 1].self < row->self || (h->top[i - 1].self == row->self && h->top[i - 1].key > row->key)))
		i--;
	if (i >= cap)
		return;
	unsigned last = h->ntop < cap ? h->ntop++ : cap - 1;
	for (; last > i; last--)
		h->top[last] = h->top[last - 1];
	h->top[i].key = row->key;
	h->top[i].self = row->self;
	h->top[i].calls = row->calls;
}

/* Give the time up to ${ts} to the innermost open zone. */
static int
settle_self(struct tt_run *r, struct watch *w, int64_t ts, struct tt_err *err)
{
	for (size_t i = w->st.n; i > 0 && ts > w->since && in_frame(r->m->frames, w, w->since); i--) {
		struct row *top = row_of(r, w, w->st.z[i - 1].key, err);
		if (!top)
			return err->code;
		if (top->out)
			continue;
		if (touch(r, w, top, err) != TT_OK)
			return err->code;
		top->self += ts - w->since;
		break;
	}
	if (ts > w->since)
		w->since = ts;
	return TT_OK;
}

/* The present frame is over at ${end}: sum up its rows. */
static int
close_frame(struct tt_run *r, struct watch *w, int64_t end, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	struct tt_marks *ms = r->marks;
	int64_t start = f->start[w->frame];
	int rc = settle_self(r, w, end, err);

	for (size_t i = 0; i < w->st.n && rc == TT_OK; i++) {
		struct row *row = row_of(r, w, w->st.z[i].key, err);
		if (!row)
			return err->code;
		if (row->since < end && !row->out) {
			rc = touch(r, w, row, err);
			row->total += end - (row->since > start ? row->since : start);
			row->since = end;
		}
	}
	if (w->waiting) {
		f->wait_ns[w->frame] += end - (w->wait_since > start ? w->wait_since : start);
		w->wait_since = end;
	}
	struct tt_hitch *h = hitch_of(f, w->frame);
	for (size_t i = 0; i < w->ntouched; i++) {
		struct row *row = &w->row[w->touched[i]];
		const struct tt_name *n = tt_model_key(r->m, w->process, row->key);
		if (h)
			keep_top(h, row);
		if (n && n->category < ms->ncategory)
			ms->cat_self[n->category] += row->self;
		row->sum.present += row->calls || row->self || row->total;
		row->sum.total += row->total;
		row->sum.self += row->self;
		if (row->total > row->sum.total_max)
			row->sum.total_max = row->total;
		if (row->self > row->sum.self_max)
			row->sum.self_max = row->self;
		if (row->calls > row->sum.calls_max)
			row->sum.calls_max = row->calls;
		row->calls = 0;
		row->total = row->self = 0;
		row->touched = false;
	}
	w->ntouched = 0;
	for (size_t i = 0; i < ms->ncategory; i++) {
		struct tt_frame_category *c = &ms->category[i];
		tt_hist_add(&c->hist, (uint64_t)(ms->cat_self[i] > 0 ? ms->cat_self[i] : 0), 1);
		c->present += ms->cat_self[i] > 0;
		c->self += ms->cat_self[i];
		if (ms->cat_self[i] > c->self_max)
			c->self_max = ms->cat_self[i];
		ms->cat_self[i] = 0;
	}
	return rc;
}

/* Time has come to ${ts}: close the frames that are over. */
static int
advance(struct tt_run *r, struct watch *w, int64_t ts, struct tt_err *err)
{
	const struct tt_frames *f = r->m->frames;
	int rc = TT_OK;

	while (rc == TT_OK && w->frame < w->end && f->start[w->frame] + f->dur[w->frame] <= ts) {
		int64_t end = f->start[w->frame] + f->dur[w->frame];
		/* Time before the frame began belongs to none. */
		if (w->since < f->start[w->frame])
			w->since = f->start[w->frame];
		rc = close_frame(r, w, end, err);
		w->frame++;
	}
	if (w->frame < w->end && w->since < f->start[w->frame] && ts > w->since)
		w->since = ts < f->start[w->frame] ? ts : f->start[w->frame];
	return rc;
}

static int
zone_begin(struct tt_run *r, struct watch *w, uint64_t key, int64_t ts, unsigned flags, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	int rc = advance(r, w, ts, err);

	if (rc == TT_OK)
		rc = settle_self(r, w, ts, err);
	struct row *row = rc == TT_OK ? row_of(r, w, key, err) : NULL;
	if (!row)
		return err->code;
	if (row->out)
		return TT_OK;
	if (row->active++ == 0)
		row->since = ts;
	if (row->wait) {
		f->has_wait = true;
		if (w->waiting++ == 0)
			w->wait_since = ts;
	}
	if (in_frame(f, w, ts) && !(flags & TT_F_CONT)) {
		rc = touch(r, w, row, err);
		row->calls++;
	}
	return rc;
}

/* Accounts for the end of a zone that is still on the stack. */
static int
zone_end(struct tt_run *r, struct watch *w, uint64_t key, int64_t ts, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	struct row *row = row_of(r, w, key, err);

	if (!row)
		return err->code;
	if (row->active && --row->active == 0 && in_frame(f, w, ts)) {
		int64_t from = row->since > f->start[w->frame] ? row->since : f->start[w->frame];
		if (touch(r, w, row, err) != TT_OK)
			return err->code;
		row->total += ts > from ? ts - from : 0;
	}
	if (row->wait && w->waiting && --w->waiting == 0 && in_frame(f, w, ts)) {
		int64_t from = w->wait_since > f->start[w->frame] ? w->wait_since : f->start[w->frame];
		f->wait_ns[w->frame] += ts > from ? ts - from : 0;
	}
	return TT_OK;
}

struct ending { struct tt_run *r; struct watch *w; int64_t ts; int rc; struct tt_err *err; };

static void
popped(void *arg, const struct tt_open *z, unsigned flags)
{
	struct ending *e = arg;

	(void)flags;
	if (e->rc == TT_OK)
		e->rc = zone_end(e->r, e->w, z->key, e->ts, e->err);
}

static int
pop_to(struct tt_run *r, struct watch *w, size_t n, const int64_t *ends, size_t base, struct tt_err *err)
{
	int rc = TT_OK;

	if (w->st.n > n)
		w->under = STALE;
	while (w->st.n > n && rc == TT_OK) {
		int64_t ts = ends[w->st.n - 1 - base];
		rc = advance(r, w, ts, err);
		if (rc == TT_OK)
			rc = settle_self(r, w, ts, err);
		w->st.n--;
		if (rc == TT_OK)
			rc = zone_end(r, w, w->st.z[w->st.n].key, ts, err);
	}
	return rc;
}

/* --- zones whole in a frame ---------------------------------------------------------------------- */

/* Close all but the outer ${n}. */
static void
pop_inner(struct watch *w, size_t n)
{
	while (w->ninner > n) {
		uint32_t i = w->inner[--w->ninner].row;
		if (i == 0)
			continue;
		w->row[i - 1].active--;
		w->waiting -= w->row[i - 1].wait;
	}
}

/* Whose time zones right above the stack take: the innermost that is shown. */
static int
find_under(struct tt_run *r, struct watch *w, struct tt_err *err)
{
	w->under = 0;
	for (size_t i = w->st.n; i > 0 && w->under == 0; i--) {
		struct row *row = row_of(r, w, w->st.z[i - 1].key, err);
		if (!row)
			return err->code;
		if (!row->out)
			w->under = (uint32_t)(row - w->row) + 1;
	}
	return TT_OK;
}

static int
take_time(struct tt_run *r, struct watch *w, uint32_t row, int64_t ns, struct tt_err *err)
{
	if (row == 0)
		return TT_OK;
	w->row[row - 1].self -= ns;
	return touch(r, w, &w->row[row - 1], err);
}

static int
inner_zone(struct tt_run *r, struct watch *w, const struct tt_event *e, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	struct inner z = { .ts = e->ts, .end = e->ts + e->dur };
	int rc = tt_mem_grow(&r->env->mem, &w->inner, &w->capinner, w->ninner + 1, sizeof z, err);

	if (rc == TT_OK && w->ninner == 0 && w->under == STALE)
		rc = find_under(r, w, err);
	struct row *row = rc == TT_OK ? row_of(r, w, e->val, err) : NULL;
	if (!row)
		return err->code;
	z.giver = w->under;
	if (w->ninner > 0) {          /* only a damaged capture has zones that reach out of the one around them */
		const struct inner *up = &w->inner[w->ninner - 1];
		z.giver = up->giver;
		z.ts = z.ts < up->ts ? up->ts : z.ts > up->end ? up->end : z.ts;
		z.end = z.end > up->end ? up->end : z.end < z.ts ? z.ts : z.end;
	}
	if (!row->out) {
		int64_t ns = z.end - z.ts;
		z.row = (uint32_t)(row - w->row) + 1;
		if ((rc = touch(r, w, row, err)) != TT_OK || (rc = take_time(r, w, z.giver, ns, err)) != TT_OK)
			return rc;
		z.giver = z.row;
		row->self += ns;
		row->calls += !(e->flags & TT_F_CONT);
		if (row->active++ == 0)
			row->total += ns;
		if (row->wait) {
			f->has_wait = true;
			if (w->waiting++ == 0)
				f->wait_ns[w->frame] += ns;
		}
	}
	w->inner[w->ninner++] = z;
	return TT_OK;
}

static bool
whole_in_frame(const struct tt_frames *f, const struct watch *w, const struct tt_event *e)
{
	return in_frame(f, w, e->ts) && e->ts + e->dur <= f->start[w->frame] + f->dur[w->frame];
}

/* --- a chunk ---------------------------------------------------------------------------------------- */

/* A zone goes on the stack. */
static int
push(struct tt_run *r, struct watch *w, const struct tt_event *e, struct tt_err *err)
{
	int rc = zone_begin(r, w, e->val, e->ts, e->flags, err);

	w->under = STALE;
	if (rc == TT_OK && tt_stack_push(&w->st, &r->env->mem, e->val, e->ts, e->flags & TT_F_CONT, err) < 0)
		rc = err->code;
	return rc;
}

/*
 * Replay one chunk of the frame thread. Whole zones come in the order of their begin; each is closed when the
 * next event stands no deeper, those on the stack at their own end.
 */
static int
replay(struct tt_run *r, struct watch *w, const struct tt_batch *b, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	size_t base = w->st.n, cap = 0, whole = 0;    /* whole: above it stand whole zones only */
	int64_t *ends = NULL;
	int rc = tt_mem_grow(mem, &ends, &cap, b->n + 1, sizeof *ends, err);

	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		size_t up = base + e->depth;
		struct ending end = { r, w, e->ts, TT_OK, err };
		switch (e->kind) {
		case TT_ZONE:
			pop_inner(w, up > w->st.n ? up - w->st.n : 0);
			if (up < w->st.n)
				rc = pop_to(r, w, up > whole ? up : whole, ends, base, err);
			if (rc == TT_OK && (w->ninner > 0 || whole_in_frame(r->m->frames, w, e))) {
				rc = inner_zone(r, w, e, err);
				break;
			}
			if (rc == TT_OK)
				rc = push(r, w, e, err);
			if (w->st.n > base)
				ends[w->st.n - 1 - base] = e->ts + e->dur;
			break;
		case TT_ZONE_BEGIN:
			pop_inner(w, 0);
			/* Open zones end by their own event; whole ones lie above them. */
			rc = pop_to(r, w, up > whole ? up : whole, ends, base, err);
			if (rc == TT_OK)
				rc = push(r, w, e, err);
			whole = w->st.n;
			break;
		case TT_ZONE_END:
			pop_inner(w, 0);
			rc = pop_to(r, w, whole > base ? whole : base, ends, base, err);
			w->under = STALE;
			if (rc == TT_OK)
				rc = advance(r, w, e->ts, err);
			if (rc == TT_OK)
				rc = settle_self(r, w, e->ts, err);
			if (rc != TT_OK)
				break;
			if (e->flags & TT_F_BASE) {
				size_t n = w->st.n;
				tt_stack_end(&w->st, e->val, e->ts, e->flags, popped, &end);
				if (w->st.n == n && n && w->st.z[n - 1].flags & TT_F_CONT && w->st.z[n - 1].ts == e->ts && end.rc == TT_OK)
					end.rc = zone_begin(r, w, TT_KEY_EXCEPTION, e->ts, TT_F_CONT, err);
				base = whole = w->st.n;
			} else if (w->st.n) {
				w->st.n--;
				popped(&end, &w->st.z[w->st.n], 0);
				whole = w->st.n;
			}
			rc = end.rc;
			break;
		case TT_GAP:
			pop_inner(w, 0);
			w->under = STALE;
			end.ts = e->flags & TT_F_BASE ? w->since : e->ts;
			while (w->st.n > 0 && end.rc == TT_OK) {
				w->st.n--;
				popped(&end, &w->st.z[w->st.n], 0);
			}
			rc = end.rc;
			base = whole = 0;
			break;
		default:
			break;
		}
	}
	pop_inner(w, 0);
	if (rc == TT_OK)
		rc = pop_to(r, w, whole > base ? whole : base, ends, base, err);
	tt_mem_free(mem, ends, cap * sizeof *ends);
	return rc;
}

static void
count_allocs(struct tt_frames *f, const struct watch *w, const struct tt_batch *b)
{
	size_t first = w->first, at = SIZE_MAX;

	for (size_t i = 0; i < b->n; i++) {
		const struct tt_event *e = &b->ev[i];
		if (e->kind != TT_ALLOC)
			continue;
		if (at == SIZE_MAX || e->ts < f->start[at] || e->ts >= f->start[at] + f->dur[at])
			at = tt_frames_find(f, first, w->end, e->ts);
		if (at == SIZE_MAX)
			continue;
		f->alloc_n[at] += e->flags & TT_F_MANY ? e[1].depth : 1;
		f->alloc_b[at] += e->flags & TT_F_WIDE ? (uint64_t)e[1].ts : e->dur;
	}
}

/* The frame ${back} frames before the one that ${ts} falls into, whole or not; SIZE_MAX where it is not in the table. */
static size_t
frame_back(const struct tt_frames *f, const struct watch *w, int64_t ts, unsigned back)
{
	size_t lo = 0, hi = w->marks->n;

	while (lo < hi) {             /* marks up to ts: the number of the frame */
		size_t mid = lo + (hi - lo) / 2;
		if (w->marks->ts[mid] <= ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo <= back)
		return SIZE_MAX;
	uint64_t number = lo - back;
	for (lo = w->first, hi = w->end; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->number[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->end && f->number[lo] == number ? lo : SIZE_MAX;
}

static void
set_timing(struct tt_frames *f, const struct watch *w, int64_t ts, unsigned back, unsigned what, uint64_t ns, bool over)
{
	size_t at = ns > 0 && ns <= INT64_MAX && what < TT_TIMINGS ? frame_back(f, w, ts, back) : SIZE_MAX;

	if (at == SIZE_MAX || (f->timing[what][at] && !over))
		return;
	f->timing[what][at] = (int64_t)ns;
	f->has_timing = true;
}

/* A value of a counter in ns; 0 where it has none. */
static uint64_t
whole_ns(const struct tt_event *e)
{
	double d;

	switch ((enum tt_type)e->depth) {
	case TT_T_I64:
		return (int64_t)e->val > 0 ? e->val : 0;
	case TT_T_U64:
		return e->val;
	case TT_T_F64:
		memcpy(&d, &e->val, sizeof d);
		return d > 0 && d < 9e18 ? (uint64_t)d : 0;
	default:
		return 0;
	}
}

/* What the engine measured goes to the frame it is about; a record of it goes before a counter. */
static void
take_timings(struct tt_frames *f, const struct watch *w, const struct tt_batch *b)
{
	for (size_t i = 0; i < b->nrare; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		if (e->kind == TT_TIMING)
			set_timing(f, w, e->ts, e->depth, e->dur, e->val, true);
		for (unsigned k = 0; e->kind == TT_COUNTER && k < w->ntimer; k++)
			if ((uint32_t)w->timer[k].key == e->dur)
				set_timing(f, w, e->ts, w->timer[k].late, (unsigned)w->timer[k].what, whole_ns(e), false);
	}
}

int
tt_frames_chunk(struct tt_run *r, const struct tt_batch *b, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;

	for (size_t i = 0; i < ms->nwatch; i++) {
		struct watch *w = &ms->w[i];
		if (w->process != b->process)
			continue;
		if (b->nalloc)
			count_allocs(r->m->frames, w, b);
		if (b->nrare)
			take_timings(r->m->frames, w, b);
		if (w->thread == b->thread)
			return replay(r, w, b, err);
	}
	return TT_OK;
}

/* The last frames, and everything by dense marker number. */
int
tt_frames_finish(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	struct tt_frames *f = m->frames;
	struct tt_marks *ms = r->marks;
	int rc = TT_OK;

	if (!f)
		return TT_OK;
	f->nmarker_stat = tt_tree_markers(m->tree);
	f->marker_stat = tt_arena_alloc(&m->arena, (f->nmarker_stat + 1) * sizeof *f->marker_stat, err);
	if (!f->marker_stat)
		return err->code;
	for (size_t i = 0; i < ms->nwatch && rc == TT_OK; i++)
		rc = advance(r, &ms->w[i], INT64_MAX, err);
	for (size_t i = 0; i < f->nmarker_stat && rc == TT_OK; i++) {
		const struct tt_marker *k = tt_tree_marker(m->tree, (uint32_t)i);
		for (size_t j = 0; j < ms->nwatch; j++) {
			if (ms->w[j].process != k->process)
				continue;
			struct row *row = row_of(r, &ms->w[j], k->key, err);
			if (!row)
				return err->code;
			f->marker_stat[i] = row->sum;
		}
	}
	f->category_stat = ms->category;
	f->ncategory_stat = ms->ncategory;
	return rc;
}

void
tt_frames_free(struct tt_model *m)
{
	struct tt_frames *f = m->frames;

	if (!f)
		return;
	tt_mem_free(f->mem, f->start, f->cap * sizeof *f->start);
	tt_mem_free(f->mem, f->dur, f->cap * sizeof *f->dur);
	tt_mem_free(f->mem, f->number, f->cap * sizeof *f->number);
	tt_mem_free(f->mem, f->thread, f->cap * sizeof *f->thread);
	tt_mem_free(f->mem, f->alloc_b, f->cap * sizeof *f->alloc_b);
	tt_mem_free(f->mem, f->alloc_n, f->cap * sizeof *f->alloc_n);
	tt_mem_free(f->mem, f->wait_ns, f->cap * sizeof *f->wait_ns);
	for (unsigned i = 0; i < TT_TIMINGS; i++)
		tt_mem_free(f->mem, f->timing[i], f->cap * sizeof *f->timing[i]);
	tt_mem_free(f->mem, f, sizeof *f);
	m->frames = NULL;
}

void
tt_marks_free(struct tt_run *r)
{
	struct tt_marks *ms = r->marks;
	struct tt_mem *mem = &r->env->mem;

	if (!ms)
		return;
	for (size_t i = 0; i < ms->n; i++)
		tt_mem_free(mem, ms->m[i].ts, ms->m[i].cap * sizeof *ms->m[i].ts);
	tt_mem_free(mem, ms->m, ms->cap * sizeof *ms->m);
	tt_mem_free(mem, ms->key, ms->capkey * sizeof *ms->key);
	for (size_t i = 0; i < ms->nwatch; i++) {
		struct watch *w = &ms->w[i];
		tt_stack_free(&w->st, mem);
		tt_mem_free(mem, w->inner, w->capinner * sizeof *w->inner);
		tt_mem_free(mem, w->row, w->caprow * sizeof *w->row);
		tt_mem_free(mem, w->slot, w->nslot * sizeof *w->slot);
		tt_mem_free(mem, w->touched, w->captouched * sizeof *w->touched);
	}
	tt_mem_free(mem, ms->w, ms->w ? r->nin * sizeof *ms->w : 0);
	tt_mem_free(mem, ms->cat_self, ms->cat_self ? (ms->ncategory + 1) * sizeof *ms->cat_self : 0);
	tt_mem_free(mem, ms, sizeof *ms);
	r->marks = NULL;
}
