/**
 * Frames of a run, in two steps. The prepass finds the markers that begin frames (frame_mark_keys.c), collects where they
 * begin on each thread (frame_marks.c) and builds the table of boundaries. In the main phase the commit stage replays the
 * frame thread's zones in order (frame_replay.c): it always knows which zones are open, so it can cut time exactly at every
 * boundary.
 *
 * Nearly all zones lie inside one frame. A zone like that takes its time from the one around it when it begins, and is done; only the few that cross a
 * boundary are on the stack, whose top gets the time as it passes. Time with no open zone goes to a row of its own, TT_KEY_OUTSIDE.
 *
 * All of it runs in the ordered stage: one thread at a time.
 */
#ifndef TT_RUN_FRAME_REPLAY_H
#define TT_RUN_FRAME_REPLAY_H

#include "base/column.h"
#include "model/zones.h"

struct tt_frame_marker;
struct tt_hitch;
struct tt_hitches;
struct tt_frame_name;
struct tt_model;
struct tt_replay;
struct tt_run;

enum { TT_MARK_GAP = 1 };

struct tt_frame_marks {               /* begins of frames on one thread */
	uint32_t process, thread;
	struct tt_column ts;
	struct tt_column by;          /* twice which of tt_marks.key begins it; and TT_MARK_GAP: before the next begin something is missing */
	struct tt_column given;       /* the number that the engine gave the frame; all 0: none */
	size_t n;
};

/* A marker whose begin is a frame, or the begin of the time to look at. */
struct tt_mark_key {
	uint64_t key, begins;
	int64_t first_ts;             /* of its begins */
	const char *full;
	uint32_t process, name;       /* name: the same for all keys of one marker, a wrapper's that of what it wraps */
	uint8_t rank;                 /* tt_name_rank() of the name asked for */
	bool frame, from, wrapper;
};

/* Why: it waits; for the frame limit; in a marker that waits for nothing else; it runs the Editor. */
enum { TT_IDLE_WAIT, TT_IDLE_LIMIT, TT_IDLE_LIMIT_ONLY, TT_IDLE_EDITOR, TT_IDLES };
#define TT_IDLE(why) (1u << (why))

struct tt_thread_replay_row;
struct tt_thread_replay_inner;
enum { TT_REPLAY_NEAR = 4096 };

/* The replay of one frame thread. */
struct tt_thread_replay {
	uint32_t process, thread;
	enum { TT_REPLAY_BEFORE, TT_REPLAY_IN, TT_REPLAY_AFTER } where;  /* of chunks, where those outside the frames are passed over */
	struct tt_stack st;
	uint32_t *shown;              /* by level of the stack: the row of the innermost zone that is shown there */
	size_t capshown;
	struct tt_thread_replay_inner *inner; /* zones above the stack */
	size_t ninner, capinner;
	int64_t since;                /* self time is counted up to here */
	int64_t seen;                 /* the thread's last event before the present chunk */
	size_t first;                 /* of this process's frames */
	size_t frame;                 /* the one we are in, or the next */
	size_t end;                   /* after this process's frames */
	struct tt_replay_now {        /* the frame: its times, and how long the thread is idle in it so far; see tt_frames */
		int64_t from, to;
		int64_t wait, editor, editor_wait, limit, limit_only, other_wait, released;
	} now;
	int64_t period;               /* about the least time that the frame limit makes frames last, as far as is known by now */
	const struct tt_frame_marks *marks;   /* all of the process, also of frames that are not in the table */
	struct timer { uint64_t key; unsigned late; int what; } timer[8];      /* counters of frame timings */
	unsigned ntimer;
	uint32_t idling[TT_IDLES];    /* zones on the stack in which the thread does no work of the program's, by why */
	int64_t idle_since;
	int64_t limit_since;          /* when the outermost wait for the limit on the stack began */
	int64_t idled[TT_IDLES];      /* when the last of them ended that lies whole in this frame */
	struct tt_thread_replay_row *row;
	struct tt_frame_marker *sum;  /* of each row, over the frames so far */
	/* For each row: what of its self time in the present frame is not CPU-active time, and what of it is no uncapped time. */
	struct tt_replay_idle { int64_t all, held; } *idle;
	int64_t *editor;              /* with --player-only, of each row that is open: the Editor's time in the present frame before it began */
	size_t nrow, caprow, capsum, capidle, capeditor;
	struct tt_map at;             /* places in row by key */
	struct tt_map named;          /* and by full name, of those that are not aliases */
	uint32_t near[TT_REPLAY_NEAR]; /* by bits of a key: its place in row, if it is there */
	uint32_t *touched;            /* rows of the present frame */
	size_t ntouched, captouched;
	int64_t past;                 /* time of the frames so far */
	uint32_t long_past;           /* how many of them have a duration */
	struct peak { uint32_t frame; int64_t dur; } *peak;   /* those that no later one is as long as */
	size_t npeak, cappeak;
};

struct tt_marks {
	struct tt_frame_marks *m;
	size_t n, cap;
	uint32_t *of_thread;          /* by thread: place in m + 1 */
	size_t nof_thread;
	struct tt_mark_key *key;
	size_t nkey, capkey;
	struct tt_map at;             /* places in key by process and key */
	bool unmatched;               /* --frame-marker matches no marker */
	bool keyed;
	bool one;                     /* frames are to begin at one marker alone */
	bool several;                 /* but more begin: marks are no longer kept */
	uint32_t name;                /* of the first that begins; UINT32_MAX: none did */
	struct tt_frame_name *begun;  /* the markers that frames begin at */
	size_t nbegun;
	int64_t from;                 /* the first begin of from_marker; INT64_MAX: none */
};

/* The next begin, at ${ts}; the rest as tt_frame_marks has it. */
int tt_frame_marks_add(struct tt_frame_marks *m, struct tt_mem *mem, int64_t ts, uint32_t by, uint32_t given, struct tt_err *err);
void tt_frame_marks_free(struct tt_frame_marks *m, struct tt_mem *mem);

/* frame_mark_keys.c: the markers that --frame-marker and from_marker ask for. The pointer is good until the next call. */
int tt_mark_keys_find(struct tt_run *r, struct tt_err *err);
struct tt_mark_key *tt_mark_keys_at(const struct tt_marks *ms, uint32_t process, uint64_t key);
/* After all begins: which of them begin frames. TT_E_USAGE where one is asked for and several begin. */
int tt_mark_keys_choose(struct tt_run *r, struct tt_err *err);

/* Begin to watch the thread of ${m}, whose frames are in the table from ${first} on. */
int tt_thread_replay_init(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_frame_marks *m, size_t first, struct tt_err *err);
/* Take up the zones of ${st}, which have begun before the first frame. */
int tt_thread_replay_enter(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_stack *st, struct tt_err *err);
/* Replay one chunk of the frame thread. */
int tt_thread_replay_chunk(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_batch *b, struct tt_err *err);
/* Advance to the time ${ts}: close the frames that are over. */
int tt_thread_replay_advance(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err);
/* The work of the marker ${key} in all frames so far. */
int tt_thread_replay_sum(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_frame_marker *sum, struct tt_err *err);
void tt_thread_replay_free(struct tt_thread_replay *w, struct tt_mem *mem);

/* frame_worst.c: a place among the worst frames ${list} for ${frame}, which is as bad as ${by}; NULL: the others are worse. */
struct tt_hitch *tt_hitches_place(struct tt_hitches *list, size_t frame, int64_t by);
/* ${self} is the time of the marker ${key}, called ${calls} times, itself in the frame ${h}, which keeps the largest, ties by key; NULL: none of the worst. */
void tt_hitch_keep(struct tt_hitch *h, uint64_t key, uint64_t calls, int64_t self);
/* The frame is as bad as ${by}, if not worse, and may be among them already. */
void tt_hitches_raise(struct tt_hitches *list, size_t frame, int64_t by);

/* Which frames are looked at closely: tt_frames.looked. */
int tt_frames_choose(const struct tt_run *r, struct tt_model *m, struct tt_err *err);

#endif
