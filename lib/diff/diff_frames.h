/**
 * Single frames of both sides of a comparison: the distribution of their times, how many are late, and which are the longest; in addition to means, which the
 * tree of diff.h has.
 *
 * Percentiles are exact while a side's frame times are kept; beyond TT_DIFF_KEPT frames they come from a histogram, within 1.6 %, so that memory does not grow
 * with the number of captures.
 */
#ifndef TT_DIFF_DIFF_FRAMES_H
#define TT_DIFF_DIFF_FRAMES_H

#include "model/frames.h"
#include "pass/shown.h"
#include "stat/hist.h"

struct tt_diff;
struct tt_err;
struct tt_name;
struct tt_views;

enum { TT_DIFF_WORST = 5, TT_DIFF_BUDGETS = 2, TT_DIFF_QUANTILES = 5, TT_DIFF_KEPT = 65536 };

/* The frames of one side by one kind of time. */
struct tt_diff_frames {
	struct tt_hist h;
	uint64_t nover[TT_DIFF_BUDGETS];      /* number of frames shown for longer than a frame of 60 and of 30 fps */
	uint64_t nlate;                       /* number of frames that took more refreshes than their limit gives */
	uint64_t nby_refreshes[TT_TOOK];      /* number of frames that took one, two, three, and four or more refreshes */
	bool has_limit;                       /* true: some capture has a frame limit */
	bool is_undecidable[TT_DIFF_BUDGETS]; /* true: some capture has too few frames to tell (tt_frames_count_undecidable()) */
	int64_t *time;                /* sorted times, for at most TT_DIFF_KEPT frames; else NULL */
	size_t n, cap;
	struct tt_diff_worst {
		const char *path;
		size_t frame;                 /* index of the frame in its capture */
		uint64_t number;
		int64_t ns;
		unsigned ntop;
		struct { uint32_t marker; int64_t self; uint64_t calls; } top[TT_HITCH_TOP];
	} worst[TT_DIFF_WORST];       /* longest first */
	size_t nworst;
};

/**
 * tt_diff_frames_add(d, side, view, path, number, arg, err):
 * Add the frames of a capture. ${number} maps a name of the capture to its index in d->marker[].
 */
int tt_diff_frames_add(struct tt_diff *d, unsigned side, struct tt_views *view, const char *path,
    int (*number)(void *arg, const struct tt_name *name, uint32_t *marker, struct tt_err *err), void *arg, struct tt_err *err);
void tt_diff_frames_free(struct tt_diff *d);

#endif
