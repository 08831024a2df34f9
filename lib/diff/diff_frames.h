/**
 * Single frames of both sides of a comparison: how their times are spread, how many are late, and which are the longest.
 *
 * Beside means, which the tree of diff.h holds. Percentiles are exact as long as a side's frames are kept one by one; beyond that number they come from a
 * histogram, within 1.6 %, so memory does not grow with the number of captures.
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

/* The frames of one side by one of their times. */
struct tt_diff_frames {
	struct tt_hist h;
	uint64_t over[TT_DIFF_BUDGETS];       /* frames shown for longer than the time of 60 and of 30 fps */
	uint64_t late;                        /* frames that took more refreshes than their limit gives them */
	uint64_t took[TT_TOOK];               /* ... one, two, three, four refreshes and more */
	bool limited;                         /* some capture shows a limit */
	bool untold[TT_DIFF_BUDGETS];         /* too few frames tell that of some capture (tt_frames_untold()) */
	int64_t *time;                /* in order, while they are at most TT_DIFF_KEPT; else NULL */
	size_t n, cap;
	struct tt_diff_worst {
		const char *path;
		size_t frame;                 /* its place in the table of its capture */
		uint64_t number;
		int64_t ns;
		unsigned ntop;
		struct { uint32_t marker; int64_t self; uint64_t calls; } top[TT_HITCH_TOP];
	} worst[TT_DIFF_WORST];       /* the longest first */
	size_t nworst;
};

/**
 * tt_diff_frames_add(d, side, view, path, number, arg, err):
 * Add the frames of a capture, called ${path}. ${number}: the marker of d->marker[] that a name of the capture is.
 */
int tt_diff_frames_add(struct tt_diff *d, unsigned side, struct tt_views *view, const char *path,
    int (*number)(void *arg, const struct tt_name *name, uint32_t *marker, struct tt_err *err), void *arg, struct tt_err *err);
void tt_diff_frames_free(struct tt_diff *d);

#endif
