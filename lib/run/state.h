/**
 * The inside of a run, shared by the files of lib/run: its inputs (inputs.c) and phases (run.c), the steps of a chunk (pipeline.c,
 * thread_stacks.c), frames (frame_marks.c, frame_table.c) and parts (parts.c).
 */
#ifndef TT_RUN_STATE_H
#define TT_RUN_STATE_H

#include "base/column.h"
#include "collect/collect.h"
#include "collect/time_order.h"
#include "run/chunk_log.h"
#include "run/unnamed.h"

struct tt_candidates;
struct tt_format;
struct tt_frame_category;
struct tt_marks;
struct tt_run_opts;
struct tt_src;
struct tt_thread_replay;

/* Which reading of the input this is. */
enum tt_phase {
	TT_PHASE_NAMES,                /* definitions, threads, times; frame marks of the capture */
	TT_PHASE_MARKS,               /* begins of the frame marker */
	TT_PHASE_MAIN,                /* events */
	TT_PHASE_PARTS,               /* events again, for more parts */
};

struct tt_render_time;

struct tt_input {
	struct tt_src *src;
	const struct tt_format *format;
	void *ctx;
	struct tt_capture *cap;
	struct tt_input *then;        /* the next file of the same recording, in which the first file's reader goes on */
	size_t group;                 /* index of the first input of its recording */
	bool text_like;               /* true: its first bytes look as if a transfer as text changed them */
};

/* The frames of a model while events are read: the replay of each frame thread, and sums by category. */
struct tt_replay {
	struct tt_model *m;
	struct tt_thread_replay *w;           /* at most one for each capture */
	size_t nwatch;
	const struct tt_category *name;       /* the model's categories when the events began; later definitions add some */
	struct tt_frame_category *category;   /* sums by category, by index in ${name} */
	struct tt_frame_share { int64_t self; bool used; } *share;    /* self time of each category in the present frame */
	uint32_t *used;               /* the categories with a share in the present frame */
	size_t ncategory, nused;
	struct tt_column gpu;         /* by frame: ns that the GPU worked for it */
	struct tt_render_time **render_time;  /* by replayed thread; NULL: the engine has no render thread */
};

struct tt_run {
	struct tt_env *env;
	const struct tt_run_opts *o;
	struct tt_model *m;
	struct tt_input *in;
	size_t nin;
	struct tt_input *part;        /* further files of the recordings in ${in} */
	size_t npart;
	unsigned needs;
	bool filtered;                /* see tt_fold_opts.filters_zones */
	bool names_first;             /* true: definitions are read before events */
	void **emit;                  /* states of the emitters */
	_Atomic bool emit_failed;     /* true: the error is an output's, not the input's */
	struct tt_collecting collect;
	struct tt_time_order order;   /* time order of the events for ${collect}, and for parts */
	struct tt_marks *marks;       /* frame_marks.c */
	struct tt_replay replay;
	struct tt_parts *parts;       /* parts.c; NULL: none */
	struct tt_candidates *candidates;     /* candidates.c */
	struct tt_chunk_log log;      /* chunk_log.c */
	struct tt_unnamed unnamed;    /* unnamed.c */
	int64_t label_from, label_to; /* when the labels of the filter are set; INT64_MIN, INT64_MAX: no limit */
	bool some_frames;             /* true: details of single frames are needed for causes only */
	uint64_t zones_seen;          /* zones and allocations counted while names are read; 0: the reader skipped them */
	uint64_t bytes_seen;          /* bytes read so far of the longest input */
	uint64_t done_bytes, total_bytes, last_tick_ms;
	unsigned passes;              /* readings of the input so far */
	const char *phase_name;
};

/*
 * inputs.c, in the order of a run. Open the inputs that the options name; let the reader of a recording's first file read on in the others; refuse
 * files of one recording that do not follow each other; let readers of input in order see all of it; put all on one timeline. Then, for each further
 * reading, go back to the beginning. Errors: those of tt_run().
 */
int tt_inputs_open(struct tt_run *r, struct tt_err *err);
int tt_inputs_join(struct tt_run *r, struct tt_err *err);
int tt_inputs_check(struct tt_run *r, struct tt_err *err);
int tt_inputs_look_ahead(struct tt_run *r, struct tt_err *err);
int tt_inputs_align(struct tt_run *r, struct tt_err *err);
int tt_inputs_rewind(struct tt_run *r, struct tt_err *err);

/* Close and free the inputs, but for the captures that the model has, which tt_inputs_free_capture() frees. */
void tt_inputs_close(struct tt_run *r);
void tt_inputs_free_capture(struct tt_mem *mem, struct tt_capture *c);

/* Read one input once, from its beginning. */
int tt_pipeline(struct tt_run *r, struct tt_input *in, enum tt_phase phase, struct tt_err *err);

/* Frames: collect marks of a chunk (ordered), then build the table. */
int tt_marks_collect(struct tt_run *r, struct tt_input *in, const struct tt_batch *b, const struct tt_thread *t,
    enum tt_phase phase, struct tt_err *err);
/* For flight recordings, narrow the filter to the spans that all threads have, which are known; not if another capture has all of its time. */
int tt_frames_clip(struct tt_run *r, struct tt_err *err);
int tt_frames_build(struct tt_run *r, struct tt_err *err);
/* Make the frames of ${m} in its filter's time, and their replay; with ${whole_frames} narrow that time to whole frames. */
int tt_frames_make(const struct tt_run *r, struct tt_model *m, bool whole_frames, struct tt_replay *p, struct tt_err *err);
/*
 * Add a chunk's work to the frames of the model, in the ordered stage of the main phase. ${before}: its thread's stack before it, with
 * which chunks before and after the frames are skipped; NULL: none is skipped.
 */
int tt_frames_chunk(struct tt_replay *p, const struct tt_batch *b, const struct tt_stack *before, struct tt_err *err);
/* After the last event: finish the last frames, and make the sums by marker. */
int tt_frames_finish(struct tt_replay *p, struct tt_err *err);
void tt_frames_free(struct tt_model *m);
void tt_replay_free(struct tt_replay *p);
void tt_marks_free(struct tt_run *r);

#endif
