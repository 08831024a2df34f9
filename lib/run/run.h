/**
 * One run: inputs in, model out, streaming emitters fed on the way.
 *
 * Each chunk passes five steps; the steps marked | run on any worker, the others one chunk at a time in file order:
 *
 *	next -> |decode| -> enter -> |fold| -> commit
 *
 * next    finds the chunk's bounds (format)
 * decode  bytes to a batch; begin and end matched inside the chunk (model/zones.h)
 * enter   definitions and threads in file order; the thread's stack before and after the chunk: O(depth)
 * fold    with the stack known: paths, counters, text of streaming emitters
 * commit  new paths, rare events, text out, losses
 *
 * A worker takes the oldest step that can be taken; if there is none, it polls for some 20 us and then sleeps.
 * Memory: 3 chunks per worker in flight, 12 to 16 if single steps are long (pipeline.c), + definitions + tree, whatever the input's length.
 */
#ifndef TT_RUN_H
#define TT_RUN_H

#include "collect/object_search.h"
#include "model/model.h"

struct tt_emit;
struct tt_emit_opts;
struct tt_format;

enum tt_align { TT_ALIGN_AUTO, TT_ALIGN_START, TT_ALIGN_CLOCK, TT_ALIGN_WALL };

struct tt_progress {                  /* called from one thread at a time, at most every 100 ms */
	void (*tick)(void *arg, const char *phase, uint64_t done, uint64_t total);     /* raw bytes; total 0: unknown */
	void *arg;
};

/* Which zones, events and frames count in a bucket of the run's time. */
enum tt_part_kind {
	TT_PART_BEGINS,               /* zones, events and frames that begin in it, whole */
	TT_PART_FRAMES,               /* the frames that begin in it, and the time of these frames */
	TT_PART_CUT,                  /* as a filter on its time shows it: zones are cut at its edges, frames count if they lie in it whole */
};

/* A bucket of the run's time with a model of its own, which the same reading fills. */
struct tt_run_part {
	size_t bucket;                /* number of the bucket, of tt_run_opts.buckets */
	enum tt_part_kind kind;
	int64_t from, to;             /* set by the run: its time */
};

struct tt_run_opts {
	const struct tt_format *const *formats;
	const char *format;           /* force a reader; NULL by content */
	const char *const *path;
	const int *fd;                /* parallel to path: read this descriptor, which the run takes over; NULL: open path */
	const uint64_t *fd_size;      /* parallel to fd: read at most this many bytes */
	size_t npath;
	enum tt_align align;
	const char *const *meta;      /* "k=v", NULL-terminated, or NULL */
	const char *meta_from_path;   /* pattern of model/path_facts.h: facts of captures that their paths tell; NULL: none */
	const char *const *fact_path; /* what that pattern is for, parallel to path; NULL: path, whose inputs are no members of archives */
	bool date_from_mtime;         /* true: a capture that does not say when it was recorded takes the day of its file */
	const char *const *title;     /* name of each input in outputs, parallel to path; NULL: made from its contents */
	unsigned needs;               /* what passes and emitters need, joined */
	struct tt_filter filter;
	enum tt_names_form names;
	const char *frame_marker;     /* glob; NULL */
	const char *from_marker;      /* glob: the filter's time begins with the first such zone or instant; TT_E_USAGE if there is
	                                 none; NULL: no such limit */
	const char *frame_thread;     /* glob; NULL: the thread on which frames begin most often */
	bool copies;                  /* true: a recording may be given twice; false: that is TT_E_USAGE */
	bool whole_frames;            /* true: if there are frames, count only the time of whole frames */
	const char *const *wait;      /* wait markers; NULL: the table */
	unsigned hitches;
	struct tt_find find;          /* with TT_NEEDS_FOUND */
	size_t buckets;               /* number of buckets of the timeline and of parts; 0: 60 */
	struct tt_run_part *part;     /* buckets that get a model of their own; only without emitters */
	size_t npart;
	unsigned part_needs;
	/* Called for each part in order when all is read; never if the run's time is empty. ${m} is valid until it returns. */
	int (*part_done)(void *arg, const struct tt_run_part *part, const struct tt_model *m, struct tt_err *err);
	void *part_arg;
	uint32_t max_paths;           /* at most TT_TREE_CAP; 0: 500,000 */
	const struct tt_emit *const *emit;    /* streaming and aggregating ones, parallel to emit_opts */
	const struct tt_emit_opts *emit_opts;
	size_t nemit;
	struct tt_err *unsuited;      /* parallel to emit: if not NULL, an emitter with nothing to write stores its reason here instead of failing the run */
	uint64_t *unwritten;          /* parallel to emit: if not NULL, counts values that a format cannot express here, not in the run's ledger */
	struct tt_progress progress;
	/* Called when all inputs are open and only their heads have been read; an error ends the run. NULL: not called. */
	int (*opened)(void *arg, struct tt_err *err);
	void *opened_arg;
};

/**
 * tt_run(env, opts, m, err):
 * Read all inputs; *${m} is the caller's, to free, also where the status is an
 * error and it is not NULL (what could be read is in it). Damage is not an error: it is in the ledger
 * (tt_loss_damaged). Emitters are finished and committed, or all taken back.
 */
int tt_run(struct tt_env *env, const struct tt_run_opts *opts, struct tt_model **m, struct tt_err *err);
void tt_model_free(struct tt_model *m);

/* Remove filters, frames, outputs and parts from ${o}: a run then tells only what a capture holds and lost. */
void tt_run_whole(struct tt_run_opts *o);

#endif
