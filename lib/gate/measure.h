/**
 * Measures: which figure of a capture a row of a budget is about.
 *
 * A measure is a metric ("frame.time"), a statistic of it ("p95", "per_frame.mean"), and where the metric wants
 * one a selector (a glob of marker, category, counter or thread names) or a frame limit. The metrics and their
 * definitions are listed in tracetool-metrics(7), Gate metrics; tt_metrics is that list. Beside it, every column of numbers of
 * every table is a metric: tt_metric_column().
 */
#ifndef TT_GATE_MEASURE_H
#define TT_GATE_MEASURE_H

#include <stdbool.h>

#include "gate/quantity.h"

struct tt_arena;
struct tt_figures;
struct tt_frames;
struct tt_loss;
struct tt_measure;
struct tt_value;
struct tt_views;

/* The parts of a metric's selector that a row must give. */
enum tt_select {
	TT_SELECT_NONE, TT_SELECT_MARKER, TT_SELECT_CATEGORY, TT_SELECT_COUNTER, TT_SELECT_THREAD, TT_SELECT_LIMIT,
	TT_SELECT_ROW,                /* which row of a table; a table of one row needs none */
	TT_SELECT_GROUP,              /* of the results of tests */
};

/* The figures to show beside a change of a metric: tt_mover. */
enum tt_about { TT_ABOUT_NOTHING, TT_ABOUT_TIME, TT_ABOUT_ALLOC };

enum tt_stat_kind {
	TT_STAT_MEAN, TT_STAT_TRIMMED, TT_STAT_MEDIAN, TT_STAT_STDDEV, TT_STAT_P90, TT_STAT_P95, TT_STAT_P99, TT_STAT_P999, TT_STAT_MAX,
	TT_STAT_MIN, TT_STAT_LAST, TT_STAT_TOTAL, TT_STAT_COUNT, TT_STAT_PER_1000, TT_STAT_LOW_1, TT_STAT_LOW_01,
	TT_STAT_FRAME_MEAN, TT_STAT_FRAME_MEDIAN, TT_STAT_FRAME_P95, TT_STAT_FRAME_P99, TT_STAT_FRAME_MAX,
	TT_STATS
};
extern const char *const tt_stat_name[TT_STATS];      /* "p99.9", "per_frame.mean", ... */

/* For quantiles: the value at ${rank} of ${of}. Others: 0 of 0. */
struct tt_stat_rank { unsigned rank, of; };
extern const struct tt_stat_rank tt_stat_rank[TT_STATS];

/* Traits of a metric that rules ask for, a bit each. */
enum tt_trait {
	TT_METRIC_FRAMED = 1,         /* each statistic counts whole frames alone */
	TT_METRIC_FRAMED_PARTS = 2,   /* each statistic but the total does */
	TT_METRIC_FRAME_TIME = 4,     /* the time of frames: wall, CPU-active or uncapped */
	TT_METRIC_FRAMES_OVER = 8,    /* the number of frames that are long or late */
	TT_METRIC_NFRAMES = 16,       /* the number of all frames */
	TT_METRIC_WHOLE = 32,         /* a figure of the whole capture, whatever part of its time is looked at */
	TT_METRIC_LOST = 64,          /* the number of events lost */
	TT_METRIC_UNENDED = 128,      /* 1 if the capture breaks off */
	TT_METRIC_ONE = 256,          /* it has one statistic, which its title means */
};

/* Find the figure of a measure in the model: gate/measure_model.h. */
typedef int tt_find_figure(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err);

struct tt_metric {
	const char *name;             /* "frame.time" */
	const char *title;            /* "frame time": for sentences */
	enum tt_dim dim;              /* of its statistics, but those with a dimension of their own */
	enum tt_select select;
	enum tt_about about;
	unsigned needs;               /* enum tt_needs */
	unsigned stats;               /* those it has, a bit each: 1u << enum tt_stat_kind */
	enum tt_stat_kind usual;      /* where a row names none */
	bool standard;                /* every sample has all statistics of it */
	unsigned traits;              /* enum tt_trait */
	unsigned frame_value;         /* enum tt_frame_value: what of single frames it counts or adds up; TT_FRAME_VALUES: nothing */
	unsigned of;                  /* for ${find}: which of several figures that it finds */
	tt_find_figure *find;
	const char *help;             /* one sentence */
};

extern const struct tt_metric tt_metrics[];   /* ends with one without a name */

struct tt_measure {
	const struct tt_metric *metric;
	enum tt_stat_kind stat;
	const char *select;           /* glob; NULL */
	int64_t limit_ns;             /* TT_SELECT_LIMIT */
	const char *key;              /* "marker.time[Update*].per_frame.mean": equal for equal measures */
	bool pooled;                  /* keep the values of single frames: tt_value.each */
};

/*
 * Set the statistic of ${x} to that of its metric called ${name}. False: the metric has none of this name; those that it has are in ${all},
 * "mean, p95", for a message.
 */
#define TT_STATS_TEXT 200
bool tt_measure_set_stat(struct tt_measure *x, const char *name, char all[TT_STATS_TEXT]);

/* The metric of this name, or NULL. */
const struct tt_metric *tt_metric_named(const char *name);

/**
 * tt_metric_column(name, a, err):
 * The metric of a column of a table, "markers/self_ns", in ${a}: the number that the table shows in the row that the measure
 * selects. NULL: there is no such table, or no such column of numbers (TT_E_USAGE), or TT_E_NOMEM.
 */
const struct tt_metric *tt_metric_column(const char *name, struct tt_arena *a, struct tt_err *err);

/* True if the column depends on the time that a filter leaves; false: it shows the whole capture's, single frames, or parts of the time. */
bool tt_metric_column_has_time(const struct tt_metric *m);

/* True if the measure's dimension is known only with its value. */
bool tt_measure_any_dim(const struct tt_measure *x);

/* True if more is better (frames per second): then a row wants `min`. */
bool tt_metric_up(const struct tt_metric *m);

/* The dimension of the measure; that of a counter is known only with its value. */
enum tt_dim tt_measure_dim(const struct tt_measure *x);

/* True if the statistic depends on a few events of a capture (p99, p99.9, max), and so is too noisy to compare. */
bool tt_stat_is_noisy(enum tt_stat_kind stat);

/* A statistic of ${m} that is not noisy: its default, or the nearest to it. */
enum tt_stat_kind tt_metric_steady_stat(const struct tt_metric *m);

/* The name of the metric that counts the frames in which ${m} is over a limit; NULL: none does. */
const char *tt_metric_over(const struct tt_metric *m);

/* Fill x->key from the rest; in ${a}. */
int tt_measure_key(struct tt_measure *x, struct tt_arena *a, struct tt_err *err);

/* True if the measure counts within whole frames only, not before the first and after the last; of times, on the frame thread. */
bool tt_measure_framed(const struct tt_measure *x);

/* The needs that it has of the run: enum tt_needs. */
unsigned tt_measure_needs(const struct tt_measure *x);

/* True if the measure counts what all threads do within frames: that takes the sums of single frames. */
bool tt_measure_by_frame(const struct tt_measure *x);

/* True if the measure counts, rather than adds up. */
bool tt_measure_counts(const struct tt_measure *x);

/* True if the measure takes the uncapped time of frames; their CPU-active time. */
bool tt_measure_is_uncapped(const struct tt_measure *x);
bool tt_measure_is_cpu(const struct tt_measure *x);

/* True if each whole frame has a value that the statistic is made of: the frames of several captures can be pooled. */
bool tt_measure_has_frames(const struct tt_measure *x);

/* True if it counts late frames. */
bool tt_measure_is_late(const struct tt_measure *x);

/* True if the measure selects markers, a category or threads: these may take most of their time in frames that are not long. */
bool tt_measure_is_selective(const struct tt_measure *x);

/* True if the figure is the wall time of frames: where frames are capped, that is the cap, however much they work. */
bool tt_measure_is_wall(const struct tt_measure *x);

/* For people: "frame time, p95", "\"Update*\" time per frame, mean". In ${a}. */
const char *tt_measure_title(const struct tt_measure *x, struct tt_arena *a, struct tt_err *err);

/* Why there is no figure where no frame is whole. */
#define TT_ZONES_HIDDEN "a filter leaves zones out, and figures per frame count all zones"
#define TT_NO_FRAMES "no whole frame: name a frame marker (\"tracetool info\" lists likely ones), or see skip in the budget"

/* One figure of one capture. */
struct tt_value {
	int64_t v;                    /* amount */
	const char *why;              /* not known, or doubted: why, and what to do; a sentence without a full stop */
	int64_t *each;                /* amounts of the single frames, sorted; measures with .pooled alone */
	uint32_t neach;
	/* Small, because a baseline has a hundred values of each of its captures. */
	enum tt_dim dim : 8;
	bool known : 1;
	bool several : 1;             /* not known, for more than one row of a table fits */
	bool absent : 1;              /* nothing of the selector's name was met; v is 0 where that is a value */
	bool elsewhere : 1;           /* absent on the measure's thread, but met on another one */
	bool doubted : 1;             /* the capture does not rule out a worse value */
};

/**
 * tt_measure_all(view, loss, x, n, v, a, err):
 * Compute the figures ${v}[i] of the ${n} measures ${x} from the model of ${view}. Its run had all their needs, and ${loss} is
 * its ledger. Text and arrays in ${a}.
 */
int tt_measure_all(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n, struct tt_value *v,
    struct tt_arena *a, struct tt_err *err);

/* The figures of a capture that has none, for the reason ${why}, but what it lost (NULL: unknown), and if ${frameless} that it has 0 frames. */
void tt_values_without(const struct tt_loss *lost, bool frameless, const char *why, const struct tt_measure *x, size_t n, struct tt_value *v);

/* The same of one that holds no event: nothing is known of it, not even that it lost nothing. */
void tt_values_no_event(const struct tt_loss *lost, const struct tt_measure *x, size_t n, struct tt_value *v);

/* The amount that ${x} counts or adds up of frame ${i} of ${f}; false: it is about no single frames, or the frame has no value. */
bool tt_measure_frame(const struct tt_measure *x, const struct tt_frames *f, size_t i, int64_t *v);

/* Entries of severity loss and error, counted as the table loss does. */
uint64_t tt_lost_events(const struct tt_loss *l);

/* True if the capture breaks off: its recorder marks the end, and the mark is missing. */
bool tt_loss_unended(const struct tt_loss *l);

#endif
