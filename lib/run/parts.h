/**
 * Parts of a run: models of single buckets of its time, which the same reading fills beside the model of the whole. Private to
 * lib/run.
 *
 * A part borrows the whole's captures, threads, names and paths; it counts for itself, in the ordered stage, after the whole.
 * Zones of a chunk are counted only for parts that they, or a zone that was open before them, may belong to; collectors see every chunk,
 * because their state may come from long before.
 *
 * If parts together take more than PARTS_BYTES of memory, the last ones are put off, and the events are read again for these.
 */
#ifndef TT_RUN_PARTS_H
#define TT_RUN_PARTS_H

#include <stdbool.h>

struct slot;
struct tt_capture;
struct tt_err;
struct tt_run;

/* Make empty models for the first parts, once names, frames and filter of the whole are known. */
int tt_parts_begin(struct tt_run *r, struct tt_err *err);

/* Count the chunk ${s}, whose paths are in the tree; with ${rest} only the zones that its thread has open at the end of the capture. */
int tt_parts_chunk(struct tt_run *r, const struct tt_capture *cap, struct slot *s, bool rest, struct tt_err *err);

/* After the last event, when the whole is finished: hand over these parts. r->parts: parts that were put off, to be read next; NULL: none. */
int tt_parts_finish(struct tt_run *r, struct tt_err *err);

void tt_parts_free(struct tt_run *r);

#endif
