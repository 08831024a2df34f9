/**
 * Why frames are long, in words: each frame that is clearly longer than typical gets a class of cause, and what it is about.
 *
 *	times of frames ─ hitches (threshold over the median), evenly spaced samples
 *	    ─ first reading of the sums of frames: what typical frames do, path by path, marker by marker
 *	    ─ second reading: what a hitch does beyond that, by class; the class that explains most of its extra time is its cause
 *	    ─ hitches of one class and one marker become a finding; growth over the capture, a growing heap and steady allocation are others
 *
 * The rules are in tracetool-metrics(7), Causes. Needs TT_NEEDS_CALLS, TT_NEEDS_FRAMES, TT_NEEDS_CAUSES,
 * TT_NEEDS_SHOTS.
 *
 * Memory: TT_FRAMES_SAMPLED frames' sums, and a row for each of TT_CAUSE_HITCHES hitches, whatever the capture's length.
 */
#ifndef TT_WHY_CAUSES_H
#define TT_WHY_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/setting.h"

struct tt_arena;
struct tt_err;
struct tt_frames;
struct tt_model;
struct tt_report;
struct tt_views;

enum { TT_CAUSE_HITCHES = 1000, TT_CAUSE_PARTS = 3 };

enum tt_cause_class {
	TT_CAUSE_UNKNOWN, TT_CAUSE_COLLECTION, TT_CAUSE_COMPILED, TT_CAUSE_SHADERS, TT_CAUSE_LOCK, TT_CAUSE_EXCEPTIONS, TT_CAUSE_WAIT,
	TT_CAUSE_LOADING, TT_CAUSE_EDITOR, TT_CAUSE_ALLOCATION, TT_CAUSE_CALLS, TT_CAUSE_SLOW_CALL, TT_CAUSE_PROCESSORS, TT_CAUSE_OUTSIDE,
	TT_CAUSE_GROWTH, TT_CAUSE_LEAK, TT_CAUSE_STEADY,
	TT_CAUSE_CLASSES
};

/* The name of ${class} in tables: "slow_call". */
const char *tt_cause_name(enum tt_cause_class class);

/* One of several methods that are slow in the same frame: its time with all that it calls, and the usual time. */
struct tt_cause_part { uint32_t row; int64_t took_ns, usual_ns; };

/* One hitch and its cause. Unknown names are NULL, unknown numbers 0. */
struct tt_cause {
	size_t frame;                 /* index in tt_frames */
	enum tt_cause_class class;
	uint32_t row;                 /* the marker blamed, a row of tt_paths; TT_NO_ROW: none */
	int64_t extra;                /* how much longer the frame is than the typical one, ns */
	uint64_t worst;               /* number of the worst frame of this cause's finding; 0: the cause is in no finding, because a growth explains it */
	int64_t ns;                   /* the part of extra that the cause takes; for work of the runtime or the engine: that of its whole class */
	int64_t named_ns;             /* the part of ns that the named call or marker takes */
	uint64_t n, usual_n;          /* number of calls, exceptions or collections; TT_CAUSE_PROCESSORS: n threads in the marker, usual_n other busy threads */
	int64_t took_ns, usual_ns;    /* time of the marker with all that it calls: in this frame, and in a typical one */
	int64_t usual_took_ns;        /* for runtime and engine work, where took_ns is the time of what is named: the same in a typical frame */
	int64_t class_ns;             /* for runtime and engine work: the time of the whole class in the frame */
	int64_t row_took_ns;          /* for compiled methods: compile time under the marker row */
	int64_t beyond_ns;            /* for calls, loaders and allocation: time of the marker beyond a typical frame, with all that it calls */
	int64_t whole_ns;             /* for a slow call: its time including waits, collections and such */
	uint32_t call;                /* for runtime and engine work: the call named, an index in tt_why.calls */
	int64_t longest;              /* time of the longest call */
	uint64_t allocs;              /* number of allocations of the marker, or of row2; for exceptions: number of those of class ${name} */
	uint64_t usual_allocs;        /* number of allocations of the method in a typical frame */
	bool has_burst;               /* true: the method allocates far more than usual, but that explains too little of its time */
	uint64_t nother_exceptions;   /* number of exceptions of other classes than ${name} */
	int64_t bytes;
	uint32_t row2;                /* another marker: the waiting call, the slowest callee, a collection's start, or what another thread ran; TT_NO_ROW */
	uint32_t by;                  /* for a slow call: its caller, if that rarely makes it; for a guessed collection: who allocates most; TT_NO_ROW */
	uint32_t callee;              /* for a slow call: what it calls more often than usual, with the number of these calls; TT_NO_ROW */
	uint64_t callee_n, callee_usual_n;
	const char *name;             /* the name of a class, a method, or a thread */
	const char *other_start_thread; /* for a collection: the thread that it started on, if not the frame's; NULL: the frame's thread */
	/*
	 * Fields of a collection; or, for a cause of class allocation, of the collection in its frame that takes more time than usual. gc_ns = 0: no
	 * collection.
	 */
	int64_t gc_ns;                /* time of all collections of the frame beyond the usual */
	int64_t gc_took;              /* time of the collections that started in starter */
	unsigned generations;         /* bit g: generation g took at least a tenth of the collections' time; 0: generations are not recorded */
	bool is_requested, is_guessed; /* the program requested the collection; inferred from where collections start, no call shows it */
	bool is_for_shot;             /* true: the recorder caused the collection, to take a heap shot */
	uint32_t starter;             /* the marker in which the collection started; TT_NO_ROW */
	double share;                 /* the starter's share of the bytes allocated in the frame, 0 to 1 */
	bool woken_late;              /* true: the thread sleeps as often as usual, but longer: the system woke it later than it asked */
	bool is_doubtful;             /* true: only time is more than usual, neither calls nor allocations */
	struct tt_cause *fallback;    /* for a doubtful cause: the explanation to use if it turns out to be chance; NULL: none */
	struct tt_cause *second;      /* a second cause, which takes at least a quarter of the extra time; NULL: none */
	uint32_t similar_group;       /* for unknown causes: number of a group of similar frames; else 0 */
	uint32_t node;                /* one of the paths that the cause is about; 0: none */
	uint32_t method_around;       /* the method around the marker row, if that is not a method of the program; TT_NO_ROW: none */
	/* For several slow methods in one frame: each of them, in the order of the frame; took and the like are their sums. nparts = 0: one method. */
	struct tt_cause_part part[TT_CAUSE_PARTS];
	unsigned nparts;
	/*
	 * For a wait that ended (see ended): the marker on the thread ${name}, or on several threads, that ended at the same time; the zone inside that marker;
	 * and how long it took, at most. Otherwise: the unusual work of the thread ${name} during the wait. TT_NO_ROW: nothing that takes half as long as the
	 * wait.
	 */
	uint32_t other, other_in;
	int64_t other_ns;
	uint32_t outer_zone;          /* for the render thread's work: the outermost zone that consists mostly of it, and its time; TT_NO_ROW: other itself */
	int64_t outer_zone_ns;
	uint64_t picture;             /* number of the earlier frame whose picture that work is for; 0: this frame's picture, or not known */
	unsigned nother_threads;
	bool has_wait_end;
	enum { TT_GPU_UNKNOWN, TT_GPU_OR_SYNC, TT_GPU_OR_DISPLAY, TT_GPU_LATE } gpu;     /* for a wait until the last frame is presented: who was late */
	int64_t gpu_ns;               /* time that the GPU took; 0: not known, or the GPU was not late */
	uint64_t gpu_frame;           /* number of the frame whose picture the GPU drew; 0: this one */
};

/* Hitches with the same cause, or something that lasts throughout the capture. */
struct tt_finding {
	enum tt_cause_class class;
	const char *marker;           /* label of the marker; NULL: none */
	const char *frames;           /* which frames, in words: "frames 51 and 111", "8 frames, every 60th", "all frames"; NULL: a capture without frames */
	const char *sentence;
	uint64_t n;                   /* number of frames; 0: the whole capture */
	bool is_scattered;            /* true: a call is merely slower, in scattered frames; ranks after findings that repeat, grow or do more */
	bool is_noise;                /* true: noise of the machine, in scattered frames; ranks after findings that repeat or grow */
	bool is_of_all;               /* true: time that all frames take; ranks after causes of long frames, unless makes_late */
	bool makes_late;              /* true: most frames are late, and would not be without this */
	uint64_t worst;               /* number of the frame with the most extra time; 0: none */
	int64_t extra;                /* sum of the time of these frames beyond the typical one; for a growth: of all frames beyond those at the start */
};

struct tt_causes {
	int64_t typical;              /* median time of all frames */
	struct tt_cause *cause;       /* the hitches in frame order, at most TT_CAUSE_HITCHES */
	size_t ncause;
	struct tt_finding *finding;   /* in order: what makes most frames late, then by extra time, then what all frames take */
	size_t nfinding;
	const char *routine;          /* on longer frames that are no hitches, because such frames occur all the time; NULL: none */
	const char *rest;             /* on unexplained frames that miss the budget that the median frame meets; NULL: none */
	const char *late;             /* on late frames, if the only findings are about what all frames take; NULL: none */
	const char *unrecorded;       /* on missing recordings that might explain the unexplained frames; NULL: nothing is unexplained, or nothing is missing */
	size_t nunexamined;           /* number of long frames that were not examined, because there are too many zones or frames */
};

/* The setting that keeps the search from seeing what a frame or other threads did; TT_SETTING_NONE: no such setting. */
enum tt_setting tt_causes_hiding_setting(const struct tt_model *m);

/**
 * tt_causes_find(c, view, text, err):
 * Find the causes; ${text} owns their strings. Without frames only a leak can be found. Nothing is found in the frames of several captures, or if
 * tt_causes_hiding_setting() names a setting.
 */
int tt_causes_find(struct tt_causes *c, struct tt_views *view, struct tt_arena *text, struct tt_err *err);

/* A sentence about long frames that were not examined, or frames over the budget that are not explained; NULL: there are none. */
const char *tt_causes_note(const struct tt_causes *c, struct tt_report *r);

/* A sentence that says why no cause was found in the frames ${f}; ${c} is the search, or NULL before it. */
const char *tt_causes_none(const struct tt_frames *f, const struct tt_causes *c);

/* The sentence for one hitch: "774 us for a gen-0 collection, started in Emitter:Tick". */
const char *tt_cause_sentence(const struct tt_cause *c, struct tt_views *view, struct tt_arena *text, struct tt_err *err);

/* True if the method ${full} belongs to the base library or the runtime: its work counts for the method that called it. */
bool tt_causes_is_library(const char *full);

#endif
