/**
 * The sums of paths frame by frame: for each path that does something in a frame, the number of its calls, its time and its self time.
 *
 * Reads back the records of collect/by_frame.h one frame at a time, so that only one frame's sums are in memory.
 */
#ifndef TT_VIEW_FRAME_SUMS_H
#define TT_VIEW_FRAME_SUMS_H

#include "collect/by_frame.h"
#include "view/paths.h"

struct tt_views;

/* Properties of a node that do not depend on the frame. */
enum {
	TT_SUM_OUTER = 1,             /* no other zone of its marker is around it */
	TT_SUM_IN_WAIT = 2,           /* the zone, or one around it, waits */
	TT_SUM_WAIT = 4,              /* the outermost zone that waits */
	TT_SUM_TOP = 8,               /* a shown zone without a shown zone around it */
};

struct tt_frame_sums {
	const struct tt_model *m;
	const struct tt_paths *p;
	struct tt_err *err;           /* keeps the first error */
	struct tt_sorted *sums, *filling_sums;
	const struct tt_frame_path *next;     /* the first record of the next frame; NULL: none */
	const struct tt_frame_path *next_filling; /* the first zone that begins to fill frames with the next frame or later; NULL: none */
	uint8_t *flags;               /* by node: TT_SUM_ flags */
	uint32_t *slot;               /* by node: index in rec + 1; 0: none */
	size_t frame;                 /* the current frame */
	bool begun;                   /* true: a frame was read */
	struct tt_frame_path *rec;    /* the sums of the current frame, by node */
	int64_t *wait_below_ns;       /* by index in rec: time of the outermost waits below it */
	struct tt_frame_path *merge_copy; /* scratch copy while two sorted lists are merged */
	struct tt_frame_path *filling;        /* zones that fill the current frame, by node; if apart: a heap, the first one to end at its top */
	/*
	 * true: zones that fill whole frames are left out of the sums; ${change} lists those that begin or end to fill frames with the current frame. For
	 * outputs that add both up themselves: reading all frames then takes time in proportion to the input, no matter how many zones are open. Set before
	 * tt_frame_sums_rewind(); not allowed if waits are left out.
	 */
	bool lists_changes;
	bool has_filled;              /* with apart: frames that are only filled come, too */
	struct tt_frame_change {
		uint32_t node;
		int64_t total, self;      /* change per frame from this frame on, in durations of a frame; without the path's callees, as settled */
	} *change;
	size_t nchange, capchange;
	uint8_t filling_mask;         /* mask: keep only filling zones whose node has one of these TT_SUM_ flags; 0: all. Not with apart */
	const size_t *chosen;         /* read only these ${nchosen} frames, in order. Takes effect at tt_frame_sums_rewind() */
	size_t nchosen;               /* 0: all frames */
	size_t next_chosen;           /* index in of: the next frame to read */
	size_t n, cap, capmerge_copy, capwait_below_ns, nfilling, capfilling;
};

/* Initialize with the paths of ${view}, which this links; errors go to ${err}. Always free with tt_frame_sums_free(). */
void tt_frame_sums_init(struct tt_frame_sums *s, struct tt_views *view, struct tt_err *err);
void tt_frame_sums_free(struct tt_frame_sums *s);

/* Read from the first frame on. */
void tt_frame_sums_rewind(struct tt_frame_sums *s);

/* Advance to the next frame that has sums; return false at the end or after an error. */
bool tt_frame_sums_next(struct tt_frame_sums *s);

/* Fetch the next stored record of a path into s->next. For callers that need no settled sums. */
void tt_frame_sums_fetch(struct tt_frame_sums *s);

/**
 * tt_frame_sums_all(view, by_thread, calls, err):
 * Sum over all frames: into ${by_thread}, by index, the time inside zones and waiting; into ${calls}, by row, the zones that begin. The caller provides both,
 * zeroed. Fails if reading back fails.
 */
int tt_frame_sums_all(struct tt_views *view, struct tt_zone_time *by_thread, uint64_t *calls, struct tt_err *err);

/* True if ${node} is a zone with a marker. */
static inline bool
tt_frame_sums_zone(const struct tt_frame_sums *s, uint32_t node)
{
	return tt_paths_has_marker(s->p, node);
}

#endif
