/**
 * Frames of a run, in two steps. The prepass finds the markers that begin frames (frame_mark_keys.c), collects where they
 * begin on each thread (frame_marks.c) and builds the table of boundaries. In the main phase the commit stage replays the
 * frame thread's zones in order (frame_replay.c): it always knows which zones are open, so it can cut time exactly at every
 * boundary.
 *
 * Nearly all zones lie inside one frame. A zone like that is added up once, at its begin, and takes its time from the zone around it; only the few zones that
 * cross a boundary are on the stack, whose top gets the time as it passes. Time with no open zone goes to a row of its own, TT_KEY_OUTSIDE.
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
	struct tt_column by;          /* twice the index in tt_marks.key of the marker; plus TT_MARK_GAP if events are missing before the next begin */
	struct tt_column engine_number; /* the number that the engine gave the frame; all 0: none */
	size_t n;
};

/* A marker whose begin is a frame, or the begin of the time to look at. */
struct tt_mark_key {
	uint64_t key, begins;
	int64_t first_ts;             /* time of the first begin */
	const char *full;
	uint32_t process, name_number; /* name_number: a number that all keys of one marker share, with those of its wrapper */
	uint8_t rank;                 /* tt_name_rank() of the option's name in it */
	bool is_frame, is_from, is_wrapper;
};

/* Reasons why a thread is idle: it waits; for the frame limit; for the limit in a marker that waits for nothing else; it runs the Editor. */
enum { TT_IDLE_WAIT, TT_IDLE_LIMIT, TT_IDLE_LIMIT_ONLY, TT_IDLE_EDITOR, TT_IDLES };
#define TT_IDLE(why) (1u << (why))

struct tt_thread_replay_row;
struct tt_thread_replay_inner;
enum { TT_REPLAY_CACHED_ROWS = 4096 };

/* The replay of one frame thread. */
struct tt_thread_replay {
	uint32_t process, thread;
	enum { TT_REPLAY_BEFORE, TT_REPLAY_IN, TT_REPLAY_AFTER } chunk_place; /* of the present chunk, if chunks outside the frames are skipped */
	struct tt_stack st;
	uint32_t *shown_row;          /* by level of the stack: row of the innermost shown zone at or below that level */
	size_t capshown_row;
	struct tt_thread_replay_inner *inner; /* open zones above the stack, all inside the present frame */
	size_t ninner, capinner;
	int64_t self_since;           /* time up to which self time is counted */
	int64_t last_ts;              /* time of the thread's last event before the present chunk */
	size_t first;                 /* first frame of this process */
	size_t frame;                 /* the present frame, or the next if none is */
	size_t end;                   /* one past the last frame of this process */
	struct tt_replay_now {        /* the present frame: its times, and the thread's idle ns in it so far, as in tt_frames */
		int64_t from, to;
		int64_t wait, editor, editor_wait, limit, limit_only, other_wait, released;
	} now;
	int64_t period;               /* estimate so far of the time (ns) that the frame limit makes frames last */
	const struct tt_frame_marks *marks;   /* all marks of the process, also of frames that are not in the table */
	struct timer { uint64_t key; unsigned nframes_late; int timing; } timer[8]; /* counters of frame timings */
	unsigned ntimer;
	uint32_t nidle_open[TT_IDLES]; /* by reason: how many zones on the stack are idle for it */
	int64_t idle_since;
	int64_t limit_since;          /* when the outermost wait for the limit on the stack began */
	int64_t idle_end[TT_IDLES];   /* by reason: end of the last idle zone that lies inside this frame */
	struct tt_thread_replay_row *row;
	struct tt_frame_marker *sum;  /* sums of each row over the frames so far */
	/* For each row: the part of its self time in the present frame that is not CPU-active, and the part that is not uncapped time. */
	struct tt_replay_idle { int64_t idle_ns, limited_ns; } *idle;
	int64_t *editor;              /* with --player-only, for each open row: the Editor's time in the present frame before the row's zone began */
	size_t nrow, caprow, capsum, capidle, capeditor;
	struct tt_map row_index;      /* index in row by key */
	struct tt_map named;          /* index in row by full name, without aliases */
	uint32_t row_cache[TT_REPLAY_CACHED_ROWS]; /* cache by bits of a key: its index in row, to be checked */
	uint32_t *touched;            /* rows that did something in the present frame */
	size_t ntouched, captouched;
	uint32_t *open;               /* rows with zones on the stack, each once, and some that had */
	size_t nopen, capopen;
	int64_t past_ns;              /* time of the frames so far */
	uint32_t nlong_past;          /* how many of them have a duration */
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
	struct tt_map key_index;      /* places in key by process and key */
	bool unmatched;               /* true: --frame-marker matches no marker */
	bool keyed;
	bool wants_one;               /* true: only one marker may begin frames */
	bool has_several;             /* true: more than one does, so marks are no longer kept */
	uint32_t first_name_number;   /* name number of the first marker that begins; UINT32_MAX: none did */
	struct tt_frame_name *begin_name; /* the markers that begin frames */
	size_t nbegin_name;
	int64_t from_ts;              /* the first begin of from_marker; INT64_MAX: none */
};

/* Append a begin at ${ts}; ${by} and ${given} as in struct tt_frame_marks. */
int tt_frame_marks_add(struct tt_frame_marks *m, struct tt_mem *mem, int64_t ts, uint32_t by, uint32_t given, struct tt_err *err);
void tt_frame_marks_free(struct tt_frame_marks *m, struct tt_mem *mem);

/* frame_mark_keys.c: the markers that --frame-marker and from_marker ask for. The pointer is good until the next call. */
int tt_mark_keys_find(struct tt_run *r, struct tt_err *err);
struct tt_mark_key *tt_mark_keys_at(const struct tt_marks *ms, uint32_t process, uint64_t key);
/* After all begins, decide which markers begin frames. TT_E_USAGE if one marker is asked for and several begin. */
int tt_mark_keys_choose(struct tt_run *r, struct tt_err *err);

/* Begin the replay of the thread of ${m}, whose frames are in the table from ${first} on. */
int tt_thread_replay_init(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_frame_marks *m, size_t first, struct tt_err *err);
/* Take up the zones of ${st}, which have begun before the first frame. */
int tt_thread_replay_enter(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_stack *st, struct tt_err *err);
/* Replay one chunk of the frame thread. */
int tt_thread_replay_chunk(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_batch *b, struct tt_err *err);
/* Advance to the time ${ts}: close the frames that are over. */
int tt_thread_replay_advance(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err);
/* Set *${sum} to the work of the marker ${key} in all frames so far. */
int tt_thread_replay_sum(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_frame_marker *sum, struct tt_err *err);
void tt_thread_replay_free(struct tt_thread_replay *w, struct tt_mem *mem);

/* frame_worst.c: insert ${frame}, with badness ${by}, among the worst frames ${list} and return its place; NULL: the others are worse. */
struct tt_hitch *tt_hitches_insert(struct tt_hitches *list, size_t frame, int64_t by);
/* Add the marker ${key}, with self time ${self} and ${calls} calls, to frame ${h}, which keeps the largest; ties by key. NULL does nothing. */
void tt_hitch_keep(struct tt_hitch *h, uint64_t key, uint64_t calls, int64_t self);
/* Raise the badness of ${frame} to at least ${by}; it may be among the worst already. */
void tt_hitches_raise(struct tt_hitches *list, size_t frame, int64_t by);

/* Choose the frames that are examined closely: tt_frames.nexamined_before. */
int tt_frames_choose_examined(const struct tt_run *r, struct tt_model *m, struct tt_err *err);

#endif
