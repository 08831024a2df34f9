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
	uint32_t nactive;             /* activations on the stack */
	uint8_t idle;
	bool is_touched;
	bool is_alloc_wrapper;        /* an allocation wrapper: its time is that of the zone around it */
	bool is_listed : 1;           /* in the replay's list of rows that may be open */
	bool is_alias : 1;            /* of row ${frame}, whose name is the same: a method that is compiled twice, a text in two encodings */
	int64_t self, total;
	uint32_t calls, category;
	int64_t active_since;         /* begin of the outermost activation on the stack, or of the frame if later; without one, end of the last */
	/* For an open row: the frames and time up to which it is accounted for, see tt_replay_catch_up(). */
	uint32_t frame, nlong_past;
	int64_t past_ns;
};
_Static_assert(sizeof(struct tt_thread_replay_row) == TT_MEM_LINE, "a line");

enum { TT_REPLAY_OUTSIDE = 0 };       /* the row of time in which nothing is open */

/* True if ${ts} is in the present frame, or later. */
static inline bool
tt_replay_in_frame(const struct tt_thread_replay *w, int64_t ts)
{
	return w->frame < w->end && ts >= w->now.from;
}

/* Make a row for ${key}, which has none; NULL with ${err} filled. Rows may move. */
struct tt_thread_replay_row *tt_replay_new_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err);

/* Find or make the row of ${key}, which the cache entry *${near} does not have, and cache it there. */
struct tt_thread_replay_row *tt_replay_find_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, uint32_t *near, struct tt_err *err);

/*
 * Count the frames since the row was last touched, which an open zone fills: it has each frame's whole duration. This is
 * done when the marker does something again, not at the end of each frame, because stacks are deep.
 */
void tt_replay_catch_up(struct tt_thread_replay *w, struct tt_thread_replay_row *row);

/* Note that the row does something in the present frame. */
int tt_replay_touch(struct tt_replay *p, struct tt_thread_replay *w, struct tt_thread_replay_row *row, struct tt_err *err);

/* Add the present frame, whose wall time is ${dur}, to the past frames. */
int tt_replay_pass_frame(struct tt_replay *p, struct tt_thread_replay *w, int64_t dur, struct tt_err *err);

/* The cache entry of ${key}. Keys are consecutive numbers or addresses: low bits tell most of them apart. */
static inline uint32_t *
tt_replay_cache_entry(struct tt_thread_replay *w, uint64_t key)
{
	return &w->row_cache[(key ^ key >> 9) % TT_REPLAY_CACHED_ROWS];
}

/* The row of ${key}; NULL: ${err}. */
static inline struct tt_thread_replay_row *
tt_replay_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err)
{
	uint32_t *near = tt_replay_cache_entry(w, key);
	struct tt_thread_replay_row *row = &w->row[*near];

	return row->key == key ? row : tt_replay_find_row(p, w, key, near, err);
}

/* The row that zones right above the stack take their time from: that of the innermost shown zone on it. */
static inline uint32_t
tt_replay_parent_row(const struct tt_thread_replay *w)
{
	return w->st.n > 0 ? w->shown_row[w->st.n - 1] : TT_REPLAY_OUTSIDE;
}

#endif
