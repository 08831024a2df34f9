/**
 * Zones that lie whole in a frame, which most do. Private to the replay of frames (frame_replay.h).
 *
 * An int is TT_OK, or else the error's code, with ${err} filled: TT_E_NOMEM, TT_E_LIMIT.
 */
#ifndef TT_RUN_FRAME_INNER_H
#define TT_RUN_FRAME_INNER_H

#include "run/frame_replay.h"

/* A zone that lies whole in the present frame. */
struct tt_thread_replay_inner {
	int64_t ts, end;
	uint32_t giver;               /* the row from which the zones inside it take their time */
	bool counts;                  /* true: the total of that row includes its time */
};

enum { TT_REPLAY_AHEAD = 8 };         /* prefetch distance, in zones or rows */

/* True if ${e}, which is not a TT_ZONE, begins or ends zones. */
static inline bool
tt_replay_is_stack_event(const struct tt_event *e)
{
	return e->kind == TT_ZONE_BEGIN || e->kind == TT_ZONE_END || (e->kind == TT_GAP && !(e->flags & TT_F_CONT));
}

/* Close all inner zones but the outermost ${n}. */
static inline void
tt_replay_pop_inner(struct tt_thread_replay *w, size_t n)
{
	w->ninner = w->ninner < n ? w->ninner : n;
}

/* Add the zone ${e}, which lies inside the present frame: it takes its time from the zone around it. */
int tt_replay_inner_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct tt_err *err);

/*
 * Add all inner zones from *${from} on, before ${end}; ${base}: levels of the stack from before the chunk. *${from} becomes the first event that is not one: a
 * zone that crosses the edge of the frame, or before which zones on the stack end, or an event that begins or ends zones. Other events are skipped.
 */
int tt_replay_inner_zones(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event **from, const struct tt_event *end, size_t base,
    struct tt_err *err);

#endif
