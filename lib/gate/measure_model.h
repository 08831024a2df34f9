/**
 * Shared by the files that compute figures for gates: measure_model.c (frames, allocations, counters), measure_calls.c (markers,
 * categories, threads), measure_events.c and measure_cells.c.
 */
#ifndef TT_GATE_MEASURE_MODEL_H
#define TT_GATE_MEASURE_MODEL_H

#include "collect/collections.h"
#include "gate/measure.h"
#include "model/model.h"

struct tt_figures_table;
struct tt_measure;
struct tt_value;
struct tt_views;
struct tt_zone_time;

/* The model that figures are computed from. */
struct tt_figures {
	struct tt_views *view;
	const struct tt_model *m;     /* the view's model */
	const struct tt_loss *loss;
	int64_t cap_ns;               /* period at which frames are capped, ns; 0: no cap */
	struct tt_arena *out;         /* arena for texts and arrays of values */
	struct tt_arena work;
	struct tt_figures_table *table;       /* tables made for measures of cells */
	struct tt_zone_time *thread_in_frames;        /* sums over all frames: thread_in_frames by thread index, calls_in_frames by row; NULL: not computed */
	uint64_t *calls_in_frames;
};

static inline void
tt_value_set(struct tt_value *v, int64_t base)
{
	v->known = true;
	v->v = tt_scale(base, tt_amount_one(v->dim), 1);
}

/* ${a} / ${b} as an amount: above 0, if ${a} is. */
static inline void
tt_value_ratio(struct tt_value *v, int64_t a, int64_t b)
{
	v->known = true;
	v->v = tt_scale(a, tt_amount_one(v->dim), b);
	v->v = v->v == 0 && a > 0 && b > 0 ? 1 : v->v;
}

/* Set the reason for a measure of events that were not recorded: which events, and how to record them. */
static inline int
tt_value_unrecorded(const struct tt_figures *g, struct tt_value *v, enum tt_records what, struct tt_err *err)
{
	v->why = tt_model_unrecorded(g->m, what, g->out, err);
	return v->why ? TT_OK : err->code;
}

static inline size_t
tt_figures_frames(const struct tt_figures *g)
{
	return g->m->frames ? g->m->frames->n : 0;
}

static inline int64_t
tt_at_most(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* True if ${name} matches the measure's pattern, either as it is or, if it is not UTF-8, as it is displayed. */
bool tt_figures_match(const struct tt_measure *x, const char *name);

/*
 * If wall time of frames says nothing about the program, because the Editor fills the frame limit, set v->why to say so and what to use instead. Return true in
 * that case, or after an error.
 */
bool tt_wall_is_limit(const struct tt_figures *g, struct tt_value *v, struct tt_err *err);

/* The statistics of the collections that ${x} measures: of all generations, or of one. */
struct tt_gc_stat tt_generations_of(const struct tt_figures *g, const struct tt_measure *x);

/* The functions of metrics, for tt_metric.find. */
tt_find_figure tt_find_frame_times, tt_find_frames_over, tt_find_frame_rate, tt_find_nframes, tt_find_allocs, tt_find_allocating_frames, tt_find_collections,
    tt_find_pauses, tt_find_heap, tt_find_counter, tt_find_of_loss, tt_find_length, tt_find_test;
tt_find_figure tt_find_marker, tt_find_category, tt_find_thread;
tt_find_figure tt_find_collecting, tt_find_npauses, tt_find_throws, tt_find_contended, tt_find_waiting, tt_find_samples, tt_find_handles, tt_find_finalizers,
    tt_find_heap_shot, tt_find_compiled;
tt_find_figure tt_find_cell;

/* Free the tables that tt_find_cell() made; before the view is freed. */
void tt_figures_tables_free(struct tt_figures *g);

#endif
