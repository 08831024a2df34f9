/**
 * The parts of the search for causes; private to lib/why.
 *
 *	causes.c                        the search, in order: whose call each path is, what typical frames do, what each hitch does beyond that
 *	hitches.c                       which frames are hitches, and which typical ones they are compared with
 *	collect_facts.c                 the facts of each frame, and their usual values
 *	calls.c, whose.c                which method a zone that waits or loads belongs to; whose a method is
 *	judge_frame.c                   one long frame: what the runtime, the engine and the program did (blame.c), or other threads
 *	others.c                        what a wait ended with, who was in a lock, what the render thread and the GPU had to do
 *	late.c                          frames that are late by the render thread or the GPU
 *	steady.c, cost.c, growth.c      what lasts throughout the capture, what each frame takes, what grows or changes from a frame on
 *	routine.c, doubt.c, unknown.c   what is no hitch, what is chance, and which unexplained frames are alike
 *	group_causes.c, findings.c, sentence.c  causes of one kind as one finding, the list of them, their words
 */
#ifndef TT_WHY_CAUSES_PARTS_H
#define TT_WHY_CAUSES_PARTS_H

#include "base/map.h"
#include "base/places.h"
#include "view/paths.h"
#include "why/causes.h"

struct tt_frame_path;
struct tt_frame_sums;

/*
 * The kind of a fact. A fact is what one node, row, thread or frame did in one frame. Work of the base library and the runtime counts for the program's method
 * that called it (tt_why.own).
 */
enum tt_what {
	TT_OF_NODE,                   /* a path on the frame thread: number of calls, time without callees */
	TT_OF_ROW,                    /* a marker on the frame thread: the sum over its paths */
	TT_OF_CLASS,                  /* + tt_cause_class: time of the runtime or the engine, by the program's marker around it */
	TT_OF_CALL = TT_OF_CLASS + TT_CAUSE_CLASSES,  /* + tt_cause_class: the same time by call (tt_why.calls); waits for the frame limit in full */
	TT_OF_SITE = TT_OF_CALL + TT_CAUSE_CLASSES,   /* allocations of a marker, on all threads */
	TT_OF_OTHER,                  /* a marker on other threads: time without callees and waits */
	TT_OF_FRAME,                  /* the whole frame; id is TT_FRAME_OUTSIDE, TT_FRAME_BUSY or TT_FRAME_ZONES */
	TT_OF_RUN,                    /* like TT_OF_OTHER, but compiling and loading count too, for the engine's own marker */
	TT_OF_THREAD,                 /* another thread, by its index: all its work */
	TT_OF_TOTAL,                  /* a marker on the frame thread: time of its outermost calls with all that they call */
};
enum { TT_FRAME_OUTSIDE, TT_FRAME_BUSY, TT_FRAME_ZONES };       /* TT_FRAME_ZONES: number of zones of the frame thread, no time */

struct tt_fact {
	uint32_t what, id;
	uint32_t node;                /* one of the nodes of the fact */
	uint64_t n;
	int64_t self;                 /* time; for a TT_OF_SITE: bytes */
	int64_t longest;
	union {
		int64_t large;        /* TT_OF_SITE: bytes of large objects (TT_BY_FRAME_LARGE) */
		int64_t total;        /* TT_OF_NODE, once the facts are in order: time with all that it calls */
	};
};

/* A fact of one sampled frame, kept small: 128 samples may have millions of them. */
struct tt_sampled_fact {
	uint32_t id, node;
	int64_t self, total;          /* total: for TT_OF_NODE */
	uint32_t n;                   /* number of calls; UINT32_MAX: that many or more */
	uint8_t what, sample;
};

struct tt_sampled_facts {
	struct tt_sampled_fact *v;
	size_t n, cap;
};

/* The usual values of a fact in typical frames: the median, and in *_high the 90th percentile. */
struct tt_usual {
	uint32_t what, id;
	size_t nsamples;              /* number of typical frames that have the fact */
	uint64_t n, n_high;
	int64_t self, self_high;
};

struct tt_facts {
	struct tt_fact *v;
	size_t n, cap;
};

/*
 * A call by which a method of the program waits, loads and such: by: the method's marker; row: that of the outermost zone below it, TT_NO_ROW: no name, or no
 * zone.
 */
struct tt_why_call { uint32_t by, row; };

/* A fact whose time grows over the capture: TT_OF_ROW, TT_OF_TOTAL, or a waiting call. ns and calls: medians of the first and the last eighth of the frames. */
enum { TT_WHY_GROWING = 8 };
struct tt_growing {
	uint32_t what, id, row;       /* row: the marker to report */
	int64_t ns[2], calls[2];
	int64_t extra;                /* time of all frames beyond the median of the first eighth, ns */
	uint32_t helper;              /* TT_OF_TOTAL: the callee through which this marker grows, though calls of it from elsewhere do not */
	bool by_calls;                /* true: the number of calls grows, too */
};

/*
 * A marker that from one part of the capture on is called at least half as often again as in any part before; or, with by_time, takes at least half as long
 * again.
 */
struct tt_step {
	uint32_t row;
	size_t sample;                /* index of the sample where the step begins */
	bool by_time;
	int64_t before, after;        /* calls a frame; by_time: median times of the first and the last eighth, with all that it calls */
	int64_t more_ns;              /* additional time a frame, with all that it calls */
};

struct tt_why {
	const struct tt_model *m;
	struct tt_mem *mem;
	struct tt_err *err;
	struct tt_arena *text;
	struct tt_causes *out;
	const struct tt_paths *p;
	struct tt_frame_sums *s;
	uint8_t *class;               /* by node: enum tt_cause_class; TT_CAUSE_UNKNOWN: the program's own work; TT_CLASS_NONE: time that is left out */
	uint32_t *own;                /* by node: the call of the program's method that the node belongs to */
	uint32_t *outer;              /* by node: the outermost zone below that method's call; 0: the node is the call itself */
	uint32_t *call;               /* by node with a class: index in calls */
	struct tt_why_call *calls;
	size_t ncalls, capcalls;
	struct tt_map call_at;        /* finds indices in calls */
	uint8_t *is_late_wait;        /* by node: 1: a wait for the frame limit, the GPU or the render thread, of which only the late part counts */
	uint32_t *part_index;         /* by kind and id (collect_facts.c): index of the fact in parts, later in now */
	size_t npart_index;
	uint32_t *caller;             /* by index in now, for paths: index of the caller's path; TT_NO_FACT: the thread */
	uint32_t *usual_at;           /* by index in now: index in usual; TT_NO_FACT: no typical frame has the fact */
	uint32_t *first_child;        /* by index in now, for paths: the first child; one more entry for the thread's children. TT_NO_FACT: none */
	uint32_t *next_sibling;       /* by index in now, for paths: the next sibling */
	uint32_t *topmost;            /* by index in now, for paths of the current descent (blame.c): the outermost path of the same marker */
	size_t capcaller, capusual_at, capfirst_child, capnext_sibling, captopmost;
	uint32_t *on_descent;         /* by row: the outermost path of the marker on the current descent; TT_NO_FACT: not on it */
	size_t descent_end;           /* the path where the current descent ends; SIZE_MAX: no descent */
	struct tt_worked { int64_t ns; bool any; } *other_work; /* by thread: work of other threads, while the facts of a frame are collected */
	int64_t *extra_ns;            /* by index in now: extra time with all callees, while a frame is judged (blame.c) */
	size_t capextra_ns;
	int64_t from, to;             /* the time range that is searched: that of the frames; without frames the whole capture */
	int64_t cap;                  /* the period that frames are capped at, ns; 0: no cap */
	int64_t typical_cpu, typical_gpu;     /* medians; typical_gpu: over the samples with a known GPU time; 0: not known */
	size_t gpu_lag;               /* lag in frames between a frame and the picture that it waits for; the GPU's time of that earlier frame counts */
	int64_t judge_over_ns, judge_over_cpu_ns; /* frames above these thresholds are judged: time, CPU time */
	int64_t spread_below_ns;      /* median frame time less the 10th percentile: how much shorter a frame may well be */
	int64_t hitch_over_ns, hitch_over_cpu_ns; /* frames above these thresholds are hitches even if nothing explains them */
	size_t nlong, njudged;        /* number of frames longer than typical; number of those that were judged */
	size_t *sample;               /* the sampled frames, in order */
	size_t nsample;
	struct tt_facts now;          /* facts of the current frame, merged and sorted */
	struct tt_facts parts;        /* facts of the current frame before they are merged and sorted */
	struct tt_place *order;       /* sort keys of parts; room for twice as many */
	size_t caporder;
	struct tt_sampled_facts of_samples;   /* facts of all samples, sample by sample, each sorted */
	uint32_t *next_of_samples;    /* indices in of_samples, sorted by fact, then by sample */
	size_t capnext;
	struct tt_usual *usual;       /* usual values, sorted by kind and id */
	struct tt_finding *found;     /* the findings; out->nfinding of them */
	size_t capfound;
	size_t nusual, capusual, ntypical;    /* ntypical: number of samples that are not hitches */
	struct tt_growing growing[TT_WHY_GROWING];    /* facts that grow over the capture, largest growth first; they explain their frames */
	size_t ngrowing;
	bool is_slowing;              /* true: everything takes longer as the capture goes on, by about the same factor */
	struct tt_step *step;         /* if nothing grows: markers called more, or slower, from some frame on; best: the one to report, SIZE_MAX: none */
	size_t nstep, best;
	int64_t usual_other_work_ns;  /* the 90th percentile of other threads' work, in samples without much of it */
	bool is_slowed_by_others;     /* true: frames in which other threads work much are longer */
};

#define TT_CLASS_NONE 255
#define TT_NO_FACT UINT32_MAX

/* Minimum bytes beyond the usual for a method's allocations in a frame to be reported. */
enum { TT_WHY_MIN_BURST_BYTES = 256 << 10 };

/* A cause must explain at least 1/3 of the extra time, a second cause 1/4; calls are clearly more if they are at least 10 more. */
enum { TT_WHY_MIN_SHARE = 3, TT_WHY_MIN_FURTHER_SHARE = 4, TT_WHY_MIN_MORE_CALLS = 10 };

/* Choose the samples and the hitches by the time of the frames. */
int tt_why_choose_hitches(struct tt_why *w);

/*
 * The lag of pictures: by how many frames the picture that a frame waits for precedes that frame. It is the lag at which a ${time} above ${high} coincides most
 * often with a wait that is longer than its limit. If the times show none: 1 if frames begin with their wait, else 0.
 */
size_t tt_why_lag(const struct tt_why *w, int64_t (*time)(const struct tt_why *, size_t), int64_t high);

/* The GPU's time in frame ${i}; 0: not known. */
static inline int64_t
tt_why_gpu_time(const struct tt_why *w, size_t i)
{
	return tt_frames_timing(w->m->frames, TT_TIMING_GPU, i);
}

/* The time by which frame ${i} is judged: wall time; for capped frames the uncapped time. */
int64_t tt_why_time(const struct tt_why *w, size_t i);

/*
 * tt_why_extra: how much longer than typical frame ${i} is; 0: too little to be judged. tt_why_is_hitch_by_time: true if it is long enough to be a hitch in
 * any case.
 */
int64_t tt_why_extra(const struct tt_why *w, size_t i);
bool tt_why_is_hitch_by_time(const struct tt_why *w, size_t i);

/* The usual values of a fact; zeros if no typical frame has the fact. */
struct tt_usual tt_why_usual(const struct tt_why *w, uint32_t what, uint32_t id);

/* Return how many of ${n} frames to examine: fewer if many zones fill whole frames, because each such frame then has the sums of all these zones. */
size_t tt_why_max_examined(const struct tt_why *w, size_t n);

/* The present frame's facts, in order. */
int tt_why_facts(struct tt_why *w);

/* One fact of the current frame, valid until the next frame; NULL: the frame does not have it. */
const struct tt_fact *tt_why_fact(const struct tt_why *w, uint32_t what, uint32_t id);

/* The usual values of ${f}, a fact of the current frame; NULL: no typical frame has it. */
static inline const struct tt_usual *
tt_why_usual_of(const struct tt_why *w, const struct tt_fact *f)
{
	const uint32_t at = w->usual_at[f - w->now.v];

	return at != TT_NO_FACT ? &w->usual[at] : NULL;
}

/* By how much ${f}, a fact of the current frame, exceeds the 90th percentile of typical frames: time, or bytes for a site; at least 0. */
int64_t tt_why_beyond_usual(const struct tt_why *w, const struct tt_fact *f);

/* True if less than a tenth of the typical frames have the fact of ${u}. */
bool tt_why_is_rare(const struct tt_why *w, const struct tt_usual *u);

/* The full name of the marker ${row}; "": the row has no name. */
const char *tt_why_full_name(const struct tt_why *w, uint32_t row);

/* The thread of the zones ${rec}, if it is another thread of the program than ${thread} and works in them; else NULL. */
const struct tt_thread *tt_why_working_thread(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread);

/* The marker that another thread than ${thread} runs in the zones ${rec}, including compiling and loading; TT_NO_ROW: none. */
uint32_t tt_why_run_marker(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread);

/* The index of the caller of the path at ${i} among the facts of the current frame; SIZE_MAX: the thread. */
static inline size_t
tt_why_caller_at(const struct tt_why *w, size_t i)
{
	return w->caller[i] != TT_NO_FACT ? w->caller[i] : SIZE_MAX;
}

/* Allocate the tables that tt_why_facts() needs. */
int tt_why_facts_begin(struct tt_why *w);

/* A walk over the facts of all samples, grouped by fact: each step gives one fact in all the samples that have it. */
struct tt_fact_walk {
	const struct tt_why *w;
	size_t at;                    /* index in next_of_samples where the next step begins */
	const struct tt_sampled_fact *v[TT_FRAMES_SAMPLED];   /* the current fact, once for each of the ${n} samples that have it */
	size_t n;
};
void tt_why_walk_begin(struct tt_fact_walk *k, const struct tt_why *w);
bool tt_why_walk_next(struct tt_fact_walk *k);

/* Sort the facts of the samples, and compute their usual values. */
int tt_why_compute_usual(struct tt_why *w);

/* Once each node has a class: find the calls by which methods wait, load and such. */
int tt_why_find_calls(struct tt_why *w);
void tt_why_calls_free(struct tt_why *w);

/*
 * The marker of the call by which a method waits or loads at the path ${node}: the outermost zone below the method, because the program does not contain what
 * lies deeper. TT_NO_ROW: it has no name.
 */
static inline uint32_t
tt_why_call_row(const struct tt_why *w, uint32_t node)
{
	return w->outer[node] ? tt_paths_row(w->p, w->outer[node]) : TT_NO_ROW;
}

/* True if ${full} is a method of the program: it has a list of arguments, and belongs neither to the base library nor to the engine. */
bool tt_why_is_script(const char *full);

/* The method to name for a thread's work at the path ${node}: not a helper that the frame thread calls in most frames, too, but its caller. */
uint32_t tt_why_work_of(const struct tt_why *w, uint32_t node);

/* True if ${node} is on another thread of the program than ${thread}. The GPU is not a thread of the program. */
bool tt_why_is_other(const struct tt_why *w, uint32_t node, uint32_t thread);

/* Name the zone of another thread that lasted for most of the time in which this thread waited for a lock; no name if several zones lasted as long. */
void tt_why_find_lock_holder(const struct tt_why *w, struct tt_cause *c);

/*
 * Find the zone of another thread that the wait ${c} ended with, and what it was in: of similar length, ending within a millisecond of the wait. Return false
 * if there is none.
 */
bool tt_why_find_wait_end(const struct tt_why *w, struct tt_cause *c);

/*
 * Find what the wait ${c} ended with, else the unusual work of another thread during it; for a wait until the last frame is presented, also whether the GPU was
 * late.
 */
void tt_why_find_other_work(const struct tt_why *w, struct tt_cause *c);

/* Find what explains the current frame, whose ${c}->extra is set; if that is doubtful, also the explanation to use instead. */
void tt_why_judge(struct tt_why *w, struct tt_cause *c);

/* Find collections that the program asked for, even though it also allocates where they started: they start there too often for chance. */
void tt_why_find_requested(struct tt_why *w);

/*
 * Drop causes that may be chance: methods that are merely slower, unless they are so more often than chance explains. A frame without an explanation is no
 * hitch if it is within the usual spread.
 */
int tt_why_drop_doubtful(struct tt_why *w);

/* True if a marker asked for the collection; such collections are kept apart from those that allocation causes. */
static inline bool
tt_why_is_requested(const struct tt_cause *c)
{
	return c->class == TT_CAUSE_COLLECTION && c->is_requested;
}

/* The call by which a wait, loading or shader compilation is reported, which keeps it apart from other calls; TT_NO_FACT: reported by its marker. */
static inline uint32_t
tt_why_reported_call(const struct tt_cause *c)
{
	return c->class == TT_CAUSE_WAIT || c->class == TT_CAUSE_SHADERS || c->class == TT_CAUSE_LOADING ? c->call : TT_NO_FACT;
}

/*
 * True for a slow call whose time is mostly one of several calls of its method; such frames are kept apart from those in which the method as a whole is slower.
 */
static inline bool
tt_why_is_one_call(const struct tt_cause *c)
{
	return c->class == TT_CAUSE_SLOW_CALL && c->usual_n && c->n > 1 && c->longest > c->ns / 2;
}

/* True if both causes are of the same class, marker and call, so that they form one finding. */
static inline bool
tt_why_is_same(const struct tt_cause *x, const struct tt_cause *y)
{
	if (x->class != y->class || tt_why_is_requested(x) != tt_why_is_requested(y) || x->similar_group != y->similar_group ||
	    tt_why_reported_call(x) != tt_why_reported_call(y) || x->woken_late != y->woken_late || tt_why_is_one_call(x) != tt_why_is_one_call(y))
		return false;
	return x->row == y->row || x->class == TT_CAUSE_UNKNOWN || x->class == TT_CAUSE_OUTSIDE;
}

/* True for work of the runtime or the engine. */
static inline bool
tt_why_is_engine(const struct tt_cause *c)
{
	return c->class >= TT_CAUSE_COLLECTION && c->class <= TT_CAUSE_EDITOR;
}

/*
 * True if ${k} is worth reporting beside ${c} of the same frame: it takes at least a quarter of the extra time, and both together at most a tenth more than the
 * extra time, or up to a fifth if frames vary that much. Otherwise ${k} is probably a part of ${c}.
 */
static inline bool
tt_why_is_worth_reporting(const struct tt_why *w, const struct tt_cause *c, const struct tt_cause *k)
{
	const int64_t shorter = w->spread_below_ns < c->extra / 5 ? w->spread_below_ns : c->extra / 5;

	return k->class >= TT_CAUSE_COLLECTION && k->class <= TT_CAUSE_SLOW_CALL && k->ns >= c->extra / TT_WHY_MIN_FURTHER_SHARE &&
	    c->ns + c->gc_ns + k->ns <= c->extra + (shorter > c->extra / 10 ? shorter : c->extra / 10) && (k->class != TT_CAUSE_COLLECTION || c->gc_ns == 0);
}

/*
 * Drop frames that are longer because of work that a tenth of all frames do, throughout the capture, and that meet the budget which the median frame meets:
 * such work is regular, not a hitch.
 */
int tt_why_drop_routine(struct tt_why *w);

/*
 * Set out->rest: how many frames that miss the budget which the median frame meets are not explained. Skipped if frames are capped, a growth explains frames,
 * or some were not examined.
 */
int tt_why_note_unexplained(struct tt_why *w);

/* Group unknown causes by the size of their extra time and by the marker with most of it: tt_cause.similar_group. */
int tt_why_group_unknown(struct tt_why *w);
/* If frames are not explained, set out->unrecorded: recorder options that might have explained them. */
int tt_why_note_unrecorded(struct tt_why *w);

/* Make the findings: from the causes of hitches, and from all frames. */
int tt_why_make_findings(struct tt_why *w);

/* The sentence for the ${n} causes at ${c}, which are of one kind, and for the second cause that most of them share; ${text} owns it. NULL: error in ${err}. */
const char *tt_why_sentence(const struct tt_cause *const *c, size_t n, const struct tt_paths *p, struct tt_arena *text, struct tt_err *err);

/* Find markers whose time grows over the capture; else one that is called more, or takes longer, from some frame on. */
int tt_why_find_growth(struct tt_why *w);

/* True if the growth found by tt_why_find_growth() explains the frame of ${c}, so that it is no cause of its own. */
bool tt_why_is_grown(const struct tt_why *w, const struct tt_cause *c);

/* Find causes that last throughout the capture: a heap that grows, allocation in every frame. */
int tt_why_find_steady(struct tt_why *w);
/* Find out whether the heap of a single process grows although collections run; if so, append a finding and set *${found}. Frames are not needed. */
int tt_why_find_leak(struct tt_why *w, bool *found);

/* True if the capture has frames. */
static inline bool
tt_why_has_frames(const struct tt_why *w)
{
	return w->m->frames && w->m->frames->n > 0;
}
/* Copy the findings made so far to out->finding. */
int tt_why_copy_findings(struct tt_why *w);

/* Find what takes much of each frame: the deepest calls with 30 % of a typical frame's time. */
int tt_why_find_cost(struct tt_why *w);

/* Find frames without a cause for whose picture the render thread or the GPU takes longer than the period of the cap. */
int tt_why_find_late_elsewhere(struct tt_why *w);

/* If frames are late but all findings are about what every frame takes, set out->late: that late frames are not explained, and why. */
int tt_why_note_late(struct tt_why *w);

/* True if the ${n} frames at ${frame}, in order, are evenly spaced or close together. */
bool tt_why_is_spaced(const struct tt_why *w, const size_t *frame, size_t n);

/* True if the ${n} frames at ${frame} are evenly spaced, close together, or a tenth of all frames: that is not chance. */
bool tt_why_is_pattern(const struct tt_why *w, const size_t *frame, size_t n);

/* Describe the ${n} frames at ${frame}, in order: "8 frames, every 60th", "frames 229-332", "frames 51 and 111"; NULL: w->err. */
const char *tt_why_frames_text(struct tt_why *w, const size_t *frame, size_t n);

/* Append a finding for the caller to fill; NULL: w->err. */
struct tt_finding *tt_why_finding(struct tt_why *w);

/* True if all findings are about what every frame takes. */
bool tt_why_is_steady(const struct tt_causes *c);

#endif
