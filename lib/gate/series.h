/**
 * Metrics of the gate over time. The figure of a bucket is the metric of the capture cut to the bucket's time; but metrics of markers, categories and frames
 * cover whatever begins in the bucket, uncut. One reading fills the models of many buckets, for all metrics together.
 */
#ifndef TT_GATE_SERIES_H
#define TT_GATE_SERIES_H

#include "gate/quantity.h"
#include "pass/pass.h"

struct tt_measure;
struct tt_model;
struct tt_report;
struct tt_run_opts;
struct tt_series;

struct tt_metric_series {
	struct tt_measure *x;
	size_t n, cap;
	struct tt_arena *arena;
	size_t buckets;
	struct tt_series all;
	struct tt_value *value;       /* values of the current bucket */
	const char **several;         /* by metric: if several rows of a table match it, the text that lists them; else NULL */
	const char **absent;          /* by metric, after reading: if nothing has its name, why it has no value; else NULL */
	bool *elsewhere;              /* by metric: true: its name occurs, but only on other threads */
};

/**
 * tt_series_add(s, name, a, err):
 * Add the metric ${name}, like "marker.time[Update*].total". TT_E_USAGE if it does not exist, or has no value for a part of a capture.
 */
int tt_series_add(struct tt_metric_series *s, const char *name, struct tt_arena *a, struct tt_err *err);

/* Prepare ${run} to compute the figures of ${buckets} parts of its time. ${o} must live until the run ends. Texts are allocated in ${a}. */
int tt_series_begin(struct tt_metric_series *o, size_t buckets, struct tt_run_opts *run, struct tt_arena *a, struct tt_err *err);

/* The figures, after the run. A metric whose name no capture has is unknown; tt_series_notes() says so. */
const struct tt_series *tt_series_read(struct tt_metric_series *o);

void tt_series_notes(const struct tt_metric_series *o, struct tt_report *r);

/* tt_series_unit: the unit of cells for amounts of ${dim}. tt_series_in_unit: an amount, given in thousandths, in that unit. */
enum tt_unit tt_series_unit(enum tt_dim dim);
int64_t tt_series_in_unit(int64_t v, enum tt_dim dim);

#endif
