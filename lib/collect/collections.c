/**
 * Collects what the garbage collector does.
 */
#include "collect/by_frame.h"
#include "collect/collect.h"
#include "collect/collections.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/order.h"
#include "model/frames.h"
#include "model/model.h"

enum { MAX_PAUSES = 1u << 18, MAX_HEAP_POINTS = 1u << 16 };

struct gc {
	struct tt_gc out;
	struct open { int64_t start, stopped, gc_start; int gen; bool known, full; } *open;         /* by thread: the pause and collection under way */
	size_t nopen;
	struct tt_map at;             /* by thread: place in out.thread */
	int64_t heap_ts;              /* time of out.heap_last */
	uint64_t heap_step;           /* every heap_step-th size is kept, a power of two; 0: all */
};

static struct open *
open_of(const struct tt_collecting *c, struct gc *s, struct tt_err *err)
{
	if (tt_mem_grow(c->mem, &s->open, &s->nopen, c->t->index + (size_t)1, sizeof *s->open, err) != TT_OK)
		return NULL;
	struct open *p = &s->open[c->t->index];
	if (!p->known)
		*p = (struct open){ .known = true, .start = INT64_MIN, .stopped = INT64_MIN, .gc_start = INT64_MIN };
	return p;
}

static void
add_collection(struct tt_gc_stat *g, int64_t dur, bool counts)
{
	g->n += counts;
	g->total += dur;
	if (counts && dur > g->max)
		g->max = dur;
}

/*
 * Clip *${from} and *${to}, of a collection or pause, to the filter's time, and return how much of it lies in that; -1: nothing. For a part of the
 * time, take all of it if it begins in the part, clipped to the whole's time. *${counts}: it begins in the filter's time.
 */
static int64_t
clip(const struct tt_collecting *c, int64_t *from, int64_t *to, bool *counts)
{
	const struct tt_filter *f = c->filter, *whole = f->by_begin ? &c->m->part_of->filter : f;

	*counts = tt_filter_has(f, *from);
	*to = *to > *from ? *to : *from;
	if (f->by_begin && !tt_filter_has(f, tt_filter_begin(f, whole, *from)))
		return -1;
	return tt_filter_clip(whole, from, to);
}

/* The collections of the chunk's thread; NULL with ${err} filled. */
static struct tt_gc_thread *
collections_of(const struct tt_collecting *c, struct gc *s, struct tt_err *err)
{
	struct tt_gc *out = &s->out;
	const uint32_t thread = c->t->index;
	const uint64_t hash = tt_seeded_mix(0, thread);
	const uint32_t at = tt_map_find(&s->at, hash, i, out->thread[i].thread == thread);

	if (at)
		return &out->thread[at - 1];
	if (tt_map_push(&s->at, c->mem, hash, &out->thread, &out->capthread, out->nthread, err) != TT_OK)
		return NULL;
	out->thread[out->nthread] = (struct tt_gc_thread){ .thread = thread };
	return &out->thread[out->nthread++];
}

/* Count a collection that has ended, for the thread that triggered it. */
static int
collected(const struct tt_collecting *c, struct gc *s, const struct open *p, int64_t end, struct tt_err *err)
{
	struct tt_gc_thread *of;
	int64_t from = p->gc_start, dur;
	bool counts;

	if (p->gc_start == INT64_MIN || !tt_collect_keeps(c, c->t->index) || (dur = clip(c, &from, &end, &counts)) < 0)
		return TT_OK;
	if (!(of = collections_of(c, s, err)))
		return err->code;
	if (c->needs & TT_NEEDS_BY_FRAME)
		tt_by_frame_collection(c, from, end, counts);
	add_collection(&s->out.gen[p->gen], dur, counts);
	add_collection(&of->gen[p->gen], dur, counts);
	return TT_OK;
}

static int
add_pause(const struct tt_collecting *c, struct tt_gc *s, const struct open *p, int64_t end, struct tt_err *err)
{
	int64_t from = p->start, stopped = p->stopped != INT64_MIN ? p->stopped : end, to = end, dur, still;
	bool counts, unused;

	if ((dur = clip(c, &from, &to, &counts)) < 0)
		return TT_OK;
	still = clip(c, &stopped, &end, &unused);
	if (still < 0) {
		still = 0;
		stopped = to;
	}
	if (tt_collect_keeps(c, c->t->index)) {
		s->npauses_all += counts;
		s->pause_total += dur;
		s->stopped_total += still;
		if (counts && dur > s->pause_max)
			s->pause_max = dur;
		if (counts && still > s->stopped_max)
			s->stopped_max = still;
	}
	/* A pause stops all threads, so it is listed whichever thread triggers it. */
	if (s->npause >= MAX_PAUSES)
		return TT_OK;
	int rc = tt_mem_grow(c->mem, &s->pause, &s->cappause, s->npause + 1, sizeof *s->pause, err);
	if (rc == TT_OK)
		s->pause[s->npause++] = (struct tt_pause){ .start = from, .stopped = stopped, .end = to,
			.thread = c->t->index, .process = c->t->process, .has_begin = counts, .is_full = p->full };
	return rc;
}

static int
phase(const struct tt_collecting *c, struct gc *s, const struct tt_event *e, struct tt_err *err)
{
	struct open *p = open_of(c, s, err);
	int rc = TT_OK;

	if (!p)
		return err->code;
	switch (e->val) {
	case TT_GC_PRE_STOP:
		p->start = e->ts;
		p->stopped = INT64_MIN;
		p->full = false;
		break;
	case TT_GC_STOPPED:
		p->stopped = e->ts;
		break;
	case TT_GC_START:
		p->gc_start = e->ts;
		p->gen = e->dur < TT_GENERATIONS - 1 ? (int)e->dur : TT_GENERATIONS - 1;
		break;
	case TT_GC_END:
		rc = collected(c, s, p, e->ts, err);
		p->full |= p->gc_start != INT64_MIN && p->gen > 0;
		p->gc_start = INT64_MIN;
		break;
	case TT_GC_RESTARTED:
		s->out.has_pause |= p->start != INT64_MIN;
		if (p->start != INT64_MIN)
			rc = add_pause(c, &s->out, p, e->ts > p->start ? e->ts : p->start, err);
		p->start = INT64_MIN;
		break;
	default:
		break;
	}
	return rc;
}

static int
add_size(const struct tt_collecting *c, struct tt_gc *s, int64_t ts, uint64_t bytes, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &s->heap, &s->capheap, s->nheap + 1, sizeof *s->heap, err);

	if (rc == TT_OK)
		s->heap[s->nheap++] = (struct tt_heap_point){ .ts = ts, .bytes = bytes };
	return rc;
}

static int
heap_size(const struct tt_collecting *c, struct gc *state, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gc *s = &state->out;
	const uint64_t which = s->nheap_resizes;

	/* Several threads collect, and events of different threads are not in order of time in the file. */
	if (s->nheap_resizes++ == 0 || e->ts >= state->heap_ts) {
		s->heap_last = e->val;
		state->heap_ts = e->ts;
	}
	if (e->val > s->heap_max)
		s->heap_max = e->val;
	if (s->nheap >= MAX_HEAP_POINTS) {
		for (size_t i = 0; i < s->nheap / 2; i++)
			s->heap[i] = s->heap[2 * i];
		s->nheap /= 2;
		state->heap_step = state->heap_step ? 2 * state->heap_step : 2;
	}
	/* Keep points at an even distance, so that a long recording shows its begin as well as its end. */
	return which & (state->heap_step ? state->heap_step - 1 : 0) ? TT_OK : add_size(c, s, e->ts, e->val, err);
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct gc *s = state;

	c->cap->collects = c->cap->collects || e->kind != TT_GC_MOVE;
	if (e->kind == TT_GC)
		return phase(c, s, e, err);
	if (!tt_collect_in_time(c, e))
		return TT_OK;
	if (e->kind == TT_GC_HEAP && (c->needs & TT_NEEDS_BY_FRAME))
		tt_by_frame_heap(c, e->ts, e->val);
	if (e->kind == TT_GC_HEAP)
		return heap_size(c, s, e, err);
	s->out.nmoves += tt_collect_keeps(c, c->t->index) ? e->val : 0;
	return TT_OK;
}

/* --- at the end ------------------------------------------------------------------------ */

static int
by_start(const void *a, const void *b)
{
	const struct tt_pause *x = a, *y = b;

	return x->start != y->start ? TT_CMP(x->start, y->start) :
	    TT_CMP(x->thread, y->thread);
}

static int
heap_by_time(const void *a, const void *b)
{
	const struct tt_heap_point *x = a, *y = b;

	return TT_CMP(x->ts, y->ts);
}

/*
 * Computes how long threads stood still for others' pauses. Let S(x) be the sum, over all pauses of a process, of their
 * time before x: a thread's share is S(last event) - S(first event), found by two searches, however many pauses there
 * are. Sums are taken modulo 2^64, as differences of times may be.
 */
struct edge {
	int64_t ts;
	uint64_t sum;         /* sum of sign * ts over this and all earlier edges */
	int64_t open;         /* sum of signs over this and all earlier edges */
	uint32_t process;
	int sign;             /* 1 where the world stops, -1 where it goes on */
};

static int
by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->process != y->process ? TT_CMP(x->process, y->process) :
	    TT_CMP(x->ts, y->ts);
}

/* The time of ${process} in pauses before ${ts}: S(x) above. */
static uint64_t
stopped_before(const struct edge *e, size_t n, uint32_t process, int64_t ts)
{
	size_t lo = tt_lower_bound(k, 0, n, e[k].process < process || (e[k].process == process && e[k].ts <= ts));

	return lo > 0 && e[lo - 1].process == process ? (uint64_t)e[lo - 1].open * (uint64_t)ts - e[lo - 1].sum : 0;
}

static uint64_t
overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static int
stopped_times(const struct tt_model *m, struct tt_gc *s, struct tt_mem *mem, struct tt_err *err)
{
	size_t n = 2 * s->npause;
	struct edge *e = tt_mem_alloc(mem, n * sizeof *e, err);

	if (!e)
		return err->code;
	s->stopped_ns = tt_mem_alloc(mem, m->threads.n * sizeof *s->stopped_ns, err);
	if (!s->stopped_ns) {
		tt_mem_free(mem, e, n * sizeof *e);
		return err->code;
	}
	s->nstopped_ns = m->threads.n;
	for (size_t i = 0; i < s->npause; i++) {
		const struct tt_pause *p = &s->pause[i];
		e[2 * i] = (struct edge){ .ts = p->stopped, .process = p->process, .sign = 1 };
		e[2 * i + 1] = (struct edge){ .ts = p->end > p->stopped ? p->end : p->stopped, .process = p->process, .sign = -1 };
	}
	tt_sort(e, n, by_place);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || e[i - 1].process != e[i].process;
		e[i].open = (first ? 0 : e[i - 1].open) + e[i].sign;
		e[i].sum = (first ? 0 : e[i - 1].sum) + (uint64_t)e[i].sign * (uint64_t)e[i].ts;
	}
	for (size_t i = 0; i < m->threads.n; i++) {
		const struct tt_thread *t = m->threads.t[i];
		if (t->first_ts <= t->last_ts)
			s->stopped_ns[i] = (int64_t)(stopped_before(e, n, t->process, t->last_ts) -
			    stopped_before(e, n, t->process, t->first_ts));
	}
	/* Pauses that a thread itself triggers count as its work. */
	for (size_t i = 0; i < s->npause; i++) {
		const struct tt_pause *p = &s->pause[i];
		const struct tt_thread *t = m->threads.t[p->thread];
		s->stopped_ns[p->thread] = (int64_t)((uint64_t)s->stopped_ns[p->thread] - overlap(p->stopped, p->end, t->first_ts, t->last_ts));
	}
	tt_mem_free(mem, e, n * sizeof *e);
	return TT_OK;
}

static int
finish(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct gc *own = state;
	struct tt_gc *s = &own->out;
	int rc = TT_OK;

	tt_sort(s->pause, s->npause, by_start);
	tt_sort(s->heap, s->nheap, heap_by_time);
	/* The last size is always kept. */
	if (s->nheap > 0 && s->heap[s->nheap - 1].ts < own->heap_ts)
		rc = add_size(c, s, own->heap_ts, s->heap_last, err);
	if (rc != TT_OK)
		return rc;
	return stopped_times(c->m, s, c->mem, err);
}

static void
release(struct tt_model *m, void *state)
{
	struct gc *s = state;

	tt_mem_free(&m->env->mem, s->open, s->nopen * sizeof *s->open);
	tt_map_free(&s->at, &m->env->mem);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_gc *s = state;

	tt_mem_free(&m->env->mem, s->pause, s->cappause * sizeof *s->pause);
	tt_mem_free(&m->env->mem, s->heap, s->capheap * sizeof *s->heap);
	tt_mem_free(&m->env->mem, s->thread, s->capthread * sizeof *s->thread);
	tt_mem_free(&m->env->mem, s->stopped_ns, s->nstopped_ns * sizeof *s->stopped_ns);
}

const struct tt_collector tt_collector_gc = {
	.name = "collections", .size = sizeof(struct gc), .kinds = TT_KIND(TT_GC) | TT_KIND(TT_GC_HEAP) | TT_KIND(TT_GC_MOVE),
	.event = event, .finish = finish, .release = release, .free = free_all,
};

/* --- what is known ----------------------------------------------------------------------------- */

bool
tt_knows_pauses(const struct tt_model *m)
{
	const struct tt_gc *s = tt_gc(m);
	bool hidden = false;
	uint64_t n = 0;

	for (size_t i = 0; i < TT_GENERATIONS; i++)
		n += s->gen[i].n;
	/* This also holds without a collection that the filters want. */
	for (size_t i = 0; i < m->ncap; i++)
		hidden = hidden || m->cap[i]->hides_pauses;
	return s->has_pause || (!n && !hidden);
}

void
tt_gc_pause_of_frames(const struct tt_model *m, int64_t *pause)
{
	const struct tt_frames *f = m->frames;
	const struct tt_gc *gc = tt_gc(m);

	for (size_t i = 0; i < gc->npause; i++) {
		const struct tt_pause *p = &gc->pause[i];
		size_t at, last;

		if (!tt_frames_range(f, p->process, &at, &last))
			continue;
		at = tt_lower_bound(k, at, last, tt_frames_end(f, k) <= p->start);
		for (; at < last && tt_frames_start(f, at) < p->end; at++) {
			int64_t from = p->start > tt_frames_start(f, at) ? p->start : tt_frames_start(f, at), to = tt_frames_end(f, at);

			pause[at] += (to < p->end ? to : p->end) - from;
		}
	}
}

bool
tt_knows_collections(const struct tt_model *m)
{
	const struct tt_gc *s = tt_gc(m);

	return !tt_model_undefined(m, TT_REC_COLLECTIONS) &&
	    (s->nthread || s->npauses_all || s->nheap_resizes || tt_model_records(m, TT_REC_COLLECTIONS));
}
