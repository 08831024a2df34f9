/**
 * Figures: each is computed here, by one function, and nowhere else; tables print them, gates hold them.
 *
 * Means and rates are integers in parts of the base unit that the caller chooses (${scale}: 1 for whole ns and bytes, 1000 for
 * the amounts of budgets), rounded to the nearest. Definitions: tracetool-metrics(7).
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

/* Which time of a frame. */
enum tt_frame_value {
	TT_FRAME_WALL, TT_FRAME_SHOWN, TT_FRAME_CPU, TT_FRAME_UNCAPPED, TT_FRAME_NEEDED, TT_FRAME_EDITOR, TT_FRAME_ALLOC_B,
	TT_FRAME_ALLOC_N, TT_FRAME_LATE,      /* 1 or 0 */
	TT_FRAME_TIMING,              /* + enum tt_timing */
	TT_FRAME_VALUES = TT_FRAME_TIMING + TT_TIMINGS
};

/* The value of frame ${i}; false: it has none. */
bool tt_frame_value(const struct tt_frames *f, unsigned what, size_t i, int64_t *v);

/* Values in order. Neighbours are close to each other: of a million frames they take a byte or two each. */
struct tt_values {
	struct tt_column v;
	bool made;
	size_t n;
	uint64_t sum;
	int64_t stddev;
	tt_i128 trimmed;              /* sum without the smallest and the largest twentieth */
};

/* The values of all frames of ${m}, none where it has no frames; after an error nothing is left to free. */
int tt_values_of_frames(struct tt_values *to, const struct tt_model *m, unsigned what, struct tt_err *err);
void tt_values_free(struct tt_values *v, struct tt_mem *mem);

/* True if wall time says nothing of the program: it is what the Editor leaves of the frame limit. ${period} as above. */
bool tt_frames_wall_is_limit(const struct tt_frames *f, int64_t period);

/* How much of the time of all frames is the Editor's, in percent; -1: it does nothing in them, or is left out. */
int64_t tt_frames_editor(const struct tt_frames *f);

/* True if both are capped, at about the same period: within a tenth, for a target rate is never exact. */
bool tt_same_cap(int64_t a, int64_t b);

/* "30 fps (33.3 ms)" */
#define TT_CAP_TEXT 80
char *tt_put_cap(char *p, int64_t period);

/* How percentiles of frames are taken: by the nearest rank, or as Unity's Profile Analyzer does, which rounds the place in the list down. */
enum tt_percentiles { TT_PERCENTILES_NEAREST = 1, TT_PERCENTILES_UNITY };
int64_t tt_values_percentile(const struct tt_values *v, unsigned num, unsigned den, int rule);

/* The nearest-rank quantile ${num}/${den}, exact; 1/1: the largest. */
int64_t tt_values_quantile(const struct tt_values *v, unsigned num, unsigned den);
int64_t tt_values_mean(const struct tt_values *v, unsigned scale);
/* The mean without the smallest and the largest twentieth. */
int64_t tt_values_trimmed(const struct tt_values *v, unsigned scale);
int64_t tt_values_stddev(const struct tt_values *v);

/* How many are larger than ${limit}. */
size_t tt_values_over(const struct tt_values *v, int64_t limit);

/* Frames per second, in thousandths, of the longest 1/${part} of the frames, their number rounded up; 0: they take no time. */
int64_t tt_values_fps(const struct tt_values *v, size_t part);

/*
 * The limit of frame times that ${ns} means: where it is the time of a frame at a usual rate, written with two decimals of a
 * ms (16.67, 33.33, 8.33), what a frame at that rate takes at most (tracetool-metrics(7), Budgets); else itself. For every limit that
 * somebody writes, and for those of our own.
 */
int64_t tt_frame_limit(int64_t ns);

/* The limits that long frames are counted over in a suggested budget, some of capped frames only; ${text} is what it says of them. */
enum { TT_HITCH_LIMITS = 17 };
extern const struct tt_hitch_limit { const char *text; int64_t ns; bool for_caps; } tt_hitch_limit[TT_HITCH_LIMITS];

/* Time of [start, end) of ${process} in which a collection was stopping or had stopped the world. */
int64_t tt_pause_in(const struct tt_model *m, uint32_t process, int64_t start, int64_t end);

/* --- allocations ---------------------------------------------------------------------- */

/* Allocations of all threads, as the filters leave them. sampled: bytes are estimates, with a variance. */
struct tt_alloc_sum { uint64_t n; int64_t bytes; tt_u128 variance; bool sampled; };
struct tt_alloc_sum tt_alloc_sum(const struct tt_model *m);

/* --- times ---------------------------------------------------------------------------- */

/* Some durations and how they are spread. */
struct tt_spread { struct tt_times t; struct tt_hist h; };

void tt_spread_init(struct tt_spread *s);
/* Add ${t}, whose histogram is ${id} in ${of}. */
void tt_spread_add(struct tt_spread *s, const struct tt_tally *of, uint64_t id, const struct tt_times *t);

/* The mean, in whole ns, and the 95th percentile (nearest rank, within 1.6 %) of those there are, at least one. */
int64_t tt_times_mean(const struct tt_times *t);
uint64_t tt_spread_p95(const struct tt_spread *s);

/* --- handles -------------------------------------------------------------------------- */

/* The sums over all kinds of handles, without the most at once, which is known by kind only. */
struct tt_handle_kind tt_handles_sum(const struct tt_model *m);

/* --- counters ------------------------------------------------------------------------- */

/* A value of ${c}, and the mean of all of them, in the counter's own unit. */
double tt_counter_number(const struct tt_counter_stat *c, union tt_counter_value v);

/* --- collections ---------------------------------------------------------------------- */

/* Collections of the generations ${gen}[from .. to - 1] as one. */
struct tt_gc_stat tt_collections(const struct tt_gc_stat *gen, size_t from, size_t to);

/* --- calls ---------------------------------------------------------------------------- */

/*
 * The sums of the zones of one marker, or of several: ${total} counts a zone only if none of them is open around it, ${all} every one. The self time of a
 * hidden wrapper belongs to the zone around it.
 */
struct tt_calls {
	uint64_t n;
	int64_t total, all, self;
	uint32_t open;                /* while they are added up */
	bool met;
};

#define TT_NO_SLOT UINT32_MAX

/**
 * tt_calls_step(w, slot, sum, is):
 * For the node at which the walk ${w} is: add its figures to ${sum}[${slot}[row]] (${slot} NULL: by row). Returns the slot of a zone that
 * is shown and that the walk has entered, else TT_NO_SLOT. For whoever adds up more than this on one walk.
 */
uint32_t tt_calls_step(const struct tt_walk *w, const uint32_t *slot, struct tt_calls *sum);

/* The sums of all zones of ${p}, which is linked, by slot of their row: TT_NO_SLOT leaves a row out. */
void tt_calls_sum(const struct tt_paths *p, const uint32_t *slot, struct tt_calls *sum);

/* Add to ${sum} what markers of ${row} do in the frames of the frame thread: times are added up, of maxima it is the largest. */
void tt_row_frames(const struct tt_paths *p, const struct tt_row *row, struct tt_frame_marker *sum);

/* Add to ${h} the durations of the whole activations of ${row}. */
void tt_row_durations(const struct tt_paths *p, const struct tt_row *row, struct tt_hist *h);

/* Add the activations of ${row} that have no duration, and all time of ${row} that is in no duration: see tt_dist. */
void tt_row_cut(const struct tt_paths *p, const struct tt_row *row, uint64_t *n, int64_t *cut);

#endif
