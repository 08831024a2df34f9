/**
 * The GPU as a thread of its own: a zone for each time that the capture says, named after the zone that gave it the work.
 *
 * Captures say how long the GPU took, frames later, and not when it began. So a zone begins with the zone that gave it the work, or where the
 * GPU's zone before it ends: a GPU does one thing after the other. Its frame is that of the zone that gave it the work (TT_GPU_WORK).
 * The thread comes after all others of the capture, and its zones after theirs.
 *
 * Memory: GPU_ANCHORS zones that wait for their times, and what a sorter takes (io/sorter.h).
 */
#include "base/order.h"
#include "io/sorter.h"
#include "model/model.h"
#include "run/pipe.h"
#include "run/run.h"

#include <string.h>

enum { GPU_ANCHORS = 1 << 14, GPU_CHUNK = 1 << 12 };

/* Work that a zone gave to the GPU. */
struct gpu_work { int64_t ts; uint64_t key, ns, order; uint64_t part; };

/* The last zone that gave it work of a number with the same lower bits. */
struct gpu_anchor { uint64_t key; int64_t ts; uint32_t id, of; bool used; };

struct tt_gpu_track {
	struct gpu_anchor anchor[GPU_ANCHORS];
	struct tt_sorter work;
	struct tt_sorted *sorted;     /* NULL: more work may come */
	struct tt_thread *thread;
	uint64_t times, lost;         /* how many times there were, and those without an anchor */
	int64_t busy_until;
	struct slot slot;             /* a chunk of the thread */
};

static int
by_time(const void *a, const void *b)
{
	const struct gpu_work *x = a, *y = b;

	return x->ts != y->ts ? TT_CMP(x->ts, y->ts) : TT_CMP(x->order, y->order);
}

static bool
join(void *into, const void *next)
{
	(void)into, (void)next;
	return false;
}

static const struct tt_sorter_form form = { sizeof(struct gpu_work), "times of the GPU", by_time, join, NULL };

static int
new_track(struct pipe *p, struct tt_err *err)
{
	struct tt_mem *mem = &p->r->env->mem;
	struct tt_gpu_track *g = p->gpu = tt_mem_alloc(mem, sizeof *g, err);

	if (!g)
		return err->code;
	g->busy_until = INT64_MIN;
	tt_batch_init(&g->slot.batch, mem, p->needs);
	tt_sorter_init(&g->work, p->r->env, &form);
	return p->r->o->nemit && !(g->slot.out = tt_mem_alloc(mem, p->r->o->nemit * sizeof *g->slot.out, err)) ? err->code : TT_OK;
}

void
tt_gpu_free(struct pipe *p)
{
	struct tt_gpu_track *g = p->gpu;
	struct tt_mem *mem = &p->r->env->mem;

	if (!g)
		return;
	tt_sorted_close(g->sorted);
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

/* The longest time that is one: a day. */
#define MAX_NS (UINT64_C(86400) * 1000000000)

static int
take(struct tt_gpu_track *g, const struct tt_event *e, struct tt_err *err)
{
	struct gpu_anchor *a = &g->anchor[e->dur % GPU_ANCHORS];

	if (e->kind == TT_GPU_ANCHOR) {
		*a = (struct gpu_anchor){ .key = e->val, .ts = e->ts, .id = e->dur, .of = e->depth >> 8, .used = true };
		return TT_OK;
	}
	g->times++;
	if (!a->used || a->id != e->dur || a->of != e->depth >> 8 || e->val > MAX_NS) {
		g->lost++;
		return TT_OK;
	}
	const struct gpu_work w = { .ts = a->ts, .key = a->key, .ns = e->val, .order = g->times, .part = e->depth & 0xff };
	return tt_sorter_add(&g->work, &w, err);
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
		if (rc == TT_OK)
			rc = take(p->gpu, e, err);
	}
	return rc;
}

/* --- after the last one ------------------------------------------------------------------------- */

/* The thread is there where there are times, also of work that nobody gave. */
static int
begin_thread(struct pipe *p, struct tt_err *err)
{
	struct tt_gpu_track *g = p->gpu;
	const struct tt_def name = { .kind = TT_DEF_THREAD, .ts = TT_EVER, .key = TT_TID_GPU, .text = "GPU", .len = 3 };
	int rc = tt_threads_get(&p->r->m->threads, p->in->cap->process, TT_TID_GPU, false, &g->thread, err);

	if (rc == TT_OK)
		rc = tt_defs_add(p->in->cap->defs, &name, err);
	if (rc == TT_OK)
		rc = tt_sorter_done(&g->work, err);
	if (rc == TT_OK)
		rc = tt_sorted_open(&g->work, &g->sorted, err);
	if (g->lost && p->phase == TT_PHASE_MAIN)
		tt_log(p->r->env, TT_LOG_VERBOSE, "%llu of %llu times of the GPU name no zone that is there", (unsigned long long)g->lost,
		    (unsigned long long)g->times);
	return rc;
}

/* The argument of the zone begun last: the part of drawing that it is. */
static int
put_part(struct pipe *p, struct tt_batch *b, unsigned part, struct tt_err *err)
{
	const char *name = p->in->cap->gpu_part ? p->in->cap->gpu_part(part) : NULL;
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

	if (!tt_batch_rare(b, TT_GPU_WORK, w->ts, w->ns, err) || tt_batch_room(b, 4, err) != TT_OK)
		return err->code;
	tt_zone_begin(b, from, w->key, 0);
	int rc = put_part(p, b, (unsigned)w->part, err);
	g->busy_until = from + (int64_t)w->ns;
	tt_batch_time(b, from);
	tt_batch_time(b, g->busy_until);
	return rc == TT_OK ? tt_zone_end(b, g->busy_until, w->key, 0, err) : rc;
}

/* The next work in order becomes a chunk. Returns 1, or 0: there is none. */
static int
fill(struct pipe *p, struct tt_err *err)
{
	struct tt_gpu_track *g = p->gpu;
	struct tt_batch *b = &g->slot.batch;
	const void *w = NULL;
	size_t n = 0;
	int rc = TT_OK;

	tt_batch_reset(b);
	b->process = p->in->cap->process;
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
	g->slot.io.cap = p->in->cap;
	g->slot.io.b = &g->slot.batch;
	if ((rc = tt_thread_stacks_copy(p, &g->slot, g->thread, err)) != TT_OK)
		return rc;
	tt_thread_stacks_count(&g->slot, g->thread);
	*s = &g->slot;
	return 1;
}
