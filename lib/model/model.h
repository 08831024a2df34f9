/**
 * The result of a run over the inputs: everything passes report from.
 *
 * Built by run/run.h; read-only afterwards. Text is looked up here, at report time.
 */
#ifndef TT_MODEL_MODEL_H
#define TT_MODEL_MODEL_H

#include "base/env.h"
#include "base/hash_seed.h"
#include "model/capture.h"
#include "model/filter.h"
#include "model/frames.h"
#include "model/spanning.h"
#include "model/tree.h"

struct tt_counts;
struct tt_env;
struct tt_frames;
struct tt_keys;
struct tt_tree;

enum { TT_CANDIDATES = 5, TT_COLLECTED = 16, TT_WRAPPER_BITS = 512 };

/* A marker by name. */
struct tt_name {
	const char *full;     /* "Namespace.Class:Method (args)" */
	const char *shown;    /* by --names */
	const char *distinct_label; /* if another marker is shown alike, the label that differs: tt_model_tell_apart(); else NULL */
	uint32_t category;    /* category number */
	bool is_alloc_wrapper; /* the runtime's: stripped unless filter.wrappers */
	bool is_defined;      /* a definition was found */
	bool has_text;        /* true: the recording names it; else ${full} is made of its key, and is in no list of known names */
	bool wanted;          /* chosen by --marker and --category */
	bool editor;          /* belongs to the Editor the program runs in, not to the program */
	bool gpu;             /* its zones are the GPU's work: their time is not processor time */
	bool is_left_out;     /* true: the filter leaves out waits or the Editor's zones, and this marker with them */
	const char *const *arg;       /* names of its zones' first arguments, NULL-terminated, or NULL; "" is not a name */
	const char *const *arg_instant;       /* ... of its instants' */
};

struct tt_model {
	struct tt_env *env;
	const struct tt_model *part_of; /* of a part: the whole model, whose captures, threads, paths and names it borrows; NULL: this is the whole */
	struct tt_capture **cap;
	size_t ncap;
	struct tt_threads threads;
	struct tt_tree *tree;
	struct tt_counts *counts;     /* of all workers */
	struct tt_filter filter;
	bool *keep_thread;            /* by thread index; NULL: all */
	/* With TT_NEEDS_CANDIDATES: markers that may begin frames, the likeliest first, from the beginning of the capture. */
	struct tt_candidate {
		const char *full;
		const struct tt_thread *thread;
		uint64_t nbegins;     /* begins counted, as far as the capture was examined */
		int64_t mean_period_ns, period_stddev_ns; /* mean and standard deviation of the time from one begin to the next */
		int64_t share_e4;     /* of the thread's time, in 1/10000 */
	} candidate[TT_CANDIDATES];
	size_t ncandidate;
	struct tt_frames *frames;     /* NULL: no frame marks, or none of frame_marker */
	const char *frame_marker;     /* glob; NULL: frames are those of the capture */
	struct tt_loss *loss;
	struct tt_spanning spanning;  /* zones that span frames; parts have none */
	int64_t min_ts, max_ts;
	size_t npath;
	uint64_t nexpected_zones;     /* zones and allocations as the prepass counted; 0 without one */
	uint64_t max_zones;           /* upper bound of zones: as counted, or as many as the input has room for; 0 without a prepass for frames */

	void *collected[TT_COLLECTED];        /* by collector: collect/collect.h */

	/* per dense marker number, made by tt_model_resolve() */
	struct tt_name *name;
	size_t nname;
	uint64_t wrapper[TT_WRAPPER_BITS / 64];       /* a bit for each alloc_wrapper: tt_model_may_wrap() */
	struct tt_keys *keys;         /* name of every key defined or met: tt_model_key() */
	struct tt_category { const char *name; uint32_t rgba; } *category;    /* number -> name */
	size_t ncategory;
	struct tt_arena arena;        /* text made at report time */
};

/* Storage for the name of a key that nothing defines. */
struct tt_nameless { struct tt_name name; char text[48]; };

enum tt_names_form { TT_NAMES_SHORT, TT_NAMES_FULL };

/**
 * tt_model_resolve(m, form, err):
 * Text for every marker and thread known so far, categories numbered in order of name (a category of
 * any definition counts, so numbers given after the definitions prepass stay). Repeatable; only when no worker
 * runs. Everything is in m->arena; text handed out earlier stays good.
 */
int tt_model_resolve(struct tt_model *m, enum tt_names_form form, struct tt_err *err);

/* The ${i}th of all names of markers, defined or met; its full is NULL if the place is empty. NULL: ${i} is past the last. */
const struct tt_name *tt_model_name_at(const struct tt_model *m, size_t i);

/* Names of different markers that are shown alike get an apart name: their label among all names (labels.h). After each tt_model_resolve(). */
int tt_model_tell_apart(struct tt_model *m, struct tt_err *err);

/* The name of the class of allocation key ${key} of ${process}; "(unknown class 0x...)" where undefined. */
const char *tt_model_class(const struct tt_model *m, uint32_t process, uint64_t key);
/* The name of the class of allocations in Unity's captures, which record no classes: their marker's. */
#define TT_NO_CLASS "GC.Alloc"

/* The name of a zone key while streaming (after the prepass). Any thread. */
const struct tt_name *tt_model_key(const struct tt_model *m, uint32_t process, uint64_t key);

/* False: the zone key ${key} is no alloc_wrapper, in any process. True: ask tt_model_key(); a few keys share the bit of one. Any thread. */
static inline bool
tt_model_may_wrap(const struct tt_model *m, uint64_t key)
{
	const size_t bit = tt_seeded_slot(key, TT_WRAPPER_BITS);

	return m->wrapper[bit / 64] >> bit % 64 & 1;
}

/* If instrumentation is so heavy that times are relative, the one line that says so; else NULL. */
const char *tt_model_caveat(const struct tt_model *m);

/* True if a capture says that this kind of events (enum tt_records) was to be recorded. Then having none of them means 0, else not known. */
bool tt_model_records(const struct tt_model *m, enum tt_records what);

/*
 * The option that the producers of all captures record ${what} with, "alloc"; of heap shots without their interval, "heapshot=", and with the option for
 * collections where that does not follow from it. NULL: they have none, or differ in it.
 */
const char *tt_model_option(const struct tt_model *m, enum tt_records what);

/**
 * tt_model_unrecorded(m, what, a, err):
 * "finalizers were not recorded (record with finalization)", with the option of the producer that made the captures; without
 * it where it has none, or where the captures' producers differ in it. NULL: no memory.
 */
const char *tt_model_unrecorded(const struct tt_model *m, enum tt_records what, struct tt_arena *a, struct tt_err *err);

/* True if definitions are missing that tell which events are ${what}. */
bool tt_model_undefined(const struct tt_model *m, enum tt_records what);

/* True if allocations are known: the capture has some, or the recorder was asked for them. */
bool tt_model_knows_allocs(const struct tt_model *m);

/* True if what ${d} of ${cap} defines is in the filter's time, or has no time to choose it by. */
static inline bool
tt_filter_has_def(const struct tt_filter *f, const struct tt_def *d, const struct tt_capture *cap)
{
	return d->ts == TT_EVER || tt_filter_has(f, d->ts + cap->offset_ns);
}

#endif
