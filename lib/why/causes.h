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

/* As tables name it: "slow_call". */
const char *tt_cause_name(enum tt_cause_class class);

/* One of the methods that take longer in the same frame, with all that it calls. */
struct tt_cause_part { uint32_t row; int64_t took, usual; };

/* One hitch, and what explains it. Unknown names are NULL, unknown figures 0. */
struct tt_cause {
	size_t frame;                 /* place in tt_frames */
	enum tt_cause_class class;
	uint32_t row;                 /* of tt_paths: the marker blamed; TT_NO_ROW: none */
	int64_t extra;                /* time of the frame beyond the typical one */
	uint64_t worst;               /* number of the worst frame of its finding; 0: it is in none, because a growth explains it */
	int64_t ns;                   /* of it, what the cause takes; of a class of the runtime's or the engine's work, all of that class */
	int64_t named;                /* ... and what of it the call or the marker that is named takes */
	uint64_t n, usual_n;          /* calls; exceptions; collections; of short processors, threads in the marker, and others busier than usual */
	int64_t took, usual_ns;       /* what the marker takes in the frame, with all that it calls, and in a typical one */
	int64_t usual_took;           /* of the runtime's or the engine's work, which took has of what is named: what that takes in a typical frame */
	int64_t all;                  /* ... and what all of that class takes in the frame */
	int64_t row_took;             /* of methods compiled: those under the marker */
	int64_t more;                 /* of calls, loaders and allocation: what the marker takes beyond a typical frame, with all that it calls */
	int64_t whole;                /* of a slow call: what it takes with the waits, collections and such in it, too */
	uint32_t call;                /* of the runtime's or the engine's work: the one named, in tt_why.calls */
	int64_t longest;              /* the longest call */
	uint64_t allocs;              /* allocations of the marker, or of row2; of exceptions, those of the class ${name} */
	uint64_t usual_allocs;        /* of a method: what it allocates in a typical frame */
	bool bursts;                  /* ... it allocates far more here, though that explains too little of its time */
	uint64_t others;              /* exceptions of other classes */
	int64_t bytes;
	uint32_t row2;                /* the call that waits, or takes most of the time; where a collection started; what another thread was in; TT_NO_ROW */
	uint32_t by;                  /* of a slow call: who makes it, if it is usually not called from there; of a guess, who allocates; TT_NO_ROW */
	uint32_t callee;              /* ... or what the method calls more often than usual, and how often; TT_NO_ROW */
	uint64_t callee_n, callee_usual_n;
	const char *name;             /* a class, a method, or a thread */
	const char *elsewhere;        /* of a collection, the other thread that it started on; NULL: the frame's */
	/* For a collection; for an allocation, of the collection in its frame that takes more time than usual: gc_ns, 0: there is none. */
	int64_t gc_ns;                /* beyond the usual, all collections of the frame */
	int64_t gc_took;              /* those that started in starter, all they take */
	unsigned generations;         /* bits: those that took a tenth of its time or more; 0: the capture does not say */
	bool asked, guessed;          /* the program asked for it; by where collections start, and not by a call */
	bool shot;                    /* a heap shot caused it */
	uint32_t starter;             /* the marker in which it started; TT_NO_ROW */
	double share;                 /* of the bytes allocated in the frame: the starter's */
	bool woken_late;              /* it sleeps as often as usual, but longer: the system let its thread run later than it asked */
	bool doubtful;                /* nothing but time is more than usual */
	struct tt_cause *instead;     /* of what is doubtful, what else explains the frame if it is chance; NULL: nothing does */
	struct tt_cause *also;        /* what takes a quarter of the extra time or more beside it; NULL: nothing */
	uint32_t kin;                 /* of unknown causes: those with the same are alike; else 0 */
	uint32_t node;                /* a path that it is about; 0: none */
	uint32_t under;               /* of calls and waits in a marker that is no method: the method around it; TT_NO_ROW: none, or it is one */
	/* For slow calls of several methods, all of them, in the order of the frame; took and the like are their sums. 0: it is one. */
	struct tt_cause_part part[TT_CAUSE_PARTS];
	unsigned nparts;
	/*
	 * For a wait, what it ended with on the thread ${name}, or on several, and what that was in; else what that thread does in the frame beyond the
	 * usual; and for how long, of several the longest. TT_NO_ROW: nothing that takes half as long.
	 */
	uint32_t other, other_in;
	int64_t other_ns;
	uint32_t around;              /* ... of the render thread's work: the outermost zone that is mostly that, and how long it took; TT_NO_ROW: itself */
	int64_t around_ns;
	uint64_t picture;             /* ... and number of the frame before this one whose picture that was; 0: this one's, or not known */
	unsigned other_threads;
	bool ended;
	enum { TT_GPU_UNKNOWN, TT_GPU_OR_SYNC, TT_GPU_OR_DISPLAY, TT_GPU_LATE } gpu;     /* of a wait for the last frame to be presented */
	int64_t gpu_ns;               /* how long the GPU took; 0: not known, or not late by it */
	uint64_t gpu_frame;           /* number of the frame whose picture that was; 0: this one's */
};

/* Hitches of one cause, or something that is so throughout the capture. */
struct tt_finding {
	enum tt_cause_class class;
	const char *marker;           /* NULL: none */
	const char *frames;           /* "frames 51 and 111", "8 frames, every 60th", "all frames"; NULL: the capture has none */
	const char *sentence;
	uint64_t n;                   /* frames; 0: it is about all */
	bool is_scattered;            /* a call that is merely longer, in frames here and there: what repeats, grows, or does more ranks before it */
	bool is_noise;                /* the machine's, on scattered frames: what repeats or grows ranks before it */
	bool is_of_all;               /* it is what all frames take: causes of long frames rank before it ... */
	bool makes_late;              /* ... unless most frames are late, and would not be without it */
	uint64_t worst;               /* number of the frame with the most extra time; 0: none */
	int64_t extra;                /* time of these frames beyond the typical one; of a growth, of all frames beyond those at the start */
};

struct tt_causes {
	int64_t typical;              /* the median frame's time */
	struct tt_cause *cause;       /* the hitches, by frame; no more than TT_CAUSE_HITCHES */
	size_t ncause;
	struct tt_finding *finding;   /* those that make most frames late, then the most extra time first, then those of all frames */
	size_t nfinding;
	const char *routine;          /* a sentence on longer frames that are no hitches, because others are as long all the time; NULL: none */
	const char *rest;             /* a sentence on frames that miss the budget that the median frame holds, and are not explained; NULL: there are none */
	const char *late;             /* a sentence on late frames where nothing is found but what all frames take; NULL: there are none */
	const char *unrecorded;       /* a sentence on what was not recorded that may explain frames that are not explained; NULL: there are none, or nothing */
	size_t unseen;                /* frames beyond the typical one that were not looked at: there are too many zones or frames */
};

/* The setting that hides from the search what a frame did, or what other threads did meanwhile; TT_SETTING_NONE: none does. */
enum tt_setting tt_causes_hidden(const struct tt_model *m);

/**
 * tt_causes_find(c, view, text, err):
 * Find the causes; ${text} holds them. Without frames there is a leak at most; of frames of several captures, and where tt_causes_hidden(), nothing is found.
 */
int tt_causes_find(struct tt_causes *c, struct tt_views *view, struct tt_arena *text, struct tt_err *err);

/* A sentence about the frames that were not looked at, or of those that miss the budget, that are not explained; NULL: there are neither. */
const char *tt_causes_note(const struct tt_causes *c, struct tt_report *r);

/* Why nothing is found in the frames ${f}, in words; ${c}: the search; NULL: before it. */
const char *tt_causes_none(const struct tt_frames *f, const struct tt_causes *c);

/* The sentence of one hitch: "774 us for a gen-0 collection, started in Emitter:Tick". */
const char *tt_cause_sentence(const struct tt_cause *c, struct tt_views *view, struct tt_arena *text, struct tt_err *err);

/* True if the method ${full} is of the base library, or the runtime's own: its work counts for the method that called it. */
bool tt_causes_library(const char *full);

#endif
