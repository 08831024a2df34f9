/**
 * How long the render thread works in each frame, by its zones: the time in any zone, without the time in zones that wait.
 *
 * Engines measure it only where they are asked to. Its zones are added up as they come, cut at the edges of the frames: the outermost ones,
 * less the outermost of those that wait. Only the few that cross the edge of a chunk are on a stack.
 */
#include "run/render_time.h"

#include <string.h>

#include "base/map.h"
#include "base/order.h"
#include "model/defs.h"
#include "model/model.h"
#include "model/names.h"
#include "model/waits.h"

enum { NEAR = 1024 };

struct tt_render_time {
	const struct tt_model *m;
	uint32_t process;
	size_t first, end;            /* frames of the process */
	struct tt_column *ns;         /* the result, for each frame of the model */
	size_t frame;                 /* the frame that time was added to last */
	bool *is_thread;              /* by thread: true for render threads; for the threads known after the prepass */
	size_t nthread;
	struct tt_stack st;
	bool entered;
	uint32_t waits;               /* zones on the stack that wait */
	int64_t from, idle_from;      /* begin of the outermost zone on the stack, and of the outermost that waits */
	int64_t last;                 /* time of the last event */
	size_t npresented;            /* frames handed to the display since the first frame began */
	struct known { uint64_t key; bool is_wait, is_present_wait; } *known;
	size_t nknown, capknown;
	struct tt_map at;             /* places in known */
	uint32_t near[NEAR];          /* cache by bits of a key: its index in known, to be checked */
};

static bool
is_render_thread(const struct tt_capture *cap, const struct tt_thread *t)
{
	const struct tt_def *d = tt_defs_find(cap->defs, TT_DEF_THREAD, tt_thread_key(t->tid, t->log), INT64_MAX);

	for (const char *const *name = tt_render_threads; d && *name; name++)
		if (d->len == strlen(*name) && memcmp(d->text, *name, d->len) == 0)
			return true;
	return false;
}

int
tt_render_new(const struct tt_model *m, uint32_t process, size_t first, size_t end, struct tt_column *ns, struct tt_render_time **made, struct tt_err *err)
{
	struct tt_render_time *r = tt_mem_alloc(&m->env->mem, sizeof *r, err);

	*made = r;
	if (!r)
		return err->code;
	*r = (struct tt_render_time){ .m = m, .process = process, .first = first, .end = end, .frame = first, .ns = ns, .last = INT64_MIN,
		.nthread = m->threads.n };
	if (!(r->is_thread = tt_mem_alloc(&m->env->mem, (r->nthread + 1) * sizeof *r->is_thread, err)))
		return err->code;
	for (size_t i = 0; i < r->nthread; i++)
		r->is_thread[i] = m->threads.t[i]->process == process && is_render_thread(m->cap[process], m->threads.t[i]);
	return TT_OK;
}

void
tt_render_free(struct tt_render_time *r)
{
	if (!r)
		return;
	struct tt_mem *mem = &r->m->env->mem;
	tt_mem_free(mem, r->is_thread, (r->nthread + 1) * sizeof *r->is_thread);
	tt_mem_free(mem, r->known, r->capknown * sizeof *r->known);
	tt_map_free(&r->at, mem);
	tt_stack_free(&r->st, mem);
	tt_mem_free(mem, r, sizeof *r);
}

/* Add the time from ${from} to ${to} to the frames it lies in; with ${sign} = -1 subtract it. */
static int
add(struct tt_render_time *r, int64_t from, int64_t to, int sign, struct tt_err *err)
{
	const struct tt_frames *f = r->m->frames;
	int rc = TT_OK;

	if (r->frame >= r->end || from < tt_frames_start(f, r->frame) || from >= tt_frames_end(f, r->frame))
		r->frame = tt_lower_bound(k, r->first, r->end, tt_frames_end(f, k) <= from);
	for (size_t i = r->frame; i < r->end && tt_frames_start(f, i) < to && rc == TT_OK; i++) {
		const int64_t start = tt_frames_start(f, i), end = tt_frames_end(f, i), a = from > start ? from : start, b = to < end ? to : end;
		if (b > a)
			rc = tt_column_add(r->ns, f->mem, i, sign * (b - a), err);
	}
	return rc;
}

static __attribute__((noinline)) int
look_up_far(struct tt_render_time *r, uint64_t key, uint32_t *near, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, key);
	uint32_t at = tt_map_find(&r->at, hash, i, r->known[i].key == key);

	if (!at) {
		const struct tt_name *n = tt_model_key(r->m, r->process, key);
		if (tt_map_push(&r->at, &r->m->env->mem, hash, &r->known, &r->capknown, r->nknown, err) != TT_OK)
			return err->code;
		r->known[r->nknown] = (struct known){ key, key == TT_KEY_CONTENTION || (n && tt_waits_is(r->m, n->full)),
			n && tt_name_match(tt_present_markers, n->full) };
		at = (uint32_t)++r->nknown;
	}
	*near = at - 1;
	return TT_OK;
}

/* *${is}: whether the marker waits or presents. Each marker's name is looked up once. */
static inline int
look_up(struct tt_render_time *r, uint64_t key, struct known *is, struct tt_err *err)
{
	uint32_t *near = &r->near[(key ^ key >> 9) % NEAR];
	const bool is_near = *near < r->nknown && r->known[*near].key == key;
	const int rc = is_near ? TT_OK : look_up_far(r, key, near, err);

	if (rc == TT_OK)
		*is = r->known[*near];
	return rc;
}

/* Note that a frame is handed to the display from ${from} to ${ts}. */
static int
present(struct tt_render_time *r, int64_t from, int64_t ts, struct tt_err *err)
{
	struct tt_frames *f = r->m->frames;
	const size_t at = r->first + r->npresented;
	int64_t after, dur;
	int rc;

	if (at >= r->end || ts < tt_frames_start(f, r->first) || __builtin_sub_overflow(ts, tt_frames_start(f, at), &after) ||
	    __builtin_sub_overflow(ts, from, &dur))
		return TT_OK;
	r->npresented++;
	rc = tt_column_set(&f->presented_ts, f->mem, at, after >= 0 ? after + 1 : after, err);
	return rc == TT_OK ? tt_column_set(&f->handover_ns, f->mem, at, dur, err) : rc;
}

static int
push(struct tt_render_time *r, uint64_t key, int64_t ts, unsigned flags, struct tt_err *err)
{
	struct known is;
	int rc = look_up(r, key, &is, err);

	if (rc != TT_OK || r->st.n >= TT_STACK_MAX)
		return rc;
	if (r->st.n == 0)
		r->from = ts;
	if (is.is_wait && r->waits++ == 0)
		r->idle_from = ts;
	return tt_stack_push(&r->st, &r->m->env->mem, key, ts, flags, err) < 0 ? err->code : TT_OK;
}

struct ending { struct tt_render_time *r; int64_t ts; int rc; struct tt_err *err; };

/* End a zone of the stack. */
static void
popped(void *arg, const struct tt_open *z, unsigned flags)
{
	struct ending *e = arg;
	struct known is = { 0 };

	(void)flags;
	if (e->rc == TT_OK)
		e->rc = look_up(e->r, z->key, &is, e->err);
	if (e->rc == TT_OK && is.is_present_wait)
		e->rc = present(e->r, z->ts, e->ts, e->err);
	if (e->rc == TT_OK && is.is_wait && e->r->waits && --e->r->waits == 0)
		e->rc = add(e->r, e->r->idle_from, e->ts, -1, e->err);
}

/* Add the busy time if the outermost zone has ended; ${n}: zones on the stack before. */
static int
settle(const struct ending *e, size_t n)
{
	return e->rc == TT_OK && n > 0 && e->r->st.n == 0 ? add(e->r, e->r->from, e->ts, 1, e->err) : e->rc;
}

static int
end_all(struct tt_render_time *r, int64_t ts, struct tt_err *err)
{
	struct ending e = { r, ts, TT_OK, err };
	const size_t n = r->st.n;

	while (r->st.n > 0) {
		r->st.n--;
		popped(&e, &r->st.z[r->st.n], 0);
	}
	return settle(&e, n);
}

static int
end_one(struct tt_render_time *r, const struct tt_event *e, struct tt_err *err)
{
	struct ending ending = { r, e->ts, TT_OK, err };
	const size_t n = r->st.n;

	if (e->flags & TT_F_BASE) {
		tt_stack_end(&r->st, e->val, e->ts, e->flags, popped, &ending);
	} else if (n > 0) {
		r->st.n--;
		popped(&ending, &r->st.z[r->st.n], 0);
	}
	return settle(&ending, n);
}

/* End times of a chunk's last outermost TT_ZONE, and of its last one that waits. */
struct lasts { int64_t busy, idle; };

static int
whole_zone(struct tt_render_time *r, const struct tt_event *e, struct lasts *until, struct tt_err *err)
{
	struct known is = { 0 };
	int rc = TT_OK;

	if (r->st.n == 0 && e->ts >= until->busy) {
		until->busy = e->ts + e->dur;
		rc = add(r, e->ts, until->busy, 1, err);
	}
	if (rc == TT_OK && r->waits == 0 && e->ts >= until->idle)
		rc = look_up(r, e->val, &is, err);
	if (is.is_present_wait && rc == TT_OK)
		rc = present(r, e->ts, e->ts + e->dur, err);
	if (is.is_wait && rc == TT_OK) {
		until->idle = e->ts + e->dur;
		rc = add(r, e->ts, until->idle, -1, err);
	}
	return rc;
}

int
tt_render_chunk(struct tt_render_time *r, const struct tt_batch *b, const struct tt_stack *before, struct tt_err *err)
{
	struct lasts until = { INT64_MIN, INT64_MIN };
	int rc = TT_OK;

	if (b->process != r->process || b->thread >= r->nthread || !r->is_thread[b->thread])
		return TT_OK;
	for (size_t i = 0; before && !r->entered && i < before->n && rc == TT_OK; i++)
		rc = push(r, before->z[i].key, before->z[i].ts, before->z[i].flags, err);
	r->entered = true;
	for (const struct tt_event *e = b->ev, *end = e + b->n; e < end && rc == TT_OK; e++) {
		switch (e->kind) {
		case TT_ZONE:
			rc = whole_zone(r, e, &until, err);
			break;
		case TT_ZONE_BEGIN:
			rc = push(r, e->val, e->ts, e->flags & TT_F_CONT, err);
			break;
		case TT_ZONE_END:
			rc = end_one(r, e, err);
			break;
		case TT_GAP:
			if (!(e->flags & TT_F_CONT))
				rc = end_all(r, e->flags & TT_F_BASE && r->last != INT64_MIN ? r->last : e->ts, err);
			break;
		default:
			break;
		}
	}
	if (b->nstack && b->stack_ts > r->last)
		r->last = b->max_ts;
	return rc;
}

int
tt_render_finish(struct tt_render_time *r, struct tt_err *err)
{
	return end_all(r, r->last, err);
}
