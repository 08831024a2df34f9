/**
 * Writes the facts of frames beside their zones: for each frame, or, of many, each that is in detail in the page (details.h), and its neighbours, its times,
 * allocations, collections and heap, and in at most 256 frames the values of counters that change, at most 24, for page scripts to show beside those of the
 * median frame.
 *
 * Memory: the text of it: some figures for each of these frames, and a text for each counter in each of at most 256.
 */
#ifndef TT_PAGE_FRAME_FACTS_H
#define TT_PAGE_FRAME_FACTS_H

#include <stddef.h>

struct tt_buf;
struct tt_details;
struct tt_err;
struct tt_report;
struct tt_views;

/*
 * Write a data element: JSON of [frames, counters]. A frame: number, wall time, CPU-active time, allocations, their bytes, collections, their time, size of the
 * heap; null: not known. If there are at most ${most} frames, all of them. A counter: its name, unit, [number of a frame, last value in it as tables show it,
 * ...].
 */
int tt_facts_put(const struct tt_details *d, struct tt_views *view, struct tt_report *r, size_t most, struct tt_buf *out, struct tt_err *err);

#endif
