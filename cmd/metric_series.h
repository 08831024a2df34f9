/**
 * Gate metrics over time: stats --metric.
 *
 * The figure of a bucket is the gate's metric of the capture with --time set to the bucket, except that metrics of markers, categories and frames count
 * whatever begins in the bucket whole. One reading fills the models of many buckets, for all metrics together.
 */
#ifndef TT_CMD_SERIES_H
#define TT_CMD_SERIES_H

#include "gate/quantity.h"
#include "opts.h"
#include "pass/pass.h"

struct app;
struct input_opts;
struct tt_measure;
struct tt_model;
struct tt_report;
struct tt_run_opts;
struct tt_series;

struct series_opts {
	struct tt_measure *x;
	size_t n, cap;
	struct tt_arena *arena;
	size_t buckets;
	struct tt_series all;
	struct tt_value *value;       /* of the current bucket */
	const char **several;         /* by metric: the rows of a table that match it, if there are several; else NULL */
	const char **absent;          /* by metric, after reading: why it has no value, if nothing has its name; else NULL */
	bool *elsewhere;              /* by metric: something has its name, on other threads alone */
};

/* The setter of --metric "marker.time[Update*].total", into a struct series_opts. */
OPT_SET(series_metric);

/* Set ${run} to compute the figures of ${buckets} parts of its time. It uses ${o} until it ends. Text is in app's arena. */
int series_begin(struct app *app, struct series_opts *o, size_t buckets, struct tt_run_opts *run, struct tt_err *err);

/* The figures, after the run. A metric of a name that no capture has is unknown; series_notes() says so. */
const struct tt_series *series_read(struct series_opts *o);

void series_notes(const struct series_opts *o, struct tt_report *r);

/* The unit of cells with amounts of ${dim}; and an amount, given in thousandths, in that unit. */
enum tt_unit series_unit(enum tt_dim dim);
int64_t series_in_unit(int64_t v, enum tt_dim dim);

#endif
