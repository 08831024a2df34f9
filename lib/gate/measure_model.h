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

/* One model at work. */
struct tt_figures {
	struct tt_views *view;
	const struct tt_model *m;     /* of the view */
	const struct tt_loss *loss;
	int64_t cap_ns;               /* the time that frames are capped at; 0: they are not */
	struct tt_arena *out;         /* what the values keep */
	struct tt_arena work;
	struct tt_figures_table *table;       /* those that measures of cells have asked for */
	struct tt_zone_time *thread_in_frames;        /* by index, and zones by row: of all frames together; NULL: nobody has asked */
	uint64_t *calls_in_frames;
};

static inline void
tt_value_set(struct tt_value *v, int64_t base)
{
	v->known = true;
	v->v = tt_scale(base, TT_AMOUNT_ONE, 1);
}

/* ${a} / ${b} as an amount. */
static inline void
tt_value_ratio(struct tt_value *v, int64_t a, int64_t b)
{
	v->known = true;
	v->v = tt_scale(a, TT_AMOUNT_ONE, b);
}

/* A measure of events that were not recorded: which, and how to record them. */
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

/* True if the name matches the measure's pattern: as it is, or as it is shown if it is not UTF-8. */
bool tt_figures_match(const struct tt_measure *x, const char *name);

/*
 * If wall time of frames says nothing of the program, because it is what the Editor leaves of the limit, v->why says so and what to take instead. True: it
 * does, or ${err}.
 */
bool tt_wall_is_limit(const struct tt_figures *g, struct tt_value *v, struct tt_err *err);

/* The collections that ${x} measures: those of all generations, or of one. */
struct tt_gc_stat tt_generations_of(const struct tt_figures *g, const struct tt_measure *x);

/* The figure of a measure of markers, categories or threads. */
int tt_figures_calls(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err);

/* The figure of a measure of a cell. The tables are freed before the view. */
int tt_figures_cell(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err);
void tt_figures_tables_free(struct tt_figures *g);

/* The figure of a measure of events that are neither calls nor frames. */
int tt_figures_events(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err);

#endif
