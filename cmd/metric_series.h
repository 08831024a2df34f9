/**
 * Gate metrics over time: stats --metric.
 *
 * The figure of a bucket is the gate's metric for the capture with --time set to that bucket. So each bucket reads the
 * capture once, for all metrics together.
 */
#ifndef TT_CMD_SERIES_H
#define TT_CMD_SERIES_H

#include "cmd.h"
#include "gate/measure.h"
#include "input.h"
#include "opts.h"
#include "pass/pass.h"

struct series_opts {
	struct tt_measure *x;
	size_t n, cap;
	const char **several;         /* the same: which rows of a table fit it, where those are too many; else NULL */
	const char **absent;          /* by metric, once read: why it has no value where nothing has the name it gives; else NULL */
};

/* --metric "marker.time[Update*].total": a struct series_opts. */
OPT_SET(series_metric);

/**
 * series_read(app, o, run, m, buckets, s, err):
 * Fill ${s} with the figures of the metrics in the time that the finished run ${m} of ${run} looked at, cut into
 * ${buckets}. Reads the inputs once for each. Text lives in app's arena. What nothing has the name of has no value;
 * series_notes() says so, after it.
 */
int series_read(struct app *app, struct series_opts *o, const struct tt_run_opts *run, const struct tt_model *m,
    size_t buckets, struct tt_series *s, struct tt_err *err);

void series_notes(const struct series_opts *o, struct tt_report *r);

/* Can the inputs be read once for each bucket? TT_E_USAGE where one is no file. */
int series_check(const struct series_opts *o, const struct input_opts *in, struct tt_err *err);

#endif
