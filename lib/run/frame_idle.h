/**
 * The part of each frame in which its thread waits or runs the Editor. Private to the replay of frames (frame_replay.h).
 */
#ifndef TT_RUN_FRAME_IDLE_H
#define TT_RUN_FRAME_IDLE_H

#include "run/frame_replay.h"

/* The time that is not CPU-active; the time that is not uncapped. */
enum { TT_REPLAY_NO_WORK = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_EDITOR), TT_REPLAY_HELD = TT_IDLE(TT_IDLE_LIMIT) | TT_IDLE(TT_IDLE_EDITOR) };

/* True if the thread is idle in what is on the stack, or at ${ts} in what ended last. */
static inline bool
tt_replay_is_idle(const struct tt_thread_replay *w, int64_t ts)
{
	return w->idling[TT_IDLE_WAIT] || w->idling[TT_IDLE_EDITOR] || ts < w->idled[TT_IDLE_WAIT] || ts < w->idled[TT_IDLE_EDITOR];
}

/* The same of waits for the frame limit and the Editor. */
static inline bool
tt_replay_is_held(const struct tt_thread_replay *w, int64_t ts)
{
	return w->idling[TT_IDLE_LIMIT] || w->idling[TT_IDLE_EDITOR] || ts < w->idled[TT_IDLE_LIMIT] || ts < w->idled[TT_IDLE_EDITOR];
}

/* Idle time of the zones on the stack is accounted for up to ${ts}. */
void tt_replay_settle_idle(struct tt_thread_replay *w, int64_t ts);

/* A zone on the stack of the idle marker ${row} begins, or ends. TT_E_NOMEM. */
void tt_replay_idle_begins(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts);
int tt_replay_idle_ends(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, struct tt_err *err);

/* A zone of it from ${ts} to ${end} lies whole in the present frame. Zones nest: one within another of its kind would begin before that ends. */
void tt_replay_idle_inner(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, int64_t end);

#endif
