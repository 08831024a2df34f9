/**
 * The inside of a run: what run.c (inputs and phases), pipeline.c and thread_stacks.c (the steps and the workers),
 * event_totals.c (ordered totals) and frames.c (the frame table) share.
 */
#ifndef TT_RUN_STATE_H
#define TT_RUN_STATE_H

#include "run/fold.h"
#include "run/run.h"

/* Which reading of the input this is. */
enum tt_phase {
	TT_PHASE_DEFS,                /* definitions, threads, times; frame marks of the capture */
	TT_PHASE_MARKS,               /* begins of the frame marker */
	TT_PHASE_MAIN,
};

struct tt_input {
	struct tt_src *src;
	const struct tt_format *format;
	void *ctx;
	struct tt_capture *cap;
	struct tt_input *then;        /* the next file of the same recording, which the reader of the first reads on in */
	size_t group;                 /* the first input of its recording */
};

struct tt_run {
	struct tt_env *env;
	const struct tt_run_opts *o;
	struct tt_model *m;
	struct tt_input *in;
	size_t nin;
	struct tt_input *part;        /* files that one of those reads on in */
	size_t npart;
	unsigned needs;
	bool filtered, alias;         /* see tt_fold */
	bool prepass;                 /* definitions are known before the main phase */
	void **emit;                  /* states of the emitters */
	_Atomic bool emit_failed;     /* the error is an output's, not the input's */
	/* By thread. */
	struct tt_pause_open { int64_t start, stopped, gc_start; int gen; bool known; } *pausing;
	size_t cappausing;
	struct tt_tally gc_at;        /* thread -> place in the model's gc_thread + 1 */
	struct tt_marks *marks;       /* frames.c */
	struct tt_candidates *candidates;     /* candidates.c */
	int64_t label_from, label_to; /* when the labels of the filter are set; INT64_MIN, INT64_MAX: no limit */
	uint32_t *counter_slot;       /* counters.c: index + 1 into the model's counters */
	size_t ncounter_slot;
	struct tt_gather_locks *locks;        /* contention.c */
	struct tt_gather_throws *throws;      /* exceptions.c */
	struct tt_gather_shots *shots;        /* heap_shots.c */
	struct tt_gather_handles *handles;    /* handles.c */
	struct tt_gather_finals *finals;      /* finalizers.c */
	struct tt_gather_graph *graph;        /* graph.c */
	struct tt_gather_found *found;        /* object_search.c */
	struct tt_gather_timeline *timeline;  /* timeline.c */
	uint64_t zones_seen;          /* by the prepass */
	uint64_t done_bytes, total_bytes, last_tick_ms;
	const char *phase_name;
};

/* Read one input once, from its beginning. */
int tt_pipeline(struct tt_run *r, struct tt_input *in, enum tt_phase phase, struct tt_err *err);

/* Is it in the filter's time? */
static inline bool
tt_run_in_time(const struct tt_run *r, int64_t ts)
{
	return tt_filter_has(&r->m->filter, ts);
}

/* Ordered stage: add the value of one counter; ${e}, a TT_COUNTER, becomes absolute in place. */
int tt_counters_event(struct tt_run *r, struct tt_input *in, struct tt_event *e, const struct tt_batch *b,
    struct tt_err *err);
/* After the last event: counters that did not change count in every sampling all the same. */
void tt_counters_finish(struct tt_run *r);
/* Forget all counters. */
void tt_counters_reset(struct tt_run *r);

/* Ordered stage: add the rare events of ${b} to the model's totals; counters become absolute in place. */
int tt_rare_tally(struct tt_run *r, struct tt_input *in, struct tt_batch *b, const struct tt_thread *t,
    struct tt_err *err);
void tt_model_zero_counts(struct tt_model *m);
/* After the last event: order the pauses, give each thread its stopped time. */
int tt_rare_finish(struct tt_run *r, struct tt_err *err);

/* These look at all events, not at the rare ones alone. */
#define TT_GATHER_ALL (TT_NEEDS_OBJECTS | TT_NEEDS_TIMELINE)

/* Ordered stage: collectors.h's share of rare events. Finish after the last event; free drops unfinished work. */
int tt_gather(struct tt_run *r, struct tt_input *in, const struct tt_fold_io *io, const struct tt_batch *b,
    const struct tt_thread *t, struct tt_err *err);
int tt_gather_finish(struct tt_run *r, struct tt_err *err);
void tt_gather_free(struct tt_run *r);

/* Frames: collect marks of a chunk (ordered), then build the table. */
int tt_marks_collect(struct tt_run *r, struct tt_input *in, const struct tt_batch *b, const struct tt_thread *t,
    enum tt_phase phase, struct tt_err *err);
int tt_frames_build(struct tt_run *r, struct tt_err *err);
/* Ordered stage of the main phase: what the chunk does in its frames. */
int tt_frames_chunk(struct tt_run *r, const struct tt_batch *b, struct tt_err *err);
int tt_frames_finish(struct tt_run *r, struct tt_err *err);
void tt_frames_free(struct tt_model *m);
void tt_marks_free(struct tt_run *r);

#endif
