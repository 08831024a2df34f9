/**
 * Adds up zones that begin and end within the present frame, as nearly all do: the time of each is taken from the zone around it.
 */
#include "run/frame_inner.h"

#include "run/frame_idle.h"
#include "run/frame_rows.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The zone ${e}, clipped to the zone around it, and the row from which its time is taken. */
static inline struct tt_thread_replay_inner
nested(const struct tt_thread_replay *w, const struct tt_event *e)
{
	struct tt_thread_replay_inner z = { .ts = e->ts, .end = e->ts + e->dur };

	if (likely(w->ninner > 0)) {  /* clipped because in a damaged capture a zone may last longer than the one around it */
		const struct tt_thread_replay_inner *around = &w->inner[w->ninner - 1];

		z.ts = z.ts < around->ts ? around->ts : z.ts > around->end ? around->end : z.ts;
		z.end = z.end > around->end ? around->end : z.end < z.ts ? z.ts : z.end;
		z.giver = around->giver;
	} else {
		z.giver = tt_replay_parent_row(w);
	}
	return z;
}

static inline void
add_to(struct tt_replay_idle *idle, int64_t ns, bool held)
{
	idle->idle_ns += ns;
	idle->limited_ns += held ? ns : 0;
}

/* If ${ns} of self time go from the row ${at} to ${row}, move the idle part, too. */
static inline void
share_idle(struct tt_thread_replay *w, uint32_t at, const struct tt_thread_replay_row *row, int64_t ns, bool idle, bool held)
{
	if (idle)
		add_to(&w->idle[at], -ns, held);
	if (idle || row->idle & TT_REPLAY_NO_WORK)
		add_to(&w->idle[row - w->row], ns, held || row->idle & TT_REPLAY_LIMITED);
}

/* With --player-only: take the time of ${z}, a zone of the Editor, out of the totals of the zones around it. */
static void
take_from_totals(struct tt_thread_replay *w, const struct tt_thread_replay_inner *z)
{
	for (const struct tt_thread_replay_inner *up = w->inner; up < z; up++)
		w->row[up->giver].total -= up->counts ? z->end - z->ts : 0;
}

int
tt_replay_inner_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct tt_err *err)
{
	const bool player_only = p->m->frames->player_only;
	int rc = TT_OK;

	if (unlikely(w->ninner == w->capinner))
		rc = tt_mem_grow(&p->m->env->mem, &w->inner, &w->capinner, w->ninner + 1, sizeof *w->inner, err);
	struct tt_thread_replay_row *row = rc == TT_OK ? tt_replay_row(p, w, e->val, err) : NULL;
	if (unlikely(!row))
		return err->code;
	struct tt_thread_replay_inner *z = &w->inner[w->ninner];
	*z = nested(w, e);
	w->ninner++;
	const int64_t ts = z->ts, end = z->end;
	const uint32_t at = z->giver;
	bool hidden = unlikely(player_only) && (w->nidle_open[TT_IDLE_EDITOR] || ts < w->idle_end[TT_IDLE_EDITOR]);
	const bool idle = tt_replay_is_idle(w, ts), held = idle && tt_replay_is_limited(w, ts);
	z->counts = false;
	if (row->idle)
		tt_replay_idle_inner(p, w, row, ts, end);
	if (unlikely(player_only) && !hidden && row->idle & TT_IDLE(TT_IDLE_EDITOR))
		take_from_totals(w, z);
	if (unlikely(row->is_alloc_wrapper || hidden))
		return TT_OK;
	struct tt_thread_replay_row *giver = &w->row[at];
	giver->self -= end - ts;
	z->giver = (uint32_t)(row - w->row);
	if (unlikely(!giver->is_touched))
		rc = tt_replay_touch(p, w, giver, err);
	if (!row->is_touched && rc == TT_OK)
		rc = tt_replay_touch(p, w, row, err);
	row->self += end - ts;
	share_idle(w, at, row, end - ts, idle, held);
	row->calls += !(e->flags & TT_F_CONT);
	/* Inside a zone of the same marker the total is not counted again: zones nest, so the outer zone ends later. */
	if (likely(!row->nactive) && ts >= row->active_since) {
		row->total += end - ts;
		row->active_since = end;
		z->counts = true;
	}
	return rc;
}

/* The time from which no zone is inside an idle one; INT64_MAX: that has to be tested for each zone. */
static inline int64_t
idle_until(const struct tt_replay *p, const struct tt_thread_replay *w)
{
	const int64_t wait = w->idle_end[TT_IDLE_WAIT], editor = w->idle_end[TT_IDLE_EDITOR];

	if (p->m->frames->player_only || w->nidle_open[TT_IDLE_WAIT] || w->nidle_open[TT_IDLE_EDITOR])
		return INT64_MAX;
	return wait > editor ? wait : editor;
}

/*
 * Add the zone ${e} of ${row} as tt_replay_inner_zone() does, if neither it nor a zone around it is idle or left out, and w->inner has room. Touch its row and
 * the row from which it takes its time.
 */
static inline __attribute__((always_inline)) int
add_plain(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_inner *z, struct tt_thread_replay_row *row,
    const struct tt_event *e, struct tt_err *err)
{
	struct tt_thread_replay_row *const giver = &w->row[z->giver];
	struct tt_thread_replay_inner *const to = &w->inner[w->ninner++];
	const int64_t ns = z->end - z->ts;
	const bool counts = likely(!row->nactive) && z->ts >= row->active_since;
	int rc = TT_OK;

	*to = (struct tt_thread_replay_inner){ .ts = z->ts, .end = z->end, .giver = (uint32_t)(row - w->row), .counts = counts };
	giver->self -= ns;
	if (unlikely(!giver->is_touched))
		rc = tt_replay_touch(p, w, giver, err);
	if (!row->is_touched && rc == TT_OK)
		rc = tt_replay_touch(p, w, row, err);
	row->self += ns;
	row->calls += !(e->flags & TT_F_CONT);
	if (counts) {
		row->total += ns;
		row->active_since = z->end;
	}
	return rc;
}

int
tt_replay_inner_zones(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event **from, const struct tt_event *end, size_t base,
    struct tt_err *err)
{
	int64_t until = idle_until(p, w);
	const struct tt_event *e = *from;
	int rc = TT_OK;

	for (; e < end && rc == TT_OK; e++) {
		if (unlikely(e->kind != TT_ZONE)) {
			if (tt_replay_is_stack_event(e))
				break;
			continue;
		}
		if (likely(end - e > TT_REPLAY_AHEAD))
			__builtin_prefetch(&w->row[*tt_replay_cache_entry(w, e[TT_REPLAY_AHEAD].val)], 1);
		const size_t up = base + e->depth;
		if (unlikely(up < w->st.n))
			break;
		tt_replay_pop_inner(w, up - w->st.n);
		if (w->ninner == 0 && unlikely(!tt_replay_in_frame(w, e->ts) || e->ts + e->dur > w->now.to))
			break;
		struct tt_thread_replay_row *row = &w->row[*tt_replay_cache_entry(w, e->val)];
		const struct tt_thread_replay_inner z = nested(w, e);
		if (likely(row->key == e->val && !row->idle && !row->is_alloc_wrapper && z.ts >= until && w->ninner < w->capinner)) {
			rc = add_plain(p, w, &z, row, e, err);
			continue;
		}
		rc = tt_replay_inner_zone(p, w, e, err);
		until = idle_until(p, w);
	}
	*from = e;
	return rc;
}
