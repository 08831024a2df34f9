/**
 * The parts of the search for causes; private to lib/why.
 *
 *	causes.c                        the search, in order: whose call each path is, what typical frames do, what each hitch does beyond that
 *	hitches.c                       which frames are hitches, and which typical ones they are compared with
 *	facts.c                         the facts of each frame, and their usual values
 *	calls.c, whose.c                which method a zone that waits or loads belongs to; whose a method is
 *	judge.c                         one long frame: what the runtime, the engine and the program did (blame.c), or other threads
 *	others.c                        what a wait ended with, who was in a lock, what the render thread and the GPU had to do
 *	late.c                          frames that are late by the render thread or the GPU
 *	steady.c, cost.c, growth.c      what lasts throughout the capture, what each frame takes, what grows or changes from a frame on
 *	routine.c, doubt.c, unknown.c   what is no hitch, what is chance, and which unexplained frames are alike
 *	group.c, findings.c, sentence.c causes of one kind as one finding, the list of them, their words
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
 * A fact of a frame: a kind of figure, and of which node or row. In the calls of the program, what the base library and the runtime do belongs to the method
 * that called them (tt_why.own).
 */
enum tt_what {
	TT_OF_NODE,                   /* a path on the frame thread: its calls, and time itself */
	TT_OF_ROW,                    /* a marker on the frame thread, the same of all its paths */
	TT_OF_CLASS,                  /* + tt_cause_class: time in what the runtime does, by the marker it is under */
	TT_OF_CALL = TT_OF_CLASS + TT_CAUSE_CLASSES,  /* + tt_cause_class: the same by call, tt_why.calls; of waits for the frame limit all time */
	TT_OF_SITE = TT_OF_CALL + TT_CAUSE_CLASSES,   /* allocations of a marker, on all threads */
	TT_OF_OTHER,                  /* a marker on other threads: time itself, without waits */
	TT_OF_FRAME,                  /* the frame: TT_FRAME_OUTSIDE, TT_FRAME_BUSY, TT_FRAME_ZONES */
	TT_OF_RUN,                    /* the same, and what the engine compiles or loads there, by its own marker */
	TT_OF_THREAD,                 /* another thread, by its index: all that it works */
	TT_OF_TOTAL,                  /* a marker on the frame thread: time in its outermost calls with all that these call */
};
enum { TT_FRAME_OUTSIDE, TT_FRAME_BUSY, TT_FRAME_ZONES };       /* the last: a number alone, of the frame thread */

struct tt_fact {
	uint32_t what, id;
	uint32_t node;                /* one of those it is about */
	uint64_t n;
	int64_t self;                 /* bytes, of a site */
	int64_t longest;
	union {
		int64_t large;        /* of a site: the bytes of large objects (TT_BY_FRAME_LARGE) */
		int64_t total;        /* of a path, once the facts are in order: time with all that it calls */
	};
};

/* A fact of one of the samples: of 128 samples there may be millions. */
struct tt_sampled_fact {
	uint32_t id, node;
	int64_t self, total;          /* total: of a path */
	uint32_t n;                   /* UINT32_MAX: or more */
	uint8_t what, sample;
};

struct tt_sampled_facts {
	struct tt_sampled_fact *v;
	size_t n, cap;
};

/* The values of a fact in typical frames: the median, and what nine of ten have at most. */
struct tt_usual {
	uint32_t what, id;
	size_t in;                    /* typical frames that have it */
	uint64_t n, n_high;
	int64_t self, self_high;
};

struct tt_facts {
	struct tt_fact *v;
	size_t n, cap;
};

/* A call by which a method waits, loads and such: its own marker; and that of the outermost zone below it, TT_NO_ROW: it has no name, or there is none. */
struct tt_why_call { uint32_t by, row; };

/* A fact whose time grows over the capture: of TT_OF_ROW, TT_OF_TOTAL, or a call that waits. Medians of frames of the first and of the last eighth. */
enum { TT_WHY_GROWING = 8 };
struct tt_growing {
	uint32_t what, id, row;       /* row: the marker that it is about */
	int64_t ns[2], calls[2];
	int64_t extra;                /* time of all frames beyond the median of the first eighth */
	uint32_t helper;              /* of TT_OF_TOTAL: the marker that others call, too, and that takes longer when this one does */
	bool by_calls;                /* the calls grow, too */
};

/* A marker that is called half as often again, and more, from one part of the capture on than in any before it; or that takes twice as long, and more. */
struct tt_step {
	uint32_t row;
	size_t sample;                /* from here on */
	bool by_time;
	int64_t before, after;        /* calls of a frame; by_time: medians of the first and the last eighth, with all that it calls */
	int64_t more;                 /* time of a frame, with all that it calls */
};

struct tt_why {
	const struct tt_model *m;
	struct tt_mem *mem;
	struct tt_err *err;
	struct tt_arena *text;
	struct tt_causes *out;
	const struct tt_paths *p;
	struct tt_frame_sums *s;
	uint8_t *class;               /* by node: enum tt_cause_class; UNKNOWN: it is a call of the program. TT_CLASS_NONE: time that is left out */
	uint32_t *own;                /* by node: the call of the program that it belongs to */
	uint32_t *outer;              /* by node: the outermost zone below the call of the program that it belongs to; 0: it is that itself */
	uint32_t *call;               /* by node with a class: which of calls */
	struct tt_why_call *calls;
	size_t ncalls, capcalls;
	struct tt_map call_at;        /* places in calls */
	uint8_t *present;             /* by node: 1: it waits for the frame limit, or for a late GPU or render thread: only what is late counts */
	uint32_t *place;              /* by kind and thing (facts.c): where among parts, then now, the fact is */
	size_t nplace;
	uint32_t *up;                 /* by place in now, of paths: the path around it; TT_NO_FACT: it is the thread */
	uint32_t *usual_at;           /* ... and of each fact its place in usual; TT_NO_FACT: no typical frame has it */
	uint32_t *below;              /* ... of paths: the first of those right below it; the last one has those below the thread. TT_NO_FACT: none */
	uint32_t *beside;             /* ... of paths: the next one below the same */
	uint32_t *topmost;            /* ... of paths on the way down (blame.c): the outermost path around it of the same marker */
	size_t capup, capusual_at, capbelow, capbeside, captopmost;
	uint32_t *on_way;             /* by row: the outermost path of the marker on that way; TT_NO_FACT: it is not on it */
	size_t way_end;               /* the last path on it; SIZE_MAX: there is none */
	struct tt_worked { int64_t ns; bool any; } *worked;   /* by thread: another one's zones, while they are gathered */
	int64_t *inside;              /* by place in now: while a frame is judged */
	size_t capinside;
	int64_t from, to;             /* the time that causes are looked for in: that of the frames; without frames all of the capture */
	int64_t cap;                  /* the period that frames are capped at; 0: they are not */
	int64_t typical_cpu, typical_gpu;     /* medians; of the GPU's time, of the samples that know it; 0: not known */
	size_t gpu_lag;               /* a frame waits for the picture of so many frames before: the GPU's time of that counts */
	int64_t over, over_cpu;       /* frames that take more are judged */
	int64_t shorter;              /* the typical frame's time less the 10th percentile of all */
	int64_t strict, strict_cpu;   /* frames that take more are hitches even where nothing explains them */
	size_t nlong, judged;         /* frames that are longer than typical; those of them that were judged */
	size_t *sample;               /* frames, in order */
	size_t nsample;
	struct tt_facts now;          /* of the present frame, each once and in order */
	struct tt_facts parts;        /* ... before they are in order */
	struct tt_place *order;       /* ... and which of them comes next; room for twice as many */
	size_t caporder;
	struct tt_sampled_facts of_samples;   /* in order, of one sample after the other */
	uint32_t *next_of_samples;    /* places in of_samples in the order of facts, and of samples */
	size_t capnext;
	struct tt_usual *usual;       /* in order */
	struct tt_finding *found;     /* out->nfinding of them */
	size_t capfound;
	size_t nusual, capusual, ntypical;    /* ntypical: samples that are not hitches */
	struct tt_growing growing[TT_WHY_GROWING];    /* what grows over the capture, most first, so that its frames need no other cause */
	size_t ngrowing;
	bool slows;                   /* all take longer as the capture goes on, by about the same factor */
	struct tt_step *step;         /* if nothing grows: what is called more, or takes longer, from some frame on; ${best}: the one to tell; SIZE_MAX: none */
	size_t nstep, best;
	int64_t calm;                 /* the 90th percentile of other threads' work, in frames without much of it */
	bool crowded;                 /* frames with much of it are longer */
};

#define TT_CLASS_NONE 255
#define TT_NO_FACT UINT32_MAX

/* Allocations of a method beyond the usual in a frame are reported from this number of bytes on. */
enum { TT_WHY_MIN_BURST_BYTES = 256 << 10 };

/* A cause explains a third of the extra time, or more, and beside another a quarter; and calls are clearly more if they are ten more. */
enum { TT_WHY_MIN_SHARE = 3, TT_WHY_MIN_FURTHER_SHARE = 4, TT_WHY_MIN_MORE_CALLS = 10 };

/* Choose the samples and the hitches, by what frames take. */
int tt_why_hitches(struct tt_why *w);

/*
 * The lag of pictures, in frames: a frame waits for the picture of the frame so many before it. It is the lag at which ${time} is most often more than ${high}
 * where the wait is longer than its limit has it. If the times do not tell: 1 for frames that wait first, else 0.
 */
size_t tt_why_lag(const struct tt_why *w, int64_t (*time)(const struct tt_why *, size_t), int64_t high);

/* The GPU's time in frame ${i}; 0: not known. */
static inline int64_t
tt_why_gpu_time(const struct tt_why *w, size_t i)
{
	return tt_frames_timing(w->m->frames, TT_TIMING_GPU, i);
}

/* The time by which frame ${i} is judged: wall time, of capped frames uncapped time. */
int64_t tt_why_time(const struct tt_why *w, size_t i);

/* How much longer than typical frame ${i} is; 0: too little to be judged. Also sets whether it is so long that it is a hitch in any case. */
int64_t tt_why_extra(const struct tt_why *w, size_t i);
bool tt_why_strict(const struct tt_why *w, size_t i);

/* The usual values of a fact; zeros if no typical frame has it. */
struct tt_usual tt_why_usual(const struct tt_why *w, uint32_t what, uint32_t id);

/* How many of ${n} frames to look at: fewer where each has the sums of many zones that fill it, which may be as many as the whole capture has. */
size_t tt_why_most_looked(const struct tt_why *w, size_t n);

/* The present frame's facts, in order. */
int tt_why_facts(struct tt_why *w);

/* One of the present frame's facts, which is valid until the next frame's; NULL: it has none such. */
const struct tt_fact *tt_why_fact(const struct tt_why *w, uint32_t what, uint32_t id);

/* The usual values of ${f}, one of the present frame's facts; NULL: no typical frame has it. */
static inline const struct tt_usual *
tt_why_usual_of(const struct tt_why *w, const struct tt_fact *f)
{
	const uint32_t at = w->usual_at[f - w->now.v];

	return at != TT_NO_FACT ? &w->usual[at] : NULL;
}

/* How much more of one of its facts the frame has than typical frames: time, of a site bytes; 0: no more than nine of ten. */
int64_t tt_why_beyond(const struct tt_why *w, const struct tt_fact *f);

/* True for what less than a tenth of the typical frames have. */
bool tt_why_is_rare(const struct tt_why *w, const struct tt_usual *u);

/* The full name of marker ${row}; "": it has none. */
const char *tt_why_full_name(const struct tt_why *w, uint32_t row);

/* The thread that works in the zones ${rec} of a frame, if it is another one of the program's than ${thread}; NULL: it is not, or waits there. */
const struct tt_thread *tt_why_works(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread);

/* The marker that such a thread runs in the zones ${rec}, also one that compiles or loads; TT_NO_ROW: none. */
uint32_t tt_why_run(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread);

/* The place, among the present frame's facts, of the path around that of the path at ${i}; SIZE_MAX: it is the thread. */
static inline size_t
tt_why_around(const struct tt_why *w, size_t i)
{
	return w->up[i] != TT_NO_FACT ? w->up[i] : SIZE_MAX;
}

/* Begin with what tt_why_facts() needs. */
int tt_why_facts_begin(struct tt_why *w);

/* A walk over the facts of all samples, in the order of facts: each step gives one fact as every sample that has it has it. */
struct tt_fact_walk {
	const struct tt_why *w;
	size_t at;                    /* in next_of_samples: the first one not met yet */
	const struct tt_sampled_fact *v[TT_FRAMES_SAMPLED];   /* the present fact, as each of the ${n} samples that have it has it */
	size_t n;
};
void tt_why_walk(struct tt_fact_walk *k, const struct tt_why *w);
bool tt_why_walk_next(struct tt_fact_walk *k);

/* Put the facts of the samples in order, and find their usual values. */
int tt_why_learn(struct tt_why *w);

/* After look-up of classes: find the calls by which methods wait, load and such. */
int tt_why_calls(struct tt_why *w);
void tt_why_calls_free(struct tt_why *w);

/*
 * The call by which a method waits or loads at the path ${node}: the outermost zone below it, because what the library does inside is not the program's code.
 * TT_NO_ROW: it has no name.
 */
static inline uint32_t
tt_why_call_row(const struct tt_why *w, uint32_t node)
{
	return w->outer[node] ? tt_paths_row(w->p, w->outer[node]) : TT_NO_ROW;
}

/* True for a method of the program: it has a list of arguments, and is neither of the base library nor of the engine. */
bool tt_why_is_script(const char *full);

/* The method that a thread is at work in, at the path ${node}: not a helper that the frame thread calls in most frames, too, but who calls it here. */
uint32_t tt_why_work_of(const struct tt_why *w, uint32_t node);

/* True if zones of ${node} are of another one of the program's threads than ${thread}; the GPU is none. */
bool tt_why_is_other(const struct tt_why *w, uint32_t node, uint32_t thread);

/* The zone of another thread that lasted for most of the time in which this one waited for a lock; nothing, if several were in something for as long. */
void tt_why_look_at_lock(const struct tt_why *w, struct tt_cause *c);

/*
 * Find what the wait ${c} ended with: a zone of like length on other threads that ends within a millisecond of it, and what it was in. False: there is none.
 */
bool tt_why_look_at_end(const struct tt_why *w, struct tt_cause *c);

/* The same, or what another thread did beyond the usual meanwhile; and of a wait for the last frame to be presented, whether the GPU was late. */
void tt_why_look_at_others(const struct tt_why *w, struct tt_cause *c);

/* Find what explains the present frame, of which extra is known, and what else would if that is doubtful. */
void tt_why_judge(struct tt_why *w, struct tt_cause *c);

/* Which collections the program asked for, though the method in which they started allocates, too: they start there too often for chance. */
void tt_why_asked(struct tt_why *w);

/*
 * If a method is only slower than usual, chance may have been at work: forget what is not found more often than chance finds it. A frame that is not
 * explained is not a hitch if it is within what frames differ by anyway.
 */
int tt_why_doubt(struct tt_why *w);

/* Collections that a marker asked for are not those that only start in it, or are due to what it allocates. */
static inline bool
tt_why_is_asked(const struct tt_cause *c)
{
	return c->class == TT_CAUSE_COLLECTION && c->asked;
}

/* The call that a wait and the like is reported by, whose figures those of other calls are not; TT_NO_FACT: it is reported by its marker. */
static inline uint32_t
tt_why_call_told(const struct tt_cause *c)
{
	return c->class == TT_CAUSE_WAIT || c->class == TT_CAUSE_SHADERS || c->class == TT_CAUSE_LOADING ? c->call : TT_NO_FACT;
}

/* True for a slow call of which a single one of several takes most of the time: its frames are not those in which the same method is merely longer. */
static inline bool
tt_why_is_one_call(const struct tt_cause *c)
{
	return c->class == TT_CAUSE_SLOW_CALL && c->usual_n && c->n > 1 && c->longest > c->ns / 2;
}

/* True if causes are of one kind, one marker and one call, so that they are one finding. */
static inline bool
tt_why_is_same(const struct tt_cause *x, const struct tt_cause *y)
{
	if (x->class != y->class || tt_why_is_asked(x) != tt_why_is_asked(y) || x->kin != y->kin || tt_why_call_told(x) != tt_why_call_told(y) ||
	    x->woken_late != y->woken_late || tt_why_is_one_call(x) != tt_why_is_one_call(y))
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
 * True if ${k} is worth telling beside ${c} of the same frame: it is the work of the program, the runtime or the engine, takes a quarter of the extra time,
 * and both together hardly take more than all of it: a tenth, or what the rest of the frame may be shorter by, up to a fifth. So it is not within ${c}.
 */
static inline bool
tt_why_is_worth(const struct tt_why *w, const struct tt_cause *c, const struct tt_cause *k)
{
	const int64_t shorter = w->shorter < c->extra / 5 ? w->shorter : c->extra / 5;

	return k->class >= TT_CAUSE_COLLECTION && k->class <= TT_CAUSE_SLOW_CALL && k->ns >= c->extra / TT_WHY_MIN_FURTHER_SHARE &&
	    c->ns + c->gc_ns + k->ns <= c->extra + (shorter > c->extra / 10 ? shorter : c->extra / 10) && (k->class != TT_CAUSE_COLLECTION || c->gc_ns == 0);
}

/*
 * Forget frames that are longer by what a tenth of all frames do, all over the capture, and that hold the budget which the median frame holds: that is how the
 * program works, and no hitch.
 */
int tt_why_routine(struct tt_why *w);

/* Say how many frames that miss the budget which the median frame holds are not explained: out->rest. If all frames have a cause, it is not asked. */
int tt_why_rest(struct tt_why *w);

/* Tell unknown causes apart by how much time they take, and by the marker that most of it is in: tt_cause.kin. */
int tt_why_part(struct tt_why *w);
/* If frames are not explained, say which options of the recorder might have told more: out->unrecorded. */
int tt_why_unrecorded(struct tt_why *w);

/* Findings of the causes, and of all frames. */
int tt_why_group(struct tt_why *w);

/* The sentence of ${n} causes of one kind, at ${c}, and of what most of them have beside it; ${text} holds it. NULL: ${err}. */
const char *tt_why_sentence(const struct tt_cause *const *c, size_t n, const struct tt_paths *p, struct tt_arena *text, struct tt_err *err);

/* Find a marker whose time grows over the capture; else one that is called more from some frame on. */
int tt_why_growth(struct tt_why *w);

/* True if what was found so explains the frame of cause ${c}, too: that is no cause of its own. */
bool tt_why_grown(const struct tt_why *w, const struct tt_cause *c);

/* Find causes that last throughout the capture: a heap that grows, allocation in every frame. */
int tt_why_steady(struct tt_why *w);
/* Find the heap of one process that grows, whatever is collected: it is the last finding then, and *${found}. It needs no frames. */
int tt_why_leak(struct tt_why *w, bool *found);

/* True if the capture has frames. */
static inline bool
tt_why_has_frames(const struct tt_why *w)
{
	return w->m->frames && w->m->frames->n > 0;
}
/* Copy the findings made so far to out->finding. */
int tt_why_keep_findings(struct tt_why *w);

/* Find what takes much of each frame: the deepest calls with 30 % of a typical frame's time. */
int tt_why_cost(struct tt_why *w);

/* Find frames that the render thread, or the GPU, needs more than the period for at which frames are capped, and that have no cause. */
int tt_why_late_elsewhere(struct tt_why *w);

/* If frames are late and nothing is found but what all frames take, say that they are not explained, and why: out->late. */
int tt_why_late_rest(struct tt_why *w);

/* True if the ${n} frames, which are in order, are evenly spaced, or close together. */
bool tt_why_is_spaced(const struct tt_why *w, const size_t *frame, size_t n);

/* True if they are, or are a tenth of all frames: that is no chance. */
bool tt_why_is_pattern(const struct tt_why *w, const size_t *frame, size_t n);

/* "8 frames, every 60th", "frames 229-332", "frames 51 and 111" of the ${n} frames, which are in order; NULL: w->err. */
const char *tt_why_frames_text(struct tt_why *w, const size_t *frame, size_t n);

/* One more finding to be filled; NULL: w->err. */
struct tt_finding *tt_why_finding(struct tt_why *w);

/* True if nothing is found but what all frames take. */
bool tt_why_is_steady(const struct tt_causes *c);

#endif
