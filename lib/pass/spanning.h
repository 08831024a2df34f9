/**
 * Sentences for the first screen about the longest zone that ends outside the frame or zone in which it begins; the table is spanning_zones.
 */
#ifndef TT_PASS_SPANNING_H
#define TT_PASS_SPANNING_H

struct tt_report;
struct tt_views;

/* Describe the zone: "Loader.Load begins in frame 10, ends in frame 13: 30.0 ms". NULL: no such zone with a known end. Kept in ${r}. */
const char *tt_pass_spanning(struct tt_views *view, struct tt_report *r);

/* Describe a zone without an end: "Loader.Load on Main Thread begins in frame 10, and its end was not recorded". NULL: no such zone. Kept in ${r}. */
const char *tt_pass_unended(struct tt_views *view, struct tt_report *r);

#endif
