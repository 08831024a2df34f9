/**
 * One capture (one process): its facts, its threads, its definitions.
 */
#ifndef TT_MODEL_CAPTURE_H
#define TT_MODEL_CAPTURE_H

#include <stdbool.h>

#include "base/map.h"
#include "model/event.h"
#include "model/fit.h"
#include "model/filter.h"
#include "model/zones.h"

struct tt_defs;
struct tt_span;

struct tt_thread {
	uint64_t tid;                 /* the producer's id; reused after the thread ended */
	uint32_t process, generation;
	uint32_t index;               /* place in the thread table = number in outputs, less 1 */
	uint32_t next;                /* index + 1 of the next thread of this id; 0 none */
	uint32_t log;                 /* of several in one file, the one that names it; see TT_THREAD */
	bool started, ended;
	int64_t first_ts, last_ts;    /* of all its events; first > last: none */
	uint64_t nevent, ncall;       /* events; zones begun */
	uint64_t nalloc, alloc_b;
	int64_t hidden;               /* time of the Editor in the filter's time, which is left out */
	uint64_t open_at_end;
	struct tt_stack stack;        /* zones open between chunks */
	struct tt_short_zone { int64_t ts; size_t level; uint64_t key; } *short_zones;    /* see fold/short_zones.h */
	size_t nshort_zones, capshort_zones;
	/* set by tt_threads_name at the end of a run; never NULL */
	const char *group;            /* the engine's group; "" where it has none */
	const char *own, *full;       /* "Worker 0"; "Job.Worker 0" */
	const char *name;             /* as outputs have it: full where its process has the same own name in another group, else own */
	bool defined;                 /* a definition names it */
	bool in_groups;               /* of the first thread of an own name: it is there in several groups */
};

/* True if the "thread" is the GPU. It is not a thread of the system: it has no id there, and its time is not processor time. */
static inline bool
tt_thread_is_gpu(const struct tt_thread *t)
{
	return t->tid == TT_TID_GPU;
}

/*
 * Kinds of events that exist only if the recorder was asked for them. If a capture has none of a kind, their figure is
 * 0 if the recorder was asked, otherwise not known.
 */
enum tt_records {
	TT_REC_ALLOCS = 1, TT_REC_COLLECTIONS = 2, TT_REC_THROWS = 4, TT_REC_WAITS = 8, TT_REC_SAMPLES = 16, TT_REC_HANDLES = 32,
	TT_REC_FINALIZERS = 64, TT_REC_CODE = 128, TT_REC_SHOTS = 256,
};

/* Facts about a capture that formats fill in at open. */
struct tt_capture {
	const char *path;             /* as the user gave it */
	const char *title;            /* its name in outputs; NULL: made from its contents. Borrowed */
	const char *format;           /* name of the reader */
	const char *version;          /* of the file, for people: "data version 17 (profiler 3.0)" */
	const char *producer;         /* "Mono log profiler" */
	const char *arch, *os, *args; /* "" where unknown */
	const char *clock;            /* what the recorder took its times from; NULL where the format does not say */
	unsigned pointer_size;
	int64_t pid;
	uint32_t records;             /* enum tt_records: what the recorder was asked for, as far as the capture says */
	uint32_t undefined;           /* of these, kinds whose definitions are missing: none of their figures is known */
	uint32_t unless_named;        /* kinds that are undefined if any name is; set by the reader at the end of the input */
	const char *(*advice)(enum tt_records what);  /* the producer's option that records them, NULL: it has none; NULL: none known */
	uint32_t nested;              /* the recorder left out calls inside this many others; 0: it has no such limit */
	uint32_t process;             /* index among the inputs */
	uint8_t recording[16];        /* the same in all files of one recording; zeros: it has this one alone */
	uint32_t part;                /* which of them it is, from 0; the first one, where several are read as one */
	uint32_t part_last;           /* the last of these */
	bool more_follow;             /* another one follows that is not read; set at the end of a run */
	int64_t wall_ns;              /* wall clock at start, since 1970; 0 unknown */
	int64_t file_ns;              /* where that is unknown, when its file was last changed; 0: that is not to be taken for it */
	int64_t zero_ns;              /* event clock at ts = 0 */
	int64_t start_ns;             /* event clock at the header's start; zero_ns where unknown */
	bool from_zero;               /* recording began at ts = 0, in a frame that had begun ${lead_ns} before: what is earlier than that frame belongs
	                                 to an earlier recording */
	int64_t lead_ns;              /* not negative; set at the end of a reading */
	int64_t appended_earlier_ns;  /* how long before its recording a log appended to another has something, which the reader leaves out; 0; likewise */
	bool has_frames;              /* frame marks may be in the file */
	bool marked;                  /* and some are; set by a run that reads events */
	bool framed;                  /* and there is one from one mark to the next; likewise */
	bool flight;                  /* the recorder held the last seconds only, and wrote them now and then ... */
	struct tt_span *kept;         /* ... all threads of these spans, in order, one for each time; of some threads there is more. Without
	                                 flight: of the recording itself, where threads have something from before it; see from_zero */
	size_t nkept;
	bool skim;                    /* set by the run: this reading is after definitions, threads and frame marks alone */
	bool instruments;             /* the format's zones are calls instrumented one by one */
	bool code_alone;              /* only markers with code are methods, whatever the keys of others are */
	bool distorts;                /* and there are some: times are relative; set at the end of a run */
	bool ends_recorded;           /* the format records the end of every thread: one without says the producer was killed */
	bool clean_end;               /* set at the end of a run */
	int end_mark;                 /* the format has a mark of its own for the end: 1 seen, -1 not; 0: it has none */
	uint64_t read_to;             /* where the reader ended, if not where its last chunk does; 0: it does not say */
	bool running;                 /* its program still runs, and records; set at the end of a run */
	bool all_recorded;            /* all that was recorded is there, whether the producer ended cleanly or not */
	const char *ring;             /* the capture did not end, and names this file of its recorder, which has the rest as long as it is there; or NULL */
	bool old_roots;               /* roots have a kind, not a slot, and come in the collection before the shot begins */
	bool hides_pauses;            /* collections are recorded, but not when threads are stopped for them */
	bool allocates, collects;     /* some allocation, some event of collections was read; set by a run that reads events */
	bool hides_throws;            /* the runtime does not report an exception that a method raises by itself and catches */
	bool skips_equal;             /* counters that did not change since the last sampling are left out of it */
	int64_t offset_ns;            /* added to ts for the common timeline */
	int64_t min_ts, max_ts;       /* over all events seen, common timeline */
	uint64_t nevent, nchunk, bytes;
	uint64_t spooled;             /* bytes kept to read the input twice; set at the end of a run */
	uint64_t tally[256];          /* with TT_NEEDS_TALLY */
	uint64_t unloaded[TT_DEF_KINDS];      /* records of things unloaded */
	const char *(*tally_name)(unsigned tag);
	/* The category (assembly) a marker belongs to, NULL for none; by the format, called at report time. */
	int (*category)(const struct tt_capture *, const struct tt_def *marker, const char **name, struct tt_err *err);
	void *category_arg;
	/* The producer's usual RGBA of the category of this name, for captures that do not say it; 0: none. NULL: it has no such colours. */
	uint32_t (*category_rgba)(const char *name);
	/* Further facts of a marker from the producer; NULL where the format has none. */
	struct tt_marker_facts { uint64_t id; const char *flag[12]; const char *verbosity; } (*marker_facts)(const struct tt_def *marker);
	/* The names of the arguments of a marker's zones and instants: static, NULL-terminated; NULL if they are not known. */
	const char *const *(*arg_names)(const struct tt_def *marker);
	/* True if the marker belongs to the Editor that the program runs in. NULL: none does. */
	bool (*editor)(const struct tt_def *marker);
	/* The name of the part of drawing that a TT_GPU_TIME is; NULL: it has no name. */
	const char *(*gpu_part)(unsigned part);
	/* Which part of a frame the counter of this name measures (enum tt_timing), and how many frames late; -1: none. */
	int (*timing)(const char *counter, unsigned *late);
	struct tt_fit fit;  /* of its layout; whole at the end of a run */
	/* The log, of several in one file, that defines the marker of ${key}; UINT32_MAX: it shows none. NULL: the format has no such files. */
	uint32_t (*log_of)(uint64_t key);
	struct tt_defs *defs;
	struct tt_arena arena;        /* text of the fields above */
	/* In the order their keys came. The first is the root of a tree by the keys' hashes. */
	struct tt_meta { const char *key, *value; bool said; struct tt_meta *next, *below[4]; } *meta, *meta_last;
};

/* True if threads have something from before the frame in which the recording began; less than this before the recording is switching it on. */
#define TT_EARLIER INT64_C(10000000)
static inline bool
tt_capture_has_earlier(const struct tt_capture *c)
{
	return c->from_zero && c->min_ts < c->offset_ns - (c->lead_ns > TT_EARLIER ? c->lead_ns : TT_EARLIER);
}

/*
 * The first time that belongs to the recording, on the common timeline; of a whole reading. If the capture says when recording began, no thread may have
 * written just then.
 */
static inline int64_t
tt_capture_begin(const struct tt_capture *c)
{
	const int64_t begin = c->offset_ns - c->lead_ns;

	if (!c->from_zero || c->max_ts < c->offset_ns)
		return c->min_ts;
	return tt_capture_has_earlier(c) || begin < c->min_ts ? begin : c->min_ts;
}

/* True if the capture's own allocations are known: it has some, or its recorder was asked for them. The same of collections, and of pauses for them. */
static inline bool
tt_capture_knows_allocs(const struct tt_capture *c)
{
	return !(c->undefined & TT_REC_ALLOCS) && (c->allocates || (c->records & TT_REC_ALLOCS));
}

static inline bool
tt_capture_knows_collections(const struct tt_capture *c)
{
	return !(c->undefined & TT_REC_COLLECTIONS) && (c->collects || (c->records & TT_REC_COLLECTIONS));
}

static inline bool
tt_capture_knows_pauses(const struct tt_capture *c)
{
	return tt_capture_knows_collections(c) && !c->hides_pauses;
}

/* Add a key/value fact (copied); a later one of the same key replaces the earlier. A fact that the user gave overrides what a capture says. */
int tt_capture_meta(struct tt_capture *c, const char *key, const char *value, struct tt_err *err);
int tt_capture_meta_said(struct tt_capture *c, const char *key, const char *value, struct tt_err *err);
const char *tt_capture_meta_get(const struct tt_capture *c, const char *key);

/* How well the layout fits by which the capture was read, as the fact "layout". */
#define TT_META_LAYOUT "layout"
int tt_capture_layout(struct tt_capture *c, enum tt_layout how, struct tt_err *err);
const char *tt_layout_name(enum tt_layout how);
/* The note about the fact's ${value} for readers of results; NULL: there is none. */
const char *tt_layout_note(const char *value);

/* The day on which recording began, UTC, as 2026-11-23; "" if it is not known. */
#define TT_DATE_TEXT 40
void tt_capture_date(const struct tt_capture *c, char text[TT_DATE_TEXT]);

/* The recording the capture is a file of, in hex; false: none is known, and ${text} is empty. */
#define TT_RECORDING_TEXT 33
bool tt_capture_recording(const struct tt_capture *c, char text[TT_RECORDING_TEXT]);

/*
 * Which files of a rotation the capture is, for people, by the numbers in their names: "file 2", "files 4 to 6". The name of the first has none: "the first
 * file", "the first 3 files".
 */
#define TT_FILES_TEXT 40
void tt_capture_files(const struct tt_capture *c, char text[TT_FILES_TEXT]);

/*
 * The files of its rotation that a capture lacks before and after its own, for people: "files 4 to 6 of a rotation: ...". False if nothing is known to be
 * missing there, and ${text} is empty.
 */
#define TT_STRETCH_TEXT 120
bool tt_capture_stretch(const struct tt_capture *c, char text[TT_STRETCH_TEXT]);

/*
 * Name those of the ${n} captures ${cap} for which ${chosen} is set: "a.ttc", "a.ttc and b.ttc", "a.ttc and 2 more". NULL: ${chosen} is set for none, or no
 * memory.
 */
const char *tt_capture_list(struct tt_capture *const *cap, size_t n, const bool *chosen, struct tt_arena *a, struct tt_err *err);

/* --- the thread table of a run ------------------------------------------ */

struct tt_threads {
	struct tt_mem *mem;
	struct tt_thread **t;         /* stable pointers */
	size_t n, cap;
	struct tt_thread_id { uint32_t first, now; } *id;     /* of each (process, tid): index + 1 of its first and present thread */
	size_t nid, capid;
	struct tt_map at;             /* places in id */
};

void tt_threads_init(struct tt_threads *ts, struct tt_mem *mem);
void tt_threads_free(struct tt_threads *ts);

/* The present thread of (process, tid), made if there is none. ${fresh}: the id starts again; a thread that ended is not it. */
int tt_threads_get(struct tt_threads *ts, uint32_t process, uint64_t tid, bool fresh, struct tt_thread **t,
    struct tt_err *err);

/**
 * tt_threads_start(ts, process, tid, log, goes_on, t, err):
 * The thread of (process, tid) that starts now, in log ${log} where a file has several. It is the present thread, unless that has ended, or is of another
 * log and not ${goes_on}: then the present one ends. The same start told twice finds the same thread.
 */
int tt_threads_start(struct tt_threads *ts, uint32_t process, uint64_t tid, uint32_t log, bool goes_on, struct tt_thread **t, struct tt_err *err);

/* Forget what happened but not who was there: the same input read again meets the same threads. */
void tt_threads_reset(struct tt_threads *ts);

/* Set every thread's name from its capture's definitions: the newest name that was given while it lived, else its number. */
int tt_threads_name(struct tt_threads *ts, struct tt_capture *const *caps, size_t n, struct tt_arena *a,
    struct tt_err *err);

/*
 * True if one of ${patterns} means ${t}: by its name, with its group ("Job.Worker 0") or without, or by its number. Digits alone that are
 * the number of a thread of ${ts} mean that thread and no other, whatever is in their names.
 */
bool tt_thread_named(const struct tt_threads *ts, const struct tt_thread *t, const char *const *patterns);

#endif
