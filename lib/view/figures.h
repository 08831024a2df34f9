/**
 * Figures. Each is computed here by one function and nowhere else; tables print them, gates compare them.
 *
 * Means and rates are integers in fractions of the base unit that the caller chooses (${scale}: 1 for whole ns and bytes, 1000 for the amounts of budgets),
 * rounded to the nearest. Definitions: tracetool-metrics(7).
 */
#ifndef TT_VIEW_FIGURES_H
#define TT_VIEW_FIGURES_H

#include "collect/collections.h"
#include "collect/counters.h"
#include "collect/handles.h"
#include "model/frames.h"
#include "stat/num.h"

struct tt_frame_marker;
struct tt_frames;
struct tt_hist;
struct tt_model;
struct tt_paths;
struct tt_row;
struct tt_walk;

/* --- values of single frames -------------------------------------------------------- */

/* The values that a frame has. */
enum tt_frame_value {
	TT_FRAME_WALL, TT_FRAME_SHOWN, TT_FRAME_CPU, TT_FRAME_UNCAPPED, TT_FRAME_NEEDED, TT_FRAME_EDITOR, TT_FRAME_ALLOC_B,
	TT_FRAME_ALLOC_N, TT_FRAME_LATE,      /* TT_FRAME_LATE: 1 or 0 */
	TT_FRAME_TIMING,              /* + enum tt_timing */
	TT_FRAME_VALUES = TT_FRAME_TIMING + TT_TIMINGS
};

/* Get the value ${what} of frame ${i}; return false if the frame has none. */
bool tt_frame_value(const struct tt_frames *f, unsigned what, size_t i, int64_t *v);

/* Sorted values. Neighbours differ little, so that a million frames take a byte or two each. */
struct tt_values {
	struct tt_column v;
	bool made;
	size_t n;
	uint64_t sum;
	int64_t stddev;
	tt_i128 trimmed;              /* sum without the smallest and the largest 5 % */
};

/* Collect the value ${what} of all frames of ${m}; without frames there are no values. After an error nothing needs to be freed. */
int tt_values_of_frames(struct tt_values *to, const struct tt_model *m, unsigned what, struct tt_err *err);
void tt_values_free(struct tt_values *v, struct tt_mem *mem);

/* True if wall time says nothing about the program, because it is the frame limit less the Editor's time. ${period}: that of the limit, ns; 0: no limit. */
bool tt_frames_wall_is_limit(const struct tt_frames *f, int64_t period);

/* The Editor's share of the time of all frames, in percent; -1: the Editor does nothing in them, or is left out. */
int64_t tt_frames_editor_percent(const struct tt_frames *f);

/* True if ${a} and ${b} are caps of about the same period, within a tenth, because a target rate is never exact. */
bool tt_is_same_cap(int64_t a, int64_t b);

/* Write a cap as "30 fps (33.3 ms)". */
#define TT_CAP_TEXT 80
char *tt_put_cap(char *p, int64_t period);

/* The rule for percentiles of frames: nearest rank, or that of Unity's Profile Analyzer, which rounds the index down. */
enum tt_percentiles { TT_PERCENTILES_NEAREST = 1, TT_PERCENTILES_UNITY };
int64_t tt_values_percentile(const struct tt_values *v, unsigned num, unsigned den, int rule);

/* The nearest-rank quantile ${num}/${den}, exact; 1/1 is the maximum. */
int64_t tt_values_quantile(const struct tt_values *v, unsigned num, unsigned den);
int64_t tt_values_mean(const struct tt_values *v, unsigned scale);
/* The mean without the smallest and the largest 5 %. */
int64_t tt_values_trimmed(const struct tt_values *v, unsigned scale);
int64_t tt_values_stddev(const struct tt_values *v);

/* The number of values larger than ${limit}. */
size_t tt_values_over(const struct tt_values *v, int64_t limit);

/* Frames per second, in thousandths, over the longest 1/${part} of the frames, rounded up; 0: these take no time. */
int64_t tt_values_fps(const struct tt_values *v, size_t part);

/*
 * The limit that a frame time of ${ns} stands for: if ${ns} is the period of a usual rate, written as ms with two decimals (16.67, 33.33, 8.33), the longest
 * time of a frame at that rate (tracetool-metrics(7), Budgets); else ${ns} itself. Applies to every limit, given by the user or built in.
 */
int64_t tt_frame_limit(int64_t ns);

/* The limits over which a suggested budget counts long frames; for_caps: only for capped frames; ${text}: the limit as the budget writes it. */
enum { TT_HITCH_LIMITS = 17 };
extern const struct tt_hitch_limit { const char *text; int64_t ns; bool for_caps; } tt_hitch_limit[TT_HITCH_LIMITS];

/* The time within [start, end) during which a collection of ${process} was stopping, or had stopped, the world. */
int64_t tt_pause_ns_in(const struct tt_model *m, uint32_t process, int64_t start, int64_t end);

/* --- allocations ---------------------------------------------------------------------- */

/* The allocations of all threads that the filters leave. sampled: bytes are estimates, with a variance. */
struct tt_alloc_sum { uint64_t n; int64_t bytes; tt_u128 variance; bool sampled; };
struct tt_alloc_sum tt_alloc_sum(const struct tt_model *m);

/* --- times ---------------------------------------------------------------------------- */

/* A set of durations: their sums and their histogram. */
struct tt_spread { struct tt_times t; struct tt_hist h; };

/* Empty ${s}, which was used or is zero bytes. */
void tt_spread_clear(struct tt_spread *s);
/* Add the durations of ${t}, whose histogram is ${id} in ${of}. */
void tt_spread_add(struct tt_spread *s, const struct tt_tally *of, uint64_t id, const struct tt_times *t);

/* The mean in whole ns, and the 95th percentile (nearest rank, within 1.6 %); at least one duration is required. */
int64_t tt_times_mean(const struct tt_times *t);
uint64_t tt_spread_p95(const struct tt_spread *s);

/* --- handles -------------------------------------------------------------------------- */

/* The sums over all kinds of handles, except the peak, which is known for each kind only. */
struct tt_handle_kind tt_handles_sum(const struct tt_model *m);

/* --- counters ------------------------------------------------------------------------- */

/* The value ${v} of the counter ${c} as a number in the counter's own unit. */
double tt_counter_number(const struct tt_counter_stat *c, union tt_counter_value v);

/* --- collections ---------------------------------------------------------------------- */

/* The statistics of the generations ${gen}[from .. to - 1] combined. */
struct tt_gc_stat tt_collections(const struct tt_gc_stat *gen, size_t from, size_t to);

/* --- calls ---------------------------------------------------------------------------- */

/*
 * The sums over the zones of one marker, or of several: ${total} counts a zone only if none of these markers is open around it, ${all} counts every zone. The
 * self time of a hidden wrapper belongs to the zone around it.
 */
struct tt_calls {
	uint64_t n;
	int64_t total, all, self;
	uint32_t open;                /* number of open zones, while the walk adds up */
	bool met;
};

#define TT_NO_SLOT UINT32_MAX

/**
 * tt_calls_step(w, slot, sum, is):
 * Add the figures of the current node of the walk ${w} to ${sum}[${slot}[row]], or to ${sum}[row] if ${slot} is NULL. Return the slot if the walk has just
 * entered a shown zone, else TT_NO_SLOT. For callers that compute more than these sums in one walk.
 */
uint32_t tt_calls_step(const struct tt_walk *w, const uint32_t *slot, struct tt_calls *sum);

/* Compute the sums of all zones of ${p}, which is linked, into ${sum} by the slot of their row; TT_NO_SLOT omits a row. */
void tt_calls_sum(const struct tt_paths *p, const uint32_t *slot, struct tt_calls *sum);

/* Add to ${sum} what the markers of ${row} do in frames, on the frame thread: sums are added, maxima are the largest. */
void tt_row_frames(const struct tt_paths *p, const struct tt_row *row, struct tt_frame_marker *sum);

/* Add to ${h} the durations of the complete activations of ${row}. */
void tt_row_durations(const struct tt_paths *p, const struct tt_row *row, struct tt_hist *h);

/* Add to *${n} the number of activations of ${row} without a duration, and to *${cut} the time of ${row} outside any duration: see tt_dist. */
void tt_row_cut(const struct tt_paths *p, const struct tt_row *row, uint64_t *n, int64_t *cut);

#endif
