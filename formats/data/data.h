/**
 * The reader of .data, what Unity's Editor saves of its Profiler window, and 5.x players write. Layout and versions: tracetool-unity-data(7).
 *
 * How the data flows:
 *
 *	file ─ data_records.c: next ─ records ─ data_walk.c: their threads and definitions ─ per thread: its part of each record ─ chunk
 *	                                                                                                                              │
 *	chunk ─ data_decode.c (any worker)                                                                                            │
 *	      ├ data_samples.c, plain_samples.c, check.c ─ events of samples                                                          │
 *	      └ data_define.c ─ definitions                                               unity/known.c: what definitions mean ─ head of the chunk
 *
 * The file is a sequence of records, one for each frame, and a word for the end. A record says its size, and holds all threads one after the
 * other, with the tree of samples of each; where a thread ends is known only to whoever walks over it. So next takes records until they are
 * DATA_SEGMENT long, walks over each, which also proves it by its end mark, and makes one chunk of definitions and one for each thread, or
 * several of whole pieces where they are more than DATA_CHUNK bytes together. A chunk's bytes are a struct data_head and a struct data_piece for
 * each record; the pieces' own bytes lie in the segment, which the chunk keeps, or come after these. A record that makes no sense costs its frame.
 * Memory is bounded by the longest record, the definitions, and 20 bytes or so for each frame, by which one that is there twice is known.
 *
 * Samples come whole, with begin and duration, so no zone is open between records. Markers have ids since 2022.2, and are defined where they
 * are first used; before, each sample says its name, and the key is a hash of it.
 *
 * The files beside those above:
 *
 *	data_reader.c                   the registry's entry: recognise, open, rewind, close
 *	data_choose.c                   the layout of records, by evidence
 *	begin.c                         whether the first records are missing
 *	threads.c, roles.c              which threads of two records are one; which markers are only zones
 *	frame_times.c                   when a frame began, and what is missing before it
 *	list.c                          lists of a thread's samples, in order
 *	data_scrub.c                    the copy without names
 *
 * Times are ns from the begin of the first record.
 */
#ifndef TT_DATA_DATA_H
#define TT_DATA_DATA_H

#include "base/map.h"
#include "data/layout.h"
#include "io/window.h"
#include "model/format.h"

enum { DATA_SEGMENT = 1 << 20, DATA_CHUNK = 1 << 16 };

/*
 * Limits in ns: times further than this from where they belong are damage. No real capture was available to measure how exact Unity's times are, so the limits
 * are far above what rounding causes.
 */
enum { DATA_APART = 1000000, DATA_MAX_RUNON_NS = 1000000000 }; /* overlap of samples of a thread; overlap of the main thread's samples with its next frame */
/* distance of a frame's start from its first sample; distance of other threads' samples and of the GPU's work after their frame */
#define DATA_FARTHEST INT64_C(10000000000)
#define DATA_MAX_OVER_GPU_NS INT64_C(1000000000)      /* excess of a sample's work on the GPU over ten times that of its frame */
#define DATA_OLD INT64_C(3600000000000)       /* distance of other threads' samples before their frame, as they may have waited long */

/* data_walk.c: one thread of a record; each list has its beginning and its length. */
struct data_thread {
	const uint8_t *from, *end;    /* all bytes of the thread */
	uint64_t id;                  /* 0 if the version has no thread ids */
	const char *group, *name;
	uint32_t ngroup, nname;
	const uint8_t *sample, *gpu, *instance, *gc, *marker, *value, *stack, *flow;
	uint32_t nsample, ngpu, ninstance, ngc, nvalue, nstack, nflow;
};

/* The size of an entry of a list. */
static inline unsigned data_sample_size(const struct data_layout *l) { return l->rank >= 11 ? 20 : l->rank >= 6 ? 16 : 12; }
static inline unsigned data_instance_size(const struct data_layout *l) { return l->rank >= 12 ? 12 : 8; }
static inline unsigned data_stack_size(const struct data_layout *l) { return 4 + DATA_STACK * (l->rank >= 8 ? 8 : 4); }
#define DATA_NO_ANCHOR UINT32_MAX             /* marks GPU work that no zone requested */
enum { DATA_GPU_SIZE = 12, DATA_GC_SIZE = 8, DATA_FLOW_SIZE = 12 };

/* Walk over the thread at t->p; set t->bad if there is no thread. */
void data_walk_thread(const struct data_layout *l, struct data_take *t, struct data_thread *th);

/* A section of a record: its bytes, beginning with its count; sections of names begin after the count. */
struct data_section { const uint8_t *p; size_t n; };
enum { DATA_NAMES = 3 };

struct data_record {
	uint32_t id;                  /* number of the frame */
	uint64_t start;               /* ns; before 2019.3, until data_set_start(), the lower 32 bits of the time in us */
	uint32_t cpu_us, gpu_us;
	uint32_t mask;                /* UINT32_MAX before 2019.3, when frames had no mask */
	bool has_samples;             /* true: a thread has more samples than its root */
	struct data_section stats, markers, threads, code, categories;
	struct data_section names[DATA_NAMES];         /* names of played sounds and of drawn parts of the UI; 0: no names */
	uint32_t nthread;
	bool short_of;                /* true: the sections after the threads make no sense */
};

/* Walk over the record of ${n} bytes at ${p}; keep its first threads. False: it makes no sense in this layout. */
enum { DATA_KEPT = 64, DATA_HEAD = 56 };
bool data_walk(const struct data_layout *l, const uint8_t *p, size_t n, struct data_record *r, struct data_thread kept[DATA_KEPT]);

/* Take a frame's number, times and mask from the first DATA_FRAME_BYTES of a record; set t->bad if these are not complete. */
enum { DATA_FRAME_BYTES = 40 };
void data_take_frame(const struct data_layout *l, struct data_take *t, struct data_record *r);
/* True if the frame is marked as one without data. */
static inline bool data_is_placeholder(const struct data_record *r) { return r->mask == 0 && r->cpu_us != 0; }

/* A marker of the section of markers. */
/* The marker has nparam values, whose types and names take nparams bytes. */
struct data_marker { uint32_t id, flags, category, nname, nparam, nparams; const char *name; const uint8_t *params; };
void data_take_marker(struct data_take *t, struct data_marker *m);
/* Take what a sample has in place of a marker's id before 2022.2. False: the sample is a root. */
bool data_take_named(const struct data_layout *l, struct data_take *t, struct data_marker *m);
struct data_code { const char *name; uint32_t nname; uint64_t start, size; };
void data_take_code(const struct data_layout *l, struct data_take *t, struct data_code *c);
const char *data_take_category(const struct data_layout *l, struct data_take *t, unsigned *id, unsigned *color, uint32_t *n);

/* --- chunks --------------------------------------------------------------------------------------------- */

enum data_kind { DATA_THREAD, DATA_MARKERS, DATA_CODE, DATA_CATEGORIES };

struct data_piece {
	uint64_t at;                  /* offset in the file */
	const uint8_t *p;             /* the piece's bytes, in the chunk or in the segment */
	uint32_t len, nstats;         /* number of these bytes; the first nstats are the statistics, the rest is a thread */
	int64_t start, gap;           /* start of the frame; begin of the gap, if something is missing between the previous frame and this one */
	int64_t first, most;          /* begin of the thread's first sample, INT64_MAX without samples; no sample ends after ${most} */
	uint32_t kind, id;            /* enum data_kind; number of the frame */
	uint32_t gpu_us;
	uint32_t flags;               /* enum data_piece_flag */
	int64_t max_gpu_ns;           /* maximum ns of the GPU's work for a sample */
};
enum data_piece_flag {
	DATA_P_GAP = 1,               /* records are missing before the piece */
	DATA_P_EMPTY = 2,             /* the frame is a placeholder, or has no threads */
	DATA_P_BAD_GPU = 4,           /* the frame's own GPU time is too long */
	DATA_P_PAUSED = 8,            /* recording paused before the piece */
};

/* roles.c: the roles of the markers with numbers below ${n}. */
enum data_role { DATA_ZONE, DATA_SPECIAL, DATA_UNDEFINED };
struct data_roles {
	struct data_roles *before;    /* an earlier table */
	uint32_t n;
	bool beyond;                  /* true: higher numbers are defined, too */
	uint8_t of[];                 /* enum data_role, by number */
};

/* True if no record so far defines the marker. */
static inline bool
data_is_undefined(const struct data_roles *x, uint32_t id)
{
	return id < x->n ? x->of[id] == DATA_UNDEFINED : !x->beyond;
}

struct data_head {
	struct data_layout layout;
	const struct data_roles *roles;       /* since 2022.2; before, NULL */
	struct unity_markers marker;
	const char *categories;
	int64_t zero, ends;
	uint32_t npiece;
	uint32_t flags;               /* enum data_head_flag */
};
enum data_head_flag {
	DATA_H_FIRST = 1,             /* the thread's first chunk */
	DATA_H_MAIN = 2,              /* the thread that marks the frames */
	DATA_H_DEFINES = 4,           /* the chunk belongs to no thread: it has definitions */
	DATA_H_ENDS = 8,              /* the chunk is only the end of a thread, at ${ends} */
	DATA_H_LATE = 16,             /* see struct data.begins_late */
	DATA_H_USUAL = 32,            /* the main thread has its usual name, though perhaps not in its first frame */
	DATA_H_WHOLE = 64,            /* see struct data.whole */
};

/* The name of the thread that marks frames, which has no group. */
#define DATA_MAIN "Main Thread"

/* The identity of a record's thread: its id or, in versions without ids, its name; and its number among several such threads of the record. */
struct data_stream {
	uint64_t id, name;            /* hash of group and name */
	uint32_t nth;
	uint64_t tid;
	bool main, seen, ends;        /* ends: the thread that had its id before must end first */
	bool usual;                   /* true: it had the name DATA_MAIN in a record so far */
	bool holds;                   /* true: it is the last thread that had its id, or has a number made by the reader */
	uint32_t record;              /* number of the last record with it, + 1 */
	uint32_t twins;               /* number of other threads with its id and name in that record */
	uint32_t first, last;         /* first and last of its pieces in the segment: index + 1; 0: no pieces */
	bool values;                  /* true: samples in one of these pieces have values */
};

struct data {
	struct tt_env *env;
	struct tt_src *src;
	bool poor;                    /* true: most of the first records make no sense by any layout */
	struct tt_capture *cap;
	struct tt_window win;
	const struct unity_version *version;
	const char *built_in;         /* the release whose built-in categories the file uses; see struct unity_version */
	struct data_layout layout;
	int64_t zero;
	struct unity_known known;
	struct unity_markers marker;
	bool read;                    /* true: the input was read to its end once */

	struct data_stream *stream;
	size_t nstream, capstream;
	uint32_t main;                /* index + 1 of the main thread's stream */
	struct tt_map at_stream;      /* by id, name and nth */
	struct tt_map holder;         /* by id: the last stream whose thread had it */
	/* By place in a record: the stream of the last thread there, as index + 1, and its first bytes, which hold its id and names. */
	struct data_place { uint32_t stream, n; uint8_t head[DATA_HEAD]; } place[DATA_KEPT];

	/* The segment. */
	uint64_t at, seq, from;
	const uint8_t *p;
	size_t held;                  /* bytes of the segment; 0: a chunk keeps them */
	struct data_thread kept[DATA_KEPT];   /* first threads of the last record walked over */
	struct data_part { struct data_piece piece; const uint8_t *stats; uint32_t next; } *part;
	size_t npart, cappart;
	uint32_t *order;              /* the streams of the segment */
	size_t norder, caporder, next;
	uint32_t defines, defines_last;       /* first and last piece of definitions: index + 1 */
	struct tt_loss loss;
	bool ended, end_seen;

	/* Kept from earlier records. */
	uint32_t record;              /* number of earlier records */
	uint64_t start;               /* ns; start of the last record */
	uint32_t cpu_us, id;
	uint64_t busy;                /* ns; begin of the main thread's last sample, or the frame's start */
	uint32_t njoined, nlater;     /* njoined: frames that begin at the end of the previous one; nlater: frames that begin later, and have the next number */
	uint32_t nrooted, nunrooted;  /* frames whose main thread's root begins with them; frames whose root does not */
	bool gap;                     /* true: something is missing before the next record */
	bool begin_checked;           /* true: data_check_begin() has its answer, or cannot get one */
	bool has_mask;                /* true: a frame has a mask that says it has data */
	uint64_t nmaskless, maskless_at;      /* frames with samples but no mask that are not counted as losses yet; offset of the first one */
	bool whole;                   /* true: each marker of a sample is surely defined, as the first samples' markers are, and nothing is missing since */
	struct data_roles *roles;     /* the last table */
	struct data_defined { bool *is; size_t n; bool beyond, fresh; } defined_ids;   /* contents of the next table; room for ${n} ids */
	bool begins_late;             /* true: frames are missing before the first one, and so are the markers that they define */
	uint32_t *defined;            /* until this is known: sorted ids of the markers defined so far */
	size_t ndefined, capdefined;
	struct data_frame { uint64_t start; uint32_t id; } *frame;    /* all frames, as stored in the file */
	size_t nframe, capframe;
	struct tt_map at_frame;
	uint64_t code, categories;    /* hashes of the last such sections, which may be repeated */
};

/* data_choose.c: choose m->layout and m->version, which initially are those of the file's version; *${t}: how well they fit. */
int data_choose(struct data *m, struct unity_trial *t, struct tt_err *err);
/* Choose the release whose built-in categories the file uses, by the samples of the first records. */
int data_choose_categories(struct data *m, struct tt_err *err);

/* data_records.c */
/* Walk over the record of ${n} bytes at ${p}, with or without the padding on which sources disagree. */
bool data_walk_any(struct data *m, const uint8_t *p, size_t n, struct data_record *r);
bool data_head_at(const struct data_layout *l, const uint8_t *p, size_t n, uint32_t *size);
int data_next(void *ctx, struct tt_chunk *c, struct tt_err *err);
void data_prefetch(void *ctx);

/* frame_times.c */
/* Return the begin of sample ${i} of ${th}; before 2019.3 the candidate nearest to ${near}. */
uint64_t data_sample_begin(const struct data_layout *l, const struct data_thread *th, uint32_t i, uint64_t near);
/*
 * Set the begin of the record's frame. Before 2019.3 the file has only its lower 32 bits in us: a record begins up to 70 minutes after the previous one, or
 * slightly before; the first one begins near time 0, which data_find_zero() finds.
 */
void data_set_start(const struct data *m, struct data_record *r);
/*
 * True if the frame's start is damaged; *${begin}: the frame's real begin. The main thread's root begins with its frame, and its first sample inside it. A
 * start ten seconds from that sample is damaged; so is a closer one, if the root or the sample begins exactly at the end of the previous frame, or the root
 * precedes the next frame, ${behind}, by the frame's duration. ${behind} may be NULL.
 */
bool data_start_is_wrong(const struct data *m, const struct data_record *r, const struct data_record *behind, uint64_t *begin);
/* Note whether the frame ${r}, which is read, and the root of its main thread begin together. */
void data_note_root(struct data *m, const struct data_record *r);
/* Take the start and the number of the record whose head is among the ${n} bytes at ${p}. False: there is no record. */
bool data_take_head(const struct data *m, const uint8_t *p, size_t n, struct data_record *r);
/* True if the record ${r}, whose start is as stored in the file, begins at the end of the last one. */
bool data_is_joined(const struct data *m, struct data_record r);
/*
 * True if the record ${r} is out of place: it does not begin at the end of the last frame, while the next record, ${behind}, does and has the next number,
 * and ${r} does not begin between the two.
 */
bool data_is_out_of_place(const struct data *m, const struct data_record *r, const struct data_record *behind);
/* Count losses between the last frame and ${r}, which is at the offset ${at}. Return flags of enum data_piece_flag. */
uint32_t data_look_before(struct data *m, const struct data_record *r, const struct data_record *behind, uint64_t at);
/* Record the frame; set *${again} if an earlier record had the same number and stored start. */
int data_repeats(struct data *m, uint32_t id, uint64_t start, bool *again, struct tt_err *err);
/* True if the start of ${r}, the last record walked over, contradicts its samples. Changes r->start. */
bool data_is_apart(const struct data *m, struct data_record *r);
/* Find the time of the first record. */
int data_find_zero(struct data *m, struct tt_err *err);

/* threads.c */
/* Return the index of the main thread among the kept threads of the record, which is the last one walked over. */
uint32_t data_find_main(const struct data *m, const struct data_record *r);
/* Find the stream of thread ${i} of this record: mostly that of thread ${i} of the previous record. */
int data_stream_of(struct data *m, uint32_t i, const struct data_thread *th, uint32_t *index, struct tt_err *err);
/*
 * Find the stream of the main thread of this record, which is the same in all records: its frames are those of the file, though an id or a name may be
 * damaged, or belong to another program.
 */
int data_main_stream(struct data *m, uint32_t i, const struct data_thread *th, uint32_t *index, struct tt_err *err);

/*
 * True if only definitions, frames and threads are wanted, and of samples only the names that values define; before 2022.2 each sample names its marker, so
 * none can be skipped.
 */
static inline bool
data_skims(const struct tt_capture *cap, const struct data_layout *l)
{
	return cap->skim && l->rank >= 11;
}

/* True if a marker has values that are names. */
static inline bool
data_has_labels(const struct unity_markers *k)
{
	return k->label[0] != UNITY_NO_MARKER || k->label[1] != UNITY_NO_MARKER;
}

/* True if a value of ${size} bytes may have this type. */
static inline bool
data_value_fits(uint32_t type, uint32_t size)
{
	static const uint32_t any = 0, size_of[] = { UINT32_MAX, 4, 4, 4, 8, 8, 4, 8, any, any, 12, any, 8, 8 };

	return type < sizeof size_of / sizeof *size_of && (size_of[type] == size || size_of[type] == any);
}

/* Take a duration at ${p} of at least 0 and less than 4e9 ns. False: it is outside these bounds. The bits of all other floats except -0 compare larger. */
static inline bool
data_ns(const uint8_t *p, float *ns)
{
	const uint32_t bits = unity_u32(p);

	memcpy(ns, &bits, 4);
	return bits < 0x4f6e6b28;
}

/* begin.c */
/*
 * Count definitions as lost if something is missing before the first record with samples, which is the record ${r} at the offset ${at}, or a later one. ${r}
 * is the last one walked over, and nothing before it is damaged.
 */
int data_check_begin(struct data *m, const struct data_record *r, uint64_t at, struct tt_err *err);

/* roles.c */
/* Note that a record defines the marker ${id}. */
int data_roles_define(struct data *m, uint32_t id, struct tt_err *err);
/* Make m->roles the table of all definitions so far. */
int data_roles_make(struct data *m, struct tt_err *err);
/* Free all tables. */
void data_roles_forget(struct data *m);

/* check.c */
/*
 * True if the samples of ${th} surely add up, in versions whose markers have ids, on the main thread after a sample that ends at ${last}. If false,
 * data_samples() decides.
 */
bool data_add_up(const struct data_thread *th, const struct data_piece *piece, int64_t zero, int64_t last);

/* data_decode.c */
int data_decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err);
const char *data_tag_name(unsigned tag);
enum data_tag { DATA_T_FRAME, DATA_T_THREAD, DATA_T_SAMPLE, DATA_T_GC, DATA_T_GPU, DATA_T_INSTANCE, DATA_T_VALUE, DATA_T_STACK, DATA_T_FLOW,
	DATA_T_MARKER, DATA_T_CODE, DATA_T_CATEGORY, DATA_TAGS };

/* The state of decoding one chunk. */
struct data_run {
	struct unity_run u;
	const struct data_head *h;
	int64_t last, from;           /* end of the last sample; earliest begin of a sample as stored in the file */
	uint64_t calls;
	struct data_level *level;     /* the open samples */
	size_t caplevel;
	uint64_t named[256];          /* by hash: markers without an id that this chunk defined */
};

static inline void
data_tally(struct data_run *r, enum data_tag tag, uint64_t n)
{
	r->u.b->nevent += n;
	if (r->u.b->tally)
		r->u.b->tally[tag] += (uint32_t)n;
}

/* data_scrub.c: tt_format.scrub */
extern const struct tt_format tt_format_data;
int data_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err);

/* data_define.c */
int data_define(struct data_run *r, const struct data_piece *piece);
/* Define a marker without an id; sets its key. */
int data_define_named(struct data_run *r, const struct data_marker *m, uint64_t *key, uint32_t *id);

#endif
