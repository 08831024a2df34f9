/**
 * The reader of .raw, the binary log of Unity's own profiler. Its layout and its versions: tracetool-unity-raw(7).
 *
 * How the data flows:
 *
 *	file ─ blocks.c ─ segments of the file ─ chunks.c: next ─ per stream: blocks put together ─ chunk
 *	                │                                                                │
 *	                └─ heed.c: what definitions mean for decoding ───── head of the chunk
 *	                                                                                 │
 *	chunk ─ decode.c, row.c (any worker) ─ events; define.c ─ definitions
 *
 * The file is a sequence of blocks, each of one stream: a thread's, or the session's, which holds definitions. Messages follow each
 * other in a stream, may be cut between two of its blocks anywhere, and have no length of their own. So the chunk of this format is
 * not a block: next takes a segment of the file, RAW_SEGMENT long, and makes of it one chunk for each stream that has blocks there, the
 * session's first; of a stream that has frames for RAW_CHUNK bytes and more, several, each up to a frame's mark. How long messages are is
 * found out (raw_measure) from the last block on that surely begins with a message, up to the end; a message that is not whole there waits,
 * as the stream's carry, for the stream's next chunk. A chunk's bytes are a struct raw_head, a struct raw_piece for each block, and the
 * contents of the blocks, one after the other: decode starts again at a piece where a message made no sense. Memory is bounded by the
 * segment, the carries, and the definitions.
 *
 * What decoding must know of definitions (which marker is GC.Alloc, which one a frame's root on this thread) comes in the
 * chunk's head, as far as it was defined in or before the segment; sets that do not fit there (counters, code, names
 * of categories) are in struct unity_known, guarded by a lock, each with the chunk since which it holds. So the result depends on the
 * file alone. After a whole reading everything is known, and a second one begins with that.
 *
 * What .raw and .data have in common, values of samples and what definitions mean, is in formats/unity.
 * Times are ns of the capture's clock from the first time in the file on, RAW_ZERO_WITHIN.
 */
#ifndef TT_RAW_RAW_H
#define TT_RAW_RAW_H

#include <pthread.h>

#include "base/map.h"
#include "io/window.h"
#include "model/format.h"
#include "raw/layout.h"

enum { RAW_SEGMENT = 1 << 20, RAW_ZERO_WITHIN = 16 << 20, RAW_STATE_WITHIN = 1 << 20, RAW_CHUNK = 1 << 16, RAW_SEEN_PAGES = 256, RAW_SEEN_PAGE = 128,
	RAW_ODD = 32, RAW_SPECIAL = 512, RAW_CHOICES = 4, RAW_ALONE = 4,
	RAW_NAME_MAX = 1026 };        /* bytes of a thread's name with its group; longer ones are no threads' */
#define RAW_MAX_RUNON_NS INT64_C(3600000000000)        /* ns; a time this far after the main thread's last one does not show when that ended */
#define RAW_MAX_SESSIONS 20000                         /* logs in one file: each takes about 4 kB of memory and 30 us */
#define RAW_MAX_GPU_EARLIER_NS INT64_C(10000000000)   /* ns; work that the GPU got so long before the recording began is none that ends in it */
#define RAW_MAX_LEAD_NS INT64_C(60000000000)          /* ns; an appended recording that began further in its frame is not moved for that */
#define RAW_BEHIND INT64_C(1000000)           /* ns; a frame may begin so long before the last times of the one before */
#define RAW_MAX_OVER_NS INT64_C(10000000000)          /* ns; a thread may have times so long after the recording ended */
#define RAW_MAX_STEP_NS INT64_C(1000000000)          /* ns; a time this far after the one before may be damaged: the next one decides */

/* message.c. The state of the message that begins in the ${n} bytes at ${p}; *${size}: its length if it is whole. */
enum raw_state raw_measure(const struct raw_layout *l, const uint8_t *p, size_t n, size_t *size);
/* The same as if it were of that type. */
enum raw_state raw_measure_as(const struct raw_layout *l, unsigned type, const uint8_t *p, size_t n, size_t *size);
const char *raw_fields(unsigned type, unsigned rank);
void raw_sizes(const struct raw_layout *l, uint8_t size[RAW_TYPES]);
/* Size of a flow, which makes sense only if its kind does. */
static inline size_t raw_flow_size(const struct raw_layout *l) { return l->aligned ? 12 : 7; }
void raw_take_value(struct raw_take *t, struct unity_value *v);
const uint8_t *raw_take_stack(struct raw_take *t, unsigned *n);
void raw_take_category_pad(struct raw_take *t);

/* The facts of a session that decoding must know: a header and what follows it. */
struct raw_session {
	uint32_t number;              /* from 0: logs may be appended to each other */
	struct raw_layout layout;
	uint8_t size[RAW_TYPES];      /* see raw_sizes() */
	uint64_t main;                /* thread id */
	uint64_t main_as;             /* the one it has in the model: that of the first log's main thread; see raw_tid() */
	bool main_again;              /* an earlier log has blocks of it */
	uint32_t ncut;                /* logs before it that did not end */
	bool main_sure;               /* it is the thread named so, or that thread took its place */
	/* The input, read to its end, has: its main thread, frames of some thread, blocks of threads, blocks of definitions. */
	bool main_there, framed, used, defined;
	bool main_wrong;              /* the header names another one; see raw_settle_main() */
	size_t unnamed;               /* its only stream with blocks of a thread that no definition names: index + 1; 0: none, SIZE_MAX: several */
	bool has_named;               /* a thread is named like the main thread ... */
	uint64_t named;               /* ... the first such one */
	uint64_t at;                  /* offset of the header in the file */
	uint64_t mult;                /* ns = ticks * mult >> shift, by tt_clock_ratio() */
	unsigned shift;
	int64_t zero;                 /* ns at ts = 0 */
	int64_t began;                /* ts of its first state, frame or sample */
	bool stated;                  /* that is a state: what threads have from before it is of an earlier recording */
	uint32_t first_frame;         /* if so: the number of the frame in which it was */
	bool state_wrong;             /* see struct raw_start */
	int64_t stopped;              /* when it ended, by its last state; INT64_MAX */
	struct unity_markers marker;
	const char *categories;       /* see struct unity_version */
	bool wide_known;              /* layout.wide is known */
	bool poor;                    /* most of its first bytes make no sense by any layout */
	struct tt_fit_log fit;        /* of this reading */
};

/*
 * The thread id in the model. The main threads of all logs are one thread, whose frames are those of the capture: a later run of the program gives its own
 * another id. The thread that has that id in a log gets the one that this leaves free.
 */
static inline uint64_t
raw_tid(const struct raw_session *s, uint64_t id)
{
	return id == s->main ? s->main_as : id == s->main_as ? s->main : id;
}

/* The size of a sample with one value of fixed size, if such a sample is whole in the ${n} bytes at ${p}; else 0. */
static inline size_t
raw_one_value_size(const struct raw_session *s, const uint8_t *p, size_t n)
{
	const size_t at = s->size[RAW_BEGIN], step = s->layout.aligned ? 4 : 1;

	if (n < at + 2 * step || p[at] != 1)
		return 0;
	const size_t value = unity_value_size(p[at + step]), size = at + 2 * step + value;
	return value > 0 && size <= n ? size : 0;
}

/* ns = ticks * mult >> shift, from zero on. */
static inline int64_t
raw_ns_by(uint64_t mult, unsigned shift, int64_t zero, uint64_t ticks)
{
	__extension__ typedef unsigned __int128 wide;

	return (int64_t)((uint64_t)((wide)ticks * mult >> (shift & 63)) - (uint64_t)zero);
}

static inline int64_t
raw_ns(const struct raw_session *s, uint64_t ticks)
{
	return raw_ns_by(s->mult, s->shift, s->zero, ticks);
}

/* True if the time exists and is plausible. */
static inline bool
raw_is_sane(int64_t t)
{
	return t > INT64_MIN / 2 && t < INT64_MAX / 2;
}

/* The time of the message at ${p}, a frame or a sample. */
static inline int64_t
raw_time_of(const struct raw_session *s, const uint8_t *p)
{
	const unsigned at = s->layout.aligned ? 4 : 2;

	return raw_ns(s, unity_u64(p + at + (unity_u16(p) == RAW_FRAME ? 4 : s->layout.aligned ? 8 : 5)));
}

/* When the message at ${p} says that the thread ended. */
static inline int64_t
raw_end_time(const struct raw_session *s, const uint8_t *p)
{
	return raw_ns(s, unity_u64(p + (s->layout.aligned ? 4 : 2)));
}

struct raw_piece {
	uint64_t at;                  /* offset in the file */
	uint32_t len;
	uint32_t flags;               /* enum raw_piece_flag */
};
enum raw_piece_flag {
	RAW_P_GAP = 1,                /* blocks of the stream are missing before it, so it begins with a message, and a carry is dropped */
	RAW_P_LOST = 2,               /* or frames are missing: their numbers jump */
	RAW_P_FRAME = 4,              /* a frame's mark, which has a block of its own */
	RAW_P_CUT = 8,                /* the file ends in it */
	RAW_P_PAUSED = 16,            /* a frame's mark before which recording paused */
	RAW_P_ALONE = 64,             /* the stream has marks in blocks of their own */
	RAW_P_BACK = 32,              /* a frame's mark whose number is not higher than that of the one before, in the recording */
};

/* walk.c: steps through the messages of a chunk. The search for its end and its decoder share it. */
struct raw_walk {
	const struct raw_session *s;
	const uint8_t *fixed;         /* the sizes of types of fixed length that only threads have, by type; all 0 in the session's stream */
	const struct raw_piece *piece;
	uint64_t id;                  /* the stream's */
	bool session;                 /* the pieces are of the session's stream */
	uint32_t i, n;                /* the present piece; the number of pieces */
	const uint8_t *p;             /* the present message */
	const uint8_t *end, *all;     /* the end of the piece; the end of the consecutive pieces */
	size_t size;                  /* bytes of the message, or bytes given up */
};
enum raw_step {
	RAW_MESSAGE,                  /* a whole message of w->size bytes at w->p; add the size to move on */
	RAW_DROPPED,                  /* w->size bytes made no sense */
	RAW_REST,                     /* the last message, from w->p on, is not whole */
	RAW_OVER,
};
/* Begin at piece ${from} of the stream ${id}, whose bytes are at ${p}. */
void raw_walk(struct raw_walk *w, const struct raw_session *s, uint64_t id, const struct raw_piece *piece, uint32_t from, uint32_t n, const uint8_t *p);
enum raw_step raw_walk_next(struct raw_walk *w);
/* Give up the message at w->p: w->size bytes, the rest of its block. */
void raw_walk_drop(struct raw_walk *w);

/* Name and group of a thread, in the capture's arena; NULL: none. */
struct raw_name { const char *text, *group; uint32_t n, ngroup; };

/* The head at the beginning of a chunk's bytes. */
struct raw_head {
	struct raw_session s;
	uint64_t stream;
	uint32_t root;                /* the marker of the thread's frames, or UNITY_NO_MARKER */
	uint32_t npiece;
	size_t n, front;              /* bytes of all pieces; offset of the first */
	uint32_t flags;               /* enum raw_head_flag */
	int64_t since, until;         /* a first time before ${since} that the next one does not share, and all times after ${until}, are wrong */
	int64_t after;                /* see struct raw_stream.carry_after */
	int64_t before;               /* see struct raw_stream.last_ts */
	struct raw_name named;        /* of the thread, if the id is reused and its own message does not say when it registered */
};
enum raw_head_flag {
	RAW_H_FIRST = 1,              /* the stream's first chunk in this session */
	RAW_H_NEW_THREAD = 2,         /* from here on the id belongs to another thread */
	RAW_H_ENDS = 4,               /* and after it to yet another thread */
	RAW_H_GOES_ON = 8,            /* with RAW_H_FIRST: the thread is that of an earlier log */
	RAW_H_AFTER_CUT = 16,         /* with RAW_H_FIRST: what the thread did last in an earlier log may be missing */
};

/* A registration that waits: up to now the id is that of an earlier thread, which may have it for long. */
struct raw_naming {
	int64_t from;                 /* ns at which the thread registered; INT64_MIN: the message does not say when */
	uint64_t at;                  /* offset of the message's block in the file */
	uint64_t hash;                /* see struct raw_stream.name */
	struct raw_name own;
	bool bound;
	uint32_t next;                /* of the same stream, or of those that are free: index + 1 */
};

/* A stream of one session. */
struct raw_stream {
	uint64_t id;
	uint32_t session;
	/* from its ThreadInfo; kept from reading to reading */
	bool named, bound;            /* bound: it marks frames, with a root sample named like it in each */
	uint64_t name;                /* hash of that name */
	struct raw_name own;          /* that name, where the message does not say when the thread registered */
	const char *full;             /* the name, with its group and what is after a NUL, in the capture's arena; NULL: not kept */
	uint32_t nfull;
	uint64_t defined_at;          /* offset of the block with its ThreadInfo */
	uint32_t leader;              /* the marker of the sample that begins after its first mark; UNITY_NO_MARKER: none does, or none was read */
	bool awaits_leader;           /* the next block has that */
	uint64_t longer;              /* hash of that name with what its texts seem to lack: raw_count_lacking(); 0: nothing */
	bool looked, renamed;         /* whether its name is damaged was found out; it is: its root is ${leader} */
	int64_t start;                /* ns at which the id's first thread began; INT64_MAX */
	uint64_t tid;                 /* see raw_tid(); from the first chunk on */
	bool placed, goes_on;         /* ... as is whether its thread is that of an earlier log: id and name are the same */
	bool after_cut;               /* ... and whether the last log with that id did not end, or one since; where no log has it, the last log */
	/* of this reading */
	bool met;                     /* its ThreadInfo was read */
	uint32_t naming, naming_last; /* the first and the last one that waits: index + 1; 0: none */
	int64_t ended;                /* time of its last message, if that says that the thread ended; INT64_MIN */
	uint64_t ended_at;            /* offset of that one's block */
	bool may_end;                 /* a block of it in the segment ends like such a message */
	bool reused;                  /* another thread has had the id before */
	bool has_names;               /* its id was registered with another name, too */
	bool seen, delivered, framed;
	bool begun;                   /* of an appended log: what it has from before the recording was left out */
	bool other;                   /* the next blocks belong to another thread */
	size_t pause;                 /* the first pause after the last frame that was delivered: index in raw.pause */
	uint32_t block;               /* number of the next block */
	uint32_t frame;               /* number of the last frame */
	int64_t frame_ns;             /* and its time */
	uint32_t first_block, first_frame;    /* numbers of its first ones */
	uint64_t at, last_at;         /* offsets of its first and its last block in the file */
	bool has_more;                /* blocks than the first */
	uint8_t *carry;
	size_t ncarry, capcarry;
	uint64_t carry_at;
	uint32_t carry_flags;         /* enum raw_piece_flag */
	int64_t carry_after;          /* time before the carry, whose own time is doubtful; INT64_MIN */
	int64_t last_ts;              /* time of the last message that was delivered and has one; INT64_MIN */
	uint32_t first, last;         /* its blocks in the segment: index + 1; 0: none */
};

/* How sessions of one version are read. */
struct raw_choice {
	uint32_t word;
	bool said_aligned;            /* what their headers say */
	bool aligned;                 /* what their blocks say */
	bool told;                    /* an earlier session was read so */
	const struct unity_version *version;
	const char *categories;       /* see struct unity_version */
	struct unity_trial trial;     /* of that version's layout */
};

/* When a session begins. */
struct raw_start {
	int64_t ts;
	bool wrong;                   /* the ProfilerState that begins the recording has a damaged time */
	bool stated;                  /* a ProfilerState says it ... */
	uint32_t frame;               /* ... with the number of the frame in which it was */
};

/* The place where recording continues after a pause. */
struct raw_pause { uint64_t ticks; uint32_t session; };

/* A block of the segment, and the place of its payload in it. */
struct raw_block { uint32_t off, len, flags, next; };

struct raw {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_capture *cap;
	struct tt_window win;
	const struct unity_version *version;
	const struct unity_version *as;       /* the first session is read by this one's layout: a trial */
	bool as_aligned;              /* and with messages like this */
	struct unity_votes votes;     /* of a trial */
	struct raw_choice choice[RAW_CHOICES];
	unsigned nchoice, ntrial;
	uint64_t tried_at;            /* the last session whose layout was tried */

	struct raw_session *session;
	size_t nsession, capsession;
	size_t now;                   /* the session being read */
	size_t main_from;             /* the first session, + 1, with blocks of its main thread; 0: none so far */
	uint64_t first;               /* offset of the first block */
	struct raw_start start;       /* of the sessions with headers up to the offset ${start_to}; see raw_find_start() */
	uint64_t start_to;
	struct raw_stream *stream;
	size_t nstream, capstream;
	struct tt_map stream_at;      /* by session and id */
	struct tt_map thread_at;      /* by tid: the last placed stream with it */
	size_t met;                   /* index in stream of the last one asked for */
	struct raw_naming *naming;    /* of this reading */
	size_t nnaming, capnaming;
	uint32_t naming_free;         /* the first one of these that none uses: index + 1 */
	struct unity_known known;
	bool read;                    /* the input was read to its end once */

	/* the segment: its bytes, its blocks, its streams in order */
	uint64_t at, seq;
	uint64_t from, len;
	uint64_t base;                /* where bytes for a whole segment were last asked for: consecutive short logs share them */
	const uint8_t *p;
	struct raw_block *block;
	size_t nblock, capblock;
	uint32_t *order;
	size_t norder, caporder, next;
	struct tt_loss loss;          /* losses found in the segment; go with its first chunk */
	uint64_t nattributed;         /* losses of ${loss} that are counted for the present session's log already */
	struct tt_fit_log *log;       /* in the capture's arena, ${nlog} of them, once the input was read to its end */
	size_t nlog;
	bool ended;                   /* the input has ended */
	bool flushing;                /* carries that nothing continues are still to come: the input has ended, or another session has begun */
	size_t flush_at;              /* streams whose carries were delivered since then */
	size_t flushed;               /* streams without such carries, in the order of sessions */
	bool enabled, any_state;      /* profiling is on; a state was read */
	uint64_t state_ticks;         /* when the last of them was, in the clock's own unit */
	/* Numbers of frames in this session: that of its last message that recording stops, and the last of the main thread and of any thread. */
	struct raw_frames_seen { bool stopped, main, any; uint32_t stop, last_main, last; } frames;
	struct raw_pause *pause;      /* in order, no ticks of a session before those of the one before; kept from reading to reading */
	size_t npause, cappause;
	int64_t latest;               /* latest of the main thread's times; INT64_MIN */
	/*
	 * When the frame began in which the recording of session ${lead_of} did: the main thread's last root or mark by then, or its first time; the
	 * recording's begin: that frame had ended.
	 */
	int64_t lead;                 /* INT64_MIN: no time of that thread was read so far */
	bool lead_known;              /* times after the recording's begin were read */
	uint32_t lead_of;
	int64_t first_lead;           /* of session 0, if ${lead_of} is a later one */
	int64_t earlier_ns;           /* how long before its recording an appended log's threads have something, which is left out; 0 */
	uint64_t *block_seen[RAW_SEEN_PAGES];         /* RAW_SEEN_PAGE identities of blocks of this reading each, by stream and number; NULL: none yet */
};

/* The offset of the block in the file. */
static inline uint64_t
raw_block_at(const struct raw *m, const struct raw_block *b)
{
	return m->from + b->off - RAW_BLOCK_HEAD;
}

/* reader.c: the reader's functions for a trial, which reads the first session by the layout of ${v}, packed or aligned, and says nothing. */
extern const struct raw_trial {
	int (*open)(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, const struct unity_version *v, bool aligned, struct raw **m,
	    struct tt_err *err);
	int (*next)(void *ctx, struct tt_chunk *c, struct tt_err *err);
	int (*decode)(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err);
	void (*close)(void *ctx);
} raw_trial;

/*
 * choose.c: choose how the session is read whose header at ${at} says the version ${word}, and aligned or packed messages. The segment's bytes are not in hand
 * afterwards.
 */
int raw_choose(struct raw *m, uint64_t at, uint32_t word, bool aligned, struct raw_choice *chosen, struct tt_err *err);

/* header.c: the header's length: that of the version, unless the first block begins where a header of the other length ends. */
size_t raw_head_size(const uint8_t *p, size_t n);
/* Make a session from the header at ${p}; *${size}: the header's length. */
int raw_take_head(const struct raw *m, const uint8_t *p, size_t n, struct raw_session *s, size_t *size, struct tt_err *err);

/* blocks.c */
int raw_open_head(struct raw *m, uint64_t at, struct tt_err *err);
struct raw_stream *raw_stream(struct raw *m, uint64_t id, struct tt_err *err);
/* Take blocks from the input until there are enough of them. TT_END. */
int raw_take_segment(struct raw *m, struct tt_err *err);
/* With the segment's blocks and definitions known: if the header's main thread is another one than the thread named so, that one takes its place. */
void raw_settle_main(struct raw *m);
/*
 * At the end of the input: count headers whose main thread is not there, logs without definitions, and main threads' first and last blocks that are in
 * streams of their own; find what is not known without definitions.
 */
void raw_end_sessions(struct raw *m);

/* Hand the losses found so far on to a chunk. */
void raw_hand_losses(struct raw *m, struct tt_loss *to);

/* A session ends at ${at}: frames after its last one are missing if its last message that recording stops gives the number of a later one. */
void raw_miss_tail(struct raw *m, uint64_t at);

/* start.c: find when the first session began, which time 0 is. */
int raw_find_zero(struct raw *m, struct tt_err *err);
/*
 * Find when the session ${s} began, whose blocks begin at ${from}; if it has no times, the first later session that has.
 * *${to}: the offset of the last header up to which each session has the same answer, if its zero is the same.
 */
int raw_find_start(struct raw *m, const struct raw_session *s, uint64_t from, struct raw_start *start, uint64_t *to, struct tt_err *err);

/*
 * Find *${ts}, when the main thread's frame began in which the recording of ${s} did, whose blocks begin at ${from}, at ${began}: not after that. Its roots,
 * which are not known yet, may show a later one.
 */
int raw_find_lead(struct raw *m, const struct raw_session *s, uint64_t from, int64_t began, int64_t *ts, struct tt_err *err);

/* chunks.c */
int raw_next(void *ctx, struct tt_chunk *c, struct tt_err *err);
void raw_ahead(void *ctx);
/* The next session, ${number}, is about to be read: look for its lead. */
void raw_begin_lead(struct raw *m, uint32_t number);

/* roots.c: take in the block after the first mark of ${st}. */
void raw_see_first_sample(const struct raw_session *s, struct raw_stream *st, const uint8_t *p, size_t n);
/* The marker of the roots of the thread's frames; UNITY_NO_MARKER: it has none. */
uint32_t raw_root_of(const struct raw *m, struct raw_stream *st);
/* True if the marker st->leader is called like the thread but for bit *${bit} of st->full. */
bool raw_is_almost_named(const struct raw *m, const struct raw_stream *st, uint32_t *bit);

/* width.c: find the width of instance ids, where the session's layout leaves it open, in the blocks of the segment. */
void raw_find_width(struct raw *m);

/* heed.c: take in the definitions in a chunk of the session's stream. */
int raw_heed(struct raw *m, uint32_t session, struct raw_walk *w, uint64_t seq, struct tt_err *err);
/* Take in the registration of the thread ${id} that its own block, the ${n} bytes at ${p} of the block at ${at}, begins with, if it does. */
int raw_heed_own(struct raw *m, uint64_t id, const uint8_t *p, size_t n, uint64_t at, struct tt_err *err);

/* reuse.c: ids of threads that the system uses again. A thread registers under the id of ${st}, whose thread is another one, or registers anew. */
int raw_name_waits(struct raw *m, struct raw_stream *st, const struct raw_naming *x, struct tt_err *err);
/* True if another thread may begin in the stream's blocks of the segment. If none ends, a registration without a time is in force at once. */
bool raw_may_change(struct raw *m, struct raw_stream *st);
/*
 * Find where another thread with the stream's id begins: the first of the ${n} pieces that begins with a message, and whose first time is not before that
 * thread's, or that comes after a message that the thread ended. ${n}: none does. *${naming}: the registration that is in force from there on.
 */
uint32_t raw_find_change(struct raw *m, struct raw_stream *st, const struct raw_piece *piece, uint32_t n, const uint8_t *p, uint32_t *naming);
/* The registration ${naming} is in force from now on; 0: the last one that waits. */
void raw_change(struct raw *m, struct raw_stream *st, uint32_t naming);

/* times.c; and raw_stamp() */
struct raw_run;
/* The first time in the messages from ${w} on. */
bool raw_first_time(const struct raw_run *r, struct raw_walk w, int64_t *ts);
/* The same, corrected if it is wrong. */
bool raw_first_right_time(const struct raw_run *r, struct raw_walk w, int64_t *ts);
/*
 * True if the message at ${p}, in the chunk of ${h}, is the mark of a frame of the recording, with a time before the recording: that time is wrong. The number
 * shows it if the thread's next mark has the next number: an earlier recording may have had higher numbers.
 */
bool raw_is_early_mark(const struct raw_head *h, const uint8_t *p);
/* Count the messages from ${w} on whose time is before the recording, up to the first that is in it. */
uint64_t raw_count_earlier(const struct raw_run *r, struct raw_walk w);
/* Find single wrong times in the chunk that begins at ${w}. */
void raw_find_odd(struct raw_run *r, struct raw_walk w);

/* decode.c */
int raw_decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err);

/* The state of decoding one chunk. */
struct raw_run {
	struct unity_run u;
	const struct raw *m;
	const struct raw_head *h;
	const struct raw_session *s;
	const struct raw_walk *w;     /* at the message being decoded */
	uint64_t at;                  /* offset of its block in the file */
	int64_t last, call_ts, from;  /* time of the last message; of the last begin or end; the earliest of these as stored in the file */
	uint64_t calls;
	bool special[RAW_SPECIAL];    /* by id modulo RAW_SPECIAL: one of these markers is more than a zone */
	bool emptied;                 /* the zones open before the chunk were closed in it */
	size_t rooted;                /* number of events before the last root that began in it */
	size_t rooted_stray;          /* number of strays before it */
	bool in_root;                 /* it has not ended, and nothing is missing since */
	struct raw_alone { uint64_t key; bool whole, spans; } alone[RAW_ALONE];       /* markers of ends whose begin may be damaged */
	unsigned nalone;
	/* Ends without a begin that may be of the zone whose begin is event ${of}; ${key}: their own, or that zone's once this is found. */
	struct raw_other { const uint8_t *p; uint64_t key; uint32_t of; } other[RAW_ALONE];
	unsigned nother;
	uint32_t ends;                /* the present message is an end of this marker, whatever it says; or UNITY_NO_MARKER */
	size_t begun, nlooked;        /* of the first ${nlooked} events, the last zone or allocation: index + 1; 0: none was looked for */
	bool skims;                   /* no zones are wanted: see TT_SKIM */
	uint64_t in_line;             /* if skims: see raw_ticks_in_line() */
	/* While the last time is ${caught}, times from ${behind} on are right: a frame began a little before it. */
	int64_t caught, behind;
	bool damaged_any;             /* a block of the chunk was counted as damaged ... */
	uint64_t damaged_at;          /* ... the last one at this offset */
	bool odd_time, searched;      /* a time made no sense; raw_find_odd() was called */
	bool before_odd;              /* the last time before the chunk is wrong */
	bool mending;                 /* the present message's time is mended_ts */
	int64_t mended_ts;
	/* Messages with corrected times, or, if ${ends} is not UNITY_NO_MARKER, ends of another marker than they say. */
	struct raw_odd { const uint8_t *p; int64_t ts; uint32_t ends; } odd[RAW_ODD];
	unsigned nodd;
	size_t alloc;                 /* index + 1 of the allocation that a stack may follow */
};

/*
 * Read the time of a message; false, and odd_time set, if it makes no sense. A time before the end of the last log is counted and becomes that end; so does one
 * where a frame begins a little before the last time of the frame before.
 */
bool raw_stamp_slow(struct raw_run *r, uint64_t ticks, int64_t *ts);
static inline bool
raw_stamp(struct raw_run *r, uint64_t ticks, int64_t *ts)
{
	const int64_t t = raw_ns(r->s, ticks);

	if (r->last == INT64_MIN || r->mending || (uint64_t)t - (uint64_t)r->last > (uint64_t)RAW_MAX_STEP_NS)
		return raw_stamp_slow(r, ticks, ts);
	if (t < r->from)
		r->from = t;
	tt_batch_time(r->u.b, t);
	*ts = r->last = t;
	return true;
}

/* unknown.c: add to ${into} what the rest of the block, ${n} bytes, shows of the length of the message at ${p}, whose type is unknown. */
void raw_look_behind(const struct raw_run *r, const uint8_t *p, size_t n, struct tt_lengths *into);

/* typed.c. True if the message at w->p, in a thread's stream, has the bytes of another: its type is damaged. */
bool raw_is_retyped(const struct raw_run *r, const struct raw_walk *w);

/* alone.c: the end of a zone of ${key}, which is not open in the chunk, nor from before it. */
int raw_end_alone(struct raw_run *r, int64_t ts, uint64_t key);
/* At the chunk's end: find out which of these ends show that a begin is damaged. */
void raw_settle_alone(struct raw_run *r);
/* Find the ends with a damaged marker, *${n} of them, before raw_settle_alone(): true if there are some. */
bool raw_find_others(struct raw_run *r, struct raw_other found[RAW_ALONE], unsigned *n);

/* row.c: decode consecutive plain messages from ${w} on. Stops before any other message and before one that is unusual. */
void raw_row(struct raw_run *r, struct raw_walk *w);
/* The same where no zones are wanted: of times only the order is checked, in ticks. */
void raw_skim_row(struct raw_run *r, struct raw_walk *w);
/* The ticks by which a message may follow the one before without a further check: less than RAW_MAX_STEP_NS, whatever the rounding. */
uint64_t raw_ticks_in_line(const struct raw_session *s);

/* scrub.c: tt_format.scrub */
extern const struct tt_format tt_format_raw;
int raw_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err);

/* define.c: a message of definitions. */
int raw_define(struct raw_run *r, unsigned type, struct raw_take *t);
/* The chunk's thread, if its name is in the head: it has that name from ${ts} on. */
int raw_define_reused(struct raw_run *r, int64_t ts);
const char *raw_tag_name(unsigned tag);

#endif
