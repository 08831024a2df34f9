/**
 * Totals of infrequent events that need no collector of their own: collections, pauses, heap sizes, counts by kind.
 */
#include "run/state.h"

#include <stddef.h>
#include <stdlib.h>

enum { MAX_PAUSES = 1u << 18, MAX_HEAP_POINTS = 1u << 16 };

/* --- collections and pauses ------------------------------------------------------ */

/* The pause a thread is in the middle of. */
static struct tt_pause_open *
pausing(struct tt_run *r, uint64_t thread, struct tt_err *err)
{
	if (tt_mem_grow(&r->env->mem, &r->pausing, &r->cappausing, (size_t)thread + 1, sizeof *r->pausing, err) != TT_OK)
		return NULL;
	struct tt_pause_open *p = &r->pausing[thread];
	if (!p->known)
		*p = (struct tt_pause_open){ .known = true, .start = INT64_MIN, .stopped = INT64_MIN, .gc_start = INT64_MIN };
	return p;
}

/* Does the filter want the thread? A collection and its pause are of the thread that triggers them. */
static bool
is_kept(const struct tt_run *r, const struct tt_thread *t)
{
	return !r->m->keep_thread || r->m->keep_thread[t->index];
}

static void
add_collection(struct tt_gc_stat *g, int64_t dur)
{
	g->n++;
	g->total += dur;
	if (dur > g->max)
		g->max = dur;
}

/* The collections of a thread; NULL with ${err} filled. */
static struct tt_gc_thread *
collections_of(struct tt_run *r, uint32_t thread, struct tt_err *err)
{
	struct tt_model *m = r->m;
	uint64_t *at;

	if (!r->gc_at.mem)
		tt_tally_init(&r->gc_at, &r->env->mem);
	if (!(at = tt_tally_at(&r->gc_at, thread, err)))
		return NULL;
	if (*at == 0) {
		if (tt_mem_grow(&r->env->mem, &m->gc_thread, &m->capgc_thread, m->ngc_thread + 1, sizeof *m->gc_thread, err) != TT_OK)
			return NULL;
		m->gc_thread[m->ngc_thread++] = (struct tt_gc_thread){ .thread = thread };
		*at = m->ngc_thread;
	}
	return &m->gc_thread[*at - 1];
}

static int
collected(struct tt_run *r, const struct tt_thread *t, const struct tt_pause_open *p, int64_t end, struct tt_err *err)
{
	int64_t dur = end > p->gc_start ? end - p->gc_start : 0;
	struct tt_gc_thread *of;

	if (p->gc_start == INT64_MIN || !tt_run_in_time(r, p->gc_start) || !is_kept(r, t))
		return TT_OK;
	if (!(of = collections_of(r, t->index, err)))
		return err->code;
	add_collection(&r->m->gen[p->gen], dur);
	add_collection(&of->gen[p->gen], dur);
	return TT_OK;
}

static int
add_pause(struct tt_run *r, const struct tt_thread *t, const struct tt_pause_open *p, int64_t end, struct tt_err *err)
{
	struct tt_model *m = r->m;
	int64_t stopped = p->stopped != INT64_MIN ? p->stopped : end;
	int64_t dur = end - p->start, still = end > stopped ? end - stopped : 0;

	if (is_kept(r, t)) {
		m->pause_n++;
		m->pause_total += dur;
		m->stopped_total += still;
		if (dur > m->pause_max)
			m->pause_max = dur;
		if (still > m->stopped_max)
			m->stopped_max = still;
	}
	/* It stops the other threads, so it is listed no matter which thread triggers it. */
	if (m->npause >= MAX_PAUSES)
		return TT_OK;
	int rc = tt_mem_grow(&r->env->mem, &m->pause, &m->cappause, m->npause + 1, sizeof *m->pause, err);
	if (rc == TT_OK)
		m->pause[m->npause++] = (struct tt_pause){ .start = p->start, .stopped = stopped, .end = end,
			.thread = t->index, .process = t->process };
	return rc;
}

static int
gc(struct tt_run *r, const struct tt_event *e, const struct tt_thread *t, struct tt_err *err)
{
	struct tt_pause_open *p = pausing(r, t->index, err);
	int rc = TT_OK;

	if (!p)
		return err->code;
	switch (e->val) {
	case TT_GC_PRE_STOP:
		p->start = e->ts;
		p->stopped = INT64_MIN;
		break;
	case TT_GC_STOPPED:
		p->stopped = e->ts;
		break;
	case TT_GC_START:
		p->gc_start = e->ts;
		p->gen = e->dur < 7 ? (int)e->dur : 7;
		break;
	case TT_GC_END:
		rc = collected(r, t, p, e->ts, err);
		p->gc_start = INT64_MIN;
		break;
	case TT_GC_RESTARTED:
		r->m->pauses |= p->start != INT64_MIN;
		if (p->start != INT64_MIN && tt_run_in_time(r, p->start))
			rc = add_pause(r, t, p, e->ts > p->start ? e->ts : p->start, err);
		p->start = INT64_MIN;
		break;
	default:
		break;
	}
	return rc;
}

static int
heap_size(struct tt_run *r, const struct tt_event *e, struct tt_err *err)
{
	struct tt_model *m = r->m;

	m->heap_resizes++;
	m->heap_last = e->val;
	if (e->val > m->heap_max)
		m->heap_max = e->val;
	if (m->nheap >= MAX_HEAP_POINTS) {
		for (size_t i = 0; i < m->nheap / 2; i++)
			m->heap[i] = m->heap[2 * i + 1];
		m->nheap /= 2;
	}
	int rc = tt_mem_grow(&r->env->mem, &m->heap, &m->capheap, m->nheap + 1, sizeof *m->heap, err);
	if (rc == TT_OK)
		m->heap[m->nheap++] = (struct tt_heap_point){ .ts = e->ts, .bytes = e->val };
	return rc;
}

/* Counts of the whole run, even with --time: they are written when it ends. */
static int
coverage(struct tt_run *r, struct tt_input *in, const struct tt_batch *b, size_t i, struct tt_err *err)
{
	r->m->coverage_records++;
	return r->m->cover ? tt_cover_event(r->m->cover, in->cap->process, b, i, err) : TT_OK;
}

/* --- everything else is counted ----------------------------------------------------- */

static void
count(struct tt_model *m, const struct tt_event *e)
{
	switch (e->kind) {
	case TT_GC_MOVE: m->moves += e->val; break;
	case TT_HANDLE:
		if (e->depth < 4)
			m->handles[e->depth][(e->flags & TT_F_END) != 0]++;
		break;
	case TT_FINALIZE: m->finalized += e->val && (e->flags & TT_F_END); break;
	case TT_THROW: m->throws++; break;
	case TT_CLAUSE: m->clauses[e->depth < 5 ? e->depth : 3]++; break;
	case TT_MONITOR:
		m->contended += e->depth == TT_MONITOR_CONTEND;
		m->acquired += e->depth == TT_MONITOR_ACQUIRED;
		m->contend_failed += e->depth == TT_MONITOR_FAILED;
		break;
	case TT_SAMPLE:
		m->samples++;
		m->samples_managed += e->dur > 0;
		break;
	case TT_HEAP_SHOT: m->heap_shots += !(e->flags & TT_F_END); break;
	case TT_HEAP_CLASS:
		m->heap_objects += e[1].val;
		m->heap_object_bytes += (uint64_t)e[1].ts;
		break;
	case TT_SYNC: m->syncs++; break;
	case TT_JIT_CODE: m->jit_records++; break;
	default: break;
	}
}

int
tt_rare_tally(struct tt_run *r, struct tt_input *in, struct tt_batch *b, const struct tt_thread *t,
    struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < b->nrare && rc == TT_OK; i++) {
		struct tt_event *e = &b->ev[b->rare[i]];
		if (e->kind == TT_COUNTER)
			rc = tt_counters_event(r, in, e, b, err);
		else if (e->kind == TT_COVERAGE)
			rc = coverage(r, in, b, b->rare[i], err);
		else if (!tt_run_in_time(r, e->ts))
			rc = e->kind == TT_GC ? gc(r, e, t, err) : TT_OK;
		else if (e->kind == TT_GC)
			rc = gc(r, e, t, err);
		else if (e->kind == TT_GC_HEAP)
			rc = heap_size(r, e, err);
		else if (e->kind != TT_GC_MOVE || is_kept(r, t))
			count(r->m, e);
		if (e->kind == TT_META && e->depth < TT_DEF_KINDS)
			in->cap->unloaded[e->depth]++;
	}
	return rc;
}

/* --- at the end ------------------------------------------------------------------------ */

static int
by_start(const void *a, const void *b)
{
	const struct tt_pause *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start) :
	    (x->thread > y->thread) - (x->thread < y->thread);
}

static int
heap_by_time(const void *a, const void *b)
{
	const struct tt_heap_point *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

/*
 * How long threads stood still for others' pauses. With the sum over all pauses of a process of how much lies before a
 * time x, what a thread had of them is the difference of two such sums, whatever the numbers of threads and
 * pauses are. Sums are taken modulo 2^64, as differences of times may be.
 */
struct edge {
	int64_t ts;
	uint64_t sum;         /* over this and those before it: signs times ts */
	int64_t open;         /* over this and those before it: signs */
	uint32_t process;
	int sign;             /* 1 where the world stops, -1 where it goes on */
};

static int
by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->process != y->process ? (x->process > y->process) - (x->process < y->process) :
	    (x->ts > y->ts) - (x->ts < y->ts);
}

/* The pauses of ${process} before ${ts}, as far as they are before it. */
static uint64_t
stopped_before(const struct edge *e, size_t n, uint32_t process, int64_t ts)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (e[mid].process < process || (e[mid].process == process && e[mid].ts <= ts))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && e[lo - 1].process == process ? (uint64_t)e[lo - 1].open * (uint64_t)ts - e[lo - 1].sum : 0;
}

static uint64_t
overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static int
stopped_times(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	struct tt_mem *mem = &r->env->mem;
	size_t n = 2 * m->npause;
	struct edge *e = tt_mem_alloc(mem, n * sizeof *e, err);

	if (!e)
		return err->code;
	for (size_t i = 0; i < m->npause; i++) {
		const struct tt_pause *p = &m->pause[i];
		e[2 * i] = (struct edge){ .ts = p->stopped, .process = p->process, .sign = 1 };
		e[2 * i + 1] = (struct edge){ .ts = p->end > p->stopped ? p->end : p->stopped, .process = p->process, .sign = -1 };
	}
	if (n)
		qsort(e, n, sizeof *e, by_place);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || e[i - 1].process != e[i].process;
		e[i].open = (first ? 0 : e[i - 1].open) + e[i].sign;
		e[i].sum = (first ? 0 : e[i - 1].sum) + (uint64_t)e[i].sign * (uint64_t)e[i].ts;
	}
	for (size_t i = 0; i < m->threads.n; i++) {
		struct tt_thread *t = m->threads.t[i];
		t->stopped_ns = 0;
		if (t->first_ts <= t->last_ts)
			t->stopped_ns = (int64_t)(stopped_before(e, n, t->process, t->last_ts) -
			    stopped_before(e, n, t->process, t->first_ts));
	}
	/* A thread's own pauses are its work. */
	for (size_t i = 0; i < m->npause; i++) {
		const struct tt_pause *p = &m->pause[i];
		struct tt_thread *t = m->threads.t[p->thread];
		t->stopped_ns = (int64_t)((uint64_t)t->stopped_ns - overlap(p->stopped, p->end, t->first_ts, t->last_ts));
	}
	tt_mem_free(mem, e, n * sizeof *e);
	return TT_OK;
}

int
tt_rare_finish(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;

	tt_counters_finish(r);
	if (m->npause)
		qsort(m->pause, m->npause, sizeof *m->pause, by_start);
	if (m->nheap)
		qsort(m->heap, m->nheap, sizeof *m->heap, heap_by_time);
	tt_mem_free(&r->env->mem, r->pausing, r->cappausing * sizeof *r->pausing);
	r->pausing = NULL;
	r->cappausing = 0;
	tt_tally_free(&r->gc_at);
	return stopped_times(r, err);
}

void
tt_model_zero_counts(struct tt_model *m)
{
	size_t from = offsetof(struct tt_model, throws);

	memset((char *)m + from, 0, offsetof(struct tt_model, jit_records) + sizeof m->jit_records - from);
}
