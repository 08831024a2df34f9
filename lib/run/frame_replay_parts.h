/**
 * Shared by the files of the frames' replay; the contract of the whole is in frame_replay.h. Private to these:
 *
 *	frame_replay.c  the events of a chunk in turn, and zones that cross the edge of a frame
 *	frame_inner.c   zones that lie whole in a frame, which most are
 *	frame_rows.c    what each marker does, in the present frame and in all
 *	frame_idle.c    waits, and the Editor
 *
 * All of it runs in the ordered stage. An int is TT_OK, or else the error's code, with ${err} filled: TT_E_NOMEM, TT_E_LIMIT.
 */
#ifndef TT_RUN_FRAME_REPLAY_PARTS_H
#define TT_RUN_FRAME_REPLAY_PARTS_H

#include "model/model.h"
#include "run/frame_replay.h"
#include "run/state.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

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

/* A zone that lies whole in the present frame. */
struct tt_thread_replay_inner {
	int64_t ts, end;
	uint32_t giver;               /* the row that its zones take their time from */
	bool counts;                  /* its time is in the total of that row */
};

enum { TT_REPLAY_AHEAD = 8 };         /* zones or rows for which memory is fetched ahead */
enum { TT_REPLAY_OUTSIDE = 0 };       /* the row of time in which nothing is open */

/* The time that is not CPU-active; the time that is not uncapped. */
enum { TT_REPLAY_NO_WORK = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_EDITOR), TT_REPLAY_HELD = TT_IDLE(TT_IDLE_LIMIT) | TT_IDLE(TT_IDLE_EDITOR) };

static inline bool
tt_replay_in_frame(const struct tt_thread_replay *w, int64_t ts)
{
	return w->frame < w->end && ts >= w->now.from;
}

/* True if ${e}, which is no whole zone, begins or ends zones. */
static inline bool
tt_replay_is_stack_event(const struct tt_event *e)
{
	return e->kind == TT_ZONE_BEGIN || e->kind == TT_ZONE_END || (e->kind == TT_GAP && !(e->flags & TT_F_CONT));
}

/* --- frame_rows.c ---------------------------------------------------------------- */

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

/* --- frame_idle.c ---------------------------------------------------------------- */

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

/* True if time of the row is to be shown nowhere. */
static inline bool
tt_replay_is_left_out(const struct tt_frames *f, const struct tt_thread_replay_row *row)
{
	return f->player_only && row->idle & TT_IDLE(TT_IDLE_EDITOR);
}

/* Idle time of the zones on the stack is accounted for up to ${ts}. */
void tt_replay_settle_idle(struct tt_thread_replay *w, int64_t ts);

/* A zone on the stack of the idle marker ${row} begins, or ends. TT_E_NOMEM. */
void tt_replay_idle_begins(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts);
int tt_replay_idle_ends(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, struct tt_err *err);

/* A zone of it from ${ts} to ${end} lies whole in the present frame. Zones nest: one within another of its kind would begin before that ends. */
void tt_replay_idle_inner(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, int64_t end);

/* --- frame_inner.c --------------------------------------------------------------- */

/* Close all but the outer ${n}. */
static inline void
tt_replay_pop_inner(struct tt_thread_replay *w, size_t n)
{
	w->ninner = w->ninner < n ? w->ninner : n;
}

/* ${e} lies whole in the present frame: it takes its time from the zone around it. */
int tt_replay_inner_zone(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event *e, struct tt_err *err);

/*
 * Take all such zones from *${from} on, before ${end}; ${base}: levels of the stack from before the chunk. *${from} becomes the first event that is none: a
 * zone that crosses the edge of the frame, or before which zones on the stack end, or what begins or ends zones by an event. An event that does neither is
 * skipped.
 */
int tt_replay_inner_zones(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_event **from, const struct tt_event *end, size_t base,
    struct tt_err *err);

#endif
