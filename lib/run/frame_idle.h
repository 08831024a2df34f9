/**
 * The part of each frame in which its thread waits or runs the Editor. Private to the replay of frames (frame_replay.h).
 */
#ifndef TT_RUN_FRAME_IDLE_H
#define TT_RUN_FRAME_IDLE_H

#include "run/frame_replay.h"

/* The idle reasons that end CPU-active time, and those that end uncapped time. */
enum { TT_REPLAY_NO_WORK = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_EDITOR), TT_REPLAY_LIMITED = TT_IDLE(TT_IDLE_LIMIT) | TT_IDLE(TT_IDLE_EDITOR) };

/* True if at ${ts} the thread waits or runs the Editor: in a zone on the stack, or in the last whole idle zone. */
static inline bool
tt_replay_is_idle(const struct tt_thread_replay *w, int64_t ts)
{
	return w->nidle_open[TT_IDLE_WAIT] || w->nidle_open[TT_IDLE_EDITOR] || ts < w->idle_end[TT_IDLE_WAIT] || ts < w->idle_end[TT_IDLE_EDITOR];
}

/* True if at ${ts} the thread waits for the frame limit or runs the Editor. */
static inline bool
tt_replay_is_limited(const struct tt_thread_replay *w, int64_t ts)
{
	return w->nidle_open[TT_IDLE_LIMIT] || w->nidle_open[TT_IDLE_EDITOR] || ts < w->idle_end[TT_IDLE_LIMIT] || ts < w->idle_end[TT_IDLE_EDITOR];
}

/* Account for the idle time of zones on the stack, up to ${ts}. */
void tt_replay_settle_idle(struct tt_thread_replay *w, int64_t ts);

/* Begin, or end, a zone of the idle marker ${row} on the stack. TT_E_NOMEM. */
void tt_replay_idle_begins(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts);
int tt_replay_idle_ends(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, struct tt_err *err);

/* Add a zone of ${row} from ${ts} to ${end}, inside the present frame. Zones nest: a zone that begins before the last of its kind ends is inside that. */
void tt_replay_idle_inner(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, int64_t end);

#endif
