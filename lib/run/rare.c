#include "run/state.h"

#include <stddef.h>
#include <stdlib.h>

enum { MAX_PAUSES = 1u << 18, MAX_HEAP_POINTS = 1u << 16 };

/* --- collections and pauses ------------------------------------------------------ */

/* The pause a thread is in the middle of. */
static struct tt_pause_open *
pausing(struct tt_run *r, uint64_t thread, struct tt_err *err)
{
	for (size_t i = 0; i < r->npausing; i++)
		if (r->pausing[i].thread == thread)
			return &r->pausing[i];
	if (tt_mem_grow(&r->env->mem, &r->pausing, &r->cappausing, r->npausing + 1, sizeof *r->pausing, err) != TT_OK)
		return NULL;
	struct tt_pause_open *p = &r->pausing[r->npausing++];
	*p = (struct tt_pause_open){ .thread = thread, .start = INT64_MIN, .stopped = INT64_MIN, .gc_start = INT64_MIN };
	return p;
}

static int
add_pause(struct tt_run *r, const struct tt_thread *t, const struct tt_pause_open *p, int64_t end, struct tt_err *err)
{
	struct tt_model *m = r->m;
	int64_t stopped = p->stopped != INT64_MIN ? p->stopped : end;
	int64_t dur = end - p->start, still = end > stopped ? end - stopped : 0;

	m->pause_n++;
	m->pause_total += dur;
	m->stopped_total += still;
	if (dur > m->pause_max)
		m->pause_max = dur;
	if (still > m->stopped_max)
		m->stopped_max = still;
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
		if (p->gc_start != INT64_MIN && tt_run_in_time(r, p->gc_start)) {
			struct tt_gc_stat *g = &r->m->gen[p->gen];
			int64_t dur = e->ts > p->gc_start ? e->ts - p->gc_start : 0;
			g->n++;
			g->total += dur;
			if (dur > g->max)
				g->max = dur;
		}
		p->gc_start = INT64_MIN;
		break;
	case TT_GC_RESTARTED:
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

/* Counts of the whole run, whatever time was asked for: they are written when it ends. */
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
		else
			count(r->m, e);
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

static int64_t
overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? to - from : 0;
}

void
tt_rare_finish(struct tt_run *r)
{
	struct tt_model *m = r->m;

	tt_counters_finish(r);
	tt_gather_finish(r);
	if (m->npause)
		qsort(m->pause, m->npause, sizeof *m->pause, by_start);
	if (m->nheap)
		qsort(m->heap, m->nheap, sizeof *m->heap, heap_by_time);
	for (size_t i = 0; i < m->threads.n; i++) {
		struct tt_thread *t = m->threads.t[i];
		t->stopped_ns = 0;
		/* Pauses are few beside threads or the other way round; the product stays small in real captures. */
		for (size_t j = 0; j < m->npause && t->first_ts <= t->last_ts; j++)
			if (m->pause[j].process == t->process && m->pause[j].thread != t->index)
				t->stopped_ns += overlap(m->pause[j].stopped, m->pause[j].end, t->first_ts, t->last_ts);
	}
	tt_mem_free(&r->env->mem, r->pausing, r->cappausing * sizeof *r->pausing);
	r->pausing = NULL;
}

void
tt_model_zero_counts(struct tt_model *m)
{
	size_t from = offsetof(struct tt_model, throws);

	memset((char *)m + from, 0, offsetof(struct tt_model, jit_records) + sizeof m->jit_records - from);
}
