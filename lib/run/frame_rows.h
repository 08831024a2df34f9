/**
 * The rows of a frame thread: what each marker does, in the present frame and in all. Private to the replay of frames (frame_replay.h).
 *
 * An int is TT_OK, or else the error's code, with ${err} filled: TT_E_NOMEM, TT_E_LIMIT.
 */
#ifndef TT_RUN_FRAME_ROWS_H
#define TT_RUN_FRAME_ROWS_H

#include "model/model.h"
#include "run/frame_replay.h"
#include "run/state.h"

/* The work of one marker in the present frame: a line of memory, touched at every zone. */
struct tt_thread_replay_row {
	uint64_t key;
	uint32_t active;              /* activations on the stack */
	uint8_t idle;
	bool touched;
	bool out;                     /* an allocation wrapper: its time is that of the zone around it */
	bool alias;                   /* of row ${frame}, whose name is the same: a method that is compiled twice, a text in two encodings */
	int64_t self, total;
	uint32_t calls, category;
	int64_t since;                /* when the outermost activation on the stack began, or the frame; without one: when the last ended */
	/* For an open one: how far it is accounted for. See tt_replay_catch_up(). */
	uint32_t frame, long_past;
	int64_t past;
};
_Static_assert(sizeof(struct tt_thread_replay_row) == TT_MEM_LINE, "a line");

enum { TT_REPLAY_OUTSIDE = 0 };       /* the row of time in which nothing is open */

/* True if ${ts} is in the present frame, or later. */
static inline bool
tt_replay_in_frame(const struct tt_thread_replay *w, int64_t ts)
{
	return w->frame < w->end && ts >= w->now.from;
}

/* A row for ${key}, which has none; NULL: ${err}. Rows may move. */
struct tt_thread_replay_row *tt_replay_new_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err);

/* The row of ${key}, which is not the one that *${near} says; it is from now on. */
struct tt_thread_replay_row *tt_replay_row_far(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, uint32_t *near, struct tt_err *err);

/*
 * A zone that is open over whole frames, and does nothing else in them, has each frame's duration there. That is counted
 * when something happens to the marker again, not at the end of each frame: stacks are deep.
 */
void tt_replay_catch_up(struct tt_thread_replay *w, struct tt_thread_replay_row *row);

/* The row does something in the present frame. */
int tt_replay_touch(struct tt_replay *p, struct tt_thread_replay *w, struct tt_thread_replay_row *row, struct tt_err *err);

/* The present frame, whose wall time is ${dur}, is one of the past. */
int tt_replay_pass_frame(struct tt_replay *p, struct tt_thread_replay *w, int64_t dur, struct tt_err *err);

/* Keys are numbers that follow each other, or addresses: their bits tell most of them apart. */
static inline uint32_t *
tt_replay_near(struct tt_thread_replay *w, uint64_t key)
{
	return &w->near[(key ^ key >> 9) % TT_REPLAY_NEAR];
}

/* The row of ${key}; NULL: ${err}. */
static inline struct tt_thread_replay_row *
tt_replay_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err)
{
	uint32_t *near = tt_replay_near(w, key);
	struct tt_thread_replay_row *row = &w->row[*near];

	return row->key == key ? row : tt_replay_row_far(p, w, key, near, err);
}

/* The row whose time zones right above the stack take: that of the innermost that is shown. */
static inline uint32_t
tt_replay_under(const struct tt_thread_replay *w)
{
	return w->st.n > 0 ? w->shown[w->st.n - 1] : TT_REPLAY_OUTSIDE;
}

#endif
