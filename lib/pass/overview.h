/**
 * Says what happened in a capture, whether or not it has frames: a heap that grows, waits for locks, exceptions, collections, what the heap has, what threads
 * did. One sentence each, in the table capture_overview; the first screen prints it of captures without frames, and their report page says the same.
 */
#ifndef TT_PASS_OVERVIEW_H
#define TT_PASS_OVERVIEW_H

struct tt_causes;
struct tt_pass_table;
struct tt_report;
struct tt_views;

extern const struct tt_pass_table tt_table_overview;

/* The needs that it has of the run, beside calls (tt_needs). */
extern const unsigned tt_overview_needs;

/*
 * Add the table to ${r}, if the capture has no whole frame and there is something to say. ${causes}: what was found, of which the leak is said. Errors stay
 * in ${r}.
 */
void tt_overview(struct tt_views *view, const struct tt_causes *causes, struct tt_report *r);

#endif
