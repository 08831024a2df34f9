/**
 * The sums of paths frame by frame, settled: of each path that does something in a frame, how often, how long and how long itself.
 *
 * Reads back what collect/by_frame.h put aside, one frame at a time, so that no more than one frame's sums are in memory.
 */
#ifndef TT_VIEW_FRAME_SUMS_H
#define TT_VIEW_FRAME_SUMS_H

#include "collect/by_frame.h"
#include "view/paths.h"

struct tt_views;

/* The facts of a node that every frame needs. */
enum {
	TT_SUM_OUTER = 1,             /* no zone of its marker is around it */
	TT_SUM_IN_WAIT = 2,           /* it or a zone around it waits */
	TT_SUM_WAIT = 4,              /* it is the outermost of these */
	TT_SUM_TOP = 8,               /* a zone that is shown, and none that is shown is around it */
};

struct tt_frame_sums {
	const struct tt_model *m;
	const struct tt_paths *p;
	struct tt_err *err;           /* where errors stay */
	struct tt_sorted *in, *in_filling;
	const struct tt_frame_path *next;     /* the first of the next frame; NULL: there is none */
	const struct tt_frame_path *fills;    /* the first of zones that fill frames from the next one on; NULL: there is none */
	uint8_t *is;                  /* by node: TT_SUM_ */
	uint32_t *slot;               /* by node: place in rec + 1 */
	size_t frame;                 /* the present one */
	bool begun;                   /* there is one */
	struct tt_frame_path *rec;    /* its sums, by node */
	int64_t *lost;                /* of each: time of the outermost waits below it */
	struct tt_frame_path *first;  /* while those of two lists are brought in order */
	struct tt_frame_path *filling;        /* of the zones that fill it, by node; apart: a heap, the first to end at its top */
	/*
	 * Zones that fill frames are no part of the sums: ${change} has those that begin or end to fill frames with the present one. For outputs in which
	 * the sums of a frame and of what fills it add up: reading all frames takes time in proportion to the input, however many zones are open.
	 * Set before tt_frame_sums_rewind(), and not where waits are left out.
	 */
	bool apart;
	bool filled;                  /* with apart: frames that are only filled come, too */
	struct tt_frame_change {
		uint32_t node;
		int64_t total, self;      /* from this frame on more, in durations of a frame; of the path alone, as settled */
	} *change;
	size_t nchange, capchange;
	uint8_t only;                 /* of these those that are one of this; 0: all. Not with apart */
	const size_t *of;             /* only these frames come, ${nof} of them in order, and others are passed over. From tt_frame_sums_rewind() on */
	size_t nof;                   /* 0: all do */
	size_t at;                    /* in of: the first that may come next */
	size_t n, cap, capfirst, caplost, nfilling, capfilling;
};

/* Begin with the paths of ${view}, which are linked then; errors go to ${err}. Free with tt_frame_sums_free() in any case. */
void tt_frame_sums_init(struct tt_frame_sums *s, struct tt_views *view, struct tt_err *err);
void tt_frame_sums_free(struct tt_frame_sums *s);

/* Read from the first frame on. */
void tt_frame_sums_rewind(struct tt_frame_sums *s);

/* The next frame that has sums is the present one; false: there is none, or an error. */
bool tt_frame_sums_next(struct tt_frame_sums *s);

/* Take the next record of a path as it was put aside, in s->next. For whoever needs no settled sums. */
void tt_frame_sums_fetch(struct tt_frame_sums *s);

/**
 * tt_frame_sums_all(view, by_thread, calls, err):
 * All frames together: of each thread, by index, the time inside zones and waiting, and of each row the zones that begin. Room for both is
 * the caller's, and zeroed. Errors: those of reading back.
 */
int tt_frame_sums_all(struct tt_views *view, struct tt_zone_time *by_thread, uint64_t *calls, struct tt_err *err);

/* True if ${node} is a zone with a marker. */
static inline bool
tt_frame_sums_zone(const struct tt_frame_sums *s, uint32_t node)
{
	return tt_paths_marked(s->p, node);
}

#endif
