/**
 * Parts of a run: models of single buckets of its time, which the same reading fills beside the model of the whole. Private to
 * lib/run.
 *
 * A part borrows the whole's captures, threads, names and paths; it counts for itself, in the ordered stage, after the whole.
 * Zones of a chunk are counted only for parts that they, or a zone that was open before them, may belong to; collectors see every chunk,
 * for what they know of now may have begun long ago.
 *
 * Parts that would take more memory than PARTS_BYTES together wait, and the events are read again for them.
 */
#ifndef TT_RUN_PARTS_H
#define TT_RUN_PARTS_H

#include <stdbool.h>

struct slot;
struct tt_capture;
struct tt_err;
struct tt_run;

/* Make models for the first parts, empty: the names, the frames and the filter of the whole are known. */
int tt_parts_begin(struct tt_run *r, struct tt_err *err);

/* Count the chunk ${s}, whose paths are in the tree; with ${rest} only what its thread has open at the end of the capture. */
int tt_parts_chunk(struct tt_run *r, const struct tt_capture *cap, struct slot *s, bool rest, struct tt_err *err);

/* After the last event, when the whole is finished: hand over these parts. r->parts: those that wait, to be read; NULL: none do. */
int tt_parts_finish(struct tt_run *r, struct tt_err *err);

void tt_parts_free(struct tt_run *r);

#endif
