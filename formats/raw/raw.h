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
 * The files beside those above:
 *
 *	reader.c, header.c              the registry's entry: recognise, open, rewind, close; the header of a log
 *	choose.c, width.c               the layout of a session, and the width of instance ids, by evidence
 *	start.c, times.c                when a session began; which times are right
 *	message.c, walk.c               how long a message is; from message to message, and to the next block after nonsense
 *	unknown_lengths.c               how long messages of unknown types are
 *	roots.c, reuse.c                the root marker of a thread's frames; ids that become those of other threads
 *	alone.c, typed.c                ends without a begin; messages whose type is damaged
 *	scrub.c                         the copy without names
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
	RAW_ODD = 32, RAW_SPECIAL = 512, RAW_CHOICES = 4, RAW_ALONE = 4, RAW_RESUMES = 8,
	RAW_NAME_MAX = 1026 };        /* maximum bytes of a thread's name with its group; longer texts are not names of threads */
#define RAW_MAX_RUNON_NS INT64_C(3600000000000)        /* ns; a time this far after the main thread's last one does not tell when that thread ended */
#define RAW_MAX_SESSIONS 20000                         /* maximum number of logs in a file: each takes about 4 kB of memory and 30 us */
#define RAW_MAX_GPU_EARLIER_NS INT64_C(10000000000)   /* ns; GPU work requested this long before the recording began cannot end in it */
#define RAW_MAX_LEAD_NS INT64_C(60000000000) /* ns; an appended recording that began later than this within its frame is not moved to the frame's begin */
#define RAW_BEHIND INT64_C(1000000)           /* ns by which a frame may begin before the last times of the previous frame */
#define RAW_MAX_OVER_NS INT64_C(10000000000)          /* ns by which a thread may have times after the recording ended */
#define RAW_MAX_STEP_NS INT64_C(1000000000)          /* ns; a time this far after the previous one may be damaged: the next time decides */

/* message.c: measure the message at the beginning of the ${n} bytes at ${p}; *${size}: its length if it is whole. */
enum raw_state raw_measure(const struct raw_layout *l, const uint8_t *p, size_t n, size_t *size);
/* Measure it as if it were of that type. */
enum raw_state raw_measure_as(const struct raw_layout *l, unsigned type, const uint8_t *p, size_t n, size_t *size);
const char *raw_fields(unsigned type, unsigned rank);
void raw_sizes(const struct raw_layout *l, uint8_t size[RAW_TYPES]);
/* Size of a flow, which makes sense only if its kind does. */
static inline size_t raw_flow_size(const struct raw_layout *l) { return l->aligned ? 12 : 7; }
void raw_take_value(struct raw_take *t, struct unity_value *v);
const uint8_t *raw_take_stack(struct raw_take *t, unsigned *n);
void raw_take_category_pad(struct raw_take *t);

/* The facts of a session, that is, of a header and what follows it, that decoding needs. */
struct raw_session {
	uint32_t number;              /* from 0; logs may be appended to each other */
	struct raw_layout layout;
	uint8_t size[RAW_TYPES];      /* see raw_sizes() */
	uint64_t main;                /* thread id of the main thread */
	uint64_t main_as;             /* id of the main thread in the model: that of the first log's main thread; see raw_tid() */
	bool main_again;              /* true: an earlier log has blocks of the main thread */
	uint32_t ncut;                /* number of earlier logs without an end */
	bool main_sure;               /* true: the main thread has the right name, or the thread with that name took its place */
	/* Facts about the input, known at its end: it has the main thread, frames of some thread, blocks of threads, blocks of definitions. */
	bool main_there, framed, used, defined;
	bool main_wrong;              /* true: the header names a wrong main thread; see raw_settle_main() */
	size_t unnamed;               /* index + 1 of its only stream with blocks of a thread without a definition; 0: no such stream, SIZE_MAX: several */
	bool has_named;               /* true: a thread has the main thread's name */
	uint64_t named;               /* id of the first such thread */
	uint64_t at;                  /* offset of the header in the file */
	uint64_t mult;                /* ns = ticks * mult >> shift, by tt_clock_ratio() */
	unsigned shift;
	int64_t zero;                 /* ns at ts = 0 */
	int64_t began;                /* ts of the session's first state, frame or sample */
	bool stated;                  /* true: ${began} is that of a state, and earlier events of threads belong to an earlier recording */
	uint32_t first_frame;         /* if stated: number of the frame in which the state was written */
	bool state_wrong;             /* see struct raw_start */
	int64_t stopped;              /* time of the last state that ends recording; INT64_MAX: not known */
	struct unity_markers marker;
	const char *categories;       /* see struct unity_version */
	bool wide_known;              /* true: layout.wide is known */
	bool poor;                    /* true: most of its first bytes make no sense by any layout */
	struct tt_fit_log fit;        /* fit of the log in this reading */
};

/*
 * Return the thread id in the model. The main threads of all logs are one thread, whose frames are those of the capture; a later run of the program has
 * another id for its main thread. A thread that has the model's main id in such a log gets the id that becomes free.
 */
static inline uint64_t
raw_tid(const struct raw_session *s, uint64_t id)
{
	return id == s->main ? s->main_as : id == s->main_as ? s->main : id;
}

/* Return the size of a sample with one value of fixed size, if such a sample is whole in the ${n} bytes at ${p}; else 0. */
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

/* True if the time is set and plausible. */
static inline bool
raw_is_sane(int64_t t)
{
	return t > INT64_MIN / 2 && t < INT64_MAX / 2;
}

/* Return the time of the message at ${p}, a frame's mark or a sample. */
static inline int64_t
raw_time_of(const struct raw_session *s, const uint8_t *p)
{
	const unsigned at = s->layout.aligned ? 4 : 2;

	return raw_ns(s, unity_u64(p + at + (unity_u16(p) == RAW_FRAME ? 4 : s->layout.aligned ? 8 : 5)));
}

/* Return the time at which the thread ended, as the message at ${p} says. */
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
	RAW_P_GAP = 1,                /* blocks of the stream are missing before the piece, so it begins with a message, and a carry is dropped */
	RAW_P_LOST = 2,               /* as RAW_P_GAP, or frames are missing: their numbers jump */
	RAW_P_FRAME = 4,              /* a frame's mark, which has a block of its own */
	RAW_P_CUT = 8,                /* the file ends in the piece */
	RAW_P_PAUSED = 16,            /* a frame's mark before which recording paused */
	RAW_P_ALONE = 64,             /* the stream has marks in blocks of their own */
	RAW_P_BACK = 32,              /* a frame's mark whose number is not higher than that of the previous mark in the recording */
};

/* walk.c: a walk through the messages of a chunk, used by the search for the chunk's end and by its decoder. */
struct raw_walk {
	const struct raw_session *s;
	const uint8_t *fixed;         /* by type: the size of types of fixed length that only threads have; all 0 in the session's stream */
	const struct raw_piece *piece;
	uint64_t id;                  /* id of the stream */
	bool session;                 /* true: the stream is the session's */
	uint32_t i, n;                /* the present piece; the number of pieces */
	const uint8_t *p;             /* the present message */
	const uint8_t *end, *all;     /* the end of the piece; the end of the consecutive pieces */
	size_t size;                  /* bytes of the message, or bytes that were given up */
};
enum raw_step {
	RAW_MESSAGE,                  /* a whole message of w->size bytes at w->p; add the size to move on */
	RAW_DROPPED,                  /* w->size bytes made no sense */
	RAW_REST,                     /* the last message, at w->p, is not whole */
	RAW_OVER,
};
/* Begin at piece ${from} of the stream ${id}, whose bytes are at ${p}. */
void raw_walk(struct raw_walk *w, const struct raw_session *s, uint64_t id, const struct raw_piece *piece, uint32_t from, uint32_t n, const uint8_t *p);
enum raw_step raw_walk_next(struct raw_walk *w);
/* Give up the message at w->p: w->size becomes the number of bytes left in its block. */
void raw_walk_drop(struct raw_walk *w);

/* Name and group of a thread, in the capture's arena; NULL: no text. */
struct raw_name { const char *text, *group; uint32_t n, ngroup; };

/* The head at the beginning of a chunk's bytes. */
struct raw_head {
	struct raw_session s;
	uint64_t stream;
	uint32_t root;                /* the marker at the root of the thread's frames, or UNITY_NO_MARKER */
	uint32_t npiece;
	size_t n, front;              /* bytes of all pieces; offset of the first piece */
	uint32_t flags;               /* enum raw_head_flag */
	int64_t since, until;         /* a first time before ${since} is wrong unless the next one is, too; all times after ${until} are wrong */
	int64_t after;                /* see struct raw_stream.carry_after */
	int64_t before;               /* see struct raw_stream.last_ts */
	int64_t resumed[RAW_RESUMES]; /* times after ${before} from which recording goes on after a pause, or begins: zones end there */
	uint32_t nresumed;
	struct raw_name named;        /* name of the thread, if its id is reused and its message does not say when it registered */
};
enum raw_head_flag {
	RAW_H_FIRST = 1,              /* the stream's first chunk in this session */
	RAW_H_NEW_THREAD = 2,         /* from here on the id belongs to another thread */
	RAW_H_ENDS = 4,               /* after the chunk the id belongs to yet another thread */
	RAW_H_GOES_ON = 8,            /* with RAW_H_FIRST: the thread continues one of an earlier log */
	RAW_H_AFTER_CUT = 16,         /* with RAW_H_FIRST: the thread's last events in an earlier log may be missing */
};

/* A registration that waits: the id still belongs to an earlier thread, perhaps for long. */
struct raw_naming {
	int64_t from;                 /* ns at which the thread registered; INT64_MIN: the message does not say when */
	uint64_t at;                  /* offset of the message's block in the file */
	uint64_t hash;                /* see struct raw_stream.name */
	struct raw_name own;
	bool bound;
	uint32_t next;                /* next registration of the stream, or next free entry: index + 1 */
};

/* A stream of one session. */
struct raw_stream {
	uint64_t id;
	uint32_t session;
	/* From its ThreadInfo; kept across readings. */
	bool named, bound;            /* bound: it marks frames, each with a root sample that has its name */
	uint64_t name;                /* hash of the thread's name */
	struct raw_name own;          /* the thread's name, if the message does not say when it registered */
	const char *full;             /* the name with its group and anything after a NUL, in the capture's arena; NULL: not kept */
	uint32_t nfull;
	uint64_t defined_at;          /* offset of the block with its ThreadInfo */
	uint32_t leader;              /* marker of the sample that begins after its first mark; UNITY_NO_MARKER: no sample, or not read yet */
	bool awaits_leader;           /* true: the next block has the leader */
	uint64_t longer;              /* hash of the name with the bytes that it seems to lack: raw_count_lacking(); 0: it lacks none */
	bool looked, renamed;         /* looked: the name was checked for damage; renamed: it is damaged, as its root is ${leader} */
	int64_t start;                /* ns at which the first thread with the id began; INT64_MAX: not known */
	uint64_t tid;                 /* see raw_tid(); set with the first chunk */
	bool placed, goes_on;         /* placed: goes_on is known; goes_on: true if its thread continues one of an earlier log, with the same id and name */
	bool after_cut;               /* true: the last log with that id (if there is none, the previous log), or a later one, has no end */
	/* Valid for this reading only. */
	bool met;                     /* true: its ThreadInfo was read */
	uint32_t naming, naming_last; /* first and last registration that waits: index + 1; 0: none waits */
	int64_t ended;                /* time of its last message, if that reports the thread's end; else INT64_MIN */
	uint64_t ended_at;            /* offset of the block of that message */
	bool may_end;                 /* true: a block of it in the segment ends like such a message */
	bool reused;                  /* true: another thread had the id before */
	bool has_names;               /* true: its id was also registered with another name */
	bool seen, delivered, framed;
	bool begun;                   /* true: in an appended log, its events from before the recording were left out */
	bool other;                   /* true: the next blocks belong to another thread */
	size_t pause;                 /* index in raw.pause of the first pause after the last frame delivered */
	uint32_t block;               /* number of the next block */
	uint32_t frame;               /* number of the last frame */
	int64_t frame_ns;             /* time of the last frame */
	uint32_t first_block, first_frame;    /* numbers of its first block and frame */
	uint64_t at, last_at;         /* offsets of its first and its last block in the file */
	bool has_more;                /* true: it has more than one block */
	uint8_t *carry;
	size_t ncarry, capcarry;
	uint64_t carry_at;
	uint32_t carry_flags;         /* enum raw_piece_flag */
	int64_t carry_after;          /* time of the message before the carry, if the carry's own time is doubtful; else INT64_MIN */
	int64_t last_ts;              /* time of the last delivered message with a time; INT64_MIN: none yet */
	uint32_t first, last;         /* first and last of its blocks in the segment: index + 1; 0: no blocks */
};

/* How sessions with the same version and packing in the header are read. */
struct raw_choice {
	uint32_t word;
	bool said_aligned;            /* true: the headers say that messages are aligned */
	bool aligned;                 /* true: messages are aligned, by the evidence of the blocks */
	bool told;                    /* true: an earlier session was read the same way, so nothing more is printed */
	const struct unity_version *version;
	const char *categories;       /* see struct unity_version */
	struct unity_trial trial;     /* result of trying the layout of that version */
};

/* When a session begins. */
struct raw_start {
	int64_t ts;
	bool wrong;                   /* true: the ProfilerState that begins the recording has a damaged time */
	bool stated;                  /* true: ts is that of a ProfilerState */
	uint32_t frame;               /* if stated: number of the frame in which it was written */
};

/* A place where recording continues after a pause. */
struct raw_pause { uint64_t ticks; uint32_t session; };

/* A block of the segment; off, len: place of its payload. */
struct raw_block { uint32_t off, len, flags, next; };

struct raw {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_capture *cap;
	struct tt_window win;
	const struct unity_version *version;
	const struct unity_version *as;       /* a trial: the first session is read by this layout; else NULL */
	bool as_aligned;              /* a trial: messages are aligned */
	struct unity_votes votes;     /* evidence found in a trial */
	struct raw_choice choice[RAW_CHOICES];
	unsigned nchoice, ntrial;
	uint64_t tried_at;            /* offset of the last session whose layout was tried */

	struct raw_session *session;
	size_t nsession, capsession;
	size_t now;                   /* the session being read */
	size_t main_from;             /* index + 1 of the first session with blocks of its main thread; 0: none so far */
	uint64_t first;               /* offset of the first block */
	struct raw_start start;       /* begin of the sessions with headers up to the offset ${start_to}; see raw_find_start() */
	uint64_t start_to;
	struct raw_stream *stream;
	size_t nstream, capstream;
	struct tt_map stream_at;      /* by session and id */
	struct tt_map thread_at;      /* by tid: the last placed stream */
	size_t met;                   /* index of the stream that was asked for last */
	struct raw_naming *naming;    /* registrations of this reading */
	size_t nnaming, capnaming;
	uint32_t naming_free;         /* first free entry in naming: index + 1 */
	struct unity_known known;
	bool read;                    /* true: the input was read to its end once */

	/* The segment: its bytes, its blocks, its streams in order. */
	uint64_t at, seq;
	uint64_t from, len;
	uint64_t base;                /* offset at which bytes for a whole segment were last requested; consecutive short logs share them */
	const uint8_t *p;
	struct raw_block *block;
	size_t nblock, capblock;
	uint32_t *order;
	size_t norder, caporder, next;
	struct tt_loss loss;          /* losses found in the segment, delivered with its first chunk */
	uint64_t nattributed;         /* number of losses in ${loss} that are counted for the present session's log already */
	struct tt_fit_log *log;       /* ${nlog} logs in the capture's arena, once the input was read to its end */
	size_t nlog;
	bool ended;                   /* the input has ended */
	bool flushing;                /* true: carries that nothing continues must still be delivered, as the input or the session has ended */
	size_t flush_at;              /* index of the next stream to be flushed */
	size_t flushed;               /* number of streams, in the order of sessions, that are known to have no such carry */
	bool enabled, any_state;      /* enabled: profiling is on; any_state: a state was read */
	uint64_t state_ticks;         /* time of the last state, in ticks */
	/* Numbers of frames in this session: in its last message that recording stops, and the last of the main thread and of any thread. */
	struct raw_frames_seen { bool stopped, main, any; uint32_t stop, last_main, last; } frames;
	struct raw_pause *pause;      /* in order, none of a session before those of an earlier one; kept across readings */
	size_t npause, cappause;
	int64_t latest;               /* latest time of the main thread; INT64_MIN: none yet */
	/*
	 * Begin of the frame in which the recording of session ${lead_of} began: the main thread's last root or mark by then, or its first time. If it is the
	 * recording's begin, that frame had ended.
	 */
	int64_t lead;                 /* INT64_MIN: no time of the main thread was read yet */
	bool lead_known;              /* true: times after the recording's begin were read */
	bool in_old_frame;            /* true: the last mark before it is at least two frames older, so its root belongs to an earlier recording */
	uint32_t lead_of;
	int64_t first_lead;           /* lead of session 0, if ${lead_of} is a later session */
	int64_t earlier_ns;           /* ns by which events of an appended log precede its recording and are left out; 0: no such events */
	uint64_t *block_seen[RAW_SEEN_PAGES]; /* pages of RAW_SEEN_PAGE identities of blocks in this reading, by stream and number; NULL: page not used yet */
};

/* Return the offset of the block in the file. */
static inline uint64_t
raw_block_at(const struct raw *m, const struct raw_block *b)
{
	return m->from + b->off - RAW_BLOCK_HEAD;
}

/* reader.c: the reader's functions for a trial, which reads the first session by the layout of ${v}, packed or aligned, and prints nothing. */
extern const struct raw_trial {
	int (*open)(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, const struct unity_version *v, bool aligned, struct raw **m,
	    struct tt_err *err);
	int (*next)(void *ctx, struct tt_chunk *c, struct tt_err *err);
	int (*decode)(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err);
	void (*close)(void *ctx);
} raw_trial;

/*
 * choose.c: choose how to read the session whose header at ${at} has the version ${word} and packed or aligned messages. Afterwards the segment's bytes are
 * no longer in memory.
 */
int raw_choose(struct raw *m, uint64_t at, uint32_t word, bool aligned, struct raw_choice *chosen, struct tt_err *err);

/* header.c: return the header's length: that of the version, unless the first block begins where a header of the other length would end. */
size_t raw_head_size(const uint8_t *p, size_t n);
/* Make a session from the header at ${p}; *${size}: the header's length. */
int raw_take_head(const struct raw *m, const uint8_t *p, size_t n, struct raw_session *s, size_t *size, struct tt_err *err);

/* blocks.c */
int raw_open_head(struct raw *m, uint64_t at, struct tt_err *err);
struct raw_stream *raw_stream(struct raw *m, uint64_t id, struct tt_err *err);
/* Take blocks from the input until there are enough of them. TT_END. */
int raw_take_segment(struct raw *m, struct tt_err *err);
/* If the header names another main thread than the thread with its name, replace it by that thread. Call with the segment's blocks and definitions known. */
void raw_settle_main(struct raw *m);
/*
 * At the end of the input, count headers whose main thread is missing, logs without definitions, and main threads' first and last blocks that ended up in
 * streams of their own; find what remains unknown without definitions.
 */
void raw_end_sessions(struct raw *m);

/* Move the losses found so far to a chunk. */
void raw_hand_losses(struct raw *m, struct tt_loss *to);

/* A session ends at ${at}: count frames after its last one as missing if its last message that recording stops has a later number. */
void raw_miss_tail(struct raw *m, uint64_t at);

/* start.c: find when the first session began; that becomes time 0. */
int raw_find_zero(struct raw *m, struct tt_err *err);
/*
 * Find when the session ${s} began, whose blocks begin at ${from}; if it has no times, use the first later session with times. *${to}: the offset of the last
 * header up to which each session has the same answer, if its zero is the same.
 */
int raw_find_start(struct raw *m, const struct raw_session *s, uint64_t from, struct raw_start *start, uint64_t *to, struct tt_err *err);

/*
 * Find *${ts}, the begin of the main thread's frame in which the recording of ${s} began, at ${began} or earlier. The blocks of ${s} begin at ${from}. Roots
 * are not known yet and may later show a later begin.
 */
int raw_find_lead(struct raw *m, const struct raw_session *s, uint64_t from, int64_t began, int64_t *ts, struct tt_err *err);

/* chunks.c */
int raw_next(void *ctx, struct tt_chunk *c, struct tt_err *err);
void raw_prefetch(void *ctx);
/* Prepare to read the next session, ${number}: find its lead. */
void raw_begin_lead(struct raw *m, uint32_t number);

/* roots.c: examine the block after the first mark of ${st}. */
void raw_see_first_sample(const struct raw_session *s, struct raw_stream *st, const uint8_t *p, size_t n);
/* Return the marker at the root of the thread's frames, or UNITY_NO_MARKER. */
uint32_t raw_root_of(const struct raw *m, struct raw_stream *st);
/* True if the name of the marker st->leader differs from the thread's in one bit, *${bit} of st->full. */
bool raw_is_almost_named(const struct raw *m, const struct raw_stream *st, uint32_t *bit);

/* width.c: find the width of instance ids in the blocks of the segment, if the session's layout leaves it open. */
void raw_find_width(struct raw *m);

/* heed.c: take in the definitions in a chunk of the session's stream. */
int raw_heed(struct raw *m, uint32_t session, struct raw_walk *w, uint64_t seq, struct tt_err *err);
/* Take in a registration of the thread ${id} at the beginning of its own block: the ${n} bytes at ${p} of the block at ${at}. */
int raw_heed_own(struct raw *m, uint64_t id, const uint8_t *p, size_t n, uint64_t at, struct tt_err *err);

/* reuse.c: handles ids of threads that the system reuses. A thread registers under the id of ${st}, which belongs to another thread, or registers anew. */
int raw_name_waits(struct raw *m, struct raw_stream *st, const struct raw_naming *x, struct tt_err *err);
/* True if another thread may begin in the stream's blocks of the segment. If no thread ends there, a registration without a time takes effect at once. */
bool raw_may_change(struct raw *m, struct raw_stream *st);
/*
 * Find where another thread with the stream's id begins: the first of the ${n} pieces that begins with a message and either has a first time not before that
 * thread's, or follows a message that the old thread ended. ${n}: there is no change. *${naming}: the registration that takes effect there.
 */
uint32_t raw_find_change(struct raw *m, struct raw_stream *st, const struct raw_piece *piece, uint32_t n, const uint8_t *p, uint32_t *naming);
/* Let the registration ${naming} take effect; 0: the last one that waits. */
void raw_change(struct raw *m, struct raw_stream *st, uint32_t naming);

/* times.c; and raw_stamp() */
struct raw_run;
/* Find the first time in the messages from ${w} on. */
bool raw_first_time(const struct raw_run *r, struct raw_walk w, int64_t *ts);
/* Find the first time, corrected if it is wrong. */
bool raw_first_right_time(const struct raw_run *r, struct raw_walk w, int64_t *ts);
/*
 * True if the message at ${p}, in the chunk of ${h}, is the mark of a frame of the recording but has an earlier time, which is then wrong. The evidence is
 * the thread's next mark with the next number, as an earlier recording may have had higher numbers.
 */
bool raw_is_early_mark(const struct raw_head *h, const uint8_t *p);
/* Count the messages from ${w} on that are earlier than the recording, up to the first one in it. */
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
	const struct raw_walk *w;     /* the walk, at the message being decoded */
	uint64_t at;                  /* offset of the present block in the file */
	int64_t last, call_ts, from;  /* time of the last message; of the last begin or end; the earliest of these as stored in the file */
	uint64_t calls;
	bool special[RAW_SPECIAL];    /* by id modulo RAW_SPECIAL: true if such a marker is more than a zone */
	bool emptied;                 /* true: the zones open before the chunk were closed in it */
	size_t rooted;                /* number of events before the last root that began in the chunk */
	size_t rooted_stray;          /* number of strays before that root */
	bool in_root;                 /* true: the root has not ended, and nothing is missing since */
	struct raw_alone { uint64_t key; bool whole, spans; } alone[RAW_ALONE];       /* markers of ends whose begin may be damaged */
	unsigned nalone;
	/* Ends without a begin that may belong to the zone whose begin is event ${of}; ${key}: the end's own key, or the zone's once that is found. */
	struct raw_other { const uint8_t *p; uint64_t key; uint32_t of; } other[RAW_ALONE];
	unsigned nother;
	uint32_t ends;                /* the present message counts as an end of this marker, whatever it says; or UNITY_NO_MARKER */
	size_t begun, nlooked;        /* begun: index + 1 of the last zone or allocation among the first ${nlooked} events; 0: not searched yet */
	bool skims;                   /* true: no zones are wanted; see TT_SKIM */
	uint64_t in_line;             /* if skims: see raw_ticks_in_line() */
	/* While the last time is ${caught}, times from ${behind} on are right, because a frame began a little earlier. */
	int64_t caught, behind;
	bool damaged_any;             /* true: a block of the chunk was counted as damaged */
	uint64_t damaged_at;          /* offset of the last block counted as damaged */
	bool odd_time, searched;      /* odd_time: a time made no sense; searched: raw_find_odd() was called */
	bool before_odd;              /* true: the last time before the chunk is wrong */
	bool mending;                 /* true: the present message has the corrected time mended_ts */
	int64_t mended_ts;
	/* Messages with corrected times; or, if ${ends} is not UNITY_NO_MARKER, ends that belong to another marker than they say. */
	struct raw_odd { const uint8_t *p; int64_t ts; uint32_t ends; } odd[RAW_ODD];
	unsigned nodd;
	size_t alloc;                 /* index + 1 of the allocation that a stack may follow */
};

/*
 * Read the time of a message. False, with odd_time set, if it makes no sense. A time before the end of the last log is counted and becomes that end; so does
 * a time where a frame begins a little before the last time of the previous frame.
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

/* unknown_lengths.c: add to ${into} what the rest of the block, ${n} bytes, tells about the length of the message at ${p}, whose type is unknown. */
void raw_look_behind(const struct raw_run *r, const uint8_t *p, size_t n, struct tt_lengths *into);

/* typed.c: true if the message at w->p, in a thread's stream, has the bytes of another type: its type is damaged. */
bool raw_is_retyped(struct raw_run *r, const struct raw_walk *w);

/* alone.c: handle the end of a zone of ${key} that is neither open in the chunk nor from before it. */
int raw_end_alone(struct raw_run *r, int64_t ts, uint64_t key);
/* Decide at the chunk's end which of these ends prove that a begin is damaged. */
void raw_settle_alone(struct raw_run *r);
/* Find the ends with a damaged marker, *${n} of them, before raw_settle_alone(). True if there are any. */
bool raw_find_others(struct raw_run *r, struct raw_other found[RAW_ALONE], unsigned *n);

/* row.c: decode consecutive plain messages from ${w} on. Stops before any other message and before one that is unusual. */
void raw_row(struct raw_run *r, struct raw_walk *w);
/* Do the same if no zones are wanted: only the order of times is checked, in ticks. */
void raw_skim_row(struct raw_run *r, struct raw_walk *w);
/* Return the ticks by which a message may follow the previous one without a further check: less than RAW_MAX_STEP_NS, whatever the rounding. */
uint64_t raw_ticks_in_line(const struct raw_session *s);

/* scrub.c: tt_format.scrub */
extern const struct tt_format tt_format_raw;
int raw_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err);

/* define.c: a message of definitions. */
int raw_define(struct raw_run *r, unsigned type, struct raw_take *t);
/* Define the name of the chunk's thread from ${ts} on, if the name is in the head. */
int raw_define_reused(struct raw_run *r, int64_t ts);
const char *raw_tag_name(unsigned tag);

#endif
