/**
 * Measures: which figure of a capture a budget row is about.
 *
 * A measure is a metric ("frame.time"), a statistic of it ("p95", "per_frame.mean"), and if the metric needs it a selector (a glob of marker, category, counter
 * or thread names) or a frame limit. The metrics and their definitions are listed in tracetool-metrics(7), Gate metrics; tt_metrics is that list. In addition,
 * every numeric column of every table is a metric: tt_metric_column().
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

/* The selector that a row must give for a metric. */
enum tt_select {
	TT_SELECT_NONE, TT_SELECT_MARKER, TT_SELECT_CATEGORY, TT_SELECT_COUNTER, TT_SELECT_THREAD, TT_SELECT_LIMIT,
	TT_SELECT_ROW,                /* row of a table; not needed for a table of one row */
	TT_SELECT_GROUP,              /* sample group in the results of tests */
};

/* The kind of parts to show beside a change of the metric: tt_mover. */
enum tt_about { TT_ABOUT_NOTHING, TT_ABOUT_TIME, TT_ABOUT_ALLOC };

enum tt_stat_kind {
	TT_STAT_MEAN, TT_STAT_TRIMMED, TT_STAT_MEDIAN, TT_STAT_STDDEV, TT_STAT_P90, TT_STAT_P95, TT_STAT_P99, TT_STAT_P999, TT_STAT_MAX,
	TT_STAT_MIN, TT_STAT_LAST, TT_STAT_TOTAL, TT_STAT_COUNT, TT_STAT_PER_1000, TT_STAT_LOW_1, TT_STAT_LOW_01,
	TT_STAT_FRAME_MEAN, TT_STAT_FRAME_MEDIAN, TT_STAT_FRAME_P95, TT_STAT_FRAME_P99, TT_STAT_FRAME_MAX,
	TT_STATS
};
extern const char *const tt_stat_name[TT_STATS];      /* "p99.9", "per_frame.mean", ... */

/* For quantiles: the rank ${rank} of ${of}; for other statistics 0 of 0. */
struct tt_stat_rank { unsigned rank, of; };
extern const struct tt_stat_rank tt_stat_rank[TT_STATS];

/* Traits of a metric that rules depend on, a bit each. */
enum tt_trait {
	TT_METRIC_FRAMED = 1,         /* each statistic counts only whole frames */
	TT_METRIC_FRAMED_PARTS = 2,   /* each statistic except the total counts only whole frames */
	TT_METRIC_FRAME_TIME = 4,     /* it is a time of frames: wall, CPU-active or uncapped */
	TT_METRIC_FRAMES_OVER = 8,    /* it counts long or late frames */
	TT_METRIC_NFRAMES = 16,       /* it counts all frames */
	TT_METRIC_WHOLE = 32,         /* it is a figure of the whole capture, even if only a part of its time is analysed */
	TT_METRIC_LOST = 64,          /* it counts lost events */
	TT_METRIC_UNENDED = 128,      /* it is 1 if the capture breaks off */
	TT_METRIC_ONE = 256,          /* it has one statistic only, which its title implies */
};

/* Compute the figure of a measure from the model: gate/measure_model.h. */
typedef int tt_find_figure(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err);

struct tt_metric {
	const char *name;             /* "frame.time" */
	const char *title;            /* "frame time": for sentences */
	enum tt_dim dim;              /* dimension of its statistics, except those with a dimension of their own */
	enum tt_select select;
	enum tt_about about;
	unsigned needs;               /* enum tt_needs */
	unsigned stats;               /* bits of the statistics that it has: 1u << enum tt_stat_kind */
	enum tt_stat_kind usual;      /* default statistic, if a row names none */
	bool standard;                /* true: every sample has all its statistics */
	unsigned traits;              /* enum tt_trait */
	unsigned frame_value;         /* enum tt_frame_value: the value of single frames that it counts or sums; TT_FRAME_VALUES: none */
	unsigned of;                  /* tells ${find} which of several figures to compute */
	tt_find_figure *find;
	const char *help;             /* description, one sentence */
};

extern const struct tt_metric tt_metrics[];   /* ended by an entry without a name */

struct tt_measure {
	const struct tt_metric *metric;
	enum tt_stat_kind stat;
	const char *select;           /* glob; NULL: none */
	int64_t limit_ns;             /* frame limit, for TT_SELECT_LIMIT */
	const char *key;              /* identifies the measure: "marker.time[Update*].per_frame.mean" */
	bool pooled;                  /* true: keep the values of single frames in tt_value.each */
};

/* Set the statistic of ${x} by ${name}. If its metric does not have it, return false, and list those it has in ${all}, "mean, p95", for a message. */
#define TT_STATS_TEXT 200
bool tt_measure_set_stat(struct tt_measure *x, const char *name, char all[TT_STATS_TEXT]);

/* The metric named ${name}; NULL: none. */
const struct tt_metric *tt_metric_named(const char *name);

/**
 * tt_metric_column(name, a, err):
 * The metric of a table's column, "markers/self_ns", allocated in ${a}: the number that the table shows in the row selected by the measure. NULL: no such table
 * or no such numeric column (TT_E_USAGE), or TT_E_NOMEM.
 */
const struct tt_metric *tt_metric_column(const char *name, struct tt_arena *a, struct tt_err *err);

/* True if the column respects a filter of time; false: it shows the whole capture, single frames, or parts of the time. */
bool tt_metric_column_has_time(const struct tt_metric *m);

/* True if the dimension of the measure is known only together with its value. */
bool tt_measure_any_dim(const struct tt_measure *x);

/* True if larger is better (frames per second): such a row needs `min`. */
bool tt_metric_up(const struct tt_metric *m);

/* The dimension of the measure; that of a counter is known only together with its value. */
enum tt_dim tt_measure_dim(const struct tt_measure *x);

/* True if the statistic depends on few events of a capture (p99, p99.9, max), and is therefore too noisy to compare. */
bool tt_stat_is_noisy(enum tt_stat_kind stat);

/* A statistic of ${m} that is not noisy: its default, or the most similar one. */
enum tt_stat_kind tt_metric_steady_stat(const struct tt_metric *m);

/* The name of the metric that counts frames in which ${m} exceeds a limit; NULL: none. */
const char *tt_metric_over(const struct tt_metric *m);

/* Set x->key from the other fields; allocated in ${a}. */
int tt_measure_key(struct tt_measure *x, struct tt_arena *a, struct tt_err *err);

/* True if the measure covers only whole frames, nothing before the first or after the last; for times, only the frame thread. */
bool tt_measure_framed(const struct tt_measure *x);

/* The needs of the measure (enum tt_needs), for the run. */
unsigned tt_measure_needs(const struct tt_measure *x);

/* True if the measure covers what all threads do within frames, for which the sums of single frames are needed. */
bool tt_measure_by_frame(const struct tt_measure *x);

/* True if the measure is a number of something, not a sum of amounts. */
bool tt_measure_counts(const struct tt_measure *x);

/* tt_measure_is_uncapped: true if the measure uses the uncapped time of frames. tt_measure_is_cpu: true if it uses their CPU-active time. */
bool tt_measure_is_uncapped(const struct tt_measure *x);
bool tt_measure_is_cpu(const struct tt_measure *x);

/* True if the statistic is made of one value for each whole frame, so that frames of several captures can be pooled. */
bool tt_measure_has_frames(const struct tt_measure *x);

/* True if the measure counts late frames. */
bool tt_measure_is_late(const struct tt_measure *x);

/* True if the measure selects markers, a category or threads, which may take most of their time in frames that are not long. */
bool tt_measure_is_selective(const struct tt_measure *x);

/* True if the figure is the wall time of frames: for capped frames that is the cap, regardless of the work in them. */
bool tt_measure_is_wall(const struct tt_measure *x);

/* A title for readers: "frame time, p95", "\"Update*\" time per frame, mean". Allocated in ${a}. */
const char *tt_measure_title(const struct tt_measure *x, struct tt_arena *a, struct tt_err *err);

/* Reasons why a figure is missing. */
#define TT_ZONES_HIDDEN "a filter leaves zones out, and figures per frame count all zones"
#define TT_NO_FRAMES "no whole frame: name a frame marker (\"tracetool info\" lists likely ones), or see skip in the budget"

/* One figure of one capture. */
struct tt_value {
	int64_t v;                    /* amount */
	const char *why;              /* if not known or doubted: the reason and what to do, a sentence without full stop */
	int64_t *each;                /* sorted amounts of single frames; only for measures with .pooled */
	uint32_t neach;
	/* Bit-fields, because a baseline has a hundred values for each of its captures. */
	enum tt_dim dim : 8;
	bool known : 1;
	bool several : 1;             /* not known because several rows of a table match */
	bool absent : 1;              /* nothing has the selector's name; v is 0 if that is a value */
	bool elsewhere : 1;           /* absent on the measure's thread, but present on another */
	bool doubted : 1;             /* the capture does not exclude a worse value */
};

/**
 * tt_measure_all(view, loss, x, n, v, a, err):
 * Compute the figures ${v}[i] of the ${n} measures ${x} from the model of ${view}, whose run provided all their needs and whose ledger is ${loss}. Texts and
 * arrays are allocated in ${a}.
 */
int tt_measure_all(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n, struct tt_value *v,
    struct tt_arena *a, struct tt_err *err);

/* Set the figures of a capture that has none because of ${why}, except its losses (NULL: unknown) and, if ${frameless}, its number of frames, 0. */
void tt_values_without(const struct tt_loss *lost, bool frameless, const char *why, const struct tt_measure *x, size_t n, struct tt_value *v);

/* Set the figures of a capture without any event: all are unknown, even whether it lost something. */
void tt_values_no_event(const struct tt_loss *lost, const struct tt_measure *x, size_t n, struct tt_value *v);

/* Get the amount that ${x} counts or sums in frame ${i} of ${f}; return false if ${x} is not about single frames, or the frame has no value. */
bool tt_measure_frame(const struct tt_measure *x, const struct tt_frames *f, size_t i, int64_t *v);

/* The number of entries of severity loss and error, counted as in the table loss. */
uint64_t tt_lost_events(const struct tt_loss *l);

/* True if the capture breaks off: its recorder marks the end, and the mark is missing. */
bool tt_loss_unended(const struct tt_loss *l);

#endif
