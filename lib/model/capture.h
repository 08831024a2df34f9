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
	uint32_t log;                 /* in a file of several logs, the log that names this thread; see TT_THREAD */
	bool started, ended;
	int64_t first_ts, last_ts;    /* over all events of the thread; first_ts > last_ts: the thread has no events */
	uint64_t nevent, ncall;       /* events; zones begun */
	uint64_t nalloc, alloc_b;
	int64_t hidden_ns;            /* ns of Editor zones inside the filter's time, which are left out */
	uint64_t open_at_end;
	struct tt_stack stack;        /* zones open between chunks */
	struct tt_short_zone { int64_t ts; size_t level; uint64_t key; } *short_zones;    /* see fold/short_zones.h */
	size_t nshort_zones, capshort_zones;
	/* set by tt_threads_name at the end of a run; never NULL */
	const char *group;            /* the engine's group of the thread; "": no group */
	const char *own_name, *full_name; /* "Worker 0"; "Job.Worker 0" */
	const char *name;             /* as outputs have it: full where its process has the same own name in another group, else own */
	bool has_definition;          /* true: a definition names the thread */
	bool in_groups;               /* true, in the first thread of an own name: several groups have a thread of that name */
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
	uint32_t undefined;           /* enum tt_records: kinds whose definitions are missing, so that their figures are unknown */
	uint32_t unless_named;        /* kinds that become undefined if any marker has no name; set by the reader at the end of the input */
	const char *(*advice)(enum tt_records what);  /* returns the producer's option that records this kind, or NULL; pointer NULL: no options are known */
	uint32_t max_depth;           /* the recorder's limit of call depth, beyond which calls are left out; 0: no limit */
	uint32_t process;             /* index among the inputs */
	uint8_t recording[16];        /* id that all files of one recording share; zeros: the recording has this file alone */
	uint32_t part;                /* number of this file in the recording, from 0; the first one's, if several are read as one */
	uint32_t part_last;           /* number of the last file that is read as part of this capture */
	bool more_follow;             /* true: the recording has a next file, which is not read; set at the end of a run */
	int64_t wall_ns;              /* wall clock at start, since 1970; 0 unknown */
	int64_t file_ns;              /* if wall_ns is unknown, when the file was last changed; 0: that time is not to be used */
	int64_t zero_ns;              /* event clock at ts = 0 */
	int64_t start_ns;             /* event clock at the header's start; zero_ns where unknown */
	bool from_zero;               /* true: recording began at ts = 0, in a frame that had begun ${lead_ns} before; events earlier than that frame
	                                 belong to an earlier recording */
	int64_t lead_ns;              /* ns from the begin of that frame to ts = 0, not negative; set at the end of a reading */
	int64_t appended_earlier_ns;  /* ns before its recording at which an appended log has events, which the reader leaves out; 0: none; set likewise */
	bool has_frames;              /* frame marks may be in the file */
	bool has_marks;               /* true: frame marks were read; set by a run that reads events */
	bool has_whole_frame;         /* true: there is a frame from one mark to the next; set likewise */
	bool is_flight;               /* true: the recorder kept only the last seconds, and wrote them now and then */
	struct tt_span *covered_span; /* spans of time that all threads cover, in order, one for each write; some threads have more. Without
	                                 flight: the span of the recording, if threads have events from before it; see from_zero */
	size_t ncovered_span;
	bool skim;                    /* true: this reading needs only definitions, threads and frame marks; set by the run */
	bool has_instrumented_calls;  /* true: the format's zones are calls, each instrumented */
	bool code_alone;              /* true: only markers with code are methods, whatever keys the others have */
	bool distorts;                /* true: there are instrumented calls, so times are relative; set at the end of a run */
	bool ends_recorded;           /* true: the format records the end of every thread, so a thread without one shows that the producer was killed */
	bool clean_end;               /* set at the end of a run */
	int end_mark;                 /* the format's mark for the end of a capture: 1 seen, -1 not seen; 0: the format has none */
	uint64_t stopped_at;          /* offset at which the reader stopped, if not at the end of its last chunk; 0: not said */
	bool is_running;              /* true: the recorded program still runs and records; set at the end of a run */
	bool all_recorded;            /* all that was recorded is there, whether the producer ended cleanly or not */
	const char *ring;             /* if the capture did not end: the recorder's ring file, which has the rest as long as it exists; or NULL */
	bool old_roots;               /* true: heap roots have a kind, not a slot, and come during the collection, before the shot begins */
	bool hides_pauses;            /* collections are recorded, but not when threads are stopped for them */
	bool allocates, collects;     /* true: an allocation, an event of a collection was read; set by a run that reads events */
	bool hides_throws;            /* the runtime does not report an exception that a method raises by itself and catches */
	bool skips_equal;             /* counters that did not change since the last sampling are left out of it */
	int64_t offset_ns;            /* added to ts for the common timeline */
	int64_t min_ts, max_ts;       /* over all events seen, common timeline */
	uint64_t nevent, nchunk, bytes;
	uint64_t nspooled;            /* bytes kept to read the input twice; set at the end of a run */
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
	struct tt_fit fit;  /* evidence of the capture's layout; complete at the end of a run */
	/* In a file of several logs, the log that defines the marker of ${key}; UINT32_MAX: the key shows none. NULL: the format has no such files. */
	uint32_t (*log_of)(uint64_t key);
	struct tt_defs *defs;
	struct tt_arena arena;        /* text of the fields above */
	/* In the order their keys came. The first is the root of a tree by the keys' hashes. */
	struct tt_meta { const char *key, *value; bool is_user_given; struct tt_meta *next, *child[4]; } *meta, *meta_last;
};

/* True if threads have events from before the frame in which the recording began. Events less than TT_EARLIER ns before come from switching it on. */
#define TT_EARLIER INT64_C(10000000)
static inline bool
tt_capture_has_earlier(const struct tt_capture *c)
{
	return c->from_zero && c->min_ts < c->offset_ns - (c->lead_ns > TT_EARLIER ? c->lead_ns : TT_EARLIER);
}

/*
 * The time at which the recording begins, on the common timeline; known after a whole reading. If the capture says when recording began, that may be before
 * the first event.
 */
static inline int64_t
tt_capture_begin(const struct tt_capture *c)
{
	const int64_t begin = c->offset_ns - c->lead_ns;

	if (!c->from_zero || c->max_ts < c->offset_ns)
		return c->min_ts;
	return tt_capture_has_earlier(c) || begin < c->min_ts ? begin : c->min_ts;
}

/* True if the capture's own allocations are known: it has some, or its recorder was asked for them. The next two: of collections, and of their pauses. */
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

/* Add a key/value fact (copied); a later one of the same key replaces the earlier. A fact that the user gave (_said) overrides what a capture says. */
int tt_capture_meta(struct tt_capture *c, const char *key, const char *value, struct tt_err *err);
int tt_capture_meta_from_user(struct tt_capture *c, const char *key, const char *value, struct tt_err *err);
const char *tt_capture_meta_get(const struct tt_capture *c, const char *key);

/* Set the fact "layout": how well the layout fits by which the capture was read. */
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
bool tt_capture_missing_files(const struct tt_capture *c, char text[TT_STRETCH_TEXT]);

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
	struct tt_thread_id { uint32_t first, present; } *id; /* of each (process, tid): index + 1 of its first and present thread */
	size_t nid, capid;
	struct tt_map id_index;       /* places in id */
};

void tt_threads_init(struct tt_threads *ts, struct tt_mem *mem);
void tt_threads_free(struct tt_threads *ts);

/* The present thread of (process, tid), made if there is none. ${fresh}: the id starts anew, so a thread that has ended is not the present one. */
int tt_threads_get(struct tt_threads *ts, uint32_t process, uint64_t tid, bool fresh, struct tt_thread **t,
    struct tt_err *err);

/**
 * tt_threads_start(ts, process, tid, log, goes_on, t, err):
 * Find or make the thread of (process, tid) that starts now; ${log}: its log, in a file of several. It is the present thread, unless that has ended, or
 * belongs to another log and not ${goes_on}: then the present one ends. A repeated start finds the same thread.
 */
int tt_threads_start(struct tt_threads *ts, uint32_t process, uint64_t tid, uint32_t log, bool goes_on, struct tt_thread **t, struct tt_err *err);

/* Clear counts and stacks but keep the threads, so that a second reading of the same input meets the same ones. */
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
