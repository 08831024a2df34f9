/**
 * Keeps the steps of flows until all are known, then sorts and links them.
 */
#include "emit/flow_steps.h"

#include <inttypes.h>
#include <string.h>

#include "base/env.h"
#include "base/order.h"
#include "emit/emit.h"
#include "emit/marker_text.h"
#include "model/capture.h"

/* First number of arrows, far from the numbers that engines give to flows. */
#define FIRST_ARROW ((uint64_t)1 << 62)
/* Maximum number of steps kept until the end: 128 MiB. */
#define MAX_STEPS ((size_t)1 << 22)

struct writer {
	struct tt_flow_steps *f;
	const struct tt_threads *threads;
	tt_flow_put *put;
	void *arg;
};

bool
tt_flow_left_out(const struct tt_view *v, size_t event)
{
	const size_t at = tt_lower_bound(i, 0, v->nleft, v->left[i] < event);

	return at < v->nleft && v->left[at] == event;
}

int
tt_flow_add(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_flow_step step, struct tt_err *err)
{
	if (f->n >= MAX_STEPS)
		return TT_END;
	int rc = tt_mem_grow(mem, &f->step, &f->cap, f->n + 1, sizeof *f->step, err);
	if (rc != TT_OK)
		return rc;
	step.order = (uint32_t)f->n;
	f->step[f->n++] = step;
	return TT_OK;
}

/* --- inside of zones ------------------------------------------------------------ */

/* Find *${w}, the waiting steps of ${thread}. */
static int
find_waits(struct tt_flow_steps *f, uint32_t thread, struct tt_flow_waits **w, struct tt_mem *mem, struct tt_err *err)
{
	const int rc = thread < f->nwaits ? TT_OK : tt_mem_grow(mem, &f->waits, &f->capwaits, thread + (size_t)1, sizeof *f->waits, err);

	if (rc != TT_OK)
		return rc;
	f->nwaits = thread < f->nwaits ? f->nwaits : thread + (size_t)1;
	*w = &f->waits[thread];
	return TT_OK;
}

/* Let the step wait for the zone around it. A step that belongs to the next zone may have a later time than steps added after it. */
static int
wait(struct tt_flow_steps *f, uint32_t step, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_flow_step *s = &f->step[step];
	struct tt_flow_waits *w;
	int rc = find_waits(f, s->thread, &w, mem, err);

	TT_THEN(rc, tt_mem_grow(mem, &w->step, &w->cap, w->n + 1, sizeof *w->step, err));
	if (rc != TT_OK)
		return rc;
	w->nsorted += w->nsorted == w->n && (w->n == 0 || f->step[w->step[w->n - 1]].ts <= s->ts);
	w->step[w->n++] = step;
	s->where = TT_FLOW_WAITS;
	return TT_OK;
}

static int
by_time(const void *a, const void *b, void *arg)
{
	const struct tt_flow_step *step = arg;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return step[x].ts != step[y].ts ? TT_CMP(step[x].ts, step[y].ts) : TT_CMP(x, y);
}

/* Sort the waiting steps of ${thread} by time. */
static void
sort_waits(struct tt_flow_steps *f, uint32_t thread)
{
	struct tt_flow_waits *w = thread < f->nwaits ? &f->waits[thread] : NULL;

	if (w && w->nsorted < w->n) {
		tt_sort_by(w->step, w->n, by_time, f->step);
		w->nsorted = w->n;
	}
}

int
tt_flow_wait(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_err *err)
{
	return wait(f, (uint32_t)(f->n - 1), mem, err);
}

const struct tt_event *
tt_flow_next(const struct tt_view *v, size_t from, size_t *next)
{
	for (*next = *next > from ? *next : from; *next < v->b->n; ++*next) {
		const struct tt_event *e = &v->b->ev[*next];
		if ((e->kind == TT_ZONE || e->kind == TT_ZONE_BEGIN) && !(e->flags & TT_F_CONT))
			return e;
	}
	return NULL;
}

int
tt_flow_seek(struct tt_flow_steps *f, const struct tt_view *v, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_flow_waits *w;
	int rc = find_waits(f, f->step[f->n - 1].thread, &w, mem, err);

	TT_THEN(rc, tt_mem_grow(mem, &w->sought, &w->capsought, w->nsought + 1, sizeof *w->sought, err));
	if (rc != TT_OK)
		return rc;
	f->step[f->n - 1].where = TT_FLOW_WAITS;
	w->sought[w->nsought++] = (struct tt_flow_sought){ v->b->seq, (uint32_t)(f->n - 1) };
	return TT_OK;
}

/*
 * Give the first zone that begins in this chunk to the steps of earlier chunks that look for it. If the filter leaves that zone out, the steps stay without a
 * zone and are left out.
 */
static int
find_sought(struct tt_flow_steps *f, const struct tt_view *v, const struct tt_pieces *pieces, struct tt_buf *scratch, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_flow_waits *w = v->thread->index < f->nwaits ? &f->waits[v->thread->index] : NULL;
	size_t next = 0, keep = 0;
	const struct tt_event *e = w && w->nsought ? tt_flow_next(v, 0, &next) : NULL;
	struct tt_piece piece = { 0 };
	int rc = e ? tt_pieces_zone(pieces, e->val, scratch, &piece, err) : TT_OK;

	for (size_t i = 0; e && i < w->nsought && rc == TT_OK; i++) {
		struct tt_flow_step *s = &f->step[w->sought[i].step];
		if (w->sought[i].seq == v->b->seq) {
			w->sought[keep++] = w->sought[i];
			continue;
		}
		if (v->first_left || !piece.s)
			continue;
		s->ts = e->ts;
		s->next = true;
		rc = wait(f, w->sought[i].step, mem, err);
	}
	if (e)
		w->nsought = keep;
	return rc;
}

/* Return the index of the first step of ${thread} that waits at ${from} or later. */
static size_t
first_from(const struct tt_flow_steps *f, uint32_t thread, int64_t from)
{
	const struct tt_flow_waits *w = &f->waits[thread];

	return tt_lower_bound(i, 0, w->n, f->step[w->step[i]].ts < from);
}

/* True if a step of ${thread} waits at a time from ${from} to ${to}. */
static bool
waits_for(const struct tt_flow_steps *f, uint32_t thread, int64_t from, int64_t to)
{
	const struct tt_flow_waits *w = thread < f->nwaits ? &f->waits[thread] : NULL;

	if (!w || w->n == 0 || f->step[w->step[w->n - 1]].ts < from || f->step[w->step[0]].ts > to)
		return false;
	return f->step[w->step[first_from(f, thread, from)]].ts <= to;
}

/* A zone from ${from} to ${to} has come: end the wait of the steps inside it. */
static void
end_wait(struct tt_flow_steps *f, uint32_t thread, int64_t from, int64_t to)
{
	struct tt_flow_waits *w = &f->waits[thread];
	const size_t first = first_from(f, thread, from);
	size_t keep = first, i = first;

	for (; i < w->n && f->step[w->step[i]].ts <= to; i++) {
		struct tt_flow_step *s = &f->step[w->step[i]];
		const bool at_end = s->ts == to && to > from;
		if (!at_end || !s->next)
			s->where = at_end ? TT_FLOW_AT_END : TT_FLOW_INSIDE;
		if (at_end)
			w->step[keep++] = w->step[i];
	}
	memmove(w->step + keep, w->step + i, (w->n - i) * sizeof *w->step);
	w->n -= i - keep;
	w->nsorted = w->n;
}

int
tt_flow_zones(struct tt_flow_steps *f, const struct tt_view *v, const struct tt_pieces *pieces, struct tt_buf *scratch, struct tt_mem *mem,
    struct tt_err *err)
{
	const uint32_t thread = v->thread->index;
	int rc = find_sought(f, v, pieces, scratch, mem, err);

	sort_waits(f, thread);
	for (size_t i = 0; i < v->nslice && thread < f->nwaits && f->waits[thread].n && rc == TT_OK; i++) {
		const struct tt_slice *s = &v->slice[i];
		const int64_t end = s->dur >= 0 && s->ts <= INT64_MAX - s->dur ? s->ts + s->dur : s->ts;
		struct tt_piece piece;

		if (!waits_for(f, thread, s->ts, end))
			continue;
		rc = tt_pieces_zone(pieces, s->key, scratch, &piece, err);
		if (rc == TT_OK && piece.s)
			end_wait(f, thread, s->ts, end);
	}
	return rc;
}

void
tt_flow_leave_out(struct tt_flow_steps *f, int64_t earlier)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->step[i].where == TT_FLOW_WAITS)
			continue;
		f->step[n] = f->step[i];
		if (f->step[n].where == TT_FLOW_AT_END)
			f->step[n].ts -= earlier;
		n++;
	}
	f->n = n;
	for (size_t i = 0; i < f->nwaits; i++)
		f->waits[i].n = f->waits[i].nsorted = f->waits[i].nsought = 0;
}

/* --- in order --------------------------------------------------------------------- */

void
tt_flow_tell(const struct tt_flow_steps *f, struct tt_env *env, const char *emitter)
{
	if (f->alone)
		tt_log(env, TT_LOG_VERBOSE, "%s: %" PRIu64 " steps of flows are linked with no other step, and left out", emitter, f->alone);
}

void
tt_flow_free(struct tt_flow_steps *f, struct tt_mem *mem)
{
	for (size_t i = 0; i < f->nwaits; i++) {
		tt_mem_free(mem, f->waits[i].step, f->waits[i].cap * sizeof *f->waits[i].step);
		tt_mem_free(mem, f->waits[i].sought, f->waits[i].capsought * sizeof *f->waits[i].sought);
	}
	tt_mem_free(mem, f->waits, f->capwaits * sizeof *f->waits);
	tt_mem_free(mem, f->step, f->cap * sizeof *f->step);
}

static int
by_flow(const void *a, const void *b, void *arg)
{
	const struct tt_flow_step *x = a, *y = b;
	const struct tt_threads *threads = arg;
	uint32_t p = threads->t[x->thread]->process, q = threads->t[y->thread]->process;

	if (p != q)
		return TT_CMP(p, q);
	if (x->id != y->id)
		return TT_CMP(x->id, y->id);
	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return TT_CMP(x->order, y->order);
}

/* Buckets of steps by flow number, which engines count up, so that each bucket has few steps. */
enum { PER_BUCKET = 8, BUCKETS = 1 << 16, INSERTION_SORT_MAX = 64 };

struct buckets { uint64_t least; unsigned shift; uint32_t n, end[BUCKETS + 1], at[BUCKETS]; };

static uint32_t
bucket_of(const struct buckets *k, uint64_t id)
{
	return (uint32_t)((id - k->least) >> k->shift);
}

/* Move each step to its bucket, in place. */
static void
part(struct buckets *k, struct tt_flow_step *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		k->end[bucket_of(k, s[i].id) + 1]++;
	for (uint32_t i = 0; i < k->n; i++) {
		k->at[i] = k->end[i];
		k->end[i + 1] += k->end[i];
	}
	for (uint32_t i = 0; i < k->n; i++) {
		while (k->at[i] < k->end[i + 1]) {
			const struct tt_flow_step x = s[k->at[i]];
			const uint32_t to = bucket_of(k, x.id);

			s[k->at[i]] = s[k->at[to]];
			s[k->at[to]++] = x;
		}
	}
}

static void
sort_few(struct tt_flow_step *s, size_t n, const struct tt_threads *threads)
{
	for (size_t i = 1; i < n; i++) {
		const struct tt_flow_step x = s[i];
		size_t at = i;

		for (; at > 0 && by_flow(&s[at - 1], &x, (void *)(uintptr_t)threads) > 0; at--)
			s[at] = s[at - 1];
		s[at] = x;
	}
}

static void
sort_all(struct tt_flow_step *s, size_t n, const struct tt_threads *threads)
{
	if (n > INSERTION_SORT_MAX)
		tt_sort_by(s, n, by_flow, threads);
	else
		sort_few(s, n, threads);
}

/* Sort all steps by process, flow and time; most captures have one process. */
static void
sort(struct tt_flow_steps *f, struct tt_mem *mem, const struct tt_threads *threads)
{
	struct buckets *k = NULL;
	struct tt_err none;
	uint64_t most = 0;
	bool one = true;

	for (size_t i = 1; i < f->n && one; i++)
		one = threads->t[f->step[i].thread]->process == threads->t[f->step[0].thread]->process;
	if (one && f->n > INSERTION_SORT_MAX)
		k = tt_mem_alloc(mem, sizeof *k, &none);
	if (!k) {
		sort_all(f->step, f->n, threads);
		return;
	}
	k->least = UINT64_MAX;
	for (size_t i = 0; i < f->n; i++) {
		k->least = f->step[i].id < k->least ? f->step[i].id : k->least;
		most = f->step[i].id > most ? f->step[i].id : most;
	}
	k->n = f->n / PER_BUCKET < BUCKETS ? (uint32_t)(f->n / PER_BUCKET) : BUCKETS;
	while ((most - k->least) >> k->shift >= k->n)
		k->shift++;
	part(k, f->step, f->n);
	for (uint32_t i = 0; i < k->n; i++)
		sort_all(f->step + k->end[i], k->end[i + 1] - k->end[i], threads);
	tt_mem_free(mem, k, sizeof *k);
}

static int
put_arrow(struct writer *w, const struct tt_flow_step *from, const struct tt_flow_step *to, struct tt_err *err)
{
	uint64_t id = FIRST_ARROW + w->f->arrows++;
	int rc = w->put(w->arg, from, 's', id, err);

	return rc == TT_OK ? w->put(w->arg, to, 'f', id, err) : rc;
}

/* Write the steps from ${s} to ${end}, of one flow with parallel steps, as arrows. */
static int
put_arrows(struct writer *w, const struct tt_flow_step *s, const struct tt_flow_step *end, struct tt_err *err)
{
	/* predecessors of the next step: the parallel steps, or ${before} if there are no parallel ones */
	const struct tt_flow_step *before = NULL, *parallel = s;
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++) {
		if (s->type == TT_FLOW_PARALLEL) {
			rc = before ? put_arrow(w, before, s, err) : TT_OK;
			continue;
		}
		if (parallel == s && before)
			rc = put_arrow(w, before, s, err);
		for (const struct tt_flow_step *p = parallel; p < s && rc == TT_OK; p++)
			rc = put_arrow(w, p, s, err);
		before = s;
		parallel = s + 1;
	}
	return rc;
}

static int
put_chain(struct writer *w, const struct tt_flow_step *s, const struct tt_flow_step *end, struct tt_err *err)
{
	static const char phases[] = { [TT_FLOW_BEGIN] = 's', [TT_FLOW_PARALLEL] = 't', [TT_FLOW_END] = 'f',
		[TT_FLOW_SEQUENTIAL] = 't' };
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++)
		rc = w->put(w->arg, s, phases[s->type], s->id, err);
	return rc;
}

int
tt_flow_each(struct tt_flow_steps *f, struct tt_mem *mem, const struct tt_threads *threads, tt_flow_put *put, void *arg, struct tt_err *err)
{
	struct writer w = { f, threads, put, arg };
	const struct tt_flow_step *s = f->step, *end = s + f->n;
	int rc = TT_OK;

	sort(f, mem, threads);
	while (s < end && rc == TT_OK) {
		uint32_t process = threads->t[s->thread]->process;
		const struct tt_flow_step *to = s;
		bool parallel = false, over = false;

		/* A flow number is reused after an end, or by another begin. */
		for (; to < end && !over && to->id == s->id && threads->t[to->thread]->process == process &&
		    (to == s || to->type != TT_FLOW_BEGIN); to++) {
			parallel = parallel || to->type == TT_FLOW_PARALLEL;
			over = to->type == TT_FLOW_END;
		}
		const uint64_t arrows = f->arrows;
		if (parallel)
			rc = put_arrows(&w, s, to, err);
		else if (to - s > 1)
			rc = put_chain(&w, s, to, err);
		if (parallel ? f->arrows == arrows : to - s == 1)
			f->alone += (uint64_t)(to - s);
		s = to;
	}
	return rc;
}
