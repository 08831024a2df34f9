/**
 * Says what happened in a capture, whether or not it has frames: a heap that grows, waits for locks, exceptions, collections, the contents of the heap, the
 * work of threads. Each is one sentence of the table capture_overview. The first screen prints the table for captures without frames; their report page says
 * the same.
 */
#ifndef TT_PASS_OVERVIEW_H
#define TT_PASS_OVERVIEW_H

struct tt_causes;
struct tt_pass_table;
struct tt_report;
struct tt_views;

extern const struct tt_pass_table tt_table_overview;

/* The needs (enum tt_needs) of the overview, beside TT_NEEDS_CALLS. */
extern const unsigned tt_overview_needs;

/*
 * Add the table to ${r} if the capture has no whole frame and there is something to say. ${causes}: the causes that were found; the leak among them is
 * reported. Errors stay in ${r}.
 */
void tt_overview(struct tt_views *view, const struct tt_causes *causes, struct tt_report *r);

#endif
