/**
 * The GPU as a thread of its own: a zone for each time that the capture says, named after the zone that gave it the work.
 *
 * Captures say how long the GPU took, frames later, and not when it began. So a GPU zone begins with the zone that submitted the work, or where the
 * GPU zone before it ends: a GPU does one thing after the other. Its frame is that of the submitting zone (TT_GPU_WORK).
 * The GPU's thread comes after all others of the capture, and its zones after theirs.
 *
 * Submitting zones and times with the same number are matched by time, after the last chunk, because threads are in the file in any order. Numbers are reused:
 * a time belongs to the newest zone before it. A time is only known to be after the message before it on its thread; so a time that would be the second of its
 * zone, or has no zone, may belong to the next zone on another thread, up to MAX_EARLY_NS later, if that has no time of its own.
 *
 * Memory: what two sorters take (io/sorter.h).
 */
#include "base/order.h"
#include "io/sorter.h"
#include "model/model.h"
#include "run/pipe.h"
#include "run/run.h"

#include <string.h>

enum { GPU_CHUNK = 1 << 12 };
#define MAX_EARLY_NS INT64_C(1000000000)

/* A zone that submitted work to the GPU, or the time of such work; sorted by number, then time. ${order}: order within the thread. */
struct gpu_event {
	int64_t ts;
	uint64_t at;                  /* place in the input of its chunk */
	uint64_t val;                 /* key of the zone on the GPU, or ns */
	uint64_t tid, order;
	uint32_t id;
	uint16_t of;                  /* number of the recording */
	uint8_t part;
	bool is_time;
};

/* Work of the GPU; ${ts}: when the submitting zone began. */
struct gpu_work { int64_t ts; uint64_t key; struct gpu_event time; };

struct tt_gpu_track {
	struct tt_sorter event, work;
	struct tt_sorted *matched;    /* events that are being matched */
	struct tt_sorted *sorted;     /* all work, in order; NULL: more may come */
	struct tt_thread *thread;
	uint64_t times, lost;         /* the number of times read, and of those without a zone */
	struct tt_loss wrong;         /* losses: times that are too long */
	uint64_t order;
	struct gpu_event next;        /* if has_next: the zone whose time is the next event */
	bool has_next;
	int64_t busy_until;
	struct slot slot;             /* a chunk of the thread */
};

static uint64_t
number_of(const void *rec)
{
	const struct gpu_event *e = rec;

	return (uint64_t)e->of << 32 | e->id;
}

/* Order events with equal times by thread, and within a thread as in the file. */
static int
by_thread(const struct gpu_event *x, const struct gpu_event *y)
{
	return x->tid != y->tid ? TT_CMP(x->tid, y->tid) : TT_CMP(x->order, y->order);
}

static int
by_number(const void *a, const void *b)
{
	const struct gpu_event *x = a, *y = b;

	if (number_of(x) != number_of(y))
		return TT_CMP(number_of(x), number_of(y));
	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return x->is_time != y->is_time ? TT_CMP(x->is_time, y->is_time) : by_thread(x, y);
}

static uint64_t
begin_of(const void *rec)
{
	const struct gpu_work *w = rec;

	return (uint64_t)w->ts ^ UINT64_C(1) << 63;
}

static int
by_time(const void *a, const void *b)
{
	const struct gpu_work *x = a, *y = b;

	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return x->time.ts != y->time.ts ? TT_CMP(x->time.ts, y->time.ts) : by_thread(&x->time, &y->time);
}

static bool
join(void *into, const void *next)
{
	(void)into, (void)next;
	return false;
}

static const struct tt_sorter_form event_form = { sizeof(struct gpu_event), "times of the GPU", by_number, join, number_of };
static const struct tt_sorter_form work_form = { sizeof(struct gpu_work), "work of the GPU", by_time, join, begin_of };

static int
new_track(struct pipe *p, struct tt_err *err)
{
	struct tt_mem *mem = &p->r->env->mem;
	struct tt_gpu_track *g = p->gpu = tt_mem_alloc(mem, sizeof *g, err);

	if (!g)
		return err->code;
	g->busy_until = INT64_MIN;
	tt_loss_reset(&g->wrong);
	tt_batch_init(&g->slot.batch, mem, p->needs);
	tt_sorter_init(&g->event, p->r->env, &event_form);
	tt_sorter_init(&g->work, p->r->env, &work_form);
	return p->r->o->nemit && !(g->slot.out = tt_mem_alloc(mem, p->r->o->nemit * sizeof *g->slot.out, err)) ? err->code : TT_OK;
}

void
tt_gpu_free(struct pipe *p)
{
	struct tt_gpu_track *g = p->gpu;
	struct tt_mem *mem = &p->r->env->mem;

	if (!g)
		return;
	tt_sorted_close(g->matched);
	tt_sorted_close(g->sorted);
	tt_sorter_free(&g->event);
	tt_sorter_free(&g->work);
	tt_batch_free(&g->slot.batch);
	tt_fold_io_free(&g->slot.io, mem);
	tt_stack_free(&g->slot.before, mem);
	for (size_t k = 0; g->slot.out && k < p->r->o->nemit; k++)
		tt_buf_free(&g->slot.out[k]);
	tt_mem_free(mem, g->slot.out, g->slot.out ? p->r->o->nemit * sizeof *g->slot.out : 0);
	tt_mem_free(mem, g, sizeof *g);
	p->gpu = NULL;
}

/* --- while events come ------------------------------------------------------------------------ */

/* The longest valid time of work: a day. */
#define MAX_NS (UINT64_C(86400) * 1000000000)

static int
add_work(struct tt_gpu_track *g, const struct gpu_event *zone, const struct gpu_event *time, struct tt_err *err)
{
	const struct gpu_work w = { .ts = zone->ts, .key = zone->val, .time = *time };

	return tt_sorter_add(&g->work, &w, err);
}

static int
take(struct tt_gpu_track *g, const struct tt_batch *b, const struct tt_event *e, struct tt_err *err)
{
	const bool is_time = e->kind == TT_GPU_TIME, has_next = g->has_next;
	const struct gpu_event x = { .ts = e->ts, .at = b->at, .val = e->val, .tid = b->tid, .order = g->order++, .id = e->dur, .of = e->depth >> 8,
		.part = (uint8_t)(is_time ? e->depth : 0), .is_time = is_time };

	g->has_next = !is_time && e->flags & TT_F_NEXT;
	if (g->has_next) {
		g->next = x;
		return TT_OK;
	}
	g->times += is_time;
	if (is_time && e->val > MAX_NS) {
		g->lost++;
		return TT_OK;
	}
	return is_time && has_next ? add_work(g, &g->next, &x, err) : tt_sorter_add(&g->event, &x, err);
}

int
tt_gpu_take(struct pipe *p, const struct tt_batch *b, struct tt_err *err)
{
	const size_t n = tt_batch_nrare(b, TT_KIND(TT_GPU_ANCHOR) | TT_KIND(TT_GPU_TIME));
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		if (e->kind != TT_GPU_ANCHOR && e->kind != TT_GPU_TIME)
			continue;
		rc = p->gpu ? TT_OK : new_track(p, err);
		TT_THEN(rc, take(p->gpu, b, e, err));
	}
	return rc;
}

/* --- after the last one ------------------------------------------------------------------------- */

/* The state of matching events with one number. */
struct matching {
	struct gpu_event zone[2];     /* the newest zone, and the one before it */
	bool has[2], used[2];         /* whether these zones exist; whether they have a time */
	bool waits;                   /* true: ${time} waits: it may belong to the next zone or, if ${offered}, to the newest */
	bool offered, has_other;      /* has_other: otherwise it belongs to ${other} */
	struct gpu_event time, other;
};

/* Add the work of ${zone} with ${time}. A time longer than what passed from the zone to the message with the time is wrong, and a loss. */
static int
add_matched(struct tt_gpu_track *g, const struct gpu_event *zone, const struct gpu_event *time, struct tt_err *err)
{
	if ((int64_t)time->val <= time->ts - zone->ts + MAX_EARLY_NS)
		return add_work(g, zone, time, err);
	tt_loss_add(&g->wrong, TT_LOST_GPU_TIMES, 1, 0, time->at);
	return TT_OK;
}

/* Assign the waiting time to its zone. */
static int
end_waiting(struct tt_gpu_track *g, struct matching *m, struct tt_err *err)
{
	const bool is_newest = m->offered && !m->used[0];

	if (!m->waits)
		return TT_OK;
	m->waits = false;
	if (!is_newest && !m->has_other) {
		g->lost++;
		return TT_OK;
	}
	m->used[0] |= is_newest;
	return add_matched(g, is_newest ? &m->zone[0] : &m->other, &m->time, err);
}

static int
match_zone(struct tt_gpu_track *g, struct matching *m, const struct gpu_event *e, struct tt_err *err)
{
	int rc = m->offered ? end_waiting(g, m, err) : TT_OK;

	m->zone[1] = m->zone[0];
	m->has[1] = m->has[0];
	m->used[1] = m->used[0];
	m->zone[0] = *e;
	m->has[0] = true;
	m->used[0] = false;
	m->offered = m->waits && e->tid != m->time.tid && (uint64_t)e->ts - (uint64_t)m->time.ts <= (uint64_t)MAX_EARLY_NS;
	return rc == TT_OK && !m->offered ? end_waiting(g, m, err) : rc;
}

static int
match_time(struct tt_gpu_track *g, struct matching *m, const struct gpu_event *e, struct tt_err *err)
{
	/* On one thread, the time comes after the zone in the file, too. */
	const int k = m->has[0] && m->zone[0].tid == e->tid && m->zone[0].order > e->order;

	if ((!m->has[k] || m->used[k]) && !m->waits) {
		m->waits = true;
		m->offered = false;
		m->time = *e;
		m->other = m->zone[k];
		m->has_other = m->has[k];
		return TT_OK;
	}
	if (!m->has[k]) {
		g->lost++;
		return TT_OK;
	}
	m->used[k] = true;
	return add_matched(g, &m->zone[k], e, err);
}

/* Find the zone of each time. */
static int
match(struct tt_gpu_track *g, struct tt_err *err)
{
	struct matching m = { .waits = false };
	uint64_t number = 0;
	const void *rec;
	int rc = tt_sorter_done(&g->event, err);

	TT_THEN(rc, tt_sorted_open(&g->event, &g->matched, err));
	while (rc == TT_OK && (rc = tt_sorted_next(g->matched, &rec, err)) == TT_OK && rec) {
		const struct gpu_event *const e = rec;
		if (number_of(e) != number) {
			if ((rc = end_waiting(g, &m, err)) != TT_OK)
				return rc;
			m = (struct matching){ .waits = false };
			number = number_of(e);
		}
		rc = e->is_time ? match_time(g, &m, e, err) : match_zone(g, &m, e, err);
	}
	TT_THEN(rc, end_waiting(g, &m, err));
	tt_sorted_close(g->matched);
	g->matched = NULL;
	tt_sorter_free(&g->event);
	return rc;
}

/* Make the GPU's thread, which exists if there are times, even if no zone submitted the work; match times and zones. */
static int
begin_thread(struct pipe *p, struct tt_err *err)
{
	struct tt_gpu_track *g = p->gpu;
	const struct tt_def name = { .kind = TT_DEF_THREAD, .ts = TT_EVER, .key = TT_TID_GPU, .text = "GPU", .len = 3 };
	int rc = tt_threads_get(&p->r->m->threads, p->input->cap->process, TT_TID_GPU, false, &g->thread, err);

	TT_THEN(rc, tt_defs_add(p->input->cap->defs, &name, err));
	TT_THEN(rc, match(g, err));
	TT_THEN(rc, tt_sorter_done(&g->work, err));
	TT_THEN(rc, tt_sorted_open(&g->work, &g->sorted, err));
	if (p->phase == TT_PHASE_MAIN)
		tt_loss_join(p->r->env->loss, &g->wrong);
	if (g->lost && p->phase == TT_PHASE_MAIN)
		tt_log(p->r->env, TT_LOG_VERBOSE, "%llu of %llu times of the GPU name no zone that is there", (unsigned long long)g->lost,
		    (unsigned long long)g->times);
	return rc;
}

/* Append the argument of the zone begun last: which part of drawing it is. */
static int
put_part(struct pipe *p, struct tt_batch *b, unsigned part, struct tt_err *err)
{
	const char *name = p->input->cap->gpu_part ? p->input->cap->gpu_part(part) : NULL;
	const size_t at = b->text.n;

	if (!name || !(b->needs & TT_NEEDS_ARGS))
		return TT_OK;
	tt_buf_add(&b->text, name, strlen(name));
	b->ev[b->n - 1].flags |= TT_F_MORE;
	b->ev[b->n++] = (struct tt_event){ .kind = TT_ARG, .val = at, .dur = (uint32_t)(b->text.n - at), .depth = TT_T_TEXT };
	return tt_buf_error(&b->text, err);
}

static int
put_work(struct pipe *p, const struct gpu_work *w, struct tt_err *err)
{
	struct tt_gpu_track *g = p->gpu;
	struct tt_batch *b = &g->slot.batch;
	const int64_t from = w->ts > g->busy_until ? w->ts : g->busy_until;

	if (!tt_batch_rare(b, TT_GPU_WORK, w->ts, w->time.val, err) || tt_batch_room(b, 4, err) != TT_OK)
		return err->code;
	tt_zone_begin(b, from, w->key, 0);
	int rc = put_part(p, b, w->time.part, err);
	g->busy_until = from + (int64_t)w->time.val;
	tt_batch_time(b, from);
	tt_batch_time(b, g->busy_until);
	return rc == TT_OK ? tt_zone_end(b, g->busy_until, w->key, 0, err) : rc;
}

/* Make a chunk of the next work in order. Return 1, or 0 if there is none. */
static int
fill(struct pipe *p, struct tt_err *err)
{
	struct tt_gpu_track *g = p->gpu;
	struct tt_batch *b = &g->slot.batch;
	const void *w = NULL;
	size_t n = 0;
	int rc = TT_OK;

	tt_batch_reset(b);
	b->process = p->input->cap->process;
	b->tid = TT_TID_GPU;
	b->thread = g->thread->index;
	while (n < GPU_CHUNK && rc == TT_OK && (rc = tt_sorted_next(g->sorted, &w, err)) == TT_OK && w) {
		rc = put_work(p, w, err);
		n++;
	}
	b->stack_from = b->min_ts;
	b->stack_ts = b->max_ts;
	b->nstack = 2 * n;
	return rc == TT_OK ? n > 0 : rc;
}

int
tt_gpu_chunk(struct pipe *p, struct slot **s, struct tt_err *err)
{
	struct tt_gpu_track *g = p->gpu;
	int rc = TT_OK;

	if (!g || g->times == 0)
		return 0;
	if (!g->sorted)
		rc = begin_thread(p, err);
	if (rc != TT_OK || (rc = fill(p, err)) <= 0)
		return rc;
	g->slot.io.thread = g->thread;
	g->slot.io.cap = p->input->cap;
	g->slot.io.b = &g->slot.batch;
	if ((rc = tt_thread_stacks_copy(p, &g->slot, g->thread, err)) != TT_OK)
		return rc;
	tt_thread_stacks_count(&g->slot, g->thread);
	*s = &g->slot;
	return 1;
}
